//! Subgroup, quad and derivative functions on whole subgroups with some lanes inactive, against loops over
//! the lanes.

use crate::support::{Program, Random, half_bits, half_value};
use pyro_ir::{Builder, Scalar, Value};
use pyro_library::group::{self, Arithmetic, Operation, QuadDirection};
use pyro_library::{derivative, integer};

const SIZES: [u32; 5] = [4, 8, 16, 32, 64];

/// Random activity with at least one lane, sometimes all.
fn random_active(random: &mut Random, lanes: u32) -> Vec<bool> {
    let bits = match random.below(4) {
        0 => u64::MAX,
        1 => random.bits() & random.bits(),
        _ => random.bits(),
    };
    let forced = random.below(u64::from(lanes)) as usize;
    (0..lanes as usize).map(|lane| lane == forced || bits >> lane & 1 == 1).collect()
}

fn run(program: &Program, args: &[Vec<u64>], active: &[bool]) -> Vec<Vec<u64>> {
    let args: Vec<&[u64]> = args.iter().map(Vec::as_slice).collect();
    program.run(&args, Some(active))
}

/// The active lanes, ascending.
fn active_lanes(active: &[bool]) -> Vec<usize> {
    (0..active.len()).filter(|&lane| active[lane]).collect()
}

/// Results of [`Program::run`] that are masks of four words, joined.
fn mask_of(words: &[Vec<u64>], lane: usize) -> u128 {
    (0..4).fold(0, |mask, word| mask | u128::from(words[word][lane]) << (32 * word))
}

/// A mask as four operand words, the same in all lanes; the bits past the subgroup are garbage.
fn mask_words(mask: u64, lanes: u32, random: &mut Random) -> Vec<Vec<u64>> {
    let mut all = u128::from(random.bits()) << 64 | u128::from(random.bits());
    let inside = (1u128 << lanes) - 1;
    all = all & !inside | u128::from(mask) & inside;
    (0..4).map(|word| vec![(all >> (32 * word)) as u64 & 0xffff_ffff; lanes as usize]).collect()
}

#[test]
fn votes() {
    let mut random = Random::new(31);
    for lanes in SIZES {
        let program = Program::new(lanes, &[Scalar::I1, Scalar::F32], |b, a| {
            vec![
                group::elect(b),
                group::all(b, a[0]),
                group::any(b, a[0]),
                group::all_equal(b, &a[1..]),
                group::all_equal(b, &a[..1]),
                group::active_count(b),
            ]
        });
        for _ in 0..300 {
            let active = random_active(&mut random, lanes);
            let conditions = match random.below(3) {
                0 => vec![0; lanes as usize],
                1 => vec![1; lanes as usize],
                _ => (0..lanes).map(|_| random.below(2)).collect(),
            };
            let pool = [0.0f32, -0.0, 1.0, f32::NAN];
            let spread = 1 + random.below(4);
            let values: Vec<f32> = (0..lanes).map(|_| pool[random.below(spread) as usize]).collect();
            let args = vec![conditions.clone(), values.iter().map(|value| value.to_bits().into()).collect()];
            let results = run(&program, &args, &active);
            let present = active_lanes(&active);
            let first = present[0];
            let all = present.iter().all(|&lane| conditions[lane] == 1);
            let any = present.iter().any(|&lane| conditions[lane] == 1);
            let equal = present.iter().all(|&lane| values[lane] == values[first]);
            let same = present.iter().all(|&lane| conditions[lane] == conditions[first]);
            for &lane in &present {
                let got: Vec<u64> = results.iter().map(|result| result[lane]).collect();
                let want = [lane == first, all, any, equal, same].map(u64::from);
                assert_eq!(got[..5], want, "{lanes} lanes");
                assert_eq!(got[5], present.len() as u64);
            }
        }
    }
}

