//! Units to shards: longest first, each to the shard that has the least.
//!
//! The heuristic is known as LPT (longest processing time first); its makespan is at most 4/3 of the best one
//! (Graham, 1969).

use super::Unit;
use crate::engine::shard::Shard;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order in which units are done: longest first, in the plan's order where equally long.
#[must_use]
pub fn longest_first(units: &[Unit]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| units[b].estimate.total_cmp(&units[a].estimate).then(a.cmp(&b)));
    order
}

/// The units of a shard, in the order in which they are done. Every unit is of one shard.
#[must_use]
pub fn of_shard(units: &[Unit], shard: Shard) -> Vec<usize> {
    // Times in nanoseconds: sums of integers do not depend on their order.
    let mut loads: BinaryHeap<Reverse<(u128, u64)>> =
        (0..shard.count()).map(|index| Reverse((0, index))).collect();
    let mut own = Vec::new();
    for unit in longest_first(units) {
        let Some(Reverse((load, index))) = loads.pop() else { break };
        if index == shard.index() {
            own.push(unit);
        }
        let nanoseconds = (units[unit].estimate.clamp(0.0, 1e9) * 1e9) as u128;
        // Units of no known length count as well.
        loads.push(Reverse((load + nanoseconds.max(1), index)));
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(estimates: &[f64]) -> Vec<Unit> {
        let unit = |(first, &estimate)| Unit { section: 0, first, count: 1, estimate };
        estimates.iter().enumerate().map(unit).collect()
    }

    #[test]
    fn each_unit_is_of_one_shard_and_loads_are_even() {
        let units = units(&[5.0, 1.0, 1.0, 4.0, 1.0, 3.0, 3.0]);
        let shards: Vec<Vec<usize>> =
            (0..3).map(|index| of_shard(&units, Shard::new(index, 3).unwrap())).collect();
        let mut all: Vec<usize> = shards.concat();
        all.sort_unstable();
        assert_eq!(all, (0..7).collect::<Vec<_>>());
        for shard in &shards {
            let load: f64 = shard.iter().map(|&unit| units[unit].estimate).sum();
            assert!((5.0..=7.0).contains(&load), "{shards:?}");
        }
        assert_eq!(of_shard(&units, Shard::ALL), [0, 3, 5, 6, 1, 2, 4]);
        assert!(of_shard(&units[..1], Shard::new(1, 2).unwrap()).is_empty());
    }
}
