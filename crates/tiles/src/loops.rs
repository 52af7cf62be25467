//! Loops of products that generated code asks for (`pyro_abi::tiles`): a call record says which matrices are
//! loaded in each iteration, and which products are added to which sums.
//!
//! The iterations' bytes are one long depth. So many steps of it as fit a buffer are put there in the order
//! that tiles want ([`super::pack`]), for 16 rows or columns a *panel*; then each block of sums is multiplied
//! from two panels of rows and two of columns.
//!
//! Nothing is read that the shader's loop would not read: where any matrix of any iteration would not lie in
//! its memory, no iteration is run, and the loop does what it does about that.

use crate::pack::{self, Lines};
use crate::{BYTES, ROW_BYTES, ROWS, Tiles};
use pyro_abi::Callable;
use pyro_abi::tiles::{COUNTER, DONE, LIMIT, STEP, Shape, matrix, product_parts};

/// The function's address.
pub(crate) fn function() -> u64 {
    static FUNCTION: Callable = Callable { entry: crate::entry::entry, context: 0 };
    (&raw const FUNCTION).expose_provenance() as u64
}

/// Products of single bytes below which a loop is left alone: setting tiles up takes as long as some
/// iterations. Twice as many where there is one tile of sums, for which factors are packed but once used.
const PRODUCTS_MIN: u64 = 1 << 17;
/// The same that are run at most: the call is not interrupted.
const PRODUCTS_MAX: u64 = 1 << 32;
/// Bytes of panels that are packed at once: a part of the second cache.
const PACKED_BYTES: usize = 1 << 18;
/// Steps of a panel that are packed at once at most.
const STEPS_MAX: usize = 32;

/// A matrix that is loaded in each iteration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    /// Address of its memory.
    pub(crate) base: u64,
    /// Bytes of its memory.
    pub(crate) size: u32,
    /// Offsets in the first iteration and in the second.
    pub(crate) offsets: [u32; 2],
    /// Bytes between lines.
    pub(crate) stride: u64,
    pub(crate) by_columns: bool,
}

impl Loaded {
    /// From the words of its columns.
    fn new(word: impl Fn(u32) -> u32) -> Loaded {
        Loaded {
            base: u64::from(word(matrix::BASE)) | u64::from(word(matrix::BASE_HIGH)) << 32,
            size: word(matrix::SIZE),
            offsets: [word(matrix::FIRST), word(matrix::SECOND)],
            stride: u64::from(word(matrix::STRIDE)) * u64::from(word(matrix::UNIT) / 2),
            by_columns: word(matrix::UNIT) & 1 != 0,
        }
    }

    /// Whether it lies in its memory in all of `count` iterations, lines of `bytes` bytes.
    fn is_inside(&self, count: u64, lines: u32, bytes: u32) -> bool {
        let [first, second] = self.offsets.map(i128::from);
        let last = first + (i128::from(count) - 1) * (second - first);
        let span = i128::from(lines - 1) * i128::from(self.stride) + i128::from(bytes);
        first.min(last) >= 0 && first.max(last) + span <= i128::from(self.size)
    }
}

/// How many iterations a loop has: `while counter < limit { counter += step }`.
fn iterations(counter: u32, limit: u32, step: u32, signed: bool) -> u64 {
    let wide = |word: u32| if signed { i64::from(word as i32) } else { i64::from(word) };
    let (counter, limit, step) = (wide(counter), wide(limit), wide(step));
    let greatest = if signed { i64::from(i32::MAX) } else { i64::from(u32::MAX) };
    // A counter that may wrap is the loop's own business.
    if step <= 0 || counter >= limit || limit > greatest - step {
        return 0;
    }
    (limit - counter).unsigned_abs().div_ceil(step.unsigned_abs())
}

/// What a call record describes.
pub(crate) struct Loop {
    shape: Shape,
    count: u64,
    matrices: Vec<Loaded>,
    products: Vec<[u32; 3]>,
}

