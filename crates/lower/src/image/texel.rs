//! `OpImageTexelPointer`, and atomic operations on texels.
//!
//! Formats with atomics keep a value's bits (`r32ui`, `r32i`, `r32f`, 64-bit integers, 16-bit float vectors),
//! so a load is a read, and a store an exchange.

use super::{Records, texel_coordinate_count};
use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::Access;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Texel};
use crate::value::{Operand, Scalars};
use pyro_abi::image::{AtomicOp, ImageOp, record};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// `OpImageTexelPointer`, and `OpUntypedImageTexelPointerEXT`, whose first operand is the image's type.
    pub(super) fn texel_pointer(&mut self, inst: Instruction<'m>) -> Result {
        let is_untyped = inst.op() == Op::UntypedImageTexelPointerEXT;
        let operand = |place: usize| inst.id(place + usize::from(is_untyped));
        let pointer = self.pointer(operand(0))?;
        let ty = if is_untyped { Some(inst.id(0)) } else { pointer.pointee };
        let Some(ty) = ty else { return invalid("a texel pointer into something that is not an image") };
        let Type::Image(image_type) = self.module.ty(ty) else {
            return invalid(format!("a texel pointer into {ty}, which is not an image"));
        };
        let Operand::Data(scalars) = self.load(&pointer, ty, Access::default())? else {
            return invalid("a texel pointer into something that is not an image");
        };
        let Some(&image) = scalars.first() else {
            return invalid("a texel pointer into something that is not an image");
        };
        let coordinate = self.int_coordinate(operand(1), texel_coordinate_count(&image_type))?;
        let sample = match image_type.multisampled {
            true => {
                let sample = self.scalar(operand(2))?;
                self.expect_int(inst, &[sample])?;
                Some(self.index_i32(sample))
            }
            false => None,
        };
        let non_uniform = self.descriptors.non_uniform.contains(&image)
            || self.is_non_uniform(inst.result())
            || self.is_non_uniform(Some(operand(0)));
        let pointee = self.module.pointer(self.result_type(inst)?).map(|(_, pointee)| pointee);
        let texel = Texel { image, non_uniform, coordinate, sample };
        let pointer = Pointer::new(PointerBase::Texel(Box::new(texel)), pointee, MemoryLayout::LOGICAL);
        self.define(inst, pointer.into())
    }

    /// An atomic instruction on a texel.
    pub(crate) fn lower_texel_atomic(&mut self, inst: Instruction<'m>, texel: &Texel) -> Result {
        use AtomicOp as A;
        let (operand, op) = match inst.op() {
            Op::AtomicLoad => {
                let scalars = self.result_scalars(inst)?;
                let old = self.texel_call(texel, ImageOp::Read, &[], &scalars)?;
                return self.define(inst, Operand::Data(old));
            }
            Op::AtomicStore => {
                let value = self.scalars(inst.id(3))?;
                self.texel_call(texel, ImageOp::Atomic(A::Exchange), &value, &[])?;
                return Ok(());
            }
            Op::AtomicCompareExchange => {
                let (value, comparator) = (self.scalar(inst.id(4))?, self.scalar(inst.id(5))?);
                self.expect_same(inst, &[value, comparator])?;
                let scalars = self.result_scalars(inst)?;
                let op = ImageOp::Atomic(A::CompareExchange);
                let old = self.texel_call(texel, op, &[value, comparator], &scalars)?;
                return self.define(inst, Operand::Data(old));
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let scalar = self.result_scalar(inst)?;
                let add = if inst.op() == Op::AtomicIIncrement { 1 } else { u64::MAX };
                (smallvec::smallvec![self.b.constant(scalar, add)], A::IAdd)
            }
            Op::AtomicISub => {
                let value = self.scalar(inst.id(3))?;
                let zero = self.b.constant(self.scalar_type(value), 0);
                (smallvec::smallvec![self.op(Opcode::ISub, &[zero, value])?], A::IAdd)
            }
            Op::AtomicExchange => (self.scalars(inst.id(3))?, A::Exchange),
            Op::AtomicIAdd => (self.scalars(inst.id(3))?, A::IAdd),
            Op::AtomicSMin => (self.scalars(inst.id(3))?, A::SMin),
            Op::AtomicUMin => (self.scalars(inst.id(3))?, A::UMin),
            Op::AtomicSMax => (self.scalars(inst.id(3))?, A::SMax),
            Op::AtomicUMax => (self.scalars(inst.id(3))?, A::UMax),
            Op::AtomicAnd => (self.scalars(inst.id(3))?, A::And),
            Op::AtomicOr => (self.scalars(inst.id(3))?, A::Or),
            Op::AtomicXor => (self.scalars(inst.id(3))?, A::Xor),
            Op::AtomicFAddEXT => (self.scalars(inst.id(3))?, A::FAdd),
            Op::AtomicFMinEXT => (self.scalars(inst.id(3))?, A::FMin),
            Op::AtomicFMaxEXT => (self.scalars(inst.id(3))?, A::FMax),
            _ => return self.unsupported(inst),
        };
        let operand: Scalars = operand;
        let scalars = self.result_scalars(inst)?;
        let old = self.texel_call(texel, ImageOp::Atomic(op), &operand, &scalars)?;
        self.define(inst, Operand::Data(old))
    }

    /// Calls an operation on one texel, with these values in the texel's columns; gives the result's
    /// components.
    fn texel_call(
        &mut self,
        texel: &Texel,
        op: ImageOp,
        operands: &[Value],
        result: &[Scalar],
    ) -> Result<Scalars> {
        if operands.len().max(result.len()) > 4 {
            return invalid("a texel of more than four components");
        }
        self.store_coordinate(&texel.coordinate);
        if let Some(sample) = texel.sample {
            self.store_column(record::LOD, sample);
        }
        for (index, &value) in (0..).zip(operands) {
            self.store_texel_component(index, value)?;
        }
        let records = Records { image: texel.image, sampler: None, non_uniform: texel.non_uniform };
        self.image_call(records, op)?;
        (0..).zip(result).map(|(index, &scalar)| self.load_texel_component(index, scalar)).collect()
    }
}
