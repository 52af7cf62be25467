//! Rules on operands of ray and mesh instructions that are constant.

use crate::context::{Context, Verdict, ensure};
use crate::vulkan::instruction::{Applies, Rule};
use pyro_spirv::spirv::{Capability, Op, RayFlags};
use pyro_spirv::{Id, Instruction, Type};

/// The rules: VUID, which opcodes it is about, and the check.
pub(crate) const RULES: &[(&str, Applies, Rule)] = &[
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06348", is_query, finite_ray),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06349", is_query, non_negative_range),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06350", is_query, ordered_range),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06351", is_query, no_nan),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06889", is_query, skips_one),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06890", is_query, culls_one),
    ("VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06891", is_query, opacity_one),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06355", is_trace, finite_ray),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06356", is_trace, non_negative_range),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06357", is_trace, ordered_range),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06358", is_trace, no_nan),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06552", is_trace, skips_one),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06892", is_trace, culls_one),
    ("VUID-RuntimeSpirv-OpTraceRayKHR-06893", is_trace, opacity_one),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06361", is_motion, finite_ray),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06362", is_motion, non_negative_range),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06363", is_motion, ordered_range),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06364", is_motion, no_nan),
    ("VUID-RuntimeSpirv-OpTraceRayMotionNV-06366", is_motion, time),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07705", is_hit_object_nv, finite_ray),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07706", is_hit_object_nv, non_negative_range),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07707", is_hit_object_nv, ordered_range),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07708", is_hit_object_nv, no_nan),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07710", |op| op == Op::HitObjectTraceRayMotionNV, time),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07712", is_hit_object_nv, skips_one),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07713", is_hit_object_nv, culls_one),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07714", is_hit_object_nv, opacity_one),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11878", is_hit_object, finite_ray),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11879", is_hit_object, non_negative_range),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11880", is_hit_object, ordered_range),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11881", is_hit_object, no_nan),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11882", is_hit_object_motion, time),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11883", is_hit_object, skips_one),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11884", is_hit_object, culls_one),
    ("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11885", is_hit_object, opacity_one),
    (
        "VUID-RuntimeSpirv-maxShaderBindingTableRecordIndex-11888",
        |op| op == Op::HitObjectSetShaderBindingTableRecordIndexEXT,
        record_index,
    ),
    ("VUID-RuntimeSpirv-RayTracingOpacityMicromapKHR-11542", has_ray_flags, opacity_micromap),
    ("VUID-RuntimeSpirv-OpReportIntersectionKHR-06998", |op| op == Op::ReportIntersectionKHR, hit_kind),
    ("VUID-RuntimeSpirv-TaskEXT-07299", is_emit, |cx, inst| emitted(cx, inst, 0, "maxMeshWorkGroupCount[0]")),
    ("VUID-RuntimeSpirv-TaskEXT-07300", is_emit, |cx, inst| emitted(cx, inst, 1, "maxMeshWorkGroupCount[1]")),
    ("VUID-RuntimeSpirv-TaskEXT-07301", is_emit, |cx, inst| emitted(cx, inst, 2, "maxMeshWorkGroupCount[2]")),
    ("VUID-RuntimeSpirv-TaskEXT-07302", is_emit, emitted_total),
];

fn is_query(op: Op) -> bool {
    op == Op::RayQueryInitializeKHR
}

fn is_trace(op: Op) -> bool {
    op == Op::TraceRayKHR
}

fn is_motion(op: Op) -> bool {
    op == Op::TraceRayMotionNV
}

fn is_hit_object_nv(op: Op) -> bool {
    matches!(op, Op::HitObjectTraceRayNV | Op::HitObjectTraceRayMotionNV)
}

fn is_hit_object_motion(op: Op) -> bool {
    matches!(op, Op::HitObjectTraceRayMotionEXT | Op::HitObjectTraceMotionReorderExecuteEXT)
}

fn is_hit_object(op: Op) -> bool {
    is_hit_object_motion(op) || matches!(op, Op::HitObjectTraceRayEXT | Op::HitObjectTraceReorderExecuteEXT)
}

fn has_ray_flags(op: Op) -> bool {
    is_query(op) || is_trace(op) || is_motion(op) || is_hit_object_nv(op) || is_hit_object(op)
}

fn is_emit(op: Op) -> bool {
    op == Op::EmitMeshTasksEXT
}

/// Where a ray's flags, origin, least distance, direction and greatest distance stand.
fn positions(op: Op) -> [usize; 5] {
    // A query and a hit object have themselves first; what traces has offsets and a stride behind the mask.
    if is_query(op) {
        [2, 4, 5, 6, 7]
    } else if is_hit_object(op) || is_hit_object_nv(op) {
        [2, 7, 8, 9, 10]
    } else {
        [1, 6, 7, 8, 9]
    }
}

/// The components of a constant that is a 32-bit float or a vector of such.
fn floats(cx: &Context<'_, '_>, id: Option<Id>) -> Vec<f32> {
    let Some(value) = id.and_then(|id| cx.constants.get(id)) else { return Vec::new() };
    let is_float = id
        .and_then(|id| cx.value_shape(id).ok())
        .is_some_and(|shape| shape.component == Type::Float { width: 32, encoding: None });
    if !is_float {
        return Vec::new();
    }
    let of = |value| cx.constants.scalar_of(value).map(|bits| f32::from_bits(bits as u32));
    match of(value) {
        Some(number) => vec![number],
        None => (0..4).map_while(|index| cx.constants.element(value, index)).filter_map(of).collect(),
    }
}

