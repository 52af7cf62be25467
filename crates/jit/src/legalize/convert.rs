//! Conversions between widths, and between integers and floats, for AVX2.

use super::{Legalizer, Old, Parts};
use crate::asm::op::*;
use crate::asm::{Len, Rounding, VOp};
use crate::machine::inst::RmSlot;
use crate::select::Unsupported;
use crate::select::vector::{Base, Memory, Source, Spec};
use regalloc2::VReg;

/// Predicates of float comparisons: not less, quiet; greater, ordered and quiet.
const NOT_LESS: u8 = 0x15;
const GREATER: u8 = 0x1e;
/// Rounding modes of `vroundpd`.
const DOWN: u8 = 9;
const TOWARD_ZERO: u8 = 11;

/// How often the source's elements fit the result's.
fn widening(op: VOp) -> Option<u32> {
    Some(match op {
        VPMOVZXBW | VPMOVSXBW | VPMOVZXWD | VPMOVSXWD | VPMOVZXDQ | VPMOVSXDQ | VCVTPS2PD | VCVTPH2PS
        | VCVTDQ2PD | VCVTUDQ2PD | VCVTTPS2QQ | VCVTTPS2UQQ => 2,
        VPMOVZXBD | VPMOVSXBD | VPMOVZXWQ | VPMOVSXWQ => 4,
        VPMOVZXBQ | VPMOVSXBQ => 8,
        _ => return None,
    })
}

/// What narrowing does to numbers that do not fit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Truncate,
    Signed,
    Unsigned,
}

/// Bits of source and result of a narrowing of integers.
fn narrowing(op: VOp) -> Option<(u32, u32, Fit)> {
    use Fit as F;
    Some(match op {
        VPMOVWB => (16, 8, F::Truncate),
        VPMOVDB => (32, 8, F::Truncate),
        VPMOVQB => (64, 8, F::Truncate),
        VPMOVDW => (32, 16, F::Truncate),
        VPMOVQW => (64, 16, F::Truncate),
        VPMOVQD => (64, 32, F::Truncate),
        VPMOVSDB => (32, 8, F::Signed),
        VPMOVSQB => (64, 8, F::Signed),
        VPMOVSDW => (32, 16, F::Signed),
        VPMOVSQW => (64, 16, F::Signed),
        VPMOVSQD => (64, 32, F::Signed),
        VPMOVUSDB => (32, 8, F::Unsigned),
        VPMOVUSQB => (64, 8, F::Unsigned),
        VPMOVUSDW => (32, 16, F::Unsigned),
        VPMOVUSQW => (64, 16, F::Unsigned),
        VPMOVUSQD => (64, 32, F::Unsigned),
        _ => return None,
    })
}

