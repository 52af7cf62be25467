//! The tessellation stages: from patches of vertices to primitives.
//!
//! First the patches of some chunks are made on all threads ([`PatchShading`]): vertex functions, then the
//! control function, of whose outputs nothing is lost until the patches have been drawn ([`PatchBlock`]).
//! Their levels tell how many primitives each gives. So they can be cut into chunks of about as many
//! primitives as others have, whatever the levels are; for those the tessellator and the evaluation function
//! run ([`Evaluation`]) when their batch is drawn.

use crate::aborted::Aborted;
use crate::graphics::assembly::stream::Stream;
use crate::graphics::assembly::vertices::{Reuse, Shaded, VertexShading};
use crate::graphics::geometry::tessellator::{Levels, Tessellated};
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::state::{Draw, DrawCommand, Statistics, TessellationProgram, Topology};
use pyro_abi::graphics::{ControlSubgroup, EvaluationSubgroup, PatchLayout};
use pyro_abi::{DrawContext, Memory};
use std::ops::Range;
use std::sync::Arc;

/// Patches that the control function has run for.
pub(crate) struct PatchBlock {
    words: AlignedWords,
    layout: Arc<PatchLayout>,
    /// `PrimitiveId` of each.
    ids: Vec<u32>,
    pub(crate) statistics: Statistics,
}

impl PatchBlock {
    /// How many there are.
    pub(crate) fn count(&self) -> u32 {
        self.ids.len() as u32
    }

    /// The word of a patch's first lane in the first column.
    fn first_word(&self, patch: u32) -> usize {
        let layout = &*self.layout;
        let (subgroup, place) = (patch / layout.patches(), patch % layout.patches());
        subgroup as usize * (layout.columns * layout.lanes) as usize
            + (place * layout.modes.output_vertices) as usize
    }

    fn levels(&self, patch: u32) -> Levels {
        let (first, lanes) = (self.first_word(patch), self.layout.lanes as usize);
        let level = |at: usize| self.words.float(first + (self.layout.levels as usize + at) * lanes);
        Levels { outer: [0, 1, 2, 3].map(level), inner: [4, 5].map(level) }
    }

    /// How many primitives a patch gives.
    pub(crate) fn primitive_count(&self, patch: u32) -> u64 {
        Tessellated::primitive_count(self.layout.modes, self.levels(patch))
    }
}

/// A thread's memory for making patches.
#[derive(Default)]
pub(crate) struct PatchShading {
    record: Box<ControlSubgroup>,
    scratch: AlignedWords,
    /// Where the vertices of each patch begin, in bytes.
    places: Vec<u32>,
}

/// Patches of some instances of a command.
pub(crate) struct PatchRange<'a> {
    pub(crate) draw: &'a Draw,
    pub(crate) command: &'a DrawCommand,
    pub(crate) stream: &'a Stream,
    pub(crate) view_index: u32,
    /// Instances, counted from the command's first.
    pub(crate) instances: Range<u32>,
    /// Patches of each of them.
    pub(crate) numbers: Range<u32>,
}

/// A thread's memory for the vertices of patches.
pub(crate) struct VertexMemory<'a> {
    pub(crate) reuse: &'a mut Reuse,
    pub(crate) indices: &'a mut Vec<u32>,
    pub(crate) shading: &'a mut VertexShading,
    pub(crate) shaded: &'a mut Shaded,
}

