//! Private variables.
//!
//! A dynamic index into few elements (a vector, a small array) becomes reads of all of them and selects, so
//! that the variable can become SSA values; otherwise the offset is dynamic, and the passes put the variable
//! into memory. Indices have been limited to the number of elements when the pointer was made.

use crate::context::Lowerer;
use crate::error::{Result, limit};
use crate::limits::SLOT_BYTES_MAX;
use crate::memory::Leaf;
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::types::{element_count, element_type};
use crate::value::Scalars;
use pyro_ir::{Opcode, Scalar, Slot, Value};
use pyro_spirv::{Id, Type};

/// Elements of one dimension that are selected from rather than addressed.
const SELECT_DIMENSION_MAX: u64 = 4;
/// Elements of all dimensions together.
const SELECT_COUNT_MAX: u64 = 16;

/// One way that a pointer's dynamic indices can go.
struct Case {
    offset: u64,
    /// Whether the indices are these; none for the last case, which is what remains.
    condition: Option<Value>,
}

impl Lowerer<'_, '_> {
    /// A new private variable.
    pub(crate) fn make_slot(&mut self, ty: Id) -> Result<Pointer> {
        let extent = self.types.extent(&self.constants, ty)?;
        if extent.size > SLOT_BYTES_MAX {
            return limit(format!("a private variable of {} bytes", extent.size));
        }
        let slot = self.b.function.add_slot(extent.stride() as u32);
        let mut largest = 1;
        let product = self.index_product(ty, &mut largest)?;
        let bools_in_memory = product > SELECT_COUNT_MAX || largest > SELECT_DIMENSION_MAX;
        Ok(Pointer::new(PointerBase::Slot { slot, bools_in_memory }, Some(ty), MemoryLayout::LOGICAL))
    }

    /// The greatest product of element counts on the way to a scalar; `largest` becomes the greatest count.
    fn index_product(&self, ty: Id, largest: &mut u64) -> Result<u64> {
        Ok(match self.module.ty(ty) {
            Type::Vector { .. }
            | Type::CooperativeVector { .. }
            | Type::CooperativeMatrixKhr { .. }
            | Type::CooperativeMatrixNv { .. }
            | Type::Matrix { .. }
            | Type::Array { .. } => {
                let count = element_count(&self.constants, ty)?;
                *largest = (*largest).max(count);
                count.saturating_mul(self.index_product(element_type(self.module, ty)?, largest)?)
            }
            Type::Struct { members } => {
                let mut product = 1;
                for member in members.iter() {
                    product = product.max(self.index_product(member, largest)?);
                }
                product
            }
            _ => 1,
        })
    }

    /// The ways of a pointer with few; none when it must be addressed dynamically.
    fn slot_cases(&mut self, pointer: &Pointer) -> Option<Vec<Case>> {
        if !pointer.terms.is_empty() && self.is_cooperative(pointer) {
            return None;
        }
        let mut product = 1u64;
        for term in &pointer.terms {
            let count = u64::from(term.count?);
            product = product.saturating_mul(count);
            if count > SELECT_DIMENSION_MAX || product > SELECT_COUNT_MAX {
                return None;
            }
        }
        let mut cases = vec![Case { offset: pointer.offset, condition: None }];
        for term in &pointer.terms {
            let count = term.count?;
            let mut next = Vec::with_capacity(cases.len() * count as usize);
            for index in 0..count {
                let number = self.b.i32(index);
                let here = self.b.op(Opcode::IEq, &[term.index, number]);
                for case in &cases {
                    let condition = match case.condition {
                        Some(before) => self.b.op(Opcode::And, &[before, here]),
                        None => here,
                    };
                    next.push(Case {
                        offset: case.offset.wrapping_add(u64::from(index).wrapping_mul(term.stride)),
                        condition: Some(condition),
                    });
                }
            }
            cases = next;
        }
        if let Some(last) = cases.last_mut() {
            last.condition = None;
        }
        Some(cases)
    }

    /// Whether a pointer is to a whole cooperative matrix or vector. All lanes have the same index then, so
    /// addressed components are vector moves, and far fewer than those of all elements with a select for
    /// each.
    fn is_cooperative(&self, pointer: &Pointer) -> bool {
        pointer.pointee.is_some_and(|ty| {
            matches!(
                self.module.ty(ty),
                Type::CooperativeVector { .. }
                    | Type::CooperativeMatrixKhr { .. }
                    | Type::CooperativeMatrixNv { .. }
            )
        })
    }

