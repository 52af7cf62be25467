//! Modules that break rules which only strict mode checks: they are refused, or do something.
//!
//! `corpus/rules.lz4` has those of the validator's tests, one for each rule at least. To write it anew:
//!
//! ```sh
//! mkdir rules && PYRO_CORPUS=$PWD/rules cargo test --release -p pyro-validate --test vulkan
//! PYRO_BLESS=1 PYRO_CORPUS=$PWD/rules cargo test --release -p pyro-hostile rules
//! ```

use pyro_hostile::victim::{ENVIRONMENT, Tally, Victim};
use pyro_hostile::{modules, watch};
use pyro_test_environment::{bless, in_child, path};
use std::path::{Path, PathBuf};

/// Between two modules of the corpus.
const SEPARATOR: &str = "\n\0\n";

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/rules.lz4")
}

/// The modules of the folder of `PYRO_CORPUS`, else those of the repository.
fn corpus() -> Vec<String> {
    let Some(folder) = path("PYRO_CORPUS") else {
        let bytes = std::fs::read(stored()).expect("the corpus");
        let bytes = lz4_flex::decompress_size_prepended(&bytes).expect("a compressed text");
        let text = String::from_utf8(bytes).expect("a text");
        return text.split(SEPARATOR).map(str::to_owned).collect();
    };
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

#[test]
fn modules_that_break_rules_of_strict_mode_are_safe() {
    if !in_child(module_path!(), "modules_that_break_rules_of_strict_mode_are_safe", &ENVIRONMENT) {
        return;
    }
    let texts = corpus();
    if bless() {
        let bytes = lz4_flex::compress_prepend_size(texts.join(SEPARATOR).as_bytes());
        std::fs::write(stored(), bytes).expect("the corpus");
    }
    let (mut victim, mut tally) = (Victim::default(), Tally::default());
    let mut wrong = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let name = format!("module {number}:\n{text}");
        if path("PYRO_TRACE").is_some() {
            eprintln!("{name}");
        }
        let body = || modules::run(&mut victim, text, |outcome| tally.count(outcome));
        let ((), panics) = watch::round(&name, body);
        wrong.extend(panics.into_iter().map(|panic| format!("{panic}\n{name}")));
        if number % 64 == 0 {
            victim.check();
        }
    }
    victim.check();
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} panics:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.drawn > 100, "{tally:?}");
}