impl PatchShading {
    /// Shades the vertices of patches and runs the control function.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        range: &PatchRange<'_>,
        context: &DrawContext,
        memory: VertexMemory<'_>,
    ) -> Result<PatchBlock, Aborted> {
        let PatchRange { draw, command, stream, view_index, ref instances, ref numbers } = *range;
        let VertexMemory { reuse, indices, shading, shaded } = memory;
        let (Some(program), Topology::PatchList(vertices)) = (&draw.stages.tessellation, draw.topology)
        else {
            return Err(Aborted);
        };
        // SAFETY: of the addresses reachable from the draw, only the index buffer's are read.
        let view = unsafe { Memory::new() };
        indices.clear();
        for number in numbers.clone() {
            let first = stream.first_of_patch(vertices, number);
            draw.corner_indices(command, view, first..first + vertices, indices);
        }
        reuse.number(indices);
        let distinct =
            reuse.list(command.first_instance.wrapping_add(instances.start), instances.len() as u32);
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { shading.run(shaded, draw, context, command, view_index, &reuse.vertices)? };
        self.places.clear();
        let mut ids = Vec::with_capacity(numbers.len() * instances.len());
        for instance in 0..instances.len() as u32 {
            let place = |&vertex: &u32| 4 * shaded.first_word(instance * distinct + vertex) as u32;
            self.places.extend(indices.iter().map(place));
            ids.extend(numbers.clone());
        }
        let layout = Arc::clone(&program.patches);
        let (info, together) = (program.control.info(), layout.patches() as usize);
        let mut block =
            PatchBlock { words: AlignedWords::default(), layout, ids, statistics: Statistics::default() };
        block.statistics.vertex_shader_invocations = reuse.vertices.len() as u64;
        block.statistics.input_assembly_primitives = block.ids.len() as u64;
        block.statistics.tessellation_control_shader_patches = block.ids.len() as u64;
        let subgroup_words = (block.layout.columns * block.layout.lanes) as usize;
        let outputs = block.words.reserve(block.ids.len().div_ceil(together) * subgroup_words);
        let record = &mut *self.record;
        record.subgroup.scratch =
            self.scratch.reserve((info.scratch_bytes as usize + info.frame_bytes as usize) / 4 + 32);
        record.subgroup.frame = record.subgroup.scratch + u64::from(info.scratch_bytes.next_multiple_of(64));
        record.subgroup.core = crate::pool::core();
        record.inputs = shaded.address();
        record.patch_vertices = vertices;
        record.view_index = view_index;
        // Both records' functions are called with the address of their first field.
        (&raw mut *record).expose_provenance();
        (&raw const *context).expose_provenance();
        let places = self.places.chunks(together * vertices as usize);
        for (number, (ids, places)) in block.ids.chunks(together).zip(places).enumerate() {
            let control_points = block.layout.modes.output_vertices as usize;
            for (id, lanes) in ids.iter().zip(record.primitive_id.chunks_mut(control_points)) {
                lanes.fill(*id);
            }
            record.vertices = places.as_ptr().expose_provenance() as u64;
            record.outputs = outputs + 4 * (number * subgroup_words) as u64;
            record.subgroup.active_lanes = u64::MAX >> (64 - ids.len() * control_points);
            record.subgroup.resume_point = 0;
            // SAFETY: the caller vouches for the draw; inputs, outputs and the scratch memory are large
            // enough.
            Aborted::unless_done(unsafe { program.control.run(&context.dispatch, &mut record.subgroup) })?;
        }
        Ok(block)
    }
}

/// A thread's memory for what becomes of patches.
#[derive(Default)]
pub(crate) struct Evaluation {
    record: Box<EvaluationSubgroup>,
    scratch: AlignedWords,
    tessellated: Tessellated,
    /// The vertices of each primitive.
    pub(crate) corners: Vec<u32>,
    /// `PrimitiveId` of each primitive.
    pub(crate) ids: Vec<u32>,
    /// Vertices that have been shaded, some of which nobody wants.
    pub(crate) vertex_count: u32,
    /// Vertices that the shader ran for.
    pub(crate) invocations: u64,
}

/// What the evaluation function is run with.
struct Run<'a> {
    program: &'a TessellationProgram,
    context: &'a DrawContext,
    shaded: &'a mut Shaded,
    record: &'a mut EvaluationSubgroup,
    /// Subgroups that have run.
    subgroups: usize,
    /// Lanes that wait in the record.
    waiting: usize,
}

