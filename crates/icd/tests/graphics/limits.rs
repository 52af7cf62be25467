//! Limits of drawing hold at their extremes.

use pyro_shadertext::Shader;
use pyro_test_kit::canvas::{BUFFER_SIZE, Canvas, FRAGMENT};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtVertexInputDynamicStateExtensionDeviceCommands as _;

const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

fn limits(canvas: &Canvas) -> vk::PhysicalDeviceLimits {
    unsafe { canvas.instance.get_physical_device_properties(canvas.physical_device) }.limits
}

/// The words of a triangle over half of the target.
fn triangle() -> Vec<u32> {
    let corners = [[-1.0f32, -1.0, 0.5, 1.0], [1.0, -1.0, 0.5, 1.0], [-1.0, 1.0, 0.5, 1.0]];
    corners.as_flattened().iter().map(|value| value.to_bits()).collect()
}

/// A shader whose position is the sum of so many attributes.
fn summing(count: u32) -> String {
    let mut body = String::from("%sum_0 = OpLoad %float4 %in_0\n");
    for at in 1..count {
        let before = at - 1;
        body += &format!(
            "%value_{at} = OpLoad %float4 %in_{at}\n%sum_{at} = OpFAdd %float4 %sum_{before} %value_{at}\n"
        );
    }
    body += &format!("OpStore %position %sum_{}", count - 1);
    let shader = Shader::vertex(&body);
    (0..count)
        .fold(shader, |shader, at| shader.input(&format!("in_{at}"), "float4", &format!("Location {at}")))
        .text()
}

/// All attributes come from bindings of their own; the position comes from the last, at the largest offset
/// that fits, with a stride of its own.
#[test]
fn as_many_attributes_are_fetched_as_there_may_be() {
    let canvas = Canvas::with(&[c"VK_EXT_vertex_input_dynamic_state"]);
    let limits = limits(&canvas);
    let count = limits.max_vertex_input_attributes;
    let bindings_count = limits.max_vertex_input_bindings;
    assert!(count <= bindings_count);
    let device = &canvas.device;
    let dynamics = [vk::DynamicState::VERTEX_INPUT_EXT];
    let pipeline = canvas.pipeline_from([&summing(count), FRAGMENT], TRIANGLES, true, &dynamics, 0);
    let offset = limits.max_vertex_input_attribute_offset.min(2044);
    // Zeros, and the triangle behind them.
    let start = 1024;
    let mut words = vec![0; BUFFER_SIZE / 4];
    let first = (start + offset as usize) / 4;
    words[first..first + 12].copy_from_slice(&triangle());
    canvas.fill(0, &words);
    let draw = |last: u64| {
        canvas.draw(pipeline, |commands| unsafe {
            let bindings: Vec<_> = (0..count)
                .map(|at| {
                    vk::VertexInputBindingDescription2EXT::builder()
                        .binding(bindings_count - count + at)
                        .stride(16)
                        .divisor(1)
                })
                .collect();
            let attributes: Vec<_> = (0..count)
                .map(|at| {
                    vk::VertexInputAttributeDescription2EXT::builder()
                        .location(at)
                        .binding(bindings_count - count + at)
                        .offset(if at == count - 1 { offset } else { 0 })
                        .format(vk::Format::R32G32B32A32_SFLOAT)
                })
                .collect();
            device.cmd_set_vertex_input_ext(commands, &bindings, &attributes);
            let buffers = vec![canvas.buffer(0); count as usize];
            let mut starts = vec![0; count as usize];
            starts[count as usize - 1] = last;
            device.cmd_bind_vertex_buffers(commands, bindings_count - count, &buffers, &starts);
            device.cmd_draw(commands, 3, 1, 0, 0);
        })
    };
    assert!((100..160).contains(&draw(start as u64).count()));
    assert_eq!(draw(0).count(), 0);
    unsafe { device.destroy_pipeline(pipeline, None) };
}
