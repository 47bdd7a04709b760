//! The application manifest, `spin.toml`, version 2: the part of it that this host understands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    spin_manifest_version: u32,
    #[serde(default)]
    pub(crate) application: Application,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, Variable>,
    #[serde(default)]
    pub(crate) trigger: Triggers,
    #[serde(default)]
    pub(crate) component: BTreeMap<String, Component>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Application {
    #[serde(default)]
    pub(crate) name: String,
}

/// An application variable; its value comes from the environment, the command line or `default`.
/// A secret one is not marked here: this host prints no values.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Variable {
    pub(crate) default: Option<String>,
    #[serde(default)]
    pub(crate) required: bool,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Triggers {
    #[serde(default)]
    pub(crate) http: Vec<HttpTrigger>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct HttpTrigger {
    pub(crate) route: Route,
    pub(crate) component: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Route {
    Pattern(String),
    Private { private: bool },
}

#[derive(Debug, Deserialize)]
pub(crate) struct Component {
    /// Path of the WebAssembly file; [`Manifest::load`] makes it relative to the manifest's folder.
    pub(crate) source: PathBuf,
    #[serde(default)]
    pub(crate) allowed_outbound_hosts: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) key_value_stores: Vec<String>,
    #[serde(default)]
    pub(crate) sqlite_databases: Vec<String>,
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, String>,
    #[serde(default)]
    files: Vec<toml::Value>,
    build: Option<Build>,
}

#[derive(Debug, Deserialize)]
struct Build {
    command: toml::Value,
}

impl Manifest {
    /// Reads the manifest at `path` and checks what can be checked without running anything.
    pub(crate) fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the application manifest {}", path.display()))?;
        let mut manifest =
            Self::parse(&text).with_context(|| format!("{} is not a usable manifest", path.display()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        for component in manifest.component.values_mut() {
            component.source = folder.join(&component.source);
        }
        Ok(manifest)
    }

    fn parse(text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text)?;
        ensure!(
            manifest.spin_manifest_version == 2,
            "spin_manifest_version is {}; only version 2 is understood",
            manifest.spin_manifest_version
        );
        for trigger in &manifest.trigger.http {
            ensure!(
                manifest.component.contains_key(&trigger.component),
                "a trigger names the component \"{}\", which the manifest does not have",
                trigger.component
            );
            if let Route::Private { private: false } = trigger.route {
                bail!("the route of \"{}\" must be a pattern or {{ private = true }}", trigger.component);
            }
        }
        for (id, component) in &manifest.component {
            ensure!(component.files.is_empty(), "component \"{id}\" mounts files, which this host does not do");
        }
        Ok(manifest)
    }

    /// Keeps only the components in `ids`, as `spin up -c` does. No ids keep everything.
    pub(crate) fn retain_components(&mut self, ids: &[String]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        if let Some(unknown) = ids.iter().find(|id| !self.component.contains_key(*id)) {
            let known: Vec<_> = self.component.keys().map(String::as_str).collect();
            bail!("there is no component \"{unknown}\"; the manifest has {}", known.join(", "));
        }
        self.component.retain(|id, _| ids.contains(id));
        self.trigger.http.retain(|trigger| ids.contains(&trigger.component));
        Ok(())
    }
}

impl Component {
    /// The command that makes the WebAssembly file, for the message that says that it is missing.
    pub(crate) fn build_command(&self) -> String {
        match self.build.as_ref().map(|build| &build.command) {
            Some(toml::Value::String(command)) => command.clone(),
            Some(toml::Value::Array(commands)) => {
                let commands: Vec<_> = commands.iter().filter_map(toml::Value::as_str).collect();
                commands.join(" && ")
            }
            _ => "cargo build --release --target wasm32-wasip2".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"
        spin_manifest_version = 2
        [application]
        name = "school"
        version = "1.0.0"
        [variables]
        token_secret = { required = true, secret = true }
        model = { default = "none" }
        [[trigger.http]]
        route = "/api/v1/polls/:poll_id/..."
        component = "polls"
        [[trigger.http]]
        route = { private = true }
        component = "background"
        [component.polls]
        source = "polls.wasm"
        sqlite_databases = ["default"]
        variables = { secret = "{{ token_secret }}" }
        [component.polls.build]
        command = "cargo build -p polls"
        [component.background]
        source = "background.wasm"
    "#;

    #[test]
    fn the_parts_of_a_manifest_are_read() {
        let manifest = Manifest::parse(MANIFEST).unwrap();
        assert_eq!(manifest.application.name, "school");
        assert!(manifest.variables["token_secret"].required);
        assert_eq!(manifest.variables["model"].default.as_deref(), Some("none"));
        assert!(matches!(&manifest.trigger.http[0].route, Route::Pattern(p) if p == "/api/v1/polls/:poll_id/..."));
        assert!(matches!(manifest.trigger.http[1].route, Route::Private { private: true }));
        assert_eq!(manifest.component["polls"].sqlite_databases, ["default"]);
        assert_eq!(manifest.component["polls"].build_command(), "cargo build -p polls");
        assert!(manifest.component["background"].build_command().contains("wasm32-wasip2"));
    }

    #[test]
    fn a_subset_keeps_its_triggers_only() {
        let mut manifest = Manifest::parse(MANIFEST).unwrap();
        manifest.retain_components(&["polls".to_owned()]).unwrap();
        assert_eq!(manifest.component.len(), 1);
        assert_eq!(manifest.trigger.http.len(), 1);
        let error = manifest.retain_components(&["pools".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("pools"), "{error}");
    }

    #[test]
    fn a_trigger_without_its_component_is_refused() {
        let text = "spin_manifest_version = 2\n[[trigger.http]]\nroute = \"/\"\ncomponent = \"gone\"";
        let error = Manifest::parse(text).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }

    #[test]
    fn other_versions_are_refused() {
        assert!(Manifest::parse("spin_manifest_version = 1").is_err());
    }
}
