//! Memory: pointers, loads and stores, and the kinds of place that they go to.

pub(crate) mod access_chain;
pub(crate) mod buffer;
pub(crate) mod copy;
pub(crate) mod heap;
pub(crate) mod physical;
pub(crate) mod range;
pub(crate) mod shared;
pub(crate) mod slot;
pub(crate) mod soa_mesh;
pub(crate) mod soa_varyings;
pub(crate) mod variable;

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::types::{element_count, element_type, memory_bytes, scalar_of};
use crate::value::{Operand, Scalars};
use pyro_abi::ray::STATE_WORDS;
use pyro_ir::Scalar;
use pyro_spirv::spirv::{BuiltIn, Decoration, MemoryAccess, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// One scalar, or the components of one vector, as they lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Bytes from the start of the value.
    pub(crate) offset: u64,
    /// What each component is; booleans take four bytes.
    pub(crate) scalar: Scalar,
    /// Components.
    pub(crate) count: u32,
    /// Bytes from one component to the next.
    pub(crate) stride: u64,
}

impl Leaf {
    /// Bytes from the first component's start to the last one's end.
    pub(crate) fn extent(&self) -> u64 {
        u64::from(self.count.saturating_sub(1)) * self.stride + u64::from(memory_bytes(self.scalar))
    }
}

/// How an access asks to be made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Access {
    /// Neither merged nor removed.
    pub(crate) volatile: bool,
}

impl Access {
    /// From the memory operands that start at `position`.
    pub(crate) fn of(inst: Instruction<'_>, position: usize) -> Access {
        let mask = MemoryAccess::from_bits_retain(inst.get_word(position).unwrap_or(0));
        Access { volatile: mask.contains(MemoryAccess::VOLATILE) }
    }
}

