//! The memory of one block: its static shared variables, the dynamic one, and the local variables of each of
//! its threads.

use super::Launch;
use crate::error::{Result, limit};
use crate::limits::{BLOCK_BYTES_MAX, LOCAL_BYTES_MAX};
use crate::module::{Base, Instruction, Module, Operand, Symbol};
use crate::types::Space;

/// What the dynamic shared memory and the local memory of a thread begin with multiples of.
const ALIGNMENT: u64 = 16;

/// Where everything is in a block's memory.
pub(super) struct Window {
    /// For each of [`Module::variables`] its first byte: in the block's memory, or in the thread's.
    offsets: Vec<Option<u64>>,
    shared_bytes: u32,
    /// Where the first thread's local memory begins, and how much each has.
    local: (u32, u32),
    bytes: u32,
    /// The word in which `bar.red` counts.
    counter: u32,
    /// Generic addresses may be in it.
    pub(super) is_flat: bool,
}

/// What a kernel uses, with all that it calls.
#[derive(Default)]
struct Uses {
    variables: Vec<bool>,
    is_flat: bool,
    counts: bool,
}

impl Uses {
    fn of(module: &Module, entry: usize) -> Uses {
        let mut uses = Uses { variables: vec![false; module.variables.len()], ..Uses::default() };
        let mut seen = vec![false; module.functions.len()];
        let mut stack = vec![entry];
        while let Some(function) = stack.pop() {
            if std::mem::replace(&mut seen[function], true) {
                continue;
            }
            for inst in module.functions[function].body.iter().flat_map(|body| &body.instructions) {
                uses.is_flat |= makes_generic(inst);
                uses.counts |= matches!(inst.name(), "bar" | "barrier") && inst.opcode.contains(".red");
                inst.operands.iter().for_each(|operand| uses.operand(operand, &mut stack));
            }
        }
        uses
    }

    fn operand(&mut self, operand: &Operand, functions: &mut Vec<usize>) {
        match operand {
            Operand::Address(Symbol::Variable(index), _)
            | Operand::Memory(Base::Symbol(Symbol::Variable(index)), _) => self.variables[*index] = true,
            Operand::Vector(all) | Operand::List(all) => {
                all.iter().for_each(|one| self.operand(one, functions))
            }
            Operand::Function(index) => functions.push(*index),
            _ => {}
        }
    }
}

/// `cvta.shared` and `cvta.local`
fn makes_generic(inst: &Instruction) -> bool {
    let mut words = inst.opcode.split('.');
    words.next() == Some("cvta")
        && words.next().is_some_and(|word| matches!(word, "shared" | "shared::cta" | "local"))
}

impl Window {
    pub(super) fn new(module: &Module, entry: usize, launch: &Launch) -> Result<Window> {
        let uses = Uses::of(module, entry);
        let line = module.functions[entry].line;
        let mut offsets = vec![None; module.variables.len()];
        let (mut shared, mut local) = (0u64, 0u64);
        let mut dynamic = Vec::new();
        for (index, variable) in
            module.variables.iter().enumerate().filter(|&(index, _)| uses.variables[index])
        {
            let end = match variable.space {
                Space::Shared => &mut shared,
                Space::Local => &mut local,
                _ => continue,
            };
            let Some(bytes) = variable.bytes else {
                dynamic.push((index, variable.align));
                continue;
            };
            let start = end.next_multiple_of(variable.align);
            offsets[index] = Some(start);
            *end = start + bytes;
        }
        let align = dynamic.iter().map(|&(_, align)| align).fold(ALIGNMENT, u64::max);
        if !dynamic.is_empty() || launch.dynamic_shared_bytes > 0 {
            shared = shared.next_multiple_of(align);
        }
        for &(index, _) in &dynamic {
            offsets[index] = Some(shared);
        }
        shared += u64::from(launch.dynamic_shared_bytes);
        let stride = local.next_multiple_of(ALIGNMENT);
        let threads = launch.block.iter().fold(1u64, |count, &size| count.saturating_mul(size.into()));
        let local_start = shared.next_multiple_of(64);
        let local_end =
            if stride == 0 { shared } else { local_start.saturating_add(stride.saturating_mul(threads)) };
        let counter = local_end.saturating_add(3) & !3;
        let bytes = if uses.counts { counter.saturating_add(4) } else { local_end };
        if bytes > BLOCK_BYTES_MAX || local > LOCAL_BYTES_MAX {
            let message = format!("{shared} bytes of shared and {local} of local memory");
            return limit(line, "State Spaces: Shared State Space", message);
        }
        Ok(Window {
            offsets,
            shared_bytes: shared as u32,
            local: (local_start as u32, stride as u32),
            bytes: bytes as u32,
            counter: counter as u32,
            is_flat: uses.is_flat,
        })
    }

    /// Bytes of shared memory.
    pub(super) fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    /// Bytes of all.
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Where the word is in which `bar.red` counts.
    pub(super) fn counter(&self) -> u32 {
        self.counter
    }

    /// Where a variable is in its space.
    pub(super) fn offset(&self, variable: usize) -> u32 {
        self.offsets[variable].unwrap_or(0) as u32
    }

    /// Where the first thread's local memory begins, and bytes from one thread's to the next.
    pub(super) fn local(&self) -> (u32, u32) {
        self.local
    }
}
