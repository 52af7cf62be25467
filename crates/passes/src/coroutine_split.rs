//! Coroutine splitting: suspend points become exits of the function and entries into its middle. Mask form.
//!
//! A suspend point ends the call with its exit code; the next call of the function goes on behind it. So the
//! pass splits the block there. What lives across is stored in the subgroup's frame before and loaded behind;
//! the number of the point is stored in `SubgroupContext::resume_point`, on which a new entry block branches.
//! Since a call may then enter in the middle, a value that is loaded again has several definitions:
//! [`Renamer`] merges them.
//!
//! * Values that are cheap to compute from constants, the entry arguments, the lane number and the context
//!   records (which stay the same from call to call) are not stored: they are computed in the new entry
//!   block.
//! * A value that lives across several points, or across one in a loop around which it does not change, has
//!   its own offset in the frame and is stored once, where it is defined.
//! * Other values are stored at the point. For them the frame only matters from the exit to the next entry,
//!   so each point lays out the rest of the frame by itself.
//! * In the frame a varying value is `lanes` scalars, consecutive; a mask is its bits as an `i64`; a uniform
//!   value takes 8 bytes.
//!
//! Afterwards loops that hold suspend points have several entries, so passes that need reducible graphs run
//! before this one.
//!
//! In a function with the loops of [`crate::barrier_loop`], a suspend point does not leave the call: it goes
//! to the latch of the loop over subgroups, whose header is the new entry block. What is defined before or in
//! the header is there at every point, so it is not stored.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{Cfg, Liveness, LoopForest};
use crate::barrier_loop::Resume;
use crate::prune;
use crate::ssa_builder::Variable;
use crate::ssa_rename::Renamer;
use pyro_abi::context::offset;
use pyro_ir::{
    Block, BlockCall, BlockData, Form, Function, Inst, MemoryOp, Opcode, Scalar, Signature, SourceLoc, Space,
    Terminator, Type, Value,
};
use pyro_util::SecondaryMap;
use rustc_hash::FxHashMap;

/// The most operations that are computed again instead of storing their result.
const REMATERIALIZE_COST: u32 = 12;

/// The number of the first suspend point of a function that is called anew for each piece.
const FIRST_POINT: u64 = 1;

/// Whether the function has suspend points.
pub(crate) fn suspends(function: &Function) -> bool {
    function.block_order.iter().any(|&block| {
        function.blocks[block].insts.iter().any(|&inst| function.insts[inst].op == Opcode::Suspend)
    })
}

/// Runs the pass. `resume`: the loops that [`crate::barrier_loop`] has made.
pub fn run(function: &mut Function, resume: Option<Resume>) {
    debug_assert_eq!(function.form, Form::Mask);
    if !suspends(function) {
        return;
    }
    prune::run(function);
    let points = split(function);
    let tails: Vec<Block> = points.iter().map(|point| point.tail).collect();
    let cfg = Cfg::new(function);
    let mut def_block = def_blocks(function);
    let mut live = Liveness::new(function, &cfg, &def_block, &tails);

    let entry = resume.map_or_else(|| function.make_block(), |resume| resume.header);
    let mut there = SecondaryMap::<Value, bool>::with_capacity(false, function.values.len());
    if let Some(resume) = resume {
        for value in function.values.keys() {
            let home = def_block[value];
            there[value] = home != Block::RESERVED && cfg.position(home) <= cfg.position(resume.header);
        }
        live.retain(|value| !there[value]);
    }
    let mut frame = Frame::new(function, resume.map(|resume| resume.record));
    let again = rematerialize(function, &mut frame, &live, &there, points.len());
    for &value in &again {
        def_block[value] = entry;
    }
    let mut moved = SecondaryMap::with_capacity(false, function.values.len());
    for &value in &again {
        moved[value] = true;
    }

    let (places, own_end) = own_places(function, &mut frame, &cfg, &points, &live, &moved, &def_block);
    store_at_definitions(function, &mut frame, &places);
    function.frame_bytes = own_end.next_multiple_of(64);

    // Stores and loads at the points.
    let mut variables = SecondaryMap::<Value, Option<Variable>>::with_capacity(None, function.values.len());
    let mut reloads: Vec<(Value, Block, Value)> = Vec::new();
    let first_point = resume.map_or(FIRST_POINT, |resume| resume.first_point);
    for (index, point) in points.iter().enumerate() {
        let mut at = own_end;
        let mut loads = Vec::new();
        for &value in live.live_in(index) {
            if moved[value] {
                continue;
            }
            let place = match places[value] {
                Some(place) => place,
                None => {
                    let place = frame.allocate(function, &mut at, value);
                    let mut stores = std::mem::take(&mut function.blocks[point.head].insts);
                    frame.store(function, &mut stores, place, value);
                    function.blocks[point.head].insts = stores;
                    place
                }
            };
            let what = if places[value].is_some() { stored(function, value) } else { value };
            let mut loaded = frame.load(function, &mut loads, place, what);
            if what != value {
                let ty = function.ty(value);
                loaded = define(function, &mut loads, Opcode::Splat, &[loaded], 0, ty);
            }
            reloads.push((value, point.tail, loaded));
        }
        function.frame_bytes = function.frame_bytes.max(at.next_multiple_of(64));
        let number = frame.constant(function, Scalar::I32, index as u64 + first_point);
        let always = frame.always(function);
        let (context, zero) = (frame.context, frame.zero);
        let field = MemoryOp::new(Space::Frame).at(offset::RESUME_POINT as i32).to_imm();
        let store = function.make_inst(
            Opcode::Store,
            &[context, zero, number, always],
            field,
            None,
            SourceLoc::default(),
        );
        function.blocks[point.head].insts.push(store);
        function.blocks[point.head].terminator = match resume {
            Some(resume) => Terminator::Jump(BlockCall::new(resume.latch, &[])),
            None => Terminator::Return(point.code),
        };
        function.blocks[point.tail].insts.splice(0..0, loads);
    }

    enter(function, frame, entry, &tails, resume);
    repair(function, &mut variables, &reloads);
}

