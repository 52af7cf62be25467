//! A pipeline layout and pipeline state that fit a module, for tools that have no application to give them.

use crate::CompileError;
use pyro_abi::descriptor::{BUFFER_DESCRIPTOR_BYTES, SET_HEADER_BYTES};
use pyro_abi::{BindingLayout, DescriptorKind, PUSH_CONSTANT_BYTES_MAX, PipelineLayout, SETS_MAX, SetLayout};
use pyro_fixed::state::{ColorAttachmentKey, InputRate, VertexAttribute};
use pyro_fixed::{FragmentOutputKey, VertexInputState};
use pyro_image::Format;
use pyro_interface::{Direction, Interface};
use pyro_spirv::spirv::{Decoration, Dim, ExecutionModel, StorageClass};
use pyro_spirv::{ConstantValues, Id, Module, Specialization, Type};

/// Descriptors that a tool's layout gives to an array without a size.
const RUNTIME_ARRAY_COUNT: u32 = 1024;

/// A layout with a descriptor for every buffer, image and sampler that `module` declares, in ascending order
/// of set and binding, and room for all push constants. Other resources are left out.
///
/// # Errors
/// [`CompileError::Limit`] for a set number past the last; [`CompileError::Invalid`] for broken constants.
pub fn layout_of(module: &Module) -> Result<PipelineLayout, CompileError> {
    let constants = ConstantValues::evaluate(module, &Specialization::new())
        .map_err(|error| CompileError::Invalid(error.to_string()))?;
    let mut sets: Vec<SetLayout> = Vec::new();
    for variable in module.globals() {
        let literal = |decoration| module.decoration_literal(variable.id, decoration);
        let (Some(set), Some(binding), Some(ty)) =
            (literal(Decoration::DescriptorSet), literal(Decoration::Binding), variable.value_type)
        else {
            continue;
        };
        if set as usize >= SETS_MAX {
            return Err(CompileError::Limit(format!("descriptor set {set}")));
        }
        let (element, count) = match module.ty(ty) {
            Type::Array { element, len } => {
                (element, constants.scalar(len).and_then(|count| u32::try_from(count).ok()).unwrap_or(1))
            }
            Type::RuntimeArray { element } => (element, RUNTIME_ARRAY_COUNT),
            _ => (ty, 1),
        };
        let kind = match variable.class {
            StorageClass::StorageBuffer => DescriptorKind::StorageBuffer,
            StorageClass::Uniform if module.has_decoration(element, Decoration::BufferBlock) => {
                DescriptorKind::StorageBuffer
            }
            StorageClass::Uniform => DescriptorKind::UniformBuffer,
            StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM => {
                match image_kind(module, element) {
                    Some(kind) => kind,
                    None => continue,
                }
            }
            _ => continue,
        };
        if sets.len() <= set as usize {
            sets.resize(set as usize + 1, SetLayout::default());
        }
        let layout = BindingLayout {
            kind,
            offset: 0,
            count,
            stride: BUFFER_DESCRIPTOR_BYTES,
            dynamic_index: None,
            variable_count: false,
            known: None,
        };
        sets[set as usize].bindings.insert(binding, layout);
    }
    for set in &mut sets {
        let mut offset = SET_HEADER_BYTES;
        for binding in set.bindings.values_mut() {
            binding.offset = offset;
            offset = binding
                .count
                .checked_mul(binding.stride)
                .and_then(|bytes| offset.checked_add(bytes))
                .ok_or_else(|| CompileError::Limit("a descriptor set of more than 4 GiB".to_owned()))?;
        }
    }
    Ok(PipelineLayout {
        sets,
        push_constant_bytes: PUSH_CONSTANT_BYTES_MAX as u32,
        ..PipelineLayout::default()
    })
}

