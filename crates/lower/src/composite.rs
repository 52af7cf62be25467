//! Vectors, matrices, arrays and structures put together and taken apart.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid};
use crate::types::{element_count, element_type};
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Value};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Type};
use std::ops::Range;

impl<'m> Lowerer<'m, '_> {
    /// Composite instructions.
    pub(crate) fn lower_composite(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::CopyObject | Op::ExpectKHR => {
                let operand = self.operand(inst.id(0))?;
                self.define(inst, operand)
            }
            // The types differ in decorations only, so the scalars are the same.
            Op::CopyLogical => {
                let scalars = self.scalars(inst.id(0))?;
                self.define(inst, Operand::Data(scalars))
            }
            Op::AssumeTrueKHR => Ok(()),
            Op::CompositeConstruct if !self.is_cooperative_matrix(self.result_type(inst)?) => {
                let mut scalars = Scalars::new();
                for id in inst.ids_from(0).iter() {
                    scalars.extend(self.scalars(id)?);
                }
                self.define(inst, Operand::Data(scalars))
            }
            // A cooperative matrix is made of the one value of all its elements.
            Op::CompositeConstruct | Op::CompositeConstructReplicateEXT => {
                let one = self.scalars(inst.id(0))?;
                let count = self.result_scalars(inst)?.len();
                let scalars =
                    one.iter().copied().cycle().take(if one.is_empty() { 0 } else { count }).collect();
                self.define(inst, Operand::Data(scalars))
            }
            Op::CompositeExtract => {
                let ty = self.type_of(inst.id(0))?;
                let (range, _) = self.part(ty, &inst.operand_words()[1..])?;
                let composite = self.scalars(inst.id(0))?;
                let Some(part) = composite.get(range) else { return invalid_operands(inst) };
                let part = Scalars::from_slice(part);
                let ty = self.result_type(inst)?;
                let operand = self.operand_of_type(ty, part)?;
                self.define(inst, operand)
            }
            Op::CompositeInsert => {
                let ty = self.type_of(inst.id(1))?;
                let (range, _) = self.part(ty, &inst.operand_words()[2..])?;
                let object = self.scalars(inst.id(0))?;
                let mut composite = self.scalars(inst.id(1))?;
                match composite.get_mut(range) {
                    Some(part) if part.len() == object.len() => part.copy_from_slice(&object),
                    _ => return invalid_operands(inst),
                }
                self.define(inst, Operand::Data(composite))
            }
            Op::VectorShuffle => {
                let (left, right) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
                let mut result = Scalars::new();
                for &index in &inst.operand_words()[2..] {
                    let index = index as usize;
                    let component = match left.get(index) {
                        Some(&component) => component,
                        None if index == u32::MAX as usize => {
                            let Some(&first) = left.first() else { return invalid_operands(inst) };
                            self.b.constant(self.scalar_type(first), 0)
                        }
                        None => match right.get(index - left.len()) {
                            Some(&component) => component,
                            None => return invalid_operands(inst),
                        },
                    };
                    result.push(component);
                }
                self.define(inst, Operand::Data(result))
            }
            Op::VectorExtractDynamic => {
                let vector = self.scalars(inst.id(0))?;
                let index = self.scalar(inst.id(1))?;
                self.expect_int(inst, &[index])?;
                let Some((&last, rest)) = vector.split_last() else { return invalid_operands(inst) };
                // Indices out of range give the last component.
                let mut value = last;
                for (number, &component) in rest.iter().enumerate().rev() {
                    let here = self.equals_number(index, number as u64)?;
                    value = self.select(here, component, value)?;
                }
                self.define_scalar(inst, value)
            }
            Op::VectorInsertDynamic => {
                let mut vector = self.scalars(inst.id(0))?;
                let (object, index) = (self.scalar(inst.id(1))?, self.scalar(inst.id(2))?);
                self.expect_int(inst, &[index])?;
                for (number, component) in vector.iter_mut().enumerate() {
                    let here = self.equals_number(index, number as u64)?;
                    *component = self.select(here, object, *component)?;
                }
                self.define(inst, Operand::Data(vector))
            }
            _ => self.unsupported(inst),
        }
    }

    fn equals_number(&mut self, value: Value, number: u64) -> Result<Value> {
        let number = self.b.constant(self.scalar_type(value), number);
        self.op(Opcode::IEq, &[value, number])
    }

    /// Which scalars of a composite the part at `indices` is, and its type.
    fn part(&mut self, ty: Id, indices: &[u32]) -> Result<(Range<usize>, Id)> {
        let (mut ty, mut start) = (ty, 0usize);
        for &index in indices {
            match self.module.ty(ty) {
                Type::Struct { members } => {
                    let Some(member) = members.get(index as usize) else {
                        return invalid(format!("structure {ty} has no member {index}"));
                    };
                    for before in members.iter().take(index as usize) {
                        start += self.types.count(&self.constants, before)?;
                    }
                    ty = member;
                }
                _ => {
                    if u64::from(index) >= element_count(&self.constants, ty)? {
                        return invalid(format!("{ty} has no element {index}"));
                    }
                    let element = element_type(self.module, ty)?;
                    start += index as usize * self.types.count(&self.constants, element)?;
                    ty = element;
                }
            }
        }
        let count = self.types.count(&self.constants, ty)?;
        Ok((start..start + count, ty))
    }
}
