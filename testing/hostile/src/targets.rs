//! What fuzzers call: a function of bytes for each thing that is not trusted.
//!
//! Problem: cargo-fuzz builds with flags of its own and wants a nightly compiler, so that its targets rot
//! where nobody runs them. Approach: their bodies are here, and tests run each on its corpus and on changes
//! of it; `fuzz/` only names them. Where an input is no file but what an application says, the bytes are the
//! decisions of a generator ([`Random::of_bytes`]), so that a fuzzer that follows coverage leads it.

use crate::victim::{ENVIRONMENT, Victim};
use crate::{calls, graphs, libraries, modules, pipelines, shaders, states, structures};
use pyro_capture::decode::{self, Parameters, Same};
use pyro_capture::file::Capture;
use pyro_capture::graph::Graph;
use pyro_capture::record::Record;
use pyro_compile::cache::Digest;
use pyro_pairs::{NEIGHBOURS, Pair, judge};
use pyro_ptx::Launch;
use pyro_random::Random;
use pyro_spirv::{Module, asm::assemble, disassemble};
use pyro_test_kit::pipelines::{Context, Source};
use pyro_validate::{Device, Environment, check};
use std::cell::RefCell;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrPipelineBinaryExtensionDeviceCommands as _;

/// A thing that is not trusted, and what is done with bytes of it.
pub struct Target {
    /// The name of its corpus and of its file in `fuzz/`.
    pub name: &'static str,
    /// Panics, or ends the process, where something is wrong.
    pub run: fn(&[u8]),
    /// Where its corpus begins, with what `PYRO_BLESS=1` writes.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub const TARGETS: [Target; 16] = [
    Target { name: "spirv", run: spirv, seeds: module_seeds },
    Target { name: "spirv_run", run: spirv_run, seeds: module_seeds },
    Target { name: "pairs", run: pairs, seeds: decisions },
    Target { name: "graphics_shaders", run: graphics_shaders, seeds: decisions },
    Target { name: "graphics_states", run: graphics_states, seeds: decisions },
    Target { name: "graphics_libraries", run: graphics_libraries, seeds: decisions },
    Target { name: "ray_shaders", run: ray_shaders, seeds: decisions },
    Target { name: "create_infos", run: create_infos, seeds: decisions },
    Target { name: "ptx", run: ptx, seeds: ptx_seeds },
    Target { name: "caches", run: caches, seeds: decisions },
    Target { name: "binaries", run: binaries, seeds: decisions },
    Target { name: "structures", run: structures::read, seeds: structures::serialized },
    Target { name: "binding_tables", run: binding_tables, seeds: decisions },
    Target { name: "data_graphs", run: data_graphs, seeds: decisions },
    Target { name: "captures", run: captures, seeds: capture_seeds },
    Target { name: "calls", run: api_calls, seeds: decisions },
];

/// Sets the environment that the driver is to be fuzzed in, before it is first used.
#[allow(unsafe_code, reason = "the environment is the process's")]
pub fn prepare() {
    for (name, value) in ENVIRONMENT {
        // SAFETY: fuzzers call it before there are other threads.
        unsafe { std::env::set_var(name, value) };
    }
}

thread_local! {
    static VICTIM: RefCell<Option<Victim>> = const { RefCell::new(None) };
    static CONTEXT: RefCell<Option<Known>> = const { RefCell::new(None) };
}

fn with_victim(body: impl FnOnce(&mut Victim)) {
    VICTIM.with_borrow_mut(|victim| body(victim.get_or_insert_with(Victim::default)));
}

/// Pipelines of one device, and their cache and binary as they should be.
struct Known {
    vulkan: Context,
    cache: Vec<u8>,
    key: vk::PipelineBinaryKeyKHR,
    binary: Vec<u8>,
}

