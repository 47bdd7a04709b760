//! The link to the page of deliveries.

use serde::Serialize;
use shared::needs::{NeededAccount, may};
use shared::signed_pages::{Administrator, DELIVERIES as PAGES, DELIVERIES_PATH as PATH};
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints};

endpoints![create_deliveries_link];

#[derive(Serialize, JsonSchema)]
struct Address {
    /// Good for two hours.
    url: String,
}

/// Makes a link to the page on which deliveries are seen and sent again.
#[endpoint(POST "/api/v1/webhook_deliveries/live_link", foreigners(200, "leads to the caller's own"))]
async fn create_deliveries_link(cx: Context, tenant: NeededAccount<may::Administer>) -> Result<Reply<Address>> {
    let holder = Administrator { tenant: tenant.root_account, user: cx.caller()?.user };
    let (url, _ends) = PAGES.link(&cx, (PATH, ""), &holder).await?;
    Ok(Reply::ok(Address { url }))
}
