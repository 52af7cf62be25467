//! Image operations as part of a shader give the bits that calls give, with every backend: random formats,
//! samplers and texels. The shader is `shaders/known_images.comp`.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::{
    DescriptorKind as Kind, DispatchContext, ImageRecord, KnownImage, PipelineLayout, SamplerRecord,
};
use pyro_compile::image_functions::ImageFunctionCache;
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_image::layout::{ImageLayout, ImageShape, texel_buffer_view};
use pyro_image::{
    AddressMode, Aspect, CompareOp, CubicWeights, Filter, Format, NumericClass, Reduction, SamplerKey,
    Swizzle, ViewKey, ViewType,
};
use pyro_random::Random;

const INVOCATIONS: usize = 64;
const RESULTS: usize = 16;
/// Of each turn; the backends take turns too.
const LANES: [u32; 8] = [16, 16, 16, 64, 8, 16, 16, 32];

/// An image in memory of its own.
struct Image {
    texels: Vec<u64>,
    record: Box<ImageRecord>,
    key: ViewKey,
}

impl Image {
    fn new(random: &mut Random, binding: u32, cache: &ImageFunctionCache) -> Image {
        use ViewType::*;
        let filtered = |format: &Format| {
            let features = format.features();
            let storage = binding == 7 || binding == 10;
            let fits =
                if storage { features.storage && features.uniform_texel_buffer } else { features.filtered };
            fits && !format.is_compressed()
                && !format.is_depth_stencil()
                && format.numeric_class(Aspect::Color) == NumericClass::Float
        };
        let all: Vec<Format> = Format::ALL.iter().copied().filter(filtered).collect();
        let often = [Format::R8G8B8A8_UNORM, Format::R8G8B8A8_SRGB, Format::R32G32B32A32_SFLOAT];
        let (format, aspect) = match binding {
            6 => (random.pick(&[Format::D32_SFLOAT, Format::D16_UNORM]), Aspect::Depth),
            _ if random.below(3) == 0 && binding != 7 && binding != 10 => {
                (random.pick(&often), Aspect::Color)
            }
            _ => (random.pick(&all), Aspect::Color),
        };
        let view_type = match binding {
            3 => D3,
            4 => D2Array,
            8 => D1,
            10 => Buffer,
            11 => Cube,
            _ => D2,
        };
        let samples = if binding == 9 { 4 } else { 1 };
        let levels = if matches!(binding, 7 | 9 | 10) { 1 } else { random.pick(&[1, 4]) };
        let height = if matches!(view_type, D1 | Buffer) { 1 } else { 16 + random.below(4) as u32 };
        let depth = if view_type == D3 { 9 } else { 1 };
        let layers = match view_type {
            D2Array => 5,
            Cube => 6,
            _ => 1,
        };
        let width = 12 + random.below(9) as u32;
        let extent = [width, if view_type == Cube { width } else { height }, depth];
        let shape = ImageShape {
            format,
            extent,
            levels,
            layers,
            samples,
            is_3d: view_type == D3,
            corner_sampled: false,
        };
        let layout = ImageLayout::new(shape).expect("a possible image");
        let float = |random: &mut Random| u64::from(random.float(0.0, 1.0).to_bits());
        let mut texels: Vec<u64> = match format.block_bytes() {
            // Halves and floats within [0, 1): whatever is there should be worth filtering.
            bytes if bytes >= 8 => {
                (0..layout.size / 8 + 9).map(|_| float(random) | float(random) << 32).collect()
            }
            _ if aspect == Aspect::Depth => {
                (0..layout.size / 8 + 9).map(|_| float(random) | float(random) << 32).collect()
            }
            _ => (0..layout.size / 8 + 9).map(|_| random.bits() & 0x3bff_3bff_3bff_3bff).collect(),
        };
        let address = texels.as_mut_ptr().expose_provenance() as u64;
        let mut record = Box::new(match view_type {
            Buffer => texel_buffer_view(address, extent[0]),
            _ => layout.view(address, (0, levels), (0, layers), false, format),
        });
        let mut key = ViewKey::new(format, aspect, view_type, levels);
        key.multisampled = samples > 1;
        if binding == 2 && random.below(2) == 0 {
            key.swizzle = [Swizzle::A, Swizzle::One, Swizzle::Zero, Swizzle::G];
        }
        // Kept by the cache: as many views as these are not forgotten.
        cache.view(&key).fill(&mut record);
        Image { texels, record, key }
    }
}

fn sampler(random: &mut Random, compares: bool) -> (SamplerKey, SamplerRecord) {
    use AddressMode::*;
    let filters = [Filter::Linear, Filter::Linear, Filter::Nearest, Filter::Cubic];
    let weights = [CubicWeights::CatmullRom, CubicWeights::MitchellNetravali];
    let modes = [Repeat, MirroredRepeat, ClampToEdge, ClampToBorder, MirrorClampToEdge];
    let key = SamplerKey {
        mag: random.pick(&filters),
        min: random.pick(&filters),
        mip: random.pick(&filters[..3]),
        cubic_weights: random.pick(&weights),
        address: [(); 3].map(|()| random.pick(&modes)),
        compare: compares.then(|| random.pick(&[CompareOp::Less, CompareOp::GreaterOrEqual])),
        reduction: random.pick(&[Reduction::WeightedAverage, Reduction::WeightedAverage, Reduction::Max]),
        anisotropic: random.below(3) == 0,
        non_seamless_cube: random.below(4) == 0,
        ..SamplerKey::default()
    };
    let record = SamplerRecord {
        lod_bias: random.float(-1.0, 1.0),
        min_lod: random.float(0.0, 0.5),
        max_lod: random.float(0.5, 10.0),
        max_anisotropy: 4.0,
        border: [(); 4].map(|()| random.float(0.0, 1.0).to_bits()),
        ..SamplerRecord::default()
    };
    (key, record)
}

