//! Software pipelining: the end of an iteration overlaps the beginning of the next.
//!
//! An iteration over fragments or invocations mostly ends with one long chain of operations, each of which
//! waits for the one before: a sine, a root, the conversion to a texel, the store. What a processor could run
//! meanwhile is the next iteration, but it looks ahead less than such a chain takes. So the end of an
//! iteration and the beginning of the next one become one block, in which [`crate::target::list_schedule`]
//! mixes them:
//!
//! ```text
//! ─▶ body(i) ─┬─▶ exit         ─▶ start ─▶ header(i, carried) ─┬─▶ body ─▶ …      ─┬─▶ end ─▶ exit
//!      ▲      ▼                    first part of i              ▼  rest of i and    │   rest of i
//!     poll ◀──┘                                               body  first part of i+1
//! ```
//!
//! Nor should the first part wait for how it begins, mostly with a chain as well: places, a division, what is
//! interpolated. That is computed another iteration ahead, for `i + 2` beside the rest of `i`; where `i + 1`
//! is the last iteration, for that one again.
//!
//! The *rest* is what lies within some time of the iteration's end, with all writes and all reads of memory
//! that the loop might write, so each keeps its place among the others. How much time is chosen such that few
//! values go from one part to the other. Places that depend on the lane alone are computed in both parts,
//! since selection wants to see how they are made. Bodies with branches stay as they are: image operations,
//! which have them, are bound by their gathers.

use crate::target::Target;
use crate::target::list_schedule::latency;
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, Inst, InstData, MemoryOp, Opcode, Scalar, SourceLoc,
    Terminator, Value, ValueDef,
};
use pyro_util::SecondaryMap;

/// The most lanes: with more, operations of one iteration run beside each other.
const LANES_MAX: u32 = 16;
/// The most operations of a function: the more there are, the less does copying some of them gain.
const FUNCTION_MAX: usize = 8192;
/// The fewest operations on lanes of a loop's body: short iterations are within what a processor looks ahead.
const OPERATIONS_MIN: usize = 160;
/// The fewest operations on lanes of the rest.
const REST_MIN: usize = 12;
/// The longest rest in cycles, and by how much shorter ones are tried.
const REST_CYCLES: u32 = 160;
const STEP: usize = 8;
const REST_CYCLES_MIN: u32 = 48;
/// The longest beginning of the first part that is computed another iteration ahead, in cycles, and by how
/// much shorter ones are tried; and the fewest operations on lanes of it.
const AHEAD_CYCLES: u32 = 96;
const AHEAD_CYCLES_MIN: u32 = 24;
const AHEAD_MIN: usize = 8;
/// The most values of it that others read: vectors, masks, and what is the same for all lanes.
const AHEAD_MAX: [usize; 3] = [3, 0, 4];
/// The most values that go from one part to the other: vectors, masks, and what is the same for all lanes.
const CARRIED_MAX: [usize; 3] = [4, 0, 4];

/// Overlaps the iterations of the large loops of a function in mask form, where code for `target` gains by
/// that. Returns whether anything changed; some of the copies may be of no use then.
pub fn run(function: &mut Function, target: Target) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let is_large = function.insts.len() > FUNCTION_MAX;
    if !target.wide_vectors || function.lanes > LANES_MAX || is_large {
        return false;
    }
    let mut changed = false;
    let mut index = 0;
    while index < function.block_order.len() {
        let body = function.block_order[index];
        index += 1;
        if function.blocks[body].insts.len() >= OPERATIONS_MIN
            && let Some(found) = Loop::find(function, body)
            && let Some(split) = found.split(function)
        {
            split.apply(function, &found);
            changed = true;
        }
    }
    changed
}

/// A loop whose body has no branches.
struct Loop {
    /// All of it, and the end of the loop.
    body: Block,
    /// Goes back to the body, or leaves the function.
    poll: Block,
    /// Whether the body's first target is the loop's end.
    exits_first: bool,
    /// The body's parameters for the next iteration.
    next: Vec<Value>,
}

