//! Constants.

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::types::{element_type, scalar_of};
use crate::value::{Operand, Scalars};
use pyro_spirv::Id;
use pyro_spirv::constant::Value as Constant;

impl<'m> Lowerer<'m, '_> {
    /// A constant at module scope, in the current block.
    pub(crate) fn constant(&mut self, id: Id) -> Result<Operand> {
        let Some(value) = self.constants.get(id) else {
            return invalid(format!("{id} is used as a value but has none"));
        };
        let ty = self.type_of(id)?;
        // Fails when there are too many.
        self.type_scalars(ty)?;
        let mut scalars = Scalars::new();
        self.constant_scalars(value, ty, &mut scalars)?;
        self.operand_of_type(ty, scalars)
    }

    /// As deep as types nest, which decoding limits.
    fn constant_scalars(&mut self, value: Constant, ty: Id, scalars: &mut Scalars) -> Result {
        match value {
            Constant::Null(_) | Constant::Undef(_) => {
                for &scalar in &self.type_scalars(ty)?[..] {
                    scalars.push(self.b.constant(scalar, 0));
                }
                Ok(())
            }
            Constant::Scalar(bits) => {
                let scalar = scalar_of(self.module, ty)?;
                scalars.push(self.b.constant(scalar, bits));
                Ok(())
            }
            // One constituent stands for all elements.
            Constant::Composite(_) if self.is_cooperative_matrix(ty) => {
                let Some(element) = self.constants.element(value, 0) else {
                    return invalid(format!("a composite constant of type {ty} lacks elements"));
                };
                let element_ty = element_type(self.module, ty)?;
                for _ in 0..self.type_scalars(ty)?.len() {
                    self.constant_scalars(element, element_ty, scalars)?;
                }
                Ok(())
            }
            Constant::Composite(_) | Constant::Splat(_) => {
                let Some(count) = self.constants.element_count(ty) else {
                    return invalid(format!("a composite constant of type {ty}"));
                };
                for index in 0..count {
                    let element = self.constants.element(value, index);
                    let element_ty = self.constants.element_type(ty, index);
                    let (Some(element), Some(element_ty)) = (element, element_ty) else {
                        return invalid(format!("a composite constant of type {ty} lacks elements"));
                    };
                    self.constant_scalars(element, element_ty, scalars)?;
                }
                Ok(())
            }
            Constant::Opaque => unsupported(format!("the constant of type {ty}")),
        }
    }

    /// Zeros of a type: `OpUndef`, values that nothing reaches.
    pub(crate) fn zeros(&mut self, ty: Id) -> Result<Operand> {
        let kinds = self.type_scalars(ty)?;
        let scalars: Scalars = kinds.iter().map(|&scalar| self.b.constant(scalar, 0)).collect();
        self.operand_of_type(ty, scalars)
    }
}
