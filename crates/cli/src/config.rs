//! The environment variables that the command line reads itself. The driver's own are in `pyro_util::config`.

use std::ffi::OsString;
use std::path::PathBuf;

/// A variable's value; one that is empty counts as not set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The user's folder for data of applications: `$XDG_DATA_HOME`, else `$HOME/.local/share`.
pub(crate) fn data_home() -> Option<PathBuf> {
    let from_home = || Some(PathBuf::from(variable("HOME")?).join(".local/share"));
    variable("XDG_DATA_HOME").map(PathBuf::from).or_else(from_home)
}
