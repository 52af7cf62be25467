//! Captures of other tests of this binary replay with the same results, on every executor.
#![cfg(target_os = "linux")]

use pyro_capture::file::Capture;
use pyro_replay::Player;
use pyro_test_environment::{is_child, output_of_child};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Says to a child which capture it replays.
const REPLAY: &str = "PYRO_TEST_REPLAY";

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(path: &Path) -> Capture {
    Capture::read(File::open(path).expect("a capture is written")).expect("a capture")
}

/// Replays a capture in this process: what was compared.
fn replay(path: &Path) -> u64 {
    let capture = read(path);
    assert!(capture.summary.is_some(), "the capture is complete");
    // SAFETY: the driver's own lookup.
    let mut player = unsafe { Player::new(pyroclast_icd::get_instance_proc_addr) };
    let mut records = capture.records();
    while let Some(record) = records.next() {
        player.play(&record, &mut records.clone()).expect("the call is made again");
    }
    let counts = player.counts();
    let differences: Vec<String> = player.differences().iter().map(ToString::to_string).collect();
    assert_eq!(counts.different, 0, "{differences:#?}");
    assert!(counts.calls > 10 && counts.submissions > 0);
    drop(player);
    assert_eq!(pyroclast_icd::object_count(), 0, "the replay destroys what the capture left");
    counts.compared
}

/// Only as a child of [`replays`].
#[test]
fn replay_of_child() {
    if let Some(path) = std::env::var_os(REPLAY) {
        assert!(replay(Path::new(&path)) > 0, "nothing was compared");
    }
}

/// Captures a test and replays the capture in new processes.
fn replays(module: &str, test: &str) {
    replays_if(module, test, |_| {});
}

/// The same, for a capture that is looked at first.
fn replays_if(module: &str, test: &str, check: impl FnOnce(&Capture)) {
    if is_child() {
        return;
    }
    let name = format!("pyro-{}-{test}.pyro", std::process::id());
    let file = Temporary(std::env::temp_dir().join(name));
    let path = file.0.to_string_lossy().into_owned();
    let passes = |what: &str, output: std::process::Output| {
        let texts = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        let is_run = texts[0].contains("running 1 test");
        assert!(output.status.success() && is_run, "{what} of {module}::{test}: {}{}", texts[0], texts[1]);
    };
    let module = format!("{}::{module}", module_path!().split("::").next().unwrap_or_default());
    passes("capture", output_of_child(&module, test, &[("PYROCLAST_CAPTURE", &path)]));
    check(&read(&file.0));
    for cpu in ["", "avx2", "interpreter"] {
        let variables = [(REPLAY, path.as_str()), ("PYROCLAST_CPU", cpu)];
        passes("replay", output_of_child(module_path!(), "replay_of_child", &variables));
    }
}

/// Two instances, each with a device, take turns on one thread; the second makes its memory when the first
/// has
/// work behind it.
#[test]
fn instances_take_turns() {
    use pyro_test_kit::compute::{Compute, shader};
    use vulkanalia::prelude::v1_3::*;
    const DOUBLE: &str = "
        %place = OpAccessChain %word %buffer %uint_0 %gid
        %old = OpLoad %uint %place
        %new = OpIAdd %uint %old %old
        OpStore %place %new";
    let contexts = [0_u32, 1].map(|number| {
        let context = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
        let none = vk::DescriptorSetLayoutCreateFlags::empty();
        let set_layout = context.set_layout(none, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &shader(DOUBLE));
        let set = context.set(set_layout);
        let target = context.buffer(1);
        context.write(set, target.buffer);
        target.put(0, 5 + number);
        let run = || {
            context.run(|commands| unsafe {
                let point = vk::PipelineBindPoint::COMPUTE;
                context.device.cmd_bind_pipeline(commands, point, pipeline);
                context.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
                context.device.cmd_dispatch(commands, 1, 1, 1);
            });
        };
        run();
        assert_eq!(target.words(), [2 * (5 + number)]);
        target.put(0, 7 + number);
        run();
        assert_eq!(target.words(), [2 * (7 + number)]);
        (context, target)
    });
    drop(contexts);
}

macro_rules! replayed {
    ($($name:ident: $module:literal $test:literal;)*) => {$(
        #[test]
        fn $name() {
            replays($module, $test);
        }
    )*};
}

replayed! {
    compute_and_queues: "queues" "buffers_for_one_submission_run_again";
    descriptors: "descriptors" "any_index_chooses_a_descriptor";
    ray_queries: "rays" "candidates_are_decided_about";
    ray_pipelines: "ray_pipelines" "all_stages_run";
    pipeline_libraries: "ray_pipelines" "libraries_are_linked";
    indirect_copies: "indirect_copies" "indirect_copy_reads_commands_at_execution";
    tensors: "tensors" "shaders_read_and_write_elements";
}

#[test]
fn contents_of_both_instances_are_captured() {
    use pyro_capture::record::Record;
    replays_if("captures", "instances_take_turns", |capture| {
        let written = |record: Record<'_>| match record {
            Record::Write { bytes, .. } => Some(bytes[0]),
            _ => None,
        };
        let written: Vec<u8> = capture.records().filter_map(written).collect();
        assert_eq!(written, [5, 7, 6, 8], "what the program wrote, by either");
    });
}
