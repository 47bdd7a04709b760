//! The application manifest, as far as the tools read it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::root;

/// The variable that names another manifest than `spin.toml`, relative to the workspace.
const ANOTHER: &str = "LECTERN_MANIFEST";

/// The manifest from which applications are started: that of the workspace, or the one that the environment names.
pub fn path() -> PathBuf {
    root().join(std::env::var_os(ANOTHER).unwrap_or_else(|| "spin.toml".into()))
}

/// True if the environment names one. Its components were built in another way: nobody else builds them.
pub fn is_another() -> bool {
    std::env::var_os(ANOTHER).is_some()
}

/// `spin.toml`.
#[derive(Deserialize)]
pub struct Manifest {
    /// The application variables, by name.
    pub variables: BTreeMap<String, toml::Value>,
    /// The causes that set components off.
    pub trigger: Trigger,
    /// The components, by id; the id is the name of the package too.
    pub component: BTreeMap<String, Component>,
}

/// The causes that set components off.
#[derive(Deserialize)]
pub struct Trigger {
    /// Requests.
    pub http: Vec<HttpTrigger>,
}

/// A route and the component that answers it.
#[derive(Deserialize)]
pub struct HttpTrigger {
    /// The route, with `:name` and `/...` in it.
    pub route: String,
    /// The component's id.
    pub component: String,
}

/// A component.
#[derive(Deserialize)]
pub struct Component {
    /// The file it is built to, relative to the workspace.
    pub source: String,
    /// The hosts it may connect to: Spin's patterns, or templates over the application's variables.
    pub allowed_outbound_hosts: Vec<String>,
    /// The variables it sees: templates over the application's.
    #[serde(default)]
    pub variables: BTreeMap<String, String>,
    /// Its build.
    pub build: Build,
}

/// The build of a component.
#[derive(Deserialize)]
pub struct Build {
    /// The command.
    pub command: String,
}

