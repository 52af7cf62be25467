//! Powers of two leave sums: of `a * 2^-24 + (b * 2^-24 - a * 2^-24) * t`, used times `w`, only `a + (b - a)
//! * t` times `w * 2^-24` is computed.
//!
//! Shaders make fractions of the bits of hashes, and combine many of them. A value that is `2^e` times
//! something that is there as well (`e` below zero, so that nothing gets smaller) is *scaled*; sums, fused
//! multiply-adds, products and choices of values scaled alike are scaled too, as long as [`Ranges`] shows
//! that nothing overflows. A product with a constant takes the power into the constant. Scaled values that go
//! elsewhere are multiplied there. What hangs together is changed where that saves products. Results are the
//! same, of `NoContraction` operations too, but for subnormal numbers on the way, which are not lost.
//!
//! `float(x >> n) * 2^k` of a number that keeps at most 24 bits is scaled by `2^(k - n)`: the low bits are
//! cleared instead of shifted out, which can be part of another bitwise operation.

use crate::analysis::{Ranges, power_of_two};
use pyro_ir::{Form, Function, Inst, InstData, Opcode, Scalar, Type, Value};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;

/// The largest magnitude of what is computed in place of scaled values.
const LARGEST: f64 = (1u128 << 120) as f64;
/// The fewest products of powers of two for which a function is looked at.
const SOURCES_MIN: usize = 2;
/// Exponents of scales.
const EXPONENTS: std::ops::RangeInclusive<i32> = -64..=-1;

/// How a scaled value is made.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    /// It is two to this power times what will be computed.
    exponent: i32,
    /// The first found of those that hang together with it, or one nearer to that.
    group: Value,
    /// It is a product with a power of two.
    is_source: bool,
}

struct Scales {
    of: SecondaryMap<Value, Option<Scaled>>,
    /// By first value: the products that a group saves, less those that it needs.
    gain: SecondaryMap<Value, i32>,
}

/// What an operation does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Its scale is that of the operand.
    Keeps(usize),
    /// A constant takes the scale of the operand.
    Absorbs { operand: usize, constant: usize },
}

/// Runs the pass, in lane form. Returns whether anything changed. What is of no use any more stays as dead
/// code.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Lane);
    let values = || {
        let insts = function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
        insts.map(|&inst| &function.insts[inst])
    };
    if values().filter(|data| source(function, data).is_some()).take(SOURCES_MIN).count() < SOURCES_MIN {
        return false;
    }
    let scales = Scales::new(function);
    if !values().filter_map(|data| data.result.expand()).any(|value| scales.changes(value)) {
        return false;
    }
    scales.apply(function);
    true
}

/// The exponent of a constant that is a power of two.
fn exponent_of(bits: u32) -> Option<i32> {
    let exponent = bits >> 23;
    (bits & 0x7f_ffff == 0 && exponent > 0 && exponent < 255).then(|| exponent as i32 - 127)
}

/// A constant times two to a power, if both are normal numbers or the constant is zero.
fn times_power(bits: u32, exponent: i32) -> Option<u32> {
    let old = (bits >> 23 & 0xff) as i32;
    let new = old + exponent;
    if bits << 1 == 0 {
        return Some(bits);
    }
    ((1..255).contains(&old) && (1..255).contains(&new)).then_some(bits & !(0xff << 23) | (new as u32) << 23)
}

fn constant(function: &Function, value: Value) -> Option<u32> {
    function.const_bits(value).map(|bits| bits as u32)
}

/// The shift by `n` whose cleared bits do as well, for the operand of a conversion: what is shifted, and `n`.
fn shifted(function: &Function, number: Value) -> Option<(Value, u32)> {
    let data = function.def_inst(number)?;
    let count = constant(function, *data.args.get(1)?)? % 32;
    let fits = data.op == Opcode::LShr && function.ty(number).scalar == Scalar::I32 && count >= 8;
    fits.then_some((data.args[0], count))
}

/// The exponent where an operation is a product with a power of two.
fn source(function: &Function, data: &InstData) -> Option<i32> {
    if data.op != Opcode::FMul || function.ty(data.args[0]).scalar != Scalar::F32 {
        return None;
    }
    let exponent = exponent_of(constant(function, data.args[1])?)?;
    let exponent = exponent - converted(function, data.args[0]).map_or(0, |(_, count)| count as i32);
    EXPONENTS.contains(&exponent).then_some(exponent)
}

/// Of a conversion of a shifted number: the number before, and by how much it is shifted.
fn converted(function: &Function, value: Value) -> Option<(Value, u32)> {
    let data = function.def_inst(value)?;
    if data.op == Opcode::UToF { shifted(function, data.args[0]) } else { None }
}

