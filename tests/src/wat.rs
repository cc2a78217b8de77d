//! Components from core modules that were written by hand.

use std::path::Path;

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Wraps a core module in WebAssembly text, whose exports have the names and types of the canonical ABI, as a component
/// of the world `pure-tool`.
///
/// # Panics
/// When the text is no such module.
#[must_use]
pub fn component_from_wat(text: &str) -> Vec<u8> {
    let mut resolve = Resolve::default();
    let wit = Path::new(super::WORKSPACE).join("wit");
    let (package, _) = resolve.push_path(wit).expect("the contract parses");
    let world = resolve.select_world(&[package], Some("pure-tool")).expect("the contract has this world");
    let mut module = wat::parse_str(text).expect("the text is a module");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("the contract can be embedded");
    ComponentEncoder::default().module(&module).expect("the module fits the world").encode().expect("it encodes")
}
