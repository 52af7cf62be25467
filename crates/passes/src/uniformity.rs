//! Which values of a function in lane form are the same in all lanes that execute them, and which blocks
//! run with the same mask.
//!
//! # Approach
//! `linearize` keeps branches on uniform conditions and replaces the others by running all targets one
//! after the other (partial linearization, Moll and Hack 2018): at each node it knows the targets where
//! lanes *wait*, goes on at the first of those and the new ones, and leaves the rest waiting. This analysis
//! makes the same walk over the [`LinearOrder`] with the same waiting sets, and records on the way:
//!
//! * a value is varying when an operand is, or the operation makes it so;
//! * a block parameter is varying when a source is, or when sources that differ come *together*: a further
//!   edge goes to a target where lanes wait already (`joins`). Where edges only meet through real jumps,
//!   all lanes come by the same one;
//! * a node's mask is that of another node (`mask_of`) when all its lanes come by real, unconditional or
//!   uniform jumps from nodes with that mask, or when the nodes are control equivalent;
//! * a loop's header keeps the mask from outside as long as the latch has the header's mask.
//!
//! The function must be in loop-closed form (pass `lcssa`): a value that leaves a loop whose lanes leave at
//! different iterations does so through a parameter of the exit, where lanes wait, which makes it varying.
//!
//! Everything starts uniform and can only become varying, so sweeps over the nodes reach a fixed point;
//! a sweep is repeated only for what back edges bring. After [`SWEEP_LIMIT`] sweeps all headers are taken to
//! be varying, which ends it.

use crate::analysis::liveness::def_blocks;
use crate::linear_order::{LinearOrder, NONE, Node};
use crate::node_set::{NodeSet, NodeSets};
use pyro_ir::{Block, Function, InstData, MemoryOp, Signature, Space, Terminator, Value};
use pyro_util::SecondaryMap;

/// Sweeps after which precision is given up.
const SWEEP_LIMIT: u32 = 8;

/// What [`analyze`] finds.
pub(crate) struct Uniformity {
    uniform: SecondaryMap<Value, bool>,
    /// For each node, the node whose mask it has; its own number when the mask is its own.
    pub(crate) mask_of: Vec<u32>,
    /// For loop headers, the mask of the lanes that enter the loop, likewise.
    pub(crate) entry_mask_of: Vec<u32>,
    /// An edge comes to the node while lanes wait there.
    pub(crate) joins: Vec<bool>,
    /// For each parameter: its sources differ (edges from inside the loop not counted, for headers).
    mixed: SecondaryMap<Value, bool>,
    /// The same for the edges from inside, of a header's parameters.
    latch_mixed: SecondaryMap<Value, bool>,
    /// For each parameter, one of its sources from outside the loop.
    source: SecondaryMap<Value, Option<Value>>,
    /// For each loop, where lanes may wait at its latch, in the sets that [`analyze`] gives with this.
    pub(crate) latch_waiting: Vec<NodeSet>,
}

impl Uniformity {
    /// Whether all lanes that execute the definition get the same value.
    pub(crate) fn is_uniform(&self, value: Value) -> bool {
        self.uniform[value]
    }

    /// Whether the sources of a parameter (from outside its loop, or from inside) differ.
    pub(crate) fn is_mixed(&self, param: Value, latch: bool) -> bool {
        if latch { self.latch_mixed[param] } else { self.mixed[param] }
    }

    /// The only source of a parameter that is not a loop header's, if there is only one.
    pub(crate) fn only_source(&self, param: Value) -> Option<Value> {
        if self.mixed[param] { None } else { self.source[param] }
    }
}

/// Analyses a function in loop-closed lane form. Also gives the sets of nodes that it has made.
pub(crate) fn analyze(function: &Function, order: &LinearOrder) -> (Uniformity, NodeSets) {
    let count = order.nodes.len();
    let mut sweep = Sweep {
        function,
        order,
        def_block: def_blocks(function),
        found: Uniformity {
            uniform: SecondaryMap::with_capacity(true, function.values.len()),
            mask_of: vec![NONE; count],
            entry_mask_of: vec![NONE; count],
            joins: vec![false; count],
            mixed: SecondaryMap::with_capacity(false, function.values.len()),
            latch_mixed: SecondaryMap::new(),
            source: SecondaryMap::with_capacity(None, function.values.len()),
            latch_waiting: vec![NodeSet::EMPTY; order.loops.len()],
        },
        latch_source: SecondaryMap::new(),
        own_mask: vec![false; order.loops.len()],
        sets: NodeSets::new(),
        waiting: vec![NodeSet::EMPTY; count],
        direct: vec![Direct::Never; count],
        changed: true,
    };
    let mut sweeps = 0;
    while sweep.changed {
        sweeps += 1;
        sweep.changed = false;
        if sweeps == SWEEP_LIMIT {
            sweep.give_up();
        }
        for node in 0..count as u32 {
            sweep.visit(node);
        }
    }
    (sweep.found, sweep.sets)
}

