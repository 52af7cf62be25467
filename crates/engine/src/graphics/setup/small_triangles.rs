//! Set-up of triangles whose vertices have been projected, sixteen at a time.
//!
//! Most triangles are small: they lie within a region of eight by eight pixels. Which of sixteen are is found
//! out for all of them at once, as are their edges, from which follows what pixels each covers. What covers
//! none ends here. Where pixels have up to four samples, which samples each covers follows in the same way of
//! triangles within four by four pixels. Of triangles that are larger, or have more samples, the shape goes
//! to the output. What needs clipping, or is so large that many tiles have it, goes through
//! [`Setup::projected_triangle`], one by one, in the same order.
//!
//! Planes and components of all others become setup data when a tile is drawn
//! ([`deferred_setup`](crate::graphics::setup::deferred_setup)).

use crate::graphics::raster::shape::{Edge, Point, Shape, UNIT};
use crate::graphics::raster::small_sample_coverage::{
    RegionSamples, SAMPLED_EXTENT_MAX, SAMPLED_REGION, SampledEdges,
};
use crate::graphics::raster::small_triangle_coverage::{self, Points, REGION, SmallEdges};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::{Assembled, Setup};
use crate::graphics::setup::vertex_lanes::{
    Bounds, DEFERRED_EXTENT_MAX, Identities, Sides, areas, corners, points, signs,
};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::Vectorized;
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest, slot};
use crate::graphics::state::Conservative;
use pyro_abi::graphics::{Interpolation, Varying};

/// Sub-pixel units that a small triangle's extents do not exceed, so that its edges fit 32 bits.
const EXTENT_MAX: i32 = 16 * UNIT;

/// Up to so many shapes of sixteen triangles are set up one by one.
const FEW_SHAPES: u32 = 4;

/// The set-up of triangles whose vertices have been projected.
pub(crate) struct Triangles<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    /// The vertices of the triangles, three and three.
    pub(crate) corners: &'s [u32],
    pub(crate) identities: Identities<'s>,
}

impl Vectorized for Triangles<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(mut self) {
        if !self.setup.prepared.takes_groups() {
            for (number, &corners) in (0..).zip(self.corners.as_chunks().0) {
                let assembled = self.assembled(number, corners);
                self.setup.projected_triangle(assembled);
            }
        } else if WIDE {
            self.groups::<Widest>();
        } else {
            self.groups::<Plain>();
        }
    }
}

impl Triangles<'_, '_> {
    #[inline(always)]
    fn assembled(&self, number: u32, vertices: [u32; 3]) -> Assembled {
        self.identities.assembled(number, vertices)
    }

    #[inline(always)]
    fn groups<V: Vector>(&mut self) {
        let (groups, rest) = self.corners.as_chunks::<{ 3 * LANES }>();
        for (number, group) in (0..).step_by(LANES).zip(groups) {
            self.group::<V>(number, LANES, group);
        }
        if let Some(&first) = rest.first() {
            let mut group = [first; 3 * LANES];
            group[..rest.len()].copy_from_slice(rest);
            self.group::<V>((groups.len() * LANES) as u32, rest.len() / 3, &group);
        }
    }
}

/// The corners of sixteen triangles, in an order that makes their areas positive.
struct Outlines([[[i32; LANES]; 2]; 3]);

impl Outlines {
    #[inline(always)]
    fn new<V: Vector>([p, q, r]: &[Points<V>; 3], negative: V::Mask) -> Outlines {
        let (second, third) = (q.or(negative, r), r.or(negative, q));
        Outlines([p.stored(), second.stored(), third.stored()])
    }

    /// The shape of a lane's triangle.
    #[inline(always)]
    fn shape(&self, lane: usize) -> Shape {
        let (lane, Outlines([a, b, c])) = (lane % LANES, self);
        let a = Point { x: a[0][lane], y: a[1][lane] };
        let b = Point { x: b[0][lane], y: b[1][lane] };
        let c = Point { x: c[0][lane], y: c[1][lane] };
        Shape::Convex([Edge::between(a, b), Edge::between(b, c), Edge::between(c, a), Edge::default()], 3)
    }
}

impl Prepared {
    /// Where the samples of small triangles' pixels lie, if which are covered is found out at set-up: where
    /// quads of several primitives are listed.
    fn region_samples(&self) -> Option<RegionSamples> {
        let takes_groups = self.draw.fragment.as_ref().is_some_and(|fragment| fragment.takes_groups);
        RegionSamples::new(self.draw.raster.samples()).filter(|_| takes_groups)
    }

    /// This draw's triangles are dealt with sixteen at a time.
    pub(crate) fn takes_groups(&self) -> bool {
        let (raster, layout) = (&self.draw.raster, &self.draw.stages.outputs);
        raster.conservative == Conservative::Disabled
            && self.draw.shading_rate.is_none()
            && layout.cull_distance.1 == 0
            && layout.layer.is_none()
            && layout.viewport_index.is_none()
            && !self.draw.per_view_viewports
            && self.draw.stages.mesh.as_ref().is_none_or(|mesh| mesh.layout.layer.is_none())
            && self.target(0, 0, 0).is_some()
            && self.draw.fragment.as_ref().is_some_and(|fragment| {
                if fragment.sees_full_coverage {
                    return false;
                }
                // VertexRecords hold no other columns.
                let is_kept = |varying: &Varying| {
                    varying.interpolation == Interpolation::PerPrimitive
                        || varying.column.is_none_or(|column| column >= 4)
                };
                fragment.setup.varyings().iter().all(is_kept)
            })
    }
}

