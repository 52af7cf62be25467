//! The `.spv` files are what the GLSL or the assembly beside them compiles to.
//!
//! They are checked in so that the build needs no GLSL compiler. `shaders/SOURCES` records the hash of
//! the source that each was made from; `PYRO_BLESS=1 cargo test -p pyro-benches --test shaders` makes all
//! of them anew with `glslangValidator`, and with our own assembler those in assembly.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders")
}

fn sources() -> Vec<PathBuf> {
    let mut sources: Vec<_> = std::fs::read_dir(folder())
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|kind| ["comp", "vert", "geom", "frag", "spvasm"].iter().any(|one| kind == *one))
        })
        .collect();
    sources.sort();
    assert!(!sources.is_empty());
    sources
}

/// A compute shader's module has its name; those of other stages keep the stage, for two may share a name.
fn module_of(source: &Path) -> PathBuf {
    if source.extension().is_some_and(|kind| kind == "comp" || kind == "spvasm") {
        source.with_extension("spv")
    } else {
        PathBuf::from(format!("{}.spv", source.display()))
    }
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn compile(source: &Path, target: &Path) -> Option<()> {
    if source.extension().is_some_and(|kind| kind == "spvasm") {
        let text = std::fs::read_to_string(source).expect("a source can be read");
        let words = pyro_spirv::asm::assemble(&text).unwrap_or_else(|error| panic!("{error}"));
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        std::fs::write(target, bytes).expect("the module can be written");
        return Some(());
    }
    let output = Command::new("glslangValidator")
        .args(["--quiet", "--target-env", "vulkan1.1", "-o"])
        .arg(target)
        .arg(source)
        .output()
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    Some(())
}

#[test]
fn modules_are_made_from_the_sources_beside_them() {
    let mut record = String::new();
    for source in sources() {
        let name = module_of(&source).file_stem().expect("it has a name").to_string_lossy().into_owned();
        let content = std::fs::read(&source).expect("a source can be read");
        if pyro_test_environment::bless() {
            compile(&source, &module_of(&source)).expect("blessing needs glslangValidator");
        }
        let module = std::fs::read(module_of(&source)).expect("each source has its module");
        writeln!(record, "{name} {:016x} {:016x}", hash(&content), hash(&module))
            .expect("a string takes all");
    }
    let path = folder().join("SOURCES");
    if pyro_test_environment::bless() {
        std::fs::write(&path, &record).expect("the record can be written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(kept, record, "a source changed without its module: run with PYRO_BLESS=1");
}

#[test]
fn sources_compile() {
    let target = std::env::temp_dir().join(format!("pyro-bench-shader-{}.spv", std::process::id()));
    for source in sources() {
        if compile(&source, &target).is_none() {
            pyro_test_environment::skip!(pyro_test_environment::Need::Package("glslangValidator"));
        }
    }
    std::fs::remove_file(&target).expect("the last compilation left it");
}
