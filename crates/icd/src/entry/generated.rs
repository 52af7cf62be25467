//! Commands that memory says: `VK_EXT_device_generated_commands`.

use crate::call::guard;
use crate::call::recording::record;
use crate::handle;
use crate::pointers::{Allocator, In, Out, Slice};
use crate::registry::CommandId;
use pyro_abi::PUSH_CONSTANT_BYTES_MAX;
use pyro_driver::command::Command;
use pyro_driver::command::generated::{
    GeneratedCommands, IndirectCommandsLayout, SequenceCommands, Token, TokenKind,
};
use pyro_driver::graphics::{IndirectKind, ShaderObject, VERTEX_BINDINGS_MAX};
use pyro_driver::pipeline::Pipeline;
use pyro_driver::pipeline::execution_set::IndirectExecutionSet;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

/// The bytes of push constants that a token writes: the first and how many.
fn push_range(token: In<'_, vk::IndirectCommandsLayoutTokenEXT>) -> Result<(u32, u32)> {
    // SAFETY: of tokens that write push constants it is null or valid
    // (VUID-VkIndirectCommandsTokenDataEXT-pPushConstant-parameter).
    let pushed = unsafe { token.data.push_constant.as_ref() }.map(|pushed| pushed.update_range);
    let vk::PushConstantRange { offset, size, .. } = pushed.ok_or_else(|| no_data("pPushConstant"))?;
    match offset.checked_add(size) {
        Some(end) if end as usize <= PUSH_CONSTANT_BYTES_MAX => Ok((offset, size)),
        _ => Err(Error::misuse(format!(
            "a token writes {size} bytes from byte {offset} of the push constants on, of which there are \
             {PUSH_CONSTANT_BYTES_MAX} (VUID-VkIndirectCommandsPushConstantTokenEXT-updateRange-11132)"
        ))),
    }
}

fn no_data(member: &str) -> Error {
    Error::misuse(format!("a token's data.{member} is null"))
}

fn no_info() -> Error {
    Error::misuse("an execution set holds pipelines or shader objects, and says which")
}

fn token(token: In<'_, vk::IndirectCommandsLayoutTokenEXT>) -> Result<Token> {
    use vk::IndirectCommandsTokenTypeEXT as Type;
    let kind = match token.type_ {
        Type::EXECUTION_SET => {
            // SAFETY: of tokens of this type it is null or valid
            // (VUID-VkIndirectCommandsTokenDataEXT-pExecutionSet-parameter).
            let set = unsafe { token.data.execution_set.as_ref() }.ok_or_else(|| no_data("pExecutionSet"))?;
            match set.type_ {
                vk::IndirectExecutionSetInfoTypeEXT::SHADER_OBJECTS => TokenKind::Shaders(set.shader_stages),
                _ => TokenKind::Pipeline,
            }
        }
        Type::PUSH_CONSTANT | Type::PUSH_DATA => {
            let (offset, size) = push_range(token)?;
            TokenKind::PushConstants(offset, size)
        }
        Type::SEQUENCE_INDEX | Type::PUSH_DATA_SEQUENCE_INDEX => match push_range(token)? {
            (offset, 4) => TokenKind::SequenceIndex(offset),
            _ => return Err(Error::misuse("the number of a sequence takes four bytes of push constants")),
        },
        Type::INDEX_BUFFER => {
            // SAFETY: of tokens of this type it is null or valid
            // (VUID-VkIndirectCommandsTokenDataEXT-pIndexBuffer-parameter).
            let indices =
                unsafe { token.data.index_buffer.as_ref() }.ok_or_else(|| no_data("pIndexBuffer"))?;
            let is_dxgi = indices.mode.contains(vk::IndirectCommandsInputModeFlagsEXT::DXGI_INDEX_BUFFER);
            TokenKind::IndexBuffer { is_dxgi }
        }
        Type::VERTEX_BUFFER => {
            // SAFETY: of tokens of this type it is null or valid
            // (VUID-VkIndirectCommandsTokenDataEXT-pVertexBuffer-parameter).
            let vertices =
                unsafe { token.data.vertex_buffer.as_ref() }.ok_or_else(|| no_data("pVertexBuffer"))?;
            if vertices.vertex_binding_unit as usize >= VERTEX_BINDINGS_MAX {
                return Err(Error::misuse(
                    "vertexBindingUnit is not below maxVertexInputBindings \
                     (VUID-VkIndirectCommandsVertexBufferTokenEXT-vertexBindingUnit-11134)",
                ));
            }
            TokenKind::VertexBuffer(vertices.vertex_binding_unit)
        }
        Type::DRAW_INDEXED => TokenKind::Draw(IndirectKind::Indices),
        Type::DRAW => TokenKind::Draw(IndirectKind::Vertices),
        Type::DRAW_MESH_TASKS => TokenKind::Draw(IndirectKind::Mesh),
        Type::DRAW_MESH_TASKS_NV => TokenKind::Draw(IndirectKind::MeshNv),
        Type::DRAW_INDEXED_COUNT => TokenKind::DrawCount(IndirectKind::Indices),
        Type::DRAW_COUNT => TokenKind::DrawCount(IndirectKind::Vertices),
        Type::DRAW_MESH_TASKS_COUNT => TokenKind::DrawCount(IndirectKind::Mesh),
        Type::DRAW_MESH_TASKS_COUNT_NV => TokenKind::DrawCount(IndirectKind::MeshNv),
        Type::DISPATCH => TokenKind::Dispatch,
        Type::TRACE_RAYS2 => TokenKind::TraceRays,
        other => return Err(Error::unsupported(format!("tokens of type {other:?} are not supported"))),
    };
    Ok(Token { kind, offset: token.offset })
}

