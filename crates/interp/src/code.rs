//! Functions decoded into steps.

use crate::InterpError;
use crate::lanes::{self, LaneFunction};
use pyro_ir::{
    Block, BlockCall, Form, Function, InstData, MemoryOp, Opcode, Scalar, Signature, Terminator, Type, Value,
};
use pyro_util::SecondaryMap;

/// The first word of a value in the register file.
pub(crate) type Register = u32;

/// An operand of a memory operation: its first word, and how far the next lane's is (0 for uniform).
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneOperand {
    pub(crate) register: Register,
    pub(crate) stride: u32,
}

/// Where an access goes and for which lanes.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) base: LaneOperand,
    pub(crate) offset: LaneOperand,
    pub(crate) displacement: u64,
    /// A mask, or, for a uniform access, a truth value: its one "lane" is the access.
    pub(crate) predicate: Register,
    /// Bytes of the scalar.
    pub(crate) bytes: u32,
    pub(crate) lane_count: u32,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A pure operation on `count` words.
    Pure {
        function: LaneFunction,
        dst: Register,
        args: [Register; 3],
        count: u32,
    },
    /// A pure operation without a function of its own.
    Reference {
        op: Opcode,
        from: Scalar,
        to: Scalar,
        imm: u64,
        dst: Register,
        args: Vec<Register>,
        count: u32,
    },
    /// A comparison of lanes: the results become bits.
    Compare {
        function: LaneFunction,
        dst: Register,
        args: [Register; 2],
        count: u32,
    },
    /// `dst = mask ? then : otherwise` lane by lane.
    Select {
        mask: Register,
        then: Register,
        otherwise: Register,
        dst: Register,
        count: u32,
    },
    /// Lanes from a mask's bits: this word where set, else 0.
    Expand {
        mask: Register,
        word: u64,
        dst: Register,
    },
    /// A logical operation on whole masks.
    Mask {
        op: Opcode,
        dst: Register,
        a: Register,
        b: Register,
    },
    Constant {
        dst: Register,
        bits: u64,
    },
    Arg {
        dst: Register,
        index: u64,
    },
    LaneId {
        dst: Register,
    },
    Clock {
        dst: Register,
    },
    Splat {
        dst: Register,
        src: Register,
    },
    /// A mask of all lanes or none.
    SplatMask {
        dst: Register,
        src: Register,
    },
    Any {
        dst: Register,
        mask: Register,
    },
    /// `ballot` and `mask_from_bits`: bits past the subgroup are cut off.
    Bits {
        dst: Register,
        src: Register,
    },
    LaneRead {
        dst: Register,
        src: Register,
        index: Register,
    },
    LaneReadMask {
        dst: Register,
        src: Register,
        index: Register,
    },
    Shuffle {
        dst: Register,
        src: Register,
        index: Register,
    },
    ShuffleMask {
        dst: Register,
        src: Register,
        index: Register,
    },
    Load {
        access: Access,
        dst: Register,
    },
    Store {
        access: Access,
        value: Register,
    },
    Atomic {
        op: Opcode,
        scalar: Scalar,
        access: Access,
        comparator: Register,
        value: Register,
        dst: Register,
    },
    Fence,
}

/// A jump: where to, and which words to copy first, all at once.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) block: u32,
    /// `(to, from, words)`.
    pub(crate) moves: Vec<(Register, Register, u32)>,
    /// Some destination is also a source.
    pub(crate) overlaps: bool,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Jump(Edge),
    Branch { condition: Register, then: Edge, otherwise: Edge },
    Switch { selector: Register, cases: Vec<(u64, Edge)>, default: Edge },
    Return(u32),
    Unreachable,
}

/// A decoded block.
#[derive(Clone, Debug)]
pub(crate) struct BlockCode {
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
}

/// A decoded function; block 0 is the entry.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) blocks: Vec<BlockCode>,
    pub(crate) register_count: usize,
    pub(crate) lanes: u32,
}

struct Decoder<'f> {
    function: &'f Function,
    registers: SecondaryMap<Value, u32>,
    numbers: SecondaryMap<Block, u32>,
}

/// Words that a value takes.
fn word_count(ty: Type, lanes: u32) -> u32 {
    if ty.is_varying() && ty.scalar != Scalar::I1 { lanes } else { 1 }
}

fn malformed<T>(what: impl Into<String>) -> Result<T, InterpError> {
    Err(InterpError::Malformed(what.into()))
}

