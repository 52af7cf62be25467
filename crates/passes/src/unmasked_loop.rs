//! Loops that lanes leave one by one run without masks while all lanes are in them. Mask form.
//!
//! Problem: `for (i = id; i < n; i += stride)` asks every lane in each iteration, keeps a mask of those that
//! are left, and does everything else under it. But in all iterations but the last few all lanes are there.
//!
//! ```text
//! front: jump header(true, 0)            front:  jump fast(0)
//! header(m, k): c = lane + k < n         fast(k): branch k < n - last lane, body', out
//!     m2 = and m, c                      body': … as the loop's with m = c = true; jump fast(k + stride)
//!     …                                  out:    jump header(true, k)
//!     branch any m2, …, exit             header(m, k): … as before
//! ```
//!
//! Approach: the index that is compared is a sum of numbers that are known of each lane and a uniform value,
//! as [`crate::induction_split`] leaves it. Where the greatest of the numbers and the uniform value are below
//! the limit, all lanes go on, and a copy of the loop runs in which that is known; else the loop as it was
//! goes on from there. So the copy never leaves the loop, and nothing that is read behind it changes. Where
//! the numbers are not known (how many blocks of weights are left for each lane), they are asked in front
//! whether all are the same: the comparison is that of one lane then.
//!
//! Invariants: the copy of an iteration runs only where all lanes take part in it, so each value has the same
//! bits in all lanes as in the loop.

use crate::analysis::liveness::def_blocks;
use crate::analysis::{AffineValues, Cfg, LoopForest};
use pyro_ir::{
    Block, BlockCall, Effect, Form, Function, Inst, InstData, Opcode, Scalar, SourceLoc, Terminator, Type,
    Value, ValueDef,
};
use pyro_util::SecondaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instructions of a loop of which there are two then, and of all of them.
const LOOP_MAX: usize = 512;
const FUNCTION_MAX: usize = 1536;
/// The most that lanes are apart.
const LANE_END: u32 = 1 << 16;
/// Smaller constant limits are those of loops that run once or twice in each invocation.
const LIMIT_MIN: u64 = 4096;
/// The most instructions that the index is made of in the loop.
const INDEX_MAX: usize = 16;

/// Runs the pass. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    if forest.is_empty() {
        return false;
    }
    let mut home = None;
    let mut affine = AffineValues::default();
    let mut found = Vec::new();
    let mut size = 0;
    for (_, data) in forest.leaves() {
        let blocks = &function.block_order[data.start as usize..data.end as usize];
        let own: usize = blocks.iter().map(|&block| function.blocks[block].insts.len()).sum();
        if own > LOOP_MAX || size + own > FUNCTION_MAX {
            continue;
        }
        if let Some(front) = Front::find(function, &cfg, blocks) {
            let home = home.get_or_insert_with(|| def_blocks(function));
            if let Some(counted) = Counted::find(function, &mut affine, home, blocks, front) {
                size += own;
                found.push((data.start as usize, counted));
            }
        }
    }
    // From the last one on: places of blocks in front of a loop stay what they are.
    for (start, counted) in found.iter().rev() {
        let blocks = counted.apply(function);
        function.block_order.splice(*start..*start, blocks);
    }
    !found.is_empty()
}

/// How a loop is entered: with all lanes.
struct Front {
    /// The edge from outside.
    from: Block,
    ordinal: usize,
    /// The header's parameter that is the mask of the lanes that are left, by number.
    place: usize,
    /// Those that go on in an iteration.
    stay: Value,
}

