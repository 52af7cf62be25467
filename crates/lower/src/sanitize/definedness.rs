//! `uninitialized-variable`: what Function, Private and Output variables hold before they are written, where
//! it decides something; `subgroup-lane`: the same of what shuffles take from inactive invocations.
//!
//! # Approach
//! Such a variable has a second slot that says of each of its scalars whether it is undefined, and why (the
//! bits of [`UNWRITTEN`]). A value that is read from one is *undefined*, and so is what is computed from it:
//! an `i1` beside the value says so, one for each [`Source`] ([`Undefined`]). Vectors and structures are
//! lists of scalars, so to copy them or to take them apart says nothing of their other parts; of integers it
//! is known by bits ([`super::bit_definedness`]). A finding is where an undefined value decides: a branch, an
//! index, a store to memory that others see, an attachment, or an output that the next stage reads
//! ([`super::outputs`]).
//!
//! # Invariants
//! * What is not followed counts as defined, such as large variables. Workgroup memory and payloads of task
//!   shaders have tables of their own ([`super::workgroup_definedness`], [`super::payload_definedness`]).
//! * What is stored to an output that lies in memory (mesh and tessellation control shaders), to a payload of
//!   a task shader or node, or goes to hit shaders is read by others, and found where it is stored.
//! * Second slots become SSA values like the first, so a variable that is written where it is declared costs
//!   nothing.