impl Triangles<'_, '_> {
    /// Sixteen triangles, of which the first so many count, up to their entries in the output. `number`: the
    /// first one's among all.
    #[inline(always)]
    fn group<V: Vector>(&mut self, number: u32, count: usize, group: &[u32; 3 * LANES]) {
        let (prepared, records) = (self.setup.prepared, self.setup.records);
        let raster = &prepared.draw.raster;
        let vertices = V::threes(group);
        let place = V::ints(records.place(1) as i32);
        let places = corners!(|at| V::mul(vertices[at], place));
        let points = corners!(|at| points::<V>(records, places[at]));
        let [p, q, r] = &points;
        let any = V::or(V::or(p.sides, q.sides), r.sides);
        let all = V::and(V::and(p.sides, q.sides), r.sides);
        let multisampled = raster.samples > 1;
        let bounds = Bounds::<V>::new(&points, prepared.transforms[0].inside, multisampled);
        let Bounds { x0, y0, x1, y1, extent, whole } = bounds;
        let (positive, negative) = signs::<V>(areas(&points));
        let (front_drawn, back_drawn) = (!raster.cull.front, !raster.cull.back);
        let (drawn_positive, drawn_negative) =
            if raster.front_clockwise { (front_drawn, back_drawn) } else { (back_drawn, front_drawn) };
        let mask = |drawn: bool| if drawn { u32::MAX } else { 0 };
        let facing = V::bits(positive) & mask(drawn_positive) | V::bits(negative) & mask(drawn_negative);
        let visible = facing & V::bits(V::both(V::less(x0, x1), V::less(y0, y1)));
        let sampled = if multisampled { prepared.region_samples() } else { None };
        let (extent_most, region) =
            if multisampled { (SAMPLED_EXTENT_MAX, SAMPLED_REGION) } else { (EXTENT_MAX, REGION) };
        let extended = V::bits(V::less(V::ints(extent_most), extent));
        let large = V::bits(V::less(V::ints(DEFERRED_EXTENT_MAX), extent));
        let even = V::ints(!1);
        let (corner_x, corner_y) = (V::and(x0, even), V::and(y0, even));
        let size = V::max(V::sub(x1, corner_x), V::sub(y1, corner_y));
        let in_region = !V::bits(V::less(V::ints(region), size));
        let cut = !V::bits(whole);
        let there = u32::MAX >> (32 - count);
        let Sides { within, clipped } = Sides::new::<V>(any, all).of(there);
        let visible = within & visible & !clipped;
        let shapes = visible & (extended | !in_region);
        let shapes = match sampled {
            _ if !multisampled => shapes,
            Some(_) => shapes | visible & cut,
            None => visible,
        };
        // A few shapes are set up sooner one by one.
        let is_few = shapes == visible && shapes.count_ones() <= FEW_SHAPES;
        let single = clipped | if is_few { shapes } else { shapes & large };
        let (drawn, shapes) = (visible & !single, shapes & !single);
        let statistics = &mut self.setup.output.statistics;
        statistics.clipping_invocations += u64::from((there & !single).count_ones());
        statistics.clipping_primitives += u64::from((within & !single).count_ones());
        if single | drawn == 0 {
            return;
        }
        let first = if drawn == 0 {
            0
        } else {
            self.identities.push::<V>(&mut self.setup.output.deferred, number, places)
        };
        let (mut edges, mut sampled_edges) = (None, None);
        if shapes != drawn {
            match &sampled {
                None => edges = Some(SmallEdges::new::<V>(&points, negative, corner_x, corner_y)),
                Some(samples) => {
                    let edges = SampledEdges::new::<V>(&points, negative, corner_x, corner_y, samples);
                    sampled_edges = Some(edges);
                }
            }
        }
        let (corners_x, corners_y) = (V::store(corner_x), V::store(corner_y));
        let bounds = bounds.stored();
        let outlines = if shapes == 0 { None } else { Some(Outlines::new::<V>(&points, negative)) };
        let mut left = single | drawn;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if single >> lane & 1 != 0 {
                let corners = [group[3 * lane], group[3 * lane + 1], group[3 * lane + 2]];
                let assembled = self.assembled(number + lane as u32, corners);
                self.setup.projected_triangle(assembled);
                continue;
            }
            let bounds = bounds.of(lane);
            let (output, number) = (&mut self.setup.output, first + slot(lane as u32));
            if let Some(outlines) = outlines.as_ref().filter(|_| shapes >> lane & 1 != 0) {
                output.push_deferred(bounds, outlines.shape(lane), number);
                continue;
            }
            let (x, y) = (corners_x[lane] as i32, corners_y[lane] as i32);
            if let Some(edges) = &sampled_edges {
                output.push_small_sampled(number, x, y, edges.covered(lane));
                continue;
            }
            let Some(edges) = &edges else { continue };
            let mut pixels = edges.covered::<V>(lane);
            if cut >> lane & 1 != 0 {
                pixels &= small_triangle_coverage::within(bounds, x, y);
            }
            output.push_small(number, x, y, pixels);
        }
    }
}
