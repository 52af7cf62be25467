//! Families of instructions in `pyro-lower`: methods of one `Lowerer`, so that imports do not show who calls
//! whom.
//!
//! A family is a file or a folder. Families may call each other in one direction only; what two of them need
//! of each other goes through the core: the files that all families rest on, the dispatch, which calls them,
//! and the checks that a sanitizer weaves into what they make.

use pyro_tidy::files;
use std::collections::{BTreeMap, BTreeSet};

const CORE: [&str; 15] = [
    "block_counters",
    "builtin",
    "constant",
    "context",
    "discard",
    "dispatch",
    "float_mode",
    "float_operand",
    "inline",
    "operand",
    "pointer_operand",
    "report",
    "sanitize",
    "type_kind",
    "types",
];
/// Files of arithmetic, which are one family.
const NUMBERS: [&str; 8] =
    ["arithmetic", "bfloat", "bits", "conversion", "float8", "logic", "matrix", "rounding"];

/// The family of a path, if it is of one.
fn family(path: &str) -> Option<&str> {
    let name = path.strip_prefix("crates/lower/src/")?;
    let name = name.split('/').next()?.trim_end_matches(".rs");
    match name {
        _ if CORE.contains(&name) => None,
        _ if NUMBERS.contains(&name) => Some("numbers"),
        _ if name.starts_with("ext_") => Some("extended"),
        _ => Some(name),
    }
}

/// The words of a text that stand between these and a parenthesis or a bracket.
fn names_after<'t>(text: &'t str, start: &str) -> impl Iterator<Item = (&'t str, &'t str)> {
    text.match_indices(start).map(move |(at, _)| {
        let rest = &text[at + start.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.split_at(end)
    })
}

/// The methods that a file defines.
fn methods(text: &str) -> impl Iterator<Item = &str> {
    let is_method = |rest: &str| {
        let parameters = rest.split_once('(').map_or("", |(_, parameters)| parameters.trim_start());
        parameters.starts_with("&self") || parameters.starts_with("&mut self")
    };
    names_after(text, "fn ").filter(move |(_, rest)| is_method(rest)).map(|(name, _)| name)
}

/// By family, those that it calls, with a method of each.
fn calls(sources: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeMap<&str, &str>> {
    let mut defined: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
    for (path, text) in sources {
        methods(text).for_each(|name| {
            defined.entry(name).or_default().insert(family(path));
        });
    }
    let mut found: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
    for (path, text) in sources {
        let Some(from) = family(path) else { continue };
        let called = ["self.", "cx."].into_iter().flat_map(|start| names_after(text, start));
        for (name, _) in called.filter(|(_, rest)| rest.starts_with('(')) {
            // Of names that several have, the receiver decides, which is not looked at.
            let [Some(to)] = defined.get(name).into_iter().flatten().collect::<Vec<_>>()[..] else {
                continue;
            };
            if *to != from {
                found.entry(from).or_default().insert(to, name);
            }
        }
    }
    found
}

/// Two families that reach each other, if there are such.
fn cycle<'a>(calls: &BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>) -> Option<(&'a str, &'a str)> {
    let reached = |from: &'a str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop() {
            let next = calls.get(next).into_iter().flat_map(|next| next.keys());
            open.extend(next.filter(|next| seen.insert(**next)));
        }
        seen
    };
    let all = calls.keys().flat_map(|&from| reached(from).into_iter().map(move |to| (from, to)));
    all.into_iter().find(|&(from, to)| from != to && reached(to).contains(from))
}

#[test]
fn families_of_lowering_call_each_other_in_one_direction() {
    let sources = files(&["crates/lower/src"], "rs");
    let calls = calls(&sources);
    assert!(calls.len() > 8 && calls["image"].contains_key("memory"), "{calls:?}");
    if let Some((a, b)) = cycle(&calls) {
        panic!("{a} and {b} call each other: {:?}, {:?}", calls.get(a), calls.get(b));
    }
}

#[test]
fn families_that_call_each_other_are_found() {
    let file = |name: &str, text: &str| (format!("crates/lower/src/{name}"), text.to_owned());
    let a = "fn one(&mut self) { self.two(); self.core(); }";
    let sources = BTreeMap::from([
        file("a.rs", a),
        file("b/mod.rs", "fn two(&self, x: u32) { cx.core() }"),
        file("operand.rs", "fn core(&mut self) { self.one(); self.two() }"),
    ]);
    let found = calls(&sources);
    assert_eq!((found["a"]["b"], found.len(), cycle(&found)), ("two", 1, None));
    let mut sources = sources.clone();
    sources.extend([file("b/mod.rs", "fn two(&self, x: u32) { cx.one() }")]);
    assert_eq!(cycle(&calls(&sources)), Some(("a", "b")));
}
