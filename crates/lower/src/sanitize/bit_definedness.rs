//! Which bits of integers are undefined: fields that are put together in a variable, masks, shifts.
//!
//! # Approach
//! A variable of integers alone has a third slot, a mask of undefined bits for each of its scalars, and a
//! value that is read from it has that mask beside the flags of [`super::definedness`]. Operations on bits
//! compute masks from masks; where all bits are defined, so is the value. Any other operation takes a value
//! as undefined where any of its bits is.
//!
//! # Invariants
//! * Masks are of what nobody has written. What comes from other invocations has none.
//! * A value without a mask is undefined in all bits where its flag says so.

use super::state::{Source, Undefined};
use super::workgroup_definedness::flag_leaves;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Leaf;
use crate::pointer::{Pointer, PointerBase};
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, Slot, Value};
use pyro_library::integer;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// Gives a slot that is followed one with masks, all bits set.
    pub(super) fn follow_bits(&mut self, pointer: &Pointer, slot: Slot, leaves: &[Leaf]) -> Result {
        let are_ints = leaves.iter().all(|leaf| leaf.scalar.is_int() && leaf.scalar != Scalar::I1);
        if !are_ints || !self.follows_definedness() {
            return Ok(());
        }
        let bytes = self.b.function.slots[slot].bytes;
        let masks = self.b.function.add_slot(bytes);
        self.sanitizer.definedness.masks.insert(slot, masks);
        self.fill_masks(pointer, leaves, true)
    }

    /// Says of all bits that a pointer points to whether they are undefined, where a slot has masks.
    pub(super) fn fill_masks(&mut self, pointer: &Pointer, leaves: &[Leaf], are_undefined: bool) -> Result {
        let Some(masks) = self.masks_of(pointer) else { return Ok(()) };
        let leaves = flag_leaves(leaves);
        let mut words = Vec::new();
        for leaf in &leaves {
            let word = self.b.constant(leaf.scalar, if are_undefined { leaf.scalar.mask() } else { 0 });
            words.extend(std::iter::repeat_n(word, leaf.count as usize));
        }
        self.slot_store(&masks, &leaves, &words)
    }

    fn mask_pointer(&self, pointer: &Pointer, slot: Slot) -> Pointer {
        Pointer { base: PointerBase::Slot { slot, bools_in_memory: false }, ..pointer.clone() }
    }

    fn masks_of(&self, pointer: &Pointer) -> Option<Pointer> {
        let PointerBase::Slot { slot, .. } = pointer.base else { return None };
        let masks = *self.sanitizer.definedness.masks.get(&slot)?;
        Some(self.mask_pointer(pointer, masks))
    }

    /// The masks of scalars that are read from a slot; none where it has none.
    pub(super) fn load_masks(&mut self, pointer: &Pointer, leaves: &[Leaf]) -> Result<Option<Scalars>> {
        let Some(masks) = self.masks_of(pointer) else { return Ok(None) };
        let mut words = Scalars::new();
        self.slot_load(&masks, &flag_leaves(leaves), &mut words)?;
        Ok(Some(words))
    }

    /// Keeps the masks of scalars that are written to a slot.
    pub(super) fn store_masks(&mut self, pointer: &Pointer, leaves: &[Leaf], value: &[Value]) -> Result {
        let Some(masks) = self.masks_of(pointer) else { return Ok(()) };
        let words: Vec<Value> = value.iter().map(|&scalar| self.undefined_mask(scalar)).collect();
        self.slot_store(&masks, &flag_leaves(leaves), &words)
    }

    /// The undefined bits of an integer.
    fn undefined_mask(&mut self, value: Value) -> Value {
        let scalar = self.scalar_type(value);
        let undefined = self.undefined(value).unwrap_or_default();
        if let Some(bits) = undefined.bits.filter(|&bits| self.scalar_type(bits) == scalar) {
            return bits;
        }
        let none = self.b.constant(scalar, 0);
        match undefined.flags[Source::Variable as usize] {
            Some(flag) => {
                let all = self.b.constant(scalar, scalar.mask());
                self.b.select(flag, all, none)
            }
            None => none,
        }
    }

    /// After an operation on bits: the undefined ones of its result, and whether there are any.
    pub(super) fn follow_undefined_bits(
        &mut self,
        op: Op,
        parts: &[Value],
        result: Value,
        undefined: &mut Undefined,
    ) {
        if undefined.flags[Source::Variable as usize].is_none() {
            return;
        }
        let Some(bits) = self.undefined_bits(op, parts, result) else { return };
        let is_defined = self.equals(bits, 0);
        undefined.flags[Source::Variable as usize] = Some(self.not(is_defined));
        undefined.bits = Some(bits);
    }

    /// The undefined bits of an operation's result; none where that is not followed by bits.
    fn undefined_bits(&mut self, op: Op, parts: &[Value], result: Value) -> Option<Value> {
        let to = self.scalar_type(result);
        let is_whole = |cx: &Self, value: &Value| {
            let scalar = cx.scalar_type(*value);
            scalar.is_int() && scalar != Scalar::I1
        };
        if !is_whole(self, &result) || !parts.iter().any(|part| is_whole(self, part)) {
            return None;
        }
        let controls = |op: Op| match op {
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => 1,
            Op::BitFieldSExtract | Op::BitFieldUExtract => 1,
            Op::BitFieldInsert => 2,
            _ => usize::MAX,
        };
        // What says which bits are meant decides about all of them.
        let rest = parts.get(controls(op)..).unwrap_or_default();
        if rest.iter().any(|&part| self.undefined_variable(part).is_some()) {
            return None;
        }
        let of = |cx: &mut Self, place: usize| {
            let &part = parts.get(place)?;
            is_whole(cx, &part).then(|| (part, cx.undefined_mask(part)))
        };
        Some(match op {
            Op::BitwiseAnd | Op::BitwiseOr => {
                let [(a, of_a), (b, of_b)] = [of(self, 0)?, of(self, 1)?];
                // A defined bit of one may decide alone.
                let mut may_pass = |(value, mask): (Value, Value)| {
                    let value = if op == Op::BitwiseOr { self.b.op(Opcode::Not, &[value]) } else { value };
                    self.b.op(Opcode::Or, &[value, mask])
                };
                let (pass_a, pass_b) = (may_pass((a, of_a)), may_pass((b, of_b)));
                let any = self.b.op(Opcode::Or, &[of_a, of_b]);
                let any = self.b.op(Opcode::And, &[any, pass_a]);
                self.b.op(Opcode::And, &[any, pass_b])
            }
            Op::BitwiseXor => {
                let [(_, of_a), (_, of_b)] = [of(self, 0)?, of(self, 1)?];
                self.b.op(Opcode::Or, &[of_a, of_b])
            }
            Op::Not => of(self, 0)?.1,
            Op::BitReverse => {
                let (_, mask) = of(self, 0)?;
                integer::bit_reverse(&mut self.b, mask)
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                let (_, mask) = of(self, 0)?;
                let amount = self.integer_of_width(*parts.get(1)?, to, false).ok()?;
                let shift = match op {
                    Op::ShiftLeftLogical => Opcode::Shl,
                    Op::ShiftRightLogical => Opcode::LShr,
                    _ => Opcode::AShr,
                };
                self.b.op(shift, &[mask, amount])
            }
            Op::BitFieldInsert => {
                let [(_, base), (_, insert)] = [of(self, 0)?, of(self, 1)?];
                integer::bit_field_insert(&mut self.b, base, insert, *parts.get(2)?, *parts.get(3)?)
            }
            Op::BitFieldUExtract => {
                let (_, mask) = of(self, 0)?;
                integer::bit_field_u_extract(&mut self.b, mask, *parts.get(1)?, *parts.get(2)?)
            }
            Op::BitFieldSExtract => {
                let (_, mask) = of(self, 0)?;
                integer::bit_field_s_extract(&mut self.b, mask, *parts.get(1)?, *parts.get(2)?)
            }
            Op::UConvert | Op::SConvert => {
                let (_, mask) = of(self, 0)?;
                self.integer_of_width(mask, to, op == Op::SConvert).ok()?
            }
            _ => return None,
        })
    }
}
