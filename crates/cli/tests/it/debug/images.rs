//! Images as variables.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // calls of the Vulkan API

use super::client::Client;
use super::{Folder, compile, script, text};
use pyro_test_environment::{is_child, output_of_child};
use pyro_test_kit::LinearImage;
use pyro_test_kit::compute::Compute;
use serde_json::{Value, json};
use std::path::Path;
use std::slice;
use vulkanalia::prelude::v1_3::*;

/// Lines are counted on.
const SHADER: &str = "\
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var drawn: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(i32(id.x), 1);
    var texel = textureLoad(source, at, 0);
    var half = texel * 0.5;
    textureStore(drawn, at, half);
    textureStore(drawn, at + vec2<i32>(4, 0), texel);
}
";

/// The module of the shader, in the capture's folder.
const MODULE: &str = "images.spv";

/// The program that is captured: texel (x, y) of the source is (16 x, 100 y, 3, 255).
#[test]
fn images_for_other_tests() {
    if !is_child() {
        return;
    }
    let file = std::env::var("PYROCLAST_CAPTURE").expect("it is captured");
    let bytes = std::fs::read(Path::new(&file).with_file_name(MODULE)).expect("the module");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let compute = Compute::new(vk::make_version(1, 3, 0), &[], std::ptr::null_mut());
    let image = |usage| LinearImage::new(&compute, vk::Format::R8G8B8A8_UNORM, [8, 2], usage);
    let (source, drawn) = (image(vk::ImageUsageFlags::SAMPLED), image(vk::ImageUsageFlags::STORAGE));
    for (x, y) in (0..8).flat_map(|x| [(x, 0), (x, 1)]) {
        source.put(x, y, [16 * x as u8, 100 * y as u8, 3, 255]);
    }
    let types = [vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::STORAGE_IMAGE];
    let flags = vk::DescriptorSetLayoutCreateFlags::empty();
    let set_layout = compute.set_layout(flags, &types.map(|ty| (ty, 1)));
    let (layout, set) = (compute.layout(&[set_layout]), compute.set_of(set_layout, &types.map(|ty| (ty, 1))));
    let device = &compute.device;
    unsafe {
        for (binding, (ty, image)) in (0..).zip(types.into_iter().zip([source, drawn])) {
            let info = vk::DescriptorImageInfo {
                image_view: image.view,
                image_layout: vk::ImageLayout::GENERAL,
                ..Default::default()
            };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(ty)
                .image_info(slice::from_ref(&info));
            device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
        }
        let pipeline = compute.pipeline_of(layout, &words);
        compute.run(|commands| {
            let to_general = |image: &LinearImage| {
                vk::ImageMemoryBarrier::builder()
                    .old_layout(vk::ImageLayout::PREINITIALIZED)
                    .new_layout(vk::ImageLayout::GENERAL)
                    .image(image.image)
                    .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)
                    .subresource_range(vk::ImageSubresourceRange {
                        aspect_mask: vk::ImageAspectFlags::COLOR,
                        level_count: 1,
                        layer_count: 1,
                        ..Default::default()
                    })
                    .build()
            };
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::HOST,
                vk::PipelineStageFlags::COMPUTE_SHADER,
                vk::DependencyFlags::empty(),
                &[] as &[vk::MemoryBarrier],
                &[] as &[vk::BufferMemoryBarrier],
                &[source, drawn].map(|image| to_general(&image)),
            );
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(drawn.texel(2, 1, 4), [16, 50, 2, 128]);
        [source, drawn].into_iter().for_each(|image| image.destroy(&compute));
    }
}

/// A capture of it.
fn capture(folder: &Folder) -> String {
    let [shader, module, file] = ["fine.wgsl", MODULE, "images.pyro"].map(|name| folder.path(name));
    std::fs::write(&shader, SHADER).expect("a file");
    compile(&shader, &module);
    let output = output_of_child(module_path!(), "images_for_other_tests", &[("PYROCLAST_CAPTURE", &file)]);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    file
}

/// A component of eight bits.
fn unorm(value: f32) -> String {
    format!("{:?}", value / 255.0)
}

