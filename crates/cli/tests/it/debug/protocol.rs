//! The protocol itself, other ways to speak it, and what it may take.

use super::client::Client;
use super::{Folder, capture};
use serde_json::json;
use std::time::{Duration, Instant};

#[test]
fn a_port_serves_as_standard_input_does() {
    let folder = Folder::new("port");
    let file = capture(&folder.0);
    let mut client = Client::connect(&[&file]);
    client.launch(json!({ "stopOnEntry": true }), |_| {});
    assert_eq!(client.frames()[0]["name"], "main");
    client.end();
}

#[test]
fn sources_come_with_the_module() {
    let folder = Folder::new("sources");
    let file = capture(&folder.0);
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "stopOnEntry": true }), |client| {
        let lines = json!({ "source": { "path": "fine.wgsl" }, "line": 14, "endLine": 18 });
        let lines = client.request("breakpointLocations", lines);
        let lines: Vec<u64> =
            lines["breakpoints"].as_array().unwrap().iter().filter_map(|one| one["line"].as_u64()).collect();
        assert!(lines.starts_with(&[15, 16]), "{lines:?}");
    });
    let sources = client.request("loadedSources", json!({}));
    let sources = sources["sources"].as_array().expect("sources").clone();
    let find =
        |ending: &str| sources.iter().find(|one| one["name"].as_str().unwrap().ends_with(ending)).cloned();
    let own = find("fine.wgsl").expect("the source");
    let text = client.request("source", json!({ "sourceReference": own["sourceReference"] }));
    assert_eq!(text["content"].as_str().map(str::trim_end), Some(super::SHADER.trim_end()));
    let listing = find(".spvasm").expect("the disassembly");
    let text = client.request("source", json!({ "sourceReference": listing["sourceReference"] }));
    assert!(text["content"].as_str().is_some_and(|text| text.contains("OpEntryPoint GLCompute")));
    client.end();
}

/// A loop of many rounds: a step within 50 ms, a thousand steps backwards within a second.
#[test]
fn steps_take_little_time() {
    let folder = Folder::new("time");
    let source = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(1) fn main() {
    var sum = 0.0;
    for (var i = 0; i < 2000; i++) {
        sum += data[0];
        sum *= 0.5;
    }
    data[0] = sum;
}
";
    let [shader, module, file] = ["loop.wgsl", "loop.spv", "loop.pyro"].map(|name| folder.path(name));
    std::fs::write(&shader, source).expect("a file");
    super::compile(&shader, &module);
    let run = ["run", &module, "--groups", "1", "--buffer", "0.0=f32:3", "--print", "0.0=f32"];
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let output = super::pyroclast(&[&["capture", "-o", &file, "--", program][..], &run].concat());
    assert!(output.status.success(), "{}", super::text(&output.stderr));
    let mut client = Client::start(&[&file]);
    client.launch(json!({}), |client| {
        let source = json!({ "path": "fine.wgsl" });
        client.request("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": 8 }] }));
    });
    let start = Instant::now();
    for _ in 0..1000 {
        client.go("stepBack");
    }
    let back = start.elapsed();
    let i: u32 = client.value("i").parse().expect("a number");
    assert!((1500..1900).contains(&i), "{i}");
    let start = Instant::now();
    client.go("next");
    assert_ne!(client.value("sum"), "?");
    let one = start.elapsed();
    println!("1,000 steps backwards: {back:?}; a step with a value: {one:?}");
    // Beside other work; alone both take a small part of it.
    assert!(back < Duration::from_secs(10) && one < Duration::from_secs(2), "{back:?} {one:?}");
    client.end();
}

#[test]
fn a_program_is_run_and_debugged() {
    let folder = Folder::new("program");
    capture(&folder.0);
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let module = folder.path("fine.spv");
    let buffer = "0.0=f32:1,2,3,4,5,6,7,8";
    let mut client = Client::start(&["--", program, "run", &module, "--groups", "1", "--buffer", buffer]);
    client.launch(json!({ "target": { "local": [2, 0, 0] } }), |client| {
        client.break_at(json!([{ "line": 26 }]));
    });
    assert_eq!(client.value("result"), "73.0");
    client.end();
    let mut client = Client::start(&[]);
    let command = json!([program, "run", module, "--groups", "1", "--buffer", buffer]);
    client.launch(json!({ "command": command, "stopOnEntry": true }), |_| {});
    assert_eq!(client.frames()[0]["name"], "main");
    client.end();
}
