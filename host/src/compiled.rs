//! Compiled code: where a machine keeps it, and what a release brings, so that no first start has to compile.
//!
//! Code is made for any machine of an architecture, not for the one that compiles: what one has compiled is good for all.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{NamedTempFile, TempDir};
use terminal::Progress;
use wasmtime::{Cache, CacheConfig};

use crate::engine::{self, Source};
use crate::manifest::Manifest;

/// The folder beside a manifest with the compiled code that a release brings.
const FOLDER: &str = "compiled";

/// What is packed once and unpacked often may take a second for each component: a tenth smaller than zstd's default.
const LEVEL_OF_RELEASES: i32 = 12;

/// The code that a release brings for the application of a manifest.
pub(crate) fn beside(manifest: &Path) -> PathBuf {
    manifest.parent().unwrap_or(Path::new(".")).join(FOLDER)
}

/// The cache folder of the user, so that a fresh state folder does not compile everything again; `fallback` where the
/// user has none.
pub(crate) fn cache(fallback: &Path) -> Result<Cache> {
    Cache::new(config())
        .or_else(|_no_home| cache_in(fallback, &mut config()))
        .map_err(anyhow::Error::from)
        .context("cannot use a folder for compiled components")
}

/// What is kept is compressed once: to do it again and better, as the cache would after 256 starts, takes 180 MB for a minute.
fn config() -> CacheConfig {
    let mut config = CacheConfig::new();
    config.with_optimized_compression_usage_counter_threshold(u64::MAX);
    config
}

fn cache_in(folder: &Path, config: &mut CacheConfig) -> wasmtime::Result<Cache> {
    config.with_directory(folder);
    Cache::new(config.clone())
}

/// Puts what a release brings into the cache, as far as it is not there. Nothing happens where there is no such folder.
///
/// # Errors
/// Fails if a file cannot be read or written.
pub(crate) fn adopt(brought: &Path, cache: &Cache) -> Result<()> {
    for file in code_files(brought)? {
        let kept = cache.directory().join(&file);
        if !kept.exists() {
            put(&brought.join(&file), &kept).with_context(|| format!("cannot keep the code {}", file.display()))?;
        }
    }
    Ok(())
}

/// Copies a file so that nobody sees a part of it.
fn put(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("no folder")?;
    fs::create_dir_all(folder)?;
    let mut copy = NamedTempFile::new_in(folder)?;
    std::io::copy(&mut fs::File::open(from)?, copy.as_file_mut())?;
    copy.persist(to)?;
    Ok(())
}

/// The files with code in a cache folder, as paths in it: `modules/<compiler>/<hash>`. What else a cache has there, has an
/// ending.
fn code_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for compiler in entries(&folder.join("modules"))? {
        for file in entries(&compiler)? {
            if file.extension().is_none() {
                files.push(file.strip_prefix(folder)?.to_owned());
            }
        }
    }
    Ok(files)
}

/// The paths in a folder; none where there is no folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("cannot read the folder {}", folder.display()))?,
    };
    Ok(entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
}

