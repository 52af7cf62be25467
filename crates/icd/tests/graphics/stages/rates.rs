//! Fragments of several pixels: their sizes, what their shader sees, and what happens to each of their
//! pixels.

use super::assembly::{PIXEL, Shader, WHOLE, interlocked, interlocked_digits, passed_on, passing, rectangle};
use pyro_test_kit::scene::{Lab, SIZE, Scene, With};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    FragmentShadingRateCombinerOpKHR as Op, KhrFragmentShadingRateExtensionInstanceCommands as _,
    NvFragmentShadingRateEnumsExtensionDeviceCommands as _,
};

/// Sizes of fragments, as logarithms of width and height.
const SIZES: [[u32; 2]; 9] = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1], [2, 2]];

fn extent([x, y]: [u32; 2]) -> vk::Extent2D {
    vk::Extent2D { width: 1 << x, height: 1 << y }
}

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

/// Counts invocations at the pixel of their centre, with the coverage that they see; the colour is
/// `FragCoord`'s x and y, the rate, and how much x changes from fragment to fragment plus 16 times how much y
/// does.
pub(super) fn seeing() -> String {
    Shader {
        capabilities: "OpCapability FragmentShadingRateKHR",
        extensions: "OpExtension \"SPV_KHR_fragment_shading_rate\"",
        interface: "%coord %mask %rate %out",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %rate BuiltIn ShadingRateKHR
                      OpDecorate %rate Flat
                      OpDecorate %mask BuiltIn SampleMask
                      OpDecorate %mask Flat
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %rate = OpVariable %in_uint Input
                  %mask = OpVariable %in_one_int Input
                  %out = OpVariable %out_v4 Output",
        body: &format!(
            "{PIXEL}
               %two = OpIMul %uint %pixel %u2c
               %next = OpIAdd %uint %two %u1
               %count = OpAccessChain %ptr_uint %buffer %i0 %two
               %cell = OpAccessChain %ptr_uint %buffer %i0 %next
               %m_ = OpAccessChain %in_int %mask %i0
               %m = OpLoad %int %m_
               %mu = OpBitcast %uint %m
               %old = OpAtomicIAdd %uint %count %u1 %u0 %u1
                      OpStore %cell %mu
               %dx = OpDPdx %float %x
               %dy = OpDPdy %float %y
               %dy16 = OpFMul %float %dy %f16
               %both = OpFAdd %float %dx %dy16
               %r = OpLoad %uint %rate
               %rf = OpConvertUToF %float %r
               %all = OpCompositeConstruct %v4 %x %y %rf %both
               OpStore %out %all"
        ),
        ..Shader::default()
    }
    .fragment()
}

/// The size that fragments of so many samples get where this one is asked for: with at most 32 samples in
/// all, the largest, most square and rather wide one.
fn clamped([x, y]: [u32; 2], samples: u32) -> [u32; 2] {
    let fits = |size: &&[u32; 2]| {
        size[0] <= x && size[1] <= y && (samples << (size[0] + size[1]) <= 32 || **size == [0, 0])
    };
    let order = |size: &&[u32; 2]| (size[0] + size[1], -(1i32 << size[0]) - (1 << size[1]), size[0]);
    *SIZES.iter().filter(fits).max_by_key(order).expect("single pixels fit")
}

#[test]
fn fragment_size_follows_the_shading_rate() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &seeing(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    for samples in [1, 4, 8] {
        scene.state.samples = samples;
        for asked in SIZES {
            scene.state.fragment_size = extent(asked);
            let picture = lab.draw_both(&scene);
            let [wide, high] = clamped(asked, samples);
            let (width, height) = (1 << wide, 1 << high);
            let mut invocations = 0;
            for (x, y) in pixels() {
                let center = |at: u32, size: u32| (at / size * size) as f32 + size as f32 / 2.0;
                let rate = (wide << 2 | high) as f32;
                let change = (width + 16 * height) as f32;
                let expected = [center(x, width), center(y, height), rate, change];
                assert_eq!(picture.at(0, x, y), expected, "{asked:?} {samples} {x} {y}");
                invocations += picture.words[2 * (y * SIZE + x) as usize];
            }
            // The rectangle's diagonal is of two triangles: there both have an invocation.
            let fragments = SIZE * SIZE / (width * height);
            assert!((fragments..2 * fragments).contains(&invocations), "{asked:?} {samples} {invocations}");
        }
    }
}

