//! `pyroclast debug`: the protocol spoken to the real program, and scripts of the terminal client.

mod client;
mod compute;
mod errors;
mod graphics;
mod images;
mod kernels;
mod live;
mod nodes;
mod protocol;
pub(crate) mod split;
pub(crate) mod stages;
mod terminal;

use crate::support::{Folder, pyroclast, text};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a script of the terminal client on a capture.
fn script(capture: &str, arguments: &[&str], commands: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["debug", "--terminal"])
        .args(arguments)
        .arg(capture)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    use std::io::Write as _;
    // A program with nothing to debug ends without a look at them.
    let _ = child.stdin.take().expect("its input").write_all(commands.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// The shader of the tests: lines are counted on.
const SHADER: &str = "\
struct Item { weight: f32, count: u32 }
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
var<workgroup> part: array<f32, 8>;
fn scale(x: f32, n: u32) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < n; i++) {
        sum += x * f32(i + 1u);
    }
    return sum;
}
@compute @workgroup_size(8) fn main(
    @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32,
) {
    var item: Item;
    item.weight = data[id.x];
    item.count = local % 3u + 1u;
    var both = vec2<f32>(item.weight, 1.0);
    if item.count > 2u {
        both = both * 2.0;
    }
    part[local] = both.x;
    workgroupBarrier();
    var other = part[7u - local];
    var result = scale(other, item.count);
    result = result + both.y * 0.5;
    data[id.x] = result;
}
";

/// What the shader makes of the numbers from 1 to 16.
const RESULTS: &str = "0.0: 8.5 21.5 73.0 5.5 12.5 37.0 2.5 3.5 16.5 45.5 169.0 13.5 36.5 133.0 10.5 27.5";

/// Captures a run of the shader on the numbers from 1 to 16, in two workgroups.
fn capture(folder: &Path) -> String {
    let [shader, file] =
        ["fine.wgsl", "run.pyro"].map(|name| folder.join(name).to_string_lossy().into_owned());
    std::fs::write(&shader, SHADER).expect("a file");
    let module = folder.join("fine.spv").to_string_lossy().into_owned();
    compile(&shader, &module);
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let numbers: Vec<String> = (1..=16).map(|number: u32| number.to_string()).collect();
    let buffer = format!("0.0=f32:{}", numbers.join(","));
    let run = ["run", &module, "--groups", "2", "--buffer", &buffer, "--print", "0.0=f32"];
    let output = pyroclast(&[&["capture", "-o", &file, "--", program][..], &run].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim(), RESULTS);
    file
}

/// Compiles WGSL with debug information.
fn compile(source: &str, module: &str) {
    let text = std::fs::read_to_string(source).expect("the source");
    let parsed = naga::front::wgsl::parse_str(&text).expect("WGSL");
    let flags = naga::valid::ValidationFlags::all();
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::all()).validate(&parsed);
    let options = naga::back::spv::Options {
        flags: naga::back::spv::WriterFlags::DEBUG | naga::back::spv::WriterFlags::LABEL_VARYINGS,
        debug_info: Some(naga::back::spv::DebugInfo {
            source_code: &text,
            file_name: "fine.wgsl",
            language: naga::back::spv::SourceLanguage::WGSL,
        }),
        ..naga::back::spv::Options::default()
    };
    let words = naga::back::spv::write_vec(&parsed, &info.expect("valid"), &options, None).expect("SPIR-V");
    let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    std::fs::write(module, bytes).expect("a file");
}
