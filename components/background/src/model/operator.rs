//! The operator's home: what is shown there, and what of it is wrong.

use serde::Deserialize;
use shared::Timestamp;
use shared::clock::{DAY, HOUR, MINUTE};
use shared::ids::{AccountId, ClientId, ContentExportId, ContentMigrationId, CourseId, SisImportId, UserId};
use shared::status::{Jobs, Queue, Status};
use shared::texts::{Counted, Language, Text, table, wrong as texts};

/// Seconds without a tick, or after the end of a lease, and for which something has been due: more of them are wrong.
const LATE_TICK: i64 = 5 * MINUTE;
const LAPSED_LEASE: i64 = 5 * MINUTE;
const LATE_QUEUE: i64 = 15 * MINUTE;
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
    pub(crate) fn wrong(&self, overview: &Overview, language: Language) -> Vec<String> {
        match self {
            Self::Site(status) => wrong_on_site(status, language),
            Self::Tenant(queues) => wrong_in_tenant(queues, overview, language),
        }
    }
}

/// The things of which some may be wrong: by their number, and by their name.
struct Things {
    counted: Counted,
    named: Text,
}

const DELIVERIES: Things = Things { counted: texts::DELIVERIES, named: texts::DELIVERIES_NAMED };
const MESSAGES: Things = Things { counted: texts::MESSAGES, named: texts::MESSAGES_NAMED };
const SIS_IMPORTS: Things = Things { counted: texts::SIS_IMPORTS, named: texts::SIS_IMPORTS_NAMED };
const CONTENT_IMPORTS: Things = Things { counted: texts::CONTENT_IMPORTS, named: texts::CONTENT_IMPORTS_NAMED };
const CONTENT_EXPORTS: Things = Things { counted: texts::CONTENT_EXPORTS, named: texts::CONTENT_EXPORTS_NAMED };

fn wrong_on_site(status: &Status, language: Language) -> Vec<String> {
    let mut wrong = Vec::new();
    let parts = [(status.ready.schema, texts::SCHEMA), (status.ready.blobs, texts::STORE)];
    wrong.extend(parts.iter().filter(|(is_ready, _)| !is_ready).map(|(_, text)| text.get(language).to_owned()));
    match status.tick.age_seconds {
        None => wrong.push(texts::NO_TICK_YET.get(language).to_owned()),
        Some(age) if age > LATE_TICK => {
            wrong.push(texts::NO_TICK.fill(language, &[("duration", &duration(age, language))]));
        }
        Some(_) => {}
    }
    if status.tick.failed_areas > 0 {
        wrong.push(texts::AREAS.get(language, status.tick.failed_areas));
    }
    for (things, queue) in [(DELIVERIES, &status.webhook_deliveries), (MESSAGES, &status.messages)] {
        wrong_in_queue(&things, queue, language, &mut wrong);
    }
    for (things, jobs) in [
        (SIS_IMPORTS, &status.sis_imports),
        (CONTENT_IMPORTS, &status.content_imports),
        (CONTENT_EXPORTS, &status.content_exports),
    ] {
        wrong_in_jobs(&things, jobs, language, &mut wrong);
    }
    if let Some(percent) = status.blobs.limit_bytes.and_then(|limit| percent(status.blobs.bytes, limit))
        && percent >= ALMOST_FULL
    {
        wrong.push(texts::STORAGE.fill(language, &[("percent", &percent)]));
    }
    wrong
}

fn wrong_in_queue(things: &Things, queue: &Queue, language: Language, wrong: &mut Vec<String>) {
    if queue.oldest_due_seconds > LATE_QUEUE {
        let (due, late) = (things.counted.get(language, queue.due), duration(queue.oldest_due_seconds, language));
        wrong.push(texts::DUE.fill(language, &[("what", &due), ("duration", &late)]));
    }
    wrong_in_leases(texts::LOST_SENDER, things, queue.lapsed_lease_seconds, language, wrong);
    if queue.dead > 0 {
        wrong.push(texts::GIVEN_UP.fill(language, &[("what", &things.counted.get(language, queue.dead))]));
    }
}

fn wrong_in_jobs(things: &Things, jobs: &Jobs, language: Language, wrong: &mut Vec<String>) {
    wrong_in_leases(texts::LOST_WORKER, things, jobs.lapsed_lease_seconds, language, wrong);
    if jobs.failed_in_last_day > 0 {
        let failed = things.counted.get(language, jobs.failed_in_last_day);
        wrong.push(texts::FAILED.fill(language, &[("what", &failed)]));
    }
}

fn wrong_in_leases(text: Text, things: &Things, lapsed_seconds: i64, language: Language, wrong: &mut Vec<String>) {
    if lapsed_seconds > LAPSED_LEASE {
        let late = duration(lapsed_seconds, language);
        wrong.push(text.fill(language, &[("what", &things.named.get(language)), ("duration", &late)]));
    }
}

