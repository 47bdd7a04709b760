//! Signposts at the addresses of accounts.

use serde::Deserialize;
use shared::texts::record;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::signposts::Signpost;

endpoints![get_account_signpost];

#[derive(Deserialize, JsonSchema)]
struct AccountPath {
    id: String,
}

/// Says where the API has an account: a page for browsers, without any data. To other clients nothing is there.
#[endpoint(GET "/accounts/:id", public, nobody(404, "a page for browsers alone"), sends(&["text/html"]))]
async fn get_account_signpost(cx: Context, Path(at): Path<AccountPath>) -> Result<Reply> {
    let path = format!("/accounts/{}", at.id);
    Signpost { what: record::ACCOUNT, is_list: false, path, operation: "docs/directory-accounts#get_account" }.show(&cx)
}
