//! Products of `i8_t` by the processor's tiles.
//!
//! Tiles multiply the elements as they are. What zero points change is added behind: the product of a row's
//! `a - p` and a column's `b - q` is the sum of all `a * b`, less `q` times the sum of `a` and `p` times the
//! sum of `b`, and `p * q` for each place. Everything wraps in 32 bits, so these are the sums of [`Bytes`].
//!
//! [`Bytes`]: super::gemm::Bytes

use super::block::Number;
use super::gemm::{Arithmetic, Bias, LANES, Packed, Part, Product, STRIP_TILES, TileRow};
use crate::Element;
use crate::multiversion::{Vectorized, vectorize};
use pyro_tiles::{BYTES, COLUMNS, GROUP, ROW_BYTES, ROWS, Sums, Tiles, Unit};

/// Tiles of each list that are multiplied before the next rows': what a pair of blocks of columns has in
/// them stays in the first cache.
const STEPS: usize = 16;
/// Bytes that the tiles of rows of a strip shall have at most: a part of the second cache.
const STRIP_BYTES: usize = 1 << 20;
/// Blocks of columns that are multiplied at once.
const PAIR: usize = 2;

/// `i8_t` with sums of 32 bits, by tiles.
pub(crate) struct ByteTiles;

impl ByteTiles {
    /// Whether there are tiles; the system is asked for them.
    pub(crate) fn are_there() -> bool {
        Tiles::get().is_some()
    }
}

const _: () = assert!(LANES == COLUMNS, "a block of columns is a tile's");

impl Arithmetic for ByteTiles {
    type Value = i8;
    type Sum = i32;
    const SIDE: usize = GROUP;
    const ROW_SIDE: usize = ROW_BYTES;
    const DEPTH_UNIT: usize = ROW_BYTES;
    const ROWS: usize = 2 * ROWS;
    const BLOCKS: usize = PAIR;
    const PART_PRODUCTS: usize = 1 << 20;

    #[inline(always)]
    fn load(_element: Element, bytes: &[u8], _zero_point: i32, values: &mut [i8]) {
        for (value, &byte) in values.iter_mut().zip(bytes) {
            *value = byte as i8;
        }
    }

    #[inline(always)]
    fn add(sums: &mut [i32; LANES], row: &[i8], columns: &[i8]) {
        for (sum, column) in sums.iter_mut().zip(columns.chunks(GROUP)) {
            *sum = column
                .iter()
                .zip(row)
                .fold(*sum, |sum, (&a, &b)| sum.wrapping_add(i32::from(a) * i32::from(b)));
        }
    }

    #[inline(always)]
    fn sum(a: i32, b: i32) -> i32 {
        a.wrapping_add(b)
    }

    fn column_sums(values: &[i8], block: usize) -> Vec<i32> {
        values.chunks(block.max(1)).flat_map(|values| vectorize(SumColumns { values })).collect()
    }

    fn run_part(product: &Product<'_, Self>, part: &mut Part<'_>) {
        // Kernels for tiles are made where there are some.
        if let Some(tiles) = Tiles::get() {
            tiles.with(|unit| TilePart { product, unit }.run(part));
        }
    }
}

struct SumColumns<'a> {
    values: &'a [i8],
}

impl Vectorized for SumColumns<'_> {
    type Output = [i32; LANES];

    #[inline(always)]
    fn run(self) -> [i32; LANES] {
        let mut sums = [0; LANES];
        for values in self.values.chunks_exact(LANES * GROUP) {
            ByteTiles::add(&mut sums, &[1; GROUP], values);
        }
        sums
    }
}

struct TilePart<'a> {
    product: &'a Product<'a, ByteTiles>,
    unit: &'a Unit,
}

