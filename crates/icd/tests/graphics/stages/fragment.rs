//! The fragment stage with one sample: its built-ins, when it runs, and what it replaces.

use super::assembly::{Shader, WHOLE, passed_on, passing, rectangle};
use super::geometry::{BOTH, results};
use super::samples::interpolating;
use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;

/// `FragCoord` to the first attachment; facing, primitive and point coordinate to the second.
fn built_ins() -> String {
    Shader {
        capabilities: "OpCapability Geometry",
        interface: "%coord %front %primitive %point %first %second",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %front BuiltIn FrontFacing
                      OpDecorate %primitive BuiltIn PrimitiveId
                      OpDecorate %primitive Flat
                      OpDecorate %point BuiltIn PointCoord
                      OpDecorate %first Location 0
                      OpDecorate %second Location 1",
        globals: "%coord = OpVariable %in_v4 Input
                  %front = OpVariable %in_bool Input
                  %primitive = OpVariable %in_uint Input
                  %point = OpVariable %in_v2 Input
                  %first = OpVariable %out_v4 Output
                  %second = OpVariable %out_v4 Output",
        body: "%c = OpLoad %v4 %coord
               OpStore %first %c
               %f = OpLoad %bool %front
               %ff = OpSelect %float %f %f2 %f1
               %n = OpLoad %uint %primitive
               %nf = OpConvertUToF %float %n
               %p = OpLoad %v2 %point
               %all = OpCompositeConstruct %v4 %ff %nf %p
               OpStore %second %all",
        ..Shader::default()
    }
    .fragment()
}

/// A vertex shader whose points are eight pixels wide.
fn wide_points() -> String {
    Shader {
        interface: "%place %position %size",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %position BuiltIn Position
                      OpDecorate %size BuiltIn PointSize",
        globals: "%place = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %size = OpVariable %out_float Output
                  %f8 = OpConstant %float 8",
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               OpStore %size %f8",
        ..Shader::default()
    }
    .vertex()
}

fn two_attachments(vertex: &str, fragment: &str, vertices: &[[[f32; 4]; 2]]) -> Scene {
    let mut scene = Scene::new(vertex, fragment, vertices);
    scene.formats.push(scene.formats[0]);
    scene
}

#[test]
fn fragment_built_ins_belong_to_their_primitive() {
    let lab = Lab::new(&[]);
    // The left half faces away, with w = 2; the right one faces the viewer.
    let mut left = rectangle([-1.0, -1.0, 0.0, 1.0], 0.5, [0.0; 4]);
    left.iter_mut().for_each(|vertex| vertex[0] = vertex[0].map(|value| 2.0 * value));
    let mut right = rectangle([0.0, -1.0, 1.0, 1.0], 0.75, [0.0; 4]);
    right.swap(1, 2);
    right.swap(4, 5);
    let scene = two_attachments(&passing(), &built_ins(), &[left, right].concat());
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let (depth, w) = if x < SIZE / 2 { (0.5, 0.5) } else { (0.75, 1.0) };
        assert_eq!(picture.at(0, x, y), [x as f32 + 0.5, y as f32 + 0.5, depth, w], "{x} {y}");
        let [facing, primitive, ..] = picture.at(1, x, y);
        assert_eq!(facing, if x < SIZE / 2 { 1.0 } else { 2.0 }, "{x} {y}");
        let half = if x < SIZE / 2 { 0.0 } else { 2.0 };
        assert!(primitive == half || primitive == half + 1.0, "{x} {y}: {primitive}");
    }
    assert_ne!(picture.at(1, 0, 0)[1], picture.at(1, 7, 15)[1], "two triangles");

    let mut scene = two_attachments(&wide_points(), &built_ins(), &[[[0.0, 0.0, 0.5, 1.0], [0.0; 4]]]);
    scene.state.topology = vk::PrimitiveTopology::POINT_LIST;
    let picture = lab.draw_both(&scene);
    for (x, y) in (4..12).flat_map(|y| (4..12).map(move |x| (x, y))) {
        let expected = [2.0, 0.0, (x as f32 - 3.5) / 8.0, (y as f32 - 3.5) / 8.0];
        assert_eq!(picture.at(1, x, y), expected, "{x} {y}");
    }
    assert_eq!(picture.at(1, 3, 8), [0.0; 4]);
}

