//! Has the driver linked so that it loads fast: nearly all of its relocations add the address at which it
//! was loaded to a word, and as a bitmap of such words (`DT_RELR`) they take a fiftieth of the bytes to
//! read. C libraries know that since glibc 2.36, so it is done only where the one here does. A build for
//! machines with other C libraries names the oldest in `PYROCLAST_OLDEST_GLIBC`, such as `2.28`.

use std::process::Command;

/// The variable of the oldest glibc that the library is built for.
const OLDEST_GLIBC: &str = "PYROCLAST_OLDEST_GLIBC";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={OLDEST_GLIBC}");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let is_native = variable("HOST") == variable("TARGET") && variable("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_native && libc_version().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of the C library that the driver is built for: the named one, else the one here, if it is
/// glibc.
fn libc_version() -> Option<(u32, u32)> {
    if let Ok(oldest) = std::env::var(OLDEST_GLIBC) {
        return version(&oldest);
    }
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    version(text.trim().strip_prefix("glibc ")?)
}

/// Major and minor number.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
