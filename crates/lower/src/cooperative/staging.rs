//! The places in workgroup memory where matrices lie while lanes read each other's elements.
//!
//! All subgroups of a workgroup use the same places, behind the shader's own variables: a workgroup runs on one thread, and
//! its subgroups take turns at barriers only, never between a store here and the loads behind it.

use super::Matrix;
use crate::context::Lowerer;
use crate::error::{Result, limit};
use crate::limits::SHARED_BYTES_MAX;
use crate::memory::range::Address;
use crate::value::Scalars;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};

/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;
/// Which of the places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    First,
    Second,
}

/// Bytes of a word, which gathers read.
const WORD_BYTES: u32 = 4;

impl Lowerer<'_, '_> {
    /// Where a place begins in workgroup memory; they are made at first use, for the largest matrix of the module.
    fn staging_start(&mut self, slot: Slot) -> Result<u32> {
        if let Some([first, second]) = self.staging {
            return Ok(if slot == Slot::First { first } else { second });
        }
        let mut bytes = 0;
        for inst in self.module.global_insts() {
            if let Some(ty) = inst.result()
                && self.is_cooperative_matrix(ty)
                && let Some([rows, columns]) = self.constants.matrix_size(ty)
            {
                // Elements may be staged as the wider numbers that they are computed with.
                let wide = u64::from(Scalar::I64.bytes());
                let count = u64::from(rows) * u64::from(columns);
                bytes = bytes.max(count.saturating_mul(wide));
            }
        }
        let start = u64::from(self.shared_bytes).next_multiple_of(LINE_BYTES);
        // The last component of a matrix may be a part of one, but is stored whole.
        let whole = u64::from(self.b.function.lanes * Scalar::I64.bytes());
        let second = start.saturating_add(bytes.saturating_add(whole)).min(SHARED_BYTES_MAX + 1);
        let end = second + (second - start);
        if end > SHARED_BYTES_MAX {
            return limit(format!("{end} bytes of workgroup memory"));
        }
        self.shared_bytes = end as u32;
        self.staging = Some([start as u32, second as u32]);
        self.staging_start(slot)
    }

    /// Operands of an access `bytes` behind the start of a place.
    fn staging_address(&mut self, slot: Slot, offset: Value, bytes: u32) -> Result<Address> {
        let start = self.staging_start(slot)?;
        let base = self.shared_base()?;
        // The place is there whatever lanes are active.
        let memory = MemoryOp { speculatable: true, ..MemoryOp::new(Space::Shared) };
        let memory = memory.at((start + bytes) as i32);
        Ok(Address { memory, base, offset, predicate: self.b.bool(true) })
    }

    /// Puts a matrix's elements there, row by row.
    pub(super) fn stage(&mut self, slot: Slot, values: &[Value]) -> Result {
        let Some(&first) = values.first() else { return Ok(()) };
        let (size, lanes) = (self.scalar_type(first).bytes(), self.b.function.lanes);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let offset = self.scale(lane, size.into());
        for (index, &value) in (0..).zip(values) {
            let mut at = self.staging_address(slot, offset, index * lanes * size)?;
            at.memory.speculatable = false;
            self.b.store(at.memory, at.base, at.offset, value, at.predicate);
        }
        Ok(())
    }

    /// What lies so many bytes behind the start of the first place, for all lanes.
    pub(super) fn staged(&mut self, scalar: Scalar, bytes: u32) -> Result<Value> {
        let zero = self.b.i32(0);
        self.staged_at(Slot::First, scalar, zero, bytes)
    }

    /// What lies so many bytes behind the start of a place, in each lane by its own offset.
    pub(super) fn staged_at(
        &mut self,
        slot: Slot,
        scalar: Scalar,
        offset: Value,
        bytes: u32,
    ) -> Result<Value> {
        // Products of large matrices are many.
        self.check_size()?;
        let at = self.staging_address(slot, offset, bytes)?;
        Ok(self.b.load(scalar, at.memory, at.base, at.offset, at.predicate))
    }

