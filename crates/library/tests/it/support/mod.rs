//! Evaluates what library functions build: one block of lane-form instructions over many lanes at once. Each
//! program also goes through the passes and runs on the executors, which must give the same.
#![allow(unreachable_pub)]

pub mod executed;

use executed::Executed;
use pyro_ir::{Builder, Form, Function, Opcode, Scalar, Terminator, Value, ValueDef};
pub use pyro_random::Random;
use std::cell::RefCell;

/// A straight-line program: a library function applied to parameters.
pub struct Program {
    function: Function,
    params: Vec<Value>,
    results: Vec<Value>,
    /// Instructions from the parameters to the results, in order.
    order: Vec<pyro_ir::Inst>,
    executed: Executed,
    /// Each value's lanes, kept from one evaluation to the next.
    storage: RefCell<Vec<Vec<u64>>>,
}

impl Program {
    /// The instructions that `build` makes of parameters of these types.
    pub fn new(
        lanes: u32,
        params: &[Scalar],
        build: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
    ) -> Program {
        let mut function = Function::new("test", Form::Lane, lanes);
        let block = function.make_block();
        let mut builder = Builder::new(&mut function);
        builder.start(block);
        let params = executed::load_params(&mut builder, params);
        let results = build(&mut builder, &params);
        executed::store_results(&mut builder, params.len(), &results);
        builder.terminate(Terminator::Return(0));
        assert_eq!(function.block_order.len(), 1, "library functions are straight-line");
        pyro_ir::verify::verify(&function).expect("well-formed");
        let mut needed = vec![false; function.values.len()];
        let mut work = results.clone();
        while let Some(value) = work.pop() {
            if params.contains(&value) || std::mem::replace(&mut needed[value.as_u32() as usize], true) {
                continue;
            }
            if let ValueDef::Inst(inst) = function.values[value].def {
                work.extend(function.insts[inst].args.iter().copied());
            }
        }
        let order = function.blocks[block]
            .insts
            .iter()
            .copied()
            .filter(|&inst| {
                function.insts[inst].result.expand().is_some_and(|value| needed[value.as_u32() as usize])
            })
            .collect();
        let scalars = |values: &[Value]| values.iter().map(|&value| function.ty(value).scalar).collect();
        let executed = Executed::new(&function, scalars(&params), scalars(&results));
        let storage = RefCell::new(vec![Vec::new(); function.values.len()]);
        Program { function, params, results, order, executed, storage }
    }

    /// How many operations an executor carries out: constants and reinterpretations are free.
    pub fn operation_count(&self) -> usize {
        self.order
            .iter()
            .filter(|&&inst| !matches!(self.function.insts[inst].op, Opcode::Const | Opcode::Bitcast))
            .count()
    }

    /// The machine code that the executor of this name runs.
    pub fn assembly(&self, name: &str) -> String {
        self.executed.assembly(name)
    }

    /// Results for each lane: `args[parameter][lane]` to `[result][lane]`. The lanes in `active` have come
    /// here; with `None` all have. With more lanes than the subgroup has, the lanes are independent (only for
    /// programs without group operations).
    pub fn run(&self, args: &[&[u64]], active: Option<&[bool]>) -> Vec<Vec<u64>> {
        let results = self.evaluate(args, active);
        let lanes = self.function.lanes as usize;
        match active {
            None => self.executed.check(lanes, args, active, &results),
            Some(mask) => {
                // Executors load zeros into lanes that are not active; elsewhere such lanes hold garbage.
                let args: Vec<Vec<u64>> = args
                    .iter()
                    .map(|arg| arg.iter().zip(mask).map(|(&x, &on)| x * u64::from(on)).collect())
                    .collect();
                let args: Vec<&[u64]> = args.iter().map(Vec::as_slice).collect();
                self.executed.check(lanes, &args, active, &self.evaluate(&args, active));
            }
        }
        results
    }

    /// [`Program::run`] without the executors.
    pub fn evaluate(&self, args: &[&[u64]], active: Option<&[bool]>) -> Vec<Vec<u64>> {
        let count = args.first().map_or(self.function.lanes as usize, |arg| arg.len());
        let mut values = self.storage.borrow_mut();
        for (&param, arg) in self.params.iter().zip(args) {
            assert_eq!(arg.len(), count);
            let lanes = &mut values[param.as_u32() as usize];
            lanes.clear();
            lanes.extend_from_slice(arg);
        }
        for &inst in &self.order {
            let data = &self.function.insts[inst];
            let result = data.result.expand().expect("filtered");
            let to = self.function.ty(result).scalar;
            let from = data.args.last().map_or(to, |&arg| self.function.ty(arg).scalar);
            let mut out = std::mem::take(&mut values[result.as_u32() as usize]);
            let operands: Vec<&[u64]> =
                data.args.iter().map(|arg| values[arg.as_u32() as usize].as_slice()).collect();
            out.resize(count, 0);
            match lane_operation(data.op, &operands, count, active, self.function.lanes as usize) {
                Some(lanes) => out = lanes,
                None if data.op == Opcode::Const => out.fill(data.imm),
                None => pure_lanes(data.op, from, to, &operands, data.imm, &mut out),
            }
            values[result.as_u32() as usize] = out;
        }
        self.results.iter().map(|value| values[value.as_u32() as usize].clone()).collect()
    }

