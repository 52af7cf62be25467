//! What schedulers say of shards, and what they are given.

use crate::house::House;

fn job(house: &House) {
    house.write(
        "job.toml",
        "name = \"seeds\"\n[[units]]\nname = \"seeds\"\nkind = \"seeds\"\nprogram = \"sh\"\n\
         arguments = [\"-c\", \"test {seed} != 3\"]\ncount = 8\nbatch = 1\n",
    );
}

fn shard(house: &House, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = house.command(&["shard", "job.toml", "--out", "out"]);
    let output = command.envs(variables.iter().copied()).output().expect("runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn shards_of_schedulers_together_are_the_job() {
    let house = House::new("schedulers");
    job(&house);
    let kubernetes = [("JOB_COMPLETION_INDEX", "0"), ("PYROCLAST_FARM_SHARDS", "4")];
    assert_eq!(shard(&house, &kubernetes).0, Some(0));
    let slurm =
        [("SLURM_ARRAY_TASK_ID", "11"), ("SLURM_ARRAY_TASK_MIN", "10"), ("SLURM_ARRAY_TASK_COUNT", "4")];
    assert_eq!(shard(&house, &slurm).0, Some(0));
    // Bazel wants to see that shards are understood, and that tests failed.
    let status = house.text("status");
    let bazel =
        [("TEST_SHARD_INDEX", "3"), ("TEST_TOTAL_SHARDS", "4"), ("TEST_SHARD_STATUS_FILE", &status[..])];
    let (code, said) = shard(&house, &bazel);
    assert_eq!(code, Some(1), "{said}");
    assert!(house.path("status").exists());
    let error = house.refuse(&["merge", "job.toml", "--out", "out"]);
    assert!(error.contains("2 of 8 units are missing"), "{error}");
    assert_eq!(shard(&house, &[("PYROCLAST_FARM_SHARD", "2/4")]).0, Some(0));
    house.expect(1, &["merge", "job.toml", "--out", "out"]);
}

#[test]
fn missing_and_contradicting_shards_are_named() {
    let house = House::new("contradict");
    job(&house);
    let (code, said) = shard(&house, &[]);
    assert!(code == Some(2) && said.contains("which shard?"), "{said}");
    let mut command = house.command(&["shard", "1/4", "job.toml", "--out", "out"]);
    command.env("JOB_COMPLETION_INDEX", "2").env("PYROCLAST_FARM_SHARDS", "4");
    let output = command.output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("1/4") && said.contains("JOB_COMPLETION_INDEX") && said.contains("2/4"), "{said}");
    for wrong in ["4/4", "x/4", "1", "1/0", "-1/4"] {
        assert_eq!(
            house.farm(&["shard", wrong, "job.toml", "--out", "out"]).status.code(),
            Some(2),
            "{wrong}"
        );
    }
}

/// A reader that closes the pipe early is no error.
#[test]
fn a_closed_pipe_is_no_panic() {
    let house = House::new("pipe");
    job(&house);
    let line = format!("{} plan job.toml --shards 20000 | head -n 2", env!("CARGO_BIN_EXE_pyroclast-farm"));
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(house.path("")).output();
    let output = output.expect("a shell");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}

/// Streamed results are lines of JSON, one for each unit, then the summary.
#[test]
fn results_are_streamed() {
    let house = House::new("stream");
    job(&house);
    let text = house.expect(1, &["run", "job.toml", "--out", "out", "--workers", "2", "--json"]);
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 9, "{text}");
    let mut names: Vec<&str> =
        lines[..8].iter().map(|line| line["items"][0]["name"].as_str().expect("a name")).collect();
    names.sort_unstable();
    assert_eq!(names, (0..8).map(|seed| format!("seed-{seed}")).collect::<Vec<_>>());
    assert_eq!(lines[8]["counts"]["fail"], 1);
}

/// The simulator's efficiency with the times that a run recorded.
#[test]
fn recorded_times_are_simulated() {
    let house = House::new("simulate");
    job(&house);
    house.expect(1, &["run", "job.toml", "--out", "out", "--workers", "1", "--into", "into"]);
    let line = ["simulate", "into/times.json", "--workers", "100", "--items", "1000000", "--json"];
    let text =
        house.expect(0, &[&line[..], &["--unit-seconds", "1", "--batch", "1000", "--latency", "0"]].concat());
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let efficiency = found["efficiency"].as_f64().expect("a number");
    assert!((0.5..=1.0).contains(&efficiency), "{text}");
    assert_eq!(found["items"], 1_000_000);
    assert!(house.refuse(&["simulate", "job.toml", "--workers", "1"]).contains("times job.toml"));
}