/// The kind of descriptor that a variable of images or samplers needs.
fn image_kind(module: &Module, ty: Id) -> Option<DescriptorKind> {
    Some(match module.ty(ty) {
        Type::Sampler => DescriptorKind::Sampler,
        Type::SampledImage { image } => match module.ty(image) {
            Type::Image(image) if image.dim == Dim::DimBuffer => DescriptorKind::UniformTexelBuffer,
            _ => DescriptorKind::CombinedImageSampler,
        },
        Type::Image(image) => match (image.dim, image.sampled) {
            (Dim::DimBuffer, 2) => DescriptorKind::StorageTexelBuffer,
            (Dim::DimBuffer, _) => DescriptorKind::UniformTexelBuffer,
            (Dim::DimSubpassData, _) => DescriptorKind::SampledImage,
            (_, 2) => DescriptorKind::StorageImage,
            _ => DescriptorKind::SampledImage,
        },
        _ => return None,
    })
}

/// Numbers of a stage's interface.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Float,
    Signed,
    Unsigned,
}

/// The locations of a stage's user variables, with what their components are and their bits.
fn locations(
    module: &Module,
    entry_point: &str,
    model: ExecutionModel,
    direction: Direction,
) -> Result<Vec<(u32, Number, u32)>, CompileError> {
    let invalid = |message: String| CompileError::Invalid(message);
    let entry = module.entry_point(entry_point, model);
    let entry = entry.ok_or_else(|| invalid(format!("no {model:?} entry point is named {entry_point}")))?;
    let constants = ConstantValues::evaluate(module, &Specialization::new())
        .map_err(|error| invalid(error.to_string()))?;
    let interface = Interface::of(&constants, &entry).map_err(|error| invalid(error.to_string()))?;
    let leaves = interface.variables(direction).iter().flat_map(|variable| &variable.leaves);
    let number = |scalar| match module.ty(scalar) {
        Type::Int { signed: true, .. } => Number::Signed,
        Type::Int { .. } => Number::Unsigned,
        _ => Number::Float,
    };
    Ok(leaves.map(|leaf| (leaf.location, number(leaf.scalar), leaf.width)).collect())
}

/// A vertex input state that fits a vertex shader: four 32- or 64-bit components for each location.
///
/// # Errors
/// [`CompileError::Invalid`] when there is no such entry point.
pub fn vertex_input_of(module: &Module, entry_point: &str) -> Result<VertexInputState, CompileError> {
    let mut attributes: Vec<VertexAttribute> = Vec::new();
    for (location, number, width) in locations(module, entry_point, ExecutionModel::Vertex, Direction::Input)?
    {
        if attributes.iter().any(|attribute| attribute.location == location) {
            continue;
        }
        let format = match (number, width) {
            (Number::Float, 64) => Format::R64G64B64A64_SFLOAT,
            (Number::Signed, 64) => Format::R64G64B64A64_SINT,
            (Number::Unsigned, 64) => Format::R64G64B64A64_UINT,
            (Number::Float, _) => Format::R32G32B32A32_SFLOAT,
            (Number::Signed, _) => Format::R32G32B32A32_SINT,
            (Number::Unsigned, _) => Format::R32G32B32A32_UINT,
        };
        attributes.push(VertexAttribute { location, binding: 0, format, offset: 0, rate: InputRate::Vertex });
    }
    Ok(VertexInputState { attributes })
}

/// Attachments that fit a fragment shader: 32-bit components, one sample, no tests, no blending.
///
/// # Errors
/// [`CompileError::Invalid`] when there is no such entry point.
pub fn fragment_key_of(module: &Module, entry_point: &str) -> Result<FragmentOutputKey, CompileError> {
    let mut key = FragmentOutputKey { samples: 1, ..FragmentOutputKey::default() };
    for (location, number, _) in locations(module, entry_point, ExecutionModel::Fragment, Direction::Output)?
    {
        let format = match number {
            Number::Float => Format::R32G32B32A32_SFLOAT,
            Number::Signed => Format::R32G32B32A32_SINT,
            Number::Unsigned => Format::R32G32B32A32_UINT,
        };
        if let Some(color) = key.colors.get_mut(location as usize) {
            *color = Some(ColorAttachmentKey { format, blend: None, write_mask: 15 });
        }
    }
    Ok(key)
}
