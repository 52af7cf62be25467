//! What transform feedback captures of the outputs of the last stage before rasterization (`XfbBuffer`,
//! `XfbStride`, `Offset`; specification, "Transform Feedback").

use super::varyings::{VERTEX_BUILT_INS, built_in_columns, words};
use pyro_abi::graphics::{
    CAPTURE_BUFFER_COUNT, CaptureKind, CapturedColumn, Captures, VERTEX_STREAM_COUNT, VertexLayout,
};
use pyro_interface::{Interface, Variable};
use pyro_spirv::spirv::{Decoration, ExecutionMode, StorageClass};
use pyro_spirv::{ConstantValues, Id, Module, Type};
use std::collections::BTreeMap;

/// Where an output goes.
#[derive(Clone, Copy)]
struct XfbLocation {
    buffer: u32,
    stride: u32,
    offset: u32,
    stream: u32,
}

/// Whether an entry point captures outputs.
pub(crate) fn is_captured(module: &Module, interface: &Interface) -> bool {
    module.execution_modes(interface.function).any(|mode| mode.mode == ExecutionMode::Xfb)
}

/// A decoration of an output variable, or of a member of its block: of the member, else of the block, else of
/// the variable.
fn find(module: &Module, variable: Id, member: Option<u32>, kind: Decoration) -> Option<u32> {
    let block =
        module.global(variable).and_then(|global| global.value_type).map(|ty| module.strip_arrays(ty));
    let block = block.filter(|&ty| matches!(module.ty(ty), Type::Struct { .. }));
    let of_member = || module.member_decoration_literal(block?, member?, kind);
    let of_block = || module.decoration_literal(block.filter(|_| member.is_some())?, kind);
    of_member().or_else(of_block).or_else(|| module.decoration_literal(variable, kind))
}

/// The vertex stream of an output variable, or of a member of its block.
pub(crate) fn stream(module: &Module, variable: Id, member: Option<u32>) -> u32 {
    find(module, variable, member, Decoration::Stream).unwrap_or(0)
}

/// Where an output variable, or a member of its block, is captured to, if it is.
fn xfb_location(module: &Module, variable: Id, member: Option<u32>) -> Option<XfbLocation> {
    let find = |kind| find(module, variable, member, kind);
    let offset = match member {
        Some(member) => {
            let block = module.strip_arrays(module.global(variable)?.value_type?);
            module.member_decoration_literal(block, member, Decoration::Offset)
        }
        None => module.decoration_literal(variable, Decoration::Offset),
    };
    let (buffer, stride) = (find(Decoration::XfbBuffer)?, find(Decoration::XfbStride)?);
    Some(XfbLocation { buffer, stride, offset: offset?, stream: stream(module, variable, member) })
}

/// Whether a type holds 64-bit numbers, which lie at multiples of eight.
fn is_wide(module: &Module, ty: Id) -> bool {
    match module.ty(ty) {
        Type::Int { width, .. } | Type::Float { width, .. } => width == 64,
        Type::Vector { component, .. } => is_wide(module, component),
        Type::Matrix { column, .. } => is_wide(module, column),
        Type::Array { element, .. } => is_wide(module, element),
        Type::Struct { members } => members.iter().any(|member| is_wide(module, member)),
        _ => false,
    }
}

/// The locations of a type's scalars and vectors, in their order, from one on; the next free offset.
fn xfb_locations(
    constants: &ConstantValues<'_>,
    ty: Id,
    from: XfbLocation,
    into: &mut Vec<XfbLocation>,
) -> u32 {
    let module = constants.module();
    let mut at = from;
    if is_wide(module, ty) {
        at.offset = at.offset.checked_next_multiple_of(8).unwrap_or(u32::MAX);
    }
    let mut part = |ty: Id| at.offset = xfb_locations(constants, ty, at, into);
    match module.ty(ty) {
        Type::Matrix { column, count } => (0..count).for_each(|_| part(column)),
        Type::Array { element, .. } => {
            (0..constants.array_len(ty).unwrap_or(0)).for_each(|_| part(element));
        }
        Type::Struct { members } => members.iter().for_each(part),
        Type::Vector { component, count } => {
            into.push(at);
            let bytes = module.ty(component).width().unwrap_or(0) / 8;
            at.offset = at.offset.saturating_add(count.saturating_mul(bytes));
        }
        other => {
            into.push(at);
            at.offset = at.offset.saturating_add(other.width().unwrap_or(0) / 8);
        }
    }
    at.offset
}

