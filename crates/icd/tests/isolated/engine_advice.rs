//! What instances of engines that hide the device print.

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
