//! Rules on entry points: their interfaces, and what their call trees may contain in each stage.

use super::variable::INTERPOLATION;
use crate::context::{Verdict, ensure};
use crate::stage_memory::WORKGROUP_STAGES;
use crate::vulkan::entry_point::{Rule, Stage, StageRule};
use crate::vulkan::instruction::Applies;
use pyro_interface::link;
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{Decoration, ExecutionMode, ExecutionModel as Model, Op, Scope, StorageClass};
use pyro_spirv::{GlobalVariable, Instruction, Type};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-None-10685", workgroup_size),
    ("VUID-StandaloneSpirv-None-04644", output_stage),
    ("VUID-StandaloneSpirv-OpEntryPoint-06674", one_push_constant_block),
    ("VUID-StandaloneSpirv-OpEntryPoint-08721", inputs_overlap),
    ("VUID-StandaloneSpirv-OpEntryPoint-08722", outputs_overlap),
    ("VUID-StandaloneSpirv-Flat-06201", interpolated_output),
    ("VUID-StandaloneSpirv-Flat-06202", interpolated_attribute),
    ("VUID-StandaloneSpirv-Flat-04744", flat_integers),
    ("VUID-StandaloneSpirv-PerVertexKHR-06777", per_vertex_stage),
    ("VUID-StandaloneSpirv-Input-06778", per_vertex_array),
    ("VUID-StandaloneSpirv-MeshEXT-07330", mesh_vertices),
    ("VUID-StandaloneSpirv-MeshEXT-07331", mesh_primitives),
    ("VUID-StandaloneSpirv-DerivativeGroupQuadsKHR-10151", derivative_quads),
    ("VUID-StandaloneSpirv-DerivativeGroupLinearKHR-10152", derivative_linear),
];

/// Rules on the instructions in an entry point's call tree.
pub(crate) const STAGE_RULES: &[(&str, Applies, StageRule)] = &[
    ("VUID-StandaloneSpirv-None-04637", is_control_barrier, workgroup_execution),
    ("VUID-StandaloneSpirv-None-07321", has_memory_scope, workgroup_memory_scope),
    ("VUID-StandaloneSpirv-None-04640", has_memory_scope, shader_call_scope),
    ("VUID-StandaloneSpirv-OpControlBarrier-04682", is_control_barrier, barrier_scope),
    ("VUID-StandaloneSpirv-HitAttributeKHR-04703", |op| op == Op::Store, hit_attribute_write),
];

/// Barriers that invocations wait at, or say that they have come to.
fn is_control_barrier(op: Op) -> bool {
    matches!(op, Op::ControlBarrier | Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL)
}

fn workgroup_size(stage: &Stage<'_, '_, '_>) -> Verdict {
    let has_workgroups = WORKGROUP_STAGES.contains(&stage.model());
    let is_known = stage.interface.workgroup_size.is_some()
        || [ExecutionMode::LocalSize, ExecutionMode::LocalSizeId, ExecutionMode::TileShadingRateQCOM]
            .iter()
            .any(|&mode| stage.has_mode(mode));
    ensure!(
        !has_workgroups || is_known,
        "neither an execution mode nor WorkgroupSize gives the workgroup size"
    );
    Ok(())
}

fn output_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let has_none = stage.model() == Model::GLCompute || RAY_TRACING_STAGES.contains(&stage.model());
    let is_used = stage.count(StorageClass::Output) != 0;
    ensure!(!has_none || !is_used, "{:?} shaders have no outputs", stage.model());
    Ok(())
}

fn one_push_constant_block(stage: &Stage<'_, '_, '_>) -> Verdict {
    let count = stage.count(StorageClass::PushConstant);
    ensure!(count <= 1, "{count} push constant blocks are used");
    Ok(())
}

