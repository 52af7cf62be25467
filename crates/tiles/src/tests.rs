use super::{BYTES, COLUMNS, GROUP, ROW_BYTES, ROWS, Sums, Tiles};
use pyro_abi::image::record;
use pyro_abi::tiles::{COUNTER, DONE, LIMIT, STEP, Shape, matrix, product};
use pyro_random::Random;
use pyro_test_environment::{Need, skip_current_test};

#[test]
fn products_are_those_of_integers() {
    let Some(tiles) = Tiles::get() else { return skip_current_test(Need::Tiles) };
    let mut random = Random::new(7);
    for (steps, both) in [(1, true), (1, false), (2, true), (5, true), (3, false), (33, true)] {
        let depth = steps * ROW_BYTES;
        let mut list = || -> Vec<i8> { (0..steps * BYTES).map(|_| random.int(-128, 127) as i8).collect() };
        let (rows, columns) = ([list(), list()], [list(), list()]);
        let row = |row: usize, k: usize| {
            let tile = k / ROW_BYTES * BYTES;
            i32::from(rows[row / ROWS][tile + row % ROWS * ROW_BYTES + k % ROW_BYTES])
        };
        let column = |column: usize, k: usize| {
            let group = k / GROUP * COLUMNS * GROUP;
            i32::from(columns[column / COLUMNS][group + column % COLUMNS * GROUP + k % GROUP])
        };
        let before = Sums(std::array::from_fn(|row| {
            std::array::from_fn(|column| i32::MAX - (row * 100 + column) as i32)
        }));
        for is_first in [true, false] {
            let mut found = before.clone();
            tiles.with(|unit| {
                let second = both.then_some(&rows[1][..]);
                unit.add_products((&rows[0], second), [&columns[0], &columns[1]], &mut found, is_first);
            });
            for (y, sums) in found.0.iter().enumerate().take(if both { 2 * ROWS } else { ROWS }) {
                for (x, &sum) in sums.iter().enumerate() {
                    let start = if is_first { 0 } else { before.0[y][x] };
                    let wanted = (0..depth).fold(start, |sum, k| sum.wrapping_add(row(y, k) * column(x, k)));
                    assert_eq!(sum, wanted, "{steps} steps, row {y}, column {x}");
                }
            }
        }
    }
}

#[test]
fn threads_have_tiles_of_their_own() {
    let Some(tiles) = Tiles::get() else { return skip_current_test(Need::Tiles) };
    let run = |value: i8| {
        tiles.with(|unit| {
            let list = vec![value; 64 * BYTES];
            for _ in 0..200 {
                let mut sums = Sums::default();
                unit.add_products((&list, Some(&list)), [&list, &list], &mut sums, true);
                let wanted = i32::from(value) * i32::from(value) * (64 * ROW_BYTES) as i32;
                assert!(sums.0.iter().flatten().all(|&sum| sum == wanted));
                std::thread::yield_now();
            }
        });
    };
    std::thread::scope(|scope| {
        for value in [1, -3, 7, 100] {
            scope.spawn(move || run(value));
        }
    });
}

/// A call record in memory, for 16 lanes.
struct Record {
    words: Vec<u32>,
}

impl Record {
    fn new(shape: Shape) -> Record {
        let count = record::column_offset(shape.sum_column(shape.sums), shape.lanes) as usize / 4;
        let mut words = vec![0; count];
        for (at, word) in [record::IMAGE, record::SAMPLER].into_iter().zip(shape.to_words()) {
            words[at as usize / 4] = word as u32;
            words[at as usize / 4 + 1] = (word >> 32) as u32;
        }
        words[record::ACTIVE_LANES as usize / 4] = 0xffff;
        Record { words }
    }

    fn set(&mut self, column: u32, word: u32) {
        let start = record::column_offset(column, 16) as usize / 4;
        self.words[start..start + 16].fill(word);
    }

