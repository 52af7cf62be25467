//! Enumerants that are newer than the grammar files of `rspirv`.

use super::{LogicalOperand, OperandKind, OperandQuantifier};
use crate::spirv::FPEncoding;
use spirv::{Capability, Op};

/// An enumerant that the grammar lacks.
pub(super) struct Enumerant {
    pub(super) kind: OperandKind,
    pub(super) value: u32,
    pub(super) name: &'static str,
    pub(super) parameters: &'static [OperandKind],
}

const fn capability(value: u32, name: &'static str) -> Enumerant {
    Enumerant { kind: OperandKind::Capability, value, name, parameters: &[] }
}

/// `SPV_KHR_opacity_micromap`, `SPV_EXT_cooperative_matrix_maintenance1`,
/// `SPV_HUAWEI_cluster_culling_shader`, `SPV_VALVE_mixed_float_dot_product`,
/// `SPV_EXT_ocp_microscaling_types`, `SPV_KHR_abort`, `SPV_KHR_constant_data`,
/// `SPV_NV_cooperative_matrix_decode_vector`, `SPV_QCOM_multiple_wait_queues`,
/// `SPV_QCOM_image_processing3`.
const ENUMERANTS: &[Enumerant] = &[
    capability(DOT_FLOAT16_ACC_FLOAT32, "DotProductFloat16AccFloat32VALVE"),
    capability(DOT_FLOAT16_ACC_FLOAT16, "DotProductFloat16AccFloat16VALVE"),
    capability(DOT_BFLOAT16_ACC, "DotProductBFloat16AccVALVE"),
    capability(DOT_FLOAT8_ACC_FLOAT32, "DotProductFloat8AccFloat32VALVE"),
    capability(FLOAT6, "Float6EXT"),
    capability(FLOAT4, "Float4EXT"),
    capability(FLOAT8_UNSIGNED, "Float8UnsignedE8M0EXT"),
    capability(MX_INT8, "MXInt8EXT"),
    capability(BITCAST_EXTRACT, "BitcastExtractEXT"),
    capability(ABORT, "AbortKHR"),
    capability(CONSTANT_DATA, "ConstantDataKHR"),
    capability(DECODE_VECTOR, "CooperativeMatrixDecodeVectorNV"),
    Enumerant {
        kind: OperandKind::TensorAddressingOperands,
        value: DECODE_VECTOR_FUNC,
        name: "DecodeVectorFunc",
        parameters: &[OperandKind::IdRef],
    },
    capability(WAIT_QUEUES, "MultipleWaitQueuesQCOM"),
    capability(GATHER_LINEAR, "ImageGatherLinearQCOM"),
    capability(GATHER_EXTENDED, "ImageGatherExtendedModesQCOM"),
    Enumerant {
        kind: OperandKind::LoopControl,
        value: WAIT_QUEUES_CONTROL,
        name: "MultipleWaitQueuesQCOM",
        parameters: &[OperandKind::LiteralInteger],
    },
    Enumerant { kind: OperandKind::Decoration, value: 5145, name: "UTFEncodedKHR", parameters: &[] },
    capability(5429, "CooperativeMatrixConversionsEXT"),
    capability(6032, "RayTracingOpacityMicromapExecutionModeKHR"),
    capability(CLUSTER_CULLING_CAPABILITY, "ClusterCullingShadingHUAWEI"),
    Enumerant {
        kind: OperandKind::ExecutionMode,
        value: 6031,
        name: "OpacityMicromapIdKHR",
        parameters: &[OperandKind::IdRef],
    },
];

/// Names that the grammar has under an older one.
const ALIASES: &[(OperandKind, &str, u32)] = &[
    (OperandKind::Capability, "RayTracingOpacityMicromapKHR", 5381),
    (OperandKind::Capability, "CooperativeMatrixReductionsEXT", 5430),
    (OperandKind::Capability, "CooperativeMatrixPerElementOperationsEXT", 5432),
    (OperandKind::Capability, "SplitBarrierEXT", 6141),
];

/// `ClusterCullingShadingHUAWEI`
pub(crate) const CLUSTER_CULLING_CAPABILITY: u32 = 6273;

