//! Hit objects (`VK_NV_ray_tracing_invocation_reorder`, `VK_EXT_ray_tracing_invocation_reorder`): a trace in
//! two steps is that in one, and what is recorded runs the shaders that it says.
//!
//! The shaders are made of `reorder.glsl`, each with its stage's name defined; `reorder_ext.rgen.spvasm` with
//! `EXT` defined too, and with the enumerants of the EXT extension.

use super::*;

const NV: &str = include_str!("reorder.rgen.spvasm");
const EXT: &str = include_str!("reorder_ext.rgen.spvasm");
const GROUPS: [[u32; 4]; 4] = [
    [0, UNUSED, UNUSED, UNUSED],
    [1, UNUSED, UNUSED, UNUSED],
    [UNUSED, 2, UNUSED, UNUSED],
    [UNUSED, 2, UNUSED, 3],
];
const COLUMNS: u32 = 40;
/// Words that an invocation writes: seven parts of sixteen, and more.
const WORDS: usize = 128;
/// What the payload has before a shader has written it.
const UNTOUCHED: [f32; 12] = [-1.0; 12];

/// A part of what an invocation has written: floats and integers of a payload.
fn part(words: &[f32], number: usize) -> ([f32; 12], [u32; 4]) {
    let words = &words[16 * number..][..16];
    (std::array::from_fn(|word| words[word]), std::array::from_fn(|word| words[12 + word].to_bits()))
}

/// What every invocation has written, with its x, and the addresses of the first records' data in the miss
/// table and the hit table.
fn run(extension: &'static std::ffi::CStr, raygen: &str) -> (Vec<(f32, Vec<f32>)>, [u64; 2]) {
    let mut reorder = vk::PhysicalDeviceRayTracingInvocationReorderFeaturesNV::builder()
        .ray_tracing_invocation_reorder(true);
    let mut reorder_ext = vk::PhysicalDeviceRayTracingInvocationReorderFeaturesEXT::builder()
        .ray_tracing_invocation_reorder(true);
    let mut query = vk::PhysicalDeviceRayQueryFeaturesKHR::builder().ray_query(true);
    query.next = match extension == c"VK_EXT_ray_tracing_invocation_reorder" {
        true => (&raw mut reorder_ext).cast(),
        false => (&raw mut reorder).cast(),
    };
    let rays = Rays::with(&[extension, c"VK_KHR_ray_query"], (&raw mut query).cast());
    let scene = rays.scene();
    let shaders = [
        (Stages::RAYGEN_KHR, raygen),
        (Stages::MISS_KHR, include_str!("reorder.rmiss.spvasm")),
        (Stages::CLOSEST_HIT_KHR, include_str!("reorder.rchit.spvasm")),
        (Stages::INTERSECTION_KHR, include_str!("reorder.rint.spvasm")),
    ];
    let pipeline = rays.try_pipeline(&shaders, &GROUPS, false, &[]).expect("a pipeline");
    let handles = rays.handles_of(pipeline, GROUPS.len());
    let table = |records: &[(usize, u32)]| {
        let words: Vec<u32> = records
            .iter()
            .flat_map(|&(group, word)| {
                let mut record = handles[group].to_vec();
                record.push(word);
                record.resize(STRIDE_WORDS, 0);
                record
            })
            .collect();
        let stride = 4 * STRIDE_WORDS as u64;
        Region { device_address: rays.data(&words), stride, size: records.len() as u64 * stride }
    };
    let raygen = table(&[(0, 0)]);
    let (miss, hit) = (table(&[(1, 9.0_f32.to_bits())]), table(&[(2, 40), (3, 41)]));
    let found = rays.launch(pipeline, scene, 0, |commands| unsafe {
        let none = Region::default();
        rays.context.device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &none, COLUMNS, 1, 1);
    });
    let columns = found.chunks(WORDS).take(COLUMNS as usize).map(<[f32]>::to_vec);
    let columns =
        (0..).zip(columns).map(|(column, words)| (4.0 * (column as f32 + 0.5) / COLUMNS as f32, words));
    (columns.collect(), [miss, hit].map(|table| table.device_address + 4 * HANDLE_WORDS as u64))
}

