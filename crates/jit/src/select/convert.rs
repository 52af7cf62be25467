//! Conversions between integer widths, floats and integers, and float widths, of all lanes.

use super::arithmetic::{blend_op, by_width};
use super::memory::masked_moves;
use super::vector::Spec;
use super::{Registers, Selector};
use crate::asm::op::*;
use crate::asm::{Rounding, VOp};
use crate::cpu::Level;
use pyro_ir::{InstData, Opcode, Scalar, Signature};

/// The predicate of float comparisons: less, ordered and quiet.
const LESS: u8 = 0x11;
/// The table for `vfixupimmps` that makes zero of NaN, quiet or signaling, and leaves all else as the result
/// was.
const FIXUP_NAN_ZERO: u64 = 0x88;

/// Of `f16`: what only infinity is not less than.
const HALF_INFINITY: u64 = 0x7c00;

/// The widening of integers.
fn extend_op(from: u32, to: u32, signed: bool) -> VOp {
    match (from, to, signed) {
        (8, 16, false) => VPMOVZXBW,
        (8, 32, false) => VPMOVZXBD,
        (8, 64, false) => VPMOVZXBQ,
        (16, 32, false) => VPMOVZXWD,
        (16, 64, false) => VPMOVZXWQ,
        (32, 64, false) => VPMOVZXDQ,
        (8, 16, true) => VPMOVSXBW,
        (8, 32, true) => VPMOVSXBD,
        (8, 64, true) => VPMOVSXBQ,
        (16, 32, true) => VPMOVSXWD,
        (16, 64, true) => VPMOVSXWQ,
        _ => VPMOVSXDQ,
    }
}

/// How integers that do not fit are narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Narrowing {
    Truncate,
    SaturateSigned,
    SaturateUnsigned,
}

fn narrow_op(from: u32, to: u32, how: Narrowing) -> VOp {
    use Narrowing as N;
    match (from, to, how) {
        (64, 32, N::Truncate) => VPMOVQD,
        (64, 16, N::Truncate) => VPMOVQW,
        (64, 8, N::Truncate) => VPMOVQB,
        (32, 16, N::Truncate) => VPMOVDW,
        (32, 8, N::Truncate) => VPMOVDB,
        (64, 32, N::SaturateSigned) => VPMOVSQD,
        (64, 16, N::SaturateSigned) => VPMOVSQW,
        (64, 8, N::SaturateSigned) => VPMOVSQB,
        (32, 16, N::SaturateSigned) => VPMOVSDW,
        (32, 8, N::SaturateSigned) => VPMOVSDB,
        (64, 32, N::SaturateUnsigned) => VPMOVUSQD,
        (64, 16, N::SaturateUnsigned) => VPMOVUSQW,
        (64, 8, N::SaturateUnsigned) => VPMOVUSQB,
        (32, 16, N::SaturateUnsigned) => VPMOVUSDW,
        (32, 8, N::SaturateUnsigned) => VPMOVUSDB,
        (16, 8, N::SaturateSigned) => VPMOVSWB,
        (16, 8, N::SaturateUnsigned) => VPMOVUSWB,
        _ => VPMOVWB,
    }
}

