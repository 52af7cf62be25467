//! Screen-space derivatives: differences between the lanes of a quad. Any float, computed in its own type.
//!
//! The lanes `4q .. 4q + 3` are the quad's invocations at (0, 0), (1, 0), (0, 1) and (1, 1), for fragments
//! and for the derivative groups of compute, task and mesh shaders. Lanes that are not active are read too:
//! they hold what they computed, as helper invocations do. The plain `OpDPdx`, `OpDPdy` and `OpFwidth` are
//! the fine ones.

use crate::group::quad_lane;
use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `OpDPdx`, `OpDPdxFine`: the difference along the lane's own row.
pub fn dpdx_fine(b: &mut Builder, x: Value) -> Value {
    difference(b, x, 1, !1)
}

/// `OpDPdy`, `OpDPdyFine`: the difference along the lane's own column.
pub fn dpdy_fine(b: &mut Builder, x: Value) -> Value {
    difference(b, x, 2, !2)
}

/// `OpDPdxCoarse`: the difference along the quad's first row, for all four lanes.
pub fn dpdx_coarse(b: &mut Builder, x: Value) -> Value {
    coarse(b, x, 1)
}

/// `OpDPdyCoarse`: the difference along the quad's first column, for all four lanes.
pub fn dpdy_coarse(b: &mut Builder, x: Value) -> Value {
    coarse(b, x, 2)
}

/// `OpFwidth`, `OpFwidthFine`: the sum of both fine derivatives' absolute values.
pub fn fwidth_fine(b: &mut Builder, x: Value) -> Value {
    let (dx, dy) = (dpdx_fine(b, x), dpdy_fine(b, x));
    absolute_sum(b, dx, dy)
}

/// `OpFwidthCoarse`: the sum of both coarse derivatives' absolute values.
pub fn fwidth_coarse(b: &mut Builder, x: Value) -> Value {
    let (dx, dy) = (dpdx_coarse(b, x), dpdy_coarse(b, x));
    absolute_sum(b, dx, dy)
}

/// `x` of the lane with `or` set minus `x` of the lane with only `and` kept.
fn difference(b: &mut Builder, x: Value, or: u32, and: u32) -> Value {
    let lane = b.lane_id();
    let (or, and) = (b.i32(or), b.i32(and));
    let far = b.or(lane, or);
    let near = b.and(lane, and);
    let (far, near) = (b.shuffle(x, far), b.shuffle(x, near));
    b.fsub(far, near)
}

fn coarse(b: &mut Builder, x: Value, neighbour: u32) -> Value {
    let near = quad_lane(b, 0);
    let far = quad_lane(b, neighbour);
    let (far, near) = (b.shuffle(x, far), b.shuffle(x, near));
    b.fsub(far, near)
}

fn absolute_sum(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (b.fabs(x), b.fabs(y));
    b.fadd(x, y)
}
