//! `VK_NV_cluster_acceleration_structure` in pipelines: what hit shaders and hit objects say of clusters.

use super::built_ins::writing_shader;
use super::*;
use vulkanalia::vk::NvClusterAccelerationStructureExtensionDeviceCommands as _;

/// Words of an invocation: what the closest-hit and any-hit shaders and a hit object say.
const WORDS: u32 = 4;
const CLOSEST_HIT: u32 = 0;
const ANY_HIT: u32 = 1;
const OBJECT: u32 = 2;

/// The number of the cluster, and the geometry that its hit group is found by.
const ID: u32 = 1234;
const GEOMETRY: u32 = 1;

fn ids(first: u32) -> String {
    format!(
        "%ids = OpLoad %uint3 %launch
        %ray = OpCompositeExtract %uint %ids 0
        %of_ray = OpIMul %uint %ray %uint_{WORDS}
        %at = OpIAdd %uint %of_ray %uint_{first}
        %to = OpAccessChain %buffer_float %result %uint_0 %at\n"
    )
}

/// Writes the number plus ten: that of no cluster, -1, becomes nine.
const WRITE: &str = "%more = OpIAdd %uint %number %uint_10
    %value = OpConvertUToF %float %more
    OpStore %to %value\n";

fn with_clusters(shader: Shader) -> Shader {
    shader
        .capability("RayTracingClusterAccelerationStructureNV")
        .extension("SPV_NV_cluster_acceleration_structure")
        .input("launch", "uint3", "BuiltIn LaunchIdNV")
}

fn hit_shader(model: &str, first: u32) -> String {
    let body = [&ids(first), "%number = OpLoad %uint %cluster\n", WRITE].concat();
    with_clusters(writing_shader(model, &body)).input("cluster", "uint", "BuiltIn ClusterIDNV").text()
}

/// Traces a ray down at x = 10 times the launch's, as a whole and into a hit object.
fn raygen() -> String {
    let operands =
        "%uint_0 %uint_255 %uint_0 %uint_1 %uint_0 %origin %float_0 %direction %float_50 %payload\n";
    let body = [
        &ids(OBJECT),
        "%scene_value = OpLoad %structure %scene
        %column = OpConvertUToF %float %ray
        %x = OpFMul %float %column %float_10
        %minus = OpFNegate %float %float_1
        %origin = OpCompositeConstruct %float3 %x %float_0 %float_20
        %direction = OpCompositeConstruct %float3 %float_0 %float_0 %minus\n",
        &format!("OpTraceRayKHR %scene_value {operands}"),
        &format!("OpHitObjectTraceRayNV %object %scene_value {operands}"),
        "%number = OpHitObjectGetClusterIdNV %uint %object\n",
        WRITE,
    ]
    .concat();
    with_clusters(writing_shader("RayGenerationNV", &body))
        .capability("ShaderInvocationReorderNV")
        .extension("SPV_NV_shader_invocation_reorder")
        .interface("%scene %payload %object")
        .decorate("OpDecorate %scene DescriptorSet 0\nOpDecorate %scene Binding 0")
        .declare(
            "%structure = OpTypeAccelerationStructureKHR
            %p_structure = OpTypePointer UniformConstant %structure
            %scene = OpVariable %p_structure UniformConstant
            %p_payload = OpTypePointer RayPayloadNV %uint
            %payload = OpVariable %p_payload RayPayloadNV
            %object_type = OpTypeHitObjectNV
            %p_object = OpTypePointer Private %object_type
            %object = OpVariable %p_object Private",
        )
        .text()
}

const TRIANGLE: [f32; 9] = [-3.0, -3.0, 0.0, 3.0, -3.0, 0.0, 0.0, 3.0, 0.0];

