//! What a device offers: the part of a checker's environment that feature- and limit-dependent rules ask.
//!
//! Names are Vulkan's own (`shaderFloat64`, `maxComputeWorkGroupSize[0]`, `VK_KHR_shader_clock`), in camel or
//! snake case, so that profiles and device reports can be read in as they are. What is not known is assumed
//! to be allowed: a rule reports only what surely breaks it.

mod cooperative;

pub use cooperative::{ComponentType, CooperativeMatrixProperties, CooperativeVectorProperties};

use pyro_spirv::grammar::{self, OperandKind};
use pyro_spirv::spirv::Capability;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

/// A device, or a Vulkan version as such.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Major and minor API version.
    pub api_version: (u32, u32),
    /// Enabled features by name; none when every feature is on.
    features: Option<BTreeSet<String>>,
    /// Features that are off although every feature is on otherwise.
    features_off: BTreeSet<String>,
    /// Enabled extensions by name; none when every extension is.
    extensions: Option<BTreeSet<String>>,
    /// Limits and other properties by name; flags and booleans as numbers. What is missing is not checked.
    properties: BTreeMap<String, i64>,
    /// Limits that are not a whole numbers, by name: bits of an `f64`.
    reals: BTreeMap<String, u64>,
    /// Cooperative matrices that the device lists; none when the list is not known.
    pub cooperative_matrices: Option<Vec<CooperativeMatrixProperties>>,
    /// Multiplications of cooperative vectors that the device lists; none when the list is not known.
    pub cooperative_vectors: Option<Vec<CooperativeVectorProperties>>,
}

impl Device {
    /// A Vulkan version with every feature and extension, and without limits.
    pub fn version(major: u32, minor: u32) -> Device {
        Device {
            api_version: (major, minor),
            features: None,
            features_off: BTreeSet::new(),
            extensions: None,
            properties: BTreeMap::new(),
            reals: BTreeMap::new(),
            cooperative_matrices: None,
            cooperative_vectors: None,
        }
    }

    /// The newest version with every feature and extension, and without limits.
    pub fn everything() -> Device {
        Device::version(1, 4)
    }

    /// A device of a version with no features, extensions or known limits yet.
    pub fn bare(major: u32, minor: u32) -> Device {
        Device {
            features: Some(BTreeSet::new()),
            extensions: Some(BTreeSet::new()),
            ..Device::version(major, minor)
        }
    }

    /// Turns a feature on or off, by its name in the API, such as `shaderFloat64`.
    pub fn set_feature(&mut self, name: &str, is_on: bool) {
        match (&mut self.features, is_on) {
            (Some(features), true) => drop(features.insert(key(name))),
            (Some(features), false) => drop(features.remove(&key(name))),
            (None, true) => drop(self.features_off.remove(&key(name))),
            (None, false) => drop(self.features_off.insert(key(name))),
        }
    }

    /// Makes a device that has every extension one that names those that it has, with none so far.
    pub fn forget_extensions(&mut self) {
        self.extensions = Some(BTreeSet::new());
    }

    /// Adds an extension, by its name in the API, such as `VK_KHR_shader_clock`.
    pub fn add_extension(&mut self, name: &str) {
        if let Some(extensions) = &mut self.extensions {
            extensions.insert(name.to_owned());
        }
    }

    /// Sets a limit or another property, by its name in the API; elements of arrays with their index, such as
    /// `maxComputeWorkGroupSize[0]`. Flags and booleans are numbers.
    pub fn set_property(&mut self, name: &str, value: i64) {
        self.properties.insert(key(name), value);
    }

    /// Sets a limit that may be a fraction, such as `minInterpolationOffset`.
    pub fn set_real(&mut self, name: &str, value: f64) {
        self.reals.insert(key(name), value.to_bits());
        self.set_property(name, value as i64);
    }

    /// Whether a feature is on.
    pub fn has_feature(&self, name: &str) -> bool {
        match &self.features {
            Some(features) => features.contains(&key(name)),
            None => self.features_off.is_empty() || !self.features_off.contains(&key(name)),
        }
    }

