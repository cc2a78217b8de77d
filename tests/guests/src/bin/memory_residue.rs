//! `Residue`: leaves marks in its memory and looks for those of earlier calls: in a counter, in a static buffer, and in
//! pages that it grows, which an engine that reuses memory could give out unwashed. A fresh instance says `0 clean`.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Residue;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

/// What is left behind. The memory of a fresh instance is zero.
const MARK: u8 = 0xa5;

static CALLS: AtomicU32 = AtomicU32::new(0);
static BUFFER: [AtomicU8; 1 << 18] = [const { AtomicU8::new(0) }; 1 << 18];

/// Sixteen pages that nobody in this instance has had before.
#[cfg(target_arch = "wasm32")]
fn grown() -> &'static [AtomicU8] {
    let pages = core::arch::wasm32::memory_grow::<0>(16);
    if pages == usize::MAX {
        return &[];
    }
    // SAFETY: `memory_grow` has just added these pages, and nobody else knows them.
    unsafe { core::slice::from_raw_parts((pages << 16) as *const AtomicU8, 16 << 16) }
}

#[cfg(not(target_arch = "wasm32"))]
fn grown() -> &'static [AtomicU8] {
    &[]
}

impl Tool for Residue {
    const NAME: &str = "Residue";
    const DESCRIPTION: &str = "Looks for what earlier calls left in memory.";
    type Input = Input;

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let calls = CALLS.fetch_add(1, Relaxed);
        // Every byte is swapped, so all of them get the mark; `any` would stop at the first.
        let marked = BUFFER.iter().chain(grown()).filter(|byte| byte.swap(MARK, Relaxed) != 0).count();
        let found = if marked == 0 { "clean".to_owned() } else { format!("found {marked}") };
        Ok(Outcome::text(format!("{calls} {found}")))
    }
}

export_tools!(Residue);

fn main() {}
