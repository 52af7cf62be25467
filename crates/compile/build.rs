//! The build's identity: a digest of everything that decides what code is made of a shader. Caches hold code
//! of one build only.
//!
//! Paths are told to cargo and digested relative to the package, so that neither the identity nor what is
//! rebuilt depends on where the checkout lies (`build/identity.rs`).

#[path = "build/identity.rs"]
mod identity;

use identity::Inputs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables of the build that change the compiler's code.
const VARIABLES: [&str; 6] =
    ["PROFILE", "TARGET", "OPT_LEVEL", "DEBUG", "CARGO_ENCODED_RUSTFLAGS", "CARGO_CFG_TARGET_FEATURE"];

fn main() {
    let inputs = Inputs::of(&PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()));
    // Cargo resolves relative paths against the package's directory, which lies two levels below the root.
    for path in inputs.folders.iter().chain(&inputs.files) {
        println!("cargo::rerun-if-changed={}", Path::new("../..").join(inputs.relative(path)).display());
    }
    let mut settings = vec![env!("CARGO_PKG_VERSION").into()];
    for name in VARIABLES {
        println!("cargo::rerun-if-env-changed={name}");
        settings.push(std::env::var(name).unwrap_or_default().into_bytes());
    }
    settings.push(compiler_version());
    println!("cargo::rustc-env=PYROCLAST_BUILD={}", inputs.identity(&settings));
    println!("cargo::rustc-env=PYROCLAST_BUILD_CRATES={}", inputs.crates.join(" "));
}

/// What `rustc -vV` prints.
fn compiler_version() -> Vec<u8> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(rustc).arg("-vV").output().map(|output| output.stdout).unwrap_or_default()
}
