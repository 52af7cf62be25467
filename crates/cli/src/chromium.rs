//! The driver in the place of SwiftShader: Chromium, Electron and the Android emulator open a library and a
//! manifest of fixed names when they draw by software.
//!
//! Problem: no variable or flag gives them another driver, and within their sandbox the loader's search
//! path is out of reach. Approach: the two files are put aside in the same folder, and the driver's
//! library and a manifest take their names; in that copy of the library `vkGetInstanceProcAddr` is
//! exported under its own name, which `pyro-icd`'s `loader` explains; `uninstall` renames the files back.
//! Invariants: the files that were there first are never overwritten, however often the driver is
//! installed; a library that may be mapped by a running browser is replaced, and not written to.

use crate::library;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The names that the browsers open.
const LIBRARY: &str = if cfg!(windows) { "vk_swiftshader.dll" } else { "libvk_swiftshader.so" };
const MANIFEST: &str = "vk_swiftshader_icd.json";
/// What is added to the names of files that are put aside.
const ASIDE: &str = ".before-pyroclast";
/// Where the library is below a folder: that of a browser, or of Android's emulator.
const SUBFOLDERS: [&str; 2] = ["", "lib64/vulkan"];

fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    name.into()
}

/// The folder at or below this one that holds SwiftShader.
fn place(folder: &Path) -> Result<PathBuf> {
    let places = SUBFOLDERS.map(|name| folder.join(name));
    let found = places.into_iter().find(|place| place.join(LIBRARY).exists());
    found.with_context(|| format!("{} holds no {LIBRARY}", folder.display()))
}

/// Writes a file beside its place, and renames it: whoever has the old one mapped keeps it.
fn replace(path: &Path, write: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let new = path.with_extension("new");
    write(&new)
        .and_then(|()| fs::rename(&new, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Puts the driver into SwiftShader's place; gives the folder.
pub(crate) fn install(folder: &Path) -> Result<PathBuf> {
    let place = place(folder)?;
    for name in [LIBRARY, MANIFEST] {
        let path = place.join(name);
        if path.exists() && !aside(&path).exists() {
            fs::rename(&path, aside(&path))
                .with_context(|| format!("cannot put {} aside", path.display()))?;
        }
    }
    let driver = library::find()?;
    let bytes = fs::read(&driver).with_context(|| format!("cannot read {}", driver.display()))?;
    let bytes = pyroclast_icd::with_true_name(bytes)
        .with_context(|| format!("{} is of another version than this command", driver.display()))?;
    replace(&place.join(LIBRARY), |new| fs::write(new, bytes))?;
    let text = library::manifest(Path::new(&format!("./{LIBRARY}")));
    replace(&place.join(MANIFEST), |new| fs::write(new, text))?;
    Ok(place)
}

/// Puts SwiftShader back; gives the folder.
pub(crate) fn uninstall(folder: &Path) -> Result<PathBuf> {
    let place = place(folder)?;
    if !aside(&place.join(LIBRARY)).exists() {
        bail!("{} holds no files that were put aside", place.display());
    }
    for name in [LIBRARY, MANIFEST] {
        let path = place.join(name);
        if aside(&path).exists() {
            fs::rename(aside(&path), &path).with_context(|| format!("cannot restore {}", path.display()))?;
        }
    }
    Ok(place)
}
