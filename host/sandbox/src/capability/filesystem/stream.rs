//! Streams over an open file, and the listing of a folder.
//!
//! Local files answer at once, so the work is done on the guest's thread: handing it to another would cost ten times as
//! much. Each step is bounded.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::{Bytes, BytesMut};
use rustix::fs::Dir;
use toolbay_policy::Grant;
use wasmtime_wasi::p2::{InputStream, OutputStream, Pollable, StreamError, StreamResult};

use super::convert::{code, kind};
use super::{OpenFile, Slot};
use crate::bindings::filesystem::types::{DirectoryEntry, ErrorCode};

/// What one step reads or writes at most. Stops a guest from making the host allocate what it asks for.
pub(super) const STEP: usize = 1024 * 1024;

/// Reads from a position on.
pub(super) struct Reader {
    file: Arc<OpenFile>,
    position: u64,
}

impl Reader {
    pub(super) fn new(file: Arc<OpenFile>, position: u64) -> Self {
        Self { file, position }
    }
}

/// Fills at most `size` bytes from `position` on; fewer only at the end of the file.
pub(super) fn read_at(file: &OpenFile, size: usize, position: u64) -> std::io::Result<Bytes> {
    let mut buffer = BytesMut::zeroed(size.min(STEP));
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.file.read_at(rest, position.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(buffer.freeze())
}

impl InputStream for Reader {
    fn read(&mut self, size: usize) -> StreamResult<Bytes> {
        if size == 0 {
            return Ok(Bytes::new());
        }
        let bytes = read_at(&self.file, size, self.position).map_err(failed)?;
        if bytes.is_empty() {
            return Err(StreamError::Closed);
        }
        self.position = self.position.saturating_add(bytes.len() as u64);
        Ok(bytes)
    }
}

/// Writes from a position on, or at the end.
pub(super) struct Writer {
    file: Arc<OpenFile>,
    position: Option<u64>,
}

impl Writer {
    /// `position`: none appends.
    pub(super) fn new(file: Arc<OpenFile>, position: Option<u64>) -> Self {
        Self { file, position }
    }
}

impl OutputStream for Writer {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        match &mut self.position {
            Some(position) => {
                self.file.file.write_all_at(&bytes, *position).map_err(failed)?;
                *position = position.saturating_add(bytes.len() as u64);
            }
            None => append(&self.file, &bytes).map_err(failed)?,
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(STEP)
    }
}

/// Writes at the end, wherever that is by then.
fn append(file: &OpenFile, bytes: &[u8]) -> std::io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let slices = [std::io::IoSlice::new(rest)];
        match rustix::io::pwritev2(&file.file, &slices, u64::MAX, rustix::io::ReadWriteFlags::APPEND) {
            Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn failed(error: std::io::Error) -> StreamError {
    StreamError::LastOperationFailed(error.into())
}

#[wasmtime_wasi::async_trait]
impl Pollable for Reader {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl Pollable for Writer {
    async fn ready(&mut self) {}
}

/// An open folder that is being listed. Counts as an open file.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "generated code names it")]
pub struct Listing {
    folder: Dir,
    /// Where the folder is, without links.
    real: PathBuf,
    _slot: Slot,
    withheld: Arc<AtomicU32>,
}

impl Listing {
    pub(super) fn new(folder: Dir, real: PathBuf, slot: Slot, withheld: Arc<AtomicU32>) -> Self {
        Self { folder, real, _slot: slot, withheld }
    }

    /// What is closed in the folder is left out: libraries ask about each entry, and fail if that's refused. So is a name
    /// that isn't text, which WASI can neither give nor open.
    pub(super) fn next(&mut self, grant: &Grant) -> Result<Option<DirectoryEntry>, ErrorCode> {
        while let Some(entry) = self.folder.read() {
            let entry = entry.map_err(code)?;
            match entry.file_name().to_str() {
                Ok("." | "..") => {}
                Ok(name) if !grant.names_readable(&self.real.join(name)) => {
                    self.withheld.fetch_add(1, Ordering::Relaxed);
                }
                Ok(name) => return Ok(Some(DirectoryEntry { type_: kind(entry.file_type()), name: name.to_owned() })),
                Err(_) => tracing::debug!("a name that isn't UTF-8 is left out of a listing"),
            }
        }
        Ok(None)
    }
}