use super::convergence::takes_from_lanes;
use super::sampling::is_sampling;
use super::state::{NEVER, STORE_SHIFT, Source, UNWRITTEN, Undefined};
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Leaf;
use crate::pointer::{Pointer, PointerBase, Size};
use crate::value::{Operand, Scalars};
use pyro_ir::{Block, Opcode, Scalar, Slot, Type as IrType, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{Id, Inst as SpirvInst, Instruction, Terminator, Type};
use pyro_util::sanitize::Kind;
use smallvec::SmallVec;

/// Scalars of a variable that is followed.
const SCALARS_MAX: usize = 64;

/// The scalars of leaves as bytes that say whether they have been written.
fn written_leaves(leaves: &[Leaf]) -> Vec<Leaf> {
    leaves.iter().map(|leaf| Leaf { scalar: Scalar::I8, ..*leaf }).collect()
}

impl<'m> Lowerer<'m, '_> {
    pub(crate) fn follows_definedness(&self) -> bool {
        self.sanitizer.is_on(Kind::UninitializedVariable)
    }

    /// Whether values of shuffles are followed: the module has some.
    fn follows_lanes(&mut self) -> bool {
        if !self.sanitizer.is_on(Kind::SubgroupLane) {
            return false;
        }
        if let Some(known) = self.sanitizer.definedness.has_shuffles {
            return known;
        }
        let has_shuffles = self.module.insts().any(|inst| takes_from_lanes(inst.op()));
        *self.sanitizer.definedness.has_shuffles.insert(has_shuffles)
    }

    /// The sources whose undefined values are followed.
    fn followed_sources(&mut self) -> SmallVec<[Source; 2]> {
        let mut sources = SmallVec::new();
        if self.follows_definedness() {
            sources.push(Source::Variable);
        }
        if self.follows_lanes() {
            sources.push(Source::Lane);
        }
        sources
    }

    /// Follows a variable that has just been made and has no initializer.
    pub(crate) fn sanitize_variable(&mut self, pointer: &Pointer, ty: Id, class: StorageClass) -> Result {
        let PointerBase::Slot { slot, .. } = pointer.base else { return Ok(()) };
        if self.followed_sources().is_empty() || self.type_scalars(ty)?.len() > SCALARS_MAX {
            return Ok(());
        }
        let bytes = self.b.function.slots[slot].bytes;
        let written = self.b.function.add_slot(bytes);
        self.sanitizer.definedness.written.insert(slot, written);
        if class == StorageClass::Output {
            self.sanitizer.definedness.stores.insert(slot, Vec::new());
        }
        let leaves = self.leaves(ty, pointer.layout)?;
        self.follow_bits(pointer, slot, &leaves)?;
        let leaves = written_leaves(&leaves);
        let unwritten = self.b.constant(Scalar::I8, UNWRITTEN);
        let count: usize = leaves.iter().map(|leaf| leaf.count as usize).sum();
        self.slot_store(
            &Pointer { base: self.written_base(written), ..pointer.clone() },
            &leaves,
            &vec![unwritten; count],
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

    /// What second slots say of a type at a pointer, a byte for each scalar; none where it is not followed.
    pub(super) fn written_bytes(&mut self, pointer: &Pointer, leaves: &[Leaf]) -> Result<Option<Scalars>> {
        let Some(written) = self.written_pointer(pointer) else { return Ok(None) };
        let mut bytes = Scalars::new();
        self.slot_load(&written, &written_leaves(leaves), &mut bytes)?;
        Ok(Some(bytes))
    }

    /// After scalars have been read from a slot.
    pub(crate) fn sanitize_slot_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        scalars: &Scalars,
    ) -> Result {
        let Some(bytes) = self.written_bytes(pointer, leaves)? else { return Ok(()) };
        let PointerBase::Slot { slot, .. } = pointer.base else { return Ok(()) };
        let origin = self.sanitizer.definedness.origins.get(&slot).copied();
        let follows_lanes = self.follows_lanes();
        let masks = self.load_masks(pointer, leaves)?;
        for (place, (&scalar, byte)) in scalars.iter().zip(bytes).enumerate() {
            let bits = masks.as_ref().and_then(|masks| masks.get(place).copied());
            let mut undefined = Undefined { origin, bits, ..Undefined::default() };
            if follows_lanes {
                for source in self.followed_sources() {
                    undefined.flags[source as usize] = Some(self.has_bit(byte, source.bit()));
                }
            } else {
                undefined.flags[Source::Variable as usize] = Some(self.has_bit(byte, UNWRITTEN));
            }
            self.set_undefined(scalar, undefined);
        }
        Ok(())
    }

    fn has_bit(&mut self, byte: Value, bit: u64) -> Value {
        let mask = self.b.constant(Scalar::I8, bit);
        let masked = self.b.op(Opcode::And, &[byte, mask]);
        let zero = self.b.constant(Scalar::I8, 0);
        self.b.op(Opcode::INe, &[masked, zero])
    }

    /// Says of a value where it is undefined.
    fn set_undefined(&mut self, value: Value, mut undefined: Undefined) {
        for flag in &mut undefined.flags {
            *flag = flag.filter(|&flag| self.b.function.const_bits(flag) != Some(0));
        }
        if undefined.flags.iter().any(Option::is_some) {
            self.sanitizer.definedness.undefined.insert(value, undefined);
        }
    }

    /// After scalars have been written to a slot.
    pub(crate) fn sanitize_slot_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
    ) -> Result {
        let Some(written) = self.written_pointer(pointer) else { return Ok(()) };
        let PointerBase::Slot { slot, .. } = pointer.base else { return Ok(()) };
        self.store_masks(pointer, leaves, value)?;
        let zero = self.b.constant(Scalar::I8, 0);
        let mut bytes = Vec::with_capacity(value.len());
        let mut number = None;
        for &scalar in value {
            let Some(undefined) = self.undefined(scalar) else {
                bytes.push(zero);
                continue;
            };
            if let Some(origin) = undefined.origin {
                self.sanitizer.definedness.origins.entry(slot).or_insert(origin);
            }
            let number = *number.get_or_insert_with(|| self.sanitizer.definedness.store_number(slot));
            let mut byte = zero;
            for source in Source::ALL {
                if let Some(flag) = undefined.flags[source as usize] {
                    let bits = self.b.constant(Scalar::I8, source.bit() | number << STORE_SHIFT);
                    let of_source = self.b.select(flag, bits, zero);
                    byte = self.b.op(Opcode::Or, &[byte, of_source]);
                }
            }
            bytes.push(byte);
        }
        self.slot_store(&written, &written_leaves(leaves), &bytes)
    }

    /// Where a value is undefined, if it may be.
    pub(super) fn undefined(&self, value: Value) -> Option<Undefined> {
        self.sanitizer.definedness.undefined.get(&value).copied()
    }

    /// Says of a value where it comes from a variable that has not been written.
    pub(super) fn set_undefined_variable(&mut self, value: Value, flag: Value) {
        let mut undefined = Undefined::default();
        undefined.flags[Source::Variable as usize] = Some(flag);
        self.set_undefined(value, undefined);
    }

    /// Where a value comes from a variable that has not been written, if it may.
    pub(super) fn undefined_variable(&self, value: Value) -> Option<Value> {
        self.undefined(value)?.flags[Source::Variable as usize]
    }

    /// The parameters of a block for values, behind which others say whether they are undefined.
    pub(crate) fn sanitize_params(&mut self, block: Block, params: &Scalars) {
        for source in self.followed_sources() {
            for &param in params {
                let flag = self.b.function.add_param(block, IrType::varying(Scalar::I1));
                self.sanitizer.definedness.undefined.entry(param).or_default().flags[source as usize] =
                    Some(flag);
            }
        }
    }

    /// What a branch gives those parameters for these values.
    pub(crate) fn sanitize_arguments(&mut self, values: &Scalars) -> Scalars {
        let mut flags = Scalars::new();
        for source in self.followed_sources() {
            for &value in values {
                let flag = self.undefined(value).and_then(|undefined| undefined.flags[source as usize]);
                flags.push(flag.unwrap_or_else(|| self.b.bool(false)));
            }
        }
        flags
    }

    /// How many parameters say whether so many others are undefined.
    pub(crate) fn sanitized_param_count(&mut self, count: usize) -> usize {
        count * self.followed_sources().len()
    }

    /// After an instruction that computes: its result is undefined where its operands are.
    pub(super) fn follow_result(&mut self, inst: Instruction<'m>) -> Result {
        if takes_from_lanes(inst.op()) {
            return self.follow_lanes(inst);
        }
        if self.sanitizer.definedness.undefined.is_empty() {
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
            let origin = parts.iter().find_map(|&part| self.undefined(part)?.origin);
            let mut undefined = Undefined { origin, ..Undefined::default() };
            for source in Source::ALL {
                undefined.flags[source as usize] = self.undefined_result(inst.op(), &parts, source);
            }
            self.follow_undefined_bits(inst.op(), &parts, value, &mut undefined);
            self.set_undefined(value, undefined);
        }
        Ok(())
    }

    /// After a shuffle: what it takes from an inactive invocation is undefined, and what is undefined there.
    fn follow_lanes(&mut self, inst: Instruction<'m>) -> Result {
        let follows_lanes = self.follows_lanes();
        let place = if inst.op() == Op::SubgroupReadInvocationKHR { 0 } else { 1 };
        let (Some(result), first) = (inst.result(), inst.id(place)) else { return Ok(()) };
        let inactive = match follows_lanes {
            true => self.takes_from_inactive(inst)?,
            false => None,
        };
        let (results, values) = (self.scalars(result)?, self.scalars(first)?);
        for (&result, value) in results.iter().zip(values) {
            if self.b.function.const_bits(result).is_some() {
                continue;
            }
            let of_value = self.undefined(value).unwrap_or_default();
            let mut undefined = Undefined { origin: Some(inst.index()), ..Undefined::default() };
            for source in Source::ALL {
                undefined.flags[source as usize] = match of_value.flags[source as usize] {
                    Some(flag) => Some(self.shuffled(inst, flag)?),
                    None => None,
                };
            }
            if let Some(inactive) = inactive {
                let lane = &mut undefined.flags[Source::Lane as usize];
                *lane = Some(match *lane {
                    Some(flag) => self.b.op(Opcode::Or, &[flag, inactive]),
                    None => inactive,
                });
            }
            self.set_undefined(result, undefined);
        }
        Ok(())
    }

    /// Words before each payload and callable data: a bit for each of its first scalars that is undefined.
    pub(crate) fn payload_flag_words(&self) -> u32 {
        if self.follows_definedness() { SCALARS_MAX as u32 / 32 } else { 0 }
    }

    /// Those words of a payload that is passed on.
    pub(crate) fn sanitize_payload_written(&mut self, values: &[Value]) -> Scalars {
        let mut words = Scalars::new();
        for first in (0..self.payload_flag_words() as usize).map(|word| 32 * word) {
            let mut bits = self.b.i32(0);
            for (bit, &value) in (0..32).zip(values.get(first..).unwrap_or_default()) {
                let flag =
                    self.undefined(value).and_then(|undefined| undefined.flags[Source::Variable as usize]);
                if let Some(flag) = flag.filter(|_| values.len() <= SCALARS_MAX) {
                    let (set, clear) = (self.b.i32(1 << bit), self.b.i32(0));
                    let own = self.b.select(flag, set, clear);
                    bits = self.b.op(Opcode::Or, &[bits, own]);
                }
            }
            words.push(bits);
        }
        words
    }

    /// Says of a payload that has been read where it is undefined.
    pub(crate) fn sanitize_payload_read(&mut self, values: &[Value], words: &[Value]) {
        if values.len() > SCALARS_MAX {
            return;
        }
        for (values, &word) in values.chunks(32).zip(words) {
            for (bit, &value) in (0..).zip(values) {
                let (mask, zero) = (self.b.i32(1 << bit), self.b.i32(0));
                let masked = self.b.op(Opcode::And, &[word, mask]);
                let flag = self.b.op(Opcode::INe, &[masked, zero]);
                self.set_undefined_variable(value, flag);
            }
        }
    }

    /// Whether the result of an operation on scalars is undefined for a reason, where it may be.
    fn undefined_result(&mut self, op: Op, parts: &[Value], source: Source) -> Option<Value> {
        let flag = |cx: &Self, value: Value| cx.undefined(value)?.flags[source as usize];
        if let (Op::Select, &[condition, then, otherwise]) = (op, parts) {
            let [of_then, of_otherwise] = [then, otherwise].map(|value| flag(self, value));
            let no = self.b.bool(false);
            let chosen = match (of_then, of_otherwise) {
                (None, None) => None,
                (a, b) => Some(self.b.select(condition, a.unwrap_or(no), b.unwrap_or(no))),
            };
            let flags: Scalars = flag(self, condition).into_iter().chain(chosen).collect();
            return (!flags.is_empty()).then(|| self.any_of(flags));
        }
        let flags: Scalars = parts.iter().filter_map(|&part| flag(self, part)).collect();
        if flags.is_empty() {
            return None;
        }
        let mut undefined = self.any_of(flags);
        if matches!(op, Op::LogicalAnd | Op::LogicalOr) {
            // A defined operand may decide alone.
            for &part in parts {
                let decides = if op == Op::LogicalOr { part } else { self.not(part) };
                let decides = match flag(self, part) {
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

    /// Reports that something depends on undefined values.
    pub(super) fn find_undefined(&mut self, inst: Instruction<'m>, values: &[Value], what: &str) -> Result {
        for source in Source::ALL {
            let flag = |&value: &Value| self.undefined(value)?.flags[source as usize];
            let flags: Scalars = values.iter().filter_map(flag).collect();
            if flags.is_empty() {
                continue;
            }
            let undefined = self.any_of(flags);
            let origin = values.iter().find_map(|&value| self.undefined(value)?.origin);
            self.find_source(inst, (source, origin), undefined, what)?;
        }
        Ok(())
    }

    /// Reports that something depends on an undefined value from a source: at the instruction that made it,
    /// where that is known.
    pub(super) fn find_source(
        &mut self,
        inst: Instruction<'m>,
        (source, origin): (Source, Option<SpirvInst>),
        undefined: Value,
        what: &str,
    ) -> Result {
        if source == Source::Variable {
            let text = format!("{what} depends on a variable that has not been written");
            return self.find(inst, Kind::UninitializedVariable, undefined, text, Vec::new());
        }
        let line = self.module.location(inst.index()).map(|location| format!(" (line {})", location.line));
        let line = line.unwrap_or_default();
        let text = format!(
            "a value is taken from an invocation of the subgroup that is not active, and {what} depends on \
             it{line}"
        );
        let at = origin.map_or(inst, |origin| self.module.inst(origin));
        self.find(at, Kind::SubgroupLane, undefined, text, Vec::new())
    }

    /// An index that chooses what is accessed.
    pub(super) fn sanitize_defined_index(&mut self, inst: Instruction<'m>, index: Value) -> Result {
        self.find_undefined(inst, &[index], "an index")
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
        if self.sanitizer.definedness.undefined.is_empty() {
            return Ok(());
        }
        let value = self.scalar(id)?;
        self.find_undefined(inst, &[value], what)
    }

    /// A store to memory that others see: of scalars and vectors any component counts, of what is copied
    /// whole all of them.
    pub(super) fn sanitize_defined_store(&mut self, inst: Instruction<'m>) -> Result {
        if !matches!(inst.op(), Op::Store | Op::AtomicStore)
            || self.sanitizer.definedness.undefined.is_empty()
        {
            return Ok(());
        }
        let stored = if inst.op() == Op::Store { inst.id(1) } else { inst.id(3) };
        let is_seen = self.is_seen_by_others(inst.id(0))?;
        let Some(ty) = self.module.type_of(stored).filter(|&ty| is_seen && self.has_data(ty)) else {
            return Ok(());
        };
        let scalars = self.scalars(stored)?;
        if !self.is_copied(ty) {
            return self.find_undefined(inst, &scalars, "what is stored");
        }
        for source in Source::ALL {
            let flag = |&value: &Value| self.undefined(value)?.flags[source as usize];
            let flags: Scalars = scalars.iter().filter_map(flag).collect();
            if !flags.is_empty() && flags.len() == scalars.len() {
                let all = flags.iter().copied().reduce(|a, b| self.b.op(Opcode::And, &[a, b]));
                let all = all.unwrap_or_else(|| self.b.bool(false));
                let origin = scalars.iter().find_map(|&value| self.undefined(value)?.origin);
                self.find_source(inst, (source, origin), all, "what is stored")?;
            }
        }
        Ok(())
    }

    /// Whether others see what is stored through a pointer: in memory, or as an output that somebody reads
    /// and that is no variable of the invocation's own.
    fn is_seen_by_others(&mut self, pointer: Id) -> Result<bool> {
        let class = self.module.type_of(pointer).map(|ty| self.module.ty(ty));
        let Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) = class else {
            return Ok(false);
        };
        Ok(match class {
            StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::TaskPayloadWorkgroupEXT
            | StorageClass::NodePayloadAMDX => true,
            StorageClass::Output => match &self.pointer(pointer)?.base {
                PointerBase::Soa(soa) => !soa.is_missing,
                // Columns that nobody reads take no bytes.
                PointerBase::Range(range) => !matches!(range.size, Size::Known(0)),
                _ => false,
            },
            _ => false,
        })
    }

    /// A variable that an intersection shader hands on: what it stores there may be undefined; that it stores
    /// nothing is for hit shaders to find, which may not read it.
    pub(crate) fn sanitize_hit_attribute(&mut self, pointer: &Pointer, ty: Id) -> Result {
        self.sanitize_variable(pointer, ty, StorageClass::HitAttributeKHR)?;
        let Some(written) = self.written_pointer(pointer) else { return Ok(()) };
        let leaves = self.leaves(ty, pointer.layout)?;
        self.fill_masks(pointer, &leaves, false)?;
        let leaves = written_leaves(&leaves);
        let count: usize = leaves.iter().map(|leaf| leaf.count as usize).sum();
        let never = self.b.constant(Scalar::I8, NEVER);
        self.slot_store(&written, &leaves, &vec![never; count])
    }

    /// Which words of the attributes of a hit that is reported no store has written, a bit for each; none
    /// where that is not followed.
    pub(crate) fn unwritten_hit_attributes(
        &mut self,
        pointer: &Pointer,
        ty: Id,
        values: &[Value],
    ) -> Result<Option<Value>> {
        let leaves = self.leaves(ty, pointer.layout)?;
        let Some(bytes) = self.written_bytes(pointer, &leaves)? else { return Ok(None) };
        let zero = self.b.i32(0);
        let (mut mask, mut word) = (zero, 0);
        for (&value, byte) in values.iter().zip(bytes) {
            let bits = self.words_mask(value, &mut word);
            let bits = self.b.i32(bits);
            let is_unwritten = self.equals(byte, NEVER);
            let bits = self.b.select(is_unwritten, bits, zero);
            mask = self.b.op(Opcode::Or, &[mask, bits]);
        }
        Ok(Some(mask))
    }

    /// Says of the attributes of a hit where nobody has written them.
    pub(crate) fn sanitize_hit_attribute_read(&mut self, values: &[Value], unwritten: Value) {
        let (zero, mut word) = (self.b.i32(0), 0);
        for &value in values {
            let bits = self.words_mask(value, &mut word);
            if bits == 0 || self.b.function.const_bits(value).is_some() {
                continue;
            }
            let bits = self.b.i32(bits);
            let masked = self.b.op(Opcode::And, &[unwritten, bits]);
            let flag = self.b.op(Opcode::INe, &[masked, zero]);
            self.set_undefined_variable(value, flag);
        }
    }

    /// The bits of the words that a scalar takes from a word on; counts on.
    fn words_mask(&self, value: Value, word: &mut u32) -> u32 {
        let count = self.scalar_type(value).bits().div_ceil(32);
        let mask = ((1_u64 << count) - 1).checked_shl(*word).unwrap_or(0) as u32;
        *word += count;
        mask
    }

    /// The attributes of a hit that is reported.
    pub(crate) fn sanitize_reported_hit(&mut self, inst: Instruction<'m>, values: &[Value]) -> Result {
        self.find_undefined(inst, values, "an attribute of the hit that is reported")
    }

    /// Operands that decide what is read: coordinates, the ray that is traced, the shader that is called.
    pub(super) fn sanitize_defined_operands(&mut self, inst: Instruction<'m>) -> Result {
        if self.sanitizer.definedness.undefined.is_empty() {
            return Ok(());
        }
        let (operands, what) = match inst.op() {
            Op::TraceRayKHR | Op::TraceNV => (1..10, "the ray that is traced"),
            Op::TraceRayMotionNV | Op::TraceMotionNV => (1..11, "the ray that is traced"),
            Op::ExecuteCallableKHR | Op::ExecuteCallableNV => (0..1, "the shader that is called"),
            Op::ReportIntersectionKHR => (0..2, "the intersection that is reported"),
            Op::EmitMeshTasksEXT => (0..3, "the number of mesh workgroups"),
            Op::SetMeshOutputsEXT => (0..2, "the number of vertices and primitives"),
            Op::ImageFetch | Op::ImageRead => (1..2, "a coordinate"),
            op if is_sampling(op) => (1..2, "a coordinate"),
            _ => return Ok(()),
        };
        for operand in operands {
            let scalars = self.scalars(inst.id(operand))?;
            self.find_undefined(inst, &scalars, what)?;
        }
        Ok(())
    }

    /// What is written to an image.
    pub(super) fn sanitize_defined_texel(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() != Op::ImageWrite || self.sanitizer.definedness.undefined.is_empty() {
            return Ok(());
        }
        let scalars = self.scalars(inst.id(1))?;
        self.find_undefined(inst, &scalars, "a coordinate")?;
        // Components that the format lacks do not count, and may be left out.
        let scalars = self.scalars(inst.id(2))?;
        self.find_undefined(inst, &scalars[..1], "what is written")
    }
}
