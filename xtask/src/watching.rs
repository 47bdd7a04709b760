//! The alerts and the dashboard are held against the figures that the operators' page tells. That the page has each figure of the
//! application and of the host, and no other, is a test of the crates that export them.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::root;

const PREFIX: &str = "lectern_";
/// What alerts have on top of our own figures: Prometheus' own word on whether it was answered.
const OF_PROMETHEUS: &str = "up{job=~\"lectern.*\"}";

fn deployed(file: &str) -> PathBuf {
    root().join("deploy").join(file)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn page() -> String {
    text(&root().join("docs/OPERATIONS.md"))
}

/// The rules, each as it stands in the file.
fn rules() -> Vec<Value> {
    let file: Value = serde_norway::from_str(&text(&deployed("prometheus-alerts.yaml"))).unwrap();
    let groups = file["groups"].as_array().unwrap().iter();
    groups.flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

/// The words of an expression that are figures of ours.
fn figures(expression: &str) -> BTreeSet<String> {
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(PREFIX)).map(str::to_owned).collect()
}

/// The figures that the operators' page tells, and of each the alerts that belong to it.
fn told() -> Vec<(String, BTreeSet<String>)> {
    let page = page();
    let rows = page.lines().filter(|line| line.starts_with("| `lectern_"));
    let told: Vec<_> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_matches('|').split(" |").map(str::trim).collect();
            let name = figures(cells[0].split('{').next().unwrap()).pop_first().unwrap();
            let alerts = cells.last().unwrap().split('`').skip(1).step_by(2).map(str::to_owned).collect();
            (name, alerts)
        })
        .collect();
    assert!(told.len() > 20, "{told:?}");
    told
}

/// Each `expr` in the dashboard.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("expr").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| expressions(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn alerts_ask_for_figures_that_are_there_and_the_page_tells_of_each_alert() {
    let told = told();
    for rule in rules() {
        let name = rule["alert"].as_str().unwrap().to_owned();
        let expression = rule["expr"].as_str().unwrap();
        let asked = figures(expression);
        assert!(!asked.is_empty(), "{name}");
        for figure in &asked {
            assert!(told.iter().any(|(known, _)| known == figure), "{name}: there is no {figure}");
        }
        let others = expression.replace(OF_PROMETHEUS, "");
        assert!(!others.contains("up{"), "{name}: {expression}");
        let belongs = |(figure, alerts): &(String, BTreeSet<String>)| asked.contains(figure) && alerts.contains(&name);
        assert!(told.iter().any(belongs), "docs/OPERATIONS.md tells at no figure of {name}");
        assert!(["critical", "warning"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
        for annotation in ["summary", "description"] {
            assert!(!rule["annotations"][annotation].as_str().unwrap().is_empty(), "{name}");
        }
    }
    let names: BTreeSet<_> = rules().iter().map(|rule| rule["alert"].as_str().unwrap().to_owned()).collect();
    let told: BTreeSet<_> = told.into_iter().flat_map(|(_, alerts)| alerts).collect();
    assert_eq!(told, names);
}

#[test]
fn the_dashboard_shows_each_figure_and_none_that_is_not_there() {
    let dashboard: Value = serde_json::from_str(&text(&deployed("grafana-dashboard.json"))).unwrap();
    let mut found = Vec::new();
    expressions(&dashboard, &mut found);
    let shown: BTreeSet<_> = found.iter().flat_map(|expression| figures(expression)).collect();
    let told: BTreeSet<_> = told().into_iter().map(|(name, _)| name).collect();
    assert_eq!(shown, told);
    let panels = dashboard["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len(), "panels have ids of their own");
}

#[test]
fn the_rules_are_checked_by_promtool_and_fire_when_they_should() {
    let check = |arguments: &[&str], file: PathBuf| match Command::new("promtool").args(arguments).arg(&file).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {said}", file.display());
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let words = format!("there is no promtool to check {} (apt-get install prometheus)", file.display());
            assert!(!crate::is_ci(), "CI is set, and {words}");
            eprintln!("skipped: {words}");
        }
        Err(error) => panic!("promtool: {error}"),
    };
    check(&["check", "rules"], deployed("prometheus-alerts.yaml"));
    check(&["test", "rules"], root().join("xtask/prometheus/alerts-test.yaml"));
}
