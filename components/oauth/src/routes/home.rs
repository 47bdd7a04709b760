//! The home of who is signed in on our pages: what they may open.

mod markup;

use shared::prefetch::Prefetched;
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::model::home::Home;

endpoints![get_home_page];

/// Shows who is signed in what they may open: a page.
#[endpoint(GET "/home", signed_in, page)]
async fn get_home_page(cx: Context, home: Prefetched<Home>) -> Result<Reply> {
    let home = home.record()?;
    Ok(markup::home(&cx, &home))
}