    /// Runs the loop, and gives the number of iterations.
    fn run(&mut self) -> u32 {
        let address = self.words.as_mut_ptr().expose_provenance() as u64;
        // SAFETY: the record is whole, and its matrices are those of the test.
        #[allow(unsafe_code)]
        let result = unsafe { crate::entry::entry(0, address) };
        assert_eq!(result, 0);
        let done = &self.words[record::column_offset(DONE, 16) as usize / 4..][..16];
        assert!(done.iter().all(|&word| word == done[0]));
        done[0]
    }
}

/// Two first factors, two second ones and four sums of 16 by 32, in all orders, with all signs.
#[test]
fn loops_run_ahead_have_the_sums_of_their_iterations() {
    if Tiles::get().is_none() {
        return skip_current_test(Need::Tiles);
    }
    let mut random = Random::new(5);
    for turn in 0..32_usize {
        let signed = [turn & 1 != 0, turn & 2 != 0, false];
        let by_columns = [turn & 4 != 0, turn & 8 != 0];
        let depth = [16, 32, 64, 128][turn % 5 % 4];
        let count = [40, 33, 129][turn % 3];
        let leaves_last = turn & 16 != 0;
        let size = [16, 32, depth];
        let shape =
            Shape { size, lanes: 16, firsts: 2, seconds: 2, products: 4, sums: 4, signed, leaves_last };
        let whole = (depth * count) as usize;
        let mut record = Record::new(shape);
        let limit = depth * count - 1;
        for (column, word) in [(COUNTER, 0), (LIMIT, limit), (STEP, depth)] {
            record.set(column, word);
        }
        let mut factors: Vec<(Vec<u8>, usize, bool)> = Vec::new();
        for number in 0..4_u32 {
            let factor = usize::from(number >= 2);
            let across = size[factor] as usize;
            let along = (factor == 0) != by_columns[factor];
            let stride = 5 + if along { whole } else { across };
            let lines = if along { across } else { whole };
            let bytes: Vec<u8> = (0..stride * lines).map(|_| random.int(0, 255) as u8).collect();
            let base = bytes.as_ptr().expose_provenance() as u64;
            let step = if along { depth as usize } else { depth as usize * stride };
            // The lines' ends are gaps: the last one's need not be there.
            let end = bytes.len() - 5;
            let columns = [
                (matrix::BASE, base as u32),
                (matrix::BASE_HIGH, (base >> 32) as u32),
                (matrix::SIZE, end as u32),
                (matrix::FIRST, 0),
                (matrix::SECOND, step as u32),
                (matrix::STRIDE, stride as u32),
                (matrix::UNIT, 2 + u32::from(by_columns[factor])),
            ];
            for (column, word) in columns {
                record.set(Shape::matrix_column(number) + column, word);
            }
            factors.push((bytes, stride, along));
        }
        for sum in 0..4 {
            record.set(shape.product_column(sum), product(sum / 2, sum % 2, sum));
        }
        let at = |factor: &(Vec<u8>, usize, bool), line: usize, place: usize, signed: bool| {
            let (bytes, stride, along) = factor;
            let byte = bytes[if *along { line * stride + place } else { place * stride + line }];
            if signed { i32::from(byte as i8) } else { i32::from(byte) }
        };
        let expected = count - u32::from(leaves_last);
        assert_eq!(record.run(), expected, "turn {turn}");
        for sum in 0..4_usize {
            let start = record::column_offset(shape.sum_column(sum as u32), 16) as usize / 4;
            for element in 0..16 * 32 {
                let (row, column) = (element / 32, element % 32);
                let wanted = (0..(expected * depth) as usize).fold(0_i32, |all, place| {
                    let a = at(&factors[sum / 2], row, place, signed[0]);
                    let b = at(&factors[2 + sum % 2], column, place, signed[1]);
                    all.wrapping_add(a * b)
                });
                assert_eq!(record.words[start + element] as i32, wanted, "turn {turn}, sum {sum}, {element}");
            }
        }
        // A byte less than the last iteration needs: nothing is run.
        let size = factors[3].0.len() as u32 - 6;
        record.set(Shape::matrix_column(3) + matrix::SIZE, size);
        let left = if leaves_last { expected } else { 0 };
        assert_eq!(record.run(), left, "turn {turn}");
    }
}
