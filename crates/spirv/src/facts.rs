//! What instructions do, by opcode: facts that the Khronos grammar files do not state.
//!
//! Problem: decoding, static use, early fragment tests, instrumentation, lowering and the rules on scopes
//! each need to know what kind of instruction an opcode is, and which instructions touch memory and how. With
//! a list for each of them, a new instruction is missed in some.
//!
//! Approach: one table of [`Facts`], each row with the opcodes that they are of. Operands are counted after
//! result type and result, as by [`crate::Instruction::id`].
//! Invariants: facts depend on the opcode alone, and name operands that are ids by the grammar (the
//! tests compare both). An instruction that it does not name has [`Family::Other`] and accesses no memory.
//! Must not know: types, storage classes, or which instructions the compiler supports.

use crate::spirv::ExecutionModel as Model;
use Family as F;
use spirv::Op;

/// What kind of instruction it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Debug information and `OpNop`: no effect on what a module does.
    Debug,
    /// The structure of a function: labels, phis, merge instructions and branches.
    ControlFlow,
    /// Calls a function.
    Call,
    /// An instruction of an extended set.
    Extended,
    /// Computes with integers or floats component by component: sums, products, derivatives, dot products.
    Arithmetic,
    /// Multiplies, transposes or makes matrices, or scales vectors.
    Matrix,
    /// Shifts, bitwise logic and bit fields.
    Bits,
    /// Compares, selects, or computes with booleans.
    Logic,
    /// Converts numbers from one type to another.
    Conversion,
    /// Makes composites, takes them apart or copies values.
    Composite,
    /// Counts, indices and task groups of mesh and task shaders.
    Mesh,
    /// Emits vertices and ends primitives in geometry shaders.
    Geometry,
    /// Helper invocations and interlocks of fragment shaders.
    Fragment,
    /// Payloads of execution graph nodes (`SPV_AMDX_shader_enqueue`).
    Node,
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
    /// Combines or exchanges values between those invocations of a subgroup that come to it.
    Group,
    /// The same between all invocations of a scope, which all come to it
    /// (`SPV_KHR_uniform_group_instructions`).
    UniformGroup,
    /// Cooperative matrices and vectors.
    Cooperative,
    /// Makes the tensor layouts and views by which cooperative matrices are loaded and stored
    /// (`SPV_NV_tensor_addressing`).
    TensorLayout,
    /// Reads, writes or queries tensors (`SPV_ARM_tensors`).
    Tensor,
    /// Ray queries, and acceleration structures from addresses.
    RayQuery,
    /// Traces rays, calls callable shaders and reports intersections in ray tracing pipelines.
    RayTracing,
    /// Everything else.
    Other,
}

/// An instruction that derives a pointer from another one by indices. The operands, counted as in [`Facts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessChain {
    /// The pointer that it starts from.
    pub base: usize,
    /// The index of the element that the base is taken for, of `OpPtrAccessChain` and its like.
    pub element: Option<usize>,
    /// The first of the indices into the composite, which are all the operands from there on; none of raw
    /// access chains, which count bytes.
    pub indices: Option<usize>,
}

/// The facts about an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What kind of instruction it is.
    pub family: Family,
    /// The operands through which it reads: pointers, images, tensors, acceleration structures and ray
    /// queries. Queries of sizes and formats are among the reads, as they read the descriptor.
    pub reads: &'static [usize],
    /// The operands through which it writes.
    pub writes: &'static [usize],
    /// The operand that is its execution scope.
    pub execution_scope: Option<usize>,
    /// The operand that is its memory scope; the next one is its memory semantics.
    pub memory_scope: Option<usize>,
    /// It ends a block.
    pub is_terminator: bool,
    /// It computes with floats: denormals that execution modes flush are flushed in its operands and result
    /// (`DenormFlushToZero`). Instructions that only move bits are not among these.
    pub is_float_arithmetic: bool,
    /// Of access chains, where base and indices are.
    pub access_chain: Option<AccessChain>,
    /// Of instructions of ray tracing pipelines, the stages that may run it (SPIR-V, "Ray Tracing
    /// Instructions"); empty of all others, which this does not restrict.
    pub stages: &'static [Model],
}

impl Facts {
    /// Whether it accesses memory, an image or another resource.
    pub fn accesses(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty()
    }

