//! A case as a whole shader of a stage.

use crate::case::{Case, Line, Stage, Variant};
use std::fmt::Write as _;

/// Words of the buffer before what invocations write.
pub const OUTPUT: u32 = 64;

const CAPABILITIES: &str = "
    OpCapability Shader
    OpCapability Int64
    OpCapability Float64
    OpCapability ImageQuery
    OpCapability GroupNonUniform
    OpCapability GroupNonUniformBallot
    OpCapability GroupNonUniformShuffle
    OpCapability GroupNonUniformShuffleRelative
    OpCapability GroupNonUniformQuad
    OpCapability DerivativeControl
    OpCapability SampledBuffer
    OpCapability ExpectAssumeKHR
    OpCapability Tessellation
    OpCapability Geometry
    OpCapability MeshShadingEXT
    OpCapability RayTracingKHR
    OpExtension \"SPV_KHR_storage_buffer_storage_class\"
    OpExtension \"SPV_KHR_expect_assume\"
    OpExtension \"SPV_EXT_mesh_shader\"
    OpExtension \"SPV_KHR_ray_tracing\"
    %glsl = OpExtInstImport \"GLSL.std.450\"
";

const LOGICAL: &str = "OpMemoryModel Logical GLSL450";

const PHYSICAL: &str = "
    OpMemoryModel PhysicalStorageBuffer64 GLSL450";

const TYPES: &str = "
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %uint2 = OpTypeVector %uint 2
    %uint3 = OpTypeVector %uint 3
    %uint4 = OpTypeVector %uint 4
    %int2 = OpTypeVector %int 2
    %float2 = OpTypeVector %float 2
    %float3 = OpTypeVector %float 3
    %float4 = OpTypeVector %float 4
    %words = OpTypeRuntimeArray %uint
    %block = OpTypeStruct %words
    %buffer_block = OpTypePointer StorageBuffer %block
    %word = OpTypePointer StorageBuffer %uint
    %in_uint = OpTypePointer Input %uint
    %in_uint3 = OpTypePointer Input %uint3
    %in_float3 = OpTypePointer Input %float3
    %in_float4 = OpTypePointer Input %float4
    %out_float4 = OpTypePointer Output %float4
    %false = OpConstantFalse %bool
    %true = OpConstantTrue %bool
    %uint_0 = OpConstant %uint 0
    %uint_1 = OpConstant %uint 1
    %uint_2 = OpConstant %uint 2
    %uint_3 = OpConstant %uint 3
    %uint_4 = OpConstant %uint 4
    %uint_5 = OpConstant %uint 5
    %uint_7 = OpConstant %uint 7
    %uint_8 = OpConstant %uint 8
    %uint_16 = OpConstant %uint 16
    %uint_31 = OpConstant %uint 31
    %uint_32 = OpConstant %uint 32
    %uint_64 = OpConstant %uint 64
    %uint_256 = OpConstant %uint 256
    %workgroup_memory = OpConstant %uint 264
    %buffer_memory = OpConstant %uint 72
    %int_0 = OpConstant %int 0
    %int_1 = OpConstant %int 1
    %int_m1 = OpConstant %int -1
    %float_0 = OpConstant %float 0
    %float_1 = OpConstant %float 1
    %float_2 = OpConstant %float 2
    %float_4 = OpConstant %float 4
    %float_half = OpConstant %float 0.5
    %float4_0 = OpConstantComposite %float4 %float_0 %float_0 %float_0 %float_1
    %data = OpVariable %buffer_block StorageBuffer
";

const DECORATIONS: &str = "
    OpDecorate %words ArrayStride 4
    OpDecorate %block Block
    OpMemberDecorate %block 0 Offset 0
    OpDecorate %data DescriptorSet 0
    OpDecorate %data Binding 0
";

/// What is of a stage: entry point and modes, decorations, declarations, what comes before the case, and
/// behind it.
struct Frame {
    entry: String,
    decorations: &'static str,
    declarations: &'static str,
    before: &'static str,
    behind: &'static str,
    end: &'static str,
}

