//! Bounded memory: buffers, push constants, workgroup memory.
//!
//! # Bounds
//! An access of `e` bytes at `offset` lies inside when `offset + e <= size`; where it does not, reads give
//! zero and writes are dropped (robust buffer access 2). With the offset's constant part `c` and
//!
//! * no dynamic part, the test is `c + e <= size`, a comparison of uniform values;
//! * one dynamic part `i * s`, it is `i < n` with `n = size < c + e ? 0 : (size - c - e) / s + 1`, which is
//!   exact: nothing wraps, since `i * s + c + e <= size < 2^32` for all such `i`. `n` is uniform, and kept in
//!   the prologue where the size is;
//! * several, the sum is taken modulo 2^32 and tested as above with `s = 1`: nothing outside the range is
//!   touched, whatever wraps. The first part, an unbounded index in general, is tested for not wrapping
//!   by itself.
//!
//! With 64-bit indexing (`VK_EXT_shader_64bit_indexing`) sizes, indices and offsets in storage buffers have
//! 64 bits, and the same holds with 2^64 instead of 2^32.

use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::{Access, Leaf};
use crate::pointer::{Pointer, PointerBase, Range, Size};
use crate::value::Scalars;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};

/// Operands of a memory operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) memory: MemoryOp,
    pub(crate) base: Value,
    pub(crate) offset: Value,
    pub(crate) predicate: Value,
}

