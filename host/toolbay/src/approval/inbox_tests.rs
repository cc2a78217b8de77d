//! Tests of the inbox.

#![expect(clippy::disallowed_methods, reason = "tests look at what was done")]

use super::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Barrier;
use std::time::SystemTime;

const ID: &str = "0123456789abcdef";
const DENY: Reply = Reply::Deny { message: None };

fn question(id: &str) -> Question {
    Question {
        id: id.into(),
        binding: id.repeat(4),
        session: "session".into(),
        agent: "agent".into(),
        call: "call".into(),
        tool: "Read".into(),
        origin: "built-in Read".into(),
        digest: "d".repeat(64),
        input: r#"{"path":"/w/a"}"#.into(),
        running: false,
        summary: Some("reads".into()),
        asks: Vec::new(),
        accesses: vec!["read /w/a".into()],
        rules: Some(vec!["Read(/w/a)".into()]),
        file: Some("/settings.json".into()),
    }
}

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// The inbox, as another process would open it.
    fn inbox(&self) -> Inbox {
        self.waiting(Duration::ZERO)
    }

    fn waiting(&self, wait: Duration) -> Inbox {
        Inbox::new(self.folder(), wait)
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("deep/inbox")
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder().join(file_name(id))
    }

    /// Changes the text of a file, as somebody with an editor would.
    fn edit(&self, id: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.file(id)).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(self.file(id), text.replace(from, to)).unwrap();
    }

    fn age(&self, id: &str) {
        let file = fs::OpenOptions::new().write(true).open(self.file(id)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(8 * 24 * 60 * 60)).unwrap();
    }

    async fn ask(&self, question: &Question) -> Reply {
        self.inbox().ask(question).await
    }

    fn waits(&self, id: &str) -> bool {
        self.inbox().show(id).is_ok_and(|entry| entry.answer.is_none())
    }
}

#[tokio::test]
async fn a_question_to_nobody_waits_in_a_private_file() {
    let place = Place::new();
    assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
    assert_eq!(fs::metadata(place.file(ID)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(place.folder()).unwrap().permissions().mode() & 0o777, 0o700);
    let entry = place.inbox().show("0123").unwrap();
    assert_eq!((&entry.question, entry.answer), (&question(ID), None));
    assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
    assert_eq!(place.inbox().show(ID).unwrap().asked, entry.asked, "asked again, it keeps its time");
}

#[tokio::test]
async fn an_answer_is_given_once_to_whoever_asks_the_same() {
    let place = Place::new();
    let other = Question { session: "s2".into(), agent: "a2".into(), call: "c2".into(), ..question(ID) };
    for reply in [Reply::Once, Reply::Session, Reply::Always, Reply::Deny { message: Some("no".into()) }] {
        assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
        let entry = place.inbox().answer("012345", reply.clone()).unwrap();
        assert!(entry.answer == Some(reply.clone()) && entry.answered >= Some(entry.asked));
        assert_eq!(place.ask(&other).await, reply);
        assert!(!place.file(ID).exists());
        assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
        assert!(place.waits(ID));
    }
}

#[tokio::test]
async fn an_answer_to_another_question_is_none() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    place.inbox().answer(ID, Reply::Once).unwrap();
    let near = Question { input: "{}".into(), ..question("0123456789abcde0") };
    assert_eq!(place.ask(&near).await, Reply::Nobody);
    // All 16 digits are the same, and only the binding tells them apart.
    let collides = Question { binding: "e".repeat(64), ..question(ID) };
    assert!(matches!(place.inbox().reply(&collides).await, Err(InboxError::Collision(_))));
    assert_eq!(place.ask(&collides).await, Reply::Nobody);
    assert_eq!(place.ask(&question(ID)).await, Reply::Once, "the first one keeps its answer");
}

#[tokio::test]
async fn an_answer_in_a_changed_file_is_none() {
    let place = Place::new();
    for (from, to) in [("/w/a", "/w/b"), ("built-in", "builtin"), ("\"once\"", "\"nobody\""), ("{", "[")] {
        place.ask(&question(ID)).await;
        place.inbox().answer(ID, Reply::Once).unwrap();
        place.edit(ID, from, to);
        assert_eq!(place.ask(&question(ID)).await, Reply::Nobody, "{from} {to}");
        assert_eq!(place.inbox().show(ID).unwrap().question, question(ID));
        assert!(place.waits(ID));
    }
}

