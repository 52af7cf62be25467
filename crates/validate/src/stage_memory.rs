//! Which storage classes and ray instructions each stage has.
//!
//! Problem: the engine hands each stage the memory of its own storage classes: workgroup memory, incoming
//! payloads, hit attributes, shader records. In another stage the address is null, and compiled code would
//! write through it.
//!
//! Approach: the rules of Vulkan that say so are checked always, not only with
//! [`Environment::strict`](crate::Environment::strict), by tables. Only entry points of modules that have a
//! variable of a class foreign to them need to know what they use.
//!
//! Of several incoming payloads, or several incoming callable data, lowering gives one what was passed and
//! the others memory of their own, as other drivers do; so these two rules are checked strictly only.
//!
//! Invariant: in a [`Checked`](crate::Checked) module, a variable that an entry point uses has memory in its
//! stage, at most one variable holds hit attributes, and ray instructions are in stages that can run them.

use crate::context::Context;
use pyro_interface::used_globals;
use pyro_spirv::EntryPoint;
use pyro_spirv::facts::RAY_TRACING_STAGES;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{ExecutionModel as Model, StorageClass};
use std::collections::HashMap;

/// The stages that have workgroups.
pub(crate) const WORKGROUP_STAGES: [Model; 6] = [
    Model::GLCompute,
    Model::ClusterCullingHUAWEI,
    Model::TaskEXT,
    Model::MeshEXT,
    Model::TaskNV,
    Model::MeshNV,
];

/// By rule: a storage class and the only stages that may use variables of it.
const STAGES_OF_CLASSES: [(&str, StorageClass, &[Model]); 7] = [
    // Tessellation control shaders share by their outputs.
    ("VUID-StandaloneSpirv-None-04645", StorageClass::Workgroup, &WORKGROUP_STAGES),
    (
        "VUID-StandaloneSpirv-RayPayloadKHR-04698",
        StorageClass::RayPayloadKHR,
        &[Model::RayGenerationKHR, Model::ClosestHitKHR, Model::MissKHR],
    ),
    (
        "VUID-StandaloneSpirv-IncomingRayPayloadKHR-04699",
        StorageClass::IncomingRayPayloadKHR,
        &[Model::ClosestHitKHR, Model::AnyHitKHR, Model::MissKHR],
    ),
    (
        "VUID-StandaloneSpirv-HitAttributeKHR-04701",
        StorageClass::HitAttributeKHR,
        &[Model::IntersectionKHR, Model::AnyHitKHR, Model::ClosestHitKHR],
    ),
    (
        "VUID-StandaloneSpirv-CallableDataKHR-04704",
        StorageClass::CallableDataKHR,
        &[Model::RayGenerationKHR, Model::ClosestHitKHR, Model::MissKHR, Model::CallableKHR],
    ),
    (
        "VUID-StandaloneSpirv-IncomingCallableDataKHR-04705",
        StorageClass::IncomingCallableDataKHR,
        &[Model::CallableKHR],
    ),
    (
        "VUID-StandaloneSpirv-ShaderRecordBufferKHR-07119",
        StorageClass::ShaderRecordBufferKHR,
        &RAY_TRACING_STAGES,
    ),
];

/// By rule: a storage class of which an entry point may use one variable, and whether only strict checking
/// says so.
const SINGLE_CLASSES: [(&str, StorageClass, bool); 3] = [
    ("VUID-StandaloneSpirv-IncomingRayPayloadKHR-04700", StorageClass::IncomingRayPayloadKHR, true),
    ("VUID-StandaloneSpirv-HitAttributeKHR-04702", StorageClass::HitAttributeKHR, false),
    ("VUID-StandaloneSpirv-IncomingCallableDataKHR-04706", StorageClass::IncomingCallableDataKHR, true),
];

/// The rules of Vulkan that are checked here.
pub(crate) fn rules() -> impl Iterator<Item = &'static str> {
    STAGES_OF_CLASSES.iter().map(|(rule, ..)| *rule).chain(SINGLE_CLASSES.iter().map(|(rule, ..)| *rule))
}

/// Checks every entry point. Call trees must be known to end.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let mut counts: HashMap<StorageClass, usize> = HashMap::new();
    cx.module.globals().for_each(|variable| *counts.entry(variable.class).or_default() += 1);
    for entry in cx.module.entry_points() {
        if entry.model != Model::Kernel {
            check_variables(cx, &entry, &counts);
            check_ray_instructions(cx, &entry);
        }
    }
}

/// Checks the variables of an entry point, in a module that has so many of each storage class.
fn check_variables(cx: &Context<'_, '_>, entry: &EntryPoint<'_>, counts: &HashMap<StorageClass, usize>) {
    let count = |class| counts.get(&class).copied().unwrap_or(0);
    let is_foreign = |(_, class, stages): &(_, StorageClass, &[Model])| {
        !stages.contains(&entry.model) && count(*class) != 0
    };
    if !STAGES_OF_CLASSES.iter().any(is_foreign)
        && SINGLE_CLASSES.iter().all(|(_, class, _)| count(*class) <= 1)
    {
        return;
    }
    let mut used = used_globals(cx.module, entry.function);
    used.extend(entry.interface.iter());
    let count = |class| {
        let variables = used.iter().filter_map(|&id| cx.module.global(id));
        variables.filter(|variable| variable.class == class).count()
    };
    for (rule, class, stages) in STAGES_OF_CLASSES {
        if !stages.contains(&entry.model) && count(class) != 0 {
            let message = format!("{class:?} is used in a {:?} shader", entry.model);
            cx.report(rule, entry.inst.index(), message);
        }
    }
    for (rule, class, is_strict) in SINGLE_CLASSES {
        let count = count(class);
        if count > 1 && (cx.environment.strict || !is_strict) {
            let message = format!("{count} variables of storage class {class:?} are used");
            cx.report(rule, entry.inst.index(), message);
        }
    }
}

fn check_ray_instructions(cx: &Context<'_, '_>, entry: &EntryPoint<'_>) {
    if !RAY_TRACING_STAGES.contains(&entry.model) {
        return;
    }
    cx.module.each_in_call_tree(entry.function, |inst| {
        if !facts(inst.op()).may_run_in(entry.model) {
            let message = format!("it is in a {:?} shader, which cannot run it", entry.model);
            cx.report(inst.info().full_name(), inst.index(), message);
        }
    });
}
