//! Job files: what is wrong is named, and nothing is run.

use crate::house::House;

const GOOD: &str = r#"name = "job"
[[units]]
name = "cases"
kind = "cases"
program = "./deqp"
arguments = ["--deqp-caselist-file={list}"]
list = "cases.txt"
verdicts = "deqp"
"#;

const FRAMES: &str = r#"name = "job"
[[units]]
name = "frames"
kind = "frames"
program = "./writer"
arguments = ["{frame}"]
count = 3
outputs = ["{frame}.png"]
"#;

const DISPATCH: &str = r#"name = "job"
[[units]]
name = "grid"
kind = "dispatch"
shader = "cases.txt"
groups = [4, 4, 1]
buffers = { "0.0" = "zero:64" }
outputs = [{ buffer = "0.0", bytes_per_group = 4 }]
"#;

#[test]
fn mistakes_are_named() {
    let house = House::new("mistakes");
    house.write("cases.txt", "a\nb\n");
    house.write("twice.txt", "a\nb\na\n");
    house.write("empty.txt", "# nothing\n");
    house.write("control.txt", "a\u{7}\n");
    for good in [GOOD, FRAMES, DISPATCH] {
        house.write("job.toml", good);
        house.expect(0, &["plan", "job.toml"]);
    }
    for (base, from, to, said) in [
        (GOOD, "name = \"job\"", "name = \"../job\"", "not a name"),
        (GOOD, "name = \"job\"", "name = \"\"", "not a name"),
        (GOOD, "name = \"job\"", "", "missing field `name`"),
        (GOOD, "name = \"job\"", "name = \"job\"\nretries = 1000000", "retries"),
        (GOOD, "name = \"job\"", "name = \"job\"\ntimeout_seconds = -1", "timeout_seconds"),
        (GOOD, "name = \"job\"", "name = \"job\"\ntimeout_seconds = nan", "timeout_seconds"),
        (GOOD, "name = \"job\"", "name = \"job\"\ntimeout_seconds = 1e300", "timeout_seconds"),
        (GOOD, "name = \"job\"", "name = \"job\"\nunknown = 1", "unknown field `unknown`"),
        (GOOD, "kind = \"cases\"", "kind = \"case\"", "\"case\" is not one of"),
        (GOOD, "kind = \"cases\"", "kind = 7", "expected a string"),
        (GOOD, "verdicts = \"deqp\"", "verdicts = \"tap\"", "unknown variant `tap`"),
        (GOOD, "verdicts = \"deqp\"", "verdicts = \"deqp\"\nfirst = 1", "unknown field `first`"),
        (GOOD, "verdicts = \"deqp\"", "verdicts = \"exit-code\"", "`{list}`"),
        (GOOD, "cases.txt", "none.txt", "cannot read"),
        (GOOD, "cases.txt", "twice.txt", "line 3 of twice.txt: a a second time"),
        (GOOD, "cases.txt", "empty.txt", "names no case"),
        (GOOD, "cases.txt", "control.txt", "control character"),
        (GOOD, "cases.txt", "/dev/zero", "not a regular file"),
        (GOOD, "./deqp", "./none", "cannot read"),
        (GOOD, "{list}", "{lists}", "`{lists}` in"),
        (GOOD, "{list}", "{list", "brace"),
        (GOOD, "={list}", "", "would not know what to run"),
        (GOOD, "verdicts", "batch = 0\nverdicts", "batch"),
        (GOOD, "verdicts", "environment = { \"A=B\" = \"c\" }\nverdicts", "environment"),
        (GOOD, "[[units]]", "[units]", "sequence"),
        (GOOD, "[[units]]", "[[unit]]", "unit"),
        (FRAMES, "count = 3", "count = 0", "count: 0"),
        (FRAMES, "count = 3", "count = 18446744073709551615", "count"),
        (FRAMES, "count = 3", "count = 3\nfirst = 9223372036854775807", ""),
        (FRAMES, "count = 3", "count = -3", "invalid value"),
        (FRAMES, "\"{frame}.png\"", "\"../{frame}.png\"", "relative path"),
        (FRAMES, "\"{frame}.png\"", "\"/tmp/{frame}.png\"", "relative path"),
        (FRAMES, "\"{frame}.png\"", "\"frame.png\"", "all would have one name"),
        (FRAMES, "[\"{frame}.png\"]", "[]", "frames have some"),
        (FRAMES, "[\"{frame}.png\"]", "[\"{frame}\", \"{frame}\"]", "one name twice"),
        (DISPATCH, "[4, 4, 1]", "[4, 0, 1]", "groups"),
        (DISPATCH, "[4, 4, 1]", "[4294967295, 4294967295, 4294967295]", "groups"),
        (DISPATCH, "[4, 4, 1]", "[4, 4, 2]", "has 64 bytes"),
        (DISPATCH, "per_group = 4", "per_group = 0", "bytes_per_group"),
        (DISPATCH, "per_group = 4", "per_group = 18446744073709551615", "bytes_per_group"),
        (DISPATCH, "buffer = \"0.0\"", "buffer = \"0.1\"", "not in `buffers`"),
        (DISPATCH, "zero:64", "zero:1e9", "zero:BYTES or file:PATH"),
        (DISPATCH, "zero:64", "f32:1", "zero:BYTES or file:PATH"),
        (DISPATCH, "\"0.0\" =", "\"x\" =", "not SET.BINDING"),
        (DISPATCH, "groups", "slab = 0\ngroups", "slab"),
    ] {
        assert!(base.contains(from), "{from}");
        house.write("job.toml", &base.replacen(from, to, 1));
        if said.is_empty() {
            house.expect(0, &["plan", "job.toml"]);
            continue;
        }
        let error = house.refuse(&["shard", "0/1", "job.toml", "--out", "out"]);
        assert!(error.contains(said) && error.contains("job file job.toml"), "{to}: {error}");
    }
    assert!(!house.path("out").exists(), "nothing was written");
}

/// Bytes of any kind give an error, never a panic.
#[test]
fn mutated_job_files_do_not_panic() {
    let house = House::new("mutated");
    house.write("cases.txt", "a\nb\n");
    house.write("shader", "");
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let rounds = pyro_test_environment::number("PYRO_MUTATIONS", 3000u64);
    let directory = house.path("");
    let mut refused = 0;
    for round in 0..rounds {
        let mut bytes = [GOOD, FRAMES, DISPATCH][round as usize % 3].as_bytes().to_vec();
        for _ in 0..1 + next(4) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = next(128) as u8,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, b"0123456789{}[]\"=.-"[next(18)]),
                _ => {
                    let end = (at + next(20)).min(bytes.len());
                    let part = bytes[at..end].to_vec();
                    let place = next(bytes.len());
                    bytes.splice(place..place, part);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        refused += u64::from(pyro_farm::job::Job::parse(&text, &directory).is_err());
    }
    assert!(refused * 2 > rounds && refused < rounds, "{refused} of {rounds} refused");
}
