//! Loads of neighbouring elements at random indices, among them ones that wrap and ones of which only some
//! are in bounds: what they give stays the same when they become groups.

use crate::support::{INPUT, OUTPUT, Random, mask};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value};
use pyro_passes::target::{RareBlocks, access_group, access_merge};

const LANES: u32 = 16;
const WORDS: u32 = 64;

/// `sum of elements[index + distance] if index + distance < count`, where the index comes from memory.
struct Case {
    scalar: Scalar,
    indices: Vec<u32>,
    distances: Vec<u32>,
    /// How many elements there are, for each load.
    counts: Vec<u32>,
    /// Which lanes take part at all.
    lanes: u64,
    /// A store between the loads, by the number of the load before which it is.
    store: Option<usize>,
}

impl Case {
    fn new(random: &mut Random) -> Case {
        let scalar = [Scalar::I32, Scalar::F32, Scalar::I16, Scalar::I8][random.below(4) as usize];
        let limit = WORDS * 4 / scalar.bytes();
        // Half of the programs take the fast way.
        let is_inside = random.chance(50);
        let index = |random: &mut Random| match random.below(4) {
            _ if is_inside => 4 + random.below(u64::from(limit - 40)) as u32,
            0 => 0u32.wrapping_sub(random.below(4) as u32),
            1 => limit - random.below(6) as u32,
            _ => random.below(u64::from(limit)) as u32,
        };
        let loads = 2 + random.below(7) as usize;
        let all = limit - random.below(3) as u32;
        let count =
            |random: &mut Random| if random.chance(70) { all } else { random.below(u64::from(all)) as u32 };
        Case {
            scalar,
            indices: (0..LANES).map(|_| index(random)).collect(),
            distances: (0..loads)
                .map(|_| (random.below(8) as u32).wrapping_sub(random.below(3) as u32))
                .collect(),
            counts: (0..loads).map(|_| if is_inside { all } else { count(random) }).collect(),
            lanes: if is_inside || random.chance(50) { u64::MAX } else { random.bits() },
            store: random.chance(20).then(|| random.below(loads as u64) as usize),
        }
    }

    fn function(&self) -> Function {
        use Opcode as O;
        let mut function = Function::new("group", Form::Mask, LANES);
        let entry = function.make_block();
        let b = &mut Builder::new(&mut function);
        b.start(entry);
        let (base, out) = (b.i64(INPUT), b.i64(OUTPUT));
        let splat = |b: &mut Builder, bits: u32| {
            let constant = b.i32(bits);
            b.splat(constant)
        };
        let lane = b.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result");
        let two = splat(b, 2);
        let words = b.op(O::Shl, &[lane, two]);
        let always = b.bool(true);
        let always = b.splat(always);
        let field = MemoryOp::new(Space::Constant).at(4 * WORDS as i32);
        let index = b.load(Scalar::I32, field, base, words, always);
        let bits = b.i64(self.lanes);
        let active = b.emit(O::MaskFromBits, &[bits], 0, Scalar::I1).expect("a result");
        let mut values: Vec<Value> = Vec::new();
        for (number, (&distance, &count)) in self.distances.iter().zip(&self.counts).enumerate() {
            if self.store == Some(number) {
                let zero = splat(b, 0);
                b.store(MemoryOp::new(Space::Global), base, zero, lane, always);
            }
            let (distance, count) = (splat(b, distance), splat(b, count));
            let element = b.op(O::IAdd, &[index, distance]);
            let inside = b.op(O::ULt, &[element, count]);
            let predicate = b.op(O::And, &[active, inside]);
            let shift = splat(b, self.scalar.bytes().trailing_zeros());
            let offset = b.op(O::Shl, &[element, shift]);
            values.push(b.load(self.scalar, MemoryOp::new(Space::Global), base, offset, predicate));
        }
        for (number, value) in values.into_iter().enumerate() {
            let memory = MemoryOp::new(Space::Global).at(64 * number as i32);
            b.store(memory, out, words, value, always);
        }
        b.terminate(Terminator::Return(0));
        function
    }
}

#[test]
fn groups_load_what_their_members_load() {
    let mut grouped = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let case = Case::new(&mut random);
        let elements = (0..WORDS).map(|_| random.bits() as u32);
        let inputs: Vec<u32> = elements.chain(case.indices.iter().copied()).collect();
        let mut function = case.function();
        let mut group = |function: &mut Function| {
            grouped += u32::from(access_group::run(function, &RareBlocks::default()));
            access_merge::run(function);
        };
        mask::stays_same(&format!("seed {seed}"), &mut function, &inputs, &mut [&mut group]);
    }
    assert!(grouped > 400, "only {grouped} programs have groups");
}
