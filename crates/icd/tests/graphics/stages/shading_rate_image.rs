//! Shading rate images (`VK_NV_shading_rate_image`): palettes, `FragmentSizeNV` and `InvocationsPerPixelNV`,
//! and the order of samples.

use super::assembly::{Shader, passing};
use super::rates::measuring;
use pyro_test_kit::scene::{Lab, SIZE, Scene};
use vk::ShadingRatePaletteEntryNV as Entry;
use vulkanalia::prelude::v1_3::*;

fn pixels() -> impl Iterator<Item = (u32, u32)> {
    (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)))
}

/// All of the target, with a texel for each 8 by 8 pixels.
fn scene(fragment: &str, texels: [u8; 4], palette: &[Entry]) -> Scene {
    // One triangle, so that no fragment is shared.
    let whole = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]| [[x, y, 0.5, 1.0], [0.0; 4]]);
    let mut scene = Scene::new(&passing(), fragment, &whole);
    scene.rates = Some((texels.to_vec(), [8, 8]));
    scene.state.palette = Some(palette.to_vec());
    scene
}

/// Writes `SampleMask` as `mask` says, and its value before as the colour.
fn masking(mask: u32) -> String {
    Shader {
        interface: "%seen %written %out",
        decorations: "OpDecorate %seen BuiltIn SampleMask
                      OpDecorate %seen Flat
                      OpDecorate %written BuiltIn SampleMask
                      OpDecorate %out Location 0",
        globals: &format!(
            "%seen = OpVariable %in_one_int Input
             %written = OpVariable %out_one_int Output
             %out = OpVariable %out_v4 Output
             %kept = OpConstant %int {}",
            mask as i32
        ),
        body: "%at = OpAccessChain %in_int %seen %i0
               %mask = OpLoad %int %at
               %value = OpConvertSToF %float %mask
               %all = OpCompositeConstruct %v4 %value %value %value %value
               %to = OpAccessChain %out_int %written %i0
               OpStore %to %kept
               OpStore %out %all",
        ..Shader::default()
    }
    .fragment()
}

#[test]
fn palettes_say_how_large_fragments_are() {
    let lab = Lab::new(&[]);
    let sizes = [
        (Entry::_1_INVOCATION_PER_PIXEL, [1, 1]),
        (Entry::_1_INVOCATION_PER_2X1_PIXELS, [2, 1]),
        (Entry::_1_INVOCATION_PER_1X2_PIXELS, [1, 2]),
        (Entry::_1_INVOCATION_PER_2X2_PIXELS, [2, 2]),
        (Entry::_1_INVOCATION_PER_4X2_PIXELS, [4, 2]),
        (Entry::_1_INVOCATION_PER_2X4_PIXELS, [2, 4]),
        (Entry::_1_INVOCATION_PER_4X4_PIXELS, [4, 4]),
    ];
    let palette = sizes.map(|(entry, _)| entry);
    // The last index has no entry: it is the last one's.
    for texels in [[0, 1, 2, 3], [4, 5, 6, 200]] {
        let picture = lab.draw_both(&scene(&measuring(), texels, &palette));
        for (x, y) in pixels() {
            let index = usize::from(texels[(y / 8 * 2 + x / 8) as usize]).min(sizes.len() - 1);
            let [width, height] = sizes[index].1;
            let center = (x / width * width) as f32 + width as f32 / 2.0;
            assert_eq!(picture.at(0, x, y), [width as f32, height as f32, 1.0, center], "{x} {y}");
        }
    }
}

#[test]
fn fragments_without_invocations_are_discarded() {
    let lab = Lab::new(&[]);
    let palette = [Entry::_1_INVOCATION_PER_PIXEL, Entry::NO_INVOCATIONS];
    let mut scene = scene(&measuring(), [0, 1, 1, 0], &palette);
    scene.clear = [7.0; 4];
    // Also where the pipeline has the palette and a command enables it.
    for enabled_by_commands in [false, true] {
        scene.state.enabled_by_commands = enabled_by_commands;
        let picture = lab.draw_both(&scene);
        for (x, y) in pixels() {
            let is_drawn = (x < 8) == (y < 8);
            assert_eq!(picture.at(0, x, y)[2], if is_drawn { 1.0 } else { 7.0 }, "{x} {y}");
        }
    }
}