impl Front {
    fn find(function: &Function, cfg: &Cfg, blocks: &[Block]) -> Option<Front> {
        let header = *blocks.first()?;
        let params = &function.blocks[header].params;
        let mask = Type::varying(Scalar::I1);
        if !params.iter().any(|&param| function.ty(param) == mask) {
            return None;
        }
        let call = |from: Block, ordinal: u32| function.blocks[from].terminator.target(ordinal);
        let (mut fronts, mut backs) = (Vec::new(), Vec::new());
        for edge in cfg.preds(header) {
            let list = if blocks.contains(&edge.from) { &mut backs } else { &mut fronts };
            list.push(*edge);
        }
        let &[front] = fronts.as_slice() else { return None };
        let first = call(front.from, front.ordinal)?;
        (0..params.len()).find_map(|place| {
            if function.ty(params[place]) != mask || function.const_bits(first.args[place]) != Some(1) {
                return None;
            }
            let mut stays =
                backs.iter().map(|edge| call(edge.from, edge.ordinal).map(|call| call.args[place]));
            let stay = stays.next()??;
            let is_only = stays.all(|other| other == Some(stay));
            is_only.then_some(Front { from: front.from, ordinal: front.ordinal as usize, place, stay })
        })
    }
}

/// What is known of the lanes' numbers.
enum Lanes {
    /// The greatest of them, and the limit that the index is less than.
    Known { most: u32, limit: Value, is_signed: bool },
    /// Nothing; they are expected to be the same. The index is this operand of the comparison, or they are,
    /// alone, what an index that all lanes share is compared with.
    Same { numbers: Value, place: usize, alone: bool },
}

/// A loop that lanes leave where an index reaches a limit.
struct Counted {
    front: Front,
    blocks: Vec<Block>,
    /// The comparison, and what it gives for lanes that go on.
    test: Value,
    holds: bool,
    lanes: Lanes,
    /// What the index is beside the lanes' numbers.
    uniform: Value,
    /// What of the header the uniform part is made of, in order.
    index: Vec<Inst>,
    /// The block that asks whether lanes are left, and where it goes on if so.
    exit: Block,
    goes_on: BlockCall,
}

impl Counted {
    fn find(
        function: &Function,
        affine: &mut AffineValues,
        home: &SecondaryMap<Value, Block>,
        blocks: &[Block],
        front: Front,
    ) -> Option<Counted> {
        let header = blocks[0];
        let mask = function.blocks[header].params[front.place];
        let is_inside = |value: Value| blocks.contains(&home[value]);
        let stay = function.def_inst(front.stay)?;
        let (test, holds) = match (stay.op, stay.args[0] == mask, stay.args[1] == mask) {
            (Opcode::And, true, _) => (stay.args[1], true),
            (Opcode::And, _, true) => (stay.args[0], true),
            (Opcode::AndNot, true, _) => (stay.args[1], false),
            _ => return None,
        };
        let (lanes, uniform) = known_lanes(function, affine, test, holds, &is_inside)
            .or_else(|| same_lanes(function, affine, test, &is_inside))?;
        let index = made_in(function, header, uniform, &is_inside)?;
        let (exit, goes_on) = only_exit(function, blocks, front.stay)?;
        let counted =
            Counted { front, blocks: blocks.to_vec(), test, holds, lanes, uniform, index, exit, goes_on };
        Some(counted)
    }

