//! One rule: text that names an access.
//!
//! Forms: `Kind` alone is every access of that kind. `Read(//path)` and `Edit(//path)` are this file, or this folder and all
//! that is in it, as in a tool's own request; `/**` at the end says the same. `//` is the root of the file system.
//! `Bash(program 'an argument')`, `WebFetch(url)`, `Env(NAME)`, `Secret(name)`, `Agent(type)` and `Tool(name)` are exactly
//! this one.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::access::{Access, Kind};
use crate::location::normalize;

/// A rule longer than this is refused: 4,096 bytes of path and the words around it.
const LONGEST: usize = 4_200;

/// A parsed rule. Its text form parses to itself again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    kind: Kind,
    specifier: Specifier,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Specifier {
    Everything,
    /// A file, or a folder and all that is in it.
    Path(PathBuf),
    Exactly(String),
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Neither `Kind` nor `Kind(specifier)`.
    #[error("`{0}` is no rule; write `Kind` or `Kind(specifier)`")]
    Shape(String),
    /// A word in front of the parenthesis that names no kind of access.
    #[error("`{0}` names no kind of access; there are {known}", known = Kind::ALL.map(Kind::word).join(", "))]
    Kind(String),
    /// A path that doesn't start with `//`.
    #[error("`{0}` must be an absolute path that starts with `//`, such as `//home/ada/notes.txt` or `//srv/data/**`")]
    Path(String),
    /// A path with a wildcard somewhere else than in `/**` at the end.
    #[error("`{0}` has a wildcard; only `/**` at the end is understood")]
    Wildcard(String),
    /// A specifier for a kind that takes none.
    #[error("`{0}` takes no specifier")]
    NoSpecifier(&'static str),
    /// Over the length limit.
    #[error("a rule has at most {LONGEST} bytes, this one has {0}")]
    Length(usize),
}

impl Rule {
    /// Whether an allow rule covers the access: a link and its target both.
    #[must_use]
    pub fn allows(&self, access: &Access) -> bool {
        self.matches(access, |named, real| named && real)
    }

    /// Whether one form of the access is covered. Deny and ask rules use this; so do allow rules for one of a link's two
    /// ends.
    #[must_use]
    pub fn touches(&self, access: &Access) -> bool {
        self.matches(access, |named, real| named || real)
    }

    /// Whether the rule covers this path, for accesses of its kind.
    #[must_use]
    pub fn covers_path(&self, kind: Kind, path: &Path) -> bool {
        self.kind == kind
            && match &self.specifier {
                Specifier::Everything => true,
                Specifier::Path(place) => path.starts_with(place),
                Specifier::Exactly(_) => false,
            }
    }

    /// The place that it's about, if it's about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.specifier {
            Specifier::Path(path) => Some(path),
            Specifier::Everything | Specifier::Exactly(_) => None,
        }
    }

    /// The same rule about another place.
    #[must_use]
    pub fn moved_to(&self, path: &Path) -> Self {
        Self { kind: self.kind, specifier: Specifier::Path(normalize(path)) }
    }

    /// Whether it's about files at all.
    pub(crate) fn is_about_files(&self) -> bool {
        matches!(self.kind, Kind::Read | Kind::Edit)
    }

    fn matches(&self, access: &Access, both: fn(bool, bool) -> bool) -> bool {
        if self.kind != access.kind() {
            return false;
        }
        match (&self.specifier, access.location()) {
            (Specifier::Everything, _) => true,
            (Specifier::Exactly(text), None) => access.specifier().as_ref() == Some(text),
            (_, Some(location)) => {
                let covers = |path| self.covers_path(self.kind, path);
                both(covers(location.named()), covers(location.real()))
            }
            (Specifier::Path(_), None) => false,
        }
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.len() > LONGEST {
            return Err(RuleError::Length(text.len()));
        }
        let (word, specifier) = match text.split_once('(') {
            None => (text, None),
            Some((word, rest)) => {
                let inner = rest.strip_suffix(')').ok_or_else(|| RuleError::Shape(text.to_owned()))?;
                (word, Some(inner))
            }
        };
        let kind =
            Kind::ALL.into_iter().find(|kind| kind.word() == word).ok_or_else(|| RuleError::Kind(word.to_owned()))?;
        let specifier = match specifier {
            None => Specifier::Everything,
            Some("") => return Err(RuleError::Shape(text.to_owned())),
            Some(path) if matches!(kind, Kind::Read | Kind::Edit) => parse_path(path)?,
            Some(_) if matches!(kind, Kind::Complete | Kind::AskUser) => {
                return Err(RuleError::NoSpecifier(kind.word()));
            }
            Some(exact) => Specifier::Exactly(exact.to_owned()),
        };
        Ok(Self { kind, specifier })
    }
}

