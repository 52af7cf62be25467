//! Loops whose iterations overlap do what they did.

use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_jit::{Features, compile_checked};
use pyro_passes::target::{Target, list_schedule, software_pipeline};
use pyro_test_environment::{Need, skip};

const LANES: u32 = 16;

/// What the loop is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Straight,
    /// The body begins with a chain too, which is computed another iteration ahead.
    ChainFirst,
    /// A part of the body is left out in some iterations.
    Branches,
    /// The body's end needs what the iteration before wrote.
    EndNeedsLast,
    /// All of the body needs it.
    AllNeedsLast,
}

fn number(b: &mut Builder, value: f32) -> Value {
    let value = b.f32(value);
    b.splat(value)
}

/// Chains of operations beside each other.
fn chains(b: &mut Builder, lane: Value, word: Value, count: u32) -> Value {
    let mut sum = lane;
    for chain in 0..count {
        let first = number(b, 1.0 + chain as f32 * 0.125);
        let mut value = b.op(Opcode::FMul, &[lane, first]);
        for step in 0..10 {
            let other = number(b, 0.75 + step as f32 * 0.01);
            value = b.op(Opcode::FMul, &[value, other]);
            value = b.op(Opcode::FAdd, &[value, word]);
        }
        sum = b.op(Opcode::FAdd, &[sum, value]);
    }
    sum
}

/// One chain.
fn chain(b: &mut Builder, mut sum: Value, term: Value) -> Value {
    for _ in 0..16 {
        let half = number(b, 0.5);
        sum = b.op(Opcode::FMul, &[sum, half]);
        sum = b.op(Opcode::FAdd, &[sum, term]);
    }
    sum
}

/// Writes `f(input[i], lane)` to `output[16 i + lane]` for the first `count` values of `i`.
fn function(input: u64, output: u64, count: u32, kind: Kind) -> Function {
    let mut function = Function::new("iterations", Form::Mask, LANES);
    let [entry, header, poll, exit] = [(); 4].map(|()| function.make_block());
    let place = function.add_param(header, Type::uniform(Scalar::I32));
    let b = &mut Builder::new(&mut function);
    b.start(entry);
    let zero = b.i32(0);
    let id = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
    let lane = b.convert(Opcode::UToF, id, Scalar::F32);
    b.jump(header, &[zero]);
    b.start(header);
    let (always, base) = (b.bool(true), b.i64(input));
    let read = b.load(Scalar::I32, MemoryOp::new(Space::Context), base, place, always);
    let word = b.convert(Opcode::UToF, read, Scalar::F32);
    let word = b.splat(word);
    let (two, four) = (b.i32(2), b.i32(4));
    let two = b.splat(two);
    let lanes = b.op(Opcode::Shl, &[id, two]);
    let start = b.op(Opcode::Shl, &[place, four]);
    let start = b.splat(start);
    let offset = b.op(Opcode::IAdd, &[start, lanes]);
    let (base, all) = (b.i64(output), b.splat(always));
    let memory = MemoryOp::new(Space::Global);
    let last = |b: &mut Builder| b.load(Scalar::F32, memory.at(-64), base, offset, all);
    let start = match kind {
        Kind::AllNeedsLast => last(b),
        Kind::ChainFirst => chain(b, word, lane),
        _ => lane,
    };
    let mut sum = chains(b, start, word, 20);
    match kind {
        Kind::Straight | Kind::ChainFirst | Kind::AllNeedsLast => {}
        Kind::EndNeedsLast => {
            let last = last(b);
            sum = b.op(Opcode::FAdd, &[sum, last]);
        }
        Kind::Branches => {
            let one = b.i32(1);
            let odd = b.op(Opcode::And, &[read, one]);
            let is_odd = b.op(Opcode::IEq, &[odd, one]);
            let [more, latch] = [(); 2].map(|()| b.function.make_block());
            let merged = b.function.add_param(latch, Type::varying(Scalar::F32));
            b.branch(is_odd, BlockCall::new(more, &[]), BlockCall::new(latch, &[sum]));
            b.start(more);
            let other = chains(b, sum, word, 1);
            b.jump(latch, &[other]);
            b.start(latch);
            sum = merged;
        }
    }
    let result = chain(b, sum, lane);
    b.store(memory, base, offset, result, all);
    let (four, end) = (b.i32(4), b.i32(4 * count));
    let next = b.op(Opcode::IAdd, &[place, four]);
    let again = b.op(Opcode::INe, &[next, end]);
    b.branch(again, BlockCall::new(poll, &[]), BlockCall::new(exit, &[]));
    b.start(poll);
    b.jump(header, &[next]);
    b.start(exit);
    b.terminate(Terminator::Return(Exit::Done as u32));
    function
}

fn run(function: &Function, features: Features) {
    let info = KernelInfo { subgroup_size: LANES, ..KernelInfo::default() };
    let kernel = compile_checked(function, info, features).expect("compiles");
    let mut subgroup = SubgroupContext::default();
    // SAFETY: the function reads and writes arrays of the test, within their bounds.
    #[allow(unsafe_code)]
    let exit = unsafe { kernel.run(&DispatchContext::default(), &mut subgroup) };
    assert_eq!(exit, Exit::Done);
}

fn check(kind: Kind, overlaps: bool) {
    let target =
        Target { wide_vectors: true, fuses: true, fetch_adds: true, fast_gathers: true, ..Target::default() };
    let levels = Features::all();
    if levels.is_empty() {
        skip!(Need::Avx2);
    }
    for &(_, features) in &levels {
        check_on(features, target, kind, overlaps);
    }
}

fn check_on(features: Features, target: Target, kind: Kind, overlaps: bool) {
    for count in [1, 2, 3, 7_u32] {
        let mut input: Vec<u32> = (0..count).map(|index| 3 + 5 * index).collect();
        let input = input.as_mut_ptr().expose_provenance() as u64;
        let results = [false, true].map(|changed| {
            // One row before the first.
            let mut output = vec![0_f32; LANES as usize * (count as usize + 1)];
            let address = output.as_mut_ptr().expose_provenance() as u64 + 64;
            let mut function = function(input, address, count, kind);
            let blocks = function.block_order.len();
            pyro_ir::verify::verify_executable(&function).expect("well formed");
            if changed {
                assert_eq!(software_pipeline::run(&mut function, target), overlaps, "{kind:?}");
                assert_eq!(function.block_order.len(), blocks + if overlaps { 3 } else { 0 });
                // Which iteration is ahead of the last one is chosen.
                let blocks = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
                let is_ahead = blocks.into_iter().any(|&inst| function.insts[inst].op == Opcode::Select);
                assert_eq!(is_ahead, kind == Kind::ChainFirst, "{kind:?}");
                pyro_ir::verify::verify_executable(&function).expect("well formed");
            }
            list_schedule::run(&mut function, target);
            run(&function, features);
            output
        });
        assert!(results[0][LANES as usize..].iter().all(|&value| value != 0.0));
        assert_eq!(results[0], results[1], "{kind:?}, {count} iterations");
    }
}

#[test]
fn iterations_without_branches_overlap() {
    check(Kind::Straight, true);
}

#[test]
fn software_pipeline_prefetches_leading_chains() {
    check(Kind::ChainFirst, true);
}

#[test]
fn iterations_with_branches_stay() {
    check(Kind::Branches, false);
}

#[test]
fn software_pipeline_keeps_memory_order() {
    check(Kind::EndNeedsLast, true);
    check(Kind::AllNeedsLast, false);
}
