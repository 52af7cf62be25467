//! Random scenes whose pixels Vulkan defines (nearly): coordinates lie on a grid that every device's
//! fixed-point positions hold exactly, divisions by w are by powers of two, sizes of points never end on a
//! sample.

use ash::vk;
use pyro_random::Random;

/// Width and height of every picture, in pixels.
pub(crate) const SIZE: u32 = 64;
/// Texels along each side of the texture's first level.
pub(crate) const TEXTURE_SIZE: u32 = 16;

/// What one corner says, as the vertex shader reads it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Vertex {
    /// In clip space.
    pub(crate) position: [f32; 4],
    /// Multiples of 1/15.
    pub(crate) color: [f32; 4],
}

/// What a fragment shader does; each is an entry point of the shaders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shading {
    /// The provoking vertex' colour.
    Flat,
    /// Interpolated without perspective.
    Smooth,
    /// Interpolated with perspective.
    Perspective,
    /// A pattern from `FragCoord`.
    Pattern,
    /// Discards every second pixel.
    Discard,
    /// By the side that faces the viewer.
    Facing,
    /// Derivatives of what is linear in `FragCoord`.
    Derivative,
    /// Writes `SampleMask`.
    SampleMask,
    /// Runs for each sample.
    PerSample,
    /// Writes `FragDepth`.
    Depth,
    /// Samples the texture at texel centres of the level that the derivatives say.
    Texture,
    /// Reads a texel.
    Fetch,
    /// Filters the texture; in free scenes only.
    Filtered,
    /// Calls mathematical functions; in free scenes only.
    Functions,
}

impl Shading {
    /// All that have one defined answer.
    pub(crate) const ALL: [Shading; 12] = [
        Shading::Flat,
        Shading::Smooth,
        Shading::Perspective,
        Shading::Pattern,
        Shading::Discard,
        Shading::Facing,
        Shading::Derivative,
        Shading::SampleMask,
        Shading::PerSample,
        Shading::Depth,
        Shading::Texture,
        Shading::Fetch,
    ];

    /// The entry point's name.
    pub(crate) fn entry_point(self) -> &'static std::ffi::CStr {
        match self {
            Shading::Flat => c"shade_flat",
            Shading::Smooth => c"shade_smooth",
            Shading::Perspective => c"shade_perspective",
            Shading::Pattern => c"shade_pattern",
            Shading::Discard => c"shade_discard",
            Shading::Facing => c"shade_facing",
            Shading::Derivative => c"shade_derivative",
            Shading::SampleMask => c"shade_sample_mask",
            Shading::PerSample => c"shade_per_sample",
            Shading::Depth => c"shade_depth",
            Shading::Texture => c"shade_texture",
            Shading::Fetch => c"shade_fetch",
            Shading::Filtered => c"shade_filtered",
            Shading::Functions => c"shade_functions",
        }
    }
}

/// Depth and stencil state of a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthStencil {
    pub(crate) test: bool,
    pub(crate) write: bool,
    pub(crate) compare: vk::CompareOp,
    pub(crate) stencil: Option<[vk::StencilOpState; 2]>,
    pub(crate) bounds: Option<[f32; 2]>,
}

/// One draw.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) restart: bool,
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) indices: Option<(vk::IndexType, Vec<u32>)>,
    pub(crate) instances: u32,
    /// Added to a position for each instance, in clip space; then the size of points.
    pub(crate) push: [f32; 4],
    pub(crate) shading: Shading,
    pub(crate) viewport: vk::Viewport,
    pub(crate) scissor: vk::Rect2D,
    pub(crate) cull: vk::CullModeFlags,
    pub(crate) front: vk::FrontFace,
    pub(crate) depth_clamp: bool,
    pub(crate) depth_stencil: DepthStencil,
    pub(crate) sample_mask: u32,
    pub(crate) blend: vk::PipelineColorBlendAttachmentState,
    pub(crate) blend_constants: [f32; 4],
    pub(crate) logic: Option<vk::LogicOp>,
}

/// A picture to draw.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) color: vk::Format,
    pub(crate) depth: Option<vk::Format>,
    pub(crate) samples: vk::SampleCountFlags,
    pub(crate) clear: [f32; 4],
    pub(crate) clear_depth: f32,
    pub(crate) clear_stencil: u32,
    pub(crate) draws: Vec<Draw>,
}

impl Scene {
    /// Whether colours are unsigned integers.
    pub(crate) fn is_integer(&self) -> bool {
        use vk::Format as F;
        matches!(self.color, F::R8G8B8A8_UINT | F::R16G16B16A16_UINT | F::R32_UINT)
    }

