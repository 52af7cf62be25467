//! Set-up of triangles whose vertices have been projected, sixteen at a time.
//!
//! Most triangles are small: they lie within a region of eight by eight pixels (`small_triangle_list`). Which
//! of sixteen are is found out for all of them at once, as are their edges, from which follows what pixels
//! each covers. What covers none ends here. All other triangles go through [`Setup::projected_triangle`], one
//! by one, in the same order.
//!
//! Planes and components of small triangles become setup data when a tile is drawn, again sixteen at a time
//! ([`PlaneMemory`]): so it stays in the nearest cache until the fragments have read it.
//!
//! The formulas are those of [`setup`](crate::graphics::setup::primitive_setup), so it does not matter which
//! way a triangle goes.

use crate::graphics::assembly::stream::Ids;
use crate::graphics::geometry::primitive_values::PrimitiveValues;
use crate::graphics::raster::shape::UNIT;
use crate::graphics::raster::small_triangle_coverage::{self, Points, REGION, SmallEdges, centers};
use crate::graphics::setup::binning::Entry;
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::primitive_setup::{Assembled, Setup};
use crate::graphics::setup::primitives::Provoking;
use crate::graphics::setup::projected_vertices::{VertexRecords, side};
use crate::graphics::setup::small_triangle_list::{PLACE, PROVOKING, SmallTriangles};
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest, slot};
use crate::graphics::state::{Conservative, Draw, Rect};
use pyro_abi::graphics::{Interpolation, SETUP_HEADER_BYTES, Varying};

/// Sub-pixel units that a small triangle's extents do not exceed, so that its edges fit 32 bits.
const EXTENT_MAX: i32 = 16 * UNIT;

/// AlignedWords of a header.
const HEADER_WORDS: usize = SETUP_HEADER_BYTES as usize / 4;

/// Primitives of a tile that have setup data at a time.
const SLOTS: usize = 128;
/// Groups of primitives of a tile that have it.
const GROUPS: usize = 4;

/// The set-up of triangles whose vertices have been projected.
pub(crate) struct Triangles<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    /// The vertices of the triangles, three and three.
    pub(crate) corners: &'s [u32],
    pub(crate) ids: Ids<'s>,
    pub(crate) provoking: Provoking<'s>,
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
        let id = self.ids.id(number);
        Assembled { vertices, provoking: vertices[self.provoking.corner(id) as usize % 3], id }
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

/// Where the corners of the records at these places are.
#[inline(always)]
fn points<V: Vector>(records: &VertexRecords, places: V::Ints) -> Points<V> {
    let [x, y, sides, _] = V::quads(records.table(), places);
    Points { x, y, sides }
}

/// The depths of sixteen corners.
struct Depths<V: Vector> {
    z: V::Doubles,
    inverse_w: V::Doubles,
}

impl<V: Vector> Depths<V> {
    /// The depths of the records at these places.
    #[inline(always)]
    fn new(records: &VertexRecords, places: V::Ints) -> Depths<V> {
        let [z, z_upper, w, w_upper] = V::quads(records.table(), V::add(places, V::ints(1)));
        Depths { z: V::join(z, z_upper), inverse_w: V::join(w, w_upper) }
    }
}

/// What the setup data of a chunk's small triangles is made from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) records: &'a VertexRecords,
    pub(crate) values: &'a PrimitiveValues,
    pub(crate) view_index: u32,
}

/// A thread's memory for setup data of what a tile draws: of each primitive by itself, or of sixteen
/// together, word by word, as functions of `GroupedQuads` read it.
#[derive(Default)]
pub(crate) struct PlaneMemory {
    words: AlignedWords,
    /// AlignedWords of a primitive.
    stride: usize,
    grouped: bool,
    /// Primitives, or groups, that have places.
    used: usize,
    /// Sixteen primitives' setup data, word by word.
    rows: Vec<Row>,
    /// The group that primitives come to one by one, and how many it has.
    open: Option<(usize, usize)>,
}

/// Where a primitive has its setup data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlaneSlot {
    /// The byte offset of its own, or of its group's.
    pub(crate) offset: u32,
    /// Its number in the group.
    pub(crate) number: u32,
}

impl PlaneMemory {
    /// Begins with setup data of so many words for each primitive; gives the address that offsets count from.
    pub(crate) fn start(&mut self, stride: usize, grouped: bool) -> u64 {
        (self.stride, self.grouped) = (stride, grouped);
        self.clear();
        if grouped {
            return self.words.reserve(GROUPS * LANES * stride);
        }
        self.rows.clear();
        self.rows.resize(stride.next_multiple_of(LANES), Row::default());
        self.words.reserve((SLOTS + LANES) * stride)
    }

