//! Rules on task and mesh shaders: outputs are written after their counts are set; what may depend on
//! `ViewIndex`.

use super::builtin::reached;
use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::{BuiltIn, ExecutionModel as Model, Op, StorageClass};
use pyro_spirv::{Id, Instruction};
use std::collections::HashSet;

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-MeshEXT-07106", sets_before_writes),
    ("VUID-StandaloneSpirv-MeshEXT-07108", counts_of_view),
    ("VUID-StandaloneSpirv-MeshEXT-07109", index_places_of_view),
    ("VUID-StandaloneSpirv-MeshEXT-07110", index_values_of_view),
    ("VUID-StandaloneSpirv-MeshEXT-07111", memory_of_view),
];

fn sets_before_writes(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::MeshEXT {
        return Ok(());
    }
    let (mut sets, mut writes) = (false, false);
    stage.each_instruction(|inst| match inst.op() {
        Op::SetMeshOutputsEXT => sets = true,
        Op::Store => {
            let class = stage.cx.pointer_value(inst.id(0)).map(|(class, _)| class);
            writes |= class == Ok(StorageClass::Output);
        }
        _ => {}
    });
    ensure!(sets || !writes, "outputs are written, but there is no OpSetMeshOutputsEXT");
    Ok(())
}

/// Values that are computed from `ViewIndex`, without a look through memory.
fn of_view(stage: &Stage<'_, '_, '_>) -> HashSet<Id> {
    let mut found = HashSet::new();
    let is_used = stage.interface.built_ins.iter().any(|found| found.built_in == BuiltIn::ViewIndex);
    if stage.model() != Model::MeshEXT || !is_used {
        return found;
    }
    // Phis may take what comes after them.
    let mut before = usize::MAX;
    while found.len() != before {
        before = found.len();
        stage.each_instruction(|inst| {
            let Some(result) = inst.result() else { return };
            let is_view = inst.op() == Op::Load
                && reached(stage, inst.id(0)).is_some_and(|(built_in, _)| built_in == BuiltIn::ViewIndex);
            if is_view || inst.op() != Op::FunctionCall && inst.id_operands().any(|id| found.contains(&id)) {
                found.insert(result);
            }
        });
    }
    found
}

/// That nothing of the call tree does something with values that are computed from `ViewIndex`.
fn not_of_view(
    stage: &Stage<'_, '_, '_>,
    message: &str,
    is_bad: impl Fn(Instruction<'_>, &HashSet<Id>) -> bool,
) -> Verdict {
    let of_view = of_view(stage);
    let is_found = !of_view.is_empty() && stage.any_instruction(|inst| is_bad(inst, &of_view));
    ensure!(!is_found, "{message} on ViewIndex");
    Ok(())
}

fn counts_of_view(stage: &Stage<'_, '_, '_>) -> Verdict {
    not_of_view(stage, "the count of vertices or primitives depends", |inst, of_view| {
        inst.op() == Op::SetMeshOutputsEXT && inst.id_operands().any(|id| of_view.contains(&id))
    })
}

fn is_indices(stage: &Stage<'_, '_, '_>, pointer: Id) -> bool {
    reached(stage, pointer).is_some_and(|(built_in, _)| is_indices_built_in(built_in))
}

fn index_places_of_view(stage: &Stage<'_, '_, '_>) -> Verdict {
    not_of_view(stage, "the place of a primitive's indices depends", |inst, of_view| {
        is_access_chain(inst.op())
            && inst.ids_from(1).iter().any(|id| of_view.contains(&id))
            && is_indices(stage, inst.id(0))
    })
}

fn index_values_of_view(stage: &Stage<'_, '_, '_>) -> Verdict {
    not_of_view(stage, "an index of a primitive's vertex depends", |inst, of_view| {
        inst.op() == Op::Store && of_view.contains(&inst.id(1)) && is_indices(stage, inst.id(0))
    })
}

fn memory_of_view(stage: &Stage<'_, '_, '_>) -> Verdict {
    not_of_view(stage, "an index into memory of the workgroup or invocation depends", |inst, of_view| {
        let class = |pointer| stage.cx.pointer_value(pointer).map(|(class, _)| class);
        is_access_chain(inst.op())
            && inst.ids_from(1).iter().any(|id| of_view.contains(&id))
            && matches!(class(inst.id(0)), Ok(StorageClass::Workgroup | StorageClass::Private))
    })
}

pub(crate) fn is_indices_built_in(built_in: BuiltIn) -> bool {
    matches!(
        built_in,
        BuiltIn::PrimitivePointIndicesEXT
            | BuiltIn::PrimitiveLineIndicesEXT
            | BuiltIn::PrimitiveTriangleIndicesEXT
    )
}