impl Code {
    /// Decodes a function.
    pub(crate) fn decode(function: &Function) -> Result<Code, InterpError> {
        if function.form != Form::Mask {
            return malformed("the function is in lane form");
        }
        if !matches!(function.lanes, 4 | 8 | 16 | 32 | 64) || function.block_order.is_empty() {
            return malformed("no such subgroup size, or no blocks");
        }
        let mut registers = SecondaryMap::with_capacity(0, function.values.len());
        let mut register_count = 0u32;
        for (value, data) in function.values.iter() {
            registers[value] = register_count;
            register_count = match register_count.checked_add(word_count(data.ty, function.lanes)) {
                Some(count) => count,
                None => return malformed("too many values"),
            };
        }
        let mut numbers = SecondaryMap::with_capacity(u32::MAX, function.blocks.len());
        for (number, &block) in (0..).zip(&function.block_order) {
            numbers[block] = number;
        }
        let decoder = Decoder { function, registers, numbers };
        let blocks =
            function.block_order.iter().map(|&block| decoder.block(block)).collect::<Result<_, _>>()?;
        Ok(Code { blocks, register_count: register_count as usize, lanes: function.lanes })
    }
}

impl Decoder<'_> {
    fn block(&self, block: Block) -> Result<BlockCode, InterpError> {
        let data = &self.function.blocks[block];
        let steps =
            data.insts.iter().map(|&inst| self.step(&self.function.insts[inst])).collect::<Result<_, _>>()?;
        let end = match &data.terminator {
            Terminator::Jump(to) => End::Jump(self.edge(to)?),
            Terminator::Branch { condition, then, otherwise } => End::Branch {
                condition: self.registers[*condition],
                then: self.edge(then)?,
                otherwise: self.edge(otherwise)?,
            },
            Terminator::Switch { selector, cases, default } => End::Switch {
                selector: self.registers[*selector],
                cases: cases.iter().map(|(literal, to)| Ok((*literal, self.edge(to)?))).collect::<Result<
                    _,
                    InterpError,
                >>(
                )?,
                default: self.edge(default)?,
            },
            Terminator::Return(code) => End::Return(*code),
            Terminator::Unreachable => End::Unreachable,
            Terminator::None => return malformed(format!("{block} does not end")),
        };
        Ok(BlockCode { steps, end })
    }

    fn edge(&self, call: &BlockCall) -> Result<Edge, InterpError> {
        let params = &self.function.blocks[call.block].params;
        let block = self.numbers[call.block];
        if params.len() != call.args.len() || block == u32::MAX {
            return malformed(format!("a jump to {}", call.block));
        }
        let mut moves = Vec::new();
        for (&param, &arg) in params.iter().zip(&call.args) {
            if self.function.ty(param) != self.function.ty(arg) {
                return malformed(format!("{arg} for {param}"));
            }
            if param != arg {
                let count = word_count(self.function.ty(param), self.function.lanes);
                moves.push((self.registers[param], self.registers[arg], count));
            }
        }
        let overlaps = moves.iter().any(|&(to, ..)| moves.iter().any(|&(_, from, _)| from == to));
        Ok(Edge { block, moves, overlaps })
    }

    fn lane_operand(&self, value: Value) -> LaneOperand {
        LaneOperand { register: self.registers[value], stride: self.function.ty(value).is_varying().into() }
    }

    fn access(&self, inst: &InstData, scalar: Scalar) -> Result<Access, InterpError> {
        let predicate = inst.args[inst.args.len() - 1];
        let ty = self.function.ty(predicate);
        let (base, offset) = (self.lane_operand(inst.args[0]), self.lane_operand(inst.args[1]));
        if scalar == Scalar::I1 || ty.is_uniform() && (base.stride | offset.stride) != 0 {
            return malformed(format!("the shapes of {}", inst.op.name()));
        }
        Ok(Access {
            base,
            offset,
            displacement: i64::from(MemoryOp::from_imm(inst.imm).displacement) as u64,
            predicate: self.registers[predicate],
            bytes: scalar.bytes(),
            lane_count: if ty.is_uniform() { 1 } else { self.function.lanes },
        })
    }

    fn step(&self, inst: &InstData) -> Result<Step, InterpError> {
        let function = self.function;
        let register = |value: Value| self.registers[value];
        let arg = |index: usize| register(inst.args[index]);
        let result = inst.result.expand();
        let result_type = result.map_or(Type::uniform(Scalar::I1), |value| function.ty(value));
        let dst = result.map_or(0, register);
        let is_mask = |value: Value| function.ty(value) == Type::varying(Scalar::I1);
        let count = if result_type.is_varying() { function.lanes } else { 1 };
        Ok(match inst.op.signature() {
            Signature::Const => Step::Constant { dst, bits: inst.imm & result_type.scalar.mask() },
            Signature::Arg if inst.imm < 2 => Step::Arg { dst, index: inst.imm },
            Signature::LaneId => Step::LaneId { dst },
            Signature::Clock => Step::Clock { dst },
            Signature::Splat if result_type.scalar == Scalar::I1 => Step::SplatMask { dst, src: arg(0) },
            Signature::Splat => Step::Splat { dst, src: arg(0) },
            Signature::MaskReduce => Step::Any { dst, mask: arg(0) },
            Signature::MaskToBits | Signature::MaskFromBits => Step::Bits { dst, src: arg(0) },
            Signature::LaneRead if is_mask(inst.args[0]) => {
                Step::LaneReadMask { dst, src: arg(0), index: arg(1) }
            }
            Signature::LaneRead => Step::LaneRead { dst, src: arg(0), index: arg(1) },
            Signature::Shuffle if is_mask(inst.args[0]) => {
                Step::ShuffleMask { dst, src: arg(0), index: arg(1) }
            }
            Signature::Shuffle => Step::Shuffle { dst, src: arg(0), index: arg(1) },
            Signature::Load => Step::Load { access: self.access(inst, result_type.scalar)?, dst },
            Signature::Store => {
                let scalar = function.ty(inst.args[2]).scalar;
                Step::Store { access: self.access(inst, scalar)?, value: arg(2) }
            }
            Signature::Atomic | Signature::AtomicCompare => {
                let value = inst.args[inst.args.len() - 2];
                let scalar = function.ty(value).scalar;
                Step::Atomic {
                    op: inst.op,
                    scalar,
                    access: self.access(inst, scalar)?,
                    comparator: arg(2),
                    value: register(value),
                    dst,
                }
            }
            Signature::Effect if inst.op == Opcode::Fence => Step::Fence,
            Signature::BitUnary | Signature::BitBinary if is_mask(inst.args[0]) => {
                Step::Mask { op: inst.op, dst, a: arg(0), b: arg(inst.args.len() - 1) }
            }
            Signature::IntCompare if is_mask(inst.args[0]) => {
                Step::Mask { op: inst.op, dst, a: arg(0), b: arg(1) }
            }
            Signature::Select if is_mask(inst.args[0]) && !is_mask(inst.args[1]) => {
                Step::Select { mask: arg(0), then: arg(1), otherwise: arg(2), dst, count }
            }
            Signature::Select if is_mask(inst.args[0]) => {
                // (m & a) | (!m & b), on whole masks.
                Step::Pure { function: lanes::SELECT_BITS, dst, args: [arg(0), arg(1), arg(2)], count: 1 }
            }
            Signature::Extend if is_mask(inst.args[0]) => {
                let word = if inst.op == Opcode::SignExtend { result_type.scalar.mask() } else { 1 };
                Step::Expand { mask: arg(0), word, dst }
            }
            Signature::IntUnary
            | Signature::BitUnary
            | Signature::IntBinary
            | Signature::BitBinary
            | Signature::FloatUnary
            | Signature::FloatBinary
            | Signature::FloatTernary
            | Signature::IntCompare
            | Signature::FloatCompare
            | Signature::Select
            | Signature::Truncate
            | Signature::Extend
            | Signature::FloatToFloat
            | Signature::FloatToInt
            | Signature::IntToFloat
            | Signature::Bitcast
            | Signature::FromBfloat
            | Signature::ToBfloat => self.pure(inst, dst, result_type),
            _ => return malformed(format!("`{}` in mask form", inst.op.name())),
        })
    }

    fn pure(&self, inst: &InstData, dst: Register, result_type: Type) -> Step {
        let arg = |index: usize| self.registers[inst.args[index.min(inst.args.len() - 1)]];
        let from = self.function.ty(inst.args[inst.args.len() - 1]).scalar;
        let count = if self.function.ty(inst.args[0]).is_varying() { self.function.lanes } else { 1 };
        let compares = matches!(inst.op.signature(), Signature::IntCompare | Signature::FloatCompare);
        match lanes::function(inst.op, from, result_type.scalar, inst.imm) {
            Some(function) if compares && count > 1 => {
                Step::Compare { function, dst, args: [arg(0), arg(1)], count }
            }
            Some(function) => Step::Pure { function, dst, args: [arg(0), arg(1), arg(2)], count },
            None => Step::Reference {
                op: inst.op,
                from,
                to: result_type.scalar,
                imm: inst.imm,
                dst,
                args: inst.args.iter().map(|&arg| self.registers[arg]).collect(),
                count,
            },
        }
    }
}
