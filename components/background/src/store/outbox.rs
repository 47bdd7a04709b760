//! The SQL of the outbox.

use shared::ids::AccountId;
use shared::pagination::{Key, Page};
use shared::{Db, Paged, Result};

use crate::model::outbox::Message;

/// The messages to the users of a tenant, or of all tenants, the newest first.
pub(crate) async fn page(db: &Db, tenant: Option<AccountId>, page: &Page) -> Result<Paged<Message>> {
    // A condition that may be none would keep SQLite from the index of the tenant's messages.
    let whose = if tenant.is_some() { "root_account_id = ?1" } else { "?1 IS NULL" };
    let sql = format!(
        "SELECT id, channel_id, type, recipient AS \"to\", notification, subject, body, state, attempts, failure,
                iif(state = 'queued', due_at, NULL) AS due_at, created_at, sent_at
         FROM messages WHERE {whose} AND state <> 'gathered'"
    );
    page.fetch_keyset(db, &sql, (tenant,), Key::descending(&["id"])).await
}
