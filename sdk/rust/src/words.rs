//! Constructors for the words of the contract, so that a tool reads like a sentence.

use crate::{Access, Command, Content, Failure, Outcome, Request, Traits, Verdict};

impl Access {
    /// Read a file, or a folder and everything in it.
    pub fn read(path: impl Into<String>) -> Self {
        Self::Read(path.into())
    }

    /// Create, change or delete a file, or anything in a folder.
    pub fn write(path: impl Into<String>) -> Self {
        Self::Write(path.into())
    }

    /// Fetch a URL.
    pub fn fetch(url: impl Into<String>) -> Self {
        Self::Fetch(url.into())
    }

    /// Run a program with these arguments in the agent's working directory.
    pub fn run(program: impl Into<String>, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self::Run(Command { program: program.into(), arguments, directory: None })
    }
}

impl Request {
    /// No access and no traits.
    #[must_use]
    pub fn nothing() -> Self {
        Self { access: Vec::new(), verdict: Verdict::Allow, traits: Traits::empty(), summary: None }
    }

    /// Exactly this one access.
    #[must_use]
    pub fn only(access: Access) -> Self {
        Self { access: vec![access], ..Self::nothing() }
    }

    /// One more access.
    #[must_use]
    pub fn and(mut self, access: Access) -> Self {
        self.access.push(access);
        self
    }

    /// What is true of this very call.
    #[must_use]
    pub fn with(mut self, traits: Traits) -> Self {
        self.traits |= traits;
        self
    }

    /// One line for the person who is asked.
    #[must_use]
    pub fn summary(mut self, line: impl Into<String>) -> Self {
        self.summary = Some(line.into());
        self
    }
}

impl Outcome {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![Content::Text(text.into())],
            structured: None,
            messages: Vec::new(),
            changes: Vec::new(),
            meta: None,
        }
    }

    /// The text blocks, joined by line ends. For tests.
    #[must_use]
    pub fn as_text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// So that `?` hands a refusal to the model.
impl From<crate::Denied> for Failure {
    fn from(denied: crate::Denied) -> Self {
        Self::new(1, denied.message)
    }
}

impl Failure {
    /// A failure with the tool's own number for its kind, and a message for the model.
    pub fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
