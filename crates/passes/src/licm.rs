//! Loop-invariant code motion: what computes the same in every iteration moves in front of the loop.
//!
//! Moved are pure operations, and speculatable loads of memory that the loop does not write (nor order, by a
//! barrier), when all operands are defined outside. Operations that are dear move only from blocks that every
//! iteration runs, but for divisions by what all lanes share, which are products with its reciprocal. The
//! place is the end of the block that jumps to the header of the outermost loop that can be left; loops
//! entered in another way stay as they are. How far out that is follows from a few numbers of each loop
//! ([`Levels`]), so time is near linear, however deep loops are inside one another.
//!
//! Out of a loop with suspend points only loads and dear operations move: what lives across a suspend point
//! is kept in memory, so that a cheap operation costs less where it is. That does not hold for the loops
//! around whole subgroups ([`crate::barrier_loop`]), where nothing is kept that is computed before a subgroup
//! starts.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Dominators, LoopForest, LoopId};
use pyro_ir::{Block, BlockCall, Effect, Function, InstData, MemoryOp, Opcode, Space, Terminator, Value};
use pyro_util::ancestors::Ancestors;

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    run_around(function, None)
}

/// Runs the pass on a function where each subgroup starts, and goes on behind suspend points, in the block
/// `resume`.
pub fn run_around(function: &mut Function, resume: Option<Block>) -> bool {
    run_where(function, resume, false)
}

/// Moves what is the same in all lanes out of loops without inner loops: parts of questions that come up
/// late. Registers of vectors are left alone. Loops that a branch enters get a block of their own for it.
pub fn run_uniform(function: &mut Function) -> bool {
    let split = split_entries(function);
    run_where(function, None, true) || split
}

/// Puts a block in front of each loop without inner loops that a branch alone enters. Returns whether there
/// are such.
pub(crate) fn split_entries(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let entries: Vec<(Block, Block)> = forest
        .leaves()
        .filter_map(|(id, data)| {
            let mut outside =
                cfg.preds(data.header).iter().filter(|edge| !forest.contains(id, cfg.position(edge.from)));
            let from = outside.next()?.from;
            let is_branch = matches!(function.blocks[from].terminator, Terminator::Branch { .. });
            (outside.next().is_none() && is_branch).then_some((from, data.header))
        })
        .collect();
    for &(from, header) in &entries {
        let front = function.make_block();
        let mut call = BlockCall::new(front, &[]);
        for target in function.blocks[from].terminator.targets_mut() {
            if target.block == header {
                std::mem::swap(target, &mut call);
            }
        }
        function.blocks[front].terminator = Terminator::Jump(call);
        let place = function.block_order.iter().position(|&block| block == header);
        function.block_order.insert(place.unwrap_or(0), front);
    }
    !entries.is_empty()
}

fn run_where(function: &mut Function, resume: Option<Block>, only_uniform: bool) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let dominators = Dominators::new(function, &cfg);
    let mut def_block = def_blocks(function);
    let levels = Levels::new(function, &cfg, &forest, &dominators, resume, only_uniform);
    let mut changed = false;
    let mut nest = Nest::default();
    for position in 0..function.block_order.len() as u32 {
        let Some(id) = forest.innermost(position) else { continue };
        nest.enter(&levels, &forest, id);
        if nest.open.is_empty() {
            continue;
        }
        let always = levels.runs_always(&dominators, position, id);
        let block = function.block_order[position as usize];
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            let data = &function.insts[inst];
            let is_uniform = || data.result.expand().is_some_and(|result| function.ty(result).is_uniform());
            if only_uniform && !is_uniform() {
                return true;
            }
            let home = |value: Value| {
                let home = def_block[value];
                (home != Block::RESERVED).then(|| forest.innermost(cfg.position(home)))
            };
            let Some(front) = levels.goes_to(function, &forest, data, &nest, always, home) else {
                return true;
            };
            if let Some(result) = data.result.expand() {
                def_block[result] = front;
            }
            function.blocks[front].insts.push(inst);
            changed = true;
            false
        });
        function.blocks[block].insts = insts;
    }
    changed
}

/// The loops around a block.
#[derive(Default)]
struct Nest {
    /// The outermost one first.
    loops: Vec<LoopId>,
    /// The depths of those that something may leave, the least first.
    open: Vec<u32>,
    /// The same of cheap operations.
    free: Vec<u32>,
}

