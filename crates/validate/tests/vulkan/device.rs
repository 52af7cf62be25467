//! Execution modes, sizes and counts that devices limit.

use crate::common::*;

pub(crate) fn sized(x: u32, y: u32, z: u32) -> Text {
    Text { modes: format!("OpExecutionMode %main LocalSize {x} {y} {z}"), ..compute() }
}

/// A float mode of a width.
fn float_mode(capability: &str, mode: &str, width: u32) -> Text {
    let types = match width {
        16 => compute().capability("Float16").declare("%narrow = OpTypeFloat 16"),
        64 => compute().capability("Float64").declare("%wide = OpTypeFloat 64"),
        _ => compute(),
    };
    types.capability(capability).mode(&format!("OpExecutionMode %main {mode} {width}"))
}

fn floats() -> Vec<Case> {
    let mut cases = Vec::new();
    for (mode, first) in [
        ("SignedZeroInfNanPreserve", 6293),
        ("DenormPreserve", 6296),
        ("DenormFlushToZero", 6299),
        ("RoundingModeRTE", 6302),
        ("RoundingModeRTZ", 6305),
    ] {
        for (place, width) in [16u32, 32, 64].into_iter().enumerate() {
            let name = format!("shader{mode}Float{width}");
            let rule = format!("VUID-RuntimeSpirv-{name}-0{}", first + place);
            cases.push(limit(rule.leak(), float_mode(mode, mode, width), &name, 0, 1));
        }
    }
    let two = |mode: &str, other: &str| {
        let first = float_mode(mode, mode, 16).capability("Float64").declare("%wide = OpTypeFloat 64");
        let second = if mode == other { first } else { first.capability(other) };
        second.mode(&format!("OpExecutionMode %main {other} 64\nOpExecutionMode %main {mode} 32"))
    };
    for (property, only, none, modes) in [
        ("denormBehaviorIndependence", 6289, 6290, ["DenormPreserve", "DenormFlushToZero"]),
        ("roundingModeIndependence", 6291, 6292, ["RoundingModeRTE", "RoundingModeRTZ"]),
    ] {
        for (number, value) in [(only, 0), (none, 2)] {
            cases.push(Case {
                rule: format!("VUID-RuntimeSpirv-{property}-0{number}").leak(),
                bad: (two(modes[0], modes[1]), with(property, value)),
                good: (two(modes[0], modes[0]), with(property, value)),
            });
        }
    }
    for (width, number) in [(16, 9559), (32, 9561), (64, 9563)] {
        let property = format!("shaderSignedZeroInfNanPreserveFloat{width}");
        let text = compute()
            .capability("FloatControls2 Float16 Float64")
            .declare(&format!(
                "%t = {}",
                if width == 32 { "OpTypeFloat 64".to_owned() } else { format!("OpTypeFloat {width}") }
            ))
            .mode(&format!(
                "OpExecutionModeId %main FPFastMathDefault {} %c0",
                if width == 32 { "%float" } else { "%t" }
            ));
        cases.push(limit(format!("VUID-RuntimeSpirv-{property}-0{number}").leak(), text, &property, 0, 1));
    }
    cases
}

fn modes() -> Vec<Case> {
    let amd = |mode: &str| {
        let early = if mode.starts_with("Stencil") {
            "\nOpExecutionMode %main EarlyAndLateFragmentTestsAMD"
        } else {
            ""
        };
        fragment().mode(&format!("OpExecutionMode %main {mode}{early}")).capability("StencilExportEXT")
    };
    let early = "shaderEarlyAndLateFragmentTests";
    let mut cases = vec![
        feature(
            "VUID-RuntimeSpirv-LocalSizeId-06434",
            Text { modes: "OpExecutionModeId %main LocalSizeId %c1 %c1 %c1".into(), ..compute() },
            &["maintenance4"],
        ),
        feature(
            "VUID-RuntimeSpirv-SubgroupUniformControlFlowKHR-06379",
            compute().mode("OpExecutionMode %main SubgroupUniformControlFlowKHR"),
            &["shaderSubgroupUniformControlFlow"],
        ),
        limit(
            "VUID-RuntimeSpirv-meshAndTaskShaderDerivatives-10153",
            mesh(3, 1)
                .capability("ComputeDerivativeGroupLinearKHR")
                .mode("OpExecutionMode %main DerivativeGroupLinearKHR"),
            "meshAndTaskShaderDerivatives",
            0,
            1,
        ),
        limit(
            "VUID-VkPipelineShaderStageCreateInfo-stage-00714",
            geometry(4, 1),
            "maxGeometryOutputVertices",
            3,
            4,
        ),
        limit(
            "VUID-VkPipelineShaderStageCreateInfo-stage-00715",
            geometry(4, 9),
            "maxGeometryShaderInvocations",
            8,
            9,
        ),
        limit(
            "VUID-VkPipelineShaderStageCreateInfo-stage-00713",
            Text::stage("TessellationControl")
                .capability("Tessellation")
                .mode("OpExecutionMode %main OutputVertices 33"),
            "maxTessellationPatchSize",
            32,
            33,
        ),
        pair(
            "VUID-StandaloneSpirv-DerivativeGroupQuadsNV-04684",
            nv_derivatives("DerivativeGroupQuadsKHR", "ComputeDerivativeGroupQuadsKHR", 8, 1),
            nv_derivatives("DerivativeGroupQuadsKHR", "ComputeDerivativeGroupQuadsKHR", 8, 2),
        ),
        pair(
            "VUID-StandaloneSpirv-DerivativeGroupLinearNV-04778",
            nv_derivatives("DerivativeGroupLinearKHR", "ComputeDerivativeGroupLinearKHR", 3, 2),
            nv_derivatives("DerivativeGroupLinearKHR", "ComputeDerivativeGroupLinearKHR", 2, 2),
        ),
    ];
    for (number, mode) in [
        (6767, "EarlyAndLateFragmentTestsAMD"),
        (6768, "StencilRefUnchangedFrontAMD"),
        (6769, "StencilRefUnchangedBackAMD"),
        (6770, "StencilRefGreaterFrontAMD"),
        (6771, "StencilRefGreaterBackAMD"),
        (6772, "StencilRefLessFrontAMD"),
        (6773, "StencilRefLessBackAMD"),
    ] {
        let rule = format!("VUID-RuntimeSpirv-{early}-0{number}");
        cases.push(feature(rule.leak(), amd(mode), &[early]));
    }
    cases
}

