//! The link to the page of deliveries.

use serde::Serialize;
use shared::{Context, JsonSchema, Reply, Result, endpoint, endpoints, signed_links};

use crate::routes::deliveries::{PATH, PURPOSE};
use crate::routes::webhook_deliveries;

endpoints![create_deliveries_link];

/// How long a link is good.
const GOOD_FOR: i64 = 2 * 3600;

#[derive(Serialize, JsonSchema)]
struct Address {
    /// Good for two hours.
    url: String,
}

/// Makes a link to the page on which deliveries are seen and sent again.
#[endpoint(POST "/api/v1/webhook_deliveries/live_link", foreigners(200, "leads to the caller's own"))]
async fn create_deliveries_link(cx: Context) -> Result<Reply<Address>> {
    let tenant = webhook_deliveries::administered(&cx).await?.root_account;
    let base = cx.lasting_base_url().await?;
    let subject = format!("{tenant}.{}", cx.caller()?.user);
    let ticket = signed_links::issue(PURPOSE, &subject, cx.now.plus_seconds(GOOD_FOR)).await?;
    Ok(Reply::ok(Address { url: format!("{base}{PATH}?ticket={ticket}") }))
}
