//! Setup data of primitives whose shapes went to a chunk's output alone (`deferred_primitives`): it is made
//! when a tile is drawn, sixteen at a time, so it stays in the nearest cache until the fragments have read
//! it.
//!
//! The formulas are those of [`setup`](crate::graphics::setup::primitive_setup) and of
//! [`lines`](crate::graphics::setup::lines), so it does not matter which way a primitive goes.

use crate::graphics::geometry::primitive_values::PrimitiveValues;
use crate::graphics::raster::shape::UNIT;
use crate::graphics::raster::small_triangle_coverage::{Points, centers};
use crate::graphics::setup::deferred_primitives::{DeferredKind, DeferredPrimitives, PLACE};
use crate::graphics::setup::prepare::Prepared;
use crate::graphics::setup::projected_vertices::VertexRecords;
use crate::graphics::setup::vertex_lanes::{Depths, areas, corners, points, signs};
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest};
use crate::graphics::state::Draw;
use pyro_abi::graphics::{Interpolation, SETUP_HEADER_BYTES};

/// AlignedWords of a header.
const HEADER_WORDS: usize = SETUP_HEADER_BYTES as usize / 4;

/// Primitives of a tile that have setup data at a time.
const SLOTS: usize = 128;
/// Groups of primitives of a tile that have it.
const GROUPS: usize = 4;

/// What the setup data of a chunk's deferred primitives is made from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) records: &'a VertexRecords,
    pub(crate) values: &'a PrimitiveValues,
    pub(crate) view_index: u32,
}

/// A thread's memory for setup data of what a tile draws: of each primitive by itself, or of sixteen
/// together, word by word, as functions of `GroupedQuads` read it. Behind the groups there is room for what
/// functions of blocks read, which is each primitive's by itself again.
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
    /// Where functions of blocks find it.
    pub(crate) by_itself: ByItself,
}

/// Where a primitive of a group has setup data by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ByItself {
    /// Where the chunk has it.
    #[default]
    InChunk,
    /// At a byte offset of the same memory.
    At(u32),
    /// Nowhere: what its tile has of it is no eight blocks.
    Nowhere,
}

impl PlaneMemory {
    /// Begins with setup data of so many words for each primitive; gives the address that offsets count from.
    pub(crate) fn start(&mut self, stride: usize, grouped: bool) -> u64 {
        (self.stride, self.grouped) = (stride, grouped);
        self.clear();
        if grouped {
            return self.words.reserve(2 * GROUPS * LANES * stride);
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
            return PlaneSlot { offset: to, ..PlaneSlot::default() };
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
        PlaneSlot { offset: group as u32, number: number as u32, ..PlaneSlot::default() }
    }

    /// Makes setup data of up to sixteen primitives, by their numbers; gives the byte offset of the first
    /// one's, or of their group. `by_itself`: of those in a group, functions of blocks may draw one.
    pub(crate) fn fill(
        &mut self,
        source: Source<'_>,
        from: &DeferredPrimitives,
        numbers: &[u32],
        by_itself: bool,
    ) -> u32 {
        let first = self.take(numbers.len());
        let place = first as usize / 4;
        vectorize(SetupData { memory: self, place, source, from, numbers, by_itself });
        first
    }

    /// Where one of the primitives has its setup data that have been made together, the first of them there.
    #[inline(always)]
    pub(crate) fn slot(&self, first: u32, number: u32, by_itself: bool) -> PlaneSlot {
        if !self.grouped {
            return PlaneSlot { offset: first + number * self.stride_bytes(), ..PlaneSlot::default() };
        }
        let groups = (GROUPS * LANES) as u32 * self.stride_bytes();
        let at = groups + first + number * self.stride_bytes();
        let by_itself = if by_itself { ByItself::At(at) } else { ByItself::Nowhere };
        PlaneSlot { offset: first, number, by_itself }
    }
}

/// The setup data of primitives, which goes to a place counted in words; sixteen at a time, what is behind
/// the last one may be overwritten.
struct SetupData<'s> {
    memory: &'s mut PlaneMemory,
    place: usize,
    source: Source<'s>,
    from: &'s DeferredPrimitives,
    numbers: &'s [u32],
    by_itself: bool,
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
        let SetupData { memory, place, source, from, numbers, by_itself } = self;
        let PlaneMemory { words, stride, rows, grouped, .. } = memory;
        let group = Group::<V>::new(from, numbers);
        let lines = *stride / LANES;
        if *grouped {
            let (groups, apart) = words.rows_mut().split_at_mut(GROUPS * *stride);
            let rows = &mut groups[place / LANES..][..*stride];
            source.headers(&group, rows);
            source.component_rows(&group, rows);
            if by_itself {
                transpose::<V>(rows, &mut apart[place / LANES..], lines);
            }
            return;
        }
        source.headers(&group, rows);
        source.component_rows(&group, rows);
        transpose::<V>(rows, &mut words.rows_mut()[place / LANES..], lines);
    }
}

