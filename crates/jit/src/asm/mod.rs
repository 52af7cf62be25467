//! The assembler: instructions to bytes, labels, and a constant pool behind the code.
//!
//! [`op`] is the table of vector instructions, `vector` their encoder, `general` everything else. With
//! [`Assembler::record`] the finished bytes are decoded again and compared with what was asked for (`check`).
//! Must not know: virtual registers, the IR.

mod check;
mod general;
pub mod op;
mod vector;

#[cfg(test)]
mod objdump;
#[cfg(test)]
mod tests;

pub use crate::pool::Constant;
pub use general::{Alu, Condition, Shift, Unary};
pub use op::VOp;
pub use vector::{Evex, Rounding};

use crate::pool::Pool;

/// Number of a general register: `rax`, `rcx`, `rdx`, `rbx`, `rsp`, `rbp`, `rsi`, `rdi`, `r8`…
pub type Gpr = u8;
/// `rax`.
pub const RAX: Gpr = 0;
/// `rcx`.
pub const RCX: Gpr = 1;
/// `rdx`.
pub const RDX: Gpr = 2;
/// `rsp`, the stack pointer.
pub const RSP: Gpr = 4;
/// `rbp`, the frame pointer.
pub const RBP: Gpr = 5;
/// `rsi`.
pub const RSI: Gpr = 6;
/// `rdi`.
pub const RDI: Gpr = 7;

/// Bits in an operation on general registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Size {
    /// 32 bits; the result's upper half becomes zero.
    S32,
    /// 64 bits.
    S64,
}

/// Vector length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Len {
    /// 128 bits.
    X,
    /// 256 bits.
    Y,
    /// 512 bits.
    Z,
}

impl Len {
    /// The length in bytes.
    pub const fn bytes(self) -> u32 {
        16 << self as u32
    }

    /// The shortest that holds this many bytes.
    pub const fn holding(bytes: u32) -> Len {
        match bytes {
            0..=16 => Len::X,
            17..=32 => Len::Y,
            _ => Len::Z,
        }
    }
}

/// A place in the code that jumps go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(u32);

/// A register or memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rm {
    /// A register of the class that the instruction takes there.
    Reg(u8),
    /// Memory.
    Mem(Mem),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mem {
    /// `[base + index * 2^shift + displacement]`. The index of gathers and scatters is a vector register.
    Base {
        /// A general register.
        base: Gpr,
        /// A general register but `rsp`, or a vector register.
        index: Option<u8>,
        /// Logarithm of the scale, 0 to 3.
        shift: u8,
        /// Bytes.
        displacement: i32,
    },
    /// A constant in the pool.
    Pool(Constant),
}

impl Mem {
    /// `[base + displacement]`.
    pub const fn base(base: Gpr, displacement: i32) -> Mem {
        Mem::Base { base, index: None, shift: 0, displacement }
    }
}

/// Where a 32-bit displacement has to be filled in.
#[derive(Clone, Copy, Debug)]
struct Fixup {
    /// Offset of the four bytes.
    at: u32,
    /// What the displacement counts from.
    from: u32,
    target: Target,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Label(Label),
    Pool(Constant),
    /// Four bytes of pool that hold the label's distance from this pool offset.
    Table(Label, Constant),
}

/// Code that grows.
#[derive(Debug, Default)]
pub struct Assembler {
    code: Vec<u8>,
    labels: Vec<Option<u32>>,
    fixups: Vec<Fixup>,
    pool: Pool,
    /// Whether vector instructions are encoded without VEX, for processors with SSE4.1.
    is_legacy: bool,
    /// What was asked for, to check it; see [`Assembler::record`].
    journal: Option<check::Journal>,
}

impl Assembler {
    /// No code.
    pub fn new() -> Assembler {
        Assembler::default()
    }

    /// From here on the assembler keeps what it is asked for, so that [`Assembler::finish_checked`] can
    /// compare.
    pub fn record(&mut self) {
        debug_assert!(self.code.is_empty(), "the whole code is compared");
        self.journal = Some(check::Journal::default());
    }

    /// From here on vector instructions are encoded without VEX: see [`VOp::is_sse41`].
    pub fn without_vex(&mut self) {
        debug_assert!(self.code.is_empty(), "code is of one kind");
        self.is_legacy = true;
    }