pub(crate) fn create_indirect_commands_layout_ext(
    device: vk::Device,
    info: In<'_, vk::IndirectCommandsLayoutCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::IndirectCommandsLayoutEXT>,
) -> vk::Result {
    guard(CommandId::create_indirect_commands_layout_ext, || {
        crate::entry::device::check(device)?;
        let tokens = info.tokens().into_iter().map(token).collect::<Result<_>>()?;
        let layout = IndirectCommandsLayout::new(info.indirect_stride, tokens)?;
        out.write(vk::IndirectCommandsLayoutEXT::from_raw(handle::create(layout, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(
    destroy_indirect_commands_layout_ext(IndirectCommandsLayoutEXT),
    IndirectCommandsLayout
);

pub(crate) fn create_indirect_execution_set_ext(
    device: vk::Device,
    info: In<'_, vk::IndirectExecutionSetCreateInfoEXT>,
    allocator: Allocator,
    mut out: Out<'_, vk::IndirectExecutionSetEXT>,
) -> vk::Result {
    guard(CommandId::create_indirect_execution_set_ext, || {
        crate::entry::device::check(device)?;
        let set = match info.type_ {
            vk::IndirectExecutionSetInfoTypeEXT::PIPELINES => {
                // SAFETY: of sets of pipelines it is null or valid
                // (VUID-VkIndirectExecutionSetInfoEXT-pPipelineInfo-parameter).
                let info = unsafe { info.info.pipeline_info.as_ref() }.ok_or_else(no_info)?;
                let pipeline = handle::get::<Pipeline>(info.initial_pipeline.as_raw())?;
                IndirectExecutionSet::of_pipelines(&pipeline, info.max_pipeline_count)?
            }
            vk::IndirectExecutionSetInfoTypeEXT::SHADER_OBJECTS => {
                // SAFETY: of sets of shader objects it is null or valid
                // (VUID-VkIndirectExecutionSetInfoEXT-pShaderInfo-parameter).
                let info = unsafe { info.info.shader_info.as_ref() }.ok_or_else(no_info)?;
                if info.initial_shaders.is_null() {
                    return Err(no_info());
                }
                // SAFETY: it is as long as counted
                // (VUID-VkIndirectExecutionSetShaderInfoEXT-pInitialShaders-parameter).
                let shaders =
                    unsafe { core::slice::from_raw_parts(info.initial_shaders, info.shader_count as usize) };
                let shaders = shaders.iter().map(|shader| handle::get::<ShaderObject>(shader.as_raw()));
                IndirectExecutionSet::of_shaders(shaders.collect::<Result<_>>()?, info.max_shader_count)?
            }
            _ => return Err(no_info()),
        };
        out.write(vk::IndirectExecutionSetEXT::from_raw(handle::create(set, allocator)?));
        Ok(vk::Result::SUCCESS)
    })
}

crate::call::destroy_command!(
    destroy_indirect_execution_set_ext(IndirectExecutionSetEXT),
    IndirectExecutionSet
);

pub(crate) fn update_indirect_execution_set_pipeline_ext(
    device: vk::Device,
    set: vk::IndirectExecutionSetEXT,
    writes: Slice<'_, vk::WriteIndirectExecutionSetPipelineEXT>,
) {
    crate::call::guard_void(CommandId::update_indirect_execution_set_pipeline_ext, || {
        crate::entry::device::check(device)?;
        let writes =
            writes.iter().map(|write| Ok((write.index, handle::get::<Pipeline>(write.pipeline.as_raw())?)));
        handle::get::<IndirectExecutionSet>(set.as_raw())?.put_pipelines(writes)
    });
}

pub(crate) fn update_indirect_execution_set_shader_ext(
    device: vk::Device,
    set: vk::IndirectExecutionSetEXT,
    writes: Slice<'_, vk::WriteIndirectExecutionSetShaderEXT>,
) {
    crate::call::guard_void(CommandId::update_indirect_execution_set_shader_ext, || {
        crate::entry::device::check(device)?;
        let writes =
            writes.iter().map(|write| Ok((write.index, handle::get::<ShaderObject>(write.shader.as_raw())?)));
        handle::get::<IndirectExecutionSet>(set.as_raw())?.put_shaders(writes)
    });
}

/// Sequences are read when they run: nothing is kept in memory of the application.
pub(crate) fn get_generated_commands_memory_requirements_ext(
    device: vk::Device,
    _info: In<'_, vk::GeneratedCommandsMemoryRequirementsInfoEXT>,
    mut out: Out<'_, vk::MemoryRequirements2>,
) {
    crate::call::guard_void(CommandId::get_generated_commands_memory_requirements_ext, || {
        crate::entry::device::check(device)?;
        out.memory_requirements = vk::MemoryRequirements { size: 0, ..pyro_driver::buffer::requirements(0) };
        Ok(())
    });
}

pub(crate) fn cmd_preprocess_generated_commands_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::GeneratedCommandsInfoEXT>,
    _state: vk::CommandBuffer,
) {
    record(CommandId::cmd_preprocess_generated_commands_ext, buffer, |_| generated(info).map(drop));
}

fn generated(info: In<'_, vk::GeneratedCommandsInfoEXT>) -> Result<SequenceCommands> {
    let layout = handle::get::<IndirectCommandsLayout>(info.indirect_commands_layout.as_raw())?;
    let set = handle::get_nullable::<IndirectExecutionSet>(info.indirect_execution_set.as_raw())?;
    SequenceCommands::new(
        layout,
        set,
        (info.indirect_address, info.indirect_address_size),
        (info.max_sequence_count, info.sequence_count_address),
        info.max_draw_count,
    )
}

pub(crate) fn cmd_execute_generated_commands_ext(
    buffer: vk::CommandBuffer,
    _is_preprocessed: vk::Bool32,
    info: In<'_, vk::GeneratedCommandsInfoEXT>,
) {
    record(CommandId::cmd_execute_generated_commands_ext, buffer, |buffer| {
        buffer.push(Command::Generated(Box::new(GeneratedCommands::Sequences(generated(info)?))))
    });
}
