//! Which values are live at the start of chosen blocks.
//!
//! Each value is walked backwards from its uses to its definition, with one stamp per block; so memory is
//! linear, and time the sum of the live ranges' blocks. Only values used outside their own block are walked.

use super::cfg::Cfg;
use pyro_ir::{Block, Function, Value, ValueDef};
use pyro_util::SecondaryMap;

/// Live-in sets of the chosen blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<Vec<Value>>,
}

impl Liveness {
    /// Computes the sets of `points`. `def_block` is where values are defined: [`def_blocks`].
    pub fn new(
        function: &Function,
        cfg: &Cfg,
        def_block: &SecondaryMap<Value, Block>,
        points: &[Block],
    ) -> Liveness {
        let mut point = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
        for (index, &block) in points.iter().enumerate() {
            point[block] = index as u32;
        }
        // Uses outside the defining block, ordered by value.
        let mut uses: Vec<(Value, u32)> = Vec::new();
        for (position, &block) in function.block_order.iter().enumerate() {
            let mut note = |value: Value| {
                if def_block[value] != block {
                    uses.push((value, position as u32));
                }
            };
            let data = &function.blocks[block];
            for &inst in &data.insts {
                function.insts[inst].args.iter().copied().for_each(&mut note);
            }
            data.terminator.for_each_value(note);
        }
        uses.sort_unstable();
        uses.dedup();
        let mut live_in = vec![Vec::new(); points.len()];
        let mut stamp = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
        let mut stack = Vec::new();
        for group in uses.chunk_by(|a, b| a.0 == b.0) {
            let value = group[0].0;
            stack.extend(group.iter().map(|&(_, position)| function.block_order[position as usize]));
            while let Some(block) = stack.pop() {
                if block == def_block[value] || stamp[block] == value.as_u32() {
                    continue;
                }
                stamp[block] = value.as_u32();
                if point[block] != u32::MAX {
                    live_in[point[block] as usize].push(value);
                }
                stack.extend(cfg.preds(block).iter().map(|edge| edge.from));
            }
        }
        Liveness { live_in }
    }

    /// The values live at the start of the chosen block with this index, its parameters not among them,
    /// in ascending order.
    pub fn live_in(&self, point: usize) -> &[Value] {
        &self.live_in[point]
    }
}

/// The block in which each value is defined; `Block::RESERVED` for values of dead instructions.
pub fn def_blocks(function: &Function) -> SecondaryMap<Value, Block> {
    let mut blocks = SecondaryMap::with_capacity(Block::RESERVED, function.values.len());
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for &param in &data.params {
            debug_assert!(matches!(function.values[param].def, ValueDef::Param(owner, _) if owner == block));
            blocks[param] = block;
        }
        for &inst in &data.insts {
            if let Some(result) = function.insts[inst].result.expand() {
                blocks[result] = block;
            }
        }
    }
    blocks
}
