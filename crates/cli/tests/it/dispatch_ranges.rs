//! Dispatches in parts: `run --base`, and `farm` with slabs.

use crate::support::Folder;
use std::fs;
use std::path::Path;

/// One word for each workgroup: a sum over its invocations that depends on where it is in the whole dispatch.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
var<workgroup> total: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
    let mixed = (id.x * 747796405u + id.y * 277803737u + id.z) ^ (id.x >> 3u);
    atomicAdd(&total, mixed);
    workgroupBarrier();
    if local == 0u { sums[(group.z * 6u + group.y) * 5u + group.x] = atomicLoad(&total); }
}";

/// Workgroups in all, as the shader has them.
const GROUPS: [u32; 3] = [5, 6, 7];
const BYTES: usize = 5 * 6 * 7 * 4;

/// A folder with the shader.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("sums.wgsl", SHADER);
    folder
}

fn read(folder: &Folder, name: impl AsRef<Path>) -> Vec<u8> {
    fs::read(folder.0.join(name)).expect("a file")
}

/// Runs a part of the dispatch on the file's contents.
fn part(folder: &Folder, base: &str, groups: &str, from: &str, to: &str) {
    let buffer = format!("0.0={from}");
    let save = format!("0.0={to}");
    let line = ["run", "sums.wgsl", "--base", base, "--groups", groups, "--buffer", &buffer, "--save", &save];
    let output = folder.run(&line);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn parts_with_base_workgroups_are_the_whole_dispatch() {
    let folder = folder("base");
    part(&folder, "0", "5,6,7", &format!("zero:{BYTES}"), "whole");
    part(&folder, "0", "5,6,3", &format!("zero:{BYTES}"), "first");
    assert_ne!(read(&folder, "first"), read(&folder, "whole"));
    part(&folder, "0,0,3", "5,2,4", "file:first", "second");
    part(&folder, "0,2,3", "5,4,4", "file:second", "third");
    assert_eq!(read(&folder, "third"), read(&folder, "whole"));
}

#[test]
fn count_of_workgroups_and_a_base_do_not_go_together() {
    let folder = folder("count");
    let shader = SHADER.replace("group.z * 6u", "group.z * count.y").replace(
        "@builtin(local_invocation_index)",
        "@builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index)",
    );
    fs::write(folder.0.join("sums.wgsl"), shader).expect("the shader");
    part(&folder, "0", "5,6,7", &format!("zero:{BYTES}"), "whole");
    let buffer = format!("0.0=zero:{BYTES}");
    let output = folder.run(&["run", "sums.wgsl", "--base", "1", "--buffer", &buffer]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("NumWorkgroups"));
}

/// The farm's merged buffer is that of one dispatch, for any number of workers and size of slabs.
#[test]
fn merged_slabs_are_the_whole_dispatch() {
    let folder = folder("slabs");
    part(&folder, "0", "5,6,7", &format!("zero:{BYTES}"), "whole");
    for (slab, workers) in [(1, "1"), (2, "3"), (7, "2")] {
        let job = format!(
            "name = \"sums\"\n[[units]]\nname = \"sums\"\nkind = \"dispatch\"\nprogram = {:?}\n\
             shader = \"sums.wgsl\"\ngroups = {GROUPS:?}\nslab = {slab}\nbuffers = {{ \"0.0\" = \"zero:{BYTES}\" }}\n\
             outputs = [{{ buffer = \"0.0\", bytes_per_group = 4 }}]\n",
            env!("CARGO_BIN_EXE_pyroclast")
        );
        fs::write(folder.0.join("job.toml"), job).expect("the job");
        let (out, into) = (format!("out-{slab}"), format!("into-{slab}"));
        let output =
            folder.run(&["farm", "run", "job.toml", "--out", &out, "--workers", workers, "--into", &into]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(
            read(&folder, Path::new(&into).join("sums/0.0.bin")),
            read(&folder, "whole"),
            "slabs of {slab}"
        );
    }
}

/// A shader whose workgroups write elsewhere cannot be cut: the slab fails and says which byte it was.
#[test]
fn writes_outside_a_slab_are_found() {
    let folder = folder("outside");
    let shader = SHADER.replace("sums[(group.z", "sums[((6u - group.z)");
    fs::write(folder.0.join("sums.wgsl"), shader).expect("the shader");
    let job = format!(
        "name = \"sums\"\n[[units]]\nname = \"sums\"\nkind = \"dispatch\"\nprogram = {:?}\n\
         shader = \"sums.wgsl\"\ngroups = {GROUPS:?}\nbuffers = {{ \"0.0\" = \"zero:{BYTES}\" }}\n\
         outputs = [{{ buffer = \"0.0\", bytes_per_group = 4 }}]\n",
        env!("CARGO_BIN_EXE_pyroclast")
    );
    fs::write(folder.0.join("job.toml"), job).expect("the job");
    let line = ["farm", "run", "job.toml", "--out", "out", "--workers", "1", "--into", "into"];
    assert_eq!(folder.run(&line).status.code(), Some(1));
    let text = String::from_utf8(read(&folder, "into/results.txt")).expect("text");
    assert!(text.contains("'slab-0'..\n  Fail (buffer 0.0: byte 720 was written, outside"), "{text}");
    assert!(text.contains("'slab-3'..\n  Pass"), "{text}");
}
