//! Whether the contract tests have seen each operation of the API succeed: a refusal alone shows little of one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use xtask::root;

use crate::clients::DESCRIPTION;

/// Fails and names them where operations of the description are not among those that were recorded in the folder.
pub(crate) fn check(records: &Path) -> Result<()> {
    let succeeded = succeeded(records)?;
    let missing: Vec<_> = described()?.into_iter().filter(|id| !succeeded.contains(id)).collect();
    ensure!(missing.is_empty(), "no contract test has seen these succeed: {}", missing.join(", "));
    Ok(())
}

/// The ids of all operations.
fn described() -> Result<BTreeSet<String>> {
    let description: Value = serde_json::from_str(&fs::read_to_string(root().join(DESCRIPTION))?)?;
    let paths = description.get("paths").and_then(Value::as_object).context("the description has no paths")?;
    let operations = paths.values().filter_map(Value::as_object).flat_map(serde_json::Map::values);
    Ok(operations.filter_map(|operation| Some(operation.get("operationId")?.as_str()?.to_owned())).collect())
}

/// The ids of those of which a request and its answer are written down, a line of JSON for each.
fn succeeded(records: &Path) -> Result<BTreeSet<String>> {
    let mut succeeded = BTreeSet::new();
    for file in fs::read_dir(records)? {
        for line in fs::read_to_string(file?.path())?.lines() {
            let recording: Value = serde_json::from_str(line)?;
            let id = recording.get("operation").and_then(Value::as_str).context("a line that names no operation")?;
            succeeded.insert(id.to_owned());
        }
    }
    Ok(succeeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_no_test_has_seen_succeed_is_named() {
        let records = tempfile::tempdir().unwrap();
        let all = described().unwrap();
        assert!(all.contains("get_poll") && all.len() > 500, "{}", all.len());
        let line = |id: &str| format!("{{\"operation\":\"{id}\",\"status\":200}}\n");
        let lines: String = all.iter().filter(|id| *id != "get_poll").map(|id| line(id)).collect();
        fs::write(records.path().join("1.jsonl"), lines).unwrap();
        let problem = check(records.path()).unwrap_err().to_string();
        assert_eq!(problem, "no contract test has seen these succeed: get_poll");
        fs::write(records.path().join("2.jsonl"), line("get_poll")).unwrap();
        check(records.path()).unwrap();
    }
}
