//! Verdicts of test cases: whose they are when processes end early, hang or say nothing.

use crate::house::{House, is_running};

fn verdicts(house: &House, cases: &[&str]) -> Vec<(String, String, String)> {
    house.write("cases.txt", &(cases.join("\n") + "\n"));
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    house.farm(&["merge", "job.toml", "--out", "out", "--into", "into"]);
    let json = std::fs::read(house.path("into/results.json")).expect("results");
    let results: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let items = results["sections"][0]["items"].as_array().expect("items").clone();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    items.iter().map(|item| (text(&item["name"]), text(&item["verdict"]), text(&item["detail"]))).collect()
}

fn job(house: &House, timeout: &str, extra: &str) {
    house.write(
        "job.toml",
        &format!(
            "name = \"verdicts\"\ntimeout_seconds = {timeout}\n[[units]]\nname = \"cases\"\nkind = \"cases\"\n\
             list = \"cases.txt\"\n{extra}"
        ),
    );
}

const DEQP: &str =
    "program = \"./deqp\"\narguments = [\"--deqp-caselist-file={list}\"]\nverdicts = \"deqp\"\n";

#[test]
fn crashes_and_timeouts_are_those_of_the_case_that_ran() {
    let house = House::new("crash");
    job(&house, "0.7", DEQP);
    let found = verdicts(
        &house,
        &["a", "b.crash", "c.fail", "d.hang", "e.warn", "f.crash", "g.abort", "h.unheard", "i.skip", "j"],
    );
    let expected = [
        ("a", "pass", "fine"),
        ("b.crash", "crash", "SIGSEGV"),
        ("c.fail", "fail", "it <fails> & ends"),
        ("d.hang", "timeout", "timeout"),
        ("e.warn", "warn", "hm"),
        ("f.crash", "crash", "SIGSEGV"),
        ("g.abort", "crash", "exit code 3"),
        ("h.unheard", "crash", "exit code 0"),
        ("i.skip", "skip", "not here"),
        ("j", "pass", "fine"),
    ];
    let found: Vec<(&str, &str, &str)> =
        found.iter().map(|(name, verdict, detail)| (&name[..], &verdict[..], &detail[..])).collect();
    assert_eq!(found, expected);
}

/// Exit code 77 skips, as with automake; each case has its process.
#[test]
fn exit_codes_are_verdicts() {
    let house = House::new("exit-code");
    let own =
        "program = \"sh\"\narguments = [\"-c\", \"exit $1\", \"sh\", \"{case}\"]\nverdicts = \"exit-code\"\n";
    job(&house, "5", own);
    let found = verdicts(&house, &["0", "1", "77"]);
    let found: Vec<&str> = found.iter().map(|(_, verdict, _)| &verdict[..]).collect();
    assert_eq!(found, ["pass", "fail", "skip"]);
}

/// A program that does not start, or ends before any case, gives no record: the unit can be run again.
#[test]
fn programs_that_run_nothing_give_no_verdict() {
    let house = House::new("nothing");
    house.write("cases.txt", "a\nb\n");
    job(&house, "5", DEQP);
    house.program("deqp", "#!/bin/sh\necho no device >&2\nexit 4\n");
    let error = house.refuse(&["shard", "0/1", "job.toml", "--out", "out"]);
    assert!(error.contains("ended with exit code 4 before it ran any case: no device"), "{error}");
    house.program("deqp", "#!/no/such/interpreter\n");
    let error = house.refuse(&["shard", "0/1", "job.toml", "--out", "out"]);
    assert!(error.contains("cannot start") && error.contains("deqp"), "{error}");
    let error = house.refuse(&["merge", "job.toml", "--out", "out"]);
    assert!(error.contains("unit u0000000 (cases: a and 1 more): it has no record"), "{error}");
}

/// What a program forks ends with it.
#[test]
fn processes_that_are_left_are_killed() {
    let house = House::new("forks");
    let own = "program = \"./fork\"\narguments = [\"{case}\"]\nverdicts = \"exit-code\"\n";
    job(&house, "20", own);
    house.program("fork", "#!/bin/sh\nsleep 41.4141 &\nexit 0\n");
    let start = std::time::Instant::now();
    assert_eq!(verdicts(&house, &["one"])[0].1, "pass");
    assert!(start.elapsed().as_secs() < 15, "it waited for the process that was left");
    assert!(!is_running("sleep 41.4141"), "a process is left");
}
