//! Documents name only files, headings and modules that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files of the repository, except those below build folders.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A heading's anchor, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of the inline links of a text: what stands between `](` and `)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// What is wrong with a document's links.
fn broken_links(path: &Path, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for link in links(text).filter(|link| !link.contains("://") && !link.contains(' ')) {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { path.to_owned() } else { path.with_file_name(file) };
        let Ok(linked) = fs::metadata(&target) else {
            wrong.push(format!("{}: no file {link}", path.display()));
            continue;
        };
        if !heading.is_empty() && linked.is_file() {
            let linked = fs::read_to_string(&target).expect("a text");
            let anchors: BTreeSet<String> =
                linked.lines().filter(|line| line.starts_with('#')).map(anchor).collect();
            if !anchors.contains(heading) {
                wrong.push(format!("{}: no heading {link}", path.display()));
            }
        }
    }
    wrong
}

/// Whether a path such as `lower::memory::range` names a module of a crate, or an item that is mentioned in
/// the module before it.
fn resolves(path: &str) -> bool {
    let mut parts = path.split("::");
    let mut at = root().join("crates").join(parts.next().unwrap_or_default()).join("src");
    let mut file = at.join("lib.rs");
    for part in parts {
        let (as_file, as_folder) = (at.join(format!("{part}.rs")), at.join(part).join("mod.rs"));
        if as_file.is_file() || as_folder.is_file() {
            at = at.join(part);
            file = if as_file.is_file() { as_file } else { as_folder };
        } else {
            let text = fs::read_to_string(&file).unwrap_or_default();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            return words.any(|word| word == part);
        }
    }
    true
}

/// The paths between backticks whose first segment is a crate of ours.
fn module_paths(text: &str) -> impl Iterator<Item = &str> {
    let crates: BTreeSet<String> = fs::read_dir(root().join("crates"))
        .expect("crates")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    text.split('`').skip(1).step_by(2).filter(move |code| {
        let path = code.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
        path && code.split_once("::").is_some_and(|(first, _)| crates.contains(first))
    })
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a text");
        count += links(&text).count();
        wrong.extend(broken_links(&path, &text));
    }
    assert!(count > 30, "{count} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn named_modules_exist() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a text");
        for module in module_paths(&text) {
            count += 1;
            if !resolves(module) {
                wrong.push(format!("{}: {module}", path.display()));
            }
        }
    }
    assert!(count > 60, "{count} paths");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn wrong_links_and_modules_are_found() {
    // README.md has a heading "Use it".
    let here = root().join("README.md");
    let text = "[a](docs/none.md) [b](#use-it) [c](#none) [d](https://none/x)";
    let wrong = broken_links(&here, text);
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(resolves("ir::opcode") && resolves("abi::Kernel") && !resolves("passes::no_such_pass"));
    assert_eq!(module_paths("`passes::dce` `std::fmt` dce `x + y`").collect::<Vec<_>>(), ["passes::dce"]);
}
