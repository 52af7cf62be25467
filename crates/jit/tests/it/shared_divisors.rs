//! Division of what lanes have by what all of them share, which is a product with its reciprocal.

use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space, eval};
use pyro_jit::{Features, Level};

const OPS: [Opcode; 4] = [Opcode::UDiv, Opcode::URem, Opcode::SDiv, Opcode::SRem];
/// Words from the divisor to the dividends, and from those of one operation to the next.
const STEP: u32 = 64;

/// `memory[(2 + n) * STEP + lane] = op(n)(memory[STEP + lane], memory[0])`
fn function(lanes: u32) -> Function {
    crate::support::function(lanes, |begun| {
        let always = begun.builder.bool(true);
        let memory = MemoryOp::new(Space::Global);
        let (own, base) = (begun.lanes_times(4), begun.base);
        let b = &mut begun.builder;
        let (zero, all) = (b.i32(0), b.splat(always));
        let divisor = b.load(Scalar::I32, memory, base, zero, always);
        let divisor = b.splat(divisor);
        let at = |part: u32| memory.at((4 * part * STEP) as i32);
        let dividend = b.load(Scalar::I32, at(1), base, own, all);
        for (op, part) in OPS.into_iter().zip(2..) {
            let result = b.op(op, &[dividend, divisor]);
            b.store(at(part), base, own, result, all);
        }
    })
}

#[test]
fn quotients_are_exact() {
    let near = |middle: u32| [middle.wrapping_sub(1), middle, middle.wrapping_add(1)];
    let mut numbers: Vec<u32> = (0..32).flat_map(|shift| near(1 << shift)).chain(0..20).collect();
    numbers.extend([3, 7, 10, 641, 65_537, 6_700_417, 715_827_883].map(|number: u32| number.wrapping_neg()));
    numbers.extend([1_000_000_007, 0xaaaa_aaaa, 0x5555_5555, 112 * 112 * 64]);
    for (name, features) in Features::all() {
        for lanes in [4, 8, 16, 32, 64] {
            let kernel = crate::support::compiled(&function(lanes), features);
            for &divisor in &numbers {
                // Multiples of the divisor and those beside them, and the other numbers.
                let multiples = (0..5).map(|part| (u32::MAX / divisor.max(1)) >> part).flat_map(|factor| {
                    let multiple = factor.wrapping_mul(divisor);
                    near(multiple).into_iter().chain(near(multiple >> 1))
                });
                let all: Vec<u32> = multiples.chain(numbers.iter().copied()).collect();
                let mut memory = vec![0; 6 * STEP as usize];
                memory[0] = divisor;
                for offset in (0..all.len()).step_by(lanes as usize) {
                    for lane in 0..lanes as usize {
                        memory[STEP as usize + lane] = all[(offset + lane) % all.len()];
                    }
                    // SAFETY: the words of all lanes lie within `memory`.
                    #[allow(unsafe_code)]
                    unsafe {
                        crate::support::run_over(&kernel, &mut memory, lanes);
                    }
                    for lane in 0..lanes as usize {
                        let dividend = memory[STEP as usize + lane];
                        for (op, part) in OPS.into_iter().zip(2..) {
                            let args = [dividend.into(), divisor.into()];
                            let expected = eval::pure(op, Scalar::I32, Scalar::I32, &args, 0);
                            let found = memory[part * STEP as usize + lane];
                            assert_eq!(Some(found.into()), expected, "{name}: {op:?} {dividend} {divisor}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn one_division_serves_all_lanes() {
    for level in [Level::Avx512, Level::Avx2] {
        let text = crate::support::assembly(&function(64), Features::base(level));
        // One for unsigned numbers, one for signed ones.
        assert_eq!(text.matches("vdivpd").count(), 2, "{text}");
    }
}
