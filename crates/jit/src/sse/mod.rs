//! NEON code over virtual registers to code for SSE4.1: one selection serves both, since both have vectors of
//! 128 bits, and neither masked moves nor gathers.
//!
//! * Registers stay what they are. An instruction becomes one of the same results, or a sequence, whose last
//!   one writes the register that the old one wrote.
//! * Instructions have two operands: the result's register is that of the first one, which register
//!   allocation is told.
//! * A constant is a memory operand of its users, and is loaded only where there is no other way: there are
//!   half as many registers as on ARM.
//!
//! What selection does not ask NEON's instructions for, because SSE4.1 has a better way or none at all, is in
//! `select::neon::sse`. Emission is that of x86-64, without VEX prefixes.
//!
//! Must not know: the IR.

mod float;
mod fused;
mod integer;
pub(crate) mod strips;

use crate::asm::op::*;
use crate::asm::{Assembler, Constant, Len, VOp};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, Inst, RmSlot, VECTOR};
use crate::machine::{Address, AddressBase, Code, Kind, NONE, Operands, Vector};
use crate::neon::{Encoded, op};
use crate::select::Unsupported;
use pyro_ir::SourceLoc;
use regalloc2::{Operand, VReg};
use std::collections::{HashMap, HashSet};

/// A vector register that emission may change at any time.
pub(crate) const SCRATCH_VECTOR: u8 = 15;

/// The code of SSE4.1 that does what `old`, made for NEON, does.
///
/// # Errors
/// An instruction that there is no sequence for.
pub(crate) fn run(old: &Code, asm: &mut Assembler) -> Result<Code, Unsupported> {
    let new = Code {
        blocks: old.blocks.clone(),
        vreg_count: old.vreg_count,
        frame_bytes: old.frame_bytes,
        level: Level::Sse41,
        ..Code::default()
    };
    let arguments = old.blocks.iter().flat_map(|block| block.arguments.iter().flatten());
    let mut rewriter = Rewriter {
        new,
        asm,
        constants: HashMap::new(),
        passed: arguments.copied().collect(),
        is_same_in_all: HashSet::new(),
        sums: fused::State::default(),
        temporary_bytes: old.frame_bytes,
        loc: SourceLoc::default(),
    };
    // Blocks may use what blocks behind them define.
    for inst in &old.insts {
        if let Kind::VectorConstant(constant) = inst.kind {
            rewriter.constants.insert(old.operands[inst.start as usize].vreg(), constant);
        }
    }
    for (index, block) in old.blocks.iter().enumerate() {
        let start = rewriter.new.insts.len() as u32;
        rewriter.sums.start_block();
        for inst in &old.insts[block.start as usize..block.end as usize] {
            rewriter.inst(inst, &old.operands[inst.start as usize..inst.end as usize])?;
        }
        let end = rewriter.new.insts.len() as u32;
        let new = &mut rewriter.new.blocks[index];
        (new.start, new.end) = (start, end);
    }
    Ok(rewriter.new)
}

/// State of the rewriting of one function.
struct Rewriter<'a> {
    new: Code,
    asm: &'a mut Assembler,
    /// Registers that hold constants of 16 bytes.
    constants: HashMap<VReg, Constant>,
    /// Registers that are arguments of blocks: these must be there.
    passed: HashSet<VReg>,
    /// Registers with the same word everywhere.
    is_same_in_all: HashSet<VReg>,
    /// Fused operations at hand.
    sums: fused::State,
    /// Bytes of the frame that the old code uses.
    temporary_bytes: u32,
    loc: SourceLoc,
}

/// A second operand.
#[derive(Clone, Copy)]
enum Source {
    Register(VReg),
    Constant(Constant),
}

impl From<VReg> for Source {
    fn from(register: VReg) -> Source {
        Source::Register(register)
    }
}

impl From<Constant> for Source {
    fn from(constant: Constant) -> Source {
        Source::Constant(constant)
    }
}

