//! Runs lists of draws: chunks over threads, then tiles over threads.

use crate::graphics::assembly::stream::{PrimitiveKind, Stream};
use crate::graphics::assembly::vertices::{Reuse, Shaded, VertexShading};
use crate::graphics::context::ContextMemory;
use crate::graphics::draw::{Draw, DrawCommand, GeometryProgram, Rect, Statistics, Topology};
use crate::graphics::fragment::fragments::Fragments;
use crate::graphics::fragment::load_store_ops::{self, Dropped, Drops, Frame, RegionWork};
use crate::graphics::geometry::geometry_shader::{GeometryShading, Input};
use crate::graphics::geometry::mesh::{self, MeshChunk, MeshShading};
use crate::graphics::geometry::tessellation::{
    Evaluation, PatchBlock, PatchRange, PatchShading, VertexMemory,
};
use crate::graphics::raster::binning::{ChunkOutput, Grid, TILE_PIXELS};
use crate::graphics::raster::tile::TileRasterizer;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitives::{Ids, Primitives};
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::setup::small_triangles::{PlaneMemory, Source};
use crate::pool::{Work, thread_number};
use crate::work_partition::WorkPartition;
use crate::{DispatchError, Engine};
use pyro_abi::graphics::SETUP_HEADER_BYTES;
use pyro_abi::{DrawContext, Memory};
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Primitives of a chunk.
const CHUNK_PRIMITIVES: u32 = 1024;
/// Primitives of a chunk of many: fewer vertices are shaded in two chunks.
const LARGE_CHUNK_PRIMITIVES: u32 = 4096;
/// Primitives that are set up before tiles are drawn.
const BATCH_PRIMITIVES: u64 = 32 * CHUNK_PRIMITIVES as u64;
/// Chunks of a batch. Many small draws are one batch, so that each tile's attachments are brought to the caches once.
const BATCH_CHUNKS: usize = 8192;
/// Primitives of a chunk of tessellated patches.
const TESSELLATED_PRIMITIVES: u64 = 2048;
/// Patches of a chunk, whose vertices are shaded together.
const CHUNK_PATCHES: u32 = 256;
/// AlignedWords that patches take which are made before their primitives are drawn, about.
const BATCH_PATCH_WORDS: u64 = 4 << 20;
/// A batch whose primitives' bounds hold at most this many pixels is drawn by the calling thread: waking
/// another costs more.
const INLINE_PIXELS: u64 = 4096;
/// Pixels of a tile.
const TILE_AREA: u64 = (TILE_PIXELS * TILE_PIXELS) as u64;

/// Consecutive primitives of one instance and view of a command, or several whole instances.
#[derive(Clone)]
struct Chunk {
    draw: usize,
    command: usize,
    stream: Stream,
    view_index: u32,
    /// Instances from this on, counted from the command's first.
    first_instance: u32,
    instance_count: u32,
    /// Primitives of each of the instances.
    first: u32,
    count: u32,
    /// Of mesh draws; the primitives are at most as many as these then.
    mesh: Option<MeshChunk>,
    /// Of tessellated patches: where `first` counts from, and how many primitives they give.
    patches: Option<(Arc<PatchBlock>, u64)>,
}

impl Chunk {
    fn primitive_count(&self) -> u64 {
        match self.patches {
            Some((_, count)) => count,
            None => u64::from(self.count) * u64::from(self.instance_count),
        }
    }
}

/// A thread's memory for chunks.
#[derive(Default)]
struct ChunkMemory {
    reuse: Reuse,
    /// The index of each corner of the chunk's primitives, later the number of its vertex.
    indices: Vec<u32>,
    shading: VertexShading,
    shaded: Shaded,
    made: GeometryShading,
    records: VertexRecords,
    mesh: MeshShading,
    context: ContextMemory,
    patches: PatchShading,
    evaluation: Evaluation,
}

/// A thread's memory for tiles.
#[derive(Default)]
struct TileMemory {
    fragments: Fragments,
    planes: PlaneMemory,
    context: ContextMemory,
}

thread_local! {
    static CHUNK: RefCell<ChunkMemory> = RefCell::default();
    static TILE: RefCell<TileMemory> = RefCell::default();
    /// Memory that a caller's next list takes again.
    static SPARE: RefCell<Vec<Output>> = RefCell::default();
}

/// Chunks whose memory is kept from one list to the next, and how much of it.
const SPARE_CHUNKS: usize = BATCH_CHUNKS;
const SPARE_BYTES: usize = 32 << 20;

