//! Addresses, loads and stores.

use super::words::Words;
use super::{Fixed, Lowerer};
use crate::error::Result;
use crate::module::{Base, Instruction, Operand, Symbol};
use crate::types::{Kind, Space, Type};
use pyro_abi::report::AccessKind;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space as Memory, Value};
use pyro_library::Ops;

const RULE: &str = "Instruction Operands: Addresses as Operands";

/// The operands of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) memory: MemoryOp,
    pub(super) base: Value,
    pub(super) offset: Value,
    pub(super) predicate: Value,
}

/// How an access is ordered with others.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    volatile: bool,
    fence: bool,
}

impl<'m> Lowerer<'m, '_> {
    /// Whether the kernel itself is at hand, and nothing that it calls.
    pub(super) fn is_in_kernel(&self) -> bool {
        self.frames.len() == 1
    }

    /// Whether the instruction at hand is executed.
    pub(super) fn predicate(&mut self) -> Value {
        match self.guard {
            Some(guard) => guard,
            None => self.b.bool(true),
        }
    }

    /// The address of a variable or parameter, with bytes added, `i64`: in its window where it is shared or
    /// local.
    pub(super) fn symbol_address(&mut self, symbol: Symbol, displacement: i64) -> Result<Value> {
        let module = self.module;
        match symbol {
            Symbol::Variable(index) => match module.variables[index].space {
                Space::Shared | Space::Local => {
                    let address = self.window_address(index, displacement);
                    Ok(self.b.resize_u(address, Scalar::I64))
                }
                _ => {
                    let start = self.image.offsets[index].unwrap_or(0) as i64;
                    let base = self.fixed(Fixed::Image);
                    let start = self.b.i64(start.wrapping_add(displacement) as u64);
                    Ok(self.b.iadd(base, start))
                }
            },
            Symbol::Parameter(index) if self.is_in_kernel() => {
                let start = i64::from(self.parameter_offsets[index]);
                let base = self.fixed(Fixed::Parameters);
                let start = self.b.i64(start.wrapping_add(displacement) as u64);
                Ok(self.b.iadd(base, start))
            }
            _ => self.unsupported(
                "State Spaces: Device Function Parameters",
                "the address of a function's parameter",
            ),
        }
    }

    /// The place of a shared or local variable in the block's memory, `i32`.
    fn window_address(&mut self, variable: usize, displacement: i64) -> Value {
        let start = self.window.offset(variable).wrapping_add(displacement as u32);
        if self.module.variables[variable].space == Space::Shared {
            return self.b.i32(start);
        }
        let (local, stride) = self.window.local();
        let thread = self.fixed(Fixed::ThreadIndex);
        let own = pyro_library::workgroup::scale(&mut self.b, thread, stride);
        let start = self.b.i32(local.wrapping_add(start));
        self.b.iadd(own, start)
    }

    /// An address in a register of 64 bits.
    fn register_address(&mut self, base: Base, space: Space) -> Result<Value> {
        match base {
            Base::Register(register) if register.ty.is_integer() && register.ty.bits() == 64 => {
                Ok(self.read_register(register))
            }
            Base::Register(register)
                if register.ty.is_integer()
                    && register.ty.bits() == 32
                    && matches!(space, Space::Shared | Space::Local | Space::Const) =>
            {
                let value = self.read_register(register);
                Ok(self.b.resize_u(value, Scalar::I64))
            }
            Base::Register(register) => {
                self.invalid(RULE, format!("an address in a register of .{}", register.ty.name()))
            }
            Base::Zero => Ok(self.b.i64(0)),
            Base::Symbol(symbol) => self.symbol_address(symbol, 0),
        }
    }

    /// The operands of an access of `bytes` bytes, `more` bytes behind an address.
    pub(super) fn place(&mut self, operand: &Operand, space: Space, more: u32, bytes: u32) -> Result<Place> {
        let Operand::Memory(base, displacement) = *operand else {
            return self.invalid(RULE, "something that is not an address in brackets");
        };
        let displacement = displacement.wrapping_add(more.into());
        let own = match base {
            Base::Symbol(Symbol::Variable(index)) => Some(self.module.variables[index].space),
            Base::Symbol(_) => Some(Space::Param),
            _ => None,
        };
        let space = match (own, space) {
            (Some(own), Space::Generic) => own,
            (Some(own), space) if own != space => {
                return self.invalid(RULE, "a variable that is in another state space");
            }
            _ => space,
        };
        let predicate = self.predicate();
        let memory = match space {
            Space::Shared | Space::Local => return self.window_place(base, displacement, bytes, predicate),
            Space::Const => Memory::Constant,
            Space::Param if self.is_in_kernel() => Memory::Context,
            Space::Param => {
                return self.unsupported(
                    "State Spaces: Device Function Parameters",
                    "such an access of a parameter",
                );
            }
            Space::Global | Space::Generic => Memory::Global,
        };
        let (base, displacement) = match base {
            Base::Symbol(Symbol::Variable(index)) => {
                let start = self.image.offsets[index].unwrap_or(0);
                (self.fixed(Fixed::Image), displacement.wrapping_add(start as i64))
            }
            Base::Symbol(Symbol::Parameter(index)) => {
                let start = self.parameter_offsets[index];
                (self.fixed(Fixed::Parameters), displacement.wrapping_add(start.into()))
            }
            base => (self.register_address(base, space)?, displacement),
        };
        let memory = MemoryOp::new(memory);
        Ok(match i32::try_from(displacement) {
            Ok(displacement) => {
                Place { memory: memory.at(displacement), base, offset: self.b.i32(0), predicate }
            }
            Err(_) => Place { memory, base, offset: self.b.i64(displacement as u64), predicate },
        })
    }

    /// The same in the block's memory, outside of which there is nothing.
    fn window_place(&mut self, base: Base, displacement: i64, bytes: u32, predicate: Value) -> Result<Place> {
        let address = match base {
            Base::Symbol(Symbol::Variable(index)) => self.window_address(index, displacement),
            base => {
                let start = self.register_address(base, Space::Shared)?;
                let start = self.b.resize_u(start, Scalar::I32);
                let displacement = self.b.i32(displacement as u32);
                pyro_library::workgroup::add(&mut self.b, start, displacement)
            }
        };
        let predicate = match self.window.bytes().checked_sub(bytes) {
            Some(last) => {
                let last = self.b.i32(last);
                let inside = self.b.ule(address, last);
                self.sanitize_window(address, inside)?;
                self.b.and(inside, predicate)
            }
            None => self.b.bool(false),
        };
        let memory = MemoryOp::new(if self.window.is_flat { Memory::Global } else { Memory::Shared });
        Ok(Place { memory, base: self.fixed(Fixed::Window), offset: address, predicate })
    }

    /// Looks at an access of memory by an address in a register.
    pub(super) fn sanitize_place(
        &mut self,
        operand: &Operand,
        space: Space,
        place: &Place,
        (access, bytes): (AccessKind, u32),
    ) -> Result {
        let Operand::Memory(Base::Register(_), _) = *operand else { return Ok(()) };
        let is_compared = space == Space::Global && self.looks_for(pyro_util::sanitize::Kind::BoundsAddress);
        let is_told = matches!(space, Space::Global | Space::Generic) && self.follows_commands();
        if !is_compared && !is_told {
            return Ok(());
        }
        let offset = self.b.resize_u(place.offset, Scalar::I64);
        let displacement = self.b.i64(place.memory.displacement as i64 as u64);
        let address = self.b.iadd(place.base, offset);
        let address = self.b.iadd(address, displacement);
        if is_compared {
            self.sanitize_address(address, bytes, access)?;
        }
        if !is_told {
            return Ok(());
        }
        let mut made = place.predicate;
        if space == Space::Generic && self.window.is_flat {
            // What is in the block's memory is no buffer's.
            let window = self.fixed(Fixed::Window);
            let from_start = self.b.isub(address, window);
            let end = self.b.i64(self.window.bytes().into());
            let outside = self.b.ule(end, from_start);
            made = self.b.and(made, outside);
        }
        self.tell_access(address, (access, bytes), made)
    }

    fn order(&mut self, words: &mut Words<'_>) -> Order {
        let fence = words.take("acquire") || words.take("release");
        let volatile =
            ["volatile", "relaxed", "mmio"].iter().fold(false, |found, word| words.take(word) | found);
        words.ignore_scope();
        Order { volatile: volatile || fence, fence }
    }

    fn element_count(words: &mut Words<'_>) -> usize {
        words.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1)
    }

    /// The operands for the elements of an access: one, or those of a vector.
    fn elements<'o>(&self, operand: &'o Operand, count: usize) -> Result<Vec<&'o Operand>> {
        let all: Vec<&Operand> = match operand {
            Operand::Vector(all) => all.iter().collect(),
            one => vec![one],
        };
        if all.len() != count {
            return self.invalid(
                "Instruction Operands: Vectors as Operands",
                format!("{} operands for {count}", all.len()),
            );
        }
        Ok(all)
    }

    /// The type and number of the elements of an access.
    fn accessed(
        &self,
        inst: &Instruction,
        words: &mut Words<'m>,
        rule: &'static str,
    ) -> Result<(Type, usize)> {
        words.ignore_hints();
        let count = Self::element_count(words);
        let ty = words.ty()?;
        if ty == Type::Pred || ty.kind() == Kind::Packed || inst.operands.len() != 2 {
            return self.invalid(rule, format!("{} with these operands", inst.opcode));
        }
        Ok((ty, count))
    }

    /// `ld`, `ldu`
    pub(super) fn load(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let order = self.order(words);
        let read_only = words.take("nc");
        words.take("unified");
        let space = words.space().unwrap_or(Space::Generic);
        let (ty, count) = self.accessed(inst, words, "Data Movement and Conversion Instructions: ld")?;
        let address = inst.operand(1)?;
        let elements = self.elements(inst.operand(0)?, count)?;
        let mut values = Vec::with_capacity(count);
        for index in 0..count as u32 {
            let more = index * ty.bytes();
            let value = match self.argument_at(address, space) {
                Some(symbol) => self.load_argument(symbol, address, more, ty)?,
                None => {
                    let mut place = self.place(address, space, more, ty.bytes())?;
                    self.sanitize_place(address, space, &place, (AccessKind::Read, ty.bytes()))?;
                    place.memory.volatile = order.volatile && !place.memory.space.is_read_only();
                    if read_only && place.memory.space == Memory::Global {
                        place.memory.space = Memory::Constant;
                    }
                    self.b.load(ty.register_scalar(), place.memory, place.base, place.offset, place.predicate)
                }
            };
            values.push(value);
        }
        if order.fence {
            self.b.effect(Opcode::Fence, 0);
        }
        for (element, value) in elements.into_iter().zip(values) {
            self.relaxed_set(element, ty, value)?;
        }
        Ok(())
    }

    /// `st`
    pub(super) fn store(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let order = self.order(words);
        let space = words.space().unwrap_or(Space::Generic);
        let (ty, count) = self.accessed(inst, words, "Data Movement and Conversion Instructions: st")?;
        let address = inst.operand(0)?;
        let elements = self.elements(inst.operand(1)?, count)?;
        if order.fence {
            self.b.effect(Opcode::Fence, 0);
        }
        for (index, element) in (0u32..).zip(elements) {
            let value = self.relaxed_value(element, ty)?;
            let value = self.cast(value, ty.register_scalar());
            let more = index * ty.bytes();
            if let Some(symbol) = self.argument_at(address, space) {
                self.store_argument(symbol, address, more, ty, value)?;
                continue;
            }
            let mut place = self.place(address, space, more, ty.bytes())?;
            if place.memory.space.is_read_only() {
                return self.invalid(
                    "Data Movement and Conversion Instructions: st",
                    "a store to memory that is only read",
                );
            }
            place.memory.volatile = order.volatile;
            self.sanitize_place(address, space, &place, (AccessKind::Write, ty.bytes()))?;
            self.b.store(place.memory, place.base, place.offset, value, place.predicate);
        }
        Ok(())
    }

    /// The parameter that a function's own access is of, whose place is a slot.
    fn argument_at(&self, address: &Operand, space: Space) -> Option<Symbol> {
        let Operand::Memory(Base::Symbol(symbol), _) = *address else { return None };
        let is_slot = match symbol {
            Symbol::Variable(_) => false,
            Symbol::Parameter(_) => !self.is_in_kernel(),
            Symbol::Result(_) | Symbol::Argument(_) => true,
        };
        (is_slot && matches!(space, Space::Param)).then_some(symbol)
    }

    /// `cvta`
    pub(super) fn convert_address(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        const RULE: &str = "Data Movement and Conversion Instructions: cvta";
        let back = words.take("to");
        let Some(space) = words.space() else { return self.invalid(RULE, "cvta without a state space") };
        let ty = words.ty()?;
        if ty != Type::U64 {
            return self.unsupported(RULE, "addresses of 32 bits");
        }
        let [address] = self.sources(inst, ty)?;
        let result = match space {
            Space::Shared | Space::Local => {
                let window = self.fixed(Fixed::Window);
                if back { self.b.isub(address, window) } else { self.b.iadd(address, window) }
            }
            _ => address,
        };
        self.set_result(inst, ty, result)
    }

    /// `isspacep`
    pub(super) fn is_space(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        const RULE: &str = "Data Movement and Conversion Instructions: isspacep";
        let Some(space) = words.space() else { return self.invalid(RULE, "isspacep without a state space") };
        let address = self.value(inst.operand(1)?, Type::U64)?;
        let window = self.fixed(Fixed::Window);
        let (shared, all) = (self.window.shared_bytes(), self.window.bytes());
        let inside = |lowerer: &mut Self, start: Value, bytes: u64| {
            let offset = lowerer.b.isub(address, start);
            let end = lowerer.b.i64(bytes);
            lowerer.b.ult(offset, end)
        };
        let in_shared = inside(self, window, shared.into());
        let in_window = inside(self, window, all.into());
        let constant = {
            // Constants lie among the module's variables.
            let mut found = self.b.bool(false);
            let module = self.module;
            for (index, variable) in
                module.variables.iter().enumerate().filter(|(_, v)| v.space == Space::Const)
            {
                let start = self.symbol_address(Symbol::Variable(index), 0)?;
                let is_here = inside(self, start, variable.bytes.unwrap_or(0));
                found = self.b.or(found, is_here);
            }
            found
        };
        let result = match space {
            Space::Shared => in_shared,
            Space::Local => self.b.andnot(in_window, in_shared),
            Space::Const => constant,
            Space::Global => {
                let other = self.b.or(in_window, constant);
                self.b.not(other)
            }
            _ => return self.unsupported(RULE, "this state space"),
        };
        self.set_result(inst, Type::Pred, result)
    }

    /// `prefetch` and its like, which say how memory is likely to be used.
    pub(super) fn prefetch(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let space = words.space().unwrap_or(Space::Generic);
        words.ignore_rest();
        self.place(inst.operand(0)?, space, 0, 1).map(drop)
    }

    /// `cp.async`: a copy from global to shared memory, made at once.
    pub(super) fn copy_async(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        const RULE: &str = "Data Movement and Conversion Instructions: cp.async";
        if !words.take("async") || words.take("bulk") || words.take("mbarrier") {
            return self.unsupported(RULE, inst.opcode.as_ref());
        }
        if words.take("commit_group") || words.take("wait_group") || words.take("wait_all") {
            return Ok(());
        }
        words.ignore_hints();
        if !words.take("shared") && !words.take("shared::cta") || !words.take("global") {
            return self.invalid(RULE, "cp.async goes from global to shared memory");
        }
        let bytes = match inst.operand(2)? {
            Operand::Integer(bytes @ (4 | 8 | 16)) => *bytes as u32,
            _ => return self.invalid(RULE, "cp.async copies 4, 8 or 16 bytes"),
        };
        // The bytes that are read; zeros are written for the others.
        let count = match inst.operands.get(3) {
            None => None,
            Some(Operand::Register(register)) if register.ty == Type::Pred => {
                return self.unsupported(RULE, "ignore-src");
            }
            Some(operand) => Some(self.value(operand, Type::U32)?),
        };
        for at in (0..bytes).step_by(if count.is_some() { 1 } else { 4 }) {
            let scalar = if count.is_some() { Scalar::I8 } else { Scalar::I32 };
            let mut from = self.place(inst.operand(1)?, Space::Global, at, scalar.bytes())?;
            if let Some(count) = count {
                let at = self.b.i32(at);
                let is_read = self.b.ult(at, count);
                from.predicate = self.b.and(from.predicate, is_read);
            }
            self.sanitize_place(inst.operand(1)?, Space::Global, &from, (AccessKind::Read, scalar.bytes()))?;
            let value = self.b.load(scalar, from.memory, from.base, from.offset, from.predicate);
            let to = self.place(inst.operand(0)?, Space::Shared, at, scalar.bytes())?;
            self.b.store(to.memory, to.base, to.offset, value, to.predicate);
        }
        Ok(())
    }
}
