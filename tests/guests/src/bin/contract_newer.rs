//! `Newer`: a tool of version 0.2.0 of the contract, which this host doesn't know. The version is the only difference, so
//! a host that looked at types alone would take it.

use exports::toolbay::tool::tool::{Definition, Environment, Failure, Guest, Invocation, Outcome, Request};
use toolbay::tool::types::{Content, Loading, Overflow, Traits, Verdict};

wit_bindgen::generate!({
    inline: r#"
        package toolbay:tool@0.2.0;

        interface types {
            type json = string;
            record invocation { tool: string, id: string, input: json }
            record environment {
                host-version: string, platform: string, interactive: bool, features: list<string>,
                region: option<string>,
            }
            enum loading { normal, always, deferred }
            enum overflow { spill, truncate, guide, summarise }
            record definition {
                name: string, aliases: list<string>, title: option<string>, description: string, input-schema: json,
                output-schema: option<json>, max-result-chars: option<u32>, overflow: overflow, loading: loading,
                search-terms: list<string>, disabled: option<string>,
            }
            flags traits { read-only, destructive, concurrency-safe, idempotent, open-world }
            record command { program: string, arguments: list<string>, directory: option<string> }
            variant access {
                read(string), write(string), fetch(string), run(command), variable(string), secret(string),
                use-tool(string), spawn(string), complete, ask-user,
            }
            variant verdict { allow, ask(string), deny(string) }
            record request { access: list<access>, verdict: verdict, traits: traits, summary: option<string> }
            record failure { code: u32, message: string }
            record blob { media-type: string, bytes: list<u8> }
            record link { uri: string, name: string, media-type: option<string>, description: option<string> }
            variant content { text(string), image(blob), audio(blob), link(link), blob(tuple<string, blob>) }
            enum role { user, assistant, attachment, system }
            record message { role: role, content: list<content> }
            enum mode { default, accept-edits, plan, dont-ask, bypass }
            variant change {
                set-mode(mode), restore-mode, set-directory(string), add-directory(string), load-tools(list<string>),
            }
            record outcome {
                content: list<content>, structured: option<json>, messages: list<message>, changes: list<change>,
                meta: option<json>,
            }
        }

        interface tool {
            use types.{environment, definition, invocation, failure, request, outcome};
            describe: func(environment: environment) -> list<definition>;
            validate: func(invocation: invocation) -> result<_, failure>;
            permissions: func(invocation: invocation) -> request;
            call: func(invocation: invocation) -> result<outcome, failure>;
        }

        world pure-tool { export tool; }
    "#,
    generate_all,
});

struct Newer;

impl Guest for Newer {
    fn describe(_environment: Environment) -> Vec<Definition> {
        vec![Definition {
            name: "Newer".to_owned(),
            aliases: Vec::new(),
            title: None,
            description: "Follows a contract from the future.".to_owned(),
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

    fn call(_invocation: Invocation) -> Result<Outcome, Failure> {
        let content = vec![Content::Text("newer".to_owned())];
        Ok(Outcome { content, structured: None, messages: Vec::new(), changes: Vec::new(), meta: None })
    }
}

#[cfg(target_arch = "wasm32")]
export!(Newer);

fn main() {}
