//! The environment variables that control tests.

use std::path::PathBuf;

/// An environment variable that tests read.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it sets, with the default.
    pub meaning: &'static str,
    /// The tests that read it, by path or crate.
    pub read_by: &'static str,
}

const fn variable(name: &'static str, meaning: &'static str, read_by: &'static str) -> Variable {
    Variable { name, meaning, read_by }
}

/// All of them. No test reads a variable that is missing here.
#[rustfmt::skip]
pub const VARIABLES: &[Variable] = &[
    variable("PYRO_BLESS", "1: write golden files, listings and generated documents anew instead of comparing",
        "lower, passes, library, validate, benches, testing/filetests"),
    variable("PYRO_NO_SKIP", "set: a test that lacks a package fails instead of being skipped",
        "every test with skip!"),
    variable("PYRO_SEED", "the first seed (default: 0 or 1, by test)",
        "icd, lower mutated, shadergen, compile ptx, raytrace"),
    variable("PYRO_CALLS", "how many random Vulkan calls are made (8,000)", "icd random_calls"),
    variable("PYRO_FRAMES", "how many frames are drawn while memory must stay flat (600)", "icd draws"),
    variable("PYRO_ROUNDS", "how often objects are made (5,000) or queues wait for each other (300)",
        "icd leaks, queues"),
    variable("PYRO_SUBMITS", "how many submissions are made (20,000)", "icd objects, queues"),
    variable("PYRO_MUTATIONS", "how many mutated modules, texts, caches or tables are tried (60 to 4,000)",
        "lower mutated, shadergen mutation, mutation_run, compile ptx, raytrace, icd hostile_bytes, ray_pipelines, farm, \
        testing/hostile"),
    variable("PYRO_INPUTS", "how many random word streams are tried (1,100)", "shadergen random_words"),
    variable("PYRO_SHADERS", "how many random shaders are compared with the evaluator (150)",
        "shadergen differential"),
    variable("PYRO_DIGESTS", "how many cases of each kind every setting runs (8)", "testing/digests"),
    variable("PYRO_SHAPES", "every how many shapes of modules the time of compiling is measured (1: all)",
        "testing/shapes"),
    variable("PYRO_BUGS", "how many random shaders get a bug that the sanitizer must find (300)",
        "shadergen sanitized"),
    variable("PYRO_CORPUS", "a folder of .spv files to mutate instead of, or beside, the usual modules",
        "lower mutated, shadergen mutation, mutation_run, testing/hostile; validate vulkan writes its modules there"),
    variable("PYRO_TRACE", "a folder into which each module is written before it runs, as module.spv",
        "shadergen mutation_run, random_words"),
    variable("PYRO_IRGEN_SEED", "the first seed of random IR functions (0)", "jit, interp, testing/irgen"),
    variable("PYRO_IRGEN_COUNT", "multiplies the number of random IR functions (1)",
        "jit, interp, testing/irgen"),
    variable("PYRO_RANDOM_PROGRAMS", "how many random programs go through each pass (400)", "passes random"),
    variable("PYRO_RANDOM_PROGRAM", "prints one random program before and after each pass: \
        seed,statements,suspends + 2 * reordered,optimized", "passes random"),
    variable("PYRO_FUNCTION", "the one function whose neighbouring arguments are tested", "library precision"),
    variable("PYRO_STRIDE", "every how many runs of 4,096 arguments are tested (16,381; 1: all)",
        "library precision"),
    variable("PYRO_TEST_CHILD", "set by a test that runs itself again in a process of its own",
        "icd, testing/environment"),
    variable("PYRO_TEST_LEFT", "set by a test: bytes of address space that its child has left", "icd address_space"),
    variable("PYRO_TEST_FINDINGS", "set by a test: the file that its child's findings go to", "testing/sanitizer"),
    variable("PYRO_TEST_BACKEND", "set by a test: the backend of its child", "testing/sanitizer"),
];

/// The value of a variable of [`VARIABLES`], if it is set.
///
/// # Panics
/// When the table lacks the name, or the value is not Unicode.
#[must_use]
pub fn text(name: &str) -> Option<String> {
    assert!(
        VARIABLES.iter().any(|variable| variable.name == name),
        "{name} is not in the table of variables"
    );
    std::env::var_os(name).map(|value| value.into_string().expect("a Unicode value"))
}

/// A number, or `default` when the variable is not set.
///
/// # Panics
/// As [`text`]; when the value is not a number of the type: a typing error must not run the default.
#[must_use]
pub fn number<T: std::str::FromStr>(name: &str, default: T) -> T {
    text(name).map_or(default, |value| {
        value.replace('_', "").parse().unwrap_or_else(|_| panic!("{name}={value}: expected a number"))
    })
}

/// Whether a variable is set, to anything but nothing and `0`.
///
/// # Panics
/// As [`text`].
#[must_use]
pub fn flag(name: &str) -> bool {
    text(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// A path, if the variable is set.
///
/// # Panics
/// As [`text`].
#[must_use]
pub fn path(name: &str) -> Option<PathBuf> {
    text(name).map(PathBuf::from)
}

/// Whether golden files are to be written anew: `PYRO_BLESS=1`.
#[must_use]
pub fn bless() -> bool {
    flag("PYRO_BLESS")
}

#[cfg(test)]
mod tests {
    use super::{VARIABLES, flag, number, path};

    #[test]
    fn unset_variables_have_their_defaults() {
        assert_eq!(number("PYRO_TEST_CHILD", 7_u32), 7);
        assert!(!flag("PYRO_TEST_CHILD"));
        assert_eq!(path("PYRO_TEST_CHILD"), None);
    }

    #[test]
    #[should_panic(expected = "not in the table")]
    fn unknown_variables_are_refused() {
        let _ = flag("PYRO_UNKNOWN");
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = VARIABLES.iter().map(|variable| variable.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), VARIABLES.len());
    }
}
