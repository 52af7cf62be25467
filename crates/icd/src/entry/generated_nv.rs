//! Commands that memory says in streams: `VK_NV_device_generated_commands`,
//! `VK_NV_device_generated_commands_compute`.

use crate::call::recording::record;
use crate::call::{guard, guard_void};
use crate::handle;
use crate::pointers::{Allocator, In, Out};
use crate::registry::CommandId;
use pyro_abi::PUSH_CONSTANT_BYTES_MAX;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::Command;
use pyro_driver::command::generated::{GeneratedCommands, TokenKind};
use pyro_driver::command::streams::{StreamCommands, StreamLayout, StreamToken, StreamTokenKind};
use pyro_driver::graphics::{IndirectKind, VERTEX_BINDINGS_MAX};
use pyro_driver::limits::INDIRECT_PIPELINE_BYTES;
use pyro_driver::memory::mapped::Range;
use pyro_driver::pipeline::{Pipeline, PipelineKind};
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

/// Checks the bytes of push constants that a token writes.
fn pushed(offset: u32, size: u32, rule: &str) -> Result<TokenKind> {
    let fits = offset.checked_add(size).is_some_and(|end| end as usize <= PUSH_CONSTANT_BYTES_MAX);
    if !fits || size == 0 || !offset.is_multiple_of(4) || !size.is_multiple_of(4) {
        return Err(Error::misuse(format!(
            "a token writes {size} bytes from byte {offset} of the push constants on, of which there are \
             {PUSH_CONSTANT_BYTES_MAX} ({rule})"
        )));
    }
    Ok(TokenKind::PushConstants(offset, size))
}

fn index_types(token: In<'_, vk::IndirectCommandsLayoutTokenNV>) -> Result<Box<[(u32, u32)]>> {
    let pairs = token.index_types().get().iter().zip(token.index_type_values().get());
    let types = pairs.map(|(&ty, &number)| match ty {
        vk::IndexType::UINT8 => Ok((number, 1)),
        vk::IndexType::UINT16 => Ok((number, 2)),
        vk::IndexType::UINT32 => Ok((number, 4)),
        _ => Err(Error::misuse(
            "a type of indices that is none (VUID-VkIndirectCommandsLayoutTokenNV-pIndexTypes-parameter)",
        )),
    });
    types.collect()
}

fn token(token: In<'_, vk::IndirectCommandsLayoutTokenNV>) -> Result<StreamToken> {
    use StreamTokenKind::Plain;
    use vk::IndirectCommandsTokenTypeNV as Type;
    let kind = match token.token_type {
        Type::SHADER_GROUP => StreamTokenKind::Group,
        Type::PIPELINE => StreamTokenKind::ComputePipeline,
        Type::STATE_FLAGS => {
            if token.indirect_state_flags != vk::IndirectStateFlagsNV::FLAG_FRONTFACE {
                return Err(Error::misuse(
                    "a token of state sets the front face \
                     (VUID-VkIndirectCommandsLayoutTokenNV-tokenType-02984)",
                ));
            }
            StreamTokenKind::FrontFace
        }
        Type::INDEX_BUFFER => StreamTokenKind::IndexBuffer(index_types(token)?),
        Type::VERTEX_BUFFER => {
            if token.vertex_binding_unit as usize >= VERTEX_BINDINGS_MAX {
                return Err(Error::misuse(
                    "vertexBindingUnit is not below maxVertexInputBindings \
                     (VUID-VkIndirectCommandsLayoutTokenNV-tokenType-02976)",
                ));
            }
            StreamTokenKind::VertexBuffer {
                binding: token.vertex_binding_unit,
                has_stride: token.vertex_dynamic_stride != vk::FALSE,
            }
        }
        Type::PUSH_CONSTANT => Plain(pushed(
            token.pushconstant_offset,
            token.pushconstant_size,
            "VUID-VkIndirectCommandsLayoutTokenNV-tokenType-02981",
        )?),
        Type::PUSH_DATA => {
            let data = token.find::<vk::IndirectCommandsLayoutPushDataTokenNV>();
            let (offset, size) = data.map_or((0, 0), |data| (data.push_data_offset, data.push_data_size));
            Plain(pushed(
                offset,
                size,
                "VUID-VkIndirectCommandsLayoutPushDataTokenNV-pushDataOffset-11335, \
                 VUID-VkIndirectCommandsLayoutTokenNV-tokenType-11334",
            )?)
        }
        Type::DRAW_INDEXED => Plain(TokenKind::Draw(IndirectKind::Indices)),
        Type::DRAW => Plain(TokenKind::Draw(IndirectKind::Vertices)),
        Type::DRAW_TASKS => Plain(TokenKind::Draw(IndirectKind::MeshNv)),
        Type::DRAW_MESH_TASKS => Plain(TokenKind::Draw(IndirectKind::Mesh)),
        Type::DISPATCH => Plain(TokenKind::Dispatch),
        other => return Err(Error::unsupported(format!("tokens of type {other:?} are not supported"))),
    };
    Ok(StreamToken { kind, stream: token.stream, offset: token.offset })
}

