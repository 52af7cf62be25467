//! Operations on subgroups (SPIR-V, 3.49.21 and 3.49.24).

use super::memory::{constant_u32, scope};
use crate::context::{Context, Verdict, ensure};
use pyro_spirv::spirv::{GroupOperation, Op};
use pyro_spirv::{Id, Instruction, Type};

pub(super) fn check<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, op: Op) -> Option<Verdict> {
    Some(match op {
        Op::GroupNonUniformElect => scoped(cx, inst).and_then(|()| boolean_result(cx, inst)),
        Op::GroupNonUniformAll | Op::GroupNonUniformAny => vote(cx, inst, 1),
        Op::SubgroupAllKHR | Op::SubgroupAnyKHR => vote(cx, inst, 0),
        Op::GroupNonUniformAllEqual => scoped(cx, inst).and_then(|()| all_equal(cx, inst, 1)),
        Op::SubgroupAllEqualKHR => all_equal(cx, inst, 0),
        Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown
        | Op::GroupNonUniformQuadBroadcast => {
            scoped(cx, inst).and_then(|()| moved(cx, inst, 1)).and_then(|()| unsigned(cx, inst.id(2)))
        }
        Op::GroupNonUniformRotateKHR => rotate(cx, inst),
        Op::SubgroupReadInvocationKHR => {
            moved(cx, inst, 0).and_then(|()| cx.int_scalar(inst.id(1)).map(|_| ()))
        }
        Op::SubgroupFirstInvocationKHR => moved(cx, inst, 0),
        Op::GroupNonUniformBroadcastFirst => scoped(cx, inst).and_then(|()| moved(cx, inst, 1)),
        Op::GroupNonUniformQuadSwap => quad_swap(cx, inst),
        Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR => vote(cx, inst, 0),
        Op::GroupNonUniformBallot => ballot(cx, inst),
        Op::SubgroupBallotKHR => boolean(cx, inst.id(0)).and_then(|()| {
            ensure!(
                is_uvec4(cx, cx.result_type(inst)?),
                "the result is not a vector of four 32-bit integers"
            );
            Ok(())
        }),
        Op::GroupNonUniformInverseBallot => inverse_ballot(cx, inst),
        Op::GroupNonUniformBallotBitExtract => ballot_bit_extract(cx, inst),
        Op::GroupNonUniformBallotBitCount => ballot_bit_count(cx, inst),
        Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => ballot_find(cx, inst),
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => reduction(cx, inst, |ty| matches!(ty, Type::Int { .. })),
        Op::GroupNonUniformFAdd
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformFMax => reduction(cx, inst, |ty| matches!(ty, Type::Float { .. })),
        Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformLogicalOr | Op::GroupNonUniformLogicalXor => {
            reduction(cx, inst, |ty| ty == Type::Bool)
        }
        _ => return None,
    })
}

fn scoped<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scope(cx, inst.id(0)).map(|_| ())
}

fn boolean_result<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    ensure!(cx.ty(cx.result_type(inst)?) == Type::Bool, "the result is not a boolean");
    Ok(())
}

fn boolean(cx: &Context<'_, '_>, value: Id) -> Verdict {
    ensure!(cx.value_type(value)? == Type::Bool, "{value} is not a boolean");
    Ok(())
}

fn unsigned(cx: &Context<'_, '_>, value: Id) -> Verdict {
    let is_unsigned = matches!(cx.value_type(value)?, Type::Int { width: 32, signed: false });
    ensure!(is_unsigned, "{value} is not a 32-bit unsigned integer");
    Ok(())
}

fn vote<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, position: usize) -> Verdict {
    if position == 1 {
        scoped(cx, inst)?;
    }
    boolean_result(cx, inst)?;
    boolean(cx, inst.id(position))
}

fn all_equal<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, position: usize) -> Verdict {
    boolean_result(cx, inst)?;
    cx.value_shape(inst.id(position)).map(|_| ())
}

/// The value has the result's type: a scalar or vector.
fn moved<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, position: usize) -> Verdict {
    cx.result_shape(inst)?;
    let is_same = cx.type_of(inst.id(position))? == cx.result_type(inst)?;
    ensure!(is_same, "the value is not of the result's type");
    Ok(())
}

fn rotate<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    moved(cx, inst, 1)?;
    unsigned(cx, inst.id(2))?;
    inst.get_id(3).map_or(Ok(()), |size| cluster_size(cx, size))
}

fn cluster_size(cx: &Context<'_, '_>, size: Id) -> Verdict {
    let size = constant_u32(cx, size, "the cluster's size")?;
    ensure!(size.is_power_of_two(), "the cluster's size {size} is not a power of two");
    Ok(())
}

fn quad_swap<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    moved(cx, inst, 1)?;
    let direction = constant_u32(cx, inst.id(2), "the direction")?;
    ensure!(direction <= 2, "the direction {direction} is not 0, 1 or 2");
    Ok(())
}

fn is_uvec4(cx: &Context<'_, '_>, ty: Id) -> bool {
    match cx.ty(ty) {
        Type::Vector { component, count: 4 } => {
            matches!(cx.ty(component), Type::Int { width: 32, signed: false })
        }
        _ => false,
    }
}

fn ballot_value(cx: &Context<'_, '_>, value: Id) -> Verdict {
    ensure!(is_uvec4(cx, cx.type_of(value)?), "{value} is not a vector of four 32-bit unsigned integers");
    Ok(())
}

fn ballot<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    boolean(cx, inst.id(1))?;
    let is_ballot = is_uvec4(cx, cx.result_type(inst)?);
    ensure!(is_ballot, "the result is not a vector of four 32-bit unsigned integers");
    Ok(())
}

fn inverse_ballot<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    boolean_result(cx, inst)?;
    ballot_value(cx, inst.id(1))
}

fn ballot_bit_extract<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    inverse_ballot(cx, inst)?;
    unsigned(cx, inst.id(2))
}

fn unsigned_result<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    let is_unsigned = matches!(cx.ty(cx.result_type(inst)?), Type::Int { signed: false, .. });
    ensure!(is_unsigned, "the result is not an unsigned integer");
    Ok(())
}

fn ballot_bit_count<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    unsigned_result(cx, inst)?;
    let operation = GroupOperation::from_u32(inst.word(1));
    let is_plain = matches!(
        operation,
        Some(GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan)
    );
    ensure!(is_plain, "the group operation cannot count bits");
    ballot_value(cx, inst.id(2))
}

fn ballot_find<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>) -> Verdict {
    scoped(cx, inst)?;
    unsigned_result(cx, inst)?;
    ballot_value(cx, inst.id(1))
}

fn reduction<'m>(cx: &Context<'_, 'm>, inst: Instruction<'m>, is_operand: fn(Type<'m>) -> bool) -> Verdict {
    scoped(cx, inst)?;
    ensure!(
        is_operand(cx.result_shape(inst)?.component),
        "the operation does not reduce values of the result type"
    );
    moved(cx, inst, 2)?;
    match GroupOperation::from_u32(inst.word(1)) {
        Some(GroupOperation::ClusteredReduce) => match inst.get_id(3) {
            Some(size) => cluster_size(cx, size),
            None => Err("the cluster's size is missing".to_owned()),
        },
        Some(
            GroupOperation::PartitionedReduceEXT
            | GroupOperation::PartitionedInclusiveScanEXT
            | GroupOperation::PartitionedExclusiveScanEXT,
        ) => match inst.get_id(3) {
            Some(partition) => ballot_value(cx, partition),
            None => Err("the partition's ballot is missing".to_owned()),
        },
        _ => Ok(()),
    }
}
