//! Random functions in mask form, and a plain evaluator to compare executors with.
//!
//! [`generate()`] makes a well-formed function from a seed; [`evaluate()`] says what it does to an [`Image`]
//! of memory (in an [`Arena`], which gives it addresses); [`compare()`] runs an [`Executor`] on the same and
//! says where it differs; [`check_seed`] does all of it and makes failing functions smaller. Equal means
//! equal to the bit, but for NaN that arithmetic gives (see [`mod@generate`]).
//!
//! [`idioms`] are the patterns that selection looks for.
//!
//! An executor's own tests call [`check_seeds`]:
//!
//! ```no_run
//! # use pyro_irgen::{Config, Executor, check_seeds};
//! # let compile = |_: &_, _| Err(String::new());
//! let executor = Executor { name: "mine", compile: &compile };
//! for lanes in [4, 8, 16, 32, 64] {
//!     check_seeds(&Config::new(lanes, 60), &executor, 100);
//! }
//! ```
//!
//! `PYRO_IRGEN_COUNT` multiplies the number of seeds, `PYRO_IRGEN_SEED` is the first one.

pub mod compare;
pub mod evaluate;
pub mod generate;
pub mod idioms;
mod interesting;
pub mod mutate;
pub mod run;
pub mod shrink;

pub use compare::{Executor, Failure, check_seed, compare, difference};
pub use evaluate::evaluate;
pub use generate::{Config, generate};
pub use mutate::mutate;
pub use run::{Arena, Image, Region};

use std::ops::Range;

/// The seeds of a test of `count` by default: from `PYRO_IRGEN_SEED` (0) on, `PYRO_IRGEN_COUNT` (1) times as
/// many.
pub fn seeds(count: u64) -> Range<u64> {
    let first = pyro_test_environment::number("PYRO_IRGEN_SEED", 0);
    first..first + count * pyro_test_environment::number("PYRO_IRGEN_COUNT", 1)
}

/// Checks [`seeds`]`(count)`.
///
/// # Panics
/// With the message of [`check_seed`] at the first difference.
pub fn check_seeds(config: &Config, executor: &Executor<'_>, count: u64) {
    for seed in seeds(count) {
        if let Err(error) = check_seed(seed, config, executor) {
            panic!("{error}");
        }
    }
}