pub(crate) fn create_indirect_commands_layout_nv(
    device: vk::Device,
    info: In<'_, vk::IndirectCommandsLayoutCreateInfoNV>,
    allocator: Allocator,
    mut out: Out<'_, vk::IndirectCommandsLayoutNV>,
) -> vk::Result {
    guard(CommandId::create_indirect_commands_layout_nv, || {
        crate::entry::device::check(device)?;
        let tokens = info.tokens().into_iter().map(token).collect::<Result<_>>()?;
        let is_indexed = info.flags.contains(vk::IndirectCommandsLayoutUsageFlagsNV::INDEXED_SEQUENCES);
        let strides = info.stream_strides().get();
        let layout = StreamLayout::new(info.pipeline_bind_point, strides, tokens, is_indexed)?;
        out.write(vk::IndirectCommandsLayoutNV::from_raw(handle::create(layout, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(destroy_indirect_commands_layout_nv(IndirectCommandsLayoutNV), StreamLayout);

/// Sequences are read when they run: nothing is kept in memory of the application, which needs a buffer all
/// the same.
pub(crate) fn get_generated_commands_memory_requirements_nv(
    device: vk::Device,
    _info: In<'_, vk::GeneratedCommandsMemoryRequirementsInfoNV>,
    mut out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_generated_commands_memory_requirements_nv, || {
        crate::entry::device::check(device)?;
        out.memory_requirements = pyro_driver::buffer::requirements(4);
        Ok(())
    });
}

/// What a buffer has from an offset on.
fn rest(buffer: vk::Buffer, offset: u64) -> Result<Range> {
    let buffer = handle::get::<Buffer>(buffer.as_raw())?;
    let size = buffer.size().checked_sub(offset).ok_or_else(|| {
        Error::misuse("an offset behind the end of a buffer (VUID-VkIndirectCommandsStreamNV-offset)")
    })?;
    buffer.range(offset, size)
}

fn nullable_rest(buffer: vk::Buffer, offset: u64) -> Result<Option<Range>> {
    if buffer.is_null() { Ok(None) } else { rest(buffer, offset).map(Some) }
}

fn generated(info: In<'_, vk::GeneratedCommandsInfoNV>) -> Result<StreamCommands> {
    let layout = handle::get::<StreamLayout>(info.indirect_commands_layout.as_raw())?;
    let pipeline = handle::get_nullable::<Pipeline>(info.pipeline.as_raw())?;
    let groups = pipeline.map(|pipeline| pipeline.groups()).unwrap_or_default();
    let streams = info.streams().iter().map(|stream| rest(stream.buffer, stream.offset));
    let count = nullable_rest(info.sequences_count_buffer, info.sequences_count_offset)?;
    if count.as_ref().is_some_and(|count| count.size() < 4) {
        return Err(Error::misuse(
            "the count of sequences does not lie in its buffer (VUID-VkGeneratedCommandsInfoNV-sequencesCountBuffer)",
        ));
    }
    let indices = nullable_rest(info.sequences_index_buffer, info.sequences_index_offset)?;
    let streams = streams.collect::<Result<_>>()?;
    StreamCommands::new(layout, groups, streams, (info.sequences_count, count), indices)
}

pub(crate) fn cmd_preprocess_generated_commands_nv(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::GeneratedCommandsInfoNV>,
) {
    record(CommandId::cmd_preprocess_generated_commands_nv, buffer, |_| generated(info).map(drop));
}

pub(crate) fn cmd_execute_generated_commands_nv(
    buffer: vk::CommandBuffer,
    _is_preprocessed: vk::Bool32,
    info: In<'_, vk::GeneratedCommandsInfoNV>,
) {
    record(CommandId::cmd_execute_generated_commands_nv, buffer, |buffer| {
        buffer.push(Command::Generated(Box::new(GeneratedCommands::Streams(generated(info)?))))
    });
}

pub(crate) fn cmd_bind_pipeline_shader_group_nv(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
    group: u32,
) {
    record(CommandId::cmd_bind_pipeline_shader_group_nv, buffer, |buffer| {
        if point != vk::PipelineBindPoint::GRAPHICS {
            return Err(Error::misuse(
                "shader groups are of graphics pipelines \
                 (VUID-vkCmdBindPipelineShaderGroupNV-pipelineBindPoint-02894)",
            ));
        }
        let pipeline = handle::get::<Pipeline>(pipeline.as_raw())?;
        let groups = pipeline.groups();
        let group = groups.get(group as usize).ok_or_else(|| {
            Error::misuse(format!(
                "the pipeline has no shader group {group} \
                 (VUID-vkCmdBindPipelineShaderGroupNV-groupIndex-02893)"
            ))
        })?;
        buffer.bind_graphics_pipeline(group)
    });
}

/// What names a pipeline to generated commands takes as much memory for each.
pub(crate) fn get_pipeline_indirect_memory_requirements_nv(
    device: vk::Device,
    _info: In<'_, vk::ComputePipelineCreateInfo>,
    mut out: Out<'_, vk::MemoryRequirements2>,
) {
    guard_void(CommandId::get_pipeline_indirect_memory_requirements_nv, || {
        crate::entry::device::check(device)?;
        out.memory_requirements = vk::MemoryRequirements {
            alignment: INDIRECT_PIPELINE_BYTES,
            ..pyro_driver::buffer::requirements(INDIRECT_PIPELINE_BYTES)
        };
        Ok(())
    });
}

pub(crate) fn get_pipeline_indirect_device_address_nv(
    device: vk::Device,
    info: In<'_, vk::PipelineIndirectDeviceAddressInfoNV>,
) -> vk::DeviceAddress {
    let mut address = 0;
    guard_void(CommandId::get_pipeline_indirect_device_address_nv, || {
        crate::entry::device::check(device)?;
        address = handle::get::<Pipeline>(info.pipeline.as_raw())?.address()?;
        Ok(())
    });
    address
}

pub(crate) fn cmd_update_pipeline_indirect_buffer_nv(
    buffer: vk::CommandBuffer,
    _point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    record(CommandId::cmd_update_pipeline_indirect_buffer_nv, buffer, |buffer| {
        let pipeline = handle::get::<Pipeline>(pipeline.as_raw())?;
        let address = pipeline.address()?;
        match &pipeline.kind {
            PipelineKind::Compute(pipeline) => buffer.save_pipeline(address, pipeline),
            _ => Err(Error::misuse(
                "the pipeline is not for compute \
                 (VUID-vkCmdUpdatePipelineIndirectBufferNV-pipelineBindPoint-09018)",
            )),
        }
    });
}
