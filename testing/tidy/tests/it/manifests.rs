//! Manifests against the documents: the drawn order of the crates, the table of dependencies, the build's
//! identity.

use pyro_tidy::{files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The rows of the table of crates in `docs/ARCHITECTURE.md`: name, and what it says of `unsafe`.
fn drawn_crates(text: &str) -> Vec<(String, String)> {
    let table = text.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0].trim_matches('`').to_owned(), cells.last().copied().unwrap_or_default().to_owned())
    });
    rows.collect()
}

/// The crates of this repository that a manifest names in a section, without `pyro-`.
fn dependencies(manifest: &str, is_section: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        let name = line.strip_prefix("pyro-").and_then(|rest| rest.split(['.', ' ', '=']).next());
        found.extend(name.filter(|_| is_section(section)).map(str::to_owned));
    }
    found
}

/// Dependencies that are compiled into the crate: not those of tests.
fn normal(section: &str) -> bool {
    section.ends_with("dependencies]") && !section.contains("dev-")
}

fn manifests() -> BTreeMap<String, String> {
    let manifests = files(&["crates"], "toml").into_iter();
    let named = manifests.filter_map(|(path, text)| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((name.to_owned(), text))
    });
    named.collect()
}

#[test]
fn crates_depend_only_on_those_above_them_in_the_table() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("docs/ARCHITECTURE.md");
    let order: Vec<String> = drawn_crates(&text).into_iter().map(|(name, _)| name).collect();
    let manifests = manifests();
    let drawn: BTreeSet<&String> = order.iter().collect();
    assert_eq!(drawn, manifests.keys().collect(), "the table names the crates of the workspace");
    for (name, manifest) in &manifests {
        let position = order.iter().position(|other| other == name);
        for used in dependencies(manifest, normal) {
            let above = order.iter().position(|other| *other == used);
            assert!(
                above < position && above.is_some(),
                "{name} depends on {used}, which is below it in the table"
            );
        }
    }
}

#[test]
fn crates_without_unsafe_have_none() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("docs/ARCHITECTURE.md");
    let mut wrong = BTreeMap::new();
    for (name, note) in drawn_crates(&text) {
        let uses = |text: &String| text.contains("unsafe {") || text.contains("unsafe fn");
        let count = files(&[&format!("crates/{name}/src")], "rs").values().filter(|text| uses(text)).count();
        if (note == "none") != (count == 0) {
            wrong.insert(name, count);
        }
    }
    let rule = "files with unsafe code against the last column of the table of crates";
    pyro_tidy::ratchet("unsafe_column", rule, &wrong).unwrap_or_else(|grown| panic!("{grown}"));
}

/// All crates that `compile` is built from decide what machine code a shader becomes.
#[test]
fn build_identity_covers_dependencies_of_compile() {
    let manifests = manifests();
    let (mut closure, mut open) = (BTreeSet::new(), vec!["compile".to_owned()]);
    while let Some(name) = open.pop() {
        if closure.insert(name.clone()) {
            open.extend(dependencies(&manifests[&name], normal));
        }
    }
    let script = ["build.rs", "build/identity.rs"].map(|name| {
        let path = root().join("crates/compile").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let script = script.concat();
    // A script that finds the crates by cargo's metadata or by their manifests lists none.
    if script.contains("const CRATES") {
        let missing: Vec<_> =
            closure.iter().filter(|name| !script.contains(&format!("\"{name}\""))).collect();
        assert!(
            missing.is_empty(),
            "crates/compile/build.rs lacks {missing:?}: stale machine code from caches"
        );
    } else {
        assert!(
            script.contains("Cargo.toml") || script.contains("metadata"),
            "how does it find {closure:?}?"
        );
    }
}

/// `cargo run` in README.md names no package, and `cargo build` there builds the command line and the driver.
#[test]
fn readme_commands_find_their_program() {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let line = text.lines().find(|line| line.starts_with("default-members"));
    assert_eq!(line, Some(r#"default-members = ["crates/cli", "crates/icd"]"#));
}
