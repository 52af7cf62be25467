//! Parts of words that become words again: quantized weights and halves of 16 bits are often loaded as words,
//! of which each part is shifted down, narrowed and converted.
//!
//! ```text
//! b: <i8> = trunc (w >> 8)      a mask and a conversion, instead of a move that narrows all lanes
//! x: <f32> = utof b             and one that widens them
//! ```
//!
//! A byte in the middle of the word is moved to its place by a shuffle, which needs neither shift nor mask.

use super::{Registers, Selector};
use crate::asm::op::{VPANDD, VPSHIFT_D_IMM, VPSHUFB};
use pyro_ir::{InstData, Opcode, Scalar, Value};

/// What `vpshiftd` does, in the field for an opcode's extension.
const RIGHT: u8 = 2;
const RIGHT_SIGNED: u8 = 4;
const LEFT: u8 = 6;

/// Bits of a word, and of a byte.
const WORD: u32 = 32;
const BYTE: u32 = 8;
/// The order of a shuffle that leaves zeros above a word's lowest byte.
const NOTHING_ABOVE: u64 = 0x8080_8000;

/// Bits of the word of each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordPart {
    pub word: Value,
    first: u32,
    count: u32,
}

impl WordPart {
    fn is_last(self) -> bool {
        self.first + self.count == WORD
    }

    fn is_within(self) -> bool {
        self.first + self.count <= WORD
    }

    fn is_byte(self) -> bool {
        self.count == BYTE && self.first.is_multiple_of(BYTE)
    }
}

impl Selector<'_> {
    /// The part of a word that a conversion to 32 bits is of.
    pub(super) fn word_part(&self, data: &InstData) -> Option<WordPart> {
        use Opcode as O;
        if !matches!(data.op, O::ZeroExtend | O::SignExtend | O::UToF | O::SToF | O::FromBfloat)
            || self.has_short_vectors()
        {
            return None;
        }
        let narrow = self.ty(data.args[0]);
        let is_part = narrow.is_varying()
            && matches!(narrow.scalar, Scalar::I8 | Scalar::I16)
            && self.ty(data.result.expand()?).scalar.bits() == WORD;
        let truncated = self.def(data.args[0]).filter(|data| is_part && data.op == O::Truncate)?;
        let word = truncated.args[0];
        if self.ty(word).scalar != Scalar::I32 || self.constant(word).is_some() {
            return None;
        }
        let count = narrow.scalar.bits();
        // The last bits of another word need no mask.
        let shifted = self.def(word).filter(|shift| shift.op == O::LShr).and_then(|shift| {
            let first = self.constant(shift.args[1])? as u32;
            Some(WordPart { word: shift.args[0], first, count })
        });
        // Nor do those that are shifted up anyway, and whole bytes.
        let is_signed = matches!(data.op, O::SignExtend | O::SToF);
        let needs_no_mask = |part: &WordPart| {
            part.is_last() || data.op != O::FromBfloat && part.is_within() && (is_signed || part.is_byte())
        };
        shifted.filter(needs_no_mask).or(Some(WordPart { word, first: 0, count }))
    }

    /// The conversion.
    pub(super) fn convert_word_part(&mut self, data: &InstData, part: WordPart, to: Scalar) -> Registers {
        use Opcode as O;
        let word = self.used(part.word);
        let (above, unused) = (WORD - part.first - part.count, WORD - part.count);
        let number = match data.op {
            O::FromBfloat if part.is_last() => self.kept_bits(&word, !((1 << part.first) - 1)),
            O::FromBfloat => self.shifted_words(&word, LEFT, unused),
            O::SignExtend | O::SToF if part.is_last() => self.shifted_words(&word, RIGHT_SIGNED, part.first),
            O::SignExtend | O::SToF => {
                let high = self.shifted_words(&word, LEFT, above);
                self.shifted_words(&high, RIGHT_SIGNED, unused)
            }
            _ if part.is_last() => self.shifted_words(&word, RIGHT, part.first),
            _ if part.first > 0 => self.shuffled_byte(&word, (part.first / BYTE) as u8),
            _ => self.kept_bits(&word, (1 << part.count) - 1),
        };
        match data.op {
            // None of them is as large as the sign.
            O::UToF | O::SToF => self.convert_registers(O::SToF, 0, number, Scalar::I32, to),
            _ => number,
        }
    }

    fn kept_bits(&mut self, word: &Registers, bits: u32) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        let bits = self.constant_source(Scalar::I32, bits.into(), VPANDD);
        self.each(pieces, |this, piece| this.v2(VPANDD, pieces.len, word[piece], bits))
    }

    /// One byte of each word, as a word.
    fn shuffled_byte(&mut self, word: &Registers, byte: u8) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        let order = self.byte_order(Scalar::I32, NOTHING_ABOVE | u64::from(byte));
        self.each(pieces, |this, piece| this.v2(VPSHUFB, pieces.len, word[piece], order))
    }

    fn shifted_words(&mut self, word: &Registers, direction: u8, count: u32) -> Registers {
        let pieces = self.tiling(Scalar::I32);
        self.each(pieces, |this, piece| {
            this.shift_imm(VPSHIFT_D_IMM, direction, pieces.len, word[piece], count as u8)
        })
    }
}
