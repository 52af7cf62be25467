//! Floats.

use super::Rewriter;
use super::integer::{HIGH_HALF, LEFT, RIGHT, RIGHT_SIGNED};
use crate::asm::VOp;
use crate::asm::op::*;
use crate::machine::fused::Signs;
use crate::machine::inst::VECTOR;
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
            op::FMLA if bits == 32 => self.fused(to, Signs::default(), uses[1], uses[2], uses[0]),
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
            op::FCVTL_HALF => {
                let low = self.register(uses[0]);
                self.half_to_single(to, low);
            }
            op::FCVTL2_HALF => {
                let high = self.one_imm_new(VPSHUFD, uses[0], HIGH_HALF);
                self.half_to_single(to, high);
            }
            op::FCVTN_HALF => self.single_to_half(to, uses[0]),
            op::FCVTN2_HALF => {
                let high = self.new.vreg(VECTOR);
                self.single_to_half(high, uses[1]);
                self.two(to, VPUNPCKLQDQ, uses[0], high);
            }
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

    /// The low four halves to single. The exponent is that of half: a product puts it right, also of
    /// denormals.
    fn half_to_single(&mut self, to: VReg, a: VReg) {
        let wide = self.one_new(VPMOVZXWD, a);
        let mask = self.pool_all(32, 0x7fff);
        let magnitude = self.two_new(VPANDD, wide, mask);
        let sign = self.two_new(VPXORD, wide, magnitude);
        let sign = self.shift_new(VPSHIFT_D_IMM, LEFT, sign, 16);
        let magnitude = self.shift_new(VPSHIFT_D_IMM, LEFT, magnitude, 13);
        let finite = self.pool_all(32, 0x0f7f_ffff);
        let special = self.two_new(VPCMPGTD, magnitude, finite);
        let infinity = self.pool_all(32, f32::INFINITY.to_bits().into());
        let special = self.two_new(VPANDD, special, infinity);
        let scale = self.pool_all(32, 2f32.powi(112).to_bits().into());
        let scaled = self.two_new(VMULPS, magnitude, scale);
        let whole = self.two_new(VPORD, scaled, special);
        // Makes NaN quiet.
        let unit = self.pool_all(32, 1f32.to_bits().into());
        let whole = self.two_new(VMULPS, whole, unit);
        self.two(to, VPORD, whole, sign);
    }

    /// Four singles to the nearest halves, to even where two are; zeros above them.
    fn single_to_half(&mut self, to: VReg, a: VReg) {
        let [magnitudes, last, bias, infinity, half, half_bits, denormal, infinite, payload, quiet] = [
            0x7fff_ffff,
            1,
            // Half of the unit less one, and the exponent's new bias.
            0xfffu32.wrapping_sub(112 << 23),
            0x7c00,
            0.5f32.to_bits(),
            0.5f32.to_bits(),
            0x387f_ffff,
            f32::INFINITY.to_bits(),
            0x3ff,
            0x200,
        ]
        .map(|word| self.pool_all(32, word.into()));
        let a = self.register(a);
        let magnitude = self.two_new(VPANDD, a, magnitudes);
        let sign = self.two_new(VPXORD, a, magnitude);
        let sign = self.shift_new(VPSHIFT_D_IMM, RIGHT, sign, 16);
        let cut = self.shift_new(VPSHIFT_D_IMM, RIGHT, magnitude, 13);
        // One more where the last bit that stays is set.
        let odd = self.two_new(VPANDD, cut, last);
        let normal = self.two_new(VPADDD, odd, magnitude);
        let normal = self.two_new(VPADDD, normal, bias);
        let normal = self.shift_new(VPSHIFT_D_IMM, RIGHT, normal, 13);
        let normal = self.two_new(VPMINUD, normal, infinity);
        // The unit of 0.5 in single is that of denormal halves.
        let small = self.two_new(VADDPS, magnitude, half);
        let small = self.two_new(VPSUBD, small, half_bits);
        let is_normal = self.two_new(VPCMPGTD, magnitude, denormal);
        let differs = self.two_new(VPXORD, normal, small);
        let differs = self.two_new(VPANDD, differs, is_normal);
        let number = self.two_new(VPXORD, differs, small);
        let payload = self.two_new(VPANDD, cut, payload);
        let payload = self.two_new(VPORD, payload, quiet);
        let is_nan = self.two_new(VPCMPGTD, magnitude, infinite);
        let payload = self.two_new(VPANDD, payload, is_nan);
        let number = self.two_new(VPORD, number, payload);
        let number = self.two_new(VPORD, number, sign);
        let zero = self.pool([0; 16]);
        self.two(to, VPACKUSDW, number, zero);
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
}