impl Run<'_> {
    /// Runs the lanes in the record.
    ///
    /// # Safety
    /// The contract of `Kernel::run`.
    #[allow(unsafe_code)]
    unsafe fn subgroup(&mut self, count: usize, of_one: bool) -> Result<(), Aborted> {
        self.record.outputs = self.shaded.subgroup(self.subgroups);
        self.record.subgroup.active_lanes = u64::MAX >> (64 - count);
        self.record.subgroup.resume_point = 0;
        self.subgroups += 1;
        let kernel = if of_one { &self.program.evaluation_of_one } else { &self.program.evaluation };
        (&raw mut *self.record).expose_provenance();
        // SAFETY: the caller vouches for the addresses; outputs and the scratch memory are large enough.
        Aborted::unless_done(unsafe { kernel.run(&self.context.dispatch, &mut self.record.subgroup) })
    }

    /// The same for the lanes that wait.
    ///
    /// # Safety
    /// The contract of `Kernel::run`.
    #[allow(unsafe_code)]
    unsafe fn flush(&mut self) -> Result<(), Aborted> {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting == 0 {
            return Ok(());
        }
        // SAFETY: the caller vouches for the addresses that the function reaches.
        unsafe { self.subgroup(waiting, false) }
    }
}

impl Evaluation {
    /// Tessellates patches and shades the vertices.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(
        &mut self,
        shaded: &mut Shaded,
        draw: &Draw,
        context: &DrawContext,
        view_index: u32,
        block: &PatchBlock,
        patches: Range<u32>,
    ) -> Result<(), Aborted> {
        let Evaluation { record, scratch, tessellated, corners, ids, vertex_count, invocations } = self;
        corners.clear();
        ids.clear();
        (*vertex_count, *invocations) = (0, 0);
        let Some(program) = &draw.stages.tessellation else { return Err(Aborted) };
        let (info, other) = (program.evaluation.info(), program.evaluation_of_one.info());
        let lanes = info.subgroup_size.clamp(4, 64) as usize;
        shaded.start(program.layout.columns.max(4), lanes as u32);
        let bytes = [info, other].map(|info| (info.scratch_bytes, info.frame_bytes));
        let scratch_bytes = bytes[0].0.max(bytes[1].0).next_multiple_of(64);
        let frame_bytes = bytes[0].1.max(bytes[1].1);
        record.subgroup.scratch = scratch.reserve((scratch_bytes + frame_bytes) as usize / 4 + 32);
        record.subgroup.frame = record.subgroup.scratch + u64::from(scratch_bytes);
        record.subgroup.core = crate::pool::core();
        record.inputs = block.words.address();
        record.view_index = view_index;
        (&raw const *context).expose_provenance();
        let mut run = Run { program, context, shaded, record, subgroups: 0, waiting: 0 };
        let modes = program.patches.modes;
        let corner_count = program.kind().corner_count();
        for patch in patches {
            tessellated.subdivide(modes, draw.tessellation_lower_left, block.levels(patch));
            let (count, id) = (tessellated.u.len(), block.ids[patch as usize]);
            if count == 0 {
                continue;
            }
            let place = 4 * block.first_word(patch) as u32;
            let points = || tessellated.u.chunks(lanes).zip(tessellated.v.chunks(lanes));
            let first = if count >= lanes {
                // SAFETY: the caller vouches for the addresses reachable from the draw.
                unsafe { run.flush()? };
                let first = run.subgroups * lanes;
                run.record.same_patch = place;
                run.record.primitive_id[..lanes].fill(id);
                for (u, v) in points() {
                    put(&mut run.record.u, u);
                    put(&mut run.record.v, v);
                    // SAFETY: as above.
                    unsafe { run.subgroup(u.len(), true)? };
                }
                first
            } else {
                let first = run.subgroups * lanes + run.waiting;
                for (&u, &v) in tessellated.u.iter().zip(&tessellated.v) {
                    let (record, lane) = (&mut *run.record, run.waiting);
                    (record.u[lane], record.v[lane]) = (u.to_bits(), v.to_bits());
                    (record.patch[lane], record.primitive_id[lane]) = (place, id);
                    run.waiting += 1;
                    if run.waiting == lanes {
                        // SAFETY: the caller vouches for the addresses reachable from the draw.
                        unsafe { run.flush()? };
                    }
                }
                first
            };
            *invocations += count as u64;
            corners.extend(tessellated.corners.iter().map(|corner| first as u32 + corner));
            ids.resize(corners.len() / corner_count, id);
        }
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { run.flush()? };
        *vertex_count = (run.subgroups * lanes) as u32;
        Ok(())
    }
}

fn put(column: &mut [u32], values: &[f32]) {
    for (to, value) in column.iter_mut().zip(values) {
        *to = value.to_bits();
    }
}
