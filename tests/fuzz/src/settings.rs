//! Settings files, ours and those of another agent.

use serde_json::Value;
use toolbay::{Settings, import_settings};

/// Text is a settings file or it isn't; one that is says the same when it's written again, and no deny is lost.
pub(crate) fn settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(settings) = Settings::parse(&text) {
        let document: Value = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&settings).unwrap();
        let again = Settings::parse(&written).unwrap();
        assert_eq!(serde_json::to_value(&settings).unwrap(), serde_json::to_value(&again).unwrap());
        for list in ["deny", "ask", "allow"] {
            let entries = match list {
                "deny" => &settings.permissions.deny,
                "ask" => &settings.permissions.ask,
                _ => &settings.permissions.allow,
            };
            let count = document["permissions"][list].as_array().map_or(0, Vec::len);
            assert_eq!(entries.len(), count, "{list}");
        }
    }
    if let Ok(imported) = import_settings(&text) {
        let theirs: Value = serde_json::from_str(&text).unwrap();
        for list in ["deny", "ask"] {
            let count = |value: &Value| value["permissions"][list].as_array().map_or(0, Vec::len);
            assert_eq!(count(&imported.settings), count(&theirs), "{list}");
        }
        // What was translated is read as settings, unless its own mode or folders are odd.
        drop(Settings::parse(&imported.settings.to_string()));
    }
}
