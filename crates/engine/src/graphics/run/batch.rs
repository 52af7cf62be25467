//! Batches: chunks wait until there are enough of them, then both phases run over all threads.

use super::chunk::{CHUNK_PRIMITIVES, Chunk, CommandPlace, LARGE_CHUNK_PRIMITIVES, chunks_of, views};
use super::chunk_work::{ChunkWork, PatchWork};
use super::tile_lists::{Outputs, TileLists};
use super::tile_work::TileWork;
use super::{Around, SizedOutput, hidden, lock};
use crate::Engine;
use crate::aborted::{Aborted, SharedParts};
use crate::graphics::assembly::stream::Stream;
use crate::graphics::fragment::load_store_ops::{self, Drops};
use crate::graphics::geometry::cluster;
use crate::graphics::geometry::mesh::{self, MeshChunk};
use crate::graphics::raster::tiles::{Grid, TILE_PIXELS};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::state::{DrawCommand, Statistics, Topology};
use crate::pool::Work;
use crate::work_partition::WorkPartition;
use pyro_util::sync::Mutex;
use std::sync::Arc;

/// Primitives that are set up before tiles are drawn: at least so many, and so many for each thread, up to a
/// limit, since they wait in memory. Two chunks for each thread, however large ([`LARGE_CHUNK_PRIMITIVES`]).
const BATCH_PRIMITIVES: std::ops::RangeInclusive<u64> =
    32 * CHUNK_PRIMITIVES as u64..=512 * CHUNK_PRIMITIVES as u64;
const BATCH_THREAD_PRIMITIVES: u64 = 2 * LARGE_CHUNK_PRIMITIVES as u64;
/// Chunks of a batch. Many small draws are one batch, so that each tile's attachments are brought to the
/// caches once.
const BATCH_CHUNKS: usize = 8192;
/// Primitives of a chunk of tessellated patches.
const TESSELLATED_PRIMITIVES: u64 = 2048;
/// Words that patches take which are made before their primitives are drawn, about.
const BATCH_PATCH_WORDS: u64 = 4 << 20;
/// A batch whose primitives' bounds hold at most this many pixels is drawn by the calling thread: waking
/// another costs more.
const INLINE_PIXELS: u64 = 4096;
/// Pixels of a tile.
const TILE_AREA: u64 = (TILE_PIXELS * TILE_PIXELS) as u64;
/// Chunks whose memory is kept from one list to the next, and how much of it.
const SPARE_CHUNKS: usize = BATCH_CHUNKS;
const SPARE_BYTES: usize = 32 << 20;

/// Memory that the next list takes again, whichever thread runs it.
#[derive(Default)]
pub(crate) struct SpareChunks(Mutex<Vec<SizedOutput>>);

impl SpareChunks {
    fn take(&self) -> Vec<SizedOutput> {
        std::mem::take(&mut *self.0.lock())
    }

    /// Keeps some of a list's, in the place of another list's that ended before.
    fn keep(&self, mut chunks: Vec<SizedOutput>) {
        let mut bytes = 0;
        chunks.truncate(SPARE_CHUNKS);
        chunks.retain(|(chunk_bytes, _)| {
            bytes += chunk_bytes;
            bytes <= SPARE_BYTES
        });
        // The other one is dropped without the lock.
        let _other = std::mem::replace(&mut *self.0.lock(), chunks);
    }
}

/// Primitives of a batch for so many threads.
fn batch_primitives(threads: u64) -> u64 {
    let wanted = threads.saturating_mul(BATCH_THREAD_PRIMITIVES);
    wanted.clamp(*BATCH_PRIMITIVES.start(), *BATCH_PRIMITIVES.end())
}

/// Whether a stage of a draw writes memory.
fn writes_memory(draws: &[Prepared]) -> bool {
    let mut last = None;
    // Most draws share their state with the one before.
    let mut is_new = |state| last.replace(state).is_none_or(|last| !Arc::ptr_eq(last, state));
    draws.iter().any(|Prepared { draw, .. }| is_new(&draw.state) && draw.writes_memory())
}

