//! A path in a rule: where it's anchored, and the names below.

use std::path::{Path, PathBuf};

use super::segment::Segment;
use crate::{List, Location};

/// Where the anchors of path patterns lie.
#[derive(Debug, Clone, Default)]
pub struct Anchors {
    /// The folders that the session works in. `./x` and `x` start at the first, in deny and ask rules at each.
    pub roots: Vec<Location>,
    /// `~`
    pub home: Option<Location>,
}

/// A parsed pattern. It covers what it names, and everything below that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    /// How many folders above the anchor it starts: `../x`.
    up: usize,
    segments: Vec<Segment>,
    depth: Depth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// `//x`: the root of the file system.
    Top,
    /// `~/x`
    Home,
    /// `/x`: the folder that belongs to the settings source.
    Source,
    /// `./x` and `x`: the working directory.
    Here,
}

/// Where below its anchor a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Right there.
    Anchored,
    /// `x`: a bare name, at any depth.
    Any,
    /// `x/**`, `x/`: one folder. At any depth where the rule denies or asks, right there where it allows.
    AnyUnlessAllowed,
}

/// Why a text is no path pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathPatternError {
    /// Nothing between the parentheses.
    #[error("it names no path")]
    Empty,
    /// `[` without `]`, or a backslash with nothing behind it.
    #[error("it has a `[` without `]` or ends with a backslash; write `\\[` for the character itself")]
    Unfinished,
    /// `!x`
    #[error("a rule has no exceptions, so it can't begin with `!`; write `\\!` for the character itself")]
    Negated,
    /// `..` behind a wildcard.
    #[error("`..` behind a wildcard can never match")]
    Parent,
    /// A NUL.
    #[error("no path has a NUL in it")]
    Nul,
    /// `~user/x`
    #[error("only `~/` is understood, not another user's folder; write the path from `//`")]
    OtherHome,
}

impl PathPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, PathPatternError> {
        let (anchor, rest) = match text {
            "" => return Err(PathPatternError::Empty),
            "~" => (Anchor::Home, ""),
            _ if text.contains('\0') => return Err(PathPatternError::Nul),
            _ if text.starts_with('!') => return Err(PathPatternError::Negated),
            _ => match (text.strip_prefix("//"), text.strip_prefix("~/"), text.strip_prefix('/')) {
                (Some(rest), ..) => (Anchor::Top, rest),
                (_, Some(rest), _) => (Anchor::Home, rest),
                (.., Some(rest)) => (Anchor::Source, rest),
                _ if text.starts_with('~') => return Err(PathPatternError::OtherHome),
                _ => (Anchor::Here, text),
            },
        };
        let explicit = anchor != Anchor::Here || rest == "." || rest.starts_with("./") || rest.starts_with("../");
        let (mut up, mut segments) = (0, Vec::new());
        for name in names(rest) {
            match name {
                "" | "." => {}
                ".." => match segments.last() {
                    None => up += 1,
                    Some(Segment::Literal(_)) => drop(segments.pop()),
                    Some(_) => return Err(PathPatternError::Parent),
                },
                name => segments.push(Segment::parse(name).ok_or(PathPatternError::Unfinished)?),
            }
        }
        let folder = rest.ends_with('/') || segments.last() == Some(&Segment::AnyDepth);
        // A pattern covers what lies below it anyway.
        while segments.last() == Some(&Segment::AnyDepth) {
            segments.pop();
        }
        let depth = match segments.as_slice() {
            _ if explicit => Depth::Anchored,
            [_] if folder => Depth::AnyUnlessAllowed,
            [_] => Depth::Any,
            _ => Depth::Anchored,
        };
        Ok(Self { anchor, up, segments, depth })
    }

    /// The home folder is needed.
    pub(crate) fn is_below_home(&self) -> bool {
        self.anchor == Anchor::Home
    }

    /// Whether it looks like an absolute path, which would begin with `//`.
    pub(crate) fn looks_absolute(&self) -> bool {
        let first = match self.segments.first() {
            Some(Segment::Literal(name)) => name.as_str(),
            _ => return false,
        };
        let top = [
            "bin", "boot", "dev", "etc", "home", "lib", "mnt", "opt", "proc", "root", "run", "srv", "sys", "tmp",
            "usr", "var", "Users",
        ];
        self.anchor == Anchor::Source && top.contains(&first)
    }

    /// Where it applies: absolute starting folders without wildcards, each with the segments below.
    ///
    /// A rule that denies or asks applies below each root, and by both names of an anchor that is a link. A rule that
    /// allows applies below the first root, and by both names of an anchor too: the anchors are the operator's own words,
    /// unlike links further down.
    pub(crate) fn places(
        &self,
        list: List,
        anchors: &Anchors,
        source: Option<&Location>,
    ) -> Vec<(PathBuf, Vec<Segment>)> {
        let here = || anchors.roots.first();
        let bases: Vec<Location> = match self.anchor {
            Anchor::Top => vec![Location::plain(Path::new("/"))],
            Anchor::Home => anchors.home.iter().cloned().collect(),
            Anchor::Source => source.or_else(here).into_iter().cloned().collect(),
            Anchor::Here if list == List::Allow => here().into_iter().cloned().collect(),
            Anchor::Here => anchors.roots.clone(),
        };
        let any = match self.depth {
            Depth::Anchored => false,
            Depth::Any => true,
            Depth::AnyUnlessAllowed => list != List::Allow,
        };
        let literal = self.segments.iter().map_while(|segment| match segment {
            Segment::Literal(name) => Some(name.as_str()),
            _ => None,
        });
        let below: Vec<&str> = if any { Vec::new() } else { literal.collect() };
        let mut tail = self.segments.get(below.len()..).unwrap_or_default().to_vec();
        if any {
            tail.insert(0, Segment::AnyDepth);
        }
        let mut places = Vec::new();
        for base in &bases {
            for base in [base.named(), base.real()] {
                let above = base.ancestors().nth(self.up).unwrap_or(Path::new("/"));
                let start = below.iter().fold(above.to_owned(), |path, name| path.join(name));
                for start in
                    [Some(start.clone()), by_other_name(&start, anchors, true), by_other_name(&start, anchors, false)]
                {
                    if let Some(start) = start.filter(|start| !places.iter().any(|(place, _)| place == start)) {
                        places.push((start, tail.clone()));
                    }
                }
            }
        }
        places
    }
}

