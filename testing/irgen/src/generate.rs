//! Random well-formed functions in mask form.
//!
//! # What makes a result comparable
//! A function always ends, accesses only the regions of [`crate::run`], and everything it does is defined but
//! for the bits of NaN that float arithmetic gives. The generator follows those bits: a value that may hold
//! such a NaN is *tainted*, as is what merely passes it on. Where bits would show (a store, a cast to an
//! integer) a tainted value is first made canonical. Only the memory of the float atomics holds NaN of
//! unspecified bits, and is compared accordingly.

use crate::idioms::{self, Idiom};
use crate::interesting::interesting;
use crate::run::{self, OUTPUT_COUNT, OUTPUT_STRIDE, REGION_BYTES, Region, float_area};
use pyro_abi::context::offset;
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Opcode, Scalar, Shape, Signature, Space, Terminator,
    Type, Value,
};
use pyro_random::Random;
use std::collections::HashSet;

/// What to make.
#[derive(Clone, Debug)]
pub struct Config {
    /// Lanes of the subgroup.
    pub lanes: u32,
    /// About how many operations to choose (control flow and addresses add more).
    pub size: u32,
    /// How deep control flow nests; 0 gives one block.
    pub depth: u32,
    /// The types of values, besides `i1` and those that addresses need (`i32`, `i64`).
    pub scalars: Vec<Scalar>,
    /// The operations to choose from (addresses and canonical NaN need a few more).
    pub ops: Vec<Opcode>,
}

impl Config {
    /// Everything.
    pub fn new(lanes: u32, size: u32) -> Config {
        let made = |op: &Opcode| {
            !matches!(
                op.signature(),
                Signature::Active
                    | Signature::SlotLoad
                    | Signature::SlotStore
                    | Signature::SlotCall
                    | Signature::Report
                    | Signature::Track
                    | Signature::Call
                    | Signature::Clock
            ) && *op != Opcode::Suspend
        };
        Config {
            lanes,
            size,
            depth: 3,
            scalars: Scalar::ALL.to_vec(),
            ops: Opcode::ALL.iter().copied().filter(made).collect(),
        }
    }
}

/// The function of a seed. The verifier accepts it.
pub fn generate(seed: u64, config: &Config) -> Function {
    let mut function = Function::new(format!("generated {seed}"), Form::Mask, config.lanes);
    let mut generator = Generator::new(&mut function, seed, config);
    generator.entry();
    generator.body(config.depth);
    generator.finish();
    function
}

/// A function that stores what an idiom gives with each of its constants, on operands from memory.
pub fn idiom_function(idiom: &Idiom, lanes: u32, shape: Shape) -> Function {
    let config = Config::new(lanes, 0);
    let name = format!("{} of {}, {lanes} lanes, {shape:?}", idiom.name, idiom.scalar.name());
    let mut function = Function::new(name, Form::Mask, lanes);
    let mut generator = Generator::new(&mut function, 0, &config);
    generator.entry();
    generator.pool.clear();
    let operands = [0, 1, 2].map(|index| generator.operand(idiom.scalar, shape, index));
    for &constant in idiom.constants.iter().take(OUTPUT_COUNT) {
        let result = idiom.emit(&mut generator.b, shape, operands, constant);
        generator.push_result(result);
    }
    generator.finish();
    function
}

struct Generator<'f> {
    b: Builder<'f>,
    random: Random,
    config: &'f Config,
    /// Those of the configuration's types.
    idioms: Vec<Idiom>,
    /// The types to choose from, without `i1`.
    scalars: Vec<Scalar>,
    /// Values that are defined here.
    pool: Vec<Value>,
    /// Values that may hold NaN of unspecified bits.
    tainted: HashSet<Value>,
    /// Base addresses by region.
    bases: [Option<Value>; Region::ALL.len()],
    /// The constant true.
    truth: Option<Value>,
    /// Operations still to choose.
    left: u32,
}

