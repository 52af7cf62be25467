//! Cluster culling shaders (`VK_HUAWEI_cluster_culling_shader`): workgroups that emit draws.

use super::assembly::passed_on;
use pyro_shadertext::Shader;
use pyro_test_environment::in_child;
use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene, With};
use std::collections::BTreeMap;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::FragmentShadingRateCombinerOpKHR as Op;
use vulkanalia::vk::HuaweiClusterCullingShaderExtensionDeviceCommands as _;

const CLUSTER: vk::ShaderStageFlags = vk::ShaderStageFlags::CLUSTER_CULLING_HUAWEI;
/// Invocations of a workgroup: more than any subgroup, and not a multiple of one.
const INVOCATIONS: u32 = 72;
/// Workgroups of most draws.
const GROUPS: u32 = 2;

/// Runs a test in a process for each backend that this processor has.
fn on_each_backend(test: &str) -> bool {
    pyro_compile::Backend::all().into_iter().fold(false, |is_child, (name, _)| {
        is_child || in_child(module_path!(), test, &[("PYROCLAST_CPU", name)])
    })
}

fn lab() -> Lab {
    Lab::new(&[c"VK_HUAWEI_cluster_culling_shader"])
}

/// The six vertices of a rectangle of one cell: `scale` of the target's half, in a column of the draw's
/// number (its bits in `columns`), eight columns further right for each instance behind 1, and a row of the
/// bits behind (in `rows`). Passes on the draw's number, the instance, and the vertex' number without its
/// corner.
fn vertex([columns, rows]: [u32; 2], scale: &str) -> String {
    let shift = columns.count_ones();
    Shader::vertex(&format!(
        "%v = OpLoad %uint %vertex
         %c = OpUMod %uint %v %uint_6
         %k = OpUDiv %uint %v %uint_6
         %i = OpLoad %uint %instance
         %d = OpLoad %uint %draw
         %behind = OpISub %uint %i %uint_1
         %right = OpIMul %uint %behind %uint_8
         %column = OpBitwiseAnd %uint %d %uint_{columns}
         %x0 = OpIAdd %uint %column %right
         %bits = OpShiftRightLogical %uint %d %uint_{shift}
         %y0 = OpBitwiseAnd %uint %bits %uint_{rows}
         %xs = OpShiftRightLogical %uint %uint_50 %c
         %x1 = OpBitwiseAnd %uint %xs %uint_1
         %ys = OpShiftRightLogical %uint %uint_44 %c
         %y1 = OpBitwiseAnd %uint %ys %uint_1
         %x2 = OpIAdd %uint %x0 %x1
         %y2 = OpIAdd %uint %y0 %y1
         %x3 = OpConvertUToF %float %x2
         %y3 = OpConvertUToF %float %y2
         %x4 = OpFMul %float %x3 %float_{scale}
         %y4 = OpFMul %float %y3 %float_{scale}
         %x = OpFSub %float %x4 %float_1
         %y = OpFSub %float %y4 %float_1
         %at = OpCompositeConstruct %float4 %x %y %float_0p5 %float_1
         OpStore %position %at
         %df = OpConvertUToF %float %d
         %if = OpConvertUToF %float %i
         %kf = OpConvertUToF %float %k
         %all = OpCompositeConstruct %float4 %df %if %kf %float_1
         OpStore %passed %all"
    ))
    .capability("DrawParameters")
    .extension("SPV_KHR_shader_draw_parameters")
    .input("vertex", "uint", "BuiltIn VertexIndex")
    .input("instance", "uint", "BuiltIn InstanceIndex")
    .input("draw", "uint", "BuiltIn DrawIndex")
    .output("passed", "float4", "Location 0")
    .text()
}

fn cluster(invocations: u32, body: &str) -> Shader {
    Shader::new("ClusterCullingHUAWEI", body)
        .mode(&format!("LocalSize {invocations} 1 1"))
        .capability("ClusterCullingShadingHUAWEI")
        .extension("SPV_HUAWEI_cluster_culling_shader")
        .input("group", "uint3", "BuiltIn WorkgroupId")
        .input("index", "uint", "BuiltIn LocalInvocationIndex")
}

/// The number of an invocation among all, `%n`, and whether it emits clusters, `%hit`: every third does.
const NUMBER: &str = "%w3 = OpLoad %uint3 %group
    %w = OpCompositeExtract %uint %w3 0
    %i = OpLoad %uint %index
    %start = OpIMul %uint %w %uint_72
    %n = OpIAdd %uint %start %i
    %r = OpUMod %uint %n %uint_3
    %hit = OpIEqual %bool %r %uint_0";

