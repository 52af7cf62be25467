//! What the sanitizer says of every program of the corpus, on each backend.
//!
//! A program with a bug must be found with its kind, its line and the other side's line; its twin must give
//! no finding. Both must leave the same words as without the sanitizer.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // as in the library

mod loader;

use pyro_sanitizer_corpus::case::{self, Case, Stage, Variant};
use pyro_sanitizer_corpus::player::Player;
use pyro_sanitizer_corpus::program::Programs;
use pyro_sanitizer_corpus::script::{self, Script};
use pyro_sanitizer_corpus::way::{Action, Way};
use pyro_test_environment::{in_child, is_child, output_of_child, text};
use pyro_util::sanitize::Kind;
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// The least number of pairs: cases times their stages.
const PAIRS_MIN: usize = 1_000;

/// The least number of pairs of scripts.
const SCRIPT_PAIRS_MIN: usize = 250;

fn cases() -> Vec<Case> {
    case::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cases"))
}

/// The findings that a file gets.
struct Findings {
    path: PathBuf,
    position: u64,
}

impl Findings {
    /// What has come since the last call.
    fn next(&mut self) -> Vec<Value> {
        let Ok(mut file) = fs::File::open(&self.path) else { return Vec::new() };
        let mut text = String::new();
        file.seek(SeekFrom::Start(self.position)).expect("a position");
        file.read_to_string(&mut text).expect("text");
        self.position += text.len() as u64;
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
        lines.filter(|line| line.get("kind").is_some()).collect()
    }
}

/// What is wrong with the findings of a program.
fn complaint(case: &Case, stage: Stage, variant: Variant, found: &[Value]) -> Option<String> {
    let file = format!("{}.case", case.name);
    let what = |finding: &Value| format!("{}:{} {}", finding["kind"], finding["line"], finding["message"]);
    let all: Vec<_> = found.iter().map(what).collect();
    let of_kind: Vec<_> = found.iter().filter(|finding| finding["kind"] == case.kind.as_str()).collect();
    let is_other = |finding: &&Value| {
        let kind = finding["kind"].as_str().unwrap_or_default();
        kind != case.kind && !case.also.iter().any(|also| also == kind)
    };
    if let Some(stray) = found.iter().find(is_other) {
        return Some(format!("a finding of another kind: {}", what(stray)));
    }
    if variant == Variant::Good {
        return (!found.is_empty()).then(|| format!("findings in the twin: {all:?}"));
    }
    let is_right = |finding: &&&Value| {
        let other = finding["other"]["line"].as_u64();
        if !case.command.is_empty() {
            return finding["instruction"].as_str().is_some_and(|text| text.starts_with(&case.command));
        }
        finding["line"] == case.finding
            // PTX names no files.
            && (stage == Stage::Kernel || finding["file"] == file.as_str())
            && finding["stage"] == stage.name()
            && finding["message"].as_str().is_some_and(|message| message.contains(&case.says))
            && case.other.is_none_or(|line| other == Some(line.into()))
    };
    match of_kind.iter().find(is_right) {
        Some(_) => None,
        None => Some(format!("not found at line {} (other side {:?}): {all:?}", case.finding, case.other)),
    }
}

/// Whether a case runs with the kinds of this test.
fn is_of(case: &Case, opt_in: bool) -> bool {
    Kind::from_name(&case.kind).is_some_and(Kind::is_opt_in) == opt_in
}

/// Runs all programs of these kinds in this process and gives what is wrong with their findings; prints a
/// digest of what they leave.
fn run_all(opt_in: bool, backend: &str) {
    let mut findings = text("PYRO_TEST_FINDINGS").map(|path| Findings { path: path.into(), position: 0 });
    let programs = Programs::new();
    let mut complaints = Vec::new();
    let mut count = 0;
    for case in cases().iter().filter(|case| is_of(case, opt_in)) {
        if !(case.backends.is_empty() || case.backends.iter().any(|name| name == backend)) {
            continue;
        }
        for &stage in &case.stages {
            for variant in [Variant::Good, Variant::Bad] {
                let words = programs.run(case, stage, variant);
                // What is in memory that nobody wrote differs between processes.
                if variant == Variant::Good || !case.reads_uninitialized() {
                    println!("left {} {} {variant:?}: {:x}", case.name, stage.name(), digest(&words));
                }
                let Some(findings) = &mut findings else { continue };
                let found = findings.next();
                if let Some(complaint) = complaint(case, stage, variant, &found) {
                    complaints.push(format!("{} in {} ({variant:?}): {complaint}", case.name, stage.name()));
                }
            }
            count += 1;
        }
    }
    println!("{count} pairs");
    assert!(complaints.is_empty(), "{} of {count} pairs:\n{}", complaints.len(), complaints.join("\n"));
}

