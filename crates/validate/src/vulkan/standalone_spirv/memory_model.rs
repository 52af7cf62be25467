//! Rules on execution and memory scopes and on memory semantics.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::Instruction;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{MemorySemantics, Op, Scope};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-StandaloneSpirv-None-04636", |op| execution_scope_position(op).is_some(), execution_scope),
    ("VUID-StandaloneSpirv-None-04638", has_memory_scope, memory_scope),
    ("VUID-StandaloneSpirv-None-04642", is_group_operation, group_scope),
    ("VUID-StandaloneSpirv-None-04641", has_memory_scope, invocation_scope),
    ("VUID-StandaloneSpirv-MemorySemantics-10865", has_memory_scope, one_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10866", has_memory_scope, no_sequential_consistency),
    ("VUID-StandaloneSpirv-MemorySemantics-10867", |op| op == Op::AtomicStore, store_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10868", |op| op == Op::AtomicLoad, load_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10869", |op| op == Op::MemoryBarrier, barrier_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10870", has_memory_scope, order_needs_class),
    ("VUID-StandaloneSpirv-MemorySemantics-10871", is_barrier, class_needs_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10872", has_memory_scope, available_order),
    ("VUID-StandaloneSpirv-MemorySemantics-10873", has_memory_scope, visible_order),
    ("VUID-StandaloneSpirv-MemorySemantics-13551", is_barrier, volatile_barrier),
    (
        "VUID-StandaloneSpirv-UnequalMemorySemantics-10875",
        |op| op == Op::AtomicCompareExchange,
        unequal_order,
    ),
    (
        "VUID-StandaloneSpirv-UnequalMemorySemantics-10879",
        |op| op == Op::AtomicCompareExchange,
        unequal_volatile,
    ),
    ("VUID-StandaloneSpirv-OpReadClockKHR-04652", |op| op == Op::ReadClockKHR, clock_scope),
    ("VUID-StandaloneSpirv-SubgroupVoteKHR-07951", has_memory_scope, subgroup_memory),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10876", is_exchange, weaker_unequal),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10877", is_exchange, fewer_classes),
    ("VUID-StandaloneSpirv-UnequalMemorySemantics-10878", is_exchange, visible_equal),
];

fn execution_scope_position(op: Op) -> Option<usize> {
    facts(op).execution_scope
}

fn memory_scope_position(op: Op) -> Option<usize> {
    facts(op).memory_scope
}

fn is_group_operation(op: Op) -> bool {
    facts(op).family == Family::Group && facts(op).execution_scope.is_some()
}

fn is_barrier(op: Op) -> bool {
    facts(op).family == Family::Barrier
}

/// Whether it has a memory scope, and with that memory semantics.
fn has_memory_scope(op: Op) -> bool {
    facts(op).memory_scope.is_some()
}

/// The semantics, when its value is known; for a compare-exchange the equal one.
fn semantics(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<MemorySemantics> {
    let position = if inst.op() == Op::MemoryBarrier { 1 } else { 2 };
    semantics_at(cx, inst, position)
}

fn semantics_at(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<MemorySemantics> {
    let bits = cx.constants.scalar(inst.get_id(position)?)?;
    Some(MemorySemantics::from_bits_retain(bits as u32))
}

const ORDERS: MemorySemantics = MemorySemantics::ACQUIRE
    .union(MemorySemantics::RELEASE)
    .union(MemorySemantics::ACQUIRE_RELEASE)
    .union(MemorySemantics::SEQUENTIALLY_CONSISTENT);

const CLASSES: MemorySemantics = MemorySemantics::UNIFORM_MEMORY
    .union(MemorySemantics::WORKGROUP_MEMORY)
    .union(MemorySemantics::IMAGE_MEMORY)
    .union(MemorySemantics::OUTPUT_MEMORY);

fn scope(cx: &Context<'_, '_>, inst: Instruction<'_>, position: usize) -> Option<Scope> {
    Scope::from_u32(u32::try_from(cx.constants.scalar(inst.get_id(position)?)?).ok()?)
}

fn execution_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    let is_allowed = matches!(found, None | Some(Scope::Workgroup | Scope::Subgroup));
    ensure!(is_allowed, "the execution scope {found:?} is neither Workgroup nor Subgroup");
    Ok(())
}

fn memory_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = memory_scope_position(inst.op()).and_then(|position| scope(cx, inst, position));
    ensure!(found != Some(Scope::CrossDevice), "the memory scope is CrossDevice");
    Ok(())
}

fn group_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    ensure!(matches!(found, None | Some(Scope::Subgroup)), "the scope {found:?} of a group is not Subgroup");
    Ok(())
}

fn invocation_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let position = memory_scope_position(inst.op());
    let is_invocation = position.and_then(|position| scope(cx, inst, position)) == Some(Scope::Invocation);
    let is_relaxed = semantics(cx, inst).is_none_or(|found| !found.intersects(ORDERS));
    ensure!(!is_invocation || is_relaxed, "memory of an invocation alone has no order");
    Ok(())
}

