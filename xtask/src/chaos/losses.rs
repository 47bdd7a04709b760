//! The search for losses, once everything runs again and nothing is due: what was acknowledged against what is there, and
//! what is there against what must follow from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, OpenFlags};

use super::ledger::{Kind, Tally};

/// Rules that hold in the database whatever happens, and statements that list what breaks them.
const RULES: [(&str, &str); 14] = [
    (
        "courses without the event of their creation, or with two",
        "SELECT name FROM courses c WHERE name LIKE 'made-%' AND
             (SELECT count(*) FROM course_events e WHERE e.course_id = c.id AND e.event_type = 'created') <> 1",
    ),
    (
        "events of courses that are not there",
        "SELECT id FROM course_events e WHERE NOT EXISTS (SELECT 1 FROM courses c WHERE c.id = e.course_id)",
    ),
    (
        "groups of a quiz that share a place, or leave one out",
        "SELECT quiz_id FROM quiz_groups GROUP BY quiz_id
         HAVING count(DISTINCT position) <> count(*) OR max(position) <> count(*)",
    ),
    (
        "results of polls that are not the sum of the votes",
        "SELECT v.poll_session_id FROM
             (SELECT poll_session_id, poll_choice_id, count(*) AS votes FROM poll_submissions GROUP BY 1, 2) v
         LEFT JOIN poll_results r USING (poll_session_id, poll_choice_id) WHERE r.submissions IS NOT v.votes
         UNION ALL
         SELECT poll_session_id FROM poll_results r WHERE submissions <> (SELECT count(*) FROM poll_submissions v
             WHERE v.poll_session_id = r.poll_session_id AND v.poll_choice_id = r.poll_choice_id)",
    ),
    (
        "submissions without their event, or with two",
        "SELECT s.user_id || '/' || v.attempt FROM submission_versions v JOIN submissions s ON s.id = v.submission_id
         LEFT JOIN (SELECT data ->> '$.SUBMISSION_CREATED.user_id' AS user_id, data ->> '$.SUBMISSION_CREATED.attempt' AS attempt,
                           count(*) AS events FROM live_events WHERE event_type = 'SUBMISSION_CREATED' GROUP BY 1, 2) e
             ON CAST(e.user_id AS INTEGER) = s.user_id AND CAST(e.attempt AS INTEGER) = v.attempt
         WHERE e.events IS NOT 1",
    ),
    (
        "events of submissions that are not there",
        "SELECT e.uuid FROM live_events e WHERE event_type = 'SUBMISSION_CREATED' AND NOT EXISTS (
             SELECT 1 FROM submission_versions v JOIN submissions s ON s.id = v.submission_id
             WHERE s.user_id = CAST(e.data ->> '$.SUBMISSION_CREATED.user_id' AS INTEGER)
               AND v.attempt = CAST(e.data ->> '$.SUBMISSION_CREATED.attempt' AS INTEGER))",
    ),
    (
        "events without a delivery to each subscription",
        "SELECT uuid FROM live_events e WHERE event_type = 'SUBMISSION_CREATED' AND
             (SELECT count(*) FROM webhook_deliveries d WHERE d.event_id = e.id)
             <> (SELECT count(*) FROM webhook_subscriptions)",
    ),
    ("deliveries that wait still", "SELECT message_id FROM webhook_deliveries WHERE status = 'pending'"),
    ("deliveries that were given up", "SELECT message_id FROM webhook_deliveries WHERE status = 'dead'"),
    (
        "new addresses to which no message went",
        "SELECT address FROM communication_channels c WHERE address LIKE '%@chaos.test' AND NOT EXISTS (
             SELECT 1 FROM messages m WHERE m.channel_id = c.id AND m.state = 'sent'
               AND m.notification = 'confirm_email_communication_channel')",
    ),
    ("messages that wait still, or were given up", "SELECT id FROM messages WHERE state IN ('queued', 'dead')"),
    (
        "jobs that do not end",
        "SELECT 'export ' || id FROM content_exports WHERE workflow_state IN ('created', 'exporting')
         UNION ALL SELECT 'progress ' || id FROM progresses WHERE workflow_state IN ('queued', 'running')",
    ),
    (
        "totals of bytes that are not the sum of all",
        "SELECT bytes FROM blob_totals WHERE bytes <> (SELECT ifnull(sum(size), 0) FROM blobs)",
    ),
    (
        "files without bytes that the database names",
        "SELECT a.id FROM attachments a WHERE workflow_state = 'available'
           AND NOT EXISTS (SELECT 1 FROM blobs b WHERE b.name = a.blob AND b.removing = 0)",
    ),
];

