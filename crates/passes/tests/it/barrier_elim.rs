//! Workgroups of four subgroups that exchange values between barriers, in steps in which some invocations
//! take part: what they give stays the same when barriers are left out.

use crate::support::{FRAME, Memory, OUTPUT, Random, SCRATCH, SUBGROUP, mask};
use pyro_abi::{SubgroupContext, context::offset};
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Merge, Opcode, Scalar, Space, Terminator, Value,
};
use pyro_passes::pipeline::{self, Options};
use pyro_passes::workgroup_loop::WorkgroupShape;

const LANES: u32 = 16;
const SUBGROUPS: u32 = 4;
const COUNT: u32 = LANES * SUBGROUPS;
const VISITS: u32 = 100_000;

/// Which invocations take part in a step.
#[derive(Clone, Copy, Debug)]
enum Guard {
    Below(u32),
    From(u32),
    Is(u32),
    /// Those below a number whose lowest bits are zero.
    Some(u32, u32),
}

impl Guard {
    fn new(random: &mut Random) -> Guard {
        // Few, mostly.
        let number = if random.chance(70) { random.below(18) } else { random.below(66) } as u32;
        match random.below(6) {
            0 => Guard::From(number),
            1 => Guard::Is(number),
            2 => Guard::Some(number, random.below(8) as u32),
            _ => Guard::Below(number),
        }
    }

    fn holds(self, id: u32) -> bool {
        match self {
            Guard::Below(number) => id < number,
            Guard::From(number) => id >= number,
            Guard::Is(number) => id == number,
            Guard::Some(number, bits) => id < number && id & bits == 0,
        }
    }

    fn build(self, b: &mut Builder, id: Value) -> Value {
        match self {
            Guard::Below(number) => {
                let number = b.i32(number);
                b.op(Opcode::ULt, &[id, number])
            }
            Guard::From(number) => {
                let number = b.i32(number);
                b.op(Opcode::ULe, &[number, id])
            }
            Guard::Is(number) => {
                let number = b.i32(number);
                b.op(Opcode::IEq, &[id, number])
            }
            Guard::Some(number, bits) => {
                let below = Guard::Below(number).build(b, id);
                let (bits, zero) = (b.i32(bits), b.i32(0));
                let low = b.op(Opcode::And, &[id, bits]);
                let is_zero = b.op(Opcode::IEq, &[low, zero]);
                b.op(Opcode::And, &[below, is_zero])
            }
        }
    }
}

/// `if (guard) { to[id] = from[(id + distance) % 64] * 3 + id }`, then a barrier, and `from` and `to` change
/// places. In place: `if (guard) v = from[(id + distance) % 64]`, a barrier, `if (guard) from[id] = v * 3 +
/// id`, a barrier.
#[derive(Clone, Copy, Debug)]
struct Step {
    guard: Guard,
    distance: u32,
    /// There is none behind it: the next step is of the same invocations' places.
    has_barrier: bool,
    is_in_place: bool,
}

impl Step {
    fn barriers(self) -> usize {
        usize::from(self.has_barrier) + usize::from(self.is_in_place)
    }
}

fn program(steps: &[Step]) -> Function {
    let mut function = Function::new("steps", Form::Lane, LANES);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let (record, zero, always) = (b.arg(1), b.i32(0), b.bool(true));
    let memory = MemoryOp::new(Space::Context).at(offset::SUBGROUP_ID as i32).speculatable();
    let subgroup = b.load(Scalar::I32, memory, record, zero, always);
    let (four, two, three, last) = (b.i32(4), b.i32(2), b.i32(3), b.i32(COUNT - 1));
    let first = b.op(Opcode::Shl, &[subgroup, four]);
    let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
    let id = b.op(Opcode::IAdd, &[first, lane]);
    let place = b.op(Opcode::Shl, &[id, two]);
    let base = b.i64(OUTPUT);
    let array = |number: u32| MemoryOp::new(Space::Shared).at((number * 4 * COUNT) as i32);
    for number in 0..2 {
        b.store(array(number), base, place, id, always);
    }
    b.effect(Opcode::Suspend, 1);
    let mut from = 0;
    for step in steps {
        let guard = step.guard.build(&mut b, id);
        if step.is_in_place {
            let distance = b.i32(step.distance);
            let other = b.op(Opcode::IAdd, &[id, distance]);
            let other = b.op(Opcode::And, &[other, last]);
            let other = b.op(Opcode::Shl, &[other, two]);
            let value = guarded(&mut b, guard, |b| {
                let value = b.load(Scalar::I32, array(from), base, other, always);
                Some(value)
            });
            b.effect(Opcode::Suspend, 1);
            guarded(&mut b, guard, |b| {
                let value = b.op(Opcode::IMul, &[value.expect("a value"), three]);
                let value = b.op(Opcode::IAdd, &[value, id]);
                b.store(array(from), base, place, value, always);
                None
            });
            b.effect(Opcode::Suspend, 1);
            continue;
        }
        let [then, merge]: [Block; 2] = [(); 2].map(|()| b.function.make_block());
        let at = b.block();
        b.branch(guard, BlockCall::new(then, &[]), BlockCall::new(merge, &[]));
        b.function.blocks[at].merge = Some(Merge::Selection { merge });
        b.start(then);
        let distance = b.i32(step.distance);
        let other = b.op(Opcode::IAdd, &[id, distance]);
        let other = b.op(Opcode::And, &[other, last]);
        let other = b.op(Opcode::Shl, &[other, two]);
        let value = b.load(Scalar::I32, array(from), base, other, always);
        let value = b.op(Opcode::IMul, &[value, three]);
        let value = b.op(Opcode::IAdd, &[value, id]);
        b.store(array(1 - from), base, place, value, always);
        b.jump(merge, &[]);
        b.start(merge);
        if step.has_barrier {
            b.effect(Opcode::Suspend, 1);
            from = 1 - from;
        }
    }
    b.terminate(Terminator::Return(0));
    function
}

