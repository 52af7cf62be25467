//! Kernels in memories between guards: a module is compiled, runs for a number of steps on the interpreter
//! and until a flag is set as machine code, and may write nothing but its own memories.
#![allow(unsafe_code)] // runs kernels

use pyro_abi::descriptor::SET_HEADER_BYTES;
use pyro_abi::{
    BufferDescriptor, DescriptorKind, DispatchContext, Exit, KernelInfo, PipelineLayout, SETS_MAX,
    SubgroupContext,
};
use pyro_compile::{Backend, reflect::layout_of};
use pyro_interp::Interpreter;
use pyro_ir::Function;
use pyro_passes::pipeline::{self, Options};
use pyro_spirv::Module;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

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

/// Buffers of all sets at most.
const BUFFER_COUNT_MAX: u32 = 64;

/// The layout of a module whose resources are all buffers, a few of them, and whose pointers are not of its
/// own making.
fn layout(module: &Module, words: &[u32]) -> Option<PipelineLayout> {
    // Addresses that the shader makes itself are not checked: that is what they are for.
    if words.iter().any(|&word| word == 5347 || word == 5349) {
        return None;
    }
    let layout = layout_of(module).ok()?;
    let mut count = 0u32;
    for binding in layout.sets.iter().flat_map(|set| set.bindings.values()) {
        if !matches!(binding.kind, DescriptorKind::StorageBuffer | DescriptorKind::UniformBuffer) {
            return None;
        }
        count = count.saturating_add(binding.count);
    }
    (count <= BUFFER_COUNT_MAX).then_some(layout)
}

/// A flag that is set when what runs has run long enough, by a thread that looks now and then.
pub(crate) struct Watch {
    abort: AtomicU32,
    /// Turns of the thread until the flag is set.
    turns: AtomicU64,
}

pub(crate) static WATCH: Watch = Watch { abort: AtomicU32::new(0), turns: AtomicU64::new(u64::MAX) };

impl Watch {
    const TURN: Duration = Duration::from_millis(10);
    const TURNS: u64 = 3;

    /// Starts the thread.
    pub(crate) fn start(&'static self) {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Self::TURN);
                if self.turns.fetch_sub(1, Ordering::Relaxed) == 0 {
                    self.abort.store(1, Ordering::Relaxed);
                }
            }
        });
    }

    fn rearm(&self) -> u64 {
        self.turns.store(Self::TURNS, Ordering::Relaxed);
        self.abort.store(0, Ordering::Relaxed);
        self.abort.as_ptr() as u64
    }
}

/// A module as backends take it, or none where it does not come so far.
fn compile(words: &[u32], seed: u64) -> Option<(Function, KernelInfo, PipelineLayout)> {
    let module = std::sync::Arc::new(Module::decode(words).ok()?);
    let checked = pyro_validate::validate(module, &pyro_validate::Environment::default()).ok()?;
    let layout = layout(&checked, words)?;
    let shader = pyro_lower::Shader { checked: &checked, entry_point: "main", layout: &layout, tiles: false };
    let lowered = pyro_lower::lower(&shader, 16, &pyro_lower::StageRequest::Compute).ok()?;
    let (mut function, mut info) = (lowered.function, lowered.info);
    let options = Options {
        full_subgroups: info.invocation_count().is_multiple_of(16),
        verify: true,
        ..Options::default()
    };
    match pipeline::run(&mut function, &options, None) {
        Ok(_) => {}
        Err(pyro_passes::PassError::ScratchTooLarge { .. }) => return None,
        Err(error) => panic!("module {seed}: {error}"),
    }
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    let fits = info.scratch_bytes.max(info.shared_bytes).max(info.frame_bytes) <= MEMORY_MAX;
    fits.then_some((function, info, layout))
}

