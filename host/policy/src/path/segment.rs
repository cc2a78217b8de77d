//! One name of a path in a pattern: literal, or with `*`, `?` and `[...]`.

/// One step of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `**`: any number of folders.
    AnyDepth,
    /// Exactly this name.
    Literal(String),
    /// A name with wildcards.
    Glob(Glob),
}

/// A name with wildcards. They work on characters, and on single bytes where a name isn't UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Character(char),
    /// `?`
    One,
    /// `*`
    Any,
    /// `[...]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Segment {
    /// Reads the text between two slashes. None: a `[` without its `]`, or a backslash at the end.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text == "**" {
            return Some(Self::AnyDepth);
        }
        let mut tokens = Vec::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            tokens.push(match character {
                '\\' => Token::Character(rest.next()?),
                '*' => Token::Any,
                '?' => Token::One,
                '[' => class(&mut rest)?,
                other => Token::Character(other),
            });
        }
        tokens.dedup_by(|one, two| *one == Token::Any && *two == Token::Any);
        let literal = |token: &Token| match token {
            Token::Character(character) => Some(*character),
            _ => None,
        };
        Some(match tokens.iter().map(literal).collect::<Option<String>>() {
            Some(name) => Self::Literal(name),
            None => Self::Glob(Glob { tokens }),
        })
    }
}

fn class(rest: &mut std::str::Chars<'_>) -> Option<Token> {
    let negated = rest.clone().next().is_some_and(|next| next == '!' || next == '^');
    if negated {
        rest.next();
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        match rest.next()? {
            // A bracket that comes first means itself.
            ']' if !ranges.is_empty() => return Some(Token::Class { negated, ranges }),
            first => {
                let first = if first == '\\' { rest.next()? } else { first };
                let mut ahead = rest.clone();
                match (ahead.next(), ahead.next()) {
                    (Some('-'), Some(last)) if last != ']' => {
                        *rest = ahead;
                        ranges.push((first, if last == '\\' { rest.next()? } else { last }));
                    }
                    _ => ranges.push((first, first)),
                }
            }
        }
    }
}

impl Glob {
    /// What every name that matches ends with, when the pattern is a star and this.
    pub(crate) fn ending(&self) -> Option<String> {
        let (first, rest) = self.tokens.split_first()?;
        let literal = |token: &Token| match token {
            Token::Character(character) => Some(*character),
            _ => None,
        };
        if *first == Token::Any { rest.iter().map(literal).collect() } else { None }
    }

    /// The same pattern for names that went through the same change.
    pub(crate) fn changed(&self, change: &dyn Fn(&str) -> String) -> Self {
        let one = |character: char| change(character.encode_utf8(&mut [0; 4]));
        let token = |token: &Token| match token {
            Token::Character(character) => one(*character).chars().map(Token::Character).collect(),
            Token::Class { negated, ranges } => {
                // A range keeps its own letters and gets the changed ones beside them.
                let single = |text: String| Some(text.chars().next()?).filter(|first| first.len_utf8() == text.len());
                let more = ranges.iter().filter_map(|(first, last)| Some((single(one(*first))?, single(one(*last))?)));
                vec![Token::Class { negated: *negated, ranges: ranges.iter().copied().chain(more).collect() }]
            }
            other => vec![other.clone()],
        };
        Self { tokens: self.tokens.iter().flat_map(token).collect() }
    }

    /// Whether a name matches. Time is bounded by the product of both lengths.
    pub(crate) fn matches(&self, name: &[u8]) -> bool {
        let (mut token, mut rest) = (0, name);
        // Where the last star stands, and what it hasn't swallowed yet.
        let mut star: Option<(usize, &[u8])> = None;
        loop {
            match self.tokens.get(token) {
                None if rest.is_empty() => return true,
                Some(Token::Any) => {
                    token += 1;
                    star = Some((token, rest));
                    continue;
                }
                Some(wanted) => {
                    if let Some((character, after)) = next(rest)
                        && wanted.is(character)
                    {
                        (token, rest) = (token + 1, after);
                        continue;
                    }
                }
                None => {}
            }
            // The last star swallows one more.
            let Some((after_star, swallowed)) = star else { return false };
            let Some((_, after)) = next(swallowed) else { return false };
            star = Some((after_star, after));
            (token, rest) = (after_star, after);
        }
    }
}

impl Token {
    /// A byte that is part of no character is nothing that a pattern can name.
    fn is(&self, character: Option<char>) -> bool {
        match (self, character) {
            (Self::Character(wanted), Some(character)) => *wanted == character,
            (Self::One, _) => true,
            (Self::Class { negated, ranges }, Some(character)) => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *negated
            }
            (Self::Class { negated, .. }, None) => *negated,
            _ => false,
        }
    }
}

/// The next character, or the next byte where there is none.
fn next(bytes: &[u8]) -> Option<(Option<char>, &[u8])> {
    let first = *bytes.first()?;
    let length = match first {
        0..0x80 => return Some((Some(char::from(first)), bytes.get(1..)?)),
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    };
    let character = bytes.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok()?.chars().next());
    let used = character.map_or(1, char::len_utf8);
    Some((character, bytes.get(used..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matches(pattern: &str, name: impl AsRef<[u8]>) -> bool {
        match Segment::parse(pattern).unwrap() {
            Segment::AnyDepth => true,
            Segment::Literal(literal) => literal.as_bytes() == name.as_ref(),
            Segment::Glob(glob) => glob.matches(name.as_ref()),
        }
    }

    #[test]
    fn wildcards_of_one_name() {
        for (pattern, yes, no) in [
            ("*.txt", &["a.txt", ".txt"][..], &["a.txt.x", "txt"][..]),
            ("a?c", &["abc", "a\u{e9}c"], &["ac", "abbc"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "x"]),
            ("[!a-c]x", &["dx"], &["ax"]),
            ("[]]", &["]"], &["[", ""]),
            ("[a\\]b]", &["a", "]", "b"], &["\\"]),
            ("a*b*c", &["abc", "axbxc", "abbcc"], &["ab", "acb"]),
            (r"\*", &["*"], &["a"]),
            (r"a\[b\]", &["a[b]"], &["ab"]),
            ("a***b", &["ab", "axb"], &["a"]),
        ] {
            yes.iter().for_each(|name| assert!(matches(pattern, name), "{pattern} {name}"));
            no.iter().for_each(|name| assert!(!matches(pattern, name), "{pattern} {name}"));
        }
        assert!(matches("a*", b"a\xff\xfe") && matches("a?", b"a\xff") && !matches("a?", b"a\xff\xff"));
        assert!(Segment::parse("[a").is_none() && Segment::parse("a\\").is_none());
    }

    proptest! {
        #[test]
        fn nothing_panics(pattern in "\\PC{0,12}|[\\[\\]*?!a\\\\-]{0,12}", name in prop::collection::vec(any::<u8>(), 0..16)) {
            if let Some(Segment::Glob(glob)) = Segment::parse(&pattern) {
                glob.matches(&name);
            }
        }
    }
}
