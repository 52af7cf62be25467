//! Extended instruction sets.

use rspirv::grammar::{LogicalOperand, ext_inst_table};

/// An extended instruction set, by the name that `OpExtInstImport` gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExtInstSet {
    /// `GLSL.std.450`
    GlslStd450,
    /// `NonSemantic.Shader.DebugInfo.100`
    NonSemanticShaderDebugInfo100,
    /// `NonSemantic.DebugPrintf`
    NonSemanticDebugPrintf,
    /// `NonSemantic.DebugBreak`
    NonSemanticDebugBreak,
    /// `NonSemantic.ClspvReflection.*`
    NonSemanticClspvReflection,
    /// `NonSemantic.VkspReflection.*`
    NonSemanticVkspReflection,
    /// `NonSemantic.GroupedReflection` and every other set whose name starts so: it may be ignored.
    NonSemanticOther,
    /// `OpenCL.std`
    OpenClStd,
    /// `OpenCL.DebugInfo.100`
    OpenClDebugInfo100,
    /// `DebugInfo`
    DebugInfo,
    /// `SPV_AMD_shader_ballot`
    AmdShaderBallot,
    /// `SPV_AMD_gcn_shader`
    AmdGcnShader,
    /// `SPV_AMD_shader_trinary_minmax`
    AmdShaderTrinaryMinmax,
    /// `SPV_AMD_shader_explicit_vertex_parameter`
    AmdShaderExplicitVertexParameter,
    /// `Arm.MotionEngine.100`
    ArmMotionEngine100,
    /// `TOSA.001000.1`
    Tosa0010001,
    /// Any other.
    Unknown,
}

impl ExtInstSet {
    /// The set of a name.
    pub fn from_name(name: &str) -> ExtInstSet {
        use ExtInstSet::*;
        match name {
            "GLSL.std.450" => GlslStd450,
            "NonSemantic.Shader.DebugInfo.100" => NonSemanticShaderDebugInfo100,
            "NonSemantic.DebugPrintf" => NonSemanticDebugPrintf,
            "NonSemantic.DebugBreak" => NonSemanticDebugBreak,
            "OpenCL.std" => OpenClStd,
            "OpenCL.DebugInfo.100" => OpenClDebugInfo100,
            "DebugInfo" => DebugInfo,
            "SPV_AMD_shader_ballot" => AmdShaderBallot,
            "SPV_AMD_gcn_shader" => AmdGcnShader,
            "SPV_AMD_shader_trinary_minmax" => AmdShaderTrinaryMinmax,
            "SPV_AMD_shader_explicit_vertex_parameter" => AmdShaderExplicitVertexParameter,
            "Arm.MotionEngine.100" => ArmMotionEngine100,
            "TOSA.001000.1" => Tosa0010001,
            _ if name.starts_with("NonSemantic.ClspvReflection") => NonSemanticClspvReflection,
            _ if name.starts_with("NonSemantic.VkspReflection") => NonSemanticVkspReflection,
            _ if name.starts_with("NonSemantic.") => NonSemanticOther,
            _ => Unknown,
        }
    }

    /// The name under which `rspirv` keeps the set's grammar, if it has it.
    pub(crate) fn grammar_name(self) -> Option<&'static str> {
        use ExtInstSet::*;
        Some(match self {
            GlslStd450 => "GLSL.std.450",
            NonSemanticShaderDebugInfo100 => "NonSemantic.Shader.DebugInfo.100",
            NonSemanticDebugPrintf => "NonSemantic.DebugPrintf",
            NonSemanticDebugBreak => "NonSemantic.DebugBreak",
            NonSemanticClspvReflection => "NonSemantic.ClspvReflection",
            NonSemanticVkspReflection => "NonSemantic.VkspReflection",
            OpenClStd => "OpenCL.std",
            OpenClDebugInfo100 => "OpenCL.DebugInfo.100",
            DebugInfo => "DebugInfo",
            AmdShaderBallot => "SPV_AMD_shader_ballot",
            AmdGcnShader => "SPV_AMD_gcn_shader",
            AmdShaderTrinaryMinmax => "SPV_AMD_shader_trinary_minmax",
            AmdShaderExplicitVertexParameter => "SPV_AMD_shader_explicit_vertex_parameter",
            ArmMotionEngine100 => "Arm.MotionEngine.100",
            Tosa0010001 => "TOSA.001000.1",
            NonSemanticOther | Unknown => return None,
        })
    }

    /// Whether its instructions do not change what a module means, so that they may be skipped.
    pub fn is_non_semantic(self) -> bool {
        use ExtInstSet::*;
        matches!(
            self,
            NonSemanticShaderDebugInfo100
                | NonSemanticDebugPrintf
                | NonSemanticDebugBreak
                | NonSemanticClspvReflection
                | NonSemanticVkspReflection
                | NonSemanticOther
                | OpenClDebugInfo100
                | DebugInfo
        )
    }

    /// Whether operands may be literals; those of every other set are ids.
    pub(crate) fn has_literal_operands(self) -> bool {
        matches!(self, ExtInstSet::OpenClStd | ExtInstSet::OpenClDebugInfo100 | ExtInstSet::DebugInfo)
    }

    /// The name of an instruction of the set.
    pub fn instruction_name(self, number: u32) -> Option<&'static str> {
        Some(ext_inst_table(self.grammar_name()?)?.lookup_opcode(number)?.opname)
    }

    /// The number of the instruction with a name.
    pub fn instruction_number(self, name: &str) -> Option<u32> {
        let table = ext_inst_table(self.grammar_name()?)?;
        table.iter().find(|entry| entry.opname == name).map(|entry| entry.opcode.into())
    }

    /// The grammar of the operands of an instruction of the set.
    pub fn instruction_operands(self, number: u32) -> Option<&'static [LogicalOperand]> {
        Some(ext_inst_table(self.grammar_name()?)?.lookup_opcode(number)?.operands)
    }
}
