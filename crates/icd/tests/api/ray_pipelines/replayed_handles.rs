//! Pipelines whose groups have the handles of another run, beside pipelines without.

use super::*;

type GroupHandle = [u32; HANDLE_WORDS];

/// A pipeline of all stages and groups that have these handles, if there are some.
fn pipeline(rays: &Rays, handles: Option<&[GroupHandle]>) -> Result<vk::Pipeline, vk::ErrorCode> {
    let device = &rays.context.device;
    let modules: Vec<_> = SHADERS.iter().map(|(_, text)| rays.context.shader_module(text)).collect();
    let stages: Vec<_> = SHADERS
        .iter()
        .zip(&modules)
        .map(|((stage, _), module)| {
            vk::PipelineShaderStageCreateInfo::builder().stage(*stage).module(*module).name(b"main\0").build()
        })
        .collect();
    let groups: Vec<_> = GROUPS
        .iter()
        .enumerate()
        .map(|(at, &[general, closest_hit, any_hit, intersection])| vk::RayTracingShaderGroupCreateInfoKHR {
            type_: match (general, intersection) {
                (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
                _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
            },
            general_shader: general,
            closest_hit_shader: closest_hit,
            any_hit_shader: any_hit,
            intersection_shader: intersection,
            shader_group_capture_replay_handle: handles
                .map_or(std::ptr::null(), |handles| (&raw const handles[at]).cast()),
            ..Default::default()
        })
        .collect();
    let info = vk::RayTracingPipelineCreateInfoKHR::builder()
        .flags(vk::PipelineCreateFlags::RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_KHR)
        .stages(&stages)
        .groups(&groups)
        .max_pipeline_ray_recursion_depth(2)
        .layout(rays.layout)
        .build();
    let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
    let made = unsafe { device.create_ray_tracing_pipelines_khr(operation, cache, &[info], None) };
    rays.context.destroy_modules(modules);
    Ok(made?.0[0])
}

/// What is to be given when the pipeline is made again.
fn captured(rays: &Rays, pipeline: vk::Pipeline) -> Vec<GroupHandle> {
    let mut bytes = vec![0; 4 * HANDLE_WORDS * GROUPS.len()];
    let count = GROUPS.len() as u32;
    let device = &rays.context.device;
    unsafe { device.get_ray_tracing_capture_replay_shader_group_handles_khr(pipeline, 0, count, &mut bytes) }
        .expect("handles");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    words.as_chunks().0.to_vec()
}

#[test]
fn groups_have_their_handles_again() {
    let rays = Rays::new();
    let device = &rays.context.device;
    let first = pipeline(&rays, None).expect("a pipeline");
    let (handles, captured) = (rays.handles(first), captured(&rays, first));
    unsafe { device.destroy_pipeline(first, None) };
    // Those in between have other handles, before and after.
    let other = rays.whole();
    let second = pipeline(&rays, Some(&captured)).expect("a pipeline");
    let later = rays.whole();
    assert_eq!(rays.handles(second), handles);
    for strange in [other, later] {
        assert!(rays.handles(strange).iter().all(|handle| !handles.contains(handle)));
    }
    let scene = rays.scene();
    check(&rays.trace(second, scene, 0, rays.tables(&handles)), 0);
    unsafe { device.destroy_pipeline(second, None) };
}
