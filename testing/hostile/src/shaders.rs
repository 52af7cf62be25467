//! Shaders of all stages that are a little different from working ones.

use crate::text::mutated;
use crate::victim::{Outcome, Victim};
use pyro_digests::{launches, stages};
use pyro_random::Random;
use pyro_spirv::asm::assemble;

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

/// Draws with changed vertex, tessellation, geometry, task, mesh or fragment shaders, in a pipeline or as
/// shader objects.
pub fn draw(victim: &mut Victim, random: &mut Random) -> Outcome {
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
    victim.draw(&scene, with, groups)
}

/// Launches changed shaders of ray tracing pipelines, whole and of libraries.
pub fn launch(random: &mut Random) -> Outcome {
    let mut shaders = launches::SHADERS.map(|(_, text)| text.to_owned());
    for _ in 0..1 + random.below(2) {
        let shader = &mut shaders[random.below(launches::SHADERS.len())];
        *shader = changed(shader, random);
    }
    launches::launch_of(shaders, true, random).map(|_| ()).into()
}
