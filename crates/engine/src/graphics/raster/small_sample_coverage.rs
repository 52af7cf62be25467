//! Coverage of small triangles whose pixels have several samples: all samples of a region of four by four
//! pixels are tested at once, in words of 16 bits.

use crate::graphics::raster::shape::UNIT;
use crate::graphics::raster::small_triangle_coverage::{Points, Small, WideEdges, steps};
use crate::graphics::simd::lanes::LANES;
use crate::graphics::simd::signs::samples_nowhere_negative;
use crate::graphics::simd::vector::Vector;

/// Pixels of a region in x and y.
pub(crate) const SAMPLED_REGION: i32 = 4;
/// Sub-pixel units that such a triangle's extents do not exceed.
pub(crate) const SAMPLED_EXTENT_MAX: i32 = SAMPLED_REGION * UNIT;
/// The most samples of a pixel.
pub(crate) const REGION_SAMPLES: usize = 4;
/// Bits of a quad: of each sample its four pixels.
pub(crate) const QUAD_BITS: usize = 16;

/// The two quads of the left column, and those of the upper row.
const LEFT: u64 = 0x0000_ffff_0000_ffff;
const UPPER: u64 = 0x0000_0000_ffff_ffff;

/// Where the samples of a pixel lie, in sixteenths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionSamples {
    places: [[i32; 2]; REGION_SAMPLES],
    /// The bits of all pixels' samples.
    bits: u64,
}

impl RegionSamples {
    /// None unless these are several, and no more than regions have.
    pub(crate) fn new(samples: &[(u8, u8)]) -> Option<RegionSamples> {
        let last = *samples.last().filter(|_| (2..=REGION_SAMPLES).contains(&samples.len()))?;
        let mut places = [last; REGION_SAMPLES];
        places[..samples.len()].copy_from_slice(samples);
        let bits = 0x0001_0001_0001_0001 * ((1 << (4 * samples.len())) - 1);
        Some(RegionSamples { places: places.map(|(x, y)| [x.into(), y.into()]), bits })
    }
}

/// The edges of sixteen triangles, at the samples of the upper left pixels of their regions.
pub(crate) struct SampledEdges {
    /// Of each edge the values at two samples, the first one's in the lower half, and at the other two.
    values: [[[i32; LANES]; 2]; 3],
    /// Changes for a pixel in x, in the lower half, and in y.
    steps: [[i32; LANES]; 3],
    bits: u64,
}

impl SampledEdges {
    /// From the triangles' corners, which of them have a negative area, and the regions' upper left pixels.
    ///
    /// Corners lie in their regions: edges have no more than 11 bits in each direction, and values that are
    /// shifted down by 8 no more than 15. What is made of others is never asked for.
    #[inline(always)]
    pub(crate) fn new<V: Vector>(
        points: &[Points<V>; 3],
        negative: V::Mask,
        corner_x: V::Ints,
        corner_y: V::Ints,
        samples: &RegionSamples,
    ) -> SampledEdges {
        let bits = samples.bits;
        let mut edges = SampledEdges { values: [[[0; LANES]; 2]; 3], steps: [[0; LANES]; 3], bits };
        let wide = WideEdges::<V>::new(points, negative);
        let (left, top) = (V::units(corner_x), V::units(corner_y));
        let (zero, low) = (V::ints(0), V::ints(0xffff));
        for at in 0..3 {
            let (a, b, value) = wide.at(at, left, top);
            let sixteenth = V::ints(UNIT / 16);
            let (a_part, b_part) = (V::mul(a, sixteenth), V::mul(b, sixteenth));
            for half in 0..2 {
                let mut pair = [zero; 2];
                for (of_sample, [x, y]) in pair.iter_mut().zip(&samples.places[2 * half..]) {
                    let moved = V::add(V::mul(a_part, V::ints(*x)), V::mul(b_part, V::ints(*y)));
                    *of_sample = V::pixels(V::add(value, moved));
                }
                let [first, second] = pair;
                let both = V::or(V::and(first, low), V::units(V::units(second)));
                edges.values[at][half] = V::store_ints(both);
            }
            edges.steps[at] = steps::<V>(a, b);
        }
        edges
    }

