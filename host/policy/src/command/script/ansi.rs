//! What bash makes of `$'...'`.

use super::cursor::Cursor;

/// A quote that is read to its end.
pub(super) struct Quote {
    pub(super) text: String,
    /// Whether a shell without this kind of quote would end it somewhere else, or it doesn't end at all.
    pub(super) ambiguous: bool,
}

/// Reads over the quote's end. Its start was read.
pub(super) fn read(cursor: &mut Cursor) -> Quote {
    let mut bytes = Vec::new();
    let mut ambiguous = false;
    loop {
        let character = match cursor.next_raw() {
            Some('\'') => break,
            Some('\\') => {
                ambiguous |= cursor.rest().starts_with('\'');
                escape(cursor, &mut bytes)
            }
            Some(other) => Some(other),
            None => {
                ambiguous = true;
                break;
            }
        };
        if let Some(character) = character {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    // Bash drops what comes after a NUL.
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    Quote { text: String::from_utf8_lossy(&bytes).into_owned(), ambiguous }
}

/// What follows a backslash: the character it stands for, if it isn't written to `bytes`.
fn escape(cursor: &mut Cursor, bytes: &mut Vec<u8>) -> Option<char> {
    let name = cursor.next_raw()?;
    Some(match name {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'e' | 'E' => '\x1b',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => name,
        'c' => {
            let control = cursor.next_raw()?;
            char::from(u8::try_from(control).unwrap_or_default() & 0x1f)
        }
        '0'..='7' => {
            let value = number(cursor, 8, 2, name.to_digit(8)).unwrap_or_default();
            bytes.extend(value.to_le_bytes().first());
            return None;
        }
        'x' | 'u' | 'U' => {
            let longest = match name {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            match number(cursor, 16, longest, None) {
                Some(value) if name == 'x' => {
                    bytes.extend(value.to_le_bytes().first());
                    return None;
                }
                Some(value) => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
                None => {
                    bytes.push(b'\\');
                    name
                }
            }
        }
        other => {
            bytes.push(b'\\');
            other
        }
    })
}

/// Reads at most so many digits. `value` is what came before them.
fn number(cursor: &mut Cursor, radix: u32, longest: usize, mut value: Option<u32>) -> Option<u32> {
    for _ in 0..longest {
        let Some(digit) = cursor.rest().chars().next().and_then(|digit| digit.to_digit(radix)) else { break };
        cursor.next_raw();
        value = Some(value.unwrap_or_default().wrapping_mul(radix).wrapping_add(digit));
    }
    value
}
