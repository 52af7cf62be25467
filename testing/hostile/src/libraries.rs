//! Libraries of graphics pipelines with parts that nobody should give, and what is linked of them.

use crate::number;
use crate::victim::{Outcome, Victim};
use pyro_digests::stages;
use pyro_random::Random;
use pyro_test_kit::scene::{SIZE, Scene, With};
use std::ptr::null;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;
use vulkanalia::vk::GraphicsPipelineLibraryFlagsEXT as Parts;
use vulkanalia::vk::ShaderStageFlags as Stages;

/// The four parts of a pipeline.
const PARTS: [Parts; 4] = [
    Parts::VERTEX_INPUT_INTERFACE,
    Parts::PRE_RASTERIZATION_SHADERS,
    Parts::FRAGMENT_SHADER,
    Parts::FRAGMENT_OUTPUT_INTERFACE,
];

/// Mostly this part, or others, or none.
fn parts(random: &mut Random, part: Parts) -> Parts {
    match random.below(8) {
        0 => Parts::from_bits_truncate(random.below(16)),
        1 => part | random.pick(&PARTS),
        _ => part,
    }
}

/// Flags beside that of a library, or without it.
fn flags(random: &mut Random) -> vk::PipelineCreateFlags {
    let library = vk::PipelineCreateFlags::LIBRARY_KHR;
    match random.below(10) {
        0 => vk::PipelineCreateFlags::from_bits_truncate(number(random)),
        1 => vk::PipelineCreateFlags::empty(),
        2 => library | vk::PipelineCreateFlags::RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT,
        3 => library | vk::PipelineCreateFlags::from_bits_truncate(1 << random.below(31)),
        _ => library,
    }
}

/// The state that libraries share; each library points to some of it.
struct State {
    binding: vk::VertexInputBindingDescription,
    attributes: [vk::VertexInputAttributeDescription; 2],
    viewport: vk::Viewport,
    scissor: vk::Rect2D,
    blends: Vec<vk::PipelineColorBlendAttachmentState>,
    formats: Vec<vk::Format>,
    samples: vk::SampleCountFlags,
    patch_vertices: u32,
    topology: vk::PrimitiveTopology,
    view_mask: u32,
    depth: vk::Format,
    dynamic: Vec<vk::DynamicState>,
}

impl State {
    /// That of a scene, with wrong numbers now and then.
    fn new(random: &mut Random, scene: &Scene) -> State {
        let format = |random: &mut Random, format| {
            if random.one_in(16) { vk::Format::from_raw(number(random) as i32) } else { format }
        };
        let attribute = |random: &mut Random, location, offset| vk::VertexInputAttributeDescription {
            location: if random.one_in(16) { number(random) } else { location },
            binding: if random.one_in(16) { number(random) } else { 0 },
            format: format(random, vk::Format::R32G32B32A32_SFLOAT),
            offset: if random.one_in(16) { number(random) } else { offset },
        };
        let colors = if random.one_in(8) { random.below(4) } else { scene.formats.len() };
        let dynamic = |random: &mut Random| vk::DynamicState::from_raw(random.below(9));
        State {
            binding: vk::VertexInputBindingDescription {
                stride: if random.one_in(16) { number(random) } else { 32 },
                ..Default::default()
            },
            attributes: [attribute(random, 0, 0), attribute(random, 1, 16)],
            viewport: vk::Viewport {
                width: SIZE as f32,
                height: SIZE as f32,
                max_depth: 1.0,
                ..Default::default()
            },
            scissor: vk::Rect2D { extent: vk::Extent2D { width: SIZE, height: SIZE }, ..Default::default() },
            blends: vec![
                vk::PipelineColorBlendAttachmentState {
                    color_write_mask: vk::ColorComponentFlags::all(),
                    ..Default::default()
                };
                colors
            ],
            formats: scene.formats.iter().map(|&known| format(random, known)).collect(),
            samples: match random.below(8) {
                0 => vk::SampleCountFlags::from_bits_truncate(number(random)),
                _ => vk::SampleCountFlags::from_bits_truncate(scene.state.samples),
            },
            patch_vertices: if random.one_in(16) { number(random) } else { scene.state.patch_vertices },
            topology: scene.state.topology,
            view_mask: if random.one_in(16) { number(random) } else { scene.view_mask },
            depth: format(random, vk::Format::D32_SFLOAT_S8_UINT),
            dynamic: (0..if random.one_in(4) { random.below(4) } else { 0 })
                .map(|_| dynamic(random))
                .collect(),
        }
    }
}

