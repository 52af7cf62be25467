//! The fast copy of a region, and the branch in front of it.

use super::{Answer, Kind, Plan, Question, hoist};
use crate::analysis::UseCounts;
use crate::target::RareBlocks;
use crate::target::lane_bounds::{sums, uniform};
use crate::target::versions::New;
use pyro_ir::{
    Block, BlockCall, Function, Inst, InstData, Opcode, Scalar, SourceLoc, Terminator, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Makes the region twice. Returns the position of the first block of the fast code.
pub(super) fn apply(function: &mut Function, plan: &Plan, rare: &mut RareBlocks) -> usize {
    let region = &plan.region;
    let block = function.block_order[region.block];
    if region.is_block {
        let rest = function.make_block();
        function.blocks[rest].terminator = std::mem::take(&mut function.blocks[block].terminator);
        function.blocks[block].terminator = Terminator::Jump(BlockCall::new(rest, &[]));
        function.block_order.insert(region.end, rest);
    }
    let inner: Vec<Block> = function.block_order[region.block + 1..region.end].to_vec();
    let meet = function.block_order[region.end];
    let (escaping, sums) = escaping(function, plan, &inner);

    // In front: what is asked, and what it is asked about.
    let is_hoisted = |inst: &Inst| plan.hoisted.contains(inst) || sums.contains(inst);
    let hoisted: Vec<Inst> = region.insts(function).filter(is_hoisted).collect();
    let mut insts = std::mem::take(&mut function.blocks[block].insts);
    let tail: Vec<Inst> =
        insts.split_off(region.start).into_iter().filter(|inst| !is_hoisted(inst)).collect();
    for &block in &inner {
        function.blocks[block].insts.retain(|inst| !is_hoisted(inst));
    }
    let loc = tail.first().map(|&inst| function.insts[inst].loc).unwrap_or_default();
    insts.extend(hoisted);
    let mut new = New { function, insts, loc };
    let (condition, firsts) = conditions(&mut new, &plan.questions);
    let insts = new.insts;

    let [slow, fast] = [(); 2].map(|()| function.make_block());
    function.blocks[slow].insts = tail;
    function.blocks[slow].terminator = std::mem::take(&mut function.blocks[block].terminator);
    function.blocks[block].insts = insts;
    function.blocks[block].terminator = Terminator::Branch {
        condition,
        then: BlockCall::new(slow, &[]),
        otherwise: BlockCall::new(fast, &[]),
    };
    let olds: Vec<Block> = std::iter::once(slow).chain(inner.iter().copied()).collect();
    rare.extend(&olds);
    let news = Copier::new(function, plan, &firsts).copy(&olds, fast, meet, &escaping);

    // What is read behind comes from where it was computed.
    let mut behind: FxHashMap<Value, Value> = FxHashMap::default();
    for &value in &escaping {
        let ty = function.ty(value);
        behind.insert(value, function.add_param(meet, ty));
    }
    for &old in &olds {
        for target in function.blocks[old].terminator.targets_mut() {
            if target.block == meet {
                target.args.extend(escaping.iter().copied());
            }
        }
    }
    if !behind.is_empty() {
        let is_own: FxHashSet<Block> = olds.iter().chain(&news).copied().collect();
        let instead = |value: &mut Value| *value = behind.get(value).copied().unwrap_or(*value);
        for index in 0..function.block_order.len() {
            let other = function.block_order[index];
            if other == block || is_own.contains(&other) {
                continue;
            }
            for place in 0..function.blocks[other].insts.len() {
                let inst = function.blocks[other].insts[place];
                function.insts[inst].args.iter_mut().for_each(instead);
            }
            function.blocks[other].terminator.for_each_value_mut(instead);
        }
    }
    let at = region.block + 1;
    function.block_order.splice(at..at, [slow]);
    let at = at + olds.len();
    function.block_order.splice(at..at, news);
    at
}

/// What of a region is read elsewhere; and what computes sums of that, which are computed in front: where the
/// two versions meet, nobody could tell what they are sums of.
fn escaping(function: &Function, plan: &Plan, inner: &[Block]) -> (Vec<Value>, FxHashSet<Inst>) {
    use Opcode as O;
    let region = &plan.region;
    let uses = UseCounts::new(function);
    let mut used: FxHashMap<Value, u32> = FxHashMap::default();
    let places: FxHashMap<Inst, usize> =
        region.insts(function).enumerate().map(|(place, inst)| (inst, place)).collect();
    let own_blocks = &function.block_order[region.block..region.end];
    for inst in region.insts(function) {
        function.insts[inst].args.iter().for_each(|&arg| *used.entry(arg).or_default() += 1);
    }
    for &block in own_blocks {
        let terminator = &function.blocks[block].terminator;
        let targets = terminator.targets().flat_map(|target| &target.args);
        terminator.operand().iter().chain(targets).for_each(|&value| *used.entry(value).or_default() += 1);
    }
    let params = inner.iter().flat_map(|&block| &function.blocks[block].params).copied();
    let results = region.insts(function).filter_map(|inst| function.insts[inst].result.expand());
    let (mut escaping, mut sums) = (Vec::new(), FxHashSet::default());
    for value in params.chain(results) {
        if uses.count(value) <= used.get(&value).copied().unwrap_or(0) {
            continue;
        }
        let mut needed = FxHashSet::default();
        let is_sum = hoist(function, inner, &places, value, &mut needed)
            && needed.iter().all(|&inst| {
                let op = function.insts[inst].op;
                matches!(op, O::IAdd | O::ISub | O::IMul | O::Shl | O::Splat | O::Const | O::LaneId)
            });
        if is_sum {
            sums.extend(needed);
        } else if !matches!(function.values[value].def, ValueDef::Inst(inst) if plan.hoisted.contains(&inst))
        {
            escaping.push(value);
        }
    }
    escaping
        .retain(|&value| !matches!(function.values[value].def, ValueDef::Inst(inst) if sums.contains(&inst)));
    (escaping, sums)
}

/// Whether some answer is not as expected; and what the first lane answers to each question that has no
/// expected answer.
fn conditions(new: &mut New<'_>, questions: &[Question]) -> (Value, FxHashMap<usize, Value>) {
    let number = Type::uniform(Scalar::I64);
    let mut asked = Asked { wide: FxHashMap::default(), sign: None };
    let mut firsts = FxHashMap::default();
    // No sum is below or above what 32 bits hold: for each that differs in constants only once.
    let mut ranges: Vec<Question> = Vec::new();
    for question in questions {
        let known = ranges.iter_mut().find(|known| known.bounds.terms == question.bounds.terms);
        match known {
            Some(known) => {
                let (a, b) = (known.bounds.constant, question.bounds.constant);
                known.bounds.constant = (a.0.min(b.0), a.1.max(b.1));
                known.is_signed &= question.is_signed;
            }
            None => ranges.push(question.clone()),
        }
    }
    for range in &ranges {
        let (least, greatest) = sums(new, &range.bounds, &mut asked.wide);
        let least = if range.is_signed { add(new, least, 1 << 31) } else { least };
        asked.note(new, least);
        let end = new.op(Opcode::Const, &[], i32::MAX as u64, number);
        let rest = new.op(Opcode::ISub, &[end, greatest], 0, number);
        asked.note(new, rest);
    }
    for (place, question) in questions.iter().enumerate() {
        let (bounds, is_signed) = match question.kind {
            Kind::Within { times } => (question.bounds.less(question.limit, times.into()), true),
            _ => (question.bounds.clone(), question.is_signed),
        };
        let (least, greatest) = sums(new, &bounds, &mut asked.wide);
        let extend = if is_signed { Opcode::SignExtend } else { Opcode::ZeroExtend };
        let limit = new.op(extend, &[question.limit], 0, number);
        let less = |new: &mut New<'_>, a: Value, b: Value| new.op(Opcode::ISub, &[a, b], 0, number);
        // Negative where a sum of all lanes is not below the limit, and where one is.
        let is_below = |new: &mut New<'_>, or_same: bool| {
            let rest = less(new, limit, greatest);
            if or_same { rest } else { add(new, rest, -1) }
        };
        match question.kind {
            Kind::Below { or_same } => {
                let rest = is_below(new, or_same);
                asked.note(new, rest);
            }
            Kind::NotBelow { or_same } => {
                let rest = less(new, least, limit);
                let rest = if or_same { add(new, rest, -1) } else { rest };
                asked.note(new, rest);
            }
            Kind::Agree { or_same } => {
                let below = is_below(new, or_same);
                let rest = less(new, least, limit);
                let above = if or_same { add(new, rest, -1) } else { rest };
                let zero = new.op(Opcode::Const, &[], 0, number);
                let first = new.op(Opcode::SLe, &[zero, below], 0, Type::uniform(Scalar::I1));
                firsts.insert(place, first);
                let both = new.op(Opcode::And, &[below, above], 0, number);
                asked.note(new, both);
            }
            Kind::Differs => {
                let below = is_below(new, false);
                let rest = less(new, least, limit);
                let above = add(new, rest, -1);
                let both = new.op(Opcode::And, &[below, above], 0, number);
                asked.note(new, both);
            }
            Kind::Positive => {
                let limit = new.op(Opcode::SignExtend, &[question.limit], 0, number);
                asked.note(new, limit);
            }
            Kind::Within { .. } => {
                asked.note(new, least);
                let rest = is_below(new, false);
                asked.note(new, rest);
            }
        }
    }
    let zero = new.op(Opcode::Const, &[], 0, number);
    let sign = asked.sign.unwrap_or(zero);
    (new.op(Opcode::SLt, &[sign, zero], 0, Type::uniform(Scalar::I1)), firsts)
}