impl<'m> Lowerer<'m, '_> {
    /// The vectors and scalars that a value of a type consists of, in the order of its scalars.
    pub(crate) fn leaves(&mut self, ty: Id, layout: MemoryLayout) -> Result<Vec<Leaf>> {
        // Fails when the type has too many scalars.
        self.type_scalars(ty)?;
        let mut leaves = Vec::new();
        self.collect_leaves(ty, layout, 0, &mut leaves)?;
        Ok(leaves)
    }

    /// The same of an access through a pointer, split into what is checked together.
    fn accessed_leaves(&mut self, pointer: &Pointer, ty: Id) -> Result<Vec<Leaf>> {
        let leaves = self.leaves(ty, pointer.layout)?;
        // The words of ray queries come from nowhere but variables of such, as they are trusted.
        let is_trusted = |slot| self.b.function.slots[slot].keeps;
        let is_kept = matches!(pointer.base, PointerBase::Slot { slot, .. } if is_trusted(slot));
        if leaves.iter().any(|leaf| leaf.count as usize == STATE_WORDS) && !is_kept && self.has_ray_query(ty)
        {
            return unsupported("ray queries in other than private memory");
        }
        if !pointer.checks_components {
            return Ok(leaves);
        }
        let split = |leaf: &Leaf| {
            let leaf = *leaf;
            (0..leaf.count).map(move |index| Leaf {
                offset: leaf.offset.wrapping_add(u64::from(index) * leaf.stride),
                count: 1,
                ..leaf
            })
        };
        Ok(leaves.iter().flat_map(split).collect())
    }

    /// As deep as types nest, which decoding limits.
    fn collect_leaves(
        &mut self,
        ty: Id,
        layout: MemoryLayout,
        offset: u64,
        leaves: &mut Vec<Leaf>,
    ) -> Result {
        match self.module.ty(ty) {
            Type::Vector { component, .. } | Type::CooperativeVector { component, .. } => {
                let count = self.vector_count(ty).filter(|&count| count != 0);
                let Some(count) = count else {
                    return invalid(format!("vector type {ty} has no components"));
                };
                let scalar = scalar_of(self.module, component)?;
                let stride = layout.component_stride(scalar);
                leaves.push(Leaf { offset, scalar, count, stride: stride.into() });
            }
            Type::Matrix { .. }
            | Type::Array { .. }
            | Type::CooperativeMatrixKhr { .. }
            | Type::CooperativeMatrixNv { .. } => {
                let count = element_count(&self.constants, ty)?;
                let element = element_type(self.module, ty)?;
                if self.type_scalars(element)?.is_empty() {
                    return Ok(());
                }
                let (stride, layout) = self.element_stride(ty, layout)?;
                for index in 0..count {
                    let offset = offset.wrapping_add(index.wrapping_mul(stride));
                    self.collect_leaves(element, layout, offset, leaves)?;
                }
            }
            Type::Struct { members } => {
                for (index, member) in members.iter().enumerate() {
                    let (start, layout) = self.member_place(ty, index, layout)?;
                    self.collect_leaves(member, layout, offset.wrapping_add(start), leaves)?;
                }
            }
            Type::RayQuery => {
                let count = STATE_WORDS as u32;
                leaves.push(Leaf { offset, scalar: Scalar::I32, count, stride: 4 });
            }
            Type::TensorLayout { .. } | Type::TensorView { .. } => {
                let count = crate::types::tensor_words(&self.constants, ty)?;
                leaves.push(Leaf { offset, scalar: Scalar::I32, count, stride: 4 });
            }
            Type::Pointer { class, .. } | Type::UntypedPointer { class }
                if class != StorageClass::PhysicalStorageBuffer =>
            {
                leaves.extend(self.types.range_pointer(class).map(|(scalar, start)| Leaf {
                    offset: offset.wrapping_add(start),
                    scalar,
                    count: 1,
                    stride: 0,
                }));
            }
            _ => {
                let scalars = self.type_scalars(ty)?;
                let &[scalar] = &scalars[..] else { return invalid(format!("{ty} has no place in memory")) };
                leaves.push(Leaf { offset, scalar, count: 1, stride: 0 });
            }
        }
        Ok(())
    }

    /// Bytes between the elements of a matrix or array type, and the elements' layout.
    pub(crate) fn element_stride(&mut self, ty: Id, layout: MemoryLayout) -> Result<(u64, MemoryLayout)> {
        let element = element_type(self.module, ty)?;
        if let Some(soa) = layout.soa {
            return self.soa_stride(element, soa, layout);
        }
        if let (Type::Matrix { .. }, Some(matrix)) = (self.module.ty(ty), layout.matrix)
            && layout.explicit
        {
            let column = MemoryLayout { matrix: None, ..layout };
            return Ok(if matrix.row_major {
                let component = element_type(self.module, element)?;
                let size = memory_bytes(scalar_of(self.module, component)?);
                (size.into(), MemoryLayout { component_stride: Some(matrix.stride), ..column })
            } else {
                (matrix.stride.into(), column)
            });
        }
        if layout.explicit
            && let Some(stride) = self.module.decoration(ty, Decoration::ArrayStrideIdEXT)
            && let Some(stride) = stride.id().and_then(|stride| self.constants.unsigned(stride))
        {
            return Ok((stride.into(), layout));
        }
        if layout.explicit
            && let Some(stride) = self.module.array_stride(ty)
        {
            return Ok((stride.into(), layout));
        }
        let extent = self.types.extent(&self.constants, element)?;
        Ok((extent.stride(), layout))
    }

    /// Where a member begins, and its layout.
    pub(crate) fn member_place(
        &mut self,
        ty: Id,
        member: usize,
        layout: MemoryLayout,
    ) -> Result<(u64, MemoryLayout)> {
        if let Some(soa) = layout.soa {
            return Ok((self.soa_offset_of_member(ty, member, soa)?, layout));
        }
        if layout.explicit
            && let Some(found) = self.module.member_layout(ty, member as u32)
        {
            let layout = MemoryLayout { matrix: found.matrix, ..MemoryLayout::EXPLICIT };
            return Ok((found.offset.into(), layout));
        }
        if layout.explicit
            && let Some(offset) = self.module.member_decoration(ty, member as u32, Decoration::OffsetIdEXT)
            && let Some(offset) = offset.id().and_then(|offset| self.constants.unsigned(offset))
        {
            return Ok((offset.into(), MemoryLayout::EXPLICIT));
        }
        let start = self.types.member_offset(&self.constants, ty, member)?;
        Ok((start, layout))
    }

    /// Reads a value of a type from memory ([`Lowerer::load`]).
    pub(crate) fn load_memory(&mut self, pointer: &Pointer, ty: Id, access: Access) -> Result<Operand> {
        if let PointerBase::Soa(_) = pointer.base {
            let mut scalars = Scalars::new();
            self.soa_load(pointer, ty, &mut scalars)?;
            return self.operand_of_type(ty, scalars);
        }
        if let Type::Image(_)
        | Type::Sampler
        | Type::SampledImage { .. }
        | Type::Tensor { .. }
        | Type::AccelerationStructure = self.module.ty(ty)
        {
            return self.load_from_heap(pointer, ty);
        }
        let leaves = self.accessed_leaves(pointer, ty)?;
        let mut scalars = Scalars::new();
        match &pointer.base {
            PointerBase::Slot { .. } => {
                self.slot_load(pointer, &leaves, &mut scalars)?;
                self.sanitize_slot_load(pointer, &leaves, &scalars)?;
            }
            PointerBase::Range(_) if pointer.layout.soa.is_some() => {
                self.column_load(pointer, &leaves, access, &mut scalars)?;
            }
            PointerBase::Range(_) => {
                self.range_load(pointer, &leaves, access, &mut scalars)?;
                self.sanitize_range_load(pointer, &leaves, &scalars)?;
                self.sanitize_payload_load(pointer, &leaves, &scalars)?;
            }
            PointerBase::Physical { .. } => self.physical_load(pointer, &leaves, access, &mut scalars)?,
            PointerBase::Descriptors { .. } => return unsupported("loads of arrays of buffers"),
            PointerBase::Texel(_) | PointerBase::TileImages { .. } | PointerBase::Soa(_) => {
                return unsupported("plain loads of texels");
            }
        }
        self.operand_of_type(ty, scalars)
    }

    /// Writes a value of a type.
    pub(crate) fn store(
        &mut self,
        pointer: &Pointer,
        ty: Id,
        value: &[pyro_ir::Value],
        access: Access,
    ) -> Result {
        if let PointerBase::Soa(_) = pointer.base {
            return self.soa_store(pointer, ty, value);
        }
        let leaves = self.accessed_leaves(pointer, ty)?;
        let count: usize = leaves.iter().map(|leaf| leaf.count as usize).sum();
        if count != value.len() {
            return invalid(format!("a store of {} scalars as {ty}, which has {count}", value.len()));
        }
        match &pointer.base {
            PointerBase::Slot { .. } => {
                self.slot_store(pointer, &leaves, value)?;
                self.sanitize_slot_store(pointer, &leaves, value)
            }
            PointerBase::Range(_) if pointer.layout.soa.is_some() => {
                self.column_store(pointer, &leaves, value, access)
            }
            PointerBase::Range(_) => {
                self.range_store(pointer, &leaves, value, access)?;
                self.sanitize_range_store(pointer, &leaves, value)?;
                self.sanitize_payload_store(pointer, &leaves)
            }
            PointerBase::Physical { .. } => self.physical_store(pointer, &leaves, value, access),
            PointerBase::Descriptors { .. }
            | PointerBase::Texel(_)
            | PointerBase::TileImages { .. }
            | PointerBase::Soa(_) => invalid("a store to a resource"),
        }
    }

    /// Memory instructions.
    pub(crate) fn lower_memory(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::Load => {
                let pointer = self.pointer(inst.id(0))?;
                let ty = self.result_type(inst)?;
                // Demotion changes what a volatile load sees.
                let access = Access::of(inst, 1);
                let is_volatile =
                    access.volatile || self.has_decoration(Some(inst.id(0)), Decoration::Volatile);
                if is_volatile && self.module.built_in(inst.id(0)) == Some(BuiltIn::HelperInvocation) {
                    let stage = self.stage;
                    let helper = stage.is_helper(self)?;
                    return self.define_scalar(inst, helper);
                }
                let value = self.load(&pointer, ty, access)?;
                if let (true, Operand::Data(scalars)) = (self.is_non_uniform(inst.result()), &value) {
                    self.descriptors.non_uniform.extend(scalars.iter().copied());
                }
                self.define(inst, value)
            }
            Op::Store => {
                let pointer = self.pointer(inst.id(0))?;
                let ty = self.type_of(inst.id(1))?;
                let value = self.scalars(inst.id(1))?;
                self.store(&pointer, ty, &value, Access::of(inst, 2))
            }
            Op::Variable | Op::UntypedVariableKHR => self.lower_function_variable(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.lower_access_chain(inst),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => self.lower_ptr_access_chain(inst),
            Op::RawAccessChainNV => self.lower_raw_access_chain(inst),
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => self.lower_untyped_access_chain(inst),
            Op::BufferPointerEXT => self.lower_buffer_pointer(inst),
            Op::ArrayLength | Op::UntypedArrayLengthKHR => self.lower_array_length(inst),
            Op::CopyMemory => self.lower_copy_memory(inst),
            Op::CopyMemorySized => self.lower_copy_memory_sized(inst),
            Op::ConvertUToPtr | Op::ConvertPtrToU => self.lower_pointer_conversion(inst),
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => self.lower_pointer_comparison(inst),
            _ => self.unsupported(inst),
        }
    }
}
