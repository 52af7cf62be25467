//! What tests read from their environment: the variables that control them, and what the machine lacks.
//!
//! Problem: a test that returns early because the machine lacks something passes without having tested
//! anything, and a variable that one test reads in its own way is found by nobody. Approach: every such
//! variable is in [`VARIABLES`] and read through this crate; a test that cannot run calls [`skip!`], which
//! prints one countable line, and fails where the tests must be complete. It has no dependencies, so that the
//! unit tests of every crate can use it. *Must not know*: anything of the driver.
#![forbid(unsafe_code)]

mod child;
mod skip;
mod texts;
mod variable;

pub use child::{in_child, is_child, output_of_child};
pub use skip::{Need, skip_current_test};
pub use texts::{check_outputs, files};
pub use variable::{VARIABLES, Variable, bless, flag, number, path, text};

/// Records that the running test needs something that this machine lacks, and returns from it.
///
/// ```
/// # use pyro_test_environment::{Need, skip};
/// fn uses_half_precision() {
///     if !std::path::Path::new("/proc/cpuinfo").exists() {
///         skip!(Need::Package("a Linux kernel"));
///     }
/// }
/// ```
///
/// See [`skip_current_test`] for when it fails instead. A test that goes on with less than all of its cases
/// calls that function. A test that changes its process for good runs in one of its own: [`in_child`].
#[macro_export]
macro_rules! skip {
    ($need:expr) => {{
        $crate::skip_current_test($need);
        return;
    }};
}
