//! Every instruction that can stand in a block, and the family that lowers it.

use crate::atomic::is_atomic;
use crate::context::Lowerer;
use pyro_spirv::facts::facts;
use crate::error::{ErrorKind, Result};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// Lowers an instruction that is no terminator, apart from what the float modes add.
    pub(crate) fn lower_by_family(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::Line | Op::NoLine => {
                self.b.loc = self.locations.intern(self.module.location(inst.index()));
                Ok(())
            }
            op if facts(op).is_silent() => Ok(()),
            Op::Undef => {
                // Of a type that has no values here it may stand as long as nothing uses it.
                let ty = self.result_type(inst)?;
                match self.zeros(ty) {
                    Ok(value) => self.define(inst, value),
                    Err(error) if error.kind == ErrorKind::Unsupported => Ok(()),
                    Err(error) => Err(error),
                }
            }
            Op::FunctionCall => self.lower_call(inst),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => self.lower_ext_inst(inst),

            Op::Load
            | Op::Store
            | Op::Variable
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
            | Op::ArrayLength
            | Op::UntypedArrayLengthKHR
            | Op::BufferPointerEXT
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::ConvertUToPtr
            | Op::ConvertPtrToU
            | Op::PtrEqual
            | Op::PtrNotEqual
            | Op::PtrDiff => self.lower_memory(inst),

            Op::IAdd
            | Op::FAdd
            | Op::ISub
            | Op::FSub
            | Op::IMul
            | Op::FMul
            | Op::UDiv
            | Op::SDiv
            | Op::FDiv
            | Op::UMod
            | Op::SRem
            | Op::SMod
            | Op::FRem
            | Op::FMod
            | Op::SNegate
            | Op::FNegate
            | Op::IAddCarry
            | Op::ISubBorrow
            | Op::UMulExtended
            | Op::SMulExtended
            | Op::Dot
            | Op::SDot
            | Op::UDot
            | Op::SUDot
            | Op::SDotAccSat
            | Op::UDotAccSat
            | Op::SUDotAccSat
            | Op::IAddSatINTEL
            | Op::UAddSatINTEL
            | Op::ISubSatINTEL
            | Op::USubSatINTEL
            | Op::AbsISubINTEL
            | Op::AbsUSubINTEL
            | Op::IMul32x16INTEL
            | Op::UMul32x16INTEL
            | Op::IAverageINTEL
            | Op::UAverageINTEL
            | Op::IAverageRoundedINTEL
            | Op::UAverageRoundedINTEL
            | Op::FmaKHR
            | Op::UCountLeadingZerosINTEL
            | Op::UCountTrailingZerosINTEL
            | Op::DPdx
            | Op::DPdy
            | Op::Fwidth
            | Op::DPdxFine
            | Op::DPdyFine
            | Op::FwidthFine
            | Op::DPdxCoarse
            | Op::DPdyCoarse
            | Op::FwidthCoarse => self.lower_arithmetic(inst),

            Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Transpose => self.lower_matrix(inst),

            Op::ShiftLeftLogical
            | Op::ShiftRightLogical
            | Op::ShiftRightArithmetic
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::Not
            | Op::BitFieldInsert
            | Op::BitFieldSExtract
            | Op::BitFieldUExtract
            | Op::BitReverse
            | Op::BitCount => self.lower_bits(inst),

            Op::Any
            | Op::All
            | Op::IsNan
            | Op::IsInf
            | Op::IsFinite
            | Op::IsNormal
            | Op::SignBitSet
            | Op::LessOrGreater
            | Op::Ordered
            | Op::Unordered
            | Op::LogicalEqual
            | Op::LogicalNotEqual
            | Op::LogicalOr
            | Op::LogicalAnd
            | Op::LogicalNot
            | Op::Select
            | Op::IEqual
            | Op::INotEqual
            | Op::UGreaterThan
            | Op::SGreaterThan
            | Op::UGreaterThanEqual
            | Op::SGreaterThanEqual
            | Op::ULessThan
            | Op::SLessThan
            | Op::ULessThanEqual
            | Op::SLessThanEqual
            | Op::FOrdEqual
            | Op::FUnordEqual
            | Op::FOrdNotEqual
            | Op::FUnordNotEqual
            | Op::FOrdLessThan
            | Op::FUnordLessThan
            | Op::FOrdGreaterThan
            | Op::FUnordGreaterThan
            | Op::FOrdLessThanEqual
            | Op::FUnordLessThanEqual
            | Op::FOrdGreaterThanEqual
            | Op::FUnordGreaterThanEqual => self.lower_logic(inst),

            Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::QuantizeToF16
            | Op::SatConvertSToU
            | Op::SatConvertUToS
            | Op::Bitcast => self.lower_conversion(inst),

            Op::CompositeConstruct
            | Op::CompositeConstructReplicateEXT
            | Op::CompositeExtract
            | Op::CompositeInsert
            | Op::VectorShuffle
            | Op::VectorExtractDynamic
            | Op::VectorInsertDynamic
            | Op::CopyObject
            | Op::CopyLogical
            | Op::ExpectKHR
            | Op::AssumeTrueKHR => self.lower_composite(inst),

            Op::ControlBarrier | Op::MemoryBarrier => self.lower_atomic(inst),
            op if is_atomic(op) => self.lower_atomic(inst),

            Op::SetMeshOutputsEXT => {
                let counts = [self.scalar(inst.id(0))?, self.scalar(inst.id(1))?];
                let stage = self.stage;
                stage.set_mesh_outputs(self, counts)
            }
            Op::WritePackedPrimitiveIndices4x8NV => {
                let (first, packed) = (self.scalar(inst.id(0))?, self.scalar(inst.id(1))?);
                let stage = self.stage;
                stage.write_packed_indices(self, first, packed)
            }
            Op::EmitVertex | Op::EndPrimitive | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                self.lower_emission(inst)
            }
            Op::DemoteToHelperInvocation => {
                let stage = self.stage;
                stage.demote(self)
            }
            // Fragments of one pixel run one after another anyway, in the order of their primitives.
            Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => Ok(()),
            Op::IsHelperInvocationEXT => {
                let stage = self.stage;
                let helper = stage.is_helper(self)?;
                self.define_scalar(inst, helper)
            }
            op if crate::ray_query::is_ray_query(op) => self.lower_ray_query(inst),
            op if crate::ray::is_ray(op) => self.lower_ray(inst),
            op if crate::image::is_image(op) => self.lower_image(inst),
            op if crate::image::is_processing(op) => self.lower_processing(inst),
            op if crate::tensor::is_tensor(op) => self.lower_tensor(inst),
            op if crate::group::is_group(op) => self.lower_group(inst),
            op if crate::node::is_node(op) => self.lower_node(inst),
            op if crate::cooperative::is_cooperative(op) => self.lower_cooperative(inst),
            _ => self.unsupported(inst),
        }
    }

    /// `OpExtInst` by its set.
    fn lower_ext_inst(&mut self, inst: Instruction<'m>) -> Result {
        use pyro_spirv::ExtInstSet as S;
        match inst.ext_inst() {
            Some((S::GlslStd450, number)) => self.lower_glsl(inst, number),
            Some((S::AmdShaderBallot | S::AmdGcnShader | S::AmdShaderTrinaryMinmax, _)) => {
                self.lower_amd(inst)
            }
            Some((S::AmdShaderExplicitVertexParameter, 1)) => self.interpolate_at_vertex(inst),
            Some((set, _)) if set.is_non_semantic() => {
                // Lines among them hold until the next.
                if set == S::NonSemanticShaderDebugInfo100 {
                    self.b.loc = self.locations.intern(self.module.location(inst.index()));
                }
                Ok(())
            }
            Some((set, number)) => {
                let name = set.instruction_name(number).unwrap_or("?");
                crate::error::unsupported(format!("the extended instruction {name} ({number}) of {set:?}"))
            }
            None => crate::error::invalid(format!("{inst:?} names no imported set")),
        }
    }
}
