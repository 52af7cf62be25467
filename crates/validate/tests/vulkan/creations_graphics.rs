//! Graphics pipelines: shaders against topology, dynamic state, flags, subpasses and views.

use crate::common::*;
use crate::creations::{Creation, Setup, g, geometry, graphics, mesh, task, tessellation, writing};
use pyro_validate::create_info::*;

pub(crate) fn creations() -> Vec<Creation> {
    [stages(), points(), flags(), parts(), views(), inputs(), externals()].into_iter().flatten().collect()
}

fn stages() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    let geometric = |setup: Setup| setup.with(|setup| setup.shaders.push(geometry()));
    let nv_task =
        || Text::stage("TaskNV").capability("MeshShadingNV").mode("OpExecutionMode %main LocalSize 1 1 1");
    vec![
        case(
            "TaskNV-07063",
            graphics(vec![mesh()]).with(|setup| setup.shaders.push(task())),
            |_| {},
            |setup| drop(setup.shaders.pop()),
        )
        .with_other(nv_task()),
        case(
            "pStages-09022",
            graphics(tessellation()).with(|setup| setup.state().tessellation = State::Null),
            |_| {},
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT"),
        ),
        Creation {
            rule: "VUID-VkPipelineTessellationStateCreateInfo-patchControlPoints-01214",
            base: graphics(tessellation())
                .with(|setup| setup.device.set_property("maxTessellationPatchSize", 32)),
            bad: |setup| setup.state().tessellation = State::Given(33),
            good: |setup| setup.state().tessellation = State::Given(32),
        },
        case(
            "pStages-08888",
            graphics(tessellation()),
            |setup| setup.state().topology = Some(Topology::Triangles),
            |setup| setup.state().topology = Some(Topology::Patches),
        ),
        case(
            "topology-08889",
            graphics(vec![vertex()]).with(|setup| setup.state().topology = Some(Topology::Patches)),
            |setup| {
                setup.state().dynamic.insert("PRIMITIVE_TOPOLOGY");
                setup.device.set_property("dynamicPrimitiveTopologyUnrestricted", 0);
            },
            |setup| {
                setup.state().dynamic.insert("PRIMITIVE_TOPOLOGY");
                setup.device.set_property("dynamicPrimitiveTopologyUnrestricted", 1);
            },
        ),
        case(
            "pStages-00738",
            geometric(graphics(vec![vertex()])),
            |setup| setup.state().topology = Some(Topology::TrianglesWithAdjacency),
            |setup| setup.state().topology = Some(Topology::Triangles),
        ),
        case(
            "rasterizationStream-02319",
            graphics(vec![vertex(), streaming(1)]),
            |setup| setup.state().stream = 2,
            |setup| setup.state().stream = 1,
        ),
        case(
            "rasterizationStream-02320",
            graphics(vec![vertex(), streaming(1)]),
            |_| {},
            |setup| setup.shaders[1] = streaming(0),
        ),
        case(
            "geometryStreams-02321",
            graphics(vec![vertex(), streaming(0)]),
            |setup| setup.device.set_feature("geometryStreams", false),
            |_| {},
        ),
    ]
}

impl Creation {
    /// Puts a task shader of the other extension in front when the case is broken.
    fn with_other(mut self, other: Text) -> Creation {
        // The mesh shader stays as it is: the first is replaced.
        self.base.shaders.insert(0, other);
        self.bad = |_| {};
        self.good = |setup| drop(setup.shaders.remove(0));
        self
    }
}

/// A geometry shader with a position in a stream.
fn streaming(stream: u32) -> Text {
    writing(geometry().capability("GeometryStreams"), "Position", "%float4", "")
        .decorate(&format!("OpDecorate %made Stream {stream}"))
}