/// A list of draws that runs.
pub(super) struct Run<'e> {
    engine: &'e Engine,
    /// A stage of a draw writes memory.
    writes_memory: bool,
    /// Primitives may hide earlier ones.
    hides: bool,
    draws: Arc<Vec<Prepared>>,
    grid: Grid,
    around: Arc<Around>,
    /// For each tile, whether a batch had it.
    touched_tiles: Vec<bool>,
    statistics: Statistics,
    /// Chunks that wait, and their primitives.
    chunks: Vec<Chunk>,
    primitive_count: u64,
    spare: Vec<SizedOutput>,
    /// Chunks of patches that are not made yet, and about how many words these will take.
    pending_patches: Vec<Chunk>,
    pending_patch_words: u64,
}

impl<'e> Run<'e> {
    pub(super) fn new(engine: &'e Engine, draws: Arc<Vec<Prepared>>, grid: Grid, around: Around) -> Run<'e> {
        Run {
            engine,
            writes_memory: writes_memory(&draws),
            hides: hidden::may_hide(&draws),
            draws,
            grid,
            around: Arc::new(around),
            touched_tiles: vec![false; grid.tile_count()],
            statistics: Statistics::default(),
            chunks: Vec::new(),
            primitive_count: 0,
            spare: engine.spare_chunks.take(),
            pending_patches: Vec::new(),
            pending_patch_words: 0,
        }
    }

    /// Keeps memory for the next list; gives what the draws did.
    pub(super) fn end(self) -> Statistics {
        self.engine.spare_chunks.keep(self.spare);
        self.statistics
    }

    /// Runs all draws, in order.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    pub(super) unsafe fn all(&mut self) -> Result<(), Aborted> {
        let draws = Arc::clone(&self.draws);
        for (number, prepared) in draws.iter().enumerate() {
            let draw = &prepared.draw;
            for (at, command) in draw.commands.iter().enumerate() {
                // SAFETY: the caller vouches for the draws' addresses.
                unsafe {
                    if draw.stages.mesh.is_some() {
                        self.mesh_command(prepared, number, at)?;
                    } else if draw.stages.cluster.is_some() {
                        self.cluster_command(prepared, number, command)?;
                    } else {
                        self.vertex_command(prepared, number, &CommandPlace::OfDraw(at))?;
                    }
                }
            }
            // SAFETY: as above.
            unsafe { self.make_patches()? };
        }
        // SAFETY: as above.
        unsafe { self.batch(true) }
    }