/// `AbortKHR`
const ABORT: u32 = 5120;
/// `ConstantDataKHR`
const CONSTANT_DATA: u32 = 5146;
/// `CooperativeMatrixDecodeVectorNV`
pub(crate) const DECODE_VECTOR: u32 = 5447;
/// The tensor addressing operand `DecodeVectorFunc`.
pub(crate) const DECODE_VECTOR_FUNC: u32 = 4;
/// `ImageGatherLinearQCOM`
const GATHER_LINEAR: u32 = 4543;
/// `ImageGatherExtendedModesQCOM`
const GATHER_EXTENDED: u32 = 4544;
/// `MultipleWaitQueuesQCOM`
pub(crate) const WAIT_QUEUES: u32 = 4539;
/// The loop control `MultipleWaitQueuesQCOM`.
pub(crate) const WAIT_QUEUES_CONTROL: u32 = 1 << 28;
/// `DotProductFloat16AccFloat32VALVE`
const DOT_FLOAT16_ACC_FLOAT32: u32 = 6912;
/// `DotProductFloat16AccFloat16VALVE`
const DOT_FLOAT16_ACC_FLOAT16: u32 = 6913;
/// `DotProductBFloat16AccVALVE`
const DOT_BFLOAT16_ACC: u32 = 6914;
/// `DotProductFloat8AccFloat32VALVE`
const DOT_FLOAT8_ACC_FLOAT32: u32 = 6915;
/// `Float6EXT`
const FLOAT6: u32 = 4228;
/// `Float4EXT`
const FLOAT4: u32 = 4229;
/// `Float8UnsignedE8M0EXT`
const FLOAT8_UNSIGNED: u32 = 4230;
/// `MXInt8EXT`
const MX_INT8: u32 = 4231;
/// `BitcastExtractEXT`
const BITCAST_EXTRACT: u32 = 4232;

/// Instructions that the grammar lacks: each is told as an opcode of the grammar with the same facts, and the
/// same operands unless it has its own ([`crate::Instruction::newer`] says which it is).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewerOp {
    /// `OpDispatchClusterHUAWEI`: told as `OpEmitVertex`, as a cluster is emitted by what the outputs hold.
    DispatchCluster,
    /// `OpFDot2MixAcc32VALVE`: told as `OpFmaKHR`, as both other products.
    FDot2MixAcc32,
    /// `OpFDot2MixAcc16VALVE`
    FDot2MixAcc16,
    /// `OpFDot4MixAcc32VALVE`
    FDot4MixAcc32,
    /// `OpBitcastExtractEXT`: told as `OpShiftRightLogical`.
    BitcastExtract,
    /// `OpAbortKHR`, with the message's type and the message: told as `OpUnreachable`, as it ends a block in
    /// every stage.
    Abort,
    /// `OpConstantDataKHR`, with the words of an array: told as `OpConstantSampler`, a constant that is not
    /// made from others.
    ConstantData,
    /// `OpSpecConstantDataKHR`
    SpecConstantData,
    /// `OpImageGatherQCOM`: told as `OpImageGather`, whose component a mode follows.
    GatherPattern,
}

/// An opcode that the grammar lacks.
pub(crate) struct NewerInfo {
    pub(crate) which: NewerOp,
    pub(super) opcode: u16,
    pub(super) name: &'static str,
    /// An opcode of the grammar with the same facts.
    pub(super) told_as: Op,
    /// The operands behind result type and result, where they are not those of `told_as`.
    pub(super) operands: Option<&'static [LogicalOperand]>,
    /// The capabilities of which one allows it.
    capabilities: &'static [u32],
}

const fn dot(which: NewerOp, opcode: u16, name: &'static str, capabilities: &'static [u32]) -> NewerInfo {
    NewerInfo { which, opcode, name, told_as: Op::FmaKHR, operands: None, capabilities }
}

const fn constant_data(which: NewerOp, opcode: u16, name: &'static str) -> NewerInfo {
    const DATA: LogicalOperand =
        LogicalOperand { kind: OperandKind::LiteralInteger, quantifier: OperandQuantifier::ZeroOrMore };
    let told_as = Op::ConstantSampler;
    NewerInfo { which, opcode, name, told_as, operands: Some(&[DATA]), capabilities: &[CONSTANT_DATA] }
}

/// An id that must be there.
const ID: LogicalOperand = LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::One };

/// The opcodes that the grammar lacks.
pub(crate) const OPS: &[NewerInfo] = &[
    NewerInfo {
        which: NewerOp::DispatchCluster,
        opcode: 6282,
        name: "DispatchClusterHUAWEI",
        told_as: Op::EmitVertex,
        operands: None,
        capabilities: &[CLUSTER_CULLING_CAPABILITY],
    },
    dot(NewerOp::FDot2MixAcc32, 6916, "FDot2MixAcc32VALVE", &[DOT_FLOAT16_ACC_FLOAT32, DOT_BFLOAT16_ACC]),
    dot(NewerOp::FDot2MixAcc16, 6917, "FDot2MixAcc16VALVE", &[DOT_FLOAT16_ACC_FLOAT16, DOT_BFLOAT16_ACC]),
    dot(NewerOp::FDot4MixAcc32, 6918, "FDot4MixAcc32VALVE", &[DOT_FLOAT8_ACC_FLOAT32]),
    NewerInfo {
        which: NewerOp::BitcastExtract,
        opcode: 4195,
        name: "BitcastExtractEXT",
        told_as: Op::ShiftRightLogical,
        operands: None,
        capabilities: &[BITCAST_EXTRACT],
    },
    NewerInfo {
        which: NewerOp::Abort,
        opcode: 5121,
        name: "AbortKHR",
        told_as: Op::Unreachable,
        operands: Some(&[ID, ID]),
        capabilities: &[ABORT],
    },
    constant_data(NewerOp::ConstantData, 5147, "ConstantDataKHR"),
    constant_data(NewerOp::SpecConstantData, 5148, "SpecConstantDataKHR"),
    NewerInfo {
        which: NewerOp::GatherPattern,
        opcode: 4545,
        name: "ImageGatherQCOM",
        told_as: Op::ImageGather,
        operands: Some(&[
            ID,
            ID,
            ID,
            ID,
            LogicalOperand { kind: OperandKind::ImageOperands, quantifier: OperandQuantifier::ZeroOrOne },
        ]),
        capabilities: &[GATHER_LINEAR, GATHER_EXTENDED],
    },
];