#[allow(unsafe_code, reason = "the Vulkan API is foreign functions")]
impl Known {
    fn new() -> Known {
        let vulkan = Context::new();
        let cache = vulkan.cache(&[]);
        for graphics in [false, true] {
            let (pipeline, ..) = vulkan.pipeline(graphics, cache, vk::PipelineCreateFlags::empty());
            // SAFETY: nothing uses it.
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
        let capture = vk::PipelineCreateFlags2::CAPTURE_DATA_KHR;
        let (pipeline, ..) = vulkan.pipeline_from(false, vk::PipelineCache::null(), capture, Source::Modules);
        let info = vk::PipelineBinaryCreateInfoKHR { pipeline, ..Default::default() };
        let (made, binaries) = vulkan.create_binaries(&info, 1);
        made.expect("a binary");
        let (key, binary) = vulkan.key_and_data(binaries[0]);
        // SAFETY: nothing uses the objects.
        let data = unsafe {
            vulkan.device.destroy_pipeline_binary_khr(binaries[0], None);
            vulkan.device.destroy_pipeline(pipeline, None);
            let data = vulkan.device.get_pipeline_cache_data(cache).expect("data");
            vulkan.device.destroy_pipeline_cache(cache, None);
            data
        };
        Known { vulkan, cache: data, key, binary }
    }
}

fn with_known(body: impl FnOnce(&Known)) {
    CONTEXT.with_borrow_mut(|known| body(known.get_or_insert_with(Known::new)));
}

/// Any bytes decode and check without a panic; what decodes survives a round through assembly.
fn spirv(bytes: &[u8]) {
    let Ok(module) = Module::decode_bytes(bytes) else { return };
    let _ = check(&module, &Environment::default());
    for device in [None, Some(Device::everything()), Some(Device::bare(1, 0))] {
        let _ = check(&module, &Environment { strict: true, device, ..Environment::default() });
    }
    // Strings that are not UTF-8 cannot be written as text; all else must read back.
    if let Ok(words) = assemble(&disassemble(&module)) {
        assert!(Module::decode(&words).is_ok());
    }
}

/// What decodes runs in place of a working shader of its stage.
fn spirv_run(bytes: &[u8]) {
    let Ok(module) = Module::decode_bytes(bytes) else { return };
    with_victim(|victim| modules::run(victim, &disassemble(&module), |_| ()));
}

/// Graphs of tensor operators are refused, or run.
fn data_graphs(bytes: &[u8]) {
    graphs::run(&mut Random::of_bytes(bytes));
}

/// Pairs of stages that match nearly, with changed words.
fn pairs(bytes: &[u8]) {
    let random = &mut Random::of_bytes(bytes);
    let stages = random.pick(&NEIGHBOURS);
    let mut modules = Pair::random(random, stages).modules().expect("modules");
    for (_, words) in &mut modules {
        for _ in 0..random.below(3) {
            // Behind the header.
            let at = 5 + random.below(words.len() - 5);
            words[at] = match random.below(4) {
                0 => words[at] ^ 1 << random.below(32),
                1 => random.below(words[3] + 2),
                2 => words[5 + random.below(words.len() - 5)],
                _ => random.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff]),
            };
        }
    }
    let _ = judge(&modules, true);
}

fn graphics_shaders(bytes: &[u8]) {
    with_victim(|victim| {
        shaders::draw(victim, &mut Random::of_bytes(bytes));
    });
}

fn graphics_states(bytes: &[u8]) {
    with_victim(|victim| {
        states::draw(victim, &mut Random::of_bytes(bytes));
    });
}

fn graphics_libraries(bytes: &[u8]) {
    with_victim(|victim| {
        libraries::draw(victim, &mut Random::of_bytes(bytes));
    });
}

fn ray_shaders(bytes: &[u8]) {
    shaders::launch(&mut Random::of_bytes(bytes));
}

fn create_infos(bytes: &[u8]) {
    pipelines::create(&mut Random::of_bytes(bytes));
}

fn binding_tables(bytes: &[u8]) {
    pipelines::tables(&mut Random::of_bytes(bytes));
}

/// Any text is read without a panic; what its kernels become is well formed.
fn ptx(bytes: &[u8]) {
    let Ok(module) = pyro_ptx::Module::parse(bytes) else { return };
    let image = module.image();
    if image.bytes < 1 << 16 {
        assert_eq!(module.initial_image(&image, 1 << 32).len() as u64, image.bytes);
    }
    for function in module.functions.iter().filter(|function| function.is_entry) {
        let block = function.required_block.unwrap_or([40, 1, 1]);
        let launch = Launch { block, dynamic_shared_bytes: 64, ..Launch::default() };
        if let Ok(lowered) = pyro_ptx::lower(&module, &function.name, &launch) {
            pyro_ir::verify::verify(&lowered.function).expect("well formed");
        }
    }
}

/// Bytes that were right before a few of them were changed.
fn changed(whole: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    random.mutate(&mut bytes, &[]);
    if random.one_in(4) {
        bytes.truncate(random.below(bytes.len() + 1));
    }
    bytes
}