/// What a ray generation shader does: a triangle is hit, a box, nothing, and a shader is called.
const RAYS: &str = "
    %ray_scene = OpLoad %structure %scene
    OpTraceRayKHR %ray_scene %uint_0 %ray_mask %uint_0 %uint_0 %uint_0 \
        %ray_start %float_0 %ray_forward %ray_end %ray_payload
    OpTraceRayKHR %ray_scene %uint_0 %ray_mask %uint_0 %uint_0 %uint_0 \
        %ray_aside %float_0 %ray_forward %ray_end %ray_payload
    OpTraceRayKHR %ray_scene %uint_0 %ray_mask %uint_0 %uint_0 %uint_0 \
        %ray_start %float_0 %ray_back %ray_end %ray_payload
    OpExecuteCallableKHR %uint_0 %ray_called";

const RAY_DECLARATIONS: &str = "
    %structure = OpTypeAccelerationStructureKHR
    %of_structure = OpTypePointer UniformConstant %structure
    %scene = OpVariable %of_structure UniformConstant
    %of_ray_payload = OpTypePointer RayPayloadKHR %uint
    %ray_payload = OpVariable %of_ray_payload RayPayloadKHR
    %of_ray_called = OpTypePointer CallableDataKHR %uint
    %ray_called = OpVariable %of_ray_called CallableDataKHR
    %ray_mask = OpConstant %uint 255
    %ray_end = OpConstant %float 100
    %ray_m5 = OpConstant %float -5
    %ray_m1 = OpConstant %float -1
    %ray_start = OpConstantComposite %float3 %float_0 %float_0 %ray_m5
    %ray_aside = OpConstantComposite %float3 %float_2 %float_0 %ray_m5
    %ray_forward = OpConstantComposite %float3 %float_0 %float_0 %float_1
    %ray_back = OpConstantComposite %float3 %float_0 %float_0 %ray_m1";

/// A stage of ray tracing pipelines with nothing of its own.
fn ray_frame(model: &str) -> Frame {
    Frame {
        entry: format!("OpEntryPoint {model} %main \"main\""),
        decorations: "",
        declarations: "",
        before: "%gid = OpIAdd %uint %uint_0 %uint_0",
        behind: "",
        end: "OpReturn",
    }
}

fn ray_generation_frame() -> Frame {
    Frame {
        entry: "OpEntryPoint RayGenerationKHR %main \"main\" %scene %ray_payload %ray_called".to_owned(),
        decorations: "OpDecorate %scene DescriptorSet 0
                      OpDecorate %scene Binding 1",
        declarations: RAY_DECLARATIONS,
        behind: RAYS,
        ..ray_frame("RayGenerationKHR")
    }
}

/// A stage in workgroups.
fn workgroup_frame(model: &str, modes: &str, size: [u32; 3]) -> Frame {
    Frame {
        entry: format!(
            "OpEntryPoint {model} %main \"main\" %id %lid %wid
             OpExecutionMode %main LocalSize {} {} {}
             {modes}",
            size[0], size[1], size[2]
        ),
        decorations: "OpDecorate %id BuiltIn GlobalInvocationId
                      OpDecorate %lid BuiltIn LocalInvocationIndex
                      OpDecorate %wid BuiltIn WorkgroupId",
        declarations: "%id = OpVariable %in_uint3 Input
                       %lid = OpVariable %in_uint Input
                       %wid = OpVariable %in_uint3 Input",
        before: "%ids = OpLoad %uint3 %id
                 %gid = OpCompositeExtract %uint %ids 0
                 %local = OpLoad %uint %lid
                 %groups = OpLoad %uint3 %wid
                 %group = OpCompositeExtract %uint %groups 0",
        behind: "",
        end: "OpReturn",
    }
}

const NODE_MODES: &str = "OpExecutionModeId %main StaticNumWorkgroupsAMDX %uint_1 %uint_1 %uint_1";

