//! Variables by storage class.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase};
use crate::stage::InterpolateAt;
use pyro_interface::Variable;
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    fn variable_type(&self, variable: GlobalVariable<'m>) -> Result<Id> {
        match variable.value_type {
            Some(ty) => Ok(ty),
            None => invalid(format!("variable {} has no type", variable.id)),
        }
    }

    pub(crate) fn private_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let ty = self.variable_type(variable)?;
        if let Some(pointer) = self.in_prologue(|cx| cx.opaque_private_variable(ty))? {
            return Ok(pointer);
        }
        let pointer = self.make_slot(ty)?;
        if let Some(initializer) = variable.initializer {
            self.in_prologue(|cx| {
                let value = cx.scalars(initializer)?;
                cx.store(&pointer, ty, &value, Access::default())
            })?;
        } else {
            self.in_prologue(|cx| cx.sanitize_variable(&pointer, ty, variable.class))?;
        }
        Ok(pointer)
    }

    /// An input is a private variable that the prologue fills.
    pub(crate) fn input_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        if let Some(pointer) = self.soa_variable(variable)? {
            return Ok(pointer);
        }
        let ty = self.variable_type(variable)?;
        let pointer = self.make_slot(ty)?;
        if let PointerBase::Slot { slot, .. } = pointer.base {
            self.input_slots.insert(slot, variable);
        }
        self.in_prologue(|cx| cx.fill_input(variable, ty, &pointer, None))?;
        Ok(pointer)
    }

    /// Stores an input into its private variable, or one like it. `at` says where to interpolate it.
    pub(crate) fn fill_input(
        &mut self,
        variable: GlobalVariable<'m>,
        ty: Id,
        pointer: &Pointer,
        at: Option<InterpolateAt>,
    ) -> Result {
        let mut value = self.input_value(variable, ty, at)?;
        let expected = self.type_scalars(ty)?;
        if value.len() != expected.len() {
            return invalid(format!("input variable {} has the wrong type", variable.id));
        }
        for (value, &scalar) in value.iter_mut().zip(&expected[..]) {
            let from = self.scalar_type(*value);
            if from.is_int() && scalar.is_int() {
                *value = self.integer_of_width(*value, scalar, false)?;
            } else if from != scalar {
                return invalid(format!("input variable {} has the wrong type", variable.id));
            }
        }
        self.store(pointer, ty, &value, Access::default())
    }

    fn input_value(
        &mut self,
        variable: GlobalVariable<'m>,
        ty: Id,
        at: Option<InterpolateAt>,
    ) -> Result<crate::value::Scalars> {
        let stage = self.stage;
        if let Some(built_in) = self.module.built_in(variable.id) {
            return stage.built_in(self, variable.id, built_in);
        }
        let mut value = crate::value::Scalars::new();
        if let Type::Struct { members } = self.module.ty(ty) {
            let built_ins = (0..members.len() as u32).map(|index| self.module.member_built_in(ty, index));
            let built_ins: Vec<_> = built_ins.collect();
            if built_ins.iter().any(Option::is_some) {
                for built_in in built_ins {
                    let Some(built_in) = built_in else {
                        return unsupported("blocks of built-ins and other inputs");
                    };
                    value.extend(stage.built_in(self, variable.id, built_in)?);
                }
                return Ok(value);
            }
        }
        let Some(interface) = stage.interface() else {
            return unsupported("inputs that are not built-ins in this stage");
        };
        let mut parts: Vec<&Variable> =
            interface.inputs.iter().filter(|found| found.variable == variable.id).collect();
        parts.sort_by_key(|part| part.member);
        stage.user_input(self, &parts, at)
    }

    /// An output is a private variable that the stage reads at its end.
    pub(crate) fn output_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        if self.stage.interface().is_none() {
            return unsupported("outputs in this stage");
        }
        match self.soa_variable(variable)? {
            Some(pointer) => Ok(pointer),
            None => self.private_variable(variable),
        }
    }

    /// A variable of a function.
    pub(crate) fn lower_function_variable(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() == Op::UntypedVariableKHR {
            return unsupported("untyped variables in functions");
        }
        let pointer_type = self.result_type(inst)?;
        let Some((_, ty)) = self.module.pointer(pointer_type) else {
            return invalid("a variable without a type");
        };
        if StorageClass::from_u32(inst.word(0)) != Some(StorageClass::Function) {
            return invalid("a variable in a function whose storage class is not Function");
        }
        if let Some(pointer) = self.opaque_private_variable(ty)? {
            return self.define(inst, pointer.into());
        }
        let pointer = self.make_slot(ty)?;
        match inst.get_id(1) {
            Some(initializer) => {
                let value = self.scalars(initializer)?;
                self.store(&pointer, ty, &value, Access::default())?;
            }
            None => self.sanitize_variable(&pointer, ty, StorageClass::Function)?,
        }
        self.define(inst, pointer.into())
    }
}
