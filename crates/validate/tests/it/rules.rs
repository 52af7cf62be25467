//! Each rule has a module that keeps it and one that breaks it.

use pyro_spirv::Module;
use pyro_spirv::asm::assemble;
use pyro_validate::{ConstructKind, Diagnostic, Environment, check, validate};

/// Declarations that the bodies below use.
const DECLARATIONS: &str = "
    OpCapability Shader
    %std = OpExtInstImport \"GLSL.std.450\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\" %gid
    OpExecutionMode %main LocalSize 8 1 1
    OpDecorate %gid BuiltIn GlobalInvocationId
    OpDecorate %Block Block
    OpMemberDecorate %Block 0 Offset 0
    OpMemberDecorate %Block 1 Offset 16
    OpDecorate %floats ArrayStride 4
    OpDecorate %buffer DescriptorSet 0
    OpDecorate %buffer Binding 0
    OpDecorate %tex DescriptorSet 0
    OpDecorate %tex Binding 1
    OpDecorate %sampler DescriptorSet 0
    OpDecorate %sampler Binding 2
    OpDecorate %storage DescriptorSet 0
    OpDecorate %storage Binding 3
    %void = OpTypeVoid
    %bool = OpTypeBool
    %int = OpTypeInt 32 1
    %uint = OpTypeInt 32 0
    %short = OpTypeInt 16 1
    %float = OpTypeFloat 32
    %bool2 = OpTypeVector %bool 2
    %int2 = OpTypeVector %int 2
    %uint3 = OpTypeVector %uint 3
    %uint4 = OpTypeVector %uint 4
    %float2 = OpTypeVector %float 2
    %float3 = OpTypeVector %float 3
    %float4 = OpTypeVector %float 4
    %mat23 = OpTypeMatrix %float3 2
    %mat32 = OpTypeMatrix %float2 3
    %mat22 = OpTypeMatrix %float2 2
    %true = OpConstantTrue %bool
    %c0 = OpConstant %int 0
    %c1 = OpConstant %int 1
    %c2 = OpConstant %int 2
    %u0 = OpConstant %uint 0
    %u1 = OpConstant %uint 1
    %u2 = OpConstant %uint 2
    %u3 = OpConstant %uint 3
    %u264 = OpConstant %uint 264
    %s1 = OpConstant %short 1
    %f1 = OpConstant %float 1
    %four = OpConstant %uint 4
    %spec = OpSpecConstant %int 1
    %array = OpTypeArray %float %four
    %floats = OpTypeRuntimeArray %float
    %Block = OpTypeStruct %float4 %floats
    %pair = OpTypeStruct %float %int
    %carry = OpTypeStruct %uint %uint
    %v2 = OpConstantComposite %float2 %f1 %f1
    %v3 = OpConstantComposite %float3 %f1 %f1 %f1
    %v4 = OpConstantComposite %float4 %f1 %f1 %f1 %f1
    %i2 = OpConstantComposite %int2 %c0 %c1
    %b2 = OpConstantComposite %bool2 %true %true
    %m23 = OpConstantComposite %mat23 %v3 %v3
    %m22 = OpConstantComposite %mat22 %v2 %v2
    %ballot = OpConstantComposite %uint4 %u1 %u1 %u1 %u1
    %array_value = OpConstantComposite %array %f1 %f1 %f1 %f1
    %pair_value = OpConstantComposite %pair %f1 %c1
    %image = OpTypeImage %float 2D 0 0 0 1 Unknown
    %image2 = OpTypeImage %float 2D 0 0 0 2 R32f
    %sampled = OpTypeSampledImage %image
    %sampler_type = OpTypeSampler
    %p_buffer = OpTypePointer Uniform %Block
    %p_buffer_float = OpTypePointer Uniform %float
    %p_buffer_vec = OpTypePointer Uniform %float4
    %p_buffer_floats = OpTypePointer Uniform %floats
    %p_int = OpTypePointer Function %int
    %p_float = OpTypePointer Function %float
    %p_array = OpTypePointer Function %array
    %p_pair = OpTypePointer Function %pair
    %p_shared = OpTypePointer Workgroup %uint
    %p_in = OpTypePointer Input %uint3
    %p_tex = OpTypePointer UniformConstant %image
    %p_storage = OpTypePointer UniformConstant %image2
    %p_sampler = OpTypePointer UniformConstant %sampler_type
    %p_texel = OpTypePointer Image %float
    %gid = OpVariable %p_in Input
    %buffer = OpVariable %p_buffer Uniform
    %shared = OpVariable %p_shared Workgroup
    %tex = OpVariable %p_tex UniformConstant
    %storage = OpVariable %p_storage UniformConstant
    %sampler = OpVariable %p_sampler UniformConstant
    %fn = OpTypeFunction %void
    %fn_float = OpTypeFunction %float %float %int
";

const HELPER: &str = "
    %helper = OpFunction %float None %fn_float
    %x = OpFunctionParameter %float
    %n = OpFunctionParameter %int
    %helper_entry = OpLabel
    OpReturnValue %x
    OpFunctionEnd
";

/// Enough of a text to find it again.
fn excerpt(text: &str) -> &str {
    &text[text.len().saturating_sub(1500)..]
}

/// The rule of the first finding, to compare with a literal.
pub(crate) fn first_rule(found: &[Diagnostic]) -> &'static str {
    found[0].rule.to_string().leak()
}

pub(crate) fn check_text(text: &str) -> Result<(), Vec<Diagnostic>> {
    let words = assemble(text).unwrap_or_else(|error| panic!("{error}\n{}", excerpt(text)));
    let module = Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{}", excerpt(text)));
    check(&module, &Environment::default()).map(|_| ())
}

/// A module whose entry point has this body (labels and terminators included).
fn with_body(body: &str) -> String {
    format!(
        "; Version: 1.3\n{DECLARATIONS}\n%main = OpFunction %void None %fn\n{body}\nOpFunctionEnd\n{HELPER}"
    )
}

