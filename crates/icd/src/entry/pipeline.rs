//! Pipeline layouts, caches and pipelines.

use crate::call::{guard, messages, string};
use crate::entry::binary::{Binaries, captures_data};
use crate::entry::device::device_object;
use crate::entry::execution_graph::node_library;
use crate::entry::graphics::graphics_pipeline;
use crate::entry::graphics::linked;
use crate::entry::module::chained_module;
use crate::entry::{heap, tools};
use crate::handle::{self, thread};
use crate::pointers::{Allocator, Chain, Data, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_abi::heap::Mappings;
use pyro_compile::SpecConstant;
use pyro_driver::binary::Captured;
use pyro_driver::cache::PipelineCache;
use pyro_driver::descriptor::SetLayout;
use pyro_driver::device::Device;
use pyro_driver::limits::INDIRECT_PIPELINE_BYTES;
use pyro_driver::memory::{COMPILE_ROOM_BYTES, check_room};
use pyro_driver::pipeline::{
    ComputePipeline, ComputePipelineInfo, Pipeline, PipelineKind, PipelineLayout, ShaderStage,
};
use pyro_driver::registry_supplement;
use pyro_driver::render_pass::RenderPass;
use pyro_driver::shader::ShaderModule;
use pyro_driver::{Error, Result, strict};
use pyro_util::sanitize::Kind;
use pyro_util::sync::Mutex;
use std::collections::BTreeMap;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// The layouts of sets. One that another part of the pipeline, or another shader, knows is null
/// (`VK_EXT_graphics_pipeline_library`, `VK_KHR_maintenance11`).
pub(crate) fn set_layouts(sets: Slice<'_, vk::DescriptorSetLayout>) -> Result<Vec<Arc<SetLayout>>> {
    let set = |set: &vk::DescriptorSetLayout| match crate::call::get_or_report::<SetLayout>(set.as_raw()) {
        Some(set) => Ok(set),
        None => SetLayout::new(Vec::new(), false).map(Arc::new),
    };
    sets.iter().map(set).collect()
}

pub(crate) fn create_pipeline_layout(
    device: vk::Device,
    info: In<'_, vk::PipelineLayoutCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::PipelineLayout>,
) -> vk::Result {
    guard(CommandId::create_pipeline_layout, || {
        crate::entry::device::check(device)?;
        let sets = set_layouts(info.set_layouts())?;
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

/// A stage's shader and how it is specialized.
pub(crate) struct StageInfo<'call> {
    pub(crate) stage: vk::ShaderStageFlags,
    pub(crate) flags: vk::PipelineShaderStageCreateFlags,
    pub(crate) name: Option<&'call CStr>,
    pub(crate) specialization: Option<In<'call, vk::SpecializationInfo>>,
    /// Null where the shader is in the chain or captured.
    pub(crate) module: vk::ShaderModule,
    pub(crate) chain: Chain<'call>,
}

impl<'call> StageInfo<'call> {
    pub(crate) fn of(info: In<'call, vk::PipelineShaderStageCreateInfo>) -> StageInfo<'call> {
        StageInfo {
            stage: info.stage,
            flags: info.flags,
            name: info.name(),
            specialization: info.specialization_info(),
            module: info.module,
            chain: info.chain(),
        }
    }
}

/// The stages of a pipeline whose flags say `options`. What has no module is the shader of `binaries` with
/// the same stage and, of several shaders of the stage, the same number among them.
pub(crate) fn shader_stages<'call>(
    device: &Device,
    stages: impl Iterator<Item = In<'call, vk::PipelineShaderStageCreateInfo>>,
    options: &ShaderOptions,
    binaries: &Binaries,
) -> Result<Vec<ShaderStage>> {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    let one = |stage: In<'call, vk::PipelineShaderStageCreateInfo>| {
        let count = counts.entry(stage.stage.bits()).or_default();
        let captured = binaries.module(stage.stage, *count);
        *count += 1;
        shader_stage(device, &StageInfo::of(stage), options.clone(), captured)
    };
    stages.map(one).collect()
}

/// The values of specialization constants, and where they stand.
pub(crate) struct Specialization<'call> {
    pub(crate) constants: Vec<SpecConstant>,
    map_entries: &'call [vk::SpecializationMapEntry],
    data_size: usize,
}

pub(crate) fn specialization(info: Option<In<'_, vk::SpecializationInfo>>) -> Result<Specialization<'_>> {
    let Some(info) = info else {
        return Ok(Specialization { constants: Vec::new(), map_entries: &[], data_size: 0 });
    };
    let (data, map_entries) = (info.data(), info.map_entries().get());
    let constants = map_entries.iter().map(|entry| {
        let start = entry.offset as usize;
        let bytes = start.checked_add(entry.size).and_then(|end| data.get(start..end));
        let bytes = bytes.ok_or_else(|| {
            Error::misuse(
                "a specialization map entry reads outside pData (VUID-VkSpecializationInfo-offset-00773)",
            )
        })?;
        Ok(SpecConstant { id: entry.constant_id, bytes: bytes.to_vec() })
    });
    Ok(Specialization { constants: constants.collect::<Result<_>>()?, map_entries, data_size: data.len() })
}

/// The module that a debugger puts in the place of one.
pub(crate) fn replaced(device: &Device, module: Arc<ShaderModule>) -> Result<Arc<ShaderModule>> {
    let module = device.reloaded(&module).unwrap_or(module);
    match device.replacement(module.words()) {
        Some(words) => Ok(Arc::new(ShaderModule::unchecked(&words)?)),
        None => Ok(module),
    }
}

/// A stage of a pipeline whose flags say `options`; of one for descriptor heaps, with its own mappings. Its
/// shader is `captured` where it has neither a module nor words nor an identifier.
pub(crate) fn shader_stage(
    device: &Device,
    stage: &StageInfo<'_>,
    mut options: ShaderOptions,
    captured: Option<Arc<ShaderModule>>,
) -> Result<ShaderStage> {
    let entry_point = string(stage.name)?;
    let module = match crate::call::get_or_report::<ShaderModule>(stage.module.as_raw()).or(captured) {
        Some(module) => module,
        None => Arc::new(chained_module(stage.chain)?),
    };
    let module = replaced(device, module)?;
    let specialization = specialization(stage.specialization)?;
    let size = stage.chain.find::<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo>();
    let subgroup_size = size.map(|size| size.required_subgroup_size);
    if strict::is_on() && module.has_words() {
        check_stage(stage, &module, &entry_point, &specialization, subgroup_size, options.indexing_64bit);
    }
    let mut samplers = Vec::new();
    if options.heap.is_some() {
        let (mappings, embedded) = heap::mappings(device, stage.stage, stage.chain)?;
        (options.heap, samplers) = (Some(mappings), embedded);
    }
    options.sanitize = device.sanitize();
    if device.sanitize().contains(Kind::InfiniteLoop) {
        options.loop_iterations = pyro_util::config::get().sanitize_iterations;
    }
    options.fixed_lanes = pyro_util::config::has_fixed_order();
    options.trace = device.trace(module.words());
    (options.map, options.counts) = device.observation();
    let specialization = specialization.constants;
    let (stage, backend) = (stage.stage, device.backend());
    Ok(ShaderStage { stage, module, entry_point, specialization, subgroup_size, options, samplers, backend })
}

/// Tells what strict mode finds in a stage.
fn check_stage(
    stage: &StageInfo<'_>,
    module: &ShaderModule,
    entry_point: &str,
    specialization: &Specialization<'_>,
    subgroup_size: Option<u32>,
    has_64_bit_indexing: bool,
) {
    use vk::PipelineShaderStageCreateFlags as Flags;
    let Some(model) = strict::model(stage.stage) else { return };
    let map_entries = specialization.map_entries.iter().map(|entry| strict::MapEntry {
        constant_id: entry.constant_id,
        offset: entry.offset,
        size: entry.size,
    });
    let info = strict::Stage {
        allows_varying_subgroup_size: stage.flags.contains(Flags::ALLOW_VARYING_SUBGROUP_SIZE),
        requires_full_subgroups: stage.flags.contains(Flags::REQUIRE_FULL_SUBGROUPS),
        required_subgroup_size: subgroup_size,
        map_entries: &map_entries.collect::<Vec<_>>(),
        data_size: specialization.data_size,
        has_64_bit_indexing,
        ..strict::Stage::new(model, entry_point)
    };
    let found = strict::stage_findings(module, &specialization.constants, &info);
    found.iter().for_each(|finding| messages::finding(finding));
}

/// A pipeline's flags: those of 64 bits, where they are chained, go before those of 32.
pub(crate) fn create_flags(chain: Chain, flags: vk::PipelineCreateFlags) -> vk::PipelineCreateFlags2 {
    let wide = chain.find::<vk::PipelineCreateFlags2CreateInfo>();
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
pub(crate) fn get_device_subpass_shading_max_workgroup_size_huawei(
    device: vk::Device,
    render_pass: vk::RenderPass,
    mut out: Out<'_, vk::Extent2D>,
) -> vk::Result {
    guard(CommandId::get_device_subpass_shading_max_workgroup_size_huawei, || {
        crate::entry::device::check(device)?;
        handle::get::<RenderPass>(render_pass.as_raw())?;
        out.write(vk::Extent2D { width: 32, height: 32 });
        Ok(vk::Result::SUCCESS)
    })
}

/// What a compute pipeline is made from.
pub(crate) fn compute_info(
    device: &Device,
    info: In<'_, vk::ComputePipelineCreateInfo>,
    binaries: &Binaries,
) -> Result<ComputePipelineInfo> {
    let flags = create_flags(info.chain(), info.flags);
    let captured = binaries.module(info.stage.stage, 0);
    let stage = shader_stage(device, &StageInfo::of(info.stage()), shader_options(flags), captured)?;
    let layout = match stage.options.heap {
        Some(_) => Arc::new(PipelineLayout::for_heaps(std::slice::from_ref(&stage))),
        None => handle::get(info.layout.as_raw())?,
    };
    if let Some(info) = info.find::<vk::SubpassShadingPipelineCreateInfoHUAWEI>() {
        // The code is the same in all render passes.
        handle::get::<RenderPass>(info.render_pass.as_raw())?;
    }
    Ok(ComputePipelineInfo { flags: old_flags(flags), stage, layout })
}

fn compute_pipeline(
    device: &Device,
    info: In<'_, vk::ComputePipelineCreateInfo>,
    cache: Option<&PipelineCache>,
) -> Result<Pipeline> {
    if let Some(library) = node_library(device, info)? {
        return Ok(library);
    }
    let binaries = Binaries::of(info.chain())?;
    let made_from = compute_info(device, info, &binaries)?;
    strict::check_compute(&made_from, &messages::finding);
    let captured = captures_data(info.chain()).then(|| Captured::new(std::slice::from_ref(&made_from.stage)));
    let cache = captured.as_ref().map(Captured::artifacts).or(binaries.artifacts()).or(cache);
    let (pipeline, mut feedback) =
        device.make::<ComputePipeline>(made_from, |info| ComputePipeline::new(info, cache, Some(device)))?;
    // Binaries are no cache.
    feedback.cache_hit &= binaries.artifacts().is_none();
    tools::feed_back(info.chain(), feedback);
    let address = indirect_address(info)?;
    Ok(Pipeline::new(PipelineKind::Compute(pipeline), captured).at_address(address))
}

/// The address by which generated commands shall know a pipeline.
///
/// # Errors
/// When it is not aligned, or has too few bytes.
fn indirect_address(info: In<'_, vk::ComputePipelineCreateInfo>) -> Result<Option<u64>> {
    let Some(indirect) = info.find::<vk::ComputePipelineIndirectBufferInfoNV>() else { return Ok(None) };
    if indirect.device_address == 0
        || !indirect.device_address.is_multiple_of(INDIRECT_PIPELINE_BYTES)
        || indirect.size < INDIRECT_PIPELINE_BYTES
    {
        return Err(Error::misuse(
            "the address of a pipeline is none, not aligned, or has too few bytes \
             (VUID-VkComputePipelineIndirectBufferInfoNV-deviceAddress-09011, \
             VUID-VkComputePipelineIndirectBufferInfoNV-size-09013)",
        ));
    }
    if !create_flags(info.chain(), info.flags).contains(vk::PipelineCreateFlags2::INDIRECT_BINDABLE_NV) {
        return Err(Error::misuse(
            "a pipeline with an address is not indirectly bindable \
             (VUID-VkComputePipelineIndirectBufferInfoNV-flags-09010)",
        ));
    }
    Ok(Some(indirect.device_address))
}

impl PipelineCreateInfo for vk::ComputePipelineCreateInfo {
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        create_flags(info.chain(), info.flags)
    }

    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        compute_pipeline(device, info, cache)
    }

    fn identifier(info: In<'_, Self>, device: &Device) -> Result<Option<[u8; 16]>> {
        Ok(Some(compute_info(device, info, &Binaries::of(info.chain())?)?.key()))
    }
}

pub(crate) fn create_compute_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::ComputePipelineCreateInfo>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let command = CommandId::create_compute_pipelines;
    create_pipelines(command, device, cache, infos, allocator, out)
}

