//! Shader objects: `VK_EXT_shader_object`.

use crate::call::guard;
use crate::call::recording::record;
use crate::entry::binary::Binaries;
use crate::entry::device::device_object;
use crate::entry::module::module_with_cache;
use crate::entry::pipeline::{StageInfo, set_layouts, shader_stage};
use crate::handle;
use crate::pointers::{Allocator, Data, In, Outputs, Slice};
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_abi::heap::Mappings;
use pyro_driver::command::BindCommand;
use pyro_driver::device::Device;
use pyro_driver::graphics::{DeviceDefaults, ShaderObject, ShaderObjectInfo};
use pyro_driver::memory::{COMPILE_ROOM_BYTES, check_room};
use pyro_driver::pipeline::{CreationFeedback, PipelineLayout, ShaderStage};
use pyro_driver::registry_supplement;
use pyro_driver::{Error, Result};
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Makes one shader object.
fn shader(
    device: &Device,
    info: In<'_, vk::ShaderCreateInfoEXT>,
    defaults: DeviceDefaults,
) -> Result<Arc<ShaderObject>> {
    // Of a binary, the mappings and samplers are its own.
    let mut held = None;
    let binaries = match info.code_type {
        vk::ShaderCodeTypeEXT::BINARY => {
            let binary = ShaderObject::read_binary(info.code(), info.stage)?;
            held = Some((binary.mappings, binary.samplers));
            Binaries::one(binary.code)
        }
        _ => Binaries::default(),
    };
    let module = match info.code_type {
        vk::ShaderCodeTypeEXT::BINARY => binaries.module(info.stage, 0),
        _ => Some(Arc::new(module_with_cache(&words(info)?, info.chain())?)),
    };
    // The rest of the stage is in the chains of both structures alike.
    let stage = StageInfo {
        stage: info.stage,
        flags: stage_flags(info.flags),
        name: info.name(),
        specialization: info.specialization_info(),
        module: vk::ShaderModule::null(),
        chain: info.chain(),
    };
    let indexing_64bit = info.flags.contains(vk::ShaderCreateFlagsEXT::_64_BIT_INDEXING);
    let heap = info.flags.contains(vk::ShaderCreateFlagsEXT::DESCRIPTOR_HEAP).then(Mappings::default);
    let instrumented = info.flags.bits() & registry_supplement::SHADER_CREATE_INSTRUMENT_SHADER_ARM != 0;
    let options = ShaderOptions { indexing_64bit, heap, instrumented, ..ShaderOptions::default() };
    let mut stage: ShaderStage = shader_stage(device, &stage, options, module)?;
    if let (Some(heap), Some((mappings, samplers))) = (&mut stage.options.heap, held) {
        *heap = mappings.into();
        let samplers = samplers.into_iter().map(|sampler| device.heap_sampler(sampler));
        stage.samplers = samplers.collect::<Result<_>>()?;
    }
    let layout = match stage.options.heap {
        Some(_) => PipelineLayout::for_heaps(std::slice::from_ref(&stage)),
        None => {
            // SAFETY: they are null or as many as counted (VUID-VkShaderCreateInfoEXT-pSetLayouts-parameter).
            let sets = set_layouts(unsafe { info.set_layouts() })?;
            PipelineLayout::new(sets, info.push_constant_ranges().get())?
        }
    };
    let info = ShaderObjectInfo { stage, layout: Arc::new(layout), defaults };
    let binary = binaries.first();
    let make = |info| Ok((ShaderObject::new(info, binary)?, CreationFeedback::default()));
    Ok(device.make::<ShaderObject>(info, make)?.0)
}

/// The words of SPIR-V.
fn words(info: In<'_, vk::ShaderCreateInfoEXT>) -> Result<Vec<u32>> {
    let (words, rest) = info.code().as_chunks();
    if words.is_empty() || !rest.is_empty() {
        return Err(Error::misuse(
            "codeSize is not a multiple of 4, or pCode is null (VUID-VkShaderCreateInfoEXT-codeSize-08735, \
             VUID-VkShaderCreateInfoEXT-pCode-parameter)",
        ));
    }
    Ok(words.iter().map(|word| u32::from_ne_bytes(*word)).collect())
}

fn stage_flags(flags: vk::ShaderCreateFlagsEXT) -> vk::PipelineShaderStageCreateFlags {
    let mut stage = vk::PipelineShaderStageCreateFlags::empty();
    if flags.contains(vk::ShaderCreateFlagsEXT::ALLOW_VARYING_SUBGROUP_SIZE) {
        stage |= vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE;
    }
    if flags.contains(vk::ShaderCreateFlagsEXT::REQUIRE_FULL_SUBGROUPS) {
        stage |= vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS;
    }
    stage
}

/// Whether shaders are created linked or one by one, each is checked for itself: what one needs of another is
/// made when they are drawn with.
pub(crate) fn create_shaders_ext(
    device: vk::Device,
    infos: Slice<'_, vk::ShaderCreateInfoEXT>,
    allocator: Allocator,
    mut out: Outputs<'_, vk::ShaderEXT>,
) -> vk::Result {
    out.fill(vk::ShaderEXT::null());
    for (index, info) in infos.into_iter().enumerate() {
        let code = guard(CommandId::create_shaders_ext, || {
            let device = device_object(device)?;
            check_room(COMPILE_ROOM_BYTES)?;
            let defaults = DeviceDefaults::new(device.device.extensions());
            let made = handle::create_shared(shader(&device.device, info, defaults)?, allocator)?;
            out.write(index, vk::ShaderEXT::from_raw(made));
            handle::get::<ShaderObject>(made)?.name().set(vk::ObjectType::SHADER_EXT, made);
            Ok(vk::Result::SUCCESS)
        });
        if code != vk::Result::SUCCESS {
            return code;
        }
    }
    vk::Result::SUCCESS
}

crate::call::destroy_command!(destroy_shader_ext(ShaderEXT), ShaderObject);

pub(crate) fn get_shader_binary_data_ext(
    device: vk::Device,
    shader: vk::ShaderEXT,
    mut out: Data<'_>,
) -> vk::Result {
    guard(CommandId::get_shader_binary_data_ext, || {
        crate::entry::device::check(device)?;
        let data = handle::get::<ShaderObject>(shader.as_raw())?.binary();
        // All of it or nothing.
        Ok(out.answer_whole(&data))
    })
}

pub(crate) fn cmd_bind_shaders_ext(
    buffer: vk::CommandBuffer,
    stages: Slice<'_, vk::ShaderStageFlags>,
    shaders: Slice<'_, vk::ShaderEXT>,
) {
    record(CommandId::cmd_bind_shaders_ext, buffer, |buffer| {
        let shaders = shaders.get();
        for (index, &stage) in stages.iter().enumerate() {
            let shader = shaders.get(index).map_or(0, |shader| shader.as_raw());
            let shader = handle::get_nullable::<ShaderObject>(shader)?;
            if shader.as_ref().is_some_and(|shader| shader.stage() != stage) {
                return Err(Error::misuse(
                    "a shader object is bound to a stage that it was not created for (VUID-vkCmdBindShadersEXT-pShaders-08469)",
                ));
            }
            buffer.push(BindCommand::Shader(stage, shader))?;
        }
        Ok(())
    });
}
