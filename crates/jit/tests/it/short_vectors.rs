//! What processors with vectors of 128 bits do inline: shuffles across lanes, sums of products, and rounding
//! to half precision give what the reference evaluator gives, without calls of the runtime.

use crate::support::{self, Begun};
use pyro_ir::{Function, MemoryOp, Opcode, Scalar, Space, Value, eval};
use pyro_jit::{Compiled, Features, Level, disassemble};
use pyro_random::Random;

const LANES: u32 = 16;
/// Bytes from one operand's lanes to the next one's.
const ROW: i32 = LANES as i32 * 8;

/// Loads rows of these types, and stores what `compute` makes of them behind the last.
fn function(from: &[Scalar], compute: impl FnOnce(&mut Begun<'_>, &[Value]) -> Value) -> Function {
    support::function(LANES, |begun| {
        let memory = |row: usize| MemoryOp::new(Space::Global).at(ROW * row as i32);
        let values: Vec<Value> = (0..)
            .zip(from)
            .map(|(row, &scalar)| {
                let place = begun.lanes_times(scalar.bytes());
                begun.builder.load(scalar, memory(row), begun.base, place, begun.active)
            })
            .collect();
        let result = compute(begun, &values);
        let place = begun.lanes_times(begun.builder.function.ty(result).scalar.bytes());
        begun.builder.store(memory(from.len()), begun.base, place, result, begun.active);
    })
}

/// The elements of the result, of operands that are given row by row.
fn run(kernel: &Compiled, rows: &[(Scalar, Vec<u64>)], to: Scalar) -> Vec<u64> {
    let mut memory = vec![0u8; (rows.len() + 1) * ROW as usize];
    for (row, (scalar, elements)) in memory.chunks_mut(ROW as usize).zip(rows) {
        for (bytes, element) in row.chunks_mut(scalar.bytes() as usize).zip(elements) {
            bytes.copy_from_slice(&element.to_le_bytes()[..scalar.bytes() as usize]);
        }
    }
    // SAFETY: the rows are there.
    #[allow(unsafe_code)]
    unsafe {
        support::run_over(kernel, &mut memory, LANES);
    }
    let results = memory[rows.len() * ROW as usize..].chunks(to.bytes() as usize).take(LANES as usize);
    results
        .map(|bytes| {
            let mut element = [0; 8];
            element[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(element)
        })
        .collect()
}

/// The code of every level of this processor.
fn kernels(function: &Function) -> Vec<(&'static str, Compiled)> {
    let all = Features::all().into_iter();
    all.map(|(name, features)| (name, support::compiled(function, features))).collect()
}

fn is_inline(function: &Function) {
    // Code is only made, so any processor will do.
    let code = support::compiled(function, Features::base(Level::Sse41));
    let text = disassemble(code.machine_code(), Level::Sse41);
    assert!(!text.contains("call"), "{text}");
}

/// Orders that are known: for each the operation that makes it of the lane's number, and its second operand.
const ORDERS: [(Opcode, u32); 12] = [
    (Opcode::Xor, 1),
    (Opcode::Xor, 2),
    (Opcode::Xor, 4),
    (Opcode::Xor, 15),
    (Opcode::IAdd, 1),
    (Opcode::IAdd, 6),
    (Opcode::ISub, 3),
    (Opcode::And, 12),
    (Opcode::And, 3),
    (Opcode::LShr, 1),
    (Opcode::IMul, 2),
    (Opcode::IMul, 5),
];

#[test]
fn shuffles_by_known_lanes() {
    let values: Vec<u64> = (0..LANES).map(|lane| u64::from(0x1010_1000 + lane)).collect();
    for (op, operand) in ORDERS {
        let function = function(&[Scalar::I32], |begun, values| {
            let operand = begun.splat(operand);
            let index = begun.builder.op(op, &[begun.lane, operand]);
            begun.builder.op(Opcode::Shuffle, &[values[0], index])
        });
        is_inline(&function);
        for (name, features) in Features::all() {
            let kernel = support::compiled(&function, features);
            let found = run(&kernel, &[(Scalar::I32, values.clone())], Scalar::I32);
            for (lane, found) in (0..).zip(found) {
                let args = [lane, u64::from(operand)];
                let from = eval::pure(op, Scalar::I32, Scalar::I32, &args, 0).expect("is pure");
                let from = from as usize % LANES as usize;
                assert_eq!(found, values[from], "{name}: {op:?} {operand}, lane {lane}");
            }
        }
    }
}

#[test]
fn shuffles_by_any_lanes() {
    let mut random = Random::new(3);
    for scalar in [Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64, Scalar::F32] {
        let function = function(&[scalar, Scalar::I32], |begun, values| {
            begun.builder.op(Opcode::Shuffle, &[values[0], values[1]])
        });
        is_inline(&function);
        let kernels = kernels(&function);
        for _ in 0..20 {
            let mut row = |most: u64| -> Vec<u64> { (0..LANES).map(|_| random.below(most)).collect() };
            let (values, index) = (row(scalar.mask()), row(1 << 31));
            for (name, kernel) in &kernels {
                let rows = [(scalar, values.clone()), (Scalar::I32, index.clone())];
                let found = run(kernel, &rows, scalar);
                for (lane, found) in found.into_iter().enumerate() {
                    let from = index[lane] as usize % LANES as usize;
                    assert_eq!(found, values[from], "{name}: {scalar:?}, lane {lane} of {index:x?}");
                }
            }
        }
    }
}

#[test]
fn sums_of_products() {
    let mut random = Random::new(4);
    let cases = [
        (Opcode::DotBytes, Scalar::I16),
        (Opcode::DotBytes, Scalar::I32),
        (Opcode::DotBytes, Scalar::I64),
        (Opcode::DotFourBytes, Scalar::I32),
        (Opcode::DotFourBytes, Scalar::I64),
        (Opcode::DotHalves, Scalar::I32),
        (Opcode::DotHalves, Scalar::I64),
    ];
    for (op, scalar) in cases {
        let function =
            function(&[scalar, scalar], |begun, values| begun.builder.op(op, &[values[0], values[1]]));
        is_inline(&function);
        let kernels = kernels(&function);
        for _ in 0..50 {
            // The bytes and halves that saturate and wrap are frequent.
            let mut element = || match random.below(4) {
                0 => u64::MAX,
                1 => 0x8000_8000_8000_8000,
                2 => 0x8080_8080_8080_8080,
                _ => random.below(u64::MAX),
            };
            let mut row = || -> Vec<u64> { (0..LANES).map(|_| element() & scalar.mask()).collect() };
            let (a, b) = (row(), row());
            for (name, kernel) in &kernels {
                let rows = [(scalar, a.clone()), (scalar, b.clone())];
                let found = run(kernel, &rows, scalar);
                for (lane, found) in found.into_iter().enumerate() {
                    let args = [a[lane], b[lane]];
                    let expected = eval::pure(op, scalar, scalar, &args, 0).expect("is pure") & scalar.mask();
                    assert_eq!(found, expected, "{name}: {op:?} {scalar:?} of {args:x?}");
                }
            }
        }
    }
}

/// Singles about those that halves are, and about those half-way between two.
fn about_halves() -> Vec<u64> {
    let mut singles = Vec::new();
    for half in 0..=u64::from(u16::MAX) {
        let single = eval::pure(Opcode::FConvert, Scalar::F16, Scalar::F32, &[half], 0).expect("is pure");
        // Half of the last bit, of halves that are normal and of the greatest denormals.
        for middle in [0, 0x1000, 0x2000, 0x40_0000] {
            for near in [-1, 0, 1] {
                singles.push((single + middle).wrapping_add_signed(near) & Scalar::F32.mask());
            }
        }
    }
    singles
}

#[test]
fn singles_are_rounded_to_halves() {
    let function = function(&[Scalar::F32], |begun, values| {
        let half = begun.builder.convert(Opcode::FConvert, values[0], Scalar::F16);
        begun.builder.convert(Opcode::FConvert, half, Scalar::F32)
    });
    let code = support::compiled(&function, Features::base(Level::Sse41));
    let text = disassemble(code.machine_code(), Level::Sse41);
    assert!(!text.contains("packusdw") && !text.contains("call"), "{text}");
    let singles = about_halves();
    for (name, kernel) in kernels(&function) {
        for some in singles.chunks(LANES as usize) {
            let found = run(&kernel, &[(Scalar::F32, some.to_vec())], Scalar::F32);
            for (&single, found) in some.iter().zip(found) {
                let half = eval::pure(Opcode::FConvert, Scalar::F32, Scalar::F16, &[single], 0);
                let half = half.expect("is pure");
                let expected = eval::pure(Opcode::FConvert, Scalar::F16, Scalar::F32, &[half], 0);
                assert_eq!(Some(found), expected, "{name}: {single:x}");
            }
        }
    }
}
