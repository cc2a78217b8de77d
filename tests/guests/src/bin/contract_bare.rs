//! `Bare`: a tool without the SDK, from the contract alone, to show that the contract is all that counts.

use exports::toolbay::tool::tool::{Definition, Environment, Failure, Guest, Invocation, Outcome, Request};
use toolbay::tool::{
    context::{self, Level},
    types::{Content, Loading, Overflow, Traits, Verdict},
};

wit_bindgen::generate!({ path: "../../wit", world: "toolbay:tool/full-tool", generate_all });

struct Bare;

/// The input's text; the host has already checked it against the schema.
fn text_of(invocation: &Invocation) -> Result<String, Failure> {
    let input: serde_json::Value = serde_json::from_str(&invocation.input)
        .map_err(|error| Failure { code: 1, message: format!("the input can't be read: {error}") })?;
    let text = input.get("text").and_then(|text| text.as_str());
    text.map(str::to_owned).ok_or_else(|| Failure { code: 1, message: "`text` is missing".to_owned() })
}

impl Guest for Bare {
    fn describe(_environment: Environment) -> Vec<Definition> {
        let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;
        vec![Definition {
            name: "Bare".to_owned(),
            aliases: Vec::new(),
            title: None,
            description: "Gives back its text, without the SDK.".to_owned(),
            input_schema: schema.to_owned(),
            output_schema: None,
            max_result_chars: None,
            overflow: Overflow::Truncate,
            loading: Loading::Normal,
            search_terms: Vec::new(),
            disabled: None,
        }]
    }

    fn validate(invocation: Invocation) -> Result<(), Failure> {
        text_of(&invocation).map(|_| ())
    }

    fn permissions(_invocation: Invocation) -> Request {
        Request { access: Vec::new(), verdict: Verdict::Allow, traits: Traits::READ_ONLY, summary: None }
    }

    fn call(invocation: Invocation) -> Result<Outcome, Failure> {
        context::log(Level::Info, "bare");
        let content = vec![Content::Text(format!("bare: {}", text_of(&invocation)?))];
        Ok(Outcome { content, structured: None, messages: Vec::new(), changes: Vec::new(), meta: None })
    }
}

#[cfg(target_arch = "wasm32")]
export!(Bare);

fn main() {}
