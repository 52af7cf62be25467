//! Invocations of one command and of one primitive, whatever subgroups they are in.

use super::assembly::Shader;
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;

/// Hands `DrawIndex` on.
fn numbering() -> String {
    Shader {
        capabilities: "OpCapability DrawParameters",
        extensions: "OpExtension \"SPV_KHR_shader_draw_parameters\"",
        interface: "%place %position %draw %number",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %position BuiltIn Position
                      OpDecorate %draw BuiltIn DrawIndex
                      OpDecorate %number Location 0",
        globals: "%place = OpVariable %in_v4 Input
                  %position = OpVariable %out_v4 Output
                  %draw = OpVariable %in_int Input
                  %number = OpVariable %out_int Output",
        body: "%p = OpLoad %v4 %place
               OpStore %position %p
               %d = OpLoad %int %draw
               OpStore %number %d",
        ..Shader::default()
    }
    .vertex()
}

/// The number, the sum of all below it (a loop that each command's fragments leave together), whether the
/// subgroup has one number only, and the differences of the number within a quad.
fn summing() -> String {
    Shader {
        capabilities: "OpCapability GroupNonUniform\nOpCapability GroupNonUniformVote",
        interface: "%number %out",
        decorations: "OpDecorate %number Location 0
                      OpDecorate %number Flat
                      OpDecorate %out Location 0",
        globals: "%number = OpVariable %in_int Input
                  %out = OpVariable %out_v4 Output
                  %fn_int = OpTypePointer Function %int",
        body: "%count = OpVariable %fn_int Function
               %sum = OpVariable %fn_int Function
               %d = OpLoad %int %number
               OpStore %count %i0
               OpStore %sum %i0
               OpBranch %head
               %head = OpLabel
               OpLoopMerge %done %next None
               OpBranch %test
               %test = OpLabel
               %c = OpLoad %int %count
               %more = OpSLessThan %bool %c %d
               OpBranchConditional %more %inside %done
               %inside = OpLabel
               %old = OpLoad %int %sum
               %new = OpIAdd %int %old %c
               OpStore %sum %new
               OpBranch %next
               %next = OpLabel
               %following = OpIAdd %int %c %i1
               OpStore %count %following
               OpBranch %head
               %done = OpLabel
               %total = OpLoad %int %sum
               %same = OpGroupNonUniformAllEqual %bool %u3 %d
               %d_float = OpConvertSToF %float %d
               %total_float = OpConvertSToF %float %total
               %same_float = OpSelect %float %same %f1 %f0
               %width = OpFwidth %float %d_float
               %rgba = OpCompositeConstruct %v4 %d_float %total_float %same_float %width
               OpStore %out %rgba",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn draws_and_primitives_have_numbers_of_their_own() {
    let lab = Lab::new(&[]);
    // One small triangle for each draw, in quads of their own.
    let pixel = |draw: u32| [2 * (draw % 8), 2 * (draw / 8) + 1];
    let vertices: Vec<_> = (0..16)
        .flat_map(|draw| [[0.1, 0.1], [0.1, 1.2], [1.2, 0.1]].map(|corner| (draw, corner)))
        .map(|(draw, corner)| {
            let at = |axis: usize| (pixel(draw)[axis] as f32 + corner[axis]) / (SIZE as f32 / 2.0) - 1.0;
            [[at(0), at(1), 0.5, 1.0], [0.0; 4]]
        })
        .collect();
    let mut scene = Scene::new(&numbering(), &summing(), &vertices);
    scene.clear = [-1.0; 4];
    let words: Vec<u32> = (0..16).flat_map(|draw| [3, 1, 3 * draw, 0]).collect();
    lab.set_parameters(&words);
    let check = |scene: &Scene, with, record: &dyn Fn(&Device, vk::CommandBuffer)| {
        let picture = lab.draw_by(scene, with, record);
        let mut alone = 0;
        for number in 0..16 {
            let [x, y] = pixel(number);
            let [found, sum, same, width] = picture.at(0, x, y);
            let expected = [number as f32, (number * number.saturating_sub(1) / 2) as f32, 0.0];
            assert_eq!([found, sum, width], expected, "{number} {with:?}");
            alone += u32::from(same == 1.0);
        }
        assert_eq!(picture.at(0, 1, 1), scene.clear);
        alone
    };
    for with in [With::Pipeline, With::Objects] {
        check(&scene, with, &|device, commands| unsafe {
            device.cmd_draw_indirect(commands, lab.parameters(), 0, 16, 16);
        });
        // Triangles of one draw do share subgroups: what is uniform in a primitive is not so in those.
        let mut primitives = scene.clone();
        primitives.vertex = scene
            .vertex
            .replace("BuiltIn DrawIndex", "BuiltIn VertexIndex")
            .replace("%d = OpLoad %int %draw", "%v = OpLoad %int %draw\n%d = OpSDiv %int %v %three")
            .replace("%number = OpVariable", "%three = OpConstant %int 3\n%number = OpVariable");
        let alone = check(&primitives, with, &|device, commands| unsafe {
            device.cmd_draw(commands, 48, 1, 0, 0);
        });
        assert!(alone < 16, "{with:?}");
    }
}
