//! Products of patches and columns: what convolutions and matrix products are.
//!
//! # Problem
//! An output has rows of `columns` sums, each over `depth` products of a row's values (its patch) and a
//! column's. The values are elements of narrow types minus a zero point.
//!
//! # Approach
//! The columns are packed: blocks of [`LANES`] columns, in a block all columns' values of one place in the
//! depth side by side ([`Packed`]). Patches of up to [`TILE_ROWS`] rows are gathered into a tile with the
//! same order of places ([`Patches`]). [`tile_sums`] then reads both front to back, and keeps all sums of a
//! tile and a block in registers. Bytes are multiplied by the processor's tiles where it has them
//! ([`super::tile_gemm`]): the same parts, other rows of a tile, another order of places.
//!
//! # Invariant
//! A sum is made in the order of places, by products and sums that are rounded each, so the width of vectors
//! and the division among threads change no bit.

use super::block::{BLOCK, Number, load_f32, load_i32};
use crate::Element;
use crate::Threads;
use crate::multiversion::{Vectorized, vectorize};
use crate::threads::divide_items;
use pyro_util::sync::Mutex;

/// Columns of a block.
pub(crate) const LANES: usize = 16;
/// Rows of a tile at most, where sums are kept in registers of vectors.
const TILE_ROWS: usize = 6;
/// Tiles that a block of columns is used for before the next.
pub(super) const STRIP_TILES: usize = 8;
/// Bytes that the tiles of a strip shall have at most.
const STRIP_BYTES: usize = 1 << 18;

/// The numbers of a product.
pub(crate) trait Arithmetic: Sized + Send + Sync + 'static {
    /// An element minus its zero point.
    type Value: Copy + Default + Send + Sync;
    /// A sum of products.
    type Sum: Number;
    /// Places in the depth whose values lie side by side in columns.
    const SIDE: usize;
    /// The same in tiles of rows.
    const ROW_SIDE: usize = Self::SIDE;
    /// What the depth is rounded up to a multiple of.
    const DEPTH_UNIT: usize = Self::SIDE;
    /// Rows of a tile at most.
    const ROWS: usize = TILE_ROWS;
    /// What parts have a multiple of, of blocks of columns.
    const BLOCKS: usize = 1;
    /// Products that are worth a part of their own.
    const PART_PRODUCTS: usize = 1 << 16;

    /// The values of elements.
    fn load(element: Element, bytes: &[u8], zero_point: i32, values: &mut [Self::Value]);

    /// Adds the products of a row's values and those of a block's columns at [`Arithmetic::SIDE`] places.
    fn add(sums: &mut [Self::Sum; LANES], row: &[Self::Value], columns: &[Self::Value]);

    /// The sum of two sums.
    fn sum(a: Self::Sum, b: Self::Sum) -> Self::Sum;

    /// The sums of packed columns' values, blocks of which have so many: none where nobody asks.
    fn column_sums(_values: &[Self::Value], _block: usize) -> Vec<Self::Sum> {
        Vec::new()
    }

    /// Computes a part of an output.
    fn run_part(product: &Product<'_, Self>, part: &mut Part<'_>) {
        vectorize(RunPart { product, part });
    }
}

/// Floating-point numbers.
pub(crate) struct Floats;

impl Arithmetic for Floats {
    type Value = f32;
    type Sum = f32;
    const SIDE: usize = 1;

    #[inline(always)]
    fn load(element: Element, bytes: &[u8], _zero_point: i32, values: &mut [f32]) {
        load_f32(element, bytes, values);
    }

    #[inline(always)]
    fn add(sums: &mut [f32; LANES], row: &[f32], columns: &[f32]) {
        let value = row[0];
        for (sum, &column) in sums.iter_mut().zip(columns) {
            *sum += value * column;
        }
    }

    #[inline(always)]
    fn sum(a: f32, b: f32) -> f32 {
        a + b
    }
}

/// `i8_t` with sums of 32 bits: differences from zero points have 9 bits, pairs of products 18.
pub(crate) struct Bytes;

impl Arithmetic for Bytes {
    type Value = i16;
    type Sum = i32;
    const SIDE: usize = 2;

