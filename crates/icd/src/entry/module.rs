//! Shader modules, their identifiers, and validation caches.

use crate::call::{find, guard, guard_void, messages, slice};
use crate::handle;
use crate::registry::CommandId;
use pyro_driver::shader::ShaderModule;
use pyro_driver::validation_cache::ValidationCache;
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use vulkanalia_sys::{self as vk, Handle};

pub(crate) unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::ShaderModule,
) -> vk::Result {
    guard(CommandId::create_shader_module, || unsafe {
        crate::entry::device::check(device)?;
        let module = shader_module(&*info)?;
        *out = vk::ShaderModule::from_raw(handle::new(module, allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

/// A module of its create info, which may stand in the chain of a stage.
pub(crate) unsafe fn shader_module(info: &vk::ShaderModuleCreateInfo) -> Result<ShaderModule> {
    let s_type = vk::StructureType::SHADER_MODULE_VALIDATION_CACHE_CREATE_INFO_EXT;
    let cache = unsafe { find::<vk::ShaderModuleValidationCacheCreateInfoEXT>(info.next, s_type) };
    let cache =
        cache.map(|info| handle::get::<ValidationCache>(info.validation_cache.as_raw())).transpose()?;
    ShaderModule::with_cache(unsafe { words(info) }?, cache.as_deref(), &messages::finding)
}

unsafe fn words<'a>(info: &vk::ShaderModuleCreateInfo) -> Result<&'a [u32]> {
    if info.code_size == 0 || !info.code_size.is_multiple_of(4) {
        return Err(Error::misuse(
            "codeSize is not a number of words (VUID-VkShaderModuleCreateInfo-codeSize-08735)",
        ));
    }
    if info.code.is_null() {
        return Err(Error::misuse(
            "a null pointer to the code (VUID-VkShaderModuleCreateInfo-pCode-parameter)",
        ));
    }
    Ok(unsafe { std::slice::from_raw_parts(info.code, info.code_size / 4) })
}

/// The module of a stage that has no handle: its words, or its identifier, are in the stage's chain.
pub(crate) unsafe fn chained_module(stage: &vk::PipelineShaderStageCreateInfo) -> Result<ShaderModule> {
    let s_type = vk::StructureType::SHADER_MODULE_CREATE_INFO;
    if let Some(info) = unsafe { find::<vk::ShaderModuleCreateInfo>(stage.next, s_type) } {
        return unsafe { shader_module(info) };
    }
    let s_type = vk::StructureType::PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
    let identifier =
        unsafe { find::<vk::PipelineShaderStageModuleIdentifierCreateInfoEXT>(stage.next, s_type) };
    let identifier = identifier.ok_or_else(|| {
        Error::misuse("a stage without a shader module (VUID-VkPipelineShaderStageCreateInfo-stage-08771)")
    })?;
    ShaderModule::from_identifier(unsafe { slice(identifier.identifier, identifier.identifier_size) })
}

crate::entry::objects::destroy_command!(destroy_shader_module(ShaderModule), ShaderModule);

fn identify(module: &ShaderModule, out: &mut vk::ShaderModuleIdentifierEXT) {
    let identifier = module.identifier();
    out.identifier_size = identifier.len() as u32;
    let mut bytes = [0; vk::MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT];
    bytes[..identifier.len()].copy_from_slice(&identifier);
    out.identifier = bytes.into();
}

pub(crate) unsafe extern "system" fn get_shader_module_identifier_ext(
    device: vk::Device,
    module: vk::ShaderModule,
    out: *mut vk::ShaderModuleIdentifierEXT,
) {
    guard_void(CommandId::get_shader_module_identifier_ext, || unsafe {
        crate::entry::device::check(device)?;
        identify(&*handle::get::<ShaderModule>(module.as_raw())?, &mut *out);
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn get_shader_module_create_info_identifier_ext(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo,
    out: *mut vk::ShaderModuleIdentifierEXT,
) {
    guard_void(CommandId::get_shader_module_create_info_identifier_ext, || unsafe {
        crate::entry::device::check(device)?;
        identify(&ShaderModule::unchecked(words(&*info)?)?, &mut *out);
        Ok(())
    });
}

pub(crate) unsafe extern "system" fn create_validation_cache_ext(
    device: vk::Device,
    info: *const vk::ValidationCacheCreateInfoEXT,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::ValidationCacheEXT,
) -> vk::Result {
    guard(CommandId::create_validation_cache_ext, || unsafe {
        crate::entry::device::check(device)?;
        let info = &*info;
        let data = match info.initial_data_size {
            0 => &[],
            size => std::slice::from_raw_parts(info.initial_data.cast::<u8>(), size),
        };
        *out = vk::ValidationCacheEXT::from_raw(handle::new(ValidationCache::new(data), allocator)?);
        Ok(vk::Result::SUCCESS)
    })
}

crate::entry::objects::destroy_command!(destroy_validation_cache_ext(ValidationCacheEXT), ValidationCache);

pub(crate) unsafe extern "system" fn merge_validation_caches_ext(
    device: vk::Device,
    target: vk::ValidationCacheEXT,
    count: u32,
    sources: *const vk::ValidationCacheEXT,
) -> vk::Result {
    guard(CommandId::merge_validation_caches_ext, || unsafe {
        crate::entry::device::check(device)?;
        let target = handle::get::<ValidationCache>(target.as_raw())?;
        for source in slice(sources, count) {
            target.merge(&*handle::get::<ValidationCache>(source.as_raw())?)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub(crate) unsafe extern "system" fn get_validation_cache_data_ext(
    device: vk::Device,
    cache: vk::ValidationCacheEXT,
    size: *mut usize,
    out: *mut c_void,
) -> vk::Result {
    guard(CommandId::get_validation_cache_data_ext, || unsafe {
        crate::entry::device::check(device)?;
        Ok(crate::call::give_cache_data(&handle::get::<ValidationCache>(cache.as_raw())?.data(), size, out))
    })
}
