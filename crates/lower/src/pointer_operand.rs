//! Pointers and indices as operands: the scalars that carry a pointer, and what an index is.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::pointer::{Index, MemoryLayout, Pointer, PointerBase, Range, Size, Term};
use crate::value::{Operand, Scalars};
use pyro_abi::ray::UNRESOLVED;
use pyro_ir::{Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::StorageClass;
use pyro_spirv::{Id, Type};

impl<'m> Lowerer<'m, '_> {
    /// A pointer from the scalars that [`Lowerer::pointer_scalars`] gave.
    pub(crate) fn pointer_of_scalars(&self, ty: Id, scalars: &[Value]) -> Result<Pointer> {
        let (class, pointee) = match self.module.ty(ty) {
            Type::Pointer { class, pointee } => (class, Some(pointee)),
            Type::UntypedPointer { class } => (class, None),
            _ => return invalid(format!("{ty} is not a pointer type")),
        };
        match (class, scalars) {
            (StorageClass::PhysicalStorageBuffer, &[address]) => {
                Ok(Pointer::new(PointerBase::Physical { address }, pointee, MemoryLayout::EXPLICIT))
            }
            (_, &[base, size, offset]) => {
                let space = match class {
                    StorageClass::Workgroup => Space::Shared,
                    StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant => {
                        Space::Global
                    }
                    _ => return unsupported(format!("variable pointers to {class:?} storage")),
                };
                let explicit = class != StorageClass::Workgroup || self.workgroup.has_blocks;
                let layout = if explicit { MemoryLayout::EXPLICIT } else { MemoryLayout::LOGICAL };
                let size = Size::Value(size);
                let range = Range { base, size, hoisted: false, space, speculatable: false };
                let mut pointer = Pointer::new(PointerBase::Range(range), pointee, layout);
                pointer.terms.push(Term { index: offset, stride: 1, count: None });
                Ok(pointer)
            }
            _ => invalid(format!("a pointer of {} scalars", scalars.len())),
        }
    }

    /// A pointer as scalars that may go through phis, selects and memory.
    pub(crate) fn pointer_scalars(&mut self, pointer: &Pointer) -> Result<Scalars> {
        match &pointer.base {
            PointerBase::Physical { .. } => {
                let address = self.physical_address(pointer);
                Ok(smallvec::smallvec![address])
            }
            PointerBase::Range(range) => {
                let size = self.size_value(range.size);
                let offset = self.range_offset_saturated(pointer, range);
                Ok(smallvec::smallvec![range.base, size, offset])
            }
            PointerBase::Slot { .. } | PointerBase::Soa(_) => {
                unsupported("pointers to private variables as values")
            }
            PointerBase::Descriptors { .. } | PointerBase::Texel(_) | PointerBase::TileImages { .. } => {
                unsupported("pointers to resources as values")
            }
        }
    }

    /// Scalars as what their type says: a value, or a pointer.
    pub(crate) fn operand_of_type(&mut self, ty: Id, scalars: Scalars) -> Result<Operand> {
        match self.module.ty(ty) {
            Type::Pointer { .. } | Type::UntypedPointer { .. } => {
                Ok(self.pointer_of_scalars(ty, &scalars)?.into())
            }
            _ => Ok(Operand::Data(scalars)),
        }
    }

    /// An operand of an access chain.
    pub(crate) fn index(&mut self, id: Id) -> Result<Index> {
        if let Some(value) = self.constants.integer(id) {
            return Ok(Index::Constant(value as i64));
        }
        let value = self.scalar(id)?;
        let scalar = self.scalar_type(value);
        if !scalar.is_int() {
            return invalid(format!("{id} is not an index"));
        }
        Ok(match self.b.function.const_bits(value) {
            Some(bits) => {
                let shift = 64 - scalar.bits();
                Index::Constant(((bits << shift) as i64) >> shift)
            }
            None => Index::Dynamic(value),
        })
    }

    /// An index as `i32`: narrow ones by their sign, wide ones limited, so that none that is out of range
    /// comes into range.
    pub(crate) fn index_i32(&mut self, index: Value) -> Value {
        match self.scalar_type(index) {
            Scalar::I32 => index,
            Scalar::I64 => {
                let greatest = self.b.i64(u32::MAX.into());
                let limited = self.b.op(Opcode::UMin, &[index, greatest]);
                self.b.convert(Opcode::Truncate, limited, Scalar::I32)
            }
            _ => self.b.convert(Opcode::SignExtend, index, Scalar::I32),
        }
    }

    /// The acceleration structure at a device address; the null one where that is zero.
    pub(crate) fn structure_at(&mut self, address: Value) -> Value {
        let (zero, mark) = (self.b.i64(0), self.b.i64(UNRESOLVED));
        let is_null = self.b.op(Opcode::IEq, &[address, zero]);
        let structure = self.b.op(Opcode::Or, &[address, mark]);
        self.b.select(is_null, zero, structure)
    }
}