#[test]
fn ballots() {
    let mut random = Random::new(32);
    for lanes in SIZES {
        let program = Program::new(lanes, &[Scalar::I1], |b, a| {
            let ballot = group::ballot(b, a[0]).to_vec();
            let active = group::active_mask(b).to_vec();
            [ballot, active].concat()
        });
        let queries = Program::new(lanes, &[Scalar::I32; 5], |b, a| {
            let mask = [a[0], a[1], a[2], a[3]];
            vec![
                group::inverse_ballot(b, mask),
                group::ballot_bit_extract(b, mask, a[4]),
                group::ballot_bit_count(b, Operation::Reduce, mask),
                group::ballot_bit_count(b, Operation::InclusiveScan, mask),
                group::ballot_bit_count(b, Operation::ExclusiveScan, mask),
                group::ballot_find_lsb(b, mask),
                group::ballot_find_msb(b, mask),
            ]
        });
        for _ in 0..200 {
            let active = random_active(&mut random, lanes);
            let conditions: Vec<u64> = (0..lanes).map(|_| random.below(2)).collect();
            let results = run(&program, std::slice::from_ref(&conditions), &active);
            let present = active_lanes(&active);
            let want = present.iter().fold(0, |mask, &lane| mask | u128::from(conditions[lane]) << lane);
            let everyone = present.iter().fold(0, |mask, &lane| mask | 1u128 << lane);
            for &lane in &present {
                assert_eq!(mask_of(&results[..4], lane), want);
                assert_eq!(mask_of(&results[4..], lane), everyone);
            }

            let mask = (random.bits() | 1 << random.below(u64::from(lanes))) & (u64::MAX >> (64 - lanes));
            let mut args = mask_words(mask, lanes, &mut random);
            let indices: Vec<u64> = (0..lanes).map(|_| random.below(u64::from(lanes))).collect();
            args.push(indices.clone());
            let results = run(&queries, &args, &active);
            for &lane in &present {
                let below = (1u128 << lane) as u64 - 1;
                let up_to = (2u128 << lane).wrapping_sub(1) as u64;
                let want = [
                    mask >> lane & 1,
                    mask >> indices[lane] & 1,
                    mask.count_ones().into(),
                    (mask & up_to).count_ones().into(),
                    (mask & below).count_ones().into(),
                    mask.trailing_zeros().into(),
                    63 - u64::from(mask.leading_zeros()),
                ];
                let got: Vec<u64> = results.iter().map(|result| result[lane]).collect();
                assert_eq!(got, want, "{lanes} lanes, lane {lane}, {mask:#x}");
            }
        }
    }
}

#[test]
fn lane_masks() {
    for lanes in SIZES {
        let program = Program::new(lanes, &[], |b, _| {
            [group::eq_mask(b), group::ge_mask(b), group::gt_mask(b), group::le_mask(b), group::lt_mask(b)]
                .concat()
        });
        let results = program.run(&[], None);
        for lane in 0..lanes as usize {
            let of = |keep: &dyn Fn(usize) -> bool| {
                (0..lanes as usize).filter(|&other| keep(other)).fold(0, |mask, other| mask | 1u128 << other)
            };
            assert_eq!(mask_of(&results[0..], lane), of(&|other| other == lane));
            assert_eq!(mask_of(&results[4..], lane), of(&|other| other >= lane));
            assert_eq!(mask_of(&results[8..], lane), of(&|other| other > lane));
            assert_eq!(mask_of(&results[12..], lane), of(&|other| other <= lane));
            assert_eq!(mask_of(&results[16..], lane), of(&|other| other < lane));
        }
    }
}

