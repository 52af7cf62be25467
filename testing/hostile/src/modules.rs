//! Modules of one entry point of any stage, run in place of a working shader of that stage.

use crate::victim::{Outcome, Victim};
use pyro_digests::{launches, stages};
use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_test_kit::compute::Compute;
use pyro_test_kit::scene::{Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ShaderStageFlags as Stages;

/// The stage of a module's first entry point.
#[must_use]
pub fn stage(text: &str) -> Option<Stages> {
    let model = text.split("OpEntryPoint ").nth(1)?.split_whitespace().next()?;
    Some(match model {
        "GLCompute" => Stages::COMPUTE,
        "Vertex" => Stages::VERTEX,
        "TessellationControl" => Stages::TESSELLATION_CONTROL,
        "TessellationEvaluation" => Stages::TESSELLATION_EVALUATION,
        "Geometry" => Stages::GEOMETRY,
        "TaskEXT" | "TaskNV" => Stages::TASK_EXT,
        "MeshEXT" | "MeshNV" => Stages::MESH_EXT,
        "Fragment" => Stages::FRAGMENT,
        "RayGenerationKHR" | "RayGenerationNV" => Stages::RAYGEN_KHR,
        "IntersectionKHR" | "IntersectionNV" => Stages::INTERSECTION_KHR,
        "AnyHitKHR" | "AnyHitNV" => Stages::ANY_HIT_KHR,
        "ClosestHitKHR" | "ClosestHitNV" => Stages::CLOSEST_HIT_KHR,
        "MissKHR" | "MissNV" => Stages::MISS_KHR,
        "CallableKHR" | "CallableNV" => Stages::CALLABLE_KHR,
        _ => return None,
    })
}

/// Runs a compute shader with four buffers where it may want other things.
fn dispatch(text: &str) -> Result<(), vk::ErrorCode> {
    let mut robust = vk::PhysicalDeviceFeatures2::default();
    robust.features.robust_buffer_access = vk::TRUE;
    let context = Compute::new(vk::make_version(1, 3, 0), &[], (&raw mut robust).cast());
    let device = &context.device;
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1); 4];
    let set_layout = context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
    let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
    for binding in 0..4 {
        context.write_range(set, binding, context.buffer(256).buffer, 0);
    }
    let module = context.try_module(&assemble(text).expect("assembly"))?;
    let stage =
        vk::PipelineShaderStageCreateInfo::builder().stage(Stages::COMPUTE).module(module).name(b"main\0");
    let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
    // SAFETY: the objects are the device's, and live until the queue is idle.
    unsafe {
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        device.destroy_shader_module(module, None);
        let pipeline = made?.0[0];
        let commands = context.record(|commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 3, 1, 1);
        });
        let done = context.try_submit_and_wait(commands);
        device.destroy_pipeline(pipeline, None);
        done
    }
}

/// Working scenes with this shader in place of their own of its stage, by a pipeline and by shader objects.
fn scenes(stage: Stages, text: &str) -> impl Iterator<Item = (Scene, With, Option<[u32; 3]>)> {
    let replaced = move |seed| {
        let (mut scene, with, groups) = stages::scene(&mut Random::new(seed));
        let place = match stage {
            Stages::FRAGMENT => Some(&mut scene.fragment),
            Stages::VERTEX => (!scene.vertex.is_empty()).then_some(&mut scene.vertex),
            _ => scene.between.iter_mut().find(|(of, _)| *of == stage).map(|(_, text)| text),
        };
        *place? = text.to_owned();
        Some((scene, with, groups))
    };
    (1..40).filter_map(replaced).take(3)
}

/// Dispatches, launches or draws with a module, some times each; calls `done` with what became of it.
/// Nothing is run that cannot be assembled, that has no stage, or that uses addresses of memory, which may be
/// any.
pub fn run(victim: &mut Victim, text: &str, mut done: impl FnMut(Outcome)) {
    let Some(stage) = stage(text) else { return };
    if assemble(text).is_err() || text.contains("PhysicalStorageBuffer64") {
        return;
    }
    match stage {
        Stages::COMPUTE => done(dispatch(text).into()),
        _ if launches::SHADERS.iter().any(|(of, _)| *of == stage) => {
            let shaders =
                launches::SHADERS.map(|(of, own)| if of == stage { text.to_owned() } else { own.to_owned() });
            let random = &mut Random::new(text.len() as u64);
            done(launches::launch_of(shaders, true, random).map(|_| ()).into());
        }
        _ => scenes(stage, text).for_each(|(scene, with, groups)| done(victim.draw(&scene, with, groups))),
    }
}
