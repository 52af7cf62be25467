//! The places in workgroup memory where matrices lie while lanes read each other's elements.
//!
//! All subgroups of a workgroup use the same places, behind the shader's own variables: a workgroup runs on
//! one thread, and its subgroups take turns at barriers only, never between a store here and the loads behind
//! it. Matrices that they share have barriers before and behind what is stored ([`Lowerer::stage`]).

use super::Matrix;
use crate::context::Lowerer;
use crate::error::{Result, limit};
use crate::limits::STAGING_BYTES_MAX;
use crate::memory::range::Address;
use crate::value::Scalars;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{CooperativeMatrixOperands, Op};

/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;
/// Which of the places. What workgroups share has its own, since a subgroup may go on while others still read
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    First,
    Second,
    SharedFirst,
    SharedSecond,
}

impl Slot {
    /// The first one for such matrices.
    pub(super) fn first(matrix: &Matrix) -> Slot {
        if matrix.subgroups == 1 { Slot::First } else { Slot::SharedFirst }
    }

    /// The second one for such matrices.
    pub(super) fn second(matrix: &Matrix) -> Slot {
        if matrix.subgroups == 1 { Slot::Second } else { Slot::SharedSecond }
    }
}

/// Bytes of a word, which gathers read.
const WORD_BYTES: u32 = 4;

