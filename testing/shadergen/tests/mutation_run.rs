//! Broken modules that compile all the same, run for a number of steps: they touch no memory but their own, and
//! end or go on, but neither panic nor stop making steps.
//!
//! `PYRO_MUTATIONS` sets how many (default 2000), `PYRO_SEED` where to start.
#![allow(unsafe_code)] // runs kernels

use pyro_abi::descriptor::SET_HEADER_BYTES;
use pyro_abi::{
    BindingLayout, BufferDescriptor, DescriptorKind, DispatchContext, Exit, Kernel, MAX_SETS, PipelineLayout,
    SetHeader, SetLayout, SubgroupContext,
};
use pyro_interp::Interpreter;
use pyro_passes::pipeline::{self, Options};
use pyro_shadergen::mutate::{mutate, mutate_gently};
use pyro_shadergen::random::Random;
use pyro_shadergen::{assembly, generate};
use pyro_spirv::{Module, Specialization};

/// Words around each memory that nothing may write.
const GUARD_WORDS: usize = 512;
const GUARD: u64 = 0xfeed_5afe_0bad_cafe;
/// What a subgroup runs at most.
const STEPS: u64 = 30_000;
/// Barriers that a subgroup is resumed from at most.
const RESUMES: usize = 20;
/// More scratch or shared memory is not tried.
const MEMORY_MAX: u32 = 1 << 20;

/// Memory between guards.
struct Guarded {
    words: Vec<u64>,
}

impl Guarded {
    fn new(bytes: u32) -> Guarded {
        let inside = bytes.div_ceil(64) as usize * 8;
        // Whole cache lines on both sides; the start is aligned by the part that is skipped.
        let mut words = vec![GUARD; inside + 2 * GUARD_WORDS + 8];
        let start = Self::start(&words);
        words[start..start + inside].fill(0);
        Guarded { words }
    }

    /// The first word after the guard that begins a cache line.
    fn start(words: &[u64]) -> usize {
        let address = words.as_ptr() as usize + 8 * GUARD_WORDS;
        GUARD_WORDS + (address.next_multiple_of(64) - address) / 8
    }

    fn address(&mut self) -> u64 {
        let start = Self::start(&self.words);
        self.words[start..].as_mut_ptr() as u64
    }

    fn is_intact(&self, bytes: u32) -> bool {
        let start = Self::start(&self.words);
        let end = start + bytes.div_ceil(64) as usize * 8;
        self.words[..start].iter().chain(&self.words[end..]).all(|&word| word == GUARD)
    }
}

fn layout() -> PipelineLayout {
    let binding = |index: u32| BindingLayout {
        kind: DescriptorKind::StorageBuffer,
        offset: SET_HEADER_BYTES + 16 * index,
        count: 1,
        stride: 16,
        dynamic_index: None,
        variable_count: false,
    };
    let bindings = (0..3).map(|index| (index, binding(index))).collect();
    PipelineLayout { sets: vec![SetLayout { bindings }], push_constant_bytes: 0, ..PipelineLayout::default() }
}

#[repr(C)]
struct Set {
    header: SetHeader,
    buffers: [BufferDescriptor; 3],
}

/// Compiles and runs; whether it came so far. Panics when the shader leaves its memory.
fn run(words: &[u32], seed: u64) -> bool {
    let Ok(module) = Module::decode(words) else { return false };
    if pyro_validate::validate(&module, &pyro_validate::Environment::default()).is_err() {
        return false;
    }
    let Ok(lowered) = pyro_lower::lower_compute(&module, "main", &Specialization::new(), &layout(), 16)
    else {
        return false;
    };
    let (mut function, mut info) = (lowered.function, lowered.info);
    let options = Options {
        full_subgroups: info.invocation_count().is_multiple_of(16),
        verify: true,
        ..Options::default()
    };
    match pipeline::run(&mut function, &options, None) {
        Ok(()) => {}
        Err(pyro_passes::PassError::ScratchTooLarge { .. }) => return false,
        Err(error) => panic!("mutation {seed}: {error}"),
    }
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    if info.scratch_bytes.max(info.shared_bytes).max(info.frame_bytes) > MEMORY_MAX {
        return false;
    }
    let sizes = [256, 128, 8, info.shared_bytes, info.scratch_bytes, info.frame_bytes];
    let mut memory = sizes.map(Guarded::new);
    let active = u64::MAX >> (64 - info.invocation_count().min(16));
    let kernel = Interpreter::new(function, info).unwrap_or_else(|error| panic!("mutation {seed}: {error}"));
    let set = Set {
        header: SetHeader { size: size_of::<Set>() as u64, reserved: 0 },
        buffers: [0, 1, 2]
            .map(|index| BufferDescriptor { address: memory[index].address(), size: sizes[index].into() }),
    };
    let mut sets = [0; MAX_SETS];
    sets[0] = &raw const set as u64;
    let abort = 0u32;
    let context = DispatchContext {
        sets,
        abort: &raw const abort as u64,
        num_workgroups: [3, 1, 1],
        ..DispatchContext::default()
    };
    let mut subgroup = SubgroupContext {
        workgroup_id: [1, 0, 0],
        active_lanes: active,
        workgroup_count: 1,
        shared: memory[3].address(),
        scratch: memory[4].address(),
        frame: memory[5].address(),
        ..SubgroupContext::default()
    };
    for _ in 0..RESUMES {
        // SAFETY: the set and all memories are there and as large as the kernel was told; the guards show
        // whether it believes that. Modules with pointers of their own making were left out.
        let exit = unsafe { kernel.run_limited(&context, &mut subgroup, STEPS) };
        if exit != Exit::Barrier {
            break;
        }
    }
    let intact = memory.iter().zip(sizes).all(|(memory, bytes)| memory.is_intact(bytes));
    assert!(intact, "mutation {seed} wrote memory that is not its own (of {:?})", kernel.info());
    true
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn mutated_modules_stay_in_their_memory() {
    let (count, first) = (number("PYRO_MUTATIONS", 2000), number("PYRO_SEED", 0));
    let mut ran = 0;
    for seed in first..first + count {
        let text = assembly::write(&generate::program(seed / 8 % 200, 4 + (seed % 40) as u32));
        let mut words = pyro_spirv::asm::assemble(&text).expect("valid assembly");
        let mut random = Random::new(seed ^ 0x0ddba11);
        if random.one_in(4) {
            mutate(&mut words, &mut random)
        } else {
            mutate_gently(&mut words, &mut random)
        }
        // Addresses that the shader makes itself are not checked: that is what they are for.
        let makes_addresses = words.iter().any(|&word| word == 5347 || word == 5349);
        if makes_addresses {
            continue;
        }
        ran += u64::from(run(&words, seed));
    }
    println!("{ran} of {count} ran");
    assert!(ran > count / 20, "{ran} of {count} ran");
}
