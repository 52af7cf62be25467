//! What the tests share: a folder with a job and small programs, and runs of the farm.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};

/// A program that reads a list of cases and prints what dEQP would. The names say what happens.
const DEQP: &str = r#"#!/bin/sh
for argument; do case $argument in --deqp-caselist-file=*) list=${argument#*=} ;; esac; done
echo "Writing test log into nowhere"
while read -r name; do
  echo "Test case '$name'.."
  case $name in
    *crash*) kill -SEGV $$; sleep 10 ;;
    *abort*) exit 3 ;;
    *hang*) sleep 60 ;;
    *fail*) echo "  Fail (it <fails> & ends)" ;;
    *skip*) echo "  NotSupported (not here)" ;;
    *warn*) echo "  QualityWarning (hm)" ;;
    *unheard*) ;;
    *) echo "  Pass (fine)" ;;
  esac
done < "$list"
echo "DONE!"
"#;

/// A program that writes a file: NUMBER FILE, and fails for the number 13.
const WRITER: &str = r#"#!/bin/sh
[ "$1" = 13 ] && exit 9
echo "contents of $1" > "$2"
"#;

/// A folder that is removed in the end.
pub(crate) struct House(PathBuf);

impl House {
    /// A new folder with the programs `deqp` and `writer`.
    pub(crate) fn new(name: &str) -> House {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pyro-farm-{name}-{}-{serial}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        let house = House(path);
        house.program("deqp", DEQP);
        house.program("writer", WRITER);
        house
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("a readable path").to_owned()
    }

    pub(crate) fn write(&self, name: &str, contents: &str) {
        fs::write(self.path(name), contents).expect("a file");
    }

    pub(crate) fn program(&self, name: &str, script: &str) {
        self.write(name, script);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("a program");
    }

    /// Runs the farm in the folder.
    pub(crate) fn farm(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pyroclast-farm"));
        command.args(arguments).current_dir(&self.0);
        for name in ["TEST_SHARD_INDEX", "SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the farm, which must end with this exit code; gives standard output.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> String {
        let output = self.farm(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs the farm, which must end with exit code 2; gives its message.
    pub(crate) fn refuse(&self, arguments: &[&str]) -> String {
        let output = self.farm(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(!error.contains("panicked"), "{error}");
        error
    }

    /// The files below a folder with their contents.
    pub(crate) fn files(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.path(name);
        let mut found = BTreeMap::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
                    found.insert(name, fs::read(&path).expect("a file"));
                }
            }
        }
        found
    }

    /// The one file below a folder whose path contains this.
    pub(crate) fn find(&self, folder: &str, part: &str) -> PathBuf {
        let names: Vec<String> = self.files(folder).into_keys().filter(|name| name.contains(part)).collect();
        assert_eq!(names.len(), 1, "{part} in {names:?}");
        self.path(folder).join(&names[0])
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Changes one byte of a file.
pub(crate) fn damage(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("a file");
    let at = at.min(bytes.len() - 1);
    bytes[at] ^= 1;
    fs::write(path, bytes).expect("a file");
}

/// Whether a process with this command line runs.
pub(crate) fn is_running(line: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("a Linux kernel").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let mut lines = lines.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    lines.any(|found| found.trim_end() == line)
}
