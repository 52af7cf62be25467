//! Compiled code between a folder and a store: the driver shares a folder, the farm moves it.
//!
//! Names and sizes are all that is looked at: the files are sealed by the driver that wrote them, and the
//! driver that reads them checks their authentication codes. *Must not know*: the key, what artifacts
//! contain.

use crate::store::Store;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Where compiled code is in a store.
const PREFIX: &str = "code";
/// Bytes of an artifact, as the driver reads them.
const ARTIFACT_BYTES_MAX: u64 = 1 << 28;

/// What was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Artifacts.
    pub artifacts: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// Whether this is the name of a build or of an artifact: 32 hexadecimal digits.
fn is_ours(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The names `BUILD/KEY` of the artifacts in a store, with their sizes.
fn stored(store: &Store) -> Result<Vec<(String, u64)>> {
    let listed = store.list(PREFIX)?.into_iter();
    let is_artifact =
        |name: &str| name.split_once('/').is_some_and(|(build, key)| is_ours(build) && is_ours(key));
    Ok(listed
        .filter(|object| is_artifact(&object.name) && object.bytes <= ARTIFACT_BYTES_MAX)
        .map(|object| (object.name, object.bytes))
        .collect())
}

/// The names `BUILD/KEY` of the artifacts in a folder.
fn local(folder: &Path) -> Result<Vec<String>> {
    let names = |path: &Path| -> Result<Vec<String>> {
        let entries = fs::read_dir(path).with_context(|| format!("cannot list {}", path.display()))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| is_ours(name)).collect())
    };
    let mut found = Vec::new();
    for build in names(folder)? {
        found.extend(names(&folder.join(&build))?.into_iter().map(|key| format!("{build}/{key}")));
    }
    found.sort();
    Ok(found)
}

/// Puts the folder's artifacts into the store that it lacks.
///
/// # Errors
/// Store errors, and when the folder cannot be read.
pub fn push(folder: &Path, store: &Store) -> Result<Moved> {
    let known: BTreeSet<String> = stored(store)?.into_iter().map(|(name, _)| name).collect();
    let mut moved = Moved::default();
    for name in local(folder)?.into_iter().filter(|name| !known.contains(name)) {
        let path = folder.join(&name);
        let is_file = fs::symlink_metadata(&path)
            .is_ok_and(|found| found.is_file() && found.len() <= ARTIFACT_BYTES_MAX);
        // An artifact may have been removed meanwhile, as the folder is bounded.
        let Some(bytes) = is_file.then(|| fs::read(&path).ok()).flatten() else { continue };
        let count = bytes.len() as u64;
        if store.create(&format!("{PREFIX}/{name}"), bytes)? {
            moved = Moved { artifacts: moved.artifacts + 1, bytes: moved.bytes + count };
        }
    }
    Ok(moved)
}

/// Brings the store's artifacts into the folder that it lacks, up to `limit` bytes.
///
/// # Errors
/// Store errors, and when the folder cannot be written.
pub fn pull(store: &Store, folder: &Path, limit: u64) -> Result<Moved> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let known: BTreeSet<String> = local(folder)?.into_iter().collect();
    let mut moved = Moved::default();
    for (name, bytes) in stored(store)?.into_iter().filter(|(name, _)| !known.contains(name)) {
        if moved.bytes + bytes > limit {
            break;
        }
        let Some(contents) = store.get(&format!("{PREFIX}/{name}"))? else { continue };
        let path = folder.join(&name);
        let unfinished = path.with_extension(format!("pull-{}", std::process::id()));
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&unfinished, &contents)?;
            fs::rename(&unfinished, &path)
        };
        write().with_context(|| format!("cannot write {}", path.display()))?;
        moved = Moved { artifacts: moved.artifacts + 1, bytes: moved.bytes + contents.len() as u64 };
    }
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_go_there_and_back_and_nothing_else_does() {
        let folder = std::env::temp_dir().join(format!("pyro-farm-cache-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let (from, to) = (folder.join("from"), folder.join("to"));
        let (build, key) = ("0".repeat(32), "a".repeat(32));
        fs::create_dir_all(from.join(&build)).unwrap();
        fs::write(from.join(&build).join(&key), "sealed").unwrap();
        fs::write(from.join(&build).join(format!("{key}.claim-0")), "").unwrap();
        fs::write(from.join("notes.txt"), "notes").unwrap();
        let store = Store::memory().unwrap();
        assert_eq!(push(&from, &store).unwrap(), Moved { artifacts: 1, bytes: 6 });
        assert_eq!(push(&from, &store).unwrap(), Moved::default());
        store.put("code/../escape", b"x".to_vec()).ok();
        store.put("code/short/name", b"x".to_vec()).unwrap();
        assert_eq!(pull(&store, &to, 5).unwrap(), Moved::default());
        assert_eq!(pull(&store, &to, 6).unwrap(), Moved { artifacts: 1, bytes: 6 });
        assert_eq!(pull(&store, &to, 6).unwrap(), Moved::default());
        assert_eq!(local(&to).unwrap(), [format!("{build}/{key}")]);
        assert_eq!(fs::read(to.join(&build).join(&key)).unwrap(), b"sealed");
        fs::remove_dir_all(folder).unwrap();
    }
}
