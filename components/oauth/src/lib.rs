//! The OAuth2 endpoint, personal access tokens, the keys of developers, and logging in on pages.

mod model;
mod routes;
mod scopes;
mod store;

use shared::{LmsErrors, component};

component!("oauth", LmsErrors, [token, auth, tokens, developer_keys, authentication, login, logout, home]);
