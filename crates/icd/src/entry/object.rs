//! Shader objects: `VK_EXT_shader_object`.

use crate::call::recording::record;
use crate::call::{guard, slice};
use crate::entry::binary::Binaries;
use crate::entry::device::device_object;
use crate::entry::pipeline::shader_stage;
use crate::handle;
use crate::pointers::Slice;
use crate::registry::CommandId;
use pyro_abi::ShaderOptions;
use pyro_abi::heap::Mappings;
use pyro_driver::command::BindCommand;
use pyro_driver::device::Device;
use pyro_driver::graphics::ShaderObject;
use pyro_driver::pipeline::{PipelineLayout, ShaderStage};
use pyro_driver::registry_supplement;
use pyro_driver::{Error, Result};
use std::ffi::c_void;
use std::sync::Arc;
use vulkanalia_sys::{self as vk, Handle};

/// Makes one shader object.
///
/// # Safety
/// `info` is valid, with its chain and all that it points to (`VkShaderCreateInfoEXT`, "Valid Usage").
unsafe fn shader(
    device: &Device,
    info: &vk::ShaderCreateInfoEXT,
    depth_unrestricted: bool,
) -> Result<ShaderObject> {
    // SAFETY: `pSetLayouts` has as many elements as counted
    // (VUID-VkShaderCreateInfoEXT-pSetLayouts-parameter).
    let sets = unsafe { slice(info.set_layouts, info.set_layout_count) }.iter();
    let sets = sets.map(|set| handle::get(set.as_raw())).collect::<Result<Vec<_>>>()?;
    // SAFETY: `pPushConstantRanges` has as many elements as counted
    // (VUID-VkShaderCreateInfoEXT-pPushConstantRanges-parameter).
    let ranges = unsafe { slice(info.push_constant_ranges, info.push_constant_range_count) };
    // Of a binary, the mappings and samplers are its own.
    let mut held = None;
    let binaries = match info.code_type {
        vk::ShaderCodeTypeEXT::BINARY => {
            // SAFETY: `info` has as many elements as counted, by the contract of this function.
            let code = unsafe { std::slice::from_raw_parts(info.code.cast::<u8>(), info.code_size) };
            let binary = ShaderObject::read_binary(code, info.stage)?;
            held = Some((binary.mappings, binary.samplers));
            Binaries::one(binary.code)
        }
        _ => Binaries::default(),
    };
    // The rest of the stage is in the chains of both structures alike.
    let words = vk::ShaderModuleCreateInfo {
        next: info.next,
        code_size: info.code_size,
        code: info.code.cast(),
        ..Default::default()
    };
    let stage = vk::PipelineShaderStageCreateInfo {
        next: match info.code_type {
            vk::ShaderCodeTypeEXT::BINARY => info.next,
            _ => (&raw const words).cast(),
        },
        flags: stage_flags(info.flags),
        stage: info.stage,
        name: info.name,
        specialization_info: info.specialization_info,
        ..Default::default()
    };
    let indexing_64bit = info.flags.contains(vk::ShaderCreateFlagsEXT::_64_BIT_INDEXING);
    let heap = info.flags.contains(vk::ShaderCreateFlagsEXT::DESCRIPTOR_HEAP).then(Mappings::default);
    let instrumented = info.flags.bits() & registry_supplement::SHADER_CREATE_INSTRUMENT_SHADER_ARM != 0;
    let options = ShaderOptions { indexing_64bit, heap, instrumented, ..ShaderOptions::default() };
    let mut stage: ShaderStage =
        // SAFETY: `info` is valid by the contract of this function, as `shader_stage` requires.
        unsafe { shader_stage(device, &stage, options, binaries.module(info.stage, 0)) }?;
    if let (Some(heap), Some((mappings, samplers))) = (&mut stage.options.heap, held) {
        *heap = mappings.into();
        let samplers = samplers.into_iter().map(|sampler| device.heap_sampler(sampler));
        stage.samplers = samplers.collect::<Result<_>>()?;
    }
    let layout = match stage.options.heap {
        Some(_) => PipelineLayout::for_heaps(std::slice::from_ref(&stage)),
        None => PipelineLayout::new(sets, ranges)?,
    };
    let layout = Arc::new(layout);
    ShaderObject::new(stage, layout, binaries.first(), depth_unrestricted)
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
pub(crate) unsafe extern "system" fn create_shaders_ext(
    device: vk::Device,
    count: u32,
    infos: *const vk::ShaderCreateInfoEXT,
    allocator: *const vk::AllocationCallbacks,
    out: *mut vk::ShaderEXT,
) -> vk::Result {
    // SAFETY: `out` is valid (VUID-vkCreateShadersEXT-pShaders-parameter).
    (0..count as usize).for_each(|index| unsafe { *out.add(index) = vk::ShaderEXT::null() });
    // SAFETY: `infos` has as many elements as counted (VUID-vkCreateShadersEXT-pCreateInfos-parameter).
    for (index, info) in unsafe { slice(infos, count) }.iter().enumerate() {
        // SAFETY: `out` is valid; `allocator` is null or valid (VUID-vkCreateShadersEXT-pAllocator-parameter,
        // VUID-vkCreateShadersEXT-pShaders-parameter).
        let code = guard(CommandId::create_shaders_ext, || unsafe {
            let device = device_object(device)?;
            let unrestricted = device.device.extensions().contains(&"VK_EXT_depth_range_unrestricted");
            let made = shader(&device.device, info, unrestricted)?;
            let made = handle::new(made, allocator)?;
            *out.add(index) = vk::ShaderEXT::from_raw(made);
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

pub(crate) unsafe extern "system" fn get_shader_binary_data_ext(
    device: vk::Device,
    shader: vk::ShaderEXT,
    size: *mut usize,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: `size` and `out` are valid (VUID-vkGetShaderBinaryDataEXT-pDataSize-parameter,
    // VUID-vkGetShaderBinaryDataEXT-pData-parameter).
    guard(CommandId::get_shader_binary_data_ext, || unsafe {
        crate::entry::device::check(device)?;
        let data = handle::get::<ShaderObject>(shader.as_raw())?.binary();
        if out.is_null() {
            *size = data.len();
        } else if *size < data.len() {
            // All of it or nothing.
            *size = 0;
            return Ok(vk::Result::INCOMPLETE);
        } else {
            *size = data.len();
            std::ptr::copy_nonoverlapping(data.as_ptr(), out.cast::<u8>(), data.len());
        }
        Ok(vk::Result::SUCCESS)
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
