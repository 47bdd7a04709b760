//! The statements behind the figures: one for what is counted, and one for the bytes of the database, which not every server
//! tells.

use std::collections::BTreeMap;

use database::{Db, Json};
use serde::Deserialize;
use types::clock::{DAY, Timestamp};
use web::LimitKind;

use super::{Blobs, DatabaseSize, Jobs, ModelCalls, ModelFailure, Queue, Readiness, Status, Tick};

/// Everything that is counted, at the moment `?1`; `?2` is a day before.
///
/// Each part goes through an index that has only what is to be done, or was given up: none is as long as its table, but for
/// the one row of `blob_totals` and of `ticks`. A delivery that is kept for a disabled subscription is dead, too, and nobody's
/// failure.
pub(super) const FIGURES: &str = "
SELECT
    (SELECT ended_at FROM ticks WHERE id = 1) AS last_tick,
    (SELECT failed_areas FROM ticks WHERE id = 1) AS failed_areas,
    (SELECT json_object(
         'waiting', count(*),
         'due', count(*) FILTER (WHERE next_at <= ?1),
         'oldest_at', min(next_at) FILTER (WHERE next_at <= ?1))
     FROM webhook_deliveries INDEXED BY webhook_deliveries_due WHERE status = 'pending') AS deliveries,
    (SELECT json_object(
         'running', count(*) FILTER (WHERE next_at > ?1),
         'lapsed_at', min(next_at) FILTER (WHERE next_at <= ?1))
     FROM webhook_deliveries INDEXED BY webhook_deliveries_leased WHERE lease IS NOT NULL) AS leased_deliveries,
    (SELECT count(*) FROM webhook_deliveries INDEXED BY webhook_deliveries_dead WHERE status = 'dead')
    - (SELECT count(*) FROM webhook_deliveries INDEXED BY webhook_deliveries_kept_for_tool
       WHERE kept_for_tool_id IS NOT NULL) AS dead_deliveries,
    (SELECT json_object(
         'waiting', count(*),
         'due', count(*) FILTER (WHERE due_at <= ?1),
         'oldest_at', min(due_at) FILTER (WHERE due_at <= ?1))
     FROM messages INDEXED BY messages_due WHERE state = 'queued') AS messages,
    (SELECT json_object(
         'running', count(*) FILTER (WHERE due_at > ?1),
         'lapsed_at', min(due_at) FILTER (WHERE due_at <= ?1))
     FROM messages INDEXED BY messages_leased WHERE lease IS NOT NULL) AS leased_messages,
    (SELECT count(*) FROM messages INDEXED BY messages_dead WHERE state = 'dead') AS dead_messages,
    (SELECT json_object(
         'all', count(*),
         'running', count(*) FILTER (WHERE leased_until > ?1),
         'oldest_at', min(created_at),
         'lapsed_at', min(leased_until) FILTER (WHERE leased_until <= ?1))
     FROM sis_imports INDEXED BY sis_imports_to_do WHERE workflow_state IN ('created', 'importing')) AS sis_imports,
    (SELECT count(*) FROM sis_imports
     WHERE workflow_state IN ('failed', 'failed_with_messages') AND ended_at > ?2) AS failed_sis_imports,
    (SELECT json_object(
         'all', count(*) FILTER (WHERE workflow_state <> 'pre_processing'),
         'running', count(*) FILTER (WHERE leased_until > ?1),
         'oldest_at', min(started_at) FILTER (WHERE workflow_state <> 'pre_processing'),
         'lapsed_at', min(leased_until) FILTER (WHERE leased_until <= ?1))
     FROM content_migrations INDEXED BY content_migrations_to_do
     WHERE workflow_state IN ('pre_processing', 'pre_processed', 'running')) AS content_imports,
    (SELECT count(*) FROM content_migrations
     WHERE workflow_state = 'failed' AND finished_at > ?2) AS failed_content_imports,
    (SELECT json_object(
         'all', count(*),
         'running', count(*) FILTER (WHERE leased_until > ?1),
         'oldest_at', min(created_at),
         'lapsed_at', min(leased_until) FILTER (WHERE leased_until <= ?1))
     FROM content_exports INDEXED BY content_exports_to_do
     WHERE workflow_state IN ('created', 'exporting')) AS content_exports,
    (SELECT count(*) FROM content_exports
     WHERE workflow_state = 'failed' AND created_at > ?2) AS failed_content_exports,
    (SELECT total FROM event_totals WHERE figure = 'model_calls' AND kind = '') AS model_calls,
    (SELECT json_group_object(kind, total) FROM event_totals WHERE figure = 'model_failures') AS model_failures,
    (SELECT json_group_object(kind, total) FROM event_totals WHERE figure = 'limits_hit') AS limits_hit,
    (SELECT blobs FROM blob_totals WHERE id = 1) AS blobs,
    (SELECT bytes FROM blob_totals WHERE id = 1) AS blob_bytes";

