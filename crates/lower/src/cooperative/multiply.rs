//! Products of cooperative matrices, added to a third.
//!
//! Floats are computed in 32 bits (64 where the result has them): an element of the result is that of the
//! accumulator, to which products are fused one after the other in the order of the first factor's columns,
//! rounded to the result's type at the end. Integers wrap at the result's width; where accumulation
//! saturates, that is once, at the end, of the exact sum.
//!
//! Bytes are multiplied four by four, as VNNI does, of unsigned ones with signed ones: where both factors are
//! alike, 128 is added to (or taken from) the first one's bytes, and what that makes of the sum is the same
//! for a whole column.

use super::Matrix;
use super::staging::{ElementIndex, Slot};
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, unsupported};
use crate::value::{Operand, Scalars};
use pyro_ir::{InstData, Opcode, Scalar, Value};
use pyro_library::integer;
use pyro_spirv::spirv::{CooperativeMatrixOperands, FPEncoding, Op};
use pyro_spirv::{Float8, Id, Instruction, Type};

/// The highest bit of each byte.
const BIAS: u32 = 0x8080_8080;
/// Bytes of a word.
const WORD_BYTES: u32 = 4;
/// Multiplications of one product that are written out; more are loops.
const UNROLLED_MAX: u32 = 4096;
/// Sums that grow side by side.
const SUMS_AT_ONCE: u32 = 24;

/// The factors and the result of a product.
struct Product {
    a: Matrix,
    b: Matrix,
    result: Matrix,
}

/// What integer operands are, as the instruction says.
#[derive(Clone, Copy)]
pub(super) struct Signs {
    pub(super) a: bool,
    pub(super) b: bool,
    /// Of the accumulator and the result.
    pub(super) result: bool,
    pub(super) saturate: bool,
}

