//! Immediate dominators, over the block order: a topological order but for back edges.

use super::cfg::Cfg;
use pyro_ir::{Block, Function};
use pyro_util::ancestors::immediate_dominators;

const NONE: u32 = u32::MAX;

/// The dominator tree of a function's reachable blocks.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Immediate dominator of each position; its own for the entry, `NONE` for unreachable blocks.
    idom: Vec<u32>,
    /// Entry and exit times of a walk of the tree.
    enter: Vec<u32>,
    leave: Vec<u32>,
    /// Positions in preorder of the tree, children in block order.
    preorder: Vec<u32>,
}

impl Dominators {
    /// Finds the tree.
    pub fn new(function: &Function, cfg: &Cfg) -> Dominators {
        let idom = immediate_dominators(function.block_order.len(), |position| {
            cfg.preds(function.block_order[position as usize]).iter().map(|edge| cfg.position(edge.from))
        });
        let (enter, leave, preorder) = number(&idom, |node| node == 0);
        Dominators { idom, enter, leave, preorder }
    }

    /// The immediate dominator; `None` for the entry and for unreachable blocks.
    pub fn idom(&self, function: &Function, cfg: &Cfg, block: Block) -> Option<Block> {
        let index = cfg.position(block);
        let idom = *self.idom.get(index as usize)?;
        (idom != NONE && idom != index).then(|| function.block_order[idom as usize])
    }

    /// Whether `a` dominates `b`; every block dominates itself. False when either is unreachable.
    pub fn dominates(&self, cfg: &Cfg, a: Block, b: Block) -> bool {
        let (a, b) = (cfg.position(a) as usize, cfg.position(b) as usize);
        a < self.idom.len()
            && b < self.idom.len()
            && self.idom[a] != NONE
            && self.idom[b] != NONE
            && self.enter[a] <= self.enter[b]
            && self.leave[b] <= self.leave[a]
    }

    /// When a walk of the tree enters and leaves the block at a position, which is not before it enters and
    /// not after it leaves those that dominate it; none where it is unreachable.
    pub fn span(&self, position: u32) -> Option<(u32, u32)> {
        let index = position as usize;
        (*self.idom.get(index)? != NONE).then(|| (self.enter[index], self.leave[index]))
    }

    /// Positions of reachable blocks, each before those that it dominates.
    pub fn preorder(&self) -> &[u32] {
        &self.preorder
    }

    /// The position of the immediate dominator of a position.
    pub fn idom_position(&self, position: u32) -> Option<u32> {
        let idom = self.idom[position as usize];
        (idom != NONE && idom != position).then_some(idom)
    }
}

/// Numbers a forest given by parents (`NONE`: not in it): times of entry and exit, and the preorder.
pub(crate) fn number(parent: &[u32], is_root: impl Fn(u32) -> bool) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let count = parent.len();
    // Children as linked lists; filled backwards so that each list is in ascending order.
    let (mut first, mut sibling) = (vec![NONE; count], vec![NONE; count]);
    let mut roots = Vec::new();
    for node in (0..count as u32).rev() {
        let up = parent[node as usize];
        if is_root(node) {
            roots.push(node);
        } else if up != NONE {
            sibling[node as usize] = first[up as usize];
            first[up as usize] = node;
        }
    }
    let (mut enter, mut leave) = (vec![0; count], vec![0; count]);
    let mut preorder = Vec::with_capacity(count);
    let mut time = 0;
    let mut stack: Vec<(u32, bool)> = roots.into_iter().map(|root| (root, false)).collect();
    while let Some((node, done)) = stack.pop() {
        time += 1;
        if done {
            leave[node as usize] = time;
            continue;
        }
        enter[node as usize] = time;
        preorder.push(node);
        stack.push((node, true));
        let at = stack.len();
        let mut child = first[node as usize];
        while child != NONE {
            stack.push((child, false));
            child = sibling[child as usize];
        }
        stack[at..].reverse();
    }
    (enter, leave, preorder)
}