fn overlap(stage: &Stage<'_, '_, '_>, variables: &[pyro_interface::Variable]) -> Verdict {
    match link::overlap(variables) {
        Some((first, second, location)) => {
            stage.look_at(second.variable);
            let (first, second) = (first.label(), second.label());
            Err(format!("{first} and {second} share a component of location {location}"))
        }
        None => Ok(()),
    }
}

fn inputs_overlap(stage: &Stage<'_, '_, '_>) -> Verdict {
    overlap(stage, &stage.interface.inputs)
}

fn outputs_overlap(stage: &Stage<'_, '_, '_>) -> Verdict {
    overlap(stage, &stage.interface.outputs)
}

fn no_interpolation(stage: &Stage<'_, '_, '_>, model: Model, class: StorageClass) -> Verdict {
    if stage.model() != model {
        return Ok(());
    }
    for variable in stage.used().filter(|variable| variable.class == class) {
        let found = INTERPOLATION.iter().find(|&&kind| stage.cx.module.has_decoration(variable.id, kind));
        stage.look_at(variable.id);
        ensure!(found.is_none(), "{} is decorated {:?}", variable.id, found.unwrap_or(&Decoration::Flat));
    }
    Ok(())
}

fn interpolated_output(stage: &Stage<'_, '_, '_>) -> Verdict {
    no_interpolation(stage, Model::Fragment, StorageClass::Output)
}

fn interpolated_attribute(stage: &Stage<'_, '_, '_>) -> Verdict {
    no_interpolation(stage, Model::Vertex, StorageClass::Input)
}

fn flat_integers(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::Fragment {
        return Ok(());
    }
    for input in &stage.interface.inputs {
        let cannot_interpolate = input
            .leaves
            .iter()
            .any(|leaf| matches!(stage.cx.ty(leaf.scalar), Type::Int { .. } | Type::Float { width: 64, .. }));
        let is_whole = input.interpolation.flat || input.interpolation.per_vertex;
        if cannot_interpolate && !is_whole {
            stage.look_at(input.variable);
            return Err(format!(
                "the input {} has a type that cannot be interpolated, and is not Flat",
                input.label()
            ));
        }
    }
    // Built-ins of no vertex, too, though nothing interpolates them.
    let inputs = stage.interface.built_ins.iter().filter(|found| found.class == StorageClass::Input);
    for found in inputs {
        let is_whole = stage
            .cx
            .shape(stage.cx.module.strip_arrays(found.ty))
            .is_some_and(|shape| shape.is_int() || shape.is_float() && shape.width() == 64);
        let is_flat = super::builtin::has(stage, found, Decoration::Flat);
        ensure!(!is_whole || is_flat, "the built-in {:?} is not Flat", found.built_in);
    }
    Ok(())
}

fn per_vertex<'m>(stage: &Stage<'_, '_, 'm>) -> impl Iterator<Item = GlobalVariable<'m>> {
    let has =
        |variable: &GlobalVariable<'_>| stage.cx.module.has_decoration(variable.id, Decoration::PerVertexKHR);
    stage.used().filter(has).collect::<Vec<_>>().into_iter()
}

fn per_vertex_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    for variable in per_vertex(stage) {
        let is_fine = stage.model() == Model::Fragment && variable.class == StorageClass::Input;
        ensure!(
            is_fine,
            "{} is decorated PerVertexKHR, but is not an input of a fragment shader",
            variable.id
        );
    }
    Ok(())
}

fn per_vertex_array(stage: &Stage<'_, '_, '_>) -> Verdict {
    for variable in per_vertex(stage) {
        let is_array = variable
            .value_type
            .is_some_and(|ty| matches!(stage.cx.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. }));
        ensure!(is_array, "{} is decorated PerVertexKHR, but is not an array", variable.id);
    }
    Ok(())
}

fn positive_mode(stage: &Stage<'_, '_, '_>, mode: ExecutionMode) -> Verdict {
    if stage.model() != Model::MeshEXT {
        return Ok(());
    }
    let found = stage.cx.module.execution_mode(stage.entry.function, mode);
    let count = found.and_then(|mode| mode.operands.first().copied());
    ensure!(count != Some(0), "the maximum count of a mesh shader is zero");
    Ok(())
}

