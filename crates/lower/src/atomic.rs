//! Atomic operations and barriers.
//!
//! Atomics are sequentially consistent where they run (x86-64's locked instructions), so memory semantics
//! only keep the compiler from moving other accesses over them: a fence before a release and behind an
//! acquire. Atomic loads and stores are volatile accesses.

use crate::context::{Lowerer, invalid_operands};
use crate::deferrable::{DeferrablePointers, fenced, orders};
use crate::error::{Result, invalid, unsupported};
use crate::memory::Access;
use crate::memory::range::Address;
use crate::pointer::{Pointer, PointerBase};
use crate::value::{Operand, Scalars};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{ExecutionModel, Op, Scope};

/// Whether an instruction of this family names no memory.
fn is_barrier(op: Op) -> bool {
    matches!(
        op,
        Op::ControlBarrier | Op::ControlBarrierArriveINTEL | Op::ControlBarrierWaitINTEL | Op::MemoryBarrier
    )
}

impl<'m> Lowerer<'m, '_> {
    /// Atomics and barriers.
    pub(crate) fn lower_atomic(&mut self, inst: Instruction<'m>) -> Result {
        use Opcode as O;
        if !is_barrier(inst.op())
            && let Operand::Pointer(pointer) = self.operand(inst.id(0))?
            && let PointerBase::Texel(texel) = &pointer.base
        {
            return self.lower_texel_atomic(inst, texel);
        }
        match inst.op() {
            // Who waits waits for all to come there: whoever has come has arrived before.
            Op::ControlBarrierArriveINTEL => {
                let semantics = self.constant_operand(inst.id(2))?;
                self.fence(semantics);
                Ok(())
            }
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => {
                let scope = self.scope(inst.id(0))?;
                let semantics = self.constant_operand(inst.id(2))?;
                match scope {
                    Scope::Subgroup | Scope::Invocation => {
                        self.fence(semantics);
                        Ok(())
                    }
                    Scope::Workgroup => {
                        let stage = self.stage;
                        stage.workgroup_barrier(self, fenced(semantics))
                    }
                    scope => unsupported(format!("OpControlBarrier of {scope:?} scope")),
                }
            }
            Op::MemoryBarrier => {
                let semantics = self.constant_operand(inst.id(1))?;
                self.fence(semantics);
                Ok(())
            }
            Op::AtomicLoad => {
                let ty = self.result_type(inst)?;
                let pointer = self.pointer(inst.id(0))?;
                let value = self.load(&pointer, ty, Access { volatile: true })?;
                let semantics = self.constant_operand(inst.id(2))?;
                self.fence(semantics);
                self.define(inst, value)
            }
            Op::AtomicStore => {
                let semantics = self.constant_operand(inst.id(2))?;
                self.fence(semantics);
                let pointer = self.pointer(inst.id(0))?;
                let ty = self.type_of(inst.id(3))?;
                let value = self.scalars(inst.id(3))?;
                self.store(&pointer, ty, &value, Access { volatile: true })
            }
            Op::AtomicCompareExchange => self.compare_exchange(inst),
            Op::AtomicIIncrement => self.counter(inst, 1),
            Op::AtomicIDecrement => self.counter(inst, u64::MAX),
            Op::AtomicISub => {
                let value = self.scalar(inst.id(3))?;
                let zero = self.b.constant(self.scalar_type(value), 0);
                let value = self.op(O::ISub, &[zero, value])?;
                self.read_modify_write(inst, O::AtomicAdd, &[value])
            }
            Op::AtomicExchange => self.plain(inst, O::AtomicExchange),
            Op::AtomicIAdd => self.plain(inst, O::AtomicAdd),
            Op::AtomicSMin => self.plain(inst, O::AtomicSMin),
            Op::AtomicUMin => self.plain(inst, O::AtomicUMin),
            Op::AtomicSMax => self.plain(inst, O::AtomicSMax),
            Op::AtomicUMax => self.plain(inst, O::AtomicUMax),
            Op::AtomicAnd => self.plain(inst, O::AtomicAnd),
            Op::AtomicOr => self.plain(inst, O::AtomicOr),
            Op::AtomicXor => self.plain(inst, O::AtomicXor),
            Op::AtomicFAddEXT => self.plain(inst, O::AtomicFAdd),
            Op::AtomicFMinEXT => self.plain(inst, O::AtomicFMin),
            Op::AtomicFMaxEXT => self.plain(inst, O::AtomicFMax),
            _ => self.unsupported(inst),
        }
    }

    /// Keeps accesses on their side, when the semantics order any.
    fn fence(&mut self, semantics: u32) {
        if orders(semantics) {
            self.b.effect(Opcode::Fence, 0);
        }
    }

    /// The operands of an access to one scalar, other than a private one.
    pub(crate) fn scalar_address(&mut self, pointer: &Pointer, scalar: Scalar) -> Result<Address> {
        let access = Access::default();
        let mut address = match &pointer.base {
            PointerBase::Range(range) => {
                range.expect_writable()?;
                self.range_address(pointer, range, 0, scalar.bytes().into(), access)
            }
            PointerBase::Physical { .. } => self.physical_operands(pointer, 0, access),
            _ => return invalid("an atomic operation on memory that other invocations cannot see"),
        };
        address.memory.speculatable = false;
        address.predicate = self.write_predicate(address.predicate);
        Ok(address)
    }

    fn plain(&mut self, inst: Instruction<'m>, op: Opcode) -> Result {
        let value = self.scalars(inst.id(3))?;
        self.read_modify_write(inst, op, &value)
    }

    fn counter(&mut self, inst: Instruction<'m>, step: u64) -> Result {
        let scalar = self.result_scalar(inst)?;
        let value = self.b.constant(scalar, step);
        self.read_modify_write(inst, Opcode::AtomicAdd, &[value])
    }

    /// Of a vector (of 16-bit floats) each component is atomic by itself.
    fn read_modify_write(&mut self, inst: Instruction<'m>, op: Opcode, value: &[Value]) -> Result {
        let Some(&first) = value.first() else { return invalid_operands(inst) };
        self.expect_same(inst, value)?;
        let scalar = self.scalar_type(first);
        let is_float_op = matches!(op, Opcode::AtomicFAdd | Opcode::AtomicFMin | Opcode::AtomicFMax);
        let fits = match op {
            Opcode::AtomicExchange => scalar != Scalar::I1,
            _ if is_float_op => scalar.is_float(),
            _ => scalar.is_int(),
        };
        if !fits || value.len() > 1 && scalar != Scalar::F16 {
            return invalid_operands(inst);
        }
        let mut pointer = self.pointer(inst.id(0))?;
        let semantics = self.constant_operand(inst.id(2))?;
        self.fence(semantics);
        let mut old = Scalars::new();
        for &value in value {
            let mut at = self.scalar_address(&pointer, scalar)?;
            at.memory.deferrable = self.may_wait(inst, op, at.memory);
            let args = [at.base, at.offset, value, at.predicate];
            old.push(self.b.emit(op, &args, at.memory.to_imm(), scalar).expect("atomics give a result"));
            pointer.offset = pointer.offset.wrapping_add(scalar.bytes().into());
        }
        self.fence(semantics);
        self.define(inst, Operand::Data(old))
    }

    /// Whether an operation may be carried out any time until the invocation ends.
    fn may_wait(&mut self, inst: Instruction<'m>, op: Opcode, memory: MemoryOp) -> bool {
        let commutes =
            matches!(op, Opcode::AtomicAdd | Opcode::AtomicAnd | Opcode::AtomicOr | Opcode::AtomicXor);
        let is_compute = self.stage.model() == Some(ExecutionModel::GLCompute);
        if !commutes || !is_compute || memory.space != Space::Global || memory.volatile {
            return false;
        }
        let Lowerer { module, constants, deferrable, .. } = self;
        deferrable.get_or_insert_with(|| DeferrablePointers::of(module, constants)).contains(inst.id(0))
    }

    fn compare_exchange(&mut self, inst: Instruction<'m>) -> Result {
        let (value, comparator) = (self.scalar(inst.id(4))?, self.scalar(inst.id(5))?);
        let scalar = self.scalar_type(value);
        self.expect_int(inst, &[value, comparator])?;
        self.expect_same(inst, &[value, comparator])?;
        let pointer = self.pointer(inst.id(0))?;
        let semantics = self.constant_operand(inst.id(2))? | self.constant_operand(inst.id(3))?;
        self.fence(semantics);
        let at = self.scalar_address(&pointer, scalar)?;
        let args = [at.base, at.offset, comparator, value, at.predicate];
        let old = self
            .b
            .emit(Opcode::AtomicCompareExchange, &args, at.memory.to_imm(), scalar)
            .expect("atomics give a result");
        self.fence(semantics);
        self.define_scalar(inst, old)
    }
}