fn points() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    let old = |setup: Setup| setup.with(|setup| setup.device.set_feature("maintenance5", false));
    let small = |setup: Setup| {
        setup.with(|setup| setup.device.set_feature("shaderTessellationAndGeometryPointSize", false))
    };
    fn size(text: &mut Text) {
        *text = writing(
            text.clone().capability("TessellationPointSize GeometryPointSize"),
            "PointSize",
            "%float",
            "%f1",
        );
    }
    let tessellated = || {
        graphics(tessellation()).with(|setup| {
            let text = setup.shaders[2].clone();
            setup.shaders[2] = text.mode("OpExecutionMode %main PointMode");
        })
    };
    let emitting = || {
        graphics(vec![vertex(), geometry()]).with(|setup| {
            let text = &mut setup.shaders[1];
            text.modes = text.modes.replace("OutputTriangleStrip", "OutputPoints");
        })
    };
    let listed =
        || graphics(vec![vertex(), fragment()]).with(|setup| setup.state().topology = Some(Topology::Points));
    vec![
        case("TessellationEvaluation-07723", old(tessellated()), |_| {}, |setup| size(&mut setup.shaders[2])),
        case(
            "TessellationEvaluation-07724",
            small(tessellated()),
            |setup| size(&mut setup.shaders[2]),
            |_| {},
        ),
        case("topology-08773", old(listed()), |_| {}, |setup| size(&mut setup.shaders[0])),
        // Declared, but not written.
        case(
            "topology-08773",
            old(listed()),
            |setup| setup.shaders[0] = writing(vertex(), "PointSize", "%float", ""),
            |setup| setup.shaders[0] = in_block(),
        ),
        case(
            "shaderTessellationAndGeometryPointSize-08776",
            old(emitting()),
            |_| {},
            |setup| size(&mut setup.shaders[1]),
        ),
        case("Geometry-07726", small(emitting()), |setup| size(&mut setup.shaders[1]), |_| {}),
    ]
}

