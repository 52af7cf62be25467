//! Reloads that become part of the one instruction that reads them.
//!
//! Register allocation loads spilled values into registers. Most vector instructions of x86-64 take their
//! last source from memory as well as from a register, so where that is the only use of the register, the
//! load is left out and the instruction names the place on the stack. Where the two sources may change
//! places, either may be there (which of two NaN a result comes from is open).
//!
//! Each block is walked backwards. Of each register it is known whether what it holds is read further on,
//! and if once, where.

use super::inst::{Code, Inst, Kind, NONE, RmSlot, Slot, VECTOR, Vector};
use crate::asm::op::*;
use crate::asm::op::{Prefix, Tuple};
use crate::asm::{Rounding, VOp};
use crate::cpu::Level;
use regalloc2::{
    Allocation, Edit, Function, Operand, OperandConstraint, OperandKind, Output, PReg, ProgPoint,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Vector registers.
const REGISTERS: usize = 32;

/// Folds the reloads of a function or region after register allocation. Returns how many.
pub(crate) fn run(code: &mut Code, output: &mut Output) -> usize {
    if code.level == Level::Neon || output.edits.is_empty() {
        return 0;
    }
    let mut folded = vec![false; output.edits.len()];
    for block in 0..code.blocks.len() {
        let insts = code.blocks[block].start..code.blocks[block].end;
        Walk::default().block(code, output, insts, &mut folded);
    }
    let mut number = 0;
    output.edits.retain(|_| {
        number += 1;
        !folded[number - 1]
    });
    folded.iter().filter(|&&folds| folds).count()
}

/// What is done later with the contents of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Later {
    /// They may be read.
    #[default]
    Read,
    /// They are not read any more.
    Dead,
    /// They are read by the last source of this instruction alone.
    Folds { inst: u32, slot: Slot, step: u32 },
}

/// The state of the walk over a block, from its end up to a step.
#[derive(Default)]
struct Walk {
    later: [Later; REGISTERS],
    /// The next step that writes to a place on the stack. Steps count from the block's end.
    written: FxHashMap<Allocation, u32>,
    step: u32,
}

impl Walk {
    fn block(
        &mut self,
        code: &mut Code,
        output: &mut Output,
        insts: std::ops::Range<u32>,
        folded: &mut [bool],
    ) {
        let point = |inst| ProgPoint::before(regalloc2::Inst::new(inst as usize));
        let first = output.edits.partition_point(|edit| edit.0 < point(insts.start));
        let mut edit = output.edits.partition_point(|edit| edit.0 < point(insts.end));
        for inst in insts.rev() {
            let index = regalloc2::Inst::new(inst as usize);
            while edit > first && output.edits[edit - 1].0 >= ProgPoint::after(index) {
                edit -= 1;
                folded[edit] = self.edit(code, output, edit);
            }
            self.inst(code, output, inst);
            while edit > first && output.edits[edit - 1].0 >= point(inst) {
                edit -= 1;
                folded[edit] = self.edit(code, output, edit);
            }
        }
    }

    /// A move that register allocation has added; returns whether it is needed no more.
    fn edit(&mut self, code: &mut Code, output: &mut Output, edit: usize) -> bool {
        let Edit::Move { from, to } = output.edits[edit].1;
        self.step += 1;
        if to.is_stack() {
            self.written.insert(to, self.step);
        }
        let mut folds = false;
        if let Some(register) = vector(to) {
            if let Later::Folds { inst, slot, step } = self.later[register]
                && from.is_stack()
                && self.written.get(&from).is_none_or(|&written| written < step)
            {
                folds = fold(code, output, inst, slot, from);
            }
            self.later[register] = Later::Dead;
        }
        if let Some(register) = vector(from) {
            self.later[register] = Later::Read;
        }
        folds
    }

    fn inst(&mut self, code: &Code, output: &Output, inst: u32) {
        self.step += 1;
        let index = regalloc2::Inst::new(inst as usize);
        let (operands, places) = (code.inst_operands(index), output.inst_allocs(index));
        let named = || operands.iter().zip(places);
        for (operand, &place) in named() {
            if operand.kind() == OperandKind::Def {
                if let Some(register) = vector(place) {
                    self.later[register] = Later::Dead;
                } else if place.is_stack() {
                    self.written.insert(place, self.step);
                }
            }
        }
        for register in code.inst_clobbers(index) {
            if register.class() == VECTOR {
                self.later[register.hw_enc()] = Later::Dead;
            }
        }
        let sources = folding_sources(&code.insts[inst as usize].kind, operands);
        for (slot, (operand, &place)) in named().enumerate() {
            let Some(register) = vector(place).filter(|_| operand.kind() == OperandKind::Use) else {
                continue;
            };
            let uses =
                named().filter(|(other, at)| other.kind() == OperandKind::Use && **at == place).count();
            let slot = slot as Slot;
            self.later[register] =
                if self.later[register] == Later::Dead && uses == 1 && sources.contains(&slot) {
                    Later::Folds { inst, slot, step: self.step }
                } else {
                    Later::Read
                };
        }
    }
}

