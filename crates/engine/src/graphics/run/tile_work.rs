//! The fragment phase of a batch: tiles over threads.

use super::tile_lists::{Tile, TileLists};
use super::{Around, Output, attributed, hidden, lock};
use crate::aborted::{Aborted, SharedParts};
use crate::graphics::fragment::fragments::Fragments;
use crate::graphics::fragment::load_store_ops::Drops;
use crate::graphics::fragment::tile::TileRasterizer;
use crate::graphics::raster::tiles::Grid;
use crate::graphics::setup::binning::Entry;
use crate::graphics::setup::deferred_setup::{PlaneMemory, Source};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::state::context::ContextMemory;
use crate::graphics::state::region_counters::Done;
use crate::graphics::state::{Draw, FragmentProgram, Rect, Statistics};
use crate::pool::{Work, thread_number};
use pyro_abi::{DrawContext, Memory};
use pyro_util::sync::Mutex;
use pyro_util::thread_scratch::with_scratch;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

/// A thread's memory for tiles.
#[derive(Default)]
struct TileMemory {
    fragments: Fragments,
    planes: PlaneMemory,
    context: ContextMemory,
}

thread_local! {
    static TILE: RefCell<TileMemory> = RefCell::default();
}

/// The fragment phase of a batch.
pub(super) struct TileWork {
    pub(super) draws: Arc<Vec<Prepared>>,
    /// In order.
    pub(super) chunks: Vec<Output>,
    pub(super) grid: Grid,
    pub(super) tiles: TileLists,
    pub(super) around: Arc<Around>,
    /// For tiles that no other batch has.
    pub(super) drops: Option<Drops>,
    /// Primitives may hide earlier ones ([`hidden`]).
    pub(super) hides: bool,
    /// It is the list's last batch.
    pub(super) is_last: bool,
    pub(super) parts: SharedParts,
    pub(super) statistics: Mutex<Statistics>,
}

impl TileWork {
    /// Draws a tile.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`](crate::Engine::draw).
    #[allow(unsafe_code)]
    unsafe fn tile(
        &self,
        tile: Tile<'_>,
        TileMemory { fragments, planes, context }: &mut TileMemory,
        statistics: &mut Statistics,
    ) -> Result<(), Aborted> {
        let rect = self.grid.rect(tile.number);
        let drops = self.drops.as_ref().filter(|_| tile.is_first);
        let moved = drops.map(|drops| drops.moved(thread_number(), rect));
        if tile.is_first {
            self.around.before.iter().for_each(|work| work.run_in(rect, moved));
        }
        let (first_chunk, mut first_entry) = match self.hides {
            true => hidden::first_seen(&self.draws, &self.chunks, tile.chunks, tile.number, rect),
            false => (0, 0),
        };
        let numbers = &tile.chunks[first_chunk..];
        for (at, &number) in numbers.iter().enumerate() {
            if let Some(&ahead) = numbers.get(at + 2) {
                self.chunks[ahead as usize].prefetch_record();
            }
            if let Some(&ahead) = numbers.get(at + 1) {
                self.chunks[ahead as usize].prefetch_lists(tile.number);
            }
            let chunk = &self.chunks[number as usize];
            let entries = &chunk.in_tile(tile.number)[std::mem::take(&mut first_entry)..];
            let draw = &self.draws[chunk.draw].draw;
            let Some(fragment) = draw.fragment.as_ref().filter(|_| !entries.is_empty()) else { continue };
            let _for = attributed(chunk.tag);
            let context = context.of(draw, self.parts.abort_address(), moved.as_ref());
            let in_tile = InTile { chunk, prepared: &self.draws[chunk.draw], fragment, context, rect };
            let Some(counters) = &draw.counters else {
                // SAFETY: the caller's contract.
                *statistics += unsafe { in_tile.entries(entries, fragments, planes)? };
                continue;
            };
            let mut rest = entries;
            while !rest.is_empty() {
                let (layer, count) = chunk.layer_run(rest);
                let (entries, behind) = rest.split_at(count);
                rest = behind;
                let begun = Instant::now();
                // SAFETY: the caller's contract.
                let counted = unsafe { in_tile.entries(entries, fragments, planes)? };
                let invocations = counted.fragment_shader_invocations;
                // SAFETY: as above.
                let is_coarse = unsafe { is_coarse(draw, rect, layer) };
                let done = Done { begun, primitives: entries.len() as u64, invocations, is_coarse };
                counters.add([rect.x0, rect.y0], layer, &done);
                *statistics += counted;
            }
        }
        if self.is_last {
            self.around.after.iter().for_each(|work| work.run_in(rect, moved));
        }
        Ok(())
    }
}

/// Whether a fragment density map makes fragments of a draw larger somewhere in a tile.
///
/// # Safety
/// The contract of [`Engine::draw`](crate::Engine::draw).
#[allow(unsafe_code)]
unsafe fn is_coarse(draw: &Draw, tile: Rect, layer: u32) -> bool {
    let Some(rate) = &draw.shading_rate else { return false };
    let Rect { x0, y0, x1, y1 } = tile.intersect(draw.area);
    // SAFETY: the caller vouches for the attachments' memory.
    let view = unsafe { Memory::new() };
    rate.has_sparse_fragments(view, [x0, y0], [x1, y1], layer)
}

/// A chunk of a draw where a tile is drawn.
struct InTile<'t> {
    chunk: &'t Output,
    prepared: &'t Prepared,
    fragment: &'t FragmentProgram,
    context: &'t DrawContext,
    rect: Rect,
}

impl InTile<'_> {
    /// Draws some of the chunk's entries for the tile, and gives what was counted.
    ///
    /// # Safety
    /// The contract of [`Engine::draw`](crate::Engine::draw).
    #[allow(unsafe_code)]
    unsafe fn entries(
        &self,
        entries: &[Entry],
        fragments: &mut Fragments,
        planes: &mut PlaneMemory,
    ) -> Result<Statistics, Aborted> {
        let InTile { chunk, prepared, fragment, context, rect } = *self;
        let draw = &prepared.draw;
        let has_deferred = !chunk.deferred.is_empty();
        let in_groups = fragment.takes_groups;
        let planes_at = (in_groups || has_deferred).then(|| planes.start(chunk.stride, in_groups));
        let (setup, groups) = match planes_at {
            Some(groups) if in_groups => (chunk.setup.address(), Some(groups)),
            planes_at => (planes_at.unwrap_or_else(|| chunk.setup.address()), None),
        };
        fragments.start(draw, context, fragment, setup, groups, rect);
        let mut rasterizer = TileRasterizer::new(draw, context, fragment, fragments, rect);
        // SAFETY: the caller vouches for the draws' addresses; setup data is that of the chunk's layout.
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
        // SAFETY: as above; these are the fragments that still wait.
        unsafe { fragments.flush(context, fragment) };
        let counted = fragments.statistics;
        fragments.take_result()?;
        Ok(counted)
    }
}

impl Work for TileWork {
    #[allow(unsafe_code)]
    unsafe fn work(&self) {
        self.parts.run(|numbers| {
            let mut statistics = Statistics::default();
            with_scratch(&TILE, |memory| {
                memory.context.forget();
                for number in numbers {
                    let tile = self.tiles.get(number);
                    // SAFETY: who shares the work vouches for the draws' addresses.
                    unsafe { self.tile(tile, memory, &mut statistics)? };
                }
                Ok(())
            })?;
            if statistics != Statistics::default() {
                *lock(&self.statistics) += statistics;
            }
            Ok(())
        });
    }
}