/// A chunk's output, which is handed on by its address.
type Output = Box<ChunkOutput>;

/// The vertex stage of a batch.
struct ChunkWork {
    draws: Arc<Vec<Prepared>>,
    chunks: Vec<(Chunk, Mutex<Option<Output>>)>,
    grid: Grid,
    abort: Arc<AtomicU32>,
    shares: WorkPartition,
    sound: AtomicBool,
}

/// Which tiles have something of which chunks.
#[derive(Default)]
struct TileLists {
    tiles: Vec<u32>,
    /// For each of them, where its chunks begin in `chunks`; one more at the end.
    first: Vec<u32>,
    /// Numbers of chunks, in order for each tile.
    chunks: Vec<u32>,
    /// For each of the tiles, about how much work it is.
    weights: Vec<u64>,
    /// For each of the tiles, whether no batch had it before.
    is_first: Vec<bool>,
}

/// A tile of a batch.
#[derive(Clone, Copy)]
struct Tile<'a> {
    number: u32,
    chunks: &'a [u32],
    is_first: bool,
}

/// What a tile costs beside its primitives, in primitives.
const TILE_WEIGHT: u64 = 16;

impl TileLists {
    /// `wanted`: tiles that are listed even if they have no chunk. `had`: tiles that earlier batches had; these are
    /// added.
    fn new(outputs: &[Output], had: &mut [bool], wanted: impl Fn(u32, bool) -> bool) -> TileLists {
        #[derive(Clone, Copy, Default)]
        struct Seen {
            /// Its last chunk's number plus one.
            last: u32,
            /// How many chunks it has; later where its next one goes.
            chunks: u32,
            primitives: u64,
        }
        let mut seen = vec![Seen::default(); had.len()];
        let mut pairs = Vec::new();
        for (number, output) in (0..).zip(outputs) {
            for (tile, count) in output.touched() {
                let Seen { last, chunks, primitives } = &mut seen[tile as usize];
                *primitives += count;
                if std::mem::replace(last, number + 1) != number + 1 {
                    *chunks += 1;
                    pairs.push((tile, number));
                }
            }
        }
        let (mut lists, mut end) = (TileLists::default(), 0);
        for (tile, seen) in (0..).zip(&mut seen) {
            let is_first = !had[tile as usize];
            if seen.chunks == 0 && !wanted(tile, !is_first) {
                continue;
            }
            had[tile as usize] = true;
            lists.tiles.push(tile);
            lists.first.push(end);
            lists.weights.push(TILE_WEIGHT + seen.primitives);
            lists.is_first.push(is_first);
            (seen.chunks, end) = (end, end + seen.chunks);
        }
        lists.first.push(end);
        lists.chunks.resize(pairs.len(), 0);
        for (tile, number) in pairs {
            let place = &mut seen[tile as usize].chunks;
            lists.chunks[*place as usize] = number;
            *place += 1;
        }
        lists
    }

    fn get(&self, index: u32) -> Tile<'_> {
        let index = index as usize;
        Tile {
            number: self.tiles[index],
            chunks: &self.chunks[self.first[index] as usize..self.first[index + 1] as usize],
            is_first: self.is_first[index],
        }
    }
}

/// What surrounds the draws of a list.
struct Around {
    before: Vec<RegionWork>,
    after: Vec<RegionWork>,
    dropped: Vec<Dropped>,
    dropped_area: Rect,
}