/// The row of [`FIGURES`].
#[derive(Deserialize)]
pub(super) struct Figures {
    last_tick: Option<Timestamp>,
    failed_areas: i64,
    deliveries: Json<Waiting>,
    leased_deliveries: Json<Leased>,
    dead_deliveries: i64,
    messages: Json<Waiting>,
    leased_messages: Json<Leased>,
    dead_messages: i64,
    sis_imports: Json<Unfinished>,
    failed_sis_imports: i64,
    content_imports: Json<Unfinished>,
    failed_content_imports: i64,
    content_exports: Json<Unfinished>,
    failed_content_exports: i64,
    model_calls: Option<i64>,
    model_failures: Json<Totals>,
    limits_hit: Json<Totals>,
    blobs: i64,
    blob_bytes: i64,
}

/// What has happened since it is counted, by kind.
type Totals = BTreeMap<String, i64>;

/// What is to be sent.
#[derive(Deserialize)]
struct Waiting {
    waiting: i64,
    due: i64,
    oldest_at: Option<Timestamp>,
}

/// What is under way, and when the oldest lease ended that nobody has given back.
#[derive(Deserialize)]
struct Leased {
    running: i64,
    lapsed_at: Option<Timestamp>,
}

/// Jobs that have not ended.
#[derive(Deserialize)]
struct Unfinished {
    all: i64,
    running: i64,
    oldest_at: Option<Timestamp>,
    lapsed_at: Option<Timestamp>,
}

pub(super) async fn read(db: &Db, now: Timestamp) -> database::Result<Figures> {
    db.fetch_one(FIGURES, (now, now.plus_seconds(-DAY))).await
}

/// The bytes of the database.
#[derive(Default, Deserialize)]
pub(super) struct Size {
    pub(super) bytes: Option<i64>,
    pub(super) free_bytes: Option<i64>,
}

/// The size of the database, which is not known where the server takes no such statement.
pub(super) async fn database_size(db: &Db) -> database::Result<Size> {
    const SIZE: &str = "SELECT page_count * page_size AS bytes, freelist_count * page_size AS free_bytes
        FROM pragma_page_count, pragma_page_size, pragma_freelist_count";
    match db.fetch_one(SIZE, ()).await {
        Err(database::Error::Unsupported | database::Error::Other(_)) => Ok(Size::default()),
        size => size,
    }
}

