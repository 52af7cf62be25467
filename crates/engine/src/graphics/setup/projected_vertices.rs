//! What is computed once for each shaded vertex, for triangles: its place in the window, and where it lies
//! with respect to the view volume. With what else set-up needs of a vertex, it is a record of consecutive
//! words.

use crate::graphics::assembly::vertices::Shaded;
use crate::graphics::raster::shape::{GUARD_PIXELS, Point, UNIT};
use crate::graphics::setup::clip::is_outside;
use crate::graphics::setup::prepare::{Prepared, Transform};
use crate::graphics::simd::aligned_words::AlignedWords;
use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use crate::graphics::simd::plain::Plain;
use crate::graphics::simd::vector::{Vector, Widest};

/// Bits of [`ProjectedVertex::sides`].
pub(crate) mod side {
    /// `x > w`, `x < -w`, `y > w`, `y < -w`.
    pub(crate) const OUTSIDE: u32 = 0b1111;
    /// A coordinate is infinite or NaN.
    pub(crate) const NOT_FINITE: u32 = 1 << 4;
    /// Behind the eye, out of the guard band, or beyond a plane that clips: the other fields mean nothing.
    pub(crate) const CLIPPED: u32 = 1 << 5;
}

/// A vertex in the window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProjectedVertex {
    pub(crate) point: Point,
    /// See [`side`].
    pub(crate) sides: u32,
    /// Depth.
    pub(crate) z: f64,
    pub(crate) inverse_w: f64,
}

/// AlignedWords of a corner at the start of a record, four and four: x, y, sides, zero; the halves of z and
/// of 1 / w.
const CORNER_WORDS: usize = 8;
/// Vertex outputs that are no part of records: the position.
const POSITION_COLUMNS: usize = 4;

/// Projected vertices, one record of whole cache lines for each: its corner, and the outputs that components
/// are made of.
#[derive(Default)]
pub(crate) struct VertexRecords {
    words: AlignedWords,
    /// Cache lines of a record.
    lines: usize,
}

impl VertexRecords {
    /// Bytes of memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.words.bytes()
    }

    /// All of them.
    #[inline(always)]
    pub(crate) fn table(&self) -> &[Row] {
        self.words.rows()
    }

    /// Where the record of a vertex begins, counted in four words; so do the next ones' numbers.
    #[inline(always)]
    pub(crate) fn place(&self, vertex: u32) -> u32 {
        vertex * (self.lines * LANES / 4) as u32
    }

    /// Which word of a record a column of the vertex outputs is, which is none of the position's.
    #[inline(always)]
    pub(crate) fn word(column: u32) -> u32 {
        column + (CORNER_WORDS - POSITION_COLUMNS) as u32
    }

    /// The corner of a vertex.
    #[inline(always)]
    pub(crate) fn corner(&self, vertex: u32) -> ProjectedVertex {
        let words = &self.words.row(vertex as usize * self.lines * LANES).0;
        let double = |low: usize| f64::from_bits(u64::from(words[low]) | u64::from(words[low + 1]) << 32);
        ProjectedVertex {
            point: Point { x: words[0] as i32, y: words[1] as i32 },
            sides: words[2],
            z: double(4),
            inverse_w: double(6),
        }
    }

    /// Has the processor fetch the record at a place.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: u32) {
        self.words.prefetch(4 * place as usize, self.lines.min(2) * LANES);
    }
}

/// Which planes clip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthClip {
    pub(crate) enabled: bool,
    pub(crate) negative_one_to_one: bool,
}

/// Projects vertices, from a column for each coordinate to a column for each word of a corner.
#[inline(always)]
fn project_lanes(
    transform: &Transform,
    clip: DepthClip,
    position: &[Row; POSITION_COLUMNS],
    rows: &mut [Row],
) {
    // The sum's last place is that of integers; the low half of its bits is the integer.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let Some(rows) = rows.first_chunk_mut::<CORNER_WORDS>() else { return };
    let (mut depths, mut inverses) = ([0u64; LANES], [0u64; LANES]);
    for lane in 0..LANES {
        let coordinate = |row: usize| f64::from(f32::from_bits(position[row].0[lane]));
        let (x, y, z, w) = (coordinate(0), coordinate(1), coordinate(2), coordinate(3));
        let window = |value: f64, axis: usize| value * transform.scale[axis] + w * transform.offset[axis];
        let (window_x, window_y, window_z) = (window(x, 0), window(y, 1), window(z, 2));
        let inverse_w = 1.0 / w;
        inverses[lane] = inverse_w.to_bits();
        depths[lane] = (window_z * inverse_w).to_bits();
        let fixed = |value: f64| (value * inverse_w * f64::from(UNIT) + MAGIC).to_bits() as u32;
        (rows[0].0[lane], rows[1].0[lane]) = (fixed(window_x), fixed(window_y));
        let limit = GUARD_PIXELS * w;
        let banded = (w > 0.0) & (window_x.abs() <= limit) & (window_y.abs() <= limit);
        let near = if clip.negative_one_to_one { z + w } else { z };
        let within = !clip.enabled | ((near >= 0.0) & (w - z >= 0.0));
        let finite = (x + y + z + w).abs() < f64::INFINITY;
        rows[2].0[lane] = u32::from(x > w)
            | u32::from(x < -w) << 1
            | u32::from(y > w) << 2
            | u32::from(y < -w) << 3
            | u32::from(!finite) << 4
            | u32::from(!(banded & within)) << 5;
    }
    rows[3] = Row::default();
    for (at, values) in [(4, &depths), (6, &inverses)] {
        for (lane, &bits) in values.iter().enumerate() {
            rows[at].0[lane] = bits as u32;
            rows[at + 1].0[lane] = (bits >> 32) as u32;
        }
    }
}