/// The fragment stage of a batch.
struct TileWork {
    draws: Arc<Vec<Prepared>>,
    /// In order.
    chunks: Vec<Output>,
    grid: Grid,
    tiles: TileLists,
    around: Arc<Around>,
    /// For tiles that no other batch has.
    drops: Option<Drops>,
    /// It is the list's last batch.
    is_last: bool,
    abort: Arc<AtomicU32>,
    shares: WorkPartition,
    sound: AtomicBool,
    statistics: Mutex<Statistics>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The corner that is the provoking vertex of primitives that stages make.
fn provoking_corner(draw: &Draw, kind: PrimitiveKind) -> u32 {
    if draw.raster.provoking_last { kind.corner_count() as u32 - 1 } else { 0 }
}

/// Runs the geometry function for some primitives, and sets up what it makes of them; false when it did not end as it should.
///
/// # Safety
/// The contract of [`Engine::draw`].
#[allow(unsafe_code)]
unsafe fn run_geometry(
    input: &Input<'_>,
    geometry: &GeometryProgram,
    (prepared, view_index): (&Prepared, u32),
    context: &DrawContext,
    made: &mut GeometryShading,
    records: &mut VertexRecords,
    output: &mut ChunkOutput,
) -> bool {
    let draw = &prepared.draw;
    // SAFETY: the caller's contract.
    if !unsafe { made.run(draw, geometry, context, view_index, input, false) } {
        return false;
    }
    let count = (input.corners.len() / input.vertex_count.max(1)) as u64;
    output.statistics.geometry_shader_invocations += count * u64::from(geometry.info.invocations);
    output.statistics.geometry_shader_primitives += made.generated.iter().sum::<u64>();
    output.statistics.generated = made.generated;
    if !draw.raster.discard && draw.fragment.is_some() {
        let kind = geometry.kind();
        let primitives = Primitives {
            kind,
            corners: &made.corners,
            ids: Ids::Each(&made.ids),
            provoking: Ok::<u32, fn(u32) -> u32>(provoking_corner(draw, kind)),
            starts_strip: &|number| made.strip_starts.binary_search(&number).is_ok(),
        };
        primitives.set_up(prepared, view_index, &mut made.vertices, made.vertex_count, records, output);
    }
    true
}

impl ChunkWork {
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn chunk(&self, chunk: &Chunk, output: &mut ChunkOutput, memory: &mut ChunkMemory) -> bool {
        let prepared = &self.draws[chunk.draw];
        let draw = &prepared.draw;
        let command = &draw.commands[chunk.command];
        let stride = draw.fragment.as_ref().map_or(SETUP_HEADER_BYTES, |fragment| fragment.setup.stride());
        output.start(chunk.draw, chunk.view_index, stride);
        // SAFETY: of the addresses reachable from the draw, only the index buffer's are read.
        let view = unsafe { Memory::new() };
        let geometry = draw.stages.geometry.as_ref();
        let kind = draw.topology.kind();
        let corner_count = match geometry {
            Some(_) => draw.topology.vertex_count(),
            None => kind.corner_count(),
        };
        let ChunkMemory { reuse, indices, shading, shaded, made, records, mesh, context, evaluation, .. } =
            memory;
        let context = context.of(draw, self.abort.as_ptr() as u64, None);
        if let (Some(program), Some(groups)) = (&draw.stages.mesh, &chunk.mesh) {
            // SAFETY: the caller's contract.
            let sound = unsafe { mesh.run(draw, context, command, groups, shaded, output) };
            if sound && !draw.raster.discard && draw.fragment.is_some() {
                let kind = program.kind();
                let corner_count = kind.corner_count() as u32;
                let primitives = Primitives {
                    kind,
                    corners: &mesh.corners,
                    ids: Ids::Numbers { first: 0, count: u32::MAX },
                    provoking: Ok::<_, fn(u32) -> u32>(if draw.raster.provoking_last {
                        corner_count - 1
                    } else {
                        0
                    }),
                    starts_strip: &|_| true,
                };
                primitives.set_up(prepared, chunk.view_index, shaded, mesh.vertex_count, records, output);
            }
            output.bin(self.grid);
            return sound;
        }
        if let Some((block, _)) = &chunk.patches {
            let patches = chunk.first..chunk.first + chunk.count;
            // SAFETY: the caller's contract.
            if !unsafe { evaluation.run(shaded, draw, context, chunk.view_index, block, patches) } {
                return false;
            }
            output.statistics.tessellation_evaluation_shader_invocations += evaluation.invocations;
            output.statistics.generated[0] += evaluation.ids.len() as u64;
            let Some(kind) = draw.stages.tessellation.as_ref().map(|program| program.kind()) else {
                return false;
            };
            let (corners, ids) = (&evaluation.corners[..], Ids::Each(&evaluation.ids));
            if let Some(geometry) = geometry {
                let input = Input { vertices: shaded, corners, vertex_count: kind.corner_count(), ids };
                // SAFETY: the caller's contract.
                if !unsafe {
                    run_geometry(
                        &input,
                        geometry,
                        (prepared, chunk.view_index),
                        context,
                        made,
                        records,
                        output,
                    )
                } {
                    return false;
                }
            } else if !draw.raster.discard && draw.fragment.is_some() {
                let provoking = Ok::<u32, fn(u32) -> u32>(provoking_corner(draw, kind));
                let primitives = Primitives { kind, corners, ids, provoking, starts_strip: &|_| true };
                let vertex_count = evaluation.vertex_count as usize;
                primitives.set_up(prepared, chunk.view_index, shaded, vertex_count, records, output);
            }
            output.bin(self.grid);
            return true;
        }
        indices.clear();
        let numbers = chunk.first..chunk.first + chunk.count;
        let provoking_last = draw.raster.provoking_last;
        let mut varies = false;
        match chunk.stream.list_corners(draw.topology, numbers.clone()) {
            Some(corners) => draw.corner_indices(command, view, corners, indices),
            None => {
                varies = true;
                for number in numbers {
                    if geometry.is_some() {
                        for &at in &chunk.stream.vertices(draw.topology, number)[..corner_count] {
                            draw.corner_indices(command, view, at..at + 1, indices);
                        }
                        continue;
                    }
                    let corners = chunk.stream.corners(draw.topology, number, provoking_last);
                    for &at in &corners.stream[..corner_count] {
                        draw.corner_indices(command, view, at..at + 1, indices);
                    }
                }
            }
        }
        reuse.number(indices);
        let first_instance = command.first_instance.wrapping_add(chunk.first_instance);
        let distinct = reuse.list(first_instance, chunk.instance_count);
        // The other instances' primitives.
        for first in (1..chunk.instance_count).map(|instance| instance * distinct) {
            indices.extend_from_within(..chunk.count as usize * corner_count);
            let last = indices.len() - chunk.count as usize * corner_count;
            indices[last..].iter_mut().for_each(|number| *number += first);
        }
        output.statistics.vertex_shader_invocations += reuse.vertices.len() as u64;
        output.statistics.input_assembly_primitives += chunk.primitive_count();
        output.statistics.generated[0] += chunk.primitive_count();
        // SAFETY: the caller's contract.
        if !unsafe { shading.run(shaded, draw, context, command, chunk.view_index, &reuse.vertices) } {
            return false;
        }
        let ids = Ids::Numbers { first: chunk.first, count: chunk.count };
        let view_index = chunk.view_index;
        let is_drawn = !draw.raster.discard && draw.fragment.is_some();
        if let Some(geometry) = geometry {
            let input = Input { vertices: shaded, corners: indices, vertex_count: corner_count, ids };
            // SAFETY: the caller's contract.
            if !unsafe {
                run_geometry(&input, geometry, (prepared, view_index), context, made, records, output)
            } {
                return false;
            }
        } else if is_drawn {
            let own_provoking =
                |id: u32| u32::from(chunk.stream.corners(draw.topology, id, provoking_last).provoking);
            let primitives = Primitives {
                kind,
                corners: indices,
                ids,
                provoking: if varies { Err(own_provoking) } else { Ok(provoking_corner(draw, kind)) },
                starts_strip: &|number| chunk.stream.starts_strip(draw.topology, ids.id(number)),
            };
            let vertex_count = reuse.vertices.len();
            primitives.set_up(prepared, view_index, shaded, vertex_count, records, output);
        }
        output.bin(self.grid);
        true
    }
}

impl Work for ChunkWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            with_scratch(&CHUNK, |memory| {
                memory.context.forget();
                for number in self.shares.parts(thread_number()) {
                    let (chunk, output) = &self.chunks[number as usize];
                    if !self.sound.load(Ordering::Relaxed) || self.abort.load(Ordering::Relaxed) != 0 {
                        return;
                    }
                    let mut output = lock(output);
                    let output = output.get_or_insert_default();
                    // SAFETY: the caller's contract.
                    if !unsafe { self.chunk(chunk, output, memory) } {
                        self.sound.store(false, Ordering::Relaxed);
                    }
                }
            });
        }));
        if result.is_err() {
            self.sound.store(false, Ordering::Relaxed);
        }
    }
}