#[test]
fn fragment_shading_rates_list_sample_counts() {
    let lab = Lab::new(&[]);
    let all = unsafe {
        let physical_device = lab.instance.enumerate_physical_devices().expect("devices")[0];
        lab.instance.get_physical_device_fragment_shading_rates_khr(physical_device).expect("rates")
    };
    assert_eq!(all.len(), SIZES.len());
    for (rate, size) in all.iter().zip(SIZES.iter().rev()) {
        assert_eq!(rate.fragment_size, extent(*size));
        for samples in [1, 2, 4, 8, 16] {
            let has = rate.sample_counts.contains(vk::SampleCountFlags::from_bits_truncate(samples));
            assert_eq!(has, clamped(*size, samples) == *size, "{size:?} {samples}");
        }
    }
}

/// A triangle with edges across fragments, its depth a slope.
fn triangle(depths: [f32; 3]) -> [[[f32; 4]; 2]; 3] {
    [([-0.85, -0.8], 0), ([0.9, -0.35], 1), ([-0.3, 0.95], 2)]
        .map(|([x, y], corner)| [[x, y, depths[corner], 1.0], [1.0, x, y, 0.5]])
}

#[test]
fn coarse_fragment_coverage_holds_all_pixels() {
    let lab = Lab::new(&[]);
    for (samples, sample_mask) in [(1, u32::MAX), (2, u32::MAX), (4, u32::MAX), (4, 0b0110), (8, u32::MAX)] {
        let mut scene = Scene::new(&passing(), &seeing(), &triangle([0.5; 3]));
        (scene.state.samples, scene.state.sample_mask) = (samples, sample_mask);
        let single = lab.draw_both(&scene);
        let covered = |x: u32, y: u32| single.words[2 * (y * SIZE + x) as usize + 1];
        for asked in SIZES {
            scene.state.fragment_size = extent(asked);
            let picture = lab.draw_both(&scene);
            let size = clamped(asked, samples);
            let (width, height) = (1 << size[0], 1 << size[1]);
            for (x, y) in pixels().filter(|(x, y)| x % width == 0 && y % height == 0) {
                // The first pixel has the uppermost bits.
                let inner = (0..height).flat_map(|dy| (0..width).map(move |dx| (x + dx, y + dy)));
                let expected = inner.fold(0, |mask: u64, (x, y)| mask << samples | u64::from(covered(x, y)));
                let at = 2 * ((y + height / 2) * SIZE + x + width / 2) as usize;
                let found = [picture.words[at], picture.words[at + 1]];
                assert_eq!(found, [u32::from(expected != 0), expected as u32], "{asked:?} {samples} {x} {y}");
            }
            for (x, y) in pixels() {
                let is_drawn = |picture: &pyro_test_kit::scene::Picture| picture.at(0, x, y) != [0.0; 4];
                assert_eq!(is_drawn(&picture), is_drawn(&single), "{asked:?} {samples} {x} {y}");
            }
        }
    }
}

