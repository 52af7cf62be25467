//! Rules on outputs that transform feedback captures (`XfbBuffer`, `XfbStride`, `Offset`, `Stream`).

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::spirv::{Capability, Decoration, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Type};
use std::collections::{HashMap, HashSet};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-Offset-04687", wide_offset),
    ("VUID-StandaloneSpirv-Offset-04690", wide_block),
    ("VUID-StandaloneSpirv-Offset-04691", narrow_offset),
    ("VUID-StandaloneSpirv-Offset-04692", captured_types),
    ("VUID-StandaloneSpirv-Offset-04716", buffer_given),
    ("VUID-StandaloneSpirv-XfbBuffer-04693", equal_strides),
    ("VUID-StandaloneSpirv-Stream-04694", equal_streams),
    ("VUID-StandaloneSpirv-XfbBuffer-04696", no_overlap),
    ("VUID-StandaloneSpirv-XfbBuffer-04697", one_buffer_a_block),
];

/// An output, or member of a block of outputs, with an `Offset`.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    variable: Id,
    pub(crate) offset: u32,
    pub(crate) size: u64,
    widths: HashSet<u32>,
    is_only_numbers: bool,
    pub(crate) buffer: Option<u32>,
    stride: Option<u32>,
    pub(crate) stream: u32,
    /// Whether no member of its block before it is captured.
    is_first: bool,
}

impl Captured {
    /// Where it lies in its buffer's record: offset and size in bytes.
    pub(crate) fn range(&self) -> (u32, u64) {
        (self.offset, self.size)
    }
}

/// What a variable captures.
pub(crate) fn captured(cx: &Context<'_, '_>, variable: &GlobalVariable<'_>) -> Vec<Captured> {
    let module = cx.module;
    let Some(ty) = variable.value_type.map(|ty| module.strip_arrays(ty)) else { return Vec::new() };
    let of_variable = |kind| module.decoration_literal(variable.id, kind);
    let one = |ty: Id, member: Option<(Id, u32)>, offset: u32| {
        let literal = |kind| {
            let own = member.and_then(|(block, index)| module.member_decoration_literal(block, index, kind));
            let of_block = member.and_then(|(block, _)| module.decoration_literal(block, kind));
            own.or(of_block).or_else(|| of_variable(kind))
        };
        let mut found = Captured {
            variable: variable.id,
            offset,
            size: 0,
            widths: HashSet::new(),
            is_only_numbers: true,
            buffer: literal(Decoration::XfbBuffer),
            stride: literal(Decoration::XfbStride),
            stream: literal(Decoration::Stream).unwrap_or(0),
            is_first: true,
        };
        found.size = measure(cx, ty, &mut found, &mut HashMap::new());
        found
    };
    if let Some(offset) = of_variable(Decoration::Offset) {
        // The level of arrayed outputs is none of the value.
        return vec![one(variable.value_type.unwrap_or(ty), None, offset)];
    }
    let Type::Struct { members } = cx.ty(ty) else { return Vec::new() };
    let each = members.iter().enumerate().filter_map(|(index, member)| {
        let offset = module.member_decoration_literal(ty, index as u32, Decoration::Offset)?;
        Some(one(member, Some((ty, index as u32)), offset))
    });
    let mut found: Vec<Captured> = each.collect();
    found.iter_mut().skip(1).for_each(|one| one.is_first = false);
    found
}

/// Bytes of a type as captured: packed, doubles at multiples of eight. Each structure is measured once.
fn measure(cx: &Context<'_, '_>, ty: Id, found: &mut Captured, known: &mut HashMap<Id, u64>) -> u64 {
    if let Some(&size) = known.get(&ty) {
        return size;
    }
    let size = match cx.ty(ty) {
        Type::Int { width, .. } | Type::Float { width, .. } => {
            found.widths.insert(width);
            u64::from(width / 8)
        }
        Type::Vector { component, count } => measure(cx, component, found, known) * u64::from(count),
        Type::Matrix { column, count } => measure(cx, column, found, known) * u64::from(count),
        Type::Array { element, .. } => {
            let count = cx.constants.array_len(ty).unwrap_or(1);
            measure(cx, element, found, known).saturating_mul(count)
        }
        Type::Struct { members } => {
            let sizes: Vec<u64> = members.iter().map(|member| measure(cx, member, found, known)).collect();
            sizes.into_iter().fold(0, u64::saturating_add)
        }
        _ => {
            found.is_only_numbers = false;
            0
        }
    };
    known.insert(ty, size);
    size
}

