//! What is computed once for each draw.

use crate::graphics::geometry::primitive_values::PrimitiveValues;
use crate::graphics::raster::shape::GUARD_PIXELS;
use crate::graphics::state::{Draw, Rect};
use std::sync::Arc;

/// A viewport's transform, from clip space to window coordinates times `w`: `x * scale + w * offset`, where
/// `w` may have been changed by `w_scaling`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    pub(crate) scale: [f64; 3],
    pub(crate) offset: [f64; 3],
    /// What x and y are multiplied by and added to `w` first.
    pub(crate) w_scaling: [f64; 2],
    /// Where triangles may draw: scissor, area and viewport.
    pub(crate) inside: Rect,
    /// Where wide lines and points may draw: scissor and area.
    pub(crate) scissor: Rect,
    /// Where clamping of depths ends: the least and the greatest depth of the viewport, unless said
    /// otherwise.
    pub(crate) depth_range: [f32; 2],
}

/// A draw with what follows from it.
pub(crate) struct Prepared {
    pub(crate) draw: Draw,
    pub(crate) transforms: Arc<[Transform]>,
}

/// Whole pixels whose centres lie between two coordinates.
fn centers(from: f32, to: f32) -> (i32, i32) {
    let (least, greatest) = (from.min(to), from.max(to));
    // Conversions saturate, NaN becomes 0.
    ((f64::from(least) - 0.5).ceil() as i32, (f64::from(greatest) - 0.5).ceil() as i32)
}

impl Prepared {
    /// `PrimitiveId` of a primitive with this number, which is what it is where no mesh shader says something
    /// else.
    pub(crate) fn primitive_id(&self, number: u32, values: &PrimitiveValues) -> u32 {
        let column = self.draw.stages.mesh.as_ref().and_then(|mesh| mesh.layout.primitive_id);
        column.map_or(number, |column| values.get(number, column))
    }

    /// Prepares a draw. `last`: the one before it, with which it may share state.
    pub(crate) fn new(draw: Draw, last: Option<&Prepared>) -> Prepared {
        let is_same = |last: &&Prepared| {
            Arc::ptr_eq(&last.draw.state, &draw.state) && last.draw.scissors == draw.scissors
        };
        if let Some(last) = last.filter(is_same) {
            return Prepared { transforms: Arc::clone(&last.transforms), draw };
        }
        // Coordinates behind the guard band are never reached.
        let most = GUARD_PIXELS as i32 - 64;
        let area = draw.area.intersect(Rect { x0: 0, y0: 0, x1: most, y1: most });
        let transforms = draw.viewports.iter().enumerate().map(|(index, viewport)| {
            let scissor = draw.scissors.get(index).map_or(area, |scissor| scissor.intersect(area));
            let (x0, x1) = centers(viewport.x, viewport.x + viewport.width);
            let (y0, y1) = centers(viewport.y, viewport.y + viewport.height);
            let half = [f64::from(viewport.width) / 2.0, f64::from(viewport.height) / 2.0];
            let (near, far) = (f64::from(viewport.min_depth), f64::from(viewport.max_depth));
            let (depth_scale, depth_offset) = if draw.raster.negative_one_to_one {
                ((far - near) / 2.0, (far + near) / 2.0)
            } else {
                (far - near, near)
            };
            Transform {
                scale: [half[0], half[1], depth_scale],
                offset: [f64::from(viewport.x) + half[0], f64::from(viewport.y) + half[1], depth_offset],
                w_scaling: draw.raster.w_scalings.get(index).map_or([0.0; 2], |w| w.map(f64::from)),
                inside: scissor.intersect(Rect { x0, y0, x1, y1 }),
                scissor,
                depth_range: draw.raster.depth_clamp_range.unwrap_or([
                    viewport.min_depth.min(viewport.max_depth),
                    viewport.min_depth.max(viewport.max_depth),
                ]),
            }
        });
        Prepared { transforms: transforms.collect(), draw }
    }
}
