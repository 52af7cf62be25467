//! What draws read besides their shaders: commands in memory, indices, vertices; and what of it lies outside.

use super::fixed;
use crate::command::family::draw::DrawCommand;
use crate::command::state::rendering::Rendering;
use crate::objects::memory::mapped::Range;
use crate::pipeline::graphics::{Draw, DrawIndexed, IndirectDraw, IndirectKind, key};
use pyro_sanitizer::commands::FixedAccess;
use pyro_sanitizer::commands::scope::{access, stage};
use pyro_util::sanitize::Kind;

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
    let mut ends: Option<(i64, i64)> = None;
    for index in 0..there.min(INDICES_MAX.into()) {
        let value = index_at(range, (first + index) * bytes, buffer.index_bytes);
        if value == restart {
            continue;
        }
        let vertex = i64::from(value) + i64::from(draw.vertex_offset);
        ends = Some(ends.map_or((vertex, vertex), |(least, most)| (least.min(vertex), most.max(vertex))));
    }
    let Some((least, most)) = ends else { return };
    if least < 0 {
        findings.push((Kind::BoundsVertex, format!("the least index and vertexOffset are {least}")));
        return;
    }
    let vertices = Elements { first: least as u64, count: (most - least + 1) as u64 };
    attributes(rendering, vertices, instances, to, findings);
}

fn index_at(range: &Range, at: u64, bytes: u32) -> u32 {
    let mut word = [0; 4];
    range.read(at, &mut word[..bytes.clamp(1, 4) as usize]);
    u32::from_le_bytes(word)
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
        let whole = if stride <= 4 * bytes { elements.count } else { elements.count.min(1 << 12) };
        if stride > bytes && whole == elements.count {
            for element in elements.first..=last {
                let at = range.address() + element * stride + offset;
                if at + bytes <= range.address() + range.size() {
                    to.push(fixed(at..at + bytes, stage::VERTEX_INPUT, access::VERTEX_READ));
                }
            }
        } else {
            to.push(fixed(start..end.max(start), stage::VERTEX_INPUT, access::VERTEX_READ));
        }
    }
}