/// What holds of both extensions.
fn check_steps(columns: &[(f32, Vec<f32>)], [miss, hit]: [u64; 2]) {
    let mut kinds = [0; 3];
    for (x, words) in columns {
        let plain = part(words, 0);
        assert_eq!(words[112].to_bits(), 1, "a new hit object is empty");
        let record = match *x {
            x if x < 1.0 => Some(0),
            x if x > 2.0 && x < 3.0 => Some(1),
            _ => None,
        };
        kinds[record.map_or(2, |record| record as usize)] += 1;
        assert_eq!(part(words, 1), plain, "{x}: in two steps");
        assert_eq!(words[113].to_bits(), if record.is_some() { 4 } else { 2 }, "{x}");
        match record {
            Some(record) => {
                assert_eq!(plain.1[2], 40 + record, "{x}");
                let (floats, [instance, column, index, flags]) = part(words, 2);
                assert_eq!(floats, plain.0, "{x}: what it says itself");
                assert_eq!([instance, column, 40 + index, flags], plain.1, "{x}");
            }
            None => assert_eq!(plain.0[..4], [100.0, 9.0, *x, -2.0], "{x}"),
        }
        let address = record.map_or(miss, |record| hit + 4 * STRIDE_WORDS as u64 * u64::from(record));
        let found = u64::from(words[114].to_bits()) | u64::from(words[115].to_bits()) << 32;
        assert_eq!(found, address, "{x}: its shader record");
        assert_eq!(part(words, 3), (UNTOUCHED, [77; 4]), "{x}: an empty one runs nothing");
    }
    assert!(kinds.iter().all(|&count| count >= 5), "{kinds:?}");
}

/// What the shader has written of traces in two steps, and of hits and misses that it recorded.
fn check_all(columns: &[(f32, Vec<f32>)], records: [u64; 2]) {
    check_steps(columns, records);
    for (column, (x, words)) in (0..).zip(columns) {
        let object = -2.0 + 100.0 * -2.0 + 10.0 * 0.5;
        let cube = [3.0, 200.0, 5.0, 0.0, 9.0, 0.125, 0.5, 2.0 + 10.0 * -2.0, x - 2.0, 0.25, 10.0, object];
        assert_eq!(part(words, 4), (cube, [1, column, 41, 0]), "{x}: a hit of the second instance");
        let square = [4.0, 300.0, 1.0, 0.0, 254.0, 0.125, 0.5, 0.0, *x, 0.25, -20.0, object];
        assert_eq!(part(words, 5), (square, [2, column, 40, 0]), "{x}: a hit by the record's index");
        let mut missed = UNTOUCHED;
        missed[..4].copy_from_slice(&[60.0, 9.0, *x, -2.0]);
        assert_eq!(part(words, 6), (missed, [77, column, 77, 77]), "{x}: a miss");
        assert_eq!(words[116].to_bits(), 1, "{x}: no such instance");
    }
}

#[test]
fn traces_in_two_steps_are_those_in_one() {
    let (columns, records) = run(c"VK_NV_ray_tracing_invocation_reorder", NV);
    check_all(&columns, records);
}