/// A vertex shader that writes its point size as a member of a block.
fn in_block() -> Text {
    vertex()
        .decorate("OpDecorate %PerVertex Block\nOpMemberDecorate %PerVertex 0 BuiltIn Position")
        .decorate("OpMemberDecorate %PerVertex 1 BuiltIn PointSize")
        .declare("%PerVertex = OpTypeStruct %float4 %float\n%p_size = OpTypePointer Output %float")
        .variable("per_vertex", "Output", "%PerVertex")
        .body("%size = OpAccessChain %p_size %per_vertex %i1\nOpStore %size %f1")
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn flags() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    let captures = |text: Text| text.capability("TransformFeedback").mode("OpExecutionMode %main Xfb");
    let enqueues = || graphics(vec![mesh().capability("ShaderEnqueueAMDX")]);
    let meshes = || graphics(vec![mesh(), fragment()]);
    let rate = |extra: &str| {
        let capabilities = "FragmentShadingRateKHR ShaderViewportIndex ShaderViewportMaskNV";
        let mut text = writing(vertex().capability(capabilities), "PrimitiveShadingRateKHR", "%uint", "%c0");
        if !extra.is_empty() {
            let ty = if extra == "ViewportMaskNV" { "%masks" } else { "%uint" };
            text = text
                .declare("%masks = OpTypeArray %uint %c1\n%p_one = OpTypePointer Output %uint")
                .variable("more", "Output", ty)
                .decorate(&format!("OpDecorate %more BuiltIn {extra}"));
            text = if extra == "ViewportMaskNV" {
                text.body("%one = OpAccessChain %p_one %more %c0\nOpStore %one %c1")
            } else {
                text.body("OpStore %more %c0")
            };
        }
        graphics(vec![text])
    };
    const WITH_VIEWPORTS: &str = "primitiveFragmentShadingRateWithMultipleViewports";
    vec![
        case("None-02322", graphics(vec![captures(mesh())]), |_| {}, |setup| setup.shaders[0] = mesh()),
        case(
            "flags-02966",
            graphics(vec![captures(vertex())]),
            |setup| setup.info.flags.insert("VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_NV"),
            |_| {},
        ),
        case(
            "flags-11001",
            graphics(vec![captures(vertex())]),
            |setup| setup.info.flags.insert("VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT"),
            |setup| setup.info.flags.insert("VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_NV"),
        ),
        case(
            "shaderMeshEnqueue-10187",
            enqueues(),
            |setup| setup.device.set_feature("shaderMeshEnqueue", false),
            |_| {},
        ),
        case("flags-10188", enqueues(), |_| {}, |setup| setup.info.flags.insert("LIBRARY_KHR")),
        case(
            "pStages-10189",
            enqueues(),
            |setup| setup.info.flags.insert("LIBRARY_KHR"),
            |setup| {
                setup.info.flags.insert("LIBRARY_KHR");
                setup.info.flags.insert("EXECUTION_GRAPH_AMDX");
            },
        ),
        case(
            "flags-10190",
            graphics(vec![task(), mesh()]),
            |setup| setup.info.flags.insert("EXECUTION_GRAPH_AMDX"),
            |_| {},
        ),
        case(
            "pDynamicStates-07065",
            meshes(),
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE"),
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_VIEWPORT"),
        ),
        case(
            "pDynamicStates-07066",
            meshes(),
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE"),
            |_| {},
        ),
        case(
            "pDynamicStates-07067",
            meshes(),
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_VERTEX_INPUT_EXT"),
            |setup| setup.state().dynamic.insert("VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE"),
        ),
        case(
            "extendedDynamicState3TessellationDomainOrigin-07370",
            graphics(tessellation()).with(|setup| {
                setup.device.set_feature("extendedDynamicState3TessellationDomainOrigin", false);
            }),
            |setup| setup.state().dynamic.insert("TESSELLATION_DOMAIN_ORIGIN_EXT"),
            |_| {},
        ),
        case(
            "primitiveFragmentShadingRateWithMultipleViewports-04503",
            rate("").with(|setup| setup.state().viewport_count = Some(2)),
            |setup| setup.device.set_property(WITH_VIEWPORTS, 0),
            |setup| setup.device.set_property(WITH_VIEWPORTS, 1),
        ),
        case(
            "primitiveFragmentShadingRateWithMultipleViewports-04504",
            rate("ViewportIndex"),
            |setup| setup.device.set_property(WITH_VIEWPORTS, 0),
            |_| {},
        ),
        case(
            "primitiveFragmentShadingRateWithMultipleViewports-04505",
            rate("ViewportMaskNV"),
            |setup| setup.device.set_property(WITH_VIEWPORTS, 0),
            |_| {},
        ),
    ]
}

fn parts() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    const SHADERS: Parts = Parts { pre_rasterization: true, ..Parts::NONE };
    const FRAGMENTS: Parts = Parts { fragment_shader: true, ..Parts::NONE };
    let both = || graphics(vec![vertex(), fragment()]);
    vec![
        case("pStages-06894", both(), |setup| setup.state().parts = SHADERS, |_| {}),
        case("pStages-06895", both(), |setup| setup.state().parts = FRAGMENTS, |_| {}),
        case("pStages-06896", both(), |setup| setup.shaders.push(compute()), |_| {}),
        case(
            "stageCount-09587",
            both(),
            |setup| setup.state().parts = Parts { vertex_input: true, ..Parts::NONE },
            |setup| {
                setup.state().parts = Parts { vertex_input: true, ..Parts::NONE };
                setup.shaders.clear();
            },
        ),
    ]
}

/// Views of a subpass.
fn of_subpass(mask: u32) -> Option<Rendering> {
    Some(Rendering { subpass: Some(Subpass::default()), view_mask: mask, ..Rendering::default() })
}

/// Views of dynamic rendering.
fn of_rendering(mask: u32) -> Option<Rendering> {
    Some(Rendering { view_mask: mask, ..Rendering::default() })
}