fn scripts() -> Vec<Script> {
    script::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"))
}

/// Whether a place of a finding is where a script says: the command of a way, or the line in its shader.
fn is_at(place: &Value, wanted: &str, (first, second): (Option<Way>, Way)) -> bool {
    let way = match wanted {
        "first" => first,
        "second" => Some(second),
        _ => None,
    };
    let instruction = place["instruction"].as_str().unwrap_or_default();
    match way {
        Some(way) if matches!(way.action, Action::Command) => {
            instruction.starts_with(way.command)
                || way.command == "vkCmdEndRendering" && instruction.starts_with("vkCmdBeginRendering")
        }
        Some(way) => {
            place["line"] == way.number()
                && place["file"].as_str().is_some_and(|file| file.starts_with("ways "))
        }
        None => instruction.starts_with(wanted),
    }
}

/// What is wrong with the findings of a script.
fn script_complaint(
    script: &Script,
    ways: (Option<Way>, Way),
    variant: &str,
    found: &[Value],
) -> Option<String> {
    let what = |finding: &Value| {
        format!("{} {} (other: {})", finding["kind"], finding["message"], finding["other"]["message"])
    };
    let all: Vec<_> = found.iter().map(what).collect();
    if variant == "good" {
        return (!found.is_empty()).then(|| format!("findings in the twin: {all:#?}"));
    }
    let kind = |finding: &Value| finding["kind"].as_str().unwrap_or_default().to_owned();
    if found.iter().any(|finding| kind(finding) != script.kind && !script.also.contains(&kind(finding))) {
        return Some(format!("a finding of another kind: {all:#?}"));
    }
    let is_right = |finding: &&Value| {
        kind(finding) == script.kind
            && is_at(finding, &script.finding, ways)
            && (script.other.is_empty() || is_at(&finding["other"], &script.other, ways))
    };
    let side = |place: &Value| format!("{} {}", place["instruction"], place["message"]);
    let is_same = |finding: &Value| {
        finding["instruction"].as_str().is_some_and(|text| text.contains("(command"))
            && finding["instruction"] == finding["other"]["instruction"]
    };
    // Command buffers that others execute go on with the numbers of these.
    if let Some(finding) = found.iter().find(|finding| script.secondary && is_same(finding)) {
        return Some(format!("both sides are one command: {}", side(finding)));
    }
    (!found.iter().any(|finding| is_right(&finding))).then(|| format!("not found: {all:#?}"))
}

/// Runs all scripts in this process; gives what is wrong with their findings, and how many pairs there are.
fn run_scripts(findings: &mut Findings) -> (Vec<String>, usize) {
    let player = Player::new();
    let (mut complaints, mut count) = (Vec::new(), 0);
    findings.next();
    for script in scripts() {
        for ways in script.pairs() {
            for variant in ["good", "bad"] {
                player.run(&script, ways, variant);
                let found = findings.next();
                if let Some(complaint) = script_complaint(&script, ways, variant, &found) {
                    let names = (ways.0.map_or("", |way| way.name), ways.1.name);
                    complaints.push(format!("{} {names:?} ({variant}): {complaint}", script.name));
                }
            }
            count += 1;
        }
    }
    (complaints, count)
}

