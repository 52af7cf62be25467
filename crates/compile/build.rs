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
    ["PROFILE", "TARGET", "OPT_LEVEL", "DEBUG", RUSTC_FLAGS, "CARGO_CFG_TARGET_FEATURE"];

/// The flags of `rustc`, with the byte 0x1f between them.
const RUSTC_FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

fn main() {
    let inputs = Inputs::of(&PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default()));
    // Cargo resolves relative paths against the package's directory, which lies two levels below the root.
    for path in inputs.folders.iter().chain(&inputs.files) {
        println!("cargo::rerun-if-changed={}", Path::new("../..").join(inputs.relative(path)).display());
    }
    let mut settings = vec![env!("CARGO_PKG_VERSION").into()];
    for name in VARIABLES {
        println!("cargo::rerun-if-env-changed={name}");
        let value = std::env::var(name).unwrap_or_default();
        let value = if name == RUSTC_FLAGS { without_path_prefixes(&value) } else { value };
        settings.push(value.into_bytes());
    }
    settings.push(compiler_version());
    println!("cargo::rustc-env=PYROCLAST_BUILD={}", inputs.identity(&settings));
    println!("cargo::rustc-env=PYROCLAST_BUILD_CRATES={}", inputs.crates.join(" "));
}

/// Encoded flags without those that give folders other names in debug information: they name the folder of
/// the build, and change no code.
fn without_path_prefixes(flags: &str) -> String {
    let flags: Vec<&str> =
        flags.split('\x1f').filter(|flag| !flag.starts_with("--remap-path-prefix=")).collect();
    flags.join("\x1f")
}

/// What `rustc -vV` prints.
fn compiler_version() -> Vec<u8> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(rustc).arg("-vV").output().map(|output| output.stdout).unwrap_or_default()
}
