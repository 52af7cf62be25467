//! Launching kernels on arrays.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::DispatchContext;
use pyro_compile::Backend;
use pyro_compile::ptx::{KernelRequest, compile_kernel_for};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_ptx::{IMAGE_OFFSET, Launch, Module, PARAMETERS_OFFSET};
use std::sync::{Mutex, OnceLock};

/// A kernel named `k` with parameters `p0`, `p1`, ... of 64 bits, which `body` finds as addresses in `%rd1`,
/// `%rd2`, ..., and the thread's number in the grid in `%r1`. `outside` stands before it.
pub(crate) fn kernel(parameters: usize, outside: &str, body: &str) -> String {
    let list: Vec<String> = (0..parameters).map(|index| format!(".param .u64 k_param_{index}")).collect();
    let mut loads = String::new();
    for index in 0..parameters {
        loads += &format!(
            "ld.param.u64 %rd{0}, [k_param_{index}];\ncvta.to.global.u64 %rd{0}, %rd{0};\n",
            index + 1
        );
    }
    format!(
        ".version 7.8\n.target sm_61\n.address_size 64\n{outside}\n.visible .entry k({})\n{{\n\
         .reg .pred %p<20>;\n.reg .b16 %rs<20>;\n.reg .b32 %r<60>;\n.reg .f32 %f<40>;\n.reg .b64 %rd<40>;\n\
         .reg .f64 %fd<20>;\n\
         {loads}mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n\
         mad.lo.s32 %r1, %r1, %r2, %r3;\n{body}\nret;\n}}\n",
        list.join(",\n")
    )
}

/// How a kernel is run here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) blocks: [u32; 3],
    pub(crate) threads: [u32; 3],
    pub(crate) dynamic_shared_bytes: u32,
}

impl Grid {
    pub(crate) fn new(blocks: u32, threads: u32) -> Grid {
        Grid { blocks: [blocks, 1, 1], threads: [threads, 1, 1], dynamic_shared_bytes: 0 }
    }
}

/// Runs kernel `k` of a text with arrays as its parameters, with every backend; gives what the arrays hold
/// then, which is the same with all.
pub(crate) fn run(text: &str, grid: Grid, arrays: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let module = Module::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut first: Option<Vec<Vec<u32>>> = None;
    for (name, backend) in Backend::all() {
        let found = run_on(&module, backend, grid, arrays);
        match &first {
            None => first = Some(found),
            Some(first) => assert_eq!(first, &found, "interpreter and {name}"),
        }
    }
    first.expect("there is an backend")
}

fn engine() -> &'static Mutex<Engine> {
    static ENGINE: OnceLock<Mutex<Engine>> = OnceLock::new();
    ENGINE.get_or_init(|| Mutex::new(Engine::new(2)))
}

fn run_on(module: &Module, backend: Backend, grid: Grid, arrays: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let launch =
        Launch { block: grid.threads, dynamic_shared_bytes: grid.dynamic_shared_bytes, ..Launch::default() };
    let request = KernelRequest { module, kernel: "k", launch };
    // Every step is checked, which only debug builds do by themselves.
    let mut check = |step: &'static str, function: &pyro_ir::Function| {
        if let Err(errors) = pyro_ir::verify::verify(function) {
            panic!("behind {step}: {errors}\n{function}");
        }
    };
    let kernel =
        compile_kernel_for(&request, backend, Some(&mut check)).unwrap_or_else(|error| panic!("{error}"));
    let mut arrays: Vec<Vec<u32>> = arrays.to_vec();
    let mut parameters: Vec<u64> =
        arrays.iter_mut().map(|array| array.as_mut_ptr().expose_provenance() as u64).collect();
    parameters.push(0);
    let image = module.image();
    let mut memory = vec![0_u64; image.bytes as usize / 8 + 2];
    let address = memory.as_mut_ptr().expose_provenance() as u64;
    let mut initial = module.initial_image(&image, address);
    initial.resize(memory.len() * 8, 0);
    for (word, bytes) in memory.iter_mut().zip(initial.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mut context = DispatchContext { num_workgroups: grid.blocks, ..DispatchContext::default() };
    let mut push = |at: u32, value: u64| {
        context.push_constants[at as usize..][..8].copy_from_slice(&value.to_le_bytes());
    };
    push(PARAMETERS_OFFSET, parameters.as_ptr().expose_provenance() as u64);
    push(IMAGE_OFFSET, memory.as_mut_ptr().expose_provenance() as u64);
    let engine = engine().lock().unwrap_or_else(|error| error.into_inner());
    // SAFETY: the kernels of these tests stay within the arrays, which live until the launch has ended.
    unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }.expect("runs");
    // What the kernel has written through the addresses.
    arrays.iter().map(|array| std::hint::black_box(array).clone()).collect()
}

/// Runs a kernel of which each thread reads `inputs` words at `%rd1` and writes `outputs` words at `%rd2`;
/// `%rd3` and `%rd4` are the thread's own places in them. Gives the words that each thread wrote.
pub(crate) fn map(outside: &str, inputs: &[Vec<u32>], outputs: usize, body: &str) -> Vec<Vec<u32>> {
    let width = inputs.first().map_or(1, Vec::len);
    let body = format!(
        "mul.wide.u32 %rd3, %r1, {};\nadd.s64 %rd3, %rd1, %rd3;\nmul.wide.u32 %rd4, %r1, {};\n\
         add.s64 %rd4, %rd2, %rd4;\n{body}",
        4 * width,
        4 * outputs
    );
    let flat: Vec<u32> = inputs.concat();
    let text = kernel(2, outside, &body);
    let threads = inputs.len() as u32;
    assert!(threads.is_multiple_of(32), "{threads} threads");
    let found = run(&text, Grid::new(threads / 32, 32), &[flat, vec![0; inputs.len() * outputs]]);
    found[1].chunks(outputs).map(<[u32]>::to_vec).collect()
}

/// Words that are interesting as integers and as floats, each row of `width`, at least 64 rows, whole warps.
pub(crate) fn rows(width: usize) -> Vec<Vec<u32>> {
    let mut random = pyro_random::Random::new(width as u64);
    let known = [
        0,
        1,
        2,
        31,
        32,
        33,
        255,
        256,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        u32::MAX,
        u32::MAX - 1,
        1.0f32.to_bits(),
        (-1.0f32).to_bits(),
        0.5f32.to_bits(),
        1.5f32.to_bits(),
        2.5f32.to_bits(),
        (-2.5f32).to_bits(),
        1e-40f32.to_bits(),
        (-1e-40f32).to_bits(),
        f32::MIN_POSITIVE.to_bits(),
        f32::MAX.to_bits(),
        f32::INFINITY.to_bits(),
        f32::NEG_INFINITY.to_bits(),
        f32::NAN.to_bits(),
        3.4e9f32.to_bits(),
        (-3.4e9f32).to_bits(),
        0x3c00_4000,
    ];
    let mut word = || match random.below(3u32) {
        0 => random.pick(&known),
        1 => random.word(),
        _ => random.float(-10.0, 10.0).to_bits(),
    };
    let mut all: Vec<Vec<u32>> = known
        .iter()
        .map(|&first| (0..width).map(|at| if at == 0 { first } else { word() }).collect())
        .collect();
    all.extend((0..480).map(|_| (0..width).map(|_| word()).collect()));
    all
}
