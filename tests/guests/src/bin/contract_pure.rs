//! `Pure`: a tool of the world that imports nothing of the contract, so it can't even ask who calls.

use exports::toolbay::tool::tool::{Definition, Environment, Failure, Guest, Invocation, Outcome, Request};
use toolbay::tool::types::{Content, Loading, Overflow, Traits, Verdict};

wit_bindgen::generate!({ path: "../../wit", world: "toolbay:tool/pure-tool", generate_all });

struct Pure;

impl Guest for Pure {
    fn describe(_environment: Environment) -> Vec<Definition> {
        vec![Definition {
            name: "Pure".to_owned(),
            aliases: Vec::new(),
            title: None,
            description: "Gives back its input as it came.".to_owned(),
            input_schema: r#"{"type":"object"}"#.to_owned(),
            output_schema: None,
            max_result_chars: None,
            overflow: Overflow::Truncate,
            loading: Loading::Normal,
            search_terms: Vec::new(),
            disabled: None,
        }]
    }

    fn validate(_invocation: Invocation) -> Result<(), Failure> {
        Ok(())
    }

    fn permissions(_invocation: Invocation) -> Request {
        Request { access: Vec::new(), verdict: Verdict::Allow, traits: Traits::READ_ONLY, summary: None }
    }

    fn call(invocation: Invocation) -> Result<Outcome, Failure> {
        let content = vec![Content::Text(format!("pure: {}", invocation.input))];
        Ok(Outcome { content, structured: None, messages: Vec::new(), changes: Vec::new(), meta: None })
    }
}

#[cfg(target_arch = "wasm32")]
export!(Pure);

fn main() {}