/// The making of patches of some chunks.
struct PatchWork {
    draws: Arc<Vec<Prepared>>,
    chunks: Vec<(Chunk, Mutex<Option<PatchBlock>>)>,
    abort: Arc<AtomicU32>,
    shares: WorkPartition,
    sound: AtomicBool,
}

impl Work for PatchWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            with_scratch(&CHUNK, |memory| {
                memory.context.forget();
                let ChunkMemory { reuse, indices, shading, shaded, context, patches, .. } = memory;
                for number in self.shares.parts(thread_number()) {
                    let (chunk, output) = &self.chunks[number as usize];
                    if !self.sound.load(Ordering::Relaxed) || self.abort.load(Ordering::Relaxed) != 0 {
                        return;
                    }
                    let draw = &self.draws[chunk.draw].draw;
                    let context = context.of(draw, self.abort.as_ptr() as u64, None);
                    let range = PatchRange {
                        draw,
                        command: &draw.commands[chunk.command],
                        stream: &chunk.stream,
                        view_index: chunk.view_index,
                        instances: chunk.first_instance..chunk.first_instance + chunk.instance_count,
                        numbers: chunk.first..chunk.first + chunk.count,
                    };
                    let memory = VertexMemory { reuse, indices, shading, shaded };
                    // SAFETY: the caller's contract.
                    let block = unsafe { patches.run(&range, context, memory) };
                    if block.is_none() {
                        self.sound.store(false, Ordering::Relaxed);
                    }
                    *lock(output) = block;
                }
            });
        }));
        if result.is_err() {
            self.sound.store(false, Ordering::Relaxed);
        }
    }
}