/// The same place when an anchor above it is a link: from the anchor's name to where it leads, or back.
fn by_other_name(path: &Path, anchors: &Anchors, forward: bool) -> Option<PathBuf> {
    anchors.roots.iter().chain(&anchors.home).filter(|anchor| anchor.named() != anchor.real()).find_map(|anchor| {
        let (from, to) = if forward { (anchor.named(), anchor.real()) } else { (anchor.real(), anchor.named()) };
        Some(to.join(path.strip_prefix(from).ok()?))
    })
}

/// The names between slashes; a slash behind a backslash is one too, as no name has a slash.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('/')
}

/// A path's text, so that a pattern made of it means this path alone.
pub(crate) fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for character in path.chars() {
        if "*?[\\".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str, list: List) -> Vec<String> {
        let anchors = Anchors {
            roots: vec![Location::plain(Path::new("/w")), Location::plain(Path::new("/v"))],
            home: Some(Location::new(Path::new("/home/a"), Path::new("/disk/a"))),
        };
        let source = Location::plain(Path::new("/conf"));
        let places = PathPattern::parse(text).unwrap().places(list, &anchors, Some(&source));
        places.into_iter().map(|(start, tail)| format!("{} {}", start.display(), tail.len())).collect()
    }

    #[test]
    fn each_anchor_starts_where_it_says() {
        assert_eq!(starts("//etc/passwd", List::Allow), ["/etc/passwd 0"]);
        assert_eq!(starts("//home/a/x", List::Allow), ["/home/a/x 0", "/disk/a/x 0"]);
        assert_eq!(starts("~/x/*.txt", List::Allow), ["/home/a/x 1", "/disk/a/x 1"]);
        assert_eq!(starts("/x", List::Deny), ["/conf/x 0"]);
        assert_eq!(starts("./x/y", List::Allow), ["/w/x/y 0"]);
        assert_eq!(starts("../x", List::Allow), ["/x 0"]);
        assert_eq!(starts("./x/../y", List::Deny), ["/w/y 0", "/v/y 0"]);
        assert_eq!(starts("x", List::Allow), ["/w 2"]);
        assert_eq!(starts("x/**", List::Allow), ["/w/x 0"]);
        assert_eq!(starts("x/**", List::Deny), ["/w 2", "/v 2"]);
        assert_eq!(starts("x/y", List::Ask), ["/w/x/y 0", "/v/x/y 0"]);
        assert_eq!(starts("//**", List::Deny), ["/ 0"]);
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        for (text, error) in [
            ("", PathPatternError::Empty),
            ("!x", PathPatternError::Negated),
            ("a/[", PathPatternError::Unfinished),
            ("*/..", PathPatternError::Parent),
            ("~ada/x", PathPatternError::OtherHome),
            ("a\0b", PathPatternError::Nul),
        ] {
            assert_eq!(PathPattern::parse(text), Err(error), "{text}");
        }
    }
}
