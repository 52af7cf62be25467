//! List scheduling: the order of the operations within a block, by latency, for out-of-order windows that are
//! small.
//!
//! Front ends write one expression after the other, and the chains of operations of one expression are as
//! long as their latencies; a processor runs several of them at once only as far as its schedulers hold
//! operations that wait. So each block is listed anew: of the operations whose operands are there, the one
//! comes next from which the longest chain starts (list scheduling on the latencies of a Zen 4, two vector
//! operations a cycle).
//!
//! * Only pure operations on all lanes move. All others, and uniform ones, keep their order among themselves,
//!   so memory accesses do too.
//! * Registers are limited: when as many values live as there should be, an operation comes next that ends
//!   some, or else the one that came first before.
//! * Nothing comes before more than [`WINDOW`] others that came before it.
//!
//! With more than 16 lanes each operation is several instructions that do not depend on each other, which
//! serves as well; such functions stay as they are.

use crate::target::Target;
use pyro_ir::{Block, Effect, Form, Function, Inst, InstData, Opcode, Scalar, Signature, Type, Value};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The most lanes of functions that are listed anew.
const LANES_MAX: u32 = 16;
/// The fewest operations of a block that is.
const OPERATIONS_MIN: usize = 24;
/// How far an operation may move to the front.
const WINDOW: usize = 256;
/// Vector registers for values, of the block and of others that it reads.
const VECTORS: i32 = 28;
/// The fewest and the most of them for values of the block: what comes from outside may be spilled, since
/// reloading it delays nobody.
const VECTORS_OWN: (i32, i32) = (20, 24);
/// Mask registers for values of the block.
const MASKS: i32 = 4;

/// Reorders the blocks of a function in mask form, where code for `target` gains by that. Returns whether it
/// did.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    if !target.wide_vectors || function.lanes > LANES_MAX {
        return false;
    }
    let is_large = |&&block: &&Block| function.blocks[block].insts.len() >= OPERATIONS_MIN;
    let large: Vec<Block> = function.block_order.iter().filter(is_large).copied().collect();
    if large.is_empty() {
        return false;
    }
    let mut mentions = SecondaryMap::<Value, u32>::with_capacity(0, function.values.len());
    for &block in &function.block_order {
        let data = &function.blocks[block];
        for &inst in &data.insts {
            function.insts[inst].args.iter().for_each(|&arg| mentions[arg] += 1);
        }
        data.terminator.for_each_value(|value| mentions[value] += 1);
    }
    let mut home = SecondaryMap::<Value, u32>::with_capacity(NOWHERE, function.values.len());
    for block in large {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let listed = List::new(function, &insts, &mentions, &mut home).run();
        debug_assert_eq!(listed.len(), insts.len());
        function.blocks[block].insts = listed.into_iter().map(|index| insts[index as usize]).collect();
        for &inst in &insts {
            if let Some(result) = function.insts[inst].result.expand() {
                home[result] = NOWHERE;
            }
        }
    }
    true
}

const NOWHERE: u32 = u32::MAX;

/// One operation.
#[derive(Clone, Debug, Default)]
struct Node {
    /// The operations that need it to have come.
    users: SmallVec<[u32; 4]>,
    /// The operations of the block whose results it reads, each once.
    sources: SmallVec<[u32; 3]>,
    /// How many operations have to come before it.
    waits_for: u32,
    /// Half cycles from its start to the end of the block at best.
    height: u32,
    latency: u32,
    /// When its operands are there, in half cycles.
    ready_at: u32,
    /// What its result takes of the registers of its class.
    registers: i32,
    is_mask: bool,
    /// It takes part of the time of the vector units.
    is_vector: bool,
    /// Operations of the block that will read the result, one more if others do.
    readers: u32,
    is_free: bool,
    done: bool,
}

struct List {
    nodes: Vec<Node>,
    /// Operations whose operands have come, and that may come now: less than [`WINDOW`] behind the first that
    /// has not.
    near: Vec<u32>,
    /// Those further back, the first on top.
    far: BinaryHeap<Reverse<u32>>,
    /// Constants, which are no instructions.
    free: VecDeque<u32>,
    live: [i32; 2],
    /// How many vectors should live at most.
    vectors: i32,
}

