//! Walking functions: blocks in structured order, calls inlined.
//!
//! Frames are explicit, so neither deep calls nor long chains of blocks use this program's stack. A callee's
//! blocks are placed where the call is; returns jump to a continuation block behind them, which takes the
//! result as parameters. A callee whose only return ends its last block needs none: the caller just goes on.

use crate::block_order::BlockOrder;
use crate::context::Lowerer;
use crate::error::{LowerError, Result, invalid, limit};
use crate::frame::Frame;
use crate::limits::CALL_DEPTH_MAX;
use crate::value::{Operand, Scalars};
use pyro_ir::{Block, BlockCall, Merge as IrMerge, Terminator as IrTerminator, Type as IrType, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::Op;
use pyro_spirv::{BlockIndex, FunctionIndex, Id, Instruction, Merge, SwitchCases, Terminator, Type};
use smallvec::SmallVec;
use std::rc::Rc;

/// Words of a phi's operands up to which its source is searched for.
const PHI_WORDS_SEARCHED: usize = 32;

impl<'m> Lowerer<'m, '_> {
    /// Lowers the entry point's function and all that it calls, behind the prologue.
    pub(crate) fn lower_entry_point(&mut self, function: Id) -> Result {
        let Some(function) = self.module.function_of(function) else {
            return invalid(format!("entry point {function} is not a function"));
        };
        if self.module.parameters(function).next().is_some() {
            return invalid("the entry point's function has parameters");
        }
        let first = self.make_block()?;
        self.b.start(first);
        self.begin_trace()?;
        self.enter(function, None, Vec::new())?;
        while !self.calls.frames.is_empty() {
            self.advance()?;
        }
        let prologue = self.prologue();
        self.b.switch_to(prologue);
        self.b.loc = pyro_ir::SourceLoc::default();
        self.b.jump(first, &[]);
        Ok(())
    }

    fn block_order(&mut self, function: FunctionIndex) -> Result<Rc<BlockOrder>> {
        if let Some(order) = self.calls.block_orders.get(&function) {
            return Ok(order.clone());
        }
        let order = Rc::new(BlockOrder::new(self.checked, function)?);
        self.calls.block_orders.insert(function, order.clone());
        Ok(order)
    }

    /// Starts a function in the current block.
    fn enter(
        &mut self,
        function: FunctionIndex,
        call: Option<Instruction<'m>>,
        arguments: Vec<Operand>,
    ) -> Result {
        if self.calls.frames.len() >= CALL_DEPTH_MAX {
            return limit(format!("calls nest deeper than {CALL_DEPTH_MAX}"));
        }
        if self.calls.frames.iter().any(|frame| frame.function == function) {
            return invalid(format!("function {} calls itself", self.module.function(function).id));
        }
        let order = self.block_order(function)?;
        let data = self.module.function(function);
        let insts = data.inst.as_u32()..data.end.as_u32() + 1;
        let mut values = vec![None; insts.len()];
        let mut parameters = self.module.parameters(function);
        for argument in arguments {
            let Some(parameter) = parameters.next() else { return invalid("a call with too many arguments") };
            values[(parameter.index().as_u32() - insts.start) as usize] = Some(argument);
        }
        if parameters.next().is_some() {
            return invalid("a call with too few arguments");
        }
        drop(parameters);

        // The entry block goes on in the block of the call, which must not be a header already.
        let current = self.b.block();
        let is_header = self.b.function.blocks[current].merge.is_some();
        let first = if is_header {
            let block = self.make_block()?;
            self.b.jump(block, &[]);
            self.b.start(block);
            block
        } else {
            current
        };
        let mut blocks = vec![first];
        for _ in 1..order.blocks.len() {
            blocks.push(self.make_block()?);
        }
        let continuation = match call {
            Some(_) if !order.returns_at_end(self.module) => Some(self.make_block()?),
            _ => None,
        };
        if let Some(call) = call {
            self.locations.enter(call.index());
        }
        self.calls.frames.push(Frame {
            function,
            order,
            insts,
            values,
            blocks,
            position: 0,
            next: 0,
            end: 0,
            call,
            continuation,
            result: None,
            is_element: false,
        });
        self.begin_block()
    }

    fn frame(&self) -> &Frame<'m> {
        self.calls.frames.last().expect("a function is being lowered")
    }

    fn frame_mut(&mut self) -> &mut Frame<'m> {
        self.calls.frames.last_mut().expect("a function is being lowered")
    }

    /// Starts the block at the frame's place.
    fn begin_block(&mut self) -> Result {
        let frame = self.frame();
        let (place, planned, block) =
            (frame.position, frame.order.blocks[frame.position], frame.blocks[frame.position]);
        if place != 0 {
            self.b.start(block);
        }
        let module = self.module;
        let data = module.block(planned.block);
        if !planned.reachable {
            self.b.terminate(IrTerminator::Unreachable);
            let frame = self.frame_mut();
            (frame.next, frame.end) = (0, 0);
            return Ok(());
        }
        let body = data.body();
        let start = data.label_inst.as_u32() + 1;
        let frame = self.frame_mut();
        (frame.next, frame.end) = (start, start + body.len() as u32);
        self.b.loc = self.locations.intern(module.location(data.label_inst), data.label_inst);
        for inst in module.body(planned.block) {
            match inst.op() {
                Op::Phi if place == 0 => return invalid("OpPhi in a function's first block"),
                Op::Phi => self.lower_phi(inst, block)?,
                op if facts(op).is_silent() => {}
                _ => break,
            }
        }
        if let Some(Merge::Loop { merge, continue_target, .. }) = module.merge(planned.block) {
            let (merge, continue_target) = (self.target(merge)?, self.target(continue_target)?);
            self.b.function.blocks[block].merge = Some(IrMerge::Loop { merge, continue_target });
        }
        self.count_block(planned.block)?;
        self.count_run(planned.block)
    }

    /// A phi becomes parameters of its block.
    fn lower_phi(&mut self, inst: Instruction<'m>, block: Block) -> Result {
        let ty = self.result_type(inst)?;
        let scalars = self.type_scalars(ty)?;
        let params: Scalars =
            scalars.iter().map(|&s| self.b.function.add_param(block, IrType::varying(s))).collect();
        self.sanitize_params(block, &params);
        let operand = self.operand_of_type(ty, params)?;
        self.define(inst, operand)
    }

    /// Lowers the next instruction, or ends the block.
    fn advance(&mut self) -> Result {
        let module = self.module;
        let frame = self.frame_mut();
        if frame.next < frame.end {
            let inst = module.inst(pyro_spirv::Inst::from_u32(frame.next));
            frame.next += 1;
            self.check_size()?;
            return self.lower_instruction(inst).map_err(|error| error.at(module, inst));
        }
        let planned = frame.order.blocks[frame.position];
        if planned.reachable {
            self.end_block(planned.block)?;
        }
        let frame = self.frame_mut();
        frame.position += 1;
        if frame.position < frame.order.blocks.len() {
            return self.begin_block();
        }
        self.leave()
    }

    /// Goes on behind the call.
    fn leave(&mut self) -> Result {
        let frame = self.calls.frames.pop().expect("a function is being lowered");
        let Some(call) = frame.call else { return Ok(()) };
        self.locations.leave();
        let ty = self.result_type(call)?;
        let is_void = matches!(self.module.ty(ty), Type::Void);
        let mut result = frame.result;
        if let Some(continuation) = frame.continuation {
            self.b.start(continuation);
            let mut params = Scalars::from_vec(self.b.function.blocks[continuation].params.clone());
            if frame.order.return_count > 0 && !is_void {
                params.truncate(self.type_scalars(ty)?.len());
                result = Some(self.operand_of_type(ty, params)?);
            }
        }
        self.b.loc = self.locations.intern(self.module.location(call.index()), call.index());
        if is_void {
            return Ok(());
        }
        // Nothing comes back from a function that never returns.
        let result = match result {
            Some(result) => result,
            None => self.zeros(ty)?,
        };
        if frame.is_element {
            self.calls.returned = Some(result);
            return Ok(());
        }
        self.define(call, result)?;
        self.trace_result(call)
    }

    /// Calls a function for an element of a cooperative matrix, in the middle of an instruction.
    pub(crate) fn call_for_element(&mut self, function: Id, arguments: Vec<Operand>) -> Result<Scalars> {
        let Some(index) = self.module.function_of(function) else {
            return invalid(format!("{function} is not a function"));
        };
        if self.calls.frames.iter().any(|frame| frame.is_element) {
            return invalid(
                "a function that is called for elements has instructions that call functions for elements",
            );
        }
        self.check_arguments(index, &arguments)?;
        // The declaration says what the call's result is.
        let declaration = self.module.inst(self.module.function(index).inst);
        let depth = self.calls.frames.len();
        let state = (self.float.flushing, self.float.widening);
        self.enter(index, Some(declaration), arguments)?;
        self.frame_mut().is_element = true;
        while self.calls.frames.len() > depth {
            self.check_size()?;
            self.advance()?;
        }
        (self.float.flushing, self.float.widening) = state;
        match self.calls.returned.take() {
            Some(operand) => self.operand_scalars(operand),
            None => invalid(format!("function {function} returns nothing")),
        }
    }

    /// Fails unless arguments are of the types of a function's parameters.
    fn check_arguments(&mut self, function: FunctionIndex, arguments: &[Operand]) -> Result {
        let mut types = self.module.parameters(function);
        for argument in arguments {
            let Some(ty) = types.next().and_then(|parameter| parameter.result_type()) else {
                return invalid("a call with too many arguments");
            };
            if let Operand::Data(scalars) = argument {
                let expected = self.type_scalars(ty)?;
                let fits = scalars.len() == expected.len()
                    && scalars.iter().zip(&expected[..]).all(|(&v, &s)| self.scalar_type(v) == s);
                if !fits {
                    return invalid("the arguments of a call do not fit the function");
                }
            }
        }
        Ok(())
    }

    /// `OpFunctionCall`
    pub(crate) fn lower_call(&mut self, inst: Instruction<'m>) -> Result {
        let Some(function) = self.module.function_of(inst.id(0)) else {
            return invalid(format!("a call of {}, which is not a function", inst.id(0)));
        };
        let arguments: Result<Vec<_>> = inst.ids_from(1).iter().map(|id| self.operand(id)).collect();
        let arguments = arguments?;
        self.check_arguments(function, &arguments)?;
        self.enter(function, Some(inst), arguments)
    }

    /// The IR block of a label of the function that is being lowered.
    fn target(&self, label: Id) -> Result<Block> {
        let frame = self.frame();
        let place = self.module.block_of(label).and_then(|block| frame.order.position(block));
        match place {
            Some(place) => Ok(frame.blocks[place]),
            None => invalid(format!("{label} is not a block of the function that branches to it")),
        }
    }

    /// What a phi gets from a block.
    fn phi_source(&mut self, phi: Instruction<'m>, parent: Id) -> Option<Id> {
        let words = phi.ids_from(0).words();
        let pairs = words.chunks_exact(2).map(|pair| (pair[1], Id::from_u32(pair[0])));
        if words.len() <= PHI_WORDS_SEARCHED {
            return pairs.into_iter().find(|pair| pair.0 == parent.as_u32()).map(|pair| pair.1);
        }
        let sources = self.large_phis.entry(phi.index()).or_insert_with(|| pairs.rev().collect());
        sources.get(&parent.as_u32()).copied()
    }

    /// A jump to a label, with what its phis get from `from`.
    fn block_call(&mut self, label: Id, from: BlockIndex) -> Result<BlockCall> {
        let block = self.target(label)?;
        let target = self.module.block_of(label).expect("it is the target's label");
        if !self.sanitizer.is_off() {
            let order = &self.frame().order;
            let is_back_edge = order.position(target) <= order.position(from);
            self.sanitize_edge(target, is_back_edge)?;
        }
        let parent = self.module.block(from).label;
        let mut args: SmallVec<[Value; 2]> = SmallVec::new();
        for inst in self.module.body(target) {
            match inst.op() {
                Op::Phi => {
                    let Some(value) = self.phi_source(inst, parent) else {
                        return invalid(format!("{inst:?} has no value for the branch from {parent}"));
                    };
                    let value = self.scalars(value)?;
                    let ty = self.result_type(inst)?;
                    let expected = self.type_scalars(ty)?;
                    let fits = value.len() == expected.len()
                        && value.iter().zip(&expected[..]).all(|(&v, &s)| self.scalar_type(v) == s);
                    if !fits {
                        return invalid(format!("the operands of {inst:?} do not fit its type"));
                    }
                    let flags = self.sanitize_arguments(&value);
                    args.extend(value.into_iter().chain(flags));
                }
                op if facts(op).is_silent() => {}
                _ => break,
            }
        }
        Ok(BlockCall { block, args })
    }

    /// Merge instruction and terminator.
    fn end_block(&mut self, block: BlockIndex) -> Result {
        let module = self.module;
        let end = module.block(block).terminator;
        self.b.loc = self.locations.intern(module.location(end), end);
        self.sanitize_terminator(module.inst(end), &module.terminator(block))?;
        self.trace_terminator(module.inst(end))?;
        self.count_branch(block)?;
        let terminator = match module.terminator(block) {
            Terminator::Branch { target } => {
                let call = self.block_call(target, block)?;
                IrTerminator::Jump(self.run_ahead(target, block, call)?)
            }
            Terminator::BranchConditional { condition, on_true, on_false } => {
                // Blocks that count their invocations are blocks.
                let may_join = self.frame().call.is_none() && !self.counts_blocks() && self.trace.is_off();
                if may_join && let Some(end) = self.demote_on_branch(block, condition, [on_true, on_false])? {
                    let call = self.block_call(end, block)?;
                    self.b.terminate(IrTerminator::Jump(call));
                    return Ok(());
                }
                let condition = self.scalar(condition)?;
                if self.scalar_type(condition) != pyro_ir::Scalar::I1 {
                    return invalid("a branch on something that is not a boolean");
                }
                let then = self.block_call(on_true, block)?;
                if on_true == on_false {
                    IrTerminator::Jump(then)
                } else {
                    let otherwise = self.block_call(on_false, block)?;
                    IrTerminator::Branch { condition, then, otherwise }
                }
            }
            Terminator::Switch { selector, default, cases } => {
                self.switch(block, selector, default, cases)?
            }
            Terminator::Return => return self.end_return(None),
            Terminator::ReturnValue(value) => {
                let value = self.operand(value)?;
                return self.end_return(Some(value));
            }
            Terminator::Unreachable => IrTerminator::Unreachable,
            Terminator::Abort { ty, message } => match self.abort(module.inst(end), ty, message)? {
                Some(end) => IrTerminator::Jump(BlockCall::new(end, &[])),
                None => IrTerminator::Return(0),
            },
            Terminator::Kill | Terminator::TerminateInvocation => {
                let stage = self.stage;
                stage.demote(self)?;
                let Some(end) = self.end else { return invalid("OpKill in a stage that has none") };
                IrTerminator::Jump(BlockCall::new(end, &[]))
            }
            end @ (Terminator::IgnoreIntersection | Terminator::TerminateRay) => {
                let stage = self.stage;
                stage.end_ray(self, matches!(end, Terminator::TerminateRay))?;
                let Some(end) = self.end else { return invalid("the end of a ray in a stage that has none") };
                IrTerminator::Jump(BlockCall::new(end, &[]))
            }
            Terminator::EmitMeshTasks { groups, payload: _ } => {
                let [x, y, z] = groups;
                let groups = [self.scalar(x)?, self.scalar(y)?, self.scalar(z)?];
                let stage = self.stage;
                stage.emit_mesh_tasks(self, groups)?;
                let Some(end) = self.end else {
                    return invalid("OpEmitMeshTasksEXT in a stage that has none");
                };
                IrTerminator::Jump(BlockCall::new(end, &[]))
            }
        };
        if let Some(Merge::Selection { merge, .. }) = module.merge(block)
            && matches!(terminator, IrTerminator::Branch { .. } | IrTerminator::Switch { .. })
        {
            let merge = self.target(merge)?;
            // The current block holds the branch; a header of a loop stays one.
            let mut current = self.b.block();
            if self.b.function.blocks[current].merge.is_some() {
                current = self.make_block()?;
                self.b.jump(current, &[]);
                self.b.start(current);
            }
            self.b.function.blocks[current].merge = Some(IrMerge::Selection { merge });
        }
        self.b.terminate(terminator);
        Ok(())
    }

    fn switch(
        &mut self,
        block: BlockIndex,
        selector: Id,
        default: Id,
        cases: SwitchCases<'m>,
    ) -> Result<IrTerminator> {
        let selector = self.scalar(selector)?;
        let scalar = self.scalar_type(selector);
        if !scalar.is_int() {
            return invalid("a switch on something that is not an integer");
        }
        let default = self.block_call(default, block)?;
        let mut literals = std::collections::HashSet::with_capacity(cases.len());
        let mut list = Vec::with_capacity(cases.len());
        for (literal, label) in cases.iter() {
            let literal = literal & scalar.mask();
            if !literals.insert(literal) {
                return invalid(format!("a switch has the case {literal} twice"));
            }
            list.push((literal, self.block_call(label, block)?));
        }
        if list.is_empty() {
            return Ok(IrTerminator::Jump(default));
        }
        Ok(IrTerminator::Switch { selector, cases: list, default })
    }

    fn end_return(&mut self, value: Option<Operand>) -> Result {
        let frame = self.frame();
        let Some(call) = frame.call else {
            match self.end {
                Some(end) => self.b.jump(end, &[]),
                None => self.b.terminate(IrTerminator::Return(0)),
            }
            return Ok(());
        };
        let Some(continuation) = frame.continuation else {
            let value = match value {
                Some(Operand::Data(_)) | None => value,
                // A pointer that the caller knows by its place.
                pointer => pointer,
            };
            self.frame_mut().result = value;
            return Ok(());
        };
        let ty = self.result_type(call)?;
        let expected = self.type_scalars(ty)?;
        let mut args = match value {
            Some(value) => self.operand_scalars(value)?,
            None => Scalars::new(),
        };
        let fits = args.len() == expected.len()
            && args.iter().zip(&expected[..]).all(|(&v, &s)| self.scalar_type(v) == s);
        if !fits {
            return invalid("a function returns a value of another type than its own");
        }
        if self.b.function.blocks[continuation].params.is_empty() {
            let params: Scalars = expected
                .iter()
                .map(|&scalar| self.b.function.add_param(continuation, IrType::varying(scalar)))
                .collect();
            self.sanitize_params(continuation, &params);
        } else if self.b.function.blocks[continuation].params.len()
            != expected.len() + self.sanitized_param_count(expected.len())
        {
            return Err(LowerError::internal("returns of one function differ".to_owned()));
        }
        let flags = self.sanitize_arguments(&args);
        args.extend(flags);
        self.b.jump(continuation, &args);
        Ok(())
    }
}
