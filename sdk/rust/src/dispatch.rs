//! From the component's exports to a tool's functions. Used by [`export_tools!`](crate::export_tools) alone.

pub use crate::bindings::exports::toolbay::tool::tool::Guest;
pub use crate::bindings::toolbay::tool::types::Invocation;

use crate::{Context, Definition, Environment, Failure, Outcome, Request, Tool, Verdict};

/// The code of failures that the SDK itself reports.
const NOT_UNDERSTOOD: u32 = 1;

pub fn describe<T: Tool>(environment: &Environment) -> Definition {
    T::definition(environment)
}

pub fn validate<T: Tool>(invocation: &Invocation) -> Result<(), Failure> {
    T::validate(&input::<T>(invocation)?, &Context::of_call())
}

pub fn permissions<T: Tool>(invocation: &Invocation) -> Request {
    match input::<T>(invocation) {
        Ok(input) => T::permissions(&input, &Context::of_call()),
        Err(failure) => refuse(failure),
    }
}

pub fn call<T: Tool>(invocation: &Invocation) -> Result<Outcome, Failure> {
    T::call(input::<T>(invocation)?, &Context::of_call())
}

/// The host never sends a name that `describe` didn't give; a host that does learns what there is.
pub fn unknown(invocation: &Invocation, known: &[&str]) -> Failure {
    Failure::new(NOT_UNDERSTOOD, format!("this component has no tool `{}`, only {}", invocation.tool, known.join(", ")))
}

pub fn refuse(failure: Failure) -> Request {
    Request { verdict: Verdict::Deny(failure.message), ..Request::nothing() }
}

fn input<T: Tool>(invocation: &Invocation) -> Result<T::Input, Failure> {
    serde_json::from_str(&invocation.input)
        .map_err(|error| Failure::new(NOT_UNDERSTOOD, format!("the input can't be read: {error}")))
}

/// Makes these tools the component's exports. On other targets than WebAssembly it does nothing, so that a tool crate
/// also builds and tests natively.
#[macro_export]
macro_rules! export_tools {
    ($($tool:ty),+ $(,)?) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            use $crate::dispatch::{self, Guest, Invocation};
            use $crate::Tool as _;

            struct Component;

            impl Guest for Component {
                fn describe(environment: $crate::Environment) -> Vec<$crate::Definition> {
                    vec![$(dispatch::describe::<$tool>(&environment)),+]
                }

                fn validate(invocation: Invocation) -> Result<(), $crate::Failure> {
                    $(if invocation.tool == <$tool>::NAME { return dispatch::validate::<$tool>(&invocation); })+
                    Err(dispatch::unknown(&invocation, &[$(<$tool>::NAME),+]))
                }

                fn permissions(invocation: Invocation) -> $crate::Request {
                    $(if invocation.tool == <$tool>::NAME { return dispatch::permissions::<$tool>(&invocation); })+
                    dispatch::refuse(dispatch::unknown(&invocation, &[$(<$tool>::NAME),+]))
                }

                fn call(invocation: Invocation) -> Result<$crate::Outcome, $crate::Failure> {
                    $(if invocation.tool == <$tool>::NAME { return dispatch::call::<$tool>(&invocation); })+
                    Err(dispatch::unknown(&invocation, &[$(<$tool>::NAME),+]))
                }
            }

            $crate::bindings::export!(Component with_types_in $crate::bindings);
        };
    };
}
