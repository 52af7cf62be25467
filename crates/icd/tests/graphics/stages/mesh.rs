//! Task and mesh stages. The shaders lie as GLSL beside their assembly in `shaders`.

use pyro_test_kit::scene::{Lab, Picture, SIZE, Scene, With};
use std::ffi::CStr;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtMeshShaderExtensionDeviceCommands as _;
use vulkanalia::vk::NvMeshShaderExtensionDeviceCommands as _;

/// The assembly of a shader.
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("shaders/", $name, ".spvasm"))
    };
}

const MESH: &[&CStr] = &[c"VK_EXT_mesh_shader"];

/// Mesh shaders, perhaps behind a task shader.
fn scene(task: Option<&str>, mesh: &str, fragment: &str) -> Scene {
    let task = task.map(|task| (vk::ShaderStageFlags::TASK_EXT, task.to_owned()));
    let mut scene = Scene::new("", fragment, &[]);
    scene.between = task.into_iter().chain([(vk::ShaderStageFlags::MESH_EXT, mesh.to_owned())]).collect();
    scene
}

fn tiles() -> Scene {
    scene(None, shader!("tiles.mesh"), shader!("tiles.frag"))
}

fn stripes() -> Scene {
    scene(Some(shader!("stripes.task")), shader!("stripes.mesh"), shader!("stripes.frag"))
}

/// Draws workgroups by a pipeline and by shader objects, which must give the same.
fn both(lab: &Lab, scene: &Scene, groups: [u32; 3]) -> Picture {
    let [x, y, z] = groups;
    let draw = |with| {
        lab.draw_by(scene, with, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_ext(commands, x, y, z)
        })
    };
    let picture = draw(With::Pipeline);
    assert_eq!(draw(With::Objects), picture);
    picture
}

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

/// What a pixel of `tiles` has where `across` by `down` workgroups draw it, and the number of its primitive:
/// none on the line between two.
fn tile([x, y]: [u32; 2], [across, down]: [u32; 2], z: f32) -> Option<([f32; 4], u32)> {
    let (width, height) = (SIZE / across, SIZE / down);
    let (column, row) = (x / width, y / height);
    // In halves of pixels, along the diagonal from lower left to upper right.
    let (in_x, in_y) = (2 * (x % width) + 1, 2 * (y % height) + 1);
    let side = in_x * height + in_y * width;
    if side == 2 * width * height {
        return None;
    }
    let number = 2 * (row * across + column) + u32::from(side > 2 * width * height);
    let number_and_id = [(100 + number) as f32, number as f32];
    Some(([(column + 16 * row) as f32, number_and_id[0], number_and_id[1], z], number))
}

#[test]
fn workgroups_draw_their_vertices_and_primitives() {
    let lab = Lab::new(MESH);
    for groups in [[1, 1], [2, 4], [8, 2]] {
        let picture = both(&lab, &tiles(), [groups[0], groups[1], 1]);
        let mut seen = 0;
        for (x, y) in pixels() {
            let Some((expected, _)) = tile([x, y], groups, 1.0) else { continue };
            assert_eq!(picture.at(0, x, y), expected, "{x}, {y} of {groups:?}");
            seen += 1;
        }
        assert!(seen >= 192);
    }
    // Without a workgroup there is nothing.
    assert!(both(&lab, &tiles(), [4, 0, 1]).colors[0].iter().all(|&word| word == 0));
}

#[test]
fn mesh_primitives_are_culled_and_layered() {
    let lab = Lab::new(MESH);
    let mut scene = tiles();
    let cull = 0b0110_1001_0000_1111;
    scene.words = vec![cull, 0];
    let picture = both(&lab, &scene, [4, 2, 1]);
    for (x, y) in pixels() {
        let Some((expected, number)) = tile([x, y], [4, 2], 1.0) else { continue };
        let expected = if cull >> number & 1 != 0 { [0.0; 4] } else { expected };
        assert_eq!(picture.at(0, x, y), expected, "{x}, {y}");
    }
    // Of three columns the last one's layer is none.
    (scene.layers, scene.words) = (3, vec![0, 1]);
    let picture = both(&lab, &scene, [4, 1, 1]);
    for (layer, (x, y)) in (0..3).flat_map(|layer| pixels().map(move |at| (layer, at))) {
        let Some((expected, number)) = tile([x, y], [4, 1], 1.0) else { continue };
        let expected = if number / 2 == layer { expected } else { [0.0; 4] };
        assert_eq!(picture.words_at(0, x, y, layer).map(f32::from_bits), expected, "{x}, {y}, {layer}");
    }
}