/// Everything that an entry point captures.
pub(crate) fn each(stage: &Stage<'_, '_, '_>) -> Vec<Captured> {
    // Only these stages are captured; elsewhere offsets have no meaning.
    if !stage.cx.has_capability(Capability::TransformFeedback) {
        return Vec::new();
    }
    let outputs = stage.used().filter(|variable| variable.class == StorageClass::Output);
    outputs.flat_map(|variable| captured(stage.cx, &variable)).collect()
}

fn wide_offset(stage: &Stage<'_, '_, '_>) -> Verdict {
    for found in each(stage) {
        let is_fine = !found.widths.contains(&64) || found.offset.is_multiple_of(8);
        ensure!(is_fine, "{} holds 64-bit numbers at offset {}", found.variable, found.offset);
    }
    Ok(())
}

fn wide_block(stage: &Stage<'_, '_, '_>) -> Verdict {
    let found = each(stage);
    for block in found.iter().filter(|one| one.is_first) {
        let of_block = || found.iter().filter(|one| one.variable == block.variable);
        let is_wide = of_block().count() > 1 && of_block().any(|one| one.widths.contains(&64));
        // Members may be in any order, and which of them is the first, by order or by offset, can be read
        // both ways.
        let first = of_block().map(|one| one.offset).min().unwrap_or(0);
        ensure!(
            !is_wide || first.is_multiple_of(8) || block.offset.is_multiple_of(8),
            "the block {} holds 64-bit numbers and begins at offset {first}",
            block.variable
        );
    }
    Ok(())
}

fn narrow_offset(stage: &Stage<'_, '_, '_>) -> Verdict {
    for found in each(stage) {
        let is_fine = !found.widths.contains(&32) || found.offset.is_multiple_of(4);
        ensure!(is_fine, "{} holds 32-bit numbers at offset {}", found.variable, found.offset);
    }
    Ok(())
}

fn captured_types(stage: &Stage<'_, '_, '_>) -> Verdict {
    for found in each(stage) {
        let is_fine = found.is_only_numbers && found.widths.iter().all(|width| matches!(width, 32 | 64));
        ensure!(is_fine, "{} holds other than numbers of 32 and 64 bits", found.variable);
    }
    Ok(())
}

fn buffer_given(stage: &Stage<'_, '_, '_>) -> Verdict {
    for found in each(stage) {
        let is_given = found.buffer.is_some() && found.stride.is_some();
        ensure!(is_given, "{} has an Offset, but no XfbBuffer and XfbStride", found.variable);
    }
    Ok(())
}

/// That all captured of one buffer agree on something.
fn agree<K: PartialEq + Copy + std::fmt::Debug>(
    stage: &Stage<'_, '_, '_>,
    what: &str,
    key: impl Fn(&Captured) -> Option<K>,
) -> Verdict {
    let mut known: HashMap<u32, K> = HashMap::new();
    for found in each(stage) {
        let (Some(buffer), Some(value)) = (found.buffer, key(&found)) else { continue };
        let first = *known.entry(buffer).or_insert(value);
        ensure!(first == value, "buffer {buffer} has the {what} {first:?} and {value:?}");
    }
    Ok(())
}

fn equal_strides(stage: &Stage<'_, '_, '_>) -> Verdict {
    agree(stage, "strides", |found| found.stride)
}

fn equal_streams(stage: &Stage<'_, '_, '_>) -> Verdict {
    agree(stage, "streams", |found| Some(found.stream))
}

fn no_overlap(stage: &Stage<'_, '_, '_>) -> Verdict {
    let mut found = each(stage);
    found.sort_by_key(|one| (one.buffer, one.offset));
    for pair in found.windows(2) {
        let is_same = pair[0].buffer.is_some() && pair[0].buffer == pair[1].buffer;
        let end = u64::from(pair[0].offset).saturating_add(pair[0].size);
        ensure!(
            !is_same || end <= u64::from(pair[1].offset),
            "{} at offset {} of a buffer overlaps {}, which ends at {end}",
            pair[1].variable,
            pair[1].offset,
            pair[0].variable
        );
    }
    Ok(())
}

fn one_buffer_a_block(stage: &Stage<'_, '_, '_>) -> Verdict {
    let mut known: HashMap<Id, u32> = HashMap::new();
    for found in each(stage) {
        let Some(buffer) = found.buffer else { continue };
        let first = *known.entry(found.variable).or_insert(buffer);
        ensure!(
            first == buffer,
            "members of {} are captured into buffers {first} and {buffer}",
            found.variable
        );
    }
    Ok(())
}
