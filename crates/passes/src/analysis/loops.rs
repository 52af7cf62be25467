//! The loop forest.
//!
//! Lane form: a loop is the run of blocks from its header to before its merge block
//! ([`pyro_ir::Merge::Loop`]). Mask form has no merge information; there a loop is the run from the target
//! of a back edge to the last block with such an edge, which is how `linearize` lays loops out.

use super::cfg::Cfg;
use pyro_ir::{Block, Form, Function, Merge};

/// Index of a loop in a [`LoopForest`]; an outer loop comes before those inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub u32);

/// One loop.
#[derive(Clone, Copy, Debug)]
pub struct LoopData {
    /// Its header.
    pub header: Block,
    /// Position of the header in the block order.
    pub start: u32,
    /// Position behind the last block.
    pub end: u32,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for outermost loops.
    pub depth: u32,
}

/// All loops of a function.
#[derive(Clone, Debug, Default)]
pub struct LoopForest {
    loops: Vec<LoopData>,
    /// The innermost loop of each position.
    innermost: Vec<Option<LoopId>>,
}

impl LoopForest {
    /// Finds the loops.
    pub fn new(function: &Function, cfg: &Cfg) -> LoopForest {
        let count = function.block_order.len() as u32;
        // Where the loop that starts at each position ends; 0 for none.
        let mut ends = vec![0u32; count as usize];
        for (index, &block) in function.block_order.iter().enumerate() {
            let data = &function.blocks[block];
            match function.form {
                Form::Lane => {
                    if let Some(Merge::Loop { merge, .. }) = data.merge {
                        ends[index] = cfg.position(merge).min(count);
                    }
                }
                Form::Mask => {
                    for target in data.terminator.targets() {
                        let start = cfg.position(target.block) as usize;
                        if start <= index {
                            ends[start] = ends[start].max(index as u32 + 1);
                        }
                    }
                }
            }
        }
        let mut forest = LoopForest { loops: Vec::new(), innermost: vec![None; count as usize] };
        let mut current: Option<LoopId> = None;
        for index in 0..count {
            while let Some(id) = current
                && forest.loops[id.0 as usize].end <= index
            {
                current = forest.loops[id.0 as usize].parent;
            }
            let mut end = ends[index as usize];
            if end > index {
                let mut depth = 1;
                if let Some(parent) = current {
                    let parent = &forest.loops[parent.0 as usize];
                    end = end.min(parent.end);
                    depth = parent.depth + 1;
                }
                let id = LoopId(forest.loops.len() as u32);
                let header = function.block_order[index as usize];
                forest.loops.push(LoopData { header, start: index, end, parent: current, depth });
                current = Some(id);
            }
            forest.innermost[index as usize] = current;
        }
        forest
    }

    /// All loops, an outer one before those inside.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LoopId, &LoopData)> {
        self.loops.iter().enumerate().map(|(index, data)| (LoopId(index as u32), data))
    }

    /// One loop.
    pub fn get(&self, id: LoopId) -> &LoopData {
        &self.loops[id.0 as usize]
    }

    /// Those that hold no loop, in the same order.
    pub fn leaves(&self) -> impl DoubleEndedIterator<Item = (LoopId, &LoopData)> {
        // Loops stand behind the one around them, the first that it holds right behind it.
        let holds_none =
            |id: LoopId| self.loops.get(id.0 as usize + 1).is_none_or(|next| next.parent != Some(id));
        self.iter().filter(move |(id, _)| holds_none(*id))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The innermost loop around a position.
    pub fn innermost(&self, position: u32) -> Option<LoopId> {
        self.innermost[position as usize]
    }

    /// Whether a loop holds a position.
    pub fn contains(&self, id: LoopId, position: u32) -> bool {
        let data = self.get(id);
        data.start <= position && position < data.end
    }
}
