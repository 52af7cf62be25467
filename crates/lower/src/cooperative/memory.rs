//! Loads and stores of cooperative matrices.
//!
//! Each element has its own address and is checked by itself, so what is outside reads zero and is not
//! written, as of other accesses. Matrices in column-major order are accessed as their transposes, whose rows
//! are vectors in memory too, unless a workgroup shares them.

use super::Matrix;
use super::staging::ElementIndex;
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::memory::range::Address;
use crate::pointer::{Index, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_abi::report::AccessKind;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::{CooperativeMatrixLayout, Op};
use pyro_spirv::{Id, Instruction};

/// How a matrix lies in memory.
pub(super) struct Lines {
    /// To its first element.
    pub(super) pointer: Pointer,
    /// From one line to the next.
    pub(super) stride: Index,
    /// Bytes of one unit of the stride.
    pub(super) unit: u64,
    access: Access,
}

impl<'m> Lowerer<'m, '_> {
    /// `OpCooperativeMatrixLoadKHR`, `OpCooperativeMatrixLoadNV`
    pub(super) fn matrix_load(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        let matrix = self.matrix(ty)?;
        let is_nv = inst.op() == Op::CooperativeMatrixLoadNV;
        let (stride, layout) = if is_nv { (1, 2) } else { (2, 1) };
        let by_columns = self.is_column_major(inst.id(layout), is_nv)?;
        let lines = self.lines(inst, &matrix, inst.get_id(stride), Access::of(inst, 3))?;
        self.sanitize_matrix(inst, &matrix, &lines, by_columns)?;
        let scalars = if by_columns && matrix.subgroups == 1 {
            let exchanged = matrix.exchanged();
            let values = self.load_lines(&exchanged, &lines, false)?;
            self.transposed(&exchanged, &values)?
        } else {
            self.load_lines(&matrix, &lines, by_columns)?
        };
        self.define(inst, Operand::Data(scalars))
    }

    /// `OpCooperativeMatrixStoreKHR`, `OpCooperativeMatrixStoreNV`
    pub(super) fn matrix_store(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.type_of(inst.id(1))?;
        let matrix = self.matrix(ty)?;
        let is_nv = inst.op() == Op::CooperativeMatrixStoreNV;
        let (stride, layout) = if is_nv { (2, 3) } else { (3, 2) };
        let by_columns = self.is_column_major(inst.id(layout), is_nv)?;
        let lines = self.lines(inst, &matrix, inst.get_id(stride), Access::of(inst, 4))?;
        self.sanitize_matrix(inst, &matrix, &lines, by_columns)?;
        if let PointerBase::Range(range) = &lines.pointer.base {
            range.expect_writable()?;
        }
        let values = self.scalars(inst.id(1))?;
        if values.len() != matrix.count() as usize {
            return invalid_operands(inst);
        }
        if by_columns && matrix.subgroups == 1 {
            let values = self.transposed(&matrix, &values)?;
            self.store_lines(&matrix.exchanged(), &lines, false, &values)
        } else {
            self.store_lines(&matrix, &lines, by_columns, &values)
        }
    }

    /// What an operand says of the order of elements in memory.
    pub(super) fn is_column_major(&self, id: Id, is_nv: bool) -> Result<bool> {
        if is_nv {
            return match self.constants.boolean(id) {
                Some(value) => Ok(value),
                None => invalid(format!("{id} is not a constant boolean")),
            };
        }
        match self.constants.unsigned(id).and_then(CooperativeMatrixLayout::from_u32) {
            Some(CooperativeMatrixLayout::RowMajorKHR) => Ok(false),
            Some(CooperativeMatrixLayout::ColumnMajorKHR) => Ok(true),
            Some(other) => unsupported(format!("cooperative matrices in the layout {other:?}")),
            None => invalid(format!("{id} is not a layout of a cooperative matrix")),
        }
    }

    /// Where the instruction's matrix lies.
    pub(super) fn lines(
        &mut self,
        inst: Instruction<'m>,
        matrix: &Matrix,
        stride: Option<Id>,
        access: Access,
    ) -> Result<Lines> {
        let pointer = self.pointer(inst.id(0))?;
        if !matches!(pointer.base, PointerBase::Range(_) | PointerBase::Physical { .. }) {
            return unsupported("cooperative matrices in memory of single invocations");
        }
        let Some(stride) = stride else { return invalid("a cooperative matrix in memory has no stride") };
        let stride = self.index(stride)?;
        // The stride counts what the pointer points to; untyped pointers point to the matrix's elements.
        let is_untyped = self.type_of(inst.id(0)).is_ok_and(|ty| self.module.pointer(ty).is_none());
        let pointee = pointer.pointee.filter(|_| !is_untyped).unwrap_or(matrix.component);
        let unit = self.types.extent(&self.constants, pointee)?.size;
        Ok(Lines { pointer, stride, unit, access })
    }

    /// Where this lane's component `index` lies, of a matrix whose rows are lines, or whose columns are; the
    /// sanitizer is told of the access.
    fn element_address(
        &mut self,
        matrix: &Matrix,
        lines: &Lines,
        by_columns: bool,
        (lane, index): (Value, u32),
        access: AccessKind,
    ) -> Result<Address> {
        let ([row, column], is_inside) = self.places(matrix, lane, index)?;
        let (line, place) = if by_columns { (column, row) } else { (row, column) };
        let pointer = self.place_pointer(lines, matrix.scalar, line, place)?;
        let size = matrix.scalar.bytes();
        self.track_element(&pointer, size, access, is_inside)?;
        let mut address = match &pointer.base {
            PointerBase::Range(range) => self.range_address(&pointer, range, 0, size.into(), lines.access),
            _ => self.physical_operands(&pointer, 0, lines.access),
        };
        if let Some(is_inside) = is_inside {
            address.predicate = self.b.op(Opcode::And, &[address.predicate, is_inside]);
        }
        Ok(address)
    }

    /// The element of a line as a pointer.
    fn place_pointer(
        &mut self,
        lines: &Lines,
        scalar: Scalar,
        line: ElementIndex,
        place: ElementIndex,
    ) -> Result<Pointer> {
        let mut pointer = lines.pointer.clone();
        match (line, lines.stride) {
            (ElementIndex::Known(row), Index::Constant(stride)) => {
                let start = Index::Constant(stride.wrapping_mul(row.into()));
                self.add_index(&mut pointer, start, lines.unit, None);
            }
            (ElementIndex::Known(row), Index::Dynamic(stride)) => {
                let bytes = u64::from(row).wrapping_mul(lines.unit);
                self.add_index(&mut pointer, Index::Dynamic(stride), bytes, None);
            }
            (ElementIndex::Lane(row), Index::Constant(stride)) => {
                let bytes = (stride as u64).wrapping_mul(lines.unit);
                self.add_index(&mut pointer, Index::Dynamic(row), bytes, None);
            }
            (ElementIndex::Lane(row), Index::Dynamic(stride)) => {
                let (row, stride) = if self.has_wide_indices(&pointer) {
                    let row = self.b.convert(Opcode::ZeroExtend, row, Scalar::I64);
                    (row, self.integer_of_width(stride, Scalar::I64, true)?)
                } else {
                    (row, self.index_i32(stride))
                };
                let start = self.b.op(Opcode::IMul, &[row, stride]);
                self.add_index(&mut pointer, Index::Dynamic(start), lines.unit, None);
            }
        }
        let place = self.place_value(place);
        self.add_index(&mut pointer, Index::Dynamic(place), scalar.bytes().into(), None);
        Ok(pointer)
    }

    /// Looks whether the last element of a matrix lies in its memory.
    fn sanitize_matrix(
        &mut self,
        inst: Instruction<'m>,
        matrix: &Matrix,
        lines: &Lines,
        by_columns: bool,
    ) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        let [row, column] = [matrix.rows, matrix.columns].map(|count| count.saturating_sub(1));
        let (line, place) = if by_columns { (column, row) } else { (row, column) };
        let [line, place] = [line, place].map(ElementIndex::Known);
        let pointer = self.place_pointer(lines, matrix.scalar, line, place)?;
        self.sanitize_end(inst, &pointer, matrix.scalar.bytes().into(), "a cooperative matrix")
    }

    fn load_lines(&mut self, matrix: &Matrix, lines: &Lines, by_columns: bool) -> Result<Scalars> {
        let lane = self.b.op(Opcode::LaneId, &[]);
        (0..matrix.count())
            .map(|index| {
                let at = self.element_address(matrix, lines, by_columns, (lane, index), AccessKind::Read)?;
                Ok(self.load_scalar(matrix.scalar, at))
            })
            .collect()
    }

    fn store_lines(&mut self, matrix: &Matrix, lines: &Lines, by_columns: bool, values: &[Value]) -> Result {
        let lane = self.b.op(Opcode::LaneId, &[]);
        for (index, &value) in (0..).zip(values) {
            let mut at = self.element_address(matrix, lines, by_columns, (lane, index), AccessKind::Write)?;
            at.memory.speculatable = false;
            self.store_scalar(matrix.scalar, at, value);
        }
        Ok(())
    }
}
