//! Exact counts: how often each basic block of a shader ran, with how many lanes, and which way its branches
//! went. Shaders count by themselves, in memory that they know by its address; so their code is of this
//! process alone ([`process_key`]).

use pyro_abi::shader_map::SourceFile;
use pyro_util::codec_struct;
use pyro_util::sync::Mutex;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one invocation does on a line, in one run of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCost {
    /// Index of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Instructions of SPIR-V that do something.
    pub instructions: u32,
    /// Bytes that it reads from buffers and workgroup memory.
    pub read_bytes: u32,
    /// Bytes that it writes there.
    pub written_bytes: u32,
    /// Instructions on images.
    pub texels: u32,
    /// Barriers.
    pub barriers: u32,
    /// Atomic operations.
    pub atomics: u32,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Index of its function.
    pub function: u32,
    /// Its lines.
    pub lines: Vec<LineCost>,
}

/// A conditional branch or a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// Index of its block.
    pub block: u32,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1; zero: not known.
    pub line: u32,
    /// How many ways there are.
    pub arms: u32,
}

/// An instruction that reads or writes buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferAccess {
    /// Index of its function.
    pub function: u32,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1; zero: not known.
    pub line: u32,
}

/// A function of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedFunction {
    /// Its name.
    pub name: String,
    /// Index of the file.
    pub file: u32,
    /// Line, from 1; zero: not known.
    pub line: u32,
    /// Index of its first block.
    pub block: u32,
}

/// What a shader that counts is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedShader {
    /// A digest of the module's words.
    pub module: u64,
    /// The stage.
    pub stage: String,
    /// The entry point.
    pub entry_point: String,
    /// The source's files.
    pub files: Vec<SourceFile>,
    /// All functions of the module.
    pub functions: Vec<CountedFunction>,
    /// All blocks of the module.
    pub blocks: Vec<Block>,
    /// All branches of the module.
    pub branches: Vec<Branch>,
    /// All its instructions that read or write buffers.
    pub accesses: Vec<BufferAccess>,
}

/// Counters of a block: invocations, and lanes of the subgroups that ran it.
const BLOCK_COUNTERS: usize = 2;
/// Counters of an access: subgroups, and the cache lines in which their accesses begin.
const ACCESS_COUNTERS: usize = 2;
/// Bytes of what is counted as a cache line, whatever the machine has.
pub const CACHE_LINE_BYTES: u32 = 64;

impl CountedShader {
    fn counter_count(&self) -> usize {
        (self.access_offset(self.accesses.len() as u32) / 8) as usize
    }

    /// Offset in bytes of the counter of a block's invocations; behind it is that of the lanes of its
    /// subgroups.
    pub fn block_offset(&self, block: u32) -> u32 {
        (8 * BLOCK_COUNTERS as u32) * block
    }

    /// Offset in bytes of the counter of a branch's first way; those of the others follow.
    pub fn branch_offset(&self, branch: u32) -> u32 {
        let before: u32 = self.branches[..branch as usize].iter().map(|branch| branch.arms).sum();
        self.block_offset(self.blocks.len() as u32) + 8 * before
    }

    /// Offset in bytes of the counter of an access's subgroups; behind it is that of its cache lines.
    pub fn access_offset(&self, access: u32) -> u32 {
        self.branch_offset(self.branches.len() as u32) + 8 * ACCESS_COUNTERS as u32 * access
    }
}

/// A shader with what it has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShaderCounts {
    /// The shader.
    pub shader: CountedShader,
    /// Of each block, its invocations and the lanes of its subgroups; then of each branch, how often each way
    /// was taken; then of each access, its subgroups and cache lines.
    pub values: Vec<u64>,
}

codec_struct!(LineCost { file, line, instructions, read_bytes, written_bytes, texels, barriers, atomics });
codec_struct!(Block { function, lines });
codec_struct!(Branch { block, file, line, arms });
codec_struct!(BufferAccess { function, file, line });
codec_struct!(CountedFunction { name, file, line, block });
codec_struct!(CountedShader { module, stage, entry_point, files, functions, blocks, branches, accesses });
codec_struct!(ShaderCounts { shader, values });

impl ShaderCounts {
    /// Invocations that ran a block.
    pub fn invocations(&self, block: u32) -> u64 {
        self.values.get(BLOCK_COUNTERS * block as usize).copied().unwrap_or(0)
    }

    /// Lanes of the subgroups that ran a block, whether they were active or not.
    pub fn lanes(&self, block: u32) -> u64 {
        self.values.get(BLOCK_COUNTERS * block as usize + 1).copied().unwrap_or(0)
    }

    /// How often each way of a branch was taken.
    pub fn arms(&self, branch: u32) -> &[u64] {
        let Some(of) = self.shader.branches.get(branch as usize) else { return &[] };
        let first = (self.shader.branch_offset(branch) / 8) as usize;
        self.values.get(first..first + of.arms as usize).unwrap_or(&[])
    }

