//! The machine that runs a decoded function: registers, memory and control flow of one call.

use crate::decode::{Edge, End, Program};
use crate::registers::Registers;
use pyro_abi::{Exit, Memory};
use pyro_ir::{Block, Value};

/// What handlers work on.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) registers: Registers,
    pub(crate) memory: Memory,
    /// The entry arguments.
    pub(crate) args: [u64; 3],
    pub(crate) lanes: usize,
    /// Chunks of a varying value.
    pub(crate) chunks: usize,
    /// The mask of all lanes.
    pub(crate) all: u64,
}

/// One call of a shader, standing before an instruction.
pub struct Execution<'p> {
    machine: Machine<'p>,
    /// Place of the block in the order, and of the next instruction in the block.
    block: usize,
    next: usize,
}

impl<'p> Execution<'p> {
    pub(crate) fn new(
        program: &'p Program,
        registers: Registers,
        memory: Memory,
        args: [u64; 3],
    ) -> Execution<'p> {
        let lanes = program.lanes;
        let machine = Machine {
            program,
            registers,
            memory,
            args,
            lanes,
            chunks: program.chunks,
            all: u64::MAX >> (64 - lanes),
        };
        Execution { machine, block: 0, next: 0 }
    }

    pub(crate) fn into_registers(self) -> Registers {
        self.machine.registers
    }

    /// Goes on to the end. [`Exit::Aborted`] after about `step_limit` instructions.
    pub fn run(&mut self, step_limit: u64) -> Exit {
        let program = self.machine.program;
        let mut left = step_limit;
        loop {
            let block = &program.blocks[self.block];
            left = match left.checked_sub(block.steps.len() as u64 + 1) {
                Some(left) => left,
                None => return Exit::Aborted,
            };
            for step in &block.steps[self.next.min(block.steps.len())..] {
                (step.handler)(&mut self.machine, step);
            }
            self.next = block.steps.len();
            if let Some(exit) = self.leave(&block.end) {
                return exit;
            }
        }
    }

    /// Executes one instruction or terminator; gives the exit when that ends the call.
    pub fn step(&mut self) -> Option<Exit> {
        let block = &self.machine.program.blocks[self.block];
        match block.steps.get(self.next) {
            Some(step) => {
                (step.handler)(&mut self.machine, step);
                self.next += 1;
                None
            }
            None => self.leave(&block.end),
        }
    }

    /// The block, and how many of its instructions have been executed (constants, casts of bits and other
    /// instructions that need no work are not stopped at, but counted).
    pub fn position(&self) -> (Block, usize) {
        let block = &self.machine.program.blocks[self.block];
        (block.block, block.steps.get(self.next).map_or(block.inst_count, |step| step.position as usize))
    }

    /// A value's bits, zero-extended: of all lanes, or one element for a uniform value. What a value holds
    /// before its definition has been executed means nothing.
    pub fn value(&self, value: Value) -> Vec<u64> {
        let place = self.machine.program.places[value];
        let count = if place.class == crate::registers::Class::Uniform { 1 } else { self.machine.lanes };
        (0..count).map(|lane| self.machine.registers.lane(place, lane)).collect()
    }

    /// Ends the block.
    fn leave(&mut self, end: &'p End) -> Option<Exit> {
        let word = |index: u32| self.machine.registers.words[index as usize];
        let edge = match end {
            End::Jump(edge) => edge,
            End::Branch { condition, then, otherwise } => {
                if word(*condition) != 0 {
                    then
                } else {
                    otherwise
                }
            }
            End::Switch { selector, cases, default } => {
                let selector = word(*selector);
                let case = cases.binary_search_by_key(&selector, |case| case.0);
                case.map_or(default, |index| &cases[index].1)
            }
            End::Exit(exit) => return Some(*exit),
        };
        self.machine.take(edge);
        (self.block, self.next) = (edge.block as usize, 0);
        None
    }
}

impl Machine<'_> {
    fn take(&mut self, edge: &Edge) {
        for step in &edge.moves {
            self.registers.copy(step.class, step.from, step.to, self.chunks);
        }
    }
}
