//! Set-up of triangles that are drawn as lines, sixteen edges at a time.
//!
//! The edges of all triangles are one list, so those of a triangle may lie in two groups. What of a triangle
//! needs clipping, or is large, is set up by [`Setup::triangle`] where its first edge comes. Planes and
//! components become setup data when a tile is drawn
//! ([`deferred_setup`](crate::graphics::setup::deferred_setup)).
//!
//! The formulas are those of [`Setup::triangle`], so it does not matter which way a triangle goes.

use crate::graphics::setup::deferred_primitives::{DeferredKind, EDGES};
use crate::graphics::setup::line_groups::{Corners, Exact};
use crate::graphics::setup::lines::width_of;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::Setup;
use crate::graphics::setup::vertex_lanes::{
    Bounds, DEFERRED_EXTENT_MAX, Depths, Identities, Sides, areas, corners, points, signs,
};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::Vectorized;
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest, slot};
use crate::graphics::state::PolygonMode;

/// The set-up of triangles whose vertices have been projected, as lines.
pub(crate) struct Edges<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    /// The vertices of the triangles, three and three.
    pub(crate) corners: &'s [u32],
    pub(crate) identities: Identities<'s>,
}

impl Prepared {
    /// This draw's triangles are drawn as lines whose edges are dealt with sixteen at a time.
    pub(crate) fn takes_edge_groups(&self) -> bool {
        self.draw.raster.polygon_mode == PolygonMode::Line && self.takes_line_groups()
    }
}

impl Vectorized for Edges<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(mut self) {
        self.setup.output.deferred.kind = DeferredKind::Edges;
        if WIDE {
            self.groups::<Widest>();
        } else {
            self.groups::<Plain>();
        }
    }
}

/// Sixteen edges.
struct Group {
    /// The vertices of their triangles, corner by corner.
    vertices: [[u32; LANES]; 3],
    /// Where they begin, and where they end.
    ends: [[u32; LANES]; 2],
    /// The triangles' numbers, and of each edge which of its triangle's it is.
    numbers: [u32; LANES],
    edges: [u32; LANES],
}

impl Edges<'_, '_> {
    #[inline(always)]
    fn groups<V: Vector>(&mut self) {
        let (triangles, _) = self.corners.as_chunks::<3>();
        let count = 3 * triangles.len();
        for first in (0..count).step_by(LANES) {
            let mut group = Group {
                vertices: [[0; LANES]; 3],
                ends: [[0; LANES]; 2],
                numbers: [0; LANES],
                edges: [0; LANES],
            };
            for lane in 0..LANES {
                // Lanes behind the last edge have the last.
                let at = (first + lane).min(count - 1);
                let (number, edge) = (at / 3, at % 3);
                let triangle = &triangles[number];
                for (vertices, &vertex) in group.vertices.iter_mut().zip(triangle) {
                    vertices[lane] = vertex;
                }
                group.ends[0][lane] = triangle[edge];
                group.ends[1][lane] = triangle[(edge + 1) % 3];
                group.numbers[lane] = number as u32;
                group.edges[lane] = edge as u32;
            }
            self.group::<V>((count - first).min(LANES), &group);
        }
    }

    /// Sixteen edges, of which the first so many count, up to their entries in the output.
    #[inline(always)]
    fn group<V: Vector>(&mut self, count: usize, group: &Group) {
        let (prepared, records) = (self.setup.prepared, self.setup.records);
        let (raster, transform) = (&prepared.draw.raster, &prepared.transforms[0]);
        let place = V::ints(records.place(1) as i32);
        let places = corners!(|at| V::mul(V::load(&group.vertices[at]), place));
        let points = corners!(|at| points::<V>(records, places[at]));
        let [p, q, r] = &points;
        let there = u32::MAX >> (32 - count);
        let any = V::or(V::or(p.sides, q.sides), r.sides);
        let all = V::and(V::and(p.sides, q.sides), r.sides);
        let Sides { within, clipped } = Sides::new::<V>(any, all).of(there);
        let Bounds { extent, .. } = Bounds::<V>::new(&points, transform.scissor, true);
        let large = within & V::bits(V::less(V::ints(DEFERRED_EXTENT_MAX), extent));
        let single = clipped | large;
        // Triangles without an area face backward.
        let (positive, negative) = signs::<V>(areas(&points));
        let front = V::bits(if raster.front_clockwise { positive } else { negative });
        let mask = |drawn: bool| if drawn { u32::MAX } else { 0 };
        let facing = front & mask(!raster.cull.front) | !front & mask(!raster.cull.back);
        let faced = within & facing & !single;

        let width = width_of(raster);
        let inside = if width > 1.0 { transform.scissor } else { transform.inside };
        let [from, to] = &group.ends;
        let of_from = Depths::<V>::new(records, V::mul(V::load(from), place)).inverse_w;
        let of_to = Depths::<V>::new(records, V::mul(V::load(to), place)).inverse_w;
        let shading = self.setup.shading;
        let from = Exact::<V>::new(shading, transform, from, of_from);
        let to = Exact::<V>::new(shading, transform, to, of_to);
        let (corners, long) = Corners::<V>::new(from, to, f64::from(width) / 2.0);
        let [a, b, c, _] = corners.0;
        let (positive, _) = signs::<V>(areas(&[a, b, c]));
        let bounds = Bounds::<V>::new(&corners.0, inside, raster.samples > 1);
        let Bounds { x0, y0, x1, y1, .. } = bounds;
        let visible = V::both(V::both(positive, long), V::both(V::less(x0, x1), V::less(y0, y1)));
        let drawn = faced & V::bits(visible);
        let first_edges = V::bits(V::equal(V::load(&group.edges), V::ints(0)));
        let statistics = &mut self.setup.output.statistics;
        statistics.clipping_invocations += u64::from((there & first_edges & !single).count_ones());
        statistics.clipping_primitives += u64::from((faced & first_edges).count_ones());
        let single = single & first_edges;
        if single | drawn == 0 {
            return;
        }
        let first = if drawn == 0 {
            0
        } else {
            let begins = group.edges.map(|edge| EDGES[edge as usize % 3]);
            let [a, b, c] = places;
            let places = [a, V::or(b, V::load(&begins)), c];
            self.identities.push_each::<V>(&mut self.setup.output.deferred, &group.numbers, places)
        };
        let (bounds, corners) = (bounds.stored(), corners.stored());
        let mut left = single | drawn;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if single >> lane & 1 != 0 {
                let vertices = [0, 1, 2].map(|at| group.vertices[at][lane]);
                let assembled = self.identities.assembled(group.numbers[lane], vertices);
                self.setup.triangle(assembled);
                continue;
            }
            let number = first + slot(lane as u32);
            self.setup.output.push_deferred(bounds.of(lane), corners.shape(lane), number);
        }
    }
}
