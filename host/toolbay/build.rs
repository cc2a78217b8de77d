//! Builds the built-in tools, for `src/builtin.rs` to embed.

fn main() {
    toolbay_guest_build::embed(&["toolbay-echo", "toolbay-read"]);
}
