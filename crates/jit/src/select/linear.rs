//! Offsets as linear forms: a number for each lane, and uniform terms.
//!
//! `offset = constant[lane] + sum(coefficient[lane] * value * times)`, modulo 2^32, with uniform values and
//! coefficients that are known for each lane. The places of invocations in a workgroup, and what is computed
//! from them and uniform values, have this form, however many rows a subgroup covers.

use super::Selector;
use pyro_ir::{Opcode, Scalar, Signature, Value, eval};
use smallvec::SmallVec;
use std::rc::Rc;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;

/// The same where it is looked at anew for each access.
const ALIGNMENT_DEPTH: u32 = 6;

/// The most terms.
const TERMS: usize = 6;

/// A number for each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// The same for all.
    Same(u32),
    /// By lane, as many as the subgroup has.
    Each(Rc<[u32]>),
}

impl Numbers {
    fn each(numbers: Vec<u32>) -> Numbers {
        match numbers.iter().all(|&number| number == numbers[0]) {
            true => Numbers::Same(numbers[0]),
            false => Numbers::Each(numbers.into()),
        }
    }

    /// That of a lane.
    pub(super) fn at(&self, lane: u32) -> u32 {
        match self {
            Numbers::Same(number) => *number,
            Numbers::Each(numbers) => numbers[lane as usize],
        }
    }

    /// That of all lanes, where it is the same.
    pub(super) fn same(&self) -> Option<u32> {
        match self {
            Numbers::Same(number) => Some(*number),
            Numbers::Each(_) => None,
        }
    }

    fn zip(&self, other: &Numbers, op: impl Fn(u32, u32) -> u32) -> Numbers {
        match (self, other) {
            (Numbers::Same(a), Numbers::Same(b)) => Numbers::Same(op(*a, *b)),
            (Numbers::Each(numbers), _) | (_, Numbers::Each(numbers)) => {
                let lanes = 0..numbers.len() as u32;
                Numbers::each(lanes.map(|lane| op(self.at(lane), other.at(lane))).collect())
            }
        }
    }

    /// What the lanes from `first` on, `count` of them, add from one to the next, if it is always the same.
    pub(super) fn step(&self, first: u32, count: u32) -> Option<u32> {
        let difference = |lane: u32| self.at(lane).wrapping_sub(self.at(lane - 1));
        if count < 2 {
            return Some(0);
        }
        let step = difference(first + 1);
        (first + 2..first + count).all(|lane| difference(lane) == step).then_some(step)
    }
}

/// A product of one or two uniform values and a number for each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub value: Value,
    pub times: Option<Value>,
    pub numbers: Numbers,
}

/// A sum of terms and a number for each lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Linear {
    pub terms: SmallVec<[Term; 2]>,
    pub constant: Numbers,
}

impl Linear {
    fn constant(constant: Numbers) -> Linear {
        Linear { terms: SmallVec::new(), constant }
    }

    /// What the constant of a lane is more than that of another.
    pub(super) fn distance(&self, lane: u32, other: u32) -> i32 {
        self.constant.at(lane).wrapping_sub(self.constant.at(other)) as i32
    }

    /// `self + other * factor`.
    fn add(&self, other: &Linear, factor: u32) -> Option<Linear> {
        let sum = |a: u32, b: u32| a.wrapping_add(b.wrapping_mul(factor));
        let mut all = self.clone();
        all.constant = all.constant.zip(&other.constant, sum);
        for term in &other.terms {
            let known =
                all.terms.iter_mut().find(|known| (known.value, known.times) == (term.value, term.times));
            match known {
                Some(known) => known.numbers = known.numbers.zip(&term.numbers, sum),
                None => {
                    let numbers = Numbers::Same(0).zip(&term.numbers, sum);
                    all.terms.push(Term { numbers, ..term.clone() });
                }
            }
        }
        all.terms.retain(|term| term.numbers != Numbers::Same(0));
        (all.terms.len() <= TERMS).then_some(all)
    }

    /// The same times a number for each lane.
    fn only(&self, factors: &Numbers) -> Linear {
        let scale = |numbers: &Numbers| numbers.zip(factors, u32::wrapping_mul);
        let terms = self.terms.iter().map(|term| Term { numbers: scale(&term.numbers), ..term.clone() });
        Linear { terms: terms.collect(), constant: scale(&self.constant) }
    }

    /// The product, where one of the two is the same in all lanes.
    fn multiply(&self, other: &Linear) -> Option<Linear> {
        let is_uniform = |linear: &Linear| {
            linear.constant.same().is_some()
                && linear.terms.iter().all(|term| term.numbers.same().is_some() && term.times.is_none())
        };
        let (varying, uniform) = match (is_uniform(self), is_uniform(other)) {
            (_, true) => (self, other),
            (true, false) => (other, self),
            _ => return None,
        };
        let mut product = Linear::constant(Numbers::Same(0)).add(varying, uniform.constant.same()?)?;
        for factor in &uniform.terms {
            let scale = factor.numbers.same()?;
            let scaled = |numbers: &Numbers| numbers.zip(&Numbers::Same(scale), u32::wrapping_mul);
            let mut part = Linear::constant(Numbers::Same(0));
            let numbers = scaled(&varying.constant);
            if numbers != Numbers::Same(0) {
                part.terms.push(Term { value: factor.value, times: None, numbers });
            }
            for term in &varying.terms {
                if term.times.is_some() {
                    return None;
                }
                let (value, times) = (term.value.min(factor.value), term.value.max(factor.value));
                part.terms.push(Term { value, times: Some(times), numbers: scaled(&term.numbers) });
            }
            product = product.add(&part, 1)?;
        }
        Some(product)
    }
}

