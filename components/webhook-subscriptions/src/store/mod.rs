//! The SQL of the area.

pub(crate) mod contexts;
pub(crate) mod deliveries;
pub(crate) mod needs;
pub(crate) mod subscriptions;
pub(crate) mod tool_proxies;
pub(crate) mod tool_registrations;

use shared::db::{self, Binds};
use shared::{Db, Timestamp};

/// Notes with `note` that something is used which counts once, after `forget` has taken out those that have ended by `now`;
/// false where it was used before.
async fn use_once(db: &Db, forget: &str, note: &str, used: impl Binds, now: Timestamp) -> db::Result<bool> {
    db.transaction(async |db| {
        db.execute(forget, (now,)).await?;
        db.affects(note, used).await
    })
    .await
}
