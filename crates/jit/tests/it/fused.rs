//! Fused multiplications and sums of single round once, also where a sum in double comes to lie halfway
//! between two numbers: levels without the instruction must not round twice.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space};
use pyro_jit::{Features, Level, disassemble};
use pyro_random::Random;
use pyro_util::fused::FusedMulAdd;

const LANES: u32 = 16;
/// Bytes from one operand's lanes to the next one's.
const ROW: i32 = LANES as i32 * 4;

/// Operands that are hard, as bits.
fn hard(random: &mut Random) -> [u32; 3] {
    let tiny = |shift: i32| 2f32.powi(-shift);
    let mut bits = || random.below(1 << 30) as u32 ^ (random.below(4) as u32) << 30;
    let [any, other, third] = [bits(), bits(), bits()];
    let low = 1 + any % 12;
    // (1 + e)(1 - e) is just below 1: beside an odd number the sum is just below halfway to the next.
    let (up, down) = (1.0 + tiny(6 + low as i32), 1.0 - tiny(6 + low as i32));
    let halfway = [up * tiny(12), down * tiny(12), 1.0 + tiny(23)];
    // The same far below, where the result is a denormal.
    let scale = 2f32.powi(-126);
    let denormal = [up * tiny(76), down * tiny(74), scale * tiny(10) + scale * tiny(23)];
    let floats = match other % 8 {
        0 => halfway,
        1 => [-halfway[0], halfway[1], -halfway[2]],
        2 => [-halfway[0], halfway[1], halfway[2]],
        3 => denormal,
        4 => [f32::from_bits(any), 1.0, -f32::from_bits(any)],
        5 => [f32::MAX, 2.0, -f32::MAX],
        6 => [f32::INFINITY, f32::from_bits(other), f32::from_bits(third)],
        _ => return [any, other, third],
    };
    floats.map(f32::to_bits)
}

/// Three rows of operands, and a row of results.
fn fused_function() -> Function {
    crate::support::function(LANES, |begun| {
        let place = begun.lanes_times(4);
        let memory = MemoryOp::new(Space::Global);
        let [a, b, c] = [0, 1, 2].map(|row| {
            begun.builder.load(Scalar::F32, memory.at(ROW * row), begun.base, place, begun.active)
        });
        let result = begun.builder.op(Opcode::FFma, &[a, b, c]);
        begun.builder.store(memory.at(ROW * 3), begun.base, place, result, begun.active);
    })
}

#[test]
fn sums_are_rounded_to_odd_behind_the_function_where_the_instruction_is_missing() {
    let code = crate::support::compiled(&fused_function(), Features::base(Level::Sse41));
    let text = disassemble(code.machine_code(), Level::Sse41);
    let (function, behind) = text.split_once("ret").expect("the function returns");
    // Four registers of four lanes, two of which are computed at once.
    assert_eq!(function.matches("mulpd").count(), 8, "{text}");
    assert!(!function.contains("psubq") && behind.contains("psubq"), "{text}");
}

#[test]
fn fused_operations_round_once() {
    let function = fused_function();
    for (name, features) in Features::all() {
        let kernel = crate::support::compiled(&function, features);
        let mut random = Random::new(5);
        for _ in 0..500 {
            let cases: Vec<[u32; 3]> = (0..LANES).map(|_| hard(&mut random)).collect();
            let mut memory: Vec<u32> =
                (0..3).flat_map(|row| cases.iter().map(move |case| case[row])).collect();
            memory.resize(4 * LANES as usize, 0);
            let base = memory.as_mut_ptr().expose_provenance() as u64;
            // SAFETY: four rows of lanes are there.
            #[allow(unsafe_code)]
            unsafe {
                crate::support::run(&kernel, base, crate::support::all(LANES), false);
            }
            for (lane, case) in cases.iter().enumerate() {
                let [a, b, c] = case.map(f32::from_bits);
                let (expected, found) =
                    (a.fused_mul_add(b, c), f32::from_bits(memory[3 * LANES as usize + lane]));
                let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
                assert!(same, "{name}: {a:e} * {b:e} + {c:e} is {expected:e}, not {found:e}");
            }
        }
    }
}
