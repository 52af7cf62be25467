//! `VK_NV_ray_tracing_linear_swept_spheres` in pipelines: which shaders run for spheres, and what these and
//! hit objects say of them.

use super::built_ins::writing_shader;
use super::*;

/// A sphere at the origin, and a linear swept sphere at x = 10.
const CENTER: [f32; 3] = [0.0, 0.0, 2.0];
const RADIUS: f32 = 1.5;
const ENDS: [[f32; 3]; 2] = [[10.0, -2.0, 0.0], [10.0, 2.0, 1.0]];
const RADII: [f32; 2] = [1.0, 0.5];

/// Words of an invocation, and of each of its parts.
const WORDS: u32 = 128;
const CLOSEST_HIT: u32 = 0;
const ANY_HIT: u32 = 32;
const OBJECT: u32 = 64;
/// Numbers that say what was met: its kinds, the sphere, the swept sphere.
const SHAPE: usize = 14;

/// Code that stores a float to a word behind `%base`.
fn store(word: usize, value: &str) -> String {
    format!(
        "%at{word} = OpIAdd %uint %base %uint_{word}
        %o{word} = OpAccessChain %buffer_float %result %uint_0 %at{word}
        OpStore %o{word} {value}\n"
    )
}

/// The same of `count` components of a composite.
fn store_all(first: usize, composite: &str, count: usize, rows: usize) -> String {
    let component = |index: usize| {
        let place = match (rows, count) {
            (1, 1) => String::new(),
            (1, _) => format!(" {index}"),
            _ => format!(" {} {}", index / 3, index % 3),
        };
        let word = first + index;
        match place.is_empty() {
            true => store(word, composite),
            false => format!(
                "%c{word} = OpCompositeExtract %float {composite}{place}\n{}",
                store(word, &format!("%c{word}"))
            ),
        }
    };
    (0..count).map(component).collect()
}

/// Stores what `%is_sphere` and the other values are.
fn store_shape() -> String {
    [
        "%f0 = OpSelect %float %is_sphere %float_1 %float_0\n%f1 = OpSelect %float %is_swept %float_1 %float_0\n",
        &store(0, "%f0"),
        &store(1, "%f1"),
        &store_all(2, "%position", 3, 1),
        &store(5, "%radius"),
        &store_all(6, "%positions", 6, 2),
        &store_all(12, "%radii", 2, 1),
    ]
    .concat()
}

fn base(first: u32) -> String {
    format!(
        "%ids = OpLoad %uint3 %id
        %ray = OpCompositeExtract %uint %ids 0
        %of_ray = OpIMul %uint %ray %uint_{WORDS}
        %base = OpIAdd %uint %of_ray %uint_{first}\n"
    )
}

fn with_spheres(shader: Shader) -> Shader {
    shader
        .capability("RayTracingSpheresGeometryNV")
        .capability("RayTracingLinearSweptSpheresGeometryNV")
        .extension("SPV_NV_linear_swept_spheres")
        .input("id", "uint3", "BuiltIn LaunchIdNV")
}

/// A hit shader that writes what was met, the kind of the hit, and its attributes.
fn hit_shader(model: &str, first: u32) -> String {
    let loads = "%is_sphere = OpLoad %bool %v_is_sphere
        %is_swept = OpLoad %bool %v_is_swept
        %position = OpLoad %float3 %v_position
        %radius = OpLoad %float %v_radius
        %positions = OpLoad %two_points %v_positions
        %radii = OpLoad %two_floats %v_radii
        %kind_word = OpLoad %uint %v_kind
        %kind = OpConvertUToF %float %kind_word
        %weights = OpLoad %float2 %v_weights\n";
    let stores = [store_shape(), store(SHAPE, "%kind"), store_all(SHAPE + 1, "%weights", 2, 1)].concat();
    with_spheres(writing_shader(model, &[&base(first), loads, &stores].concat()))
        .input("v_is_sphere", "bool", "BuiltIn HitIsSphereNV")
        .input("v_is_swept", "bool", "BuiltIn HitIsLSSNV")
        .input("v_position", "float3", "BuiltIn HitSpherePositionNV")
        .input("v_radius", "float", "BuiltIn HitSphereRadiusNV")
        .input("v_kind", "uint", "BuiltIn HitKindNV")
        .interface("%v_positions %v_radii %v_weights")
        .decorate(
            "OpDecorate %v_positions BuiltIn HitLSSPositionsNV\nOpDecorate %v_radii BuiltIn HitLSSRadiiNV",
        )
        .declare(
            "%two_points = OpTypeArray %float3 %uint_2
            %two_floats = OpTypeArray %float %uint_2
            %v_positions = OpVariable %in_two_points Input
            %v_radii = OpVariable %in_two_floats Input
            %attribute = OpTypePointer HitAttributeNV %float2
            %v_weights = OpVariable %attribute HitAttributeNV",
        )
        .text()
}

