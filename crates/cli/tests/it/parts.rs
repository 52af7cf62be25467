//! `pyroclast trim`, `export`, `reduce`, and what `replay` shows of images, of captures of the demo and of a
//! shader.

use crate::debug::stages::{capture_of, plain_draw};
use crate::support::{Folder, pyroclast, text};
use serde_json::Value;

/// Runs the program, which has to succeed; what it prints.
fn succeeds(arguments: &[&str]) -> String {
    let output = pyroclast(arguments);
    assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Captures the demo, small; its last submissions are frames.
fn capture_of_demo(folder: &Folder) -> String {
    let (file, picture) = (folder.path("demo.pyro"), folder.path("demo.png"));
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let demo = ["demo", "--frames", "3", "--width", "96", "--height", "54", "-o", &picture];
    succeeds(&[&["capture", "-o", &file, "--", program][..], &demo].concat());
    file
}

/// Captures a shader that changes two numbers of four.
fn capture_of_shader(folder: &Folder) -> String {
    let (shader, file) = (folder.path("shader.wgsl"), folder.path("shader.pyro"));
    let code = "
        @group(0) @binding(0) var<storage, read_write> data: array<f32>;
        @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            data[id.x] = data[id.x] * 3.0;
        }";
    std::fs::write(&shader, code).expect("a file");
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let run = ["run", &shader, "--groups", "1", "--buffer", "0.0=f32:1,2,3,4"];
    succeeds(&[&["capture", "-o", &file, "--", program][..], &run].concat());
    file
}

fn replayed(file: &str) -> Value {
    serde_json::from_str(&succeeds(&["replay", "--json", file])).expect("JSON")
}

fn size(path: &str) -> u64 {
    std::fs::metadata(path).expect("a file").len()
}

#[test]
fn the_demo_replays_with_the_same_results() {
    let folder = Folder::new("demo");
    let counts = replayed(&capture_of_demo(&folder));
    assert_eq!(counts["different"], 0);
    assert!(counts["compared"].as_u64() > Some(0), "{counts}");
}

#[test]
fn a_part_of_a_capture_gives_the_same_bits() {
    let folder = Folder::new("trim");
    let (file, part) = (capture_of_demo(&folder), folder.path("part.pyro"));
    let last = replayed(&file)["submissions"].as_u64().expect("a number") - 1;
    succeeds(&["trim", &file, "-o", &part, "--submissions", &last.to_string()]);
    let counts = replayed(&part);
    assert_eq!(counts["different"], 0);
    assert_eq!(counts["unknownHandles"], 0);
    assert!(counts["compared"].as_u64() > Some(0), "{counts}");
    let info: Value = serde_json::from_str(&succeeds(&["info", &part, "--json"])).expect("JSON");
    let whole: Value = serde_json::from_str(&succeeds(&["info", &file, "--json"])).expect("JSON");
    // One frame of three, without what made meshes and textures.
    assert_eq!(info["commands"]["vkCmdDrawIndexed"], 2);
    assert!(whole["commands"]["vkCmdDispatch"].as_u64() > info["commands"]["vkCmdDispatch"].as_u64());
    // What is in memory at its start is in the file: without it the results are others.
    assert!(info["memoryBytes"].as_u64() > Some(1 << 20), "{info}");
}

