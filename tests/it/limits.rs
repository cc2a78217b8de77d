//! Every way of taking too much ends with its own outcome, within its bound, and the next call works.

use std::time::Duration;

use serde_json::{Value, json};
use toolbay::{CallError, Code, Use, policy::Verdict};
use toolbay_tests::{
    LIMITS_FLOOD, LIMITS_HANDLES, LIMITS_MEMORY, LIMITS_RECURSION, LIMITS_SLEEP, LIMITS_SPIN, LIMITS_TRAP,
    MEMORY_RESIDUE,
};

use crate::support::TestHost;

/// The error, after which a call of another tool still works.
fn ends(host: &TestHost, tool: &str, input: Value) -> CallError {
    let error = host.error(tool, input);
    assert_eq!(host.text("Echo", json!({ "text": "next" })), "next");
    error
}

fn quick(guest: &str) -> TestHost {
    TestHost::settings(&[guest], |settings| settings.limits.deadline_milliseconds = 300)
}

#[test]
fn a_spinning_guest_ends_at_its_deadline() {
    let error = ends(&quick(LIMITS_SPIN), "Spin", json!({ "at": "call" }));
    assert_eq!(error.code, Code::Deadline);
    assert!(error.message.contains("300 ms") && error.message.contains("limits.deadlineMilliseconds"), "{error}");
}

#[test]
fn processor_time_is_counted_apart_from_the_wall_clock() {
    let host = TestHost::settings(&[LIMITS_SPIN, LIMITS_SLEEP], |settings| settings.limits.cpu_milliseconds = 100);
    assert_eq!(ends(&host, "Spin", json!({ "at": "call" })).code, Code::Cpu);
    assert_eq!(host.text("Doze", json!({ "milliseconds": 400 })), "slept", "waiting uses none");
}

#[test]
fn a_waiting_guest_ends_at_its_deadline() {
    assert_eq!(ends(&quick(LIMITS_SLEEP), "Doze", json!({ "milliseconds": 60_000 })).code, Code::Deadline);
}

#[test]
fn a_memory_eating_guest_ends_at_its_limit() {
    let host = TestHost::settings(&[LIMITS_MEMORY], |settings| settings.limits.memory_bytes = 32 << 20);
    let error = ends(&host, "Eat", json!({}));
    assert_eq!(error.code, Code::Memory);
    assert!(error.message.contains("33554432 bytes") && error.message.contains("limits.memoryBytes"), "{error}");
}

#[test]
fn all_guests_together_have_a_limit_too() {
    let host = TestHost::settings(&[LIMITS_MEMORY], |settings| settings.limits.total_memory_bytes = 16 << 20);
    assert_eq!(ends(&host, "Eat", json!({})).code, Code::Limit, "not this call's own limit");
}

#[test]
fn a_deeply_recursing_guest_ends_with_its_stack() {
    let host = TestHost::with(&[LIMITS_RECURSION]);
    assert_eq!(ends(&host, "Recurse", json!({ "how": "native" })).code, Code::Limit);
    assert_eq!(ends(&host, "Recurse", json!({ "how": "shadow" })).code, Code::Trap);
}

#[test]
fn a_trapping_guest_says_why_to_the_person() {
    let host = TestHost::with(&[LIMITS_TRAP]);
    let error = ends(&host, "Panic", json!({ "message": "the reason" }));
    assert_eq!(error.code, Code::Trap);
    assert!(error.cause.unwrap().contains("the reason"));
    assert!(!error.message.contains("the reason"), "the model gets no text of a crash");
    for how in ["unreachable", "exit", "divide"] {
        assert_eq!(ends(&host, "Panic", json!({ "how": how })).code, Code::Trap, "{how}");
    }
}

#[test]
fn a_flood_of_output_is_dropped_and_the_call_goes_on() {
    let host = TestHost::with(&[LIMITS_FLOOD]);
    for what in ["stdout", "stderr", "log", "progress"] {
        assert_eq!(host.text("Flood", json!({ "what": what, "megabytes": 8 })), "done", "{what}");
    }
    let logged: usize = host.heard.log.lock().unwrap().iter().map(|(_, message)| message.len()).sum();
    assert!(logged <= 65_536, "{logged} bytes of log");
    assert!(host.heard.progress.lock().unwrap().len() < 50);
}

#[test]
fn a_flood_of_a_result_is_refused_before_the_host_makes_room() {
    let host = TestHost::settings(&[LIMITS_FLOOD], |settings| settings.limits.result_bytes = 4 << 20);
    for what in ["result", "failure"] {
        let error = ends(&host, "Flood", json!({ "what": what, "megabytes": 8 }));
        assert_eq!(error.code, Code::ResultTooLarge, "{what}");
        assert!(error.message.contains("limits.resultBytes"), "{error}");
    }
}

#[test]
fn a_call_can_be_cancelled_while_it_computes_and_while_it_waits() {
    let host = TestHost::with(&[LIMITS_SPIN, LIMITS_SLEEP]);
    for (tool, input) in [("Spin", json!({ "at": "call" })), ("Doze", json!({ "milliseconds": 60_000 }))] {
        let control = host.agent.session().control();
        let canceller = control.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            canceller.cancel();
        });
        let used = Use::new(tool, input.to_string());
        let report = host.host.block_on(host.agent.call_with(used, control));
        thread.join().unwrap();
        assert_eq!(report.result.unwrap_err().code, Code::Cancelled, "{tool}");
    }
}