    #[inline(always)]
    fn load(_element: Element, bytes: &[u8], zero_point: i32, values: &mut [i16]) {
        for (value, &byte) in values.iter_mut().zip(bytes) {
            *value = i16::from(byte as i8) - zero_point as i16;
        }
    }

    #[inline(always)]
    fn add(sums: &mut [i32; LANES], row: &[i16], columns: &[i16]) {
        let [first, second] = [row[0], row[1]].map(i32::from);
        for (sum, pair) in sums.iter_mut().zip(columns.as_chunks::<2>().0) {
            let [a, b] = pair.map(i32::from);
            *sum = sum.wrapping_add(first * a + second * b);
        }
    }

    #[inline(always)]
    fn sum(a: i32, b: i32) -> i32 {
        a.wrapping_add(b)
    }
}

/// `i16_t` with sums of 64 bits, of which 48 are used.
pub(crate) struct Words;

impl Arithmetic for Words {
    type Value = i32;
    type Sum = i64;
    const SIDE: usize = 1;

    #[inline(always)]
    fn load(element: Element, bytes: &[u8], zero_point: i32, values: &mut [i32]) {
        load_i32(element, bytes, values);
        for value in values {
            *value -= zero_point;
        }
    }

    #[inline(always)]
    fn add(sums: &mut [i64; LANES], row: &[i32], columns: &[i32]) {
        let value = i64::from(row[0]);
        for (sum, &column) in sums.iter_mut().zip(columns) {
            *sum = sum.wrapping_add(value * i64::from(column));
        }
    }

    #[inline(always)]
    fn sum(a: i64, b: i64) -> i64 {
        a.wrapping_add(b)
    }
}

/// Columns in the order in which they are read.
pub(crate) struct Packed<A: Arithmetic> {
    pub(super) values: Vec<A::Value>,
    /// [`Arithmetic::column_sums`]
    pub(super) sums: Vec<A::Sum>,
    pub(super) zero_point: i32,
    pub(super) depth: usize,
    columns: usize,
}

/// Where the values of columns are.
pub(crate) struct Columns<'a> {
    pub(crate) element: Element,
    pub(crate) bytes: &'a [u8],
    pub(crate) zero_point: i32,
    /// Values of a column.
    pub(crate) depth: usize,
    /// How many columns.
    pub(crate) columns: usize,
    /// Columns lie one behind the other, each with its values side by side; else values of one place in the
    /// depth do.
    pub(crate) by_column: bool,
}

impl<A: Arithmetic> Packed<A> {
    /// Values of a block.
    pub(super) fn block(depth: usize) -> usize {
        depth.next_multiple_of(A::DEPTH_UNIT) * LANES
    }

    /// Packs columns.
    pub(crate) fn new(from: &Columns<'_>, threads: &dyn Threads) -> Packed<A> {
        let Columns { depth, columns, .. } = *from;
        let block = Packed::<A>::block(depth);
        let mut values = vec![A::Value::default(); columns.div_ceil(LANES) * block];
        divide_items(threads, &mut values, block, |number, values| {
            vectorize(PackBlock::<A> { from, first: number * LANES, values });
        });
        let sums = A::column_sums(&values, block);
        Packed { values, sums, zero_point: from.zero_point, depth, columns }
    }
}

struct PackBlock<'a, A: Arithmetic> {
    from: &'a Columns<'a>,
    first: usize,
    values: &'a mut [A::Value],
}

