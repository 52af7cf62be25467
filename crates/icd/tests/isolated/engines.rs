//! What instances print and list for engines of some names.

use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::InProcess;
use vulkanalia::prelude::v1_0::*;

/// Creates two instances for an engine of this name.
fn create_instances(engine: &[u8]) {
    let application = vk::ApplicationInfo::builder().engine_name(engine);
    let info = vk::InstanceCreateInfo::builder().application_info(&application);
    for _ in 0..2 {
        unsafe {
            let entry = Entry::new(InProcess).expect("the driver's commands");
            let instance = entry.create_instance(&info, None).expect("an instance");
            instance.destroy_instance(None);
        }
    }
}

/// How often a process told the user which variable to set.
fn times_told(test: &str, variables: &[(&str, &str)]) -> usize {
    let output = output_of_child(module_path!(), test, variables);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).matches("set PYROCLAST_CONFORMANCE_VERSION").count()
}

#[test]
fn wgpu_is_told_once() {
    if is_child() {
        return create_instances(b"wgpu-hal\0");
    }
    assert_eq!(times_told("wgpu_is_told_once", &[("PYROCLAST_CONFORMANCE_VERSION", "")]), 1);
    assert_eq!(times_told("wgpu_is_told_once", &[("PYROCLAST_CONFORMANCE_VERSION", "1.3.0.0")]), 0);
}

#[test]
fn other_engines_are_told_nothing() {
    if is_child() {
        return create_instances(b"Dawn\0");
    }
    assert_eq!(times_told("other_engines_are_told_nothing", &[]), 0);
}

#[test]
fn angle_does_not_find_what_it_uses_wrongly() {
    let extensions = |engine: &[u8]| {
        let application = vk::ApplicationInfo::builder().engine_name(engine);
        let info = vk::InstanceCreateInfo::builder().application_info(&application);
        unsafe {
            let entry = Entry::new(InProcess).expect("the driver's commands");
            let instance = entry.create_instance(&info, None).expect("an instance");
            let device = instance.enumerate_physical_devices().expect("physical devices")[0];
            let found = instance.enumerate_device_extension_properties(device, None).expect("extensions");
            instance.destroy_instance(None);
            found.iter().map(|extension| extension.extension_name.to_string()).collect::<Vec<_>>()
        }
    };
    let mut others = extensions(b"another\0");
    let count = others.len();
    others.retain(|name| name != "VK_EXT_multisampled_render_to_single_sampled");
    assert_eq!(others.len(), count - 1);
    assert_eq!(extensions(b"ANGLE\0"), others);
}