impl<'f> Generator<'f> {
    fn new(function: &'f mut Function, seed: u64, config: &'f Config) -> Generator<'f> {
        let scalars: Vec<Scalar> =
            config.scalars.iter().copied().filter(|&scalar| scalar != Scalar::I1).collect();
        let idioms = idioms::all();
        let fits = |idiom: &Idiom| {
            let made_of = |scalar: Scalar| scalars.contains(&scalar);
            made_of(idiom.scalar) && (idiom.name != "fraction" || made_of(Scalar::F32))
        };
        Generator {
            b: Builder::new(function),
            random: Random::new(seed),
            config,
            idioms: idioms.into_iter().filter(fits).collect(),
            scalars,
            pool: Vec::new(),
            tainted: HashSet::new(),
            bases: [None; Region::ALL.len()],
            truth: None,
            left: config.size,
        }
    }

    /// An operand from memory, another one for each index below 4.
    fn operand(&mut self, scalar: Scalar, shape: Shape, index: i32) -> Value {
        let memory = MemoryOp::new(Space::Constant).at(128 * index);
        let base = self.base(Region::Constant);
        let truth = self.truth.expect("made in the entry block");
        if shape == Shape::Uniform {
            let zero = self.b.i32(0);
            return self.b.load(scalar, memory, base, zero, truth);
        }
        let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
        let log = self.b.i32(scalar.bytes().trailing_zeros());
        let log = self.b.splat(log);
        let offset = self.b.op(Opcode::Shl, &[lane, log]);
        let truth = self.b.splat(truth);
        self.b.load(scalar, memory, base, offset, truth)
    }

    /// An idiom with one of its constants, on chosen operands.
    fn idiom(&mut self) {
        if self.idioms.is_empty() {
            return;
        }
        let index = self.random.below(self.idioms.len() as u64) as usize;
        let idiom = self.idioms[index].clone();
        let constant = self.random.pick(&idiom.constants);
        let shape = self.shape();
        let operands = [(); 3].map(|()| self.pick(Type { scalar: idiom.scalar, shape }));
        let result = idiom.emit(&mut self.b, shape, operands, constant);
        self.push_result(result);
    }

    /// Arithmetic may give any NaN.
    fn push_result(&mut self, result: Value) {
        if self.b.function.ty(result).scalar.is_float() {
            self.tainted.insert(result);
        }
        self.pool.push(result);
    }
}