impl Figures {
    /// The state of the installation, with what is known beside the figures.
    pub(super) fn into_status(
        self,
        now: Timestamp,
        ready: Readiness,
        database: DatabaseSize,
        limit: Option<i64>,
    ) -> Status {
        let age = |since: Option<Timestamp>| since.map_or(0, |since| seconds_from(since, now));
        let queue = |Json(waiting): Json<Waiting>, Json(leased): Json<Leased>, dead: i64| Queue {
            waiting: waiting.waiting,
            due: waiting.due,
            oldest_due_seconds: age(waiting.oldest_at),
            running: leased.running,
            lapsed_lease_seconds: age(leased.lapsed_at),
            dead,
        };
        let jobs = |Json(unfinished): Json<Unfinished>, failed_in_last_day: i64| Jobs {
            waiting: unfinished.all.saturating_sub(unfinished.running),
            running: unfinished.running,
            oldest_seconds: age(unfinished.oldest_at),
            lapsed_lease_seconds: age(unfinished.lapsed_at),
            failed_in_last_day,
        };
        Status {
            at: now,
            ready,
            tick: Tick {
                last_at: self.last_tick,
                age_seconds: self.last_tick.map(|ended| seconds_from(ended, now)),
                failed_areas: self.failed_areas,
            },
            webhook_deliveries: queue(self.deliveries, self.leased_deliveries, self.dead_deliveries),
            messages: queue(self.messages, self.leased_messages, self.dead_messages),
            sis_imports: jobs(self.sis_imports, self.failed_sis_imports),
            content_imports: jobs(self.content_imports, self.failed_content_imports),
            content_exports: jobs(self.content_exports, self.failed_content_exports),
            model: ModelCalls {
                calls: self.model_calls.unwrap_or_default(),
                failures: with_nothing(ModelFailure::ALL.iter().map(|kind| kind.name()), self.model_failures),
            },
            limits_hit: with_nothing(LimitKind::ALL.iter().map(|limit| limit.name()), self.limits_hit),
            database,
            blobs: Blobs { number: self.blobs, bytes: self.blob_bytes, limit_bytes: limit },
        }
    }
}

/// The totals, with a nought for each kind of which there was none: so its first one is seen as a change. Kinds that a later
/// release counts beside this one are told, too.
fn with_nothing<'a>(kinds: impl Iterator<Item = &'a str>, Json(counted): Json<Totals>) -> Totals {
    let mut totals: Totals = kinds.map(|kind| (kind.to_owned(), 0)).collect();
    totals.extend(counted);
    totals
}

/// The seconds between two moments; 0 where the clock of whoever wrote the first is ahead.
fn seconds_from(then: Timestamp, now: Timestamp) -> i64 {
    now.unix().saturating_sub(then.unix()).max(0)
}

#[cfg(test)]
mod tests {
    use rusqlite::types::ValueRef;
    use rusqlite::{Connection, Params};
    use serde_json::{Map, Value};

    use super::*;

    const NOW: &str = "2026-03-04T12:00:00Z";

    /// An empty database with all tables.
    fn database() -> Connection {
        let database = Connection::open_in_memory().unwrap();
        for sql in [include_str!("../../../database/schema.sql"), include_str!("../../../database/first_rows.sql")] {
            database.execute_batch(sql).unwrap();
        }
        // The rows of the tests need no school around them.
        database.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
        database
    }

    fn status(database: &Connection) -> Status {
        let now = Timestamp::parse(NOW).unwrap();
        let mut statement = database.prepare(FIGURES).unwrap();
        let columns: Vec<_> = statement.column_names().map(str::to_owned).collect();
        let row: Map<String, Value> = statement
            .query_row((NOW, now.plus_seconds(-DAY).to_string()), |row| {
                let value = |index: usize| match row.get_ref(index).unwrap() {
                    ValueRef::Integer(number) => number.into(),
                    ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
                    _ => Value::Null,
                };
                Ok(columns.iter().enumerate().map(|(index, name)| (name.clone(), value(index))).collect())
            })
            .unwrap();
        let figures: Figures = serde_json::from_value(row.into()).unwrap();
        let ready = Readiness { database: true, schema: true, blobs: false };
        let size = DatabaseSize { schema_version: 37, bytes: Some(4096), free_bytes: None };
        figures.into_status(now, ready, size, None)
    }

    fn insert(database: &Connection, sql: &str, values: impl Params) {
        database.execute(sql, values).unwrap();
    }

    fn delivery(database: &Connection, status: &str, next_at: &str, lease: Option<&str>, kept_for: Option<i64>) {
        let sql = "INSERT INTO webhook_deliveries
                (root_account_id, subscription_id, status, next_at, lease, kept_for_tool_id, created_at)
            VALUES (1, 1, ?1, ?2, ?3, ?4, '2026-03-04T00:00:00Z')";
        insert(database, sql, (status, next_at, lease, kept_for));
    }