/// A pipeline of these stages, libraries and parts; `None` stands for a whole pipeline, which names no parts.
fn create(
    victim: &Victim,
    random: &mut Random,
    state: &State,
    wanted: (vk::PipelineCreateFlags, Option<Parts>),
    shaders: &[vk::PipelineShaderStageCreateInfo],
    libraries: &[vk::Pipeline],
) -> Result<vk::Pipeline, vk::ErrorCode> {
    let input = vk::PipelineVertexInputStateCreateInfo::builder()
        .vertex_binding_descriptions(slice::from_ref(&state.binding))
        .vertex_attribute_descriptions(&state.attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder().topology(state.topology);
    let tessellation =
        vk::PipelineTessellationStateCreateInfo::builder().patch_control_points(state.patch_vertices);
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&state.viewport))
        .scissors(slice::from_ref(&state.scissor));
    let raster = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(state.samples);
    let depth = vk::PipelineDepthStencilStateCreateInfo::builder();
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(&state.blends);
    let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(&state.dynamic);
    let mut rendering = vk::PipelineRenderingCreateInfo::builder()
        .view_mask(state.view_mask)
        .color_attachment_formats(&state.formats)
        .depth_attachment_format(state.depth)
        .stencil_attachment_format(state.depth);
    let (flags, parts) = wanted;
    let mut of = vk::GraphicsPipelineLibraryCreateInfoEXT::builder().flags(parts.unwrap_or_default());
    let mut linked = vk::PipelineLibraryCreateInfoKHR::builder().libraries(libraries);
    let mut layout = victim.lab.layout;
    if random.one_in(16) {
        layout = vk::PipelineLayout::null();
    }
    let mut info = vk::GraphicsPipelineCreateInfo::builder()
        .flags(flags)
        .stages(shaders)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .tessellation_state(&tessellation)
        .viewport_state(&viewports)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .layout(layout)
        .base_pipeline_index(random.pick(&[-1, -1, 0, 1, i32::MAX]));
    if !state.dynamic.is_empty() {
        info = info.dynamic_state(&dynamic);
    }
    if parts.is_some() {
        info = info.push_next(&mut of);
    }
    if !libraries.is_empty() || random.one_in(16) {
        info = info.push_next(&mut linked);
    }
    if !random.one_in(16) {
        info = info.push_next(&mut rendering);
    }
    let mut info = info.build();
    // State of parts that the library does not have may be missing.
    let mut lacks = |part| parts.is_some_and(|parts| !parts.contains(part)) && random.one_in(2);
    if lacks(Parts::VERTEX_INPUT_INTERFACE) {
        (info.vertex_input_state, info.input_assembly_state) = (null(), null());
    }
    if lacks(Parts::PRE_RASTERIZATION_SHADERS) {
        (info.viewport_state, info.rasterization_state) = (null(), null());
    }
    if lacks(Parts::FRAGMENT_SHADER) {
        info.depth_stencil_state = null();
    }
    if lacks(Parts::FRAGMENT_OUTPUT_INTERFACE) {
        info.color_blend_state = null();
    }
    // SAFETY: the structures live until the call returns.
    let made = unsafe {
        victim.lab.device.create_graphics_pipelines(vk::PipelineCache::null(), slice::from_ref(&info), None)
    };
    made.map(|(pipelines, _)| pipelines[0])
}

