//! Rolling restarts, as when a version is replaced: one process after another ends by SIGTERM and starts again, while clients
//! go on writing. Nothing is killed here: so no request may be cut off.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::cluster::{Cluster, PROCESSES};
use super::ledger::Ledger;
use super::losses::complaint;

/// The time until all have got over the last kill: a server takes away the transaction of a process that was killed after
/// five seconds, and writers wait for up to fifteen.
const RECOVERY: Duration = Duration::from_secs(20);
/// The time for which two versions stand side by side before the next process is restarted.
const BETWEEN: Duration = Duration::from_secs(2);
/// The beginning of the front's answers where a process has cut a request off.
const CUT_OFF: &str = "502 ";

/// Restarts all processes so many times: first with the other build, if there is one, then with their own, and so on. Prints
/// figures for each time, and answers what is wrong.
pub(super) async fn restart_all(
    cluster: &mut Cluster,
    ledger: &Ledger,
    times: usize,
    other: Option<&Path>,
) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    if times == 0 {
        return Ok(wrong);
    }
    tokio::time::sleep(RECOVERY).await;
    println!("\n{:<20}{:>10}{:>10}{:>10}{:>10}", "rolling restart", "written", "unknown", "end s", "start s");
    for time in 1..=times {
        let build = other.filter(|_| !time.is_multiple_of(2));
        let before = Figures::of(ledger);
        let (mut end, mut start) = (Duration::ZERO, Duration::ZERO);
        for number in 0..PROCESSES {
            let (ended, started) = cluster.restart(number, build.map(Path::to_owned)).await?;
            (end, start) = (end.max(ended), start.max(started));
            tokio::time::sleep(BETWEEN).await;
        }
        let after = Figures::of(ledger);
        let unknown = after.unknown_since(&before);
        let name = if build.is_some() { "to the other build" } else { "to its own build" };
        println!(
            "{name:<20}{:>10}{:>10}{:>10.1}{:>10.1}",
            after.written - before.written,
            unknown.values().sum::<usize>(),
            end.as_secs_f64(),
            start.as_secs_f64()
        );
        unknown.iter().for_each(|(cause, count)| println!("{count:>6}  {}", cause.trim_end()));
        let cut_off: Vec<_> = unknown.into_keys().filter(|cause| cause.starts_with(CUT_OFF)).collect();
        wrong.extend(complaint("kinds of requests were cut off by a process that was asked to end", &cut_off));
        if after.written == before.written {
            wrong.push(format!("nothing was written during the rolling restart {time}"));
        }
    }
    Ok(wrong)
}

/// The account up to a moment.
struct Figures {
    written: usize,
    causes: BTreeMap<String, usize>,
}

impl Figures {
    fn of(ledger: &Ledger) -> Self {
        let mut figures = Self { written: 0, causes: BTreeMap::new() };
        for tally in ledger.tallies().into_values() {
            figures.written += tally.written.len();
            for (cause, count) in tally.causes {
                *figures.causes.entry(cause).or_default() += count;
            }
        }
        figures
    }

    /// The answers that told nothing since then, by their causes.
    fn unknown_since(&self, before: &Self) -> BTreeMap<String, usize> {
        let since = |(cause, count): (&String, &usize)| {
            let count = count - before.causes.get(cause).copied().unwrap_or_default().min(*count);
            (count > 0).then(|| (cause.clone(), count))
        };
        self.causes.iter().filter_map(since).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Kind;
    use super::*;

    #[test]
    fn figures_are_those_since_a_moment() {
        let ledger = Ledger::default();
        let note = |key: &str, cause: &str| {
            ledger.note(Kind::Courses, |tally| {
                tally.written.insert(key.to_owned());
                tally.note_unknown(cause);
            });
        };
        note("a", "502 cut off");
        let before = Figures::of(&ledger);
        note("b", "502 cut off");
        note("c", "503 busy");
        let after = Figures::of(&ledger);
        let expected = BTreeMap::from([("502 cut off".to_owned(), 1), ("503 busy".to_owned(), 1)]);
        assert_eq!((after.written - before.written, after.unknown_since(&before)), (2, expected));
        assert!(before.unknown_since(&before).is_empty());
    }
}
