//! Half precision: the instructions of AVX512-FP16, and what stands for them elsewhere, give the bits that
//! the reference evaluator gives. All values are tried, each with some others, and all pairs where the
//! processor has the instructions.

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Value, eval};
use pyro_jit::{Compiled, Features, Level, compile_checked, disassemble};
use pyro_random::Random;
use pyro_test_environment::{Need, skip, skip_current_test};

/// Bytes of an array of one element for each lane, and how many there are: operands, and the result.
const ARRAY: usize = 512;
const ARRAYS: usize = 4;

/// An operation on some types.
#[derive(Clone, Copy, Debug)]
struct Case {
    op: Opcode,
    from: Scalar,
    to: Scalar,
    imm: u64,
}

impl Case {
    fn on_halves(op: Opcode) -> Case {
        let to = if is_comparison(op) { Scalar::I1 } else { Scalar::F16 };
        Case { op, from: Scalar::F16, to, imm: 0 }
    }

    fn count(self) -> usize {
        self.op.arg_count()
    }

    /// The operation on what lies in memory, for all lanes or for one; the result goes behind the operands.
    fn function(self, lanes: u32, is_uniform: bool, address: u64) -> Function {
        let mut function = Function::new("halves", Form::Mask, lanes);
        let block = function.make_block();
        let b = &mut Builder::new(&mut function);
        b.start(block);
        let (base, always, zero) = (b.i64(address), b.bool(true), b.i32(0));
        let (all, lane) = (b.splat(always), b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result"));
        let place = |b: &mut Builder, scalar: Scalar| {
            if is_uniform {
                return (zero, always);
            }
            let log = b.i32(scalar.bytes().trailing_zeros());
            let log = b.splat(log);
            (b.op(Opcode::Shl, &[lane, log]), all)
        };
        let memory = |index: usize| MemoryOp::new(Space::Global).at((index * ARRAY) as i32);
        let args: Vec<Value> = (0..self.count())
            .map(|index| {
                let (offset, active) = place(b, self.from);
                b.load(self.from, memory(index), base, offset, active)
            })
            .collect();
        let result = b.emit(self.op, &args, self.imm, self.to).expect("gives a result");
        let result = match self.to {
            Scalar::I1 => b.convert(Opcode::ZeroExtend, result, Scalar::I8),
            _ => result,
        };
        let stored = b.function.ty(result).scalar;
        let (offset, active) = place(b, stored);
        b.store(memory(ARRAYS - 1), base, offset, result, active);
        b.terminate(Terminator::Return(Exit::Done as u32));
        function
    }

    /// Checks the operation on all these operands.
    fn check(self, features: Features, lanes: u32, is_uniform: bool, operands: &[[u64; 3]]) {
        let mut memory = vec![0u64; ARRAYS * ARRAY / 8];
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let kernel = compile(&self.function(lanes, is_uniform, address), features);
        let lanes = if is_uniform { 1 } else { lanes as usize };
        let stored = if self.to == Scalar::I1 { Scalar::I8 } else { self.to };
        for some in operands.chunks(lanes) {
            for (lane, operands) in some.iter().enumerate() {
                for (index, &bits) in operands[..self.count()].iter().enumerate() {
                    put(&mut memory, index, self.from, lane, bits);
                }
            }
            run(&kernel, &DispatchContext::default());
            for (lane, operands) in some.iter().enumerate() {
                let args = &operands[..self.count()];
                let expected = eval::pure(self.op, self.from, self.to, args, self.imm).expect("is pure");
                let found = get(&memory, stored, lane);
                let is_same = found == expected || is_nan(self.to, found) && is_nan(self.to, expected);
                assert!(
                    is_same,
                    "{self:?} of {args:x?}: {found:x}, not {expected:x}; {lanes} lanes, {features:?}"
                );
            }
        }
    }
}

fn is_comparison(op: Opcode) -> bool {
    matches!(op, Opcode::FEq | Opcode::FNe | Opcode::FLt | Opcode::FLe)
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    scalar.is_float() && eval::pure(Opcode::FNe, scalar, Scalar::I1, &[bits, bits], 0) == Some(1)
}

fn compile(function: &Function, features: Features) -> Compiled {
    let info = KernelInfo { subgroup_size: function.lanes, ..KernelInfo::default() };
    compile_checked(function, info, features).expect("machine code")
}

fn run(kernel: &Compiled, dispatch: &DispatchContext) {
    let mut subgroup = SubgroupContext::default();
    // SAFETY: the functions of this file access memory of their callers that nobody else uses meanwhile.
    #[allow(unsafe_code)]
    let exit = unsafe { kernel.run(dispatch, &mut subgroup) };
    assert_eq!(exit, Exit::Done);
}

/// Where an element lies: word and bits to shift.
fn element(index: usize, scalar: Scalar, lane: usize) -> (usize, usize) {
    let byte = index * ARRAY + lane * scalar.bytes() as usize;
    (byte / 8, byte % 8 * 8)
}

fn put(memory: &mut [u64], index: usize, scalar: Scalar, lane: usize, bits: u64) {
    let (word, shift) = element(index, scalar, lane);
    memory[word] = memory[word] & !(scalar.mask() << shift) | bits << shift;
}

fn get(memory: &[u64], scalar: Scalar, lane: usize) -> u64 {
    let (word, shift) = element(ARRAYS - 1, scalar, lane);
    memory[word] >> shift & scalar.mask()
}

/// What this processor has; says where that is not the instructions under test.
fn all_features() -> Vec<Features> {
    let all: Vec<Features> = Features::all().into_iter().map(|(_, features)| features).collect();
    if all.is_empty() {
        skip_current_test(Need::Avx2);
    }
    if !all.iter().any(|features| features.fp16) {
        skip_current_test(Need::Avx512Fp16);
    }
    let without =
        all.iter().filter(|features| features.fp16).map(|&features| Features { fp16: false, ..features });
    let without: Vec<Features> = without.collect();
    all.into_iter().chain(without).collect()
}

/// Zeros, the least and the largest numbers of both kinds, halves of the last place, limits of integers,
/// infinity, NaN.
const EDGES: [u16; 32] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x0002, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x0401, 0x1400, 0x3800, 0x3bff,
    0x3c00, 0xbc00, 0x3c01, 0x3555, 0x4248, 0x6400, 0x6401, 0xe7ff, 0x77ff, 0x7800, 0xf800, 0x7bff, 0xfbff,
    0x7bfe, 0x7c00, 0xfc00, 0x7e00, 0x7d55, 0xfe01,
];

