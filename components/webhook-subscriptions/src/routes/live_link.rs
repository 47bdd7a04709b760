//! The links to the pages of deliveries: the operator's, and a tool's.

use serde::Serialize;
use serde_json::Value;
use shared::needs::{NeededAccount, may};
use shared::signed_pages::{Administrator, DELIVERIES, DELIVERIES_PATH};
use shared::{Context, Form, JsonSchema, Reply, Result, endpoint, endpoints};

use crate::access::{self, TOOL_PAGES, TOOL_PAGES_PATH};

endpoints![create_deliveries_link, create_tool_deliveries_link];

#[derive(Serialize, JsonSchema)]
struct Address {
    /// Good for two hours.
    url: String,
}

/// Makes a link to the page on which deliveries are seen and sent again.
#[endpoint(POST "/api/v1/webhook_deliveries/live_link", foreigners(200, "leads to the caller's own"))]
async fn create_deliveries_link(cx: Context, tenant: NeededAccount<may::Administer>) -> Result<Reply<Address>> {
    let holder = Administrator { tenant: tenant.root_account, user: cx.caller()?.user };
    let (url, _ends) = DELIVERIES.link(&cx, (DELIVERIES_PATH, ""), &holder).await?;
    Ok(Reply::ok(Address { url }))
}

/// Makes a link to the page on which a tool's developer sees its deliveries and has them sent again.
///
/// It ends with the tool, and when the tool's secret is revoked.
#[endpoint(
    POST "/api/lti/deliveries/live_link",
    public,
    nobody(401, "tools have tokens of their own"),
    takes(access::TOOL_TOKEN),
)]
async fn create_tool_deliveries_link(cx: Context, body: Form<Value>) -> Result<Reply<Address>> {
    let (subject, _) = access::caller(&cx, body.into_params()).await?;
    let (url, _ends) = TOOL_PAGES.link(&cx, (TOOL_PAGES_PATH, ""), &subject).await?;
    Ok(Reply::ok(Address { url }))
}
