//! Descriptor heaps (`VK_EXT_descriptor_heap`; specification, "Descriptor Heaps"): the heaps as memory that
//! untyped pointers lead into, and bindings that are mapped to them.
//!
//! A heap is a range like a buffer, so access chains into it are ordinary ones, and an index that leads
//! outside of it finds zeros, which are null descriptors.

use crate::context::Lowerer;
use crate::error::{LowerError, Result, invalid, unsupported};
use crate::memory::Access;
use crate::memory::buffer::push_bank;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Size, Term};
use crate::value::{Operand, Scalars};
use pyro_abi::PUSH_CONSTANT_BYTES_MAX;
use pyro_abi::context::offset;
use pyro_abi::heap::{EmbeddedSampler, Heap, HeapAddressing, HeapIndex, Mapping, MappingSource, place};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, Dim, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Type};

const _: () = assert!(pyro_abi::heap::HEAP_DESCRIPTOR_BYTES as u64 == pyro_spirv::HEAP_DESCRIPTOR_BYTES);

/// `VkSpirvResourceTypeFlagBitsEXT`
mod kind {
    pub(super) const SAMPLER: u32 = 1;
    pub(super) const SAMPLED_IMAGE: u32 = 1 << 1;
    pub(super) const READ_ONLY_IMAGE: u32 = 1 << 2;
    pub(super) const READ_WRITE_IMAGE: u32 = 1 << 3;
    pub(super) const COMBINED_SAMPLED_IMAGE: u32 = 1 << 4;
    pub(super) const UNIFORM_BUFFER: u32 = 1 << 5;
    pub(super) const READ_ONLY_STORAGE_BUFFER: u32 = 1 << 6;
    pub(super) const READ_WRITE_STORAGE_BUFFER: u32 = 1 << 7;
    pub(super) const ACCELERATION_STRUCTURE: u32 = 1 << 8;
    pub(super) const TENSOR: u32 = 1 << 9;
}

/// Which bits of an index are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All.
    Whole,
    /// The low 20, of the image in an index for image and sampler.
    Image,
    /// The high 12, of the sampler.
    Sampler,
}

/// An element of a mapped variable, counted from the mapping's first binding: a number, and what is added to
/// it.
type Element = (u64, Option<Value>);

