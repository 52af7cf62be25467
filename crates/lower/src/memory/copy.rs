//! Copies from memory to memory.

use crate::context::Lowerer;
use crate::error::{Result, invalid, limit, unsupported};
use crate::limits::VALUE_SCALAR_COUNT_MAX;
use crate::memory::{Access, Leaf};
use crate::pointer::{Pointer, PointerBase};
use crate::value::Scalars;
use pyro_ir::Scalar;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::MemoryAccess;

impl<'m> Lowerer<'m, '_> {
    /// The memory operands of target and source: two of them, or one for both.
    fn copy_accesses(inst: Instruction<'m>, position: usize) -> (Access, Access) {
        let target = Access::of(inst, position);
        let Some(mask) = inst.get_word(position) else { return (target, target) };
        let mask = MemoryAccess::from_bits_retain(mask);
        let operands =
            [MemoryAccess::ALIGNED, MemoryAccess::MAKE_POINTER_AVAILABLE, MemoryAccess::MAKE_POINTER_VISIBLE];
        let used = operands.iter().filter(|&&flag| mask.contains(flag)).count();
        let next = position + 1 + used;
        (target, if inst.get_word(next).is_some() { Access::of(inst, next) } else { target })
    }

    /// `OpCopyMemory`
    pub(crate) fn lower_copy_memory(&mut self, inst: Instruction<'m>) -> Result {
        let (target, source) = (self.pointer(inst.id(0))?, self.pointer(inst.id(1))?);
        // What a typed pointer points to; an untyped one takes the other's type.
        let typed = |id| self.module.pointer(self.module.type_of(id)?).map(|(_, pointee)| pointee);
        let (target_ty, source_ty) = match (typed(inst.id(0)), typed(inst.id(1))) {
            (Some(target_ty), Some(source_ty)) => (target_ty, source_ty),
            (Some(ty), None) | (None, Some(ty)) => (ty, ty),
            (None, None) => return invalid("OpCopyMemory between untyped pointers"),
        };
        let (target_access, source_access) = Self::copy_accesses(inst, 2);
        let value = self.load(&source, source_ty, source_access)?;
        let value = self.operand_scalars(value)?;
        self.store(&target, target_ty, &value, target_access)
    }

    /// `OpCopyMemorySized` of a constant size, in the largest words that divide it.
    pub(crate) fn lower_copy_memory_sized(&mut self, inst: Instruction<'m>) -> Result {
        let (target, source) = (self.pointer(inst.id(0))?, self.pointer(inst.id(1))?);
        let Some(bytes) = self.constants.integer(inst.id(2)) else {
            return unsupported("OpCopyMemorySized of a size that is not constant");
        };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let word = if bytes % 4 == 0 { Scalar::I32 } else { Scalar::I8 };
        let count = bytes / u64::from(word.bytes());
        if count > VALUE_SCALAR_COUNT_MAX {
            return limit(format!("OpCopyMemorySized of {bytes} bytes"));
        }
        let (target_access, source_access) = Self::copy_accesses(inst, 3);
        for index in 0..count {
            let leaf = Leaf { offset: index * u64::from(word.bytes()), scalar: word, count: 1, stride: 0 };
            let mut value = Scalars::new();
            self.load_leaf(&source, leaf, source_access, &mut value)?;
            self.store_leaf(&target, leaf, target_access, &value)?;
        }
        Ok(())
    }

    fn load_leaf(&mut self, from: &Pointer, leaf: Leaf, access: Access, value: &mut Scalars) -> Result {
        match from.base {
            PointerBase::Range(_) => self.range_load(from, &[leaf], access, value),
            PointerBase::Physical { .. } => self.physical_load(from, &[leaf], access, value),
            _ => unsupported("untyped copies of private variables"),
        }
    }

    fn store_leaf(&mut self, to: &Pointer, leaf: Leaf, access: Access, value: &Scalars) -> Result {
        match to.base {
            PointerBase::Range(_) => self.range_store(to, &[leaf], value, access),
            PointerBase::Physical { .. } => self.physical_store(to, &[leaf], value, access),
            _ => unsupported("untyped copies of private variables"),
        }
    }
}