#[test]
fn a_caller_that_goes_away_cancels_its_call() {
    let host = TestHost::settings(&[LIMITS_SPIN], |settings| settings.limits.calls_in_flight = 1);
    let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    outside.block_on(async {
        let call = host.agent.call(Use::new("Spin", r#"{"at":"call"}"#));
        assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    });
    assert_eq!(host.text("Echo", json!({ "text": "its place is free" })), "its place is free");
}

#[test]
fn one_use_can_have_a_deadline_of_its_own() {
    let host = TestHost::with(&[LIMITS_SPIN]);
    let used = Use { deadline: Some(Duration::from_millis(50)), ..Use::new("Spin", r#"{"at":"call"}"#) };
    let report = host.host.block_on(host.agent.call(used));
    assert!(report.result.unwrap_err().message.contains("50 ms"));
}

#[test]
fn busy_guests_hold_up_neither_each_other_nor_the_callers_clock() {
    let host = TestHost::settings(&[LIMITS_SPIN], |settings| settings.limits.deadline_milliseconds = 30_000);
    let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    outside.block_on(async {
        let spin = || host.agent.call(Use::new("Spin", r#"{"at":"call"}"#));
        let hogs = async { tokio::join!(spin(), spin(), spin(), spin()) };
        let others = async {
            for _ in 0..20 {
                tokio::time::sleep(Duration::from_millis(1)).await;
                host.agent.call(Use::new("Echo", r#"{"text":"x"}"#)).await.result.unwrap();
            }
        };
        tokio::select! {
            _ = hogs => panic!("twenty short calls took longer than the hogs' deadline"),
            () = others => {}
        }
    });
}

#[test]
fn more_calls_than_places_wait_for_their_turn_and_too_many_are_refused() {
    let host = TestHost::settings(&[LIMITS_SLEEP], |settings| {
        settings.limits.calls_in_flight = 2;
        settings.limits.calls_waiting = 2;
    });
    let doze = || host.agent.call(Use::new("Doze", r#"{"milliseconds":300}"#));
    let reports = host.host.block_on(async { tokio::join!(doze(), doze(), doze(), doze(), doze(), doze()) });
    let reports = [reports.0, reports.1, reports.2, reports.3, reports.4, reports.5];
    let refused = reports.iter().filter_map(|report| report.result.as_ref().err()).collect::<Vec<_>>();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.iter().all(|error| error.code == Code::Limit && error.message.contains("limits.callsWaiting")));
}

#[test]
fn nothing_that_a_call_leaves_in_memory_is_seen_by_another() {
    let host = TestHost::settings(&[MEMORY_RESIDUE], |settings| settings.limits.calls_in_flight = 1);
    for _ in 0..20 {
        assert_eq!(host.text("Residue", json!({})), "0 clean");
    }
}

#[test]
fn a_slot_is_free_again_after_every_kind_of_end() {
    let host = TestHost::settings(&[LIMITS_TRAP, LIMITS_SPIN], |settings| settings.limits.calls_in_flight = 2);
    for _ in 0..10 {
        assert_eq!(host.error("Panic", json!({})).code, Code::Trap);
        let spin = Use { deadline: Some(Duration::from_millis(20)), ..Use::new("Spin", r#"{"at":"call"}"#) };
        assert_eq!(host.host.block_on(host.agent.call(spin)).result.unwrap_err().code, Code::Deadline);
    }
    assert_eq!(host.text("Echo", json!({ "text": "free" })), "free");
}

#[test]
fn a_call_that_was_stopped_is_recorded_with_what_it_took() {
    let host = TestHost::settings(&[LIMITS_SPIN], |settings| settings.limits.cpu_milliseconds = 100);
    host.error("Spin", json!({ "at": "call" }));
    host.text("Echo", json!({ "text": "x" }));
    host.error("Nothing", json!({}));
    let kept = host.kept.0.lock().unwrap();
    let (spin, echo, nothing) = (&kept[0], &kept[1], &kept[2]);
    assert_eq!((spin.tool.as_str(), spin.error, spin.verdict), ("Spin", Some(Code::Cpu), Some(Verdict::Allow)));
    assert!(spin.cpu_milliseconds >= 100 && spin.memory_bytes >= 65_536, "{spin:?}");
    assert_eq!((echo.error, echo.verdict, echo.found), (None, Some(Verdict::Allow), true));
    assert_eq!((nothing.error, nothing.verdict, nothing.found), (Some(Code::UnknownTool), None, false));
}

#[test]
fn a_guest_that_holds_too_many_host_objects_is_ended() {
    let host = TestHost::settings(&[LIMITS_HANDLES], |settings| settings.limits.handles = 16);
    let path = host.file("a.txt", "x");
    let ended = host.call("Handles", json!({ "path": path, "count": 60 })).result;
    match ended {
        Err(error) => assert_eq!(error.code, Code::Limit, "{error:?}"),
        Ok(answer) => assert!(!answer.text().starts_with("60 ok"), "{}", answer.text()),
    }
}
