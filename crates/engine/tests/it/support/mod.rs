//! Draws with vertex and fragment functions written in plain Rust.
#![allow(unreachable_pub)]
#![allow(unsafe_code)] // Functions follow the addresses that a test gives them.

use pyro_abi::graphics::{AttachmentRecord, SetupLayout, VertexLayout, graphics_offset as at};
use pyro_abi::{DispatchContext, DrawContext, Exit, Kernel, KernelInfo, Memory, SubgroupContext};
use pyro_engine::Engine;
use pyro_engine::graphics::{
    BLOCK_COST, Draw, DrawCommand, DrawState, FragmentProgram, PreRasterization, RasterState, Rect,
    Statistics, Topology, VertexProgram, Viewport,
};
use pyro_fixed::Variant;
use pyro_interp::Interpreter;
use pyro_ir::Function;
use pyro_passes::block_loop::BlockList;
use pyro_passes::pipeline;
use pyro_passes::quad_loop::QuadList;
pub use pyro_random::Random;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

pub const LANES: u32 = 16;

pub fn info() -> KernelInfo {
    KernelInfo { subgroup_size: LANES, workgroup_size: [LANES, 1, 1], ..KernelInfo::default() }
}

/// Copies vertices of `words` words, whose address is that of attribute 0, to its output columns.
pub struct CopyVertices {
    pub info: KernelInfo,
    pub words: u32,
}

impl Kernel for CopyVertices {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit {
        let (context, record) = ((&raw const *dispatch) as u64, (&raw const *subgroup) as u64);
        // SAFETY: the tests' draws are valid.
        let memory = unsafe { Memory::new() };
        let source: u64 = memory.load(context + u64::from(at::ATTRIBUTES + at::ATTRIBUTE_ADDRESS));
        let outputs: u64 = memory.load(record + u64::from(at::OUTPUTS));
        for lane in 0..u64::from(LANES) {
            if subgroup.active_lanes >> lane & 1 == 0 {
                continue;
            }
            let index: u32 = memory.load(record + u64::from(at::VERTEX_INDEX) + 4 * lane);
            for word in 0..u64::from(self.words) {
                let value: u32 = memory.load(source + 4 * (u64::from(index) * u64::from(self.words) + word));
                memory.store(outputs + 4 * (word * u64::from(LANES) + lane), value);
            }
        }
        Exit::Done
    }
}

/// Counts, for each sample, how often it is covered, and keeps the last primitive's number, at colour
/// attachment 0: pairs of words.
pub struct CountCoverage {
    pub info: KernelInfo,
    pub packed: bool,
    pub samples: u32,
}

impl Kernel for CountCoverage {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit {
        let (context, record) = ((&raw const *dispatch) as u64, (&raw const *subgroup) as u64);
        // SAFETY: the tests' draws are valid.
        let memory = unsafe { Memory::new() };
        let word = |place: u32| -> u32 { memory.load(record + u64::from(place)) };
        let color = context + u64::from(at::COLORS);
        let address: u64 = memory.load(color + u64::from(at::ATTACHMENT_ADDRESS));
        let row_pitch: u32 = memory.load(color + u64::from(at::ATTACHMENT_ROW_PITCH));
        let layer_pitch: u32 = memory.load(color + u64::from(at::ATTACHMENT_LAYER_PITCH));
        let setup: u64 = memory.load(record + u64::from(at::SETUP));
        for lane in 0..LANES {
            let coverage = word(at::COVERAGE + 4 * lane);
            if subgroup.active_lanes >> lane & 1 == 0 {
                assert_eq!(coverage, 0, "coverage in an inactive lane");
                continue;
            }
            let primitive = if self.packed { word(at::PRIMITIVES + 4 * lane) } else { word(at::PRIMITIVE) };
            assert_eq!(primitive, word(at::PRIMITIVES + 4 * lane));
            let (x, y) = (word(at::X + 4 * lane), word(at::Y + 4 * lane));
            assert_eq!((x & 1, y & 1), (lane & 1, lane >> 1 & 1), "a quad's pixels");
            let id: u32 = memory.load(setup + u64::from(primitive + at::PRIMITIVE_ID));
            let layer: u32 = memory.load(setup + u64::from(primitive + at::LAYER));
            memory.store(record + u64::from(at::PASSED + 4 * lane), coverage);
            for sample in (0..self.samples).filter(|sample| coverage >> sample & 1 != 0) {
                let texel = y * row_pitch + layer * layer_pitch + (x * self.samples + sample) * 8;
                let count: u32 = memory.load(address + u64::from(texel));
                memory.store(address + u64::from(texel), count + 1);
                memory.store(address + u64::from(texel) + 4, id);
            }
        }
        Exit::Done
    }
}

/// Vertices and what they are drawn into.
pub struct Scene {
    pub width: u32,
    pub height: u32,
    pub layers: u32,
    /// Words of a vertex: position first.
    pub vertex_words: u32,
    pub vertices: Vec<u32>,
    pub draw: Draw,
}

/// Count and last primitive of each sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub samples: u32,
    pub texels: Vec<[u32; 2]>,
    pub statistics: Statistics,
}

impl Picture {
    /// Count and last primitive.
    pub fn at(&self, x: u32, y: u32, sample: u32) -> [u32; 2] {
        self.texels[((y * self.width + x) * self.samples + sample) as usize]
    }
}

