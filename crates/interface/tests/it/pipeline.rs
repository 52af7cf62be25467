//! Whole pipelines: each rule has one that keeps it and one that breaks it.

use pyro_interface::link::Options;
use pyro_interface::pipeline::{
    Attribute, Binding, DescriptorKind, Format, Linking, Numeric, Pipeline, PipelineLayout, PipelineStage,
    PushConstantRange, check, covered_vuids,
};
use pyro_interface::{Interface, ResourceKind};
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_spirv::{ConstantValues, Module, Specialization};
use std::collections::BTreeSet;

/// A shader: its stage, variables as `name class type`, decorations and execution modes.
#[derive(Clone)]
struct Shader {
    model: &'static str,
    variables: Vec<String>,
    decorations: String,
    modes: String,
    body: &'static str,
}

fn shader(model: &'static str) -> Shader {
    let modes = match model {
        "Fragment" => "OpExecutionMode %main OriginUpperLeft",
        "GLCompute" | "TaskEXT" | "MeshEXT" => "OpExecutionMode %main LocalSize 1 1 1",
        _ => "",
    };
    Shader { model, variables: Vec::new(), decorations: String::new(), modes: modes.to_owned(), body: "" }
}

impl Shader {
    /// A variable with decorations, which lack `OpDecorate %name`.
    fn has(mut self, name: &str, class: &str, ty: &str, decorations: &[&str]) -> Shader {
        self.variables.push(format!("{name} {class} {ty}"));
        for decoration in decorations {
            self.decorations += &format!("OpDecorate %{name} {decoration}\n");
        }
        self
    }

    fn body(mut self, body: &'static str) -> Shader {
        self.body = body;
        self
    }

    fn mode(mut self, mode: &str) -> Shader {
        self.modes += &format!("\nOpExecutionMode %main {mode}");
        self
    }

