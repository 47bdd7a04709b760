//! The common ground of the developer commands and the tests: the workspace, the data folder, the running application and a
//! client for it.

#![expect(clippy::print_stderr, reason = "it speaks to the person at the terminal")]

pub mod app;
pub mod assertion;
pub mod client;
pub mod daemon;
pub mod folder;
pub mod front;
pub mod items;
#[cfg(test)]
mod kubernetes;
pub mod manifest;
pub mod redis;
pub mod sandbox;
pub mod scaled;
#[cfg(test)]
mod watching;

use std::path::{Path, PathBuf};

/// The folder of the workspace.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// True if a program of that name is on the PATH, or among those of the system, which not every PATH has.
pub fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
    folders.any(|folder| folder.join(program).is_file())
}

/// True where nothing may be left out that can be checked.
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some_and(|ci| !ci.is_empty())
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
