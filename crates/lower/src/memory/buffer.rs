//! Buffers reached through descriptors, and push constants.
//!
//! A buffer's base and size are read in the prologue when the descriptor is known while compiling, else where
//! the access chain chooses it. A descriptor index that is out of range reads a null descriptor, whose size
//! is zero, so every access through it fails its own check.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::memory::range::Address;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Resource, Size};
use crate::storage_buffers::StorageBuffers;
use crate::types::{element_count, element_type};
use pyro_abi::context::offset;
use pyro_abi::descriptor::BUFFER_DESCRIPTOR_BYTES;
use pyro_abi::{BindingLayout, BufferDescriptor, DescriptorKind};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{Decoration, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Type};

/// Byte of a buffer descriptor's size.
const DESCRIPTOR_SIZE: i32 = std::mem::offset_of!(BufferDescriptor, size) as i32;

/// What a pipeline layout has where it lacks a binding: an array without descriptors, of any kind.
static NO_DESCRIPTORS: BindingLayout = BindingLayout {
    kind: DescriptorKind::Mutable,
    offset: 0,
    count: 0,
    stride: 0,
    dynamic_index: None,
    variable_count: false,
    known: None,
};

/// Where a bank of push constants begins, and in which memory.
pub(crate) fn push_bank(bank: u32) -> Result<(u32, Space)> {
    const BANK_BYTES: u32 = pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32;
    match bank {
        0 => Ok((offset::PUSH_CONSTANTS, Space::Context)),
        _ if bank < pyro_abi::PUSH_BANK_COUNT as u32 => Ok(((bank - 1) * BANK_BYTES, Space::Constant)),
        _ => invalid(format!("bank {bank} of push constants, of {}", pyro_abi::PUSH_BANK_COUNT)),
    }
}