    /// Whether an extension is enabled.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.as_ref().is_none_or(|extensions| extensions.contains(name))
    }

    /// Whether the extensions are known, not just all allowed.
    pub fn names_extensions(&self) -> bool {
        self.extensions.is_some()
    }

    /// A limit or another property; none when it is not known.
    pub fn property(&self, name: &str) -> Option<i64> {
        self.properties.get(&key(name)).copied()
    }

    /// A limit that may be a fraction; none when it is not known.
    pub fn real(&self, name: &str) -> Option<f64> {
        let real = self.reals.get(&key(name)).map(|bits| f64::from_bits(*bits));
        real.or_else(|| self.property(name).map(|value| value as f64))
    }

    /// Whether a property has one of the bits, or is not known.
    pub fn has_property(&self, name: &str, bits: i64) -> bool {
        self.property(name).is_none_or(|found| found & bits != 0)
    }

    /// The newest SPIR-V that the version takes.
    pub fn spirv_version(&self) -> (u8, u8) {
        match self.api_version {
            (0, _) | (1, 0) => (1, 0),
            (1, 1) if self.extensions.is_some() && self.has_extension("VK_KHR_spirv_1_4") => (1, 4),
            (1, 1) => (1, 3),
            (1, 2) => (1, 5),
            _ => (1, 6),
        }
    }

    /// Whether a requirement as in the tables is met: a version, an extension, a feature, or a property's
    /// bits.
    fn meets(&self, requirement: &str) -> bool {
        if let Some((major, minor)) = requirement.split_once('.') {
            let wanted = (major.parse().unwrap_or(0), minor.parse().unwrap_or(0));
            return self.api_version >= wanted;
        }
        match requirement.split_once(':') {
            Some((name, bits)) => self.has_property(name, bits.parse().unwrap_or(-1)),
            None if requirement.starts_with("VK_") => self.has_extension(requirement),
            None => self.has_feature(requirement),
        }
    }

    /// Why a capability is not allowed, if it is not: none of its requirements is met.
    pub fn refusal_of_capability(&self, capability: Capability) -> Option<&'static [&'static str]> {
        self.refusal_of_capability_value(capability as u32)
    }

    /// The same for a capability by value, which [`Capability`] may lack.
    pub fn refusal_of_capability_value(&self, capability: u32) -> Option<&'static [&'static str]> {
        let requirements = capability_value_requirements(capability)?;
        (!requirements.iter().any(|requirement| self.meets(requirement))).then_some(requirements)
    }

    /// Why a SPIR-V extension is not allowed, if it is not: none of its requirements is met.
    pub fn refusal_of_extension(&self, name: &str) -> Option<&'static [&'static str]> {
        let requirements = extension_requirements(name)?;
        (!requirements.iter().any(|requirement| self.meets(requirement))).then_some(requirements)
    }
}

/// Names are the same in camel and snake case.
fn key(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

type Requirements = &'static [&'static str];

fn rows(text: &'static str) -> impl Iterator<Item = (&'static str, Requirements)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t')).map(|(name, list)| {
        let requirements: Vec<&'static str> = list.split_whitespace().collect();
        // The tables live as long as the program.
        (name, &*requirements.leak())
    })
}

/// By value.
fn capability_table() -> &'static HashMap<u32, Requirements> {
    static TABLE: OnceLock<HashMap<u32, Requirements>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let known = rows(include_str!("capabilities.tsv"));
        let value = |name| grammar::enumerant_value(OperandKind::Capability, name);
        known.filter_map(|(name, list)| Some((value(name)?, list))).collect()
    })
}

fn extension_table() -> &'static HashMap<&'static str, Requirements> {
    static TABLE: OnceLock<HashMap<&'static str, Requirements>> = OnceLock::new();
    TABLE.get_or_init(|| rows(include_str!("extensions.tsv")).collect())
}

/// What allows a capability in Vulkan, one of; none for capabilities that Vulkan does not know.
pub fn capability_requirements(capability: Capability) -> Option<&'static [&'static str]> {
    capability_value_requirements(capability as u32)
}

/// The same for a capability by value, which [`Capability`] may lack.
pub(crate) fn capability_value_requirements(capability: u32) -> Option<&'static [&'static str]> {
    capability_table().get(&capability).copied()
}

/// What allows a SPIR-V extension in Vulkan, one of; none for extensions that Vulkan does not know.
pub fn extension_requirements(name: &str) -> Option<&'static [&'static str]> {
    extension_table().get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_need_what_the_table_says() {
        let mut device = Device::bare(1, 0);
        assert!(device.refusal_of_capability(Capability::Float64).is_some());
        device.set_feature("shaderFloat64", true);
        assert!(device.refusal_of_capability(Capability::Float64).is_none());
        assert!(Device::everything().refusal_of_capability(Capability::Float64).is_none());
        assert!(device.refusal_of_capability(Capability::Shader).is_none());
        // Not in Vulkan at all: other rules say so.
        assert!(capability_requirements(Capability::Kernel).is_none());
    }

    #[test]
    fn one_feature_can_be_turned_off() {
        let mut device = Device::everything();
        device.set_feature("shaderFloat64", false);
        assert!(!device.has_feature("shaderFloat64") && device.has_feature("shaderInt64"));
        assert!(device.has_feature("maintenance4") && device.has_feature("meshShader"));
        device.set_feature("shaderFloat64", true);
        assert_eq!(device, Device::everything());
    }

    #[test]
    fn versions_take_their_spirv() {
        let versions = [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4)].map(|(major, minor)| {
            let mut device = Device::version(major, minor);
            device.extensions = Some(BTreeSet::new());
            device.spirv_version()
        });
        assert_eq!(versions, [(1, 0), (1, 3), (1, 5), (1, 6), (1, 6)]);
    }

    #[test]
    fn properties_allow_when_unknown() {
        let mut device = Device::bare(1, 1);
        assert!(device.refusal_of_capability(Capability::GroupNonUniformVote).is_none());
        device.set_property("subgroupSupportedOperations", 1);
        assert!(device.refusal_of_capability(Capability::GroupNonUniformVote).is_some());
        device.set_property("subgroupSupportedOperations", 3);
        assert!(device.refusal_of_capability(Capability::GroupNonUniformVote).is_none());
    }

    #[test]
    fn most_names_are_known() {
        let known = rows(include_str!("capabilities.tsv")).count();
        assert!(capability_table().len() * 10 >= known * 9, "{} of {known}", capability_table().len());
    }
}
