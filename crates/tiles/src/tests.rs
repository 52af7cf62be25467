use super::{BYTES, COLUMNS, GROUP, ROW_BYTES, ROWS, Sums, Tiles};
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
