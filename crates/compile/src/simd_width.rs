//! How many lanes a compute shader that cannot see its subgroups runs with.
//!
//! A shader that uses nothing of subgroups cannot tell how its invocations are cut into them, so the number
//! of lanes is free. More lanes mean that each operation is several independent instructions, which hides
//! their latency in loops whose iterations depend on each other, and fewer rounds between barriers. They cost
//! registers, compile time, and in loops that lanes leave at different times the iterations of the slowest
//! lane. So
//!
//! * only small shaders get more lanes;
//! * those with loops or barriers get [`LANES_MAX`], unless lanes leave a loop one by one;
//! * where lanes walk through rows of their own ([`walks_rows`]) they stay at the default: each lane has a
//!   cache line in use, and those of many rows displace each other;
//! * those without get [`LANES_MAX_STRAIGHT`]: the loop over subgroups overlaps them already, so only its own
//!   cost counts;
//! * where an estimate says that vectors will not fit the registers by far, half as many are tried at once,
//!   and code whose vectors turn out not to fit is made again with half as many.
//!
//! Where image operations are part of the shader, subgroups are at most the default: texels of a row of it
//! are often one access.
//!
//! With the short and few registers of AVX2 large shaders start below the default. Small ones with barriers,
//! or with loops in workgroups of short rows, start with [`LANES_SHARING`]: what the rows of a tile have in
//! common is loaded once for two of them, which is worth some moves to the stack. All others start with the
//! default, as all do with SSE4.1 and NEON.

use crate::{Backend, subgroup_use};
use pyro_abi::{DEFAULT_SUBGROUP_SIZE, Kernel, PipelineLayout};
use pyro_ir::{Block, Function, Opcode, Terminator};
use pyro_passes::analysis::{reads_rows, walks_rows};
use pyro_spirv::Module;
use pyro_spirv::spirv::Op;
use pyro_util::SecondaryMap;

/// The most lanes.
const LANES_MAX: u32 = 64;
/// The most lanes where they leave a loop at different times.
const LANES_MAX_DIVERGENT: u32 = 32;
/// The most lanes where nothing is repeated.
const LANES_MAX_STRAIGHT: u32 = 32;
/// The lanes to start with where rows share what they read and registers are short.
const LANES_SHARING: u32 = 2 * DEFAULT_SUBGROUP_SIZE;
/// What fills one short register with words.
const LANES_SHORT: u32 = 8;
/// The most instructions of a module that is widened.
const INSTRUCTIONS_MAX: usize = 400;
/// One move of a vector to or from the stack among this many instructions is accepted.
const INSTRUCTIONS_PER_SPILL: u64 = 8;
/// The same with AVX2 where lanes stay together and read no rows of their own: half as many take more than
/// half of the instructions, so moves to the stack cost less than they would save.
const INSTRUCTIONS_PER_SPILL_AVX2: u64 = 4;

/// Vectors of 512 bits that live at once by the estimate, for wide and for short registers: beyond these,
/// code always has had more moves than are accepted. (The estimate does not see in which order selection and
/// allocation have values die.)
const CROWDED_WIDE: u32 = 59;
const CROWDED_SHORT: u32 = 19;
/// The same with AVX2.
const CROWDED_AVX2: u32 = 28;

/// How many lanes a shader may run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The lanes to try first.
    pub first: u32,
    /// The fewest to try.
    pub least: u32,
}

/// The lanes that a shader may run with, whose workgroups have this shape; none where it can tell.
pub(crate) fn range(
    module: &Module,
    layout: &PipelineLayout,
    workgroup: Option<[u32; 3]>,
    backend: Backend,
) -> Option<Range> {
    if layout.options.trace.is_some() || subgroup_use::sees_subgroups(module) {
        return None;
    }
    let Some(registers) = Registers::of(backend) else {
        return Some(Range { first: DEFAULT_SUBGROUP_SIZE, least: DEFAULT_SUBGROUP_SIZE });
    };
    let is_small = module.insts().len() <= INSTRUCTIONS_MAX;
    let is_barrier = |op: Op| matches!(op, Op::ControlBarrier | Op::ControlBarrierWaitINTEL);
    let has = |wanted: &dyn Fn(Op) -> bool| module.insts().any(|inst| wanted(inst.op()));
    let first = match (registers, is_small) {
        (Registers::Short, true) => {
            let has_rows = workgroup.is_some_and(|[x, y, _]| x <= DEFAULT_SUBGROUP_SIZE && y > 1);
            let shares = has(&|op| is_barrier(op) || has_rows && op == Op::LoopMerge);
            if shares && is_avx2(backend) { LANES_SHARING } else { DEFAULT_SUBGROUP_SIZE }
        }
        (Registers::Wide, false) => DEFAULT_SUBGROUP_SIZE,
        (Registers::Short, false) => LANES_SHORT,
        (Registers::Wide, true) if has(&|op| is_barrier(op) || op == Op::LoopMerge) => LANES_MAX,
        (Registers::Wide, true) => LANES_MAX_STRAIGHT,
    };
    let knows_images =
        layout.sets.iter().flat_map(|set| set.bindings.values()).any(|binding| binding.known.is_some());
    let first = if knows_images { first.min(DEFAULT_SUBGROUP_SIZE) } else { first };
    let least = match registers {
        Registers::Short => LANES_SHORT,
        Registers::Wide => DEFAULT_SUBGROUP_SIZE,
    };
    Some(Range { first, least })
}

