//! Workers that are killed at any moment.

use crate::house::{House, is_running};
use std::process::Stdio;
use std::time::Duration;

/// How often workers are killed.
const KILLS: u64 = 50;
const ITEMS: usize = 300;

/// Each unit is one seed; the program notes that it ran.
fn job(house: &House) {
    house.program("note", "#!/bin/sh\nsleep 0.02\necho \"$1\" >> \"$NOTES\"\necho \"file $1\" > \"$2\"\n");
    house.write(
        "job.toml",
        &format!(
            "name = \"kill\"\n[[units]]\nname = \"seeds\"\nkind = \"seeds\"\nprogram = \"./note\"\n\
             arguments = [\"{{seed}}\", \"{{output}}/{{seed}}.txt\"]\ncount = {ITEMS}\nbatch = 1\n\
             outputs = [\"{{seed}}.txt\"]\n"
        ),
    );
}

fn notes(house: &House, name: &str) -> Vec<usize> {
    let text = std::fs::read_to_string(house.path(name)).unwrap_or_default();
    let mut counts = vec![0; ITEMS];
    text.lines().for_each(|line| counts[line.parse::<usize>().expect("a seed")] += 1);
    counts
}

#[test]
fn fifty_kills_lose_nothing_and_repeat_at_most_a_unit_each() {
    let house = House::new("kill");
    job(&house);
    let mut reference = house.command(&["shard", "0/1", "job.toml", "--out", "reference"]);
    assert!(reference.env("NOTES", house.path("reference-notes")).status().expect("runs").success());
    house.expect(0, &["merge", "job.toml", "--out", "reference", "--into", "reference-into"]);

    // A fixed sequence of moments, from before the plan is written to after several units.
    let mut state = 0x1234_5678_9ABC_DEFFu64;
    for kill in 0..KILLS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut command = house.command(&["shard", "0/1", "job.toml", "--out", "out"]);
        command.env("NOTES", house.path("notes")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut worker = command.spawn().expect("runs");
        std::thread::sleep(Duration::from_micros((state >> 33) % 150_000));
        worker.kill().expect("it is killed");
        let status = worker.wait().expect("it ends");
        let done = notes(&house, "notes").iter().filter(|&&count| count > 0).count();
        assert!(status.code().is_none() || done == ITEMS, "kill {kill}: {status}");
    }
    let mut last = house.command(&["shard", "0/1", "job.toml", "--out", "out"]);
    assert!(last.env("NOTES", house.path("notes")).status().expect("runs").success());
    house.expect(0, &["merge", "job.toml", "--out", "out", "--into", "into"]);

    let counts = notes(&house, "notes");
    assert!(counts.iter().all(|&count| count >= 1), "{counts:?}");
    let repeated: usize = counts.iter().map(|count| count - 1).sum();
    assert!(repeated as u64 <= KILLS, "{repeated} units were repeated");
    let [mut expected, mut found] = ["reference-into", "into"].map(|name| house.files(name));
    expected.remove("times.json");
    found.remove("times.json");
    assert!(expected == found, "the merged results differ");
}

/// `run` starts a killed worker again, and the others do its units meanwhile.
#[test]
fn a_killed_worker_is_started_again() {
    let house = House::new("restart");
    job(&house);
    let mut command = house.command(&["run", "job.toml", "--out", "out", "--workers", "3", "--into", "into"]);
    command.env("NOTES", house.path("notes")).stdout(Stdio::null()).stderr(Stdio::piped());
    let run = command.spawn().expect("runs");
    std::thread::sleep(Duration::from_millis(300));
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", run.id()));
    let children = children.expect("the kernel lists children");
    let first = children.split_whitespace().next().expect("a worker").to_owned();
    assert!(std::process::Command::new("kill").args(["-KILL", &first]).status().expect("kill").success());
    let output = run.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    assert!(error.contains("was killed; it is started again"), "{error}");
    let repeated: usize = notes(&house, "notes").iter().map(|count| count - 1).sum();
    assert!(repeated <= 1, "{repeated} units were repeated");
    assert_eq!(house.files("into").len(), ITEMS + 5);
}

/// The programs of a killed worker end with it, and workers with the command that started them.
#[test]
fn programs_end_with_their_worker() {
    ends_with(&["shard", "0/1", "job.toml", "--out", "out"], "43.434");
    ends_with(&["run", "job.toml", "--out", "out", "--workers", "1"], "47.474");
}

fn ends_with(arguments: &[&str], seconds: &str) {
    let house = House::new("orphans");
    house.write(
        "job.toml",
        &format!(
            "name = \"orphans\"\n[[units]]\nname = \"long\"\nkind = \"commands\"\nprogram = \"sleep\"\n\
             arguments = [\"{seconds}{{index}}\"]\ncount = 1\n"
        ),
    );
    let mut worker = house.command(arguments).spawn().expect("runs");
    let line = format!("sleep {seconds}0");
    let mut runs = false;
    for _ in 0..1000 {
        runs = is_running(&line);
        if runs {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(runs, "the program runs");
    worker.kill().expect("it is killed");
    worker.wait().expect("it ends");
    for _ in 0..500 {
        if !is_running(&line) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the program outlives its worker");
}
