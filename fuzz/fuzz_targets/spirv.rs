//! Any bytes decode and check without a panic; what decodes survives a round through assembly.
//!
//! `cargo fuzz run spirv` from this folder. Modules assembled from `crates/*/tests/*.spvasm` make good
//! seeds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pyro_spirv::{Module, asm::assemble, disassemble};
use pyro_validate::{Device, Environment, check};

fuzz_target!(|bytes: &[u8]| {
    let Ok(module) = Module::decode_bytes(bytes) else { return };
    let _ = check(&module, &Environment::default());
    for device in [None, Some(Device::everything()), Some(Device::bare(1, 0))] {
        let _ = check(&module, &Environment { strict: true, device, ..Environment::default() });
    }
    // Strings that are not UTF-8 cannot be written as text; all else must read back.
    if let Ok(words) = assemble(&disassemble(&module)) {
        assert!(Module::decode(&words).is_ok());
    }
});
