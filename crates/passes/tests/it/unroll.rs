//! A loop whose counter comes behind much else that it computes is unrolled, too.

use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Merge, Opcode, Scalar, Space, Terminator, Type};
use pyro_passes::{branch_fold, gvn, unroll};

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

/// `for (i = 0; i < rows; ++i) for (j = i + 1; j < columns; ++j) memory[j] = i`, the columns a constant or
/// what is loaded.
fn triangle(rows: u32, columns: Option<u32>) -> Function {
    let mut function = Function::new("triangle", Form::Lane, 16);
    let [entry, outer, start, inner, body, latch, exit] = [(); 7].map(|()| function.make_block());
    let number = Type::varying(Scalar::I32);
    let row = function.add_param(outer, number);
    let column = function.add_param(inner, number);
    let b = &mut Builder::new(&mut function);
    let global = MemoryOp::new(Space::Global);
    b.start(entry);
    let (zero, one, rows, base, always) = (b.i32(0), b.i32(1), b.i32(rows), b.arg(0), b.bool(true));
    let columns = match columns {
        Some(columns) => b.i32(columns),
        None => b.load(Scalar::I32, global, base, zero, always),
    };
    b.jump(outer, &[zero]);
    b.start(outer);
    let goes_on = b.op(Opcode::ULt, &[row, rows]);
    b.branch(goes_on, BlockCall::new(start, &[]), BlockCall::new(exit, &[]));
    b.function.blocks[outer].merge = Some(Merge::Loop { merge: exit, continue_target: latch });
    b.start(start);
    let first = b.op(Opcode::IAdd, &[row, one]);
    b.jump(inner, &[first]);
    b.start(inner);
    let goes_on = b.op(Opcode::ULt, &[column, columns]);
    b.branch(goes_on, BlockCall::new(body, &[]), BlockCall::new(latch, &[]));
    b.function.blocks[inner].merge = Some(Merge::Loop { merge: latch, continue_target: body });
    b.start(body);
    b.store(global, base, column, row, always);
    let next = b.op(Opcode::IAdd, &[column, one]);
    b.jump(inner, &[next]);
    b.start(latch);
    let next = b.op(Opcode::IAdd, &[row, one]);
    b.jump(outer, &[next]);
    b.start(exit);
    b.terminate(Terminator::Return(0));
    function
}

#[test]
fn loops_from_an_outer_counter_on_are_unrolled_with_the_outer_one() {
    let stores = |function: &Function| {
        let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
        insts.filter(|&&inst| function.insts[inst].op == Opcode::Store).count()
    };
    for (rows, columns, expected) in [
        // 8, 7, 6, 5 and 4 columns.
        (5, Some(9), 30),
        (1, Some(2), 1),
        // None but in the first row.
        (4, Some(2), 1),
        // Too large, and not known.
        (60, Some(60), 1),
        (5, None, 1),
    ] {
        let mut function = triangle(rows, columns);
        pyro_ir::verify::verify(&function).expect("well formed");
        while unroll::run(&mut function) {
            pyro_ir::verify::verify(&function).expect("well formed");
            gvn::run(&mut function);
            branch_fold::run(&mut function);
            pyro_ir::verify::verify(&function).expect("well formed");
        }
        assert_eq!(stores(&function), expected, "{rows} rows, {columns:?} columns");
        let is_loop = function.blocks.values().any(|data| matches!(data.merge, Some(Merge::Loop { .. })));
        assert_eq!(is_loop, rows == 60 || columns.is_none(), "{rows} rows, {columns:?} columns");
    }
}
