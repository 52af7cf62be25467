//! Draws with small extensions of other vendors: viewports upside down, counts of draws under their first
//! names, the order of primitives, hints for the compiler, and attributes that lie outside of their buffer.

use pyro_test_kit::canvas::{Canvas, Covered, FRAGMENT, SIZE, VERTEX, viewport};
use std::ptr::{from_mut, from_ref};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::AmdDrawIndirectCountExtensionDeviceCommands as _;

const TRIANGLES: vk::PrimitiveTopology = vk::PrimitiveTopology::TRIANGLE_LIST;

/// A triangle over the upper left half of a viewport.
const UPPER_LEFT: [[f32; 2]; 3] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];

fn words(corners: &[[f32; 2]]) -> Vec<u32> {
    corners.iter().flat_map(|corner| [corner[0], corner[1], 0.0, 1.0]).map(f32::to_bits).collect()
}

/// What a viewport of negative height at the lower edge shows is the picture upside down.
#[test]
fn viewports_are_turned_upside_down() {
    let canvas = Canvas::with(&[c"VK_AMD_negative_viewport_height"]);
    canvas.fill(0, &words(&UPPER_LEFT));
    let pipeline = canvas.pipeline(TRIANGLES, true);
    let size = SIZE as f32;
    let draw = |view: vk::Viewport| {
        canvas.draw(pipeline, |commands| unsafe {
            canvas.device.cmd_set_viewport(commands, 0, &[view]);
            canvas.device.cmd_draw(commands, 3, 1, 0, 0);
        })
    };
    let upright = draw(viewport(0.0, 0.0, size, size));
    let turned = draw(viewport(0.0, size, size, -size));
    assert!(upright.at(1, 1) && !upright.at(SIZE - 2, SIZE - 2));
    assert!(turned.at(1, SIZE - 2) && !turned.at(SIZE - 2, 1));
    // The diagonal's pixels belong to one side.
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))).filter(|(x, y)| x + y + 1 != SIZE) {
        assert_eq!(upright.at(x, y), turned.at(x, SIZE - 1 - y), "{x} {y}");
    }
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

/// As many draws as memory counts, and not more than may be.
#[test]
fn draws_are_counted_in_memory() {
    let canvas = Canvas::with(&[c"VK_AMD_draw_indirect_count"]);
    let quarter =
        |x: f32, y: f32| [[x, y], [x + 1.0, y], [x, y + 1.0], [x + 1.0, y], [x + 1.0, y + 1.0], [x, y + 1.0]];
    let corners = [quarter(-1.0, -1.0), quarter(0.0, -1.0), quarter(-1.0, 0.0)].concat();
    canvas.fill(0, &words(&corners));
    let pipeline = canvas.pipeline(TRIANGLES, true);
    let one = SIZE as usize * SIZE as usize / 4;
    for (count, max, drawn) in [(0, 3, 0), (2, 3, 2), (9, 3, 3), (3, 1, 1)] {
        let draws = (0..3).flat_map(|draw| [6, 1, 6 * draw, 0]);
        canvas.fill(2, &[count, 0, 0, 0].into_iter().chain(draws).collect::<Vec<_>>());
        let buffer = canvas.buffer(2);
        let covered = canvas.draw(pipeline, |commands| unsafe {
            canvas.device.cmd_draw_indirect_count_amd(commands, buffer, 16, buffer, 0, max, 16);
        });
        assert_eq!(covered.count(), drawn * one, "{count} of {max}");
    }
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

/// A pipeline with chains behind its create info and behind its state of rasterization.
fn chained(
    canvas: &Canvas,
    next: *const std::ffi::c_void,
    raster_next: *const std::ffi::c_void,
) -> vk::Pipeline {
    let modules = [VERTEX, FRAGMENT].map(|text| canvas.shader_module(text));
    let flags = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
    let stages = [0, 1].map(|index| {
        vk::PipelineShaderStageCreateInfo::builder()
            .stage(flags[index])
            .module(modules[index])
            .name(b"main\0")
    });
    let binding = vk::VertexInputBindingDescription { binding: 0, stride: 16, ..Default::default() };
    let attribute =
        vk::VertexInputAttributeDescription { format: vk::Format::R32G32B32A32_SFLOAT, ..Default::default() };
    let input = vk::PipelineVertexInputStateCreateInfo::builder()
        .vertex_binding_descriptions(slice::from_ref(&binding))
        .vertex_attribute_descriptions(slice::from_ref(&attribute));
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder().topology(TRIANGLES);
    let viewports = vk::PipelineViewportStateCreateInfo::builder().viewport_count(1).scissor_count(1);
    let mut raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    raster.next = raster_next;
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let attachment = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::all(),
        ..Default::default()
    };
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(slice::from_ref(&attachment));
    let dynamics = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&dynamics);
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let mut rendering = vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(&formats).build();
    rendering.next = next;
    let layout_info = vk::PipelineLayoutCreateInfo::default();
    unsafe {
        let layout = canvas.device.create_pipeline_layout(&layout_info, None).expect("a layout");
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut rendering);
        let cache = vk::PipelineCache::null();
        let made = canvas.device.create_graphics_pipelines(cache, slice::from_ref(&info), None);
        modules.into_iter().for_each(|module| canvas.device.destroy_shader_module(module, None));
        canvas.device.destroy_pipeline_layout(layout, None);
        made.expect("a pipeline").0[0]
    }
}