/// `if (guard) …`, whose value is zero elsewhere.
fn guarded(b: &mut Builder, guard: Value, then: impl FnOnce(&mut Builder) -> Option<Value>) -> Option<Value> {
    let [inside, merge]: [Block; 2] = [(); 2].map(|()| b.function.make_block());
    let (at, zero) = (b.block(), b.i32(0));
    b.start(inside);
    let value = then(b);
    let (given, otherwise) = match &value {
        Some(value) => (std::slice::from_ref(value), std::slice::from_ref(&zero)),
        None => (&[][..], &[][..]),
    };
    b.jump(merge, given);
    let param = value.map(|_| b.function.add_param(merge, pyro_ir::Type::varying(Scalar::I32)));
    b.switch_to(at);
    b.branch(guard, BlockCall::new(inside, &[]), BlockCall::new(merge, otherwise));
    b.function.blocks[at].merge = Some(Merge::Selection { merge });
    b.start(merge);
    param
}

fn expected(steps: &[Step]) -> Vec<u32> {
    let mut arrays = [(0..COUNT).collect::<Vec<u32>>(), (0..COUNT).collect()];
    let mut from = 0;
    for step in steps {
        if step.is_in_place {
            let old = arrays[from].clone();
            for id in (0..COUNT).filter(|&id| step.guard.holds(id)) {
                let value = old[(id + step.distance) as usize % COUNT as usize];
                arrays[from][id as usize] = value.wrapping_mul(3).wrapping_add(id);
            }
            continue;
        }
        for id in (0..COUNT).filter(|&id| step.guard.holds(id)) {
            let value = arrays[from][(id + step.distance) as usize % COUNT as usize];
            arrays[1 - from][id as usize] = value.wrapping_mul(3).wrapping_add(id);
        }
        if step.has_barrier {
            from = 1 - from;
        }
    }
    arrays.concat()
}

fn memory() -> Memory {
    let mut memory = Memory::new(u64::MAX >> (64 - LANES), &[]);
    for index in 0..u64::from(SUBGROUPS) {
        let record = SUBGROUP + index * size_of::<SubgroupContext>() as u64;
        let words = [
            (offset::ACTIVE_LANES, 0xffff),
            (offset::FRAME, FRAME + index * 0x4000),
            (offset::SCRATCH, SCRATCH + index * 0x4000),
        ];
        words.iter().for_each(|&(at, word)| memory.store(record + u64::from(at), Scalar::I64, word));
        memory.store(record + u64::from(offset::WORKGROUP_COUNT), Scalar::I32, 1);
    }
    memory
}

/// Runs a program with some passes left out. Returns how many barriers there are behind `barrier_elim` and
/// behind `barrier_order`, and whether subgroups are unrolled.
fn check(seed: u64, steps: &[Step], disabled: &[&'static str]) -> ([usize; 2], bool) {
    let source = program(steps);
    pyro_ir::verify::verify(&source).expect("well formed");
    let shape = WorkgroupShape { subgroup_count: SUBGROUPS, last_lanes: 0xffff };
    let options = Options {
        full_subgroups: true,
        workgroup_loop: Some(shape),
        verify: true,
        disabled: disabled.to_vec(),
        ..Options::default()
    };
    let mut function = source.clone();
    let mut barriers = [0; 2];
    let mut count = |name: &'static str, function: &Function| {
        let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
        let count = || insts.filter(|&&inst| function.insts[inst].op == Opcode::Suspend).count();
        match name {
            "barrier_elim" => barriers[0] = count(),
            "barrier_order" => barriers[1] = count(),
            _ => {}
        }
    };
    let outcome = pipeline::run(&mut function, &options, Some(&mut count)).expect("the passes run");
    let mut result = memory();
    mask::run(&function, &mut result, VISITS).expect("it ends");
    let bytes = result.output()[..8 * COUNT as usize].chunks_exact(4);
    let words: Vec<u32> =
        bytes.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    assert_eq!(words, expected(steps), "seed {seed} without {disabled:?}: {steps:?}\n{function}");
    (barriers, outcome.is_unrolled)
}

#[test]
fn steps_give_what_they_gave_with_all_barriers() {
    let (mut first, mut ordered, mut unrolled, mut all) = (0, 0, 0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(10);
        let mut steps = Vec::new();
        for _ in 0..count {
            let is_in_place = random.chance(30);
            // Some go no further than the subgroup's neighbours.
            let most = if random.chance(50) { 64 } else { 18 };
            let distance = random.below(most) as u32;
            let distance = if random.chance(30) { COUNT - 1 - distance } else { distance };
            let guard = match random.chance(40) {
                true => Guard::From((COUNT - distance) % COUNT),
                false => Guard::new(&mut random),
            };
            steps.push(Step { guard, distance, has_barrier: is_in_place || random.chance(85), is_in_place });
        }
        let there = 1 + steps.iter().map(|step| step.barriers()).sum::<usize>();
        let ([elim, order], _) = check(seed, &steps, &["workgroup_unroll"]);
        all += there;
        first += there - elim;
        ordered += elim - order;
        unrolled += usize::from(check(seed, &steps, &[]).1);
        check(seed, &steps, &["workgroup_unroll", "barrier_order"]);
        check(seed, &steps, &["barrier_order", "barrier_elim"]);
    }
    assert!(first * 8 > all, "{first} of {all} barriers were left out");
    assert!(ordered * 20 > all, "the order of subgroups made {ordered} of {all} barriers needless");
    assert!(first + ordered < all);
    assert!(unrolled > 200, "{unrolled} workgroups were unrolled");
}
