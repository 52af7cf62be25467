//! Offsets of accesses as sums: products of values and constants, and a constant, modulo 2^32.
//!
//! Two accesses whose sums differ in the constant alone are that far apart in every lane. What [`Steps`] says
//! of the first two lanes tells accesses that go through memory with the lanes from those that do not.

use crate::simplify::{BITS_DEPTH, possible_bits};
use pyro_ir::{Effect, Function, Opcode, Scalar, Value, eval};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;
/// The most terms.
const TERMS_MAX: usize = 12;

/// Values times constants, in the order of the values.
pub type Terms = SmallVec<[(Value, u32); 4]>;

/// `constant + sum(value * coefficient)`, modulo 2^32. Uniform values stand for their splats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinearOffset {
    /// What differs from one execution to another.
    pub terms: Terms,
    /// What is always added.
    pub constant: u32,
}

impl LinearOffset {
    /// `self + other * factor`.
    fn add(&self, other: &LinearOffset, factor: u32) -> Option<LinearOffset> {
        let mut sum = self.clone();
        sum.constant = sum.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for &(value, coefficient) in &other.terms {
            let added = coefficient.wrapping_mul(factor);
            match sum.terms.binary_search_by_key(&value, |&(value, _)| value) {
                Ok(place) => sum.terms[place].1 = sum.terms[place].1.wrapping_add(added),
                Err(place) => sum.terms.insert(place, (value, added)),
            }
        }
        sum.terms.retain(|&mut (_, coefficient)| coefficient != 0);
        (sum.terms.len() <= TERMS_MAX).then_some(sum)
    }
}

/// The sums of a function's values, found once each. They name values that operations are made of, so they
/// hold for the function as it is: while there are any, it cannot be changed.
pub struct LinearOffsets<'f> {
    function: &'f Function,
    known: FxHashMap<Value, LinearOffset>,
}

impl<'f> LinearOffsets<'f> {
    /// Of a function, of which nothing is known yet.
    pub fn new(function: &'f Function) -> LinearOffsets<'f> {
        LinearOffsets { function, known: FxHashMap::default() }
    }

    /// Takes a value of 32 bits apart.
    pub fn of(&mut self, value: Value) -> LinearOffset {
        self.within(value, DEPTH)
    }

    fn within(&mut self, value: Value, depth: u32) -> LinearOffset {
        if let Some(bits) = self.function.const_bits(value) {
            return LinearOffset { constant: bits as u32, ..LinearOffset::default() };
        }
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self
            .find(value, depth)
            .unwrap_or_else(|| LinearOffset { terms: SmallVec::from_slice(&[(value, 1)]), constant: 0 });
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, value: Value, depth: u32) -> Option<LinearOffset> {
        let function = self.function;
        let data = function.def_inst(value)?;
        if depth == 0 || function.ty(value).scalar != Scalar::I32 {
            return None;
        }
        let constant = |index: usize| function.const_bits(data.args[index]).map(|bits| bits as u32);
        let zero = LinearOffset::default();
        let mut go = |index: usize| self.within(data.args[index], depth - 1);
        match data.op {
            Opcode::Splat => Some(go(0)),
            Opcode::IAdd => go(0).add(&go(1), 1),
            Opcode::ISub => go(0).add(&go(1), 1u32.wrapping_neg()),
            Opcode::Shl => zero.add(&go(0), 1 << (constant(1)? & 31)),
            Opcode::IMul => zero.add(&go(0), constant(1)?),
            Opcode::Or => {
                let bits = |index: usize| possible_bits(function, data.args[index], BITS_DEPTH);
                if bits(0) & bits(1) != 0 {
                    return None;
                }
                go(0).add(&go(1), 1)
            }
            _ => None,
        }
    }
}

/// What a value is in the first two lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pair {
    /// Numbers that are known.
    Known(u32, u32),
    /// The second is so much more than the first.
    Apart(u32),
}

/// From the first lane to the second: what values add, where that is known.
#[derive(Default)]
pub struct Steps {
    known: FxHashMap<Value, Option<Pair>>,
}

impl Steps {
    /// What a sum adds from the first lane to the second.
    pub fn of(&mut self, function: &Function, terms: &Terms) -> Option<i32> {
        let mut step = 0u32;
        for &(value, coefficient) in terms {
            let own = match self.pair(function, value, DEPTH)? {
                Pair::Known(first, second) => second.wrapping_sub(first),
                Pair::Apart(step) => step,
            };
            step = step.wrapping_add(own.wrapping_mul(coefficient));
        }
        Some(step as i32)
    }

    fn pair(&mut self, function: &Function, value: Value, depth: u32) -> Option<Pair> {
        if let Some(bits) = function.const_bits(value) {
            return Some(Pair::Known(bits as u32, bits as u32));
        }
        if function.ty(value).is_uniform() {
            return Some(Pair::Apart(0));
        }
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let found = self.find(function, value, depth);
        self.known.insert(value, found);
        found
    }

    fn find(&mut self, function: &Function, value: Value, depth: u32) -> Option<Pair> {
        let data = function.def_inst(value)?;
        if data.op == Opcode::LaneId {
            return Some(Pair::Known(0, 1));
        }
        let is_plain = data.op.effect() == Effect::Pure && (1..=3).contains(&data.args.len());
        if depth == 0 || function.ty(value).scalar != Scalar::I32 || !is_plain {
            return None;
        }
        let pairs: Option<SmallVec<[Pair; 3]>> =
            data.args.iter().map(|&arg| self.pair(function, arg, depth - 1)).collect();
        let pairs = pairs?;
        let known = |second: bool| -> Option<u32> {
            let numbers: Option<SmallVec<[u64; 3]>> = pairs
                .iter()
                .map(|pair| match *pair {
                    Pair::Known(a, b) => Some(u64::from(if second { b } else { a })),
                    Pair::Apart(_) => None,
                })
                .collect();
            let from = function.ty(data.args[data.args.len() - 1]).scalar;
            eval::pure(data.op, from, Scalar::I32, &numbers?, data.imm).map(|bits| bits as u32)
        };
        if data.op != Opcode::Splat
            && let (Some(first), Some(second)) = (known(false), known(true))
        {
            return Some(Pair::Known(first, second));
        }
        let step = |index: usize| match pairs[index] {
            Pair::Known(a, b) => b.wrapping_sub(a),
            Pair::Apart(step) => step,
        };
        // What is the same in both lanes gives the same; and so does nothing times what is the same.
        let same = (0..pairs.len()).all(|index| step(index) == 0);
        let zeros = |index: usize| pairs[index] == Pair::Known(0, 0);
        match data.op {
            _ if same => Some(Pair::Apart(0)),
            Opcode::IMul if zeros(0) || zeros(1) => Some(Pair::Known(0, 0)),
            Opcode::IAdd => Some(Pair::Apart(step(0).wrapping_add(step(1)))),
            Opcode::ISub => Some(Pair::Apart(step(0).wrapping_sub(step(1)))),
            Opcode::Shl | Opcode::IMul => {
                let Pair::Known(constant, other) = pairs[1] else { return None };
                let factor = if data.op == Opcode::Shl { 1 << (constant & 31) } else { constant };
                (constant == other).then(|| Pair::Apart(step(0).wrapping_mul(factor)))
            }
            _ => None,
        }
    }
}