const MESH_MODES: &str = "OpExecutionMode %main OutputVertices 3
    OpExecutionMode %main OutputPrimitivesEXT 1
    OpExecutionMode %main OutputTrianglesEXT";

fn frame(stage: Stage, size: [u32; 3]) -> Frame {
    let slot = "%gid = OpIAdd %uint %uint_0 %uint_0";
    match stage {
        Stage::Compute => workgroup_frame("GLCompute", "", size),
        Stage::Task => Frame {
            end: "OpEmitMeshTasksEXT %uint_1 %uint_1 %uint_1",
            ..workgroup_frame("TaskEXT", "", size)
        },
        Stage::Mesh => Frame {
            behind: "OpSetMeshOutputsEXT %uint_0 %uint_0",
            ..workgroup_frame("MeshEXT", MESH_MODES, size)
        },
        Stage::Node => workgroup_frame("GLCompute", NODE_MODES, size),
        Stage::Kernel => unreachable!("kernels are no SPIR-V"),
        Stage::RayGeneration => ray_generation_frame(),
        Stage::Miss => ray_frame("MissKHR"),
        Stage::ClosestHit => ray_frame("ClosestHitKHR"),
        Stage::AnyHit => ray_frame("AnyHitKHR"),
        Stage::Intersection => ray_frame("IntersectionKHR"),
        Stage::Callable => ray_frame("CallableKHR"),
        Stage::Vertex => Frame {
            entry: "OpEntryPoint Vertex %main \"main\" %attribute %position".to_owned(),
            decorations: "OpDecorate %attribute Location 0
                          OpDecorate %position BuiltIn Position",
            declarations: "%attribute = OpVariable %in_float4 Input
                           %position = OpVariable %out_float4 Output",
            before: slot,
            behind: "%vertex = OpLoad %float4 %attribute
                     OpStore %position %vertex",
            end: "OpReturn",
        },
        Stage::Control => Frame {
            entry: "OpEntryPoint TessellationControl %main \"main\" %outer %inner
                    OpExecutionMode %main OutputVertices 3"
                .to_owned(),
            decorations: "OpDecorate %outer BuiltIn TessLevelOuter
                          OpDecorate %outer Patch
                          OpDecorate %inner BuiltIn TessLevelInner
                          OpDecorate %inner Patch",
            declarations: "%outers = OpTypeArray %float %uint_4
                           %inners = OpTypeArray %float %uint_2
                           %out_outers = OpTypePointer Output %outers
                           %out_inners = OpTypePointer Output %inners
                           %outer = OpVariable %out_outers Output
                           %inner = OpVariable %out_inners Output
                           %all_outer = OpConstantComposite %outers %float_1 %float_1 %float_1 %float_1
                           %all_inner = OpConstantComposite %inners %float_1 %float_1",
            before: slot,
            behind: "OpStore %outer %all_outer
                     OpStore %inner %all_inner",
            end: "OpReturn",
        },
        Stage::Evaluation => Frame {
            entry: "OpEntryPoint TessellationEvaluation %main \"main\" %coordinate %position
                    OpExecutionMode %main Triangles
                    OpExecutionMode %main SpacingEqual
                    OpExecutionMode %main VertexOrderCcw"
                .to_owned(),
            decorations: "OpDecorate %coordinate BuiltIn TessCoord
                          OpDecorate %position BuiltIn Position",
            declarations: "%coordinate = OpVariable %in_float3 Input
                           %position = OpVariable %out_float4 Output",
            before: slot,
            behind: "%place = OpLoad %float3 %coordinate
                     %vertex = OpCompositeConstruct %float4 %place %float_1
                     OpStore %position %vertex",
            end: "OpReturn",
        },
        Stage::Geometry => Frame {
            entry: "OpEntryPoint Geometry %main \"main\" %position
                    OpExecutionMode %main Triangles
                    OpExecutionMode %main Invocations 1
                    OpExecutionMode %main OutputPoints
                    OpExecutionMode %main OutputVertices 1"
                .to_owned(),
            decorations: "OpDecorate %position BuiltIn Position",
            declarations: "%position = OpVariable %out_float4 Output",
            before: slot,
            behind: "OpStore %position %float4_0
                     OpEmitVertex
                     OpEndPrimitive",
            end: "OpReturn",
        },
        Stage::Fragment => Frame {
            entry: "OpEntryPoint Fragment %main \"main\" %place %color
                    OpExecutionMode %main OriginUpperLeft"
                .to_owned(),
            decorations: "OpDecorate %place BuiltIn FragCoord
                          OpDecorate %color Location 0",
            declarations: "%place = OpVariable %in_float4 Input
                           %color = OpVariable %out_float4 Output",
            before: "%gid = OpIAdd %uint %uint_0 %uint_0
                     %pixel = OpLoad %float4 %place",
            behind: "OpStore %color %float4_0",
            end: "OpReturn",
        },
    }
}

