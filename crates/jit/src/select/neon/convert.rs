//! Conversions, and masks of other widths.

use super::{Lanes, register_count};
use crate::neon::op::{self, Op};
use crate::select::{Selector, Unsupported};
use pyro_ir::{InstData, Opcode, Scalar, Signature};
use regalloc2::VReg;

impl Selector<'_> {
    /// Wider integers.
    pub(super) fn widened(&mut self, value: &[VReg], from: u32, to: u32, signed: bool) -> Lanes {
        let (low, high) = if signed { (op::SSHLL, op::SSHLL2) } else { (op::USHLL, op::USHLL2) };
        let mut value: Lanes = value.into();
        let mut bits = from;
        while bits < to {
            value = self.of_halves(&value, 2 * bits, low.shift(bits, 0), high.shift(bits, 0));
            bits *= 2;
        }
        value
    }

    /// An instruction on the low and one on the high half of each register, as many as elements of so many
    /// bits fill.
    fn of_halves(&mut self, value: &[VReg], bits: u32, low: op::Encoded, high: op::Encoded) -> Lanes {
        let count = register_count(self.lanes, bits);
        (0..count).map(|index| self.v(if index % 2 == 0 { low } else { high }, &[value[index / 2]])).collect()
    }

    /// The low bits of each element.
    pub(super) fn narrowed(&mut self, value: &[VReg], from: u32, to: u32) -> Lanes {
        let mut value: Lanes = value.into();
        let mut bits = from;
        while bits > to {
            bits /= 2;
            value = value
                .chunks(2)
                .map(|pair| self.v(op::UZP1.of(bits), &[pair[0], *pair.last().expect("not empty")]))
                .collect();
        }
        value
    }

    /// The same by instructions of half a register: the first fills the low half, the second the high one.
    fn narrowed_by(&mut self, value: &[VReg], low: op::Encoded, high: op::Encoded) -> Lanes {
        value
            .chunks(2)
            .map(|pair| {
                let first = self.v(low, &[pair[0]]);
                match pair.get(1) {
                    Some(&second) => self.v(high, &[first, second]),
                    None => first,
                }
            })
            .collect()
    }

    /// A mask with lanes of another width.
    pub(super) fn mask_to(&mut self, bits: u32, mask: &[VReg]) -> Lanes {
        match bits {
            64 => self.widened(mask, 32, 64, true),
            8 | 16 => self.narrowed(mask, 32, bits),
            _ => mask.into(),
        }
    }

    /// The mask whose lanes have another width.
    pub(super) fn mask_from(&mut self, bits: u32, mask: &[VReg]) -> Lanes {
        match bits {
            64 => self.narrowed(mask, 64, 32),
            8 | 16 => self.widened(mask, bits, 32, true),
            _ => mask.into(),
        }
    }

    pub(super) fn half_to_float(&mut self, value: &[VReg]) -> Lanes {
        self.of_halves(value, 32, op::FCVTL_HALF.one(), op::FCVTL2_HALF.one())
    }

    pub(super) fn float_to_half(&mut self, value: &[VReg]) -> Lanes {
        self.narrowed_by(value, op::FCVTN_HALF.one(), op::FCVTN2_HALF.one())
    }

    fn float_to_double(&mut self, value: &[VReg]) -> Lanes {
        self.of_halves(value, 64, op::FCVTL_SINGLE.one(), op::FCVTL2_SINGLE.one())
    }

    /// A conversion. What must not be rounded twice goes through an odd last bit.
    pub(super) fn neon_convert(
        &mut self,
        data: &InstData,
        from: Scalar,
        to: Scalar,
        value: &Lanes,
    ) -> Result<Lanes, Unsupported> {
        Ok(match data.op.signature() {
            Signature::Truncate if to == Scalar::I1 => {
                let one = self.neon_constant(from, 1);
                let tested: Lanes =
                    value.iter().map(|&value| self.v(op::CMTST.of(from.bits()), &[value, one])).collect();
                self.mask_from(from.bits(), &tested)
            }
            Signature::Truncate => self.narrowed(value, from.bits(), to.bits()),
            Signature::Extend if from == Scalar::I1 => {
                let mask = self.mask_to(to.bits(), value);
                match data.op {
                    Opcode::SignExtend => mask,
                    _ => self.each_lane(op::USHR.shift(to.bits(), to.bits() - 1), &mask),
                }
            }
            Signature::Extend => self.widened(value, from.bits(), to.bits(), data.op == Opcode::SignExtend),
            Signature::FloatToFloat if data.imm == 1 && to.bits() < from.bits() => {
                self.neon_evaluate(data, from, to, std::slice::from_ref(value))
            }
            Signature::FloatToFloat => self.float_to_float(from, to, value),
            Signature::FloatToInt => self.float_to_int_lanes(from, to, value, data.op == Opcode::FToS),
            Signature::IntToFloat if from == Scalar::I64 && to == Scalar::F16 => {
                self.neon_evaluate(data, from, to, std::slice::from_ref(value))
            }
            Signature::IntToFloat => self.int_to_float_lanes(from, to, value, data.op == Opcode::SToF),
            Signature::FromBfloat => {
                let wide = self.widened(value, 16, 32, false);
                self.each_lane(op::SHL.shift(32, 16), &wide)
            }
            Signature::ToBfloat => self.float_to_bfloat(value),
            Signature::FromSrgb | Signature::ToSrgb => {
                self.neon_evaluate(data, from, to, std::slice::from_ref(value))
            }
            Signature::Bitcast => value.clone(),
            _ => return Err(Unsupported(data.op.name().to_owned())),
        })
    }

    fn float_to_float(&mut self, from: Scalar, to: Scalar, value: &Lanes) -> Lanes {
        match (from, to) {
            (Scalar::F16, Scalar::F32) => self.half_to_float(value),
            (Scalar::F16, Scalar::F64) => {
                let single = self.half_to_float(value);
                self.float_to_double(&single)
            }
            (Scalar::F32, Scalar::F64) => self.float_to_double(value),
            (Scalar::F32, Scalar::F16) => self.float_to_half(value),
            (Scalar::F64, Scalar::F32) => {
                self.narrowed_by(value, op::FCVTN_SINGLE.one(), op::FCVTN2_SINGLE.one())
            }
            (Scalar::F64, Scalar::F16) => {
                let odd = self.narrowed_by(value, op::FCVTXN.one(), op::FCVTXN2.one());
                self.float_to_half(&odd)
            }
            _ => value.clone(),
        }
    }

    /// Towards zero, saturating, NaN to zero: what the instructions do.
    fn float_to_int_lanes(&mut self, from: Scalar, to: Scalar, value: &Lanes, signed: bool) -> Lanes {
        let mut value = value.clone();
        let mut bits = from.bits();
        if bits == 16 {
            value = self.half_to_float(&value);
            bits = 32;
        }
        if bits == 32 && to == Scalar::I64 {
            value = self.float_to_double(&value);
            bits = 64;
        }
        let convert: Op = if signed { op::FCVTZS } else { op::FCVTZU };
        value = self.each_lane(convert.of(bits), &value);
        let (low, high) = if signed { (op::SQXTN, op::SQXTN2) } else { (op::UQXTN, op::UQXTN2) };
        while bits > to.bits() {
            bits /= 2;
            value = self.narrowed_by(&value, low.of(bits), high.of(bits));
        }
        value
    }

    fn int_to_float_lanes(&mut self, from: Scalar, to: Scalar, value: &Lanes, signed: bool) -> Lanes {
        let convert: Op = if signed { op::SCVTF } else { op::UCVTF };
        if from == Scalar::I64 && to == Scalar::F32 {
            return self.quads_to_floats(value, signed);
        }
        // Halves: numbers of 16 bits are exact as single, those of 32 as double.
        let bits = match (from.bits(), to) {
            (64, _) | (_, Scalar::F64) | (32, Scalar::F16) => 64,
            _ => 32,
        };
        let wide = self.widened(value, from.bits(), bits, signed);
        let converted = self.each_lane(convert.of(bits), &wide);
        let computed = if bits == 64 { Scalar::F64 } else { Scalar::F32 };
        self.float_to_float(computed, to, &converted)
    }

    /// One by one: through double they would be rounded twice.
    fn quads_to_floats(&mut self, value: &[VReg], signed: bool) -> Lanes {
        let op = if signed { op::SCVTF_SINGLE_QUAD } else { op::UCVTF_SINGLE_QUAD };
        let lanes = self.lanes;
        (0..register_count(lanes, 32) as u32)
            .map(|register| {
                let mut result = None;
                for lane in (0..4).take_while(|lane| register * 4 + lane < lanes) {
                    let number = register * 4 + lane;
                    let quad = self.lane_element(64, value[number as usize / 2], number % 2);
                    let single = self.v(op.one(), &[quad]);
                    let bits = self.lane_element(32, single, 0);
                    result = Some(self.with_element(32, result, bits, lane));
                }
                result.expect("has lanes")
            })
            .collect()
    }

    /// The high half, rounded to nearest even; NaN stays NaN.
    fn float_to_bfloat(&mut self, value: &Lanes) -> Lanes {
        let [one, most, quiet] = [1, 0x7fff, 0x40].map(|bits| self.neon_constant(Scalar::I32, bits));
        let rounded: Lanes = value
            .iter()
            .map(|&value| {
                let high = self.v(op::USHR.shift(32, 16), &[value]);
                let odd = self.v(op::AND.one(), &[high, one]);
                let sum = self.v(op::ADD.of(32), &[value, most]);
                let sum = self.v(op::ADD.of(32), &[sum, odd]);
                let rounded = self.v(op::USHR.shift(32, 16), &[sum]);
                let nan = self.v(op::ORR.one(), &[high, quiet]);
                let is_number = self.v(op::FCMEQ.of(32), &[value, value]);
                self.v(op::BSL.one(), &[is_number, rounded, nan])
            })
            .collect();
        self.narrowed(&rounded, 32, 16)
    }
}
