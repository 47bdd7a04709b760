//! A run as text: the tables of docs/PERFORMANCE.md, between markers, and what a thousand requests cost.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use xtask::root;

use super::figure::{Figure, Figures, Line, optional};
use super::table::{FLOOR, Kind};
use super::{Options, chart};

const PAGE: &str = "docs/PERFORMANCE.md";
const CHART: &str = "docs/performance.svg";
/// The name of the markers around the table of other servers.
const COMPARE: &str = "compare";
const SECONDS_PER_HOUR: f64 = 3_600.0;

/// Writes what was measured into the page and the chart; parts of the page that this run has not measured stay.
pub(super) fn write(figures: &Figures, options: &Options) -> Result<()> {
    let path = root().join(PAGE);
    let mut page = fs::read_to_string(&path).with_context(|| PAGE.to_owned())?;
    if !figures.lines.is_empty() {
        fs::write(root().join(CHART), chart::draw(&figures.lines)?)?;
        page = replaced(&page, "areas", &areas(&figures.lines, options)?)?;
    }
    if !figures.beside_others.is_empty() {
        page = replaced(&page, COMPARE, &beside_others(&figures.beside_others, options)?)?;
    }
    for part in figures.figures.chunk_by(|one, other| one.bench == other.bench) {
        let bench = part.first().map_or("", |figure| figure.bench);
        page = replaced(&page, bench, &list(part)?)?;
    }
    fs::write(path, page)?;
    eprintln!("Wrote {PAGE}");
    Ok(())
}

/// The page with another text between the markers of that name.
fn replaced(page: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- bench {name} -->\n"), format!("<!-- end of bench {name} -->"));
    let parts = page.split_once(&begin).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
    let (before, after) = parts.with_context(|| format!("{PAGE} has no markers for {name}"))?;
    Ok(format!("{before}{begin}{text}{end}{after}"))
}

fn areas(lines: &[Line], options: &Options) -> Result<String> {
    let mut text = conditions(options)?;
    text.push_str(
        "\n![Requests per second of each kind, as a part of the floor](performance.svg)\n\n\
         | Area | Kind | Request | Of the floor | p50 ms | p95 ms | p99 ms | p99/p50 | CPU s per 1,000 | MB at most |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let (area, kind, name) = (&line.area, format!("{:?}", line.kind).to_lowercase(), &line.name);
        let (cpu, peak) = (optional(line.cpu_seconds_per_1000, 2), optional(line.peak_megabytes, 0));
        writeln!(
            text,
            "| {area} | {kind} | {name} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {cpu} | {peak} |",
            line.of_floor, line.p50_ms, line.p95_ms, line.p99_ms, line.p99_of_p50
        )?;
    }
    text.push_str(&cost(lines, options.vcpu_hour_usd));
    Ok(text)
}

/// The way in which a table was measured.
fn conditions(options: &Options) -> Result<String> {
    let cores = std::thread::available_parallelism()?.get();
    let how = match options.rate {
        Some(rate) => format!("{rate} requests in a second by a schedule"),
        None => "one request after another".to_owned(),
    };
    let size = format!("{:?}", options.size.unwrap_or(super::size::Size::Small)).to_lowercase();
    let connections = counted(options.connections, "connection");
    let seconds = counted(usize::try_from(options.seconds)?, "second");
    let cores = if cores == 1 { "1 core, which makes".to_owned() } else { format!("{cores} cores, which make") };
    Ok(format!("{connections}, {how}, {seconds} for each kind; database of size `{size}`; {cores} the load as well.\n"))
}

/// The number with the noun, which ends in an s where there are several.
pub(super) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The application beside servers that execute the same statements.
fn beside_others(lines: &[Line], options: &Options) -> Result<String> {
    let mut text = conditions(options)?;
    text.push_str(
        "\n| Server | Request | Of the floor | p50 ms | p99 ms | CPU s per 1,000 | MB at most |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let (server, name) = (&line.area, &line.name);
        let (cpu, peak) = (optional(line.cpu_seconds_per_1000, 2), optional(line.peak_megabytes, 0));
        let Line { of_floor, p50_ms, p99_ms, .. } = line;
        writeln!(text, "| {server} | {name} | {of_floor:.2} | {p50_ms:.2} | {p99_ms:.2} | {cpu} | {peak} |")?;
    }
    Ok(text)
}

