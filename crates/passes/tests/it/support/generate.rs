//! Random structured programs in lane form that always end.
//!
//! State is in slots (which become SSA values), in a private array with computed index (which becomes scratch
//! memory), in block parameters, and in memory. Loops are bounded by a counter. Values of inactive lanes are
//! never observed.

use super::{INPUT, LANE_BYTES, OUTPUT, Random, SHARED_PART};
use pyro_ir::{
    Block, BlockCall, Builder, Form, Function, MemoryOp, Merge, Opcode, Scalar, Slot, Space, Terminator,
    Type, Value,
};

/// What a program may contain.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub statements: u32,
    pub suspends: bool,
    /// Blocks stand in another order than the constructs suggest.
    pub reordered: bool,
}

struct Loop {
    merge: Block,
    continue_target: Block,
    merge_param: bool,
}

struct Generator<'f, 'r> {
    b: Builder<'f>,
    random: &'r mut Random,
    kind: Kind,
    left: u32,
    /// Values that are defined on every way to here.
    pool: Vec<Value>,
    /// The same, of type `i1`.
    conditions: Vec<Value>,
    slots: Vec<Slot>,
    array: Slot,
    loops: Vec<Loop>,
    /// Merge blocks of regions that may be left from any depth; each takes a value.
    regions: Vec<Block>,
    depth: u32,
    next_output: u32,
}

/// A program for `lanes` lanes.
pub fn program(random: &mut Random, lanes: u32, kind: Kind) -> Function {
    let mut function = Function::new("random", Form::Lane, lanes);
    let slots = (0..4).map(|_| function.add_slot(4)).collect();
    let array = function.add_slot(16);
    let entry = function.make_block();
    let mut b = Builder::new(&mut function);
    b.start(entry);
    let mut generator = Generator {
        b,
        left: kind.statements,
        random,
        kind,
        pool: Vec::new(),
        conditions: Vec::new(),
        slots,
        array,
        loops: Vec::new(),
        regions: Vec::new(),
        depth: 0,
        next_output: 0,
    };
    generator.prologue();
    while generator.left > 0 {
        if generator.statements(8) {
            return function;
        }
    }
    generator.epilogue();
    function
}

