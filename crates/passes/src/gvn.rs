//! Global value numbering with folding: each pure computation is done once where its first place dominates.
//!
//! Blocks are visited in order (definitions before uses, but for back edges). Each operation is first folded
//! ([`pyro_ir::eval::pure`]) and simplified (`simplify`), then looked up by operation, operands, immediate
//! and type; a computation found is used when its block dominates. Parameters whose sources are all one value
//! become that value.
//!
//! * Convergent operations are merged within a block only.
//! * Loads of memory that nothing writes are merged like pure operations. Other loads carry a *version* of
//!   their space: a number that changes at every write to the space, at every barrier, and where control flow
//!   joins, so that equal versions mean that nothing was written in between.
//! * Memory operations whose predicate is never true are dropped.
//! * In mask form, where a branch is taken by the subgroup as a whole, its condition is known in blocks that
//!   only one of its ways leads to. (In lane form it holds for the lanes that are there, but operations run
//!   for the others too.)

use crate::analysis::{Cfg, Dominators};
use crate::branch_fold::resolve;
use crate::report_lowering::report;
use crate::simplify::{Simple, simplify, split_offset};
use crate::value_table::{Key, Table};
use pyro_ir::{
    Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Scalar, Shape, Signature, SourceLoc, Space,
    Terminator, Type, Value, eval,
};
use pyro_util::{PackedOption, SecondaryMap};
use smallvec::SmallVec;

/// How deep rules may rewrite what rules have made.
const REWRITE_LIMIT: u32 = 8;

/// Runs the pass, in either form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut gvn = Gvn {
        written: written_spaces(function),
        alias: SecondaryMap::with_capacity(PackedOption::NONE, function.values.len()),
        function,
        cfg,
        dominators,
        table: Table::default(),
        implied: SecondaryMap::with_default(None),
        block: Block::RESERVED,
        out: Vec::new(),
        loc: SourceLoc::default(),
        versions: [0; Space::ALL.len()],
        next_version: 1,
        changed: false,
    };
    gvn.visit_all();
    let Gvn { mut alias, changed, cfg, .. } = gvn;
    if changed {
        replace_ahead(function, &cfg, &mut alias);
    }
    changed
}

/// Puts what replaces values in their places where they were not known yet: on edges back, and in unreachable
/// blocks. Elsewhere definitions come before their uses.
fn replace_ahead(function: &mut Function, cfg: &Cfg, alias: &mut SecondaryMap<Value, PackedOption<Value>>) {
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let data = &mut function.blocks[block];
        if !cfg.is_reachable(block) {
            for &inst in &data.insts {
                function.insts[inst].args.iter_mut().for_each(|arg| *arg = resolve(alias, *arg));
            }
            data.terminator.for_each_value_mut(|value| *value = resolve(alias, *value));
            continue;
        }
        for target in data.terminator.targets_mut() {
            if cfg.position(target.block) as usize <= index {
                target.args.iter_mut().for_each(|arg| *arg = resolve(alias, *arg));
            }
        }
    }
}

type Versions = [u32; Space::ALL.len()];

struct Gvn<'f> {
    function: &'f mut Function,
    cfg: Cfg,
    dominators: Dominators,
    /// The first place of each computation.
    table: Table,
    alias: SecondaryMap<Value, PackedOption<Value>>,
    /// What a condition is in the blocks that a block dominates: the last found.
    implied: SecondaryMap<Value, Option<(bool, Block)>>,
    /// Spaces that the function writes.
    written: [bool; Space::ALL.len()],
    block: Block,
    out: Vec<Inst>,
    loc: SourceLoc,
    versions: Versions,
    next_version: u32,
    changed: bool,
}

fn written_spaces(function: &Function) -> [bool; Space::ALL.len()] {
    let mut written = [false; Space::ALL.len()];
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            // Fences, suspend points and clocks order what others write.
            if data.op.effect() == Effect::Write || matches!(data.op, Opcode::Call | Opcode::SlotCall) {
                for space in Space::ALL {
                    written[space as usize] |= data.orders(space);
                }
            }
        }
    }
    written
}

