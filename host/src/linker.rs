//! What a component may import.

use wasmtime::component::{HasSelf, Linker};
use wasmtime::{Engine, Result};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::{p2, p3};

use crate::bindings::{key_value, sqlite, variables};
use crate::component::State;

/// Spin's own interfaces, HTTP, and what Rust's library imports of WASI 0.2 and 0.3.
///
/// Files and sockets are left out: no component has any, and their code is a good part of what this program takes to compile.
pub(crate) fn linker(engine: &Engine) -> Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    add_wasi_0_2(&mut linker)?;
    p3::cli::add_to_linker(&mut linker)?;
    p3::clocks::add_to_linker(&mut linker)?;
    p3::random::add_to_linker(&mut linker)?;
    wasmtime_wasi_http::p3::add_to_linker(&mut linker)?;
    sqlite::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    key_value::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    variables::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
    Ok(linker)
}

/// Streams, clocks, random numbers, and what belongs to a process.
fn add_wasi_0_2(linker: &mut Linker<State>) -> Result<()> {
    use p2::bindings::{cli, random};

    p2::add_to_linker_proxy_interfaces_async(linker)?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, |state: &mut State| state.ctx().ctx.random())?;
    cli::environment::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::exit::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(linker, State::cli)
}