impl TilePart<'_> {
    fn run(&self, part: &mut Part<'_>) {
        let depth = self.product.packed.depth.next_multiple_of(ROW_BYTES);
        let rows_each = ByteTiles::ROWS;
        let tile = depth * rows_each;
        let strip =
            (STRIP_BYTES / tile.max(1)).clamp(1, STRIP_TILES).min(part.rows.len().div_ceil(rows_each));
        let zero_point = self.product.patches.zero_point();
        let mut tiles = vec![0; tile * strip];
        let mut sums = vec![Sums::default(); strip];
        let mut row_terms = vec![0; strip * rows_each];
        let Part { row, block, rows } = part;
        for (number, rows) in rows.chunks_mut(strip * rows_each).enumerate() {
            tiles.fill(zero_point as i8);
            let first = *row + number * strip * rows_each;
            for at in 0..rows.len() {
                // Lists of 16 rows one behind the other.
                let list = &mut tiles[at / ROWS * (depth * ROWS)..][..depth * ROWS];
                self.product
                    .patches
                    .fill(first + at, &mut TileRow { tile: list, rows: ROWS, row: at % ROWS });
            }
            self.row_terms(&tiles, depth, &mut row_terms[..rows.len()]);
            let width = rows.first().map_or(0, |row| row.len() / self.product.element.bytes());
            for pair in (0..width.div_ceil(LANES)).step_by(PAIR) {
                self.products(*block + pair, depth, &tiles, rows.len(), &mut sums);
                let blocks = (width.div_ceil(LANES) - pair).min(PAIR);
                for right in 0..blocks {
                    let block = *block + pair + right;
                    let column = (pair + right) * LANES;
                    let lanes = (width - column).min(LANES);
                    let columns = self.column_terms(block, lanes);
                    let (rows, terms) = (&mut *rows, &row_terms[..]);
                    let bias = Bias::new(self.product.bias, block * LANES, lanes);
                    let (sums, element) = (&sums[..], self.product.element);
                    vectorize(Finish { sums, right, column, lanes, rows, terms, columns, bias, element });
                }
            }
        }
    }

    /// The sums of a strip's rows and a pair of blocks.
    fn products(&self, block: usize, depth: usize, tiles: &[i8], rows: usize, sums: &mut [Sums]) {
        let packed = self.product.packed;
        let size = Packed::<ByteTiles>::block(packed.depth);
        let columns = |block: usize| packed.values.get(block * size..(block + 1) * size);
        let Some(left) = columns(block) else { return };
        // Behind the last block nobody reads the sums.
        let right = columns(block + 1).unwrap_or(left);
        for start in (0..depth * ROWS).step_by(STEPS * BYTES) {
            let steps = start..(start + STEPS * BYTES).min(depth * ROWS);
            let columns = [&left[steps.clone()], &right[steps.clone()]];
            for (at, sums) in sums.iter_mut().enumerate().take(rows.div_ceil(ByteTiles::ROWS)) {
                let list =
                    |half: usize| &tiles[(2 * at + half) * depth * ROWS..][..depth * ROWS][steps.clone()];
                let has_more = rows > at * ByteTiles::ROWS + ROWS;
                let lists = (list(0), has_more.then(|| list(1)));
                self.unit.add_products(lists, columns, sums, start == 0);
            }
        }
    }

    /// What is added to the sums of rows.
    fn row_terms(&self, tiles: &[i8], depth: usize, terms: &mut [i32]) {
        let factor = self.product.packed.zero_point;
        terms.fill(0);
        if factor == 0 {
            return;
        }
        let behind = (depth - self.product.packed.depth) as i32;
        let surplus = behind.wrapping_mul(self.product.patches.zero_point());
        for (at, term) in terms.iter_mut().enumerate() {
            let list = &tiles[at / ROWS * depth * ROWS..][..depth * ROWS];
            let sum = list.chunks_exact(BYTES).fold(0_i32, |sum, tile| {
                let row = &tile[at % ROWS * ROW_BYTES..][..ROW_BYTES];
                sum.wrapping_add(row.iter().map(|&value| i32::from(value)).sum())
            });
            *term = surplus.wrapping_sub(sum).wrapping_mul(factor);
        }
    }

    /// What is added to the sums of a block's columns.
    fn column_terms(&self, block: usize, lanes: usize) -> [i32; LANES] {
        let Packed { sums, zero_point, depth, .. } = self.product.packed;
        let all = (*depth as i32).wrapping_mul(*zero_point);
        let mut terms = [0; LANES];
        for (term, &sum) in terms[..lanes].iter_mut().zip(&sums[block * LANES..]) {
            *term = all.wrapping_sub(sum).wrapping_mul(self.product.patches.zero_point());
        }
        terms
    }
}

/// Makes elements of the output of a block's sums.
struct Finish<'a, 'o> {
    sums: &'a [Sums],
    /// Which block of the pair.
    right: usize,
    /// Its first column in the rows.
    column: usize,
    lanes: usize,
    rows: &'a mut [&'o mut [u8]],
    /// What is added to rows and columns.
    terms: &'a [i32],
    columns: [i32; LANES],
    bias: Bias<i32>,
    element: Element,
}

impl Vectorized for Finish<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let bytes = self.element.bytes();
        let mut columns = self.columns;
        self.bias.add::<ByteTiles>(&mut columns);
        for (at, (row, &term)) in self.rows.iter_mut().zip(self.terms).enumerate() {
            let sums = &self.sums[at / ByteTiles::ROWS].0[at % ByteTiles::ROWS];
            let mut found = columns;
            for (found, &sum) in found.iter_mut().zip(&sums[self.right * LANES..][..LANES]) {
                *found = found.wrapping_add(sum).wrapping_add(term);
            }
            let to = &mut row[self.column * bytes..(self.column + self.lanes) * bytes];
            i32::store(self.element, &found[..self.lanes], to);
        }
    }
}
