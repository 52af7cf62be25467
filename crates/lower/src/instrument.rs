//! Shader instrumentation (specification, "Shader Instrumentation"): how often each basic block runs, and
//! what it costs.
//!
//! A block counts its invocations, in one atomic addition of the subgroup, into the `u64` of its number in
//! the stage's counters ([`pyro_abi::DispatchContext::instrumentation`]); helper invocations do not count.
//! What its instructions do is known before ([`instrumented_blocks`]), so all metrics are products: they are
//! exact, and the same whatever runs the shader.
//!
//! Blocks are numbered in the module's order, those of the functions that the entry point calls.

use crate::error::Result;
use pyro_ir::Value;
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{ExecutionModel, Op};
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Instruction, Module, Type};
use std::collections::{BTreeSet, HashMap};

/// What is counted, with names and descriptions for developers. The first is how many invocations run a
/// block; of the others each invocation does a fixed number in a block.
pub const METRICS: [(&str, &str); 13] = [
    ("invocations", "Invocations that ran the block, without helper invocations"),
    ("instructions", "SPIR-V instructions that were run, terminators included, debug information not"),
    ("float", "Floating-point operations, one for each component"),
    ("integer", "Operations on integers, bits and booleans, comparisons included, one for each component"),
    ("convert", "Conversions between types, one for each component"),
    ("function", "Instructions of extended instruction sets, such as GLSL.std.450, one for each component"),
    ("move", "Instructions that only take composites apart or put them together"),
    ("load", "Loads from memory and variables"),
    ("store", "Stores to memory and variables"),
    ("atomic", "Atomic operations"),
    ("image", "Instructions on images, texel buffers and samplers"),
    ("group", "Instructions of subgroups and workgroups: barriers, votes, reductions, matrices"),
    ("branch", "Branches that depend on a value"),
];

/// How often one invocation that runs a block does what [`METRICS`] name, in their order.
pub type BlockCost = [u32; METRICS.len()];

/// The blocks of an entry point by their numbers.
///
/// # Errors
/// When there is no such entry point.
pub fn instrumented_blocks(module: &Module, name: &str, models: &[ExecutionModel]) -> Result<Vec<BlockCost>> {
    let Some(entry) = models.iter().find_map(|&model| module.entry_point(name, model)) else {
        return crate::error::invalid(format!("no entry point of the stage is named \"{name}\""));
    };
    Ok(blocks(module, entry.function).map(|block| cost(module, block)).collect())
}

/// The blocks of a function and of those that it calls, in the module's order.
pub(crate) fn blocks(module: &Module, entry: Id) -> impl Iterator<Item = BlockIndex> {
    let mut called: BTreeSet<u32> = BTreeSet::new();
    let mut next: Vec<Id> = vec![entry];
    while let Some(id) = next.pop() {
        let Some(function) = module.function_of(id).filter(|function| called.insert(function.as_u32()))
        else {
            continue;
        };
        let bodies = module.function(function).blocks().flat_map(|block| module.body(block));
        next.extend(bodies.filter(|inst| inst.op() == Op::FunctionCall).map(|call| call.id(0)));
    }
    called.into_iter().flat_map(|function| module.function(FunctionIndex::from_u32(function)).blocks())
}

/// What an instruction is counted as.
#[derive(Clone, Copy)]
enum Kind {
    Float = 2,
    Integer = 3,
    Convert = 4,
    Function = 5,
    Move = 6,
    Load = 7,
    Store = 8,
    Atomic = 9,
    Image = 10,
    Group = 11,
    Branch = 12,
}

fn cost(module: &Module, block: BlockIndex) -> BlockCost {
    let mut cost = [0; METRICS.len()];
    cost[0] = 1;
    let mut add = |kind: Kind, count: u32| cost[kind as usize] += count;
    let mut instructions = 1;
    for inst in module.body(block) {
        let op = inst.op();
        let is_silent = matches!(op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR)
            && inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
        if is_silent || facts(op).is_silent() || op == Op::Variable {
            continue;
        }
        instructions += 1;
        match op {
            Op::CopyMemory | Op::CopyMemorySized => {
                add(Kind::Load, 1);
                add(Kind::Store, 1);
            }
            Op::Load => add(Kind::Load, 1),
            Op::Store => add(Kind::Store, 1),
            _ => {
                if let Some((kind, count)) = kind_of(module, inst) {
                    add(kind, count);
                }
            }
        }
    }
    if matches!(module.inst(module.block(block).terminator).op(), Op::BranchConditional | Op::Switch) {
        add(Kind::Branch, 1);
    }
    cost[1] = instructions;
    cost
}

/// Of an instruction other than loads and stores; none for what only names places or functions.
fn kind_of(module: &Module, inst: Instruction<'_>) -> Option<(Kind, u32)> {
    let op = inst.op();
    let family = facts(op).family;
    let components = |ty: Id| match module.ty(ty) {
        Type::Vector { count, .. } => count,
        _ => 1,
    };
    let each = inst.result_type().map_or(1, components);
    let is_float = |id: Id| {
        let component = module.type_of(id).and_then(|ty| module.component(module.strip_arrays(ty)));
        component.is_some_and(|component| matches!(component.ty, Type::Float { .. }))
    };
    let first = if op == Op::Select { 1 } else { 0 };
    Some(match family {
        Family::Extended => (Kind::Function, each),
        Family::Barrier
        | Family::Group
        | Family::UniformGroup
        | Family::Cooperative
        | Family::TensorLayout => (Kind::Group, 1),
        Family::Image => (Kind::Image, 1),
        Family::Atomic => (Kind::Atomic, 1),
        Family::Conversion => (Kind::Convert, each),
        Family::Composite if inst.result().is_some() => (Kind::Move, 1),
        Family::Call | Family::Memory | Family::Composite => return None,
        Family::Pointer => match op {
            Op::ConvertUToPtr | Op::ConvertPtrToU => (Kind::Convert, each),
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => (Kind::Integer, each),
            _ => return None,
        },
        _ if matches!(op, Op::Transpose | Op::Undef) => (Kind::Move, 1),
        // What is left computes: its first operand says on what, of selections the second.
        _ if inst.result().is_some() => {
            (if is_float(inst.id(first)) { Kind::Float } else { Kind::Integer }, each)
        }
        _ => return None,
    })
}

/// Where a function counts.
pub(crate) struct Instrumentation {
    pub(crate) numbers: HashMap<BlockIndex, u32>,
    /// Address of the stage's counters, or zero; from the prologue.
    pub(crate) counters: Option<Value>,
}

impl Instrumentation {
    /// For an entry point's function.
    pub(crate) fn new(module: &Module, entry: Id) -> Instrumentation {
        Instrumentation { numbers: (blocks(module, entry)).zip(0..).collect(), counters: None }
    }
}
