//! Unix systems.

use anyhow::{Context as _, Result};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};

/// The number of the signal that ended a process.
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Asks a program to end. False: it cannot be asked.
pub(crate) fn ask_to_end(child: &Child) -> bool {
    let process = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).is_ok()
}

/// A process and those that it starts.
pub(crate) struct Group {
    pub(crate) child: Child,
}

impl Group {
    /// Starts it.
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<Group> {
        Ok(Group { child: command.process_group(0).spawn()? })
    }

    /// Ends all of them, and waits for the first.
    pub(crate) fn kill(&mut self) {
        // They may have ended by themselves.
        let group = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An absolute path of a file, without links.
pub(crate) fn resolve(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
}

/// The folder that the loader searches for manifests: the user's, or the system's.
pub(crate) fn manifest_folder(system: bool) -> Result<PathBuf> {
    if system {
        return Ok(PathBuf::from("/usr/local/share/vulkan/icd.d"));
    }
    let data = crate::config::data_home().context("neither XDG_DATA_HOME nor HOME is set")?;
    Ok(data.join("vulkan/icd.d"))
}

/// The loader finds manifests by their folder.
pub(crate) fn register_manifest(_: &Path, _system: bool) -> Result<()> {
    Ok(())
}

/// As above.
pub(crate) fn unregister_manifest(_: &Path, _system: bool) -> Result<()> {
    Ok(())
}

/// Whether the terminal at standard output knows escape sequences of colours.
pub(crate) fn shows_colours() -> bool {
    true
}