/// Where an operation goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Part {
    /// A constant: goes before the loop.
    is_constant: bool,
    /// Parameters of the next iteration and the loop's condition need it.
    is_control: bool,
    /// It belongs to the rest.
    is_rest: bool,
    /// A place that all parts compute.
    is_copied: bool,
    /// Of the first part what is computed another iteration ahead.
    is_ahead: bool,
    /// A place that this needs.
    is_copied_ahead: bool,
}

/// How a body is divided.
struct Split {
    parts: Vec<Part>,
    /// Values of the first part that the rest reads.
    carried: Vec<Value>,
    /// Values that are computed another iteration ahead and that others read.
    ahead: Vec<Value>,
}

/// The operations of a block by their results.
struct Places<'f> {
    function: &'f Function,
    insts: &'f [Inst],
    of: SecondaryMap<Value, u32>,
}

impl<'f> Places<'f> {
    fn new(function: &'f Function, block: Block) -> Places<'f> {
        let insts = &function.blocks[block].insts;
        let mut of = SecondaryMap::<Value, u32>::with_capacity(u32::MAX, function.values.len());
        for (index, &inst) in insts.iter().enumerate() {
            if let Some(result) = function.insts[inst].result.expand() {
                of[result] = index as u32;
            }
        }
        Places { function, insts, of }
    }

    fn of(&self, value: Value) -> Option<usize> {
        (self.of[value] != u32::MAX).then_some(self.of[value] as usize)
    }

    fn data(&self, index: usize) -> &'f InstData {
        &self.function.insts[self.insts[index]]
    }

    fn parts(&self) -> Vec<Part> {
        let constant = |value: Value| self.function.const_bits(value).is_some();
        let part = |&inst: &Inst| Part {
            is_constant: self.function.insts[inst].result.expand().is_some_and(constant),
            ..Part::default()
        };
        self.insts.iter().map(part).collect()
    }

    /// How many operations on lanes there are of those that `picks` takes.
    fn vectors(&self, parts: &[Part], picks: impl Fn(&Part) -> bool) -> usize {
        let is_vector = |inst: Inst| {
            let result = self.function.insts[inst].result.expand();
            result.is_some_and(|value| self.function.ty(value).is_varying())
        };
        let picked = parts.iter().zip(self.insts).filter(|(part, _)| !part.is_constant && picks(part));
        picked.filter(|&(_, &inst)| is_vector(inst)).count()
    }
}

/// Whether an operation writes, or reads what the loop might write.
fn is_ordered(data: &InstData) -> bool {
    match data.op.effect() {
        Effect::Pure | Effect::Convergent => false,
        Effect::Read if data.op.is_memory() => {
            let memory = MemoryOp::from_imm(data.imm);
            memory.volatile || !memory.space.is_read_only()
        }
        Effect::Read | Effect::Write | Effect::Barrier => true,
    }
}

impl Loop {
    /// The loop of this body, which only one other block leads back to.
    fn find(function: &Function, body: Block) -> Option<Loop> {
        let Terminator::Branch { then, otherwise, .. } = &function.blocks[body].terminator else {
            return None;
        };
        let targets = |block: Block| function.blocks[block].terminator.targets();
        let goes_back = |block: Block| targets(block).any(|target| target.block == body);
        let exits_first = goes_back(otherwise.block);
        let (back, exit) = if exits_first { (otherwise, then) } else { (then, otherwise) };
        let poll = back.block;
        if poll == body
            || !goes_back(poll)
            || goes_back(body)
            || goes_back(exit.block)
            || !back.args.is_empty()
        {
            return None;
        }
        let into_poll = |&&block: &&Block| targets(block).any(|target| target.block == poll);
        if function.block_order.iter().filter(into_poll).count() != 1 || exit.block == poll {
            return None;
        }
        let next = targets(poll).find(|target| target.block == body)?.args.to_vec();
        Some(Loop { body, poll, exits_first, next })
    }

