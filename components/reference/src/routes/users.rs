//! Signposts at the addresses of users.

use serde::Deserialize;
use shared::texts::record;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::signposts::Signpost;

endpoints![get_user_signpost, get_account_user_signpost];

#[derive(Deserialize, JsonSchema)]
struct UserPath {
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct AccountUserPath {
    #[expect(dead_code, reason = "the API finds a user without the account")]
    account_id: String,
    id: String,
}

fn signpost(cx: &Context, id: &str) -> Result<Reply> {
    Signpost {
        what: record::USER,
        is_list: false,
        path: format!("/users/{id}"),
        operation: "docs/directory-users#get_user",
    }
    .show(cx)
}

/// Says where the API has a user: a page for browsers, without any data. To other clients nothing is there.
#[endpoint(GET "/users/:id", public, nobody(404, "a page for browsers alone"), sends(&["text/html"]))]
async fn get_user_signpost(cx: Context, Path(at): Path<UserPath>) -> Result<Reply> {
    signpost(&cx, &at.id)
}

/// Says where the API has a user of an account: a page for browsers, without any data. To other clients nothing is
/// there.
#[endpoint(
    GET "/accounts/:account_id/users/:id",
    public,
    nobody(404, "a page for browsers alone"),
    sends(&["text/html"]),
)]
async fn get_account_user_signpost(cx: Context, Path(at): Path<AccountUserPath>) -> Result<Reply> {
    signpost(&cx, &at.id)
}
