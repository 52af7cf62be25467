//! 64-bit ARM: the table of instructions, the assembler, registers and emission.
//!
//! ```text
//! select, neon ──▶ instructions over virtual registers ──regalloc2──▶ registers ──emit──▶ words
//! ```
//!
//! A varying value is as many registers of 128 bits as its lanes fill; a varying truth value is a vector of
//! 32-bit lanes, all ones or zeros. What is uniform is as on x86-64, so that selection shares it.
//!
//! Registers: `x16`, `x17` and `v31` are for emission, `x18` is the platform's, `x29` the frame pointer. Only
//! the low halves of `v8` to `v15` survive calls, so generated code keeps no vector over one.
//!
//! Must not know: the IR beyond the operations of atomics.

mod asm;
mod emit;
mod lane_access;
mod lane_loop;
pub(crate) mod op;

#[cfg(test)]
mod tests;

pub(crate) use emit::emit;
pub(crate) use lane_access::{LaneAccess, LanePlaces};
pub(crate) use op::Encoded;

use crate::machine::allocate::set;
use crate::machine::inst::{GENERAL, VECTOR};
use regalloc2::{MachineEnv, PRegSet};

/// Callee-saved general registers that allocation may use.
const CALLEE_SAVED: std::ops::Range<u8> = 19..29;
/// Vector registers whose low halves must be kept.
const CALLEE_SAVED_VECTORS: std::ops::Range<u8> = 8..16;
/// For emission.
const SCRATCH_VECTOR: u8 = 31;

/// What a call of a C function may change.
pub(crate) fn caller_saved() -> PRegSet {
    let mut all = set(GENERAL, 0..18);
    all.union_from(set(VECTOR, 0..32));
    all
}

/// The registers that allocation has.
pub(crate) fn machine() -> MachineEnv {
    MachineEnv {
        preferred_regs_by_class: [
            set(GENERAL, 0..16),
            set(VECTOR, (0..8).chain(16..SCRATCH_VECTOR)),
            PRegSet::empty(),
        ],
        non_preferred_regs_by_class: [
            set(GENERAL, CALLEE_SAVED),
            set(VECTOR, CALLEE_SAVED_VECTORS),
            PRegSet::empty(),
        ],
        scratch_by_class: [None, None, None],
        fixed_stack_slots: Vec::new(),
    }
}

/// Machine code as text, one instruction a line behind its offset.
pub(crate) fn disassemble(code: &[u8]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for (index, word) in code.chunks_exact(4).enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:6x}  {}", index * 4, disassemble_one(word));
    }
    text
}

/// One instruction as text.
pub(crate) fn disassemble_one(word: &[u8]) -> String {
    use yaxpeax_arch::{Decoder, U8Reader};
    let decoder = yaxpeax_arm::armv8::a64::InstDecoder::default();
    match decoder.decode(&mut U8Reader::new(word)) {
        Ok(instruction) => instruction.to_string(),
        Err(error) => format!("({error})"),
    }
}