#[test]
fn views_are_drawn_each() {
    let lab = Lab::new(MESH);
    let mut scene = tiles();
    (scene.layers, scene.view_mask) = (3, 0b101);
    let picture = both(&lab, &scene, [2, 2, 1]);
    for (layer, (x, y)) in (0..3).flat_map(|layer| pixels().map(move |at| (layer, at))) {
        let Some((expected, _)) = tile([x, y], [2, 2], 1.0 + 16.0 * layer as f32) else { continue };
        let expected = if layer == 1 { [0.0; 4] } else { expected };
        assert_eq!(picture.words_at(0, x, y, layer).map(f32::from_bits), expected, "{x}, {y}, {layer}");
    }
}

#[test]
fn tasks_start_workgroups_in_order() {
    let lab = Lab::new(MESH);
    let mut scene = stripes();
    for counts in [&[1, 0, 3, 9, 2][..], &[0, 0], &[16], &[5, 16, 1, 0]] {
        scene.words = [&[0], counts].concat();
        let picture = both(&lab, &scene, [counts.len() as u32, 1, 1]);
        assert_eq!(picture.words[0], counts.len() as u32, "each task runs once");
        for (x, y) in pixels() {
            // The last workgroup that begins at this row or above, of the last task that has one.
            let last = (0..).zip(counts).filter(|&(_, &count)| count > 0).last();
            let expected = last.map_or([0.0; 4], |(task, &count)| {
                let group = (count - 1).min(y);
                [task as f32, group as f32, 496.0, task as f32 + 0.75]
            });
            assert_eq!(picture.at(0, x, y), expected, "{x}, {y} of {counts:?}");
        }
    }
}

#[test]
fn excessive_mesh_output_counts_are_clamped() {
    let lab = Lab::new(MESH);
    let mut scene = tiles();
    // More vertices and primitives than the shader may have: those that it may have are drawn.
    for more in [1, 1000, u32::MAX - 8] {
        scene.words = vec![0, 0, more];
        let picture = both(&lab, &scene, [2, 2, 1]);
        assert!(pixels().all(|(x, y)| {
            tile([x, y], [2, 2], 1.0).is_none_or(|(expected, _)| picture.at(0, x, y) == expected)
        }));
    }
    let mut scene = stripes();
    scene.words = vec![0, u32::MAX, 2, u32::MAX];
    let picture = both(&lab, &scene, [3, 1, 1]);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y)[0] == 1.0));
}

#[test]
fn points_and_indices_of_nothing() {
    let lab = Lab::new(MESH);
    let scene = scene(None, shader!("marks.mesh"), shader!("marks.frag"));
    let picture = both(&lab, &scene, [SIZE - 1, 1, 1]);
    for (x, y) in pixels() {
        // The primitive that names vertex 16 is the one that would have named vertex 8.
        let is_there = y < SIZE - 1 && x != 8;
        let expected = if is_there { [x as f32, y as f32, 0.0, 1.0] } else { [0.0; 4] };
        assert_eq!(picture.at(0, x, y), expected, "{x}, {y}");
    }
}

