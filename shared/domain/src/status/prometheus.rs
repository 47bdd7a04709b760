//! The figures in the text format of Prometheus, version 0.0.4.

use std::collections::BTreeMap;
use std::fmt::Write;

use types::clock::Timestamp;

use super::{Jobs, Part, Queue, Status};

/// The type of the text.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A figure as Prometheus knows it.
struct Metric {
    name: &'static str,
    help: &'static str,
    /// `counter` for what only grows, `gauge` for what goes up and down.
    kind: &'static str,
    values: Values,
}

/// The values of a metric.
enum Values {
    /// One; nothing where it is not known.
    One(fn(&Status) -> Option<i64>),
    /// One for each queue, with the label `queue`.
    OfQueues(fn(&Queue) -> i64),
    /// One for each kind of jobs, with the label `kind`.
    OfJobs(fn(&Jobs) -> i64),
    /// One for each part of what the service needs, with the label `part`.
    OfParts,
    /// One for each kind of what was counted, with that label.
    OfTotals(&'static str, fn(&Status) -> &BTreeMap<String, i64>),
}

const fn metric(name: &'static str, help: &'static str, values: Values) -> Metric {
    Metric { name, help, kind: "gauge", values }
}

const fn counter(name: &'static str, help: &'static str, values: Values) -> Metric {
    Metric { kind: "counter", ..metric(name, help, values) }
}

/// Each figure, in the order in which they are told.
const METRICS: &[Metric] = &[
    metric("lectern_ready", "1 where the service has this part of what it needs.", Values::OfParts),
    metric(
        "lectern_last_tick_timestamp_seconds",
        "When the last tick ended that sent what was due, in seconds since 1970; 0: none has.",
        Values::One(|status| Some(status.tick.last_at.map_or(0, Timestamp::unix))),
    ),
    metric(
        "lectern_last_tick_failed_areas",
        "In how many areas the jobs failed that the last tick called for.",
        Values::One(|status| Some(status.tick.failed_areas)),
    ),
    metric(
        "lectern_queue_waiting",
        "What is to be sent, now or later, with what is under way.",
        Values::OfQueues(|queue| queue.waiting),
    ),
    metric("lectern_queue_due", "What is due and not under way.", Values::OfQueues(|queue| queue.due)),
    metric(
        "lectern_queue_oldest_due_seconds",
        "For how long the oldest of the due ones has been due.",
        Values::OfQueues(|queue| queue.oldest_due_seconds),
    ),
    metric("lectern_queue_running", "What is under way.", Values::OfQueues(|queue| queue.running)),
    metric(
        "lectern_queue_lapsed_lease_seconds",
        "For how long the oldest lease that has ended waits to be taken up.",
        Values::OfQueues(|queue| queue.lapsed_lease_seconds),
    ),
    metric("lectern_queue_dead", "What was given up and is kept.", Values::OfQueues(|queue| queue.dead)),
    metric("lectern_jobs_waiting", "Jobs that nobody works on yet.", Values::OfJobs(|jobs| jobs.waiting)),
    metric("lectern_jobs_running", "Jobs that are being worked on.", Values::OfJobs(|jobs| jobs.running)),
    metric(
        "lectern_jobs_oldest_seconds",
        "How long ago the oldest job was asked for that has not ended.",
        Values::OfJobs(|jobs| jobs.oldest_seconds),
    ),
    metric(
        "lectern_jobs_lapsed_lease_seconds",
        "For how long the oldest lease that has ended waits to be taken up.",
        Values::OfJobs(|jobs| jobs.lapsed_lease_seconds),
    ),
    metric(
        "lectern_jobs_failed_in_last_day",
        "Jobs that have failed within the last day.",
        Values::OfJobs(|jobs| jobs.failed_in_last_day),
    ),
    counter(
        "lectern_model_calls_total",
        "How often the language model was asked.",
        Values::One(|status| Some(status.model.calls)),
    ),
    counter(
        "lectern_model_failures_total",
        "How many calls of the language model have failed.",
        Values::OfTotals("kind", |status| &status.model.failures),
    ),
    counter(
        "lectern_limits_hit_total",
        "How often something was refused because it was done too often.",
        Values::OfTotals("limit", |status| &status.limits_hit),
    ),
    metric(
        "lectern_schema_version",
        "The version of the database's schema.",
        Values::One(|status| i64::try_from(status.database.schema_version).ok()),
    ),
    metric(
        "lectern_database_bytes",
        "Bytes of the database, without its write-ahead log.",
        Values::One(|status| status.database.bytes),
    ),
    metric(
        "lectern_database_free_bytes",
        "Bytes of the database that are free to be written to again.",
        Values::One(|status| status.database.free_bytes),
    ),
    metric("lectern_blobs", "Blobs in the key-value store.", Values::One(|status| Some(status.blobs.number))),
    metric("lectern_blob_bytes", "Bytes of the blobs.", Values::One(|status| Some(status.blobs.bytes))),
    metric(
        "lectern_blob_limit_bytes",
        "Bytes that the blobs may have together; not there without a limit.",
        Values::One(|status| status.blobs.limit_bytes),
    ),
];

impl Status {
    /// The figures as text.
    pub fn to_prometheus(&self) -> String {
        let mut text = String::new();
        for Metric { name, help, kind, values } in METRICS {
            let samples = self.samples(values);
            if samples.is_empty() {
                continue;
            }
            // To write to a text cannot fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in samples {
                let _ = writeln!(text, "{name}{labels} {value}");
            }
        }
        text
    }

    fn samples(&self, values: &Values) -> Vec<(String, i64)> {
        match values {
            Values::One(value) => value(self).map(|value| (String::new(), value)).into_iter().collect(),
            Values::OfQueues(value) => {
                let queues = [("webhook_deliveries", &self.webhook_deliveries), ("messages", &self.messages)];
                queues.map(|(name, queue)| (label("queue", name), value(queue))).into()
            }
            Values::OfJobs(value) => {
                let jobs = [
                    ("sis_imports", &self.sis_imports),
                    ("content_imports", &self.content_imports),
                    ("content_exports", &self.content_exports),
                ];
                jobs.map(|(name, jobs)| (label("kind", name), value(jobs))).into()
            }
            Values::OfParts => {
                let parts = [
                    (Part::Database, self.ready.database),
                    (Part::Schema, self.ready.schema),
                    (Part::Blobs, self.ready.blobs),
                ];
                parts.map(|(part, is_ready)| (label("part", part.name()), i64::from(is_ready))).into()
            }
            Values::OfTotals(name, totals) => {
                totals(self).iter().map(|(kind, total)| (label(name, kind), *total)).collect()
            }
        }
    }
}

fn label(name: &str, value: &str) -> String {
    format!("{{{name}=\"{value}\"}}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_operators_page_has_each_figure_and_no_other() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/OPERATIONS.md");
        let page = std::fs::read_to_string(page).unwrap();
        let (_, table) = page.split_once("| Figure of the application |").expect("a table of the figures");
        let rows = table.lines().skip(2).take_while(|line| line.starts_with("| `"));
        let told: BTreeSet<_> = rows.filter_map(|row| row.split(['`', '{']).nth(1)).collect();
        assert_eq!(told, METRICS.iter().map(|metric| metric.name).collect());
        assert_eq!(METRICS.len(), told.len(), "each has a name of its own");
    }
}