/// Sixteen primitives' words to those of each by itself, of so many lines.
#[inline(always)]
fn transpose<V: Vector>(rows: &[Row], to: &mut [Row], lines: usize) {
    for (part, rows) in rows.as_chunks::<LANES>().0.iter().enumerate() {
        V::transpose(rows, &mut to[part..], lines);
    }
}

/// Sixteen primitives.
struct Group<V: Vector> {
    /// The places of their vertices in the records, corner by corner.
    places: [V::Ints; 3],
    provoking: V::Ints,
    ids: V::Ints,
    kind: DeferredKind,
    /// The vertex with which an edge of a triangle begins is the second, or the third.
    begins: [V::Mask; 2],
}

impl<V: Vector> Group<V> {
    /// The primitives with these numbers; of those, the first in lanes behind the last.
    #[inline(always)]
    fn new(from: &DeferredPrimitives, of: &[u32]) -> Group<V> {
        let mut numbers = [of[0]; LANES];
        for (number, of) in numbers.iter_mut().zip(of) {
            *number = *of;
        }
        let [a, b, c, ids] = V::quads(&from.rows, V::load(&numbers));
        let (third, place) = (V::less(a, V::ints(0)), V::and(a, V::ints(PLACE)));
        let second = V::less(V::ints(PLACE), a);
        let begins = [V::less(V::ints(PLACE), b), V::less(b, V::ints(0))];
        let b = V::and(b, V::ints(PLACE));
        let provoking = V::select(third, c, V::select(second, b, place));
        Group { places: [place, b, c], provoking, ids, kind: from.kind, begins }
    }
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

impl Source<'_> {
    /// The words of the headers.
    #[inline(always)]
    fn headers<V: Vector>(&self, group: &Group<V>, rows: &mut [Row]) {
        let header = match group.kind {
            DeferredKind::Triangles => self.of_triangles(group),
            DeferredKind::Lines => self.of_lines(group),
            DeferredKind::Points => self.of_points(group),
            DeferredKind::Edges => self.of_edges(group),
        };
        let range = self.prepared.transforms[0].depth_range;
        let Some(target) = self.prepared.target(0, 0, self.view_index) else { return };

        // In the order of `PrimitiveSetup`.
        let [a, b, c, d, e, f, g, h, plane_rows @ ..] = rows else { return };
        let Some((plane_rows, [least_row, greatest_row, clamp_0, clamp_1, is_point, ..])) =
            plane_rows.split_first_chunk_mut::<PLANE_WORDS>()
        else {
            return;
        };
        a.0 = V::store(header.reference.0);
        b.0 = V::store(header.reference.1);
        c.0 = [target.layer; LANES];
        d.0 = [target.layer_built_in; LANES];
        e.0 = [target.viewport_index; LANES];
        f.0 = V::store(group.ids);
        if self.prepared.draw.stages.mesh.is_some() {
            f.0.iter_mut().for_each(|id| *id = self.prepared.primitive_id(*id, self.values));
        }
        g.0 = V::store(header.front);
        h.0 = [self.view_index; LANES];
        for (rows, plane) in plane_rows.as_chunks_mut::<3>().0.iter_mut().zip(header.planes) {
            set_plane::<V>(rows, plane);
        }
        least_row.0 = V::store(V::float_bits(header.depths.0));
        greatest_row.0 = V::store(V::float_bits(header.depths.1));
        clamp_0.0 = [range[0].to_bits(); LANES];
        clamp_1.0 = [range[1].to_bits(); LANES];
        is_point.0 = [u32::from(group.kind == DeferredKind::Points); LANES];
    }

