//! Away from the borders of a picture, subgroups run code that does not ask where the borders are.
//!
//! Problem: `if (x >= width || y >= height) return;`, `if (x == 0 || x == width - 1) …`, `(x + width - 1) %
//! width`, `clamp(x + 1, 0, last)`, `if (i >= k) …`: each lane compares its index, and everything behind is
//! under masks, chosen, or at indices of which nobody knows that lanes lie side by side. Yet but for the few
//! subgroups at a border, all lanes give one answer, and what they share says which.
//!
//! ```text
//! m = ult (lane + splat(a)), splat(n)        branch a >= 0 and a + last lane < n, fast, slow
//! branch any m, b, c                    ─▶   slow: as before
//! b: i = srem (lane + splat(a + w)), w       fast: b' with m = true, i = lane + splat(a)
//! ```
//!
//! Approach: a region is what stands between the first such question of a block and the block where all ways
//! from there meet. Questions compare a sum whose lanes lie between two bounds ([`LaneBounds`]) with what all
//! lanes share. Of each it is known what is expected:
//!
//! * an index differs from another one (`x == 0`), is not below a small number, and is below what else
//!   everything would be left out;
//! * what else it is compared with, all lanes give the answer that the first one gives, which then is one
//!   for the subgroup;
//! * minima and maxima are the index, and remainders the index less as many times the divisor as were added.
//!
//! One sign of numbers of 64 bits tells whether all is as expected, and the region is there twice.
//!
//! Invariants: the fast code runs only where each answer is as expected in every lane, active or not, and no
//! sum wraps that is compared. So no value changes.

mod twice;

use crate::analysis::Cfg;
use crate::target::RareBlocks;
use crate::target::lane_bounds::{Bounds, LaneBounds, uniform};
use crate::target::versions;
use pyro_ir::{
    Block, Effect, Form, Function, Inst, InstData, Opcode, Scalar, Terminator, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instructions that are twice, of one region and of the function.
const REGION_MAX: usize = 768;
const FUNCTION_MAX: usize = 1024;
/// The most blocks of a region.
const BLOCKS_MAX: usize = 128;
/// How often an instruction is looked at, by the mean: regions that are not worth it lie in one another.
const LOOKS_MAX: usize = 8;
/// The most regions of a function.
const REGIONS_MAX: usize = 8;
/// The most questions of a region.
const QUESTIONS_MAX: usize = 48;
/// The most operations that are moved in front of a region.
const HOISTED_MAX: usize = 128;
/// What answers must be worth for a region to be there twice: one for each comparison that is left out.
const WORTH_MIN: usize = 2;
/// The most instructions that are twice for each comparison that is left out.
const INSTRUCTIONS_PER_WORTH: usize = 24;
/// What a division is worth.
const DIVISION_WORTH: usize = 8;
/// Indices are seldom below this.
const SMALL: u64 = 64;

/// What is asked about a sum, of all lanes.
#[derive(Clone, PartialEq, Eq)]
struct Question {
    bounds: Bounds,
    limit: Value,
    is_signed: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is below the limit, or one above where that is so.
    Below { or_same: bool },
    /// It is not.
    NotBelow { or_same: bool },
    /// All lanes agree on that.
    Agree { or_same: bool },
    /// It is another number.
    Differs,
    /// Neither it nor the limit is negative.
    Positive,
    /// Less so many times the limit it is neither negative nor as much as the limit.
    Within { times: u32 },
}

/// What stands for an operation's result in the fast code.
#[derive(Clone, Copy)]
enum Answer {
    /// All lanes give this.
    Always(bool),
    /// All lanes give what this question's first lane gives, or the contrary.
    First { question: usize, inverted: bool },
    /// The operand by number.
    Operand(usize),
    /// The first operand less so many times the second.
    Less(u32),
    /// This number.
    Number(u32),
}

/// A region: from an instruction of a block to where all ways meet, or to the block's end.
struct Region {
    /// Position of the block in the block order, and of the first instruction in the block.
    block: usize,
    start: usize,
    /// Position of the block where all ways meet; the one behind the block where only the block's rest is
    /// there twice.
    end: usize,
    is_block: bool,
}

struct Plan {
    region: Region,
    questions: Vec<Question>,
    answers: FxHashMap<Inst, Answer>,
    hoisted: FxHashSet<Inst>,
    size: usize,
}

/// Rewrites a function in mask form, and notes which blocks run at borders only. Returns whether anything
/// changed.
pub fn run(function: &mut Function, rare: &mut RareBlocks) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let (mut position, mut grown, mut regions) = (0, 0, 0);
    while position < function.block_order.len() && regions < REGIONS_MAX {
        // Most functions have none of this.
        let has_question =
            |&block: &Block| function.blocks[block].insts.iter().any(|&inst| is_question(function, inst));
        let Some(next) = function.block_order[position..].iter().position(has_question) else { break };
        let Some(plan) = Finder::new(function).find(position + next) else { break };
        if grown + plan.size > FUNCTION_MAX {
            break;
        }
        grown += plan.size;
        regions += 1;
        position = twice::apply(function, &plan, rare);
    }
    regions > 0
}