/// Counts invocations that are no helpers in the buffer's first word, and writes `HelperInvocation` of the
/// right neighbour, by way of a derivative.
fn counting(modes: &str) -> String {
    Shader {
        interface: "%helper %out",
        modes,
        decorations: "OpDecorate %helper BuiltIn HelperInvocation
                      OpDecorate %out Location 0",
        globals: "%helper = OpVariable %in_bool Input
                  %out = OpVariable %out_v4 Output",
        body: "%h = OpLoad %bool %helper
               %hf = OpSelect %float %h %f1 %f0
               %change = OpFwidthFine %float %hf
               %counter = OpAccessChain %ptr_uint %buffer %i0 %u0
               %number = OpAtomicIAdd %uint %counter %u1 %u0 %u1
               %all = OpCompositeConstruct %v4 %hf %change %f1 %f1
               OpStore %out %all",
        capabilities: "OpCapability DerivativeControl",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn helper_invocations_feed_derivatives_and_write_nothing() {
    let lab = Lab::new(&[]);
    // One column of pixels with an odd number: the left pixels of its quads are helpers.
    let mut scene = Scene::new(&passing(), &counting(""), &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.state.scissors[0].offset.x = 5;
    scene.state.scissors[0].extent.width = 1;
    let picture = lab.draw_both(&scene);
    assert_eq!(picture.words[0], SIZE);
    for y in 0..SIZE {
        assert_eq!(picture.at(0, 5, y), [0.0, 1.0, 1.0, 1.0], "{y}");
        assert_eq!(picture.at(0, 4, y), [0.0; 4], "{y}");
    }
}

#[test]
fn early_tests_come_before_the_shader_and_late_ones_behind_it() {
    let lab = Lab::new(&[c"VK_AMD_shader_early_and_late_fragment_tests"]);
    let whole = |modes: &str, depth: f32| {
        let mut scene = Scene::new(&passing(), &counting(modes), &rectangle(WHOLE, depth, [0.0; 4]));
        (scene.state.depth_test, scene.state.depth_write) = (true, true);
        scene.state.depth_compare = vk::CompareOp::LESS;
        lab.draw_both(&scene)
    };
    let early = "OpExecutionMode %main EarlyFragmentTests";
    let drawn = |picture: &Picture| picture.at(0, 3, 3)[3] == 1.0;
    // The depth attachment holds 0.5.
    let cases = [("", 0.25, SIZE * SIZE, true), ("", 0.75, SIZE * SIZE, false)];
    let early = [(early, 0.25, SIZE * SIZE, true), (early, 0.75, 0, false)];
    let both = "OpExecutionMode %main EarlyAndLateFragmentTestsAMD";
    let both = [(both, 0.25, SIZE * SIZE, true), (both, 0.75, 0, false)];
    for (modes, depth, count, passes) in cases.into_iter().chain(early).chain(both) {
        let picture = whole(modes, depth);
        assert_eq!((picture.words[0], drawn(&picture)), (count, passes), "{modes} {depth}");
        assert_eq!(picture.depth[40], if passes { depth } else { 0.5 }, "{modes} {depth}");
    }
}

/// Discards every other column before or after it has counted; early tests have written depth by then.
fn discarding(modes: &str) -> String {
    Shader {
        interface: "%coord %out",
        modes,
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%c = OpLoad %v4 %coord
               OpStore %out %c
               %x = OpCompositeExtract %float %c 0
               %xu = OpConvertFToU %uint %x
               %bit = OpBitwiseAnd %uint %xu %u1
               %odd = OpINotEqual %bool %bit %u0
               OpSelectionMerge %rest None
               OpBranchConditional %odd %kill %rest
               %kill = OpLabel
               OpKill
               %rest = OpLabel",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn discarded_fragments_leave_depth_alone_unless_tests_are_early() {
    let lab = Lab::new(&[c"VK_AMD_shader_early_and_late_fragment_tests"]);
    let early = ["EarlyFragmentTests", "EarlyAndLateFragmentTestsAMD"]
        .map(|mode| format!("OpExecutionMode %main {mode}"));
    for (modes, kept) in [("", 0.5), (&early[0], 0.25), (&early[1], 0.25)] {
        let mut scene = Scene::new(&passing(), &discarding(modes), &rectangle(WHOLE, 0.25, [0.0; 4]));
        (scene.state.depth_test, scene.state.depth_write) = (true, true);
        let picture = lab.draw_both(&scene);
        for x in 0..SIZE {
            let odd = x & 1 == 1;
            assert_eq!(picture.depth[(3 * SIZE + x) as usize], if odd { kept } else { 0.25 }, "{modes} {x}");
            assert_eq!(picture.at(0, x, 3)[0], if odd { 0.0 } else { x as f32 + 0.5 }, "{modes} {x}");
        }
    }
}

#[test]
fn hidden_fragments_without_side_effects_may_be_skipped() {
    // Whatever runs, the last primitive is what is seen.
    let lab = Lab::new(&[]);
    let fragment = passed_on();
    let vertices = [1.0, 2.0, 3.0].map(|value| rectangle(WHOLE, 0.5, [value; 4])).concat();
    let picture = lab.draw_both(&Scene::new(&passing(), &fragment, &vertices));
    assert!(picture.colors[0].iter().all(|&word| word == 3f32.to_bits()));
}

/// A triangle that covers all of the target.
fn covering(value: f32) -> [[[f32; 4]; 2]; 3] {
    [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [value; 4]])
}

/// Writes the vertices' value; where that is above 2, every other column is discarded.
fn discarding_large() -> String {
    Shader {
        interface: "%value %coord %out",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %value Location 0
                      OpDecorate %out Location 0",
        globals: "%value = OpVariable %in_v4 Input
                  %coord = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%v = OpLoad %v4 %value
               OpStore %out %v
               %v0 = OpCompositeExtract %float %v 0
               %large = OpFOrdGreaterThan %bool %v0 %f2
               %c = OpLoad %v4 %coord
               %x = OpCompositeExtract %float %c 0
               %xu = OpConvertFToU %uint %x
               %bit = OpBitwiseAnd %uint %xu %u1
               %odd = OpINotEqual %bool %bit %u0
               %ends = OpLogicalAnd %bool %large %odd
               OpSelectionMerge %rest None
               OpBranchConditional %ends %kill %rest
               %kill = OpLabel
               OpKill
               %rest = OpLabel",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn what_lies_under_a_covering_primitive_is_seen_where_it_shows() {
    let lab = Lab::new(&[]);
    let both = [covering(1.0), covering(3.0)].concat();
    let picture = lab.draw_both(&Scene::new(&passing(), &passed_on(), &both));
    assert!(picture.colors[0].iter().all(|&word| word == 3f32.to_bits()));
    let picture = lab.draw_both(&Scene::new(&passing(), &discarding_large(), &both));
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        assert_eq!(picture.at(0, x, y)[0], if x & 1 == 1 { 1.0 } else { 3.0 }, "{x} {y}");
    }
    let mut adding = Scene::new(&passing(), &passed_on(), &both);
    adding.state.blend.blend_enable = vk::TRUE;
    adding.state.blend.src_color_blend_factor = vk::BlendFactor::ONE;
    adding.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE;
    let picture = lab.draw_both(&adding);
    assert!((0..SIZE * SIZE).all(|at| picture.at(0, at % SIZE, at / SIZE)[0] == 4.0));
    // What shaders do to memory is seen wherever they are.
    let picture = lab.draw_both(&Scene::new(&passing(), &counting(""), &both));
    assert_eq!(picture.words[0], 2 * SIZE * SIZE);
}

/// A query of statistics counts the fragments that are not seen, too.
#[test]
fn fragments_under_a_covering_primitive_are_counted() {
    let lab = Lab::new(&[]);
    let both = [covering(1.0), covering(3.0)].concat();
    let scene = Scene::new(&passing(), &passed_on(), &both);
    let info = vk::QueryPoolCreateInfo::builder()
        .query_type(vk::QueryType::PIPELINE_STATISTICS)
        .query_count(1)
        .pipeline_statistics(vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS);
    let pool = unsafe { lab.device.create_query_pool(&info, None) }.expect("queries");
    for with in BOTH {
        unsafe { lab.device.reset_query_pool(pool, 0, 1) };
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
            device.cmd_draw(commands, 6, 1, 0, 0);
            device.cmd_end_query(commands, pool, 0);
        });
        assert!(picture.colors[0].iter().all(|&word| word == 3f32.to_bits()));
        let [count] = results::<1>(&lab.device, pool, 0);
        assert_eq!(count, u64::from(2 * SIZE * SIZE), "{with:?}");
    }
    unsafe { lab.device.destroy_query_pool(pool, None) };
}

/// Replaces depth and stencil by functions of the place.
fn replacing() -> String {
    Shader {
        capabilities: "OpCapability StencilExportEXT",
        extensions: "OpExtension \"SPV_EXT_shader_stencil_export\"",
        interface: "%coord %depth %stencil %out",
        modes: "OpExecutionMode %main DepthReplacing
                OpExecutionMode %main StencilRefReplacingEXT",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %depth BuiltIn FragDepth
                      OpDecorate %stencil BuiltIn FragStencilRefEXT
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %depth = OpVariable %out_float Output
                  %stencil = OpVariable %out_int Output
                  %out = OpVariable %out_v4 Output",
        body: "%c = OpLoad %v4 %coord
               OpStore %out %c
               %x = OpCompositeExtract %float %c 0
               %y = OpCompositeExtract %float %c 1
               %d = OpFDiv %float %x %f16
               OpStore %depth %d
               %s = OpConvertFToS %int %y
               OpStore %stencil %s",
    }
    .fragment()
}

#[test]
fn depth_and_stencil_are_replaced() {
    let lab = Lab::new(&[c"VK_EXT_shader_stencil_export"]);
    let mut scene = Scene::new(&passing(), &replacing(), &rectangle(WHOLE, 0.9, [0.0; 4]));
    (scene.state.depth_test, scene.state.depth_write) = (true, true);
    scene.state.depth_compare = vk::CompareOp::LESS;
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        depth_fail_op: vk::StencilOp::KEEP,
        compare_op: vk::CompareOp::ALWAYS,
        compare_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    scene.state.stencil = Some([face; 2]);
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let depth = (x as f32 + 0.5) / 16.0;
        let passes = depth < 0.5;
        let at = (y * SIZE + x) as usize;
        assert_eq!(picture.depth[at], if passes { depth } else { 0.5 }, "{x} {y}");
        assert_eq!(picture.stencil[at], if passes { y as u8 } else { 1 }, "{x} {y}");
    }
}