    fn message(database: &Connection, state: &str, due_at: &str, lease: Option<&str>) {
        let sql = "INSERT INTO messages
                (root_account_id, channel_id, type, recipient, notification, subject, body, state, due_at, lease, created_at)
            VALUES (1, 1, 'email', 'a@b.test', 'n', 's', 'b', ?1, ?2, ?3, '2026-03-04T00:00:00Z')";
        insert(database, sql, (state, due_at, lease));
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let status = serde_json::to_value(status(&database())).unwrap();
        let queue = serde_json::json!({
            "waiting": 0, "due": 0, "oldest_due_seconds": 0, "running": 0, "lapsed_lease_seconds": 0, "dead": 0,
        });
        let jobs = serde_json::json!({
            "waiting": 0, "running": 0, "oldest_seconds": 0, "lapsed_lease_seconds": 0, "failed_in_last_day": 0,
        });
        let expected = serde_json::json!({
            "at": NOW,
            "ready": { "database": true, "schema": true, "blobs": false },
            "tick": { "last_at": null, "age_seconds": null, "failed_areas": 0 },
            "webhook_deliveries": queue, "messages": queue,
            "sis_imports": jobs, "content_imports": jobs, "content_exports": jobs,
            "model": {
                "calls": 0,
                "failures": { "timeout": 0, "unavailable": 0, "refused": 0, "malformed": 0, "rate_limited": 0 },
            },
            "limits_hit": LimitKind::ALL.iter().map(|limit| (limit.name(), 0)).collect::<BTreeMap<_, _>>(),
            "database": { "schema_version": 37, "bytes": 4096, "free_bytes": null },
            "blobs": { "number": 0, "bytes": 0, "limit_bytes": null },
        });
        assert_eq!(status, expected);
    }

    #[test]
    fn what_is_due_differs_from_what_waits_what_is_leased_and_what_is_dead() {
        let database = database();
        delivery(&database, "pending", "2026-03-04T11:50:00Z", None, None);
        delivery(&database, "pending", "2026-03-04T12:30:00Z", None, None);
        delivery(&database, "pending", "2026-03-04T12:00:30Z", Some("ours"), None);
        delivery(&database, "pending", "2026-03-04T11:59:00Z", Some("of somebody who died"), None);
        delivery(&database, "delivered", "2026-03-04T10:00:00Z", None, None);
        delivery(&database, "dead", "2026-03-04T10:00:00Z", None, None);
        delivery(&database, "dead", "2026-03-04T10:00:00Z", None, Some(1));
        let Queue { waiting, due, oldest_due_seconds, running, lapsed_lease_seconds, dead } =
            status(&database).webhook_deliveries;
        assert_eq!((waiting, due, oldest_due_seconds), (4, 2, 600));
        assert_eq!((running, lapsed_lease_seconds, dead), (1, 60, 1));

        message(&database, "queued", "2026-03-04T11:59:50Z", None);
        message(&database, "queued", "2026-03-04T12:01:00Z", Some("ours"));
        message(&database, "gathered", "2026-03-04T18:00:00Z", None);
        message(&database, "sent", "2026-03-04T10:00:00Z", None);
        message(&database, "dead", "2026-03-04T10:00:00Z", None);
        let Queue { waiting, due, oldest_due_seconds, running, lapsed_lease_seconds, dead } =
            status(&database).messages;
        assert_eq!((waiting, due, oldest_due_seconds), (2, 1, 10));
        assert_eq!((running, lapsed_lease_seconds, dead), (1, 0, 1));
    }

