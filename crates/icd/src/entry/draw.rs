//! Vertex and index buffers, and draws.

use crate::call::recording::{record, value_command};
use crate::handle;
use crate::pointers::{In, Slice, Strided};
use crate::registry::CommandId;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::{CommandBuffer, DrawCommand, QueryCommand, RenderCommand};
use pyro_driver::graphics::{
    Draw, DrawIndexed, DrawMesh, IndexBuffer, IndirectDraw, IndirectKind, VertexBuffer,
};
use pyro_driver::memory::mapped::Range;
use pyro_driver::{Error, Result};
use vulkanalia_sys::{self as vk, Handle};

pub(crate) fn cmd_bind_vertex_buffers(
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
) {
    let command = CommandId::cmd_bind_vertex_buffers;
    bind_vertex_buffers(command, buffer, first, buffers, offsets, Slice::empty(), Slice::empty());
}

pub(crate) fn cmd_bind_vertex_buffers2(
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
    sizes: Slice<'_, vk::DeviceSize>,
    strides: Slice<'_, vk::DeviceSize>,
) {
    let command = CommandId::cmd_bind_vertex_buffers2;
    bind_vertex_buffers(command, buffer, first, buffers, offsets, sizes, strides);
}

fn bind_vertex_buffers(
    command: CommandId,
    buffer: vk::CommandBuffer,
    first: u32,
    buffers: Slice<'_, vk::Buffer>,
    offsets: Slice<'_, vk::DeviceSize>,
    sizes: Slice<'_, vk::DeviceSize>,
    strides: Slice<'_, vk::DeviceSize>,
) {
    let (offsets, sizes, strides) = (offsets.get(), sizes.get(), strides.get());
    record(command, buffer, |buffer| {
        let ranges = buffers.iter().enumerate().map(|(index, handle)| {
            let stride = strides.get(index).map(|&stride| stride as u32);
            let Some(vertices) = handle::get_nullable::<Buffer>(handle.as_raw())? else {
                return Ok(VertexBuffer { range: None, stride });
            };
            let offset = offsets.get(index).copied().unwrap_or(0);
            let size = sizes.get(index).copied().unwrap_or(vk::WHOLE_SIZE);
            Ok(VertexBuffer { range: Some(vertices.range(offset, size)?), stride })
        });
        buffer.bind_vertex_buffers(first, ranges.collect::<Result<_>>()?)
    });
}

pub(crate) fn cmd_bind_index_buffer(
    buffer: vk::CommandBuffer,
    indices: vk::Buffer,
    offset: vk::DeviceSize,
    ty: vk::IndexType,
) {
    bind_index_buffer(CommandId::cmd_bind_index_buffer, buffer, indices, offset, vk::WHOLE_SIZE, ty);
}

pub(crate) fn cmd_bind_index_buffer2(
    buffer: vk::CommandBuffer,
    indices: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    ty: vk::IndexType,
) {
    bind_index_buffer(CommandId::cmd_bind_index_buffer2, buffer, indices, offset, size, ty);
}

fn bind_index_buffer(
    command: CommandId,
    buffer: vk::CommandBuffer,
    indices: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    ty: vk::IndexType,
) {
    record(command, buffer, |buffer| {
        let range = match handle::get_nullable::<Buffer>(indices.as_raw())? {
            Some(indices) => Some(indices.range(offset, size)?),
            None => None,
        };
        bind_indices(buffer, ty, range)
    });
}

/// Bytes of an index.
pub(crate) fn index_bytes(ty: vk::IndexType) -> Result<u32> {
    match ty {
        vk::IndexType::UINT8 => Ok(1),
        vk::IndexType::UINT16 => Ok(2),
        vk::IndexType::UINT32 => Ok(4),
        _ => Err(Error::unsupported(format!("index type {ty:?} is not supported"))),
    }
}