/// `BaryCoordKHR` and `BaryCoordNoPerspKHR`, and each vertex's vector, weighted with the former.
fn barycentrics() -> String {
    Shader {
        capabilities: "OpCapability FragmentBarycentricKHR",
        extensions: "OpExtension \"SPV_KHR_fragment_shader_barycentric\"",
        interface: "%weights %linear %vertices %smooth %first %second",
        decorations: "OpDecorate %weights BuiltIn BaryCoordKHR
                      OpDecorate %linear BuiltIn BaryCoordNoPerspKHR
                      OpDecorate %vertices Location 0
                      OpDecorate %vertices PerVertexKHR
                      OpDecorate %smooth Location 1
                      OpDecorate %first Location 0
                      OpDecorate %second Location 1",
        globals: "%weights = OpVariable %in_v3 Input
                  %linear = OpVariable %in_v3 Input
                  %vertices = OpVariable %in_three_v4 Input
                  %smooth = OpVariable %in_v4 Input
                  %first = OpVariable %out_v4 Output
                  %second = OpVariable %out_v4 Output",
        body: "%w = OpLoad %v3 %weights
               %a = OpAccessChain %in_v4 %vertices %u0
               %av = OpLoad %v4 %a
               %b = OpAccessChain %in_v4 %vertices %u1
               %bv = OpLoad %v4 %b
               %c = OpAccessChain %in_v4 %vertices %u2c
               %cv = OpLoad %v4 %c
               %w0 = OpCompositeExtract %float %w 0
               %w1 = OpCompositeExtract %float %w 1
               %w2 = OpCompositeExtract %float %w 2
               %p0 = OpVectorTimesScalar %v4 %av %w0
               %p1 = OpVectorTimesScalar %v4 %bv %w1
               %p2 = OpVectorTimesScalar %v4 %cv %w2
               %s0 = OpFAdd %v4 %p0 %p1
               %s1 = OpFAdd %v4 %s0 %p2
               %s = OpLoad %v4 %smooth
               %difference = OpFSub %v4 %s1 %s
               OpStore %first %difference
               %l = OpLoad %v3 %linear
               %l4 = OpCompositeConstruct %v4 %l %f1
               OpStore %second %l4",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn barycentrics_weigh_what_vertices_hold() {
    let lab = Lab::new(&[c"VK_KHR_fragment_shader_barycentric"]);
    // Locations 0 and 1 hold the same.
    let vertex = passing()
        .replace("%position %passed", "%position %passed %again")
        .replace(
            "OpDecorate %passed Location 0",
            "OpDecorate %passed Location 0\nOpDecorate %again Location 1",
        )
        .replace("%passed = OpVariable", "%again = OpVariable %out_v4 Output\n%passed = OpVariable")
        .replace("OpStore %passed %c", "OpStore %passed %c\nOpStore %again %c");
    let corner = |x: f32, y: f32, w: f32, vector| [[x * w, y * w, 0.5 * w, w], vector];
    let vertices = [
        corner(-1.0, -1.0, 1.0, [1.0, 0.0, 0.0, 2.0]),
        corner(1.0, -1.0, 2.0, [0.0, 1.0, 0.0, 4.0]),
        corner(-1.0, 1.0, 4.0, [0.0, 0.0, 1.0, 8.0]),
    ];
    let scene = two_attachments(&vertex, &barycentrics(), &vertices);
    let picture = lab.draw(&scene, With::Pipeline);
    let mut count = 0;
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let [i, j, k, drawn] = picture.at(1, x, y);
        if drawn == 0.0 {
            continue;
        }
        count += 1;
        let [jx, ky] = [x, y].map(|at| (at as f32 + 0.5) / 16.0);
        for (found, expected) in [(i, 1.0 - jx - ky), (j, jx), (k, ky)] {
            assert!((found - expected).abs() < 1e-4, "{x} {y}: {found} {expected}");
        }
        assert!(picture.at(0, x, y).iter().all(|difference| difference.abs() < 1e-4), "{x} {y}");
    }
    assert_eq!(count, SIZE * (SIZE - 1) / 2);
    assert!(lab.draw(&scene, With::Objects) == picture);
}