/// Traces a ray down at x = 10 times the launch's, as a whole, or into a hit object, whose shape is written.
fn raygen(with_object: bool) -> String {
    let ray = "%scene_value = OpLoad %structure %scene
        %flags = OpLoad %uint %pushed_flags
        %column = OpConvertUToF %float %ray
        %x = OpFMul %float %column %float_10
        %minus = OpFNegate %float %float_1
        %origin = OpCompositeConstruct %float3 %x %float_0 %float_20
        %direction = OpCompositeConstruct %float3 %float_0 %float_0 %minus\n";
    let pushed = "%pushed_flags = OpAccessChain %push_uint %pushed %uint_0\n";
    let operands = "%uint_255 %uint_0 %uint_0 %uint_0 %origin %float_0 %direction %float_50 %payload\n";
    let rest = match with_object {
        false => format!("OpTraceRayKHR %scene_value %flags {operands}"),
        true => [
            &format!("OpHitObjectTraceRayNV %object %scene_value %flags {operands}"),
            "%is_sphere = OpHitObjectIsSphereHitNV %bool %object
            %is_swept = OpHitObjectIsLSSHitNV %bool %object
            %position = OpHitObjectGetSpherePositionNV %float3 %object
            %radius = OpHitObjectGetSphereRadiusNV %float %object
            %positions = OpHitObjectGetLSSPositionsNV %two_points %object
            %radii = OpHitObjectGetLSSRadiiNV %two_floats %object\n",
            &store_shape(),
        ]
        .concat(),
    };
    let body = [&base(OBJECT), pushed, ray, &rest].concat();
    let shader = with_spheres(writing_shader("RayGenerationNV", &body))
        .interface("%scene %payload %pushed")
        .decorate(
            "OpDecorate %scene DescriptorSet 0\nOpDecorate %scene Binding 0\nOpDecorate %pushed_block Block
            OpMemberDecorate %pushed_block 0 Offset 0",
        )
        .declare(
            "%structure = OpTypeAccelerationStructureKHR
            %p_structure = OpTypePointer UniformConstant %structure
            %scene = OpVariable %p_structure UniformConstant
            %p_payload = OpTypePointer RayPayloadNV %uint
            %payload = OpVariable %p_payload RayPayloadNV
            %pushed_block = OpTypeStruct %uint
            %p_pushed = OpTypePointer PushConstant %pushed_block
            %push_uint = OpTypePointer PushConstant %uint
            %pushed = OpVariable %p_pushed PushConstant
            %two_points = OpTypeArray %float3 %uint_2
            %two_floats = OpTypeArray %float %uint_2",
        );
    match with_object {
        false => shader.text(),
        true => shader
            .capability("ShaderInvocationReorderNV")
            .extension("SPV_NV_shader_invocation_reorder")
            .interface("%object")
            .declare(
                "%object_type = OpTypeHitObjectNV
                %p_object = OpTypePointer Private %object_type
                %object = OpVariable %p_object Private",
            )
            .text(),
    }
}

fn scene(rays: &Rays) -> Structure {
    let spheres = vk::AccelerationStructureGeometrySpheresDataNV {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(rays.floats(&CENTER)),
        vertex_stride: 12,
        radius_format: vk::Format::R32_SFLOAT,
        radius_data: at(rays.floats(&[RADIUS])),
        radius_stride: 4,
        index_type: vk::IndexType::NONE_KHR,
        ..Default::default()
    };
    let swept = vk::AccelerationStructureGeometryLinearSweptSpheresDataNV {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(rays.floats(ENDS.as_flattened())),
        vertex_stride: 12,
        radius_format: vk::Format::R32_SFLOAT,
        radius_data: at(rays.floats(&RADII)),
        radius_stride: 4,
        index_type: vk::IndexType::NONE_KHR,
        ..Default::default()
    };
    let geometry = |geometry_type, next| vk::AccelerationStructureGeometryKHR {
        geometry_type,
        next,
        ..Default::default()
    };
    let ty = StructureType::BOTTOM_LEVEL;
    let spheres = geometry(vk::GeometryTypeKHR::SPHERES_NV, (&raw const spheres).cast());
    let swept = geometry(vk::GeometryTypeKHR::LINEAR_SWEPT_SPHERES_NV, (&raw const swept).cast());
    let references = [rays.build(ty, spheres, 1).1, rays.build(ty, swept, 1).1];
    let rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    rays.instances(&references.map(|reference| Instance { rows, custom_index: 0, hit_offset: 0, reference }))
}