    /// Bytes of a pixel of the colour target.
    pub(crate) fn texel_bytes(&self) -> u32 {
        use vk::Format as F;
        match self.color {
            F::R8_UNORM => 1,
            F::R8G8_UNORM | F::R5G6B5_UNORM_PACK16 | F::R16_SFLOAT => 2,
            F::R16G16B16A16_SFLOAT | F::R16G16B16A16_UNORM | F::R16G16B16A16_UINT | F::R32G32_SFLOAT => 8,
            F::R32G32B32A32_SFLOAT => 16,
            _ => 4,
        }
    }

    /// The scene of one defined answer that a seed stands for.
    #[must_use]
    pub fn new(seed: u64) -> Scene {
        let mut random = Random::new(seed);
        let color = random.pick(&[
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R8G8B8A8_SRGB,
            vk::Format::R8G8B8A8_UINT,
            vk::Format::B8G8R8A8_UNORM,
        ]);
        let depth = (!random.one_in(4)).then(|| {
            random.pick(&[vk::Format::D16_UNORM, vk::Format::D32_SFLOAT, vk::Format::D32_SFLOAT_S8_UINT])
        });
        // Which sample stands for all when integers are resolved is seen on some devices only.
        let many = random.one_in(3) && color != vk::Format::R8G8B8A8_UINT;
        let samples = if many { vk::SampleCountFlags::TYPE_4 } else { vk::SampleCountFlags::TYPE_1 };
        let mut scene = Scene {
            color,
            depth,
            samples,
            clear: [0; 4].map(|_: u32| random.below(16) as f32 / 15.0),
            clear_depth: random.pick(&[1.0, 1.0, 0.5, 0.0]),
            clear_stencil: random.below(256u32),
            draws: Vec::new(),
        };
        for _ in 0..1 + random.below(5) {
            let draw = scene.draw(&mut random);
            scene.draws.push(draw);
        }
        scene
    }

    /// The scene with its first draws only.
    pub(crate) fn with_draws(mut self, count: Option<usize>) -> Scene {
        self.draws.truncate(count.unwrap_or(usize::MAX));
        self
    }

    pub(crate) fn draw(&self, random: &mut Random) -> Draw {
        let topology = random.pick(&[
            vk::PrimitiveTopology::TRIANGLE_LIST,
            vk::PrimitiveTopology::TRIANGLE_LIST,
            vk::PrimitiveTopology::TRIANGLE_STRIP,
            vk::PrimitiveTopology::TRIANGLE_FAN,
            vk::PrimitiveTopology::POINT_LIST,
        ]);
        let is_points = topology == vk::PrimitiveTopology::POINT_LIST;
        let is_list = is_points || topology == vk::PrimitiveTopology::TRIANGLE_LIST;
        let count = random.pick(&[3, 4, 6, 9, 30, 150]);
        let reach = random.pick(&[6, 20, 64, 64, 200]);
        let vertices = vertices(random, count, reach, is_points);
        let restart = !is_list && random.one_in(2);
        let indices = random.one_in(2).then(|| indices(random, count as u32, restart));
        let instances = random.pick(&[1, 1, 1, 2, 5]);
        let shading = self.shading(random, is_points);
        Draw {
            topology,
            restart: restart && indices.is_some(),
            vertices,
            indices,
            instances,
            push: [
                random.int(-16, 17) as f32 / 32.0,
                random.int(-16, 17) as f32 / 32.0,
                random.int(-4, 5) as f32 / 64.0,
                random.pick(&[1.0, 2.0, 3.0, 8.0, 17.0]),
            ],
            shading,
            viewport: viewport(random),
            scissor: scissor(random),
            cull: random.pick(&[
                vk::CullModeFlags::NONE,
                vk::CullModeFlags::NONE,
                vk::CullModeFlags::BACK,
                vk::CullModeFlags::FRONT,
            ]),
            front: random.pick(&[vk::FrontFace::CLOCKWISE, vk::FrontFace::COUNTER_CLOCKWISE]),
            depth_clamp: random.one_in(4),
            depth_stencil: self.depth_stencil(random),
            sample_mask: if random.one_in(4) { random.word() } else { u32::MAX },
            blend: self.blend(random),
            blend_constants: [0; 4].map(|_: u32| random.below(16) as f32 / 15.0),
            logic: (self.color == vk::Format::R8G8B8A8_UINT && random.one_in(2))
                .then(|| vk::LogicOp::from_raw(random.int(0, 16))),
        }
    }

    fn shading(&self, random: &mut Random, is_points: bool) -> Shading {
        loop {
            let shading = random.pick(&Shading::ALL);
            let interpolates = matches!(shading, Shading::Smooth | Shading::Perspective);
            // Integers have no interpolation, and a colour that is rounded to an integer could go either way.
            if interpolates && (self.is_integer() || is_points) {
                continue;
            }
            return shading;
        }
    }

