//! What the identity of a build covers: the sources, manifests and locked versions of the compiler's crates.
//!
//! Problem: caches hold code of one build, and a checkout may lie anywhere. Approach: the crates are found by
//! following path dependencies from a crate's manifest, so no list has to be kept; what comes from registries
//! is named by `Cargo.lock`. Invariant: the digest depends on contents and on paths relative to the workspace
//! alone. The build script and the test of that invariant share this file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Everything below a workspace that decides what code a crate is built to.
pub(crate) struct Inputs {
    /// The workspace's folder.
    root: PathBuf,
    /// The names of the crates.
    pub(crate) crates: Vec<String>,
    /// Their folders of sources.
    #[allow(dead_code)] // the build script alone asks
    pub(crate) folders: Vec<PathBuf>,
    /// All files, in order.
    pub(crate) files: Vec<PathBuf>,
}

impl Inputs {
    /// Those of the crate in the folder `start`, two levels below the workspace's.
    pub(crate) fn of(start: &Path) -> Inputs {
        let start = start.canonicalize().unwrap_or_else(|_| start.to_owned());
        let root = start.ancestors().nth(2).unwrap_or(&start).to_owned();
        let workspace = table(&root.join("Cargo.toml"));
        let crates = closure(&start, &root, &workspace);
        let mut files = vec![root.join("Cargo.toml"), root.join("Cargo.lock")];
        let mut folders = Vec::new();
        for folder in &crates {
            files.extend([folder.join("Cargo.toml"), folder.join("build.rs")]);
            for sources in
                ["src", "build"].map(|name| folder.join(name)).into_iter().filter(|path| path.exists())
            {
                collect(&sources, &mut files);
                folders.push(sources);
            }
        }
        files.retain(|file| file.exists());
        files.sort();
        let names: BTreeSet<String> = crates.iter().map(|folder| name_of(folder)).collect();
        Inputs { root, crates: names.into_iter().collect(), folders, files }
    }

    /// A path of these relative to the workspace's folder.
    pub(crate) fn relative<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.root).expect("path dependencies lie in the workspace")
    }

    /// The digest of all files and of these settings of the build, in hexadecimal.
    pub(crate) fn identity(&self, settings: &[Vec<u8>]) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        };
        settings.iter().for_each(|setting| add(setting));
        for file in &self.files {
            add(self.relative(file).to_string_lossy().as_bytes());
            add(&std::fs::read(file).unwrap_or_default());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }
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
