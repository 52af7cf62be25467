//! AMD's extended instruction sets: `SPV_AMD_shader_trinary_minmax` and the cube functions of
//! `SPV_AMD_gcn_shader`.

use super::common::{f_max, f_min};
use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `FMin3AMD`.
pub fn f_min3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = f_min(b, x, y);
    f_min(b, xy, z)
}

/// `UMin3AMD`.
pub fn u_min3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = b.umin(x, y);
    b.umin(xy, z)
}

/// `SMin3AMD`.
pub fn s_min3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = b.smin(x, y);
    b.smin(xy, z)
}

/// `FMax3AMD`.
pub fn f_max3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = f_max(b, x, y);
    f_max(b, xy, z)
}

/// `UMax3AMD`.
pub fn u_max3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = b.umax(x, y);
    b.umax(xy, z)
}

/// `SMax3AMD`.
pub fn s_max3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let xy = b.smax(x, y);
    b.smax(xy, z)
}

/// `FMid3AMD`: the median.
pub fn f_mid3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let (low, high) = (f_min(b, x, y), f_max(b, x, y));
    let below_high = f_min(b, high, z);
    f_max(b, low, below_high)
}

/// `UMid3AMD`: the median.
pub fn u_mid3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let (low, high) = (b.umin(x, y), b.umax(x, y));
    let below_high = b.umin(high, z);
    b.umax(low, below_high)
}

/// `SMid3AMD`: the median.
pub fn s_mid3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let (low, high) = (b.smin(x, y), b.smax(x, y));
    let below_high = b.smin(high, z);
    b.smax(low, below_high)
}

/// What a direction hits on a cube map.
#[derive(Clone, Copy, Debug)]
pub struct CubeFace {
    /// 0 to 5 for +x, -x, +y, -y, +z, -z, as a float of the direction's type (`CubeFaceIndexAMD`).
    pub index: Value,
    /// Horizontal face coordinate within [0, 1] (`CubeFaceCoordAMD`).
    pub s: Value,
    /// Vertical face coordinate within [0, 1].
    pub t: Value,
}

/// `CubeFaceIndexAMD` and `CubeFaceCoordAMD` of the direction `(x, y, z)`: Vulkan's cube map face selection;
/// ties prefer z, then y.
pub fn cube_face(b: &mut Builder, direction: [Value; 3]) -> CubeFace {
    let [x, y, z] = direction;
    let scalar = b.scalar(x);
    let (ax, ay, az) = (b.fabs(x), b.fabs(y), b.fabs(z));
    let z_ge_x = b.fle(ax, az);
    let z_ge_y = b.fle(ay, az);
    let z_major = b.and(z_ge_x, z_ge_y);
    let y_ge_x = b.fle(ax, ay);
    let y_major = b.andnot(y_ge_x, z_major);
    let pick = |b: &mut Builder, on_x: Value, on_y: Value, on_z: Value| {
        let xy = b.select(y_major, on_y, on_x);
        b.select(z_major, on_z, xy)
    };
    let major = pick(b, x, y, z);
    let zero = b.float(scalar, 0.0);
    let negative = b.flt(major, zero);
    let (minus_x, minus_y, minus_z) = (b.fneg(x), b.fneg(y), b.fneg(z));
    // Vulkan, "Cube Map Face Selection": +x (-z,-y), -x (+z,-y), +y (+x,+z), -y (+x,-z), +z (+x,-y),
    // -z (-x,-y).
    let s_on_x = b.select(negative, z, minus_z);
    let s_on_z = b.select(negative, minus_x, x);
    let t_on_y = b.select(negative, minus_z, z);
    let s = pick(b, s_on_x, x, s_on_z);
    let t = pick(b, minus_y, t_on_y, minus_y);
    let (face_x, face_y, face_z) = (b.float(scalar, 0.0), b.float(scalar, 2.0), b.float(scalar, 4.0));
    let face = pick(b, face_x, face_y, face_z);
    let one = b.float(scalar, 1.0);
    let next = b.fadd(face, one);
    let index = b.select(negative, next, face);
    let magnitude = b.fabs(major);
    let half = b.float(scalar, 0.5);
    let s = b.fdiv(s, magnitude);
    let s = b.fma(s, half, half);
    let t = b.fdiv(t, magnitude);
    let t = b.fma(t, half, half);
    CubeFace { index, s, t }
}