/// Lines, each behind an `OpLine` where one may stand.
fn numbered(out: &mut String, lines: &[Line]) {
    let mut is_merged = false;
    for Line { number, text } in lines {
        let starts = |start: &str| text.starts_with(start);
        if !is_merged
            && !text.contains("= OpLabel")
            && !starts("OpFunction")
            && !text.contains("= OpFunction")
        {
            let _ = writeln!(out, "OpLine %file {number} 0");
        }
        is_merged = starts("OpSelectionMerge") || starts("OpLoopMerge");
        let _ = writeln!(out, "{text}");
    }
}

fn plain(out: &mut String, lines: &[Line]) {
    lines.iter().for_each(|line| *out += &format!("{}\n", line.text));
}

fn has_workgroups(stage: Stage) -> bool {
    matches!(stage, Stage::Compute | Stage::Task | Stage::Mesh | Stage::Node)
}

/// The shader of a stage with a variant of a case in it.
pub fn text(case: &Case, stage: Stage, variant: Variant) -> String {
    let Frame { entry, decorations, declarations, before, behind, end } = frame(stage, case.size);
    let behind = if case.is_bare { "" } else { behind };
    let (first, modes) = entry.split_once('\n').unwrap_or((&entry, ""));
    let entry = format!("{first} {}\n{modes}", case.interface);
    let model = if case.is_physical { PHYSICAL } else { LOGICAL };
    let physical = "OpCapability PhysicalStorageBufferAddresses";
    let physical = if case.is_physical { physical } else { "" };
    let node = match stage {
        Stage::Node => "OpCapability ShaderEnqueueAMDX\n",
        _ => "",
    };
    let node_extension = match stage {
        Stage::Node => "OpExtension \"SPV_AMDX_shader_enqueue\"\n",
        _ => "",
    };
    let further = case.capabilities.iter().map(|name| format!("OpCapability {name}\n"));
    let extensions = case.extensions.iter().map(|name| format!("OpExtension \"{name}\"\n"));
    let (further, extensions): (String, String) = (further.collect(), extensions.collect());
    let head = CAPABILITIES.replacen("OpExtension", &format!("{extensions}{node_extension}OpExtension"), 1);
    let imports = match case.imports.as_str() {
        "" => String::new(),
        set => format!("%imported = OpExtInstImport \"{set}\"\n"),
    };
    let mut out = format!("{further}{node}{physical}\n{head}\n{imports}{model}\n{entry}\n");
    plain(&mut out, case.section("modes"));
    let _ = writeln!(out, "%file = OpString \"{}.case\"", case.name);
    out += DECORATIONS;
    out += decorations;
    out.push('\n');
    plain(&mut out, case.section("decorations"));
    plain(&mut out, case.own_decorations(variant));
    out += TYPES;
    out += declarations;
    out.push('\n');
    plain(&mut out, case.section("declarations"));
    out += "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
    plain(&mut out, case.section("locals"));
    out += before;
    out.push('\n');
    for index in 0..4 {
        let _ = writeln!(out, "%pin{index} = OpAccessChain %word %data %uint_0 %uint_{index}");
        let _ = writeln!(out, "%in{index} = OpLoad %uint %pin{index}");
    }
    numbered(&mut out, case.body(variant));
    // In stages without workgroups all invocations write one word.
    let store = match has_workgroups(stage) {
        true => "OpStore %written %result",
        false => "OpAtomicStore %written %uint_1 %uint_0 %result",
    };
    let _ = writeln!(
        out,
        "OpNoLine
        %slot = OpIAdd %uint %gid %uint_64
        %written = OpAccessChain %word %data %uint_0 %slot
        {store}"
    );
    out += behind;
    let _ = write!(out, "\n{end}\nOpFunctionEnd\n");
    numbered(&mut out, case.section("functions"));
    out
}