    /// The samples of its region that a triangle covers: quad by quad, of each the samples' pixels.
    #[inline(always)]
    pub(crate) fn covered(&self, lane: usize) -> u64 {
        let lane = lane % LANES;
        let (mut values, mut steps) = ([0; 3], [0; 3]);
        for at in 0..3 {
            let [first, second] = &self.values[at];
            values[at] = u64::from(first[lane] as u32) | u64::from(second[lane] as u32) << 32;
            steps[at] = self.steps[at][lane];
        }
        samples_nowhere_negative(values, steps) & self.bits
    }
}

/// How many pixels have a covered sample.
#[inline(always)]
pub(crate) fn pixel_count(covered: u64) -> u32 {
    let pairs = covered | (covered >> 8);
    ((pairs | (pairs >> 4)) & 0x000f_000f_000f_000f).count_ones()
}

/// The part of a region in the columns before `columns`, which is even, and the rest, with a region that
/// begins there.
#[inline]
pub(crate) fn split_columns(small: Small, columns: u32) -> (Small, Small) {
    if columns >= SAMPLED_REGION as u32 {
        return (small, Small { pixels: 0, ..small });
    }
    let rest = (small.pixels & !LEFT) >> QUAD_BITS;
    (Small { pixels: small.pixels & LEFT, ..small }, Small { corner: small.corner + columns, pixels: rest })
}

