//! Values of which is known how far their lanes are apart: sums over lane numbers and what is the same in all
//! lanes. Mask form.

use pyro_ir::{Effect, Function, Opcode, Scalar, Value, eval};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How deep an expression is looked into.
const DEPTH: u32 = 12;

/// What each lane has more than lane 0, where that is known.
pub type Lanes = Rc<[Option<i32>]>;

/// A value that is a sum over lane numbers and what is the same in all lanes.
#[derive(Clone, Debug)]
pub struct Affine {
    /// By lane.
    pub lanes: Lanes,
    /// What lane 0 has, where it is always the same.
    pub first: Option<u32>,
}

impl Affine {
    /// Whether all lanes have the same.
    pub fn is_same(&self) -> bool {
        self.lanes.iter().all(|&lane| lane == Some(0))
    }

    fn zip(&self, other: &Affine, op: impl Fn(u32, u32) -> u32) -> Affine {
        let lanes = self.lanes.iter().zip(&*other.lanes);
        Affine {
            lanes: lanes.map(|(&a, &b)| Some(op(a? as u32, b? as u32) as i32)).collect(),
            first: self.first.zip(other.first).map(|(a, b)| op(a, b)),
        }
    }

    /// The number of a lane, where it is always the same.
    pub fn at(&self, lane: usize) -> Option<u32> {
        Some(self.first?.wrapping_add(self.lanes[lane]? as u32))
    }
}

/// The sums of a function's values, found once each.
#[derive(Default)]
pub struct AffineValues {
    known: FxHashMap<Value, Option<Affine>>,
}

impl AffineValues {
    /// A value that is a sum over lane numbers and what is the same in all lanes.
    pub fn of(&mut self, function: &Function, value: Value) -> Option<Affine> {
        self.within(function, value, DEPTH)
    }

    fn within(&mut self, function: &Function, value: Value, depth: u32) -> Option<Affine> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        let found = self.find(function, value, depth);
        self.known.insert(value, found.clone());
        found
    }

    fn find(&mut self, function: &Function, value: Value, depth: u32) -> Option<Affine> {
        let ty = function.ty(value);
        if ty.scalar != Scalar::I32 {
            return None;
        }
        if let Some(bits) = function.const_bits(value) {
            return Some(Affine { first: Some(bits as u32), ..same(function.lanes) });
        }
        if ty.is_uniform() {
            return Some(same(function.lanes));
        }
        let data = function.def_inst(value).filter(|_| depth > 0)?;
        match data.op {
            Opcode::LaneId => {
                let lanes = (0..function.lanes as i32).map(Some).collect();
                return Some(Affine { lanes, first: Some(0) });
            }
            Opcode::Splat => return Some(same(function.lanes)),
            _ => {}
        }
        let args = data.args.clone();
        let (op, imm) = (data.op, data.imm);
        if let Some(sum) = sum(function, op, &args, |index| self.within(function, args[index], depth - 1)) {
            return Some(sum);
        }
        // Other operations on what is known of every lane.
        if op.effect() != Effect::Pure || args.len() != 2 {
            return None;
        }
        let (a, b) = (self.within(function, args[0], depth - 1)?, self.within(function, args[1], depth - 1)?);
        let numbers: Option<Vec<u32>> = (0..function.lanes as usize)
            .map(|lane| {
                let args = [a.at(lane)?.into(), b.at(lane)?.into()];
                eval::pure(op, Scalar::I32, Scalar::I32, &args, imm).map(|bits| bits as u32)
            })
            .collect();
        let numbers = numbers?;
        let lanes = numbers.iter().map(|number| Some(number.wrapping_sub(numbers[0]) as i32)).collect();
        Some(Affine { lanes, first: Some(numbers[0]) })
    }
}

/// What is the same in all lanes.
pub fn same(lanes: u32) -> Affine {
    Affine { lanes: (0..lanes).map(|_| Some(0)).collect(), first: None }
}

/// What an operation gives on sums, of which `of` tells those of the operands.
pub fn sum(
    function: &Function,
    op: Opcode,
    args: &[Value],
    mut of: impl FnMut(usize) -> Option<Affine>,
) -> Option<Affine> {
    let constant = |index: usize| function.const_bits(args[index]).map(|bits| bits as u32);
    match op {
        Opcode::IAdd => Some(of(0)?.zip(&of(1)?, u32::wrapping_add)),
        Opcode::ISub => Some(of(0)?.zip(&of(1)?, u32::wrapping_sub)),
        Opcode::Shl => {
            let count = constant(1)? & 31;
            let value = of(0)?;
            Some(value.zip(&value, |a, _| a << count))
        }
        Opcode::IMul => {
            let (a, b) = (of(0)?, of(1)?);
            let (varying, factor) = match (a.is_same(), b.is_same()) {
                (_, true) => (a, b),
                (true, false) => (b, a),
                _ => return None,
            };
            let lanes = varying.lanes.iter().map(|&lane| match (lane?, factor.first) {
                (0, _) => Some(0),
                (lane, Some(factor)) => Some(lane.wrapping_mul(factor as i32)),
                _ => None,
            });
            let first = varying.first.zip(factor.first).map(|(a, b)| a.wrapping_mul(b));
            Some(Affine { lanes: lanes.collect(), first })
        }
        _ => None,
    }
}
