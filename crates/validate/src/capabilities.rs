//! What instructions and enumerants need is declared (SPIR-V, 2.16.1 and 3.31).

use crate::context::Context;
use pyro_spirv::Instruction;
use pyro_spirv::grammar::{self, OperandKind};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionModel, Op};
use std::collections::{HashMap, HashSet};

const RULE: &str = "Capabilities";

/// Each instruction and each enumerant that it names has a capability that allows it.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let declared = declared(cx);
    let is_allowed = |needed: &[Capability]| {
        needed.is_empty() || needed.iter().any(|capability| declared.contains(capability))
    };
    // Modules repeat few enumerants many times.
    let mut known: HashMap<(OperandKind, u32), bool> = HashMap::new();
    let mut has_clusters = None;
    for inst in cx.module.insts() {
        if cx.is_full() {
            return;
        }
        let info = inst.info();
        if !is_allowed(info.capabilities) {
            cx.report(RULE, inst.index(), format!("it needs one of {:?}", info.capabilities));
        }
        let newer = inst.newer_capabilities();
        let is_cluster = needs_cluster_culling(inst);
        if !is_cluster
            && !newer.is_empty()
            && !newer.iter().any(|&value| cx.module.has_capability_value(value))
        {
            let name = |value: &u32| grammar::enumerant_name(OperandKind::Capability, *value);
            let names: Vec<String> = newer.iter().filter_map(name).collect();
            cx.report(RULE, inst.index(), format!("it needs one of {names:?}"));
        }
        if is_cluster && !*has_clusters.get_or_insert_with(|| cx.module.has_cluster_culling_capability()) {
            let message = "it needs the capability ClusterCullingShadingHUAWEI";
            cx.report(RULE, inst.index(), message.to_owned());
        }
        if info.takes_only_ids() || inst.op() == Op::Capability {
            continue;
        }
        for operand in inst.operands() {
            let (kind, value) = (operand.kind, operand.words[0]);
            if operand.id().is_some() || is_exempt(kind, value) {
                continue;
            }
            let allowed = *known.entry((kind, value)).or_insert_with(|| {
                // Each bit of a mask has needs of its own.
                let bits: Vec<u32> = match grammar::is_mask(kind) {
                    true => (0..32).map(|bit| 1 << bit).filter(|bit| value & bit != 0).collect(),
                    false => vec![value],
                };
                bits.into_iter().all(|bit| is_allowed(&grammar::enumerant_capabilities(kind, bit)))
            });
            if !allowed {
                let name = grammar::enumerant_name(kind, value).unwrap_or_default();
                let needed = grammar::enumerant_capabilities(kind, value);
                cx.report(RULE, inst.index(), format!("{name} needs one of {needed:?}"));
            }
        }
    }
}

/// Whether it is a part of `SPV_HUAWEI_cluster_culling_shader`, which the grammar lacks.
fn needs_cluster_culling(inst: Instruction<'_>) -> bool {
    let is_output = |place: usize| {
        let words = inst.operand_words();
        words.get(place) == Some(&(Decoration::BuiltIn as u32))
            && words.get(place + 1).is_some_and(|&value| {
                let range = BuiltIn::IndexCountHUAWEI as u32..=BuiltIn::ClusterShadingRateHUAWEI as u32;
                range.contains(&value)
            })
    };
    match inst.op() {
        Op::EntryPoint => inst.word(0) == ExecutionModel::ClusterCullingHUAWEI as u32,
        Op::Decorate => is_output(1),
        Op::MemberDecorate => is_output(2),
        _ => inst.dispatches_cluster(),
    }
}

/// Declaring these built-ins needs no capability, only using them does; a group operation is allowed by
/// what allows its instruction.
fn is_exempt(kind: OperandKind, value: u32) -> bool {
    if kind == OperandKind::GroupOperation {
        return true;
    }
    let built_ins = [BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];
    kind == OperandKind::BuiltIn && built_ins.iter().any(|&built_in| built_in as u32 == value)
}

/// The declared capabilities and all that these imply.
pub(crate) fn declared(cx: &Context<'_, '_>) -> HashSet<Capability> {
    let mut declared = HashSet::new();
    let mut pending = cx.module.capabilities().to_vec();
    while let Some(capability) = pending.pop() {
        if declared.insert(capability) {
            pending.extend(grammar::enumerant_capabilities(OperandKind::Capability, capability as u32));
        }
    }
    declared
}
