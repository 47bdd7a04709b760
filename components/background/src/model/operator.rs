//! The operator's home: what is shown there, and what of it is wrong.

use serde::Deserialize;
use shared::Timestamp;
use shared::ids::{AccountId, ClientId, ContentExportId, ContentMigrationId, CourseId, SisImportId, UserId};
use shared::status::{Jobs, Queue, Status};

/// Seconds without a tick, or after the end of a lease, and for which something has been due: more of them are wrong.
const LATE_TICK: i64 = 300;
const LAPSED_LEASE: i64 = 300;
const LATE_QUEUE: i64 = 900;
/// The part of the storage, in percent, from which on it is almost full.
const ALMOST_FULL: i64 = 90;
/// Where something of a tenant is counted, more of it counts as one more than this.
pub(crate) const COUNTED_TO: i64 = 1000;

/// The one for whom the page was opened.
#[derive(Deserialize)]
pub(crate) struct Operator {
    pub(crate) user: UserId,
    /// The root account to which the user belongs.
    pub(crate) tenant: AccountId,
    /// True for an administrator of the site, who sees all tenants.
    pub(crate) is_of_site: bool,
}

impl Operator {
    /// The tenant whose records are shown; `None`: all tenants'.
    pub(crate) fn scope(&self) -> Option<AccountId> {
        (!self.is_of_site).then_some(self.tenant)
    }
}

/// The figures of whom the page was opened for.
pub(crate) enum Figures {
    /// Those of the whole installation.
    Site(Box<Status>),
    /// Those of a tenant.
    Tenant(TenantQueues),
}

/// How much of a tenant waits or was given up.
#[derive(Deserialize)]
pub(crate) struct TenantQueues {
    pub(crate) waiting_deliveries: i64,
    pub(crate) dead_deliveries: i64,
    pub(crate) dead_messages: i64,
}

/// What there is of a tenant, or of all.
pub(crate) struct Overview {
    pub(crate) tenants: Vec<Tenant>,
    /// The use of the model in this month and the one before, where there was any.
    pub(crate) model: Vec<ModelUse>,
    /// What ends within 30 days, the first to end first.
    pub(crate) ending: Vec<Secret>,
    /// The newest first.
    pub(crate) keys: Vec<DeveloperKey>,
    pub(crate) imports: Vec<Import>,
    pub(crate) packages: Vec<PackageImport>,
    pub(crate) exports: Vec<Export>,
}

/// A tenant and what it uses.
#[derive(Deserialize)]
pub(crate) struct Tenant {
    pub(crate) id: AccountId,
    pub(crate) name: String,
    /// Files and media.
    pub(crate) files: i64,
    pub(crate) bytes: i64,
}

/// The AI conversations of a tenant in a month, and what they asked of the language model.
#[derive(Deserialize)]
pub(crate) struct ModelUse {
    pub(crate) tenant: AccountId,
    pub(crate) name: String,
    /// Written 2026-03.
    pub(crate) month: String,
    /// Those that began in it.
    pub(crate) conversations: i64,
    pub(crate) calls: i64,
    pub(crate) failed_calls: i64,
    /// The kind of the latest of these failures.
    pub(crate) last_failure: Option<String>,
    pub(crate) tokens: i64,
}

/// A client of others. It ends when somebody deletes it, and not before.
#[derive(Deserialize)]
pub(crate) struct DeveloperKey {
    pub(crate) id: ClientId,
    pub(crate) tenant: AccountId,
    pub(crate) name: String,
    /// The user for whom it acts with its own credentials.
    pub(crate) acts_for: Option<String>,
    /// The number of scopes that it may ask for; `None`: everything.
    pub(crate) scopes: Option<i64>,
    pub(crate) created_at: Timestamp,
}

/// A token that ends.
#[derive(Deserialize)]
pub(crate) struct Secret {
    pub(crate) kind: String,
    pub(crate) tenant: String,
    pub(crate) holder: String,
    pub(crate) purpose: Option<String>,
    pub(crate) expires_at: Timestamp,
}

/// An import of CSV files.
#[derive(Deserialize)]
pub(crate) struct Import {
    pub(crate) id: SisImportId,
    pub(crate) tenant: AccountId,
    /// The name of what was uploaded.
    pub(crate) name: Option<String>,
    pub(crate) state: String,
    /// In percent.
    pub(crate) progress: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    /// Up to one more than [`COUNTED_TO`].
    pub(crate) errors: i64,
}

impl Import {
    pub(crate) fn has_failed(&self) -> bool {
        self.state.starts_with("failed")
    }
}

/// A package that came in, or a course that is copied.
#[derive(Deserialize)]
pub(crate) struct PackageImport {
    pub(crate) id: ContentMigrationId,
    pub(crate) tenant: AccountId,
    pub(crate) kind: String,
    pub(crate) course: CourseId,
    pub(crate) state: String,
    pub(crate) attempts: i64,
    pub(crate) created_at: Timestamp,
    /// Up to one more than [`COUNTED_TO`].
    pub(crate) issues: i64,
}