fn parse_path(text: &str) -> Result<Specifier, RuleError> {
    let absolute = text.strip_prefix("//").ok_or_else(|| RuleError::Path(text.to_owned()))?;
    let path = absolute.strip_suffix("**").filter(|path| path.is_empty() || path.ends_with('/')).unwrap_or(absolute);
    if path.contains(['*', '?']) {
        return Err(RuleError::Wildcard(text.to_owned()));
    }
    Ok(Specifier::Path(normalize(Path::new(&format!("/{path}")))))
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind.word();
        match &self.specifier {
            Specifier::Everything => formatter.write_str(word),
            Specifier::Path(path) => write!(formatter, "{word}(/{})", path.display()),
            Specifier::Exactly(text) => write!(formatter, "{word}({text})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;
    use proptest::prelude::*;

    fn read(named: &str, real: &str) -> Access {
        Access::Read(Location::new(Path::new(named), Path::new(real)))
    }

    fn rule(text: &str) -> Rule {
        text.parse().unwrap()
    }

    #[test]
    fn a_path_rule_is_the_file_or_the_folder_with_all_in_it() {
        assert!(rule("Read(//w/a.txt)").allows(&read("/w/a.txt", "/w/a.txt")));
        for text in ["Read(//w)", "Read(//w/)", "Read(//w/**)", "Read(//**)", "Read(//)"] {
            assert!(rule(text).allows(&read("/w/x/a.txt", "/w/x/a.txt")), "{text}");
        }
        assert!(rule("Read(//w/[id]/a)").allows(&read("/w/[id]/a", "/w/[id]/a")), "brackets mean themselves");
        assert!(!rule("Read(//w/**)").allows(&read("/wide", "/wide")));
        assert!(!rule("Edit(//w/**)").allows(&read("/w/a", "/w/a")));
    }

    #[test]
    fn a_link_is_allowed_by_both_ends_and_touched_by_either() {
        let link = read("/w/link", "/etc/passwd");
        assert!(!rule("Read(//w/**)").allows(&link));
        assert!(rule("Read(//w/**)").touches(&link));
        assert!(rule("Read(//etc/passwd)").touches(&link));
    }

    #[test]
    fn what_is_no_rule_says_why() {
        for text in [
            "",
            "Read(",
            "Read()",
            "Nope(x)",
            "Read(a)",
            "Read(/a)",
            "Read(//a*)",
            "Read(//a**)",
            "Read(//**/a)",
            "Complete(x)",
            "read(//a)",
        ] {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
        assert!("Read(//".parse::<Rule>().is_err());
        assert!(format!("Read(//{})", "a".repeat(5_000)).parse::<Rule>().is_err());
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_display_parses_again(text in "[A-Z][a-z]{0,8}(\\(//?[a-z./*]{0,12}\\))?|\\PC{0,40}") {
            if let Ok(rule) = text.parse::<Rule>() {
                prop_assert_eq!(rule.to_string().parse::<Rule>().unwrap(), rule);
            }
        }

        #[test]
        fn the_rules_that_an_access_names_allow_it(named in "(/[a-z]{1,3}){1,4}", real in "(/[a-z]{1,3}){1,4}") {
            let access = read(&named, &real);
            let rules: Vec<Rule> = access.rules().iter().map(|text| text.parse().unwrap()).collect();
            for path in [access.location().unwrap().named(), access.location().unwrap().real()] {
                prop_assert!(rules.iter().any(|rule| rule.covers_path(Kind::Read, path)));
            }
        }
    }
}