    /// How many subgroups ran an access, and the sum of the cache lines that each of them accessed.
    pub fn access(&self, access: u32) -> (u64, u64) {
        let first = (self.shader.access_offset(access) / 8) as usize;
        let value = |index: usize| self.values.get(index).copied().unwrap_or(0);
        (value(first), value(first + 1))
    }
}

/// The most copies of a shader's counters.
const COPIES_MAX: usize = 64;

/// How many copies of its counters a shader has, a power of two: threads that count in copies of their own do
/// not wait for each other's cache lines.
pub fn copies() -> u32 {
    static COPIES: OnceLock<u32> = OnceLock::new();
    *COPIES.get_or_init(|| {
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
        // Beside the threads of a device, each of its queues is one.
        (threads + 1).next_power_of_two().min(COPIES_MAX) as u32
    })
}

/// The counters of one cache line, by which copies are apart.
#[derive(Default)]
#[repr(align(64))]
struct Line([AtomicU64; 8]);

/// A shader, and the counters that its code has the address of.
#[derive(Clone, Copy)]
pub struct Counted {
    /// The shader.
    pub shader: &'static CountedShader,
    /// The copies, one behind the other.
    lines: &'static [Line],
}

impl Counted {
    fn new(shader: CountedShader) -> Counted {
        let lines = shader.counter_count().max(1).div_ceil(8) * copies() as usize;
        let lines: Vec<Line> = (0..lines).map(|_| Line::default()).collect();
        Counted { shader: Box::leak(Box::new(shader)), lines: lines.leak() }
    }

    /// The address of the first counter of the first copy.
    pub fn address(self) -> u64 {
        self.lines.as_ptr().expose_provenance() as u64
    }

    /// Bytes from one copy to the next.
    pub fn copy_bytes(self) -> u32 {
        (size_of_val(self.lines) / copies() as usize) as u32
    }

    /// The sums of the copies.
    fn values(self) -> Vec<u64> {
        let mut values = vec![0u64; self.shader.counter_count().max(1)];
        for copy in self.lines.chunks(self.lines.len() / copies() as usize) {
            for (value, counter) in values.iter_mut().zip(copy.iter().flat_map(|line| &line.0)) {
                *value = value.wrapping_add(counter.load(Ordering::Relaxed));
            }
        }
        values
    }
}

/// By module, stage and entry point.
type Shaders = HashMap<(u64, String, String), Counted>;

static SHADERS: Mutex<Option<Shaders>> = Mutex::new(None);

/// The counters of a shader, which stay as long as the process does.
pub fn of(module: u64, stage: &str, entry_point: &str, shader: impl FnOnce() -> CountedShader) -> Counted {
    let mut shaders = SHADERS.lock();
    let key = (module, stage.to_owned(), entry_point.to_owned());
    *shaders.get_or_insert_default().entry(key).or_insert_with(|| Counted::new(shader()))
}

/// What all shaders have counted so far, by stage and entry point.
pub fn counts() -> Vec<ShaderCounts> {
    let shaders = SHADERS.lock();
    let mut all: Vec<ShaderCounts> = shaders
        .iter()
        .flat_map(HashMap::values)
        .map(|counted| ShaderCounts { shader: counted.shader.clone(), values: counted.values() })
        .collect();
    all.sort_by(|a, b| {
        let key = |counts: &ShaderCounts| {
            let shader = &counts.shader;
            (shader.stage.clone(), shader.entry_point.clone(), shader.module)
        };
        key(a).cmp(&key(b))
    });
    all
}

/// A number that no other process has: a part of the keys of code that counts.
pub fn process_key() -> u64 {
    static KEY: OnceLock<u64> = OnceLock::new();
    *KEY.get_or_init(|| {
        // The standard library's random numbers, which its maps have.
        RandomState::new().hash_one(std::process::id()).max(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_lie_one_behind_the_other() {
        let shader = CountedShader {
            blocks: vec![Block::default(); 3],
            branches: vec![Branch { arms: 2, ..Branch::default() }, Branch { arms: 3, ..Branch::default() }],
            accesses: vec![BufferAccess::default(); 2],
            ..CountedShader::default()
        };
        let offsets = [
            shader.block_offset(0),
            shader.block_offset(2),
            shader.branch_offset(0),
            shader.branch_offset(1),
            shader.access_offset(1),
        ];
        assert_eq!(offsets, [0, 32, 48, 64, 104]);
        assert_eq!(shader.counter_count(), 15);
        let counts = ShaderCounts { shader, values: (0..15).collect() };
        assert_eq!(counts.access(1), (13, 14));
        assert_eq!((counts.invocations(2), counts.lanes(2)), (4, 5));
        assert_eq!((counts.arms(0), counts.arms(1), counts.arms(2)), (&[6, 7][..], &[8, 9, 10][..], &[][..]));
        assert_ne!(process_key(), 0);
        assert_eq!(process_key(), process_key());
    }
}
