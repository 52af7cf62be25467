//! Shader modules, their identifiers, and validation caches.

use crate::call::{find, guard, guard_void, messages, slice};
use crate::handle;
use crate::pointers::{Allocator, Data, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::shader::ShaderModule;
use pyro_driver::validation_cache::ValidationCache;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: `info` and `out` are valid; `allocator` is null or valid
    // (VUID-vkCreateShaderModule-pCreateInfo-parameter, VUID-vkCreateShaderModule-pAllocator-parameter,
    // VUID-vkCreateShaderModule-pShaderModule-parameter).
    guard(CommandId::create_shader_module, || unsafe {
        crate::entry::device::check(device)?;
        let module = shader_module(&*info)?;
        *out = vk::ShaderModule::from_raw(handle::new(module, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

/// A module of its create info, which may stand in the chain of a stage.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkShaderModuleCreateInfo`, "Valid Usage").
pub(crate) unsafe fn shader_module(info: &vk::ShaderModuleCreateInfo) -> Result<ShaderModule> {
    let s_type = vk::StructureType::SHADER_MODULE_VALIDATION_CACHE_CREATE_INFO_EXT;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    let cache = unsafe { find::<vk::ShaderModuleValidationCacheCreateInfoEXT>(info.next, s_type) };
    let cache =
        cache.map(|info| handle::get::<ValidationCache>(info.validation_cache.as_raw())).transpose()?;
    // SAFETY: `info` is valid by the contract of this function, as `words` requires.
    ShaderModule::with_cache(unsafe { words(info) }?, cache.as_deref(), &messages::finding)
}

/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkShaderModuleCreateInfo`, "Valid Usage").
unsafe fn words<'a>(info: &vk::ShaderModuleCreateInfo) -> Result<&'a [u32]> {
    if info.code_size == 0 || !info.code_size.is_multiple_of(4) {
        return Err(Error::misuse(
            "codeSize is not a multiple of 4 (VUID-VkShaderModuleCreateInfo-codeSize-08735)",
        ));
    }
    if info.code.is_null() {
        return Err(Error::misuse("pCode is null (VUID-VkShaderModuleCreateInfo-pCode-parameter)"));
    }
    // SAFETY: `info` has as many elements as counted, by the contract of this function.
    Ok(unsafe { std::slice::from_raw_parts(info.code, info.code_size / 4) })
}

/// The module of a stage that has no handle: its words, or its identifier, are in the stage's chain.
///
/// # Safety
/// `stage` is valid, with its chain and all that it points to (`VkPipelineShaderStageCreateInfo`, "Valid
/// Usage").
pub(crate) unsafe fn chained_module(stage: &vk::PipelineShaderStageCreateInfo) -> Result<ShaderModule> {
    let s_type = vk::StructureType::SHADER_MODULE_CREATE_INFO;
    // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
    // function.
    if let Some(info) = unsafe { find::<vk::ShaderModuleCreateInfo>(stage.next, s_type) } {
        // SAFETY: the structure is one of a valid chain.
        return unsafe { shader_module(info) };
    }
    let s_type = vk::StructureType::PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
    let identifier =
        // SAFETY: each structure of the chain is of the type that its `sType` says, by the contract of this
        // function.
        unsafe { find::<vk::PipelineShaderStageModuleIdentifierCreateInfoEXT>(stage.next, s_type) };
    let identifier = identifier.ok_or_else(|| {
        Error::misuse(
            "a pipeline stage has no shader module (VUID-VkPipelineShaderStageCreateInfo-stage-08771)",
        )
    })?;
    // SAFETY: `identifier` has as many elements as counted, by the contract of this function.
    ShaderModule::from_identifier(unsafe { slice(identifier.identifier, identifier.identifier_size) })
}

crate::call::destroy_command!(destroy_shader_module(ShaderModule), ShaderModule);

fn identify(module: &ShaderModule, out: &mut vk::ShaderModuleIdentifierEXT) {
    let identifier = module.identifier();
    out.identifier_size = identifier.len() as u32;
    let mut bytes = [0; vk::MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT];
    bytes[..identifier.len()].copy_from_slice(&identifier);
    out.identifier = bytes.into();
}

pub(crate) fn get_shader_module_identifier_ext(
    device: vk::Device,
    module: vk::ShaderModule,
    mut out: Out<'_, vk::ShaderModuleIdentifierEXT>,
) {
    guard_void(CommandId::get_shader_module_identifier_ext, || {
        crate::entry::device::check(device)?;
        identify(&*handle::get::<ShaderModule>(module.as_raw())?, out.get_mut());
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_shader_module_create_info_identifier_ext(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo,
    out: *mut vk::ShaderModuleIdentifierEXT,
) {
    // SAFETY: `info` and `out` are valid
    // (VUID-vkGetShaderModuleCreateInfoIdentifierEXT-pCreateInfo-parameter,
    // VUID-vkGetShaderModuleCreateInfoIdentifierEXT-pIdentifier-parameter).
    guard_void(CommandId::get_shader_module_create_info_identifier_ext, || unsafe {
        crate::entry::device::check(device)?;
        identify(&ShaderModule::unchecked(words(&*info)?)?, &mut *out);
        Ok(())
    });
}

pub(crate) fn create_validation_cache_ext(
    device: vk::Device,
    info: In<'_, vk::ValidationCacheCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::ValidationCacheEXT>,
) -> vk::Result {
    guard(CommandId::create_validation_cache_ext, || {
        crate::entry::device::check(device)?;
        let data = info.initial_data();
        out.write(vk::ValidationCacheEXT::from_raw(handle::create(ValidationCache::new(data), allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_validation_cache_ext(ValidationCacheEXT), ValidationCache);

pub(crate) fn merge_validation_caches_ext(
    device: vk::Device,
    target: vk::ValidationCacheEXT,
    sources: Slice<'_, vk::ValidationCacheEXT>,
) -> vk::Result {
    guard(CommandId::merge_validation_caches_ext, || {
        crate::entry::device::check(device)?;
        let target = handle::get::<ValidationCache>(target.as_raw())?;
        for source in sources {
            target.merge(&*handle::get::<ValidationCache>(source.as_raw())?)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) fn get_validation_cache_data_ext(
    device: vk::Device,
    cache: vk::ValidationCacheEXT,
    mut out: Data,
) -> vk::Result {
    guard(CommandId::get_validation_cache_data_ext, || {
        crate::entry::device::check(device)?;
        Ok(out.answer_cache(&handle::get::<ValidationCache>(cache.as_raw())?.data()))
    })
}
