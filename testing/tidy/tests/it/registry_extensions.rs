//! `docs/coverage/registry-extensions.md` has a row for every extension of the registry, and says `works` of
//! those that the driver offers and of no others. `PYRO_BLESS=1` writes it.

use pyro_tidy::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const PAGE: &str = "docs/coverage/registry-extensions.md";
const STATUSES: [&str; 3] = ["works", "not yet", "needs hardware"];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The extensions of the registry.
fn registered() -> BTreeSet<String> {
    let text = read("testing/registry/registry.tsv");
    let names = text.lines().filter_map(|line| line.strip_prefix("extension\t")?.split('\t').next());
    names.map(str::to_owned).collect()
}

/// Those that the driver offers.
fn offered() -> BTreeSet<String> {
    let text = read("crates/driver/src/caps/extensions.rs");
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("extension(\"")?.split('"').next());
    names.map(str::to_owned).collect()
}

/// The rows of the page: names and statuses.
fn rows(text: &str) -> BTreeMap<String, String> {
    let rows = text.lines().filter(|line| line.starts_with("| VK_")).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        (cells.next().unwrap_or_default(), cells.next().unwrap_or_default())
    });
    rows.collect()
}

/// The page with the statuses that it should have.
fn mended(text: &str) -> String {
    let (rows, offered) = (rows(text), offered());
    let status = |name: &String| match rows.get(name).map(String::as_str) {
        _ if offered.contains(name) => "works",
        Some("needs hardware") => "needs hardware",
        _ => "not yet",
    };
    let all: Vec<(String, &str)> =
        registered().into_iter().map(|name| (name.clone(), status(&name))).collect();
    let counts = STATUSES.map(|wanted| all.iter().filter(|(_, status)| *status == wanted).count());
    let head = text.split_once("| works |").map_or("", |(head, _)| head);
    let [works, not_yet, hardware] = counts;
    let mut page = format!(
        "{head}| works | not yet | needs hardware |\n| --- | --- | --- |\n| {works} | {not_yet} | {hardware} |\n\n\
         | extension | status |\n| --- | --- |\n"
    );
    for (name, status) in all {
        page.push_str(&format!("| {name} | {status} |\n"));
    }
    page
}

#[test]
fn the_page_follows_the_registry_and_the_driver() {
    let text = read(PAGE);
    let mended = mended(&text);
    if pyro_test_environment::bless() {
        fs::write(root().join(PAGE), mended).expect("written");
        return;
    }
    assert!(text == mended, "{PAGE} is out of date; run with PYRO_BLESS=1");
}

#[test]
fn every_offered_extension_is_registered() {
    let (registered, offered) = (registered(), offered());
    assert!(offered.len() > 200 && registered.len() > 400, "{} of {}", offered.len(), registered.len());
    let unknown: Vec<_> = offered.difference(&registered).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}
