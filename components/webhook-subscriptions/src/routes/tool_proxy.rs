//! The registration of a tool proxy of LTI 2. The tool has got a token for its registration key, or signs with the
//! registration password, and waits for an administrator afterwards.

use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use shared::auth::{encryption, secrets};
use shared::error::TokenProblem;
use shared::{Context, Created, Error, Form, Reply, Result, Timestamp, endpoint, endpoints};
use uuid::Uuid;

use crate::access::{self, TOOL_TOKEN};
use crate::model::lti_2::{RegisteredToolProxy, SharedSecret, ToolProxySent};
use crate::model::oauth_1::{self, Request, SignedRequest};
use crate::model::tool_registrations::Registering;
use crate::routes::tool_consumer_profile;
use crate::store::tool_registrations::{self as store, Invited};

const MAX_BODY_BYTES: usize = 64 * 1024;
const MEDIA_TYPE: &str = "application/vnd.ims.lti.v2.toolproxy.id+json";

endpoints![register_tool_proxy];

/// Registers a tool proxy. It gets its capabilities when an administrator approves them.
///
/// The tool shows the token of its registration key, or signs the request as OAuth 1.0 has it, with this key, the registration
/// password and the hash of the body (`oauth_body_hash`).
#[endpoint(
    POST "/api/lti/tool_proxy",
    public,
    nobody(401, "an invited tool signs, or gets a token for its registration key"),
    takes(TOOL_TOKEN),
    body_limit(MAX_BODY_BYTES),
)]
async fn register_tool_proxy(cx: Context, body: Form<ToolProxySent>) -> Result<Created<RegisteredToolProxy>> {
    let params = body.into_params();
    let (key, invited) = match cx.header(AUTHORIZATION).filter(|header| SignedRequest::is_named(header)) {
        Some(header) => signed(&cx, header).await?,
        None => {
            let key = access::subject(&cx, access::readable(&params)).await?.ok_or_else(unknown)?.name;
            let invited = store::invited_by_key(&cx.db, &key, cx.now).await?.ok_or_else(unknown)?;
            (key, invited)
        }
    };
    let sent: ToolProxySent = shared::params::decode(params?)?;
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

/// The registration key of the tool that has signed the request, and its invitation. A signature is good once, and whatever is
/// wrong with it, the answer is the same.
async fn signed(cx: &Context, header: &str) -> Result<(String, Invited)> {
    let signed = SignedRequest::parse(header).ok_or_else(unknown)?;
    let key = signed.consumer_key().ok_or_else(unknown)?;
    let (signed_at, nonce) = signed.nonce(cx.now.unix()).ok_or_else(unknown)?;
    let invited = store::invited_by_key(&cx.db, key, cx.now).await?.ok_or_else(unknown)?;
    let sealed = invited.sealed_password.as_deref().ok_or_else(unknown)?;
    let password = encryption::open(encryption::TOOL_SECRET, sealed).await?;
    let address = format!("{}{}", cx.lasting_base_url().await?, cx.path());
    let body = cx.bytes();
    let request = Request { method: cx.parts().method.as_str(), address: &address, query: cx.query(), body: &body };
    if !signed.is_of(&request, password.expose()) {
        return Err(unknown());
    }
    let end = signed_at.checked_add(oauth_1::WINDOW + 1).and_then(Timestamp::from_unix).ok_or_else(unknown)?;
    // Kept as a hash: a tool may choose whatever it likes.
    let nonce = secrets::hash(format!("{signed_at} {nonce}"));
    match store::use_nonce(&cx.db, invited.id, &nonce, end, cx.now).await? {
        true => Ok((key.to_owned(), invited)),
        false => Err(unknown()),
    }
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
