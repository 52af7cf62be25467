//! Safepoints: each loop polls the abort flag, so that it can be stopped.
//!
//! A shader may loop for ever, by mistake or on purpose, and a driver must be able to end it. On each back
//! edge this pass reads the flag that [`DispatchContext::abort`](pyro_abi::DispatchContext::abort) points at
//! and leaves the shader with [`Exit::Aborted`] when it is set. Then the resume point, which nobody needs any
//! more, can say which loop that was ([`pyro_abi::kernel::Source::loops`]). It runs last, on mask form, so
//! that no other pass has to know; the two loads and the branch cost about a cycle per round.

use pyro_abi::{Exit, context::offset};
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Scalar, SourceLoc, Space, Terminator, Type,
};
use pyro_util::SecondaryMap;

/// Adds a poll to every back edge. Gives whether there is any.
pub fn run(function: &mut Function) -> bool {
    !add_polls(function, false).is_empty()
}

/// The same for a function that is called with a [`SubgroupContext`](pyro_abi::SubgroupContext): its resume
/// point will say which loop was stopped. Gives where the loops are, in the order of their numbers (from 1).
pub fn run_numbered(function: &mut Function) -> Vec<SourceLoc> {
    add_polls(function, true)
}

fn add_polls(function: &mut Function, numbered: bool) -> Vec<SourceLoc> {
    debug_assert_eq!(function.form, Form::Mask);
    let mut position = SecondaryMap::<Block, usize>::with_capacity(0, function.blocks.len());
    for (index, &block) in function.block_order.iter().enumerate() {
        position[block] = index;
    }
    let mut order = Vec::with_capacity(function.block_order.len());
    let mut aborted = None;
    let mut loops = Vec::new();
    for block in std::mem::take(&mut function.block_order) {
        order.push(block);
        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        for target in terminator.targets_mut() {
            if position[target.block] > position[block] {
                continue;
            }
            let (aborted, _) = *aborted.get_or_insert_with(|| {
                let aborted = function.make_block();
                (aborted, numbered.then(|| function.add_param(aborted, Type::uniform(Scalar::I32))))
            });
            loops.push(loop_place(function, target.block, block));
            let poll = function.make_block();
            order.push(poll);
            let back = std::mem::replace(target, BlockCall::new(poll, &[]));
            fill(function, poll, back, aborted, numbered.then_some(loops.len() as u32));
        }
        function.blocks[block].terminator = terminator;
    }
    if let Some((aborted, number)) = aborted {
        let mut builder = Builder::new(function);
        builder.switch_to(aborted);
        if let Some(number) = number {
            let context = builder.arg(1);
            let (zero, always) = (builder.i32(0), builder.bool(true));
            let field = MemoryOp::new(Space::Frame).at(offset::RESUME_POINT as i32);
            builder.store(field, context, zero, number, always);
        }
        builder.terminate(Terminator::Return(Exit::Aborted as u32));
        order.push(aborted);
    }
    function.block_order = order;
    loops
}

/// Where a loop is in the source: what its header or, failing that, the block that jumps back knows.
fn loop_place(function: &Function, header: Block, latch: Block) -> SourceLoc {
    let of = |block: Block| {
        let insts = &function.blocks[block].insts;
        insts.iter().map(|&inst| function.insts[inst].loc).find(|&loc| loc != SourceLoc::default())
    };
    of(header).or_else(|| of(latch)).unwrap_or_default()
}

/// Makes `poll` go back, or to `aborted` with the loop's number when the flag is set.
fn fill(function: &mut Function, poll: Block, back: BlockCall, aborted: Block, number: Option<u32>) {
    let mut builder = Builder::new(function);
    builder.switch_to(poll);
    let dispatch = builder.arg(0);
    let (zero, always) = (builder.i32(0), builder.bool(true));
    let pointer = MemoryOp::new(Space::Context).at(offset::ABORT as i32);
    let flag = builder.load(Scalar::I64, pointer, dispatch, zero, always);
    let memory = MemoryOp { volatile: true, ..MemoryOp::new(Space::Global) };
    let value = builder.load(Scalar::I32, memory, flag, zero, always);
    let stop = builder.op(pyro_ir::Opcode::INe, &[value, zero]);
    let number = number.map(|number| builder.i32(number));
    builder.branch(stop, BlockCall::new(aborted, number.as_slice()), back);
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
        assert_eq!(run_numbered(&mut function).len(), 1);
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
