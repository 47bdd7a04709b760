//! The causes of failures, as the processes have logged them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

/// The first characters of a cause: the rest names ids.
const CAUSE_CHARS: usize = 160;

/// The causes of answers that blame the service, and their number.
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
        assert_eq!(cause(r#"{"status":200}"#), None);
        assert_eq!(cause("not JSON"), None);
    }
}
