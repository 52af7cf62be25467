//! Cooperative matrices: `SPV_KHR_cooperative_matrix` and `SPV_NV_cooperative_matrix`.
//!
//! The lanes of a subgroup share a matrix: its elements, numbered row by row, are dealt out to the lanes one after the
//! other. Element `e` lies in lane `e % lanes`, as that lane's component `e / lanes`; what is left of the last component has
//! no meaning. That holds for all uses, so that conversions between uses are nothing. A matrix whose columns are a
//! multiple of the subgroup has a row, or a part of one, in each component: rows are loaded as vectors, and the second
//! factor of a product and its accumulator are just there. Elements of the first factor are wanted by all lanes, one after
//! the other: it goes to memory ([`staging`]), from where processors read one element to all lanes at no cost.

mod memory;
mod multiply;
mod staging;

use crate::context::Lowerer;
use crate::error::{Result, invalid, unsupported};
use crate::types::{scalar_of, type_text};
use pyro_ir::Scalar;
use pyro_spirv::spirv::{Op, Scope};
use pyro_spirv::{Id, Instruction, Type};

/// Whether [`Lowerer::lower_cooperative`] is for the instruction.
pub(crate) fn is_cooperative(op: Op) -> bool {
    matches!(
        op,
        Op::CooperativeMatrixLoadKHR
            | Op::CooperativeMatrixStoreKHR
            | Op::CooperativeMatrixMulAddKHR
            | Op::CooperativeMatrixLengthKHR
            | Op::CooperativeMatrixLoadNV
            | Op::CooperativeMatrixStoreNV
            | Op::CooperativeMatrixMulAddNV
            | Op::CooperativeMatrixLengthNV
    )
}

/// A cooperative matrix type.
#[derive(Clone, Copy, Debug)]
struct Matrix {
    /// The type of its elements.
    component: Id,
    /// What an element is here.
    scalar: Scalar,
    rows: u32,
    columns: u32,
    /// Invocations that share it.
    lanes: u32,
}

impl Matrix {
    /// Components of each lane.
    fn count(&self) -> u32 {
        (self.rows * self.columns).div_ceil(self.lanes)
    }
}

impl<'m> Lowerer<'m, '_> {
    /// Whether values of a type are spread over a subgroup.
    pub(crate) fn is_cooperative_matrix(&self, ty: Id) -> bool {
        matches!(self.module.ty(ty), Type::CooperativeMatrixKhr { .. } | Type::CooperativeMatrixNv { .. })
    }

    /// A cooperative matrix type's facts.
    fn matrix(&mut self, ty: Id) -> Result<Matrix> {
        let (component, scope) = match self.module.ty(ty) {
            Type::CooperativeMatrixKhr { component, scope, .. }
            | Type::CooperativeMatrixNv { component, scope, .. } => (component, scope),
            _ => return invalid(format!("{} is no cooperative matrix", type_text(self.module, ty))),
        };
        let Some([rows, columns]) = self.constants.matrix_size(ty) else {
            return invalid(format!("cooperative matrix type {ty} has no known size"));
        };
        if self.constants.unsigned(scope) != Some(Scope::Subgroup as u32) {
            return unsupported("cooperative matrices of another scope than Subgroup");
        }
        // Fails where there are too many components, so that products of sizes fit below.
        if self.type_scalars(ty)?.is_empty() {
            return invalid(format!("cooperative matrix type {ty} has no elements"));
        }
        let scalar = scalar_of(self.module, component)?;
        Ok(Matrix { component, scalar, rows, columns, lanes: self.b.function.lanes })
    }

    /// Instructions on cooperative matrices as such; others take them as composites.
    pub(crate) fn lower_cooperative(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV => self.matrix_load(inst),
            Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV => self.matrix_store(inst),
            Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixMulAddNV => self.matrix_multiply_add(inst),
            Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV => {
                let matrix = self.matrix(inst.id(0))?;
                let scalar = self.result_scalar(inst)?;
                let length = self.b.constant(scalar, matrix.count().into());
                self.define_scalar(inst, length)
            }
            _ => self.unsupported(inst),
        }
    }
}
