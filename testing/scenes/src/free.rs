//! Scenes that Vulkan leaves open: what one device draws must be the same at all times, and other devices may
//! draw something else.
//!
//! They are those of one defined answer ([`Scene::new`]) without what makes their answer defined: positions
//! are any, primitives cross all planes, lines are among them, all formats, sample counts and interpolations,
//! and shaders filter and call functions.

use crate::scene::{Scene, Shading};
use ash::vk;
use pyro_random::Random;

/// Colour targets.
const COLORS: [vk::Format; 19] = [
    vk::Format::R8G8B8A8_UNORM,
    vk::Format::R8G8B8A8_SRGB,
    vk::Format::R8G8B8A8_SNORM,
    vk::Format::R8G8B8A8_UINT,
    vk::Format::B8G8R8A8_UNORM,
    vk::Format::B8G8R8A8_SRGB,
    vk::Format::A2B10G10R10_UNORM_PACK32,
    vk::Format::A2R10G10B10_UNORM_PACK32,
    vk::Format::B10G11R11_UFLOAT_PACK32,
    vk::Format::R5G6B5_UNORM_PACK16,
    vk::Format::R8_UNORM,
    vk::Format::R8G8_UNORM,
    vk::Format::R16_SFLOAT,
    vk::Format::R16G16B16A16_SFLOAT,
    vk::Format::R16G16B16A16_UNORM,
    vk::Format::R16G16B16A16_UINT,
    vk::Format::R32_UINT,
    vk::Format::R32G32_SFLOAT,
    vk::Format::R32G32B32A32_SFLOAT,
];

/// Every shading, those of open answers more often.
fn shading(random: &mut Random, is_integer: bool) -> Shading {
    let mut all = Shading::ALL.to_vec();
    all.extend([Shading::Filtered, Shading::Functions, Shading::Smooth, Shading::Perspective].repeat(2));
    loop {
        let shading = random.pick(&all);
        let interpolates = matches!(shading, Shading::Smooth | Shading::Perspective);
        if !(is_integer && interpolates) {
            return shading;
        }
    }
}

impl Scene {
    /// The free scene of a seed.
    #[must_use]
    pub fn free(seed: u64) -> Scene {
        let mut scene = Scene::new(seed);
        // Other numbers than those of the scene that it starts from.
        let mut random = Random::new(!seed);
        let random = &mut random;
        scene.color = random.pick(&COLORS);
        scene.samples = vk::SampleCountFlags::from_raw(random.pick(&[1, 1, 1, 2, 4, 4, 8, 16]));
        if scene.is_integer() || scene.depth.is_some() && random.one_in(3) {
            scene.depth = random.pick(&[None, Some(vk::Format::D32_SFLOAT), Some(vk::Format::D16_UNORM)]);
        }
        // Draws whose blending, logic operation and tests fit the targets.
        scene.draws.clear();
        for _ in 0..1 + random.below(4) {
            let mut draw = scene.draw(random);
            draw.shading = shading(random, scene.is_integer());
            draw.topology = random.pick(&[
                vk::PrimitiveTopology::TRIANGLE_LIST,
                vk::PrimitiveTopology::TRIANGLE_STRIP,
                vk::PrimitiveTopology::TRIANGLE_FAN,
                vk::PrimitiveTopology::LINE_LIST,
                vk::PrimitiveTopology::LINE_STRIP,
                vk::PrimitiveTopology::POINT_LIST,
            ]);
            // Lists restart only by a feature.
            draw.restart &= !matches!(
                draw.topology,
                vk::PrimitiveTopology::TRIANGLE_LIST
                    | vk::PrimitiveTopology::LINE_LIST
                    | vk::PrimitiveTopology::POINT_LIST
            );
            if !random.one_in(4) {
                let w_least = random.pick(&[0.1, 0.1, -1.0]);
                for vertex in &mut draw.vertices {
                    let w = random.float(w_least, 3.0);
                    vertex.position =
                        [random.float(-2.0, 2.0), random.float(-2.0, 2.0), random.float(-0.5, 1.5), w];
                    vertex.color = [0; 4].map(|_: u32| random.float(0.0, 1.0));
                }
            }
            scene.draws.push(draw);
        }
        scene
    }
}
