//! Geometry that moves while the shutter is open (`VK_NV_ray_tracing_motion_blur`).
//!
//! Time runs from 0 to 1. Vertices move on straight lines; instances move by maps whose components are
//! interpolated, or by scale, rotation and translation that are interpolated by themselves. A tree's boxes
//! hold what is in them at any time, so a traversal need only place primitives and instances at the ray's
//! time when it comes to them. Rays without a time, and ray queries, are at time 0.

use crate::math::{Affine, Bounds, inverse, transform_bounds};
use pyro_abi::ray::{InstanceRecord, WIDTH};

/// The value at a time between two.
#[inline(always)]
pub(crate) fn between(start: f32, end: f32, time: f32) -> f32 {
    start * (1.0 - time) + end * time
}

/// Vertices of a block's triangles at time 1: rows as those of
/// [`TriangleBlock::vertices`](crate::node::TriangleBlock::vertices).
pub type EndVertices = [[f32; WIDTH]; 9];

/// `VkSRTDataNV`: a map that scales, shears and moves to a pivot, then rotates, then translates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScaleRotateTranslate {
    /// `sx`, `a`, `b`, `pvx`, `sy`, `c`, `pvy`, `sz`, `pvz`.
    pub scale: [f32; 9],
    /// `qx`, `qy`, `qz`, `qw`.
    pub rotation: [f32; 4],
    /// `tx`, `ty`, `tz`.
    pub translation: [f32; 3],
}

impl ScaleRotateTranslate {
    /// Of the sixteen floats of the structure, in its order.
    pub fn from_floats(floats: [f32; 16]) -> ScaleRotateTranslate {
        let [sx, a, b, pvx, sy, c, pvy, sz, pvz, qx, qy, qz, qw, tx, ty, tz] = floats;
        ScaleRotateTranslate {
            scale: [sx, a, b, pvx, sy, c, pvy, sz, pvz],
            rotation: [qx, qy, qz, qw],
            translation: [tx, ty, tz],
        }
    }

    /// The sixteen floats.
    pub fn floats(&self) -> [f32; 16] {
        let all = [&self.scale[..], &self.rotation, &self.translation].concat();
        let mut floats = [0.0; 16];
        floats.copy_from_slice(&all);
        floats
    }

    fn between(&self, end: &ScaleRotateTranslate, time: f32) -> ScaleRotateTranslate {
        let (start, end) = (self.floats(), end.floats());
        let mut floats = [0.0; 16];
        for (at, to) in floats.iter_mut().enumerate() {
            *to = between(start[at], end[at], time);
        }
        ScaleRotateTranslate::from_floats(floats)
    }

    /// What comes before the rotation.
    fn scaling(&self) -> Affine {
        let [sx, a, b, pvx, sy, c, pvy, sz, pvz] = self.scale;
        [[sx, a, b, pvx], [0.0, sy, c, pvy], [0.0, 0.0, sz, pvz]]
    }

    /// The whole map; the rotation is that of the quaternion of unit length.
    fn map(&self) -> Affine {
        let length = self.rotation.iter().map(|value| value * value).sum::<f32>().sqrt();
        let [x, y, z, w] = match length > 0.0 {
            true => self.rotation.map(|value| value / length),
            false => [0.0, 0.0, 0.0, 1.0],
        };
        let rotation = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let (scaling, mut map) = (self.scaling(), Affine::default());
        for (row, to) in map.iter_mut().enumerate() {
            for (column, to) in to.iter_mut().enumerate() {
                *to = (0..3).map(|inner| rotation[row][inner] * scaling[inner][column]).sum();
            }
            to[3] += self.translation[row];
        }
        map
    }
}

/// How an instance moves; its placement's transform is that of time 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// By maps between two: that of time 1.
    Matrix(Affine),
    /// By scales, rotations and translations between two: those of times 0 and 1.
    ScaleRotateTranslate([ScaleRotateTranslate; 2]),
}

impl Motion {
    /// The map from object to world at time 0.
    pub fn start(srt: &ScaleRotateTranslate) -> Affine {
        srt.map()
    }