#[track_caller]
fn accepts(body: &str) {
    if let Err(found) = check_text(&with_body(body)) {
        panic!("refused: {}\n{body}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
}

#[track_caller]
fn refuses(rule: &str, body: &str) {
    match check_text(&with_body(body)) {
        Ok(()) => panic!("accepted:\n{body}"),
        Err(found) => assert!(
            found.iter().any(|diagnostic| diagnostic.rule == rule),
            "{rule} expected, found {found:?}\n{body}"
        ),
    }
}

/// Instructions of one block.
#[track_caller]
fn fine(insts: &str) {
    accepts(&format!("%entry = OpLabel\n{insts}\nOpReturn"));
}

#[track_caller]
fn wrong(rule: &str, insts: &str) {
    refuses(rule, &format!("%entry = OpLabel\n{insts}\nOpReturn"));
}

#[test]
fn arithmetic() {
    fine("%r = OpIAdd %int %c0 %u1\n%s = OpIAdd %uint %c0 %c1\n%t = OpFMul %float3 %v3 %v3");
    wrong("OpIAdd", "%r = OpIAdd %int %c0 %f1");
    wrong("OpIAdd", "%r = OpIAdd %int %c0 %s1");
    wrong("OpIAdd", "%r = OpIAdd %int2 %i2 %c0");
    wrong("OpIAdd", "%r = OpIAdd %float %f1 %f1");
    wrong("OpFAdd", "%r = OpFAdd %float2 %v2 %v3");
    wrong("OpFAdd", "%r = OpFAdd %int %c0 %c1");
    fine("%r = OpUDiv %uint %u1 %u1");
    wrong("OpUDiv", "%r = OpUDiv %int %c0 %c1");
    fine("%r = OpVectorTimesScalar %float3 %v3 %f1\n%s = OpMatrixTimesScalar %mat23 %m23 %f1");
    wrong("OpVectorTimesScalar", "%r = OpVectorTimesScalar %float3 %v3 %c0");
    wrong("OpVectorTimesScalar", "%r = OpVectorTimesScalar %mat23 %m23 %f1");
    wrong("OpVectorTimesScalar", "%r = OpVectorTimesScalar %float %f1 %f1");
    fine("%r = OpMatrixTimesVector %float3 %m23 %v2\n%s = OpVectorTimesMatrix %float2 %v3 %m23");
    wrong("OpMatrixTimesVector", "%r = OpMatrixTimesVector %float3 %m23 %v3");
    wrong("OpVectorTimesMatrix", "%r = OpVectorTimesMatrix %float3 %v3 %m23");
    fine("%r = OpMatrixTimesMatrix %mat23 %m23 %m22\n%s = OpTranspose %mat32 %m23");
    wrong("OpMatrixTimesMatrix", "%r = OpMatrixTimesMatrix %mat23 %m22 %m23");
    wrong("OpTranspose", "%r = OpTranspose %mat23 %m23");
    fine("%r = OpOuterProduct %mat23 %v3 %v2\n%s = OpDot %float %v3 %v3");
    wrong("OpOuterProduct", "%r = OpOuterProduct %mat23 %v2 %v3");
    wrong("OpDot", "%r = OpDot %float %v3 %v2");
    wrong("OpDot", "%r = OpDot %int %v3 %v3");
    fine("%r = OpIAddCarry %carry %u1 %u1");
    wrong("OpIAddCarry", "%r = OpIAddCarry %pair %u1 %u1");
    wrong("OpIAddCarry", "%r = OpIAddCarry %carry %c1 %c1");
    fine("%r = OpShiftLeftLogical %int %c0 %u1\n%s = OpShiftLeftLogical %int %c0 %s1");
    wrong("OpShiftLeftLogical", "%r = OpShiftLeftLogical %int2 %i2 %c0");
    fine("%r = OpBitFieldInsert %int %c0 %c1 %u0 %u1\n%s = OpBitCount %int %u1");
    wrong("OpBitFieldInsert", "%r = OpBitFieldInsert %int %c0 %f1 %u0 %u1");
    wrong("OpBitFieldSExtract", "%r = OpBitFieldSExtract %int %c0 %f1 %u1");
    wrong("OpBitCount", "%r = OpBitCount %int %f1");
    wrong("OpBitReverse", "%r = OpBitReverse %float %f1");
}

#[test]
fn logic_and_comparison() {
    fine("%r = OpSLessThan %bool %c0 %c1\n%s = OpIEqual %bool2 %i2 %i2\n%t = OpFOrdLessThan %bool %f1 %f1");
    wrong("OpSLessThan", "%r = OpSLessThan %int %c0 %c1");
    wrong("OpIEqual", "%r = OpIEqual %bool %i2 %i2");
    wrong("OpIEqual", "%r = OpIEqual %bool %c0 %f1");
    wrong("OpFOrdLessThan", "%r = OpFOrdLessThan %bool %c0 %c1");
    fine("%r = OpLogicalAnd %bool %true %true\n%s = OpAny %bool %b2\n%t = OpIsNan %bool2 %v2");
    wrong("OpLogicalAnd", "%r = OpLogicalAnd %bool %c0 %c1");
    wrong("OpLogicalNot", "%r = OpLogicalNot %bool %b2");
    wrong("OpAny", "%r = OpAny %bool %true");
    wrong("OpIsNan", "%r = OpIsNan %bool %v2");
    fine("%r = OpSelect %float %true %f1 %f1\n%s = OpSelect %float2 %b2 %v2 %v2");
    wrong("OpSelect", "%r = OpSelect %float %c0 %f1 %f1");
    wrong("OpSelect", "%r = OpSelect %float %true %f1 %c1");
    wrong("OpSelect", "%r = OpSelect %float3 %b2 %v3 %v3");
}

#[test]
fn conversions() {
    fine("%r = OpConvertSToF %float %c0\n%s = OpConvertFToU %uint %f1\n%t = OpSConvert %short %c0");
    wrong("OpConvertSToF", "%r = OpConvertSToF %float %f1");
    wrong("OpConvertSToF", "%r = OpConvertSToF %float2 %c0");
    wrong("OpConvertFToU", "%r = OpConvertFToU %float %f1");
    wrong("OpSConvert", "%r = OpSConvert %short %f1");
    fine("%r = OpBitcast %float %c0\n%s = OpBitcast %int2 %v2\n%t = OpQuantizeToF16 %float3 %v3");
    wrong("OpBitcast", "%r = OpBitcast %float2 %c0");
    wrong("OpBitcast", "%r = OpBitcast %bool %c0");
    wrong("OpBitcast", "%r = OpBitcast %float4 %m22");
    wrong("OpQuantizeToF16", "%r = OpQuantizeToF16 %int %c0");
    wrong("OpConvertPtrToU", "%v = OpVariable %p_int Function\n%r = OpConvertPtrToU %uint %v");
}

#[test]
fn composites() {
    fine("%r = OpCompositeConstruct %float4 %v2 %f1 %f1\n%s = OpCompositeConstruct %mat22 %v2 %v2");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %float4 %v2 %f1");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %float2 %f1 %c0");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %float2 %v2");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %pair %f1 %f1");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %array %f1 %f1 %f1");
    wrong("OpCompositeConstruct", "%r = OpCompositeConstruct %float %f1");
    fine("%r = OpCompositeExtract %float %m23 1 2\n%s = OpCompositeExtract %int %pair_value 1");
    wrong("OpCompositeExtract", "%r = OpCompositeExtract %float %m23 2 0");
    wrong("OpCompositeExtract", "%r = OpCompositeExtract %float %m23 1 3");
    wrong("OpCompositeExtract", "%r = OpCompositeExtract %float %array_value 4");
    wrong("OpCompositeExtract", "%r = OpCompositeExtract %int %pair_value 0");
    wrong("OpCompositeExtract", "%r = OpCompositeExtract %float %f1 0");
    wrong("OpCompositeExtract", &format!("%r = OpCompositeExtract %float %m23{}", " 0".repeat(300)));
    fine("%r = OpCompositeInsert %pair %c1 %pair_value 1");
    wrong("OpCompositeInsert", "%r = OpCompositeInsert %pair %c1 %pair_value 0");
    wrong("OpCompositeInsert", "%r = OpCompositeInsert %pair %c1 %pair_value 2");
    fine("%r = OpVectorShuffle %float3 %v2 %v4 5 0 0xffffffff");
    wrong("OpVectorShuffle", "%r = OpVectorShuffle %float3 %v2 %v4 6 0 1");
    wrong("OpVectorShuffle", "%r = OpVectorShuffle %float3 %v2 %v4 0 1");
    wrong("OpVectorShuffle", "%r = OpVectorShuffle %float2 %v2 %i2 0 1");
    fine("%r = OpVectorExtractDynamic %float %v3 %c1\n%s = OpVectorInsertDynamic %float3 %v3 %f1 %c1");
    wrong("OpVectorExtractDynamic", "%r = OpVectorExtractDynamic %float %m23 %c1");
    wrong("OpVectorInsertDynamic", "%r = OpVectorInsertDynamic %float3 %v3 %c1 %c1");
    wrong("OpCopyObject", "%r = OpCopyObject %int %f1");
    fine("%r = OpExpectKHR %int %c1 %c1");
    wrong("OpExpectKHR", "%r = OpExpectKHR %float %f1 %f1");
    wrong("OpExpectKHR", "%r = OpExpectKHR %int %c1 %f1");
    wrong("OpAssumeTrueKHR", "OpAssumeTrueKHR %c1");
    wrong("OpCopyLogical", "%r = OpCopyLogical %pair %pair_value");
}