    /// Whether it computes and accesses nothing where it stands: debug information and the structure of the
    /// function.
    pub fn is_silent(&self) -> bool {
        matches!(self.family, Family::Debug | Family::ControlFlow)
    }

    /// Whether [`Facts::stages`] allow it in a stage.
    pub fn may_run_in(&self, model: Model) -> bool {
        self.stages.is_empty() || self.stages.contains(&model)
    }

    const fn of(family: Family) -> Facts {
        Facts {
            family,
            reads: &[],
            writes: &[],
            execution_scope: None,
            memory_scope: None,
            is_terminator: false,
            is_float_arithmetic: false,
            access_chain: None,
            stages: &[],
        }
    }

    const fn terminator(family: Family) -> Facts {
        Facts { is_terminator: true, ..Facts::of(family) }
    }

    const fn float(family: Family) -> Facts {
        Facts { is_float_arithmetic: true, ..Facts::of(family) }
    }

    const fn chain(base: usize, element: Option<usize>, indices: Option<usize>) -> Facts {
        Facts { access_chain: Some(AccessChain { base, element, indices }), ..Facts::of(Family::Pointer) }
    }

    const fn ray_tracing(stages: &'static [Model]) -> Facts {
        Facts { stages, ..Facts::of(Family::RayTracing) }
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
    ROWS[ROW_OF_OP.get(op as usize).map_or(0, |&row| usize::from(row))].0
}

/// More than any opcode.
const OPCODE_END: usize = 8192;

/// By opcode, the number of its row in [`ROWS`].
static ROW_OF_OP: [u8; OPCODE_END] = {
    let mut numbers = [0; OPCODE_END];
    let mut row = 1;
    while row < ROWS.len() {
        let ops = ROWS[row].1;
        let mut place = 0;
        while place < ops.len() {
            let op = ops[place] as usize;
            assert!(numbers[op] == 0, "an opcode is in two rows");
            numbers[op] = row as u8;
            place += 1;
        }
        row += 1;
    }
    numbers
};

/// The stages of ray tracing pipelines.
pub const RAY_TRACING_STAGES: [Model; 6] = [
    Model::RayGenerationKHR,
    Model::IntersectionKHR,
    Model::AnyHitKHR,
    Model::ClosestHitKHR,
    Model::MissKHR,
    Model::CallableKHR,
];

/// The stages that may trace rays.
const TRACE_STAGES: &[Model] = &[Model::RayGenerationKHR, Model::ClosestHitKHR, Model::MissKHR];

/// The stages that may call callable shaders.
const CALL_STAGES: &[Model] =
    &[Model::RayGenerationKHR, Model::ClosestHitKHR, Model::MissKHR, Model::CallableKHR];

/// The table: facts, and the instructions that they are of. The first row is that of all others.
const ROWS: &[(Facts, &[Op])] = &[
    (Facts::of(F::Other), &[]),
    (Facts::of(F::Debug), &[Op::Nop, Op::Line, Op::NoLine, Op::ModuleProcessed]),
    (Facts::of(F::ControlFlow), &[Op::Label, Op::Phi, Op::LoopMerge, Op::SelectionMerge]),
    (
        Facts::terminator(F::ControlFlow),
        &[
            Op::Branch,
            Op::BranchConditional,
            Op::Switch,
            Op::Return,
            Op::ReturnValue,
            Op::Kill,
            Op::TerminateInvocation,
            Op::Unreachable,
        ],
    ),
    (Facts::of(F::Call), &[Op::FunctionCall]),
    // Only those without references forward compute.
    (Facts::float(F::Extended), &[Op::ExtInst]),
    (Facts::of(F::Extended), &[Op::ExtInstWithForwardRefsKHR]),
    (
        Facts::float(F::Arithmetic),
        &[
            Op::FAdd,
            Op::FSub,
            Op::FMul,
            Op::FDiv,
            Op::FRem,
            Op::FMod,
            Op::FNegate,
            Op::Dot,
            Op::FmaKHR,
            Op::DPdx,
            Op::DPdy,
            Op::Fwidth,
            Op::DPdxFine,
            Op::DPdyFine,
            Op::FwidthFine,
            Op::DPdxCoarse,
            Op::DPdyCoarse,
            Op::FwidthCoarse,
        ],
    ),
    (
        Facts::of(F::Arithmetic),
        &[
            Op::IAdd,
            Op::ISub,
            Op::IMul,
            Op::UDiv,
            Op::SDiv,
            Op::UMod,
            Op::SRem,
            Op::SMod,
            Op::SNegate,
            Op::IAddCarry,
            Op::ISubBorrow,
            Op::UMulExtended,
            Op::SMulExtended,
            Op::SDot,
            Op::UDot,
            Op::SUDot,
            Op::SDotAccSat,
            Op::UDotAccSat,
            Op::SUDotAccSat,
            Op::IAddSatINTEL,
            Op::UAddSatINTEL,
            Op::ISubSatINTEL,
            Op::USubSatINTEL,
            Op::AbsISubINTEL,
            Op::AbsUSubINTEL,
            Op::IMul32x16INTEL,
            Op::UMul32x16INTEL,
            Op::IAverageINTEL,
            Op::UAverageINTEL,
            Op::IAverageRoundedINTEL,
            Op::UAverageRoundedINTEL,
            Op::UCountLeadingZerosINTEL,
            Op::UCountTrailingZerosINTEL,
        ],
    ),
    (
        Facts::float(F::Matrix),
        &[
            Op::VectorTimesScalar,
            Op::MatrixTimesScalar,
            Op::VectorTimesMatrix,
            Op::MatrixTimesVector,
            Op::MatrixTimesMatrix,
            Op::OuterProduct,
        ],
    ),
    (Facts::of(F::Matrix), &[Op::Transpose]),
    (
        Facts::of(F::Bits),
        &[
            Op::ShiftLeftLogical,
            Op::ShiftRightLogical,
            Op::ShiftRightArithmetic,
            Op::BitwiseAnd,
            Op::BitwiseOr,
            Op::BitwiseXor,
            Op::Not,
            Op::BitFieldInsert,
            Op::BitFieldSExtract,
            Op::BitFieldUExtract,
            Op::BitReverse,
            Op::BitCount,
        ],
    ),
    (
        Facts::of(F::Logic),
        &[
            Op::Any,
            Op::All,
            Op::IsNan,
            Op::IsInf,
            Op::IsFinite,
            Op::SignBitSet,
            Op::Ordered,
            Op::Unordered,
            Op::LogicalEqual,
            Op::LogicalNotEqual,
            Op::LogicalOr,
            Op::LogicalAnd,
            Op::LogicalNot,
            Op::Select,
            Op::IEqual,
            Op::INotEqual,
            Op::UGreaterThan,
            Op::SGreaterThan,
            Op::UGreaterThanEqual,
            Op::SGreaterThanEqual,
            Op::ULessThan,
            Op::SLessThan,
            Op::ULessThanEqual,
            Op::SLessThanEqual,
        ],
    ),
    (
        Facts::float(F::Logic),
        &[
            Op::IsNormal,
            Op::LessOrGreater,
            Op::FOrdEqual,
            Op::FUnordEqual,
            Op::FOrdNotEqual,
            Op::FUnordNotEqual,
            Op::FOrdLessThan,
            Op::FUnordLessThan,
            Op::FOrdGreaterThan,
            Op::FUnordGreaterThan,
            Op::FOrdLessThanEqual,
            Op::FUnordLessThanEqual,
            Op::FOrdGreaterThanEqual,
            Op::FUnordGreaterThanEqual,
        ],
    ),
    (
        Facts::float(F::Conversion),
        &[
            Op::ConvertFToU,
            Op::ConvertFToS,
            Op::ConvertSToF,
            Op::ConvertUToF,
            Op::FConvert,
            Op::QuantizeToF16,
        ],
    ),
    (
        Facts::of(F::Conversion),
        &[Op::UConvert, Op::SConvert, Op::SatConvertSToU, Op::SatConvertUToS, Op::Bitcast],
    ),
    (
        Facts::of(F::Composite),
        &[
            Op::CompositeConstruct,
            Op::CompositeConstructReplicateEXT,
            Op::CompositeExtract,
            Op::CompositeInsert,
            Op::VectorShuffle,
            Op::VectorExtractDynamic,
            Op::VectorInsertDynamic,
            Op::CopyObject,
            Op::CopyLogical,
            Op::ExpectKHR,
            Op::AssumeTrueKHR,
        ],
    ),
    (Facts::of(F::Mesh), &[Op::SetMeshOutputsEXT, Op::WritePackedPrimitiveIndices4x8NV]),
    (Facts::terminator(F::Mesh), &[Op::EmitMeshTasksEXT]),
    (
        Facts::of(F::Geometry),
        &[Op::EmitVertex, Op::EndPrimitive, Op::EmitStreamVertex, Op::EndStreamPrimitive],
    ),
    (
        Facts::of(F::Fragment),
        &[
            Op::DemoteToHelperInvocation,
            Op::IsHelperInvocationEXT,
            Op::BeginInvocationInterlockEXT,
            Op::EndInvocationInterlockEXT,
        ],
    ),
    (
        Facts::of(F::Node),
        &[
            Op::AllocateNodePayloadsAMDX,
            Op::EnqueueNodePayloadsAMDX,
            Op::NodePayloadArrayLengthAMDX,
            Op::IsNodePayloadValidAMDX,
            Op::FinishWritingNodePayloadAMDX,
        ],
    ),
    (Facts::chain(0, None, Some(1)), &[Op::AccessChain, Op::InBoundsAccessChain]),
    (Facts::chain(0, Some(1), Some(2)), &[Op::PtrAccessChain, Op::InBoundsPtrAccessChain]),
    (Facts::chain(1, None, Some(2)), &[Op::UntypedAccessChainKHR, Op::UntypedInBoundsAccessChainKHR]),
    (
        Facts::chain(1, Some(2), Some(3)),
        &[Op::UntypedPtrAccessChainKHR, Op::UntypedInBoundsPtrAccessChainKHR],
    ),
    (Facts::chain(0, None, None), &[Op::RawAccessChainNV]),
    (
        Facts::of(F::Pointer),
        &[
            Op::Variable,
            Op::UntypedVariableKHR,
            Op::BufferPointerEXT,
            Op::ConvertUToPtr,
            Op::ConvertPtrToU,
            Op::PtrEqual,
            Op::PtrNotEqual,
            Op::PtrDiff,
        ],
    ),
    (Facts::of(F::Memory).reads(&[0]), &[Op::Load, Op::ArrayLength]),
    (Facts::of(F::Memory).reads(&[1]), &[Op::UntypedArrayLengthKHR]),
    (Facts::of(F::Memory).writes(&[0]), &[Op::Store]),
    (Facts::of(F::Memory).reads(&[1]).writes(&[0]), &[Op::CopyMemory, Op::CopyMemorySized]),
    (Facts::of(F::Atomic).reads(&[0]).orders_in(1), &[Op::AtomicLoad]),
    (Facts::of(F::Atomic).writes(&[0]).orders_in(1), &[Op::AtomicStore, Op::AtomicFlagClear]),
    (
        Facts::of(F::Atomic).reads(&[0]).writes(&[0]).orders_in(1),
        &[
            Op::AtomicExchange,
            Op::AtomicCompareExchange,
            Op::AtomicCompareExchangeWeak,
            Op::AtomicIIncrement,
            Op::AtomicIDecrement,
            Op::AtomicIAdd,
            Op::AtomicISub,
            Op::AtomicSMin,
            Op::AtomicUMin,
            Op::AtomicSMax,
            Op::AtomicUMax,
            Op::AtomicAnd,
            Op::AtomicOr,
            Op::AtomicXor,
            Op::AtomicFlagTestAndSet,
            Op::AtomicFMinEXT,
            Op::AtomicFMaxEXT,
            Op::AtomicFAddEXT,
        ],
    ),
    (
        Facts::of(F::Barrier).executes_in(0).orders_in(1),
        &[Op::ControlBarrier, Op::ControlBarrierArriveINTEL, Op::ControlBarrierWaitINTEL],
    ),
    (Facts::of(F::Barrier).orders_in(0), &[Op::MemoryBarrier]),
    (
        Facts::of(F::Image),
        &[
            Op::SampledImage,
            Op::Image,
            Op::ImageTexelPointer,
            Op::UntypedImageTexelPointerEXT,
            Op::ImageSparseTexelsResident,
            Op::DepthAttachmentReadEXT,
            Op::StencilAttachmentReadEXT,
        ],
    ),
    (
        Facts::of(F::Image).reads(&[0]),
        &[
            Op::ImageQueryFormat,
            Op::ImageQueryOrder,
            Op::ImageQuerySizeLod,
            Op::ImageQuerySize,
            Op::ImageQueryLod,
            Op::ImageQueryLevels,
            Op::ImageQuerySamples,
            Op::ImageSampleImplicitLod,
            Op::ImageSampleExplicitLod,
            Op::ImageSampleDrefImplicitLod,
            Op::ImageSampleDrefExplicitLod,
            Op::ImageSampleProjImplicitLod,
            Op::ImageSampleProjExplicitLod,
            Op::ImageSampleProjDrefImplicitLod,
            Op::ImageSampleProjDrefExplicitLod,
            Op::ImageFetch,
            Op::ImageGather,
            Op::ImageDrefGather,
            Op::ImageRead,
            Op::ImageSparseSampleImplicitLod,
            Op::ImageSparseSampleExplicitLod,
            Op::ImageSparseSampleDrefImplicitLod,
            Op::ImageSparseSampleDrefExplicitLod,
            Op::ImageSparseSampleProjImplicitLod,
            Op::ImageSparseSampleProjExplicitLod,
            Op::ImageSparseSampleProjDrefImplicitLod,
            Op::ImageSparseSampleProjDrefExplicitLod,
            Op::ImageSparseFetch,
            Op::ImageSparseGather,
            Op::ImageSparseDrefGather,
            Op::ImageSparseRead,
            Op::ImageSampleFootprintNV,
            Op::FragmentMaskFetchAMD,
            Op::FragmentFetchAMD,
            Op::ColorAttachmentReadEXT,
        ],
    ),
    (Facts::of(F::Image).writes(&[0]), &[Op::ImageWrite]),
    (Facts::of(F::ImageProcessing).reads(&[0]), &[Op::ImageBoxFilterQCOM]),
    (
        Facts::of(F::ImageProcessing).reads(&[0, 2]),
        &[
            Op::ImageSampleWeightedQCOM,
            Op::ImageBlockMatchSSDQCOM,
            Op::ImageBlockMatchSADQCOM,
            Op::ImageBlockMatchWindowSSDQCOM,
            Op::ImageBlockMatchWindowSADQCOM,
            Op::ImageBlockMatchGatherSSDQCOM,
            Op::ImageBlockMatchGatherSADQCOM,
        ],
    ),
    (
        Facts::float(F::Group).executes_in(0),
        &[Op::GroupNonUniformFAdd, Op::GroupNonUniformFMul, Op::GroupNonUniformFMin, Op::GroupNonUniformFMax],
    ),
    (
        Facts::of(F::Group).executes_in(0),
        &[
            Op::GroupNonUniformElect,
            Op::GroupNonUniformAll,
            Op::GroupNonUniformAny,
            Op::GroupNonUniformAllEqual,
            Op::GroupNonUniformBroadcast,
            Op::GroupNonUniformBroadcastFirst,
            Op::GroupNonUniformBallot,
            Op::GroupNonUniformInverseBallot,
            Op::GroupNonUniformBallotBitExtract,
            Op::GroupNonUniformBallotBitCount,
            Op::GroupNonUniformBallotFindLSB,
            Op::GroupNonUniformBallotFindMSB,
            Op::GroupNonUniformShuffle,
            Op::GroupNonUniformShuffleXor,
            Op::GroupNonUniformShuffleUp,
            Op::GroupNonUniformShuffleDown,
            Op::GroupNonUniformIAdd,
            Op::GroupNonUniformIMul,
            Op::GroupNonUniformSMin,
            Op::GroupNonUniformUMin,
            Op::GroupNonUniformSMax,
            Op::GroupNonUniformUMax,
            Op::GroupNonUniformBitwiseAnd,
            Op::GroupNonUniformBitwiseOr,
            Op::GroupNonUniformBitwiseXor,
            Op::GroupNonUniformLogicalAnd,
            Op::GroupNonUniformLogicalOr,
            Op::GroupNonUniformLogicalXor,
            Op::GroupNonUniformQuadBroadcast,
            Op::GroupNonUniformQuadSwap,
            Op::GroupNonUniformRotateKHR,
            Op::GroupIAddNonUniformAMD,
            Op::GroupFAddNonUniformAMD,
            Op::GroupFMinNonUniformAMD,
            Op::GroupUMinNonUniformAMD,
            Op::GroupSMinNonUniformAMD,
            Op::GroupFMaxNonUniformAMD,
            Op::GroupUMaxNonUniformAMD,
            Op::GroupSMaxNonUniformAMD,
        ],
    ),
    (
        Facts::of(F::UniformGroup).executes_in(0),
        &[
            Op::GroupAll,
            Op::GroupAny,
            Op::GroupBroadcast,
            Op::GroupIAdd,
            Op::GroupFAdd,
            Op::GroupFMin,
            Op::GroupUMin,
            Op::GroupSMin,
            Op::GroupFMax,
            Op::GroupUMax,
            Op::GroupSMax,
            Op::GroupIMulKHR,
            Op::GroupFMulKHR,
            Op::GroupBitwiseAndKHR,
            Op::GroupBitwiseOrKHR,
            Op::GroupBitwiseXorKHR,
            Op::GroupLogicalAndKHR,
            Op::GroupLogicalOrKHR,
            Op::GroupLogicalXorKHR,
        ],
    ),
    (
        Facts::of(F::Group),
        &[
            Op::GroupNonUniformQuadAllKHR,
            Op::GroupNonUniformQuadAnyKHR,
            Op::GroupNonUniformPartitionEXT,
            Op::SubgroupBallotKHR,
            Op::SubgroupFirstInvocationKHR,
            Op::SubgroupAllKHR,
            Op::SubgroupAnyKHR,
            Op::SubgroupAllEqualKHR,
            Op::SubgroupReadInvocationKHR,
        ],
    ),
    (
        Facts::of(F::TensorLayout),
        &[
            Op::CreateTensorLayoutNV,
            Op::TensorLayoutSetDimensionNV,
            Op::TensorLayoutSetStrideNV,
            Op::TensorLayoutSliceNV,
            Op::TensorLayoutSetClampValueNV,
            Op::CreateTensorViewNV,
            Op::TensorViewSetDimensionNV,
            Op::TensorViewSetStrideNV,
            Op::TensorViewSetClipNV,
            Op::TensorLayoutSetBlockSizeNV,
        ],
    ),
    (
        Facts::of(F::Cooperative),
        &[
            Op::CooperativeMatrixMulAddKHR,
            Op::CooperativeMatrixLengthKHR,
            Op::CooperativeMatrixMulAddNV,
            Op::CooperativeMatrixLengthNV,
            Op::CooperativeMatrixConvertNV,
            Op::CooperativeMatrixTransposeNV,
            Op::CooperativeMatrixPerElementOpNV,
            Op::CooperativeMatrixReduceNV,
            Op::BitCastArrayQCOM,
            Op::ExtractSubArrayQCOM,
            Op::CompositeConstructCoopMatQCOM,
            Op::CompositeExtractCoopMatQCOM,
        ],
    ),
    (
        Facts::of(F::Cooperative).reads(&[0]),
        &[
            Op::CooperativeMatrixLoadKHR,
            Op::CooperativeMatrixLoadNV,
            Op::CooperativeMatrixLoadTensorNV,
            Op::CooperativeVectorLoadNV,
        ],
    ),
    (
        Facts::of(F::Cooperative).writes(&[0]),
        &[
            Op::CooperativeMatrixStoreKHR,
            Op::CooperativeMatrixStoreNV,
            Op::CooperativeMatrixStoreTensorNV,
            Op::CooperativeVectorStoreNV,
        ],
    ),
    (Facts::of(F::Cooperative).reads(&[2]), &[Op::CooperativeVectorMatrixMulNV]),
    (Facts::of(F::Cooperative).reads(&[2, 5]), &[Op::CooperativeVectorMatrixMulAddNV]),
    // They add to memory atomically.
    (
        Facts::of(F::Cooperative).reads(&[0]).writes(&[0]),
        &[Op::CooperativeVectorOuterProductAccumulateNV, Op::CooperativeVectorReduceSumAccumulateNV],
    ),
    (Facts::of(F::Tensor).reads(&[0]), &[Op::TensorReadARM, Op::TensorQuerySizeARM]),
    (Facts::of(F::Tensor).writes(&[0]), &[Op::TensorWriteARM]),
    (Facts::of(F::RayQuery), &[Op::ConvertUToAccelerationStructureKHR]),
    (Facts::of(F::RayQuery).reads(&[1]).writes(&[0]), &[Op::RayQueryInitializeKHR]),
    (
        Facts::of(F::RayQuery).reads(&[0]).writes(&[0]),
        &[
            Op::RayQueryTerminateKHR,
            Op::RayQueryGenerateIntersectionKHR,
            Op::RayQueryConfirmIntersectionKHR,
            Op::RayQueryProceedKHR,
        ],
    ),
    (
        Facts::of(F::RayQuery).reads(&[0]),
        &[
            Op::RayQueryGetIntersectionTypeKHR,
            Op::RayQueryGetIntersectionTriangleVertexPositionsKHR,
            Op::RayQueryGetIntersectionClusterIdNV,
            Op::RayQueryGetIntersectionSpherePositionNV,
            Op::RayQueryGetIntersectionSphereRadiusNV,
            Op::RayQueryGetIntersectionLSSPositionsNV,
            Op::RayQueryGetIntersectionLSSRadiiNV,
            Op::RayQueryGetIntersectionLSSHitValueNV,
            Op::RayQueryIsSphereHitNV,
            Op::RayQueryIsLSSHitNV,
            Op::RayQueryGetRayTMinKHR,
            Op::RayQueryGetRayFlagsKHR,
            Op::RayQueryGetIntersectionTKHR,
            Op::RayQueryGetIntersectionInstanceCustomIndexKHR,
            Op::RayQueryGetIntersectionInstanceIdKHR,
            Op::RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR,
            Op::RayQueryGetIntersectionGeometryIndexKHR,
            Op::RayQueryGetIntersectionPrimitiveIndexKHR,
            Op::RayQueryGetIntersectionBarycentricsKHR,
            Op::RayQueryGetIntersectionFrontFaceKHR,
            Op::RayQueryGetIntersectionCandidateAABBOpaqueKHR,
            Op::RayQueryGetIntersectionObjectRayDirectionKHR,
            Op::RayQueryGetIntersectionObjectRayOriginKHR,
            Op::RayQueryGetWorldRayDirectionKHR,
            Op::RayQueryGetWorldRayOriginKHR,
            Op::RayQueryGetIntersectionObjectToWorldKHR,
            Op::RayQueryGetIntersectionWorldToObjectKHR,
        ],
    ),
    // The payload, too, is read and written.
    (Facts::ray_tracing(TRACE_STAGES).reads(&[0, 10]).writes(&[10]), &[Op::TraceRayKHR]),
    (Facts::ray_tracing(CALL_STAGES).reads(&[1]).writes(&[1]), &[Op::ExecuteCallableKHR]),
    (Facts::ray_tracing(TRACE_STAGES).reads(&[0, 11]).writes(&[11]), &[Op::TraceRayMotionNV]),
    // Hit objects are variables, as are payloads and attributes.
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[1, 11]).writes(&[0, 11]),
        &[Op::HitObjectTraceRayNV, Op::HitObjectTraceRayEXT, Op::HitObjectTraceReorderExecuteEXT],
    ),
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[1, 12]).writes(&[0, 12]),
        &[
            Op::HitObjectTraceRayMotionNV,
            Op::HitObjectTraceRayMotionEXT,
            Op::HitObjectTraceMotionReorderExecuteEXT,
        ],
    ),
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[0, 1]).writes(&[1]),
        &[Op::HitObjectExecuteShaderNV, Op::HitObjectExecuteShaderEXT, Op::HitObjectReorderExecuteShaderEXT],
    ),
    (
        Facts::ray_tracing(TRACE_STAGES).writes(&[0]),
        &[
            Op::HitObjectRecordEmptyNV,
            Op::HitObjectRecordEmptyEXT,
            Op::HitObjectRecordMissNV,
            Op::HitObjectRecordMissEXT,
            Op::HitObjectRecordMissMotionNV,
            Op::HitObjectRecordMissMotionEXT,
            Op::HitObjectSetShaderBindingTableRecordIndexEXT,
        ],
    ),
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[1, 12]).writes(&[0]),
        &[Op::HitObjectRecordHitNV, Op::HitObjectRecordHitWithIndexMotionNV],
    ),
    (Facts::ray_tracing(TRACE_STAGES).reads(&[1, 13]).writes(&[0]), &[Op::HitObjectRecordHitMotionNV]),
    (Facts::ray_tracing(TRACE_STAGES).reads(&[1, 11]).writes(&[0]), &[Op::HitObjectRecordHitWithIndexNV]),
    (Facts::ray_tracing(TRACE_STAGES).reads(&[1, 3]).writes(&[0]), &[Op::HitObjectRecordFromQueryEXT]),
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[0]).writes(&[1]),
        &[Op::HitObjectGetAttributesNV, Op::HitObjectGetAttributesEXT],
    ),
    (
        Facts::ray_tracing(&[Model::RayGenerationKHR]),
        &[Op::ReorderThreadWithHintNV, Op::ReorderThreadWithHintEXT],
    ),
    (
        Facts::ray_tracing(&[Model::RayGenerationKHR]).reads(&[0]),
        &[Op::ReorderThreadWithHitObjectNV, Op::ReorderThreadWithHitObjectEXT],
    ),
    (
        Facts::ray_tracing(TRACE_STAGES).reads(&[0]),
        &[
            Op::HitObjectGetWorldToObjectNV,
            Op::HitObjectGetWorldToObjectEXT,
            Op::HitObjectGetObjectToWorldNV,
            Op::HitObjectGetObjectToWorldEXT,
            Op::HitObjectGetObjectRayDirectionNV,
            Op::HitObjectGetObjectRayDirectionEXT,
            Op::HitObjectGetObjectRayOriginNV,
            Op::HitObjectGetObjectRayOriginEXT,
            Op::HitObjectGetWorldRayDirectionNV,
            Op::HitObjectGetWorldRayDirectionEXT,
            Op::HitObjectGetWorldRayOriginNV,
            Op::HitObjectGetWorldRayOriginEXT,
            Op::HitObjectGetShaderRecordBufferHandleNV,
            Op::HitObjectGetShaderRecordBufferHandleEXT,
            Op::HitObjectGetShaderBindingTableRecordIndexNV,
            Op::HitObjectGetShaderBindingTableRecordIndexEXT,
            Op::HitObjectGetCurrentTimeNV,
            Op::HitObjectGetCurrentTimeEXT,
            Op::HitObjectGetHitKindNV,
            Op::HitObjectGetHitKindEXT,
            Op::HitObjectGetPrimitiveIndexNV,
            Op::HitObjectGetPrimitiveIndexEXT,
            Op::HitObjectGetGeometryIndexNV,
            Op::HitObjectGetGeometryIndexEXT,
            Op::HitObjectGetInstanceIdNV,
            Op::HitObjectGetInstanceIdEXT,
            Op::HitObjectGetInstanceCustomIndexNV,
            Op::HitObjectGetInstanceCustomIndexEXT,
            Op::HitObjectGetRayTMaxNV,
            Op::HitObjectGetRayTMaxEXT,
            Op::HitObjectGetRayTMinNV,
            Op::HitObjectGetRayTMinEXT,
            Op::HitObjectGetRayFlagsEXT,
            Op::HitObjectGetIntersectionTriangleVertexPositionsEXT,
            Op::HitObjectGetSpherePositionNV,
            Op::HitObjectGetSphereRadiusNV,
            Op::HitObjectGetLSSPositionsNV,
            Op::HitObjectGetLSSRadiiNV,
            Op::HitObjectIsSphereHitNV,
            Op::HitObjectIsLSSHitNV,
            Op::HitObjectGetClusterIdNV,
            Op::HitObjectIsEmptyNV,
            Op::HitObjectIsEmptyEXT,
            Op::HitObjectIsHitNV,
            Op::HitObjectIsHitEXT,
            Op::HitObjectIsMissNV,
            Op::HitObjectIsMissEXT,
        ],
    ),
    // They name the payload by its location.
    (Facts::ray_tracing(TRACE_STAGES).reads(&[0]), &[Op::TraceNV, Op::TraceMotionNV]),
    (Facts::ray_tracing(CALL_STAGES), &[Op::ExecuteCallableNV]),
    (Facts::ray_tracing(&[Model::IntersectionKHR]), &[Op::ReportIntersectionKHR]),
    (Facts::ray_tracing(&[Model::AnyHitKHR]), &[Op::IgnoreIntersectionNV, Op::TerminateRayNV]),
    (
        Facts { is_terminator: true, ..Facts::ray_tracing(&[Model::AnyHitKHR]) },
        &[Op::IgnoreIntersectionKHR, Op::TerminateRayKHR],
    ),
];

/// Whether it is `OpAccessChain` or `OpInBoundsAccessChain`, which go from a typed pointer to a part of what
/// that points to. [`Facts::access_chain`] has the other forms, too.
pub fn is_access_chain(op: Op) -> bool {
    matches!(op, Op::AccessChain | Op::InBoundsAccessChain)
}

#[cfg(test)]
mod tests;
