//! The order in which `linearize` visits a function in lane form, and what follows from that order alone.
//!
//! The visit goes over *nodes*: the blocks in block order; behind the last block of each loop a *latch*,
//! where lanes that go round again wait; and last the *end*, where lanes wait that have returned. Taking
//! back edges as edges to the latch makes the graph acyclic, with the nodes in topological order.
//!
//! Facts kept for each node, all found in near-linear time:
//! * `idom`: its immediate dominator;
//! * `extent`: the last node such that it dominates every node up to there. Whatever is computed at a node
//!   is there at all nodes within its extent, whichever ranges in between are skipped: code enters the
//!   range only through the node, since edges that skip go to where lanes wait, and lanes wait there only
//!   if they come from before the node (then the target is not dominated by it) or through it;
//! * `equivalent`: a dominating node `h` of the same loop such that exactly the lanes that ran `h` will run
//!   this node, in the same iteration: so both have the same mask. Lanes that never end (endless loops,
//!   `Unreachable`) do not count, since nothing behind them runs while they run;
//! * `homes`: the inverse of each node's nearest dominator of the same loop. When that dominator runs, no
//!   lane waits at the node.

use crate::analysis::dominators::number;
use pyro_ir::{Block, Function, Merge, Opcode, Terminator};
use pyro_util::SecondaryMap;
use pyro_util::ancestors::Ancestors;

/// No node, no loop.
pub(crate) const NONE: u32 = u32::MAX;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A block.
    Block(Block),
    /// The latch of a loop, by index.
    Latch(u32),
    /// Where returned lanes wait.
    End,
}

/// One loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) header: u32,
    pub(crate) latch: u32,
    pub(crate) parent: u32,
}

/// See the module's documentation.
pub(crate) struct LinearOrder {
    pub(crate) nodes: Vec<Node>,
    pub(crate) node_of: SecondaryMap<Block, u32>,
    pub(crate) loops: Vec<Loop>,
    /// The innermost loop of each node; headers and latches are inside theirs.
    pub(crate) loop_of: Vec<u32>,
    pub(crate) reachable: Vec<bool>,
    pub(crate) extent: Vec<u32>,
    pub(crate) equivalent: Vec<u32>,
    /// For each node, those whose nearest dominator at their own loop level it is, ascending.
    pub(crate) homes: Vec<Vec<u32>>,
    /// Sum of the costs of all nodes before each node.
    pub(crate) cost_before: Vec<u64>,
    edge_start: Vec<u32>,
    edge_target: Vec<u32>,
}

/// The cost that no range reaches by plain instructions: what must not be run without lanes has it.
pub(crate) const COST_ALWAYS_GUARD: u64 = 1 << 12;

impl LinearOrder {
    pub(crate) fn new(function: &Function) -> LinearOrder {
        let mut order = LinearOrder::lay_out(function);
        order.find_edges(function);
        order.find_reachable();
        let idom = order.find_dominators();
        let (enter, leave, _) = number(&idom, |node| node == 0);
        let dominates =
            |a: u32, b: u32| enter[a as usize] <= enter[b as usize] && leave[b as usize] <= leave[a as usize];
        order.find_extents(dominates);
        order.find_equivalent(&idom);
        order.find_costs(function);
        order
    }

    /// The targets of a node's edges, in the order of the terminator's targets.
    pub(crate) fn targets(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.edge_target[self.edge_start[node] as usize..self.edge_start[node + 1] as usize]
    }

