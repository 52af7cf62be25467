//! Conversions between numeric types.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, unsupported};
use crate::rounding::ROUND_TO_ZERO;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::{float, integer};
use pyro_spirv::spirv::{Decoration, FPEncoding, FPRoundingMode, Op};
use pyro_spirv::{Float8, Id, Instruction, Microscaling, Type};

impl<'m> Lowerer<'m, '_> {
    /// Conversion instructions.
    pub(crate) fn lower_conversion(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() == Op::Bitcast {
            return self.lower_bitcast(inst);
        }
        let to = self.result_scalar(inst)?;
        match inst.op() {
            Op::ConvertFToU => self.lower_float_to_int(inst, Opcode::FToU, to),
            Op::ConvertFToS => self.lower_float_to_int(inst, Opcode::FToS, to),
            Op::ConvertSToF => self.lower_int_to_float(inst, Opcode::SToF, to),
            Op::ConvertUToF => self.lower_int_to_float(inst, Opcode::UToF, to),
            Op::UConvert => self.map1(inst, |cx, x| {
                cx.expect_int(inst, &[x])?;
                cx.integer_of_width(x, to, false)
            }),
            Op::SConvert => self.map1(inst, |cx, x| {
                cx.expect_int(inst, &[x])?;
                cx.integer_of_width(x, to, true)
            }),
            Op::FConvert => self.lower_float_conversion(inst, to),
            Op::QuantizeToF16 => self.map1(inst, |cx, x| {
                if cx.scalar_type(x) != Scalar::F32 {
                    return invalid_operands(inst);
                }
                Ok(float::quantize_to_f16(&mut cx.b, x))
            }),
            Op::SatConvertSToU | Op::SatConvertUToS => {
                let convert = match inst.op() {
                    Op::SatConvertSToU => integer::sat_convert_s_to_u,
                    _ => integer::sat_convert_u_to_s,
                };
                self.map1(inst, |cx, x| {
                    cx.expect_int(inst, &[x])?;
                    Ok(convert(&mut cx.b, x, to))
                })
            }
            _ => self.unsupported(inst),
        }
    }

    fn lower_float_to_int(&mut self, inst: Instruction<'m>, op: Opcode, to: Scalar) -> Result {
        let float8 = self.float_encoding(self.type_of(inst.id(0))?).and_then(Float8::from_encoding);
        self.map1(inst, |cx, x| {
            let x = match float8 {
                Some(kind) if cx.scalar_type(x) == Scalar::I8 => cx.float8_to_float(x, kind),
                _ => x,
            };
            cx.convert(op, x, to)
        })
    }

    fn lower_int_to_float(&mut self, inst: Instruction<'m>, op: Opcode, to: Scalar) -> Result {
        let float8 = self.float_encoding(self.result_type(inst)?).and_then(Float8::from_encoding);
        let saturate = self.saturates_float8(inst);
        self.map1(inst, |cx, x| match float8 {
            Some(kind) => {
                cx.expect_int(inst, &[x])?;
                let x = cx.int_to_float_odd(op, x)?;
                Ok(cx.float_to_float8(x, kind, saturate))
            }
            None => cx.int_to_float(op, x, to),
        })
    }

    /// Whether a conversion to an 8-bit float ends at the greatest finite number.
    fn saturates_float8(&self, inst: Instruction<'m>) -> bool {
        self.has_decoration(inst.result(), Decoration::SaturatedToLargestFloat8NormalConversionEXT)
    }

    fn int_to_float(&mut self, op: Opcode, x: Value, to: Scalar) -> Result<Value> {
        if self.float.widening {
            return self.int_to_float_odd(op, x);
        }
        if self.float.modes.of(to).toward_zero && self.scalar_type(x).is_int() {
            return self.int_to_float_toward_zero(op, x, to);
        }
        self.convert(op, x, to)
    }

    /// The encoding of the components of a type that are floats.
    pub(crate) fn float_encoding(&self, ty: Id) -> Option<FPEncoding> {
        match self.module.component(ty)?.ty {
            Type::Float { encoding, .. } => encoding,
            _ => None,
        }
    }

    fn lower_float_conversion(&mut self, inst: Instruction<'m>, to: Scalar) -> Result {
        let rounding = inst
            .result()
            .and_then(|id| self.module.decoration_literal(id, Decoration::FPRoundingMode))
            .and_then(FPRoundingMode::from_u32);
        let imm = match rounding {
            None if self.float.modes.of(to).toward_zero => ROUND_TO_ZERO,
            None | Some(FPRoundingMode::RTE) => 0,
            Some(FPRoundingMode::RTZ) => ROUND_TO_ZERO,
            Some(other) => return unsupported(format!("rounding mode {other:?}")),
        };
        let from_encoding = self.float_encoding(self.type_of(inst.id(0))?);
        let to_encoding = self.float_encoding(self.result_type(inst)?);
        if let Some(other) = to_encoding.filter(|encoding| encoding.is_microscaling()) {
            return unsupported(format!("conversions to {other:?}"));
        }
        let microscaling = from_encoding.and_then(Microscaling::from_encoding);
        let saturate = self.saturates_float8(inst);
        self.map1(inst, |cx, x| {
            let scalar = cx.scalar_type(x);
            let x = match from_encoding.map(Float8::from_encoding) {
                Some(Some(kind)) if scalar == Scalar::I8 => cx.float8_to_float(x, kind),
                Some(None) if scalar == Scalar::I8 => match microscaling {
                    Some(kind) => cx.microscaling_to_float(x, kind),
                    None => return invalid_operands(inst),
                },
                Some(None) if scalar == Scalar::I16 => cx.b.op(Opcode::FromBfloat, &[x]),
                Some(_) => return invalid_operands(inst),
                None => x,
            };
            cx.expect_float(inst, &[x])?;
            if let Some(encoding) = to_encoding {
                if imm == ROUND_TO_ZERO {
                    return unsupported(format!("conversions to {encoding:?} towards zero"));
                }
                let x = if cx.scalar_type(x) == Scalar::F64 {
                    cx.double_to_float_odd(x)
                } else {
                    cx.float_to_float(x, Scalar::F32, 0)
                };
                return Ok(match Float8::from_encoding(encoding) {
                    Some(kind) => cx.float_to_float8(x, kind, saturate),
                    None => cx.b.op(Opcode::ToBfloat, &[x]),
                });
            }
            if !to.is_float() {
                return invalid_operands(inst);
            }
            Ok(cx.float_to_float(x, to, imm))
        })
    }

    /// A float as another float type.
    pub(crate) fn float_to_float(&mut self, x: Value, to: Scalar, imm: u64) -> Value {
        if self.scalar_type(x) == to {
            return x;
        }
        self.b.emit(Opcode::FConvert, &[x], imm, to).expect("it gives a result")
    }

    /// Bits as other types, also vectors of other widths, and device addresses.
    fn lower_bitcast(&mut self, inst: Instruction<'m>) -> Result {
        let widths = [self.type_of(inst.id(0))?, self.result_type(inst)?].map(|ty| self.number_width(ty));
        if let [Some(from), Some(to)] = widths
            && from.min(to) < 8
        {
            return self.bitcast_small(inst, [from, to]);
        }
        let from = self.scalars(inst.id(0))?;
        let ty = self.result_type(inst)?;
        let to = self.result_scalars(inst)?;
        let bits = |values: &mut dyn Iterator<Item = Scalar>| values.map(|s| s.bits()).sum::<u32>();
        let from_bits = bits(&mut from.iter().map(|&value| self.scalar_type(value)));
        let has_bool =
            from.iter().any(|&value| self.scalar_type(value) == Scalar::I1) || to.contains(&Scalar::I1);
        if from_bits != bits(&mut to.iter().copied()) || has_bool || to.is_empty() {
            return invalid_operands(inst);
        }
        let result = self.reinterpret(&from, to[0])?;
        if result.len() != to.len() {
            return invalid_operands(inst);
        }
        let operand = match self.module.ty(ty) {
            Type::Pointer { .. } | Type::UntypedPointer { .. } => {
                match (&result[..], self.operand(inst.id(0))?) {
                    (_, Operand::Pointer(mut pointer)) => {
                        // From pointer to pointer: the place stays.
                        pointer.pointee = self.module.pointer(ty).map(|(_, pointee)| pointee);
                        return self.define(inst, Operand::Pointer(pointer));
                    }
                    (&[address], Operand::Data(_)) if self.scalar_type(address) == Scalar::I64 => {
                        return self.define_physical(inst, address);
                    }
                    _ => return invalid_operands(inst),
                }
            }
            _ => Operand::Data(result),
        };
        self.define(inst, operand)
    }

    /// The same bits as scalars of another type, the lowest bits first.
    fn reinterpret(&mut self, from: &[Value], to: Scalar) -> Result<Scalars> {
        let mut result = Scalars::new();
        let Some(&first) = from.first() else { return Ok(result) };
        let (from_scalar, from_bits) = (self.scalar_type(first), self.scalar_type(first).bits());
        if from_bits == to.bits() {
            result.extend(from.iter().map(|&value| self.b.bitcast(value, to)));
            return Ok(result);
        }
        if from_bits > to.bits() {
            // Each scalar becomes several.
            let wide = from_scalar.to_int();
            for &value in from {
                let value = self.b.bitcast(value, wide);
                for part in 0..from_bits / to.bits() {
                    let amount = self.b.constant(wide, (part * to.bits()).into());
                    let shifted = self.op(Opcode::LShr, &[value, amount])?;
                    let narrow = self.convert(Opcode::Truncate, shifted, to.to_int())?;
                    result.push(self.b.bitcast(narrow, to));
                }
            }
            return Ok(result);
        }
        // Several scalars become one.
        let wide = to.to_int();
        for parts in from.chunks((to.bits() / from_bits) as usize) {
            let mut sum = self.b.constant(wide, 0);
            for (index, &part) in parts.iter().enumerate() {
                let narrow = self.b.bitcast(part, from_scalar.to_int());
                let part = self.convert(Opcode::ZeroExtend, narrow, wide)?;
                let amount = self.b.constant(wide, u64::from(from_bits) * index as u64);
                let shifted = self.op(Opcode::Shl, &[part, amount])?;
                sum = self.op(Opcode::Or, &[sum, shifted])?;
            }
            result.push(self.b.bitcast(sum, to));
        }
        Ok(result)
    }
}
