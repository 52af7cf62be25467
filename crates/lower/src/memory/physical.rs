//! Device addresses: `PhysicalStorageBuffer` pointers. What lies behind them is the application's promise.

use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::range::Address;
use crate::memory::{Access, Leaf};
use crate::pointer::{MemoryLayout, Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::Op;

impl<'m> Lowerer<'m, '_> {
    /// The address that a pointer stands for.
    pub(crate) fn physical_address(&mut self, pointer: &Pointer) -> Value {
        let PointerBase::Physical { address } = pointer.base else { unreachable!("the caller has looked") };
        let address = match self.dynamic_offset(pointer) {
            Some(offset) => self.b.op(Opcode::IAdd, &[address, offset]),
            None => address,
        };
        if pointer.offset == 0 {
            return address;
        }
        let offset = self.b.i64(pointer.offset);
        self.b.op(Opcode::IAdd, &[address, offset])
    }

    /// The operands of an access `start` bytes behind what the pointer points to.
    pub(crate) fn physical_operands(&mut self, pointer: &Pointer, start: u64, access: Access) -> Address {
        let PointerBase::Physical { address } = pointer.base else { unreachable!("the caller has looked") };
        let memory =
            MemoryOp { volatile: access.volatile || pointer.volatile, ..MemoryOp::new(Space::Global) };
        let constant = pointer.offset.wrapping_add(start);
        let dynamic = self.dynamic_offset(pointer);
        let predicate = self.b.bool(true);
        if let Ok(displacement) = i32::try_from(constant as i64) {
            let offset = dynamic.unwrap_or_else(|| self.b.i32(0));
            return Address { memory: memory.at(displacement), base: address, offset, predicate };
        }
        let constant = self.b.i64(constant);
        let offset = match dynamic {
            Some(dynamic) => self.b.op(Opcode::IAdd, &[dynamic, constant]),
            None => constant,
        };
        Address { memory, base: address, offset, predicate }
    }

    pub(crate) fn physical_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        access: Access,
        scalars: &mut Scalars,
    ) -> Result {
        for leaf in leaves {
            for index in 0..u64::from(leaf.count) {
                let at = self.physical_operands(pointer, leaf.offset + index * leaf.stride, access);
                scalars.push(self.load_scalar(leaf.scalar, at));
            }
        }
        Ok(())
    }

    pub(crate) fn physical_store(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        value: &[Value],
        access: Access,
    ) -> Result {
        let mut value = value.iter();
        for leaf in leaves {
            for (index, &component) in
                (0..u64::from(leaf.count)).zip(value.by_ref().take(leaf.count as usize))
            {
                let at = self.physical_operands(pointer, leaf.offset + index * leaf.stride, access);
                self.store_scalar(leaf.scalar, at, component);
            }
        }
        Ok(())
    }

    /// `OpConvertUToPtr`, `OpConvertPtrToU`
    pub(crate) fn lower_pointer_conversion(&mut self, inst: Instruction<'m>) -> Result {
        if inst.op() == Op::ConvertPtrToU {
            let pointer = self.pointer(inst.id(0))?;
            let PointerBase::Physical { .. } = pointer.base else {
                return invalid("the address of logical memory");
            };
            let address = self.physical_address(&pointer);
            let to = self.result_scalar(inst)?;
            let address = self.integer_of_width(address, to, false)?;
            return self.define(inst, Operand::scalar(address));
        }
        let address = self.scalar(inst.id(0))?;
        let address = self.integer_of_width(address, Scalar::I64, false)?;
        self.define_physical(inst, address)
    }

    /// Gives an instruction's result, a pointer, this address.
    pub(crate) fn define_physical(&mut self, inst: Instruction<'m>, address: Value) -> Result {
        let ty = self.result_type(inst)?;
        let pointee = self.module.pointer(ty).map(|(_, pointee)| pointee);
        let pointer = Pointer::new(PointerBase::Physical { address }, pointee, MemoryLayout::EXPLICIT);
        self.define(inst, pointer.into())
    }
}
