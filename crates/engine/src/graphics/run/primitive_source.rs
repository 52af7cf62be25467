//! Where the primitives of a chunk come from: input assembly, tessellated patches, mesh shaders; and geometry
//! shaders, which take those of another source.
//!
//! What comes after a source, clipping and setup, is the same for all of them.

use super::chunk::Chunk;
use crate::aborted::Aborted;
use crate::graphics::assembly::stream::{Ids, Stream};
use crate::graphics::assembly::vertices::{Reuse, Shaded, VertexShading};
use crate::graphics::geometry::geometry_shader::{GeometryShading, Input};
use crate::graphics::geometry::mesh::{MeshOutput, MeshShading};
use crate::graphics::geometry::tessellation::Evaluation;
use crate::graphics::setup::binning::ChunkOutput;
use crate::graphics::setup::primitives::{Primitives, Provoking, StripStarts};
use crate::graphics::state::{Draw, DrawCommand, PrimitiveKind};
use pyro_abi::{DrawContext, Memory};

/// What a source is asked for.
#[derive(Clone, Copy)]
pub(super) struct ChunkJob<'j> {
    pub(super) draw: &'j Draw,
    pub(super) command: &'j DrawCommand,
    pub(super) chunk: &'j Chunk,
    pub(super) context: &'j DrawContext,
}

/// Primitives that a source has made, with their vertices.
pub(super) struct Produced<'p> {
    pub(super) primitives: Primitives<'p>,
    /// Corners of a primitive: more than its kind has, where adjacent vertices are included.
    corner_count: usize,
    pub(super) vertices: &'p mut Shaded,
    pub(super) vertex_count: usize,
}

/// Gives the primitives of a chunk.
pub(super) trait PrimitiveSource {
    /// Runs the functions that make the chunk's primitives, and counts them.
    ///
    /// # Safety
    /// The contract of `Kernel::run` for the addresses reachable from the draw.
    #[allow(unsafe_code)]
    unsafe fn run(&mut self, job: ChunkJob<'_>, output: &mut ChunkOutput) -> Result<(), Aborted>;

    /// The primitives of the chunk that it has been run for.
    fn produced<'p>(&'p mut self, job: ChunkJob<'p>) -> Produced<'p>;
}

/// The corner that is the provoking vertex of primitives that stages make.
fn provoking_corner(draw: &Draw, kind: PrimitiveKind) -> u32 {
    if draw.raster.provoking_last { kind.corner_count() as u32 - 1 } else { 0 }
}

/// The vertices of a command's stream.
#[derive(Default)]
pub(super) struct VertexSource {
    pub(super) reuse: Reuse,
    /// The index of each corner of the chunk's primitives, later the number of its vertex.
    pub(super) indices: Vec<u32>,
    pub(super) shading: VertexShading,
    pub(super) shaded: Shaded,
    /// Primitives have different provoking corners.
    provoking_varies: bool,
}

impl VertexSource {
    /// Corners of a primitive: with a geometry shader adjacent vertices, too.
    fn corner_count(draw: &Draw) -> usize {
        match draw.stages.geometry {
            Some(_) => draw.topology.vertex_count(),
            None => draw.topology.kind().corner_count(),
        }
    }

    /// Lists the corners of the chunk's primitives of one instance, by their indices.
    fn collect_corners(&mut self, ChunkJob { draw, command, chunk, .. }: ChunkJob<'_>) {
        // SAFETY: of the addresses reachable from the draw, only the index buffer's are read.
        #[allow(unsafe_code)]
        let memory = unsafe { Memory::new() };
        let indices = &mut self.indices;
        indices.clear();
        let numbers = chunk.first..chunk.first + chunk.count;
        let list = chunk.stream.list_corners(draw.topology, numbers.clone());
        self.provoking_varies = list.is_none();
        if let Some(corners) = list {
            return draw.corner_indices(command, memory, corners, indices);
        }
        let (corner_count, provoking_last) = (VertexSource::corner_count(draw), draw.raster.provoking_last);
        for number in numbers {
            if draw.stages.geometry.is_some() {
                for &at in &chunk.stream.vertices(draw.topology, number)[..corner_count] {
                    draw.corner_indices(command, memory, at..at + 1, indices);
                }
                continue;
            }
            let corners = chunk.stream.corners(draw.topology, number, provoking_last);
            for &at in &corners.stream[..corner_count] {
                draw.corner_indices(command, memory, at..at + 1, indices);
            }
        }
    }
}

fn ids(chunk: &Chunk) -> Ids<'static> {
    Ids::Numbers { first: chunk.first, count: chunk.count }
}

