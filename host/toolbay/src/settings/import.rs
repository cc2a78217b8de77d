//! Reading the permission block of a widely used coding agent's settings file.
//!
//! Its rules are written in almost the same language. What has another meaning here is translated, what has none is named.

use serde_json::{Map, Value, json};
use toolbay_policy::{List, Rule};

use super::SettingsError;
use crate::json;

/// What became of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// Settings of ours.
    pub settings: Value,
    /// What was changed or left out, one line each. Nothing that restricts is ever left out.
    pub notes: Vec<String>,
}

/// Translates the text of such a file.
///
/// # Errors
/// When it's no JSON object, and for a rule that denies or asks and has no translation: leaving it out would widen.
pub fn import(text: &str) -> Result<Imported, SettingsError> {
    let document = json::parse(text).map_err(SettingsError::Parse)?;
    let document = document.as_object().ok_or(SettingsError::Shape("a settings file"))?;
    let empty = Map::new();
    let permissions = match document.get("permissions") {
        Some(Value::Object(permissions)) => permissions,
        Some(_) => return Err(SettingsError::Shape("`permissions`")),
        None => &empty,
    };
    let (mut settings, mut notes) = (Map::new(), Vec::new());
    for list in List::ALL {
        let rules = rules(permissions.get(list.word()), list, &mut notes)?;
        if !rules.is_empty() {
            settings.insert(list.word().to_owned(), rules.into());
        }
    }
    if let Some(folders) = permissions.get("additionalDirectories").filter(|folders| folders.is_array()) {
        settings.insert("additionalDirectories".to_owned(), folders.clone());
    }
    if let Some(mode) = permissions.get("defaultMode").and_then(Value::as_str) {
        match mode_of(mode) {
            Some(mode) => drop(settings.insert("defaultMode".to_owned(), mode.into())),
            None => notes.push(format!("the mode `{mode}` has no counterpart, so the default mode stays")),
        }
    }
    if permissions.get("disableBypassPermissionsMode").and_then(Value::as_str) == Some("disable") {
        settings.insert("forbid".to_owned(), json!({ "modes": ["bypass"] }));
        notes.push("forbidding a mode counts only in the administrator's policy".to_owned());
    }
    let known = ["allow", "ask", "deny", "additionalDirectories", "defaultMode", "disableBypassPermissionsMode"];
    notes.extend(
        permissions
            .keys()
            .filter(|key| !known.contains(&key.as_str()))
            .map(|key| format!("`permissions.{key}` was left out")),
    );
    notes.extend(
        document
            .keys()
            .filter(|key| !["permissions", "$schema"].contains(&key.as_str()))
            .map(|key| format!("`{key}` was left out: only permissions are read")),
    );
    Ok(Imported { settings: json!({ "permissions": settings }), notes })
}

fn mode_of(mode: &str) -> Option<&'static str> {
    Some(match mode {
        "default" => "default",
        "acceptEdits" => "accept-edits",
        "plan" => "plan",
        "dontAsk" => "dont-ask",
        "bypassPermissions" => "bypass",
        _ => return None,
    })
}

fn rules(value: Option<&Value>, list: List, notes: &mut Vec<String>) -> Result<Vec<Value>, SettingsError> {
    let texts = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(texts)) => texts,
        Some(_) => return Err(SettingsError::Shape("each list of rules")),
    };
    let mut rules = Vec::new();
    for text in texts {
        let text = text.as_str().ok_or(SettingsError::Shape("each rule"))?;
        let translated = translated(text);
        let usable = translated.parse::<Rule>().and_then(|rule| rule.check(list));
        match usable {
            Ok(()) => {
                if translated != text {
                    notes.push(format!("`{text}` became `{translated}`"));
                }
                rules.push(translated.into());
            }
            Err(error) if list == List::Allow => notes.push(format!("`{text}` was left out of `allow`: {error}")),
            Err(source) => return Err(SettingsError::Rule { list, at: String::new(), source: Box::new(source) }),
        }
    }
    Ok(rules)
}

/// Path rules for other file tools have no effect there and mislead; here they become what their writer meant.
fn translated(text: &str) -> String {
    let word = |from: &str| text.strip_prefix(from).filter(|rest| rest.starts_with('('));
    let edits = ["Write", "MultiEdit", "NotebookEdit"].into_iter().find_map(word).map(|rest| format!("Edit{rest}"));
    let reads = ["Glob", "Grep", "LS", "NotebookRead"].into_iter().find_map(word).map(|rest| format!("Read{rest}"));
    let agents = word("Task").map(|rest| format!("Agent{rest}"));
    edits.or(reads).or(agents).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn a_file_is_translated_and_says_what_changed() {
        let imported = import(
            r#"{"model":"x","permissions":{"allow":["Bash(npm run test:*)","Read(~/.zshrc)","mcp__github__get_*","Write(src/**)","*"],
                "ask":["Bash(git push:*)"],"deny":["Read(./.env)","WebFetch","Task(Explore)"],"defaultMode":"acceptEdits",
                "additionalDirectories":["../docs"]},"hooks":{}}"#,
        )
        .unwrap();
        let permissions = &imported.settings["permissions"];
        assert_eq!(
            permissions["allow"],
            json!(["Bash(npm run test:*)", "Read(~/.zshrc)", "mcp__github__get_*", "Edit(src/**)"])
        );
        assert_eq!(permissions["deny"], json!(["Read(./.env)", "WebFetch", "Agent(Explore)"]));
        assert_eq!(permissions["defaultMode"], "accept-edits");
        assert_eq!(imported.notes.len(), 5, "{:?}", imported.notes);
        assert!(Settings::parse(&imported.settings.to_string()).is_ok());
    }

    #[test]
    fn nothing_that_restricts_is_left_out() {
        assert!(import(r#"{"permissions":{"deny":["Read(["]}}"#).is_err());
        assert!(import(r#"{"permissions":{"ask":[1]}}"#).is_err());
        assert!(import(r#"{"permissions":{"deny":"Read"}}"#).is_err());
    }
}
