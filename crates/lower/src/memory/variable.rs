//! Variables by storage class.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::memory::pointer::Pointer;
use pyro_spirv::spirv::{BuiltIn, Op, StorageClass};
use pyro_spirv::{GlobalVariable, Id, Instruction, Type};

impl<'m> Lowerer<'m, '_> {
    /// A pointer to a module-scope variable; its place is found or made on first use.
    pub(crate) fn global_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        if let Some(known) = self.globals.get(&variable.id) {
            return Ok(known.clone());
        }
        let pointer = match variable.class {
            StorageClass::Private => self.private_variable(variable)?,
            StorageClass::Input => self.input_variable(variable)?,
            StorageClass::Workgroup => self.shared_variable(variable)?,
            StorageClass::Uniform | StorageClass::StorageBuffer => self.buffer_variable(variable)?,
            StorageClass::PushConstant => self.push_constant_variable(variable)?,
            StorageClass::UniformConstant => self.resource_variable(variable)?,
            class => return unsupported(format!("variables of storage class {class:?} in this stage")),
        };
        self.globals.insert(variable.id, pointer.clone());
        Ok(pointer)
    }

    fn variable_type(&self, variable: GlobalVariable<'m>) -> Result<Id> {
        match variable.value_type {
            Some(ty) => Ok(ty),
            None => invalid(format!("variable {} has no type", variable.id)),
        }
    }

    fn private_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let ty = self.variable_type(variable)?;
        let pointer = self.make_slot(ty)?;
        if let Some(initializer) = variable.initializer {
            self.in_prologue(|cx| {
                let value = cx.scalars(initializer)?;
                cx.store(&pointer, ty, &value, Access::default())
            })?;
        }
        Ok(pointer)
    }

    /// An input is a private variable that the prologue fills.
    fn input_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let ty = self.variable_type(variable)?;
        let pointer = self.make_slot(ty)?;
        let mut built_ins: Vec<BuiltIn> = Vec::new();
        match (self.module.built_in(variable.id), self.module.ty(ty)) {
            (Some(built_in), _) => built_ins.push(built_in),
            (None, Type::Struct { members }) => {
                for index in 0..members.len() as u32 {
                    match self.module.member_built_in(ty, index) {
                        Some(built_in) => built_ins.push(built_in),
                        None => return unsupported("input blocks without built-ins in this stage"),
                    }
                }
            }
            _ => return unsupported("inputs that are no built-ins in this stage"),
        }
        let stage = self.stage;
        self.in_prologue(|cx| {
            let mut value = crate::value::Scalars::new();
            for built_in in built_ins {
                value.extend(stage.built_in(cx, built_in)?);
            }
            let expected = cx.type_scalars(ty)?;
            if value.len() != expected.len() {
                return invalid(format!("built-in variable {} has the wrong type", variable.id));
            }
            for (value, &scalar) in value.iter_mut().zip(&expected[..]) {
                *value = cx.integer_of_width(*value, scalar, false)?;
            }
            cx.store(&pointer, ty, &value, Access::default())
        })?;
        Ok(pointer)
    }

    /// A variable of a function.
    pub(crate) fn lower_function_variable(&mut self, inst: Instruction<'m>) -> Result {
        let untyped = inst.op() == Op::UntypedVariableKHR;
        let pointer_type = self.result_type(inst)?;
        let ty = if untyped { inst.get_id(1) } else { self.module.pointer(pointer_type).map(|(_, ty)| ty) };
        let Some(ty) = ty else { return invalid("a variable without a type") };
        if StorageClass::from_u32(inst.word(0)) != Some(StorageClass::Function) {
            return invalid("a variable in a function whose storage class is not Function");
        }
        let pointer = self.make_slot(ty)?;
        if let Some(initializer) = inst.get_id(if untyped { 2 } else { 1 }) {
            let value = self.scalars(initializer)?;
            self.store(&pointer, ty, &value, Access::default())?;
        }
        self.define(inst, pointer.into())
    }
}