/// A replay begins at a submission: what is before it is restored, and only the rest is made, compared and
/// shown.
#[test]
fn a_replay_begins_at_a_submission() {
    let folder = Folder::new("replay-from");
    let file = capture_of_demo(&folder);
    let whole = replayed(&file);
    let count = whole["submissions"].as_u64().expect("a number");
    let last = (count - 1).to_string();
    let shown: Value =
        serde_json::from_str(&succeeds(&["replay", "--json", "--from", &last, &file])).expect("JSON");
    assert_eq!((&shown["submissions"], &shown["different"]), (&1.into(), &0.into()), "{shown}");
    assert!(shown["compared"].as_u64() > Some(0), "{shown}");
    assert!(shown["calls"].as_u64() < whole["calls"].as_u64(), "{shown}");
    // The images are those of the whole, in both formats.
    let images = |name: &str, arguments: &[&str]| {
        let into = folder.path(name);
        succeeds(&[&["replay", &file, "--images", &into][..], arguments].concat());
        into
    };
    let (part, all) = (images("part", &["--from", &last]), images("all", &[]));
    let mut same = 0;
    let sizes = |folder: &str| {
        let entries = std::fs::read_dir(folder).expect("the folder");
        let mut all: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        all.sort();
        all.into_iter().map(|path| std::fs::read(path).expect("an image")).collect::<Vec<_>>()
    };
    let in_all = sizes(&all);
    for image in sizes(&part) {
        same += usize::from(in_all.contains(&image));
    }
    assert!(same > 0 && same == sizes(&part).len(), "{same}");
    let pictures = images("pictures", &["--from", &last, "--image-format", "png"]);
    let is_png = |bytes: &Vec<u8>| bytes.starts_with(b"\x89PNG");
    assert!(sizes(&pictures).iter().all(is_png) && sizes(&pictures).len() == sizes(&part).len());
    for (arguments, message) in [
        (["--from", "999", "--to", "999"], "the capture has the submissions 0.."),
        (["--from", "2", "--to", "1"], "--from 2 is behind --to 1"),
    ] {
        let output = pyroclast(&[&["replay", &file][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}

#[test]
fn parts_that_are_not_there_are_refused() {
    let folder = Folder::new("no-part");
    let (file, part) = (capture_of_shader(&folder), folder.path("part.pyro"));
    for (arguments, message) in [
        (&["--submissions", "7"][..], "the capture has the submissions 0..0"),
        (&["--frames", "0"], "the capture has no frames"),
        (&["--label", "sky"], "no submission has the label \"sky\""),
        (&["--submissions", "3..1"], "the first is behind the last"),
        (&[], "say which part"),
    ] {
        let output = pyroclast(&[&["trim", &file, "-o", &part][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(message), "{arguments:?}: {}", text(&output.stderr));
    }
}

/// A dispatch becomes a test that passes, and that fails with another shader.
#[test]
fn an_event_becomes_a_test() {
    let folder = Folder::new("export");
    let (file, test) = (capture_of_shader(&folder), folder.path("test"));
    assert!(succeeds(&["export", &file, "--list"]).contains("vkCmdDispatch"));
    succeeds(&["export", &file, "--event", "0", "-o", &test]);
    assert!(succeeds(&["test", &test]).contains("1 passed"));
    let module = folder.path("test/module-0.spvasm");
    let code = std::fs::read_to_string(&module).expect("the module");
    assert!(code.contains("OpFMul"), "{code}");
    std::fs::write(&module, code.replace("OpFMul", "OpFAdd")).expect("a file");
    let output = pyroclast(&["test", &test]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("are not those of the capture"), "{}", text(&output.stdout));
    let missing = pyroclast(&["export", &file, "--event", "9", "-o", &test]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("1 events"), "{}", text(&missing.stderr));
}

/// A draw in the middle of a pass, with several samples and depth that the program does not keep.
#[test]
fn a_draw_of_the_demo_becomes_a_test() {
    let folder = Folder::new("export-draw");
    let (file, test) = (capture_of_demo(&folder), folder.path("test"));
    let list = succeeds(&["export", &file, "--list"]);
    // The land, behind the shadows.
    let draws: Vec<&str> = list.lines().filter(|line| line.contains("vkCmdDrawIndexed")).collect();
    let event = draws[draws.len() - 1].split_whitespace().next().expect("a number");
    succeeds(&["export", &file, "--event", event, "-o", &test]);
    let capture = folder.path("test/event.pyro");
    let info: Value = serde_json::from_str(&succeeds(&["info", &capture, "--json"])).expect("JSON");
    assert_eq!(info["commands"]["vkCmdDrawIndexed"], 1);
    assert_eq!(info["commands"]["vkCmdBeginRenderPass"], 1);
    assert!(info["commands"]["vkCmdDispatch"].is_null(), "{info}");
    let counts = replayed(&capture);
    assert!(counts["compared"].as_u64() > Some(0), "{counts}");
    assert_eq!(counts["different"], 0);
}

#[test]
fn a_reduced_capture_has_the_property_still() {
    let folder = Folder::new("reduce");
    let (file, small) = (capture_of_shader(&folder), folder.path("small.pyro"));
    // What the shader wrote.
    let digests = succeeds(&["replay", &file, "--digests", "--to", "0"]);
    let digest = digests.lines().find(|line| line.starts_with("memory ")).expect("a digest").to_owned();
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let property = ["--prints", &digest, "--", program, "replay", "{}", "--digests", "--to", "0"];
    succeeds(&[&["reduce", &file, "-o", &small][..], &property].concat());
    assert!(succeeds(&["replay", &small, "--digests"]).contains(&digest));
    let info: Value = serde_json::from_str(&succeeds(&["info", &small, "--json"])).expect("JSON");
    assert_eq!(info["commands"]["vkQueueSubmit"], 1);
    assert!(info["commands"]["vkWaitForFences"].is_null() && info["commands"]["vkQueueWaitIdle"].is_null());
    assert!(size(&small) < size(&file));
    let output = pyroclast(&["reduce", &file, "-o", &small, "--finding", "division-by-zero"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("does not give"), "{}", text(&output.stderr));
}

/// Three triangles are added up; the pixel stays only with all of them, and nothing of the rest is needed.
#[test]
fn a_pixel_stays_in_a_smaller_capture() {
    let folder = Folder::new("reduce-pixel");
    let (file, small) = (plain_draw(&folder), folder.path("small.pyro"));
    let pixel = |file: &str, image: &str| pyroclast(&["replay", file, "--pixel", "3,4", "--image", image]);
    let image =
        ["0", "1", "2"].into_iter().find(|image| pixel(&file, image).status.success()).expect("an image");
    let value = |file: &str| text(&pixel(file, image).stdout).lines().next().unwrap_or_default().to_owned();
    assert!(value(&file).starts_with("pixel (3, 4)"), "{}", value(&file));
    succeeds(&["reduce", &file, "-o", &small, "--pixel", "3,4", "--image", image]);
    assert_eq!(value(&small), value(&file));
    let info: Value = serde_json::from_str(&succeeds(&["info", &small, "--json"])).expect("JSON");
    assert_eq!((&info["commands"]["vkCmdDraw"], &info["commands"]["vkQueueSubmit"]), (&1.into(), &1.into()));
    assert!(size(&small) < size(&file));
}

#[test]
fn a_finding_stays_in_a_smaller_capture() {
    let folder = Folder::new("reduce-finding");
    let (file, small) = (capture_of(&folder, "finding"), folder.path("small.pyro"));
    succeeds(&["reduce", &file, "-o", &small, "--finding", "divide-by-zero"]);
    assert!(size(&small) < size(&file));
    let output = pyroclast(&["sanitize", "--", env!("CARGO_BIN_EXE_pyroclast"), "replay", &small]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("divide-by-zero") || text(&output.stderr).contains("divide-by-zero")
    );
}

/// Of a capture that replays without an error, nothing is needed; on two executors it gives the same.
#[test]
fn an_end_stays_and_equal_replays_do_not_differ() {
    let folder = Folder::new("reduce-end");
    let (file, small) = (capture_of_shader(&folder), folder.path("small.pyro"));
    succeeds(&["reduce", &file, "-o", &small, "--end"]);
    let info: Value = serde_json::from_str(&succeeds(&["info", &small, "--json"])).expect("JSON");
    assert!(info["commands"]["vkCmdDispatchBase"].is_null(), "{info}");
    let output = pyroclast(&["reduce", &file, "-o", &small, "--differs", "avx2,interpreter"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("do not differ"), "{}", text(&output.stderr));
}

#[test]
fn images_are_written_with_their_floats() {
    let folder = Folder::new("images");
    let (file, images) = (capture_of_demo(&folder), folder.path("images"));
    let list = succeeds(&["replay", &file, "--images", &images]);
    // The light before tone mapping: half floats of one sample.
    let light = list.lines().find(|line| line.contains("R16G16B16A16_SFLOAT") && line.contains("96x54"));
    let number = light.and_then(|line| line.split_whitespace().next()).expect("the image");
    let bytes = std::fs::read(folder.path(&format!("images/image-{number}.exr"))).expect("a file");
    assert_eq!(bytes[..4], [0x76, 0x2f, 0x31, 0x01], "the magic number of OpenEXR");
    let pixel = ["replay", &file, "--pixel", "48,20", "--image", number];
    let line = succeeds(&pixel);
    let value =
        line.lines().find_map(|line| line.split_once(&format!("image {number}: "))).expect("a value").1;
    let value: Vec<f32> = value.split(' ').map(|one| one.parse().expect("a number")).collect();
    assert_eq!(value.len(), 4);
    assert!(value.iter().all(|one| one.is_finite()) && value[..3].iter().any(|one| *one > 0.0), "{value:?}");
    let outside = pyroclast(&["replay", &file, "--pixel", "96,0", "--image", number]);
    assert_eq!(outside.status.code(), Some(2));
    assert!(text(&outside.stderr).contains("outside of image"));
}
