//! Runs lists of draws: chunks of primitives over threads, then tiles over threads.
//!
//! [`chunk`] cuts commands into chunks, [`batch`] collects them and runs both phases, [`chunk_work`] is the
//! first phase with its sources of primitives ([`primitive_source`]), [`tile_work`] the second, which leaves
//! out what is [`hidden`]; [`pending_draws`] has a list run while its caller goes on.
//!
//! Invariants: chunks have the order of the API, and tiles take them in this order, so each sample sees its
//! primitives in order. A batch's tiles start when all of its chunks have ended.

mod batch;
mod chunk;
mod chunk_work;
mod hidden;
mod pending_draws;
mod primitive_source;
mod tile_lists;
mod tile_work;

use crate::graphics::fragment::load_store_ops::{Frame, RegionWork};
use crate::graphics::raster::shape::GUARD_PIXELS;
use crate::graphics::raster::tiles::Grid;
use crate::graphics::setup::binning::ChunkOutput;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::state::{Draw, Dropped, Rect, Statistics};
use crate::{DispatchError, Engine};
use batch::Run;
pub(crate) use batch::SpareChunks;
pub use pending_draws::PendingDraws;
use pyro_util::sync::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A chunk's output, which is handed on by its address.
type Output = Box<ChunkOutput>;
/// With about the bytes that it holds, since to ask another thread's outputs takes long.
type SizedOutput = (usize, Output);

/// What surrounds the draws of a list.
struct Around {
    before: Vec<RegionWork>,
    after: Vec<RegionWork>,
    dropped: Vec<Dropped>,
    dropped_area: Rect,
}

/// Draws with what surrounds them, ready to run.
struct List {
    draws: Vec<Prepared>,
    grid: Grid,
    around: Around,
}

impl List {
    fn new(frame: Frame) -> List {
        let Frame { before, draws, after, dropped, dropped_area } = frame;
        let mut area = Rect::default();
        let mut prepared: Vec<Prepared> = Vec::with_capacity(draws.len());
        for draw in draws {
            area.x1 = area.x1.max(draw.area.x1);
            area.y1 = area.y1.max(draw.area.y1);
            prepared.push(Prepared::new(draw, prepared.last()));
        }
        let most = GUARD_PIXELS as i32;
        let mut grid = [area.x1.min(most), area.y1.min(most)];
        for work in before.iter().chain(&after) {
            grid = [grid[0].max(work.area.x1), grid[1].max(work.area.y1)];
        }
        let grid = Grid::new(grid[0], grid[1]);
        List { draws: prepared, grid, around: Around { before, after, dropped, dropped_area } }
    }
}

/// The calling thread's time is a draw's, if that has a tag, until the result is dropped.
fn attributed(tag: u32) -> Option<pyro_codemem::sample::Scope> {
    (tag != 0).then(|| pyro_codemem::sample::enter_tag(tag))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl Engine {
    /// Runs draws in order, on all threads, the calling one too, and returns when all of them have ended.
    /// Gives what they did.
    ///
    /// # Errors
    /// [`DispatchError::Aborted`] when it was stopped.
    ///
    /// # Safety
    /// The contract of `pyro_abi::Kernel::run` for every address reachable from the draws: descriptors,
    /// vertex, index and attachment memory, the latter for the draws' area, layers and samples.
    #[allow(unsafe_code)]
    pub unsafe fn draw(&self, draws: Vec<Draw>) -> Result<Statistics, DispatchError> {
        // SAFETY: the caller vouches for the draws' addresses; there is nothing else in the frame.
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
        // SAFETY: the caller vouches for the addresses of the draws.
        unsafe { self.run_list(List::new(frame)) }
    }

    /// Runs a list.
    ///
    /// # Safety
    /// That of [`Engine::draw`].
    #[allow(unsafe_code)]
    unsafe fn run_list(&self, list: List) -> Result<Statistics, DispatchError> {
        let _activity = pyro_profiler::activity::enter(pyro_profiler::Activity::Engine);
        let _deadline = self.watchdog.as_ref().map(crate::watchdog::Watchdog::watch);
        let List { draws, grid, around } = list;
        let mut run = Run::new(self, Arc::new(draws), grid, around);
        // SAFETY: the caller vouches for the addresses of the draws that the run was made of.
        let result = unsafe { run.all() };
        let statistics = run.end();
        if result.is_err() || self.abort.load(Ordering::Relaxed) != 0 {
            self.abort.store(1, Ordering::Relaxed);
            return Err(DispatchError::Aborted);
        }
        Ok(statistics)
    }
}
