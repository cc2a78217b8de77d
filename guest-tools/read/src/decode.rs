//! From bytes to text, in pieces of any size.
//!
//! Owns byte order marks, UTF-8 and UTF-16. It never holds more than the piece it's given and the few bytes of a
//! character that the next piece completes, and it never gives up: what can't be decoded is reported and left behind.
//!
//! Written on the standard library, and decodes as `encoding_rs` does. That crate would make the component half as
//! large again, since its decoder brings the tables of every legacy encoding.

/// How a file's text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf16LittleEndian,
    Utf16BigEndian,
}

impl Encoding {
    /// The encoding of a file that starts with `head`, and `head` without the byte order mark.
    pub fn of(head: &[u8]) -> (Self, &[u8]) {
        match head {
            [0xef, 0xbb, 0xbf, text @ ..] => (Self::Utf8, text),
            // The mark of UTF-32, which nobody uses for files: no UTF-16 text starts with a NUL.
            [0xff, 0xfe, 0, 0, ..] => (Self::Utf8, head),
            [0xff, 0xfe, text @ ..] => (Self::Utf16LittleEndian, text),
            [0xfe, 0xff, text @ ..] => (Self::Utf16BigEndian, text),
            text => (Self::Utf8, text),
        }
    }

    /// Whether only a byte order mark could tell.
    pub fn is_marked(self) -> bool {
        self != Self::Utf8
    }

    /// As people write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16LittleEndian => "UTF-16LE",
            Self::Utf16BigEndian => "UTF-16BE",
        }
    }
}

/// What bytes turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    /// Bytes that aren't valid in the encoding, in the place of one character.
    Damaged,
}

/// Decodes one file.
#[derive(Debug)]
pub struct Decoder {
    encoding: Encoding,
    /// The beginning of a character.
    pending: Vec<u8>,
}

impl Decoder {
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, pending: Vec::new() }
    }

    /// Decodes all of `bytes` but a last character that isn't complete.
    pub fn push(&mut self, bytes: &[u8], emit: impl FnMut(Piece<'_>)) {
        self.pending.extend_from_slice(bytes);
        let used = match self.encoding {
            Encoding::Utf8 => utf8(&self.pending, emit),
            Encoding::Utf16LittleEndian => utf16(&self.pending, u16::from_le_bytes, emit),
            Encoding::Utf16BigEndian => utf16(&self.pending, u16::from_be_bytes, emit),
        };
        self.pending.drain(..used);
    }

    /// Says that there are no more bytes: a character that was begun stays incomplete.
    pub fn finish(self, mut emit: impl FnMut(Piece<'_>)) {
        if !self.pending.is_empty() {
            emit(Piece::Damaged);
        }
    }
}

/// Gives how many bytes were decoded.
fn utf8(bytes: &[u8], mut emit: impl FnMut(Piece<'_>)) -> usize {
    // The usual case, several times as fast as the loop.
    if let Ok(text) = str::from_utf8(bytes) {
        emit(Piece::Text(text));
        return bytes.len();
    }
    let mut used = 0;
    for chunk in bytes.utf8_chunks() {
        emit(Piece::Text(chunk.valid()));
        used += chunk.valid().len();
        let invalid = chunk.invalid();
        let last = used + invalid.len() == bytes.len();
        if invalid.is_empty() || last && starts_a_character(invalid) {
            break;
        }
        emit(Piece::Damaged);
        used += invalid.len();
    }
    used
}

/// Whether more bytes could make these a character.
fn starts_a_character(invalid: &[u8]) -> bool {
    str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

/// Gives how many bytes were decoded.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, mut emit: impl FnMut(Piece<'_>)) -> usize {
    let (units, _half) = bytes.as_chunks::<2>();
    let units = match units {
        [complete @ .., last] if (0xd800..0xdc00).contains(&unit(*last)) => complete,
        all => all,
    };
    let mut text = String::with_capacity(units.len());
    for decoded in char::decode_utf16(units.iter().map(|&pair| unit(pair))) {
        if let Ok(character) = decoded {
            text.push(character);
        } else {
            emit(Piece::Text(&text));
            emit(Piece::Damaged);
            text.clear();
        }
    }
    emit(Piece::Text(&text));
    2 * units.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a file decodes to, read in pieces of this size, with `#` for damage.
    fn decoded(file: &[u8], size: usize) -> String {
        let mut text = String::new();
        let mut emit = |piece: Piece<'_>| match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Damaged => text.push('#'),
        };
        let (encoding, rest) = Encoding::of(file);
        let mut decoder = Decoder::new(encoding);
        rest.chunks(size).for_each(|bytes| decoder.push(bytes, &mut emit));
        decoder.finish(&mut emit);
        text
    }

    fn assert_decodes(file: &[u8], expected: &str) {
        for size in 1..=file.len() {
            assert_eq!(decoded(file, size), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn utf8_needs_no_mark_and_loses_one() {
        assert_decodes("a\u{e9}\u{20ac}\u{1f600}\n".as_bytes(), "a\u{e9}\u{20ac}\u{1f600}\n");
        assert_decodes(b"\xef\xbb\xbfa", "a");
    }

    #[test]
    fn utf16_is_told_by_its_mark() {
        assert_decodes(b"\xff\xfe\x68\0\x69\0\x0a\0", "hi\n");
        assert_decodes(b"\xfe\xff\0\x68\0\x69\0\x0a", "hi\n");
        assert_decodes(b"\xff\xfe\x3d\xd8\x00\xde!\0", "\u{1f600}!");
    }

    #[test]
    fn damage_is_reported_once_a_character() {
        assert_decodes(b"a\xffb\xe2\x82c\xc0\xafd", "a#b#c##d");
        assert_decodes(b"\xff\xfe\x00\xd8a\0\x00\xdcb\0", "#a#b");
    }

    #[test]
    fn a_file_that_ends_inside_a_character_is_damaged() {
        assert_decodes(b"a\xf0\x9f\x98", "a#");
        assert_decodes(b"\xff\xfea\0\x3d\xd8", "a#");
        assert_decodes(b"\xff\xfea\0b", "a#");
    }

    #[test]
    fn utf32_is_not_taken_for_utf16() {
        assert_eq!(Encoding::of(b"\xff\xfe\0\0a\0\0\0").0, Encoding::Utf8);
    }
}
