//! The audit: an entry before each effect, and a chain that shows changes.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolbay::policy::Mode;
use toolbay::{AuditFile, Code, Decided, Record, RecordError, Recorder, ToAudit, read_audit, verify_audit};
use toolbay_tests::{ASKS_PERSON, FILES_WRITER};

use crate::support::TestHost;

fn audited(folder: &Path, inputs: bool) -> TestHost {
    let audit = ToAudit::new(AuditFile::open(folder).unwrap(), inputs);
    TestHost::session(&[ASKS_PERSON, FILES_WRITER], |_| (), |settings| settings.recorder = Arc::new(audit))
}

fn private() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    folder
}

#[test]
fn each_decision_and_each_call_has_an_entry() {
    let folder = private();
    let host = audited(folder.path(), false);
    host.text("Careful", json!({ "verdict": "allow", "access": [{ "kind": "read", "value": "a" }] }));
    assert_eq!(
        host.error("Careful", json!({ "verdict": "allow", "access": [{ "kind": "write", "value": "b" }] })).code,
        Code::ApprovalNeeded
    );
    assert_eq!(host.error("Nonsense", json!({})).code, Code::UnknownTool);
    let entries = read_audit(folder.path(), 100).unwrap();
    let kinds: Vec<&str> = entries.iter().map(|entry| entry["entry"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["decision", "call", "decision", "call", "call"]);
    let decision = &entries[0];
    assert_eq!(
        (&decision["verdict"], &decision["grant"]),
        (&json!("allow"), &json!([format!("read {}", host.path("a"))]))
    );
    assert!(decision["accesses"][0]["reason"].as_str().unwrap().starts_with("default:"));
    assert_eq!(decision["inputHash"].as_str().unwrap().len(), 64);
    assert_eq!((&decision["input"], &entries[2]["grant"]), (&Value::Null, &json!([])));
    assert_eq!((&entries[3]["outcome"], &entries[4]["outcome"]), (&json!("approval-needed"), &json!("unknown-tool")));
    assert_eq!(verify_audit(folder.path()).unwrap().entries, 5);
}

#[test]
fn a_change_in_the_past_is_found() {
    let folder = private();
    let host = audited(folder.path(), true);
    for name in ["a", "b", "c"] {
        host.text("Careful", json!({ "verdict": "allow", "access": [{ "kind": "read", "value": name }] }));
    }
    assert!(read_audit(folder.path(), 100).unwrap()[0]["input"].as_str().unwrap().contains("\"value\":\"a\""));
    let file = folder.path().join("audit.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("allow", "nobly", 1)).unwrap();
    assert!(verify_audit(folder.path()).unwrap_err().to_string().contains("line 2"));
}

/// What can't be written down doesn't happen.
#[test]
fn without_an_entry_there_is_no_effect() {
    struct Full;
    impl Recorder for Full {
        fn decided(&self, _: &Decided<'_>) -> Result<(), RecordError> {
            Err("the disk is full".into())
        }
        fn record(&self, _: &Record<'_>) {}
    }
    let change =
        |options: &mut toolbay::HostOptions| options.settings.permissions.default_mode = Some(Mode::AcceptEdits);
    let host = TestHost::session(&[FILES_WRITER], change, |settings| settings.recorder = Arc::new(Full));
    let write = json!({ "kind": "write", "path": host.path("new"), "content": "x" });
    let error = host.error("Writer", json!({ "declare": ["new"], "operations": [write] }));
    assert_eq!((error.code, error.cause.as_deref()), (Code::HostFault, Some("the disk is full")));
    assert!(!host.root().join("new").exists());
}