/// Whether an operation may have one answer for all lanes.
fn is_question(function: &Function, inst: Inst) -> bool {
    use Opcode as O;
    let data = &function.insts[inst];
    let is_known = matches!(
        data.op,
        O::IEq
            | O::INe
            | O::ULt
            | O::ULe
            | O::SLt
            | O::SLe
            | O::SMin
            | O::SMax
            | O::UMin
            | O::UMax
            | O::URem
            | O::SRem
            | O::UDiv
            | O::SDiv
    );
    is_known && {
        let [a, b] = [data.args[0], data.args[1]];
        let index = Type::varying(Scalar::I32);
        function.ty(a) == index && uniform(function, a).is_some() != uniform(function, b).is_some()
    }
}

struct Finder<'f> {
    function: &'f Function,
    cfg: Cfg,
    bounds: LaneBounds<'f>,
}

impl<'f> Finder<'f> {
    fn new(function: &'f Function) -> Finder<'f> {
        Finder { function, cfg: Cfg::new(function), bounds: LaneBounds::new(function) }
    }

    /// The first region from a position on that is worth it.
    fn find(&mut self, from: usize) -> Option<Plan> {
        let function = self.function;
        let mut left = REGION_MAX + LOOKS_MAX * function.insts.len();
        (from..function.block_order.len()).find_map(|block| {
            let insts = &function.blocks[function.block_order[block]].insts;
            let start = insts.iter().position(|&inst| is_question(function, inst))?;
            let regions =
                [self.ways(block, start), Some(Region { block, start, end: block + 1, is_block: true })];
            let region = regions.into_iter().flatten().find(|region| self.can_be_twice(region, &mut left))?;
            self.plan(region)
        })
    }

    /// The region up to where all ways from a block meet, if that is another block.
    fn ways(&self, block: usize, start: usize) -> Option<Region> {
        let order = &self.function.block_order;
        let (mut at, mut end) = (block, block + 1);
        while at < end {
            for target in self.function.blocks[order[at]].terminator.targets() {
                let target = self.cfg.position(target.block) as usize;
                if target <= block {
                    return None;
                }
                end = end.max(target);
            }
            if end - block > BLOCKS_MAX {
                return None;
            }
            at += 1;
        }
        // Behind suspend points functions go on in the middle.
        let is_inside = |&at: &usize| {
            self.cfg.preds(order[at]).iter().all(|edge| {
                let from = self.cfg.position(edge.from) as usize;
                block <= from && from < end
            })
        };
        let is_whole = end > block + 1 && end < order.len() && (block + 1..end).all(|at| is_inside(&at));
        is_whole.then_some(Region { block, start, end, is_block: false })
    }

    /// `left`: how many instructions may still be looked at.
    fn can_be_twice(&self, region: &Region, left: &mut usize) -> bool {
        // Where nothing is accessed, only the questions themselves would be left out.
        let (mut size, mut accesses) = (0, false);
        let most = REGION_MAX.min(*left);
        let fits = region.insts(self.function).all(|inst| {
            size += 1;
            accesses |= self.function.insts[inst].op.is_memory();
            size <= most && !versions::is_barrier(self.function, inst)
        });
        *left = left.saturating_sub(size);
        fits && accesses
    }

    fn plan(&mut self, region: Region) -> Option<Plan> {
        let function = self.function;
        let expected = self.expected_truths(&region);
        let mut structural = structural(function, &region);
        for value in moot(function, &region) {
            structural.remove(&value);
        }
        let places: FxHashMap<Inst, usize> =
            region.insts(function).enumerate().map(|(place, inst)| (inst, place)).collect();
        let size = places.len();
        let inner = &function.block_order[region.block + 1..region.end];
        let mut plan = Plan {
            region,
            questions: Vec::new(),
            answers: FxHashMap::default(),
            hoisted: FxHashSet::default(),
            size,
        };
        self.bounds.expected.clear();
        // Divisors of what had them added: others are not expected to be more than what they divide.
        let mut divisors: FxHashSet<Value> = FxHashSet::default();
        let all: Vec<Inst> =
            plan.region.insts(function).filter(|&inst| is_question(function, inst)).collect();
        for &inst in &all {
            let data = &function.insts[inst];
            if matches!(data.op, Opcode::URem | Opcode::SRem)
                && let Some(divisor) = uniform(function, data.args[1])
                && let Some(bounds) = self.bounds.of(function, data.args[0])
                && times(&bounds, divisor).is_some_and(|times| times > 0)
            {
                divisors.insert(divisor);
            }
        }
        let mut worth = 0;
        for inst in all {
            let data = &function.insts[inst];
            let result = data.expect_result();
            let is_truth = function.ty(result).scalar == Scalar::I1;
            if plan.questions.len() >= QUESTIONS_MAX || is_truth && !structural.contains(&result) {
                continue;
            }
            let found = self.answer(data, expected.get(&result).copied(), &divisors);
            let Some((answer, question, becomes)) = found else { continue };
            let Some((answer, question)) = plan.in_accord(answer, question) else { continue };
            let mut hoisted = plan.hoisted.clone();
            let needed = question.bounds.terms.iter().map(|&(value, _)| value).chain([question.limit]);
            if !needed.into_iter().all(|value| hoist(function, inner, &places, value, &mut hoisted)) {
                continue;
            }
            plan.hoisted = hoisted;
            let number = plan.questions.iter().position(|known| *known == question).unwrap_or_else(|| {
                worth += 1;
                plan.questions.push(question);
                plan.questions.len() - 1
            });
            let answer = match answer {
                Answer::First { inverted, .. } => Answer::First { question: number, inverted },
                Answer::Less(_) | Answer::Number(_) => {
                    worth += DIVISION_WORTH;
                    answer
                }
                _ => answer,
            };
            if let Some(bounds) = becomes {
                self.bounds.expected.insert(result, bounds);
            }
            plan.answers.insert(inst, answer);
        }
        (worth >= WORTH_MIN && size <= worth * INSTRUCTIONS_PER_WORTH).then_some(plan)
    }

    /// What is expected of an operation, what is asked for that, and the bounds of its result.
    fn answer(
        &mut self,
        data: &InstData,
        truth: Option<bool>,
        divisors: &FxHashSet<Value>,
    ) -> Option<(Answer, Question, Option<Bounds>)> {
        use Opcode as O;
        let function = self.function;
        if let Some((index, other)) = signs(function, data) {
            let limit = uniform(function, other)?;
            let bounds = self.bounds.of(function, index)?;
            let question = Question { bounds, limit, is_signed: false, kind: Kind::Positive };
            return Some((Answer::Always(false), question, None));
        }
        let place = usize::from(uniform(function, data.args[0]).is_some());
        let limit = uniform(function, data.args[1 - place])?;
        let bounds = self.bounds.of(function, data.args[place])?;
        // What is known without asking is left to others.
        if bounds.terms.is_empty() && function.const_bits(limit).is_some() {
            return None;
        }
        let is_signed = !matches!(data.op, O::ULt | O::ULe | O::UMin | O::UMax);
        let ask = |bounds: Bounds, kind: Kind| Question { bounds, limit, is_signed, kind };
        Some(match data.op {
            O::IEq | O::INe => (Answer::Always(data.op == O::INe), ask(bounds, Kind::Differs), None),
            O::ULt | O::ULe | O::SLt | O::SLe => {
                // `limit < index` is not `index <= limit`.
                let inverted = place == 1;
                let or_same = inverted != matches!(data.op, O::ULe | O::SLe);
                let bits = function.const_bits(limit).map(|bits| bits as u32);
                let is_small = bits.is_some_and(|bits| {
                    u64::from(bits) <= SMALL || is_signed && u64::from(bits.wrapping_neg()) <= SMALL
                });
                let is_below = match (truth, bits) {
                    (Some(truth), None) => Some(truth != inverted),
                    (_, Some(_)) => Some(!is_small),
                    (None, None) => None,
                };
                match is_below {
                    Some(true) => (Answer::Always(!inverted), ask(bounds, Kind::Below { or_same }), None),
                    Some(false) => (Answer::Always(inverted), ask(bounds, Kind::NotBelow { or_same }), None),
                    None => {
                        let answer = Answer::First { question: 0, inverted };
                        (answer, ask(bounds, Kind::Agree { or_same }), None)
                    }
                }
            }
            O::SMin | O::UMin => {
                let question = ask(bounds.clone(), Kind::Below { or_same: true });
                (Answer::Operand(place), question, Some(bounds))
            }
            O::SMax | O::UMax => {
                let question = ask(bounds.clone(), Kind::NotBelow { or_same: false });
                (Answer::Operand(place), question, Some(bounds))
            }
            _ if place == 0 && divisors.contains(&limit) => {
                let times = times(&bounds, limit)?;
                let rest = bounds.less(limit, times.into());
                let kind = Kind::Within { times };
                let question = Question { bounds, limit, is_signed: false, kind };
                match data.op {
                    O::URem | O::SRem => (Answer::Less(times), question, Some(rest)),
                    _ => {
                        let number = i64::from(times);
                        let becomes = Bounds { constant: (number, number), ..Bounds::default() };
                        (Answer::Number(times), question, Some(becomes))
                    }
                }
            }
            _ => return None,
        })
    }

    /// What masks must be for anything to happen: where a branch leads past the whole region else.
    fn expected_truths(&self, region: &Region) -> FxHashMap<Value, bool> {
        let function = self.function;
        let mut truths = FxHashMap::default();
        if region.is_block {
            return truths;
        }
        let end = function.block_order[region.end];
        for &block in &function.block_order[region.block..region.end] {
            let Terminator::Branch { condition, then, otherwise } = &function.blocks[block].terminator else {
                continue;
            };
            let goes_on = match (then.block == end, otherwise.block == end) {
                (false, true) => true,
                (true, false) => false,
                _ => continue,
            };
            let mut left = vec![(*condition, goes_on)];
            while let Some((value, truth)) = left.pop() {
                let Some(data) = function.def_inst(value) else { continue };
                if truths.contains_key(&value) || function.ty(value).scalar != Scalar::I1 {
                    continue;
                }
                truths.insert(value, truth);
                match (data.op, truth) {
                    (Opcode::Any | Opcode::Splat, _) => left.push((data.args[0], truth)),
                    (Opcode::Not, _) => left.push((data.args[0], !truth)),
                    (Opcode::And, true) | (Opcode::Or, false) => {
                        left.extend(data.args.iter().map(|&arg| (arg, truth)));
                    }
                    (Opcode::AndNot, true) => left.extend([(data.args[0], true), (data.args[1], false)]),
                    // `x < width ? y >= height : x >= width`
                    (Opcode::Select, _) => {
                        let is_less = |value: Value| {
                            function.def_inst(value).is_some_and(|data| {
                                matches!(data.op, Opcode::ULt | Opcode::SLt)
                                    && uniform(function, data.args[1]).is_some()
                            })
                        };
                        let is_first = is_less(data.args[0]);
                        let other = data.args[if is_first { 1 } else { 2 }];
                        left.extend([(data.args[0], is_first), (other, truth)]);
                        // What the other way gives is the condition, asked the other way round.
                        left.push((data.args[if is_first { 2 } else { 1 }], !is_first));
                    }
                    _ => {}
                }
            }
        }
        truths
    }
}

impl Plan {
    /// The question and what is expected, or the contrary where that is expected already.
    fn in_accord(&self, answer: Answer, question: Question) -> Option<(Answer, Question)> {
        let contrary = match question.kind {
            Kind::Below { or_same } => Kind::NotBelow { or_same },
            Kind::NotBelow { or_same } => Kind::Below { or_same },
            _ => return Some((answer, question)),
        };
        let contrary = Question { kind: contrary, ..question.clone() };
        if !self.questions.contains(&contrary) {
            return Some((answer, question));
        }
        match answer {
            Answer::Always(holds) => Some((Answer::Always(!holds), contrary)),
            _ => None,
        }
    }
}

impl Region {
    /// Its instructions, in order.
    fn insts<'f>(&self, function: &'f Function) -> impl Iterator<Item = Inst> + use<'f> {
        let (block, start) = (self.block, self.start);
        let blocks = function.block_order[block..self.end].iter().enumerate();
        blocks.flat_map(move |(place, &block)| {
            function.blocks[block].insts[if place == 0 { start } else { 0 }..].iter().copied()
        })
    }
}

