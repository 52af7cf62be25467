//! Which values are live at the start of chosen blocks.
//!
//! Each value is walked backwards from its uses to its definition, with one stamp per block. The walk goes
//! from one *root* to the next: a block that is chosen, or has not exactly one predecessor. The blocks that
//! are reached from a root through single predecessors are a tree; a value that is defined in a tree, and
//! used there, lives nowhere else, since its definition dominates its uses. So memory is linear, and time the
//! sum of the live ranges' roots.
//!
//! Large shaders have many constants, each used here and there all over; their ranges together would be
//! quadratic in the shader's size. So they are left out, and only listed where they are used in several
//! trees.

use super::cfg::Cfg;
use pyro_ir::{Block, Function, Opcode, Value, ValueDef};
use pyro_util::SecondaryMap;

/// Live-in sets of the chosen blocks.
#[derive(Clone, Debug)]
pub struct Liveness {
    live_in: Vec<Vec<Value>>,
    far_constants: Vec<Value>,
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
        let mut root = SecondaryMap::<Block, Block>::with_capacity(Block::RESERVED, function.blocks.len());
        for (position, &block) in function.block_order.iter().enumerate() {
            root[block] = match cfg.preds(block) {
                [edge] if point[block] == u32::MAX && (cfg.position(edge.from) as usize) < position => {
                    root[edge.from]
                }
                _ => block,
            };
        }
        // The trees that use values of others, ordered by value.
        let mut uses: Vec<(Value, Block)> = Vec::new();
        for &block in &function.block_order {
            let here = root[block];
            let mut note = |value: Value| {
                if root[def_block[value]] != here {
                    uses.push((value, here));
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
        let mut far_constants = Vec::new();
        let mut stamp = SecondaryMap::<Block, u32>::with_capacity(u32::MAX, function.blocks.len());
        let mut stack = Vec::new();
        for group in uses.chunk_by(|a, b| a.0 == b.0) {
            let value = group[0].0;
            if is_constant(function, value) {
                far_constants.push(value);
                continue;
            }
            let home = root[def_block[value]];
            stack.extend(group.iter().map(|&(_, block)| block));
            while let Some(block) = stack.pop() {
                if block == home || stamp[block] == value.as_u32() {
                    continue;
                }
                stamp[block] = value.as_u32();
                if point[block] != u32::MAX {
                    live_in[point[block] as usize].push(value);
                }
                stack.extend(cfg.preds(block).iter().map(|edge| root[edge.from]));
            }
        }
        Liveness { live_in, far_constants }
    }

    /// Constants, for one lane or all, that may be live at the start of chosen blocks.
    pub fn far_constants(&self) -> &[Value] {
        &self.far_constants
    }

    /// Leaves values out of all sets.
    pub fn retain(&mut self, keep: impl Fn(Value) -> bool) {
        self.live_in.iter_mut().for_each(|values| values.retain(|&value| keep(value)));
    }

    /// The values live at the start of the chosen block with this index, its parameters and constants not
    /// among them, in ascending order.
    pub fn live_in(&self, point: usize) -> &[Value] {
        &self.live_in[point]
    }
}

/// A constant, or one for all lanes.
fn is_constant(function: &Function, value: Value) -> bool {
    function.def_inst(value).is_some_and(|data| match data.op {
        Opcode::Const => true,
        Opcode::Splat => function.const_bits(data.args[0]).is_some(),
        _ => false,
    })
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