    /// Makes the copy, and gives its blocks, which stand in front of the loop.
    fn apply(&self, function: &mut Function) -> Vec<Block> {
        let (header, place) = (self.blocks[0], self.front.place);
        let mask = function.blocks[header].params[place];
        let loc = function.def_inst(self.test).map(|data| data.loc).unwrap_or_default();
        let bound = self.in_front(function, loc);

        let [fast, out] = [(); 2].map(|()| function.make_block());
        let mut values: FxHashMap<Value, Value> = FxHashMap::default();
        let mut copies: FxHashMap<Block, Block> = FxHashMap::default();
        copies.insert(header, fast);
        for position in 0..function.blocks[header].params.len() {
            let param = function.blocks[header].params[position];
            if position != place {
                let ty = function.ty(param);
                values.insert(param, function.add_param(fast, ty));
            }
        }
        let mut insts = Vec::new();
        for (value, holds) in [(mask, true), (self.test, self.holds)] {
            let holds = define(
                function,
                &mut insts,
                Opcode::Const,
                &[],
                holds.into(),
                Type::uniform(Scalar::I1),
                loc,
            );
            let all =
                define(function, &mut insts, Opcode::Splat, &[holds], 0, Type::varying(Scalar::I1), loc);
            values.insert(value, all);
        }
        // The index, to ask for it; other passes find that the copy of the header computes it again.
        let mut index = values.clone();
        for &inst in &self.index {
            copy_inst(function, inst, &mut index, &mut insts);
        }
        let uniform = index.get(&self.uniform).copied().unwrap_or(self.uniform);
        let condition = self.goes_on_in_all(function, &mut insts, uniform, bound, loc);
        function.blocks[fast].insts = insts;
        let body = function.make_block();
        function.blocks[fast].terminator = Terminator::Branch {
            condition,
            then: BlockCall::new(body, &[]),
            otherwise: BlockCall::new(out, &[]),
        };
        let params = function.blocks[header].params.clone();
        let args: Vec<Value> = params.iter().map(|param| values[param]).collect();
        function.blocks[out].terminator = Terminator::Jump(BlockCall::new(header, &args));

        let mut order = vec![fast, body];
        for &block in &self.blocks[1..] {
            let copy = function.make_block();
            copies.insert(block, copy);
            order.push(copy);
            for position in 0..function.blocks[block].params.len() {
                let param = function.blocks[block].params[position];
                let ty = function.ty(param);
                values.insert(param, function.add_param(copy, ty));
            }
        }
        for (&block, &copy) in self.blocks.iter().zip(&order[1..]) {
            let mut insts = Vec::new();
            for position in 0..function.blocks[block].insts.len() {
                let inst = function.blocks[block].insts[position];
                if function.insts[inst].result.expand() != Some(self.test) {
                    copy_inst(function, inst, &mut values, &mut insts);
                }
            }
            function.blocks[copy].insts = insts;
        }
        for (&block, &copy) in self.blocks.iter().zip(&order[1..]) {
            let mut terminator = match block == self.exit {
                true => Terminator::Jump(self.goes_on.clone()),
                false => function.blocks[block].terminator.clone(),
            };
            terminator.for_each_value_mut(|value| *value = values.get(value).copied().unwrap_or(*value));
            for target in terminator.targets_mut() {
                if target.block == header {
                    target.args.remove(place);
                }
                target.block = copies[&target.block];
            }
            function.blocks[copy].terminator = terminator;
        }
        if let Some(target) =
            function.blocks[self.front.from].terminator.targets_mut().nth(self.front.ordinal)
        {
            target.args.remove(place);
            target.block = fast;
        }
        order.push(out);
        order
    }

    /// What is computed in front of the loop: what the uniform part of the index is below where all lanes go
    /// on; or the first lane's number, and whether all have it.
    fn in_front(&self, function: &mut Function, loc: SourceLoc) -> (Value, Option<Value>) {
        let mut insts = std::mem::take(&mut function.blocks[self.front.from].insts);
        let (number, truth) = (Type::uniform(Scalar::I32), Type::uniform(Scalar::I1));
        let mut op = |op: Opcode, args: &[Value], imm: u32, ty: Type| {
            define(function, &mut insts, op, args, imm.into(), ty, loc)
        };
        let found = match self.lanes {
            Lanes::Known { most, limit, is_signed } => {
                let mut constant = |bits: u32| op(Opcode::Const, &[], bits, number);
                let bound = if is_signed {
                    let (most, least) = (constant(most), constant((i32::MIN + most as i32) as u32));
                    let limit = op(Opcode::SMax, &[limit, least], 0, number);
                    op(Opcode::ISub, &[limit, most], 0, number)
                } else {
                    let most = constant(most);
                    let most = op(Opcode::UMin, &[limit, most], 0, number);
                    op(Opcode::ISub, &[limit, most], 0, number)
                };
                (bound, None)
            }
            Lanes::Same { numbers, .. } => {
                let zero = op(Opcode::Const, &[], 0, number);
                let first = op(Opcode::LaneRead, &[numbers, zero], 0, number);
                let all = op(Opcode::Splat, &[first], 0, Type::varying(Scalar::I32));
                let other = op(Opcode::INe, &[numbers, all], 0, Type::varying(Scalar::I1));
                let differ = op(Opcode::Any, &[other], 0, truth);
                (first, Some(op(Opcode::Not, &[differ], 0, truth)))
            }
        };
        function.blocks[self.front.from].insts = insts;
        found
    }