    /// There is room for so many primitives more.
    pub(crate) fn has_room(&self, count: usize) -> bool {
        if self.grouped { self.used < GROUPS } else { self.used + count <= SLOTS }
    }

    /// Forgets all, for which nobody may wait any more.
    pub(crate) fn clear(&mut self) {
        (self.used, self.open) = (0, None);
    }

    /// Bytes from one primitive's setup data to the next.
    pub(crate) fn stride_bytes(&self) -> u32 {
        4 * self.stride as u32
    }

    /// Takes places for so many primitives, of which there is room, or a group; gives the first one's byte
    /// offset.
    fn take(&mut self, count: usize) -> u32 {
        let first = self.used as u32 * self.stride_bytes();
        if self.grouped {
            self.used += 1;
            return LANES as u32 * first;
        }
        self.used += count;
        first
    }

    /// Copies setup data from a byte offset; gives its place.
    pub(crate) fn copy(&mut self, setup: &AlignedWords, offset: u32) -> PlaneSlot {
        let from = offset as usize / 4;
        if !self.grouped {
            let to = self.take(1);
            for at in (0..self.stride).step_by(LANES) {
                self.words.set_row(to as usize / 4 + at, setup.row(from + at));
            }
            return PlaneSlot { offset: to, number: 0 };
        }
        let (group, number) = match self.open {
            Some((group, count)) if count < LANES => (group, count),
            _ => (self.take(1) as usize, 0),
        };
        self.open = Some((group, number + 1));
        let to = &mut self.words.rows_mut()[group / size_of::<Row>()..][..self.stride];
        let from = &setup.rows()[from / LANES..][..self.stride / LANES];
        for (to, from) in to.as_chunks_mut::<LANES>().0.iter_mut().zip(from) {
            for (to, &word) in to.iter_mut().zip(&from.0) {
                to.0[number % LANES] = word;
            }
        }
        PlaneSlot { offset: group as u32, number: number as u32 }
    }

    /// Makes setup data of up to sixteen small triangles; gives the byte offset of the first one's, or of
    /// their group.
    pub(crate) fn fill(&mut self, source: Source<'_>, triangles: &SmallTriangles, entries: &[Entry]) -> u32 {
        let first = self.take(entries.len());
        vectorize(SetupData { memory: self, place: first as usize / 4, source, triangles, entries });
        first
    }
}

/// The setup data of small triangles, which goes to a place counted in words; sixteen at a time, what is
/// behind the last one may be overwritten.
struct SetupData<'s> {
    memory: &'s mut PlaneMemory,
    place: usize,
    source: Source<'s>,
    triangles: &'s SmallTriangles,
    entries: &'s [Entry],
}

impl Vectorized for SetupData<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        if WIDE { self.make::<Widest>() } else { self.make::<Plain>() }
    }
}

impl SetupData<'_> {
    #[inline(always)]
    fn make<V: Vector>(self) {
        let SetupData { memory, place, source, triangles, entries } = self;
        let PlaneMemory { words, stride, rows, grouped, .. } = memory;
        let group = Group::<V>::new(triangles, entries);
        if *grouped {
            let rows = &mut words.rows_mut()[place / LANES..][..*stride];
            source.headers(&group, rows);
            source.component_rows(&group, rows);
            return;
        }
        source.headers(&group, rows);
        source.component_rows(&group, rows);
        let lines = *stride / LANES;
        for (part, rows) in rows.as_chunks::<LANES>().0.iter().enumerate() {
            V::transpose(rows, &mut words.rows_mut()[place / LANES + part..], lines);
        }
    }
}

/// Sixteen small triangles.
struct Group<V: Vector> {
    /// The places of their vertices in the records, corner by corner.
    places: [V::Ints; 3],
    provoking: V::Ints,
    ids: V::Ints,
}

