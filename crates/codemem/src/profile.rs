//! Names of generated code for profilers and debuggers.
//!
//! * `PYROCLAST_PERF=1` appends each function to `/tmp/perf-PID.map`, which `perf report` reads.

use pyro_util::sync::Mutex;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;

/// Keeps a function's registration; nothing has to be undone for `perf` maps, which are only appended to.
#[derive(Debug, Default)]
pub(crate) struct Name(());

/// The map file when profiles are wanted.
fn perf_map() -> Option<&'static Mutex<File>> {
    static MAP: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    MAP.get_or_init(|| {
        if !pyro_util::config::get().perf {
            return None;
        }
        let path = std::env::temp_dir().join(format!("perf-{}.map", std::process::id()));
        OpenOptions::new().create(true).append(true).open(path).ok().map(Mutex::new)
    })
    .as_ref()
}

/// Tells tools that `code` is the function `name`.
pub(crate) fn register(code: &[u8], name: &str) -> Name {
    if let Some(map) = perf_map() {
        let line = format!("{:x} {:x} pyroclast:{name}\n", code.as_ptr() as usize, code.len());
        // A profile that misses a name is no reason to fail.
        let _ = map.lock().write_all(line.as_bytes());
    }
    Name(())
}
