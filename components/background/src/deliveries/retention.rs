//! The end of what is kept: deliveries that nobody asks for any more, and secrets that an older key has sealed.

use serde::Deserialize;
use serde_json::Value;
use shared::auth::encryption;
use shared::clock::DAY;
use shared::db::Json;
use shared::{Context, Db, Result, Timestamp, config, db};

use crate::store::deliveries as store;

/// The most deliveries that one tick forgets.
const AT_ONCE: i64 = 1000;

/// The tables and columns of sealed secrets, and the purposes for which they are sealed.
const SEALED: [(&str, &str, &str); 5] = [
    ("webhook_subscriptions", "sealed_secret", encryption::SIGNING_SECRET),
    ("webhook_subscriptions", "sealed_previous_secret", encryption::SIGNING_SECRET),
    ("tool_proxies", "sealed_secret", encryption::TOOL_SECRET),
    ("tool_proxies", "sealed_previous_secret", encryption::TOOL_SECRET),
    ("tool_registrations", "sealed_password", encryption::TOOL_SECRET),
];

/// Removes some of it, at each tick.
pub(crate) async fn run(cx: &Context) -> Result<()> {
    store::end_of_gone_tools(&cx.db, cx.now).await?;
    let before = cx.now.plus_seconds(-config::number::<i64>("webhook_retention_days").await?.saturating_mul(DAY));
    forget(&cx.db, before).await?;
    forget_subscriptions(&cx.db, before).await?;
    store::forget_invitations(&cx.db, cx.now).await?;
    seal_again(&cx.db).await
}

/// Forgets deliveries that ended before that, with the attempts at them, and the events of which none is left.
async fn forget(db: &Db, before: Timestamp) -> Result<()> {
    #[derive(Deserialize)]
    struct Old {
        deliveries: Json<Vec<i64>>,
        events: Json<Vec<i64>>,
    }
    let old: Old = db
        .fetch_one(
            "SELECT json_group_array(id) AS deliveries,
                    json_group_array(event_id) FILTER (WHERE event_id IS NOT NULL) AS events
             FROM (SELECT id, event_id FROM webhook_deliveries WHERE ended_at < ?1 ORDER BY ended_at LIMIT ?2)",
            (before, AT_ONCE),
        )
        .await?;
    if old.deliveries.0.is_empty() {
        return Ok(());
    }
    db.transaction(async |db| {
        let list = |ids: &Json<Vec<i64>>| Json(Value::from(ids.0.clone()));
        db.execute(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT value FROM json_each(?1)) AND status <> 'pending'",
            (list(&old.deliveries),),
        )
        .await?;
        db.execute(
            "DELETE FROM live_events WHERE id IN (SELECT value FROM json_each(?1))
               AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = live_events.id)",
            (list(&old.events),),
        )
        .await?;
        Ok(())
    })
    .await
}

/// Forgets subscriptions that ended before that, once their deliveries are forgotten.
async fn forget_subscriptions(db: &Db, before: Timestamp) -> db::Result<()> {
    const ENDED: &str = "SELECT id FROM webhook_subscriptions s WHERE status = 'deleted' AND updated_at < ?1
           AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.subscription_id = s.id)";
    if !db.affects(&format!("{ENDED} LIMIT 1"), (before,)).await? {
        return Ok(());
    }
    let sql = format!("DELETE FROM webhook_subscriptions WHERE id IN ({ENDED} ORDER BY updated_at LIMIT ?2)");
    db.execute(&sql, (before, AT_ONCE)).await
}

/// Seals with the current key what the one before it has sealed, so that it can be taken away.
async fn seal_again(db: &Db) -> Result<()> {
    #[derive(Deserialize)]
    struct Sealed {
        id: i64,
        sealed: String,
    }
    for (table, column, purpose) in SEALED {
        let Some(previous) = encryption::previous_prefix(purpose).await? else { continue };
        // A text that begins with the prefix stands between it and `~`, which comes after all that a sealed text is
        // made of.
        let sql =
            format!("SELECT id, {column} AS sealed FROM {table} WHERE {column} BETWEEN ?1 AND ?1 || '~' LIMIT ?2");
        let rows: Vec<Sealed> = db.fetch_all(&sql, (previous, AT_ONCE)).await?;
        for Sealed { id, sealed } in rows {
            let again = encryption::seal(purpose, encryption::open(purpose, &sealed).await?.expose()).await?;
            let sql = format!("UPDATE {table} SET {column} = ?2 WHERE id = ?1 AND {column} = ?3");
            db.execute(&sql, (id, again, sealed)).await?;
        }
    }
    Ok(())
}