    /// Divides the body; nothing where that gains nothing or may not be.
    fn split(&self, function: &Function) -> Option<Split> {
        if function.blocks[self.body].insts.len() < OPERATIONS_MIN {
            return None;
        }
        let places = Places::new(function, self.body);
        let mut parts = places.parts();
        // What decides about the next iteration has to be known before that begins.
        let mut control: Vec<Value> = self.next.clone();
        control.extend(function.blocks[self.body].terminator.operand());
        while let Some(value) = control.pop() {
            let Some(index) = places.of(value).filter(|&index| !parts[index].is_constant) else {
                // The block that goes back only reads the flag that stops loops.
                if matches!(function.values[value].def, ValueDef::Param(block, _) if block == self.poll)
                    || function.blocks[self.poll]
                        .insts
                        .iter()
                        .any(|&inst| function.insts[inst].result.expand() == Some(value))
                {
                    return None;
                }
                continue;
            };
            let data = places.data(index);
            if data.op.effect() != Effect::Pure || function.ty(value).is_varying() {
                return None;
            }
            if !std::mem::replace(&mut parts[index].is_control, true) {
                control.extend(&data.args);
            }
        }
        if leaks(&places, &parts, self.body) {
            return None;
        }
        // Cycles from the start of each operation to the end of the body at best.
        let mut heights = vec![0; parts.len()];
        for index in (0..parts.len()).rev() {
            let data = places.data(index);
            heights[index] += latency(data);
            for source in data.args.iter().filter_map(|&arg| places.of(arg)) {
                heights[source] = heights[source].max(heights[index]);
            }
        }
        let mut limits = (REST_CYCLES_MIN..=REST_CYCLES).rev().step_by(STEP);
        let mut split = limits.find_map(|limit| Loop::split_at(&places, &parts, &heights, limit))?;
        split.find_ahead(&places);
        Some(split)
    }

    fn split_at(places: &Places, parts: &[Part], heights: &[u32], limit: u32) -> Option<Split> {
        let mut parts = parts.to_vec();
        for (index, &height) in heights.iter().enumerate() {
            let data = places.data(index);
            let reads_rest = data.args.iter().filter_map(|&arg| places.of(arg)).any(|at| parts[at].is_rest);
            let part = &mut parts[index];
            part.is_rest =
                !part.is_constant && !part.is_control && (is_ordered(data) || reads_rest || height <= limit);
        }
        let all = places.vectors(&parts, |part| !part.is_control);
        let rest = places.vectors(&parts, |part| part.is_rest);
        if all < OPERATIONS_MIN || rest < REST_MIN || rest > all / 2 {
            return None;
        }
        let carried = carried(places, &mut parts);
        fits(places.function, &carried, CARRIED_MAX).then_some(Split { parts, carried, ahead: Vec::new() })
    }
}

/// Whether a value of a block's rest is read in another block.
fn leaks(places: &Places, parts: &[Part], own: Block) -> bool {
    let function = places.function;
    let stays = |value: Value| {
        places.of(value).is_none_or(|index| parts[index].is_control || parts[index].is_constant)
    };
    let mut leaks = false;
    for &block in &function.block_order {
        let data = &function.blocks[block];
        data.terminator.for_each_value(|value| leaks |= !stays(value));
        if block != own {
            let args = data.insts.iter().flat_map(|&inst| &function.insts[inst].args);
            leaks |= args.into_iter().any(|&arg| !stays(arg));
        }
    }
    leaks
}

