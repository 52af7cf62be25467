//! Strict mode: shader modules are held against all of Vulkan's rules when they are made, not only those that the
//! compiler relies on.
//!
//! The environment variable `PYROCLAST_STRICT` switches it on. What is found is reported once for each module; the
//! module is made all the same, since many programs live with broken rules. A validation cache that
//! knows a module spares the check ([`crate::validation_cache`]).

use crate::limits;
use crate::physical_device::extensions::DEVICE_EXTENSIONS;
use crate::physical_device::features;
use pyro_spirv::Module;
use pyro_validate::{Device, Environment, LayoutFeatures, validate};
use std::sync::LazyLock;

/// Whether strict mode is on.
pub fn is_on() -> bool {
    static IS_ON: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("PYROCLAST_STRICT").is_some_and(|value| value != "0"));
    *IS_ON
}

/// What this device takes.
fn environment() -> &'static Environment {
    static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
        let version = limits::API_VERSION;
        let mut device = Device::bare(version >> 22 & 0x7f, version >> 12 & 0x3ff);
        features::ON.iter().for_each(|feature| device.set_feature(feature, true));
        DEVICE_EXTENSIONS.iter().for_each(|extension| device.add_extension(extension.name));
        Environment {
            strict: true,
            layout: LayoutFeatures::of(&device),
            device: Some(device),
            ..Environment::default()
        }
    });
    &ENVIRONMENT
}

/// What a module breaks, ready to be shown; nothing when it keeps every rule.
pub fn findings(words: &[u32]) -> Vec<String> {
    match Module::decode(words) {
        Err(error) => vec![format!("VUID-VkShaderModuleCreateInfo-pCode-08736: {error}")],
        Ok(module) => match validate(&module, environment()) {
            // Warnings are about what their authors can do nothing about.
            Ok(_) => Vec::new(),
            Err(found) => found.iter().map(|diagnostic| diagnostic.render()).collect(),
        },
    }
}

/// Checks a module in strict mode and reports what it breaks; whether it keeps every rule, so far as was looked.
pub fn check(words: &[u32], report: &dyn Fn(&str)) -> bool {
    let found = if is_on() { findings(words) } else { Vec::new() };
    found.iter().for_each(|finding| report(finding.trim_end()));
    found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry point with a variable of a storage class that does not exist in Vulkan.
    fn words(class: u32) -> Vec<u32> {
        let inst = |opcode: u32, operands: &[u32]| {
            let mut words = vec![(operands.len() as u32 + 1) << 16 | opcode];
            words.extend_from_slice(operands);
            words
        };
        let mut words = vec![0x0723_0203, 0x0001_0300, 0, 20, 0];
        words.extend(inst(17, &[1])); // Shader
        words.extend(inst(14, &[0, 1])); // Logical GLSL450
        words.extend(inst(15, &[5, 1, 0x6e69_616d, 0])); // GLCompute "main"
        words.extend(inst(16, &[1, 17, 1, 1, 1])); // LocalSize
        words.extend(inst(19, &[2]));
        words.extend(inst(21, &[3, 32, 0]));
        words.extend(inst(32, &[4, class, 3]));
        words.extend(inst(59, &[4, 5, class]));
        words.extend(inst(33, &[6, 2]));
        words.extend(inst(54, &[2, 1, 0, 6]));
        words.extend(inst(248, &[7]));
        words.extend(inst(253, &[]));
        words.extend(inst(56, &[]));
        words
    }

    #[test]
    fn broken_rules_are_told() {
        // Private, then CrossWorkgroup.
        assert_eq!(findings(&words(6)), [] as [&str; 0]);
        let found = findings(&words(5));
        assert!(found.iter().any(|text| text.contains("VUID-StandaloneSpirv-None-04643")), "{found:?}");
        assert_eq!(findings(&[0x0723_0203]).len(), 1);
    }
}
