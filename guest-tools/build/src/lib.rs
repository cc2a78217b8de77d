//! Builds guests for the build scripts that need them: one nested cargo, with a target folder of its own.
//!
//! Cargo can't build for two targets at once, and sharing the outer target folder would make the two wait for each other.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a build script speaks to cargo on standard output, and has no better way to fail"
)]

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

/// A component that was built.
#[derive(Debug)]
pub struct Guest {
    /// The file's name without its ending.
    pub name: String,
    /// The component.
    pub path: PathBuf,
}

/// Builds these packages of the workspace for `wasm32-wasip2`, and tells cargo what they were built from.
///
/// # Panics
/// When they can't be built: a build script has no better way to say so.
#[must_use]
pub fn build(packages: &[&str]) -> Vec<Guest> {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    // <target>/<profile>/build/<package>/out
    let target = output.ancestors().nth(4).expect("OUT_DIR lies below the target folder").join("guests");
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([
            "build",
            "--target",
            "wasm32-wasip2",
            "--profile",
            "guest",
            "--message-format",
            "json-render-diagnostics",
        ])
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&workspace)
        // What the outer build was told is meant for the host; rust flags from the environment would also replace ours.
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTC_WRAPPER")
        .env_remove("CARGO_BUILD_TARGET")
        .stderr(Stdio::inherit());
    let built = cargo.output().expect("cargo can be started");
    assert!(
        built.status.success(),
        "the tools could not be built for WebAssembly; if the target is missing, run `rustup target add wasm32-wasip2`"
    );
    let guests = artifacts(&String::from_utf8_lossy(&built.stdout));
    assert!(!guests.is_empty(), "cargo built no component");
    // Whole folders, so that a new file counts too.
    for place in ["Cargo.toml", "Cargo.lock", ".cargo/config.toml", "wit", "sdk/rust", "guest-tools", "tests/guests"] {
        println!("cargo::rerun-if-changed={}", workspace.join(place).display());
    }
    guests
}

/// Builds these packages and writes `OUT_DIR/embedded.rs`: an expression, the list of their components as
/// `(name, bytes, SHA-256 of the bytes)`.
///
/// # Panics
/// As [`build`].
pub fn embed(packages: &[&str]) {
    let mut list = String::from("&[\n");
    for guest in build(packages) {
        let digest = Sha256::digest(fs::read(&guest.path).expect("the component was just built"));
        let digest: [u8; 32] = digest.into();
        let path = guest.path.display().to_string();
        writeln!(list, "    ({:?}, include_bytes!({path:?}), {digest:?}),", guest.name).expect("a string");
    }
    list.push_str("]\n");
    write("embedded.rs", &list);
}

/// Builds these packages and writes `OUT_DIR/guests.rs`: a constant for each component with its path.
///
/// # Panics
/// As [`build`].
pub fn constants(packages: &[&str]) {
    let mut list = String::new();
    for guest in build(packages) {
        let (constant, path) = (guest.name.to_uppercase(), guest.path.display().to_string());
        writeln!(list, "/// `{}`.\npub const {constant}: &str = {path:?};", guest.name).expect("a string");
    }
    write("guests.rs", &list);
}

fn write(name: &str, text: &str) {
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(output.join(name), text).expect("OUT_DIR can be written");
}

/// The components that cargo says it has built.
fn artifacts(messages: &str) -> Vec<Guest> {
    let mut guests: Vec<Guest> = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message.get("reason").is_some_and(|reason| reason == "compiler-artifact"))
        .flat_map(|message| message.get("filenames").and_then(serde_json::Value::as_array).cloned().unwrap_or_default())
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .filter(|path| path.extension().is_some_and(|ending| ending == "wasm"))
        .filter_map(|path| {
            // A dependency's own library is built as a component too when it's a cdylib; only final files count.
            let in_deps = path.parent().is_some_and(|folder| folder.ends_with("deps"));
            let name = path.file_stem()?.to_str()?.to_owned();
            (!in_deps).then_some(Guest { name, path })
        })
        .collect();
    guests.sort_by(|one, two| one.name.cmp(&two.name));
    guests
}
