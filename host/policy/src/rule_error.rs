//! Why a text is no rule, or none that could ever match.

use crate::access::Kind;
use crate::command::CommandPatternError;
use crate::path::PathPatternError;

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Neither `Name` nor `Name(specifier)`.
    #[error("`{0}` is no rule; write `Name` or `Name(specifier)`, where the name is one of {known} or a tool", known = Kind::ALL.map(Kind::word).join(", "))]
    Shape(String),
    /// Letters that only look like others.
    #[error("the name `{0}` has letters outside ASCII; names of tools and accesses have none")]
    Letters(String),
    /// What isn't a path pattern.
    #[error("`{rule}` can't be used: {source}")]
    Path {
        /// The rule.
        rule: String,
        /// Why.
        source: PathPatternError,
    },
    /// What isn't a command.
    #[error("`{rule}` can't be used: {source}")]
    Command {
        /// The rule.
        rule: String,
        /// Why.
        source: CommandPatternError,
    },
    /// What no host looks like.
    #[error(
        "`domain:{0}` could never match; write a host such as `example.com`, or `*.example.com` for those below it"
    )]
    Host(String),
    /// `WebFetch` without `domain:`.
    #[error("`WebFetch({0})` can't be used; write `WebFetch(domain:example.com)`")]
    NoDomain(String),
    /// A specifier for a kind that takes none.
    #[error("`{0}` takes no specifier")]
    NoSpecifier(&'static str),
    /// A specifier for a tool, other than a parameter.
    #[error(
        "`{0}(...)` can't be used; paths are named by `Read(...)` and `Edit(...)`, commands by `Bash(...)`, and a tool takes `{0}(parameter:value)`"
    )]
    NoParameter(String),
    /// A field that holds an access.
    #[error(
        "`{word}({field}:...)` can't be used; write `{word}(...)` with the value alone, which is compared with what's really accessed"
    )]
    MainField {
        /// The rule's word.
        word: &'static str,
        /// The field.
        field: String,
    },
    /// `Name(parameter:value)` as an allow.
    #[error("`{0}` looks at a parameter, which rules can do to deny and to ask, not to allow")]
    ParameterAllows(String),
    /// `*` as an allow.
    #[error(
        "`{0}` allows tools by a wildcard; write the tool's name, or a wildcard behind `mcp__server__` or `pack__`"
    )]
    GlobAllows(String),
    /// `~/` where there is no home folder.
    #[error("`{0}` is about the home folder, and there is none")]
    NoHome(String),
    /// Over the length limit.
    #[error("a rule has at most {limit} bytes, this one has {0}", limit = crate::rule::LONGEST)]
    Length(usize),
    /// Too many rules.
    #[error("there are more than {limit} rules", limit = crate::rules::MOST)]
    TooMany,
    /// An example that the rule doesn't fulfil.
    #[error("`{rule}` {}, against its own example", if *.expected { format!("doesn't match `{example}`") } else { format!("matches `{example}`") })]
    Example {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
        /// Whether it should match.
        expected: bool,
    },
    /// An example that can't be read.
    #[error("the example `{example}` of `{rule}` can't be used: {why}")]
    OddExample {
        /// The rule.
        rule: String,
        /// The example.
        example: String,
        /// Why.
        why: String,
    },
}
