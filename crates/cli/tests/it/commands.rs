//! The command as a person uses it: shaders through the driver's own entry points, and other programs through
//! the system's loader.

use std::path::PathBuf;
use std::process::{Command, Output};

fn pyroclast(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pyroclast")).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of this test's own in the temporary folder.
fn file(name: &str, contents: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pyroclast-test-{}-{name}", std::process::id()));
    std::fs::write(&path, contents).expect("a file in the temporary folder");
    path
}

#[test]
fn a_shader_runs_on_literals() {
    let shader = file(
        "scale.wgsl",
        "override factor: f32 = 2.0;
         @group(0) @binding(0) var<storage, read_write> data: array<f32>;
         @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
             if id.x < arrayLength(&data) { data[id.x] = data[id.x] * 2.0 + f32(id.x); }
         }",
    );
    let path = shader.to_str().expect("a readable path");
    let output = pyroclast(&[
        "run",
        path,
        "--groups",
        "2",
        "--buffer",
        "0.0=f32:1,2.5,-3,4,5,6",
        "--print",
        "0.0=f32",
    ]);
    let _ = std::fs::remove_file(&shader);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim(), "0.0: 2.0 6.0 -4.0 11.0 14.0 17.0");
}

#[test]
fn a_bad_shader_is_an_error_that_says_why() {
    let shader = file("broken.spv", "SPIR-V this is not. ");
    let output = pyroclast(&["run", shader.to_str().expect("a readable path")]);
    let _ = std::fs::remove_file(&shader);
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("broken.spv: "), "{}", text(&output.stderr));
    assert!(!pyroclast(&["run", "/no/such/shader.comp"]).status.success());
}

#[test]
fn the_demo_renders_a_picture() {
    let picture = file("demo.png", "");
    let path = picture.to_str().expect("a readable path");
    let output = pyroclast(&["demo", "--width", "64", "--height", "36", "--frames", "1", "--output", path]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let decoder =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&picture).expect("the picture")));
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut pixels).expect("pixels");
    let _ = std::fs::remove_file(&picture);
    assert_eq!(pixels.len(), 64 * 36 * 4);
    let brightest = pixels.chunks_exact(4).map(|pixel| pixel[0]).max();
    let distinct: std::collections::BTreeSet<&[u8]> = pixels.chunks_exact(4).collect();
    assert!(brightest > Some(150) && distinct.len() > 300, "{brightest:?} {}", distinct.len());
}

#[test]
fn info_is_json() {
    let output = pyroclast(&["info", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(info["name"], "Pyroclast");
    assert_eq!(info["limits"]["max_compute_work_group_invocations"], 1024);
    assert_eq!(info["features"]["1.2"]["timeline_semaphore"], true);
    assert_eq!(info["features"]["1.0"]["geometry_shader"], true);
    assert_eq!(info["features"]["1.1"]["protected_memory"], false);
}

/// Through the system's loader, where it and `vulkaninfo` are installed.
#[test]
fn vulkaninfo_lists_the_device() {
    if Command::new("vulkaninfo").arg("--help").output().is_err() {
        pyro_test_environment::skip!(pyro_test_environment::Need::Package("vulkaninfo"));
    }
    let output = pyroclast(&["exec", "--", "vulkaninfo", "--summary"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(said.contains("deviceName         = Pyroclast"), "{said}");
    assert!(said.contains("driverName         = Pyroclast"), "{said}");
}

#[test]
fn exec_passes_on_the_exit_code() {
    assert_eq!(pyroclast(&["exec", "--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    assert_eq!(pyroclast(&["exec", "--", "/no/such/program"]).status.code(), Some(125));
}