#[test]
fn images_are_variables_with_texels() {
    let folder = Folder::new("images");
    let file = capture(&folder);
    let mut client = Client::start(&[&file]);
    client.launch(json!({ "target": { "local": [2, 0, 0] } }), |client| {
        client.break_at(json!([{ "line": 7 }]));
    });
    let texel = |x: f32, y: f32| format!("({}, {}, {}, 1.0)", unorm(16.0 * x), unorm(100.0 * y), unorm(3.0));
    assert_eq!(client.value("source"), "8 x 2, R8G8B8A8_UNORM");
    assert_eq!(client.value("source[1]"), "8 texels");
    for (x, y) in [(0, 0), (2, 1), (7, 1)] {
        assert_eq!(client.value(&format!("source[{y}][{x}]")), texel(x as f32, y as f32));
    }
    assert_eq!(client.value("source[1][2].y"), unorm(100.0));
    assert_eq!(client.value("source[1][2].rg"), format!("({}, {})", unorm(32.0), unorm(100.0)));
    assert_eq!(client.value("source[1][2].x == texel.x ? 7 : 9"), "7");
    assert!(client.value("source[2][0]").starts_with("error: "));
    // Its parts, as a client expands them.
    let found = client.scope("Images");
    let names: Vec<&str> = found.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, ["source", "drawn"]);
    let frame = client.frames()[0]["id"].clone();
    let scopes = client.request("scopes", json!({ "frameId": frame }))["scopes"].clone();
    let images = scopes.as_array().expect("scopes").iter().find(|scope| scope["name"] == "Images");
    let parts = |client: &mut Client, reference: &Value, start: u32| {
        let arguments = json!({ "variablesReference": reference, "start": start, "count": 1 });
        client.request("variables", arguments)["variables"][0].clone()
    };
    let source = parts(&mut client, &images.expect("images")["variablesReference"], 0);
    assert_eq!((&source["indexedVariables"], &source["name"]), (&json!(2), &json!("source")));
    let row = parts(&mut client, &source["variablesReference"], 1);
    assert_eq!((&row["indexedVariables"], &row["evaluateName"]), (&json!(8), &json!("source[1]")));
    let one = parts(&mut client, &row["variablesReference"], 5);
    assert_eq!((&one["value"], &one["type"]), (&json!(texel(5.0, 1.0)), &json!("vec4<float>")));
    let components = client.variables(&one["variablesReference"]);
    assert_eq!(components[0], ("x".to_owned(), unorm(80.0), "float".to_owned()));
    // What the invocation stores, as the format keeps it.
    assert_eq!(client.value("drawn[1][2]"), "(0.0, 0.0, 0.0, 0.0)");
    client.go("next");
    let stored = [16.0, 50.0, 2.0, 128.0].map(unorm).join(", ");
    assert_eq!(client.value("drawn[1][2]"), format!("({stored})"));
    client.go("stepBack");
    assert_eq!(client.value("drawn[1][2]"), "(0.0, 0.0, 0.0, 0.0)");
    let error = client.try_request("setExpression", json!({ "expression": "source[0][0]", "value": "1" }));
    assert!(error.is_err());
    let error =
        client.try_request("setExpression", json!({ "expression": "source[0]", "value": "1, 1, 1, 1" }));
    assert!(error.is_err());
    // What is changed is there before the submission, for the load and for what is made of it.
    client.request("setExpression", json!({ "expression": "source[1][2].y", "value": "1.0" }));
    client.event("stopped");
    assert_eq!(
        (client.line(), client.value("texel.y"), client.value("texel.x")),
        (7, "1.0".into(), unorm(32.0))
    );
    client.request("setExpression", json!({ "expression": "source[1][2]", "value": "(0.0, 0.0, 1.0, 0.0)" }));
    client.event("stopped");
    assert_eq!(
        (client.value("texel"), client.value("half.z")),
        ("(0.0, 0.0, 1.0, 0.0)".into(), "0.5".into())
    );
    client.end();
    let output = script(&file, &["--target", "local 1 0 0"], "run\nimages\nprint source[1]\n");
    let printed = text(&output.stdout);
    assert!(output.status.success() && printed.contains("source = 8 x 2, R8G8B8A8_UNORM"), "{printed}");
    assert!(printed.contains(&format!("[1] = {}", texel(1.0, 1.0))), "{printed}");
}
