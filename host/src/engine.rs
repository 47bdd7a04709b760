//! The WebAssembly engine and its compiled components.

use std::fs::File;
use std::io::IsTerminal;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use target_lexicon::HOST;
use wasmtime::component::Component;
use wasmtime::{Cache, Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::manifest;

/// The limit of an instance's memory.
pub(crate) const MAX_MEMORY_BYTES: usize = 256 << 20;
/// The most instances at one time: one for each connection, and those that finish their work after a response.
const MAX_INSTANCES: u32 = 2048;
/// The time that a component may compute before others get their turn.
const TICK: Duration = Duration::from_millis(10);

/// Makes the engine, which keeps compiled code in that cache.
pub(crate) fn engine(cache: Cache) -> Result<Engine> {
    let mut pool = PoolingAllocationConfig::new();
    // A component of Rust is made of a few core instances: its own code and the shims around it.
    pool.total_component_instances(MAX_INSTANCES)
        .total_core_instances(MAX_INSTANCES * 4)
        .total_memories(MAX_INSTANCES)
        .total_tables(MAX_INSTANCES * 4)
        .total_stacks(MAX_INSTANCES)
        .max_memory_size(MAX_MEMORY_BYTES);
    let mut config = Config::new();
    config
        // Code for any machine of this architecture, without what this one can do beside: requests are answered as fast.
        .target(&HOST.to_string())?
        .wasm_component_model_async(true)
        .epoch_interruption(true)
        // For traces and debuggers, which find no names in components anyway: a third of what compiled code takes in memory.
        .generate_address_map(false)
        .native_unwind_info(false)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .cache(Some(cache));
    let engine = Engine::new(&config)?;
    tick(&engine)?;
    Ok(engine)
}

/// Counts time for the engine as long as somebody has it.
fn tick(engine: &Engine) -> Result<()> {
    let engine = engine.weak();
    std::thread::Builder::new().name("tick".to_owned()).spawn(move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            std::thread::sleep(TICK);
        }
    })?;
    Ok(())
}

/// A component that is to be compiled, whose file is open. Who replaces the file, as a release does, changes nothing for the
/// program that serves, whenever it reads it.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) id: String,
    path: PathBuf,
    file: Arc<File>,
    /// When the file was last changed.
    changed: SystemTime,
}

impl Source {
    /// That of a component of a manifest.
    ///
    /// # Errors
    /// Tells the way to make the file, if it is missing, or why it cannot be read.
    pub(crate) fn open(id: &str, declared: &manifest::Component) -> Result<Self> {
        let path = declared.source.clone();
        anyhow::ensure!(
            path.is_file(),
            "the file of component \"{id}\" does not exist: {}\nBuild it first: {}",
            path.display(),
            declared.build_command()
        );
        let file = File::open(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let changed = file.metadata()?.modified()?;
        Ok(Self { id: id.to_owned(), path, file: Arc::new(file), changed })
    }

    /// The bytes of the file, as they were when it was opened.
    fn read(&self) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.file.metadata()?.len())?];
        let read = self.file.read_exact_at(&mut bytes, 0);
        // Looked at afterwards: it may have been written over while it was read.
        anyhow::ensure!(
            self.file.metadata()?.modified()? == self.changed,
            "it was written over while it is served, and not replaced: start this program again"
        );
        read?;
        Ok(bytes)
    }
}

/// Compiles what the cache does not have, and says so if `report` is on. Who starts this program counts these lines;
/// at a terminal the number of components is told instead.
#[expect(clippy::print_stderr, reason = "compiling takes seconds and the person in front of the terminal waits")]
pub(crate) fn compile(engine: &Engine, source: &Source, report: bool) -> Result<Component> {
    let Source { id, path, .. } = source;
    let start = Instant::now();
    let component = source
        .read()
        .and_then(|bytes| Component::from_binary(engine, &bytes).map_err(anyhow::Error::from))
        .with_context(|| format!("cannot compile component \"{id}\" from {}", path.display()))?;
    if report && !std::io::stderr().is_terminal() {
        eprintln!("{id}: ready after {} ms", start.elapsed().as_millis());
    }
    Ok(component)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    fn component(folder: &TempDir) -> (PathBuf, Source) {
        let path = folder.path().join("one.wasm");
        fs::write(&path, "before").unwrap();
        let declared: manifest::Component = toml::from_str(&format!("source = {path:?}")).unwrap();
        (path, Source::open("one", &declared).unwrap())
    }

    #[test]
    fn a_file_that_is_replaced_is_read_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let (path, source) = component(&folder);
        let other = folder.path().join("other.wasm");
        fs::write(&other, "of the next release").unwrap();
        fs::rename(other, &path).unwrap();
        assert_eq!(source.read().unwrap(), b"before");
        fs::remove_file(&path).unwrap();
        assert_eq!(source.read().unwrap(), b"before");
    }

    #[test]
    fn a_file_that_is_written_over_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (path, source) = component(&folder);
        let later = source.changed + Duration::from_secs(1);
        File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
        assert!(source.read().unwrap_err().to_string().contains("start this program again"));
    }
}
