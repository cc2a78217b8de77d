//! Small changes to bytes, the same for the same seed.

/// Words that mean something to one of the targets.
const WORDS: [&str; 40] = [
    "Read(",
    "Edit(",
    "Bash(",
    "WebFetch(domain:",
    "Env(",
    "mcp__s__",
    "**",
    "/**",
    "//",
    "~/",
    "../",
    "./",
    ":*",
    " *",
    "[a-z]",
    "\\",
    "'",
    "\"",
    "$(",
    "`",
    "&&",
    "||",
    "; ",
    "\n",
    "<<EOF\n",
    ">(",
    "${x}",
    "\"deny\":[",
    "\"allow\":",
    "{\"rule\":",
    "\"match\":[",
    "\"permissions\":{",
    "\"tools\":{",
    "}",
    "]",
    ")",
    "sudo ",
    "sh -c ",
    "forbidden",
    "\u{301}",
];
/// The longest input.
const LONGEST: usize = 8_192;

/// A generator of numbers: splitmix64, after Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or(0) % end.max(1)
    }
}

/// An entry of the corpus with some changes.
#[must_use]
pub fn mutate(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random| corpus.get(random.below(corpus.len())).cloned().unwrap_or_default();
    let mut data = pick(random);
    for _ in 0..=random.below(6) {
        let at = random.below(data.len() + 1);
        let word = WORDS[random.below(WORDS.len())].as_bytes();
        match random.below(7) {
            0 => data.insert(at, u8::try_from(random.below(256)).unwrap_or(0)),
            1 if at < data.len() => drop(data.remove(at)),
            2 if at < data.len() => data[at] ^= 1 << random.below(8),
            3 => drop(data.splice(at..at, word.iter().copied())),
            4 => {
                let end = (at + random.below(8)).min(data.len());
                drop(data.splice(at..end, word.iter().copied()));
            }
            5 => {
                let other = pick(random);
                let from = random.below(other.len() + 1);
                data.truncate(at);
                data.extend(&other[from..]);
            }
            _ => {
                let piece: Vec<u8> = data[at..(at + random.below(16)).min(data.len())].to_vec();
                drop(data.splice(at..at, piece.iter().copied().chain(piece.iter().copied())));
            }
        }
        data.truncate(LONGEST);
    }
    data
}
