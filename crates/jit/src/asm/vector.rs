//! Encoder for VEX and EVEX instructions: the shorter prefix that can express the operands.

use super::op::{Prefix, Tuple, VOp};
use super::{Assembler, Len, Mem, Rm};

/// Rounding control of an EVEX instruction on registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// As the control register says: to nearest even.
    #[default]
    Default,
    /// Towards zero.
    TowardZero,
}

/// The parts of a VEX or EVEX encoded instruction.
#[derive(Clone, Copy, Debug)]
pub struct Evex {
    /// Which.
    pub op: VOp,
    /// Vector length.
    pub len: Len,
    /// The register in ModRM.reg (or the opcode extension there).
    pub reg: u8,
    /// The register in vvvv; 0 when unused.
    pub vvvv: u8,
    /// The register or memory operand.
    pub rm: Rm,
    /// The write mask; 0 for none.
    pub mask: u8,
    /// Zeroing instead of merging.
    pub zero: bool,
    /// Broadcast of one element from memory.
    pub broadcast: bool,
    /// Static rounding, register operands only.
    pub rounding: Rounding,
    /// The immediate byte.
    pub imm: Option<u8>,
    /// A fourth register, in the upper half of the byte of the immediate.
    pub fourth: Option<u8>,
}

impl Evex {
    /// An instruction without mask and immediate.
    pub const fn new(op: VOp, len: Len, reg: u8, vvvv: u8, rm: Rm) -> Evex {
        let rounding = Rounding::Default;
        Evex {
            op,
            len,
            reg,
            vvvv,
            rm,
            mask: 0,
            zero: false,
            broadcast: false,
            rounding,
            imm: None,
            fourth: None,
        }
    }

    /// What comes last.
    fn last_byte(&self) -> Option<u8> {
        self.fourth.map(|register| register << 4).or(self.imm)
    }

    /// Whether processors without AVX-512 can run it.
    pub fn is_avx2(&self) -> bool {
        match self.op.prefix {
            // Those of the first map work on mask registers, and so do the shifts of the third.
            Prefix::Vex(_) => self.op.map == 2,
            Prefix::VexOnly => self.len < Len::Z,
            Prefix::Any => self.fits_vex(),
            Prefix::Evex => false,
        }
    }

    /// Whether processors with SSE4.1 can run it.
    pub fn is_sse41(&self) -> bool {
        let source = if self.op.has_extension() { self.rm } else { Rm::Reg(self.reg) };
        self.op.is_sse41()
            && self.len == Len::X
            && self.fits_vex()
            && self.fourth.is_none()
            && (self.vvvv == 0 || source == Rm::Reg(self.vvvv))
    }

    /// Whether the shorter VEX prefix can say it.
    fn fits_vex(&self) -> bool {
        let low = |register: u8| register < 16;
        // A vector index lies only with gathers, which are EVEX.
        let rm = match self.rm {
            Rm::Reg(register) => low(register),
            Rm::Mem(_) => true,
        };
        self.len < Len::Z
            && self.mask == 0
            && !self.broadcast
            && self.rounding == Rounding::Default
            && low(self.reg)
            && low(self.vvvv)
            && rm
    }

    /// The unit of an 8-bit displacement under EVEX.
    fn displacement_unit(&self) -> u32 {
        let vector = self.len.bytes();
        match self.op.tuple {
            Tuple::Full | Tuple::Half if self.broadcast => self.op.element(),
            Tuple::Full | Tuple::FullMem => vector,
            Tuple::Half | Tuple::HalfMem => vector / 2,
            Tuple::QuarterMem => vector / 4,
            Tuple::EighthMem => vector / 8,
            Tuple::Scalar(bytes) => bytes.into(),
        }
    }
}

/// Bit 3 and bit 4 of a register number.
fn high(register: u8) -> (u8, u8) {
    (register >> 3 & 1, register >> 4 & 1)
}

