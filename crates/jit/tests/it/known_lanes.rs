//! What is known of each lane when code is made: numbers, comparisons of such, and places.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Words from what is read to what is written.
const WRITTEN: u32 = 0x100;

/// The word that a lane reads: 0, 1, 2, 3 or 8, 9, 10, 11, each for two lanes.
fn place(lane: u32) -> u32 {
    lane / 2 % 4 + lane / 8 % 2 * 8
}

/// `memory[WRITTEN + lane] = memory[lane % 8 < 4 ? place(lane) : lane + 1] >> lane / 2 % 4 * 8`
fn function(lanes: u32) -> Function {
    use Opcode as O;
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let always = begun.builder.splat(always);
        let memory = MemoryOp::new(Space::Global);
        let [one, two, three, four, eight] = [1, 2, 3, 4, 8].map(|number| begun.splat(number));
        let (written, lane, base) = (begun.lanes_times(4), begun.lane, begun.base);
        let b = &mut begun.builder;
        let pair = b.op(O::LShr, &[lane, one]);
        let low = b.op(O::And, &[pair, three]);
        let high = b.op(O::And, &[lane, eight]);
        let word = b.op(O::IAdd, &[low, high]);
        let offset = b.op(O::Shl, &[word, two]);
        let near = b.load(Scalar::I32, memory, base, offset, always);
        let own = b.load(Scalar::I32, memory.at(4), base, written, always);
        let bit = b.op(O::And, &[lane, four]);
        let is_near = b.op(O::ULt, &[bit, four]);
        let chosen = b.select(is_near, near, own);
        let count = b.op(O::Shl, &[low, three]);
        let result = b.op(O::LShr, &[chosen, count]);
        b.store(memory.at(4 * WRITTEN as i32), base, written, result, always);
    })
}

#[test]
fn known_numbers_of_lanes_are_right() {
    for (name, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            let kernel = crate::support::compiled(&function(lanes), features);
            let mut memory: Vec<u32> = (1..=2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let mut expected = memory.clone();
            for lane in 0..lanes {
                let word = if lane % 8 < 4 { place(lane) } else { lane + 1 };
                expected[(WRITTEN + lane) as usize] = memory[word as usize] >> (lane / 2 % 4 * 8);
            }
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run_over(&kernel, &mut memory, lanes);
            }
            assert_eq!(memory, expected, "{name}, {lanes} lanes");
        }
    }
}

#[test]
fn known_numbers_of_lanes_are_constants() {
    let text = crate::support::assembly(&function(16), Features::base(Level::Avx512));
    for computed in ["vpand", "vpcmp", "vpsrld", "vpsll", "vpadd", "vpgather", "vinsert"] {
        assert!(!text.contains(computed), "{computed}: {text}");
    }
    assert_eq!(text.matches("vpermd").count(), 1, "{text}");
}

/// `memory[WRITTEN + lane] = memory[place(lane)] + memory[place(lane) + 4] + …`, with a store of the lane's
/// number to `memory[lane]` between the two, or without.
fn two_loads(lanes: u32, stores: bool) -> Function {
    use Opcode as O;
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let always = begun.builder.splat(always);
        let memory = MemoryOp::new(Space::Global);
        let [one, two, three, eight] = [1, 2, 3, 8].map(|number| begun.splat(number));
        let (written, lane, base) = (begun.lanes_times(4), begun.lane, begun.base);
        let b = &mut begun.builder;
        let pair = b.op(O::LShr, &[lane, one]);
        let low = b.op(O::And, &[pair, three]);
        let high = b.op(O::And, &[lane, eight]);
        let word = b.op(O::IAdd, &[low, high]);
        let offset = b.op(O::Shl, &[word, two]);
        let first = b.load(Scalar::I32, memory, base, offset, always);
        if stores {
            b.store(memory, base, written, lane, always);
        }
        let second = b.load(Scalar::I32, memory.at(16), base, offset, always);
        let sum = b.op(O::IAdd, &[first, second]);
        b.store(memory.at(4 * WRITTEN as i32), base, written, sum, always);
    })
}

#[test]
fn loads_share_a_window() {
    for (name, features) in Features::all() {
        for (lanes, stores) in [(16, false), (16, true), (32, false), (32, true)] {
            let kernel = crate::support::compiled(&two_loads(lanes, stores), features);
            let mut memory: Vec<u32> = (1..=2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            let mut expected = memory.clone();
            if stores {
                (0..lanes).zip(&mut expected).for_each(|(lane, word)| *word = lane);
            }
            for lane in 0..lanes {
                let first = memory[place(lane) as usize];
                let second = expected[place(lane) as usize + 4];
                expected[(WRITTEN + lane) as usize] = first.wrapping_add(second);
            }
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run_over(&kernel, &mut memory, lanes);
            }
            assert_eq!(memory, expected, "{name}, {lanes} lanes, stores: {stores}");
        }
    }
    let loads = |stores: bool| {
        let text = crate::support::assembly(&two_loads(16, stores), Features::base(Level::Avx512));
        let is_load = |line: &&str| {
            let (to, from) = line.split_once(',').unwrap_or_default();
            to.contains("vmov") && !to.contains('[') && from.contains('[') && !from.contains("rel")
        };
        text.lines().filter(is_load).count()
    };
    assert_eq!((loads(false), loads(true)), (1, 2));
}
