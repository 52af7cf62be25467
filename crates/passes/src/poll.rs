//! Loops that can be stopped.
//!
//! A shader may loop for ever, by mistake or on purpose, and a driver must be able to end it. On each back
//! edge this pass reads the flag that [`DispatchContext::abort`](pyro_abi::DispatchContext::abort) points at
//! and leaves the shader with [`Exit::Aborted`] when it is set. It runs last, on mask form, so that no other
//! pass has to know; the two loads and the branch cost about a cycle per round.

use pyro_abi::{Exit, context::offset};
use pyro_ir::{Block, BlockCall, Builder, Form, Function, MemoryOp, Scalar, Space, Terminator};
use pyro_util::SecondaryMap;

/// Adds a poll to every back edge. Gives whether there is any.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let mut position = SecondaryMap::<Block, usize>::with_capacity(0, function.blocks.len());
    for (index, &block) in function.block_order.iter().enumerate() {
        position[block] = index;
    }
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut aborted = None;
    for block in std::mem::take(&mut function.block_order) {
        order.push(block);
        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        for target in terminator.targets_mut() {
            if position[target.block] > position[block] {
                continue;
            }
            let aborted = *aborted.get_or_insert_with(|| function.make_block());
            let poll = function.make_block();
            order.push(poll);
            let back = std::mem::replace(target, BlockCall::new(poll, &[]));
            fill(function, poll, back, aborted);
        }
        function.blocks[block].terminator = terminator;
    }
    if let Some(aborted) = aborted {
        function.blocks[aborted].terminator = Terminator::Return(Exit::Aborted as u32);
        order.push(aborted);
    }
    function.block_order = order;
    aborted.is_some()
}

/// Makes `poll` go back, or to `aborted` when the flag is set.
fn fill(function: &mut Function, poll: Block, back: BlockCall, aborted: Block) {
    let mut builder = Builder::new(function);
    builder.switch_to(poll);
    let dispatch = builder.arg(0);
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let pointer = MemoryOp::new(Space::Context).at(offset::ABORT as i32);
    let flag = builder.load(Scalar::I64, pointer, dispatch, zero, always);
    let memory = MemoryOp { volatile: true, ..MemoryOp::new(Space::Global) };
    let value = builder.load(Scalar::I32, memory, flag, zero, always);
    let stop = builder.op(pyro_ir::Opcode::INe, &[value, zero]);
    builder.branch(stop, BlockCall::new(aborted, &[]), back);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_util::EntityRef;

    #[test]
    fn every_back_edge_polls() {
        let mut function = Function::new("loop", Form::Mask, 16);
        let (entry, header, exit) = (function.make_block(), function.make_block(), function.make_block());
        let mut builder = Builder::new(&mut function);
        builder.start(entry);
        builder.jump(header, &[]);
        builder.start(header);
        let always = builder.bool(true);
        builder.branch(always, BlockCall::new(header, &[]), BlockCall::new(exit, &[]));
        builder.start(exit);
        builder.terminate(Terminator::Return(0));
        assert!(run(&mut function));
        assert_eq!(function.block_order.len(), 5);
        let edges = function.block_order.iter().enumerate().flat_map(|(index, &block)| {
            function.blocks[block]
                .terminator
                .targets()
                .map(move |target| (index, target.block))
                .collect::<Vec<_>>()
        });
        let back: Vec<_> = edges
            .filter(|&(index, target)| function.block_order[..=index].contains(&target))
            .map(|(index, _)| function.block_order[index])
            .collect();
        assert_eq!(back.len(), 1);
        let polls = function.blocks[back[0]].insts.iter();
        assert!(polls.into_iter().any(|&inst| MemoryOp::from_imm(function.insts[inst].imm).volatile));
        assert!(back[0].index() >= 3, "the poll is a block of its own");
    }

    #[test]
    fn straight_code_is_left_alone() {
        let mut function = Function::new("straight", Form::Mask, 16);
        let entry = function.make_block();
        let mut builder = Builder::new(&mut function);
        builder.start(entry);
        builder.terminate(Terminator::Return(0));
        assert!(!run(&mut function));
        assert_eq!(function.block_order.len(), 1);
    }
}