#[test]
fn memory_says_how_many_workgroups() {
    let lab = Lab::new(MESH);
    let scene = tiles();
    // Three draws of three words with another one between, and how many of them count.
    lab.set_parameters(&[1, 1, 1, 0, 2, 2, 1, 0, 4, 4, 1, 0, 2]);
    type Record<'a> = &'a dyn Fn(&Device, vk::CommandBuffer);
    let buffer = lab.parameters();
    let all: Record<'_> =
        &|device, commands| unsafe { device.cmd_draw_mesh_tasks_indirect_ext(commands, buffer, 0, 3, 16) };
    let counted: Record<'_> = &|device, commands| unsafe {
        device.cmd_draw_mesh_tasks_indirect_count_ext(commands, buffer, 0, buffer, 48, 3, 16);
    };
    let limited: Record<'_> = &|device, commands| unsafe {
        device.cmd_draw_mesh_tasks_indirect_count_ext(commands, buffer, 0, buffer, 48, 1, 16);
    };
    for (record, groups, draw) in [(all, 4, 2), (counted, 2, 1), (limited, 1, 0)] {
        for with in [With::Pipeline, With::Objects] {
            let picture = lab.draw_by(&scene, with, record);
            for (x, y) in pixels() {
                let Some((expected, _)) = tile([x, y], [groups, groups], 1.0 + draw as f32) else { continue };
                assert_eq!(picture.at(0, x, y), expected, "{x}, {y} of {groups}");
            }
        }
    }
}

#[test]
fn queries_count_workgroups_and_primitives() {
    let lab = Lab::new(MESH);
    let pool = |kind, statistics| unsafe {
        let info = vk::QueryPoolCreateInfo::builder()
            .query_type(kind)
            .query_count(1)
            .pipeline_statistics(statistics);
        lab.device.create_query_pool(&info, None).expect("a pool")
    };
    let (task, mesh) = (
        vk::QueryPipelineStatisticFlags::TASK_SHADER_INVOCATIONS_EXT,
        vk::QueryPipelineStatisticFlags::MESH_SHADER_INVOCATIONS_EXT,
    );
    let generated =
        pool(vk::QueryType::MESH_PRIMITIVES_GENERATED_EXT, vk::QueryPipelineStatisticFlags::empty());
    let statistics = pool(
        vk::QueryType::PIPELINE_STATISTICS,
        task | mesh | vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS,
    );
    let mut scene = stripes();
    scene.words = vec![0, 2, 0, 3];
    let draw = |device: &Device, commands| unsafe {
        device.cmd_draw_mesh_tasks_ext(commands, 3, 1, 1);
    };
    let pools = [generated, statistics];
    for pool in pools {
        unsafe { lab.device.reset_query_pool(pool, 0, 1) };
    }
    lab.draw_by(&scene, With::Pipeline, |device, commands| unsafe {
        let flags = vk::QueryControlFlags::empty();
        pools.iter().for_each(|&pool| device.cmd_begin_query(commands, pool, 0, flags));
        draw(device, commands);
        pools.iter().for_each(|&pool| device.cmd_end_query(commands, pool, 0));
    });
    let results = |pool, count: usize| unsafe {
        let mut bytes = vec![0; 8 * count];
        let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
        lab.device.get_query_pool_results(pool, 0, 1, &mut bytes, 8, flags).expect("results");
        let words = bytes.as_chunks().0.iter().map(|&word| u64::from_ne_bytes(word));
        words.collect::<Vec<u64>>()
    };
    assert_eq!(results(generated, 1), [5 * 2]);
    // Primitives at clipping, then task and mesh invocations.
    assert_eq!(results(statistics, 3), [5 * 2, 3 * 32, 5 * 32]);
    pools.iter().for_each(|&pool| unsafe { lab.device.destroy_query_pool(pool, None) });
}

#[test]
fn the_older_extension_draws_the_same_way() {
    let lab = Lab::new(&[c"VK_NV_mesh_shader"]);
    let scene = scene(Some(shader!("lines_nv.task")), shader!("lines_nv.mesh"), shader!("lines_nv.frag"));
    // Tasks from `first` on, of which each draws every second row from its own number on.
    let expect = |picture: &Picture, tasks: std::ops::Range<u32>| {
        for (x, y) in pixels() {
            let task = tasks.clone().find(|task| y >= *task && (y - task) % 2 == 0 && y - task < 8);
            let expected = task.map_or([0.0; 4], |_| [y as f32, 3.0, 7.0, y as f32]);
            assert_eq!(picture.at(0, x, y), expected, "{x}, {y} of {tasks:?}");
        }
    };
    for with in [With::Pipeline, With::Objects] {
        for (first, count) in [(0, 1), (0, 2), (3, 1), (5, 4)] {
            let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
                device.cmd_draw_mesh_tasks_nv(commands, count, first);
            });
            expect(&picture, first..first + count);
        }
        lab.set_parameters(&[1, 6, 2, 1, 2]);
        let buffer = lab.parameters();
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_indirect_nv(commands, buffer, 8, 1, 8);
        });
        expect(&picture, 1..3);
        let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_indirect_count_nv(commands, buffer, 0, buffer, 16, 1, 8);
        });
        expect(&picture, 6..7);
    }
}