/// A structure of one cluster of one triangle: its address.
fn cluster(rays: &Rays) -> u64 {
    let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
        | vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let room = || {
        let buffer = rays.context.buffer_with(1 << 12, usage);
        rays.address(&buffer).next_multiple_of(256)
    };
    let halves = |address: u64| [address as u32, (address >> 32) as u32];
    let region = |address: u64, stride: u64| Region { device_address: address, stride, size: stride };
    let run = |op_type, op_input, info: &[u32]| {
        let addresses = rays.context.buffer_with(2, usage);
        let input = vk::ClusterAccelerationStructureInputInfoNV {
            max_acceleration_structure_count: 1,
            op_type,
            op_mode: vk::ClusterAccelerationStructureOpModeNV::IMPLICIT_DESTINATIONS,
            op_input,
            ..Default::default()
        };
        let info = vk::ClusterAccelerationStructureCommandsInfoNV {
            input,
            dst_implicit_data: room(),
            scratch_data: room(),
            dst_addresses_array: region(rays.address(&addresses), 8),
            src_infos_array: region(rays.data(info), 4 * info.len() as u64),
            ..Default::default()
        };
        rays.context.run(|commands| unsafe {
            rays.context.device.cmd_build_cluster_acceleration_structure_indirect_nv(commands, &info);
        });
        let words = addresses.words();
        [words[0], words[1]]
    };
    let mut triangles = vk::ClusterAccelerationStructureTriangleClusterInputNV {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        max_geometry_index_value: GEOMETRY,
        max_cluster_unique_geometry_count: 1,
        max_cluster_triangle_count: 1,
        max_cluster_vertex_count: 3,
        max_total_triangle_count: 1,
        max_total_vertex_count: 3,
        ..Default::default()
    };
    let mut info = vec![ID, 0, 1 | 3 << 9 | 4 << 24, GEOMETRY, 0, 0];
    [rays.data(&[0, 1, 2]), rays.floats(&TRIANGLE), 0, 0, 0].iter().for_each(|&at| info.extend(halves(at)));
    let cluster = run(
        vk::ClusterAccelerationStructureOpTypeNV::BUILD_TRIANGLE_CLUSTER,
        vk::ClusterAccelerationStructureOpInputNV { triangle_clusters: &mut triangles },
        &info,
    );
    let mut bottom = vk::ClusterAccelerationStructureClustersBottomLevelInputNV {
        max_total_cluster_count: 1,
        max_cluster_count_per_acceleration_structure: 1,
        ..Default::default()
    };
    let references = halves(rays.data(&cluster));
    let [low, high] = run(
        vk::ClusterAccelerationStructureOpTypeNV::BUILD_CLUSTERS_BOTTOM_LEVEL,
        vk::ClusterAccelerationStructureOpInputNV { clusters_bottom_level: &mut bottom },
        &[1, 8, references[0], references[1]],
    );
    u64::from(low) | u64::from(high) << 32
}

#[test]
fn hit_shaders_and_hit_objects_see_the_numbers_of_clusters() {
    let mut reorder = vk::PhysicalDeviceRayTracingInvocationReorderFeaturesNV::builder()
        .ray_tracing_invocation_reorder(true);
    let mut clusters = vk::PhysicalDeviceClusterAccelerationStructureFeaturesNV::builder()
        .cluster_acceleration_structure(true);
    clusters.next = (&raw mut reorder).cast();
    let extensions = [c"VK_NV_cluster_acceleration_structure", c"VK_NV_ray_tracing_invocation_reorder"];
    let rays = Rays::with(&extensions, (&raw mut clusters).cast());
    // A cluster, an ordinary triangle, and nothing.
    let plain = rays.build(StructureType::BOTTOM_LEVEL, rays.triangles(&TRIANGLE, &[]), 1).1;
    let instance = |x: f32, reference: u64| Instance {
        rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
        custom_index: 0,
        hit_offset: 0,
        reference,
    };
    let scene = rays.instances(&[instance(0.0, cluster(&rays)), instance(10.0, plain)]);
    let raygen = raygen();
    let [closest_hit, any_hit] =
        [("ClosestHitNV", CLOSEST_HIT), ("AnyHitNV", ANY_HIT)].map(|(model, first)| hit_shader(model, first));
    let miss = writing_shader("MissNV", "").text();
    let shaders = [
        (Stages::RAYGEN_KHR, &*raygen),
        (Stages::MISS_KHR, &*miss),
        (Stages::CLOSEST_HIT_KHR, &*closest_hit),
        (Stages::ANY_HIT_KHR, &*any_hit),
    ];
    const GROUPS: [[u32; 4]; 3] =
        [[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED], [UNUSED, 2, 3, UNUSED]];
    let allowed = vk::RayTracingPipelineClusterAccelerationStructureCreateInfoNV {
        allow_cluster_acceleration_structure: vk::TRUE,
        ..Default::default()
    };
    let chain = (vk::PipelineCreateFlags::empty(), (&raw const allowed).cast());
    let pipeline = rays.pipeline_chained(&shaders, &GROUPS, chain, &[]).expect("a pipeline");
    let handles = rays.handles_of(pipeline, GROUPS.len());
    let stride = 4 * HANDLE_WORDS as u64;
    let [raygen, miss] = [0, 1].map(|group: usize| Region {
        device_address: rays.data(&handles[group]),
        stride,
        size: stride,
    });
    // The cluster's geometry has the second record, the other triangle the first.
    let records = [&handles[2][..], &handles[2]].concat();
    let hit = Region { device_address: rays.data(&records), stride, size: 2 * stride };
    let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
        let none = Region::default();
        rays.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &none, 3, 1, 1);
    });
    let [number, none] = [ID as f32 + 10.0, 9.0];
    for (column, expected) in
        [[number, number, number, 0.0], [none, none, none, 0.0], [0.0, 0.0, none, 0.0]].iter().enumerate()
    {
        assert_eq!(found[WORDS as usize * column..][..4], expected[..], "column {column}");
    }
}
