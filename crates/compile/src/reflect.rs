//! A pipeline layout that fits a module, for tools that have no application to give one.

use crate::CompileError;
use pyro_abi::descriptor::{BUFFER_DESCRIPTOR_BYTES, SET_HEADER_BYTES};
use pyro_abi::{BindingLayout, DescriptorKind, MAX_PUSH_CONSTANT_BYTES, MAX_SETS, PipelineLayout, SetLayout};
use pyro_spirv::spirv::{Decoration, StorageClass};
use pyro_spirv::{ConstantValues, Module, Specialization, Type};

/// Descriptors that a tool's layout gives to an array without a size.
const RUNTIME_ARRAY_COUNT: u32 = 1024;

/// A layout with a descriptor for every buffer that `module` declares, in ascending order of set and binding,
/// and room for all push constants. Other resources are left out.
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
        if set as usize >= MAX_SETS {
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
    Ok(PipelineLayout { sets, push_constant_bytes: MAX_PUSH_CONSTANT_BYTES as u32 })
}
