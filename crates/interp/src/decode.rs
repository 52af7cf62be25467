//! Decoding: a function becomes a list of steps, each a handler with the places of its operands.

use crate::InterpError;
use crate::machine::Machine;
use crate::ops;
use crate::registers::{Class, Place, Registers, WIDTH, fill};
use pyro_abi::Exit;
use pyro_ir::{Block, BlockCall, Function, Inst, Opcode, Scalar, Signature, Terminator, Value};
use pyro_util::SecondaryMap;

/// Does a step.
pub(crate) type Handler = for<'m, 'p, 's> fn(&'m mut Machine<'p>, &'s Step);

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) handler: Handler,
    /// The result's chunk or word.
    pub(crate) dst: u32,
    /// The operands' chunks or words.
    pub(crate) args: [u32; 5],
    /// What the handler needs of the immediate: for memory operations the displacement, sign-extended.
    pub(crate) imm: u64,
    /// How addresses are made, for memory operations.
    pub(crate) address: AddressKind,
    /// Which of [`Program::details`] it is, for handlers that want to know.
    pub(crate) detail: u32,
    /// Its place among the block's instructions.
    pub(crate) position: u32,
}

/// Which parts of an address differ from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressKind {
    pub(crate) base_varies: bool,
    /// [`Class::Uniform`], [`Class::W32`] or [`Class::W64`].
    pub(crate) offset: Class,
}

/// All about an instruction, for handlers of uncommon operations.
#[derive(Clone, Debug)]
pub(crate) struct Detail {
    pub(crate) op: Opcode,
    /// The last operand's type.
    pub(crate) from: Scalar,
    /// The result's type.
    pub(crate) to: Scalar,
    pub(crate) imm: u64,
    pub(crate) dst: Option<Place>,
    pub(crate) args: Vec<Place>,
}

/// A copy on an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Move {
    pub(crate) class: Class,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// A jump: where to, and what to copy first, in order.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) block: u32,
    pub(crate) moves: Vec<Move>,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Jump(Edge),
    Branch {
        condition: u32,
        then: Edge,
        otherwise: Edge,
    },
    /// Cases are in the literals' order.
    Switch {
        selector: u32,
        cases: Vec<(u64, Edge)>,
        default: Edge,
    },
    Exit(Exit),
}

/// A decoded block.
#[derive(Clone, Debug)]
pub(crate) struct BlockCode {
    pub(crate) block: Block,
    pub(crate) steps: Vec<Step>,
    pub(crate) inst_count: usize,
    pub(crate) end: End,
}

/// A decoded function; block 0 is the entry.
pub(crate) struct Program {
    pub(crate) blocks: Vec<BlockCode>,
    pub(crate) details: Vec<Detail>,
    pub(crate) places: SecondaryMap<Value, Place>,
    /// What every call starts with: constants, and values that depend on nothing else, are in place.
    pub(crate) registers: Registers,
    pub(crate) lanes: usize,
    pub(crate) chunks: usize,
}

struct Decoder<'f> {
    function: &'f Function,
    program: Program,
    numbers: SecondaryMap<Block, u32>,
}

/// A place that no value has.
const NOWHERE: Place = Place { class: Class::Uniform, index: u32::MAX };

impl Program {
    /// Decodes a function that the verifier accepts.
    pub(crate) fn decode(function: &Function) -> Result<Program, InterpError> {
        let lanes = function.lanes as usize;
        let program = Program {
            blocks: Vec::new(),
            details: Vec::new(),
            places: SecondaryMap::with_capacity(NOWHERE, function.values.len()),
            registers: Registers::default(),
            lanes,
            chunks: lanes.div_ceil(WIDTH),
        };
        let mut numbers = SecondaryMap::with_capacity(u32::MAX, function.blocks.len());
        for (number, &block) in (0..).zip(&function.block_order) {
            numbers[block] = number;
        }
        let mut decoder = Decoder { function, program, numbers };
        decoder.place_values()?;
        for &block in &function.block_order {
            let code = decoder.block(block)?;
            decoder.program.blocks.push(code);
        }
        Ok(decoder.program)
    }
}