fn finite_ray(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let [_, origin, _, direction, _] = positions(inst.op());
    for number in [origin, direction].into_iter().flat_map(|at| floats(cx, inst.get_id(at))) {
        ensure!(number.is_finite(), "a component of the ray is {number}");
    }
    Ok(())
}

fn non_negative_range(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let [_, _, least, _, greatest] = positions(inst.op());
    for number in [least, greatest].into_iter().flat_map(|at| floats(cx, inst.get_id(at))) {
        // What is not a number, another rule is about.
        ensure!(number.is_nan() || number >= 0.0, "a distance is {number}");
    }
    Ok(())
}

fn ordered_range(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let [_, _, least, _, greatest] = positions(inst.op());
    if let (&[least], &[greatest]) = (&*floats(cx, inst.get_id(least)), &*floats(cx, inst.get_id(greatest))) {
        let is_fine = least.is_nan() || greatest.is_nan() || least <= greatest;
        ensure!(is_fine, "the least distance is {least}, the greatest {greatest}");
    }
    Ok(())
}

fn no_nan(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let [_, rest @ ..] = positions(inst.op());
    let is_nan = rest.into_iter().flat_map(|at| floats(cx, inst.get_id(at))).any(f32::is_nan);
    ensure!(!is_nan, "an operand is not a number");
    Ok(())
}

fn at_most_one(cx: &Context<'_, '_>, inst: Instruction<'_>, flags: RayFlags) -> Verdict {
    let found = inst.get_id(positions(inst.op())[0]).and_then(|id| cx.constants.unsigned(id)).unwrap_or(0);
    let found = RayFlags::from_bits_retain(found).intersection(flags);
    let names: Vec<_> = found.iter_names().map(|(name, _)| name.trim_end_matches("_KHR")).collect();
    ensure!(names.len() <= 1, "the ray flags {} exclude one another", names.join(" and "));
    Ok(())
}

fn skips_one(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    at_most_one(cx, inst, RayFlags::SKIP_TRIANGLES_KHR | RayFlags::SKIP_AAB_BS_KHR)
}

fn culls_one(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let flags = RayFlags::SKIP_TRIANGLES_KHR
        | RayFlags::CULL_BACK_FACING_TRIANGLES_KHR
        | RayFlags::CULL_FRONT_FACING_TRIANGLES_KHR;
    at_most_one(cx, inst, flags)
}

fn opacity_one(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let flags = RayFlags::OPAQUE_KHR
        | RayFlags::NO_OPAQUE_KHR
        | RayFlags::CULL_OPAQUE_KHR
        | RayFlags::CULL_NO_OPAQUE_KHR;
    at_most_one(cx, inst, flags)
}

fn time(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    // It follows the greatest distance.
    let [.., greatest] = positions(inst.op());
    for time in floats(cx, inst.get_id(greatest + 1)) {
        ensure!((0.0..=1.0).contains(&time), "the time {time} is not between 0 and 1");
    }
    Ok(())
}

fn record_index(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let index = inst.get_id(1).and_then(|id| cx.constants.unsigned(id)).unwrap_or(0);
    cx.at_most("the record's index", index.into(), "maxShaderBindingTableRecordIndex")
}

/// `ForceOpacityMicromap2StateKHR`; the grammar knows it by the name of the extension that it comes from.
const FORCE_TWO_STATES: u32 = 0x400;

fn opacity_micromap(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let flags = inst.get_id(positions(inst.op())[0]).and_then(|id| cx.constants.unsigned(id)).unwrap_or(0);
    let has_capability = cx.has_capability(Capability::RayTracingOpacityMicromapEXT);
    ensure!(
        flags & FORCE_TWO_STATES == 0 || has_capability,
        "the flag ForceOpacityMicromap2State needs the capability RayTracingOpacityMicromap"
    );
    Ok(())
}

fn hit_kind(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let kind = inst.get_id(1).and_then(|id| cx.constants.unsigned(id)).unwrap_or(0);
    ensure!(kind <= 127, "the hit kind {kind} is above 127");
    Ok(())
}

fn count(cx: &Context<'_, '_>, inst: Instruction<'_>, dimension: usize) -> Option<u64> {
    cx.constants.unsigned(inst.get_id(dimension)?).map(u64::from)
}

fn emitted(cx: &Context<'_, '_>, inst: Instruction<'_>, dimension: usize, limit: &str) -> Verdict {
    cx.at_most("the count of mesh workgroups", count(cx, inst, dimension).unwrap_or(0), limit)
}

fn emitted_total(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Verdict {
    let counts: Option<Vec<u64>> = (0..3).map(|dimension| count(cx, inst, dimension)).collect();
    let total = counts.unwrap_or_default().into_iter().fold(1, u64::saturating_mul);
    cx.at_most("the count of mesh workgroups", total, "maxMeshWorkGroupTotalCount")
}
