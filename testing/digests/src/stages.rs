//! Pictures by the stages between vertices and fragments: tessellation, geometry shaders, tasks and meshes.

use crate::canonical;
use pyro_random::Random;
use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;

/// The assembly of a shader of the tests of stages, whose GLSL lies beside it.
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("../../../crates/icd/tests/graphics/stages/", $name, ".spvasm"))
    };
}

const SPACINGS: [&str; 3] = ["SpacingEqual", "SpacingFractionalEven", "SpacingFractionalOdd"];

/// Vertices of two vectors: places around the target, and colours.
fn vertices(random: &mut Random, count: usize) -> Vec<[[f32; 4]; 2]> {
    let vertex = |random: &mut Random| {
        let place = [random.float(-1.5, 1.5), random.float(-1.5, 1.5), random.float(-0.25, 1.25)];
        let w = if random.one_in(8) { random.float(-0.5, 2.0) } else { 1.0 };
        let color = std::array::from_fn(|_| random.float(0.0, 1.0));
        [[place[0], place[1], place[2], w], color]
    };
    (0..count).map(|_| vertex(random)).collect()
}

/// Samples, blending, depth and other formats, by chance.
fn vary(scene: &mut Scene, random: &mut Random) {
    scene.state.samples = random.pick(&[1, 1, 2, 4, 8, 16]);
    scene.state.depth_test = random.one_in(2);
    scene.state.depth_write = true;
    scene.state.depth_compare =
        random.pick(&[vk::CompareOp::LESS, vk::CompareOp::GREATER_OR_EQUAL, vk::CompareOp::ALWAYS]);
    if random.one_in(2) {
        scene.state.blend.blend_enable = vk::TRUE;
        scene.state.blend.src_color_blend_factor = vk::BlendFactor::SRC_ALPHA;
        scene.state.blend.dst_color_blend_factor =
            random.pick(&[vk::BlendFactor::ONE, vk::BlendFactor::ONE_MINUS_SRC_ALPHA]);
        scene.state.blend.dst_alpha_blend_factor = vk::BlendFactor::ONE;
    }
    scene.clear = std::array::from_fn(|_| random.float(0.0, 1.0));
}

/// Patches of four control points with random levels.
fn patches(random: &mut Random) -> Scene {
    let (evaluation, name) = match random.one_in(2) {
        true => (shader!("shaders/quads.tese"), "Quads"),
        false => (shader!("shaders/triangles.tese"), "Triangles"),
    };
    let count = 4 * (1 + random.below(3_usize));
    let mut scene = Scene::new(shader!("geometry/pass.vert"), COLOR, &vertices(random, count));
    let spacing = random.pick(&SPACINGS);
    let mut evaluation = evaluation.replace("SpacingEqual", spacing);
    if random.one_in(4) {
        evaluation = evaluation.replace(
            &format!("OpExecutionMode %main {name}"),
            &format!("OpExecutionMode %main PointMode\nOpExecutionMode %main {name}"),
        );
    }
    scene.between = vec![
        (vk::ShaderStageFlags::TESSELLATION_CONTROL, shader!("shaders/patch.tesc").to_owned()),
        (vk::ShaderStageFlags::TESSELLATION_EVALUATION, evaluation),
    ];
    scene.state.topology = vk::PrimitiveTopology::PATCH_LIST;
    scene.state.patch_vertices = 4;
    scene.state.lower_left = random.one_in(2);
    let level = |random: &mut Random| {
        let large = random.one_in(5);
        random.float(0.5, if large { 20.0 } else { 5.0 }).to_bits()
    };
    scene.words = [0].into_iter().chain((0..6).map(|_| level(random))).collect();
    vary(&mut scene, random);
    scene
}

/// Triangles that a geometry shader makes strips of, or points.
fn geometry(random: &mut Random) -> Scene {
    let count = 3 * (1 + random.below(16_usize));
    let mut scene = Scene::new(
        shader!("geometry/pass.vert"),
        shader!("geometry/primitive.frag"),
        &vertices(random, count),
    );
    scene.between = vec![(vk::ShaderStageFlags::GEOMETRY, shader!("geometry/strips.geom").to_owned())];
    scene.state.topology = random.pick(&[
        vk::PrimitiveTopology::TRIANGLE_LIST,
        vk::PrimitiveTopology::TRIANGLE_STRIP,
        vk::PrimitiveTopology::TRIANGLE_FAN,
    ]);
    vary(&mut scene, random);
    scene
}