fn one_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let count = semantics(cx, inst).map_or(0, |found| found.intersection(ORDERS).bits().count_ones());
    ensure!(count <= 1, "{count} memory orders are given");
    Ok(())
}

fn no_sequential_consistency(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_sequential = found.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT);
    ensure!(!is_sequential, "sequential consistency does not exist in Vulkan");
    Ok(())
}

fn without(cx: &Context<'_, '_>, inst: Instruction<'_>, forbidden: MemorySemantics) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    ensure!(!found.intersects(forbidden), "the memory order does not suit the operation");
    Ok(())
}

fn store_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE)
}

fn load_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE)
}

fn barrier_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_ordered = semantics(cx, inst).is_none_or(|found| found.intersects(ORDERS));
    ensure!(is_ordered, "a memory barrier without an order does nothing");
    Ok(())
}

fn order_needs_class(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_fine =
        semantics(cx, inst).is_none_or(|found| !found.intersects(ORDERS) || found.intersects(CLASSES));
    ensure!(is_fine, "an order is given, but no storage class that it is for");
    Ok(())
}

fn class_needs_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_fine =
        semantics(cx, inst).is_none_or(|found| found.intersects(ORDERS) || !found.intersects(CLASSES));
    ensure!(is_fine, "storage classes are given, but no order");
    Ok(())
}

fn available_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_release = found.intersects(MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(
        !found.contains(MemorySemantics::MAKE_AVAILABLE) || is_release,
        "MakeAvailable without a release"
    );
    Ok(())
}

fn visible_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics(cx, inst).unwrap_or(MemorySemantics::empty());
    let is_acquire = found.intersects(MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(!found.contains(MemorySemantics::MAKE_VISIBLE) || is_acquire, "MakeVisible without an acquire");
    Ok(())
}

fn volatile_barrier(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    without(cx, inst, MemorySemantics::VOLATILE)
}

fn unequal_order(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = semantics_at(cx, inst, 3).unwrap_or(MemorySemantics::empty());
    let releases = found.intersects(MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE);
    ensure!(!releases, "a failed comparison releases nothing");
    Ok(())
}

fn unequal_volatile(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let is_volatile = |position| {
        let found = semantics_at(cx, inst, position);
        found.is_some_and(|found| found.contains(MemorySemantics::VOLATILE))
    };
    ensure!(is_volatile(2) == is_volatile(3), "only one of the two semantics is volatile");
    Ok(())
}

fn clock_scope(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let found = scope(cx, inst, 0);
    let is_allowed = matches!(found, None | Some(Scope::Subgroup | Scope::Device));
    ensure!(is_allowed, "the scope {found:?} is neither Subgroup nor Device");
    Ok(())
}

fn subgroup_memory(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let position = if inst.op() == Op::MemoryBarrier { 0 } else { 1 };
    let scope = inst.get_id(position).and_then(|id| cx.constants.unsigned(id)).and_then(Scope::from_u32);
    if scope != Some(Scope::Subgroup) {
        return Ok(());
    }
    // All group operations but these have a capability that implies GroupNonUniform.
    let has = cx.module.capabilities().iter().any(|capability| {
        let name = format!("{capability:?}");
        name.starts_with("GroupNonUniform")
            || matches!(name.as_str(), "SubgroupVoteKHR" | "SubgroupBallotKHR")
    });
    ensure!(has, "memory of a subgroup needs GroupNonUniform, SubgroupVoteKHR or SubgroupBallotKHR");
    Ok(())
}

fn is_exchange(op: Op) -> bool {
    op == Op::AtomicCompareExchange
}

fn weaker_unequal(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = both_semantics(cx, inst) else { return Ok(()) };
    ensure!(
        strength(unequal) <= strength(equal),
        "UnequalMemorySemantics has a stronger order than EqualMemorySemantics"
    );
    Ok(())
}

fn fewer_classes(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = both_semantics(cx, inst) else { return Ok(()) };
    let extra = unequal.intersection(CLASSES).difference(equal);
    ensure!(extra.is_empty(), "UnequalMemorySemantics orders {extra:?}, EqualMemorySemantics does not");
    Ok(())
}

fn visible_equal(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let Some([equal, unequal]) = both_semantics(cx, inst) else { return Ok(()) };
    let is_visible = |found: MemorySemantics| found.contains(MemorySemantics::MAKE_VISIBLE);
    ensure!(
        !is_visible(unequal) || is_visible(equal),
        "UnequalMemorySemantics has MakeVisible, EqualMemorySemantics does not"
    );
    Ok(())
}

/// How strong an order is as that of a load.
fn strength(found: MemorySemantics) -> u32 {
    let acquires = MemorySemantics::ACQUIRE | MemorySemantics::ACQUIRE_RELEASE;
    if found.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) {
        2
    } else {
        u32::from(found.intersects(acquires))
    }
}

fn both_semantics(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Option<[MemorySemantics; 2]> {
    let of = |position| inst.get_id(position).and_then(|id| cx.constants.unsigned(id));
    Some([of(2)?, of(3)?].map(MemorySemantics::from_bits_retain))
}
