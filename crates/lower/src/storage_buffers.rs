//! Which storage buffers a module only reads ([`Space::Input`]), and which no others overlap
//! ([`MemoryOp::apart`]).
//!
//! Memory objects that are not decorated `Aliased` are taken not to overlap (SPIR-V, 2.18.2). So what a
//! variable names that no instruction of the module may write through stays as it is while a shader runs, and
//! its loads may be merged and moved like those of uniform buffers. That does not hold where others may write
//! meanwhile and the shader wants to see it (`Coherent`, `Volatile`, accesses made visible), nor in modules
//! that have addresses or untyped pointers, whose writes cannot be told from here.
//!
//! [`Space::Input`]: pyro_ir::Space::Input
//! [`MemoryOp::apart`]: pyro_ir::MemoryOp::apart

use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{Capability, Decoration, MemoryAccess, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a module's storage buffers.
#[derive(Debug, Default)]
pub(crate) struct StorageBuffers {
    read_only: FxHashSet<Id>,
    apart: FxHashSet<Id>,
}

impl StorageBuffers {
    /// Those of a module. One walk through its instructions.
    pub(crate) fn of(module: &Module) -> StorageBuffers {
        let has_other_pointers = [
            Capability::PhysicalStorageBufferAddresses,
            Capability::UntypedPointersKHR,
            Capability::DescriptorHeapEXT,
        ]
        .into_iter()
        .any(|capability| module.has_capability(capability));
        if has_other_pointers {
            return StorageBuffers::default();
        }
        // By id, the number of the variable that a pointer goes to, from 1.
        let mut numbers = vec![0_u32; module.bound()];
        let mut variables = Vec::new();
        for variable in module.globals().filter(|variable| is_storage(module, variable)) {
            variables.push((variable.id, is_private(module, &variable)));
            numbers[variable.id.as_u32() as usize] = variables.len() as u32;
        }
        let apart: FxHashSet<Id> = variables.iter().filter(|found| found.1).map(|found| found.0).collect();
        if apart.is_empty() {
            return StorageBuffers::default();
        }
        for inst in module.insts() {
            let facts = facts(inst.op());
            let has_no_pointers = matches!(
                facts.family,
                Family::Arithmetic | Family::Matrix | Family::Bits | Family::Conversion | Family::Debug
            );
            if has_no_pointers || is_only_named(inst) {
                continue;
            }
            let base = inst.chain_base();
            for id in inst.id_operands() {
                let number = numbers[id.as_u32() as usize];
                if number == 0 {
                    continue;
                }
                let reads = facts.reads.iter().any(|&operand| inst.get_id(operand) == Some(id));
                let writes = facts.writes.iter().any(|&operand| inst.get_id(operand) == Some(id));
                if Some(id) == base {
                    let result = inst.result().expect("an access chain has a result");
                    numbers[result.as_u32() as usize] = number;
                } else if writes || !reads || is_made_visible(inst) {
                    variables[number as usize - 1].1 = false;
                }
            }
        }
        join_bindings(module, &mut variables);
        let read_only = variables.into_iter().filter(|found| found.1).map(|found| found.0).collect();
        StorageBuffers { read_only, apart }
    }

    /// Whether nothing writes a variable while a shader runs.
    pub(crate) fn is_read_only(&self, variable: Id) -> bool {
        self.read_only.contains(&variable)
    }

    /// Whether accesses through other variables do not overlap those through a variable, unless both have one
    /// binding.
    pub(crate) fn is_apart(&self, variable: Id) -> bool {
        self.apart.contains(&variable)
    }
}

/// Variables that share a binding are one memory object.
fn join_bindings(module: &Module, variables: &mut [(Id, bool)]) {
    let mut written = FxHashMap::default();
    let binding = |id| {
        let literal = |kind| module.decoration_literal(id, kind);
        (literal(Decoration::DescriptorSet), literal(Decoration::Binding))
    };
    for &(id, is_read_only) in &*variables {
        *written.entry(binding(id)).or_insert(false) |= !is_read_only;
    }
    for (id, is_read_only) in variables {
        *is_read_only &= !written[&binding(*id)];
    }
}

fn is_storage(module: &Module, variable: &GlobalVariable<'_>) -> bool {
    let block = variable.value_type.map(|ty| module.strip_arrays(ty));
    match variable.class {
        StorageClass::StorageBuffer => true,
        StorageClass::Uniform => block.is_some_and(|ty| module.has_decoration(ty, Decoration::BufferBlock)),
        _ => false,
    }
}

/// Whether nobody else is said to access it: neither the variable nor a member of its block.
fn is_private(module: &Module, variable: &GlobalVariable<'_>) -> bool {
    let is_shared = |kind| matches!(kind, Decoration::Aliased | Decoration::Coherent | Decoration::Volatile);
    let block = variable.value_type.map(|ty| module.strip_arrays(ty));
    let mut decorations = module.decorations(variable.id);
    !decorations.any(|decoration| is_shared(decoration.kind))
        && block.is_some_and(|ty| !module.all_decorations(ty).any(|decoration| is_shared(decoration.kind)))
}

/// Whether an instruction names variables and does nothing with them.
fn is_only_named(inst: Instruction<'_>) -> bool {
    matches!(
        inst.op(),
        Op::EntryPoint | Op::Name | Op::Decorate | Op::DecorateId | Op::DecorateString | Op::ExecutionModeId
    )
}

/// Whether a read is one that sees what other invocations write.
fn is_made_visible(inst: Instruction<'_>) -> bool {
    let shared =
        MemoryAccess::VOLATILE | MemoryAccess::MAKE_POINTER_VISIBLE | MemoryAccess::NON_PRIVATE_POINTER;
    match inst.op() {
        Op::Load => MemoryAccess::from_bits_retain(inst.get_word(1).unwrap_or(0)).intersects(shared),
        Op::ArrayLength => false,
        // Their memory operands are elsewhere, or they are atomic.
        _ => facts(inst.op()).family == Family::Atomic || inst.memory_access().0.intersects(shared),
    }
}
