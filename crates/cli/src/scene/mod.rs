//! The demo's scene: a volcano by the sea at night.
//!
//! Compute shaders make the mesh and the textures once. A frame is: compute moves sparks and smoke and writes
//! their indirect draws; a pass draws the shadow map; a pass of four samples a pixel draws land, sea, sky,
//! smoke and sparks in floating point and resolves; compute adds the glow and maps the light to eight bits.
#![allow(unsafe_code)] // Vulkan calls, as in `device`

mod camera;
mod device;
mod passes;

use crate::client::Buffer;
use crate::client::Driver;
use crate::sources;
use anyhow::{Context, Result};
use camera::{axes, normalize, orthographic, perspective, product, subtract, view};
use device::{Image, Program, Resource, Stage};
use std::time::{Duration, Instant};
use vulkanalia::prelude::v1_2::*;

/// Cells of a side of the land, as in the shader.
const CELLS: u32 = 256;
/// Texels of a side of the textures, and their levels.
const ROCK: (u32, u32) = (512, 10);
const LAND: (u32, u32) = (1024, 11);
const SHADOW: u32 = 1024;
const SPARKS: u32 = 4096;
const SMOKE: u32 = 192;
/// Bytes of a sprite, and of an indirect draw.
const SPRITE: usize = 48;
const DRAW: usize = 16;
/// Invocations of a workgroup of the shaders of two dimensions.
const TILE: [u32; 2] = [16, 4];

/// The scene, ready to be drawn.
pub(crate) struct Scene<'d> {
    stage: Stage<'d>,
    extent: [u32; 2],
    frame: Buffer,
    draws: vk::Buffer,
    output: Buffer,
    vertices: vk::Buffer,
    indices: vk::Buffer,
    picture: Image,
    small: [u32; 2],
    shadow_pass: passes::Pass,
    main_pass: passes::Pass,
    kernels: Kernels,
    programs: passes::Programs,
    /// What it took to get here.
    pub(crate) report: Report,
}

/// The kernels of a frame.
struct Kernels {
    rise: Program,
    billow: Program,
    bright: Program,
    across: Program,
    down: Program,
    tone: Program,
}

/// What was compiled, and how long things took.
#[derive(Default)]
pub(crate) struct Report {
    /// Shader modules and their size.
    pub(crate) modules: usize,
    pub(crate) words: usize,
    /// Pipelines, and the time of their creation.
    pub(crate) pipelines: usize,
    pub(crate) creation: Duration,
    /// The mesh and the textures.
    pub(crate) setup: Duration,
}

/// The images: textures, attachments, and what compute shaders write.
struct Images {
    rock: Image,
    land: Image,
    shadow: Image,
    samples: Image,
    sample_depth: Image,
    light: Image,
    glow: Image,
    swap: Image,
    picture: Image,
}

impl Images {
    /// Images for pictures of this extent, whose glow has the extent `small`.
    fn new(stage: &Stage<'_>, extent: [u32; 2], small: [u32; 2]) -> Result<Images> {
        let (one, four) = (vk::SampleCountFlags::_1, vk::SampleCountFlags::_4);
        let (texture, storage) = (vk::ImageUsageFlags::SAMPLED, vk::ImageUsageFlags::STORAGE);
        let bytes = vk::Format::R8G8B8A8_UNORM;
        let half = vk::Format::R16G16B16A16_SFLOAT;
        let depth = vk::Format::D32_SFLOAT;
        let rock = stage.image(bytes, [ROCK.0; 2], ROCK.1, one, texture | storage)?;
        let land = stage.image(bytes, [LAND.0; 2], LAND.1, one, texture | storage)?;
        let depth_usage = vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
        let shadow = stage.image(depth, [SHADOW; 2], 1, one, depth_usage | texture)?;
        let color_usage = vk::ImageUsageFlags::COLOR_ATTACHMENT;
        let samples = stage.image(half, extent, 1, four, color_usage)?;
        let sample_depth = stage.image(depth, extent, 1, four, depth_usage)?;
        let light = stage.image(half, extent, 1, one, color_usage | texture)?;
        let glow = stage.image(half, small, 1, one, texture | storage)?;
        let swap = stage.image(half, small, 1, one, texture | storage)?;
        let picture = stage.image(bytes, extent, 1, one, storage | vk::ImageUsageFlags::TRANSFER_SRC)?;
        Ok(Images { rock, land, shadow, samples, sample_depth, light, glow, swap, picture })
    }
}

