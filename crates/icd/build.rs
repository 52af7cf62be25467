//! Has the driver linked so that it loads fast: nearly all of its relocations add the address at which it was
//! loaded to a word, and as a bitmap of such words (`DT_RELR`) they take a fiftieth of the bytes to read. C
//! libraries know that since glibc 2.36, so it is done only where the one here does.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_native = variable("HOST") == variable("TARGET") && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_native && libc_version().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of the C library here, if it is glibc.
fn libc_version() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
