//! Pipeline binaries: `VK_KHR_pipeline_binary`.

use crate::call::guard;
use crate::entry::device::device_object;
use crate::entry::execution_graph::graph_key;
use crate::entry::graphics::linked;
use crate::entry::pipeline::compute_info;
use crate::entry::raytrace::ray_info;
use crate::handle;
use crate::pointers::{self, Allocator, Chain, Data, In, Out};
use crate::registry::CommandId;
use pyro_driver::binary::{self, Captured, PipelineBinary};
use pyro_driver::cache::PipelineCache;
use pyro_driver::device::Device;
use pyro_driver::pipeline::Pipeline;
use pyro_driver::shader::ShaderModule;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// The binaries that a pipeline is made from (`VkPipelineBinaryInfoKHR`).
#[derive(Default)]
pub(crate) struct Binaries {
    list: Vec<Arc<PipelineBinary>>,
    artifacts: PipelineCache,
}

impl Binaries {
    /// Those in a chain.
    pub(crate) fn of(chain: Chain) -> Result<Binaries> {
        let Some(info) = chain.find::<vk::PipelineBinaryInfoKHR>() else {
            return Ok(Binaries::default());
        };
        let handles = info.pipeline_binaries().iter();
        let list = handles.map(|binary| handle::get::<PipelineBinary>(binary.as_raw()));
        let list = list.collect::<Result<Vec<_>>>()?;
        let artifacts = PipelineCache::default();
        list.iter().for_each(|binary| artifacts.merge(binary.artifacts()));
        Ok(Binaries { list, artifacts })
    }

    /// This one.
    pub(crate) fn one(binary: PipelineBinary) -> Binaries {
        Binaries { list: vec![Arc::new(binary)], artifacts: PipelineCache::default() }
    }

    /// The first, if there is one.
    pub(crate) fn first(&self) -> Option<&PipelineBinary> {
        self.list.first().map(|binary| &**binary)
    }

    /// The shader of a stage, or of several shaders of the stage the one with this number in `pStages`.
    pub(crate) fn module(&self, stage: vk::ShaderStageFlags, number: usize) -> Option<Arc<ShaderModule>> {
        self.list.iter().flat_map(|binary| binary.modules_of(stage)).nth(number).cloned()
    }

    /// What their pipelines were compiled to, if there are any.
    pub(crate) fn artifacts(&self) -> Option<&PipelineCache> {
        (!self.list.is_empty()).then_some(&self.artifacts)
    }
}

/// Whether a pipeline is created with `VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR`.
pub(crate) fn captures_data(chain: Chain) -> bool {
    let wide = chain.find::<vk::PipelineCreateFlags2CreateInfo>();
    wide.is_some_and(|wide| wide.flags.contains(vk::PipelineCreateFlags2::CAPTURE_DATA_KHR))
}

fn give_key(key: [u8; 16], out: &mut vk::PipelineBinaryKeyKHR) {
    let mut bytes = [0; vk::MAX_PIPELINE_BINARY_KEY_SIZE_KHR];
    bytes[..key.len()].copy_from_slice(&key);
    (out.key_size, out.key) = (key.len() as u32, bytes.into());
}

/// The key of the pipeline whose create info is in the chain.
fn chained_key(device: &Device, info: In<'_, vk::PipelineCreateInfoKHR>) -> Result<[u8; 16]> {
    let none = Binaries::default();
    if let Some(info) = info.find::<vk::GraphicsPipelineCreateInfo>() {
        return Ok(linked(device, info, &none)?.key());
    }
    if let Some(info) = info.find::<vk::ComputePipelineCreateInfo>() {
        return Ok(compute_info(device, info, &none)?.key());
    }
    if let Some(info) = info.find::<vk::RayTracingPipelineCreateInfoKHR>() {
        return Ok(ray_info(device, info, &none)?.key());
    }
    if let Some(info) = info.find::<vk::ExecutionGraphPipelineCreateInfoAMDX>() {
        return graph_key(device, info);
    }
    Err(Error::misuse(
        "the pNext chain has no create info of a pipeline (VUID-VkPipelineCreateInfoKHR-pNext-09604)",
    ))
}