    /// The end node.
    pub(crate) fn end(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// The loop whose header this node is.
    pub(crate) fn loop_headed_by(&self, node: u32) -> Option<u32> {
        let id = self.loop_of[node as usize];
        (id != NONE && self.loops[id as usize].header == node).then_some(id)
    }

    /// Whether loop `id` (`NONE`: the whole function) holds `node`.
    pub(crate) fn loop_contains(&self, id: u32, node: u32) -> bool {
        id == NONE || {
            let data = &self.loops[id as usize];
            data.header <= node && node <= data.latch
        }
    }

    fn lay_out(function: &Function) -> LinearOrder {
        let count = function.block_order.len();
        let mut position = SecondaryMap::with_capacity(NONE, function.blocks.len());
        for (index, &block) in function.block_order.iter().enumerate() {
            position[block] = index as u32;
        }
        let mut nodes = Vec::with_capacity(count + 2);
        let mut node_of = SecondaryMap::with_capacity(NONE, function.blocks.len());
        let mut loops: Vec<Loop> = Vec::new();
        let mut loop_of = Vec::with_capacity(count + 2);
        // Open loops with the positions of their ends.
        let mut open: Vec<(u32, u32)> = Vec::new();
        let close_until = |index: u32,
                           open: &mut Vec<(u32, u32)>,
                           nodes: &mut Vec<Node>,
                           loop_of: &mut Vec<u32>,
                           loops: &mut Vec<Loop>| {
            while let Some(&(id, end)) = open.last()
                && end <= index
            {
                loops[id as usize].latch = nodes.len() as u32;
                nodes.push(Node::Latch(id));
                loop_of.push(id);
                open.pop();
            }
        };
        for (index, &block) in function.block_order.iter().enumerate() {
            close_until(index as u32, &mut open, &mut nodes, &mut loop_of, &mut loops);
            if let Some(Merge::Loop { merge, .. }) = function.blocks[block].merge {
                let outer = open.last().copied();
                let end = position[merge].min(count as u32).min(outer.map_or(NONE, |(_, end)| end));
                if end > index as u32 {
                    let parent = outer.map_or(NONE, |(id, _)| id);
                    open.push((loops.len() as u32, end));
                    loops.push(Loop { header: nodes.len() as u32, latch: NONE, parent });
                }
            }
            node_of[block] = nodes.len() as u32;
            nodes.push(Node::Block(block));
            loop_of.push(open.last().map_or(NONE, |&(id, _)| id));
        }
        close_until(NONE, &mut open, &mut nodes, &mut loop_of, &mut loops);
        nodes.push(Node::End);
        loop_of.push(NONE);
        LinearOrder {
            nodes,
            node_of,
            loops,
            loop_of,
            reachable: Vec::new(),
            extent: Vec::new(),
            equivalent: Vec::new(),
            homes: Vec::new(),
            cost_before: Vec::new(),
            edge_start: Vec::new(),
            edge_target: Vec::new(),
        }
    }

    fn find_edges(&mut self, function: &Function) {
        let end = self.end();
        for (index, &node) in self.nodes.iter().enumerate() {
            self.edge_start.push(self.edge_target.len() as u32);
            let Node::Block(block) = node else { continue };
            match &function.blocks[block].terminator {
                Terminator::Return(_) => self.edge_target.push(end),
                terminator => {
                    for call in terminator.targets() {
                        let target = self.node_of[call.block];
                        let back = target <= index as u32;
                        let target = if back { self.latch_of_header(target) } else { target };
                        self.edge_target.push(target);
                    }
                }
            }
        }
        self.edge_start.push(self.edge_target.len() as u32);
    }

    fn latch_of_header(&self, header: u32) -> u32 {
        let id = self.loop_headed_by(header).expect("back edges go to loop headers (verified)");
        self.loops[id as usize].latch
    }

    fn find_reachable(&mut self) {
        self.reachable = vec![false; self.nodes.len()];
        self.reachable[0] = true;
        for node in 0..self.nodes.len() as u32 {
            if self.reachable[node as usize] {
                for edge in self.edge_start[node as usize]..self.edge_start[node as usize + 1] {
                    self.reachable[self.edge_target[edge as usize] as usize] = true;
                }
            }
        }
    }

    fn find_dominators(&self) -> Vec<u32> {
        // Nodes come in topological order: when a node's turn comes, all edges to it have been seen.
        let mut tree = Ancestors::new(self.nodes.len(), 0);
        let mut above = vec![NONE; self.nodes.len()];
        for node in 0..self.nodes.len() as u32 {
            if !self.reachable[node as usize] {
                continue;
            }
            if node != 0 {
                tree.add(node, above[node as usize]);
            }
            for &target in self.targets(node) {
                let slot = &mut above[target as usize];
                *slot = if *slot == NONE { node } else { tree.nearest_common(*slot, node) };
            }
        }
        tree.into_parents()
    }

    fn find_extents(&mut self, dominates: impl Fn(u32, u32) -> bool) {
        let count = self.nodes.len() as u32;
        self.extent = vec![0; count as usize];
        // Nodes that dominate everything since them; each dominates those above it on the stack.
        let mut open: Vec<u32> = Vec::new();
        for node in 0..count {
            if !self.reachable[node as usize] {
                self.extent[node as usize] = node;
                continue;
            }
            while let Some(&top) = open.last()
                && !dominates(top, node)
            {
                self.extent[top as usize] = node - 1;
                open.pop();
            }
            open.push(node);
        }
        for node in open {
            self.extent[node as usize] = count - 1;
        }
    }

    /// Nodes outside each loop that edges inside go to, ascending.
    fn loop_exits(&self) -> Vec<Vec<u32>> {
        let mut exits = vec![Vec::new(); self.loops.len()];
        for node in 0..self.nodes.len() as u32 {
            if !self.reachable[node as usize] {
                continue;
            }
            for &target in self.targets(node) {
                let mut id = self.loop_of[node as usize];
                while id != NONE && !self.loop_contains(id, target) {
                    exits[id as usize].push(target);
                    id = self.loops[id as usize].parent;
                }
            }
        }
        for list in &mut exits {
            list.sort_unstable();
            list.dedup();
        }
        exits
    }

    fn find_equivalent(&mut self, idom: &[u32]) {
        let count = self.nodes.len();
        let exits = self.loop_exits();
        // Postdominators, with nodes numbered backwards. A latch goes to the loop's exits: that is where its
        // lanes come out in the end.
        let flip = |node: u32| count as u32 - 1 - node;
        let mut tree = Ancestors::new(count, 0);
        for node in (0..count as u32 - 1).rev() {
            if !self.reachable[node as usize] {
                continue;
            }
            let targets = match self.nodes[node as usize] {
                Node::Latch(id) => exits[id as usize].as_slice(),
                _ => self.targets(node),
            };
            let mut best = NONE;
            for &target in targets {
                let target = flip(target);
                if tree.contains(target) {
                    best = if best == NONE { target } else { tree.nearest_common(best, target) };
                }
            }
            if best != NONE {
                tree.add(flip(node), best);
            }
        }
        let ipdom = tree.into_parents();
        let (enter, leave, _) = number(&ipdom, |node| node == 0);
        self.equivalent = vec![NONE; count];
        self.homes = vec![Vec::new(); count];
        for node in 1..count as u32 {
            if !self.reachable[node as usize] {
                continue;
            }
            let level = match self.loop_headed_by(node) {
                Some(id) => self.loops[id as usize].parent,
                None => self.loop_of[node as usize],
            };
            let mut above = idom[node as usize];
            while self.loop_of[above as usize] != level {
                let id = self.loop_of[above as usize];
                above = idom[self.loops[id as usize].header as usize];
            }
            self.homes[above as usize].push(node);
            let (inner, outer) = (flip(above) as usize, flip(node) as usize);
            let postdominates =
                ipdom[inner] != NONE && enter[outer] <= enter[inner] && leave[inner] <= leave[outer];
            if postdominates && self.extent[above as usize] >= node {
                self.equivalent[node as usize] = above;
            }
        }
    }

    fn find_costs(&mut self, function: &Function) {
        let mut sum = 0u64;
        for node in 0..self.nodes.len() as u32 {
            self.cost_before.push(sum);
            let Node::Block(block) = self.nodes[node as usize] else { continue };
            if self.loop_headed_by(node).is_some() {
                sum += COST_ALWAYS_GUARD;
            }
            for &inst in &function.blocks[block].insts {
                sum += cost(function.insts[inst].op);
            }
        }
    }
}

/// About how many simple vector instructions an operation is worth.
fn cost(op: Opcode) -> u64 {
    use Opcode as O;
    match op {
        O::Const | O::Arg | O::Splat | O::Active | O::LaneId | O::Bitcast => 0,
        O::Suspend | O::Clock | O::Fence | O::Call => COST_ALWAYS_GUARD,
        O::Load | O::Store => 6,
        O::UDiv | O::SDiv | O::URem | O::SRem => 12,
        O::FDiv | O::FSqrt | O::Shuffle => 6,
        _ if op.has_predicate() => 24,
        _ => 1,
    }
}
