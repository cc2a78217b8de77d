//! A host with guests, in a folder of its own.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use toolbay::policy::Verdict;
use toolbay::{
    Agent, Answer, Approver, Asking, CallError, Code, Decided, Host, HostOptions, Level, Observer, Progress, Question,
    Record, RecordError, Recorder, Reply, Report, SessionSettings, Settings, Use,
};

/// A host, a session in an empty folder, and its agent.
pub struct TestHost {
    pub host: Host,
    pub agent: Agent,
    pub heard: Arc<Heard>,
    pub kept: Arc<Kept>,
    folder: tempfile::TempDir,
}

impl TestHost {
    /// These guests beside the built-in tools, with every default.
    pub fn with(guests: &[&str]) -> Self {
        Self::settings(guests, |_| ())
    }

    /// The same with other settings. Compiled code is shared by all tests.
    pub fn settings(guests: &[&str], change: impl FnOnce(&mut Settings)) -> Self {
        Self::options(guests, |options| change(&mut options.settings))
    }

    /// The same with any option.
    pub fn options(guests: &[&str], change: impl FnOnce(&mut HostOptions)) -> Self {
        Self::session(guests, change, |_| ())
    }

    /// A person is there, who gives these answers one after the other.
    pub fn answering(guests: &[&str], replies: impl IntoIterator<Item = Reply>) -> (Self, Arc<Person>) {
        let person = Arc::new(Person { replies: Mutex::new(replies.into_iter().collect()), ..Person::default() });
        let approver = person.clone();
        (Self::session(guests, |_| (), |settings| settings.approver = approver), person)
    }

    /// The same with any option of the host and of the session. The user's settings lie in `config`.
    pub fn session(
        guests: &[&str],
        change: impl FnOnce(&mut HostOptions),
        change_session: impl FnOnce(&mut SessionSettings),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("root")).unwrap();
        let mut settings = Settings { components: guests.iter().map(PathBuf::from).collect(), ..Settings::default() };
        settings.limits.calls_in_flight = 16;
        let mut options = HostOptions {
            settings,
            cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")),
            results: Some(folder.path().join("results")),
            ..HostOptions::default()
        };
        options.places.config = Some(folder.path().join("config"));
        change(&mut options);
        let host = Host::new(options).unwrap();
        let heard = Arc::new(Heard::default());
        let kept = Arc::new(Kept::default());
        let mut settings = SessionSettings {
            observer: heard.clone(),
            recorder: kept.clone(),
            ..SessionSettings::in_folder(folder.path().join("root"))
        };
        change_session(&mut settings);
        let agent = host.block_on(host.session(settings)).unwrap().agent();
        Self { host, agent, heard, kept, folder }
    }

    /// Makes a file in the root, with the folders above it; gives its absolute path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The absolute path of a name in the root.
    pub fn path(&self, name: &str) -> String {
        self.root().join(name).to_str().unwrap().to_owned()
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("root")
    }

    pub fn call(&self, tool: &str, input: Value) -> Report {
        self.host.block_on(self.agent.call(Use::new(tool, input.to_string())))
    }

    /// A call that must give a result.
    pub fn answer(&self, tool: &str, input: Value) -> Answer {
        self.call(tool, input).result.unwrap_or_else(|error| panic!("{error:?}"))
    }

    /// The text of a call that must give a result.
    pub fn text(&self, tool: &str, input: Value) -> String {
        self.answer(tool, input).text()
    }

    /// The error of a call that must give none.
    pub fn error(&self, tool: &str, input: Value) -> CallError {
        self.call(tool, input).result.expect_err("the call must not give a result")
    }
}

/// A person at a terminal, in a test.
#[derive(Default)]
pub struct Person {
    pub replies: Mutex<VecDeque<Reply>>,
    pub asked: Mutex<Vec<Question>>,
    /// Done while the question is open.
    pub meanwhile: Mutex<Option<Box<dyn FnMut() + Send>>>,
}

impl Approver for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.asked.lock().unwrap().push(question.clone());
            if let Some(act) = self.meanwhile.lock().unwrap().as_mut() {
                act();
            }
            self.replies.lock().unwrap().pop_front().unwrap_or(Reply::Nobody)
        })
    }
}

/// What tools said while they ran.
#[derive(Default)]
pub struct Heard {
    pub progress: Mutex<Vec<Progress>>,
    pub log: Mutex<Vec<(Level, String)>>,
}

impl Observer for Heard {
    fn progress(&self, _call: &str, update: Progress) {
        self.progress.lock().unwrap().push(update);
    }

    fn log(&self, _call: &str, level: Level, message: &str) {
        self.log.lock().unwrap().push((level, message.to_owned()));
    }
}

/// The records of all calls, and of the decisions before them: verdict, answer, and whether the call ran already.
#[derive(Default)]
pub struct Kept(pub Mutex<Vec<KeptRecord>>, pub Mutex<Vec<(Verdict, Option<String>, bool)>>);

#[derive(Debug)]
pub struct KeptRecord {
    pub tool: String,
    pub found: bool,
    pub verdict: Option<Verdict>,
    pub error: Option<Code>,
    pub cpu_milliseconds: u32,
    pub memory_bytes: u64,
}

impl Recorder for Kept {
    fn decided(&self, decided: &Decided<'_>) -> Result<(), RecordError> {
        let answer = decided.answer.map(str::to_owned);
        self.1.lock().unwrap().push((decided.decision.verdict, answer, decided.running));
        Ok(())
    }

    fn record(&self, record: &Record<'_>) {
        self.0.lock().unwrap().push(KeptRecord {
            tool: record.tool.to_owned(),
            found: record.digest.is_some(),
            verdict: record.decision.map(|decision| decision.verdict),
            error: record.error,
            cpu_milliseconds: record.cpu_milliseconds,
            memory_bytes: record.memory_bytes,
        });
    }
}
