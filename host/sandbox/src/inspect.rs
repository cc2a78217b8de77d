//! What a component says about itself before any of it is compiled or run: its imports and exports.

use wasmparser::{Encoding, Parser, Payload};

use crate::component::ComponentError;
use crate::{Digest, contract};

/// The most imports and exports that are read. Nothing honest has a tenth of that.
const MOST_NAMES: usize = 1_000;

/// The outside of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
    /// The names of the imported interfaces, in the component's order.
    pub imports: Vec<String>,
    /// The names of the exported interfaces and functions.
    pub exports: Vec<String>,
}

impl Inspection {
    /// The version of the contract that the component was built against, if it's a tool at all.
    #[must_use]
    pub fn contract_version(&self) -> Option<&str> {
        self.exports.iter().find_map(|export| {
            let (interface, version) = export.split_once('@')?;
            let (package, name) = interface.split_once('/')?;
            (package == contract::PACKAGE && name == contract::INTERFACE).then_some(version)
        })
    }

    /// What each import lets the component do, in words for a person, without repetitions. An import is the most that a
    /// component could ever ask for; what a call gets of it is decided each time.
    #[must_use]
    pub fn powers(&self) -> Vec<String> {
        let mut powers: Vec<String> = Vec::new();
        for import in &self.imports {
            let power = power(import);
            if !power.is_empty() && !powers.contains(&power) {
                powers.push(power);
            }
        }
        powers
    }
}

/// In plain words what an imported interface is good for; nothing for mere words and plumbing.
fn power(import: &str) -> String {
    let interface = import.split_once('@').map_or(import, |(interface, _)| interface);
    let words = match interface {
        "toolbay:tool/types" => "",
        "toolbay:tool/context" => "knows its session, agent and folders, and can report progress and write to the log",
        "toolbay:tool/permissions" => "can ask for more while it runs",
        "toolbay:tool/read-state" => "knows which files its agent has read",
        _ => match interface.split_once('/').map_or(interface, |(package, _)| package) {
            "wasi:io" => "",
            "wasi:cli" => {
                "has standard streams (kept by the host) and the environment variables that a call is granted"
            }
            "wasi:clocks" => "knows the time",
            "wasi:random" => "has random numbers",
            "wasi:filesystem" => "can use the files that a call is granted",
            "wasi:sockets" => "names network sockets; every address is refused",
            "wasi:http" => "can make the web requests that a call is granted",
            _ => return format!("needs `{import}`, which this host doesn't offer"),
        },
    };
    words.to_owned()
}

/// Reads a component's imports and exports. Parses no code, and runs nothing.
///
/// # Errors
/// When the bytes are no component.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, ComponentError> {
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| ComponentError::Malformed(error.to_string()))? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => return Err(ComponentError::Module),
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(
                        import.map_err(|error| ComponentError::Malformed(error.to_string()))?.name.name.to_owned(),
                    );
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    exports.push(
                        export.map_err(|error| ComponentError::Malformed(error.to_string()))?.name.name.to_owned(),
                    );
                }
            }
            _ => {}
        }
        if imports.len().max(exports.len()) > MOST_NAMES {
            return Err(ComponentError::Malformed(format!("more than {MOST_NAMES} imports or exports")));
        }
    }
    Ok(Inspection { digest: Digest::of(bytes), size: bytes.len() as u64, imports, exports })
}
