//! Where questions are asked that are the same in all iterations of a loop.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest, LoopId};
use pyro_ir::{Block, Function, Terminator, Value};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// The fronts of a function's loops, as they were before blocks are split.
pub(super) struct Fronts {
    home: SecondaryMap<Value, Block>,
    cfg: Cfg,
    forest: LoopForest,
    /// Of each loop the only block that it is entered from, if that goes nowhere else.
    fronts: Vec<Option<Block>>,
    /// Where blocks end that have been split.
    ends: FxHashMap<Block, Block>,
}

impl Fronts {
    pub(super) fn new(function: &Function) -> Fronts {
        let cfg = Cfg::new(function);
        let forest = LoopForest::new(function, &cfg);
        let dominators = Dominators::new(function, &cfg);
        let fronts = forest.iter().map(|(id, data)| {
            let is_outside = |from: Block| !forest.contains(id, cfg.position(from));
            let mut outside =
                cfg.preds(data.header).iter().map(|edge| edge.from).filter(|&from| is_outside(from));
            let front = outside.next().filter(|_| outside.next().is_none())?;
            // Behind a suspend point a function goes on in the middle of its loops.
            let is_only_way = || {
                let mut inside = data.start..data.end;
                inside.all(|place| dominators.dominates(&cfg, front, function.block_order[place as usize]))
            };
            let goes_on = matches!(function.blocks[front].terminator, Terminator::Jump(_));
            (goes_on && is_only_way()).then_some(front)
        });
        let fronts = fronts.collect();
        Fronts { home: def_blocks(function), cfg, forest, fronts, ends: FxHashMap::default() }
    }

    /// In front of the outermost loop around a block in which all of these values stay the same.
    pub(super) fn front<V: Iterator<Item = Value>>(
        &self,
        block: Block,
        values: impl Fn() -> V,
    ) -> Option<Block> {
        let mut found = None;
        let mut around = self.forest.innermost(self.cfg.position(block));
        while let Some(id) = around {
            let is_outside = |value: Value| {
                let home = self.home[value];
                home != Block::RESERVED && !self.forest.contains(id, self.cfg.position(home))
            };
            let stay = values().all(is_outside);
            let Some(front) = self.front_of(id).filter(|_| stay) else { break };
            found = Some(front);
            around = self.forest.get(id).parent;
        }
        found
    }

    /// Notes where a block ends that has been split.
    pub(super) fn note_split(&mut self, block: Block, end: Block) {
        self.ends.insert(block, end);
    }

    fn front_of(&self, id: LoopId) -> Option<Block> {
        let front = self.fronts[id.0 as usize]?;
        Some(self.ends.get(&front).copied().unwrap_or(front))
    }
}
