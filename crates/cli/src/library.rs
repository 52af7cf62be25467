//! Where the driver's shared library and the loader's folders are.

use crate::system;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The API version that the manifest names.
pub(crate) const API_VERSION: &str = "1.4.0";

/// The library's file name on this system.
pub(crate) fn file_name() -> String {
    format!("{}pyroclast_icd{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// The library built or installed beside this program.
pub(crate) fn find() -> Result<PathBuf> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let candidates =
        [folder.to_owned(), folder.join("deps"), folder.join("../lib"), folder.join("../lib/pyroclast")];
    for candidate in &candidates {
        let path = candidate.join(file_name());
        if path.is_file() {
            return system::resolve(&path).with_context(|| format!("cannot resolve {}", path.display()));
        }
    }
    bail!("{} is not beside {}: build it with `cargo build --release`", file_name(), program.display())
}

/// The manifest's text for the library at `path`.
pub(crate) fn manifest(path: &Path) -> String {
    let manifest = serde_json::json!({
        "file_format_version": "1.0.1",
        "ICD": { "library_path": path, "api_version": API_VERSION, "library_arch": "64" },
    });
    format!("{manifest:#}\n")
}