impl Bounds {
    /// The sum without so many times a value.
    fn less(&self, value: Value, times: i64) -> Bounds {
        let mut rest = self.clone();
        rest.add(value, (-times, -times));
        rest.terms.retain(|&mut (_, factor)| factor != (0, 0));
        rest
    }
}

/// How often a divisor is added to a sum.
fn times(bounds: &Bounds, divisor: Value) -> Option<u32> {
    match bounds.terms.iter().find(|(value, _)| *value == divisor) {
        None => Some(0),
        Some(&(_, (least, greatest))) => u32::try_from(least).ok().filter(|_| least == greatest),
    }
}

/// The index and the other number of `(index ^ other) < 0`: whether the two have different signs. So
/// remainders with the sign of the divisor begin, which are what `%` of signed numbers is in GLSL.
fn signs(function: &Function, data: &InstData) -> Option<(Value, Value)> {
    let is_sign = data.op == Opcode::SLt && function.const_bits(data.args[1]) == Some(0);
    let xor = function.def_inst(data.args[0]).filter(|xor| is_sign && xor.op == Opcode::Xor)?;
    let (a, b) = (xor.args[0], xor.args[1]);
    match (uniform(function, a).is_some(), uniform(function, b).is_some()) {
        (true, false) => Some((b, a)),
        (false, true) => Some((a, b)),
        _ => None,
    }
}