    #[test]
    fn jobs_wait_run_fail_and_are_left_behind() {
        let database = database();
        let import = |state: &str, leased_until: Option<&str>, ended_at: Option<&str>| {
            let sql = "INSERT INTO sis_imports
                    (root_account_id, user_id, workflow_state, lease, leased_until, created_at, updated_at, ended_at)
                VALUES (1, 1, ?1, iif(?2 IS NULL, NULL, 'x'), ?2, '2026-03-04T11:00:00Z', '2026-03-04T11:00:00Z', ?3)";
            insert(&database, sql, (state, leased_until, ended_at));
        };
        import("created", None, None);
        import("importing", Some("2026-03-04T12:00:10Z"), None);
        import("importing", Some("2026-03-04T11:58:20Z"), None);
        import("failed", None, Some("2026-03-04T03:00:00Z"));
        import("failed_with_messages", None, Some("2026-03-03T13:00:00Z"));
        import("failed", None, Some("2026-03-03T11:00:00Z"));
        import("imported", None, Some("2026-03-04T03:00:00Z"));
        let Jobs { waiting, running, oldest_seconds, lapsed_lease_seconds, failed_in_last_day } =
            status(&database).sis_imports;
        assert_eq!((waiting, running, oldest_seconds), (2, 1, 3600));
        assert_eq!((lapsed_lease_seconds, failed_in_last_day), (100, 2));

        let package = |state: &str, finished_at: Option<&str>| {
            let sql = "INSERT INTO content_migrations
                    (course_id, user_id, migration_type, workflow_state, started_at, finished_at)
                VALUES (1, 1, 'common_cartridge_importer', ?1, '2026-03-04T11:59:00Z', ?2)";
            insert(&database, sql, (state, finished_at));
        };
        // For the first nobody can do anything: its bytes have not come.
        package("pre_processing", None);
        package("pre_processed", None);
        package("failed", Some("2026-03-04T11:00:00Z"));
        let imports = status(&database).content_imports;
        assert_eq!((imports.waiting, imports.running, imports.oldest_seconds), (1, 0, 60));
        assert_eq!(imports.failed_in_last_day, 1);

        let sql = "INSERT INTO content_exports
                (root_account_id, context_type, context_id, user_id, export_type, progress_id, workflow_state,
                 created_at, expires_at)
            VALUES (1, 'Course', 1, 1, 'qti', 1, ?1, '2026-03-04T11:59:30Z', '2026-04-04T00:00:00Z')";
        insert(&database, sql, ("created",));
        insert(&database, sql, ("failed",));
        let exports = status(&database).content_exports;
        assert_eq!((exports.waiting, exports.oldest_seconds, exports.failed_in_last_day), (1, 30, 1));
    }

    #[test]
    fn blobs_are_counted_as_they_come_and_go() {
        let database = database();
        let blob = "INSERT INTO blobs (name, size, touched_at) VALUES (?1, ?2, '2026-03-04T00:00:00Z')";
        insert(&database, blob, ("a", 100));
        insert(&database, blob, ("b", 11));
        insert(&database, "DELETE FROM blobs WHERE name = 'a'", ());
        let blobs = status(&database).blobs;
        assert_eq!((blobs.number, blobs.bytes), (1, 11));
    }

    #[test]
    fn calls_of_the_model_and_hits_of_limits_are_added_up() {
        let database = database();
        let begin = "INSERT INTO ai_usage (root_account_id, month, tokens, calls) VALUES (?1, '2026-03', 0, 1)
            ON CONFLICT DO UPDATE SET calls = calls + 1";
        let fail = "UPDATE ai_usage SET failed_calls = failed_calls + 1, last_failure = ?2 WHERE root_account_id = ?1";
        for tenant in [1, 1, 2, 1] {
            insert(&database, begin, (tenant,));
        }
        for (tenant, failure) in [(1, "timeout"), (2, "timeout"), (1, "malformed")] {
            insert(&database, fail, (tenant, failure));
        }
        // What changes nothing of them does not count.
        insert(&database, "UPDATE ai_usage SET tokens = 7, failed_calls = failed_calls, last_failure = 'x'", ());
        insert(&database, "INSERT INTO event_totals VALUES ('limits_hit', 'log_ins', 12)", ());
        insert(&database, "INSERT INTO event_totals VALUES ('limits_hit', 'of_tomorrow', 1)", ());
        let status = status(&database);
        let ModelCalls { calls, failures } = &status.model;
        assert_eq!((*calls, failures["timeout"], failures["malformed"], failures["refused"]), (4, 2, 1, 0));
        let limits = &status.limits_hit;
        assert_eq!((limits["log_ins"], limits["uploads"], limits["of_tomorrow"]), (12, 0, 1));
        let text = status.to_prometheus();
        for line in [
            "# TYPE lectern_model_calls_total counter",
            "lectern_model_calls_total 4",
            "# TYPE lectern_model_failures_total counter",
            "lectern_model_failures_total{kind=\"timeout\"} 2",
            "# TYPE lectern_limits_hit_total counter",
            "lectern_limits_hit_total{limit=\"log_ins\"} 12",
            "lectern_limits_hit_total{limit=\"uploads\"} 0",
        ] {
            assert!(text.contains(&format!("\n{line}\n")), "{line}: {text}");
        }
    }

