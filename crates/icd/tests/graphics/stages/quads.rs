//! Quads of invocations in every stage that has subgroups (`subgroupQuadOperationsInAllStages`).

use super::assembly::{WHOLE, passed_on, passing, rectangle};
use pyro_shadertext::Shader;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;

macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("shaders/", $name, ".spvasm"))
    };
}

/// Invocations.
const COUNT: usize = 32;

/// Each invocation has swapped its number with two others of its quad, which are not the same, and all four
/// have that of one.
fn check(words: &[u32], what: &str) {
    let [across, down, last] = [0, 64, 128].map(|first| {
        let part = &words[first..first + COUNT];
        assert!(part.iter().all(|&word| (1..=COUNT as u32).contains(&word)), "{what}: {part:?}");
        part.iter().map(|&word| word as usize - 1).collect::<Vec<_>>()
    });
    for at in 0..COUNT {
        let quad = [at, across[at], down[at], across[down[at]]];
        assert_eq!((across[across[at]], down[down[at]]), (at, at), "{what} {at}");
        assert_eq!(down[across[at]], quad[3], "{what} {at}");
        for (number, one) in quad.iter().enumerate() {
            assert!(!quad[..number].contains(one), "{what} {at}: {quad:?}");
            assert_eq!(last[*one], last[at], "{what} {at}");
        }
        assert!(quad.contains(&last[at]), "{what} {at}: {quad:?}");
    }
}

#[test]
fn quads_exchange_values_in_every_stage() {
    let lab = Lab::new(&[c"VK_EXT_mesh_shader"]);
    let points = vec![[[0.0, 0.0, 0.5, 1.0], [0.0; 4]]; COUNT];
    let mut scene = Scene::new(shader!("quads.vert"), &passed_on(), &points);
    scene.fragment = shader!("quads.frag").into();
    scene.state.topology = vk::PrimitiveTopology::POINT_LIST;
    check(&lab.draw_both(&scene).words, "vertex");
    scene.vertex = passing();
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, shader!("quads.geom").into())];
    check(&lab.draw_both(&scene).words, "geometry");
    let mut scene = Scene::new("", shader!("quads.frag"), &[]);
    scene.between = vec![(vk::ShaderStageFlags::MESH_EXT, shader!("quads.mesh").into())];
    for with in [With::Pipeline, With::Objects] {
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_ext(commands, 1, 1, 1)
        });
        check(&picture.words, "mesh");
    }
    let scene = Scene::new(&passing(), shader!("quads.frag"), &rectangle(WHOLE, 0.5, [0.0; 4]));
    let picture = lab.draw_both(&scene);
    for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
        let number = |x: u32, y: u32| (y * SIZE + x) as f32;
        let expected = [number(x ^ 1, y), number(x, y ^ 1), number(x | 1, y | 1), 1.0];
        assert_eq!(picture.at(0, x, y), expected, "{x} {y}");
    }
}

/// Quads of fragments have all four invocations (`RequireFullQuadsKHR`), vote (`OpGroupNonUniformQuadAnyKHR`
/// and `…QuadAllKHR`), and have derivatives (`QuadDerivativesKHR`), in code that not all of a subgroup runs.
#[test]
fn quads_are_whole_and_vote() {
    let fragment = Shader::fragment(
        "%at = OpLoad %float4 %place
        %x = OpCompositeExtract %float %at 0
        %y = OpCompositeExtract %float %at 1
        %is_left = OpFOrdLessThan %bool %x %float_8
        OpSelectionMerge %merge None
        OpBranchConditional %is_left %left %merge
        %left = OpLabel
        %is_helper = OpLoad %bool %helper
        %is_drawn = OpLogicalNot %bool %is_helper
        %any = OpGroupNonUniformQuadAnyKHR %bool %is_helper
        %all = OpGroupNonUniformQuadAllKHR %bool %is_drawn
        %has_helpers = OpSelect %float %any %float_1 %float_0
        %has_none = OpSelect %float %all %float_1 %float_0
        %square = OpFMul %float %x %y
        %slope = OpDPdxFine %float %square
        %answer = OpCompositeConstruct %float4 %has_helpers %has_none %slope %float_1
        OpStore %color %answer
        OpBranch %merge
        %merge = OpLabel",
    )
    .capability("GroupNonUniform QuadControlKHR DerivativeControl")
    .extension("SPV_KHR_quad_control")
    .extension("SPV_KHR_maximal_reconvergence")
    .mode("RequireFullQuadsKHR")
    .mode("QuadDerivativesKHR")
    .mode("MaximallyReconvergesKHR")
    .input("place", "float4", "BuiltIn FragCoord")
    .input("helper", "bool", "BuiltIn HelperInvocation")
    .output("color", "float4", "Location 0")
    .text();
    let lab = Lab::new(&[c"VK_KHR_shader_quad_control", c"VK_KHR_shader_maximal_reconvergence"]);
    let triangle =
        [[-1.0, -0.9], [0.7, 1.0], [-0.8, 1.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [1.0; 4]]).to_vec();
    let shown = lab.draw_both(&Scene::new(&passing(), &passed_on(), &triangle));
    let scene = Scene::new(&passing(), &fragment, &triangle);
    let picture = lab.draw_both(&scene);
    let covered = |x: u32, y: u32| shown.at(0, x, y)[3] == 1.0;
    let mut kinds = [0; 2];
    for (x, y) in (0..SIZE).flat_map(|y| (0..8).map(move |x| (x, y))).filter(|&(x, y)| covered(x, y)) {
        let of_quad =
            [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(right, down)| covered(x & !1 | right, y & !1 | down));
        let has_helpers = of_quad.contains(&false);
        kinds[usize::from(has_helpers)] += 1;
        let slope = y as f32 + 0.5;
        let expected = [f32::from(u8::from(has_helpers)), f32::from(u8::from(!has_helpers)), slope, 1.0];
        assert_eq!(picture.at(0, x, y), expected, "{x} {y}");
    }
    assert!(kinds[0] > 8 && kinds[1] > 8, "{kinds:?}");
}
