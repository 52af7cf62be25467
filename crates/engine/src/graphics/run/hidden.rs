//! Primitives that nothing is seen of in a tile, since a later one of the same batch overwrites all of it.
//!
//! Problem: pages, layers and full-screen passes are drawn over each other, and each costs what its pixels
//! do.
//!
//! Approach: a tile's list is searched from its end for a primitive that covers the whole tile, and whose
//! function leaves nothing of what was in any attachment. The tile begins with that one.
//!
//! Invariants: all draws of the list change nothing but the same colour attachments, in one layer
//! ([`may_hide`]), so nothing of what is left out can be seen. Clears and load operations run all the same:
//! they may be of more layers.

use super::Output;
use crate::graphics::raster::shape::{RasterPrimitive, Shape};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::state::{Draw, Rect};
use std::sync::Arc;

/// Whether draws of a list may hide each other.
pub(super) fn may_hide(draws: &[Prepared]) -> bool {
    let Some(Prepared { draw: first, .. }) = draws.first() else { return false };
    let mut last = None;
    let mut overwrites = false;
    let all = draws.iter().all(|Prepared { draw, .. }| {
        // Most draws share their state with the one before.
        if last.is_some_and(|last| Arc::ptr_eq(last, &draw.state)) {
            return true;
        }
        last = Some(&draw.state);
        overwrites |= overwrites_all(draw);
        let addresses = |draw: &Draw| draw.context.colors.each_ref().map(|color| color.address);
        draw.fragment.as_ref().is_none_or(|fragment| fragment.only_colors)
            && draw.context.dispatch.instrumentation == 0
            && draw.view_mask == 0
            && draw.stages.mesh.is_none()
            && draw.stages.outputs.layer.is_none()
            && draw.area == first.area
            && addresses(draw) == addresses(first)
    });
    all && overwrites
}

/// A draw's function leaves nothing of what was in any attachment where it draws.
fn overwrites_all(draw: &Draw) -> bool {
    let overwritten = draw.fragment.as_ref().map_or(0, |fragment| fragment.overwritten);
    let mut colors = (0..).zip(&draw.context.colors);
    overwritten != 0 && colors.all(|(at, color)| color.address == 0 || overwritten >> at & 1 != 0)
}

fn covers(primitive: &RasterPrimitive, rect: Rect) -> bool {
    let Shape::Convex(edges, count) = &primitive.shape else { return false };
    primitive.bounds.intersect(rect) == rect
        && edges[..usize::from(*count)].iter().all(|edge| edge.accepts(rect))
}

/// Where what is seen of a tile begins: which of its chunks, and which of that one's entries.
pub(super) fn first_seen(
    draws: &[Prepared],
    chunks: &[Output],
    numbers: &[u32],
    tile: u32,
    rect: Rect,
) -> (usize, usize) {
    for (place, &number) in numbers.iter().enumerate().rev() {
        let chunk = &chunks[number as usize];
        let draw = &draws[chunk.draw].draw;
        let rect = rect.intersect(draw.area);
        let is_small = chunk.square < (rect.x1 - rect.x0).min(rect.y1 - rect.y0);
        if is_small || rect.is_empty() || !overwrites_all(draw) {
            continue;
        }
        let found = chunk.in_tile(tile).iter().rposition(|entry| {
            !entry.is_small()
                && chunk
                    .primitives
                    .get(entry.number as usize)
                    .is_some_and(|primitive| covers(primitive, rect))
        });
        if let Some(entry) = found {
            return (place, entry);
        }
    }
    (0, 0)
}
