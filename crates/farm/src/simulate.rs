//! A model of a farm: how long a job takes on many workers, from recorded times.
//!
//! # Model
//! * Workers are equal, start at the same time, and take `startup` seconds before their first unit.
//! * A unit takes the overhead of a unit plus the seconds of its items, times a factor that differs from the
//!   recorded time: log-normal with standard deviation `noise`. Schedules are made from the recorded times.
//! * Shards are those of [`of_shard`](crate::plan::of_shard). A worker whose shard is done takes the longest
//!   unit that nobody has begun.
//! * A unit costs [`OPERATIONS`] calls of the store, each of `latency` seconds. The store answers at most
//!   `rate` calls in a second; calls that come faster wait.
//! * A worker is lost at random, once in `lifetime` seconds on average; its unit is begun again by the next
//!   free worker after `lease` seconds, and the worker itself comes back after `startup` seconds.
//!
//! Efficiency is the seconds of all items (with their factors) over the seconds of all workers between their
//! start and the end of the last unit. *Must not know*: jobs, stores.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Calls of the store for a unit: its claim, its times, its record.
const OPERATIONS: u32 = 3;

/// What is assumed.
#[derive(Clone, Debug)]
pub struct Assumptions {
    /// Workers.
    pub workers: u64,
    /// Seconds until a worker begins its first unit.
    pub startup: f64,
    /// Seconds of a unit beside its items.
    pub overhead: f64,
    /// Standard deviation of the logarithm of a unit's time over its recorded time.
    pub noise: f64,
    /// Seconds of a call of the store.
    pub latency: f64,
    /// Calls that the store answers in a second.
    pub rate: f64,
    /// Seconds that a worker lives, on average; infinite: for ever.
    pub lifetime: f64,
    /// Seconds after which a lost worker's unit is begun again.
    pub lease: f64,
    /// The first state of the random numbers.
    pub seed: u64,
}

/// What comes out.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Seconds from the start of the workers to the end of the last unit.
    pub makespan: f64,
    /// Seconds of all items.
    pub work: f64,
    /// Seconds of items over seconds of workers after their start-up.
    pub efficiency: f64,
    /// The same without taking the start-up off.
    pub efficiency_with_startup: f64,
    /// Units that were begun again.
    pub repeated: usize,
}

/// Random numbers: SplitMix64, which is enough for a model.
pub struct Random(pub u64);

impl Random {
    /// Uniform 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// A time in a heap: nanoseconds, so that times are ordered.
type Nanoseconds = u64;

fn nanoseconds(seconds: f64) -> Nanoseconds {
    (seconds * 1e9) as Nanoseconds
}

/// The store: a queue that serves one call after the other.
struct Calls {
    free: f64,
    seconds: f64,
}

impl Calls {
    /// When the calls of a unit are done that begin at a time.
    fn after(&mut self, now: f64, latency: f64) -> f64 {
        let start = now.max(self.free);
        self.free = start + self.seconds * f64::from(OPERATIONS);
        self.free + latency * f64::from(OPERATIONS)
    }
}

/// Simulates units of these seconds, without overhead.
#[must_use]
pub fn simulate(units: &[f64], assumptions: &Assumptions) -> Outcome {
    let Assumptions { workers, startup, overhead, noise, latency, rate, lifetime, lease, seed } =
        *assumptions;
    let mut random = Random(seed);
    // The mean of the factors is 1.
    let factors: Vec<f64> =
        units.iter().map(|_| (random.normal() * noise - noise * noise / 2.0).exp()).collect();
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| units[b].total_cmp(&units[a]).then(a.cmp(&b)));
    let mut shards = shards(units, &order, workers as usize, overhead);
    let mut is_begun = vec![false; units.len()];
    let mut longest = order.iter().copied().peekable();
    // Units of lost workers: when they may begin again.
    let mut lost: BinaryHeap<Reverse<(Nanoseconds, usize)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<(Nanoseconds, usize)>> =
        (0..workers as usize).map(|worker| Reverse((nanoseconds(startup), worker))).collect();
    let mut calls = Calls { free: 0.0, seconds: 1.0 / rate };
    let (mut makespan, mut work, mut repeated, mut done) = (0.0f64, 0.0, 0, 0);
    while done < units.len() {
        let Some(Reverse((now, worker))) = free.pop() else { break };
        let own = std::iter::from_fn(|| shards[worker].pop_front()).find(|&unit| !is_begun[unit]);
        let other = || loop {
            match longest.next() {
                Some(unit) if is_begun[unit] => {}
                found => break found,
            }
        };
        let unit = match own.or_else(other) {
            Some(unit) => unit,
            None => match lost.pop() {
                Some(Reverse((at, unit))) if at <= now => unit,
                Some(Reverse((at, unit))) => {
                    lost.push(Reverse((at, unit)));
                    free.push(Reverse((at, worker)));
                    continue;
                }
                // Workers that find nothing to do wait for what others may lose; nothing else happens to
                // them.
                None => continue,
            },
        };
        is_begun[unit] = true;
        let begin = calls.after(now as f64 / 1e9, latency);
        let seconds = units[unit] * factors[unit];
        let end = begin + overhead + seconds;
        let life = if lifetime.is_finite() { -random.unit().ln() * lifetime } else { f64::INFINITY };
        if now as f64 / 1e9 + life < end {
            let death = now as f64 / 1e9 + life;
            repeated += 1;
            lost.push(Reverse((nanoseconds(death + lease), unit)));
            free.push(Reverse((nanoseconds(death + startup), worker)));
            continue;
        }
        done += 1;
        work += seconds;
        makespan = makespan.max(end);
        free.push(Reverse((nanoseconds(end), worker)));
    }
    let seconds = |time: f64| if time > 0.0 { work / (workers as f64 * time) } else { 1.0 };
    Outcome {
        makespan,
        work,
        efficiency: seconds(makespan - startup),
        efficiency_with_startup: seconds(makespan),
        repeated,
    }
}

