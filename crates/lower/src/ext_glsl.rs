//! The extended instruction set GLSL.std.450, through [`pyro_library::math`].

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::pointer::PointerBase;
use crate::stage::InterpolateAt;
use crate::value::{Operand, Scalars};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::math;
use pyro_spirv::spirv::GlslStd450Op as G;
use pyro_spirv::{Id, Instruction, Type};

/// A function of one scalar.
type Unary = fn(&mut Builder<'_>, Value) -> Value;
/// A function of two scalars.
type Binary = fn(&mut Builder<'_>, Value, Value) -> Value;

/// Which scalars an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Int,
}

impl<'m> Lowerer<'m, '_> {
    /// An instruction of GLSL.std.450.
    pub(crate) fn lower_glsl(&mut self, inst: Instruction<'m>, number: u32) -> Result {
        use Kind::{Float, Int};
        let Some(op) = G::from_u32(number) else {
            return invalid(format!("GLSL.std.450 has no instruction {number}"));
        };
        let args = inst.ids_from(2);
        let needed = match op {
            G::FClamp | G::UClamp | G::SClamp | G::NClamp | G::FMix | G::IMix | G::SmoothStep | G::Fma => 3,
            G::FaceForward | G::Refract => 3,
            G::Atan2 | G::Pow | G::Modf | G::Frexp | G::Ldexp | G::Step | G::Distance | G::Cross => 2,
            G::FMin | G::UMin | G::SMin | G::FMax | G::UMax | G::SMax | G::NMin | G::NMax | G::Reflect => 2,
            _ => 1,
        };
        if args.len() < needed {
            return invalid_operands(inst);
        }
        let zeros = self.keeps_signed_zero(inst);
        match op {
            G::FMin if zeros => self.glsl2(inst, Float, math::f_min_signed),
            G::FMax if zeros => self.glsl2(inst, Float, math::f_max_signed),
            G::NMin if zeros => self.glsl2(inst, Float, math::n_min_signed),
            G::NMax if zeros => self.glsl2(inst, Float, math::n_max_signed),
            G::FClamp if zeros => self.ext_map3(inst, false, math::f_clamp_signed),
            G::NClamp if zeros => self.ext_map3(inst, false, math::n_clamp_signed),
            G::Round => self.glsl1(inst, Float, math::round),
            G::RoundEven => self.glsl1(inst, Float, math::round_even),
            G::Trunc => self.glsl1(inst, Float, math::trunc),
            G::FAbs => self.glsl1(inst, Float, math::f_abs),
            G::SAbs => self.glsl1(inst, Int, math::s_abs),
            G::FSign => self.glsl1(inst, Float, math::f_sign),
            G::SSign => self.glsl1(inst, Int, math::s_sign),
            G::Floor => self.glsl1(inst, Float, math::floor),
            G::Ceil => self.glsl1(inst, Float, math::ceil),
            G::Fract => self.glsl1(inst, Float, math::fract),
            G::Radians => self.glsl1(inst, Float, math::radians),
            G::Degrees => self.glsl1(inst, Float, math::degrees),
            G::Sin => self.glsl1(inst, Float, math::sin),
            G::Cos => self.glsl1(inst, Float, math::cos),
            G::Tan => self.glsl1(inst, Float, math::tan),
            G::Asin => self.glsl1(inst, Float, math::asin),
            G::Acos => self.glsl1(inst, Float, math::acos),
            G::Atan => self.glsl1(inst, Float, math::atan),
            G::Sinh => self.glsl1(inst, Float, math::sinh),
            G::Cosh => self.glsl1(inst, Float, math::cosh),
            G::Tanh => self.glsl1(inst, Float, math::tanh),
            G::Asinh => self.glsl1(inst, Float, math::asinh),
            G::Acosh => self.glsl1(inst, Float, math::acosh),
            G::Atanh => self.glsl1(inst, Float, math::atanh),
            G::Atan2 => self.glsl2(inst, Float, math::atan2),
            G::Pow => self.glsl2(inst, Float, math::pow),
            G::Exp => self.glsl1(inst, Float, math::exp),
            G::Log => self.glsl1(inst, Float, math::log),
            G::Exp2 => self.glsl1(inst, Float, math::exp2),
            G::Log2 => self.glsl1(inst, Float, math::log2),
            G::Sqrt => self.glsl1(inst, Float, math::sqrt),
            G::InverseSqrt => self.glsl1(inst, Float, math::inverse_sqrt),
            G::FMin => self.glsl2(inst, Float, math::f_min),
            G::UMin => self.glsl2(inst, Int, math::u_min),
            G::SMin => self.glsl2(inst, Int, math::s_min),
            G::FMax => self.glsl2(inst, Float, math::f_max),
            G::UMax => self.glsl2(inst, Int, math::u_max),
            G::SMax => self.glsl2(inst, Int, math::s_max),
            G::NMin => self.glsl2(inst, Float, math::n_min),
            G::NMax => self.glsl2(inst, Float, math::n_max),
            G::Step => self.glsl2(inst, Float, math::step),
            G::FClamp => self.ext_map3(inst, false, math::f_clamp),
            G::UClamp => self.ext_map3(inst, true, math::u_clamp),
            G::SClamp => self.ext_map3(inst, true, math::s_clamp),
            G::NClamp => self.ext_map3(inst, false, math::n_clamp),
            G::FMix if self.is_strict(inst) => self.ext_map3(inst, false, math::f_mix_strict),
            G::FMix => self.ext_map3(inst, false, math::f_mix),
            G::SmoothStep => self.ext_map3(inst, false, math::smooth_step),
            G::Fma => self.ext_map3(inst, false, math::fma),
            G::FindILsb => self.glsl1(inst, Int, math::find_ilsb),
            G::FindSMsb => self.glsl1(inst, Int, math::find_smsb),
            G::FindUMsb => self.glsl1(inst, Int, math::find_umsb),
            G::Determinant | G::MatrixInverse => self.glsl_matrix(inst, op),
            G::Modf | G::ModfStruct | G::Frexp | G::FrexpStruct | G::Ldexp => self.glsl_split(inst, op),
            G::Length | G::Distance | G::Cross | G::Normalize | G::FaceForward | G::Reflect | G::Refract => {
                self.glsl_geometric(inst, op)
            }
            G::PackSnorm4x8
            | G::PackUnorm4x8
            | G::PackSnorm2x16
            | G::PackUnorm2x16
            | G::PackHalf2x16
            | G::PackDouble2x32
            | G::UnpackSnorm2x16
            | G::UnpackUnorm2x16
            | G::UnpackHalf2x16
            | G::UnpackSnorm4x8
            | G::UnpackUnorm4x8
            | G::UnpackDouble2x32 => self.glsl_packing(inst, op),
            G::IMix => unsupported("IMix of GLSL.std.450, which the set has withdrawn"),
            G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
                self.interpolate_at(inst, op)
            }
        }
    }

    /// `InterpolateAtCentroid`, `InterpolateAtSample`, `InterpolateAtOffset`: the whole input at that place,
    /// in a variable of its own, of which the pointer then chooses a part.
    fn interpolate_at(&mut self, inst: Instruction<'m>, op: G) -> Result {
        let args = inst.ids_from(2);
        let at = match op {
            G::InterpolateAtCentroid => InterpolateAt::Centroid,
            _ if args.len() < 2 => return invalid_operands(inst),
            G::InterpolateAtSample => {
                let sample = self.scalar(args.at(1))?;
                self.expect_int(inst, &[sample])?;
                InterpolateAt::Sample(self.index_i32(sample))
            }
            _ => {
                let offset: [Value; 2] = self.array(args.at(1))?;
                self.expect_float(inst, &offset)?;
                let mut wide = offset;
                for value in &mut wide {
                    if self.scalar_type(*value) != Scalar::F32 {
                        *value = self.convert(Opcode::FConvert, *value, Scalar::F32)?;
                    }
                }
                InterpolateAt::Offset(wide)
            }
        };
        self.input_at(inst, at)
    }

    /// `InterpolateAtVertexAMD`
    pub(crate) fn interpolate_at_vertex(&mut self, inst: Instruction<'m>) -> Result {
        let number = inst.ids_from(2).iter().nth(1);
        let vertex = number.and_then(|id| self.constants.unsigned(id));
        match vertex {
            Some(vertex @ 0..=2) => self.input_at(inst, InterpolateAt::Vertex(vertex)),
            _ => invalid("InterpolateAtVertexAMD of a vertex that no primitive has"),
        }
    }

    /// An instruction's first operand, a pointer to an input, loaded as it is somewhere else.
    fn input_at(&mut self, inst: Instruction<'m>, at: InterpolateAt) -> Result {
        let mut pointer = self.pointer(inst.ids_from(2).at(0))?;
        let input = match &pointer.base {
            PointerBase::Slot { slot, .. } => self.input_slots.get(slot).copied(),
            _ => None,
        };
        let Some(input) = input else { return invalid("interpolation of something that is not an input") };
        let Some(ty) = input.value_type else { return invalid("an input without a type") };
        let there = self.make_slot(ty)?;
        self.fill_input(input, ty, &there, Some(at))?;
        pointer.base = there.base;
        let ty = self.result_type(inst)?;
        let value = self.load(&pointer, ty, Access::default())?;
        self.define(inst, value)
    }

    fn glsl_operands(&mut self, inst: Instruction<'m>, position: usize, kind: Kind) -> Result<Scalars> {
        let scalars = self.scalars(inst.ids_from(2).at(position))?;
        match kind {
            Kind::Float => self.expect_float(inst, &scalars)?,
            Kind::Int => self.expect_int(inst, &scalars)?,
        }
        self.expect_same(inst, &scalars)?;
        Ok(scalars)
    }

    fn glsl1(&mut self, inst: Instruction<'m>, kind: Kind, f: Unary) -> Result {
        let x = self.glsl_operands(inst, 0, kind)?;
        let values = x.iter().map(|&x| f(&mut self.b, x)).collect();
        self.define(inst, Operand::Data(values))
    }

    fn glsl2(&mut self, inst: Instruction<'m>, kind: Kind, f: Binary) -> Result {
        let (x, y) = (self.glsl_operands(inst, 0, kind)?, self.glsl_operands(inst, 1, kind)?);
        if x.len() != y.len() {
            return invalid_operands(inst);
        }
        self.expect_same(inst, &[&x[..], &y[..]].concat())?;
        let values = x.iter().zip(&y).map(|(&x, &y)| f(&mut self.b, x, y)).collect();
        self.define(inst, Operand::Data(values))
    }

    fn glsl_matrix(&mut self, inst: Instruction<'m>, op: G) -> Result {
        let matrix = self.glsl_operands(inst, 0, Kind::Float)?;
        let n = match matrix.len() {
            4 => 2,
            9 => 3,
            16 => 4,
            _ => return invalid_operands(inst),
        };
        if op == G::Determinant {
            let value = math::determinant(&mut self.b, n, &matrix);
            return self.define_scalar(inst, value);
        }
        let values = math::matrix_inverse(&mut self.b, n, &matrix);
        self.define(inst, Operand::Data(values.into()))
    }

    /// Where the second result of `Modf` and `Frexp` goes: the pointee's type.
    fn pointee(&self, id: Id) -> Result<Id> {
        let ty = self.type_of(id)?;
        match self.module.pointer(ty) {
            Some((_, pointee)) => Ok(pointee),
            None => invalid(format!("{id} is not a pointer")),
        }
    }

    /// Instructions that take a float apart, or put it together.
    fn glsl_split(&mut self, inst: Instruction<'m>, op: G) -> Result {
        let x = self.glsl_operands(inst, 0, Kind::Float)?;
        let args = inst.ids_from(2);
        if op == G::Ldexp {
            let exponent = self.glsl_operands(inst, 1, Kind::Int)?;
            if x.len() != exponent.len() {
                return invalid_operands(inst);
            }
            let values = x
                .iter()
                .zip(&exponent)
                .map(|(&x, &exponent)| math::ldexp(&mut self.b, x, exponent))
                .collect();
            return self.define(inst, Operand::Data(values));
        }
        let result_ty = self.result_type(inst)?;
        // The type of the second part: the structure's second member, or what the pointer points to.
        let second_ty = match (op, self.module.ty(result_ty)) {
            (G::ModfStruct | G::FrexpStruct, Type::Struct { members }) if members.len() == 2 => members.at(1),
            (G::Modf | G::Frexp, _) => self.pointee(args.at(1))?,
            _ => return invalid_operands(inst),
        };
        let second_scalars = self.type_scalars(second_ty)?;
        if second_scalars.len() != x.len() {
            return invalid_operands(inst);
        }
        let (mut first, mut second) = (Scalars::new(), Scalars::new());
        for (&x, &to) in x.iter().zip(&second_scalars[..]) {
            let (a, b) = match op {
                G::Modf | G::ModfStruct => math::modf(&mut self.b, x),
                _ if to.is_int() && to.bits() >= 16 => math::frexp(&mut self.b, x, to),
                _ => return invalid_operands(inst),
            };
            first.push(a);
            second.push(b);
        }
        if matches!(op, G::ModfStruct | G::FrexpStruct) {
            first.extend(second);
        } else {
            let pointer = self.pointer(args.at(1))?;
            let fits = second.iter().zip(&second_scalars[..]).all(|(&v, &s)| self.scalar_type(v) == s);
            if !fits {
                return invalid_operands(inst);
            }
            self.store(&pointer, second_ty, &second, Access::default())?;
        }
        self.define(inst, Operand::Data(first))
    }

    fn glsl_geometric(&mut self, inst: Instruction<'m>, op: G) -> Result {
        let x = self.glsl_operands(inst, 0, Kind::Float)?;
        let count = match op {
            G::Length | G::Normalize => 1,
            G::FaceForward => 3,
            _ => 2,
        };
        let mut others = [Scalars::new(), Scalars::new()];
        for position in 1..count {
            let other = self.glsl_operands(inst, position, Kind::Float)?;
            let same = other.len() == x.len()
                && !x.is_empty()
                && self.scalar_type(other[0]) == self.scalar_type(x[0]);
            if !same {
                return invalid_operands(inst);
            }
            others[position - 1] = other;
        }
        if x.is_empty() {
            return invalid_operands(inst);
        }
        let [y, z] = &others;
        let values: Scalars = match op {
            G::Length => Scalars::from_slice(&[math::length(&mut self.b, &x)]),
            G::Distance => Scalars::from_slice(&[math::distance(&mut self.b, &x, y)]),
            G::Cross if x.len() == 3 => math::cross(&mut self.b, &x, y).as_slice().into(),
            G::Normalize => math::normalize(&mut self.b, &x).into(),
            G::FaceForward => math::face_forward(&mut self.b, &x, y, z).into(),
            G::Reflect => math::reflect(&mut self.b, &x, y).into(),
            G::Refract => {
                let eta = self.glsl_operands(inst, 2, Kind::Float)?;
                let &[eta] = &eta[..] else { return invalid_operands(inst) };
                math::refract(&mut self.b, &x, y, eta).into()
            }
            _ => return invalid_operands(inst),
        };
        self.define(inst, Operand::Data(values))
    }

    fn glsl_packing(&mut self, inst: Instruction<'m>, op: G) -> Result {
        let operand = self.scalars(inst.ids_from(2).at(0))?;
        let (from, count) = match op {
            G::PackSnorm4x8 | G::PackUnorm4x8 => (Scalar::F32, 4),
            G::PackSnorm2x16 | G::PackUnorm2x16 | G::PackHalf2x16 => (Scalar::F32, 2),
            G::PackDouble2x32 => (Scalar::I32, 2),
            G::UnpackDouble2x32 => (Scalar::F64, 1),
            _ => (Scalar::I32, 1),
        };
        if operand.len() != count || operand.iter().any(|&value| self.scalar_type(value) != from) {
            return invalid_operands(inst);
        }
        let b = &mut self.b;
        let two = |operand: &Scalars| [operand[0], operand[1]];
        let four = |operand: &Scalars| [operand[0], operand[1], operand[2], operand[3]];
        let values: Scalars = match op {
            G::PackSnorm4x8 => Scalars::from_slice(&[math::pack_snorm_4x8(b, four(&operand))]),
            G::PackUnorm4x8 => Scalars::from_slice(&[math::pack_unorm_4x8(b, four(&operand))]),
            G::PackSnorm2x16 => Scalars::from_slice(&[math::pack_snorm_2x16(b, two(&operand))]),
            G::PackUnorm2x16 => Scalars::from_slice(&[math::pack_unorm_2x16(b, two(&operand))]),
            G::PackHalf2x16 => Scalars::from_slice(&[math::pack_half_2x16(b, two(&operand))]),
            G::PackDouble2x32 => Scalars::from_slice(&[math::pack_double_2x32(b, two(&operand))]),
            G::UnpackSnorm4x8 => Scalars::from_slice(&math::unpack_snorm_4x8(b, operand[0])),
            G::UnpackUnorm4x8 => Scalars::from_slice(&math::unpack_unorm_4x8(b, operand[0])),
            G::UnpackSnorm2x16 => Scalars::from_slice(&math::unpack_snorm_2x16(b, operand[0])),
            G::UnpackUnorm2x16 => Scalars::from_slice(&math::unpack_unorm_2x16(b, operand[0])),
            G::UnpackHalf2x16 => {
                let halves = math::halves_2x16(b, operand[0]).map(|half| self.flushed(half));
                halves.into_iter().map(|half| self.b.convert(Opcode::FConvert, half, Scalar::F32)).collect()
            }
            _ => Scalars::from_slice(&math::unpack_double_2x32(b, operand[0])),
        };
        self.define(inst, Operand::Data(values))
    }
}
