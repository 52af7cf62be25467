//! SSA construction for variables, while the control flow graph grows or afterwards.
//!
//! Problem: a pass has *variables* (slots, pending masks and values, reloaded values) that are written in
//! several blocks, and wants the SSA value that a read sees.
//!
//! Approach: Braun et al., "Simple and Efficient Construction of Static Single Assignment Form" (2013), with
//! explicit stacks. A block is *sealed* when no more edges to it will come. A read walks up single
//! predecessors, makes a parameter at joins and at unsealed blocks, and drops parameters that turn out to
//! have one source. Parameters and the arguments on the edges are entered into the function only by
//! [`SsaBuilder::finish`], when it is known which of them stay.
//!
//! Invariants: `defs` holds the value of a variable at the *end* of a block as far as it is known; every
//! parameter made is in `phis`; `alias` leads from dropped values to what replaces them, and never in
//! circles, since a parameter is only replaced by one of its own sources, which is resolved first.
//!
//! On a complete graph ([`SsaBuilder::for_function`]) all writes come before the first read of a variable.
//! Then the iterated dominance frontier of its writes is known, and joins outside of it are skipped: a read
//! goes on at their immediate dominator, so a variable costs nothing where it does not change.
//!
//! A variable that is read where no write comes before it is zero.

use crate::analysis::{Cfg, Dominators, Edge};
use crate::block_table::BlockTable;
use crate::fast_map::FastMap;
use pyro_ir::{
    Block, Form, Function, Inst, Opcode, Scalar, Shape, SourceLoc, Type, Value, ValueData, ValueDef,
};
use pyro_util::{PackedOption, SecondaryMap};
use smallvec::SmallVec;

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable(pub u32);

/// A parameter that the builder made.
#[derive(Clone, Debug)]
struct Phi {
    variable: Variable,
    block: Block,
    value: Value,
    /// One source for each predecessor edge once complete.
    sources: SmallVec<[Value; 4]>,
    /// Phis that have this one as a source.
    users: SmallVec<[u32; 4]>,
    /// Never dropped.
    forced: bool,
    complete: bool,
}

/// See the module's documentation.
pub struct SsaBuilder {
    types: Vec<Type>,
    defs: BlockTable<Value>,
    /// Values at the start of blocks, where they were asked for.
    starts: BlockTable<Value>,
    preds: SecondaryMap<Block, SmallVec<[Edge; 2]>>,
    sealed: SecondaryMap<Block, bool>,
    incomplete: SecondaryMap<Block, Vec<(Variable, u32)>>,
    phis: Vec<Phi>,
    phi_of: SecondaryMap<Value, u32>,
    alias: SecondaryMap<Value, PackedOption<Value>>,
    zeros: FastMap<Value>,
    zero_insts: Vec<Inst>,
    /// Joins whose sources are still to be read.
    pending: Vec<(Variable, u32)>,
    /// For a complete graph.
    frontiers: Option<Frontiers>,
}

/// Dominance frontiers, and which of them variables use.
struct Frontiers {
    idom: SecondaryMap<Block, PackedOption<Block>>,
    frontier: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    /// Blocks that write each variable.
    writes: Vec<SmallVec<[Block; 4]>>,
    /// Whether a variable's iterated frontier is in `joins`.
    known: Vec<bool>,
    /// The members of iterated frontiers.
    joins: BlockTable<()>,
}

impl Frontiers {
    fn new(function: &Function) -> Frontiers {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(function, &cfg);
        let mut idom = SecondaryMap::with_capacity(PackedOption::NONE, function.blocks.len());
        for &block in &function.block_order {
            idom[block] = dominators.idom(function, &cfg, block).into();
        }
        let mut frontier = SecondaryMap::<Block, SmallVec<[Block; 2]>>::with_capacity(
            SmallVec::new(),
            function.blocks.len(),
        );
        for &block in &function.block_order {
            let preds = cfg.preds(block);
            if preds.len() < 2 {
                continue;
            }
            for edge in preds {
                let mut runner = Some(edge.from);
                while let Some(at) = runner
                    && runner != idom[block].expand()
                    && frontier[at].last() != Some(&block)
                {
                    frontier[at].push(block);
                    runner = idom[at].expand();
                }
            }
        }
        Frontiers { idom, frontier, writes: Vec::new(), known: Vec::new(), joins: BlockTable::default() }
    }

