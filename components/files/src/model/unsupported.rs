//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

/// Of a page that is made or changed.
pub(crate) const PAGE: &[Unsupported] =
    &[Unsupported::new("pages are published at once, or by another change", &["wiki_page[publish_at]"])];

/// Of a file that is changed.
pub(crate) const FILE: &[Unsupported] =
    &[Unsupported::new("who sees a file is told by hidden, locked, lock_at and unlock_at", &["visibility_level"])];

/// Of a file that is deleted.
pub(crate) const DELETED_FILE: &[Unsupported] =
    &[Unsupported::new("a file is deleted with its place; a new upload overwrites it", &["replace"])];