/// Values with a place of their own in the frame: those that live across several points, or across one in a
/// loop around which they do not change. Gives each its place, and the end of these places.
fn own_places(
    function: &mut Function,
    frame: &mut Frame,
    cfg: &Cfg,
    points: &[Point],
    live: &Liveness,
    moved: &SecondaryMap<Value, bool>,
    def_block: &SecondaryMap<Value, Block>,
) -> (SecondaryMap<Value, Option<u32>>, u32) {
    let forest = LoopForest::new(function, cfg);
    let depth = |block: Block| forest.innermost(cfg.position(block)).map_or(0, |id| forest.get(id).depth);
    let mut crossings =
        SecondaryMap::<Value, Crossings>::with_capacity(Crossings::NONE, function.values.len());
    let mut crossing: Vec<Value> = Vec::new();
    for (index, point) in points.iter().enumerate() {
        for &value in live.live_in(index) {
            if !moved[value] {
                if crossings[value].count == 0 {
                    crossing.push(value);
                }
                crossings[value].add(depth(point.head));
            }
        }
    }
    let mut places = SecondaryMap::<Value, Option<u32>>::with_capacity(None, function.values.len());
    let mut own_end = 0;
    for value in crossing {
        let Crossings { count, least_depth, greatest_depth } = crossings[value];
        let def_depth = depth(def_block[value]);
        if def_depth <= least_depth && (count > 1 || def_depth < greatest_depth) {
            places[value] = Some(frame.allocate(function, &mut own_end, stored(function, value)));
        }
    }
    (places, own_end)
}

/// Fills the block that a call, or a subgroup's round, starts with: what is computed there, and the switch on
/// the resume point.
fn enter(function: &mut Function, mut frame: Frame, entry: Block, tails: &[Block], resume: Option<Resume>) {
    let call = |block| BlockCall::new(block, &[]);
    let first = resume.map_or(FIRST_POINT, |resume| resume.first_point);
    let points = tails.iter().enumerate().map(|(index, &tail)| (index as u64 + first, call(tail)));
    if resume.is_some() {
        function.blocks[entry].insts.append(&mut frame.insts);
        let Terminator::Switch { cases, .. } = &mut function.blocks[entry].terminator else {
            unreachable!("the header of the rounds ends in a switch");
        };
        // Waiting is usual, having ended while others wait is rare.
        cases.splice(0..0, points);
        return;
    }
    let old_entry = function.entry();
    let always = frame.always(function);
    let field = MemoryOp::new(Space::Frame).at(offset::RESUME_POINT as i32).to_imm();
    let (context, zero) = (frame.context, frame.zero);
    let selector =
        frame.define(function, Opcode::Load, &[context, zero, always], field, Type::uniform(Scalar::I32));
    let cases = points.collect();
    function.blocks[entry].insts = frame.insts;
    function.blocks[entry].terminator = Terminator::Switch { selector, cases, default: call(old_entry) };
    function.block_order.insert(0, entry);
}

