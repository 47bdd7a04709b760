//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

/// Of a new import.
pub(crate) const IMPORT: &[Unsupported] = &[
    Unsupported::new("the file comes with the request, as attachment", &["pre_attachment"]),
    Unsupported::new("a login keeps the SIS id that it has", &["update_sis_id_if_login_claimed"]),
];

/// Of the list of an import's errors.
pub(crate) const ERRORS: &[Unsupported] =
    &[Unsupported::new("all rows that were passed over are listed", &["failure"])];