/// Mesh shaders, perhaps behind a task shader, and their workgroups.
fn meshes(random: &mut Random) -> (Scene, [u32; 3]) {
    let has_task = random.one_in(2);
    let fragment = if has_task { shader!("shaders/stripes.frag") } else { shader!("shaders/tiles.frag") };
    let mut scene = Scene::new("", fragment, &[]);
    let mesh = if has_task { shader!("shaders/stripes.mesh") } else { shader!("shaders/tiles.mesh") };
    let task = (vk::ShaderStageFlags::TASK_EXT, shader!("shaders/stripes.task").to_owned());
    let mesh = (vk::ShaderStageFlags::MESH_EXT, mesh.to_owned());
    scene.between = has_task.then_some(task).into_iter().chain([mesh]).collect();
    vary(&mut scene, random);
    if has_task {
        let tasks = 1 + random.below(8_u32);
        scene.words = [0].into_iter().chain((0..tasks).map(|_| random.below(SIZE + 1))).collect();
        return (scene, [tasks, 1, 1]);
    }
    scene.words = vec![random.word() & random.word(), 0, 0];
    (scene, [1 + random.below(6_u32), 1 + random.below(6_u32), 1])
}

/// A fragment shader whose colour is the vector of location 0.
const COLOR: &str = "; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %passed %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %passed Location 0
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%in_v4 = OpTypePointer Input %v4
%out_v4 = OpTypePointer Output %v4
%passed = OpVariable %in_v4 Input
%out = OpVariable %out_v4 Output
%main = OpFunction %void None %fn
%entry = OpLabel
%color = OpLoad %v4 %passed
OpStore %out %color
OpReturn
OpFunctionEnd
";

/// The bytes of colour, depth and stencil. What shaders noted in the buffer is in any order.
pub(crate) fn bytes(picture: &Picture) -> Vec<u8> {
    let colors = picture.colors.iter().flatten().map(|&word| canonical(word));
    let depth = picture.depth.iter().map(|depth| depth.to_bits());
    let words = colors.chain(depth).flat_map(u32::to_le_bytes);
    words.chain(picture.stencil.iter().copied()).collect()
}

/// A device for them.
pub(crate) fn lab() -> Lab {
    Lab::new(&EXTENSIONS)
}

/// What the scenes need of a device.
pub const EXTENSIONS: [&std::ffi::CStr; 1] = [c"VK_EXT_mesh_shader"];

/// A random scene, how it is drawn, and its workgroups where it has mesh shaders.
pub fn scene(random: &mut Random) -> (Scene, With, Option<[u32; 3]>) {
    let with = if random.one_in(2) { With::Pipeline } else { With::Objects };
    match random.below(3) {
        0 => (patches(random), with, None),
        1 => (geometry(random), with, None),
        _ => {
            let (scene, groups) = meshes(random);
            (scene, with, Some(groups))
        }
    }
}

/// Draws a scene with so many workgroups, or all its vertices.
///
/// # Errors
/// As of [`Lab::try_draw_by`].
pub fn draw_scene(
    lab: &Lab,
    scene: &Scene,
    with: With,
    groups: Option<[u32; 3]>,
) -> Result<Picture, vk::ErrorCode> {
    lab.try_draw_by(scene, with, |device, commands| {
        // SAFETY: the command buffer is being recorded, with all state that the draw needs.
        unsafe {
            match groups {
                Some([x, y, z]) => device.cmd_draw_mesh_tasks_ext(commands, x, y, z),
                None => device.cmd_draw(commands, scene.vertices.len() as u32, 1, 0, 0),
            }
        }
    })
}

/// The picture of a number, by a pipeline or by shader objects.
pub(crate) fn draw(lab: &Lab, number: u64) -> Vec<u8> {
    let (scene, with, groups) = scene(&mut Random::new(number));
    bytes(&draw_scene(lab, &scene, with, groups).expect("a picture"))
}
