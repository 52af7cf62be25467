//! The commands whose bodies take checked parameters, and how each is converted.
//!
//! Made by `cargo run -p pyro-registry -- generate` from `testing/registry/registry.tsv`; do not edit.

/// Runs a macro with all: body, parameters as the application passes them, and as the body gets them.
#[rustfmt::skip]
macro_rules! for_each_checked_command {
    ($with:ident) => {
        $with! {
        }
    };
}
pub(crate) use for_each_checked_command;