/// Emits a cluster of the invocation's number, and one of a number five greater, when the workgroup has
/// come together; `%cluster` is a pointer to the number.
const EMIT: &str = "OpControlBarrier %uint_2 %uint_2 %uint_264
    OpSelectionMerge %after None
    OpBranchConditional %hit %yes %after
    %yes = OpLabel
    OpDispatchClusterHUAWEI
    %next = OpIAdd %uint %n %uint_5
    OpStore %cluster %next
    OpDispatchClusterHUAWEI
    OpBranch %after
    %after = OpLabel";

/// Clusters of vertices from six times the invocation's number on, as instances 1 and 2.
fn of_vertices() -> String {
    let body = format!(
        "{NUMBER}
         %first_vertex = OpIMul %uint %n %uint_6
         OpStore %count %uint_6
         OpStore %instances %uint_2
         OpStore %first %first_vertex
         OpStore %first_instance %uint_1
         OpStore %cluster %n
         {EMIT}"
    );
    cluster(INVOCATIONS, &body)
        .output("count", "uint", "BuiltIn VertexCountHUAWEI")
        .output("instances", "uint", "BuiltIn InstanceCountHUAWEI")
        .output("first", "uint", "BuiltIn FirstVertexHUAWEI")
        .output("first_instance", "uint", "BuiltIn FirstInstanceHUAWEI")
        .output("cluster", "uint", "BuiltIn ClusterIDHUAWEI")
        .text()
}

/// The same of six indices from the third on, in a block as GLSL declares it.
fn of_indices() -> String {
    let body = format!(
        "{NUMBER}
         %offset = OpIMul %uint %n %uint_6
         %offset_ = OpBitcast %int %offset
         %count = OpAccessChain %out_uint %clusters %uint_0
         %instances = OpAccessChain %out_uint %clusters %uint_1
         %first = OpAccessChain %out_uint %clusters %uint_2
         %vertex_offset = OpAccessChain %out_int %clusters %uint_3
         %first_instance = OpAccessChain %out_uint %clusters %uint_4
         %cluster = OpAccessChain %out_uint %clusters %uint_5
         OpStore %count %uint_6
         OpStore %instances %uint_2
         OpStore %first %uint_2
         OpStore %vertex_offset %offset_
         OpStore %first_instance %uint_1
         OpStore %cluster %n
         {EMIT}"
    );
    cluster(INVOCATIONS, &body)
        .interface("%clusters")
        .decorate(
            "OpDecorate %per_cluster Block
             OpMemberDecorate %per_cluster 0 BuiltIn IndexCountHUAWEI
             OpMemberDecorate %per_cluster 1 BuiltIn InstanceCountHUAWEI
             OpMemberDecorate %per_cluster 2 BuiltIn FirstIndexHUAWEI
             OpMemberDecorate %per_cluster 3 BuiltIn VertexOffsetHUAWEI
             OpMemberDecorate %per_cluster 4 BuiltIn FirstInstanceHUAWEI
             OpMemberDecorate %per_cluster 5 BuiltIn ClusterIDHUAWEI",
        )
        .declare(
            "%per_cluster = OpTypeStruct %uint %uint %uint %int %uint %uint
             %out_per_cluster = OpTypePointer Output %per_cluster
             %clusters = OpVariable %out_per_cluster Output",
        )
        .text()
}

/// Clusters of one pixel each, in four rows.
fn scene(cluster: String) -> Scene {
    let mut scene = Scene::new(&vertex([7, 3], "0p125"), &passed_on(), &[]);
    scene.between = vec![(CLUSTER, cluster)];
    scene
}

/// The last cluster of each pixel of an instance, in the order of invocations: its number, and that of its
/// invocation.
fn expected(invocations: std::ops::Range<u32>) -> BTreeMap<(u32, u32), (u32, u32)> {
    let hits = invocations.filter(|number| number % 3 == 0);
    let clusters = hits.flat_map(|number| [(number, number), (number + 5, number)]);
    clusters.map(|(id, number)| ((id & 7, id >> 3 & 3), (id, number))).collect()
}