/// Records memory as the index buffer.
pub(crate) fn bind_indices(
    buffer: &mut CommandBuffer,
    ty: vk::IndexType,
    range: Option<Range>,
) -> Result<()> {
    let bind = IndexBuffer { range, index_bytes: index_bytes(ty)?, restart: None };
    buffer.push(RenderCommand::IndexBuffer(Box::new(bind)))
}

pub(crate) fn cmd_set_primitive_restart_index_ext(buffer: vk::CommandBuffer, index: u32) {
    record(CommandId::cmd_set_primitive_restart_index_ext, buffer, |buffer| {
        buffer.push(RenderCommand::RestartIndex(index))
    });
}

pub(crate) fn cmd_begin_conditional_rendering_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::ConditionalRenderingBeginInfoEXT>,
) {
    record(CommandId::cmd_begin_conditional_rendering_ext, buffer, |buffer| {
        let range = handle::get::<Buffer>(info.buffer.as_raw())?.range(info.offset, 4)?;
        let inverted = info.flags.contains(vk::ConditionalRenderingFlagsEXT::INVERTED);
        buffer.push(QueryCommand::BeginConditional(Box::new(range), inverted))
    });
}

pub(crate) fn cmd_end_conditional_rendering_ext(buffer: vk::CommandBuffer) {
    record(CommandId::cmd_end_conditional_rendering_ext, buffer, |buffer| {
        buffer.push(QueryCommand::EndConditional)
    });
}

value_command!(
    cmd_draw(vertex_count: u32, instance_count: u32, first_vertex: u32, first_instance: u32)
        => DrawCommand::Draw(Draw { vertex_count, instance_count, first_vertex, first_instance, index: 0 })
);

value_command!(
    cmd_draw_indexed(
        index_count: u32,
        instance_count: u32,
        first_index: u32,
        vertex_offset: i32,
        first_instance: u32
    ) => DrawCommand::DrawIndexed(DrawIndexed {
        index_count,
        instance_count,
        first_index,
        vertex_offset,
        first_instance,
        index: 0,
    })
);

pub(crate) fn cmd_draw_multi_ext(
    buffer: vk::CommandBuffer,
    infos: Strided<'_, vk::MultiDrawInfoEXT>,
    instance_count: u32,
    first_instance: u32,
) {
    record(CommandId::cmd_draw_multi_ext, buffer, |buffer| {
        let infos = infos.iter();
        if infos.len() == 0 {
            return buffer.skip_result();
        }
        for (index, info) in (0..).zip(infos) {
            let (first_vertex, vertex_count) = (info.first_vertex, info.vertex_count);
            let draw = Draw { vertex_count, instance_count, first_vertex, first_instance, index };
            buffer.draw(DrawCommand::Draw(draw))?;
        }
        Ok(())
    });
}

pub(crate) fn cmd_draw_multi_indexed_ext(
    buffer: vk::CommandBuffer,
    infos: Strided<'_, vk::MultiDrawIndexedInfoEXT>,
    instance_count: u32,
    first_instance: u32,
    vertex_offset: Option<In<'_, i32>>,
) {
    record(CommandId::cmd_draw_multi_indexed_ext, buffer, |buffer| {
        let infos = infos.iter();
        if infos.len() == 0 {
            return buffer.skip_result();
        }
        for (index, info) in (0..).zip(infos) {
            let draw = DrawIndexed {
                index_count: info.index_count,
                instance_count,
                first_index: info.first_index,
                vertex_offset: vertex_offset.map_or(info.vertex_offset, |offset| *offset),
                first_instance,
                index,
            };
            buffer.draw(DrawCommand::DrawIndexed(draw))?;
        }
        Ok(())
    });
}

/// A draw whose commands, and perhaps their count, are in buffers.
fn indirect(
    buffer: &mut CommandBuffer,
    (commands, offset): (vk::Buffer, vk::DeviceSize),
    counter: Option<(vk::Buffer, vk::DeviceSize)>,
    max_count: u32,
    stride: u32,
    kind: IndirectKind,
) -> Result<()> {
    let commands = handle::get::<Buffer>(commands.as_raw())?;
    let count = match counter {
        Some((counter, offset)) => Some(handle::get::<Buffer>(counter.as_raw())?.range(offset, 4)?),
        None => None,
    };
    let room = commands.size().saturating_sub(offset);
    push_indirect(buffer, kind, (max_count, stride, room), count, |size| {
        commands.range(if size == 0 { 0 } else { offset }, size)
    })
}

