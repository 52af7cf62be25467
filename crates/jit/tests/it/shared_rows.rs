//! Vectors of four words that the rows of a subgroup share: they are loaded and taken apart once.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level};

/// Words from what is read to what is written.
const WRITTEN: u32 = 0x100;

/// `memory[WRITTEN + lane] = a - b ^ c - d` of the four words at `lane % 8 * 4 + memory[0] * 32`
fn function(lanes: u32) -> Function {
    use Opcode as O;
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let memory = MemoryOp::new(Space::Global);
        let [four, seven] = [4, 7].map(|number| begun.splat(number));
        let (written, lane, base) = (begun.lanes_times(4), begun.lane, begun.base);
        let b = &mut begun.builder;
        let (zero, shift, all) = (b.i32(0), b.i32(7), b.splat(always));
        let start = b.load(Scalar::I32, memory, base, zero, always);
        let start = b.op(O::Shl, &[start, shift]);
        let start = b.splat(start);
        let column = b.op(O::And, &[lane, seven]);
        let column = b.op(O::Shl, &[column, four]);
        let offset = b.op(O::IAdd, &[start, column]);
        let words = [0, 4, 8, 12].map(|place| b.load(Scalar::I32, memory.at(place), base, offset, all));
        let first = b.op(O::ISub, &[words[0], words[1]]);
        let second = b.op(O::ISub, &[words[2], words[3]]);
        let result = b.op(O::Xor, &[first, second]);
        b.store(memory.at(4 * WRITTEN as i32), base, written, result, all);
    })
}

#[test]
fn rows_share_what_they_load() {
    for (name, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            let kernel = crate::support::compiled(&function(lanes), features);
            let mut memory: Vec<u32> = (0..2 * WRITTEN).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
            memory[0] = 3;
            let mut expected = memory.clone();
            for lane in 0..lanes {
                let at = (lane % 8 * 4 + 3 * 32) as usize;
                let [a, b, c, d] = [0, 1, 2, 3].map(|word| memory[at + word]);
                expected[(WRITTEN + lane) as usize] = a.wrapping_sub(b) ^ c.wrapping_sub(d);
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
fn rows_are_taken_apart_once() {
    let text = crate::support::assembly(&function(16), Features::base(Level::Avx512));
    assert_eq!(text.matches("vpermi2d").count(), 4, "{text}");
    assert!(!text.contains("vinsertf64x4") && !text.contains("vshuff64x2"), "{text}");
}
