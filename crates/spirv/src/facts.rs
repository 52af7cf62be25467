//! What instructions do, by opcode: facts that the Khronos grammar files do not state.
//!
//! Problem: static use, early fragment tests, instrumentation and the rules on scopes each need to know which
//! instructions touch memory and how. With a list for each of them, a new instruction is missed in some.
//!
//! Approach: one function from an opcode to its [`Facts`]. Operands are counted after result type and result, as by
//! [`crate::Instruction::id`].
//!
//! Invariants: it is a function of the opcode alone, and names operands that are ids by the grammar (the tests compare
//! both). An instruction that it does not name has [`Family::Other`] and accesses no memory.
//!
//! Must not know: types, storage classes (whether an access is visible to other invocations depends on those), or which
//! instructions the compiler supports.

use spirv::Op;

/// What kind of instruction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Declares a variable, or makes, converts or compares pointers.
    Pointer,
    /// Loads, stores or copies memory, or gives the length of a runtime array.
    Memory,
    /// An atomic operation.
    Atomic,
    /// A control or memory barrier.
    Barrier,
    /// Makes sampled images and texel pointers, samples, reads, writes or queries images.
    Image,
    /// Weighted sampling, box filters and block matching (`SPV_QCOM_image_processing`).
    ImageProcessing,
    /// Combines or exchanges values between the invocations of a subgroup.
    Group,
    /// Cooperative matrices and vectors, and the tensor layouts and views of their loads and stores.
    Cooperative,
    /// Reads, writes or queries tensors (`SPV_ARM_tensors`).
    Tensor,
    /// Ray queries.
    RayQuery,
    /// Traces rays, calls callable shaders and reports intersections in ray tracing pipelines.
    RayTracing,
    /// Everything else.
    Other,
}

/// The facts about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What kind of instruction it is.
    pub family: Family,
    /// The operands through which it reads: pointers, images, tensors, acceleration structures and ray queries. Queries
    /// of sizes and formats are among the reads, as they read the descriptor.
    pub reads: &'static [usize],
    /// The operands through which it writes.
    pub writes: &'static [usize],
    /// The operand that is its execution scope.
    pub execution_scope: Option<usize>,
    /// The operand that is its memory scope; the next one is its memory semantics.
    pub memory_scope: Option<usize>,
}

impl Facts {
    /// Whether it accesses memory, an image or another resource.
    pub fn accesses(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty()
    }

    const fn of(family: Family) -> Facts {
        Facts { family, reads: &[], writes: &[], execution_scope: None, memory_scope: None }
    }

    const fn reads(self, reads: &'static [usize]) -> Facts {
        Facts { reads, ..self }
    }

    const fn writes(self, writes: &'static [usize]) -> Facts {
        Facts { writes, ..self }
    }

    const fn executes_in(self, position: usize) -> Facts {
        Facts { execution_scope: Some(position), ..self }
    }

    const fn orders_in(self, position: usize) -> Facts {
        Facts { memory_scope: Some(position), ..self }
    }
}

