//! Rules on mappings from sets and bindings to descriptor heaps (`VK_EXT_descriptor_heap`).

use super::{Cx, Rule, each, property};
use crate::context::{Verdict, ensure};
use pyro_interface::{Resource, ResourceKind};
use pyro_spirv::facts::{RAY_TRACING_STAGES, facts};
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use std::collections::BTreeSet;

/// `VkDescriptorMappingSourceEXT`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingSource {
    /// `HEAP_WITH_CONSTANT_OFFSET`
    ConstantOffset,
    /// `HEAP_WITH_PUSH_INDEX`
    PushIndex,
    /// `HEAP_WITH_INDIRECT_INDEX`
    IndirectIndex,
    /// `HEAP_WITH_INDIRECT_INDEX_ARRAY`
    IndirectIndexArray,
    /// `RESOURCE_HEAP_DATA`
    HeapData,
    /// `PUSH_DATA`
    PushData,
    /// `PUSH_ADDRESS`
    PushAddress,
    /// `INDIRECT_ADDRESS`
    IndirectAddress,
    /// `HEAP_WITH_SHADER_RECORD_INDEX`
    ShaderRecordIndex,
    /// `SHADER_RECORD_DATA`
    ShaderRecordData,
    /// `SHADER_RECORD_ADDRESS`
    ShaderRecordAddress,
}

use MappingSource as Source;

impl MappingSource {
    /// Whether the mapping leads past the heap's descriptors: to data or by an address.
    fn is_direct(self) -> bool {
        self.is_data() || self.is_address()
    }

    fn is_data(self) -> bool {
        matches!(self, Source::PushData | Source::ShaderRecordData | Source::HeapData)
    }

    fn is_address(self) -> bool {
        matches!(self, Source::ShaderRecordAddress | Source::PushAddress | Source::IndirectAddress)
    }

    fn is_of_shader_record(self) -> bool {
        matches!(self, Source::ShaderRecordIndex | Source::ShaderRecordData | Source::ShaderRecordAddress)
    }
}

/// `VkDescriptorSetAndBindingMappingEXT`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// `descriptorSet`
    pub set: u32,
    /// `firstBinding`
    pub first_binding: u32,
    /// `bindingCount`
    pub binding_count: u32,
    /// `resourceMask`, of `VkSpirvResourceTypeFlagBitsEXT`.
    pub resource_mask: u32,
    /// `source`
    pub source: MappingSource,
    /// `pushDataOffset` or `shaderRecordDataOffset` of the source's data, in bytes; zero for other sources.
    pub offset: u32,
    /// Whether the source's `pEmbeddedSampler` is not null.
    pub has_embedded_sampler: bool,
    /// `heapOffset` of sources that lead to the heap's descriptors, in bytes.
    pub heap_offset: u32,
    /// `heapArrayStride` of such, in bytes.
    pub heap_array_stride: u32,
}

impl Mapping {
    /// Whether two mappings map the same resources.
    fn overlaps(&self, other: &Mapping) -> bool {
        let end = |mapping: &Mapping| u64::from(mapping.first_binding) + u64::from(mapping.binding_count);
        self.set == other.set
            && u64::from(self.first_binding) < end(other)
            && u64::from(other.first_binding) < end(self)
            && self.resource_mask & other.resource_mask != 0
    }

    /// Whether it maps a resource.
    pub(crate) fn is_for(&self, resource: &Resource) -> bool {
        let behind = resource.binding.checked_sub(self.first_binding);
        self.set == resource.set
            && behind.is_some_and(|behind| behind < self.binding_count)
            && self.resource_mask & 1 << resource_bit(resource) != 0
    }
}

/// The place of a resource's bit in `VkSpirvResourceTypeFlagBitsEXT`.
fn resource_bit(resource: &Resource) -> u32 {
    let is_read_only = u32::from(!resource.access.non_writable);
    match (resource.kind, resource.image) {
        (ResourceKind::Sampler, _) => 0,
        (ResourceKind::CombinedImageSampler, _) => 4,
        (ResourceKind::UniformBuffer, _) => 5,
        (ResourceKind::StorageBuffer, _) => 6 + is_read_only,
        (ResourceKind::AccelerationStructure, _) => 8,
        (ResourceKind::Tensor, _) => 9,
        (_, Some(image)) if image.sampled == 2 => 2 + is_read_only,
        _ => 1,
    }
}

