//! Instructions on general registers, jumps and calls, in their legacy encodings.

use super::check::Arg;
use super::{Assembler, Fixup, Gpr, Label, Mem, RCX, Rm, Size, Target};

/// Two-operand arithmetic, by the opcode extension of its immediate form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Alu {
    /// Sum.
    Add = 0,
    /// Bitwise or.
    Or = 1,
    /// Bitwise and.
    And = 4,
    /// Difference.
    Sub = 5,
    /// Exclusive or.
    Xor = 6,
    /// Difference for the flags alone.
    Cmp = 7,
}

/// Shifts by an immediate, by opcode extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Shift {
    /// Left.
    Shl = 4,
    /// Right, zeros come in.
    Shr = 5,
    /// Right, the sign comes in.
    Sar = 7,
}

/// One-operand operations, by opcode extension of `F7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Unary {
    /// Complement.
    Not = 2,
    /// Negation.
    Neg = 3,
    /// `rdx:rax = rax * operand`, unsigned.
    Mul = 4,
    /// `rdx:rax = rax * operand`, signed.
    IMul = 5,
    /// `rax, rdx = rdx:rax / operand`, unsigned.
    Div = 6,
    /// `rax, rdx = rdx:rax / operand`, signed.
    IDiv = 7,
}

/// Condition codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Condition {
    /// Carry: unsigned less.
    Below = 2,
    /// No carry: unsigned greater or equal.
    AboveEqual = 3,
    /// Zero.
    Equal = 4,
    /// Not zero.
    NotEqual = 5,
    /// Unsigned less or equal.
    BelowEqual = 6,
    /// Unsigned greater.
    Above = 7,
    /// After a comparison of floats: one is NaN.
    Parity = 10,
    /// Neither is NaN.
    NoParity = 11,
    /// Signed less.
    Less = 12,
    /// Signed greater or equal.
    GreaterEqual = 13,
    /// Signed less or equal.
    LessEqual = 14,
    /// Signed greater.
    Greater = 15,
}

impl Condition {
    /// The opposite.
    pub const fn not(self) -> Condition {
        use Condition as C;
        match self {
            C::Below => C::AboveEqual,
            C::AboveEqual => C::Below,
            C::Equal => C::NotEqual,
            C::NotEqual => C::Equal,
            C::BelowEqual => C::Above,
            C::Above => C::BelowEqual,
            C::Parity => C::NoParity,
            C::NoParity => C::Parity,
            C::Less => C::GreaterEqual,
            C::GreaterEqual => C::Less,
            C::LessEqual => C::Greater,
            C::Greater => C::LessEqual,
        }
    }

    /// The same with swapped operands.
    pub const fn swapped(self) -> Condition {
        use Condition as C;
        match self {
            C::Below => C::Above,
            C::AboveEqual => C::BelowEqual,
            C::Equal | C::NotEqual | C::Parity | C::NoParity => self,
            C::BelowEqual => C::AboveEqual,
            C::Above => C::Below,
            C::Less => C::Greater,
            C::GreaterEqual => C::LessEqual,
            C::LessEqual => C::GreaterEqual,
            C::Greater => C::Less,
        }
    }

    /// What conditional instructions end in.
    const fn suffix(self) -> &'static str {
        match self {
            Condition::Below => "b",
            Condition::AboveEqual => "ae",
            Condition::Equal => "e",
            Condition::NotEqual => "ne",
            Condition::BelowEqual => "be",
            Condition::Above => "a",
            Condition::Parity => "p",
            Condition::NoParity => "np",
            Condition::Less => "l",
            Condition::GreaterEqual => "ge",
            Condition::LessEqual => "le",
            Condition::Greater => "g",
        }
    }
}

impl Alu {
    const fn mnemonic(self) -> &'static str {
        match self {
            Alu::Add => "add",
            Alu::Or => "or",
            Alu::And => "and",
            Alu::Sub => "sub",
            Alu::Xor => "xor",
            Alu::Cmp => "cmp",
        }
    }
}

impl Shift {
    const fn mnemonic(self) -> &'static str {
        match self {
            Shift::Shl => "shl",
            Shift::Shr => "shr",
            Shift::Sar => "sar",
        }
    }
}

impl Unary {
    const fn mnemonic(self) -> &'static str {
        match self {
            Unary::Not => "not",
            Unary::Neg => "neg",
            Unary::Mul => "mul",
            Unary::IMul => "imul",
            Unary::Div => "div",
            Unary::IDiv => "idiv",
        }
    }
}

impl Size {
    /// Bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Size::S32 => 32,
            Size::S64 => 64,
        }
    }

    /// A register of this size.
    const fn gpr(self, register: Gpr) -> Arg {
        Arg::Gpr(register, self.bits())
    }
}

