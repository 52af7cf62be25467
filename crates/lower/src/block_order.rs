//! The structured order of a function's blocks.
//!
//! The order is a reverse postorder of a depth-first walk that goes to a header's merge block first, to its
//! continue target next, and to the other successors last: so everything between a header and its merge block
//! is placed between them, a loop is one run of blocks, and case blocks that fall through come before those
//! that they fall into. Merge blocks and continue targets that no branch reaches are kept, as blocks that end
//! in `Unreachable`, since they bound their constructs.
//!
//! The order is then checked, so that no input, structured or not, gives a function that breaks the block
//! order rules of [`pyro_ir`].

use crate::error::{Result, invalid};
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Merge, Module};

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

    /// Finds the order.
    pub(crate) fn new(module: &Module, function: FunctionIndex) -> Result<BlockOrder> {
        let blocks = module.function(function).blocks();
        let count = blocks.len();
        let Some(entry) = module.function(function).entry() else {
            return invalid(format!("function {} has no body", module.function(function).id));
        };
        let graph = Graph { module, function, first: entry.as_u32(), count };
        let reachable = graph.reachable()?;
        let order = graph.order()?;
        let mut positions = vec![0; count];
        for (position, &index) in order.iter().enumerate() {
            positions[index as usize] = position as u32 + 1;
        }
        let mut return_count = 0;
        let order: Vec<_> = order
            .iter()
            .map(|&index| OrderedBlock {
                block: BlockIndex::from_u32(graph.first + index),
                reachable: reachable[index as usize],
            })
            .collect();
        for planned in &order {
            use pyro_spirv::Terminator as T;
            let returns = matches!(module.terminator(planned.block), T::Return | T::ReturnValue(_));
            return_count += u32::from(planned.reachable && returns);
        }
        let order = BlockOrder { blocks: order, positions, first: graph.first, return_count };
        graph.check(&order)?;
        Ok(order)
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

struct Graph<'m> {
    module: &'m Module,
    function: FunctionIndex,
    first: u32,
    count: usize,
}

impl Graph<'_> {
    /// A label's position among the function's blocks.
    fn index(&self, label: Id) -> Result<u32> {
        let block = self.module.block_of(label);
        match block.filter(|&block| self.module.block(block).function == self.function) {
            Some(block) => Ok(block.as_u32() - self.first),
            None => invalid(format!("{label} is no block of the function that branches to it")),
        }
    }

    fn block(&self, index: u32) -> BlockIndex {
        BlockIndex::from_u32(self.first + index)
    }

    fn successors(&self, index: u32, list: &mut Vec<u32>) -> Result {
        for label in self.module.successors(self.block(index)) {
            list.push(self.index(label)?);
        }
        Ok(())
    }

    fn reachable(&self) -> Result<Vec<bool>> {
        let mut reachable = vec![false; self.count];
        let mut stack = vec![0];
        reachable[0] = true;
        let mut next = Vec::new();
        while let Some(index) = stack.pop() {
            next.clear();
            self.successors(index, &mut next)?;
            for &index in &next {
                if !std::mem::replace(&mut reachable[index as usize], true) {
                    stack.push(index);
                }
            }
        }
        Ok(reachable)
    }

    /// Where the walk goes from a block, in its order.
    fn visits(&self, index: u32, list: &mut Vec<u32>) -> Result {
        match self.module.merge(self.block(index)) {
            Some(Merge::Selection { merge, .. }) => list.push(self.index(merge)?),
            Some(Merge::Loop { merge, continue_target, .. }) => {
                list.push(self.index(merge)?);
                list.push(self.index(continue_target)?);
            }
            None => {}
        }
        // A switch's default comes first; walked last it is placed first, where no case falls into it.
        let start = list.len();
        self.successors(index, list)?;
        list[start..].reverse();
        Ok(())
    }

    fn order(&self) -> Result<Vec<u32>> {
        let mut seen = vec![false; self.count];
        let mut postorder = Vec::with_capacity(self.count);
        // Blocks with where the walk still has to go from them, as ranges of `pending`.
        let mut stack: Vec<(u32, usize, usize)> = Vec::new();
        let mut pending: Vec<u32> = Vec::new();
        seen[0] = true;
        self.visits(0, &mut pending)?;
        stack.push((0, 0, 0));
        while let Some(&mut (index, start, ref mut next)) = stack.last_mut() {
            if start + *next == pending.len() {
                pending.truncate(start);
                postorder.push(index);
                stack.pop();
                continue;
            }
            let successor = pending[start + *next];
            *next += 1;
            if !std::mem::replace(&mut seen[successor as usize], true) {
                let start = pending.len();
                self.visits(successor, &mut pending)?;
                stack.push((successor, start, 0));
            }
        }
        postorder.reverse();
        Ok(postorder)
    }

    /// Every edge goes forward, or back to the header of a loop that it is in; loops nest, and are entered at
    /// their headers only.
    fn check(&self, order: &BlockOrder) -> Result {
        let position = |label: Id| -> Result<usize> {
            let index = self.index(label)?;
            match order.positions[index as usize].checked_sub(1) {
                Some(position) => Ok(position as usize),
                None => invalid(format!("{label} is not reached")),
            }
        };
        // For each position the innermost loop around it, as (header, end); loops by their header.
        let mut innermost: Vec<Option<usize>> = Vec::with_capacity(order.blocks.len());
        let mut loops: Vec<(usize, usize, Option<usize>)> = Vec::new();
        let mut current: Option<usize> = None;
        for (at, planned) in order.blocks.iter().enumerate() {
            while let Some(id) = current
                && loops[id].1 <= at
            {
                current = loops[id].2;
            }
            if planned.reachable
                && let Some(Merge::Loop { merge, .. }) = self.module.merge(planned.block)
            {
                let end = position(merge)?;
                if end <= at || current.is_some_and(|id| loops[id].1 < end) {
                    return invalid(format!("the loop at {} does not nest", self.label(planned.block)));
                }
                loops.push((at, end, current));
                current = Some(loops.len() - 1);
            }
            if planned.reachable
                && let Some(Merge::Selection { merge, .. }) = self.module.merge(planned.block)
                && position(merge)? <= at
            {
                return invalid(format!("the selection at {} does not nest", self.label(planned.block)));
            }
            innermost.push(current);
        }
        for (from, planned) in order.blocks.iter().enumerate() {
            if !planned.reachable {
                continue;
            }
            for label in self.module.successors(planned.block) {
                let to = position(label)?;
                let mut around = innermost[to];
                let heads = around.is_some_and(|id| loops[id].0 == to);
                let is_back = to <= from;
                if heads && !is_back {
                    around = around.and_then(|id| loops[id].2);
                }
                let fits = around.is_none_or(|id| loops[id].0 <= from && from < loops[id].1);
                if !fits || is_back && !heads {
                    return invalid(format!(
                        "control flow is not structured: the branch from {} to {label}",
                        self.label(planned.block)
                    ));
                }
            }
        }
        Ok(())
    }

    fn label(&self, block: BlockIndex) -> Id {
        self.module.block(block).label
    }
}
