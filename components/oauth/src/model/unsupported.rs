//! Parameters of the reference system that this area refuses, and why.

use shared::params::Unsupported;

/// Of a developer key that is made or changed.
pub(crate) const DEVELOPER_KEY: &[Unsupported] = &[
    Unsupported::new(
        "it is not kept",
        &["developer_key[email]", "developer_key[icon_url]", "developer_key[notes]", "developer_key[vendor_code]"],
    ),
    Unsupported::new("addresses are sent as redirect_uris", &["developer_key[redirect_uri]"]),
    Unsupported::new("there is no test cluster", &["developer_key[test_cluster_only]"]),
    Unsupported::new(
        "every key is that of a client with a secret, for this service",
        &["developer_key[client_credentials_audience]", "developer_key[client_type]"],
    ),
];

/// Of the list of developer keys.
pub(crate) const DEVELOPER_KEYS: &[Unsupported] =
    &[Unsupported::new("an account has no keys but its own", &["inherited"])];
