//! Bodies, branches and calls.

use super::Lowerer;
use super::words::Words;
use crate::error::{Result, limit};
use crate::flow::{Edge, Flow, Node, Step};
use crate::limits::CALL_DEPTH_MAX;
use crate::module::{Base, Body, Function, Instruction, Operand, Symbol};
use crate::types::{Space, Type};
use pyro_abi::context::offset;
use pyro_ir::{Block, BlockCall, MemoryOp, Merge, Scalar, Slot, Space as Memory, Terminator, Value};
use pyro_library::Ops;
use std::collections::HashMap;
use std::rc::Rc;

/// A parameter or result of a function, cut into units that every access consists of.
#[derive(Clone, Copy, Debug)]
struct Argument {
    slot: Slot,
    /// Bytes of a unit: 1, 2, 4 or 8.
    unit: u32,
    bytes: u32,
}

/// A function that is being inlined, or the kernel.
pub(super) struct Frame<'m> {
    index: usize,
    function: &'m Function,
    /// Registers by number.
    pub(super) slots: HashMap<u32, Slot>,
    /// The values that registers are known to have at the place at hand.
    pub(super) known: HashMap<u32, Value>,
    parameters: Vec<Option<Argument>>,
    results: Vec<Option<Argument>>,
    arguments: Vec<Option<Argument>>,
}

impl Frame<'_> {
    /// The function's number.
    pub(super) fn index(&self) -> usize {
        self.index
    }
}

/// The blocks of a body that is being lowered.
struct Blocks {
    flow: Rc<Flow>,
    /// By node.
    blocks: HashMap<usize, Block>,
    /// The loops around the place at hand: header, and where lanes go that go round again.
    open: Vec<(usize, Block)>,
    /// Of nodes that dispatch: which edge is taken.
    selectors: HashMap<usize, Slot>,
    /// Behind the body; none in a kernel.
    behind: Option<Block>,
}

