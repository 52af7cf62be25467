//! Draws whose vertices, indices and commands are ranges of device addresses
//! (`VK_KHR_device_address_commands`).
#![allow(clippy::missing_transmute_annotations)] // variables say what commands are

use crate::addressed_canvas::AddressedCanvas;
use pyro_driver::registry_supplement::{self as new, DeviceAddressRangeKHR};
use pyro_test_kit::canvas::Covered;
use std::mem::transmute;
use std::ops::Deref;
use vulkanalia::prelude::v1_3::*;

struct Bench(AddressedCanvas);

impl Deref for Bench {
    type Target = AddressedCanvas;

    fn deref(&self) -> &AddressedCanvas {
        &self.0
    }
}

impl Bench {
    fn new() -> Bench {
        Bench(AddressedCanvas::new(&[
            c"VK_KHR_device_address_commands",
            c"VK_KHR_synchronization2",
            c"VK_EXT_extended_dynamic_state",
            c"VK_EXT_transform_feedback",
        ]))
    }

    fn range(&self, at: usize, words: usize) -> DeviceAddressRangeKHR {
        DeviceAddressRangeKHR { address: self.address + 4 * at as u64, size: 4 * words as u64 }
    }

    fn strided(&self, at: usize, words: usize, stride: u64) -> vk::StridedDeviceAddressRangeKHR {
        let DeviceAddressRangeKHR { address, size } = self.range(at, words);
        vk::StridedDeviceAddressRangeKHR { address, size, stride }
    }
}

/// The four corners of the target's left half and of its right one.
fn corners() -> Vec<u32> {
    let x = [[-1.0_f32, 0.0], [0.0, 1.0]];
    let corner = |x: f32, y: f32| [x, y, 0.5, 1.0].map(f32::to_bits);
    x.iter()
        .flat_map(|&[left, right]| [(left, -1.0), (right, -1.0), (left, 1.0), (right, 1.0)])
        .flat_map(|(x, y)| corner(x, y))
        .collect()
}

fn left(covered: &Covered, size: u32) -> bool {
    (0..size).all(|y| (0..size).all(|x| covered.at(x, y) == (x < size / 2)))
}

fn right(covered: &Covered, size: u32) -> bool {
    (0..size).all(|y| (0..size).all(|x| covered.at(x, y) == (x >= size / 2)))
}

/// Vertices from word 0, indices from word 40, commands from word 64 and counts from word 100 on.
#[test]
fn vertices_indices_commands_and_counts_are_ranges() {
    let bench = Bench::new();
    let canvas = &bench;
    let vertices: new::PFN_vkCmdBindVertexBuffers3KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdBindVertexBuffers3KHR")) };
    let indices: new::PFN_vkCmdBindIndexBuffer3KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdBindIndexBuffer3KHR")) };
    let draw: new::PFN_vkCmdDrawIndirect2KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdDrawIndirect2KHR")) };
    let draw_count: new::PFN_vkCmdDrawIndirectCount2KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdDrawIndirectCount2KHR")) };
    let indexed: new::PFN_vkCmdDrawIndexedIndirect2KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdDrawIndexedIndirect2KHR")) };
    let indexed_count: new::PFN_vkCmdDrawIndexedIndirectCount2KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdDrawIndexedIndirectCount2KHR")) };
    let strip = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_STRIP, true);
    bench.put(0, &corners());
    // Sixteen bits an index, four indices for the right half.
    bench.put(40, &[4 | 5 << 16, 6 | 7 << 16]);
    // Of two draws, the first has no vertices; 24 bytes from one to the next.
    bench.put(64, &[0, 1, 0, 0, 99, 99, 4, 1, 0, 0]);
    bench.put(80, &[4, 1, 0, 0, 0]);
    bench.put(100, &[1, 2]);
    let bind = |commands| unsafe {
        let info =
            new::BindVertexBuffer3InfoKHR { address_range: bench.strided(0, 32, 16), ..Default::default() };
        vertices(commands, 0, 1, &raw const info);
        let info = new::BindIndexBuffer3InfoKHR {
            address_range: bench.range(40, 2),
            index_type: vk::IndexType::UINT16,
            ..Default::default()
        };
        indices(commands, &raw const info);
    };
    let size = covered_size(&canvas.draw(strip, |commands| unsafe {
        bind(commands);
        canvas.device.cmd_draw(commands, 4, 1, 0, 0);
    }));
    let covered = canvas.draw(strip, |commands| unsafe {
        bind(commands);
        let info = new::DrawIndirect2InfoKHR {
            address_range: bench.strided(64, 10, 24),
            draw_count: 2,
            ..Default::default()
        };
        draw(commands, &raw const info);
    });
    assert!(left(&covered, size), "vkCmdDrawIndirect2KHR");
    let covered = canvas.draw(strip, |commands| unsafe {
        bind(commands);
        let info = new::DrawIndirect2InfoKHR {
            address_range: bench.strided(80, 5, 20),
            draw_count: 1,
            ..Default::default()
        };
        indexed(commands, &raw const info);
    });
    assert!(right(&covered, size), "vkCmdDrawIndexedIndirect2KHR");
    // The count in memory says how many: one draw without vertices, or both.
    for (count, is_drawn) in [(100, false), (101, true)] {
        let covered = canvas.draw(strip, |commands| unsafe {
            bind(commands);
            let info = new::DrawIndirectCount2InfoKHR {
                address_range: bench.strided(64, 10, 24),
                count_address_range: bench.range(count, 1),
                max_draw_count: 2,
                ..Default::default()
            };
            draw_count(commands, &raw const info);
        });
        assert_eq!(covered.count() != 0, is_drawn, "vkCmdDrawIndirectCount2KHR, {count}");
    }
    // A count of 0 behind the commands draws nothing.
    for (count, is_drawn) in [(100, true), (110, false)] {
        let covered = canvas.draw(strip, |commands| unsafe {
            bind(commands);
            let info = new::DrawIndirectCount2InfoKHR {
                address_range: bench.strided(80, 5, 20),
                count_address_range: bench.range(count, 1),
                max_draw_count: 1,
                ..Default::default()
            };
            indexed_count(commands, &raw const info);
        });
        assert_eq!(right(&covered, size), is_drawn, "vkCmdDrawIndexedIndirectCount2KHR, {count}");
    }
    unsafe { canvas.device.destroy_pipeline(strip, None) };
}

