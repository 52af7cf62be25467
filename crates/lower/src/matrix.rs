//! Products with matrices. A matrix is its columns, one behind the other.
//!
//! Sums of products are those of [`Lowerer::dot`]: where that is allowed, the first product is rounded and
//! the others are fused to the sum in order.

use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Value};
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Instruction, Type};

/// Columns and rows.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    columns: usize,
    rows: usize,
}

impl<'m> Lowerer<'m, '_> {
    /// Matrix instructions.
    pub(crate) fn lower_matrix(&mut self, inst: Instruction<'m>) -> Result {
        let x = self.scalars(inst.id(0))?;
        if inst.op() == Op::Transpose {
            let shape = self.matrix_shape(inst.id(0), inst)?;
            let mut result = Scalars::new();
            for row in 0..shape.rows {
                result.extend((0..shape.columns).map(|column| x[column * shape.rows + row]));
            }
            return self.define(inst, Operand::Data(result));
        }
        let y = self.scalars(inst.id(1))?;
        if let (Op::MatrixTimesScalar, &[factor]) = (inst.op(), &y[..])
            && self.scalar_type(factor).is_int()
        {
            // Of cooperative matrices only.
            let products: Result<Scalars> = x.iter().map(|&x| self.op(Opcode::IMul, &[x, factor])).collect();
            return self.define(inst, Operand::Data(products?));
        }
        let all = [&x[..], &y[..]].concat();
        self.expect_float(inst, &all)?;
        self.expect_same(inst, &all)?;
        let mut result = Scalars::new();
        let contract = self.may_contract(inst);
        let imm = u64::from(!contract);
        match inst.op() {
            Op::VectorTimesScalar | Op::MatrixTimesScalar => {
                let &[factor] = &y[..] else { return invalid_operands(inst) };
                for &x in &x {
                    result.push(self.rounded(Opcode::FMul, x, factor, imm)?);
                }
            }
            Op::OuterProduct => {
                for &y in &y {
                    for &x in &x {
                        result.push(self.rounded(Opcode::FMul, x, y, imm)?);
                    }
                }
            }
            Op::VectorTimesMatrix => {
                let shape = self.matrix_shape(inst.id(1), inst)?;
                if x.len() != shape.rows {
                    return invalid_operands(inst);
                }
                for column in y.chunks_exact(shape.rows) {
                    result.push(self.dot(&x, column, contract)?);
                }
            }
            Op::MatrixTimesVector => {
                let shape = self.matrix_shape(inst.id(0), inst)?;
                if y.len() != shape.columns {
                    return invalid_operands(inst);
                }
                self.matrix_times_vector(&x, shape, &y, contract, &mut result)?;
            }
            Op::MatrixTimesMatrix => {
                let left = self.matrix_shape(inst.id(0), inst)?;
                let right = self.matrix_shape(inst.id(1), inst)?;
                if left.columns != right.rows {
                    return invalid_operands(inst);
                }
                for column in y.chunks_exact(right.rows) {
                    self.matrix_times_vector(&x, left, column, contract, &mut result)?;
                }
            }
            _ => return self.unsupported(inst),
        }
        self.define(inst, Operand::Data(result))
    }

    fn matrix_times_vector(
        &mut self,
        matrix: &[Value],
        shape: Shape,
        vector: &[Value],
        contract: bool,
        result: &mut Scalars,
    ) -> Result {
        for row in 0..shape.rows {
            let row: Vec<Value> =
                (0..shape.columns).map(|column| matrix[column * shape.rows + row]).collect();
            result.push(self.dot(&row, vector, contract)?);
        }
        Ok(())
    }

    fn matrix_shape(&mut self, id: Id, inst: Instruction<'m>) -> Result<Shape> {
        let ty = self.type_of(id)?;
        let Type::Matrix { column, count } = self.module.ty(ty) else { return invalid_operands(inst) };
        match self.vector_count(column) {
            Some(rows) if rows > 0 && count > 0 => Ok(Shape { columns: count as usize, rows: rows as usize }),
            _ => invalid_operands(inst),
        }
    }
}
