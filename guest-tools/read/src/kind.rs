//! What a file is, by its leading bytes.
//!
//! Never looks at a name: an extension says what somebody hoped for.

/// How many leading bytes without a NUL make a file text.
const TEXT_BYTES: usize = 8 * 1024;

/// Where in a file bytes stand, and which.
type Part = (usize, &'static [u8]);

/// The bytes by which a kind of file is known.
struct Signature {
    parts: &'static [Part],
    /// With its article.
    kind: &'static str,
    /// Whether text never starts like this. Where it could, a NUL has to come with it.
    certain: bool,
}

const fn certain(parts: &'static [Part], kind: &'static str) -> Signature {
    Signature { parts, kind, certain: true }
}

const fn possible(parts: &'static [Part], kind: &'static str) -> Signature {
    Signature { parts, kind, certain: false }
}

const SIGNATURES: &[Signature] = &[
    certain(&[(0, b"\x89PNG\r\n\x1a\n")], "a PNG image"),
    certain(&[(0, b"\xff\xd8\xff")], "a JPEG image"),
    certain(&[(0, b"GIF87a")], "a GIF image"),
    certain(&[(0, b"GIF89a")], "a GIF image"),
    certain(&[(0, b"RIFF"), (8, b"WEBP")], "a WebP image"),
    certain(&[(0, b"%PDF-")], "a PDF document"),
    certain(&[(0, b"PK\x03\x04")], "a zip archive, such as an office document"),
    certain(&[(0, b"PK\x05\x06")], "an empty zip archive"),
    certain(&[(0, b"\x1f\x8b\x08")], "a gzip archive"),
    certain(&[(0, b"BZh"), (4, b"1AY&SY")], "a bzip2 archive"),
    certain(&[(0, b"\xfd7zXZ\0")], "an xz archive"),
    certain(&[(0, b"\x28\xb5\x2f\xfd")], "a zstd archive"),
    certain(&[(0, b"7z\xbc\xaf\x27\x1c")], "a 7z archive"),
    certain(&[(0, b"\x7fELF")], "an ELF program or library"),
    certain(&[(0, b"\0asm")], "a WebAssembly module or component"),
    certain(&[(0, b"\xff\xfe\0\0")], "UTF-32 text"),
    certain(&[(0, b"\0\0\xfe\xff")], "UTF-32 text"),
    possible(&[(0, b"SQLite format 3")], "a SQLite database"),
    possible(&[(0, b"MZ")], "a Windows program or library"),
    possible(&[(0, b"BM")], "a BMP image"),
    possible(&[(0, b"ID3")], "an MP3 recording"),
    possible(&[(0, b"OggS")], "an Ogg recording"),
    possible(&[(0, b"RIFF"), (8, b"WAVE")], "a WAV recording"),
    possible(&[(4, b"ftyp")], "an MP4 recording or HEIF image"),
    possible(&[(257, b"ustar")], "a tar archive"),
];

/// The kind of a file that isn't text, with its article; none for text. `head` is the file's
/// first 8 KiB, or more, or all of it, without the byte order mark of UTF-8 or UTF-16.
pub fn of_binary(head: &[u8]) -> Option<&'static str> {
    let binary = head.iter().take(TEXT_BYTES).any(|&byte| byte == 0);
    let known = SIGNATURES.iter().find(|signature| (binary || signature.certain) && signature.matches(head));
    known.map(|signature| signature.kind).or(binary.then_some("binary data"))
}

impl Signature {
    fn matches(&self, head: &[u8]) -> bool {
        self.parts.iter().all(|(offset, bytes)| head.get(*offset..).is_some_and(|rest| rest.starts_with(bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_known_without_a_nul() {
        assert_eq!(of_binary(b"%PDF-1.7\n"), Some("a PDF document"));
        assert_eq!(of_binary(b"\xff\xd8\xff\xe0"), Some("a JPEG image"));
        assert_eq!(of_binary(b"RIFF\x24\x01\x01\x01WEBPVP8 "), Some("a WebP image"));
        assert_eq!(of_binary(b"\x1f\x8b\x08\x01"), Some("a gzip archive"));
    }

    #[test]
    fn words_that_are_also_signatures_need_a_nul() {
        assert_eq!(of_binary(b"MZ is a magic number"), None);
        assert_eq!(of_binary(b"MZ\x90\0\x03"), Some("a Windows program or library"));
        assert_eq!(of_binary(b"BMW\n"), None);
    }

    #[test]
    fn a_nul_in_the_first_block_is_binary() {
        let mut head = vec![b'a'; TEXT_BYTES + 1];
        head[TEXT_BYTES] = 0;
        assert_eq!(of_binary(&head), None);
        head[TEXT_BYTES - 1] = 0;
        assert_eq!(of_binary(&head), Some("binary data"));
    }

    #[test]
    fn text_is_text() {
        for head in ["", "a", "PK", "caf\u{e9}\n", "%PDF", "A RIFF! WEBP", "BZh9"] {
            assert_eq!(of_binary(head.as_bytes()), None, "{head}");
        }
    }
}
