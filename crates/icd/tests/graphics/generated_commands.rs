//! Draws that memory says (`VK_EXT_device_generated_commands`).

use crate::addressed_canvas::{AddressedCanvas, WORDS};
use pyro_test_kit::canvas::{Covered, rectangle, viewport, whole};
use std::ops::Deref;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDeviceGeneratedCommandsExtensionDeviceCommands as _;

const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::ALL_GRAPHICS;

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
            c"VK_EXT_device_generated_commands",
            c"VK_KHR_maintenance5",
            c"VK_EXT_extended_dynamic_state",
        ]))
    }

    /// The address of a word, as two words.
    fn address(&self, at: usize) -> [u32; 2] {
        let address = self.address + 4 * at as u64;
        [address as u32, (address >> 32) as u32]
    }

    fn layout(
        &self,
        stride: u32,
        tokens: &[vk::IndirectCommandsLayoutTokenEXT],
    ) -> vk::IndirectCommandsLayoutEXT {
        let info = vk::IndirectCommandsLayoutCreateInfoEXT {
            shader_stages: STAGES,
            indirect_stride: stride,
            pipeline_layout: self.layout,
            token_count: tokens.len() as u32,
            tokens: tokens.as_ptr(),
            ..Default::default()
        };
        unsafe { self.device.create_indirect_commands_layout_ext(&info, None) }.expect("a layout")
    }

    /// What the sequences from a word on draw.
    fn draw(
        &self,
        pipeline: vk::Pipeline,
        (layout, set): (vk::IndirectCommandsLayoutEXT, vk::IndirectExecutionSetEXT),
        at: usize,
        count: u32,
        before: impl FnOnce(vk::CommandBuffer),
    ) -> Covered {
        self.0.draw(pipeline, |commands| unsafe {
            before(commands);
            let info = vk::GeneratedCommandsInfoEXT {
                shader_stages: STAGES,
                indirect_execution_set: set,
                indirect_commands_layout: layout,
                indirect_address: self.address + 4 * at as u64,
                indirect_address_size: 4 * (WORDS - at) as u64,
                max_sequence_count: count,
                max_draw_count: 2,
                ..Default::default()
            };
            self.device.cmd_execute_generated_commands_ext(commands, false, &info);
        })
    }
}

fn token(ty: vk::IndirectCommandsTokenTypeEXT, offset: u32) -> vk::IndirectCommandsLayoutTokenEXT {
    vk::IndirectCommandsLayoutTokenEXT { type_: ty, offset, ..Default::default() }
}

/// The corners of the rows from `top` to `bottom`, both from -1 to 1.
fn band(top: f32, bottom: f32) -> Vec<u32> {
    let corners = [[-1.0, top], [1.0, top], [-1.0, bottom], [1.0, bottom]];
    corners.iter().flat_map(|&[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits)).collect()
}

/// Whether rows are covered, for each quarter of the target.
fn quarters(covered: &Covered) -> [bool; 4] {
    let size = covered.0.len().isqrt() as u32;
    [0, 1, 2, 3].map(|quarter| {
        let rows = quarter * size / 4..(quarter + 1) * size / 4;
        let pixels: Vec<bool> =
            rows.flat_map(|y| (0..size).map(move |x| (x, y))).map(|(x, y)| covered.at(x, y)).collect();
        let first = pixels[0];
        assert!(pixels.iter().all(|&pixel| pixel == first), "quarter {quarter} is covered in part");
        first
    })
}

/// Each sequence binds its own vertices and indices; the third has no indices.
#[test]
fn sequences_bind_vertices_and_indices() {
    let bench = Bench::new();
    let device = &bench.device;
    let strip = bench.pipeline_with(
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        true,
        &[vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE],
    );
    // Bands of four vertices from word 0, 16 and 32; indices of 16 and 32 bits.
    for (number, top) in [-1.0_f32, -0.5, 0.5].into_iter().enumerate() {
        bench.put(16 * number, &band(top, top + 0.5));
    }
    bench.put(48, &[1 << 16, 2 | 3 << 16]);
    bench.put(50, &[0, 1, 2, 3]);
    let types = [vk::IndexType::UINT16, vk::IndexType::UINT32].map(|ty| ty.as_raw() as u32);
    let dxgi = [57, 42];
    let vertices = vk::IndirectCommandsVertexBufferTokenEXT { vertex_binding_unit: 0 };
    for (mode, types) in [
        (vk::IndirectCommandsInputModeFlagsEXT::VULKAN_INDEX_BUFFER, types),
        (vk::IndirectCommandsInputModeFlagsEXT::DXGI_INDEX_BUFFER, dxgi),
    ] {
        for (number, (ty, at, bytes)) in
            [(types[0], 48, 8), (types[1], 50, 16), (99, 50, 16)].into_iter().enumerate()
        {
            let draw = [if number == 2 { 0 } else { 4 }, 1, 0, 0, 0];
            let words = [&bench.address(16 * number)[..], &[64, 16], &bench.address(at), &[bytes, ty], &draw];
            bench.put(100 + 16 * number, &words.concat());
        }
        let indices = vk::IndirectCommandsIndexBufferTokenEXT { mode };
        let mut tokens = [
            token(vk::IndirectCommandsTokenTypeEXT::VERTEX_BUFFER, 0),
            token(vk::IndirectCommandsTokenTypeEXT::INDEX_BUFFER, 16),
            token(vk::IndirectCommandsTokenTypeEXT::DRAW_INDEXED, 32),
        ];
        tokens[0].data.vertex_buffer = &raw const vertices;
        tokens[1].data.index_buffer = &raw const indices;
        let layout = bench.layout(64, &tokens);
        let none = vk::IndirectExecutionSetEXT::null();
        let covered = |count| quarters(&bench.draw(strip, (layout, none), 100, count, |_| {}));
        assert_eq!(covered(1), [true, false, false, false]);
        assert_eq!(covered(3), [true, true, false, false]);
        unsafe { device.destroy_indirect_commands_layout_ext(layout, None) };
    }
    unsafe { device.destroy_pipeline(strip, None) };
}

