//! Live programs: stopped where a shader comes to a breakpoint, and let go on.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the Vulkan API

use super::client::Client;
use super::{Folder, SHADER, compile, text};
use pyro_test_environment::is_child;
use pyro_test_kit::compute::Compute;
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_3::*;

/// Where the program finds its shader, and says what it has done.
const FOLDER: &str = "LIVE_PROGRAM_FOLDER";
/// MiB that it has mapped besides; it writes a page of them before each submission.
const MAPPED: &str = "LIVE_PROGRAM_MAPPED_MIB";
/// How many submissions the program makes.
const SUBMISSIONS: &str = "LIVE_PROGRAM_SUBMISSIONS";

/// The program of the tests below: dispatches of the tests' shader on the same numbers again and again, each
/// with a line in a file once it is done: its number, and the first of the numbers then.
#[test]
fn dispatches_for_other_tests() {
    if !is_child() {
        return;
    }
    let folder = std::env::var(FOLDER).expect("a folder");
    let count: u32 = std::env::var(SUBMISSIONS).expect("a number").parse().expect("a number");
    let bytes = std::fs::read(Path::new(&folder).join("fine.spv")).expect("the module");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let mut progress = std::fs::File::create(Path::new(&folder).join("progress")).expect("a file");
    let compute = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let mapped: usize = std::env::var(MAPPED).map_or(0, |text| text.parse().expect("a number"));
    let mapped = (mapped > 0).then(|| compute.buffer(mapped << 18));
    let buffer = compute.buffer(16);
    (0..16).for_each(|index| buffer.put(index, (1.0 + index as f32).to_bits()));
    let set_layout = compute
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = compute.layout(&[set_layout]);
    let set = compute.set(set_layout);
    compute.write(set, buffer.buffer);
    let device = &compute.device;
    unsafe {
        let pipeline = compute.pipeline_of(layout, &words);
        for number in 0..count {
            if let Some(mapped) = &mapped {
                (0..1024).for_each(|word| mapped.put(1024 * (number as usize % 64) + word, number));
            }
            compute.run(|commands| {
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                // Two dispatches in a submission.
                device.cmd_dispatch(commands, 1, 1, 1);
                device.cmd_dispatch(commands, 1, 1, 1);
            });
            let first = f32::from_bits(buffer.words()[0]);
            writeln!(progress, "{number} {first}").expect("written");
        }
    }
}

/// The program's command, and the environment that makes it that program.
fn program<'a>(folder: &'a str, submissions: &'a str) -> (Vec<String>, [(&'static str, &'a str); 3]) {
    let own = std::env::current_exe().expect("this program").to_string_lossy().into_owned();
    let arguments = ["--exact", "debug::live::dispatches_for_other_tests", "--nocapture", "--test-threads=1"];
    let command = std::iter::once(own).chain(arguments.map(str::to_owned)).collect();
    (command, [("PYRO_TEST_CHILD", "1"), (FOLDER, folder), (SUBMISSIONS, submissions)])
}

/// A folder with the compiled shader.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let [shader, module] = ["fine.wgsl", "fine.spv"].map(|name| folder.path(name));
    std::fs::write(&shader, SHADER).expect("a file");
    compile(&shader, &module);
    folder
}

/// The folder and the command of a program that makes so many submissions, and a client whose debugger starts
/// it.
fn live(name: &str, submissions: &str) -> (Folder, Vec<String>, Client) {
    let folder = folder(name);
    let root = folder.0.to_string_lossy().into_owned();
    let (command, environment) = program(&root, submissions);
    let client = Client::start_with(&[], &environment);
    (folder, command, client)
}

/// How many submissions the program has got behind it.
fn done(folder: &Folder) -> usize {
    std::fs::read_to_string(folder.path("progress")).map_or(0, |text| text.lines().count())
}

/// Begins, up to the end of the configuration.
fn begin(client: &mut Client, launch: serde_json::Value, set: impl FnOnce(&mut Client)) {
    client.request("initialize", json!({ "linesStartAt1": true }));
    client.request("launch", launch);
    client.event("initialized");
    set(client);
    client.request("configurationDone", json!({}));
}