/// Stores each value that has its own offset in the frame behind its definition.
fn store_at_definitions(
    function: &mut Function,
    frame: &mut Frame,
    places: &SecondaryMap<Value, Option<u32>>,
) {
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let old = std::mem::take(&mut function.blocks[block].insts);
        let mut insts = Vec::with_capacity(old.len());
        for position in 0..function.blocks[block].params.len() {
            let param = function.blocks[block].params[position];
            if let Some(place) = places[param] {
                frame.store(function, &mut insts, place, param);
            }
        }
        for inst in old {
            insts.push(inst);
            if let Some(result) = function.insts[inst].result.expand()
                && let Some(place) = places[result]
            {
                let what = stored(function, result);
                frame.store(function, &mut insts, place, what);
            }
        }
        function.blocks[block].insts = insts;
    }
}

/// What is stored for a value at its definition: of a `splat`, the scalar.
fn stored(function: &Function, value: Value) -> Value {
    function.def_inst(value).filter(|data| data.op == Opcode::Splat).map_or(value, |data| data.args[0])
}

/// The suspend points that a value lives across.
#[derive(Clone, Copy)]
struct Crossings {
    count: u32,
    /// Depths of the loops that the points are in.
    least_depth: u32,
    greatest_depth: u32,
}

impl Crossings {
    const NONE: Crossings = Crossings { count: 0, least_depth: u32::MAX, greatest_depth: 0 };

    fn add(&mut self, depth: u32) {
        self.count += 1;
        self.least_depth = self.least_depth.min(depth);
        self.greatest_depth = self.greatest_depth.max(depth);
    }
}

/// One suspend point.
struct Point {
    code: u32,
    head: Block,
    tail: Block,
}

/// Splits blocks behind their suspend points; each head jumps to its tail.
fn split(function: &mut Function) -> Vec<Point> {
    let mut points = Vec::new();
    let mut order = Vec::with_capacity(function.block_order.len());
    for block in std::mem::take(&mut function.block_order) {
        order.push(block);
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut head = block;
        for inst in insts {
            if function.insts[inst].op != Opcode::Suspend {
                function.blocks[head].insts.push(inst);
                continue;
            }
            let terminator = std::mem::take(&mut function.blocks[head].terminator);
            let tail = function.blocks.push(BlockData { terminator, ..BlockData::default() });
            function.blocks[head].terminator = Terminator::Jump(BlockCall::new(tail, &[]));
            points.push(Point { code: function.insts[inst].imm as u32, head, tail });
            order.push(tail);
            head = tail;
        }
    }
    function.block_order = order;
    points
}

/// Moves live values that are cheap to compute, and what they are computed from, to the new entry block.
/// Returns the values moved. Values that are `there` anyway cost nothing.
fn rematerialize(
    function: &mut Function,
    frame: &mut Frame,
    live: &Liveness,
    there: &SecondaryMap<Value, bool>,
    points: usize,
) -> Vec<Value> {
    // Cost of computing each value from nothing; 0 when it cannot be.
    let mut cost = SecondaryMap::<Value, u32>::with_capacity(0, function.values.len());
    let mut order: Vec<Inst> = Vec::new();
    for &block in &function.block_order {
        for &inst in &function.blocks[block].insts {
            let data = &function.insts[inst];
            let Some(result) = data.result.expand().filter(|&result| !there[result]) else { continue };
            let own = match data.op.signature() {
                Signature::Const | Signature::Arg | Signature::LaneId => 1,
                Signature::Load => {
                    let memory = MemoryOp::from_imm(data.imm);
                    let always = function.const_bits(data.args[2]) == Some(1);
                    if memory.space != Space::Context || memory.volatile || !always {
                        continue;
                    }
                    2
                }
                _ if data.op.effect() == pyro_ir::Effect::Pure => 1,
                _ => continue,
            };
            let mut sum = own;
            let mut possible = true;
            for &arg in &data.args {
                // Constants are operands rather than work.
                let is_constant = function.const_bits(arg).is_some();
                possible &= cost[arg] != 0 || there[arg];
                sum += if is_constant { 0 } else { cost[arg] };
            }
            if possible && sum <= REMATERIALIZE_COST {
                cost[result] = sum;
                order.push(inst);
            }
        }
    }
    let mut needed = SecondaryMap::<Value, bool>::with_capacity(false, function.values.len());
    // Constants cost nothing wherever they are.
    for &value in live.far_constants() {
        needed[value] = !there[value];
    }
    for point in 0..points {
        for &value in live.live_in(point) {
            needed[value] |= cost[value] != 0;
        }
    }
    let mut moved = Vec::new();
    for &inst in order.iter().rev() {
        let data = &function.insts[inst];
        let result = data.expect_result();
        if needed[result] {
            data.args.iter().for_each(|&arg| needed[arg] = !there[arg]);
            moved.push(result);
        }
    }
    moved.reverse();
    frame.insts.extend(order.iter().copied().filter(|&inst| needed[function.insts[inst].expect_result()]));
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        let mut insts = std::mem::take(&mut function.blocks[block].insts);
        insts.retain(|&inst| {
            function.insts[inst].result.expand().is_none_or(|value| !needed[value] || cost[value] == 0)
        });
        function.blocks[block].insts = insts;
    }
    moved
}

