//! Group functions under divergent control flow: the lanes that have come to a block are those that count.

use crate::support::executed::{Executed, load_params, store_results};
use crate::support::{Program, Random};
use pyro_ir::{BlockCall, Builder, Form, Function, Merge, Scalar, Terminator, Type, Value};
use pyro_library::group::{self, Arithmetic, Operation};

/// What one side of the branch computes of a number and a condition.
type Side = fn(&mut Builder, &[Value]) -> Vec<Value>;

fn reductions(b: &mut Builder, args: &[Value]) -> Vec<Value> {
    let mut results = vec![
        group::arithmetic(b, Arithmetic::IAdd, Operation::Reduce, args[0]),
        group::arithmetic(b, Arithmetic::UMax, Operation::ExclusiveScan, args[0]),
        group::arithmetic(b, Arithmetic::Xor, Operation::ClusteredReduce(4), args[0]),
        group::broadcast_first(b, args[0]),
        group::active_count(b),
    ];
    results.extend(group::ballot(b, args[1]));
    results
}

fn scans(b: &mut Builder, args: &[Value]) -> Vec<Value> {
    let mut results = vec![
        group::arithmetic(b, Arithmetic::IMul, Operation::InclusiveScan, args[0]),
        group::arithmetic(b, Arithmetic::SMin, Operation::Reduce, args[0]),
        group::arithmetic(b, Arithmetic::And, Operation::ExclusiveScan, args[0]),
        group::broadcast_first(b, args[0]),
        group::active_count(b),
    ];
    results.extend(group::partition(b, &args[1..]));
    results
}

/// `if (args[2]) reductions else scans`, the results merged by block parameters.
fn branch(lanes: u32) -> (Function, usize) {
    let mut function = Function::new("divergent", Form::Lane, lanes);
    let [entry, then, otherwise, merge] = [0; 4].map(|_| function.make_block());
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let args = load_params(&mut b, &[Scalar::I32, Scalar::I1, Scalar::I1]);
    b.function.blocks[entry].merge = Some(Merge::Selection { merge });
    b.branch(args[2], BlockCall::new(then, &[]), BlockCall::new(otherwise, &[]));
    let mut count = 0;
    for (block, side) in [(then, reductions as Side), (otherwise, scans)] {
        b.start(block);
        let results = side(&mut b, &args[..2]);
        count = results.len();
        b.jump(merge, &results);
    }
    let results: Vec<Value> =
        (0..count).map(|_| b.function.add_param(merge, Type::varying(Scalar::I32))).collect();
    b.start(merge);
    store_results(&mut b, args.len(), &results);
    b.terminate(Terminator::Return(0));
    pyro_ir::verify::verify(&function).expect("well-formed");
    (function, count)
}

#[test]
fn lanes_of_the_other_side_do_not_count() {
    let mut random = Random::new(61);
    for lanes in [4u32, 8, 16, 32, 64] {
        let (function, count) = branch(lanes);
        let params = vec![Scalar::I32, Scalar::I1, Scalar::I1];
        let executed = Executed::new(&function, params, vec![Scalar::I32; count]);
        let sides =
            [reductions as Side, scans].map(|side| Program::new(lanes, &[Scalar::I32, Scalar::I1], side));
        for _ in 0..100 {
            let bits = |random: &mut Random| (0..lanes).map(|_| random.below(2)).collect::<Vec<u64>>();
            let active: Vec<bool> = bits(&mut random).iter().map(|&bit| bit == 1).collect();
            // Inactive lanes hold zeros, as the executors load them.
            let mask = |values: Vec<u64>| -> Vec<u64> {
                values.iter().zip(&active).map(|(&x, &on)| x * u64::from(on)).collect()
            };
            let numbers = mask((0..lanes).map(|_| random.bits() & 0xffff_ffff).collect());
            let conditions = mask(bits(&mut random));
            let choices = mask(bits(&mut random));
            let args: [&[u64]; 3] = [&numbers, &conditions, &choices];
            let come: [Vec<bool>; 2] = [1, 0].map(|choice| {
                (0..lanes as usize).map(|lane| active[lane] && choices[lane] == choice).collect()
            });
            let [then, otherwise] = [0, 1].map(|side| sides[side].evaluate(&args[..2], Some(&come[side])));
            let want: Vec<Vec<u64>> = (0..count)
                .map(|result| {
                    (0..lanes as usize)
                        .map(|lane| if come[0][lane] { then[result][lane] } else { otherwise[result][lane] })
                        .collect()
                })
                .collect();
            executed.check(lanes as usize, &args, Some(&active), &want);
        }
    }
}
