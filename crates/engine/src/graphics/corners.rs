//! What is computed once for each shaded vertex, for triangles: its place in the window, and where it lies with
//! respect to the view volume.

use super::clip::is_outside;
pub(crate) use super::lanes::LANES;
use super::prepare::Transform;
use super::raster::{GUARD_PIXELS, Point, UNIT};
use super::wide::Vectorized;

/// Bits of [`Corner::sides`].
pub(crate) mod side {
    /// `x > w`, `x < -w`, `y > w`, `y < -w`.
    pub(crate) const OUTSIDE: u32 = 0b1111;
    /// A coordinate is infinite or NaN.
    pub(crate) const NOT_FINITE: u32 = 1 << 4;
    /// Behind the eye, out of the guard band, or beyond a plane that clips: the other fields mean nothing.
    pub(crate) const CLIPPED: u32 = 1 << 5;
}

/// A vertex in the window. Half of it is enough to see whether a triangle is to be drawn.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(crate) struct Corner {
    pub(crate) point: Point,
    /// See [`side`].
    pub(crate) sides: u32,
    /// Depth.
    pub(crate) z: f64,
    pub(crate) inverse_w: f64,
}

/// Which planes clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthClip {
    pub(crate) enabled: bool,
    pub(crate) negative_one_to_one: bool,
}

/// Projects vertices: `position` has a row for each coordinate.
#[inline(always)]
fn project_lanes(
    transform: &Transform,
    clip: DepthClip,
    position: &[[f32; LANES]; 4],
    corners: &mut [Corner; LANES],
) {
    // The sum's last place is that of integers; the low half of its bits is the integer.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let (mut points, mut depths, mut inverses) = ([[0i32; LANES]; 2], [0.0; LANES], [0.0; LANES]);
    let mut sides = [0u32; LANES];
    for lane in 0..LANES {
        let coordinate = |row: usize| f64::from(position[row][lane]);
        let (x, y, z, w) = (coordinate(0), coordinate(1), coordinate(2), coordinate(3));
        let window = |value: f64, axis: usize| value * transform.scale[axis] + w * transform.offset[axis];
        let (window_x, window_y, window_z) = (window(x, 0), window(y, 1), window(z, 2));
        let inverse_w = 1.0 / w;
        inverses[lane] = inverse_w;
        depths[lane] = window_z * inverse_w;
        let fixed = |value: f64| (value * inverse_w * f64::from(UNIT) + MAGIC).to_bits() as i32;
        (points[0][lane], points[1][lane]) = (fixed(window_x), fixed(window_y));
        let limit = GUARD_PIXELS * w;
        let banded = (w > 0.0) & (window_x.abs() <= limit) & (window_y.abs() <= limit);
        let near = if clip.negative_one_to_one { z + w } else { z };
        let within = !clip.enabled | ((near >= 0.0) & (w - z >= 0.0));
        let finite = (x + y + z + w).abs() < f64::INFINITY;
        sides[lane] = u32::from(x > w)
            | u32::from(x < -w) << 1
            | u32::from(y > w) << 2
            | u32::from(y < -w) << 3
            | u32::from(!finite) << 4
            | u32::from(!(banded & within)) << 5;
    }
    for (lane, corner) in corners.iter_mut().enumerate() {
        *corner = Corner {
            point: Point { x: points[0][lane], y: points[1][lane] },
            z: depths[lane],
            inverse_w: inverses[lane],
            sides: sides[lane],
        };
    }
}

/// Marks the corners that a clip distance leaves out.
pub(crate) fn clip_by_distance(corners: &mut [Corner], distances: impl Iterator<Item = f32>) {
    for (corner, distance) in corners.iter_mut().zip(distances) {
        if is_outside(f64::from(distance)) {
            corner.sides |= side::CLIPPED;
        }
    }
}

/// Projection of vertices whose coordinates come in rows of [`LANES`].
pub(crate) struct Projection<'a, F> {
    pub(crate) transform: &'a Transform,
    pub(crate) clip: DepthClip,
    pub(crate) corners: &'a mut [[Corner; LANES]],
    /// Fills the rows of `LANES` vertices from a number on.
    pub(crate) load: F,
}

impl<F: FnMut(usize, &mut [[f32; LANES]; 4])> Vectorized for Projection<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let mut position = [[0.0; LANES]; 4];
        for (number, corners) in self.corners.iter_mut().enumerate() {
            (self.load)(number * LANES, &mut position);
            project_lanes(self.transform, self.clip, &position, corners);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::draw::Rect;
    use crate::graphics::wide::vectorize;

    #[test]
    fn all_versions_give_the_same_bits() {
        let transform = Transform {
            scale: [320.0, 240.5, 0.75],
            offset: [320.0, 240.5, 0.25],
            inside: Rect::default(),
            scissor: Rect::default(),
            depth_range: [0.0, 1.0],
        };
        let mut state = 1u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 28 {
                0 => f32::from_bits(state),
                1 => 0.0,
                2 => 1.0,
                3 => f32::NAN,
                _ => (state >> 8) as f32 / 4_194_304.0 - 2.0,
            }
        };
        for round in 0..2000 {
            let position = [(); 4].map(|()| [(); LANES].map(|()| next()));
            let clip = DepthClip { enabled: round % 3 != 0, negative_one_to_one: round % 2 == 0 };
            let (mut plain, mut best) = ([Corner::default(); LANES], [Corner::default(); LANES]);
            project_lanes(&transform, clip, &position, &mut plain);
            let load = |_: usize, rows: &mut [[f32; LANES]; 4]| *rows = position;
            let corners = std::slice::from_mut(&mut best);
            vectorize(Projection { transform: &transform, clip, corners, load });
            for (lane, (a, b)) in plain.iter().zip(&best).enumerate() {
                assert_eq!(a.sides, b.sides, "{round} {lane} {position:?}");
                if a.sides & (side::CLIPPED | side::NOT_FINITE) == 0 {
                    let bits = |c: &Corner| (c.point, c.z.to_bits(), c.inverse_w.to_bits());
                    assert_eq!(bits(a), bits(b), "{round} {lane}");
                }
            }
        }
    }
}
