//! The tool consumer profile of LTI 2: each invitation has one of its own, which says what its tool may ask for and where it
//! registers.

use http::header::CONTENT_TYPE;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::error::OrNotFound;
use shared::ids::AccountId;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::model::capabilities;
use crate::model::lti_2::{METHODS, WEBHOOKS};
use crate::store::tool_registrations as store;

const MEDIA_TYPE: &str = "application/vnd.ims.lti.v2.toolconsumerprofile+json";
const TOOL_PROXY: &str = "application/vnd.ims.lti.v2.toolproxy+json";
const JSON: &str = "application/json";

endpoints![get_tool_consumer_profile];

#[derive(Deserialize, JsonSchema)]
struct ProfilePath {
    /// The registration key.
    guid: String,
}

/// The offer to a tool that was invited.
#[derive(Serialize, JsonSchema)]
struct ToolConsumerProfile {
    #[serde(rename = "@context")]
    context: Vec<&'static str>,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@id")]
    id: String,
    lti_version: &'static str,
    guid: String,
    product_instance: Value,
    capability_offered: Vec<String>,
    service_offered: Vec<ServiceOffered>,
}

#[derive(Serialize, JsonSchema)]
struct ServiceOffered {
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "@id")]
    id: String,
    endpoint: String,
    format: Vec<&'static str>,
    action: Vec<&'static str>,
}

/// The address of the profile of an invitation.
pub(crate) fn address(base: &str, guid: &str) -> String {
    format!("{base}/api/lti/tool_consumer_profile/{guid}")
}

/// Says what a tool that was invited may ask for, and where it registers.
#[endpoint(
    GET "/api/lti/tool_consumer_profile/:guid",
    public,
    nobody(200, "whoever knows the registration key may read it"),
)]
async fn get_tool_consumer_profile(cx: Context, Path(at): Path<ProfilePath>) -> Result<Reply<ToolConsumerProfile>> {
    let account = store::profile(&cx.db, &at.guid).await?.or_not_found()?;
    let base = cx.lasting_base_url().await?;
    Ok(Reply::ok(profile(&base, at.guid, account)).header(CONTENT_TYPE, MEDIA_TYPE))
}

fn profile(base: &str, guid: String, account: AccountId) -> ToolConsumerProfile {
    let id = address(base, &guid);
    let service = |name: &str, path: String, format: &'static str, action: Vec<&'static str>| ServiceOffered {
        kind: "RestService",
        id: format!("{id}#{name}"),
        endpoint: format!("{base}{path}"),
        format: vec![format],
        action,
    };
    let service_offered = vec![
        service("ToolProxy.collection", "/api/lti/tool_proxy".to_owned(), TOOL_PROXY, vec!["POST"]),
        service("vnd.Canvas.authorization", format!("/api/lti/accounts/{account}/authorize"), JSON, vec!["POST"]),
        service(WEBHOOKS, "/api/lti/subscriptions".to_owned(), JSON, METHODS.to_vec()),
    ];
    let vendor = json!({ "code": "lectern", "vendor_name": { "default_value": "Lectern", "key": "vendor.name" } });
    let product = json!({
        "guid": guid,
        "product_info": {
            "product_name": { "default_value": "Lectern", "key": "product.name" },
            "product_version": env!("CARGO_PKG_VERSION"),
            "product_family": { "code": "lectern", "vendor": vendor },
        },
    });
    ToolConsumerProfile {
        context: vec!["http://purl.imsglobal.org/ctx/lti/v2/ToolConsumerProfile"],
        kind: "ToolConsumerProfile",
        lti_version: "LTI-2p1",
        product_instance: product,
        capability_offered: [vec!["OAuth.splitSecret".to_owned()], capabilities::offered()].concat(),
        service_offered,
        guid,
        id,
    }
}