impl Generator<'_, '_> {
    fn prologue(&mut self) {
        let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).unwrap();
        self.pool.push(lane);
        let zero = self.b.i32(0);
        self.pool.push(zero);
        let c = self.b.op(Opcode::ULt, &[zero, lane]);
        self.conditions.push(c);
        for array in 0..2 {
            // Written first, so that no read depends on what memory held.
            for element in 0..4 {
                let (at, value) = (self.b.i32(element * 4), self.b.i32(element + array));
                self.b.slot_store(self.array, at, value);
            }
        }
        for _ in 0..3 {
            let value = self.input();
            self.pool.push(value);
        }
    }

    fn epilogue(&mut self) {
        for index in 0..4 {
            let zero = self.b.i32(0);
            let value = self.b.slot_load(Scalar::I32, self.slots[index], zero);
            self.output(value);
            let at = self.b.i32(index as u32 * 4);
            let value = self.b.slot_load(Scalar::I32, self.array, at);
            self.output(value);
        }
        for _ in 0..4 {
            let value = self.value();
            self.output(value);
        }
        self.b.terminate(Terminator::Return(0));
    }

    fn pick(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }

    fn value(&mut self) -> Value {
        if self.random.chance(15) {
            let constant = [0, 1, 2, 3, 7, 255, 0x8000_0000, u32::MAX][self.pick(8)];
            return self.b.i32(constant);
        }
        // Late ones more often.
        let count = self.pool.len();
        let index =
            if self.random.chance(50) { count - 1 - self.pick(count.min(4)) } else { self.pick(count) };
        self.pool[index]
    }

    /// A uniform load of the input.
    fn input(&mut self) -> Value {
        let base = self.b.i64(INPUT);
        let offset = 4 * self.pick(16) as u32;
        let offset = self.b.i32(offset);
        let always = self.b.bool(true);
        let memory = MemoryOp::new(if self.random.chance(50) { Space::Constant } else { Space::Global });
        let memory = if self.random.chance(50) { memory.speculatable() } else { memory };
        self.b.load(Scalar::I32, memory, base, offset, always)
    }

    fn condition(&mut self) -> Value {
        match self.random.below(10) {
            0..2 => {
                let index = self.pick(self.conditions.len());
                self.conditions[index]
            }
            2..5 => {
                // Uniform, mostly.
                let (a, c) = (self.input(), self.pick(4) as u32);
                let (three, c) = (self.b.i32(3), self.b.i32(c));
                let low = self.b.op(Opcode::And, &[a, three]);
                self.b.op(Opcode::ULe, &[low, c])
            }
            5 => {
                // Whether some lane here has a condition.
                let (index, active) = (self.pick(self.conditions.len()), self.active());
                let here = self.b.op(Opcode::And, &[self.conditions[index], active]);
                self.b.op(Opcode::Any, &[here])
            }
            _ => {
                let op = [Opcode::ULt, Opcode::SLt, Opcode::IEq, Opcode::INe, Opcode::ULe, Opcode::SLe];
                let (op, a, c) = (op[self.pick(6)], self.value(), self.value());
                let (mask, shift) = (self.b.i32(7), self.pick(3) as u32);
                let shift = self.b.i32(shift);
                let a = self.b.op(Opcode::LShr, &[a, shift]);
                let (a, c) = (self.b.op(Opcode::And, &[a, mask]), self.b.op(Opcode::And, &[c, mask]));
                self.b.op(op, &[a, c])
            }
        }
    }

    fn active(&mut self) -> Value {
        self.b.emit(Opcode::Active, &[], 0, Scalar::I1).unwrap()
    }

    /// `value & 3`, times 4.
    fn element(&mut self) -> Value {
        let value = self.value();
        let (three, two) = (self.b.i32(3), self.b.i32(2));
        let low = self.b.op(Opcode::And, &[value, three]);
        self.b.op(Opcode::Shl, &[low, two])
    }

    fn output(&mut self, value: Value) {
        let lane = self.b.emit(Opcode::LaneId, &[], 0, Scalar::I32).unwrap();
        let stride = self.b.i32(LANE_BYTES as u32);
        let own = self.b.op(Opcode::IMul, &[lane, stride]);
        let base = self.b.i64(OUTPUT);
        let always = if self.random.chance(70) { self.b.bool(true) } else { self.condition() };
        let place = self.next_output % 32;
        self.next_output += 1;
        self.b.store(MemoryOp::new(Space::Global).at(place as i32 * 4), base, own, value, always);
    }

    /// Straight-line statements and constructs; whether control does not come out at the end.
    fn statements(&mut self, most: u64) -> bool {
        let count = 1 + self.random.below(most);
        for _ in 0..count {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            if self.statement() {
                return true;
            }
        }
        false
    }

    fn statement(&mut self) -> bool {
        match self.random.below(30) {
            0..7 => self.arithmetic(),
            7..9 => {
                let (slot, value) = (self.pick(4), self.value());
                let zero = self.b.i32(0);
                self.b.slot_store(self.slots[slot], zero, value);
            }
            9..11 => {
                let slot = self.pick(4);
                let zero = self.b.i32(0);
                let value = self.b.slot_load(Scalar::I32, self.slots[slot], zero);
                self.pool.push(value);
            }
            11 => {
                let (at, value) = (self.element(), self.value());
                self.b.slot_store(self.array, at, value);
            }
            12 => {
                let at = self.element();
                let value = self.b.slot_load(Scalar::I32, self.array, at);
                self.pool.push(value);
            }
            13 => {
                let value = self.value();
                self.output(value);
            }
            14 => self.shared_memory(),
            15 => self.group(),
            16 => {
                if self.kind.suspends {
                    self.b.effect(Opcode::Suspend, 1);
                }
            }
            17 => {
                let condition = self.condition();
                self.conditions.push(condition);
            }
            18 => {
                let value = self.input();
                self.pool.push(value);
            }
            19..23 if self.depth < 5 => return self.selection(),
            23..26 if self.depth < 4 && self.loops.len() < 3 => return self.iteration(),
            26 if self.depth < 5 => return self.switch(),
            27 if self.depth < 5 => return self.region(),
            28 => return self.jump_if(),
            _ => self.arithmetic(),
        }
        false
    }

    fn arithmetic(&mut self) {
        const OPS: [Opcode; 16] = [
            Opcode::IAdd,
            Opcode::ISub,
            Opcode::IMul,
            Opcode::Xor,
            Opcode::And,
            Opcode::Or,
            Opcode::Shl,
            Opcode::LShr,
            Opcode::AShr,
            Opcode::UMin,
            Opcode::SMax,
            Opcode::UDiv,
            Opcode::SDiv,
            Opcode::URem,
            Opcode::SRem,
            Opcode::AndNot,
        ];
        let value = if self.random.chance(15) {
            let (c, x, y) = (self.condition(), self.value(), self.value());
            self.b.select(c, x, y)
        } else {
            let (op, x) = (OPS[self.pick(OPS.len())], self.value());
            let y = if self.random.chance(20) {
                let constant = [3, 5, 7, 10, 13, 641, 1000, u32::MAX - 6, 6_700_417][self.pick(9)];
                self.b.i32(constant)
            } else {
                self.value()
            };
            self.b.op(op, &[x, y])
        };
        self.pool.push(value);
    }

    fn shared_memory(&mut self) {
        let base = self.b.i64(OUTPUT);
        let memory = MemoryOp::new(Space::Global).at(SHARED_PART as i32);
        let at = self.element();
        let predicate = if self.random.chance(60) { self.b.bool(true) } else { self.condition() };
        let value = self.value();
        match self.random.below(4) {
            0 => self.b.store(memory, base, at, value, predicate),
            1 => {
                let uniform = self.input();
                let at = 4 * self.pick(8) as u32;
                let at = self.b.i32(at);
                self.b.store(memory, base, at, uniform, predicate);
            }
            2 => {
                let old = self
                    .b
                    .emit(Opcode::AtomicAdd, &[base, at, value, predicate], memory.to_imm(), Scalar::I32)
                    .unwrap();
                self.pool.push(old);
            }
            _ => {
                let value = self.b.load(Scalar::I32, memory, base, at, predicate);
                self.pool.push(value);
            }
        }
    }

    fn group(&mut self) {
        let active = self.active();
        if self.random.chance(50) {
            let condition = self.condition();
            let here = self.b.op(Opcode::And, &[active, condition]);
            let bits = self.b.op(Opcode::Ballot, &[here]);
            let count = self.b.op(Opcode::PopCount, &[bits]);
            let count = self.b.convert(Opcode::Truncate, count, Scalar::I32);
            self.pool.push(count);
        } else {
            // The value of the first lane here.
            let value = self.value();
            let bits = self.b.op(Opcode::Ballot, &[active]);
            let first = self.b.op(Opcode::CountTrailingZeros, &[bits]);
            let first = self.b.convert(Opcode::Truncate, first, Scalar::I32);
            let op = if self.random.chance(50) { Opcode::LaneRead } else { Opcode::Shuffle };
            let value = self.b.op(op, &[value, first]);
            self.pool.push(value);
        }
    }

    fn set_merge(&mut self, merge: Merge) {
        let block = self.b.block();
        self.b.function.blocks[block].merge = Some(merge);
    }

    fn make_merge(&mut self, with_param: bool) -> Block {
        let block = self.b.function.make_block();
        if with_param {
            self.b.function.add_param(block, Type::varying(Scalar::I32));
        }
        block
    }

    /// Goes on at a merge block; whether nothing comes there.
    fn start_merge(&mut self, merge: Block, reached: bool) -> bool {
        self.b.start(merge);
        let params = self.b.function.blocks[merge].params.clone();
        if !reached {
            self.b.terminate(Terminator::Unreachable);
            return true;
        }
        self.pool.extend(params);
        false
    }

    fn jump_to(&mut self, block: Block) {
        let args = self.args_for(block);
        self.b.jump(block, &args);
    }

    fn args_for(&mut self, block: Block) -> Vec<Value> {
        let count = self.b.function.blocks[block].params.len();
        (0..count).map(|_| self.value()).collect()
    }

    /// Statements in their own scope; whether control comes out at the end.
    fn nested(&mut self, most: u64) -> bool {
        let (pool, conditions) = (self.pool.len(), self.conditions.len());
        self.depth += 1;
        let ended = self.statements(most);
        self.depth -= 1;
        if !ended {
            return true;
        }
        self.pool.truncate(pool);
        self.conditions.truncate(conditions);
        false
    }

    fn selection(&mut self) -> bool {
        let with_param = self.random.chance(40);
        let merge = self.make_merge(with_param);
        let condition = self.condition();
        self.set_merge(Merge::Selection { merge });
        let scope = (self.pool.len(), self.conditions.len());
        let then = self.b.function.make_block();
        let has_else = self.random.chance(50);
        let mut reached = false;
        let otherwise = if has_else { self.b.function.make_block() } else { merge };
        let args = if has_else { Vec::new() } else { self.args_for(merge) };
        reached |= !has_else;
        self.b.branch(condition, BlockCall::new(then, &[]), BlockCall::new(otherwise, &args));
        for block in [Some(then), has_else.then_some(otherwise)].into_iter().flatten() {
            self.b.start(block);
            if self.nested(5) {
                self.jump_to(merge);
                reached = true;
            }
            self.pool.truncate(scope.0);
            self.conditions.truncate(scope.1);
        }
        self.start_merge(merge, reached)
    }

    fn iteration(&mut self) -> bool {
        let merge_param = self.random.chance(50);
        let merge = self.make_merge(merge_param);
        let header = self.b.function.make_block();
        let counter = self.b.function.add_param(header, Type::varying(Scalar::I32));
        let carried = self.b.function.add_param(header, Type::varying(Scalar::I32));
        let continue_target = self.b.function.make_block();
        let limit = match self.random.below(3) {
            0 => {
                let limit = self.pick(4) as u32;
                self.b.i32(limit)
            }
            1 => self.input(),
            _ => self.value(),
        };
        let three = self.b.i32(3);
        let limit = self.b.op(Opcode::And, &[limit, three]);
        let (zero, first) = (self.b.i32(0), self.value());
        self.b.jump(header, &[zero, first]);
        self.b.start(header);
        self.set_merge(Merge::Loop { merge, continue_target });
        self.pool.extend([counter, carried]);
        self.arithmetic();
        let top = self.random.chance(60);
        let body = self.b.function.make_block();
        let mut reached = top;
        if top {
            let more = self.b.op(Opcode::ULt, &[counter, limit]);
            let args = self.args_for(merge);
            self.b.branch(more, BlockCall::new(body, &[]), BlockCall::new(merge, &args));
        } else {
            self.b.jump(body, &[]);
        }
        // What the header defines is defined behind the loop too.
        let scope = (self.pool.len(), self.conditions.len());
        self.b.start(body);
        self.loops.push(Loop { merge, continue_target, merge_param });
        let uses_before = self.uses_of(merge);
        if self.nested(6) {
            self.b.jump(continue_target, &[]);
        }
        self.loops.pop();
        self.pool.truncate(scope.0);
        self.conditions.truncate(scope.1);
        reached |= self.uses_of(merge) > uses_before;
        let continues = self.uses_of(continue_target) > 0;
        self.b.start(continue_target);
        if continues {
            let one = self.b.i32(1);
            let next = self.b.op(Opcode::IAdd, &[counter, one]);
            let again = self.value();
            if top {
                self.b.jump(header, &[next, again]);
            } else {
                let more = self.b.op(Opcode::ULt, &[next, limit]);
                let args = self.args_for(merge);
                self.b.branch(more, BlockCall::new(header, &[next, again]), BlockCall::new(merge, &args));
                reached = true;
            }
        } else {
            self.b.terminate(Terminator::Unreachable);
        }
        self.pool.truncate(scope.0);
        self.start_merge(merge, reached)
    }

    fn uses_of(&self, block: Block) -> usize {
        let blocks = self.b.function.blocks.values();
        blocks.map(|data| data.terminator.targets().filter(|call| call.block == block).count()).sum()
    }

    fn switch(&mut self) -> bool {
        let with_param = self.random.chance(40);
        let merge = self.make_merge(with_param);
        let selector = if self.random.chance(40) { self.input() } else { self.value() };
        let three = self.b.i32(3);
        let selector = self.b.op(Opcode::And, &[selector, three]);
        self.set_merge(Merge::Selection { merge });
        let scope = (self.pool.len(), self.conditions.len());
        let blocks: Vec<Block> = (0..3).map(|_| self.b.function.make_block()).collect();
        let default_index = self.pick(4);
        let mut reached = default_index == 3;
        let default = if default_index == 3 {
            let args = self.args_for(merge);
            BlockCall::new(merge, &args)
        } else {
            BlockCall::new(blocks[default_index], &[])
        };
        let literals = [0u64, 2, 3];
        let cases = literals.iter().zip(&blocks).map(|(&bits, &block)| (bits, BlockCall::new(block, &[])));
        let cases = cases.collect();
        self.b.terminate(Terminator::Switch { selector, cases, default });
        for (index, &block) in blocks.iter().enumerate() {
            self.b.start(block);
            if self.nested(4) {
                if index + 1 < blocks.len() && self.random.chance(30) {
                    self.b.jump(blocks[index + 1], &[]);
                } else {
                    self.jump_to(merge);
                    reached = true;
                }
            }
            self.pool.truncate(scope.0);
            self.conditions.truncate(scope.1);
        }
        self.start_merge(merge, reached)
    }

    /// Something that can be left from any depth, as an inlined function can.
    fn region(&mut self) -> bool {
        let merge = self.make_merge(true);
        let body = self.b.function.make_block();
        // A header that goes one way, as front ends wrap such a region in a selection.
        self.set_merge(Merge::Selection { merge });
        self.b.jump(body, &[]);
        let scope = (self.pool.len(), self.conditions.len());
        self.b.start(body);
        self.regions.push(merge);
        // Loops outside cannot be left by break or continue from here.
        let loops = std::mem::take(&mut self.loops);
        if self.nested(8) {
            self.jump_to(merge);
        }
        self.loops = loops;
        self.regions.pop();
        self.pool.truncate(scope.0);
        self.conditions.truncate(scope.1);
        let reached = self.uses_of(merge) > 0;
        self.start_merge(merge, reached)
    }

    /// Break, continue, leaving a region, or return: under a condition, or for good.
    fn jump_if(&mut self) -> bool {
        let mut ways = Vec::new();
        if let Some(data) = self.loops.last() {
            ways.extend([data.merge, data.continue_target, data.merge]);
            assert_ne!(data.merge_param, self.b.function.blocks[data.merge].params.is_empty());
        }
        ways.extend(self.regions.last());
        let target = if ways.is_empty() || self.random.chance(15) {
            None
        } else {
            let index = self.pick(ways.len());
            Some(ways[index])
        };
        if self.depth > 0 && self.random.chance(25) {
            match target {
                Some(block) => self.jump_to(block),
                None => self.b.terminate(Terminator::Return(0)),
            }
            return true;
        }
        let condition = self.condition();
        let next = self.b.function.make_block();
        self.set_merge(Merge::Selection { merge: next });
        match target {
            Some(block) => {
                let args = self.args_for(block);
                self.b.branch(condition, BlockCall::new(block, &args), BlockCall::new(next, &[]));
            }
            None => {
                let end = self.b.function.make_block();
                self.b.branch(condition, BlockCall::new(end, &[]), BlockCall::new(next, &[]));
                self.b.start(end);
                self.b.terminate(Terminator::Return(0));
            }
        }
        self.b.start(next);
        false
    }
}
