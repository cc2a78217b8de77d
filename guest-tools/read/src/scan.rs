//! One pass over one file.
//!
//! Owns every access to the file system, and the bounds of memory and size: a file goes through in pieces, at most
//! 1 GiB of it. It never opens what isn't a regular file: a pipe without a writer would hold the call for ever.

use std::{
    fs::{self, File},
    io::{self, Read},
};

use sha2::{Digest, Sha256};
use toolbay_sdk::Failure;

use crate::{
    decode::{Decoder, Encoding},
    failure, kind,
    page::{Page, Pager, Range},
};

/// The largest file in bytes, 1 GiB.
const MAX_BYTES: u64 = 1 << 30;
/// How many bytes are read at once. Not less than what tells text from binary files.
const PIECE_BYTES: usize = 64 * 1024;

/// What a pass over a file found.
#[derive(Debug)]
pub struct Scan {
    pub page: Page,
    pub encoding: Encoding,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of all bytes, in lower-case hexadecimal digits.
    pub digest: String,
}

/// Reads the file at this absolute path. The working directory is for messages alone.
pub fn file(path: &str, directory: &str, range: Range) -> Result<Scan, Failure> {
    let refused = |error| failure::system(path, directory, &error);
    let metadata = fs::metadata(path).map_err(refused)?;
    if metadata.is_dir() {
        return Err(failure::folder(path));
    }
    if !metadata.is_file() {
        return Err(failure::special(path));
    }
    if metadata.len() > MAX_BYTES {
        return Err(failure::too_large(path, metadata.len(), MAX_BYTES));
    }
    let mut source = File::open(path).map_err(refused)?;
    let mut buffer = vec![0; PIECE_BYTES];
    let mut piece = fill(&mut source, &mut buffer).map_err(refused)?;

    let (encoding, mut text) = Encoding::of(piece);
    // UTF-16 is full of NULs; its mark has told what it is.
    if !encoding.is_marked()
        && let Some(kind) = kind::of_binary(text)
    {
        return Err(failure::not_text(path, kind, metadata.len()));
    }

    let mut decoder = Decoder::new(encoding);
    let mut pager = Pager::new(range);
    let mut hash = Sha256::new();
    let mut bytes = 0;
    while !piece.is_empty() {
        bytes += piece.len() as u64;
        // The size from before is a promise of nothing: a file may grow, and some systems say 0 for files with content.
        if bytes > MAX_BYTES {
            return Err(failure::too_large(path, bytes, MAX_BYTES));
        }
        hash.update(piece);
        decoder.push(text, |part| pager.push(part));
        piece = fill(&mut source, &mut buffer).map_err(refused)?;
        text = piece;
    }
    decoder.finish(|part| pager.push(part));
    let digest = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Scan { page: pager.finish(), encoding, bytes, digest })
}

/// The next bytes: a full buffer, less at the end of the file, none after it. `Read::read_to_end` would do, but starts
/// with small reads each time, and a read costs a call to the host.
fn fill<'a>(source: &mut impl Read, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match source.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(buffer.get(..filled).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte a read.
    struct Trickle<'a>(&'a [u8]);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn a_piece_is_full_until_the_file_ends() {
        let (mut source, mut buffer) = (Trickle(b"abcdefgh"), [0; 3]);
        for expected in ["abc", "def", "gh", "", ""] {
            assert_eq!(fill(&mut source, &mut buffer).unwrap(), expected.as_bytes());
        }
    }
}