/// What is said of a sphere, or of the swept sphere.
fn shape(is_sphere: bool) -> Vec<Option<f32>> {
    let some = |values: &[f32]| values.iter().map(|&value| Some(value)).collect::<Vec<_>>();
    match is_sphere {
        true => [some(&[1.0, 0.0]), some(&CENTER), some(&[RADIUS]), vec![None; 8]].concat(),
        false => [some(&[0.0, 1.0]), vec![None; 4], some(ENDS.as_flattened()), some(&RADII)].concat(),
    }
}

fn assert_shape(found: &[f32], is_sphere: bool, what: &str) {
    for (word, expected) in shape(is_sphere).into_iter().enumerate() {
        assert!(expected.is_none_or(|expected| found[word] == expected), "{what}, {word}: {found:?}");
    }
}

#[test]
fn hit_shaders_and_hit_objects_see_spheres() {
    let mut reorder = vk::PhysicalDeviceRayTracingInvocationReorderFeaturesNV::builder()
        .ray_tracing_invocation_reorder(true);
    let mut spheres = vk::PhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV::builder()
        .spheres(true)
        .linear_swept_spheres(true);
    spheres.next = (&raw mut reorder).cast();
    let extensions = [c"VK_NV_ray_tracing_linear_swept_spheres", c"VK_NV_ray_tracing_invocation_reorder"];
    let rays = Rays::with(&extensions, (&raw mut spheres).cast());
    let scene = scene(&rays);
    let [closest_hit, any_hit] =
        [("ClosestHitNV", CLOSEST_HIT), ("AnyHitNV", ANY_HIT)].map(|(model, first)| hit_shader(model, first));
    let miss = writing_shader("MissNV", "").text();
    const GROUPS: [[u32; 4]; 3] =
        [[0, UNUSED, UNUSED, UNUSED], [1, UNUSED, UNUSED, UNUSED], [UNUSED, 2, 3, UNUSED]];
    for with_object in [false, true] {
        let raygen = raygen(with_object);
        let shaders = [
            (Stages::RAYGEN_KHR, &*raygen),
            (Stages::MISS_KHR, &*miss),
            (Stages::CLOSEST_HIT_KHR, &*closest_hit),
            (Stages::ANY_HIT_KHR, &*any_hit),
        ];
        let spheres = vk::PipelineCreateFlags2::RAY_TRACING_ALLOW_SPHERES_AND_LINEAR_SWEPT_SPHERES_NV;
        let skip = spheres | vk::PipelineCreateFlags2::RAY_TRACING_SKIP_TRIANGLES_KHR;
        // Not opaque, opaque, and none: by the ray's flag, by the pipeline's.
        for (flags, ray_flags, is_opaque, is_met) in [
            (spheres, 0, false, true),
            (spheres, 1, true, true),
            (spheres, 0x100, false, false),
            (skip, 0, false, false),
        ] {
            let flags_info = vk::PipelineCreateFlags2CreateInfo { flags, ..Default::default() };
            let chain = (vk::PipelineCreateFlags::empty(), (&raw const flags_info).cast());
            let pipeline = rays.pipeline_chained(&shaders, &GROUPS, chain, &[]).expect("a pipeline");
            let handles = rays.handles_of(pipeline, GROUPS.len());
            let [raygen, miss, hit] = [0, 1, 2].map(|group: usize| {
                let stride = 4 * HANDLE_WORDS as u64;
                Region { device_address: rays.data(&handles[group]), stride, size: stride }
            });
            let found = rays.launch(pipeline, scene, ray_flags, |commands| unsafe {
                let none = Region::default();
                rays.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &none, 2, 1, 1);
            });
            for column in 0..2 {
                let what = format!("object: {with_object}, flags {ray_flags:#x}, {flags:?}, column {column}");
                let part = |first: u32| &found[(WORDS * column + first) as usize..][..32];
                let is_sphere = column == 0;
                let runs = |first: u32, expected: bool| {
                    let found = part(first);
                    assert_eq!(found.iter().any(|&word| word != 0.0), expected, "{what}, {first}: {found:?}");
                    if expected {
                        assert_shape(found, is_sphere, &what);
                    }
                };
                runs(CLOSEST_HIT, is_met && !with_object);
                runs(ANY_HIT, is_met && !is_opaque);
                runs(OBJECT, is_met && with_object);
                if is_met && !is_opaque {
                    let [kind, weight, zero] = [0, 1, 2].map(|word| part(ANY_HIT)[SHAPE + word]);
                    // From outside; the weight of the second end.
                    assert_eq!((kind, zero), (254.0, 0.0), "{what}");
                    let expected = if is_sphere { 0.0..=0.0 } else { 0.4..=0.6 };
                    assert!(expected.contains(&weight), "{what}: {weight}");
                }
            }
        }
    }
}