impl Rewriter<'_> {
    fn inst(&mut self, inst: &Inst, operands: &[Operand]) -> Result<(), Unsupported> {
        let is_sum = match inst.kind {
            Kind::Neon(encoded) => encoded.row == op::FMLA && encoded.variant().0 == 32,
            Kind::VectorConstant(_) | Kind::Fused(_) => true,
            _ => false,
        };
        if !is_sum {
            self.finish_sums();
        }
        self.loc = inst.loc;
        match inst.kind {
            Kind::Fused(signs) => {
                let [to, c, a, b] = [0, 1, 2, 3].map(|slot: usize| operands[slot].vreg());
                self.fused(to, signs, a, b, c);
            }
            Kind::Vector(vector) if self.takes_constant(&vector, operands) => {
                let RmSlot::Reg(last) = vector.rm else { unreachable!("it was asked") };
                let first = (vector.vvvv != NONE).then(|| operands[usize::from(vector.vvvv)].vreg());
                self.push(
                    operands[0].vreg(),
                    vector.op,
                    first,
                    vector.imm,
                    operands[usize::from(last)].vreg(),
                );
            }
            Kind::Neon(encoded) => {
                if Self::repeats_word(encoded) {
                    self.is_same_in_all.insert(operands[0].vreg());
                }
                let uses: smallvec::SmallVec<[VReg; 4]> =
                    operands[1..].iter().map(|operand| operand.vreg()).collect();
                return self.neon(encoded, operands[0].vreg(), &uses);
            }
            Kind::VectorConstant(constant) => {
                let to = operands[0].vreg();
                if self.passed.contains(&to) {
                    self.one(to, VMOVAPS, constant);
                }
            }
            Kind::VectorLoad(bytes, address) => self.load(bytes, address, operands),
            Kind::VectorStore(bytes, address) => self.store(bytes, address, operands),
            Kind::LaneAccess(access) => {
                let mut operands = self.in_registers(operands);
                let temporary = self.new.vreg(GENERAL);
                operands.push(Operand::reg_temp(temporary));
                self.new.push(Kind::LaneAccess(access), &operands, self.loc);
            }
            ref kind => {
                let operands = self.in_registers(operands);
                self.new.push(kind.clone(), &operands, self.loc);
            }
        }
        Ok(())
    }

    /// Whether it is an instruction of one result whose last operand is a constant.
    fn takes_constant(&self, vector: &Vector, operands: &[Operand]) -> bool {
        let RmSlot::Reg(last) = vector.rm else { return false };
        let is_plain =
            vector.reg == 0 && matches!(vector.vvvv, 1 | NONE) && usize::from(last) + 1 == operands.len();
        let gives_vector = operands[0].vreg().class() == VECTOR;
        is_plain
            && gives_vector
            && last > 0
            && self.constants.contains_key(&operands[usize::from(last)].vreg())
    }

    /// The operands with constants loaded.
    fn in_registers(&mut self, operands: &[Operand]) -> Operands {
        let loaded = operands.iter().map(|&operand| match self.constants.get(&operand.vreg()) {
            Some(_) if operand.kind() == regalloc2::OperandKind::Use => {
                let register = self.register(operand.vreg());
                Operand::new(register, operand.constraint(), operand.kind(), operand.pos())
            }
            _ => operand,
        });
        loaded.collect()
    }

    /// A register with the value, loaded where it is a constant.
    fn register(&mut self, value: VReg) -> VReg {
        match self.constants.get(&value) {
            Some(&constant) => self.one_new(VMOVAPS, constant),
            None => value,
        }
    }

    /// The value as a second operand.
    fn source(&self, source: impl Into<Source>) -> Source {
        match source.into() {
            Source::Register(register) => {
                self.constants.get(&register).map_or(Source::Register(register), |&known| known.into())
            }
            constant @ Source::Constant(_) => constant,
        }
    }

    /// A constant of 16 bytes.
    fn pool(&mut self, bytes: [u8; 16]) -> Constant {
        self.asm.constant(&bytes)
    }

    /// The same number of so many bits in all elements.
    fn pool_all(&mut self, bits: u32, value: u64) -> Constant {
        let bytes = value.to_le_bytes();
        self.pool(std::array::from_fn(|byte| bytes[byte % (bits as usize / 8)]))
    }

    /// `to = op(a)`.
    fn one(&mut self, to: VReg, op: VOp, a: impl Into<Source>) {
        self.push(to, op, None, None, a);
    }

    fn one_new(&mut self, op: VOp, a: impl Into<Source>) -> VReg {
        let to = self.new.vreg(VECTOR);
        self.one(to, op, a);
        to
    }

    /// `to = op(a)` with an immediate.
    fn one_imm(&mut self, to: VReg, op: VOp, a: impl Into<Source>, imm: u8) {
        self.push(to, op, None, Some(imm), a);
    }

    fn one_imm_new(&mut self, op: VOp, a: impl Into<Source>, imm: u8) -> VReg {
        let to = self.new.vreg(VECTOR);
        self.one_imm(to, op, a, imm);
        to
    }

    /// `to = op(a, b)`, in the register of `a`.
    fn two(&mut self, to: VReg, op: VOp, a: VReg, b: impl Into<Source>) {
        self.push(to, op, Some(a), None, b);
    }

    fn two_new(&mut self, op: VOp, a: VReg, b: impl Into<Source>) -> VReg {
        let to = self.new.vreg(VECTOR);
        self.two(to, op, a, b);
        to
    }

    /// `to = op(a, b)` with an immediate.
    fn two_imm(&mut self, to: VReg, op: VOp, a: VReg, b: impl Into<Source>, imm: u8) {
        self.push(to, op, Some(a), Some(imm), b);
    }

    fn two_imm_new(&mut self, op: VOp, a: VReg, b: impl Into<Source>, imm: u8) -> VReg {
        let to = self.new.vreg(VECTOR);
        self.two_imm(to, op, a, b, imm);
        to
    }

    fn push(&mut self, to: VReg, op: VOp, first: Option<VReg>, imm: Option<u8>, second: impl Into<Source>) {
        let first = first.map(|register| self.register(register));
        let mut operands = Operands::new();
        operands.push(if first.is_some() { Operand::reg_reuse_def(to, 1) } else { Operand::reg_def(to) });
        operands.extend(first.map(Operand::reg_use));
        let rm = match self.source(second) {
            Source::Register(register) => {
                operands.push(Operand::reg_use(register));
                RmSlot::Reg(operands.len() as u8 - 1)
            }
            Source::Constant(constant) => RmSlot::Mem(Address {
                base: AddressBase::Pool(constant),
                index: NONE,
                shift: 0,
                displacement: 0,
            }),
        };
        let vvvv = if first.is_some() { 1 } else { NONE };
        let inst = Vector { imm, ..Vector::new(op, Len::X, 0, vvvv, rm) };
        self.new.push(Kind::Vector(inst), &operands, self.loc);
    }

    /// `to = a` shifted by an immediate; `extension` says how.
    fn shift(&mut self, to: VReg, op: VOp, extension: u8, a: VReg, count: u32) {
        let a = self.register(a);
        let inst =
            Vector { extension, imm: Some(count as u8), ..Vector::new(op, Len::X, NONE, 0, RmSlot::Reg(1)) };
        let operands = [Operand::reg_reuse_def(to, 1), Operand::reg_use(a)];
        self.new.push(Kind::Vector(inst), &operands, self.loc);
    }

    fn shift_new(&mut self, op: VOp, extension: u8, a: VReg, count: u32) -> VReg {
        let to = self.new.vreg(VECTOR);
        self.shift(to, op, extension, a, count);
        to
    }

    /// `to`, a general register, = `op(a)`: ModRM.reg is the source.
    fn reversed(&mut self, to: VReg, op: VOp, a: VReg, imm: Option<u8>) {
        let a = self.register(a);
        let inst = Vector { imm, ..Vector::new(op, Len::X, 1, NONE, RmSlot::Reg(0)) };
        self.new.push(Kind::Vector(inst), &[Operand::reg_def(to), Operand::reg_use(a)], self.loc);
    }

    /// So many bytes of memory, zeros above.
    fn load(&mut self, bytes: u32, address: Address, operands: &[Operand]) {
        let op = match bytes {
            16 => VMOVUPS,
            8 => VMOVSD,
            4 => VMOVSS,
            _ => {
                let general = self.new.vreg(GENERAL);
                let mut loads: Operands = operands.into();
                loads[0] = Operand::reg_def(general);
                self.new.push(Kind::Load(bytes * 8, address), &loads, self.loc);
                return self.one(operands[0].vreg(), VMOVD_TO, general);
            }
        };
        let inst = Vector::new(op, Len::X, 0, NONE, RmSlot::Mem(address));
        self.new.push(Kind::Vector(inst), operands, self.loc);
    }

    /// The low so many bytes to memory.
    fn store(&mut self, bytes: u32, address: Address, operands: &[Operand]) {
        let mut operands = self.in_registers(operands);
        let op = match bytes {
            16 => VMOVUPS_STORE,
            8 => VMOVSD_STORE,
            4 => VMOVSS_STORE,
            _ => {
                let general = self.new.vreg(GENERAL);
                self.reversed(general, VMOVD_FROM, operands[0].vreg(), None);
                operands[0] = Operand::reg_use(general);
                return self.new.push(Kind::Store(bytes * 8, address), &operands, self.loc);
            }
        };
        let inst = Vector::new(op, Len::X, 0, NONE, RmSlot::Mem(address));
        self.new.push(Kind::Vector(inst), &operands, self.loc);
    }

    /// Whether an instruction puts one word everywhere.
    fn repeats_word(encoded: Encoded) -> bool {
        matches!(encoded.row, op::DUP | op::DUP_GENERAL | op::LD1R) && encoded.variant().0 == 32
    }

    /// One of NEON's instructions; of those whose result holds something before that comes first in `uses`.
    fn neon(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> Result<(), Unsupported> {
        let done = self.bitwise(encoded, to, uses)
            || self.arithmetic(encoded, to, uses)
            || self.rearrange(encoded, to, uses)
            || self.float(encoded, to, uses)
            || self.general(encoded, to, uses);
        if done { Ok(()) } else { Err(Unsupported(format!("{encoded:?} for SSE4.1"))) }
    }

    /// Between vectors and general registers.
    fn general(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> bool {
        let (bits, lane) = encoded.variant();
        match encoded.row {
            op::FMOV_FROM_GENERAL => self.one(to, VMOVD_TO, uses[0]),
            op::FMOV_FROM_GENERAL_QUAD => self.one(to, VMOVQ_TO, uses[0]),
            op::FMOV_TO_GENERAL => self.reversed(to, VMOVD_FROM, uses[0], None),
            op::FMOV_TO_GENERAL_QUAD | op::UMOV_QUAD => self.reversed(to, VMOVQ_FROM, uses[0], None),
            op::UMOV_QUAD_HIGH => self.reversed(to, VPEXTRQ, uses[0], Some(1)),
            op::UMOV => match bits {
                8 => self.reversed(to, VPEXTRB, uses[0], Some(lane as u8)),
                16 => {
                    let source = self.register(uses[0]);
                    self.one_imm(to, VPEXTRW, source, lane as u8);
                }
                _ => self.reversed(to, VPEXTRD, uses[0], Some(lane as u8)),
            },
            op::INS_GENERAL => {
                let op = integer::by(bits, [VPINSRB, VPINSRW, VPINSRD, VPINSRQ]);
                self.two_imm(to, op, uses[0], uses[1], lane as u8);
            }
            op::DUP_GENERAL => {
                let low = self.one_new(if bits == 64 { VMOVQ_TO } else { VMOVD_TO }, uses[0]);
                self.broadcast(to, bits, low, 0);
            }
            op::LD1R => self.load_to_all(to, bits, uses[0]),
            _ => return false,
        }
        true
    }

    /// One element of memory in all lanes.
    fn load_to_all(&mut self, to: VReg, bits: u32, base: VReg) {
        let address = Address { base: AddressBase::Operand(1), index: NONE, shift: 0, displacement: 0 };
        let low = self.new.vreg(VECTOR);
        self.load(bits / 8, address, &[Operand::reg_def(low), Operand::reg_use(base)]);
        self.broadcast(to, bits, low, 0);
    }
}
