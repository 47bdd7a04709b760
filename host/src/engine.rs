//! The WebAssembly engine and its compiled components.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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

/// A component that is to be compiled.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) id: String,
    pub(crate) path: PathBuf,
    pub(crate) build_command: String,
}

impl Source {
    /// That of a component of a manifest.
    pub(crate) fn of(id: &str, declared: &manifest::Component) -> Self {
        Self { id: id.to_owned(), path: declared.source.clone(), build_command: declared.build_command() }
    }

    /// Fails with the way to make the file, if it is missing.
    pub(crate) fn require_file(&self) -> Result<()> {
        anyhow::ensure!(
            self.path.is_file(),
            "the file of component \"{}\" does not exist: {}\nBuild it first: {}",
            self.id,
            self.path.display(),
            self.build_command
        );
        Ok(())
    }
}

/// Compiles what the cache does not have, and says so if `report` is on. Who starts this program counts these lines;
/// at a terminal the number of components is told instead.
#[expect(clippy::print_stderr, reason = "compiling takes seconds and the person in front of the terminal waits")]
pub(crate) fn compile(engine: &Engine, source: &Source, report: bool) -> Result<Component> {
    let Source { id, path, .. } = source;
    let start = Instant::now();
    let component = Component::from_file(engine, path)
        .map_err(anyhow::Error::from)
        .with_context(|| format!("cannot compile component \"{id}\" from {}", path.display()))?;
    if report && !std::io::stderr().is_terminal() {
        eprintln!("{id}: ready after {} ms", start.elapsed().as_millis());
    }
    Ok(component)
}