impl<A: Arithmetic> Vectorized for PackBlock<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Columns { element, bytes, zero_point, depth, columns, by_column } = *self.from;
        let count = (columns - self.first).min(LANES);
        let mut buffer = [A::Value::default(); BLOCK];
        let place = |lane: usize, at: usize| (at / A::SIDE * LANES + lane) * A::SIDE + at % A::SIDE;
        if by_column {
            for lane in 0..count {
                for start in (0..depth).step_by(BLOCK) {
                    let here = (depth - start).min(BLOCK);
                    let from = ((self.first + lane) * depth + start) * element.bytes();
                    A::load(element, &bytes[from..], zero_point, &mut buffer[..here]);
                    for (at, &value) in buffer[..here].iter().enumerate() {
                        self.values[place(lane, start + at)] = value;
                    }
                }
            }
        } else {
            // Places that lie side by side in a column are read together.
            for at in (0..depth).step_by(A::SIDE) {
                let side = (depth - at).min(A::SIDE);
                for (row, buffer) in buffer.chunks_exact_mut(LANES).enumerate().take(side) {
                    let from = ((at + row) * columns + self.first) * element.bytes();
                    A::load(element, &bytes[from..], zero_point, &mut buffer[..count]);
                }
                let to = &mut self.values[place(0, at)..][..LANES * A::SIDE];
                if side == A::SIDE && count == LANES {
                    for (lane, values) in to.chunks_exact_mut(A::SIDE).enumerate() {
                        for (row, value) in values.iter_mut().enumerate() {
                            *value = buffer[row * LANES + lane];
                        }
                    }
                } else {
                    for (lane, values) in to.chunks_exact_mut(A::SIDE).enumerate().take(count) {
                        for (row, value) in values.iter_mut().enumerate().take(side) {
                            *value = buffer[row * LANES + lane];
                        }
                    }
                }
            }
        }
    }
}

/// Rows of a tile, of which one is filled.
pub(crate) struct TileRow<'t, A: Arithmetic> {
    pub(super) tile: &'t mut [A::Value],
    pub(super) rows: usize,
    pub(super) row: usize,
}

impl<A: Arithmetic> TileRow<'_, A> {
    /// Puts the values of elements, which lie side by side, at places from `start` on. The others are zero.
    pub(crate) fn put(&mut self, start: usize, count: usize, from: (Element, &[u8]), zero_point: i32) {
        vectorize(PutValues { row: self, start, count, from, zero_point });
    }
}

struct PutValues<'a, 't, A: Arithmetic> {
    row: &'a mut TileRow<'t, A>,
    start: usize,
    count: usize,
    from: (Element, &'a [u8]),
    zero_point: i32,
}

impl<A: Arithmetic> Vectorized for PutValues<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let PutValues { row: to, start, count, from: (element, bytes), zero_point } = self;
        let mut buffer = [A::Value::default(); BLOCK];
        for first in (0..count).step_by(BLOCK) {
            let here = (count - first).min(BLOCK);
            A::load(element, &bytes[first * element.bytes()..], zero_point, &mut buffer[..here]);
            let at = start + first;
            // Places of a group that has begun, whole groups, and the rest.
            let begun = ((A::ROW_SIDE - at % A::ROW_SIDE) % A::ROW_SIDE).min(here);
            let (before, groups) = buffer[..here].split_at(begun);
            let place = |at: usize| (at / A::ROW_SIDE * to.rows + to.row) * A::ROW_SIDE + at % A::ROW_SIDE;
            to.tile[place(at)..][..begun].copy_from_slice(before);
            let mut groups = groups.chunks_exact(A::ROW_SIDE);
            let places = to.tile.get_mut(place(at + begun)..).unwrap_or_default();
            for (to, group) in places.chunks_mut(A::ROW_SIDE).step_by(to.rows).zip(&mut groups) {
                to[..A::ROW_SIDE].copy_from_slice(group);
            }
            let rest = groups.remainder();
            if !rest.is_empty() {
                let at = start + first + here - rest.len();
                to.tile[place(at)..][..rest.len()].copy_from_slice(rest);
            }
        }
    }
}

/// The values of rows.
pub(crate) trait Patches<A: Arithmetic>: Sync {
    /// What an element that counts as zero has.
    fn zero_point(&self) -> i32;

    /// Fills in the values of a row of the output.
    fn fill(&self, row: usize, to: &mut TileRow<'_, A>);
}

/// A product to be computed.
pub(crate) struct Product<'a, A: Arithmetic> {
    pub(crate) patches: &'a dyn Patches<A>,
    pub(crate) packed: &'a Packed<A>,
    /// What is added to the sums of the columns: one for each, or one for all, or none.
    pub(crate) bias: &'a [A::Sum],
    /// The type of the output.
    pub(crate) element: Element,
}

