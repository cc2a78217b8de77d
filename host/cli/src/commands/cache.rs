//! `toolbay cache`: the folder of compiled code.

use anyhow::Context;
use serde_json::json;

use crate::args::{CacheAction, Common};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(common: &Common, action: Option<CacheAction>, printer: &mut Printer) -> anyhow::Result<Exit> {
    let host = setup::host(common, None)?;
    let cache = host.engine().cache().context("there is no cache folder: set HOME or TOOLBAY_CACHE")?;
    let folder = cache.folder().display().to_string();
    let (entries, bytes, done) = match action {
        None => {
            let (entries, bytes) = cache.size().with_context(|| format!("`{folder}` can't be read"))?;
            (entries, bytes, "holds")
        }
        Some(CacheAction::Clear) => {
            let (entries, bytes) = cache.clear().with_context(|| format!("`{folder}` can't be emptied"))?;
            (entries, bytes, "held, now removed,")
        }
        Some(CacheAction::Warm) => {
            let bar = setup::bar();
            host.block_on(host.warm(|origin, place, count| setup::advance(&bar, origin, place, count)));
            bar.finish_and_clear();
            let (entries, bytes) = cache.size().with_context(|| format!("`{folder}` can't be read"))?;
            (entries, bytes, "now holds")
        }
    };
    if printer.json {
        let compiled = host.compiled();
        printer.document(&json!({ "folder": folder, "entries": entries, "bytes": bytes, "compiled": compiled }));
    } else {
        printer.line(&format!("{folder} {done} {entries} entries, {bytes} bytes"));
    }
    Ok(Exit::Done)
}
