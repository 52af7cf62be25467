//! The pages below `docs/coverage` name only tests that exist, and claim nothing without one; their index,
//! `docs/COVERAGE.md`, counts their rows. `PYRO_BLESS=1` writes the counts.

use pyro_tidy::{files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// An id, a status, and tests.
pub(crate) type Row = (String, String, Vec<String>);

/// The rows of the tables: id, status, tests.
fn rows(text: &str) -> Vec<Row> {
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
pub(crate) fn mistakes(rows: &[Row], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
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

/// The pages with rows, by name.
fn pages() -> BTreeMap<String, Vec<Row>> {
    let pages = files(&["docs/coverage"], "md").into_iter();
    let pages = pages.map(|(path, text)| (path.trim_start_matches("docs/").to_owned(), rows(&text)));
    pages.filter(|(_, rows)| rows.iter().any(|(id, ..)| id.contains('.'))).collect()
}

/// The index with the rows of both its tables as the pages say: how many rows have each status, and which do
/// not work. `text` has the pages' titles.
fn counted(text: &str, pages: &BTreeMap<String, Vec<Row>>) -> String {
    let statuses = ["works", "partly", "not yet"];
    let mut total = [0; 3];
    let mut seen = BTreeSet::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        let link = line.strip_prefix("| [").and_then(|rest| rest.split_once("](")?.1.split_once(')'));
        let found = link.and_then(|(name, _)| pages.get_key_value(name));
        let all = line.strip_prefix("| all |").is_some();
        let Some((name, rows)) = found else {
            let [works, partly, not_yet] = total;
            lines.push(if all {
                format!("| all | {works} | {partly} | {not_yet} |")
            } else {
                line.to_owned()
            });
            continue;
        };
        let ids = |wanted: &'static str| rows.iter().filter(move |(_, status, _)| status == wanted);
        let title = &line[..line.find(')').expect("a link") + 1];
        lines.push(if seen.insert(name) {
            let counts = statuses.map(|status| ids(status).count());
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            format!("{title} | {} | {} | {} |", counts[0], counts[1], counts[2])
        } else {
            let list = |status| ids(status).map(|(id, ..)| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            format!("{title} | {} | {} |", list("partly"), list("not yet"))
        });
    }
    lines.join("\n") + "\n"
}

#[test]
fn named_tests_exist() {
    let rows: Vec<_> = pages().into_values().flatten().collect();
    assert!(rows.len() > 400, "{} rows", rows.len());
    let wrong = mistakes(&rows, |path| fs::read_to_string(root().join(path)).ok());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_index_counts_the_rows_of_its_pages() {
    let path = root().join("docs/COVERAGE.md");
    let text = fs::read_to_string(&path).expect("docs/COVERAGE.md");
    let pages = pages();
    assert!(pages.len() > 5 && pages.keys().all(|name| text.contains(&format!("]({name})"))), "{pages:?}");
    let counted = counted(&text, &pages);
    if pyro_test_environment::bless() {
        fs::write(&path, &counted).expect("docs/COVERAGE.md can be written");
    } else {
        assert_eq!(text, counted, "PYRO_BLESS=1 writes the counts");
    }
}

#[test]
fn rows_are_counted() {
    let row = |id: &str, status: &str| (id.to_owned(), status.to_owned(), Vec::new());
    let rows = vec![row("a.b", "works"), row("a.c", "partly"), row("a.d", "works")];
    let pages = BTreeMap::from([("coverage/a.md".to_owned(), rows)]);
    let index = "| [A](coverage/a.md) | 9 | 9 | 9 |\n| all | 1 | 1 | 1 |\n| [A](coverage/a.md) | | |\n";
    let expected =
        "| [A](coverage/a.md) | 2 | 1 | 0 |\n| all | 2 | 1 | 0 |\n| [A](coverage/a.md) | `a.c` |  |\n";
    assert_eq!(counted(index, &pages), expected);
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