/// Records a draw whose commands are in memory, of which `commands` gives the first bytes: the most draws,
/// the bytes from one to the next, and how many bytes there are in all.
pub(crate) fn push_indirect(
    buffer: &mut CommandBuffer,
    kind: IndirectKind,
    (max_count, stride, room): (u32, u32, u64),
    count: Option<Range>,
    commands: impl FnOnce(u64) -> Result<Range>,
) -> Result<()> {
    let size =
        max_count.checked_sub(1).map_or(0, |others| u64::from(others) * u64::from(stride) + kind.bytes());
    let draw = IndirectDraw { commands: commands(size)?, count, max_count, room, stride, kind };
    buffer.draw(DrawCommand::Indirect(Box::new(draw)))
}

pub(crate) fn cmd_draw_mesh_tasks_ext(buffer: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    let draw = DrawMesh { groups: [x, y, z], first: 0, index: 0 };
    record(CommandId::cmd_draw_mesh_tasks_ext, buffer, |buffer| buffer.draw(DrawCommand::DrawMesh(draw)));
}

pub(crate) fn cmd_draw_cluster_huawei(buffer: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    let draw = DrawMesh { groups: [x, y, z], first: 0, index: 0 };
    record(CommandId::cmd_draw_cluster_huawei, buffer, |buffer| buffer.draw(DrawCommand::DrawMesh(draw)));
}

pub(crate) fn cmd_draw_cluster_indirect_huawei(
    buffer: vk::CommandBuffer,
    commands: vk::Buffer,
    offset: vk::DeviceSize,
) {
    record(CommandId::cmd_draw_cluster_indirect_huawei, buffer, |buffer| {
        indirect(buffer, (commands, offset), None, 1, 0, IndirectKind::Mesh)
    });
}

pub(crate) fn cmd_draw_mesh_tasks_nv(buffer: vk::CommandBuffer, count: u32, first: u32) {
    let draw = DrawMesh { groups: [count, 1, 1], first, index: 0 };
    record(CommandId::cmd_draw_mesh_tasks_nv, buffer, |buffer| buffer.draw(DrawCommand::DrawMesh(draw)));
}

/// Commands that differ in what the lines in the buffer are.
macro_rules! indirect_draws {
    ($($kind:ident: $name:ident $with_count:ident;)*) => {$(
        pub(crate) unsafe extern "system" fn $name(
            buffer: vk::CommandBuffer,
            commands: vk::Buffer,
            offset: vk::DeviceSize,
            count: u32,
            stride: u32,
        ) {
            let kind = IndirectKind::$kind;
            record(CommandId::$name, buffer, |buffer| indirect(buffer, (commands, offset), None, count, stride, kind));
        }

        pub(crate) unsafe extern "system" fn $with_count(
            buffer: vk::CommandBuffer,
            commands: vk::Buffer,
            offset: vk::DeviceSize,
            counter: vk::Buffer,
            counter_offset: vk::DeviceSize,
            max_count: u32,
            stride: u32,
        ) {
            let (counter, kind) = (Some((counter, counter_offset)), IndirectKind::$kind);
            record(CommandId::$with_count, buffer, |buffer| indirect(buffer, (commands, offset), counter, max_count, stride, kind));
        }
    )*};
}

indirect_draws! {
    Vertices: cmd_draw_indirect cmd_draw_indirect_count;
    Indices: cmd_draw_indexed_indirect cmd_draw_indexed_indirect_count;
    Mesh: cmd_draw_mesh_tasks_indirect_ext cmd_draw_mesh_tasks_indirect_count_ext;
    MeshNv: cmd_draw_mesh_tasks_indirect_nv cmd_draw_mesh_tasks_indirect_count_nv;
}