impl PackageImport {
    pub(crate) fn has_failed(&self) -> bool {
        self.state == "failed"
    }
}

/// A package that was asked for.
#[derive(Deserialize)]
pub(crate) struct Export {
    pub(crate) id: ContentExportId,
    pub(crate) tenant: AccountId,
    pub(crate) kind: String,
    pub(crate) context_type: String,
    pub(crate) context_id: i64,
    pub(crate) state: String,
    pub(crate) attempts: i64,
    pub(crate) created_at: Timestamp,
}

impl Export {
    pub(crate) fn has_failed(&self) -> bool {
        self.state == "failed"
    }
}

impl Figures {
    /// What is wrong, each in a sentence, the worst first.
    pub(crate) fn wrong(&self, overview: &Overview) -> Vec<String> {
        match self {
            Self::Site(status) => wrong_on_site(status),
            Self::Tenant(queues) => wrong_in_tenant(queues, overview),
        }
    }
}

fn wrong_on_site(status: &Status) -> Vec<String> {
    let mut wrong = Vec::new();
    let parts = [
        (status.ready.schema, "The tables of the database are not those of this version."),
        (status.ready.blobs, "The store of bytes does not answer."),
    ];
    wrong.extend(parts.iter().filter(|(is_ready, _)| !is_ready).map(|(_, words)| (*words).to_owned()));
    match status.tick.age_seconds {
        None => wrong.push("There was no tick yet: nothing is sent, and no job is done.".to_owned()),
        Some(age) if age > LATE_TICK => wrong.push(format!("No tick for {}.", duration(age))),
        Some(_) => {}
    }
    if status.tick.failed_areas > 0 {
        let areas = number(status.tick.failed_areas, "area", "areas");
        wrong.push(format!("The jobs of {areas} failed in the last tick; the log says why."));
    }
    wrong_in_queue("webhook delivery", "webhook deliveries", &status.webhook_deliveries, &mut wrong);
    wrong_in_queue("message", "messages", &status.messages, &mut wrong);
    wrong_in_jobs("SIS import", "SIS imports", &status.sis_imports, &mut wrong);
    wrong_in_jobs("content import", "content imports", &status.content_imports, &mut wrong);
    wrong_in_jobs("content export", "content exports", &status.content_exports, &mut wrong);
    if let Some(percent) = status.blobs.limit_bytes.and_then(|limit| percent(status.blobs.bytes, limit))
        && percent >= ALMOST_FULL
    {
        wrong.push(format!("{percent} % of the storage are used."));
    }
    wrong
}

fn wrong_in_queue(one: &str, many: &str, queue: &Queue, wrong: &mut Vec<String>) {
    if queue.oldest_due_seconds > LATE_QUEUE {
        let (due, late) = (number(queue.due, one, many), duration(queue.oldest_due_seconds));
        wrong.push(format!("{due} due, the oldest for {late}."));
    }
    if queue.lapsed_lease_seconds > LAPSED_LEASE {
        let late = duration(queue.lapsed_lease_seconds);
        wrong.push(format!("Nobody has taken up {many} again whose sender was lost {late} ago."));
    }
    if queue.dead > 0 {
        wrong.push(format!("{} given up.", number(queue.dead, one, many)));
    }
}

fn wrong_in_jobs(one: &str, many: &str, jobs: &Jobs, wrong: &mut Vec<String>) {
    if jobs.lapsed_lease_seconds > LAPSED_LEASE {
        let late = duration(jobs.lapsed_lease_seconds);
        wrong.push(format!("Nobody has taken up {many} again whose worker was lost {late} ago."));
    }
    if jobs.failed_in_last_day > 0 {
        wrong.push(format!("{} failed within the last day.", number(jobs.failed_in_last_day, one, many)));
    }
}

fn wrong_in_tenant(queues: &TenantQueues, overview: &Overview) -> Vec<String> {
    let mut wrong = Vec::new();
    for (given_up, one, many) in [
        (queues.dead_deliveries, "webhook delivery", "webhook deliveries"),
        (queues.dead_messages, "message", "messages"),
    ] {
        if given_up > 0 {
            wrong.push(format!("{} given up.", number(given_up, one, many)));
        }
    }
    let mut count_failed = |failed: usize, newest: usize, what: &str| {
        if failed > 0 {
            wrong.push(format!("{failed} of the newest {newest} {what} failed."));
        }
    };
    let failed_imports = overview.imports.iter().filter(|import| import.has_failed()).count();
    count_failed(failed_imports, overview.imports.len(), "SIS imports");
    let failed_packages = overview.packages.iter().filter(|import| import.has_failed()).count();
    count_failed(failed_packages, overview.packages.len(), "content imports");
    let failed_exports = overview.exports.iter().filter(|export| export.has_failed()).count();
    count_failed(failed_exports, overview.exports.len(), "content exports");
    wrong
}