/// Projects the first `count` vertices. All go to the first viewport. `with_components`: what components are
/// made of goes into the records, too.
pub(crate) fn project(
    shaded: &Shaded,
    prepared: &Prepared,
    count: usize,
    with_components: bool,
    records: &mut VertexRecords,
) {
    let draw = &prepared.draw;
    let Some(transform) = prepared.transforms.first() else { return };
    let clip =
        DepthClip { enabled: draw.raster.depth_clip, negative_one_to_one: draw.raster.negative_one_to_one };
    let clip_distance = draw.stages.outputs.clip_distance;
    let columns = if with_components { shaded.columns } else { 0 };
    let load = |first, column| shaded.lanes_from(first, column, count);
    vectorize(Projection { transform, clip, clip_distance, records, count, columns, load });
}

/// Projection of vertices into records.
pub(crate) struct Projection<'a, F> {
    pub(crate) transform: &'a Transform,
    pub(crate) clip: DepthClip,
    /// The first column and the number of clip distances.
    pub(crate) clip_distance: (u32, u32),
    pub(crate) records: &'a mut VertexRecords,
    /// How many vertices there are.
    pub(crate) count: usize,
    /// The first so many columns of the outputs go into records.
    pub(crate) columns: usize,
    /// Gives a column of the outputs of [`LANES`] vertices from a number on.
    pub(crate) load: F,
}

impl<F: FnMut(usize, usize) -> Row> Vectorized for Projection<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let Projection { transform, clip, clip_distance, records, count, columns: column_count, mut load } =
            self;
        let mut rows = [Row::default(); LANES];
        let used = CORNER_WORDS + column_count.max(POSITION_COLUMNS) - POSITION_COLUMNS;
        records.lines = used.div_ceil(LANES);
        records.words.reserve(count.next_multiple_of(LANES) * records.lines * LANES);
        for first in (0..count).step_by(LANES) {
            let position = [load(first, 0), load(first, 1), load(first, 2), load(first, 3)];
            project_lanes(transform, clip, &position, &mut rows);
            for column in clip_distance.0..clip_distance.0 + clip_distance.1 {
                let distances = load(first, column as usize);
                for (sides, &distance) in rows[2].0.iter_mut().zip(&distances.0) {
                    let outside = is_outside(f64::from(f32::from_bits(distance)));
                    *sides |= if outside { side::CLIPPED } else { 0 };
                }
            }
            for line in 0..records.lines {
                for (word, row) in (line * LANES..).zip(&mut rows) {
                    if word >= CORNER_WORDS && word < used {
                        *row = load(first, word - CORNER_WORDS + POSITION_COLUMNS);
                    }
                }
                let to = &mut records.words.rows_mut()[first * records.lines + line..];
                if WIDE {
                    Widest::transpose(&rows, to, records.lines);
                } else {
                    Plain::transpose(&rows, to, records.lines);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::state::Rect;

    #[test]
    fn all_multiversions_give_the_same_bits() {
        let transform = Transform {
            scale: [320.0, 240.5, 0.75],
            offset: [320.0, 240.5, 0.25],
            w_scaling: [0.0; 2],
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
            let outputs: Vec<Row> = (0..40).map(|_| Row([(); LANES].map(|()| next().to_bits()))).collect();
            let clip = DepthClip { enabled: round % 3 != 0, negative_one_to_one: round % 2 == 0 };
            let columns = [4, 7, 12, 13, 35][round % 5];
            let (mut plain, mut best) = (VertexRecords::default(), VertexRecords::default());
            let projection = |records| Projection {
                transform: &transform,
                clip,
                clip_distance: (4, [0, 2][round % 2]),
                records,
                count: LANES - 3,
                columns,
                load: |first: usize, column: usize| {
                    assert_eq!(first, 0);
                    outputs[column]
                },
            };
            projection(&mut plain).run::<false>();
            vectorize(projection(&mut best));
            for vertex in 0..LANES as u32 - 3 {
                let (a, b) = (plain.corner(vertex), best.corner(vertex));
                assert_eq!(a.sides, b.sides, "{round} {vertex}");
                if a.sides & (side::CLIPPED | side::NOT_FINITE) == 0 {
                    let bits = |c: &ProjectedVertex| (c.point, c.z.to_bits(), c.inverse_w.to_bits());
                    assert_eq!(bits(&a), bits(&b), "{round} {vertex}");
                }
                for (column, output) in (0..).zip(&outputs[..columns]).skip(4) {
                    let at = VertexRecords::word(column) as usize + 4 * best.place(vertex) as usize;
                    assert_eq!(best.table()[at / LANES].0[at % LANES], output.0[vertex as usize]);
                }
            }
        }
    }
}
