//! Tests that are captured in a process of their own, and replayed in others, on every executor.
#![cfg(target_os = "linux")]

use pyro_capture::file::Capture;
use pyro_capture::record::Record;
use pyro_replay::Player;
use pyro_test_environment::{is_child, output_of_child};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Says to a child which capture it replays.
const REPLAY: &str = "PYRO_TEST_REPLAY";

/// Rounds of tests that repeat something: each submission of a capture is compared.
const ROUNDS: &str = "5";

/// How often a test is captured until the capture has results to compare.
const CAPTURES_MAX: u32 = 10;

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
    pyroclast_icd::keep_dropped_attachments();
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

/// Captures a test of this binary, and replays the capture in new processes.
pub(crate) fn replays(module: &str, test: &str) {
    replays_if(module, test, |_| {});
}

/// The same, for a capture that is looked at first.
pub(crate) fn replays_if(module: &str, test: &str, check: impl FnOnce(&Capture)) {
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
    // What changes while another thread runs, if only that of the tests, is recorded, and not compared.
    for _ in 0..CAPTURES_MAX {
        let variables = [("PYROCLAST_CAPTURE", path.as_str()), ("PYRO_ROUNDS", ROUNDS)];
        passes("capture", output_of_child(&module, test, &variables));
        if read(&file.0)
            .records()
            .any(|record| matches!(record, Record::Seen { .. } | Record::Presented { .. }))
        {
            break;
        }
    }
    check(&read(&file.0));
    for cpu in ["", "avx2", "interpreter"] {
        let variables = [(REPLAY, path.as_str()), ("PYROCLAST_CPU", cpu)];
        passes("replay", output_of_child(module_path!(), "replay_of_child", &variables));
    }
}

macro_rules! replayed {
    ($($name:ident: $module:literal $test:literal;)*) => {$(
        #[test]
        fn $name() {
            $crate::replayed::replays($module, $test);
        }
    )*};
}
pub(crate) use replayed;