#[test]
fn memory() {
    let variables = "%v = OpVariable %p_float Function\n%a = OpVariable %p_array Function %array_value\n";
    let fine = |insts: &str| fine(&format!("{variables}{insts}"));
    let wrong = |rule: &str, insts: &str| wrong(rule, &format!("{variables}{insts}"));
    fine("%r = OpLoad %float %v\nOpStore %v %f1\n%s = OpLoad %uint3 %gid");
    wrong("OpLoad", "%r = OpLoad %int %v");
    wrong("OpLoad", "%r = OpLoad %float %f1");
    wrong("OpLoad", "%c = OpAccessChain %p_buffer_floats %buffer %c1\n%r = OpLoad %floats %c");
    wrong("OpLoad", "%r = OpLoad %Block %buffer");
    wrong("OpLoad", "%r = OpLoad %float %v Aligned 3");
    wrong("OpStore", "OpStore %v %c1");
    wrong("OpStore", "%g = OpCompositeConstruct %uint3 %u1 %u1 %u1\nOpStore %gid %g");
    wrong("OpStore", "OpStore %f1 %f1");
    fine("%c = OpAccessChain %p_float %a %spec\n%d = OpAccessChain %p_buffer_float %buffer %c1 %u1");
    fine("%c = OpAccessChain %p_buffer_float %buffer %c0 %spec");
    wrong("OpAccessChain", "%c = OpAccessChain %p_buffer_float %buffer %c2 %u1");
    wrong("OpAccessChain", "%c = OpAccessChain %p_buffer_float %buffer %spec %u1");
    wrong("OpAccessChain", "%c = OpAccessChain %p_float %buffer %c1 %u1");
    wrong("OpAccessChain", "%c = OpAccessChain %p_buffer_vec %buffer %c1 %u1");
    wrong("OpAccessChain", "%c = OpAccessChain %p_float %v %c0");
    wrong("OpAccessChain", "%c = OpAccessChain %p_float %a %f1");
    wrong("OpAccessChain", "%c = OpAccessChain %p_float %array_value %c0");
    wrong("OpPtrAccessChain", "%c = OpPtrAccessChain %p_float %v %c0");
    fine("%l = OpArrayLength %uint %buffer 1");
    wrong("OpArrayLength", "%l = OpArrayLength %uint %buffer 0");
    wrong("OpArrayLength", "%l = OpArrayLength %int %buffer 1");
    wrong("OpArrayLength", "%l = OpArrayLength %uint %a 0");
    fine("OpCopyMemory %a %a");
    wrong("OpCopyMemory", "OpCopyMemory %a %v");
    wrong("OpCopyMemory", "OpCopyMemory %gid %gid");
    wrong("OpVariable", "OpStore %v %f1\n%late = OpVariable %p_float Function");
    wrong("OpVariable", "%late = OpVariable %p_float Function %c1");
    wrong("OpVariable", "%late = OpVariable %p_shared Workgroup");
}

#[test]
fn atomics() {
    fine("%r = OpAtomicIAdd %uint %shared %u2 %u264 %u1\nOpAtomicStore %shared %u2 %u264 %u1");
    fine("%r = OpAtomicCompareExchange %uint %shared %u2 %u264 %u264 %u1 %u1");
    wrong("OpAtomicIAdd", "%r = OpAtomicIAdd %uint %shared %u2 %u264 %f1");
    wrong("OpAtomicIAdd", "%r = OpAtomicIAdd %int %shared %u2 %u264 %c1");
    wrong("OpAtomicIAdd", "%r = OpAtomicIAdd %uint %u1 %u2 %u264 %u1");
    wrong("OpAtomicIAdd", "%v = OpVariable %p_int Function\n%r = OpAtomicIAdd %int %v %u2 %u264 %c1");
    wrong("OpAtomicIAdd", "%r = OpAtomicIAdd %uint %shared %u264 %u264 %u1");
    wrong("OpAtomicLoad", "%scope = OpIAdd %uint %u1 %u1\n%r = OpAtomicLoad %uint %shared %scope %u264");
    wrong("OpAtomicStore", "OpAtomicStore %shared %u2 %u264 %c1");
    fine("OpControlBarrier %u2 %u2 %u264");
    wrong("OpControlBarrier", "OpControlBarrier %f1 %u2 %u264");
    wrong("OpMemoryBarrier", "%l = OpLoad %uint %shared\nOpMemoryBarrier %u2 %l");
}

#[test]
fn calls() {
    fine("%r = OpFunctionCall %float %helper %f1 %c1");
    wrong("OpFunctionCall", "%r = OpFunctionCall %float %helper %f1");
    wrong("OpFunctionCall", "%r = OpFunctionCall %float %helper %c1 %c1");
    wrong("OpFunctionCall", "%r = OpFunctionCall %int %helper %f1 %c1");
    wrong("Every id must be defined", "%r = OpFunctionCall %float %f1 %f1 %c1");
    wrong("OpEntryPoint", "%r = OpFunctionCall %void %main");
    let recursive =
        HELPER.replace("OpReturnValue", "%y = OpFunctionCall %float %helper %x %n\nOpReturnValue");
    let text = with_body("%entry = OpLabel\nOpReturn").replace(HELPER, &recursive);
    assert_eq!(check_text(&text).unwrap_err()[0].rule, "Recursion");
    let wrong_return = HELPER.replace("OpReturnValue %x", "OpReturnValue %n");
    let text = with_body("%entry = OpLabel\nOpReturn").replace(HELPER, &wrong_return);
    assert_eq!(check_text(&text).unwrap_err()[0].rule, "OpReturnValue");
    let no_return = HELPER.replace("OpReturnValue %x", "OpReturn");
    let text = with_body("%entry = OpLabel\nOpReturn").replace(HELPER, &no_return);
    assert_eq!(check_text(&text).unwrap_err()[0].rule, "OpReturn");
    let too_few = HELPER.replace("%n = OpFunctionParameter %int", "");
    let text = with_body("%entry = OpLabel\nOpReturn").replace(HELPER, &too_few);
    assert_eq!(check_text(&text).unwrap_err()[0].rule, "OpFunction");
}

#[test]
fn subgroups() {
    fine("%r = OpGroupNonUniformElect %bool %u3\n%s = OpGroupNonUniformBallot %uint4 %u3 %true");
    wrong("OpGroupNonUniformElect", "%r = OpGroupNonUniformElect %int %u3");
    wrong("OpGroupNonUniformBallot", "%r = OpGroupNonUniformBallot %uint4 %u3 %c1");
    fine(
        "%r = OpGroupNonUniformIAdd %int %u3 Reduce %c1\n%s = OpGroupNonUniformFMax %float2 %u3 InclusiveScan %v2",
    );
    fine("%r = OpGroupNonUniformIAdd %int %u3 ClusteredReduce %c1 %four");
    wrong("OpGroupNonUniformIAdd", "%r = OpGroupNonUniformIAdd %int %u3 ClusteredReduce %c1 %u3");
    wrong("OpGroupNonUniformIAdd", "%r = OpGroupNonUniformIAdd %int %u3 ClusteredReduce %c1");
    wrong("OpGroupNonUniformIAdd", "%r = OpGroupNonUniformIAdd %float %u3 Reduce %f1");
    wrong("OpGroupNonUniformFMax", "%r = OpGroupNonUniformFMax %int %u3 Reduce %c1");
    fine("%r = OpGroupNonUniformShuffle %float %u3 %f1 %u1\n%s = OpGroupNonUniformQuadSwap %int %u3 %c1 %u0");
    wrong("OpGroupNonUniformShuffle", "%r = OpGroupNonUniformShuffle %float %u3 %f1 %c1");
    wrong("OpGroupNonUniformQuadSwap", "%r = OpGroupNonUniformQuadSwap %int %u3 %c1 %u3");
    fine("%r = OpGroupNonUniformBallotBitCount %uint %u3 Reduce %ballot");
    wrong("OpGroupNonUniformBallotBitCount", "%r = OpGroupNonUniformBallotBitCount %uint %u3 Reduce %u1");
    wrong("OpGroupNonUniformAll", "%r = OpGroupNonUniformAll %bool %f1 %true");
}