impl Selector<'_> {
    /// A conversion.
    pub(super) fn convert(&mut self, data: &InstData, from: Scalar, to: Scalar) -> Registers {
        if data.op == Opcode::Truncate
            && to == Scalar::I32
            && let Some(words) = self.words(data)
        {
            return words;
        }
        if let Some(part) = self.word_part(data) {
            return self.convert_word_part(data, part, to);
        }
        let value = self.used(data.args[0]);
        self.convert_registers(data.op, data.imm, value, from, to)
    }

    /// A conversion of registers; `imm` is the instruction's immediate.
    pub(super) fn convert_registers(
        &mut self,
        op: Opcode,
        imm: u64,
        value: Registers,
        from: Scalar,
        to: Scalar,
    ) -> Registers {
        match op.signature() {
            Signature::Truncate => self.truncate(value, from, to),
            Signature::Extend if from == Scalar::I1 => self.extend_mask(value, to, op),
            Signature::Extend => self.extend(value, from, to, op == Opcode::SignExtend),
            Signature::FloatToFloat => match (from, to, imm) {
                (Scalar::F16, Scalar::F32, _) => self.half_to_single(value),
                (Scalar::F16, Scalar::F64, _) if self.features.fp16 => {
                    let (narrow, wide) = (self.tiling(from), self.tiling(to));
                    self.widen(value, from, VCVTPH2PD, narrow.lanes, wide)
                }
                (Scalar::F16, Scalar::F64, _) => {
                    let single = self.half_to_single(value);
                    self.single_to_double(single)
                }
                (Scalar::F32, Scalar::F64, _) => self.single_to_double(value),
                (Scalar::F32, Scalar::F16, imm) => self.single_to_half(value, if imm == 1 { 3 } else { 0 }),
                (Scalar::F64, Scalar::F32, imm) => {
                    let rounding = if imm == 1 { Rounding::TowardZero } else { Rounding::Default };
                    self.double_to_single(value, rounding)
                }
                (Scalar::F64, Scalar::F16, 0) if self.features.fp16 => {
                    self.narrow_with(value, from, to, |this, len, register| this.v1(VCVTPD2PH, len, register))
                }
                (Scalar::F64, Scalar::F16, 0) => {
                    let single = self.double_to_single_odd(value);
                    self.single_to_half(single, 0)
                }
                (Scalar::F64, Scalar::F16, _) => {
                    let single = self.double_to_single(value, Rounding::TowardZero);
                    self.single_to_half(single, 3)
                }
                _ => value,
            },
            Signature::FloatToInt => self.float_to_int(value, from, to, op == Opcode::FToS),
            Signature::IntToFloat => self.int_to_float(value, from, to, op == Opcode::SToF),
            Signature::FromBfloat => {
                let wide = self.extend(value, Scalar::I16, Scalar::I32, false);
                let pieces = self.tiling(Scalar::I32);
                self.each(pieces, |this, piece| this.shift_imm(VPSHIFT_D_IMM, 6, pieces.len, wide[piece], 16))
            }
            Signature::ToBfloat => self.single_to_bfloat(value),
            Signature::FromSrgb if !self.has_short_vectors() => self.srgb_to_linear(value),
            Signature::ToSrgb if !self.has_short_vectors() => self.linear_to_srgb(value),
            _ => self.evaluate_registers(op, imm, from, to, &[value]),
        }
    }

    /// f32 to bfloat16, to nearest even, by integers: `vcvtneps2bf16` takes denormals for zero, whatever the
    /// mode.
    fn single_to_bfloat(&mut self, value: Registers) -> Registers {
        /// Of `vcmpps`.
        const UNORDERED: u8 = 3;
        let pieces = self.tiling(Scalar::I32);
        let words = self.each(pieces, |this, piece| {
            let (len, from) = (pieces.len, value[piece]);
            let high = this.shift_imm(VPSHIFT_D_IMM, 2, len, from, 16);
            let one = this.constant_source(Scalar::I32, 1, VPANDD);
            let odd = this.v2(VPANDD, len, high, one);
            let half = this.constant_source(Scalar::I32, 0x7fff, VPADDD);
            let more = this.v2(VPADDD, len, odd, half);
            let sum = this.v2(VPADDD, len, from, more);
            let rounded = this.shift_imm(VPSHIFT_D_IMM, 2, len, sum, 16);
            let is_nan = this.compare(VCMPPS, len, from, from.into(), UNORDERED);
            let quiet = this.constant_source(Scalar::I32, 0x40, VPORD);
            this.vector(Spec::binary(VPORD, len, high, quiet).tied(rounded).masked(is_nan))
        });
        self.truncate(words, Scalar::I32, Scalar::I16)
    }

    /// Wider integers.
    pub(super) fn extend(&mut self, value: Registers, from: Scalar, to: Scalar, signed: bool) -> Registers {
        if from.bits() == to.bits() {
            return value;
        }
        let (narrow, wide) = (self.tiling(from), self.tiling(to));
        let op = extend_op(from.bits(), to.bits(), signed);
        self.widen(value, from, op, narrow.lanes, wide)
    }

    /// Applies a widening instruction to the parts of a value.
    fn widen(
        &mut self,
        value: Registers,
        from: Scalar,
        op: VOp,
        narrow_lanes: u32,
        wide: super::RegisterTiling,
    ) -> Registers {
        self.each(wide, |this, piece| {
            let first = piece as u32 * wide.lanes;
            let register = value[(first / narrow_lanes) as usize];
            let part = this.extract(register, first % narrow_lanes * from.bytes(), wide.lanes * from.bytes());
            this.v1(op, wide.len, part)
        })
    }

    /// A mask to integers: true is 1, or all ones.
    fn extend_mask(&mut self, value: Registers, to: Scalar, op: Opcode) -> Registers {
        let pieces = self.tiling(to);
        let ones = match to.bits() {
            8 => VPMOVM2B,
            16 => VPMOVM2W,
            32 => VPMOVM2D,
            _ => VPMOVM2Q,
        };
        if op == Opcode::SignExtend {
            return self.each(pieces, |this, piece| {
                let mask = this.mask_piece(value[0], piece as u32, pieces.lanes);
                this.v1(ones, pieces.len, mask)
            });
        }
        let ((moves, _), one) = (masked_moves(to), self.splat_constant(to, 1));
        self.each(pieces, |this, piece| {
            let mask = this.mask_piece(value[0], piece as u32, pieces.lanes);
            this.vector(Spec::unary(moves, pieces.len, one).zeroing(mask))
        })
    }

    /// Narrower integers, the low bits.
    pub(super) fn truncate(&mut self, value: Registers, from: Scalar, to: Scalar) -> Registers {
        self.narrow(value, from, to, Narrowing::Truncate)
    }

    fn narrow(&mut self, value: Registers, from: Scalar, to: Scalar, how: Narrowing) -> Registers {
        if from.bits() == to.bits() {
            return value;
        }
        let op = narrow_op(from.bits(), to.bits(), how);
        self.narrow_with(value, from, to, |this, len, register| {
            this.vector(Spec::unary(op, len, register).reversed())
        })
    }

    /// Applies a narrowing instruction to all registers and joins the parts.
    fn narrow_with(
        &mut self,
        value: Registers,
        from: Scalar,
        to: Scalar,
        mut f: impl FnMut(&mut Self, crate::asm::Len, regalloc2::VReg) -> regalloc2::VReg,
    ) -> Registers {
        let (wide, narrow) = (self.tiling(from), self.tiling(to));
        let parts: Vec<_> = value.iter().map(|&register| f(self, wide.len, register)).collect();
        let per_piece = (wide.count / narrow.count) as usize;
        parts.chunks(per_piece).map(|parts| self.join(parts, wide.lanes * to.bytes())).collect()
    }

    /// f16 to f32.
    pub(super) fn half_to_single(&mut self, value: Registers) -> Registers {
        let (narrow, wide) = (self.tiling(Scalar::F16), self.tiling(Scalar::F32));
        self.widen(value, Scalar::F16, VCVTPH2PS, narrow.lanes, wide)
    }

    /// f32 to f16; rounding 0: to nearest even, 3: towards zero.
    pub(super) fn single_to_half(&mut self, value: Registers, rounding: u8) -> Registers {
        self.narrow_with(value, Scalar::F32, Scalar::F16, |this, len, register| {
            this.vector(Spec::unary(VCVTPS2PH, len, register).reversed().imm(rounding))
        })
    }

    /// f32 to f64.
    pub(super) fn single_to_double(&mut self, value: Registers) -> Registers {
        let (narrow, wide) = (self.tiling(Scalar::F32), self.tiling(Scalar::F64));
        self.widen(value, Scalar::F32, VCVTPS2PD, narrow.lanes, wide)
    }

    /// f64 to f32.
    fn double_to_single(&mut self, value: Registers, rounding: Rounding) -> Registers {
        if rounding == Rounding::TowardZero {
            return self.narrow_toward_zero(value);
        }
        self.narrow_with(value, Scalar::F64, Scalar::F32, |this, len, register| {
            this.v1(VCVTPD2PS, len, register)
        })
    }

    /// f64 to f32 towards zero. Static rounding is always 512 bits wide, so shorter vectors are converted as
    /// such; what lies past them does not matter.
    fn narrow_toward_zero(&mut self, value: Registers) -> Registers {
        self.narrow_with(value, Scalar::F64, Scalar::F32, |this, _, register| {
            let spec = Spec::unary(VCVTPD2PS, crate::asm::Len::Z, register);
            this.vector(spec.rounding(Rounding::TowardZero))
        })
    }

    /// f64 to f32, rounded to odd: towards zero, and the last bit set where that was not exact. A second
    /// rounding to fewer bits then gives what one rounding would.
    pub(super) fn double_to_single_odd(&mut self, value: Registers) -> Registers {
        let wide = self.tiling(Scalar::F64);
        let single = self.narrow_toward_zero(value);
        let back = self.single_to_double(single);
        let masks = self.each(wide, |this, piece| {
            // Not equal, ordered.
            this.compare(VCMPPD, wide.len, back[piece], value[piece].into(), 0x0c)
        });
        let inexact = self.concat_masks(&masks, wide.lanes);
        let pieces = self.tiling(Scalar::F32);
        self.each(pieces, |this, piece| {
            let mask = this.mask_piece(inexact, piece as u32, pieces.lanes);
            let one = this.constant_source(Scalar::I32, 1, VPORD);
            let from = single[piece];
            this.vector(Spec::binary(VPORD, pieces.len, from, one).tied(from).masked(mask))
        })
    }

    /// Towards zero, saturating, NaN to 0.
    fn float_to_int(&mut self, value: Registers, from: Scalar, to: Scalar, signed: bool) -> Registers {
        if !self.computes(from) {
            let single = self.half_to_single(value);
            return self.float_to_int(single, Scalar::F32, to, signed);
        }
        let least_bits = if from == Scalar::F16 { 16 } else { 32 };
        if to.bits() < least_bits {
            let between = if from == Scalar::F16 { Scalar::I16 } else { Scalar::I32 };
            let whole = self.float_to_int(value, from, between, signed);
            let how = if signed { Narrowing::SaturateSigned } else { Narrowing::SaturateUnsigned };
            return self.narrow(whole, between, to, how);
        }
        // f64 to 32 bits goes through 64 bits, whose saturating narrowing is one instruction.
        if from == Scalar::F64 && to == Scalar::I32 {
            let whole = self.float_to_int(value, from, Scalar::I64, signed);
            let how = if signed { Narrowing::SaturateSigned } else { Narrowing::SaturateUnsigned };
            return self.narrow(whole, Scalar::I64, to, how);
        }
        let source = self.tiling(from);
        let compare = by_width(from, [VCMPPH, VCMPPS, VCMPPD]);
        // The least number that is too large.
        let limit = match (from, to.bits()) {
            (Scalar::F16, 16) => 0x7800,
            (Scalar::F16, _) => HALF_INFINITY,
            (Scalar::F64, _) => 9_223_372_036_854_775_808f64.to_bits(),
            (_, 32) => u64::from(2_147_483_648f32.to_bits()),
            _ => u64::from(9_223_372_036_854_775_808f32.to_bits()),
        };
        let op = match (from, to.bits(), signed) {
            (Scalar::F16, 16, true) => VCVTTPH2W,
            (Scalar::F16, 16, false) => VCVTTPH2UW,
            (Scalar::F16, 32, true) => VCVTTPH2DQ,
            (Scalar::F16, 32, false) => VCVTTPH2UDQ,
            (Scalar::F16, _, true) => VCVTTPH2QQ,
            (Scalar::F16, _, false) => VCVTTPH2UQQ,
            (Scalar::F64, _, true) => VCVTTPD2QQ,
            (Scalar::F64, _, false) => VCVTTPD2UQQ,
            (_, 32, true) => VCVTTPS2DQ,
            (_, 32, false) => VCVTTPS2UDQ,
            (_, _, true) => VCVTTPS2QQ,
            (_, _, false) => VCVTTPS2UQQ,
        };
        let target = self.tiling(to);
        let convert = |this: &mut Self, value: Registers| {
            if from.bits() == to.bits() {
                this.each(target, |this, piece| this.v1(op, target.len, value[piece]))
            } else {
                this.widen(value, from, op, source.lanes, target)
            }
        };
        if !signed {
            // The larger of the number and zero is zero for NaN; too large gives all ones by itself.
            let positive = self.each(source, |this, piece| {
                let zero = this.zero();
                let max = by_width(from, [VMAXPH, VMAXPS, VMAXPD]);
                this.v2(max, source.len, value[piece], zero)
            });
            return convert(self, positive);
        }
        if op == VCVTTPS2DQ && self.features.level == Level::Avx512 {
            return self.each(target, |this, piece| this.singles_to_words(target.len, value[piece]));
        }
        let too_large = self.each(source, |this, piece| {
            let limit = this.constant_source(from, limit, compare);
            // Greater or equal, ordered.
            this.compare(compare, source.len, value[piece], limit, 0x1d)
        });
        let ordered = self.each(source, |this, piece| {
            this.compare(compare, source.len, value[piece], value[piece].into(), 7)
        });
        let (moves, blend) = (masked_moves(to).0, blend_op(to));
        // Too small gives the least number by itself, and lanes that are not converted are zero.
        let limited = |this: &mut Self, whole: regalloc2::VReg, too_large: regalloc2::VReg| {
            let most = this.constant_source(to, to.mask() >> 1, blend);
            this.vector(Spec::binary(blend, target.len, whole, most).masked(too_large))
        };
        if from.bits() == to.bits() {
            return self.each(target, |this, piece| {
                let spec = Spec::unary(op, target.len, value[piece]).zeroing(ordered[piece]);
                let whole = this.vector(spec);
                limited(this, whole, too_large[piece])
            });
        }
        let ordered = self.concat_masks(&ordered, source.lanes);
        let too_large = self.concat_masks(&too_large, source.lanes);
        let whole = convert(self, value);
        self.each(target, |this, piece| {
            let [ordered, too_large] =
                [ordered, too_large].map(|mask| this.mask_piece(mask, piece as u32, target.lanes));
            let whole = this.vector(Spec::unary(moves, target.len, whole[piece]).zeroing(ordered));
            limited(this, whole, too_large)
        })
    }

    /// `f32` to signed integers: lanes that are not below the limit are not converted, and keep the largest
    /// number or, of NaN, zero.
    fn singles_to_words(&mut self, len: crate::asm::Len, value: regalloc2::VReg) -> regalloc2::VReg {
        let most = self.splat_constant(Scalar::I32, i32::MAX as u64);
        let table = self.constant_source(Scalar::I32, FIXUP_NAN_ZERO, VFIXUPIMMPS);
        let other = self.vector(Spec::binary(VFIXUPIMMPS, len, value, table).tied(most).imm(0));
        let limit = self.constant_source(Scalar::F32, 2_147_483_648f32.to_bits().into(), VCMPPS);
        let fits = self.compare(VCMPPS, len, value, limit, LESS);
        self.vector(Spec::unary(VCVTTPS2DQ, len, value).tied(other).masked(fits))
    }

    fn int_to_float(&mut self, value: Registers, from: Scalar, to: Scalar, signed: bool) -> Registers {
        let least = if to == Scalar::F16 && self.features.fp16 { Scalar::I16 } else { Scalar::I32 };
        if from.bits() < least.bits() {
            let wide = self.extend(value, from, least, signed);
            return self.int_to_float(wide, least, to, signed);
        }
        if !self.computes(to) {
            // What single cannot hold exactly (past 2^24) is far beyond half's range.
            let single = self.int_to_float(value, from, Scalar::F32, signed);
            return self.single_to_half(single, 0);
        }
        let op = match (from.bits(), to, signed) {
            (16, _, true) => VCVTW2PH,
            (16, _, false) => VCVTUW2PH,
            (32, Scalar::F16, true) => VCVTDQ2PH,
            (32, Scalar::F16, false) => VCVTUDQ2PH,
            (_, Scalar::F16, true) => VCVTQQ2PH,
            (_, Scalar::F16, false) => VCVTUQQ2PH,
            (32, Scalar::F32, true) => VCVTDQ2PS,
            (32, Scalar::F32, false) => VCVTUDQ2PS,
            (32, _, true) => VCVTDQ2PD,
            (32, _, false) => VCVTUDQ2PD,
            (_, Scalar::F32, true) => VCVTQQ2PS,
            (_, Scalar::F32, false) => VCVTUQQ2PS,
            (_, _, true) => VCVTQQ2PD,
            (_, _, false) => VCVTUQQ2PD,
        };
        let (source, target) = (self.tiling(from), self.tiling(to));
        if from.bits() == to.bits() {
            self.each(target, |this, piece| this.v1(op, target.len, value[piece]))
        } else if from.bits() < to.bits() {
            self.widen(value, from, op, source.lanes, target)
        } else {
            self.narrow_with(value, from, to, |this, len, register| this.v1(op, len, register))
        }
    }
}