    #[test]
    fn conversations_are_counted_in_the_month_in_which_they_begin() {
        let database = database();
        insert(
            &database,
            "INSERT INTO ai_experiences
                 (root_account_id, course_id, title, learning_objectives, pedagogical_guidance, created_at, updated_at)
             VALUES (7, 1, 't', '[]', 'g', ?1, ?1)",
            (NOW,),
        );
        for (uuid, created_at) in [("a", NOW), ("b", NOW), ("c", "2026-04-01T00:00:00Z")] {
            let sql = "INSERT INTO ai_conversations
                    (ai_experience_id, user_id, uuid, workflow_state, created_at, updated_at)
                VALUES (1, 1, ?1, 'ended', ?2, ?2)";
            insert(&database, sql, (uuid, created_at));
        }
        let mut usage = database.prepare("SELECT root_account_id, month, conversations FROM ai_usage").unwrap();
        let usage = usage.query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        let usage: Vec<(i64, String, i64)> = usage.map(Result::unwrap).collect();
        assert_eq!(usage, [(7, "2026-03".to_owned(), 2), (7, "2026-04".to_owned(), 1)]);
    }

    #[test]
    fn the_time_since_the_last_tick_is_told_in_both_forms() {
        let database = database();
        insert(&database, "UPDATE ticks SET ended_at = '2026-03-04T11:59:53Z', failed_areas = 2", ());
        let status = status(&database);
        assert_eq!(status.tick.age_seconds, Some(7));
        let text = status.to_prometheus();
        let ended = status.tick.last_at.unwrap().unix();
        assert!(text.contains(&format!("\nlectern_last_tick_timestamp_seconds {ended}\n")), "{text}");
        assert!(text.contains("\nlectern_last_tick_failed_areas 2\n"), "{text}");
    }

    #[test]
    fn the_text_is_that_of_prometheus() {
        let text = status(&database()).to_prometheus();
        assert!(text.starts_with(
            "# HELP lectern_ready 1 where the service has this part of what it needs.\n# TYPE lectern_ready gauge\n\
             lectern_ready{part=\"database\"} 1\nlectern_ready{part=\"schema\"} 1\nlectern_ready{part=\"blobs\"} 0\n"
        ));
        assert!(text.contains("\nlectern_queue_dead{queue=\"webhook_deliveries\"} 0\n"), "{text}");
        assert!(text.contains("\nlectern_jobs_waiting{kind=\"sis_imports\"} 0\n"), "{text}");
        assert!(text.contains("\nlectern_database_bytes 4096\n") && text.ends_with('\n'), "{text}");
        // What is not known is not there, in place of a number that is wrong.
        assert!(!text.contains("lectern_blob_limit_bytes") && !text.contains("lectern_database_free_bytes"), "{text}");
    }

    #[test]
    fn no_figure_goes_through_a_table_that_grows() {
        let database = database();
        let mut plan = database.prepare(&format!("EXPLAIN QUERY PLAN {FIGURES}")).unwrap();
        let lines = plan.query_map((NOW, NOW), |row| row.get::<_, String>("detail")).unwrap();
        let scans: Vec<_> = lines.map(Result::unwrap).filter(|line| line.starts_with("SCAN ")).collect();
        let indexes = scans.iter().filter_map(|line| line.split_once(" INDEX ")).map(|(_, index)| index);
        let mut indexes: Vec<_> = indexes.collect();
        assert_eq!(indexes.len(), scans.iter().filter(|line| *line != "SCAN CONSTANT ROW").count(), "{scans:#?}");
        indexes.sort_unstable();
        assert_eq!(
            indexes,
            [
                "content_exports_to_do",
                "content_migrations_to_do",
                "messages_dead",
                "messages_due",
                "sis_imports_to_do",
                "webhook_deliveries_dead",
                "webhook_deliveries_due",
            ]
        );
    }
}