    /// The elements of a matrix with rows and columns exchanged: `matrix` describes `values`.
    ///
    /// Elements of a column that are neighbours in their row are read together, as one word.
    pub(super) fn transposed(&mut self, matrix: &Matrix, values: &[Value]) -> Result<Scalars> {
        self.stage(Slot::First, values)?;
        let Matrix { scalar, rows, columns, lanes, .. } = *matrix;
        let size = scalar.bytes();
        let each = (WORD_BYTES / size).max(1);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let mut result = Scalars::new();
        if each == 1 || !rows.is_multiple_of(lanes) || !columns.is_multiple_of(each) {
            for index in 0..matrix.count() {
                let ([row, column], _) = self.places(lane, index, columns, rows);
                let offset = self.staged_offset(column, row, columns, size);
                result.push(self.staged_at(Slot::First, scalar, offset, 0)?);
            }
            return Ok(result);
        }
        let blocks = rows / lanes;
        let zero = self.b.i32(0);
        result.resize((columns * blocks) as usize, zero);
        let offset = self.scale(lane, (columns * size).into());
        for column in (0..columns).step_by(each as usize) {
            for block in 0..blocks {
                let bytes = (block * lanes * columns + column) * size;
                let word = self.staged_at(Slot::First, Scalar::I32, offset, bytes)?;
                for part in 0..each {
                    let narrow = self.part_of_word(word, part, scalar);
                    result[((column + part) * blocks + block) as usize] = narrow;
                }
            }
        }
        Ok(result)
    }

    /// A part of a word, the lowest first.
    fn part_of_word(&mut self, word: Value, part: u32, scalar: Scalar) -> Value {
        let amount = self.b.i32(part * scalar.bits());
        let shifted = if part == 0 { word } else { self.b.op(Opcode::LShr, &[word, amount]) };
        let narrow = self.b.convert(Opcode::Truncate, shifted, scalar.to_int());
        self.b.bitcast(narrow, scalar)
    }

    /// The bytes to an element of a matrix of so many columns.
    pub(super) fn staged_offset(&mut self, row: Place, column: Place, columns: u32, size: u32) -> Value {
        let row = self.place_value(row);
        let column = self.place_value(column);
        let start = self.scale(row, columns.into());
        let index = self.b.op(Opcode::IAdd, &[start, column]);
        self.scale(index, size.into())
    }

    /// Row and column of this lane's component `index` of a matrix of so many rows and columns, and whether it has them:
    /// none where all lanes have.
    pub(super) fn places(
        &mut self,
        lane: Value,
        index: u32,
        rows: u32,
        columns: u32,
    ) -> ([Place; 2], Option<Value>) {
        let lanes = self.b.function.lanes;
        let first = index * lanes;
        if columns.is_multiple_of(lanes) {
            let column = self.plus(lane, first % columns);
            return ([Place::Known(first / columns), Place::Lane(column)], None);
        }
        let number = self.plus(lane, first);
        let (row, column) = if columns.is_power_of_two() {
            let (amount, mask) = (self.b.i32(columns.trailing_zeros()), self.b.i32(columns - 1));
            (self.b.op(Opcode::LShr, &[number, amount]), self.b.op(Opcode::And, &[number, mask]))
        } else {
            let divisor = self.b.i32(columns);
            (self.b.op(Opcode::UDiv, &[number, divisor]), self.b.op(Opcode::URem, &[number, divisor]))
        };
        let count = rows * columns;
        let is_inside = (first + lanes > count).then(|| {
            let count = self.b.i32(count);
            self.b.op(Opcode::ULt, &[number, count])
        });
        ([Place::Lane(row), Place::Lane(column)], is_inside)
    }

    /// A row or column as a value.
    pub(super) fn place_value(&mut self, place: Place) -> Value {
        match place {
            Place::Known(number) => self.b.i32(number),
            Place::Lane(value) => value,
        }
    }

    fn plus(&mut self, value: Value, number: u32) -> Value {
        if number == 0 {
            return value;
        }
        let number = self.b.i32(number);
        self.b.op(Opcode::IAdd, &[value, number])
    }
}

/// The number of a row or column.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// The same in all lanes.
    Known(u32),
    /// An `i32`, from lane to lane another.
    Lane(Value),
}
