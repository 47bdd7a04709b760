//! The OAuth2 endpoint, personal access tokens, and the keys of developers.

mod model;
mod routes;
mod scopes;
mod store;

use shared::{Envelope, component};

component!("oauth", Envelope::Lms, [token, auth, tokens, developer_keys, authentication]);
