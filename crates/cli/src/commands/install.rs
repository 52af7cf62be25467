//! `pyroclast install` and `pyroclast uninstall`.

use crate::{chromium, library, system};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// The manifest's file name in the loader's folder.
const MANIFEST_NAME: &str = "pyroclast_icd.json";

/// Where to install.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// For all users instead of this one (needs the right to write there).
    #[arg(long, conflicts_with = "chromium")]
    system: bool,
    /// In the place of SwiftShader in the folder of Chromium, Electron or Android's emulator, whose own
    /// files are kept beside.
    #[arg(long, value_name = "DIR")]
    chromium: Option<PathBuf>,
}

fn target(arguments: &Arguments) -> Result<PathBuf> {
    Ok(system::manifest_folder(arguments.system)?.join(MANIFEST_NAME))
}

/// Writes the manifest.
pub(crate) fn install(arguments: &Arguments) -> Result<()> {
    if let Some(folder) = &arguments.chromium {
        println!("installed in {}", chromium::install(folder)?.display());
        println!("WebGL: --use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist");
        println!("WebGPU: these, and --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader");
        println!("    --use-vulkan=swiftshader --enable-features=Vulkan");
        println!("back: pyroclast uninstall --chromium DIR");
        return Ok(());
    }
    let path = target(arguments)?;
    let text = library::manifest(&library::find()?);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    system::register_manifest(&path, arguments.system)?;
    println!("installed {}", path.display());
    Ok(())
}

/// Removes the manifest.
pub(crate) fn uninstall(arguments: &Arguments) -> Result<()> {
    if let Some(folder) = &arguments.chromium {
        println!("put SwiftShader back in {}", chromium::uninstall(folder)?.display());
        return Ok(());
    }
    let path = target(arguments)?;
    system::unregister_manifest(&path, arguments.system)?;
    fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    println!("removed {}", path.display());
    Ok(())
}
