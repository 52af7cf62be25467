//! Which texels a sample would read: `VK_NV_shader_image_footprint`.

use crate::textures::{Texture, TextureInfo, bytes, clamping, floats, leave, sampling};
use pyro_shadertext::Shader;
use pyro_test_kit::Client;
use pyro_test_kit::compute::Compute;
use vulkanalia::prelude::v1_3::*;

const EXTENSION: &std::ffi::CStr = c"VK_NV_shader_image_footprint";
const FLAT: [u32; 3] = [256, 128, 1];
const DEEP: [u32; 3] = [64, 32, 32];
const NEAREST: vk::Filter = vk::Filter::NEAREST;
const LINEAR: vk::Filter = vk::Filter::LINEAR;

/// What a footprint says, with anchor and offset of two or three components.
#[derive(Clone, Debug, PartialEq)]
struct Footprint {
    is_single: bool,
    anchor: Vec<u32>,
    offset: Vec<u32>,
    mask: u64,
    level: u32,
    granularity: u32,
}

impl Footprint {
    fn of(words: &[u32], dimensions: usize) -> Footprint {
        let (anchor, rest) = words[1..].split_at(dimensions);
        let (offset, rest) = rest.split_at(dimensions);
        Footprint {
            is_single: words[0] == 1,
            anchor: anchor.to_vec(),
            offset: offset.to_vec(),
            mask: u64::from(rest[0]) | u64::from(rest[1]) << 32,
            level: rest[2],
            granularity: rest[3],
        }
    }

    /// The groups that are covered, as the specification's formulas read the mask.
    fn groups(&self) -> Vec<Vec<u32>> {
        let side: u32 = if self.anchor.len() == 2 { 8 } else { 4 };
        let bits = side.ilog2();
        let covered = (0..64).filter(|bit| self.mask >> bit & 1 == 1);
        let group = |bit: u32| {
            let place = |axis: usize| {
                let local = bit >> (bits * axis as u32) & (side - 1);
                let is_right = local + self.offset[axis] < side;
                side * (self.anchor[axis] - u32::from(!is_right)) + local
            };
            (0..self.anchor.len()).map(place).collect()
        };
        let mut groups: Vec<Vec<u32>> = covered.map(group).collect();
        groups.sort();
        groups
    }
}

fn compute() -> Compute {
    let mut features =
        vk::PhysicalDeviceShaderImageFootprintFeaturesNV::builder().image_footprint(true).build();
    Compute::new(vk::make_version(1, 3, 0), &[EXTENSION], (&raw mut features).cast())
}

/// A texture whose texels nobody reads.
fn texture(compute: &Compute, extent: [u32; 3], levels: u32, sampler: vk::SamplerCreateInfo) -> Texture {
    let extents: Vec<[u32; 3]> =
        (0..levels).map(|level| extent.map(|extent: u32| (extent >> level).max(1))).collect();
    let texels: Vec<Vec<u8>> =
        extents.iter().map(|extent| bytes((0..extent.iter().product()).map(|_: u32| 0.0))).collect();
    let ty = if extent[2] > 1 { vk::ImageType::_3D } else { vk::ImageType::_2D };
    let flags = vk::ImageCreateFlags::empty();
    let format = vk::Format::R32_SFLOAT;
    Texture::new(
        compute,
        &TextureInfo { format, ty, extent, flags, levels: &texels, extents: &extents, sampler },
    )
}

