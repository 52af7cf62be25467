//! Atomic operations.

use super::Lowerer;
use super::memory::Place;
use super::words::Words;
use crate::error::Result;
use crate::module::Instruction;
use crate::types::{Space, Type};
use pyro_abi::report::AccessKind;
use pyro_ir::{MemoryOp, Opcode, Scalar, Value};
use pyro_library::Ops;

const RULE: &str = "Parallel Synchronization and Communication Instructions: atom";

impl<'m> Lowerer<'m, '_> {
    /// `atom`, `red`
    pub(super) fn atomic(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let mut fence = false;
        for word in ["acquire", "release", "acq_rel"] {
            fence |= words.take(word);
        }
        words.take("relaxed");
        words.ignore_scope();
        words.take("noftz");
        let space = words.space().unwrap_or(Space::Generic);
        let names =
            ["add", "and", "or", "xor", "min", "max", "exch", "cas", "inc", "dec"].map(|name| (name, name));
        let Some(name) = words.one_of(&names) else {
            return self.unsupported(RULE, inst.opcode.as_ref());
        };
        let ty = words.ty()?;
        words.done()?;
        // `red` gives no result.
        let first = usize::from(inst.name() == "atom");
        let count = first + 2 + usize::from(name == "cas");
        if inst.operands.len() != count {
            return self.invalid(
                "Instruction Operands",
                format!("{} with {} operands", inst.opcode, inst.operands.len()),
            );
        }
        if fence {
            self.b.effect(Opcode::Fence, 0);
        }
        let place = self.place(inst.operand(first)?, space, 0, ty.bytes())?;
        if place.memory.space.is_read_only() {
            return self.invalid(RULE, "an atomic operation on memory that is only read");
        }
        let accessed = (AccessKind::Atomic, ty.bytes());
        self.sanitize_place(inst.operand(first)?, space, &place, accessed)?;
        let x = self.value(inst.operand(first + 1)?, ty)?;
        let old = match name {
            "cas" => {
                let new = self.value(inst.operand(first + 2)?, ty)?;
                if !matches!(
                    ty,
                    Type::B16 | Type::B32 | Type::B64 | Type::U32 | Type::U64 | Type::S32 | Type::S64
                ) {
                    return self.invalid(RULE, format!("cas of .{}", ty.name()));
                }
                self.compare_exchange(place, x, new)
            }
            "inc" | "dec" if ty == Type::U32 => self.update(place, Scalar::I32, |lowerer, old| {
                let (zero, one) = (lowerer.b.i32(0), lowerer.b.i32(1));
                if name == "inc" {
                    let ends = lowerer.b.ule(x, old);
                    let next = lowerer.b.iadd(old, one);
                    lowerer.b.select(ends, zero, next)
                } else {
                    let (empty, above) = (lowerer.b.ieq(old, zero), lowerer.b.ult(x, old));
                    let ends = lowerer.b.or(empty, above);
                    let next = lowerer.b.isub(old, one);
                    lowerer.b.select(ends, x, next)
                }
            })?,
            "add" if ty == Type::F16x2 => {
                self.update(place, Scalar::I32, |lowerer, old| lowerer.packed_sum(old, x))?
            }
            "add" if ty == Type::F16 => {
                let old = self.update(place, Scalar::I16, |lowerer, old| {
                    let old = lowerer.cast(old, Scalar::F16);
                    let sum = lowerer.b.fadd(old, x);
                    lowerer.cast(sum, Scalar::I16)
                })?;
                self.cast(old, Scalar::F16)
            }
            _ => {
                let op = self.atomic_op(name, ty)?;
                let args = [place.base, place.offset, x, place.predicate];
                self.b.emit(op, &args, place.memory.to_imm(), ty.scalar()).expect("gives a result")
            }
        };
        if fence {
            self.b.effect(Opcode::Fence, 0);
        }
        if first == 1 { self.set(inst.operand(0)?, ty, old) } else { Ok(()) }
    }

    fn atomic_op(&self, name: &str, ty: Type) -> Result<Opcode> {
        let integer = ty.is_integer() && ty.bits() >= 32;
        let signed = ty.is_signed();
        Ok(match name {
            "add" if integer => Opcode::AtomicAdd,
            "add" if matches!(ty, Type::F32 | Type::F64) => Opcode::AtomicFAdd,
            "and" if integer => Opcode::AtomicAnd,
            "or" if integer => Opcode::AtomicOr,
            "xor" if integer => Opcode::AtomicXor,
            "min" if integer && signed => Opcode::AtomicSMin,
            "min" if integer => Opcode::AtomicUMin,
            "max" if integer && signed => Opcode::AtomicSMax,
            "max" if integer => Opcode::AtomicUMax,
            "exch" if integer => Opcode::AtomicExchange,
            _ => return self.unsupported(RULE, format!("{name} of .{}", ty.name())),
        })
    }

    fn compare_exchange(&mut self, place: Place, compare: Value, new: Value) -> Value {
        let args = [place.base, place.offset, compare, new, place.predicate];
        let scalar = self.b.scalar(compare);
        self.b
            .emit(Opcode::AtomicCompareExchange, &args, place.memory.to_imm(), scalar)
            .expect("gives a result")
    }

    /// Old value of an integer; memory becomes what `next` makes of it: by exchanges, until nobody comes
    /// between.
    fn update(
        &mut self,
        place: Place,
        scalar: Scalar,
        next: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Result<Value> {
        let slot = self.b.function.add_slot(scalar.bytes());
        self.repeat(|lowerer| {
            let memory = MemoryOp { volatile: true, ..place.memory };
            let old = lowerer.b.load(scalar, memory, place.base, place.offset, place.predicate);
            let new = next(lowerer, old);
            let seen = lowerer.compare_exchange(place, old, new);
            let zero = lowerer.b.i32(0);
            lowerer.b.slot_store(slot, zero, seen);
            Ok(lowerer.b.ieq(seen, old))
        })?;
        let zero = self.b.i32(0);
        Ok(self.b.slot_load(scalar, slot, zero))
    }
}