/// The calculation of what requests cost, in seconds and in money.
fn cost(lines: &[Line], vcpu_hour_usd: f64) -> String {
    let mut text = format!(
        "\nThe processor time of a thousand requests, and what it costs at {vcpu_hour_usd} USD for an hour of a virtual processor:\n\n\
         | Kind, over the areas | CPU s per 1,000 | USD per million |\n|---|---|---|\n"
    );
    for kind in [Kind::Read, Kind::List, Kind::Write, Kind::Hot] {
        let seconds = lines.iter().filter(|line| line.kind == kind && line.area != FLOOR);
        let seconds: Vec<f64> = seconds.filter_map(|line| line.cpu_seconds_per_1000).collect();
        let name = format!("{kind:?}").to_lowercase();
        let mean = mean(&seconds);
        let usd = mean.map(|mean| usd_per_million(mean, vcpu_hour_usd));
        text.push_str(&format!("| {name}, the mean | {} | {} |\n", optional(mean, 2), optional(usd, 3)));
    }
    text.push_str(&format!(
        "\nThe calculation: seconds per 1,000 × 1,000 ÷ 3,600 seconds × {vcpu_hour_usd} USD. A machine that is kept busy by half costs \
         twice as much for each request; memory, disk and traffic are not in it.\n"
    ));
    text
}

fn mean(values: &[f64]) -> Option<f64> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<f64>() / f64::from(count))
}

/// The price of the processor time of a million requests.
fn usd_per_million(cpu_seconds_per_1000: f64, vcpu_hour_usd: f64) -> f64 {
    cpu_seconds_per_1000 * 1_000.0 / SECONDS_PER_HOUR * vcpu_hour_usd
}

fn list(figures: &[Figure]) -> Result<String> {
    let mut text = "| | | |\n|---|---|---|\n".to_owned();
    for figure in figures {
        writeln!(text, "| {} | {:.2} | {} |", figure.name, figure.value, figure.unit)?;
    }
    Ok(text)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn line(area: &str, of_floor: f64) -> Line {
        Line {
            area: area.to_owned(),
            kind: Kind::Read,
            name: "a request".to_owned(),
            requests: 1,
            per_second: of_floor,
            of_floor,
            p50_ms: 1.0,
            p95_ms: 2.0,
            p99_ms: 3.0,
            p99_of_p50: 3.0,
            cpu_seconds_per_1000: Some(0.9),
            peak_megabytes: None,
        }
    }

    #[test]
    fn a_second_for_a_thousand_requests_is_a_thousand_for_a_million() {
        // 3.6 s for 1,000 are 3,600 s for 1,000,000: one hour.
        assert!((usd_per_million(3.6, 0.05) - 0.05).abs() < 1e-12);
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, 2.0]), Some(1.5));
    }

    #[test]
    fn the_cost_of_a_kind_is_the_mean_of_the_areas_without_the_floor() {
        let text = cost(&[line(FLOOR, 1.0), line("polls", 0.5), line("badges", 0.5)], 0.04);
        assert!(text.contains("| read, the mean | 0.90 | 0.010 |"), "{text}");
        assert!(text.contains("| list, the mean | – | – |"), "{text}");
    }

    #[test]
    fn a_noun_is_in_the_plural_unless_there_is_one() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "second")), ["0 seconds", "1 second", "2 seconds"]);
    }

    #[test]
    fn only_the_text_between_the_markers_changes() {
        let page = "a\n<!-- bench areas -->\nold\n<!-- end of bench areas -->\nb\n";
        let new = replaced(page, "areas", "new\n").unwrap();
        assert_eq!(new, page.replace("old", "new"));
        assert!(replaced(page, "votes", "new\n").is_err());
    }

    #[test]
    fn the_page_has_a_place_for_each_part() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        for part in ["areas", COMPARE].iter().chain(&super::super::WITH_FIGURES) {
            replaced(&page, part, "").unwrap();
        }
    }
}
