//! Positions of blocks in the block order, and predecessor lists.

use pyro_ir::{Block, Function};
use pyro_util::SecondaryMap;

/// An edge of the control flow graph: the block it leaves, and which of the terminator's targets it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block it leaves.
    pub from: Block,
    /// Index among [`pyro_ir::Terminator::targets`].
    pub ordinal: u32,
}

/// Predecessors and positions of the blocks in a function's order.
#[derive(Clone)]
pub struct Cfg {
    position: SecondaryMap<Block, u32>,
    /// For each position, where its edges start in `edges`; one more at the end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    reachable: Vec<bool>,
}

impl Cfg {
    /// Position of a block that is not in the order.
    pub const NOWHERE: u32 = u32::MAX;

    /// Reads the graph of `function`.
    pub fn new(function: &Function) -> Cfg {
        let count = function.block_order.len();
        let mut position = SecondaryMap::with_capacity(Cfg::NOWHERE, function.blocks.len());
        for (index, &block) in function.block_order.iter().enumerate() {
            position[block] = index as u32;
        }
        let mut starts = vec![0u32; count + 1];
        for &block in &function.block_order {
            for target in function.blocks[block].terminator.targets() {
                starts[position[target.block] as usize + 1] += 1;
            }
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let none = Edge { from: Block::RESERVED, ordinal: 0 };
        let mut edges = vec![none; starts[count] as usize];
        for &block in &function.block_order {
            for (ordinal, target) in function.blocks[block].terminator.targets().enumerate() {
                let slot = &mut next[position[target.block] as usize];
                edges[*slot as usize] = Edge { from: block, ordinal: ordinal as u32 };
                *slot += 1;
            }
        }
        let mut reachable = vec![false; count];
        let mut stack = Vec::new();
        if count > 0 {
            reachable[0] = true;
            stack.push(function.block_order[0]);
        }
        while let Some(block) = stack.pop() {
            for target in function.blocks[block].terminator.targets() {
                let index = position[target.block] as usize;
                if !reachable[index] {
                    reachable[index] = true;
                    stack.push(target.block);
                }
            }
        }
        Cfg { position, starts, edges, reachable }
    }

    /// The index of a block in the order; [`Cfg::NOWHERE`] when it is not there.
    pub fn position(&self, block: Block) -> u32 {
        self.position[block]
    }

    /// The edges that come to a block, in block order.
    pub fn preds(&self, block: Block) -> &[Edge] {
        let index = self.position[block] as usize;
        &self.edges[self.starts[index] as usize..self.starts[index + 1] as usize]
    }

    /// Whether the entry reaches it.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position[block] != Cfg::NOWHERE && self.reachable[self.position[block] as usize]
    }
}