/// Elements of an array that each invocation chooses are objects as variables are.
#[test]
fn hit_objects_are_elements_of_arrays() {
    let variable = "%found = OpVariable %_ptr_Private_156 Private";
    let array = "%five = OpConstant %uint 5\n%array = OpTypeArray %156 %five\n\
        %pointer_to_array = OpTypePointer Private %array\n%objects = OpVariable %pointer_to_array Private";
    let first = "%116 = OpAccessChain";
    let chains = "%own_id = OpAccessChain %_ptr_Input_uint %gl_LaunchIDEXT %uint_0\n\
        %own_number = OpLoad %uint %own_id\n\
        %element = OpBitwiseAnd %uint %own_number %uint_3\n\
        %next_element = OpIAdd %uint %element %uint_1\n\
        %found = OpAccessChain %_ptr_Private_156 %objects %element\n\
        %other = OpAccessChain %_ptr_Private_156 %objects %next_element\n";
    let mut text = NV.to_owned();
    for (from, to) in [
        ("%found %attr %other", "%objects %attr"),
        (variable, array),
        ("%other = OpVariable %_ptr_Private_156 Private", ""),
        (first, &format!("{chains}{first}")),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let (columns, records) = run(c"VK_NV_ray_tracing_invocation_reorder", &text);
    check_all(&columns, records);
}

#[test]
fn the_ext_dialect_does_the_same_and_takes_queries() {
    // No compiler that was at hand writes the instructions that the other extension lacks.
    let (before, after) = EXT.rsplit_once("OpHitObjectRecordEmptyEXT %other").expect("made empty again");
    let text = format!("{before}OpHitObjectRecordFromQueryEXT %other %query %uint_0 %attr{after}");
    let (columns, records) = run(c"VK_EXT_ray_tracing_invocation_reorder", &text);
    check_steps(&columns, records);
    for (x, words) in &columns {
        // Nothing reports intersections with boxes in the query, and what has met nothing is empty.
        let expected = if *x < 1.0 { part(words, 0) } else { (UNTOUCHED, [77; 4]) };
        assert_eq!(part(words, 4), expected, "{x}: what the query has found");
    }
    // The steps in one instruction, and the execution that reorders.
    let whole = "OpHitObjectTraceRayEXT %found";
    let at_once = text.replacen(whole, "OpHitObjectTraceReorderExecuteEXT %found", 1);
    let at_once = at_once.replacen(
        "OpHitObjectExecuteShaderEXT %found %payload",
        "OpHitObjectReorderExecuteShaderEXT %found %payload %uint_2 %uint_2",
        1,
    );
    assert_ne!(at_once, text);
    let (columns, records) = run(c"VK_EXT_ray_tracing_invocation_reorder", &at_once);
    check_steps(&columns, records);
}

/// Of a triangle, attributes and kind are the query's own; of a box, what the instruction says.
#[test]
fn recorded_queries_have_kinds_and_attributes() {
    let (before, after) = EXT.rsplit_once("OpHitObjectRecordEmptyEXT %other").expect("made empty again");
    let record = "OpHitObjectRecordFromQueryEXT %other %query %uint_0 %attr %uint_114";
    let text = format!("{before}{record}{after}").replacen("OpStore %attr %280", "", 1);
    let body = "%269 = OpLabel\n";
    let report = format!("{body}OpRayQueryGenerateIntersectionKHR %query %float_0_75\n");
    let text = text.replacen(body, &report, 1).replacen(
        "%274 = OpConstantComposite %v2float %float_0 %float_0",
        "%float_0_75 = OpConstant %float 0.75\n%274 = OpConstantComposite %v2float %float_0_75 %float_0_5",
        1,
    );
    assert!(text.contains("%v2float %float_0_75 %float_0_5") && text.contains(&report));
    let (columns, records) = run(c"VK_EXT_ray_tracing_invocation_reorder", &text);
    check_steps(&columns, records);
    let mut boxes = 0;
    for (x, words) in &columns {
        let (floats, launch) = part(words, 4);
        match *x {
            x if x < 1.0 => assert_eq!((floats, launch), part(words, 0), "{x}: a triangle"),
            x if x > 2.0 && x < 3.0 => {
                boxes += 1;
                assert_eq!(floats[0], 0.75, "{x}: where it was reported");
                assert_eq!(floats[4..7], [114.0, 0.75, 0.5], "{x}: a box");
                // The first record of the hit table.
                assert_eq!(launch[2], 40, "{x}");
            }
            x => assert_eq!((floats, launch), (UNTOUCHED, [77; 4]), "{x}: nothing"),
        }
    }
    assert!(boxes >= 5, "{boxes}");
}
