//! A loop whose counter comes behind much else that it computes is unrolled, too.

use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Merge, Opcode, Scalar, Space, Terminator, Type};
use pyro_passes::unroll;

/// `for (i = 0; i < 4; ++i)`, and numbers that are chosen by the counter: elements of an array.
fn choices(count: usize) -> Function {
    let mut function = Function::new("choices", Form::Lane, 16);
    let [entry, header, body, exit] = [(); 4].map(|()| function.make_block());
    let number = Type::varying(Scalar::I32);
    let elements: Vec<_> = (0..count).map(|_| function.add_param(header, number)).collect();
    let counter = function.add_param(header, number);
    let b = &mut Builder::new(&mut function);
    b.start(entry);
    let (zero, one, four) = (b.i32(0), b.i32(1), b.i32(4));
    let lane = b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("a result");
    let mut start = vec![lane; count];
    start.push(zero);
    b.jump(header, &start);
    b.start(header);
    let goes_on = b.op(Opcode::ULt, &[counter, four]);
    b.branch(goes_on, BlockCall::new(body, &[]), BlockCall::new(exit, &[]));
    b.function.blocks[header].merge = Some(Merge::Loop { merge: exit, continue_target: body });
    b.start(body);
    let mut next = Vec::new();
    for (index, &element) in elements.iter().enumerate() {
        let other = elements[(index + 1) % count];
        let mut chosen = element;
        for step in 0..4 {
            let step = b.i32(step);
            let is_here = b.op(Opcode::IEq, &[counter, step]);
            chosen = b.select(is_here, other, chosen);
        }
        next.push(chosen);
    }
    next.push(b.op(Opcode::IAdd, &[counter, one]));
    b.jump(header, &next);
    b.start(exit);
    let (base, always) = (b.arg(0), b.bool(true));
    b.store(MemoryOp::new(Space::Global), base, lane, elements[0], always);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn what_a_loop_computes_besides_its_counter_does_not_count() {
    for count in [2, 60] {
        let mut function = choices(count);
        pyro_ir::verify::verify(&function).expect("well formed");
        assert!(unroll::run(&mut function), "{count} elements");
        pyro_ir::verify::verify(&function).expect("well formed");
    }
}