/// Puts the vector at location 0 together from what the three vertices hold, by the weights of vertices 1 and
/// 2.
fn weighed(built_in: &str) -> String {
    let decorations = format!(
        "OpDecorate %passed Location 0
         OpDecorate %passed ExplicitInterpAMD
         OpDecorate %weights BuiltIn {built_in}
         OpDecorate %out Location 0"
    );
    // The inverse of each, behind 1 / w, for the pull model.
    let (ty, weights) = match built_in {
        "BaryCoordPullModelAMD" => (
            "%in_v3",
            "%inverse = OpLoad %v3 %weights
             %inverse_i = OpCompositeExtract %float %inverse 1
             %inverse_j = OpCompositeExtract %float %inverse 2
             %i = OpFDiv %float %f1 %inverse_i
             %j = OpFDiv %float %f1 %inverse_j",
        ),
        _ => (
            "%in_v2",
            "%pair = OpLoad %v2 %weights
             %i = OpCompositeExtract %float %pair 0
             %j = OpCompositeExtract %float %pair 1",
        ),
    };
    let globals = format!(
        "%passed = OpVariable %in_v4 Input
         %weights = OpVariable {ty} Input
         %out = OpVariable %out_v4 Output"
    );
    let body = format!(
        "{weights}
         %rest = OpFSub %float %f1 %i
         %k = OpFSub %float %rest %j
         %a = OpExtInst %v4 %amd InterpolateAtVertexAMD %passed %u0
         %b = OpExtInst %v4 %amd InterpolateAtVertexAMD %passed %u1
         %c = OpExtInst %v4 %amd InterpolateAtVertexAMD %passed %u2c
         %ka = OpVectorTimesScalar %v4 %a %k
         %ib = OpVectorTimesScalar %v4 %b %i
         %jc = OpVectorTimesScalar %v4 %c %j
         %two = OpFAdd %v4 %ka %ib
         %sum = OpFAdd %v4 %two %jc
         OpStore %out %sum"
    );
    Shader {
        capabilities: "OpCapability SampleRateShading",
        extensions: "OpExtension \"SPV_AMD_shader_explicit_vertex_parameter\"
                     %amd = OpExtInstImport \"SPV_AMD_shader_explicit_vertex_parameter\"",
        interface: "%passed %weights %out",
        decorations: &decorations,
        globals: &globals,
        body: &body,
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn vertices_values_are_weighed_by_the_shader() {
    let lab = Lab::new(&[c"VK_AMD_shader_explicit_vertex_parameter"]);
    // Corners with different w, so that perspective matters.
    let vertices = [
        [[-0.8, -0.7, 0.25, 1.0], [1.0, 10.0, -4.0, 1.0]],
        [[1.8, -0.9, 0.5, 2.0], [2.0, 40.0, 8.0, 1.0]],
        [[-0.1, 0.45, 0.125, 0.5], [-3.0, 20.0, 16.0, 1.0]],
    ];
    for (built_in, decoration) in [
        ("BaryCoordNoPerspAMD", "NoPerspective"),
        ("BaryCoordNoPerspCentroidAMD", "NoPerspective\nOpDecorate %passed Centroid"),
        ("BaryCoordNoPerspSampleAMD", "NoPerspective\nOpDecorate %passed Sample"),
        ("BaryCoordSmoothAMD", ""),
        ("BaryCoordSmoothCentroidAMD", "Centroid"),
        ("BaryCoordSmoothSampleAMD", "Sample"),
        ("BaryCoordPullModelAMD", ""),
    ] {
        for samples in [1, 4] {
            let text = interpolating(decoration)
                .replace("OpCapability Shader\n", "OpCapability Shader\nOpCapability SampleRateShading\n");
            let mut scene = Scene::new(&passing(), &text, &vertices);
            scene.state.samples = samples;
            let expected = lab.draw_both(&scene);
            scene.fragment = weighed(built_in);
            let found = lab.draw_both(&scene);
            let mut drawn = 0;
            for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
                let (found, expected) = (found.at(0, x, y), expected.at(0, x, y));
                drawn += u32::from(expected[3] != 0.0);
                for (found, expected) in found.into_iter().zip(expected) {
                    assert!(
                        (found - expected).abs() < 1e-3,
                        "{built_in} {samples} {x} {y}: {found} {expected}"
                    );
                }
            }
            assert!(drawn > 40);
        }
    }
}