/// The number of a vector register.
fn vector(place: Allocation) -> Option<usize> {
    place.as_reg().filter(|register| register.class() == VECTOR).map(PReg::hw_enc)
}

/// Makes a source the last one and names its place on the stack, unless another has been before. Returns
/// whether it did.
fn fold(code: &mut Code, output: &mut Output, inst: u32, slot: Slot, place: Allocation) -> bool {
    let Inst { ref kind, start, .. } = code.insts[inst as usize];
    let Kind::Vector(Vector { rm: RmSlot::Reg(last), .. }) = *kind else { return false };
    let operands = &mut code.operands[start as usize..];
    let places = &mut output.allocs[output.inst_alloc_offsets[inst as usize] as usize..];
    let (slot, last) = (usize::from(slot), usize::from(last));
    if places[last].is_stack() {
        return false;
    }
    operands.swap(slot, last);
    places.swap(slot, last);
    let source = operands[last];
    operands[last] = Operand::new(source.vreg(), OperandConstraint::Any, OperandKind::Use, source.pos());
    places[last] = place;
    true
}

/// The operands that may be memory of the vector's length as well, which is read whole.
fn folding_sources(kind: &Kind, operands: &[Operand]) -> SmallVec<[Slot; 2]> {
    let Kind::Vector(vector) = kind else { return SmallVec::new() };
    let RmSlot::Reg(last) = vector.rm else { return SmallVec::new() };
    if !may_be_memory(vector) {
        return SmallVec::new();
    }
    let is_tied = |slot: Slot| {
        let ties = OperandConstraint::Reuse(slot.into());
        operands.iter().any(|operand| operand.constraint() == ties)
    };
    let first =
        Some(vector.vvvv).filter(|&first| is_commutative(vector.op) && first != NONE && !is_tied(first));
    std::iter::once(last).chain(first).collect()
}

/// Whether the sources in vvvv and ModRM.rm may change places.
fn is_commutative(op: VOp) -> bool {
    const OPS: [VOp; 35] = [
        VADDPD,
        VADDPS,
        VMULPD,
        VMULPS,
        VFMADD231PD,
        VFMADD231PS,
        VFMSUB231PD,
        VFMSUB231PS,
        VFNMADD231PD,
        VFNMADD231PS,
        VFNMSUB231PD,
        VFNMSUB231PS,
        VPADDD,
        VPADDQ,
        VPANDD,
        VPANDQ,
        VPCMPEQD,
        VPCMPEQQ,
        VPMAXSD,
        VPMAXSQ,
        VPMAXUD,
        VPMAXUQ,
        VPMINSD,
        VPMINSQ,
        VPMINUD,
        VPMINUQ,
        VPMULDQ,
        VPMULLD,
        VPMULLQ,
        VPMULUDQ,
        VPORD,
        VPORQ,
        VPXORD,
        VPXORQ,
        VPTESTMD,
    ];
    OPS.contains(&op)
}

fn may_be_memory(vector: &Vector) -> bool {
    // The bits that say a rounding say a broadcast if a source is memory, and shifts by an immediate take
    // memory with EVEX only.
    vector.rounding == Rounding::Default && !vector.op.has_extension() && reads_whole_vectors(vector.op)
}

fn reads_whole_vectors(op: VOp) -> bool {
    const VEX_ONLY: [VOp; 13] = [
        VBLENDVPD, VBLENDVPS, VCMPPD_AVX, VCMPPS_AVX, VPBLENDD, VPBLENDVB, VPCMPEQD, VPCMPEQQ, VPCMPGTD,
        VPCMPGTQ, VPERM2I128, VROUNDPD, VROUNDPS,
    ];
    // Conversions to shorter vectors, which are rare.
    const NARROWING: [VOp; 10] = [
        VCVTDQ2PH,
        VCVTPD2PH,
        VCVTPD2PS,
        VCVTQQ2PH,
        VCVTQQ2PS,
        VCVTTPD2DQ,
        VCVTTPD2UDQ,
        VCVTUDQ2PH,
        VCVTUQQ2PH,
        VCVTUQQ2PS,
    ];
    match op.prefix {
        Prefix::Evex | Prefix::Any => op.tuple == Tuple::Full && !NARROWING.contains(&op),
        Prefix::Vex(_) => false,
        Prefix::VexOnly => VEX_ONLY.contains(&op),
    }
}
