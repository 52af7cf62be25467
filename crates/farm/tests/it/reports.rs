//! Reports of processes: coverage and findings joined over units, other files kept; none is lost or believed.

use crate::house::{House, damage};
use std::fs;

/// A program that prints what dEQP would and writes the three reports; what it covers depends on the cases.
const REPORTER: &str = r#"#!/bin/sh
for argument; do case $argument in
  --list=*) list=${argument#*=} ;;
  --output=*) output=${argument#*=} ;;
esac; done
count=0
while read -r name; do
  echo "Test case '$name'.."
  count=$((count + 1))
  case $name in
    *crash*) kill -SEGV $$; sleep 10 ;;
    *silent*) echo "  Pass (fine)"; exit 0 ;;
    *broken*) echo "  Pass (fine)"; echo "DA:1" > "$output/shaders.info"; exit 0 ;;
  esac
  echo "  Pass (fine)"
done < "$list"
printf 'TN:\nSF:a.comp\nDA:1,%d\nDA:2,0\nend_of_record\n' $count > "$output/shaders.info"
cat > "$output/findings.sarif" <<END
{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": [{"id": "race"}]}}, "results": [
  {"ruleId": "race", "message": {"text": "$name$count"}, "locations": [{"physicalLocation":
    {"artifactLocation": {"uri": "a.comp"}, "region": {"startLine": 2}}}]}]}]}
END
echo $count > "$output/count.txt"
"#;

fn job(house: &House, names: &[&str]) {
    house.program("reporter", REPORTER);
    house.write("cases.txt", &names.join("\n"));
    house.write(
        "job.toml",
        r#"
name = "reports"
retries = 0

[[units]]
name = "cases"
kind = "cases"
program = "./reporter"
arguments = ["--list={list}", "--output={output}"]
list = "cases.txt"
verdicts = "deqp"
batch = 3
reports = [
  { file = "shaders.info", join = "lcov" },
  { file = "findings.sarif", join = "sarif" },
  { file = "count.txt", join = "files" },
]
"#,
    );
}

const NAMES: [&str; 10] = ["a", "b", "c", "d", "e.crash", "f", "g", "h", "i", "j"];