fn add(new: &mut New<'_>, value: Value, by: i64) -> Value {
    let number = Type::uniform(Scalar::I64);
    let by = new.op(Opcode::Const, &[], by as u64, number);
    new.op(Opcode::IAdd, &[value, by], 0, number)
}

/// What has been asked so far.
struct Asked {
    /// Values in 64 bits.
    wide: FxHashMap<Value, Value>,
    /// Negative where an answer is not as expected.
    sign: Option<Value>,
}

impl Asked {
    /// Something that is negative where an answer is not as expected.
    fn note(&mut self, new: &mut New<'_>, number: Value) {
        self.sign = Some(match self.sign {
            None => number,
            Some(sign) => new.op(Opcode::Or, &[sign, number], 0, Type::uniform(Scalar::I64)),
        });
    }
}

/// Makes the fast code.
struct Copier<'p, 'f> {
    function: &'f mut Function,
    plan: &'p Plan,
    firsts: &'p FxHashMap<usize, Value>,
    values: FxHashMap<Value, Value>,
}

impl<'p, 'f> Copier<'p, 'f> {
    fn new(
        function: &'f mut Function,
        plan: &'p Plan,
        firsts: &'p FxHashMap<usize, Value>,
    ) -> Copier<'p, 'f> {
        Copier { function, plan, firsts, values: FxHashMap::default() }
    }

