//! What indices of a subgroup lie between: what questions about all lanes are made of.
//!
//! Indices are taken apart into sums ([`LinearOffsets`]) of uniform values times numbers that are known to
//! lie between two bounds, whatever the lane. Two sums of 64 bits, one of the least and one of the greatest
//! factors, lie below and above all indices of all lanes.

use super::versions::New;
use crate::analysis::{AffineValues, LinearOffsets};
use pyro_ir::{Function, Opcode, Scalar, Type, Value, ValueDef};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Numbers above this are no factors: products of 64 bits could overflow.
const FACTOR_MAX: i64 = 1 << 24;
/// The most uniform values of a sum.
const TERMS_MAX: usize = 6;

/// The least and the greatest.
pub(super) type Interval = (i64, i64);

/// `constant + sum(value * factor)`, of all lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) terms: SmallVec<[(Value, Interval); 4]>,
    pub(super) constant: Interval,
}

impl Bounds {
    pub(super) fn add(&mut self, value: Value, (least, greatest): Interval) {
        match self.terms.iter_mut().find(|(known, _)| *known == value) {
            Some((_, factor)) => *factor = (factor.0 + least, factor.1 + greatest),
            None => self.terms.push((value, (least, greatest))),
        }
    }

    /// Whether one has all of the other's values: bounds of both are not much wider than those of one. Of
    /// what has different values (the starts of rows) the sum of all would be the bound.
    pub(super) fn resembles(&self, other: &Bounds) -> bool {
        let has = |bounds: &Bounds, value: Value| bounds.terms.iter().any(|&(known, _)| known == value);
        self.terms.iter().all(|&(value, _)| has(other, value))
            || other.terms.iter().all(|&(value, _)| has(self, value))
    }

    /// Bounds of both.
    pub(super) fn join(&mut self, other: &Bounds) {
        let hull = |a: Interval, b: Interval| (a.0.min(b.0), a.1.max(b.1));
        for (value, factor) in &mut self.terms {
            let other = other.terms.iter().find(|(known, _)| known == value);
            *factor = hull(*factor, other.map_or((0, 0), |&(_, factor)| factor));
        }
        for &(value, factor) in &other.terms {
            if self.terms.iter().all(|(known, _)| *known != value) {
                self.terms.push((value, hull(factor, (0, 0))));
            }
        }
        self.constant = hull(self.constant, other.constant);
    }

    pub(super) fn is_small(&self) -> bool {
        let fits = |(least, greatest): Interval| least > -FACTOR_MAX && greatest < FACTOR_MAX;
        self.terms.len() <= TERMS_MAX
            && fits(self.constant)
            && self.terms.iter().all(|&(_, factor)| fits(factor))
    }

    /// The sum, times a number.
    fn scaled(&self, factor: i64) -> Bounds {
        let scaled = |interval| scaled(interval, factor);
        Bounds {
            terms: self.terms.iter().map(|&(value, interval)| (value, scaled(interval))).collect(),
            constant: scaled(self.constant),
        }
    }
}

/// The bounds of a function's values. They name values that operations are made of, so they hold for the
/// function as it is.
pub(super) struct LaneBounds<'f> {
    pub(super) offsets: LinearOffsets<'f>,
    pub(super) values: AffineValues,
    /// What values lie between that are no sums, where all is as expected.
    pub(super) expected: FxHashMap<Value, Bounds>,
}