    /// Whether all lanes go on, in the copy of the header.
    fn goes_on_in_all(
        &self,
        function: &mut Function,
        insts: &mut Vec<Inst>,
        uniform: Value,
        (bound, same): (Value, Option<Value>),
        loc: SourceLoc,
    ) -> Value {
        let test = function.def_inst(self.test).expect("a comparison");
        let compare = test.op;
        let other = match self.lanes {
            Lanes::Same { place, .. } => splat(function, test.args[1 - place]),
            Lanes::Known { .. } => None,
        };
        let truth = Type::uniform(Scalar::I1);
        let mut op = |op: Opcode, args: &[Value], ty: Type| define(function, insts, op, args, 0, ty, loc);
        match (&self.lanes, same) {
            (Lanes::Same { place, alone, .. }, Some(same)) => {
                let (own, other) = match (alone, other) {
                    (false, Some(limit)) => {
                        (op(Opcode::IAdd, &[bound, uniform], Type::uniform(Scalar::I32)), limit)
                    }
                    _ => (bound, uniform),
                };
                let args = if *place == 0 { [own, other] } else { [other, own] };
                let mut holds = op(compare, &args, truth);
                if !self.holds {
                    holds = op(Opcode::Not, &[holds], truth);
                }
                op(Opcode::And, &[same, holds], truth)
            }
            (Lanes::Known { is_signed: true, .. }, _) => op(Opcode::SLt, &[uniform, bound], truth),
            _ => op(Opcode::ULt, &[uniform, bound], truth),
        }
    }
}

/// The lanes' numbers of an index that is less than a limit, where they are known, and what is beside them.
fn known_lanes(
    function: &Function,
    affine: &mut AffineValues,
    test: Value,
    holds: bool,
    is_inside: &dyn Fn(Value) -> bool,
) -> Option<(Lanes, Value)> {
    let data = function.def_inst(test)?;
    let (index, limit, is_signed) = match (data.op, holds) {
        (Opcode::ULt | Opcode::SLt, true) => (data.args[0], data.args[1], data.op == Opcode::SLt),
        (Opcode::ULe | Opcode::SLe, false) => (data.args[1], data.args[0], data.op == Opcode::SLe),
        _ => return None,
    };
    let limit = splat(function, limit).filter(|&limit| !is_inside(limit))?;
    let (uniform, numbers) = index_parts(function, index)?;
    if function.const_bits(limit).is_some_and(|limit| limit < LIMIT_MIN) {
        return None;
    }
    let numbers = affine.of(function, numbers)?;
    let mut most = 0;
    for lane in 0..function.lanes as usize {
        most = most.max(numbers.at(lane).filter(|&number| number < LANE_END)?);
    }
    Some((Lanes::Known { most, limit, is_signed }, uniform))
}

/// The same of any comparison of an index whose lanes' numbers are made in front of the loop.
fn same_lanes(
    function: &Function,
    affine: &mut AffineValues,
    test: Value,
    is_inside: &dyn Fn(Value) -> bool,
) -> Option<(Lanes, Value)> {
    use Opcode as O;
    let data = function.def_inst(test)?;
    if !matches!(data.op, O::ULt | O::ULe | O::SLt | O::SLe | O::IEq | O::INe) {
        return None;
    }
    (0..2).find_map(|place| {
        let (own, other) = (data.args[place], splat(function, data.args[1 - place])?);
        let alone = !is_inside(own);
        let (uniform, numbers) = if alone { (other, own) } else { index_parts(function, own)? };
        let is_varying = function.ty(numbers) == Type::varying(Scalar::I32);
        let is_made_here = is_inside(numbers) || !alone && is_inside(other);
        let is_known = affine.of(function, numbers).is_some();
        let fits = is_varying && !is_made_here && !is_known;
        fits.then_some((Lanes::Same { numbers, place, alone }, uniform))
    })
}

