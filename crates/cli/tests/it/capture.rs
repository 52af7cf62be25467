//! `pyroclast capture`, `replay` and `info CAPTURE`: of this program itself, whose driver is in its process.

use crate::support::{Folder, pyroclast, text};
use std::path::Path;

const SHADER: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<f32>;
    @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.x < arrayLength(&data) { data[id.x] = data[id.x] * 3.0; }
    }";

/// Captures a run of a shader.
fn capture(folder: &Path) -> String {
    let [shader, file] =
        ["shader.wgsl", "run.pyro"].map(|name| folder.join(name).to_string_lossy().into_owned());
    std::fs::write(&shader, SHADER).expect("a file");
    let program = env!("CARGO_BIN_EXE_pyroclast");
    let run = ["run", &shader, "--groups", "2", "--buffer", "0.0=f32:1,2,3,4,5,6", "--print", "0.0=f32"];
    let output = pyroclast(&[&["capture", "-o", &file, "--", program][..], &run].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).trim(), "0.0: 3.0 6.0 9.0 12.0 15.0 18.0");
    file
}

#[test]
fn a_capture_replays_with_the_same_results() {
    let folder = Folder::new("replay");
    let file = capture(&folder.0);
    for _ in 0..2 {
        let output = pyroclast(&["replay", &file, "--json", "--loop", "1"]);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        let counts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(counts["submissions"], 1);
        assert_eq!(counts["different"], 0);
        assert!(counts["compared"].as_u64() > Some(0));
    }
    assert!(pyroclast(&["replay", &file, "--loop", "3"]).status.success(), "addresses can be used again");
    let info = pyroclast(&["info", &file, "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    assert_eq!(info["commands"]["vkCmdDispatchBase"], 1);
    assert_eq!(info["complete"], true);
    assert_eq!(info["facts"]["program"], "pyroclast");
}

/// Who comes first gets the first place of the list: in a fixed order it is the same in every replay.
#[test]
fn a_fixed_order_is_the_same_in_replays() {
    let folder = Folder::new("order");
    let [shader, file] = ["append.wgsl", "order.pyro"].map(|name| folder.0.join(name).display().to_string());
    let append = "
        struct List { count: atomic<u32>, entries: array<u32> }
        @group(0) @binding(0) var<storage, read_write> list: List;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let place = atomicAdd(&list.count, 1);
            list.entries[place] = id.x;
        }";
    std::fs::write(&shader, append).expect("a file");
    let run =
        [env!("CARGO_BIN_EXE_pyroclast"), "run", &shader, "--groups", "4096", "--buffer", "0=zero:1048580"];
    let capture = ["capture", "--deterministic", "-o", &file, "--"];
    let output = pyroclast(&[&capture[..], &run].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    for _ in 0..3 {
        let output = pyroclast(&["replay", &file]);
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    }
    let info = pyroclast(&["info", &file, "--json"]);
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    assert_eq!(info["facts"]["order"], "fixed");
}

/// Contents that the program wrote are changed in a file that is written anew, so its digests fit.
#[test]
fn other_contents_are_noticed() {
    use pyro_capture::file::{Capture, Writer};
    use pyro_capture::record::Record;
    let folder = Folder::new("changed");
    let file = capture(&folder.0);
    let read = Capture::read(std::fs::File::open(&file).expect("the capture")).expect("a capture");
    let changed = folder.0.join("changed.pyro");
    let mut writer = Writer::new(std::fs::File::create(&changed).expect("a file")).expect("written");
    let mut count = 0;
    for record in read.records() {
        match record {
            Record::Write { memory, offset, bytes } => {
                let bytes: Vec<u8> = bytes.iter().map(|byte| byte ^ 1).collect();
                writer.append(&Record::Write { memory, offset, bytes: &bytes }).expect("written");
                count += 1;
            }
            record => writer.append(&record).expect("written"),
        }
    }
    writer.finish().expect("written");
    assert!(count > 0);
    let output = pyroclast(&["replay", &changed.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("are not those of the capture"));
}

/// Where the last block of a file starts: behind the header's 24 bytes, each block has 32 before what it
/// stores, whose length is the fourth word.
fn last_block(bytes: &[u8]) -> usize {
    let mut at = 24;
    loop {
        let stored: [u8; 4] = std::array::from_fn(|index| bytes[at + 12 + index]);
        let next = at + 32 + u32::from_le_bytes(stored) as usize;
        if next == bytes.len() {
            return at;
        }
        at = next;
    }
}

#[test]
fn damaged_captures_are_refused() {
    let folder = Folder::new("damaged");
    let file = capture(&folder.0);
    let bytes = std::fs::read(&file).expect("the capture");
    let damaged = folder.0.join("damaged.pyro");
    let path = damaged.to_string_lossy().into_owned();
    let mut flipped = bytes.clone();
    flipped[100] ^= 4;
    let cut = bytes[..bytes.len() - 10].to_vec();
    let open = bytes[..last_block(&bytes)].to_vec();
    let cases =
        [(flipped, "is damaged"), (cut, "ends inside"), (open, "has no end"), (Vec::new(), "not a capture")];
    for (contents, message) in cases {
        std::fs::write(&damaged, contents).expect("a file");
        let output = pyroclast(&["replay", &path]);
        assert_eq!(output.status.code(), Some(2));
        let errors = text(&output.stderr);
        assert!(errors.contains(message), "{message}: {errors}");
    }
    let missing = pyroclast(&["capture", "-o", &path, "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(125));
}

/// Bytes of records are changed behind the digests: a replay ends with a result or an error, never by a
/// signal.
#[test]
fn changed_records_never_crash_a_replay() {
    use pyro_capture::file::{Capture, Writer};
    use pyro_capture::record::{Call, Record};
    let folder = Folder::new("mutated");
    let file = capture(&folder.0);
    let read = Capture::read(std::fs::File::open(&file).expect("the capture")).expect("a capture");
    let changed = folder.0.join("mutated.pyro");
    let calls = read.records().filter(|record| matches!(record, Record::Call(_))).count();
    for victim in 0..calls {
        let mut writer = Writer::new(std::fs::File::create(&changed).expect("a file")).expect("written");
        let mut number = 0;
        for record in read.records() {
            let Record::Call(call) = &record else {
                writer.append(&record).expect("written");
                continue;
            };
            // Handles and pointers of one call become others.
            let mut parameters = call.parameters.to_vec();
            if number == victim {
                parameters.iter_mut().step_by(8).take(3).for_each(|byte| *byte ^= 1 + victim as u8 % 3);
            }
            number += 1;
            writer.append(&Record::Call(Call { parameters: &parameters, ..call.clone() })).expect("written");
        }
        writer.finish().expect("written");
        let output = pyroclast(&["replay", &changed.to_string_lossy()]);
        let code = output.status.code();
        assert!(matches!(code, Some(0..=2)), "call {victim}: {:?}{}", output.status, text(&output.stderr));
    }
}
