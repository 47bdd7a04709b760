//! Signposts at the addresses of groups.

use serde::Deserialize;
use shared::texts::record;
use shared::{Context, JsonSchema, Path, Reply, Result, endpoint, endpoints};

use crate::signposts::Signpost;

endpoints![get_group_signpost];

#[derive(Deserialize, JsonSchema)]
struct GroupPath {
    id: String,
}

/// Says where the API has a group: a page for browsers, without any data. To other clients nothing is there.
#[endpoint(GET "/groups/:id", public, nobody(404, "a page for browsers alone"), sends(&["text/html"]))]
async fn get_group_signpost(cx: Context, Path(at): Path<GroupPath>) -> Result<Reply> {
    let path = format!("/groups/{}", at.id);
    Signpost { what: record::GROUP, is_list: false, path, operation: "docs/directory-groups#get_group" }.show(&cx)
}
