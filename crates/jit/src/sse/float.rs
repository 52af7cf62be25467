//! Floats.

use super::Rewriter;
use super::integer::{HIGH_HALF, RIGHT, RIGHT_SIGNED};
use crate::asm::VOp;
use crate::asm::op::*;
use crate::neon::{Encoded, op};
use regalloc2::VReg;

/// Predicates of comparisons.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const LESS_EQUAL: u8 = 2;
const NOT_LESS: u8 = 5;

/// Rounding modes of `roundps`, which raise no exception.
const NEAREST: u8 = 8;
const DOWN: u8 = 9;
const UP: u8 = 10;
const TOWARD_ZERO: u8 = 11;

impl Rewriter<'_> {
    pub(super) fn float(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> bool {
        let (bits, _) = encoded.variant();
        let pick = |single: VOp, double: VOp| if bits == 64 { double } else { single };
        let sign = 1u64 << (bits.max(32) - 1);
        match encoded.row {
            op::FADD => self.two(to, pick(VADDPS, VADDPD), uses[0], uses[1]),
            op::FSUB => self.two(to, pick(VSUBPS, VSUBPD), uses[0], uses[1]),
            op::FMUL => self.two(to, pick(VMULPS, VMULPD), uses[0], uses[1]),
            op::FDIV => self.two(to, pick(VDIVPS, VDIVPD), uses[0], uses[1]),
            op::FMLA if bits == 32 => self.fused(to, uses[1], uses[2], uses[0]),
            op::FMLS if bits == 32 => {
                let sign = self.pool_all(32, sign);
                let negated = self.two_new(VPXORD, uses[1], sign);
                self.fused(to, negated, uses[2], uses[0]);
            }
            op::FCMEQ => self.two_imm(to, pick(VCMPPS_AVX, VCMPPD_AVX), uses[0], uses[1], EQUAL),
            op::FCMGE => self.two_imm(to, pick(VCMPPS_AVX, VCMPPD_AVX), uses[1], uses[0], LESS_EQUAL),
            op::FCMGT => self.two_imm(to, pick(VCMPPS_AVX, VCMPPD_AVX), uses[1], uses[0], LESS),
            op::FABS => {
                let magnitude = self.pool_all(bits, sign - 1);
                self.two(to, VPANDD, uses[0], magnitude);
            }
            op::FNEG => {
                let sign = self.pool_all(bits, sign);
                self.two(to, VPXORD, uses[0], sign);
            }
            op::FSQRT => self.one(to, pick(VSQRTPS, VSQRTPD), uses[0]),
            op::FRINTN => self.one_imm(to, pick(VROUNDPS, VROUNDPD), uses[0], NEAREST),
            op::FRINTM => self.one_imm(to, pick(VROUNDPS, VROUNDPD), uses[0], DOWN),
            op::FRINTP => self.one_imm(to, pick(VROUNDPS, VROUNDPD), uses[0], UP),
            op::FRINTZ => self.one_imm(to, pick(VROUNDPS, VROUNDPD), uses[0], TOWARD_ZERO),
            op::FCVTZS if bits == 32 => self.float_to_signed(to, uses[0]),
            op::FCVTZU if bits == 32 => self.float_to_unsigned(to, uses[0]),
            op::SCVTF if bits == 32 => self.one(to, VCVTDQ2PS, uses[0]),
            op::UCVTF if bits == 32 => self.unsigned_to_float(to, uses[0]),
            op::SCVTF => self.quads_to_double(to, uses[0], true),
            op::UCVTF => self.quads_to_double(to, uses[0], false),
            op::FCVTL_SINGLE => {
                let low = self.register(uses[0]);
                self.one(to, VCVTPS2PD, low);
            }
            op::FCVTL2_SINGLE => {
                let high = self.one_imm_new(VPSHUFD, uses[0], HIGH_HALF);
                self.one(to, VCVTPS2PD, high);
            }
            op::FCVTN_SINGLE => self.one(to, VCVTPD2PS, uses[0]),
            op::FCVTN2_SINGLE => {
                let high = self.one_new(VCVTPD2PS, uses[1]);
                self.two(to, VPUNPCKLQDQ, uses[0], high);
            }
            _ => return false,
        }
        true
    }

    /// f32 to i32, towards zero, saturating, NaN to zero. The instruction gives the lowest number for all
    /// that does not fit.
    fn float_to_signed(&mut self, to: VReg, a: VReg) {
        let a = self.register(a);
        let number = self.two_imm_new(VCMPPS_AVX, a, a, EQUAL);
        let number = self.two_new(VPANDD, number, a);
        let direct = self.one_new(VCVTTPS2DQ, number);
        let two_31 = self.pool_all(32, 2_147_483_648f32.to_bits().into());
        let large = self.two_imm_new(VCMPPS_AVX, number, two_31, NOT_LESS);
        // The lowest becomes the highest.
        self.two(to, VPXORD, direct, large);
    }

    /// f32 to u32 likewise. From 2^31 on the signed conversion gives the sign bit alone, and that of the rest
    /// the other bits.
    fn float_to_unsigned(&mut self, to: VReg, a: VReg) {
        let zero = self.pool([0; 16]);
        // Also of NaN: the second operand comes out then.
        let a = self.two_new(VMAXPS, a, zero);
        let direct = self.one_new(VCVTTPS2DQ, a);
        let two_31 = self.pool_all(32, 2_147_483_648f32.to_bits().into());
        let rest = self.two_new(VSUBPS, a, two_31);
        let rest = self.one_new(VCVTTPS2DQ, rest);
        let large = self.shift_new(VPSHIFT_D_IMM, RIGHT_SIGNED, direct, 31);
        let rest = self.two_new(VPANDD, rest, large);
        let whole = self.two_new(VPORD, direct, rest);
        let two_32 = self.pool_all(32, 4_294_967_296f32.to_bits().into());
        let beyond = self.two_imm_new(VCMPPS_AVX, a, two_32, NOT_LESS);
        self.two(to, VPORD, whole, beyond);
    }

    /// u32 to f32: the upper half's product is exact, so the sum rounds once.
    fn unsigned_to_float(&mut self, to: VReg, a: VReg) {
        let mask = self.pool_all(32, 0xffff);
        let low = self.two_new(VPANDD, a, mask);
        let low = self.one_new(VCVTDQ2PS, low);
        let high = self.shift_new(VPSHIFT_D_IMM, RIGHT, a, 16);
        let high = self.one_new(VCVTDQ2PS, high);
        let scale = self.pool_all(32, 65536f32.to_bits().into());
        let high = self.two_new(VMULPS, high, scale);
        self.two(to, VADDPS, high, low);
    }

    /// 64-bit integers to f64: both halves as mantissas of large numbers, whose difference to what they
    /// should be is exact; the sum rounds once.
    fn quads_to_double(&mut self, to: VReg, a: VReg, signed: bool) {
        let two_52 = self.pool_all(64, 0x4330 << 48);
        let low = self.two_imm_new(VPBLENDW, a, two_52, 0xcc);
        let high = self.shift_new(VPSHIFT_Q_IMM, RIGHT, a, 32);
        // 2^84, and where there is a sign 2^63 besides.
        let bias = if signed { 0x4530 << 48 | 1 << 31 } else { 0x4530u64 << 48 };
        let bias = self.pool_all(64, bias);
        let high = self.two_new(VPXORD, high, bias);
        let two_63 = if signed { 9_223_372_036_854_775_808f64 } else { 0.0 };
        let all = 19_342_813_113_834_066_795_298_816f64 + two_63 + 4_503_599_627_370_496f64;
        let all = self.pool_all(64, all.to_bits());
        let high = self.two_new(VSUBPD, high, all);
        self.two(to, VADDPD, high, low);
    }

    /// `a * b + c` of f32, rounded once: see [`Rewriter::fused_half`].
    fn fused(&mut self, to: VReg, a: VReg, b: VReg, c: VReg) {
        let [a, b, c] = [a, b, c].map(|value| self.register(value));
        let low = self.fused_half(a, b, c);
        let [a, b, c] = [a, b, c].map(|value| self.one_imm_new(VPSHUFD, value, HIGH_HALF));
        let high = self.fused_half(a, b, c);
        self.two(to, VPUNPCKLQDQ, low, high);
    }

    /// The same for the low two lanes.
    ///
    /// The product is exact as double. The sum is rounded to odd: towards zero, with the last bit set where
    /// it is not exact. Double has more than two bits more than single, so rounding that to single gives what
    /// rounding the exact sum would.
    fn fused_half(&mut self, a: VReg, b: VReg, c: VReg) -> VReg {
        let [a, b, c] = [a, b, c].map(|value| self.one_new(VCVTPS2PD, value));
        let product = self.two_new(VMULPD, a, b);
        let sum = self.two_new(VADDPD, product, c);
        // What the sum lacks, exactly (Knuth's sum of two).
        let second = self.two_new(VSUBPD, sum, product);
        let first = self.two_new(VSUBPD, sum, second);
        let first = self.two_new(VSUBPD, product, first);
        let second = self.two_new(VSUBPD, c, second);
        let rest = self.two_new(VADDPD, first, second);
        // NaN, where the sum is not finite, is not less.
        let magnitude = self.pool_all(64, u64::MAX >> 1);
        let size = self.two_new(VPANDD, rest, magnitude);
        let zero = self.pool([0; 16]);
        let zero = self.one_new(VMOVAPS, zero);
        let inexact = self.two_imm_new(VCMPPD_AVX, zero, size, LESS);
        let inexact = self.shift_new(VPSHIFT_Q_IMM, RIGHT, inexact, 63);
        // Where the signs differ, the sum is further from zero than what is exact.
        let away = self.two_new(VPXORD, rest, sum);
        let away = self.shift_new(VPSHIFT_Q_IMM, RIGHT, away, 63);
        let away = self.two_new(VPANDD, away, inexact);
        let sum = self.two_new(VPSUBQ, sum, away);
        let sum = self.two_new(VPORD, sum, inexact);
        self.one_new(VCVTPD2PS, sum)
    }
}
