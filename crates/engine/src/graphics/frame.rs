//! What surrounds draws: work on regions of the framebuffer that goes tile by tile with them.

use super::draw::{Draw, Rect};
use super::output::Grid;

/// A clear, a resolve, or anything else that does something for each pixel of a region by itself.
///
/// `run` is called with rectangles that cover `area` without overlap, on any thread, several at a time.
pub struct RegionWork {
    /// The pixels.
    pub area: Rect,
    /// Does it for the pixels of a rectangle within `area`.
    pub run: Box<dyn Fn(Rect) + Send + Sync>,
}

impl RegionWork {
    pub(crate) fn run_in(&self, tile: Rect) {
        let rect = self.area.intersect(tile);
        if !rect.is_empty() {
            (self.run)(rect);
        }
    }
}

/// Draws and what surrounds them.
#[derive(Default)]
pub struct Frame {
    /// Done first, in order: clears. A tile's part is done right before the tile's first draw, so that it is still
    /// in the cache then; without one, at the end.
    pub before: Vec<RegionWork>,
    /// The draws, in order.
    pub draws: Vec<Draw>,
    /// Done last, in order: resolves. A tile's part is done when all draws have drawn the tile.
    pub after: Vec<RegionWork>,
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
