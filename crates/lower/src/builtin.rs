//! Built-in variables that every stage has.

use crate::context::Lowerer;
use crate::error::{Result, unsupported};
use crate::value::Scalars;
use pyro_ir::Opcode;
use pyro_library::group;
use pyro_spirv::spirv::BuiltIn;

impl Lowerer<'_, '_> {
    /// The scalars of a built-in that means the same in every stage.
    pub(crate) fn common_built_in(&mut self, built_in: BuiltIn) -> Result<Scalars> {
        Ok(match built_in {
            BuiltIn::SubgroupSize => Scalars::from_slice(&[self.b.i32(self.b.function.lanes)]),
            BuiltIn::SubgroupLocalInvocationId => Scalars::from_slice(&[self.b.op(Opcode::LaneId, &[])]),
            BuiltIn::SubgroupEqMask => group::eq_mask(&mut self.b).into(),
            BuiltIn::SubgroupGeMask => group::ge_mask(&mut self.b).into(),
            BuiltIn::SubgroupGtMask => group::gt_mask(&mut self.b).into(),
            BuiltIn::SubgroupLeMask => group::le_mask(&mut self.b).into(),
            BuiltIn::SubgroupLtMask => group::lt_mask(&mut self.b).into(),
            BuiltIn::DeviceIndex => Scalars::from_slice(&[self.b.i32(0)]),
            other => return unsupported(format!("built-in {other:?} in this stage")),
        })
    }
}
