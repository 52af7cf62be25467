//! What draws read besides their shaders: commands in memory, indices, vertices; and what of it lies outside.

use super::fixed;
use crate::command::family::draw::DrawCommand;
use crate::command::list::Command;
use crate::command::state::rendering::Rendering;
use crate::objects::memory::mapped::Range;
use crate::pipeline::graphics::{Draw, DrawIndexed, IndirectDraw, IndirectKind, key};
use pyro_sanitizer::commands::scope::{access, stage};
use pyro_sanitizer::commands::{self as follow, FixedAccess};
use pyro_util::sanitize::Kind;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// Indices of a draw that are looked at.
const INDICES_MAX: u32 = 1 << 22;

/// Findings of a draw: kind and message.
type Findings = Vec<(Kind, String)>;

/// The name of a draw.
pub(super) fn name(draw: &DrawCommand) -> &'static str {
    match draw {
        DrawCommand::Draw(_) => "vkCmdDraw",
        DrawCommand::DrawIndexed(_) => "vkCmdDrawIndexed",
        DrawCommand::DrawMesh(_) => "vkCmdDrawMeshTasksEXT",
        DrawCommand::ByteCount(_) => "vkCmdDrawIndirectByteCountEXT",
        DrawCommand::Indirect(draw) => match (draw.kind, draw.count.is_some()) {
            (IndirectKind::Vertices, false) => "vkCmdDrawIndirect",
            (IndirectKind::Vertices, true) => "vkCmdDrawIndirectCount",
            (IndirectKind::Indices, false) => "vkCmdDrawIndexedIndirect",
            (IndirectKind::Indices, true) => "vkCmdDrawIndexedIndirectCount",
            (_, false) => "vkCmdDrawMeshTasksIndirectEXT",
            (_, true) => "vkCmdDrawMeshTasksIndirectCountEXT",
        },
    }
}

/// Vertices or instances: the first and how many.
#[derive(Clone, Copy)]
struct Elements {
    first: u64,
    count: u64,
}

/// What a draw accesses, which has been prepared but not run.
pub(super) fn accesses(
    rendering: &Rendering,
    draw: &DrawCommand,
    to: &mut Vec<FixedAccess>,
    findings: &mut Findings,
) {
    depth(rendering, findings);
    match draw {
        DrawCommand::Draw(draw) => vertices(rendering, draw, to, findings),
        DrawCommand::DrawIndexed(draw) => indexed(rendering, draw, to, findings),
        DrawCommand::DrawMesh(_) => {}
        DrawCommand::ByteCount(draw) => {
            let at = draw.counter.address();
            to.push(fixed(at..at + 4, stage::DRAW_INDIRECT, access::INDIRECT_READ));
        }
        DrawCommand::Indirect(draw) => indirect(rendering, draw, to, findings),
    }
}

/// A number of a draw's pipeline: the place of its code, which equal pipelines share. Zero of other commands.
pub(super) fn pipeline(command: &Command, rendering: &Rendering) -> u64 {
    let (Command::Draw(_), Some(programs)) = (command, &rendering.programs) else { return 0 };
    let first = crate::pipeline::graphics::first_kernel(&programs.stages);
    first.map_or(0, |kernel| Arc::as_ptr(kernel).cast::<()>().addr() as u64)
}

/// A draw that wants the depths that another one has written.
fn depth(rendering: &Rendering, findings: &mut Findings) {
    let state = &rendering.state;
    let Some(programs) = &rendering.programs else { return };
    if !state.depth_test || state.depth_compare != vk::CompareOp::EQUAL {
        return;
    }
    if !programs.stages.outputs.position_is_invariant {
        let text = "depths are compared for equality, and Position is not decorated Invariant in the last \
                    stage before rasterization: another pipeline may compute it in another way";
        findings.push((Kind::InvariantDepth, text.to_owned()));
    }
}

