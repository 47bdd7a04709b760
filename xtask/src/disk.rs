//! Room on the disk for what all checks build, looked at before they begin: where a disk is full, whichever program happens to
//! write then says so in its own words, after half an hour.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::{Context, Result};

const GIGABYTE: u64 = 1_000_000_000;
/// What the folder of a clean clone has grown to when all checks have passed.
const NEEDED: u64 = 20 * GIGABYTE;

/// Tells in words if the disk is likely to be full before the checks have ended.
pub(crate) fn warn(target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    let built = size(target)?;
    let disk = rustix::fs::statvfs(target).context("the room on the disk")?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if let Some(missing) = missing(built, free) {
        eprintln!(
            "\n== Disk: {} has {} GB free, and the checks may need {} more. `cargo clean` removes what earlier ones have left.",
            target.display(),
            free / GIGABYTE,
            missing.div_ceil(GIGABYTE)
        );
    }
    Ok(())
}

/// The bytes that are likely to be missing.
fn missing(built: u64, free: u64) -> Option<u64> {
    NEEDED.saturating_sub(built).checked_sub(free).filter(|missing| *missing > 0)
}

/// The bytes that files in a folder take on the disk; a file of several names counts in parts.
fn size(folder: &Path) -> Result<u64> {
    let mut total = 0_u64;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total = total.saturating_add(match metadata.is_dir() {
            true => size(&entry.path())?,
            false => metadata.blocks().saturating_mul(512) / metadata.nlink().max(1),
        });
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_already_needs_no_more_room() {
        assert_eq!(missing(0, NEEDED), None);
        assert_eq!(missing(NEEDED, 0), None);
        assert_eq!(missing(2 * NEEDED, 0), None);
        assert_eq!(missing(5 * GIGABYTE, 5 * GIGABYTE), Some(NEEDED - 10 * GIGABYTE));
    }

    #[test]
    fn the_files_of_all_folders_count() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deps")).unwrap();
        fs::write(folder.path().join("deps/a"), [7; 100_000]).unwrap();
        fs::hard_link(folder.path().join("deps/a"), folder.path().join("b")).unwrap();
        let size = size(folder.path()).unwrap();
        assert!((100_000..110_000).contains(&size), "{size}");
    }
}