/// The descriptor sets of a layout, with a memory of its own for each buffer.
fn make_sets(layout: &PipelineLayout) -> (Vec<Vec<u64>>, Vec<(Guarded, u32)>) {
    let mut buffers = Vec::new();
    let sets = layout.sets.iter().map(|set| {
        let end = |binding: &pyro_abi::BindingLayout| binding.offset + binding.count * binding.stride;
        let bytes = set.bindings.values().map(end).max().unwrap_or(SET_HEADER_BYTES);
        let mut words = vec![0u64; bytes.div_ceil(8) as usize];
        words[0] = bytes.into();
        for binding in set.bindings.values() {
            for index in 0..binding.count {
                let size = [256, 128, 8][buffers.len() % 3];
                let mut memory = Guarded::new(size);
                let at = (binding.offset + index * binding.stride) as usize / 8;
                let descriptor = BufferDescriptor::new(memory.address(), size.into());
                words[at..at + 2].copy_from_slice(&[descriptor.address, descriptor.size]);
                buffers.push((memory, size));
            }
        }
        words
    });
    (sets.collect(), buffers)
}

/// Writes a module into the folder of `PYRO_TRACE`, if that is set, over the one before it.
pub(crate) fn trace(words: &[u32], seed: u64) {
    let Some(folder) = pyro_test_environment::path("PYRO_TRACE") else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("module.spv"), bytes).expect("a folder that can be written");
    eprintln!("module {seed}");
}

/// One call of a kernel.
type Call<'k> = &'k dyn Fn(&DispatchContext, &mut SubgroupContext) -> Exit;

/// Runs a kernel until it ends or has run for long; panics when it leaves its memory.
fn run(info: &KernelInfo, call: Call<'_>, layout: &PipelineLayout, seed: u64) {
    let (set_words, mut buffers) = make_sets(layout);
    let sizes = [info.shared_bytes, info.scratch_bytes, info.frame_bytes];
    let mut memory = sizes.map(Guarded::new);
    let mut sets = [0; SETS_MAX];
    for (set, words) in sets.iter_mut().zip(&set_words) {
        *set = words.as_ptr() as u64;
    }
    let context = DispatchContext {
        sets,
        abort: WATCH.rearm(),
        num_workgroups: [3, 1, 1],
        ..DispatchContext::default()
    };
    let mut subgroup = SubgroupContext {
        workgroup_id: [1, 0, 0],
        active_lanes: u64::MAX >> (64 - info.invocation_count().min(16)),
        workgroup_count: 1,
        shared: memory[0].address(),
        scratch: memory[1].address(),
        frame: memory[2].address(),
        ..SubgroupContext::default()
    };
    for _ in 0..RESUMES {
        if call(&context, &mut subgroup) != Exit::Barrier {
            break;
        }
    }
    let guarded = buffers.iter_mut().map(|(memory, bytes)| (&*memory, *bytes));
    let intact = guarded.chain(memory.iter().zip(sizes)).all(|(memory, bytes)| memory.is_intact(bytes));
    assert!(intact, "module {seed} wrote memory that is not its own (of {info:?})");
}

/// Compiles a module and runs it on both backends; whether it came so far. Panics when it does what it may
/// not.
pub(crate) fn run_on_both(words: &[u32], seed: u64) -> bool {
    let Some((mut function, info, layout)) = compile(words, seed) else { return false };
    // The interpreter counts steps; machine code looks at the flag.
    let interpreter = Interpreter::new(function.clone(), info.clone());
    let interpreter = interpreter.unwrap_or_else(|error| panic!("module {seed}: {error}"));
    // SAFETY (of both calls): the sets and all memories are there and as large as the kernel was told; the
    // guards show whether it believes that. Modules with pointers of their own making were left out.
    run(
        &info,
        // SAFETY: as said above.
        &|context, subgroup| unsafe { interpreter.run_limited(context, subgroup, STEPS) },
        &layout,
        seed,
    );
    pyro_passes::safepoint::run(&mut function);
    let kernel = Backend::best().make(function, info.clone());
    let kernel = kernel.unwrap_or_else(|error| panic!("module {seed}: {error}"));
    // SAFETY: as above.
    run(&info, &|context, subgroup| unsafe { kernel.run(context, subgroup) }, &layout, seed);
    true
}