fn indirect(rendering: &Rendering, draw: &IndirectDraw, to: &mut Vec<FixedAccess>, findings: &mut Findings) {
    let (mut count, mut wanted) = (draw.max_count, 0);
    if let Some(counter) = &draw.count {
        let at = counter.address();
        to.push(fixed(at..at + 4, stage::DRAW_INDIRECT, access::INDIRECT_READ));
        wanted = counter.word_at(0);
        // More than the most is defined: the most are drawn.
        count = count.min(wanted);
    }
    let words: u64 = match draw.kind {
        IndirectKind::Vertices => 4,
        IndirectKind::Indices => 5,
        IndirectKind::Mesh => 3,
        IndirectKind::MeshNv => 2,
    };
    // The buffer must hold what the count in memory asks for, not only what is drawn.
    let last = u64::from(wanted.saturating_sub(1)) * u64::from(draw.stride);
    if wanted > count && last + 4 * words > draw.room {
        let text = format!("the count in memory is {wanted}, and the buffer ends before so many parameters");
        findings.push((Kind::BoundsIndirect, text));
    }
    let start = draw.commands.address();
    for index in 0..u64::from(count) {
        let at = index * u64::from(draw.stride);
        if at + 4 * words > draw.commands.size() {
            let text = format!("the parameters of draw {index} of {count} lie past the end of their buffer");
            findings.push((Kind::BoundsIndirect, text));
            break;
        }
        to.push(fixed(start + at..start + at + 4 * words, stage::DRAW_INDIRECT, access::INDIRECT_READ));
        let word = |number: u64| draw.commands.word_at(at + 4 * number);
        let index = index as u32;
        match draw.kind {
            IndirectKind::Vertices => {
                let [vertex_count, instance_count, first_vertex, first_instance] = [0, 1, 2, 3].map(word);
                let draw = Draw { vertex_count, instance_count, first_vertex, first_instance, index };
                vertices(rendering, &draw, to, findings);
            }
            IndirectKind::Indices => {
                let [index_count, instance_count, first_index, offset, first_instance] =
                    [0, 1, 2, 3, 4].map(word);
                let vertex_offset = offset as i32;
                let draw = DrawIndexed {
                    index_count,
                    instance_count,
                    first_index,
                    vertex_offset,
                    first_instance,
                    index,
                };
                indexed(rendering, &draw, to, findings);
            }
            IndirectKind::Mesh | IndirectKind::MeshNv => {}
        }
    }
}

fn vertices(rendering: &Rendering, draw: &Draw, to: &mut Vec<FixedAccess>, findings: &mut Findings) {
    let vertices = Elements { first: draw.first_vertex.into(), count: draw.vertex_count.into() };
    let instances = Elements { first: draw.first_instance.into(), count: draw.instance_count.into() };
    attributes(rendering, vertices, instances, to, findings);
}

fn indexed(rendering: &Rendering, draw: &DrawIndexed, to: &mut Vec<FixedAccess>, findings: &mut Findings) {
    let instances = Elements { first: draw.first_instance.into(), count: draw.instance_count.into() };
    let Some(buffer) = &rendering.index_buffer else { return };
    let Some(range) = &buffer.range else { return };
    if draw.index_count == 0 || draw.instance_count == 0 {
        return;
    }
    let bytes = u64::from(buffer.index_bytes);
    let (first, count) = (u64::from(draw.first_index), u64::from(draw.index_count));
    let there = (range.size() / bytes.max(1)).saturating_sub(first).min(count);
    if there < count {
        let text = format!(
            "indices {first} to {} are read of an index buffer of {}",
            first + count - 1,
            range.size() / bytes.max(1)
        );
        findings.push((Kind::BoundsIndex, text));
    }
    let start = range.address() + first * bytes;
    to.push(fixed(start..start + there * bytes, stage::INDEX_INPUT, access::INDEX_READ));
    let greatest = u32::MAX >> (32 - 8 * buffer.index_bytes.clamp(1, 4));
    let restart = buffer.restart.unwrap_or(greatest);
    let ends = index_ends(range, first * bytes, there.min(INDICES_MAX.into()), (buffer.index_bytes, restart));
    let ends = ends.map(|ends| ends.map(|index| i64::from(index) + i64::from(draw.vertex_offset)));
    let Some([least, most]) = ends else { return };
    if least < 0 {
        findings.push((Kind::BoundsVertex, format!("the least index and vertexOffset are {least}")));
        return;
    }
    let vertices = Elements { first: least as u64, count: (most - least + 1) as u64 };
    attributes(rendering, vertices, instances, to, findings);
}