impl TileWork {
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn tile(
        &self,
        tile: Tile<'_>,
        TileMemory { fragments, planes, context }: &mut TileMemory,
        statistics: &mut Statistics,
    ) -> bool {
        let rect = self.grid.rect(tile.number);
        let drops = self.drops.as_ref().filter(|_| tile.is_first);
        let moved = drops.map(|drops| drops.moved(thread_number(), rect));
        if tile.is_first {
            self.around.before.iter().for_each(|work| work.run_in(rect, moved));
        }
        for &number in tile.chunks {
            let chunk = &self.chunks[number as usize];
            let entries = chunk.in_tile(tile.number);
            let prepared = &self.draws[chunk.draw];
            let draw = &prepared.draw;
            let Some(fragment) = draw.fragment.as_ref().filter(|_| !entries.is_empty()) else { continue };
            let has_small = !chunk.triangles.is_empty();
            let in_groups = fragment.is_grouped && draw.raster.samples <= 1;
            let planes_at = (in_groups || has_small).then(|| planes.start(chunk.stride, in_groups));
            let (setup, groups) = match planes_at {
                Some(groups) if in_groups => (chunk.setup.address(), Some(groups)),
                planes_at => (planes_at.unwrap_or_else(|| chunk.setup.address()), None),
            };
            let context = context.of(draw, self.abort.as_ptr() as u64, moved.as_ref());
            fragments.start(draw, context, fragment, setup, groups, rect);
            let mut rasterizer = TileRasterizer::new(draw, context, fragment, fragments, rect);
            // SAFETY: the caller's contract.
            unsafe {
                if planes_at.is_some() {
                    let view_index = chunk.view_index;
                    let (records, values) = (&chunk.records, &chunk.values);
                    let source = Source { prepared, records, values, view_index };
                    rasterizer.mixed(entries, chunk, source, planes);
                } else {
                    rasterizer.shapes(entries, chunk);
                }
            }
            // SAFETY: the caller's contract.
            unsafe { fragments.flush(context, fragment) };
            *statistics += fragments.statistics;
            if std::mem::take(&mut fragments.failed) {
                return false;
            }
        }
        if self.is_last {
            self.around.after.iter().for_each(|work| work.run_in(rect, moved));
        }
        true
    }
}

impl Work for TileWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut statistics = Statistics::default();
            let mut worked = false;
            with_scratch(&TILE, |memory| {
                memory.context.forget();
                for number in self.shares.parts(thread_number()) {
                    if !self.sound.load(Ordering::Relaxed) || self.abort.load(Ordering::Relaxed) != 0 {
                        return;
                    }
                    worked = true;
                    // SAFETY: the caller's contract.
                    if !unsafe { self.tile(self.tiles.get(number), memory, &mut statistics) } {
                        self.sound.store(false, Ordering::Relaxed);
                    }
                }
            });
            if worked {
                *lock(&self.statistics) += statistics;
            }
        }));
        if result.is_err() {
            self.sound.store(false, Ordering::Relaxed);
        }
    }
}

/// The views that a draw is for.
fn views(draw: &Draw) -> impl Iterator<Item = u32> {
    let mask = draw.view_mask;
    (0..32).filter(move |view| mask >> view & 1 != 0).chain((mask == 0).then_some(0))
}

