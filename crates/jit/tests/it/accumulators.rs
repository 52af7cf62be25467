//! Sums of loops stay in their registers.

use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value};
use pyro_jit::{Features, Level};

const SUMS: usize = 4;

/// `for (i = 0; i < n; ++i) sums[k] = a * b[k] + sums[k]`; behind the loop the sums are stored.
fn sums() -> Function {
    let mut function = Function::new("sums", Form::Mask, 16);
    let [entry, header, body, exit] = [(); 4].map(|()| function.make_block());
    let counter = function.add_param(header, Type::uniform(Scalar::I32));
    let sums = [(); SUMS].map(|()| function.add_param(header, Type::varying(Scalar::F32)));
    let b = &mut Builder::new(&mut function);
    b.start(entry);
    let (base, zero, one, always) = (b.arg(0), b.i32(0), b.i32(1), b.bool(true));
    let limit = b.load(Scalar::I32, MemoryOp::new(Space::Context), base, zero, always);
    let always = b.splat(always);
    let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
    let two = b.i32(2);
    let two = b.splat(two);
    let offset = b.op(Opcode::Shl, &[lane, two]);
    let nothing = b.f32(0.0);
    let nothing = b.splat(nothing);
    let start: Vec<Value> = std::iter::once(zero).chain([nothing; SUMS]).collect();
    b.jump(header, &start);
    b.start(header);
    let goes_on = b.op(Opcode::ULt, &[counter, limit]);
    b.branch(goes_on, BlockCall::new(body, &[]), BlockCall::new(exit, &[]));
    b.start(body);
    let memory = |number: usize| MemoryOp::new(Space::Global).at(64 * number as i32);
    let factors: Vec<Value> =
        (0..=SUMS).map(|number| b.load(Scalar::F32, memory(number), base, offset, always)).collect();
    let mut next = vec![b.op(Opcode::IAdd, &[counter, one])];
    for (number, &sum) in sums.iter().enumerate() {
        next.push(b.op(Opcode::FFma, &[factors[SUMS], factors[number], sum]));
    }
    b.jump(header, &next);
    b.start(exit);
    for (number, &sum) in sums.iter().enumerate() {
        b.store(memory(number), base, offset, sum, always);
    }
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn sums_of_loops_are_replaced() {
    for level in [Level::Avx512, Level::Avx2] {
        let text = crate::support::assembly(&sums(), Features::base(level));
        assert!(text.contains("vfmadd231ps"), "{level:?}: {text}");
        assert!(!text.contains("vfmadd213ps"), "{level:?}: {text}");
    }
}