    /// What headers of triangles have for themselves.
    #[inline(always)]
    fn of_triangles<V: Vector>(&self, group: &Group<V>) -> Header<V> {
        let places = &group.places;
        let points = corners!(|at| points::<V>(self.records, places[at]));
        let depths = corners!(|at| Depths::<V>::new(self.records, places[at]));
        let area = areas(&points);
        let reference = references(&points);
        let front = self.front::<V>(area);
        let planes = Planes::<V>::new(&points, area, reference.0, reference.1);
        let [first, second, third] = &depths;
        let mut depth = planes.exact([first.z, second.z, third.z]);
        let bias = self.bias::<V>(depth, [first.z, second.z, third.z]);
        let least = V::least(V::least(first.z, second.z), third.z);
        let most = V::most(V::most(first.z, second.z), third.z);
        depth[0] = V::plus(depth[0], bias);
        Header {
            reference,
            front,
            planes: [
                depth,
                planes.exact([first.inverse_w, second.inverse_w, third.inverse_w]),
                planes.weight_of_second(second.inverse_w),
                planes.weight_of_third(third.inverse_w),
                planes.weight_of_second(V::doubles(1.0)),
                planes.weight_of_third(V::doubles(1.0)),
            ],
            depths: self.clamped_depths::<V>(least, most, bias),
        }
    }

    /// Whether triangles of these areas face forward, 1 or 0.
    #[inline(always)]
    fn front<V: Vector>(&self, area: V::Doubles) -> V::Ints {
        let (positive, negative) = signs::<V>(area);
        let forward = if self.prepared.draw.raster.front_clockwise { positive } else { negative };
        V::select(forward, V::ints(1), V::ints(0))
    }

    /// The depth bias of triangles whose depths are these planes and have these values at their corners.
    #[inline(always)]
    fn bias<V: Vector>(&self, depth: [V::Doubles; 3], [a, b, c]: [V::Doubles; 3]) -> V::Doubles {
        if self.prepared.draw.raster.depth_bias.is_none() {
            return V::doubles(0.0);
        }
        let [value, dx, dy] = depth;
        let (value, dx, dy) = (V::store_doubles(value), V::store_doubles(dx), V::store_doubles(dy));
        let (a, b, c) = (V::store_doubles(a), V::store_doubles(b), V::store_doubles(c));
        let mut biases = [0.0; LANES];
        for (lane, bias) in biases.iter_mut().enumerate() {
            let depth = [value[lane], dx[lane], dy[lane]];
            *bias = self.prepared.bias(depth, [a[lane], b[lane], c[lane]]).0;
        }
        V::doubles_of(&biases)
    }