impl Assembler {
    /// Emits a VEX or EVEX encoded instruction, the shorter one that says it.
    pub fn vector(&mut self, inst: &Evex) {
        let at = self.offset();
        if let Some(journal) = &mut self.journal {
            journal.vector(at, *inst);
        }
        match inst.op.prefix {
            _ if self.is_legacy => self.sse(inst),
            Prefix::Vex(l) => self.vex(inst, l, inst.op.w),
            Prefix::VexOnly => self.vex(inst, inst.len as u8, inst.op.w),
            Prefix::Any if inst.fits_vex() => self.vex(inst, inst.len as u8, inst.op.vex_w),
            Prefix::Any | Prefix::Evex => self.evex(inst),
        }
        if let Some(imm) = inst.last_byte() {
            self.byte(imm);
        }
    }

    fn vex(&mut self, inst: &Evex, l: u8, w: u8) {
        let (r, _) = high(inst.reg);
        let (x, b) = match inst.rm {
            Rm::Reg(register) => (0, high(register).0),
            Rm::Mem(Mem::Base { base, index, .. }) => (high(index.unwrap_or(0)).0, high(base).0),
            Rm::Mem(Mem::Pool(_)) => (0, 0),
        };
        let tail = (!inst.vvvv & 15) << 3 | l << 2 | inst.op.pp;
        if x == 0 && b == 0 && w == 0 && inst.op.map == 1 {
            self.byte(0xc5);
            self.byte((r ^ 1) << 7 | tail);
        } else {
            self.byte(0xc4);
            self.byte((r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | inst.op.map);
            self.byte(w << 7 | tail);
        }
        self.byte(inst.op.opcode);
        self.modrm(inst.reg, inst.rm, 1, inst.last_byte().is_some().into());
    }

    /// The encoding without VEX, whose result is in the first source's register.
    fn sse(&mut self, inst: &Evex) {
        debug_assert!(inst.is_sse41(), "{inst:?}");
        const PREFIXES: [Option<u8>; 4] = [None, Some(0x66), Some(0xf3), Some(0xf2)];
        const MAPS: [&[u8]; 3] = [&[], &[0x38], &[0x3a]];
        if let Some(prefix) = PREFIXES[usize::from(inst.op.pp)] {
            self.byte(prefix);
        }
        let (r, _) = high(inst.reg);
        let (x, b) = match inst.rm {
            Rm::Reg(register) => (0, high(register).0),
            Rm::Mem(Mem::Base { base, index, .. }) => (high(index.unwrap_or(0)).0, high(base).0),
            Rm::Mem(Mem::Pool(_)) => (0, 0),
        };
        let rex = inst.op.vex_w << 3 | r << 2 | x << 1 | b;
        if rex != 0 {
            self.byte(0x40 | rex);
        }
        self.byte(0x0f);
        self.code.extend_from_slice(MAPS[usize::from(inst.op.map) - 1]);
        self.byte(inst.op.opcode);
        self.modrm(inst.reg, inst.rm, 1, inst.last_byte().is_some().into());
    }

    fn evex(&mut self, inst: &Evex) {
        let (r, r2) = high(inst.reg);
        let (_, v) = high(inst.vvvv);
        let (x, b, v) = match inst.rm {
            Rm::Reg(register) => (high(register).1, high(register).0, v),
            Rm::Mem(Mem::Base { base, index, .. }) => {
                let (x, index_high) = high(index.unwrap_or(0));
                (x, high(base).0, v | index_high)
            }
            Rm::Mem(Mem::Pool(_)) => (0, 0, v),
        };
        let static_rounding = inst.rounding != Rounding::Default;
        // With static rounding the length bits hold the rounding mode: 3 is towards zero.
        let length = if static_rounding { 3 } else { inst.len as u8 };
        self.byte(0x62);
        self.byte((r ^ 1) << 7 | (x ^ 1) << 6 | (b ^ 1) << 5 | (r2 ^ 1) << 4 | inst.op.map);
        self.byte(inst.op.w << 7 | (!inst.vvvv & 15) << 3 | 4 | inst.op.pp);
        self.byte(
            u8::from(inst.zero) << 7
                | length << 5
                | u8::from(inst.broadcast || static_rounding) << 4
                | (v ^ 1) << 3
                | inst.mask,
        );
        self.byte(inst.op.opcode);
        self.modrm(inst.reg, inst.rm, inst.displacement_unit(), inst.last_byte().is_some().into());
    }
}
