//! Results that are known for each lane when code is made: sums, shifts and masks of lane numbers, and
//! comparisons of such. They are constants, of which each lane has its own.
//!
//! Where in a block of weights a lane reads, by how many bits it shifts, and which of two words it takes, is
//! often such a number once the addends of all lanes are apart (`passes::target::affine_guard`).

use super::Selector;
use super::linear::{Linear, Numbers};
use crate::cpu::Level;
use pyro_ir::{InstData, Opcode, Scalar, Signature, Type, Value, eval};
use std::rc::Rc;

/// How deep an expression is looked into.
const DEPTH: u32 = 3;

/// What is known.
pub(super) enum Known {
    Numbers(Rc<[u32]>),
    /// Which lanes a comparison holds for.
    Lanes(u64),
}

impl Selector<'_> {
    /// What is known of each lane of an operation's result, where that differs.
    pub(super) fn known_of_lanes(&self, data: &InstData) -> Option<Known> {
        let ty = self.ty(data.result.expand()?);
        if !ty.is_varying() {
            return None;
        }
        match data.op.signature() {
            Signature::IntBinary | Signature::BitBinary if ty.scalar == Scalar::I32 => {
                match &self.numbers_of_lanes(data.result.expand()?)?.constant {
                    Numbers::Each(numbers) => Some(Known::Numbers(numbers.clone())),
                    Numbers::Same(_) => None,
                }
            }
            Signature::IntCompare if self.features.level == Level::Avx512 || self.has_short_vectors() => {
                let [a, b] = [data.args[0], data.args[1]].map(|arg| self.numbers_of_lanes(arg));
                let (a, b) = (a?, b?);
                let holds = |lane: u32| {
                    let args = [a.constant.at(lane).into(), b.constant.at(lane).into()];
                    eval::pure(data.op, Scalar::I32, Scalar::I1, &args, data.imm)
                };
                let bits = (0..self.lanes).map(|lane| Some(holds(lane)? << lane));
                bits.sum::<Option<u64>>().map(Known::Lanes)
            }
            _ => None,
        }
    }

    /// A sum of lane numbers alone.
    fn numbers_of_lanes(&self, value: Value) -> Option<Rc<Linear>> {
        let is_word = self.ty(value) == Type::varying(Scalar::I32);
        self.linear(value).filter(|linear| is_word && linear.terms.is_empty())
    }

    /// Whether a value is known to be below a limit in all lanes.
    pub(super) fn is_below(&self, value: Value, limit: u32) -> bool {
        self.is_below_within(value, limit, DEPTH)
    }

    fn is_below_within(&self, value: Value, limit: u32, depth: u32) -> bool {
        if self.ty(value) != Type::varying(Scalar::I32) {
            return false;
        }
        if let Some(linear) = self.numbers_of_lanes(value) {
            return (0..self.lanes).all(|lane| linear.constant.at(lane) < limit);
        }
        let Some(data) = self.def(value).filter(|_| depth > 0) else { return false };
        let go = |index: usize| self.is_below_within(data.args[index], limit, depth - 1);
        match data.op {
            Opcode::Select => go(1) && go(2),
            Opcode::And => go(0) || go(1),
            _ => false,
        }
    }

    /// Makes a result be that.
    pub(super) fn define_known(&mut self, result: Value, known: Known) {
        match known {
            Known::Numbers(numbers) if self.has_short_vectors() => {
                let registers = self.lane_constants(32, |lane| numbers[lane as usize].into());
                self.define_lanes(result, registers);
            }
            Known::Lanes(bits) if self.has_short_vectors() => {
                let mask = |lane: u32| if bits >> lane & 1 == 1 { u32::MAX.into() } else { 0 };
                let registers = self.lane_constants(32, mask);
                self.define_lanes(result, registers);
            }
            Known::Numbers(numbers) => {
                let registers = self.lane_numbers(|lane| numbers[lane as usize]);
                self.define(result, registers.iter().copied());
            }
            Known::Lanes(bits) => {
                let mask = self.lane_mask(bits);
                self.define(result, [mask]);
            }
        }
    }
}