    /// Notes what the next bytes are to be. `mnemonic` is in two pieces, the second for a condition.
    fn note(&mut self, mnemonic: [&'static str; 2], is_locked: bool, operands: &[check::Arg]) {
        let at = self.offset();
        if let Some(journal) = &mut self.journal {
            journal.general(at, mnemonic, is_locked, operands);
        }
    }

    /// Bytes so far.
    pub fn offset(&self) -> u32 {
        self.code.len() as u32
    }

    /// A label with no place yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Gives a label its place: here.
    pub fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.offset());
    }

    /// A label's place.
    pub fn place(&self, label: Label) -> Option<u32> {
        self.labels[label.0 as usize]
    }

    /// Fills up with multi-byte no-operations to a multiple of `alignment`, if that takes at most `most`
    /// bytes.
    pub fn align(&mut self, alignment: u32, most: u32) {
        const NOPS: [&[u8]; 9] = [
            &[0x90],
            &[0x66, 0x90],
            &[0x0f, 0x1f, 0x00],
            &[0x0f, 0x1f, 0x40, 0x00],
            &[0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00],
            &[0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00],
            &[0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
            &[0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00],
        ];
        let mut left = self.offset().next_multiple_of(alignment) - self.offset();
        if left > most {
            return;
        }
        while left > 0 {
            let step = left.min(NOPS.len() as u32);
            self.note(["nop", ""], false, &[]);
            self.code.extend_from_slice(NOPS[step as usize - 1]);
            left -= step;
        }
    }

    /// A constant in the pool, aligned to its own size (a power of two); equal ones are shared.
    pub fn constant(&mut self, bytes: &[u8]) -> Constant {
        self.pool.constant(bytes)
    }

    /// A table of words in the pool, aligned to a cache line; equal ones are shared.
    pub fn words(&mut self, bytes: &[u8]) -> Constant {
        self.pool.table(bytes)
    }

    /// Read-only bytes in the pool at an offset that `alignment` divides, not shared with others.
    pub fn data(&mut self, bytes: &[u8], alignment: u32) -> Constant {
        self.pool.data(bytes, alignment)
    }

    /// The first `len` bytes of a constant.
    pub fn constant_bytes(&self, constant: Constant, len: usize) -> &[u8] {
        &self.pool.bytes[constant.0 as usize..][..len]
    }

    /// A table of 32-bit distances from its own start to labels.
    pub fn table(&mut self, labels: &[Label]) -> Constant {
        self.pool.bytes.resize(self.pool.bytes.len().next_multiple_of(4), 0);
        let start = Constant(self.pool.bytes.len() as u32);
        for &label in labels {
            let at = self.pool.bytes.len() as u32;
            self.pool.bytes.extend_from_slice(&[0; 4]);
            self.fixups.push(Fixup { at, from: 0, target: Target::Table(label, start) });
        }
        start
    }

    /// The constants alone, for another assembler.
    pub(crate) fn into_pool(self) -> Pool {
        self.pool
    }

    /// Where a constant will lie, from the start of what [`Assembler::finish`] gives, if no more code is
    /// added.
    pub fn pool_offset(&self, Constant(offset): Constant) -> u32 {
        self.offset().next_multiple_of(64) + offset
    }

    /// Resolves everything and gives code and pool as one block to be loaded at an address that 64 divides,
    /// with the length of the code alone.
    ///
    /// # Panics
    /// When a label that is jumped to has no place.
    pub fn finish(mut self) -> (Vec<u8>, usize) {
        let code_len = self.code.len();
        let pool_start = code_len.next_multiple_of(64);
        self.code.resize(pool_start, 0xcc);
        self.code.append(&mut self.pool.bytes);
        for fixup in &self.fixups {
            let place = |label: Label| self.labels[label.0 as usize].expect("every label has a place");
            let (at, distance) = match fixup.target {
                Target::Label(label) => (fixup.at as usize, place(label).wrapping_sub(fixup.from)),
                Target::Pool(Constant(offset)) => {
                    (fixup.at as usize, (pool_start as u32 + offset).wrapping_sub(fixup.from))
                }
                Target::Table(label, Constant(start)) => {
                    (pool_start + fixup.at as usize, place(label).wrapping_sub(pool_start as u32 + start))
                }
            };
            self.code[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        (self.code, code_len)
    }

    /// [`Assembler::finish`], and after [`Assembler::record`] the comparison of the code with what was asked
    /// for.
    ///
    /// # Errors
    /// The first instruction that decodes to another one, or to none.
    ///
    /// # Panics
    /// When a label that is jumped to has no place.
    pub fn finish_checked(mut self) -> Result<(Vec<u8>, usize), String> {
        let Some(journal) = self.journal.take() else { return Ok(self.finish()) };
        let labels = self.labels.clone();
        let is_legacy = self.is_legacy;
        let (bytes, code_len) = self.finish();
        let places = check::Places { labels: &labels, pool: code_len.next_multiple_of(64) as u32, is_legacy };
        check::check(&bytes[..code_len], &journal, &places)?;
        Ok((bytes, code_len))
    }

    fn byte(&mut self, byte: u8) {
        self.code.push(byte);
    }

    fn i32(&mut self, value: i32) {
        self.code.extend_from_slice(&value.to_le_bytes());
    }

    /// ModRM, SIB and displacement. `scale` is the unit of an 8-bit displacement, `trailing` the bytes of
    /// immediates that follow.
    fn modrm(&mut self, reg: u8, rm: Rm, scale: u32, trailing: u32) {
        let reg = (reg & 7) << 3;
        match rm {
            Rm::Reg(rm) => self.byte(0xc0 | reg | (rm & 7)),
            Rm::Mem(Mem::Pool(constant)) => {
                self.byte(reg | 5);
                let at = self.offset();
                self.fixups.push(Fixup { at, from: at + 4 + trailing, target: Target::Pool(constant) });
                self.i32(0);
            }
            Rm::Mem(Mem::Base { base, index, shift, displacement }) => {
                let scale = scale as i32;
                let small = (displacement % scale == 0)
                    .then(|| displacement / scale)
                    .and_then(|units| i8::try_from(units).ok());
                // A base of rbp or r13 without displacement means something else.
                let mode = match small {
                    Some(0) if base & 7 != RBP => 0x00,
                    Some(_) => 0x40,
                    None => 0x80,
                };
                match index {
                    None if base & 7 != RSP => self.byte(mode | reg | (base & 7)),
                    None => {
                        self.byte(mode | reg | 4);
                        self.byte(0x24);
                    }
                    Some(index) => {
                        self.byte(mode | reg | 4);
                        self.byte(shift << 6 | (index & 7) << 3 | (base & 7));
                    }
                }
                match (mode, small) {
                    (0x40, Some(units)) => self.byte(units as u8),
                    (0x80, _) => self.i32(displacement),
                    _ => {}
                }
            }
        }
    }
}