/// A pipeline cache that is damaged, or any bytes.
#[allow(unsafe_code, reason = "the Vulkan API is foreign functions")]
fn caches(bytes: &[u8]) {
    with_known(|Known { vulkan, cache, .. }| {
        let data = match bytes.split_first() {
            Some((0x80.., rest)) => rest.to_vec(),
            _ => changed(cache, &mut Random::of_bytes(bytes)),
        };
        let made = vulkan.cache(&data);
        for graphics in [false, true] {
            let (pipeline, ..) = vulkan.pipeline(graphics, made, vk::PipelineCreateFlags::empty());
            if !graphics {
                assert_eq!(vulkan.run(pipeline), 43);
            }
            // SAFETY: the queue is idle.
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
        // SAFETY: nothing uses it.
        unsafe { vulkan.device.destroy_pipeline_cache(made, None) };
    });
}

/// A pipeline binary that is damaged, or any bytes; mostly with the key that a forger can compute.
#[allow(unsafe_code, reason = "the Vulkan API is foreign functions")]
fn binaries(bytes: &[u8]) {
    with_known(|Known { vulkan, key, binary, .. }| {
        let random = &mut Random::of_bytes(bytes);
        let data = match bytes.split_first() {
            Some((0x80.., rest)) => rest.to_vec(),
            _ => changed(binary, random),
        };
        let mut key = *key;
        if random.chance(80) {
            let digest = Digest::of(&data[..]).to_bytes();
            let mut bytes = *key.key;
            bytes[..digest.len()].copy_from_slice(&digest);
            key.key = bytes.into();
        }
        let (Ok(_), made) = vulkan.create_binary_from(&key, &data) else { return };
        let (cache, flags) = (vk::PipelineCache::null(), vk::PipelineCreateFlags2::empty());
        // Its shader may be another, as words of modules are not secret: it is not run, since it may not end.
        let pipeline = vulkan.try_pipeline_from(false, cache, flags, Source::Binaries(&made));
        // SAFETY: nothing uses the objects.
        unsafe {
            if let Ok((pipeline, ..)) = pipeline {
                vulkan.device.destroy_pipeline(pipeline, None);
            }
            vulkan.device.destroy_pipeline_binary_khr(made[0], None);
        }
    });
}

/// A capture's file, or the parameters of a call: the first byte says which.
fn captures(bytes: &[u8]) {
    let commands = pyro_capture::schema::commands();
    let parameters = |number: usize, bytes: &[u8]| {
        let command = &commands[number % commands.len()];
        let _ = decode::parameters(command, bytes, &mut Same, &mut Parameters::default());
    };
    match bytes.split_first() {
        Some((0, file)) => {
            let Ok(capture) = Capture::read(file) else { return };
            for record in capture.records() {
                if let Record::Call(call) = record {
                    parameters(usize::from(call.command), call.parameters);
                }
            }
            let _ = Graph::new(&capture);
        }
        Some((number, rest)) => {
            let [low, bytes @ ..] = rest else { return };
            parameters(usize::from(*number) << 8 | usize::from(*low), bytes);
        }
        None => {}
    }
}

/// A stream of calls, valid and not.
fn api_calls(bytes: &[u8]) {
    calls::run(Random::of_bytes(bytes), 400);
}

/// Decisions of generators that make all there is: a few streams.
fn decisions() -> Vec<Vec<u8>> {
    let stream = |seed: u64| {
        let mut random = Random::new(seed);
        (0..64 << seed).map(|_| random.word() as u8).collect()
    };
    (0..3).map(stream).collect()
}

/// Shaders of the stages of a picture and of a launch, small ones.
fn module_seeds() -> Vec<Vec<u8>> {
    let compute = pyro_test_kit::compute::adding();
    let (scene, ..) = pyro_digests::stages::scene(&mut Random::new(2));
    let between = scene.between.iter().map(|(_, text)| text.as_str());
    let launched = pyro_digests::launches::SHADERS.iter().map(|(_, text)| *text);
    let texts = [compute.as_str(), &scene.fragment].into_iter().chain(between).chain(launched.skip(1));
    let words = texts.filter_map(|text| assemble(text).ok());
    let bytes = words.map(|words| words.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
    bytes.filter(|bytes| bytes.len() < 4096).collect()
}

fn ptx_seeds() -> Vec<Vec<u8>> {
    let kernel = |body: &str| {
        format!(
            ".version 7.0\n.target sm_70\n.address_size 64\n.shared .align 4 .b8 tile[64];\n\
             .visible .entry k(.param .u64 a, .param .u32 n)\n{{\n.reg .b32 %r<9>;\n.reg .f32 %f<4>;\n\
             .reg .b64 %d<4>;\n.reg .pred %p<3>;\nld.param.u64 %d1, [a];\nld.param.u32 %r1, [n];\n\
             mov.u32 %r2, %tid.x;\n{body}\nret;\n}}\n"
        )
        .into_bytes()
    };
    [
        "mov.u32 %r3, 0;\n$L:\nadd.u32 %r3, %r3, %r1;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra $L;\n\
         st.global.u32 [%d1], %r3;",
        "shl.b32 %r3, %r2, 2;\nand.b32 %r3, %r3, 60;\nmov.u32 %r4, tile;\nadd.u32 %r4, %r4, %r3;\n\
         st.shared.u32 [%r4], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r4];\nst.global.u32 [%d1], %r5;",
        "ld.global.f32 %f1, [%d1];\nfma.rn.f32 %f2, %f1, %f1, 0f3F800000;\ncvt.rzi.s32.f32 %r3, %f2;\n\
         shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\natom.global.add.u32 %r5, [%d1], %r4;",
    ]
    .map(kernel)
    .to_vec()
}

/// A capture of calls without meaning, and parameters.
fn capture_seeds() -> Vec<Vec<u8>> {
    let mut file = vec![0];
    if let Ok(writer) = pyro_capture::file::Writer::new(&mut file) {
        let _ = writer.finish();
    }
    vec![file, vec![1, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]]
}