/// The chunks of a command.
fn chunks_of(draw: &Draw, number: usize, command_number: usize, mut push: impl FnMut(Chunk) -> bool) -> bool {
    let command: &DrawCommand = &draw.commands[command_number];
    if command.count == 0 || command.instance_count == 0 {
        return true;
    }
    // SAFETY: of the addresses reachable from the draw, only the index buffer's are read.
    #[allow(unsafe_code)]
    let memory = unsafe { Memory::new() };
    let indices = draw.indices.as_ref().filter(|_| draw.primitive_restart);
    let stream = Stream::new(draw.topology, command, indices.map(|indices| (indices, memory)));
    if stream.primitive_count == 0 {
        return true;
    }
    for view_index in views(draw) {
        let mut chunk = Chunk {
            draw: number,
            command: command_number,
            stream: stream.clone(),
            view_index,
            first_instance: 0,
            instance_count: 1,
            first: 0,
            count: 0,
            mesh: None,
            patches: None,
        };
        // A stipple goes on along a strip: those stay whole.
        let few = draw.stages.chunk_primitives();
        let chunk_primitives = if let Topology::PatchList(_) = draw.topology {
            CHUNK_PATCHES
        } else if let Some(few) = few {
            few
        } else if draw.raster.line_stipple.is_some() {
            u32::MAX
        } else if stream.primitive_count >= 8 * LARGE_CHUNK_PRIMITIVES {
            LARGE_CHUNK_PRIMITIVES
        } else {
            CHUNK_PRIMITIVES
        };
        let usual = chunk_primitives.min(few.unwrap_or(CHUNK_PRIMITIVES));
        if stream.primitive_count <= usual / 2 {
            // Whole instances.
            chunk.count = stream.primitive_count;
            let together = usual / stream.primitive_count;
            while chunk.first_instance < command.instance_count {
                chunk.instance_count = together.min(command.instance_count - chunk.first_instance);
                if !push(chunk.clone()) {
                    return false;
                }
                chunk.first_instance += chunk.instance_count;
            }
            continue;
        }
        for instance in 0..command.instance_count {
            chunk.first_instance = instance;
            chunk.first = 0;
            while chunk.first < stream.primitive_count {
                chunk.count = chunk_primitives.min(stream.primitive_count - chunk.first);
                if !push(chunk.clone()) {
                    return false;
                }
                chunk.first += chunk.count;
            }
        }
    }
    true
}

/// A list of draws that runs.
struct Run<'e> {
    engine: &'e Engine,
    draws: Arc<Vec<Prepared>>,
    grid: Grid,
    around: Arc<Around>,
    /// For each tile, whether a batch had it.
    had: Vec<bool>,
    statistics: Statistics,
    /// Chunks that wait, and their primitives.
    chunks: Vec<Chunk>,
    primitive_count: u64,
    spare: Vec<Output>,
    /// Chunks of patches that are not made yet, and about how many words these will take.
    pending_patches: Vec<Chunk>,
    pending_patch_words: u64,
}

