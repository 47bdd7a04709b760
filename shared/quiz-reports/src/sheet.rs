//! A table as a file of CSV (RFC 4180), which spreadsheets open without running anything of it.
//!
//! Spreadsheets take a text that begins with `=`, `+`, `-`, `@`, a tab or a line break for a formula, quoted or not. Names and
//! answers are of students, so that such a text has an apostrophe before it, as OWASP recommends; a number that stands there
//! as text, such as `-5`, is none and stays what it is.

use std::fmt::Write;

/// A value of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A text of whomever.
    Text(String),
    /// A number of ours.
    Number(f64),
    /// A count or an id.
    Whole(i64),
    /// Nothing.
    Nothing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<f64>> for Cell {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Nothing, Self::Number)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Whole(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// The characters with which formulas begin, in spreadsheets of East Asia also in their wide form.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// A row of the file.
pub fn line(cells: &[Cell]) -> String {
    let mut line = String::new();
    for (place, cell) in cells.iter().enumerate() {
        if place > 0 {
            line.push(',');
        }
        match cell {
            Cell::Text(text) => add_text(&mut line, text),
            // Writing to a string does not fail.
            Cell::Number(number) => drop(write!(line, "{number:?}")),
            Cell::Whole(number) => drop(write!(line, "{number}")),
            Cell::Nothing => {}
        }
    }
    line.push_str("\r\n");
    line
}

fn add_text(line: &mut String, text: &str) {
    let is_formula = is_formula(text);
    let is_quoted = text.contains([',', ';', '"', '\n', '\r', '\t']) || text.starts_with(' ') || text.ends_with(' ');
    if !is_quoted {
        line.push_str(if is_formula { "'" } else { "" });
        line.push_str(text);
        return;
    }
    line.push('"');
    line.push_str(if is_formula { "'" } else { "" });
    line.push_str(&text.replace('"', "\"\""));
    line.push('"');
}

/// True if a spreadsheet could take the text for a formula.
fn is_formula(text: &str) -> bool {
    // What is before the sign does not count: some programs cut it off.
    let begins = text.starts_with(FORMULA) || text.trim_start().starts_with(FORMULA);
    begins && !is_number(text)
}

fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    digits(text) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        line(&[Cell::from(text)]).trim_end_matches("\r\n").to_owned()
    }

    #[test]
    fn what_could_be_a_formula_is_text() {
        assert_eq!(text("=1+1"), "'=1+1");
        assert_eq!(text("@SUM(1)"), "'@SUM(1)");
        assert_eq!(text("+49 30"), "'+49 30");
        assert_eq!(text("-2+3"), "'-2+3");
        assert_eq!(text("\t=1"), "\"'\t=1\"");
        assert_eq!(text(" =cmd|' /C calc'!A0"), "\"' =cmd|' /C calc'!A0\"");
        assert_eq!(text("=HYPERLINK(\"http://x\",\"y\")"), "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
        assert_eq!(text("＝1"), "'＝1");
    }

    #[test]
    fn numbers_stay_numbers() {
        for number in ["-5", "+3.25", "-1e-3", "42"] {
            assert_eq!(text(number), number);
        }
        assert_eq!(line(&[Cell::Number(-1.0), Cell::Whole(-2), Cell::Nothing]), "-1.0,-2,\r\n");
    }

    #[test]
    fn separators_and_quotes_are_quoted() {
        assert_eq!(text("a,b"), "\"a,b\"");
        assert_eq!(text("say \"oak\""), "\"say \"\"oak\"\"\"");
        assert_eq!(text("two\nlines"), "\"two\nlines\"");
        assert_eq!(text("plain"), "plain");
    }
}