/// The lanes to try instead of those that `function`, finished, was made with, if they are too many.
pub(crate) fn for_function(function: &Function, backend: Backend) -> Option<u32> {
    let most = match Registers::of(backend) {
        Some(Registers::Short) => DEFAULT_SUBGROUP_SIZE,
        _ => LANES_MAX_DIVERGENT,
    };
    let is_wide = function.lanes > DEFAULT_SUBGROUP_SIZE;
    if is_wide && Registers::of(backend) == Some(Registers::Wide) && walks_rows(function) {
        return Some(DEFAULT_SUBGROUP_SIZE);
    }
    (function.lanes > most && has_divergent_loop(function)).then_some(most)
}

/// Half as many lanes, but no fewer than allowed.
pub(crate) fn narrower(lanes: u32, range: Range) -> Option<u32> {
    (lanes > range.least).then_some(lanes / 2)
}

/// Whether the code of a function is sure to be made again with fewer lanes: see [`spills`].
pub(crate) fn is_crowded(function: &Function, backend: Backend) -> bool {
    let limit = match Registers::of(backend) {
        Some(Registers::Wide) => CROWDED_WIDE,
        Some(Registers::Short) if is_avx2(backend) => CROWDED_AVX2,
        Some(Registers::Short) => CROWDED_SHORT,
        None => return false,
    };
    pyro_passes::analysis::pressure::exceeds(function, limit)
}

/// A number that a kernel tells of itself; zero where it does not.
fn statistic(kernel: &dyn Kernel, name: &str) -> u64 {
    let all = kernel.statistics();
    all.iter().find(|(known, _)| *known == name).map_or(0, |&(_, value)| value)
}

/// Instructions of a kernel's code before register allocation; zero of one that is interpreted.
pub fn instruction_count(kernel: &dyn Kernel) -> u64 {
    statistic(kernel, "instructions before register allocation")
}

/// Among how many instructions of a function's code one move of a vector to or from the stack is accepted.
pub(crate) fn instructions_per_spill(function: &Function, backend: Backend) -> u64 {
    match is_avx2(backend) && !has_divergent_loop(function) && !reads_rows(function) {
        true => INSTRUCTIONS_PER_SPILL_AVX2,
        false => INSTRUCTIONS_PER_SPILL,
    }
}

/// Whether the code should be made again with fewer lanes than these, where one move among `accepted`
/// instructions is. What is the same for all lanes takes no more registers with more of them.
pub(crate) fn spills(kernel: &dyn Kernel, accepted: u64) -> bool {
    statistic(kernel, "spills and reloads of vectors") * accepted > instruction_count(kernel)
}

/// The most lanes up to `most` that leave no subgroup partly filled.
pub(crate) fn widest(invocation_count: u32, most: u32) -> u32 {
    let mut lanes = most;
    while lanes > DEFAULT_SUBGROUP_SIZE && !invocation_count.is_multiple_of(lanes) {
        lanes /= 2;
    }
    lanes
}

/// The vector registers of machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registers {
    /// 16 of 256 bits, or 32 of 128.
    Short,
    /// 32 of 512 bits.
    Wide,
}

impl Registers {
    fn of(backend: Backend) -> Option<Registers> {
        match backend {
            Backend::Interpreter => None,
            Backend::MachineCode(features) => Some(match features.level {
                pyro_jit::Level::Avx2 | pyro_jit::Level::Neon | pyro_jit::Level::Sse41 => Registers::Short,
                pyro_jit::Level::Avx512 => Registers::Wide,
            }),
        }
    }
}

fn is_avx2(backend: Backend) -> bool {
    matches!(backend, Backend::MachineCode(features) if features.level == pyro_jit::Level::Avx2)
}

/// Whether there is a loop that goes on as long as any lane does.
fn has_divergent_loop(function: &Function) -> bool {
    let mut position = SecondaryMap::<Block, usize>::with_capacity(usize::MAX, function.blocks.len());
    for (index, &block) in function.block_order.iter().enumerate() {
        position[block] = index;
    }
    let asks_any = |block: Block| match &function.blocks[block].terminator {
        Terminator::Branch { condition, .. } => {
            function.def_inst(*condition).is_some_and(|data| data.op == Opcode::Any)
        }
        _ => false,
    };
    function.block_order.iter().enumerate().any(|(end, &block)| {
        let targets = |block: Block| function.blocks[block].terminator.targets().map(|to| position[to.block]);
        targets(block).filter(|&start| start <= end).any(|start| {
            // The branches that leave the loop, or go round once more.
            (start..=end).any(|index| {
                let inside = function.block_order[index];
                let leaves = index == end || targets(inside).any(|to| !(start..=end).contains(&to));
                leaves && asks_any(inside)
            })
        })
    })
}
