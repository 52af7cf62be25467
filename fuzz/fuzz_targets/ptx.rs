//! Any text is read without a panic; what its kernels become is well formed.
//!
//! `cargo fuzz run ptx` from this folder. The texts in `crates/icd/tests/api/cuda.rs` make good seeds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pyro_ptx::{Launch, Module, lower};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::parse(bytes) else { return };
    let image = module.image();
    if image.bytes < 1 << 16 {
        assert_eq!(module.initial_image(&image, 1 << 32).len() as u64, image.bytes);
    }
    for function in module.functions.iter().filter(|function| function.is_entry) {
        let block = function.required_block.unwrap_or([40, 1, 1]);
        if let Ok(lowered) =
            lower(&module, &function.name, &Launch { block, dynamic_shared_bytes: 64, ..Launch::default() })
        {
            assert!(pyro_ir::verify::verify(&lowered.function).is_ok());
        }
    }
});
