//! Which operand words of an instruction are ids.
//!
//! For nearly all instructions the opcode says so by position alone, or together with one enumerant:
//! [`IdPlaces`] is what is known of an opcode beforehand, and [`IdOperands`] goes through an instruction's
//! ids by it. The few whose operands depend on more are walked as decoding does.

use super::{Operands, Table, is_id_kind, is_mask};
use crate::id::Id;
use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};

/// Which operand words, after result type and result, are ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IdPlaces {
    /// Bit `n`: operand word `n` is an id; only of those below `known`.
    bits: u32,
    /// How many leading words the bits speak of.
    known: u8,
    /// What the words from `known` on are.
    rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// No ids.
    Literals,
    /// Nothing but ids.
    Ids,
    /// Parameters of the enumerant before them.
    Value(OperandKind),
    /// Parameters of the bits of the mask before them.
    Mask(OperandKind),
    /// What only a walk tells.
    Walk,
}

impl IdPlaces {
    /// By the operands that the grammar gives an opcode.
    pub(crate) fn of(slots: &[LogicalOperand]) -> IdPlaces {
        let (mut bits, mut known) = (0u32, 0u8);
        for (place, slot) in slots.iter().enumerate() {
            let is_last = place + 1 == slots.len();
            let last = |rest| if is_last { rest } else { Rest::Walk };
            let is_list = slot.quantifier == OperandQuantifier::ZeroOrMore;
            let rest = match slot.kind {
                OperandKind::PairIdRefIdRef => last(Rest::Ids),
                kind if is_id_kind(kind) && is_list => last(Rest::Ids),
                OperandKind::LiteralString | OperandKind::LiteralContextDependentNumber => {
                    last(Rest::Literals)
                }
                OperandKind::LiteralInteger if is_list => last(Rest::Literals),
                OperandKind::PairIdRefLiteralInteger
                | OperandKind::PairLiteralIntegerIdRef
                | OperandKind::LiteralSpecConstantOpInteger => Rest::Walk,
                _ if is_list || known == 31 => Rest::Walk,
                kind => {
                    bits |= u32::from(is_id_kind(kind)) << known;
                    known += 1;
                    match kind {
                        OperandKind::Decoration | OperandKind::ExecutionMode => last(Rest::Value(kind)),
                        _ if is_mask(kind) => last(Rest::Mask(kind)),
                        _ => continue,
                    }
                }
            };
            return IdPlaces { bits, known, rest };
        }
        IdPlaces { bits, known, rest: Rest::Literals }
    }

    /// For an instruction's operand words: the bits, and whether what lies behind the known ones are ids;
    /// none when the instruction must be walked.
    #[inline]
    fn resolve(self, table: &Table, words: &[u32]) -> Option<bool> {
        if words.len() <= usize::from(self.known) {
            return Some(false);
        }
        match self.rest {
            Rest::Literals => Some(false),
            Rest::Ids => Some(true),
            Rest::Walk => None,
            Rest::Value(kind) => {
                let parameters = table.value_parameters(kind, words[usize::from(self.known) - 1]);
                (!parameters.iter().any(|&kind| is_id_kind(kind))).then_some(false)
            }
            Rest::Mask(kind) => {
                let value = words[usize::from(self.known) - 1];
                let (with_ids, with_literals) = table.mask_parameter_bits(kind);
                match (value & with_ids != 0, value & with_literals != 0) {
                    (false, _) => Some(false),
                    (true, false) => Some(true),
                    (true, true) => None,
                }
            }
        }
    }
}

/// The ids among an instruction's operands, in order.
pub(crate) struct IdOperands<'m> {
    words: &'m [u32],
    /// The word that comes next.
    place: usize,
    bits: u32,
    known: usize,
    rest_is_ids: bool,
    /// Rare, and large.
    walk: Option<Box<Operands<'m>>>,
}

impl<'m> IdOperands<'m> {
    #[inline]
    pub(crate) fn new(
        table: &Table,
        places: IdPlaces,
        words: &'m [u32],
        walk: impl FnOnce() -> Operands<'m>,
    ) -> Self {
        let (rest_is_ids, walk) = match places.resolve(table, words) {
            Some(rest_is_ids) => (rest_is_ids, None),
            None => (false, Some(Box::new(walk()))),
        };
        IdOperands { words, place: 0, bits: places.bits, known: usize::from(places.known), rest_is_ids, walk }
    }

    /// The same, where a walk is needed whatever the opcode's places.
    #[cold]
    pub(crate) fn walked(words: &'m [u32], walk: Operands<'m>) -> Self {
        IdOperands { words, place: 0, bits: 0, known: 0, rest_is_ids: false, walk: Some(Box::new(walk)) }
    }

    #[cold]
    fn step(walk: &mut Operands<'m>) -> Option<Id> {
        // Decoding has walked them all, so none is an error.
        walk.map_while(Result::ok).find_map(super::Operand::id)
    }
}

impl Iterator for IdOperands<'_> {
    type Item = Id;

    #[inline]
    fn next(&mut self) -> Option<Id> {
        if let Some(walk) = &mut self.walk {
            return Self::step(walk);
        }
        loop {
            let &word = self.words.get(self.place)?;
            let place = self.place;
            self.place += 1;
            if place >= self.known {
                // Behind the known words all are ids, or none is.
                if !self.rest_is_ids {
                    self.place = self.words.len();
                    return None;
                }
                return Some(Id::from_u32(word));
            }
            if self.bits >> place & 1 != 0 {
                return Some(Id::from_u32(word));
            }
        }
    }
}