impl PrimitiveSource for VertexSource {
    #[allow(unsafe_code)]
    unsafe fn run(&mut self, job: ChunkJob<'_>, output: &mut ChunkOutput) -> Result<(), Aborted> {
        let ChunkJob { draw, command, chunk, context } = job;
        self.collect_corners(job);
        let VertexSource { reuse, indices, shading, shaded, .. } = self;
        reuse.number(indices);
        let first_instance = command.first_instance.wrapping_add(chunk.first_instance);
        let distinct = reuse.list(first_instance, chunk.instance_count);
        // The other instances' primitives.
        let corners = chunk.count as usize * VertexSource::corner_count(draw);
        for first in (1..chunk.instance_count).map(|instance| instance * distinct) {
            indices.extend_from_within(..corners);
            let last = indices.len() - corners;
            indices[last..].iter_mut().for_each(|number| *number += first);
        }
        output.statistics.vertex_shader_invocations += reuse.vertices.len() as u64;
        output.statistics.input_assembly_primitives += chunk.primitive_count();
        output.statistics.generated[0] += chunk.primitive_count();
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { shading.run(shaded, draw, context, command, chunk.view_index, &reuse.vertices) }
    }

    fn produced<'p>(&'p mut self, ChunkJob { draw, chunk, .. }: ChunkJob<'p>) -> Produced<'p> {
        let stream: &Stream = &chunk.stream;
        let kind = draw.topology.kind();
        let provoking = match self.provoking_varies {
            true => Provoking::OfStream(stream, draw.topology, draw.raster.provoking_last),
            false => Provoking::Corner(provoking_corner(draw, kind)),
        };
        let strip_starts = StripStarts::OfStream(stream, draw.topology);
        Produced {
            primitives: Primitives { kind, corners: &self.indices, ids: ids(chunk), provoking, strip_starts },
            corner_count: VertexSource::corner_count(draw),
            vertex_count: self.reuse.vertices.len(),
            vertices: &mut self.shaded,
        }
    }
}

/// Patches whose control function has run: they are tessellated, and their vertices evaluated.
#[derive(Default)]
pub(super) struct PatchSource {
    evaluation: Evaluation,
    shaded: Shaded,
}

impl PrimitiveSource for PatchSource {
    #[allow(unsafe_code)]
    unsafe fn run(&mut self, job: ChunkJob<'_>, output: &mut ChunkOutput) -> Result<(), Aborted> {
        let ChunkJob { draw, chunk, context, .. } = job;
        let Some((block, _)) = &chunk.patches else { return Err(Aborted) };
        let patches = chunk.first..chunk.first + chunk.count;
        let evaluation = &mut self.evaluation;
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { evaluation.run(&mut self.shaded, draw, context, chunk.view_index, block, patches)? };
        output.statistics.tessellation_evaluation_shader_invocations += evaluation.invocations;
        output.statistics.generated[0] += evaluation.ids.len() as u64;
        Ok(())
    }