fn assert_drawn(picture: &Picture, layer: u32, clusters: &BTreeMap<(u32, u32), (u32, u32)>) {
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let found = clusters.get(&(x % 8, y));
        let color =
            found.map_or([0.0; 4], |&(id, number)| [id as f32, (1 + x / 8) as f32, number as f32, 1.0]);
        assert_eq!(picture.words_at(0, x, y, layer).map(f32::from_bits), color, "{x}, {y} of {layer}");
    }
}

#[test]
fn clusters_are_drawn_in_the_order_of_invocations() {
    if !on_each_backend("clusters_are_drawn_in_the_order_of_invocations") {
        return;
    }
    let lab = lab();
    let all = expected(0..GROUPS * INVOCATIONS);
    assert!(all.len() > 20);
    let picture = lab.draw_by(&scene(of_vertices()), With::Pipeline, |device, commands| unsafe {
        device.cmd_draw_cluster_huawei(commands, GROUPS, 1, 1);
    });
    assert_drawn(&picture, 0, &all);
    // The same by index.
    lab.set_parameters(&[9, 9, 0, 1, 2, 3, 4, 5]);
    let picture = lab.draw_by(&scene(of_indices()), With::Pipeline, |device, commands| unsafe {
        device.cmd_bind_index_buffer(commands, lab.parameters(), 0, vk::IndexType::UINT32);
        device.cmd_draw_cluster_huawei(commands, GROUPS, 1, 1);
    });
    assert_drawn(&picture, 0, &all);
    // In several views, by numbers in memory; and more workgroups than are run at a time.
    let mut views = scene(of_vertices());
    (views.layers, views.view_mask) = (3, 0b101);
    lab.set_parameters(&[7, 300, 1, 1]);
    let picture = lab.draw_by(&views, With::Pipeline, |device, commands| unsafe {
        device.cmd_draw_cluster_indirect_huawei(commands, lab.parameters(), 4);
    });
    let (all, none) = (expected(0..300 * INVOCATIONS), BTreeMap::new());
    for layer in 0..3 {
        assert_drawn(&picture, layer, if layer == 1 { &none } else { &all });
    }
}

#[test]
fn clusters_have_shading_rates() {
    if !on_each_backend("clusters_have_shading_rates") {
        return;
    }
    // A cluster for each quarter of the target, with the rate of its number.
    let body = "%n = OpLoad %uint %index
         OpStore %count %uint_6
         OpStore %first_instance %uint_1
         OpStore %cluster %n
         %wide = OpShiftLeftLogical %uint %n %uint_2
         %rate_ = OpBitwiseAnd %uint %wide %uint_4
         %high = OpShiftRightLogical %uint %n %uint_1
         %all = OpBitwiseOr %uint %rate_ %high
         OpStore %rate %all
         OpDispatchClusterHUAWEI";
    let rated = cluster(4, body)
        .output("count", "uint", "BuiltIn VertexCountHUAWEI")
        .output("first_instance", "uint", "BuiltIn FirstInstanceHUAWEI")
        .output("cluster", "uint", "BuiltIn ClusterIDHUAWEI")
        .output("rate", "uint", "BuiltIn ClusterShadingRateHUAWEI");
    let seeing = Shader::fragment(
        "%r = OpLoad %uint %rate
         %rf = OpConvertUToF %float %r
         %p = OpLoad %float4 %passed
         %c = OpCompositeInsert %float4 %rf %p 3
         OpStore %color %c",
    )
    .capability("FragmentShadingRateKHR")
    .extension("SPV_KHR_fragment_shading_rate")
    .input("rate", "uint", "BuiltIn ShadingRateKHR, Flat")
    .input("passed", "float4", "Location 0")
    .output("color", "float4", "Location 0");
    let mut scene = Scene::new(&vertex([1, 1], "1"), &seeing.text(), &[]);
    scene.between = vec![(CLUSTER, rated.text())];
    let lab = lab();
    for (combiner, has_rates) in [(Op::REPLACE, true), (Op::KEEP, false)] {
        scene.state.combiners = [combiner, Op::KEEP];
        let picture = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
            device.cmd_draw_cluster_huawei(commands, 1, 1, 1);
        });
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let (column, row) = (2 * x / SIZE, 2 * y / SIZE);
            let rate = if has_rates { column << 2 | row } else { 0 };
            let color = [(column + 2 * row) as f32, 1.0, 0.0, rate as f32];
            assert_eq!(picture.at(0, x, y), color, "{x}, {y} with {combiner:?}");
        }
    }
}

