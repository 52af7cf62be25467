//! Conversions of cooperative matrices, and functions of the shader that are called for each of their
//! elements.

use super::Matrix;
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::{Id, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// `OpCooperativeMatrixConvertNV`: elements lie in the same lanes whatever the use.
    pub(super) fn matrix_convert(&mut self, inst: Instruction<'m>) -> Result {
        let values = self.scalars(inst.id(0))?;
        self.define(inst, Operand::Data(values))
    }

    /// `OpCooperativeMatrixTransposeNV`
    pub(super) fn matrix_transpose(&mut self, inst: Instruction<'m>) -> Result {
        let (from, to) = (self.type_of(inst.id(0))?, self.result_type(inst)?);
        let (from, to) = (self.matrix(from)?, self.matrix(to)?);
        if [from.rows, from.columns, from.subgroups] != [to.columns, to.rows, to.subgroups] {
            return invalid_operands(inst);
        }
        let values = self.scalars(inst.id(0))?;
        let values = self.transposed(&from, &values)?;
        let values: Result<Scalars> =
            values.iter().map(|&value| self.converted_element(value, &from, &to)).collect();
        self.define(inst, Operand::Data(values?))
    }

    /// An element of another type, of the same kind.
    fn converted_element(&mut self, value: Value, from: &Matrix, to: &Matrix) -> Result<Value> {
        if from.component == to.component {
            return Ok(value);
        }
        match (self.module.ty(from.component), self.module.ty(to.component)) {
            (Type::Int { signed, .. }, Type::Int { .. }) => self.integer_of_width(value, to.scalar, signed),
            (Type::Float { .. }, Type::Float { .. }) => {
                let wide = if from.scalar == Scalar::F64 { Scalar::F64 } else { Scalar::F32 };
                let value = self.matrix_float(value, from.component, wide)?;
                self.matrix_element(value, to.component)
            }
            _ => unsupported("transposition of integers to floats"),
        }
    }

    /// The one scalar that a function of the shader gives for an element.
    pub(super) fn element_of_call(
        &mut self,
        function: Id,
        arguments: Vec<Operand>,
        matrix: &Matrix,
    ) -> Result<Value> {
        match self.call_for_element(function, arguments)?[..] {
            [value] if self.scalar_type(value) == matrix.scalar => Ok(value),
            _ => invalid(format!("function {function} does not return an element")),
        }
    }

    /// `OpCooperativeMatrixPerElementOpNV`
    pub(super) fn matrix_per_element(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        let matrix = self.matrix(ty)?;
        let values = self.scalars(inst.id(0))?;
        if values.len() != matrix.count() as usize {
            return invalid_operands(inst);
        }
        let mut more = Vec::new();
        for id in inst.ids_from(2).iter() {
            let is_matrix = self.module.type_of(id).is_some_and(|ty| self.is_cooperative_matrix(ty));
            let operand = self.operand(id)?;
            if let (true, Operand::Data(scalars)) = (is_matrix, &operand)
                && scalars.len() != values.len()
            {
                return invalid_operands(inst);
            }
            more.push((is_matrix, operand));
        }
        let lane = self.b.op(Opcode::LaneId, &[]);
        let mut results = Scalars::new();
        for (index, &value) in values.iter().enumerate() {
            let place = self.element_place(&matrix, lane, index as u32)?;
            let mut arguments: Vec<Operand> = place.map(Operand::scalar).into();
            arguments.push(Operand::scalar(value));
            arguments.extend(more.iter().map(|(is_matrix, operand)| match (is_matrix, operand) {
                (true, Operand::Data(scalars)) => Operand::scalar(scalars[index]),
                (_, operand) => operand.clone(),
            }));
            results.push(self.element_of_call(inst.id(1), arguments, &matrix)?);
        }
        self.define(inst, Operand::Data(results))
    }
}