    /// Takes a chunk; runs a batch when there is enough.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn push(&mut self, chunk: Chunk) -> Result<(), Aborted> {
        // Most invocations emit fewer vertices than they might; some chunks at least are for all threads.
        let amplification = self.draws[chunk.draw].draw.stages.amplification().div_ceil(4);
        self.primitive_count += match amplification {
            1 => chunk.primitive_count(),
            more => (chunk.primitive_count() * more).min(BATCH_PRIMITIVES.start() / 16),
        };
        self.chunks.push(chunk);
        if self.is_full() {
            // SAFETY: the caller vouches for the draws' addresses.
            return unsafe { self.batch(false) };
        }
        Ok(())
    }

    /// Whether enough waits for a batch. Threads are counted, and so started, where there is work for
    /// several.
    fn is_full(&self) -> bool {
        self.chunks.len() >= BATCH_CHUNKS
            || self.primitive_count >= *BATCH_PRIMITIVES.start()
                && self.primitive_count >= batch_primitives(self.threads(2) as u64)
    }

    /// Takes the chunks of a command of vertices.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn vertex_command(
        &mut self,
        Prepared { draw, .. }: &Prepared,
        number: usize,
        place: &CommandPlace,
    ) -> Result<(), Aborted> {
        let command = place.of(draw);
        self.statistics.input_assembly_vertices +=
            u64::from(command.count) * u64::from(command.instance_count);
        // SAFETY: the caller vouches for the draws' addresses.
        chunks_of(draw, number, place, |chunk| unsafe {
            match draw.topology {
                Topology::PatchList(_) => self.push_patches(chunk),
                // Tessellation has nothing else to work on.
                _ if draw.stages.tessellation.is_some() => Ok(()),
                _ => self.push(chunk),
            }
        })
    }

    /// Runs a command's cluster culling workgroups, and takes the chunks of the commands that they emit.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn cluster_command(
        &mut self,
        prepared: &Prepared,
        number: usize,
        command: &DrawCommand,
    ) -> Result<(), Aborted> {
        let engine = self.engine;
        let mut invocations = 0;
        let mut push = |emitted: Vec<DrawCommand>| {
            let emitted = Arc::new(emitted);
            (0..emitted.len()).try_for_each(|at| {
                let place = CommandPlace::Emitted(Arc::clone(&emitted), at);
                // SAFETY: the caller vouches for the draws' addresses.
                unsafe { self.vertex_command(prepared, number, &place) }
            })
        };
        // SAFETY: as above.
        let result = unsafe { cluster::start(engine, &prepared.draw, command, &mut invocations, &mut push) };
        self.statistics.cluster_culling_shader_invocations += invocations;
        result
    }

    /// Runs a command's task workgroups, if there are any, and takes the chunks of its mesh workgroups.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn mesh_command(
        &mut self,
        prepared: &Prepared,
        draw: usize,
        command: usize,
    ) -> Result<(), Aborted> {
        let engine = self.engine;
        let mut task_invocations = 0;
        let result = views(&prepared.draw).try_for_each(|view_index| {
            let mut push = |mesh: MeshChunk, count: u32| {
                let place = CommandPlace::OfDraw(command);
                let chunk = Chunk::empty(draw, place, Stream::default(), view_index);
                // SAFETY: the caller vouches for the draws' addresses.
                unsafe { self.push(Chunk { count, mesh: Some(mesh), ..chunk }) }
            };
            let command = &prepared.draw.commands[command];
            // SAFETY: as above.
            unsafe {
                mesh::start(engine, &prepared.draw, command, view_index, &mut task_invocations, &mut push)
            }
        });
        self.statistics.task_shader_invocations += task_invocations;
        result
    }

    /// Takes a chunk of patches; makes them when there are enough.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn push_patches(&mut self, chunk: Chunk) -> Result<(), Aborted> {
        let Some(program) = &self.draws[chunk.draw].draw.stages.tessellation else { return Ok(()) };
        self.pending_patch_words += program.patch_words() * chunk.primitive_count();
        self.pending_patches.push(chunk);
        if self.pending_patch_words < BATCH_PATCH_WORDS {
            return Ok(());
        }
        // SAFETY: the caller vouches for the draws' addresses.
        unsafe { self.make_patches() }
    }

    /// Makes the patches that wait, and takes chunks of them.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn make_patches(&mut self) -> Result<(), Aborted> {
        self.pending_patch_words = 0;
        let chunks = std::mem::take(&mut self.pending_patches);
        if chunks.is_empty() {
            return Ok(());
        }
        let weights = chunks.iter().map(Chunk::primitive_count);
        let work = PatchWork {
            draws: Arc::clone(&self.draws),
            parts: self.parts(chunks.len(), weights),
            chunks: chunks.into_iter().map(|chunk| (chunk, Mutex::new(None))).collect(),
        };
        // SAFETY: the caller vouches for the draws' addresses, which are all that the work reaches.
        unsafe { self.share(&work, work.chunks.len() as u64) };
        work.parts.result()?;
        for (chunk, block) in &work.chunks {
            let block = Arc::new(lock(block).take().ok_or(Aborted)?);
            self.statistics += block.statistics;
            let few = self.draws[chunk.draw].draw.stages.chunk_primitives().map_or(u64::MAX, u64::from);
            let together = TESSELLATED_PRIMITIVES.min(few);
            let (mut first, mut primitives) = (0, 0);
            for end in 1..=block.count() {
                primitives += block.primitive_count(end - 1);
                if primitives < together && end != block.count() {
                    continue;
                }
                let patches = Some((Arc::clone(&block), primitives));
                // SAFETY: the caller vouches for the draws' addresses.
                unsafe { self.push(Chunk { first, count: end - first, patches, ..chunk.clone() })? };
                (first, primitives) = (end, 0);
            }
        }
        Ok(())
    }

    /// Work of so many parts, with their weights.
    fn parts(&self, parts: usize, weights: impl ExactSizeIterator<Item = u64> + Clone) -> SharedParts {
        SharedParts::new(WorkPartition::new(self.threads(parts as u64), weights), &self.engine.abort)
    }

    /// Threads that share work of so many parts.
    fn threads(&self, parts: u64) -> usize {
        self.engine.threads_for(parts, self.writes_memory)
    }

    /// Does work of so many parts.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn share(&self, work: &dyn Work, parts: u64) {
        // SAFETY: the caller vouches for the draws' addresses, which are all that the work reaches.
        unsafe { self.engine.pool.share(work, parts.min(self.threads(parts) as u64)) };
    }

    /// Runs the chunks that wait. `is_last`: no others come.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn batch(&mut self, is_last: bool) -> Result<(), Aborted> {
        let has_surroundings = !self.around.before.is_empty() || !self.around.after.is_empty();
        if self.chunks.is_empty() && !(is_last && has_surroundings) {
            return Ok(());
        }
        // SAFETY: the caller vouches for the draws' addresses.
        unsafe {
            let outputs = self.geometry_phase()?;
            self.fragment_phase(outputs, is_last)
        }
    }

    /// Runs the chunks that wait up to binning; gives their outputs, in order.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn geometry_phase(&mut self) -> Result<Outputs, Aborted> {
        self.primitive_count = 0;
        let chunks = std::mem::take(&mut self.chunks);
        let weights = chunks.iter().map(Chunk::primitive_count);
        let work = ChunkWork {
            draws: Arc::clone(&self.draws),
            parts: self.parts(chunks.len(), weights),
            chunks: chunks
                .into_iter()
                .map(|chunk| (chunk, Mutex::new(self.spare.pop().map(|(_, output)| output))))
                .collect(),
            grid: self.grid,
            made: Mutex::default(),
        };
        let count = work.chunks.len();
        if count != 0 {
            // SAFETY: the caller vouches for the draws' addresses, which are all that the work reaches.
            unsafe { self.share(&work, count as u64) };
        }
        work.parts.result()?;
        Ok(Outputs::new(count, work.made.into_inner()))
    }

    /// Draws the tiles of a batch's chunks.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn fragment_phase(&mut self, outputs: Outputs, is_last: bool) -> Result<(), Aborted> {
        let around = &self.around;
        // What no draw has touched is cleared at the end.
        let (cleared, resolved) =
            if is_last { (&around.before[..], &around.after[..]) } else { Default::default() };
        let mut pixels = load_store_ops::pixels(resolved) + outputs.pixels;
        self.statistics += outputs.statistics;
        let is_cleared = load_store_ops::tiles(self.grid, cleared);
        let is_resolved = load_store_ops::tiles(self.grid, resolved);
        let wanted = |tile, touched: bool| is_resolved(tile) || !touched && is_cleared(tile);
        let tiles = TileLists::new(&outputs, &mut self.touched_tiles, wanted);
        if !around.before.is_empty() {
            let first = tiles.is_first.iter().filter(|&&is_first| is_first).count() as u64;
            pixels += load_store_ops::pixels(&around.before).min(first * TILE_AREA);
        }
        let parts = if pixels <= INLINE_PIXELS { 1 } else { tiles.tiles.len() };
        let drops = (is_last && !around.dropped.is_empty())
            .then(|| Drops::new(&around.dropped, around.dropped_area, self.engine.pool.thread_count()));
        let bytes = outputs.bytes;
        let work = TileWork {
            draws: Arc::clone(&self.draws),
            chunks: outputs.chunks,
            grid: self.grid,
            parts: self.parts(parts, tiles.weights.iter().copied()),
            tiles,
            around: Arc::clone(around),
            drops: drops.flatten(),
            hides: self.hides,
            is_last,
            statistics: Mutex::default(),
        };
        if !work.tiles.tiles.is_empty() {
            // SAFETY: the caller vouches for the draws' addresses, which are all that the work reaches.
            unsafe { self.share(&work, parts as u64) };
        }
        self.statistics += *lock(&work.statistics);
        let result = work.parts.result();
        // The next batch's first chunk takes the first one's memory, which is in the caches of the same
        // thread then.
        self.spare.extend(bytes.into_iter().zip(work.chunks).rev());
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_chunks_for_all_threads() {
        assert_eq!(batch_primitives(1), 32 * u64::from(CHUNK_PRIMITIVES));
        for threads in 1..=64 {
            let large = batch_primitives(threads) / u64::from(LARGE_CHUNK_PRIMITIVES);
            assert!(large >= 2 * threads, "{large} chunks for {threads} threads");
        }
        assert_eq!(batch_primitives(u64::MAX), *BATCH_PRIMITIVES.end());
    }
}