impl Legalizer<'_> {
    /// Conversions; false: none of them.
    pub(super) fn convert(&mut self, old: &Old<'_>) -> Result<bool, Unsupported> {
        let op = old.inst.op;
        if let Some(times) = widening(op) {
            self.widen(old, times);
            return Ok(true);
        }
        if let Some((from, to, fit)) = narrowing(op) {
            if old.mask().is_some() || !matches!(old.inst.rm, RmSlot::Reg(_)) {
                return Err(self.unsupported(old));
            }
            self.narrow(old, from, to, fit);
            return Ok(true);
        }
        match op {
            VCVTPS2PH => {
                let imm = old.inst.imm.unwrap_or(0);
                self.halved(old, old.register(old.inst.reg), |this, len, part| {
                    this.emit(Spec::unary(VCVTPS2PH, len, part).reversed().imm(imm))
                });
            }
            VCVTPD2PS if old.inst.rounding == Rounding::TowardZero => {
                self.halved_rm(old, Self::toward_zero);
            }
            VCVTPD2PS | VCVTTPD2DQ => self.halved_rm(old, |this, len, part| this.v1(op, len, part)),
            VCVTQQ2PS | VCVTUQQ2PS => self.halved_rm(old, |this, len, part| {
                let double = this.quads_to_odd(len, part, op == VCVTQQ2PS);
                this.v1(VCVTPD2PS, len, double)
            }),
            VCVTTPD2UDQ => {
                let source = old.rm_register().ok_or_else(|| self.unsupported(old))?;
                let (count, len) = old.parts();
                let parts: Parts = (0..count)
                    .map(|part| {
                        let from = self.part(source, part);
                        // The limit comes out also for NaN.
                        let most = self.pool64(f64::from(u32::MAX).to_bits());
                        let low = self.v2(VMINPD, len, from, most);
                        let whole = self.v1_imm(VROUNDPD, len, low, TOWARD_ZERO);
                        let two_52 = self.pool64(0x4330 << 48);
                        self.v2(VADDPD, len, whole, two_52)
                    })
                    .collect();
                let joined = self.join_quads(&parts, len);
                self.define(old.result().expect("has a result"), &[joined]);
            }
            VCVTUDQ2PS => self.each_one(old, 4, Self::words_to_single),
            VCVTTPS2UDQ => self.each_one(old, 4, Self::single_to_words),
            VCVTQQ2PD => self.each_one(old, 8, |this, len, a| this.quads_to_double(len, a, true)),
            VCVTUQQ2PD => self.each_one(old, 8, |this, len, a| this.quads_to_double(len, a, false)),
            VCVTTPD2QQ => self.each_one(old, 8, |this, len, a| this.double_to_quads(len, a, true)),
            VCVTTPD2UQQ => self.each_one(old, 8, |this, len, a| this.double_to_quads(len, a, false)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The source of one part of a widening.
    fn narrow_source(&mut self, old: &Old<'_>, part: usize, times: u32) -> Source {
        let offset = part as u32 * 32 / times;
        match old.inst.rm {
            RmSlot::Mem(_) if old.inst.broadcast => self.rm(old, 0, Len::Y),
            RmSlot::Mem(address) => {
                let memory: Memory = old.memory(address);
                Source::Memory(match memory.base {
                    Base::Pool(constant) => Memory::pool(constant.plus(offset)),
                    _ => memory.plus(offset as i32),
                })
            }
            RmSlot::Reg(slot) => {
                let source = self.part(old.register(slot), 0);
                Source::Reg(match offset {
                    0 => source,
                    16 => self.half(source, true),
                    bytes => self.shift(VPSRLDQ_IMM, 3, Len::X, source, bytes as u8),
                })
            }
        }
    }

    fn widen(&mut self, old: &Old<'_>, times: u32) {
        let op = old.inst.op;
        let bytes = match op {
            VPMOVZXBW | VPMOVSXBW => 2,
            VPMOVZXBD | VPMOVSXBD | VPMOVZXWD | VPMOVSXWD | VCVTPH2PS => 4,
            _ => 8,
        };
        self.each(old, bytes, |this, part, len| {
            let source = this.narrow_source(old, part, times);
            match op {
                VCVTUDQ2PD => {
                    // Exact as a signed number 2^31 lower.
                    let source = this.in_register(source, Len::X);
                    let sign = this.pool32(1 << 31);
                    let signed = this.v2(VPXORD, Len::X, source, sign);
                    let double = this.v1(VCVTDQ2PD, len, signed);
                    let two_31 = this.pool64(2_147_483_648f64.to_bits());
                    this.v2(VADDPD, len, double, two_31)
                }
                VCVTTPS2QQ | VCVTTPS2UQQ => {
                    let double = this.v1(VCVTPS2PD, len, source);
                    this.double_to_quads(len, double, op == VCVTTPS2QQ)
                }
                _ => this.v1(op, len, source),
            }
        });
    }

    /// An operation whose result is half as long as its source.
    fn halved(&mut self, old: &Old<'_>, source: VReg, mut f: impl FnMut(&mut Self, Len, VReg) -> VReg) {
        let (count, len) = old.parts();
        let parts: Parts = (0..count)
            .map(|part| {
                let from = self.part(source, part);
                f(self, len, from)
            })
            .collect();
        let result = if count == 2 { self.halves(parts[0], parts[1]) } else { parts[0] };
        self.define(old.result().expect("has a result"), &[result]);
    }

    fn halved_rm(&mut self, old: &Old<'_>, f: impl FnMut(&mut Self, Len, VReg) -> VReg) {
        let source = match old.rm_register() {
            Some(source) => source,
            None => {
                let whole = self.new.vreg(crate::machine::inst::VECTOR);
                self.names.resize(self.names.len().max(whole.vreg() + 1), None);
                let (count, len) = old.parts();
                let parts: Parts = (0..count).map(|part| self.rm_part(old, part, len)).collect();
                self.define(whole, &parts);
                whole
            }
        };
        self.halved(old, source, f);
    }

    /// Low halves of 64-bit lanes.
    fn join_quads(&mut self, parts: &[VReg], len: Len) -> VReg {
        match *parts {
            [low, high] => {
                let both = self.v2_imm(VSHUFPS, Len::Y, low, high, 0x88);
                self.v1_imm(VPERMQ_IMM, Len::Y, both, 0xd8)
            }
            [all, ..] => {
                let high = if len == Len::Y { self.half(all, true) } else { all };
                self.v2_imm(VSHUFPS, Len::X, all, high, 0x88)
            }
            [] => unreachable!("vectors have parts"),
        }
    }

    /// Elements of half the width by a saturating instruction.
    fn pack(&mut self, op: VOp, parts: &[VReg], len: Len) -> VReg {
        match *parts {
            [low, high] => {
                let both = self.v2(op, Len::Y, low, high);
                self.v1_imm(VPERMQ_IMM, Len::Y, both, 0xd8)
            }
            [all, ..] => {
                let high = if len == Len::Y { self.half(all, true) } else { all };
                self.v2(op, Len::X, all, high)
            }
            [] => unreachable!("vectors have parts"),
        }
    }

    fn narrow(&mut self, old: &Old<'_>, from: u32, to: u32, fit: Fit) {
        let source = old.register(old.inst.reg);
        let (count, mut len) = old.parts();
        let mut parts: Parts = (0..count).map(|part| self.part(source, part)).collect();
        let mut bits = from;
        let result = old.result().expect("has a result");
        if bits == 64 {
            for part in &mut parts {
                *part = self.fit_quads(*part, len, to, fit);
            }
            let joined = self.join_quads(&parts, len);
            len = if count == 2 { Len::Y } else { Len::X };
            parts = [joined].into_iter().collect();
            bits = 32;
            if to == 32 {
                return self.define(result, &parts);
            }
        }
        // Of saturating instructions all but the signed ones need operands that fit.
        let limit = u32::MAX >> (32 - to);
        for part in &mut parts {
            let bytes = if bits == 16 { limit | limit << 16 } else { limit };
            let limit = self.pool32(bytes);
            *part = match fit {
                Fit::Truncate => self.v2(VPANDD, len, *part, limit),
                // Of 64 bits it fits already.
                Fit::Unsigned if from < 64 => self.v2(VPMINUD, len, *part, limit),
                _ => *part,
            };
        }
        let signed = fit == Fit::Signed;
        if bits == 32 {
            let packed = self.pack(if signed { VPACKSSDW } else { VPACKUSDW }, &parts, len);
            len = if parts.len() == 2 { Len::Y } else { Len::X };
            parts = [packed].into_iter().collect();
        }
        if to == 8 {
            let packed = self.pack(if signed { VPACKSSWB } else { VPACKUSWB }, &parts, len);
            parts = [packed].into_iter().collect();
        }
        self.define(result, &parts);
    }

    /// Limits 64-bit numbers to what `to` bits hold.
    fn fit_quads(&mut self, value: VReg, len: Len, to: u32, fit: Fit) -> VReg {
        match fit {
            Fit::Truncate => value,
            Fit::Unsigned => {
                let most = self.pool64(u64::MAX >> (64 - to));
                let most = self.in_register(most, len);
                self.extreme_quads(VPMINUQ, len, value, most)
            }
            Fit::Signed => {
                let most = (1i64 << (to - 1)) - 1;
                let limit = self.pool64(most as u64);
                let limit = self.in_register(limit, len);
                let low = self.extreme_quads(VPMINSQ, len, value, limit);
                let limit = self.pool64((-most - 1) as u64);
                let limit = self.in_register(limit, len);
                self.extreme_quads(VPMAXSQ, len, low, limit)
            }
        }
    }

    /// f64 to f32 towards zero: where the nearest is further from zero, the one before it.
    fn toward_zero(&mut self, len: Len, value: VReg) -> VReg {
        let nearest = self.v1(VCVTPD2PS, len, value);
        let back = self.v1(VCVTPS2PD, len, nearest);
        let magnitude = self.pool64(u64::MAX >> 1);
        let magnitude = self.in_register(magnitude, len);
        let back = self.v2(VPANDD, len, back, magnitude);
        let value = self.v2(VPANDD, len, value, magnitude);
        let further = self.v2_imm(VCMPPD_AVX, len, back, value, GREATER);
        let further = self.join_quads(&[further], len);
        // All ones is -1.
        self.v2(VPADDD, Len::X, nearest, further)
    }

    /// u32 to f32: the upper half's product is exact, so the sum rounds once.
    fn words_to_single(&mut self, len: Len, a: VReg) -> VReg {
        let mask = self.pool32(0xffff);
        let low = self.v2(VPANDD, len, a, mask);
        let high = self.shift(VPSHIFT_D_IMM, 2, len, a, 16);
        let low = self.v1(VCVTDQ2PS, len, low);
        let high = self.v1(VCVTDQ2PS, len, high);
        let scale = self.pool32(65536f32.to_bits());
        self.emit(Spec::binary(VFMADD231PS, len, high, scale).tied(low))
    }

    /// f32 that is not negative to u32, towards zero; all ones for NaN and what is too large. From 2^31 on
    /// the signed conversion gives the sign bit alone, and that of the rest the other bits.
    fn single_to_words(&mut self, len: Len, a: VReg) -> VReg {
        let direct = self.v1(VCVTTPS2DQ, len, a);
        let two_31 = self.pool32(2_147_483_648f32.to_bits());
        let rest = self.v2(VSUBPS, len, a, two_31);
        let rest = self.v1(VCVTTPS2DQ, len, rest);
        let large = self.shift(VPSHIFT_D_IMM, 4, len, direct, 31);
        let rest = self.v2(VPANDD, len, rest, large);
        let whole = self.v2(VPORD, len, direct, rest);
        let two_32 = self.pool32(4_294_967_296f32.to_bits());
        let beyond = self.v2_imm(VCMPPS_AVX, len, a, two_32, NOT_LESS);
        self.v2(VPORD, len, whole, beyond)
    }

    /// 64-bit integers to f64: both halves as mantissas of large numbers, whose difference to what they
    /// should be is exact; the sum rounds once.
    fn quads_to_double(&mut self, len: Len, a: VReg, signed: bool) -> VReg {
        let two_52 = self.pool64(0x4330 << 48);
        let two_52 = self.in_register(two_52, len);
        let low = self.v2_imm(VPBLENDD, len, two_52, a, 0x55);
        let high = self.shift(VPSHIFT_Q_IMM, 2, len, a, 32);
        // 2^84, and where there is a sign 2^63 besides.
        let bias = if signed { 0x4530 << 48 | 1 << 31 } else { 0x4530u64 << 48 };
        let bias_source = self.pool64(bias);
        let high = self.v2(VPXORQ, len, high, bias_source);
        let two_63 = if signed { 9_223_372_036_854_775_808f64 } else { 0.0 };
        let all = 19_342_813_113_834_066_795_298_816f64 + two_63 + 4_503_599_627_370_496f64;
        let all = self.pool64(all.to_bits());
        let high = self.v2(VSUBPD, len, high, all);
        self.v2(VADDPD, len, high, low)
    }

    /// 64-bit integers to f64 so that a second rounding, to f32, gives what one rounding would: of those of
    /// more than 53 bits the last 11 become one that says whether any was set.
    fn quads_to_odd(&mut self, len: Len, a: VReg, signed: bool) -> VReg {
        let last = self.pool64(0x7ff);
        let last = self.in_register(last, len);
        let tail = self.v2(VPANDQ, len, a, last);
        let zero = self.zero();
        let exact = self.v2(VPCMPEQQ, len, tail, zero);
        let head = self.v2(VPANDNQ, len, last, a);
        let odd = self.pool64(0x800);
        let odd = self.v2(VPANDNQ, len, exact, odd);
        let short = self.v2(VPORQ, len, head, odd);
        let beyond = if signed {
            let two_53 = self.pool64(1 << 53);
            let moved = self.v2(VPADDQ, len, a, two_53);
            self.shift(VPSHIFT_Q_IMM, 2, len, moved, 54)
        } else {
            self.shift(VPSHIFT_Q_IMM, 2, len, a, 53)
        };
        let fits = self.v2(VPCMPEQQ, len, beyond, zero);
        let chosen = self.blend(8, len, short, a, fits);
        self.quads_to_double(len, chosen, signed)
    }

    /// f64 to 64-bit integers, towards zero: the upper and the lower 32 bits apart. What is too small, or
    /// NaN, gives the least number; unsigned, for numbers that are not negative, what is too large gives all
    /// ones.
    fn double_to_quads(&mut self, len: Len, a: VReg, signed: bool) -> VReg {
        let mut whole = self.v1_imm(VROUNDPD, len, a, TOWARD_ZERO);
        if signed {
            let least = self.pool64((-9_223_372_036_854_775_808f64).to_bits());
            whole = self.v2(VMAXPD, len, whole, least);
        }
        let scale = self.pool64((1.0 / 4_294_967_296f64).to_bits());
        let high = self.v2(VMULPD, len, whole, scale);
        let high = self.v1_imm(VROUNDPD, len, high, DOWN);
        let minus_two_32 = self.pool64((-4_294_967_296f64).to_bits());
        let low = self.emit(Spec::binary(VFMADD231PD, len, high, minus_two_32).tied(whole));
        // In the sums the numbers are the last bits of the mantissa.
        let magic = self.pool64(6_755_399_441_055_744f64.to_bits());
        let magic = self.in_register(magic, len);
        let high = self.v2(VADDPD, len, high, magic);
        let low = self.v2(VADDPD, len, low, magic);
        let high = self.shift(VPSHIFT_Q_IMM, 6, len, high, 32);
        let result = self.v2_imm(VPBLENDD, len, high, low, 0x55);
        if signed {
            return result;
        }
        let two_64 = self.pool64(18_446_744_073_709_551_616f64.to_bits());
        let beyond = self.v2_imm(VCMPPD_AVX, len, a, two_64, NOT_LESS);
        self.v2(VPORQ, len, result, beyond)
    }
}