fn views() -> Vec<Creation> {
    let mut found = Vec::new();
    let layered = || vec![writing(vertex().capability("ShaderLayer"), "Layer", "%uint", "%c0")];
    let off = |shaders: Vec<Text>, feature: &str| {
        let mut setup = graphics(shaders);
        setup.device.set_feature(feature, false);
        setup
    };
    let limited = || {
        graphics(vec![mesh()]).with(|setup| {
            setup.device.set_property("maxMeshMultiviewViewCount", 2);
            setup.device.set_property("maxMultiviewViewCount", 2);
        })
    };
    let with_geometry = || vec![vertex(), geometry()];
    let cases = [
        ("renderPass-06047", "renderPass-06057", off(tessellation(), "multiviewTessellationShader")),
        ("renderPass-06048", "renderPass-06058", off(with_geometry(), "multiviewGeometryShader")),
        ("renderPass-07064", "renderPass-07720", off(vec![mesh()], "multiviewMeshShader")),
        ("renderPass-06050", "renderPass-06059", graphics(layered())),
        ("renderPass-12325", "renderPass-12326", limited()),
    ];
    for (subpass, rendering, base) in cases {
        found.push(Creation {
            rule: g(subpass),
            base: base.clone(),
            bad: |setup| setup.state().rendering = of_subpass(5),
            good: |setup| setup.state().rendering = of_subpass(0),
        });
        found.push(Creation {
            rule: g(rendering),
            base,
            bad: |setup| setup.state().rendering = of_rendering(5),
            good: |setup| setup.state().rendering = of_rendering(0),
        });
    }
    found.push(Creation {
        rule: g("renderPass-06578"),
        base: limited(),
        bad: |setup| setup.state().rendering = of_rendering(4),
        good: |setup| setup.state().rendering = of_rendering(3),
    });
    found.push(Creation {
        rule: g("multiview-06577"),
        base: off(vec![vertex()], "multiview"),
        bad: |setup| setup.state().rendering = of_rendering(1),
        good: |setup| setup.state().rendering = of_rendering(0),
    });
    found.push(Creation {
        rule: g("dynamicRendering-06576"),
        base: off(vec![vertex()], "dynamicRendering"),
        bad: |setup| setup.state().rendering = of_rendering(0),
        good: |setup| setup.state().rendering = of_subpass(0),
    });
    found.push(Creation {
        rule: g("renderPass-06595"),
        base: graphics(vec![vertex()]).with(|setup| setup.state().rendering = of_rendering(0)),
        bad: |setup| setup.state().per_view_attributes = Some((false, true)),
        good: |setup| setup.state().per_view_attributes = Some((true, true)),
    });
    found
}

/// A fragment shader that reads an input attachment of a type at an index.
fn reading(ty: &str, index: u32) -> Text {
    image(fragment(), &format!("{ty} SubpassData 0 0 0 2 Unknown"))
        .decorate(&format!("OpDecorate %image InputAttachmentIndex {index}"))
}

/// A subpass with input attachments.
fn with_inputs(setup: &mut Setup, inputs: &[Option<InputAttachment>]) {
    let subpass = Subpass { inputs: Some(inputs.to_vec()), shades_regions: true, ..Subpass::default() };
    setup.state().rendering = Some(Rendering { subpass: Some(subpass), ..Rendering::default() });
}

const COLOR: InputAttachment = InputAttachment { samples: 4, has_depth: false, has_stencil: false };

fn sampled(setup: &mut Setup, samples: u32) {
    setup.state().multisample = State::Given(Multisample { samples, ..Multisample::default() });
}