impl<'f> LaneBounds<'f> {
    pub(super) fn new(function: &'f Function) -> LaneBounds<'f> {
        LaneBounds {
            offsets: LinearOffsets::new(function),
            values: AffineValues::default(),
            expected: FxHashMap::default(),
        }
    }

    /// What a sum is in all lanes.
    pub(super) fn of(&mut self, function: &Function, index: Value) -> Option<Bounds> {
        let sum = self.offsets.of(index);
        let constant = i64::from(sum.constant as i32);
        let mut bounds = Bounds { constant: (constant, constant), ..Bounds::default() };
        // By lane: the least of a sum may be more than the sum of what is least.
        let mut known: SmallVec<[i64; 16]> = SmallVec::from_elem(0, function.lanes as usize);
        for &(value, factor) in &sum.terms {
            let factor = i64::from(factor as i32);
            if let Some(uniform) = uniform(function, value) {
                bounds.add(uniform, (factor, factor));
            } else if let Some(numbers) = self.lanes(function, value) {
                if factor.abs() >= FACTOR_MAX {
                    return None;
                }
                known.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number * factor);
            } else if let Some(expected) = self.expected.get(&value) {
                if factor.abs() >= FACTOR_MAX {
                    return None;
                }
                let expected = expected.scaled(factor);
                expected.terms.iter().for_each(|&(value, factor)| bounds.add(value, factor));
                let (least, greatest) = expected.constant;
                bounds.constant = (bounds.constant.0 + least, bounds.constant.1 + greatest);
            } else {
                // The product of a lane's number and a uniform value.
                let data = function.def_inst(value).filter(|data| data.op == Opcode::IMul)?;
                let (a, b) = (data.args[0], data.args[1]);
                let (varying, uniform) = match (uniform(function, a), uniform(function, b)) {
                    (_, Some(b)) => (a, b),
                    (Some(a), None) => (b, a),
                    _ => return None,
                };
                bounds.add(uniform, scaled(interval(&self.lanes(function, varying)?)?, factor));
            }
        }
        let (least, greatest) = interval(&known)?;
        bounds.constant = (bounds.constant.0 + least, bounds.constant.1 + greatest);
        bounds.is_small().then_some(bounds)
    }

    /// Numbers that are known of each lane.
    fn lanes(&mut self, function: &Function, value: Value) -> Option<SmallVec<[i64; 16]>> {
        let affine = self.values.of(function, value)?;
        let number = |lane: usize| affine.at(lane).map(|number| i64::from(number as i32));
        let lanes: SmallVec<[i64; 16]> = (0..function.lanes as usize).map(number).collect::<Option<_>>()?;
        let is_small = |number: &i64| number.abs() < FACTOR_MAX;
        lanes.iter().all(is_small).then_some(lanes)
    }
}

/// The least and the greatest.
fn interval(numbers: &[i64]) -> Option<Interval> {
    Some((*numbers.iter().min()?, *numbers.iter().max()?))
}

fn scaled((least, greatest): Interval, factor: i64) -> Interval {
    let (a, b) = (least * factor, greatest * factor);
    (a.min(b), a.max(b))
}

/// The value that is the same in all lanes, if one is.
pub(super) fn uniform(function: &Function, value: Value) -> Option<Value> {
    if function.ty(value).is_uniform() {
        return Some(value);
    }
    let ValueDef::Inst(inst) = function.values[value].def else { return None };
    let data = &function.insts[inst];
    (data.op == Opcode::Splat).then(|| data.args[0])
}

/// What lies below and above all indices.
pub(super) fn sums(new: &mut New<'_>, bounds: &Bounds, wide: &mut FxHashMap<Value, Value>) -> (Value, Value) {
    let number = Type::uniform(Scalar::I64);
    let constant = |new: &mut New<'_>, value: i64| new.op(Opcode::Const, &[], value as u64, number);
    // Both are what they have in common, and what each has besides.
    let mut common: Option<Value> = None;
    let mut sums = [constant(new, bounds.constant.0), constant(new, bounds.constant.1)];
    for &(value, (least, greatest)) in &bounds.terms {
        let value = *wide.entry(value).or_insert_with(|| new.op(Opcode::SignExtend, &[value], 0, number));
        let product = |new: &mut New<'_>, factor: i64| {
            if factor == 1 {
                return value;
            }
            let factor = constant(new, factor);
            new.op(Opcode::IMul, &[value, factor], 0, number)
        };
        if least == greatest {
            let product = product(new, least);
            common = Some(match common {
                None => product,
                Some(common) => new.op(Opcode::IAdd, &[common, product], 0, number),
            });
            continue;
        }
        let (a, b) = (product(new, least), product(new, greatest));
        let products = [Opcode::SMin, Opcode::SMax].map(|op| new.op(op, &[a, b], 0, number));
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum = new.op(Opcode::IAdd, &[*sum, product], 0, number);
        }
    }
    if let Some(common) = common {
        sums = sums.map(|sum| new.op(Opcode::IAdd, &[common, sum], 0, number));
    }
    (sums[0], sums[1])
}