const UNARY: [Opcode; 7] = [
    Opcode::FNeg,
    Opcode::FAbs,
    Opcode::FSqrt,
    Opcode::FFloor,
    Opcode::FCeil,
    Opcode::FTrunc,
    Opcode::FRound,
];

const BINARY: [Opcode; 10] = [
    Opcode::FAdd,
    Opcode::FSub,
    Opcode::FMul,
    Opcode::FDiv,
    Opcode::FMin,
    Opcode::FMax,
    Opcode::FEq,
    Opcode::FNe,
    Opcode::FLt,
    Opcode::FLe,
];

/// All halves.
fn halves() -> impl Iterator<Item = u64> + Clone {
    0..0x1_0000
}

#[test]
fn one_operand() {
    let all: Vec<[u64; 3]> = halves().map(|x| [x, 0, 0]).collect();
    for features in all_features() {
        for op in UNARY {
            for lanes in [4, 8, 16, 32, 64] {
                Case::on_halves(op).check(features, lanes, false, &all);
            }
            Case::on_halves(op).check(features, 16, true, &all);
        }
    }
}

#[test]
fn two_operands() {
    let mut random = Random::new(0x4a1f);
    let edges: Vec<u64> = EDGES.iter().map(|&bits| bits.into()).collect();
    let mut some = edges.clone();
    some.extend((0..16).map(|_| random.bits() & 0xffff));
    let pairs: Vec<[u64; 3]> = halves().flat_map(|x| some.iter().map(move |&y| [x, y, 0])).collect();
    let swapped: Vec<[u64; 3]> = pairs.iter().step_by(7).map(|&[x, y, z]| [y, x, z]).collect();
    let few: Vec<[u64; 3]> = edges.iter().flat_map(|&x| edges.iter().map(move |&y| [x, y, 0])).collect();
    for features in all_features() {
        for op in BINARY {
            let case = Case::on_halves(op);
            case.check(features, 64, false, &pairs);
            case.check(features, 32, false, &swapped);
            for lanes in [4, 8, 16] {
                case.check(features, lanes, false, &few);
            }
            case.check(features, 16, true, &few);
        }
    }
}

