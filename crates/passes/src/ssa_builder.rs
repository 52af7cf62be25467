//! SSA construction for variables while the control flow graph grows. (For complete graphs there is
//! [`crate::ssa_rename`].)
//!
//! Problem: a pass has *variables* (pending masks and values) that are written in several blocks, and wants
//! the SSA value that a read sees.
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
//! A variable that is read where no write comes before it is zero.

use crate::analysis::Edge;
use crate::block_table::BlockTable;
use pyro_ir::{
    Block, Form, Function, Inst, Opcode, Scalar, Shape, SourceLoc, Type, Value, ValueData, ValueDef,
};
use pyro_util::{PackedOption, SecondaryMap};
use smallvec::SmallVec;

/// A variable's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variable(pub(crate) u32);

/// A parameter that the builder made.
#[derive(Clone, Debug)]
struct Phi {
    block: Block,
    value: Value,
    /// One source for each predecessor edge once complete.
    sources: SmallVec<[Value; 4]>,
    /// Phis that have this one as a source.
    users: SmallVec<[u32; 4]>,
    complete: bool,
}

/// See the module's documentation.
pub(crate) struct SsaBuilder {
    types: Vec<Type>,
    defs: BlockTable<Value>,
    preds: SecondaryMap<Block, SmallVec<[Edge; 2]>>,
    sealed: SecondaryMap<Block, bool>,
    incomplete: SecondaryMap<Block, Vec<(Variable, u32)>>,
    phis: Vec<Phi>,
    phi_of: SecondaryMap<Value, u32>,
    alias: SecondaryMap<Value, PackedOption<Value>>,
    zeros: Zeros,
    /// Joins whose sources are still to be read.
    pending: Vec<(Variable, u32)>,
}

const NO_PHI: u32 = u32::MAX;

impl Default for SsaBuilder {
    fn default() -> Self {
        SsaBuilder::new()
    }
}

impl SsaBuilder {
    /// No variables, no edges.
    pub(crate) fn new() -> SsaBuilder {
        SsaBuilder {
            types: Vec::new(),
            defs: BlockTable::default(),
            preds: SecondaryMap::new(),
            sealed: SecondaryMap::new(),
            incomplete: SecondaryMap::new(),
            phis: Vec::new(),
            phi_of: SecondaryMap::with_default(NO_PHI),
            alias: SecondaryMap::new(),
            zeros: Zeros::default(),
            pending: Vec::new(),
        }
    }

    /// A new variable.
    pub(crate) fn declare(&mut self, ty: Type) -> Variable {
        self.types.push(ty);
        Variable(self.types.len() as u32 - 1)
    }

    /// Enters an edge. `to` must not be sealed.
    pub(crate) fn add_edge(&mut self, from: Block, ordinal: u32, to: Block) {
        debug_assert!(!self.sealed[to]);
        self.preds[to].push(Edge { from, ordinal });
    }

    /// Sets the variable's value at the end of `block` (as far as it is written).
    pub(crate) fn write(&mut self, variable: Variable, block: Block, value: Value) {
        self.defs.insert(block, variable.0, value);
    }

    /// All edges to `block` are known.
    pub(crate) fn seal(&mut self, function: &mut Function, block: Block) {
        debug_assert!(!self.sealed[block]);
        self.sealed[block] = true;
        let phis = std::mem::take(&mut self.incomplete[block]);
        self.pending.extend(phis);
        self.complete_pending(function);
    }

    /// The variable's value at the end of `block` as far as it is written.
    pub(crate) fn read(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        let value = self.lookup(function, variable, block);
        self.complete_pending(function);
        self.resolve(value)
    }

    fn make_phi(&mut self, function: &mut Function, variable: Variable, block: Block) -> Value {
        let ty = self.types[variable.0 as usize];
        // The position is entered by `finish`.
        let value = function.values.push(ValueData { ty, def: ValueDef::Param(block, u32::MAX) });
        let index = self.phis.len() as u32;
        self.phis.push(Phi {
            block,
            value,
            sources: SmallVec::new(),
            users: SmallVec::new(),
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
                let value = self.make_phi(function, variable, at);
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
                    let value = self.make_phi(function, variable, at);
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
            if !data.complete || self.alias[data.value].is_some() {
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
    pub(crate) fn resolve(&mut self, value: Value) -> Value {
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
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        debug_assert!(value != by && !self.alias[value].is_some());
        self.alias[value] = by.into();
    }

    /// The zero of a type, defined at the start of the entry block.
    pub(crate) fn zero(&mut self, function: &mut Function, ty: Type) -> Value {
        self.zeros.get(function, ty)
    }

    /// Enters the parameters that stay, and the arguments on their edges, and puts what replaces each
    /// dropped value in its place. All blocks must be sealed.
    pub(crate) fn finish(mut self, function: &mut Function) {
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
        std::mem::take(&mut self.zeros).enter(function);
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

/// The zeros of types, defined at the start of the entry block.
#[derive(Default)]
pub(crate) struct Zeros {
    values: Vec<(Type, Value)>,
    insts: Vec<Inst>,
}

impl Zeros {
    /// The zero of a type.
    pub(crate) fn get(&mut self, function: &mut Function, ty: Type) -> Value {
        if let Some(&(_, value)) = self.values.iter().find(|zero| zero.0 == ty) {
            return value;
        }
        let value = if function.form == Form::Mask && ty.shape == Shape::Varying {
            let scalar = self.get(function, Type::uniform(ty.scalar));
            self.define(function, Opcode::Splat, &[scalar], ty)
        } else {
            self.define(function, Opcode::Const, &[], ty)
        };
        self.values.push((ty, value));
        value
    }

    fn define(&mut self, function: &mut Function, op: Opcode, args: &[Value], ty: Type) -> Value {
        let inst = function.make_inst(op, args, 0, Some(ty), SourceLoc::default());
        self.insts.push(inst);
        function.insts[inst].expect_result()
    }

    /// Enters their definitions into the function.
    pub(crate) fn enter(self, function: &mut Function) {
        if let Some(&entry) = function.block_order.first()
            && !self.insts.is_empty()
        {
            function.blocks[entry].insts.splice(0..0, self.insts);
        }
    }
}
