//! What set-up has of the vertices of sixteen primitives: where they are, areas, bounds, and the lists that
//! their setup data is made from when a tile is drawn.

use crate::graphics::assembly::stream::Ids;
use crate::graphics::raster::shape::UNIT;
use crate::graphics::raster::small_triangle_coverage::Points;
use crate::graphics::setup::deferred_primitives::{DeferredPrimitives, PROVOKING};
use crate::graphics::setup::primitive_setup::Assembled;
use crate::graphics::setup::primitives::Provoking;
use crate::graphics::setup::projected_vertices::{VertexRecords, side};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::vector::Vector;
use crate::graphics::state::Rect;

/// Sub-pixel units that a primitive's extents do not exceed whose setup data is made when a tile is drawn:
/// for each of its tiles, mostly with fifteen others.
pub(crate) const DEFERRED_EXTENT_MAX: i32 = 320 * UNIT;

/// Where the corners of the records at these places are.
#[inline(always)]
pub(crate) fn points<V: Vector>(records: &VertexRecords, places: V::Ints) -> Points<V> {
    let [x, y, sides, _] = V::quads(records.table(), places);
    Points { x, y, sides }
}

/// The depths of sixteen corners.
pub(crate) struct Depths<V: Vector> {
    pub(crate) z: V::Doubles,
    pub(crate) inverse_w: V::Doubles,
}

impl<V: Vector> Depths<V> {
    /// The depths of the records at these places.
    #[inline(always)]
    pub(crate) fn new(records: &VertexRecords, places: V::Ints) -> Depths<V> {
        let [z, z_upper, w, w_upper] = V::quads(records.table(), V::add(places, V::ints(1)));
        Depths { z: V::join(z, z_upper), inverse_w: V::join(w, w_upper) }
    }
}

/// Something of each of three corners. (Methods of arrays are not always compiled into their caller, and so
/// not for its processor.)
macro_rules! corners {
    (|$corner:ident| $value:expr) => {
        [
            {
                let $corner = 0;
                $value
            },
            {
                let $corner = 1;
                $value
            },
            {
                let $corner = 2;
                $value
            },
        ]
    };
}

pub(crate) use corners;

/// Twice the areas of triangles: the numbers are exact, as products of 25 bits fit.
#[inline(always)]
pub(crate) fn areas<V: Vector>([p, q, r]: &[Points<V>; 3]) -> V::Doubles {
    let (x1, y1) = (V::to_doubles(V::sub(q.x, p.x)), V::to_doubles(V::sub(q.y, p.y)));
    let (x2, y2) = (V::to_doubles(V::sub(r.x, p.x)), V::to_doubles(V::sub(r.y, p.y)));
    // The last sum makes 0 of -0.
    V::plus(V::minus(V::times(x1, y2), V::times(x2, y1)), V::doubles(0.0))
}

/// Which areas are positive, and which are negative.
#[inline(always)]
pub(crate) fn signs<V: Vector>(areas: V::Doubles) -> (V::Mask, V::Mask) {
    let (bits, zero) = (V::float_bits(V::to_floats(areas)), V::ints(0));
    (V::less(zero, bits), V::less(bits, zero))
}

/// The pixels that sixteen shapes may cover of what may be drawn.
#[derive(Clone, Copy)]
pub(crate) struct Bounds<V: Vector> {
    pub(crate) x0: V::Ints,
    pub(crate) y0: V::Ints,
    pub(crate) x1: V::Ints,
    pub(crate) y1: V::Ints,
    /// The longer side in sub-pixel units, of the whole shape.
    pub(crate) extent: V::Ints,
    /// Nothing of it is cut off.
    pub(crate) whole: V::Mask,
}

impl<V: Vector> Bounds<V> {
    #[inline(always)]
    pub(crate) fn new(points: &[Points<V>], inside: Rect, multisampled: bool) -> Bounds<V> {
        let (mut least_x, mut least_y) = (points[0].x, points[0].y);
        let (mut most_x, mut most_y) = (points[0].x, points[0].y);
        for point in &points[1..] {
            (least_x, least_y) = (V::min(least_x, point.x), V::min(least_y, point.y));
            (most_x, most_y) = (V::max(most_x, point.x), V::max(most_y, point.y));
        }
        // `pixel_range`, and that within what may be drawn.
        let one = V::ints(1);
        let to_first = V::ints(if multisampled { 0 } else { UNIT / 2 - 1 });
        let to_last = V::ints(if multisampled { 0 } else { UNIT / 2 });
        let (first_x, first_y) = (V::pixels(V::add(least_x, to_first)), V::pixels(V::add(least_y, to_first)));
        let (last_x, last_y) = (V::pixels(V::sub(most_x, to_last)), V::pixels(V::sub(most_y, to_last)));
        let (end_x, end_y) = (V::add(last_x, one), V::add(last_y, one));
        let (x0, y0) = (V::max(first_x, V::ints(inside.x0)), V::max(first_y, V::ints(inside.y0)));
        let (x1, y1) = (V::min(end_x, V::ints(inside.x1)), V::min(end_y, V::ints(inside.y1)));
        let whole = V::both(
            V::both(V::equal(first_x, x0), V::equal(first_y, y0)),
            V::both(V::equal(end_x, x1), V::equal(end_y, y1)),
        );
        let extent = V::max(V::sub(most_x, least_x), V::sub(most_y, least_y));
        Bounds { x0, y0, x1, y1, extent, whole }
    }

