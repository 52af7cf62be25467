//! Set-up of triangles whose vertices have been projected, sixteen at a time.
//!
//! Most triangles are small: they lie within a region of eight by eight pixels ([`small`]). Which of sixteen are
//! is found out for all of them at once, as are their edges, from which follows what pixels each covers. What
//! covers none ends here. All other triangles go through [`Setup::projected_triangle`], one by one, in the same order.
//!
//! Planes and components of small triangles become setup data when a tile is drawn, again sixteen at a time
//! ([`PlaneMemory`]): so it stays in the nearest cache until the fragments have read it.
//!
//! The formulas are those of [`setup`](super::setup), so it does not matter which way a triangle goes.

use super::corners::{Records, side};
use super::draw::{Conservative, Draw, Rect};
use super::lanes::{LANES, Row, nonzero, quads, transpose};
use super::output::Entry;
use super::prepare::Prepared;
use super::raster::UNIT;
use super::setup::{Assembled, Setup};
use super::small::{self, REGION, SmallEdges};
use super::wide::{Vectorized, vectorize};
use super::words::Words;
use pyro_abi::graphics::{Interpolation, SETUP_HEADER_BYTES};

/// Sub-pixel units that a small triangle's extents do not exceed, so that its edges fit 32 bits.
const MAX_EXTENT: i32 = 16 * UNIT;

/// Words of a header.
const HEADER_WORDS: usize = SETUP_HEADER_BYTES as usize / 4;

/// Primitives of a tile that have setup data at a time.
const SLOTS: usize = 128;

/// The set-up of triangles whose vertices have been projected.
pub(crate) struct Triangles<'s, 'a> {
    pub(crate) setup: &'s mut Setup<'a>,
    pub(crate) assembled: &'s [Assembled],
}

impl Vectorized for Triangles<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let Triangles { setup, assembled } = self;
        if setup.prepared.takes_groups() {
            for group in assembled.chunks(LANES) {
                setup.group::<WIDE>(group);
            }
        } else {
            for &assembled in assembled {
                setup.projected_triangle(assembled);
            }
        }
    }
}

/// Where sixteen corners are in the window.
#[derive(Clone, Copy)]
pub(crate) struct Points {
    pub(crate) x: [i32; LANES],
    pub(crate) y: [i32; LANES],
    /// See [`side`].
    sides: [u32; LANES],
}

impl Points {
    /// The points of the records at these places.
    #[inline(always)]
    fn new<const WIDE: bool>(records: &Records, places: &[u32; LANES]) -> Points {
        let [x, y, sides, _] = quads::<WIDE>(records.table(), places);
        Points { x: each(|lane| x[lane] as i32), y: each(|lane| y[lane] as i32), sides }
    }
}

/// The depths of sixteen corners.
struct Depths {
    z: [f64; LANES],
    inverse_w: [f64; LANES],
}

impl Depths {
    /// The depths of the records at these places.
    #[inline(always)]
    fn new<const WIDE: bool>(records: &Records, places: &[u32; LANES]) -> Depths {
        let [z, z_upper, w, w_upper] = quads::<WIDE>(records.table(), &each(|lane| places[lane] + 1));
        let doubles = |low: &[u32; LANES], upper: &[u32; LANES]| {
            each(|lane| f64::from_bits(u64::from(low[lane]) | u64::from(upper[lane]) << 32))
        };
        Depths { z: doubles(&z, &z_upper), inverse_w: doubles(&w, &w_upper) }
    }
}

/// What the setup data of a chunk's small triangles is made from.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) records: &'a Records,
    pub(crate) view_index: u32,
}

/// A thread's memory for setup data of what a tile draws.
#[derive(Default)]
pub(crate) struct PlaneMemory {
    words: Words,
    /// Words from one primitive's to the next.
    stride: usize,
    used: usize,
    rows: Vec<Row>,
}