impl Assembler {
    /// Prefixes, opcode and operands of an instruction of the old encoding. `byte_reg` and `byte_rm` say that
    /// the registers are 8-bit, which needs a REX prefix for `sil` and the like.
    #[allow(clippy::too_many_arguments)]
    fn legacy(
        &mut self,
        prefix: Option<u8>,
        wide: bool,
        opcode: &[u8],
        reg: u8,
        rm: Rm,
        bytes: bool,
        trailing: u32,
    ) {
        if let Some(prefix) = prefix {
            self.byte(prefix);
        }
        let (x, b) = match rm {
            Rm::Reg(register) => (0, register >> 3),
            Rm::Mem(Mem::Base { base, index, .. }) => (index.unwrap_or(0) >> 3, base >> 3),
            Rm::Mem(Mem::Pool(_)) => (0, 0),
        };
        let rex = u8::from(wide) << 3 | (reg >> 3) << 2 | x << 1 | b;
        if rex != 0 || bytes {
            self.byte(0x40 | rex);
        }
        self.code.extend_from_slice(opcode);
        self.modrm(reg, rm, 1, trailing);
    }

    /// `to = from`.
    pub fn mov(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.note(["mov", ""], false, &[size.gpr(to), size.gpr(from)]);
        self.legacy(None, size == Size::S64, &[0x8b], to, Rm::Reg(from), false, 0);
    }