    pub(crate) fn slot_load(&mut self, pointer: &Pointer, leaves: &[Leaf], scalars: &mut Scalars) -> Result {
        let PointerBase::Slot { slot, bools_in_memory } = pointer.base else {
            unreachable!("the caller has looked")
        };
        let cases = self.slot_cases(pointer);
        let dynamic = if cases.is_some() { None } else { self.dynamic_offset(pointer) };
        for leaf in leaves {
            for index in 0..u64::from(leaf.count) {
                let start = leaf.offset + index * leaf.stride;
                let value = match &cases {
                    Some(cases) => {
                        let mut value = None;
                        for case in cases.iter().rev() {
                            let here = self.b.i32(case.offset.wrapping_add(start) as u32);
                            let here = self.slot_read(slot, bools_in_memory, leaf.scalar, here);
                            value = Some(match (value, case.condition) {
                                (Some(other), Some(condition)) => self.b.select(condition, here, other),
                                _ => here,
                            });
                        }
                        value.expect("there is a case")
                    }
                    None => {
                        let at = self.slot_offset(dynamic, pointer.offset.wrapping_add(start));
                        self.slot_read(slot, bools_in_memory, leaf.scalar, at)
                    }
                };
                scalars.push(value);
            }
        }
        Ok(())
    }

    pub(crate) fn slot_store(&mut self, pointer: &Pointer, leaves: &[Leaf], value: &[Value]) -> Result {
        let PointerBase::Slot { slot, bools_in_memory } = pointer.base else {
            unreachable!("the caller has looked")
        };
        let cases = self.slot_cases(pointer);
        let dynamic = if cases.is_some() { None } else { self.dynamic_offset(pointer) };
        let mut value = value.iter();
        for leaf in leaves {
            for (index, &component) in
                (0..u64::from(leaf.count)).zip(value.by_ref().take(leaf.count as usize))
            {
                let start = leaf.offset + index * leaf.stride;
                let Some(cases) = &cases else {
                    let at = self.slot_offset(dynamic, pointer.offset.wrapping_add(start));
                    self.slot_write(slot, bools_in_memory, at, component);
                    continue;
                };
                if let [only] = &cases[..] {
                    let at = self.b.i32(only.offset.wrapping_add(start) as u32);
                    self.slot_write(slot, bools_in_memory, at, component);
                    continue;
                }
                // The last case is what no other is.
                let mut other = self.b.bool(false);
                for case in cases {
                    let condition = match case.condition {
                        Some(condition) => {
                            other = self.b.op(Opcode::Or, &[other, condition]);
                            condition
                        }
                        None => self.b.op(Opcode::Not, &[other]),
                    };
                    let at = self.b.i32(case.offset.wrapping_add(start) as u32);
                    let old = self.slot_read(slot, bools_in_memory, leaf.scalar, at);
                    let new = self.b.select(condition, component, old);
                    self.slot_write(slot, bools_in_memory, at, new);
                }
            }
        }
        Ok(())
    }

    fn slot_offset(&mut self, dynamic: Option<Value>, constant: u64) -> Value {
        match dynamic {
            Some(dynamic) if constant == 0 => dynamic,
            Some(dynamic) => {
                let constant = self.b.i32(constant as u32);
                self.b.op(Opcode::IAdd, &[dynamic, constant])
            }
            None => self.b.i32(constant as u32),
        }
    }

    fn slot_read(&mut self, slot: Slot, bools_in_memory: bool, scalar: Scalar, at: Value) -> Value {
        if scalar == Scalar::I1 && bools_in_memory {
            let word = self.b.slot_load(Scalar::I32, slot, at);
            let zero = self.b.i32(0);
            return self.b.op(Opcode::INe, &[word, zero]);
        }
        self.b.slot_load(scalar, slot, at)
    }

    fn slot_write(&mut self, slot: Slot, bools_in_memory: bool, at: Value, value: Value) {
        let value = if bools_in_memory && self.scalar_type(value) == Scalar::I1 {
            self.b.convert(Opcode::ZeroExtend, value, Scalar::I32)
        } else {
            value
        };
        self.b.slot_store(slot, at, value);
    }
}