    /// One lane of a program without group operations.
    pub fn one(&self, args: &[u64]) -> Vec<u64> {
        let args: Vec<[u64; 1]> = args.iter().map(|&arg| [arg]).collect();
        let args: Vec<&[u64]> = args.iter().map(|arg| &arg[..]).collect();
        self.run(&args, None).into_iter().map(|lanes| lanes[0]).collect()
    }
}

/// Operations that look at other lanes.
fn lane_operation(
    op: Opcode,
    args: &[&[u64]],
    count: usize,
    active: Option<&[bool]>,
    lanes: usize,
) -> Option<Vec<u64>> {
    let group_check = || assert_eq!(count, lanes, "group operations run on one subgroup");
    Some(match op {
        Opcode::LaneId => (0..count as u64).collect(),
        Opcode::Active => {
            (0..count).map(|lane| u64::from(active.is_none_or(|active| active[lane]))).collect()
        }
        Opcode::Ballot => {
            group_check();
            let bits = args[0].iter().enumerate().fold(0, |bits, (lane, &bit)| bits | bit << lane);
            vec![bits; count]
        }
        Opcode::Any => {
            group_check();
            vec![u64::from(args[0].iter().any(|&bit| bit != 0)); count]
        }
        Opcode::MaskFromBits => {
            assert!(args[0].iter().all(|&bits| bits == args[0][0]), "uniform operand");
            (0..count).map(|lane| args[0][0] >> lane & 1).collect()
        }
        Opcode::LaneRead => {
            group_check();
            assert!(args[1].iter().all(|&index| index == args[1][0]), "uniform index");
            vec![args[0][args[1][0] as usize % lanes]; count]
        }
        Opcode::Shuffle => {
            group_check();
            args[1].iter().map(|&index| args[0][index as usize % lanes]).collect()
        }
        _ => return None,
    })
}