impl Generator<'_> {
    fn entry(&mut self) {
        let block = self.b.function.make_block();
        self.b.start(block);
        let truth = self.b.bool(true);
        self.truth = Some(truth);
        let zero = self.b.i32(0);
        let context = MemoryOp::new(Space::Context);
        let dispatch = self.b.arg(0);
        let subgroup = self.b.arg(1);
        let set = self.b.load(Scalar::I64, context.at(offset::SETS as i32), dispatch, zero, truth);
        for region in Region::ALL {
            let (base, at) = match run::context_offset(region) {
                Some(offset) => (subgroup, offset as i32),
                None => (set, run::descriptor_offset(region)),
            };
            self.bases[region as usize] = Some(self.b.load(Scalar::I64, context.at(at), base, zero, truth));
        }
        let id = self.b.load(Scalar::I32, context.at(offset::SUBGROUP_ID as i32), subgroup, zero, truth);
        let active = self.b.load(Scalar::I64, context.at(offset::ACTIVE_LANES as i32), subgroup, zero, truth);
        let mask = self.b.op(Opcode::MaskFromBits, &[active]);
        let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
        self.pool.extend([mask, lane, id]);
        for scalar in self.scalars.clone() {
            let memory = MemoryOp::new(Space::Constant).at(64 * scalar as i32);
            let base = self.base(Region::Constant);
            let log = self.b.i32(scalar.bytes().trailing_zeros());
            let log = self.b.splat(log);
            let offset = self.b.op(Opcode::Shl, &[lane, log]);
            let truth = self.b.splat(truth);
            let varying = self.b.load(scalar, memory, base, offset, truth);
            self.pool.push(varying);
        }
    }

    fn base(&self, region: Region) -> Value {
        self.bases[region as usize].expect("made in the entry block")
    }

    /// Straight code and control flow, until the operations are used up or a while has passed.
    fn body(&mut self, depth: u32) {
        let steps = 2 + self.random.below(20);
        let mut step = 0;
        while self.left > 0 && (depth == self.config.depth || step < steps) {
            step += 1;
            self.left -= 1;
            match self.random.below(30) {
                0 if depth > 0 => self.selection(depth - 1),
                1 if depth > 0 => self.looped(depth - 1),
                2 if depth > 0 => self.switch(depth - 1),
                3..=5 => self.idiom(),
                _ => self.operation(),
            }
        }
    }

    fn shape(&mut self) -> Shape {
        if self.random.one_in(4) { Shape::Uniform } else { Shape::Varying }
    }

    fn scalar(&mut self) -> Scalar {
        if self.scalars.is_empty() { Scalar::I32 } else { self.random.pick(&self.scalars) }
    }

    /// A chosen type that the condition holds for.
    fn scalar_where(&mut self, condition: impl Fn(Scalar) -> bool) -> Option<Scalar> {
        let fine: Vec<Scalar> = self.scalars.iter().copied().filter(|&scalar| condition(scalar)).collect();
        (!fine.is_empty()).then(|| self.random.pick(&fine))
    }

    /// A value of this type: often one of the latest, sometimes a constant.
    fn pick(&mut self, ty: Type) -> Value {
        let found: Vec<Value> =
            self.pool.iter().copied().filter(|&value| self.b.function.ty(value) == ty).collect();
        if found.is_empty() || self.random.one_in(8) {
            let bits = interesting(&mut self.random, ty.scalar.bits());
            let constant = self.b.constant(ty.scalar, bits);
            return if ty.is_varying() { self.b.splat(constant) } else { constant };
        }
        let latest = found.len().saturating_sub(6);
        if self.random.one_in(3) { self.random.pick(&found) } else { self.random.pick(&found[latest..]) }
    }

    /// The same for an operation that shows the bits.
    fn pick_exact(&mut self, ty: Type) -> Value {
        let value = self.pick(ty);
        self.canonical(value)
    }

    /// `value` with every NaN replaced by one of known bits, if it needs that.
    fn canonical(&mut self, value: Value) -> Value {
        if !self.tainted.contains(&value) {
            return value;
        }
        let ty = self.b.function.ty(value);
        let bits = match ty.scalar {
            Scalar::F16 => 0x7e00,
            Scalar::F32 => 0x7fc0_0000,
            _ => 0x7ff8 << 48,
        };
        let nan = self.b.constant(ty.scalar, bits);
        let nan = if ty.is_varying() { self.b.splat(nan) } else { nan };
        let number = self.b.op(Opcode::FEq, &[value, value]);
        self.b.op(Opcode::Select, &[number, value, nan])
    }

    fn operation(&mut self) {
        let op = self.random.pick(&self.config.ops);
        let weight = match op.signature() {
            Signature::Const | Signature::Arg | Signature::LaneId | Signature::Effect => 5,
            _ => 1,
        };
        if !self.random.one_in(weight) {
            return self.operation_of(Opcode::IAdd);
        }
        self.operation_of(op);
    }

    fn operation_of(&mut self, op: Opcode) {
        let Some((value, tainted)) = self.make(op) else { return };
        self.pool.push(value);
        if tainted && self.b.function.ty(value).scalar.is_float() {
            self.tainted.insert(value);
        }
    }

    /// Emits an operation on chosen operands: its result, and whether that is tainted.
    #[allow(clippy::too_many_lines, reason = "one arm for each signature")]
    fn make(&mut self, op: Opcode) -> Option<(Value, bool)> {
        use Signature as S;
        let shape = self.shape();
        let ty = |scalar: Scalar| Type { scalar, shape };
        let bits_of = |scalar: Scalar| scalar.is_int() || scalar == Scalar::I1;
        Some(match op.signature() {
            S::Const => {
                let scalar = self.scalar();
                let bits = interesting(&mut self.random, scalar.bits());
                (self.b.constant(scalar, bits), false)
            }
            S::LaneId => (self.b.emit(op, &[], 0, Scalar::I32)?, false),
            S::IntUnary | S::IntBinary => {
                let scalar = self.scalar_where(Scalar::is_int)?;
                let args = self.pick_many(op, ty(scalar));
                (self.b.op(op, &args), false)
            }
            S::BitUnary | S::BitBinary | S::IntCompare => {
                let scalar = if self.random.one_in(3) { Scalar::I1 } else { self.scalar_where(bits_of)? };
                let args = self.pick_many(op, ty(scalar));
                (self.b.op(op, &args), false)
            }
            S::FloatUnary | S::FloatBinary | S::FloatTernary | S::FloatCompare => {
                let scalar = self.scalar_where(Scalar::is_float)?;
                let args = self.pick_many(op, ty(scalar));
                // These move bits, and show no NaN of their own.
                let moves = matches!(op, Opcode::FNeg | Opcode::FAbs | Opcode::FMin | Opcode::FMax);
                let tainted = !moves || args.iter().any(|arg| self.tainted.contains(arg));
                (self.b.op(op, &args), tainted)
            }
            S::Select => {
                let scalar = if self.random.one_in(6) { Scalar::I1 } else { self.scalar() };
                let condition = self.pick(ty(Scalar::I1));
                let [then, otherwise] = [0; 2].map(|_| self.pick(ty(scalar)));
                let tainted = [then, otherwise].iter().any(|arg| self.tainted.contains(arg));
                (self.b.op(op, &[condition, then, otherwise]), tainted)
            }
            S::Truncate => {
                let to = self.scalar_where(|scalar| scalar.is_int() && scalar != Scalar::I64)?;
                let from = self.scalar_where(|from| from.is_int() && from.bits() > to.bits())?;
                let arg = self.pick(ty(from));
                (self.b.convert(op, arg, to), false)
            }
            S::Extend => {
                let to = self.scalar_where(Scalar::is_int)?;
                let narrower = self.scalar_where(|from| from.is_int() && from.bits() < to.bits());
                let from = if self.random.one_in(3) { None } else { narrower }.unwrap_or(Scalar::I1);
                let arg = self.pick(ty(from));
                (self.b.convert(op, arg, to), false)
            }
            S::FloatToFloat => {
                let from = self.scalar_where(Scalar::is_float)?;
                let to = self.scalar_where(|to| to.is_float() && to != from)?;
                let arg = self.pick(ty(from));
                let rounding = self.random.below(2);
                (self.b.emit(op, &[arg], rounding, to)?, self.tainted.contains(&arg))
            }
            S::FloatToInt => {
                let (from, to) = (self.scalar_where(Scalar::is_float)?, self.scalar_where(Scalar::is_int)?);
                let arg = self.pick(ty(from));
                (self.b.convert(op, arg, to), false)
            }
            S::IntToFloat => {
                let (from, to) = (self.scalar_where(Scalar::is_int)?, self.scalar_where(Scalar::is_float)?);
                let arg = self.pick(ty(from));
                (self.b.convert(op, arg, to), false)
            }
            S::Bitcast => {
                let from = self.scalar();
                let to = self.scalar_where(|to| to.bits() == from.bits() && to != from)?;
                let arg = self.pick_exact(ty(from));
                (self.b.convert(op, arg, to), false)
            }
            S::FromBfloat => {
                let arg = self.pick(ty(Scalar::I16));
                (self.b.op(op, &[arg]), false)
            }
            S::ToBfloat => {
                let arg = self.pick_exact(ty(Scalar::F32));
                (self.b.op(op, &[arg]), false)
            }
            S::FromSrgb => {
                let arg = self.pick(ty(Scalar::I32));
                (self.b.op(op, &[arg]), false)
            }
            S::ToSrgb => {
                let arg = self.pick(ty(Scalar::F32));
                (self.b.op(op, &[arg]), false)
            }
            S::Splat => {
                let scalar = self.scalar();
                let arg = self.pick(Type::uniform(scalar));
                (self.b.splat(arg), self.tainted.contains(&arg))
            }
            S::MaskReduce | S::MaskToBits => {
                let arg = self.pick(Type::varying(Scalar::I1));
                (self.b.op(op, &[arg]), false)
            }
            S::MaskFromBits => {
                let arg = self.pick(Type::uniform(Scalar::I64));
                (self.b.op(op, &[arg]), false)
            }
            S::LaneRead | S::Shuffle => {
                let scalar = if self.random.one_in(8) { Scalar::I1 } else { self.scalar() };
                let value = self.pick(Type::varying(scalar));
                let index_shape = if op.signature() == S::Shuffle { Shape::Varying } else { Shape::Uniform };
                let index = self.pick(Type { scalar: Scalar::I32, shape: index_shape });
                (self.b.op(op, &[value, index]), self.tainted.contains(&value))
            }
            S::Load => {
                let scalar = self.scalar();
                let (base, offset, memory, predicate) = self.access(scalar, shape, false);
                (self.b.load(scalar, memory, base, offset, predicate), false)
            }
            S::Store => {
                let scalar = self.scalar();
                let value = self.pick_exact(ty(scalar));
                let (base, offset, mut memory, predicate) = self.access(scalar, shape, true);
                memory.streaming = memory.space == Space::Global && self.random.one_in(3);
                self.b.store(memory, base, offset, value, predicate);
                return None;
            }
            S::Atomic | S::AtomicCompare => return self.atomic(op),
            S::Effect => {
                self.b.effect(op, 0);
                return None;
            }
            S::Arg | S::Active | S::Clock | S::SlotLoad | S::SlotStore | S::SlotCall | S::Call => {
                return None;
            }
            // Lowered before anything runs.
            S::Report | S::Track => return None,
        })
    }

    fn pick_many(&mut self, op: Opcode, ty: Type) -> Vec<Value> {
        (0..op.arg_count()).map(|_| self.pick(ty)).collect()
    }

    /// Where an access of `shape` goes: base, offset, immediate and predicate. It stays inside its region
    /// for all lanes whose predicate holds.
    fn access(&mut self, scalar: Scalar, shape: Shape, writes: bool) -> (Value, Value, MemoryOp, Value) {
        let spaces = [
            (Region::Global, Space::Global),
            (Region::Shared, Space::Shared),
            (Region::Scratch, Space::Scratch),
            (Region::Frame, Space::Frame),
            (Region::Constant, Space::Constant),
        ];
        let (region, space) = self.random.pick(&spaces[..if writes { 4 } else { 5 }]);
        let bytes = scalar.bytes();
        // 64 lanes of 8 bytes, 256 bytes of anything, the displacement, and the access itself: at most 1,024.
        let mut displacement = self.random.below(240);
        let aligned = !self.random.one_in(6);
        let align = if aligned { bytes } else { 1 };
        displacement -= displacement % align as i32;
        let offset_shape = if self.random.one_in(4) { Shape::Uniform } else { shape };
        let offset_scalar = if self.random.one_in(4) { Scalar::I64 } else { Scalar::I32 };
        let offset_type = Type { scalar: offset_scalar, shape: offset_shape };
        let mut predicate = self.pick(Type { scalar: Scalar::I1, shape });
        if self.random.one_in(4) {
            let truth = self.truth.expect("made in the entry block");
            predicate = if shape == Shape::Varying { self.b.splat(truth) } else { truth };
        }
        let constant = |this: &mut Self, bits: u64| {
            let value = this.b.constant(offset_scalar, bits);
            if offset_shape == Shape::Varying { this.b.splat(value) } else { value }
        };
        let any = self.pick(offset_type);
        let offset = if offset_shape == shape && self.random.one_in(4) {
            // Any offset, checked against the bounds.
            let limit = constant(self, 1017 - 240);
            let inside = self.b.op(Opcode::ULt, &[any, limit]);
            predicate = self.b.op(Opcode::And, &[predicate, inside]);
            any
        } else {
            let mask = constant(self, 255 & !u64::from(align - 1));
            let mut offset = self.b.op(Opcode::And, &[any, mask]);
            if offset_type == Type::varying(Scalar::I32) && self.random.one_in(2) {
                // Lane-consecutive: one element after the other.
                let mut uniform = self.pick(Type::uniform(Scalar::I32));
                let mask = self.b.i32(255 & !(align - 1));
                uniform = self.b.op(Opcode::And, &[uniform, mask]);
                let uniform = self.b.splat(uniform);
                let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
                let log = self.b.i32(bytes.trailing_zeros());
                let log = self.b.splat(log);
                let lane = self.b.op(Opcode::Shl, &[lane, log]);
                offset = self.b.op(Opcode::IAdd, &[lane, uniform]);
            }
            offset
        };
        let mut base = self.base(region);
        if self.random.one_in(6) {
            // A base of its own, as from a device address; and the displacement negative.
            let step = self.b.i64(256);
            base = self.b.op(Opcode::IAdd, &[base, step]);
            displacement -= 256;
        }
        if shape == Shape::Varying && self.random.one_in(4) {
            base = self.b.splat(base);
        }
        let memory = MemoryOp {
            space,
            displacement,
            volatile: self.random.one_in(8),
            speculatable: !writes && self.random.one_in(8),
            pairs: false,
            apart: false,
            whole_pairs: false,
            streaming: false,
            deferrable: false,
        };
        (base, offset, memory, predicate)
    }

    fn atomic(&mut self, op: Opcode) -> Option<(Value, bool)> {
        let float = matches!(op, Opcode::AtomicFAdd | Opcode::AtomicFMin | Opcode::AtomicFMax)
            || op == Opcode::AtomicExchange && self.random.one_in(3);
        let scalar = self.scalar_where(if float { Scalar::is_float } else { Scalar::is_int })?;
        let varying = Type::varying;
        let value = self.pick_exact(varying(scalar));
        let predicate = self.pick(varying(Scalar::I1));
        // Few addresses, so that lanes meet.
        let index = self.pick(varying(Scalar::I32));
        let mask = if self.random.one_in(2) { 1 } else { 15 };
        let mask = self.b.i32(mask * scalar.bytes());
        let mask = self.b.splat(mask);
        let mut offset = self.b.op(Opcode::And, &[index, mask]);
        if self.random.one_in(4) {
            offset = self.b.i32(scalar.bytes());
        }
        let (region, space, displacement) = match () {
            () if float => (Region::Floats, Space::Global, float_area(scalar).0 as i32),
            () if self.random.one_in(2) => (Region::Shared, Space::Shared, 256),
            () => (Region::Global, Space::Global, 512),
        };
        let base = self.base(region);
        let imm = MemoryOp::new(space).at(displacement).to_imm();
        let result = if op == Opcode::AtomicCompareExchange {
            let comparator = self.pick_exact(varying(scalar));
            self.b.emit(op, &[base, offset, comparator, value, predicate], imm, scalar)?
        } else {
            self.b.emit(op, &[base, offset, value, predicate], imm, scalar)?
        };
        Some((result, true))
    }

    /// Types for the parameters of a block.
    fn param_types(&mut self) -> Vec<Type> {
        let count = self.random.below(4);
        let one = |this: &mut Self| {
            let shape = this.shape();
            let scalar = if this.random.one_in(5) { Scalar::I1 } else { this.scalar() };
            Type { scalar, shape }
        };
        (0..count).map(|_| one(self)).collect()
    }

    fn add_params(&mut self, block: Block, types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.b.function.add_param(block, ty)).collect()
    }

    fn pick_args(&mut self, types: &[Type]) -> Vec<Value> {
        types.iter().map(|&ty| self.pick(ty)).collect()
    }

    /// Parameters may hold whatever any jump brings, and jumps are made later: so floats are tainted.
    fn push_params(&mut self, params: &[Value]) {
        for &param in params {
            if self.b.function.ty(param).scalar.is_float() {
                self.tainted.insert(param);
            }
            self.pool.push(param);
        }
    }

    /// A uniform condition: often whether some mask has any lane, as skips of masked code have it.
    fn condition(&mut self) -> Value {
        if self.random.one_in(2) {
            return self.pick(Type::uniform(Scalar::I1));
        }
        let mask = self.pick(Type::varying(Scalar::I1));
        self.b.op(Opcode::Any, &[mask])
    }

    /// The blocks of a construct, each filled and jumping to `merge`; the values they define are forgotten.
    fn arms(&mut self, arms: &[Block], merge: Block, types: &[Type], depth: u32) {
        for &arm in arms {
            let known = self.pool.len();
            self.b.start(arm);
            self.body(depth);
            let args = self.pick_args(types);
            self.b.jump(merge, &args);
            self.pool.truncate(known);
        }
    }

    fn selection(&mut self, depth: u32) {
        let types = self.param_types();
        let condition = self.condition();
        let merge = self.b.function.make_block();
        let params = self.add_params(merge, &types);
        let then = self.b.function.make_block();
        let direct = BlockCall::new(merge, &self.pick_args(&types));
        match self.random.below(4) {
            // Both ways at once to the same place.
            0 => {
                let other = BlockCall::new(merge, &self.pick_args(&types));
                self.b.branch(condition, direct, other);
            }
            1 => {
                self.b.branch(condition, BlockCall::new(then, &[]), direct);
                self.arms(&[then], merge, &types, depth);
            }
            _ => {
                let otherwise = self.b.function.make_block();
                self.b.branch(condition, BlockCall::new(then, &[]), BlockCall::new(otherwise, &[]));
                self.arms(&[then, otherwise], merge, &types, depth);
            }
        }
        self.b.start(merge);
        self.push_params(&params);
    }

    fn switch(&mut self, depth: u32) {
        let Some(scalar) = self.scalar_where(Scalar::is_int) else { return };
        let mut selector = self.pick(Type::uniform(scalar));
        if self.random.one_in(2) {
            let mask = self.random.pick(&[3, 15]);
            let mask = self.b.constant(scalar, mask);
            selector = self.b.op(Opcode::And, &[selector, mask]);
        }
        let types = self.param_types();
        let merge = self.b.function.make_block();
        let params = self.add_params(merge, &types);
        let all = scalar.mask();
        let mut literals: Vec<u64> = vec![0, 1, 3, all, 77, 12, 7, all >> 1, 2, all ^ all >> 1, 9, 100];
        literals.truncate(1 + self.random.below(12) as usize);
        let mut arms: Vec<Block> =
            (0..1 + self.random.below(3)).map(|_| self.b.function.make_block()).collect();
        let target = |this: &mut Self| match this.random.below(4) {
            0 => BlockCall::new(merge, &this.pick_args(&types)),
            _ => BlockCall::new(this.random.pick(&arms), &[]),
        };
        let cases: Vec<(u64, BlockCall)> = literals.iter().map(|&literal| (literal, target(self))).collect();
        let default = target(self);
        // Only what is jumped to is filled.
        let terminator = Terminator::Switch { selector, cases, default };
        arms.retain(|&arm| terminator.targets().any(|call| call.block == arm));
        self.b.terminate(terminator);
        self.arms(&arms, merge, &types, depth);
        self.b.start(merge);
        self.push_params(&params);
    }

    fn looped(&mut self, depth: u32) {
        let count = 1 + self.random.below(4) as u32;
        let count = self.b.i32(count);
        let zero = self.b.i32(0);
        let types = self.param_types();
        let header = self.b.function.make_block();
        let counter = self.b.function.add_param(header, Type::uniform(Scalar::I32));
        let params = self.add_params(header, &types);
        let exit_types = self.param_types();
        let exit = self.b.function.make_block();
        let exit_params = self.add_params(exit, &exit_types);
        let mut args = vec![zero];
        args.extend(self.pick_args(&types));
        self.b.jump(header, &args);
        self.b.start(header);
        let known = self.pool.len();
        self.pool.push(counter);
        self.push_params(&params);
        self.body(depth);
        if self.random.one_in(3) {
            // A break in the middle.
            let rest = self.b.function.make_block();
            let condition = self.condition();
            let left = BlockCall::new(exit, &self.pick_args(&exit_types));
            self.b.branch(condition, left, BlockCall::new(rest, &[]));
            self.b.start(rest);
            self.body(depth);
        }
        let one = self.b.i32(1);
        let next = self.b.op(Opcode::IAdd, &[counter, one]);
        let again = self.b.op(Opcode::ULt, &[next, count]);
        // Parameters often go round permuted.
        let mut args = vec![next];
        for &ty in &types {
            let same: Vec<Value> =
                params.iter().copied().filter(|&param| self.b.function.ty(param) == ty).collect();
            args.push(if self.random.one_in(2) { self.random.pick(&same) } else { self.pick(ty) });
        }
        let back = BlockCall::new(header, &args);
        let left = BlockCall::new(exit, &self.pick_args(&exit_types));
        self.b.branch(again, back, left);
        self.pool.truncate(known);
        self.b.start(exit);
        self.push_params(&exit_params);
    }

    /// Stores the latest values where they are compared.
    fn finish(&mut self) {
        let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).expect("gives a result");
        let truth = self.truth.expect("made in the entry block");
        let truths = self.b.splat(truth);
        let base = self.base(Region::Output);
        let zero = self.b.i32(0);
        let values: Vec<Value> = self.pool.iter().rev().copied().take(OUTPUT_COUNT).collect();
        for (index, value) in values.into_iter().enumerate() {
            let ty = self.b.function.ty(value);
            let memory = MemoryOp::new(Space::Global).at((index * OUTPUT_STRIDE) as i32);
            if ty.is_varying() && ty.scalar == Scalar::I1 {
                let bits = self.b.op(Opcode::Ballot, &[value]);
                self.b.store(memory, base, zero, bits, truth);
                continue;
            }
            let mut value = self.canonical(value);
            let mut scalar = ty.scalar;
            if scalar == Scalar::I1 {
                value = self.b.convert(Opcode::ZeroExtend, value, Scalar::I32);
                scalar = Scalar::I32;
            }
            if ty.is_uniform() {
                self.b.store(memory, base, zero, value, truth);
                continue;
            }
            let log = self.b.i32(scalar.bytes().trailing_zeros());
            let log = self.b.splat(log);
            let offset = self.b.op(Opcode::Shl, &[lane, log]);
            self.b.store(memory, base, offset, value, truths);
        }
        let code = self.random.below(2) as u32;
        self.b.terminate(Terminator::Return(code));
    }
}

const _: () = assert!(63 * 8 + 255 + 240 + 8 <= REGION_BYTES && 1017 - 240 + 240 + 7 <= REGION_BYTES);