#[test]
fn images() {
    let load = "%i = OpLoad %image %tex\n%sm = OpLoad %sampler_type %sampler\n%st = OpLoad %image2 %storage\n\
                %si = OpSampledImage %sampled %i %sm\n";
    let fine = |insts: &str| fine(&format!("{load}{insts}"));
    let wrong = |rule: &str, insts: &str| wrong(rule, &format!("{load}{insts}"));
    fine("%r = OpImageSampleExplicitLod %float4 %si %v2 Lod %f1");
    fine("%r = OpImageSampleExplicitLod %float4 %si %v2 Grad|ConstOffset %v2 %v2 %i2");
    wrong("OpImageSampleExplicitLod", "%r = OpImageSampleExplicitLod %float4 %si %v2 Lod %v2");
    wrong("OpImageSampleExplicitLod", "%r = OpImageSampleExplicitLod %float4 %si %f1 Lod %f1");
    wrong("OpImageSampleExplicitLod", "%r = OpImageSampleExplicitLod %float2 %si %v2 Lod %f1");
    wrong("OpImageSampleExplicitLod", "%r = OpImageSampleExplicitLod %float4 %i %v2 Lod %f1");
    wrong("OpImageSampleExplicitLod", "%r = OpImageSampleExplicitLod %float4 %si %v2 Grad %v2 %f1");
    wrong("OpImageSampleImplicitLod", "%r = OpImageSampleImplicitLod %float4 %si %v2 Lod %f1");
    fine("%r = OpImageFetch %float4 %i %i2 Lod %c0\n%s = OpImageGather %float4 %si %v2 %c0");
    wrong("OpImageFetch", "%r = OpImageFetch %float4 %i %v2");
    wrong("OpImageFetch", "%r = OpImageFetch %float4 %st %i2");
    wrong("OpImageFetch", "%r = OpImageFetch %float4 %i %i2 Sample %c0");
    wrong("OpImageGather", "%r = OpImageGather %float4 %si %v2 %four");
    fine("%r = OpImageRead %float4 %st %i2\nOpImageWrite %st %i2 %v4");
    wrong("OpImageRead", "%r = OpImageRead %float4 %i %i2");
    wrong("OpImageWrite", "OpImageWrite %st %c0 %v4");
    wrong("OpImageWrite", "OpImageWrite %st %i2 %i2");
    fine("%r = OpImageTexelPointer %p_texel %storage %i2 %u0");
    wrong("OpImageTexelPointer", "%r = OpImageTexelPointer %p_texel %storage %c0 %u0");
    wrong("OpImageTexelPointer", "%r = OpImageTexelPointer %p_float %storage %i2 %u0");
    fine("%r = OpImageQuerySizeLod %int2 %i %c0\n%s = OpImageQueryLevels %int %i\n%t = OpImage %image %si");
    wrong("OpImageQuerySizeLod", "%r = OpImageQuerySizeLod %int %i %c0");
    wrong("OpImageQueryLevels", "%r = OpImageQueryLevels %int %sm");
    wrong("OpImage", "%r = OpImage %image2 %si");
    wrong("OpSampledImage", "%r = OpSampledImage %sampled %st %sm");
    wrong("OpSampledImage", "%r = OpSampledImage %sampled %i %i");
}

/// Footprints of samples (`SPV_NV_shader_image_footprint`).
#[test]
fn footprints() {
    let found = |result: &str, operands: &str| {
        let load = "%i = OpLoad %image %tex\n%sm = OpLoad %sampler_type %sampler\n\
                    %si = OpSampledImage %sampled %i %sm";
        let footprint = format!("%r = OpImageSampleFootprintNV %footprint {operands}");
        let text = with_body(&format!("%entry = OpLabel\n{load}\n{footprint}\nOpReturn"));
        let declared = "OpCapability Shader\nOpCapability ImageFootprintNV\nOpCapability MinLod\n\
                        OpExtension \"SPV_NV_shader_image_footprint\"";
        let result = format!(
            "%uint2 = OpTypeVector %uint 2\n%other = OpConstantTrue %bool\n%u8 = OpConstant %uint 8\n\
             %footprint = OpTypeStruct {result}\n%main = OpFunction"
        );
        check_text(&text.replacen("OpCapability Shader", declared, 1).replacen(
            "%main = OpFunction",
            &result,
            1,
        ))
    };
    let members = "%bool %uint2 %uint2 %uint2 %uint %uint";
    for operands in [
        "%si %v2 %u1 %true",
        "%si %v2 %c2 %other Bias %f1",
        "%si %v2 %u3 %true Lod %f1",
        "%si %v2 %u3 %true Grad %v2 %v2",
        "%si %v2 %u3 %true Bias|MinLod %f1 %f1",
        "%si %v2 %u3 %true Grad|MinLod %v2 %v2 %f1",
    ] {
        let found = found(members, operands);
        assert!(found.is_ok(), "{operands} {found:?}");
    }
    for (members, operands) in [
        (members, "%i %v2 %u1 %true"),
        (members, "%si %f1 %u1 %true"),
        (members, "%si %v2 %u0 %true"),
        (members, "%si %v2 %u8 %true"),
        (members, "%si %v2 %f1 %true"),
        (members, "%si %v2 %u1 %u1"),
        (members, "%si %v2 %u1 %true Lod|MinLod %f1 %f1"),
        (members, "%si %v2 %u1 %true ConstOffset %i2"),
        (members, "%si %v2 %u1 %true Lod %v2"),
        ("%bool %uint2 %uint2 %uint2 %uint", "%si %v2 %u1 %true"),
        ("%bool %int2 %uint2 %uint2 %uint %uint", "%si %v2 %u1 %true"),
        ("%bool %uint2 %uint3 %uint2 %uint %uint", "%si %v2 %u1 %true"),
        ("%uint %uint2 %uint2 %uint2 %uint %uint", "%si %v2 %u1 %true"),
    ] {
        let found = found(members, operands).expect_err(operands);
        assert!(format!("{found:?}").contains("OpImageSampleFootprintNV"), "{operands} {found:?}");
    }
}

/// Levels of detail of gathers.
#[test]
fn gathers_by_level() {
    let text = |declared: &str, operands: &str| {
        let load = "%i = OpLoad %image %tex\n%sm = OpLoad %sampler_type %sampler\n\
                    %si = OpSampledImage %sampled %i %sm";
        let gather = format!("%r = OpImageGather %float4 %si %v2 %c0 {operands}");
        with_body(&format!("%entry = OpLabel\n{load}\n{gather}\nOpReturn")).replacen(
            "OpCapability Shader",
            declared,
            1,
        )
    };
    let plain = "OpCapability Shader";
    let levels = "OpCapability Shader\nOpCapability ImageGatherBiasLodAMD\n\
                  OpExtension \"SPV_AMD_texture_gather_bias_lod\"";
    for (declared, operands) in [(plain, ""), (levels, ""), (levels, "Bias %f1"), (levels, "Lod %f1")] {
        let found = check_text(&text(declared, operands));
        assert!(found.is_ok(), "{operands} {found:?}");
    }
    for (declared, operands) in [
        (plain, "Bias %f1"),
        (plain, "Lod %f1"),
        (levels, "Bias|Lod %f1 %f1"),
        (levels, "Grad %v2 %v2"),
        (levels, "Lod %v2"),
    ] {
        let found = check_text(&text(declared, operands));
        assert!(format!("{found:?}").contains("OpImageGather"), "{operands} {found:?}");
    }
}

