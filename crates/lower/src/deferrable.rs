//! Which atomic operations may wait until the invocation ends ([`MemoryOp::deferrable`]).
//!
//! An unordered atomic operation whose result nobody uses is seen only by other accesses to the same memory
//! object. Memory objects that are not decorated `Aliased` are taken not to overlap (SPIR-V, 2.18.2), so it
//! may wait if all that the module does to its variable are operations of the same kind: other invocations
//! cannot tell how long it takes, and the end of the dispatch comes after it.
//!
//! [`MemoryOp::deferrable`]: pyro_ir::MemoryOp::deferrable

use pyro_ir::{InstData, Opcode};
use pyro_spirv::spirv::{Decoration, MemorySemantics, Op, StorageClass};
use pyro_spirv::{ConstantValues, Id, Instruction, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pointers to variables of which atomic operations may wait.
#[derive(Debug, Default)]
pub(crate) struct DeferrablePointers {
    /// The variable that each pointer goes to.
    variables: FxHashMap<Id, Id>,
    /// Those variables that something else is done to.
    others: FxHashSet<Id>,
}

impl DeferrablePointers {
    /// Those of a module. Two walks through its instructions.
    pub(crate) fn of(module: &Module, constants: &ConstantValues<'_>) -> DeferrablePointers {
        let mut this = DeferrablePointers::default();
        this.add_variables(module);
        let mut results = FxHashMap::default();
        let mut kinds = FxHashMap::default();
        for inst in module.insts() {
            let Some((base, result)) = inst.chain_base().or_else(|| inst.get_id(0)).zip(inst.result()) else {
                continue;
            };
            let Some(&variable) = this.variables.get(&base) else { continue };
            if inst.chain_base().is_some() {
                this.variables.insert(result, variable);
            } else if let Some(kind) = unordered(inst, constants) {
                results.insert(result, variable);
                if *kinds.entry(variable).or_insert(kind) != kind {
                    this.others.insert(variable);
                }
            }
        }
        for inst in module.insts() {
            let is_named_only = matches!(
                inst.op(),
                Op::EntryPoint | Op::Name | Op::Decorate | Op::DecorateId | Op::ArrayLength
            );
            if is_named_only {
                continue;
            }
            let is_atomic = inst.result().is_some_and(|result| results.contains_key(&result));
            let base = if is_atomic { inst.get_id(0) } else { inst.chain_base() };
            for id in inst.id_operands().filter(|&id| Some(id) != base) {
                let found = results.get(&id).or_else(|| this.variables.get(&id));
                this.others.extend(found);
            }
        }
        this
    }

    /// Storage buffers; those that share a binding are one memory object.
    fn add_variables(&mut self, module: &Module) {
        let mut bindings = FxHashMap::default();
        for variable in module.globals() {
            let literal = |kind| module.decoration_literal(variable.id, kind);
            let binding = (literal(Decoration::DescriptorSet), literal(Decoration::Binding));
            if let Some(other) = bindings.insert(binding, variable.id) {
                self.others.extend([other, variable.id]);
            }
            let is_buffer = matches!(variable.class, StorageClass::StorageBuffer | StorageClass::Uniform);
            if is_buffer && !module.has_decoration(variable.id, Decoration::Aliased) {
                self.variables.insert(variable.id, variable.id);
            }
        }
    }

    /// Whether an atomic operation on what a pointer goes to may wait.
    pub(crate) fn contains(&self, pointer: Id) -> bool {
        self.variables.get(&pointer).is_some_and(|variable| !self.others.contains(variable))
    }
}

/// The operation that an atomic instruction without ordering is, of those that commute.
fn unordered(inst: Instruction<'_>, constants: &ConstantValues<'_>) -> Option<Opcode> {
    let kind = match inst.op() {
        Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicIAdd | Op::AtomicISub => Opcode::AtomicAdd,
        Op::AtomicAnd => Opcode::AtomicAnd,
        Op::AtomicOr => Opcode::AtomicOr,
        Op::AtomicXor => Opcode::AtomicXor,
        _ => return None,
    };
    let semantics = constants.unsigned(inst.id(2))?;
    let is_volatile = MemorySemantics::from_bits_retain(semantics).contains(MemorySemantics::VOLATILE);
    (!orders(semantics) && !is_volatile).then_some(kind)
}

/// The immediate of a fence with such memory semantics.
pub(crate) fn fenced(semantics: u32) -> u64 {
    let memory = MemorySemantics::UNIFORM_MEMORY
        | MemorySemantics::SUBGROUP_MEMORY
        | MemorySemantics::WORKGROUP_MEMORY
        | MemorySemantics::CROSS_WORKGROUP_MEMORY
        | MemorySemantics::ATOMIC_COUNTER_MEMORY
        | MemorySemantics::IMAGE_MEMORY
        | MemorySemantics::OUTPUT_MEMORY;
    match MemorySemantics::from_bits_retain(semantics) & memory {
        MemorySemantics::WORKGROUP_MEMORY => InstData::ORDERS_SHARED,
        _ => 0,
    }
}

/// Whether memory semantics order other accesses.
pub(crate) fn orders(semantics: u32) -> bool {
    let ordering = MemorySemantics::ACQUIRE
        | MemorySemantics::RELEASE
        | MemorySemantics::ACQUIRE_RELEASE
        | MemorySemantics::SEQUENTIALLY_CONSISTENT;
    MemorySemantics::from_bits_retain(semantics).intersects(ordering)
}