impl<'m> Lowerer<'m, '_> {
    /// A size as a value.
    pub(crate) fn size_value(&mut self, size: Size) -> Value {
        match size {
            Size::Known(size) => self.b.i32(size),
            Size::Value(size) => size,
        }
    }

    /// The type of offsets in a range.
    pub(crate) fn offset_type(&self, range: &Range) -> Scalar {
        match range.size {
            Size::Known(_) => Scalar::I32,
            Size::Value(size) => self.scalar_type(size),
        }
    }

    /// The dynamic part of a pointer's offset, wrapping; none when there is none.
    pub(crate) fn dynamic_offset(&mut self, pointer: &Pointer) -> Option<Value> {
        let mut sum = None;
        for term in &pointer.terms {
            let part = self.scale(term.index, term.stride);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.b.op(Opcode::IAdd, &[sum, part]),
            });
        }
        sum
    }

    /// `value * factor`, wrapping.
    pub(crate) fn scale(&mut self, value: Value, factor: u64) -> Value {
        let scalar = self.scalar_type(value);
        if factor == 1 {
            return value;
        }
        if factor.is_power_of_two() && factor.trailing_zeros() < scalar.bits() {
            let amount = self.b.constant(scalar, factor.trailing_zeros().into());
            return self.b.op(Opcode::Shl, &[value, amount]);
        }
        let factor = self.b.constant(scalar, factor);
        self.b.op(Opcode::IMul, &[value, factor])
    }

    /// The whole offset as one value of the range's type, the greatest where it does not fit.
    pub(crate) fn range_offset_saturated(&mut self, pointer: &Pointer, range: &Range) -> Value {
        let scalar = self.offset_type(range);
        let greatest = u64::MAX >> (64 - scalar.bits());
        if pointer.offset > greatest {
            return self.offset_before(pointer, scalar);
        }
        let constant = self.b.constant(scalar, pointer.offset);
        let Some(first) = pointer.terms.first().copied() else { return constant };
        let dynamic = self.dynamic_offset(pointer).expect("it has terms");
        if first.stride == 1 && pointer.offset == 0 && pointer.terms.len() == 1 {
            return dynamic;
        }
        let sum = self.b.op(Opcode::IAdd, &[dynamic, constant]);
        let last = self.b.constant(scalar, (greatest - pointer.offset) / first.stride.max(1));
        let fits = self.b.op(Opcode::ULe, &[first.index, last]);
        let greatest = self.b.constant(scalar, greatest);
        self.b.select(fits, sum, greatest)
    }

    /// The same where the constant part is negative, as where `OpPtrAccessChain` goes back, or too large.
    fn offset_before(&mut self, pointer: &Pointer, scalar: Scalar) -> Value {
        let greatest = u64::MAX >> (64 - scalar.bits());
        let back = pointer.offset.wrapping_neg();
        let outside = self.b.constant(scalar, greatest);
        let (Some(first), true) = (pointer.terms.first().copied(), back <= greatest) else { return outside };
        let dynamic = self.dynamic_offset(pointer).expect("it has terms");
        let back = self.b.constant(scalar, back);
        let sum = self.b.op(Opcode::ISub, &[dynamic, back]);
        let last = self.b.constant(scalar, greatest / first.stride.max(1));
        let fits = self.b.op(Opcode::ULe, &[first.index, last]);
        let is_behind = self.b.op(Opcode::ULe, &[back, dynamic]);
        let fits = self.b.op(Opcode::And, &[fits, is_behind]);
        self.b.select(fits, sum, outside)
    }

    /// How many `i` from 0 have `i * stride + end <= size`.
    fn index_count(&mut self, range: &Range, end: u64, stride: u64) -> Value {
        let size = match range.size {
            Size::Known(size) => {
                let count = u64::from(size).checked_sub(end).map_or(0, |rest| rest / stride + 1);
                return self.b.i32(count as u32);
            }
            Size::Value(size) => size,
        };
        let key = (size, end, stride);
        if let Some(&count) = self.descriptors.index_counts.get(&key) {
            return count;
        }
        let compute = |cx: &mut Self| {
            let scalar = cx.scalar_type(size);
            let end = cx.b.constant(scalar, end);
            let fits = cx.b.op(Opcode::ULe, &[end, size]);
            let rest = cx.b.op(Opcode::ISub, &[size, end]);
            let quotient = if stride == 1 {
                rest
            } else if stride.is_power_of_two() {
                let amount = cx.b.constant(scalar, stride.trailing_zeros().into());
                cx.b.op(Opcode::LShr, &[rest, amount])
            } else {
                let stride = cx.b.constant(scalar, stride);
                cx.b.op(Opcode::UDiv, &[rest, stride])
            };
            let one = cx.b.constant(scalar, 1);
            let count = cx.b.op(Opcode::IAdd, &[quotient, one]);
            let zero = cx.b.constant(scalar, 0);
            cx.b.select(fits, count, zero)
        };
        if !range.hoisted {
            return compute(self);
        }
        let count = self.in_prologue(|cx| Ok(compute(cx))).expect("computing it cannot fail");
        self.descriptors.index_counts.insert(key, count);
        count
    }

    /// Whether `end` is inside a range.
    fn ends_inside(&mut self, range: &Range, end: u64) -> Value {
        match range.size {
            Size::Known(size) => self.b.bool(end <= size.into()),
            Size::Value(size) => {
                let end = self.b.constant(self.scalar_type(size), end);
                self.b.op(Opcode::ULe, &[end, size])
            }
        }
    }

    /// The operands of an access of `extent` bytes, `start` bytes behind what the pointer points to.
    pub(crate) fn range_address(
        &mut self,
        pointer: &Pointer,
        range: &Range,
        start: u64,
        extent: u64,
        access: Access,
    ) -> Address {
        let constant = pointer.offset.wrapping_add(start);
        let dynamic = self.dynamic_offset(pointer);
        let memory = MemoryOp {
            space: range.space,
            displacement: 0,
            volatile: access.volatile || pointer.volatile,
            speculatable: range.speculatable,
            pairs: false,
            whole_pairs: false,
            streaming: false,
            deferrable: false,
            apart: pointer.apart && range.hoisted && range.space == Space::Global,
        };
        let greatest = u64::MAX >> (64 - self.offset_type(range).bits());
        let end = constant.checked_add(extent).filter(|&end| end <= greatest);
        // The displacement can hold the constant part when that is not negative and small.
        let (Some(end), Ok(displacement)) = (end, i32::try_from(constant)) else {
            return self.range_address_wrapped(range, dynamic, constant, extent, memory);
        };
        let memory = memory.at(displacement);
        let (offset, predicate) = match (dynamic, &pointer.terms[..]) {
            (None, _) => (self.b.i32(0), self.ends_inside(range, end)),
            (Some(offset), &[term]) if term.stride <= u64::from(u32::MAX) => {
                let count = self.index_count(range, end, term.stride);
                (offset, self.b.op(Opcode::ULt, &[term.index, count]))
            }
            (Some(offset), terms) => {
                let count = self.index_count(range, end, 1);
                let inside = self.b.op(Opcode::ULt, &[offset, count]);
                let last = self.b.constant(self.scalar_type(offset), greatest / terms[0].stride.max(1));
                let fits = self.b.op(Opcode::ULe, &[terms[0].index, last]);
                (offset, self.b.op(Opcode::And, &[inside, fits]))
            }
        };
        Address { memory, base: range.base, offset, predicate }
    }

    /// The same where the constant part goes into the dynamic one: it is negative or large.
    fn range_address_wrapped(
        &mut self,
        range: &Range,
        dynamic: Option<Value>,
        constant: u64,
        extent: u64,
        memory: MemoryOp,
    ) -> Address {
        let scalar = self.offset_type(range);
        let greatest = u64::MAX >> (64 - scalar.bits());
        let added = self.b.constant(scalar, constant & greatest);
        let Some(dynamic) = dynamic.filter(|_| extent <= greatest) else {
            // Known to be outside, unless it is just too large for a displacement.
            let predicate = match constant.checked_add(extent).filter(|&end| end <= greatest) {
                Some(end) => self.ends_inside(range, end),
                None => self.b.bool(false),
            };
            return Address { memory, base: range.base, offset: added, predicate };
        };
        let offset = self.b.op(Opcode::IAdd, &[dynamic, added]);
        let count = self.index_count(range, extent, 1);
        let predicate = self.b.op(Opcode::ULt, &[offset, count]);
        Address { memory, base: range.base, offset, predicate }
    }

    /// The displacement of a component of a leaf; the address covers the leaf from its start.
    fn component_address(&mut self, address: Address, bytes: u64) -> Address {
        let displacement = i64::from(address.memory.displacement) + bytes as i64;
        match i32::try_from(displacement) {
            Ok(displacement) => Address { memory: address.memory.at(displacement), ..address },
            Err(_) => {
                let added = self.b.constant(self.scalar_type(address.offset), bytes);
                let offset = self.b.op(Opcode::IAdd, &[address.offset, added]);
                Address { offset, ..address }
            }
        }
    }

    pub(crate) fn range_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        access: Access,
        scalars: &mut Scalars,
    ) -> Result {
        let PointerBase::Range(range) = &pointer.base else { unreachable!("the caller has looked") };
        for leaf in leaves {
            let address = self.range_address(pointer, range, leaf.offset, leaf.extent(), access);
            for index in 0..u64::from(leaf.count) {
                let at = self.component_address(address, index * leaf.stride);
                scalars.push(self.load_scalar(leaf.scalar, at));
            }
        }
        Ok(())
    }

    pub(crate) fn range_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
        access: Access,
    ) -> Result {
        let PointerBase::Range(range) = &pointer.base else { unreachable!("the caller has looked") };
        range.expect_writable()?;
        let mut value = value.iter();
        for leaf in leaves {
            let mut address = self.range_address(pointer, range, leaf.offset, leaf.extent(), access);
            address.memory.speculatable = false;
            for (index, &component) in
                (0..u64::from(leaf.count)).zip(value.by_ref().take(leaf.count as usize))
            {
                let at = self.component_address(address, index * leaf.stride);
                self.store_scalar(leaf.scalar, at, component);
            }
        }
        Ok(())
    }

    /// One load; booleans are `i32` in memory.
    pub(crate) fn load_scalar(&mut self, scalar: Scalar, at: Address) -> Value {
        if scalar != Scalar::I1 {
            return self.b.load(scalar, at.memory, at.base, at.offset, at.predicate);
        }
        let word = self.b.load(Scalar::I32, at.memory, at.base, at.offset, at.predicate);
        let zero = self.b.i32(0);
        self.b.op(Opcode::INe, &[word, zero])
    }

    /// A predicate of a write, false in invocations that may not write.
    pub(crate) fn write_predicate(&mut self, predicate: Value) -> Value {
        let stage = self.stage;
        match stage.may_write(self) {
            Some(may_write) if self.b.function.const_bits(predicate) == Some(1) => may_write,
            Some(may_write) => self.b.op(Opcode::And, &[predicate, may_write]),
            None => predicate,
        }
    }

    /// One store; booleans are `i32` in memory.
    pub(crate) fn store_scalar(&mut self, scalar: Scalar, at: Address, value: Value) {
        let value = match scalar {
            Scalar::I1 => self.b.convert(Opcode::ZeroExtend, value, Scalar::I32),
            _ => value,
        };
        if self.b.function.const_bits(at.predicate) != Some(0) {
            let predicate = self.write_predicate(at.predicate);
            self.b.store(at.memory, at.base, at.offset, value, predicate);
        }
    }
}
