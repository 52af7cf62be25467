//! Built-in variables that every stage has.

use crate::Shader;
use crate::context::Lowerer;
use crate::error::{Result, unsupported};
use crate::value::Scalars;
use pyro_abi::WARPS_PER_CORE;
use pyro_abi::context::offset;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::group;
use pyro_spirv::spirv::{BuiltIn, Capability};

/// Whether an entry point may ask which device of a group it runs on. Its module must say so.
pub(crate) fn uses_device_index(shader: &Shader<'_>) -> bool {
    shader.layout.options.view_index_is_device_index || shader.checked.has_capability(Capability::DeviceGroup)
}

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
            // The views of which a stage knows its own way; others are those of the device.
            BuiltIn::DeviceIndex | BuiltIn::ViewIndex => {
                let record = self.b.arg(0);
                Scalars::from_slice(&[self.load_context(record, offset::DEVICE_INDEX, Scalar::I32)])
            }
            BuiltIn::TileOffsetQCOM | BuiltIn::TileDimensionQCOM | BuiltIn::TileApronSizeQCOM => {
                let field = match built_in {
                    BuiltIn::TileOffsetQCOM => offset::TILE_OFFSET,
                    BuiltIn::TileDimensionQCOM => offset::TILE_SIZE,
                    _ => offset::TILE_APRON,
                };
                let record = self.b.arg(0);
                [0, 4].map(|at| self.load_context(record, field + at, Scalar::I32)).into_iter().collect()
            }
            BuiltIn::SMCountNV | BuiltIn::CoreCountARM => Scalars::from_slice(&[self.core_count()]),
            BuiltIn::CoreMaxIDARM => {
                let (count, one) = (self.core_count(), self.b.i32(1));
                Scalars::from_slice(&[self.b.op(Opcode::ISub, &[count, one])])
            }
            BuiltIn::SMIDNV | BuiltIn::CoreIDARM => {
                let (core, mask) = (self.core_word(), self.b.i32(0xffff));
                Scalars::from_slice(&[self.b.op(Opcode::And, &[core, mask])])
            }
            BuiltIn::WarpsPerSMNV => Scalars::from_slice(&[self.b.i32(WARPS_PER_CORE)]),
            BuiltIn::WarpMaxIDARM => Scalars::from_slice(&[self.b.i32(WARPS_PER_CORE - 1)]),
            // Outside of workgroups a thread runs one subgroup after another.
            BuiltIn::WarpIDNV | BuiltIn::WarpIDARM => Scalars::from_slice(&[self.b.i32(0)]),
            other => return unsupported(format!("built-in {other:?} in this stage")),
        })
    }

    /// `SubgroupContext::core`.
    pub(crate) fn core_word(&mut self) -> Value {
        let record = self.b.arg(1);
        self.load_context(record, offset::CORE, Scalar::I32)
    }

    fn core_count(&mut self) -> Value {
        let (core, half) = (self.core_word(), self.b.i32(16));
        self.b.op(Opcode::LShr, &[core, half])
    }
}
