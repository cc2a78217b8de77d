//! Generated code only: the guest's side of the contract in `wit/`.

#![allow(missing_docs, unreachable_pub, reason = "generated")]

wit_bindgen::generate!({
    path: "../../wit",
    world: "toolbay:tool/full-tool",
    pub_export_macro: true,
    default_bindings_module: "toolbay_sdk::bindings",
    generate_all,
});