/// The place of each leaf of an output, if it is captured. Of an array of blocks, each element goes to a
/// buffer of its own.
fn leaf_xfb_locations(constants: &ConstantValues<'_>, variable: &Variable) -> Option<Vec<XfbLocation>> {
    let module = constants.module();
    let mut all = Vec::new();
    if variable.leaves.is_empty() {
        return None;
    }
    if let Some(place) = xfb_location(module, variable.variable, variable.member) {
        xfb_locations(constants, variable.ty, place, &mut all);
        return Some(all);
    }
    let block = module.strip_arrays(variable.ty);
    let Type::Struct { members } = module.ty(block) else { return None };
    if variable.member.is_some() || block == variable.ty {
        return None;
    }
    let members: Vec<_> = members.iter().zip(0..).collect();
    let first: Option<Vec<(Id, XfbLocation)>> = members
        .into_iter()
        .map(|(ty, index)| Some((ty, xfb_location(module, variable.variable, Some(index))?)))
        .collect();
    let first = first?;
    let mut element = 0;
    while all.len() < variable.leaves.len() {
        let before = all.len();
        for &(ty, at) in &first {
            xfb_locations(
                constants,
                ty,
                XfbLocation { buffer: at.buffer.saturating_add(element), ..at },
                &mut all,
            );
        }
        element += 1;
        if all.len() == before {
            return None;
        }
    }
    Some(all)
}

/// The words of the outputs that are captured.
pub(crate) fn captured_words(constants: &ConstantValues<'_>, interface: &Interface) -> Vec<u32> {
    let is_captured = |variable: &&Variable| leaf_xfb_locations(constants, variable).is_some();
    interface.outputs.iter().filter(is_captured).flat_map(words).collect()
}

/// What an entry point captures whose outputs have these columns.
pub(crate) fn captures(
    constants: &ConstantValues<'_>,
    interface: &Interface,
    layout: &VertexLayout,
    columns: &BTreeMap<u32, u32>,
) -> Captures {
    let (mut captures, module) = (Captures::default(), constants.module());
    if !is_captured(module, interface) {
        return captures;
    }
    for built_in in VERTEX_BUILT_INS {
        let Some((first, count)) = built_in_columns(layout, built_in) else { continue };
        let found = interface.built_in(built_in, StorageClass::Output);
        let place = found.and_then(|found| xfb_location(module, found.variable, found.member));
        if let Some(place) = place.filter(|place| add_buffer(&mut captures, place)) {
            let column = |index| CapturedColumn {
                column: first + index,
                buffer: place.buffer,
                offset: place.offset.saturating_add(4 * index),
                kind: CaptureKind::Word,
            };
            captures.columns.extend((0..count).map(column));
        }
    }
    for variable in &interface.outputs {
        for (leaf, place) in
            variable.leaves.iter().zip(leaf_xfb_locations(constants, variable).unwrap_or_default())
        {
            if !add_buffer(&mut captures, &place) {
                continue;
            }
            let kind = match (leaf.width, module.ty(leaf.scalar)) {
                (16, Type::Float { .. }) => CaptureKind::Half,
                (16, _) => CaptureKind::Short,
                _ => CaptureKind::Word,
            };
            let bytes = if kind == CaptureKind::Word { 4 } else { 2 };
            for (index, word) in (0..).zip(leaf.words()) {
                if let Some(&column) = columns.get(&leaf.location.saturating_mul(4).saturating_add(word)) {
                    let offset = place.offset.saturating_add(bytes * index);
                    captures.columns.push(CapturedColumn { column, buffer: place.buffer, offset, kind });
                }
            }
        }
    }
    // What lies beyond the stride would be in the next vertex's record.
    let strides = captures.strides;
    captures.columns.retain(|captured| {
        let bytes = if captured.kind == CaptureKind::Word { 4 } else { 2 };
        captured.offset.saturating_add(bytes) <= strides[captured.buffer as usize]
    });
    captures
}

/// Says that a buffer is captured to; false when there is no such buffer or stream.
fn add_buffer(captures: &mut Captures, place: &XfbLocation) -> bool {
    let buffer = place.buffer as usize;
    if place.stream as usize >= VERTEX_STREAM_COUNT || buffer >= CAPTURE_BUFFER_COUNT {
        return false;
    }
    // All that goes to a buffer is of one stream (VUID-StandaloneSpirv-XfbBuffer-04919).
    if captures.strides[buffer] != 0 && captures.streams[buffer] != place.stream {
        return false;
    }
    (captures.strides[buffer], captures.streams[buffer]) = (place.stride, place.stream);
    true
}
