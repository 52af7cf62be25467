//! What shaders are checked against: presets, this driver, or a profile.
#![allow(unsafe_code)] // Vulkan queries

use crate::client::Driver;
use anyhow::{Context, Result, bail};
use pyro_validate::{Device, Environment, LayoutFeatures};
use serde_json::Value;
use std::path::Path;
use vulkanalia::prelude::v1_2::*;

/// The names that `--env` takes besides paths of profiles.
pub(crate) const PRESETS: [&str; 7] =
    ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4", "everything", "driver"];

/// The environment of a preset's name or a profile's path.
pub(crate) fn environment(name: &str) -> Result<Environment> {
    let version = name.strip_prefix("vulkan1.").and_then(|minor| minor.parse().ok());
    let (device, layout) = match (name, version) {
        // Block layouts are those that need no feature: that one may be enabled does not make a shader
        // portable.
        (_, Some(minor @ 0..=4)) => {
            let layout = LayoutFeatures { relaxed: minor > 0, ..LayoutFeatures::default() };
            (Device::version(1, minor), Some(layout))
        }
        ("everything", _) => (Device::everything(), None),
        ("driver", _) => (driver()?, None),
        _ => (profile(Path::new(name))?, None),
    };
    let layout = layout.unwrap_or_else(|| LayoutFeatures::of(&device));
    Ok(Environment { strict: true, layout, device: Some(device), ..Environment::default() })
}

/// A profile in the format of the Vulkan profiles tools: the first of the file's profiles, with all the
/// capabilities that it requires.
fn profile(path: &Path) -> Result<Device> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| {
        format!("'{name}' is neither one of {} nor a profile that can be read", PRESETS.join(", "))
    })?;
    let json: Value = serde_json::from_str(&text).with_context(|| format!("{name} is not JSON"))?;
    device_of_profile(&json).with_context(|| format!("{name} is not a Vulkan profile"))
}

fn device_of_profile(json: &Value) -> Result<Device> {
    let profiles = json["profiles"].as_object().context("it has no 'profiles'")?;
    let (_, profile) = profiles.iter().next().context("it has no profile")?;
    let version = profile["api-version"].as_str().context("the profile has no 'api-version'")?;
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (numbers.next(), numbers.next()) else {
        bail!("the version '{version}' is not like 1.2.0");
    };
    let mut device = Device::bare(major, minor);
    let wanted = profile["capabilities"].as_array().context("the profile has no 'capabilities'")?;
    for name in wanted {
        // Of alternatives, the first.
        let name = name.as_array().and_then(|list| list.first()).unwrap_or(name);
        let block = name.as_str().map(|name| &json["capabilities"][name]);
        let block = block.filter(|block| block.is_object());
        read_capabilities(block.with_context(|| format!("there are no capabilities {name}"))?, &mut device);
    }
    Ok(device)
}

fn read_capabilities(block: &Value, device: &mut Device) {
    for (name, _) in block["extensions"].as_object().into_iter().flatten() {
        device.add_extension(name);
    }
    for (_, structure) in block["features"].as_object().into_iter().flatten() {
        for (name, value) in structure.as_object().into_iter().flatten() {
            if value.as_bool() == Some(true) {
                device.set_feature(name, true);
            }
        }
    }
    for (_, structure) in block["properties"].as_object().into_iter().flatten() {
        read_properties(structure, device);
    }
}

/// Numbers, booleans and arrays of numbers; what lies in structures in structures likewise.
fn read_properties(structure: &Value, device: &mut Device) {
    for (name, value) in structure.as_object().into_iter().flatten() {
        match value {
            Value::Bool(value) => device.set_property(name, i64::from(*value)),
            Value::Number(value) => match (value.as_i64(), value.as_f64()) {
                (Some(value), _) => device.set_property(name, value),
                (None, Some(value)) => device.set_real(name, value),
                (None, None) => {}
            },
            Value::Array(values) => {
                for (index, value) in values.iter().enumerate() {
                    if let Some(value) = value.as_i64() {
                        device.set_property(&format!("{name}[{index}]"), value);
                    }
                }
            }
            Value::Object(_) => read_properties(value, device),
            Value::String(_) | Value::Null => {}
        }
    }
}

/// Asks for feature structures, and reads the names of those that are on off their `Debug` form.
macro_rules! query_features {
    ($driver:expr, $device:expr, $($structure:ident)+) => {
        $({
            let mut found = vk::$structure::default();
            let mut features = vk::PhysicalDeviceFeatures2::builder().push_next(&mut found);
            // SAFETY: the device belongs to the instance, and the chain lives through the call.
            unsafe {
                $driver.instance.get_physical_device_features2($driver.physical_device, &mut features);
            }
            for (name, value) in crate::commands::info::fields(&format!("{found:?}")) {
                if value == 1 {
                    $device.set_feature(&name, true);
                }
            }
        })+
    };
}

/// The same for property structures.
macro_rules! query_properties {
    ($driver:expr, $device:expr, $($structure:ident)+) => {
        $({
            let mut found = vk::$structure::default();
            let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut found);
            // SAFETY: as above.
            unsafe {
                $driver.instance.get_physical_device_properties2($driver.physical_device, &mut properties);
            }
            read_properties(&Value::Object(crate::commands::info::fields(&format!("{found:?}"))), &mut $device);
        })+
    };
}

