//! What it brings that image operations are part of a compute shader: nanoseconds of one processor for an
//! invocation, with calls and without, and what compiling took. `cargo run --release --example known_images
//! -- [FLAGS] FILES...`
//!
//! Every image has 1024 x 512 texels of RGBA8, every sampler filters linearly; with the flag `--mips` sampled
//! images have levels, and specialization constant 0 is true; with `--levels` they have levels and it is
//! false. `--print` prints the machine code.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::{DescriptorKind as Kind, DispatchContext, ImageRecord, KnownImage, SamplerRecord};
use pyro_compile::image_functions::ImageFunctionCache;
use pyro_compile::{Backend, ComputeRequest, SpecConstant, SubgroupSize, compile_compute_for, reflect};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_image::layout::{ImageLayout, ImageShape};
use pyro_image::{AddressMode, Aspect, Filter, Format, SamplerKey, ViewKey, ViewType};
use std::time::Instant;

const WIDTH: u32 = 1024;
const HEIGHT: u32 = 512;

/// Nanoseconds that this thread has run.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn main() {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| flags.iter().any(|other| other == flag);
    let (mips, print) = (has("--mips"), has("--print"));
    for path in flags.iter().filter(|path| !path.starts_with("--")) {
        measure(path, mips, mips || has("--levels"), print);
    }
}

#[allow(clippy::too_many_lines, reason = "the steps of one measurement")]
fn measure(path: &str, mips: bool, levels: bool, print: bool) {
    let bytes = std::fs::read(path).expect("the file can be read");
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let module = pyro_spirv::Module::decode(&words).expect("decodes");
    let mut layout = reflect::layout_of(&module).expect("has a layout");
    let backend = Backend::from_environment();
    let cache = ImageFunctionCache::new(backend, Box::new(|message| println!("{message}")));

    let levels = if levels { 10 } else { 1 };
    let view = ViewKey::new(Format::R8G8B8A8_UNORM, Aspect::Color, ViewType::D2, levels);
    let key = SamplerKey {
        mag: Filter::Linear,
        min: Filter::Linear,
        mip: if levels > 1 { Filter::Linear } else { Filter::Nearest },
        address: [AddressMode::Repeat; 3],
        ..SamplerKey::default()
    };
    let functions = cache.view(&view);
    let state = cache.sampler(&key).expect("the first sampler");
    let shape = ImageShape {
        format: view.format,
        extent: [WIDTH, HEIGHT, 1],
        levels,
        layers: 1,
        samples: 1,
        is_3d: false,
        corner_sampled: false,
    };
    let image_layout = ImageLayout::new(shape).expect("a possible image");
    let mut sampler = SamplerRecord { max_lod: 100.0, max_anisotropy: 1.0, ..SamplerRecord::default() };
    state.fill(&mut sampler);
    let mut kept: Vec<(Vec<u64>, Box<ImageRecord>)> = Vec::new();
    let mut buffer = vec![0_u32; (4 * WIDTH * HEIGHT) as usize];
    let mut set = vec![0_u64; 1024];
    set[0] = 8192;
    for (&number, binding) in &mut layout.sets[0].bindings {
        let place = binding.offset as usize / 8;
        match binding.kind {
            Kind::StorageImage | Kind::CombinedImageSampler => {
                let pattern = 0x3c5a_1122_99ee_7744_u64.rotate_left(number);
                let mut texels: Vec<u64> = (0..image_layout.size / 8 + 8)
                    .map(|index| pattern.wrapping_mul((2 * index + 1).into()))
                    .collect();
                let address = texels.as_mut_ptr().expose_provenance() as u64;
                let mut record =
                    Box::new(image_layout.view(address, (0, levels), (0, 1), false, view.format));
                functions.fill(&mut record);
                set[place] = (&raw const *record).expose_provenance() as u64;
                set[place + 1] = (&raw const sampler).expose_provenance() as u64;
                kept.push((texels, record));
                binding.known = Some(KnownImage { view: view.code().unwrap_or(0), sampler: key.code() });
            }
            _ => {
                set[place] = buffer.as_mut_ptr().expose_provenance() as u64;
                set[place + 1] = buffer.len() as u64 * 4;
            }
        }
    }
    let mut calls = layout.clone();
    calls.sets[0].bindings.values_mut().for_each(|binding| binding.known = None);
    let specialization = [SpecConstant { id: 0, bytes: u32::from(mips).to_le_bytes().to_vec() }];
    let mut sums = Vec::new();
    for (name, layout) in [("calls", &calls), ("known", &layout)] {
        let request = ComputeRequest {
            module: &pyro_compile::ShaderModule::new(&words),
            entry_point: "main",
            specialization: &specialization,
            layout,
            subgroup_size: SubgroupSize::Default,
        };
        let start = Instant::now();
        let kernel = compile_compute_for(&request, backend, None).expect("compiles");
        let compiled = start.elapsed();
        let info = kernel.info().clone();
        if print && name == "known" {
            for (title, text) in kernel.representations() {
                println!("== {title}\n{text}");
            }
        }
        let statistics = kernel.statistics();
        let size = info.workgroup_size;
        let groups = [WIDTH / size[0], HEIGHT / size[1], 1];
        let mut context = DispatchContext {
            num_workgroups: groups,
            null_image: cache.null_image(),
            null_sampler: cache.null_sampler(),
            ..DispatchContext::default()
        };
        context.sets[0] = set.as_ptr().expose_provenance() as u64;
        let dispatch = ComputeDispatch { kernel, context };
        let engine = Engine::new(1);
        let mut best = u64::MAX;
        for _ in 0..40 {
            let start = processor_time();
            // SAFETY: the buffers are as large as their descriptors say, and accesses are checked.
            unsafe { engine.dispatch(&dispatch) }.expect("runs");
            best = best.min(processor_time() - start);
        }
        let per_invocation = best as f64 / f64::from(WIDTH * HEIGHT);
        let lanes = info.subgroup_size;
        println!(
            "{path} {name}: {per_invocation:.2} ns, {lanes} lanes, compiled in {compiled:?}, {statistics:?}"
        );
        let images = kept.iter().flat_map(|(texels, _)| texels);
        let sum = images.fold(0_u64, |sum, &word| sum.rotate_left(5) ^ word);
        sums.push(buffer.iter().fold(sum, |sum, &word| sum.rotate_left(7) ^ u64::from(word)));
    }
    assert_eq!(sums[0], sums[1], "both give the same bits");
}
