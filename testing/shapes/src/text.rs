//! A module in assembly, section by section.

use std::fmt::Write;

/// The stage of a shape's entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// `GLCompute`
    #[default]
    Compute,
    /// `Fragment`, with the outputs of [`Text::locations`] vertex outputs in front of it.
    Fragment,
    /// `Vertex`: what is in front of such a fragment shader.
    Vertex,
    /// `RayGenerationKHR`
    RayGeneration,
}

/// A module in assembly, section by section. The entry point is `%main`; compute shaders have a storage
/// buffer of words `%data`, this invocation's index `%index`, and the word at that index `%x`.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The entry point's stage.
    pub stage: Stage,
    /// Capabilities besides `Shader`, and extensions.
    pub capabilities: String,
    /// Variables of the entry point's interface, each behind a space.
    pub interface: String,
    /// Entry points besides `main`.
    pub entry_points: String,
    /// Execution modes besides the stage's own.
    pub modes: String,
    /// Debug names and strings.
    pub names: String,
    /// Decorations.
    pub decorations: String,
    /// Types, constants and variables.
    pub types: String,
    /// The variables of `%main`.
    pub locals: String,
    /// The entry point's code behind the load of `%x`, up to its terminator.
    pub body: String,
    /// What `%main` stores in the end: the result's id, without `%`.
    pub result: String,
    /// Other functions.
    pub functions: String,
    /// Locations of the fragment stage's inputs, in vectors of four.
    pub locations: usize,
}

/// Appends a line to a section.
#[macro_export]
macro_rules! line {
    ($section:expr, $($arguments:tt)*) => {{
        $section.push_str(&format!($($arguments)*));
        $section.push('\n');
    }};
}

const COMMON_TYPES: &str = "%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%uint2 = OpTypeVector %uint 2
%uint3 = OpTypeVector %uint 3
%float2 = OpTypeVector %float 2
%float4 = OpTypeVector %float 4
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c7 = OpConstant %uint 7
%c16 = OpConstant %uint 16
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%p_function_uint = OpTypePointer Function %uint
%p_private_uint = OpTypePointer Private %uint
%p_workgroup_uint = OpTypePointer Workgroup %uint
";

impl Text {
    /// A compute shader whose result is `%x` until said otherwise.
    #[must_use]
    pub fn new() -> Text {
        Text { result: "x".to_owned(), ..Text::default() }
    }

    /// Sets the id that is stored in the end.
    #[must_use]
    pub fn storing(mut self, result: impl Into<String>) -> Text {
        self.result = result.into();
        self
    }

    /// Constants of a 32-bit integer type, `%kN` with the value N, but for those that all modules have.
    pub fn words(&mut self, count: usize) {
        for value in 0..count {
            line!(self.types, "%k{value} = OpConstant %uint {value}");
        }
    }

    /// The whole module.
    #[must_use]
    pub fn assembly(&self) -> String {
        match self.stage {
            Stage::Compute => self.compute(),
            Stage::Fragment => self.fragment(),
            Stage::Vertex => self.vertex_assembly(),
            Stage::RayGeneration => self.ray_generation(),
        }
    }

    fn compute(&self) -> String {
        let Text {
            capabilities,
            entry_points,
            interface,
            modes,
            names,
            decorations,
            types,
            locals,
            body,
            result,
            functions,
            ..
        } = self;
        format!(
            "OpCapability Shader
{capabilities}%glsl = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %id %data{interface}
{entry_points}OpExecutionMode %main LocalSize 64 1 1
{modes}{names}OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %Data Block
OpMemberDecorate %Data 0 Offset 0
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
{decorations}{COMMON_TYPES}%p_in_uint3 = OpTypePointer Input %uint3
%id = OpVariable %p_in_uint3 Input
%words = OpTypeRuntimeArray %uint
%Data = OpTypeStruct %words
%p_Data = OpTypePointer StorageBuffer %Data
%p_storage_uint = OpTypePointer StorageBuffer %uint
%data = OpVariable %p_Data StorageBuffer
{types}%main = OpFunction %void None %fn
%entry = OpLabel
{locals}%ids = OpLoad %uint3 %id
%index = OpCompositeExtract %uint %ids 0
%place = OpAccessChain %p_storage_uint %data %c0 %index
%x = OpLoad %uint %place
%condition = OpULessThan %bool %x %c16
%xf = OpConvertUToF %float %x
{body}OpStore %place %{result}
OpReturn
OpFunctionEnd
{functions}"
        )
    }

    fn fragment(&self) -> String {
        let Text {
            capabilities, interface, names, decorations, types, locals, body, result, functions, ..
        } = self;
        let mut inputs = [String::new(), String::new(), String::new()];
        for at in 0..self.locations {
            line!(inputs[0], "OpDecorate %in{at} Location {at}");
            line!(inputs[1], "%in{at} = OpVariable %p_in_float4 Input");
            let _ = write!(inputs[2], " %in{at}");
        }
        let [in_decorations, in_variables, in_names] = inputs;
        format!(
            "OpCapability Shader
{capabilities}OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %color{in_names}{interface}
OpExecutionMode %main OriginUpperLeft
{names}OpDecorate %color Location 0
{in_decorations}{decorations}{COMMON_TYPES}%p_in_float4 = OpTypePointer Input %float4
%p_out_float4 = OpTypePointer Output %float4
%color = OpVariable %p_out_float4 Output
{in_variables}{types}%main = OpFunction %void None %fn
%entry = OpLabel
{locals}%first = OpLoad %float4 %in0
%xf = OpCompositeExtract %float %first 0
%x = OpConvertFToU %uint %xf
%condition = OpULessThan %bool %x %c16
{body}OpStore %color %{result}
OpReturn
OpFunctionEnd
{functions}"
        )
    }

    fn ray_generation(&self) -> String {
        let Text { capabilities, interface, names, decorations, types, locals, body, functions, .. } = self;
        format!(
            "OpCapability Shader
OpCapability RayTracingKHR
{capabilities}OpExtension \"SPV_KHR_ray_tracing\"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main \"main\" %scene{interface}
{names}OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 0
{decorations}{COMMON_TYPES}%float3 = OpTypeVector %float 3
%origin = OpConstantComposite %float3 %f0 %f0 %f0
%scene_type = OpTypeAccelerationStructureKHR
%p_scene = OpTypePointer UniformConstant %scene_type
%scene = OpVariable %p_scene UniformConstant
{types}%main = OpFunction %void None %fn
%entry = OpLabel
{locals}%rays = OpLoad %scene_type %scene
{body}OpReturn
OpFunctionEnd
{functions}"
        )
    }

    /// The vertex shader in front of a fragment shader.
    #[must_use]
    pub fn vertex_assembly(&self) -> String {
        let mut outputs = [String::new(), String::new(), String::new(), String::new()];
        for at in 0..self.locations {
            line!(outputs[0], "OpDecorate %out{at} Location {at}");
            line!(outputs[1], "%out{at} = OpVariable %p_out_float4 Output");
            let _ = write!(outputs[2], " %out{at}");
            line!(outputs[3], "OpStore %out{at} %value");
        }
        let [decorations, variables, names, stores] = outputs;
        format!(
            "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main \"main\" %position{names}
OpDecorate %position BuiltIn Position
{decorations}{COMMON_TYPES}%p_out_float4 = OpTypePointer Output %float4
%position = OpVariable %p_out_float4 Output
{variables}%main = OpFunction %void None %fn
%entry = OpLabel
%value = OpCompositeConstruct %float4 %f1 %f0 %f0 %f1
OpStore %position %value
{stores}OpReturn
OpFunctionEnd
"
        )
    }
}
