//! `VK_NV_ray_tracing_motion_blur`: vertices and instances are where they are at the ray's time.
//!
//! The shaders are made of `motion.glsl`, each with its stage's name defined.

use super::*;

const SHADERS: [(Stages, &str); 5] = [
    (Stages::RAYGEN_KHR, include_str!("motion.rgen.spvasm")),
    (Stages::MISS_KHR, include_str!("motion.rmiss.spvasm")),
    (Stages::CLOSEST_HIT_KHR, include_str!("motion.rchit.spvasm")),
    (Stages::ANY_HIT_KHR, include_str!("motion.rahit.spvasm")),
    (Stages::INTERSECTION_KHR, include_str!("motion.rint.spvasm")),
];
const GROUPS: [[u32; 4]; 4] =
    [[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED], [UNUSED, 2, 3, UNUSED], [UNUSED, 2, 3, 4]];
/// Words that an invocation writes.
const WORDS: usize = 6;
/// Columns: vertices that move, a matrix, scale and rotation, a box with a matrix, nothing that moves, and
/// nothing at all. Rows: times, in eighths.
const SIZE: [u32; 2] = [6, 9];

const MATRIX: u32 = 1;
const SCALE_ROTATE_TRANSLATE: u32 = 2;
/// Words of a `VkAccelerationStructureMotionInstanceNV` in an array.
const INSTANCE_WORDS: usize = 40;

fn words(floats: &[f32]) -> Vec<u32> {
    floats.iter().map(|value| value.to_bits()).collect()
}

fn at_column(column: u32, z: f32) -> Transform {
    [[1.0, 0.0, 0.0, 2.0 * column as f32], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, z]]
}

/// `VkSRTDataNV`: turned about the middle of a square of unit size by an angle around z, at a height.
fn turned(column: u32, angle: f32, z: f32) -> [f32; 16] {
    let (sin, cos) = (angle / 2.0).sin_cos();
    let x = 2.0 * column as f32 + 0.5;
    [1.0, 0.0, 0.0, -0.5, 1.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0, sin, cos, x, 0.5, z]
}

/// An instance: its type, its maps, and its structure.
fn instance(ty: u32, maps: &[f32], custom_index: u32, hit_offset: u32, reference: u64) -> Vec<u32> {
    let mut all = vec![ty, 0];
    all.extend(words(maps));
    all.extend([custom_index | 0xff << 24, hit_offset, reference as u32, (reference >> 32) as u32]);
    assert!(all.len() <= INSTANCE_WORDS);
    all.resize(INSTANCE_WORDS, 0);
    all
}

const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
const MOTION: vk::BuildAccelerationStructureFlagsKHR = vk::BuildAccelerationStructureFlagsKHR::MOTION_NV;

/// The scene; its instances in an array, or behind pointers whose low bits have the types.
fn scene(rays: &Rays, are_pointers: bool) -> Structure {
    let bottom = |geometry, count, flags| {
        rays.build_flagged(StructureType::BOTTOM_LEVEL, &[geometry], &[count], flags).1
    };
    let still = bottom(rays.triangles(&SQUARE, &[0, 1, 2, 0, 2, 3]), 2, Default::default());
    let cube = bottom(rays.boxes(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), 1, Default::default());
    // From height 0 to 4.
    let mut end = SQUARE;
    end.iter_mut().skip(2).step_by(3).for_each(|z| *z = 4.0);
    let motion = vk::AccelerationStructureGeometryMotionTrianglesDataNV {
        vertex_data: at(rays.floats(&end)),
        ..Default::default()
    };
    let mut rising = rays.triangles(&SQUARE, &[0, 1, 2, 0, 2, 3]);
    rising.geometry.triangles.next = (&raw const motion).cast();
    let rising = bottom(rising, 2, MOTION);
    let both = |start: Transform, end: Transform| [start, end].as_flattened().as_flattened().to_vec();
    let srt = [turned(2, 0.0, 1.0), turned(2, 2.0, 3.0)];
    let instances = [
        (0, instance(0, at_column(0, 0.0).as_flattened(), 0, 0, rising)),
        (MATRIX, instance(MATRIX, &both(at_column(1, 0.0), at_column(1, 8.0)), 1, 0, still)),
        (SCALE_ROTATE_TRANSLATE, instance(SCALE_ROTATE_TRANSLATE, srt.as_flattened(), 2, 0, still)),
        (MATRIX, instance(MATRIX, &both(at_column(3, 1.0), at_column(3, 5.0)), 3, 1, cube)),
        (0, instance(0, at_column(4, 7.0).as_flattened(), 4, 0, still)),
    ];
    let count = instances.len() as u32;
    let data = if are_pointers {
        let pointers = instances.iter().map(|(ty, words)| rays.data(&words[2..]) | u64::from(*ty));
        rays.data(&pointers.flat_map(|one| [one as u32, (one >> 32) as u32]).collect::<Vec<_>>())
    } else {
        rays.data(&instances.into_iter().flat_map(|(_, words)| words).collect::<Vec<_>>())
    };
    let geometry = vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::INSTANCES,
        geometry: vk::AccelerationStructureGeometryDataKHR {
            instances: vk::AccelerationStructureGeometryInstancesDataKHR {
                data: at(data),
                array_of_pointers: are_pointers.into(),
                ..Default::default()
            },
        },
        ..Default::default()
    };
    rays.build_flagged(StructureType::TOP_LEVEL, &[geometry], &[count], MOTION).0
}

