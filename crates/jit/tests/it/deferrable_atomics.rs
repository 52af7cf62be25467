//! Deferrable atomic operations: whatever waits in the table of a call, memory is as if nothing had.

use pyro_abi::Kernel;
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::Features;
use pyro_random::Random;

/// Operations of a lane; its offsets come first in memory, then its values, then what is changed.
const STEPS: u32 = 40;
/// Words that are changed: four for each entry of a table, so that lanes come to pass it by.
const WORDS: u32 = 4096;

#[derive(Clone, Copy, Debug)]
struct Case {
    op: Opcode,
    lanes: u32,
    /// Whether each lane has an address of its own, or an offset.
    addresses: bool,
    /// Whether something keeps the operations from waiting.
    fence: bool,
}

impl Case {
    /// Bytes from the base to the words that are changed.
    fn start(self) -> u32 {
        2 * STEPS * 4 * self.lanes
    }

    fn function(self) -> Function {
        crate::support::function(self.lanes, |begun| {
            let active = begun.active;
            let row = begun.lanes_times(4);
            let memory = MemoryOp::new(Space::Global);
            let deferrable = MemoryOp { deferrable: true, ..memory.at(self.start() as i32) };
            for step in 0..STEPS {
                let place = (step * 4 * self.lanes) as i32;
                let offset = begun.builder.load(Scalar::I32, memory.at(place), begun.base, row, active);
                let place = ((STEPS + step) * 4 * self.lanes) as i32;
                let value = begun.builder.load(Scalar::I32, memory.at(place), begun.base, row, active);
                let (base, offset) = if self.addresses {
                    let base = begun.builder.splat(begun.base);
                    let wide = begun.builder.convert(Opcode::ZeroExtend, offset, Scalar::I64);
                    let zero = begun.splat(0);
                    (begun.builder.op(Opcode::IAdd, &[base, wide]), zero)
                } else {
                    (begun.base, offset)
                };
                begun.builder.emit(self.op, &[base, offset, value, active], deferrable.to_imm(), Scalar::I32);
            }
            if self.fence {
                begun.builder.effect(Opcode::Fence, 0);
            }
        })
    }

    /// Fills memory, in which places are among the first `words`, and what it is to be afterwards.
    fn fill(self, random: &mut Random, words: u32, active: u64) -> [Vec<u32>; 2] {
        let count = (STEPS * self.lanes) as usize;
        let mut before: Vec<u32> = (0..count).map(|_| random.below(words) * 4).collect();
        before.extend((0..count as u32 + WORDS).map(|_| random.word()));
        let mut after = before.clone();
        for number in (0..count).filter(|&number| active >> (number as u32 % self.lanes) & 1 != 0) {
            let value = before[count + number];
            let word = &mut after[2 * count + before[number] as usize / 4];
            *word = match self.op {
                Opcode::AtomicAdd => word.wrapping_add(value),
                Opcode::AtomicAnd => *word & value,
                Opcode::AtomicOr => *word | value,
                _ => *word ^ value,
            };
        }
        [before, after]
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let ops = [Opcode::AtomicAdd, Opcode::AtomicAnd, Opcode::AtomicOr, Opcode::AtomicXor];
    ops.into_iter().flat_map(|op| {
        [4, 8, 16, 32, 64].into_iter().flat_map(move |lanes| {
            [(false, false), (true, false), (false, true)].map(|(addresses, fence)| Case {
                op,
                lanes,
                addresses,
                fence,
            })
        })
    })
}

#[test]
fn memory_is_as_if_no_operation_had_waited() {
    let mut random = Random::new(11);
    for (name, features) in Features::all() {
        for case in cases() {
            let kernel = crate::support::compiled(&case.function(), features);
            let all = crate::support::all(case.lanes);
            for (words, active) in [(WORDS, all), (WORDS, all & 0x5a5a), (40, all), (40, 1), (1, all), (7, 0)]
            {
                let [mut memory, expected] = case.fill(&mut random, words, active);
                let base = memory.as_mut_ptr().expose_provenance() as u64;
                // SAFETY: all offsets lie within the memory.
                #[allow(unsafe_code)]
                unsafe {
                    crate::support::run(&kernel, base, active, false);
                }
                assert!(memory == expected, "{name}, {case:?}, among {words}, lanes {active:#x}");
            }
        }
    }
}

#[test]
fn operations_wait_where_nothing_orders_them() {
    // Code for short vectors does not defer them.
    for (name, features) in crate::support::with_long_vectors() {
        for case in cases() {
            let kernel = crate::support::compiled(&case.function(), features);
            let has_table = kernel.info().stack_bytes > 14 << 10;
            assert_eq!(has_table, !case.fence, "{name}, {case:?}");
        }
    }
}
