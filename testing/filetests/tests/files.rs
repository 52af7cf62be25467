//! All files under `files/`.

use pyro_filetests::case::Action;
use pyro_filetests::{check_file, check_text, parse_file};
use pyro_ir::{Effect, Opcode, Signature};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("files").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pir"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {}", folder.display());
    files
}

fn check(folder: &str) {
    let failures: Vec<String> = files(folder).iter().filter_map(|path| check_file(path).err()).collect();
    assert!(failures.is_empty(), "{}", failures.concat());
}

#[test]
fn run() {
    check("run");
}

#[test]
fn pass() {
    check("pass");
}

/// Every operation of mask form is in a function that runs; those that are gone then go through a
/// pass.
#[test]
fn every_operation_is_tested() {
    let mut run = BTreeSet::new();
    let mut passed = BTreeSet::new();
    for path in files("run").into_iter().chain(files("pass")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for case in parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
            // What runs after passes may have lost operations on the way.
            let runs = matches!(&case.directives.action, Action::Run(names) if names.is_empty());
            let found = if runs { &mut run } else { &mut passed };
            for &block in &case.function.block_order {
                let insts = &case.function.blocks[block].insts;
                found.extend(insts.iter().map(|&inst| case.function.insts[inst].op));
            }
        }
    }
    let lane_only = |op: Opcode| {
        use Signature as S;
        matches!(op.signature(), S::Active | S::SlotLoad | S::SlotStore | S::SlotCall | S::Report | S::Track)
            || op == Opcode::Suspend
    };
    for &op in Opcode::ALL {
        let tested = if lane_only(op) { &passed } else { &run };
        assert!(tested.contains(&op), "no test of {}", op.name());
    }
    assert!(run.iter().any(|op| op.effect() == Effect::Barrier));
}

const ADD: &str = r#"; Comment.
;! run
;! buffer0: i32 1 2 3 4
;! buffer0 = i32 2 4 6 8
shader "add" mask lanes=4 scratch=0 frame=0 {
block0:
    v0: i64 = arg 0
    v1: i32 = const 0
    v2: i1 = const 1
    v3: i64 = load.context v0, v1, v2 +296
    v4: <i32> = lane_id
    v5: i32 = const 2
    v6: <i32> = splat v5
    v7: <i32> = shl v4, v6
    v8: <i1> = splat v2
    v9: <i32> = load.global v3, v7, v8
    v10: <i32> = iadd v9, v9
    store.global v3, v7, v10, v8
    return 0
}
"#;

/// Wrong expectations are found out.
#[test]
fn failures_are_reported() {
    assert_eq!(296, pyro_abi::context::offset::PUSH_CONSTANTS);
    assert_eq!(check_text(ADD, false), (vec![], ADD.to_owned()));
    let fails = |text: String, expected: &str| {
        let (failures, _) = check_text(&text, false);
        assert!(failures.len() == 1 && failures[0].contains(expected), "{failures:?}");
    };
    fails(ADD.replace("= i32 2 4 6 8", "= i32 2 4 7 8"), "element 2 (byte 0x8) is 6 (0x6), expected 7 (0x7)");
    fails(ADD.replace(";! run", ";! run\n;! exits: barrier"), "call 0 leaves with Done, expected Barrier");
    fails(ADD.replace(";! run", ";! ran"), "line 2: unknown directive");
    fails(ADD.replace(";! run\n", ""), "no run, pass or verify directive");
    fails(ADD.replace(";! buffer0 = i32 2 4 6 8\n", ""), "expects nothing");
    fails(ADD.replace("iadd v9, v9", "iadd v9, v1"), "shapes differ");
    fails(ADD.replace("= iadd", "= iad"), "line 17, column 18: unknown instruction");
    fails(ADD.replace(";! run", ";! pass nothing"), "no pass is called");
    fails(ADD.replace(";! run", ";! run nothing"), "no pass is called");
    fails(ADD.replace(";! run", ";! pass gvn"), "the passes give");
    fails(ADD.replace(";! run", ";! verify something else"), "the verifier finds nothing wrong");
    let (failures, blessed) = check_text(&ADD.replace(";! run", ";! pass gvn"), true);
    assert!(failures.is_empty() && blessed.contains(";= shader \"add\""), "{blessed}");
    assert_eq!(check_text(&blessed, false), (vec![], blessed.clone()));
}
