//! The API description: a document for programs and pages for people, made from the endpoint tables of all areas, the
//! guides and the contract in `docs`, and recorded examples.
//!
//! The `reference` component serves these files as they lie in its folder; a test here fails when they are stale.

mod breaking;
#[cfg(test)]
mod described;
mod examples;
mod members;
#[cfg(test)]
mod one_place;
pub mod references;
#[cfg(test)]
mod rooms;
mod site;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use shared::Api;

pub use breaking::{breaking_changes, outline};
pub use examples::{Operations, Recording, renewed as renewed_examples};

/// The areas, each with its endpoints.
pub fn areas() -> Vec<Api> {
    vec![
        ai_conversations::api(),
        background::api(),
        badges::api(),
        communication_channels::api(),
        content_exports::api(),
        course_audit::api(),
        coursework::api(),
        directory::api(),
        error_reports::api(),
        files::api(),
        notification_preferences::api(),
        mastery::api(),
        oauth::api(),
        polls::api(),
        quiz_groups::api(),
        quiz_items::api(),
        quiz_sessions::api(),
        reference::api(),
        sis_imports::api(),
        webhook_subscriptions::api(),
    ]
}

/// The description.
pub fn document() -> serde_json::Value {
    shared::openapi::document(&areas())
}

/// A file of the description.
pub struct File {
    /// Where it lies.
    pub path: PathBuf,
    /// The text that it should contain.
    pub text: String,
}

impl File {
    /// True if it contains something else.
    pub fn is_stale(&self) -> bool {
        std::fs::read_to_string(&self.path).ok().as_deref() != Some(&self.text)
    }
}

/// The outline of the description as it was released last: what clients rely on. A release renews it.
pub fn released() -> File {
    let outline = outline(&document());
    File { path: Path::new(env!("CARGO_MANIFEST_DIR")).join("released.json"), text: format!("{outline}\n") }
}

/// The description with the recorded examples.
fn description() -> Result<Value> {
    let mut description = document();
    examples::describe(&mut description, &examples::recorded()?);
    Ok(description)
}

fn folder() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    workspace.join("components/reference")
}

/// The files of the description.
pub fn files() -> Result<Vec<File>> {
    let description = description()?;
    let pages = site::files(&description, &site::Articles::read()?).into_iter();
    let pages = pages.map(|(path, text)| File { path: folder().join("pages").join(path), text });
    let document = File { path: folder().join("openapi.json"), text: format!("{description:#}\n") };
    Ok(std::iter::once(document).chain(pages).collect())
}

/// The files in the folder of the pages that are none of `files`: those of areas and articles that are no more.
pub fn left_over(files: &[File]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder().join("pages")];
    while let Some(folder) = folders.pop() {
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !files.iter().any(|file| file.path == path) {
                found.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_say_what_the_tables_say() {
        let files = files().unwrap();
        for file in &files {
            assert!(!file.is_stale(), "{} is stale: run `cargo xtask openapi`", file.path.display());
        }
        assert_eq!(left_over(&files).unwrap(), Vec::<PathBuf>::new(), "run `cargo xtask openapi`");
    }

    /// The changelog names an operation as `operation_id`, and says what its clients have to do.
    #[test]
    fn what_breaks_clients_stands_in_the_changelog() {
        let old = std::fs::read_to_string(released().path).unwrap();
        let changelog =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CHANGELOG.md")).unwrap();
        let new = document();
        let unsaid: Vec<_> = breaking_changes(&serde_json::from_str(&old).unwrap(), &new)
            .into_iter()
            .filter(|(operation, _)| !changelog.contains(&format!("`{operation}`")))
            .collect();
        assert!(unsaid.is_empty(), "the changelog does not say that these break clients: {unsaid:#?}");
    }

    /// The name of a handler is the operation's id: a search for it in the repository finds one place.
    #[test]
    fn operation_ids_are_unique_and_have_a_verb_and_a_noun() {
        let areas = areas();
        let mut ids: Vec<_> =
            areas.iter().flat_map(|area| area.endpoints().iter().map(|endpoint| endpoint.id)).collect();
        for id in &ids {
            assert!(
                id.contains('_') && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                "{id}"
            );
        }
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "an operation id occurs twice");
    }

    #[test]
    fn every_area_says_what_it_is_for() {
        for area in areas() {
            let description = area.description;
            assert!(description.starts_with(char::is_uppercase), "{}: {description:?}", area.name);
            assert!(!description.ends_with('.'), "{}: the full stop is added: {description:?}", area.name);
        }
    }

    #[test]
    fn every_endpoint_says_what_it_does() {
        for area in areas() {
            for endpoint in area.endpoints() {
                assert!(!endpoint.documentation.summary.is_empty(), "{} {}", endpoint.method, endpoint.path);
            }
        }
    }
}
