//! Shaders of all stages that are a little different from working ones.

use crate::{ENVIRONMENT, Outcome, Tally, Victim};
use pyro_digests::{launches, stages};
use pyro_hostile::{text::mutated, watch};
use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_test_environment::in_child;
use vulkanalia::vk;

/// A change of a text that can be assembled still.
fn changed(text: &str, random: &mut Random) -> String {
    for _ in 0..20 {
        let new = mutated(text, random);
        if assemble(&new).is_ok() {
            return new;
        }
    }
    text.to_owned()
}

/// Vertex, tessellation, geometry, task, mesh and fragment shaders, in pipelines and as shader objects.
/// `PYRO_MUTATIONS` sets how many are tried (400), `PYRO_SEED` where to start.
#[test]
fn mutated_graphics_shaders_are_safe() {
    if !in_child(module_path!(), "mutated_graphics_shaders_are_safe", &ENVIRONMENT) {
        return;
    }
    let (mut victim, mut tally) = (Victim::new(), Tally::default());
    watch::rounds(400, 20_000, |seed| {
        let random = &mut Random::new(seed);
        let (mut scene, with, groups) = stages::scene(random);
        let count = 2 + scene.between.len();
        for _ in 0..1 + random.below(2) {
            let text = match random.below(count) {
                0 if scene.vertex.is_empty() => &mut scene.fragment,
                0 => &mut scene.vertex,
                1 => &mut scene.fragment,
                between => &mut scene.between[between - 2].1,
            };
            *text = changed(text, random);
        }
        let outcome = stages::draw_scene(&victim.lab, &scene, with, groups);
        tally.count(victim.replace_if_lost(outcome));
        if seed % 64 == 0 {
            victim.check();
        }
    });
    victim.check();
    println!("{tally:?}");
    assert!(tally.drawn > 0);
}

/// All stages of ray tracing pipelines, whole and of libraries.
/// `PYRO_MUTATIONS` sets how many are tried (200), `PYRO_SEED` where to start.
#[test]
fn mutated_ray_shaders_are_safe() {
    if !in_child(module_path!(), "mutated_ray_shaders_are_safe", &ENVIRONMENT) {
        return;
    }
    let mut tally = Tally::default();
    watch::rounds(200, 10_000, |seed| {
        let random = &mut Random::new(seed);
        let mut shaders = launches::SHADERS.map(|(_, text)| text.to_owned());
        for _ in 0..1 + random.below(2) {
            let shader = &mut shaders[random.below(launches::SHADERS.len())];
            *shader = changed(shader, random);
        }
        tally.count(match launches::launch_of(shaders, true, random) {
            Ok(_) => Outcome::Drawn,
            Err(vk::ErrorCode::DEVICE_LOST) => Outcome::Lost,
            Err(_) => Outcome::Refused,
        });
    });
    println!("{tally:?}");
    assert!(tally.drawn > 0);
}