/// The values of the first part that the rest reads, but for places that depend on the lane alone, which are
/// marked as copied.
fn carried(places: &Places, parts: &mut [Part]) -> Vec<Value> {
    let function = places.function;
    let is_first = |part: &Part| !part.is_constant && !part.is_control && !part.is_rest;
    let readers: Vec<&InstData> =
        (0..parts.len()).filter(|&index| parts[index].is_rest).map(|index| places.data(index)).collect();
    // Operands come before their users.
    let mut depends_on_lane = vec![false; parts.len()];
    for index in 0..parts.len() {
        let data = places.data(index);
        depends_on_lane[index] = is_first(&parts[index])
            && data.op.effect() == Effect::Pure
            && data.result.expand().is_some_and(|result| !function.ty(result).scalar.is_float())
            && data.args.iter().all(|&arg| {
                let made = places.of(arg).is_some_and(|at| depends_on_lane[at] || parts[at].is_constant);
                let invariant = places.of(arg).is_none() && function.def_inst(arg).is_some();
                !function.ty(arg).scalar.is_float() && (function.ty(arg).is_uniform() || made || invariant)
            });
    }
    let mut pending: Vec<Value> = readers
        .iter()
        .filter(|data| data.op.is_memory())
        .flat_map(|data| data.args.iter().copied())
        .collect();
    while let Some(value) = pending.pop() {
        let Some(index) = places.of(value).filter(|&index| depends_on_lane[index]) else { continue };
        if !std::mem::replace(&mut parts[index].is_copied, true) {
            pending.extend(&places.data(index).args);
        }
    }
    let mut carried = Vec::new();
    let mut read = |value: Value| {
        let is_carried = |index: usize| is_first(&parts[index]) && !parts[index].is_copied;
        if places.of(value).is_some_and(is_carried) && !carried.contains(&value) {
            carried.push(value);
        }
    };
    readers.iter().flat_map(|data| &data.args).for_each(|&arg| read(arg));
    let copied = (0..parts.len()).filter(|&index| parts[index].is_copied);
    copied.flat_map(|index| &places.data(index).args).for_each(|&arg| read(arg));
    carried
}

fn fits(function: &Function, carried: &[Value], most: [usize; 3]) -> bool {
    let mut counts = [0; 3];
    for &value in carried {
        let ty = function.ty(value);
        match (ty.is_varying(), ty.scalar) {
            (true, Scalar::I1) => counts[1] += 1,
            (true, scalar) => counts[0] += if scalar.bits() > 32 { 2 } else { 1 },
            (false, _) => counts[2] += 1,
        }
    }
    counts.iter().zip(most).all(|(&count, most)| count <= most)
}

/// Values in the place of others.
#[derive(Clone)]
struct Renamed(SecondaryMap<Value, Option<Value>>);

impl Renamed {
    fn new(function: &Function) -> Renamed {
        Renamed(SecondaryMap::with_capacity(None, function.values.len()))
    }

    fn of(&self, value: Value) -> Value {
        self.0[value].unwrap_or(value)
    }

    /// Copies operations to the end of a block.
    fn copy(&mut self, function: &mut Function, insts: &[Inst], to: Block) {
        for &inst in insts {
            let data = function.insts[inst].clone();
            let args: Vec<Value> = data.args.iter().map(|&arg| self.of(arg)).collect();
            let ty = data.result.expand().map(|result| function.ty(result));
            let copy = function.make_inst(data.op, &args, data.imm, ty, data.loc);
            function.blocks[to].insts.push(copy);
            if let Some(result) = data.result.expand() {
                self.0[result] = function.insts[copy].result.expand();
            }
        }
    }

    /// Renames what a block reads.
    fn rename(&self, function: &mut Function, block: Block) {
        for index in 0..function.blocks[block].insts.len() {
            let inst = function.blocks[block].insts[index];
            function.insts[inst].args.iter_mut().for_each(|arg| *arg = self.of(*arg));
        }
        function.blocks[block].terminator.for_each_value_mut(|value| *value = self.of(*value));
    }
}

