//! Sums, products, quotients, dot products, derivatives.
//!
//! Float sums and products that may be contracted have the immediate 0; those that may not
//! (`NoContraction`, or fast-math flags without `AllowContract`) have bit 0 set.

use crate::context::{Lowerer, invalid_operands};
use crate::error::Result;
use crate::types::scalar_of;
use crate::value::Operand;
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::integer::{self, DotKind};
use pyro_library::{derivative, float};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{Decoration, FPFastMathMode, Op};

/// The immediate of a float operation that must not be contracted.
pub(crate) const NO_CONTRACTION: u64 = 1;

/// A library function of two scalars.
type Binary = fn(&mut Builder<'_>, Value, Value) -> Value;
/// A library function of one scalar.
type Unary = fn(&mut Builder<'_>, Value) -> Value;
/// A library function of two scalars that gives two.
type BinaryPair = fn(&mut Builder<'_>, Value, Value) -> (Value, Value);

impl<'m> Lowerer<'m, '_> {
    /// Arithmetic instructions.
    pub(crate) fn lower_arithmetic(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::IAdd => self.binary_op(inst, Opcode::IAdd),
            Op::ISub => self.binary_op(inst, Opcode::ISub),
            Op::IMul | Op::IMul32x16INTEL | Op::UMul32x16INTEL => self.multiply(inst),
            Op::UDiv => self.binary_op(inst, Opcode::UDiv),
            Op::SDiv => self.binary_op(inst, Opcode::SDiv),
            Op::UMod => self.binary_op(inst, Opcode::URem),
            Op::SRem => self.binary_op(inst, Opcode::SRem),
            Op::FDiv => self.binary_op(inst, Opcode::FDiv),
            Op::FAdd => self.contractable(inst, Opcode::FAdd),
            Op::FSub => self.contractable(inst, Opcode::FSub),
            Op::FMul => self.contractable(inst, Opcode::FMul),
            Op::FNegate => self.map1(inst, |cx, x| cx.op(Opcode::FNeg, &[x])),
            Op::SNegate => self.int_unary(inst, integer::s_negate),
            Op::SMod => self.int_binary(inst, integer::s_mod),
            Op::FRem => self.float_binary(inst, float::f_rem),
            Op::FMod => self.float_binary(inst, float::f_mod),
            Op::IAddSatINTEL => self.int_binary(inst, integer::s_add_sat),
            Op::UAddSatINTEL => self.int_binary(inst, integer::u_add_sat),
            Op::ISubSatINTEL => self.int_binary(inst, integer::s_sub_sat),
            Op::USubSatINTEL => self.int_binary(inst, integer::u_sub_sat),
            Op::AbsISubINTEL => self.int_binary(inst, integer::s_abs_difference),
            Op::AbsUSubINTEL => self.int_binary(inst, integer::u_abs_difference),
            Op::IAverageINTEL => self.average(inst, true, false),
            Op::UAverageINTEL => self.average(inst, false, false),
            Op::IAverageRoundedINTEL => self.average(inst, true, true),
            Op::UAverageRoundedINTEL => self.average(inst, false, true),
            Op::UCountLeadingZerosINTEL => self.map1(inst, |cx, x| cx.op(Opcode::CountLeadingZeros, &[x])),
            Op::UCountTrailingZerosINTEL => self.map1(inst, |cx, x| cx.op(Opcode::CountTrailingZeros, &[x])),
            Op::IAddCarry => self.extended(inst, integer::add_carry),
            Op::ISubBorrow => self.extended(inst, integer::sub_borrow),
            Op::UMulExtended => self.extended(inst, integer::u_mul_extended),
            Op::SMulExtended => self.extended(inst, integer::s_mul_extended),
            Op::Dot => {
                let (x, y) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
                if x.len() != y.len() || x.is_empty() {
                    return invalid_operands(inst);
                }
                self.expect_float(inst, &[&x[..], &y[..]].concat())?;
                let dot = self.dot(&x, &y, self.may_contract(inst))?;
                self.define_scalar(inst, dot)
            }
            Op::FmaKHR if inst.newer().is_some() => self.mixed_dot(inst),
            Op::FmaKHR => self.fused(inst),
            Op::SDot | Op::UDot | Op::SUDot => self.integer_dot(inst, false),
            Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat => self.integer_dot(inst, true),
            Op::DPdx | Op::DPdxFine => self.float_unary(inst, derivative::dpdx_fine),
            Op::DPdy | Op::DPdyFine => self.float_unary(inst, derivative::dpdy_fine),
            Op::DPdxCoarse => self.float_unary(inst, derivative::dpdx_coarse),
            Op::DPdyCoarse => self.float_unary(inst, derivative::dpdy_coarse),
            Op::Fwidth | Op::FwidthFine => self.float_unary(inst, derivative::fwidth_fine),
            Op::FwidthCoarse => self.float_unary(inst, derivative::fwidth_coarse),
            _ => self.unsupported(inst),
        }
    }

    /// One IR operation on each pair of components.
    pub(crate) fn binary_op(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        self.map2(inst, |cx, x, y| cx.op(op, &[x, y]))
    }

    /// A library function of one float on each component.
    pub(crate) fn float_unary(&mut self, inst: Instruction<'m>, f: Unary) -> Result {
        self.map1(inst, |cx, x| {
            cx.expect_float(inst, &[x])?;
            Ok(f(&mut cx.b, x))
        })
    }

    /// A library function of two floats on each pair of components.
    pub(crate) fn float_binary(&mut self, inst: Instruction<'m>, f: Binary) -> Result {
        self.map2(inst, |cx, x, y| {
            cx.expect_float(inst, &[x, y])?;
            cx.expect_same(inst, &[x, y])?;
            Ok(f(&mut cx.b, x, y))
        })
    }

    /// A library function of one integer on each component.
    pub(crate) fn int_unary(&mut self, inst: Instruction<'m>, f: Unary) -> Result {
        self.map1(inst, |cx, x| {
            cx.expect_int(inst, &[x])?;
            Ok(f(&mut cx.b, x))
        })
    }

    /// A library function of two integers on each pair of components.
    pub(crate) fn int_binary(&mut self, inst: Instruction<'m>, f: Binary) -> Result {
        self.map2(inst, |cx, x, y| {
            cx.expect_int(inst, &[x, y])?;
            cx.expect_same(inst, &[x, y])?;
            Ok(f(&mut cx.b, x, y))
        })
    }

    /// Sums and products of floats, which later passes may contract.
    fn contractable(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        let imm = if self.may_contract(inst) { 0 } else { NO_CONTRACTION };
        self.map2(inst, |cx, x, y| cx.rounded(op, x, y, imm))
    }

    /// `OpFmaKHR`: always rounded once.
    fn fused(&mut self, inst: Instruction<'m>) -> Result {
        let [x, y, z] = [self.scalars(inst.id(0))?, self.scalars(inst.id(1))?, self.scalars(inst.id(2))?];
        if x.len() != y.len() || x.len() != z.len() {
            return invalid_operands(inst);
        }
        let triples = x.iter().zip(&y).zip(&z);
        let result: Result<_> = triples.map(|((&x, &y), &z)| self.fused_rounded(x, y, z)).collect();
        self.define(inst, Operand::Data(result?))
    }

    /// Whether a float operation may be fused with others.
    pub(crate) fn may_contract(&self, inst: Instruction<'_>) -> bool {
        if self.has_decoration(inst.result(), Decoration::NoContraction) {
            return false;
        }
        self.fast_math(inst).is_none_or(|flags| flags.contains(FPFastMathMode::ALLOW_CONTRACT))
    }

    /// Whether the sign of a zero must be right also where GLSL.std.450 leaves it open.
    pub(crate) fn keeps_signed_zero(&self, inst: Instruction<'_>) -> bool {
        self.fast_math(inst).is_some_and(|flags| !flags.contains(FPFastMathMode::NSZ))
    }

    /// Whether a float function has to be computed by its formula: it must not be contracted, or infinities
    /// or signs of zeros matter.
    pub(crate) fn is_strict(&self, inst: Instruction<'_>) -> bool {
        let free = FPFastMathMode::ALLOW_CONTRACT | FPFastMathMode::NSZ | FPFastMathMode::NOT_INF;
        let component = inst.result_type().and_then(|ty| self.module.component(ty));
        let scalar = component.and_then(|ty| scalar_of(self.module, ty.id).ok());
        scalar.is_some_and(|scalar| self.float.modes.of(scalar).preserve)
            || self.has_decoration(inst.result(), Decoration::NoContraction)
            || self.fast_math(inst).is_some_and(|flags| !flags.contains(free))
    }

    /// The fast-math flags that the instruction or the entry point states.
    fn fast_math(&self, inst: Instruction<'_>) -> Option<FPFastMathMode> {
        let own = inst.result().and_then(|id| self.module.decoration_literal(id, Decoration::FPFastMathMode));
        own.or_else(|| self.fast_math_default(inst)).map(FPFastMathMode::from_bits_retain)
    }

    /// `FPFastMathDefault` of the entry point for the instruction's float type.
    fn fast_math_default(&self, inst: Instruction<'_>) -> Option<u32> {
        if self.float.fast_math_defaults.is_empty() {
            return None;
        }
        let component = self.module.component(inst.result_type()?)?.id;
        self.float.fast_math_defaults.iter().find(|(ty, _)| *ty == component).map(|(_, flags)| *flags)
    }

    fn multiply(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() == Op::IMul {
            return self.binary_op(inst, Opcode::IMul);
        }
        // The second factor is its low 16 bits.
        let signed = inst.op() == Op::IMul32x16INTEL;
        self.map2(inst, |cx, x, y| {
            let scalar = cx.scalar_type(x);
            let low = match cx.scalar_type(y) {
                Scalar::I16 => y,
                _ => cx.convert(Opcode::Truncate, y, Scalar::I16)?,
            };
            let factor = cx.integer_of_width(low, scalar, signed)?;
            cx.op(Opcode::IMul, &[x, factor])
        })
    }

    /// The mean of two integers without overflow, rounded down, or up when `rounded`.
    fn average(&mut self, inst: Instruction<'m>, signed: bool, rounded: bool) -> Result {
        self.map2(inst, |cx, x, y| {
            let different = cx.op(Opcode::Xor, &[x, y])?;
            let one = cx.b.constant(cx.scalar_type(x), 1);
            let half = cx.op(if signed { Opcode::AShr } else { Opcode::LShr }, &[different, one])?;
            if rounded {
                let all = cx.op(Opcode::Or, &[x, y])?;
                cx.op(Opcode::ISub, &[all, half])
            } else {
                let common = cx.op(Opcode::And, &[x, y])?;
                cx.op(Opcode::IAdd, &[common, half])
            }
        })
    }

    /// Instructions whose result is a structure of two: of low parts, and of high parts or carries.
    fn extended(&mut self, inst: Instruction<'m>, f: BinaryPair) -> Result {
        let (x, y) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        if x.len() != y.len() {
            return invalid_operands(inst);
        }
        self.expect_int(inst, &[&x[..], &y[..]].concat())?;
        self.expect_same(inst, &[&x[..], &y[..]].concat())?;
        let pairs: Vec<_> = x.iter().zip(&y).map(|(&x, &y)| f(&mut self.b, x, y)).collect();
        let low = pairs.iter().map(|pair| pair.0);
        let high = pairs.iter().map(|pair| pair.1);
        self.define(inst, Operand::Data(low.chain(high).collect()))
    }

    /// Dot products of integer vectors, or of words with four packed bytes.
    fn integer_dot(&mut self, inst: Instruction<'m>, accumulate: bool) -> Result {
        let kind = match inst.op() {
            Op::SDot | Op::SDotAccSat => DotKind::Signed,
            Op::UDot | Op::UDotAccSat => DotKind::Unsigned,
            _ => DotKind::Mixed,
        };
        let (x, y) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        self.expect_int(inst, &[&x[..], &y[..]].concat())?;
        let result = self.result_scalar(inst)?;
        let packed = inst.get_word(if accumulate { 3 } else { 2 }).is_some();
        let component = if packed { Scalar::I8 } else { self.scalar_type(x[0]) };
        let fits = x.len() == y.len()
            && self.scalar_type(x[0]) == self.scalar_type(y[0])
            && result.is_int()
            && result.bits() >= component.bits()
            && (!packed || x.len() == 1 && self.scalar_type(x[0]) == Scalar::I32);
        if !fits {
            return invalid_operands(inst);
        }
        let value = if accumulate {
            let accumulator = self.scalar(inst.id(2))?;
            if self.scalar_type(accumulator) != result {
                return invalid_operands(inst);
            }
            if packed {
                integer::dot_acc_sat_4x8(&mut self.b, kind, x[0], y[0], accumulator)
            } else {
                integer::dot_acc_sat(&mut self.b, kind, &x, &y, accumulator)
            }
        } else if packed {
            integer::dot_4x8(&mut self.b, kind, x[0], y[0], result)
        } else {
            integer::dot(&mut self.b, kind, &x, &y, result)
        };
        self.define_scalar(inst, value)
    }
}