pub(super) const RULES: &[(&str, Rule)] = &[
    ("VUID-VkPipelineShaderStageCreateInfo-descriptorHeap-11314", |cx| {
        let is_fine = cx.info.mappings.is_empty() || cx.device.has_feature("descriptorHeap");
        ensure!(is_fine, "mappings to a heap need the feature descriptorHeap");
        Ok(())
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11315", data_is_uniform),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11316", |cx| {
        let limit = property(cx, "maxPushDataSize");
        data_fits(cx, Source::PushData, limit, "maxPushDataSize")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11317", |cx| {
        let limit = property(cx, "maxShaderGroupStride");
        data_fits(cx, Source::ShaderRecordData, limit, "maxShaderGroupStride")
    }),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11318", addressed_kind),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11378", addressed_length),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-11399", embedded_sampler),
    ("VUID-VkPipelineShaderStageCreateInfo-pNext-12454", record_stage),
    ("VUID-RuntimeSpirv-DescriptorSet-11385", constant_indices),
    ("VUID-RuntimeSpirv-DescriptorSet-11388", |cx| variable_pointers(cx, true)),
    ("VUID-RuntimeSpirv-source-11387", |cx| variable_pointers(cx, false)),
    ("VUID-VkShaderDescriptorSetAndBindingMappingInfoEXT-pMappings-11244", |cx| {
        let all = cx.info.mappings;
        for (place, mapping) in all.iter().enumerate() {
            let earlier = all[..place].iter().find(|earlier| earlier.overlaps(mapping));
            ensure!(
                earlier.is_none(),
                "two mappings are for binding {} of set {}",
                mapping.first_binding,
                mapping.set
            );
        }
        Ok(())
    }),
    ("VUID-VkDescriptorSetAndBindingMappingEXT-source-11251", |cx| {
        heap_alignment(cx, "imageDescriptorAlignment", |resource| resource.image.is_some())
    }),
    ("VUID-VkDescriptorSetAndBindingMappingEXT-source-11252", |cx| {
        heap_alignment(cx, "bufferDescriptorAlignment", |resource| {
            matches!(resource.kind, ResourceKind::UniformBuffer | ResourceKind::StorageBuffer)
        })
    }),
];

/// Descriptors in heaps lie at multiples of an alignment.
fn heap_alignment(cx: &Cx<'_>, name: &str, is_of: impl Fn(&Resource) -> bool) -> Verdict {
    let Some(alignment) = property(cx, name).filter(|alignment| *alignment != 0) else { return Ok(()) };
    let of_heap = mapped(cx).filter(|(_, mapping)| !mapping.source.is_direct());
    for (resource, mapping) in of_heap.filter(|(resource, _)| is_of(resource)) {
        for (what, value) in
            [("heapOffset", mapping.heap_offset), ("heapArrayStride", mapping.heap_array_stride)]
        {
            ensure!(
                value.is_multiple_of(alignment),
                "{} is mapped with {what} {value}, which is not a multiple of {name} {alignment}",
                resource.label()
            );
        }
    }
    Ok(())
}

/// The resources that are mapped, and how.
fn mapped<'c>(cx: &'c Cx<'_>) -> impl Iterator<Item = (&'c Resource, &'c Mapping)> {
    let resources = cx.interface.iter().flat_map(|interface| &interface.resources);
    resources.filter_map(|resource| {
        let mapping = cx.info.mappings.iter().find(|mapping| mapping.is_for(resource))?;
        Some((resource, mapping))
    })
}

fn mapping_of<'c>(cx: &'c Cx<'_>, variable: Id) -> Option<(&'c Resource, &'c Mapping)> {
    mapped(cx).find(|(resource, _)| resource.variable == variable)
}

fn is_array(cx: &Cx<'_>, resource: &Resource) -> bool {
    let ty = cx.module.global(resource.variable).and_then(|variable| variable.value_type);
    ty.is_some_and(|ty| matches!(cx.module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. }))
}

fn data_is_uniform(cx: &Cx<'_>) -> Verdict {
    for (resource, mapping) in mapped(cx).filter(|(_, mapping)| mapping.source.is_data()) {
        ensure!(
            resource.kind == ResourceKind::UniformBuffer,
            "{} is mapped to {:?}, and no uniform block",
            resource.label(),
            mapping.source
        );
    }
    Ok(())
}

fn data_fits(cx: &Cx<'_>, source: Source, limit: Option<u32>, name: &str) -> Verdict {
    let Some(limit) = limit else { return Ok(()) };
    for (resource, mapping) in mapped(cx).filter(|(_, mapping)| mapping.source == source) {
        let end = resource.block_size.saturating_add(mapping.offset.into());
        ensure!(
            end <= limit.into(),
            "{} of {} bytes is mapped to data from {} on, {name} is {limit}",
            resource.label(),
            resource.block_size,
            mapping.offset
        );
    }
    Ok(())
}

fn addressed_kind(cx: &Cx<'_>) -> Verdict {
    for (resource, mapping) in mapped(cx).filter(|(_, mapping)| mapping.source.is_address()) {
        let is_fine = matches!(
            resource.kind,
            ResourceKind::UniformBuffer | ResourceKind::StorageBuffer | ResourceKind::AccelerationStructure
        );
        ensure!(
            is_fine,
            "{} is mapped to {:?}, and neither a buffer nor an acceleration structure",
            resource.label(),
            mapping.source
        );
    }
    Ok(())
}

