//! Register allocation, by `regalloc2`.
//!
//! [`Code`] implements `regalloc2`'s `Function`; the machine is described in `machine`: `rsp`, `rbp` and `k0`
//! are never allocated. [`check`] runs `regalloc2`'s own checker over an allocation.

use super::inst::{Code, GENERAL, MASK, VECTOR};
use crate::asm::{RBP, RSP};
use crate::cpu::Level;
use crate::neon;
use crate::sse;
use regalloc2::{
    Algorithm, Block, Ctx, Function, Inst, InstRange, MachineEnv, Operand, Output, PReg, PRegSet,
    RegAllocError, RegClass, RegallocOptions, VReg,
};
use std::cell::RefCell;
use std::sync::OnceLock;

/// Callee-saved general registers that allocation may use.
pub const CALLEE_SAVED: [u8; 5] = [3, 12, 13, 14, 15];

impl Function for Code {
    fn num_insts(&self) -> usize {
        self.insts.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> Block {
        Block::new(0)
    }

    fn block_insns(&self, block: Block) -> InstRange {
        let data = &self.blocks[block.index()];
        InstRange::new(Inst::new(data.start as usize), Inst::new(data.end as usize))
    }

    fn block_succs(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].successors
    }

    fn block_preds(&self, block: Block) -> &[Block] {
        &self.blocks[block.index()].predecessors
    }

    fn block_params(&self, block: Block) -> &[VReg] {
        &self.blocks[block.index()].params
    }

    fn is_ret(&self, inst: Inst) -> bool {
        self.insts[inst.index()].kind.is_return()
    }

    fn is_branch(&self, inst: Inst) -> bool {
        self.insts[inst.index()].kind.is_branch()
    }

    fn branch_blockparams(&self, block: Block, _inst: Inst, successor: usize) -> &[VReg] {
        &self.blocks[block.index()].arguments[successor]
    }

    fn inst_operands(&self, inst: Inst) -> &[Operand] {
        let inst = &self.insts[inst.index()];
        &self.operands[inst.start as usize..inst.end as usize]
    }

    fn inst_clobbers(&self, inst: Inst) -> PRegSet {
        self.insts[inst.index()].kind.clobbers(self.level)
    }

    fn num_vregs(&self) -> usize {
        self.vreg_count
    }

    fn spillslot_size(&self, class: RegClass) -> usize {
        if class == VECTOR { self.vector_len().bytes() as usize / 8 } else { 1 }
    }
}

/// A set of registers of one class.
pub(crate) fn set(class: RegClass, registers: impl IntoIterator<Item = u8>) -> PRegSet {
    registers.into_iter().fold(PRegSet::empty(), |set, register| set.with(PReg::new(register.into(), class)))
}

/// What a call of a C function may change.
pub fn caller_saved(level: Level) -> PRegSet {
    static SET: OnceLock<PRegSet> = OnceLock::new();
    if level == Level::Neon {
        return neon::caller_saved();
    }
    *SET.get_or_init(|| {
        let mut all = set(GENERAL, [0, 1, 2, 6, 7, 8, 9, 10, 11]);
        all.union_from(set(VECTOR, 0..32));
        all.union_from(set(MASK, 1..8));
        all
    })
}

/// The machine. Of x86-64 every register but `rsp`, `rbp` and `k0`, which as a write mask means none.
fn machine(level: Level) -> &'static MachineEnv {
    static MACHINES: [OnceLock<MachineEnv>; 4] = [const { OnceLock::new() }; 4];
    MACHINES[level as usize].get_or_init(|| {
        let saved = |register: &u8| CALLEE_SAVED.contains(register);
        let free = (0..16).filter(|register| ![RSP, RBP].contains(register));
        let (vectors, masks) = match level {
            Level::Neon => return neon::machine(),
            Level::Avx2 => (0..16, 0..0),
            Level::Sse41 => (0..sse::SCRATCH_VECTOR, 0..0),
            Level::Avx512 => (0..32, 1..8),
        };
        MachineEnv {
            // The low vector registers first: they allow the shorter prefix.
            preferred_regs_by_class: [
                set(GENERAL, free.clone().filter(|register| !saved(register))),
                set(VECTOR, vectors),
                set(MASK, masks),
            ],
            non_preferred_regs_by_class: [
                set(GENERAL, free.filter(saved)),
                PRegSet::empty(),
                PRegSet::empty(),
            ],
            scratch_by_class: [None, None, None],
            fixed_stack_slots: Vec::new(),
        }
    })
}

/// A thread keeps the allocator's memory from one function to the next, for functions up to this size.
const KEPT_INSTRUCTIONS: usize = 8192;

/// Gives every operand a register.
///
/// # Errors
/// When the code is not well formed, or an instruction asks for more registers than there are.
pub fn run(code: &Code, algorithm: Algorithm) -> Result<Output, RegAllocError> {
    thread_local! {
        static CONTEXT: RefCell<Ctx> = RefCell::default();
    }
    let options = RegallocOptions { verbose_log: false, validate_ssa: cfg!(debug_assertions), algorithm };
    if !matches!(algorithm, Algorithm::Ion) || code.insts.len() > KEPT_INSTRUCTIONS {
        return regalloc2::run(code, machine(code.level), &options);
    }
    pyro_util::thread_scratch::with_scratch(&CONTEXT, |context| {
        let output = regalloc2::run_with_ctx(code, machine(code.level), &options, context).cloned();
        if output.is_err() {
            *context = Ctx::default();
        }
        output
    })
}

/// Proves that every use reads what the program says it reads.
///
/// # Errors
/// What does not: a mistake in the allocator or in what it was told.
pub fn check(code: &Code, output: &Output) -> Result<(), String> {
    let mut checker = regalloc2::checker::Checker::new(code, machine(code.level));
    checker.prepare(output);
    checker.run().map_err(|errors| format!("register allocation: {errors:?}"))
}