#[test]
fn of_many_that_ask_at_once_one_gets_the_answer() {
    let place = Place::new();
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(place.ask(&question(ID)))
    };
    for _ in 0..20 {
        ask();
        place.inbox().answer(ID, Reply::Once).unwrap();
        let barrier = Barrier::new(8);
        let replies: Vec<Reply> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..8).map(|_| scope.spawn(|| (barrier.wait(), ask()).1)).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(replies.iter().filter(|reply| **reply == Reply::Once).count(), 1);
        assert_eq!(replies.iter().filter(|reply| **reply == Reply::Nobody).count(), 7);
        assert!(place.waits(ID), "the others' question waits");
    }
}

#[tokio::test]
async fn a_call_that_waits_gets_the_answer_and_one_that_ends_leaves_its_question() {
    let place = Place::new();
    let inbox = place.waiting(Duration::MAX);
    let asking = tokio::spawn(async move { inbox.ask(&question(ID)).await });
    while !place.waits(ID) {
        tokio::task::yield_now().await;
    }
    place.inbox().answer(ID, DENY).unwrap();
    assert_eq!(asking.await.unwrap(), DENY);

    let inbox = place.waiting(Duration::from_millis(1));
    assert_eq!(inbox.ask(&question(ID)).await, Reply::Nobody);
    let inbox = place.waiting(Duration::MAX);
    let asking = tokio::spawn(async move { inbox.ask(&question(ID)).await });
    tokio::task::yield_now().await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    assert!(place.waits(ID));
}

#[tokio::test]
async fn an_answer_on_its_way_to_a_dropped_call_stays() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    place.inbox().answer(ID, Reply::Once).unwrap();
    // What a dropped call leaves behind: it has found the answer, and wasn't polled again to take it.
    drop(place.inbox().look(&question(ID)).unwrap().unwrap());
    assert_eq!(place.ask(&question(ID)).await, Reply::Once);
}

#[tokio::test]
async fn an_answer_can_be_revoked_until_it_is_taken() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    place.inbox().answer(ID, Reply::Always).unwrap();
    place.inbox().answer(ID, DENY).unwrap();
    assert_eq!(place.ask(&question(ID)).await, DENY);
    assert!(matches!(place.inbox().answer(ID, Reply::Once), Err(InboxError::Unknown(_))));
}

#[tokio::test]
async fn answers_that_do_not_fit_are_refused() {
    let place = Place::new();
    place.ask(&Question { rules: None, ..question(ID) }).await;
    place.ask(&Question { file: None, ..question("0123ffffffffffff") }).await;
    let error = |id, reply| place.inbox().answer(id, reply).unwrap_err();
    assert!(matches!(error(ID, Reply::Session), InboxError::OnlyOnce));
    assert!(matches!(error(ID, Reply::Always), InboxError::OnlyOnce));
    assert!(matches!(error("0123f", Reply::Always), InboxError::NotAlways));
    assert!(matches!(error(ID, Reply::Nobody), InboxError::NoAnswer));
    assert!(matches!(error("0123", DENY), InboxError::Ambiguous { count: 2, .. }));
    assert!(matches!(error("ffff", DENY), InboxError::Unknown(_)));
    for id in ["012", "", "0123456789abcdef0", "012G", "../../x", "01 3", "012A"] {
        assert!(matches!(error(id, DENY), InboxError::Id(_)), "{id}");
    }
    assert!(place.inbox().answer("0123f", Reply::Session).is_ok());
    assert!(place.waits(ID));
}

#[tokio::test]
async fn an_identifier_cannot_lead_out_of_the_folder() {
    let place = Place::new();
    assert!(matches!(place.inbox().reply(&question("../../0123456789")).await, Err(InboxError::Id(_))));
    assert!(!place.folder().exists());
    assert_eq!(place.inbox().list().unwrap(), Listing::default());
}

