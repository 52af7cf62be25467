//! Variables of images, samplers and acceleration structures: descriptors to records.

use super::sample_coordinate_count;
use crate::context::Lowerer;
use crate::error::{LowerError, Result, invalid};
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Resource};
use crate::value::{Operand, Scalars};
use pyro_abi::context::offset;
use pyro_abi::{BindingLayout, DescriptorKind as Kind, ImageDescriptor};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::{BuiltIn, Dim, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Type};

/// Byte of a descriptor's sampler.
const SAMPLER: i32 = std::mem::offset_of!(ImageDescriptor, sampler) as i32;

impl<'m> Lowerer<'m, '_> {
    /// A pointer to a variable of images, samplers or acceleration structures.
    pub(crate) fn resource_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        if let Some(heap @ (BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT)) =
            self.module.built_in(variable.id)
        {
            return self.heap_variable(variable, heap);
        }
        let ty = variable.value_type.map(|ty| self.module.strip_arrays(ty));
        match ty.map(|ty| self.module.ty(ty)) {
            Some(
                Type::Image(_)
                | Type::Sampler
                | Type::SampledImage { .. }
                | Type::AccelerationStructure
                | Type::Tensor { .. },
            ) => {}
            _ => {
                let text = ty.map_or_else(String::new, |ty| crate::types::type_text(self.module, ty));
                return Err(LowerError::unsupported(format!("resources of {text}")));
            }
        }
        let (set, binding) = self.resource_binding(variable)?;
        let resource = match variable.class {
            StorageClass::TileAttachmentQCOM => Resource::TileAttachment,
            _ => Resource::Opaque,
        };
        let place = PointerBase::Descriptors { set, binding, resource };
        Ok(Pointer::new(place, variable.value_type, MemoryLayout::EXPLICIT))
    }

    /// Reads the descriptor that a pointer has come to.
    pub(crate) fn load_resource(&mut self, pointer: &Pointer, ty: Id) -> Result<Operand> {
        let PointerBase::Descriptors { set, binding, resource } = pointer.base else {
            return invalid("a load of an image from a variable that holds none");
        };
        let is_tile = resource == Resource::TileAttachment;
        if self.mappings().is_some() {
            let scalars = self.mapped_records(pointer, ty)?;
            if !pointer.terms.is_empty() && self.is_heap_access_non_uniform(pointer) {
                self.descriptors.non_uniform.extend(scalars.iter().copied());
            }
            return Ok(Operand::Data(scalars));
        }
        let layout = self.binding_layout(set, binding)?;
        self.expect_kind(ty, layout, (set, binding), is_tile)?;
        let index = self.dynamic_offset(pointer);
        let first = pointer.offset;
        if let Type::AccelerationStructure | Type::Tensor { .. } = self.module.ty(ty) {
            let structure = match index {
                None => self.in_prologue(|cx| Ok(cx.read_structure(set, layout, first, None)))?,
                Some(_) => self.read_structure(set, layout, first, index),
            };
            return Ok(Operand::scalar(structure));
        }
        let (image, sampler) = match index {
            None => {
                let key = (set, binding, first);
                match self.descriptors.records.get(&key) {
                    Some(&known) => known,
                    None => {
                        let read = self.in_prologue(|cx| Ok(cx.read_records(set, layout, first, None)))?;
                        self.descriptors.records.insert(key, read);
                        read
                    }
                }
            }
            Some(_) => self.read_records(set, layout, first, index),
        };
        if index.is_none() && layout.count == 1 && !layout.variable_count {
            self.image.note((set, binding), [image, sampler], layout.known);
        }
        let scalars: Scalars = match self.module.ty(ty) {
            Type::Image(found) => {
                if is_tile && found.sampled == 2 && layout.kind == Kind::SampledImage {
                    self.descriptors.fetched.insert(image);
                }
                smallvec::smallvec![image]
            }
            Type::Sampler => smallvec::smallvec![sampler],
            Type::SampledImage { .. } => smallvec::smallvec![image, sampler],
            _ => return invalid(format!("{ty} is not a type of an image or sampler")),
        };
        if pointer.non_uniform && index.is_some() {
            self.descriptors.non_uniform.extend(scalars.iter().copied());
        }
        Ok(Operand::Data(scalars))
    }

    /// Fails unless the pipeline layout has at a binding what the shader's type says.
    fn expect_kind(
        &self,
        ty: Id,
        layout: &BindingLayout,
        (set, binding): (u32, u32),
        is_tile: bool,
    ) -> Result {
        let of_image = |ty: Id| match self.module.ty(ty) {
            Type::Image(image) => {
                // The count is also asked for types that are not images.
                debug_assert!(sample_coordinate_count(&image) > 0);
                match (image.dim, image.sampled) {
                    (Dim::DimBuffer, 2) => &[Kind::StorageTexelBuffer][..],
                    (Dim::DimBuffer, _) => &[Kind::UniformTexelBuffer],
                    (Dim::DimSubpassData, _) => &[Kind::SampledImage],
                    // Input attachments are sampled images.
                    (_, 2) if is_tile => &[Kind::StorageImage, Kind::SampledImage],
                    (_, 2) => &[Kind::StorageImage],
                    _ => &[Kind::SampledImage, Kind::CombinedImageSampler],
                }
            }
            _ => &[],
        };
        let kinds = match self.module.ty(ty) {
            Type::Sampler => &[Kind::Sampler, Kind::CombinedImageSampler][..],
            Type::AccelerationStructure => &[Kind::AccelerationStructure],
            Type::Tensor { .. } => &[Kind::Tensor],
            Type::SampledImage { image } => match self.module.ty(image) {
                // A texel buffer may be declared with a sampler that it lacks.
                Type::Image(image) if image.dim == Dim::DimBuffer => &[Kind::UniformTexelBuffer],
                _ => &[Kind::CombinedImageSampler],
            },
            _ => of_image(ty),
        };
        if kinds.contains(&layout.kind) || layout.kind == Kind::Mutable {
            return Ok(());
        }
        let text = crate::types::type_text(self.module, ty);
        invalid(format!(
            "set {set} binding {binding} is {text} in the shader and {:?} in the pipeline layout",
            layout.kind
        ))
    }

    /// The acceleration structure of descriptor `first + index`; the null one where there is none.
    fn read_structure(
        &mut self,
        set: u32,
        layout: &BindingLayout,
        first: u64,
        index: Option<Value>,
    ) -> Value {
        let at = self.descriptor_place(set, layout, first, index);
        self.b.load(Scalar::I64, at.memory, at.base, at.offset, at.predicate)
    }

    /// The records of descriptor `first + index`; the null records where there is none.
    fn read_records(
        &mut self,
        set: u32,
        layout: &BindingLayout,
        first: u64,
        index: Option<Value>,
    ) -> (Value, Value) {
        let at = self.descriptor_place(set, layout, first, index);
        let dispatch = self.b.arg(0);
        let zero = self.b.i64(0);
        let [image, sampler] =
            [(0, offset::NULL_IMAGE), (SAMPLER, offset::NULL_SAMPLER)].map(|(byte, null)| {
                let memory = at.memory.at(at.memory.displacement.wrapping_add(byte));
                let record = self.b.load(Scalar::I64, memory, at.base, at.offset, at.predicate);
                let null = self.load_context(dispatch, null, Scalar::I64);
                let is_null = self.b.op(Opcode::IEq, &[record, zero]);
                self.b.select(is_null, null, record)
            });
        (image, sampler)
    }
}
