//! The registration of a tool proxy of LTI 2. The tool has got a token for its registration key, and waits for an
//! administrator afterwards.

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use shared::auth::encryption;
use shared::error::TokenProblem;
use shared::{Context, Created, Error, Form, Reply, Result, endpoint, endpoints};
use uuid::Uuid;

use crate::access::{self, TOOL_TOKEN};
use crate::model::lti_2::{RegisteredToolProxy, SharedSecret, ToolProxySent};
use crate::model::tool_registrations::Registering;
use crate::routes::tool_consumer_profile;
use crate::store::tool_registrations as store;

const MAX_BODY_BYTES: usize = 64 * 1024;
const MEDIA_TYPE: &str = "application/vnd.ims.lti.v2.toolproxy.id+json";

endpoints![register_tool_proxy];

/// Registers a tool proxy. It gets its capabilities when an administrator approves them.
#[endpoint(
    POST "/api/lti/tool_proxy",
    public,
    nobody(401, "an invited tool gets a token for its registration key"),
    takes(TOOL_TOKEN),
    body_limit(MAX_BODY_BYTES),
)]
async fn register_tool_proxy(cx: Context, body: Form<ToolProxySent>) -> Result<Created<RegisteredToolProxy>> {
    let params = body.into_params()?;
    let key = access::subject(&cx, &params).await?.ok_or_else(unknown)?;
    let invited = store::invited_by_key(&cx.db, &key, cx.now).await?.ok_or_else(unknown)?;
    let sent: ToolProxySent = shared::params::decode(params)?;
    let base = cx.lasting_base_url().await?;
    if sent.tool_consumer_profile != tool_consumer_profile::address(&base, &key) {
        return Err(Error::invalid(
            "tool_consumer_profile",
            "invalid",
            "must be the address of the tool's own profile",
        ));
    }
    let (half, secret) = secret(sent.secret()?);
    let registering = Registering {
        name: sent.name()?,
        capabilities: sent.capabilities(),
        configuration: sent.checked()?,
        methods: Some(sent.methods()?),
        sealed_secret: encryption::seal(encryption::TOOL_SECRET, &secret).await?,
        access_token_hash: None,
    };
    let guid = Uuid::new_v4().to_string();
    if !store::register(&cx.db, &invited, &guid, registering, cx.now).await? {
        return Err(unknown());
    }
    let registered = RegisteredToolProxy {
        context: "http://purl.imsglobal.org/ctx/lti/v2/ToolProxyId",
        kind: "ToolProxy",
        id: format!("{base}/api/lti/tool_proxies/{guid}"),
        tool_proxy_guid: guid,
        tc_half_shared_secret: half,
    };
    Ok(Reply::created(registered).header(CONTENT_TYPE, MEDIA_TYPE).header(CACHE_CONTROL, "no-store"))
}

/// Our half of the secret, where it is split, and the whole: our half stands before the tool's.
fn secret(shared: SharedSecret) -> (Option<String>, String) {
    match shared {
        SharedSecret::Whole(whole) => (None, whole),
        SharedSecret::Half(theirs) => {
            let bytes = [Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4(), Uuid::new_v4()];
            let ours: String = bytes.iter().map(|uuid| uuid.simple().to_string()).collect();
            (Some(ours.clone()), format!("{ours}{theirs}"))
        }
    }
}

fn unknown() -> Error {
    Error::token(TokenProblem::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_secret_has_our_half_first() {
        let (half, whole) = secret(SharedSecret::Half("ab".repeat(64)));
        assert_eq!((half.as_deref().map(str::len), whole.len()), (Some(128), 256));
        assert!(whole.starts_with(half.unwrap().as_str()) && whole.ends_with("abab"));
        let (none, whole) = secret(SharedSecret::Whole("x".repeat(32)));
        assert!(none.is_none() && whole == "x".repeat(32));
    }
}