impl Scales {
    fn new(function: &Function) -> Scales {
        let count = function.values.len();
        let mut scales = Scales {
            of: SecondaryMap::with_capacity(None, count),
            gain: SecondaryMap::with_capacity(0, count),
        };
        let ranges = Ranges::new(function);
        let insts = || function.block_order.iter().flat_map(|&block| &function.blocks[block].insts);
        for &inst in insts() {
            let data = &function.insts[inst];
            let Some(result) = data.result.expand() else { continue };
            if function.ty(result).scalar != Scalar::F32 {
                continue;
            }
            let is_plain = data.args.first().is_some_and(|&arg| scales.of[arg].is_none());
            if let Some(exponent) = source(function, data).filter(|_| is_plain) {
                scales.of[result] = Some(Scaled { exponent, group: result, is_source: true });
                scales.gain[result] = 1;
            } else if let Some(exponent) = scales.result(function, data)
                && ranges.of(result).magnitude() <= LARGEST * power_of_two(exponent)
            {
                scales.of[result] = Some(Scaled { exponent, group: result, is_source: false });
                for &arg in &data.args {
                    scales.join(arg, result);
                }
            }
        }
        scales.count_needed(function);
        scales
    }

    /// The exponent of an operation on scaled values.
    fn result(&self, function: &Function, data: &InstData) -> Option<i32> {
        use Opcode as O;
        let args = &data.args;
        let of = |index: usize| self.of[args[index]].map(|scaled| scaled.exponent);
        // Of values that have to be scaled alike, constants can be.
        let fits = |index: usize, exponent: i32| match constant(function, args[index]) {
            Some(bits) => times_power(bits, -exponent).is_some(),
            None => of(index) == Some(exponent),
        };
        let alike = |operands: [usize; 2]| {
            let exponent = operands.iter().find_map(|&index| of(index))?;
            operands.iter().all(|&index| fits(index, exponent)).then_some(exponent)
        };
        match data.op {
            O::FNeg | O::FAbs => of(0),
            O::FAdd | O::FSub | O::FMin | O::FMax => alike([0, 1]),
            O::Select => alike([1, 2]),
            O::FMul | O::FFma => match role(function, data, |index| of(index).is_some()) {
                Some(Role::Keeps(operand)) if data.op == O::FMul => of(operand),
                Some(Role::Keeps(operand)) => of(operand).filter(|&exponent| fits(2, exponent)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first value of a group.
    fn group(&self, value: Value) -> Option<Value> {
        let mut value = value;
        loop {
            let group = self.of[value]?.group;
            if group == value {
                return Some(value);
            }
            value = group;
        }
    }

    /// Puts two scaled values into one group.
    fn join(&mut self, x: Value, y: Value) {
        let (Some(x), Some(y)) = (self.group(x), self.group(y)) else { return };
        if x != y {
            self.gain[y] += self.gain[x];
            if let Some(scaled) = &mut self.of[x] {
                scaled.group = y;
            }
        }
    }

    /// Takes from the gain what has to be multiplied where values go elsewhere.
    fn count_needed(&mut self, function: &Function) {
        let mut is_counted = SecondaryMap::<Value, bool>::with_capacity(false, function.values.len());
        let mut needed = Vec::new();
        let mut need = |value: Value, is_scaled: bool| {
            if is_scaled && !std::mem::replace(&mut is_counted[value], true) {
                needed.push(value);
            }
        };
        for &block in &function.block_order {
            let data = &function.blocks[block];
            for &inst in &data.insts {
                let data = &function.insts[inst];
                for (index, &arg) in data.args.iter().enumerate() {
                    need(arg, self.of[arg].is_some() && !self.takes(function, data, index));
                }
            }
            data.terminator.for_each_value(|value| need(value, self.of[value].is_some()));
        }
        for value in needed {
            if let Some(group) = self.group(value) {
                self.gain[group] -= 1;
            }
        }
    }

    /// Whether an operation takes this operand, which is scaled, as it will be computed.
    fn takes(&self, function: &Function, data: &InstData, index: usize) -> bool {
        let result = data.result.expand();
        if result.is_some_and(|result| self.of[result].is_some_and(|scaled| !scaled.is_source)) {
            // Of a product of two scaled values, one is taken as it was.
            return !matches!(data.op, Opcode::FMul | Opcode::FFma)
                || index == 2
                || role(function, data, |index| self.of[data.args[index]].is_some())
                    == Some(Role::Keeps(index));
        }
        self.absorbs(function, data).is_some_and(|(operand, _, _)| operand == index)
    }

    /// Of a product with a constant that takes the scale of its other operand: that one, the constant's place
    /// and the new constant.
    fn absorbs(&self, function: &Function, data: &InstData) -> Option<(usize, usize, u32)> {
        if !matches!(data.op, Opcode::FMul | Opcode::FFma) {
            return None;
        }
        let of = |index: usize| self.of[data.args[index]];
        let Some(Role::Absorbs { operand, constant: place }) =
            role(function, data, |index| of(index).is_some())
        else {
            return None;
        };
        let bits = times_power(constant(function, data.args[place])?, of(operand)?.exponent)?;
        Some((operand, place, bits))
    }

    /// Whether a value is computed without its scale.
    fn changes(&self, value: Value) -> bool {
        self.group(value).is_some_and(|group| self.gain[group] > 0)
    }
}

/// What a product, or fused multiply-add, does with the first of its factors that is scaled.
fn role(function: &Function, data: &InstData, is_scaled: impl Fn(usize) -> bool) -> Option<Role> {
    let operand = (0..2).find(|&index| is_scaled(index))?;
    let other = 1 - operand;
    Some(match constant(function, data.args[other]) {
        Some(_) => Role::Absorbs { operand, constant: other },
        None => Role::Keeps(operand),
    })
}

impl Scales {
    fn apply(&self, function: &mut Function) {
        let mut units = Units {
            scales: self,
            of: SecondaryMap::with_capacity(None, function.values.len()),
            out: Vec::new(),
        };
        for index in 0..function.block_order.len() {
            let block = function.block_order[index];
            for inst in std::mem::take(&mut function.blocks[block].insts) {
                units.visit(function, inst);
                units.out.push(inst);
            }
            function.blocks[block].insts = std::mem::take(&mut units.out);
        }
    }
}

/// What is computed in place of scaled values.
struct Units<'s> {
    scales: &'s Scales,
    of: SecondaryMap<Value, Option<Value>>,
    out: Vec<Inst>,
}

impl Units<'_> {
    fn visit(&mut self, function: &mut Function, inst: Inst) {
        let data = function.insts[inst].clone();
        let Some(result) = data.result.expand() else { return };
        match self.scales.of[result].filter(|_| self.scales.changes(result)) {
            Some(scaled) if scaled.is_source => self.of[result] = Some(self.source(function, &data)),
            Some(scaled) => {
                let unit = self.operation(function, &data, function.ty(result), scaled.exponent);
                self.of[result] = Some(unit);
                // Of use only where the value goes elsewhere.
                let power = (127 + scaled.exponent) as u32;
                let power = self.constant(function, power << 23, function.ty(unit), &data);
                let data = &mut function.insts[inst];
                (data.op, data.imm) = (Opcode::FMul, 0);
                data.args = SmallVec::from_slice(&[unit, power]);
            }
            None => {
                let absorbs = self.scales.absorbs(function, &data);
                if let Some((operand, place, bits)) = absorbs
                    && let Some(unit) = self.of[data.args[operand]]
                {
                    let constant = self.constant(function, bits, function.ty(unit), &data);
                    let args = &mut function.insts[inst].args;
                    (args[operand], args[place]) = (unit, constant);
                }
            }
        }
    }

    /// The other factor of a product with a power of two.
    fn source(&mut self, function: &mut Function, data: &InstData) -> Value {
        let number = data.args[0];
        let Some((bits, count)) = converted(function, number) else { return number };
        let mask = self.constant(function, u32::MAX << count, function.ty(bits), data);
        let high = self.emit(function, Opcode::And, &[bits, mask], function.ty(bits), data);
        self.emit(function, Opcode::UToF, &[high], function.ty(number), data)
    }

    /// A scaled operation on what is computed in place of its operands.
    fn operation(&mut self, function: &mut Function, data: &InstData, ty: Type, exponent: i32) -> Value {
        let mut args = data.args.clone();
        let is_product = matches!(data.op, Opcode::FMul | Opcode::FFma);
        let kept =
            if is_product { role(function, data, |index| self.of[data.args[index]].is_some()) } else { None };
        for (index, arg) in args.iter_mut().enumerate() {
            let is_factor = is_product && index < 2;
            let is_condition = data.op == Opcode::Select && index == 0;
            if is_condition || is_factor && kept != Some(Role::Keeps(index)) {
                continue;
            }
            if let Some(unit) = self.of[*arg] {
                *arg = unit;
            } else if let Some(bits) = constant(function, *arg).and_then(|bits| times_power(bits, -exponent))
            {
                *arg = self.constant(function, bits, ty, data);
            }
        }
        self.emit(function, data.op, &args, ty, data)
    }

    fn constant(&mut self, function: &mut Function, bits: u32, ty: Type, at: &InstData) -> Value {
        let inst = function.make_inst(Opcode::Const, &[], bits.into(), Some(ty), at.loc);
        self.out.push(inst);
        function.insts[inst].expect_result()
    }

    fn emit(
        &mut self,
        function: &mut Function,
        op: Opcode,
        args: &[Value],
        ty: Type,
        at: &InstData,
    ) -> Value {
        let imm = if op == at.op { at.imm } else { 0 };
        let inst = function.make_inst(op, args, imm, Some(ty), at.loc);
        self.out.push(inst);
        function.insts[inst].expect_result()
    }
}
