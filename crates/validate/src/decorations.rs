//! What is decorated, named and set, how often (SPIR-V, 2.16.1, 3.6, 3.20); checked with
//! [`Environment::strict`](crate::Environment::strict), as no compiler needs it.

use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{BuiltIn, Capability, Decoration, ExecutionMode, Op, StorageClass};
use pyro_spirv::{Id, Instruction, NewerOp, Type};
use std::collections::HashSet;

type Rule = fn(&Context<'_, '_>, &Target<'_>) -> Verdict;

/// A decoration of an id or of a member.
struct Target<'m> {
    inst: Instruction<'m>,
    id: Id,
    member: Option<u32>,
    kind: Decoration,
}

/// The rules: the name that a finding has, and the check.
const RULES: &[(&str, Rule)] = &[
    ("OpMemberDecorate", member_exists),
    ("Block", block_target),
    ("ArrayStride", stride_target),
    ("RowMajor", matrix_target),
    ("SpecId", spec_id_target),
    ("BuiltIn", built_in_target),
    ("RelaxedPrecision", precision_target),
    ("DescriptorSet", variable_only),
    ("Interpolation decorations", memory_object_target),
    ("BufferBlock", buffer_block_version),
    ("Memory decorations", memory_decoration_target),
];

/// Checks decorations, names and execution modes.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let mut seen = HashSet::new();
    let mut modes = HashSet::new();
    for inst in cx.module.global_insts() {
        if cx.is_full() {
            return;
        }
        match inst.op() {
            Op::Decorate | Op::DecorateId | Op::MemberDecorate => decoration(cx, inst, &mut seen),
            Op::MemberName => {
                if let Err(message) = member_of_struct(cx, inst.id(0), inst.word(1)) {
                    cx.report("OpMemberName", inst.index(), message);
                }
            }
            Op::ExecutionMode | Op::ExecutionModeId => mode(cx, inst, &mut modes),
            Op::EntryPoint => entry_point(cx, inst),
            Op::TypeStruct => built_in_members(cx, inst),
            Op::TypeInt | Op::TypeFloat => width(cx, inst),
            Op::Constant | Op::SpecConstant => constant_width(cx, inst),
            _ => {}
        }
    }
    workgroup_size(cx);
}

fn decoration(cx: &Context<'_, '_>, inst: Instruction<'_>, seen: &mut HashSet<(Id, u32, u32, u32)>) {
    let at = if inst.op() == Op::MemberDecorate { 2 } else { 1 };
    let member = (at == 2).then(|| inst.word(1));
    let Some(kind) = Decoration::from_u32(inst.word(at)) else { return };
    let target = Target { inst, id: inst.id(0), member, kind };
    // These may be given several times, with other operands.
    let is_many =
        matches!(kind, Decoration::FuncParamAttr | Decoration::UserSemantic | Decoration::UserTypeGOOGLE);
    let key = if is_many { inst.index().as_u32() } else { 0 };
    if !seen.insert((target.id, member.map_or(0, |member| member.saturating_add(1)), kind as u32, key)) {
        cx.report("Decorations are given once", inst.index(), format!("{kind:?} is given a second time"));
    }
    // What a group's members are, each of them would have to be asked.
    if cx.op_of(target.id) == Op::DecorationGroup {
        return;
    }
    for (rule, function) in RULES {
        if let Err(message) = function(cx, &target) {
            cx.report(rule, inst.index(), message);
        }
    }
}

fn member_of_struct(cx: &Context<'_, '_>, ty: Id, member: u32) -> Verdict {
    let Type::Struct { members } = cx.ty(ty) else { return Err(format!("{ty} is not a structure")) };
    ensure!((member as usize) < members.len(), "member {member} of {} does not exist", members.len());
    Ok(())
}

fn member_exists(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    target.member.map_or(Ok(()), |member| member_of_struct(cx, target.id, member))
}

fn block_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_struct = matches!(cx.ty(target.id), Type::Struct { .. }) && target.member.is_none();
    let is_block = matches!(target.kind, Decoration::Block | Decoration::BufferBlock);
    ensure!(!is_block || is_struct, "{:?} is on something that is not a structure", target.kind);
    Ok(())
}