/// The variable that a pointer is to, or to a part of; none for pointers that may be to several.
fn root(cx: &Cx<'_>, pointer: Id) -> Option<Id> {
    let mut id = pointer;
    // Chains are as long as modules at most: each step goes to another instruction before.
    for _ in 0..64 {
        if cx.module.global(id).is_some() {
            return Some(id);
        }
        let inst = cx.module.definition(id)?;
        id = base(inst)?;
    }
    None
}

fn base(inst: Instruction<'_>) -> Option<Id> {
    if inst.op() == Op::CopyObject { inst.get_id(0) } else { inst.chain_base() }
}

fn addressed_length(cx: &Cx<'_>) -> Verdict {
    if cx.info.mappings.is_empty() {
        return Ok(());
    }
    for inst in each(cx, &[Op::ArrayLength, Op::UntypedArrayLengthKHR]) {
        let variable = facts(inst.op())
            .reads
            .first()
            .and_then(|&position| inst.get_id(position))
            .and_then(|pointer| root(cx, pointer));
        if let Some((resource, mapping)) = variable.and_then(|variable| mapping_of(cx, variable)) {
            ensure!(
                !mapping.source.is_address(),
                "{} is mapped to {:?}, by which the length of its array is not known",
                resource.label(),
                mapping.source
            );
        }
    }
    Ok(())
}

fn embedded_sampler(cx: &Cx<'_>) -> Verdict {
    for (resource, mapping) in mapped(cx).filter(|(_, mapping)| !mapping.source.is_direct()) {
        ensure!(
            !mapping.has_embedded_sampler || !is_array(cx, resource),
            "{} is an array, its mapping has one sampler embedded",
            resource.label()
        );
    }
    Ok(())
}

fn record_stage(cx: &Cx<'_>) -> Verdict {
    let is_ray = RAY_TRACING_STAGES.contains(&cx.info.model);
    for (resource, mapping) in mapped(cx).filter(|(_, mapping)| mapping.source.is_of_shader_record()) {
        ensure!(
            is_ray,
            "{} is mapped to {:?}, which {:?} shaders do not have",
            resource.label(),
            mapping.source,
            cx.info.model
        );
    }
    Ok(())
}

/// Of arrays that are mapped to data or by an address, each use says at compile time which element.
fn constant_indices(cx: &Cx<'_>) -> Verdict {
    let direct: Vec<&Resource> =
        mapped(cx).filter(|(_, mapping)| mapping.source.is_direct()).map(|(resource, _)| resource).collect();
    let arrays: Vec<&Resource> = direct.into_iter().filter(|resource| is_array(cx, resource)).collect();
    if arrays.is_empty() {
        return Ok(());
    }
    for inst in cx.module.insts().skip(cx.module.global_insts().len()) {
        // Chains that begin at an element are of pointers, not of variables.
        let Some(chain) = facts(inst.op()).access_chain.filter(|chain| chain.element.is_none()) else {
            continue;
        };
        let index = chain.indices.and_then(|first| inst.get_id(first));
        let (Some(of), Some(index)) = (inst.get_id(chain.base), index) else { continue };
        let Some(resource) = arrays.iter().find(|resource| resource.variable == of) else { continue };
        ensure!(
            cx.constants.get(index).is_some(),
            "{} is mapped to data or by an address: the index {index} is not constant",
            resource.label()
        );
    }
    Ok(())
}

/// What variable pointers may be to: `direct` asks that none is mapped past the heap, otherwise that all are
/// mapped alike.
fn variable_pointers(cx: &Cx<'_>, direct: bool) -> Verdict {
    if cx.info.mappings.is_empty() {
        return Ok(());
    }
    for inst in each(cx, &[Op::Select, Op::Phi]) {
        let ty = inst.result_type().map(|ty| cx.module.ty(ty));
        let is_resource = |class| matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform);
        if !matches!(ty, Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) if is_resource(class))
        {
            continue;
        }
        // The condition and the blocks are not pointers, and lead to no variable.
        let variables: BTreeSet<Id> = inst.id_operands().filter_map(|id| root(cx, id)).collect();
        let mappings: Vec<Option<(&Resource, &Mapping)>> =
            variables.into_iter().map(|variable| mapping_of(cx, variable)).collect();
        if direct {
            let found = mappings.iter().flatten().find(|(_, mapping)| mapping.source.is_direct());
            ensure!(
                found.is_none(),
                "a variable pointer may be to {}, which is mapped to data or by an address",
                found.map(|(resource, _)| resource.label()).unwrap_or_default()
            );
        } else {
            let sources = mappings.iter().map(|found| found.map(|(_, mapping)| mapping.source));
            let sources: Vec<_> = sources.collect();
            let differ = sources.windows(2).any(|pair| pair[0] != pair[1]);
            ensure!(!differ, "a variable pointer may be to resources that are mapped differently");
        }
    }
    Ok(())
}