fn nv_derivatives(mode: &str, capability: &str, x: u32, y: u32) -> Text {
    let mut text = sized(x, y, 1).capability(capability).mode(&format!("OpExecutionMode %main {mode}"));
    text.capabilities += "OpExtension \"SPV_NV_compute_shader_derivatives\"\n";
    text
}

pub(crate) fn mesh(vertices: u32, primitives: u32) -> Text {
    let modes = format!(
        "OpExecutionMode %main OutputVertices {vertices}\nOpExecutionMode %main OutputPrimitivesEXT {primitives}\n\
         OpExecutionMode %main OutputTrianglesEXT"
    );
    Text::stage("MeshEXT").capability("MeshShadingEXT").mode(&modes)
}

pub(crate) fn task() -> Text {
    Text {
        modes: "OpExecutionMode %main LocalSize 8 2 1".into(),
        ..Text::stage("TaskEXT").capability("MeshShadingEXT")
    }
}

pub(crate) fn cluster() -> Text {
    Text {
        modes: "OpExecutionMode %main LocalSize 8 2 1".into(),
        ..Text::stage("ClusterCullingHUAWEI").capability("ClusterCullingShadingHUAWEI")
    }
}

pub(crate) fn geometry(vertices: u32, invocations: u32) -> Text {
    Text::stage("Geometry").capability("Geometry").mode(&format!(
        "OpExecutionMode %main Triangles\nOpExecutionMode %main OutputTriangleStrip\n\
         OpExecutionMode %main OutputVertices {vertices}\nOpExecutionMode %main Invocations {invocations}"
    ))
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn limits() -> Vec<Case> {
    let r = |rest: &str| &*format!("VUID-RuntimeSpirv-{rest}").leak();
    let mesh_sized = || mesh(3, 1);
    let array = |text: Text, class: &str, count: u32| {
        text.declare(&format!("%len = OpConstant %uint {count}\n%big = OpTypeArray %float %len"))
            .variable("memory", class, "%big")
    };
    let clip = |built_in: &str, capability: &str| {
        vertex()
            .capability(capability)
            .declare("%distances = OpTypeArray %float %c4")
            .decorate(&format!("OpDecorate %d BuiltIn {built_in}"))
            .variable("d", "Output", "%distances")
    };
    let stage = |rest: &str| &*format!("VUID-VkPipelineShaderStageCreateInfo-{rest}").leak();
    let mut cases = vec![
        limit(r("Workgroup-06530"), array(compute(), "Workgroup", 16), "maxComputeSharedMemorySize", 63, 64),
        limit(
            r("maxMeshSharedMemorySize-08754"),
            array(mesh(3, 1), "Workgroup", 16),
            "maxMeshSharedMemorySize",
            63,
            64,
        ),
        limit(
            r("maxMeshPayloadAndSharedMemorySize-08755"),
            array(mesh(3, 1), "TaskPayloadWorkgroupEXT", 16),
            "maxMeshPayloadAndSharedMemorySize",
            63,
            64,
        ),
        limit(
            r("maxTaskPayloadSize-08758"),
            array(task(), "TaskPayloadWorkgroupEXT", 16),
            "maxTaskPayloadSize",
            63,
            64,
        ),
        limit(
            r("maxTaskSharedMemorySize-08759"),
            array(task(), "Workgroup", 16),
            "maxTaskSharedMemorySize",
            63,
            64,
        ),
        limit(
            r("maxTaskPayloadAndSharedMemorySize-08760"),
            array(task(), "Workgroup", 16),
            "maxTaskPayloadAndSharedMemorySize",
            63,
            64,
        ),
        limit(r("MeshEXT-07115"), mesh(9, 1), "maxMeshOutputVertices", 8, 9),
        limit(r("MeshEXT-07116"), mesh(3, 5), "maxMeshOutputPrimitives", 4, 5),
        limit(
            r("Location-06272"),
            user(vertex(), "Input", "%float4", &["Location 16"]),
            "maxVertexInputAttributes",
            16,
            17,
        ),
        limit(
            r("Location-06428"),
            user(fragment(), "Output", "%float4", &["Location 0"]),
            "maxFragmentCombinedOutputResources",
            0,
            1,
        ),
        limit(
            r("maxPushDataSize-12455"),
            compute()
                .decorate("OpDecorate %Push Block\nOpMemberDecorate %Push 0 Offset 0")
                .declare("%Push = OpTypeStruct %float4")
                .variable("push", "PushConstant", "%Push"),
            "maxPushDataSize",
            15,
            16,
        ),
        limit(
            stage("maxClipDistances-00708"),
            clip("ClipDistance", "ClipDistance"),
            "maxClipDistances",
            3,
            4,
        ),
        limit(
            stage("maxCullDistances-00709"),
            clip("CullDistance", "CullDistance"),
            "maxCullDistances",
            3,
            4,
        ),
        limit(
            stage("maxCombinedClipAndCullDistances-00710"),
            clip("CullDistance", "CullDistance"),
            "maxCombinedClipAndCullDistances",
            3,
            4,
        ),
        limit(
            stage("maxSampleMaskWords-00711"),
            fragment()
                .declare("%masks = OpTypeArray %uint %c2")
                .decorate("OpDecorate %mask BuiltIn SampleMask")
                .variable("mask", "Output", "%masks"),
            "maxSampleMaskWords",
            1,
            2,
        ),
        feature(stage("stage-00704"), geometry(3, 1), &["geometryShader"]),
        feature(
            stage("stage-00705"),
            Text::stage("TessellationEvaluation")
                .capability("Tessellation")
                .mode("OpExecutionMode %main Quads"),
            &["tessellationShader"],
        ),
        feature(stage("stage-02091"), mesh(3, 1), &["meshShader"]),
        feature(stage("stage-02092"), task(), &["taskShader"]),
        feature(stage("clustercullingShader-07813"), cluster(), &["clustercullingShader"]),
        feature(
            r("NonWritable-06340"),
            Text { model: "Fragment", modes: fragment().modes, ..buffer("StorageBuffer", "Block") },
            &["fragmentStoresAndAtomics"],
        ),
        feature(
            r("NonWritable-06341"),
            Text { model: "Vertex", modes: String::new(), ..buffer("StorageBuffer", "Block") },
            &["vertexPipelineStoresAndAtomics"],
        ),
        limit(r("TaskEXT-07299"), emit(), "maxMeshWorkGroupCount[0]", 1, 2),
        limit(r("TaskEXT-07300"), emit(), "maxMeshWorkGroupCount[1]", 2, 3),
        limit(r("TaskEXT-07301"), emit(), "maxMeshWorkGroupCount[2]", 3, 4),
        limit(r("TaskEXT-07302"), emit(), "maxMeshWorkGroupTotalCount", 23, 24),
    ];
    for (number, name, text, side, bad) in [
        ("x-06429", "maxComputeWorkGroupSize[0]", sized(4, 3, 2), 4, 3),
        ("y-06430", "maxComputeWorkGroupSize[1]", sized(4, 3, 2), 3, 2),
        ("z-06431", "maxComputeWorkGroupSize[2]", sized(4, 3, 2), 2, 1),
        ("x-06432", "maxComputeWorkGroupInvocations", sized(4, 3, 2), 24, 23),
        ("TaskEXT-07291", "maxTaskWorkGroupSize[0]", task(), 8, 7),
        ("TaskEXT-07292", "maxTaskWorkGroupSize[1]", task(), 2, 1),
        ("TaskEXT-07293", "maxTaskWorkGroupSize[2]", task(), 1, 0),
        ("TaskEXT-07294", "maxTaskWorkGroupInvocations", task(), 16, 15),
        ("MeshEXT-07295", "maxMeshWorkGroupSize[0]", mesh_sized(), 8, 7),
        ("MeshEXT-07296", "maxMeshWorkGroupSize[1]", mesh_sized(), 2, 1),
        ("MeshEXT-07297", "maxMeshWorkGroupSize[2]", mesh_sized(), 1, 0),
        ("MeshEXT-07298", "maxMeshWorkGroupInvocations", mesh_sized(), 16, 15),
    ] {
        cases.push(limit(r(number), text, name, bad, side));
    }
    cases
}

/// A task shader that starts 2 by 3 by 4 mesh workgroups.
fn emit() -> Text {
    task().body("OpEmitMeshTasksEXT %c2 %c3 %c4\n%after = OpLabel")
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    [floats(), modes(), limits()].into_iter().flatten().collect()
}