fn stride_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let has_stride = matches!(
        cx.ty(target.id),
        Type::Array { .. } | Type::RuntimeArray { .. } | Type::Pointer { .. } | Type::UntypedPointer { .. }
    );
    let is_fine = has_stride && target.member.is_none();
    ensure!(
        target.kind != Decoration::ArrayStride || is_fine,
        "the target is neither an array nor a pointer type"
    );
    Ok(())
}

fn matrix_target(_cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_of_members =
        matches!(target.kind, Decoration::RowMajor | Decoration::ColMajor | Decoration::MatrixStride);
    ensure!(!is_of_members || target.member.is_some(), "{:?} is for members", target.kind);
    Ok(())
}

fn spec_id_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_constant =
        matches!(cx.op_of(target.id), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
            || cx.module.definition(target.id).and_then(Instruction::newer)
                == Some(NewerOp::SpecConstantData);
    ensure!(
        target.kind != Decoration::SpecId || is_constant && target.member.is_none(),
        "the target is not a scalar specialization constant or OpSpecConstantDataKHR"
    );
    Ok(())
}

fn built_in_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    if target.kind != Decoration::BuiltIn || target.member.is_some() {
        return Ok(());
    }
    let is_size = target.inst.get_word(2) == Some(BuiltIn::WorkgroupSize as u32);
    let is_fine = cx.module.global(target.id).is_some() || is_size && cx.is_constant(target.id);
    ensure!(is_fine, "the target is not a variable");
    Ok(())
}

fn precision_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_type = cx
        .module
        .definition(target.id)
        .is_some_and(|inst| inst.info().class == pyro_spirv::grammar::OpClass::Type);
    ensure!(
        target.kind != Decoration::RelaxedPrecision || target.member.is_some() || !is_type,
        "RelaxedPrecision is on a type"
    );
    Ok(())
}

fn is_memory_object(cx: &Context<'_, '_>, id: Id) -> bool {
    matches!(
        cx.op_of(id),
        Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter | Op::RawAccessChainNV
    )
}

fn variable_only(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_one = matches!(
        target.kind,
        Decoration::DescriptorSet | Decoration::Binding | Decoration::InputAttachmentIndex
    );
    let is_fine = target.member.is_none() && is_memory_object(cx, target.id);
    ensure!(!is_one || is_fine, "{:?} is on something that is not a variable", target.kind);
    Ok(())
}

fn memory_object_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_one = matches!(
        target.kind,
        Decoration::Flat
            | Decoration::NoPerspective
            | Decoration::Centroid
            | Decoration::Sample
            | Decoration::Patch
            | Decoration::PerPrimitiveEXT
            | Decoration::Component
            | Decoration::Index
            | Decoration::Location
    );
    let is_fine = match target.member {
        Some(_) => target.kind != Decoration::Index,
        None => is_memory_object(cx, target.id),
    };
    ensure!(!is_one || is_fine, "{:?} is on something that is not a variable", target.kind);
    Ok(())
}

fn memory_decoration_target(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_one = matches!(
        target.kind,
        Decoration::NonWritable
            | Decoration::NonReadable
            | Decoration::Coherent
            | Decoration::Volatile
            | Decoration::Restrict
            | Decoration::Aliased
    );
    let is_fine = if target.member.is_some() {
        target.kind != Decoration::Aliased
    } else {
        is_memory_object(cx, target.id)
    };
    ensure!(!is_one || is_fine, "{:?} is on something that is not a variable or a parameter", target.kind);
    Ok(())
}

fn buffer_block_version(cx: &Context<'_, '_>, target: &Target<'_>) -> Verdict {
    let is_old = cx.module.header().version() < (1, 4);
    ensure!(target.kind != Decoration::BufferBlock || is_old, "BufferBlock ended with SPIR-V 1.3");
    Ok(())
}

/// Modes that may be given once for each width.
fn is_for_widths(mode: ExecutionMode) -> bool {
    matches!(
        mode,
        ExecutionMode::DenormPreserve
            | ExecutionMode::DenormFlushToZero
            | ExecutionMode::SignedZeroInfNanPreserve
            | ExecutionMode::RoundingModeRTE
            | ExecutionMode::RoundingModeRTZ
            | ExecutionMode::FPFastMathDefault
    )
}

