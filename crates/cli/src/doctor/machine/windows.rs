//! What Windows has besides.

use crate::config;
use crate::doctor::{Finding, Variables, text};
use std::path::{Path, PathBuf};

/// All file systems let libraries be loaded.
pub(super) fn mount_fault(_: &Path) -> Option<Finding> {
    None
}

/// The folder of compiled code, which has to lie where nobody else writes.
fn cache_folder(variables: Variables<'_>) -> Option<Finding> {
    let folder = PathBuf::from(text(variables, "PYROCLAST_CACHE_DIR")?);
    let name = folder.display();
    let path = match folder.canonicalize() {
        Ok(path) => path,
        Err(error) => {
            let note = Finding::note("permission", format!("PYROCLAST_CACHE_DIR={name}: {error}"));
            return Some(note.with_fix(format!("mkdir {name}")));
        }
    };
    let own = config::variable("LOCALAPPDATA").and_then(|own| PathBuf::from(own).canonicalize().ok());
    if own.is_none_or(|own| !path.starts_with(own)) {
        let text = format!("{name} is not below %LOCALAPPDATA%: no code is kept there");
        return Some(Finding::note("permission", text).with_fix("choose a folder below %LOCALAPPDATA%"));
    }
    Some(Finding::good("permission", format!("compiled code is kept in {name}")))
}

/// Findings about the system.
pub(super) fn examine(variables: Variables<'_>) -> Vec<Finding> {
    cache_folder(variables).into_iter().collect()
}