/// Marks the places that what is ahead needs; false where these need something else.
fn copies_ahead(places: &Places, parts: &mut [Part]) -> bool {
    for index in (0..parts.len()).rev() {
        if !parts[index].is_ahead && !parts[index].is_copied_ahead {
            continue;
        }
        for source in places.data(index).args.iter().filter_map(|&arg| places.of(arg)) {
            let part = &mut parts[source];
            part.is_copied_ahead |= part.is_copied;
            if !part.is_ahead && !part.is_copied && !part.is_control && !part.is_constant {
                return false;
            }
        }
    }
    true
}

impl Split {
    /// Finds what begins the first part and can be another iteration ahead, so that the rest of it does not
    /// wait for it.
    fn find_ahead(&mut self, places: &Places) {
        // Cycles from the start of the body to the end of each operation at best.
        let mut ends = vec![0; self.parts.len()];
        for index in 0..self.parts.len() {
            let data = places.data(index);
            let start = data.args.iter().filter_map(|&arg| places.of(arg)).map(|arg| ends[arg]).max();
            ends[index] = start.unwrap_or(0) + if self.parts[index].is_constant { 0 } else { latency(data) };
        }
        for limit in (AHEAD_CYCLES_MIN..=AHEAD_CYCLES).rev().step_by(STEP) {
            let mut parts = self.parts.clone();
            for (part, &end) in parts.iter_mut().zip(&ends) {
                let is_first = !part.is_constant && !part.is_control && !part.is_rest && !part.is_copied;
                part.is_ahead = is_first && end <= limit;
            }
            if !copies_ahead(places, &mut parts) {
                continue;
            }
            let mut ahead = Vec::new();
            let others = (0..parts.len()).filter(|&index| !parts[index].is_ahead);
            for &arg in others.flat_map(|index| &places.data(index).args) {
                if places.of(arg).is_some_and(|index| parts[index].is_ahead) && !ahead.contains(&arg) {
                    ahead.push(arg);
                }
            }
            let vectors = places.vectors(&parts, |part| part.is_ahead);
            if vectors >= AHEAD_MIN && fits(places.function, &ahead, AHEAD_MAX) {
                (self.parts, self.ahead) = (parts, ahead);
                return;
            }
        }
    }