impl Nest {
    /// Goes on with a block whose innermost loop this is.
    fn enter(&mut self, levels: &Levels, forest: &LoopForest, id: LoopId) {
        let depth = forest.get(id).depth;
        let is_new = self.loops.get(depth as usize - 1) != Some(&id);
        let kept = depth - u32::from(is_new);
        self.loops.truncate(kept as usize);
        for depths in [&mut self.open, &mut self.free] {
            depths.truncate(depths.partition_point(|&depth| depth <= kept));
        }
        if is_new {
            self.loops.push(id);
            if levels.fronts[id.0 as usize].is_some() {
                self.open.push(depth);
                if levels.is_free[id.0 as usize] {
                    self.free.push(depth);
                }
            }
        }
    }
}

/// What keeps instructions in a nest of loops, so that each moves once, however deep the nest.
///
/// Memory that a loop orders, those around it order as well. So for each space there is one depth: that of
/// the innermost loop, among a loop and those around it, which orders it; 0 where none does.
struct Levels {
    /// The loops by number, below a node 0 that is none.
    tree: Ancestors,
    /// The block in front of each loop; none where nothing moves there.
    fronts: Vec<Option<Block>>,
    /// Cheap operations move, too.
    is_free: Vec<bool>,
    /// The space is written or ordered in the loop.
    ordered: Vec<[u32; Space::ALL.len()]>,
    /// What is in front of a loop inside may be left out in an iteration: as depths, too.
    unsure: Vec<u32>,
    /// The blocks that jump back.
    latches: Vec<Span>,
}

impl Levels {
    fn new(
        function: &Function,
        cfg: &Cfg,
        forest: &LoopForest,
        dominators: &Dominators,
        resume: Option<Block>,
        only_leaves: bool,
    ) -> Levels {
        let count = forest.len();
        let (mut effects, mut blocks) = (vec![0u32; count], vec![Span::EMPTY; count]);
        for (position, &of_block) in block_effects(function).iter().enumerate() {
            if let Some(id) = forest.innermost(position as u32) {
                effects[id.0 as usize] |= of_block;
                blocks[id.0 as usize].add(dominators.span(position as u32));
            }
        }
        let mut is_leaf = vec![true; count];
        for (id, data) in forest.iter().rev() {
            if let Some(parent) = data.parent {
                let (inner, outer) = (id.0 as usize, parent.0 as usize);
                effects[outer] |= effects[inner];
                let inside = blocks[inner];
                blocks[outer].add(Some((inside.enter, inside.leave)).filter(|_| inside.is_known));
                is_leaf[outer] = false;
            }
        }
        let mut levels = Levels {
            tree: Ancestors::new(count + 1, 0),
            fronts: Vec::with_capacity(count),
            is_free: Vec::with_capacity(count),
            ordered: Vec::with_capacity(count),
            unsure: Vec::with_capacity(count),
            latches: Vec::with_capacity(count),
        };
        for (id, data) in forest.iter() {
            let index = id.0 as usize;
            levels.tree.add(id.0 + 1, data.parent.map_or(0, |parent| parent.0 + 1));
            let mut latches = Span::EMPTY;
            let (mut outside, mut outside_count) = (None, 0);
            for edge in cfg.preds(data.header) {
                let from = cfg.position(edge.from);
                if forest.contains(id, from) {
                    latches.add(dominators.span(from));
                } else {
                    (outside, outside_count) = (Some(edge.from), outside_count + 1);
                }
            }
            // Behind a suspend point a function goes on in the middle of its loops.
            let front = outside.filter(|&front| {
                outside_count == 1
                    && matches!(function.blocks[front].terminator, Terminator::Jump(_))
                    && latches != Span::EMPTY
                    && blocks[index].is_below(dominators.span(cfg.position(front)))
                    && (is_leaf[index] || !only_leaves)
            });
            let around = resume.is_some_and(|block| forest.contains(id, cfg.position(block)));
            levels.is_free.push(around || effects[index] & SUSPENDS == 0);
            let mut ordered =
                data.parent.map_or([0; Space::ALL.len()], |parent| levels.ordered[parent.0 as usize]);
            for space in Space::ALL {
                if effects[index] >> space as u32 & 1 == 1 {
                    ordered[space as usize] = data.depth;
                }
            }
            levels.ordered.push(ordered);
            let is_sure = data
                .parent
                .zip(front)
                .is_none_or(|(parent, front)| levels.runs_always(dominators, cfg.position(front), parent));
            let outer = data.parent.map_or(0, |parent| levels.unsure[parent.0 as usize]);
            levels.unsure.push(if is_sure { outer } else { data.depth - 1 });
            levels.fronts.push(front);
            levels.latches.push(latches);
        }
        levels
    }

