//! WASI without its files: standard streams, environment, clocks, randomness, and sockets that refuse everything.
//!
//! Of the grant: the names of environment variables. Sockets are linked because some toolchains import them always; no
//! address is ever allowed. In preflight the clocks stand still and the randomness is fixed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWrite;
use toolbay_policy::Grant;
use wasmtime::Result;
use wasmtime::component::{HasData, Linker, ResourceTable};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream, WasiCli, WasiCliView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView};
use wasmtime_wasi::p2::bindings::{cli, clocks, random, sockets};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsView};
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxBuilder, WasiView};
use wasmtime_wasi_io::bindings::wasi::io;

use crate::state::{Phase, State};

/// The most random bytes at a time. The engine's default of 64 MiB costs 0.2 s that nothing can interrupt.
const LARGEST_RANDOM: u64 = 65_536;
/// What one write may bring: the guest's own buffers are smaller.
const WRITE_PERMIT: usize = 65_536;

/// What the guest wrote to standard error: the first bytes are kept, the rest is dropped, and the guest never sees an
/// error, so that a tool that prints for debugging isn't ended by it. Standard output is dropped.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    bytes: Arc<Mutex<Vec<u8>>>,
    bound: usize,
}

impl Written {
    pub(crate) fn new(bound: usize) -> Self {
        Self { bytes: Arc::default(), bound }
    }

    /// What was kept so far, as text. Untrusted.
    pub(crate) fn standard_error(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl IsTerminal for Written {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Written {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Written {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let room = self.bound.saturating_sub(kept.len()).min(bytes.len());
        kept.extend_from_slice(&bytes.slice(..room));
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_PERMIT)
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Written {
    async fn ready(&mut self) {}
}

/// The context of one instance.
pub(crate) fn context(phase: Phase, grant: &Grant, directory: Option<&str>, written: &Written) -> WasiCtx {
    let mut builder = WasiCtxBuilder::new();
    builder.stderr(written.clone()).max_random_size(LARGEST_RANDOM);
    if let Some(directory) = directory {
        builder.initial_cwd(directory);
    }
    for name in grant.variables() {
        #[expect(clippy::disallowed_methods, reason = "the variables that the grant names, and no others")]
        if let Ok(value) = std::env::var(name) {
            builder.env(name, value);
        }
    }
    if phase == Phase::Preflight {
        let seed = || Deterministic::new(vec![0]);
        builder.wall_clock(Still).monotonic_clock(Still);
        builder.secure_random(seed()).insecure_random(seed()).insecure_random_seed(0);
    }
    builder.build()
}

/// A clock that stands still at 2020-01-01: late enough for every file format, early enough for every certificate.
struct Still;

const STILL: Duration = Duration::from_secs(1_577_836_800);

impl HostWallClock for Still {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        STILL
    }
}

impl HostMonotonicClock for Still {
    fn resolution(&self) -> u64 {
        1_000_000_000
    }

    fn now(&self) -> u64 {
        1_000_000_000
    }
}

struct Io;

impl HasData for Io {
    type Data<'a> = &'a mut ResourceTable;
}

/// Everything of WASI 0.2 but files and HTTP.
pub(super) fn link(linker: &mut Linker<State>) -> Result<()> {
    io::error::add_to_linker::<State, Io>(linker, |state| &mut state.table)?;
    io::poll::add_to_linker::<State, Io>(linker, |state| &mut state.table)?;
    io::streams::add_to_linker::<State, Io>(linker, |state| &mut state.table)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(linker, State::clocks)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(linker, State::clocks)?;
    random::random::add_to_linker::<State, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    random::insecure::add_to_linker::<State, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<State, WasiRandom>(linker, |state| state.ctx().ctx.random())?;
    cli::exit::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::environment::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(linker, State::cli)?;
    link_sockets(linker)
}

fn link_sockets(linker: &mut Linker<State>) -> Result<()> {
    let options = sockets::network::LinkOptions::default();
    sockets::network::add_to_linker::<State, WasiSockets>(linker, &options, State::sockets)?;
    sockets::instance_network::add_to_linker::<State, WasiSockets>(linker, State::sockets)?;
    sockets::ip_name_lookup::add_to_linker::<State, WasiSockets>(linker, State::sockets)?;
    sockets::tcp::add_to_linker::<State, WasiSockets>(linker, State::sockets)?;
    sockets::tcp_create_socket::add_to_linker::<State, WasiSockets>(linker, State::sockets)?;
    sockets::udp::add_to_linker::<State, WasiSockets>(linker, State::sockets)?;
    sockets::udp_create_socket::add_to_linker::<State, WasiSockets>(linker, State::sockets)
}
