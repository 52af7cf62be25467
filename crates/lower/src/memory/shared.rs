//! Workgroup memory: all variables in one range, checked against the end of their own variable.
//!
//! Variables get their place when they are first used, so unused ones take none. Blocks
//! (`WorkgroupMemoryExplicitLayoutKHR`) that are decorated `Aliased` share one place, as large as the
//! largest.

use crate::context::Lowerer;
use crate::error::{Result, invalid, limit};
use crate::limits::SHARED_BYTES_MAX;
use crate::pointer::{MemoryLayout, Pointer, PointerBase, Range, Size};
use pyro_ir::Space;
use pyro_spirv::layout::{LayoutKind, Layouts};
use pyro_spirv::spirv::{Decoration, StorageClass};
use pyro_spirv::{GlobalVariable, Id, constant};

/// A variable of this many bytes begins with a cache line.
const LARGE_BYTES: u64 = 512;
/// Bytes of a cache line.
const LINE_BYTES: u64 = 64;

impl<'m> Lowerer<'m, '_> {
    fn is_aliased(&self, variable: GlobalVariable<'m>) -> bool {
        self.module.has_decoration(variable.id, Decoration::Aliased)
    }

    /// Bytes of a type that decorations lay out.
    pub(crate) fn block_bytes(&self, ty: Id) -> Result<u64> {
        let extent = Layouts::new(&self.constants, LayoutKind::Explicit).extent(ty);
        Ok(extent.map_err(|error| crate::LowerError::invalid(error.to_string()))?.size)
    }

    /// Keeps room at `start` for every aliased block of the module.
    fn reserve_aliased(&mut self, start: u64) -> Result {
        let mut bytes = 0;
        for variable in self.module.globals() {
            if variable.class == StorageClass::Workgroup
                && self.is_aliased(variable)
                && let Some(ty) = variable.value_type
            {
                bytes = bytes.max(self.block_bytes(ty)?);
            }
        }
        let end = start.saturating_add(bytes);
        if end > SHARED_BYTES_MAX {
            return limit(format!("{end} bytes of workgroup memory"));
        }
        self.workgroup.bytes = self.workgroup.bytes.max(end as u32);
        self.workgroup.aliased = Some(start);
        Ok(())
    }

    /// A pointer to a `Workgroup` variable.
    pub(crate) fn shared_variable(&mut self, variable: GlobalVariable<'m>) -> Result<Pointer> {
        let Some(ty) = variable.value_type else {
            return invalid(format!("workgroup variable {} has no type", variable.id));
        };
        let is_block = self.module.has_decoration(ty, Decoration::Block);
        let (start, end, layout) = if is_block {
            let start = match self.workgroup.aliased {
                Some(start) if self.is_aliased(variable) => start,
                _ => u64::from(self.workgroup.bytes).next_multiple_of(LINE_BYTES),
            };
            let end = start.saturating_add(self.block_bytes(ty)?);
            (start, end, MemoryLayout::EXPLICIT)
        } else {
            let extent = self.types.extent(&self.constants, ty)?;
            // Large arrays begin with a cache line, so that whole registers of them lie in one.
            let align = if extent.size >= LARGE_BYTES { LINE_BYTES } else { extent.align };
            let start = u64::from(self.workgroup.bytes).next_multiple_of(align);
            (start, start.saturating_add(extent.size), MemoryLayout::LOGICAL)
        };
        if end > SHARED_BYTES_MAX {
            return limit(format!("{end} bytes of workgroup memory"));
        }
        self.workgroup.bytes = self.workgroup.bytes.max(end as u32);
        if is_block && self.workgroup.aliased.is_none() && self.is_aliased(variable) {
            self.reserve_aliased(start)?;
        }
        if let Some(initializer) = variable.initializer {
            match self.constants.get(initializer) {
                Some(constant::Value::Null(_) | constant::Value::Scalar(0)) => {
                    self.workgroup.is_zeroed = true
                }
                _ => return invalid("workgroup variables are initialized by OpConstantNull or not at all"),
            }
        }
        let base = self.shared_base()?;
        let range = Range {
            base,
            size: Size::Known(end as u32),
            hoisted: true,
            space: Space::Shared,
            speculatable: true,
        };
        let mut pointer = Pointer::new(PointerBase::Range(range), Some(ty), layout);
        pointer.offset = start;
        Ok(pointer)
    }
}
