//! Merged results: the same bytes for any number of workers.

use crate::house::House;

/// A job of all kinds but dispatches.
fn mixed(house: &House) {
    let cases: Vec<String> = (0..300)
        .map(|at| match at % 30 {
            7 => format!("group.fail.{at}"),
            11 => format!("group.skip.{at}"),
            _ => format!("group.{at}"),
        })
        .chain(["group.crash.one".to_owned(), "group.hang".to_owned()])
        .collect();
    house.write("cases.txt", &(cases.join("\n") + "\n# a comment\n\n"));
    house.program("tile", "#!/bin/sh\nprintf 'P6' > \"$3\"\nexec \"$PNG\" \"$1\" \"$2\" \"$3\"\n");
    house.write(
        "job.toml",
        r#"
name = "mixed"
timeout_seconds = 1

[[units]]
name = "cases"
kind = "cases"
program = "./deqp"
arguments = ["--deqp-caselist-file={list}"]
list = "cases.txt"
verdicts = "deqp"
batch = 20

[[units]]
name = "frames"
kind = "frames"
program = "./writer"
arguments = ["{frame}", "{output}/frame-{frame:04}.txt"]
count = 20
outputs = ["frame-{frame:04}.txt"]

[[units]]
name = "seeds"
kind = "seeds"
program = "sh"
arguments = ["-c", "test {seed} -lt 1040"]
first = 1000
count = 50
batch = 7
"#,
    );
}

#[test]
fn merged_results_are_equal_for_1_2_4_and_16_workers() {
    let house = House::new("equal");
    mixed(&house);
    let mut merged = Vec::new();
    for workers in ["1", "2", "4", "16"] {
        let (out, into) = (format!("out-{workers}"), format!("into-{workers}"));
        house.expect(1, &["run", "job.toml", "--out", &out, "--workers", workers, "--into", &into]);
        let mut files = house.files(&into);
        assert!(files.remove("times.json").is_some(), "times are recorded");
        merged.push(files);
    }
    assert_eq!(merged[0]["frames/frame-0007.txt"], b"contents of 7\n");
    assert_eq!(merged[0].len(), 4 + 19, "frame 13 fails: {:?}", merged[0].keys());
    for (at, other) in merged.iter().enumerate().skip(1) {
        assert!(*other == merged[0], "merged results {at} differ from those of one worker");
    }
    let text = String::from_utf8(merged[0]["results.txt"].clone()).expect("text");
    for part in [
        "Test case 'group.crash.one'..\n  Crash (SIGSEGV)\n",
        "Test case 'group.hang'..\n  Timeout (timeout)\n",
        "Test case 'group.7'..\n  Pass (fine)\n".replace("7", "8").as_str(),
        "Test case 'frame-13'..\n  Fail (exit code 9)\n",
        "Test case 'seed-1039'..\n  Pass (pass)\nTest case 'seed-1040'..\n  Fail (exit code 1)\n",
        "  fail:          21/372 (5.6%)\n",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

/// Shards that run one after the other, in another order, and with other cuts by recorded times, give the
/// same.
#[test]
fn shards_and_recorded_times_change_nothing() {
    let house = House::new("shards");
    mixed(&house);
    for shard in ["2/3", "0/3", "1/3"] {
        house.expect(0, &["shard", shard, "job.toml", "--out", "first"]);
    }
    house.expect(1, &["merge", "job.toml", "--out", "first", "--into", "first-into"]);
    let plan = |times: &[&str]| {
        let line = [&["plan", "job.toml", "--json"], times].concat();
        let plan: serde_json::Value = serde_json::from_str(&house.expect(0, &line)).expect("JSON");
        plan["units"].as_u64().expect("a count")
    };
    // The case that hangs takes a second: nothing stands beside it in a unit of a twentieth of a second.
    let text = std::fs::read_to_string(house.path("job.toml")).expect("the job");
    house.write("job.toml", &text.replace("timeout_seconds = 1", "timeout_seconds = 1\nunit_seconds = 0.05"));
    assert!(plan(&["--times", "first-into/times.json"]) > plan(&[]));
    let times = ["--times", "first-into/times.json"];
    let line = ["run", "job.toml", "--out", "second", "--workers", "3", "--into", "second-into"];
    house.expect(1, &[&line[..], &times].concat());
    for name in ["results.json", "results.txt", "results.sarif", "junit.xml"] {
        let [first, second] = ["first-into", "second-into"].map(|into| house.files(into)[name].clone());
        assert!(first == second, "{name} differs");
    }
}

/// A second run of all shards finds all records and runs nothing.
#[test]
fn shards_are_idempotent() {
    let house = House::new("idempotent");
    mixed(&house);
    let first = house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    assert!(first.contains(" 44 of 44 units run here"), "{first}");
    let before = house.files("out");
    let second = house.expect(0, &["shard", "0/1", "job.toml", "--out", "out", "--steal"]);
    assert!(second.contains(" 0 of 44 units run here"), "{second}");
    assert!(before == house.files("out"), "the second run changed the store");
}

/// Tiles are joined into the picture that a single tile would have been.
#[test]
fn tiles_are_joined() {
    let house = House::new("tiles");
    let pixel = |x: u32, y: u32| [(x * 3) as u8, (y * 5) as u8, (x ^ y) as u8];
    let write = |name: &str, x: u32, y: u32, width: u32, height: u32| {
        let file = std::fs::File::create(house.path(name)).expect("a file");
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        let pixels = (y..y + height).flat_map(|y| (x..x + width).flat_map(move |x| pixel(x, y)));
        let pixels: Vec<u8> = pixels.collect();
        encoder.write_header().expect("a header").write_image_data(&pixels).expect("pixels");
    };
    // The program copies tiles that were drawn before.
    for (x, y) in [0, 16, 32].into_iter().flat_map(|y| [0, 16, 32].map(|x| (x, y))) {
        write(&format!("tile-{x}-{y}.png"), x, y, 16.min(40 - x), 16.min(33 - y));
    }
    write("whole.png", 0, 0, 40, 33);
    house.program("copy", "#!/bin/sh\nexec cp \"$(dirname \"$0\")/tile-$1-$2.png\" \"$3\"\n");
    house.write(
        "job.toml",
        r#"
name = "tiles"
[[units]]
name = "picture"
kind = "tiles"
program = "./copy"
arguments = ["{x}", "{y}", "{output}/tile.png"]
size = [40, 33]
tile = [16, 16]
output = "tile.png"
"#,
    );
    house.expect(0, &["run", "job.toml", "--out", "out", "--workers", "3", "--into", "into"]);
    let pixels = |path: std::path::PathBuf| {
        let file = std::io::BufReader::new(std::fs::File::open(path).expect("a picture"));
        let mut reader = png::Decoder::new(file).read_info().expect("PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        pixels
    };
    assert!(pixels(house.path("into/picture/picture.png")) == pixels(house.path("whole.png")));
    // A tile of another size is refused by name.
    write("tile-16-16.png", 0, 0, 16, 15);
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "other"]);
    let error = house.refuse(&["merge", "job.toml", "--out", "other", "--into", "other-into"]);
    assert!(error.contains("tile-4") && error.contains("16 x 15 pixels"), "{error}");
}