/// Compiles the components of a manifest into a folder, by default the one beside it from where every start takes the code, on any
/// machine of this architecture. Answers the number of files. What the folder had is gone.
///
/// # Errors
/// Tells what is wrong with the manifest or a component, or fails if the folder cannot be written.
pub fn compile_ahead(manifest: &Path, folder: Option<PathBuf>) -> Result<usize> {
    let folder = folder.unwrap_or_else(|| beside(manifest));
    let declared = Manifest::load(manifest)?.component;
    // Before the minutes that the rest takes.
    fs::create_dir_all(&folder).with_context(|| format!("cannot write {}", folder.display()))?;
    let temporary = TempDir::new()?;
    let cache = cache_in(temporary.path(), config().with_baseline_compression_level(LEVEL_OF_RELEASES));
    let engine = engine::engine(cache?)?;
    let (all, mut progress) = (declared.len(), Progress::start());
    for (number, (id, component)) in (1..).zip(declared) {
        progress.tell(&format!("Compiling the components: {number} of {all} ({id})"));
        engine::compile(&engine, &Source::open(&id, &component)?, false)?;
    }
    // Code of components that have changed since is of no use.
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let files = code_files(temporary.path())?;
    for file in &files {
        let (compiled, kept) = (temporary.path().join(file), folder.join(file));
        fs::create_dir_all(kept.parent().context("no folder")?)?;
        // With its mode: who serves is often somebody else than who compiles.
        fs::copy(compiled, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
    }
    Ok(files.len())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder with an application of one component, which does nothing.
    fn application() -> (TempDir, PathBuf) {
        let folder = TempDir::new().unwrap();
        let manifest = folder.path().join("spin.toml");
        let text = "spin_manifest_version = 2\n[application]\nname = \"one\"\n[component.one]\nsource = \"one.wasm\"\n";
        fs::write(&manifest, text).unwrap();
        // The eight bytes with which a component begins, and nothing behind them.
        fs::write(folder.path().join("one.wasm"), b"\0asm\x0d\0\x01\0").unwrap();
        (folder, manifest)
    }

    fn cache_of(folder: &TempDir) -> Cache {
        cache_in(folder.path(), &mut config()).unwrap()
    }

    #[test]
    fn a_start_compiles_nothing_that_was_compiled_ahead() {
        let (_application, manifest) = application();
        assert_eq!(compile_ahead(&manifest, None).unwrap(), 1);
        let kept = TempDir::new().unwrap();
        let cache = cache_of(&kept);
        adopt(&beside(&manifest), &cache).unwrap();
        let engine = engine::engine(cache.clone()).unwrap();
        let declared = &Manifest::load(&manifest).unwrap().component["one"];
        engine::compile(&engine, &Source::open("one", declared).unwrap(), false).unwrap();
        assert_eq!((cache.cache_hits(), cache.cache_misses()), (1, 0));
    }

    #[test]
    fn what_is_compiled_again_replaces_what_was() {
        let (_application, manifest) = application();
        compile_ahead(&manifest, None).unwrap();
        let [file] = &code_files(&beside(&manifest)).unwrap()[..] else { panic!("one file is expected") };
        let file = beside(&manifest).join(file);
        let first = fs::read(&file).unwrap();
        fs::write(file.with_file_name("stale"), "of a component that is gone").unwrap();
        assert_eq!(compile_ahead(&manifest, None).unwrap(), 1);
        assert_eq!(code_files(&beside(&manifest)).unwrap().len(), 1);
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o444,
            0o444,
            "others than the compiler read it"
        );
        // A release that is packed again has the same bytes.
        assert_eq!(fs::read(&file).unwrap(), first);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_told_before_anything_is_compiled() {
        let (application, manifest) = application();
        fs::write(application.path().join("one.wasm"), "no component").unwrap();
        let error = compile_ahead(&manifest, Some("/proc/compiled".into())).unwrap_err();
        assert!(format!("{error:#}").starts_with("cannot write /proc/compiled"), "{error:#}");
    }

    #[test]
    fn what_the_cache_has_stays_as_it_is() {
        let (brought, kept) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let cache = cache_of(&kept);
        let file = Path::new("modules/compiler/hash");
        put_text(&brought.path().join(file), "brought");
        put_text(&brought.path().join("modules/compiler/hash.stats"), "of another machine");
        put_text(&kept.path().join(file), "kept");
        adopt(brought.path(), &cache).unwrap();
        assert_eq!(fs::read_to_string(kept.path().join(file)).unwrap(), "kept");
        assert!(!kept.path().join("modules/compiler/hash.stats").exists());
    }

    #[test]
    fn nothing_is_taken_from_where_nothing_is() {
        let kept = TempDir::new().unwrap();
        adopt(&kept.path().join("compiled"), &cache_of(&kept)).unwrap();
    }

    fn put_text(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
