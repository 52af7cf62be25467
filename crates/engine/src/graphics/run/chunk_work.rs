//! The geometry phase of a batch: chunks over threads, from vertices to binned shapes; and before it, where
//! patches are tessellated, the making of these.

use super::chunk::Chunk;
use super::primitive_source::{
    ChunkJob, GeometrySource, MeshSource, PatchSource, PrimitiveSource, VertexSource,
};
use super::{Output, SizedOutput, attributed, lock};
use crate::aborted::{Aborted, SharedParts};
use crate::graphics::geometry::geometry_shader::GeometryShading;
use crate::graphics::geometry::tessellation::{PatchBlock, PatchRange, PatchShading, VertexMemory};
use crate::graphics::raster::tiles::Grid;
use crate::graphics::setup::binning::ChunkOutput;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::state::Statistics;
use crate::graphics::state::context::ContextMemory;
use crate::pool::Work;
use pyro_abi::graphics::SETUP_HEADER_BYTES;
use pyro_util::sync::Mutex;
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::sync::Arc;

/// A thread's memory for chunks.
#[derive(Default)]
struct ChunkMemory {
    vertices: VertexSource,
    evaluated: PatchSource,
    mesh: MeshSource,
    geometry: GeometryShading,
    records: VertexRecords,
    context: ContextMemory,
    patches: PatchShading,
}

thread_local! {
    static CHUNK: RefCell<ChunkMemory> = RefCell::default();
}

/// The geometry phase of a batch.
pub(super) struct ChunkWork {
    pub(super) draws: Arc<Vec<Prepared>>,
    /// With the memory that their outputs get.
    pub(super) chunks: Vec<(Chunk, Mutex<Option<Output>>)>,
    pub(super) grid: Grid,
    pub(super) parts: SharedParts,
    /// What each thread has made.
    pub(super) made: Mutex<Vec<Made>>,
}

/// What one thread has made of chunks, in one place: whoever puts it in order reads little then, and nothing
/// of it where another thread's cache has a line for each chunk.
#[derive(Default)]
pub(super) struct Made {
    /// The outputs with their chunks' numbers, and where their tiles end in `touched`.
    pub(super) outputs: Vec<(u32, u32, SizedOutput)>,
    /// Tiles that chunks have something in, perhaps several times, and how much.
    pub(super) touched: Vec<(u32, u32)>,
    pub(super) statistics: Statistics,
    /// Pixels of all primitives' bounds.
    pub(super) pixels: u64,
}

impl Made {
    fn push(&mut self, number: u32, output: Output) {
        self.touched.extend(output.touched().map(|(tile, count)| (tile, count as u32)));
        self.statistics += output.statistics;
        self.pixels += output.pixels;
        let sized = (output.bytes(), output);
        self.outputs.push((number, self.touched.len() as u32, sized));
    }
}

impl ChunkWork {
    /// Runs the stages before rasterization for a chunk, sets its primitives up and bins them.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`](crate::Engine::draw).
    #[allow(unsafe_code)]
    unsafe fn chunk(
        &self,
        chunk: &Chunk,
        output: &mut ChunkOutput,
        memory: &mut ChunkMemory,
    ) -> Result<(), Aborted> {
        let prepared = &self.draws[chunk.draw];
        let draw = &prepared.draw;
        let stride = draw.fragment.as_ref().map_or(SETUP_HEADER_BYTES, |fragment| fragment.setup.stride());
        let command = chunk.command.of(draw);
        output.start(chunk.draw, chunk.view_index, stride, command);
        let _for = attributed(command.tag);
        let ChunkMemory { vertices, evaluated, mesh, geometry, records, context, .. } = memory;
        let context = context.of(draw, self.parts.abort_address(), None);
        let job = ChunkJob { draw, command, chunk, context };
        let mut made;
        let mut source: &mut dyn PrimitiveSource = match (&chunk.mesh, &chunk.patches) {
            (Some(_), _) => mesh,
            (_, Some(_)) => evaluated,
            _ => vertices,
        };
        if draw.stages.geometry.is_some() && chunk.mesh.is_none() {
            made = GeometrySource { input: source, shading: geometry };
            source = &mut made;
        }
        // SAFETY: the caller vouches for the addresses reachable from the draw.
        unsafe { source.run(job, output)? };
        if !draw.raster.discard && draw.fragment.is_some() {
            let produced = source.produced(job);
            let (vertices, count) = (produced.vertices, produced.vertex_count);
            produced.primitives.set_up(prepared, chunk.view_index, vertices, count, records, output);
        }
        output.bin(self.grid);
        Ok(())
    }
}

impl Work for ChunkWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.parts.run(|numbers| {
            with_scratch(&CHUNK, |memory| {
                memory.context.forget();
                let mut made = Made::default();
                for number in numbers {
                    let (chunk, output) = &self.chunks[number as usize];
                    let mut output = lock(output).take().unwrap_or_default();
                    // SAFETY: who shares the work vouches for the draws' addresses.
                    unsafe { self.chunk(chunk, &mut output, memory)? };
                    made.push(number, output);
                }
                if !made.outputs.is_empty() {
                    lock(&self.made).push(made);
                }
                Ok(())
            })
        });
    }
}

/// The making of patches of some chunks: their vertices are shaded, and the control function runs.
pub(super) struct PatchWork {
    pub(super) draws: Arc<Vec<Prepared>>,
    pub(super) chunks: Vec<(Chunk, Mutex<Option<PatchBlock>>)>,
    pub(super) parts: SharedParts,
}

impl Work for PatchWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.parts.run(|numbers| {
            with_scratch(&CHUNK, |memory| {
                memory.context.forget();
                let ChunkMemory { vertices, context, patches, .. } = memory;
                for number in numbers {
                    let (chunk, output) = &self.chunks[number as usize];
                    let draw = &self.draws[chunk.draw].draw;
                    let command = chunk.command.of(draw);
                    let _for = attributed(command.tag);
                    let context = context.of(draw, self.parts.abort_address(), None);
                    let range = PatchRange {
                        draw,
                        command,
                        stream: &chunk.stream,
                        view_index: chunk.view_index,
                        instances: chunk.first_instance..chunk.first_instance + chunk.instance_count,
                        numbers: chunk.first..chunk.first + chunk.count,
                    };
                    let VertexSource { reuse, indices, shading, shaded, .. } = &mut *vertices;
                    let memory = VertexMemory { reuse, indices, shading, shaded };
                    // SAFETY: who shares the work vouches for the draws' addresses.
                    *lock(output) = Some(unsafe { patches.run(&range, context, memory)? });
                }
                Ok(())
            })
        });
    }
}