/// What this driver says of itself.
fn driver() -> Result<Device> {
    let driver = Driver::open()?;
    // SAFETY: the physical device belongs to the instance.
    let (properties, features, extensions) = unsafe {
        (
            driver.instance.get_physical_device_properties(driver.physical_device),
            driver.instance.get_physical_device_features(driver.physical_device),
            driver.instance.enumerate_device_extension_properties(driver.physical_device, None)?,
        )
    };
    let version = properties.api_version;
    let mut device = Device::bare(vk::version_major(version), vk::version_minor(version));
    extensions.iter().for_each(|extension| device.add_extension(&extension.extension_name.to_string()));
    for (name, value) in crate::commands::info::fields(&format!("{features:?}")) {
        device.set_feature(&name, value == 1);
    }
    read_properties(
        &Value::Object(crate::commands::info::fields(&format!("{:?}", properties.limits))),
        &mut device,
    );
    query_features!(driver, device,
        PhysicalDeviceVulkan11Features PhysicalDeviceVulkan12Features PhysicalDeviceVulkan13Features
        PhysicalDeviceShaderAtomicFloatFeaturesEXT PhysicalDeviceShaderAtomicFloat2FeaturesEXT
        PhysicalDeviceShaderClockFeaturesKHR PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR
        PhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR PhysicalDeviceMeshShaderFeaturesEXT
        PhysicalDeviceShaderExpectAssumeFeatures PhysicalDeviceShaderFloatControls2Features
        PhysicalDeviceShaderSubgroupRotateFeatures PhysicalDeviceShaderMaximalReconvergenceFeaturesKHR
        PhysicalDeviceShaderQuadControlFeaturesKHR PhysicalDeviceTransformFeedbackFeaturesEXT
        PhysicalDeviceRayTracingPipelineFeaturesKHR PhysicalDeviceRayQueryFeaturesKHR
        PhysicalDeviceFragmentShaderBarycentricFeaturesKHR PhysicalDeviceFragmentShaderInterlockFeaturesEXT
        PhysicalDeviceShaderDemoteToHelperInvocationFeatures PhysicalDeviceShaderTerminateInvocationFeatures
        PhysicalDeviceShaderIntegerDotProductFeatures PhysicalDeviceMaintenance4Features
        PhysicalDeviceZeroInitializeWorkgroupMemoryFeatures PhysicalDeviceShaderImageAtomicInt64FeaturesEXT
        PhysicalDeviceComputeShaderDerivativesFeaturesKHR PhysicalDeviceCooperativeMatrixFeaturesKHR
        PhysicalDeviceFragmentShadingRateFeaturesKHR
    );
    query_properties!(driver, device,
        PhysicalDeviceSubgroupProperties PhysicalDeviceFloatControlsProperties PhysicalDeviceVulkan12Properties
        PhysicalDeviceMeshShaderPropertiesEXT PhysicalDeviceRayTracingPipelinePropertiesKHR
    );
    // Stages and operations are flags, whose form is not a number.
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut chain = vk::PhysicalDeviceProperties2::builder().push_next(&mut subgroup);
    // SAFETY: as above.
    unsafe { driver.instance.get_physical_device_properties2(driver.physical_device, &mut chain) };
    device.set_property("subgroupSupportedOperations", subgroup.supported_operations.bits().into());
    device.set_property("subgroupSupportedStages", subgroup.supported_stages.bits().into());
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_profile_is_read() {
        let profile = json!({
            "capabilities": { "base": {
                "extensions": { "VK_KHR_shader_clock": 1 },
                "features": { "VkPhysicalDeviceFeatures": { "shaderFloat64": true, "shaderInt64": false } },
                "properties": { "VkPhysicalDeviceProperties": { "limits": {
                    "maxComputeWorkGroupSize": [512, 256, 64], "maxComputeWorkGroupInvocations": 512,
                } } },
            } },
            "profiles": { "VP_TEST_one": { "api-version": "1.1.120", "capabilities": ["base"] } },
        });
        let device = device_of_profile(&profile).expect("a profile");
        assert_eq!(device.api_version, (1, 1));
        assert!(device.has_feature("shaderFloat64") && !device.has_feature("shaderInt64"));
        assert!(device.has_extension("VK_KHR_shader_clock") && !device.has_extension("VK_KHR_multiview"));
        assert_eq!(device.property("maxComputeWorkGroupSize[1]"), Some(256));
        assert_eq!(device.property("maxComputeWorkGroupInvocations"), Some(512));
        assert!(device_of_profile(&json!({ "profiles": {} })).is_err());
    }

    #[test]
    fn presets_are_known() {
        for preset in PRESETS {
            assert!(environment(preset).is_ok(), "{preset}");
        }
        assert!(environment("vulkan1.9").is_err());
        let driver = environment("driver").expect("the driver");
        let device = driver.device.expect("a device");
        assert_eq!(device.property("maxComputeWorkGroupInvocations"), Some(1024));
    }
}