    /// The four sides.
    #[inline(always)]
    pub(crate) fn stored(self) -> StoredBounds {
        let (x0, y0) = (V::store_ints(self.x0), V::store_ints(self.y0));
        StoredBounds { x0, y0, x1: V::store_ints(self.x1), y1: V::store_ints(self.y1) }
    }
}

/// The four sides of each of sixteen.
pub(crate) struct StoredBounds {
    x0: [i32; LANES],
    y0: [i32; LANES],
    x1: [i32; LANES],
    y1: [i32; LANES],
}

impl StoredBounds {
    /// Those of a lane.
    #[inline(always)]
    pub(crate) fn of(&self, lane: usize) -> Rect {
        let lane = lane % LANES;
        Rect { x0: self.x0[lane], y0: self.y0[lane], x1: self.x1[lane], y1: self.y1[lane] }
    }
}

/// Which of sixteen primitives go which way, by the sides of their vertices: bits.
pub(crate) struct Sides {
    /// They have a place in the window as a whole, and perhaps something in the view volume.
    pub(crate) within: u32,
    /// They need clipping.
    pub(crate) clipped: u32,
}

impl Sides {
    /// `any`, `all`: sides that some vertex has, and that all have.
    #[inline(always)]
    pub(crate) fn new<V: Vector>(any: V::Ints, all: V::Ints) -> Sides {
        let zero = V::ints(0);
        let not_finite = V::and(any, V::ints(side::NOT_FINITE as i32));
        let flags = V::or(not_finite, V::and(all, V::ints(side::OUTSIDE as i32)));
        let clipped = V::less(zero, V::and(any, V::ints(side::CLIPPED as i32)));
        Sides { within: V::bits(V::equal(flags, zero)), clipped: V::bits(clipped) }
    }

    /// Those of some of them.
    #[inline(always)]
    pub(crate) fn of(self, there: u32) -> Sides {
        Sides { within: self.within & there, clipped: self.clipped & there }
    }
}

/// The ids and provoking vertices of a chunk's primitives, of which there are so many.
#[derive(Clone, Copy)]
pub(crate) struct Identities<'s> {
    pub(crate) ids: Ids<'s>,
    pub(crate) provoking: Provoking<'s>,
    pub(crate) count: u32,
}

impl Identities<'_> {
    /// A primitive with this number and these vertices.
    #[inline(always)]
    pub(crate) fn assembled(&self, number: u32, vertices: [u32; 3]) -> Assembled {
        let id = self.ids.id(number);
        Assembled { vertices, provoking: vertices[self.provoking.corner(id) as usize % 3], id }
    }

    /// Those of sixteen primitives from a number on, one by one; of those behind the last, anything.
    #[inline(always)]
    fn last_ids(&self, number: u32) -> [u32; LANES] {
        let mut ids = NUMBERS;
        for id in &mut ids {
            *id = self.ids.id((number + *id).min(self.count - 1));
        }
        ids
    }

    /// Adds sixteen primitives from a number on, whose vertices have these places, to a list; gives what
    /// their numbers there count from.
    #[inline(always)]
    pub(crate) fn push<V: Vector>(
        &self,
        to: &mut DeferredPrimitives,
        number: u32,
        [a, b, c]: [V::Ints; 3],
    ) -> u32 {
        let ids = match self.ids {
            Ids::Numbers { first, count } if number + LANES as u32 <= count => {
                V::add(V::ints((first + number) as i32), V::load(&NUMBERS))
            }
            Ids::Each(ids) => match ids[number as usize..].first_chunk() {
                Some(ids) => V::load(ids),
                None => V::load(&self.last_ids(number)),
            },
            Ids::Numbers { .. } => V::load(&self.last_ids(number)),
        };
        self.push_with::<V>(to, ids, [a, b, c])
    }

    /// The same of the primitives with these numbers.
    #[inline(always)]
    pub(crate) fn push_each<V: Vector>(
        &self,
        to: &mut DeferredPrimitives,
        numbers: &[u32; LANES],
        places: [V::Ints; 3],
    ) -> u32 {
        let mut ids = *numbers;
        for id in &mut ids {
            *id = self.ids.id(*id);
        }
        self.push_with::<V>(to, V::load(&ids), places)
    }

    #[inline(always)]
    fn push_with<V: Vector>(
        &self,
        to: &mut DeferredPrimitives,
        ids: V::Ints,
        [a, b, c]: [V::Ints; 3],
    ) -> u32 {
        let marks = match self.provoking {
            Provoking::Corner(corner) => V::ints(PROVOKING[corner as usize % 3] as i32),
            Provoking::OfStream(..) => {
                let mut marks = V::store(ids);
                for mark in &mut marks {
                    *mark = PROVOKING[self.provoking.corner(*mark) as usize % 3];
                }
                V::load(&marks)
            }
        };
        to.push::<V>([V::or(a, marks), b, c, ids])
    }
}

/// The lanes' numbers.
const NUMBERS: [u32; LANES] = {
    let mut table = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        table[lane] = lane as u32;
        lane += 1;
    }
    table
};