/// A shader that asks for a footprint; of each invocation `%in` has the coordinate and the granularity.
fn shader(dimensions: u32, coarse: bool, code: &str, operands: &str) -> Shader {
    let stride = dimensions + 1;
    let last = format!("%bool_{coarse} {operands}");
    let mut body = floats("place", 0, dimensions, stride)
        + &format!(
            "%row = OpIMul %uint %x %uint_{stride}
             %granularity_at = OpIAdd %uint %row %uint_{dimensions}
             %granularity_cell = OpAccessChain %buffer_uint %in %uint_0 %granularity_at
             %granularity = OpLoad %uint %granularity_cell
             {code}
             %loaded = OpLoad %sampled %texture
             %found = OpImageSampleFootprintNV %footprint %loaded %place %granularity {last}
             %single = OpCompositeExtract %bool %found 0
             %single_word = OpSelect %uint %single %uint_1 %uint_0
             %level = OpCompositeExtract %uint %found 4
             %coarsened = OpCompositeExtract %uint %found 5\n"
        );
    let mut words = vec!["%single_word".to_owned()];
    for (member, name) in [(1, "anchor"), (2, "offset"), (3, "mask")] {
        for component in 0..if member == 3 { 2 } else { dimensions } {
            body += &format!("%{name}{component} = OpCompositeExtract %uint %found {member} {component}\n");
            words.push(format!("%{name}{component}"));
        }
    }
    words.extend(["%level".to_owned(), "%coarsened".to_owned()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let dim = if dimensions == 2 { "2D" } else { "3D" };
    sampling([1, 1], dim, &(body + &leave(&words)))
        .capability("ImageFootprintNV MinLod")
        .extension("SPV_NV_shader_image_footprint")
        .declare(&format!(
            "%footprint = OpTypeStruct %bool %uint{dimensions} %uint{dimensions} %uint2 %uint %uint"
        ))
}

/// The footprints at places, each with its granularity.
fn ask(
    compute: &Compute,
    texture: &Texture,
    shader: &Shader,
    dimensions: usize,
    places: &[(Vec<f32>, u32)],
) -> Vec<Footprint> {
    let input: Vec<u32> = places
        .iter()
        .flat_map(|(place, granularity)| {
            place.iter().map(|value| value.to_bits()).chain([*granularity]).collect::<Vec<_>>()
        })
        .collect();
    let words = 5 + 2 * dimensions;
    let found = texture.run(compute, shader, &input, words * places.len(), places.len() as u32);
    found.chunks(words).map(|words| Footprint::of(words, dimensions)).collect()
}

fn range(first: u32, last: u32) -> std::ops::RangeInclusive<u32> {
    first..=last
}

/// All groups of a box.
fn groups(axes: &[std::ops::RangeInclusive<u32>]) -> Vec<Vec<u32>> {
    axes.iter().fold(vec![vec![]], |all, axis| {
        all.into_iter()
            .flat_map(|group: Vec<u32>| axis.clone().map(move |at| [group.clone(), vec![at]].concat()))
            .collect()
    })
}

#[test]
fn the_feature_is_there() {
    let client = Client::new(vk::make_version(1, 3, 0), &[]);
    assert!(client.has_extension(EXTENSION));
    let mut features = vk::PhysicalDeviceShaderImageFootprintFeaturesNV::default();
    let mut all = vk::PhysicalDeviceFeatures2::builder().push_next(&mut features);
    unsafe { client.instance.get_physical_device_features2(client.physical_device, &mut all) };
    assert_eq!(features.image_footprint, vk::TRUE);
}

/// Every granularity: the groups of the four texels that a linear filter reads, and of the one that a nearest
/// filter does.
#[test]
fn flat_footprints_have_the_groups_of_the_texels() {
    let compute = compute();
    let sides = [
        (1, [2, 2]),
        (2, [4, 2]),
        (3, [4, 4]),
        (4, [8, 4]),
        (5, [8, 8]),
        (6, [16, 8]),
        (7, [16, 16]),
        (11, [64, 64]),
        (12, [128, 64]),
        (13, [128, 128]),
        (14, [256, 128]),
        (15, [256, 256]),
    ];
    // Texels by unnormalized coordinates: in a group, at groups' edges, at windows' edges, at the image's.
    let at = [
        [3.2, 5.3],
        [8.0, 4.0],
        [16.0, 16.0],
        [128.1, 64.2],
        [15.9, 63.9],
        [0.1, 0.1],
        [255.9, 127.9],
        [-4.0, 300.0],
    ];
    let places: Vec<(Vec<f32>, u32)> = sides
        .iter()
        .flat_map(|&(number, _)| {
            at.iter().map(move |[x, y]| (vec![x / FLAT[0] as f32, y / FLAT[1] as f32], number))
        })
        .collect();
    for filter in [NEAREST, LINEAR] {
        let texture = texture(&compute, FLAT, 1, clamping(filter, vk::SamplerMipmapMode::NEAREST));
        let found = ask(&compute, &texture, &shader(2, false, "", "Lod %float_0"), 2, &places);
        for ((found, (_, number)), [x, y]) in found.iter().zip(&places).zip(at.iter().cycle()) {
            let side = sides.iter().find(|(other, _)| other == number).expect("known").1;
            let axis = |at: f32, extent: u32, side: u32| {
                let clamp = |texel: f32| texel.clamp(0.0, (extent - 1) as f32) as u32 / side;
                match filter {
                    LINEAR => range(clamp((at - 0.5).floor()), clamp((at - 0.5).floor() + 1.0)),
                    _ => range(clamp(at.floor()), clamp(at.floor())),
                }
            };
            let want = groups(&[axis(*x, FLAT[0], side[0]), axis(*y, FLAT[1], side[1])]);
            assert_eq!(found.groups(), want, "{x} {y} of granularity {number}: {found:?}");
            assert_eq!((found.is_single, found.level, found.granularity), (true, 0, 0), "{found:?}");
            assert!(found.offset.iter().all(|&offset| offset < 8), "{found:?}");
        }
        texture.destroy(&compute);
    }
}

/// Of groups that lie in one window, the mask is aligned with it; of others the anchor is the last window.
#[test]
fn masks_are_aligned_with_windows() {
    let compute = compute();
    let texture = texture(&compute, FLAT, 1, clamping(LINEAR, vk::SamplerMipmapMode::NEAREST));
    let place = |x: f32, y: f32, number| (vec![x / FLAT[0] as f32, y / FLAT[1] as f32], number);
    let shader = shader(2, false, "", "Lod %float_0");
    // Groups of 2x2 texels: windows of 16 by 16.
    let places = [place(18.5, 21.5, 1), place(32.0, 21.5, 1), place(32.0, 48.0, 1), place(255.0, 127.0, 1)];
    let found = ask(&compute, &texture, &shader, 2, &places);
    let parts: Vec<_> = found.iter().map(|one| (one.anchor.clone(), one.offset.clone(), one.mask)).collect();
    assert_eq!(parts[0], (vec![1, 1], vec![0, 0], 1 << (2 * 8 + 1) | 1 << (3 * 8 + 1)));
    // Columns 15 and 16: the last one of window 1, and the first one of window 2.
    assert_eq!(parts[1], (vec![2, 1], vec![1, 0], (1 << 7 | 1) << (2 * 8) | (1 << 7 | 1) << (3 * 8)));
    assert_eq!(parts[2], (vec![2, 3], vec![1, 1], (1 << 7 | 1) << (7 * 8) | (1 << 7 | 1)));
    assert_eq!(parts[3], (vec![15, 7], vec![0, 0], 1 << 63));
    texture.destroy(&compute);
}

#[test]
fn deep_footprints_have_slices() {
    let compute = compute();
    let sides = [
        (1, [2, 2, 2]),
        (3, [4, 4, 2]),
        (10, [16, 16, 16]),
        (11, [32, 16, 16]),
        (12, [32, 32, 16]),
        (13, [32, 32, 32]),
        (14, [64, 32, 32]),
    ];
    let at = [[3.2, 5.3, 7.4], [8.0, 8.0, 8.0], [32.0, 16.0, 16.0], [63.9, 31.9, 0.1]];
    let texture = texture(&compute, DEEP, 1, clamping(LINEAR, vk::SamplerMipmapMode::NEAREST));
    let shader = shader(3, false, "", "Lod %float_0");
    for (number, side) in sides {
        let places: Vec<(Vec<f32>, u32)> =
            at.iter().map(|at| ((0..3).map(|axis| at[axis] / DEEP[axis] as f32).collect(), number)).collect();
        for (found, at) in ask(&compute, &texture, &shader, 3, &places).iter().zip(at) {
            let axis = |axis: usize| {
                let clamp = |texel: f32| texel.clamp(0.0, (DEEP[axis] - 1) as f32) as u32 / side[axis];
                let low = (at[axis] - 0.5_f32).floor();
                range(clamp(low), clamp(low + 1.0))
            };
            assert_eq!(found.groups(), groups(&[axis(0), axis(1), axis(2)]), "{at:?} of {number}: {found:?}");
            assert_eq!((found.is_single, found.level, found.granularity), (true, 0, 0));
        }
    }
    texture.destroy(&compute);
}

/// Between two levels, each has its footprint; at one, the coarse footprint is empty.
#[test]
fn footprints_are_those_of_one_level() {
    let compute = compute();
    let texture = texture(&compute, FLAT, 5, clamping(LINEAR, vk::SamplerMipmapMode::LINEAR));
    // Texel 33.5, 17.5 of level 0: texels 16 and 17 of level 1 in x, 8 and 9 in y, and halves of those.
    let place = [(vec![34.0 / 256.0, 18.0 / 128.0], 1)];
    let of = |coarse, operands: &str, code: &str| {
        ask(&compute, &texture, &shader(2, coarse, code, operands), 2, &place).remove(0)
    };
    let fine = of(false, "Lod %float_1p5", "");
    assert_eq!((fine.is_single, fine.level, fine.groups()), (false, 1, groups(&[range(8, 8), range(4, 4)])));
    let coarse = of(true, "Lod %float_1p5", "");
    assert_eq!((coarse.is_single, coarse.level), (false, 2));
    assert_eq!(coarse.groups(), groups(&[range(4, 4), range(2, 2)]));
    let single = of(false, "Lod %float_2", "");
    assert_eq!((single.is_single, single.level), (true, 2));
    let empty = of(true, "Lod %float_2", "");
    assert_eq!((empty.is_single, empty.mask, empty.granularity), (true, 0, 0));
    assert_eq!((empty.anchor, empty.offset), (vec![0, 0], vec![0, 0]));
    // Magnified, and beyond the last level, there is one level.
    assert_eq!((of(false, "Lod %float_m3", "").level, of(true, "Lod %float_9", "").mask), (0, 0));
    assert_eq!(of(false, "Lod %float_9", "").level, 4);
    // Eight texels to the next pixel are level 3; a least level of detail is above it.
    let change = "%in_x = OpCompositeConstruct %float2 %float_0p03125 %float_0
         %in_y = OpCompositeConstruct %float2 %float_0 %float_0";
    let graded = of(false, "Grad %in_x %in_y", change);
    assert_eq!((graded.is_single, graded.level), (true, 3));
    let least = of(false, "Grad|MinLod %in_x %in_y %float_3p5", change);
    assert_eq!((least.is_single, least.level), (false, 3));
    assert_eq!(of(true, "Grad|MinLod %in_x %in_y %float_3p5", change).level, 4);
    texture.destroy(&compute);
}

/// The filter for magnification reads one texel, the one for minification four.
#[test]
fn footprints_know_both_filters() {
    let compute = compute();
    let sampler =
        vk::SamplerCreateInfo { mag_filter: NEAREST, ..clamping(LINEAR, vk::SamplerMipmapMode::NEAREST) };
    let texture = texture(&compute, FLAT, 3, sampler);
    let place = [(vec![32.0 / 256.0, 32.0 / 128.0], 1)];
    let of = |operands: &str| ask(&compute, &texture, &shader(2, false, "", operands), 2, &place).remove(0);
    assert_eq!(of("Lod %float_m1").groups(), groups(&[range(16, 16), range(16, 16)]));
    // At level 1, texels 15 and 16.
    assert_eq!(of("Lod %float_1").groups(), groups(&[range(7, 8), range(7, 8)]));
    texture.destroy(&compute);
}

/// A line of texels that does not fit into a mask has larger groups, and the result says which.
#[test]
fn anisotropic_footprints_are_coarsened() {
    let compute = compute();
    let sampler = vk::SamplerCreateInfo {
        anisotropy_enable: vk::TRUE,
        max_anisotropy: 16.0,
        mip_lod_bias: 0.0,
        ..clamping(LINEAR, vk::SamplerMipmapMode::NEAREST)
    };
    let texture = texture(&compute, FLAT, 1, sampler);
    let place = |number| [(vec![0.5, 0.5], number)];
    // 96 texels along x to the next pixel, and one along y.
    let change = "%in_x = OpCompositeConstruct %float2 %float_0p375 %float_0
         %in_y = OpCompositeConstruct %float2 %float_0 %float_0p0078125";
    let shader = shader(2, false, change, "Grad %in_x %in_y");
    let of = |number| ask(&compute, &texture, &shader, 2, &place(number)).remove(0);
    let fine = of(1);
    // Sixteen samples, from -1/2 + 1/17 to 1/2 - 1/17 of the line: texels from 85 to 170.
    let texels: std::collections::BTreeSet<u32> = (1..=16)
        .flat_map(|sample| {
            let at = 128.0 + 96.0 * (f64::from(sample) / 17.0 - 0.5) - 0.5;
            [at.floor() as u32, at.floor() as u32 + 1]
        })
        .collect();
    let covered = |side: u32, rows: std::ops::RangeInclusive<u32>| {
        let columns: std::collections::BTreeSet<u32> = texels.iter().map(|texel| texel / side).collect();
        let mut all: Vec<Vec<u32>> =
            columns.into_iter().flat_map(|x| rows.clone().map(move |y| vec![x, y])).collect();
        all.sort();
        all
    };
    // In groups of 16 by 8 they are six columns; in smaller ones more than eight.
    assert_eq!((fine.granularity, fine.groups()), (6, covered(16, range(7, 8))), "{fine:?}");
    let enough = of(7);
    assert_eq!((enough.granularity, enough.groups()), (0, covered(16, range(3, 4))), "{enough:?}");
    // A short line fits.
    let change = "%in_x = OpCompositeConstruct %float2 %float_0p015625 %float_0
         %in_y = OpCompositeConstruct %float2 %float_0 %float_0p0078125";
    let shader = self::shader(2, false, change, "Grad %in_x %in_y");
    let found = ask(&compute, &texture, &shader, 2, &place(1)).remove(0);
    assert_eq!(found.granularity, 0);
    texture.destroy(&compute);
}