/// What of an index all lanes share, and the rest.
fn index_parts(function: &Function, index: Value) -> Option<(Value, Value)> {
    if function.ty(index) != Type::varying(Scalar::I32) {
        return None;
    }
    let sum = function.def_inst(index).filter(|sum| sum.op == Opcode::IAdd)?;
    match (splat(function, sum.args[0]), splat(function, sum.args[1])) {
        (Some(uniform), None) => Some((uniform, sum.args[1])),
        (None, Some(uniform)) => Some((uniform, sum.args[0])),
        _ => None,
    }
}

/// What a `splat` gives to all lanes.
fn splat(function: &Function, value: Value) -> Option<Value> {
    function.def_inst(value).filter(|data| data.op == Opcode::Splat).map(|data| data.args[0])
}

/// The pure operations of the header, in order, that a value is made of in the loop, if these are all.
fn made_in(
    function: &Function,
    header: Block,
    value: Value,
    is_inside: &dyn Fn(Value) -> bool,
) -> Option<Vec<Inst>> {
    let mut needed: FxHashSet<Inst> = FxHashSet::default();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match function.values[value].def {
            _ if !is_inside(value) => {}
            ValueDef::Param(block, _) if block == header => {}
            ValueDef::Inst(inst) => {
                let data = &function.insts[inst];
                if data.op.effect() != Effect::Pure || needed.len() >= INDEX_MAX {
                    return None;
                }
                if needed.insert(inst) {
                    open.extend(&data.args);
                }
            }
            ValueDef::Param(..) => return None,
        }
    }
    let insts: Vec<Inst> =
        function.blocks[header].insts.iter().copied().filter(|inst| needed.contains(inst)).collect();
    (insts.len() == needed.len()).then_some(insts)
}

/// The block that leaves the loop where no lane stays, if no other does, and where it goes on.
fn only_exit(function: &Function, blocks: &[Block], stay: Value) -> Option<(Block, BlockCall)> {
    let mut found = None;
    for &block in blocks {
        let is_plain = |&inst: &Inst| {
            let data: &InstData = &function.insts[inst];
            !matches!(data.op, Opcode::Report | Opcode::Track) && data.op.effect() != Effect::Barrier
        };
        if !function.blocks[block].insts.iter().all(is_plain) {
            return None;
        }
        let terminator = &function.blocks[block].terminator;
        if matches!(terminator, Terminator::Return(_)) {
            return None;
        }
        if terminator.targets().all(|target| blocks.contains(&target.block)) {
            continue;
        }
        let Terminator::Branch { condition, then, otherwise } = terminator else { return None };
        let asks =
            function.def_inst(*condition).is_some_and(|data| data.op == Opcode::Any && data.args[0] == stay);
        let is_way_out = blocks.contains(&then.block) && !blocks.contains(&otherwise.block);
        if !asks || !is_way_out || found.is_some() {
            return None;
        }
        found = Some((block, then.clone()));
    }
    found
}

fn define(
    function: &mut Function,
    insts: &mut Vec<Inst>,
    op: Opcode,
    args: &[Value],
    imm: u64,
    ty: Type,
    loc: SourceLoc,
) -> Value {
    let inst = function.make_inst(op, args, imm, Some(ty), loc);
    insts.push(inst);
    function.insts[inst].expect_result()
}

/// Copies an instruction, and notes what stands for its result.
fn copy_inst(function: &mut Function, inst: Inst, values: &mut FxHashMap<Value, Value>, out: &mut Vec<Inst>) {
    let data = function.insts[inst].clone();
    let args: Vec<Value> = data.args.iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
    let ty = data.result.expand().map(|result| function.ty(result));
    let copy = function.make_inst(data.op, &args, data.imm, ty, data.loc);
    if let (Some(old), Some(new)) = (data.result.expand(), function.insts[copy].result.expand()) {
        values.insert(old, new);
    }
    out.push(copy);
}
