//! Cooperative matrices that are made of arrays of the invocations, and taken apart to these
//! (`SPV_QCOM_cooperative_matrix_conversion`): the array of an invocation is a row, or of matrices of the use
//! B a column.
//!
//! Elements of arrays go through the places of staged matrices ([`super::staging`]). An array of words has
//! the bits of the elements, the lowest first.

use super::Matrix;
use super::staging::Slot;
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::CooperativeMatrixUse;
use pyro_spirv::{Id, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// A matrix of a subgroup, and whether arrays are its columns.
    fn matrix_of_lines(&mut self, ty: Id) -> Result<(Matrix, bool)> {
        let matrix = self.matrix(ty)?;
        let Type::CooperativeMatrixKhr { usage, .. } = self.module.ty(ty) else {
            return invalid(format!("{ty} is not a cooperative matrix that has a use"));
        };
        if matrix.subgroups != 1 {
            return unsupported("arrays of cooperative matrices of another scope than Subgroup");
        }
        let is_b = self.constants.unsigned(usage) == Some(CooperativeMatrixUse::MatrixBKHR as u32);
        Ok((matrix, is_b))
    }

    /// Values with the same bits as these, of another width.
    fn repacked(&mut self, values: &[Value], to: Scalar) -> Result<Scalars> {
        let Some(&first) = values.first() else { return Ok(Scalars::new()) };
        let (from_bits, to_bits) = (self.scalar_type(first).bits(), to.bits());
        if from_bits == to_bits {
            return Ok(values.iter().map(|&value| self.b.bitcast(value, to)).collect());
        }
        let mut result = Scalars::new();
        if from_bits > to_bits {
            for &value in values {
                self.check_size()?;
                let word = self.b.bitcast(value, self.scalar_type(value).to_int());
                for part in 0..from_bits / to_bits {
                    result.push(self.part_of_word(word, part, to));
                }
            }
            return Ok(result);
        }
        for parts in values.chunks((to_bits / from_bits) as usize) {
            self.check_size()?;
            let whole = to.to_int();
            let mut word = self.b.constant(whole, 0);
            for (index, &part) in (0..).zip(parts) {
                let part = self.b.bitcast(part, self.scalar_type(part).to_int());
                let wide = self.b.convert(Opcode::ZeroExtend, part, whole);
                let amount = self.b.constant(whole, u64::from(index * from_bits));
                let shifted = if index == 0 { wide } else { self.b.op(Opcode::Shl, &[wide, amount]) };
                word = self.b.op(Opcode::Or, &[word, shifted]);
            }
            result.push(self.b.bitcast(word, to));
        }
        Ok(result)
    }

    /// Defines an array by its elements, or by others with as many bits.
    fn define_array(&mut self, inst: Instruction<'m>, values: &[Value]) -> Result {
        let scalars = self.result_scalars(inst)?;
        let bits = |scalar: Scalar| u64::from(scalar.bits());
        let all: u64 = values.iter().map(|&value| bits(self.scalar_type(value))).sum();
        let Some(&scalar) = scalars.first() else { return invalid_operands(inst) };
        let is_array = scalars.iter().all(|&other| other == scalar);
        if !is_array || scalars.iter().map(|&scalar| bits(scalar)).sum::<u64>() != all {
            return invalid_operands(inst);
        }
        let values = self.repacked(values, scalar)?;
        self.define(inst, Operand::Data(values))
    }

    /// `OpBitCastArrayQCOM`
    pub(super) fn array_bit_cast(&mut self, inst: Instruction<'m>) -> Result {
        let values = self.scalars(inst.id(0))?;
        self.define_array(inst, &values)
    }

    /// `OpExtractSubArrayQCOM`. Where the part is not inside, it is the last one.
    pub(super) fn sub_array(&mut self, inst: Instruction<'m>) -> Result {
        let mut values = self.scalars(inst.id(0))?;
        let scalars = self.result_scalars(inst)?;
        let start = self.scalar(inst.id(1))?;
        self.expect_int(inst, &[start])?;
        let (count, len) = (values.len(), scalars.len());
        let same = |cx: &Self| values.iter().zip(&*scalars).all(|(&x, &y)| cx.scalar_type(x) == y);
        if len == 0 || len > count || !same(self) {
            return invalid_operands(inst);
        }
        let start = self.index_i32(start);
        let most = self.b.i32((count - len) as u32);
        let start = self.op(Opcode::UMin, &[start, most])?;
        // By powers of two, so that what is done grows little more than the array.
        let mut step = 1;
        while step <= count - len {
            self.check_size()?;
            let (bit, zero) = (self.b.i32(step as u32), self.b.i32(0));
            let is_set = self.op(Opcode::And, &[start, bit])?;
            let is_moved = self.op(Opcode::INe, &[is_set, zero])?;
            let moved: Scalars = (0..count)
                .map(|place| {
                    let other = values[(place + step).min(count - 1)];
                    self.b.select(is_moved, other, values[place])
                })
                .collect();
            values = moved;
            step *= 2;
        }
        values.truncate(len);
        self.define(inst, Operand::Data(values))
    }

    /// `OpCompositeConstructCoopMatQCOM`
    pub(super) fn matrix_of_arrays(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        let (matrix, is_b) = self.matrix_of_lines(ty)?;
        let (line, lines) = if is_b { (matrix.rows, matrix.columns) } else { (matrix.columns, matrix.rows) };
        let values = self.scalars(inst.id(0))?;
        let bits: u64 = values.iter().map(|&value| u64::from(self.scalar_type(value).bits())).sum();
        if bits != u64::from(line) * u64::from(matrix.scalar.bits()) {
            return invalid_operands(inst);
        }
        if lines > matrix.lanes {
            return unsupported("a cooperative matrix of more arrays than invocations");
        }
        let values = self.repacked(&values, matrix.scalar)?;
        let size = matrix.scalar.bytes();
        let lane = self.b.op(Opcode::LaneId, &[]);
        let count = self.b.i32(lines);
        let is_line = self.b.op(Opcode::ULt, &[lane, count]);
        let offset = self.scale(lane, (line * size).into());
        for (index, &value) in (0..).zip(&values) {
            self.store_staged_where(Slot::First, (offset, index * size), value, is_line)?;
        }
        let mut elements = Scalars::new();
        for index in 0..matrix.count() {
            let [row, column] = self.element_place(&matrix, lane, index)?;
            let (outer, inner) = if is_b { (column, row) } else { (row, column) };
            let start = self.scale(outer, line.into());
            let number = self.b.op(Opcode::IAdd, &[start, inner]);
            let offset = self.scale(number, size.into());
            elements.push(self.staged_at(Slot::First, matrix.scalar, offset, 0)?);
        }
        self.define(inst, Operand::Data(elements))
    }

    /// `OpCompositeExtractCoopMatQCOM`. Invocations that have no line get the last one.
    pub(super) fn array_of_matrix(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.type_of(inst.id(0))?;
        let (matrix, is_b) = self.matrix_of_lines(ty)?;
        let (line, lines) = if is_b { (matrix.rows, matrix.columns) } else { (matrix.columns, matrix.rows) };
        let values = self.scalars(inst.id(0))?;
        if values.len() != matrix.count() as usize {
            return invalid_operands(inst);
        }
        self.stage(&matrix, &values)?;
        let size = matrix.scalar.bytes();
        let lane = self.b.op(Opcode::LaneId, &[]);
        let last = self.b.i32(lines - 1);
        let lane = self.b.op(Opcode::UMin, &[lane, last]);
        let (lane_elements, step) = if is_b { (1, matrix.columns) } else { (matrix.columns, 1) };
        let offset = self.scale(lane, u64::from(lane_elements * size));
        let mut elements = Scalars::new();
        for index in 0..line {
            elements.push(self.staged_at(Slot::First, matrix.scalar, offset, index * step * size)?);
        }
        self.define_array(inst, &elements)
    }
}