    /// Copies blocks, the first into one that there is. `escaping` is passed on where all ways meet.
    fn copy(mut self, olds: &[Block], first: Block, meet: Block, escaping: &[Value]) -> Vec<Block> {
        let mut news = vec![first];
        for &old in &olds[1..] {
            let new = self.function.make_block();
            news.push(new);
            for place in 0..self.function.blocks[old].params.len() {
                let param = self.function.blocks[old].params[place];
                let ty = self.function.ty(param);
                let copy = self.function.add_param(new, ty);
                self.values.insert(param, copy);
            }
        }
        for (&old, &new) in olds.iter().zip(&news) {
            let insts = self.function.blocks[old].insts.clone();
            let mut made = New { function: self.function, insts: Vec::new(), loc: SourceLoc::default() };
            for inst in insts {
                copy_inst(&mut made, inst, self.plan.answers.get(&inst), self.firsts, &mut self.values);
            }
            self.function.blocks[new].insts = made.insts;
        }
        let blocks: FxHashMap<Block, Block> = olds.iter().copied().zip(news.iter().copied()).collect();
        for (&old, &new) in olds.iter().zip(&news) {
            let mut terminator = self.function.blocks[old].terminator.clone();
            for target in terminator.targets_mut() {
                if target.block == meet {
                    target.args.extend(escaping.iter().copied());
                }
                target.block = blocks.get(&target.block).copied().unwrap_or(target.block);
            }
            terminator.for_each_value_mut(|value| *value = self.values.get(value).copied().unwrap_or(*value));
            self.function.blocks[new].terminator = terminator;
        }
        news
    }
}

