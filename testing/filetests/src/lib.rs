//! Text tests of the IR: each file holds functions with directives that say what to do with them and what
//! comes out.
//!
//! A file is a list of cases. A case is a run of `;` lines, a function, and for pass tests its expected text.
//! Lines that start with `;!` are directives; other comments are for people.
//!
//! ```text
//! ; Adds two arrays.
//! ;! run
//! ;! buffer0: f32 1 2 3 4
//! ;! buffer1 = f32 2 3 4 5
//! shader "add" mask lanes=4 scratch=0 frame=0 {
//! block0:
//!     ...
//! }
//! ```
//!
//! # Directives
//! * `run PASS ...`: runs the function on every executor ([`executors`]), after these passes if there are
//!   any. A function in lane form runs once more after the whole pipeline.
//! * `REGION: data`: what a region holds at first. Regions are `buffer0` to `buffer7`, `shared`, `scratch`
//!   and `frame`; the address of buffer `i` is the 64-bit word `i` of the push constants.
//! * `REGION = data`: what it starts with afterwards. In floats, `nan` stands for any NaN.
//! * `exits: done` or `exits: barrier done`: how each call ends; as many calls are made. `done` by default.
//! * `active: BITS`, `subgroup: NUMBER`: fields of the subgroup context.
//! * `pass NAME ...`: applies passes ([`passes::NAMES`]) and compares the text with the lines behind the
//!   function that start with `;=`. With `PYRO_BLESS=1` in the environment they are rewritten instead.
//! * `verify MESSAGE`: the verifier's first message is this one.
//!
//! Data is a list of `TYPE number ...`, separated by `|`; numbers are decimal or `0x` bits; `zero N` are
//! bytes.

pub mod case;
pub mod data;
pub mod passes;
pub mod run;

pub use case::{Case, parse_file};
pub use run::executors;

use std::path::Path;

/// Runs all cases of a file; rewrites it when asked to.
///
/// # Errors
/// All failures, each with the file's name and the function's.
pub fn check_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let bless = pyro_test_environment::bless();
    let (failures, blessed) = check_text(&text, bless);
    if bless && blessed != text {
        std::fs::write(path, blessed).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(failures.iter().map(|failure| format!("{}: {failure}\n", path.display())).collect())
}

/// Runs all cases of a text. Gives what fails, and the text with the expectations of pass tests rewritten if
/// `bless` says so.
pub fn check_text(text: &str, bless: bool) -> (Vec<String>, String) {
    let mut cases = match parse_file(text) {
        Ok(cases) => cases,
        Err(error) => return (vec![error], text.to_owned()),
    };
    let mut failures = Vec::new();
    for case in &mut cases {
        let outcome = match &case.directives.action {
            case::Action::Run(names) => run::check(case, names),
            case::Action::Pass(names) => passes::apply_all(case, names).and_then(|function| {
                let found = function.to_string();
                if found == case.expected || bless {
                    case.expected = found;
                    return Ok(());
                }
                Err(format!("the passes give\n{found}expected\n{}", case.expected))
            }),
            case::Action::Verify(message) => match pyro_ir::verify::verify(&case.function) {
                Err(errors) if errors.errors[0].message == *message => Ok(()),
                Err(errors) => Err(errors.to_string()),
                Ok(()) => Err("the verifier finds nothing wrong".to_owned()),
            },
        };
        if let Err(error) = outcome {
            failures.push(format!("line {}, {:?}: {error}", case.line, case.function.name));
        }
    }
    (failures, cases.iter().map(Case::text).collect())
}