    fn decode(&self) -> Module {
        let split = |text: &str| {
            let mut parts = text.splitn(3, ' ').map(str::to_owned);
            [parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap()]
        };
        let variables: Vec<_> = self.variables.iter().map(|text| split(text)).collect();
        let listed: String = variables.iter().map(|[name, ..]| format!(" %{name}")).collect();
        let declared: String = variables
            .iter()
            .map(|[name, class, ty]| {
                format!("%p_{name} = OpTypePointer {class} %{ty}\n%{name} = OpVariable %p_{name} {class}\n")
            })
            .collect();
        let text = format!(
            "; Version: 1.4\nOpCapability Shader\nOpMemoryModel Logical GLSL450\n\
             OpEntryPoint {} %main \"main\"{listed}\n{}\n{}\
             OpDecorate %Block Block\nOpMemberDecorate %Block 0 Offset 0\n\
             %void = OpTypeVoid\n%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n%float = OpTypeFloat 32\n\
             %double = OpTypeFloat 64\n%double2 = OpTypeVector %double 2\n%float2 = OpTypeVector %float 2\n\
             %float4 = OpTypeVector %float 4\n%three = OpConstant %uint 3\n%floats = OpTypeArray %float %three\n\
             %Block = OpTypeStruct %float4\n%blocks = OpTypeArray %Block %three\n\
             %image_type = OpTypeImage %float 2D 0 0 0 1 Unknown\n%sampler_type = OpTypeSampler\n\
             %payload_type = OpTypeStruct %float %uint\n%other_payload = OpTypeStruct %float %float\n\
             %texture_type = OpTypeSampledImage %image_type\n%three_samplers = OpTypeArray %sampler_type %three\n\
             %three_textures = OpTypeArray %texture_type %three\n%zero = OpConstant %uint 0\n\
             %to_texture = OpTypePointer UniformConstant %texture_type\n%int2 = OpTypeVector %int 2\n\
             %f1 = OpConstant %float 1\n%at2 = OpConstantComposite %float2 %f1 %f1\n%i1 = OpConstant %int 1\n\
             %aside = OpConstantComposite %int2 %i1 %i1\n{declared}\
             %fn = OpTypeFunction %void\n%main = OpFunction %void None %fn\n%entry = OpLabel\n{}\nOpReturn\n\
             OpFunctionEnd",
            self.model, self.modes, self.decorations, self.body
        );
        let words = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Module::decode(&words).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

/// What a pipeline has beside its shaders.
#[derive(Clone, Default)]
struct State {
    layout: Option<PipelineLayout>,
    attributes: Option<Vec<Attribute>>,
    colors: Option<Vec<Option<Format>>>,
    options: Options,
    objects: Option<Linking>,
}

fn found(shaders: &[Shader], state: &State) -> Vec<&'static str> {
    let modules: Vec<Module> = shaders.iter().map(Shader::decode).collect();
    let constants: Vec<_> = modules
        .iter()
        .map(|module| ConstantValues::evaluate(module, &Specialization::new()).unwrap())
        .collect();
    let interfaces: Vec<_> = constants
        .iter()
        .map(|constants| {
            let entry = constants.module().entry_points().next().unwrap();
            Interface::of(constants, &entry).unwrap()
        })
        .collect();
    let stages = constants.iter().zip(&interfaces);
    let stages = stages.map(|(constants, interface)| PipelineStage { constants, interface }).collect();
    let State { layout, attributes, colors, options, objects } = state.clone();
    let findings = check(&Pipeline { stages, layout, attributes, colors, options, objects });
    findings.iter().map(|finding| finding.rule).collect()
}

fn format(numeric: Numeric, components: u32) -> Format {
    Format { numeric, components, is_wide: false }
}

/// The end of a task shader that passes its payload.
const EMIT: &str = "OpEmitMeshTasksEXT %three %three %three %out\n%rest = OpLabel";

/// The mesh shader accesses it.
const READ: &str = "%read = OpLoad %payload_type %in";

fn vertex() -> Shader {
    shader("Vertex")
}

fn fragment() -> Shader {
    shader("Fragment")
}

fn tessellation() -> [Shader; 3] {
    [
        vertex(),
        shader("TessellationControl").mode("OutputVertices 3"),
        shader("TessellationEvaluation").mode("Quads"),
    ]
}

fn binding(kind: ResourceKind, count: u64, stages: Option<Vec<Model>>) -> State {
    let binding = Binding { stages, ..Binding::new(0, 1, DescriptorKind::Plain(kind), count) };
    let layout = PipelineLayout { bindings: vec![binding], push_constants: Vec::new() };
    State { layout: Some(layout), ..State::default() }
}

/// A binding whose sampler converts.
fn converting(kind: ResourceKind, count: u64) -> State {
    let mut state = binding(kind, count, None);
    state
        .layout
        .iter_mut()
        .flat_map(|layout| &mut layout.bindings)
        .for_each(|found| found.has_conversion = true);
    state
}

/// A fragment shader that has a combined descriptor, or three, and a body.
fn texturing(ty: &str, body: &'static str) -> Shader {
    fragment().has("image", "UniformConstant", ty, &PLACE).has("cell", "Private", "uint", &[]).body(body)
}

const SAMPLE: &str = "%s = OpLoad %texture_type %image\n%c = OpImageSampleImplicitLod %float4 %s %at2";

fn range(offset: u32, size: u32, stages: Option<Vec<Model>>) -> State {
    let range = PushConstantRange { stages, offset, size };
    let layout = PipelineLayout { bindings: Vec::new(), push_constants: vec![range] };
    State { layout: Some(layout), ..State::default() }
}

fn attribute(format: Format) -> State {
    State { attributes: Some(vec![Attribute { location: 2, format }]), ..State::default() }
}

const PLACE: [&str; 2] = ["DescriptorSet 0", "Binding 1"];

fn pass() -> Vec<(Vec<Shader>, State)> {
    let block = |shader: Shader| shader.has("block", "Uniform", "Block", &PLACE);
    let blocks = |shader: Shader| shader.has("block", "Uniform", "blocks", &PLACE);
    let push = |shader: Shader| shader.has("push", "PushConstant", "Block", &[]);
    let plain = State::default;
    let wide = Format { numeric: Numeric::Float, components: 2, is_wide: true };
    vec![
        (vec![vertex(), fragment()], plain()),
        (vec![shader("TaskEXT"), shader("MeshEXT"), fragment()], plain()),
        (tessellation().into(), plain()),
        ([&tessellation()[..], &[shader("Geometry").mode("Triangles")]].concat(), plain()),
        (
            vec![
                vertex().has("out", "Output", "float4", &["Location 1", "Flat"]),
                fragment().has("in", "Input", "float2", &["Location 1"]),
            ],
            plain(),
        ),
        (
            vec![
                vertex(),
                shader("Geometry").mode("Triangles").has("id", "Output", "int", &["BuiltIn PrimitiveId"]),
                fragment().has("id", "Input", "int", &["BuiltIn PrimitiveId"]),
            ],
            plain(),
        ),
        (vec![vertex().mode("Xfb"), fragment()], plain()),
        (vec![block(vertex()), block(fragment())], binding(ResourceKind::UniformBuffer, 1, None)),
        (
            vec![blocks(shader("GLCompute"))],
            binding(ResourceKind::UniformBuffer, 3, Some(vec![Model::GLCompute])),
        ),
        (
            vec![fragment().has("texture", "UniformConstant", "image_type", &PLACE), vertex()],
            binding(ResourceKind::CombinedImageSampler, 1, None),
        ),
        (vec![push(shader("RayGenerationKHR"))], range(0, 16, None)),
        (vec![vertex().has("in", "Input", "float4", &["Location 2"])], attribute(format(Numeric::Float, 2))),
        (vec![vertex().has("in", "Input", "double2", &["Location 2"])], attribute(wide)),
        (
            vec![vertex(), fragment().has("out", "Output", "float4", &["Location 0"])],
            State { colors: Some(vec![Some(format(Numeric::Float, 4))]), ..plain() },
        ),
        (
            vec![
                shader("RayGenerationKHR").has("out", "RayPayloadKHR", "payload_type", &["Location 0"]),
                shader("MissKHR").has("in", "IncomingRayPayloadKHR", "payload_type", &[]),
            ],
            plain(),
        ),
        (
            vec![
                shader("TaskEXT").has("out", "TaskPayloadWorkgroupEXT", "payload_type", &[]).body(EMIT),
                shader("MeshEXT").has("in", "TaskPayloadWorkgroupEXT", "payload_type", &[]).body(READ),
            ],
            plain(),
        ),
        // A payload that is declared, but not accessed.
        (vec![shader("MeshEXT").has("in", "TaskPayloadWorkgroupEXT", "payload_type", &[])], plain()),
        (
            vec![vertex(), texturing("texture_type", SAMPLE)],
            converting(ResourceKind::CombinedImageSampler, 1),
        ),
        (
            vec![
                vertex(),
                texturing(
                    "three_textures",
                    "%p = OpAccessChain %to_texture %image %zero\n%s = OpLoad %texture_type %p\n\
                     %c = OpImageSampleImplicitLod %float4 %s %at2",
                ),
            ],
            converting(ResourceKind::CombinedImageSampler, 3),
        ),
    ]
}

fn fail_conversion() -> Vec<(&'static str, Vec<Shader>, State)> {
    let of = |rule, shader: Shader, state| (rule, vec![vertex(), shader], state);
    let apart = |ty| fragment().has("v", "UniformConstant", ty, &PLACE);
    let combined = |count| converting(ResourceKind::CombinedImageSampler, count);
    vec![
        of("VUID-RuntimeSpirv-OpTypeSampler-12203", apart("sampler_type"), combined(1)),
        of("VUID-RuntimeSpirv-OpTypeImage-12204", apart("image_type"), combined(1)),
        of(
            "VUID-RuntimeSpirv-None-12205",
            texturing(
                "three_textures",
                "%i = OpLoad %uint %cell\n%p = OpAccessChain %to_texture %image %i\n%s = OpLoad %texture_type %p\n\
                 %c = OpImageSampleImplicitLod %float4 %s %at2",
            ),
            combined(3),
        ),
        of(
            "VUID-RuntimeSpirv-OpTypeSampledImage-12206",
            texturing(
                "texture_type",
                "%s = OpLoad %texture_type %image\n%c = OpImageGather %float4 %s %at2 %zero",
            ),
            combined(1),
        ),
        of(
            "VUID-RuntimeSpirv-ConstOffset-10718",
            texturing(
                "texture_type",
                "%s = OpLoad %texture_type %image\n%c = OpImageSampleImplicitLod %float4 %s %at2 ConstOffset %aside",
            ),
            combined(1),
        ),
    ]
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn fail() -> Vec<(&'static str, Vec<Shader>, State)> {
    let plain = State::default;
    let [_, control, evaluation] = tessellation();
    let bare_control = shader("TessellationControl");
    let bare_evaluation = shader("TessellationEvaluation");
    let graphics = |rest: &str| &*format!("VUID-VkGraphicsPipelineCreateInfo-{rest}").leak();
    let mut cases = vec![
        (graphics("stage-06897"), vec![vertex(), vertex()], plain()),
        (graphics("stage-02096"), vec![shader("Geometry").mode("Triangles"), fragment()], plain()),
        (graphics("pStages-02095"), vec![vertex(), shader("MeshEXT")], plain()),
        (graphics("pStages-00729"), vec![vertex(), control.clone()], plain()),
        (graphics("pStages-00730"), vec![vertex(), evaluation.clone()], plain()),
        (graphics("pStages-00732"), vec![vertex(), control.clone(), bare_evaluation.clone()], plain()),
        (
            graphics("pStages-00733"),
            vec![vertex(), control.clone().mode("Triangles"), evaluation.clone()],
            plain(),
        ),
        (graphics("pStages-00734"), vec![vertex(), bare_control, evaluation.clone()], plain()),
        (
            graphics("pStages-00735"),
            vec![vertex(), control.clone(), evaluation.clone().mode("OutputVertices 4")],
            plain(),
        ),
        (
            graphics("pStages-00739"),
            vec![vertex(), control.clone(), evaluation.clone(), shader("Geometry").mode("InputLines")],
            plain(),
        ),
        (
            graphics("pStages-00740"),
            vec![
                vertex(),
                shader("Geometry").mode("Triangles"),
                fragment().has("id", "Input", "int", &["BuiltIn PrimitiveId"]),
            ],
            plain(),
        ),
        (
            graphics("PrimitiveId-06264"),
            vec![shader("MeshEXT"), fragment().has("id", "Input", "int", &["BuiltIn PrimitiveId"])],
            plain(),
        ),
        (
            graphics("pStages-09631"),
            vec![shader("TaskEXT"), shader("MeshEXT").has("draw", "Input", "int", &["BuiltIn DrawIndex"])],
            plain(),
        ),
        (
            graphics("pStages-02317"),
            vec![vertex().mode("Xfb"), shader("Geometry").mode("Triangles").mode("Xfb")],
            plain(),
        ),
        (
            graphics("pStages-02318"),
            vec![vertex().mode("Xfb"), shader("Geometry").mode("Triangles")],
            plain(),
        ),
        ("VUID-VkRayTracingPipelineCreateInfoKHR-stage-03425", vec![shader("MissKHR")], plain()),
        (
            "VUID-VkRayTracingPipelineCreateInfoKHR-stage-06899",
            vec![shader("RayGenerationKHR"), fragment()],
            plain(),
        ),
        (
            "VUID-VkRayTracingPipelineCreateInfoKHR-pStages-03426",
            vec![
                shader("RayGenerationKHR").has("out", "RayPayloadKHR", "payload_type", &["Location 0"]),
                shader("MissKHR").has("in", "IncomingRayPayloadKHR", "other_payload", &[]),
            ],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-MeshEXT-12380",
            vec![
                shader("TaskEXT").has("out", "TaskPayloadWorkgroupEXT", "other_payload", &[]).body(EMIT),
                shader("MeshEXT").has("in", "TaskPayloadWorkgroupEXT", "payload_type", &[]).body(READ),
            ],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-MeshEXT-12380",
            vec![
                shader("TaskEXT").has("out", "TaskPayloadWorkgroupEXT", "payload_type", &[]),
                shader("MeshEXT").has("in", "TaskPayloadWorkgroupEXT", "payload_type", &[]).body(READ),
            ],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-MeshEXT-12380",
            vec![shader("MeshEXT").has("in", "TaskPayloadWorkgroupEXT", "payload_type", &[]).body(READ)],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-OpEntryPoint-08743",
            vec![vertex(), fragment().has("in", "Input", "float", &["Location 1"])],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-OpEntryPoint-07754",
            vec![
                vertex().has("out", "Output", "uint", &["Location 1"]),
                fragment().has("in", "Input", "float", &["Location 1"]),
            ],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-OpVariable-08746",
            vec![
                shader("MeshEXT").has("out", "Output", "floats", &["Location 1", "PerPrimitiveEXT"]),
                fragment().has("in", "Input", "float", &["Location 1"]),
            ],
            plain(),
        ),
        (
            "VUID-RuntimeSpirv-maintenance4-06817",
            vec![
                vertex().has("out", "Output", "float4", &["Location 1"]),
                fragment().has("in", "Input", "float2", &["Location 1"]),
            ],
            State { options: Options { maintenance4: false, ..Options::default() }, ..plain() },
        ),
        (
            graphics("Input-07904"),
            vec![vertex().has("in", "Input", "float", &["Location 1"])],
            attribute(format(Numeric::Float, 1)),
        ),
        (
            graphics("Input-08733"),
            vec![vertex().has("in", "Input", "float", &["Location 2"])],
            attribute(format(Numeric::Unsigned, 1)),
        ),
        (
            graphics("pVertexInputState-08929"),
            vec![vertex().has("in", "Input", "float", &["Location 2"])],
            attribute(Format { is_wide: true, ..format(Numeric::Float, 1) }),
        ),
        (
            graphics("pVertexInputState-08930"),
            vec![vertex().has("in", "Input", "double", &["Location 2"])],
            attribute(format(Numeric::Float, 1)),
        ),
        (
            graphics("pVertexInputState-09198"),
            vec![vertex().has("in", "Input", "double2", &["Location 2"])],
            attribute(Format { is_wide: true, ..format(Numeric::Float, 1) }),
        ),
        (
            "Fragment output interface",
            vec![vertex(), fragment().has("out", "Output", "float4", &["Location 0"])],
            State { colors: Some(vec![Some(format(Numeric::Signed, 4))]), ..plain() },
        ),
        (
            "Fragment output interface",
            vec![vertex(), fragment().has("out", "Output", "float2", &["Location 0"])],
            State { colors: Some(vec![Some(format(Numeric::Float, 4))]), ..plain() },
        ),
    ];
    // The rules on layouts are the same for each kind of pipeline.
    for (create_info, model, other) in [
        ("VkGraphicsPipelineCreateInfo", "Vertex", Model::Fragment),
        ("VkComputePipelineCreateInfo", "GLCompute", Model::Vertex),
        ("VkRayTracingPipelineCreateInfoKHR", "RayGenerationKHR", Model::MissKHR),
    ] {
        let rule = |number: &str| &*format!("VUID-{create_info}-layout-{number}").leak();
        let block = || vec![shader(model).has("block", "Uniform", "Block", &PLACE)];
        let blocks = vec![shader(model).has("block", "Uniform", "blocks", &PLACE)];
        let push = || vec![shader(model).has("push", "PushConstant", "Block", &[])];
        cases.extend([
            (rule("07988"), block(), State { layout: Some(PipelineLayout::default()), ..plain() }),
            (rule("07988"), block(), binding(ResourceKind::UniformBuffer, 1, Some(vec![other]))),
            (rule("07990"), block(), binding(ResourceKind::StorageBuffer, 1, None)),
            (rule("07991"), blocks, binding(ResourceKind::UniformBuffer, 2, None)),
            (rule("07987"), push(), range(0, 16, Some(vec![other]))),
            (rule("10069"), push(), range(0, 12, None)),
        ]);
    }
    cases
}

/// Tessellation shaders that say all that linked objects must.
fn linked_tessellation() -> [Shader; 2] {
    let [_, control, evaluation] = tessellation();
    [control, evaluation.mode("VertexOrderCw").mode("SpacingEqual")]
}

fn objects(linking: Linking) -> State {
    State { objects: Some(linking), ..State::default() }
}

/// Rules that only shader objects have, each with shaders that break it.
fn fail_objects() -> Vec<(&'static str, Vec<Shader>, State)> {
    let create = |rest: &str| &*format!("VUID-VkShaderCreateInfoEXT-{rest}").leak();
    let together = |rest: &str| &*format!("VUID-vkCreateShadersEXT-pCreateInfos-{rest}").leak();
    let [control, evaluation] = linked_tessellation();
    let pair = |one: &Shader, other: &Shader| vec![one.clone(), other.clone()];
    let with = |state: State| State { objects: Some(Linking::Unlinked), ..state };
    let linked = || objects(Linking::Linked);
    let bound = vertex().has("user", "UniformConstant", "sampler_type", &PLACE);
    let three = vertex().has("user", "UniformConstant", "three_samplers", &PLACE);
    let pushed = vertex().has("user", "PushConstant", "Block", &[]);
    let sampler = ResourceKind::Sampler;
    vec![
        (create("codeType-08872"), vec![shader("TessellationEvaluation")], objects(Linking::Unlinked)),
        (create("codeType-12226"), vec![shader("TessellationControl")], objects(Linking::Unlinked)),
        (
            create("pCode-08453"),
            vec![shader("TessellationControl").mode("OutputVertices 0")],
            objects(Linking::Unlinked),
        ),
        (create("pCode-08454"), vec![shader("Geometry").mode("Triangles")], objects(Linking::Unlinked)),
        (
            create("pCode-08455"),
            vec![shader("Geometry").mode("OutputVertices 3").mode("Invocations 0")],
            objects(Linking::Unlinked),
        ),
        (
            create("codeType-10383"),
            vec![bound.clone()],
            with(binding(sampler, 1, Some(vec![Model::Fragment]))),
        ),
        (create("codeType-10384"), vec![bound], with(binding(ResourceKind::StorageImage, 1, None))),
        (create("codeType-10385"), vec![three], with(binding(sampler, 1, None))),
        (create("codeType-10064"), vec![pushed.clone()], with(range(0, 64, Some(vec![Model::Fragment])))),
        (create("codeType-10065"), vec![pushed], with(range(0, 8, None))),
        (together("08867"), pair(&control.clone().mode("Triangles"), &evaluation), linked()),
        (together("08868"), pair(&control.clone().mode("VertexOrderCcw"), &evaluation), linked()),
        (together("08870"), pair(&control.clone().mode("SpacingFractionalOdd"), &evaluation), linked()),
        (together("08871"), pair(&control, &evaluation.clone().mode("OutputVertices 4")), linked()),
        (together("12224"), pair(&control, &tessellation()[2].clone().mode("SpacingEqual")), linked()),
        (together("12225"), pair(&control, &tessellation()[2].clone().mode("VertexOrderCw")), linked()),
        (
            together("09632"),
            vec![shader("TaskEXT"), shader("MeshEXT").has("index", "Input", "int", &["BuiltIn DrawIndex"])],
            objects(Linking::Unlinked),
        ),
        (
            "VUID-RuntimeSpirv-OpEntryPoint-08743",
            vec![vertex(), fragment().has("in", "Input", "float2", &["Location 1"])],
            objects(Linking::Unlinked),
        ),
    ]
}

#[test]
fn shader_object_interfaces_follow_their_vuids() {
    for (rule, shaders, state) in fail_objects() {
        let found_of = |objects| found(&shaders, &State { objects, ..state.clone() });
        let found = found_of(state.objects);
        assert!(found.contains(&rule), "{rule} expected, found {found:?}");
        assert!(found.iter().all(|rule| !rule.contains("PipelineCreateInfo")), "{found:?}");
        if rule.contains("Shader") {
            assert!(!found_of(None).contains(&rule), "{rule} is no rule of pipelines");
        }
        // What only those linked must keep.
        if rule.contains("vkCreateShadersEXT") && state.objects == Some(Linking::Linked) {
            let unlinked = found_of(Some(Linking::Unlinked));
            assert_eq!(unlinked, [] as [&str; 0], "{rule}");
        }
    }
    let [control, evaluation] = linked_tessellation();
    let geometry = shader("Geometry").mode("Triangles").mode("OutputVertices 3").mode("Invocations 2");
    for linking in [Linking::Linked, Linking::Unlinked] {
        // A fragment shader alone is no pipeline, but an object.
        for shaders in [vec![fragment()], vec![control.clone(), evaluation.clone()], vec![geometry.clone()]] {
            assert_eq!(found(&shaders, &objects(linking)), [] as [&str; 0], "{linking:?}");
        }
    }
    for (place, (shaders, state)) in pass().into_iter().enumerate() {
        let state = State { objects: Some(Linking::Unlinked), ..state };
        let found = found(&shaders, &state);
        // Alone, objects must say what one of two stages of a pipeline must.
        let is_said =
            |rule: &&str| rule.ends_with("-08872") || rule.ends_with("-12226") || rule.ends_with("-08454");
        assert!(found.iter().all(is_said), "case {place}: {found:?}");
    }
}

#[test]
fn good_pipelines_pass() {
    for (place, (shaders, state)) in pass().into_iter().enumerate() {
        assert_eq!(found(&shaders, &state), [] as [&str; 0], "case {place}");
    }
}

#[test]
fn bad_pipelines_are_found() {
    for (rule, shaders, state) in fail().into_iter().chain(fail_conversion()) {
        let found = found(&shaders, &state);
        assert!(found.contains(&rule), "{rule} expected, found {found:?}");
    }
}

/// Rules whose findings have the names of others.
const UNNAMED: [&str; 1] = ["VUID-VkGraphicsPipelineCreateInfo-None-04889"];

#[test]
fn every_rule_has_a_case() {
    let cases = fail().into_iter().chain(fail_objects()).chain(fail_conversion());
    let tested: BTreeSet<&str> = cases.map(|(rule, ..)| rule).chain(UNNAMED).collect();
    let covered: BTreeSet<&str> = covered_vuids().into_iter().collect();
    assert_eq!(tested, covered);
}

#[test]
fn passthrough_takes_no_longer_outputs() {
    let geometry =
        |decorations: &[&str]| shader("Geometry").mode("Triangles").has("in", "Input", "floats", decorations);
    let writer = vertex().has("out", "Output", "float2", &["Location 1"]);
    let found = |decorations: &[&str]| found(&[writer.clone(), geometry(decorations)], &State::default());
    assert_eq!(found(&["Location 1"]), [] as [&str; 0]);
    assert_eq!(found(&["Location 1", "PassthroughNV"]), ["VUID-RuntimeSpirv-maintenance4-06817"]);
}