pub(crate) fn get_pipeline_key_khr(
    device: vk::Device,
    info: Option<In<'_, vk::PipelineCreateInfoKHR>>,
    mut out: Out<'_, vk::PipelineBinaryKeyKHR>,
) -> vk::Result {
    guard(CommandId::get_pipeline_key_khr, || {
        let device = device_object(device)?;
        let key = match info {
            None => binary::global_key(),
            Some(info) => chained_key(&device.device, info)?,
        };
        give_key(key, out.get_mut());
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn create_pipeline_binaries_khr(
    device: vk::Device,
    info: In<'_, vk::PipelineBinaryCreateInfoKHR>,
    allocator: Allocator,
    mut out: Out<'_, vk::PipelineBinaryHandlesInfoKHR>,
) -> vk::Result {
    guard(CommandId::create_pipeline_binaries_khr, || {
        crate::entry::device::check(device)?;
        let pipeline = handle::get_nullable::<Pipeline>(info.pipeline.as_raw())?;
        let (pairs, made) = match (info.keys_and_data_info(), &pipeline) {
            (Some(pairs), None) if info.pipeline_create_info.is_null() => (Some(pairs), Vec::new()),
            (None, Some(pipeline)) if info.pipeline_create_info.is_null() => {
                if out.pipeline_binaries.is_null() {
                    out.pipeline_binary_count = pipeline.with_captured(Captured::binary_count)? as u32;
                    return Ok(vk::Result::SUCCESS);
                }
                (None, pipeline.with_captured(Captured::binaries)?)
            }
            // There is no internal cache that binaries could be in.
            (None, None) if !info.pipeline_create_info.is_null() => {
                out.pipeline_binary_count = 0;
                return Ok(vk::Result::PIPELINE_BINARY_MISSING_KHR);
            }
            _ => {
                return Err(Error::misuse(
                    "pipeline binaries must have exactly one source (VUID-VkPipelineBinaryCreateInfoKHR-pKeysAndDataInfo-09619)",
                ));
            }
        };
        let count = pairs.map_or(made.len(), |pairs| pairs.binary_count as usize);
        let mut list = out.pipeline_binaries();
        let Some(room) = list.room() else {
            out.pipeline_binary_count = count as u32;
            return Ok(vk::Result::SUCCESS);
        };
        let restored = pairs
            .into_iter()
            .flat_map(|pairs| pairs.pipeline_binary_keys().into_iter().zip(pairs.pipeline_binary_data()));
        let restored = restored.map(|(key, data)| restore(key, data));
        let mut failed = None;
        let binaries = made.into_iter().map(Ok).chain(restored).take(room);
        let handles = binaries.map(|binary| {
            let made = binary.and_then(|binary| handle::create::<PipelineBinary>(binary, allocator));
            made.map_or_else(
                |error| {
                    failed.get_or_insert(error);
                    vk::PipelineBinaryKHR::null()
                },
                vk::PipelineBinaryKHR::from_raw,
            )
        });
        let handles: Vec<_> = handles.collect();
        list.answer(&handles);
        let code = if room < count { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS };
        failed.map_or(Ok(code), Err)
    })
}

fn restore(
    key: In<'_, vk::PipelineBinaryKeyKHR>,
    data: In<'_, vk::PipelineBinaryDataKHR>,
) -> Result<PipelineBinary> {
    // SAFETY: it has as many bytes as it says (VUID-VkPipelineBinaryDataKHR-pData-parameter).
    let bytes = unsafe { pointers::bytes(data.data, data.data_size) };
    let key = key.key.get(..key.key_size as usize).unwrap_or_default();
    PipelineBinary::new(key, bytes)
}

crate::call::destroy_command!(destroy_pipeline_binary_khr(PipelineBinaryKHR), PipelineBinary);

pub(crate) fn get_pipeline_binary_data_khr(
    device: vk::Device,
    info: In<'_, vk::PipelineBinaryDataInfoKHR>,
    key: Option<Out<'_, vk::PipelineBinaryKeyKHR>>,
    mut out: Data<'_>,
) -> vk::Result {
    guard(CommandId::get_pipeline_binary_data_khr, || {
        crate::entry::device::check(device)?;
        let binary = handle::get::<PipelineBinary>(info.pipeline_binary.as_raw())?;
        let data = binary.data();
        if !out.asks_for_size() && out.room() < data.len() {
            out.set_size(data.len());
            return Ok(vk::Result::ERROR_NOT_ENOUGH_SPACE_KHR);
        }
        out.answer_whole(data);
        if let Some(mut key) = key {
            give_key(binary.key(), &mut key);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn release_captured_pipeline_data_khr(
    device: vk::Device,
    info: In<'_, vk::ReleaseCapturedPipelineDataInfoKHR>,
    _allocator: Allocator,
) -> vk::Result {
    guard(CommandId::release_captured_pipeline_data_khr, || {
        crate::entry::device::check(device)?;
        handle::get::<Pipeline>(info.pipeline.as_raw())?.release_captured()?;
        Ok(vk::Result::SUCCESS)
    })
}