    /// Where the value of a variable at `block`, a join that does not write it, is that at another block.
    fn skip(&mut self, variable: Variable, block: Block) -> Option<Block> {
        let index = variable.0 as usize;
        if !self.known[index] {
            self.known[index] = true;
            let mut work = self.writes[index].clone();
            while let Some(at) = work.pop() {
                for &join in &self.frontier[at] {
                    if self.joins.insert(join, variable.0, ()) {
                        work.push(join);
                    }
                }
            }
        }
        if self.joins.get(block, variable.0).is_some() { None } else { self.idom[block].expand() }
    }
}

const NO_PHI: u32 = u32::MAX;

impl Default for SsaBuilder {
    fn default() -> Self {
        SsaBuilder::new()
    }
}

impl SsaBuilder {
    /// No variables, no edges.
    pub fn new() -> SsaBuilder {
        SsaBuilder {
            types: Vec::new(),
            defs: BlockTable::default(),
            starts: BlockTable::default(),
            preds: SecondaryMap::new(),
            sealed: SecondaryMap::new(),
            incomplete: SecondaryMap::new(),
            phis: Vec::new(),
            phi_of: SecondaryMap::with_default(NO_PHI),
            alias: SecondaryMap::new(),
            zeros: FastMap::default(),
            zero_insts: Vec::new(),
            pending: Vec::new(),
            frontiers: None,
        }
    }

    /// For a function whose graph is complete: all its edges are entered, all blocks sealed.
    pub fn for_function(function: &Function) -> SsaBuilder {
        let mut builder = SsaBuilder::new();
        for &block in &function.block_order {
            for (ordinal, target) in function.blocks[block].terminator.targets().enumerate() {
                builder.add_edge(block, ordinal as u32, target.block);
            }
        }
        for &block in &function.block_order {
            builder.sealed[block] = true;
        }
        builder.frontiers = Some(Frontiers::new(function));
        builder
    }

    /// A new variable.
    pub fn declare(&mut self, ty: Type) -> Variable {
        self.types.push(ty);
        if let Some(frontiers) = &mut self.frontiers {
            frontiers.writes.push(SmallVec::new());
            frontiers.known.push(false);
        }
        Variable(self.types.len() as u32 - 1)
    }

    /// Enters an edge. `to` must not be sealed.
    pub fn add_edge(&mut self, from: Block, ordinal: u32, to: Block) {
        debug_assert!(!self.sealed[to]);
        self.preds[to].push(Edge { from, ordinal });
    }

    /// Sets the variable's value at the end of `block` (as far as it is written).
    pub fn write(&mut self, variable: Variable, block: Block, value: Value) {
        self.defs.insert(block, variable.0, value);
        self.note_write(variable, block);
    }

    fn note_write(&mut self, variable: Variable, block: Block) {
        if let Some(frontiers) = &mut self.frontiers {
            debug_assert!(!frontiers.known[variable.0 as usize], "writes come before reads");
            frontiers.writes[variable.0 as usize].push(block);
        }
    }

    /// All edges to `block` are known.
    pub fn seal(&mut self, function: &mut Function, block: Block) {
        debug_assert!(!self.sealed[block]);
        self.sealed[block] = true;
        let phis = std::mem::take(&mut self.incomplete[block]);
        self.pending.extend(phis);
        self.complete_pending(function);
    }

    /// The variable's value at the end of `block` as far as it is written.
    pub fn read(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        let value = self.lookup(function, variable, block);
        self.complete_pending(function);
        self.resolve(value)
    }