/// A fragment shader that reads a location, and gives it to its attachment.
pub fn reading_shader(location: u32) -> String {
    let Frame { entry, decorations, declarations, .. } = frame(Stage::Fragment, [1, 1, 1]);
    let entry = entry.replacen("%color", "%color %varying", 1);
    format!(
        "{CAPABILITIES}\n{LOGICAL}\n{entry}\n{DECORATIONS}\n{decorations}\n\
         OpDecorate %varying Location {location}\n{TYPES}\n{declarations}\n\
         %varying = OpVariable %in_float4 Input\n%main = OpFunction %void None %fn\n%entry = OpLabel\n\
         %read = OpLoad %float4 %varying\nOpStore %color %read\nOpReturn\nOpFunctionEnd\n"
    )
}

/// A task shader that writes the first of the four words of its payload.
fn plain_task() -> Frame {
    let Frame { entry, .. } = frame(Stage::Task, [1, 1, 1]);
    Frame {
        entry: entry.replacen("%id %lid %wid", "%payload", 1),
        decorations: "",
        declarations: "%four_words = OpTypeArray %uint %uint_4
                       %of_payload = OpTypePointer TaskPayloadWorkgroupEXT %four_words
                       %of_payload_word = OpTypePointer TaskPayloadWorkgroupEXT %uint
                       %payload = OpVariable %of_payload TaskPayloadWorkgroupEXT",
        before: "",
        behind: "%first_word = OpAccessChain %of_payload_word %payload %uint_0
                 OpStore %first_word %uint_1",
        end: "OpEmitMeshTasksEXT %uint_1 %uint_1 %uint_1 %payload",
    }
}

/// The shader of the stage before, with a variant of what a case has for it.
pub fn shader_before(case: &Case, stage: Stage, variant: Variant) -> String {
    let Frame { entry, decorations, declarations, before, behind, end } = frame(stage, [1, 1, 1]);
    let mut out = format!(
        "{CAPABILITIES}\n{LOGICAL}\n{entry}\n%file = OpString \"{}.case\"\n{DECORATIONS}\n{decorations}\n\
         {TYPES}\n{declarations}\n",
        case.name
    );
    plain(&mut out, case.section("before declarations"));
    let _ = write!(out, "%main = OpFunction %void None %fn\n%entry = OpLabel\n{before}\n");
    numbered(&mut out, case.body_before(variant));
    let _ = write!(out, "OpNoLine\n{behind}\n{end}\nOpFunctionEnd\n");
    out
}

/// Shaders that fill the other stages of a pipeline.
pub fn plain_shader(stage: Stage) -> String {
    let frame = if stage == Stage::Task { plain_task() } else { frame(stage, [1, 1, 1]) };
    let Frame { entry, decorations, declarations, before: _, behind, end } = frame;
    format!(
        "{CAPABILITIES}\n{LOGICAL}\n{entry}\n{DECORATIONS}\n{decorations}\n{TYPES}\n{declarations}
         %main = OpFunction %void None %fn\n%entry = OpLabel\n{behind}\n{end}\nOpFunctionEnd\n"
    )
}
