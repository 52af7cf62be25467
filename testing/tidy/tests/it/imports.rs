//! Cycles of imports between the modules of a crate.

use pyro_tidy::{files, ratchet};
use std::collections::{BTreeMap, BTreeSet};

/// Modules that import each other, at most.
const CYCLE_MAX: usize = 6;

/// `a::b` of `crates/name/src/a/b.rs` and `crates/name/src/a/b/mod.rs`; empty for the root.
fn module_of(path: &str) -> String {
    let path = path.split("/src/").nth(1).unwrap_or_default().trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if matches!(path, "lib" | "main" | "mod") { String::new() } else { path.replace('/', "::") }
}

/// The paths of `text` that start at `crate::` or `super::`, with groups in braces multiplied out.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"].iter().flat_map(|word| text.match_indices(word)).map(|(at, _)| at) {
        expand("", &text[start..], &mut found);
    }
    found
}

/// Reads one path, or the group that it ends in; gives what follows.
fn expand<'t>(prefix: &str, text: &'t str, found: &mut Vec<String>) -> &'t str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(text.len());
    let path = format!("{prefix}{}", &text[..end]);
    let Some(mut rest) = text[end..].strip_prefix('{').filter(|_| path.ends_with("::")) else {
        found.push(path);
        return &text[end..];
    };
    loop {
        rest = expand(&path, rest.trim_start(), found).trim_start_matches([',', ' ', '\n']);
        if let Some(after) = rest.strip_prefix('}') {
            return after;
        }
        if rest.is_empty() || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return rest;
        }
    }
}

/// The modules that a module imports from: the longest known prefixes of its paths.
fn imports(module: &str, text: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = BTreeSet::new();
    for path in paths(&code) {
        let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        let mut rest: Vec<&str> = path.split("::").collect();
        while let Some(first) = rest.first().copied().filter(|first| matches!(*first, "crate" | "super")) {
            rest.remove(0);
            base.truncate(if first == "crate" { 0 } else { base.len().saturating_sub(1) });
        }
        base.extend(rest);
        while !modules.contains(&base.join("::")) {
            base.pop();
        }
        found.insert(base.join("::"));
    }
    found.remove(module);
    found
}

/// The most modules that reach each other.
fn largest_cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> usize {
    let reach = |from: &String| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(next) = open.pop().and_then(|name| graph.get(name)) {
            open.extend(next.iter().filter(|name| seen.insert((*name).clone())));
        }
        seen
    };
    let reached: BTreeMap<&String, BTreeSet<String>> = graph.keys().map(|name| (name, reach(name))).collect();
    let cycle = |name: &String| {
        reached[name]
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(name)))
            .count()
    };
    graph.keys().map(cycle).max().unwrap_or(0)
}

#[test]
fn import_cycles_are_small() {
    let mut crates: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (path, text) in files(&["crates"], "rs") {
        if let Some((name, _)) = path.split_once("/src/") {
            crates.entry(name.to_owned()).or_default().insert(module_of(&path), text);
        }
    }
    let mut large = BTreeMap::new();
    for (name, modules) in &crates {
        let names: BTreeSet<String> = modules.keys().cloned().collect();
        let graph =
            modules.iter().map(|(module, text)| (module.clone(), imports(module, text, &names))).collect();
        let cycle = largest_cycle(&graph);
        if cycle > CYCLE_MAX {
            large.insert(name.clone(), cycle);
        }
    }
    let rule = format!("at most {CYCLE_MAX} modules of a crate import each other in a cycle");
    ratchet("import_cycles", &rule, &large).unwrap_or_else(|grown| panic!("{grown}"));
}

#[test]
fn cycles_are_found() {
    let modules: BTreeSet<String> = ["", "a", "a::b", "c"].map(str::to_owned).into();
    let text = "use crate::{a::{b::X, self}, c};\nuse super::Y;\n// crate::none\n";
    let found = imports("c", text, &modules);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["", "a", "a::b"]);
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    let graph = [("a", set(&["b"])), ("b", set(&["c"])), ("c", set(&["a"])), ("d", set(&["a"]))];
    assert_eq!(largest_cycle(&graph.map(|(name, next)| (name.to_owned(), next)).into()), 3);
}