impl PlaneMemory {
    /// Begins with setup data of so many words for each primitive; gives the address that offsets count from.
    pub(crate) fn start(&mut self, stride: usize) -> u64 {
        (self.stride, self.used) = (stride, 0);
        self.words.reserve(SLOTS * stride)
    }

    /// There is room for so many primitives more.
    pub(crate) fn has_room(&self, count: usize) -> bool {
        self.used + count <= SLOTS
    }

    /// Forgets all, for which nobody may wait any more.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// Bytes from one primitive's setup data to the next.
    pub(crate) fn stride_bytes(&self) -> u32 {
        4 * self.stride as u32
    }

    /// Takes places for so many primitives, of which there is room; gives the first one's byte offset.
    fn take(&mut self, count: usize) -> u32 {
        let first = self.used as u32 * self.stride_bytes();
        self.used += count;
        first
    }

    /// Copies setup data from a byte offset; gives its own.
    pub(crate) fn copy(&mut self, setup: &Words, offset: u32) -> u32 {
        let to = self.take(1);
        for at in (0..self.stride).step_by(LANES) {
            self.words.set_row(to as usize / 4 + at, setup.row(offset as usize / 4 + at));
        }
        to
    }

    /// Makes setup data of up to sixteen small triangles; gives the byte offset of the first one's.
    pub(crate) fn fill(&mut self, source: Source<'_>, triangles: &[Assembled], entries: &[Entry]) -> u32 {
        let first = self.take(entries.len());
        let mut some = [Assembled { vertices: [0; 3], provoking: 0, id: 0 }; LANES];
        for (some, entry) in some.iter_mut().zip(entries) {
            *some = triangles[entry.number as usize];
        }
        let place = first as usize / 4;
        vectorize(SetupData { memory: self, place, source, triangles: &some[..entries.len().min(LANES)] });
        first
    }
}

/// The setup data of small triangles, which goes to a place counted in words.
struct SetupData<'s> {
    memory: &'s mut PlaneMemory,
    place: usize,
    source: Source<'s>,
    triangles: &'s [Assembled],
}

impl Vectorized for SetupData<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let SetupData { memory: PlaneMemory { words, stride, rows, .. }, place, source, triangles } = self;
        let places = places(source.records, triangles);
        rows.resize(HEADER_WORDS, Row::default());
        source.headers::<WIDE>(triangles, &places, rows);
        source.component_rows::<WIDE>(triangles, &places, rows);
        rows.resize(rows.len().next_multiple_of(LANES), Row::default());
        for (part, rows) in rows.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            transpose::<WIDE>(rows);
            for (lane, row) in rows[..triangles.len()].iter().enumerate() {
                words.set_row(place + lane * *stride + part * LANES, row);
            }
        }
    }
}

/// Sixteen values by what they are for each lane.
#[inline(always)]
fn each<T: Copy + Default>(value: impl Fn(usize) -> T) -> [T; LANES] {
    let mut values = [T::default(); LANES];
    for (lane, at) in values.iter_mut().enumerate() {
        *at = value(lane);
    }
    values
}

/// Something of each of three corners. (Methods of arrays are not always compiled into their caller, and so not for
/// its processor.)
#[inline(always)]
fn corners<T>(of: impl Fn(usize) -> T) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// The places of the triangles' vertices in the records, corner by corner; those of the first in lanes behind the last.
#[inline(always)]
fn places(records: &Records, triangles: &[Assembled]) -> [[u32; LANES]; 3] {
    let mut places = [[records.place(triangles[0].vertices[0]); LANES]; 3];
    for (lane, triangle) in triangles.iter().enumerate().take(LANES) {
        for (places, &vertex) in places.iter_mut().zip(&triangle.vertices) {
            places[lane] = records.place(vertex);
        }
    }
    places
}