/// The part in percent of a whole, which is not nothing.
pub(crate) fn percent(part: i64, whole: i64) -> Option<i64> {
    part.saturating_mul(100).checked_div(whole)
}

/// `1 message`, `2 messages`.
fn number(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A time in the largest unit of which it has two, or one second and more: `12 minutes`.
pub(crate) fn duration(seconds: i64) -> String {
    const UNITS: [(i64, &str, &str); 3] =
        [(24 * 60 * 60, "day", "days"), (60 * 60, "hour", "hours"), (60, "minute", "minutes")];
    let unit = UNITS.into_iter().find(|(length, ..)| seconds >= 2 * length);
    let (length, one, many) = unit.unwrap_or((1, "second", "seconds"));
    number(seconds / length, one, many)
}

/// Bytes in the largest unit of which there is one: `1.5 MiB`.
pub(crate) fn size(bytes: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(length, _)| bytes >= *length) {
        Some((length, unit)) => {
            let tenths = bytes.saturating_mul(10) / length;
            format!("{}.{} {unit}", tenths / 10, tenths % 10)
        }
        None => number(bytes, "byte", "bytes"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use shared::status::{Blobs, DatabaseSize, ModelCalls, Readiness, Tick};

    use super::*;

    fn queue() -> Queue {
        Queue { waiting: 0, due: 0, oldest_due_seconds: 0, running: 0, lapsed_lease_seconds: 0, dead: 0 }
    }

    fn jobs() -> Jobs {
        Jobs { waiting: 0, running: 0, oldest_seconds: 0, lapsed_lease_seconds: 0, failed_in_last_day: 0 }
    }

    fn status() -> Status {
        let now = Timestamp::parse("2026-03-04T12:00:00Z").unwrap();
        Status {
            at: now,
            ready: Readiness { database: true, schema: true, blobs: true },
            tick: Tick { last_at: Some(now), age_seconds: Some(300), failed_areas: 0 },
            webhook_deliveries: Queue { due: 3, oldest_due_seconds: 900, lapsed_lease_seconds: 300, ..queue() },
            messages: queue(),
            sis_imports: Jobs { lapsed_lease_seconds: 300, ..jobs() },
            content_imports: jobs(),
            content_exports: jobs(),
            model: ModelCalls { calls: 0, failures: BTreeMap::new() },
            limits_hit: BTreeMap::new(),
            database: DatabaseSize { schema_version: 39, bytes: None, free_bytes: None },
            blobs: Blobs { number: 1, bytes: 899, limit_bytes: Some(1000) },
        }
    }

    #[test]
    fn of_what_is_as_it_should_be_nothing_is_said() {
        assert_eq!(wrong_on_site(&status()), Vec::<String>::new());
        let unlimited = Status { blobs: Blobs { number: 0, bytes: 0, limit_bytes: Some(0) }, ..status() };
        assert_eq!(wrong_on_site(&unlimited), Vec::<String>::new());
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let now = status().at;
        let wrong = wrong_on_site(&Status {
            ready: Readiness { database: true, schema: true, blobs: false },
            tick: Tick { last_at: Some(now), age_seconds: Some(754), failed_areas: 1 },
            webhook_deliveries: Queue { due: 1, oldest_due_seconds: 7200, dead: 2, ..queue() },
            messages: Queue { lapsed_lease_seconds: 301, dead: 1, ..queue() },
            sis_imports: Jobs { failed_in_last_day: 1, ..jobs() },
            content_exports: Jobs { lapsed_lease_seconds: 400_000, ..jobs() },
            blobs: Blobs { number: 1, bytes: 900, limit_bytes: Some(1000) },
            ..status()
        });
        let expected = [
            "The store of bytes does not answer.",
            "No tick for 12 minutes.",
            "The jobs of 1 area failed in the last tick; the log says why.",
            "1 webhook delivery due, the oldest for 2 hours.",
            "2 webhook deliveries given up.",
            "Nobody has taken up messages again whose sender was lost 5 minutes ago.",
            "1 message given up.",
            "1 SIS import failed within the last day.",
            "Nobody has taken up content exports again whose worker was lost 4 days ago.",
            "90 % of the storage are used.",
        ];
        assert_eq!(wrong, expected);
        let never = Status { tick: Tick { last_at: None, age_seconds: None, failed_areas: 0 }, ..status() };
        assert_eq!(wrong_on_site(&never), ["There was no tick yet: nothing is sent, and no job is done."]);
    }

    #[test]
    fn times_and_sizes_have_the_unit_that_fits() {
        let times = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(duration);
        let expected =
            ["0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days"];
        assert_eq!(times, expected);
        let sizes = [0, 1, 1023, 1024, 1536, 5 << 20, i64::MAX].map(size);
        assert_eq!(sizes[..6], ["0 bytes", "1 byte", "1023 bytes", "1.0 KiB", "1.5 KiB", "5.0 MiB"]);
        assert!(sizes[6].ends_with(" TiB"));
    }
}
