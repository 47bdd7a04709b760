//! The chart of a run: a bar for each kind of request, as a part of the floor. One SVG for light and dark pages.

use std::fmt::Write;

use anyhow::Result;

use super::figure::Line;
use super::table::{FLOOR, Kind};

const WIDTH: f64 = 760.0;
const ROW: f64 = 20.0;
const LEFT: f64 = 470.0;
const TOP: f64 = 34.0;
/// Room for the figure behind the longest bar.
const RIGHT: f64 = 50.0;

/// Colors of the background's own kind: the picture stands on whatever page shows it.
const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1f2328}.quiet{fill:#59636e}.axis{stroke:#d1d9e0}
.read{fill:#0969da}.list{fill:#1a7f37}.write{fill:#bc4c00}.hot{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.axis{stroke:#3d444d}
.read{fill:#4493f8}.list{fill:#3fb950}.write{fill:#db6d28}.hot{fill:#ab7df8}}";

/// The picture as the text of an SVG file.
pub(super) fn draw(lines: &[Line]) -> Result<String> {
    let bars: Vec<_> = lines.iter().filter(|line| line.area != FLOOR).collect();
    let rows = f64::from(u32::try_from(bars.len())?);
    let height = TOP + rows * ROW + 10.0;
    let most = bars.iter().map(|line| line.of_floor).fold(f64::MIN_POSITIVE, f64::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         role=\"img\" aria-label=\"Requests per second of each kind, as a part of the floor\">\n<style>{STYLE}</style>\n"
    );
    for (number, kind) in (0_u32..).zip([Kind::Read, Kind::List, Kind::Write, Kind::Hot]) {
        let (x, name) = (LEFT + f64::from(number) * 62.0, class(kind));
        writeln!(svg, "<rect class=\"{name}\" x=\"{x}\" y=\"8\" width=\"10\" height=\"10\"/>")?;
        writeln!(svg, "<text class=\"quiet\" x=\"{}\" y=\"17\">{name}</text>", x + 14.0)?;
    }
    writeln!(svg, "<line class=\"axis\" x1=\"{LEFT}\" y1=\"{TOP}\" x2=\"{LEFT}\" y2=\"{}\"/>", height - 10.0)?;
    let mut area = "";
    for (number, line) in (0_u32..).zip(&bars) {
        let y = TOP + f64::from(number) * ROW;
        if area != line.area {
            area = &line.area;
            writeln!(svg, "<text x=\"4\" y=\"{}\">{}</text>", y + 14.0, escape(area))?;
        }
        let length = line.of_floor / most * (WIDTH - LEFT - RIGHT);
        let (name, text) = (class(line.kind), escape(&line.name));
        writeln!(
            svg,
            "<text class=\"quiet\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>",
            LEFT - 6.0,
            y + 14.0
        )?;
        writeln!(svg, "<rect class=\"{name}\" x=\"{LEFT}\" y=\"{}\" width=\"{length:.1}\" height=\"14\"/>", y + 3.0)?;
        writeln!(svg, "<text x=\"{:.1}\" y=\"{}\">{:.2}</text>", LEFT + length + 5.0, y + 14.0, line.of_floor)?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Floor => FLOOR,
        Kind::Read => "read",
        Kind::List => "list",
        Kind::Write => "write",
        Kind::Hot => "hot",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::tests::line;

    #[test]
    fn the_longest_bar_ends_before_the_edge_and_others_are_in_proportion() {
        let svg = draw(&[line(FLOOR, 1.0), line("polls", 0.5), line("a & b", 0.25)]).unwrap();
        let whole = WIDTH - LEFT - RIGHT;
        for (length, share) in [(whole, "0.50"), (whole / 2.0, "0.25")] {
            assert!(svg.contains(&format!("width=\"{length:.1}\" height=\"14\"")), "{svg}");
            assert!(svg.contains(&format!(">{share}</text>")));
        }
        assert!(svg.contains("a &amp; b") && !svg.contains(">floor<"));
        assert!(svg.contains("prefers-color-scheme:dark"));
    }
}