/// Twice the areas of small triangles.
#[inline(always)]
fn areas([p, q, r]: &[Points; 3]) -> [i32; LANES] {
    each(|lane| {
        let (x1, y1) = (q.x[lane].wrapping_sub(p.x[lane]), q.y[lane].wrapping_sub(p.y[lane]));
        let (x2, y2) = (r.x[lane].wrapping_sub(p.x[lane]), r.y[lane].wrapping_sub(p.y[lane]));
        x1.wrapping_mul(y2).wrapping_sub(x2.wrapping_mul(y1))
    })
}

/// The pixels in which planes start, as `setup::reference` says.
#[inline(always)]
fn references([p, q, r]: &[Points; 3]) -> ([i32; LANES], [i32; LANES]) {
    let upper = |x: &[i32; LANES], y: &[i32; LANES], other: &Points| {
        let moves =
            each(|lane| (other.y[lane] < y[lane]) | (other.y[lane] == y[lane]) & (other.x[lane] < x[lane]));
        (
            each(|lane| if moves[lane] { other.x[lane] } else { x[lane] }),
            each(|lane| if moves[lane] { other.y[lane] } else { y[lane] }),
        )
    };
    let (x, y) = upper(&p.x, &p.y, q);
    let (x, y) = upper(&x, &y, r);
    (each(|lane| x[lane] >> 8), each(|lane| y[lane] >> 8))
}

impl Prepared {
    /// This draw's small triangles are dealt with here.
    pub(crate) fn takes_groups(&self) -> bool {
        let (raster, layout) = (&self.draw.raster, &self.draw.vertex.layout);
        raster.samples <= 1
            && raster.conservative == Conservative::Disabled
            && layout.cull_distance.1 == 0
            && layout.layer.is_none()
            && layout.viewport_index.is_none()
            && self.target(0, 0, 0).is_some()
            && self.draw.fragment.as_ref().is_some_and(|fragment| {
                // Records hold no other rows.
                fragment.setup.varyings().iter().all(|varying| varying.row.is_none_or(|row| row >= 4))
            })
    }
}

