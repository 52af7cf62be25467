//! The order in which a function's blocks are lowered: the structured order that checking has found
//! ([`pyro_validate::StructuredCfg::blocks_in_order`]).
//!
//! Everything between a header and its merge block is placed between them, a loop is one run of blocks, and
//! case blocks that fall through come before those that they fall into. Merge blocks and continue targets
//! that no branch reaches are kept, as blocks that end in `Unreachable`, since they bound their constructs.
//! So a checked module cannot give a function that breaks the block order rules of [`pyro_ir`].

use crate::error::{Result, invalid};
use pyro_spirv::{BlockIndex, FunctionIndex, Module};
use pyro_validate::Checked;

/// One block of the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedBlock {
    pub(crate) block: BlockIndex,
    /// A branch reaches it.
    pub(crate) reachable: bool,
}

/// The blocks of a function in structured order, the entry first.
#[derive(Debug)]
pub(crate) struct BlockOrder {
    pub(crate) blocks: Vec<OrderedBlock>,
    /// By position among the function's blocks: position in the order plus one, or zero.
    positions: Vec<u32>,
    first: u32,
    /// How many reachable blocks return.
    pub(crate) return_count: u32,
}

impl BlockOrder {
    /// A block's position in the order.
    pub(crate) fn position(&self, block: BlockIndex) -> Option<usize> {
        let index = block.as_u32().checked_sub(self.first)? as usize;
        self.positions.get(index)?.checked_sub(1).map(|position| position as usize)
    }

    /// The order of a function of a checked module.
    pub(crate) fn new(checked: &Checked, function: FunctionIndex) -> Result<BlockOrder> {
        use pyro_spirv::Terminator as T;
        let Some(entry) = checked.function(function).entry() else {
            return invalid(format!("function {} has no body", checked.function(function).id));
        };
        let cfg = checked.cfg(function);
        let first = entry.as_u32();
        let blocks: Vec<_> = (cfg.blocks_in_order().into_iter())
            .map(|block| OrderedBlock { block, reachable: cfg.is_reachable(block) })
            .collect();
        let mut positions = vec![0; checked.function(function).blocks().len()];
        let mut return_count = 0;
        for (position, ordered) in (1..).zip(&blocks) {
            positions[(ordered.block.as_u32() - first) as usize] = position;
            let returns = matches!(checked.terminator(ordered.block), T::Return | T::ReturnValue(_));
            return_count += u32::from(ordered.reachable && returns);
        }
        Ok(BlockOrder { blocks, positions, first, return_count })
    }

    /// The only return is at the end of the last block, so that the code behind a call goes on there.
    pub(crate) fn returns_at_end(&self, module: &Module) -> bool {
        use pyro_spirv::Terminator as T;
        let last = self.blocks.last().expect("a order has the entry block");
        self.return_count == 1
            && last.reachable
            && matches!(module.terminator(last.block), T::Return | T::ReturnValue(_))
    }
}