    /// Whether each iteration of a loop comes to a block.
    fn runs_always(&self, dominators: &Dominators, position: u32, id: LoopId) -> bool {
        self.latches[id.0 as usize].is_below(dominators.span(position))
    }

    /// Where an instruction of the innermost loop of a nest goes: in front of the outermost loop that it may
    /// leave; none where it stays. `always`: each iteration comes to it. `home` tells in which loop a value
    /// is defined, and none of what is not.
    fn goes_to(
        &self,
        function: &Function,
        forest: &LoopForest,
        data: &InstData,
        nest: &Nest,
        always: bool,
        home: impl Fn(Value) -> Option<Option<LoopId>>,
    ) -> Option<Block> {
        use Opcode as O;
        let &id = nest.loops.last()?;
        let (index, depth) = (id.0 as usize, forest.get(id).depth);
        let (mut held, depths) = match data.op {
            // Constants are free where they are.
            O::Const | O::Arg => (0, &nest.open),
            O::Load => {
                let memory = MemoryOp::from_imm(data.imm);
                if !memory.speculatable || memory.volatile {
                    return None;
                }
                (self.ordered[index][memory.space as usize], &nest.open)
            }
            _ if divides_by_shared(function, data) => (0, &nest.open),
            op if is_dear(op) => (if always { self.unsure[index] } else { depth }, &nest.open),
            op if op.effect() == Effect::Pure => (0, &nest.free),
            _ => return None,
        };
        for &arg in &data.args {
            if held == depth {
                return None;
            }
            let common = match home(arg)? {
                None => 0,
                Some(of) if of == id => depth,
                Some(of) => match self.tree.nearest_common(of.0 + 1, id.0 + 1) {
                    0 => 0,
                    node => forest.get(LoopId(node - 1)).depth,
                },
            };
            held = held.max(common);
        }
        let outermost = depths.get(depths.partition_point(|&depth| depth <= held))?;
        self.fronts[nest.loops[*outermost as usize - 1].0 as usize]
    }
}

/// Blocks by the times at which a walk of the dominator tree enters and leaves them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Span {
    enter: u32,
    leave: u32,
    /// All of them can be reached.
    is_known: bool,
}

impl Span {
    const EMPTY: Span = Span { enter: u32::MAX, leave: 0, is_known: true };

    fn add(&mut self, block: Option<(u32, u32)>) {
        match block {
            Some((enter, leave)) => {
                (self.enter, self.leave) = (self.enter.min(enter), self.leave.max(leave));
            }
            None => self.is_known = false,
        }
    }

    /// Whether a block dominates all of them.
    fn is_below(&self, block: Option<(u32, u32)>) -> bool {
        self.is_known && block.is_some_and(|(enter, leave)| enter <= self.enter && self.leave <= leave)
    }
}

/// Of [`block_effects`]: the block has a suspend point.
const SUSPENDS: u32 = 1 << 31;

/// Of each block in order, the spaces that it writes or orders, as bits. Nothing that moves changes them.
fn block_effects(function: &Function) -> Vec<u32> {
    let of = |&block: &Block| {
        function.blocks[block].insts.iter().fold(0, |mut effects, &inst| {
            let data = &function.insts[inst];
            if matches!(data.op.effect(), Effect::Write | Effect::Barrier) {
                for space in Space::ALL {
                    effects |= u32::from(data.orders(space)) << space as u32;
                }
            }
            effects | if data.op == Opcode::Suspend { SUSPENDS } else { 0 }
        })
    };
    function.block_order.iter().map(of).collect()
}

/// Whether it divides integers of lanes by what all of them share.
fn divides_by_shared(function: &Function, data: &InstData) -> bool {
    use Opcode as O;
    matches!(data.op, O::UDiv | O::SDiv | O::URem | O::SRem)
        && function.def_inst(data.args[1]).is_some_and(|divisor| divisor.op == O::Splat)
}

fn is_dear(op: Opcode) -> bool {
    use Opcode as O;
    matches!(op, O::UDiv | O::SDiv | O::URem | O::SRem | O::FDiv | O::FSqrt)
}
