//! Functions for all subgroup sizes give the same.

use crate::support::image::{TestImage, sampler_record};
use crate::support::{Random, Runnable};
use pyro_abi::ImageRecord;
use pyro_abi::Memory;
use pyro_abi::image::{GatherSource, ImageOp, LodMode, record};
use pyro_image::access::build;
use pyro_image::layout::ImageShape;
use pyro_image::{Aspect, Filter, Format, SamplerKey, ViewKey, ViewType};

/// Invocations of all subgroups together.
const COUNT: usize = 64;

/// Columns of the record that operations take, for all invocations.
type Inputs = Vec<[u32; COUNT]>;

/// The four result columns of all invocations, in subgroups of `lanes`.
#[allow(unsafe_code)] // Reads and writes call records by address.
fn run(
    view: &ViewKey,
    key: &SamplerKey,
    op: ImageOp,
    lanes: u32,
    image: &mut ImageRecord,
    inputs: &Inputs,
) -> Vec<u32> {
    let function = Runnable::new(build(Some(view), Some(key), op, lanes).expect("a possible combination"));
    let mut sampler = sampler_record([0x3f00_0000; 4]);
    sampler.max_anisotropy = 8.0;
    let mut words = vec![0u64; record::bytes(lanes) as usize / 8 + 8];
    let base = (words.as_mut_ptr().expose_provenance() as u64).next_multiple_of(64);
    // SAFETY: only the record is accessed, which nothing borrows meanwhile.
    let memory = unsafe { Memory::new() };
    let mut results = vec![0; 4 * COUNT];
    for first in (0..COUNT).step_by(lanes as usize) {
        memory.store(base + u64::from(record::IMAGE), (&raw mut *image).expose_provenance() as u64);
        memory.store(base + u64::from(record::SAMPLER), (&raw mut sampler).expose_provenance() as u64);
        memory.store(base + u64::from(record::ACTIVE_LANES), u64::MAX >> (64 - lanes));
        let at = |column: u32, lane: usize| {
            base + u64::from(record::column_offset(column, lanes)) + 4 * lane as u64
        };
        for lane in 0..lanes as usize {
            for (column, values) in (0..).zip(inputs) {
                memory.store(at(column, lane), values[first + lane]);
            }
        }
        function.call(base);
        let result = |column: u32, lane: usize| memory.load::<u32>(at(record::TEXEL + column, lane));
        let interpreted: Vec<u32> = (0..4)
            .flat_map(|column| (0..lanes as usize).map(move |lane| (column, lane)))
            .map(|(column, lane)| result(column, lane))
            .collect();
        for level in function.levels() {
            function.call_machine_code(level, base);
            for (index, &want) in interpreted.iter().enumerate() {
                let (column, lane) = (index / lanes as usize, index % lanes as usize);
                assert_eq!(result(column as u32, lane), want, "{op:?}, {lanes} lanes: {level}");
            }
        }
        for (index, &want) in interpreted.iter().enumerate() {
            let (column, lane) = (index / lanes as usize, index % lanes as usize);
            results[column * COUNT + first + lane] = want;
        }
    }
    results
}

#[test]
fn subgroup_sizes_agree() {
    let mut random = Random::new(51);
    let linear = SamplerKey {
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: Filter::Linear,
        anisotropic: true,
        ..SamplerKey::default()
    };
    let sample = |lod| ImageOp::Sample { lod, dref: false, offset: false, min_lod: false };
    let ops = [
        sample(LodMode::Implicit),
        sample(LodMode::Bias),
        sample(LodMode::Explicit),
        sample(LodMode::Grad),
        ImageOp::Gather { source: GatherSource::Component2, lod: None, offset: false },
        ImageOp::Fetch { offset: false },
        ImageOp::QueryLod,
    ];
    let shape = |format, levels, layers| ImageShape {
        format,
        extent: [16, 16, 1],
        levels,
        layers,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    let cases = [
        (ViewType::D2, shape(Format::R8G8B8A8_UNORM, 5, 1)),
        (ViewType::Cube, shape(Format::R16G16B16A16_SFLOAT, 3, 6)),
        (ViewType::D2Array, shape(Format::BC7_UNORM_BLOCK, 3, 2)),
        (ViewType::D2Array, shape(Format::ASTC_6x5_SRGB_BLOCK, 3, 2)),
    ];
    for (view_type, shape) in cases {
        let mut image = TestImage::random(shape, &mut random);
        let view = ViewKey::new(shape.format, Aspect::Color, view_type, shape.levels);
        for op in ops {
            let fetches = matches!(op, ImageOp::Fetch { .. });
            if fetches && view_type == ViewType::Cube {
                continue;
            }
            // Functions of compressed blocks are long.
            if shape.format.is_compressed() && !fetches && op != sample(LodMode::Explicit) {
                continue;
            }
            let inputs: Inputs = (0..record::TEXEL)
                .map(|column| {
                    std::array::from_fn(|_| match column {
                        _ if fetches => random.below(18) as u32 >> if column == record::LOD { 2 } else { 0 },
                        record::LOD => random.float(-1.0, 4.0).to_bits(),
                        record::DDX..record::OFFSET => random.float(-0.3, 0.3).to_bits(),
                        _ => random.float(-1.0, 1.5).to_bits(),
                    })
                })
                .collect();
            let mut record = image.record();
            let want = run(&view, &linear, op, 16, &mut record, &inputs);
            for lanes in [4, 8, 32, 64] {
                let got = run(&view, &linear, op, lanes, &mut record, &inputs);
                assert!(got == want, "{view:?} {op:?}: {lanes} lanes");
            }
        }
    }
}