    fn depth_stencil(&self, random: &mut Random) -> DepthStencil {
        let has_stencil = self.depth == Some(vk::Format::D32_SFLOAT_S8_UINT);
        let stencil = (has_stencil && !random.one_in(3)).then(|| [stencil(random), stencil(random)]);
        DepthStencil {
            test: self.depth.is_some() && !random.one_in(4),
            write: !random.one_in(4),
            compare: vk::CompareOp::from_raw(random.int(0, 8)),
            stencil,
            bounds: (self.depth.is_some() && random.one_in(8)).then_some([0.25, 0.75]),
        }
    }

    fn blend(&self, random: &mut Random) -> vk::PipelineColorBlendAttachmentState {
        let mask = if random.one_in(4) { random.below(16u32) } else { 15 };
        let blend = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::from_raw(mask));
        if self.is_integer() || random.one_in(2) {
            return blend;
        }
        let mut factor = || vk::BlendFactor::from_raw(random.int(0, 15));
        let factors = [factor(), factor(), factor(), factor()];
        let mut op = || vk::BlendOp::from_raw(random.int(0, 5));
        blend
            .blend_enable(true)
            .src_color_blend_factor(factors[0])
            .dst_color_blend_factor(factors[1])
            .src_alpha_blend_factor(factors[2])
            .dst_alpha_blend_factor(factors[3])
            .color_blend_op(op())
            .alpha_blend_op(op())
    }
}

/// A position in clip space from pixels in 16ths (or between two of them) and a divisor that is a power of
/// two.
fn position(random: &mut Random, place: [i32; 2], is_point: bool, depth: f32) -> [f32; 4] {
    let w = random.pick(&[1.0, 1.0, 1.0, 0.5, 2.0, 4.0]);
    let half = if is_point { 1.0 / 32.0 } else { 0.0 };
    let clip = place.map(|at| ((at as f32 / 16.0 + half) / (SIZE as f32 / 2.0) - 1.0) * w);
    [clip[0], clip[1], depth * w, w]
}

fn vertices(random: &mut Random, count: usize, reach: i32, is_points: bool) -> Vec<Vertex> {
    // One depth for all corners of a triangle mostly: then no device interpolates.
    let is_level = !random.one_in(4);
    let mut depth = 0.5;
    let mut center = [0; 2];
    (0..count)
        .map(|number| {
            if number % 3 == 0 {
                center = [random.int(0, SIZE as i32), random.int(0, SIZE as i32)];
            }
            if number % 3 == 0 || !is_level {
                depth = random.int(-8, 73) as f32 / 64.0;
            }
            let place = center.map(|at| (at + random.int(-reach, reach + 1)) * 16 + random.int(0, 16));
            let color = [0; 4].map(|_: u32| random.below(16) as f32 / 15.0);
            Vertex { position: position(random, place, is_points, depth), color }
        })
        .collect()
}

fn indices(random: &mut Random, count: u32, restart: bool) -> (vk::IndexType, Vec<u32>) {
    let (kind, last) =
        random.pick(&[(vk::IndexType::UINT16, u32::from(u16::MAX)), (vk::IndexType::UINT32, u32::MAX)]);
    let indices = (0..count + random.below(count))
        .map(|_| if restart && random.one_in(5) { last } else { random.below(count) });
    (kind, indices.collect())
}

fn viewport(random: &mut Random) -> vk::Viewport {
    let size = SIZE as f32;
    let (x, y, width, height) = random.pick(&[
        (0.0, 0.0, size, size),
        (0.0, 0.0, size, size),
        (0.0, size, size, -size),
        (16.0, 8.0, 32.0, 32.0),
        (-32.0, -32.0, 2.0 * size, 2.0 * size),
    ]);
    let (min_depth, max_depth) = random.pick(&[(0.0, 1.0), (0.0, 1.0), (0.25, 0.75), (1.0, 0.0)]);
    vk::Viewport { x, y, width, height, min_depth, max_depth }
}

fn scissor(random: &mut Random) -> vk::Rect2D {
    let whole = vk::Rect2D::default().extent(vk::Extent2D { width: SIZE, height: SIZE });
    if !random.one_in(3) {
        return whole;
    }
    let start = [random.below(40u32), random.below(40u32)];
    whole
        .offset(vk::Offset2D { x: start[0] as i32, y: start[1] as i32 })
        .extent(vk::Extent2D { width: 1 + random.below(24u32), height: 1 + random.below(24u32) })
}

fn stencil(random: &mut Random) -> vk::StencilOpState {
    let mut op = || vk::StencilOp::from_raw(random.int(0, 8));
    let ops = [op(), op(), op()];
    vk::StencilOpState {
        fail_op: ops[0],
        pass_op: ops[1],
        depth_fail_op: ops[2],
        compare_op: vk::CompareOp::from_raw(random.int(0, 8)),
        compare_mask: random.pick(&[255, 255, 15, 1]),
        write_mask: random.pick(&[255, 255, 240, 3]),
        reference: random.below(256u32),
    }
}