/// The order of primitives may be relaxed, and is not; hints for the compiler change no pixel.
#[test]
fn hints_change_no_pixel() {
    let canvas = Canvas::with(&[c"VK_AMD_rasterization_order", c"VK_AMD_pipeline_compiler_control"]);
    canvas.fill(0, &words(&UPPER_LEFT));
    let draw = |pipeline: vk::Pipeline| -> Covered {
        let covered =
            canvas.draw(pipeline, |commands| unsafe { canvas.device.cmd_draw(commands, 3, 1, 0, 0) });
        unsafe { canvas.device.destroy_pipeline(pipeline, None) };
        covered
    };
    let plain = draw(canvas.pipeline(TRIANGLES, true));
    assert!(plain.count() > 100);
    for order in [vk::RasterizationOrderAMD::STRICT, vk::RasterizationOrderAMD::RELAXED] {
        let order = vk::PipelineRasterizationStateRasterizationOrderAMD {
            rasterization_order: order,
            ..Default::default()
        };
        let control = vk::PipelineCompilerControlCreateInfoAMD::default();
        let pipeline = chained(&canvas, from_ref(&control).cast(), from_ref(&order).cast());
        assert!(draw(pipeline).0 == plain.0);
    }
}

/// A vertex whose attribute lies outside of its buffer reads zeros, also on a device without robust buffers:
/// the triangle of such vertices is empty, and the one before it is whole.
#[test]
fn attributes_outside_of_their_buffer_are_zeros() {
    use pyro_test_kit::{Client, Gpu};
    let mut robust =
        vk::PhysicalDeviceVertexAttributeRobustnessFeaturesEXT::builder().vertex_attribute_robustness(true);
    let gpu: Gpu = Client::new(vk::make_version(1, 3, 0), &[]).device(
        &[c"VK_EXT_vertex_attribute_robustness"],
        None,
        from_mut(&mut robust).cast(),
    );
    let mut features = vk::PhysicalDeviceVertexAttributeRobustnessFeaturesEXT::default();
    let mut all = vk::PhysicalDeviceFeatures2::builder().push_next(&mut features).build();
    unsafe { gpu.instance.get_physical_device_features2(gpu.physical_device, &mut all) };
    assert_eq!(features.vertex_attribute_robustness, vk::TRUE);

    let canvas = Canvas::with(&[c"VK_EXT_vertex_attribute_robustness"]);
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    canvas.fill(0, &words(&corners));
    let pipeline = canvas.pipeline(TRIANGLES, true);
    let covered = canvas.draw(pipeline, |commands| unsafe {
        canvas.device.cmd_draw(commands, 3, 1, 1 << 20, 0);
    });
    assert_eq!(covered.count(), 0);
    let covered = canvas.draw(pipeline, |commands| unsafe { canvas.device.cmd_draw(commands, 3, 1, 0, 0) });
    assert_eq!(covered.count() as u32, SIZE * SIZE);
    unsafe { canvas.device.destroy_pipeline(pipeline, None) };
}

/// Lines of no named mode have one pixel in each column where that is asked for, and what a rectangle of
/// width 1 covers elsewhere.
#[test]
fn relaxed_lines_are_bresenhams() {
    let draw = |canvas: &Canvas| {
        // From the centre of pixel (2, 2) to that of (12, 10).
        let place = |pixel: f32| (pixel + 0.5) * 2.0 / SIZE as f32 - 1.0;
        canvas.fill(0, &words(&[[place(2.0), place(2.0)], [place(12.0), place(10.0)]]));
        let pipeline = canvas.pipeline(vk::PrimitiveTopology::LINE_LIST, true);
        let covered =
            canvas.draw(pipeline, |commands| unsafe { canvas.device.cmd_draw(commands, 2, 1, 0, 0) });
        unsafe { canvas.device.destroy_pipeline(pipeline, None) };
        covered
    };
    let extension = c"VK_IMG_relaxed_line_rasterization";
    let mut features =
        vk::PhysicalDeviceRelaxedLineRasterizationFeaturesIMG::builder().relaxed_line_rasterization(true);
    let relaxed = draw(&Canvas::with_features(&[extension], from_mut(&mut features).cast()));
    let strict = draw(&Canvas::with(&[extension]));
    assert_eq!(relaxed.count(), 10);
    for column in 2..12 {
        assert_eq!((0..SIZE).filter(|&row| relaxed.at(column, row)).count(), 1, "{column}");
    }
    assert!(strict.count() > 10, "{}", strict.count());
}
