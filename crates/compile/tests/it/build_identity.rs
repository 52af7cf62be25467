//! The identity of a build, by which caches tell code of one build from that of another.

#[path = "../../build/identity.rs"]
mod identity;

use identity::Inputs;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that is removed when dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// Copies what the identity covers to another folder; gives the folder of `crates/compile` there.
fn copy(inputs: &Inputs, root: &Path) -> PathBuf {
    for file in &inputs.files {
        let to = root.join(inputs.relative(file));
        fs::create_dir_all(to.parent().expect("a folder")).expect("folders can be made");
        fs::copy(file, to).expect("files can be copied");
    }
    root.join("crates/compile")
}

#[test]
fn equal_checkouts_at_different_paths_have_the_same_identity() {
    let here = Inputs::of(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(here.files.len() > 300 && here.crates.iter().any(|name| name == "pyro-jit"));
    let identity = here.identity(&[]);
    let folder = Folder(std::env::temp_dir().join(format!("pyro-identity-{}", std::process::id())));
    let other = copy(&here, &folder.0.join("some/deeper place"));
    let there = Inputs::of(&other);
    assert_eq!((there.crates.clone(), there.files.len()), (here.crates.clone(), here.files.len()));
    assert_eq!((there.folders.len(), there.identity(&[])), (here.folders.len(), identity.clone()));

    // Settings, a file's content and a file's name each make another identity.
    assert_ne!(there.identity(&[b"release".to_vec()]), identity);
    let source = other.join("../jit/src/lib.rs");
    let text = fs::read_to_string(&source).expect("a source file");
    fs::write(&source, format!("{text}\n")).expect("files can be written");
    assert_ne!(Inputs::of(&other).identity(&[]), identity);
    fs::write(&source, text).expect("files can be written");
    assert_eq!(Inputs::of(&other).identity(&[]), identity);
    fs::rename(&source, source.with_file_name("main.rs")).expect("files can be renamed");
    assert_ne!(Inputs::of(&other).identity(&[]), identity);
}
