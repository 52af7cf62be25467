//! Data graphs: `VK_ARM_data_graph` and its instruction set of tensor operators
//! (`VK_ARM_data_graph_instruction_set_tosa`).

use crate::call::recording::record;
use crate::call::{guard, guard_void, string};
use crate::entry::acceleration_structure::deferred_result;
use crate::entry::instance::physical_device_object;
use crate::entry::module::chained_module;
use crate::entry::pipeline::{PipelineCreateInfo, create_pipelines, specialization};
use crate::entry::tools;
use crate::handle;
use crate::pointers::{Allocator, Chain, Enumeration, In, Out, Outputs, Slice};
use crate::registry::CommandId;
use pyro_capture::host::{self, Payloads};
use pyro_driver::cache::PipelineCache;
use pyro_driver::data_graph::{
    Constant, DataGraphInfo, DataGraphPipeline, DataGraphSession, EXTENSIONS, GraphModule, GraphSource,
    INSTRUCTION_SET, PROFILES, Resource, TensorDescription, packed_constant, tensor_format,
};
use pyro_driver::device::Device;
use pyro_driver::memory::DeviceMemory;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::registry_supplement as supplement;
use pyro_driver::shader::ShaderModule;
use pyro_driver::tensor::TensorInfo;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// What a chain says of a tensor.
fn described(chain: Chain<'_>) -> Result<Option<TensorDescription>> {
    let Some(description) = chain.find::<vk::TensorDescriptionARM>() else { return Ok(None) };
    let format = tensor_format(description.format).ok_or_else(|| {
        Error::unsupported(format!("tensors of format {:?} in data graphs", description.format))
    })?;
    Ok(Some(TensorDescription { dimensions: description.dimensions().get().to_vec(), format }))
}

/// A constant with its elements.
fn constant(info: In<'_, vk::DataGraphPipelineConstantARM>) -> Result<Constant> {
    let description = info.chain().find::<vk::TensorDescriptionARM>().ok_or_else(|| {
        Error::misuse(
            "a constant of a data graph has no VkTensorDescriptionARM \
             (VkDataGraphPipelineConstantARM)",
        )
    })?;
    if description.tiling != vk::TensorTilingARM::LINEAR {
        return Err(Error::misuse(
            "a constant of a data graph that is not of linear tiling \
             (VUID-VkDataGraphPipelineConstantARM-pNext-09917)",
        ));
    }
    let tensor = TensorInfo {
        tiling: description.tiling,
        format: description.format,
        dimensions: description.dimensions().get(),
        strides: (!description.strides.is_null()).then(|| description.strides().get()),
        usage: description.usage,
    };
    let bytes = packed_constant(&tensor, |size| {
        if info.constant_data.is_null() {
            return Err(Error::misuse(
                "pConstantData is null (VUID-VkDataGraphPipelineConstantARM-pConstantData-parameter)",
            ));
        }
        // SAFETY: there is all that the chained description says
        // (VUID-VkDataGraphPipelineConstantARM-pConstantData-parameter, "Data Graph Constants").
        let bytes = unsafe { std::slice::from_raw_parts(info.constant_data.cast::<u8>(), size) };
        crate::record::note_host(|noted| host::append(&Payloads { node: info.id, count: 1, bytes }, noted));
        Ok(bytes.to_vec())
    })?;
    Ok(Constant { id: info.id, tensor: described(info.chain())?, bytes })
}

