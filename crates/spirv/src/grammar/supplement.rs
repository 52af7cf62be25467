//! Enumerants that are newer than the grammar files of `rspirv`.

use super::OperandKind;
use spirv::{Capability, Op};

/// An enumerant that the grammar lacks.
pub(super) struct Enumerant {
    pub(super) kind: OperandKind,
    pub(super) value: u32,
    pub(super) name: &'static str,
    pub(super) parameters: &'static [OperandKind],
}

/// `SPV_KHR_opacity_micromap`, `SPV_EXT_cooperative_matrix_maintenance1`,
/// `SPV_HUAWEI_cluster_culling_shader`.
const ENUMERANTS: &[Enumerant] = &[
    Enumerant {
        kind: OperandKind::Capability,
        value: 5429,
        name: "CooperativeMatrixConversionsEXT",
        parameters: &[],
    },
    Enumerant {
        kind: OperandKind::Capability,
        value: 6032,
        name: "RayTracingOpacityMicromapExecutionModeKHR",
        parameters: &[],
    },
    Enumerant {
        kind: OperandKind::Capability,
        value: CLUSTER_CULLING_CAPABILITY,
        name: "ClusterCullingShadingHUAWEI",
        parameters: &[],
    },
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

/// An opcode that the grammar lacks.
pub(super) struct NewerOp {
    pub(super) opcode: u16,
    pub(super) name: &'static str,
    /// An opcode of the grammar with the same operands that does the same.
    pub(super) does_as: Op,
}

/// `SPV_HUAWEI_cluster_culling_shader`: a cluster is emitted as a vertex is, by what the outputs hold.
pub(super) const OPS: &[NewerOp] =
    &[NewerOp { opcode: DISPATCH_CLUSTER, name: "DispatchClusterHUAWEI", does_as: Op::EmitVertex }];

/// `OpDispatchClusterHUAWEI`
const DISPATCH_CLUSTER: u16 = 6282;

/// Opcodes that the grammar has under an older name.
pub(super) const OP_ALIASES: &[(&str, Op)] = &[
    ("ControlBarrierArriveEXT", Op::ControlBarrierArriveINTEL),
    ("ControlBarrierWaitEXT", Op::ControlBarrierWaitINTEL),
    ("CooperativeMatrixConvertUseEXT", Op::CooperativeMatrixConvertNV),
    ("CooperativeMatrixPerElementOpEXT", Op::CooperativeMatrixPerElementOpNV),
    ("CooperativeMatrixReduceEXT", Op::CooperativeMatrixReduceNV),
];

/// The capability of the grammar that allows what a newer one does.
pub(crate) fn older_capability(value: u32) -> Option<Capability> {
    // CooperativeMatrixConversionsEXT
    (value == 5429).then_some(Capability::CooperativeMatrixConversionsNV)
}

/// The enumerant of a value.
#[cold]
pub(super) fn find(kind: OperandKind, value: u32) -> Option<&'static Enumerant> {
    ENUMERANTS.iter().find(|one| one.kind == kind && one.value == value)
}

/// The value of a name.
#[cold]
pub(super) fn value(kind: OperandKind, name: &str) -> Option<u32> {
    let own = ENUMERANTS.iter().map(|one| (one.kind, one.name, one.value));
    let mut all = own.chain(ALIASES.iter().copied());
    all.find(|&(of, known, _)| of == kind && known == name).map(|(.., value)| value)
}
