//! The built-in tools: components that are part of the program, with digests that were taken when it was built.

use toolbay_sandbox::Digest;

/// A component in the program's own file.
pub(crate) struct Builtin {
    pub(crate) bytes: &'static [u8],
    pub(crate) digest: Digest,
}

/// `(crate name, bytes, SHA-256)`, sorted by name.
type Embedded = &'static [(&'static str, &'static [u8], [u8; 32])];

const EMBEDDED: Embedded = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// All of them with the short names of their crates, in a stable order.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Builtin)> {
    let short = |name: &'static str| name.strip_prefix("toolbay_").unwrap_or(name);
    EMBEDDED.iter().map(move |(name, bytes, digest)| (short(name), Builtin { bytes, digest: Digest::known(*digest) }))
}
