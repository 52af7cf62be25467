//! The SPIR-V modules that mutation starts from.

use crate::{assembly, generate};
use std::path::PathBuf;

/// The modules to break.
pub enum Corpus {
    /// Those of the generator.
    Generated,
    /// Files.
    Files(Vec<PathBuf>),
}

impl Corpus {
    /// The `.spv` files of the folder that `PYRO_CORPUS` names and of those in it; generated modules without
    /// it.
    ///
    /// # Panics
    /// When there is no such folder or no module in it.
    pub fn from_environment() -> Corpus {
        let Some(folder) = pyro_test_environment::path("PYRO_CORPUS") else { return Corpus::Generated };
        let (mut folders, mut files) = (vec![folder], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                match path.extension() {
                    _ if path.is_dir() => folders.push(path),
                    Some(extension) if extension == "spv" => files.push(path),
                    _ => {}
                }
            }
        }
        files.sort();
        assert!(!files.is_empty(), "PYRO_CORPUS has no modules");
        Corpus::Files(files)
    }

    /// The module that a seed stands for.
    ///
    /// # Panics
    /// When a file is gone.
    pub fn module(&self, seed: u64) -> Vec<u32> {
        match self {
            Corpus::Generated => {
                let text = assembly::write(&generate::program(seed % 40, 4 + (seed % 40) as u32));
                pyro_spirv::asm::assemble(&text).expect("valid assembly")
            }
            Corpus::Files(files) => {
                // Neighbours are alike, so successive seeds go to files far apart.
                let index = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % files.len() as u64;
                let bytes = std::fs::read(&files[index as usize]).expect("a file");
                bytes
                    .chunks_exact(4)
                    .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
                    .collect()
            }
        }
    }
}