/// Statements that answer the keys of what is there, as the account has them.
const KEYS: [(Kind, &str); 7] = [
    (Kind::Courses, "SELECT name FROM courses WHERE name LIKE 'made-%'"),
    (
        Kind::Names,
        "SELECT event_data ->> '$.name[1]' FROM course_events
         WHERE event_type = 'updated' AND event_data ->> '$.name[1]' LIKE 'renamed-%'",
    ),
    (Kind::Groups, "SELECT name FROM quiz_groups WHERE name LIKE 'group-%'"),
    (Kind::Votes, "SELECT poll_session_id || '/' || user_id FROM poll_submissions"),
    (
        Kind::Submissions,
        "SELECT s.user_id || '/' || v.attempt FROM submission_versions v JOIN submissions s ON s.id = v.submission_id",
    ),
    (Kind::Channels, "SELECT address FROM communication_channels WHERE address LIKE '%@chaos.test'"),
    (Kind::Exports, "SELECT CAST(id AS TEXT) FROM content_exports"),
];

/// The database, read behind the back of its server.
pub(super) struct Database(Connection);

impl Database {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(std::time::Duration::from_secs(30))?;
        Ok(Self(connection))
    }

    /// Puts what is left of bytes at a time long ago, as if nobody had written to them since, and the addresses of uploads had
    /// ended: else it would take hours until ticks remove what nothing names.
    pub(super) fn let_bytes_age(path: &Path) -> Result<()> {
        const LONG_AGO: &str = "'2020-01-01T00:00:00Z'";
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(30))?;
        connection.execute_batch(&format!(
            "UPDATE blobs SET touched_at = {LONG_AGO};
             UPDATE uploads SET expires_at = {LONG_AGO}, claimed_until = {LONG_AGO} WHERE attachment_id IS NULL;"
        ))?;
        Ok(())
    }

    /// What a statement answers, as texts.
    pub(super) fn texts(&self, sql: &str) -> Result<Vec<String>> {
        let mut statement = self.0.prepare(sql).with_context(|| sql.to_owned())?;
        let texts = statement.query_map((), |row| {
            Ok(match row.get_ref(0)? {
                ValueRef::Integer(number) => number.to_string(),
                value => value.as_str()?.to_owned(),
            })
        })?;
        Ok(texts.collect::<rusqlite::Result<_>>()?)
    }

    /// The first number that a statement answers.
    fn number(&self, sql: &str) -> Result<i64> {
        self.0.query_row(sql, (), |row| row.get(0)).with_context(|| sql.to_owned())
    }

    fn pairs<A: FromSql, B: FromSql>(&self, sql: &str) -> Result<Vec<(A, B)>> {
        let mut statement = self.0.prepare(sql).with_context(|| sql.to_owned())?;
        let pairs = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(pairs.collect::<rusqlite::Result<_>>()?)
    }

    /// The ids and names of the files that clients have uploaded.
    pub(super) fn files(&self) -> Result<Vec<(i64, String)>> {
        self.pairs(
            "SELECT id, display_name FROM attachments
             WHERE display_name LIKE 'file-%' AND context_type = 'Course' AND workflow_state = 'available'",
        )
    }

    /// The keys of Redis that belong to none of the blobs that a statement names.
    pub(super) fn keys_without(&self, keys: &[String], names: &str) -> Result<Vec<String>> {
        let names: BTreeSet<_> = self.texts(names)?.into_iter().collect();
        let name = |key: &str| key.strip_prefix("blob/")?.rsplit_once('/').map(|(name, _)| name.to_owned());
        let is_without = |key: &&String| name(key).is_none_or(|name| !names.contains(&name));
        Ok(keys.iter().filter(is_without).cloned().collect())
    }

    /// The exports whose packages are kept, and the sizes of these.
    pub(super) fn packages(&self) -> Result<Vec<(i64, i64)>> {
        self.pairs(
            "SELECT e.id, a.size FROM content_exports e JOIN attachments a ON a.id = e.attachment_id
             WHERE a.workflow_state = 'available'",
        )
    }

    /// The number of things that are due or under way.
    pub(super) fn unfinished(&self) -> Result<i64> {
        self.number(
            "SELECT (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending')
                  + (SELECT count(*) FROM messages WHERE state = 'queued')
                  + (SELECT count(*) FROM content_exports WHERE workflow_state IN ('created', 'exporting'))",
        )
    }

    /// The keys of what is there, by kind, with what is there twice.
    pub(super) fn present(&self) -> Result<BTreeMap<Kind, (BTreeSet<String>, usize)>> {
        let mut present = BTreeMap::new();
        for (kind, sql) in KEYS {
            let keys = self.texts(sql)?;
            let all = keys.len();
            let keys: BTreeSet<_> = keys.into_iter().collect();
            let twice = all - keys.len();
            present.insert(kind, (keys, twice));
        }
        Ok(present)
    }

    /// What breaks the rules of the database, in words.
    pub(super) fn broken_rules(&self) -> Result<Vec<String>> {
        let mut broken = Vec::new();
        for (rule, sql) in RULES {
            broken.extend(complaint(rule, &self.texts(sql)?));
        }
        broken.extend(complaint("tables that are damaged", &self.damage()?));
        broken.extend(complaint("names whose events do not follow from one another", &self.broken_chains()?));
        Ok(broken)
    }

    fn damage(&self) -> Result<Vec<String>> {
        let mut found = self.texts("PRAGMA integrity_check")?;
        found.retain(|line| line != "ok");
        found.extend(self.texts("SELECT \"table\" FROM pragma_foreign_key_check")?);
        Ok(found)
    }

    /// Changes of names whose old name is not the new one of the change before, or that the course does not have at the end.
    /// They are taken in the order in which they were written: the clocks may differ.
    fn broken_chains(&self) -> Result<Vec<String>> {
        let sql = "SELECT c.id, c.name, e.event_data ->> '$.name[0]', e.event_data ->> '$.name[1]'
                   FROM courses c JOIN course_events e ON e.course_id = c.id
                   WHERE c.name LIKE 'renamed-%' AND e.event_data ->> '$.name' IS NOT NULL ORDER BY c.id, e.rowid";
        let mut statement = self.0.prepare(sql)?;
        let mut rows = statement.query(())?;
        let (mut broken, mut last): (Vec<String>, BTreeMap<i64, (String, String)>) = (Vec::new(), BTreeMap::new());
        while let Some(row) = rows.next()? {
            let (course, name, from, to): (i64, String, Option<String>, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            let before = last.insert(course, (name, to.clone())).map(|(_, before)| before);
            if before != from {
                broken.push(format!("{course}: {from:?} to {to} after {before:?}"));
            }
        }
        broken.extend(last.into_values().filter(|(name, to)| name != to).map(|(name, to)| format!("{name}, not {to}")));
        Ok(broken)
    }
}

/// What was acknowledged and is not there.
pub(super) fn lost(tally: &Tally, present: &BTreeSet<String>) -> Vec<String> {
    tally.written.difference(present).cloned().collect()
}

/// A line about what is wrong, with some examples; `None` where nothing is.
pub(super) fn complaint(rule: &str, found: &[String]) -> Option<String> {
    let examples = found.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
    (!found.is_empty()).then(|| format!("{} {rule}: {examples}", found.len()))
}