/// Runs the shader on a set, and gives the results and the storage image.
fn run(layout: &PipelineLayout, backend: Backend, lanes: SubgroupSize, words: &[u32], seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let cache = ImageFunctionCache::new(backend, Box::new(|message| panic!("{message}")));
    let operands: Vec<f32> = (0..INVOCATIONS * 8)
        .map(|index| match random.below(40) {
            0 => f32::NAN,
            1 => random.float(-1e9, 1e9),
            _ if index % 8 >= 4 => random.float(0.0, 1.0),
            _ => random.float(-0.2, 1.2),
        })
        .collect();
    let mut results = vec![0_u32; INVOCATIONS * RESULTS * 4];
    let mut layout = layout.clone();
    let is_known = layout.sets[0].bindings.values().any(|binding| binding.known.is_some());
    let mut set = vec![0_u64; 256];
    set[0] = 2048;
    let (mut images, mut samplers) = (Vec::new(), Vec::new());
    for (&number, binding) in &mut layout.sets[0].bindings {
        let place = binding.offset as usize / 8;
        if number < 2 {
            let (address, size) = match number {
                0 => (operands.as_ptr().expose_provenance(), operands.len() * 4),
                _ => (results.as_mut_ptr().expose_provenance(), results.len() * 4),
            };
            (set[place], set[place + 1]) = (address as u64, size as u64);
            continue;
        }
        let mut known = KnownImage::default();
        if binding.kind != Kind::Sampler {
            let image = Image::new(&mut random, number, &cache);
            set[place] = (&raw const *image.record).expose_provenance() as u64;
            known.view = image.key.code().expect("no conversion");
            images.push((number, image));
        }
        if matches!(binding.kind, Kind::Sampler | Kind::CombinedImageSampler) {
            let (key, mut record) = sampler(&mut random, number == 6);
            let state = cache.sampler(&key).expect("few samplers");
            state.fill(&mut record);
            let record = Box::new(record);
            set[place + 1] = (&raw const *record).expose_provenance() as u64;
            known.sampler = key.code();
            samplers.push((state, record));
        }
        binding.known = is_known.then_some(known);
    }
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: lanes,
    };
    let kernel = compile_compute_for(&request, backend, None).unwrap_or_else(|error| panic!("{error}"));
    let mut used = kernel.info().images.clone();
    used.sort_unstable();
    assert_eq!(used, (2..=11).map(|binding| (0, binding)).collect::<Vec<_>>());
    let mut context = DispatchContext {
        num_workgroups: [1; 3],
        null_image: cache.null_image(),
        null_sampler: cache.null_sampler(),
        ..DispatchContext::default()
    };
    context.sets[0] = set.as_ptr().expose_provenance() as u64;
    // SAFETY: the set names what lives on, and accesses are checked against its sizes.
    unsafe { Engine::new(1).dispatch(&ComputeDispatch { kernel, context }) }.expect("runs");
    assert_eq!(cache.compiled_count() == 0, is_known, "operations that are known are no calls");
    let stored = images.iter().find(|(number, _)| *number == 7).expect("it has a storage image");
    results.extend(stored.1.texels.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]));
    results
}

#[test]
fn inlined_image_operations_equal_calls() {
    let words = pyro_spirv::asm::assemble(include_str!("../shaders/known_images.spvasm")).expect("assembles");
    let module = pyro_spirv::Module::decode(&words).expect("decodes");
    let calls = reflect::layout_of(&module).expect("has a layout");
    let mut known = calls.clone();
    for binding in known.sets[0].bindings.values_mut() {
        binding.known = Some(KnownImage::default());
    }
    let mut different = std::collections::HashSet::new();
    for (turn, (name, backend)) in Backend::all().into_iter().cycle().take(LANES.len()).enumerate() {
        let lanes = SubgroupSize::Required(LANES[turn]);
        let seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(turn as u64 + 1);
        let called = run(&calls, backend, lanes, &words, seed);
        let inlined = run(&known, backend, lanes, &words, seed);
        for (index, (&want, &found)) in called.iter().zip(&inlined).enumerate() {
            let both_nan = f32::from_bits(want).is_nan() && f32::from_bits(found).is_nan();
            let (invocation, result) = (index / 4 / RESULTS, index / 4 % RESULTS);
            assert!(
                want == found || both_nan,
                "{name}, {lanes:?}: {want:#x} and {found:#x} of invocation {invocation}, result {result}"
            );
        }
        different.insert(called);
    }
    assert!(different.len() == LANES.len(), "the shader looks at its images");
}
