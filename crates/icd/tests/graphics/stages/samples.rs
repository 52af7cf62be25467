//! Several samples: which invocations stand for them, where inputs are interpolated, and masks.

use super::assembly::{
    PIXEL, SAMPLE_CELL, Shader, WHOLE, interlocked, interlocked_digits, passing, rectangle,
};
use pyro_abi::graphics::sample_positions;
use pyro_test_kit::scene::{Lab, SIZE, Scene};
use vulkanalia::prelude::v1_3::*;

/// A triangle with its edges between pixels, in clip space.
const TRIANGLE: [[f32; 2]; 3] = [[-0.85, -0.8], [0.9, -0.35], [-0.3, 0.95]];

/// The triangle with its corners' clip-space positions as vectors.
fn triangle() -> Vec<[[f32; 4]; 2]> {
    TRIANGLE.map(|[x, y]| [[x, y, 0.5, 1.0], [x, y, 0.0, 1.0]]).to_vec()
}

/// Whether a place in pixels is inside of the triangle: by how much, and by how little where it is close to
/// an edge.
fn inside(x: f64, y: f64) -> f64 {
    // Corners are rounded to 1/256 of a pixel.
    let corners =
        TRIANGLE.map(|corner| corner.map(|value| ((f64::from(value) + 1.0) * 8.0 * 256.0).round() / 256.0));
    let edge = |a: [f64; 2], b: [f64; 2]| (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    [edge(corners[0], corners[1]), edge(corners[1], corners[2]), edge(corners[2], corners[0])]
        .into_iter()
        .fold(f64::INFINITY, f64::min)
}

/// Writes what it sees to the buffer, for each sample of each pixel: a bit, the mask, the position in
/// sixteenths, and adds an output of one bit for each sample to the attachment.
fn per_sample() -> String {
    Shader {
        capabilities: "OpCapability SampleRateShading",
        interface: "%coord %id %place %mask %out",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %id BuiltIn SampleId
                      OpDecorate %id Flat
                      OpDecorate %place BuiltIn SamplePosition
                      OpDecorate %mask BuiltIn SampleMask
                      OpDecorate %mask Flat
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %id = OpVariable %in_uint Input
                  %place = OpVariable %in_v2 Input
                  %mask = OpVariable %in_one_int Input
                  %out = OpVariable %out_v4 Output
                  %u31 = OpConstant %uint 31
                  %u24 = OpConstant %uint 24",
        body: &format!(
            "{PIXEL}
               {SAMPLE_CELL}
               %m_ = OpAccessChain %in_int %mask %i0
               %m = OpLoad %int %m_
               %mu = OpBitcast %uint %m
               %p = OpLoad %v2 %place
               %px = OpCompositeExtract %float %p 0
               %py = OpCompositeExtract %float %p 1
               %px16 = OpFMul %float %px %f16
               %py16 = OpFMul %float %py %f16
               %pxu = OpConvertFToU %uint %px16
               %pyu = OpConvertFToU %uint %py16
               %pxs = OpShiftLeftLogical %uint %pxu %u8
               %pys = OpShiftLeftLogical %uint %pyu %u16
               %one = OpShiftLeftLogical %uint %u1 %u24
               %w0 = OpBitwiseOr %uint %mu %pxs
               %w1 = OpBitwiseOr %uint %w0 %pys
               %w2 = OpIAdd %uint %w1 %one
               %old = OpAtomicIAdd %uint %cell %u1 %u0 %w2
               %bit = OpShiftLeftLogical %uint %u1 %n
               %bitf = OpConvertUToF %float %bit
               %all = OpCompositeConstruct %v4 %bitf %x %y %f1
               OpStore %out %all"
        ),
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn each_sample_has_its_invocation() {
    let lab = Lab::new(&[c"VK_EXT_sample_locations"]);
    let mut scene = Scene::new(&passing(), &per_sample(), &triangle());
    scene.state.samples = 4;
    let custom = [(1, 2), (15, 3), (2, 13), (9, 9)];
    let mut partly = 0;
    for places in [sample_positions(4).to_vec(), custom.to_vec()] {
        if places == custom {
            let place =
                |&(x, y): &(u8, u8)| vk::SampleLocationEXT { x: f32::from(x) / 16.0, y: f32::from(y) / 16.0 };
            scene.state.sample_locations = custom.iter().map(place).collect();
        }
        let picture = lab.draw_both(&scene);
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let mut sum = 0.0;
            let mut place_sum = [0.0; 2];
            for (sample, &(dx, dy)) in places.iter().enumerate() {
                let word = picture.words[(4 * (y * SIZE + x)) as usize + sample];
                let at = [f64::from(x) + f64::from(dx) / 16.0, f64::from(y) + f64::from(dy) / 16.0];
                let distance = inside(at[0], at[1]);
                assert!(distance.abs() > 1e-3, "an edge goes through a sample: choose another triangle");
                let expected = match distance > 0.0 {
                    true => 1 << 24 | u32::from(dy) << 16 | u32::from(dx) << 8 | 1 << sample,
                    false => 0,
                };
                assert_eq!(word, expected, "{x} {y} {sample}");
                if distance > 0.0 {
                    sum += f32::from(1u8 << sample) / 4.0;
                    place_sum = [place_sum[0] + at[0] / 4.0, place_sum[1] + at[1] / 4.0];
                }
            }
            // `FragCoord` is where the sample is.
            let found = picture.at(0, x, y);
            assert_eq!(found[0], sum, "{x} {y}");
            for (found, expected) in found[1..3].iter().zip(place_sum) {
                assert!((f64::from(*found) - expected).abs() < 1e-4, "{x} {y}");
            }
            partly += u32::from(sum > 0.0 && sum < 3.75);
        }
    }
    assert!(partly > 20);
}

/// Counts invocations by pixel, with the mask that each sees; writes a mask, or none.
fn masking(writes: bool) -> String {
    let (interface, body) = match writes {
        true => (
            "%coord %mask %out_mask %out",
            "%om = OpAccessChain %out_int %out_mask %i0
             OpStore %om %written",
        ),
        false => ("%coord %mask %out", ""),
    };
    let body = format!(
        "%c = OpLoad %v4 %coord
         %x = OpCompositeExtract %float %c 0
         %y = OpCompositeExtract %float %c 1
         %xu = OpConvertFToU %uint %x
         %yu = OpConvertFToU %uint %y
         %row = OpIMul %uint %yu %u16
         %pixel = OpIAdd %uint %row %xu
         %cell = OpAccessChain %ptr_uint %buffer %i0 %pixel
         %m_ = OpAccessChain %in_int %mask %i0
         %m = OpLoad %int %m_
         %mu = OpBitcast %uint %m
         %sum = OpIAdd %uint %mu %u256
         %old = OpAtomicIAdd %uint %cell %u1 %u0 %sum
         {body}
         %all = OpCompositeConstruct %v4 %f1 %f1 %f1 %f1
         OpStore %out %all"
    );
    let decorations = "OpDecorate %coord BuiltIn FragCoord
                       OpDecorate %mask BuiltIn SampleMask
                       OpDecorate %mask Flat
                       OpDecorate %out Location 0";
    let decorations = match writes {
        true => format!("{decorations}\nOpDecorate %out_mask BuiltIn SampleMask"),
        false => decorations.into(),
    };
    Shader {
        interface,
        decorations: &decorations,
        globals: "%coord = OpVariable %in_v4 Input
                  %mask = OpVariable %in_one_int Input
                  %out_mask = OpVariable %out_one_int Output
                  %out = OpVariable %out_v4 Output
                  %u256 = OpConstant %uint 256
                  %written = OpConstant %int -11",
        body: &body,
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn masks_say_what_is_covered_and_take_away() {
    let lab = Lab::new(&[]);
    for (writes, kept) in [(false, 0b1111), (true, 0b0101)] {
        let text = masking(writes);
        // What is not in the interface may not be declared with a built-in only.
        let text = if writes { text } else { text.replace("%out_mask = OpVariable %out_one_int Output", "") };
        let mut scene = Scene::new(&passing(), &text, &triangle());
        scene.state.samples = 4;
        let picture = lab.draw_both(&scene);
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let mut mask = 0;
            for (sample, &(dx, dy)) in sample_positions(4).iter().enumerate() {
                let at = [f64::from(x) + f64::from(dx) / 16.0, f64::from(y) + f64::from(dy) / 16.0];
                mask |= u32::from(inside(at[0], at[1]) > 0.0) << sample;
            }
            let expected = if mask == 0 { 0 } else { 256 + mask };
            assert_eq!(picture.words[(y * SIZE + x) as usize], expected, "{x} {y}: one invocation a pixel");
            let left = (mask & kept).count_ones() as f32 / 4.0;
            assert_eq!(picture.at(0, x, y), [left; 4], "{x} {y}");
        }
    }
}

/// The vector, which is the place in clip space, as it is interpolated with a decoration, or without.
pub(crate) fn interpolating(decoration: &str) -> String {
    let decorated = match decoration {
        "" => String::new(),
        _ => format!("OpDecorate %passed {decoration}\n"),
    };
    let decorations = format!(
        "OpDecorate %passed Location 0
         {decorated}
         OpDecorate %out Location 0"
    );
    Shader {
        capabilities: if decoration == "Sample" { "OpCapability SampleRateShading" } else { "" },
        interface: "%passed %out",
        decorations: &decorations,
        globals: "%passed = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%p = OpLoad %v4 %passed
               OpStore %out %p",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn inputs_are_interpolated_where_they_should() {
    let lab = Lab::new(&[]);
    let clip = |pixel: f64| pixel / 8.0 - 1.0;
    for (decoration, samples) in [
        ("", 1),
        ("Centroid", 1),
        ("Sample", 1),
        ("NoPerspective", 1),
        ("", 4),
        ("Centroid", 4),
        ("Sample", 4),
    ] {
        let mut scene = Scene::new(&passing(), &interpolating(decoration), &triangle());
        scene.state.samples = samples;
        let picture = lab.draw_both(&scene);
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let places: Vec<[f64; 2]> = sample_positions(samples)
                .iter()
                .map(|&(dx, dy)| [f64::from(x) + f64::from(dx) / 16.0, f64::from(y) + f64::from(dy) / 16.0])
                .filter(|at| inside(at[0], at[1]) > 0.0)
                .collect();
            let [found_x, found_y, _, drawn] = picture.at(0, x, y).map(f64::from);
            let share = places.len() as f64 / f64::from(samples);
            assert!((drawn - share).abs() < 1e-5, "{decoration} {samples} {x} {y}: {drawn}");
            if places.is_empty() {
                continue;
            }
            let context = format!("{decoration} {samples} {x} {y}");
            let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-3;
            if samples == 1 {
                // Always the centre.
                let [cx, cy] = [x, y].map(|at| clip(f64::from(at) + 0.5));
                assert!(is_near(found_x, cx) && is_near(found_y, cy), "{context}");
            } else if decoration == "Sample" {
                let sum = |axis: usize| places.iter().map(|at| clip(at[axis])).sum::<f64>() / 4.0;
                assert!(is_near(found_x, sum(0)) && is_near(found_y, sum(1)), "{context}");
            } else {
                // One place for all samples, within the pixel, and for centroids within the triangle.
                let [px, py] = [found_x, found_y].map(|found| (found / share + 1.0) * 8.0);
                let within = |place: f64, pixel: u32| (place - f64::from(pixel) - 0.5).abs() < 0.501;
                assert!(within(px, x) && within(py, y), "{context}: {px} {py}");
                assert!(decoration != "Centroid" || share == 1.0 || inside(px, py) > -1e-2, "{context}");
            }
        }
    }
}

#[test]
fn points_have_their_vertex_s_value() {
    let lab = Lab::new(&[]);
    let vertex = passing()
        .replace("%position %passed", "%position %passed %size")
        .replace(
            "OpDecorate %passed Location 0",
            "OpDecorate %passed Location 0\nOpDecorate %size BuiltIn PointSize",
        )
        .replace("%passed = OpVariable", "%size = OpVariable %out_float Output\n%passed = OpVariable")
        .replace("OpStore %passed %c", "OpStore %passed %c\nOpStore %size %f16");
    let vector = [0.25, 3.0, -7.5, 1e6];
    for decoration in ["", "Centroid", "Sample", "NoPerspective"] {
        for samples in [1, 4] {
            let mut scene =
                Scene::new(&vertex, &interpolating(decoration), &[[[0.0, 0.0, 0.0, 2.0], vector]]);
            scene.state.topology = vk::PrimitiveTopology::POINT_LIST;
            scene.state.samples = samples;
            let picture = lab.draw_both(&scene);
            for (x, y) in [(0, 0), (7, 9), (15, 15)] {
                assert_eq!(picture.at(0, x, y), vector, "{decoration} {samples} {x} {y}");
            }
        }
    }
}

#[test]
fn sample_shading_runs_once_for_each_covered_sample() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &per_sample(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    for samples in [2, 4] {
        scene.state.samples = samples;
        let words = lab.draw_both(&scene).words;
        let invocations: u32 = words.iter().take(4 * (SIZE * SIZE) as usize).map(|word| word >> 24).sum();
        assert_eq!(invocations, samples * SIZE * SIZE);
    }
}

/// Counts invocations by pixel, and sets the bit of the sixteenth of the pixel that each is at by
/// `FragCoord`, with decorations of `FragCoord` and of `BaryCoordKHR`.
fn counting(of_coord: &str, of_weights: &str) -> String {
    let decorations = format!(
        "OpDecorate %coord BuiltIn FragCoord
         OpDecorate %weights BuiltIn BaryCoordKHR
         OpDecorate %out Location 0
         {of_coord}
         {of_weights}"
    );
    Shader {
        capabilities: "OpCapability SampleRateShading\nOpCapability FragmentBarycentricKHR",
        extensions: "OpExtension \"SPV_KHR_fragment_shader_barycentric\"",
        interface: "%coord %weights %out",
        decorations: &decorations,
        globals: "%coord = OpVariable %in_v4 Input
                  %weights = OpVariable %in_v3 Input
                  %out = OpVariable %out_v4 Output",
        body: &format!(
            "{PIXEL}
               %first = OpIMul %uint %pixel %u4c
               %second = OpIAdd %uint %first %u1
               %count = OpAccessChain %ptr_uint %buffer %i0 %first
               %n = OpAtomicIAdd %uint %count %u1 %u0 %u1
               %whole = OpConvertUToF %float %xu
               %part = OpFSub %float %x %whole
               %sixteenths = OpFMul %float %part %f16
               %place = OpConvertFToU %uint %sixteenths
               %bit = OpShiftLeftLogical %uint %u1 %place
               %places = OpAccessChain %ptr_uint %buffer %i0 %second
               %m = OpAtomicOr %uint %places %u1 %u0 %bit
               %w = OpLoad %v3 %weights
               %w4 = OpCompositeConstruct %v4 %w %f1
               OpStore %out %w4"
        ),
        ..Shader::default()
    }
    .fragment()
}

/// The decoration asks for sample shading on built-in inputs, too (specification, "Sample Shading"), whether
/// the built-in depends on the sample as `FragCoord` does or is interpolated as barycentric coordinates are.
#[test]
fn built_in_inputs_decorated_sample_make_sample_shading() {
    let lab = Lab::new(&[c"VK_KHR_fragment_shader_barycentric"]);
    let (coord, weights) = ("OpDecorate %coord Sample", "OpDecorate %weights Sample");
    // One triangle that covers all.
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [0.0; 4]]);
    for (of_coord, of_weights) in [("", ""), (coord, ""), ("", weights), (coord, weights)] {
        let text = counting(of_coord, of_weights);
        let mut scene = Scene::new(&passing(), &text, &corners);
        for samples in [1, 2, 4] {
            scene.state.samples = samples;
            let picture = lab.draw_both(&scene);
            let is_shaded = !of_coord.is_empty() || !of_weights.is_empty();
            let centre = 1 << 8;
            let (count, places) = match is_shaded && samples > 1 {
                true => {
                    (samples, sample_positions(samples).iter().fold(0, |places, &(x, _)| places | 1 << x))
                }
                false => (1, centre),
            };
            for (pixel, words) in picture.words.chunks(4).take((SIZE * SIZE) as usize).enumerate() {
                assert_eq!(words[..2], [count, places], "{pixel} {samples} {of_coord} {of_weights}");
            }
        }
    }
}

#[test]
fn centroids_have_derivatives() {
    // They may be inexact where a pixel is covered in part, and nowhere else.
    let lab = Lab::new(&[]);
    let text =
        interpolating("Centroid").replace("OpStore %out %p", "%change = OpDPdx %v4 %p\nOpStore %out %change");
    let mut scene = Scene::new(&passing(), &text, &triangle());
    scene.state.samples = 4;
    let picture = lab.draw_both(&scene);
    let is_whole = |x: u32, y: u32| {
        [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0)]
            .iter()
            .all(|&(dx, dy)| inside(f64::from(x) + dx, f64::from(y) + dy) > 0.0)
    };
    let quads = (0..SIZE).step_by(2).flat_map(|y| (0..SIZE).step_by(2).map(move |x| (x, y)));
    let whole: Vec<_> = quads.filter(|&(x, y)| is_whole(x, y)).collect();
    assert!(whole.len() > 5);
    for (x, y) in whole {
        let [along_x, along_y, ..] = picture.at(0, x, y);
        assert!((along_x - 0.125).abs() < 1e-3 && along_y.abs() < 1e-3, "{x} {y}: {along_x} {along_y}");
    }
    assert!(picture.colors[0].iter().all(|&word| f32::from_bits(word).is_finite()));
}

