//! Shader modules, their identifiers, and validation caches.

use crate::call::{guard, guard_void, messages};
use crate::handle;
use crate::pointers::{Allocator, Chain, Data, In, Out, Slice};
use crate::registry::CommandId;
use pyro_driver::memory::{MODULE_ROOM_BYTES, check_room};
use pyro_driver::shader::ShaderModule;
use pyro_driver::validation_cache::ValidationCache;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn create_shader_module(
    device: vk::Device,
    info: In<'_, vk::ShaderModuleCreateInfo>,
    allocator: Allocator,
    mut out: Out<'_, vk::ShaderModule>,
) -> vk::Result {
    guard(CommandId::create_shader_module, || {
        crate::entry::device::check(device)?;
        // Words and what is found in them.
        check_room(info.code_size.saturating_mul(4).saturating_add(MODULE_ROOM_BYTES))?;
        let module = shader_module(info)?;
        out.write(vk::ShaderModule::from_raw(handle::create(module, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

/// A module of its create info, which may stand in the chain of a stage.
fn shader_module(info: In<'_, vk::ShaderModuleCreateInfo>) -> Result<ShaderModule> {
    module_with_cache(words(info)?, info.chain())
}

/// A module of its words, with the validation cache that a chain names.
pub(crate) fn module_with_cache(words: &[u32], chain: Chain) -> Result<ShaderModule> {
    let cache = chain.find::<vk::ShaderModuleValidationCacheCreateInfoEXT>();
    let cache =
        cache.map(|info| handle::get::<ValidationCache>(info.validation_cache.as_raw())).transpose()?;
    ShaderModule::with_cache(words, cache.as_deref(), &messages::finding)
}

fn words(info: In<'_, vk::ShaderModuleCreateInfo>) -> Result<&[u32]> {
    if info.code_size == 0 || !info.code_size.is_multiple_of(4) {
        return Err(Error::misuse(
            "codeSize is not a multiple of 4 (VUID-VkShaderModuleCreateInfo-codeSize-08735)",
        ));
    }
    if info.code.is_null() {
        return Err(Error::misuse("pCode is null (VUID-VkShaderModuleCreateInfo-pCode-parameter)"));
    }
    Ok(info.code())
}

/// The module of a stage that has no handle: its words, or its identifier, are in the stage's chain.
pub(crate) fn chained_module(chain: Chain) -> Result<ShaderModule> {
    if let Some(info) = chain.find::<vk::ShaderModuleCreateInfo>() {
        return shader_module(info);
    }
    let identifier = chain.find::<vk::PipelineShaderStageModuleIdentifierCreateInfoEXT>();
    let identifier = identifier.ok_or_else(|| {
        Error::misuse(
            "a pipeline stage has no shader module (VUID-VkPipelineShaderStageCreateInfo-stage-08771)",
        )
    })?;
    ShaderModule::from_identifier(&identifier.identifier())
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

pub(crate) fn get_shader_module_create_info_identifier_ext(
    device: vk::Device,
    info: In<'_, vk::ShaderModuleCreateInfo>,
    mut out: Out<'_, vk::ShaderModuleIdentifierEXT>,
) {
    guard_void(CommandId::get_shader_module_create_info_identifier_ext, || {
        crate::entry::device::check(device)?;
        identify(&ShaderModule::unchecked(words(info)?)?, out.get_mut());
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
