//! [`Vector`] as arrays, which the compiler turns into vectors of the processor that it compiles for.

use crate::graphics::simd::lanes::{LANES, Row};
use crate::graphics::simd::signs::{negative, nowhere_negative};
use crate::graphics::simd::transpose::transposed;
use crate::graphics::simd::vector::Vector;

/// Arrays.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

/// A value for each lane, from those of vectors with the same names.
macro_rules! lanes {
    ($($name:ident),+ => $value:expr) => {{
        let mut values = [Default::default(); LANES];
        for (lane, at) in values.iter_mut().enumerate() {
            $(let $name = $name[lane];)+
            *at = $value;
        }
        values
    }};
}

impl Vector for Plain {
    type Ints = [i32; LANES];
    type Floats = [f32; LANES];
    type Doubles = [f64; LANES];
    /// All bits or none.
    type Mask = [i32; LANES];

    #[inline(always)]
    fn load(values: &[u32; LANES]) -> [i32; LANES] {
        lanes!(values => values as i32)
    }

    #[inline(always)]
    fn threes(values: &[u32; 3 * LANES]) -> [[i32; LANES]; 3] {
        let mut threes = [[0; LANES]; 3];
        for (lane, three) in values.as_chunks::<3>().0.iter().enumerate() {
            for (words, &word) in threes.iter_mut().zip(three) {
                words[lane] = word as i32;
            }
        }
        threes
    }

    #[inline(always)]
    fn store(values: [i32; LANES]) -> [u32; LANES] {
        lanes!(values => values as u32)
    }

    #[inline(always)]
    fn store_ints(values: [i32; LANES]) -> [i32; LANES] {
        values
    }

    #[inline(always)]
    fn ints(value: i32) -> [i32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn add(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_add(b))
    }