/// A structure that a pipeline is created from.
pub(crate) trait PipelineCreateInfo: Sized {
    /// The pipeline's flags.
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2;

    /// Creates the pipeline.
    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline>;

    /// The digest of what it is made from; none of kinds that have no identifiers.
    fn identifier(_info: In<'_, Self>, _device: &Device) -> Result<Option<[u8; 16]>> {
        Ok(None)
    }
}

/// Creates pipelines into `out`, null where one could not be created. Gives the worst result: an error says
/// more than that a pipeline would have to be compiled.
///
/// Several pipelines are compiled on several threads; handles are made on the calling thread, as the
/// application's allocator may expect.
pub(crate) fn create_pipelines<I: PipelineCreateInfo>(
    command: CommandId,
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: Slice<'_, I>,
    allocator: Allocator,
    mut out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let compile = |info: In<'_, I>| {
        let device = device_object(device)?;
        let cache = handle::get_nullable::<PipelineCache>(cache.as_raw())?;
        check_room(COMPILE_ROOM_BYTES)?;
        I::pipeline(info, &device.device, cache.as_deref())
    };
    let mut worst = vk::Result::SUCCESS;
    out.fill(vk::Pipeline::null());
    let stops_early =
        |info: In<'_, I>| I::flags(info).contains(vk::PipelineCreateFlags2::EARLY_RETURN_ON_FAILURE);
    // What strict mode finds is told on the calling thread, and once.
    let is_shared = infos.len() > 1 && !strict::is_on() && !infos.into_iter().any(stops_early);
    let mut compiled = if is_shared { compile_ahead(command, device, infos, &compile) } else { Vec::new() };
    for (index, info) in infos.into_iter().enumerate() {
        let ahead = compiled.get_mut(index).and_then(Option::take);
        let code = guard(command, || {
            // The pipeline is this device's, whichever thread compiled it.
            crate::entry::device::check(device)?;
            // What failed does so once more here, where the message can say whose command it is.
            let pipeline = match ahead {
                Some(pipeline) => pipeline,
                None => compile(info)?,
            };
            let object = device_object(device)?;
            let identifier = match object.identifies_pipelines {
                true => I::identifier(info, &object.device)?,
                false => None,
            };
            let pipeline = pipeline.identified(identifier);
            let kind = pipeline.kind.clone();
            let made = handle::create::<Pipeline>(pipeline, allocator)?;
            if let Some(name) = kind.name() {
                name.set(vk::ObjectType::PIPELINE, made);
            }
            out.write(index, vk::Pipeline::from_raw(made));
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
    infos: Slice<'_, I>,
    compile: &(impl Fn(In<'_, I>) -> Result<P> + Sync),
) -> Vec<Option<P>> {
    /// The application's structures hold pointers.
    struct Shared<'call, I>(Slice<'call, I>);
    // SAFETY: they stay as they are until the command returns, each is used by one thread, and what is
    // written through them (the feedback) belongs to one of them.
    unsafe impl<I> Sync for Shared<'_, I> {}

    let shared = Shared(infos);
    let results: Vec<Mutex<Option<P>>> = infos.iter().map(|_| Mutex::new(None)).collect();
    let part = |index: u64| {
        let shared = &shared;
        let outer = thread::here().context.enter(command);
        let made = catch_unwind(AssertUnwindSafe(|| shared.0.at(index as usize).map(compile)));
        thread::here().context.leave(outer);
        if let Ok(Some(Ok(pipeline))) = made {
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
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        create_flags(info.chain(), info.flags)
    }

    fn pipeline(info: In<'_, Self>, device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        graphics_pipeline(device, info, cache)
    }

    fn identifier(info: In<'_, Self>, device: &Device) -> Result<Option<[u8; 16]>> {
        Ok(Some(linked(device, info, &Binaries::of(info.chain())?)?.key()))
    }
}

pub(crate) fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::GraphicsPipelineCreateInfo>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let command = CommandId::create_graphics_pipelines;
    create_pipelines(command, device, cache, infos, allocator, out)
}

crate::call::destroy_command!(destroy_pipeline(Pipeline), Pipeline);
