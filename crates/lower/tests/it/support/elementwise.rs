//! Compute shaders that make one number of a few, whatever numbers are: of the shader a test writes what
//! computes.

use super::{Test, storage};
use pyro_spirv::{Specialization, asm};

/// Invocations of a workgroup.
const LOCAL_SIZE: usize = 64;

/// A shader whose invocation `i` reads as many words as there are `inputs`, one behind the other, and writes
/// word `i`.
pub(crate) struct Elementwise<'t> {
    /// Capabilities, extensions and imports, beside `Shader`.
    pub(crate) capabilities: &'t str,
    pub(crate) modes: &'t str,
    pub(crate) decorations: &'t str,
    /// Types and constants, beside `%bool`, `%u32`, the vector `%v3u` and `%c0`.
    pub(crate) types: &'t str,
    /// Words have 64 bits, of the type `%u64`, and not 32.
    pub(crate) is_wide: bool,
    /// The ids of the words that an invocation reads.
    pub(crate) inputs: &'t [&'t str],
    /// Computes the word `%result`.
    pub(crate) body: &'t str,
}

impl Elementwise<'_> {
    fn words(&self) -> Vec<u32> {
        let Elementwise { capabilities, modes, decorations, types, is_wide, inputs, body } = *self;
        let (word, stride, wide) = match is_wide {
            true => ("%u64", 8, "%u64 = OpTypeInt 64 0"),
            false => ("%u32", 4, ""),
        };
        let count = inputs.len();
        let places: String = (0..count).map(|at| format!("%place{at} = OpConstant %u32 {at}\n")).collect();
        let read = |(at, name): (usize, &&str)| {
            format!(
                "%index_{name} = OpIAdd %u32 %begin %place{at}
                 %pointer_{name} = OpAccessChain %p_word %in %c0 %index_{name}
                 %{name} = OpLoad {word} %pointer_{name}\n"
            )
        };
        let reads: String = inputs.iter().enumerate().map(read).collect();
        let text = format!(
            "; Version: 1.6
            OpCapability Shader {capabilities}
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\" %in %out %id
            OpExecutionMode %main LocalSize {LOCAL_SIZE} 1 1
            {modes}
            OpDecorate %id BuiltIn GlobalInvocationId
            OpDecorate %list ArrayStride {stride}
            OpDecorate %block Block
            OpMemberDecorate %block 0 Offset 0
            OpDecorate %in DescriptorSet 0
            OpDecorate %in Binding 0
            OpDecorate %out DescriptorSet 0
            OpDecorate %out Binding 1
            {decorations}
            %void = OpTypeVoid
            %fn_void = OpTypeFunction %void
            %bool = OpTypeBool
            %u32 = OpTypeInt 32 0
            {wide}
            %v3u = OpTypeVector %u32 3
            %c0 = OpConstant %u32 0
            %read_count = OpConstant %u32 {count}
            {places}
            {types}
            %list = OpTypeRuntimeArray {word}
            %block = OpTypeStruct %list
            %p_block = OpTypePointer StorageBuffer %block
            %p_word = OpTypePointer StorageBuffer {word}
            %p_id = OpTypePointer Input %v3u
            %in = OpVariable %p_block StorageBuffer
            %out = OpVariable %p_block StorageBuffer
            %id = OpVariable %p_id Input
            %main = OpFunction %void None %fn_void
            %entry = OpLabel
            %ids = OpLoad %v3u %id
            %i = OpCompositeExtract %u32 %ids 0
            %begin = OpIMul %u32 %i %read_count
            {reads}
            {body}
            %pointer_out = OpAccessChain %p_word %out %c0 %i
            OpStore %pointer_out %result
            OpReturn
            OpFunctionEnd"
        );
        asm::assemble(&text).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What the shader gives for these words.
    pub(crate) fn run(&self, input: &[u64]) -> Vec<u64> {
        let words =
            |&word: &u64| [word as u32, (word >> 32) as u32].into_iter().take(1 + usize::from(self.is_wide));
        let count = input.len() / self.inputs.len();
        let test = Test {
            words: self.words(),
            buffers: vec![
                storage(input.iter().flat_map(words).collect::<Vec<u32>>()),
                storage(vec![0; count * (1 + usize::from(self.is_wide))]),
            ],
            push_constants: Vec::new(),
            specialization: Specialization::new(),
            groups: [count.div_ceil(LOCAL_SIZE) as u32, 1, 1],
            null_records: [0; 2],
        };
        let found = test.result(1);
        match self.is_wide {
            true => found.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect(),
            false => found.into_iter().map(u64::from).collect(),
        }
    }
}