#[test]
fn a_pixel_has_several_invocations() {
    let lab = Lab::new(&[]);
    let palette = [
        Entry::_1_INVOCATION_PER_PIXEL,
        Entry::_2_INVOCATIONS_PER_PIXEL,
        Entry::_4_INVOCATIONS_PER_PIXEL,
        Entry::_16_INVOCATIONS_PER_PIXEL,
    ];
    let mut counted = scene(&measuring(), [0, 1, 2, 3], &palette);
    counted.state.samples = 4;
    let mut masked = scene(&masking(u32::MAX), [0, 1, 2, 3], &palette);
    masked.state.samples = 4;
    let (counts, masks) = (lab.draw_both(&counted), lab.draw_both(&masked));
    for (x, y) in pixels() {
        let index = (y / 8 * 2 + x / 8) as usize;
        // Not more than samples. Each sample has the mask of its invocation.
        let count = [1, 2, 4, 4][index];
        let mean = [15.0, (3.0 + 12.0) / 2.0, 15.0 / 4.0, 15.0 / 4.0][index];
        assert_eq!(counts.at(0, x, y)[2], count as f32, "{x} {y}");
        assert_eq!(masks.at(0, x, y)[0], mean, "{x} {y}");
    }
}

#[test]
fn masks_have_the_order_of_samples() {
    use vk::CoarseSampleOrderTypeNV as Kind;
    let lab = Lab::new(&[]);
    let location =
        |[pixel_x, pixel_y, sample]: [u32; 3]| vk::CoarseSampleLocationNV { pixel_x, pixel_y, sample };
    let entry = Entry::_1_INVOCATION_PER_2X2_PIXELS;
    let custom = [[1, 1, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]];
    let row_major = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]];
    for (kind, order) in
        [(Kind::PIXEL_MAJOR, row_major), (Kind::SAMPLE_MAJOR, row_major), (Kind::CUSTOM, custom)]
    {
        for (bit, [x, y, _]) in order.into_iter().enumerate() {
            let mut scene = scene(&masking(1 << bit), [0; 4], &[entry]);
            scene.state.sample_order = kind;
            if kind == Kind::CUSTOM {
                scene.state.custom_orders = vec![(entry, 1, order.map(location).to_vec())];
            }
            scene.clear = [0.0; 4];
            // Of each fragment, only the pixel of the bit is left.
            let picture = lab.draw_both(&scene);
            for at in pixels() {
                let expected = if at.0 % 2 == x && at.1 % 2 == y { 15.0 } else { 0.0 };
                assert_eq!(picture.at(0, at.0, at.1)[0], expected, "{kind:?} {bit} {at:?}");
            }
            // The shader sees that bit of a fragment of which only that pixel is covered.
            scene.fragment = masking(u32::MAX);
            let [left, top] = [x, y].map(|at| (4 + at) as f32 / 8.0 - 1.0);
            scene.vertices = [[0.0, 0.0], [0.12, 0.0], [0.0, 0.12]]
                .map(|[dx, dy]| [[left + 0.02 + dx, top + 0.02 + dy, 0.5, 1.0], [0.0; 4]])
                .to_vec();
            let picture = lab.draw_both(&scene);
            assert_eq!(picture.at(0, 4 + x, 4 + y)[0], (1 << bit) as f32, "{kind:?} {bit}");
        }
    }
}

#[test]
fn hostile_palettes_and_orders_are_harmless() {
    let lab = Lab::new(&[]);
    let palette: Vec<_> = (0..40).map(|number| Entry::from_raw(i32::MIN + 77 * number)).collect();
    let mut scene = scene(&masking(u32::MAX), [0, 9, 255, 3], &palette);
    let location = vk::CoarseSampleLocationNV { pixel_x: u32::MAX, pixel_y: 9, sample: 1 << 31 };
    let entry = Entry::_1_INVOCATION_PER_4X4_PIXELS;
    scene.state.sample_order = vk::CoarseSampleOrderTypeNV::CUSTOM;
    scene.state.custom_orders = vec![(entry, 77, vec![location; 99]), (entry, 1, vec![location; 16])];
    let picture = lab.draw_both(&scene);
    assert!(pixels().all(|(x, y)| picture.at(0, x, y)[0] == 1.0), "unknown entries are single pixels");
    scene.state.palette = Some(vec![entry]);
    lab.draw_both(&scene);
}
