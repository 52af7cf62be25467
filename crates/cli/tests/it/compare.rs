//! `pyroclast compare` of captures: the first call and the first command whose results differ.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the Vulkan API

use crate::support::{Folder, pyroclast, text};
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::compute::{Compute, adding};
use serde_json::Value;
use vulkanalia::prelude::v1_3::*;

/// Which dispatch adds something else.
const OTHER: &str = "COMPARE_OTHER_DISPATCH";
/// Dispatches in the second submission.
const DISPATCHES: u32 = 7;

/// The program that is captured: a submission with one dispatch, and one with several, each of which adds its
/// number to a word.
#[test]
fn dispatches_for_other_tests() {
    if !is_child() {
        return;
    }
    let other: u32 = std::env::var(OTHER).expect("a number").parse().expect("a number");
    let compute = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let buffer = compute.buffer(16);
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = compute.set_layout(flags, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = compute.layout(&[set_layout]);
    let set = compute.set(set_layout);
    compute.write(set, buffer.buffer);
    let pipeline = compute.pipeline(layout, &adding());
    let device = &compute.device;
    for dispatches in [0..1, 1..1 + DISPATCHES] {
        compute.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            for number in dispatches {
                let word = if number == other { 1000 } else { number };
                let stages = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(commands, layout, stages, 0, &word.to_ne_bytes());
                device.cmd_dispatch(commands, 1, 1, 1);
                let barrier = vk::MemoryBarrier::builder()
                    .src_access_mask(vk::AccessFlags::SHADER_WRITE)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ);
                device.cmd_pipeline_barrier(
                    commands,
                    vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::DependencyFlags::empty(),
                    &[barrier],
                    &[] as &[vk::BufferMemoryBarrier],
                    &[] as &[vk::ImageMemoryBarrier],
                );
            }
        });
    }
}

/// A capture of it.
fn capture(folder: &Folder, other: u32) -> String {
    let file = folder.path(&format!("{other}.pyro"));
    let environment = [("PYROCLAST_CAPTURE", file.as_str()), (OTHER, &other.to_string())];
    let output = output_of_child(module_path!(), "dispatches_for_other_tests", &environment);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// What the comparison says, with its exit code.
fn compare(arguments: &[&str]) -> (Option<i32>, String) {
    let output = pyroclast(&[&["compare"], arguments].concat());
    (output.status.code(), format!("{}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn the_first_dispatch_that_differs_is_named() {
    let folder = Folder::new("compare");
    let same = capture(&folder, 99);
    for other in [1, 4, DISPATCHES] {
        let file = capture(&folder, other);
        let (code, said) = compare(&[&same, &file]);
        assert_eq!(code, Some(1), "{said}");
        let call = format!("(vkCmdPushConstants, before event {other}, of submission 1): vkCmdPushConstants");
        assert!(said.contains(&call), "{said}");
        let results = format!(
            "the first results that differ: those of event {other}, vkCmdDispatch, of submission 1, command {} of \
             its {DISPATCHES} ",
            other - 1
        );
        assert!(said.contains(&results), "{said}");
    }
    let (_, said) = compare(&["--json", &same, &folder.path("4.pyro")]);
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((&said["results"]["event"], &said["results"]["submission"]), (&4.into(), &1.into()), "{said}");
    // In the submission before, as well.
    let (_, said) = compare(&[&same, &capture(&folder, 0)]);
    assert!(said.contains("those of event 0, vkCmdDispatch, of submission 0, command 0 of its 1 "), "{said}");
}

#[test]
fn equal_captures_and_executors_do_not_differ() {
    let folder = Folder::new("compare-equal");
    let file = capture(&folder, 99);
    let again = folder.path("again.pyro");
    std::fs::copy(&file, &again).expect("a copy");
    let (code, said) = compare(&[&file, &again]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("the calls are the same") && said.contains("the results are the same"), "{said}");
    let (code, said) = compare(&[&file, "--cpu", "interpreter"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, said) = compare(&[&file, "--cpu", "interpreter,interpreter"]);
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = compare(&[&file, &folder.path("none.pyro")]);
    assert_eq!(code, Some(2), "{said}");
}