#[test]
fn fused() {
    let mut random = Random::new(0xf3a);
    let edges = EDGES.map(u64::from);
    let mut all: Vec<[u64; 3]> = Vec::new();
    for x in edges {
        for y in edges {
            all.extend(edges.iter().map(|&z| [x, y, z]));
        }
    }
    all.extend((0..2_000_000).map(|_| {
        let bits = random.bits();
        [bits & 0xffff, bits >> 16 & 0xffff, bits >> 32 & 0xffff]
    }));
    // Sums close to halfway between two halves: a third operand that the product nearly cancels or hardly
    // moves.
    all.extend((0..1_000_000).map(|_| {
        let bits = random.bits();
        let (x, y) = (bits & 0xffff, bits >> 16 & 0xffff);
        let product = eval::pure(Opcode::FMul, Scalar::F16, Scalar::F16, &[x, y], 0).expect("is pure");
        let distance = (bits >> 32 & 15) << 10;
        [x, y, (product ^ bits >> 36 & 0x8003).wrapping_add(distance) & 0xffff]
    }));
    let few = &all[..EDGES.len().pow(3)];
    for features in all_features() {
        let case = Case::on_halves(Opcode::FFma);
        case.check(features, 64, false, &all);
        for lanes in [4, 8, 16, 32] {
            case.check(features, lanes, false, few);
        }
        case.check(features, 16, true, few);
    }
}

#[test]
fn conversions() {
    use Scalar as S;
    let mut random = Random::new(0xc0_4e);
    let all: Vec<[u64; 3]> = halves().map(|x| [x, 0, 0]).collect();
    let bytes = &all[..0x100];
    // Numbers around powers of two, and any.
    let mut wide: Vec<u64> = (0..64)
        .flat_map(|shift| (-40..40).map(move |near: i64| (1u64 << shift).wrapping_add_signed(near)))
        .flat_map(|number| [number, number.wrapping_neg()])
        .collect();
    wide.extend((0..200_000).map(|_| random.bits() >> random.below(64)));
    let integers = |scalar: S| wide.iter().map(|&bits| [bits & scalar.mask(), 0, 0]).collect::<Vec<_>>();
    // Between all halves, exactly in the middle and next to that.
    let mut floats = Vec::new();
    for half in halves() {
        let value = f64::from_bits(eval::float_to_float(S::F16, S::F64, half, eval::Rounding::NearestEven));
        let next = eval::float_to_float(S::F16, S::F64, (half + 1) & 0xffff, eval::Rounding::NearestEven);
        let middle = (value + f64::from_bits(next)) / 2.0;
        floats.extend([value, middle, middle.next_up(), middle.next_down()]);
    }
    let doubles: Vec<[u64; 3]> = floats.iter().map(|value| [value.to_bits(), 0, 0]).collect();
    let singles: Vec<[u64; 3]> =
        floats.iter().map(|&value| [(value as f32).to_bits().into(), 0, 0]).collect();
    let mut cases: Vec<(Case, &[[u64; 3]])> = Vec::new();
    let case = |op, from, to, imm| Case { op, from, to, imm };
    let (words, longs) = (integers(S::I32), integers(S::I64));
    for to in [S::I8, S::I16, S::I32, S::I64] {
        cases.extend([Opcode::FToS, Opcode::FToU].map(|op| (case(op, S::F16, to, 0), &all[..])));
    }
    for (from, numbers) in [(S::I8, bytes), (S::I16, &all), (S::I32, &words), (S::I64, &longs)] {
        cases.extend([Opcode::SToF, Opcode::UToF].map(|op| (case(op, from, S::F16, 0), numbers)));
    }
    for to in [S::F32, S::F64] {
        cases.push((case(Opcode::FConvert, S::F16, to, 0), &all));
    }
    for imm in [0, 1] {
        cases.push((case(Opcode::FConvert, S::F64, S::F16, imm), &doubles));
        cases.push((case(Opcode::FConvert, S::F32, S::F16, imm), &singles));
    }
    for features in all_features() {
        for &(case, operands) in &cases {
            for lanes in [4, 8, 16, 32, 64] {
                let step = if lanes == 64 { 1 } else { 5 };
                let some: Vec<[u64; 3]> = operands.iter().copied().step_by(step).collect();
                case.check(features, lanes, false, &some);
            }
            let some: Vec<[u64; 3]> = operands.iter().copied().step_by(17).collect();
            case.check(features, 16, true, &some);
        }
    }
}