    /// The map from object to world at a time.
    pub fn transform_at(&self, start: &Affine, time: f32) -> Affine {
        match self {
            Motion::Matrix(end) => {
                let mut map = *start;
                for (value, &end) in map.as_flattened_mut().iter_mut().zip(end.as_flattened()) {
                    *value = between(*value, end, time);
                }
                map
            }
            Motion::ScaleRotateTranslate([start, end]) => start.between(end, time).map(),
        }
    }

    /// What shaders read of the instance at a time.
    pub fn record_at(&self, start: &Affine, time: f32) -> InstanceRecord {
        let object_to_world = self.transform_at(start, time);
        InstanceRecord { object_to_world, world_to_object: inverse(&object_to_world) }
    }

    /// A box that holds the content of an instance at any time.
    pub fn bounds(&self, start: &Affine, content: &Bounds) -> Bounds {
        match self {
            // Each point moves on a straight line.
            Motion::Matrix(end) => {
                let mut all = transform_bounds(start, content);
                all.add(&transform_bounds(end, content));
                all
            }
            // Before the rotation points move on straight lines; it keeps their distance from the origin.
            Motion::ScaleRotateTranslate([start, end]) => {
                let mut before = transform_bounds(&start.scaling(), content);
                before.add(&transform_bounds(&end.scaling(), content));
                let farthest = (0..3).map(|axis| before.lower[axis].abs().max(before.upper[axis].abs()));
                let radius = farthest.map(|side| side * side).sum::<f32>().sqrt() * 1.000_001;
                let mut all = Bounds::EMPTY;
                for translation in [start.translation, end.translation] {
                    all.add(&Bounds {
                        lower: translation.map(|center| center - radius),
                        upper: translation.map(|center| center + radius),
                    });
                }
                all
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::transform_point;

    fn turning() -> Motion {
        let turned = |angle: f32, x: f32| ScaleRotateTranslate {
            scale: [2.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0],
            rotation: [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()],
            translation: [x, 0.0, 0.0],
        };
        Motion::ScaleRotateTranslate([turned(0.0, 0.0), turned(std::f32::consts::FRAC_PI_2, 10.0)])
    }

    #[test]
    fn rotations_keep_distances_at_any_time() {
        let motion = turning();
        for (time, x, y) in [(0.0, 3.0, 0.0), (1.0, 10.0, 3.0)] {
            let map = motion.transform_at(&Affine::default(), time);
            let [found_x, found_y, _] = transform_point(&map, [1.0, 0.0, 0.0]);
            assert!((found_x - x).abs() < 1e-5 && (found_y - y).abs() < 1e-5, "{found_x} {found_y}");
        }
        let map = motion.transform_at(&Affine::default(), 0.5);
        let [x, y, _] = transform_point(&map, [1.0, 0.0, 0.0]);
        // Half of a right angle, three from the center.
        let side = 3.0 * std::f32::consts::FRAC_1_SQRT_2;
        assert!((x - 5.0 - side).abs() < 1e-5 && (y - side).abs() < 1e-5, "{x} {y}");
    }

    #[test]
    fn bounds_hold_every_time() {
        let content = Bounds { lower: [-1.0, 0.0, 0.5], upper: [1.0, 2.0, 1.0] };
        let start = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let end = [[0.0, -3.0, 0.0, 4.0], [1.0, 0.0, 0.5, 0.0], [0.0, 0.0, -1.0, 9.0]];
        for motion in [Motion::Matrix(end), turning()] {
            let bounds = motion.bounds(&start, &content);
            for step in 0..=20 {
                let map = motion.transform_at(&start, step as f32 / 20.0);
                for corner in 0..8 {
                    let point = [0, 1, 2].map(|axis| match corner >> axis & 1 {
                        0 => content.lower[axis],
                        _ => content.upper[axis],
                    });
                    let place = transform_point(&map, point);
                    for axis in 0..3 {
                        let (low, high) = (bounds.lower[axis] - 1e-4, bounds.upper[axis] + 1e-4);
                        assert!((low..=high).contains(&place[axis]), "{motion:?} {step} {place:?}");
                    }
                }
            }
        }
    }
}