    fn produced<'p>(&'p mut self, ChunkJob { draw, .. }: ChunkJob<'p>) -> Produced<'p> {
        let program = draw.stages.tessellation.as_ref();
        let kind = program.map_or(PrimitiveKind::Triangle, |program| program.kind());
        let Evaluation { corners, ids, vertex_count, .. } = &self.evaluation;
        Produced {
            primitives: Primitives {
                kind,
                corners,
                ids: Ids::Each(ids),
                provoking: Provoking::Corner(provoking_corner(draw, kind)),
                strip_starts: StripStarts::Each,
            },
            corner_count: kind.corner_count(),
            vertices: &mut self.shaded,
            vertex_count: *vertex_count as usize,
        }
    }
}

/// The workgroups of a mesh function.
#[derive(Default)]
pub(super) struct MeshSource {
    mesh: MeshShading,
    shaded: Shaded,
}

impl PrimitiveSource for MeshSource {
    #[allow(unsafe_code)]
    unsafe fn run(&mut self, job: ChunkJob<'_>, output: &mut ChunkOutput) -> Result<(), Aborted> {
        let ChunkJob { draw, command, chunk, context } = job;
        let Some(groups) = &chunk.mesh else { return Err(Aborted) };
        let ChunkOutput { values, statistics, .. } = output;
        let mut made = MeshOutput { view_index: chunk.view_index, values, statistics };
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { self.mesh.run(draw, context, command, groups, &mut self.shaded, &mut made) }
    }

    fn produced<'p>(&'p mut self, ChunkJob { draw, .. }: ChunkJob<'p>) -> Produced<'p> {
        let kind = draw.stages.mesh.as_ref().map_or(PrimitiveKind::Triangle, |program| program.kind());
        Produced {
            primitives: Primitives {
                kind,
                corners: &self.mesh.corners,
                ids: Ids::Numbers { first: 0, count: u32::MAX },
                provoking: Provoking::Corner(provoking_corner(draw, kind)),
                strip_starts: StripStarts::Each,
            },
            corner_count: kind.corner_count(),
            vertices: &mut self.shaded,
            vertex_count: self.mesh.vertex_count,
        }
    }
}

/// A geometry function, for the primitives of another source.
pub(super) struct GeometrySource<'s> {
    pub(super) input: &'s mut dyn PrimitiveSource,
    pub(super) shading: &'s mut GeometryShading,
}

impl PrimitiveSource for GeometrySource<'_> {
    #[allow(unsafe_code)]
    unsafe fn run(&mut self, job: ChunkJob<'_>, output: &mut ChunkOutput) -> Result<(), Aborted> {
        let ChunkJob { draw, chunk, context, .. } = job;
        let Some(program) = &draw.stages.geometry else { return Err(Aborted) };
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { self.input.run(job, output)? };
        let Produced { primitives, corner_count, vertices, .. } = self.input.produced(job);
        let Primitives { corners, ids, .. } = primitives;
        let input = Input { vertices, corners, vertex_count: corner_count, ids };
        let made = &mut *self.shading;
        // SAFETY: as above; the input's corners are numbers of its vertices.
        unsafe { made.run(draw, program, context, chunk.view_index, &input, false)? };
        let count = (corners.len() / corner_count.max(1)) as u64;
        let statistics = &mut output.statistics;
        statistics.geometry_shader_invocations += count * u64::from(program.info.invocations);
        statistics.geometry_shader_primitives += made.generated.iter().sum::<u64>();
        statistics.generated = made.generated;
        Ok(())
    }

    fn produced<'p>(&'p mut self, ChunkJob { draw, .. }: ChunkJob<'p>) -> Produced<'p> {
        let kind = draw.stages.geometry.as_ref().map_or(PrimitiveKind::Triangle, |program| program.kind());
        let made = &mut *self.shading;
        Produced {
            primitives: Primitives {
                kind,
                corners: &made.corners,
                ids: Ids::Each(&made.ids),
                provoking: Provoking::Corner(provoking_corner(draw, kind)),
                strip_starts: StripStarts::Listed(&made.strip_starts),
            },
            corner_count: kind.corner_count(),
            vertices: &mut made.vertices,
            vertex_count: made.vertex_count,
        }
    }
}
