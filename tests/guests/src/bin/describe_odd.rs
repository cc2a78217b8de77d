//! `Odd`: a component whose description of itself is wrong, in the way that the environment's features name. The host has
//! to refuse it, or to say what it left out; without a feature there is one good tool.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{
    Context, Definition, Environment, Failure, Outcome, Request, Tool,
    dispatch::{self, Guest, Invocation},
};

struct Odd;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

impl Tool for Odd {
    const NAME: &str = "Odd";
    const DESCRIPTION: &str = "Has nothing odd about it.";
    type Input = Input;

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(Outcome::text("odd"))
    }
}

/// The exports by hand: `export_tools!` gives exactly one definition for each tool.
impl Guest for Odd {
    fn describe(environment: Environment) -> Vec<Definition> {
        let good = dispatch::describe::<Self>(&environment);
        let mut all = vec![good.clone()];
        for feature in &environment.features {
            match feature.as_str() {
                "trap" => panic!("describe panics"),
                "spin" => loop {
                    black_box(());
                },
                "empty" => all.clear(),
                "duplicate" => all.push(good.clone()),
                "many" => {
                    all = (0..300).map(|number| Definition { name: format!("Odd{number}"), ..good.clone() }).collect();
                }
                _ => all.iter_mut().for_each(|definition| spoil(definition, feature)),
            }
        }
        all
    }

    fn validate(invocation: Invocation) -> Result<(), Failure> {
        dispatch::validate::<Self>(&invocation)
    }

    fn permissions(invocation: Invocation) -> Request {
        dispatch::permissions::<Self>(&invocation)
    }

    fn call(invocation: Invocation) -> Result<Outcome, Failure> {
        dispatch::call::<Self>(&invocation)
    }
}

/// Makes one definition wrong; features of other names are the host's own and change nothing.
fn spoil(definition: &mut Definition, feature: &str) {
    match feature {
        "bad-name" => "bad name!".clone_into(&mut definition.name),
        "bad-schema" => "not json".clone_into(&mut definition.input_schema),
        // A host that resolves it calls out on behalf of a tool that may not.
        "remote-reference" => {
            r#"{"type":"object","properties":{"x":{"$ref":"http://127.0.0.1:1/x.json"}}}"#
                .clone_into(&mut definition.input_schema);
        }
        "array-schema" => r#"{"type":"array"}"#.clone_into(&mut definition.input_schema),
        "disabled" => definition.disabled = Some("switched off here".to_owned()),
        "long" => definition.description = "x".repeat(20_000),
        _ => {}
    }
}

#[cfg(target_arch = "wasm32")]
toolbay_sdk::bindings::export!(Odd with_types_in toolbay_sdk::bindings);

fn main() {}