impl Loop {
    /// From a record's columns, where its iterations can be run and are worth it.
    pub(crate) fn new(shape: Shape, word: impl Fn(u32) -> u32) -> Option<Loop> {
        let [rows, columns, depth] = shape.size;
        let is_whole = [rows, columns, depth].iter().all(|size| *size > 0 && size.is_multiple_of(16));
        let fits_steps =
            (ROW_BYTES as u32).is_multiple_of(depth.max(1)) || depth.is_multiple_of(ROW_BYTES as u32);
        if !is_whole || !fits_steps || shape.products == 0 {
            return None;
        }
        let each = u64::from(shape.products) * u64::from(rows) * u64::from(columns) * u64::from(depth);
        let count = iterations(word(COUNTER), word(LIMIT), word(STEP), shape.signed[2]);
        let count = count.saturating_sub(shape.leaves_last.into()).min(PRODUCTS_MAX / each);
        let is_single = shape.products == 1 && [rows, columns] == [ROWS as u32; 2];
        if count * each < PRODUCTS_MIN << u32::from(is_single) {
            return None;
        }
        let matrices: Vec<Loaded> = (0..shape.firsts + shape.seconds)
            .map(|number| Loaded::new(|column| word(Shape::matrix_column(number) + column)))
            .collect();
        let are_inside = (0..).zip(&matrices).all(|(number, matrix): (u32, &Loaded)| {
            let size = if number < shape.firsts { [rows, depth] } else { [depth, columns] };
            let [lines, bytes] = if matrix.by_columns { [size[1], size[0]] } else { size };
            matrix.is_inside(count, lines, bytes)
        });
        let products: Vec<[u32; 3]> =
            (0..shape.products).map(|number| product_parts(word(shape.product_column(number)))).collect();
        let are_named =
            products.iter().all(|&[a, b, c]| a < shape.firsts && b < shape.seconds && c < shape.sums);
        (are_inside && are_named).then_some(Loop { shape, count, matrices, products })
    }

