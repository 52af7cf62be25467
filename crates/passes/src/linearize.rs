//! Lane form to mask form: what one invocation does becomes what the subgroup does.
//!
//! # Approach
//! The nodes of the [`LinearOrder`] are emitted in order (see there and [`crate::uniformity`] for
//! what is known about them). While emitting, the lanes of the subgroup are spread over the *current* node
//! and the nodes where lanes *wait*; which nodes those can be is known at compile time. Every node has two
//! kinds of *pending variables*: the mask of the lanes that wait there, and the values that they bring for
//! its parameters. An edge taken by lanes `m` does `mask |= m` and `value = select(m, new, value)`, or just
//! writes where nobody can wait yet. The variables become SSA values by [`SsaBuilder`], so real branches of
//! the emitted code get block parameters by themselves.
//!
//! * A branch on a uniform condition is a real branch; both sides keep the mask.
//! * A branch on a varying condition sends its lanes to wait at each target, and code goes on at the first
//!   node in order where lanes can wait. A node whose lanes may all be elsewhere starts with a *guard*, a
//!   real branch on `any(mask)` that goes on at the next node where lanes can wait, when the range that it
//!   skips is worth it. Loops and suspend points are never entered without lanes, so loops end.
//! * At a loop's latch, code goes back to the header while any lane waits there; lanes that left wait
//!   outside. When all lanes leave together, the exit is a real branch and no mask is kept.
//! * Nodes that always run with the mask of another node use that very value: behind an `if` the mask is the
//!   one before it.
//!
//! # Invariants
//! * A lane value is emitted uniform exactly when the analysis says so.
//! * An emitted value is used directly at nodes within its definition's extent, which the definition
//!   dominates in the emitted code; elsewhere it is a variable itself.
//! * When `nonempty` says so of a mask, some lane is in it wherever code using it runs.
//!
//! Constants and entry arguments are defined once, in the entry block.

mod pending;

use crate::linear_order::{COST_ALWAYS_GUARD, LinearOrder, NONE, Node};
use crate::node_set::{NodeSet, NodeSets};
use crate::ssa_builder::{MASK, SsaBuilder, Variable};
use crate::uniformity::{self, Uniformity, is_divergent};
use crate::{dce, lcssa, prune};
use pending::Sent;
use pyro_abi::context::offset;
use pyro_ir::{
    Block, BlockCall, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Shape, Signature, SourceLoc,
    Space, Terminator, Type, Value,
};
use pyro_util::{PackedOption, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Cost of a range from which on a guard skips it when no lane comes.
const GUARD_COST: u64 = 16;

/// Runs the pass on a function in lane form without slots. `full_subgroups`: every lane of every subgroup
/// holds an invocation.
pub fn run(function: &mut Function, full_subgroups: bool) {
    debug_assert_eq!(function.form, Form::Lane);
    prune::run(function);
    if lcssa::run(function) {
        dce::run(function);
    }
    let order = LinearOrder::new(function);
    let (uniformity, sets) = uniformity::analyze(function, &order);
    let out = Linearizer::new(function, &order, &uniformity, sets, full_subgroups).emit();
    *function = out;
}

/// The lanes at a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mask {
    /// All lanes of the subgroup.
    All,
    /// Those of this value.
    Some(Value),
}

/// Where one lane-form target's pending variables are.
#[derive(Clone, Copy)]
enum Receiver {
    Block(Block),
    /// The header whose latch it is.
    Latch(Block),
    End,
}

struct Linearizer<'a> {
    source: &'a Function,
    order: &'a LinearOrder,
    found: &'a Uniformity,
    full_subgroups: bool,
    out: Function,
    ssa: SsaBuilder,
    /// The emitted block that each node starts with, once an edge goes there.
    entry_block: Vec<PackedOption<Block>>,
    sets: NodeSets,
    waiting: Vec<NodeSet>,
    /// For each loop, the emitted block that its latch goes back to.
    loop_block: Vec<PackedOption<Block>>,
    mask_variable: Vec<Option<Variable>>,
    mask_value: Vec<Option<Mask>>,
    /// For each node, what the pending variables were when lanes were first sent there from far away, until a
    /// next node reads them: see [`Linearizer::restate`].
    sent: Vec<Option<Box<Sent>>>,
    /// For each node's own mask: the last node from which on some lane is known to be in it.
    nonempty: Vec<u32>,
    param_variable: SecondaryMap<Value, Option<Variable>>,
    latch_variable: SecondaryMap<Value, Option<Variable>>,
    /// Lane values that are used where their definition need not have run.
    escapes: SecondaryMap<Value, bool>,
    escape_variable: SecondaryMap<Value, Option<Variable>>,
    /// The node that defines each lane value.
    def_node: SecondaryMap<Value, u32>,
    map: SecondaryMap<Value, PackedOption<Value>>,
    /// The `splat` of a uniform emitted value, to be placed right behind its definition.
    splat: SecondaryMap<Value, PackedOption<Inst>>,
    /// The values that have one, in order.
    splatted: Vec<Value>,
    constants: FxHashMap<u64, Value>,
    entry_args: [Option<Value>; 3],
    /// Instructions for the start of the entry block.
    prologue: Vec<Inst>,
    node: u32,
    block: Block,
    mask: Mask,
    loc: SourceLoc,
}