/// The shards of all workers: longest first, each to the one with the least.
fn shards(units: &[f64], order: &[usize], workers: usize, overhead: f64) -> Vec<VecDeque<usize>> {
    let mut shards = vec![VecDeque::new(); workers];
    let mut loads: BinaryHeap<Reverse<(Nanoseconds, usize)>> =
        (0..workers).map(|worker| Reverse((0, worker))).collect();
    for &unit in order {
        let Some(Reverse((load, worker))) = loads.pop() else { break };
        shards[worker].push_back(unit);
        loads.push(Reverse((load + nanoseconds(units[unit] + overhead).max(1), worker)));
    }
    shards
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ideal(workers: u64) -> Assumptions {
        Assumptions {
            workers,
            startup: 0.0,
            overhead: 0.0,
            noise: 0.0,
            latency: 0.0,
            rate: 1e12,
            lifetime: f64::INFINITY,
            lease: 0.0,
            seed: 1,
        }
    }

    #[test]
    fn ideal_farms_have_the_makespans_that_can_be_counted() {
        let outcome = simulate(&[3.0, 3.0, 2.0, 2.0, 2.0], &ideal(2));
        // Longest first: 3 + 2 + 2 and 3 + 2; the best would be 6.
        assert!((outcome.makespan - 7.0).abs() < 1e-6, "{outcome:?}");
        assert!((outcome.work - 12.0).abs() < 1e-6);
        let outcome = simulate(&[1.0; 1000], &ideal(10));
        assert!((outcome.makespan - 100.0).abs() < 1e-6 && (outcome.efficiency - 1.0).abs() < 1e-6);
        let outcome = simulate(&[1.0; 10], &Assumptions { startup: 5.0, ..ideal(10) });
        assert!((outcome.makespan - 6.0).abs() < 1e-6 && (outcome.efficiency - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_slow_store_bounds_the_rate_of_units() {
        let outcome = simulate(&[0.01; 1000], &Assumptions { rate: 30.0, ..ideal(1000) });
        assert!((outcome.makespan - 100.0).abs() < 1.0, "{outcome:?}");
    }

    #[test]
    fn lost_units_are_done_again() {
        let assumptions = Assumptions { lifetime: 50.0, lease: 10.0, noise: 0.2, ..ideal(20) };
        let outcome = simulate(&[5.0; 400], &assumptions);
        assert!(outcome.repeated > 10, "{outcome:?}");
        assert!((outcome.work - 2000.0).abs() < 100.0, "{outcome:?}");
        assert!(outcome.makespan > 105.0, "{outcome:?}");
    }
}
