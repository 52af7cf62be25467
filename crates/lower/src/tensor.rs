//! Tensor instructions (`SPV_ARM_tensors`; specification, "Tensor Operations").
//!
//! A tensor is the address of its `pyro_abi::tensor::TensorRecord`, or zero, of which the dimensions read as
//! zeros: so no coordinate is inside, reads give what stands for elements outside, and writes are dropped.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::range::Address;
use crate::types::{element_type, memory_bytes, scalar_of};
use crate::value::{Operand, Scalars};
use pyro_abi::report::AccessKind;
use pyro_abi::tensor::{DIMENSIONS_MAX, offset};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{Op, TensorOperands};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

/// Elements of one access that the sanitizer is told of.
const TOLD_ELEMENTS_MAX: u32 = 16;

/// Elements in a row along the innermost dimension.
struct Elements {
    /// Of the first one.
    address: Address,
    /// How many there are from the first one on; zero where that is outside.
    count: Value,
    /// Bytes from one to the next.
    stride: Value,
}

impl<'m> Lowerer<'m, '_> {
    /// Tensor instructions.
    pub(crate) fn lower_tensor(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::TensorReadARM => self.read_tensor(inst),
            Op::TensorWriteARM => self.write_tensor(inst),
            Op::TensorQuerySizeARM => self.query_tensor(inst),
            _ => self.unsupported(inst),
        }
    }

    /// A word of a tensor's record; zero where there is none.
    fn tensor_word(&mut self, tensor: Value, at: u32, scalar: Scalar) -> Value {
        let (zero, none) = (self.b.i32(0), self.b.i64(0));
        let is_there = self.b.op(Opcode::INe, &[tensor, none]);
        let memory = MemoryOp::new(Space::Context).at(at as i32);
        self.b.load(scalar, memory, tensor, zero, is_there)
    }

    /// The elements from a coordinate on.
    fn tensor_elements(&mut self, tensor: Id, coordinates: Id) -> Result<Elements> {
        let tensor = self.scalar(tensor)?;
        let coordinates = self.scalars(coordinates)?;
        if coordinates.is_empty()
            || coordinates.len() > DIMENSIONS_MAX
            || coordinates.iter().any(|&value| !self.scalar_type(value).is_int())
        {
            return invalid("the coordinates of a tensor's element are not a list of integers");
        }
        let mut offset = self.b.i32(0);
        let mut is_inside = self.b.bool(true);
        let (mut count, mut stride) = (offset, offset);
        for (dimension, &coordinate) in (0..).zip(&coordinates) {
            let coordinate = self.index_i32(coordinate);
            let size = self.tensor_word(tensor, offset::DIMENSIONS + 4 * dimension, Scalar::I32);
            stride = self.tensor_word(tensor, offset::STRIDES + 4 * dimension, Scalar::I32);
            let inside = self.b.op(Opcode::ULt, &[coordinate, size]);
            is_inside = self.b.op(Opcode::And, &[is_inside, inside]);
            let part = self.b.op(Opcode::IMul, &[coordinate, stride]);
            offset = self.b.op(Opcode::IAdd, &[offset, part]);
            count = self.b.op(Opcode::ISub, &[size, coordinate]);
        }
        let zero = self.b.i32(0);
        let count = self.b.select(is_inside, count, zero);
        let base = self.tensor_word(tensor, offset::ADDRESS, Scalar::I64);
        let memory = MemoryOp::new(Space::Global);
        Ok(Elements { address: Address { memory, base, offset, predicate: is_inside }, count, stride })
    }

    /// Where the element number `index` is.
    fn tensor_element(&mut self, elements: &Elements, index: u32) -> Address {
        if index == 0 {
            return elements.address;
        }
        let number = self.b.i32(index);
        let predicate = self.b.op(Opcode::ULt, &[number, elements.count]);
        let add = self.b.op(Opcode::IMul, &[elements.stride, number]);
        let offset = self.b.op(Opcode::IAdd, &[elements.address.offset, add]);
        Address { offset, predicate, ..elements.address }
    }

    /// Looks whether so many elements from the first one on are inside.
    fn sanitize_elements(&mut self, inst: Instruction<'m>, elements: &Elements, count: u32) -> Result {
        if !self.sanitizer.is_on(Kind::BoundsTensor) {
            return Ok(());
        }
        let wanted = self.b.i32(count);
        let is_inside = self.b.op(Opcode::ULe, &[wanted, elements.count]);
        self.sanitize_tensor(inst, is_inside)
    }

    /// Tells commands of an access of an element.
    fn tell_element(
        &mut self,
        inst: Instruction<'m>,
        at: Address,
        scalar: Scalar,
        (access, index): (AccessKind, u32),
    ) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        if index >= TOLD_ELEMENTS_MAX {
            return match access {
                AccessKind::Write => self.tell_unknown_write(inst),
                _ => Ok(()),
            };
        }
        let displacement = at.memory.displacement as i64 as u64;
        let address = self.byte_address(at.base, at.offset, displacement);
        self.tell_tensor(inst, (address, memory_bytes(scalar)), access, at.predicate)
    }

    /// The scalar of one element of what is read or written: of a scalar, or of an array of them.
    fn tensor_scalar(&self, ty: Id) -> Result<Scalar> {
        match self.module.ty(ty) {
            Type::Array { .. } => scalar_of(self.module, element_type(self.module, ty)?),
            _ => scalar_of(self.module, ty),
        }
    }

    fn read_tensor(&mut self, inst: Instruction<'m>) -> Result {
        let scalar = self.tensor_scalar(self.result_type(inst)?)?;
        let elements = self.tensor_elements(inst.id(0), inst.id(1))?;
        let operands = TensorOperands::from_bits_retain(inst.get_word(2).unwrap_or(0));
        let outside = match operands.contains(TensorOperands::OUT_OF_BOUNDS_VALUE_ARM) {
            // The operand of the second bit, behind that of none.
            true => match inst.get_id(3) {
                Some(id) => Some(self.scalar(id)?),
                None => return invalid("a value for elements outside of a tensor that is not there"),
            },
            false => None,
        };
        if outside.is_some_and(|value| self.scalar_type(value) != scalar) {
            return invalid("the value for elements outside of a tensor has another type than the elements");
        }
        let count = self.result_scalars(inst)?.len();
        if outside.is_none() {
            self.sanitize_elements(inst, &elements, count as u32)?;
        }
        let mut values = Scalars::new();
        for index in 0..count as u32 {
            let at = self.tensor_element(&elements, index);
            self.tell_element(inst, at, scalar, (AccessKind::Read, index))?;
            let value = match scalar {
                // Booleans have eight bits.
                Scalar::I1 => {
                    let byte = self.b.load(Scalar::I8, at.memory, at.base, at.offset, at.predicate);
                    let zero = self.b.constant(Scalar::I8, 0);
                    self.b.op(Opcode::INe, &[byte, zero])
                }
                _ => self.b.load(scalar, at.memory, at.base, at.offset, at.predicate),
            };
            values.push(match outside {
                Some(outside) => self.b.select(at.predicate, value, outside),
                None => value,
            });
        }
        self.define(inst, Operand::Data(values))
    }

    fn write_tensor(&mut self, inst: Instruction<'m>) -> Result {
        let elements = self.tensor_elements(inst.id(0), inst.id(1))?;
        let values = self.scalars(inst.id(2))?;
        self.sanitize_elements(inst, &elements, values.len() as u32)?;
        for (index, value) in (0..).zip(values) {
            let at = self.tensor_element(&elements, index);
            self.tell_element(inst, at, self.scalar_type(value), (AccessKind::Write, index))?;
            let value = match self.scalar_type(value) {
                Scalar::I1 => self.b.convert(Opcode::ZeroExtend, value, Scalar::I8),
                scalar => {
                    debug_assert_eq!(memory_bytes(scalar), scalar.bytes());
                    value
                }
            };
            let predicate = self.write_predicate(at.predicate);
            self.b.store(at.memory, at.base, at.offset, value, predicate);
        }
        Ok(())
    }

    fn query_tensor(&mut self, inst: Instruction<'m>) -> Result {
        let tensor = self.scalar(inst.id(0))?;
        let size = match self.constants.unsigned(inst.id(1)) {
            Some(dimension) if (dimension as usize) < DIMENSIONS_MAX => {
                self.tensor_word(tensor, offset::DIMENSIONS + 4 * dimension, Scalar::I32)
            }
            _ => return invalid("the dimension of a tensor whose size is asked for is not known"),
        };
        let to = self.result_scalar(inst)?;
        let size = self.integer_of_width(size, to, false)?;
        self.define_scalar(inst, size)
    }
}
