//! `docs/COVERAGE.md` names only tests that exist, and claims nothing without one.

use pyro_tidy::root;
use std::collections::BTreeSet;
use std::fs;

/// The rows of the tables: id, status, tests.
fn rows(text: &str) -> Vec<(String, String, Vec<String>)> {
    text.lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let tests = cells.get(2).copied().unwrap_or_default();
            let tests = tests.split(',').map(|test| test.trim().trim_matches('`').to_owned());
            (
                cells[0].trim_matches('`').to_owned(),
                cells.get(1).copied().unwrap_or_default().to_owned(),
                tests.filter(|test| !test.is_empty()).collect(),
            )
        })
        .collect()
}

/// What is wrong with the rows, given a way to read a file of the repository.
fn mistakes(rows: &[(String, String, Vec<String>)], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for (id, status, tests) in rows {
        if !seen.insert(id) {
            wrong.push(format!("{id}: twice"));
        }
        match status.as_str() {
            "works" | "partly" if tests.is_empty() => {
                wrong.push(format!("{id}: {status}, but no test named"))
            }
            "works" | "partly" | "not yet" => {}
            other => wrong.push(format!("{id}: unknown status `{other}`")),
        }
        for test in tests {
            let (path, name) = test.split_once("::").unwrap_or((test, ""));
            match read(path) {
                None => wrong.push(format!("{id}: no file {path}")),
                Some(text) if !name.is_empty() && !text.contains(&format!("fn {name}(")) => {
                    wrong.push(format!("{id}: no test {name} in {path}"));
                }
                Some(_) => {}
            }
        }
    }
    wrong
}

#[test]
fn named_tests_exist() {
    let text = fs::read_to_string(root().join("docs/COVERAGE.md")).expect("docs/COVERAGE.md");
    let rows = rows(&text);
    assert!(rows.len() > 400, "{} rows", rows.len());
    let wrong = mistakes(&rows, |path| fs::read_to_string(root().join(path)).ok());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn mistakes_are_found() {
    let text =
        "| `a.b` | works | `t.rs::good`, `t.rs::bad` |\n| `a.b` | partly | |\n| `c` | maybe | `u.rs` |\n";
    let wrong = mistakes(&rows(text), |path| (path == "t.rs").then(|| "fn good() {}".to_owned()));
    assert_eq!(
        wrong,
        [
            "a.b: no test bad in t.rs",
            "a.b: twice",
            "a.b: partly, but no test named",
            "c: unknown status `maybe`",
            "c: no file u.rs"
        ]
    );
}
