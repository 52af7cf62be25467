//! `OpCooperativeMatrixReduceNV`: elements of rows, columns or neighbourhoods are combined by a function of
//! the shader.
//!
//! Rows are combined within the subgroup that has them: components first, then lanes by exchanges. Columns
//! are combined lane by lane, and through memory where several subgroups have rows. Squares, and matrices
//! whose rows are no whole components, are read from memory element by element.

use super::Matrix;
use super::staging::{ElementIndex, Slot};
use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Value};
use pyro_library::group;
use pyro_spirv::spirv::CooperativeMatrixReduce;
use pyro_spirv::{Id, Instruction};

/// A reduction.
struct Reduction {
    function: Id,
    from: Matrix,
    to: Matrix,
    rows: bool,
    columns: bool,
}

impl<'m> Lowerer<'m, '_> {
    /// `OpCooperativeMatrixReduceNV`
    pub(super) fn matrix_reduce(&mut self, inst: Instruction<'m>) -> Result {
        let (from, to) = (self.type_of(inst.id(0))?, self.result_type(inst)?);
        let (from, to) = (self.matrix(from)?, self.matrix(to)?);
        let mode = CooperativeMatrixReduce::from_bits_retain(inst.word(1));
        let (rows, columns) =
            (mode.contains(CooperativeMatrixReduce::ROW), mode.contains(CooperativeMatrixReduce::COLUMN));
        let is_square = mode.contains(CooperativeMatrixReduce::_2X2);
        let fits = match (is_square, rows, columns) {
            (true, false, false) => [2 * to.rows, 2 * to.columns] == [from.rows, from.columns],
            (false, true, false) => to.rows == from.rows,
            (false, false, true) => to.columns == from.columns,
            (false, true, true) => true,
            _ => false,
        };
        if !fits || from.scalar != to.scalar || from.subgroups != to.subgroups {
            return invalid_operands(inst);
        }
        let values = self.scalars(inst.id(0))?;
        let reduction = Reduction { function: inst.id(2), from, to, rows, columns };
        let results = if is_square {
            self.reduce_squares(&reduction, &values)?
        } else if from.row_blocks().is_some() && to.row_blocks().is_some() {
            self.reduce_lines(&reduction, &values)?
        } else {
            self.reduce_elements(&reduction, &values)?
        };
        self.define(inst, Operand::Data(results))
    }

    fn combine(&mut self, reduction: &Reduction, x: Value, y: Value) -> Result<Value> {
        let arguments = vec![Operand::scalar(x), Operand::scalar(y)];
        self.element_of_call(reduction.function, arguments, &reduction.to)
    }

    /// Combines some values, two and two, so that sums lose little.
    fn combine_all(&mut self, reduction: &Reduction, values: &[Value]) -> Result<Value> {
        let mut values = values.to_vec();
        while values.len() > 1 {
            let pairs = values.chunks(2).map(|pair| match *pair {
                [x, y] => self.combine(reduction, x, y),
                _ => Ok(pair[0]),
            });
            values = pairs.collect::<Result<_>>()?;
        }
        Ok(values[0])
    }

    /// Rows, columns or both, of matrices whose rows are whole components.
    fn reduce_lines(&mut self, reduction: &Reduction, values: &[Value]) -> Result<Scalars> {
        let Reduction { from, to, .. } = reduction;
        let (blocks, to_blocks) = (from.columns / from.lanes, to.columns / to.lanes);
        let mut lines: Vec<Vec<Value>> = values.chunks(blocks as usize).map(<[Value]>::to_vec).collect();
        if reduction.rows {
            for line in &mut lines {
                let mut all = self.combine_all(reduction, line)?;
                let mut distance = 1;
                while distance < from.lanes {
                    let mask = self.b.i32(distance);
                    let other = group::shuffle_xor(&mut self.b, all, mask);
                    all = self.combine(reduction, all, other)?;
                    distance *= 2;
                }
                *line = vec![all];
            }
        }
        if !reduction.columns {
            // Rows of the result are in the same subgroups.
            return Ok(lines
                .iter()
                .flat_map(|line| line.iter().cycle().take(to_blocks as usize))
                .copied()
                .collect());
        }
        let width = lines[0].len();
        let subgroup = self.sharing_subgroup(from)?;
        let mut all = lines[0].clone();
        match subgroup {
            // The last rows of the last subgroups may not be there.
            Some(subgroup) if !from.rows.is_multiple_of(from.subgroups) => {
                let first = self.scale(subgroup, from.own_rows().into());
                let rows = self.b.i32(from.rows);
                for (row, line) in (0..).zip(&lines).skip(1) {
                    let place = self.plus(first, row);
                    let is_there = self.b.op(Opcode::ULt, &[place, rows]);
                    for (one, &value) in all.iter_mut().zip(line) {
                        let both = self.combine(reduction, *one, value)?;
                        *one = self.b.select(is_there, both, *one);
                    }
                }
            }
            _ => {
                for (block, one) in all.iter_mut().enumerate() {
                    let column: Vec<Value> = lines.iter().map(|line| line[block]).collect();
                    *one = self.combine_all(reduction, &column)?;
                }
            }
        }
        if from.subgroups > 1 {
            self.stage(from, &all)?;
            let lane = self.b.op(Opcode::LaneId, &[]);
            let size = from.scalar.bytes();
            let offset = self.scale(lane, size.into());
            let holders = from.rows.div_ceil(from.own_rows());
            for (block, one) in (0..).zip(&mut all) {
                let mut parts = Vec::new();
                for holder in 0..holders {
                    let bytes = (holder * width as u32 + block) * from.lanes * size;
                    parts.push(self.staged_at(Slot::first(from), from.scalar, offset, bytes)?);
                }
                *one = self.combine_all(reduction, &parts)?;
            }
        }
        let row = all.iter().cycle().take(to_blocks as usize);
        Ok((0..to.own_rows()).flat_map(|_| row.clone()).copied().collect())
    }

    /// Squares of two by two.
    fn reduce_squares(&mut self, reduction: &Reduction, values: &[Value]) -> Result<Scalars> {
        let Reduction { from, to, .. } = reduction;
        self.stage(from, values)?;
        let lane = self.b.op(Opcode::LaneId, &[]);
        let size = from.scalar.bytes();
        let mut results = Scalars::new();
        for index in 0..to.count() {
            let [row, column] = self.element_place(to, lane, index)?;
            let places = [self.scale(row, 2), self.scale(column, 2)].map(ElementIndex::Lane);
            let offset = self.staged_offset(places[0], places[1], from.columns, size);
            let mut parts = Vec::new();
            for number in [0, from.columns, 1, from.columns + 1] {
                parts.push(self.staged_at(Slot::first(from), from.scalar, offset, number * size)?);
            }
            results.push(self.combine_all(reduction, &parts)?);
        }
        Ok(results)
    }

    /// Matrices of any size: each element of the result is combined by itself.
    fn reduce_elements(&mut self, reduction: &Reduction, values: &[Value]) -> Result<Scalars> {
        let Reduction { from, to, .. } = reduction;
        self.stage(from, values)?;
        let lane = self.b.op(Opcode::LaneId, &[]);
        let size = from.scalar.bytes();
        let mut results = Scalars::new();
        for index in 0..to.count() {
            if reduction.rows && reduction.columns && index > 0 {
                results.push(results[0]);
                continue;
            }
            let [row, column] = self.element_place(to, lane, index)?;
            let row = if reduction.columns { ElementIndex::Known(0) } else { ElementIndex::Lane(row) };
            let column = if reduction.rows { ElementIndex::Known(0) } else { ElementIndex::Lane(column) };
            let offset = self.staged_offset(row, column, from.columns, size);
            let rows = if reduction.columns { from.rows } else { 1 };
            let columns = if reduction.rows { from.columns } else { 1 };
            let mut parts = Vec::new();
            for row in 0..rows {
                for column in 0..columns {
                    let bytes = (row * from.columns + column) * size;
                    parts.push(self.staged_at(Slot::first(from), from.scalar, offset, bytes)?);
                }
            }
            results.push(self.combine_all(reduction, &parts)?);
        }
        Ok(results)
    }
}
