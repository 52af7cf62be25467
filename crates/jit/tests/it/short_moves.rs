//! Moves of sixteen lanes with vectors of 128 bits: rows of blocks and pairs of texels need no questions lane
//! by lane, and what becomes of one register of a value comes before what becomes of the next one.

use crate::support::{self, Begun};
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_jit::{Features, Level, disassemble};
use pyro_random::Random;

const LANES: u32 = 16;
/// Words of the memory.
const WORDS: usize = 128;

fn assembly(function: &Function) -> String {
    let code = support::compiled(function, Features::base(Level::Sse41));
    disassemble(code.machine_code(), Level::Sse41)
}

/// The memory after the function of each level has run over it.
fn memories(function: &Function, memory: &[u32; WORDS]) -> Vec<(&'static str, [u32; WORDS])> {
    let all = Features::all().into_iter().map(|(name, features)| {
        let mut memory = *memory;
        // SAFETY: all lanes stay within the words.
        #[allow(unsafe_code)]
        unsafe {
            support::run_over(&support::compiled(function, features), &mut memory, LANES);
        }
        (name, memory)
    });
    all.collect()
}

fn random_memory(random: &mut Random) -> [u32; WORDS] {
    std::array::from_fn(|_| (random.below(u64::MAX) >> 32) as u32)
}

fn at(word: i32) -> MemoryOp {
    MemoryOp::new(Space::Global).at(4 * word)
}

/// The first and the second row of a block.
fn rows(begun: &mut Begun<'_>) -> [Value; 2] {
    let eight = begun.splat(8);
    let first = begun.builder.op(Opcode::ULt, &[begun.lane, eight]);
    [first, begun.builder.op(Opcode::Not, &[first])]
}

#[test]
fn rows_of_blocks_are_plain_moves() {
    // Rows at words 0 and 20; the second one's lanes begin eight words before.
    const PLACES: [i32; 2] = [0, 12];
    let function = support::function(LANES, |begun| {
        let (rows, place) = (rows(begun), begun.lanes_times(4));
        let [first, second] =
            [0, 1].map(|row| begun.builder.load(Scalar::I32, at(PLACES[row]), begun.base, place, rows[row]));
        let both = begun.builder.op(Opcode::Or, &[first, second]);
        let sum = begun.builder.op(Opcode::IAdd, &[both, begun.lane]);
        for (place_of, row) in PLACES.into_iter().zip(rows) {
            begun.builder.store(at(64 + place_of), begun.base, place, sum, row);
        }
    });
    let text = assembly(&function);
    assert!(!text.contains("pextrd") && !text.contains("pinsrd"), "{text}");
    assert!(!text.contains("por "), "one of two rows has nothing: {text}");
    let memory = random_memory(&mut Random::new(5));
    for (name, found) in memories(&function, &memory) {
        let mut expected = memory;
        for lane in 0..16 {
            let word = lane + PLACES[lane / 8] as usize;
            expected[64 + word] = memory[word].wrapping_add(lane as u32);
        }
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn pairs_of_lanes_are_moved_together() {
    // Words 0 to 15: where lanes read and write, in bytes; from 16 on what they add, negative where they take
    // no part; from 32 on the texels.
    let function = support::function(LANES, |begun| {
        let (place, zero) = (begun.lanes_times(4), begun.splat(0));
        let always = begun.builder.bool(true);
        let always = begun.builder.splat(always);
        let load = |begun: &mut Begun<'_>, memory: MemoryOp, place| {
            begun.builder.load(Scalar::I32, memory, begun.base, place, always)
        };
        let texel = load(begun, at(0), place);
        let addend = load(begun, at(16), place);
        let old = load(begun, at(32).pairs(), texel);
        let sum = begun.builder.op(Opcode::IAdd, &[old, addend]);
        let takes_part = begun.builder.op(Opcode::SLe, &[zero, addend]);
        begun.builder.store(at(32).whole_pairs(), begun.base, texel, sum, takes_part);
    });
    let text = assembly(&function);
    assert!(text.contains("movhps") && !text.contains("pinsrd"), "{text}");
    let mut random = Random::new(6);
    for _ in 0..50 {
        let mut memory = random_memory(&mut random);
        let mut pairs: Vec<u32> = (0..32).collect();
        for lane in (0..16).step_by(2) {
            // Pairs of neighbours in any order; some are of two lanes, of which one takes part.
            let pair = pairs.swap_remove(random.below(pairs.len() as u64) as usize);
            (memory[lane], memory[lane + 1]) = (8 * pair, 8 * pair + 4);
        }
        let mut expected = memory;
        for lane in 0..16 {
            let (word, addend) = (32 + memory[lane] as usize / 4, memory[16 + lane]);
            if addend as i32 >= 0 {
                expected[word] = memory[word].wrapping_add(addend);
            }
        }
        for (name, found) in memories(&function, &memory) {
            assert_eq!(found, expected, "{name}");
        }
    }
}

#[test]
fn what_becomes_of_a_register_needs_no_stack() {
    // Six values of four registers each are wanted at once.
    let function = support::function(LANES, |begun| {
        let (place, always) = (begun.lanes_times(4), begun.builder.bool(true));
        let always = begun.builder.splat(always);
        let value = begun.builder.load(Scalar::F32, at(0), begun.base, place, always);
        let values: Vec<Value> = (1..=6)
            .map(|power| {
                (1..power).fold(value, |product, _| begun.builder.op(Opcode::FMul, &[product, value]))
            })
            .collect();
        let squares: Vec<Value> =
            values.iter().map(|&value| begun.builder.op(Opcode::FMul, &[value, value])).collect();
        let sum = squares.into_iter().reduce(|sum, square| begun.builder.op(Opcode::FAdd, &[sum, square]));
        let product =
            values.into_iter().reduce(|product, value| begun.builder.op(Opcode::FMul, &[product, value]));
        let [sum, product] = [sum, product].map(|value| value.expect("there are values"));
        let result = begun.builder.op(Opcode::FAdd, &[sum, product]);
        begun.builder.store(at(64), begun.base, place, result, always);
    });
    let code = support::compiled(&function, Features::base(Level::Sse41));
    assert_eq!(code.statistics().vector_spills, 0, "{}", assembly(&function));
}
