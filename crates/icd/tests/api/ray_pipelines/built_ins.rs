//! Built-in variables of rays and hits, in every stage that has them, with turned and scaled instances.

use super::*;

const SHADERS: [(Stages, &str); 5] = [
    (Stages::RAYGEN_KHR, include_str!("built_ins.rgen.spvasm")),
    (Stages::MISS_KHR, include_str!("built_ins.rmiss.spvasm")),
    (Stages::CLOSEST_HIT_KHR, include_str!("built_ins.rchit.spvasm")),
    (Stages::ANY_HIT_KHR, include_str!("built_ins.rahit.spvasm")),
    (Stages::INTERSECTION_KHR, include_str!("built_ins.rint.spvasm")),
];
const GROUPS: [[u32; 4]; 4] =
    [[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED], [UNUSED, 2, 3, UNUSED], [UNUSED, 2, 3, 4]];
/// Words that a stage of an invocation writes.
const STAGE_WORDS: usize = 64;
const INTERSECTION: usize = 0;
const ANY_HIT: usize = 1;
const CLOSEST_HIT: usize = 2;
const MISS: usize = 3;

/// Rows of object-to-world transforms and their inverses: quarter turns with three scales.
type Transform = [[f32; 4]; 3];
const TRIANGLES_TO_WORLD: Transform = [[0.0, -2.0, 0.0, 10.0], [4.0, 0.0, 0.0, 20.0], [0.0, 0.0, 0.5, 30.0]];
const WORLD_TO_TRIANGLES: Transform = [[0.0, 0.25, 0.0, -5.0], [-0.5, 0.0, 0.0, 5.0], [0.0, 0.0, 2.0, -60.0]];
const BOX_TO_WORLD: Transform = [[0.0, 0.0, 2.0, -100.0], [0.5, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 8.0]];
const WORLD_TO_BOX: Transform = [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.25, -2.0], [0.5, 0.0, 0.0, 50.0]];
/// The triangle that is hit, in object space.
const VERTICES: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

fn triangles(rays: &Rays, corners: &[f32]) -> vk::AccelerationStructureGeometryKHR {
    let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(rays.floats(corners)),
        vertex_stride: 12,
        max_vertex: corners.len() as u32 / 3 - 1,
        index_type: vk::IndexType::NONE_KHR,
        ..Default::default()
    };
    vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::TRIANGLES,
        geometry: vk::AccelerationStructureGeometryDataKHR { triangles },
        ..Default::default()
    }
}

fn boxes(rays: &Rays, corners: &[f32]) -> vk::AccelerationStructureGeometryKHR {
    let data = at(rays.floats(corners));
    let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR { data, stride: 24, ..Default::default() };
    vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::AABBS,
        geometry: vk::AccelerationStructureGeometryDataKHR { aabbs },
        ..Default::default()
    }
}

