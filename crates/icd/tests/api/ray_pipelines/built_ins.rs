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

// Object-to-world transforms and their inverses: quarter turns with three scales.
const TRIANGLES_TO_WORLD: Transform = [[0.0, -2.0, 0.0, 10.0], [4.0, 0.0, 0.0, 20.0], [0.0, 0.0, 0.5, 30.0]];
const WORLD_TO_TRIANGLES: Transform = [[0.0, 0.25, 0.0, -5.0], [-0.5, 0.0, 0.0, 5.0], [0.0, 0.0, 2.0, -60.0]];
const BOX_TO_WORLD: Transform = [[0.0, 0.0, 2.0, -100.0], [0.5, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 8.0]];
const WORLD_TO_BOX: Transform = [[0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.25, -2.0], [0.5, 0.0, 0.0, 50.0]];
/// The triangle that is hit, in object space.
const VERTICES: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// Instance 1 is of triangles, instance 2 of boxes; hit are geometry 1, primitive 1 of either.
fn scene(rays: &Rays) -> Structure {
    let far: Vec<f32> = VERTICES.iter().map(|coordinate| coordinate + 500.0).collect();
    let ty = StructureType::BOTTOM_LEVEL;
    let geometries = [rays.triangles(&far, &[]), rays.triangles(&[&far[..], &VERTICES].concat(), &[])];
    let (_, triangles) = rays.build_all(ty, &geometries, &[1, 2]);
    let far = [500.0, 500.0, 500.0, 501.0, 501.0, 501.0];
    let unit = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let geometries = [rays.boxes(&far), rays.boxes(&[far, unit].concat())];
    let (_, boxes) = rays.build_all(ty, &geometries, &[1, 2]);
    let distant = [[1.0, 0.0, 0.0, 9000.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let instance =
        |rows, custom_index, hit_offset, reference| Instance { rows, custom_index, hit_offset, reference };
    rays.instances(&[
        instance(distant, 1, 0, triangles),
        instance(TRIANGLES_TO_WORLD, 0x0012_3456, 0, triangles),
        instance(BOX_TO_WORLD, 77, 1, boxes),
    ])
}

/// Traces three rays: to the triangle, to the box, to nothing. Returns what the stages wrote.
fn trace(rays: &Rays, shaders: &[(Stages, &str)]) -> Vec<f32> {
    let pipeline = rays.try_pipeline(shaders, &GROUPS, false, &[]).expect("a pipeline");
    let handles = rays.handles_of(pipeline, GROUPS.len());
    let device = &rays.context.device;
    let stride = 4 * STRIDE_WORDS as u64;
    let table = |groups: std::ops::Range<usize>| {
        let count = groups.len() as u64;
        let records = groups.flat_map(|group| {
            let mut record = handles[group].to_vec();
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
                %o{index} = OpAccessChain %buffer_float %result %uint_0 %i{index}
                OpStore %o{index} %v{index}\n"
            )
        })
        .collect();
    writing_shader(model, &format!("%base = OpIAdd %uint %uint_0 %uint_{}\n{stores}", STAGE_WORDS * stage))
        .capability("RayTracingPositionFetchKHR")
        .extension("SPV_KHR_ray_tracing_position_fetch")
        .interface("%positions")
        .decorate("OpDecorate %positions BuiltIn HitTriangleVertexPositionsKHR")
        .declare(
            "%vertices = OpTypeArray %float3 %uint_3
            %positions = OpVariable %in_vertices Input",
        )
        .text()
}

/// A shader of this execution model that may write to the floats of `%result`.
pub(super) fn writing_shader(model: &str, body: &str) -> Shader {
    Shader::new(model, body)
        .capability("RayTracingKHR")
        .extension("SPV_KHR_ray_tracing")
        .block("float", 4)
        .decorate("OpDecorate %result DescriptorSet 0\nOpDecorate %result Binding 1")
        .declare("%result = OpVariable %buffer_block StorageBuffer")
}

/// Of two stages, those of the ray to the triangle; the ray to the box has no vertices, and its hits write to
/// the same words, so that its shaders are left out.
#[test]
fn hit_triangle_vertex_positions_are_in_object_space() {
    let rays = Rays::new();
    let [closest_hit, any_hit] = [("ClosestHitNV", CLOSEST_HIT), ("AnyHitNV", ANY_HIT)]
        .map(|(model, stage)| positions_shader(model, stage));
    let idle =
        Shader::new("IntersectionNV", "").capability("RayTracingKHR").extension("SPV_KHR_ray_tracing").text();
    let shaders = SHADERS.map(|(stage, own)| match stage {
        Stages::CLOSEST_HIT_KHR => (stage, &*closest_hit),
        Stages::ANY_HIT_KHR => (stage, &*any_hit),
        // Reports nothing.
        Stages::INTERSECTION_KHR => (stage, &*idle),
        _ => (stage, own),
    });
    let words = trace(&rays, &shaders);
    for stage in [CLOSEST_HIT, ANY_HIT] {
        assert_eq!(written(&words, 0, stage)[..9], VERTICES, "stage {stage}");
    }
}

/// A shader that writes its `CullMaskKHR`, and 1 more than that, to the first words of its stage;
/// intersection shaders then report a hit.
fn cull_mask_shader(model: &str, stage: usize) -> String {
    let report = if model == "IntersectionNV" {
        "%reported = OpReportIntersectionKHR %bool %float_3p5 %uint_6"
    } else {
        ""
    };
    let body = format!(
        "%ids = OpLoad %uint3 %id
        %ray = OpCompositeExtract %uint %ids 0
        %first = OpIMul %uint %ray %uint_{}
        %at = OpIAdd %uint %first %uint_{}
        %next = OpIAdd %uint %at %uint_1
        %loaded = OpLoad %uint %mask
        %value = OpConvertUToF %float %loaded
        %more = OpFAdd %float %value %float_1
        %to = OpAccessChain %buffer_float %result %uint_0 %at
        OpStore %to %value
        %to_next = OpAccessChain %buffer_float %result %uint_0 %next
        OpStore %to_next %more
        {report}",
        4 * STAGE_WORDS,
        STAGE_WORDS * stage
    );
    writing_shader(model, &body)
        .capability("RayCullMaskKHR")
        .extension("SPV_KHR_ray_cull_mask")
        .input("id", "uint3", "BuiltIn LaunchIdNV")
        .input("mask", "uint", "BuiltIn CullMaskKHR")
        .text()
}

/// The mask is the operand of the trace, of which the lower eight bits count; a ray whose mask has no bit of
/// an instance's does not meet it.
#[test]
fn cull_mask_is_that_of_the_trace_in_every_stage() {
    let rays = Rays::new();
    let texts = [
        (Stages::MISS_KHR, "MissNV", MISS),
        (Stages::CLOSEST_HIT_KHR, "ClosestHitNV", CLOSEST_HIT),
        (Stages::ANY_HIT_KHR, "AnyHitNV", ANY_HIT),
        (Stages::INTERSECTION_KHR, "IntersectionNV", INTERSECTION),
    ]
    .map(|(stage, model, number)| (stage, cull_mask_shader(model, number)));
    let hits = [(0, ANY_HIT), (0, CLOSEST_HIT), (1, INTERSECTION), (1, ANY_HIT), (1, CLOSEST_HIT), (2, MISS)];
    let misses = [(0, MISS), (1, MISS), (2, MISS)];
    for (operand, mask, runs) in [(255, 255.0, &hits[..]), (0x1a5, 165.0, &hits), (0x100, 0.0, &misses)] {
        let raygen = SHADERS[0].1.replace("= OpConstant %8 255", &format!("= OpConstant %8 {operand}"));
        assert!(raygen.contains(&format!("OpConstant %8 {operand}")));
        let mut shaders = vec![(Stages::RAYGEN_KHR, &*raygen)];
        shaders.extend(texts.iter().map(|(stage, text)| (*stage, &**text)));
        let words = trace(&rays, &shaders);
        for (invocation, stage) in (0..3).flat_map(|ray| (0..4).map(move |stage| (ray, stage))) {
            let expected = if runs.contains(&(invocation, stage)) { [mask, mask + 1.0] } else { [0.0; 2] };
            let found = &written(&words, invocation, stage)[..2];
            assert_eq!(found, expected, "mask {operand:#x}, ray {invocation}, stage {stage}");
        }
    }
}