fn mesh_vertices(stage: &Stage<'_, '_, '_>) -> Verdict {
    positive_mode(stage, ExecutionMode::OutputVertices)
}

fn mesh_primitives(stage: &Stage<'_, '_, '_>) -> Verdict {
    positive_mode(stage, ExecutionMode::OutputPrimitivesEXT)
}

fn derivative_quads(stage: &Stage<'_, '_, '_>) -> Verdict {
    let Some([x, y, _]) = stage.interface.workgroup_size else { return Ok(()) };
    let is_even = x.is_multiple_of(2) && y.is_multiple_of(2);
    let has_quads = stage.has_mode(ExecutionMode::DerivativeGroupQuadsKHR);
    ensure!(!has_quads || is_even, "a workgroup of {x} by {y} invocations is not a whole number of quads");
    Ok(())
}

fn derivative_linear(stage: &Stage<'_, '_, '_>) -> Verdict {
    let Some(size) = stage.interface.workgroup_size else { return Ok(()) };
    let count: u64 = size.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul);
    let is_linear = stage.has_mode(ExecutionMode::DerivativeGroupLinearKHR);
    ensure!(!is_linear || count.is_multiple_of(4), "{count} invocations are not a multiple of four");
    Ok(())
}

fn scope_at(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>, position: usize) -> Option<Scope> {
    Scope::from_u32(stage.cx.constants.unsigned(inst.get_id(position)?)?)
}

fn has_memory_scope(op: Op) -> bool {
    facts(op).memory_scope.is_some()
}

fn memory_scope(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Option<Scope> {
    match inst.op() {
        Op::MemoryBarrier => scope_at(stage, inst, 0),
        Op::Store => None,
        _ => scope_at(stage, inst, 1),
    }
}

fn has_workgroup_scope(model: Model) -> bool {
    WORKGROUP_STAGES.contains(&model) || model == Model::TessellationControl
}

fn workgroup_execution(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_workgroup = is_control_barrier(inst.op()) && scope_at(stage, inst, 0) == Some(Scope::Workgroup);
    ensure!(
        !is_workgroup || has_workgroup_scope(stage.model()),
        "{:?} shaders have no workgroups",
        stage.model()
    );
    Ok(())
}

fn workgroup_memory_scope(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_workgroup = memory_scope(stage, inst) == Some(Scope::Workgroup);
    ensure!(
        !is_workgroup || has_workgroup_scope(stage.model()),
        "{:?} shaders have no workgroups",
        stage.model()
    );
    Ok(())
}

fn shader_call_scope(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_shader_call = memory_scope(stage, inst) == Some(Scope::ShaderCallKHR);
    ensure!(
        !is_shader_call || RAY_TRACING_STAGES.contains(&stage.model()),
        "{:?} shaders cannot use the scope ShaderCallKHR",
        stage.model()
    );
    Ok(())
}

fn barrier_scope(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    if !is_control_barrier(inst.op()) || has_workgroup_scope(stage.model()) {
        return Ok(());
    }
    let is_subgroup = matches!(scope_at(stage, inst, 0), None | Some(Scope::Subgroup));
    ensure!(is_subgroup, "a barrier in a {:?} shader can only be a subgroup's", stage.model());
    Ok(())
}

fn hit_attribute_write(stage: &Stage<'_, '_, '_>, inst: Instruction<'_>) -> Verdict {
    if inst.op() != Op::Store {
        return Ok(());
    }
    let class = stage.cx.pointer_value(inst.id(0)).map(|(class, _)| class);
    let is_attribute = class == Ok(StorageClass::HitAttributeKHR);
    ensure!(!is_attribute || stage.model() == Model::IntersectionKHR, "a hit attribute is written to");
    Ok(())
}