    /// Runs the iterations: adds to sums, whose addresses `sums` gives by number. Returns how many.
    ///
    /// # Safety
    /// The matrices' memory may be read, and the sums, rows of 32-bit words one behind the other, written.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn run(&self, tiles: Tiles, sums: impl Fn(u32) -> *mut i32) -> u64 {
        let [rows, columns, depth] = self.shape.size.map(|size| size as usize);
        let (row_panels, column_panels) = (rows / ROWS, columns / ROWS);
        let firsts = self.shape.firsts as usize;
        let panel_count = firsts * row_panels + (self.matrices.len() - firsts) * column_panels;
        let steps_each = (PACKED_BYTES / (panel_count * BYTES)).clamp(1, STEPS_MAX);
        let blocks = self.blocks(&sums, columns);
        let all = (self.count as usize * depth).div_ceil(ROW_BYTES);
        let panels = self.panels(row_panels, column_panels);
        pack::with_buffer(panels.len() * steps_each, |buffer| {
            tiles.with(|unit| {
                for start in (0..all).step_by(steps_each) {
                    let steps = (all - start).min(steps_each);
                    // Panels beside each other have lines of the cache in common.
                    for step in 0..steps {
                        let places = buffer[step..].iter_mut().step_by(steps_each);
                        for ((lines, is_first), tile) in panels.iter().zip(places) {
                            // SAFETY: the matrices lie in their memory in all iterations.
                            unsafe { lines.pack((start + step) * ROW_BYTES, *is_first, tile) };
                        }
                    }
                    for block in &blocks {
                        let list = |panel: Option<usize>| Some(&buffer[panel? * steps_each..][..steps]);
                        // SAFETY: the caller's contract.
                        unsafe {
                            unit.0.add_block(
                                block.panels[0].map(list),
                                block.panels[1].map(list),
                                block.sums,
                                columns,
                                [self.shape.signed[0], self.shape.signed[1]],
                            );
                        }
                    }
                }
            });
        });
        self.count
    }

    /// The panels of all matrices, the first factors' before the others'; whether they are of one of those.
    fn panels(&self, row_panels: usize, column_panels: usize) -> Vec<(Lines, bool)> {
        let depth = self.shape.size[2] as usize;
        let mut panels = Vec::with_capacity(self.matrices.len() * row_panels.max(column_panels));
        for (number, matrix) in self.matrices.iter().enumerate() {
            let is_first = number < self.shape.firsts as usize;
            for panel in 0..if is_first { row_panels } else { column_panels } {
                let lines = Lines {
                    base: matrix.base + u64::from(matrix.offsets[0]),
                    distance: i64::from(matrix.offsets[1]) - i64::from(matrix.offsets[0]),
                    stride: matrix.stride,
                    piece: depth.min(ROW_BYTES),
                    depth,
                    end: self.count as usize * depth,
                    panel: panel * ROWS,
                    along: matrix.by_columns != is_first,
                };
                panels.push((lines, is_first));
            }
        }
        panels
    }

    /// The blocks of up to two by two tiles of sums.
    fn blocks(&self, sums: &impl Fn(u32) -> *mut i32, columns: usize) -> Vec<Block> {
        let (row_panels, column_panels) = (self.shape.size[0] as usize / ROWS, columns / ROWS);
        let firsts = self.shape.firsts as usize * row_panels;
        // Tiles of sums by panel of rows and of columns; a product of the same panels for another sum waits
        // for the next round.
        let mut waiting: Vec<(usize, usize, *mut i32)> = Vec::new();
        for &[a, b, c] in &self.products {
            for row in 0..row_panels {
                for column in 0..column_panels {
                    let to = sums(c).wrapping_add(row * ROWS * columns + column * ROWS);
                    let panels =
                        (a as usize * row_panels + row, firsts + b as usize * column_panels + column);
                    waiting.push((panels.0, panels.1, to));
                }
            }
        }
        let mut blocks = Vec::new();
        while let Some(&(a, b, to)) = waiting.first() {
            waiting.remove(0);
            let find = |a: usize, b: usize, waiting: &[(usize, usize, *mut i32)]| {
                waiting.iter().position(|tile| (tile.0, tile.1) == (a, b) && tile.2 != to)
            };
            let others = |same: bool| waiting.iter().filter(move |tile| (tile.0 == a) == same);
            let right = others(true).map(|tile| tile.1).find(|&other| other != b);
            let below = others(false).filter(|tile| tile.1 == b).map(|tile| tile.0).next();
            let square = right.zip(below).and_then(|(right, below)| {
                let places = [(a, right), (below, b), (below, right)].map(|(a, b)| find(a, b, &waiting));
                let places: Vec<usize> = places.into_iter().collect::<Option<_>>()?;
                let tiles: Vec<*mut i32> = places.iter().map(|&place| waiting[place].2).collect();
                let mut all = vec![to];
                all.extend(&tiles);
                all.sort_unstable();
                all.dedup();
                (all.len() == 4).then_some((right, below, places, tiles))
            });
            match square {
                Some((right, below, mut places, tiles)) => {
                    places.sort_unstable();
                    for &place in places.iter().rev() {
                        waiting.remove(place);
                    }
                    let sums = [to, tiles[0], tiles[1], tiles[2]];
                    blocks.push(Block { panels: [[Some(a), Some(below)], [Some(b), Some(right)]], sums });
                }
                None => blocks.push(Block { panels: [[Some(a), None], [Some(b), None]], sums: [to; 4] }),
            }
        }
        blocks
    }
}

/// Tiles of sums that are multiplied together: of one panel of rows and columns each, or of two.
struct Block {
    panels: [[Option<usize>; 2]; 2],
    /// The upper left tile, the upper right one, the lower ones.
    sums: [*mut i32; 4],
}

/// What the record's columns are read and written by; `DONE` is the only one that is written.
pub(crate) const WRITTEN: u32 = DONE;

#[cfg(test)]
mod tests {
    use super::iterations;

    #[test]
    fn iterations_are_those_of_the_loop() {
        for (counter, limit, step, signed, wanted) in [
            (0, 64, 16, false, 4),
            (0, 65, 16, false, 5),
            (64, 64, 16, false, 0),
            (0, 64, 0, false, 0),
            (0xffff_fff0, 16, 16, true, 2),
            (0xffff_fff0, 16, 16, false, 0),
            (0, 0xffff_ffff, 16, false, 0),
            (0, 0x8000_0000, 1, true, 0),
            (16, 0, 0xffff_fff0, true, 0),
        ] {
            assert_eq!(iterations(counter, limit, step, signed), wanted, "{counter} {limit} {step} {signed}");
        }
    }
}
