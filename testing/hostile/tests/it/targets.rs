//! Every target of the fuzzers on its corpus, and on changes of it.
//!
//! `PYRO_BLESS=1` writes the files that corpora begin with. What a fuzzer has found goes beside them.

use pyro_hostile::targets::{TARGETS, Target};
use pyro_hostile::victim::ENVIRONMENT;
use pyro_hostile::watch;
use pyro_random::Random;
use pyro_test_environment::{bless, in_child};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder(target: &Target) -> PathBuf {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    // Beside a program that was packed for another machine.
    if built.exists() { built } else { PathBuf::from("corpus") }.join(target.name)
}

fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = folder(target);
    if bless() {
        std::fs::create_dir_all(&folder).expect("a folder");
        for (number, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed).expect("a file");
        }
    }
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file")).collect()
}

/// `PYRO_MUTATIONS` sets how many changes of each corpus are tried (24), `PYRO_SEED` where to start.
fn fuzz(name: &str, test: &str) {
    if !in_child(module_path!(), test, &ENVIRONMENT) {
        return;
    }
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let corpus = corpus(target);
    assert!(!corpus.is_empty(), "{name} has no corpus");
    for (number, bytes) in corpus.iter().enumerate() {
        let ((), panics) = watch::round(&format!("{name}: file {number}"), || (target.run)(bytes));
        assert!(panics.is_empty(), "{name}: file {number}: {}", panics.join("\n"));
    }
    watch::rounds(24, 20_000, |seed| {
        let random = &mut Random::new(seed);
        let mut bytes = corpus[random.below(corpus.len())].clone();
        random.mutate(&mut bytes, &[]);
        (target.run)(&bytes);
    });
}

macro_rules! targets {
    ($($test:ident $name:literal),+ $(,)?) => {
        $(#[test]
        fn $test() {
            fuzz($name, stringify!($test));
        })+

        /// Each target has a test, a file in `fuzz/` and an entry in its manifest.
        #[test]
        fn all_targets_are_run() {
            let tested = BTreeSet::from([$($name),+]);
            assert_eq!(tested, TARGETS.iter().map(|target| target.name).collect());
            let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let manifest = std::fs::read_to_string(fuzz.join("Cargo.toml")).expect("the manifest");
            for name in tested {
                assert!(fuzz.join(format!("fuzz_targets/{name}.rs")).exists(), "{name} has no file");
                assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is not in the manifest");
            }
        }
    };
}

targets! {
    bytes_are_safe_as_modules "spirv",
    bytes_are_safe_as_shaders "spirv_run",
    bytes_are_safe_as_pairs "pairs",
    bytes_are_safe_as_graphics_shaders "graphics_shaders",
    bytes_are_safe_as_graphics_states "graphics_states",
    bytes_are_safe_as_graphics_libraries "graphics_libraries",
    bytes_are_safe_as_ray_shaders "ray_shaders",
    bytes_are_safe_as_create_infos "create_infos",
    bytes_are_safe_as_ptx "ptx",
    bytes_are_safe_as_caches "caches",
    bytes_are_safe_as_binaries "binaries",
    bytes_are_safe_as_structures "structures",
    bytes_are_safe_as_binding_tables "binding_tables",
    bytes_are_safe_as_data_graphs "data_graphs",
    bytes_are_safe_as_captures "captures",
    bytes_are_safe_as_calls "calls",
}