    /// What headers of triangles' edges have for themselves: planes change along the edge only, the weights
    /// of vertices are the triangle's, and so is the depth bias.
    #[inline(always)]
    fn of_edges<V: Vector>(&self, group: &Group<V>) -> Header<V> {
        let (places, [second, third]) = (&group.places, group.begins);
        let points = corners!(|at| points::<V>(self.records, places[at]));
        let depths = corners!(|at| Depths::<V>::new(self.records, places[at]));
        let [a, b, c] = &depths;
        // An edge from the third vertex leads to the first.
        let begin = |x: V::Doubles, y, z| V::select_doubles(third, z, V::select_doubles(second, y, x));
        let area = areas(&points);
        let planes = Planes::<V>::new(&points, area, V::ints(0), V::ints(0));
        let bias = self.bias::<V>(planes.exact([a.z, b.z, c.z]), [a.z, b.z, c.z]);
        let (positive, negative) = signs::<V>(area);
        let bias = V::select_doubles(V::either(positive, negative), bias, V::doubles(0.0));
        let [p, q, r] = &points;
        let from = p.or(second, q).or(third, r);
        let to = q.or(second, r).or(third, p);
        let (z_from, z_to) = (begin(a.z, b.z, c.z), begin(b.z, c.z, a.z));
        let line = Along::<V>::new(&from, &to);
        let (zero, one) = (V::doubles(0.0), V::doubles(1.0));
        let (wa, wb, wc) = (a.inverse_w, b.inverse_w, c.inverse_w);
        Header {
            reference: line.reference,
            front: self.front::<V>(area),
            planes: [
                line.plane([V::plus(z_from, bias), V::plus(z_to, bias)]),
                line.plane([begin(wa, wb, wc), begin(wb, wc, wa)]),
                line.plane([begin(zero, wb, zero), begin(wb, zero, zero)]),
                line.plane([begin(zero, zero, wc), begin(zero, wc, zero)]),
                line.plane([begin(zero, one, zero), begin(one, zero, zero)]),
                line.plane([begin(zero, zero, one), begin(zero, one, zero)]),
            ],
            depths: self.clamped_depths::<V>(V::least(z_from, z_to), V::most(z_from, z_to), bias),
        }
    }

    /// What headers of lines have for themselves: planes change along the line only.
    #[inline(always)]
    fn of_lines<V: Vector>(&self, group: &Group<V>) -> Header<V> {
        let [from, to, _] = group.places;
        let (p, q) = (points::<V>(self.records, from), points::<V>(self.records, to));
        let (first, last) = (Depths::<V>::new(self.records, from), Depths::<V>::new(self.records, to));
        let line = Along::<V>::new(&p, &q);
        let (zero, bias) = (V::doubles(0.0), V::doubles(0.0));
        Header {
            reference: line.reference,
            front: V::ints(1),
            planes: [
                line.plane([first.z, last.z]),
                line.plane([first.inverse_w, last.inverse_w]),
                line.plane([zero, last.inverse_w]),
                [zero; 3],
                line.plane([zero, V::doubles(1.0)]),
                [zero; 3],
            ],
            depths: self.clamped_depths::<V>(V::least(first.z, last.z), V::most(first.z, last.z), bias),
        }
    }

    /// What headers of points have for themselves: the linear coordinates are those within the point.
    #[inline(always)]
    fn of_points<V: Vector>(&self, group: &Group<V>) -> Header<V> {
        let place = group.places[0];
        let center = points::<V>(self.records, place);
        let Depths { z, inverse_w } = Depths::<V>::new(self.records, place);
        let reference = (V::pixels(center.x), V::pixels(center.y));
        let sizes = self.prepared.point_sizes::<V>(self.records, place).map(f64::from);
        let (zero, half) = (V::doubles(0.0), V::doubles(0.5));
        let step = V::over(V::doubles(1.0), V::doubles_of(&sizes));
        let to_x = exact_pixels::<V>(V::sub(centers::<V>(reference.0), center.x));
        let to_y = exact_pixels::<V>(V::sub(centers::<V>(reference.1), center.y));
        Header {
            reference,
            front: V::ints(1),
            planes: [
                [z, zero, zero],
                [inverse_w, zero, zero],
                [zero; 3],
                [zero; 3],
                [V::plus(half, V::times(to_x, step)), step, zero],
                [V::plus(half, V::times(to_y, step)), zero, step],
            ],
            depths: self.clamped_depths::<V>(z, z, zero),
        }
    }

