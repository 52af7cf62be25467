//! Tests that need a process of their own, within a binary of many tests.

use std::process::{Command, Output};

/// Tells the new process that it is the one that [`output_of_child`] started.
const CHILD: &str = "PYRO_TEST_CHILD";

/// Whether this process was started to run one test alone: see [`in_child`].
#[must_use]
pub fn is_child() -> bool {
    crate::text(CHILD).is_some()
}

/// Runs a test again, alone in a new process with these environment variables, and waits for its end.
///
/// `module` is the `module_path!()` of the test, `test` its name.
///
/// # Panics
/// When the process cannot be started.
#[must_use]
pub fn output_of_child(module: &str, test: &str, environment: &[(&str, &str)]) -> Output {
    let name = match module.split_once("::") {
        Some((_, module)) => format!("{module}::{test}"),
        None => test.to_owned(),
    };
    Command::new(std::env::current_exe().expect("the path of this test binary"))
        .args(["--exact", &name, "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .envs(environment.iter().copied())
        .output()
        .expect("a test binary starts")
}

/// True in a process that runs this test alone; otherwise starts one, and gives false when the test has
/// passed there.
///
/// For tests of what a process sets once and cannot take back: environment variables that are read once,
/// limits, the end of the process.
///
/// ```no_run
/// # use pyro_test_environment::in_child;
/// fn a_limit_of_the_process() {
///     if in_child(module_path!(), "a_limit_of_the_process", &[("PYROCLAST_THREADS", "1")]) {
///         // the test
///     }
/// }
/// ```
///
/// # Panics
/// When the test fails in its process, or does not run there, with what it printed.
#[must_use]
pub fn in_child(module: &str, test: &str, environment: &[(&str, &str)]) -> bool {
    if is_child() {
        return true;
    }
    let output = output_of_child(module, test, environment);
    let [printed, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    // A process that a test ends prints no summary, but must have found the test.
    assert!(
        output.status.success() && printed.contains("running 1 test"),
        "{test} in a process of its own: {}\n{printed}{errors}",
        output.status
    );
    for line in errors.lines().filter(|line| line.starts_with("skipped: ")) {
        crate::skip::print(line);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{in_child, is_child, output_of_child};

    #[test]
    fn children_run_one_test_with_their_environment() {
        if in_child(module_path!(), "children_run_one_test_with_their_environment", &[("PYRO_SEED", "77")]) {
            assert_eq!(crate::number("PYRO_SEED", 0), 77);
        }
    }

    /// What fails in the child fails here.
    #[test]
    fn failures_of_children_are_reported() {
        if is_child() {
            std::process::exit(3);
        }
        let output = output_of_child(module_path!(), "failures_of_children_are_reported", &[]);
        assert_eq!(output.status.code(), Some(3));
    }
}
