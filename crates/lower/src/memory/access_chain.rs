//! Pointers: a place, and a byte offset in it.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::pointer::{Index, MemoryLayout, Pointer, PointerBase, Term};
use crate::types::{element_count, element_type};
use pyro_ir::{Opcode, Scalar};
use pyro_spirv::spirv::{Decoration, Op, RawAccessChainOperands, StorageClass};
use pyro_spirv::{Id, Ids, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// Whether the indices of a pointer are `i64`.
    pub(crate) fn has_wide_indices(&self, pointer: &Pointer) -> bool {
        match &pointer.base {
            PointerBase::Physical { .. } => true,
            PointerBase::Range(range) => self.offset_type(range) == Scalar::I64,
            _ => false,
        }
    }

    /// Adds `index * stride` to a pointer's offset. `count` is how many elements there are, if known.
    pub(crate) fn add_index(&mut self, pointer: &mut Pointer, index: Index, stride: u64, count: Option<u64>) {
        match index {
            Index::Constant(mut index) => {
                if let (PointerBase::Slot { .. } | PointerBase::Soa(_), Some(count)) = (&pointer.base, count)
                {
                    index = (index as u64).min(count.saturating_sub(1)) as i64;
                }
                pointer.offset = pointer.offset.wrapping_add((index as u64).wrapping_mul(stride));
            }
            Index::Dynamic(_) if stride == 0 => {}
            Index::Dynamic(index) => {
                let count = count.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
                let index = match &pointer.base {
                    _ if self.has_wide_indices(pointer) => match self.scalar_type(index) {
                        Scalar::I64 => index,
                        _ => self.b.convert(Opcode::SignExtend, index, Scalar::I64),
                    },
                    PointerBase::Slot { .. } | PointerBase::Soa(_) => {
                        let index = self.index_i32(index);
                        let last = self.b.i32(count.unwrap_or(1).saturating_sub(1));
                        self.b.op(Opcode::UMin, &[index, last])
                    }
                    _ => self.index_i32(index),
                };
                pointer.terms.push(Term { index, stride, count });
            }
        }
    }

    /// Adds the `Element` of `OpPtrAccessChain`, which may go back. A constant offset alone goes into one
    /// term with it: terms that stand alone are indices, of which none is negative.
    fn add_element(&mut self, pointer: &mut Pointer, element: Index, stride: u64) {
        let is_alone = pointer.terms.is_empty() && pointer.offset != 0;
        self.add_index(pointer, element, stride, None);
        if let (true, PointerBase::Range(range), &[term]) = (is_alone, &pointer.base, &pointer.terms[..]) {
            let scalar = self.offset_type(range);
            let part = self.scale(term.index, term.stride);
            let constant = self.b.constant(scalar, pointer.offset & u64::MAX >> (64 - scalar.bits()));
            let index = self.b.op(Opcode::IAdd, &[part, constant]);
            pointer.terms = [Term { index, stride: 1, count: None }].into_iter().collect();
            pointer.offset = 0;
        }
    }

    /// Goes from a pointer to a composite to a pointer to one of its parts.
    pub(crate) fn step(&mut self, pointer: &mut Pointer, index: Index) -> Result {
        let Some(ty) = pointer.pointee else { return invalid("an access chain on a pointer without a type") };
        if let PointerBase::Descriptors { .. } = pointer.base {
            let element = element_type(self.module, ty)?;
            let inner = self.descriptor_count(element)?;
            self.add_index(pointer, index, inner, None);
            pointer.pointee = Some(element);
            return self.resolve_descriptor(pointer);
        }
        if let PointerBase::TileImages { .. } = pointer.base {
            let element = element_type(self.module, ty)?;
            let inner = self.descriptor_count(element)?;
            self.add_index(pointer, index, inner, None);
            pointer.pointee = Some(element);
            return Ok(());
        }
        if let PointerBase::Soa(_) = pointer.base {
            return self.soa_step(pointer, index);
        }
        match self.module.ty(ty) {
            Type::Struct { members } => {
                let Index::Constant(member) = index else { return invalid("a dynamic index of a structure") };
                let member = usize::try_from(member).unwrap_or(usize::MAX);
                let Some(member_ty) = members.get(member) else {
                    return invalid(format!("structure {ty} has no member {member}"));
                };
                let (start, layout) = self.member_place(ty, member, pointer.layout)?;
                pointer.volatile |= self
                    .module
                    .member_decoration(ty, member as u32, pyro_spirv::spirv::Decoration::Volatile)
                    .is_some();
                pointer.offset = pointer.offset.wrapping_add(start);
                pointer.layout = layout;
                pointer.pointee = Some(member_ty);
            }
            Type::Vector { component, .. } | Type::CooperativeVector { component, .. } => {
                let count = element_count(&self.constants, ty)?;
                let scalar = crate::types::scalar_of(self.module, component)?;
                let stride = pointer.layout.component_stride(scalar);
                self.add_index(pointer, index, stride.into(), Some(count));
                pointer.layout.component_stride = None;
                pointer.pointee = Some(component);
            }
            Type::Matrix { .. }
            | Type::Array { .. }
            | Type::CooperativeMatrixKhr { .. }
            | Type::CooperativeMatrixNv { .. } => {
                let count = element_count(&self.constants, ty)?;
                let (stride, layout) = self.element_stride(ty, pointer.layout)?;
                self.add_index(pointer, index, stride, Some(count));
                pointer.layout = layout;
                pointer.pointee = Some(element_type(self.module, ty)?);
            }
            Type::NodePayloadArray { payload } => {
                let stride = self.payload_stride(ty, payload)?;
                self.add_index(pointer, index, stride, None);
                pointer.pointee = Some(payload);
            }
            Type::RuntimeArray { element } => {
                let (stride, layout) = self.element_stride(ty, pointer.layout)?;
                self.add_index(pointer, index, stride, None);
                pointer.layout = layout;
                pointer.pointee = Some(element);
            }
            _ => {
                let text = crate::types::type_text(self.module, ty);
                return invalid(format!("an access chain goes into {text}, which has no parts"));
            }
        }
        Ok(())
    }

    fn walk(&mut self, pointer: &mut Pointer, indices: Ids<'m>) -> Result {
        for id in indices.iter() {
            pointer.non_uniform |= self.is_non_uniform(Some(id));
            let index = self.index(id)?;
            self.step(pointer, index)?;
        }
        Ok(())
    }

    /// `OpAccessChain`, `OpInBoundsAccessChain`
    pub(crate) fn lower_access_chain(&mut self, inst: Instruction<'m>) -> Result {
        let mut pointer = self.pointer(inst.id(0))?;
        self.walk(&mut pointer, inst.ids_from(1))?;
        pointer.non_uniform |= self.is_non_uniform(inst.result());
        self.define(inst, pointer.into())
    }

    /// `ArrayStride` of a pointer type, where its storage class is laid out by decorations: without blocks,
    /// workgroup memory is laid out as we like, whatever its types say.
    fn pointer_stride(&self, ty: Id) -> Option<u64> {
        let is_shared = matches!(self.module.ty(ty), Type::Pointer { class: StorageClass::Workgroup, .. });
        let stride = self.module.array_stride(ty).filter(|_| !is_shared || self.workgroup.has_blocks);
        stride.map(u64::from)
    }

    /// `OpPtrAccessChain`, `OpInBoundsPtrAccessChain`
    pub(crate) fn lower_ptr_access_chain(&mut self, inst: Instruction<'m>) -> Result {
        let mut pointer = self.pointer(inst.id(0))?;
        let base_type = self.type_of(inst.id(0))?;
        let stride = match (self.pointer_stride(base_type), pointer.pointee) {
            (Some(stride), _) => stride,
            (None, Some(pointee)) if !pointer.layout.explicit => {
                self.types.extent(&self.constants, pointee)?.stride()
            }
            _ => return invalid(format!("pointer type {base_type} has no ArrayStride")),
        };
        let element = self.index(inst.id(1))?;
        self.add_element(&mut pointer, element, stride);
        self.walk(&mut pointer, inst.ids_from(2))?;
        self.define(inst, pointer.into())
    }

    /// The access chains of untyped pointers: the first operand is the type that the base points to.
    pub(crate) fn lower_untyped_access_chain(&mut self, inst: Instruction<'m>) -> Result {
        let ty = inst.id(0);
        let mut pointer = self.pointer(inst.id(1))?;
        let is_ptr = matches!(inst.op(), Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
        if let PointerBase::Slot { .. } | PointerBase::Soa(_) = pointer.base {
            // What is accessed as different types must lie in memory; Vulkan has no such pointers.
            return unsupported("untyped pointers to private variables");
        }
        if let PointerBase::Descriptors { .. } = pointer.base {
            // The variable's own type says how many buffers there are.
        } else {
            pointer.pointee = Some(ty);
            pointer.layout = MemoryLayout::EXPLICIT;
        }
        if is_ptr {
            let element = self.index(inst.id(2))?;
            let stride = match self.module.ty(ty) {
                Type::Array { .. } | Type::RuntimeArray { .. } => {
                    let (stride, _) = self.element_stride(ty, pointer.layout)?;
                    pointer.pointee = Some(element_type(self.module, ty)?);
                    stride
                }
                _ => self.types.extent(&self.constants, ty)?.stride(),
            };
            self.add_element(&mut pointer, element, stride);
        }
        self.walk(&mut pointer, inst.ids_from(if is_ptr { 3 } else { 2 }))?;
        pointer.non_uniform |= self.is_non_uniform(inst.result());
        self.define(inst, pointer.into())
    }

    /// `OpRawAccessChainNV`: `Base + Stride * Index + Offset` bytes, seen as another type.
    ///
    /// Where the sum wraps nothing outside the buffer is touched: [`super::range`] tests the first term by
    /// itself. Checking a whole element (`RobustnessPerElementNV`) may assume that no element is partly
    /// inside, so it is checked as what is accessed of it.
    pub(crate) fn lower_raw_access_chain(&mut self, inst: Instruction<'m>) -> Result {
        let mut pointer = self.pointer(inst.id(0))?;
        if !matches!(pointer.base, PointerBase::Range(_) | PointerBase::Physical { .. }) {
            return unsupported("OpRawAccessChainNV on something that is not a single buffer");
        }
        let result_type = self.result_type(inst)?;
        let Type::Pointer { pointee, .. } = self.module.ty(result_type) else {
            return invalid("the result of OpRawAccessChainNV is not a pointer");
        };
        let Some(stride) = self.constants.scalar(inst.id(1)) else {
            return invalid("the stride of OpRawAccessChainNV is not a constant");
        };
        for (id, stride) in [(inst.id(2), stride), (inst.id(3), 1)] {
            let index = self.unsigned_index(id, &pointer)?;
            self.add_index(&mut pointer, index, stride, None);
        }
        let operands = RawAccessChainOperands::from_bits_retain(inst.get_word(4).unwrap_or(0));
        pointer.checks_components = operands.contains(RawAccessChainOperands::ROBUSTNESS_PER_COMPONENT_NV);
        pointer.pointee = Some(pointee);
        pointer.layout = MemoryLayout::EXPLICIT;
        pointer.volatile |= self.has_decoration(inst.result(), Decoration::Volatile);
        pointer.non_uniform |= self.is_non_uniform(inst.result());
        self.define(inst, pointer.into())
    }

    /// A 32-bit index that has no sign, whatever its type says.
    fn unsigned_index(&mut self, id: Id, pointer: &Pointer) -> Result<Index> {
        let value = match self.index(id)? {
            Index::Constant(index) => return Ok(Index::Constant(index & i64::from(u32::MAX))),
            Index::Dynamic(value) => value,
        };
        if self.scalar_type(value) != Scalar::I32 {
            return invalid(format!("{id} is not a 32-bit index"));
        }
        Ok(Index::Dynamic(match self.has_wide_indices(pointer) {
            true => self.b.convert(Opcode::ZeroExtend, value, Scalar::I64),
            false => value,
        }))
    }

    /// `OpPtrEqual`, `OpPtrNotEqual`, `OpPtrDiff`
    pub(crate) fn lower_pointer_comparison(&mut self, inst: Instruction<'m>) -> Result {
        let (left, right) = (self.pointer(inst.id(0))?, self.pointer(inst.id(1))?);
        if inst.op() == Op::PtrDiff {
            let ty = self.type_of(inst.id(0))?;
            let stride = match (self.pointer_stride(ty), left.pointee) {
                (Some(stride), _) => stride,
                // Of untyped pointers, bytes.
                _ if matches!(self.module.ty(ty), Type::UntypedPointer { .. }) => 1,
                (None, Some(pointee)) => self.types.extent(&self.constants, pointee)?.stride(),
                (None, None) => return invalid(format!("pointer type {ty} has no ArrayStride")),
            };
            let (left, right) = (self.pointer_scalars(&left)?, self.pointer_scalars(&right)?);
            let (Some(&left), Some(&right)) = (left.last(), right.last()) else {
                return invalid("pointers without scalars");
            };
            let bytes = self.op(Opcode::ISub, &[left, right])?;
            let stride = self.b.constant(self.scalar_type(bytes), stride.max(1));
            let count = self.op(Opcode::SDiv, &[bytes, stride])?;
            let to = self.result_scalar(inst)?;
            let count = self.integer_of_width(count, to, true)?;
            return self.define_scalar(inst, count);
        }
        let (left, right) = (self.pointer_scalars(&left)?, self.pointer_scalars(&right)?);
        let mut equal = self.b.bool(true);
        for (position, (&left, &right)) in left.iter().zip(&right).enumerate() {
            // Of base, size and offset, the size follows from the base.
            if position == 1 {
                continue;
            }
            let same = self.op(Opcode::IEq, &[left, right])?;
            equal = self.b.op(Opcode::And, &[equal, same]);
        }
        if inst.op() == Op::PtrNotEqual {
            equal = self.b.op(Opcode::Not, &[equal]);
        }
        self.define_scalar(inst, equal)
    }
}