impl<'a> Linearizer<'a> {
    fn new(
        source: &'a Function,
        order: &'a LinearOrder,
        found: &'a Uniformity,
        sets: NodeSets,
        full_subgroups: bool,
    ) -> Linearizer<'a> {
        let count = order.nodes.len();
        let mut out = Function::new(source.name.clone(), Form::Mask, source.lanes);
        out.scratch_bytes = source.scratch_bytes;
        out.frame_bytes = source.frame_bytes;
        out.constants.clone_from(&source.constants);
        let mut linearizer = Linearizer {
            source,
            order,
            found,
            full_subgroups,
            out,
            ssa: SsaBuilder::new(),
            entry_block: vec![PackedOption::NONE; count],
            sets,
            waiting: vec![NodeSet::EMPTY; count],
            loop_block: vec![PackedOption::NONE; order.loops.len()],
            mask_variable: vec![None; count],
            mask_value: vec![None; count],
            sent: std::iter::repeat_with(|| None).take(count).collect(),
            nonempty: vec![NONE; count],
            param_variable: SecondaryMap::with_capacity(None, source.values.len()),
            latch_variable: SecondaryMap::with_default(None),
            escapes: SecondaryMap::with_default(false),
            escape_variable: SecondaryMap::with_default(None),
            def_node: SecondaryMap::with_capacity(NONE, source.values.len()),
            map: SecondaryMap::with_capacity(PackedOption::NONE, source.values.len()),
            splat: SecondaryMap::new(),
            splatted: Vec::new(),
            constants: Default::default(),
            entry_args: [None; 3],
            prologue: Vec::new(),
            node: 0,
            block: Block::RESERVED,
            mask: Mask::All,
            loc: SourceLoc::default(),
        };
        linearizer.find_escapes();
        linearizer
    }

    /// Finds values used outside the extent of their definition.
    fn find_escapes(&mut self) {
        for (node, &kind) in self.order.nodes.iter().enumerate() {
            let Node::Block(block) = kind else { continue };
            let data = &self.source.blocks[block];
            let results = data.insts.iter().filter_map(|&inst| self.source.insts[inst].result.expand());
            for value in data.params.iter().copied().chain(results) {
                self.def_node[value] = node as u32;
            }
        }
        for (node, &kind) in self.order.nodes.iter().enumerate() {
            let Node::Block(block) = kind else { continue };
            if !self.order.reachable[node] {
                continue;
            }
            let data = &self.source.blocks[block];
            let (def_node, escapes, extent) = (&self.def_node, &mut self.escapes, &self.order.extent);
            let mut note = |value: Value| {
                let def = def_node[value];
                if def == NONE || extent[def as usize] < node as u32 {
                    escapes[value] = true;
                }
            };
            for &inst in &data.insts {
                self.source.insts[inst].args.iter().copied().for_each(&mut note);
            }
            data.terminator.for_each_value(note);
        }
    }

    fn emit(mut self) -> Function {
        let entry = self.out.make_block();
        self.entry_block[0] = entry.into();
        for node in 0..self.order.nodes.len() as u32 {
            if let Some(block) = self.entry_block[node as usize].expand() {
                self.node = node;
                self.visit(node, block);
            } else if let Node::Latch(id) = self.order.nodes[node as usize]
                && let Some(header) = self.loop_block[id as usize].expand()
            {
                // No lane goes round: not a loop after all.
                self.ssa.seal(&mut self.out, header);
            }
        }
        self.finish(entry)
    }

    fn visit(&mut self, node: u32, first: Block) {
        self.block = first;
        self.out.block_order.push(first);
        self.loc = SourceLoc::default();
        self.restate(node);
        let mut waiting = std::mem::take(&mut self.waiting[node as usize]);
        let headed = self.order.loop_headed_by(node);
        if let Some(id) = headed {
            waiting = self.sets.merge(waiting, self.found.latch_waiting[id as usize]);
        }
        match self.order.nodes[node as usize] {
            Node::End => {
                self.ssa.seal(&mut self.out, first);
                self.out.blocks[first].terminator = Terminator::Return(0);
            }
            Node::Latch(id) => {
                self.ssa.seal(&mut self.out, first);
                self.visit_latch(node, id, waiting);
            }
            Node::Block(block) => self.visit_block(node, block, headed, waiting),
        }
    }

    fn visit_block(&mut self, node: u32, block: Block, headed: Option<u32>, waiting: NodeSet) {
        let first = self.block;
        let guard = self.needs_guard(node, waiting);
        if headed.is_none() || guard.is_some() {
            self.ssa.seal(&mut self.out, first);
        }
        self.mask = self.mask_at(node);
        if let Some((next, rest)) = guard {
            let Mask::Some(mask) = self.mask else { unreachable!("all lanes are never none") };
            let any = self.uniform_op(Opcode::Any, &[mask]);
            let body = self.out.make_block();
            let otherwise = self.go_on(next, rest);
            self.branch(any, body, otherwise);
            self.block = body;
            self.out.block_order.push(body);
            if headed.is_none() {
                self.ssa.seal(&mut self.out, body);
            }
            let own = self.found.mask_of[node as usize];
            self.nonempty[own as usize] = node;
            if headed.is_some() && own == node {
                // The mask changes from one iteration to the next.
                self.mask = self.mask_at(node);
            }
        }
        if guard.is_none() && (headed.is_some() || waiting.is_empty()) && !self.is_nonempty(node) {
            // All lanes there are have come here; and loops are never entered without any.
            self.nonempty[self.found.mask_of[node as usize] as usize] = node;
        }
        if let Some(id) = headed {
            self.loop_block[id as usize] = self.block.into();
        }
        self.reset_mask(node);
        let source = self.source;
        let data = &source.blocks[block];
        for &param in &data.params {
            self.receive(node, param, headed.is_some());
        }
        self.clear_homes(node);
        for &inst in &data.insts {
            self.visit_inst(inst);
        }
        self.visit_terminator(node, &data.terminator, waiting);
    }

    /// Whether lanes may be missing at a node such that it starts with a guard, where that goes, and where
    /// lanes wait besides.
    fn needs_guard(&mut self, node: u32, waiting: NodeSet) -> Option<(u32, NodeSet)> {
        let (next, rest) = self.sets.split_first(waiting)?;
        if self.is_nonempty(node) || self.is_mask_nonempty(self.found.entry_mask_of[node as usize], node) {
            return None;
        }
        let costs = &self.order.cost_before;
        let cost = costs[next as usize] - costs[node as usize];
        let own = costs[node as usize + 1] - costs[node as usize];
        (cost >= GUARD_COST || own >= COST_ALWAYS_GUARD).then_some((next, rest))
    }

    fn is_nonempty(&self, node: u32) -> bool {
        self.is_mask_nonempty(self.found.mask_of[node as usize], node)
    }

    /// Whether the mask of node `of` has some lane wherever code of `node` runs.
    fn is_mask_nonempty(&self, of: u32, node: u32) -> bool {
        if of == NONE {
            return false;
        }
        let since = self.nonempty[of as usize];
        since != NONE && since <= node && self.order.extent[since as usize] >= node
    }

    /// The mask at the current block, which belongs to `node`.
    fn mask_at(&mut self, node: u32) -> Mask {
        let own = self.found.mask_of[node as usize];
        if own != node {
            return self.mask_value[own as usize].expect("masks come from nodes before");
        }
        let mask = if node == 0 {
            self.nonempty[0] = 0;
            if self.full_subgroups { Mask::All } else { Mask::Some(self.entry_mask()) }
        } else {
            let variable = self.mask_variable(node);
            Mask::Some(self.ssa.read(&mut self.out, variable, self.block))
        };
        self.mask_value[node as usize] = Some(mask);
        mask
    }

    /// Nobody waits at a node once it runs.
    fn reset_mask(&mut self, node: u32) {
        if let Some(variable) = self.mask_variable[node as usize] {
            let none = self.ssa.zero(&mut self.out, MASK);
            self.ssa.write(variable, self.block, none);
        }
    }

    /// Nobody waits where this node is home to (a reader of the variables need not look further up).
    fn clear_homes(&mut self, node: u32) {
        let order = self.order;
        for &other in &order.homes[node as usize] {
            if !self.found.joins[other as usize] {
                continue;
            }
            if self.found.mask_of[other as usize] == other
                && !matches!(order.nodes[other as usize], Node::End)
            {
                let variable = self.mask_variable(other);
                let none = self.ssa.zero(&mut self.out, MASK);
                self.ssa.write(variable, self.block, none);
            }
            let (to, latch) = match self.receiver(other) {
                Receiver::Block(block) => (block, false),
                Receiver::Latch(header) => (header, true),
                Receiver::End => continue,
            };
            let source = self.source;
            for &param in &source.blocks[to].params {
                if self.found.is_mixed(param, latch) {
                    let variable =
                        if latch { self.latch_variable(param) } else { self.param_variable(param) };
                    let ty = self.param_type(param);
                    let zero = self.ssa.zero(&mut self.out, ty);
                    self.ssa.write(variable, self.block, zero);
                }
            }
        }
    }

    /// The lanes that hold an invocation.
    fn entry_mask(&mut self) -> Value {
        let base = self.entry_arg(1);
        let offset_value = self.constant(Scalar::I32, 0);
        let predicate = self.constant(Scalar::I1, 1);
        let memory = MemoryOp::new(Space::Context).at(offset::ACTIVE_LANES as i32).speculatable();
        let bits = self.op(
            Opcode::Load,
            &[base, offset_value, predicate],
            memory.to_imm(),
            Type::uniform(Scalar::I64),
        );
        self.op(Opcode::MaskFromBits, &[bits], 0, MASK)
    }

    /// Defines a block's parameter.
    fn receive(&mut self, node: u32, param: Value, header: bool) {
        if !header
            && let Some(source) = self.found.only_source(param)
            && !self.escapes[source]
            && self.order.extent[self.def_node[source] as usize] >= node
            && self.found.is_uniform(source) == self.found.is_uniform(param)
            && let Some(value) = self.map[source].expand()
        {
            self.define(param, value);
            return;
        }
        let variable = self.param_variable(param);
        let value = self.ssa.read(&mut self.out, variable, self.block);
        self.define(param, value);
    }

    fn define(&mut self, lane_value: Value, value: Value) {
        debug_assert_eq!(
            self.out.ty(value).is_uniform(),
            self.found.is_uniform(lane_value),
            "{lane_value} as {value}"
        );
        self.map[lane_value] = value.into();
        if self.escapes[lane_value] {
            let ty = self.out.ty(value);
            let variable = match self.escape_variable[lane_value] {
                Some(variable) => variable,
                None => {
                    let variable = self.ssa.declare(ty);
                    self.escape_variable[lane_value] = Some(variable);
                    variable
                }
            };
            self.ssa.write(variable, self.block, value);
        }
    }

    /// The emitted value of a lane value, in its own shape.
    fn value(&mut self, lane_value: Value) -> Value {
        let def = self.def_node[lane_value];
        if def != NONE && self.order.extent[def as usize] >= self.node {
            return self.map[lane_value].unwrap();
        }
        match self.escape_variable[lane_value] {
            Some(variable) => self.ssa.read(&mut self.out, variable, self.block),
            None => {
                // Its definition is not emitted, so no lane ever comes here.
                let shape = if self.found.is_uniform(lane_value) { Shape::Uniform } else { Shape::Varying };
                let scalar = self.source.ty(lane_value).scalar;
                self.ssa.zero(&mut self.out, Type { scalar, shape })
            }
        }
    }

    /// The same, one for each lane.
    fn varying(&mut self, lane_value: Value) -> Value {
        let value = self.value(lane_value);
        self.splat(value)
    }

    fn splat(&mut self, value: Value) -> Value {
        let ty = self.out.ty(value);
        if ty.is_varying() {
            return value;
        }
        if let Some(inst) = self.splat[value].expand() {
            return self.out.insts[inst].expect_result();
        }
        let inst = self.out.make_inst(
            Opcode::Splat,
            &[value],
            0,
            Some(Type::varying(ty.scalar)),
            SourceLoc::default(),
        );
        self.splat[value] = inst.into();
        self.splatted.push(value);
        self.out.insts[inst].expect_result()
    }

    fn append(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Option<Type>) -> Option<Value> {
        let inst = self.out.make_inst(op, args, imm, ty, self.loc);
        self.out.blocks[self.block].insts.push(inst);
        self.out.insts[inst].result.expand()
    }

    fn op(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type) -> Value {
        self.append(op, args, imm, Some(ty)).expect("it has a type")
    }

    /// An operation that reduces to a uniform truth value, or combines such.
    fn uniform_op(&mut self, op: Opcode, args: &[Value]) -> Value {
        self.op(op, args, 0, Type::uniform(Scalar::I1))
    }

    fn constant(&mut self, scalar: Scalar, bits: u64) -> Value {
        // Bits and type as one key: each alone has collisions, so they are mixed exactly.
        let key = bits.rotate_left(8) ^ scalar as u64;
        if let Some(value) = self.constants.get(&key).copied()
            && self.out.ty(value).scalar == scalar
            && self.out.const_bits(value) == Some(bits)
        {
            return value;
        }
        let value = self.prologue_inst(Opcode::Const, bits, scalar);
        self.constants.insert(key, value);
        value
    }

    fn entry_arg(&mut self, index: u64) -> Value {
        let slot = index.min(2) as usize;
        if let Some(value) = self.entry_args[slot] {
            return value;
        }
        let value = self.prologue_inst(Opcode::Arg, index, Scalar::I64);
        self.entry_args[slot] = Some(value);
        value
    }

    fn prologue_inst(&mut self, op: Opcode, imm: u64, scalar: Scalar) -> Value {
        let ty = Some(Type::uniform(scalar));
        let inst = self.out.make_inst(op, &[], imm, ty, SourceLoc::default());
        self.prologue.push(inst);
        self.out.insts[inst].expect_result()
    }

    fn visit_inst(&mut self, inst: Inst) {
        let source = self.source;
        let data = &source.insts[inst];
        self.loc = data.loc;
        use Signature as S;
        let Some(result) = data.result.expand() else {
            match data.op.signature() {
                S::Store => self.visit_store(data),
                S::Call => self.visit_call(data),
                S::SlotStore | S::SlotCall => unreachable!("slots are lowered before"),
                S::Report => self.visit_report(data, 0..3),
                S::Track => self.visit_report(data, 0..7),
                _ => {
                    let args: SmallVec<[Value; 4]> = data.args.iter().map(|&arg| self.varying(arg)).collect();
                    self.append(data.op, &args, data.imm, None);
                }
            }
            return;
        };
        let scalar = source.ty(result).scalar;
        let value = match data.op.signature() {
            S::Const => self.constant(scalar, data.imm),
            S::Arg => self.entry_arg(data.imm),
            S::Active => match self.mask {
                Mask::Some(mask) => mask,
                Mask::All => {
                    let all = self.constant(Scalar::I1, 1);
                    self.splat(all)
                }
            },
            S::Splat => self.value(data.args[0]),
            S::LaneId => self.op(data.op, &[], 0, Type::varying(scalar)),
            S::Clock => self.op(data.op, &[], 0, Type::uniform(scalar)),
            S::MaskReduce | S::MaskToBits => {
                let mask = self.varying(data.args[0]);
                self.op(data.op, &[mask], 0, Type::uniform(scalar))
            }
            S::MaskFromBits => {
                let bits = self.value(data.args[0]);
                if self.out.ty(bits).is_uniform() {
                    self.op(data.op, &[bits], 0, MASK)
                } else {
                    self.lane_bit(bits)
                }
            }
            S::LaneRead | S::Shuffle => self.visit_exchange(data, scalar),
            S::Load => self.visit_load(data, scalar, result),
            S::Atomic | S::AtomicCompare => self.visit_atomic(data, scalar),
            S::SlotLoad => unreachable!("slots are lowered before"),
            _ if self.found.is_uniform(result) => {
                let args: SmallVec<[Value; 4]> = data.args.iter().map(|&arg| self.value(arg)).collect();
                self.op(data.op, &args, data.imm, Type::uniform(scalar))
            }
            _ => {
                let args: SmallVec<[Value; 4]> = data.args.iter().map(|&arg| self.varying(arg)).collect();
                self.op(data.op, &args, data.imm, Type::varying(scalar))
            }
        };
        self.define(result, value);
    }

    /// `mask_from_bits` of bits that differ from lane to lane: each lane looks at its own bit.
    fn lane_bit(&mut self, bits: Value) -> Value {
        let lane = self.op(Opcode::LaneId, &[], 0, Type::varying(Scalar::I32));
        let wide = Type::varying(Scalar::I64);
        let lane = self.op(Opcode::ZeroExtend, &[lane], 0, wide);
        let shifted = self.op(Opcode::LShr, &[bits, lane], 0, wide);
        let one = self.constant(Scalar::I64, 1);
        let one = self.splat(one);
        let bit = self.op(Opcode::And, &[shifted, one], 0, wide);
        self.op(Opcode::IEq, &[bit, one], 0, MASK)
    }

    /// `lane_read` and `shuffle`, which are the same but for the shape of the index.
    fn visit_exchange(&mut self, data: &InstData, scalar: Scalar) -> Value {
        let value = self.value(data.args[0]);
        if self.out.ty(value).is_uniform() {
            return value;
        }
        let index = self.value(data.args[1]);
        if self.out.ty(index).is_uniform() {
            self.op(Opcode::LaneRead, &[value, index], 0, Type::uniform(scalar))
        } else {
            self.op(Opcode::Shuffle, &[value, index], 0, Type::varying(scalar))
        }
    }

    /// A varying predicate with the lanes that are here.
    fn masked(&mut self, predicate: Value) -> Value {
        match self.mask {
            Mask::All => self.splat(predicate),
            Mask::Some(mask) if self.out.const_bits(predicate) == Some(1) => mask,
            Mask::Some(mask) => {
                let predicate = self.splat(predicate);
                self.op(Opcode::And, &[predicate, mask], 0, MASK)
            }
        }
    }

    /// A uniform predicate, false when no lane is here.
    fn masked_uniform(&mut self, predicate: Value) -> Value {
        match self.mask {
            Mask::Some(mask) if !self.is_nonempty(self.node) => {
                let any = self.uniform_op(Opcode::Any, &[mask]);
                if self.out.const_bits(predicate) == Some(1) {
                    any
                } else {
                    self.uniform_op(Opcode::And, &[predicate, any])
                }
            }
            _ => predicate,
        }
    }

    fn visit_load(&mut self, data: &InstData, scalar: Scalar, result: Value) -> Value {
        let speculatable = MemoryOp::from_imm(data.imm).speculatable;
        let base = self.value(data.args[0]);
        let offset = self.value(data.args[1]);
        let predicate = self.value(data.args[2]);
        if self.found.is_uniform(result) {
            let predicate = if speculatable { predicate } else { self.masked_uniform(predicate) };
            return self.op(data.op, &[base, offset, predicate], data.imm, Type::uniform(scalar));
        }
        let predicate = if speculatable { self.splat(predicate) } else { self.masked(predicate) };
        self.op(data.op, &[base, offset, predicate], data.imm, Type::varying(scalar))
    }

    fn visit_store(&mut self, data: &InstData) {
        let base = self.value(data.args[0]);
        let offset = self.value(data.args[1]);
        let value = self.value(data.args[2]);
        let predicate = self.value(data.args[3]);
        let is_uniform = |value: Value| self.out.ty(value).is_uniform();
        if is_uniform(base) && is_uniform(offset) && is_uniform(value) {
            // All lanes that store, store the same: one does it for all.
            let predicate = if is_uniform(predicate) {
                self.masked_uniform(predicate)
            } else {
                let lanes = self.masked(predicate);
                self.uniform_op(Opcode::Any, &[lanes])
            };
            self.append(data.op, &[base, offset, value, predicate], data.imm, None);
            return;
        }
        let value = self.splat(value);
        let speculatable = MemoryOp::from_imm(data.imm).speculatable;
        let predicate = if speculatable { self.splat(predicate) } else { self.masked(predicate) };
        self.append(data.op, &[base, offset, value, predicate], data.imm, None);
    }

    /// A call, which the subgroup makes once. Operands that are not known to be the same in all lanes are
    /// taken from the first lane that is here; there is one, since calls are behind guards.
    fn visit_call(&mut self, data: &InstData) {
        let args: SmallVec<[Value; 2]> = data.args.iter().map(|&arg| self.first_lane(arg)).collect();
        self.append(data.op, &args, data.imm, None);
    }

    /// A report of the lanes that are here, or an access of theirs. `uniform`: operands that all lanes have.
    fn visit_report(&mut self, data: &InstData, uniform: std::ops::Range<usize>) {
        let last = data.args.len() - 1;
        let mut args: SmallVec<[Value; 4]> = data.args[..last].iter().map(|&arg| self.value(arg)).collect();
        for arg in &mut args[uniform] {
            *arg = self.one_of(*arg);
        }
        let here = self.value(data.args[last]);
        args.push(self.masked(here));
        self.append(data.op, &args, data.imm, None);
    }

    fn first_lane(&mut self, lane_value: Value) -> Value {
        let value = self.value(lane_value);
        self.one_of(value)
    }

    /// The value of the first lane that is here, of those that are not uniform.
    fn one_of(&mut self, value: Value) -> Value {
        let ty = self.out.ty(value);
        if ty.is_uniform() {
            return value;
        }
        let mask = self.mask_as_value();
        let bits = self.op(Opcode::Ballot, &[mask], 0, Type::uniform(Scalar::I64));
        let first = self.op(Opcode::CountTrailingZeros, &[bits], 0, Type::uniform(Scalar::I64));
        let first = self.op(Opcode::Truncate, &[first], 0, Type::uniform(Scalar::I32));
        self.op(Opcode::LaneRead, &[value, first], 0, Type::uniform(ty.scalar))
    }

    fn visit_atomic(&mut self, data: &InstData, scalar: Scalar) -> Value {
        let count = data.args.len();
        let mut args: SmallVec<[Value; 5]> = SmallVec::new();
        for (index, &arg) in data.args.iter().enumerate() {
            let value = self.value(arg);
            args.push(match index {
                0 | 1 => value,
                _ if index + 1 == count => self.masked(value),
                _ => self.splat(value),
            });
        }
        self.op(data.op, &args, data.imm, Type::varying(scalar))
    }

    fn visit_latch(&mut self, node: u32, id: u32, waiting: NodeSet) {
        self.mask = self.mask_at(node);
        let header_node = self.order.loops[id as usize].header;
        let Node::Block(header) = self.order.nodes[header_node as usize] else {
            unreachable!("headers are blocks")
        };
        let source = self.source;
        for &param in &source.blocks[header].params {
            let from = self.latch_variable(param);
            let value = self.ssa.read(&mut self.out, from, self.block);
            let to = self.param_variable(param);
            self.ssa.write(to, self.block, value);
        }
        if self.found.mask_of[header_node as usize] == header_node {
            let all = self.mask_as_value();
            let variable = self.mask_variable(header_node);
            self.ssa.write(variable, self.block, all);
        }
        self.reset_mask(node);
        let back = self.loop_block[id as usize].unwrap();
        match (self.sets.split_first(waiting), self.mask) {
            (Some((next, rest)), Mask::Some(mask)) if !self.is_nonempty(node) => {
                let any = self.uniform_op(Opcode::Any, &[mask]);
                let out = self.go_on(next, rest);
                self.branch(any, back, out);
            }
            _ => {
                self.jump(back);
                // Where lanes wait outside they are reached by the guards inside, if at all.
            }
        }
        self.ssa.seal(&mut self.out, back);
    }

    fn mask_as_value(&mut self) -> Value {
        match self.mask {
            Mask::Some(mask) => mask,
            Mask::All => {
                let all = self.constant(Scalar::I1, 1);
                self.splat(all)
            }
        }
    }

    fn visit_terminator(&mut self, node: u32, terminator: &Terminator, waiting: NodeSet) {
        self.loc = SourceLoc::default();
        let order = self.order;
        let targets = order.targets(node);
        let calls: SmallVec<[Option<&BlockCall>; 2]> = match terminator {
            Terminator::Return(_) => SmallVec::from_slice(&[None]),
            _ => terminator.targets().map(Some).collect(),
        };
        if is_divergent(terminator, |value| self.found.is_uniform(value)) {
            let masks = self.split_mask(terminator);
            let mut all = waiting;
            for ((&target, call), mask) in targets.iter().zip(calls).zip(masks) {
                let together = !self.sets.insert(&mut all, target);
                self.send(target, call, Mask::Some(mask), together);
            }
            self.leave(all);
            return;
        }
        if targets.len() < 2 {
            let mut all = waiting;
            if let (Some(&target), Some(&call)) = (targets.first(), calls.first()) {
                let together = !self.sets.insert(&mut all, target);
                self.send(target, call, self.mask, together);
            }
            self.leave(all);
            return;
        }
        // A real branch: each way has a block of its own for what it sends.
        let from = self.block;
        let mut heads: SmallVec<[BlockCall; 2]> = SmallVec::new();
        for (ordinal, (&target, call)) in targets.iter().zip(calls).enumerate() {
            let head = self.out.make_block();
            self.out.block_order.push(head);
            self.ssa.add_edge(from, ordinal as u32, head);
            self.ssa.seal(&mut self.out, head);
            self.block = head;
            let mut all = waiting;
            let together = !self.sets.insert(&mut all, target);
            self.send(target, call, self.mask, together);
            self.leave(all);
            heads.push(BlockCall::new(head, &[]));
        }
        self.block = from;
        let terminator = match terminator {
            Terminator::Branch { condition, .. } => {
                let condition = self.value(*condition);
                let otherwise = heads.pop().expect("two ways");
                Terminator::Branch { condition, then: heads.pop().expect("two ways"), otherwise }
            }
            Terminator::Switch { selector, cases, .. } => {
                let selector = self.value(*selector);
                let default = heads.pop().expect("the default");
                let cases = cases.iter().map(|case| case.0).zip(heads).collect();
                Terminator::Switch { selector, cases, default }
            }
            _ => unreachable!("others have at most one target"),
        };
        self.out.blocks[from].terminator = terminator;
    }

    /// The lanes that go to each target of a divergent terminator, in order.
    fn split_mask(&mut self, terminator: &Terminator) -> SmallVec<[Value; 2]> {
        match terminator {
            Terminator::Branch { condition, .. } => {
                let condition = self.value(*condition);
                match self.mask {
                    Mask::All => {
                        let not = self.op(Opcode::Not, &[condition], 0, MASK);
                        smallvec::smallvec![condition, not]
                    }
                    Mask::Some(mask) => {
                        let then = self.op(Opcode::And, &[condition, mask], 0, MASK);
                        let otherwise = self.op(Opcode::AndNot, &[mask, condition], 0, MASK);
                        smallvec::smallvec![then, otherwise]
                    }
                }
            }
            Terminator::Switch { selector, cases, .. } => {
                let scalar = self.source.ty(*selector).scalar;
                let selector = self.value(*selector);
                let mut rest = self.mask_as_value();
                let mut masks = SmallVec::new();
                for &(literal, _) in cases {
                    let literal = self.constant(scalar, literal);
                    let literal = self.splat(literal);
                    let equal = self.op(Opcode::IEq, &[selector, literal], 0, MASK);
                    masks.push(self.op(Opcode::And, &[rest, equal], 0, MASK));
                    rest = self.op(Opcode::AndNot, &[rest, equal], 0, MASK);
                }
                masks.push(rest);
                masks
            }
            _ => unreachable!("only branches and switches diverge"),
        }
    }

    /// Ends the current block: goes on at the first node where lanes can wait.
    fn leave(&mut self, waiting: NodeSet) {
        // None at all: behind `Unreachable` there is nothing to run.
        let (next, rest) = self.sets.split_first(waiting).unwrap_or((self.order.end(), waiting));
        let block = self.go_on(next, rest);
        self.jump(block);
    }

    /// The emitted block to go to for `next`, with lanes waiting at `rest` besides.
    fn go_on(&mut self, next: u32, rest: NodeSet) -> Block {
        let slot = &mut self.waiting[next as usize];
        *slot = self.sets.merge(*slot, rest);
        match self.entry_block[next as usize].expand() {
            Some(block) => block,
            None => {
                let block = self.out.make_block();
                self.entry_block[next as usize] = block.into();
                block
            }
        }
    }

    fn jump(&mut self, to: Block) {
        self.ssa.add_edge(self.block, 0, to);
        self.out.blocks[self.block].terminator = Terminator::Jump(BlockCall::new(to, &[]));
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.ssa.add_edge(self.block, 0, then);
        self.ssa.add_edge(self.block, 1, otherwise);
        self.out.blocks[self.block].terminator = Terminator::Branch {
            condition,
            then: BlockCall::new(then, &[]),
            otherwise: BlockCall::new(otherwise, &[]),
        };
    }

    fn mask_variable(&mut self, node: u32) -> Variable {
        *self.mask_variable[node as usize].get_or_insert_with(|| self.ssa.declare(MASK))
    }

    fn param_type(&self, param: Value) -> Type {
        let shape = if self.found.is_uniform(param) { Shape::Uniform } else { Shape::Varying };
        Type { scalar: self.source.ty(param).scalar, shape }
    }

    fn param_variable(&mut self, param: Value) -> Variable {
        let ty = self.param_type(param);
        let ssa = &mut self.ssa;
        *self.param_variable[param].get_or_insert_with(|| ssa.declare(ty))
    }

    fn latch_variable(&mut self, param: Value) -> Variable {
        let ty = self.param_type(param);
        let ssa = &mut self.ssa;
        *self.latch_variable[param].get_or_insert_with(|| ssa.declare(ty))
    }

    /// Places prologue and splats, and enters the block parameters.
    fn finish(mut self, entry: Block) -> Function {
        self.out.blocks[entry].insts.splice(0..0, std::mem::take(&mut self.prologue));
        // A parameter that was dropped leaves its splat to what stands for it.
        for value in std::mem::take(&mut self.splatted) {
            let heir = self.ssa.resolve(value);
            if heir == value {
                continue;
            }
            let inst = self.splat[value].unwrap();
            match self.splat[heir].expand() {
                None => {
                    self.out.insts[inst].args[0] = heir;
                    self.splat[heir] = inst.into();
                }
                Some(other) => {
                    let result = self.out.insts[inst].expect_result();
                    let other = self.out.insts[other].expect_result();
                    self.ssa.replace(result, other);
                }
            }
        }
        self.ssa.finish(&mut self.out);
        for index in 0..self.out.block_order.len() {
            let block = self.out.block_order[index];
            let data = &mut self.out.blocks[block];
            let old = std::mem::take(&mut data.insts);
            let mut insts = Vec::with_capacity(old.len() + 8);
            insts.extend(data.params.iter().filter_map(|&param| self.splat[param].expand()));
            for inst in old {
                insts.push(inst);
                if let Some(result) = self.out.insts[inst].result.expand() {
                    insts.extend(self.splat[result].expand());
                }
            }
            data.insts = insts;
        }
        self.out
    }
}