    fn apply(&self, function: &mut Function, found: &Loop) {
        let header = found.body;
        let insts = std::mem::take(&mut function.blocks[header].insts);
        let pick = |wanted: &dyn Fn(&Part) -> bool| -> Vec<Inst> {
            insts.iter().zip(&self.parts).filter(|(_, part)| wanted(part)).map(|(&inst, _)| inst).collect()
        };
        let constants = pick(&|part| part.is_constant);
        let stays = pick(&|part| part.is_control || part.is_copied);
        let first = pick(&|part| !part.is_constant && !part.is_rest);
        let rest = pick(&|part| part.is_rest);
        let middle = pick(&|part| !part.is_constant && !part.is_rest && !part.is_ahead);
        let begin = pick(&|part| part.is_control || part.is_copied_ahead || part.is_ahead);
        function.blocks[header].insts = stays;
        let condition = function.blocks[header].terminator.operand();
        let [start, body, end] = [(); 3].map(|()| function.make_block());

        // Before the loop: the first part of the first iteration.
        let params = function.blocks[header].params.clone();
        let mut of_start = Renamed::new(function);
        let mut arguments: Vec<Value> = Vec::new();
        for &param in &params {
            let own = function.add_param(start, function.ty(param));
            of_start.0[param] = Some(own);
            arguments.push(own);
        }
        for index in 0..function.block_order.len() {
            let block = function.block_order[index];
            if block != found.poll {
                let targets = function.blocks[block].terminator.targets_mut();
                targets.filter(|target| target.block == header).for_each(|target| target.block = start);
            }
        }
        function.blocks[start].insts = constants;
        of_start.copy(function, &first, start);
        let own = arguments.clone();
        arguments.extend(self.carried.iter().map(|&value| of_start.of(value)));
        let following: Vec<Value> = found.next.iter().map(|&next| of_start.of(next)).collect();
        let places = [own.as_slice(), &following];
        let condition_of = condition.map(|condition| of_start.of(condition));
        arguments.extend(self.begin(function, found, start, &params, &begin, condition_of, places));
        function.blocks[start].terminator = Terminator::Jump(BlockCall::new(header, &arguments));

        // In the loop: the first part of the next iteration, and the rest of this one.
        let mut of_next = Renamed::new(function);
        for (&param, &next) in params.iter().zip(&found.next) {
            of_next.0[param] = Some(next);
        }
        let mut of_rest = Renamed::new(function);
        for &value in &self.carried {
            of_rest.0[value] = Some(function.add_param(header, function.ty(value)));
        }
        for &value in &self.ahead {
            of_next.0[value] = Some(function.add_param(header, function.ty(value)));
        }
        of_next.copy(function, &middle, body);
        let mut next: Vec<Value> = self.carried.iter().map(|&value| of_next.of(value)).collect();
        let following: Vec<Value> = found.next.iter().map(|&next| of_next.of(next)).collect();
        let condition_of = condition.map(|condition| of_next.of(condition));
        let places = [found.next.as_slice(), &following];
        next.extend(self.begin(function, found, body, &params, &begin, condition_of, places));
        of_rest.rename(function, header);
        let mut of_end = of_rest.clone();
        of_rest.copy(function, &rest, body);
        of_end.copy(function, &rest, end);
        for target in function.blocks[found.poll].terminator.targets_mut() {
            if target.block == header {
                target.args.extend_from_slice(&next);
            }
        }
        let mut terminator = std::mem::take(&mut function.blocks[header].terminator);
        if let Terminator::Branch { then, otherwise, .. } = &mut terminator {
            let (back, exit) = if found.exits_first { (otherwise, then) } else { (then, otherwise) };
            let back = std::mem::replace(back, BlockCall::new(body, &[]));
            let exit = std::mem::replace(exit, BlockCall::new(end, &[]));
            function.blocks[body].terminator = Terminator::Jump(back);
            function.blocks[end].terminator = Terminator::Jump(exit);
        }
        function.blocks[header].terminator = terminator;
        let order = &mut function.block_order;
        let position = |order: &[Block], wanted: Block| order.iter().position(|&block| block == wanted);
        if let Some(at) = position(order, header) {
            order.insert(at, start);
        }
        if let Some(at) = position(order, found.poll) {
            order.splice(at..=at, [body, found.poll, end]);
        }
    }

    /// At the end of `block`, what is computed ahead of the iteration behind the one whose parameters are
    /// `own`, or of that one again where it is the last: `condition` is its condition, `following` what the
    /// parameters are then.
    #[expect(clippy::too_many_arguments)]
    fn begin(
        &self,
        function: &mut Function,
        found: &Loop,
        block: Block,
        params: &[Value],
        insts: &[Inst],
        condition: Option<Value>,
        [own, following]: [&[Value]; 2],
    ) -> Vec<Value> {
        let Some(condition) = condition.filter(|_| !self.ahead.is_empty()) else { return Vec::new() };
        let mut renamed = Renamed::new(function);
        for ((&param, &own), &following) in params.iter().zip(own).zip(following) {
            let [then, otherwise] = if found.exits_first { [own, following] } else { [following, own] };
            let ty = function.ty(own);
            let args = [condition, then, otherwise];
            let inst = function.make_inst(Opcode::Select, &args, 0, Some(ty), SourceLoc::default());
            function.blocks[block].insts.push(inst);
            renamed.0[param] = function.insts[inst].result.expand();
        }
        renamed.copy(function, insts, block);
        self.ahead.iter().map(|&value| renamed.of(value)).collect()
    }
}
