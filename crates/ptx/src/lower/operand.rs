//! Registers and other operands.

use super::Lowerer;
use crate::error::Result;
use crate::module::{Guard, Instruction, Operand, Register, Symbol};
use crate::types::{Kind, Space, Type};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::Ops;

const RULE: &str = "Type Information for Instructions and Operands";

impl<'m> Lowerer<'m, '_> {
    /// The slot of a register of the function at hand.
    fn slot(&mut self, register: Register) -> pyro_ir::Slot {
        let frame = self.frames.last_mut().expect("some function is at hand");
        let function = &mut self.b.function;
        let bytes = register.ty.register_scalar().bytes();
        *frame.slots.entry(register.number).or_insert_with(|| function.add_slot(bytes))
    }

    /// A register's value, of the scalar as which it is kept.
    pub(super) fn read_register(&mut self, register: Register) -> Value {
        let frame = self.frames.last().expect("some function is at hand");
        if let Some(&value) = frame.known.get(&register.number) {
            return value;
        }
        let slot = self.slot(register);
        let zero = self.b.i32(0);
        let value = self.b.slot_load(register.ty.register_scalar(), slot, zero);
        self.know(register, value);
        value
    }

    fn know(&mut self, register: Register, value: Value) {
        self.frames.last_mut().expect("some function is at hand").known.insert(register.number, value);
    }

    /// Gives a register a value of the scalar as which it is kept, where the guard holds.
    pub(super) fn write_register(&mut self, register: Register, value: Value) {
        let value = match self.guard {
            Some(guard) => {
                let old = self.read_register(register);
                self.b.select(guard, value, old)
            }
            None => value,
        };
        let slot = self.slot(register);
        let zero = self.b.i32(0);
        self.b.slot_store(slot, zero, value);
        self.know(register, value);
        self.note_write(register);
    }

    /// The truth of a guard.
    pub(super) fn guard_value(&mut self, guard: Guard) -> Value {
        let value = self.read_register(guard.register);
        if guard.negated { self.b.not(value) } else { value }
    }

    /// The bits of a value as a scalar of the same width.
    pub(super) fn cast(&mut self, value: Value, to: Scalar) -> Value {
        self.b.bitcast(value, to)
    }

    /// An operand as a value of [`Type::scalar`]; a register's width must be the type's.
    pub(super) fn value(&mut self, operand: &Operand, ty: Type) -> Result<Value> {
        if let Operand::Register(register) = operand
            && (register.ty.bits() != ty.bits() || (register.ty == Type::Pred) != (ty == Type::Pred))
        {
            let message = format!("a register of .{} is used as .{}", register.ty.name(), ty.name());
            return self.invalid(RULE, message);
        }
        self.relaxed_value(operand, ty)
    }

    /// The same, of a register that may be wider, of which the low bits count (PTX ISA: Operand Size
    /// Exceeding Instruction-Type Size).
    pub(super) fn relaxed_value(&mut self, operand: &Operand, ty: Type) -> Result<Value> {
        let scalar = ty.scalar();
        match operand {
            Operand::Register(register) => {
                let value = self.read_register(*register);
                let (own, wanted) = (register.ty.bits(), ty.bits());
                if own == wanted {
                    return Ok(self.cast(value, scalar));
                }
                if own < wanted || own == 1 || wanted == 1 {
                    let message = format!("a register of .{} is used as .{}", register.ty.name(), ty.name());
                    return self.invalid(RULE, message);
                }
                let own = register.ty.register_scalar().to_int();
                let value = self.cast(value, own);
                let value = self.b.resize_u(value, scalar.to_int());
                Ok(self.cast(value, scalar))
            }
            Operand::Negated(register) if ty == Type::Pred => {
                let value = self.read_register(*register);
                Ok(self.b.not(value))
            }
            Operand::Integer(value) if ty == Type::Pred => Ok(self.b.bool(*value != 0)),
            Operand::Integer(value) if !ty.is_float() => Ok(self.b.constant(scalar, *value as u64)),
            Operand::Single(bits) if ty.bits() == 32 => Ok(self.b.constant(scalar, (*bits).into())),
            Operand::Double(bits) if ty.bits() == 64 => Ok(self.b.constant(scalar, *bits)),
            Operand::Double(bits) if ty == Type::F32 => Ok(self.b.f32(f64::from_bits(*bits) as f32)),
            Operand::Special(special) => {
                let value = self.special(*special)?;
                if self.b.scalar(value).bits() < ty.bits() || ty == Type::Pred {
                    return self
                        .invalid("Special Registers", format!("a special register as .{}", ty.name()));
                }
                let value = self.b.resize_u(value, scalar.to_int());
                Ok(self.cast(value, scalar))
            }
            Operand::Address(symbol, displacement) => {
                let address = self.symbol_address(*symbol, *displacement)?;
                match ty.bits() {
                    64 => Ok(self.cast(address, scalar)),
                    // Windows are smaller than 4 GiB.
                    32 if self.is_in_window(*symbol) => {
                        let address = self.b.resize_u(address, Scalar::I32);
                        Ok(self.cast(address, scalar))
                    }
                    _ => self.invalid(
                        "Instruction Operands: Addresses as Operands",
                        format!("an address as .{}", ty.name()),
                    ),
                }
            }
            Operand::Function(_) | Operand::Label(_) => self.unsupported(
                "Instruction Operands: Labels and Function Names as Operands",
                "the address of code",
            ),
            _ => self.invalid(RULE, format!("an operand that is not of type .{}", ty.name())),
        }
    }

    fn is_in_window(&self, symbol: Symbol) -> bool {
        let Symbol::Variable(index) = symbol else { return false };
        matches!(self.module.variables[index].space, Space::Shared | Space::Local)
    }

    /// Gives an operand, a register of the type's width, a value of [`Type::scalar`].
    pub(super) fn set(&mut self, operand: &Operand, ty: Type, value: Value) -> Result {
        if let Operand::Register(register) = operand
            && register.ty.bits() != ty.bits()
        {
            let message = format!("a result of .{} for a register of .{}", ty.name(), register.ty.name());
            return self.invalid(RULE, message);
        }
        self.relaxed_set(operand, ty, value)
    }

    /// The same of a register that may be wider, into which the value is extended.
    pub(super) fn relaxed_set(&mut self, operand: &Operand, ty: Type, value: Value) -> Result {
        let register = match operand {
            Operand::Register(register) => *register,
            Operand::Sink => return Ok(()),
            _ => {
                return self.invalid(
                    "Instruction Operands: Destination Operands",
                    "a result for something that is not a register",
                );
            }
        };
        let kept = register.ty.register_scalar();
        if (register.ty == Type::Pred) != (ty == Type::Pred) || register.ty.bits() < ty.bits() {
            let message = format!("a result of .{} for a register of .{}", ty.name(), register.ty.name());
            return self.invalid(RULE, message);
        }
        let value = if register.ty.bits() > ty.bits() {
            let whole = self.cast(value, ty.scalar().to_int());
            if ty.kind() == Kind::Signed {
                self.b.resize_s(whole, kept.to_int())
            } else {
                self.b.resize_u(whole, kept.to_int())
            }
        } else {
            value
        };
        let value = self.cast(value, kept);
        self.write_register(register, value);
        Ok(())
    }

    /// Operands 1 and following as values of one type.
    pub(super) fn sources<const N: usize>(&mut self, inst: &Instruction, ty: Type) -> Result<[Value; N]> {
        if inst.operands.len() != N + 1 {
            let message =
                format!("{} takes {} operands, and has {}", inst.opcode, N + 1, inst.operands.len());
            return self.invalid("Instruction Operands", message);
        }
        let mut values = Vec::with_capacity(N);
        for index in 1..=N {
            values.push(self.value(inst.operand(index)?, ty)?);
        }
        Ok(values.try_into().expect("as many as were pushed"))
    }

    /// Gives operand 0 a value.
    pub(super) fn set_result(&mut self, inst: &Instruction, ty: Type, value: Value) -> Result {
        self.set(inst.operand(0)?, ty, value)
    }

    /// `mov`, with vectors taken apart and put together.
    pub(super) fn mov(&mut self, inst: &'m Instruction, words: &mut super::Words<'m>) -> Result {
        const RULE: &str = "Data Movement and Conversion Instructions: mov";
        let ty = words.ty()?;
        let (to, from) = (inst.operand(0)?, inst.operand(1)?);
        if inst.operands.len() != 2 {
            return self.invalid(RULE, "mov takes two operands");
        }
        match (to, from) {
            (Operand::Vector(parts), from) => {
                let value = match from {
                    Operand::Vector(_) => return self.invalid(RULE, "a vector for a vector"),
                    from => self.value(from, ty)?,
                };
                let part = self.part_of(parts, ty)?;
                let whole = self.cast(value, ty.scalar().to_int());
                for (index, to) in (0u32..).zip(parts) {
                    let amount = self.b.constant(ty.scalar().to_int(), (part.bits() * index).into());
                    let shifted = self.b.op(Opcode::LShr, &[whole, amount]);
                    let value = self.b.resize_u(shifted, part.scalar());
                    self.set(to, part, value)?;
                }
                Ok(())
            }
            (to, Operand::Vector(parts)) => {
                let part = self.part_of(parts, ty)?;
                let scalar = ty.scalar().to_int();
                let mut whole = self.b.constant(scalar, 0);
                for (index, from) in (0u32..).zip(parts) {
                    let value = self.value(from, part)?;
                    let value = self.b.resize_u(value, scalar);
                    let amount = self.b.constant(scalar, (part.bits() * index).into());
                    let value = self.b.shl(value, amount);
                    whole = self.b.or(whole, value);
                }
                let whole = self.cast(whole, ty.scalar());
                self.set(to, ty, whole)
            }
            (to, from) => {
                let value = self.value(from, ty)?;
                self.set(to, ty, value)
            }
        }
    }

    /// The type of each of the parts of a value.
    fn part_of(&self, parts: &[Operand], ty: Type) -> Result<Type> {
        let bits = ty.bits() as usize / parts.len().max(1);
        let part = match bits {
            8 => Type::B8,
            16 => Type::B16,
            32 => Type::B32,
            _ => Type::Pred,
        };
        if part == Type::Pred || !matches!(parts.len(), 2 | 4) || bits * parts.len() != ty.bits() as usize {
            let message = format!("{} parts of a .{}", parts.len(), ty.name());
            return self.invalid("Data Movement and Conversion Instructions: mov", message);
        }
        Ok(part)
    }
}