/// The operand `Lod` of storage images, and the fragments of images with several samples.
#[test]
fn texels_by_level_and_fragment() {
    let text = |declared: &str, insts: &str| {
        with_body(&format!("%entry = OpLabel\n%st = OpLoad %image2 %storage\n{insts}\nOpReturn"))
            .replace(
                "%image = OpTypeImage %float 2D 0 0 0 1 Unknown",
                "%image = OpTypeImage %float 2D 0 0 1 1 Unknown",
            )
            .replacen("OpCapability Shader", declared, 1)
    };
    let levels = "OpCapability Shader\nOpCapability ImageReadWriteLodAMD\n\
                  OpExtension \"SPV_AMD_shader_image_load_store_lod\"";
    let fragments = "OpCapability Shader\nOpCapability FragmentMaskAMD\n\
                     OpExtension \"SPV_AMD_shader_fragment_mask\"";
    let load = "%i = OpLoad %image %tex\n";
    let mask = format!("{load}%m = OpFragmentMaskFetchAMD %uint %i %i2");
    let texel = format!("{load}%t = OpFragmentFetchAMD %float4 %i %i2 %u1");
    let read = "%t = OpImageRead %float4 %st %i2 Lod %c1";
    let write = "OpImageWrite %st %i2 %v4 Lod %c1";
    for (declared, insts) in [(levels, read), (levels, write), (fragments, &*mask), (fragments, &*texel)] {
        let found = check_text(&text(declared, insts));
        assert!(found.is_ok(), "{insts} {found:?}");
    }
    for (rule, declared, insts) in [
        ("OpImageRead", "OpCapability Shader", read),
        ("OpImageWrite", "OpCapability Shader", write),
        ("OpImageRead", levels, "%t = OpImageRead %float4 %st %i2 Lod %f1"),
        ("OpFragmentMaskFetchAMD", fragments, &*mask.replace("%uint %i", "%float %i")),
        ("OpFragmentMaskFetchAMD", fragments, &*mask.replace("%i %i2", "%i %v2")),
        ("OpFragmentMaskFetchAMD", fragments, &*mask.replace("%i %i2", "%st %i2")),
        ("OpFragmentFetchAMD", fragments, &*texel.replace("%float4", "%uint4")),
        ("OpFragmentFetchAMD", fragments, &*texel.replace("%i %i2", "%st %i2")),
        ("OpFragmentFetchAMD", fragments, &*texel.replace("%u1", "%f1")),
    ] {
        let found = check_text(&text(declared, insts)).expect_err(insts);
        assert!(found.iter().any(|found| found.rule == rule), "{rule} expected, found {found:?}\n{insts}");
    }
}

#[test]
fn extended_instructions() {
    fine("%r = OpExtInst %float3 %std Sin %v3\n%s = OpExtInst %float %std Length %v3");
    wrong("OpExtInst", "%r = OpExtInst %float3 %std Sin %v2");
    wrong("OpExtInstWithForwardRefsKHR", "%r = OpExtInstWithForwardRefsKHR %float %std Sin %f1");
    wrong("OpExtInst", "%r = OpExtInst %int %std Sin %c1");
    wrong("OpExtInst", "%r = OpExtInst %float %std Sin %f1 %f1");
    wrong("OpExtInst", "%r = OpExtInst %float %std !99 %f1");
    wrong("OpExtInst", "%r = OpExtInst %float2 %std Length %v3");
    fine("%v = OpVariable %p_float Function\n%r = OpExtInst %float %std Modf %f1 %v");
    wrong("OpExtInst", "%r = OpExtInst %float %std Modf %f1 %f1");
    wrong("OpExtInst", "%v = OpVariable %p_int Function\n%r = OpExtInst %float %std Modf %f1 %v");
    fine("%v = OpVariable %p_int Function\n%r = OpExtInst %float %std Frexp %f1 %v");
    fine("%r = OpExtInst %pair %std FrexpStruct %f1\n%s = OpExtInst %float %std Ldexp %f1 %c1");
    wrong("OpExtInst", "%r = OpExtInst %carry %std FrexpStruct %f1");
    fine("%r = OpExtInst %uint %std PackHalf2x16 %v2\n%s = OpExtInst %float2 %std UnpackHalf2x16 %r");
    wrong("OpExtInst", "%r = OpExtInst %uint %std PackHalf2x16 %v3");
    fine("%r = OpExtInst %float %std Determinant %m22\n%s = OpExtInst %mat22 %std MatrixInverse %m22");
    wrong("OpExtInst", "%r = OpExtInst %float %std Determinant %m23");
    fine("%r = OpExtInst %int %std SMax %c0 %u1\n%s = OpExtInst %float3 %std Cross %v3 %v3");
    wrong("OpExtInst", "%r = OpExtInst %int %std SMax %c0 %f1");
    wrong("OpExtInst", "%r = OpExtInst %float2 %std Cross %v2 %v2");
}

#[test]
fn ids() {
    wrong("Every id must be defined", "%r = OpIAdd %int %c0 %nothing");
    wrong("Every id must be defined", "%r = OpIAdd %c0 %c0 %c0");
    wrong("Every id must be defined", "%r = OpIAdd %int %c0 %float");
    wrong("Every id must be defined", "%r = OpIAdd %int %c0 %entry");
    wrong("Every id must be defined", "%r = OpFunctionCall %float %helper %helper %c1");
    wrong("Definitions must dominate uses", "%r = OpIAdd %int %c0 %s\n%s = OpIAdd %int %c0 %c0");
    wrong("Definitions must dominate uses", "%r = OpIAdd %int %c0 %n");
    refuses(
        "Definitions must dominate uses",
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %end\n\
         %then = OpLabel\n%r = OpIAdd %int %c0 %c0\nOpBranch %end\n\
         %end = OpLabel\n%s = OpIAdd %int %r %r\nOpReturn",
    );
    // Code that never runs may use anything of its function.
    accepts(
        "%entry = OpLabel\nOpReturn\n%dead = OpLabel\n%s = OpIAdd %int %r %c0\n%r = OpIAdd %int %c0 %c0\nOpReturn",
    );
}

const DIAMOND: &str = "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %else\n\
    %then = OpLabel\nOpBranch %end\n%else = OpLabel\nOpBranch %end\n%end = OpLabel\n";

#[test]
fn phis() {
    accepts(&format!("{DIAMOND}%p = OpPhi %int %c0 %then %c1 %else\nOpReturn"));
    refuses("OpPhi", &format!("{DIAMOND}%p = OpPhi %int %c0 %then\nOpReturn"));
    refuses("OpPhi", &format!("{DIAMOND}%p = OpPhi %int %c0 %then %c1 %then\nOpReturn"));
    refuses("OpPhi", &format!("{DIAMOND}%p = OpPhi %int %c0 %then %c1 %entry\nOpReturn"));
    refuses("OpPhi", &format!("{DIAMOND}%p = OpPhi %int %c0 %then %f1 %else\nOpReturn"));
    refuses(
        "OpPhi",
        &format!("{DIAMOND}%q = OpIAdd %int %c0 %c0\n%p = OpPhi %int %c0 %then %c1 %else\nOpReturn"),
    );
    let text = DIAMOND.replace("%then = OpLabel", "%then = OpLabel\n%t = OpIAdd %int %c0 %c0");
    accepts(&format!("{text}%p = OpPhi %int %t %then %c1 %else\nOpReturn"));
    refuses("Definitions must dominate uses", &format!("{text}%p = OpPhi %int %c1 %then %t %else\nOpReturn"));
}