#[test]
fn samples_on_an_edge_are_of_one_side() {
    let lab = Lab::new(&[]);
    // A square of four by four pixels and its diagonal, on which two of eight samples of a pixel lie: (3, 13)
    // and (15, 1).
    let sides = [
        ([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 8 + 3 + 3),
        ([[4.0, 0.0], [4.0, 4.0], [0.0, 4.0]], 5 + 5 + 8),
    ];
    for (corners, expected) in sides {
        let vertices = corners.map(|[x, y]| [[x / 8.0 - 1.0, y / 8.0 - 1.0, 0.5, 1.0], [1.0; 4]]);
        let mut scene = Scene::new(&passing(), &seeing(), &vertices);
        (scene.state.samples, scene.state.fragment_size) = (8, extent([1, 1]));
        let picture = lab.draw_both(&scene);
        for [x, y] in [[2, 0], [0, 2]] {
            // Its middle is where the fragment has written to.
            let mask = picture.words[2 * ((y + 1) * SIZE + x + 1) as usize + 1];
            assert_eq!(mask.count_ones(), expected, "{corners:?} {x} {y}");
        }
    }
}

/// Writes the mask that the buffer's first word says, and the colour that it is given.
fn masking() -> String {
    Shader {
        interface: "%mask %passed %out",
        decorations: "OpDecorate %mask BuiltIn SampleMask
                      OpDecorate %passed Location 0
                      OpDecorate %out Location 0",
        globals: "%mask = OpVariable %out_one_int Output
                  %passed = OpVariable %in_v4 Input
                  %out = OpVariable %out_v4 Output",
        body: "%cell = OpAccessChain %ptr_uint %buffer %i0 %u0
               %word = OpLoad %uint %cell
               %bits = OpBitcast %int %word
               %m_ = OpAccessChain %out_int %mask %i0
               OpStore %m_ %bits
               %p = OpLoad %v4 %passed
               OpStore %out %p",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn masks_take_samples_of_each_pixel_away() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &masking(), &rectangle(WHOLE, 0.5, [1.0; 4]));
    for (size, samples, mask) in [([1, 1], 1, 0b0110), ([2, 1], 2, 0x1234), ([1, 0], 4, 0b0010_0111)] {
        (scene.state.fragment_size, scene.state.samples) = (extent(size), samples);
        scene.words = vec![mask];
        let picture = lab.draw_both(&scene);
        let (width, height) = (1 << size[0], 1 << size[1]);
        for (x, y) in pixels() {
            let pixel = x % width + y % height * width;
            let bits = mask >> (samples * (width * height - 1 - pixel)) & ((1 << samples) - 1);
            let share = bits.count_ones() as f32 / samples as f32;
            assert_eq!(picture.at(0, x, y), [share; 4], "{size:?} {samples} {x} {y}");
        }
    }
}

#[test]
fn coarse_fragments_test_and_write_each_pixel() {
    let lab = Lab::new(&[]);
    let late = passed_on();
    let early = late.replace(
        "OpExecutionMode %main OriginUpperLeft",
        "OpExecutionMode %main OriginUpperLeft\nOpExecutionMode %main EarlyFragmentTests",
    );
    let constant = [[1.0, 0.5, 0.25, 1.0]; 3];
    let face = vk::StencilOpState {
        fail_op: vk::StencilOp::INVERT,
        pass_op: vk::StencilOp::INCREMENT_AND_CLAMP,
        depth_fail_op: vk::StencilOp::DECREMENT_AND_WRAP,
        compare_op: vk::CompareOp::GREATER_OR_EQUAL,
        compare_mask: 0x7f,
        write_mask: 0x3f,
        reference: 2,
    };
    for (text, samples) in [(&late, 1), (&early, 1), (&late, 4), (&early, 4)] {
        // Two slopes that cross, and the clear depth between their ends.
        let mut vertices = [triangle([0.1, 0.9, 0.4]), triangle([0.8, 0.2, 0.6])].concat();
        vertices.iter_mut().zip(constant.iter().cycle()).for_each(|(vertex, color)| vertex[1] = *color);
        let mut scene = Scene::new(&passing(), text, &vertices);
        scene.state.samples = samples;
        (scene.state.depth_test, scene.state.depth_write) = (true, true);
        scene.state.depth_compare = vk::CompareOp::LESS;
        scene.state.stencil = Some([face; 2]);
        scene.state.blend.blend_enable = vk::TRUE;
        scene.state.blend.dst_color_blend_factor = vk::BlendFactor::ONE;
        scene.state.blend.dst_alpha_blend_factor = vk::BlendFactor::ONE;
        scene.state.exclusive_scissor = Some(vk::Rect2D {
            offset: vk::Offset2D { x: 5, y: 3 },
            extent: vk::Extent2D { width: 2, height: 9 },
        });
        scene.state.discard_rectangles = vec![vk::Rect2D {
            offset: vk::Offset2D { x: 3, y: 1 },
            extent: vk::Extent2D { width: 10, height: 13 },
        }];
        let single = lab.draw_both(&scene);
        assert!(single.depth.iter().any(|&depth| depth < 0.5));
        for size in SIZES {
            scene.state.fragment_size = extent(size);
            // What the shader gives does not depend on places, so the pictures are the same.
            assert!(lab.draw_both(&scene) == single, "{size:?} {samples}");
        }
    }
}

/// Gives the rate that the second vector's first component names.
fn rating() -> String {
    passing()
        .replace("OpCapability Shader", "OpCapability Shader\nOpCapability FragmentShadingRateKHR")
        .replace(
            "OpExtension \"SPV_KHR_storage_buffer_storage_class\"",
            "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\nOpExtension \"SPV_KHR_fragment_shading_rate\"",
        )
        .replace("%position %passed", "%position %passed %rate")
        .replace(
            "OpDecorate %passed Location 0",
            "OpDecorate %passed Location 0\nOpDecorate %rate BuiltIn PrimitiveShadingRateKHR",
        )
        .replace("%passed = OpVariable", "%rate = OpVariable %out_uint Output\n%passed = OpVariable")
        .replace(
            "OpStore %passed %c",
            "OpStore %passed %c
             %rate_f = OpCompositeExtract %float %c 0
             %rate_u = OpConvertFToU %uint %rate_f
             OpStore %rate %rate_u",
        )
}

/// What a combiner makes of logarithms.
fn combined(op: Op, a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [0, 1].map(|axis: usize| {
        let (a, b) = (a[axis], b[axis]);
        match op {
            Op::KEEP => a,
            Op::REPLACE => b,
            Op::MIN => a.min(b),
            Op::MAX => a.max(b),
            _ => (a + b).min(2),
        }
    })
}

#[test]
fn rates_of_pipeline_primitive_and_attachment_are_combined() {
    let lab = Lab::new(&[]);
    let ops = [Op::KEEP, Op::REPLACE, Op::MIN, Op::MAX, Op::MUL];
    let bits = |size: [u32; 2]| size[0] << 2 | size[1];
    let (pipeline, attachment) = ([1, 0], [[1, 1], [0, 2], [2, 0], [0, 0]]);
    for (first, second) in ops.into_iter().flat_map(|first| ops.map(|second| (first, second))) {
        // The primitives of each half have a rate of their own.
        let primitives = [[0, 1], [2, 1]];
        let vertices = [
            rectangle([-1.0, -1.0, 1.0, 0.0], 0.5, [bits(primitives[0]) as f32; 4]),
            rectangle([-1.0, 0.0, 1.0, 1.0], 0.5, [bits(primitives[1]) as f32; 4]),
        ];
        let mut scene = Scene::new(&rating(), &seeing(), &vertices.concat());
        scene.state.fragment_size = extent(pipeline);
        scene.state.combiners = [first, second];
        for with_attachment in [true, false] {
            scene.rates = with_attachment.then(|| (attachment.map(|size| bits(size) as u8).to_vec(), [8, 8]));
            let picture = lab.draw_both(&scene);
            for (x, y) in pixels() {
                let of_place = match with_attachment {
                    true => attachment[(x / 8 + y / 8 * 2) as usize],
                    false => [0, 0],
                };
                let both = combined(first, pipeline, primitives[usize::from(y >= 8)]);
                let expected = combined(second, both, of_place);
                let found = picture.at(0, x, y)[2];
                assert_eq!(found, bits(expected) as f32, "{first:?} {second:?} {with_attachment} {x} {y}");
            }
        }
    }
}

#[test]
fn shading_rate_attachment_is_read_per_layer() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &seeing(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    (scene.layers, scene.view_mask) = (2, 3);
    scene.state.combiners = [Op::KEEP, Op::REPLACE];
    // One texel for all of a layer: its own, or the only one.
    for (texels, rates) in [(vec![5, 1], [5, 1]), (vec![8], [8, 8])] {
        scene.rates = Some((texels, [16, 32]));
        let picture = lab.draw_both(&scene);
        for (layer, rate) in (0..).zip(rates) {
            let found = f32::from_bits(picture.words_at(0, 9, 9, layer)[2]);
            assert_eq!(found, rate as f32, "layer {layer}");
        }
    }
}

/// The colour is `FragSizeEXT`, `FragInvocationCountEXT` and x of `FragCoord`.
pub(super) fn measuring() -> String {
    Shader {
        capabilities: "OpCapability FragmentDensityEXT",
        extensions: "OpExtension \"SPV_EXT_fragment_invocation_density\"",
        interface: "%coord %size %count %out",
        decorations: "OpDecorate %coord BuiltIn FragCoord
                      OpDecorate %size BuiltIn FragSizeEXT
                      OpDecorate %size Flat
                      OpDecorate %count BuiltIn FragInvocationCountEXT
                      OpDecorate %count Flat
                      OpDecorate %out Location 0",
        globals: "%coord = OpVariable %in_v4 Input
                  %iv2 = OpTypeVector %int 2
                  %in_iv2 = OpTypePointer Input %iv2
                  %size = OpVariable %in_iv2 Input
                  %count = OpVariable %in_int Input
                  %out = OpVariable %out_v4 Output",
        body: "%c = OpLoad %v4 %coord
               %x = OpCompositeExtract %float %c 0
               %s = OpLoad %iv2 %size
               %w = OpCompositeExtract %int %s 0
               %h = OpCompositeExtract %int %s 1
               %n = OpLoad %int %count
               %wf = OpConvertSToF %float %w
               %hf = OpConvertSToF %float %h
               %nf = OpConvertSToF %float %n
               %all = OpCompositeConstruct %v4 %wf %hf %nf %x
               OpStore %out %all",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn density_maps_say_how_large_fragments_are() {
    let lab = Lab::new(&[c"VK_EXT_fragment_density_map", c"VK_EXT_fragment_density_map2"]);
    let mut scene = Scene::new(&passing(), &measuring(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    // Without a map pixels are fragments.
    let picture = lab.draw_both(&scene);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y) == [1.0, 1.0, 1.0, x as f32 + 0.5]));
    scene.flags = vk::PipelineCreateFlags2::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT;
    // What state says of rates does not matter.
    scene.state.fragment_size = extent([1, 1]);
    // Invocations for each pixel in x and y, as parts of 255: all, halves, quarters, less.
    let densities = [[255, 128], [127, 200], [63, 64], [10, 63]];
    let sizes = [[1, 1], [2, 1], [4, 2], [4, 4]];
    scene.rates = Some((densities.as_flattened().to_vec(), [8, 8]));
    let picture = lab.draw_both(&scene);
    for (x, y) in pixels() {
        let [width, height] = sizes[(y / 8 * 2 + x / 8) as usize];
        let center = (x / width * width) as f32 + width as f32 / 2.0;
        assert_eq!(picture.at(0, x, y), [width as f32, height as f32, 1.0, center], "{x} {y}");
    }
    // A layer of the map for each view.
    (scene.layers, scene.view_mask) = (2, 3);
    scene.rates = Some((densities[1..3].as_flattened().to_vec(), [16, 16]));
    let picture = lab.draw_both(&scene);
    for (layer, (x, y)) in (0..2).flat_map(|layer| pixels().map(move |at| (layer, at))) {
        let [width, height] = sizes[1 + layer as usize];
        let found = picture.words_at(0, x, y, layer).map(f32::from_bits);
        let center = (x / width * width) as f32 + width as f32 / 2.0;
        assert_eq!(found, [width as f32, height as f32, 1.0, center], "{x} {y} {layer}");
    }
}

/// [`passing`], to the layer of the instance.
fn passing_to_layers() -> String {
    Shader {
        capabilities: "OpCapability ShaderLayer",
        interface: "%place %color %position %passed %instance %layer",
        decorations: "OpDecorate %place Location 0
                      OpDecorate %color Location 1
                      OpDecorate %position BuiltIn Position
                      OpDecorate %passed Location 0
                      OpDecorate %instance BuiltIn InstanceIndex
                      OpDecorate %layer BuiltIn Layer",
        globals: "%place = OpVariable %in_v4 Input
                  %color = OpVariable %in_v4 Input
                  %instance = OpVariable %in_int Input
                  %position = OpVariable %out_v4 Output
                  %passed = OpVariable %out_v4 Output
                  %layer = OpVariable %out_int Output",
        body: "%p = OpLoad %v4 %place
               %c = OpLoad %v4 %color
               %i = OpLoad %int %instance
               OpStore %position %p
               OpStore %passed %c
               OpStore %layer %i",
        ..Shader::default()
    }
    .vertex()
    .replace("; Version: 1.3", "; Version: 1.5")
}

#[test]
fn density_maps_are_of_layers_where_the_rendering_says_so() {
    let lab = Lab::new(&[c"VK_EXT_fragment_density_map", c"VK_VALVE_fragment_density_map_layered"]);
    let mut scene = Scene::new(&passing_to_layers(), &measuring(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.flags = vk::PipelineCreateFlags2::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT;
    scene.layers = 2;
    scene.rates = Some((vec![127, 255, 63, 127], [16, 16]));
    for (density_layers, second) in [(false, [2.0, 1.0]), (true, [4.0, 2.0])] {
        scene.density_layers = density_layers;
        if density_layers {
            scene.flags |= vk::PipelineCreateFlags2::PER_LAYER_FRAGMENT_DENSITY_VALVE;
        }
        for with in [With::Pipeline, With::Objects] {
            let picture = lab
                .draw_by(&scene, with, |device, commands| unsafe { device.cmd_draw(commands, 6, 2, 0, 0) });
            let size = |layer| picture.words_at(0, 9, 9, layer).map(f32::from_bits);
            assert_eq!((&size(0)[..2], &size(1)[..2]), (&[2.0, 1.0][..], &second[..]), "{with:?}");
        }
    }
}

#[test]
fn the_end_of_rendering_moves_density_maps() {
    let lab = Lab::new(&[c"VK_EXT_fragment_density_map", c"VK_EXT_fragment_density_map_offset"]);
    let mut scene = Scene::new(&passing(), &measuring(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.flags = vk::PipelineCreateFlags2::RENDERING_FRAGMENT_DENSITY_MAP_ATTACHMENT_EXT;
    let sizes = [[1, 1], [2, 1], [1, 2], [2, 2]];
    let texels: Vec<u8> = sizes.as_flattened().iter().map(|size| 255 / size).collect();
    scene.rates = Some((texels, [8, 8]));
    for (x_offset, y_offset) in [(8, 0), (-8, 0), (0, 8), (-8, -8), (16, 0)] {
        scene.density_offsets = vec![vk::Offset2D { x: x_offset, y: y_offset }];
        let picture = lab.draw_both(&scene);
        for (x, y) in pixels() {
            let texel = |at: u32, offset: i32| ((at as i32 - offset).div_euclid(8)).clamp(0, 1) as usize;
            let [width, height] = sizes[2 * texel(y, y_offset) + texel(x, x_offset)];
            let found = picture.at(0, x, y);
            assert_eq!(found[..2], [width, height].map(f32::from), "{x_offset} {y_offset} {x} {y}");
        }
    }
    // By view.
    (scene.layers, scene.view_mask) = (2, 3);
    scene.rates = Some((vec![255, 255, 127, 255, 255, 255, 127, 255], [8, 16]));
    scene.density_offsets = [0, 8].map(|x| vk::Offset2D { x, y: 0 }).into();
    let picture = lab.draw_both(&scene);
    let width = |x, layer| f32::from_bits(picture.words_at(0, x, 3, layer)[0]);
    assert_eq!([width(3, 0), width(11, 0), width(3, 1), width(11, 1)], [1.0, 2.0, 1.0, 1.0]);
}

#[test]
fn sizes_of_fragments_have_numbers() {
    let lab = Lab::new(&[c"VK_NV_fragment_shading_rate_enums"]);
    let scene = Scene::new(&passing(), &seeing(), &rectangle(WHOLE, 0.5, [0.0; 4]));
    type Rate = vk::FragmentShadingRateNV;
    for (rate, [width, height]) in [
        (Rate::_1_INVOCATION_PER_PIXEL, [0, 0]),
        (Rate::_1_INVOCATION_PER_1X2_PIXELS, [0, 1]),
        (Rate::_1_INVOCATION_PER_2X1_PIXELS, [1, 0]),
        (Rate::_1_INVOCATION_PER_2X2_PIXELS, [1, 1]),
        (Rate::_1_INVOCATION_PER_2X4_PIXELS, [1, 2]),
        (Rate::_1_INVOCATION_PER_4X2_PIXELS, [2, 1]),
        (Rate::_1_INVOCATION_PER_4X4_PIXELS, [2, 2]),
    ] {
        let picture = lab.draw_by(&scene, With::Objects, |device, commands| unsafe {
            device.cmd_set_fragment_shading_rate_enum_nv(commands, rate, [Op::KEEP; 2]);
            device.cmd_draw(commands, 6, 1, 0, 0);
        });
        let found = pixels().map(|(x, y)| picture.at(0, x, y)[2]);
        let expected = (width << 2 | height) as f32;
        assert!(found.into_iter().all(|bits| bits == expected), "{rate:?}");
        // In the pipeline, where the type says which of two states counts.
        let mut scene = scene.clone();
        scene.state.fragment_size = vk::Extent2D { width: 2, height: 4 };
        for (is_enum, expected) in [(true, expected), (false, 6.0)] {
            scene.state.rate_enum = Some((is_enum, rate));
            let picture = lab.draw(&scene, With::Pipeline);
            assert!(pixels().all(|(x, y)| picture.at(0, x, y)[2] == expected), "{rate:?} {is_enum}");
        }
    }
}

#[test]
fn shading_rate_interlock_orders_fragments() {
    let lab = Lab::new(&[c"VK_EXT_fragment_shader_interlock"]);
    // One triangle each, so that a fragment has one invocation for it.
    let cover =
        |digit: f32| [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [digit; 4]]);
    let vertices = [1.0, 2.0, 3.0].map(cover).concat();
    for (mode, is_ordered) in
        [("ShadingRateInterlockOrderedEXT", true), ("ShadingRateInterlockUnorderedEXT", false)]
    {
        let mut scene = Scene::new(&passing(), &interlocked(mode, false), &vertices);
        for size in SIZES {
            scene.state.fragment_size = extent(size);
            let words = lab.draw_both(&scene).words;
            let (width, height) = (1 << size[0], 1 << size[1]);
            for (x, y) in pixels().filter(|(x, y)| x % width == width / 2 && y % height == height / 2) {
                let number = words[(y * SIZE + x) as usize];
                assert_eq!(interlocked_digits(number, is_ordered), [1, 2, 3], "{mode} {size:?} {x} {y}");
            }
        }
    }
}

#[test]
fn invocations_for_samples_are_of_one_pixel() {
    let lab = Lab::new(&[]);
    let text = seeing()
        .replace("OpCapability Shader\n", "OpCapability Shader\nOpCapability SampleRateShading\n")
        .replace("%rate %out\n", "%rate %id %out\n")
        .replace(
            "OpDecorate %rate Flat",
            "OpDecorate %rate Flat\nOpDecorate %id BuiltIn SampleId\nOpDecorate %id Flat",
        )
        .replace("%rate = OpVariable", "%id = OpVariable %in_uint Input\n%rate = OpVariable");
    let mut scene = Scene::new(&passing(), &text, &rectangle(WHOLE, 0.5, [0.0; 4]));
    scene.state.fragment_size = extent([2, 2]);
    // Even where pixels have one sample.
    let picture = lab.draw_both(&scene);
    for (x, y) in pixels() {
        assert_eq!(picture.at(0, x, y), [x as f32 + 0.5, y as f32 + 0.5, 0.0, 17.0], "{x} {y}");
    }
}

/// What follows the shader happens to each pixel, whatever the attachment's format: where the colour does not
/// change, as if each were a fragment.
#[test]
fn outputs_are_blended_for_each_pixel() {
    let lab = Lab::new(&[]);
    let mut scene = Scene::new(&passing(), &passed_on(), &rectangle(WHOLE, 0.5, [0.25, 0.5, 0.75, 0.5]));
    let plain = scene.state.blend;
    let blends = vk::PipelineColorBlendAttachmentState {
        blend_enable: vk::TRUE,
        src_color_blend_factor: vk::BlendFactor::SRC_ALPHA,
        dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        src_alpha_blend_factor: vk::BlendFactor::SRC_ALPHA,
        dst_alpha_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
        ..plain
    };
    for format in
        [vk::Format::R32G32B32A32_SFLOAT, vk::Format::R8G8B8A8_UNORM, vk::Format::R16G16B16A16_SFLOAT]
    {
        scene.formats = vec![format];
        for (samples, blend, alpha_to_one) in
            [(1, plain, false), (1, plain, true), (1, blends, false), (1, blends, true), (4, blends, true)]
        {
            (scene.state.samples, scene.state.blend, scene.state.alpha_to_one) =
                (samples, blend, alpha_to_one);
            scene.state.fragment_size = extent([0, 0]);
            let expected = lab.draw_both(&scene).colors;
            for size in [[0, 1], [1, 0], [1, 1], [2, 2]] {
                scene.state.fragment_size = extent(size);
                let what = (format, samples, blend.blend_enable, alpha_to_one, size);
                assert_eq!(lab.draw_both(&scene).colors, expected, "{what:?}");
            }
        }
    }
}