impl Run<'_> {
    /// Takes a chunk; runs a batch when there is enough. False when something went wrong.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn push(&mut self, chunk: Chunk) -> bool {
        // Most invocations emit fewer vertices than they might; some chunks at least are for all threads.
        let amplification = self.draws[chunk.draw].draw.stages.amplification().div_ceil(4);
        self.primitive_count += match amplification {
            1 => chunk.primitive_count(),
            more => (chunk.primitive_count() * more).min(BATCH_PRIMITIVES / 16),
        };
        self.chunks.push(chunk);
        if self.primitive_count >= BATCH_PRIMITIVES || self.chunks.len() >= BATCH_CHUNKS {
            // SAFETY: the caller's contract.
            return unsafe { self.batch(false) };
        }
        true
    }

    /// Runs a command's task workgroups, if there are any, and takes the chunks of its mesh workgroups. False when something went
    /// wrong.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn mesh_command(&mut self, prepared: &Prepared, draw: usize, command: usize) -> bool {
        let engine = self.engine;
        let mut task_invocations = 0;
        let sound = views(&prepared.draw).all(|view_index| {
            let mut push = |mesh: MeshChunk, count: u32| {
                let chunk = Chunk {
                    draw,
                    command,
                    stream: Stream::default(),
                    view_index,
                    first_instance: 0,
                    instance_count: 1,
                    first: 0,
                    count,
                    mesh: Some(mesh),
                    patches: None,
                };
                // SAFETY: the caller's contract.
                unsafe { self.push(chunk) }
            };
            let command = &prepared.draw.commands[command];
            // SAFETY: the caller's contract.
            unsafe { mesh::start(engine, prepared, command, view_index, &mut task_invocations, &mut push) }
        });
        self.statistics.task_shader_invocations += task_invocations;
        sound
    }

    /// Takes a chunk of patches; makes them when there are enough. False when something went wrong.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn push_patches(&mut self, chunk: Chunk) -> bool {
        let Some(program) = &self.draws[chunk.draw].draw.stages.tessellation else { return true };
        self.pending_patch_words += program.patch_words() * chunk.primitive_count();
        self.pending_patches.push(chunk);
        // SAFETY: the caller's contract.
        self.pending_patch_words < BATCH_PATCH_WORDS || unsafe { self.make_patches() }
    }

    /// Makes the patches that wait, and takes chunks of them.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn make_patches(&mut self) -> bool {
        self.pending_patch_words = 0;
        let chunks = std::mem::take(&mut self.pending_patches);
        if chunks.is_empty() {
            return true;
        }
        let weights = chunks.iter().map(Chunk::primitive_count);
        let work = PatchWork {
            draws: Arc::clone(&self.draws),
            shares: WorkPartition::new(self.thread_count(chunks.len()), weights),
            chunks: chunks.into_iter().map(|chunk| (chunk, Mutex::new(None))).collect(),
            abort: Arc::clone(&self.engine.abort),
            sound: AtomicBool::new(true),
        };
        // SAFETY: the caller's contract.
        unsafe { self.engine.pool.share(&work, work.chunks.len() as u64) };
        if !work.sound.load(Ordering::Relaxed) || self.engine.abort.load(Ordering::Relaxed) != 0 {
            return false;
        }
        for (chunk, block) in &work.chunks {
            let Some(block) = lock(block).take().map(Arc::new) else { return false };
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
                // SAFETY: the caller's contract.
                if !unsafe { self.push(Chunk { first, count: end - first, patches, ..chunk.clone() }) } {
                    return false;
                }
                (first, primitives) = (end, 0);
            }
        }
        true
    }

    /// Threads that so many parts are for.
    fn thread_count(&self, parts: usize) -> usize {
        if parts <= 1 { 1 } else { self.engine.pool.thread_count() }
    }

    /// Runs the chunks that wait. `is_last`: no others come.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn batch(&mut self, is_last: bool) -> bool {
        self.primitive_count = 0;
        let chunks = std::mem::take(&mut self.chunks);
        let (before, after) = (&self.around.before[..], &self.around.after[..]);
        // What no draw has touched is cleared at the end.
        let (cleared, resolved) = if is_last { (before, after) } else { Default::default() };
        if chunks.is_empty() && cleared.is_empty() && resolved.is_empty() {
            return true;
        }
        let weights = chunks.iter().map(Chunk::primitive_count);
        let shares = WorkPartition::new(self.thread_count(chunks.len()), weights);
        let work = ChunkWork {
            draws: Arc::clone(&self.draws),
            chunks: chunks.into_iter().map(|chunk| (chunk, Mutex::new(self.spare.pop()))).collect(),
            grid: self.grid,
            abort: Arc::clone(&self.engine.abort),
            shares,
            sound: AtomicBool::new(true),
        };
        let parts = work.chunks.len() as u64;
        if parts != 0 {
            // SAFETY: the caller's contract.
            unsafe { self.engine.pool.share(&work, parts) };
        }
        if !work.sound.load(Ordering::Relaxed) || self.engine.abort.load(Ordering::Relaxed) != 0 {
            return false;
        }
        let outputs: Vec<Output> = work.chunks.iter().filter_map(|(_, output)| lock(output).take()).collect();
        let mut pixels = load_store_ops::pixels(resolved);
        for output in &outputs {
            self.statistics += output.statistics;
            pixels += output.pixels;
        }
        let is_cleared = load_store_ops::tiles(self.grid, cleared);
        let is_resolved = load_store_ops::tiles(self.grid, resolved);
        let wanted = |tile, had: bool| is_resolved(tile) || !had && is_cleared(tile);
        let tiles = TileLists::new(&outputs, &mut self.had, wanted);
        if !before.is_empty() {
            let first = tiles.is_first.iter().filter(|&&is_first| is_first).count() as u64;
            pixels += load_store_ops::pixels(before).min(first * TILE_AREA);
        }
        let parts = if pixels <= INLINE_PIXELS { 1 } else { tiles.tiles.len() };
        let around = &self.around;
        let drops = (is_last && !around.dropped.is_empty())
            .then(|| Drops::new(&around.dropped, around.dropped_area, self.engine.pool.thread_count()));
        let work = TileWork {
            draws: Arc::clone(&self.draws),
            chunks: outputs,
            grid: self.grid,
            shares: WorkPartition::new(self.thread_count(parts), tiles.weights.iter().copied()),
            tiles,
            around: Arc::clone(around),
            drops: drops.flatten(),
            is_last,
            abort: Arc::clone(&self.engine.abort),
            sound: AtomicBool::new(true),
            statistics: Mutex::default(),
        };
        if !work.tiles.tiles.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { self.engine.pool.share(&work, parts as u64) };
        }
        let sound = work.sound.load(Ordering::Relaxed);
        self.statistics += *lock(&work.statistics);
        // The next batch's first chunk takes the first one's memory, which is in the caches of the same thread then.
        self.spare.extend(work.chunks.into_iter().rev());
        sound && self.engine.abort.load(Ordering::Relaxed) == 0
    }
}