/// The facts about an instruction.
pub fn facts(op: Op) -> Facts {
    use Family as F;
    match op {
        Op::Variable
        | Op::UntypedVariableKHR
        | Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::RawAccessChainNV
        | Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR
        | Op::BufferPointerEXT
        | Op::ConvertUToPtr
        | Op::ConvertPtrToU
        | Op::PtrEqual
        | Op::PtrNotEqual
        | Op::PtrDiff => Facts::of(F::Pointer),
        Op::Load | Op::ArrayLength => Facts::of(F::Memory).reads(&[0]),
        Op::UntypedArrayLengthKHR => Facts::of(F::Memory).reads(&[1]),
        Op::Store => Facts::of(F::Memory).writes(&[0]),
        Op::CopyMemory | Op::CopyMemorySized => Facts::of(F::Memory).reads(&[1]).writes(&[0]),
        Op::AtomicLoad => Facts::of(F::Atomic).reads(&[0]).orders_in(1),
        Op::AtomicStore | Op::AtomicFlagClear => Facts::of(F::Atomic).writes(&[0]).orders_in(1),
        Op::AtomicExchange
        | Op::AtomicCompareExchange
        | Op::AtomicCompareExchangeWeak
        | Op::AtomicIIncrement
        | Op::AtomicIDecrement
        | Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor
        | Op::AtomicFlagTestAndSet
        | Op::AtomicFMinEXT
        | Op::AtomicFMaxEXT
        | Op::AtomicFAddEXT => Facts::of(F::Atomic).reads(&[0]).writes(&[0]).orders_in(1),
        Op::ControlBarrier => Facts::of(F::Barrier).executes_in(0).orders_in(1),
        Op::MemoryBarrier => Facts::of(F::Barrier).orders_in(0),
        Op::SampledImage
        | Op::Image
        | Op::ImageTexelPointer
        | Op::UntypedImageTexelPointerEXT
        | Op::ImageSparseTexelsResident
        | Op::DepthAttachmentReadEXT
        | Op::StencilAttachmentReadEXT => Facts::of(F::Image),
        Op::ImageQueryFormat
        | Op::ImageQueryOrder
        | Op::ImageQuerySizeLod
        | Op::ImageQuerySize
        | Op::ImageQueryLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples
        | Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageFetch
        | Op::ImageGather
        | Op::ImageDrefGather
        | Op::ImageRead
        | Op::ImageSparseSampleImplicitLod
        | Op::ImageSparseSampleExplicitLod
        | Op::ImageSparseSampleDrefImplicitLod
        | Op::ImageSparseSampleDrefExplicitLod
        | Op::ImageSparseSampleProjImplicitLod
        | Op::ImageSparseSampleProjExplicitLod
        | Op::ImageSparseSampleProjDrefImplicitLod
        | Op::ImageSparseSampleProjDrefExplicitLod
        | Op::ImageSparseFetch
        | Op::ImageSparseGather
        | Op::ImageSparseDrefGather
        | Op::ImageSparseRead
        | Op::ImageSampleFootprintNV
        | Op::FragmentMaskFetchAMD
        | Op::FragmentFetchAMD
        | Op::ColorAttachmentReadEXT => Facts::of(F::Image).reads(&[0]),
        Op::ImageWrite => Facts::of(F::Image).writes(&[0]),
        Op::ImageBoxFilterQCOM => Facts::of(F::ImageProcessing).reads(&[0]),
        Op::ImageSampleWeightedQCOM
        | Op::ImageBlockMatchSSDQCOM
        | Op::ImageBlockMatchSADQCOM
        | Op::ImageBlockMatchWindowSSDQCOM
        | Op::ImageBlockMatchWindowSADQCOM
        | Op::ImageBlockMatchGatherSSDQCOM
        | Op::ImageBlockMatchGatherSADQCOM => Facts::of(F::ImageProcessing).reads(&[0, 2]),
        Op::GroupNonUniformElect
        | Op::GroupNonUniformAll
        | Op::GroupNonUniformAny
        | Op::GroupNonUniformAllEqual
        | Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformBroadcastFirst
        | Op::GroupNonUniformBallot
        | Op::GroupNonUniformInverseBallot
        | Op::GroupNonUniformBallotBitExtract
        | Op::GroupNonUniformBallotBitCount
        | Op::GroupNonUniformBallotFindLSB
        | Op::GroupNonUniformBallotFindMSB
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown
        | Op::GroupNonUniformIAdd
        | Op::GroupNonUniformFAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformFMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor
        | Op::GroupNonUniformQuadBroadcast
        | Op::GroupNonUniformQuadSwap
        | Op::GroupNonUniformRotateKHR
        | Op::GroupIAddNonUniformAMD
        | Op::GroupFAddNonUniformAMD
        | Op::GroupFMinNonUniformAMD
        | Op::GroupUMinNonUniformAMD
        | Op::GroupSMinNonUniformAMD
        | Op::GroupFMaxNonUniformAMD
        | Op::GroupUMaxNonUniformAMD
        | Op::GroupSMaxNonUniformAMD => Facts::of(F::Group).executes_in(0),
        Op::GroupNonUniformQuadAllKHR
        | Op::GroupNonUniformQuadAnyKHR
        | Op::GroupNonUniformPartitionEXT
        | Op::SubgroupBallotKHR
        | Op::SubgroupFirstInvocationKHR
        | Op::SubgroupAllKHR
        | Op::SubgroupAnyKHR
        | Op::SubgroupAllEqualKHR
        | Op::SubgroupReadInvocationKHR => Facts::of(F::Group),
        Op::CooperativeMatrixMulAddKHR
        | Op::CooperativeMatrixLengthKHR
        | Op::CooperativeMatrixMulAddNV
        | Op::CooperativeMatrixLengthNV
        | Op::CooperativeMatrixConvertNV
        | Op::CooperativeMatrixTransposeNV
        | Op::CooperativeMatrixPerElementOpNV
        | Op::CooperativeMatrixReduceNV
        | Op::CreateTensorLayoutNV
        | Op::TensorLayoutSetDimensionNV
        | Op::TensorLayoutSetStrideNV
        | Op::TensorLayoutSliceNV
        | Op::TensorLayoutSetClampValueNV
        | Op::CreateTensorViewNV
        | Op::TensorViewSetDimensionNV
        | Op::TensorViewSetStrideNV
        | Op::TensorViewSetClipNV
        | Op::TensorLayoutSetBlockSizeNV => Facts::of(F::Cooperative),
        Op::CooperativeMatrixLoadKHR
        | Op::CooperativeMatrixLoadNV
        | Op::CooperativeMatrixLoadTensorNV
        | Op::CooperativeVectorLoadNV => Facts::of(F::Cooperative).reads(&[0]),
        Op::CooperativeMatrixStoreKHR
        | Op::CooperativeMatrixStoreNV
        | Op::CooperativeMatrixStoreTensorNV
        | Op::CooperativeVectorStoreNV => Facts::of(F::Cooperative).writes(&[0]),
        Op::CooperativeVectorMatrixMulNV => Facts::of(F::Cooperative).reads(&[2]),
        Op::CooperativeVectorMatrixMulAddNV => Facts::of(F::Cooperative).reads(&[2, 5]),
        // They add to memory atomically.
        Op::CooperativeVectorOuterProductAccumulateNV | Op::CooperativeVectorReduceSumAccumulateNV => {
            Facts::of(F::Cooperative).reads(&[0]).writes(&[0])
        }
        Op::TensorReadARM | Op::TensorQuerySizeARM => Facts::of(F::Tensor).reads(&[0]),
        Op::TensorWriteARM => Facts::of(F::Tensor).writes(&[0]),
        Op::RayQueryInitializeKHR => Facts::of(F::RayQuery).reads(&[1]).writes(&[0]),
        Op::RayQueryTerminateKHR
        | Op::RayQueryGenerateIntersectionKHR
        | Op::RayQueryConfirmIntersectionKHR
        | Op::RayQueryProceedKHR => Facts::of(F::RayQuery).reads(&[0]).writes(&[0]),
        Op::RayQueryGetIntersectionTypeKHR
        | Op::RayQueryGetIntersectionTriangleVertexPositionsKHR
        | Op::RayQueryGetIntersectionClusterIdNV
        | Op::RayQueryGetIntersectionSpherePositionNV
        | Op::RayQueryGetIntersectionSphereRadiusNV
        | Op::RayQueryGetIntersectionLSSPositionsNV
        | Op::RayQueryGetIntersectionLSSRadiiNV
        | Op::RayQueryGetIntersectionLSSHitValueNV
        | Op::RayQueryIsSphereHitNV
        | Op::RayQueryIsLSSHitNV
        | Op::RayQueryGetRayTMinKHR
        | Op::RayQueryGetRayFlagsKHR
        | Op::RayQueryGetIntersectionTKHR
        | Op::RayQueryGetIntersectionInstanceCustomIndexKHR
        | Op::RayQueryGetIntersectionInstanceIdKHR
        | Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR
        | Op::RayQueryGetIntersectionGeometryIndexKHR
        | Op::RayQueryGetIntersectionPrimitiveIndexKHR
        | Op::RayQueryGetIntersectionBarycentricsKHR
        | Op::RayQueryGetIntersectionFrontFaceKHR
        | Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR
        | Op::RayQueryGetIntersectionObjectRayDirectionKHR
        | Op::RayQueryGetIntersectionObjectRayOriginKHR
        | Op::RayQueryGetWorldRayDirectionKHR
        | Op::RayQueryGetWorldRayOriginKHR
        | Op::RayQueryGetIntersectionObjectToWorldKHR
        | Op::RayQueryGetIntersectionWorldToObjectKHR => Facts::of(F::RayQuery).reads(&[0]),
        // The payload, too, is read and written.
        Op::TraceRayKHR => Facts::of(F::RayTracing).reads(&[0, 10]).writes(&[10]),
        Op::ExecuteCallableKHR => Facts::of(F::RayTracing).reads(&[1]).writes(&[1]),
        Op::ReportIntersectionKHR | Op::IgnoreIntersectionKHR | Op::TerminateRayKHR => {
            Facts::of(F::RayTracing)
        }
        _ => Facts::of(F::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::{OpClass, OperandKind, table};

    fn all() -> impl Iterator<Item = Op> {
        (0..8192).filter_map(Op::from_u32)
    }

    fn kinds(op: Op) -> Vec<OperandKind> {
        table().get(op).operands.iter().map(|operand| operand.kind).collect()
    }

    #[test]
    fn scopes_are_where_the_grammar_has_them() {
        let mut count = 0;
        for op in all().filter(|&op| facts(op) != Facts::of(Family::Other)) {
            let (found, kinds) = (facts(op), kinds(op));
            let is_scope =
                |position: Option<usize>| position.is_none_or(|at| kinds[at] == OperandKind::IdScope);
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

    /// By their names: what stores, writes, accumulates or is atomic writes; what loads, reads or samples reads.
    #[test]
    fn no_access_is_forgotten() {
        let is_elsewhere = |name: &str| {
            // Kernels' instructions; writes of primitive indices and payloads are not accesses through an operand.
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
            if has(&["Store", "Write", "Accumulate", "CopyMemory"])
                || has(&["Atomic"]) && op != Op::AtomicLoad
            {
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
}