    /// The variable's value at the start of a sealed `block`, before what is written there.
    pub fn read_at_start(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        if let Some(value) = self.starts.get(block, variable.0) {
            return self.resolve(value);
        }
        debug_assert!(self.sealed[block]);
        let value = match self.preds[block].as_slice() {
            [] => self.zero(function, self.types[variable.0 as usize]),
            [edge] => {
                let from = edge.from;
                self.lookup(function, variable, from)
            }
            _ => {
                if let Some(frontiers) = &mut self.frontiers
                    && let Some(above) = frontiers.skip(variable, block)
                {
                    let value = self.lookup(function, variable, above);
                    self.complete_pending(function);
                    let value = self.resolve(value);
                    self.starts.insert(block, variable.0, value);
                    return value;
                }
                let written = self.defs.get(block, variable.0);
                let made = written.filter(|&value| {
                    let phi = self.phi_of[value];
                    phi != NO_PHI && {
                        let phi = &self.phis[phi as usize];
                        phi.block == block && phi.variable == variable
                    }
                });
                match made {
                    Some(value) => value,
                    None => {
                        let value = self.make_phi(function, variable, block, false);
                        if let Some(written) = written {
                            self.defs.insert(block, variable.0, written);
                        }
                        self.pending.push((variable, self.phi_of[value]));
                        value
                    }
                }
            }
        };
        self.starts.insert(block, variable.0, value);
        self.complete_pending(function);
        self.resolve(value)
    }

    /// Makes a parameter of the variable at the start of `block` that stays even where it is not needed, and
    /// writes the variable with it. All predecessors' values must be readable now, `block` sealed.
    pub fn force_param(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        let value = self.make_phi(function, variable, block, true);
        self.note_write(variable, block);
        self.pending.push((variable, self.phi_of[value]));
        value
    }

    /// Reads the sources of parameters made by [`SsaBuilder::force_param`].
    pub fn complete_forced(&mut self, function: &mut Function) {
        self.complete_pending(function);
    }

    fn make_phi(&mut self, function: &mut Function, variable: Variable, block: Block, forced: bool) -> Value {
        let ty = self.types[variable.0 as usize];
        // The position is entered by `finish`.
        let value = function.values.push(ValueData { ty, def: ValueDef::Param(block, u32::MAX) });
        let index = self.phis.len() as u32;
        self.phis.push(Phi {
            variable,
            block,
            value,
            sources: SmallVec::new(),
            users: SmallVec::new(),
            forced,
            complete: false,
        });
        self.phi_of[value] = index;
        self.defs.insert(block, variable.0, value);
        value
    }

    /// Finds or makes the value at the end of `block`; sources of new parameters are left to
    /// `complete_pending`.
    fn lookup(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        let mut at = block;
        let mut path: SmallVec<[Block; 8]> = SmallVec::new();
        let value = loop {
            if let Some(value) = self.defs.get(at, variable.0) {
                break self.resolve(value);
            }
            if !self.sealed[at] {
                let value = self.make_phi(function, variable, at, false);
                self.incomplete[at].push((variable, self.phi_of[value]));
                break value;
            }
            match self.preds[at].as_slice() {
                [] => break self.zero(function, self.types[variable.0 as usize]),
                [edge] => {
                    path.push(at);
                    at = edge.from;
                }
                _ => {
                    if let Some(frontiers) = &mut self.frontiers
                        && let Some(above) = frontiers.skip(variable, at)
                    {
                        path.push(at);
                        at = above;
                        continue;
                    }
                    let value = self.make_phi(function, variable, at, false);
                    self.pending.push((variable, self.phi_of[value]));
                    break value;
                }
            }
        };
        for block in path {
            self.defs.insert(block, variable.0, value);
        }
        value
    }

    fn complete_pending(&mut self, function: &mut Function) {
        while let Some((variable, phi)) = self.pending.pop() {
            let block = self.phis[phi as usize].block;
            let mut sources = SmallVec::new();
            for index in 0..self.preds[block].len() {
                let from = self.preds[block][index].from;
                let value = self.lookup(function, variable, from);
                sources.push(value);
                let source = self.phi_of[value];
                if source != NO_PHI && source != phi {
                    self.phis[source as usize].users.push(phi);
                }
            }
            let data = &mut self.phis[phi as usize];
            data.sources = sources;
            data.complete = true;
            self.simplify(phi);
        }
    }