impl Gvn<'_> {
    fn visit_all(&mut self) {
        // Versions at the end of each visited block.
        let mut ends: Vec<Versions> = vec![[0; Space::ALL.len()]; self.function.block_order.len()];
        for index in 0..self.function.block_order.len() {
            let block = self.function.block_order[index];
            if !self.cfg.is_reachable(block) {
                continue;
            }
            self.block = block;
            self.versions = match self.cfg.preds(block) {
                [edge] if self.cfg.position(edge.from) < index as u32 => {
                    ends[self.cfg.position(edge.from) as usize]
                }
                _ => self.fresh_versions(),
            };
            self.visit_params(block);
            self.visit_way(block);
            let insts = std::mem::take(&mut self.function.blocks[block].insts);
            self.out = Vec::with_capacity(insts.len());
            for inst in insts {
                self.visit_inst(inst);
            }
            let mut terminator = std::mem::take(&mut self.function.blocks[block].terminator);
            terminator.for_each_value_mut(|value| {
                *value = resolve(&mut self.alias, *value);
                if let Some(holds) = self.known(*value) {
                    *value = self.constant(Type::uniform(Scalar::I1), holds.into());
                    self.changed = true;
                }
            });
            self.function.blocks[block].terminator = terminator;
            self.function.blocks[block].insts = std::mem::take(&mut self.out);
            ends[index] = self.versions;
        }
    }

    fn fresh_versions(&mut self) -> Versions {
        let mut versions = [0; Space::ALL.len()];
        for (version, &written) in versions.iter_mut().zip(&self.written) {
            if written {
                *version = self.next_version;
            }
        }
        self.next_version += 1;
        versions
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.alias[value] = by.into();
        self.changed = true;
    }

    /// Parameters with one source; back edges count with what is known of them. Where suspend points were, a
    /// block may only be reached from behind it: its sources come after it in the order, where they stay.
    fn visit_params(&mut self, block: Block) {
        let is_before =
            |from: Block| self.cfg.is_reachable(from) && self.cfg.position(from) < self.cfg.position(block);
        if !self.cfg.preds(block).iter().any(|edge| is_before(edge.from)) {
            return;
        }
        for position in 0..self.function.blocks[block].params.len() {
            let param = self.function.blocks[block].params[position];
            let mut only = None;
            let mut several = false;
            for edge in self.cfg.preds(block) {
                if !self.cfg.is_reachable(edge.from) {
                    continue;
                }
                let terminator = &self.function.blocks[edge.from].terminator;
                let call = terminator.target(edge.ordinal).expect("an edge");
                let source = resolve(&mut self.alias, call.args[position]);
                if source == param || only == Some(source) {
                    continue;
                }
                several |= only.is_some();
                only = Some(source);
                if several {
                    break;
                }
            }
            if let (Some(only), false) = (only, several)
                && resolve(&mut self.alias, only) != param
            {
                self.replace(param, only);
            }
        }
    }

    /// Notes the condition of the branch that is the only way to a block.
    fn visit_way(&mut self, block: Block) {
        let &[edge] = self.cfg.preds(block) else { return };
        if self.function.form != Form::Mask {
            return;
        }
        if let Terminator::Branch { condition, .. } = self.function.blocks[edge.from].terminator {
            self.implied[condition] = Some((edge.ordinal == 0, block));
        }
    }

    /// A condition that is known here.
    fn known(&self, value: Value) -> Option<bool> {
        let (holds, block) = self.implied[value]?;
        self.dominators.dominates(&self.cfg, block, self.block).then_some(holds)
    }

    fn visit_inst(&mut self, inst: Inst) {
        let mut args = std::mem::take(&mut self.function.insts[inst].args);
        let mut renamed = false;
        for arg in args.iter_mut() {
            let mut to = resolve(&mut self.alias, *arg);
            if let Some(holds) = self.known(to) {
                to = self.constant(Type::uniform(Scalar::I1), holds.into());
            }
            renamed |= to != *arg;
            *arg = to;
        }
        self.function.insts[inst].args = args;
        self.changed |= renamed;
        let data = &self.function.insts[inst];
        let (op, loc) = (data.op, data.loc);
        self.loc = loc;
        if op.is_memory() {
            self.fold_offset(inst);
        }
        let imm = self.function.insts[inst].imm;
        match op.effect() {
            Effect::Barrier => {
                let fresh = self.fresh_versions();
                let data = &self.function.insts[inst];
                for space in Space::ALL.into_iter().filter(|&space| data.orders(space)) {
                    self.versions[space as usize] = fresh[space as usize];
                }
                self.out.push(inst);
            }
            Effect::Write => self.visit_write(inst),
            Effect::Read | Effect::Pure | Effect::Convergent => {
                let data = &self.function.insts[inst];
                let result = data.expect_result();
                let args = SmallVec::from_slice(&data.args);
                let ty = self.function.ty(result);
                let value = self.number(op, args, imm, ty, Some(inst), 0);
                if value != result {
                    self.replace(result, value);
                }
            }
        }
    }

    /// Moves constants that are added to the offset into the displacement, where the sum cannot wrap.
    fn fold_offset(&mut self, inst: Inst) {
        loop {
            let data = &self.function.insts[inst];
            let Some((rest, constant)) = split_offset(self.function, data.args[1]) else { return };
            let memory = MemoryOp::from_imm(data.imm);
            let sum = i64::from(memory.displacement).checked_add_unsigned(constant);
            let Some(displacement) = sum.and_then(|sum| i32::try_from(sum).ok()) else { return };
            let data = &mut self.function.insts[inst];
            data.args[1] = rest;
            data.imm = memory.at(displacement).to_imm();
            self.changed = true;
        }
    }

    fn visit_write(&mut self, inst: Inst) {
        let data = &self.function.insts[inst];
        if data.op.is_memory() {
            let memory = MemoryOp::from_imm(data.imm);
            let predicate = data.args[data.args.len() - 1];
            if self.function.const_bits(predicate) == Some(0) && !memory.volatile {
                self.changed = true;
                if let Some(result) = data.result.expand() {
                    let ty = self.function.ty(result);
                    let zero = self.constant(ty, 0);
                    self.replace(result, zero);
                }
                return;
            }
            self.versions[memory.space as usize] = self.next_version;
            self.next_version += 1;
        } else if data.op == Opcode::Track {
            if self.function.const_bits(data.args[data.args.len() - 1]) == Some(0) {
                self.changed = true;
                return;
            }
        } else if data.op == Opcode::Report {
            let never = self.function.const_bits(report::holds(&data.args)) == Some(1)
                || self.function.const_bits(report::here(&data.args)) == Some(0)
                || self.function.const_bits(report::unless(&data.args)) == Some(1);
            if never {
                self.changed = true;
                return;
            }
        }
        self.out.push(inst);
    }

    /// The value of an operation whose operands are final: found, simplified, or appended. `inst` is used
    /// for it when it is appended.
    fn number(
        &mut self,
        op: Opcode,
        mut args: SmallVec<[Value; 4]>,
        imm: u64,
        ty: Type,
        inst: Option<Inst>,
        depth: u32,
    ) -> Value {
        if op.is_commutative() && args.len() == 2 {
            let rank = |value: Value| (self.function.const_bits(value).is_some(), value);
            if rank(args[0]) > rank(args[1]) {
                args.swap(0, 1);
            }
        }
        if op.effect() == Effect::Pure || op == Opcode::LaneRead || op == Opcode::Shuffle {
            if let Some(bits) = self.fold(op, &args, imm, ty) {
                return self.constant(ty, bits);
            }
            if depth < REWRITE_LIMIT
                && let Some(simple) = simplify(self.function, op, &args, imm, ty.scalar)
            {
                // Sums and products may be fused if the operation they stand for may; a product that stands
                // for a quotient may not.
                let fusing = if op.takes_no_contraction() { imm } else { 1 };
                return self.build(&simple, ty, depth + 1, fusing);
            }
            if let Some(args) = self.splats(op, &args, ty) {
                let value = self.number(op, args, imm, Type::uniform(ty.scalar), None, depth + 1);
                return self.number(
                    Opcode::Splat,
                    SmallVec::from_slice(&[value]),
                    0,
                    ty,
                    None,
                    REWRITE_LIMIT,
                );
            }
        }
        let mut version = 0;
        if op == Opcode::Load {
            let memory = MemoryOp::from_imm(imm);
            if memory.volatile {
                return self.append(op, &args, imm, ty, inst);
            }
            if self.function.const_bits(args[2]) == Some(0) {
                return self.constant(ty, 0);
            }
            version = self.versions[memory.space as usize];
        } else if op.effect() == Effect::Read {
            // Slots: `slots` knows about them.
            return self.append(op, &args, imm, ty, inst);
        }
        let key = Key { op, ty, version, imm, args: &args };
        let hash = key.hash();
        if let Some((value, block)) = self.table.get(self.function, &key, hash) {
            let may_use = if op.effect() == Effect::Convergent {
                block == self.block
            } else {
                self.dominators.dominates(&self.cfg, block, self.block)
            };
            if may_use {
                return value;
            }
        }
        let value = self.append(op, &args, imm, ty, inst);
        let key = Key { op, ty, version, imm, args: &args };
        self.table.insert(self.function, &key, hash, value, self.block);
        value
    }

    fn append(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type, inst: Option<Inst>) -> Value {
        let inst = match inst {
            Some(inst) => {
                let data = &mut self.function.insts[inst];
                if data.op != op || data.args.as_slice() != args {
                    self.changed = true;
                    data.op = op;
                    data.args = SmallVec::from_slice(args);
                }
                data.imm = imm;
                inst
            }
            None => self.function.make_inst(op, args, imm, Some(ty), self.loc),
        };
        self.out.push(inst);
        self.function.insts[inst].expect_result()
    }

    /// The operands for all lanes of integer arithmetic whose operands all are the same in all lanes.
    fn splats(&self, op: Opcode, args: &[Value], ty: Type) -> Option<SmallVec<[Value; 4]>> {
        use Opcode as O;
        let is_plain = matches!(
            op,
            O::IAdd | O::ISub | O::IMul | O::UMin | O::UMax | O::SMin | O::SMax | O::Shl | O::LShr | O::AShr
        ) || matches!(op, O::And | O::Or | O::Xor | O::AndNot);
        let is_word = matches!(ty.scalar, Scalar::I32 | Scalar::I64);
        let fits = is_plain && is_word && ty.is_varying() && self.function.form == Form::Mask;
        let inner = |&arg: &Value| {
            self.function.def_inst(arg).filter(|data| data.op == O::Splat).map(|data| data.args[0])
        };
        if fits { args.iter().map(inner).collect() } else { None }
    }

    /// The bits of a pure operation on constants.
    fn fold(&self, op: Opcode, args: &[Value], imm: u64, ty: Type) -> Option<u64> {
        if args.is_empty()
            || args.len() > 3
            || matches!(
                op.signature(),
                Signature::Splat
                    | Signature::MaskReduce
                    | Signature::MaskFromBits
                    | Signature::LaneRead
                    | Signature::Shuffle
            )
        {
            return None;
        }
        let mut bits = [0u64; 3];
        for (slot, &arg) in bits.iter_mut().zip(args) {
            *slot = self.function.const_bits(arg)?;
        }
        let from = self.function.ty(args[args.len() - 1]).scalar;
        eval::pure(op, from, ty.scalar, &bits[..args.len()], imm)
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        if self.function.form == Form::Mask && ty.shape == Shape::Varying {
            let uniform = Type::uniform(ty.scalar);
            let value = self.number(Opcode::Const, SmallVec::new(), bits, uniform, None, REWRITE_LIMIT);
            return self.number(Opcode::Splat, SmallVec::from_slice(&[value]), 0, ty, None, REWRITE_LIMIT);
        }
        self.number(Opcode::Const, SmallVec::new(), bits, ty, None, REWRITE_LIMIT)
    }

    fn build(&mut self, simple: &Simple, ty: Type, depth: u32, fusing: u64) -> Value {
        match simple {
            Simple::Value(value) => *value,
            Simple::Const(bits) => self.constant(ty, *bits),
            Simple::Other(scalar, bits) => self.constant(Type { scalar: *scalar, ..ty }, *bits),
            Simple::Splat(inner) => {
                let value = self.build(inner, Type::uniform(ty.scalar), depth, fusing);
                self.number(Opcode::Splat, SmallVec::from_slice(&[value]), 0, ty, None, depth)
            }
            Simple::Op(op, parts) => {
                let args: SmallVec<[Value; 4]> =
                    parts.iter().map(|part| self.build(part, ty, depth, fusing)).collect();
                let imm = if op.takes_no_contraction() { fusing } else { 0 };
                self.number(*op, args, imm, ty, None, depth)
            }
        }
    }
}
