//! A pipeline layout that fits a module.

use pyro_abi::{BindingLayout, DescriptorKind, PipelineLayout, SetLayout};
use pyro_spirv::spirv::{Decoration, Dim, StorageClass};
use pyro_spirv::{Module, Type};

/// A layout with a place for every resource; arrays have 64 descriptors.
pub(crate) fn layout_of(module: &Module) -> PipelineLayout {
    let mut sets: Vec<SetLayout> = Vec::new();
    for variable in module.globals() {
        let literal = |decoration| module.decoration_literal(variable.id, decoration);
        let (Some(set), Some(binding), Some(ty)) =
            (literal(Decoration::DescriptorSet), literal(Decoration::Binding), variable.value_type)
        else {
            continue;
        };
        let is_uniform = variable.class == StorageClass::Uniform
            && !module.has_decoration(module.strip_arrays(ty), Decoration::BufferBlock);
        let set = set.min(31) as usize;
        if sets.len() <= set {
            sets.resize_with(set + 1, SetLayout::default);
        }
        let offset = 16 + 1024 * sets[set].bindings.len() as u32;
        let kind = match module.ty(module.strip_arrays(ty)) {
            Type::Sampler => DescriptorKind::Sampler,
            Type::SampledImage { .. } => DescriptorKind::CombinedImageSampler,
            Type::Image(image) if image.dim == Dim::DimBuffer => DescriptorKind::UniformTexelBuffer,
            Type::Image(image) if image.sampled == 2 => DescriptorKind::StorageImage,
            Type::Image(_) => DescriptorKind::SampledImage,
            _ if is_uniform => DescriptorKind::UniformBuffer,
            _ => DescriptorKind::StorageBuffer,
        };
        let count = if module.strip_arrays(ty) == ty { 1 } else { 64 };
        let place = BindingLayout {
            kind,
            offset,
            count,
            stride: 16,
            dynamic_index: None,
            variable_count: false,
            known: None,
        };
        sets[set].bindings.insert(binding, place);
    }
    PipelineLayout { sets, push_constant_bytes: 256, ..PipelineLayout::default() }
}
