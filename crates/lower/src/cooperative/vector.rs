//! Cooperative vectors (`SPV_NV_cooperative_vector`): loads and stores, products with matrices in memory, and
//! what training adds to memory. As values they are vectors of any length, which each invocation has for
//! itself.
//!
//! A product's elements are sums in 32 bits, to which products are fused in the order of the matrix's
//! columns, behind the bias; they are rounded to the result's type at the end. Bytes are multiplied four by
//! four, as in products of cooperative matrices. Most shaders have one matrix for all invocations, so its
//! elements are operands that all lanes read. Rows are taken a few at a time, which gives as many independent
//! sums; many of them are a loop.
//!
//! Accesses are checked as a whole (the specification asks for no check): where a part of what an instruction
//! accesses is outside of its memory, all of it reads zero and nothing is written.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, limit, unsupported};
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase, Term};
use crate::value::{Operand, Scalars};
use pyro_abi::vector_matrix::{ComponentNumber, MatrixLayout, optimal_stride};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Value};
use pyro_library::integer;
use pyro_spirv::spirv::{CooperativeMatrixOperands, Op};
use pyro_spirv::{Float8, Id, Instruction, Type};

/// Multiplications of one product that are written out; more are a loop over rows.
const UNROLLED_MAX: u32 = 4096;
/// Rows whose sums grow side by side.
const ROWS_AT_ONCE: u32 = 8;
/// Additions to memory that are written out.
const ATOMICS_MAX: u32 = 256;
/// The highest bit of each byte.
const BIAS: u32 = 0x8080_8080;

/// How bits are read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// An IEEE 754 float.
    Float(Scalar),
    Float8(Float8),
    Int {
        scalar: Scalar,
        is_signed: bool,
    },
    /// Bytes, four in each `u32`.
    Packed {
        is_signed: bool,
    },
}

impl Number {
    /// What it is in memory.
    fn scalar(self) -> Scalar {
        match self {
            Number::Float(scalar) | Number::Int { scalar, .. } => scalar,
            Number::Float8(_) | Number::Packed { .. } => Scalar::I8,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Number::Float(_) | Number::Float8(_))
    }

    fn of(component: ComponentNumber) -> Result<Number> {
        let int = |scalar, is_signed| Number::Int { scalar, is_signed };
        Ok(match component {
            ComponentNumber::FLOAT16 => Number::Float(Scalar::F16),
            ComponentNumber::FLOAT32 => Number::Float(Scalar::F32),
            ComponentNumber::SINT8 => int(Scalar::I8, true),
            ComponentNumber::UINT8 => int(Scalar::I8, false),
            ComponentNumber::SINT32 => int(Scalar::I32, true),
            ComponentNumber::UINT32 => int(Scalar::I32, false),
            ComponentNumber::SINT8_PACKED => Number::Packed { is_signed: true },
            ComponentNumber::UINT8_PACKED => Number::Packed { is_signed: false },
            ComponentNumber::FLOAT8_E4M3 => Number::Float8(Float8::E4M3),
            ComponentNumber::FLOAT8_E5M2 => Number::Float8(Float8::E5M2),
            ComponentNumber(other) => {
                return unsupported(format!("cooperative vectors of component type {other}"));
            }
        })
    }
}

/// Memory that an instruction accesses.
#[derive(Clone, Copy)]
struct Bytes {
    memory: MemoryOp,
    base: Value,
    /// To where it begins.
    offset: Value,
    /// Whether all of it is there.
    predicate: Value,
}

/// Bytes from one line of a matrix to the next.
#[derive(Clone, Copy)]
enum Stride {
    Known(u64),
    /// An `i32`.
    Value(Value),
}

/// A matrix in memory.
struct Stored {
    bytes: Bytes,
    /// What its elements are there.
    number: Number,
    /// The product's rows are lines.
    by_rows: bool,
    stride: Stride,
}

/// The second operand of a product.
enum Input {
    /// `f32`
    Floats(Scalars),
    /// Words of bytes that are unsigned or signed, and how many bytes there are.
    Bytes { words: Scalars, is_signed: bool },
}