/// What is joined to the question for signs: that is not expected to hold, so nothing follows from the rest.
fn moot(function: &Function, region: &Region) -> FxHashSet<Value> {
    let mut found = FxHashSet::default();
    for inst in region.insts(function) {
        let data = &function.insts[inst];
        if data.op == Opcode::And && function.ty(data.args[0]) == Type::varying(Scalar::I1) {
            for (one, other) in [(0, 1), (1, 0)] {
                let is_sign = |data| signs(function, data).is_some();
                if function.def_inst(data.args[one]).is_some_and(is_sign) {
                    found.insert(data.args[other]);
                }
            }
        }
    }
    found
}

/// Masks that decide more than whether accesses are in bounds: there is a pass for those.
fn structural(function: &Function, region: &Region) -> FxHashSet<Value> {
    let mut found: FxHashSet<Value> = FxHashSet::default();
    for &block in function.block_order[region.block..region.end].iter().rev() {
        let terminator = &function.blocks[block].terminator;
        found.extend(terminator.operand());
        found.extend(terminator.targets().flat_map(|target| target.args.iter().copied()));
        for &inst in function.blocks[block].insts.iter().rev() {
            let data = &function.insts[inst];
            let is_own = match data.op {
                Opcode::And => data.result.expand().is_some_and(|result| found.contains(&result)),
                op => !matches!(op, Opcode::Load | Opcode::Store),
            };
            if is_own {
                found.extend(&data.args);
            }
        }
    }
    found
}

/// Collects what a value needs of a region's instructions. Returns whether all of it can be moved in front.
fn hoist(
    function: &Function,
    inner: &[Block],
    places: &FxHashMap<Inst, usize>,
    value: Value,
    hoisted: &mut FxHashSet<Inst>,
) -> bool {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        let inst = match function.values[value].def {
            ValueDef::Inst(inst) => inst,
            ValueDef::Param(block, _) if inner.contains(&block) => return false,
            ValueDef::Param(..) => continue,
        };
        if !places.contains_key(&inst) || !hoisted.insert(inst) {
            continue;
        }
        let data = &function.insts[inst];
        if data.op.effect() != Effect::Pure || hoisted.len() > HOISTED_MAX {
            return false;
        }
        left.extend(&data.args);
    }
    true
}