/// Sequences choose between a pipeline of triangles and one of points, which are not drawn to the size of
/// triangles; the draws' parameters lie elsewhere, and there are at most two.
#[test]
fn sequences_choose_pipelines_and_count_draws() {
    let bench = Bench::new();
    let device = &bench.device;
    let [strip, other] = [vk::PrimitiveTopology::TRIANGLE_STRIP, vk::PrimitiveTopology::POINT_LIST]
        .map(|topology| bench.pipeline(topology, true));
    let vertices: Vec<u32> = [-1.0, -0.5, 0.0].iter().flat_map(|&top| band(top, top + 0.5)).collect();
    bench.fill(0, &vertices);
    // Three draws, one of each band.
    for number in 0..3 {
        bench.put(10 * number, &[4, 1, 4 * number as u32, 0]);
    }
    let pipelines = vk::IndirectExecutionSetPipelineInfoEXT {
        initial_pipeline: other,
        max_pipeline_count: 3,
        ..Default::default()
    };
    let mut info = vk::IndirectExecutionSetCreateInfoEXT {
        type_: vk::IndirectExecutionSetInfoTypeEXT::PIPELINES,
        ..Default::default()
    };
    info.info.pipeline_info = &raw const pipelines;
    let set = unsafe { device.create_indirect_execution_set_ext(&info, None) }.expect("a set");
    let write = vk::WriteIndirectExecutionSetPipelineEXT { index: 2, pipeline: strip, ..Default::default() };
    unsafe { device.update_indirect_execution_set_pipeline_ext(set, slice::from_ref(&write)) };
    let choice = vk::IndirectCommandsExecutionSetTokenEXT {
        type_: vk::IndirectExecutionSetInfoTypeEXT::PIPELINES,
        shader_stages: STAGES,
    };
    let mut tokens = [
        token(vk::IndirectCommandsTokenTypeEXT::EXECUTION_SET, 0),
        token(vk::IndirectCommandsTokenTypeEXT::DRAW_COUNT, 8),
    ];
    tokens[0].data.execution_set = &raw const choice;
    let layout = bench.layout(24, &tokens);
    let sequence = |at: usize, pipeline: u32, first: usize, count: u32| {
        bench.put(at, &[&[pipeline, 77][..], &bench.address(10 * first), &[40, count]].concat());
    };
    let all = |at, count| bench.draw(other, (layout, set), at, count, |_| {});
    // More draws than the command allows: two.
    sequence(100, 2, 0, 3);
    assert_eq!(quarters(&all(100, 1)), [true, true, false, false]);
    // None, and then the third.
    sequence(106, 2, 0, 0);
    sequence(112, 2, 2, 1);
    assert_eq!(quarters(&all(106, 2)), [false, false, true, false]);
    // Points; a place that is empty or none leaves what is bound.
    for pipeline in [0, 1, 3, u32::MAX] {
        sequence(100, pipeline, 0, 1);
        let points = all(100, 1).count();
        assert!(points > 0 && points <= 4, "{points} pixels of points");
    }
    unsafe {
        device.destroy_indirect_commands_layout_ext(layout, None);
        device.destroy_indirect_execution_set_ext(set, None);
        [strip, other].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
    }
}

/// State that is set before applies to what sequences draw.
#[test]
fn sequences_draw_with_the_state_around_them() {
    let bench = Bench::new();
    let device = &bench.device;
    let strip = bench.pipeline(vk::PrimitiveTopology::TRIANGLE_STRIP, true);
    bench.fill(0, &band(-1.0, 1.0));
    bench.put(0, &[4, 1, 0, 0]);
    let layout = bench.layout(16, &[token(vk::IndirectCommandsTokenTypeEXT::DRAW, 0)]);
    let none = vk::IndirectExecutionSetEXT::null();
    let size = whole().width;
    let covered = bench.draw(strip, (layout, none), 0, 1, |commands| unsafe {
        device.cmd_set_viewport(commands, 0, &[viewport(0.0, 0.0, size, size / 2.0)]);
        device.cmd_set_scissor(commands, 0, &[rectangle(0, 0, size as u32, size as u32 / 4)]);
    });
    assert_eq!(quarters(&covered), [true, false, false, false]);
    unsafe {
        device.destroy_indirect_commands_layout_ext(layout, None);
        device.destroy_pipeline(strip, None);
    }
}