/// Copies an instruction, or makes what stands for its result.
fn copy_inst(
    new: &mut New<'_>,
    inst: Inst,
    answer: Option<&Answer>,
    firsts: &FxHashMap<usize, Value>,
    values: &mut FxHashMap<Value, Value>,
) {
    let data = new.function.insts[inst].clone();
    new.loc = data.loc;
    let args: SmallVec<[Value; 4]> =
        data.args.iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
    let ty = data.result.expand().map(|result| new.function.ty(result));
    let instead = match (answer, ty) {
        (Some(answer), Some(ty)) => Some(answered(new, *answer, &args, ty, firsts)),
        (None, Some(ty)) => for_subgroup(new, &data, &args, ty),
        _ => None,
    };
    if let (Some(result), Some(instead)) = (data.result.expand(), instead) {
        values.insert(result, instead);
        return;
    }
    let made = new.function.make_inst(data.op, &args, data.imm, ty, data.loc);
    new.insts.push(made);
    if let (Some(result), Some(copy)) = (data.result.expand(), new.function.insts[made].result.expand()) {
        values.insert(result, copy);
    }
}

/// What stands for a result whose answer is known.
fn answered(
    new: &mut New<'_>,
    answer: Answer,
    args: &[Value],
    ty: Type,
    firsts: &FxHashMap<usize, Value>,
) -> Value {
    let one = Type::uniform(ty.scalar);
    let all = match answer {
        Answer::Always(holds) => new.op(Opcode::Const, &[], holds.into(), one),
        Answer::First { question, inverted } => match inverted {
            true => new.op(Opcode::Not, &[firsts[&question]], 0, one),
            false => firsts[&question],
        },
        Answer::Number(number) => new.op(Opcode::Const, &[], number.into(), one),
        Answer::Operand(place) => return args[place],
        Answer::Less(0) => return args[0],
        Answer::Less(times) => {
            let divisor = uniform(new.function, args[1]).expect("a divisor that all lanes share");
            let times = new.op(Opcode::Const, &[], times.into(), one);
            let product = new.op(Opcode::IMul, &[divisor, times], 0, one);
            let product = new.op(Opcode::Splat, &[product], 0, ty);
            return new.op(Opcode::ISub, &[args[0], product], 0, ty);
        }
    };
    new.op(Opcode::Splat, &[all], 0, ty)
}

/// What masks that all lanes share are joined to is one for the subgroup.
fn for_subgroup(new: &mut New<'_>, data: &InstData, args: &[Value], ty: Type) -> Option<Value> {
    use Opcode as O;
    let shared = |value: Value| new.function.def_inst(value).filter(|data| data.op == O::Splat);
    let truth = Type::uniform(Scalar::I1);
    if data.op == O::Any {
        return Some(shared(args[0])?.args[0]);
    }
    let joins = matches!(data.op, O::And | O::Or | O::AndNot | O::Xor | O::Not | O::Select);
    if !joins || ty != Type::varying(Scalar::I1) {
        return None;
    }
    let args: SmallVec<[Value; 3]> =
        args.iter().map(|&arg| shared(arg).map(|data| data.args[0])).collect::<Option<_>>()?;
    let one = new.op(data.op, &args, data.imm, truth);
    Some(new.op(O::Splat, &[one], 0, ty))
}
