//! Draws. A draw is added to the open draw batch and runs with it.

use crate::command::state::CommandProcessor;
use crate::objects::memory::mapped::Range;
use crate::pipeline::graphics::{Draw, DrawIndexed, DrawMesh, IndirectDraw, IndirectKind};

/// Draws.
pub enum DrawCommand {
    /// Vertices.
    Draw(Draw),
    /// Vertices by index.
    DrawIndexed(DrawIndexed),
    /// Task, mesh or cluster culling workgroups.
    DrawMesh(DrawMesh),
    /// Draws with parameters in memory.
    Indirect(Box<IndirectDraw>),
    /// As many vertices as transform feedback captured (`vkCmdDrawIndirectByteCountEXT`).
    ByteCount(Box<DrawByteCount>),
}

/// `vkCmdDrawIndirectByteCountEXT`.
pub struct DrawByteCount {
    /// `instanceCount`.
    pub instance_count: u32,
    /// `firstInstance`.
    pub first_instance: u32,
    /// Four bytes that hold the number of captured bytes.
    pub counter: Range,
    /// Bytes to subtract from that number.
    pub counter_offset: u32,
    /// Bytes of a vertex.
    pub stride: u32,
}

impl DrawCommand {
    /// Whether it takes a result index of shader instrumentation: of the draws of a multi-draw the first
    /// does.
    #[inline]
    pub(in crate::command) fn has_result(&self) -> bool {
        match self {
            DrawCommand::Draw(draw) => draw.index == 0,
            DrawCommand::DrawIndexed(draw) => draw.index == 0,
            DrawCommand::DrawMesh(_) | DrawCommand::Indirect(_) | DrawCommand::ByteCount(_) => true,
        }
    }

    /// Adds it to the draw batch.
    pub(in crate::command) fn run(&self, processor: &mut CommandProcessor<'_>) {
        if matches!(self, DrawCommand::Indirect(_) | DrawCommand::ByteCount(_)) {
            // An earlier subpass may have written what they read.
            processor.wait_for_draws();
        }
        let (device, alive) = (processor.device, processor.alive);
        let rendering = &mut processor.rendering;
        match self {
            DrawCommand::Draw(draw) => rendering.draw(device, alive, draw),
            DrawCommand::DrawIndexed(draw) => rendering.draw_indexed(device, alive, draw),
            DrawCommand::DrawMesh(draw) => rendering.draw_mesh(device, alive, draw),
            DrawCommand::Indirect(draw) => {
                for_each_indirect(draw, |command| match command {
                    Direct::Draw(draw) => rendering.draw(device, alive, &draw),
                    Direct::DrawIndexed(draw) => rendering.draw_indexed(device, alive, &draw),
                    Direct::DrawMesh(draw) => rendering.draw_mesh(device, alive, &draw),
                });
            }
            DrawCommand::ByteCount(draw) => {
                let [bytes] = draw.counter.read_words();
                let bytes = bytes.saturating_sub(draw.counter_offset);
                let vertex_count = bytes.checked_div(draw.stride).unwrap_or(0);
                let DrawByteCount { instance_count, first_instance, .. } = **draw;
                let draw = Draw { vertex_count, instance_count, first_vertex: 0, first_instance, index: 0 };
                rendering.draw(device, alive, &draw);
            }
        }
    }
}

/// One of the draws of an indirect draw.
enum Direct {
    Draw(Draw),
    DrawIndexed(DrawIndexed),
    DrawMesh(DrawMesh),
}

/// Calls `each` with the draws whose parameters are in memory now.
fn for_each_indirect(draw: &IndirectDraw, mut each: impl FnMut(Direct)) {
    let count = draw.count.as_ref().map_or(u32::MAX, |count| count.word_at(0)).min(draw.max_count);
    for index in 0..count {
        let at = u64::from(index) * u64::from(draw.stride);
        let word = |number: u64| draw.commands.word_at(at + 4 * number);
        each(match draw.kind {
            IndirectKind::Indices => Direct::DrawIndexed(DrawIndexed {
                index_count: word(0),
                instance_count: word(1),
                first_index: word(2),
                vertex_offset: word(3) as i32,
                first_instance: word(4),
                index,
            }),
            IndirectKind::Vertices => Direct::Draw(Draw {
                vertex_count: word(0),
                instance_count: word(1),
                first_vertex: word(2),
                first_instance: word(3),
                index,
            }),
            IndirectKind::Mesh => {
                Direct::DrawMesh(DrawMesh { groups: [word(0), word(1), word(2)], first: 0, index })
            }
            IndirectKind::MeshNv => {
                Direct::DrawMesh(DrawMesh { groups: [word(0), 1, 1], first: word(1), index })
            }
        });
    }
}