    /// Drops a complete parameter that has one source, and then those that it was a source of.
    fn simplify(&mut self, phi: u32) {
        let mut work: SmallVec<[u32; 8]> = smallvec::smallvec![phi];
        while let Some(phi) = work.pop() {
            let data = &self.phis[phi as usize];
            if !data.complete || data.forced || self.alias[data.value].is_some() {
                continue;
            }
            let this = data.value;
            let mut only = None;
            let mut several = false;
            for index in 0..self.phis[phi as usize].sources.len() {
                let source = self.phis[phi as usize].sources[index];
                let source = self.resolve(source);
                if source == this || only == Some(source) {
                    continue;
                }
                if only.is_some() {
                    several = true;
                    break;
                }
                only = Some(source);
            }
            // No source but itself: a cycle that nothing enters, which is never run.
            let (false, Some(only)) = (several, only) else { continue };
            self.alias[this] = only.into();
            let users = std::mem::take(&mut self.phis[phi as usize].users);
            let heir = self.phi_of[only];
            if heir != NO_PHI {
                self.phis[heir as usize].users.extend(users.iter().copied());
            }
            work.extend(users);
        }
    }

    /// What stands for `value` now.
    pub fn resolve(&mut self, value: Value) -> Value {
        let mut end = value;
        while let Some(next) = self.alias[end].expand() {
            end = next;
        }
        let mut at = value;
        while let Some(next) = self.alias[at].expand() {
            if next != end {
                self.alias[at] = end.into();
            }
            at = next;
        }
        end
    }

    /// Replaces a value by another everywhere. `value` must not be reached from `by`.
    pub fn replace(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        debug_assert!(value != by && !self.alias[value].is_some());
        self.alias[value] = by.into();
    }

    /// The zero of a type, defined at the start of the entry block.
    pub fn zero(&mut self, function: &mut Function, ty: Type) -> Value {
        let number = |ty: Type| u64::from(ty.scalar as u8) << 1 | u64::from(ty.is_varying());
        if let Some(value) = self.zeros.get(number(ty)) {
            return value;
        }
        let value = if function.form == Form::Mask && ty.shape == Shape::Varying {
            let scalar = self.zero(function, Type::uniform(ty.scalar));
            self.define_zero(function, Opcode::Splat, &[scalar], ty)
        } else {
            self.define_zero(function, Opcode::Const, &[], ty)
        };
        self.zeros.insert(number(ty), value);
        value
    }

    fn define_zero(&mut self, function: &mut Function, op: Opcode, args: &[Value], ty: Type) -> Value {
        let inst = function.make_inst(op, args, 0, Some(ty), SourceLoc::default());
        self.zero_insts.push(inst);
        function.insts[inst].result.unwrap()
    }

    /// Enters the parameters that stay, and the arguments on their edges, and puts what replaces each
    /// dropped value in its place. All blocks must be sealed.
    pub fn finish(mut self, function: &mut Function) {
        // Replacements may have left parameters with one source.
        for phi in 0..self.phis.len() as u32 {
            self.simplify(phi);
        }
        for index in 0..self.phis.len() {
            let Phi { block, value, .. } = self.phis[index];
            if self.alias[value].is_some() {
                continue;
            }
            debug_assert!(self.phis[index].complete, "{block} is sealed");
            let position = function.blocks[block].params.len() as u32;
            function.values[value].def = ValueDef::Param(block, position);
            function.blocks[block].params.push(value);
            for source in 0..self.phis[index].sources.len() {
                let edge = self.preds[block][source];
                let arg = self.phis[index].sources[source];
                let call = function.blocks[edge.from].terminator.target_mut(edge.ordinal);
                call.expect("the edge exists").args.push(arg);
            }
        }
        if let Some(&entry) = function.block_order.first()
            && !self.zero_insts.is_empty()
        {
            function.blocks[entry].insts.splice(0..0, self.zero_insts.iter().copied());
        }
        for index in 0..function.block_order.len() {
            let block = function.block_order[index];
            let insts = std::mem::take(&mut function.blocks[block].insts);
            for &inst in &insts {
                for arg in function.insts[inst].args.iter_mut() {
                    *arg = self.resolve(*arg);
                }
            }
            let data = &mut function.blocks[block];
            data.insts = insts;
            data.terminator.for_each_value_mut(|value| *value = self.resolve(*value));
        }
    }
}

/// The type of a mask.
pub(crate) const MASK: Type = Type::varying(Scalar::I1);