/// Part of an output: rows from `row` on, of each the columns from the block `block` on.
pub(crate) struct Part<'o> {
    pub(super) row: usize,
    pub(super) block: usize,
    pub(super) rows: Vec<&'o mut [u8]>,
}

impl<A: Arithmetic> Product<'_, A> {
    /// Computes all rows of an output, or those of a batch from `first_row` on.
    pub(crate) fn run(&self, output: &mut [u8], first_row: usize, threads: &dyn Threads) {
        let Packed { depth, columns, .. } = *self.packed;
        let bytes = self.element.bytes();
        let rows = output.len() / (columns * bytes);
        let wanted = threads.count() * 4;
        // As few rows in a part as give all threads something to do; of few rows, parts of the columns.
        let row_products = (depth * columns).max(1);
        let least = A::PART_PRODUCTS.div_ceil(row_products);
        let part_rows = rows.div_ceil(wanted).max(least).next_multiple_of(A::ROWS);
        let row_parts = rows.div_ceil(part_rows);
        let blocks = columns.div_ceil(LANES);
        let part_blocks = if row_parts >= wanted {
            blocks
        } else {
            let least = A::PART_PRODUCTS.div_ceil((depth * LANES * part_rows.min(rows)).max(1));
            blocks.div_ceil(wanted.div_ceil(row_parts)).max(least).next_multiple_of(A::BLOCKS).min(blocks)
        };
        let mut parts: Vec<Part<'_>> = Vec::new();
        for (number, part) in output.chunks_mut(part_rows * columns * bytes).enumerate() {
            let start = parts.len();
            let row = first_row + number * part_rows;
            for block in (0..blocks).step_by(part_blocks) {
                parts.push(Part { row, block, rows: Vec::new() });
            }
            for row in part.chunks_mut(columns * bytes) {
                let segments = row.chunks_mut(part_blocks * LANES * bytes);
                parts[start..].iter_mut().zip(segments).for_each(|(part, segment)| part.rows.push(segment));
            }
        }
        let parts: Vec<Mutex<Part<'_>>> = parts.into_iter().map(Mutex::new).collect();
        threads.for_each(parts.len(), &|number| {
            A::run_part(self, &mut parts[number].lock());
        });
    }
}

struct RunPart<'a, 'o, A: Arithmetic> {
    product: &'a Product<'a, A>,
    part: &'a mut Part<'o>,
}

impl<A: Arithmetic> Vectorized for RunPart<'_, '_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let RunPart { product, part } = self;
        let depth = product.packed.depth.next_multiple_of(A::SIDE);
        let tile = depth * TILE_ROWS;
        let strip = (STRIP_BYTES / (tile * size_of::<A::Value>()).max(1)).clamp(1, STRIP_TILES);
        let mut tiles = vec![A::Value::default(); tile * strip];
        let Part { row, block, rows } = part;
        for (number, rows) in rows.chunks_mut(strip * TILE_ROWS).enumerate() {
            tiles.fill(A::Value::default());
            let first = *row + number * strip * TILE_ROWS;
            for (at, (tile, rows)) in tiles.chunks_mut(tile).zip(rows.chunks(TILE_ROWS)).enumerate() {
                for row in 0..rows.len() {
                    let to = &mut TileRow { tile, rows: rows.len(), row };
                    product.patches.fill(first + at * TILE_ROWS + row, to);
                }
            }
            let bytes = product.element.bytes();
            let width = rows.first().map_or(0, |row| row.len() / bytes);
            for (number, column) in (0..width).step_by(LANES).enumerate() {
                let size = Packed::<A>::block(product.packed.depth);
                let values = &product.packed.values[(*block + number) * size..][..size];
                let lanes = (width - column).min(LANES);
                let bias = Bias::new(product.bias, (*block + number) * LANES, lanes);
                for (tile, rows) in tiles.chunks(tile).zip(rows.chunks_mut(TILE_ROWS)) {
                    let tile = &tile[..depth * rows.len()];
                    let mut sums = [[A::Sum::default(); LANES]; TILE_ROWS];
                    match rows.len() {
                        1 => tile_sums::<A, 1>(tile, values, &mut sums),
                        2 => tile_sums::<A, 2>(tile, values, &mut sums),
                        3 => tile_sums::<A, 3>(tile, values, &mut sums),
                        4 => tile_sums::<A, 4>(tile, values, &mut sums),
                        5 => tile_sums::<A, 5>(tile, values, &mut sums),
                        _ => tile_sums::<A, TILE_ROWS>(tile, values, &mut sums),
                    }
                    for (row, sums) in rows.iter_mut().zip(&mut sums) {
                        bias.add::<A>(sums);
                        let to = &mut row[column * bytes..(column + lanes) * bytes];
                        A::Sum::store(product.element, &sums[..lanes], to);
                    }
                }
            }
        }
    }
}

