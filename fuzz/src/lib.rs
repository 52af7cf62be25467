//! The targets of `testing/hostile` for libFuzzer. `testing/libfuzzer` builds and runs them on the stable
//! toolchain; cargo-fuzz does so, with coverage and AddressSanitizer, on a nightly one:
//!
//! ```sh
//! cargo +nightly fuzz run spirv ../testing/hostile/corpus/spirv
//! ```

pub use libfuzzer_sys::fuzz_target;
pub use pyro_hostile::targets;

/// The target of this name.
///
/// # Panics
/// When there is none.
pub fn run(name: &str, bytes: &[u8]) {
    let target = targets::TARGETS.iter().find(|target| target.name == name).expect("a target");
    (target.run)(bytes);
}

/// A program that fuzzes one target.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        $crate::fuzz_target!(
            init: $crate::targets::prepare(),
            |bytes: &[u8]| $crate::run($name, bytes)
        );
    };
}