impl Setup<'_> {
    /// Sixteen triangles or fewer, up to their entries in the output.
    #[inline(always)]
    fn group<const WIDE: bool>(&mut self, group: &[Assembled]) {
        let raster = &self.prepared.draw.raster;
        let inside = self.prepared.transforms[0].inside;
        let places = places(self.records, group);
        let points = corners(|at| Points::new::<WIDE>(self.records, &places[at]));
        let [p, q, r] = &points;
        let any = each(|lane| p.sides[lane] | q.sides[lane] | r.sides[lane]);
        let all = each(|lane| p.sides[lane] & q.sides[lane] & r.sides[lane]);
        let least_x = each(|lane| p.x[lane].min(q.x[lane]).min(r.x[lane]));
        let least_y = each(|lane| p.y[lane].min(q.y[lane]).min(r.y[lane]));
        let most_x = each(|lane| p.x[lane].max(q.x[lane]).max(r.x[lane]));
        let most_y = each(|lane| p.y[lane].max(q.y[lane]).max(r.y[lane]));
        // `pixel_range`, within what may be drawn.
        let first = |least: i32, inside: i32| (least.wrapping_add(UNIT / 2 - 1) >> 8).max(inside);
        let end = |most: i32, inside: i32| ((most.wrapping_sub(UNIT / 2) >> 8) + 1).min(inside);
        let (x0, x1) =
            (each(|lane| first(least_x[lane], inside.x0)), each(|lane| end(most_x[lane], inside.x1)));
        let (y0, y1) =
            (each(|lane| first(least_y[lane], inside.y0)), each(|lane| end(most_y[lane], inside.y1)));
        let cut = each(|lane| {
            u32::from(least_x[lane].wrapping_add(UNIT / 2 - 1) >> 8 != x0[lane])
                | u32::from(least_y[lane].wrapping_add(UNIT / 2 - 1) >> 8 != y0[lane])
                | u32::from((most_x[lane].wrapping_sub(UNIT / 2) >> 8) + 1 != x1[lane])
                | u32::from((most_y[lane].wrapping_sub(UNIT / 2) >> 8) + 1 != y1[lane])
        });
        let area = areas(&points);
        let (cull, clockwise) = (raster.cull, raster.front_clockwise);
        let (front_drawn, back_drawn) = (!cull.front, !cull.back);
        let drawn_positive = if clockwise { front_drawn } else { back_drawn };
        let drawn_negative = if clockwise { back_drawn } else { front_drawn };
        let visible = each(|lane| {
            let facing = (area[lane] > 0) & drawn_positive | (area[lane] < 0) & drawn_negative;
            u32::from(facing & (x0[lane] < x1[lane]) & (y0[lane] < y1[lane]))
        });
        // What may come to be drawn at all, of those that the next one does not take.
        let within =
            each(|lane| u32::from(any[lane] & side::NOT_FINITE == 0 && all[lane] & side::OUTSIDE == 0));
        let clipped = each(|lane| any[lane] & side::CLIPPED);
        let extended = each(|lane| {
            let extent =
                most_x[lane].wrapping_sub(least_x[lane]).max(most_y[lane].wrapping_sub(least_y[lane]));
            u32::from(extent as u32 > MAX_EXTENT as u32)
        });
        let (corner_x, corner_y) = (each(|lane| x0[lane] & !1), each(|lane| y0[lane] & !1));
        let in_region = each(|lane| {
            let (width, height) =
                (x1[lane].wrapping_sub(corner_x[lane]), y1[lane].wrapping_sub(corner_y[lane]));
            u32::from((width <= REGION) & (height <= REGION))
        });
        let there = u32::MAX >> (32 - group.len());
        let within = nonzero::<WIDE>(&within) & there;
        let clipped = nonzero::<WIDE>(&clipped) & there;
        let extended = nonzero::<WIDE>(&extended);
        let (visible, in_region) = (nonzero::<WIDE>(&visible), nonzero::<WIDE>(&in_region));
        let single = clipped | within & (extended | visible & !in_region);
        let drawn = within & visible & !single;
        self.output.statistics.clipping_invocations += u64::from((there & !single).count_ones());
        self.output.statistics.clipping_primitives += u64::from((within & !single).count_ones());
        if single | drawn == 0 {
            return;
        }
        let edges = SmallEdges::new(&points, &area, &corner_x, &corner_y);
        let cut = nonzero::<WIDE>(&cut);
        let mut left = single | drawn;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % LANES;
            left &= left - 1;
            if single >> lane & 1 != 0 {
                self.projected_triangle(group[lane]);
                continue;
            }
            let mut pixels = edges.covered::<WIDE>(lane);
            if cut >> lane & 1 != 0 {
                let bounds = Rect { x0: x0[lane], y0: y0[lane], x1: x1[lane], y1: y1[lane] };
                pixels &= small::within(bounds, corner_x[lane], corner_y[lane]);
            }
            if pixels != 0 {
                self.output.push_small(group[lane], corner_x[lane], corner_y[lane], pixels);
            }
        }
    }
}

