//! `Canary`: tries every operation of `std::fs` on every path that it's told, whatever it declared. Nothing outside its
//! grant may be reached.

use toolbay_sdk::{Context, Definition, Environment, Failure, Outcome, Request, Tool, export_tools};
use toolbay_test_guests::{
    canary::{self, Input},
    operations::try_all,
};

struct Canary;

impl Tool for Canary {
    const NAME: &str = "Canary";
    const DESCRIPTION: &str = "Tries everything on files.";
    type Input = Input;

    fn definition(_environment: &Environment) -> Definition {
        canary::definition::<Self>()
    }

    fn permissions(input: &Input, _context: &Context) -> Request {
        canary::request(&input.declare)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(input.outcome(|path, targets| try_all(path, targets, true)))
    }
}

export_tools!(Canary);

fn main() {}
