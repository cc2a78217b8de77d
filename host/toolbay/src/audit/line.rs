//! Lines of a file, read with bounded memory from its beginning or its end.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::os::unix::fs::FileExt;

/// A line that's longer, in bytes, was never an entry.
const LONGEST: u64 = 2 << 20;

/// One line, without its line end.
#[derive(Debug)]
pub(super) struct Line {
    /// Its bytes, or the first 2 MiB of them.
    pub(super) bytes: Vec<u8>,
    /// Whether those are all.
    pub(super) whole: bool,
}

/// The next line, if there is one. The last line may lack its end.
pub(super) fn next(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    if reader.by_ref().take(LONGEST + 1).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let ended = bytes.pop_if(|byte| *byte == b'\n').is_some();
    let whole = ended || bytes.len() as u64 <= LONGEST;
    if !whole {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(Line { bytes, whole }))
}

/// The last line of the first `size` bytes, without its line end. A line begins at `from`.
///
/// Of a line over 2 MiB it's the end only. That's good enough: `verify` reports such a line in any case.
pub(super) fn last(file: &File, from: u64, size: u64) -> io::Result<Vec<u8>> {
    let start = from.max(size.saturating_sub(LONGEST + 1));
    let mut bytes = vec![0; usize::try_from(size.saturating_sub(start)).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, start)?;
    bytes.pop_if(|byte| *byte == b'\n');
    let begin = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    Ok(bytes.split_off(begin))
}

/// Whether the first `size` bytes stop in the middle of a line.
pub(super) fn is_torn(file: &File, size: u64) -> io::Result<bool> {
    let Some(end) = size.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, end)?;
    Ok(byte != *b"\n")
}
