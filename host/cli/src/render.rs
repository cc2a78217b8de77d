//! Values of the library as JSON documents and as lines for a person.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolbay::contract::{Blob, Content, Definition, Role};
use toolbay::policy::{Decision, Grant};
use toolbay::{Answer, CallError, Report, Tool};

/// A whole report.
pub(crate) fn report(report: &Report) -> Value {
    let mut document = match &report.result {
        Ok(answer) => answer_document(answer),
        Err(error) => json!({ "error": error_document(error) }),
    };
    let ends = json!({
        "id": report.id,
        "tool": report.tool,
        "digest": report.digest.map(|digest| digest.to_string()),
        "decision": report.decision.as_ref().map(decision),
        "notes": report.notes,
        "elapsedMicroseconds": u64::try_from(report.elapsed.as_micros()).unwrap_or(u64::MAX),
        "cpuMilliseconds": report.cpu_milliseconds,
        "memoryBytes": report.memory_bytes,
    });
    if let (Some(document), Value::Object(ends)) = (document.as_object_mut(), ends) {
        document.extend(ends);
    }
    document
}

fn answer_document(answer: &Answer) -> Value {
    json!({
        "content": answer.content.iter().map(content).collect::<Vec<_>>(),
        "structured": answer.structured,
        "messages": answer.messages.iter().map(|message| json!({
            "role": role(message.role),
            "content": message.content.iter().map(content).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "meta": answer.meta,
        "spilled": answer.spilled.as_ref().map(|spilled| json!({
            "path": spilled.path,
            "characters": spilled.characters,
            "bytes": spilled.bytes,
        })),
    })
}

/// An error.
pub(crate) fn error_document(error: &CallError) -> Value {
    json!({
        "code": error.code,
        "stage": error.stage,
        "tool": error.tool,
        "message": error.message,
        "cause": error.cause,
        "decision": error.decision.as_deref().map(decision),
    })
}

/// A decision: one step for each access, and what is granted.
pub(crate) fn decision(decision: &Decision) -> Value {
    let step = |step: &toolbay::policy::Step| {
        json!({
            "access": step.access.as_ref().map(ToString::to_string),
            "verdict": step.verdict.to_string(),
            "reason": step.reason.to_string(),
        })
    };
    json!({
        "verdict": decision.verdict.to_string(),
        "steps": decision.steps.iter().map(step).collect::<Vec<_>>(),
        "grant": grant(&decision.grant()),
        "remedy": decision.remedy(),
    })
}

/// What a call holds, one line each.
pub(crate) fn grant(grant: &Grant) -> Vec<String> {
    grant.access().iter().map(ToString::to_string).collect()
}

/// A tool in a list.
pub(crate) fn tool(tool: &Tool) -> Value {
    let mut document = definition(tool.definition());
    if let Some(document) = document.as_object_mut() {
        document.insert("origin".into(), tool.origin().to_string().into());
        document.insert("digest".into(), tool.digest().to_string().into());
    }
    document
}

fn definition(definition: &Definition) -> Value {
    let parse = |text: &String| serde_json::from_str::<Value>(text).unwrap_or_default();
    json!({
        "name": definition.name,
        "aliases": definition.aliases,
        "title": definition.title,
        "description": definition.description,
        "inputSchema": parse(&definition.input_schema),
        "outputSchema": definition.output_schema.as_ref().map(parse),
        "maxResultChars": definition.max_result_chars,
    })
}

/// One block of a result.
fn content(block: &Content) -> Value {
    let bytes = |kind: &str, blob: &Blob| json!({ "type": kind, "mediaType": blob.media_type, "data": STANDARD.encode(&blob.bytes) });
    match block {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Image(blob) => bytes("image", blob),
        Content::Audio(blob) => bytes("audio", blob),
        Content::Link(link) => json!({
            "type": "link",
            "uri": link.uri,
            "name": link.name,
            "mediaType": link.media_type,
            "description": link.description,
        }),
        Content::Blob((uri, blob)) => {
            json!({ "type": "blob", "uri": uri, "mediaType": blob.media_type, "data": STANDARD.encode(&blob.bytes) })
        }
    }
}

/// One block of a result, for a person.
pub(crate) fn content_line(block: &Content) -> String {
    match block {
        Content::Text(text) => text.clone(),
        Content::Image(blob) => format!("[image, {}, {} bytes]", blob.media_type, blob.bytes.len()),
        Content::Audio(blob) => format!("[audio, {}, {} bytes]", blob.media_type, blob.bytes.len()),
        Content::Link(link) => format!("[{}: {}]", link.name, link.uri),
        Content::Blob((uri, blob)) => format!("[{uri}, {}, {} bytes]", blob.media_type, blob.bytes.len()),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Attachment => "attachment",
        Role::System => "system",
    }
}