/// The operands of an instruction that has got more than the grammar knows.
pub(super) fn operands(op: Op) -> Option<&'static [LogicalOperand]> {
    const MAYBE: LogicalOperand =
        LogicalOperand { kind: OperandKind::IdRef, quantifier: OperandQuantifier::ZeroOrOne };
    // The last is the kind of a hit that is no triangle's.
    (op == Op::HitObjectRecordFromQueryEXT).then_some(&[ID, ID, ID, ID, MAYBE])
}

/// The row of an opcode.
#[cold]
pub(crate) fn newer(opcode: u16) -> Option<&'static NewerInfo> {
    OPS.iter().find(|newer| newer.opcode == opcode)
}

/// The capabilities that the grammar lacks, by value, of which one allows an instruction; none are needed
/// when empty.
pub(crate) fn newer_needs(opcode: u16, operands: &[u32]) -> &'static [u32] {
    if opcode != Op::TypeFloat as u16 {
        return newer(opcode).map_or(&[], |newer| newer.capabilities);
    }
    match operands.get(1).and_then(|&encoding| FPEncoding::from_u32(encoding)) {
        Some(FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT) => &[FLOAT6],
        Some(FPEncoding::Float4E2M1EXT) => &[FLOAT4],
        Some(FPEncoding::Float8UnsignedE8M0EXT) => &[FLOAT8_UNSIGNED],
        Some(FPEncoding::MXInt8EXT) => &[MX_INT8],
        _ => &[],
    }
}

/// Opcodes that the grammar has under an older name.
pub(super) const OP_ALIASES: &[(&str, Op)] = &[
    ("ControlBarrierArriveEXT", Op::ControlBarrierArriveINTEL),
    ("ControlBarrierWaitEXT", Op::ControlBarrierWaitINTEL),
    ("CooperativeMatrixConvertUseEXT", Op::CooperativeMatrixConvertNV),
    ("CooperativeMatrixPerElementOpEXT", Op::CooperativeMatrixPerElementOpNV),
    ("CooperativeMatrixReduceEXT", Op::CooperativeMatrixReduceNV),
];

/// The capability of the grammar that allows what a newer one does, or that it implies.
pub(crate) fn older_capability(value: u32) -> Option<Capability> {
    Some(match value {
        // CooperativeMatrixConversionsEXT
        5429 => Capability::CooperativeMatrixConversionsNV,
        DECODE_VECTOR => Capability::CooperativeMatrixBlockLoadsNV,
        DOT_FLOAT16_ACC_FLOAT32 | DOT_FLOAT16_ACC_FLOAT16 => Capability::Float16,
        DOT_BFLOAT16_ACC => Capability::BFloat16TypeKHR,
        DOT_FLOAT8_ACC_FLOAT32 => Capability::Float8EXT,
        _ => return None,
    })
}

/// The enumerant of a value.
#[cold]
pub(super) fn find(kind: OperandKind, value: u32) -> Option<&'static Enumerant> {
    ENUMERANTS.iter().find(|one| one.kind == kind && one.value == value)
}

/// A mask without the bits that the grammar lacks; of other kinds, the value.
pub(super) fn older_bits(kind: OperandKind, value: u32) -> u32 {
    match kind {
        OperandKind::TensorAddressingOperands => value & !DECODE_VECTOR_FUNC,
        OperandKind::LoopControl => value & !WAIT_QUEUES_CONTROL,
        _ => value,
    }
}

/// The name of a mask's bits that the grammar has, and with it those of bits that it lacks.
pub(super) fn with_newer_bits(kind: OperandKind, newer: u32, name: String) -> String {
    let Some(more) = find(kind, newer) else { return name };
    match name.as_str() {
        "None" | "" => more.name.to_owned(),
        _ => format!("{name}|{}", more.name),
    }
}

/// The value of a name.
#[cold]
pub(super) fn value(kind: OperandKind, name: &str) -> Option<u32> {
    let own = ENUMERANTS.iter().map(|one| (one.kind, one.name, one.value));
    let mut all = own.chain(ALIASES.iter().copied());
    all.find(|&(of, known, _)| of == kind && known == name).map(|(.., value)| value)
}
