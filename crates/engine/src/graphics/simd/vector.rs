//! Vectors of sixteen values, one for each vertex or triangle, and their operations.
//!
//! Code that deals with sixteen at a time is written once for any [`Vector`]: [`Plain`](super::plain::Plain)
//! has arrays, which the compiler turns into vectors of the processor that it compiles for
//! ([`multiversion`](super::multiversion)), [`Avx512`](super::avx512::Avx512) has that processor's own.
//!
//! Invariant: each operation is one IEEE or integer operation, the same bit for bit in all implementations.

use crate::graphics::simd::lanes::{LANES, Row};
#[cfg(not(target_arch = "x86_64"))]
use crate::graphics::simd::plain::Plain;

/// A kind of vectors. Integers wrap around; floats are IEEE's, to nearest even.
pub(crate) trait Vector: Copy {
    /// `i32` or bits.
    type Ints: Copy;
    /// `f32`.
    type Floats: Copy;
    /// `f64`.
    type Doubles: Copy;
    /// True or false.
    type Mask: Copy;

    fn load(values: &[u32; LANES]) -> Self::Ints;
    /// The first of each three words, the second ones, and the third ones.
    fn threes(values: &[u32; 3 * LANES]) -> [Self::Ints; 3];
    fn store(values: Self::Ints) -> [u32; LANES];
    fn store_ints(values: Self::Ints) -> [i32; LANES];
    fn ints(value: i32) -> Self::Ints;
    fn add(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn sub(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn mul(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn min(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn max(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    fn or(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// Sub-pixel units to pixels: arithmetic shift by 8.
    fn pixels(a: Self::Ints) -> Self::Ints;
    /// Pixels to sub-pixel units.
    fn units(a: Self::Ints) -> Self::Ints;
    fn less(a: Self::Ints, b: Self::Ints) -> Self::Mask;
    fn equal(a: Self::Ints, b: Self::Ints) -> Self::Mask;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn select(mask: Self::Mask, then: Self::Ints, otherwise: Self::Ints) -> Self::Ints;
    /// A bit for each value.
    fn bits(mask: Self::Mask) -> u32;

    fn floats(value: f32) -> Self::Floats;
    fn float_bits(a: Self::Floats) -> Self::Ints;
    fn floats_of(bits: Self::Ints) -> Self::Floats;
    fn sub_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a < b`.
    fn min_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `b` unless `a > b`.
    fn max_floats(a: Self::Floats, b: Self::Floats) -> Self::Floats;

    fn doubles(value: f64) -> Self::Doubles;
    fn doubles_of(values: &[f64; LANES]) -> Self::Doubles;
    fn store_doubles(a: Self::Doubles) -> [f64; LANES];
    /// The low halves of their bits.
    fn low(a: Self::Doubles) -> Self::Ints;
    fn root(a: Self::Doubles) -> Self::Doubles;
    fn select_doubles(mask: Self::Mask, then: Self::Doubles, otherwise: Self::Doubles) -> Self::Doubles;
    /// From the low and the high halves of their bits.
    fn join(low: Self::Ints, high: Self::Ints) -> Self::Doubles;
    fn to_doubles(a: Self::Ints) -> Self::Doubles;
    fn to_floats(a: Self::Doubles) -> Self::Floats;
    fn plus(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn minus(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn times(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    fn over(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// `b` unless `a < b`.
    fn least(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;
    /// `b` unless `a > b`.
    fn most(a: Self::Doubles, b: Self::Doubles) -> Self::Doubles;

    /// Four consecutive words from each of sixteen places in a table, which are counted in four words: the
    /// first words, the second ones, and so on. Places behind the table's end count as its last.
    fn quads(table: &[Row], places: Self::Ints) -> [Self::Ints; 4];
    /// What [`Vector::quads`] reads for places from 0 on: four words of each lane, behind each other; those
    /// of the lanes are in the order of [`slot`].
    fn to_quads(words: [Self::Ints; 4]) -> [Row; 4];
    /// Of three functions of pixels, by their values at a region's upper left pixel and their changes in x
    /// and y, 16 bits each: the pixels of the region of eight by eight where none is negative, in the order
    /// of quads, row by row. `column`: the pixels of its first column of quads.
    fn uncrossed(values: [i32; 3], steps: [i32; 3], column: &[i32; LANES]) -> u64;
    /// Rows to columns: these go to the rows `step` apart from the first on.
    fn transpose(rows: &[Row; LANES], to: &mut [Row], step: usize);
}

/// Where [`Vector::to_quads`] has a lane's words, counted in four words.
#[inline(always)]
pub(crate) fn slot(lane: u32) -> u32 {
    4 * (lane % 4) + lane / 4
}

/// The widest there are, for code that is compiled for them.
#[cfg(target_arch = "x86_64")]
pub(crate) type Widest = crate::graphics::simd::avx512::Avx512;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Widest = Plain;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::simd::multiversion::{Vectorized, vectorize};
    use crate::graphics::simd::plain::Plain;

    /// Everything that vectors do, for some words.
    struct Everything<'a>(&'a [Row]);

    /// Results are bits, sixteen and sixteen; of doubles, the low and the high halves.
    type Results = Vec<[u32; LANES]>;

    impl Vectorized for Everything<'_> {
        type Output = Results;

        #[inline(always)]
        fn run<const WIDE: bool>(self) -> Results {
            if WIDE { self.all::<Widest>() } else { self.all::<Plain>() }
        }
    }

    #[inline(always)]
    fn push_doubles<V: Vector>(results: &mut Results, doubles: V::Doubles) {
        let values = V::store_doubles(doubles).map(f64::to_bits);
        results.extend([values.map(|bits| bits as u32), values.map(|bits| (bits >> 32) as u32)]);
    }

    impl Everything<'_> {
        #[inline(always)]
        fn all<V: Vector>(self) -> Results {
            let (a, b, c) = (V::load(&self.0[0].0), V::load(&self.0[1].0), V::load(&self.0[2].0));
            let (less, equal) = (V::less(a, b), V::equal(V::and(a, V::ints(1)), V::and(b, V::ints(1))));
            let mut results = Vec::new();
            for ints in [
                V::ints(-7),
                V::add(a, b),
                V::sub(a, b),
                V::mul(a, b),
                V::min(a, b),
                V::max(a, b),
                V::and(a, b),
                V::or(a, b),
                V::pixels(a),
                V::units(a),
                V::select(less, a, b),
                V::select(V::both(less, equal), a, b),
                V::select(V::either(less, equal), a, b),
            ] {
                results.push(V::store(ints));
                assert_eq!(V::store_ints(ints).map(|value| value as u32), V::store(ints));
            }
            results.push([V::bits(equal); LANES]);
            let (x, y) = (V::floats_of(a), V::floats_of(b));
            for floats in [V::floats(-0.5), V::sub_floats(x, y), V::min_floats(x, y), V::max_floats(x, y)] {
                results.push(V::store(V::float_bits(floats)));
            }
            let (x, y) = (V::join(a, b), V::join(b, c));
            results.push(V::store(V::float_bits(V::to_floats(x))));
            let other = V::doubles_of(&V::store_doubles(y));
            push_doubles::<V>(&mut results, V::doubles(0.1));
            push_doubles::<V>(&mut results, V::to_doubles(a));
            push_doubles::<V>(&mut results, V::plus(x, other));
            push_doubles::<V>(&mut results, V::minus(x, y));
            push_doubles::<V>(&mut results, V::times(x, y));
            push_doubles::<V>(&mut results, V::over(x, y));
            push_doubles::<V>(&mut results, V::root(x));
            results.push(V::store(V::low(x)));
            push_doubles::<V>(&mut results, V::least(x, y));
            push_doubles::<V>(&mut results, V::most(x, y));
            push_doubles::<V>(&mut results, V::select_doubles(less, x, y));

            let mut words = [0; 3 * LANES];
            for (words, row) in words.as_chunks_mut::<LANES>().0.iter_mut().zip(self.0) {
                *words = row.0;
            }
            let threes = V::threes(&words).map(V::store);
            assert!((0..3 * LANES).all(|at| threes[at % 3][at / 3] == words[at]));

            let places: [u32; LANES] = std::array::from_fn(|lane| self.0[0].0[lane] % 60);
            let quads = V::quads(&self.0[..15], V::load(&places)).map(V::store);
            for (lane, &place) in places.iter().enumerate() {
                for (word, quad) in quads.iter().enumerate() {
                    let at = 4 * place as usize + word;
                    assert_eq!(quad[lane], self.0[at / LANES].0[at % LANES]);
                }
            }
            let last = V::store(V::quads(&self.0[..15], V::ints(i32::MAX))[3]);
            assert_eq!(last, [self.0[14].0[15]; LANES]);

            let words = [0, 1, 2, 3].map(|row| V::load(&self.0[row].0));
            let quads = V::to_quads(words);
            for lane in 0..LANES as u32 {
                let four = quads[slot(lane) as usize / 4].0.as_chunks::<4>().0[slot(lane) as usize % 4];
                assert!((0..4).all(|word| four[word] == self.0[word].0[lane as usize]));
            }

            let rows = self.0.first_chunk().expect("sixteen");
            let mut to = vec![Row::default(); 3 * LANES];
            V::transpose(rows, &mut to[1..], 3);
            for (column, to) in to[1..].iter().step_by(3).enumerate() {
                assert!((0..LANES).all(|row| to.0[row] == rows[row].0[column]));
            }

            let [p, q, r, s, t, u, ..] = self.0[3].0.map(|word| word as i32 >> 8);
            let column = std::array::from_fn(|lane| {
                let (x, y) = (lane % 2, lane / 4 * 2 + lane / 2 % 2);
                (x | y << 16) as i32
            });
            let pixels = V::uncrossed([p, q, r], [s, t, u], &column);
            for bit in 0..64 {
                let (quad, x, y) = (bit / 4, bit % 2, bit / 2 % 2);
                let (x, y) = (x + 2 * (quad % 4), y + 2 * (quad / 4));
                let value = |value: i32, step: i32| value + x * i32::from(step as i16) + y * (step >> 16);
                let outside = value(p, s) | value(q, t) | value(r, u);
                assert_eq!(pixels >> bit & 1 == 1, outside >= 0, "{bit}");
            }
            results
        }
    }

    #[test]
    fn intrinsics_and_array_vectors_agree() {
        let mut state = 1u64;
        let mut word = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = (state >> 32) as u32;
            // No NaN, whose bits nobody promises; and small numbers.
            match state >> 28 & 7 {
                0 => word % 5,
                1 => (word % 1000) << 20,
                _ if word & 0x7f80_0000 == 0x7f80_0000 || word & 0x7ff0_0000 == 0x7ff0_0000 => 1,
                _ => word,
            }
        };
        let is_nan = |low: u32, high: u32| f64::from_bits(u64::from(low) | u64::from(high) << 32).is_nan();
        for _ in 0..300 {
            let table: Vec<Row> = (0..LANES).map(|_| Row(std::array::from_fn(|_| word()))).collect();
            let (plain, best) = (Everything(&table).run::<false>(), vectorize(Everything(&table)));
            assert_eq!(plain.len(), best.len());
            for (at, (plain, best)) in plain.iter().zip(&best).enumerate() {
                if plain != best {
                    // Zero by zero and the like.
                    for lane in 0..LANES {
                        let nan = f32::from_bits(plain[lane]).is_nan() || is_nan(0, plain[lane]);
                        assert!(plain[lane] == best[lane] || nan, "{at} {lane}");
                    }
                }
            }
        }
    }
}
