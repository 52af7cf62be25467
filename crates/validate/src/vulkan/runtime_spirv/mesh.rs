//! Rules on task and mesh shaders: how often they set counts and emit tasks, how much they output.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage, StageRule};
use crate::vulkan::instruction::Applies;
use crate::vulkan::standalone_spirv::builtin::has;
use crate::vulkan::standalone_spirv::mesh::is_indices_built_in;
use pyro_interface::Leaf;
use pyro_spirv::spirv::{
    BuiltIn, Decoration, ExecutionMode as Mode, ExecutionModel as Model, Op, StorageClass,
};
use pyro_spirv::{Instruction, Type};
use std::collections::BTreeSet;

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-TaskEXT-07117", emits_once),
    ("VUID-RuntimeSpirv-MeshEXT-07118", sets_once),
    ("VUID-RuntimeSpirv-MeshEXT-09218", point_size),
    ("VUID-RuntimeSpirv-maxMeshOutputMemorySize-08756", |s| output_memory(s, false)),
    ("VUID-RuntimeSpirv-maxMeshPayloadAndOutputMemorySize-08757", |s| output_memory(s, true)),
];

/// Rules on the instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    ("VUID-RuntimeSpirv-MeshEXT-07332", is_set_outputs, |s, inst| {
        outputs_within(s, inst, 0, Mode::OutputVertices)
    }),
    ("VUID-RuntimeSpirv-MeshEXT-07333", is_set_outputs, |s, inst| {
        outputs_within(s, inst, 1, Mode::OutputPrimitivesEXT)
    }),
];

/// How often each block of the call tree holds an instruction.
fn greatest_count_in_a_block(stage: &Stage<'_, '_, '_>, wanted: Op) -> (usize, usize) {
    let (mut total, mut greatest, mut here) = (0, 0, 0);
    stage.each_instruction(|inst| match inst.op() {
        Op::Label => here = 0,
        op if op == wanted => {
            here += 1;
            total += 1;
            greatest = greatest.max(here);
        }
        _ => {}
    });
    (total, greatest)
}

fn emits_once(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::TaskEXT {
        return Ok(());
    }
    // It ends its block and function, so that none is executed twice.
    let (total, _) = greatest_count_in_a_block(stage, Op::EmitMeshTasksEXT);
    ensure!(total != 0, "the task shader has no OpEmitMeshTasksEXT");
    Ok(())
}

fn sets_once(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::MeshEXT {
        return Ok(());
    }
    // Blocks may exclude one another; one that sets the counts twice surely does.
    let (_, in_a_block) = greatest_count_in_a_block(stage, Op::SetMeshOutputsEXT);
    ensure!(in_a_block <= 1, "a block has {in_a_block} OpSetMeshOutputsEXT");
    Ok(())
}

fn point_size(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_points = stage.model() == Model::MeshEXT && stage.has_mode(Mode::OutputPoints);
    if !is_points || !stage.cx.lacks("maintenance5") {
        return Ok(());
    }
    let has = stage.interface.built_in(BuiltIn::PointSize, StorageClass::Output).is_some();
    // Counts that are not constant may be zero.
    let is_sure = stage.any_instruction(|inst| {
        inst.op() == Op::SetMeshOutputsEXT
            && (0..2).all(|place| stage.cx.constants.unsigned(inst.id(place)).is_some_and(|count| count != 0))
    });
    ensure!(has || !is_sure, "points are output without PointSize, and maintenance5 is off");
    Ok(())
}

/// Locations that some leaves take.
fn locations<'l>(leaves: impl Iterator<Item = &'l Leaf>) -> u64 {
    let taken: BTreeSet<u32> = leaves
        .flat_map(|leaf| leaf.location..=leaf.location + leaf.words().end.saturating_sub(1) / 4)
        .collect();
    taken.len() as u64
}

/// Bytes of a mesh shader's outputs, for one view, as the chapter on mesh shaders counts them; with built-in arrays
/// packed, so that this is never more than a device would count.
fn output_memory(stage: &Stage<'_, '_, '_>, with_payload: bool) -> Verdict {
    let limit = if with_payload { "maxMeshPayloadAndOutputMemorySize" } else { "maxMeshOutputMemorySize" };
    if stage.model() != Model::MeshEXT || stage.cx.property(limit).is_none() {
        return Ok(());
    }
    let granularity = |name| stage.cx.property(name).and_then(|value| u64::try_from(value).ok()).unwrap_or(1);
    let count = |mode, name| {
        let mode = stage.cx.module.execution_mode(stage.entry.function, mode);
        let count = mode.and_then(|mode| mode.operands.first().copied()).unwrap_or(0);
        u64::from(count).next_multiple_of(granularity(name).max(1))
    };
    let mut locations_of = [false, true].map(|is_per_primitive| {
        let outputs = stage.interface.outputs.iter();
        locations(
            outputs
                .filter(|output| output.is_per_primitive == is_per_primitive)
                .flat_map(|output| &output.leaves),
        )
    });
    for found in stage.interface.built_ins.iter().filter(|found| found.class == StorageClass::Output) {
        if is_indices_built_in(found.built_in) {
            continue;
        }
        let len = match stage.cx.ty(found.ty) {
            Type::Array { .. } => stage.cx.constants.array_len(found.ty).unwrap_or(1).div_ceil(4),
            _ => 1,
        };
        locations_of[usize::from(has(stage, found, Decoration::PerPrimitiveEXT))] += len;
    }
    let vertices = count(Mode::OutputVertices, "meshOutputPerVertexGranularity");
    let primitives = count(Mode::OutputPrimitivesEXT, "meshOutputPerPrimitiveGranularity");
    let bytes = |locations: u64, elements: u64| locations.saturating_mul(16).saturating_mul(elements);
    let mut size = bytes(locations_of[0], vertices).saturating_add(bytes(locations_of[1], primitives));
    if with_payload {
        let payloads = stage.interface.payloads.iter();
        let of_task = payloads.filter(|payload| payload.class == StorageClass::TaskPayloadWorkgroupEXT);
        size = of_task.map(|payload| payload.size).fold(size, u64::saturating_add);
    }
    stage.cx.at_most("the count of bytes", size, limit)
}

fn is_set_outputs(op: Op) -> bool {
    op == Op::SetMeshOutputsEXT
}

fn outputs_within(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>, position: usize, mode: Mode) -> Verdict {
    let found = stage.cx.module.execution_mode(stage.entry.function, mode);
    let bound = found.and_then(|mode| mode.operands.first().copied());
    let count = inst.get_id(position).and_then(|id| stage.cx.constants.unsigned(id));
    let is_fine = count.zip(bound).is_none_or(|(count, bound)| count <= bound);
    ensure!(is_fine, "{count:?} is more than the limit {bound:?} of {mode:?}");
    Ok(())
}
