//! Products of cooperative matrices, added to a third.
//!
//! Floats are computed in 32 bits (64 where the result has them): an element of the result is that of the accumulator, to which
//! products are fused one after the other in the order of the first factor's columns, rounded to the result's type at the
//! end. Integers wrap at the result's width; where accumulation saturates, that is once, at the end, of the exact sum.
//!
//! Bytes are multiplied four by four, as VNNI does, of unsigned ones with signed ones: where both factors are alike, 128 is
//! added to (or taken from) the first one's bytes, and what that makes of the sum is the same for a whole column.

use super::Matrix;
use super::staging::{Place, Slot};
use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, unsupported};
use crate::value::{Operand, Scalars};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::integer;
use pyro_spirv::spirv::{CooperativeMatrixOperands, FPEncoding, Op};
use pyro_spirv::{Float8, Id, Instruction, Type};

/// The highest bit of each byte.
const BIAS: u32 = 0x8080_8080;
/// Bytes of a word.
const WORD_BYTES: u32 = 4;

/// The factors and the result of a product.
struct Product {
    a: Matrix,
    b: Matrix,
    result: Matrix,
}

/// What integer operands are, as the instruction says.
#[derive(Clone, Copy)]
struct Signs {
    a: bool,
    b: bool,
    /// Of the accumulator and the result.
    result: bool,
    saturate: bool,
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
    fn matrix_float(&mut self, x: Value, component: Id, to: Scalar) -> Result<Value> {
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
    fn matrix_element(&mut self, x: Value, component: Id) -> Result<Value> {
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
            cx.op(Opcode::FFma, &[a, b, sum])
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
            && result.columns.is_multiple_of(result.lanes);
        // Sums that cannot wrap: 32 bits hold as many products of bytes as a matrix has columns, 64 those of halves.
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

    /// Adds to sums, in the order of the first factor's columns, what `add` makes of an element of each factor and a sum.
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
        self.stage(Slot::First, x)?;
        if result.columns.is_multiple_of(result.lanes) {
            let blocks = (result.columns / result.lanes) as usize;
            for k in 0..a.columns {
                let row = &y[k as usize * blocks..][..blocks];
                for m in 0..a.rows {
                    let factor = self.staged(wide, (m * a.columns + k) * size)?;
                    for (&other, sum) in row.iter().zip(&mut sums[m as usize * blocks..]) {
                        *sum = add(self, factor, other, *sum)?;
                    }
                }
            }
            return Ok(());
        }
        // Lanes differ in their rows too.
        self.stage(Slot::Second, y)?;
        let lane = self.b.op(Opcode::LaneId, &[]);
        for (index, sum) in (0..).zip(sums) {
            let ([row, column], _) = self.places(lane, index, result.rows, result.columns);
            let row = self.staged_offset(row, Place::Known(0), a.columns, size);
            let column = self.staged_offset(Place::Known(0), column, b.columns, size);
            for k in 0..a.columns {
                let factor = self.staged_at(Slot::First, wide, row, k * size)?;
                let other = self.staged_at(Slot::Second, wide, column, k * b.columns * size)?;
                *sum = add(self, factor, other, *sum)?;
            }
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
        let Product { a, result, .. } = product;
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
        self.stage(Slot::First, &x)?;
        let blocks = (result.columns / result.lanes) as usize;
        // The unsigned operand comes first.
        let ordered = |first: Value, second: Value| if signs.b { [first, second] } else { [second, first] };
        let mut excess = vec![None; blocks];
        let words: Vec<Value> = (0..a.columns as usize / 4 * blocks)
            .map(|index| {
                let (k, block) = (index / blocks * 4, index % blocks);
                let bytes = [0, 1, 2, 3].map(|row| y[(k + row) * blocks + block]);
                integer::word_of_bytes(&mut self.b, bytes)
            })
            .collect();
        if alike {
            // What 128 more (or less) in each byte of the first factor adds.
            let bias = self.b.i32(BIAS);
            for (index, &word) in words.iter().enumerate() {
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
        for (k, row) in words.chunks_exact(blocks).enumerate() {
            for m in 0..a.rows {
                let factor = self.staged(Scalar::I32, m * a.columns + WORD_BYTES * k as u32)?;
                for (&other, sum) in row.iter().zip(&mut sums[m as usize * blocks..]) {
                    let one = self.op(Opcode::DotFourBytes, &ordered(factor, other))?;
                    *sum = self.op(Opcode::IAdd, &[one, *sum])?;
                }
            }
        }
        Ok(sums.into_iter().collect())
    }
}