impl Scene {
    /// An empty scene: positions in pixels times w, so that (0, 0) is the upper left.
    pub fn new(width: u32, height: u32, samples: u32) -> Scene {
        let layers = 1;
        let fragment =
            |packed| -> Arc<dyn Kernel> { Arc::new(CountCoverage { info: info(), packed, samples }) };
        let state = DrawState {
            context: DrawContext::default(),
            stages: PreRasterization::of_vertex(VertexProgram {
                kernel: Arc::new(CopyVertices { info: info(), words: 4 }),
                layout: Arc::new(VertexLayout { columns: 4, ..VertexLayout::default() }),
            }),
            fragment: Some(FragmentProgram {
                single_primitive: fragment(false),
                multi_primitive: fragment(true),
                takes_lists: false,
                takes_groups: false,
                full_block: None,
                covers_blocks: false,
                block_cost: BLOCK_COST,
                setup: Arc::new(SetupLayout::new()),
                per_sample: false,
                counts_samples: true,
                sees_full_coverage: false,
                only_colors: false,
                overwritten: 0,
            }),
            tessellation_lower_left: false,
            topology: Topology::TriangleList,
            primitive_restart: false,
            indices: None,
            raster: RasterState { samples, line_width: 1.0, ..RasterState::default() },
            // Clip space (-1, 1) is (0, 2) pixels.
            viewports: vec![Viewport {
                x: 0.0,
                y: 0.0,
                width: width as f32,
                height: height as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            }],
            area: Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 },
            layers: 1,
            view_mask: 0,
            per_view_viewports: false,
            counters: None,
            shading_rate: None,
            extra: None,
        };
        let scissors = smallvec![Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 }];
        let draw = Draw { resources: None, commands: SmallVec::new(), scissors, state: Arc::new(state) };
        Scene { width, height, layers, vertex_words: 4, vertices: Vec::new(), draw }
    }

    /// Adds a vertex at a window position in 1/256 pixels.
    pub fn vertex(&mut self, x: i32, y: i32) {
        let clip = |value: i32, size: u32| value as f64 / 128.0 / f64::from(size) - 1.0;
        self.clip_vertex(&[clip(x, self.width) as f32, clip(y, self.height) as f32, 0.5, 1.0]);
    }

    /// Adds a vertex of a clip-space position and other outputs.
    pub fn clip_vertex(&mut self, words: &[f32]) {
        assert_eq!(words.len(), self.vertex_words as usize);
        self.vertices.extend(words.iter().map(|word| word.to_bits()));
    }

    /// Uses vertices with more outputs.
    pub fn outputs(&mut self, words: u32, layout: VertexLayout) {
        self.vertex_words = words;
        self.draw.stages = PreRasterization::of_vertex(VertexProgram {
            kernel: Arc::new(CopyVertices { info: info(), words }),
            layout: Arc::new(VertexLayout { columns: words, ..layout }),
        });
    }

    /// Draws all vertices with a number of threads.
    pub fn run(&self, threads: usize) -> Picture {
        let engine = Engine::new(threads);
        let samples = self.draw.raster.samples;
        let (width, height) = (self.width.next_multiple_of(2), self.height.next_multiple_of(2));
        let mut texels = vec![[0u32; 2]; (width * height * samples * self.layers) as usize];
        let mut draw = self.draw.clone();
        draw.context.colors[0] = AttachmentRecord {
            address: texels.as_mut_ptr().expose_provenance() as u64,
            row_pitch: width * samples * 8,
            layer_pitch: width * height * samples * 8,
            ..AttachmentRecord::default()
        };
        draw.context.attributes[0].address = self.vertices.as_ptr().expose_provenance() as u64;
        if draw.commands.is_empty() {
            draw.commands = smallvec![DrawCommand {
                count: (self.vertices.len() as u32) / self.vertex_words,
                instance_count: 1,
                ..DrawCommand::default()
            }];
        }
        // SAFETY: vertices and attachment are large enough.
        let statistics = unsafe { engine.draw(vec![draw]) }.expect("ends");
        Picture { width, samples, texels, statistics }
    }
}

/// The kernel of a fragment function for the interpreter. `loops`: over lists of quads.
pub fn finished(mut function: Function, variant: Variant, loops: bool) -> Arc<dyn Kernel> {
    let block_loop = match variant {
        Variant::FullBlock => Some(BlockList::Whole),
        variant if variant.covers_in_part() => Some(BlockList::Covered),
        _ => None,
    };
    let options = pipeline::Options {
        verify: true,
        block_loop,
        quad_loop: loops.then_some(match variant {
            Variant::GroupedQuads => QuadList::Grouped,
            _ => QuadList::Subgroups,
        }),
        full_subgroups: block_loop.is_some() || loops,
        ..pipeline::Options::default()
    };
    pipeline::run(&mut function, &options, None).expect("passes accept the function");
    let info = KernelInfo { subgroup_size: LANES, ..KernelInfo::default() };
    Arc::new(Interpreter::new(function, info).expect("finished mask form"))
}

/// Draws all vertices with so many threads to an attachment of `size` by `size` pixels of four words; gives
/// these.
pub fn draw_words(scene: &Scene, size: u32, threads: usize) -> (Vec<[u32; 4]>, Statistics) {
    let engine = Engine::new(threads);
    let samples = scene.draw.raster.samples;
    let mut texels = vec![[0; 4]; (size * size * samples) as usize];
    let mut draw = scene.draw.clone();
    draw.context.colors[0] = AttachmentRecord {
        address: texels.as_mut_ptr().expose_provenance() as u64,
        row_pitch: size * 16,
        sample_pitch: size * size * 16,
        ..AttachmentRecord::default()
    };
    draw.context.attributes[0].address = scene.vertices.as_ptr().expose_provenance() as u64;
    let count = scene.vertices.len() as u32 / scene.vertex_words;
    draw.commands = smallvec![DrawCommand { count, instance_count: 1, ..DrawCommand::default() }];
    // SAFETY: vertices and attachment are large enough.
    let statistics = unsafe { engine.draw(vec![draw]) }.expect("ends");
    (texels, statistics)
}