#[test]
fn exchanges() {
    let mut random = Random::new(33);
    for lanes in SIZES {
        for scalar in Scalar::ALL {
            let program = Program::new(lanes, &[scalar, Scalar::I32, Scalar::I32], |b, a| {
                let constant = b.i32(lanes / 2);
                vec![
                    group::shuffle(b, a[0], a[1]),
                    group::shuffle_xor(b, a[0], a[1]),
                    group::shuffle_up(b, a[0], a[1]),
                    group::shuffle_down(b, a[0], a[1]),
                    group::rotate(b, a[0], a[1], None),
                    group::rotate(b, a[0], a[1], Some(4)),
                    group::broadcast(b, a[0], a[2]),
                    group::broadcast(b, a[0], constant),
                    group::broadcast_first(b, a[0]),
                ]
            });
            for _ in 0..30 {
                let active = random_active(&mut random, lanes);
                let values: Vec<u64> = (0..lanes).map(|_| random.bits() & scalar.mask()).collect();
                let indices: Vec<u64> = (0..lanes).map(|_| random.below(u64::from(lanes))).collect();
                let source = random.below(u64::from(lanes));
                // Only active lanes need to agree on the broadcast's source.
                let sources: Vec<u64> =
                    active.iter().map(|&active| if active { source } else { random.bits() >> 33 }).collect();
                let results = run(&program, &[values.clone(), indices.clone(), sources], &active);
                let present = active_lanes(&active);
                for &lane in &present {
                    let index = indices[lane] as usize;
                    let count = lanes as usize;
                    let from = [
                        Some(index),
                        Some(lane ^ index),
                        lane.checked_sub(index),
                        (lane + index < count).then_some(lane + index),
                        Some((lane + index) % count),
                        Some(lane / 4 * 4 + (lane + index) % 4),
                        Some(source as usize),
                        Some(count / 2),
                        Some(present[0]),
                    ];
                    for (result, from) in results.iter().zip(from) {
                        // Lanes outside the subgroup give undefined values.
                        if let Some(from) = from {
                            assert_eq!(result[lane], values[from], "{scalar:?} {lanes} lanes, lane {lane}");
                        }
                    }
                }
            }
        }
    }
}

/// Which lanes a lane's result is made of, in ascending order.
fn reach(operation: Operation, lane: usize, present: &[usize]) -> Vec<usize> {
    let inside = |other: usize| match operation {
        Operation::Reduce => true,
        Operation::InclusiveScan => other <= lane,
        Operation::ExclusiveScan => other < lane,
        Operation::ClusteredReduce(cluster) => other / cluster as usize == lane / cluster as usize,
    };
    present.iter().copied().filter(|&other| inside(other)).collect()
}

const INTEGER_KINDS: [Arithmetic; 9] = [
    Arithmetic::IAdd,
    Arithmetic::IMul,
    Arithmetic::SMin,
    Arithmetic::UMin,
    Arithmetic::SMax,
    Arithmetic::UMax,
    Arithmetic::And,
    Arithmetic::Or,
    Arithmetic::Xor,
];

/// The combination of values in plain integer arithmetic, with SPIR-V's identity for none.
fn combine_integers(kind: Arithmetic, scalar: Scalar, values: impl Iterator<Item = u64>) -> u64 {
    let sign = |x: u64| ((x << (64 - scalar.bits())) as i64) >> (64 - scalar.bits());
    let (identity, step): (u64, fn(u64, u64) -> u64) = match kind {
        Arithmetic::IAdd => (0, u64::wrapping_add),
        Arithmetic::IMul => (1, u64::wrapping_mul),
        Arithmetic::UMin => (u64::MAX, u64::min),
        Arithmetic::UMax => (0, u64::max),
        Arithmetic::And => (u64::MAX, |x, y| x & y),
        Arithmetic::Or => (0, |x, y| x | y),
        Arithmetic::Xor => (0, |x, y| x ^ y),
        Arithmetic::SMin => {
            let least = values.map(sign).min().unwrap_or((scalar.mask() >> 1) as i64);
            return least as u64 & scalar.mask();
        }
        Arithmetic::SMax => {
            let greatest = values.map(sign).max().unwrap_or(sign(1 << (scalar.bits() - 1)));
            return greatest as u64 & scalar.mask();
        }
        _ => unreachable!("float kinds"),
    };
    values.fold(identity & scalar.mask(), step) & scalar.mask()
}

fn operations(lanes: u32) -> Vec<Operation> {
    let mut operations = vec![Operation::Reduce, Operation::InclusiveScan, Operation::ExclusiveScan];
    let mut cluster = 1;
    while cluster <= lanes {
        operations.push(Operation::ClusteredReduce(cluster));
        cluster *= 2;
    }
    operations
}

