//! The OAuth2 endpoint, personal access tokens, and the keys of developers.

mod model;
mod routes;
mod scopes;
mod store;

use shared::{LmsErrors, component};

component!("oauth", LmsErrors, [token, auth, tokens, developer_keys, authentication]);
