//! `pyroclast sanitize`: what it makes of the findings that a program's driver writes. The programs here
//! write them themselves; that shaders do is tested by `testing/sanitizer`.

use std::process::{Command, Output};

const FINDING: &str = concat!(
    r#"{"id": 1, "kind": "shift-width", "message": "a shift", "shader": "main", "module": "", "#,
    r#""stage": "compute", "pipeline": "shading", "invocation": "local (0, 0, 0)", "file": "a.comp", "line": 7, "column": 3, "#,
    r#""word": 40, "function": "main", "instruction": "OpShiftLeftLogical", "values": {"shift": "33"}}"#,
);

/// Runs a shell script, in which `$FINDING` is a line of the driver.
fn sanitize(options: &[&str], script: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .arg("sanitize")
        .args(options)
        .args(["--", "sh", "-c", script])
        .env("FINDING", FINDING)
        .output()
        .expect("it starts")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const WRITES: &str = "printf '%s\\n' \"$FINDING\" >> \"$PYROCLAST_SANITIZE_OUTPUT\"";

#[test]
fn exit_codes_tell_findings_from_failures() {
    for (script, code) in [("exit 0", 0), ("exit 7", 3), (WRITES, 1), (&format!("{WRITES}; exit 7")[..], 1)] {
        let output = sanitize(&[], script);
        assert_eq!(output.status.code(), Some(code), "{script}: {output:?}");
    }
    let missing = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["sanitize", "--", "/no/such/program"])
        .output()
        .expect("it starts");
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn findings_are_shown_with_place_values_and_count() {
    let script =
        format!("{WRITES}; printf '%s\\n' '{{\"id\": 1, \"count\": 12}}' >> \"$PYROCLAST_SANITIZE_OUTPUT\"");
    let output = sanitize(&[], &script);
    let text = text(&output);
    for part in [
        "error[shift-width]: a shift",
        "--> a.comp:7:3 (comp shader)",
        "where shift is 33",
        "where the pipeline is shading",
        "where the invocation is local (0, 0, 0)",
        "it occurred 12 times",
        "1 finding",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn kinds_go_to_the_program() {
    let output = sanitize(&["--kinds", "-race,nan"], "printf '%s\\n' \"$PYROCLAST_SANITIZE\"");
    assert!(text(&output).starts_with("-race,nan\n"), "{output:?}");
    let output = sanitize(&["--kinds", "colour"], "exit 0");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a kind of finding"));
}

#[test]
fn suppressed_and_filtered_findings_are_not_shown() {
    let path = std::env::temp_dir().join(format!("pyroclast-suppressions-{}", std::process::id()));
    std::fs::write(&path, "# known\nshift-* file=a.* line=7\n").expect("written");
    let file = path.display().to_string();
    let output = sanitize(&["--suppressions", &file], WRITES);
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output).contains("1 not shown"));
    assert_eq!(sanitize(&["--filter", "stage=fragment"], WRITES).status.code(), Some(0));
    assert_eq!(sanitize(&["--filter", "stage=comp*"], WRITES).status.code(), Some(1));
    assert_eq!(sanitize(&["--filter", "pipeline=shad*"], WRITES).status.code(), Some(1));
    assert_eq!(sanitize(&["--filter", "pipeline=shad"], WRITES).status.code(), Some(0));
    assert_eq!(sanitize(&["--filter", "colour=red"], WRITES).status.code(), Some(2));
}

#[test]
fn warnings_are_shown_as_such() {
    let script = "printf '%s\\n' '{\"id\": 1, \"kind\": \"invariant-depth\", \"message\": \"m\"}' \
        >> \"$PYROCLAST_SANITIZE_OUTPUT\"";
    assert!(text(&sanitize(&[], script)).contains("warning[invariant-depth]: m"));
    let output = sanitize(&["--sarif"], script);
    let sarif: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "warning");
}

#[test]
fn findings_are_written_for_tools() {
    let output = sanitize(&["--json"], WRITES);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&json["findings"][0]["rule"], &json["exit_code"]), (&"shift-width".into(), &0.into()));
    assert_eq!(json["findings"][0]["values"]["shift"], "33");
    let output = sanitize(&["--sarif"], WRITES);
    let sarif: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "shift-width");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 7);
    let path = std::env::temp_dir().join(format!("pyroclast-sarif-{}.sarif", std::process::id()));
    let output = sanitize(&["--sarif", "--output", &path.display().to_string()], WRITES);
    let written: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).expect("written")).expect("JSON");
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(written, sarif, "the same report in a file");
    assert!(text(&output).is_empty(), "standard output is the program's alone");
    let path = std::env::temp_dir().join(format!("pyroclast-junit-{}.xml", std::process::id()));
    sanitize(&["--junit", &path.display().to_string()], WRITES);
    let junit = std::fs::read_to_string(&path).expect("written");
    std::fs::remove_file(&path).expect("removed");
    assert!(junit.contains("failures=\"1\"") && junit.contains("shift-width at a.comp:7"), "{junit}");
}

#[test]
fn first_finding_ends_the_program() {
    let start = std::time::Instant::now();
    let output = sanitize(&["--first"], &format!("{WRITES}; exec sleep 60"));
    assert_eq!(output.status.code(), Some(1));
    assert!(start.elapsed().as_secs() < 30, "it waited for the program");
}