impl<'m> Lowerer<'m, '_> {
    /// `OpCooperativeMatrixMulAddKHR`, `OpCooperativeMatrixMulAddNV`
    pub(super) fn matrix_multiply_add(&mut self, inst: Instruction<'m>) -> Result {
        let [a, b, c] = [self.type_of(inst.id(0))?, self.type_of(inst.id(1))?, self.type_of(inst.id(2))?];
        let ty = self.result_type(inst)?;
        let (added, result) = (self.matrix(c)?, self.matrix(ty)?);
        let product = Product { a: self.matrix(a)?, b: self.matrix(b)?, result };
        let Product { a, b, .. } = &product;
        let fits = a.columns == b.rows
            && [(a.rows, b.columns), (added.rows, added.columns)] == [(result.rows, result.columns); 2];
        if !fits {
            return invalid_operands(inst);
        }
        let [x, y, z] = [self.scalars(inst.id(0))?, self.scalars(inst.id(1))?, self.scalars(inst.id(2))?];
        let is_float =
            |cx: &Self, matrix: &Matrix| matches!(cx.module.ty(matrix.component), Type::Float { .. });
        let floats = [a, b, &added, &result].map(|matrix| is_float(self, matrix));
        let values = match floats {
            [true, true, true, true] => self.float_products(&product, &x, &y, &z, &added)?,
            [false, false, false, false] if added.scalar == result.scalar => {
                let signs = self.signs(inst, &product);
                self.integer_products(inst, &product, signs, &x, &y, &z)?
            }
            _ => return invalid_operands(inst),
        };
        self.define(inst, Operand::Data(values))
    }

    /// The signs of a product's operands.
    pub(super) fn product_signs(&mut self, inst: Instruction<'m>) -> Result<Signs> {
        let [a, b] = [self.type_of(inst.id(0))?, self.type_of(inst.id(1))?];
        let ty = self.result_type(inst)?;
        let product = Product { a: self.matrix(a)?, b: self.matrix(b)?, result: self.matrix(ty)? };
        Ok(self.signs(inst, &product))
    }

    /// What the instruction's operands say; of the first extension, the types.
    fn signs(&self, inst: Instruction<'m>, product: &Product) -> Signs {
        if inst.op() == Op::CooperativeMatrixMulAddNV {
            let signed =
                |matrix: &Matrix| matches!(self.module.ty(matrix.component), Type::Int { signed: true, .. });
            let Product { a, b, result } = product;
            return Signs { a: signed(a), b: signed(b), result: signed(result), saturate: false };
        }
        let operands = CooperativeMatrixOperands::from_bits_retain(inst.get_word(3).unwrap_or(0));
        Signs {
            a: operands.contains(CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR),
            b: operands.contains(CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
            result: operands.contains(CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR),
            saturate: operands.contains(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR),
        }
    }

    /// A float of any type as `f32` or `f64`.
    pub(super) fn matrix_float(&mut self, x: Value, component: Id, to: Scalar) -> Result<Value> {
        let Type::Float { encoding, .. } = self.module.ty(component) else {
            return unsupported("cooperative matrices of floats and integers");
        };
        let x = match encoding {
            None => x,
            Some(FPEncoding::BFloat16KHR) => self.op(Opcode::FromBfloat, &[x])?,
            Some(other) => match Float8::from_encoding(other) {
                Some(kind) => self.float8_to_float(x, kind),
                None => return unsupported(format!("cooperative matrices of {other:?}")),
            },
        };
        Ok(self.float_to_float(x, to, 0))
    }

    /// An `f32` or `f64` as a matrix's element, rounded to nearest.
    pub(super) fn matrix_element(&mut self, x: Value, component: Id) -> Result<Value> {
        let Type::Float { width, encoding } = self.module.ty(component) else {
            return unsupported("cooperative matrices of floats and integers");
        };
        let narrow = |cx: &mut Self| match cx.scalar_type(x) {
            Scalar::F64 => cx.double_to_float_odd(x),
            _ => x,
        };
        match (encoding, Scalar::float(width)) {
            (None, Some(scalar)) => Ok(self.float_to_float(x, scalar, 0)),
            (Some(FPEncoding::BFloat16KHR), _) => {
                let x = narrow(self);
                self.op(Opcode::ToBfloat, &[x])
            }
            (Some(other), _) => match Float8::from_encoding(other) {
                Some(kind) => {
                    let x = narrow(self);
                    Ok(self.float_to_float8(x, kind, false))
                }
                None => unsupported(format!("cooperative matrices of {other:?}")),
            },
            (None, None) => unsupported(format!("cooperative matrices of floats of {width} bits")),
        }
    }

    fn float_products(
        &mut self,
        product: &Product,
        x: &[Value],
        y: &[Value],
        z: &[Value],
        added: &Matrix,
    ) -> Result<Scalars> {
        let Product { a, b, result } = product;
        let is_double = [a, b, added, result].iter().any(|matrix| matrix.scalar == Scalar::F64);
        let wide = if is_double { Scalar::F64 } else { Scalar::F32 };
        let convert = |cx: &mut Self, values: &[Value], matrix: &Matrix| -> Result<Scalars> {
            values.iter().map(|&value| cx.matrix_float(value, matrix.component, wide)).collect()
        };
        let x = convert(self, x, a)?;
        let y = convert(self, y, b)?;
        let mut sums = convert(self, z, added)?;
        self.sum_products(product, wide, [&x, &y], &mut sums, |cx, a, b, sum| {
            cx.op_imm(Opcode::FFma, &[a, b, sum], InstData::MAY_ROUND_TWICE)
        })?;
        sums.iter().map(|&sum| self.matrix_element(sum, result.component)).collect()
    }

    fn integer_products(
        &mut self,
        inst: Instruction<'m>,
        product: &Product,
        signs: Signs,
        x: &[Value],
        y: &[Value],
        z: &[Value],
    ) -> Result<Scalars> {
        let Product { a, b, result } = product;
        let is_bytes = [a.scalar, b.scalar, result.scalar] == [Scalar::I8, Scalar::I8, Scalar::I32]
            && a.columns.is_multiple_of(WORD_BYTES)
            && result.row_blocks().is_some()
            && (b.subgroups == 1 || b.rows.is_multiple_of(WORD_BYTES * b.subgroups));
        // Sums that cannot wrap: 32 bits hold as many products of bytes as a matrix has columns, 64 those of
        // halves.
        let is_narrow = a.scalar.bits().max(b.scalar.bits()) <= 16;
        let zero = self.b.constant(result.scalar, 0);
        if is_bytes {
            let sums = if signs.saturate { vec![zero; z.len()] } else { z.to_vec() };
            let sums = self.byte_products(product, signs, x, y, sums)?;
            if !signs.saturate {
                return Ok(sums);
            }
            // The sum of products is negative only where a factor is.
            let add = match (signs.result, signs.a || signs.b) {
                (true, _) => integer::s_add_sat,
                (false, false) => integer::u_add_sat,
                (false, true) => return self.wide_products(product, signs, x, y, z),
            };
            return Ok(z.iter().zip(&sums).map(|(&z, &sum)| add(&mut self.b, sum, z)).collect());
        }
        if signs.saturate {
            if !is_narrow || result.scalar == Scalar::I64 {
                return self.unsupported(inst);
            }
            return self.wide_products(product, signs, x, y, z);
        }
        self.plain_products(product, signs, x, y, z.to_vec(), result.scalar)
    }

    /// Sums in 64 bits, limited to the result's type at the end.
    fn wide_products(
        &mut self,
        product: &Product,
        signs: Signs,
        x: &[Value],
        y: &[Value],
        z: &[Value],
    ) -> Result<Scalars> {
        let to = product.result.scalar;
        let z: Result<Vec<Value>> =
            z.iter().map(|&z| self.integer_of_width(z, Scalar::I64, signs.result)).collect();
        let sums = self.plain_products(product, signs, x, y, z?, Scalar::I64)?;
        let limit = if signs.result { integer::sat_convert_s_to_s } else { integer::sat_convert_s_to_u };
        Ok(sums.iter().map(|&sum| limit(&mut self.b, sum, to)).collect())
    }

    /// Sums of products in one width.
    fn plain_products(
        &mut self,
        product: &Product,
        signs: Signs,
        x: &[Value],
        y: &[Value],
        mut sums: Vec<Value>,
        wide: Scalar,
    ) -> Result<Scalars> {
        let extend = |cx: &mut Self, values: &[Value], signed| -> Result<Scalars> {
            values.iter().map(|&value| cx.integer_of_width(value, wide, signed)).collect()
        };
        let (x, y) = (extend(self, x, signs.a)?, extend(self, y, signs.b)?);
        self.sum_products(product, wide, [&x, &y], &mut sums, |cx, a, b, sum| {
            let one = cx.op(Opcode::IMul, &[a, b])?;
            cx.op(Opcode::IAdd, &[one, sum])
        })?;
        Ok(sums.into_iter().collect())
    }

    /// Adds to sums, in the order of the first factor's columns, what `add` makes of an element of each
    /// factor and a sum.
    fn sum_products(
        &mut self,
        product: &Product,
        wide: Scalar,
        [x, y]: [&[Value]; 2],
        sums: &mut [Value],
        add: impl Fn(&mut Self, Value, Value, Value) -> Result<Value>,
    ) -> Result {
        let Product { a, b, result } = product;
        let size = wide.bytes();
        let Some(blocks) = result.row_blocks() else {
            self.stage_both((a, x), (b, y))?;
            let lane = self.b.op(Opcode::LaneId, &[]);
            for (index, sum) in (0..).zip(sums) {
                // Lanes differ in their rows too.
                let [row, column] = self.element_place(result, lane, index)?;
                let row =
                    self.staged_offset(ElementIndex::Lane(row), ElementIndex::Known(0), a.columns, size);
                let column =
                    self.staged_offset(ElementIndex::Known(0), ElementIndex::Lane(column), b.columns, size);
                for k in 0..a.columns {
                    let factor = self.staged_at(Slot::first(a), wide, row, k * size)?;
                    let other = self.staged_at(Slot::second(b), wide, column, k * b.columns * size)?;
                    *sum = add(self, factor, other, *sum)?;
                }
            }
            return Ok(());
        };
        let steps = Steps { count: a.columns, row_bytes: a.columns * size, first: wide, second: wide };
        if is_unrolled(result, steps.count) {
            self.stage(a, x)?;
            return self.sum_rows(result, &steps, y, sums, add);
        }
        debug_assert!(blocks > 0);
        self.stage_both((a, x), (b, y))?;
        self.sum_tiles(result, &steps, sums, add)
    }

    /// Sums of products of a factor that is staged and one whose rows are here. As many rows of the result at
    /// a time as registers hold.
    fn sum_rows(
        &mut self,
        result: &Matrix,
        steps: &Steps,
        y: &[Value],
        sums: &mut [Value],
        add: impl Fn(&mut Self, Value, Value, Value) -> Result<Value>,
    ) -> Result {
        let blocks = (result.columns / result.lanes) as usize;
        let rows = (SUMS_AT_ONCE / blocks as u32).clamp(1, result.rows);
        for first in (0..result.rows).step_by(rows as usize) {
            for (k, row) in (0..).zip(y.chunks_exact(blocks)) {
                for m in first..(first + rows).min(result.rows) {
                    let factor = self.staged(steps.first, m * steps.row_bytes + k * steps.first.bytes())?;
                    for (&other, sum) in row.iter().zip(&mut sums[m as usize * blocks..]) {
                        *sum = add(self, factor, other, *sum)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Sums of products of factors that are both staged: a loop over tiles of the result, in it one over
    /// steps.
    fn sum_tiles(
        &mut self,
        result: &Matrix,
        steps: &Steps,
        sums: &mut [Value],
        add: impl Fn(&mut Self, Value, Value, Value) -> Result<Value>,
    ) -> Result {
        let lanes = result.lanes;
        let blocks = result.columns / lanes;
        let wide = if blocks.is_multiple_of(2) { 2 } else { 1 };
        let high = (1..=8).rev().find(|&high| result.own_rows().is_multiple_of(high)).unwrap_or(1);
        let unrolled = (1..=4).rev().find(|&some| steps.count.is_multiple_of(some)).unwrap_or(1);
        let Some(&first_sum) = sums.first() else { return Ok(()) };
        let scalar = self.scalar_type(first_sum);
        let size = scalar.bytes();
        let slot = self.b.function.add_slot(sums.len() as u32 * size);
        for (index, &sum) in (0..).zip(&*sums) {
            let offset = self.b.i32(index * size);
            self.b.slot_store(slot, offset, sum);
        }
        let lane = self.b.op(Opcode::LaneId, &[]);
        let lane_bytes = self.scale(lane, steps.second.bytes().into());
        let first_row = match self.sharing_subgroup(result)? {
            Some(subgroup) => self.scale(subgroup, u64::from(result.own_rows()) * u64::from(steps.row_bytes)),
            None => self.b.i32(0),
        };
        let second_row = result.columns * steps.second.bytes();
        let tiles = [result.own_rows() / high, blocks / wide];
        let (first_slot, second_slot) = (Slot::first(result), Slot::second(result));
        self.counted_loop(tiles[0] * tiles[1], &[], |cx, index, _| {
            let across = cx.b.i32(tiles[1]);
            let tile_row = cx.op(Opcode::UDiv, &[index, across])?;
            let tile_column = cx.op(Opcode::URem, &[index, across])?;
            let place = cx.scale(tile_row, (high * blocks * size).into());
            let place_column = cx.scale(tile_column, (wide * size).into());
            let place = cx.op(Opcode::IAdd, &[place, place_column])?;
            let at = |cx: &mut Self, row: u32, block: u32| cx.plus(place, (row * blocks + block) * size);
            let mut tile = Vec::new();
            for row in 0..high {
                for block in 0..wide {
                    let offset = at(cx, row, block);
                    tile.push(cx.b.slot_load(scalar, slot, offset));
                }
            }
            let down = cx.scale(tile_row, (high * steps.row_bytes).into());
            let row_start = cx.op(Opcode::IAdd, &[first_row, down])?;
            let right = cx.scale(tile_column, (wide * lanes * steps.second.bytes()).into());
            let column_start = cx.op(Opcode::IAdd, &[lane_bytes, right])?;
            let tile = cx.counted_loop(steps.count / unrolled, &tile, |cx, step, tile| {
                let mut tile = tile.to_vec();
                let along = cx.scale(step, (unrolled * steps.first.bytes()).into());
                let first = cx.op(Opcode::IAdd, &[row_start, along])?;
                let below = cx.scale(step, (unrolled * second_row).into());
                let second = cx.op(Opcode::IAdd, &[column_start, below])?;
                for k in 0..unrolled {
                    let mut others = Vec::new();
                    for block in 0..wide {
                        let bytes = k * second_row + block * lanes * steps.second.bytes();
                        others.push(cx.staged_at(second_slot, steps.second, second, bytes)?);
                    }
                    for (row, sums) in (0..).zip(tile.chunks_mut(wide as usize)) {
                        let bytes = row * steps.row_bytes + k * steps.first.bytes();
                        let factor = cx.staged_at(first_slot, steps.first, first, bytes)?;
                        for (&other, sum) in others.iter().zip(sums) {
                            *sum = add(cx, factor, other, *sum)?;
                        }
                    }
                }
                Ok(tile)
            })?;
            for (number, &sum) in (0..).zip(&tile) {
                let offset = at(cx, number / wide, number % wide);
                cx.b.slot_store(slot, offset, sum);
            }
            Ok(Vec::new())
        })?;
        for (index, sum) in (0..).zip(sums) {
            let offset = self.b.i32(index * size);
            *sum = self.b.slot_load(scalar, slot, offset);
        }
        Ok(())
    }

    /// Sums of products of bytes, in 32 bits, whose columns are a multiple of four.
    fn byte_products(
        &mut self,
        product: &Product,
        signs: Signs,
        x: &[Value],
        y: &[Value],
        mut sums: Vec<Value>,
    ) -> Result<Scalars> {
        let Product { a, b, result } = product;
        // One factor is to be signed, the other not: where they are alike, the first one changes.
        let alike = signs.a == signs.b;
        let x: Result<Scalars> = match alike {
            true => {
                let bias = self.b.constant(Scalar::I8, u64::from(BIAS as u8));
                x.iter().map(|&x| self.op(Opcode::Xor, &[x, bias])).collect()
            }
            false => Ok(Scalars::from_slice(x)),
        };
        let x = x?;
        let blocks = (result.columns / result.lanes) as usize;
        // The unsigned operand comes first.
        let ordered = |first: Value, second: Value| if signs.b { [first, second] } else { [second, first] };
        let words: Vec<Value> = (0..b.own_rows() as usize / 4 * blocks)
            .map(|index| {
                let (k, block) = (index / blocks * 4, index % blocks);
                let bytes = [0, 1, 2, 3].map(|row| y[(k + row) * blocks + block]);
                integer::word_of_bytes(&mut self.b, bytes)
            })
            .collect();
        let packed = Matrix { rows: b.rows / WORD_BYTES, scalar: Scalar::I32, ..*b };
        let steps =
            Steps { count: packed.rows, row_bytes: a.columns, first: Scalar::I32, second: Scalar::I32 };
        let is_unrolled = is_unrolled(result, steps.count);
        match is_unrolled {
            true => self.stage(a, &x)?,
            false => self.stage_both((a, &x), (&packed, &words))?,
        }
        if alike {
            // What 128 more (or less) in each byte of the first factor adds to a column.
            let bias = self.b.i32(BIAS);
            let lane = self.b.op(Opcode::LaneId, &[]);
            let offset = self.scale(lane, WORD_BYTES.into());
            let mut excess = vec![None; blocks];
            for index in 0..packed.rows as usize * blocks {
                let word = match b.subgroups {
                    1 => words[index],
                    _ => {
                        let bytes = index as u32 * b.lanes * WORD_BYTES;
                        self.staged_at(Slot::second(b), Scalar::I32, offset, bytes)?
                    }
                };
                let more = self.op(Opcode::DotFourBytes, &ordered(bias, word))?;
                let excess = &mut excess[index % blocks];
                *excess = Some(match *excess {
                    Some(sum) => self.op(Opcode::IAdd, &[more, sum])?,
                    None => more,
                });
            }
            for (index, sum) in sums.iter_mut().enumerate() {
                if let Some(excess) = excess[index % blocks] {
                    *sum = self.op(Opcode::ISub, &[*sum, excess])?;
                }
            }
        }
        let add = |cx: &mut Self, factor, other, sum| {
            let one = cx.op(Opcode::DotFourBytes, &ordered(factor, other))?;
            cx.op(Opcode::IAdd, &[one, sum])
        };
        match is_unrolled {
            true => self.sum_rows(result, &steps, &words, &mut sums, add)?,
            false => self.sum_tiles(result, &steps, &mut sums, add)?,
        }
        Ok(sums.into_iter().collect())
    }
}

/// What is multiplied step by step: of the first factor's rows what all lanes read, of the second's a row.
struct Steps {
    count: u32,
    /// Bytes of a row of the first factor.
    row_bytes: u32,
    /// What a step reads of the first factor's rows.
    first: Scalar,
    /// What it reads of the second factor for each column.
    second: Scalar,
}

/// Whether products of so many steps are written out.
fn is_unrolled(result: &Matrix, steps: u32) -> bool {
    result.subgroups == 1 && result.count().saturating_mul(steps) <= UNROLLED_MAX
}