impl Lowerer<'_, '_> {
    /// Where a place begins in workgroup memory; they are made at first use, for the largest matrices of the
    /// module.
    fn staging_start(&mut self, slot: Slot) -> Result<u32> {
        if let Some(places) = self.workgroup.staging {
            return Ok(places[slot as usize]);
        }
        let saturates = self.module.insts().any(|inst| {
            let operands = CooperativeMatrixOperands::from_bits_retain(inst.get_word(3).unwrap_or(0));
            inst.op() == Op::CooperativeMatrixMulAddKHR
                && operands.contains(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR)
        });
        // Of matrices of subgroups, and of workgroups.
        let mut bytes = [0, 0];
        for inst in self.module.global_insts() {
            let Some(ty) = inst.result().filter(|&ty| self.is_cooperative_matrix(ty)) else { continue };
            let (Some([rows, columns]), Some([_, subgroups])) =
                (self.constants.matrix_size(ty), self.constants.matrix_sharing(ty))
            else {
                continue;
            };
            // Elements may be staged as the wider numbers that they are computed with.
            let is_wide = self.module.component(ty).and_then(|component| component.ty.width()) > Some(32);
            let wide = if is_wide || saturates { Scalar::I64 } else { Scalar::I32 };
            let count = u64::from(rows) * u64::from(columns);
            // Components of the last subgroups may be parts of one, but are stored whole.
            let whole = u64::from(subgroups) * u64::from(columns.max(self.b.function.lanes));
            let all = count.saturating_add(whole).saturating_mul(wide.bytes().into());
            let greatest = &mut bytes[usize::from(subgroups > 1)];
            *greatest = all.next_multiple_of(LINE_BYTES).max(*greatest);
        }
        let mut end = u64::from(self.workgroup.bytes).next_multiple_of(LINE_BYTES);
        let before = self.workgroup.bytes;
        let mut places = [0; 4];
        for (place, bytes) in places.iter_mut().zip([bytes[0], bytes[0], bytes[1], bytes[1]]) {
            *place = end as u32;
            end = end.saturating_add(bytes);
            if end > STAGING_BYTES_MAX {
                return limit(format!("{end} bytes of workgroup memory"));
            }
        }
        self.workgroup.bytes = end as u32;
        self.workgroup.exchange_bytes = end as u32 - before;
        self.workgroup.staging = Some(places);
        Ok(places[slot as usize])
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

    /// Puts a matrix's elements there, row by row, when all that share it have read what was there.
    pub(super) fn stage(&mut self, matrix: &Matrix, values: &[Value]) -> Result {
        self.exchange_barrier(matrix)?;
        self.store_staged(Slot::first(matrix), matrix, values)?;
        self.exchange_barrier(matrix)
    }

    /// The same of two.
    pub(super) fn stage_both(&mut self, first: (&Matrix, &[Value]), second: (&Matrix, &[Value])) -> Result {
        self.exchange_barrier(first.0)?;
        self.store_staged(Slot::first(first.0), first.0, first.1)?;
        self.store_staged(Slot::second(second.0), second.0, second.1)?;
        self.exchange_barrier(first.0)
    }

    /// Puts elements there, as many for each subgroup as it has values.
    pub(super) fn store_staged(&mut self, slot: Slot, matrix: &Matrix, values: &[Value]) -> Result {
        let Some(&first) = values.first() else { return Ok(()) };
        let (size, lanes) = (self.scalar_type(first).bytes(), matrix.lanes);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let mut number = lane;
        if let Some(subgroup) = self.sharing_subgroup(matrix)? {
            let start = self.scale(subgroup, values.len() as u64 * u64::from(lanes));
            number = self.b.op(Opcode::IAdd, &[start, lane]);
        }
        let offset = self.scale(number, size.into());
        for (index, &value) in (0..).zip(values) {
            let mut at = self.staging_address(slot, offset, index * lanes * size)?;
            at.memory.speculatable = false;
            self.b.store(at.memory, at.base, at.offset, value, at.predicate);
        }
        Ok(())
    }

    /// Puts a value there, at an offset and so many bytes, for the lanes for which something holds.
    pub(super) fn store_staged_where(
        &mut self,
        slot: Slot,
        (offset, bytes): (Value, u32),
        value: Value,
        holds: Value,
    ) -> Result {
        self.check_size()?;
        let mut at = self.staging_address(slot, offset, bytes)?;
        at.memory.speculatable = false;
        self.b.store(at.memory, at.base, at.offset, value, holds);
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
        self.stage(matrix, values)?;
        let slot = Slot::first(matrix);
        let Matrix { scalar, rows, columns, lanes, .. } = *matrix;
        let size = scalar.bytes();
        let each = (WORD_BYTES / size).max(1);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let mut result = Scalars::new();
        let exchanged = matrix.exchanged();
        let is_plain = matrix.subgroups > 1 || each == 1 || !columns.is_multiple_of(each);
        let blocks = match exchanged.row_blocks() {
            Some(blocks) if !is_plain => blocks,
            _ => {
                for index in 0..exchanged.count() {
                    let ([row, column], _) = self.places(&exchanged, lane, index)?;
                    let offset = self.staged_offset(column, row, columns, size);
                    result.push(self.staged_at(slot, scalar, offset, 0)?);
                }
                return Ok(result);
            }
        };
        let zero = self.b.i32(0);
        debug_assert_eq!(blocks, rows / lanes);
        result.resize((columns * blocks) as usize, zero);
        let offset = self.scale(lane, (columns * size).into());
        for column in (0..columns).step_by(each as usize) {
            for block in 0..blocks {
                let bytes = (block * lanes * columns + column) * size;
                let word = self.staged_at(slot, Scalar::I32, offset, bytes)?;
                for part in 0..each {
                    let narrow = self.part_of_word(word, part, scalar);
                    result[((column + part) * blocks + block) as usize] = narrow;
                }
            }
        }
        Ok(result)
    }

    /// A part of a word, the lowest first.
    pub(super) fn part_of_word(&mut self, word: Value, part: u32, scalar: Scalar) -> Value {
        let amount = self.b.i32(part * scalar.bits());
        let shifted = if part == 0 { word } else { self.b.op(Opcode::LShr, &[word, amount]) };
        let narrow = self.b.convert(Opcode::Truncate, shifted, scalar.to_int());
        self.b.bitcast(narrow, scalar)
    }

    /// The bytes to an element of a matrix of so many columns.
    pub(super) fn staged_offset(
        &mut self,
        row: ElementIndex,
        column: ElementIndex,
        columns: u32,
        size: u32,
    ) -> Value {
        let row = self.place_value(row);
        let column = self.place_value(column);
        let start = self.scale(row, columns.into());
        let index = self.b.op(Opcode::IAdd, &[start, column]);
        self.scale(index, size.into())
    }

    /// Row and column of this lane's component `index` of a matrix, and whether it has them: none where all
    /// lanes have.
    pub(super) fn places(
        &mut self,
        matrix: &Matrix,
        lane: Value,
        index: u32,
    ) -> Result<([ElementIndex; 2], Option<Value>)> {
        let Matrix { rows, columns, lanes, subgroups, .. } = *matrix;
        let subgroup = self.sharing_subgroup(matrix)?;
        if let Some(blocks) = matrix.row_blocks() {
            let column = ElementIndex::Lane(self.plus(lane, index % blocks * lanes));
            let Some(subgroup) = subgroup else {
                return Ok(([ElementIndex::Known(index / blocks), column], None));
            };
            let first = self.scale(subgroup, matrix.own_rows().into());
            let row = self.plus(first, index / blocks);
            let is_inside = (!rows.is_multiple_of(subgroups)).then(|| {
                let rows = self.b.i32(rows);
                self.b.op(Opcode::ULt, &[row, rows])
            });
            return Ok(([ElementIndex::Lane(row), column], is_inside));
        }
        let mut number = self.plus(lane, index * lanes);
        if let Some(subgroup) = subgroup {
            let first = self.scale(subgroup, matrix.elements_each().into());
            number = self.b.op(Opcode::IAdd, &[first, number]);
        }
        let (row, column) = if columns.is_power_of_two() {
            let (amount, mask) = (self.b.i32(columns.trailing_zeros()), self.b.i32(columns - 1));
            (self.b.op(Opcode::LShr, &[number, amount]), self.b.op(Opcode::And, &[number, mask]))
        } else {
            let divisor = self.b.i32(columns);
            (self.b.op(Opcode::UDiv, &[number, divisor]), self.b.op(Opcode::URem, &[number, divisor]))
        };
        let count = rows * columns;
        let last = matrix.elements_each() * (subgroups - 1) + (index + 1) * lanes;
        let is_inside = (last > count).then(|| {
            let count = self.b.i32(count);
            self.b.op(Opcode::ULt, &[number, count])
        });
        Ok(([ElementIndex::Lane(row), ElementIndex::Lane(column)], is_inside))
    }

    /// Row and column of a component as values, of some element where the lane has none there.
    pub(super) fn element_place(&mut self, matrix: &Matrix, lane: Value, index: u32) -> Result<[Value; 2]> {
        let (places, is_inside) = self.places(matrix, lane, index)?;
        let [row, column] = places.map(|place| self.place_value(place));
        if is_inside.is_none() {
            return Ok([row, column]);
        }
        let last = self.b.i32(matrix.rows - 1);
        Ok([self.b.op(Opcode::UMin, &[row, last]), column])
    }

    /// A row or column as a value.
    pub(super) fn place_value(&mut self, place: ElementIndex) -> Value {
        match place {
            ElementIndex::Known(number) => self.b.i32(number),
            ElementIndex::Lane(value) => value,
        }
    }

    pub(super) fn plus(&mut self, value: Value, number: u32) -> Value {
        if number == 0 {
            return value;
        }
        let number = self.b.i32(number);
        self.b.op(Opcode::IAdd, &[value, number])
    }
}

/// The number of a row or column.
#[derive(Clone, Copy, Debug)]
pub(super) enum ElementIndex {
    /// The same in all lanes.
    Known(u32),
    /// An `i32`, from lane to lane another.
    Lane(Value),
}