impl Source<'_> {
    /// The words of the headers.
    #[inline(always)]
    fn headers<const WIDE: bool>(
        &self,
        triangles: &[Assembled],
        places: &[[u32; LANES]; 3],
        rows: &mut [Row],
    ) {
        let points = corners(|at| Points::new::<WIDE>(self.records, &places[at]));
        let depths = corners(|at| Depths::new::<WIDE>(self.records, &places[at]));
        let (draw, transform) = (&self.prepared.draw, &self.prepared.transforms[0]);
        let area = areas(&points);
        let (ref_x, ref_y) = references(&points);
        let front = each(|lane| u32::from((area[lane] > 0) == draw.raster.front_clockwise));
        let planes = Planes::new(&points, &area, &ref_x, &ref_y);
        let [first, second, third] = &depths;
        let (none, one) = ([0.0; LANES], [1.0; LANES]);
        let depth = planes.exact([&first.z, &second.z, &third.z]);
        let inverse_w = planes.exact([&first.inverse_w, &second.inverse_w, &third.inverse_w]);
        let perspective_i = planes.exact([&none, &second.inverse_w, &none]);
        let perspective_j = planes.exact([&none, &none, &third.inverse_w]);
        let linear_i = planes.exact([&none, &one, &none]);
        let linear_j = planes.exact([&none, &none, &one]);
        let mut bias = none;
        if draw.raster.depth_bias.is_some() {
            bias = each(|lane| {
                let depth = [depth[0][lane], depth[1][lane], depth[2][lane]];
                self.prepared.bias(depth, [first.z[lane], second.z[lane], third.z[lane]]).0
            });
        }
        let range = transform.depth_range;
        let [clamp_least, clamp_greatest] = range;
        let least =
            clamped(draw, range, &bias, &each(|lane| first.z[lane].min(second.z[lane]).min(third.z[lane])));
        let greatest =
            clamped(draw, range, &bias, &each(|lane| first.z[lane].max(second.z[lane]).max(third.z[lane])));
        let Some(target) = self.prepared.target(0, 0, self.view_index) else { return };

        // In the order of `PrimitiveSetup`.
        let [a, b, c, d, e, f, g, h, planes @ .., least_row, greatest_row, clamp_0, clamp_1, _, _] = rows
        else {
            return;
        };
        let set = |row: &mut Row, values: [u32; LANES]| row.0 = values;
        set(a, each(|lane| ref_x[lane] as u32));
        set(b, each(|lane| ref_y[lane] as u32));
        set(c, [target.layer; LANES]);
        set(d, [target.layer_built_in; LANES]);
        set(e, [target.viewport_index; LANES]);
        for (id, triangle) in f.0.iter_mut().zip(triangles) {
            *id = triangle.id;
        }
        set(g, front);
        set(h, [self.view_index; LANES]);
        let biased = [each(|lane| depth[0][lane] + bias[lane]), depth[1], depth[2]];
        let quantities = [biased, inverse_w, perspective_i, perspective_j, linear_i, linear_j];
        for (rows, quantity) in planes.as_chunks_mut::<3>().0.iter_mut().zip(&quantities) {
            for (row, values) in rows.iter_mut().zip(quantity) {
                set(row, each(|lane| (values[lane] as f32).to_bits()));
            }
        }
        set(least_row, each(|lane| least[lane].to_bits()));
        set(greatest_row, each(|lane| greatest[lane].to_bits()));
        set(clamp_0, [clamp_least.to_bits(); LANES]);
        set(clamp_1, [clamp_greatest.to_bits(); LANES]);
    }

    /// Appends the words of the components, as [`Setup::components`] has them.
    #[inline(always)]
    fn component_rows<const WIDE: bool>(
        &self,
        triangles: &[Assembled],
        places: &[[u32; LANES]; 3],
        rows: &mut Vec<Row>,
    ) {
        let Some(fragment) = &self.prepared.draw.fragment else { return };
        let table = self.records.table();
        let mut provoking = places[0];
        for (place, triangle) in provoking.iter_mut().zip(triangles) {
            *place = self.records.place(triangle.provoking);
        }
        // Which four words of records these are, of all corners, and of the provoking ones.
        let (mut of_all, mut of_provoking) = (u32::MAX, u32::MAX);
        let (mut all, mut first) = ([[[0; LANES]; 4]; 3], [[0; LANES]; 4]);
        for varying in fragment.setup.varyings() {
            let words = varying.interpolation.words() as usize;
            let interpolation = varying.interpolation;
            let Some(row) = varying.row.filter(|_| interpolation != Interpolation::SmoothLine) else {
                rows.resize(rows.len() + words, Row::default());
                continue;
            };
            let (at, word) = (Records::word(row) / 4, Records::word(row) as usize % 4);
            if interpolation == Interpolation::Flat {
                if of_provoking != at {
                    (of_provoking, first) = (at, words_of::<WIDE>(table, &provoking, at));
                }
                rows.push(Row(first[word]));
                continue;
            }
            if of_all != at {
                let words = corners(|corner| words_of::<WIDE>(table, &places[corner], at));
                (of_all, all) = (at, words);
            }
            let [base, second, third] = [&all[0][word], &all[1][word], &all[2][word]];
            if interpolation == Interpolation::PerVertex {
                rows.extend_from_slice(&[Row(*base), Row(*second), Row(*third)]);
                continue;
            }
            let difference = |corner: &[u32; LANES]| {
                each(|lane| (f32::from_bits(corner[lane]) - f32::from_bits(base[lane])).to_bits())
            };
            rows.extend_from_slice(&[Row(*base), Row(difference(second)), Row(difference(third))]);
        }
    }
}

