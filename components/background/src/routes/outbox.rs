//! The outbox: what was and is to be sent to the users of a tenant, for its administrators.

use shared::needs::{NeededAccount, may};
use shared::{Context, Reply, Result, endpoint, endpoints};

use crate::model::outbox::Message;
use crate::store::outbox as store;

endpoints![list_outbox_messages];

/// Lists the messages to the users of the caller's tenant, the newest first.
#[endpoint(GET "/api/v1/outbox", foreigners(200, "lists the caller's own"))]
async fn list_outbox_messages(cx: Context, _: NeededAccount<may::Administer>) -> Result<Reply<Vec<Message>>> {
    Ok(Reply::page(store::page(&cx.db, cx.caller()?.tenant(), &cx.page().await?).await?))
}
