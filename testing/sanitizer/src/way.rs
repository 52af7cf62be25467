//! Ways in which commands access a buffer or an image: what is recorded, and the stage and access that a
//! barrier names for it.

use vulkanalia::prelude::v1_3::*;

type Stage = vk::PipelineStageFlags2;
type Access = vk::AccessFlags2;

/// A way to access the buffer or the image of a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Its name in scripts.
    pub name: &'static str,
    /// It accesses the image, not the buffer.
    pub of_image: bool,
    /// The stage.
    pub stage: Stage,
    /// The access.
    pub access: Access,
    /// It writes.
    pub writes: bool,
    /// It is an atomic operation, or in order with others of its kind.
    pub atomic: bool,
    /// The command that findings name.
    pub command: &'static str,
    /// What does it.
    pub action: Action,
}

/// What does it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// A command without a shader.
    Command,
    /// A compute shader with this body.
    Compute(&'static str),
    /// A vertex shader with this body.
    Vertex(&'static str),
    /// A fragment shader with this body.
    Fragment(&'static str),
    /// A mesh shader with this body.
    Mesh(&'static str),
    /// A ray generation shader with this body.
    Rays(&'static str),
}

const STORE: &str = "OpStore %word_a %uint_7";
const LOAD: &str = "%value = OpLoad %uint %word_a
    OpNoLine
    OpStore %word_c %value";
const ATOMIC: &str = "%value = OpAtomicIAdd %uint %word_a %uint_1 %uint_0 %uint_1";
const INTERLOCKED: &str = "OpBeginInvocationInterlockEXT
    %value = OpLoad %uint %word_a
    OpStore %word_a %value
    OpEndInvocationInterlockEXT";
const UNIFORM: &str = "%value = OpLoad %uint %word_u
    OpNoLine
    OpStore %word_c %value";
const IMAGE_STORE: &str = "OpImageWrite %storage %texel %color";
const IMAGE_LOAD: &str = "%value = OpImageRead %uint4 %storage %texel
    OpNoLine
    %first = OpCompositeExtract %uint %value 0
    OpStore %word_c %first";
const SAMPLE: &str = "%value = OpImageSampleExplicitLod %uint4 %sampled %spot Lod %float_0
    OpNoLine
    %first = OpCompositeExtract %uint %value 0
    OpStore %word_c %first";
/// Of another texel than the others access.
const SAMPLE_BESIDE: &str = "%value = OpImageSampleExplicitLod %uint4 %sampled %center Lod %float_0
    OpNoLine
    %first = OpCompositeExtract %uint %value 0
    OpStore %word_c %first";
const FETCH: &str = "%value = OpImageFetch %uint4 %plain %texel Lod %int_0
    OpNoLine
    %first = OpCompositeExtract %uint %value 0
    OpStore %word_c %first";

const fn way(
    name: &'static str,
    of_image: bool,
    (stage, access): (Stage, Access),
    writes: bool,
    command: &'static str,
    action: Action,
) -> Way {
    Way { name, of_image, stage, access, writes, atomic: false, command, action }
}

/// All ways.
pub const WAYS: &[Way] = &[
    way("fill", false, (Stage::CLEAR, Access::TRANSFER_WRITE), true, "vkCmdFillBuffer", Action::Command),
    way("update", false, (Stage::CLEAR, Access::TRANSFER_WRITE), true, "vkCmdUpdateBuffer", Action::Command),
    way("copy-to", false, (Stage::COPY, Access::TRANSFER_WRITE), true, "vkCmdCopyBuffer", Action::Command),
    way("copy-from", false, (Stage::COPY, Access::TRANSFER_READ), false, "vkCmdCopyBuffer", Action::Command),
    way("index", false, (Stage::INDEX_INPUT, Access::INDEX_READ), false, "vkCmdDrawIndexed", Action::Command),
    way(
        "vertices",
        false,
        (Stage::VERTEX_ATTRIBUTE_INPUT, Access::VERTEX_ATTRIBUTE_READ),
        false,
        "vkCmdDraw",
        Action::Command,
    ),
    way(
        "indirect-draw",
        false,
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        false,
        "vkCmdDrawIndirect",
        Action::Command,
    ),
    way(
        "indirect-dispatch",
        false,
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        false,
        "vkCmdDispatchIndirect",
        Action::Command,
    ),
    way(
        "compute-store",
        false,
        (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDispatch",
        Action::Compute(STORE),
    ),
    way(
        "compute-load",
        false,
        (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(LOAD),
    ),
    way(
        "compute-uniform",
        false,
        (Stage::COMPUTE_SHADER, Access::UNIFORM_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(UNIFORM),
    ),
    way(
        "vertex-store",
        false,
        (Stage::VERTEX_SHADER, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDraw",
        Action::Vertex(STORE),
    ),
    way(
        "vertex-load",
        false,
        (Stage::VERTEX_SHADER, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdDraw",
        Action::Vertex(LOAD),
    ),
    way(
        "vertex-uniform",
        false,
        (Stage::VERTEX_SHADER, Access::UNIFORM_READ),
        false,
        "vkCmdDraw",
        Action::Vertex(UNIFORM),
    ),
    way(
        "fragment-store",
        false,
        (Stage::FRAGMENT_SHADER, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDraw",
        Action::Fragment(STORE),
    ),
    way(
        "fragment-load",
        false,
        (Stage::FRAGMENT_SHADER, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdDraw",
        Action::Fragment(LOAD),
    ),
    way(
        "mesh-store",
        false,
        (Stage::MESH_SHADER_EXT, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDrawMeshTasksEXT",
        Action::Mesh(STORE),
    ),
    way(
        "mesh-load",
        false,
        (Stage::MESH_SHADER_EXT, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdDrawMeshTasksEXT",
        Action::Mesh(LOAD),
    ),
    way(
        "rays-store",
        false,
        (Stage::RAY_TRACING_SHADER_KHR, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdTraceRaysKHR",
        Action::Rays(STORE),
    ),
    way(
        "rays-load",
        false,
        (Stage::RAY_TRACING_SHADER_KHR, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdTraceRaysKHR",
        Action::Rays(LOAD),
    ),
    way(
        "rays-uniform",
        false,
        (Stage::RAY_TRACING_SHADER_KHR, Access::UNIFORM_READ),
        false,
        "vkCmdTraceRaysKHR",
        Action::Rays(UNIFORM),
    ),
    Way {
        atomic: true,
        ..way(
            "compute-atomic",
            false,
            (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE),
            true,
            "vkCmdDispatch",
            Action::Compute(ATOMIC),
        )
    },
    way("clear", true, (Stage::CLEAR, Access::TRANSFER_WRITE), true, "vkCmdClearColorImage", Action::Command),
    way(
        "upload",
        true,
        (Stage::COPY, Access::TRANSFER_WRITE),
        true,
        "vkCmdCopyBufferToImage",
        Action::Command,
    ),
    way(
        "download",
        true,
        (Stage::COPY, Access::TRANSFER_READ),
        false,
        "vkCmdCopyImageToBuffer",
        Action::Command,
    ),
    way(
        "image-store",
        true,
        (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDispatch",
        Action::Compute(IMAGE_STORE),
    ),
    way(
        "image-load",
        true,
        (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(IMAGE_LOAD),
    ),
    way(
        "image-sample",
        true,
        (Stage::COMPUTE_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(SAMPLE),
    ),
    way(
        "image-fetch",
        true,
        (Stage::COMPUTE_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(FETCH),
    ),
    way(
        "fragment-image-store",
        true,
        (Stage::FRAGMENT_SHADER, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdDraw",
        Action::Fragment(IMAGE_STORE),
    ),
    way(
        "fragment-sample",
        true,
        (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDraw",
        Action::Fragment(SAMPLE),
    ),
    way(
        "render-clear",
        true,
        (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE),
        true,
        "vkCmdEndRendering",
        Action::Command,
    ),
    way(
        "rays-image-store",
        true,
        (Stage::RAY_TRACING_SHADER_KHR, Access::SHADER_STORAGE_WRITE),
        true,
        "vkCmdTraceRaysKHR",
        Action::Rays(IMAGE_STORE),
    ),
    way(
        "mesh-fetch",
        true,
        (Stage::MESH_SHADER_EXT, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDrawMeshTasksEXT",
        Action::Mesh(FETCH),
    ),
];

/// Ways that are wrong by themselves, which no group names.
const WRONG: &[Way] = &[
    way(
        "index-far",
        false,
        (Stage::INDEX_INPUT, Access::INDEX_READ),
        false,
        "vkCmdDrawIndexed",
        Action::Command,
    ),
    way(
        "vertices-far",
        false,
        (Stage::VERTEX_ATTRIBUTE_INPUT, Access::VERTEX_ATTRIBUTE_READ),
        false,
        "vkCmdDraw",
        Action::Command,
    ),
    way(
        "indirect-count-far",
        false,
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        false,
        "vkCmdDrawIndirectCount",
        Action::Command,
    ),
    way(
        "indirect-count",
        false,
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        false,
        "vkCmdDrawIndirectCount",
        Action::Command,
    ),
    way(
        "indirect-count-most",
        false,
        (Stage::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ),
        false,
        "vkCmdDrawIndirectCount",
        Action::Command,
    ),
    way(
        "render-load",
        true,
        (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_READ),
        false,
        "vkCmdBeginRendering",
        Action::Command,
    ),
    way(
        "image-sample-beside",
        true,
        (Stage::COMPUTE_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDispatch",
        Action::Compute(SAMPLE_BESIDE),
    ),
    way(
        "fragment-sample-beside",
        true,
        (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDraw",
        Action::Fragment(SAMPLE_BESIDE),
    ),
    way(
        "feedback",
        true,
        (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ),
        false,
        "vkCmdDraw",
        Action::Fragment(SAMPLE),
    ),
    Way {
        atomic: true,
        ..way(
            "fragment-interlock",
            false,
            (Stage::FRAGMENT_SHADER, Access::SHADER_STORAGE_WRITE),
            true,
            "vkCmdDraw",
            Action::Fragment(INTERLOCKED),
        )
    },
    way(
        "rays-far",
        false,
        (Stage::RAY_TRACING_SHADER_KHR, Access::SHADER_STORAGE_READ),
        false,
        "vkCmdTraceRaysKHR",
        Action::Rays(LOAD),
    ),
];

impl Way {
    /// The way of a name.
    pub fn named(name: &str) -> Option<Way> {
        WAYS.iter().chain(WRONG).copied().find(|way| way.name == name)
    }

    /// Its number, which is the line of its access.
    pub fn number(&self) -> u32 {
        WAYS.iter().chain(WRONG).position(|way| way.name == self.name).map_or(0, |at| at as u32 + 1)
    }

    /// Whether two accesses conflict.
    pub fn conflicts(&self, other: &Way) -> bool {
        self.of_image == other.of_image && (self.writes || other.writes) && !(self.atomic && other.atomic)
    }
}

const HEAD: &str = "
    OpCapability Shader
    OpExtension \"SPV_KHR_storage_buffer_storage_class\"
    OpMemoryModel Logical GLSL450";

const BODY: &str = "
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %fixed ArrayStride 16
    OpDecorate %uniforms Block
    OpMemberDecorate %uniforms 0 Offset 0
    OpDecorate %a DescriptorSet 0
    OpDecorate %a Binding 0
    OpDecorate %c DescriptorSet 0
    OpDecorate %c Binding 1
    OpDecorate %image DescriptorSet 0
    OpDecorate %image Binding 2
    OpDecorate %texture DescriptorSet 0
    OpDecorate %texture Binding 3
    OpDecorate %u DescriptorSet 0
    OpDecorate %u Binding 4
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %uint2 = OpTypeVector %uint 2
    %uint4 = OpTypeVector %uint 4
    %float2 = OpTypeVector %float 2
    %float4 = OpTypeVector %float 4
    %uint_0 = OpConstant %uint 0
    %uint_1 = OpConstant %uint 1
    %uint_4 = OpConstant %uint 4
    %uint_7 = OpConstant %uint 7
    %int_0 = OpConstant %int 0
    %float_0 = OpConstant %float 0
    %float_1 = OpConstant %float 1
    %half = OpConstant %float 0.5
    %texel = OpConstantComposite %uint2 %uint_1 %uint_1
    %color = OpConstantComposite %uint4 %uint_7 %uint_7 %uint_7 %uint_7
    %center = OpConstantComposite %float2 %half %half
    %middle = OpConstant %float 0.1875
    %spot = OpConstantComposite %float2 %middle %middle
    %corner = OpConstantComposite %float4 %float_0 %float_0 %float_0 %float_1
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %of_block = OpTypePointer StorageBuffer %block
    %of_word = OpTypePointer StorageBuffer %uint
    %fixed = OpTypeArray %uint %uint_4
    %uniforms = OpTypeStruct %fixed
    %of_uniforms = OpTypePointer Uniform %uniforms
    %of_uniform = OpTypePointer Uniform %uint
    %storage_type = OpTypeImage %uint 2D 0 0 0 2 R32ui
    %of_storage = OpTypePointer UniformConstant %storage_type
    %plain_type = OpTypeImage %uint 2D 0 0 0 1 Unknown
    %sampled_type = OpTypeSampledImage %plain_type
    %of_sampled = OpTypePointer UniformConstant %sampled_type
    %out_float4 = OpTypePointer Output %float4
    %a = OpVariable %of_block StorageBuffer
    %c = OpVariable %of_block StorageBuffer
    %u = OpVariable %of_uniforms Uniform
    %image = OpVariable %of_storage UniformConstant
    %texture = OpVariable %of_sampled UniformConstant
    %position = OpVariable %out_float4 Output
    %main = OpFunction %void None %fn
    %entry = OpLabel";

/// What comes before a body that needs it.
fn before(body: &str) -> String {
    let mut out = String::new();
    for (name, text) in [
        ("%word_a", "%word_a = OpAccessChain %of_word %a %uint_0 %uint_0"),
        ("%word_c", "%word_c = OpAccessChain %of_word %c %uint_0 %uint_0"),
        ("%word_u", "%word_u = OpAccessChain %of_uniform %u %uint_0 %uint_0"),
        ("%storage ", "%storage = OpLoad %storage_type %image"),
        ("%sampled", "%sampled = OpLoad %sampled_type %texture"),
        ("%plain", "%loaded = OpLoad %sampled_type %texture\n%plain = OpImage %plain_type %loaded"),
    ] {
        if body.contains(name) {
            out += text;
            out.push('\n');
        }
    }
    out
}

/// A mesh shader that makes nothing.
pub fn mesh(at: At<'_>, body: &str) -> String {
    let entry = "OpEntryPoint MeshEXT %main \"main\"
        OpExecutionMode %main LocalSize 1 1 1
        OpExecutionMode %main OutputVertices 3
        OpExecutionMode %main OutputPrimitivesEXT 1
        OpExecutionMode %main OutputTrianglesEXT";
    let text = shader(entry, "", at, body, "OpSetMeshOutputsEXT %uint_0 %uint_0");
    with(&text, "MeshShadingEXT", "SPV_EXT_mesh_shader")
}

/// A ray generation shader.
pub fn rays(at: At<'_>, body: &str) -> String {
    let text = shader("OpEntryPoint RayGenerationKHR %main \"main\"", "", at, body, "");
    with(&text, "RayTracingKHR", "SPV_KHR_ray_tracing")
}

/// A module with a capability and an extension more.
fn with(text: &str, capability: &str, extension: &str) -> String {
    let head = format!("OpCapability Shader\n    OpCapability {capability}\n    OpExtension \"{extension}\"");
    text.replacen("OpCapability Shader", &head, 1)
}

/// Where a body is: the file, which is another one in each run, so that all findings are told, and the line.
#[derive(Clone, Copy, Debug)]
pub struct At<'f> {
    /// The file.
    pub file: &'f str,
    /// The line.
    pub line: u32,
}

fn shader(entry: &str, decorations: &str, at: At<'_>, body: &str, behind: &str) -> String {
    let At { file, line } = at;
    format!(
        "{HEAD}\n{entry}\n%file = OpString \"{file}\"\n{decorations}\n{BODY}\n{}\nOpLine %file {line} 0\n{body}\n\
         OpNoLine\n{behind}\nOpReturn\nOpFunctionEnd\n",
        before(body)
    )
}

/// A compute shader of one invocation with a body, whose first instruction is at a line.
pub fn compute(at: At<'_>, body: &str) -> String {
    let entry = "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1";
    shader(entry, "", at, body, "")
}

/// A vertex shader.
pub fn vertex(at: At<'_>, body: &str) -> String {
    let entry = "OpEntryPoint Vertex %main \"main\" %position";
    shader(entry, "OpDecorate %position BuiltIn Position", at, body, "OpStore %position %corner")
}

/// A fragment shader.
pub fn fragment(at: At<'_>, body: &str) -> String {
    let entry = "OpEntryPoint Fragment %main \"main\"\nOpExecutionMode %main OriginUpperLeft";
    if !body.contains("Interlock") {
        return shader(entry, "", at, body, "");
    }
    let entry = format!("{entry}\nOpExecutionMode %main PixelInterlockOrderedEXT");
    let text = shader(&entry, "", at, body, "");
    with(&text, "FragmentShaderPixelInterlockEXT", "SPV_EXT_fragment_shader_interlock")
}

/// A vertex shader whose position is an attribute.
pub fn attribute_vertex() -> String {
    let body = BODY.replace(
        "%position = OpVariable",
        "%in_float4 = OpTypePointer Input %float4
    %attribute = OpVariable %in_float4 Input
    %position = OpVariable",
    );
    format!(
        "{HEAD}\nOpEntryPoint Vertex %main \"main\" %attribute %position\nOpDecorate %position BuiltIn Position\n\
         OpDecorate %attribute Location 0\n{body}\n%read = OpLoad %float4 %attribute\nOpStore %position %read\n\
         OpReturn\nOpFunctionEnd\n"
    )
}