/// What an invocation is to write.
fn expected(column: u32, time: f32) -> [f32; WORDS] {
    let of_map =
        |hit: f32, turned: f32, z: f32| [20.0 - z, time, hit + 100.0 * time, hit, turned, 20.0 - hit];
    match column {
        0 => of_map(0.0, 1.0, 4.0 * time),
        1 => of_map(8.0 * time, 1.0, 8.0 * time),
        2 => {
            let z = 1.0 + 2.0 * time;
            // Quaternions are interpolated component by component, and then have unit length.
            let (start, end) = ([0.0, 1.0], [1.0f32.sin(), 1.0f32.cos()]);
            let [sin, cos] = [0, 1].map(|part: usize| start[part] * (1.0 - time) + end[part] * time);
            of_map(z, (cos * cos - sin * sin) / (cos * cos + sin * sin), z)
        }
        3 => {
            let z = 1.0 + 4.0 * time;
            of_map(z, 1.0, z + 0.5)
        }
        4 => of_map(7.0, 1.0, 7.0),
        _ => [-1.0, time, -1.0, -1.0, -1.0, -1.0],
    }
}

#[test]
fn what_moves_is_where_it_is_at_the_rays_time() {
    let rays = Rays::new();
    let motion = vk::PipelineCreateFlags::RAY_TRACING_ALLOW_MOTION_NV;
    let pipeline = rays.pipeline_of(&SHADERS, &GROUPS, motion, &[]).expect("a pipeline");
    let handles = rays.handles_of(pipeline, GROUPS.len());
    let table = |groups: &[usize]| {
        let words: Vec<u32> = groups.iter().flat_map(|&group| handles[group]).collect();
        let stride = 4 * HANDLE_WORDS as u64;
        Region { device_address: rays.data(&words), stride, size: groups.len() as u64 * stride }
    };
    let [raygen, miss, hit] = [table(&[0]), table(&[1]), table(&[2, 3])];
    let device = &rays.context.device;
    for are_pointers in [false, true] {
        let scene = scene(&rays, are_pointers);
        // A serialized structure moves as the one that it was made of does.
        for scene in [scene, rays.through_memory(scene, StructureType::TOP_LEVEL)] {
            let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
                let [x, y] = SIZE;
                device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &Region::default(), x, y, 1);
            });
            for row in 0..SIZE[1] {
                for column in 0..SIZE[0] {
                    let first = WORDS * (column + SIZE[0] * row) as usize;
                    let (found, expected) = (&found[first..][..WORDS], expected(column, row as f32 / 8.0));
                    let is_near =
                        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4 * (1.0 + b.abs()));
                    assert!(is_near, "column {column} at {row}/8: {found:?} instead of {expected:?}");
                }
            }
        }
    }
}

/// Without the pipeline's flag, and in rays without a time, all is where it is at time 0.
#[test]
fn rays_without_a_time_see_the_beginning() {
    let rays = Rays::new();
    let raygen = super::SHADERS[0].1;
    assert!(!raygen.contains("TraceRayMotion"), "its rays have no time");
    let pipeline = rays.whole();
    let tables = rays.tables(&rays.handles(pipeline));
    let (_, square) = {
        let mut end = SQUARE;
        end.iter_mut().skip(2).step_by(3).for_each(|z| *z = 9.0);
        let motion = vk::AccelerationStructureGeometryMotionTrianglesDataNV {
            vertex_data: at(rays.floats(&end)),
            ..Default::default()
        };
        let mut square = rays.triangles(&SQUARE, &[0, 1, 2, 0, 2, 3]);
        square.geometry.triangles.next = (&raw const motion).cast();
        rays.build_flagged(StructureType::BOTTOM_LEVEL, &[square], &[2], MOTION)
    };
    let identity = at_column(0, 0.0);
    let one = Instance { rows: identity, custom_index: 100, hit_offset: 0, reference: square };
    let scene = rays.instances(&[one]);
    let found = rays.trace(pipeline, scene, 1, tables);
    // Opaque, the first column's rays meet the square at height 0.
    assert_eq!(found[1], 5.0);
}