#[tokio::test]
async fn the_oldest_question_comes_first_and_junk_is_reported() {
    let place = Place::new();
    for (id, year) in [("cccccccccccccccc", "2001"), ("aaaaaaaaaaaaaaaa", "2003"), ("bbbbbbbbbbbbbbbb", "2002")] {
        place.ask(&question(id)).await;
        let asked = format!("\"asked\": \"{}", &place.inbox().show(id).unwrap().asked.to_string()[..4]);
        place.edit(id, &asked, &format!("\"asked\": \"{year}"));
    }
    fs::write(place.folder().join("notes.txt"), "").unwrap();
    fs::write(place.file("1111111111111111"), "{").unwrap();
    fs::copy(place.file("aaaaaaaaaaaaaaaa"), place.file("2222222222222222")).unwrap();
    fs::create_dir(place.file("3333333333333333")).unwrap();
    fs::File::create(place.file("4444444444444444")).unwrap().set_len(LARGEST + 1).unwrap();
    fs::write(place.file("5555555555555555"), "[".repeat(100_000)).unwrap();
    let listing = place.inbox().list().unwrap();
    let ids: String = listing.entries.iter().map(|entry| &entry.question.id[..1]).collect();
    let files: String = listing.unreadable.iter().map(|unreadable| &unreadable.file[..1]).collect();
    assert_eq!((&*ids, &*files), ("cba", "12345n"));
    assert!(matches!(place.inbox().answer("1111", DENY), Err(InboxError::Unreadable(_))));
    // A folder can't be replaced by a question; that's an error and no panic.
    assert!(matches!(place.inbox().reply(&question("3333333333333333")).await, Err(InboxError::Folder { .. })));
}

#[tokio::test]
async fn a_folder_that_others_can_see_is_not_used() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    place.inbox().answer(ID, Reply::Once).unwrap();
    fs::set_permissions(place.folder(), Permissions::from_mode(0o750)).unwrap();
    assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
    assert!(place.inbox().list().unwrap_err().to_string().contains("chmod 700"));

    fs::set_permissions(place.folder(), Permissions::from_mode(0o700)).unwrap();
    let linked = place.0.path().join("link");
    symlink(place.folder(), &linked).unwrap();
    assert_eq!(Inbox::new(linked, Duration::ZERO).ask(&question(ID)).await, Reply::Nobody);
    assert_eq!(place.ask(&question(ID)).await, Reply::Once);
}

#[tokio::test]
async fn a_link_in_place_of_a_file_is_not_followed() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    place.inbox().answer(ID, Reply::Once).unwrap();
    let outside = place.0.path().join("outside.json");
    fs::rename(place.file(ID), &outside).unwrap();
    let answered = fs::read_to_string(&outside).unwrap();
    symlink(&outside, place.file(ID)).unwrap();
    assert!(matches!(place.inbox().show(ID), Err(InboxError::Unreadable(_))));
    assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
    assert!(place.waits(ID) && !place.file(ID).is_symlink());
    assert_eq!(fs::read_to_string(outside).unwrap(), answered);
}

#[tokio::test]
async fn what_is_too_old_counts_for_nothing_and_goes() {
    let place = Place::new();
    let old = "ffffffffffffffff";
    place.ask(&question(old)).await;
    place.inbox().answer(old, Reply::Once).unwrap();
    place.age(old);
    assert_eq!(place.inbox().list().unwrap(), Listing::default());
    assert!(matches!(place.inbox().show(old), Err(InboxError::Unknown(_))));
    place.ask(&question(ID)).await;
    assert!(!place.file(old).exists() && place.file(ID).exists());

    place.inbox().answer(ID, Reply::Once).unwrap();
    place.age(ID);
    assert_eq!(place.ask(&question(ID)).await, Reply::Nobody);
    assert!(place.waits(ID));
}

#[tokio::test]
async fn a_full_inbox_takes_no_more() {
    let place = Place::new();
    place.ask(&question(ID)).await;
    for number in 1..MOST {
        fs::write(place.file(&format!("{number:016x}")), "").unwrap();
    }
    let one_more = question("ffffffffffffffff");
    assert!(matches!(place.inbox().reply(&one_more).await, Err(InboxError::Full)));
    assert_eq!(place.ask(&one_more).await, Reply::Nobody);
    // Those in it can still be answered, and make room.
    place.inbox().answer(ID, Reply::Once).unwrap();
    assert_eq!(place.ask(&question(ID)).await, Reply::Once);
    assert_eq!(place.ask(&one_more).await, Reply::Nobody);
    assert!(place.waits(&one_more.id));
}

#[tokio::test]
async fn a_half_written_file_is_in_nobodys_way() {
    let place = Place::new();
    fs::DirBuilder::new().recursive(true).create(place.folder()).unwrap();
    fs::set_permissions(place.folder(), Permissions::from_mode(0o700)).unwrap();
    fs::write(place.folder().join(".unfinished"), "{").unwrap();
    place.ask(&question(ID)).await;
    assert!(place.waits(ID));
    assert_eq!(place.inbox().list().unwrap().unreadable, []);
    let large = Question { input: "x".repeat(21 * 1024 * 1024), ..question("ffffffffffffffff") };
    assert!(matches!(place.inbox().reply(&large).await, Err(InboxError::TooLarge)));
}