#[test]
fn a_live_program_waits_at_a_breakpoint_and_goes_on() {
    let (folder, command, mut client) = live("live", "3");
    begin(&mut client, json!({ "command": command }), |client| {
        // No shader is there yet.
        let set = client.break_at(json!([{ "line": 26 }]));
        assert_eq!(set["breakpoints"][0]["verified"], false, "{set}");
    });
    let stop = client.event("stopped");
    assert_eq!(stop["reason"], "breakpoint");
    let placed = client.event("breakpoint");
    assert_eq!(
        (&placed["breakpoint"]["verified"], &placed["breakpoint"]["line"]),
        (&json!(true), &json!(26))
    );
    // The program waits in its first submission, whatever is looked at meanwhile.
    assert_eq!((client.line(), client.value("result")), (26, "8.5".to_owned()));
    client.go("stepBack");
    assert_eq!((client.line(), client.value("other")), (25, "8.0".to_owned()));
    client.go("next");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(done(&folder), 0);
    let events = client.request("pyroclast/events", json!({}));
    assert_eq!(events["events"].as_array().map(Vec::len), Some(2));
    // The other dispatch of the submission: the program still waits.
    client.go("continue");
    let second = client.value("result");
    assert_eq!((done(&folder), second != "8.5", client.line()), (0, true, 26));
    // Its next submission.
    client.go("continue");
    assert_eq!((done(&folder), client.line()), (1, 26));
    assert_ne!(client.value("result"), second);
    client.break_at(json!([]));
    client.request("continue", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    client.event("terminated");
    assert_eq!(done(&folder), 3);
    client.end();
}

/// A program with much mapped memory, of which it writes little, is captured at little cost: the kernel says
/// what was written, where it can.
#[test]
fn mapped_memory_that_stays_costs_little() {
    let folder = folder("mapped");
    let root = folder.0.to_string_lossy().into_owned();
    let (command, environment) = program(&root, "200");
    let time = |capture: Option<&str>| {
        let start = Instant::now();
        let mut child = Command::new(&command[0]);
        child.args(&command[1..]).envs(environment).env(MAPPED, "64");
        let output = child.envs(capture.map(|file| ("PYROCLAST_CAPTURE", file))).output().expect("it runs");
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        start.elapsed()
    };
    let file = folder.path("mapped.pyro");
    let (plain, captured) = (time(None), time(Some(&file)));
    println!("200 submissions beside 64 MiB of mapped memory: {plain:?}, captured {captured:?}");
    // A page for each, and what is around it.
    let bytes = std::fs::metadata(&file).expect("the capture").len();
    assert!(bytes < 2 << 20, "{bytes} bytes");
    let output = super::pyroclast(&["replay", &file]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn a_live_program_is_paused_and_ended() {
    let (folder, command, mut client) = live("paused", "1000000");
    let target = json!({ "workgroup": [0, 0, 0], "local": [2, 0, 0] });
    begin(&mut client, json!({ "command": command, "target": target, "stopOnEntry": true }), |_| {});
    client.event("stopped");
    assert_eq!((done(&folder), client.value("local")), (0, "2".to_owned()));
    // Nothing but a breakpoint stops what is not the target: a condition that never holds does not.
    client.request("pyroclast/target", json!({ "local": [3, 0, 0] }));
    client.event("stopped");
    client.break_at(json!([{ "line": 26, "condition": "result < 0.0" }]));
    client.request("continue", json!({}));
    while done(&folder) < 5 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(client.try_request("stackTrace", json!({})).is_err());
    assert_eq!(client.request("threads", json!({}))["threads"][0]["name"], "the program");
    client.request("pause", json!({ "threadId": 1 }));
    client.event("stopped");
    let stopped_at = done(&folder);
    assert_eq!(client.value("local"), "3");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(done(&folder), stopped_at);
    // It does not outlive the session.
    client.end();
    let stopped_at = done(&folder);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(done(&folder), stopped_at);
}

/// What is changed in the debugger is what the program goes on with.
#[test]
fn a_changed_variable_is_changed_in_the_program() {
    let (folder, command, mut client) = live("changed", "3");
    begin(&mut client, json!({ "command": command }), |client| {
        client.break_at(json!([{ "line": 26, "condition": "local == 2u" }]));
    });
    client.event("stopped");
    // The second dispatch: nothing behind it in the submission.
    client.go("continue");
    assert_eq!((client.line(), client.value("local"), done(&folder)), (26, "2".into(), 0));
    client.request("setExpression", json!({ "expression": "result", "value": "1000.0" }));
    client.event("stopped");
    client.go("continue");
    assert_eq!((client.value("item.weight"), done(&folder)), ("1000.0".into(), 1));
    // Others have what they would have had.
    assert_ne!(client.value("result"), "1000.0");
    client.end();
}

/// So is an element of a buffer that no invocation writes to: the next submission finds it.
#[test]
fn a_changed_buffer_is_changed_in_the_program() {
    let (folder, command, mut client) = live("changed-buffer", "3");
    begin(&mut client, json!({ "command": command }), |client| {
        client.break_at(json!([{ "line": 26, "condition": "local == 2u" }]));
    });
    client.event("stopped");
    client.go("continue");
    assert_eq!((client.value("data[15]"), done(&folder)), ("16.0".to_owned(), 0));
    client.request("setExpression", json!({ "expression": "data[15]", "value": "500.0" }));
    client.event("stopped");
    assert_eq!(client.value("data[15]"), "500.0");
    client.go("continue");
    assert_eq!(
        (client.value("data[15]"), client.value("data[14]"), done(&folder)),
        ("500.0".into(), "15.0".into(), 1)
    );
    client.end();
}

/// The first of the numbers behind each submission.
fn firsts(folder: &Folder) -> Vec<f32> {
    let text = std::fs::read_to_string(folder.path("progress")).unwrap_or_default();
    text.lines().filter_map(|line| line.split(' ').nth(1)?.parse().ok()).collect()
}

/// A shader that is reloaded is the program's from then on, in pipelines that it has made long ago.
#[test]
fn a_reloaded_shader_runs_in_the_program() {
    let (folder, command, mut client) = live("reloaded", "6");
    let path = folder.path("fine.wgsl");
    begin(&mut client, json!({ "command": command }), |client| {
        client.break_at(json!([{ "line": 26 }]));
    });
    client.event("stopped");
    // The second submission.
    client.go("continue");
    client.go("continue");
    assert_eq!((client.line(), firsts(&folder).len()), (26, 1));
    let old = client.value("result");

    // What does not compile, or does not fit the program's layout, changes nothing.
    let reload = |client: &mut Client, source: &str| {
        std::fs::write(&path, source).expect("a file");
        client.try_request("pyroclast/reload", json!({ "path": path }))
    };
    let error =
        reload(&mut client, &SHADER.replace("both * 2.0", "both * nothing")).expect_err("no such name");
    assert!(error.contains("nothing"), "{error}");
    let error =
        reload(&mut client, &SHADER.replace("@binding(0)", "@binding(5)")).expect_err("no such binding");
    assert!(
        error.contains("the program keeps its shader")
            && error.contains("VUID-VkComputePipelineCreateInfo-layout-07988"),
        "{error}"
    );
    assert_eq!((client.line(), client.value("result")), (26, old));

    // A line is added, too.
    let new = SHADER.replace("both.y * 0.5;", "both.y * 0.5;\n    result = 1234.0;");
    reload(&mut client, &new).expect("it is reloaded");
    client.event("stopped");
    let told = client.event("output")["output"].to_string();
    assert!(told.contains("the program goes on with the shader"), "{told}");
    assert_eq!((client.line(), firsts(&folder).len()), (26, 1));
    client.go("next");
    assert_eq!((client.line(), client.value("result")), (27, "1234.0".to_owned()));
    // The next submission, which the program runs by itself; its lines are those of the new source.
    client.break_at(json!([{ "line": 27 }]));
    while firsts(&folder).len() < 3 {
        client.go("continue");
    }
    assert_eq!((client.line(), client.value("result")), (27, "1234.0".to_owned()));
    // Once more, from the shader that was reloaded.
    reload(&mut client, &new.replace("1234.0", "4321.0")).expect("it is reloaded");
    client.event("stopped");
    assert_eq!(client.value("result"), "4321.0");
    client.break_at(json!([]));
    client.request("continue", json!({}));
    assert_eq!(client.event("exited")["exitCode"], 0);
    let firsts = firsts(&folder);
    // What the submission leaves at which it was reloaded is the new shader's.
    assert_eq!((firsts[0] != 1234.0, &firsts[1..]), (true, &[1234.0, 1234.0, 4321.0, 4321.0, 4321.0][..]));
    client.end();
}

/// A stop begins at the state before its submission, not at the program's start.
#[test]
fn stops_begin_at_checkpoints() {
    let (folder, command, mut client) = live("checkpoints", "1000000");
    begin(&mut client, json!({ "command": command }), |_| {});
    let mut submissions = 0;
    for last in [false, false, true] {
        while done(&folder) < submissions + 700 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let start = Instant::now();
        client.request("pause", json!({ "threadId": 1 }));
        client.event("stopped");
        submissions = done(&folder);
        println!("a stop behind {submissions} submissions: {:?}", start.elapsed());
        assert!(client.value("data[0]").parse::<f32>().is_ok());
        if last {
            has_checkpoint(&mut client, submissions);
        }
        client.request("continue", json!({}));
    }
    client.end();
}

/// That a replay can begin at one: none is kept after results that were not those of the program.
fn has_checkpoint(client: &mut Client, submissions: usize) {
    let body = client.request("pyroclast/events", json!({}));
    let (checkpoints, events) = (&body["checkpoints"], body["events"].as_array().expect("events"));
    let newest = checkpoints.as_array().and_then(|all| all.last()?.as_u64());
    let newest = newest.unwrap_or_else(|| panic!("no checkpoint: {checkpoints}"));
    let last = events.last().expect("an event")["submission"].as_u64().expect("a number");
    assert!(newest > 0 && newest <= last, "{newest} {last}");
    assert!(events.len() >= 2 * submissions, "{} events, {submissions} submissions", events.len());
}

/// The same of what a program has done: the event of a late submission is gone to without those before.
#[test]
fn captures_have_checkpoints() {
    const COUNT: usize = 2500;
    let folder = folder("capture-checkpoints");
    let root = folder.0.to_string_lossy().into_owned();
    let count = COUNT.to_string();
    let (command, environment) = program(&root, &count);
    let file = folder.path("checkpoints.pyro");
    let mut child = Command::new(&command[0]);
    let output = child
        .args(&command[1..])
        .envs(environment)
        .env("PYROCLAST_CAPTURE", &file)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let mut client = Client::start(&[&file]);
    let start = Instant::now();
    let last = 2 * COUNT - 1;
    let target = |event: usize| json!({ "event": event, "workgroup": [0, 0, 0], "local": [1, 0, 0] });
    client.launch(json!({ "target": target(last), "stopOnEntry": true }), |_| {});
    println!("a stop in the last of {COUNT} submissions: {:?}", start.elapsed());
    has_checkpoint(&mut client, COUNT);
    let value = client.value("data[1]");
    let start = Instant::now();
    client.request("pyroclast/target", target(last / 2));
    client.event("stopped");
    println!("another in the middle: {:?}", start.elapsed());
    client.request("pyroclast/target", target(last));
    client.event("stopped");
    assert_eq!(client.value("data[1]"), value);
    client.end();
}

#[test]
fn a_condition_holds_in_another_invocation() {
    let (folder, command, mut client) = live("condition", "1");
    begin(&mut client, json!({ "command": command }), |client| {
        client.break_at(json!([{ "line": 26, "condition": "local == 6u" }]));
    });
    client.event("stopped");
    assert_eq!((client.value("local"), done(&folder)), ("6".to_owned(), 0));
    client.end();
}

#[test]
fn the_terminal_halts_a_live_program() {
    let folder = folder("terminal-live");
    let root = folder.0.to_string_lossy().into_owned();
    let (command, environment) = program(&root, "2");
    let mut child = Command::new(env!("CARGO_BIN_EXE_pyroclast"))
        .args(["debug", "--terminal", "--"])
        .args(&command)
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let commands = "break fine.wgsl:26\nrun\nprint result\ncontinue\nprint result\ndelete\ncontinue\n";
    child.stdin.take().expect("its input").write_all(commands.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{printed}{}", text(&output.stderr));
    for expected in [
        "breakpoint 1 at fine.wgsl:26, once a shader has it",
        "breakpoint 1 is placed at line 26",
        "breakpoint 1, compute workgroup (0, 0, 0) local (0, 0, 0), main at fine.wgsl:26",
        "result = 8.5",
        "the program has ended with 0",
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}");
    }
    assert_eq!(done(&folder), 2);
}