impl<'m> Lowerer<'m, '_> {
    /// Set and binding of a resource variable; of one that is mapped to a heap, the mapping's number instead
    /// of the set.
    pub(crate) fn resource_binding(&self, variable: GlobalVariable<'m>) -> Result<(u32, u32)> {
        let set = self.module.decoration_literal(variable.id, Decoration::DescriptorSet);
        let binding = self.module.decoration_literal(variable.id, Decoration::Binding);
        match (set, binding) {
            (Some(set), Some(binding)) if self.mappings().is_some() => {
                Ok((self.mapping_number(variable, set, binding)?, binding))
            }
            (Some(set), Some(binding)) => Ok((set, binding)),
            _ => invalid(format!("variable {} lacks DescriptorSet or Binding", variable.id)),
        }
    }

    /// The pipeline layout's binding. Programs use bindings that the layout lacks (an error:
    /// VUID-VkGraphicsPipelineCreateInfo-layout-07988), and run on GPUs: they find null descriptors.
    pub(crate) fn binding_layout(&self, set: u32, binding: u32) -> Result<&'m BindingLayout> {
        match self.layout.binding(set, binding) {
            Some(layout) => Ok(layout),
            None if self.layout.options.needs_bindings => {
                invalid(format!("the pipeline layout has no binding {binding} in set {set}"))
            }
            None => Ok(&NO_DESCRIPTORS),
        }
    }

    /// A pointer to a `Uniform` or `StorageBuffer` variable.
    pub(crate) fn buffer_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let (set, binding) = self.resource_binding(variable)?;
        let storage =
            variable.class == StorageClass::StorageBuffer || self.is_buffer_block(variable.value_type);
        let (is_read_only, is_apart) = if storage { self.facts_of(variable) } else { (false, false) };
        let resource = match storage {
            true if is_read_only => Resource::Input,
            true => Resource::Storage,
            false => Resource::Uniform,
        };
        let place = PointerBase::Descriptors { set, binding, resource };
        let mut pointer = Pointer::new(place, variable.value_type, MemoryLayout::EXPLICIT);
        pointer.volatile = self.module.has_decoration(variable.id, Decoration::Volatile);
        // Elements of an array of buffers may be one.
        let is_array = |ty| matches!(self.module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. });
        pointer.apart = is_apart && variable.value_type.is_some_and(|ty| !is_array(ty));
        self.resolve_descriptor(&mut pointer)?;
        Ok(pointer)
    }

    /// Whether nothing writes a storage buffer while the shader runs, and whether no other overlaps it. What
    /// is instrumented is accessed as it says.
    fn facts_of(&mut self, variable: GlobalVariable<'m>) -> (bool, bool) {
        let options = &self.layout.options;
        if options.instrumented || !options.sanitize.is_empty() || options.trace.is_some() {
            return (false, false);
        }
        let module = self.module;
        let buffers = self.storage_buffers.get_or_insert_with(|| StorageBuffers::of(module));
        (buffers.is_read_only(variable.id), buffers.is_apart(variable.id))
    }

    pub(crate) fn is_buffer_block(&self, ty: Option<Id>) -> bool {
        ty.is_some_and(|ty| self.module.has_decoration(self.module.strip_arrays(ty), Decoration::BufferBlock))
    }

    /// How many descriptors a type stands for: arrays of arrays are numbered through.
    pub(crate) fn descriptor_count(&self, ty: Id) -> Result<u64> {
        let (mut ty, mut count) = (ty, 1u64);
        while let Type::Array { element, .. } = self.module.ty(ty) {
            count = count.saturating_mul(element_count(&self.constants, ty)?);
            ty = element;
        }
        Ok(count)
    }

    /// Once a pointer to buffers has come to a single one, makes it a pointer into that buffer.
    pub(crate) fn resolve_descriptor(&mut self, pointer: &mut Pointer) -> Result {
        let PointerBase::Descriptors { set, binding, resource } = pointer.base else { return Ok(()) };
        // Images and samplers are chosen when they are loaded.
        if matches!(resource, Resource::Opaque | Resource::TileAttachment) {
            return Ok(());
        }
        let storage = matches!(resource, Resource::Storage | Resource::Input);
        if let Some(ty) = pointer.pointee
            && matches!(self.module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. })
        {
            return Ok(());
        }
        if self.mappings().is_some() {
            return self.resolve_mapped(pointer, storage);
        }
        let layout = self.binding_layout(set, binding)?;
        let index = self.dynamic_offset(pointer);
        let first = pointer.offset;
        pointer.offset = 0;
        pointer.terms.clear();
        // Descriptors of uniform and storage buffers are alike. Programs that bind one as the other break a
        // rule (VUID-VkComputePipelineCreateInfo-layout-07990), and run everywhere.
        let space = match (layout.kind, storage) {
            (DescriptorKind::InlineUniformBlock, false) => Space::Constant,
            (DescriptorKind::UniformBuffer | DescriptorKind::StorageBuffer | DescriptorKind::Mutable, _) => {
                match resource {
                    Resource::Input => Space::Input,
                    _ if storage => Space::Global,
                    _ => Space::Constant,
                }
            }
            (kind, _) => {
                let shader = if storage { "storage" } else { "uniform" };
                return invalid(format!(
                    "set {set} binding {binding} is a {shader} buffer in the shader and {kind:?} in the \
                     pipeline layout"
                ));
            }
        };
        if layout.kind == DescriptorKind::InlineUniformBlock {
            let base = self.in_prologue(|cx| Ok(cx.set_address(set)))?;
            let end = layout.offset.saturating_add(layout.count);
            pointer.offset = layout.offset.into();
            pointer.base = PointerBase::Range(Range {
                base,
                size: Size::Known(end),
                hoisted: true,
                space,
                speculatable: true,
            });
            return Ok(());
        }
        let is_wide = self.indexing_64bit && storage;
        // Of an array, those that are not used may be stale.
        let speculatable = index.is_none() && layout.count == 1 && !layout.variable_count;
        let Some(index) = index else {
            let key = (set, binding, first);
            let (base, size) = match self.descriptors.buffers.get(&key) {
                Some(&known) => known,
                None => {
                    let read =
                        self.in_prologue(|cx| Ok(cx.read_descriptor(set, layout, first, None, is_wide)))?;
                    self.descriptors.buffers.insert(key, read);
                    read
                }
            };
            pointer.base = PointerBase::Range(Range {
                base,
                size: Size::Value(size),
                hoisted: true,
                space,
                speculatable,
            });
            return Ok(());
        };
        let (base, size) = self.read_descriptor(set, layout, first, Some(index), is_wide);
        pointer.base =
            PointerBase::Range(Range { base, size: Size::Value(size), hoisted: false, space, speculatable });
        Ok(())
    }

    /// The address of a set's memory. In the prologue, or anywhere.
    fn set_address(&mut self, set: u32) -> Value {
        let dispatch = self.b.arg(0);
        self.load_context(dispatch, offset::SETS + 8 * set.min(pyro_abi::SETS_MAX as u32 - 1), Scalar::I64)
    }

    /// Base and size (an `i64` if `is_wide`) of the buffer of descriptor `first + index`; zero where there is
    /// none.
    fn read_descriptor(
        &mut self,
        set: u32,
        layout: &BindingLayout,
        first: u64,
        index: Option<Value>,
        is_wide: bool,
    ) -> (Value, Value) {
        let at = self.descriptor_place(set, layout, first, index);
        self.read_buffer(at, is_wide)
    }

    /// Base and size of the buffer whose descriptor lies at an address.
    pub(crate) fn read_buffer(&mut self, at: Address, is_wide: bool) -> (Value, Value) {
        let base = self.b.load(Scalar::I64, at.memory, at.base, at.offset, at.predicate);
        let size = at.memory.at(at.memory.displacement.wrapping_add(DESCRIPTOR_SIZE));
        let scalar = if is_wide { Scalar::I64 } else { Scalar::I32 };
        let size = self.b.load(scalar, size, at.base, at.offset, at.predicate);
        if !is_wide {
            return (base, size);
        }
        // A large size is split: see `BufferDescriptor::size`.
        let shift = self.b.i64(BufferDescriptor::LARGE_SHIFT.into());
        let low = self.b.i64(BufferDescriptor::LARGE_LOW);
        let is_small = self.b.i64(BufferDescriptor::SMALL_MAX);
        let is_small = self.b.op(Opcode::ULe, &[size, is_small]);
        let high = self.b.op(Opcode::LShr, &[size, shift]);
        let high = self.b.op(Opcode::AndNot, &[high, low]);
        let low = self.b.op(Opcode::And, &[size, low]);
        let large = self.b.op(Opcode::Or, &[high, low]);
        let size = self.b.select(is_small, size, large);
        (base, size)
    }

    /// Where descriptor `first + index` lies; the predicate says whether there is one.
    pub(crate) fn descriptor_place(
        &mut self,
        set: u32,
        layout: &BindingLayout,
        first: u64,
        index: Option<Value>,
    ) -> Address {
        let (table, start, stride) = match layout.dynamic_index {
            Some(dynamic) => {
                let dispatch = self.b.arg(0);
                let table = self.load_context(dispatch, offset::DYNAMIC_BUFFERS, Scalar::I64);
                (table, u64::from(dynamic) * u64::from(BUFFER_DESCRIPTOR_BYTES), BUFFER_DESCRIPTOR_BYTES)
            }
            None => (self.set_address(set), u64::from(layout.offset), layout.stride),
        };
        let index = match index {
            Some(index) if first == 0 => index,
            Some(index) => {
                let first = self.b.i32(first as u32);
                self.b.op(Opcode::IAdd, &[index, first])
            }
            None => self.b.i32(u32::try_from(first).unwrap_or(u32::MAX)),
        };
        // A set of variable count says itself where it ends, and is known to hold no more than the layout.
        let mut count = self.b.i32(layout.count);
        if layout.variable_count {
            let bytes = self.load_context(table, 0, Scalar::I32);
            let before = self.b.i32(layout.offset);
            let empty = self.b.op(Opcode::ULt, &[bytes, before]);
            let rest = self.b.op(Opcode::ISub, &[bytes, before]);
            let divisor = self.b.i32(layout.stride.max(1));
            let held = self.b.op(Opcode::UDiv, &[rest, divisor]);
            let zero = self.b.i32(0);
            let held = self.b.select(empty, zero, held);
            count = self.b.op(Opcode::UMin, &[count, held]);
        }
        let inside = self.b.op(Opcode::ULt, &[index, count]);
        let at = self.scale(index, stride.into());
        let memory = MemoryOp::new(Space::Context).speculatable().at(start as i32);
        Address { memory, base: table, offset: at, predicate: inside }
    }

    /// A pointer to the push constants.
    pub(crate) fn push_constant_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let bytes = self.layout.push_constant_bytes.min(pyro_abi::PUSH_CONSTANT_BYTES_MAX as u32);
        let literal = |kind| self.module.decoration_literal(variable.id, kind).unwrap_or(0);
        let (bank, shift) = (literal(Decoration::BankNV), literal(Decoration::MemberOffsetNV));
        let (range, start) = self.push_range(bank, bytes)?;
        let mut pointer =
            Pointer::new(PointerBase::Range(range), variable.value_type, MemoryLayout::EXPLICIT);
        pointer.offset = u64::from(start) + u64::from(shift);
        Ok(pointer)
    }

    /// The memory that so many bytes of a bank of push constants are the end of, and where the bank begins in
    /// it.
    pub(crate) fn push_range(&mut self, bank: u32, bytes: u32) -> Result<(Range, u32)> {
        let (start, space) = push_bank(bank)?;
        let base = self.in_prologue(|cx| Ok(cx.push_bank_base(bank)))?;
        let size = Size::Known(start + bytes);
        Ok((Range { base, size, hoisted: true, space, speculatable: true }, start))
    }

    /// What the place that [`push_bank`] gives is relative to.
    pub(crate) fn push_bank_base(&mut self, bank: u32) -> Value {
        let dispatch = self.b.arg(0);
        match bank {
            0 => dispatch,
            _ => self.load_context(dispatch, offset::PUSH_BANKS, Scalar::I64),
        }
    }

    /// `OpArrayLength`, `OpUntypedArrayLengthKHR`
    pub(crate) fn lower_array_length(&mut self, inst: Instruction<'m>) -> Result {
        let (mut pointer, member) = if inst.op() == Op::UntypedArrayLengthKHR {
            let mut pointer = self.pointer(inst.id(1))?;
            pointer.pointee = Some(inst.id(0));
            (pointer, inst.word(2))
        } else {
            (self.pointer(inst.id(0))?, inst.word(1))
        };
        self.step(&mut pointer, crate::pointer::Index::Constant(member.into()))?;
        let Some(array) = pointer.pointee else {
            return invalid("the length of something that is not an array");
        };
        let Type::RuntimeArray { .. } = self.module.ty(array) else {
            return invalid(format!("OpArrayLength of {array}, which is not a runtime array"));
        };
        element_type(self.module, array)?;
        let (stride, _) = self.element_stride(array, pointer.layout)?;
        let stride = u32::try_from(stride).unwrap_or(u32::MAX).max(1);
        let PointerBase::Range(range) = &pointer.base else {
            return unsupported("the length of an array that is not in a buffer");
        };
        // The length is floor((size - offset) / stride), and zero where the buffer is too small.
        let (size, start) = (self.size_value(range.size), self.range_offset_saturated(&pointer, range));
        let scalar = self.scalar_type(size);
        let rest = self.b.op(Opcode::ISub, &[size, start]);
        let stride = self.b.constant(scalar, stride.into());
        let count = self.b.op(Opcode::UDiv, &[rest, stride]);
        let enough = self.b.op(Opcode::ULe, &[start, size]);
        let zero = self.b.constant(scalar, 0);
        let count = self.b.select(enough, count, zero);
        let to = self.result_scalar(inst)?;
        let count = self.integer_of_width(count, to, false)?;
        self.define_scalar(inst, count)
    }
}
