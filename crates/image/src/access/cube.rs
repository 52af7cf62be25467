//! Cubes: from a direction to a face and coordinates on it, and from texels beyond a face's edge to the
//! neighbour's (Vulkan, "Cube Map Face Selection and Transformations", "Cube Map Edge Handling").

use super::Access;
use pyro_ir::Value;
use pyro_library::Ops;

/// A direction, projected.
pub(super) struct Projection {
    /// Face number, 0 to 5: +X, -X, +Y, -Y, +Z, -Z.
    pub(super) face: Value,
    /// Coordinates on the face, within [0, 1] but for rounding and NaN.
    pub(super) at: [Value; 2],
    choice: Choice,
    /// `sc / |ma|`, `tc / |ma|` and `1 / |ma|`.
    quotients: [Value; 3],
}

/// Which axis is the major one, and its sign.
struct Choice {
    z: Value,
    y: Value,
    negative: Value,
}

impl Choice {
    /// `(sc, tc, |ma|)` of a vector, or of its derivative.
    fn transform(&self, access: &mut Access, [x, y, z]: [Value; 3]) -> [Value; 3] {
        let b = &mut *access.b;
        let [minus_x, minus_y, minus_z] = [x, y, z].map(|value| b.fneg(value));
        let negative = self.negative;
        let sc_z = b.select(negative, minus_x, x);
        let sc_x = b.select(negative, z, minus_z);
        let sc = b.select(self.y, x, sc_x);
        let sc = b.select(self.z, sc_z, sc);
        let tc_y = b.select(negative, minus_z, z);
        let tc = b.select(self.y, tc_y, minus_y);
        let ma = b.select(self.y, y, x);
        let ma = b.select(self.z, z, ma);
        let minus_ma = b.fneg(ma);
        [sc, tc, b.select(negative, minus_ma, ma)]
    }
}

/// Projects the direction onto the cube.
pub(super) fn project(access: &mut Access, direction: [Value; 3]) -> Projection {
    let b = &mut *access.b;
    let [x, y, z] = direction;
    let [ax, ay, az] = direction.map(|value| b.fabs(value));
    // Of equal ones z goes before y, and y before x.
    let greatest = b.fmax(ax, ay);
    let is_z = b.fle(greatest, az);
    let is_y = b.fle(ax, ay);
    let not_z = b.not(is_z);
    let is_y = b.and(is_y, not_z);
    let major = b.select(is_y, y, x);
    let major = b.select(is_z, z, major);
    let zero = b.f32(0.0);
    let negative = b.flt(major, zero);
    let [zero, one, two, four] = [0, 1, 2, 4].map(|value| b.i32(value));
    let face = b.select(is_y, two, zero);
    let face = b.select(is_z, four, face);
    let side = b.select(negative, one, zero);
    let face = b.iadd(face, side);
    let choice = Choice { z: is_z, y: is_y, negative };
    let [sc, tc, ma] = choice.transform(access, direction);
    let b = &mut *access.b;
    let (one, half) = (b.f32(1.0), b.f32(0.5));
    let (s, t, inverse) = (b.fdiv(sc, ma), b.fdiv(tc, ma), b.fdiv(one, ma));
    let at = [s, t].map(|quotient| b.mad(quotient, half, half));
    Projection { face, at, choice, quotients: [s, t, inverse] }
}

/// The derivative of the coordinates on the face, from the direction's.
pub(super) fn project_derivative(
    access: &mut Access,
    projection: &Projection,
    derivative: [Value; 3],
) -> [Value; 2] {
    let [dsc, dtc, dma] = projection.choice.transform(access, derivative);
    let [s, t, inverse] = projection.quotients;
    let b = &mut *access.b;
    let half = b.f32(0.5);
    let factor = b.fmul(half, inverse);
    [(dsc, s), (dtc, t)].map(|(change, quotient)| {
        let change = b.fnma(quotient, dma, change);
        b.fmul(change, factor)
    })
}

/// A texel of a cube, perhaps one beyond the face's edge in one direction, as the texel of the neighbour that
/// it is. `width` is the face's. A texel beyond two edges stays on the face's edge in x: there is none.
pub(super) fn across_edge(
    access: &mut Access,
    face: Value,
    [x, y]: [Value; 2],
    width: Value,
) -> (Value, [Value; 2]) {
    let b = &mut *access.b;
    let [zero, one, two, three, four, five] = [0, 1, 2, 3, 4, 5].map(|value| b.i32(value));
    let last = b.isub(width, one);
    let beyond = |b: &mut pyro_ir::Builder, index: Value| {
        let inside = b.ult(index, width);
        b.not(inside)
    };
    let clamp = |b: &mut pyro_ir::Builder, index: Value, low: Value, high: Value| {
        let index = b.smax(index, low);
        b.smin(index, high)
    };
    let out_y = beyond(b, y);
    let clamped = clamp(b, x, zero, last);
    let x = b.select(out_y, clamped, x);
    let out_x = beyond(b, x);
    let out = b.or(out_x, out_y);
    // Twice the distance from the face's centre in texels, the cube being `width` from its centre. Beyond an
    // edge, the point goes onto the neighbour, whose outermost texels have their centres one below the edge.
    let minus = b.isub(zero, width);
    let [sc, tc] = [x, y].map(|index| {
        let double = b.iadd(index, index);
        let odd = b.iadd(double, one);
        let centred = b.isub(odd, width);
        clamp(b, centred, minus, width)
    });
    let ma = b.select(out, last, width);
    let [minus_sc, minus_tc, minus_ma] = [sc, tc, ma].map(|value| b.isub(zero, value));
    // Back to a direction (the inverse of `Choice::transform`).
    let is_face = [zero, one, two, three, four, five].map(|number| b.ieq(face, number));
    let choose = |b: &mut pyro_ir::Builder, by_face: [Value; 6]| {
        (0..5).rev().fold(by_face[5], |rest, index| b.select(is_face[index], by_face[index], rest))
    };
    let vx = choose(b, [ma, minus_ma, sc, sc, sc, minus_sc]);
    let vy = choose(b, [minus_tc, minus_tc, ma, minus_ma, minus_tc, minus_tc]);
    let vz = choose(b, [minus_sc, sc, tc, minus_tc, ma, minus_ma]);
    // Now exactly one component is as long as the face is wide.
    let new_face = [(vx, zero), (vy, two), (vz, four)].map(|(value, number)| {
        let positive = b.ieq(value, width);
        let negative = b.ieq(value, minus);
        let either = b.or(positive, negative);
        let next = b.iadd(number, one);
        (either, b.select(negative, next, number))
    });
    let [(_, face_x), (is_y, face_y), (is_z, face_z)] = new_face;
    let face = b.select(is_y, face_y, face_x);
    let face = b.select(is_z, face_z, face);
    let is_face = [zero, one, two, three, four, five].map(|number| b.ieq(face, number));
    let choose = |b: &mut pyro_ir::Builder, by_face: [Value; 6]| {
        (0..5).rev().fold(by_face[5], |rest, index| b.select(is_face[index], by_face[index], rest))
    };
    let [minus_vx, minus_vy, minus_vz] = [vx, vy, vz].map(|value| b.isub(zero, value));
    let sc = choose(b, [minus_vz, vz, vx, vx, vx, minus_vx]);
    let tc = choose(b, [minus_vy, minus_vy, vz, minus_vz, minus_vy, minus_vy]);
    let index = [sc, tc].map(|value| {
        let sum = b.iadd(value, last);
        let half = b.ashr(sum, one);
        clamp(b, half, zero, last)
    });
    (face, index)
}