#[test]
fn mesh_outputs_per_view_differ() {
    let lab = Lab::new(&[c"VK_NV_mesh_shader"]);
    let mut scene = scene(None, shader!("views_nv.mesh"), shader!("views_nv.frag"));
    let draw = |scene: &Scene| {
        lab.draw_by(scene, With::Pipeline, |device, commands| unsafe {
            device.cmd_draw_mesh_tasks_nv(commands, 1, 0);
        })
    };
    // The view's number says how wide the rectangle is, and that of view 2 has no lower half.
    let pixel = |view: u32, x: u32, y: u32| {
        let is_drawn = x < 4 * (view + 1) && (view != 2 || y < SIZE / 2);
        // The second triangle lies behind the diagonal from lower left to upper right.
        let width = 4 * (view + 1);
        let side = (2 * x + 1) * SIZE + (2 * y + 1) * width;
        let on_line = side == 2 * width * SIZE;
        let number = if side > 2 * width * SIZE { 100.0 } else { 0.0 };
        let color = [10.0 + view as f32, 1.0, 7.0, number + view as f32];
        (!on_line).then_some(if is_drawn { color } else { [0.0; 4] })
    };
    (scene.layers, scene.view_mask) = (4, 0b1101);
    let picture = draw(&scene);
    let mut seen = 0;
    for (layer, (x, y)) in (0..4).flat_map(|layer| pixels().map(move |at| (layer, at))) {
        let expected = if layer == 1 { Some([0.0; 4]) } else { pixel(layer, x, y) };
        let Some(expected) = expected else { continue };
        let found = picture.words_at(0, x, y, layer).map(f32::from_bits);
        assert_eq!(found, expected, "{x}, {y}, {layer}");
        seen += u32::from(expected[0] != 0.0);
    }
    assert!(seen > 350, "{seen}");
    // Without views the first value counts, whose layer is 1.
    (scene.layers, scene.view_mask) = (2, 0);
    let picture = draw(&scene);
    for (layer, (x, y)) in (0..2).flat_map(|layer| pixels().map(move |at| (layer, at))) {
        let expected = if layer == 0 { Some([0.0; 4]) } else { pixel(0, x, y) };
        let Some(expected) = expected else { continue };
        let found = picture.words_at(0, x, y, layer).map(f32::from_bits);
        assert_eq!(found, expected, "{x}, {y}, {layer} without views");
    }
}

#[test]
fn pipelines_of_other_stages_are_refused() {
    let lab = Lab::new(MESH);
    // A task shader alone, and a mesh shader behind a vertex shader.
    let mut alone = stripes();
    alone.between.truncate(1);
    assert!(lab.try_pipeline(&alone).is_err());
    let mut mixed = tiles();
    mixed.vertex = super::assembly::passing();
    assert!(lab.try_pipeline(&mixed).is_err());
}

#[test]
fn mesh_limits_meet_the_required_minimums() {
    let lab = Lab::new(MESH);
    let mut limits = vk::PhysicalDeviceMeshShaderPropertiesEXT::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut limits);
    unsafe {
        let device = lab.instance.enumerate_physical_devices().expect("devices")[0];
        lab.instance.get_physical_device_properties2(device, &mut properties);
    }
    assert!(
        limits.max_task_work_group_total_count >= 1 << 22 && limits.max_task_work_group_invocations >= 128
    );
    assert!(
        limits.max_mesh_work_group_total_count >= 1 << 22 && limits.max_mesh_work_group_invocations >= 128
    );
    assert!(limits.max_task_payload_size >= 16384 && limits.max_task_shared_memory_size >= 32768);
    assert!(limits.max_mesh_output_vertices >= 256 && limits.max_mesh_output_primitives >= 256);
    assert!(limits.max_mesh_output_components >= 128 && limits.max_mesh_output_memory_size >= 32768);
    assert!(limits.max_mesh_payload_and_output_memory_size >= 48128 && limits.max_mesh_output_layers >= 8);
}

