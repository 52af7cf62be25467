//! Rules of the source that no lint of the compiler knows.

use pyro_tidy::{count_lines, crate_sources, files, ratchet, root, sources};
use std::collections::BTreeMap;
use std::process::Command;

/// Lines of a file.
const FILE_LINES_MAX: usize = 1_000;

fn check(name: &str, rule: &str, counts: &BTreeMap<String, usize>) {
    ratchet(name, rule, counts).unwrap_or_else(|grown| panic!("{grown}"));
}

/// Except generated ones.
#[test]
fn files_are_short() {
    let mut sources = sources();
    sources.retain(|_, text| !text.contains("//! Made by `cargo run -p pyro-registry -- generate`"));
    let long = sources.iter().map(|(name, text)| (name.clone(), text.lines().count()));
    let long = long.filter(|&(_, lines)| lines > FILE_LINES_MAX).collect();
    check("file_lines", &format!("files have at most {FILE_LINES_MAX} lines"), &long);
}

/// `SIZE_MAX`, not `MAX_SIZE`: what is limited comes first, so that names of one subject sort together.
#[test]
fn limits_end_in_max() {
    let starts = |line: &str| line.contains("const MAX_") || line.contains("const MIN_");
    check("limit_names", "constants of limits end in _MAX or _MIN", &count_lines(&crate_sources(), starts));
}

/// Variables are read in one file of a crate, `config.rs`; build scripts read cargo's.
#[test]
fn configuration_is_read_in_one_place() {
    let mut sources = crate_sources();
    sources.retain(|name, _| !name.ends_with("/config.rs"));
    let reads = |line: &str| line.contains("env::var");
    check("environment_reads", "only config.rs reads environment variables", &count_lines(&sources, reads));
}

/// Tests read variables through the table of `pyro_test_environment`.
#[test]
fn tests_read_variables_of_the_table() {
    let mut sources = sources();
    sources.retain(|name, _| !name.starts_with("testing/environment/") && !name.starts_with("testing/tidy/"));
    let reads = |line: &str| line.contains("env::var") && line.contains("\"PYRO_");
    check("test_variables", "tests read variables by pyro_test_environment", &count_lines(&sources, reads));
}

#[test]
fn messages_go_through_reports() {
    let mut sources = crate_sources();
    sources.retain(|name, _| !name.starts_with("crates/cli/") && !name.contains("/report"));
    let prints = |line: &str| line.contains("eprintln!") || line.trim_start().starts_with("println!");
    check("prints", "only the command line and reports print", &count_lines(&sources, prints));
}

/// Files that give all their `unsafe` blocks one reason. The kit of tests and the tests of the API may.
#[test]
fn unsafe_blocks_have_their_own_reasons() {
    let waives = |line: &str| line.contains("undocumented_unsafe_blocks") && line.contains("allow(");
    let rule = "every unsafe block has its own SAFETY comment";
    check("unsafe_waivers", rule, &count_lines(&crate_sources(), waives));
}

/// Where `unsafe` may be: a new file with it is a decision.
#[test]
fn unsafe_stays_in_its_files() {
    let uses = |line: &str| {
        let code = line.split("//").next().unwrap_or_default();
        ["unsafe {", "unsafe impl", "unsafe fn"].iter().any(|form| code.contains(form))
    };
    let counts = count_lines(&crate_sources(), uses).into_keys().map(|name| (name, 1)).collect();
    check("unsafe_files", "unsafe code stays in the files that have some", &counts);
}

/// `test = false` and `doctest = false` spare compilations of libraries without such tests; with some, they
/// would hide them.
#[test]
fn manifests_hide_no_tests() {
    for (manifest, text) in files(&["crates", "testing", "benches"], "toml") {
        let Some(folder) = manifest.strip_suffix("Cargo.toml") else { continue };
        let sources = files(&[&format!("{folder}src")], "rs");
        let has = |form: &str| sources.values().any(|text| text.lines().any(|line| line.trim() == form));
        assert!(!text.contains("\ntest = false") || !has("#[test]"), "{manifest} hides unit tests");
        let has_examples = has("/// ```") || has("//! ```");
        assert!(
            !text.contains("\ndoctest = false") || !has_examples,
            "{manifest} hides tests of the documentation"
        );
    }
}

/// A source that git ignores is missing from every other checkout.
#[test]
fn no_source_is_ignored_by_git() {
    let output = Command::new("git")
        .args([
            "ls-files",
            "--others",
            "--ignored",
            "--exclude-standard",
            "--directory",
            "crates",
            "testing",
            "benches",
        ])
        .current_dir(root())
        .output();
    let Ok(output) = output else {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("git"));
    };
    if !output.status.success() {
        // An export of the sources has no index.
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("a checkout of git"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let ignored: Vec<&str> =
        text.lines().filter(|name| name.ends_with(".rs") || name.contains("/src/")).collect();
    assert!(ignored.is_empty(), "{ignored:?}");
}