/// With the instructions nothing goes through single precision. (Code is only made, so any processor will
/// do.)
#[test]
fn the_instructions_are_used() {
    let features = Features { fp16: true, ..Features::base(Level::Avx512) };
    let check = |case: Case, name: &str| {
        for (lanes, is_uniform) in [(4, false), (16, false), (64, false), (16, true)] {
            let code = compile(&case.function(lanes, is_uniform, 0x1000), features);
            let text = disassemble(code.machine_code(), features.level);
            assert!(text.contains(name), "{case:?}: no {name} in\n{text}");
            assert!(!text.contains("vcvtph2ps") && !text.contains("(bad)"), "{case:?}:\n{text}");
        }
    };
    for (op, name) in [
        (Opcode::FAdd, "vadd"),
        (Opcode::FSub, "vsub"),
        (Opcode::FMul, "vmul"),
        (Opcode::FDiv, "vdiv"),
        (Opcode::FMin, "vmin"),
        (Opcode::FMax, "vmax"),
        (Opcode::FSqrt, "vsqrt"),
        (Opcode::FFloor, "vrndscale"),
        (Opcode::FRound, "vrndscale"),
        (Opcode::FFma, "vfmadd"),
        (Opcode::FLt, "vcmplt"),
        (Opcode::FNe, "vcmpneq"),
    ] {
        check(Case::on_halves(op), name);
    }
    let case = |op, from, to| Case { op, from, to, imm: 0 };
    for (op, from, to, name) in [
        (Opcode::FToS, Scalar::F16, Scalar::I16, "vcvttph2w"),
        (Opcode::FToU, Scalar::F16, Scalar::I16, "vcvttph2uw"),
        (Opcode::FToU, Scalar::F16, Scalar::I8, "vcvttph2uw"),
        (Opcode::FToS, Scalar::F16, Scalar::I32, "vcvttph2dq"),
        (Opcode::FToU, Scalar::F16, Scalar::I64, "vcvttph2uqq"),
        (Opcode::SToF, Scalar::I16, Scalar::F16, "vcvtw2ph"),
        (Opcode::UToF, Scalar::I32, Scalar::F16, "vcvtudq2ph"),
        (Opcode::SToF, Scalar::I64, Scalar::F16, "vcvtqq2ph"),
        (Opcode::FConvert, Scalar::F16, Scalar::F64, "vcvtph2pd"),
        (Opcode::FConvert, Scalar::F64, Scalar::F16, "vcvtpd2ph"),
    ] {
        check(case(op, from, to), name);
    }
}