    /// The least and the greatest depths with their bias, in the range that `Setup::header` clamps them to.
    #[inline(always)]
    fn clamped_depths<V: Vector>(
        &self,
        least: V::Doubles,
        most: V::Doubles,
        bias: V::Doubles,
    ) -> (V::Floats, V::Floats) {
        let (draw, range) = (&self.prepared.draw, self.prepared.transforms[0].depth_range);
        (clamped::<V>(draw, range, bias, least), clamped::<V>(draw, range, bias, most))
    }

    /// The words of the components behind those of the header, as `Setup::components` has them.
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
            let of_second = V::float_bits(V::sub_floats(V::floats_of(second), base));
            let of_third = V::float_bits(V::sub_floats(V::floats_of(third), base));
            // A missing vertex has no part.
            let [has_second, has_third] = group.kind.other_vertices();
            push::<V>(rows, if has_second { of_second } else { V::ints(0) });
            push::<V>(rows, if has_third { of_third } else { V::ints(0) });
        }
    }
}

/// What headers of sixteen primitives have for themselves.
struct Header<V: Vector> {
    /// The pixels in which planes start.
    reference: (V::Ints, V::Ints),
    /// Whether they face forward, 1 or 0.
    front: V::Ints,
    /// Of depth, 1 / w, perspective and linear coordinates.
    planes: [[V::Doubles; 3]; PLANE_WORDS / 3],
    /// The least and the greatest.
    depths: (V::Floats, V::Floats),
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

/// Sixteen lines that planes change along, as `lines::along` has them. (Closures that are called more than
/// once are not always compiled into their caller, and so not for its processor.)
struct Along<V: Vector> {
    dx: V::Doubles,
    dy: V::Doubles,
    square: V::Doubles,
    /// From the first end to the reference point.
    to_x: V::Doubles,
    to_y: V::Doubles,
    /// The pixels in which planes start.
    reference: (V::Ints, V::Ints),
}

impl<V: Vector> Along<V> {
    /// The lines between these places.
    #[inline(always)]
    fn new(p: &Points<V>, q: &Points<V>) -> Along<V> {
        let reference = (V::pixels(p.x), V::pixels(p.y));
        let (from_x, from_y) = (exact_pixels::<V>(p.x), exact_pixels::<V>(p.y));
        let dx = V::minus(exact_pixels::<V>(q.x), from_x);
        let dy = V::minus(exact_pixels::<V>(q.y), from_y);
        // The least of others is larger; of lines between equal points nothing changes, as they have no
        // extent.
        let square = V::plus(V::times(dx, dx), V::times(dy, dy));
        let square = V::most(square, V::doubles(1e-6));
        let half = V::doubles(0.5);
        let to_x = V::minus(V::plus(V::to_doubles(reference.0), half), from_x);
        let to_y = V::minus(V::plus(V::to_doubles(reference.1), half), from_y);
        Along { dx, dy, square, to_x, to_y, reference }
    }

    /// The plane of a quantity with these values at both ends.
    #[inline(always)]
    fn plane(&self, ends: [V::Doubles; 2]) -> [V::Doubles; 3] {
        let change = V::over(V::minus(ends[1], ends[0]), self.square);
        let (gx, gy) = (V::times(change, self.dx), V::times(change, self.dy));
        [V::plus(V::plus(ends[0], V::times(gx, self.to_x)), V::times(gy, self.to_y)), gx, gy]
    }
}

/// Planes over sixteen triangles, as `setup::Planes` has them.
struct Planes<V: Vector> {
    e1: [V::Doubles; 2],
    e2: [V::Doubles; 2],
    to_ref: [V::Doubles; 2],
}

impl<V: Vector> Planes<V> {
    #[inline(always)]
    fn new([p, q, r]: &[Points<V>; 3], area: V::Doubles, ref_x: V::Ints, ref_y: V::Ints) -> Planes<V> {
        let unit = f64::from(UNIT);
        let scale = V::over(V::doubles(unit * unit), area);
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