    /// `to = value`, in the shortest form.
    pub fn mov_imm(&mut self, to: Gpr, value: u64) {
        if value == 0 {
            self.alu(Alu::Xor, Size::S32, to, Rm::Reg(to));
        } else if u32::try_from(value).is_ok() {
            self.mov_imm32(to, value as u32);
        } else if i32::try_from(value as i64).is_ok() {
            self.note(["mov", ""], false, &[Arg::Gpr(to, 64), Arg::Imm(value as i64, 64)]);
            self.legacy(None, true, &[0xc7], 0, Rm::Reg(to), false, 4);
            self.i32(value as i32);
        } else {
            self.note(["mov", ""], false, &[Arg::Gpr(to, 64), Arg::Imm(value as i64, 64)]);
            self.byte(0x48 | to >> 3);
            self.byte(0xb8 | (to & 7));
            self.code.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// `to = value`, leaving the flags alone.
    pub fn mov_imm32(&mut self, to: Gpr, value: u32) {
        self.note(["mov", ""], false, &[Arg::Gpr(to, 32), Arg::Imm(value.into(), 32)]);
        if to >= 8 {
            self.byte(0x41);
        }
        self.byte(0xb8 | (to & 7));
        self.i32(value as i32);
    }

    /// `to = to op rm` (only flags for `cmp`).
    pub fn alu(&mut self, op: Alu, size: Size, to: Gpr, rm: Rm) {
        self.note([op.mnemonic(), ""], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(None, size == Size::S64, &[(op as u8) << 3 | 3], to, rm, false, 0);
    }

    /// `memory = memory op register`, atomically when `locked`.
    pub fn alu_store(&mut self, op: Alu, size: Size, locked: bool, mem: Mem, register: Gpr) {
        self.note([op.mnemonic(), ""], locked, &[Arg::Mem(mem), size.gpr(register)]);
        self.lock(locked);
        self.legacy(None, size == Size::S64, &[(op as u8) << 3 | 1], register, Rm::Mem(mem), false, 0);
    }

    /// `rm = rm op value`.
    pub fn alu_imm(&mut self, op: Alu, size: Size, rm: Rm, value: i32) {
        self.note(
            [op.mnemonic(), ""],
            false,
            &[Arg::rm(rm, size.bits()), Arg::Imm(value.into(), size.bits())],
        );
        let wide = size == Size::S64;
        if let Ok(byte) = i8::try_from(value) {
            self.legacy(None, wide, &[0x83], op as u8, rm, false, 1);
            self.byte(byte as u8);
        } else {
            self.legacy(None, wide, &[0x81], op as u8, rm, false, 4);
            self.i32(value);
        }
    }

    /// Flags of `a & b`.
    pub fn test(&mut self, size: Size, a: Gpr, b: Gpr) {
        self.note(["test", ""], false, &[size.gpr(b), size.gpr(a)]);
        self.legacy(None, size == Size::S64, &[0x85], a, Rm::Reg(b), false, 0);
    }

    /// `to = to * rm`, low half.
    pub fn imul(&mut self, size: Size, to: Gpr, rm: Rm) {
        self.note(["imul", ""], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(None, size == Size::S64, &[0x0f, 0xaf], to, rm, false, 0);
    }

    /// `to = rm * value`, low half.
    pub fn imul_imm(&mut self, size: Size, to: Gpr, rm: Rm, value: i32) {
        self.note(
            ["imul", ""],
            false,
            &[size.gpr(to), Arg::rm(rm, size.bits()), Arg::Imm(value.into(), size.bits())],
        );
        self.legacy(None, size == Size::S64, &[0x69], to, rm, false, 4);
        self.i32(value);
    }

    /// A one-operand operation.
    pub fn unary(&mut self, op: Unary, size: Size, rm: Gpr) {
        self.note([op.mnemonic(), ""], false, &[size.gpr(rm)]);
        self.legacy(None, size == Size::S64, &[0xf7], op as u8, Rm::Reg(rm), false, 0);
    }

    /// `rdx:rax = ` sign-extended `rax` (or `edx:eax`).
    pub fn sign_to_rdx(&mut self, size: Size) {
        self.note([if size == Size::S64 { "cqo" } else { "cdq" }, ""], false, &[]);
        if size == Size::S64 {
            self.byte(0x48);
        }
        self.byte(0x99);
    }

    /// `rm = rm shifted by count`.
    pub fn shift_imm(&mut self, op: Shift, size: Size, rm: Gpr, count: u8) {
        self.note([op.mnemonic(), ""], false, &[size.gpr(rm), Arg::Imm(count.into(), 8)]);
        self.legacy(None, size == Size::S64, &[0xc1], op as u8, Rm::Reg(rm), false, 1);
        self.byte(count);
    }

    /// `rm = rm shifted by cl`.
    pub fn shift_cl(&mut self, op: Shift, size: Size, rm: Gpr) {
        self.note([op.mnemonic(), ""], false, &[size.gpr(rm), Arg::Gpr(RCX, 8)]);
        self.legacy(None, size == Size::S64, &[0xd3], op as u8, Rm::Reg(rm), false, 0);
    }

    /// `to = address`.
    pub fn lea(&mut self, size: Size, to: Gpr, mem: Mem) {
        self.note(["lea", ""], false, &[size.gpr(to), Arg::Mem(mem)]);
        self.legacy(None, size == Size::S64, &[0x8d], to, Rm::Mem(mem), false, 0);
    }

    /// `to` = the pool's address of a label's table or constant.
    pub fn load(&mut self, size: Size, to: Gpr, mem: Mem) {
        self.note(["mov", ""], false, &[size.gpr(to), Arg::Mem(mem)]);
        self.legacy(None, size == Size::S64, &[0x8b], to, Rm::Mem(mem), false, 0);
    }

    /// `to` = zero-extended 8, 16 or 32 bits.
    pub fn movzx(&mut self, bits: u32, to: Gpr, rm: Rm) {
        self.note(
            [if bits == 32 { "mov" } else { "movzx" }, ""],
            false,
            &[Arg::Gpr(to, 32), Arg::rm(rm, bits)],
        );
        if bits == 32 {
            return self.legacy(None, false, &[0x8b], to, rm, false, 0);
        }
        let opcode = if bits == 8 { 0xb6 } else { 0xb7 };
        let bytes = bits == 8 && matches!(rm, Rm::Reg(register) if register >= 4);
        self.legacy(None, false, &[0x0f, opcode], to, rm, bytes, 0);
    }

    /// `to` = sign-extended 8, 16 or 32 bits.
    pub fn movsx(&mut self, bits: u32, size: Size, to: Gpr, rm: Rm) {
        self.note(
            [if bits == 32 { "movsxd" } else { "movsx" }, ""],
            false,
            &[size.gpr(to), Arg::rm(rm, bits)],
        );
        let wide = size == Size::S64;
        if bits == 32 {
            return self.legacy(None, wide, &[0x63], to, rm, false, 0);
        }
        let opcode = if bits == 8 { 0xbe } else { 0xbf };
        let bytes = bits == 8 && matches!(rm, Rm::Reg(register) if register >= 4);
        self.legacy(None, wide, &[0x0f, opcode], to, rm, bytes, 0);
    }

    /// Stores the low 8, 16, 32 or 64 bits.
    pub fn store(&mut self, bits: u32, mem: Mem, from: Gpr) {
        self.note(["mov", ""], false, &[Arg::Mem(mem), Arg::Gpr(from, bits)]);
        let (prefix, opcode) = match bits {
            8 => (None, 0x88),
            16 => (Some(0x66), 0x89),
            _ => (None, 0x89),
        };
        self.legacy(prefix, bits == 64, &[opcode], from, Rm::Mem(mem), bits == 8 && from >= 4, 0);
    }

    /// `to = from` where the condition holds.
    pub fn cmov(&mut self, condition: Condition, size: Size, to: Gpr, rm: Rm) {
        self.note(["cmov", condition.suffix()], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(None, size == Size::S64, &[0x0f, 0x40 | condition as u8], to, rm, false, 0);
    }

    /// The low byte of `to` becomes 0 or 1.
    pub fn setcc(&mut self, condition: Condition, to: Gpr) {
        self.note(["set", condition.suffix()], false, &[Arg::Gpr(to, 8)]);
        self.legacy(None, false, &[0x0f, 0x90 | condition as u8], 0, Rm::Reg(to), to >= 4, 0);
    }

    /// Number of one bits.
    pub fn popcnt(&mut self, size: Size, to: Gpr, rm: Rm) {
        self.note(["popcnt", ""], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(Some(0xf3), size == Size::S64, &[0x0f, 0xb8], to, rm, false, 0);
    }

    /// Zero bits above the highest one.
    pub fn lzcnt(&mut self, size: Size, to: Gpr, rm: Rm) {
        self.note(["lzcnt", ""], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(Some(0xf3), size == Size::S64, &[0x0f, 0xbd], to, rm, false, 0);
    }

    /// Zero bits below the lowest one.
    pub fn tzcnt(&mut self, size: Size, to: Gpr, rm: Rm) {
        self.note(["tzcnt", ""], false, &[size.gpr(to), Arg::rm(rm, size.bits())]);
        self.legacy(Some(0xf3), size == Size::S64, &[0x0f, 0xbc], to, rm, false, 0);
    }

    /// Number of the highest one bit. Of zero it is not known, and the zero flag is set.
    pub fn bsr(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.note(["bsr", ""], false, &[size.gpr(to), size.gpr(from)]);
        self.legacy(None, size == Size::S64, &[0x0f, 0xbd], to, Rm::Reg(from), false, 0);
    }

    /// Number of the lowest one bit. Of zero it is not known, and the zero flag is set.
    pub fn bsf(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.note(["bsf", ""], false, &[size.gpr(to), size.gpr(from)]);
        self.legacy(None, size == Size::S64, &[0x0f, 0xbc], to, Rm::Reg(from), false, 0);
    }

    /// Bytes in reverse order.
    pub fn bswap(&mut self, size: Size, register: Gpr) {
        self.note(["bswap", ""], false, &[size.gpr(register)]);
        let rex = 0x40 | u8::from(size == Size::S64) << 3 | register >> 3;
        if rex != 0x40 {
            self.byte(rex);
        }
        self.byte(0x0f);
        self.byte(0xc8 | (register & 7));
    }

    /// Atomically: memory gets the register, the register what memory held.
    pub fn xchg(&mut self, bits: u32, mem: Mem, register: Gpr) {
        self.note(["xchg", ""], false, &[Arg::Mem(mem), Arg::Gpr(register, bits)]);
        let (prefix, opcode) = narrow(bits, 0x86, 0x87);
        self.legacy(prefix, bits == 64, &[opcode], register, Rm::Mem(mem), bits == 8 && register >= 4, 0);
    }

    /// Memory gets the sum, the register what memory held; atomically when `locked`.
    pub fn xadd(&mut self, bits: u32, locked: bool, mem: Mem, register: Gpr) {
        self.note(["xadd", ""], locked, &[Arg::Mem(mem), Arg::Gpr(register, bits)]);
        self.lock(locked);
        let (prefix, opcode) = narrow(bits, 0xc0, 0xc1);
        let bytes = bits == 8 && register >= 4;
        self.legacy(prefix, bits == 64, &[0x0f, opcode], register, Rm::Mem(mem), bytes, 0);
    }

    /// Memory gets the register if it equals `rax`; `rax` gets what memory held.
    pub fn cmpxchg(&mut self, bits: u32, locked: bool, mem: Mem, register: Gpr) {
        self.note(["cmpxchg", ""], locked, &[Arg::Mem(mem), Arg::Gpr(register, bits)]);
        self.lock(locked);
        let (prefix, opcode) = narrow(bits, 0xb0, 0xb1);
        let bytes = bits == 8 && register >= 4;
        self.legacy(prefix, bits == 64, &[0x0f, opcode], register, Rm::Mem(mem), bytes, 0);
    }

    fn lock(&mut self, locked: bool) {
        if locked {
            self.byte(0xf0);
        }
    }

    /// Clears the lowest one bit: `to = from & (from - 1)`.
    pub fn blsr(&mut self, size: Size, to: Gpr, from: Gpr) {
        self.note(["blsr", ""], false, &[size.gpr(to), size.gpr(from)]);
        let w = u8::from(size == Size::S64);
        self.byte(0xc4);
        self.byte(1 << 7 | 1 << 6 | (from >> 3 ^ 1) << 5 | 2);
        self.byte(w << 7 | (!to & 15) << 3);
        self.byte(0xf3);
        self.modrm(1, Rm::Reg(from), 1, 0);
    }

    /// A full memory barrier.
    pub fn mfence(&mut self) {
        self.note(["mfence", ""], false, &[]);
        self.code.extend_from_slice(&[0x0f, 0xae, 0xf0]);
    }

    /// Zeroes the upper halves of all vector registers, where the code has any.
    pub fn vzeroupper(&mut self) {
        if self.is_legacy {
            return;
        }
        self.note(["vzeroupper", ""], false, &[]);
        self.code.extend_from_slice(&[0xc5, 0xf8, 0x77]);
    }

    /// Makes stores that pass the caches by visible before those that follow.
    pub fn sfence(&mut self) {
        self.note(["sfence", ""], false, &[]);
        self.code.extend_from_slice(&[0x0f, 0xae, 0xf8]);
    }

    /// Asks for the line of an address in all caches; an address that cannot be read does nothing.
    pub fn prefetch(&mut self, mem: Mem) {
        self.note(["prefetcht0", ""], false, &[Arg::Mem(mem)]);
        self.legacy(None, false, &[0x0f, 0x18], 1, Rm::Mem(mem), false, 0);
    }

    /// Jumps always.
    pub fn jump(&mut self, to: Label) {
        self.note(["jmp", ""], false, &[Arg::Label(to)]);
        match self.near(to, 2) {
            Some(distance) => self.code.extend_from_slice(&[0xeb, distance as u8]),
            None => {
                self.byte(0xe9);
                self.distance(to);
            }
        }
    }

    /// Jumps where the condition holds.
    pub fn jump_if(&mut self, condition: Condition, to: Label) {
        self.note(["j", condition.suffix()], false, &[Arg::Label(to)]);
        match self.near(to, 2) {
            Some(distance) => self.code.extend_from_slice(&[0x70 | condition as u8, distance as u8]),
            None => {
                self.code.extend_from_slice(&[0x0f, 0x80 | condition as u8]);
                self.distance(to);
            }
        }
    }

    /// The distance from behind an instruction of `len` bytes to a label with a place, if it fits 8 bits.
    fn near(&self, label: Label, len: u32) -> Option<i8> {
        let place = self.place(label)?;
        i8::try_from(i64::from(place) - i64::from(self.offset() + len)).ok()
    }

    fn distance(&mut self, label: Label) {
        let at = self.offset();
        self.fixups.push(Fixup { at, from: at + 4, target: Target::Label(label) });
        self.i32(0);
    }

    /// Jumps to the address in a register.
    pub fn jump_register(&mut self, register: Gpr) {
        self.note(["jmp", ""], false, &[Arg::Gpr(register, 64)]);
        self.legacy(None, false, &[0xff], 4, Rm::Reg(register), false, 0);
    }

    /// Calls the function at the address in a register or in memory.
    pub fn call(&mut self, rm: Rm) {
        self.note(["call", ""], false, &[Arg::rm(rm, 64)]);
        self.legacy(None, false, &[0xff], 2, rm, false, 0);
    }

    /// Returns.
    pub fn ret(&mut self) {
        self.note(["ret", ""], false, &[]);
        self.byte(0xc3);
    }

    /// Stops the process: a place that is never reached.
    pub fn trap(&mut self) {
        self.note(["ud2", ""], false, &[]);
        self.code.extend_from_slice(&[0x0f, 0x0b]);
    }

    /// Pushes a register.
    pub fn push(&mut self, register: Gpr) {
        self.note(["push", ""], false, &[Arg::Gpr(register, 64)]);
        if register >= 8 {
            self.byte(0x41);
        }
        self.byte(0x50 | (register & 7));
    }

    /// Pops a register.
    pub fn pop(&mut self, register: Gpr) {
        self.note(["pop", ""], false, &[Arg::Gpr(register, 64)]);
        if register >= 8 {
            self.byte(0x41);
        }
        self.byte(0x58 | (register & 7));
    }
}

/// Operand-size prefix and opcode of an instruction with a byte form.
fn narrow(bits: u32, byte_opcode: u8, opcode: u8) -> (Option<u8>, u8) {
    match bits {
        8 => (None, byte_opcode),
        16 => (Some(0x66), opcode),
        _ => (None, opcode),
    }
}