/// A loop around `body`, which begins in block `%body` and ends before the block `%next`.
fn in_loop(body: &str, next: &str) -> String {
    format!(
        "%entry = OpLabel\nOpBranch %head\n%head = OpLabel\nOpLoopMerge %exit %next None\n\
         OpBranchConditional %true %body %exit\n%body = OpLabel\n{body}\n%next = OpLabel\n{next}\n\
         %exit = OpLabel\nOpReturn"
    )
}

/// The control that names wait queues needs its capability.
#[test]
fn wait_queues() {
    let body = in_loop("OpBranch %next", "OpBranch %head")
        .replace("%exit %next None", "%exit %next MultipleWaitQueuesQCOM 2");
    let text = with_body(&body);
    let needs = |text: &str| {
        let words = assemble(text).expect("assembles");
        let module = Module::decode(&words).expect("decodes");
        let strict = Environment { strict: true, ..Environment::default() };
        let found = check(&module, &strict).err().unwrap_or_default();
        found.iter().any(|diagnostic| diagnostic.to_string().contains("one of [\"MultipleWaitQueuesQCOM\"]"))
    };
    assert!(needs(&text));
    let declared = "OpCapability Shader\nOpCapability MultipleWaitQueuesQCOM";
    assert!(!needs(&text.replacen("OpCapability Shader", declared, 1)));
}

const STRUCTURED: &str = "Structured control flow";

#[test]
fn loops() {
    accepts(&in_loop("OpBranch %next", "OpBranch %head"));
    accepts(&in_loop("OpBranch %next", "OpBranchConditional %true %head %exit"));
    // Break and continue from a selection, and a return.
    accepts(&in_loop(
        "OpSelectionMerge %join None\nOpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %exit\n\
         %b = OpLabel\nOpBranchConditional %true %next %join\n%join = OpLabel\nOpReturn",
        "OpBranch %head",
    ));
    // One block.
    accepts(
        "%entry = OpLabel\nOpBranch %head\n%head = OpLabel\nOpLoopMerge %exit %head None\n\
         OpBranchConditional %true %head %exit\n%exit = OpLabel\nOpReturn",
    );
    refuses(STRUCTURED, &in_loop("OpBranch %next", "OpBranch %exit"));
    refuses(STRUCTURED, &in_loop("OpBranch %head", "OpBranch %head"));
    refuses(STRUCTURED, &in_loop("OpBranch %next", "OpReturn"));
    refuses(STRUCTURED, &in_loop("OpBranch %next", "OpBranch %body"));
    // The continue construct is left from a selection in it.
    refuses(
        STRUCTURED,
        &in_loop(
            "OpBranch %next",
            "OpSelectionMerge %back None\nOpBranchConditional %true %exit %back\n%back = OpLabel\nOpBranch %head",
        ),
    );
    // Two back edges.
    refuses(
        STRUCTURED,
        &in_loop(
            "OpBranch %next",
            "OpSelectionMerge %back None\nOpBranchConditional %true %a %back\n%a = OpLabel\nOpBranch %head\n\
             %back = OpLabel\nOpBranch %head",
        ),
    );
    // A cycle without a loop header.
    refuses(
        STRUCTURED,
        "%entry = OpLabel\nOpBranch %a\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\nOpBranch %a",
    );
    refuses(
        STRUCTURED,
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %a %b\n\
         %a = OpLabel\nOpBranchConditional %true %b %end\n%b = OpLabel\nOpBranchConditional %true %a %end\n\
         %end = OpLabel\nOpReturn",
    );
    refuses(
        "OpLoopMerge",
        &in_loop("OpBranch %next", "OpBranch %head").replace("%exit %next None", "%next %next None"),
    );
    refuses("OpFunction", "%entry = OpLabel\nOpBranch %entry");
    refuses("OpLabel", "%entry = OpLabel\nOpBranch %helper_entry");
    // A loop's merge block from a nested loop.
    refuses(
        STRUCTURED,
        &in_loop(
            "OpBranch %head2\n%head2 = OpLabel\nOpLoopMerge %exit2 %next2 None\nOpBranch %body2\n\
             %body2 = OpLabel\nOpBranchConditional %true %exit %next2\n%next2 = OpLabel\nOpBranch %head2\n\
             %exit2 = OpLabel\nOpBranch %next",
            "OpBranch %head",
        ),
    );
}

#[test]
fn selections() {
    accepts(&format!("{DIAMOND}OpReturn"));
    // Both branches meet before the merge block.
    accepts(
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %else\n\
         %then = OpLabel\nOpBranch %join\n%else = OpLabel\nOpBranch %join\n%join = OpLabel\nOpBranch %end\n\
         %end = OpLabel\nOpReturn",
    );
    refuses(
        STRUCTURED,
        &DIAMOND
            .replace("OpSelectionMerge %end None", "")
            .replace("%end = OpLabel\n", "%end = OpLabel\nOpReturn"),
    );
    refuses(
        STRUCTURED,
        &format!("{}OpReturn", DIAMOND.replace("OpSelectionMerge %end None", "OpSelectionMerge %entry None")),
    );
    // A nested selection goes to the outer merge block.
    refuses(
        STRUCTURED,
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %end\n\
         %then = OpLabel\nOpSelectionMerge %join None\nOpBranchConditional %true %a %join\n\
         %a = OpLabel\nOpBranch %end\n%join = OpLabel\nOpBranch %end\n%end = OpLabel\nOpReturn",
    );
    // Two headers, one merge block.
    refuses(
        STRUCTURED,
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %end\n\
         %then = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %a %end\n\
         %a = OpLabel\nOpBranch %end\n%end = OpLabel\nOpReturn",
    );
    // A merge block that its header does not dominate.
    refuses(
        STRUCTURED,
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpBranchConditional %true %then %other\n\
         %then = OpLabel\nOpSelectionMerge %other None\nOpBranchConditional %true %a %other\n\
         %a = OpLabel\nOpBranch %other\n%other = OpLabel\nOpBranch %end\n%end = OpLabel\nOpReturn",
    );
    refuses("OpBranchConditional", &format!("{}OpReturn", DIAMOND.replace("%true %then", "%c0 %then")));
}

/// A switch over three cases whose blocks end in these.
fn switch(a: &str, b: &str, default: &str) -> String {
    format!(
        "%entry = OpLabel\nOpSelectionMerge %end None\nOpSwitch %c1 %default 1 %a 2 %b\n%a = OpLabel\n{a}\n\
         %b = OpLabel\n{b}\n%default = OpLabel\n{default}\n%end = OpLabel\nOpReturn"
    )
}