impl<V: Vector> Group<V> {
    /// The triangles of entries; of those, the first in lanes behind the last.
    #[inline(always)]
    fn new(triangles: &SmallTriangles, entries: &[Entry]) -> Group<V> {
        let mut numbers = [entries[0].number; LANES];
        for (number, entry) in numbers.iter_mut().zip(entries) {
            *number = entry.number;
        }
        let [a, b, c, ids] = V::quads(&triangles.rows, V::load(&numbers));
        let (third, place) = (V::less(a, V::ints(0)), V::and(a, V::ints(PLACE)));
        let second = V::less(V::ints(PLACE), a);
        let provoking = V::select(third, c, V::select(second, b, place));
        Group { places: [place, b, c], provoking, ids }
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

/// Twice the areas of small triangles.
#[inline(always)]
fn areas<V: Vector>([p, q, r]: &[Points<V>; 3]) -> V::Ints {
    let (x1, y1) = (V::sub(q.x, p.x), V::sub(q.y, p.y));
    let (x2, y2) = (V::sub(r.x, p.x), V::sub(r.y, p.y));
    V::sub(V::mul(x1, y2), V::mul(x2, y1))
}

/// The pixels in which planes start, as `setup::reference` says.
#[inline(always)]
fn references<V: Vector>([p, q, r]: &[Points<V>; 3]) -> (V::Ints, V::Ints) {
    let (mut x, mut y) = (p.x, p.y);
    for other in [q, r] {
        let left = V::both(V::equal(other.y, y), V::less(other.x, x));
        let moves = V::either(V::less(other.y, y), left);
        (x, y) = (V::select(moves, other.x, x), V::select(moves, other.y, y));
    }
    (V::pixels(x), V::pixels(y))
}

impl Prepared {
    /// This draw's small triangles are dealt with here.
    pub(crate) fn takes_groups(&self) -> bool {
        let (raster, layout) = (&self.draw.raster, &self.draw.stages.outputs);
        raster.samples <= 1
            && raster.conservative == Conservative::Disabled
            && self.draw.shading_rate.is_none()
            && layout.cull_distance.1 == 0
            && layout.layer.is_none()
            && layout.viewport_index.is_none()
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
        let inside = prepared.transforms[0].inside;
        let vertices = V::threes(group);
        let place = V::ints(records.place(1) as i32);
        let places = corners!(|at| V::mul(vertices[at], place));
        let points = corners!(|at| points::<V>(records, places[at]));
        let [p, q, r] = &points;
        let any = V::or(V::or(p.sides, q.sides), r.sides);
        let all = V::and(V::and(p.sides, q.sides), r.sides);
        let (least_x, least_y) = (V::min(V::min(p.x, q.x), r.x), V::min(V::min(p.y, q.y), r.y));
        let (most_x, most_y) = (V::max(V::max(p.x, q.x), r.x), V::max(V::max(p.y, q.y), r.y));
        // `pixel_range`, and that within what may be drawn.
        let (half, one) = (V::ints(UNIT / 2), V::ints(1));
        let below_half = V::ints(UNIT / 2 - 1);
        let (first_x, first_y) =
            (V::pixels(V::add(least_x, below_half)), V::pixels(V::add(least_y, below_half)));
        let (last_x, last_y) = (V::pixels(V::sub(most_x, half)), V::pixels(V::sub(most_y, half)));
        let (end_x, end_y) = (V::add(last_x, one), V::add(last_y, one));
        let (x0, y0) = (V::max(first_x, V::ints(inside.x0)), V::max(first_y, V::ints(inside.y0)));
        let (x1, y1) = (V::min(end_x, V::ints(inside.x1)), V::min(end_y, V::ints(inside.y1)));
        let whole = V::both(
            V::both(V::equal(first_x, x0), V::equal(first_y, y0)),
            V::both(V::equal(end_x, x1), V::equal(end_y, y1)),
        );
        let (area, zero) = (areas(&points), V::ints(0));
        let (positive, negative) = (V::less(zero, area), V::less(area, zero));
        let (front_drawn, back_drawn) = (!raster.cull.front, !raster.cull.back);
        let (drawn_positive, drawn_negative) =
            if raster.front_clockwise { (front_drawn, back_drawn) } else { (back_drawn, front_drawn) };
        let mask = |drawn: bool| if drawn { u32::MAX } else { 0 };
        let facing = V::bits(positive) & mask(drawn_positive) | V::bits(negative) & mask(drawn_negative);
        let visible = facing & V::bits(V::both(V::less(x0, x1), V::less(y0, y1)));
        // What may come to be drawn at all, of those that the next one does not take.
        let flags =
            V::or(V::and(any, V::ints(side::NOT_FINITE as i32)), V::and(all, V::ints(side::OUTSIDE as i32)));
        let within = V::equal(flags, zero);
        let clipped = V::less(zero, V::and(any, V::ints(side::CLIPPED as i32)));
        // Far ones wrap around, but those are clipped.
        let extent = V::max(V::sub(most_x, least_x), V::sub(most_y, least_y));
        let extended = V::less(V::ints(EXTENT_MAX), extent);
        let even = V::ints(!1);
        let (corner_x, corner_y) = (V::and(x0, even), V::and(y0, even));
        let size = V::max(V::sub(x1, corner_x), V::sub(y1, corner_y));
        let in_region = !V::bits(V::less(V::ints(REGION), size));
        let there = u32::MAX >> (32 - count);
        let within = V::bits(within) & there;
        let clipped = V::bits(clipped) & there;
        let single = clipped | within & (V::bits(extended) | visible & !in_region);
        let drawn = within & visible & !single;
        let statistics = &mut self.setup.output.statistics;
        statistics.clipping_invocations += u64::from((there & !single).count_ones());
        statistics.clipping_primitives += u64::from((within & !single).count_ones());
        if single | drawn == 0 {
            return;
        }
        let first = if drawn == 0 { 0 } else { self.push::<V>(number, places) };
        let edges = SmallEdges::new::<V>(&points, negative, corner_x, corner_y);
        let (corners_x, corners_y) = (V::store(corner_x), V::store(corner_y));
        let (x0, y0, x1, y1) = (V::store(x0), V::store(y0), V::store(x1), V::store(y1));
        let cut = !V::bits(whole);
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
            let mut pixels = edges.covered::<V>(lane);
            let (x, y) = (corners_x[lane] as i32, corners_y[lane] as i32);
            if cut >> lane & 1 != 0 {
                let [x0, y0, x1, y1] = [x0[lane], y0[lane], x1[lane], y1[lane]].map(|at| at as i32);
                pixels &= small_triangle_coverage::within(Rect { x0, y0, x1, y1 }, x, y);
            }
            self.setup.output.push_small(first + slot(lane as u32), x, y, pixels);
        }
    }

    /// The ids of sixteen triangles, one by one; of those behind the last, anything.
    #[inline(always)]
    fn last_ids(&self, number: u32) -> [u32; LANES] {
        let end = (self.corners.len() / 3) as u32;
        let mut ids = NUMBERS;
        for id in &mut ids {
            *id = self.ids.id((number + *id).min(end - 1));
        }
        ids
    }

    /// Adds sixteen small triangles to the output; gives what their numbers count from.
    #[inline(always)]
    fn push<V: Vector>(&mut self, number: u32, [a, b, c]: [V::Ints; 3]) -> u32 {
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
        self.setup.output.triangles.push::<V>([V::or(a, marks), b, c, ids])
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

impl Source<'_> {
    /// The words of the headers.
    #[inline(always)]
    fn headers<V: Vector>(&self, group: &Group<V>, rows: &mut [Row]) {
        let places = &group.places;
        let points = corners!(|at| points::<V>(self.records, places[at]));
        let depths = corners!(|at| Depths::<V>::new(self.records, places[at]));
        let (draw, transform) = (&self.prepared.draw, &self.prepared.transforms[0]);
        let area = areas(&points);
        let (ref_x, ref_y) = references(&points);
        let (zero, one) = (V::ints(0), V::ints(1));
        let positive = V::less(zero, area);
        let front = if draw.raster.front_clockwise {
            V::select(positive, one, zero)
        } else {
            V::select(positive, zero, one)
        };
        let planes = Planes::<V>::new(&points, area, ref_x, ref_y);
        let [first, second, third] = &depths;
        let mut depth = planes.exact([first.z, second.z, third.z]);
        let mut bias = V::doubles(0.0);
        if draw.raster.depth_bias.is_some() {
            let [value, dx, dy] = depth.map(V::store_doubles);
            let [a, b, c] = [first.z, second.z, third.z].map(V::store_doubles);
            let mut biases = [0.0; LANES];
            for (lane, bias) in biases.iter_mut().enumerate() {
                let depth = [value[lane], dx[lane], dy[lane]];
                *bias = self.prepared.bias(depth, [a[lane], b[lane], c[lane]]).0;
            }
            bias = V::doubles_of(&biases);
        }
        let range = transform.depth_range;
        let least = clamped::<V>(draw, range, bias, V::least(V::least(first.z, second.z), third.z));
        let greatest = clamped::<V>(draw, range, bias, V::most(V::most(first.z, second.z), third.z));
        let Some(target) = self.prepared.target(0, 0, self.view_index) else { return };

        // In the order of `PrimitiveSetup`.
        let [a, b, c, d, e, f, g, h, plane_rows @ ..] = rows else { return };
        let Some((plane_rows, [least_row, greatest_row, clamp_0, clamp_1, is_point, ..])) =
            plane_rows.split_first_chunk_mut::<PLANE_WORDS>()
        else {
            return;
        };
        a.0 = V::store(ref_x);
        b.0 = V::store(ref_y);
        c.0 = [target.layer; LANES];
        d.0 = [target.layer_built_in; LANES];
        e.0 = [target.viewport_index; LANES];
        f.0 = V::store(group.ids);
        if self.prepared.draw.stages.mesh.is_some() {
            f.0.iter_mut().for_each(|id| *id = self.prepared.primitive_id(*id, self.values));
        }
        g.0 = V::store(front);
        h.0 = [self.view_index; LANES];
        depth[0] = V::plus(depth[0], bias);
        let w = planes.exact([first.inverse_w, second.inverse_w, third.inverse_w]);
        set_plane::<V>(&mut plane_rows[..3], depth);
        set_plane::<V>(&mut plane_rows[3..6], w);
        set_plane::<V>(&mut plane_rows[6..9], planes.weight_of_second(second.inverse_w));
        set_plane::<V>(&mut plane_rows[9..12], planes.weight_of_third(third.inverse_w));
        set_plane::<V>(&mut plane_rows[12..15], planes.weight_of_second(V::doubles(1.0)));
        set_plane::<V>(&mut plane_rows[15..18], planes.weight_of_third(V::doubles(1.0)));
        least_row.0 = V::store(V::float_bits(least));
        greatest_row.0 = V::store(V::float_bits(greatest));
        clamp_0.0 = [range[0].to_bits(); LANES];
        clamp_1.0 = [range[1].to_bits(); LANES];
        is_point.0 = [0; LANES];
    }

    /// The words of the components behind those of the header, as [`Setup::components`] has them.
    #[inline(always)]
    fn component_rows<V: Vector>(&self, group: &Group<V>, rows: &mut [Row]) {
        let Some(fragment) = &self.prepared.draw.fragment else { return };
        let (table, places) = (self.records.table(), &group.places);
        // Which four words of records these are, of all corners, and of the provoking ones.
        let (mut of_all, mut of_provoking) = (u32::MAX, u32::MAX);
        let (mut all, mut first) = ([[V::ints(0); 4]; 3], [V::ints(0); 4]);
        let mut rows = rows[HEADER_WORDS..].iter_mut();
        let rows = &mut rows;
        for varying in fragment.setup.varyings() {
            let interpolation = varying.interpolation;
            let Some(column) = varying.column.filter(|_| interpolation != Interpolation::SmoothLine) else {
                (0..interpolation.words()).for_each(|_| push::<V>(rows, V::ints(0)));
                continue;
            };
            let (at, word) = (VertexRecords::word(column) / 4, VertexRecords::word(column) as usize % 4);
            if interpolation == Interpolation::PerPrimitive {
                if let Some(words) = rows.next() {
                    words.0 = V::store(group.ids).map(|number| self.values.get(number, column));
                }
                continue;
            }
            if interpolation == Interpolation::Flat {
                if of_provoking != at {
                    (of_provoking, first) = (at, words_of::<V>(table, group.provoking, at));
                }
                push::<V>(rows, first[word]);
                continue;
            }
            if of_all != at {
                (of_all, all) = (at, corners!(|corner| words_of::<V>(table, places[corner], at)));
            }
            let [base, second, third] = [all[0][word], all[1][word], all[2][word]];
            push::<V>(rows, base);
            if interpolation == Interpolation::PerVertex {
                push::<V>(rows, second);
                push::<V>(rows, third);
                continue;
            }
            let base = V::floats_of(base);
            push::<V>(rows, V::float_bits(V::sub_floats(V::floats_of(second), base)));
            push::<V>(rows, V::float_bits(V::sub_floats(V::floats_of(third), base)));
        }
    }
}

/// Four words of the records at these places, so many times four behind their begin.
#[inline(always)]
fn words_of<V: Vector>(table: &[Row], places: V::Ints, four: u32) -> [V::Ints; 4] {
    V::quads(table, V::add(places, V::ints(four as i32)))
}

/// Writes the next row, if there is one.
#[inline(always)]
fn push<V: Vector>(rows: &mut std::slice::IterMut<'_, Row>, words: V::Ints) {
    if let Some(row) = rows.next() {
        row.0 = V::store(words);
    }
}

/// Writes the rows of a plane.
#[inline(always)]
fn set_plane<V: Vector>(rows: &mut [Row], [value, dx, dy]: [V::Doubles; 3]) {
    rows[0].0 = V::store(V::float_bits(V::to_floats(value)));
    rows[1].0 = V::store(V::float_bits(V::to_floats(dx)));
    rows[2].0 = V::store(V::float_bits(V::to_floats(dy)));
}

/// Pixels as floats from sub-pixel units, the same as a division.
#[inline(always)]
fn exact_pixels<V: Vector>(units: V::Ints) -> V::Doubles {
    V::times(V::to_doubles(units), V::doubles(1.0 / UNIT as f64))
}

/// In a range, from their own side.
#[inline(always)]
fn within_range<V: Vector>(values: V::Floats, least: f32, most: f32) -> V::Floats {
    V::min_floats(V::floats(most), V::max_floats(V::floats(least), values))
}

/// AlignedWords of a header's planes.
const PLANE_WORDS: usize = 18;

/// Depths with their bias, in the range that `Setup::header` clamps them to.
#[inline(always)]
fn clamped<V: Vector>(
    draw: &Draw,
    [least, most]: [f32; 2],
    bias: V::Doubles,
    depths: V::Doubles,
) -> V::Floats {
    let mut values = V::to_floats(V::plus(depths, bias));
    if draw.raster.depth_clamp {
        values = within_range::<V>(values, least, most);
    }
    if !draw.raster.depth_unrestricted {
        values = within_range::<V>(values, 0.0, 1.0);
    }
    values
}

/// Planes over sixteen triangles, as `setup::Planes` has them.
struct Planes<V: Vector> {
    e1: [V::Doubles; 2],
    e2: [V::Doubles; 2],
    to_ref: [V::Doubles; 2],
}

impl<V: Vector> Planes<V> {
    #[inline(always)]
    fn new([p, q, r]: &[Points<V>; 3], area: V::Ints, ref_x: V::Ints, ref_y: V::Ints) -> Planes<V> {
        let unit = f64::from(UNIT);
        let scale = V::over(V::doubles(unit * unit), V::to_doubles(area));
        let (e1x, e1y) = (V::sub(q.x, p.x), V::sub(q.y, p.y));
        let (e2x, e2y) = (V::sub(r.x, p.x), V::sub(r.y, p.y));
        let (to_x, to_y) = (V::sub(centers::<V>(ref_x), p.x), V::sub(centers::<V>(ref_y), p.y));
        Planes {
            e1: [V::times(exact_pixels::<V>(e1x), scale), V::times(exact_pixels::<V>(e1y), scale)],
            e2: [V::times(exact_pixels::<V>(e2x), scale), V::times(exact_pixels::<V>(e2y), scale)],
            to_ref: [exact_pixels::<V>(to_x), exact_pixels::<V>(to_y)],
        }
    }

    /// Values at the reference points, and changes.
    #[inline(always)]
    fn exact(&self, [q0, q1, q2]: [V::Doubles; 3]) -> [V::Doubles; 3] {
        let ([e1x, e1y], [e2x, e2y], [to_x, to_y]) = (self.e1, self.e2, self.to_ref);
        let (d1, d2) = (V::minus(q1, q0), V::minus(q2, q0));
        let dx = V::minus(V::times(d1, e2y), V::times(d2, e1y));
        let dy = V::minus(V::times(d2, e1x), V::times(d1, e2x));
        [V::plus(V::plus(q0, V::times(dx, to_x)), V::times(dy, to_y)), dx, dy]
    }

    /// The same for quantities that are 0 at the first and the third corner.
    #[inline(always)]
    fn weight_of_second(&self, q1: V::Doubles) -> [V::Doubles; 3] {
        let ([e2x, e2y], [to_x, to_y]) = (self.e2, self.to_ref);
        let (dx, dy) = (V::times(q1, e2y), V::minus(V::doubles(0.0), V::times(q1, e2x)));
        [V::plus(V::times(dx, to_x), V::times(dy, to_y)), dx, dy]
    }

    /// The same for quantities that are 0 at the first and the second corner.
    #[inline(always)]
    fn weight_of_third(&self, q2: V::Doubles) -> [V::Doubles; 3] {
        let ([e1x, e1y], [to_x, to_y]) = (self.e1, self.to_ref);
        let (dx, dy) = (V::minus(V::doubles(0.0), V::times(q2, e1y)), V::times(q2, e1x));
        [V::plus(V::times(dx, to_x), V::times(dy, to_y)), dx, dy]
    }
}
