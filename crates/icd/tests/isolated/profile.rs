//! What a profile is told by the entry points.

use pyro_test_environment::in_child;
use pyro_test_kit::Client;
use pyro_test_kit::compute::{Compute, shader};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDebugUtilsExtensionInstanceCommands as _;

fn label(name: &[u8]) -> vk::DebugUtilsLabelEXT {
    vk::DebugUtilsLabelEXT::builder().label_name(name).build()
}

/// Passes have the names of the labels of queues and command buffers around them, and pipelines the names
/// that the application gives them.
#[test]
fn labels_and_names_are_those_of_the_application() {
    let file = std::env::temp_dir().join(format!("pyroclast-names-{}.profile", std::process::id()));
    let path = file.to_str().expect("a name");
    if !in_child(
        module_path!(),
        "labels_and_names_are_those_of_the_application",
        &[("PYROCLAST_PROFILE", path)],
    ) {
        std::fs::remove_file(&file).expect("the profile of the process");
        return;
    }
    let client: Compute = Client::new(vk::make_version(1, 2, 0), &[c"VK_EXT_debug_utils"])
        .device(&[], None, std::ptr::null_mut())
        .into();
    let (instance, device, queue) = (&client.instance, &client.device, client.queue);
    let set_layout = client.set_layout(Default::default(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set) = (client.layout(&[set_layout]), client.set(set_layout));
    let buffer = client.buffer(16);
    client.write(set, buffer.buffer);
    let pipeline = client.pipeline(
        layout,
        &shader(
            "%place = OpAccessChain %word %buffer %uint_0 %uint_1
             OpStore %place %uint_1",
        ),
    );
    let dispatch = |inner: Option<&[u8]>| {
        client.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            if let Some(name) = inner {
                instance.cmd_begin_debug_utils_label_ext(commands, &label(name));
            }
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
            if inner.is_some() {
                instance.cmd_end_debug_utils_label_ext(commands);
                // One more than there are leaves the queue's.
                instance.cmd_end_debug_utils_label_ext(commands);
            }
            device.cmd_dispatch(commands, 2, 1, 1);
        });
    };
    unsafe {
        let name = vk::DebugUtilsObjectNameInfoEXT::builder()
            .object_type(vk::ObjectType::PIPELINE)
            .object_handle(pipeline.as_raw())
            .object_name(b"particles\0");
        instance.set_debug_utils_object_name_ext(device.handle(), &name).expect("named");
        instance.queue_begin_debug_utils_label_ext(queue, &label(b"frame\0"));
        instance.queue_begin_debug_utils_label_ext(queue, &label(b"simulation\0"));
        dispatch(Some(b"step\0"));
        instance.queue_end_debug_utils_label_ext(queue);
        dispatch(None);
        instance.queue_end_debug_utils_label_ext(queue);
        dispatch(None);
    }
    assert_eq!(buffer.words()[1], 1);
    let recorded = pyro_profiler::commands::recorded();
    let path_of = |mut pass: u32| {
        let mut names = Vec::new();
        while pass != 0 {
            let one = &recorded.passes[pass as usize];
            names.insert(0, one.name.as_str());
            pass = one.parent;
        }
        names.join("/")
    };
    let mut found: Vec<(String, u32, &str)> = recorded
        .commands
        .iter()
        .filter(|command| command.kind == "dispatch")
        .map(|command| {
            let pipeline = recorded.pipelines[command.pipeline as usize].split(':').next();
            (path_of(command.pass), command.size[0], pipeline.unwrap_or_default())
        })
        .collect();
    found.sort();
    let expected =
        [("", 1), ("", 2), ("frame", 1), ("frame", 2), ("frame/simulation", 2), ("frame/simulation/step", 1)];
    assert_eq!(found, expected.map(|(pass, size)| (pass.to_owned(), size, "particles")));
}