impl List {
    /// The dependences of a block's operations. `home` is free of the block's values; they are entered.
    fn new(
        function: &Function,
        insts: &[Inst],
        mentions: &SecondaryMap<Value, u32>,
        home: &mut SecondaryMap<Value, u32>,
    ) -> List {
        let mut nodes: Vec<Node> = Vec::with_capacity(insts.len());
        let mut inside: Vec<u32> = vec![0; insts.len()];
        let (mut last_fixed, mut outside) = (None, Vec::new());
        for (index, &inst) in insts.iter().enumerate() {
            let data = &function.insts[inst];
            let ty = data.result.expand().map(|result| function.ty(result));
            let mut node = Node { latency: 2 * latency(data), ..Node::default() };
            for &arg in &data.args {
                let source = home[arg];
                if source == NOWHERE {
                    let ty = function.ty(arg);
                    if ty.is_varying() && ty.scalar != Scalar::I1 && function.const_bits(arg).is_none() {
                        outside.push(arg);
                    }
                    continue;
                }
                inside[source as usize] += 1;
                if !node.sources.contains(&source) {
                    node.sources.push(source);
                }
            }
            for &source in &node.sources {
                nodes[source as usize].users.push(index as u32);
                nodes[source as usize].readers += 1;
            }
            node.waits_for = node.sources.len() as u32;
            let is_constant = data.result.expand().is_some_and(|value| function.const_bits(value).is_some());
            node.is_free = is_constant;
            if !is_constant && !moves(data, ty) {
                if let Some(last) = last_fixed.filter(|last| !node.sources.contains(last)) {
                    nodes[last as usize].users.push(index as u32);
                    node.waits_for += 1;
                }
                last_fixed = Some(index as u32);
            }
            if let Some(ty) = ty.filter(|ty| ty.is_varying() && !is_constant) {
                node.is_mask = ty.scalar == Scalar::I1;
                let bytes = function.lanes * ty.scalar.bytes();
                node.registers = if node.is_mask { 1 } else { bytes.div_ceil(64) as i32 };
                node.is_vector = true;
            }
            if let Some(result) = data.result.expand() {
                home[result] = index as u32;
            }
            nodes.push(node);
        }
        for (index, &inst) in insts.iter().enumerate() {
            if let Some(result) = function.insts[inst].result.expand()
                && mentions[result] > inside[index]
            {
                nodes[index].readers += 1;
            }
        }
        for index in (0..nodes.len()).rev() {
            let users = nodes[index].users.iter();
            let above = users.map(|&user| nodes[user as usize].height).max().unwrap_or(0);
            nodes[index].height = above + nodes[index].latency;
        }
        outside.sort_unstable();
        outside.dedup();
        let (least, most) = VECTORS_OWN;
        let vectors = (VECTORS - outside.len() as i32).clamp(least, most);
        let (near, far, free) = (Vec::new(), BinaryHeap::new(), VecDeque::new());
        let mut list = List { nodes, near, far, free, live: [0; 2], vectors };
        for index in 0..list.nodes.len() as u32 {
            if list.nodes[index as usize].waits_for == 0 {
                list.make_ready(index, 0);
            }
        }
        list
    }

    /// The operands of an operation have come. `first`: the first operation that has not come itself.
    fn make_ready(&mut self, index: u32, first: usize) {
        if self.nodes[index as usize].is_free {
            self.free.push_back(index);
        } else if (index as usize) < first + WINDOW {
            self.near.push(index);
        } else {
            self.far.push(Reverse(index));
        }
    }

    /// The new order, as indices.
    fn run(mut self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let (mut now, mut first) = (0, 0);
        while let Some(index) = self.take_next(now) {
            order.push(index);
            let node = &mut self.nodes[index as usize];
            node.done = true;
            let start = now.max(node.ready_at);
            now = start + u32::from(node.is_vector);
            let end = start + node.latency;
            let (class, registers, is_read) = (usize::from(node.is_mask), node.registers, node.readers > 0);
            let (users, sources) = (std::mem::take(&mut node.users), std::mem::take(&mut node.sources));
            self.live[class] += if is_read { registers } else { 0 };
            for &source in &sources {
                let source = &mut self.nodes[source as usize];
                source.readers -= 1;
                if source.readers == 0 {
                    self.live[usize::from(source.is_mask)] -= source.registers;
                }
            }
            self.nodes[index as usize].sources = sources;
            for user in users {
                let node = &mut self.nodes[user as usize];
                node.ready_at = node.ready_at.max(end);
                node.waits_for -= 1;
                if node.waits_for == 0 {
                    self.make_ready(user, first);
                }
            }
            while self.nodes.get(first).is_some_and(|node| node.done) {
                first += 1;
            }
            while let Some(&Reverse(index)) = self.far.peek()
                && (index as usize) < first + WINDOW
            {
                self.far.pop();
                self.near.push(index);
            }
        }
        order
    }

    /// Takes the ready operation that comes next.
    fn take_next(&mut self, now: u32) -> Option<u32> {
        if let Some(index) = self.free.pop_front() {
            return Some(index);
        }
        let place = self.next(now)?;
        Some(self.near.swap_remove(place))
    }

    /// The place among the near operations of the one that comes next.
    fn next(&self, now: u32) -> Option<usize> {
        let near = || self.near.iter().enumerate().map(|(place, &index)| (place, index as usize));
        let is_full = self.live[0] >= self.vectors || self.live[1] >= MASKS;
        if is_full {
            let growth = near().map(|(place, index)| (self.growth(index), index, place));
            let best = growth.filter(|&(growth, ..)| growth < 0).min();
            let oldest = || near().min_by_key(|&(_, index)| index).map(|(place, _)| place);
            return best.map(|(.., place)| place).or_else(oldest);
        }
        // What can start earliest; of these what is needed first.
        let best = near().min_by_key(|&(_, index)| {
            let node = &self.nodes[index];
            (node.ready_at.max(now), u32::MAX - node.height, index)
        });
        best.map(|(place, _)| place)
    }

