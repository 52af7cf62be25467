//! Clipping of triangles and lines against half spaces of clip space.
//!
//! A clipped vertex is known by its weights over the original vertices: every quantity that is linear in clip
//! space (positions, distances to planes, perspective attributes) follows from those.

/// A vertex of a polygon: weights of the original vertices, which sum to 1.
pub(crate) type Weights = [f64; 3];

/// Planes that a primitive may be clipped against: near, far, four of the guard band, and clip distances.
pub(crate) const PLANES_MAX: usize = 6 + 8;

/// Corners that a triangle can get.
const CORNERS_MAX: usize = 3 + PLANES_MAX;

/// A convex polygon.
#[derive(Clone, Debug)]
pub(crate) struct Polygon {
    corners: [Weights; CORNERS_MAX],
    count: usize,
}

/// Whether a distance is that of a vertex to be clipped away; NaN counts.
#[inline]
pub(crate) fn is_outside(distance: f64) -> bool {
    distance.is_nan() || distance < 0.0
}

/// The sum of values with these weights.
#[inline(always)]
pub(crate) fn weigh(weights: &Weights, values: &[f64; 3]) -> f64 {
    weights[0] * values[0] + weights[1] * values[1] + weights[2] * values[2]
}

/// The place between `inside` and `outside` at which a plane is crossed.
fn crossing(inside: &Weights, outside: &Weights, plane: &[f64; 3]) -> Weights {
    // Always from the inner vertex, so that two triangles with a common edge get the same vertex.
    let (near, far) = (weigh(inside, plane), weigh(outside, plane));
    let t = near / (near - far);
    [0, 1, 2].map(|index| inside[index] + (outside[index] - inside[index]) * t)
}

impl Polygon {
    /// The original triangle.
    pub(crate) fn triangle() -> Polygon {
        let mut corners = [[0.0; 3]; CORNERS_MAX];
        (corners[0], corners[1], corners[2]) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        Polygon { corners, count: 3 }
    }

    /// Its corners in order.
    pub(crate) fn corners(&self) -> &[Weights] {
        &self.corners[..self.count]
    }

    /// Keeps the part on which a plane's distance, given at the original vertices, is not negative. Vertices
    /// whose distance is NaN count as outside.
    pub(crate) fn clip(&mut self, plane: &[f64; 3]) {
        let old = self.clone();
        self.count = 0;
        let mut push = |corner: Weights| {
            if self.count < CORNERS_MAX {
                self.corners[self.count] = corner;
                self.count += 1;
            }
        };
        for (index, corner) in old.corners().iter().enumerate() {
            let next = &old.corners[(index + 1) % old.count];
            let (here, there) = (weigh(corner, plane) >= 0.0, weigh(next, plane) >= 0.0);
            if here {
                push(*corner);
            }
            match (here, there) {
                (true, false) => push(crossing(corner, next, plane)),
                (false, true) => push(crossing(next, corner, plane)),
                _ => {}
            }
        }
        if self.count < 3 || self.corners().iter().flatten().any(|weight| !weight.is_finite()) {
            self.count = 0;
        }
    }
}

/// The part of a line, from 0 to 1, on which all planes' distances are not negative.
#[inline(always)]
pub(crate) fn clip_line(planes: &[[f64; 2]]) -> Option<(f64, f64)> {
    let (mut start, mut end) = (0.0f64, 1.0f64);
    for &[first, last] in planes {
        match (first >= 0.0, last >= 0.0) {
            (true, true) => {}
            (true, false) => end = end.min(first / (first - last)),
            (false, true) => start = start.max(1.0 - last / (last - first)),
            (false, false) => return None,
        }
    }
    (start <= end).then_some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area of the polygon in the plane of its weights 1 and 2.
    fn area(polygon: &Polygon) -> f64 {
        let corners = polygon.corners();
        (0..corners.len())
            .map(|at| {
                let (p, q) = (corners[at], corners[(at + 1) % corners.len()]);
                p[1] * q[2] - q[1] * p[2]
            })
            .sum()
    }

    #[test]
    fn both_sides_make_the_whole() {
        for plane in [[1.0, -1.0, -1.0], [-0.5, 2.0, 0.25], [1.0, 1.0, -3.0], [0.0, 1.0, -1.0]] {
            let (mut inner, mut outer) = (Polygon::triangle(), Polygon::triangle());
            inner.clip(&plane);
            outer.clip(&plane.map(|distance| -distance));
            assert!((area(&inner) + area(&outer) - 1.0).abs() < 1e-12, "{plane:?}");
            for corner in inner.corners() {
                assert!(weigh(corner, &plane) >= -1e-12);
                assert!((corner.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            }
        }
        let mut none = Polygon::triangle();
        none.clip(&[-1.0, -1.0, f64::NAN]);
        assert!(none.corners().is_empty());
    }

    #[test]
    fn lines_keep_their_inner_part() {
        assert_eq!(clip_line(&[[1.0, 1.0]]), Some((0.0, 1.0)));
        assert_eq!(clip_line(&[[-1.0, 3.0], [3.0, -1.0]]), Some((0.25, 0.75)));
        assert_eq!(clip_line(&[[-1.0, 1.0], [1.0, -3.0]]), None);
        assert_eq!(clip_line(&[[-1.0, f64::NAN]]), None);
    }
}
