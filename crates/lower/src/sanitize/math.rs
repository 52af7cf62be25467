//! `math-domain`: functions of GLSL.std.450 with arguments for which it leaves the result undefined.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::spirv::GlslStd450Op as G;
use pyro_spirv::{ExtInstSet, Id, Instruction};
use pyro_util::sanitize::Kind;

/// What is undefined of a function, and what its arguments are called.
fn rule(op: G) -> Option<(&'static str, &'static [&'static str])> {
    Some(match op {
        G::Asin | G::Acos => ("the argument is outside of [-1, 1]", &["x"]),
        G::Acosh => ("the argument is below 1", &["x"]),
        G::Atanh => ("the argument is not inside of (-1, 1)", &["x"]),
        G::Log | G::Log2 => ("the argument is zero or less", &["x"]),
        G::Sqrt => ("the argument is below zero", &["x"]),
        G::InverseSqrt => ("the argument is zero or less", &["x"]),
        G::Pow => ("x is below zero, or x is zero and y is zero or less", &["x", "y"]),
        G::Atan2 => ("both arguments are zero", &["y", "x"]),
        G::Normalize => ("the vector's length is zero", &["x"]),
        G::FClamp | G::UClamp | G::SClamp | G::NClamp => {
            ("the least value is above the greatest", &["x", "min", "max"])
        }
        G::SmoothStep => ("the first edge is not below the second", &["edge0", "edge1", "x"]),
        _ => return None,
    })
}

impl<'m> Lowerer<'m, '_> {
    pub(super) fn sanitize_math(&mut self, inst: Instruction<'m>) -> Result {
        let Some((ExtInstSet::GlslStd450, number)) = inst.ext_inst() else { return Ok(()) };
        if !self.sanitizer.is_on(Kind::MathDomain) {
            return Ok(());
        }
        let Some(op) = G::from_u32(number) else { return Ok(()) };
        let Some((text, names)) = rule(op) else { return Ok(()) };
        let ids: Vec<Id> = inst.ids_from(2).iter().take(names.len()).collect();
        if ids.len() < names.len() {
            return Ok(());
        }
        let mut operands = Vec::new();
        for &id in &ids {
            operands.push(self.scalars(id)?);
        }
        let count = operands[0].len();
        let fits = count != 0 && operands.iter().all(|scalars| scalars.len() == count);
        if !fits {
            return Ok(());
        }
        let mut undefined = Vec::new();
        if op == G::Normalize {
            undefined.push(self.is_zero_vector(&operands[0])?);
        } else {
            for index in 0..count {
                let arguments: Vec<Value> = operands.iter().map(|scalars| scalars[index]).collect();
                undefined.push(self.is_outside_of_domain(op, &arguments)?);
            }
        }
        let is_undefined = self.any_of(undefined);
        let named: Vec<_> = names.iter().copied().zip(ids).collect();
        let values = self.reported_ids(&named)?;
        self.find(inst, Kind::MathDomain, is_undefined, format!("{op:?} is undefined: {text}"), values)
    }

    fn is_zero_vector(&mut self, components: &[Value]) -> Result<Value> {
        let mut all = self.b.bool(true);
        for &component in components {
            let zero = self.float(self.scalar_type(component), 0.0);
            let is_zero = self.op(Opcode::FEq, &[component, zero])?;
            all = self.b.op(Opcode::And, &[all, is_zero]);
        }
        Ok(all)
    }

    /// Of one component.
    fn is_outside_of_domain(&mut self, op: G, arguments: &[Value]) -> Result<Value> {
        let x = arguments[0];
        let scalar = self.scalar_type(x);
        if matches!(op, G::UClamp | G::SClamp) {
            let compare = if op == G::UClamp { Opcode::ULt } else { Opcode::SLt };
            return self.op(compare, &[arguments[2], arguments[1]]);
        }
        if !scalar.is_float() {
            return Ok(self.b.bool(false));
        }
        let (zero, one) = (self.float(scalar, 0.0), self.float(scalar, 1.0));
        match op {
            G::Asin | G::Acos => self.exceeds_one(x, Opcode::FLt, scalar),
            G::Atanh => self.exceeds_one(x, Opcode::FLe, scalar),
            G::Acosh => self.op(Opcode::FLt, &[x, one]),
            G::Log | G::Log2 | G::InverseSqrt => self.op(Opcode::FLe, &[x, zero]),
            G::Sqrt => self.op(Opcode::FLt, &[x, zero]),
            G::Pow => {
                let is_negative = self.op(Opcode::FLt, &[x, zero])?;
                let is_zero = self.op(Opcode::FEq, &[x, zero])?;
                let not_positive = self.op(Opcode::FLe, &[arguments[1], zero])?;
                let both = self.op(Opcode::And, &[is_zero, not_positive])?;
                self.op(Opcode::Or, &[is_negative, both])
            }
            G::Atan2 => {
                let is_zero = [x, arguments[1]].map(|value| self.op(Opcode::FEq, &[value, zero]));
                let [first, second] = is_zero;
                self.op(Opcode::And, &[first?, second?])
            }
            G::FClamp | G::NClamp => self.op(Opcode::FLt, &[arguments[2], arguments[1]]),
            G::SmoothStep => self.op(Opcode::FLe, &[arguments[1], arguments[0]]),
            _ => Ok(self.b.bool(false)),
        }
    }

    /// Whether one compares with the magnitude of a value.
    fn exceeds_one(&mut self, x: Value, compare: Opcode, scalar: Scalar) -> Result<Value> {
        let one = self.float(scalar, 1.0);
        let magnitude = self.op(Opcode::FAbs, &[x])?;
        self.op(compare, &[one, magnitude])
    }
}
