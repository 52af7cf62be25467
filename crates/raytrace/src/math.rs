//! Points, boxes and affine maps.

/// A box. The one that holds nothing has lower sides above its upper ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates.
    pub lower: [f32; 3],
    /// Greatest coordinates.
    pub upper: [f32; 3],
}

impl Bounds {
    /// Holds nothing.
    pub const EMPTY: Bounds = Bounds { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// Makes room for a point.
    #[inline(always)]
    pub fn add_point(&mut self, point: [f32; 3]) {
        self.add(&Bounds { lower: point, upper: point });
    }

    /// Makes room for another box.
    #[inline(always)]
    pub fn add(&mut self, other: &Bounds) {
        for axis in 0..3 {
            let (lower, upper) = (other.lower[axis], other.upper[axis]);
            self.lower[axis] = if lower < self.lower[axis] { lower } else { self.lower[axis] };
            self.upper[axis] = if upper > self.upper[axis] { upper } else { self.upper[axis] };
        }
    }

    /// Holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.lower[axis] > self.upper[axis])
    }

    /// Half of the surface; 0 of nothing.
    #[inline(always)]
    pub fn half_area(&self) -> f32 {
        if self.is_empty() {
            return 0.0;
        }
        let [x, y, z] = [0, 1, 2].map(|axis| self.upper[axis] - self.lower[axis]);
        x * y + (y * z + z * x)
    }
}

/// The rows of an affine map.
pub type Affine = [[f32; 4]; 3];

/// The image of a point.
#[inline(always)]
pub fn transform_point(map: &Affine, point: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|row| {
        let [x, y, z, w] = map[row];
        (x * point[0] + y * point[1]) + (z * point[2] + w)
    })
}

/// The image of a direction.
#[inline(always)]
pub fn transform_direction(map: &Affine, direction: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|row| {
        let [x, y, z, _] = map[row];
        (x * direction[0] + y * direction[1]) + z * direction[2]
    })
}

/// The inverse, computed in double precision. Infinite or NaN where there is none.
pub fn inverse(map: &Affine) -> Affine {
    let m = map.map(|row| row.map(f64::from));
    let minor = |r0: usize, r1: usize, c0: usize, c1: usize| m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    let cofactors = [
        [minor(1, 2, 1, 2), -minor(0, 2, 1, 2), minor(0, 1, 1, 2)],
        [-minor(1, 2, 0, 2), minor(0, 2, 0, 2), -minor(0, 1, 0, 2)],
        [minor(1, 2, 0, 1), -minor(0, 2, 0, 1), minor(0, 1, 0, 1)],
    ];
    let determinant = m[0][0] * cofactors[0][0] + m[0][1] * cofactors[1][0] + m[0][2] * cofactors[2][0];
    cofactors.map(|row| {
        let [x, y, z] = row.map(|cofactor| cofactor / determinant);
        let w = -(x * m[0][3] + y * m[1][3] + z * m[2][3]);
        [x as f32, y as f32, z as f32, w as f32]
    })
}

/// A box around the image of a box, with room for what is rounded when rays are brought to the other side.
pub fn transform_bounds(map: &Affine, bounds: &Bounds) -> Bounds {
    if bounds.is_empty() {
        return Bounds::EMPTY;
    }
    let mut result = Bounds::EMPTY;
    for (axis, row) in map.iter().enumerate() {
        let (mut lower, mut upper, mut magnitude) =
            (f64::from(row[3]), f64::from(row[3]), f64::from(row[3]).abs());
        for (column, &factor) in row[..3].iter().enumerate() {
            let ends =
                [bounds.lower[column], bounds.upper[column]].map(|end| f64::from(end) * f64::from(factor));
            lower += ends[0].min(ends[1]);
            upper += ends[0].max(ends[1]);
            magnitude += ends[0].abs().max(ends[1].abs());
        }
        let room = magnitude * 1e-6;
        result.lower[axis] = ((lower - room) as f32).clamp(-f32::MAX, f32::MAX);
        result.upper[axis] = ((upper + room) as f32).clamp(-f32::MAX, f32::MAX);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_bring_points_back() {
        let map = [[2.0, 0.5, 0.0, 3.0], [0.0, -1.0, 0.25, -7.0], [1.0, 0.0, 4.0, 0.5]];
        let point = [1.5, -2.0, 0.75];
        let back = transform_point(&inverse(&map), transform_point(&map, point));
        assert!(back.iter().zip(point).all(|(a, b)| (a - b).abs() < 1e-5), "{back:?}");
    }
}
