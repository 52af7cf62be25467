//! What ids stand for: looking operands up, and giving results their values.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{LowerError, Result, invalid, limit};
use crate::limits::TOTAL_SCALAR_COUNT_MAX;
use crate::pointer::Pointer;
use crate::value::{Operand, Scalars};
use pyro_ir::{Scalar, Value};
use pyro_spirv::spirv::Scope;
use pyro_spirv::{Id, Instruction};

impl<'m> Lowerer<'m, '_> {
    /// The place of an id in the innermost frame, if it is defined in that function.
    fn local_index(&self, id: Id) -> Option<usize> {
        let index = self.module.definition_index(id)?.as_u32();
        let frame = self.calls.frames.last()?;
        (frame.insts.contains(&index)).then(|| (index - frame.insts.start) as usize)
    }

    /// What an id stands for.
    pub(crate) fn operand(&mut self, id: Id) -> Result<Operand> {
        if let Some(index) = self.local_index(id) {
            let frame = self.calls.frames.last().expect("a local id has a frame");
            return match &frame.values[index] {
                Some(operand) => Ok(operand.clone()),
                None => invalid(format!("{id} is used where it is not defined")),
            };
        }
        if let Some(variable) = self.module.global(id) {
            return Ok(self.global_variable(variable)?.into());
        }
        self.constant(id)
    }

    /// The scalars of a value; of a pointer, the scalars that carry it.
    pub(crate) fn scalars(&mut self, id: Id) -> Result<Scalars> {
        let operand = self.operand(id)?;
        let mut scalars = self.operand_scalars(operand)?;
        if self.float.widening && self.module.type_of(id).is_some_and(|ty| self.is_bfloat(ty)) {
            scalars.iter_mut().for_each(|value| *value = self.widened(*value));
        }
        Ok(scalars)
    }

    pub(crate) fn operand_scalars(&mut self, operand: Operand) -> Result<Scalars> {
        match operand {
            Operand::Data(mut scalars) => {
                if self.float.flushing {
                    scalars.iter_mut().for_each(|value| *value = self.flushed(*value));
                }
                Ok(scalars)
            }
            Operand::Pointer(pointer) => self.pointer_scalars(&pointer),
        }
    }

    /// A value of one scalar.
    pub(crate) fn scalar(&mut self, id: Id) -> Result<Value> {
        match self.scalars(id)?[..] {
            [value] => Ok(value),
            _ => invalid(format!("{id} is not a scalar")),
        }
    }

    /// A value of `N` scalars.
    pub(crate) fn array<const N: usize>(&mut self, id: Id) -> Result<[Value; N]> {
        let scalars = self.scalars(id)?;
        match <[Value; N]>::try_from(&scalars[..]) {
            Ok(array) => Ok(array),
            Err(_) => invalid(format!("{id} has {} scalars, not {N}", scalars.len())),
        }
    }

    /// A pointer.
    pub(crate) fn pointer(&mut self, id: Id) -> Result<Pointer> {
        match self.operand(id)? {
            Operand::Pointer(pointer) => Ok(*pointer),
            Operand::Data(_) => invalid(format!("{id} is not a pointer")),
        }
    }

    /// Gives an instruction's result its value. The value must fit the result's type.
    pub(crate) fn define(&mut self, inst: Instruction<'m>, mut operand: Operand) -> Result {
        if let (Operand::Data(scalars), true) = (&mut operand, self.float.flushing) {
            scalars.iter_mut().for_each(|value| *value = self.flushed(*value));
        }
        if let (Operand::Data(scalars), true) = (&mut operand, self.float.widening)
            && inst.result_type().is_some_and(|ty| self.is_bfloat(ty))
        {
            scalars.iter_mut().for_each(|value| *value = self.narrowed(*value));
        }
        let Some(result) = inst.result() else { return invalid(format!("Op{:?} has no result", inst.op())) };
        if let Operand::Data(scalars) = &operand {
            let ty = self.result_type(inst)?;
            let expected = self.types.scalars(&self.constants, ty)?;
            let fits = scalars.len() == expected.len()
                && scalars.iter().zip(&expected[..]).all(|(&v, &s)| self.b.function.ty(v).scalar == s);
            if !fits {
                return invalid(format!("the operands of {inst:?} do not fit its result type"));
            }
            self.scalar_count += scalars.len() as u64;
            if self.scalar_count > TOTAL_SCALAR_COUNT_MAX {
                return limit("the shader's values have too many components when calls are inlined");
            }
        }
        match self.local_index(result) {
            Some(index) => {
                let frame = self.calls.frames.last_mut().expect("a local id has a frame");
                frame.values[index] = Some(operand);
                Ok(())
            }
            None => Err(LowerError::internal(format!("{result} is defined outside of its function"))),
        }
    }

    /// Gives an instruction's result a value of one scalar.
    pub(crate) fn define_scalar(&mut self, inst: Instruction<'m>, value: Value) -> Result {
        self.define(inst, Operand::scalar(value))
    }

    /// The scalar of a result that is a scalar or vector.
    pub(crate) fn result_scalar(&self, inst: Instruction<'_>) -> Result<Scalar> {
        let ty = self.result_type(inst)?;
        match self.module.component(ty) {
            Some(_) if self.float.widening && self.is_bfloat(ty) => Ok(Scalar::F32),
            Some(component) => crate::types::scalar_of(self.module, component.id),
            None => invalid(format!("the result of Op{:?} is not a scalar or vector", inst.op())),
        }
    }

    /// The component-wise result of a function of one scalar.
    pub(crate) fn map1(
        &mut self,
        inst: Instruction<'m>,
        mut f: impl FnMut(&mut Self, Value) -> Result<Value>,
    ) -> Result {
        let x = self.scalars(inst.id(0))?;
        let result: Result<Scalars> = x.iter().map(|&x| f(self, x)).collect();
        self.define(inst, Operand::Data(result?))
    }

    /// The component-wise result of a function of two scalars.
    pub(crate) fn map2(
        &mut self,
        inst: Instruction<'m>,
        mut f: impl FnMut(&mut Self, Value, Value) -> Result<Value>,
    ) -> Result {
        let (x, y) = (self.scalars(inst.id(0))?, self.scalars(inst.id(1))?);
        if x.len() != y.len() {
            return invalid_operands(inst);
        }
        let result: Result<Scalars> = x.iter().zip(&y).map(|(&x, &y)| f(self, x, y)).collect();
        self.define(inst, Operand::Data(result?))
    }

    /// A scope operand.
    pub(crate) fn scope(&self, id: Id) -> Result<Scope> {
        match Scope::from_u32(self.constant_operand(id)?) {
            Some(scope) => Ok(scope),
            None => invalid(format!("{id} is not a scope")),
        }
    }

    /// A select of operands from the module.
    pub(crate) fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Result<Value> {
        let fits = self.scalar_type(condition) == Scalar::I1
            && self.scalar_type(then) == self.scalar_type(otherwise);
        if !fits {
            return invalid("a selection between values of different types, or by no boolean");
        }
        Ok(self.b.select(condition, then, otherwise))
    }
}
