//! `convert-range`: floats that the integer type they are converted to cannot hold, NaN included.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::{Opcode, Scalar};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{Decoration, Op};
use pyro_util::sanitize::Kind;

/// The least integer of a type, and the number behind the greatest.
fn limits(bits: u32, signed: bool) -> (f64, f64) {
    match signed {
        true => (-2f64.powi(bits as i32 - 1), 2f64.powi(bits as i32 - 1)),
        false => (0.0, 2f64.powi(bits as i32)),
    }
}

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_conversion(&mut self, inst: Instruction<'m>) -> Result {
        let signed = inst.op() == Op::ConvertFToS;
        if !matches!(inst.op(), Op::ConvertFToS | Op::ConvertFToU)
            || !self.sanitizer.is_on(Kind::ConvertRange)
            || self.has_decoration(inst.result(), Decoration::SaturatedConversion)
            || self.has_decoration(inst.result(), Decoration::SaturatedToLargestFloat8NormalConversionEXT)
        {
            return Ok(());
        }
        let to = self.result_scalar(inst)?;
        if self.module.type_of(inst.id(0)).is_some_and(|ty| self.is_bfloat(ty)) {
            return Ok(());
        }
        let operands = self.scalars(inst.id(0))?;
        if !operands.iter().all(|&value| self.scalar_type(value).is_float()) {
            return Ok(());
        }
        let mut outside = Vec::new();
        for &value in &operands {
            let value = match self.scalar_type(value) {
                Scalar::F16 => self.convert(Opcode::FConvert, value, Scalar::F32)?,
                _ => value,
            };
            let scalar = self.scalar_type(value);
            let mantissa_bits = if scalar == Scalar::F64 { 53 } else { 24 };
            let (least, beyond) = limits(to.bits(), signed);
            let high = self.float(scalar, beyond);
            // A number that is cut off to the least integer may be below it, unless the float's type has no
            // number between that and the next integer below.
            let is_low = if signed && to.bits() > mantissa_bits {
                let low = self.float(scalar, least);
                self.op(Opcode::FLe, &[low, value])?
            } else {
                let low = self.float(scalar, least - 1.0);
                self.op(Opcode::FLt, &[low, value])?
            };
            let is_high = self.op(Opcode::FLt, &[value, high])?;
            let is_inside = self.op(Opcode::And, &[is_low, is_high])?;
            outside.push(self.not(is_inside));
        }
        let is_outside = self.any_of(outside);
        let values = self.reported_ids(&[("value", inst.id(0))])?;
        let sign = if signed { "signed" } else { "unsigned" };
        let text = format!("a float is converted to {sign} {} bits that cannot hold it", to.bits());
        self.find(inst, Kind::ConvertRange, is_outside, text, values)
    }
}
