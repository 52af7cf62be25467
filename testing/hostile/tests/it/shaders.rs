//! Shaders of all stages and create infos of all pipelines that are a little different from working ones.

use pyro_hostile::victim::{ENVIRONMENT, Outcome, Tally, Victim};
use pyro_hostile::{libraries, pipelines, shaders, states, watch};
use pyro_random::Random;
use pyro_test_environment::in_child;

/// Rounds of something, with working scenes between them.
fn rounds(count: u64, most: u64, mut body: impl FnMut(&mut Victim, &mut Random) -> Outcome) {
    let (mut victim, mut tally) = (Victim::default(), Tally::default());
    watch::rounds(count, most, |seed| {
        tally.count(body(&mut victim, &mut Random::new(seed)));
        if seed % 64 == 0 {
            victim.check();
        }
    });
    victim.check();
    println!("{tally:?}");
    assert!(tally.drawn > 0);
}

/// Vertex, tessellation, geometry, task, mesh and fragment shaders, in pipelines and as shader objects.
/// `PYRO_MUTATIONS` sets how many are tried (400), `PYRO_SEED` where to start.
#[test]
fn mutated_graphics_shaders_are_safe() {
    if in_child(module_path!(), "mutated_graphics_shaders_are_safe", &ENVIRONMENT) {
        rounds(400, 20_000, shaders::draw);
    }
}

/// All stages of ray tracing pipelines, whole and of libraries.
/// `PYRO_MUTATIONS` sets how many are tried (200), `PYRO_SEED` where to start.
#[test]
fn mutated_ray_shaders_are_safe() {
    if in_child(module_path!(), "mutated_ray_shaders_are_safe", &ENVIRONMENT) {
        rounds(200, 10_000, |_, random| shaders::launch(random));
    }
}

/// Graphics pipelines with wrong state, and commands that set it.
/// `PYRO_MUTATIONS` sets how many are tried (200), `PYRO_SEED` where to start.
#[test]
fn mutated_pipeline_states_are_safe() {
    if in_child(module_path!(), "mutated_pipeline_states_are_safe", &ENVIRONMENT) {
        rounds(200, 20_000, states::draw);
    }
}

/// Libraries of graphics pipelines with other parts, stages and state, linked and drawn with.
/// `PYRO_MUTATIONS` sets how many are tried (200), `PYRO_SEED` where to start.
#[test]
fn mutated_libraries_are_safe() {
    if in_child(module_path!(), "mutated_libraries_are_safe", &ENVIRONMENT) {
        rounds(200, 20_000, libraries::draw);
    }
}

/// Create infos of compute, ray tracing and execution graph pipelines, of libraries and of shader objects.
/// `PYRO_MUTATIONS` sets how many are tried (300), `PYRO_SEED` where to start.
#[test]
fn mutated_create_infos_are_safe() {
    if in_child(module_path!(), "mutated_create_infos_are_safe", &ENVIRONMENT) {
        rounds(300, 20_000, |_, random| pipelines::create(random));
    }
}