fn inputs() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    let reads = || graphics(vec![vertex(), reading("%float", 1)]);
    let tiles = || graphics(vec![vertex(), fragment().capability("TileImageColorReadAccessEXT")]);
    let ordered = |setup: Setup| {
        setup.with(|setup| {
            let state = DepthStencil {
                has_ordered_depth: true,
                has_ordered_stencil: true,
                ..DepthStencil::default()
            };
            setup.state().depth_stencil = State::Given(state);
        })
    };
    fn order(setup: &mut Setup, is_on: bool) {
        let subpass = Subpass { has_ordered_depth: is_on, has_ordered_stencil: is_on, ..Subpass::default() };
        setup.state().rendering = Some(Rendering { subpass: Some(subpass), ..Rendering::default() });
    }
    fn colors(setup: &mut Setup, count: u32) {
        setup.state().rendering = Some(Rendering { color_count: Some(count), ..Rendering::default() });
    }
    vec![
        case(
            "renderPass-06038",
            reads(),
            |setup| with_inputs(setup, &[Some(COLOR), None]),
            |setup| with_inputs(setup, &[None, Some(COLOR)]),
        ),
        case(
            "pStages-01565",
            graphics(vec![vertex(), reading("%uint", 0)]),
            |setup| with_inputs(setup, &[Some(InputAttachment { has_depth: true, ..COLOR })]),
            |setup| with_inputs(setup, &[Some(InputAttachment { has_stencil: true, ..COLOR })]),
        ),
        case(
            "rasterizationSamples-04899",
            reads().with(|setup| with_inputs(setup, &[Some(COLOR), Some(COLOR)])),
            |setup| sampled(setup, 1),
            |setup| sampled(setup, 4),
        ),
        case(
            "sampleShadingEnable-04900",
            reads().with(|setup| with_inputs(setup, &[Some(COLOR), Some(COLOR)])),
            |setup| {
                let found = Multisample { samples: 4, has_sample_shading: true, ..Multisample::default() };
                setup.state().multisample = State::Given(found);
            },
            |setup| sampled(setup, 4),
        ),
        case(
            "renderPass-06061",
            reads().with(|setup| setup.device.set_feature("dynamicRenderingLocalRead", false)),
            |setup| setup.state().rendering = of_rendering(0),
            |setup| setup.state().rendering = of_subpass(0),
        ),
        case(
            "renderPass-08710",
            tiles(),
            |setup| setup.state().rendering = of_subpass(0),
            |setup| setup.state().rendering = of_rendering(0),
        ),
        case("renderPass-09528", ordered(reads()), |setup| order(setup, false), |setup| order(setup, true)),
        case("renderPass-09529", ordered(reads()), |setup| order(setup, false), |setup| order(setup, true)),
        case(
            "renderPass-09531",
            reads().with(|setup| {
                setup.info.input_indices = Some(InputAttachmentIndices { count: 2, ..Default::default() })
            }),
            |setup| colors(setup, 3),
            |setup| colors(setup, 2),
        ),
        case("renderPass-09652", reads(), |setup| colors(setup, 1), |setup| colors(setup, 2)),
    ]
}

fn externals() -> Vec<Creation> {
    let case = |rest, base, bad, good| Creation { rule: g(rest), base, bad, good };
    let rate = || {
        let text = vertex().capability("FragmentShadingRateKHR");
        graphics(vec![writing(text, "PrimitiveShadingRateKHR", "%uint", "%c0")])
    };
    fn external(setup: &mut Setup, rendering: Option<Rendering>) {
        setup.state().rendering = rendering.map(|found| Rendering { has_external_format: true, ..found });
    }
    let replacing = || fragment().mode("OpExecutionMode %main DepthReplacing");
    vec![
        case(
            "externalFormatResolve-09308",
            rate(),
            |setup| external(setup, of_rendering(0)),
            |setup| setup.state().rendering = of_rendering(0),
        ),
        case(
            "externalFormatResolve-09317",
            rate(),
            |setup| external(setup, of_subpass(0)),
            |setup| setup.state().rendering = of_subpass(0),
        ),
        case(
            "externalFormatResolve-09310",
            graphics(vec![vertex(), replacing()]),
            |setup| external(setup, of_rendering(0)),
            |setup| setup.state().rendering = of_rendering(0),
        ),
    ]
}