/// Makes every use of a value that is loaded again see the right definition.
fn repair(
    function: &mut Function,
    variables: &mut SecondaryMap<Value, Option<Variable>>,
    reloads: &[(Value, Block, Value)],
) {
    let mut renamer = Renamer::new();
    let mut reloads_of = SecondaryMap::<Block, Vec<(Variable, Value)>>::new();
    for &(value, tail, reload) in reloads {
        let variable = *variables[value].get_or_insert_with(|| renamer.declare(function.ty(value)));
        reloads_of[tail].push((variable, reload));
    }
    // What each variable is in the block where it was last met.
    let mut here: Vec<(Block, Value)> = vec![(Block::RESERVED, Value::RESERVED); renamer.count()];
    for index in 0..function.block_order.len() {
        let block = function.block_order[index];
        renamer.enter_block(block);
        let write = |renamer: &mut Renamer, here: &mut [(Block, Value)], variable: Variable, value| {
            renamer.write(variable, value);
            here[variable.0 as usize] = (block, value);
        };
        let read = |function: &mut Function, renamer: &mut Renamer, here: &mut [(Block, Value)], value| {
            let Some(variable): Option<Variable> = variables[value] else { return value };
            let known = &mut here[variable.0 as usize];
            if known.0 != block {
                *known = (block, renamer.read(function, variable));
            }
            known.1
        };
        for &(variable, reload) in &reloads_of[block] {
            write(&mut renamer, &mut here, variable, reload);
        }
        for &param in &function.blocks[block].params {
            if let Some(variable) = variables[param] {
                write(&mut renamer, &mut here, variable, param);
            }
        }
        let insts = std::mem::take(&mut function.blocks[block].insts);
        for &inst in &insts {
            let mut args = std::mem::take(&mut function.insts[inst].args);
            for arg in &mut args {
                *arg = read(function, &mut renamer, &mut here, *arg);
            }
            let data = &mut function.insts[inst];
            data.args = args;
            if let Some(result) = data.result.expand()
                && let Some(variable) = variables[result]
            {
                write(&mut renamer, &mut here, variable, result);
            }
        }
        function.blocks[block].insts = insts;
        let mut terminator = std::mem::take(&mut function.blocks[block].terminator);
        terminator.for_each_value_mut(|value| *value = read(function, &mut renamer, &mut here, *value));
        function.blocks[block].terminator = terminator;
    }
    renamer.finish(function);
}

/// Addresses of frame memory, and the instructions of the new entry block.
struct Frame {
    insts: Vec<Inst>,
    context: Value,
    zero: Value,
    base: Value,
    constants: FxHashMap<(Scalar, u64), Value>,
    /// `lane * size`, by size.
    lane_offsets: Vec<(u32, Value)>,
    all: Option<Value>,
}

impl Frame {
    /// With the address of the subgroup's record, if that is not the function's argument.
    fn new(function: &mut Function, record: Option<Value>) -> Frame {
        let mut frame = Frame {
            insts: Vec::new(),
            context: Value::RESERVED,
            zero: Value::RESERVED,
            base: Value::RESERVED,
            constants: FxHashMap::default(),
            lane_offsets: Vec::new(),
            all: None,
        };
        frame.context =
            record.unwrap_or_else(|| frame.define(function, Opcode::Arg, &[], 1, Type::uniform(Scalar::I64)));
        frame.zero = frame.constant(function, Scalar::I32, 0);
        let always = frame.always(function);
        let field = MemoryOp::new(Space::Context).at(offset::FRAME as i32).speculatable().to_imm();
        let (context, zero) = (frame.context, frame.zero);
        frame.base =
            frame.define(function, Opcode::Load, &[context, zero, always], field, Type::uniform(Scalar::I64));
        frame
    }

    fn define(&mut self, function: &mut Function, op: Opcode, args: &[Value], imm: u64, ty: Type) -> Value {
        define(function, &mut self.insts, op, args, imm, ty)
    }