    /// By how many registers of the class that is short more would live behind an operation.
    fn growth(&self, index: usize) -> i32 {
        let node = &self.nodes[index];
        let short = self.live[1] >= MASKS;
        let own = if node.is_mask == short && node.readers > 0 { node.registers } else { 0 };
        let ended = node.sources.iter().map(|&source| &self.nodes[source as usize]);
        own - ended
            .filter(|source| source.readers == 1 && source.is_mask == short)
            .map(|source| source.registers)
            .sum::<i32>()
    }
}

/// Whether an operation may change places with all others that do not depend on it.
fn moves(data: &InstData, ty: Option<Type>) -> bool {
    data.op.effect() == Effect::Pure && ty.is_some_and(Type::is_varying)
}

/// Cycles until the result is there.
pub(crate) fn latency(data: &InstData) -> u32 {
    use Opcode as O;
    match data.op.signature() {
        Signature::Const | Signature::Arg | Signature::LaneId => return 0,
        Signature::Load => return 8,
        Signature::FromSrgb => return 25,
        Signature::ToSrgb => return 36,
        Signature::FloatToInt => return 6,
        Signature::IntToFloat | Signature::FloatToFloat => return 4,
        Signature::IntCompare | Signature::FloatCompare => return 4,
        Signature::FloatTernary => return 4,
        _ => {}
    }
    match data.op {
        O::FDiv => 13,
        O::FSqrt => 21,
        O::IMul => 3,
        O::FAdd | O::FSub | O::FMul | O::FMin | O::FMax => 3,
        O::FFloor | O::FCeil | O::FTrunc | O::FRound => 3,
        O::Shuffle | O::DotFourBytes => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pyro_ir::{Builder, MemoryOp, Space, Terminator};

    /// Chains of sums, one written behind the other, whose ends are stored.
    fn chains(count: u32, length: u32) -> Function {
        let mut function = Function::new("chains", Form::Mask, 16);
        let block = function.make_block();
        let mut builder = Builder::new(&mut function);
        builder.start(block);
        let (base, lane) = (builder.arg(0), builder.emit(O::LaneId, &[], 0, Scalar::I32).expect("a result"));
        let start = builder.convert(O::UToF, lane, Scalar::F32);
        let always = builder.bool(true);
        let all = builder.splat(always);
        use Opcode as O;
        for chain in 0..count {
            let term = builder.f32(chain as f32 + 1.5);
            let term = builder.splat(term);
            let mut sum = start;
            for _ in 0..length {
                sum = builder.op(O::FAdd, &[sum, term]);
            }
            let memory = MemoryOp::new(Space::Global).at(64 * chain as i32);
            builder.store(memory, base, lane, sum, all);
        }
        builder.terminate(Terminator::Return(0));
        function
    }

    fn target() -> Target {
        Target { wide_vectors: true, ..Target::default() }
    }

    #[test]
    fn chains_run_beside_each_other() {
        let mut function = chains(6, 8);
        run(&mut function, target());
        pyro_ir::verify::verify(&function).expect("well formed");
        let block = function.entry();
        let adds: Vec<Inst> = function.blocks[block].insts.clone();
        let adds: Vec<Inst> =
            adds.into_iter().filter(|&inst| function.insts[inst].op == Opcode::FAdd).collect();
        assert_eq!(adds.len(), 48);
        let follows =
            |pair: &&[Inst]| function.insts[pair[1]].args[0] == function.insts[pair[0]].expect_result();
        assert_eq!(adds.windows(2).filter(follows).count(), 0, "no sum waits for the one before it");
    }

    #[test]
    fn values_stay_within_the_registers() {
        let mut function = chains(80, 3);
        run(&mut function, target());
        let block = function.entry();
        let (mut open, mut most) = (0, 0);
        for &inst in &function.blocks[block].insts {
            match function.insts[inst].op {
                Opcode::FAdd => {
                    let first = function.insts[inst].args[0];
                    open += i32::from(function.def_inst(first).is_some_and(|data| data.op == Opcode::UToF));
                }
                Opcode::Store => open -= 1,
                _ => {}
            }
            most = most.max(open);
        }
        assert!((4..=VECTORS_OWN.1 + 1).contains(&most), "{most}");
        let stores = function.blocks[block].insts.iter().map(|&inst| &function.insts[inst]);
        let stores = stores.filter(|data| data.op == Opcode::Store);
        let places: Vec<i32> = stores.map(|data| MemoryOp::from_imm(data.imm).displacement).collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}
