//! Shifts, bitwise logic, bit fields.

use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::Opcode;
use pyro_library::integer;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// Bit instructions.
    pub(crate) fn lower_bits(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::ShiftLeftLogical => self.shift(inst, Opcode::Shl),
            Op::ShiftRightLogical if inst.newer().is_some() => self.bitcast_extract(inst),
            Op::ShiftRightLogical => self.shift(inst, Opcode::LShr),
            Op::ShiftRightArithmetic => self.shift(inst, Opcode::AShr),
            Op::BitwiseAnd => self.binary_op(inst, Opcode::And),
            Op::BitwiseOr => self.binary_op(inst, Opcode::Or),
            Op::BitwiseXor => self.binary_op(inst, Opcode::Xor),
            Op::Not => self.map1(inst, |cx, x| cx.op(Opcode::Not, &[x])),
            Op::BitReverse => self.map1(inst, |cx, x| cx.op(Opcode::BitReverse, &[x])),
            Op::BitCount => {
                let to = self.result_scalar(inst)?;
                self.map1(inst, |cx, x| {
                    let count = cx.op(Opcode::PopCount, &[x])?;
                    cx.integer_of_width(count, to, false)
                })
            }
            Op::BitFieldInsert => {
                let (base, insert) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
                let (offset, count) = (self.scalar(inst.id(2))?, self.scalar(inst.id(3))?);
                let all = [&base[..], &insert[..]].concat();
                self.expect_int(inst, &all)?;
                self.expect_int(inst, &[offset, count])?;
                self.expect_same(inst, &all)?;
                if base.len() != insert.len() {
                    return invalid_operands(inst);
                }
                let result: Scalars = base
                    .iter()
                    .zip(&insert)
                    .map(|(&base, &insert)| {
                        integer::bit_field_insert(&mut self.b, base, insert, offset, count)
                    })
                    .collect();
                self.define(inst, Operand::Data(result))
            }
            Op::BitFieldSExtract | Op::BitFieldUExtract => {
                let extract = match inst.op() {
                    Op::BitFieldSExtract => integer::bit_field_s_extract,
                    _ => integer::bit_field_u_extract,
                };
                let (offset, count) = (self.scalar(inst.id(1))?, self.scalar(inst.id(2))?);
                self.expect_int(inst, &[offset, count])?;
                self.map1(inst, |cx, base| {
                    cx.expect_int(inst, &[base])?;
                    Ok(extract(&mut cx.b, base, offset, count))
                })
            }
            _ => self.unsupported(inst),
        }
    }

    /// The amount may have another width than the base; it is taken modulo the base's, so its low bits do.
    fn shift(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        self.map2(inst, |cx, base, amount| {
            let amount = cx.integer_of_width(amount, cx.scalar_type(base), false)?;
            cx.op(op, &[base, amount])
        })
    }
}
