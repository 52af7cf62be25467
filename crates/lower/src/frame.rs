//! The state of inlining: a frame for each call in progress ([`crate::inline`]).

use crate::block_order::BlockOrder;
use crate::value::Operand;
use pyro_ir::Block;
use pyro_spirv::{FunctionIndex, Instruction};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// A function that is being lowered in the place of a call.
pub(crate) struct Frame<'m> {
    pub(crate) function: FunctionIndex,
    pub(crate) order: Rc<BlockOrder>,
    /// The function's instructions, by number.
    pub(crate) insts: Range<u32>,
    /// By instruction: what its result stands for.
    pub(crate) values: Vec<Option<Operand>>,
    /// By position in the order: the IR block that it starts with.
    pub(crate) blocks: Vec<Block>,
    /// The position of the block that is being lowered.
    pub(crate) position: usize,
    /// The next instruction in that block.
    pub(crate) next: u32,
    /// Behind the block's last instruction before merge instruction and terminator.
    pub(crate) end: u32,
    /// The call; none for the entry point.
    pub(crate) call: Option<Instruction<'m>>,
    /// Where returns go; none when there is one, at the end.
    pub(crate) continuation: Option<Block>,
    /// What the return at the end gave.
    pub(crate) result: Option<Operand>,
    /// The call is no `OpFunctionCall`: its result goes to `CallState::returned`.
    pub(crate) is_element: bool,
}

/// The calls in progress.
#[derive(Default)]
pub(crate) struct CallState<'m> {
    /// The entry point's frame first.
    pub(crate) frames: Vec<Frame<'m>>,
    /// What the function returned that was called last for an element of a cooperative matrix.
    pub(crate) returned: Option<Operand>,
    /// The structured order of the blocks of each function that has been entered.
    pub(crate) block_orders: FxHashMap<FunctionIndex, Rc<BlockOrder>>,
}
