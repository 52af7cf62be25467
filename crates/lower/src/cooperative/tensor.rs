//! Tensor layouts and views (`SPV_NV_tensor_addressing`), and loads and stores of cooperative matrices by
//! them.
//!
//! A layout or view is its words ([`crate::types::tensor_words`]), which the instructions change one by one;
//! so what a shader says as constants is constant here. Each element's place is computed by itself, as the
//! specification's functions do: `matrixCoordToTensorElement` and `matrixCoordToTensorElementWithView`, in 32
//! bits.

use super::Matrix;
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::memory::range::Address;
use crate::pointer::{Index, MemoryLayout, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::integer;
use pyro_spirv::spirv::{Op, StorageClass, TensorClampMode};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

/// A layout's words.
struct Layout {
    dim: usize,
    mode: TensorClampMode,
    words: Scalars,
}

impl Layout {
    fn part(&self, part: usize, dimension: usize) -> Value {
        self.words[part * self.dim + dimension]
    }

    fn block(&self, dimension: usize) -> Value {
        self.part(0, dimension)
    }

    fn size(&self, dimension: usize) -> Value {
        self.part(1, dimension)
    }

    fn stride(&self, dimension: usize) -> Value {
        self.part(2, dimension)
    }

    fn offset(&self, dimension: usize) -> Value {
        self.part(3, dimension)
    }

    fn span(&self, dimension: usize) -> Value {
        self.part(4, dimension)
    }

    fn clamp_value(&self) -> Value {
        self.words[5 * self.dim]
    }
}

/// A view's words.
struct View {
    dim: usize,
    has_dimensions: bool,
    permutation: Vec<usize>,
    words: Scalars,
}

impl View {
    fn stride(&self, dimension: usize) -> Value {
        self.words[self.dim + dimension]
    }

    /// Offset and span of the rows, and of the columns.
    fn clip(&self) -> [Value; 4] {
        std::array::from_fn(|index| self.words[2 * self.dim + index])
    }
}

/// Where an element is in a tensor.
struct TensorPlace {
    /// Elements, or blocks, from the pointer.
    index: Value,
    /// Coordinates of its block, and in it.
    block: Scalars,
    in_block: Scalars,
    /// It is outside, which counts as the clamp value: none where that cannot be.
    is_outside: Option<Value>,
    /// It is past the end of a dimension, of which nothing is defined: none where the sanitizer does not ask.
    is_past_end: Option<Value>,
    /// It is not clipped: none where nothing is.
    is_taken: Option<Value>,
}

/// Whether an instruction makes or changes a view, else a layout.
fn is_view_instruction(op: Op) -> bool {
    matches!(
        op,
        Op::CreateTensorViewNV
            | Op::TensorViewSetDimensionNV
            | Op::TensorViewSetStrideNV
            | Op::TensorViewSetClipNV
    )
}

impl<'m> Lowerer<'m, '_> {
    /// Dimensions of a layout or view type.
    fn tensor_dim(&self, ty: Id) -> Result<usize> {
        let (Type::TensorLayout { dim, .. } | Type::TensorView { dim, .. }) = self.module.ty(ty) else {
            return invalid(format!("{ty} is not a tensor layout or view"));
        };
        // Fails unless there are from 1 to 5.
        crate::types::tensor_words(&self.constants, ty)?;
        Ok(self.constant_operand(dim)? as usize)
    }

    /// Instructions that make layouts and views, and change them.
    pub(crate) fn lower_tensor_state(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        let dim = self.tensor_dim(ty)?;
        // Only strict checking says that what is changed is of the result's type.
        let is_view = matches!(self.module.ty(ty), Type::TensorView { .. });
        let makes = matches!(inst.op(), Op::CreateTensorLayoutNV | Op::CreateTensorViewNV);
        if is_view != is_view_instruction(inst.op()) || !makes && self.type_of(inst.id(0))? != ty {
            return invalid_operands(inst);
        }
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        if makes {
            let mut words: Scalars = self.type_scalars(ty)?.iter().map(|_| zero).collect();
            if inst.op() == Op::CreateTensorLayoutNV {
                words[..dim].fill(one);
            } else {
                let all = self.b.i32(u32::MAX);
                (words[2 * dim + 1], words[2 * dim + 3]) = (all, all);
            }
            return self.define(inst, Operand::Data(words));
        }
        let mut words = self.scalars(inst.id(0))?;
        let numbers: Result<Vec<Value>> = inst.ids_from(1).iter().map(|id| self.scalar(id)).collect();
        let numbers = numbers?;
        self.expect_int(inst, &numbers)?;
        let expected = match inst.op() {
            Op::TensorLayoutSliceNV => 2 * dim,
            Op::TensorLayoutSetClampValueNV => 1,
            Op::TensorViewSetClipNV => 4,
            _ => dim,
        };
        let is_word = |cx: &Self, value: &Value| cx.scalar_type(*value) == Scalar::I32;
        if numbers.len() != expected || !numbers.iter().all(|value| is_word(self, value)) {
            return invalid_operands(inst);
        }
        match inst.op() {
            Op::TensorLayoutSetBlockSizeNV => words[..dim].copy_from_slice(&numbers),
            Op::TensorLayoutSetDimensionNV => {
                words[dim..2 * dim].copy_from_slice(&numbers);
                words[3 * dim..4 * dim].fill(zero);
                words[4 * dim..5 * dim].copy_from_slice(&numbers);
                let mut stride = one;
                words[3 * dim - 1] = one;
                for place in (0..dim - 1).rev() {
                    // Blocks in the dimension behind, the last one perhaps a part.
                    let block = words[place + 1];
                    let size = numbers[place + 1];
                    let less = self.op(Opcode::ISub, &[block, one])?;
                    let all = self.op(Opcode::IAdd, &[size, less])?;
                    let count = self.op(Opcode::UDiv, &[all, block])?;
                    stride = self.op(Opcode::IMul, &[stride, count])?;
                    words[2 * dim + place] = stride;
                }
            }
            Op::TensorLayoutSetStrideNV => words[2 * dim..3 * dim].copy_from_slice(&numbers),
            Op::TensorLayoutSliceNV => {
                for (place, pair) in numbers.chunks(2).enumerate() {
                    words[3 * dim + place] = self.op(Opcode::IAdd, &[words[3 * dim + place], pair[0]])?;
                    words[4 * dim + place] = pair[1];
                }
            }
            Op::TensorLayoutSetClampValueNV => words[5 * dim] = numbers[0],
            Op::TensorViewSetDimensionNV => {
                words[..dim].copy_from_slice(&numbers);
                let mut stride = one;
                words[2 * dim - 1] = one;
                for place in (0..dim - 1).rev() {
                    stride = self.op(Opcode::IMul, &[stride, numbers[place + 1]])?;
                    words[dim + place] = stride;
                }
            }
            Op::TensorViewSetStrideNV => words[dim..2 * dim].copy_from_slice(&numbers),
            Op::TensorViewSetClipNV => words[2 * dim..].copy_from_slice(&numbers),
            _ => return self.unsupported(inst),
        }
        self.define(inst, Operand::Data(words))
    }

    fn tensor_layout(&mut self, id: Id) -> Result<Layout> {
        let ty = self.type_of(id)?;
        let dim = self.tensor_dim(ty)?;
        let Type::TensorLayout { clamp_mode, .. } = self.module.ty(ty) else {
            return invalid(format!("{id} is not a tensor layout"));
        };
        let Some(mode) = TensorClampMode::from_u32(self.constant_operand(clamp_mode)?) else {
            return invalid(format!("{clamp_mode} is not a clamp mode"));
        };
        Ok(Layout { dim, mode, words: self.scalars(id)? })
    }

    fn tensor_view(&mut self, id: Id) -> Result<View> {
        let ty = self.type_of(id)?;
        let dim = self.tensor_dim(ty)?;
        let Type::TensorView { has_dimensions, permutation, .. } = self.module.ty(ty) else {
            return invalid(format!("{id} is not a tensor view"));
        };
        let Some(has_dimensions) = self.constants.boolean(has_dimensions) else {
            return invalid(format!("{has_dimensions} is not a constant boolean"));
        };
        let places: Result<Vec<usize>> =
            permutation.iter().map(|id| Ok(self.constant_operand(id)? as usize)).collect();
        let permutation = places?;
        if permutation.len() != dim || permutation.iter().any(|&place| place >= dim) {
            return invalid(format!("{ty} does not put its dimensions in order"));
        }
        Ok(View { dim, has_dimensions, permutation, words: self.scalars(id)? })
    }

    /// Coordinates of an index, the last dimension's first; where an index is less than what is left, it is
    /// its coordinate.
    fn coordinates(
        &mut self,
        mut index: Value,
        sizes: &[Value],
        order: impl Iterator<Item = usize>,
    ) -> Result<Scalars> {
        let mut coordinates = Scalars::from_elem(index, sizes.len());
        for place in order {
            coordinates[place] = self.op(Opcode::URem, &[index, sizes[place]])?;
            index = self.op(Opcode::UDiv, &[index, sizes[place]])?;
        }
        Ok(coordinates)
    }

    /// Where the element at a row and column of a matrix is.
    fn tensor_place(
        &mut self,
        layout: &Layout,
        view: Option<&View>,
        matrix: &Matrix,
        [mut row, mut column]: [Value; 2],
        is_store: bool,
    ) -> Result<TensorPlace> {
        let mut is_taken = None;
        let mut width = self.b.i32(matrix.columns);
        if let Some(view) = view {
            let [first_row, row_span, first_column, column_span] = view.clip();
            // Numbers before the first wrap to what is larger than any span.
            row = self.op(Opcode::ISub, &[row, first_row])?;
            column = self.op(Opcode::ISub, &[column, first_column])?;
            let in_rows = self.op(Opcode::ULt, &[row, row_span])?;
            let in_columns = self.op(Opcode::ULt, &[column, column_span])?;
            let is_inside = self.op(Opcode::And, &[in_rows, in_columns])?;
            is_taken = (self.b.function.const_bits(is_inside) != Some(1)).then_some(is_inside);
            width = self.op(Opcode::UMin, &[width, column_span])?;
        }
        let spans: Vec<Value> = (0..layout.dim).map(|dimension| layout.span(dimension)).collect();
        let bits = |cx: &Self, value| cx.b.function.const_bits(value);
        // Rows of the matrix are rows of the slice.
        let is_plain = view.is_none()
            && layout.dim == 2
            && bits(self, spans[1]) == Some(matrix.columns.into())
            && bits(self, spans[0]).is_some_and(|span| span >= matrix.rows.into());
        let coordinates = if is_plain {
            Scalars::from_slice(&[row, column])
        } else {
            let start = self.op(Opcode::IMul, &[row, width])?;
            let mut index = self.op(Opcode::IAdd, &[start, column])?;
            if let Some(view) = view {
                index = self.viewed(layout, view, index)?;
            }
            self.coordinates(index, &spans, (0..layout.dim).rev())?
        };
        let mut place = TensorPlace {
            index: self.b.i32(0),
            block: Scalars::new(),
            in_block: Scalars::new(),
            is_outside: None,
            is_past_end: None,
            is_taken,
        };
        for (dimension, &coordinate) in coordinates.iter().enumerate() {
            let at = self.op(Opcode::IAdd, &[coordinate, layout.offset(dimension)])?;
            if matches!(layout.mode, TensorClampMode::Undefined)
                && self.sanitizer.is_on(Kind::BoundsTensorLayout)
            {
                let past = self.op(Opcode::ULe, &[layout.size(dimension), at])?;
                place.is_past_end = Some(match place.is_past_end {
                    Some(before) => self.op(Opcode::Or, &[before, past])?,
                    None => past,
                });
            }
            let at = self.clamped(layout, dimension, at, is_store, &mut place.is_outside)?;
            let block = layout.block(dimension);
            let (number, rest) = if bits(self, block) == Some(1) {
                (at, self.b.i32(0))
            } else {
                (self.op(Opcode::UDiv, &[at, block])?, self.op(Opcode::URem, &[at, block])?)
            };
            let more = self.op(Opcode::IMul, &[number, layout.stride(dimension)])?;
            place.index = self.op(Opcode::IAdd, &[place.index, more])?;
            place.block.push(number);
            place.in_block.push(rest);
        }
        Ok(place)
    }

    /// An index in a view as one in the layout's span.
    fn viewed(&mut self, layout: &Layout, view: &View, index: Value) -> Result<Value> {
        if !view.has_dimensions && view.dim > layout.dim {
            return unsupported("a tensor view of more dimensions than its layout");
        }
        let sizes: Vec<Value> = (0..view.dim)
            .map(|dimension| if view.has_dimensions { view.words[dimension] } else { layout.span(dimension) })
            .collect();
        let order = view.permutation.iter().rev().copied();
        let coordinates = self.coordinates(index, &sizes, order)?;
        let mut strides: Vec<Value> = (0..view.dim).map(|dimension| view.stride(dimension)).collect();
        if !view.has_dimensions {
            strides[view.dim - 1] = self.b.i32(1);
            for dimension in (0..view.dim - 1).rev() {
                let behind = [strides[dimension + 1], layout.span(dimension + 1)];
                strides[dimension] = self.op(Opcode::IMul, &behind)?;
            }
        }
        let mut index = self.b.i32(0);
        for (&coordinate, &stride) in coordinates.iter().zip(&strides) {
            let more = self.op(Opcode::IMul, &[coordinate, stride])?;
            index = self.op(Opcode::IAdd, &[index, more])?;
        }
        Ok(index)
    }

    /// A coordinate brought into its dimension, or said to be outside.
    fn clamped(
        &mut self,
        layout: &Layout,
        dimension: usize,
        at: Value,
        is_store: bool,
        is_outside: &mut Option<Value>,
    ) -> Result<Value> {
        let size = layout.size(dimension);
        let (zero, one, two) = (self.b.i32(0), self.b.i32(1), self.b.i32(2));
        let mode = match layout.mode {
            TensorClampMode::Undefined => return Ok(at),
            _ if is_store => TensorClampMode::Constant,
            mode => mode,
        };
        Ok(match mode {
            TensorClampMode::Constant => {
                // Negative numbers are larger than any dimension.
                let outside = self.op(Opcode::ULe, &[size, at])?;
                *is_outside = Some(match *is_outside {
                    Some(other) => self.op(Opcode::Or, &[other, outside])?,
                    None => outside,
                });
                self.b.select(outside, zero, at)
            }
            TensorClampMode::ClampToEdge => {
                let last = self.op(Opcode::ISub, &[size, one])?;
                let at = self.op(Opcode::SMax, &[at, zero])?;
                self.op(Opcode::SMin, &[at, last])?
            }
            TensorClampMode::Repeat => integer::s_mod(&mut self.b, at, size),
            TensorClampMode::RepeatMirrored => {
                let twice = self.op(Opcode::IMul, &[size, two])?;
                let period = self.op(Opcode::ISub, &[twice, two])?;
                let at = integer::s_mod(&mut self.b, at, period);
                let mirrored = self.op(Opcode::ISub, &[period, at])?;
                let is_back = self.op(Opcode::SLe, &[size, at])?;
                self.b.select(is_back, mirrored, at)
            }
            TensorClampMode::Undefined => at,
        })
    }

    /// A pointer moved by a number of elements, of 32 bits without sign.
    fn element_pointer(&mut self, pointer: &Pointer, index: Value, size: u64) -> Result<Pointer> {
        let mut pointer = pointer.clone();
        let index = match self.has_wide_indices(&pointer) {
            true => self.integer_of_width(index, Scalar::I64, false)?,
            false => index,
        };
        self.add_index(&mut pointer, Index::Dynamic(index), size, None);
        Ok(pointer)
    }

    /// The operands of an access to an element.
    fn tensor_address(
        &mut self,
        pointer: &Pointer,
        matrix: &Matrix,
        place: &TensorPlace,
        access: Access,
    ) -> Result<Address> {
        let size = u64::from(matrix.scalar.bytes());
        let pointer = self.element_pointer(pointer, place.index, size)?;
        let mut address = match &pointer.base {
            PointerBase::Range(range) => self.range_address(&pointer, range, 0, size, access),
            _ => self.physical_operands(&pointer, 0, access),
        };
        if let Some(is_there) = self.is_there(place)? {
            address.predicate = self.op(Opcode::And, &[address.predicate, is_there])?;
        }
        Ok(address)
    }

    /// Whether an element is in memory: none where all are.
    fn is_there(&mut self, place: &TensorPlace) -> Result<Option<Value>> {
        let Some(is_outside) = place.is_outside else { return Ok(place.is_taken) };
        let truth = self.b.bool(true);
        let is_inside = self.op(Opcode::Xor, &[is_outside, truth])?;
        Ok(Some(match place.is_taken {
            Some(is_taken) => self.op(Opcode::And, &[is_inside, is_taken])?,
            None => is_inside,
        }))
    }

    /// Whether an access is inside of its memory, or is none: of an element that is not there, or that no
    /// invocation has.
    fn unless_absent(&mut self, place: &TensorPlace, is_had: Option<Value>, inside: Value) -> Result<Value> {
        if self.sanitizer.is_off() {
            return Ok(inside);
        }
        let mut inside = inside;
        for there in [self.is_there(place)?, is_had, place.is_past_end].into_iter().enumerate() {
            // Elements past the end are found as such.
            let (which, Some(there)) = there else { continue };
            let absent = if which == 2 { there } else { self.b.op(Opcode::Not, &[there]) };
            inside = self.op(Opcode::Or, &[inside, absent])?;
        }
        Ok(inside)
    }

    fn tensor_pointer(&mut self, id: Id) -> Result<Pointer> {
        let pointer = self.pointer(id)?;
        match pointer.base {
            PointerBase::Range(_) | PointerBase::Physical { .. } => Ok(pointer),
            _ => unsupported("cooperative matrices in memory of single invocations"),
        }
    }

    /// `OpCooperativeMatrixLoadTensorNV`. Where the shader has a function that decodes vectors, it has one
    /// that decodes an element, too, which is called for each: an implementation may choose
    /// (`SPV_NV_cooperative_matrix_decode_vector`).
    pub(super) fn tensor_load(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.result_type(inst)?;
        let matrix = self.matrix(ty)?;
        let addressing = inst.tensor_addressing(3);
        let pointer = self.tensor_pointer(inst.id(0))?;
        let before = self.scalars(inst.id(1))?;
        let layout = self.tensor_layout(inst.id(2))?;
        let view = addressing.view.map(|view| self.tensor_view(view)).transpose()?;
        let lacks_decode = addressing.decode_vector.is_some() && addressing.decode.is_none();
        if before.len() != matrix.count() as usize || lacks_decode {
            return invalid_operands(inst);
        }
        let lane = self.b.op(Opcode::LaneId, &[]);
        let outside = self.clamp_element(&layout, &matrix)?;
        let mut values = Scalars::new();
        for (index, &before) in (0..).zip(&before) {
            self.check_size()?;
            let element = self.element_place(&matrix, lane, index)?;
            let place = self.tensor_place(&layout, view.as_ref(), &matrix, element, false)?;
            if let Some(is_past_end) = place.is_past_end {
                self.sanitize_layout(is_past_end, place.is_taken)?;
            }
            let mut value = match addressing.decode {
                Some(function) => self.decoded(function, &pointer, &matrix, &place)?,
                None => {
                    let at = self.tensor_address(&pointer, &matrix, &place, Access::of(inst, 3))?;
                    let inside = self.unless_absent(&place, None, at.predicate)?;
                    self.sanitize_bytes(&pointer, inside, "a cooperative matrix")?;
                    self.load_scalar(matrix.scalar, at)
                }
            };
            if let Some(is_outside) = place.is_outside {
                value = self.b.select(is_outside, outside, value);
            }
            if let Some(is_taken) = place.is_taken {
                value = self.b.select(is_taken, value, before);
            }
            values.push(value);
        }
        self.define(inst, Operand::Data(values))
    }

    /// The clamp value as an element: its low bits.
    fn clamp_element(&mut self, layout: &Layout, matrix: &Matrix) -> Result<Value> {
        let bits = self.integer_of_width(layout.clamp_value(), matrix.scalar.to_int(), false)?;
        Ok(self.b.bitcast(bits, matrix.scalar))
    }

    /// What the shader's function makes of the block in which an element is. Where there is none, it gets the
    /// first block.
    fn decoded(
        &mut self,
        function: Id,
        pointer: &Pointer,
        matrix: &Matrix,
        place: &TensorPlace,
    ) -> Result<Value> {
        let parameter = self.module.function_of(function).and_then(|function| {
            let parameter = self.module.parameters(function).next()?;
            self.module.pointer(parameter.result_type()?)
        });
        let Some((StorageClass::PhysicalStorageBuffer, pointee)) = parameter else {
            return invalid(format!("the first parameter of {function} is not a pointer to physical memory"));
        };
        let Some(size) = self.explicit_size(pointee) else {
            return invalid(format!("{pointee} has no size in memory"));
        };
        let mut index = place.index;
        if let Some(is_there) = self.is_there(place)? {
            let zero = self.b.i32(0);
            index = self.b.select(is_there, index, zero);
        }
        let address = match &pointer.base {
            PointerBase::Range(range) => {
                let offset = self.range_offset_saturated(pointer, range);
                let offset = self.integer_of_width(offset, Scalar::I64, false)?;
                self.op(Opcode::IAdd, &[range.base, offset])?
            }
            _ => self.physical_address(pointer),
        };
        let index = self.integer_of_width(index, Scalar::I64, false)?;
        let bytes = self.scale(index, size);
        let address = self.op(Opcode::IAdd, &[address, bytes])?;
        let block = Pointer::new(PointerBase::Physical { address }, Some(pointee), MemoryLayout::EXPLICIT);
        let arguments =
            vec![block.into(), Operand::Data(place.block.clone()), Operand::Data(place.in_block.clone())];
        self.element_of_call(function, arguments, matrix)
    }

    /// Bytes from one value of a type to the next, as decorations lay it out.
    fn explicit_size(&self, ty: Id) -> Option<u64> {
        let mut layouts =
            pyro_spirv::layout::Layouts::new(&self.constants, pyro_spirv::layout::LayoutKind::Explicit);
        let extent = layouts.extent(ty).ok()?;
        Some(extent.size.next_multiple_of(extent.align.max(1).into()))
    }

    /// `OpCooperativeMatrixStoreTensorNV`
    pub(super) fn tensor_store(&mut self, inst: Instruction<'m>) -> Result {
        let ty = self.type_of(inst.id(1))?;
        let matrix = self.matrix(ty)?;
        let addressing = inst.tensor_addressing(3);
        let pointer = self.tensor_pointer(inst.id(0))?;
        if let PointerBase::Range(range) = &pointer.base {
            range.expect_writable()?;
        }
        let values = self.scalars(inst.id(1))?;
        let layout = self.tensor_layout(inst.id(2))?;
        let view = addressing.view.map(|view| self.tensor_view(view)).transpose()?;
        let decodes = addressing.decode.or(addressing.decode_vector).is_some();
        if values.len() != matrix.count() as usize || decodes {
            return invalid_operands(inst);
        }
        let lane = self.b.op(Opcode::LaneId, &[]);
        for (index, &value) in (0..).zip(&values) {
            self.check_size()?;
            let ([row, column], is_inside) = self.places(&matrix, lane, index)?;
            let element = [self.place_value(row), self.place_value(column)];
            let place = self.tensor_place(&layout, view.as_ref(), &matrix, element, true)?;
            let mut at = self.tensor_address(&pointer, &matrix, &place, Access::of(inst, 3))?;
            if let Some(is_past_end) = place.is_past_end {
                let made = match (place.is_taken, is_inside) {
                    (Some(taken), Some(inside)) => Some(self.op(Opcode::And, &[taken, inside])?),
                    (taken, inside) => taken.or(inside),
                };
                self.sanitize_layout(is_past_end, made)?;
            }
            let inside = self.unless_absent(&place, is_inside, at.predicate)?;
            self.sanitize_bytes(&pointer, inside, "a cooperative matrix")?;
            if let Some(is_inside) = is_inside {
                at.predicate = self.op(Opcode::And, &[at.predicate, is_inside])?;
            }
            at.memory.speculatable = false;
            self.store_scalar(matrix.scalar, at, value);
        }
        Ok(())
    }
}
