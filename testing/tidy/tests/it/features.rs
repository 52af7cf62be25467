//! `docs/coverage/features.md` names a test for each feature that the driver says it has, and a reason for
//! those that no test can tell from their absence; it names no other features.

use crate::coverage::mistakes;
use pyro_tidy::root;
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = "docs/coverage/features.md";
/// The heading of the features that have a reason in place of a test.
const WITHOUT: &str = "## Without tests";

/// The features that the list `ON` of this source names.
fn offered(source: &str) -> Vec<String> {
    let list = source.split_once("pub const ON: &[&str] = &[").and_then(|(_, rest)| rest.split_once("\n];"));
    let list = list.expect("the list of features").0;
    let code = list.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// What stands in backticks.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What is wrong with the page, given the features and a way to read a file of the repository.
fn wrong(page: &str, offered: &[String], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let (with, without) = page.split_once(WITHOUT).unwrap_or((page, ""));
    let cells = |text: &str| {
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.filter_map(|line| line.trim_matches('|').split_once('|'));
        cells.map(|(names, rest)| (quoted(names), rest.trim().to_owned())).collect::<Vec<_>>()
    };
    let mut rows = Vec::new();
    for (names, tests) in cells(with) {
        rows.extend(names.into_iter().map(|name| (name, "works".to_owned(), quoted(&tests))));
    }
    let mut wrong = mistakes(&rows, read);
    let mut named: Vec<String> = rows.into_iter().map(|(name, ..)| name).collect();
    for (names, reason) in cells(without) {
        let unsaid = names.iter().filter(|_| reason.is_empty());
        wrong.extend(unsaid.map(|name| format!("{name}: neither a test nor a reason")));
        wrong.extend(names.iter().filter(|name| named.contains(name)).map(|name| format!("{name}: twice")));
        named.extend(names);
    }
    let (named, offered): (BTreeSet<_>, BTreeSet<_>) = (named.iter().collect(), offered.iter().collect());
    wrong.extend(offered.difference(&named).map(|name| format!("{name}: no row")));
    wrong.extend(named.difference(&offered).map(|name| format!("{name}: the driver does not have it")));
    wrong
}

#[test]
fn every_feature_has_a_test_that_uses_it() {
    let read = |path: &str| fs::read_to_string(root().join(path)).ok();
    let offered = offered(&read("crates/driver/src/caps/features.rs").expect("the features"));
    assert!(offered.len() > 450, "{} features", offered.len());
    let wrong = wrong(&read(PAGE).expect(PAGE), &offered, read);
    assert!(wrong.is_empty(), "{PAGE}:\n{}", wrong.join("\n"));
}

#[test]
fn features_without_tests_are_found() {
    let source = "pub const ON: &[&str] = &[\n    // \"none\"\n    \"a\", \"b\",\n    \"c\", \"d\",\n];\n";
    let offered = offered(source);
    assert_eq!(offered, ["a", "b", "c", "d"]);
    let page = "| `a`, `b` | `t.rs::good` |\n| `c` | `t.rs::bad` |\n## Without tests\n| `e` | a reason |\n| `b` | |\n";
    let found = wrong(page, &offered, |path| (path == "t.rs").then(|| "fn good() {}".to_owned()));
    assert_eq!(
        found,
        [
            "c: no test bad in t.rs",
            "b: neither a test nor a reason",
            "b: twice",
            "d: no row",
            "e: the driver does not have it"
        ]
    );
}
