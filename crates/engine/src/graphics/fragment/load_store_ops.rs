//! What surrounds draws: work on regions of the framebuffer that goes tile by tile with them, and attachments
//! that nobody needs afterwards.
//!
//! # Dropped attachments
//! An attachment whose contents are undefined before and after (a depth attachment, multisampled colours that
//! are resolved) need not be written to memory at all. Where a list is one batch, each thread draws all of
//! its tiles in one and the same place of such an attachment, which stays in its cache: a tile of the render
//! area, so that nothing outside of it changes. The attachment's texels keep their layout; they are only
//! moved, by the distance from the tile to that place.

use crate::graphics::raster::tiles::{Grid, TILE_PIXELS};
use crate::graphics::state::context::Moved;
use crate::graphics::state::{Draw, Dropped, Rect, Shift};

/// A clear, a resolve, or anything else that does something for each pixel of a region by itself.
///
/// `run` is called with rectangles that cover `area` without overlap, on any thread, several at a time.
pub struct RegionWork {
    /// The pixels.
    pub area: Rect,
    /// The address of the attachment that is cleared, or resolved.
    pub attachment: u64,
    /// Does it for the pixels of a rectangle within `area`. The attachment's texels are shifted so far, other
    /// images' are not.
    pub run: Box<dyn Fn(Rect, Shift) + Send + Sync>,
}

impl RegionWork {
    pub(crate) fn run_in(&self, tile: Rect, moved: Option<Moved<'_>>) {
        let rect = self.area.intersect(tile);
        if !rect.is_empty() {
            let moved =
                moved.filter(|moved| moved.attachments.iter().any(|one| one.address == self.attachment));
            (self.run)(rect, moved.map_or([0, 0], |moved| moved.shift));
        }
    }
}

/// The dropped attachments of a list, and where threads draw tiles of them.
#[derive(Default)]
pub(crate) struct Drops {
    attachments: Vec<Dropped>,
    /// For each thread the upper left pixel of its tile.
    places: Vec<[i32; 2]>,
}

impl Drops {
    /// `area`: the pixels whose contents nobody needs.
    pub(crate) fn new(attachments: &[Dropped], area: Rect, thread_count: usize) -> Option<Drops> {
        let tile = |from: i32, to: i32| {
            let first = (from.max(0) + TILE_PIXELS - 1) / TILE_PIXELS;
            first..(to / TILE_PIXELS).max(first)
        };
        let (columns, rows) = (tile(area.x0, area.x1), tile(area.y0, area.y1));
        let places =
            rows.flat_map(|row| columns.clone().map(move |column| [column, row].map(|at| at * TILE_PIXELS)));
        let places: Vec<_> = places.take(thread_count).collect();
        let enough = !attachments.is_empty() && places.len() == thread_count;
        enough.then(|| Drops { attachments: attachments.to_vec(), places })
    }

    /// Where a thread finds the attachments for a tile.
    pub(crate) fn moved(&self, thread: usize, tile: Rect) -> Moved<'_> {
        let [x, y] = self.places[thread % self.places.len()];
        Moved { attachments: &self.attachments, shift: [x - tile.x0, y - tile.y0] }
    }
}

/// Draws and what surrounds them.
#[derive(Default)]
pub struct Frame {
    /// Done first, in order: clears. A tile's part is done right before the tile's first draw, so that it is
    /// still in the cache then; without one, at the end.
    pub before: Vec<RegionWork>,
    /// The draws, in order.
    pub draws: Vec<Draw>,
    /// Done last, in order: resolves. A tile's part is done when all draws have drawn the tile.
    pub after: Vec<RegionWork>,
    /// Attachments whose contents are undefined before and after, within `dropped_area`.
    pub dropped: Vec<Dropped>,
    /// Pixels.
    pub dropped_area: Rect,
}

/// The pixels of works, about.
pub(crate) fn pixels(works: &[RegionWork]) -> u64 {
    let area = |Rect { x0, y0, x1, y1 }: Rect| i64::from(x1 - x0).max(0) * i64::from(y1 - y0).max(0);
    works.iter().map(|work| area(work.area) as u64).sum()
}

/// Whether each tile has something to do.
pub(crate) fn tiles(grid: Grid, works: &[RegionWork]) -> impl Fn(u32) -> bool {
    move |tile| works.iter().any(|work| !work.area.intersect(grid.rect(tile)).is_empty())
}