#[test]
fn reports_of_all_processes_are_joined() {
    let house = House::new("reports");
    job(&house, &NAMES);
    house.expect(1, &["run", "job.toml", "--out", "out", "--workers", "2", "--into", "into"]);
    let files = house.files("into");
    let text = |name: &str| String::from_utf8(files[&format!("cases/reports/{name}")].clone()).expect("text");
    // The process that crashed ran `d` and wrote nothing.
    assert!(text("shaders.info").contains("DA:1,8\nDA:2,0\n"), "{}", text("shaders.info"));
    let sarif: serde_json::Value = serde_json::from_str(&text("findings.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "one place: {sarif:#}");
    assert_eq!(results[0]["occurrenceCount"], 4);
    let counts: Vec<String> = files
        .iter()
        .filter(|(name, _)| name.contains("count.txt/"))
        .map(|(name, bytes)| format!("{}={}", &name[24..], String::from_utf8_lossy(bytes).trim()))
        .collect();
    assert_eq!(counts, ["u0000000-0=3", "u0000001-0=1", "u0000002-0=3", "u0000003-0=1"]);
    // They are no part of the results.
    assert!(!String::from_utf8_lossy(&files["results.json"]).contains("shaders.info"));
}

/// A program that writes a test log as dEQP does, its cases backwards.
const LOGGER: &str = r#"#!/bin/sh
for argument; do case $argument in
  --list=*) list=${argument#*=} ;;
  --log=*) log=${argument#*=} ;;
esac; done
printf '#sessionInfo releaseName r\n#sessionInfo commandLineParameters "%s"\n\n#beginSession\n\n' "$*" > "$log"
tac "$list" | while read -r name; do
  echo "Test case '$name'.."
  printf '#beginTestCaseResult %s\n <Number Name="TestDuration" Tag="Time">%s</Number>\n' "$name" $$ >> "$log"
  case $name in *crash*) kill -SEGV $$; sleep 10 ;; esac
  printf ' <Result StatusCode="Pass">fine</Result>\n#endTestCaseResult\n\n' >> "$log"
  echo "  Pass (fine)"
done
"#;

/// The joined log has the cases in the order of the job, and the same bytes for any cut.
#[test]
fn test_logs_are_one() {
    let house = House::new("reports-log");
    house.program("logger", LOGGER);
    house.write("cases.txt", &NAMES.join("\n"));
    let mut logs = Vec::new();
    for batch in [1, 3, 20] {
        house.write(
            "job.toml",
            &format!(
                "name = \"log\"\n[[units]]\nname = \"cases\"\nkind = \"cases\"\nprogram = \"./logger\"\n\
                 arguments = [\"--list={{list}}\", \"--log={{output}}/a.qpa\"]\nlist = \"cases.txt\"\n\
                 verdicts = \"deqp\"\nbatch = {batch}\nreports = [{{ file = \"a.qpa\", join = \"deqp\" }}]\n"
            ),
        );
        let (out, into) = (format!("out-{batch}"), format!("into-{batch}"));
        house.expect(1, &["run", "job.toml", "--out", &out, "--workers", "2", "--into", &into]);
        let log = std::fs::read_to_string(house.path(&into).join("cases/reports/a.qpa")).expect("a log");
        logs.push(log);
    }
    let begun: Vec<&str> =
        logs[0].lines().filter_map(|line| line.strip_prefix("#beginTestCaseResult ")).collect();
    assert_eq!(begun, NAMES);
    assert!(logs[0].contains("e.crash\n#terminateTestCaseResult Crash\n"), "{}", logs[0]);
    assert!(logs[0].starts_with("#sessionInfo releaseName r\n\n#beginSession\n"), "{}", logs[0]);
    assert!(!logs[0].contains("Time\""), "{}", logs[0]);
    assert!(logs[1] == logs[0] && logs[2] == logs[0], "{logs:#?}");
}

#[test]
fn missing_and_wrong_reports_are_named() {
    let house = House::new("reports-wrong");
    for (name, part) in [
        ("x.silent", "./reporter ended with exit code 0 and wrote no report shaders.info"),
        ("x.broken", "report shaders.info cannot be joined: line 1 is not an LCOV record"),
    ] {
        job(&house, &["a", name]);
        let error = house.refuse(&["run", "job.toml", "--out", name, "--workers", "1"]);
        assert!(error.contains(part), "{error}");
    }
    job(&house, &NAMES);
    house.expect(1, &["run", "job.toml", "--out", "out", "--workers", "1"]);
    let merge = ["merge", "job.toml", "--out", "out"];
    let reports = house.find("out", "reports/u0000002");
    let bytes = fs::read(&reports).expect("reports");
    for at in (0..bytes.len()).step_by(23) {
        damage(&reports, at);
        let error = house.refuse(&merge);
        assert!(
            error.contains("unit u0000002 (cases: g and 2 more): its reports are refused"),
            "{at}: {error}"
        );
        fs::write(&reports, &bytes).expect("the reports again");
    }
    let digest = blake3::hash(b"TN:\nSF:a.comp\nDA:1,3\nDA:2,0\nend_of_record\n").to_hex();
    damage(&house.find("out", &format!("{}/{}", &digest[..2], &digest[2..])), 3);
    let error = house.refuse(&[&merge[..], &["--discard"]].concat());
    assert!(
        error.contains("unit u0000002 (cases: g and 2 more): its report shaders.info is refused"),
        "{error}"
    );
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    house.expect(1, &merge);
    fs::remove_file(house.find("out", "reports/u0000001")).expect("reports");
    assert!(house.refuse(&merge).contains("it has no reports"));
}

#[test]
fn reports_that_nobody_could_write_are_refused() {
    let house = House::new("reports-keys");
    job(&house, &NAMES);
    let text = fs::read_to_string(house.path("job.toml")).expect("the job");
    for (from, to, part) in [
        (", \"--output={output}\"", "", "no argument has `{output}`"),
        ("count.txt", "shaders.info", "reports: shaders.info stands twice"),
        ("count.txt", "../count.txt", "is not a relative path without `..`"),
        ("\"files\"", "\"zip\"", "unknown variant `zip`"),
    ] {
        house.write("job.toml", &text.replace(from, to));
        let error = house.refuse(&["plan", "job.toml"]);
        assert!(error.contains(part), "{part}: {error}");
    }
    let other =
        text.replace("\"files\"", "\"deqp\"").replace("verdicts = \"deqp\"", "verdicts = \"libtest\"");
    house.write("job.toml", &other);
    assert!(house.refuse(&["plan", "job.toml"]).contains("test logs of dEQP are of cases with its verdicts"));
}