#[test]
fn sample_interlock_orders_samples() {
    let lab = Lab::new(&[c"VK_EXT_fragment_shader_interlock"]);
    let vertices = [1.0, 2.0, 3.0].map(|digit| rectangle(WHOLE, 0.5, [digit; 4])).concat();
    for (mode, is_ordered) in [("SampleInterlockOrderedEXT", true), ("SampleInterlockUnorderedEXT", false)] {
        let mut scene = Scene::new(&passing(), &interlocked(mode, true), &vertices);
        scene.state.samples = 4;
        let words = lab.draw_both(&scene).words;
        for &number in &words[..4 * (SIZE * SIZE) as usize] {
            assert_eq!(interlocked_digits(number, is_ordered), [1, 2, 3], "{mode}");
        }
    }
}

#[test]
fn the_mask_of_samples_becomes_a_colour() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &interpolating(""), &triangle());
    scene.formats.push(vk::Format::R32_UINT);
    (scene.state.samples, scene.state.coverage_to_color) = (4, Some(1));
    scene.state.sample_mask = 0b1101;
    // The depth test takes samples away, too: the triangle lies at 0.5, as the attachment does.
    scene.state.depth_test = true;
    for (compare, kept) in [(vk::CompareOp::EQUAL, 0b1101), (vk::CompareOp::LESS, 0)] {
        scene.state.depth_compare = compare;
        let picture = lab.draw_both(&scene);
        for (x, y) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y))) {
            let mut mask = 0;
            for (sample, &(dx, dy)) in sample_positions(4).iter().enumerate() {
                let at = [f64::from(x) + f64::from(dx) / 16.0, f64::from(y) + f64::from(dy) / 16.0];
                mask |= u32::from(inside(at[0], at[1]) > 0.0) << sample;
            }
            // The resolve takes the first sample.
            let expected = if mask & 1 & kept != 0 { mask & kept } else { 0 };
            assert_eq!(picture.colors[1][(y * SIZE + x) as usize], expected, "{compare:?} {x} {y}");
        }
    }
}