    #[inline(always)]
    fn sub(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_sub(b))
    }

    #[inline(always)]
    fn mul(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a.wrapping_mul(b))
    }

    #[inline(always)]
    fn min(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn and(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a & b)
    }

    #[inline(always)]
    fn or(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a | b)
    }

    #[inline(always)]
    fn pixels(a: [i32; LANES]) -> [i32; LANES] {
        lanes!(a => a >> 8)
    }

    #[inline(always)]
    fn units(a: [i32; LANES]) -> [i32; LANES] {
        lanes!(a => a << 8)
    }

    #[inline(always)]
    fn less(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => -i32::from(a < b))
    }

    #[inline(always)]
    fn equal(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => -i32::from(a == b))
    }

    #[inline(always)]
    fn both(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a & b)
    }

    #[inline(always)]
    fn either(a: [i32; LANES], b: [i32; LANES]) -> [i32; LANES] {
        lanes!(a, b => a | b)
    }

    #[inline(always)]
    fn select(mask: [i32; LANES], then: [i32; LANES], otherwise: [i32; LANES]) -> [i32; LANES] {
        lanes!(mask, then, otherwise => then & mask | otherwise & !mask)
    }

    #[inline(always)]
    fn bits(mask: [i32; LANES]) -> u32 {
        negative(&mask)
    }

    #[inline(always)]
    fn floats(value: f32) -> [f32; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn float_bits(a: [f32; LANES]) -> [i32; LANES] {
        lanes!(a => a.to_bits() as i32)
    }

    #[inline(always)]
    fn floats_of(bits: [i32; LANES]) -> [f32; LANES] {
        lanes!(bits => f32::from_bits(bits as u32))
    }

    #[inline(always)]
    fn sub_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => a - b)
    }

    #[inline(always)]
    fn min_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn max_floats(a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn doubles(value: f64) -> [f64; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn doubles_of(values: &[f64; LANES]) -> [f64; LANES] {
        *values
    }

    #[inline(always)]
    fn store_doubles(a: [f64; LANES]) -> [f64; LANES] {
        a
    }

    #[inline(always)]
    fn low(a: [f64; LANES]) -> [i32; LANES] {
        lanes!(a => a.to_bits() as i32)
    }

    #[inline(always)]
    fn root(a: [f64; LANES]) -> [f64; LANES] {
        lanes!(a => a.sqrt())
    }

    #[inline(always)]
    fn join(low: [i32; LANES], high: [i32; LANES]) -> [f64; LANES] {
        lanes!(low, high => f64::from_bits(u64::from(low as u32) | u64::from(high as u32) << 32))
    }

    #[inline(always)]
    fn to_doubles(a: [i32; LANES]) -> [f64; LANES] {
        lanes!(a => f64::from(a))
    }

    #[inline(always)]
    fn to_floats(a: [f64; LANES]) -> [f32; LANES] {
        lanes!(a => a as f32)
    }

    #[inline(always)]
    fn plus(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a + b)
    }

    #[inline(always)]
    fn minus(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a - b)
    }

    #[inline(always)]
    fn times(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a * b)
    }

    #[inline(always)]
    fn over(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => a / b)
    }

    #[inline(always)]
    fn least(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => if a < b { a } else { b })
    }

    #[inline(always)]
    fn most(a: [f64; LANES], b: [f64; LANES]) -> [f64; LANES] {
        lanes!(a, b => if a > b { a } else { b })
    }

    #[inline(always)]
    fn select_doubles(mask: [i32; LANES], then: [f64; LANES], otherwise: [f64; LANES]) -> [f64; LANES] {
        lanes!(mask, then, otherwise => if mask != 0 { then } else { otherwise })
    }

    #[inline(always)]
    fn quads(table: &[Row], places: [i32; LANES]) -> [[i32; LANES]; 4] {
        let four = |place: i32| {
            let place = (place as u32 as usize).min(LANES / 4 * table.len() - 1);
            &table[place / 4].0.as_chunks::<4>().0[place % 4]
        };
        let mut words = [[0; LANES]; 4];
        for (at, &[a, b, c, d]) in places.as_chunks::<4>().0.iter().enumerate() {
            let columns = transposed([four(a), four(b), four(c), four(d)]);
            for (words, column) in words.iter_mut().zip(&columns) {
                for (to, &word) in words[4 * at..][..4].iter_mut().zip(column) {
                    *to = word as i32;
                }
            }
        }
        words
    }

    #[inline(always)]
    fn to_quads(words: [[i32; LANES]; 4]) -> [Row; 4] {
        let mut rows = [Row::default(); 4];
        for at in 0..LANES / 4 {
            let mut parts = [[0; 4]; 4];
            for (part, words) in parts.iter_mut().zip(&words) {
                for (to, &word) in part.iter_mut().zip(&words[4 * at..][..4]) {
                    *to = word as u32;
                }
            }
            let [a, b, c, d] = &parts;
            for (row, lane) in rows.iter_mut().zip(transposed([a, b, c, d])) {
                row.0.as_chunks_mut::<4>().0[at] = lane;
            }
        }
        rows
    }

    #[inline(always)]
    fn uncrossed(values: [i32; 3], steps: [i32; 3], _: &[i32; LANES]) -> u64 {
        let [p, q, r] = values;
        let [a, b, c] = steps.map(|step| [i32::from(step as i16), step >> 16]);
        nowhere_negative([[p, a[0], a[1]], [q, b[0], b[1]], [r, c[0], c[1]]])
    }

    #[inline(always)]
    fn transpose(rows: &[Row; LANES], to: &mut [Row], step: usize) {
        for (at, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
            for part in 0..LANES / 4 {
                let four = |row: &'_ Row| row.0.as_chunks::<4>().0[part];
                let (a, b, c, d) = (four(&rows[0]), four(&rows[1]), four(&rows[2]), four(&rows[3]));
                for (column, words) in (4 * part..).zip(transposed([&a, &b, &c, &d])) {
                    if let Some(to) = to.get_mut(column * step) {
                        to.0.as_chunks_mut::<4>().0[at] = words;
                    }
                }
            }
        }
    }
}
