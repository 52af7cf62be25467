//! Blocks, terminators, and the state that selection resets for each block.

use super::uniform::Right;
use super::{Selector, Unsupported};
use crate::asm::{Condition, Size};
use crate::machine::Kind;
use crate::machine::inst::BlockData;
use pyro_ir::{Block, BlockCall, Opcode, Terminator, Value};
use pyro_util::SecondaryMap;
use regalloc2::{Operand, VReg};

/// Numbers of machine blocks: those of IR blocks first known, and edges made on the way.
struct Layout {
    numbers: SecondaryMap<Block, u32>,
}

/// What a branch tests.
enum Test {
    /// A register that is not zero.
    NotZero(VReg),
    Compare(Condition, Size, VReg, Right),
}

impl Selector<'_> {
    /// All blocks in order. An edge to a block with parameters or other predecessors gets a block of its own,
    /// where register allocation can put moves.
    pub(super) fn blocks(&mut self) -> Result<(), Unsupported> {
        let function = self.function;
        self.fold();
        // Numbers are handed out up front: every block, followed by the blocks of its outgoing edges.
        let mut numbers = SecondaryMap::with_capacity(u32::MAX, function.blocks.len());
        let mut next = 0;
        for &block in &function.block_order {
            numbers[block] = next;
            next += 1 + extra_blocks(&function.blocks[block].terminator);
        }
        let layout = Layout { numbers };
        let mut position = SecondaryMap::with_capacity(u32::MAX, function.blocks.len());
        for (index, &block) in function.block_order.iter().enumerate() {
            position[block] = index as u32;
        }
        let mut loops = SecondaryMap::with_capacity(false, function.blocks.len());
        for (index, &block) in function.block_order.iter().enumerate() {
            for target in function.blocks[block].terminator.targets() {
                if position[target.block] <= index as u32 {
                    loops[target.block] = true;
                }
            }
        }
        self.code.blocks = vec![BlockData::default(); next as usize];
        for &block in &function.block_order {
            let number = layout.numbers[block];
            self.start_block(number);
            self.offsets.clear();
            self.products.clear();
            self.guarded_places.clear();
            self.lane_masks.clear();
            self.srgb_values.clear();
            self.shared_windows.start_block(block);
            self.prefetched.clear();
            if self.repeats {
                self.pinned_constants.choose(function, block);
            }
            self.code.blocks[number as usize].is_loop = loops[block];
            if number == 0 {
                self.entry();
            } else {
                for &param in &function.blocks[block].params {
                    if self.is_in_lanes(param) {
                        let registers = self.lane_registers(param);
                        self.code.blocks[number as usize].params.extend_from_slice(&registers);
                        continue;
                    }
                    let registers = self.registers(param);
                    self.code.blocks[number as usize].params.extend_from_slice(&registers);
                }
            }
            for &inst in &function.blocks[block].insts {
                self.shared_windows.pass(&function.insts[inst]);
                self.inst(inst)?;
            }
            self.terminator(&function.blocks[block].terminator, number, &layout);
        }
        self.predecessors();
        Ok(())
    }

    /// The function's arguments.
    fn entry(&mut self) {
        let [first, second] = self.arguments;
        let places = self.argument_registers();
        let operands = [Operand::reg_fixed_def(first, places[0]), Operand::reg_fixed_def(second, places[1])];
        self.push(Kind::Args, &operands);
        self.clear_pending_atomics();
    }

    fn start_block(&mut self, number: u32) {
        self.made.clear();
        self.neon.start_block();
        self.pinned_constants.start();
        self.mask_concats.start();
        self.code.blocks[number as usize].start = self.code.insts.len() as u32;
    }

    fn end_block(&mut self, number: u32) {
        self.code.blocks[number as usize].end = self.code.insts.len() as u32;
    }

    fn successor(&mut self, number: u32, to: u32, arguments: Vec<VReg>) {
        let data = &mut self.code.blocks[number as usize];
        data.successors.push(regalloc2::Block::new(to as usize));
        data.arguments.push(arguments);
    }

    fn predecessors(&mut self) {
        for number in 0..self.code.blocks.len() {
            for successor in self.code.blocks[number].successors.clone() {
                let data = &mut self.code.blocks[successor.index()];
                data.predecessors.push(regalloc2::Block::new(number));
            }
        }
    }

    fn test(&mut self, condition: Value) -> Test {
        if self.folded[condition]
            && let Some(data) = self.def(condition)
        {
            let data = data.clone();
            if data.op == Opcode::Any && self.has_short_vectors() {
                return Test::NotZero(self.any_lane(data.args[0]));
            }
            if data.op == Opcode::Any {
                let mask = self.one(data.args[0]);
                let bits = self.mask_bits(mask);
                return Test::Compare(Condition::NotEqual, Size::S64, bits, Right::Immediate(0));
            }
            let scalar = self.ty(data.args[0]).scalar;
            let (condition, size, a, b) = self.comparison(data.op, scalar, data.args[0], data.args[1]);
            return Test::Compare(condition, size, a, b);
        }
        Test::NotZero(self.one(condition))
    }

    fn branch(&mut self, test: Test, then: u32, otherwise: u32) {
        match test {
            Test::NotZero(register) => {
                self.push(Kind::Branch(then, otherwise), &[Operand::reg_use(register)]);
            }
            Test::Compare(condition, size, a, Right::Immediate(value)) => {
                let kind = Kind::BranchCompareImm(condition, size, value, then, otherwise);
                self.push(kind, &[Operand::reg_use(a)]);
            }
            Test::Compare(condition, size, a, Right::Register(b)) => {
                let kind = Kind::BranchCompare(condition, size, then, otherwise);
                self.push(kind, &[Operand::reg_use(a), Operand::reg_use(b)]);
            }
        }
    }

    /// A block that only goes on to a target with its arguments.
    fn edge(&mut self, number: u32, call: &BlockCall, layout: &Layout) {
        self.start_block(number);
        self.jump(number, call, layout);
        self.end_block(number);
    }

    fn jump(&mut self, number: u32, call: &BlockCall, layout: &Layout) {
        let mut arguments = Vec::with_capacity(call.args.len());
        for &arg in &call.args {
            if self.is_in_lanes(arg) {
                arguments.extend_from_slice(&self.lanes_of(arg));
                continue;
            }
            arguments.extend_from_slice(&self.used(arg));
        }
        let to = layout.numbers[call.block];
        self.push(Kind::Jump(to), &[]);
        self.successor(number, to, arguments);
    }

    fn terminator(&mut self, terminator: &Terminator, number: u32, layout: &Layout) {
        self.frame_top = 0;
        match terminator {
            Terminator::Jump(call) => {
                self.jump(number, call, layout);
                self.end_block(number);
            }
            Terminator::Branch { condition, then, otherwise } => {
                let test = self.test(*condition);
                let (first, second) = (number + 1, number + 2);
                self.branch(test, first, second);
                self.successor(number, first, Vec::new());
                self.successor(number, second, Vec::new());
                self.end_block(number);
                self.edge(first, then, layout);
                self.edge(second, otherwise, layout);
            }
            Terminator::Switch { selector, cases, default } => {
                self.switch(*selector, cases, default, number, layout);
            }
            Terminator::Return(code) => {
                self.flush_pending_atomics();
                self.push(Kind::Return(*code), &[]);
                self.end_block(number);
            }
            Terminator::Unreachable | Terminator::None => {
                self.push(Kind::Trap, &[]);
                self.end_block(number);
            }
        }
    }

    /// Few cases are asked for one after the other, in their order; of many, halves are told apart first.
    fn switch(
        &mut self,
        selector: Value,
        cases: &[(u64, BlockCall)],
        default: &BlockCall,
        number: u32,
        layout: &Layout,
    ) {
        let scalar = self.ty(selector).scalar;
        let size = if scalar.bits() == 64 { Size::S64 } else { Size::S32 };
        let register = self.one(selector);
        let mut cases: Vec<&(u64, BlockCall)> = cases.iter().collect();
        if cases.len() > CASES_IN_A_ROW {
            cases.sort_by_key(|(literal, _)| *literal);
        }
        self.search((size, register), &cases, default, number, layout);
    }

    /// The cases of a switch from the block `number` on, which has been started.
    fn search(
        &mut self,
        (size, register): (Size, VReg),
        cases: &[&(u64, BlockCall)],
        default: &BlockCall,
        number: u32,
        layout: &Layout,
    ) {
        let right = |this: &mut Self, literal: u64| {
            let immediate = match size {
                Size::S32 => Some(literal as u32 as i32),
                Size::S64 => i32::try_from(literal as i64).ok(),
            };
            immediate.map_or_else(|| Right::Register(this.imm(literal)), Right::Immediate)
        };
        if cases.len() > CASES_IN_A_ROW {
            let (low, high) = cases.split_at(cases.len() / 2);
            let (first, second) = (number + 1, number + 1 + blocks_of_cases(low.len()));
            let middle = right(self, high[0].0);
            self.branch(Test::Compare(Condition::Below, size, register, middle), first, second);
            self.successor(number, first, Vec::new());
            self.successor(number, second, Vec::new());
            self.end_block(number);
            for (block, cases) in [(first, low), (second, high)] {
                self.start_block(block);
                self.search((size, register), cases, default, block, layout);
            }
            return;
        }
        let mut test_block = number;
        for (literal, call) in cases {
            let (edge, otherwise) = (test_block + 1, test_block + 2);
            let literal = right(self, *literal);
            self.branch(Test::Compare(Condition::Equal, size, register, literal), edge, otherwise);
            self.successor(test_block, edge, Vec::new());
            self.successor(test_block, otherwise, Vec::new());
            self.end_block(test_block);
            self.edge(edge, call, layout);
            test_block = otherwise;
            self.start_block(test_block);
        }
        self.jump(test_block, default, layout);
        self.end_block(test_block);
    }
}

/// The most cases of a switch that are asked for one after the other.
const CASES_IN_A_ROW: usize = 3;

/// Blocks that so many cases take: one for each question and each edge, and one for the default in each row.
fn blocks_of_cases(count: usize) -> u32 {
    match count {
        0..=CASES_IN_A_ROW => 2 * count as u32 + 1,
        _ => 1 + blocks_of_cases(count / 2) + blocks_of_cases(count - count / 2),
    }
}

/// Blocks that a terminator's edges take.
fn extra_blocks(terminator: &Terminator) -> u32 {
    match terminator {
        Terminator::Branch { .. } => 2,
        Terminator::Switch { cases, .. } => blocks_of_cases(cases.len()) - 1,
        _ => 0,
    }
}
