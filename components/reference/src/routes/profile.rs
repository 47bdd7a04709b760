//! The signpost at the address to which messages about tokens lead.

use shared::texts::record;
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::signposts::Signpost;

endpoints![get_profile_signpost];

/// Says where the API has the caller's tokens: a page for browsers, without any data. To other clients nothing is
/// there.
#[endpoint(
    GET "/profile/settings",
    public,
    nobody(404, "a page for browsers alone"),
    sends(&["text/html"]),
    answers(404, "The client would not rather have a page."),
)]
async fn get_profile_signpost(cx: Context) -> Result<Reply> {
    let path = "/users/self/tokens".to_owned();
    Signpost { what: record::YOUR_TOKENS, is_list: false, path, operation: "docs/oauth#list_personal_tokens" }.show(&cx)
}