/// How lanes come to a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direct {
    /// Not at all so far.
    Never,
    /// By real jumps from nodes with this mask.
    Mask(u32),
    /// Otherwise.
    Mixed,
}

struct Sweep<'a> {
    function: &'a Function,
    order: &'a LinearOrder,
    def_block: SecondaryMap<Value, Block>,
    found: Uniformity,
    latch_source: SecondaryMap<Value, Option<Value>>,
    /// Loops whose header has a mask of its own.
    own_mask: Vec<bool>,
    sets: NodeSets,
    /// Where lanes wait when a node starts, itself left out.
    waiting: Vec<NodeSet>,
    direct: Vec<Direct>,
    /// Something that an earlier node of the sweep has used has changed.
    changed: bool,
}

impl Sweep<'_> {
    fn give_up(&mut self) {
        for data in &self.order.loops {
            if let Node::Block(block) = self.order.nodes[data.header as usize] {
                for &param in &self.function.blocks[block].params {
                    self.found.uniform[param] = false;
                }
            }
        }
        self.own_mask.fill(true);
        self.changed = true;
    }

    fn visit(&mut self, node: u32) {
        let order = self.order;
        let direct = std::mem::replace(&mut self.direct[node as usize], Direct::Never);
        let mut waiting = std::mem::take(&mut self.waiting[node as usize]);
        if node == 0 {
            self.found.mask_of[0] = 0;
        } else if direct == Direct::Never {
            return;
        } else {
            let entering = self.mask_of(node, direct);
            self.found.entry_mask_of[node as usize] = entering;
            let own = order.loop_headed_by(node).is_some_and(|id| self.own_mask[id as usize]);
            self.found.mask_of[node as usize] = if own { node } else { entering };
        }
        if let Some(id) = order.loop_headed_by(node) {
            waiting = self.sets.merge(waiting, self.found.latch_waiting[id as usize]);
        }
        match order.nodes[node as usize] {
            Node::End => {}
            Node::Latch(id) => self.visit_latch(node, id, waiting),
            Node::Block(block) => {
                self.visit_values(node, block);
                self.visit_terminator(node, block, waiting);
            }
        }
    }

    fn mask_of(&self, node: u32, direct: Direct) -> u32 {
        let order = self.order;
        let equivalent = order.equivalent[node as usize];
        if equivalent != NONE {
            return self.found.mask_of[equivalent as usize];
        }
        match direct {
            Direct::Mask(mask) if order.extent[mask as usize] >= node => mask,
            _ => node,
        }
    }

    fn visit_latch(&mut self, node: u32, id: u32, waiting: NodeSet) {
        let header = self.order.loops[id as usize].header;
        if self.found.mask_of[node as usize] != self.found.mask_of[header as usize]
            && !self.own_mask[id as usize]
        {
            self.own_mask[id as usize] = true;
            self.changed = true;
        }
        if self.found.latch_waiting[id as usize] != waiting {
            self.changed = true;
            self.found.latch_waiting[id as usize] = waiting;
        }
        // Parameters of the header: sources from inside that differ and come together.
        if let Node::Block(block) = self.order.nodes[header as usize] {
            for &param in &self.function.blocks[block].params {
                if self.found.joins[node as usize] && self.found.latch_mixed[param] {
                    self.set_varying_header(param);
                }
            }
        }
        self.go_on(waiting);
    }

    fn set_varying_header(&mut self, param: Value) {
        if self.found.uniform[param] {
            self.found.uniform[param] = false;
            self.changed = true;
        }
    }

    fn visit_values(&mut self, node: u32, block: Block) {
        let data = &self.function.blocks[block];
        if self.found.joins[node as usize] {
            for &param in &data.params {
                if self.found.mixed[param] {
                    self.found.uniform[param] = false;
                }
            }
        }
        for &inst in &data.insts {
            let inst = &self.function.insts[inst];
            if let Some(result) = inst.result.expand()
                && !self.is_result_uniform(inst)
            {
                self.found.uniform[result] = false;
            }
        }
    }

    fn is_result_uniform(&self, inst: &InstData) -> bool {
        use Signature as S;
        let uniform = |index: usize| self.found.uniform[inst.args[index]];
        match inst.op.signature() {
            S::LaneId | S::Active | S::MaskFromBits | S::Atomic | S::AtomicCompare | S::SlotLoad => false,
            S::Const | S::Arg | S::Clock | S::MaskReduce | S::MaskToBits => true,
            S::LaneRead | S::Shuffle => uniform(0) || uniform(1),
            S::Load => {
                let memory = MemoryOp::from_imm(inst.imm);
                // Where it may run for lanes that are not there, one load stands for all.
                (!memory.volatile || memory.speculatable)
                    && !matches!(memory.space, Space::Scratch | Space::Frame)
                    && uniform(0)
                    && uniform(1)
                    && uniform(2)
            }
            _ => (0..inst.args.len()).all(uniform),
        }
    }

    fn visit_terminator(&mut self, node: u32, block: Block, waiting: NodeSet) {
        let order = self.order;
        let targets = order.targets(node);
        let mask = self.found.mask_of[node as usize];
        let terminator = &self.function.blocks[block].terminator;
        let divergent = is_divergent(terminator, |value| self.found.uniform[value]);
        if targets.is_empty() || divergent {
            let mut all = waiting;
            for (index, &target) in targets.iter().enumerate() {
                let together = !self.sets.insert(&mut all, target);
                self.flow(node, terminator, index, target, together);
            }
            self.go_on(all);
            return;
        }
        for (index, &target) in targets.iter().enumerate() {
            let mut all = waiting;
            let together = !self.sets.insert(&mut all, target);
            self.flow(node, terminator, index, target, together);
            let (next, rest) = self.sets.split_first(all).expect("the target is in it");
            let direct = if next == target && !together { Direct::Mask(mask) } else { Direct::Mixed };
            self.arrive(next, direct, rest);
        }
    }

    /// Lanes go from `node` to `target`, by the terminator's target `index`; `together` when others wait
    /// there.
    fn flow(&mut self, node: u32, terminator: &Terminator, index: usize, target: u32, together: bool) {
        let order = self.order;
        if together {
            self.found.joins[target as usize] = true;
        }
        let (to, latch) = match order.nodes[target as usize] {
            Node::Block(block) => (block, false),
            Node::Latch(id) => match order.nodes[order.loops[id as usize].header as usize] {
                Node::Block(block) => (block, true),
                _ => return,
            },
            Node::End => return,
        };
        let params = &self.function.blocks[to].params;
        if params.is_empty() {
            return;
        }
        let Some(call) = terminator.targets().nth(index) else { return };
        let from_loop = order.loop_of[node as usize];
        for (&param, &arg) in params.iter().zip(&call.args) {
            if !self.found.uniform[arg] {
                if latch {
                    self.set_varying_header(param);
                } else {
                    self.found.uniform[param] = false;
                }
            }
            let found = &mut self.found;
            let (source, mixed) = if latch {
                (&mut self.latch_source, &mut found.latch_mixed)
            } else {
                (&mut found.source, &mut found.mixed)
            };
            // A value of another iteration is another value: the edge leaves a loop that defines it.
            let def = order.node_of[self.def_block[arg]];
            let stays = from_loop == NONE || order.loop_contains(from_loop, target) || {
                let def_loop = order.loop_of[def as usize];
                def_loop == NONE || order.loop_contains(def_loop, target)
            };
            match source[param] {
                None if stays => source[param] = Some(arg),
                Some(other) if other == arg && stays => {}
                _ => mixed[param] = true,
            }
        }
    }

    /// Code goes on at the first node where lanes can wait.
    fn go_on(&mut self, waiting: NodeSet) {
        if let Some((next, rest)) = self.sets.split_first(waiting) {
            self.arrive(next, Direct::Mixed, rest);
        }
    }

    /// Code goes on at `next`, with lanes waiting at `waiting` besides.
    fn arrive(&mut self, next: u32, direct: Direct, waiting: NodeSet) {
        let slot = &mut self.direct[next as usize];
        *slot = match (*slot, direct) {
            (Direct::Never, direct) => direct,
            (old, new) if old == new => old,
            _ => Direct::Mixed,
        };
        let slot = &mut self.waiting[next as usize];
        *slot = self.sets.merge(*slot, waiting);
    }
}

/// Whether lanes take different targets.
pub(crate) fn is_divergent(terminator: &Terminator, is_uniform: impl Fn(Value) -> bool) -> bool {
    terminator.operand().is_some_and(|operand| !is_uniform(operand))
}
