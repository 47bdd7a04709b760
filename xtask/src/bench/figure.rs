//! The figures of a run: one line for each kind of request, and single values of the benches beside them.

use serde::Serialize;

use super::process::Server;
use super::summary::Outcome;
use super::table::Kind;

/// The figures of one kind of request.
#[derive(Clone, Serialize)]
pub(super) struct Line {
    pub(super) area: String,
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) requests: u32,
    pub(super) per_second: f64,
    /// Requests per second as a part of the floor's; at a fixed rate the floor's median latency as a part of its own.
    pub(super) of_floor: f64,
    pub(super) p50_ms: f64,
    pub(super) p95_ms: f64,
    pub(super) p99_ms: f64,
    pub(super) p99_of_p50: f64,
    /// The server's, with the processes that it has started.
    pub(super) cpu_seconds_per_1000: Option<f64>,
    pub(super) peak_megabytes: Option<f64>,
}

/// One value that a bench has measured.
#[derive(Clone, Serialize)]
pub(super) struct Figure {
    pub(super) bench: &'static str,
    pub(super) name: String,
    pub(super) value: f64,
    pub(super) unit: &'static str,
}

/// Everything that a run has measured.
#[derive(Default, Serialize)]
pub(super) struct Figures {
    pub(super) lines: Vec<Line>,
    pub(super) figures: Vec<Figure>,
    /// The application and other servers; the area of a line is the server.
    pub(super) beside_others: Vec<Line>,
}

/// The processor time before requests.
pub(super) struct Meter {
    server: Server,
    cpu_seconds: Option<f64>,
}

impl Meter {
    pub(super) fn start(server: Server) -> Self {
        server.forget_peak();
        Self { server, cpu_seconds: server.cpu_seconds() }
    }

    /// The seconds for each 1,000 of so many requests.
    pub(super) fn cpu_seconds_per_1000(&self, requests: u32) -> Option<f64> {
        Some((self.server.cpu_seconds()? - self.cpu_seconds?) / f64::from(requests) * 1_000.0)
    }

    pub(super) fn line(&self, (area, kind, name): (&str, Kind, &str), outcome: &Outcome) -> Line {
        let [p50_ms, p95_ms, p99_ms] = [50, 95, 99].map(|percent| outcome.millis(percent));
        Line {
            area: area.to_owned(),
            kind,
            name: name.to_owned(),
            requests: outcome.count(),
            per_second: outcome.per_second(),
            of_floor: 1.0,
            p50_ms,
            p95_ms,
            p99_ms,
            p99_of_p50: p99_ms / p50_ms,
            cpu_seconds_per_1000: self.cpu_seconds_per_1000(outcome.count()),
            peak_megabytes: self.server.peak_megabytes(),
        }
    }
}

impl Line {
    /// The same with its part of the floor; at a fixed rate all have the same rate, and their latencies differ.
    pub(super) fn against(self, floor: Option<&Self>, at_rate: bool) -> Self {
        let of_floor = match floor {
            None => 1.0,
            Some(floor) if at_rate => floor.p50_ms / self.p50_ms,
            Some(floor) => self.per_second / floor.per_second,
        };
        Self { of_floor, ..self }
    }

    pub(super) fn print_head() {
        println!(
            "{:<26}{:<6}{:<44}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}",
            "", "", "", "req/s", "of floor", "p50 ms", "p95 ms", "p99 ms", "p99/p50", "CPU s/k", "MB"
        );
    }

    pub(super) fn print(&self) {
        let kind = format!("{:?}", self.kind).to_lowercase();
        println!(
            "{:<26}{kind:<6}{:<44}{:>9.0}{:>9.2}{:>9.2}{:>9.2}{:>9.2}{:>9.1}{:>9}{:>8}",
            self.area,
            self.name,
            self.per_second,
            self.of_floor,
            self.p50_ms,
            self.p95_ms,
            self.p99_ms,
            self.p99_of_p50,
            optional(self.cpu_seconds_per_1000, 2),
            optional(self.peak_megabytes, 0),
        );
    }
}

/// A dash where nothing was measured.
pub(super) fn optional(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.decimals$}"))
}

/// The figures of a bench, shown as they come in.
pub(super) struct Notes {
    bench: &'static str,
    figures: Vec<Figure>,
}

impl Notes {
    pub(super) fn of(bench: &'static str) -> Self {
        println!("\n{bench}");
        Self { bench, figures: Vec::new() }
    }

    pub(super) fn add(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        let name = name.into();
        println!("{name:<64}{value:>12.2} {unit}");
        self.figures.push(Figure { bench: self.bench, name, value, unit });
    }

    /// The median, the 99th percentile and the longest of some times.
    pub(super) fn add_times(&mut self, name: &str, outcome: &Outcome) {
        for (percent, word) in [(50, "p50"), (99, "p99"), (100, "longest")] {
            self.add(format!("{name}: {word}"), outcome.millis(percent), "ms");
        }
    }

    pub(super) fn finish(self) -> Vec<Figure> {
        self.figures
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn line(millis: u64, count: usize) -> Line {
        let outcome = Outcome::new(vec![Duration::from_millis(millis); count], Duration::from_secs(1));
        Meter { server: Server(std::process::id()), cpu_seconds: None }.line(("polls", Kind::Read, "a poll"), &outcome)
    }

    #[test]
    fn the_part_of_the_floor_is_of_rates_or_of_latencies() {
        let floor = line(2, 100);
        let is_quarter = |line: Line| (line.of_floor - 0.25).abs() < f64::EPSILON;
        assert!(is_quarter(line(3, 25).against(Some(&floor), false)));
        assert!(is_quarter(line(8, 100).against(Some(&floor), true)));
        assert!((floor.against(None, false).of_floor - 1.0).abs() < f64::EPSILON);
    }
}
