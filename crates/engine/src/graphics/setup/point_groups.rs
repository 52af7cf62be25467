//! Set-up of points whose vertices have been projected, sixteen at a time.
//!
//! A point covers what has its samples in a square. Where pixels have one sample, that is a rectangle of
//! pixels; if it lies within a region of eight by eight, these go to the output as those of small triangles
//! do. Of others, the shape goes there. What is so large that many tiles have it goes through
//! [`Setup::point`], one by one, in the same order. Points are not clipped: what lies outside with its middle
//! is not drawn. Their setup data is made when a tile is drawn
//! ([`deferred_setup`](crate::graphics::setup::deferred_setup)).
//!
//! The formulas are those of [`lines`](crate::graphics::setup::lines), so it does not matter which way a
//! point goes.

use crate::graphics::raster::shape::Point;
use crate::graphics::raster::small_triangle_coverage::{self, Points as Places, region};
use crate::graphics::setup::deferred_primitives::DeferredKind;
use crate::graphics::setup::lines::{half_point, point_shape, point_size};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::Setup;
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::setup::vertex_lanes::{Bounds, DEFERRED_EXTENT_MAX, Identities, points};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::multiversion::Vectorized;
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest, slot};

/// Up to so many of sixteen points are set up one by one.
const FEW_POINTS: u32 = 4;
/// Vertex outputs that are no part of records: the position.
const POSITION_COLUMNS: u32 = 4;

/// The set-up of points whose vertices have been projected.
pub(crate) struct Points<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    /// The vertices.
    pub(crate) corners: &'s [u32],
    pub(crate) identities: Identities<'s>,
}

impl Prepared {
    /// This draw's points are dealt with sixteen at a time.
    pub(crate) fn takes_point_groups(&self) -> bool {
        let column = self.draw.stages.outputs.point_size;
        column.is_none_or(|column| column >= POSITION_COLUMNS) && self.takes_groups()
    }

    /// The sizes of the points whose vertices' records are at these places.
    #[inline(always)]
    pub(super) fn point_sizes<V: Vector>(&self, records: &VertexRecords, places: V::Ints) -> [f32; LANES] {
        let mut sizes = [1.0; LANES];
        if let Some(column) = self.draw.stages.outputs.point_size {
            let word = VertexRecords::word(column);
            let words = V::quads(records.table(), V::add(places, V::ints(word as i32 / 4)));
            for (size, bits) in sizes.iter_mut().zip(V::store(words[word as usize % 4])) {
                *size = point_size(f32::from_bits(bits));
            }
        }
        sizes
    }
}

impl Vectorized for Points<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(mut self) {
        self.setup.output.deferred.kind = DeferredKind::Points;
        if WIDE {
            self.groups::<Widest>();
        } else {
            self.groups::<Plain>();
        }
    }
}

impl Points<'_, '_> {
    #[inline(always)]
    fn groups<V: Vector>(&mut self) {
        let (groups, rest) = self.corners.as_chunks::<LANES>();
        for (number, group) in (0..).step_by(LANES).zip(groups) {
            self.group::<V>(number, LANES, group);
        }
        if let Some(&first) = rest.first() {
            let mut group = [first; LANES];
            group[..rest.len()].copy_from_slice(rest);
            self.group::<V>((groups.len() * LANES) as u32, rest.len(), &group);
        }
    }

    /// Sixteen points, of which the first so many count, up to their entries in the output. `number`: the
    /// first one's among all.
    #[inline(always)]
    fn group<V: Vector>(&mut self, number: u32, count: usize, group: &[u32; LANES]) {
        let (prepared, records) = (self.setup.prepared, self.setup.records);
        let place = V::mul(V::load(group), V::ints(records.place(1) as i32));
        let Places { x, y, sides } = points::<V>(records, place);
        let there = u32::MAX >> (32 - count);
        let within = there & V::bits(V::equal(sides, V::ints(0)));
        let sizes = prepared.point_sizes::<V>(records, place);
        let mut halves = [0; LANES];
        for (half, size) in halves.iter_mut().zip(sizes) {
            *half = half_point(size) as u32;
        }
        let (half, one) = (V::load(&halves), V::ints(1));
        // The right and the lower side belong to no point.
        let beyond = V::sub(half, one);
        let corners = [
            Places::<V> { x: V::sub(x, half), y: V::sub(y, half), sides },
            Places::<V> { x: V::add(x, beyond), y: V::add(y, beyond), sides },
        ];
        let multisampled = prepared.draw.raster.samples > 1;
        let bounds = Bounds::<V>::new(&corners, prepared.transforms[0].scissor, multisampled);
        let Bounds { x0, y0, x1, y1, extent, .. } = bounds;
        let visible = within & V::bits(V::both(V::less(x0, x1), V::less(y0, y1)));
        let large = visible & V::bits(V::less(V::ints(DEFERRED_EXTENT_MAX), extent));
        // A few are set up sooner one by one.
        let single = if visible.count_ones() <= FEW_POINTS { visible } else { large };
        let drawn = visible & !single;
        let statistics = &mut self.setup.output.statistics;
        statistics.clipping_invocations += u64::from((there & !single).count_ones());
        statistics.clipping_primitives += u64::from((within & !single).count_ones());
        if visible == 0 {
            return;
        }
        let list = &mut self.setup.output.deferred;
        let first = if drawn == 0 { 0 } else { self.identities.push::<V>(list, number, [place; 3]) };
        let (x, y, bounds) = (V::store_ints(x), V::store_ints(y), bounds.stored());
        let mut left = visible;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if single >> lane & 1 != 0 {
                let assembled = self.identities.assembled(number + lane as u32, [group[lane]; 3]);
                self.setup.point(assembled);
                continue;
            }
            let (bounds, number) = (bounds.of(lane), first + slot(lane as u32));
            let output = &mut self.setup.output;
            match region(bounds).filter(|_| !multisampled) {
                Some((x, y)) => {
                    let pixels = small_triangle_coverage::within(bounds, x, y);
                    output.push_small(number, x, y, pixels);
                }
                None => {
                    let center = Point { x: x[lane], y: y[lane] };
                    output.push_deferred(bounds, point_shape(center, halves[lane] as i32), number);
                }
            }
        }
    }
}