#[test]
fn switches() {
    accepts(&switch("OpBranch %end", "OpBranch %end", "OpBranch %end"));
    accepts(&switch("OpBranch %b", "OpBranch %default", "OpBranch %end"));
    refuses("OpSwitch", &switch("OpBranch %end", "OpBranch %a", "OpBranch %end"));
    refuses("OpSwitch", &switch("OpBranch %default", "OpBranch %default", "OpBranch %end"));
    refuses(
        "OpSwitch",
        &switch(
            "OpBranch %shared_end",
            "OpBranch %shared_end",
            "OpBranch %end\n%shared_end = OpLabel\nOpBranch %end",
        ),
    );
    refuses(
        "OpSwitch",
        &switch("OpReturn", "OpReturn", "OpReturn").replace("OpSelectionMerge %end None", ""),
    );
    refuses("OpSwitch", &switch("OpReturn", "OpReturn", "OpReturn").replace("2 %b", "1 %b"));
    refuses("OpSwitch", &switch("OpReturn", "OpReturn", "OpReturn").replace("OpSwitch %c1", "OpSwitch %f1"));
    // A break out of the switch from a selection in it.
    accepts(&switch(
        "OpSelectionMerge %join None\nOpBranchConditional %true %x1 %join\n%x1 = OpLabel\nOpBranch %end\n\
         %join = OpLabel\nOpBranch %end",
        "OpBranch %end",
        "OpBranch %end",
    ));
    // A continue from a switch in a loop.
    accepts(&in_loop(
        "OpSelectionMerge %join None\nOpSwitch %c1 %join 1 %a\n%a = OpLabel\nOpBranch %next\n\
         %join = OpLabel\nOpBranch %next",
        "OpBranch %head",
    ));
}

#[test]
fn declarations() {
    let head = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
    let rule = |text: &str| check_text(&format!("{head}{text}")).map_err(|found| first_rule(&found));
    let base = "%void = OpTypeVoid\n%int = OpTypeInt 32 1\n%float = OpTypeFloat 32\n%bool = OpTypeBool\n\
                %c0 = OpConstant %int 0\n%c4 = OpConstant %int 4\n";
    let rule = |text: &str| rule(&format!("{base}{text}"));
    assert_eq!(rule("%v = OpTypeVector %float 4\n%m = OpTypeMatrix %v 4\n%a = OpTypeArray %m %c4"), Ok(()));
    assert_eq!(rule("%v = OpTypeInt 33 0"), Err("OpTypeInt"));
    assert_eq!(rule("%v = OpTypeFloat 8"), Err("OpTypeFloat"));
    assert_eq!(rule("%v = OpTypeInt 32 1"), Err("OpTypeInt"));
    assert_eq!(rule("%v = OpTypeVector %float 5"), Err("OpTypeVector"));
    assert_eq!(rule("%v = OpTypeVector %void 2"), Err("OpTypeVector"));
    assert_eq!(rule("%v = OpTypeVector %int 2\n%m = OpTypeMatrix %v 2"), Err("OpTypeMatrix"));
    assert_eq!(rule("%a = OpTypeArray %float %c0"), Err("OpTypeArray"));
    assert_eq!(rule("%a = OpTypeArray %void %c4"), Err("OpTypeArray"));
    assert_eq!(rule("%a = OpTypeArray %float %float"), Err("OpTypeArray"));
    assert_eq!(rule("%r = OpTypeRuntimeArray %float\n%s = OpTypeStruct %r %float"), Err("OpTypeStruct"));
    assert_eq!(rule("%s = OpTypeStruct %void"), Err("OpTypeStruct"));
    assert_eq!(rule("%f = OpTypeFunction %void %void"), Err("OpTypeFunction"));
    assert_eq!(rule("%s = OpTypeSampledImage %float"), Err("OpTypeSampledImage"));
    assert_eq!(rule("%p = OpTypePointer Private %c0"), Err("OpTypePointer"));
    assert_eq!(rule("%c = OpConstantTrue %int"), Err("OpConstantTrue"));
    assert_eq!(
        rule("%v = OpTypeVector %float 2\n%c = OpConstantComposite %v %c0 %c0"),
        Err("OpConstantComposite")
    );
    assert_eq!(rule("%c = OpConstantNull %void"), Err("OpConstantNull"));
    let pointer = "%p = OpTypePointer Private %float\n%q = OpTypePointer Function %float\n";
    assert_eq!(rule(&format!("{pointer}%v = OpVariable %p Private")), Ok(()));
    assert_eq!(rule(&format!("{pointer}%v = OpVariable %p Private %c0")), Err("OpVariable"));
    assert_eq!(rule(&format!("{pointer}%v = OpVariable %p Workgroup")), Err("OpVariable"));
    assert_eq!(rule(&format!("{pointer}%v = OpVariable %q Function")), Err("OpVariable"));
    assert_eq!(rule("%v = OpVariable %float Private"), Err("OpVariable"));
}

#[test]
fn sections_and_entry_points() {
    let rule = |text: &str| check_text(text).map_err(|found| first_rule(&found));
    let layout = Err("Logical layout of a module");
    assert_eq!(rule("OpCapability Shader"), layout);
    assert_eq!(rule("OpMemoryModel Logical GLSL450\nOpCapability Shader"), layout);
    assert_eq!(rule("OpMemoryModel Logical GLSL450\n%v = OpTypeVoid\nOpName %v \"v\""), layout);
    assert_eq!(rule("OpMemoryModel Logical OpenCL"), Err("OpMemoryModel"));
    let good = with_body("%entry = OpLabel\nOpReturn");
    assert_eq!(rule(&good), Ok(()));
    assert_eq!(rule(&good.replace("GLCompute %main", "GLCompute %float")), Err("OpEntryPoint"));
    assert_eq!(rule(&good.replace("GLCompute %main", "GLCompute %helper")), Err("OpEntryPoint"));
    assert_eq!(rule(&good.replace("\"main\" %gid", "\"main\" %float")), Err("OpEntryPoint"));
    // Only strict checking minds variables of other classes, which are listed from SPIR-V 1.4 on.
    let lists_all = good.replace("\"main\" %gid", "\"main\" %gid %buffer");
    assert_eq!(rule(&lists_all), Ok(()));
    let module = Module::decode(&assemble(&lists_all).unwrap()).unwrap();
    let found = check(&module, &Environment { strict: true, ..Environment::default() }).unwrap_err();
    assert!(found.iter().any(|found| found.message.contains("before SPIR-V 1.4")), "{found:?}");
    let twice = "OpEntryPoint GLCompute %main \"main\" %gid\nOpEntryPoint GLCompute %main \"main\" %gid";
    assert_eq!(rule(&good.replace("OpEntryPoint GLCompute %main \"main\" %gid", twice)), Err("OpEntryPoint"));
    assert_eq!(
        rule(&good.replace("OpExecutionMode %main", "OpExecutionMode %helper")),
        Err("OpExecutionMode")
    );
    assert_eq!(
        rule(&good.replace("OpFunction %void None %fn", "OpFunction %void None %void")),
        Err("OpFunction")
    );
}

