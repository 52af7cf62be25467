//! The table of facts beside the grammar.

use super::*;
use crate::grammar::{OpClass, OperandKind, OperandQuantifier, table};

fn all() -> impl Iterator<Item = Op> {
    (0..8192).filter_map(Op::from_u32)
}

fn kinds(op: Op) -> Vec<OperandKind> {
    table().get(op).operands.iter().map(|operand| operand.kind).collect()
}

#[test]
fn scopes_are_where_the_grammar_has_them() {
    let mut count = 0;
    // The scope of a node's payloads says who shares them: neither who executes nor what is ordered.
    for op in all().filter(|&op| !matches!(facts(op).family, Family::Other | Family::Node)) {
        let (found, kinds) = (facts(op), kinds(op));
        let is_scope = |position: Option<usize>| position.is_none_or(|at| kinds[at] == OperandKind::IdScope);
        assert!(is_scope(found.execution_scope) && is_scope(found.memory_scope), "{op:?}");
        if let Some(at) = found.memory_scope {
            assert_eq!(kinds[at + 1], OperandKind::IdMemorySemantics, "{op:?}");
        }
        let scopes = kinds.iter().filter(|&&kind| kind == OperandKind::IdScope).count();
        let expected =
            usize::from(found.execution_scope.is_some()) + usize::from(found.memory_scope.is_some());
        assert_eq!(scopes, expected, "{op:?}");
        count += scopes;
    }
    assert!(count > 50, "{count}");
}

#[test]
fn accesses_are_through_operands_that_are_ids() {
    for op in all() {
        let (found, kinds) = (facts(op), kinds(op));
        for &at in found.reads.iter().chain(found.writes) {
            assert_eq!(kinds.get(at), Some(&OperandKind::IdRef), "{op:?}");
        }
    }
}

#[test]
fn access_chains_are_where_the_grammar_has_them() {
    let mut count = 0;
    for op in all() {
        let name = table().get(op).name;
        let found = facts(op).access_chain;
        assert_eq!(found.is_some(), name.contains("AccessChain"), "{name}");
        let Some(chain) = found else { continue };
        count += 1;
        let operands = table().get(op).operands;
        assert_eq!(operands[chain.base].kind, OperandKind::IdRef, "{name}");
        assert_eq!(chain.base == 1, name.contains("Untyped"), "{name}");
        assert_eq!(chain.element.is_some(), name.contains("Ptr"), "{name}");
        if let Some(first) = chain.indices {
            assert_eq!(operands.len(), first + 1, "{name}");
            assert_eq!(operands[first].quantifier, OperandQuantifier::ZeroOrMore, "{name}");
        }
    }
    assert_eq!(count, 9);
}

/// By the grammar: what ends a block has no result, and takes labels or is named for leaving the
/// function.
#[test]
fn exactly_the_instructions_of_ray_tracing_pipelines_name_stages() {
    for op in all() {
        let found = facts(op);
        assert_eq!(found.stages.is_empty(), found.family != Family::RayTracing, "{op:?}");
    }
    assert!(facts(Op::TerminateRayNV).may_run_in(Model::AnyHitKHR));
    assert!(!facts(Op::TraceNV).may_run_in(Model::CallableKHR));
    assert!(facts(Op::Load).may_run_in(Model::CallableKHR));
}

#[test]
fn terminators_end_blocks() {
    for op in all().filter(|&op| facts(op).is_terminator) {
        let info = table().get(op);
        assert!(!info.has_result && info.class == OpClass::Block, "{}", info.name);
    }
    assert_eq!(all().filter(|&op| facts(op).is_terminator).count(), 11);
}

/// By their names: instructions with `F` before a capital compute with floats.
#[test]
fn no_float_arithmetic_is_forgotten() {
    let is_named_so = |name: &str| {
        ["FAdd", "FSub", "FMul", "FDiv", "FRem", "FMod", "FNegate", "FOrd", "FUnord"]
            .iter()
            .any(|start| name.strip_prefix("GroupNonUniform").unwrap_or(name).starts_with(start))
    };
    for op in all().filter(|&op| is_named_so(table().get(op).name)) {
        assert!(facts(op).is_float_arithmetic, "{op:?}");
    }
}

/// By their names: what stores, writes, accumulates or is atomic writes; what loads, reads or samples
/// reads.
#[test]
fn no_access_is_forgotten() {
    let is_elsewhere = |name: &str| {
        // Kernels' instructions; writes of primitive indices and payloads are not accesses through an
        // operand.
        [
            "INTEL",
            "ALTERA",
            "Pipe",
            "PackedPrimitive",
            "AttachmentReadEXT",
            "ReadClock",
            "ReadInvocation",
            "Node",
            "MicroTriangle",
        ]
        .iter()
        .any(|part| name.contains(part))
    };
    let mut counts = [0; 2];
    for op in all().filter(|&op| table().get(op).class == OpClass::Block) {
        let (name, found) = (table().get(op).name, facts(op));
        if is_elsewhere(name) {
            continue;
        }
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        if has(&["Store", "Write", "Accumulate", "CopyMemory"]) || has(&["Atomic"]) && op != Op::AtomicLoad {
            assert!(!found.writes.is_empty(), "{name}");
            counts[0] += 1;
        }
        if has(&["Load", "Read", "ImageSample", "ImageSparseSample", "Fetch", "Gather", "CopyMemory"]) {
            assert!(!found.reads.is_empty(), "{name}");
            counts[1] += 1;
        }
    }
    assert!(counts[0] > 25 && counts[1] > 35, "{counts:?}");
}
