//! `VK_EXT_opacity_micromap`: rays of pipelines skip what is transparent, and any-hit shaders run for what is
//! unknown only.

use super::*;

const FORCE_2_STATE: u32 = 0x400;

/// A scene of one triangle in front of all rays: opaque or not, or of one state by a special index.
fn scene(rays: &Rays, opaque: bool, special_index: Option<i32>) -> Structure {
    let index = special_index.map_or(0, |index| rays.data(&[index as u32]));
    let mut map = vk::AccelerationStructureTrianglesOpacityMicromapEXT {
        index_type: vk::IndexType::UINT32,
        index_buffer: at(index),
        index_stride: 4,
        ..Default::default()
    };
    let mut geometry = rays.triangles(&[0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0, 4.0, 0.0], &[]);
    if special_index.is_some() {
        geometry.geometry.triangles.next = (&raw mut map).cast::<std::ffi::c_void>().cast_const();
    }
    if opaque {
        geometry.flags = vk::GeometryFlagsKHR::OPAQUE;
    }
    let (_, reference) = rays.build(StructureType::BOTTOM_LEVEL, geometry, 1);
    let rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    rays.instances(&[Instance { rows, custom_index: 0, hit_offset: 0, reference }])
}

#[test]
fn opacity_micromaps_decide_which_shaders_run() {
    let mut features = vk::PhysicalDeviceOpacityMicromapFeaturesEXT::builder().micromap(true);
    let rays = Rays::with(&[c"VK_EXT_opacity_micromap"], (&raw mut features).cast());
    let flag = vk::PipelineCreateFlags::RAY_TRACING_OPACITY_MICROMAP_EXT;
    let pipeline = rays.pipeline_of(&SHADERS, &GROUPS, flag, &[]).expect("a pipeline");
    let tables = rays.tables(&rays.handles(pipeline));
    let trace = |scene, flags| rays.trace(pipeline, scene, flags, tables);
    let none = rays.instances(&[]);
    let [opaque, not_opaque] = [true, false].map(|opaque| scene(&rays, opaque, None));
    let [of_none, of_opaque, of_not_opaque] = [none, opaque, not_opaque].map(|scene| trace(scene, 0));
    assert!(of_none != of_opaque && of_opaque != of_not_opaque && of_none != of_not_opaque);
    for geometry_opaque in [false, true] {
        let mapped = |index| scene(&rays, geometry_opaque, Some(index));
        for (index, expected, expected_of_two) in [
            (-1, &of_none, &of_none),
            (-2, &of_opaque, &of_opaque),
            (-3, &of_not_opaque, &of_none),
            (-4, &of_not_opaque, &of_opaque),
        ] {
            let scene = mapped(index);
            assert!(trace(scene, 0) == *expected, "index {index}");
            assert!(trace(scene, FORCE_2_STATE) == *expected_of_two, "index {index}, two states");
        }
    }
}
