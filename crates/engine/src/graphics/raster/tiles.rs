//! The grid of tiles that covers the framebuffer.

use crate::graphics::state::Rect;

/// Pixels of a tile in x and y.
pub const TILE_PIXELS: i32 = 64;

/// The tiles of a framebuffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Grid {
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

impl Grid {
    /// A grid that covers the pixels up to (`x1`, `y1`).
    pub(crate) fn new(x1: i32, y1: i32) -> Grid {
        let tiles = |pixels: i32| (pixels.max(0) as u32).div_ceil(TILE_PIXELS as u32);
        Grid { columns: tiles(x1), rows: tiles(y1) }
    }

    pub(crate) fn tile_count(self) -> usize {
        self.columns as usize * self.rows as usize
    }

    /// The pixels of a tile.
    pub(crate) fn rect(self, tile: u32) -> Rect {
        let (x, y) = ((tile % self.columns) as i32, (tile / self.columns) as i32);
        let (x0, y0) = (x * TILE_PIXELS, y * TILE_PIXELS);
        Rect { x0, y0, x1: x0 + TILE_PIXELS, y1: y0 + TILE_PIXELS }
    }
}