fn wrong_in_tenant(queues: &TenantQueues, overview: &Overview, language: Language) -> Vec<String> {
    let mut wrong = Vec::new();
    for (given_up, things) in [(queues.dead_deliveries, DELIVERIES), (queues.dead_messages, MESSAGES)] {
        if given_up > 0 {
            wrong.push(texts::GIVEN_UP.fill(language, &[("what", &things.counted.get(language, given_up))]));
        }
    }
    let mut count_failed = |failed: usize, newest: usize, things: &Things| {
        if failed > 0 {
            let what = things.named.get(language);
            wrong.push(
                texts::NEWEST_FAILED.fill(language, &[("failed", &failed), ("number", &newest), ("what", &what)]),
            );
        }
    };
    let failed_imports = overview.imports.iter().filter(|import| import.has_failed()).count();
    count_failed(failed_imports, overview.imports.len(), &SIS_IMPORTS);
    let failed_packages = overview.packages.iter().filter(|import| import.has_failed()).count();
    count_failed(failed_packages, overview.packages.len(), &CONTENT_IMPORTS);
    let failed_exports = overview.exports.iter().filter(|export| export.has_failed()).count();
    count_failed(failed_exports, overview.exports.len(), &CONTENT_EXPORTS);
    wrong
}

/// The part in percent of a whole, which is not nothing.
pub(crate) fn percent(part: i64, whole: i64) -> Option<i64> {
    part.saturating_mul(100).checked_div(whole)
}

/// A time in the largest unit of which it has two, or one second and more: `12 minutes`.
pub(crate) fn duration(seconds: i64, language: Language) -> String {
    const UNITS: [(i64, Counted); 3] = [(DAY, table::DAYS), (HOUR, table::HOURS), (MINUTE, table::MINUTES)];
    let unit = UNITS.into_iter().find(|(length, _)| seconds >= 2 * length);
    let (length, units) = unit.unwrap_or((1, table::SECONDS));
    units.get(language, seconds / length)
}

/// Bytes in the largest unit of which there is one: `1.5 MiB`.
pub(crate) fn size(bytes: i64, language: Language) -> String {
    const UNITS: [(i64, char); 4] = [(1 << 40, 'T'), (1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')];
    // In French a byte is an octet.
    let sign = if language == Language::French { 'o' } else { 'B' };
    match UNITS.into_iter().find(|(length, _)| bytes >= *length) {
        Some((length, unit)) => {
            let tenths = bytes.saturating_mul(10) / length;
            format!("{}{}{} {unit}i{sign}", tenths / 10, language.decimal_mark(), tenths % 10)
        }
        None => table::BYTES.get(language, bytes),
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
        assert_eq!(wrong_on_site(&status(), Language::English), Vec::<String>::new());
        let unlimited = Status { blobs: Blobs { number: 0, bytes: 0, limit_bytes: Some(0) }, ..status() };
        assert_eq!(wrong_on_site(&unlimited, Language::English), Vec::<String>::new());
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let now = status().at;
        let status_of_trouble = Status {
            ready: Readiness { database: true, schema: true, blobs: false },
            tick: Tick { last_at: Some(now), age_seconds: Some(754), failed_areas: 1 },
            webhook_deliveries: Queue { due: 1, oldest_due_seconds: 7200, dead: 2, ..queue() },
            messages: Queue { lapsed_lease_seconds: 301, dead: 1, ..queue() },
            sis_imports: Jobs { failed_in_last_day: 1, ..jobs() },
            content_exports: Jobs { lapsed_lease_seconds: 400_000, ..jobs() },
            blobs: Blobs { number: 1, bytes: 900, limit_bytes: Some(1000) },
            ..status()
        };
        let wrong = wrong_on_site(&status_of_trouble, Language::English);
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
        let said = wrong_on_site(&never, Language::English);
        assert_eq!(said, ["There was no tick yet: nothing is sent, and no job is done."]);
        let german = wrong_on_site(&status_of_trouble, Language::German);
        assert_eq!(german.len(), expected.len());
        assert_eq!(german[1], "Kein Tick seit 12 Minuten.");
        assert_eq!(german[3], "1 Webhook-Zustellung fällig, die älteste seit 2 Stunden.");
        assert_eq!(german[7], "1 SIS-Import am letzten Tag fehlgeschlagen.");
    }

    #[test]
    fn times_and_sizes_have_the_unit_that_fits() {
        let times = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(|seconds| duration(seconds, Language::English));
        let expected =
            ["0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "47 hours", "2 days"];
        assert_eq!(times, expected);
        let sizes = [0, 1, 1023, 1024, 1536, 5 << 20, i64::MAX].map(|bytes| size(bytes, Language::English));
        assert_eq!(sizes[..6], ["0 bytes", "1 byte", "1023 bytes", "1.0 KiB", "1.5 KiB", "5.0 MiB"]);
        assert!(sizes[6].ends_with(" TiB"));
        assert_eq!(Language::ALL.map(|language| size(1536, language)), ["1.5 KiB", "1,5 KiB", "1,5 KiB", "1,5 Kio"]);
        assert_eq!(duration(172_800, Language::German), "2 Tagen");
    }
}