/// Instance 1 is of triangles, instance 2 of boxes; hit are geometry 1, primitive 1 of either.
fn scene(rays: &Rays) -> Structure {
    let far: Vec<f32> = VERTICES.iter().map(|coordinate| coordinate + 500.0).collect();
    let ty = StructureType::BOTTOM_LEVEL;
    let geometries = [triangles(rays, &far), triangles(rays, &[&far[..], &VERTICES].concat())];
    let (_, triangles) = rays.build_all(ty, &geometries, &[1, 2]);
    let far = [500.0, 500.0, 500.0, 501.0, 501.0, 501.0];
    let unit = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let geometries = [boxes(rays, &far), boxes(rays, &[far, unit].concat())];
    let (_, boxes) = rays.build_all(ty, &geometries, &[1, 2]);
    let distant = [[1.0, 0.0, 0.0, 9000.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let instances = [
        (distant, 1, 0, triangles),
        (TRIANGLES_TO_WORLD, 0x0012_3456, 0, triangles),
        (BOX_TO_WORLD, 77, 1, boxes),
    ];
    let words =
        instances.iter().flat_map(|&(rows, custom, offset, reference): &(Transform, u32, u32, u64)| {
            let mut words: Vec<u32> = rows.as_flattened().iter().map(|value| value.to_bits()).collect();
            words.extend([custom | 0xff << 24, offset, reference as u32, (reference >> 32) as u32]);
            words
        });
    let data = at(rays.data(&words.collect::<Vec<_>>()));
    let geometry = vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::INSTANCES,
        geometry: vk::AccelerationStructureGeometryDataKHR {
            instances: vk::AccelerationStructureGeometryInstancesDataKHR { data, ..Default::default() },
        },
        ..Default::default()
    };
    rays.build(StructureType::TOP_LEVEL, geometry, 3).0
}

/// Traces three rays: to the triangle, to the box, to nothing. Returns what the stages wrote.
fn trace(rays: &Rays, shaders: &[(Stages, &str)]) -> Vec<f32> {
    let pipeline = rays.try_pipeline(shaders, &GROUPS, false, &[]).expect("a pipeline");
    let mut bytes = vec![0; 4 * HANDLE_WORDS * GROUPS.len()];
    let device = &rays.context.device;
    unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, GROUPS.len() as u32, &mut bytes) }
        .expect("handles");
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let stride = 4 * STRIDE_WORDS as u64;
    let table = |groups: std::ops::Range<usize>| {
        let count = groups.len() as u64;
        let records = groups.flat_map(|group| {
            let mut record = words[group * HANDLE_WORDS..][..HANDLE_WORDS].to_vec();
            record.resize(STRIDE_WORDS, 0);
            record
        });
        let device_address = rays.data(&records.collect::<Vec<_>>());
        Region { device_address, stride, size: stride * count }
    };
    let (raygen, miss, hit) = (table(0..1), table(1..2), table(2..4));
    rays.launch(pipeline, scene(rays), 0, |commands| unsafe {
        device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &Region::default(), 3, 1, 1);
    })
}

/// Words of a stage of an invocation.
fn written(words: &[f32], invocation: usize, stage: usize) -> &[f32] {
    &words[STAGE_WORDS * (4 * invocation + stage)..][..STAGE_WORDS]
}

/// The columns of a matrix, one behind the other.
fn columns(rows: &Transform) -> Vec<f32> {
    (0..4).flat_map(|column| rows.iter().map(move |row| row[column])).collect()
}

#[test]
fn ray_built_ins_describe_the_ray_and_the_hit() {
    let rays = Rays::new();
    let words = trace(&rays, &SHADERS);
    // Those that every stage has. `farthest`: the ray's interval ends here.
    let of_ray = |invocation: usize, farthest: f32| {
        let [origin, direction] = [
            [[9.75, 20.5, 32.0], [-0.25, 0.5, -1.0]],
            [[-99.0, 0.25, 24.0], [0.25, 0.03125, -4.0]],
            [[0.0, 0.0, 1000.0], [0.0, 0.0, 1.0]],
        ][invocation];
        let flags = 2.0; // no geometry is opaque
        let launch = [1.0, invocation as f32, 0.0, 0.0, 3.0, 1.0, 1.0];
        [&launch[..], &origin, &direction, &[0.125, farthest, flags]].concat()
    };
    let of_triangles = [
        &[0.125, 0.125, 4.0, 0.125, 0.125, -2.0][..],
        &[1.0, 1.0, f32::from(0x12_u8) * 65536.0 + f32::from(0x3456_u16), 1.0],
        &columns(&TRIANGLES_TO_WORLD),
        &columns(&WORLD_TO_TRIANGLES),
    ]
    .concat();
    let of_boxes = [
        &[0.5, 4.0, 0.5, 0.0625, -1.0, 0.125][..],
        &[1.0, 2.0, 77.0, 1.0],
        &columns(&BOX_TO_WORLD),
        &columns(&WORLD_TO_BOX),
    ]
    .concat();
    let triangle = |farthest| [of_ray(0, farthest), of_triangles.clone(), vec![254.0, 0.375, 0.375]].concat();
    let procedural = |farthest| [of_ray(1, farthest), of_boxes.clone(), vec![6.0, 0.25, 0.75]].concat();
    let expected = [
        (0, ANY_HIT, triangle(2.0)),
        (0, CLOSEST_HIT, triangle(2.0)),
        (1, INTERSECTION, [of_ray(1, 50.0), of_boxes.clone()].concat()),
        (1, ANY_HIT, procedural(3.5)),
        (1, CLOSEST_HIT, procedural(3.5)),
        (2, MISS, of_ray(2, 50.0)),
    ];
    for invocation in 0..3 {
        for stage in [INTERSECTION, ANY_HIT, CLOSEST_HIT, MISS] {
            let found = written(&words, invocation, stage);
            let Some((.., expected)) = expected.iter().find(|(of, at, _)| (*of, *at) == (invocation, stage))
            else {
                assert_eq!(found, [0.0; STAGE_WORDS], "stage {stage} of ray {invocation} does not run");
                continue;
            };
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                let is_near = (found - expected).abs() <= 1e-5 * expected.abs().max(1.0);
                assert!(is_near, "ray {invocation}, stage {stage}, word {index}: {found}, not {expected}");
            }
        }
    }
}