/// Depths with their bias, in the range that `Setup::header` clamps them to.
#[inline(always)]
fn clamped(draw: &Draw, [least, most]: [f32; 2], bias: &[f64; LANES], depths: &[f64; LANES]) -> [f32; LANES] {
    let mut values = each(|lane| (depths[lane] + bias[lane]) as f32);
    if draw.raster.depth_clamp {
        values = each(|lane| values[lane].max(least).min(most));
    }
    if !draw.raster.depth_unrestricted {
        values = each(|lane| values[lane].clamp(0.0, 1.0));
    }
    values
}

/// Four words of the records at these places, so many times four behind their begin.
#[inline(always)]
fn words_of<const WIDE: bool>(table: &[Row], places: &[u32; LANES], four: u32) -> [[u32; LANES]; 4] {
    quads::<WIDE>(table, &each(|lane| places[lane] + four))
}

/// Planes over sixteen triangles, as `setup::Planes` has them.
struct Planes {
    e1: [[f64; LANES]; 2],
    e2: [[f64; LANES]; 2],
    to_ref: [[f64; LANES]; 2],
}

impl Planes {
    #[inline(always)]
    fn new(
        [p, q, r]: &[Points; 3],
        area: &[i32; LANES],
        ref_x: &[i32; LANES],
        ref_y: &[i32; LANES],
    ) -> Planes {
        let unit = f64::from(UNIT);
        let pixels = |value: i32| f64::from(value) / unit;
        let scale = each(|lane| unit * unit / f64::from(area[lane]));
        let half = UNIT / 2;
        Planes {
            e1: [
                each(|lane| pixels(q.x[lane] - p.x[lane]) * scale[lane]),
                each(|lane| pixels(q.y[lane] - p.y[lane]) * scale[lane]),
            ],
            e2: [
                each(|lane| pixels(r.x[lane] - p.x[lane]) * scale[lane]),
                each(|lane| pixels(r.y[lane] - p.y[lane]) * scale[lane]),
            ],
            to_ref: [
                each(|lane| pixels(ref_x[lane] * UNIT + half - p.x[lane])),
                each(|lane| pixels(ref_y[lane] * UNIT + half - p.y[lane])),
            ],
        }
    }

    /// Values at the reference points, and changes.
    #[inline(always)]
    fn exact(&self, [q0, q1, q2]: [&[f64; LANES]; 3]) -> [[f64; LANES]; 3] {
        let ([e1x, e1y], [e2x, e2y], [to_x, to_y]) = (&self.e1, &self.e2, &self.to_ref);
        let dx = each(|lane| (q1[lane] - q0[lane]) * e2y[lane] - (q2[lane] - q0[lane]) * e1y[lane]);
        let dy = each(|lane| (q2[lane] - q0[lane]) * e1x[lane] - (q1[lane] - q0[lane]) * e2x[lane]);
        let value = each(|lane| q0[lane] + dx[lane] * to_x[lane] + dy[lane] * to_y[lane]);
        [value, dx, dy]
    }
}
