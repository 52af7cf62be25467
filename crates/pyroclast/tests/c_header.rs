//! The C header, by the example in `examples/c`: without a loader, and through the system's loader.

use pyro_test_environment::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The driver's library, which cargo puts beside or above the test binaries when the workspace is built.
fn library_folder() -> Option<PathBuf> {
    let program = std::env::current_exe().expect("this program");
    let folders = program.ancestors().skip(1).take(2).map(Path::to_owned);
    folders.into_iter().find(|folder| folder.join("libpyroclast_icd.so").exists())
}

#[test]
fn the_example_opens_the_driver_in_both_ways() {
    if !Path::new("/usr/include/vulkan/vulkan_core.h").exists() {
        skip!(Need::Package("libvulkan-dev"));
    }
    let Some(library) = library_folder() else {
        skip!(Need::Package("libpyroclast_icd.so (cargo build -p pyro-icd)"));
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = std::env::temp_dir().join(format!("pyroclast-c-example-{}", std::process::id()));
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"])
        .arg(root.join("examples/c/device.c"))
        .arg(format!("-I{}", pyroclast::INCLUDE_FOLDER))
        .arg(format!("-L{}", library.display()))
        .args(["-lpyroclast_icd", "-lvulkan", "-o"])
        .arg(&program)
        .output()
        .expect("cc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = |folders: &str| {
        let output = Command::new(&program).env("LD_LIBRARY_PATH", folders).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        text
    };
    let library = library.to_str().expect("a readable path");
    let with_system_loader = run(library);
    // Chromium's folder has a loader of its own age, which is new.
    let with_new_loader = run(&format!("{library}:/usr/lib/chromium"));
    let _ = std::fs::remove_file(&program);
    let expected = "without a loader: Pyroclast\nthrough the loader: Pyroclast\n";
    assert!(with_system_loader.starts_with("without a loader: Pyroclast\n"), "{with_system_loader}");
    if with_new_loader.contains("VK_LUNARG_direct_driver_loading") {
        skip!(Need::Package("a newer Vulkan loader (chromium-common has one)"));
    }
    assert_eq!(with_new_loader, expected);
}
