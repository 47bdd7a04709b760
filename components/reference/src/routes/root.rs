//! The front page.

use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::pages::{FRONT_PAGE, page};

endpoints![get_front_page];

/// Shows where the API is described.
#[endpoint(
    GET "/",
    public,
    nobody(200, "the front page"),
)]
async fn get_front_page(cx: Context) -> Result<Reply> {
    Ok(page(&cx, FRONT_PAGE.as_str()))
}