#[test]
fn limits() {
    // An array of 2^40 elements, as a variable and as a value.
    let huge = "OpCapability Shader\nOpCapability Int64\nOpMemoryModel Logical GLSL450\n\
        %long = OpTypeInt 64 0\n%n = OpConstant %long 1099511627776\n%a = OpTypeArray %long %n\n";
    let rule = |text: &str| check_text(&format!("{huge}{text}")).map_err(|found| first_rule(&found));
    assert_eq!(rule(""), Ok(()));
    assert_eq!(rule("%p = OpTypePointer Private %a\n%v = OpVariable %p Private"), Err("Limits"));
    assert_eq!(rule("%c = OpConstantNull %a"), Err("OpConstantNull"));
    // Blocks of selections nested 10,000 deep.
    let depth = 10_000;
    let mut body = "%entry = OpLabel\n".to_owned();
    for level in 0..depth {
        body += &format!(
            "OpSelectionMerge %merge{level} None\nOpBranchConditional %true %then{level} %merge{level}\n%then{level} = OpLabel\n"
        );
    }
    for level in (0..depth).rev() {
        body += &format!("OpBranch %merge{level}\n%merge{level} = OpLabel\n");
    }
    refuses("Universal limits", &format!("{body}OpReturn"));
    // As many, but one after the other.
    let mut body = "%entry = OpLabel\n".to_owned();
    for level in 0..depth {
        body += &format!(
            "OpSelectionMerge %merge{level} None\nOpBranchConditional %true %then{level} %merge{level}\n%then{level} = OpLabel\n\
             OpBranch %merge{level}\n%merge{level} = OpLabel\n"
        );
    }
    accepts(&format!("{body}OpReturn"));
    // Functions that call the next twice: 2^60 instructions once inlined.
    let mut text = with_body("%entry = OpLabel\n%r = OpFunctionCall %float %f0 %f1 %c1\nOpReturn");
    for level in 0..60 {
        let next = if level == 59 { "helper".to_owned() } else { format!("f{}", level + 1) };
        // The names of the float constant and of the functions must not meet.
        let next = if next == "f1" { "f1_".to_owned() } else { next };
        let own = if level == 1 { "f1_".to_owned() } else { format!("f{level}") };
        text += &format!(
            "%{own} = OpFunction %float None %fn_float\n%x{level} = OpFunctionParameter %float\n\
             %n{level} = OpFunctionParameter %int\n%e{level} = OpLabel\n\
             %first{level} = OpFunctionCall %float %{next} %x{level} %n{level}\n\
             %second{level} = OpFunctionCall %float %{next} %first{level} %n{level}\nOpReturnValue %second{level}\nOpFunctionEnd\n"
        );
    }
    assert_eq!(check_text(&text).unwrap_err()[0].rule, "Limits");
}

#[test]
fn constructs_are_known() {
    let text = with_body(&in_loop(
        "OpSelectionMerge %join None\nOpBranchConditional %true %a %join\n%a = OpLabel\nOpBranch %join\n\
         %join = OpLabel\nOpBranch %next",
        "OpBranch %head",
    ));
    let module = Module::decode(&assemble(&text).unwrap()).unwrap();
    let checked = validate(module.into(), &Environment::default()).ok().unwrap();
    let module = checked.module();
    let main = module.functions().next().unwrap();
    let structure = checked.cfg(main);
    let kinds: Vec<_> = module
        .function(main)
        .blocks()
        .map(|block| structure.constructs()[structure.construct_of(block).unwrap() as usize].kind)
        .collect();
    use ConstructKind::{Continue, Function, Loop, Selection};
    // Entry, header, body (which heads the selection), a, join, next, exit.
    assert_eq!(kinds, [Function, Function, Loop, Selection, Loop, Continue, Function]);
    let blocks: Vec<_> = module.function(main).blocks().collect();
    assert!(structure.dominates(blocks[1], blocks[5]) && !structure.dominates(blocks[3], blocks[4]));
    assert_eq!(structure.predecessors(blocks[1]).collect::<Vec<_>>(), [blocks[0], blocks[5]]);
    assert!(structure.order_of(blocks[5]) < structure.order_of(blocks[6]));
    // Entry, header, body, a, join, next, exit: as written.
    assert_eq!(structure.blocks_in_order(), blocks);
}

#[test]
fn capabilities() {
    let strict = |text: &str| {
        let module = Module::decode(&assemble(text).unwrap()).unwrap();
        let environment = Environment { strict: true, ..Environment::default() };
        let found = check(&module, &environment).err().unwrap_or_default();
        // These have no entry point.
        match found.iter().find(|found| found.rule != "OpEntryPoint") {
            Some(found) => Err(found.to_string()),
            None => Ok(()),
        }
    };
    let head = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
    // Geometry implies Shader, which implies Matrix.
    let matrix = "%f = OpTypeFloat 32\n%v = OpTypeVector %f 2\n%m = OpTypeMatrix %v 2";
    assert_eq!(strict(&format!("{}{matrix}", head.replace("Shader", "Geometry"))), Ok(()));
    assert!(strict(&format!("OpCapability Addresses\nOpMemoryModel Physical32 GLSL450\n{matrix}")).is_err());
    // Enumerants: a dimension, a built-in; some built-ins may be declared freely.
    let image = "%f = OpTypeFloat 32\n%i = OpTypeImage %f 1D 0 0 0 1 Unknown";
    assert!(strict(&format!("{head}{image}")).unwrap_err().contains("1D needs one of"));
    assert_eq!(
        strict(&format!(
            "OpCapability Shader\nOpCapability Sampled1D\nOpMemoryModel Logical GLSL450\n{image}"
        )),
        Ok(())
    );
    let built_in = |name: &str| {
        format!(
            "{head}OpDecorate %v BuiltIn {name}\n%f = OpTypeFloat 32\n%p = OpTypePointer Input %f\n%v = OpVariable %p Input"
        )
    };
    assert_eq!(strict(&built_in("PointSize")), Ok(()));
    assert!(strict(&built_in("TessLevelOuter")).is_err());
}

#[test]
fn unknown_sets_and_early_pointers_are_refused() {
    let rule = |text: &str| check_text(text).map_err(|found| first_rule(&found));
    let head = "OpCapability Shader\n%set = OpExtInstImport \"NAME\"\nOpMemoryModel Logical GLSL450\n";
    assert_eq!(rule(&head.replace("NAME", "GLSL.std.450")), Ok(()));
    assert_eq!(rule(&head.replace("NAME", "NonSemantic.Anything")), Ok(()));
    assert_eq!(rule(&head.replace("NAME", "GLSL.std.451")), Err("OpExtInstImport"));
    let head = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n";
    let pointer = "%p = OpTypePointer Private %f\n%f = OpTypeFloat 32";
    assert_eq!(rule(&format!("{head}{pointer}")), Err("Ids must be defined before use"));
    assert_eq!(rule(&format!("{head}OpTypeForwardPointer %p Private\n{pointer}")), Ok(()));
    let types = "%f = OpTypeFloat 32\n%u = OpTypeInt 32 0\n";
    let (len, array) = ("%n = OpConstant %u 2\n", "%a = OpTypeArray %f %n\n");
    assert_eq!(rule(&format!("{head}{types}{array}{len}")), Err("Ids must be defined before use"));
    assert_eq!(rule(&format!("{head}{types}{len}{array}")), Ok(()));
}

#[test]
fn findings_show_the_source() {
    let text = "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        %file = OpString \"sum.comp\"
        OpSource GLSL 450 %file \"void main() {\n\tsum = 1 + 2.0;\n}\"
        %void = OpTypeVoid
        %int = OpTypeInt 32 1
        %float = OpTypeFloat 32
        %one = OpConstant %int 1
        %two = OpConstant %float 2
        %fn = OpTypeFunction %void
        %main = OpFunction %void None %fn
        %entry = OpLabel
        OpLine %file 2 8
        %sum = OpIAdd %int %one %two
        OpReturn
        OpFunctionEnd";
    let found = check_text(text).unwrap_err();
    assert_eq!(
        found[0].render(),
        "OpIAdd: operand 2 does not have the result's width and components\n  --> sum.comp:2:8\n  |\n\
         2 | \tsum = 1 + 2.0;\n  | \t      ^\n  at word 90: %9 = OpIAdd %3 %5 %6\n  \
         where %4 is the type int\n  where %6 is the int 1\n  where %7 is the float 2\n"
            .replace("word 90", &format!("word {}", found[0].place.as_ref().unwrap().word_offset))
            .replace("%9 = OpIAdd %3 %5 %6", &found[0].place.as_ref().unwrap().text)
    );
    assert!(found[0].to_string().starts_with("OpIAdd: operand 2"));
}