    fn constant(&mut self, function: &mut Function, scalar: Scalar, bits: u64) -> Value {
        if let Some(&value) = self.constants.get(&(scalar, bits)) {
            return value;
        }
        let value = self.define(function, Opcode::Const, &[], bits, Type::uniform(scalar));
        self.constants.insert((scalar, bits), value);
        value
    }

    fn always(&mut self, function: &mut Function) -> Value {
        self.constant(function, Scalar::I1, 1)
    }

    /// The mask of all lanes.
    fn all(&mut self, function: &mut Function) -> Value {
        if let Some(all) = self.all {
            return all;
        }
        let always = self.always(function);
        let all = self.define(function, Opcode::Splat, &[always], 0, Type::varying(Scalar::I1));
        self.all = Some(all);
        all
    }

    /// Bytes from the start of a varying value's place to each lane's scalar.
    fn lane_offset(&mut self, function: &mut Function, size: u32) -> Value {
        if let Some(&(_, value)) = self.lane_offsets.iter().find(|item| item.0 == size) {
            return value;
        }
        let ty = Type::varying(Scalar::I32);
        let lane = self.define(function, Opcode::LaneId, &[], 0, ty);
        let size_value = self.constant(function, Scalar::I32, size.into());
        let size_value = self.define(function, Opcode::Splat, &[size_value], 0, ty);
        let value = self.define(function, Opcode::IMul, &[lane, size_value], 0, ty);
        self.lane_offsets.push((size, value));
        value
    }

    /// Takes a place in the frame for `value`.
    fn allocate(&mut self, function: &Function, end: &mut u32, value: Value) -> u32 {
        let ty = function.ty(value);
        let bytes =
            if ty.is_varying() && ty.scalar != Scalar::I1 { ty.scalar.bytes() * function.lanes } else { 8 };
        let place = end.next_multiple_of(bytes.min(64).next_power_of_two());
        *end = place + bytes;
        place
    }

    fn store(&mut self, function: &mut Function, insts: &mut Vec<Inst>, place: u32, value: Value) {
        let ty = function.ty(value);
        let memory = MemoryOp::new(Space::Frame).at(place as i32).to_imm();
        let args = if ty.is_varying() && ty.scalar != Scalar::I1 {
            let offset = self.lane_offset(function, ty.scalar.bytes());
            [self.base, offset, value, self.all(function)]
        } else {
            let value = match (ty.scalar, ty.is_varying()) {
                (Scalar::I1, true) => {
                    define(function, insts, Opcode::Ballot, &[value], 0, Type::uniform(Scalar::I64))
                }
                (Scalar::I1, false) => {
                    define(function, insts, Opcode::ZeroExtend, &[value], 0, Type::uniform(Scalar::I32))
                }
                _ => value,
            };
            [self.base, self.zero, value, self.always(function)]
        };
        let store = function.make_inst(Opcode::Store, &args, memory, None, SourceLoc::default());
        insts.push(store);
    }

    fn load(&mut self, function: &mut Function, insts: &mut Vec<Inst>, place: u32, value: Value) -> Value {
        let ty = function.ty(value);
        let memory = MemoryOp::new(Space::Frame).at(place as i32).to_imm();
        if ty.is_varying() && ty.scalar != Scalar::I1 {
            let offset = self.lane_offset(function, ty.scalar.bytes());
            let all = self.all(function);
            return define(function, insts, Opcode::Load, &[self.base, offset, all], memory, ty);
        }
        let always = self.always(function);
        let args = [self.base, self.zero, always];
        match (ty.scalar, ty.is_varying()) {
            (Scalar::I1, true) => {
                let bits = define(function, insts, Opcode::Load, &args, memory, Type::uniform(Scalar::I64));
                define(function, insts, Opcode::MaskFromBits, &[bits], 0, ty)
            }
            (Scalar::I1, false) => {
                let word = define(function, insts, Opcode::Load, &args, memory, Type::uniform(Scalar::I32));
                define(function, insts, Opcode::INe, &[word, self.zero], 0, ty)
            }
            _ => define(function, insts, Opcode::Load, &args, memory, ty),
        }
    }
}

fn define(
    function: &mut Function,
    insts: &mut Vec<Inst>,
    op: Opcode,
    args: &[Value],
    imm: u64,
    ty: Type,
) -> Value {
    let inst = function.make_inst(op, args, imm, Some(ty), SourceLoc::default());
    insts.push(inst);
    function.insts[inst].expect_result()
}