fn mode(cx: &Context<'_, '_>, inst: Instruction<'_>, seen: &mut HashSet<(Id, u32, u32)>) {
    let Some(mode) = ExecutionMode::from_u32(inst.word(1)) else { return };
    let operands = &inst.operand_words()[2..];
    let key = if is_for_widths(mode) { operands.first().copied().unwrap_or(0) } else { 0 };
    if !seen.insert((inst.id(0), mode as u32, key)) {
        cx.report("Execution modes are given once", inst.index(), format!("{mode:?} is given a second time"));
    }
    // A constant decorated WorkgroupSize overrides the mode.
    let is_overridden = || {
        let mut globals = cx.module.global_insts().filter_map(|inst| inst.result());
        globals.any(|id| cx.module.built_in(id) == Some(BuiltIn::WorkgroupSize))
    };
    if mode == ExecutionMode::LocalSize && operands.contains(&0) && !is_overridden() {
        cx.report("LocalSize", inst.index(), "a workgroup has no invocations");
    }
    if inst.op() == Op::ExecutionModeId {
        for &id in operands {
            if !cx.is_constant(Id::from_u32(id)) && mode != ExecutionMode::FPFastMathDefault {
                cx.report("OpExecutionModeId", inst.index(), format!("%{id} is not a constant"));
            }
        }
        if let (ExecutionMode::FPFastMathDefault, &[ty, flags]) = (mode, operands) {
            if !matches!(cx.ty(Id::from_u32(ty)), Type::Float { .. }) {
                cx.report("FPFastMathDefault", inst.index(), format!("%{ty} is not a floating-point type"));
            }
            if cx.op_of(Id::from_u32(flags)) != Op::Constant {
                cx.report("FPFastMathDefault", inst.index(), format!("%{flags} is not a fixed constant"));
            }
        }
    }
}

fn entry_point(cx: &Context<'_, '_>, inst: Instruction<'_>) {
    if cx.module.header().version() < (1, 4) {
        return;
    }
    let mut seen = HashSet::new();
    let entry = cx.module.entry_point_at(inst.index());
    for id in entry.into_iter().flat_map(|entry| entry.interface.iter()) {
        if !seen.insert(id) {
            cx.report("OpEntryPoint", inst.index(), format!("the interface lists {id} twice"));
        }
    }
}

fn built_in_members(cx: &Context<'_, '_>, inst: Instruction<'_>) {
    let Some(ty) = inst.result() else { return };
    let count = inst.ids_from(0).len();
    let found: HashSet<_> = cx
        .module
        .all_decorations(ty)
        .filter(|found| found.kind == Decoration::BuiltIn)
        .filter_map(|found| found.member)
        .collect();
    if !found.is_empty() && found.len() < count {
        let message = format!("{} of {count} members are built-ins", found.len());
        cx.report("BuiltIn", inst.index(), message);
    }
}

/// Numbers of 8, 16 and 64 bits need a capability: of arithmetic, or of storage.
fn width(cx: &Context<'_, '_>, inst: Instruction<'_>) {
    let any = |needed: &[Capability]| needed.iter().any(|&capability| cx.has_capability(capability));
    let is_stored = |bits: u32| {
        // Every capability about storage of that width, also those that imply it.
        let names = cx.module.capabilities().iter().map(|capability| format!("{capability:?}"));
        let marks: &[&str] = match bits {
            8 => &["8BitAccess", "StoragePushConstant8", "Layout8Bit"],
            _ => &[
                "16BitAccess",
                "StoragePushConstant16",
                "StorageInputOutput16",
                "StorageUniform16",
                "StorageUniformBufferBlock16",
            ],
        };
        let names: Vec<String> = names.collect();
        names.iter().any(|name| marks.iter().any(|mark| name.contains(mark)))
    };
    let is_fine = match (inst.op(), inst.word(0)) {
        (Op::TypeInt, 8) => {
            any(&[Capability::Int8, Capability::Kernel]) || is_stored(8) || has_implied(cx, "Int8")
        }
        (Op::TypeInt, 16) => {
            any(&[Capability::Int16, Capability::Kernel]) || is_stored(16) || has_amd_int16(cx)
        }
        (Op::TypeInt, 64) => {
            any(&[Capability::Int64, Capability::Int64Atomics, Capability::Int64ImageEXT])
                || has_implied(cx, "Int64")
        }
        (Op::TypeFloat, 16) if inst.get_word(1).is_none() => {
            any(&[Capability::Float16, Capability::Float16Buffer, Capability::Kernel])
                || is_stored(16)
                || cx.module.has_extension("SPV_AMD_gpu_shader_half_float")
        }
        (Op::TypeFloat, 64) => any(&[Capability::Float64]),
        _ => true,
    };
    if !is_fine {
        let message = format!("numbers of {} bits need a capability", inst.word(0));
        cx.report("Capabilities", inst.index(), message);
    }
}

