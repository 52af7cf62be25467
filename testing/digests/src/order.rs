//! A shader whose results say in which order its invocations ran.

/// Workgroups: so many that several threads take some.
pub(crate) const GROUPS: u32 = 4001;
/// Words of the output.
pub(crate) const WORDS: usize = (GROUPS * 32 * 3) as usize;

/// Takes tickets from a counter, appends to a list, swaps words along a chain and adds floats. Subgroups
/// cannot be seen, so that the driver chooses their size.
pub(crate) const SHADER: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %global_id
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %global_id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpMemberDecorate %buffer 0 Offset 0
OpDecorate %buffer BufferBlock
OpDecorate %input DescriptorSet 0
OpDecorate %input Binding 0
OpDecorate %output DescriptorSet 0
OpDecorate %output Binding 1
OpDecorate %counter DescriptorSet 0
OpDecorate %counter Binding 2
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%u3 = OpConstant %uint 3
%u7 = OpConstant %uint 7
%scale = OpConstant %float 0.1
%uint3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%buffer = OpTypeStruct %words
%buffer_pointer = OpTypePointer Uniform %buffer
%word_pointer = OpTypePointer Uniform %uint
%in_uint3 = OpTypePointer Input %uint3
%main_type = OpTypeFunction %void
%global_id = OpVariable %in_uint3 Input
%input = OpVariable %buffer_pointer Uniform
%output = OpVariable %buffer_pointer Uniform
%counter = OpVariable %buffer_pointer Uniform
%main = OpFunction %void None %main_type
%entry = OpLabel
%ids = OpLoad %uint3 %global_id
%gid = OpCompositeExtract %uint %ids 0
%place = OpBitwiseAnd %uint %gid %u7
%word = OpAccessChain %word_pointer %counter %u0 %place
%old = OpAtomicExchange %uint %word %u1 %u0 %gid
%odd = OpBitwiseAnd %uint %gid %u1
%is_odd = OpIEqual %bool %odd %u1
OpSelectionMerge %after None
OpBranchConditional %is_odd %appends %after
%appends = OpLabel
%next = OpIAdd %uint %place %u1
%other = OpBitwiseAnd %uint %next %u7
%chain = OpAccessChain %word_pointer %counter %u0 %other
%seen = OpAtomicUMax %uint %chain %u1 %u0 %old
OpBranch %after
%after = OpLabel
%chosen = OpPhi %uint %old %entry %seen %appends
%ticket_word = OpAccessChain %word_pointer %output %u0 %u0
%ticket = OpAtomicIAdd %uint %ticket_word %u1 %u0 %u1
%mine = OpIMul %uint %gid %u3
%at1 = OpIAdd %uint %mine %u1
%at2 = OpIAdd %uint %mine %u2
%to1 = OpAccessChain %word_pointer %output %u0 %at1
OpStore %to1 %ticket
%to2 = OpAccessChain %word_pointer %output %u0 %at2
OpStore %to2 %chosen
OpReturn
OpFunctionEnd
";