impl<'m> Lowerer<'m, '_> {
    /// The mappings, of a shader for heaps.
    pub(crate) fn mappings(&self) -> Option<&'m [Mapping]> {
        self.layout.options.heap.as_deref()
    }

    /// The number of the mapping that is for a variable.
    pub(crate) fn mapping_number(&self, variable: GlobalVariable<'m>, set: u32, binding: u32) -> Result<u32> {
        let kind = self.resource_kind(variable);
        let found = self.mappings().unwrap_or(&[]).iter().position(|one| one.is_for(set, binding, kind));
        found.and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
            LowerError::invalid(format!(
                "set {set} binding {binding} has no mapping to a descriptor heap \
                 (VUID-VkComputePipelineCreateInfo-flags-11312)"
            ))
        })
    }

    /// The bits of `VkSpirvResourceTypeFlagBitsEXT` that a variable may be mapped by.
    fn resource_kind(&self, variable: GlobalVariable<'m>) -> u32 {
        let Some(ty) = variable.value_type.map(|ty| self.module.strip_arrays(ty)) else { return 0 };
        let is_read_only = self.module.has_decoration(variable.id, Decoration::NonWritable)
            || match self.module.ty(ty) {
                Type::Struct { members } => (0..members.len() as u32).all(|member| {
                    self.module.member_decoration(ty, member, Decoration::NonWritable).is_some()
                }),
                _ => false,
            };
        match self.module.ty(ty) {
            Type::Sampler => kind::SAMPLER,
            Type::SampledImage { image } => match self.module.ty(image) {
                // A texel buffer may be declared with a sampler that it lacks.
                Type::Image(image) if image.dim == Dim::DimBuffer => {
                    kind::COMBINED_SAMPLED_IMAGE | kind::SAMPLED_IMAGE
                }
                _ => kind::COMBINED_SAMPLED_IMAGE,
            },
            Type::Image(image) if image.sampled == 2 && is_read_only => kind::READ_ONLY_IMAGE,
            Type::Image(image) if image.sampled == 2 => kind::READ_WRITE_IMAGE,
            Type::Image(_) => kind::SAMPLED_IMAGE,
            Type::AccelerationStructure => kind::ACCELERATION_STRUCTURE,
            Type::Tensor { .. } => kind::TENSOR,
            _ if variable.class == StorageClass::Uniform && !self.is_buffer_block(Some(ty)) => {
                kind::UNIFORM_BUFFER
            }
            _ if is_read_only => kind::READ_ONLY_STORAGE_BUFFER,
            _ => kind::READ_WRITE_STORAGE_BUFFER,
        }
    }

    /// The mapping of this number, and the element that a pointer to descriptors of it has come to.
    fn mapped_element(&mut self, pointer: &Pointer) -> Result<(&'m Mapping, Element)> {
        let PointerBase::Descriptors { set: number, binding, .. } = pointer.base else {
            return invalid("a descriptor where there is none");
        };
        let mapping = self.mappings().and_then(|all| all.get(number as usize));
        let mapping = mapping.ok_or_else(|| LowerError::internal(format!("no mapping {number}")))?;
        let before = u64::from(binding.wrapping_sub(mapping.first_binding));
        let index = self.dynamic_offset(pointer);
        Ok((mapping, (pointer.offset.wrapping_add(before), index)))
    }

    /// The memory of a heap.
    fn heap_range(&mut self, heap: Heap) -> Result<Range> {
        let (address, bytes) = match heap {
            Heap::Resource => (place::RESOURCE_HEAP, place::RESOURCE_HEAP_BYTES),
            Heap::Sampler => (place::SAMPLER_HEAP, place::SAMPLER_HEAP_BYTES),
        };
        self.in_prologue(|cx| {
            let base = cx.heap_word(address, Scalar::I64);
            let size = Size::Value(cx.heap_word(bytes, Scalar::I32));
            Ok(Range { base, size, hoisted: true, space: Space::Constant, speculatable: true })
        })
    }

    /// One of [`place`].
    fn heap_word(&mut self, at: usize, scalar: Scalar) -> Value {
        let dispatch = self.b.arg(0);
        self.load_context(dispatch, offset::SETS + 8 * at as u32, scalar)
    }

    /// A pointer to a variable that is a heap.
    pub(crate) fn heap_variable(
        &mut self,
        variable: GlobalVariable<'m>,
        built_in: BuiltIn,
    ) -> Result<Pointer> {
        if self.mappings().is_none() {
            return invalid("a heap in a shader that is not for descriptor heaps");
        }
        let heap = if built_in == BuiltIn::SamplerHeapEXT { Heap::Sampler } else { Heap::Resource };
        let range = self.heap_range(heap)?;
        Ok(Pointer::new(PointerBase::Range(range), variable.value_type, MemoryLayout::EXPLICIT))
    }

    /// Bits of the push data.
    fn push_data(&mut self, at: u32, scalar: Scalar) -> Result<Value> {
        // Of mappings with a bank, the offset says which.
        let (bank, at) = (at / PUSH_CONSTANT_BYTES_MAX as u32, at % PUSH_CONSTANT_BYTES_MAX as u32);
        if at + scalar.bytes() > PUSH_CONSTANT_BYTES_MAX as u32 {
            return invalid("a mapping by what is beyond maxPushDataSize");
        }
        let (start, _) = push_bank(bank)?;
        let base = self.push_bank_base(bank);
        Ok(self.load_context(base, start + at, scalar))
    }

    /// Bits in memory at an offset from an address in the push data.
    fn indirect_data(&mut self, push: u32, at: u32, add: Option<Value>, scalar: Scalar) -> Result<Value> {
        let base = self.push_data(push, Scalar::I64)?;
        let constant = self.b.i64(at.into());
        let base = self.b.op(Opcode::IAdd, &[base, constant]);
        let offset = add.unwrap_or_else(|| self.b.i32(0));
        let always = self.b.bool(true);
        Ok(self.b.load(scalar, MemoryOp::new(Space::Constant), base, offset, always))
    }

    /// Bits of the shader record; zero past its end.
    fn shader_record_data(&mut self, at: u32, scalar: Scalar) -> Result<Value> {
        let range = Range { space: Space::Constant, ..self.stage.shader_record(self)? };
        let mut pointer = Pointer::new(PointerBase::Range(range), None, MemoryLayout::EXPLICIT);
        pointer.offset = at.into();
        let at = self.range_address(&pointer, &range, 0, scalar.bytes().into(), Access::default());
        Ok(self.b.load(scalar, at.memory, at.base, at.offset, at.predicate))
    }

    /// A pointer to the descriptor of an element.
    fn mapped_pointer(
        &mut self,
        heap: Heap,
        at: &HeapAddressing,
        (first, added): Element,
        part: Part,
    ) -> Result<Pointer> {
        let index = match at.index {
            HeapIndex::None => None,
            HeapIndex::Push(push) => Some(self.push_data(push, Scalar::I32)?),
            HeapIndex::Indirect { push, offset } => {
                Some(self.indirect_data(push, offset, None, Scalar::I32)?)
            }
            HeapIndex::ShaderRecord(at) => Some(self.shader_record_data(at, Scalar::I32)?),
            HeapIndex::IndirectArray { push, offset } => {
                let element = added.map(|added| self.scale(added, 4));
                let offset = offset.wrapping_add((first as u32).wrapping_mul(4));
                Some(self.indirect_data(push, offset, element, Scalar::I32)?)
            }
        };
        let index = index.map(|index| match part {
            Part::Whole => index,
            Part::Image => {
                let mask = self.b.i32(0xf_ffff);
                self.b.op(Opcode::And, &[index, mask])
            }
            Part::Sampler => {
                let shift = self.b.i32(20);
                self.b.op(Opcode::LShr, &[index, shift])
            }
        });
        let range = self.heap_range(heap)?;
        let mut pointer = Pointer::new(PointerBase::Range(range), None, MemoryLayout::EXPLICIT);
        pointer.offset = u64::from(at.offset);
        let mut add = |index, stride: u32| {
            if stride != 0 {
                pointer.terms.push(Term { index, stride: stride.into(), count: None });
            }
        };
        if let Some(index) = index {
            add(index, at.index_stride);
        }
        if !matches!(at.index, HeapIndex::IndirectArray { .. }) {
            if let Some(added) = added {
                add(added, at.array_stride);
            }
            pointer.offset = pointer.offset.wrapping_add(first.wrapping_mul(at.array_stride.into()));
        }
        Ok(pointer)
    }

    /// The record that a pointer into a heap leads to; the null record `null`, if that is one, where there is
    /// none.
    fn heap_record(&mut self, pointer: &Pointer, null: Option<u32>) -> Result<Value> {
        let PointerBase::Range(range) = &pointer.base else {
            return invalid("a load of an image or sampler from where there is none");
        };
        let bytes = pyro_spirv::HEAP_DESCRIPTOR_BYTES;
        let at = self.range_address(pointer, range, 0, bytes, Access::default());
        let record = self.b.load(Scalar::I64, at.memory, at.base, at.offset, at.predicate);
        let Some(null) = null else { return Ok(record) };
        let dispatch = self.b.arg(0);
        let null = self.load_context(dispatch, null, Scalar::I64);
        let zero = self.b.i64(0);
        let is_null = self.b.op(Opcode::IEq, &[record, zero]);
        Ok(self.b.select(is_null, null, record))
    }

    /// Whether lanes may use different descriptors of those that a pointer's index chooses from: modules that
    /// declare `DescriptorHeapEXT` need not say so
    /// (VUID-RuntimeSpirv-SampledImageArrayNonUniformIndexing-10135 and its kin).
    pub(crate) fn is_heap_access_non_uniform(&self, pointer: &Pointer) -> bool {
        pointer.non_uniform || self.module.has_capability(Capability::DescriptorHeapEXT)
    }

    /// Loads an image or sampler through a pointer into a heap.
    pub(crate) fn load_from_heap(&mut self, pointer: &Pointer, ty: Id) -> Result<Operand> {
        if self.mappings().is_none() {
            return invalid("a load of an image or sampler from memory that is not a descriptor heap");
        }
        let null = match self.module.ty(ty) {
            Type::Image(_) => Some(offset::NULL_IMAGE),
            Type::Sampler => Some(offset::NULL_SAMPLER),
            Type::Tensor { .. } | Type::AccelerationStructure => None,
            _ => return unsupported("heaps have no such descriptors"),
        };
        let record = self.heap_record(pointer, null)?;
        if !pointer.terms.is_empty() && self.is_heap_access_non_uniform(pointer) {
            self.descriptors.non_uniform.insert(record);
        }
        Ok(Operand::scalar(record))
    }

    /// Image and sampler records of the descriptor that a pointer to a mapped variable has come to: of an
    /// image, a sampler or both.
    pub(crate) fn mapped_records(&mut self, pointer: &Pointer, ty: Id) -> Result<Scalars> {
        let (mapping, element) = self.mapped_element(pointer)?;
        let is_structure = self.module.ty(ty) == Type::AccelerationStructure;
        let (resource, sampler, combined_index) = match &mapping.source {
            MappingSource::Descriptors { resource, sampler, combined_index } => {
                (resource, sampler, combined_index)
            }
            &MappingSource::PushAddress(at) if is_structure => {
                let address = self.push_data(at, Scalar::I64)?;
                return Ok(smallvec::smallvec![self.structure_at(address)]);
            }
            &MappingSource::IndirectAddress { push, offset } if is_structure => {
                let address = self.indirect_data(push, offset, None, Scalar::I64)?;
                return Ok(smallvec::smallvec![self.structure_at(address)]);
            }
            &MappingSource::ShaderRecordAddress(at) if is_structure => {
                let address = self.shader_record_data(at, Scalar::I64)?;
                return Ok(smallvec::smallvec![self.structure_at(address)]);
            }
            _ => return invalid("an image or sampler that is mapped past the heaps' descriptors"),
        };
        let (of_image, of_sampler) = match self.module.ty(ty) {
            Type::Sampler => (None, Some((*resource, Part::Whole))),
            Type::SampledImage { .. } if *combined_index => {
                let sampler = HeapAddressing { index: resource.index, ..*sampler };
                (Some((*resource, Part::Image)), Some((sampler, Part::Sampler)))
            }
            Type::SampledImage { .. } => (Some((*resource, Part::Whole)), Some((*sampler, Part::Whole))),
            _ => (Some((*resource, Part::Whole)), None),
        };
        let null = match self.module.ty(ty) {
            Type::Tensor { .. } | Type::AccelerationStructure => None,
            _ => Some(offset::NULL_IMAGE),
        };
        let read = |cx: &mut Self| -> Result<Scalars> {
            let mut records = Scalars::new();
            if let Some((at, part)) = of_image {
                let pointer = cx.mapped_pointer(Heap::Resource, &at, element, part)?;
                records.push(cx.heap_record(&pointer, null)?);
            }
            match (of_sampler, mapping.embedded_sampler) {
                (Some(_), Some(embedded)) => records.push(cx.embedded_sampler(embedded)),
                (Some((at, part)), None) => {
                    let pointer = cx.mapped_pointer(Heap::Sampler, &at, element, part)?;
                    records.push(cx.heap_record(&pointer, Some(offset::NULL_SAMPLER))?);
                }
                (None, _) => {}
            }
            Ok(records)
        };
        // What lies behind addresses is read where it is used: elsewhere there may be none.
        let is_indirect = |at: &HeapAddressing| {
            matches!(at.index, HeapIndex::Indirect { .. } | HeapIndex::IndirectArray { .. })
        };
        let is_of_record = |at: &HeapAddressing| matches!(at.index, HeapIndex::ShaderRecord(_));
        if is_of_record(resource) || is_of_record(sampler) {
            let records = read(self)?;
            // Lanes of a subgroup may run the same shader with different records.
            self.descriptors.non_uniform.extend(records.iter().copied());
            return Ok(records);
        }
        let PointerBase::Descriptors { set: number, binding, .. } = pointer.base else { return read(self) };
        if element.1.is_some() || is_indirect(resource) || is_indirect(sampler) {
            return read(self);
        }
        // Variables of different kinds may be mapped by one mapping.
        let kind = match null {
            None => 0,
            Some(_) => u32::from(of_image.is_some()) | u32::from(of_sampler.is_some()) << 1,
        };
        let key = (4 * number + kind, binding, pointer.offset);
        let (first, last) = match self.descriptors.records.get(&key) {
            Some(&known) => known,
            None => {
                let records = self.in_prologue(read)?;
                let (Some(&first), Some(&last)) = (records.first(), records.last()) else {
                    return invalid("a descriptor of nothing");
                };
                self.descriptors.records.insert(key, (first, last));
                (first, last)
            }
        };
        Ok(if kind == 3 { smallvec::smallvec![first, last] } else { smallvec::smallvec![first] })
    }

    /// The record of an embedded sampler.
    fn embedded_sampler(&mut self, embedded: EmbeddedSampler) -> Value {
        let table = self.heap_word(place::EMBEDDED_SAMPLERS + embedded.stage as usize, Scalar::I64);
        self.load_context(table, 8 * embedded.index, Scalar::I64)
    }

    /// Makes a pointer that has come to a single mapped buffer one into that buffer.
    pub(crate) fn resolve_mapped(&mut self, pointer: &mut Pointer, is_storage: bool) -> Result {
        let (mapping, element) = self.mapped_element(pointer)?;
        pointer.offset = 0;
        pointer.terms.clear();
        use MappingSource as Source;
        let is_data = matches!(
            mapping.source,
            Source::HeapData { .. } | Source::PushData(_) | Source::ShaderRecordData(_)
        );
        if is_storage && is_data {
            return invalid(
                "a storage buffer that is mapped to data (VUID-VkPipelineShaderStageCreateInfo-pNext-11315)",
            );
        }
        pointer.base = match &mapping.source {
            MappingSource::Descriptors { resource, .. } => {
                let is_direct = matches!(resource.index, HeapIndex::None | HeapIndex::Push(_));
                let hoisted = element.1.is_none() && is_direct;
                let read = |cx: &mut Self| {
                    let at = cx.mapped_pointer(Heap::Resource, resource, element, Part::Whole)?;
                    cx.heap_buffer(&at, is_storage, hoisted)
                };
                PointerBase::Range(if hoisted { self.in_prologue(read)? } else { read(self)? })
            }
            &MappingSource::HeapData { offset, push } => {
                let index = self.push_data(push, Scalar::I32)?;
                pointer.offset = offset.into();
                pointer.terms.push(Term { index, stride: 1, count: None });
                PointerBase::Range(self.heap_range(Heap::Resource)?)
            }
            &MappingSource::PushData(at) => {
                const BANK_BYTES: u32 = PUSH_CONSTANT_BYTES_MAX as u32;
                let (range, start) = self.push_range(at / BANK_BYTES, BANK_BYTES)?;
                pointer.offset = u64::from(start + at % BANK_BYTES);
                PointerBase::Range(range)
            }
            &MappingSource::PushAddress(at) => {
                PointerBase::Physical { address: self.push_data(at, Scalar::I64)? }
            }
            &MappingSource::IndirectAddress { push, offset } => {
                PointerBase::Physical { address: self.indirect_data(push, offset, None, Scalar::I64)? }
            }
            &MappingSource::ShaderRecordData(at) => {
                pointer.offset = at.into();
                PointerBase::Range(self.stage.shader_record(self)?)
            }
            &MappingSource::ShaderRecordAddress(at) => {
                PointerBase::Physical { address: self.shader_record_data(at, Scalar::I64)? }
            }
        };
        Ok(())
    }

    /// The buffer whose descriptor a pointer into a heap leads to.
    fn heap_buffer(&mut self, pointer: &Pointer, is_storage: bool, hoisted: bool) -> Result<Range> {
        let PointerBase::Range(range) = &pointer.base else {
            return invalid("a buffer where there is no heap");
        };
        let bytes = pyro_spirv::HEAP_DESCRIPTOR_BYTES;
        let at = self.range_address(pointer, range, 0, bytes, Access::default());
        let (base, size) = self.read_buffer(at, self.indexing_64bit && is_storage);
        let space = if is_storage { Space::Global } else { Space::Constant };
        Ok(Range { base, size: Size::Value(size), hoisted, space, speculatable: false })
    }

    /// `OpBufferPointerEXT`
    pub(crate) fn lower_buffer_pointer(&mut self, inst: Instruction<'m>) -> Result {
        let at = self.pointer(inst.id(0))?;
        let result = self.result_type(inst)?;
        let (class, pointee) = match self.module.ty(result) {
            Type::Pointer { class, pointee } => (class, Some(pointee)),
            Type::UntypedPointer { class } => (class, None),
            _ => return invalid(format!("{result} is not a pointer type")),
        };
        let is_storage = match class {
            StorageClass::StorageBuffer => true,
            StorageClass::Uniform => self.is_buffer_block(pointee),
            _ => return invalid(format!("a buffer in a heap as {class:?} storage")),
        };
        let range = self.heap_buffer(&at, is_storage, false)?;
        self.define(inst, Pointer::new(PointerBase::Range(range), pointee, MemoryLayout::EXPLICIT).into())
    }
}
