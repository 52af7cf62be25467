//! `uninitialized-variable`: what Function and Private variables hold before they are written, where it
//! decides something.
//!
//! # Approach
//! Such a variable has a second slot that says of each of its scalars whether it has been written. A value
//! that is read from one that was not is *undefined*, and so is what is computed from it: an `i1` beside the
//! value says so ([`Lowerer::undefined`]). Vectors and structures are lists of scalars, so to copy them
//! or to take them apart says nothing of their other parts. A finding is where an undefined value decides: a
//! branch, an index, or a store to memory that others see.
//!
//! # Invariants
//! * What is not followed counts as defined: results of calls that return from several places, values that go
//!   through workgroup memory, large variables.
//! * Second slots become SSA values like the first, so a variable that is written where it is declared costs
//!   nothing.

use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Leaf;
use crate::pointer::{Pointer, PointerBase};
use crate::report::Reported;
use crate::value::{Operand, Scalars};
use pyro_ir::{Block, Opcode, Scalar, Slot, Type as IrType, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{Id, Instruction, Terminator, Type};
use pyro_util::sanitize::Kind;

/// Scalars of a variable that is followed.
const SCALARS_MAX: usize = 64;

/// The scalars of leaves as bytes that say whether they have been written.
fn written_leaves(leaves: &[Leaf]) -> Vec<Leaf> {
    leaves.iter().map(|leaf| Leaf { scalar: Scalar::I8, ..*leaf }).collect()
}

impl<'m> Lowerer<'m, '_> {
    fn follows_definedness(&self) -> bool {
        self.sanitizer.is_on(Kind::UninitializedVariable)
    }

    /// Follows a variable that has just been made and has no initializer.
    pub(crate) fn sanitize_variable(&mut self, pointer: &Pointer, ty: Id) -> Result {
        let PointerBase::Slot { slot, .. } = pointer.base else { return Ok(()) };
        if !self.follows_definedness() || self.type_scalars(ty)?.len() > SCALARS_MAX {
            return Ok(());
        }
        let bytes = self.b.function.slots[slot].bytes;
        let written = self.b.function.add_slot(bytes);
        self.sanitizer.definedness.written.insert(slot, written);
        let leaves = written_leaves(&self.leaves(ty, pointer.layout)?);
        let no = self.b.constant(Scalar::I8, 0);
        let count: usize = leaves.iter().map(|leaf| leaf.count as usize).sum();
        self.slot_store(
            &Pointer { base: self.written_base(written), ..pointer.clone() },
            &leaves,
            &vec![no; count],
        )
    }

    fn written_base(&self, slot: Slot) -> PointerBase {
        PointerBase::Slot { slot, bools_in_memory: false }
    }

    /// The place that says whether what a pointer points to has been written.
    fn written_pointer(&self, pointer: &Pointer) -> Option<Pointer> {
        let PointerBase::Slot { slot, .. } = pointer.base else { return None };
        let written = *self.sanitizer.definedness.written.get(&slot)?;
        Some(Pointer { base: self.written_base(written), ..pointer.clone() })
    }

    /// After scalars have been read from a slot.
    pub(crate) fn sanitize_slot_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        scalars: &Scalars,
    ) -> Result {
        let Some(written) = self.written_pointer(pointer) else { return Ok(()) };
        let mut flags = Scalars::new();
        self.slot_load(&written, &written_leaves(leaves), &mut flags)?;
        for (&scalar, flag) in scalars.iter().zip(flags) {
            let undefined = self.equals(flag, 0);
            if self.b.function.const_bits(undefined) != Some(0) {
                self.sanitizer.definedness.undefined.insert(scalar, undefined);
            }
        }
        Ok(())
    }

    /// After scalars have been written to a slot.
    pub(crate) fn sanitize_slot_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
    ) -> Result {
        let Some(written) = self.written_pointer(pointer) else { return Ok(()) };
        let (no, yes) = (self.b.constant(Scalar::I8, 0), self.b.constant(Scalar::I8, 1));
        let mut flags = Vec::with_capacity(value.len());
        for scalar in value {
            flags.push(match self.sanitizer.definedness.undefined.get(scalar).copied() {
                Some(undefined) => self.b.select(undefined, no, yes),
                None => yes,
            });
        }
        self.slot_store(&written, &written_leaves(leaves), &flags)
    }

    /// Whether a value is undefined, where it may be.
    fn undefined(&self, value: Value) -> Option<Value> {
        self.sanitizer.definedness.undefined.get(&value).copied()
    }

    /// The parameters of a phi, behind which others say whether they are undefined.
    pub(crate) fn sanitize_phi(&mut self, block: Block, params: &Scalars) {
        if !self.follows_definedness() {
            return;
        }
        for &param in params {
            let undefined = self.b.function.add_param(block, IrType::varying(Scalar::I1));
            self.sanitizer.definedness.undefined.insert(param, undefined);
        }
    }

    /// What a branch gives those parameters for these values.
    pub(crate) fn sanitize_phi_values(&mut self, values: &Scalars) -> Scalars {
        if !self.follows_definedness() {
            return Scalars::new();
        }
        let flag = |&value: &Value| match self.undefined(value) {
            Some(undefined) => undefined,
            None => self.b.bool(false),
        };
        values.iter().map(flag).collect()
    }

    /// After an instruction that computes: its result is undefined where its operands are.
    pub(super) fn follow_result(&mut self, inst: Instruction<'m>) -> Result {
        if !self.follows_definedness() || self.sanitizer.definedness.undefined.is_empty() {
            return Ok(());
        }
        let family = facts(inst.op()).family;
        let computes = matches!(
            family,
            Family::Arithmetic
                | Family::Bits
                | Family::Logic
                | Family::Conversion
                | Family::Extended
                | Family::Matrix
        ) || matches!(inst.op(), Op::VectorExtractDynamic | Op::VectorInsertDynamic);
        let Some(result) = inst.result().filter(|_| computes) else { return Ok(()) };
        let Some(ty) = self.module.type_of(result) else { return Ok(()) };
        if !self.has_data(ty) {
            return Ok(());
        }
        let Operand::Data(results) = self.operand(result)? else { return Ok(()) };
        let mut operands: Vec<Scalars> = Vec::new();
        for id in inst.id_operands() {
            if self.module.type_of(id).is_some_and(|ty| self.has_data(ty))
                && let Operand::Data(scalars) = self.operand(id)?
            {
                operands.push(scalars);
            }
        }
        if !operands.iter().flatten().any(|&value| self.undefined(value).is_some()) {
            return Ok(());
        }
        let per_component = operands.iter().all(|scalars| scalars.len() == results.len());
        for (index, &value) in results.iter().enumerate() {
            let parts: Scalars = match per_component {
                true => operands.iter().map(|scalars| scalars[index]).collect(),
                false => operands.iter().flatten().copied().collect(),
            };
            if parts.contains(&value) || self.b.function.const_bits(value).is_some() {
                continue;
            }
            if let Some(undefined) = self.undefined_result(inst.op(), &parts) {
                self.sanitizer.definedness.undefined.insert(value, undefined);
            }
        }
        Ok(())
    }

    /// Whether the result of an operation on scalars is undefined, where it may be.
    fn undefined_result(&mut self, op: Op, parts: &[Value]) -> Option<Value> {
        if let (Op::Select, &[condition, then, otherwise]) = (op, parts) {
            let [of_then, of_otherwise] = [then, otherwise].map(|value| self.undefined(value));
            let no = self.b.bool(false);
            let chosen = match (of_then, of_otherwise) {
                (None, None) => None,
                (a, b) => Some(self.b.select(condition, a.unwrap_or(no), b.unwrap_or(no))),
            };
            let flags: Scalars = self.undefined(condition).into_iter().chain(chosen).collect();
            return (!flags.is_empty()).then(|| self.any_of(flags));
        }
        let flags: Scalars = parts.iter().filter_map(|&part| self.undefined(part)).collect();
        if flags.is_empty() {
            return None;
        }
        let mut undefined = self.any_of(flags);
        if matches!(op, Op::LogicalAnd | Op::LogicalOr) {
            // A defined operand may decide alone.
            for &part in parts {
                let decides = if op == Op::LogicalOr { part } else { self.not(part) };
                let decides = match self.undefined(part) {
                    Some(flag) => self.b.op(Opcode::AndNot, &[decides, flag]),
                    None => decides,
                };
                undefined = self.b.op(Opcode::AndNot, &[undefined, decides]);
            }
        }
        Some(undefined)
    }

    /// Whether values of a type are scalars that are not pointers or resources.
    fn has_data(&self, ty: Id) -> bool {
        matches!(
            self.module.ty(ty),
            Type::Bool
                | Type::Int { .. }
                | Type::Float { .. }
                | Type::Vector { .. }
                | Type::Matrix { .. }
                | Type::Array { .. }
                | Type::Struct { .. }
        )
    }

    fn find_undefined(
        &mut self,
        inst: Instruction<'m>,
        undefined: Value,
        what: &str,
        values: Vec<Reported>,
    ) -> Result {
        let text = format!("{what} depends on a variable that has not been written");
        self.find(inst, Kind::UninitializedVariable, undefined, text, values)
    }

    /// An index that chooses what is accessed.
    pub(super) fn sanitize_defined_index(&mut self, inst: Instruction<'m>, index: Value) -> Result {
        match self.undefined(index) {
            Some(undefined) => self.find_undefined(inst, undefined, "an index", Vec::new()),
            None => Ok(()),
        }
    }

    /// What ends a block by a value.
    pub(super) fn sanitize_defined_branch(
        &mut self,
        inst: Instruction<'m>,
        terminator: &Terminator<'m>,
    ) -> Result {
        let (id, what) = match *terminator {
            Terminator::BranchConditional { condition, .. } => (condition, "the condition of a branch"),
            Terminator::Switch { selector, .. } => (selector, "the selector of a switch"),
            _ => return Ok(()),
        };
        if !self.follows_definedness() {
            return Ok(());
        }
        let value = self.scalar(id)?;
        match self.undefined(value) {
            Some(undefined) => self.find_undefined(inst, undefined, what, Vec::new()),
            None => Ok(()),
        }
    }

    /// A store to memory that others see: of scalars and vectors any component counts, of what is copied
    /// whole all of them.
    pub(super) fn sanitize_defined_store(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() != Op::Store || !self.follows_definedness() {
            return Ok(());
        }
        let class = self.module.type_of(inst.id(0)).map(|ty| self.module.ty(ty));
        let is_seen = matches!(
            class,
            Some(Type::Pointer { class, .. } | Type::UntypedPointer { class })
                if matches!(
                    class,
                    StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PhysicalStorageBuffer
                )
        );
        let Some(ty) = self.module.type_of(inst.id(1)).filter(|&ty| is_seen && self.has_data(ty)) else {
            return Ok(());
        };
        let scalars = self.scalars(inst.id(1))?;
        let flags: Scalars = scalars.iter().filter_map(|&value| self.undefined(value)).collect();
        if flags.is_empty() {
            return Ok(());
        }
        let is_copied = !matches!(
            self.module.ty(ty),
            Type::Bool | Type::Int { .. } | Type::Float { .. } | Type::Vector { .. }
        );
        let undefined = match is_copied {
            false => self.any_of(flags),
            true if flags.len() < scalars.len() => return Ok(()),
            true => {
                let all = flags.iter().copied().reduce(|a, b| self.b.op(Opcode::And, &[a, b]));
                all.unwrap_or_else(|| self.b.bool(false))
            }
        };
        self.find_undefined(inst, undefined, "what is stored", Vec::new())
    }
}
