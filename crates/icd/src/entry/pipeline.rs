//! Pipeline layouts, caches and pipelines.

use crate::call::{bytes, find, guard, messages, slice, string};
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::device::device_object;
use crate::entry::execution_graph::node_library;
use crate::entry::graphics::graphics_pipeline;
use crate::entry::module::chained_module;
use crate::entry::{heap, tools};
use crate::handle::{self, thread};
use crate::pointers::{Allocator, Data, In, Out, Slice};
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_abi::heap::Mappings;
use pyro_compile::SpecConstant;
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::descriptor::SetLayout;
use pyro_driver::device::Device;
use pyro_driver::pipeline::{
    ComputePipeline, ComputePipelineInfo, Pipeline, PipelineKind, PipelineLayout, ShaderStage,
};
use pyro_driver::registry_supplement;
use pyro_driver::render_pass::RenderPass;
use pyro_driver::shader::ShaderModule;
use pyro_driver::{Error, Result, strict};
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_pipeline_layout(
    device: vk::Device,
    info: In<'_, vk::PipelineLayoutCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::PipelineLayout>,
) -> vk::Result {
    guard(CommandId::create_pipeline_layout, || {
        crate::entry::device::check(device)?;
        let sets = info.set_layouts().iter();
        // A set that another part of the pipeline knows is null (`VK_EXT_graphics_pipeline_library`).
        let set = |set: &vk::DescriptorSetLayout| match crate::call::get_or_report::<SetLayout>(set.as_raw())
        {
            Some(set) => Ok(set),
            None => SetLayout::new(Vec::new(), false).map(Arc::new),
        };
        let sets = sets.map(set).collect::<Result<Vec<_>>>()?;
        let layout = PipelineLayout::new(sets, info.push_constant_ranges().get())?;
        out.write(vk::PipelineLayout::from_raw(handle::create(layout, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_pipeline_layout(PipelineLayout), PipelineLayout);

pub(crate) fn create_pipeline_cache(
    device: vk::Device,
    info: In<'_, vk::PipelineCacheCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::PipelineCache>,
) -> vk::Result {
    guard(CommandId::create_pipeline_cache, || {
        crate::entry::device::check(device)?;
        let data = info.initial_data();
        out.write(vk::PipelineCache::from_raw(handle::create(PipelineCache::new(data), allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_pipeline_cache(PipelineCache), PipelineCache);

pub(crate) fn get_pipeline_cache_data(
    device: vk::Device,
    cache: vk::PipelineCache,
    mut out: Data,
) -> vk::Result {
    guard(CommandId::get_pipeline_cache_data, || {
        crate::entry::device::check(device)?;
        Ok(out.answer_cache(&handle::get::<PipelineCache>(cache.as_raw())?.data()))
    })
}

pub(crate) fn merge_pipeline_caches(
    device: vk::Device,
    target: vk::PipelineCache,
    sources: Slice<'_, vk::PipelineCache>,
) -> vk::Result {
    guard(CommandId::merge_pipeline_caches, || {
        crate::entry::device::check(device)?;
        let target = handle::get::<PipelineCache>(target.as_raw())?;
        for source in sources {
            target.merge(&*handle::get::<PipelineCache>(source.as_raw())?);
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// The stages of a pipeline whose flags say `options`. What has no module is the shader of `binaries` with
/// the same stage and, of several shaders of the stage, the same number among them.
///
/// # Safety
/// As of [`shader_stage`], for each.
pub(crate) unsafe fn shader_stages<'s>(
    device: &Device,
    stages: impl Iterator<Item = &'s vk::PipelineShaderStageCreateInfo>,
    options: &ShaderOptions,
    binaries: &Binaries,
) -> Result<Vec<ShaderStage>> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let one = |stage: &vk::PipelineShaderStageCreateInfo| {
        let count = counts.entry(stage.stage.bits()).or_default();
        let captured = binaries.module(stage.stage, *count);
        *count += 1;
        // SAFETY: the caller's contract.
        unsafe { shader_stage(device, stage, options.clone(), captured) }
    };
    stages.map(one).collect()
}

/// A stage of a pipeline whose flags say `options`; of one for descriptor heaps, with its own mappings. Its
/// shader is `captured` where it has neither a module nor words nor an identifier.
///
/// # Safety
/// The structure and its chain are valid (`VkPipelineShaderStageCreateInfo`, "Valid Usage").
pub(crate) unsafe fn shader_stage(
    device: &Device,
    stage: &vk::PipelineShaderStageCreateInfo,
    mut options: ShaderOptions,
    captured: Option<Arc<ShaderModule>>,
) -> Result<ShaderStage> {
    // SAFETY: strings end in zero, by the contract of this function.
    let entry_point = unsafe { string(stage.name) }?;
    let module = match crate::call::get_or_report::<ShaderModule>(stage.module.as_raw()) {
        Some(module) => module,
        None => match captured {
            Some(module) => module,
            // SAFETY: `stage` is valid by the contract of this function, as `chained_module` requires.
            None => Arc::new(unsafe { chained_module(stage) }?),
        },
    };
    let mut specialization = Vec::new();
    let (mut map_entries, mut data_size): (&[vk::SpecializationMapEntry], _) = (&[], 0);
    // SAFETY: `pSpecializationInfo` is null or valid
    // (VUID-VkPipelineShaderStageCreateInfo-pSpecializationInfo-parameter).
    if let Some(values) = unsafe { stage.specialization_info.as_ref() } {
        // SAFETY: `pData` has `dataSize` bytes (VUID-VkSpecializationInfo-pData-parameter).
        let data = unsafe { bytes(values.data, values.data_size) };
        // SAFETY: `map_entries` has as many elements as counted, by the contract of this function.
        map_entries = unsafe { slice(values.map_entries, values.map_entry_count) };
        data_size = data.len();
        for entry in map_entries {
            let start = entry.offset as usize;
            let bytes = start.checked_add(entry.size).and_then(|end| data.get(start..end));
            let bytes = bytes.ok_or_else(|| {
                Error::misuse(
                    "a specialization map entry reads outside pData (VUID-VkSpecializationInfo-offset-00773)",
                )
            })?;
            specialization.push(SpecConstant { id: entry.constant_id, bytes: bytes.to_vec() });
        }
    }
    let s_type = vk::StructureType::PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let size = unsafe { find::<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo>(stage.next, s_type) };
    let subgroup_size = size.map(|size| size.required_subgroup_size);
    if strict::is_on()
        && module.has_words()
        && let Some(model) = strict::model(stage.stage)
    {
        let map_entries = map_entries.iter().map(|entry| strict::MapEntry {
            constant_id: entry.constant_id,
            offset: entry.offset,
            size: entry.size,
        });
        use vk::PipelineShaderStageCreateFlags as Flags;
        let info = strict::Stage {
            allows_varying_subgroup_size: stage.flags.contains(Flags::ALLOW_VARYING_SUBGROUP_SIZE),
            requires_full_subgroups: stage.flags.contains(Flags::REQUIRE_FULL_SUBGROUPS),
            required_subgroup_size: subgroup_size,
            map_entries: &map_entries.collect::<Vec<_>>(),
            data_size,
            has_64_bit_indexing: options.indexing_64bit,
            ..strict::Stage::new(model, &entry_point)
        };
        let found = strict::stage_findings(&module, &specialization, &info);
        found.iter().for_each(|finding| messages::finding(finding));
    }
    let mut samplers = Vec::new();
    if options.heap.is_some() {
        // SAFETY: `stage` is valid by the contract of this function, as `mappings` requires.
        let (mappings, embedded) = unsafe { heap::mappings(device, stage.stage, stage.next) }?;
        (options.heap, samplers) = (Some(mappings), embedded);
    }
    options.sanitize = device.sanitize();
    let (stage, backend) = (stage.stage, device.backend());
    Ok(ShaderStage { stage, module, entry_point, specialization, subgroup_size, options, samplers, backend })
}

/// A pipeline's flags: those of 64 bits, where they are chained, go before those of 32.
///
/// # Safety
/// `next` is null or starts a valid chain.
pub(crate) unsafe fn create_flags(
    next: *const c_void,
    flags: vk::PipelineCreateFlags,
) -> vk::PipelineCreateFlags2 {
    let s_type = vk::StructureType::PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let wide = unsafe { find::<vk::PipelineCreateFlags2CreateInfo>(next, s_type) };
    wide.map_or(vk::PipelineCreateFlags2::from_bits_truncate(flags.bits().into()), |wide| wide.flags)
}

/// Those that there are of 32 bits.
pub(crate) fn old_flags(flags: vk::PipelineCreateFlags2) -> vk::PipelineCreateFlags {
    vk::PipelineCreateFlags::from_bits_truncate(flags.bits() as u32)
}

/// What a pipeline's flags say of its shaders.
pub(crate) fn shader_options(flags: vk::PipelineCreateFlags2) -> ShaderOptions {
    ShaderOptions {
        indexing_64bit: flags.contains(vk::PipelineCreateFlags2::_64_BIT_INDEXING_EXT),
        view_index_is_device_index: flags.contains(vk::PipelineCreateFlags2::VIEW_INDEX_FROM_DEVICE_INDEX),
        heap: flags.contains(vk::PipelineCreateFlags2::DESCRIPTOR_HEAP_EXT).then(Mappings::default),
        node_index: None,
        instrumented: flags.bits() & registry_supplement::PIPELINE_CREATE_2_INSTRUMENT_SHADERS_ARM != 0,
        ..ShaderOptions::default()
    }
}

/// How large workgroups of subpass shading may be: as others may, whatever the attachments are.
pub(crate) unsafe extern "system" fn get_device_subpass_shading_max_workgroup_size_huawei(
    device: vk::Device,
    render_pass: vk::RenderPass,
    out: *mut vk::Extent2D,
) -> vk::Result {
    // SAFETY: `out` is valid
    // (VUID-vkGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI-pMaxWorkgroupSize-parameter).
    guard(CommandId::get_device_subpass_shading_max_workgroup_size_huawei, || unsafe {
        crate::entry::device::check(device)?;
        handle::get::<RenderPass>(render_pass.as_raw())?;
        *out = vk::Extent2D { width: 32, height: 32 };
        Ok(vk::Result::SUCCESS)
    })
}

/// What a compute pipeline is made from.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkComputePipelineCreateInfo`, "Valid Usage").
pub(crate) unsafe fn compute_info(
    device: &Device,
    info: &vk::ComputePipelineCreateInfo,
    binaries: &Binaries,
) -> Result<ComputePipelineInfo> {
    // SAFETY: `info` is valid by the contract of this function, as `create_flags` requires.
    let flags = unsafe { create_flags(info.next, info.flags) };
    let captured = binaries.module(info.stage.stage, 0);
    // SAFETY: `info` is valid by the contract of this function, as `shader_stage` requires.
    let stage = unsafe { shader_stage(device, &info.stage, shader_options(flags), captured) }?;
    let layout = match stage.options.heap {
        Some(_) => Arc::new(PipelineLayout::for_heaps(std::slice::from_ref(&stage))),
        None => handle::get(info.layout.as_raw())?,
    };
    let s_type = vk::StructureType::SUBPASS_SHADING_PIPELINE_CREATE_INFO_HUAWEI;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    if let Some(info) = unsafe { find::<vk::SubpassShadingPipelineCreateInfoHUAWEI>(info.next, s_type) } {
        // The code is the same in all render passes.
        handle::get::<RenderPass>(info.render_pass.as_raw())?;
    }
    Ok(ComputePipelineInfo { flags: old_flags(flags), stage, layout })
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkComputePipelineCreateInfo`, "Valid Usage").
unsafe fn compute_pipeline(
    device: &Device,
    info: &vk::ComputePipelineCreateInfo,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    // SAFETY: `info` is valid by the contract of this function, as `node_library` requires.
    if let Some(library) = unsafe { node_library(device, info) }? {
        return Ok(library);
    }
    // SAFETY: `info` is valid by the contract of this function, as `of` requires.
    let binaries = unsafe { Binaries::of(info.next) }?;
    // SAFETY: `info` is valid by the contract of this function, as `compute_info` requires.
    let made_from = unsafe { compute_info(device, info, &binaries) }?;
    strict::check_compute(&made_from, &messages::finding);
    let captured =
        // SAFETY: `info` is valid by the contract of this function, as `captures_data` requires.
        unsafe { captures_data(info.next) }.then(|| Captured::new(std::slice::from_ref(&made_from.stage)));
    let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
    let (pipeline, mut feedback) = ComputePipeline::new(made_from, cache)?;
    // Binaries are no cache.
    feedback.cache_hit &= binaries.artifacts().is_none();
    // SAFETY: `info` is valid by the contract of this function, as `feed_back` requires.
    unsafe { tools::feed_back(info.next, feedback) };
    Ok(Pipeline::new(PipelineKind::Compute(Arc::new(pipeline)), captured))
}

impl PipelineCreateInfo for vk::ComputePipelineCreateInfo {
    unsafe fn flags(&self) -> vk::PipelineCreateFlags2 {
        // SAFETY: the caller's contract.
        unsafe { create_flags(self.next, self.flags) }
    }

    unsafe fn pipeline(&self, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        // SAFETY: the caller's contract.
        unsafe { compute_pipeline(device, self, cache) }
    }
}

pub(crate) unsafe extern "system" fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let command = CommandId::create_compute_pipelines;
    // SAFETY: `infos` and `out` have `count` elements (VUID-vkCreateComputePipelines-pCreateInfos-parameter,
    // VUID-vkCreateComputePipelines-pPipelines-parameter).
    unsafe { create_pipelines(command, device, cache, slice(infos, count), allocator, out) }
}

/// A structure that a pipeline is created from.
pub(crate) trait PipelineCreateInfo {
    /// The pipeline's flags.
    ///
    /// # Safety
    /// The structure and its chain are valid.
    unsafe fn flags(&self) -> vk::PipelineCreateFlags2;

    /// Creates the pipeline.
    ///
    /// # Safety
    /// The structure and its chain are valid.
    unsafe fn pipeline(&self, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline>;
}

/// Creates pipelines into `out`, null where one could not be created. Gives the worst result: an error says
/// more than that a pipeline would have to be compiled.
///
/// Several pipelines are compiled on several threads; handles are made on the calling thread, as the
/// application's allocator may expect.
///
/// # Safety
/// The structures and their chains are valid, the allocator is null or valid, and `out` has room for as many
/// handles as there are structures.
pub(crate) unsafe fn create_pipelines<I: PipelineCreateInfo>(
    command: CommandId,
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: &[I],
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let compile = |info: &I| {
        let device = device_object(device)?;
        let cache = handle::get_nullable::<PipelineCache>(cache.as_raw())?;
        // SAFETY: the caller's contract.
        unsafe { info.pipeline(&device.device, cache.as_deref()) }
    };
    // SAFETY: the caller's contract.
    let flags = |info: &I| unsafe { info.flags() };
    let mut worst = vk::Result::SUCCESS;
    // SAFETY: the caller's contract gives room for so many handles.
    (0..infos.len()).for_each(|index| unsafe { out.add(index).write(vk::Pipeline::null()) });
    let stops_early = |info: &I| flags(info).contains(vk::PipelineCreateFlags2::EARLY_RETURN_ON_FAILURE);
    // What strict mode finds is told on the calling thread, and once.
    let is_shared = infos.len() > 1 && !strict::is_on() && !infos.iter().any(stops_early);
    let mut compiled = if is_shared { compile_ahead(command, device, infos, &compile) } else { Vec::new() };
    for (index, info) in infos.iter().enumerate() {
        let ahead = compiled.get_mut(index).and_then(Option::take);
        let code = guard(command, || {
            // The pipeline is this device's, whichever thread compiled it.
            crate::entry::device::check(device)?;
            // What failed does so once more here, where the message can say whose command it is.
            let pipeline = match ahead {
                Some(pipeline) => pipeline,
                None => compile(info)?,
            };
            let graphics = match &pipeline.kind {
                PipelineKind::Graphics(graphics) => Some(Arc::clone(graphics)),
                _ => None,
            };
            // SAFETY: the caller's contract.
            let made = unsafe { handle::new::<Pipeline>(pipeline, allocator) }?;
            if let Some(graphics) = graphics {
                graphics.name().set(vk::ObjectType::PIPELINE, made);
            }
            // SAFETY: `index` is less than the number of structures; there is room for as many handles.
            unsafe { out.add(index).write(vk::Pipeline::from_raw(made)) };
            Ok(vk::Result::SUCCESS)
        });
        let failed = code != vk::Result::SUCCESS;
        if failed && (worst == vk::Result::SUCCESS || code.as_raw() < worst.as_raw()) {
            worst = code;
        }
        if failed && stops_early(info) {
            break;
        }
    }
    worst
}

/// Compiles pipelines on all threads of the device; none where that failed.
fn compile_ahead<I, P: Send>(
    command: CommandId,
    device: vk::Device,
    infos: &[I],
    compile: &(impl Fn(&I) -> Result<P> + Sync),
) -> Vec<Option<P>> {
    /// The application's structures hold pointers.
    struct Shared<'a, I>(&'a [I]);
    // SAFETY: they stay as they are until the command returns, each is used by one thread, and what is
    // written through them (the feedback) belongs to one of them.
    unsafe impl<I> Sync for Shared<'_, I> {}

    let shared = Shared(infos);
    let results: Vec<Mutex<Option<P>>> = infos.iter().map(|_| Mutex::new(None)).collect();
    let part = |index: u64| {
        let shared = &shared;
        let outer = thread::here().context.enter(command);
        let made = catch_unwind(AssertUnwindSafe(|| compile(&shared.0[index as usize])));
        thread::here().context.leave(outer);
        if let Ok(Ok(pipeline)) = made {
            *results[index as usize].lock() = Some(pipeline);
        }
    };
    let outer = thread::here().context.enter(command);
    if let Ok(device) = device_object(device) {
        device.device.for_each_part(infos.len() as u64, &part);
    }
    thread::here().context.leave(outer);
    results.into_iter().map(|result| result.into_inner()).collect()
}

impl PipelineCreateInfo for vk::GraphicsPipelineCreateInfo {
    unsafe fn flags(&self) -> vk::PipelineCreateFlags2 {
        // SAFETY: the caller's contract.
        unsafe { create_flags(self.next, self.flags) }
    }

    unsafe fn pipeline(&self, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        // SAFETY: the caller's contract.
        unsafe { graphics_pipeline(device, self, cache) }
    }
}

pub(crate) unsafe extern "system" fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::Pipeline,
) -> vk::Result {
    let command = CommandId::create_graphics_pipelines;
    // SAFETY: `infos` and `out` have `count` elements (VUID-vkCreateGraphicsPipelines-pCreateInfos-parameter,
    // VUID-vkCreateGraphicsPipelines-pPipelines-parameter).
    unsafe { create_pipelines(command, device, cache, slice(infos, count), allocator, out) }
}

crate::call::destroy_command!(destroy_pipeline(Pipeline), Pipeline);