impl Manifest {
    /// Reads the manifest of the workspace.
    pub fn load() -> Result<Self> {
        let path = root().join("spin.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} is not a manifest that we know", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_manifest_has_every_component_and_no_other() {
        let manifest = Manifest::load().unwrap();
        // A folder without a component in it is a library of one.
        let folders = std::fs::read_dir(root().join("components")).unwrap().map(Result::unwrap);
        let is_component = |folder: &std::fs::DirEntry| {
            std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap().contains("cdylib")
        };
        let folders = folders.filter(is_component).map(|folder| folder.file_name().into_string().unwrap());
        let folders: BTreeSet<_> = folders.collect();
        let components: BTreeSet<_> = manifest.component.keys().cloned().collect();
        assert_eq!(components, folders);
        let routed: BTreeSet<_> = manifest.trigger.http.into_iter().map(|trigger| trigger.component).collect();
        assert_eq!(components, routed, "each component has a route");
    }

    #[test]
    fn the_tick_calls_for_the_jobs_of_every_component_that_has_some() {
        let read = |path: &str| std::fs::read_to_string(root().join("components").join(path)).unwrap();
        let mut components = Manifest::load().unwrap().component;
        let with_jobs = components.keys().filter(|id| read(&format!("{id}/src/lib.rs")).contains("background::jobs("));
        let with_jobs: BTreeSet<_> = with_jobs.cloned().collect();

        let tick = read("background/src/routes/tick.rs");
        let (_, areas) = tick.split_once("const AREAS").unwrap();
        let (areas, _) = areas.split_once(';').map(|(_, areas)| areas.split_once(';').unwrap()).unwrap();
        let called: BTreeSet<_> = areas.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(called, with_jobs);

        let hosts = components.remove("background").unwrap().allowed_outbound_hosts;
        let reached = hosts.iter().filter_map(|host| host.strip_prefix("http://")?.strip_suffix(".spin.internal"));
        assert_eq!(reached.map(str::to_owned).collect::<BTreeSet<_>>(), with_jobs);
    }

    #[test]
    fn each_component_is_built_to_where_it_is_taken_from() {
        for (id, component) in Manifest::load().unwrap().component {
            let file = format!("target/wasm32-wasip2/release/{}.wasm", id.replace('-', "_"));
            assert_eq!(component.source, file, "{id}");
            let command = format!("cargo build --target wasm32-wasip2 --release -p {id}");
            assert_eq!(component.build.command, command, "{id}");
        }
    }

    #[test]
    fn each_variable_of_a_component_is_one_of_the_application() {
        let manifest = Manifest::load().unwrap();
        for (id, component) in &manifest.component {
            for (name, template) in &component.variables {
                assert_eq!(*template, format!("{{{{ {name} }}}}"), "{id}");
                assert!(manifest.variables.contains_key(name), "{id}: {name}");
            }
        }
    }

    #[test]
    fn no_component_reaches_loopback_or_plain_http_unless_a_variable_says_so() {
        let manifest = Manifest::load().unwrap();
        let expanded = |host: &str| match host.strip_prefix("{{ ").and_then(|rest| rest.strip_suffix(" }}")) {
            Some(name) => manifest.variables[name]["default"].as_str().unwrap().to_owned(),
            None => host.to_owned(),
        };
        for (id, component) in &manifest.component {
            for host in component.allowed_outbound_hosts.iter().map(|host| expanded(host)) {
                let is_own = host.starts_with("http://") && host.ends_with(".spin.internal");
                assert!(is_own || host == "https://*:*" || host == "https://none.invalid", "{id}: {host}");
            }
        }
        for name in crate::folder::of_development().keys() {
            assert!(manifest.variables.contains_key(name), "{name}");
        }
    }

    #[test]
    fn each_route_is_there_once() {
        let mut routes = BTreeSet::new();
        for trigger in Manifest::load().unwrap().trigger.http {
            assert!(routes.insert(trigger.route.clone()), "{}", trigger.route);
        }
    }

    /// The cells of the table with that header.
    fn table(file: &str, header: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let (_, rows) = text.split_once(header).unwrap_or_else(|| panic!("{file} has no table {header}"));
        let rows = rows.lines().skip(2).take_while(|line| line.starts_with('|'));
        rows.map(|row| row.split('|').map(|cell| cell.trim().to_owned()).skip(1).collect()).collect()
    }

    /// The words in backticks.
    fn words(cell: &str) -> Vec<&str> {
        cell.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_readme_names_every_component_and_paths_that_lead_to_it() {
        let manifest = Manifest::load().unwrap();
        let mut router = routefinder::Router::new();
        for trigger in manifest.trigger.http {
            let route = trigger.route.strip_suffix("/...").map_or(trigger.route.clone(), |start| format!("{start}/*"));
            router.add(route.as_str(), trigger.component).unwrap();
        }
        let mut named = BTreeSet::new();
        for row in table("README.md", "| Area | Path | Component |") {
            let [area, paths, components, ..] = row.as_slice() else { panic!("{row:?}") };
            let led_to = words(paths).into_iter().map(|path| router.best_match(path).unwrap().handler().as_str());
            let led_to: BTreeSet<_> = led_to.collect();
            assert_eq!(led_to, words(components).into_iter().collect(), "{area}");
            named.extend(words(components).into_iter().map(str::to_owned));
        }
        assert_eq!(named, manifest.component.into_keys().collect());
    }

    #[test]
    fn the_architecture_names_every_component_and_no_other() {
        let rows = table("docs/ARCHITECTURE.md", "| Component | Answers for |");
        let named: BTreeSet<_> = rows.iter().flat_map(|row| words(&row[0])).map(str::to_owned).collect();
        assert_eq!(named, Manifest::load().unwrap().component.into_keys().collect());
    }

    /// The documents name the test that fails where a step is forgotten.
    #[test]
    fn the_architecture_names_tests_that_exist() {
        let mut tests = 0;
        for header in
            ["## Adding an endpoint\n\nSuppose groups of questions should be copied.\n\n", "## Adding an area\n\n"]
        {
            for row in table("docs/ARCHITECTURE.md", &format!("{header}| Where | What | Checked by |")) {
                let mut text = String::new();
                for word in words(&row[2]) {
                    if word.ends_with(".rs") {
                        text = std::fs::read_to_string(root().join(word)).unwrap_or_else(|_| panic!("no file {word}"));
                    } else if !word.starts_with("cargo ") {
                        assert!(text.contains(&format!("fn {word}(")), "there is no test {word}: {row:?}");
                        tests += 1;
                    }
                }
            }
        }
        assert!(tests > 15, "only {tests} tests are named");
    }

    #[test]
    fn every_area_has_a_page_of_the_contract() {
        for component in Manifest::load().unwrap().component.into_keys() {
            let page = root().join(format!("docs/contract/{component}.md"));
            // The API description is no area of the API.
            assert!(page.exists() || component == "reference", "{component}");
        }
    }

    #[test]
    fn every_file_of_contract_tests_is_compiled() {
        let listed = std::fs::read_to_string(root().join("tests/main.rs")).unwrap();
        for entry in std::fs::read_dir(root().join("tests")).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let is_module = path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(!is_module || name == "main" || listed.contains(&format!("\nmod {name};")), "{name}");
        }
    }
}
