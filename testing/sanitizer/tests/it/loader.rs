//! The corpus through the system's loader: what `pyro-corpus` counts on our driver alone.

use pyro_test_environment::{Need, skip};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file that cargo puts beside or above the test binaries when the workspace is built.
fn built(name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().expect("this program");
    program.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| path.exists())
}

/// Whether the system has a Vulkan loader.
fn has_loader() -> bool {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    folders.iter().any(|folder| Path::new(folder).join("libvulkan.so.1").exists())
}

/// The cells of the last row of the table.
fn counts(manifest: &Path, kinds: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_pyro-corpus"))
        .args(["--filter", "divide_zero"])
        .env("VK_ICD_FILENAMES", manifest)
        .env("VK_DRIVER_FILES", manifest)
        .env("PYROCLAST_SANITIZE", kinds)
        .env("PYROCLAST_SANITIZE_OUTPUT", "/dev/null")
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let last = text.lines().last().expect("a table");
    last.split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn divisions_by_zero_are_counted_on_our_driver() {
    let Some(library) = built("libpyroclast_icd.so") else {
        skip!(Need::Package("libpyroclast_icd.so (cargo build -p pyro-icd)"));
    };
    if !has_loader() {
        skip!(Need::Package("libvulkan1"));
    }
    let manifest = std::env::temp_dir().join(format!("pyroclast-corpus-icd-{}.json", std::process::id()));
    let text = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library, "api_version": "1.3.0" },
    });
    std::fs::write(&manifest, text.to_string()).expect("written");
    let [on, off] = ["undefined", "none"].map(|kinds| counts(&manifest, kinds));
    let _ = std::fs::remove_file(&manifest);
    // group, pairs, not run, died, ran, found, false
    let pairs = on[2].clone();
    assert!(pairs.parse::<u32>().is_ok_and(|pairs| pairs > 20), "{on:?}");
    assert_eq!(on[2..8], [&pairs, "0", "0", &pairs, &pairs, "0"].map(str::to_owned), "{on:?}");
    assert_eq!(off[2..8], [&pairs, "0", "0", &pairs, "0", "0"].map(str::to_owned), "{off:?}");
}
