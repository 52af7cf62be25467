//! What is known of each lane when code is made: numbers, comparisons of such, and places.

use pyro_abi::Kernel;
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
            let start = memory.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: the words of all lanes lie within `memory`.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run(&kernel, start, crate::support::all(lanes), false);
            }
            assert_eq!(memory, expected, "{name}, {lanes} lanes");
        }
    }
}

#[test]
fn known_numbers_of_lanes_are_constants() {
    let kernel = crate::support::compiled(&function(16), Features::base(Level::Avx512));
    let texts = kernel.representations();
    let (_, text) = texts.into_iter().find(|(title, _)| title == "assembly").expect("there is code");
    for computed in ["vpand", "vpcmp", "vpsrld", "vpsll", "vpadd", "vpgather", "vinsert"] {
        assert!(!text.contains(computed), "{computed}: {text}");
    }
    assert_eq!(text.matches("vpermd").count(), 1, "{text}");
}