impl Decoder<'_> {
    /// Gives every value a place, and constants their bits.
    fn place_values(&mut self) -> Result<(), InterpError> {
        let function = self.function;
        for &block in &function.block_order {
            for &param in &function.blocks[block].params {
                self.place(param)?;
            }
            for &inst in &function.blocks[block].insts {
                if let Some(result) = function.insts[inst].result.expand() {
                    self.place(result)?;
                }
            }
        }
        // The bits of a cast lie where its operand lies: registers are written once for each definition, so
        // the operand is still there wherever the cast is used. Casts come after their operands in some order
        // of the blocks only, so follow chains.
        for &block in &function.block_order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                if data.op == Opcode::Bitcast {
                    let mut source = data.args[0];
                    while let Some(cast) = function.def_inst(source).filter(|def| def.op == Opcode::Bitcast) {
                        source = cast.args[0];
                    }
                    self.program.places[data.expect_result()] = self.program.places[source];
                }
            }
        }
        Ok(())
    }

    fn place(&mut self, value: Value) -> Result<(), InterpError> {
        let function = self.function;
        let ty = function.ty(value);
        let registers = &mut self.program.registers;
        let place = registers.allocate(Class::of(ty), self.program.chunks).ok_or(InterpError::TooLarge)?;
        self.program.places[value] = place;
        if let Some(bits) = function.const_bits(value) {
            fill(registers, place, ty.scalar, bits, self.program.lanes);
        }
        if function.def_inst(value).is_some_and(|def| def.op == Opcode::LaneId) {
            (0..self.program.lanes).for_each(|lane| registers.set_lane(place, lane, lane as u64));
        }
        Ok(())
    }

    fn index(&self, value: Value) -> u32 {
        self.program.places[value].index
    }

    fn block(&mut self, block: Block) -> Result<BlockCode, InterpError> {
        let function = self.function;
        let data = &function.blocks[block];
        let mut steps = Vec::new();
        for (position, &inst) in data.insts.iter().enumerate() {
            steps.extend(self.step(inst, position as u32));
        }
        let end = match &data.terminator {
            Terminator::Jump(to) => End::Jump(self.edge(to)?),
            Terminator::Branch { condition, then, otherwise } => End::Branch {
                condition: self.index(*condition),
                then: self.edge(then)?,
                otherwise: self.edge(otherwise)?,
            },
            Terminator::Switch { selector, cases, default } => {
                let mut decoded = Vec::with_capacity(cases.len());
                for (literal, to) in cases {
                    decoded.push((*literal, self.edge(to)?));
                }
                decoded.sort_by_key(|case| case.0);
                End::Switch { selector: self.index(*selector), cases: decoded, default: self.edge(default)? }
            }
            Terminator::Return(code) => {
                End::Exit(Exit::from_code(*code).ok_or(InterpError::ExitCode(*code))?)
            }
            // Nothing defined comes here; giving up is the least surprising.
            Terminator::Unreachable | Terminator::None => End::Exit(Exit::Aborted),
        };
        Ok(BlockCode { block, steps, inst_count: data.insts.len(), end })
    }

    /// All values of an edge are copied as if at once: through copies of their own where a parameter of the
    /// target is also an argument.
    fn edge(&mut self, call: &BlockCall) -> Result<Edge, InterpError> {
        let function = self.function;
        let mut moves = Vec::new();
        for (&param, &arg) in function.blocks[call.block].params.iter().zip(&call.args) {
            let (to, from) = (self.program.places[param], self.program.places[arg]);
            if to != from {
                moves.push(Move { class: to.class, from: from.index, to: to.index });
            }
        }
        let same = |a: &Move, b: &Move| {
            let words = |class: Class| matches!(class, Class::Uniform | Class::Mask);
            a.to == b.from && (a.class == b.class || words(a.class) && words(b.class))
        };
        // A destination that a later move reads. Argument lists are short: all pairs are looked at, but
        // only as long as that is cheap.
        let overlaps = moves.len() > 64
            || moves
                .iter()
                .enumerate()
                .any(|(index, early)| moves[index + 1..].iter().any(|late| same(early, late)));
        if overlaps {
            let mut out = Vec::with_capacity(moves.len());
            for step in &mut moves {
                let copy = self.program.registers.allocate(step.class, self.program.chunks);
                let copy = copy.ok_or(InterpError::TooLarge)?.index;
                out.push(Move { class: step.class, from: step.from, to: copy });
                step.from = copy;
            }
            out.extend(moves);
            moves = out;
        }
        Ok(Edge { block: self.numbers[call.block], moves })
    }

    /// The step of an instruction, if it needs one.
    fn step(&mut self, inst: Inst, position: u32) -> Option<Step> {
        let function = self.function;
        let data = &function.insts[inst];
        let result = data.result.expand();
        let is_ready = match data.op {
            Opcode::Const | Opcode::LaneId | Opcode::Bitcast => true,
            _ => result.is_some_and(|value| function.const_bits(value).is_some()),
        };
        if is_ready {
            return None;
        }
        let dst = result.map(|value| self.program.places[value]);
        let places: Vec<Place> = data.args.iter().map(|&arg| self.program.places[arg]).collect();
        let mut args = [0; 5];
        for (arg, place) in args.iter_mut().zip(&places) {
            *arg = place.index;
        }
        let mut address = AddressKind { base_varies: false, offset: Class::Uniform };
        let mut imm = data.imm;
        if data.op.is_memory() {
            address = AddressKind { base_varies: places[0].class != Class::Uniform, offset: places[1].class };
            imm = i64::from(pyro_ir::MemoryOp::from_imm(data.imm).displacement) as u64;
        }
        let scalar = |value: Value| function.ty(value).scalar;
        // What is loaded or stored decides the handler of memory operations, the last operand of others.
        let from = match data.op.signature() {
            Signature::Load => scalar(result?),
            Signature::Store | Signature::Atomic | Signature::AtomicCompare => scalar(data.args[2]),
            _ => data.args.last().map_or(Scalar::I1, |&arg| scalar(arg)),
        };
        let detail = Detail {
            op: data.op,
            from,
            to: result.map_or(Scalar::I1, scalar),
            imm: data.imm,
            dst,
            args: places,
        };
        let handler = ops::handler(&detail);
        self.program.details.push(detail);
        Some(Step {
            handler,
            dst: dst.map_or(0, |place| place.index),
            args,
            imm,
            address,
            detail: self.program.details.len() as u32 - 1,
            position,
        })
    }
}