/// What is added to a block's columns.
pub(super) struct Bias<T> {
    values: [T; LANES],
    is_there: bool,
}

impl<T: Number> Bias<T> {
    #[inline(always)]
    pub(super) fn new(all: &[T], first: usize, lanes: usize) -> Bias<T> {
        let mut values = [T::default(); LANES];
        match all {
            [] => {}
            [one] => values.fill(*one),
            all => values[..lanes].copy_from_slice(&all[first..first + lanes]),
        }
        Bias { values, is_there: !all.is_empty() }
    }

    #[inline(always)]
    pub(super) fn add<A: Arithmetic<Sum = T>>(&self, sums: &mut [T; LANES]) {
        if self.is_there {
            for (sum, &bias) in sums.iter_mut().zip(&self.values) {
                *sum = A::sum(*sum, bias);
            }
        }
    }
}

/// The sums of a tile of so many rows and a block of columns.
#[inline(always)]
fn tile_sums<A: Arithmetic, const ROWS: usize>(
    tile: &[A::Value],
    columns: &[A::Value],
    to: &mut [[A::Sum; LANES]; TILE_ROWS],
) {
    let mut sums = [[A::Sum::default(); LANES]; ROWS];
    let places = tile.chunks_exact(ROWS * A::SIDE).zip(columns.chunks_exact(LANES * A::SIDE));
    for (rows, columns) in places {
        for (row, sums) in sums.iter_mut().enumerate() {
            A::add(sums, &rows[row * A::SIDE..(row + 1) * A::SIDE], columns);
        }
    }
    to[..ROWS].copy_from_slice(&sums);
}

#[cfg(test)]
mod tests {
    use super::super::tile_gemm::ByteTiles;
    use super::*;

    /// Puts ranges of places into a row, and finds each value where its place is.
    fn put_and_find<A: Arithmetic<Value: PartialEq + std::fmt::Debug>>() {
        const DEPTH: usize = 700;
        let bytes: Vec<u8> = (1..=DEPTH).map(|at| (at % 113) as u8 + 1).collect();
        let mut values = vec![A::Value::default(); DEPTH];
        A::load(Element::I8, &bytes, 0, &mut values);
        for (rows, row) in [(1, 0), (3, 1), (16, 15)] {
            for (start, count) in [(0, DEPTH), (5, 2), (63, 1), (63, 130), (1, 600), (698, 2)] {
                let mut tile = vec![A::Value::default(); DEPTH.next_multiple_of(A::ROW_SIDE) * rows];
                let to = &mut TileRow::<A> { tile: &mut tile, rows, row };
                to.put(start, count, (Element::I8, &bytes[start..]), 0);
                let place = |at: usize| (at / A::ROW_SIDE * rows + row) * A::ROW_SIDE + at % A::ROW_SIDE;
                for at in start..start + count {
                    assert_eq!(tile[place(at)], values[at], "place {at} of {rows} rows");
                }
                let filled = tile.iter().filter(|&&value| value != A::Value::default()).count();
                assert_eq!(filled, count, "nothing else");
            }
        }
    }

    #[test]
    fn values_of_rows_are_put_at_their_places() {
        put_and_find::<Bytes>();
        put_and_find::<ByteTiles>();
    }
}
