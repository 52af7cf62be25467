//! Pipeline binaries: `VK_KHR_pipeline_binary`.

use crate::call::{bytes, chained, find, guard, slice};
use crate::entry::device::device_object;
use crate::entry::execution_graph::graph_key;
use crate::entry::graphics::linked;
use crate::entry::pipeline::compute_info;
use crate::entry::raytrace::ray_info;
use crate::handle;
use crate::pointers::{Allocator, In};
use crate::registry::CommandId;
use pyro_driver::binary::{self, Captured, PipelineBinary};
use pyro_driver::cache::PipelineCache;
use pyro_driver::pipeline::Pipeline;
use pyro_driver::shader::ShaderModule;
use pyro_driver::{Error, Result};
use std::ffi::c_void;
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
    ///
    /// # Safety
    /// `next` is null or starts a valid chain.
    pub(crate) unsafe fn of(next: *const c_void) -> Result<Binaries> {
        let s_type = vk::StructureType::PIPELINE_BINARY_INFO_KHR;
        // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
        // function.
        let Some(info) = (unsafe { find::<vk::PipelineBinaryInfoKHR>(next, s_type) }) else {
            return Ok(Binaries::default());
        };
        // SAFETY: `pPipelineBinaries` has as many elements as counted
        // (VUID-VkPipelineBinaryInfoKHR-pPipelineBinaries-parameter).
        let handles = unsafe { slice(info.pipeline_binaries, info.binary_count) }.iter();
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
///
/// # Safety
/// `next` is null or starts a valid chain.
pub(crate) unsafe fn captures_data(next: *const c_void) -> bool {
    let s_type = vk::StructureType::PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let wide = unsafe { find::<vk::PipelineCreateFlags2CreateInfo>(next, s_type) };
    wide.is_some_and(|wide| wide.flags.contains(vk::PipelineCreateFlags2::CAPTURE_DATA_KHR))
}

fn give_key(key: [u8; 16], out: &mut vk::PipelineBinaryKeyKHR) {
    let mut bytes = [0; vk::MAX_PIPELINE_BINARY_KEY_SIZE_KHR];
    bytes[..key.len()].copy_from_slice(&key);
    (out.key_size, out.key) = (key.len() as u32, bytes.into());
}

pub(crate) unsafe extern "system" fn get_pipeline_key_khr(
    device: vk::Device,
    info: *const vk::PipelineCreateInfoKHR,
    out: *mut vk::PipelineBinaryKeyKHR,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; each structure of the chain is of the type that its `sType` says
    // (VUID-vkGetPipelineKeyKHR-pPipelineCreateInfo-parameter,
    // VUID-vkGetPipelineKeyKHR-pPipelineKey-parameter).
    guard(CommandId::get_pipeline_key_khr, || unsafe {
        let device = device_object(device)?;
        let key = match info.as_ref() {
            None => binary::global_key(),
            Some(info) => {
                let next = info.next.cast_const();
                let (device, none) = (&device.device, Binaries::default());
                if let Some(info) = chained!(next, GraphicsPipelineCreateInfo) {
                    linked(device, info, &none)?.key()
                } else if let Some(info) = chained!(next, ComputePipelineCreateInfo) {
                    compute_info(device, info, &none)?.key()
                } else if let Some(info) = chained!(next, RayTracingPipelineCreateInfoKHR) {
                    ray_info(device, info, &none)?.key()
                } else if let Some(info) = chained!(next, ExecutionGraphPipelineCreateInfoAMDX) {
                    graph_key(device, info)?
                } else {
                    return Err(Error::misuse(
                        "the pNext chain has no create info of a pipeline (VUID-VkPipelineCreateInfoKHR-pNext-09604)",
                    ));
                }
            }
        };
        give_key(key, &mut *out);
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn create_pipeline_binaries_khr(
    device: vk::Device,
    info: *const vk::PipelineBinaryCreateInfoKHR,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::PipelineBinaryHandlesInfoKHR,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid; `pipeline_binary_keys` and
    // `pipeline_binary_data` have as many elements as counted; `pKeysAndDataInfo` is null or valid
    // (VUID-vkCreatePipelineBinariesKHR-pCreateInfo-parameter,
    // VUID-vkCreatePipelineBinariesKHR-pAllocator-parameter,
    // VUID-vkCreatePipelineBinariesKHR-pBinaries-parameter,
    // VUID-VkPipelineBinaryCreateInfoKHR-pKeysAndDataInfo-parameter).
    guard(CommandId::create_pipeline_binaries_khr, || unsafe {
        crate::entry::device::check(device)?;
        let (info, out) = (&*info, &mut *out);
        let pipeline = handle::get_nullable::<Pipeline>(info.pipeline.as_raw())?;
        let (pairs, made) = match (info.keys_and_data_info.as_ref(), &pipeline) {
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
        if out.pipeline_binaries.is_null() {
            out.pipeline_binary_count = count as u32;
            return Ok(vk::Result::SUCCESS);
        }
        let given = count.min(out.pipeline_binary_count as usize);
        for index in 0..given {
            *out.pipeline_binaries.add(index) = vk::PipelineBinaryKHR::null();
        }
        out.pipeline_binary_count = given as u32;
        let restored = pairs.into_iter().flat_map(|pairs| {
            let keys = slice(pairs.pipeline_binary_keys, pairs.binary_count);
            keys.iter().zip(slice(pairs.pipeline_binary_data, pairs.binary_count))
        });
        let restored = restored.map(|(key, data)| restore(key, data));
        let (mut code, mut failed) = (vk::Result::SUCCESS, None);
        for (index, binary) in made.into_iter().map(Ok).chain(restored).take(given).enumerate() {
            let made = binary.and_then(|binary| handle::new::<PipelineBinary>(binary, allocator));
            match made {
                Ok(made) => *out.pipeline_binaries.add(index) = vk::PipelineBinaryKHR::from_raw(made),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if given < count {
            code = vk::Result::INCOMPLETE;
        }
        failed.map_or(Ok(code), Err)
    })
}

/// # Safety
/// `key` is valid, with its chain and all that it points to (`VkPipelineBinaryKeyKHR`, "Valid Usage") and
/// `data` is valid, with its chain and all that it points to (`VkPipelineBinaryDataKHR`, "Valid Usage").
unsafe fn restore(
    key: &vk::PipelineBinaryKeyKHR,
    data: &vk::PipelineBinaryDataKHR,
) -> Result<PipelineBinary> {
    // SAFETY: `data` is valid by the contract of this function, as `bytes` requires.
    let bytes: &[u8] = unsafe { bytes(data.data, data.data_size) };
    let key = key.key.get(..key.key_size as usize).unwrap_or_default();
    PipelineBinary::new(key, bytes)
}

crate::call::destroy_command!(destroy_pipeline_binary_khr(PipelineBinaryKHR), PipelineBinary);

pub(crate) unsafe extern "system" fn get_pipeline_binary_data_khr(
    device: vk::Device,
    info: *const vk::PipelineBinaryDataInfoKHR,
    key: *mut vk::PipelineBinaryKeyKHR,
    size: *mut usize,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: `info`, `key`, `size` and `out` are valid (VUID-vkGetPipelineBinaryDataKHR-pInfo-parameter,
    // VUID-vkGetPipelineBinaryDataKHR-pPipelineBinaryKey-parameter,
    // VUID-vkGetPipelineBinaryDataKHR-pPipelineBinaryDataSize-parameter,
    // VUID-vkGetPipelineBinaryDataKHR-pPipelineBinaryData-parameter).
    guard(CommandId::get_pipeline_binary_data_khr, || unsafe {
        crate::entry::device::check(device)?;
        let binary = handle::get::<PipelineBinary>((*info).pipeline_binary.as_raw())?;
        let data = binary.data();
        let room = std::mem::replace(&mut *size, data.len());
        if !out.is_null() {
            if room < data.len() {
                return Ok(vk::Result::ERROR_NOT_ENOUGH_SPACE_KHR);
            }
            std::ptr::copy_nonoverlapping(data.as_ptr(), out.cast::<u8>(), data.len());
        }
        // The binding that is used most asks for the size without a place for the key.
        if let Some(key) = key.as_mut() {
            give_key(binary.key(), key);
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
