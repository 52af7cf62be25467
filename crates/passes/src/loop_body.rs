//! Shared steps of passes that wrap loops around a shader: what [`crate::workgroup_loop`],
//! [`crate::block_loop`] and [`crate::quad_loop`] do to a function that becomes the body of their loops.

use pyro_abi::Exit;
use pyro_abi::graphics::graphics_offset as at;
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type, Value,
};
use pyro_util::SecondaryMap;

/// Makes a function in mask form without suspend points the body of a loop over the list that the fields
/// [`at::BLOCKS`] and [`at::BLOCK_COUNT`] of its record tell: at least one entry. `size` gives the bytes of
/// an entry and, from the number of entries, those of the list. `read` reads an entry, from the list's
/// address and the entry's place in it, under a condition that always holds; what it gives says, as for
/// [`replace_loads`], what loads from the record become.
pub(crate) fn over_list<F: Fn(u32) -> [Option<Value>; 2]>(
    function: &mut Function,
    size: impl FnOnce(&mut Builder<'_>, Value) -> [Value; 2],
    read: impl FnOnce(&mut Builder<'_>, Value, Value, Value) -> F,
) {
    debug_assert_eq!(function.form, Form::Mask);
    let body = std::mem::take(&mut function.block_order);
    let (entry, header) = (function.make_block(), function.make_block());
    let (latch, exit) = (function.make_block(), function.make_block());
    let place = function.add_param(header, Type::uniform(Scalar::I32));

    let mut builder = Builder::new(function);
    builder.start(entry);
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let record = builder.arg(1);
    let memory = MemoryOp::new(Space::Context).speculatable();
    let count = builder.load(Scalar::I32, memory.at(at::BLOCK_COUNT as i32), record, zero, always);
    let list = builder.load(Scalar::I64, memory.at(at::BLOCKS as i32), record, zero, always);
    let [entry_bytes, end] = size(&mut builder, count);
    builder.jump(header, &[zero]);

    builder.start(header);
    let value_of = read(&mut builder, list, place, always);
    builder.jump(body[0], &[]);
    // The entry's values in the place of the record's.
    replace_loads(function, &body, value_of);
    end_in(function, &body, latch);
    function.block_order.extend_from_slice(&body);

    let mut builder = Builder::new(function);
    builder.start(latch);
    let next = builder.op(Opcode::IAdd, &[place, entry_bytes]);
    let again = builder.op(Opcode::INe, &[next, end]);
    builder.branch(again, BlockCall::new(header, &[next]), BlockCall::new(exit, &[]));
    builder.start(exit);
    builder.terminate(Terminator::Return(Exit::Done as u32));
}

/// Goes on in `latch` where the blocks of `body` return [`Exit::Done`].
pub(crate) fn end_in(function: &mut Function, body: &[Block], latch: Block) {
    for &block in body {
        let terminator = &mut function.blocks[block].terminator;
        if *terminator == Terminator::Return(Exit::Done as u32) {
            *terminator = Terminator::Jump(BlockCall::new(latch, &[]));
        }
    }
}

/// Puts values in the place of loads from the record that the function's argument 1 points at, so that what
/// the loop knows in registers is not read from memory: replaces, in the blocks of `body`, each load of a
/// field or column of the record for whose byte offset `value_of` gives a value of the same type. Of two that
/// it gives, the first stands for loads of a field, the second for loads with an offset for each lane.
pub(crate) fn replace_loads(
    function: &mut Function,
    body: &[Block],
    value_of: impl Fn(u32) -> [Option<Value>; 2],
) {
    let mut replacement = SecondaryMap::<Value, Option<Value>>::with_capacity(None, function.values.len());
    for &block in body {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            if data.op != Opcode::Load {
                continue;
            }
            let memory = MemoryOp::from_imm(data.imm);
            let of_record = memory.space == Space::Context
                && function
                    .def_inst(data.args[0])
                    .is_some_and(|base| base.op == Opcode::Arg && base.imm == 1);
            let is_field = function.const_bits(data.args[1]) == Some(0);
            let place = u32::try_from(memory.displacement).ok().filter(|_| of_record);
            let Some(values) = place.map(&value_of) else { continue };
            let Some(value) = values[usize::from(!is_field)] else { continue };
            let result = data.expect_result();
            // A load whose type or shape is another one has no place here; none is made.
            if function.ty(result) == function.ty(value) {
                replacement[result] = Some(value);
            }
        }
    }
    for &block in body {
        for index in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[index];
            for arg in &mut function.insts[inst].args {
                *arg = replacement[*arg].unwrap_or(*arg);
            }
        }
        function.blocks[block]
            .terminator
            .for_each_value_mut(|value| *value = replacement[*value].unwrap_or(*value));
    }
}