/// The kernels that paint the levels of both textures, with their workgroups. The first level reads nothing,
/// but its binding must hold something: `unread`.
fn fills(
    stage: &Stage<'_>,
    textures: vk::ShaderModule,
    [rock, land]: [&Image; 2],
    unread: vk::ImageView,
) -> Result<Vec<(Program, [u32; 2])>> {
    let paint = |name: &str, source, target| {
        stage.kernel(textures, name, &[Resource::Texture(source), Resource::StorageImage(target)])
    };
    let mut fills = Vec::new();
    for (name, image) in [("rock", rock), ("land", land)] {
        fills.push((paint(name, unread, image.levels[0])?, tiles(image.extent)));
        for (level, pair) in (1..).zip(image.levels.windows(2)) {
            let size = image.extent.map(|side| (side >> level).max(1));
            fills.push((paint("shrink", pair[0], pair[1])?, tiles(size)));
        }
    }
    Ok(fills)
}

/// Workgroups that cover an extent.
fn tiles(extent: [u32; 2]) -> [u32; 2] {
    [extent[0].div_ceil(TILE[0]), extent[1].div_ceil(TILE[1])]
}

impl<'d> Scene<'d> {
    /// Makes everything that a frame needs, and draws none.
    pub(crate) fn new(driver: &'d Driver, extent: [u32; 2]) -> Result<Scene<'d>> {
        let stage = Stage::new(driver)?;
        let mut report = Report::default();
        let ground = include_str!("../../assets/volcano/ground.wgsl");
        let mut module = |name: &str, source: &str| -> Result<vk::ShaderModule> {
            let words = sources::of_own_wgsl(name, &format!("{ground}{source}"))
                .with_context(|| format!("the demo's shader {name}"))?;
            report.modules += 1;
            report.words += words.len();
            stage.module(&words)
        };
        let terrain = module("terrain", include_str!("../../assets/volcano/terrain.wgsl"))?;
        let textures = module("textures", include_str!("../../assets/volcano/textures.wgsl"))?;
        let particles = module("particles", include_str!("../../assets/volcano/particles.wgsl"))?;
        let draw = module("draw", include_str!("../../assets/volcano/draw.wgsl"))?;
        let finish = module("finish", include_str!("../../assets/volcano/finish.wgsl"))?;

        let row = CELLS as usize + 1;
        let vertices = stage.buffer(row * row * 32)?.buffer;
        let indices = stage.buffer((CELLS * CELLS * 6 * 4) as usize)?.buffer;
        let frame = stage.buffer(256)?;
        let draws = stage.buffer(2 * DRAW)?.buffer;
        let sparks = stage.buffer(SPARKS as usize * SPRITE)?.buffer;
        let smoke = stage.buffer(SMOKE as usize * SPRITE)?.buffer;
        let output = stage.buffer(extent[0] as usize * extent[1] as usize * 4)?;

        let small = extent.map(|side| side.div_ceil(4));
        let images = Images::new(&stage, extent, small)?;
        let Images { rock, land, shadow, samples, sample_depth, light, glow, swap, picture } = images;
        let linear = stage.sampler(true, false)?;
        let clamped = stage.sampler(false, false)?;
        let compared = stage.sampler(false, true)?;
        let shadow_pass = passes::Pass::shadow(&stage, &shadow)?;
        let main_pass = passes::Pass::main(&stage, &samples, &light, &sample_depth)?;

        let start = Instant::now();
        let particle = [
            Resource::Uniform(frame.buffer),
            Resource::Storage(sparks),
            Resource::Storage(smoke),
            Resource::Storage(draws),
        ];
        let post = |name: &str, source: &Image, target: &Image| {
            let resources = [
                Resource::Texture(source.view),
                Resource::Texture(glow.view),
                Resource::Sampler(clamped),
                Resource::StorageImage(target.view),
                Resource::StorageImage(picture.view),
            ];
            stage.kernel(finish, name, &resources)
        };
        let kernels = Kernels {
            rise: stage.kernel(particles, "rise", &particle)?,
            billow: stage.kernel(particles, "billow", &particle)?,
            bright: post("bright", &light, &glow)?,
            across: post("blur_across", &glow, &swap)?,
            down: post("blur_down", &swap, &glow)?,
            tone: post("tone", &light, &swap)?,
        };
        let shared = [
            Resource::Uniform(frame.buffer),
            Resource::Texture(rock.view),
            Resource::Texture(land.view),
            Resource::Texture(shadow.view),
            Resource::Sampler(linear),
            Resource::Sampler(clamped),
            Resource::Sampler(compared),
        ];
        let programs =
            passes::Programs::new(&stage, draw, &shared, [sparks, smoke], &shadow_pass, &main_pass)?;
        let mesh =
            stage.kernel(terrain, "mesh", &[Resource::Storage(vertices), Resource::Storage(indices)])?;
        let fills = fills(&stage, textures, [&rock, &land], glow.view)?;
        report.pipelines = 6 + 6 + 1 + fills.len();
        report.creation = start.elapsed();

        let start = Instant::now();
        stage.submit(|commands| {
            stage.dispatch(commands, &mesh, tiles([CELLS + 1; 2]));
            for (program, groups) in &fills {
                stage.dispatch(commands, program, *groups);
            }
        })?;
        report.setup = start.elapsed();
        Ok(Scene {
            stage,
            extent,
            frame,
            draws,
            output,
            vertices,
            indices,
            picture,
            small,
            shadow_pass,
            main_pass,
            kernels,
            programs,
            report,
        })
    }

    /// Triangles of one frame's meshes, sprites not counted.
    pub(crate) fn triangles(&self) -> u32 {
        2 * 2 * CELLS * CELLS
    }

    /// Draws the frame at so many seconds; the picture is in `pixels` afterwards.
    pub(crate) fn draw(&mut self, seconds: f32) -> Result<()> {
        let constants: Vec<u8> =
            self.constants(seconds).iter().flat_map(|value| value.to_ne_bytes()).collect();
        self.frame.bytes_mut()[..constants.len()].copy_from_slice(&constants);
        let stage = &self.stage;
        stage.submit(|commands| {
            let device = &stage.device;
            // Vertices, instances, first vertex, first instance; the shaders count the instances.
            let empty: [u32; 8] = [4, 0, 0, 0, 4, 0, 0, 0];
            let bytes: Vec<u8> = empty.iter().flat_map(|word| word.to_ne_bytes()).collect();
            // SAFETY: recording; the handles live as long as the stage.
            unsafe { device.cmd_update_buffer(commands, self.draws, 0, &bytes) };
            stage.barrier(commands);
            stage.dispatch(commands, &self.kernels.rise, [SPARKS.div_ceil(64), 1]);
            stage.dispatch(commands, &self.kernels.billow, [SMOKE.div_ceil(64), 1]);
            self.record_shadow(commands);
            self.record_main(commands);
            stage.dispatch(commands, &self.kernels.bright, tiles(self.small));
            stage.dispatch(commands, &self.kernels.across, tiles(self.small));
            stage.dispatch(commands, &self.kernels.down, tiles(self.small));
            stage.dispatch(commands, &self.kernels.tone, tiles(self.extent));
            let copy = vk::BufferImageCopy::builder()
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: 0,
                    base_array_layer: 0,
                    layer_count: 1,
                })
                .image_extent(vk::Extent3D { width: self.extent[0], height: self.extent[1], depth: 1 });
            let general = vk::ImageLayout::GENERAL;
            // SAFETY: recording; the buffer holds every pixel.
            unsafe {
                device.cmd_copy_image_to_buffer(
                    commands,
                    self.picture.handle,
                    general,
                    self.output.buffer,
                    &[copy],
                );
            }
            stage.barrier(commands);
        })?;
        Ok(())
    }

    /// The last frame, RGBA.
    pub(crate) fn pixels(&self) -> &[u8] {
        self.output.bytes()
    }

    fn record_shadow(&self, commands: vk::CommandBuffer) {
        self.shadow_pass.begin(&self.stage, commands);
        self.programs.land(
            &self.stage,
            commands,
            &self.programs.shadow,
            [self.vertices, self.indices],
            CELLS,
        );
        self.shadow_pass.end(&self.stage, commands);
    }

    fn record_main(&self, commands: vk::CommandBuffer) {
        let (stage, programs) = (&self.stage, &self.programs);
        self.main_pass.begin(stage, commands);
        programs.land(stage, commands, &programs.land, [self.vertices, self.indices], CELLS);
        programs.plain(stage, commands, &programs.sea, 4);
        programs.plain(stage, commands, &programs.sky, 3);
        programs.indirect(stage, commands, &programs.smoke, self.draws, DRAW);
        programs.indirect(stage, commands, &programs.sparks, self.draws, 0);
        self.main_pass.end(stage, commands);
    }

    /// The uniform buffer of a frame, as `ground.wgsl` has it.
    fn constants(&self, seconds: f32) -> Vec<f32> {
        let turn = 0.10 * seconds + 0.3;
        let eye = [12.5 * turn.sin(), 1.9, -12.5 * turn.cos()];
        let axes_of_view = axes(subtract([0.0, 3.2, 0.0], eye));
        let aspect = self.extent[0] as f32 / self.extent[1] as f32;
        let tangent = 0.44;
        let projection = perspective(tangent, aspect, 0.1, 150.0);
        let matrix = product(&projection, &view(eye, axes_of_view));
        let moon = normalize([-0.75, 0.34, 0.55]);
        let light_eye = moon.map(|value| value * 25.0);
        let light_axes = axes(moon.map(|value| -value));
        let light = product(&orthographic(12.0, 50.0), &view(light_eye, light_axes));
        let mut values = Vec::new();
        values.extend(matrix.as_flattened());
        values.extend(light.as_flattened());
        for axis in [eye, axes_of_view[0], axes_of_view[1], moon] {
            values.extend(axis);
            values.push(0.0);
        }
        values.extend([seconds, aspect, tangent, 0.0]);
        values
    }
}