impl Engine {
    /// Runs draws in order, on all threads, the calling one too, and returns when all of them have ended. Gives
    /// what they did.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of `pyro_abi::Kernel::run` for every address reachable from the draws: descriptors,
    /// vertex, index and attachment memory, the latter for the draws' area, layers and samples.
    #[allow(unsafe_code)]
    pub unsafe fn draw(&self, draws: Vec<Draw>) -> Result<Statistics, DispatchError> {
        // SAFETY: the caller's contract.
        unsafe { self.render(Frame { draws, ..Frame::default() }) }
    }

    /// The same for draws and what surrounds them.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// That of [`Engine::draw`].
    #[allow(unsafe_code)]
    pub unsafe fn render(&self, frame: Frame) -> Result<Statistics, DispatchError> {
        let Frame { before, draws, after, dropped, dropped_area } = frame;
        let _deadline = self.watchdog.as_ref().map(crate::watchdog::Watchdog::watch);
        let mut area = Rect::default();
        let mut prepared: Vec<Prepared> = Vec::with_capacity(draws.len());
        for draw in draws {
            area.x1 = area.x1.max(draw.area.x1);
            area.y1 = area.y1.max(draw.area.y1);
            prepared.push(Prepared::new(draw, prepared.last()));
        }
        let draws = Arc::new(prepared);
        let most = crate::graphics::raster::shape::GUARD_PIXELS as i32;
        let mut grid = [area.x1.min(most), area.y1.min(most)];
        for work in before.iter().chain(&after) {
            grid = [grid[0].max(work.area.x1), grid[1].max(work.area.y1)];
        }
        let grid = Grid::new(grid[0], grid[1]);
        let mut run = Run {
            engine: self,
            statistics: Statistics::default(),
            grid,
            had: vec![false; grid.tile_count()],
            around: Arc::new(Around { before, after, dropped, dropped_area }),
            draws: Arc::clone(&draws),
            chunks: Vec::new(),
            primitive_count: 0,
            spare: with_scratch(&SPARE, std::mem::take),
            pending_patches: Vec::new(),
            pending_patch_words: 0,
        };
        let mut sound = true;
        for (number, prepared) in draws.iter().enumerate() {
            let draw = &prepared.draw;
            for (at, command) in draw.commands.iter().enumerate() {
                run.statistics.input_assembly_vertices +=
                    u64::from(command.count) * u64::from(command.instance_count);
                if draw.stages.mesh.is_some() {
                    // SAFETY: the caller's contract.
                    sound = sound && unsafe { run.mesh_command(prepared, number, at) };
                    continue;
                }
                // SAFETY: the caller's contract.
                sound = sound
                    && chunks_of(draw, number, at, |chunk| unsafe {
                        match draw.topology {
                            Topology::PatchList(_) => run.push_patches(chunk),
                            // Tessellation has nothing else to work on.
                            _ if draw.stages.tessellation.is_some() => true,
                            _ => run.push(chunk),
                        }
                    });
            }
            // SAFETY: the caller's contract.
            sound = sound && unsafe { run.make_patches() };
        }
        // SAFETY: the caller's contract.
        sound = sound && unsafe { run.batch(true) };
        let mut bytes = 0;
        run.spare.truncate(SPARE_CHUNKS);
        run.spare.retain(|chunk| {
            bytes += chunk.bytes();
            bytes <= SPARE_BYTES
        });
        with_scratch(&SPARE, |spare| *spare = std::mem::take(&mut run.spare));
        if sound && self.abort.load(Ordering::Relaxed) == 0 {
            Ok(run.statistics)
        } else {
            self.abort.store(1, Ordering::Relaxed);
            Err(DispatchError::Aborted)
        }
    }
}
