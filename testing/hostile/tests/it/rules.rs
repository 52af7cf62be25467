//! Modules that break rules which only strict mode checks: they are refused, or do something.
//!
//! `corpus/rules.lz4` has those of the validator's tests, one for each rule at least. To write it anew:
//!
//! ```sh
//! mkdir rules && PYRO_CORPUS=$PWD/rules cargo test --release -p pyro-validate --test vulkan
//! PYRO_BLESS=1 PYRO_CORPUS=$PWD/rules cargo test --release -p pyro-hostile rules
//! ```

use crate::{ENVIRONMENT, Outcome, Tally, Victim};
use pyro_digests::{launches, stages};
use pyro_hostile::watch;
use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_test_environment::{bless, in_child, path};
use pyro_test_kit::compute::Compute;
use pyro_test_kit::scene::Scene;
use std::path::{Path, PathBuf};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ShaderStageFlags as Stages;

/// Between two modules of the corpus.
const SEPARATOR: &str = "\n\0\n";

fn stored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/rules.lz4")
}

/// The modules of the folder of `PYRO_CORPUS`, else those of the repository.
fn modules() -> Vec<String> {
    let Some(folder) = path("PYRO_CORPUS") else {
        let bytes = std::fs::read(stored()).expect("the corpus");
        let bytes = lz4_flex::decompress_size_prepended(&bytes).expect("a compressed text");
        let text = String::from_utf8(bytes).expect("a text");
        return text.split(SEPARATOR).map(str::to_owned).collect();
    };
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")).collect()
}

fn stage(text: &str) -> Option<Stages> {
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

/// A compute shader with four buffers where it may want others things.
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
fn scenes(
    stage: Stages,
    text: &str,
) -> impl Iterator<Item = (Scene, pyro_test_kit::scene::With, Option<[u32; 3]>)> {
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

#[test]
fn modules_that_break_rules_of_strict_mode_are_safe() {
    if !in_child(module_path!(), "modules_that_break_rules_of_strict_mode_are_safe", &ENVIRONMENT) {
        return;
    }
    let modules = modules();
    if bless() {
        let bytes = lz4_flex::compress_prepend_size(modules.join(SEPARATOR).as_bytes());
        std::fs::write(stored(), bytes).expect("the corpus");
    }
    let (mut victim, mut tally) = (Victim::new(), Tally::default());
    let mut wrong = Vec::new();
    for (number, text) in modules.iter().enumerate() {
        let Some(stage) = stage(text) else { continue };
        if assemble(text).is_err() || text.contains("PhysicalStorageBuffer64") {
            continue;
        }
        let outcome = |done: Result<(), vk::ErrorCode>| match done {
            Ok(()) => Outcome::Drawn,
            Err(vk::ErrorCode::DEVICE_LOST) => Outcome::Lost,
            Err(_) => Outcome::Refused,
        };
        let name = format!("module {number}:\n{text}");
        if path("PYRO_TRACE").is_some() {
            eprintln!("{name}");
        }
        let mut run = |body: &mut dyn FnMut() -> Result<(), vk::ErrorCode>| {
            let (done, panics) = watch::round(&name, body);
            wrong.extend(panics.into_iter().map(|panic| format!("{panic}\n{name}")));
            tally.count(outcome(done));
            done
        };
        match stage {
            Stages::COMPUTE => {
                let _ = run(&mut || dispatch(text));
            }
            _ if launches::SHADERS.iter().any(|(of, _)| *of == stage) => {
                let shaders = launches::SHADERS
                    .map(|(of, own)| if of == stage { text.clone() } else { own.to_owned() });
                let random = &mut Random::new(number as u64);
                let _ = run(&mut || launches::launch_of(shaders.clone(), true, random).map(|_| ()));
            }
            _ => {
                for (scene, with, groups) in scenes(stage, text) {
                    let draw = || stages::draw_scene(&victim.lab, &scene, with, groups).map(|_| ());
                    if run(&mut { draw }) == Err(vk::ErrorCode::DEVICE_LOST) {
                        victim = Victim::new();
                    }
                }
            }
        }
        if number % 64 == 0 {
            victim.check();
        }
    }
    victim.check();
    println!("{tally:?}");
    assert!(wrong.is_empty(), "{} panics:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tally.drawn > 100, "{tally:?}");
}
