//! Frames as PNG and OpenEXR, and the video that merging makes of them.

use crate::house::House;
use pyro_test_environment::{Need, skip};
use std::process::Command;

const COUNT: u8 = 12;
const SIZE: [u32; 2] = [32, 24];

/// Pixels of a frame: all channels of all pixels differ from frame to frame.
fn pixels(frame: u8) -> Vec<u8> {
    let [width, height] = SIZE;
    let at = |x: u32, y: u32| [(x * 7) as u8 ^ frame, (y * 9) as u8 + frame, frame * 20];
    (0..height).flat_map(|y| (0..width).flat_map(move |x| at(x, y))).collect()
}

/// Frames that a program copies which drew them before: numbered from 5, a picture and a file beside it.
fn job(house: &House, video: &str) {
    for frame in 0..COUNT {
        let file = std::fs::File::create(house.path(&format!("drawn-{}.png", frame + 5))).expect("a file");
        let mut encoder = png::Encoder::new(file, SIZE[0], SIZE[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().expect("a header").write_image_data(&pixels(frame)).expect("pixels");
    }
    house.program(
        "copy",
        "#!/bin/sh\ncp \"$(dirname \"$0\")/drawn-$1.png\" \"$2\" && echo \"depth $1\" > \"$3\"\n",
    );
    house.write(
        "job.toml",
        &format!(
            r#"
name = "film"
[[units]]
name = "film"
kind = "frames"
program = "./copy"
arguments = ["{{frame}}", "{{output}}/a%b-{{frame:04}}.png", "{{output}}/depth-{{frame}}.exr"]
first = 5
count = {COUNT}
outputs = ["a%b-{{frame:04}}.png", "depth-{{frame}}.exr"]
{video}
"#
        ),
    );
}

fn has_ffmpeg() -> bool {
    Command::new("ffmpeg").arg("-version").output().is_ok_and(|output| output.status.success())
}

/// The video of any number of workers has the same bytes, and its frames are those that were drawn.
#[test]
fn merged_frames_become_a_video() {
    if !has_ffmpeg() {
        skip!(Need::Package("ffmpeg"));
    }
    let house = House::new("video");
    job(
        &house,
        r#"video = { file = "videos/film.mkv", rate = 12.5, arguments = ["-c:v", "ffv1", "-pix_fmt", "bgr0"] }"#,
    );
    let mut merged = Vec::new();
    for workers in ["1", "4"] {
        let (out, into) = (format!("out-{workers}"), format!("into-{workers}"));
        house.expect(0, &["run", "job.toml", "--out", &out, "--workers", workers, "--into", &into]);
        let mut files = house.files(&into);
        files.remove("times.json");
        merged.push(files);
    }
    assert!(merged[0] == merged[1], "the files differ");
    assert_eq!(merged[0]["film/depth-16.exr"], b"depth 16\n");
    let video = house.path("into-1/film/videos/film.mkv");
    let decoded = Command::new("ffmpeg")
        .args(["-nostdin", "-v", "error", "-i"])
        .arg(&video)
        .args(["-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        .output()
        .expect("ffmpeg");
    let expected: Vec<u8> = (0..COUNT).flat_map(pixels).collect();
    assert!(decoded.stdout == expected, "{} bytes of {}", decoded.stdout.len(), expected.len());
    let shown = Command::new("ffmpeg").arg("-i").arg(&video).output().expect("ffmpeg").stderr;
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(shown.contains("12.50 fps"), "{shown}");

    // What ffmpeg says is passed on, and the rest is there.
    job(&house, r#"video = { file = "film.mkv", arguments = ["-c:v", "no-such-codec"] }"#);
    let error = house.refuse(&["merge", "job.toml", "--out", "out-1", "--into", "wrong"]);
    assert!(
        error.contains("the video film.mkv of section film: ") && error.contains("no-such-codec"),
        "{error}"
    );
    assert!(house.path("wrong/film/a%b-0005.png").exists() && house.path("wrong/results.json").exists());

    // No video of frames that failed.
    job(&house, r#"video = { file = "film.mp4" }"#);
    std::fs::remove_file(house.path("drawn-9.png")).expect("a picture");
    house.expect(1, &["run", "job.toml", "--out", "failed", "--workers", "2", "--into", "failed-into"]);
    assert!(!house.path("failed-into/film/film.mp4").exists());
}

#[test]
fn a_machine_without_ffmpeg_says_so() {
    let house = House::new("video-without");
    job(&house, r#"video = { file = "film.mp4" }"#);
    house.expect(0, &["shard", "0/1", "job.toml", "--out", "out"]);
    let mut command = house.command(&["merge", "job.toml", "--out", "out", "--into", "into"]);
    let output = command.env("PATH", house.path("")).output().expect("runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("the video film.mp4 of section film needs the program ffmpeg"), "{error}");
}

#[test]
fn videos_of_nothing_are_refused() {
    let house = House::new("video-wrong");
    for (video, part) in [
        ("{ file = \"../a.mp4\" }", "is not a relative path"),
        ("{ file = \"a.mp4\", rate = 0 }", "rate: 0 is not in"),
        ("{ file = \"a.mp4\", pictures = \"b-{frame}.png\" }", "is not one of the outputs"),
        ("{ file = \"a.mp4\", speed = 2 }", "unknown field `speed`"),
    ] {
        job(&house, &format!("video = {video}"));
        let error = house.refuse(&["plan", "job.toml"]);
        assert!(error.contains(part), "{part}: {error}");
    }
    job(&house, "video = { file = \"a.mp4\" }");
    let text = std::fs::read_to_string(house.path("job.toml")).expect("the job").replace("frame", "seed");
    house.write("job.toml", &text);
    assert!(house.refuse(&["plan", "job.toml"]).contains("video: only frames make one"));
}
