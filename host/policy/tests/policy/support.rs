//! Policies and requests in few words. `/w` is the root, `/home/ada` the home folder.

use std::path::Path;
use std::sync::Arc;

use toolbay_policy::{
    Access, Address, Anchors, Command, Decision, List, Location, Mode, Policy, Reason, Request, Rules, Source,
    ToolVerdict, Traits, Verdict, Written, decide,
};

/// A policy that is being put together.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    pub written: Vec<Written>,
    pub mode: Mode,
    pub links: Vec<(&'static str, &'static str)>,
}

pub fn setup() -> Setup {
    Setup::default()
}

pub fn plain(path: &str) -> Location {
    Location::plain(Path::new(path))
}

pub fn read(path: &str) -> Access {
    Access::Read(plain(path))
}

pub fn write(path: &str) -> Access {
    Access::Write(plain(path))
}

pub fn link(named: &str, real: &str) -> Location {
    Location::new(Path::new(named), Path::new(real))
}

pub fn fetch(url: &str) -> Access {
    Access::Fetch(Address::parse(url).unwrap())
}

/// A program and its arguments, run in `/w`.
pub fn run(words: &[&str]) -> Access {
    run_in("/w", words)
}

pub fn run_in(folder: &str, words: &[&str]) -> Access {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let resolve = |path: &str| Some(plain(Path::new(folder).join(path.replace("~/", "/home/ada/")).to_str().unwrap()));
    Access::Run(Box::new(Command::new(words[0].clone(), words[1..].to_vec(), plain(folder), resolve)))
}

/// A line that a shell would be given.
pub fn shell(line: &str) -> Access {
    run(&["sh", "-c", line])
}

impl Setup {
    pub fn rule(mut self, list: List, rule: &str, source: Source) -> Self {
        self.written.push(Written::new(list, rule.parse().unwrap(), source));
        self
    }

    pub fn deny(self, rule: &str) -> Self {
        self.rule(List::Deny, rule, Source::User)
    }

    pub fn ask(self, rule: &str) -> Self {
        self.rule(List::Ask, rule, Source::User)
    }

    pub fn allow(self, rule: &str) -> Self {
        self.rule(List::Allow, rule, Source::User)
    }

    pub fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// A link that is there when the rules are read.
    pub fn link(mut self, named: &'static str, real: &'static str) -> Self {
        self.links.push((named, real));
        self
    }

    pub fn rules(&self) -> Rules {
        let anchors = Anchors { roots: vec![plain("/w")], home: Some(plain("/home/ada")) };
        let look = |path: &Path| {
            let found =
                self.links.iter().find_map(|(named, real)| Some(Path::new(real).join(path.strip_prefix(named).ok()?)));
            found.map(|real| Location::new(path, &real))
        };
        Rules::compile(self.written.clone(), &anchors, &look).unwrap()
    }

    pub fn policy(&self) -> Arc<Policy> {
        Arc::new(Policy {
            roots: vec![plain("/w")],
            own: vec![plain("/home/ada/.config/toolbay")],
            home: Some(plain("/home/ada")),
            rules: Arc::new(self.rules()),
            mode: self.mode,
            ..Policy::default()
        })
    }

    pub fn decide(&self, access: Access) -> Decision {
        decide(&self.policy(), request(vec![access]))
    }

    pub fn verdict(&self, access: Access) -> Verdict {
        self.decide(access).verdict
    }

    /// The verdict about a call of a tool that needs nothing.
    pub fn call(&self, tool: &str, parameters: &[(&str, &str)]) -> Verdict {
        let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        decide(&self.policy(), Request { tool: tool.to_owned(), parameters, ..request(Vec::new()) }).verdict
    }
}

pub fn request(access: Vec<Access>) -> Request {
    let traits = Traits { read_only: true, ..Traits::default() };
    Request { tool: "Tester".to_owned(), access, traits, verdict: ToolVerdict::Allow, ..Request::default() }
}

/// The rule that decided the first step, and the command inside that it was about.
pub fn decided_by(decision: &Decision) -> (String, Option<String>) {
    match &decision.steps[0].reason {
        Reason::Rule { written, part } => (written.rule.to_string(), part.clone()),
        other => (other.to_string(), None),
    }
}
