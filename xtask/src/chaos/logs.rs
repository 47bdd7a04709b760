//! The causes of failures, as the processes have logged them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

/// The first characters of a cause: the rest names ids.
const CAUSE_CHARS: usize = 160;

/// Words of failures that kills and clocks which differ are the cause of: servers that are away, components that met one, and
/// work whose lease somebody else has.
const OUTAGES: [&str; 13] = [
    "Hrana",
    "key-value store",
    "the database is busy",
    "the database cannot be reached",
    "the connection had expired",
    "an earlier statement of the transaction had failed",
    "answered 500",
    "answered 503",
    "it took too long",
    "nobody answers",
    "the answer broke off",
    "The work went on elsewhere",
    "It took too long until all bytes had come",
];

/// True if the cause is that something was killed. What a receiver of webhooks answers is told by a line that has no status.
pub(super) fn is_outage(cause: &str) -> bool {
    cause.starts_with("(later)") || OUTAGES.iter().any(|words| cause.contains(words))
}

/// The causes of answers that blame the service, and of work after responses that failed, and their number.
pub(super) fn causes(folder: &Path) -> Result<BTreeMap<String, usize>> {
    let mut causes = BTreeMap::new();
    for process in std::fs::read_dir(folder)? {
        let logs = process?.path().join("logs");
        if !logs.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(logs)? {
            let text = std::fs::read(file?.path())?;
            for line in String::from_utf8_lossy(&text).lines() {
                if let Some(cause) = cause(line) {
                    *causes.entry(cause).or_default() += 1;
                }
            }
        }
    }
    Ok(causes)
}

/// The status and the cause of a line about a request that failed.
fn cause(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    if let Some(cause) = line.get("background").and_then(Value::as_str) {
        return Some(format!("(background) {}", cause.chars().take(CAUSE_CHARS).collect::<String>()));
    }
    let status = line.get("status").and_then(Value::as_i64).filter(|status| *status >= 500);
    let cause = line.get("cause").or_else(|| line.get("failure"))?.as_str()?;
    let cause: String = cause.chars().take(CAUSE_CHARS).collect();
    Some(status.map_or_else(|| format!("(later) {cause}"), |status| format!("{status} {cause}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_cause_or_is_passed_over() {
        let line = r#"{"status":500,"cause":"it broke"}"#;
        assert_eq!(cause(line).as_deref(), Some("500 it broke"));
        assert_eq!(cause(r#"{"failure":"it broke"}"#).as_deref(), Some("(later) it broke"));
        let line = r#"{"background":"Internal: it broke"}"#;
        assert_eq!(cause(line).as_deref(), Some("(background) Internal: it broke"));
        assert_eq!(cause(r#"{"status":200}"#), None);
        assert_eq!(cause("not JSON"), None);
    }

    #[test]
    fn a_defect_is_told_from_a_server_that_was_killed() {
        for outage in [
            "500 Hrana: `http error: `connection closed before message completed``",
            "(background) Internal: key-value store: Error::Other(\"broken pipe\")",
            "503 the database is busy",
            "(later) the answer is 500",
        ] {
            assert!(is_outage(outage), "{outage}");
        }
        for defect in ["500 no such column: x", "(background) Internal: a statement that always has a row had none"] {
            assert!(!is_outage(defect), "{defect}");
        }
    }
}