/// The part in the rows before `rows`, which is even, and the rest, with a region that begins there.
#[inline]
pub(crate) fn split_rows(small: Small, rows: u32) -> (Small, Small) {
    if rows >= SAMPLED_REGION as u32 {
        return (small, Small { pixels: 0, ..small });
    }
    let rest = (small.pixels & !UPPER) >> (2 * QUAD_BITS);
    let corner = small.corner + (rows << 16);
    (Small { pixels: small.pixels & UPPER, ..small }, Small { corner, pixels: rest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::raster::shape::{Edge, Point, double_area};
    use crate::graphics::simd::multiversion::{Vectorized, vectorize};
    use crate::graphics::simd::plain::Plain;
    use crate::graphics::simd::vector::Widest;
    use pyro_abi::graphics::sample_positions;

    /// The covered samples of sixteen triangles, whose regions begin at these pixels.
    struct Covered<'a>(&'a [[Point; LANES]; 3], &'a [[u32; LANES]; 2], RegionSamples);

    impl Vectorized for Covered<'_> {
        type Output = Vec<u64>;

        #[inline(always)]
        fn run<const WIDE: bool>(self) -> Vec<u64> {
            if WIDE { self.all::<Widest>() } else { self.all::<Plain>() }
        }
    }

    impl Covered<'_> {
        #[inline(always)]
        fn all<V: Vector>(self) -> Vec<u64> {
            let Covered(corners, [x, y], samples) = self;
            let points = corners.each_ref().map(|corners| Points::<V> {
                x: V::load(&corners.map(|corner| corner.x as u32)),
                y: V::load(&corners.map(|corner| corner.y as u32)),
                sides: V::ints(0),
            });
            let mut negative = [0; LANES];
            for (lane, negative) in negative.iter_mut().enumerate() {
                let area = double_area(corners.each_ref().map(|corners| corners[lane]));
                *negative = u32::from(area < 0);
            }
            let negative = V::equal(V::load(&negative), V::ints(1));
            let edges = SampledEdges::new::<V>(&points, negative, V::load(x), V::load(y), &samples);
            (0..LANES).map(|lane| edges.covered(lane)).collect()
        }
    }

    #[test]
    fn every_sample_of_a_region_is_as_its_edges_say() {
        let mut state = 1u32;
        let mut below = move |end: i32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((u64::from(state >> 4) * end as u64) >> 28) as i32
        };
        let mut all = 0;
        for round in 0..2000usize {
            let places = [sample_positions(4), sample_positions(2), &[(0, 15), (15, 0), (8, 8)]][round % 3];
            let samples = RegionSamples::new(places).expect("few");
            let (mut corners, mut region) = ([[Point::default(); LANES]; 3], [[0; LANES]; 2]);
            for lane in 0..LANES {
                let (x, y) = (2 * below(9000), 2 * below(9000));
                (region[0][lane], region[1][lane]) = (x as u32, y as u32);
                // Corners on pixels' borders and centres, too.
                let grain = [1, 128, 256][round % 5 % 3];
                let mut within = || below(SAMPLED_EXTENT_MAX / grain) * grain;
                corners.iter_mut().for_each(|corners| {
                    corners[lane] = Point { x: x * UNIT + within(), y: y * UNIT + within() };
                });
            }
            let found = vectorize(Covered(&corners, &region, samples));
            assert_eq!(found, Covered(&corners, &region, samples).run::<false>());
            for (lane, covered) in found.into_iter().enumerate() {
                let mut points = corners.map(|corners| corners[lane]);
                let area = double_area(points);
                if area == 0 {
                    continue;
                }
                if area < 0 {
                    points.swap(1, 2);
                }
                let [p, q, r] = points;
                let edges = [Edge::between(p, q), Edge::between(q, r), Edge::between(r, p)];
                let (mut expected, mut pixels) = (0, std::collections::BTreeSet::new());
                for bit in 0..64 {
                    let (quad, sample, pixel) = (bit / 16, bit / 4 % 4, bit % 4);
                    let x = region[0][lane] as i32 + quad % 2 * 2 + pixel % 2;
                    let y = region[1][lane] as i32 + quad / 2 * 2 + pixel / 2;
                    let Some(&(dx, dy)) = places.get(sample as usize) else { continue };
                    let place = |pixel: i32, within: u8| pixel * UNIT + i32::from(within) * (UNIT / 16);
                    if edges.iter().all(|edge| edge.at(place(x, dx), place(y, dy)) >= 0) {
                        expected |= 1u64 << bit;
                        pixels.insert((x, y));
                    }
                }
                assert_eq!(covered, expected, "{round} {points:?}");
                assert_eq!(pixel_count(covered) as usize, pixels.len());
                all += pixels.len();
            }
        }
        assert!(all > 20_000, "{all}");
        assert!(RegionSamples::new(sample_positions(1)).is_none());
        assert!(RegionSamples::new(sample_positions(8)).is_none());
    }

    #[test]
    fn parts_make_the_whole() {
        let samples = |small: Small| {
            let bits = (0..64).filter(|bit| small.pixels >> bit & 1 == 1);
            let mut list: Vec<(u32, u32, u32)> = bits
                .map(|bit| {
                    let (quad, sample, pixel) = (bit / 16, bit / 4 % 4, bit % 4);
                    let (x, y) = (small.corner & 0xffff, small.corner >> 16);
                    (x + quad % 2 * 2 + pixel % 2, y + quad / 2 * 2 + pixel / 2, sample)
                })
                .collect();
            list.sort_unstable();
            list
        };
        for all in [u64::MAX, 0x1234_5678_9abc_def0, 0x8421_8421_8421_8421] {
            let small = Small { corner: 58 | 60 << 16, pixels: all };
            for cut in [2, 4, 6] {
                let (left, right) = split_columns(small, cut);
                assert!(samples(left).iter().all(|&(x, ..)| x < 58 + cut));
                assert!(samples(right).iter().all(|&(x, ..)| x >= 58 + cut));
                let (upper, lower) = split_rows(small, cut);
                assert!(samples(upper).iter().all(|&(_, y, _)| y < 60 + cut));
                assert!(samples(lower).iter().all(|&(_, y, _)| y >= 60 + cut));
                for parts in [[left, right], [upper, lower]] {
                    let mut both = parts.map(samples).concat();
                    both.sort_unstable();
                    assert_eq!(both, samples(small));
                }
            }
        }
    }
}
