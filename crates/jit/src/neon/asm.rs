//! Words, labels, and a pool of constants behind them.

use super::op::{self, Encoded};
use crate::pool::{Constant, Pool};

/// A place in the code that jumps go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label(u32);

/// Where a distance has to be filled in, in words unless it is that of `adr`.
#[derive(Clone, Copy, Debug)]
enum Field {
    /// 26 bits from bit 0.
    Jump,
    /// 19 bits from bit 5.
    Branch,
    /// 21 bits in bytes: two from bit 29, the others from bit 5.
    Address,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Label(Label),
    Pool(Constant),
}

/// Code that grows.
pub(super) struct Assembler {
    words: Vec<u32>,
    labels: Vec<Option<u32>>,
    fixups: Vec<(u32, Field, Target)>,
    /// How many words there were when a label got its place last.
    bound: usize,
    pub(super) pool: Pool,
}

impl Assembler {
    pub(super) fn new(pool: Pool) -> Assembler {
        Assembler { words: Vec::new(), labels: Vec::new(), fixups: Vec::new(), bound: 0, pool }
    }

    /// Bytes so far.
    pub(super) fn offset(&self) -> u32 {
        self.words.len() as u32 * 4
    }

    pub(super) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    /// Gives a label its place: here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.words.len() as u32);
        self.bound = self.words.len();
    }

    /// Appends an instruction.
    pub(super) fn put(&mut self, encoded: Encoded, registers: &[u8]) {
        self.words.push(encoded.with(registers));
    }

    /// 16 bytes between a vector register and memory, `units` times 16 behind the base. Two neighbours are one
    /// instruction.
    pub(super) fn move_quad(&mut self, is_store: bool, units: i32, register: u8, base: u8) {
        let (single, pair) =
            if is_store { (op::STR_QUAD, op::STP_QUADS) } else { (op::LDR_QUAD, op::LDP_QUADS) };
        let word = single.imm(8, units).with(&[register, base]);
        if let Some(&last) = self.words.last()
            && self.bound < self.words.len()
            // The same but for the offset and the register.
            && (last ^ word) & 0xffc0_03e0 == 0
        {
            let (other, other_units) = ((last & 31) as u8, (last >> 10 & 0xfff) as i32);
            let first = units.min(other_units);
            if (units - other_units).abs() == 1 && first < 64 && (is_store || other != register) {
                let [low, high] = if other_units < units { [other, register] } else { [register, other] };
                self.words.pop();
                return self.put(pair.imm(8, first), &[low, high, base]);
            }
        }
        self.words.push(word);
    }

    fn put_to(&mut self, encoded: Encoded, registers: &[u8], field: Field, target: Target) {
        self.fixups.push((self.words.len() as u32, field, target));
        self.put(encoded, registers);
    }

    pub(super) fn jump(&mut self, to: Label) {
        self.put_to(op::B.one(), &[], Field::Jump, Target::Label(to));
    }

    /// `condition` as instructions write it.
    pub(super) fn jump_if(&mut self, condition: u32, to: Label) {
        self.put_to(op::B_IF.one().bits(0, condition), &[], Field::Branch, Target::Label(to));
    }

    pub(super) fn jump_if_zero(&mut self, bits: u32, register: u8, to: Label) {
        self.put_to(op::CBZ.of(bits), &[register], Field::Branch, Target::Label(to));
    }

    pub(super) fn jump_if_not_zero(&mut self, bits: u32, register: u8, to: Label) {
        self.put_to(op::CBNZ.of(bits), &[register], Field::Branch, Target::Label(to));
    }

    /// The address of a constant.
    pub(super) fn address_of(&mut self, to: u8, constant: Constant) {
        self.put_to(op::ADR.one(), &[to], Field::Address, Target::Pool(constant));
    }

    /// 8 bytes of the pool to a general register.
    pub(super) fn load_constant(&mut self, to: u8, constant: Constant) {
        self.put_to(op::LDR_LITERAL.one(), &[to], Field::Branch, Target::Pool(constant));
    }

    /// 16 bytes of the pool to a vector register.
    pub(super) fn load_vector_constant(&mut self, to: u8, constant: Constant) {
        self.put_to(op::LDR_LITERAL_VECTOR.one(), &[to], Field::Branch, Target::Pool(constant));
    }

    /// Where a constant will lie, if no more code is added.
    pub(super) fn pool_offset(&self, Constant(offset): Constant) -> u32 {
        self.offset().next_multiple_of(64) + offset
    }

    /// A number in a register.
    pub(super) fn mov_imm(&mut self, to: u8, value: u64) {
        let halves: [u32; 4] = std::array::from_fn(|half| (value >> (16 * half)) as u32 & 0xffff);
        let bits = if value >> 32 == 0 { 32 } else { 64 };
        let count = bits as usize / 16;
        let ones = halves[..count].iter().filter(|&&half| half == 0xffff).count();
        let zeros = halves[..count].iter().filter(|&&half| half == 0).count();
        let (first, filled) = if ones > zeros { (op::MOVN, 0xffff) } else { (op::MOVZ, 0) };
        let mut is_first = true;
        for (half, &value) in halves[..count].iter().enumerate() {
            if value == filled {
                continue;
            }
            let (op, value) = match is_first {
                true => (first, value ^ filled),
                false => (op::MOVK, value),
            };
            self.put(op.of(bits).bits(5, value).bits(21, half as u32), &[to]);
            is_first = false;
        }
        if is_first {
            self.put(first.of(bits), &[to]);
        }
    }

    /// `to = from + value`, 64 bits; `x17` may be changed, and must not be `from`.
    pub(super) fn add_imm(&mut self, to: u8, from: u8, value: i64) {
        let magnitude = value.unsigned_abs();
        if magnitude >= 1 << 24 {
            debug_assert!(from != 17);
            self.mov_imm(17, value as u64);
            // The stack pointer is no operand of the plain sum.
            let from = if from == 31 {
                self.put(op::ADD_IMM.of(64), &[16, 31]);
                16
            } else {
                from
            };
            return self.put(op::ADD_GENERAL.of(64), &[to, from, 17]);
        }
        let (low, high) = ((magnitude & 0xfff) as i32, (magnitude >> 12) as i32);
        let (add, add_high) =
            if value < 0 { (op::SUB_IMM, op::SUB_IMM_HIGH) } else { (op::ADD_IMM, op::ADD_IMM_HIGH) };
        let mut from = from;
        if high != 0 {
            self.put(add_high.imm(64, high), &[to, from]);
            from = to;
        }
        if low != 0 || (high == 0 && to != from) {
            self.put(add.imm(64, low), &[to, from]);
        }
    }

    /// Resolves everything and gives code and pool as one block to be loaded at an address that 64 divides,
    /// with the length of the code alone. The number of bytes of code as an error when it is too far from one
    /// place to another.
    pub(super) fn finish(self) -> Result<(Vec<u8>, usize), u32> {
        let Assembler { mut words, labels, fixups, pool, .. } = self;
        let code_len = words.len() * 4;
        let pool_start = code_len.next_multiple_of(64);
        for (at, field, target) in fixups {
            let distance = match target {
                Target::Label(label) => {
                    (labels[label.0 as usize].expect("every label has a place") as i64 - at as i64) * 4
                }
                Target::Pool(Constant(offset)) => pool_start as i64 + i64::from(offset) - at as i64 * 4,
            };
            let limit = if matches!(field, Field::Jump) { 1 << 27 } else { 1 << 20 };
            if !(-limit..limit).contains(&distance) {
                return Err(code_len as u32);
            }
            let units = (distance >> 2) as u32;
            words[at as usize] |= match field {
                Field::Jump => units & 0x3ff_ffff,
                Field::Branch => (units & 0x7_ffff) << 5,
                Field::Address => (distance as u32 & 3) << 29 | (units & 0x7_ffff) << 5,
            };
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(pool_start, 0);
        bytes.extend(pool.bytes);
        Ok((bytes, code_len))
    }
}