/// Where the graph of a pipeline comes from.
fn source(info: In<'_, vk::DataGraphPipelineCreateInfoARM>) -> Result<GraphSource> {
    let chain = info.chain();
    if let Some(identifier) = chain.find::<vk::DataGraphPipelineIdentifierCreateInfoARM>() {
        return Ok(GraphSource::Identifier(identifier.identifier().to_vec()));
    }
    let graph = chain.find::<vk::DataGraphPipelineShaderModuleCreateInfoARM>().ok_or_else(|| {
        Error::misuse(
            "a data graph pipeline has neither a module nor an identifier \
             (VUID-VkDataGraphPipelineCreateInfoARM-pNext-09763)",
        )
    })?;
    let module = match crate::call::get_or_report::<ShaderModule>(graph.module.as_raw()) {
        Some(module) => module,
        None => Arc::new(chained_module(chain)?),
    };
    let constants = graph.constants().into_iter().map(constant).collect::<Result<_>>()?;
    let resource = |info: In<'_, vk::DataGraphPipelineResourceInfoARM>| {
        let description = info.chain().find::<vk::TensorDescriptionARM>();
        let placement = description.map(|description| {
            let strides = (!description.strides.is_null()).then(|| description.strides().get().to_vec());
            (description.tiling.as_raw(), strides.unwrap_or_default())
        });
        Ok(Resource {
            set: info.descriptor_set,
            binding: info.binding,
            array_element: info.array_element,
            tensor: described(info.chain())?,
            placement: placement.unwrap_or_default(),
        })
    };
    Ok(GraphSource::Module(GraphModule {
        module,
        entry_point: string(graph.name())?,
        specialization: specialization(graph.specialization_info())?.constants,
        constants,
        resources: info.resource_infos().into_iter().map(resource).collect::<Result<_>>()?,
    }))
}

/// Checks that no engine is asked for but the one that there is.
pub(crate) fn check_engines(chain: Chain<'_>) -> Result<()> {
    let Some(info) = chain.find::<vk::DataGraphProcessingEngineCreateInfoARM>() else { return Ok(()) };
    let default = vk::PhysicalDeviceDataGraphProcessingEngineTypeARM::DEFAULT;
    let fits = |engine: vk::PhysicalDeviceDataGraphProcessingEngineARM| {
        engine.type_ == default && engine.is_foreign == vk::FALSE
    };
    if info.processing_engines().iter().all(|engine| fits(engine.get())) {
        return Ok(());
    }
    Err(Error::misuse("the device has only the default processing engine for data graphs"))
}

impl PipelineCreateInfo for vk::DataGraphPipelineCreateInfoARM {
    fn flags(info: In<'_, Self>) -> vk::PipelineCreateFlags2 {
        info.flags
    }

    fn pipeline(info: In<'_, Self>, _device: &Device, cache: Option<&PipelineCache>) -> Result<Pipeline> {
        check_engines(info.chain())?;
        let layout = handle::get(info.layout.as_raw())?;
        let made_from = DataGraphInfo { flags: info.flags, layout, source: source(info)? };
        let (pipeline, feedback) = DataGraphPipeline::new(made_from, cache)?;
        tools::feed_back(info.chain(), feedback);
        if let Some(graph) = info.find::<vk::DataGraphPipelineShaderModuleCreateInfoARM>() {
            tools::feed_back(graph.chain(), feedback);
        }
        Ok(Pipeline::new(PipelineKind::DataGraph(Arc::new(pipeline)), None))
    }
}

pub(crate) fn create_data_graph_pipelines_arm(
    device: vk::Device,
    operation: vk::DeferredOperationKHR,
    cache: vk::PipelineCache,
    infos: Slice<'_, vk::DataGraphPipelineCreateInfoARM>,
    allocator: Allocator,
    out: Outputs<'_, vk::Pipeline>,
) -> vk::Result {
    let command = CommandId::create_data_graph_pipelines_arm;
    let made = create_pipelines(command, device, cache, infos, allocator, out);
    if made != vk::Result::SUCCESS {
        return made;
    }
    guard(command, || {
        crate::entry::device::check(device)?;
        deferred_result(operation)
    })
}

/// The data graph pipeline of a handle.
fn data_graph(pipeline: vk::Pipeline) -> Result<Arc<DataGraphPipeline>> {
    match &handle::get::<Pipeline>(pipeline.as_raw())?.kind {
        PipelineKind::DataGraph(pipeline) => Ok(Arc::clone(pipeline)),
        _ => Err(Error::misuse(
            "the pipeline is not a data graph pipeline \
             (VUID-VkDataGraphPipelineSessionCreateInfoARM-dataGraphPipeline-09781, \
             VUID-VkDataGraphPipelineInfoARM-dataGraphPipeline-09803)",
        )),
    }
}