/// A shader of this execution model that writes the vertices of the triangle to the words of its stage.
fn positions_shader(model: &str, stage: usize) -> String {
    let stores: String = (0..9)
        .map(|index| {
            let (vertex, axis) = (index / 3, index % 3);
            format!(
                "%p{index} = OpAccessChain %in_float %positions %uint_{vertex} %uint_{axis}
                %v{index} = OpLoad %float %p{index}
                %i{index} = OpIAdd %uint %base %uint_{index}
                %o{index} = OpAccessChain %out_float %result %uint_0 %i{index}
                OpStore %o{index} %v{index}\n"
            )
        })
        .collect();
    let constants: String =
        (0..9).map(|value| format!("%uint_{value} = OpConstant %uint {value}\n")).collect();
    format!(
        "OpCapability RayTracingKHR
        OpCapability RayTracingPositionFetchKHR
        OpExtension \"SPV_KHR_ray_tracing\"
        OpExtension \"SPV_KHR_ray_tracing_position_fetch\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint {model} %main \"main\" %positions %result
        OpDecorate %positions BuiltIn HitTriangleVertexPositionsKHR
        OpDecorate %array ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %result DescriptorSet 0
        OpDecorate %result Binding 1
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %float3 = OpTypeVector %float 3
        {constants}%base = OpConstant %uint {}
        %vertices = OpTypeArray %float3 %uint_3
        %in_vertices = OpTypePointer Input %vertices
        %in_float = OpTypePointer Input %float
        %positions = OpVariable %in_vertices Input
        %array = OpTypeRuntimeArray %float
        %block = OpTypeStruct %array
        %blocks = OpTypePointer StorageBuffer %block
        %out_float = OpTypePointer StorageBuffer %float
        %result = OpVariable %blocks StorageBuffer
        %main = OpFunction %void None %fn
        %entry = OpLabel
        {stores}OpReturn
        OpFunctionEnd",
        STAGE_WORDS * stage
    )
}

/// Of two stages, those of the ray to the triangle; the ray to the box has no vertices, and its hits write to
/// the same words, so that its shaders are left out.
#[test]
fn hit_triangle_vertex_positions_are_in_object_space() {
    let rays = Rays::new();
    let [closest_hit, any_hit] = [("ClosestHitNV", CLOSEST_HIT), ("AnyHitNV", ANY_HIT)]
        .map(|(model, stage)| positions_shader(model, stage));
    let shaders = SHADERS.map(|(stage, own)| match stage {
        Stages::CLOSEST_HIT_KHR => (stage, &*closest_hit),
        Stages::ANY_HIT_KHR => (stage, &*any_hit),
        // Reports nothing.
        Stages::INTERSECTION_KHR => (stage, IDLE),
        _ => (stage, own),
    });
    let words = trace(&rays, &shaders);
    for stage in [CLOSEST_HIT, ANY_HIT] {
        assert_eq!(written(&words, 0, stage)[..9], VERTICES, "stage {stage}");
    }
}

/// An intersection shader that reports nothing.
const IDLE: &str = "
    OpCapability RayTracingKHR
    OpExtension \"SPV_KHR_ray_tracing\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint IntersectionNV %main \"main\"
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpReturn
    OpFunctionEnd";
