//! One call for many blocks of fragments: the fragment function becomes the body of a loop over a list of blocks.
//!
//! The function draws the block that `FragmentSubgroup::block` names; with this pass it draws those of
//! `FragmentSubgroup::blocks` one after the other. What is the same for all of them (the primitive's planes,
//! descriptors, addresses of attachments) is invariant in the loop, and other passes move it out.
//!
//! ```text
//! entry ─▶ header(at) ─▶ body … ─▶ latch ─┬─▶ return 0
//!               ▲                        │
//!               └────────────────────────┘
//! ```

use crate::loop_body;
use pyro_abi::Exit;
use pyro_abi::graphics::graphics_offset as at;
use pyro_ir::{BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Space, Terminator, Type};

/// Makes the loop, in a function in mask form without suspend points.
pub fn run(function: &mut Function) {
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
    let blocks = builder.load(Scalar::I64, memory.at(at::BLOCKS as i32), record, zero, always);
    let (two, four) = (builder.i32(2), builder.i32(4));
    let end = builder.op(Opcode::Shl, &[count, two]);
    builder.jump(header, &[zero]);

    builder.start(header);
    let block = builder.load(Scalar::I32, MemoryOp::new(Space::Context), blocks, place, always);
    builder.jump(body[0], &[]);
    // The list's word in the place of the record's.
    loop_body::replace_loads(function, &body, |place| [(place == at::BLOCK).then_some(block), None]);
    loop_body::end_in(function, &body, latch);
    function.block_order.extend_from_slice(&body);

    let mut builder = Builder::new(function);
    builder.start(latch);
    let next = builder.op(Opcode::IAdd, &[place, four]);
    let again = builder.op(Opcode::INe, &[next, end]);
    builder.branch(again, BlockCall::new(header, &[next]), BlockCall::new(exit, &[]));
    builder.start(exit);
    builder.terminate(Terminator::Return(Exit::Done as u32));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_well_formed() {
        let mut function = Function::new("body", Form::Mask, 16);
        let block = function.make_block();
        let mut builder = Builder::new(&mut function);
        builder.start(block);
        let (record, zero, always) = (builder.arg(1), builder.i32(0), builder.bool(true));
        let memory = MemoryOp::new(Space::Context).at(at::BLOCK as i32);
        let word = builder.load(Scalar::I32, memory, record, zero, always);
        builder.store(MemoryOp::new(Space::Global), record, zero, word, always);
        builder.terminate(Terminator::Return(0));
        run(&mut function);
        pyro_ir::verify::verify_executable(&function).unwrap();
        assert_eq!(function.block_order.len(), 5);
        let store =
            function.blocks[block].insts.iter().find(|&&inst| function.insts[inst].op == Opcode::Store);
        let stored = function.insts[*store.unwrap()].args[2];
        assert_ne!(stored, word, "the word comes from the list");
    }
}
