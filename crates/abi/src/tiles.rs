//! Loops of products of matrices of bytes that the runtime runs ahead, by the processor's tiles.
//!
//! A loop that only loads cooperative matrices of bytes and adds their products to sums is described by a
//! call record (`image::record`) in a slot: columns of words, which are the same in all lanes, and the sums
//! as they are distributed over the lanes. The function may run some of the loop's first iterations, all or
//! none: it changes the sums, and says how many it has run. The shader's loop goes on from there.

/// Column: how many iterations have been run. Written by the function.
pub const DONE: u32 = 0;
/// Column: the counter's first value.
pub const COUNTER: u32 = 1;
/// Column: the loop goes on while the counter is less than this.
pub const LIMIT: u32 = 2;
/// Column: what each iteration adds to the counter.
pub const STEP: u32 = 3;
/// First column of the matrices that are loaded, [`matrix::COLUMNS`] each; behind them a column of each
/// product, and then the sums.
pub const MATRICES: u32 = 4;

/// Columns of a matrix that is loaded.
pub mod matrix {
    /// Address of the memory that it lies in, lower half.
    pub const BASE: u32 = 0;
    /// Upper half.
    pub const BASE_HIGH: u32 = 1;
    /// Bytes of that memory.
    pub const SIZE: u32 = 2;
    /// Byte offset of the matrix in the first iteration.
    pub const FIRST: u32 = 3;
    /// Byte offset in the second iteration: in each the same distance further.
    pub const SECOND: u32 = 4;
    /// From a row to the next, or from a column where these lie one behind the other: so many units.
    pub const STRIDE: u32 = 5;
    /// Twice the unit's bytes, and 1 where columns lie one behind the other, not rows.
    pub const UNIT: u32 = 6;
    /// How many.
    pub const COLUMNS: u32 = 7;
}

/// The loop's shape, the record's two words of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows and columns of the sums, and how many bytes their products' rows have.
    pub size: [u32; 3],
    /// Lanes of the subgroup.
    pub lanes: u32,
    /// First factors: the first matrices.
    pub firsts: u32,
    /// Second factors.
    pub seconds: u32,
    /// Products, each a word of [`product`].
    pub products: u32,
    /// Sums.
    pub sums: u32,
    /// Whether bytes of the first and the second factors are signed, and whether the counter is.
    pub signed: [bool; 3],
    /// The last iteration is the shader's own: it leaves more behind than sums and counters.
    pub leaves_last: bool,
}

impl Shape {
    /// Greatest number of matrices, products and sums.
    pub const COUNT_MAX: usize = 64;

    /// As two words.
    pub fn to_words(self) -> [u64; 2] {
        let [rows, columns, depth] = self.size.map(u64::from);
        let signed = self.signed.iter().enumerate().map(|(bit, &is)| u64::from(is) << bit).sum::<u64>();
        let counts = [self.lanes, self.firsts, self.seconds, self.products, self.sums].map(u64::from);
        let counts = counts.iter().enumerate().map(|(place, count)| count << (8 * place)).sum::<u64>();
        [rows | columns << 16 | depth << 32, counts | signed << 40 | u64::from(self.leaves_last) << 43]
    }

    /// What the words say.
    pub fn from_words(words: [u64; 2]) -> Shape {
        let size = [0, 16, 32].map(|shift| (words[0] >> shift) as u32 & 0xffff);
        let [lanes, firsts, seconds, products, sums] =
            [0, 8, 16, 24, 32].map(|shift| (words[1] >> shift) as u32 & 0xff);
        let signed = [40, 41, 42].map(|bit| words[1] >> bit & 1 != 0);
        let leaves_last = words[1] >> 43 & 1 != 0;
        Shape { size, lanes, firsts, seconds, products, sums, signed, leaves_last }
    }

    /// The column of a matrix, all first factors before the second ones.
    pub const fn matrix_column(number: u32) -> u32 {
        MATRICES + number * matrix::COLUMNS
    }

    /// The column of a product.
    pub const fn product_column(&self, number: u32) -> u32 {
        Shape::matrix_column(self.firsts + self.seconds) + number
    }

    /// The first column of a sum.
    pub const fn sum_column(&self, number: u32) -> u32 {
        self.product_column(self.products) + number * (self.size[0] * self.size[1] / self.lanes)
    }
}

/// A product's word: the numbers of its first factor, of its second one, and of the sum.
pub const fn product(first: u32, second: u32, sum: u32) -> u32 {
    first | second << 8 | sum << 16
}

/// The numbers in a product's word.
pub const fn product_parts(word: u32) -> [u32; 3] {
    [word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_their_words() {
        let shape = Shape {
            size: [32, 16, 64],
            lanes: 16,
            firsts: 2,
            seconds: 3,
            products: 6,
            sums: 5,
            signed: [true, false, true],
            leaves_last: true,
        };
        assert_eq!(Shape::from_words(shape.to_words()), shape);
        assert_eq!(product_parts(product(3, 5, 60)), [3, 5, 60]);
    }
}