impl<'m> Lowerer<'m, '_> {
    /// Lowers the kernel.
    pub(super) fn kernel(&mut self, index: usize) -> Result {
        let start = self.b.function.make_block();
        self.start(start);
        self.prologue();
        let frame = self.frame(index);
        self.frames.push(frame);
        self.line = self.module.functions[index].line;
        self.begin_trace(index)?;
        self.body(index, None)
    }

    /// Goes on with a new block, where nothing is known of registers.
    pub(super) fn start(&mut self, block: Block) {
        self.b.start(block);
        self.frames.iter_mut().for_each(|frame| frame.known.clear());
    }

    fn frame(&mut self, index: usize) -> Frame<'m> {
        let function = &self.module.functions[index];
        let body = function.body.as_ref();
        let units =
            self.units.entry(index).or_insert_with(|| Rc::new(body.map(Units::of).unwrap_or_default()));
        let units = Rc::clone(units);
        let mut argument = |symbol: Symbol, bytes: u64| {
            let unit = units.0.get(&symbol).copied().unwrap_or(4);
            let slot = self.b.function.add_slot((bytes as u32).next_multiple_of(8).max(8));
            Some(Argument { slot, unit, bytes: bytes as u32 })
        };
        let arguments = body.map(|body| {
            let all = body.arguments.iter().enumerate();
            all.map(|(index, one)| argument(Symbol::Argument(index), one.bytes)).collect()
        });
        let (mut parameters, mut results) = (Vec::new(), Vec::new());
        if !function.is_entry {
            for (index, one) in function.parameters.iter().enumerate() {
                parameters.push(match one.register {
                    Some(_) => None,
                    None => argument(Symbol::Parameter(index), one.bytes),
                });
            }
            for (index, one) in function.results.iter().enumerate() {
                results.push(match one.register {
                    Some(_) => None,
                    None => argument(Symbol::Result(index), one.bytes),
                });
            }
        }
        Frame {
            index,
            function,
            slots: HashMap::new(),
            known: HashMap::new(),
            parameters,
            results,
            arguments: arguments.unwrap_or_default(),
        }
    }

    fn flow(&mut self, index: usize, body: &Body) -> Result<Rc<Flow>> {
        if let Some(flow) = self.flows.get(&index) {
            return Ok(Rc::clone(flow));
        }
        let flow = Rc::new(Flow::new(body)?);
        self.flows.insert(index, Rc::clone(&flow));
        Ok(flow)
    }

    /// Lowers a function's body at the place at hand, for the frame that is the last.
    fn body(&mut self, index: usize, behind: Option<Block>) -> Result {
        let Some(body) = &self.module.functions[index].body else {
            let name = &self.module.functions[index].name;
            return self
                .unsupported("Linking Directives: .extern", format!("\"{name}\", which has no body here"));
        };
        let flow = self.flow(index, body)?;
        let mut blocks = Blocks {
            flow: Rc::clone(&flow),
            blocks: HashMap::new(),
            open: Vec::new(),
            selectors: HashMap::new(),
            behind,
        };
        for (node, kind) in flow.nodes.iter().enumerate() {
            if *kind == Node::Dispatch {
                let slot = self.b.function.add_slot(4);
                let zero = self.b.i32(0);
                self.b.slot_store(slot, zero, zero);
                blocks.selectors.insert(node, slot);
            }
        }
        let leaves = ends_of_loops(&flow.order);
        for (at, step) in flow.order.iter().enumerate() {
            match *step {
                Step::Enter(header) => {
                    let latch = self.b.function.make_block();
                    let block = self.block_of(&mut blocks, header);
                    if at == 0 {
                        self.b.jump(block, &[]);
                    }
                    let merge = match flow.order.get(leaves[&header] + 1) {
                        Some(&(Step::Node(next) | Step::Enter(next))) => self.block_of(&mut blocks, next),
                        _ => self.b.function.make_block(),
                    };
                    self.b.function.blocks[block].merge = Some(Merge::Loop { merge, continue_target: latch });
                    blocks.open.push((header, latch));
                }
                Step::Node(node) => {
                    let block = self.block_of(&mut blocks, node);
                    if at == 0 {
                        self.b.jump(block, &[]);
                    }
                    self.start(block);
                    self.node(&mut blocks, node, body)?;
                }
                Step::Leave(header) => {
                    let latch = blocks.open.pop().map(|(_, latch)| latch).expect("loops nest");
                    let block = self.block_of(&mut blocks, header);
                    self.start(latch);
                    self.b.jump(block, &[]);
                    // A block that nothing but the loop's end needs.
                    let merge = match self.b.function.blocks[block].merge {
                        Some(Merge::Loop { merge, .. }) => merge,
                        _ => unreachable!("it was set when the loop began"),
                    };
                    if !matches!(flow.order.get(at + 1), Some(Step::Node(_) | Step::Enter(_))) {
                        self.start(merge);
                        self.b.terminate(Terminator::Unreachable);
                    }
                }
            }
        }
        Ok(())
    }

    fn block_of(&mut self, blocks: &mut Blocks, node: usize) -> Block {
        let function = &mut self.b.function;
        *blocks.blocks.entry(node).or_insert_with(|| function.make_block())
    }

    /// Where an edge goes, as a block; blocks on the way are put into `between`.
    fn target(&mut self, blocks: &mut Blocks, edge: Edge, between: &mut Vec<(Block, Edge)>) -> Block {
        if edge.select.is_some() {
            let block = self.b.function.make_block();
            between.push((block, edge));
            return block;
        }
        self.target_of(blocks, edge.target)
    }

    fn target_of(&mut self, blocks: &mut Blocks, node: usize) -> Block {
        match blocks.open.iter().find(|&&(header, _)| header == node) {
            Some(&(_, latch)) => latch,
            None => self.block_of(blocks, node),
        }
    }

    /// The blocks on the way of edges that select.
    fn between(&mut self, blocks: &mut Blocks, between: Vec<(Block, Edge)>) {
        for (block, edge) in between {
            self.start(block);
            let slot = blocks.selectors[&edge.target];
            let (zero, select) = (self.b.i32(0), self.b.i32(edge.select.unwrap_or(0)));
            self.b.slot_store(slot, zero, select);
            let target = self.target_of(blocks, edge.target);
            self.b.jump(target, &[]);
        }
    }

    fn node(&mut self, blocks: &mut Blocks, node: usize, body: &'m Body) -> Result {
        let flow = Rc::clone(&blocks.flow);
        let edges = &flow.edges[node];
        let mut between = Vec::new();
        let (start, end) = match flow.nodes[node] {
            Node::Code(start, end) => (start, end),
            Node::Dispatch => {
                let zero = self.b.i32(0);
                let selector = self.b.slot_load(Scalar::I32, blocks.selectors[&node], zero);
                self.switch(blocks, selector, edges, &mut between);
                self.between(blocks, between);
                return Ok(());
            }
        };
        let (rest, last) = match body.instructions[start..end].split_last() {
            Some((last, rest)) if matches!(last.name(), "bra" | "brx" | "ret" | "exit" | "trap") => {
                (rest, Some(last))
            }
            _ => (&body.instructions[start..end], None),
        };
        for inst in rest {
            self.instruction(inst)?;
        }
        let Some(last) = last else {
            self.trace_end_of_block(None)?;
            match edges.first() {
                Some(&next) => {
                    let next = self.target(blocks, next, &mut between);
                    self.b.jump(next, &[]);
                    self.between(blocks, between);
                }
                None => self.leave(blocks, "ret")?,
            }
            return Ok(());
        };
        self.line = last.line;
        self.b.loc = pyro_ir::SourceLoc(last.line);
        self.trace_end_of_block(Some(last.line))?;
        match (last.name(), last.guard) {
            ("bra", None) => {
                let target = self.target(blocks, edges[0], &mut between);
                self.b.jump(target, &[]);
            }
            ("bra", Some(guard)) => {
                let condition = self.guard_value(guard);
                let then = self.target(blocks, edges[0], &mut between);
                let otherwise = self.target(blocks, edges[1], &mut between);
                self.branch(condition, then, otherwise);
            }
            ("brx", _) => {
                let selector = self.value(last.operand(0)?, Type::U32)?;
                self.switch(blocks, selector, edges, &mut between);
            }
            (name, None) => self.leave(blocks, name)?,
            (name, Some(guard)) => {
                let condition = self.guard_value(guard);
                let then = self.b.function.make_block();
                let otherwise = self.target(blocks, edges[0], &mut between);
                self.branch(condition, then, otherwise);
                self.start(then);
                self.leave(blocks, name)?;
            }
        }
        self.between(blocks, between);
        Ok(())
    }

    pub(super) fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        if then == otherwise {
            return self.b.jump(then, &[]);
        }
        self.b.branch(condition, BlockCall::new(then, &[]), BlockCall::new(otherwise, &[]));
    }

    /// Goes on at the edge of the selector's number, at the last where there is none.
    fn switch(
        &mut self,
        blocks: &mut Blocks,
        selector: Value,
        edges: &[Edge],
        between: &mut Vec<(Block, Edge)>,
    ) {
        let mut targets: Vec<Block> = edges.iter().map(|&edge| self.target(blocks, edge, between)).collect();
        let default = targets.pop().expect("there is an edge");
        let cases = targets.into_iter().map(|block| BlockCall::new(block, &[]));
        let cases = (0..).zip(cases).collect();
        self.b.terminate(Terminator::Switch { selector, cases, default: BlockCall::new(default, &[]) });
    }

    /// `ret`, `exit`, `trap`
    fn leave(&mut self, blocks: &Blocks, name: &str) -> Result {
        let behind = blocks.behind.filter(|_| name == "ret");
        if behind.is_none() {
            self.trace_end()?;
        }
        if name == "trap" {
            // As if the watchdog had stopped the launch: the device is lost.
            let dispatch = self.b.arg(0);
            let flag = self.context(dispatch, offset::ABORT, Scalar::I64);
            let (zero, one, always) = (self.b.i32(0), self.b.i32(1), self.b.bool(true));
            let memory = MemoryOp { volatile: true, ..MemoryOp::new(Memory::Global) };
            self.b.store(memory, flag, zero, one, always);
        }
        match behind {
            Some(behind) => self.b.jump(behind, &[]),
            None => self.b.terminate(Terminator::Return(0)),
        }
        Ok(())
    }

    /// Runs what lowers an instruction in a block of its own, where the guard holds.
    pub(super) fn guarded(
        &mut self,
        inst: &'m Instruction,
        lower: impl FnOnce(&mut Self) -> Result,
    ) -> Result {
        let Some(guard) = inst.guard else { return lower(self) };
        let condition = self.guard_value(guard);
        let (inside, behind) = (self.b.function.make_block(), self.b.function.make_block());
        self.branch(condition, inside, behind);
        self.start(inside);
        lower(self)?;
        self.b.jump(behind, &[]);
        self.start(behind);
        Ok(())
    }

    /// Repeats what `step` makes until its result, a truth value, holds, for the lanes for which it does not.
    pub(super) fn repeat(&mut self, step: impl FnOnce(&mut Self) -> Result<Value>) -> Result {
        let [header, latch, behind] = [(); 3].map(|()| self.b.function.make_block());
        self.b.jump(header, &[]);
        self.b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: latch });
        self.start(header);
        let done = step(self)?;
        self.branch(done, behind, latch);
        self.start(latch);
        self.b.jump(header, &[]);
        self.start(behind);
        Ok(())
    }

    /// `call`, behind its predicate.
    pub(super) fn call(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        const RULE: &str = "Control Flow Instructions: call";
        words.take("uni");
        let (results, rest): (&[Operand], _) = match &inst.operands[..] {
            [Operand::List(results), rest @ ..] => (results, rest),
            all => (&[], all),
        };
        let (callee, given): (_, &[Operand]) = match rest {
            [Operand::Function(callee)] => (*callee, &[]),
            [Operand::Function(callee), Operand::List(given)] => (*callee, given),
            [Operand::Register(_), ..] => return self.unsupported(RULE, "a call by address"),
            _ => return self.invalid(RULE, "a call of something that is not a function"),
        };
        let function = &self.module.functions[callee];
        if function.is_entry {
            return self.unsupported(RULE, format!("a call of the kernel \"{}\"", function.name));
        }
        if self.frames.iter().any(|frame| frame.index == callee) {
            return self.unsupported(RULE, format!("\"{}\", which calls itself", function.name));
        }
        if self.frames.len() >= CALL_DEPTH_MAX {
            return limit(self.line, RULE, "calls inside one another");
        }
        if given.len() != function.parameters.len() || results.len() != function.results.len() {
            let message = format!("\"{}\" takes other parameters than it is given", function.name);
            return self.invalid(RULE, message);
        }
        let mut frame = self.frame(callee);
        let mut registers = Vec::new();
        for ((operand, parameter), to) in given.iter().zip(&function.parameters).zip(&frame.parameters) {
            match (parameter.register, to) {
                (Some(register), _) => registers.push((register, self.value(operand, register.ty)?)),
                (None, Some(to)) => self.pass(operand, parameter.ty, *to)?,
                (None, None) => {}
            }
        }
        self.frames.push(frame);
        for (register, value) in registers {
            let value = self.cast(value, register.ty.register_scalar());
            self.write_register(register, value);
        }
        let behind = self.b.function.make_block();
        let line = self.line;
        self.body(callee, Some(behind))?;
        self.line = line;
        self.start(behind);
        let mut values = Vec::new();
        for result in &function.results {
            values.push(result.register.map(|register| (register.ty, self.read_register(register))));
        }
        frame = self.frames.pop().expect("it was pushed above");
        for (index, operand) in results.iter().enumerate() {
            match (values[index], frame.results[index]) {
                (Some((ty, value)), _) => {
                    let value = self.cast(value, ty.scalar());
                    self.set(operand, ty, value)?;
                }
                (None, Some(from)) => self.take_back(operand, function.results[index].ty, from)?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Gives a callee's parameter what the caller passes.
    fn pass(&mut self, operand: &Operand, ty: Type, to: Argument) -> Result {
        let Operand::Address(symbol, 0) = *operand else {
            let value = self.value(operand, ty)?;
            let value = self.cast(value, ty.scalar().to_int());
            return self.write_argument(to, 0, ty.bytes(), value);
        };
        for at in (0..to.bytes).step_by(to.unit as usize) {
            // Slots, and the memory of a kernel's parameters, end with a whole unit.
            let bytes = to.unit;
            let value = match self.argument(symbol) {
                Some(from) => self.read_argument(from, at, bytes)?,
                None => {
                    let address = Operand::Memory(Base::Symbol(symbol), 0);
                    let place = self.place(&address, Space::Param, at, bytes)?;
                    let scalar = Scalar::int(8 * bytes).unwrap_or(Scalar::I8);
                    self.b.load(scalar, place.memory, place.base, place.offset, place.predicate)
                }
            };
            self.write_argument(to, at, bytes, value)?;
        }
        Ok(())
    }

    /// Takes a callee's result.
    fn take_back(&mut self, operand: &Operand, ty: Type, from: Argument) -> Result {
        match *operand {
            Operand::Address(symbol, 0) => {
                let Some(to) = self.argument(symbol) else {
                    return self.invalid(
                        "Control Flow Instructions: call",
                        "a result for something that is not a .param",
                    );
                };
                for at in (0..from.bytes).step_by(from.unit as usize) {
                    let value = self.read_argument(from, at, from.unit)?;
                    self.write_argument(to, at, from.unit, value)?;
                }
                Ok(())
            }
            _ => {
                let value = self.read_argument(from, 0, ty.bytes())?;
                let value = self.cast(value, ty.scalar());
                self.set(operand, ty, value)
            }
        }
    }

    /// The slot of a parameter, of the function at hand.
    fn argument(&self, symbol: Symbol) -> Option<Argument> {
        let frame = self.frames.last()?;
        let (all, index) = match symbol {
            Symbol::Parameter(index) => (&frame.parameters, index),
            Symbol::Result(index) => (&frame.results, index),
            Symbol::Argument(index) => (&frame.arguments, index),
            Symbol::Variable(_) => return None,
        };
        all.get(index).copied().flatten()
    }

    /// The parameter at hand and the byte of it that an access is of.
    fn argument_place(&self, symbol: Symbol, address: &Operand, more: u32) -> Result<(Argument, u32)> {
        let Operand::Memory(_, displacement) = *address else { unreachable!("the caller has looked") };
        let at = displacement.wrapping_add(more.into());
        match (self.argument(symbol), u32::try_from(at)) {
            (Some(argument), Ok(at)) => Ok((argument, at)),
            _ => {
                let name = &self.frames.last().expect("some function is at hand").function.name;
                self.invalid(
                    "State Spaces: Parameter State Space",
                    format!("an access outside of a parameter of \"{name}\""),
                )
            }
        }
    }

    pub(super) fn load_argument(
        &mut self,
        symbol: Symbol,
        address: &Operand,
        more: u32,
        ty: Type,
    ) -> Result<Value> {
        let (argument, at) = self.argument_place(symbol, address, more)?;
        let value = self.read_argument(argument, at, ty.bytes())?;
        Ok(self.cast(value, ty.register_scalar()))
    }

    pub(super) fn store_argument(
        &mut self,
        symbol: Symbol,
        address: &Operand,
        more: u32,
        ty: Type,
        value: Value,
    ) -> Result {
        let (argument, at) = self.argument_place(symbol, address, more)?;
        let value = self.cast(value, ty.scalar().to_int());
        let value = match self.guard {
            None => value,
            Some(guard) => {
                let old = self.read_argument(argument, at, ty.bytes())?;
                self.b.select(guard, value, old)
            }
        };
        self.write_argument(argument, at, ty.bytes(), value)
    }

    fn check_argument(&self, argument: Argument, at: u32, bytes: u32) -> Result {
        let is_inside = at.checked_add(bytes).is_some_and(|end| end <= argument.bytes.next_multiple_of(8));
        if !is_inside || !at.is_multiple_of(argument.unit.min(bytes)) {
            return self.invalid("State Spaces: Parameter State Space", "an access outside of a parameter");
        }
        Ok(())
    }

    /// An integer of `bytes` bytes of a parameter.
    fn read_argument(&mut self, argument: Argument, at: u32, bytes: u32) -> Result<Value> {
        self.check_argument(argument, at, bytes)?;
        let unit_bytes = argument.unit;
        let unit = Scalar::int(8 * unit_bytes).expect("units are integers");
        let whole = Scalar::int(8 * bytes).expect("accesses are of integers");
        if bytes < unit_bytes {
            // Only where caller and callee differ in what they access.
            let start = at - at % unit_bytes;
            let offset = self.b.i32(start);
            let value = self.b.slot_load(unit, argument.slot, offset);
            let amount = self.b.constant(unit, (8 * (at - start)).into());
            let value = self.b.lshr(value, amount);
            return Ok(self.b.resize_u(value, whole));
        }
        let mut result = None;
        for part in (0..bytes).step_by(unit_bytes as usize) {
            let offset = self.b.i32(at + part);
            let value = self.b.slot_load(unit, argument.slot, offset);
            let value = self.b.resize_u(value, whole);
            let amount = self.b.constant(whole, (8 * part).into());
            let value = if part == 0 { value } else { self.b.shl(value, amount) };
            result = Some(match result {
                None => value,
                Some(before) => self.b.or(before, value),
            });
        }
        Ok(result.expect("accesses have bytes"))
    }

    fn write_argument(&mut self, argument: Argument, at: u32, bytes: u32, value: Value) -> Result {
        self.check_argument(argument, at, bytes)?;
        let unit_bytes = argument.unit;
        let unit = Scalar::int(8 * unit_bytes).expect("units are integers");
        let whole = Scalar::int(8 * bytes).expect("accesses are of integers");
        if bytes < unit_bytes {
            let start = at - at % unit_bytes;
            let offset = self.b.i32(start);
            let old = self.b.slot_load(unit, argument.slot, offset);
            let amount = 8 * (at - start);
            let mask = self.b.constant(unit, whole.mask() << amount);
            let amount = self.b.constant(unit, amount.into());
            let value = self.b.resize_u(value, unit);
            let value = self.b.shl(value, amount);
            let kept = self.b.andnot(old, mask);
            let value = self.b.or(kept, value);
            self.b.slot_store(argument.slot, offset, value);
            return Ok(());
        }
        for part in (0..bytes).step_by(unit_bytes as usize) {
            let amount = self.b.constant(whole, (8 * part).into());
            let shifted = if part == 0 { value } else { self.b.lshr(value, amount) };
            let shifted = self.b.resize_u(shifted, unit);
            let offset = self.b.i32(at + part);
            self.b.slot_store(argument.slot, offset, shifted);
        }
        Ok(())
    }
}

/// For each loop's header the step that ends it.
fn ends_of_loops(order: &[Step]) -> HashMap<usize, usize> {
    let ends = order.iter().enumerate().filter_map(|(at, step)| match step {
        Step::Leave(header) => Some((*header, at)),
        _ => None,
    });
    ends.collect()
}

/// The largest units that all accesses of each parameter of a function consist of.
#[derive(Default)]
pub(super) struct Units(HashMap<Symbol, u32>);

impl Units {
    fn of(body: &Body) -> Units {
        let mut units = Units::default();
        for inst in &body.instructions {
            let mut words = Words::new(inst);
            let (Some(Space::Param), Some(ty)) = (words.space(), words.type_if_any()) else { continue };
            for operand in &inst.operands {
                if let Operand::Memory(Base::Symbol(symbol), displacement) = *operand {
                    let aligned = 1 << displacement.trailing_zeros().min(3);
                    let unit = units.0.entry(symbol).or_insert(8);
                    *unit = (*unit).min(aligned).min(ty.bytes());
                }
            }
        }
        units
    }
}
