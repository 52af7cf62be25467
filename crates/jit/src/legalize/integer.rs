//! Integer operations, shifts and float rounding that AVX2 does differently from AVX-512.

use super::{Legalizer, Old};
use crate::asm::op::*;
use crate::asm::{Len, VOp};
use crate::select::Unsupported;
use regalloc2::VReg;

/// Shift directions, as the opcode extensions of shifts by constants.
const RIGHT: u8 = 2;
const RIGHT_SIGNED: u8 = 4;
const LEFT: u8 = 6;

impl Legalizer<'_> {
    /// Operations on 8 to 64 bits; false: none of them.
    pub(super) fn integer(&mut self, old: &Old<'_>) -> Result<bool, Unsupported> {
        match old.inst.op {
            VPMULLQ => self.each_pair(old, 8, Self::multiply_quads),
            VPMINUQ | VPMAXUQ | VPMINSQ | VPMAXSQ => {
                let op = old.inst.op;
                self.each_pair(old, 8, |this, len, a, b| this.extreme_quads(op, len, a, b));
            }
            VPSLLVW => self.each_pair(old, 2, |this, len, a, b| this.shift_words(LEFT, len, a, b)),
            VPSRLVW => self.each_pair(old, 2, |this, len, a, b| this.shift_words(RIGHT, len, a, b)),
            VPSRAVW => self.each_pair(old, 2, |this, len, a, b| this.shift_words(RIGHT_SIGNED, len, a, b)),
            VPSRAVQ => self.each_pair(old, 8, |this, len, a, b| {
                this.signed_shift_quads(len, a, |this, a| this.v2(VPSRLVQ, len, a, b))
            }),
            VPSRA_VPROL_Q_IMM => {
                let count = old.inst.imm.unwrap_or(0);
                self.each_one(old, 8, |this, len, a| {
                    this.signed_shift_quads(len, a, |this, a| this.shift(VPSHIFT_Q_IMM, RIGHT, len, a, count))
                });
            }
            VPROLVD | VPROLVQ => {
                let bytes = old.inst.op.element();
                self.each_pair(old, bytes, |this, len, a, b| this.rotate_left(bytes, len, a, b));
            }
            VPLZCNTD => self.each_one(old, 4, Self::leading_zeros),
            VPLZCNTQ => self.each_one(old, 8, Self::leading_zeros_quads),
            VPTERNLOGD | VPTERNLOGQ => self.ternary(old),
            VPDPBUSD => self.elementwise(old, VPDPBUSD_AVX),
            VPDPBUSDS => self.elementwise(old, VPDPBUSDS_AVX),
            VPDPWSSD => self.elementwise(old, VPDPWSSD_AVX),
            VPDPWSSDS => self.elementwise(old, VPDPWSSDS_AVX),
            VRNDSCALEPS | VRNDSCALEPD => {
                let op = if old.inst.op == VRNDSCALEPS { VROUNDPS } else { VROUNDPD };
                let imm = old.inst.imm.unwrap_or(8);
                self.each(old, old.inst.op.element(), |this, part, len| {
                    let source = this.rm(old, part, len);
                    this.v1_imm(op, len, source, imm)
                });
            }
            VRNDSCALESS | VRNDSCALESD => {
                let op = if old.inst.op == VRNDSCALESS { VROUNDSS } else { VROUNDSD };
                let imm = old.inst.imm.unwrap_or(8);
                let a = self.part(old.first(), 0);
                let b = self.rm(old, 0, Len::X);
                let rounded = self.v2_imm(op, Len::X, a, b, imm);
                self.define(old.result().expect("has a result"), &[rounded]);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Low halves of products of 64 bits, from products of 32 bits.
    fn multiply_quads(&mut self, len: Len, a: VReg, b: VReg) -> VReg {
        let swapped = self.v1_imm(VPSHUFD, len, b, 0xb1);
        let crossed = self.v2(VPMULLD, len, a, swapped);
        // Both cross products, summed in the upper half.
        let other = self.shift(VPSHIFT_Q_IMM, LEFT, len, crossed, 32);
        let high = self.v2(VPADDD, len, crossed, other);
        let mask = self.pool64(0xffff_ffff_0000_0000);
        let high = self.v2(VPANDD, len, high, mask);
        let low = self.v2(VPMULUDQ, len, a, b);
        self.v2(VPADDQ, len, low, high)
    }

    pub(super) fn extreme_quads(&mut self, op: VOp, len: Len, a: VReg, b: VReg) -> VReg {
        let (mut x, mut y) = (a, b);
        if matches!(op, VPMINUQ | VPMAXUQ) {
            let sign = self.pool64(1 << 63);
            x = self.v2(VPXORQ, len, a, sign);
            let sign = self.pool64(1 << 63);
            y = self.v2(VPXORQ, len, b, sign);
        }
        let greater = self.v2(VPCMPGTQ, len, x, y);
        let (then, otherwise) = if matches!(op, VPMINUQ | VPMINSQ) { (b, a) } else { (a, b) };
        self.blend_quads(len, otherwise, then, greater)
    }

    fn blend_quads(&mut self, len: Len, otherwise: VReg, then: VReg, mask: VReg) -> VReg {
        self.blend(8, len, otherwise, then, mask)
    }

    /// Shifts of 16 bits by varying counts: the two words of each 32 bits apart.
    fn shift_words(&mut self, direction: u8, len: Len, a: VReg, counts: VReg) -> VReg {
        let low_word = self.pool32(0xffff);
        let low_counts = self.v2(VPANDD, len, counts, low_word);
        let high_counts = self.shift(VPSHIFT_D_IMM, RIGHT, len, counts, 16);
        let (low, high) = match direction {
            LEFT => {
                let low = self.v2(VPSLLVD, len, a, low_counts);
                let mask = self.pool32(0xffff_0000);
                let upper = self.v2(VPANDD, len, a, mask);
                (low, self.v2(VPSLLVD, len, upper, high_counts))
            }
            RIGHT => {
                let mask = self.pool32(0xffff);
                let lower = self.v2(VPANDD, len, a, mask);
                (self.v2(VPSRLVD, len, lower, low_counts), self.v2(VPSRLVD, len, a, high_counts))
            }
            _ => {
                let lower = self.shift(VPSHIFT_D_IMM, LEFT, len, a, 16);
                let lower = self.shift(VPSHIFT_D_IMM, RIGHT_SIGNED, len, lower, 16);
                (self.v2(VPSRAVD, len, lower, low_counts), self.v2(VPSRAVD, len, a, high_counts))
            }
        };
        self.v2_imm(VPBLENDW, len, low, high, 0xaa)
    }

    /// Arithmetic right shifts from logical ones: negative numbers are complemented before and after.
    fn signed_shift_quads(&mut self, len: Len, a: VReg, shift: impl FnOnce(&mut Self, VReg) -> VReg) -> VReg {
        let zero = self.zero();
        let sign = self.v2(VPCMPGTQ, len, zero, a);
        let positive = self.v2(VPXORQ, len, a, sign);
        let shifted = shift(self, positive);
        self.v2(VPXORQ, len, shifted, sign)
    }

    fn rotate_left(&mut self, bytes: u32, len: Len, a: VReg, counts: VReg) -> VReg {
        let bits = bytes * 8;
        let (and, subtract, left, right) = match bytes {
            4 => (VPANDD, VPSUBD, VPSLLVD, VPSRLVD),
            _ => (VPANDQ, VPSUBQ, VPSLLVQ, VPSRLVQ),
        };
        let number = |this: &mut Self, value: u32| match bytes {
            4 => this.pool32(value),
            _ => this.pool64(value.into()),
        };
        let limit = number(self, bits - 1);
        let counts = self.v2(and, len, counts, limit);
        let width = number(self, bits);
        let width = self.in_register(width, len);
        let rest = self.v2(subtract, len, width, counts);
        let high = self.v2(left, len, a, counts);
        // A shift by the whole width gives zero.
        let low = self.v2(right, len, a, rest);
        self.v2(VPORD, len, high, low)
    }

    /// Zeros above the highest one, from the exponent of the number as a float. The bit below each one is
    /// cleared first, so that rounding does not reach the next power of two.
    fn leading_zeros(&mut self, len: Len, a: VReg) -> VReg {
        let half = self.shift(VPSHIFT_D_IMM, RIGHT, len, a, 1);
        let thin = self.v2(VPANDND, len, half, a);
        let float = self.v1(VCVTDQ2PS, len, thin);
        let exponent = self.shift(VPSHIFT_D_IMM, RIGHT, len, float, 23);
        let most = self.pool32(127 + 31);
        let most = self.in_register(most, len);
        let zeros = self.v2(VPSUBW, len, most, exponent);
        // Zero has exponent 0; numbers with the sign bit have too large a difference, which is not wanted.
        let width = self.pool32(32);
        let zeros = self.v2(VPMINSW, len, zeros, width);
        let sign = self.shift(VPSHIFT_D_IMM, RIGHT_SIGNED, len, a, 31);
        self.v2(VPANDND, len, sign, zeros)
    }

    /// Those of the upper halves, and where they are all zeros those of the lower halves besides.
    fn leading_zeros_quads(&mut self, len: Len, a: VReg) -> VReg {
        let zeros = self.leading_zeros(len, a);
        let upper = self.shift(VPSHIFT_Q_IMM, RIGHT, len, zeros, 32);
        let mask = self.pool64(0xffff_ffff);
        let lower = self.v2(VPANDQ, len, zeros, mask);
        let both = self.v2(VPADDQ, len, lower, upper);
        let width = self.pool64(32);
        let all = self.v2(VPCMPEQQ, len, upper, width);
        self.blend_quads(len, upper, both, all)
    }

    /// Any function of three bits, by its table: where the first is set one function of the other two, else
    /// another.
    fn ternary(&mut self, old: &Old<'_>) {
        let table = old.inst.imm.unwrap_or(0);
        let bytes = old.inst.op.element();
        if table == 0xff || table == 0 {
            let all = if table == 0 { self.zero() } else { self.ones() };
            let result = old.operands[0].vreg();
            return self.define(result, &[all, all]);
        }
        self.each(old, bytes, |this, part, len| {
            let a = old.tied().map(|tied| this.part(tied, part));
            let b = this.part(old.first(), part);
            let c = this.rm_part(old, part, len);
            let a = a.unwrap_or(b);
            this.ternary_part(table, len, a, b, c)
        });
    }

    fn ternary_part(&mut self, table: u8, len: Len, a: VReg, b: VReg, c: VReg) -> VReg {
        if a == b && b == c {
            // Only the bits for equal operands count.
            return match (table & 1 != 0, table & 0x80 != 0) {
                (true, false) => {
                    let ones = self.ones();
                    self.v2(VPXORD, len, a, ones)
                }
                (false, true) => a,
                (false, false) => self.zero(),
                (true, true) => self.ones(),
            };
        }
        let (clear, set) = (table & 15, table >> 4);
        if clear == set {
            return self.binary_function(clear, len, b, c);
        }
        if clear ^ set == 15 {
            let other = self.binary_function(clear, len, b, c);
            return self.v2(VPXORD, len, a, other);
        }
        if set == 15 {
            let other = self.binary_function(clear, len, b, c);
            return self.v2(VPORD, len, a, other);
        }
        // The first picks where it is set.
        let picked = match set {
            0 => None,
            15 => Some(a),
            set => {
                let other = self.binary_function(set, len, b, c);
                Some(self.v2(VPANDD, len, a, other))
            }
        };
        let rest = match clear {
            0 => None,
            15 => {
                let ones = self.ones();
                Some(self.v2(VPXORD, len, a, ones))
            }
            clear => {
                let other = self.binary_function(clear, len, b, c);
                Some(self.v2(VPANDND, len, a, other))
            }
        };
        match (picked, rest) {
            (Some(picked), Some(rest)) => self.v2(VPORD, len, picked, rest),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => self.zero(),
        }
    }

    /// A function of two bits: bit `2 * b + c` of the table.
    fn binary_function(&mut self, table: u8, len: Len, b: VReg, c: VReg) -> VReg {
        let complement = |this: &mut Self, a: VReg| {
            let ones = this.ones();
            this.v2(VPXORD, len, a, ones)
        };
        match table & 15 {
            0b0000 => self.zero(),
            0b1000 => self.v2(VPANDD, len, b, c),
            0b0100 => self.v2(VPANDND, len, c, b),
            0b1100 => b,
            0b0010 => self.v2(VPANDND, len, b, c),
            0b1010 => c,
            0b0110 => self.v2(VPXORD, len, b, c),
            0b1110 => self.v2(VPORD, len, b, c),
            other => {
                let opposite = self.binary_function(!other, len, b, c);
                complement(self, opposite)
            }
        }
    }

    /// There is no sequence for an instruction.
    pub(super) fn unsupported(&self, old: &Old<'_>) -> Unsupported {
        let inst = old.inst;
        Unsupported(format!("opcode {:02x} of map {} at AVX2", inst.op.opcode, inst.op.map))
    }
}