#[test]
fn queries_count_invocations_of_clusters() {
    let lab = lab();
    let info = vk::QueryPoolCreateInfo::builder()
        .query_type(vk::QueryType::PIPELINE_STATISTICS)
        .query_count(1)
        .pipeline_statistics(
            vk::QueryPipelineStatisticFlags::CLUSTER_CULLING_SHADER_INVOCATIONS_HUAWEI
                | vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES,
        );
    let mut bytes = [0; 16];
    unsafe {
        let pool = lab.device.create_query_pool(&info, None).expect("a pool");
        lab.device.reset_query_pool(pool, 0, 1);
        lab.draw_by(&scene(of_vertices()), With::Pipeline, |device, commands| {
            device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
            device.cmd_draw_cluster_huawei(commands, GROUPS, 1, 1);
            device.cmd_end_query(commands, pool, 0);
        });
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        lab.device.get_query_pool_results(pool, 0, 1, &mut bytes, 8, flags).expect("results");
        lab.device.destroy_query_pool(pool, None);
    }
    let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&word| u64::from_ne_bytes(word)).collect();
    let clusters = u64::from(2 * GROUPS * INVOCATIONS / 3);
    assert_eq!(words, [clusters * 6 * 2, u64::from(GROUPS * INVOCATIONS)]);
}

#[test]
fn clusters_beyond_the_limit_are_lost() {
    if !on_each_backend("clusters_beyond_the_limit_are_lost") {
        return;
    }
    // One invocation emits 1,100 clusters, of which 1,024 are drawn.
    let body = "OpStore %count %uint_6
         OpStore %first_instance %uint_1
         OpBranch %head
         %head = OpLabel
         %j = OpPhi %uint %uint_0 %entry %next %again
         OpLoopMerge %done %again None
         OpBranch %loop
         %loop = OpLabel
         %start = OpIMul %uint %j %uint_6
         OpStore %first %start
         OpStore %cluster %j
         OpDispatchClusterHUAWEI
         OpBranch %again
         %again = OpLabel
         %next = OpIAdd %uint %j %uint_1
         %more = OpULessThan %bool %next %uint_1100
         OpBranchConditional %more %head %done
         %done = OpLabel";
    let shader = cluster(1, body)
        .output("count", "uint", "BuiltIn VertexCountHUAWEI")
        .output("first", "uint", "BuiltIn FirstVertexHUAWEI")
        .output("first_instance", "uint", "BuiltIn FirstInstanceHUAWEI")
        .output("cluster", "uint", "BuiltIn ClusterIDHUAWEI");
    let lab = lab();
    let scene = scene(shader.text());
    let picture = lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        device.cmd_draw_cluster_huawei(commands, 1, 1, 1);
        // Neither is a draw of this pipeline.
        device.cmd_draw(commands, 6, 1, 0, 0);
        device.cmd_draw_cluster_huawei(commands, 0, 1, 1);
        device.cmd_draw_cluster_huawei(commands, u32::MAX, u32::MAX, u32::MAX);
    });
    for (x, y) in (0..8).flat_map(|x| (0..4).map(move |y| (x, y))) {
        let id = (992 + 8 * y + x) as f32;
        assert_eq!(picture.at(0, x, y), [id, 1.0, id, 1.0], "{x}, {y}");
    }
    assert_eq!(picture.at(0, 8, 0), [0.0; 4]);
}

#[test]
fn cluster_culling_has_features_and_limits() {
    let lab = lab();
    let mut rates = vk::PhysicalDeviceClusterCullingShaderVrsFeaturesHUAWEI::default();
    let mut own = vk::PhysicalDeviceClusterCullingShaderFeaturesHUAWEI::builder().build();
    own.next = (&raw mut rates).cast();
    let mut features = vk::PhysicalDeviceFeatures2::builder().build();
    features.next = (&raw mut own).cast();
    let mut limits = vk::PhysicalDeviceClusterCullingShaderPropertiesHUAWEI::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().build();
    properties.next = (&raw mut limits).cast();
    unsafe {
        let device = lab.instance.enumerate_physical_devices().expect("devices")[0];
        lab.instance.get_physical_device_features2(device, &mut features);
        lab.instance.get_physical_device_properties2(device, &mut properties);
    }
    let all = [own.clusterculling_shader, own.multiview_cluster_culling_shader, rates.cluster_shading_rate];
    assert_eq!(all, [vk::TRUE; 3]);
    assert_eq!(limits.max_output_cluster_count, 1024);
    assert!(limits.max_work_group_size[0] >= 32 && limits.max_work_group_count[0] >= 65_535);
}