/// The same while a debugger follows every invocation.
#[test]
fn task_and_mesh_shaders_are_traced() {
    if !pyro_test_environment::in_child(module_path!(), "task_and_mesh_shaders_are_traced", &[]) {
        return;
    }
    let stages = crate::traced::stages(tasks_start_workgroups_in_order);
    for stage in ["task", "mesh", "fragment"] {
        assert!(stages.contains(stage), "{stage}: {stages:?}");
    }
}

/// Primitives of meshes say how large their fragments are (`primitiveFragmentShadingRateMeshShader`).
#[test]
fn primitives_of_meshes_have_shading_rates() {
    let lab = Lab::new(MESH);
    // Two pixels in each direction.
    let mesh = shader!("tiles.mesh")
        .replace(
            "%int_1 = OpConstant %int 1\n",
            "%int_1 = OpConstant %int 1\n%rate_member = OpConstant %int 4\n%rate = OpConstant %int 5\n",
        )
        .replace(
            "%141 = OpAccessChain",
            "%rate_at = OpAccessChain %_ptr_Output_int %gl_MeshPrimitivesEXT %134 %rate_member
            OpStore %rate_at %rate
            %141 = OpAccessChain",
        );
    assert!(mesh.contains("%rate_at") && mesh.contains("%rate_member ="));
    let mut scene = scene(None, &mesh, &super::rates::seeing());
    for (first, expected) in [
        (vk::FragmentShadingRateCombinerOpKHR::KEEP, 0.0),
        (vk::FragmentShadingRateCombinerOpKHR::REPLACE, 5.0),
    ] {
        scene.state.combiners = [first, vk::FragmentShadingRateCombinerOpKHR::KEEP];
        for with in [With::Pipeline, With::Objects] {
            let picture = lab.draw_by(&scene, with, |device, commands| unsafe {
                device.cmd_draw_mesh_tasks_ext(commands, 1, 1, 1)
            });
            assert!(pixels().all(|(x, y)| picture.at(0, x, y)[2] == expected), "{first:?} {with:?}");
        }
    }
}

/// Four invocations in a row are a quad of derivatives (`meshAndTaskShaderDerivatives`).
#[test]
fn invocations_of_meshes_have_derivatives() {
    let lab = Lab::new(&[c"VK_EXT_mesh_shader", c"VK_KHR_compute_shader_derivatives"]);
    let mesh = shader!("tiles.mesh")
        .replace(
            "OpCapability MeshShadingEXT",
            "OpCapability MeshShadingEXT\nOpCapability ComputeDerivativeGroupLinearKHR",
        )
        .replace(
            "OpExtension \"SPV_EXT_mesh_shader\"",
            "OpExtension \"SPV_EXT_mesh_shader\"\nOpExtension \"SPV_KHR_compute_shader_derivatives\"",
        )
        .replace(
            "OpExecutionMode %main OutputVertices 4",
            "OpExecutionMode %main DerivativeGroupLinearKHR\nOpExecutionMode %main OutputVertices 4",
        )
        .replace(
            "%91 = OpCompositeConstruct %v4float %89 %90",
            "%lane = OpConvertUToF %float %78
            %across = OpDPdx %float %lane
            %down = OpDPdy %float %lane
            %91 = OpCompositeConstruct %v4float %across %down",
        );
    assert!(mesh.contains("%across %down") && mesh.contains("DerivativeGroupLinearKHR"));
    let scene = scene(None, &mesh, &super::assembly::passed_on());
    let picture = both(&lab, &scene, [1, 1, 1]);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y) == [1.0, 2.0, 0.0, 0.0]));
}