/// A pure operation on all lanes; the commonest ones in loops that the compiler can vectorise.
fn pure_lanes(op: Opcode, from: Scalar, to: Scalar, args: &[&[u64]], imm: u64, out: &mut [u64]) {
    fn f(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn float2(args: &[&[u64]], out: &mut [u64], op: impl Fn(f32, f32) -> f32) {
        for ((out, &x), &y) in out.iter_mut().zip(args[0]).zip(args[1]) {
            *out = op(f(x), f(y)).to_bits().into();
        }
    }
    fn int2(args: &[&[u64]], out: &mut [u64], op: impl Fn(u32, u32) -> u32) {
        for ((out, &x), &y) in out.iter_mut().zip(args[0]).zip(args[1]) {
            *out = op(x as u32, y as u32).into();
        }
    }
    match (op, from) {
        (Opcode::FFma, Scalar::F32) => {
            for (((out, &x), &y), &z) in out.iter_mut().zip(args[0]).zip(args[1]).zip(args[2]) {
                *out = f(x).mul_add(f(y), f(z)).to_bits().into();
            }
        }
        (Opcode::FAdd, Scalar::F32) => float2(args, out, |x, y| x + y),
        (Opcode::FSub, Scalar::F32) => float2(args, out, |x, y| x - y),
        (Opcode::FMul, Scalar::F32) => float2(args, out, |x, y| x * y),
        (Opcode::FDiv, Scalar::F32) => float2(args, out, |x, y| x / y),
        (Opcode::FMin, Scalar::F32) => float2(args, out, |x, y| if x < y { x } else { y }),
        (Opcode::FMax, Scalar::F32) => float2(args, out, |x, y| if x > y { x } else { y }),
        (Opcode::IAdd, Scalar::I32) => int2(args, out, u32::wrapping_add),
        (Opcode::ISub, Scalar::I32) => int2(args, out, u32::wrapping_sub),
        (Opcode::And, Scalar::I32) => int2(args, out, |x, y| x & y),
        (Opcode::Or, Scalar::I32) => int2(args, out, |x, y| x | y),
        (Opcode::Xor, Scalar::I32) => int2(args, out, |x, y| x ^ y),
        (Opcode::Shl, Scalar::I32) => int2(args, out, u32::wrapping_shl),
        (Opcode::Bitcast, _) => out.copy_from_slice(args[0]),
        (Opcode::Select, _) => {
            for (((out, &c), &x), &y) in out.iter_mut().zip(args[0]).zip(args[1]).zip(args[2]) {
                *out = if c != 0 { x } else { y };
            }
        }
        _ => {
            let mut operands = [0; 3];
            for (lane, out) in out.iter_mut().enumerate() {
                for (operand, arg) in operands.iter_mut().zip(args) {
                    *operand = arg[lane];
                }
                *out = pure(op, from, to, &operands[..args.len()], imm)
                    .unwrap_or_else(|| panic!("no meaning for {}", op.name()));
            }
        }
    }
}

/// The meaning of an operation on one lane, from the opcode's documentation.
pub fn pure(op: Opcode, from: Scalar, to: Scalar, args: &[u64], imm: u64) -> Option<u64> {
    use Opcode as O;
    let bits = from.bits();
    let mask = from.mask();
    let signed = |x: u64| ((x << (64 - bits)) as i64) >> (64 - bits);
    let x = args[0];
    let y = args.get(1).copied().unwrap_or(0);
    let amount = |y: u64| (y & u64::from(bits - 1)) as u32;
    let truth = u64::from;
    if from.is_float() && !matches!(op, O::Select | O::Bitcast) {
        return float(op, from, to, args, imm);
    }
    let wide = |signed: bool| {
        let (x, y) = if signed {
            (i128::from(((x << (64 - bits)) as i64) >> (64 - bits)), {
                i128::from(((y << (64 - bits)) as i64) >> (64 - bits))
            })
        } else {
            (i128::from(x), i128::from(y))
        };
        (x.wrapping_mul(y) >> bits) as u64
    };
    let result = match op {
        O::IAdd => x.wrapping_add(y),
        O::ISub => x.wrapping_sub(y),
        O::IMul => x.wrapping_mul(y),
        O::UMulHigh => ((u128::from(x) * u128::from(y)) >> bits) as u64,
        O::SMulHigh => wide(true),
        O::UDiv => x.checked_div(y).unwrap_or(u64::MAX),
        O::SDiv if y == 0 => u64::MAX,
        O::SDiv => signed(x).wrapping_div(signed(y)) as u64,
        O::URem => x.checked_rem(y).unwrap_or(x),
        O::SRem if y == 0 => x,
        O::SRem => signed(x).wrapping_rem(signed(y)) as u64,
        O::UMin => x.min(y),
        O::UMax => x.max(y),
        O::SMin => signed(x).min(signed(y)) as u64,
        O::SMax => signed(x).max(signed(y)) as u64,
        O::Shl => x << amount(y),
        O::LShr => x >> amount(y),
        O::AShr => (signed(x) >> amount(y)) as u64,
        O::And => x & y,
        O::Or => x | y,
        O::Xor => x ^ y,
        O::AndNot => x & !y,
        O::DotBytes => (0..64).step_by(16).fold(0, |sum, at| {
            let part = |byte: u32| (x >> (at + byte) & 255) as i64 * i64::from((y >> (at + byte)) as i8);
            let total = (part(0) + part(8)).clamp(-32768, 32767);
            sum + ((total as u64 & 0xffff) << at)
        }),
        O::DotFourBytes => (0..64).step_by(32).fold(0, |sum, at| {
            let part = |byte: u32| (x >> (at + byte) & 255) as i64 * i64::from((y >> (at + byte)) as i8);
            let total: i64 = (0..32).step_by(8).map(part).sum();
            sum + ((total as u64 & 0xffff_ffff) << at)
        }),
        O::DotHalves => (0..64).step_by(32).fold(0, |sum, at| {
            let part =
                |half: u32| i64::from((x >> (at + half)) as i16) * i64::from((y >> (at + half)) as i16);
            sum + (((part(0) + part(16)) as u64 & 0xffff_ffff) << at)
        }),
        O::ShuffleBytes => (0..bits).step_by(8).fold(0, |sum, at| {
            let number = y >> at & 255;
            let byte = x >> (8 * (number % u64::from(bits / 8))) & 255;
            sum + (if number < 128 { byte } else { 0 } << at)
        }),
        O::Not => !x,
        O::PopCount => x.count_ones().into(),
        O::CountLeadingZeros => u64::from(x.leading_zeros()) - u64::from(64 - bits),
        O::CountTrailingZeros => u64::from(x.trailing_zeros().min(bits)),
        O::BitReverse => x.reverse_bits() >> (64 - bits),
        O::IEq => return Some(truth(x == y)),
        O::INe => return Some(truth(x != y)),
        O::ULt => return Some(truth(x < y)),
        O::ULe => return Some(truth(x <= y)),
        O::SLt => return Some(truth(signed(x) < signed(y))),
        O::SLe => return Some(truth(signed(x) <= signed(y))),
        O::Select => return Some(if x != 0 { y } else { args[2] }),
        O::Truncate | O::ZeroExtend | O::Bitcast => return Some(x & to.mask()),
        O::SignExtend => return Some(signed(x) as u64 & to.mask()),
        O::SToF => return Some(int_to_float(i128::from(signed(x)), to)),
        O::UToF => return Some(int_to_float(i128::from(x), to)),
        O::FromBfloat => return Some(x << 16),
        _ => return None,
    };
    Some(result & mask)
}

fn int_to_float(x: i128, to: Scalar) -> u64 {
    match to {
        // Integers that f32 rounds are past the largest f16 or far from a tie of it.
        Scalar::F16 => half_bits(x as f64),
        Scalar::F32 => (x as f32).to_bits().into(),
        _ => (x as f64).to_bits(),
    }
}

/// An `f16`'s value.
pub fn half_value(bits: u64) -> f64 {
    half::f16::from_bits(bits as u16).to_f64()
}

/// An exact value rounded to `f16`.
pub fn half_bits(x: f64) -> u64 {
    half::f16::from_f64(x).to_bits().into()
}

fn float(op: Opcode, from: Scalar, to: Scalar, args: &[u64], imm: u64) -> Option<u64> {
    use Opcode as O;
    let value = |bits: u64| match from {
        Scalar::F16 => half_value(bits),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    let (x, y) = (value(args[0]), args.get(1).map_or(0.0, |&y| value(y)));
    let sign = 1u64 << (from.bits() - 1);
    // For f16 and f32, one f64 operation rounded once more is correctly rounded (double the precision plus
    // two bits) for sum, product, quotient and root; fma is done in the type itself.
    let round = |x: f64| match from {
        Scalar::F16 => half_bits(x),
        Scalar::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    };
    Some(match op {
        O::FAdd => round(x + y),
        O::FSub => round(x - y),
        O::FMul => round(x * y),
        O::FDiv => round(x / y),
        O::FMin => args[usize::from(x.partial_cmp(&y) != Some(std::cmp::Ordering::Less))],
        O::FMax => args[usize::from(x.partial_cmp(&y) != Some(std::cmp::Ordering::Greater))],
        O::FFma => match from {
            // The product of two f16 is exact in f64, and so is the sum unless the operands lie very far
            // apart, where the tests do not go.
            Scalar::F16 => round(x * y + value(args[2])),
            Scalar::F32 => {
                let [x, y, z] = [0, 1, 2].map(|i| f32::from_bits(args[i] as u32));
                x.mul_add(y, z).to_bits().into()
            }
            _ => x.mul_add(y, value(args[2])).to_bits(),
        },
        O::FNeg => args[0] ^ sign,
        O::FAbs => args[0] & !sign,
        O::FSqrt => round(x.sqrt()),
        O::FFloor => round(x.floor()),
        O::FCeil => round(x.ceil()),
        O::FTrunc => round(x.trunc()),
        O::FRound => round(x.round_ties_even()),
        O::FEq => u64::from(x == y),
        O::FNe => u64::from(x != y),
        O::FLt => u64::from(x < y),
        O::FLe => u64::from(x <= y),
        O::FConvert => match to {
            Scalar::F16 => {
                let rounded = half_bits(x);
                if imm == 1 && half_value(rounded).abs() > x.abs() { rounded - 1 } else { rounded }
            }
            Scalar::F32 => {
                let rounded = x as f32;
                let over = imm == 1 && f64::from(rounded).abs() > x.abs();
                u64::from(rounded.to_bits()) - u64::from(over)
            }
            _ => x.to_bits(),
        },
        O::FToS => {
            let bits = to.bits();
            let limit = 2f64.powi(bits as i32 - 1);
            let clamped = (x as i128).clamp(-(limit as i128), limit as i128 - 1);
            if x.is_nan() { 0 } else { clamped as u64 & to.mask() }
        }
        O::FToU => {
            if x.is_nan() {
                0
            } else {
                (x as u128).min(u128::from(to.mask())) as u64
            }
        }
        O::ToBfloat => half::bf16::from_f32(x as f32).to_bits().into(),
        _ => return None,
    })
}

/// Whether bits of this type are a NaN.
pub fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F16 => half_value(bits).is_nan(),
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}
