//! The build's identity: a digest of everything that decides what code is made of a shader. Caches hold code
//! of one build only.
//!
//! The crates are found by following path dependencies from this crate's manifest, so no list has to be kept.
//! What comes from registries is named by `Cargo.lock`.
//!
//! Paths are told to cargo and digested relative to the package, so that neither the identity nor what is
//! rebuilt depends on where the checkout lies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// Variables of the build that change the compiler's code.
const VARIABLES: [&str; 6] =
    ["PROFILE", "TARGET", "OPT_LEVEL", "DEBUG", RUSTC_FLAGS, "CARGO_CFG_TARGET_FEATURE"];

/// The flags of `rustc`, with the byte 0x1f between them.
const RUSTC_FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";

fn main() {
    let here = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    let here = here.canonicalize().unwrap_or(here);
    let root = here.ancestors().nth(2).unwrap_or(&here).to_owned();
    let workspace = table(&root.join("Cargo.toml"));
    let crates = closure(&here, &root, &workspace);
    let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
    for folder in &crates {
        files.extend([folder.join("Cargo.toml"), folder.join("build.rs")]);
        rerun_if_changed(&folder.join("src"), &root);
        collect(&folder.join("src"), &mut files);
    }
    files.retain(|file| file.exists());
    files.sort();

    let mut hasher = blake3::Hasher::new();
    let mut add = |part: &[u8]| {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    for name in VARIABLES {
        println!("cargo::rerun-if-env-changed={name}");
        let value = std::env::var(name).unwrap_or_default();
        add(if name == RUSTC_FLAGS { without_path_prefixes(&value) } else { value }.as_bytes());
    }
    add(&compiler_version());
    for file in &files {
        rerun_if_changed(file, &root);
        let name = file.strip_prefix(&root).unwrap_or(file);
        add(name.to_string_lossy().as_bytes());
        add(&std::fs::read(file).unwrap_or_default());
    }
    let identity = &hasher.finalize().to_hex()[..32];
    println!("cargo::rustc-env=PYROCLAST_BUILD={identity}");
    let names: BTreeSet<String> = crates.iter().map(|folder| name_of(folder)).collect();
    let names: Vec<String> = names.into_iter().collect();
    println!("cargo::rustc-env=PYROCLAST_BUILD_CRATES={}", names.join(" "));
}

/// Encoded flags without those that give folders other names in debug information: they name the folder of
/// the build, and change no code.
fn without_path_prefixes(flags: &str) -> String {
    let flags: Vec<&str> =
        flags.split('\x1f').filter(|flag| !flag.starts_with("--remap-path-prefix=")).collect();
    flags.join("\x1f")
}

/// Tells cargo to rerun this script when `path` below the workspace's `root` changes. Cargo resolves relative
/// paths against the package's directory, which lies two levels below the root.
fn rerun_if_changed(path: &Path, root: &Path) {
    let below_root = path.strip_prefix(root).expect("path dependencies lie in the workspace");
    println!("cargo::rerun-if-changed={}", Path::new("../..").join(below_root).display());
}

/// What `rustc -vV` prints.
fn compiler_version() -> Vec<u8> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Command::new(rustc).arg("-vV").output().map(|output| output.stdout).unwrap_or_default()
}

/// A manifest.
fn table(path: &Path) -> Table {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A crate's name.
fn name_of(folder: &Path) -> String {
    let manifest = table(&folder.join("Cargo.toml"));
    let name = manifest.get("package").and_then(|package| package.get("name")).and_then(Value::as_str);
    name.unwrap_or_default().to_owned()
}

/// The folders of a crate and of all path dependencies that it is built with; those of tests are left out.
fn closure(start: &Path, root: &Path, workspace: &Table) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut pending = vec![start.canonicalize().unwrap_or_else(|_| start.to_owned())];
    while let Some(folder) = pending.pop() {
        if !found.insert(folder.clone()) {
            continue;
        }
        let manifest = table(&folder.join("Cargo.toml"));
        let for_targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
        let tables = std::iter::once(&manifest).chain(for_targets.filter_map(|(_, table)| table.as_table()));
        for table in tables {
            for kind in ["dependencies", "build-dependencies"] {
                let dependencies = table.get(kind).and_then(Value::as_table).into_iter().flatten();
                pending.extend(dependencies.filter_map(|(name, dependency)| {
                    let of_workspace = dependency.get("workspace").and_then(Value::as_bool) == Some(true);
                    let path = match of_workspace {
                        true => root.join(
                            workspace
                                .get("workspace")?
                                .get("dependencies")?
                                .get(name)?
                                .get("path")?
                                .as_str()?,
                        ),
                        false => folder.join(dependency.get("path")?.as_str()?),
                    };
                    Some(path.canonicalize().unwrap_or(path))
                }));
            }
        }
    }
    found
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
