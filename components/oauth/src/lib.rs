//! The OAuth2 endpoint, personal access tokens, and the keys of developers.

mod authentication_events;
mod authorize;
mod client;
mod developer_keys;
mod pages;
mod personal_tokens;
mod redirect;
mod scopes;
mod store;
mod token;

use shared::{Envelope, component};

component!("oauth", Envelope::Lms, [token, authorize, personal_tokens, developer_keys, authentication_events]);
