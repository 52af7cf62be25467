//! That every value is defined before it is used, on every way from the entry.
//!
//! Immediate dominators are found over the reverse postorder. Numbering the dominator tree then answers each
//! question in constant time.

use super::{Definition, Entity, Verifier};
use crate::function::{Block, Function, Value};
use pyro_util::EntityRef;
use pyro_util::ancestors::immediate_dominators;

pub(super) fn check(verifier: &mut Verifier<'_>) {
    let function = verifier.function;
    let tree = Tree::new(function);
    for &block in &function.block_order {
        if !tree.is_reachable(block) {
            continue;
        }
        let data = &function.blocks[block];
        let check = |verifier: &mut Verifier<'_>, entity, value: Value, index: u32| {
            let Some(Definition { block: at, index: after }) = verifier.definition(value) else { return };
            let fine = if at == block { after <= index } else { tree.dominates(at, block) };
            if !fine {
                verifier.error(entity, format!("{value} is not defined on every way here"));
            }
        };
        for (index, &inst) in data.insts.iter().enumerate() {
            for &arg in &function.insts[inst].args {
                check(verifier, Entity::Inst(block, inst), arg, index as u32);
            }
        }
        data.terminator.for_each_value(|value| check(verifier, Entity::Block(block), value, u32::MAX));
    }
}

/// The dominator tree of the blocks that the entry reaches.
struct Tree {
    /// By block number: when the walk over the tree comes to the block and leaves it; 0 when unreachable.
    span: Vec<(u32, u32)>,
}

impl Tree {
    fn new(function: &Function) -> Tree {
        let order = reverse_postorder(function);
        let mut number = vec![u32::MAX; function.blocks.len()];
        for (index, &block) in order.iter().enumerate() {
            number[block.index()] = index as u32;
        }
        let mut predecessors = vec![Vec::new(); order.len()];
        for (index, &block) in order.iter().enumerate() {
            for target in function.blocks[block].terminator.targets() {
                predecessors[number[target.block.index()] as usize].push(index as u32);
            }
        }
        let dominator =
            immediate_dominators(order.len(), |index| predecessors[index as usize].iter().copied());
        let mut children = vec![Vec::new(); order.len()];
        for index in 1..order.len() {
            children[dominator[index] as usize].push(index as u32);
        }
        let mut span = vec![(0, 0); function.blocks.len()];
        let mut time = 0;
        let mut stack = vec![(0u32, 0usize)];
        while let Some(&mut (index, ref mut next)) = stack.last_mut() {
            let block = order[index as usize].index();
            if *next == 0 {
                time += 1;
                span[block].0 = time;
            }
            match children[index as usize].get(*next) {
                Some(&child) => {
                    *next += 1;
                    stack.push((child, 0));
                }
                None => {
                    span[block].1 = time;
                    stack.pop();
                }
            }
        }
        Tree { span }
    }

    fn is_reachable(&self, block: Block) -> bool {
        self.span[block.index()].0 != 0
    }

    fn dominates(&self, above: Block, below: Block) -> bool {
        let (start, end) = self.span[above.index()];
        start != 0 && (start..=end).contains(&self.span[below.index()].0)
    }
}

fn reverse_postorder(function: &Function) -> Vec<Block> {
    let mut seen = vec![false; function.blocks.len()];
    let mut order = Vec::new();
    let targets =
        |block: Block| function.blocks[block].terminator.targets().map(|call| call.block).collect::<Vec<_>>();
    seen[function.entry().index()] = true;
    let mut stack = vec![(function.entry(), targets(function.entry()))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) => {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push((next, targets(next)));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
