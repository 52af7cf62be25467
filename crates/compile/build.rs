//! The build's identity: a digest of everything that decides what code is made of a shader. Caches hold code of one
//! build only.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// The crates whose sources shape code, beside what `Cargo.lock` names.
const CRATES: [&str; 14] = [
    "abi",
    "codemem",
    "compile",
    "fixed",
    "image",
    "interface",
    "interp",
    "ir",
    "jit",
    "library",
    "lower",
    "passes",
    "spirv",
    "util",
];

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    for name in CRATES {
        let source = here.join("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        collect(&source, &mut files);
    }
    let lock = here.join("../../Cargo.lock");
    if lock.exists() {
        println!("cargo::rerun-if-changed={}", lock.display());
        files.push(lock);
    }
    files.sort();
    let mut halves = [0_u64; 2];
    for (seed, half) in (0_u8..).zip(&mut halves) {
        let mut hasher = DefaultHasher::new();
        (seed, env!("CARGO_PKG_VERSION"), std::env::var("PROFILE").ok(), std::env::var("TARGET").ok())
            .hash(&mut hasher);
        for file in &files {
            let name = file.strip_prefix(&here).unwrap_or(file);
            (name, std::fs::read(file).unwrap_or_default()).hash(&mut hasher);
        }
        *half = hasher.finish();
    }
    println!("cargo::rustc-env=PYROCLAST_BUILD={:016x}{:016x}", halves[0], halves[1]);
}

/// All files below a directory.
fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
