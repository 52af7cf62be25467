//! One call for many blocks of fragments: the fragment function becomes the body of a loop over a list of
//! blocks.
//!
//! The function draws the block that `FragmentSubgroup::block` names; with this pass it draws those of
//! `FragmentSubgroup::blocks` one after the other. What is the same for all of them (the primitive's planes,
//! descriptors, addresses of attachments) is invariant in the loop, and other passes move it out. Of covered
//! blocks each has its primitive, so planes are read anew for each.
//!
//! ```text
//! entry ─▶ header(at) ─▶ body … ─▶ latch ─┬─▶ return 0
//!               ▲                        │
//!               └────────────────────────┘
//! ```

use crate::loop_body;
use pyro_abi::graphics::{COVERED_BLOCK_SAMPLES_MAX, graphics_offset as at};
use pyro_ir::{Builder, Function, MemoryOp, Opcode, Scalar, Space, Value};

/// What a list has for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockList {
    /// Its place. All blocks are of one primitive, which covers them wholly.
    Whole,
    /// A `CoveredBlock`.
    Covered,
}

/// Makes the loop, in a function in mask form without suspend points.
pub fn run(function: &mut Function, list: BlockList) {
    // The fields of the record that an entry's words stand for.
    let mut fields = vec![at::BLOCK];
    if list == BlockList::Covered {
        fields.push(at::PRIMITIVE);
        fields.extend((0..COVERED_BLOCK_SAMPLES_MAX as u32).map(|sample| at::BLOCK_COVERAGE + 4 * sample));
    }
    let size = |b: &mut Builder<'_>, count: Value| {
        let bytes = b.i32(4 * fields.len() as u32);
        [bytes, b.op(Opcode::IMul, &[count, bytes])]
    };
    loop_body::over_list(function, size, |b, blocks, place, always| {
        let memory = |at: i32| MemoryOp::new(Space::Context).at(4 * at);
        let words: Vec<(u32, Value)> = (0..)
            .zip(&fields)
            .map(|(at, &field)| (field, b.load(Scalar::I32, memory(at), blocks, place, always)))
            .collect();
        move |place| [words.iter().find(|(field, _)| *field == place).map(|&(_, word)| word), None]
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_ir::{Form, Terminator};

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
        run(&mut function, BlockList::Whole);
        pyro_ir::verify::verify_executable(&function).unwrap();
        assert_eq!(function.block_order.len(), 5);
        let store =
            function.blocks[block].insts.iter().find(|&&inst| function.insts[inst].op == Opcode::Store);
        let stored = function.insts[*store.unwrap()].args[2];
        assert_ne!(stored, word, "the word comes from the list");
    }
}