/// The least and the greatest of so many indices from a byte on, which have so many bytes each, but for those
/// that restart primitives.
fn index_ends(range: &Range, start: u64, count: u64, (bytes, restart): (u32, u32)) -> Option<[u32; 2]> {
    const STEP: u64 = 1024;
    let size = u64::from(bytes.clamp(1, 4));
    let mut words = [0; 4 * STEP as usize];
    let (mut least, mut most) = (u32::MAX, 0);
    let mut any = false;
    for first in (0..count).step_by(STEP as usize) {
        let here = &mut words[..((count - first).min(STEP) * size) as usize];
        range.read(start + first * size, here);
        let mut see = |index: u32| {
            if index != restart {
                (least, most, any) = (least.min(index), most.max(index), true);
            }
        };
        match size {
            1 => here.iter().for_each(|&index| see(index.into())),
            2 => here.as_chunks().0.iter().for_each(|&index| see(u16::from_le_bytes(index).into())),
            _ => here.as_chunks().0.iter().for_each(|&index| see(u32::from_le_bytes(index))),
        }
    }
    any.then_some([least, most])
}

fn attributes(
    rendering: &Rendering,
    vertices: Elements,
    instances: Elements,
    to: &mut Vec<FixedAccess>,
    findings: &mut Findings,
) {
    let Some(programs) = &rendering.programs else { return };
    if vertices.count == 0 || instances.count == 0 {
        return;
    }
    let state = &rendering.state;
    for attribute in &programs.vertex_input.attributes {
        let binding = attribute.binding;
        let Some(buffer) = rendering.vertex_buffers.get(binding as usize) else { continue };
        let (Some(range), stride) = (&buffer.range, key::vertex_buffer(state, binding, Some(buffer)).stride)
        else {
            continue;
        };
        let fixed_binding = state.vertex_input.bindings.iter().find(|one| one.binding == binding);
        let elements = match fixed_binding {
            Some(one) if one.per_instance => {
                let divisor = u64::from(one.divisor);
                let count = instances
                    .count
                    .checked_div(divisor)
                    .map_or(1, |whole| whole + u64::from(!instances.count.is_multiple_of(divisor)));
                Elements { first: instances.first, count }
            }
            _ => vertices,
        };
        let (stride, offset) = (u64::from(stride), u64::from(attribute.offset));
        let bytes = u64::from(attribute.format.block_bytes());
        let last = elements.first + elements.count - 1;
        let end = last.saturating_mul(stride).saturating_add(offset + bytes);
        if end > range.size() {
            let text = format!(
                "element {last} of vertex binding {binding} ends at byte {end} of a buffer of {}",
                range.size()
            );
            if !findings.iter().any(|(kind, _)| *kind == Kind::BoundsVertex) {
                findings.push((Kind::BoundsVertex, text));
            }
        }
        let start = range.address() + (elements.first.saturating_mul(stride) + offset).min(range.size());
        let end = range.address() + end.min(range.size());
        let lie_apart = (stride > bytes).then_some(follow::Elements { stride, bytes });
        let all = fixed(start..end.max(start), stage::VERTEX_INPUT, access::VERTEX_READ);
        to.push(FixedAccess { elements: lie_apart, ..all });
    }
}