impl Selector<'_> {
    /// Takes a 32-bit value apart.
    pub(super) fn linear(&self, value: Value) -> Option<Rc<Linear>> {
        self.linear_within(value, DEPTH)
    }

    /// A power of two that a 32-bit value is a multiple of in all lanes.
    pub(super) fn alignment(&self, value: Value) -> u32 {
        1 << self.zero_bits(value, ALIGNMENT_DEPTH).min(31)
    }

    /// How many of the low bits of a value are known to be zero.
    fn zero_bits(&self, value: Value, depth: u32) -> u32 {
        if let Some(bits) = self.constant(value) {
            return (bits as u32).trailing_zeros();
        }
        let Some(data) = self.def(value).filter(|_| depth > 0) else { return 0 };
        let of = |index: usize| self.zero_bits(data.args[index], depth - 1);
        match data.op {
            Opcode::Splat => of(0),
            Opcode::IAdd | Opcode::ISub | Opcode::Or | Opcode::Xor => of(0).min(of(1)),
            Opcode::Select => of(1).min(of(2)),
            Opcode::And => of(0).max(of(1)),
            Opcode::IMul => (of(0) + of(1)).min(32),
            Opcode::Shl => {
                let count = self.constant(data.args[1]).map_or(0, |count| count as u32 & 31);
                (of(0) + count).min(32)
            }
            _ => 0,
        }
    }

    fn linear_within(&self, value: Value, depth: u32) -> Option<Rc<Linear>> {
        if let Some(known) = self.linears.borrow().get(&value) {
            return known.clone();
        }
        let found = self.find_linear(value, depth).map(Rc::new);
        self.linears.borrow_mut().insert(value, found.clone());
        found
    }

    fn find_linear(&self, value: Value, depth: u32) -> Option<Linear> {
        let ty = self.ty(value);
        if let Some(bits) = self.constant(value) {
            return Some(Linear::constant(Numbers::Same(bits as u32)));
        }
        if ty.is_uniform() {
            let term = Term { value, times: None, numbers: Numbers::Same(1) };
            let terms = SmallVec::from_iter([term]);
            return Some(Linear { terms, constant: Numbers::Same(0) });
        }
        let data = self.def(value)?;
        if depth == 0 || ty.scalar != Scalar::I32 {
            return None;
        }
        let go = |index: usize| self.linear_within(data.args[index], depth - 1);
        match data.op {
            Opcode::LaneId => Some(Linear::constant(Numbers::each((0..self.lanes).collect()))),
            Opcode::Splat => go(0).map(|linear| (*linear).clone()),
            Opcode::IAdd => go(0)?.add(&*go(1)?, 1),
            Opcode::ISub => go(0)?.add(&*go(1)?, 1u32.wrapping_neg()),
            Opcode::Shl if self.constant(data.args[1]).is_some() => {
                let count = self.constant(data.args[1])? as u32 & 31;
                Linear::constant(Numbers::Same(0)).add(&*go(0)?, 1 << count)
            }
            Opcode::IMul => go(0)?.multiply(&*go(1)?),
            // Where lanes are chosen by their number.
            Opcode::Select => {
                let bits = self.lane_bits(data.args[0])?;
                let chosen = |wanted: u64| {
                    Numbers::each((0..self.lanes).map(|lane| u32::from(bits >> lane & 1 == wanted)).collect())
                };
                let (then, otherwise) = (go(1)?.only(&chosen(1)), go(2)?.only(&chosen(0)));
                then.add(&otherwise, 1)
            }
            // Other operations on what is known of every lane.
            _ if data.op.signature() == Signature::IntBinary
                || data.op.signature() == Signature::BitBinary =>
            {
                let (a, b) = (go(0)?, go(1)?);
                if !a.terms.is_empty() || !b.terms.is_empty() {
                    return None;
                }
                let compute = |lane: u32| {
                    let args = [a.constant.at(lane).into(), b.constant.at(lane).into()];
                    eval::pure(data.op, Scalar::I32, Scalar::I32, &args, data.imm).map(|bits| bits as u32)
                };
                let numbers: Option<Vec<u32>> = (0..self.lanes).map(compute).collect();
                Some(Linear::constant(Numbers::each(numbers?)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        let rows = Numbers::each((0..32).map(|lane| lane / 16 * 100 + lane % 16).collect());
        assert_eq!((rows.step(0, 16), rows.step(16, 16), rows.step(0, 32)), (Some(1), Some(1), None));
        assert_eq!(Numbers::each(vec![7; 16]), Numbers::Same(7));
    }

    #[test]
    fn products_of_sums() {
        let value = |index: u32| Value::from_u32(index);
        let uniform = |index| Linear {
            terms: SmallVec::from_iter([Term {
                value: value(index),
                times: None,
                numbers: Numbers::Same(1),
            }]),
            constant: Numbers::Same(0),
        };
        let lanes = Linear::constant(Numbers::each(vec![0, 1, 2, 3]));
        // (v1 + lane) * (3 * v2) = 3 * v1 * v2 + 3 * lane * v2
        let three = Linear::constant(Numbers::Same(0)).add(&uniform(2), 3).unwrap();
        let product = uniform(1).add(&lanes, 1).unwrap().multiply(&three).unwrap();
        let numbers = Numbers::each(vec![0, 3, 6, 9]);
        let terms = [
            Term { value: value(2), times: None, numbers },
            Term { value: value(1), times: Some(value(2)), numbers: Numbers::Same(3) },
        ];
        assert_eq!(product.constant, Numbers::Same(0));
        assert_eq!(product.terms[..], terms);
        assert!(lanes.multiply(&lanes).is_none());
    }
}
