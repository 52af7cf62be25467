//! What transform feedback captures of a vertex shader's outputs (`XfbBuffer`, `XfbStride`, `Offset`; specification,
//! "Transform Feedback").

use super::link::words;
use pyro_abi::graphics::{CAPTURE_BUFFER_COUNT, CaptureKind, CapturedRow, Captures, VertexLayout};
use pyro_interface::{Interface, Variable};
use pyro_spirv::spirv::{BuiltIn, Decoration, ExecutionMode, StorageClass};
use pyro_spirv::{Id, Module, Type};
use std::collections::BTreeMap;

/// Where an output goes.
struct Place {
    buffer: u32,
    stride: u32,
    offset: u32,
}

/// Whether an entry point captures outputs.
pub(crate) fn is_captured(module: &Module, interface: &Interface) -> bool {
    module.execution_modes(interface.function).any(|mode| mode.mode == ExecutionMode::Xfb)
}

/// Where an output variable or member is captured to, if it is.
fn place(module: &Module, variable: Id, member: Option<u32>) -> Option<Place> {
    let of_variable = |kind| module.decoration_literal(variable, kind);
    let block =
        module.global(variable).and_then(|global| global.value_type).map(|ty| module.strip_arrays(ty));
    let block = block.filter(|&ty| matches!(module.ty(ty), Type::Struct { .. }));
    let of_member = |kind| module.member_decoration_literal(block?, member?, kind);
    let of_block = |kind| module.decoration_literal(block.filter(|_| member.is_some())?, kind);
    let find = |kind| of_member(kind).or_else(|| of_block(kind)).or_else(|| of_variable(kind));
    let offset =
        if member.is_some() { of_member(Decoration::Offset) } else { of_variable(Decoration::Offset) };
    // Only stream 0 has vertices of a vertex shader.
    let is_seen = find(Decoration::Stream).unwrap_or(0) == 0;
    let buffer =
        find(Decoration::XfbBuffer).filter(|&buffer| is_seen && buffer < CAPTURE_BUFFER_COUNT as u32)?;
    Some(Place { buffer, stride: find(Decoration::XfbStride)?, offset: offset? })
}

/// The words of the outputs that are captured.
pub(crate) fn captured_words(module: &Module, interface: &Interface) -> Vec<u32> {
    let is_captured = |variable: &&Variable| place(module, variable.variable, variable.member).is_some();
    interface.outputs.iter().filter(is_captured).flat_map(words).collect()
}

/// What an entry point captures whose outputs have these rows.
pub(crate) fn captures(
    module: &Module,
    interface: &Interface,
    layout: &VertexLayout,
    rows: &BTreeMap<u32, u32>,
) -> Captures {
    let mut captures = Captures::default();
    if !is_captured(module, interface) {
        return captures;
    }
    let one = |row: Option<u32>| row.map_or((0, 0), |row| (row, 1));
    let built_ins = [
        (BuiltIn::Position, (0, 4)),
        (BuiltIn::PointSize, one(layout.point_size)),
        (BuiltIn::ClipDistance, layout.clip_distance),
        (BuiltIn::CullDistance, layout.cull_distance),
        (BuiltIn::Layer, one(layout.layer)),
        (BuiltIn::ViewportIndex, one(layout.viewport_index)),
    ];
    for (built_in, (first, count)) in built_ins {
        let found = interface.built_in(built_in, StorageClass::Output);
        let place = found.and_then(|found| place(module, found.variable, found.member));
        if let Some(place) = place {
            captures.strides[place.buffer as usize] = place.stride;
            let row = |index| CapturedRow {
                row: first + index,
                buffer: place.buffer,
                offset: place.offset.saturating_add(4 * index),
                kind: CaptureKind::Word,
            };
            captures.rows.extend((0..count).map(row));
        }
    }
    for variable in &interface.outputs {
        let Some(place) = place(module, variable.variable, variable.member) else { continue };
        captures.strides[place.buffer as usize] = place.stride;
        add_variable(&mut captures, module, variable, &place, rows);
    }
    // What lies beyond the stride would be in the next vertex's record.
    let strides = captures.strides;
    captures.rows.retain(|row| {
        let bytes = if row.kind == CaptureKind::Word { 4 } else { 2 };
        row.offset.saturating_add(bytes) <= strides[row.buffer as usize]
    });
    captures
}

/// Adds an output of the application's: its scalars lie one behind the other.
fn add_variable(
    captures: &mut Captures,
    module: &Module,
    variable: &Variable,
    place: &Place,
    rows: &BTreeMap<u32, u32>,
) {
    let mut offset = place.offset;
    for leaf in &variable.leaves {
        let is_float = matches!(module.ty(leaf.scalar), Type::Float { .. });
        let kind = match leaf.width {
            16 if is_float => CaptureKind::Half,
            16 => CaptureKind::Short,
            _ => CaptureKind::Word,
        };
        let bytes = if kind == CaptureKind::Word { 4 } else { 2 };
        for word in leaf.words() {
            if let Some(&row) = rows.get(&(4 * leaf.location + word)) {
                captures.rows.push(CapturedRow { row, buffer: place.buffer, offset, kind });
            }
            offset = offset.saturating_add(bytes);
        }
    }
}