/// Sum, difference, product, quotient and comparison of one half with 64 others, whose address is in the push
/// constants, with the address of the results behind.
fn pairs_function() -> Function {
    const LANES: u32 = 64;
    let mut function = Function::new("pairs", Form::Mask, LANES);
    let block = function.make_block();
    let b = &mut Builder::new(&mut function);
    b.start(block);
    let (dispatch, always, zero) = (b.arg(0), b.bool(true), b.i32(0));
    let (all, lane) = (b.splat(always), b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result"));
    let constant = |b: &mut Builder, scalar: Scalar, place: u32| {
        let place =
            MemoryOp::new(Space::Context).at((pyro_abi::context::offset::PUSH_CONSTANTS + place) as i32);
        b.load(scalar, place.speculatable(), dispatch, zero, always)
    };
    let [from, to] = [0, 8].map(|place| constant(b, Scalar::I64, place));
    let x = constant(b, Scalar::F16, 16);
    let x = b.splat(x);
    let one = b.i32(1);
    let one = b.splat(one);
    let offset = b.op(Opcode::Shl, &[lane, one]);
    let y = b.load(Scalar::F16, MemoryOp::new(Space::Global), from, offset, all);
    let ops = [Opcode::FAdd, Opcode::FSub, Opcode::FMul, Opcode::FDiv, Opcode::FMin, Opcode::FMax];
    let mut results = ops.map(|op| b.op(op, &[x, y])).to_vec();
    let less = b.op(Opcode::FLe, &[x, y]);
    results.push(b.op(Opcode::Select, &[less, x, y]));
    for (index, result) in results.into_iter().enumerate() {
        b.store(MemoryOp::new(Space::Global).at(index as i32 * 128), to, offset, result, all);
    }
    b.terminate(Terminator::Return(Exit::Done as u32));
    function
}

/// All pairs of halves, with the instructions beside without them.
#[test]
fn every_pair() {
    /// Words of the seven results of 64 lanes.
    const RESULTS: usize = 7 * 128 / 8;
    let Some(native) = Features::avx512().filter(|features| features.fp16) else {
        skip!(Need::Avx512Fp16);
    };
    let others: Vec<u16> = (0..=u16::MAX).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let others = &others;
            scope.spawn(move || {
                let function = pairs_function();
                let kernels = [native, Features { fp16: false, ..native }];
                let kernels = kernels.map(|features| compile(&function, features));
                let mut results = [[0u64; RESULTS]; 2];
                for x in (thread..0x1_0000).step_by(threads) {
                    for some in others.chunks(64) {
                        for (kernel, results) in kernels.iter().zip(&mut results) {
                            let mut dispatch = DispatchContext::default();
                            let to = results.as_mut_ptr().expose_provenance() as u64;
                            let from = some.as_ptr().expose_provenance() as u64;
                            let words = [from, to, x as u64];
                            for (index, word) in words.iter().enumerate() {
                                dispatch.push_constants[index * 8..][..8]
                                    .copy_from_slice(&word.to_le_bytes());
                            }
                            run(kernel, &dispatch);
                        }
                        let [found, expected] = &results;
                        if found != expected {
                            compare(x as u16, some, found, expected);
                        }
                    }
                }
            });
        }
    });
}

/// Fails unless the results that differ are both NaN.
fn compare(x: u16, others: &[u16], found: &[u64], expected: &[u64]) {
    let halves = |words: &[u64]| -> Vec<u64> {
        words.iter().flat_map(|word| (0..4).map(move |part| word >> (16 * part) & 0xffff)).collect()
    };
    for (index, (found, expected)) in halves(found).into_iter().zip(halves(expected)).enumerate() {
        let is_same = found == expected || is_nan(Scalar::F16, found) && is_nan(Scalar::F16, expected);
        assert!(
            is_same,
            "result {}: {x:x}, {:x}: {found:x}, not {expected:x}",
            index / 64,
            others[index % 64]
        );
    }
}

/// SSE4.1 has no instruction for them. (Code is only made, so any processor will do.)
#[test]
fn conversions_are_inline_without_the_instructions() {
    let features = Features::base(Level::Sse41);
    for (from, to) in [(Scalar::F16, Scalar::F32), (Scalar::F32, Scalar::F16)] {
        let case = Case { op: Opcode::FConvert, from, to, imm: 0 };
        let code = compile(&case.function(16, false, 0x1000), features);
        let text = disassemble(code.machine_code(), features.level);
        assert!(!text.contains("call"), "{case:?}:\n{text}");
    }
}
