//! Quads of invocations in every stage that has subgroups (`subgroupQuadOperationsInAllStages`).

use super::assembly::{WHOLE, passed_on, passing, rectangle};
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("shaders/", $name, ".spvasm"))
    };
}

/// Invocations.
const COUNT: usize = 32;

/// Each invocation has swapped its number with two others of its quad, which are not the same, and all four
/// have that of one.
fn check(words: &[u32], what: &str) {
    let [across, down, last] = [0, 64, 128].map(|first| {
        let part = &words[first..first + COUNT];
        assert!(part.iter().all(|&word| (1..=COUNT as u32).contains(&word)), "{what}: {part:?}");
        part.iter().map(|&word| word as usize - 1).collect::<Vec<_>>()
    });
    for at in 0..COUNT {
        let quad = [at, across[at], down[at], across[down[at]]];
        assert_eq!((across[across[at]], down[down[at]]), (at, at), "{what} {at}");
        assert_eq!(down[across[at]], quad[3], "{what} {at}");
        for (number, one) in quad.iter().enumerate() {
            assert!(!quad[..number].contains(one), "{what} {at}: {quad:?}");
            assert_eq!(last[*one], last[at], "{what} {at}");
        }
        assert!(quad.contains(&last[at]), "{what} {at}: {quad:?}");
    }
}

#[test]
fn quads_exchange_values_in_every_stage() {
    let lab = Lab::new(&[c"VK_EXT_mesh_shader"]);
    let points = vec![[[0.0, 0.0, 0.5, 1.0], [0.0; 4]]; COUNT];
    let mut scene = Scene::new(shader!("quads.vert"), &passed_on(), &points);
    scene.fragment = shader!("quads.frag").into();
    scene.state.topology = vk::PrimitiveTopology::POINT_LIST;
    check(&lab.draw_both(&scene).words, "vertex");
    scene.vertex = passing();
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, shader!("quads.geom").into())];
    check(&lab.draw_both(&scene).words, "geometry");
    let mut scene = Scene::new("", shader!("quads.frag"), &[]);
    scene.between = vec![(vk::ShaderStageFlags::MESH_EXT, shader!("quads.mesh").into())];
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_ext(commands, 1, 1, 1)
        });
        check(&picture.words, "mesh");
    }
    let scene = Scene::new(&passing(), shader!("quads.frag"), &rectangle(WHOLE, 0.5, [0.0; 4]));
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let number = |x: u32, y: u32| (y * SIZE + x) as f32;
        let expected = [number(x ^ 1, y), number(x, y ^ 1), number(x | 1, y | 1), 1.0];
        assert_eq!(picture.at(0, x, y), expected, "{x} {y}");
    }
}