impl<'m> Lowerer<'m, '_> {
    /// Instructions of cooperative vectors as such.
    pub(super) fn lower_cooperative_vector(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::CooperativeVectorLoadNV => self.vector_load(inst),
            Op::CooperativeVectorStoreNV => self.vector_store(inst),
            Op::CooperativeVectorMatrixMulNV | Op::CooperativeVectorMatrixMulAddNV => {
                self.vector_product(inst)
            }
            Op::CooperativeVectorOuterProductAccumulateNV => self.outer_product(inst),
            Op::CooperativeVectorReduceSumAccumulateNV => self.reduce_sum(inst),
            _ => self.unsupported(inst),
        }
    }

    /// A pointer that is an operand, moved by the bytes of another.
    fn moved_pointer(&mut self, pointer: Id, offset: Id) -> Result<Pointer> {
        let mut pointer = self.pointer(pointer)?;
        let is_wide = self.has_wide_indices(&pointer);
        if !matches!(pointer.base, PointerBase::Range(_) | PointerBase::Physical { .. }) {
            return unsupported("cooperative vectors in memory of single invocations");
        }
        match self.constants.unsigned(offset) {
            Some(bytes) => pointer.offset = pointer.offset.wrapping_add(bytes.into()),
            None => {
                let offset = self.scalar(offset)?;
                let index = match is_wide {
                    true => self.integer_of_width(offset, Scalar::I64, false)?,
                    false => self.index_i32(offset),
                };
                pointer.terms.push(Term { index, stride: 1, count: None });
            }
        }
        Ok(pointer)
    }

    /// The memory of so many bytes, an `i64`, behind a pointer.
    fn bytes_behind(&mut self, pointer: &Pointer, extent: Value, access: Access) -> Result<Bytes> {
        let PointerBase::Range(range) = &pointer.base else {
            let base = self.physical_address(pointer);
            let memory = self.physical_operands(pointer, 0, access).memory.at(0);
            return Ok(Bytes { memory, base, offset: self.b.i32(0), predicate: self.b.bool(true) });
        };
        let memory = self.range_address(pointer, range, 0, 1, access).memory.at(0);
        let offset = self.range_offset_saturated(pointer, range);
        let size = self.size_value(range.size);
        let size = self.integer_of_width(size, Scalar::I64, false)?;
        let start = self.integer_of_width(offset, Scalar::I64, false)?;
        let is_large = self.op(Opcode::ULe, &[extent, size])?;
        let last = self.op(Opcode::ISub, &[size, extent])?;
        let is_before = self.op(Opcode::ULe, &[start, last])?;
        let predicate = self.op(Opcode::And, &[is_large, is_before])?;
        self.sanitize_bytes(pointer, predicate, "a cooperative vector or its matrix")?;
        Ok(Bytes { memory, base: range.base, offset, predicate })
    }

    /// What lies so many bytes behind the start.
    fn load_behind(&mut self, at: &Bytes, scalar: Scalar, offset: Value, bytes: u64) -> Result<Value> {
        self.check_size()?;
        let (memory, offset) = self.displaced(at, offset, bytes)?;
        Ok(self.b.load(scalar, memory, at.base, offset, at.predicate))
    }

    fn displaced(&mut self, at: &Bytes, offset: Value, bytes: u64) -> Result<(MemoryOp, Value)> {
        match i32::try_from(bytes) {
            Ok(bytes) => Ok((at.memory.at(bytes), offset)),
            Err(_) => Ok((at.memory, self.plus_bytes(offset, bytes))),
        }
    }

    fn plus_bytes(&mut self, offset: Value, bytes: u64) -> Value {
        if bytes == 0 {
            return offset;
        }
        let bytes = self.b.constant(self.scalar_type(offset), bytes);
        self.b.op(Opcode::IAdd, &[offset, bytes])
    }

    /// `OpCooperativeVectorLoadNV`
    fn vector_load(&mut self, inst: Instruction<'m>) -> Result {
        let scalars = self.result_scalars(inst)?;
        let Some(&scalar) = scalars.first() else { return invalid_operands(inst) };
        let pointer = self.moved_pointer(inst.id(0), inst.id(1))?;
        let extent = self.b.i64(scalars.len() as u64 * u64::from(scalar.bytes()));
        let at = self.bytes_behind(&pointer, extent, Access::of(inst, 2))?;
        let values: Result<Scalars> = (0..scalars.len() as u64)
            .map(|index| self.load_behind(&at, scalar, at.offset, index * u64::from(scalar.bytes())))
            .collect();
        self.define(inst, Operand::Data(values?))
    }

    /// `OpCooperativeVectorStoreNV`
    fn vector_store(&mut self, inst: Instruction<'m>) -> Result {
        let values = self.scalars(inst.id(2))?;
        let Some(&first) = values.first() else { return invalid_operands(inst) };
        let scalar = self.scalar_type(first);
        let pointer = self.moved_pointer(inst.id(0), inst.id(1))?;
        if let PointerBase::Range(range) = &pointer.base {
            range.expect_writable()?;
        }
        let extent = self.b.i64(values.len() as u64 * u64::from(scalar.bytes()));
        let mut at = self.bytes_behind(&pointer, extent, Access::of(inst, 3))?;
        at.memory.speculatable = false;
        let predicate = self.write_predicate(at.predicate);
        for (index, &value) in (0..).zip(&values) {
            let (memory, offset) = self.displaced(&at, at.offset, index * u64::from(scalar.bytes()))?;
            self.b.store(memory, at.base, offset, value, predicate);
        }
        Ok(())
    }

    /// A component type that is an operand.
    fn component_number(&self, id: Id) -> Result<ComponentNumber> {
        Ok(ComponentNumber(self.constant_operand(id)?))
    }

    /// What the components of a vector operand are.
    fn vector_number(&self, id: Id, is_signed: bool) -> Result<Number> {
        let ty = self.type_of(id)?;
        let component = self.module.component(ty);
        match component.map(|component| component.ty) {
            Some(Type::Float { encoding: Some(encoding), .. }) => match Float8::from_encoding(encoding) {
                Some(kind) => Ok(Number::Float8(kind)),
                None => unsupported(format!("cooperative vectors of {encoding:?}")),
            },
            Some(Type::Float { width, encoding: None }) => match Scalar::float(width) {
                Some(scalar) => Ok(Number::Float(scalar)),
                None => unsupported(format!("cooperative vectors of floats of {width} bits")),
            },
            Some(Type::Int { width, .. }) => match Scalar::int(width) {
                Some(scalar) => Ok(Number::Int { scalar, is_signed }),
                None => unsupported(format!("cooperative vectors of integers of {width} bits")),
            },
            _ => invalid(format!("{id} is not a vector of numbers")),
        }
    }

    /// A number as `f32`.
    fn number_to_float(&mut self, x: Value, from: Number) -> Result<Value> {
        match from {
            Number::Float(_) => Ok(self.float_to_float(x, Scalar::F32, 0)),
            Number::Float8(kind) => Ok(self.float8_to_float(x, kind)),
            Number::Int { is_signed, .. } => {
                self.convert(if is_signed { Opcode::SToF } else { Opcode::UToF }, x, Scalar::F32)
            }
            Number::Packed { .. } => unsupported("packed bytes as floats"),
        }
    }

    /// An `f32` rounded to a float type, as an `f32` again.
    fn rounded_to(&mut self, x: Value, to: Number) -> Value {
        match to {
            Number::Float(scalar) if scalar.bits() < 32 => {
                let narrow = self.float_to_float(x, scalar, 0);
                self.float_to_float(narrow, Scalar::F32, 0)
            }
            Number::Float8(kind) => {
                let narrow = self.float_to_float8(x, kind, true);
                self.float8_to_float(narrow, kind)
            }
            _ => x,
        }
    }

    /// The input of a product, of `count` numbers.
    fn product_input(
        &mut self,
        inst: Instruction<'m>,
        interpretation: Number,
        is_signed: bool,
        count: u32,
    ) -> Result<Input> {
        let values = self.scalars(inst.id(0))?;
        if let Number::Packed { is_signed } = interpretation {
            let words = count.div_ceil(4) as usize;
            let is_words = values.iter().all(|&value| self.scalar_type(value) == Scalar::I32);
            if values.len() < words || !is_words {
                return invalid_operands(inst);
            }
            let mut words = Scalars::from_slice(&values[..words]);
            if let (Some(last), rest @ 1..) = (words.last_mut(), count % 4) {
                let mask = self.b.i32((1 << (8 * rest)) - 1);
                *last = self.op(Opcode::And, &[*last, mask])?;
            }
            return Ok(Input::Bytes { words, is_signed });
        }
        if values.len() != count as usize {
            return invalid_operands(inst);
        }
        let from = self.vector_number(inst.id(0), is_signed)?;
        if interpretation.is_float() {
            let converted: Result<Scalars> = values
                .iter()
                .map(|&value| {
                    let wide = self.number_to_float(value, from)?;
                    Ok(if from == interpretation { wide } else { self.rounded_to(wide, interpretation) })
                })
                .collect();
            return Ok(Input::Floats(converted?));
        }
        let Number::Int { scalar: Scalar::I8, is_signed: to_signed } = interpretation else {
            return unsupported("cooperative vectors multiplied as integers other than bytes");
        };
        let bytes: Result<Vec<Value>> =
            values.iter().map(|&value| self.saturated_byte(value, from, to_signed)).collect();
        let bytes = bytes?;
        let zero = self.b.constant(Scalar::I8, 0);
        let words = bytes
            .chunks(4)
            .map(|four| {
                let word = std::array::from_fn(|index| four.get(index).copied().unwrap_or(zero));
                integer::word_of_bytes(&mut self.b, word)
            })
            .collect();
        Ok(Input::Bytes { words, is_signed: to_signed })
    }

    /// The nearest byte.
    fn saturated_byte(&mut self, x: Value, from: Number, to_signed: bool) -> Result<Value> {
        let Number::Int { is_signed, .. } = from else {
            let x = self.number_to_float(x, from)?;
            let x = self.op(Opcode::FRound, &[x])?;
            return self.convert(if to_signed { Opcode::FToS } else { Opcode::FToU }, x, Scalar::I8);
        };
        if self.scalar_type(x) == Scalar::I8 && is_signed == to_signed {
            return Ok(x);
        }
        let convert = match (is_signed, to_signed) {
            (true, true) => integer::sat_convert_s_to_s,
            (true, false) => integer::sat_convert_s_to_u,
            (false, true) => integer::sat_convert_u_to_s,
            (false, false) => integer::sat_convert_u_to_u,
        };
        Ok(convert(&mut self.b, x, Scalar::I8))
    }

    /// `OpCooperativeVectorMatrixMulNV`, `OpCooperativeVectorMatrixMulAddNV`
    fn vector_product(&mut self, inst: Instruction<'m>) -> Result {
        let with_bias = inst.op() == Op::CooperativeVectorMatrixMulAddNV;
        // Operands behind those of the bias.
        let rest = if with_bias { 8 } else { 5 };
        let signs = CooperativeMatrixOperands::from_bits_retain(inst.get_word(rest + 5).unwrap_or(0));
        let (rows, columns) =
            (self.constant_operand(inst.id(rest))?, self.constant_operand(inst.id(rest + 1))?);
        let results = self.result_scalars(inst)?;
        let Some(&result) = results.first() else { return invalid_operands(inst) };
        if results.len() != rows as usize || columns == 0 {
            return invalid_operands(inst);
        }
        if rows.checked_mul(columns).is_none() {
            return limit(format!("a matrix of {rows} by {columns} in memory"));
        }
        let input_signed = signs.contains(CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR);
        let interpretation = Number::of(self.component_number(inst.id(1))?)?;
        let input = self.product_input(inst, interpretation, input_signed, columns)?;
        let matrix = self.stored_matrix(inst, [2, 3, 4], rest + 2, rows, columns)?;
        let start = self.sums_start(inst, with_bias, &input, rows)?;
        let step = rows_at_once(rows, columns);
        let is_loop = rows.saturating_mul(columns) > UNROLLED_MAX && rows > step;
        let mut sums: Vec<Value> = Vec::new();
        if is_loop {
            let whole = rows / step;
            let slot = self.b.function.add_slot(4 * rows);
            // The bias goes through the place of the results.
            for (index, &sum) in (0..).zip(&start) {
                let offset = self.b.i32(4 * index);
                self.b.slot_store(slot, offset, sum);
            }
            let scalar = self.scalar_type(start[0]);
            self.counted_loop(whole, &[], |cx, index, _| {
                let place = cx.scale(index, u64::from(4 * step));
                let mut sums = Vec::new();
                for row in 0..step {
                    let offset = cx.plus_bytes(place, u64::from(4 * row));
                    sums.push(cx.b.slot_load(scalar, slot, offset));
                }
                let first = cx.scale(index, step.into());
                cx.add_rows(&matrix, &input, Some(first), 0, columns, &mut sums)?;
                for (row, &sum) in (0..).zip(&sums) {
                    let offset = cx.plus_bytes(place, 4 * row);
                    cx.b.slot_store(slot, offset, sum);
                }
                Ok(Vec::new())
            })?;
            for index in 0..whole * step {
                let offset = self.b.i32(4 * index);
                sums.push(self.b.slot_load(scalar, slot, offset));
            }
        }
        while (sums.len() as u32) < rows {
            let first = sums.len();
            let end = (first + step as usize).min(rows as usize);
            let mut some = start[first..end].to_vec();
            self.add_rows(&matrix, &input, None, first as u32, columns, &mut some)?;
            sums.extend(some);
        }
        let values: Result<Scalars> = sums
            .into_iter()
            .map(|sum| match (self.scalar_type(sum), result) {
                (Scalar::F32, Scalar::F16 | Scalar::F32) => Ok(self.float_to_float(sum, result, 0)),
                (Scalar::I32, Scalar::I32) => Ok(sum),
                _ => unsupported("results of cooperative vectors of this type"),
            })
            .collect();
        self.define(inst, Operand::Data(values?))
    }

    /// What sums begin with: the bias, or zeros.
    fn sums_start(
        &mut self,
        inst: Instruction<'m>,
        with_bias: bool,
        input: &Input,
        rows: u32,
    ) -> Result<Vec<Value>> {
        let is_float = matches!(input, Input::Floats(_));
        if !with_bias {
            let zero = self.b.constant(if is_float { Scalar::F32 } else { Scalar::I32 }, 0);
            return Ok(vec![zero; rows as usize]);
        }
        let number = Number::of(self.component_number(inst.id(7))?)?;
        let scalar = number.scalar();
        let pointer = self.moved_pointer(inst.id(5), inst.id(6))?;
        let extent = self.b.i64(u64::from(rows) * u64::from(scalar.bytes()));
        let at = self.bytes_behind(&pointer, extent, Access::default())?;
        (0..u64::from(rows))
            .map(|index| {
                let value = self.load_behind(&at, scalar, at.offset, index * u64::from(scalar.bytes()))?;
                match (is_float, number) {
                    (true, _) if number.is_float() => self.number_to_float(value, number),
                    (false, Number::Int { is_signed, .. }) => {
                        self.integer_of_width(value, Scalar::I32, is_signed)
                    }
                    _ => unsupported("a bias of another kind than the product"),
                }
            })
            .collect()
    }

    /// The matrix of a product of so many rows and columns. Places of operands: pointer, offset and component
    /// type; the layout, behind which are whether it is transposed, and the stride.
    fn stored_matrix(
        &mut self,
        inst: Instruction<'m>,
        [pointer, offset, component]: [usize; 3],
        layout: usize,
        rows: u32,
        columns: u32,
    ) -> Result<Stored> {
        let is_transposed = match self.constants.boolean(inst.id(layout + 1)) {
            Some(is_transposed) => is_transposed,
            None => return invalid("whether a matrix is transposed is not a constant"),
        };
        let component = self.component_number(inst.id(component))?;
        let stride = inst.get_id(layout + 2);
        let places = [inst.id(pointer), inst.id(offset)];
        self.matrix_at(places, component, inst.id(layout), is_transposed, stride, [rows, columns])
    }

    /// A matrix in memory, transposed or not, which then has so many rows and columns.
    fn matrix_at(
        &mut self,
        [pointer, offset]: [Id; 2],
        component: ComponentNumber,
        layout: Id,
        is_transposed: bool,
        stride: Option<Id>,
        [rows, columns]: [u32; 2],
    ) -> Result<Stored> {
        let Some(layout) = MatrixLayout::from_number(self.constant_operand(layout)?) else {
            return invalid(format!("{layout} is not a layout of a cooperative vector's matrix"));
        };
        let number = Number::of(component.stored(layout))?;
        let size = u64::from(number.scalar().bytes());
        let by_rows = is_transposed == (layout == MatrixLayout::ColumnMajor);
        let (lines, line) = if by_rows { (rows, columns) } else { (columns, rows) };
        let stride = match stride {
            _ if layout.is_optimal() => Stride::Known(optimal_stride(line, size as u32)),
            None => return invalid("a matrix in memory has no stride"),
            Some(stride) => match self.constants.unsigned(stride) {
                Some(stride) => Stride::Known(stride.into()),
                None => {
                    let stride = self.scalar(stride)?;
                    Stride::Value(self.index_i32(stride))
                }
            },
        };
        let end = u64::from(line) * size;
        let before = u64::from(lines) - 1;
        let extent = match stride {
            Stride::Known(stride) => self.b.i64(stride.saturating_mul(before).saturating_add(end)),
            Stride::Value(stride) => {
                let stride = self.integer_of_width(stride, Scalar::I64, false)?;
                let all = self.scale(stride, before);
                self.plus_bytes(all, end)
            }
        };
        let pointer = self.moved_pointer(pointer, offset)?;
        let bytes = self.bytes_behind(&pointer, extent, Access::default())?;
        Ok(Stored { bytes, number, by_rows, stride })
    }

    /// Bytes to line `index` behind the start, of which some are constant.
    fn line_start(&mut self, matrix: &Stored, index: u32) -> Result<(Value, u64)> {
        let offset = matrix.bytes.offset;
        match matrix.stride {
            Stride::Known(stride) => Ok((offset, stride.saturating_mul(index.into()))),
            Stride::Value(stride) => {
                let stride = self.integer_of_width(stride, self.scalar_type(offset), false)?;
                let more = self.scale(stride, index.into());
                Ok((self.op(Opcode::IAdd, &[offset, more])?, 0))
            }
        }
    }

    /// Adds to sums of consecutive rows, from `dynamic + first` on, their products with the input.
    fn add_rows(
        &mut self,
        matrix: &Stored,
        input: &Input,
        dynamic: Option<Value>,
        first: u32,
        columns: u32,
        sums: &mut [Value],
    ) -> Result {
        let size = u64::from(matrix.number.scalar().bytes());
        let mut moved = Stored { ..*matrix };
        if let Some(dynamic) = dynamic {
            let offset = matrix.bytes.offset;
            let scalar = self.scalar_type(offset);
            let index = self.integer_of_width(dynamic, scalar, false)?;
            let more = match (matrix.by_rows, matrix.stride) {
                (true, Stride::Known(stride)) => self.scale(index, stride),
                (true, Stride::Value(stride)) => {
                    let stride = self.integer_of_width(stride, scalar, false)?;
                    self.op(Opcode::IMul, &[index, stride])?
                }
                (false, _) => self.scale(index, size),
            };
            moved.bytes.offset = self.op(Opcode::IAdd, &[offset, more])?;
        }
        let matrix = &moved;
        let lines = if matrix.by_rows { first..first + sums.len() as u32 } else { 0..columns };
        let starts: Result<Vec<_>> = lines.map(|line| self.line_start(matrix, line)).collect();
        let starts = starts?;
        let load = |cx: &mut Self, scalar: Scalar, row: usize, column: u32| {
            let (line, place) = match matrix.by_rows {
                true => (row, u64::from(column)),
                false => (column as usize, u64::from(first) + row as u64),
            };
            let (offset, bytes) = starts[line];
            cx.load_behind(&matrix.bytes, scalar, offset, bytes.saturating_add(place * size))
        };
        match input {
            Input::Floats(values) => {
                if !matrix.number.is_float() {
                    return unsupported("a product of floats and integers");
                }
                for (column, &value) in (0..).zip(values) {
                    for (row, sum) in sums.iter_mut().enumerate() {
                        let element = load(self, matrix.number.scalar(), row, column)?;
                        let element = self.number_to_float(element, matrix.number)?;
                        let args = [element, value, *sum];
                        *sum = self.op_imm(Opcode::FFma, &args, InstData::MAY_ROUND_TWICE)?;
                    }
                }
            }
            Input::Bytes { words, is_signed: input_signed } => {
                let Number::Int { scalar: Scalar::I8, is_signed } = matrix.number else {
                    return unsupported("a product of bytes and other numbers");
                };
                // One factor is to be signed, the other not: where they are alike, the matrix's elements
                // change by 128, and the sums by so many times the input's sum.
                let alike = is_signed == *input_signed;
                let bias = self.b.i32(BIAS);
                let mut excess = None;
                let ordered = |matrix: Value, input: Value| match input_signed {
                    true => [matrix, input],
                    false => [input, matrix],
                };
                for (index, &word) in (0..).zip(words) {
                    let column = 4 * index;
                    if alike {
                        let more = self.op(Opcode::DotFourBytes, &ordered(bias, word))?;
                        excess = Some(match excess {
                            Some(sum) => self.op(Opcode::IAdd, &[more, sum])?,
                            None => more,
                        });
                    }
                    for (row, sum) in sums.iter_mut().enumerate() {
                        let mut factor = if matrix.by_rows && column + 4 <= columns {
                            load(self, Scalar::I32, row, column)?
                        } else {
                            let mut four = [self.b.constant(Scalar::I8, 0); 4];
                            for (place, byte) in (column..columns).zip(&mut four) {
                                *byte = load(self, Scalar::I8, row, place)?;
                            }
                            integer::word_of_bytes(&mut self.b, four)
                        };
                        if alike {
                            factor = self.op(Opcode::Xor, &[factor, bias])?;
                        }
                        let one = self.op(Opcode::DotFourBytes, &ordered(factor, word))?;
                        *sum = self.op(Opcode::IAdd, &[one, *sum])?;
                    }
                }
                if let Some(excess) = excess {
                    for sum in &mut *sums {
                        *sum = self.op(Opcode::ISub, &[*sum, excess])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// `OpCooperativeVectorOuterProductAccumulateNV`
    fn outer_product(&mut self, inst: Instruction<'m>) -> Result {
        let (x, y) = (self.scalars(inst.id(2))?, self.scalars(inst.id(3))?);
        let from = self.vector_number(inst.id(2), true)?;
        let (rows, columns) = (x.len() as u32, y.len() as u32);
        let component = self.component_number(inst.id(5))?;
        let is_fit =
            from.is_float() && self.vector_number(inst.id(3), true)? == from && rows != 0 && columns != 0;
        let Number::Float(to) = Number::of(component)? else {
            return unsupported("sums of outer products that are not floats");
        };
        if !is_fit {
            return invalid_operands(inst);
        }
        let places = [inst.id(0), inst.id(1)];
        // Sums have the matrix's own type, in every layout.
        let matrix = self.matrix_at(places, component, inst.id(4), false, inst.get_id(6), [rows, columns])?;
        if matrix.number != Number::Float(to) {
            return unsupported("sums in the layout for inferencing");
        }
        let x: Result<Scalars> = x.iter().map(|&x| self.number_to_float(x, from)).collect();
        let y: Result<Scalars> = y.iter().map(|&y| self.number_to_float(y, from)).collect();
        let (x, y) = (x?, y?);
        // Lines are what the loop goes over.
        let (outer, inner) = if matrix.by_rows { (&x, &y) } else { (&y, &x) };
        let size = u64::from(to.bytes());
        let line = |cx: &mut Self, offset: Value, bytes: u64, factor: Value| -> Result {
            for (index, &other) in (0..).zip(inner) {
                let product = cx.op(Opcode::FMul, &[factor, other])?;
                let product = cx.float_to_float(product, to, 0);
                cx.add_to_memory(&matrix.bytes, offset, bytes.saturating_add(index * size), product)?;
            }
            Ok(())
        };
        if outer.len() as u32 * inner.len() as u32 <= ATOMICS_MAX || outer.len() == 1 {
            for (index, &factor) in (0..).zip(outer) {
                let (offset, bytes) = self.line_start(&matrix, index)?;
                line(self, offset, bytes, factor)?;
            }
            return Ok(());
        }
        let slot = self.b.function.add_slot(4 * outer.len() as u32);
        for (index, &factor) in (0..).zip(outer) {
            let offset = self.b.i32(4 * index);
            self.b.slot_store(slot, offset, factor);
        }
        self.counted_loop(outer.len() as u32, &[], |cx, index, _| {
            let offset = matrix.bytes.offset;
            let scalar = cx.scalar_type(offset);
            let number = cx.integer_of_width(index, scalar, false)?;
            let more = match matrix.stride {
                Stride::Known(stride) => cx.scale(number, stride),
                Stride::Value(stride) => {
                    let stride = cx.integer_of_width(stride, scalar, false)?;
                    cx.op(Opcode::IMul, &[number, stride])?
                }
            };
            let offset = cx.op(Opcode::IAdd, &[offset, more])?;
            let place = cx.scale(index, 4);
            let factor = cx.b.slot_load(Scalar::F32, slot, place);
            line(cx, offset, 0, factor)?;
            Ok(Vec::new())
        })?;
        Ok(())
    }

    /// `OpCooperativeVectorReduceSumAccumulateNV`
    fn reduce_sum(&mut self, inst: Instruction<'m>) -> Result {
        let values = self.scalars(inst.id(2))?;
        let Some(&first) = values.first() else { return invalid_operands(inst) };
        let scalar = self.scalar_type(first);
        self.expect_float(inst, &values)?;
        let pointer = self.moved_pointer(inst.id(0), inst.id(1))?;
        if let PointerBase::Range(range) = &pointer.base {
            range.expect_writable()?;
        }
        let extent = self.b.i64(values.len() as u64 * u64::from(scalar.bytes()));
        let at = self.bytes_behind(&pointer, extent, Access::default())?;
        for (index, &value) in (0..).zip(&values) {
            self.add_to_memory(&at, at.offset, index * u64::from(scalar.bytes()), value)?;
        }
        Ok(())
    }

    /// Adds a float to one in memory, atomically.
    fn add_to_memory(&mut self, at: &Bytes, offset: Value, bytes: u64, value: Value) -> Result {
        self.check_size()?;
        let (mut memory, offset) = self.displaced(at, offset, bytes)?;
        memory.speculatable = false;
        let predicate = self.write_predicate(at.predicate);
        let args = [at.base, offset, value, predicate];
        self.b.emit(Opcode::AtomicFAdd, &args, memory.to_imm(), self.scalar_type(value));
        Ok(())
    }
}

/// Rows whose sums grow side by side, of a matrix of so many.
fn rows_at_once(rows: u32, columns: u32) -> u32 {
    let most = (UNROLLED_MAX / columns).clamp(1, ROWS_AT_ONCE);
    most.min(rows)
}