#[test]
fn integer_reductions() {
    let mut random = Random::new(34);
    for lanes in SIZES {
        for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::I1] {
            let kinds = if scalar == Scalar::I1 { &INTEGER_KINDS[6..] } else { &INTEGER_KINDS[..] };
            for &kind in kinds {
                let operations = operations(lanes);
                let program = Program::new(lanes, &[scalar], |b, a| {
                    operations.iter().map(|&operation| group::arithmetic(b, kind, operation, a[0])).collect()
                });
                for _ in 0..6 {
                    let active = random_active(&mut random, lanes);
                    let values: Vec<u64> = (0..lanes).map(|_| random.bits() & scalar.mask()).collect();
                    let results = run(&program, std::slice::from_ref(&values), &active);
                    let present = active_lanes(&active);
                    for (&operation, result) in operations.iter().zip(&results) {
                        for &lane in &present {
                            let reach = reach(operation, lane, &present);
                            let want =
                                combine_integers(kind, scalar, reach.iter().map(|&other| values[other]));
                            assert_eq!(result[lane], want, "{kind:?} {operation:?} {scalar:?} {lanes}");
                        }
                    }
                }
            }
        }
    }
}

/// Sums of constants and of conditions become bit counts, with the same results.
#[test]
fn counting_reductions() {
    let mut random = Random::new(41);
    for lanes in SIZES {
        for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64] {
            let operations = operations(lanes);
            let program = Program::new(lanes, &[Scalar::I1], |b, a| {
                let (zero, one, seven) =
                    (b.constant(scalar, 0), b.constant(scalar, 1), b.constant(scalar, 7));
                let widened = b.convert(pyro_ir::Opcode::ZeroExtend, a[0], scalar);
                let selected = b.select(a[0], seven, zero);
                let mut results = Vec::new();
                for value in [widened, selected, one, seven] {
                    for &operation in &operations {
                        results.push(group::arithmetic(b, Arithmetic::IAdd, operation, value));
                    }
                }
                results
            });
            for _ in 0..20 {
                let active = random_active(&mut random, lanes);
                let conditions: Vec<u64> = (0..lanes).map(|_| random.below(2)).collect();
                let results = run(&program, std::slice::from_ref(&conditions), &active);
                let present = active_lanes(&active);
                for &lane in &present {
                    let mut result = results.iter();
                    for (conditional, factor) in [(true, 1), (true, 7), (false, 1), (false, 7)] {
                        for &operation in &operations {
                            let reach = reach(operation, lane, &present);
                            let count =
                                reach.iter().filter(|&&lane| !conditional || conditions[lane] == 1).count();
                            let want = (count as u64 * factor) & scalar.mask();
                            let got = result.next().expect("one each")[lane];
                            assert_eq!(got, want, "{operation:?} {scalar:?} {lanes} lanes");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn float_reductions() {
    let mut random = Random::new(35);
    for lanes in SIZES {
        for scalar in [Scalar::F16, Scalar::F32, Scalar::F64] {
            let bits = |x: f64| match scalar {
                Scalar::F16 => half_bits(x),
                Scalar::F32 => (x as f32).to_bits().into(),
                _ => x.to_bits(),
            };
            let value = |bits: u64| match scalar {
                Scalar::F16 => half_value(bits),
                Scalar::F32 => f32::from_bits(bits as u32).into(),
                _ => f64::from_bits(bits),
            };
            for kind in [Arithmetic::FAdd, Arithmetic::FMul, Arithmetic::FMin, Arithmetic::FMax] {
                let operations = operations(lanes);
                let program = Program::new(lanes, &[scalar], |b, a| {
                    operations.iter().map(|&operation| group::arithmetic(b, kind, operation, a[0])).collect()
                });
                for round in 0..20 {
                    let active = random_active(&mut random, lanes);
                    // Small integers and powers of two: sums and products are exact in every order.
                    let values: Vec<f64> = (0..lanes)
                        .map(|_| match kind {
                            Arithmetic::FMul => [1.0, -1.0, 1.0, 2.0, 0.5][random.below(5) as usize],
                            Arithmetic::FMin | Arithmetic::FMax if round % 2 == 0 && random.below(3) == 0 => {
                                f64::NAN
                            }
                            _ => random.below(17) as f64 - 8.0,
                        })
                        .collect();
                    let args: Vec<u64> = values.iter().map(|&x| bits(x)).collect();
                    let results = run(&program, &[args], &active);
                    let present = active_lanes(&active);
                    for (&operation, result) in operations.iter().zip(&results) {
                        for &lane in &present {
                            let reach = reach(operation, lane, &present);
                            let values = reach.iter().map(|&other| values[other]);
                            let want = match kind {
                                Arithmetic::FAdd => values.sum::<f64>(),
                                Arithmetic::FMul => values.product(),
                                // Rust's minimum leaves out NaN too.
                                Arithmetic::FMin => values.fold(f64::INFINITY, f64::min),
                                _ => values.fold(f64::NEG_INFINITY, f64::max),
                            };
                            assert_eq!(
                                value(result[lane]),
                                want,
                                "{kind:?} {operation:?} {scalar:?} {lanes}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Results that depend on the order are the same in all lanes of the cluster.
#[test]
fn float_reductions_agree_among_lanes() {
    let mut random = Random::new(36);
    for kind in [Arithmetic::FAdd, Arithmetic::FMul, Arithmetic::FMin, Arithmetic::FMax] {
        for cluster in [2, 4, 8, 16, 32] {
            let program = Program::new(32, &[Scalar::F32], |b, a| {
                vec![group::arithmetic(b, kind, Operation::ClusteredReduce(cluster), a[0])]
            });
            for round in 0..50 {
                let values: Vec<u64> = (0..32)
                    .map(|_| {
                        if round % 2 == 0 {
                            random.below(2) << 31
                        } else {
                            0x3f80_0000 + random.below(1 << 23)
                        }
                    })
                    .collect();
                let result = &run(&program, &[values], &[true; 32])[0];
                for lane in 0..32usize {
                    assert_eq!(result[lane], result[lane / cluster as usize * cluster as usize], "{kind:?}");
                }
            }
        }
    }
    // A sum of nothing but -0 stays -0; an exclusive scan of nothing gives +0.
    let program = Program::new(8, &[Scalar::F32], |b, a| {
        vec![
            group::arithmetic(b, Arithmetic::FAdd, Operation::Reduce, a[0]),
            group::arithmetic(b, Arithmetic::FAdd, Operation::ExclusiveScan, a[0]),
        ]
    });
    let results = run(&program, &[vec![1 << 31; 8]], &[true; 8]);
    assert_eq!((results[0][0], results[1][0], results[1][1]), (1 << 31, 0, 1 << 31));
}

#[test]
fn partitions() {
    let mut random = Random::new(37);
    for lanes in SIZES {
        for scalar in [Scalar::I32, Scalar::F32, Scalar::I1, Scalar::I64] {
            let program = Program::new(lanes, &[scalar, Scalar::I8], |b, a| group::partition(b, a).to_vec());
            for _ in 0..20 {
                let active = random_active(&mut random, lanes);
                let pool = [0, 1, scalar.mask() & 0x7fc0_0000, scalar.mask() & 0x3f80_0000];
                let first: Vec<u64> = (0..lanes).map(|_| pool[random.below(4) as usize]).collect();
                let second: Vec<u64> = (0..lanes).map(|_| random.below(2)).collect();
                let results = run(&program, &[first.clone(), second.clone()], &active);
                let present = active_lanes(&active);
                for &lane in &present {
                    let same = |other: usize| {
                        let equal = match scalar {
                            Scalar::F32 => {
                                f32::from_bits(first[lane] as u32) == f32::from_bits(first[other] as u32)
                            }
                            _ => first[lane] == first[other],
                        };
                        other == lane || equal && second[lane] == second[other]
                    };
                    let want = present
                        .iter()
                        .filter(|&&other| same(other))
                        .fold(0, |mask, &other| mask | 1u128 << other);
                    assert_eq!(mask_of(&results, lane), want, "{scalar:?} {lanes} lanes");
                }
            }
        }
    }
}

#[test]
fn partitioned_reductions() {
    let mut random = Random::new(38);
    let operations = [Operation::Reduce, Operation::InclusiveScan, Operation::ExclusiveScan];
    for lanes in SIZES {
        for scalar in [Scalar::I8, Scalar::I32, Scalar::I64, Scalar::I1] {
            let kinds = if scalar == Scalar::I1 { &INTEGER_KINDS[6..] } else { &INTEGER_KINDS[..] };
            for &kind in kinds {
                let params = [scalar, Scalar::I32, Scalar::I32, Scalar::I32, Scalar::I32];
                let program = Program::new(lanes, &params, |b, a| {
                    let mask = [a[1], a[2], a[3], a[4]];
                    operations
                        .iter()
                        .map(|&operation| group::partitioned(b, kind, operation, a[0], mask))
                        .collect()
                });
                for _ in 0..5 {
                    let active = random_active(&mut random, lanes);
                    let values: Vec<u64> = (0..lanes).map(|_| random.bits() & scalar.mask()).collect();
                    let parts = 1 + random.below(4);
                    let part: Vec<u64> = (0..lanes).map(|_| random.below(parts)).collect();
                    let present = active_lanes(&active);
                    let mask = |lane: usize| {
                        present
                            .iter()
                            .filter(|&&other| part[other] == part[lane])
                            .fold(0, |mask, &other| mask | 1u128 << other)
                    };
                    let mut args = vec![values.clone()];
                    for word in 0..4 {
                        args.push(
                            (0..lanes as usize)
                                .map(|lane| (mask(lane) >> (32 * word)) as u64 & 0xffff_ffff)
                                .collect(),
                        );
                    }
                    let results = run(&program, &args, &active);
                    for (&operation, result) in operations.iter().zip(&results) {
                        for &lane in &present {
                            let members: Vec<usize> =
                                present.iter().copied().filter(|&other| part[other] == part[lane]).collect();
                            let reach = reach(operation, lane, &members);
                            let want =
                                combine_integers(kind, scalar, reach.iter().map(|&other| values[other]));
                            assert_eq!(result[lane], want, "{kind:?} {operation:?} {scalar:?} {lanes}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn quads() {
    let mut random = Random::new(39);
    for lanes in SIZES {
        let program = Program::new(lanes, &[Scalar::F64, Scalar::I32, Scalar::I1], |b, a| {
            let third = b.i32(3);
            vec![
                group::quad_broadcast(b, a[0], a[1]),
                group::quad_broadcast(b, a[0], third),
                group::quad_swap(b, a[0], QuadDirection::Horizontal),
                group::quad_swap(b, a[0], QuadDirection::Vertical),
                group::quad_swap(b, a[0], QuadDirection::Diagonal),
                group::quad_any(b, a[2]),
                group::quad_all(b, a[2]),
                group::quad_swap(b, a[2], QuadDirection::Horizontal),
            ]
        });
        for _ in 0..50 {
            let active = random_active(&mut random, lanes);
            let values: Vec<u64> = (0..lanes).map(|_| random.bits()).collect();
            let conditions: Vec<u64> = (0..lanes).map(|_| random.below(2)).collect();
            let choice: Vec<u64> = (0..lanes / 4).map(|_| random.below(4)).collect();
            let indices: Vec<u64> = (0..lanes as usize).map(|lane| choice[lane / 4]).collect();
            let results = run(&program, &[values.clone(), indices, conditions.clone()], &active);
            for lane in active_lanes(&active) {
                let quad = lane / 4 * 4;
                let members = || (quad..quad + 4).filter(|&other| active[other]);
                let want = [
                    values[quad + choice[lane / 4] as usize],
                    values[quad + 3],
                    values[lane ^ 1],
                    values[lane ^ 2],
                    values[lane ^ 3],
                    members().any(|other| conditions[other] == 1).into(),
                    members().all(|other| conditions[other] == 1).into(),
                    conditions[lane ^ 1],
                ];
                let got: Vec<u64> = results.iter().map(|result| result[lane]).collect();
                assert_eq!(got, want);
            }
        }
    }
}

#[test]
fn derivatives() {
    type Derivative = fn(&mut Builder, Value) -> Value;
    let functions: [Derivative; 6] = [
        derivative::dpdx_fine,
        derivative::dpdy_fine,
        derivative::dpdx_coarse,
        derivative::dpdy_coarse,
        derivative::fwidth_fine,
        derivative::fwidth_coarse,
    ];
    let program =
        Program::new(8, &[Scalar::F32], |b, a| functions.iter().map(|function| function(b, a[0])).collect());
    // Two quads: (0, 0), (1, 0), (0, 1), (1, 1).
    let values = [1.0f32, 3.0, 10.0, -20.0, 0.0, 0.5, 0.25, 4.0];
    let args: Vec<u64> = values.iter().map(|value| value.to_bits().into()).collect();
    let results = run(&program, &[args], &[true; 8]);
    let lanes =
        |result: usize| results[result].iter().map(|&bits| f32::from_bits(bits as u32)).collect::<Vec<f32>>();
    assert_eq!(lanes(0), [2.0, 2.0, -30.0, -30.0, 0.5, 0.5, 3.75, 3.75]);
    assert_eq!(lanes(1), [9.0, -23.0, 9.0, -23.0, 0.25, 3.5, 0.25, 3.5]);
    assert_eq!(lanes(2), [2.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.5, 0.5]);
    assert_eq!(lanes(3), [9.0, 9.0, 9.0, 9.0, 0.25, 0.25, 0.25, 0.25]);
    assert_eq!(lanes(4), [11.0, 25.0, 39.0, 53.0, 0.75, 4.0, 4.0, 7.25]);
    assert_eq!(lanes(5), [11.0, 11.0, 11.0, 11.0, 0.75, 0.75, 0.75, 0.75]);
}

#[test]
fn amd_ballot_functions() {
    let mut random = Random::new(40);
    for lanes in SIZES {
        let params = [Scalar::I32; 4];
        let program = Program::new(lanes, &params, |b, a| {
            let offset = [3, 0, 2, 2].map(|offset| b.i32(offset));
            let masks = [0x1e, 0x01, 0x02].map(|mask| b.i32(mask));
            let index = b.i32(lanes - 1);
            let wide = integer::u_convert(b, a[2], Scalar::I64);
            let wide_high = integer::u_convert(b, a[3], Scalar::I64);
            let mask = {
                let shift = b.i64(32);
                let high = b.op(pyro_ir::Opcode::Shl, &[wide_high, shift]);
                b.op(pyro_ir::Opcode::Or, &[wide, high])
            };
            vec![
                group::swizzle_invocations(b, a[0], offset),
                group::swizzle_invocations_masked(b, a[0], masks),
                group::write_invocation(b, a[0], a[1], index),
                group::mbcnt(b, mask),
            ]
        });
        for _ in 0..50 {
            let active = random_active(&mut random, lanes);
            let args: Vec<Vec<u64>> =
                (0..4).map(|_| vec![random.bits() & 0xffff_ffff; lanes as usize]).collect();
            let mut args = args;
            args[0] = (0..lanes).map(|_| random.bits() & 0xffff_ffff).collect();
            args[1] = (0..lanes).map(|_| random.bits() & 0xffff_ffff).collect();
            let results = run(&program, &args, &active);
            let mask = args[2][0] | args[3][0] << 32;
            for lane in active_lanes(&active) {
                let read = |other: usize| {
                    if other < lanes as usize && active[other] { args[0][other] } else { 0 }
                };
                let last = lane == lanes as usize - 1;
                let want = [
                    read(lane / 4 * 4 + [3, 0, 2, 2][lane % 4]),
                    read(lane / 32 * 32 + (((lane % 32) & 0x1e | 0x01) ^ 0x02)),
                    args[usize::from(last)][lane],
                    (mask & ((1u128 << lane) as u64 - 1)).count_ones().into(),
                ];
                let got: Vec<u64> = results.iter().map(|result| result[lane]).collect();
                assert_eq!(got, want, "{lanes} lanes, lane {lane}");
            }
        }
    }
}