/// Storage of narrow numbers gives no constants of them.
fn constant_width(cx: &Context<'_, '_>, inst: Instruction<'_>) {
    let is_fine = match inst.result_type().map(|ty| cx.ty(ty)) {
        Some(Type::Int { width: 8, .. }) => cx.has_capability(Capability::Int8) || has_implied(cx, "Int8"),
        Some(Type::Int { width: 16, .. }) => cx.has_capability(Capability::Int16) || has_amd_int16(cx),
        Some(Type::Float { width: 16, encoding: None }) => {
            cx.has_capability(Capability::Float16) || cx.module.has_extension("SPV_AMD_gpu_shader_half_float")
        }
        _ => true,
    };
    if !is_fine && !cx.has_capability(Capability::Kernel) {
        cx.report("Capabilities", inst.index(), "constants of 8 and 16 bits need Int8, Int16 or Float16");
    }
}

fn has_amd_int16(cx: &Context<'_, '_>) -> bool {
    cx.module.has_extension("SPV_AMD_gpu_shader_int16")
}

/// Capabilities that are about numbers of a width without having it in the grammar.
fn has_implied(cx: &Context<'_, '_>, width: &str) -> bool {
    let dots = ["DotProductInput4x8Bit", "CooperativeMatrix", "CooperativeVector", "Tensor"];
    cx.module.capabilities().iter().any(|capability| {
        let name = format!("{capability:?}");
        name.contains(width) || dots.iter().any(|dot| name.starts_with(dot)) && width == "Int8"
    })
}

fn workgroup_size(cx: &Context<'_, '_>) {
    for inst in cx.module.global_insts() {
        let Some(id) = inst.result().filter(|&id| cx.is_constant(id)) else { continue };
        if cx.module.built_in(id) != Some(BuiltIn::WorkgroupSize) {
            continue;
        }
        let Some(value) = cx.constants.get(id) else { continue };
        let sides = (0..3).filter_map(|index| cx.constants.scalar_of(cx.constants.element(value, index)?));
        // Specialization may still change others.
        if inst.op() == Op::ConstantComposite && sides.into_iter().any(|side| side == 0) {
            cx.report("WorkgroupSize", inst.index(), "a workgroup has no invocations");
        }
        let is_vector = inst
            .result_type()
            .and_then(|ty| cx.shape(ty))
            .is_some_and(|shape| shape.count() == 3 && shape.is_int() && shape.width() == 32);
        if !is_vector {
            cx.report("VUID-WorkgroupSize-WorkgroupSize-04427", inst.index(), "WorkgroupSize is not a uvec3");
        }
    }
    // Blocks' members that are built-ins make their structure a block.
    for variable in cx.module.globals() {
        let is_interface = matches!(variable.class, StorageClass::Input | StorageClass::Output);
        let Some(ty) = variable.value_type.filter(|_| is_interface).map(|ty| cx.module.strip_arrays(ty))
        else {
            continue;
        };
        let is_struct = matches!(cx.ty(ty), Type::Struct { .. });
        let has_built_ins = cx.module.all_decorations(ty).any(|found| found.kind == Decoration::BuiltIn);
        if is_struct && has_built_ins && !cx.module.has_decoration(ty, Decoration::Block) {
            let message = "a structure with built-in members is not decorated Block";
            cx.report("VUID-StandaloneSpirv-Location-04919", variable.inst.index(), message);
        }
    }
}