/// Pixels in a row of the target, of which the left half is covered.
fn covered_size(covered: &Covered) -> u32 {
    let size = covered.0.len().isqrt() as u32;
    assert!(left(covered, size), "vertices by address");
    size
}

/// A stride is of the binding only where it is set, and vertices that are not in the range are zeros.
#[test]
fn strides_are_set_where_they_are_said_to_be() {
    let bench = Bench::new();
    let canvas = &bench;
    let vertices: new::PFN_vkCmdBindVertexBuffers3KHR =
        unsafe { transmute(canvas.proc_address(c"vkCmdBindVertexBuffers3KHR")) };
    let pipeline = canvas.pipeline_with(
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        true,
        &[vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE],
    );
    // Every other vertex is of the left half.
    let corners = corners();
    let (first, second) = corners.split_at(16);
    let mixed: Vec<u32> =
        first.chunks(4).zip(second.chunks(4)).flat_map(|(one, other)| [one, other].concat()).collect();
    bench.put(0, &mixed);
    let covered = |stride, words| {
        canvas.draw(pipeline, |commands| unsafe {
            let info = new::BindVertexBuffer3InfoKHR {
                set_stride: vk::TRUE,
                address_range: bench.strided(0, words, stride),
                ..Default::default()
            };
            vertices(commands, 0, 1, &raw const info);
            canvas.device.cmd_draw(commands, 4, 1, 0, 0);
        })
    };
    let size = covered_size(&covered(32, 32));
    assert!(!left(&covered(16, 32), size));
    // The last vertex is outside: half of the square is left.
    let half = covered(32, 24).count() as u32;
    assert!(half > 0 && half < size * size / 2, "{half}");
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

/// The counter of a capture that was not captured here says how many vertices are drawn.
#[test]
fn byte_counts_are_read_from_ranges() {
    let bench = Bench::new();
    let canvas = &bench;
    let draw: new::PFN_vkCmdDrawIndirectByteCount2EXT =
        unsafe { transmute(canvas.proc_address(c"vkCmdDrawIndirectByteCount2EXT")) };
    let strip = canvas.pipeline(vk::PrimitiveTopology::TRIANGLE_STRIP, true);
    canvas.fill(0, &corners());
    bench.put(8, &[64, 24]);
    for (at, offset, is_drawn) in [(8, 0, true), (8, 32, false), (9, 0, false)] {
        let covered = canvas.draw(strip, |commands| unsafe {
            let info = new::BindTransformFeedbackBuffer2InfoEXT {
                address_range: bench.range(at, 1),
                ..Default::default()
            };
            draw(commands, 1, 0, &raw const info, offset, 16);
        });
        assert_eq!(covered.count() != 0, is_drawn, "{at}, {offset}");
    }
    unsafe { canvas.device.destroy_pipeline(strip, None) };
}