pub(crate) fn create_data_graph_pipeline_session_arm(
    device: vk::Device,
    info: In<'_, vk::DataGraphPipelineSessionCreateInfoARM>,
    allocator: Allocator,
    mut out: Out<'_, vk::DataGraphPipelineSessionARM>,
) -> vk::Result {
    guard(CommandId::create_data_graph_pipeline_session_arm, || {
        crate::entry::device::check(device)?;
        if info.flags.contains(vk::DataGraphPipelineSessionCreateFlagsARM::PROTECTED) {
            return Err(Error::unsupported(
                "the device lacks protected memory for sessions of data graphs \
                 (VUID-VkDataGraphPipelineSessionCreateInfoARM-protectedMemory-09782)",
            ));
        }
        let session = DataGraphSession::new(data_graph(info.data_graph_pipeline)?);
        let made = handle::create(session, allocator)?;
        out.write(vk::DataGraphPipelineSessionARM::from_raw(made));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(
    destroy_data_graph_pipeline_session_arm(DataGraphPipelineSessionARM),
    DataGraphSession
);

pub(crate) fn get_data_graph_pipeline_session_bind_point_requirements_arm(
    device: vk::Device,
    info: In<'_, vk::DataGraphPipelineSessionBindPointRequirementsInfoARM>,
    mut out: Enumeration<'_, vk::DataGraphPipelineSessionBindPointRequirementARM>,
) -> vk::Result {
    guard(CommandId::get_data_graph_pipeline_session_bind_point_requirements_arm, || {
        crate::entry::device::check(device)?;
        let session = handle::get::<DataGraphSession>(info.session.as_raw())?;
        let transient = vk::DataGraphPipelineSessionBindPointARM::TRANSIENT;
        let points: &[_] = if session.transient_bytes() == 0 { &[] } else { &[transient] };
        Ok(out.fill(points, |out, point| {
            out.bind_point = *point;
            out.bind_point_type = vk::DataGraphPipelineSessionBindPointTypeARM::MEMORY;
            out.num_objects = 1;
        }))
    })
}

/// Checks that a bind point and an object of it are there.
fn check_bind_point(point: vk::DataGraphPipelineSessionBindPointARM, object: u32) -> Result<()> {
    if point == vk::DataGraphPipelineSessionBindPointARM::TRANSIENT && object == 0 {
        return Ok(());
    }
    Err(Error::misuse(format!(
        "a session of a data graph has no object {object} at bind point {point:?} \
         (VUID-vkGetDataGraphPipelineSessionMemoryRequirementsARM-bindPoint-09784, \
         VUID-VkDataGraphPipelineSessionMemoryRequirementsInfoARM-objectIndex-09855, \
         VUID-VkBindDataGraphPipelineSessionMemoryInfoARM-bindPoint-09786, \
         VUID-VkBindDataGraphPipelineSessionMemoryInfoARM-objectIndex-09805)"
    )))
}

pub(crate) fn get_data_graph_pipeline_session_memory_requirements_arm(
    device: vk::Device,
    info: In<'_, vk::DataGraphPipelineSessionMemoryRequirementsInfoARM>,
    out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_data_graph_pipeline_session_memory_requirements_arm, || {
        crate::entry::device::check(device)?;
        check_bind_point(info.bind_point, info.object_index)?;
        let session = handle::get::<DataGraphSession>(info.session.as_raw())?;
        crate::entry::memory::fill_requirements(out, session.requirements(), false);
        Ok(())
    });
}

pub(crate) fn bind_data_graph_pipeline_session_memory_arm(
    device: vk::Device,
    infos: Slice<'_, vk::BindDataGraphPipelineSessionMemoryInfoARM>,
) -> vk::Result {
    guard(CommandId::bind_data_graph_pipeline_session_memory_arm, || {
        crate::entry::device::check(device)?;
        for info in infos {
            check_bind_point(info.bind_point, info.object_index)?;
            let memory = handle::get::<DeviceMemory>(info.memory.as_raw())?;
            handle::get::<DataGraphSession>(info.session.as_raw())?.bind(memory, info.memory_offset)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn cmd_dispatch_data_graph_arm(
    buffer: vk::CommandBuffer,
    session: vk::DataGraphPipelineSessionARM,
    _info: Option<In<'_, vk::DataGraphPipelineDispatchInfoARM>>,
) {
    record(CommandId::cmd_dispatch_data_graph_arm, buffer, |buffer| {
        buffer.dispatch_data_graph(handle::get::<DataGraphSession>(session.as_raw())?)
    });
}

/// What can be asked of data graph pipelines.
const PIPELINE_PROPERTIES: [vk::DataGraphPipelinePropertyARM; 2] =
    [vk::DataGraphPipelinePropertyARM::CREATION_LOG, vk::DataGraphPipelinePropertyARM::IDENTIFIER];

pub(crate) fn get_data_graph_pipeline_available_properties_arm(
    device: vk::Device,
    info: In<'_, vk::DataGraphPipelineInfoARM>,
    mut out: Enumeration<'_, vk::DataGraphPipelinePropertyARM>,
) -> vk::Result {
    guard(CommandId::get_data_graph_pipeline_available_properties_arm, || {
        crate::entry::device::check(device)?;
        data_graph(info.data_graph_pipeline)?;
        Ok(out.answer(&PIPELINE_PROPERTIES))
    })
}

pub(crate) fn get_data_graph_pipeline_properties_arm(
    device: vk::Device,
    info: In<'_, vk::DataGraphPipelineInfoARM>,
    mut out: Outputs<'_, vk::DataGraphPipelinePropertyQueryResultARM>,
) -> vk::Result {
    guard(CommandId::get_data_graph_pipeline_properties_arm, || {
        crate::entry::device::check(device)?;
        let pipeline = data_graph(info.data_graph_pipeline)?;
        let mut is_complete = true;
        for mut query in out.structures() {
            let answered = match query.property {
                vk::DataGraphPipelinePropertyARM::CREATION_LOG => {
                    query.is_text = vk::TRUE;
                    query.data().answer_text(&pipeline.creation_log())
                }
                vk::DataGraphPipelinePropertyARM::IDENTIFIER => {
                    query.is_text = vk::FALSE;
                    query.data().answer_cut(pipeline.identifier().as_bytes())
                }
                other => {
                    return Err(Error::misuse(format!(
                        "data graph pipelines have no property {other:?} \
                         (VUID-VkDataGraphPipelinePropertyQueryResultARM-property-parameter)"
                    )));
                }
            };
            is_complete &= answered == vk::Result::SUCCESS;
        }
        Ok(if is_complete { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    })
}

/// Whether queues of a family run data graphs.
fn runs_graphs(physical_device: vk::PhysicalDevice, family: u32) -> Result<bool> {
    let families = physical_device_object(physical_device)?.queue_families();
    let family =
        families.get(family as usize).ok_or_else(|| Error::misuse("there is no such queue family"))?;
    Ok(family.queue_flags.contains(vk::QueueFlags::DATA_GRAPH_ARM))
}

pub(crate) fn get_physical_device_queue_family_data_graph_properties_arm(
    physical_device: vk::PhysicalDevice,
    family: u32,
    mut out: Enumeration<'_, vk::QueueFamilyDataGraphPropertiesARM>,
) -> vk::Result {
    guard(CommandId::get_physical_device_queue_family_data_graph_properties_arm, || {
        let all: &[_] = if runs_graphs(physical_device, family)? { &[()] } else { &[] };
        Ok(out.fill(all, |out, ()| {
            out.engine = vk::PhysicalDeviceDataGraphProcessingEngineARM {
                type_: vk::PhysicalDeviceDataGraphProcessingEngineTypeARM::DEFAULT,
                is_foreign: vk::FALSE,
            };
            out.operation = vk::PhysicalDeviceDataGraphOperationSupportARM {
                operation_type: vk::PhysicalDeviceDataGraphOperationTypeARM::SPIRV_EXTENDED_INSTRUCTION_SET,
                name: vk::StringArray::from_bytes(INSTRUCTION_SET.as_bytes()),
                version: 0,
            };
        }))
    })
}

pub(crate) fn get_physical_device_queue_family_data_graph_processing_engine_properties_arm(
    _physical_device: vk::PhysicalDevice,
    _info: In<'_, vk::PhysicalDeviceQueueFamilyDataGraphProcessingEngineInfoARM>,
    mut out: Out<'_, vk::QueueFamilyDataGraphProcessingEnginePropertiesARM>,
) {
    // The one engine is not foreign.
    let out = out.get_mut();
    out.foreign_semaphore_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
    out.foreign_memory_handle_types = vk::ExternalMemoryHandleTypeFlags::empty();
}

/// Names as the application reads them: they stay for ever.
fn names<const N: usize>(names: [&str; N]) -> [supplement::DataGraphTOSANameQualityARM; N] {
    let quality_flags = supplement::DATA_GRAPH_TOSA_QUALITY_ACCELERATED_ARM;
    names.map(|name| supplement::DataGraphTOSANameQualityARM {
        name: vk::StringArray::from_bytes(name.as_bytes()),
        quality_flags,
    })
}

pub(crate) fn get_physical_device_queue_family_data_graph_engine_operation_properties_arm(
    physical_device: vk::PhysicalDevice,
    family: u32,
    info: In<'_, vk::QueueFamilyDataGraphPropertiesARM>,
    out: *mut vk::BaseOutStructure,
) -> vk::Result {
    use std::sync::LazyLock;
    static PROFILE_NAMES: LazyLock<[supplement::DataGraphTOSANameQualityARM; PROFILES.len()]> =
        LazyLock::new(|| names(PROFILES));
    static EXTENSION_NAMES: LazyLock<[supplement::DataGraphTOSANameQualityARM; EXTENSIONS.len()]> =
        LazyLock::new(|| names(EXTENSIONS));
    guard(CommandId::get_physical_device_queue_family_data_graph_engine_operation_properties_arm, || {
        if !runs_graphs(physical_device, family)? || info.operation.name.to_string_lossy() != INSTRUCTION_SET
        {
            return Err(Error::misuse(
                "queues of the family do not run such operations of data graphs \
                 (VUID-vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM-\
                 pQueueFamilyDataGraphProperties-09957)",
            ));
        }
        // SAFETY: it is null or a structure ("Valid Usage (Implicit)" of the command).
        let s_type = unsafe { out.as_ref() }.map(|out| out.s_type);
        if s_type != Some(supplement::STRUCTURE_TYPE_QUEUE_FAMILY_DATA_GRAPH_TOSA_PROPERTIES_ARM) {
            return Err(Error::misuse(
                "pProperties is no VkQueueFamilyDataGraphTOSAPropertiesARM \
                 (VUID-vkGetPhysicalDeviceQueueFamilyDataGraphEngineOperationPropertiesARM-pProperties-09958)",
            ));
        }
        // SAFETY: its `sType` says what it is; nothing else refers to it while the command runs.
        let out = unsafe { &mut *out.cast::<supplement::QueueFamilyDataGraphTOSAPropertiesARM>() };
        (out.profile_count, out.profiles) = (PROFILES.len() as u32, PROFILE_NAMES.as_ptr());
        (out.extension_count, out.extensions) = (EXTENSIONS.len() as u32, EXTENSION_NAMES.as_ptr());
        out.level = supplement::DATA_GRAPH_TOSA_LEVEL_8K_ARM;
        Ok(vk::Result::SUCCESS)
    })
}