/// Libraries of a scene's shaders, and a pipeline of some of them, which draws the scene when there is one.
pub fn draw(victim: &mut Victim, random: &mut Random) -> Outcome {
    let (scene, _, groups) = stages::scene(random);
    let vertex = [(Stages::VERTEX, scene.vertex.as_str())].into_iter().filter(|(_, text)| !text.is_empty());
    let between = scene.between.iter().map(|(stage, text)| (*stage, text.as_str()));
    let texts: Vec<_> = vertex.chain(between).chain([(Stages::FRAGMENT, scene.fragment.as_str())]).collect();
    let words: Vec<&str> = texts.iter().map(|&(_, text)| text).collect();
    let Ok(modules) = victim.lab.try_modules(&words) else { return Outcome::Refused };
    let shader = |(&(stage, _), &module): (&(Stages, &str), &vk::ShaderModule)| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0").build()
    };
    let shaders: Vec<_> = texts.iter().zip(&modules).map(shader).collect();
    let mut state = State::new(random, &scene);
    let mut libraries: Vec<vk::Pipeline> = Vec::new();
    for part in PARTS {
        if random.one_in(8) {
            state = State::new(random, &scene);
        }
        let parts = parts(random, part);
        let of_part = |info: &&vk::PipelineShaderStageCreateInfo| match info.stage {
            Stages::FRAGMENT => parts.contains(Parts::FRAGMENT_SHADER),
            _ => parts.contains(Parts::PRE_RASTERIZATION_SHADERS),
        };
        let mut used: Vec<_> = shaders.iter().filter(of_part).copied().collect();
        match random.below(16) {
            0 => used.extend(random.pick(&[shaders.first(), shaders.last()])),
            1 => drop(used.pop()),
            _ => {}
        }
        let inner = if random.one_in(8) { libraries.clone() } else { Vec::new() };
        let wanted = (flags(random), Some(parts));
        if let Ok(library) = create(victim, random, &state, wanted, &used, &inner) {
            libraries.push(library);
        }
    }
    let mut linked = libraries.clone();
    match random.below(8) {
        0 => linked.extend(random.pick(&[libraries.first(), libraries.last()])),
        1 => drop(linked.pop()),
        2 => linked.reverse(),
        3 => linked.push(vk::Pipeline::null()),
        _ => {}
    }
    let whole = match random.below(8) {
        0 => flags(random),
        1 | 2 => vk::PipelineCreateFlags::LINK_TIME_OPTIMIZATION_EXT,
        _ => vk::PipelineCreateFlags::empty(),
    };
    let wanted = (whole, random.one_in(8).then(|| parts(random, PARTS[3])));
    let own = if random.one_in(8) { &shaders[..] } else { &[] };
    let made = create(victim, random, &state, wanted, own, &linked);
    let (lab, point) = (&victim.lab, vk::PipelineBindPoint::GRAPHICS);
    // A pipeline may outlive its libraries, and all its modules.
    let destroy = |pipelines: &[vk::Pipeline]| {
        // SAFETY: nothing uses them.
        pipelines.iter().for_each(|&pipeline| unsafe { lab.device.destroy_pipeline(pipeline, None) });
    };
    destroy(&libraries);
    lab.destroy_modules(modules);
    let done = made.and_then(|pipeline| {
        let drawn = lab.try_draw_by(&scene, With::Pipeline, |device, commands| {
            // SAFETY: the command buffer records, and the pipeline lives until the queue is idle.
            unsafe {
                device.cmd_bind_pipeline(commands, point, pipeline);
                match groups {
                    Some([x, y, z]) => device.cmd_draw_mesh_tasks_ext(commands, x, y, z),
                    None => device.cmd_draw(commands, scene.vertices.len() as u32, 1, 0, 0),
                }
            }
        });
        destroy(&[pipeline]);
        drawn.map(|_| ())
    });
    let outcome = Outcome::from(done);
    if outcome == Outcome::Lost {
        victim.renew();
    }
    outcome
}
