//! `pyroclast info`: what the device offers, as a table or as JSON.
#![allow(unsafe_code)] // Vulkan queries

use crate::client::Driver;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use vulkanalia::prelude::v1_2::*;

/// How to show it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A capture, to show what is in it instead.
    capture: Option<std::path::PathBuf>,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// Features that are off, too (in the table; JSON always has them).
    #[arg(long)]
    all: bool,
}

/// The fields of a plain Vulkan structure, read off its `Debug` form (`Name { field: value, … }`), whose
/// field names are those of the API in snake case. Chain pointers are left out.
pub(crate) fn fields(debug: &str) -> Map<String, Value> {
    let inner = debug.split_once('{').map_or("", |(_, rest)| rest.trim_end().trim_end_matches('}'));
    let mut depth = 0;
    let mut parts = vec![String::new()];
    for character in inner.chars() {
        match character {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts
        .iter()
        .filter_map(|part| part.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim()))
        .filter(|(name, _)| name != "s_type" && name != "next")
        .map(|(name, value)| (name, serde_json::from_str(value).unwrap_or_else(|_| json!(value))))
        .collect()
}

/// Feature bits as true and false.
fn feature_fields(debug: &str) -> Map<String, Value> {
    fields(debug).into_iter().map(|(name, value)| (name, json!(value == json!(1)))).collect()
}

/// Everything, as one JSON object.
fn collect(driver: &Driver) -> Result<Value> {
    let (instance, device) = (&driver.instance, driver.physical_device);
    let mut subgroup = vk::PhysicalDeviceSubgroupProperties::default();
    let mut driver_properties = vk::PhysicalDeviceDriverProperties::default();
    let mut properties =
        vk::PhysicalDeviceProperties2::builder().push_next(&mut subgroup).push_next(&mut driver_properties);
    let mut vulkan11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features =
        vk::PhysicalDeviceFeatures2::builder().push_next(&mut vulkan11).push_next(&mut vulkan12);
    // SAFETY: the device belongs to the instance, and the chains live through the calls.
    let (extensions, memory, families) = unsafe {
        instance.get_physical_device_properties2(device, &mut properties);
        instance.get_physical_device_features2(device, &mut features);
        (
            instance.enumerate_device_extension_properties(device, None).context("extensions")?,
            instance.get_physical_device_memory_properties(device),
            instance.get_physical_device_queue_family_properties(device),
        )
    };
    let (limits, core_features) = (properties.properties.limits, features.features);
    let properties = properties.properties;
    let version = properties.api_version;
    let mut extensions: Vec<String> =
        extensions.iter().map(|extension| extension.extension_name.to_string()).collect();
    extensions.sort();
    let heaps = &memory.memory_heaps[..memory.memory_heap_count as usize];
    let types = &memory.memory_types[..memory.memory_type_count as usize];
    Ok(json!({
        "name": properties.device_name.to_string(),
        "type": format!("{:?}", properties.device_type),
        "api_version": format!("{}.{}.{}", vk::version_major(version), vk::version_minor(version), vk::version_patch(version)),
        "driver": driver_properties.driver_name.to_string(),
        "shaders_run_on": pyro_compile::Backend::explanation(),
        "driver_info": driver_properties.driver_info.to_string(),
        "subgroup_size": subgroup.subgroup_size,
        "subgroup_operations": format!("{:?}", subgroup.supported_operations),
        "queue_families": families.iter().map(|family| json!({
            "queues": family.queue_count, "flags": format!("{:?}", family.queue_flags),
        })).collect::<Vec<_>>(),
        "memory_heaps": heaps.iter().map(|heap| json!({
            "bytes": heap.size, "flags": format!("{:?}", heap.flags),
        })).collect::<Vec<_>>(),
        "memory_types": types.iter().map(|memory_type| json!({
            "heap": memory_type.heap_index, "flags": format!("{:?}", memory_type.property_flags),
        })).collect::<Vec<_>>(),
        "limits": fields(&format!("{limits:?}")),
        "features": {
            "1.0": feature_fields(&format!("{core_features:?}")),
            "1.1": feature_fields(&format!("{vulkan11:?}")),
            "1.2": feature_fields(&format!("{vulkan12:?}")),
        },
        "extensions": extensions,
    }))
}

/// Prints an object's scalars as an indented table.
fn print_table(title: &str, value: &Value, all: bool) {
    println!("{title}");
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter().filter(|(_, value)| all || **value != json!(false)) {
                match value {
                    Value::String(text) => println!("  {name:<52} {text}"),
                    other => println!("  {name:<52} {other}"),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                match item {
                    Value::String(text) => println!("  {text}"),
                    other => println!("  {other}"),
                }
            }
        }
        other => println!("  {other}"),
    }
}

/// Shows the device.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(capture) = &arguments.capture {
        return super::capture_info::run(capture, arguments.json);
    }
    let info = collect(&Driver::open()?)?;
    if arguments.json {
        println!("{info:#}");
        return Ok(());
    }
    let plain: Map<String, Value> = info
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !value.is_object() && !value.is_array())
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    print_table("device", &Value::Object(plain), true);
    for part in ["queue_families", "memory_heaps", "memory_types", "limits", "extensions"] {
        print_table(part, &info[part], true);
    }
    for version in ["1.0", "1.1", "1.2"] {
        print_table(&format!("features of Vulkan {version}"), &info["features"][version], arguments.all);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_forms_become_fields() {
        let map = fields("Limits { s_type: X(1), next: 0x0, a: 7, b: [1, 2], c: Flags(A | B), d: 1.5 }");
        assert_eq!(Value::Object(map), json!({"a": 7, "b": [1, 2], "c": "Flags(A | B)", "d": 1.5}));
    }
}
