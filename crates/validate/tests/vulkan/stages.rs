//! What pipelines' creation says of stages.

use crate::common::*;
use pyro_spirv::asm::assemble;
use pyro_spirv::spirv::ExecutionModel as Model;
use pyro_spirv::{ConstantValues, Module, Specialization};
use pyro_validate::Device;
use pyro_validate::stage::{MapEntry, Mapping, MappingSource, StageInfo, check, covered_vuids};
use std::collections::BTreeSet;

type Change = fn(&mut StageInfo<'static>);

/// A rule, a module, a device, what a creation says that breaks the rule, and that keeps it.
struct Stage {
    rule: &'static str,
    text: Text,
    device: Device,
    bad: Change,
    good: Change,
}

fn device(properties: &[(&str, i64)]) -> Device {
    let mut device = Device::everything();
    properties.iter().for_each(|(name, value)| device.set_property(name, *value));
    device
}

/// Workgroups of 24 by 2.
fn sized() -> Text {
    Text { modes: "OpExecutionMode %main LocalSize 24 2 1".into(), ..compute() }
}

fn matrices(scope: &str) -> Text {
    let mut text = sized()
        .capability("CooperativeMatrixKHR VulkanMemoryModel")
        .declare(&format!("%A = OpTypeCooperativeMatrixKHR %float {scope} %c4 %c4 %c0"));
    text.memory = "Vulkan";
    text
}

const ONE: MapEntry = MapEntry { constant_id: 7, offset: 0, size: 4 };

fn constants() -> Text {
    compute().decorate("OpDecorate %s SpecId 7").declare("%s = OpSpecConstant %uint 3")
}

/// A shader that traces with these flags.
fn tracing(op: &str, capability: &str, flags: u32) -> Text {
    let is_hit_object = op.contains("HitObject");
    let vendor = if op.ends_with("NV") { "NV" } else { "EXT" };
    let mut text = ray("RayGenerationKHR")
        .variable("payload", "RayPayloadKHR", "%float4")
        .capability(capability)
        .declare("%accel = OpTypeAccelerationStructureKHR")
        .declare(&format!("%flags = OpConstant %uint {flags}"))
        .declare("%fine = OpConstantComposite %float3 %f1 %f1 %f1")
        .decorate("OpDecorate %scene DescriptorSet 0\nOpDecorate %scene Binding 0")
        .variable("scene", "UniformConstant", "%accel")
        .body("%as = OpLoad %accel %scene");
    if is_hit_object {
        text = text
            .declare(&format!("%object = OpTypeHitObject{vendor}\n%p_object = OpTypePointer Private %object"))
            .declare("%o = OpVariable %p_object Private")
            .listing("%o");
    }
    let object = if is_hit_object { "%o" } else { "" };
    let time = if op.contains("Motion") { "%f1" } else { "" };
    text.body(&format!("{op} {object} %as %flags %c1 %c0 %c0 %c0 %fine %f1 %fine %f1 {time} %payload"))
}

fn rays() -> Vec<Stage> {
    let skips = |rule, op, capability, flags| Stage {
        rule,
        text: tracing(op, capability, flags),
        device: Device::everything(),
        bad: |info| (info.skips_triangles, info.skips_aabbs) = (true, true),
        good: |_| {},
    };
    let moves = |rule, op, capability| Stage {
        rule,
        text: tracing(op, capability, 0),
        device: Device::everything(),
        bad: |_| {},
        good: |info| info.allows_motion = true,
    };
    let (nv, ext) = ("ShaderInvocationReorderNV", "ShaderInvocationReorderEXT");
    vec![
        skips("VUID-RuntimeSpirv-OpTraceRayKHR-06553", "OpTraceRayKHR", "", 0x100),
        skips("VUID-RuntimeSpirv-OpTraceRayKHR-06554", "OpTraceRayKHR", "", 0x200),
        skips("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07715", "OpHitObjectTraceRayNV", nv, 0x100),
        skips("VUID-RuntimeSpirv-OpHitObjectTraceRayNV-07716", "OpHitObjectTraceRayNV", nv, 0x200),
        skips("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11886", "OpHitObjectTraceRayEXT", ext, 0x100),
        skips("VUID-RuntimeSpirv-OpHitObjectTraceRayEXT-11887", "OpHitObjectTraceRayEXT", ext, 0x200),
        moves("VUID-RuntimeSpirv-OpTraceRayMotionNV-06367", "OpTraceRayMotionNV", "RayTracingMotionBlurNV"),
        moves(
            "VUID-RuntimeSpirv-OpHitObjectTraceRayMotionNV-07711",
            "OpHitObjectTraceRayMotionNV",
            "RayTracingMotionBlurNV ShaderInvocationReorderNV",
        ),
        moves(
            "VUID-RuntimeSpirv-OpHitObjectTraceRayMotionEXT-11877",
            "OpHitObjectTraceRayMotionEXT",
            "RayTracingMotionBlurNV ShaderInvocationReorderEXT",
        ),
    ]
}

#[allow(clippy::too_many_lines, reason = "a table of cases")]
fn subgroups() -> Vec<Stage> {
    let s = |rest: &str| &*format!("VUID-VkPipelineShaderStageCreateInfo-{rest}").leak();
    let r = |number: &str| {
        let name = "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize";
        &*format!("{name}-{number}").leak()
    };
    let of = |rule, text, device, bad, good| Stage { rule, text, device, bad, good };
    let vertex_only = device(&[("requiredSubgroupSizeStages", 0x1)]);
    vec![
        of(s("pName-00707"), compute(), Device::everything(), |info| info.name = "other", |_| {}),
        of(s("pName-00707"), compute(), Device::everything(), |info| info.model = Model::Vertex, |_| {}),
        of(
            s("flags-02784"),
            compute(),
            without(&["subgroupSizeControl"]),
            |info| info.allows_varying_subgroup_size = true,
            |_| {},
        ),
        of(
            s("flags-02785"),
            compute(),
            without(&["computeFullSubgroups"]),
            |info| info.requires_full_subgroups = true,
            |_| {},
        ),
        of(
            s("flags-08988"),
            vertex(),
            Device::everything(),
            |info| info.requires_full_subgroups = true,
            |_| {},
        ),
        of(
            s("pNext-02754"),
            compute(),
            Device::everything(),
            |info| {
                info.required_subgroup_size = Some(16);
                info.allows_varying_subgroup_size = true;
            },
            |info| info.required_subgroup_size = Some(16),
        ),
        of(s("pNext-02755"), compute(), vertex_only, |info| info.required_subgroup_size = Some(16), |_| {}),
        of(
            s("pNext-02756"),
            sized(),
            device(&[("maxComputeWorkgroupSubgroups", 4)]),
            |info| info.required_subgroup_size = Some(8),
            |info| info.required_subgroup_size = Some(16),
        ),
        of(
            s("pNext-02757"),
            sized(),
            Device::everything(),
            |info| (info.required_subgroup_size, info.requires_full_subgroups) = (Some(16), true),
            |info| (info.required_subgroup_size, info.requires_full_subgroups) = (Some(8), true),
        ),
        of(
            s("flags-02758"),
            sized(),
            device(&[("maxSubgroupSize", 16)]),
            |info| (info.allows_varying_subgroup_size, info.requires_full_subgroups) = (true, true),
            |info| info.allows_varying_subgroup_size = true,
        ),
        of(
            s("flags-02759"),
            sized(),
            device(&[("subgroupSize", 16)]),
            |info| info.requires_full_subgroups = true,
            |info| (info.required_subgroup_size, info.requires_full_subgroups) = (Some(8), true),
        ),
        of(
            r("02760"),
            compute(),
            Device::everything(),
            |info| info.required_subgroup_size = Some(12),
            |info| info.required_subgroup_size = Some(16),
        ),
        of(
            r("02761"),
            compute(),
            device(&[("minSubgroupSize", 8)]),
            |info| info.required_subgroup_size = Some(4),
            |info| info.required_subgroup_size = Some(8),
        ),
        of(
            r("02762"),
            compute(),
            device(&[("maxSubgroupSize", 32)]),
            |info| info.required_subgroup_size = Some(64),
            |info| info.required_subgroup_size = Some(32),
        ),
        of(
            s("module-08987"),
            matrices("%c3"),
            Device::everything(),
            |info| info.required_subgroup_size = Some(16),
            |info| info.required_subgroup_size = Some(8),
        ),
        // Six subgroups of eight are no power of two; sixteen do not divide the width.
        of(
            s("module-10169"),
            matrices("%c2"),
            Device::everything(),
            |info| info.required_subgroup_size = Some(8),
            |_| {},
        ),
        of(
            "VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10770",
            matrices("%c3"),
            Device::everything(),
            |_| {},
            |info| info.requires_full_subgroups = true,
        ),
    ]
}

fn specialization() -> Vec<Stage> {
    const PAIR: &[MapEntry] = &[ONE, MapEntry { offset: 4, ..ONE }];
    const WIDE: &[MapEntry] = &[MapEntry { size: 8, ..ONE }];
    let of = |rule, bad, good| Stage { rule, text: constants(), device: Device::everything(), bad, good };
    let good: Change = |info| (info.map_entries, info.data_size) = (&[ONE], 4);
    vec![
        of("VUID-VkSpecializationInfo-offset-00773", |info| info.map_entries = &[ONE], good),
        of(
            "VUID-VkSpecializationInfo-pMapEntries-00774",
            |info| (info.map_entries, info.data_size) = (&[ONE], 3),
            good,
        ),
        of(
            "VUID-VkSpecializationInfo-constantID-04911",
            |info| (info.map_entries, info.data_size) = (PAIR, 8),
            good,
        ),
        of(
            "VUID-VkSpecializationMapEntry-constantID-00776",
            |info| (info.map_entries, info.data_size) = (WIDE, 8),
            good,
        ),
    ]
}

fn indexing() -> Vec<Stage> {
    let vector = |body: &str| {
        let text = buffer("StorageBuffer", "Block")
            .capability("CooperativeVectorNV Float16 Int64")
            .declare("%half = OpTypeFloat 16\n%vector = OpTypeCooperativeVectorNV %half %c4")
            .declare("%long = OpTypeInt 64 0\n%far = OpConstant %long 0\n%input = OpConstantNull %vector")
            .declare("%false = OpConstantFalse %bool\n%p_array = OpTypePointer StorageBuffer %floats")
            .body("%matrix = OpAccessChain %p_array %buffer %c0")
            .body(body);
        text.holding_array()
    };
    let wide: Change = |info| info.has_64_bit_indexing = true;
    let of = |rule, text| Stage { rule, text, device: Device::everything(), bad: |_| {}, good: wide };
    let size = compute().capability("DescriptorHeapEXT UntypedPointersKHR Int64").declare(
        "%long = OpTypeInt 64 0\n%sampler = OpTypeSampler\n%size = OpConstantSizeOfEXT %long %sampler",
    );
    let masks = vertex()
        .capability("PerViewAttributesNV MultiView ShaderViewportMaskNV")
        .decorate("OpDecorate %masks BuiltIn ViewportMaskPerViewNV")
        .declare("%views = OpTypeArray %uint %c2")
        .variable("masks", "Output", "%views");
    let product = "OpCooperativeVectorMatrixMulNV %vector %input %c0 %matrix %far %c0 %c4 %c4 %c0 %false %c4";
    vec![
        of("VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulAddNV-11808", vector(&format!("%r = {product}"))),
        of(
            "VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-11809",
            vector("%r = OpCooperativeVectorLoadNV %vector %matrix %far"),
        ),
        of("VUID-RuntimeSpirv-OpConstantSizeOfEXT-11475", size),
        Stage {
            rule: "VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04416",
            text: masks,
            device: Device::everything(),
            bad: |info| info.view_mask = 0b101,
            good: |info| info.view_mask = 0b11,
        },
    ]
}

fn subpasses() -> Vec<Stage> {
    let reading = fragment()
        .capability("TileImageColorReadAccessEXT")
        .decorate("OpDecorate %tile Location 0")
        .declare("%T = OpTypeImage %float TileImageDataEXT 0 0 0 2 Unknown")
        .variable("tile", "TileImageEXT", "%T")
        .body("%t = OpLoad %T %tile\n%colour = OpColorAttachmentReadEXT %float4 %t");
    let of = |rule, text, bad, good| Stage { rule, text, device: Device::everything(), bad, good };
    vec![
        of(
            "VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10771",
            matrices("%c3"),
            |info| info.is_shader_object = true,
            |info| (info.is_shader_object, info.requires_full_subgroups) = (true, true),
        ),
        of(
            "VUID-RuntimeSpirv-SampleRateShading-06378",
            fragment().capability("SampleRateShading"),
            |info| info.shades_regions = true,
            |_| {},
        ),
        of(
            "VUID-RuntimeSpirv-minSampleShading-08732",
            reading,
            |info| info.min_sample_shading = Some(0.5),
            |info| info.min_sample_shading = Some(1.0),
        ),
    ]
}

const MAPPING: Mapping = Mapping {
    set: 0,
    first_binding: 0,
    binding_count: 4,
    resource_mask: 0x7fff_ffff,
    source: MappingSource::ConstantOffset,
    offset: 0,
    has_embedded_sampler: false,
    heap_offset: 0,
    heap_array_stride: 0,
};

const fn source(source: MappingSource) -> Mapping {
    Mapping { source, ..MAPPING }
}

/// Buffers of four bytes at bindings 0 and 1, and arrays of such at binding 2, whose body does something.
fn buffers(body: &str) -> Text {
    buffer("StorageBuffer", "Block")
        .capability("VariablePointers StorageBufferArrayDynamicIndexing")
        .decorate("OpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 1")
        .decorate("OpDecorate %many DescriptorSet 0\nOpDecorate %many Binding 2")
        .declare("%other = OpVariable %p_buffer StorageBuffer\n%Blocks = OpTypeArray %Block %c4")
        .listing("%other")
        .variable("many", "StorageBuffer", "%Blocks")
        .variable("cell", "Private", "%uint")
        .body(body)
}

/// A resource of a type at binding 0.
fn resource(ty: &str) -> Text {
    compute()
        .decorate("OpDecorate %v DescriptorSet 0\nOpDecorate %v Binding 0")
        .declare(&format!("%I = OpTypeImage %float 2D 0 0 0 1 Unknown\n%T = {ty}"))
        .variable("v", "UniformConstant", "%T")
}

fn heaps() -> Vec<Stage> {
    use MappingSource::*;
    const ADDRESS: &[Mapping] = &[source(PushAddress)];
    const DATA: &[Mapping] = &[source(PushData)];
    const FAR_DATA: &[Mapping] = &[Mapping { offset: 125, ..source(PushData) }];
    const RECORD: &[Mapping] = &[source(ShaderRecordData)];
    const FAR_RECORD: &[Mapping] = &[Mapping { offset: 61, ..source(ShaderRecordData) }];
    const INDEX: &[Mapping] = &[source(PushIndex)];
    const EMBEDDED: &[Mapping] = &[Mapping { has_embedded_sampler: true, ..source(PushIndex) }];
    const RECORD_INDEX: &[Mapping] = &[source(ShaderRecordIndex)];
    const TWICE: &[Mapping] = &[source(PushIndex), Mapping { first_binding: 3, ..source(PushData) }];
    const APART: &[Mapping] = &[source(PushIndex), Mapping { first_binding: 4, ..source(PushData) }];
    const UNALIGNED: &[Mapping] = &[Mapping { heap_offset: 64, heap_array_stride: 48, ..source(PushIndex) }];
    const ALIGNED: &[Mapping] = &[Mapping { heap_offset: 64, heap_array_stride: 96, ..source(PushIndex) }];
    const BUFFERS_ONLY: &[Mapping] = &[Mapping { resource_mask: 0xe0, ..source(PushAddress) }];
    const ELSEWHERE: &[Mapping] = &[Mapping { first_binding: 1, ..source(PushData) }];
    const FIRST: &[Mapping] = &[Mapping { binding_count: 1, ..source(PushIndex) }];
    let s = |rest: &str| &*format!("VUID-VkPipelineShaderStageCreateInfo-{rest}").leak();
    let r = |rest: &str| &*format!("VUID-RuntimeSpirv-{rest}").leak();
    let of = |rule, text, bad, good| Stage { rule, text, device: Device::everything(), bad, good };
    let uniform = || buffer("Uniform", "Block");
    let len = "%n = OpArrayLength %uint %buffer 0";
    let indexed = "%i = OpLoad %uint %cell\n%at = OpAccessChain %p_float %many %i %c0";
    let chosen = "%p = OpSelect %p_buffer %true %buffer %other";
    vec![
        Stage {
            device: without(&["descriptorHeap"]),
            ..of(s("descriptorHeap-11314"), uniform(), |info| info.mappings = INDEX, |_| {})
        },
        of(s("pNext-11315"), buffers(""), |info| info.mappings = DATA, |info| info.mappings = INDEX),
        of(s("pNext-11315"), buffers(""), |info| info.mappings = ELSEWHERE, |info| info.mappings = FIRST),
        Stage {
            device: device(&[("maxPushDataSize", 128)]),
            ..of(s("pNext-11316"), uniform(), |info| info.mappings = FAR_DATA, |info| info.mappings = DATA)
        },
        Stage {
            device: device(&[("maxShaderGroupStride", 64)]),
            ..of(
                s("pNext-11317"),
                uniform(),
                |info| info.mappings = FAR_RECORD,
                |info| info.mappings = RECORD,
            )
        },
        of(
            s("pNext-11318"),
            resource("OpTypeSampledImage %I"),
            |info| info.mappings = ADDRESS,
            |info| info.mappings = BUFFERS_ONLY,
        ),
        of(
            s("pNext-11378"),
            buffer("StorageBuffer", "Block").body(len).holding_array(),
            |info| info.mappings = ADDRESS,
            |info| info.mappings = INDEX,
        ),
        of(
            s("pNext-11399"),
            resource("OpTypeArray %I %c4"),
            |info| info.mappings = EMBEDDED,
            |info| info.mappings = INDEX,
        ),
        of(s("pNext-12454"), uniform(), |info| info.mappings = RECORD_INDEX, |info| info.mappings = INDEX),
        of(
            r("DescriptorSet-11385"),
            buffers(indexed),
            |info| info.mappings = ADDRESS,
            |info| info.mappings = INDEX,
        ),
        of(
            r("DescriptorSet-11388"),
            buffers(chosen),
            |info| info.mappings = ADDRESS,
            |info| info.mappings = INDEX,
        ),
        of(r("source-11387"), buffers(chosen), |info| info.mappings = FIRST, |info| info.mappings = INDEX),
        of(
            "VUID-VkShaderDescriptorSetAndBindingMappingInfoEXT-pMappings-11244",
            uniform(),
            |info| info.mappings = TWICE,
            |info| info.mappings = APART,
        ),
        Stage {
            device: device(&[("imageDescriptorAlignment", 32)]),
            ..of(
                "VUID-VkDescriptorSetAndBindingMappingEXT-source-11251",
                resource("OpTypeSampledImage %I"),
                |info| info.mappings = UNALIGNED,
                |info| info.mappings = ALIGNED,
            )
        },
        Stage {
            device: device(&[("bufferDescriptorAlignment", 32)]),
            ..of(
                "VUID-VkDescriptorSetAndBindingMappingEXT-source-11252",
                uniform(),
                |info| info.mappings = UNALIGNED,
                |info| info.mappings = ALIGNED,
            )
        },
    ]
}

fn stages() -> Vec<Stage> {
    [subgroups(), specialization(), rays(), indexing(), subpasses(), heaps()].into_iter().flatten().collect()
}

fn model(text: &Text) -> Model {
    text.model.parse().expect("a stage")
}

#[test]
fn creations_of_stages_are_checked() {
    for Stage { rule, text, device, bad, good } in stages() {
        let module = Module::decode(
            &assemble(&text.text()).unwrap_or_else(|error| panic!("{error}\n{}", text.text())),
        );
        let module = module.unwrap_or_else(|error| panic!("{rule}: {error}"));
        let constants = ConstantValues::evaluate(&module, &Specialization::new()).expect("constants");
        let found = |change: Change| {
            let mut info = StageInfo::new(model(&text), "main");
            change(&mut info);
            check(&constants, &info, &device).into_iter().map(|found| found.rule).collect::<Vec<_>>()
        };
        assert!(found(bad).contains(&rule), "{rule}: {:?}", found(bad));
        assert!(!found(good).contains(&rule), "{rule}: {:?}", found(good));
    }
}

#[test]
fn every_rule_on_stages_has_a_case() {
    let tested: BTreeSet<&str> = stages().iter().map(|stage| stage.rule).collect();
    assert_eq!(tested, covered_vuids().into_iter().collect());
}