#[test]
fn bugs_between_commands_are_found_and_twins_are_not() {
    const TEST: &str = "bugs_between_commands_are_found_and_twins_are_not";
    if is_child() {
        let path = text("PYRO_TEST_FINDINGS").expect("a path");
        let (complaints, count) = run_scripts(&mut Findings { path: path.into(), position: 0 });
        println!("{count} pairs");
        assert!(count >= SCRIPT_PAIRS_MIN, "{count} pairs");
        assert!(complaints.is_empty(), "{} of {count} pairs:\n{}", complaints.len(), complaints.join("\n"));
        return;
    }
    for backend in backends() {
        let name = format!("pyroclast-scripts-{}-{backend}.json", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = path.display().to_string();
        let environment = [
            ("PYROCLAST_CPU", backend),
            ("PYROCLAST_SANITIZE", "all"),
            ("PYROCLAST_SANITIZE_OUTPUT", file.as_str()),
            ("PYRO_TEST_FINDINGS", file.as_str()),
        ];
        let output = output_of_child(module_path!(), TEST, &environment);
        let _ = fs::remove_file(&path);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{backend}: {}{errors}", String::from_utf8_lossy(&output.stdout));
    }
}

fn digest(words: &[u32]) -> u64 {
    words
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &word| (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3))
}

/// The lines of a process's output that say what programs left.
fn left(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    text.lines().filter(|line| line.starts_with("left ")).map(str::to_owned).collect()
}

/// The backends that the corpus runs on. SSE4.1 has the IR of the others, and the random functions of
/// `pyro-jit` hold its code to it.
fn backends() -> impl Iterator<Item = &'static str> {
    pyro_compile::Backend::all().into_iter().map(|(name, _)| name).filter(|&name| name != "sse4.1")
}

/// Runs this test with the sanitizer and without on each backend.
fn check(test: &str, kinds: &str, opt_in: bool) {
    if is_child() {
        return run_all(opt_in, &text("PYRO_TEST_BACKEND").unwrap_or_default());
    }
    let mut complaints = Vec::new();
    for backend in backends() {
        let name = format!("pyroclast-corpus-{}-{test}-{backend}.json", std::process::id());
        let path = std::env::temp_dir().join(name);
        let file = path.display().to_string();
        // One thread, so that what racing programs leave is the same each time.
        let plain = [("PYROCLAST_CPU", backend), ("PYRO_TEST_BACKEND", backend), ("PYROCLAST_THREADS", "1")];
        let on = [
            ("PYROCLAST_SANITIZE", kinds),
            ("PYROCLAST_SANITIZE_OUTPUT", file.as_str()),
            ("PYRO_TEST_FINDINGS", file.as_str()),
        ];
        let with = output_of_child(module_path!(), test, &[&plain[..], &on[..]].concat());
        let without = output_of_child(module_path!(), test, &plain);
        let _ = fs::remove_file(&path);
        if !with.status.success() {
            complaints.push(format!("{backend}: {}", String::from_utf8_lossy(&with.stderr)));
        }
        assert!(without.status.success(), "{backend}: {}", String::from_utf8_lossy(&without.stderr));
        let (with, without) = (left(&with.stdout), left(&without.stdout));
        assert!(!without.is_empty(), "{backend} ran nothing");
        for (with, without) in with.iter().zip(&without) {
            if with != without {
                complaints
                    .push(format!("{backend}: the sanitizer changes results: {with} instead of {without}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn bugs_are_found_and_twins_are_not() {
    check("bugs_are_found_and_twins_are_not", "all", false);
}

#[test]
fn opt_in_kinds_are_found_when_named() {
    let kinds: Vec<_> = Kind::ALL.iter().filter(|kind| kind.is_opt_in()).map(|kind| kind.name()).collect();
    check("opt_in_kinds_are_found_when_named", &kinds.join(","), true);
}

#[test]
fn corpus_has_every_kind() {
    let cases = cases();
    let pairs: usize = cases.iter().map(|case| case.stages.len()).sum();
    assert!(pairs >= PAIRS_MIN, "{pairs} pairs");
    for kind in Kind::ALL {
        let is_there = cases.iter().any(|case| case.kind == kind.name())
            || scripts().iter().any(|script| script.kind == kind.name());
        assert!(is_there, "no case of {}", kind.name());
    }
    for case in &cases {
        assert!(Kind::from_name(&case.kind).is_some(), "{}: {}", case.name, case.kind);
    }
}

/// With the sanitizer off, the corpus runs and says nothing.
#[test]
fn nothing_is_said_when_it_is_off() {
    if !in_child(module_path!(), "nothing_is_said_when_it_is_off", &[("PYROCLAST_SANITIZE", "none")]) {
        return;
    }
    let path = std::env::temp_dir().join("pyroclast-corpus-off.json");
    assert!(!path.exists());
    run_all(false, "");
}
