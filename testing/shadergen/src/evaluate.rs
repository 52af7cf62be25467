//! What a program computes: the tree, walked statement by statement over all invocations of a workgroup.

use crate::program::*;
use crate::typed::{self, Extent};

/// What the buffers hold after a dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// [`OUTPUT_WORDS`] words for each invocation.
    pub words: Vec<u32>,
    /// The word that `AtomicAdd` adds to.
    pub counter: u32,
}

/// Runs `group_count` workgroups with subgroups of `lanes`, lane `i` of subgroup `s` being invocation
/// `s * lanes + i`.
pub fn evaluate(program: &Program, lanes: u32, group_count: u32, input: &[u32]) -> Outputs {
    assert_eq!(input.len(), INPUT_WORDS as usize);
    let size = program.workgroup_size as usize;
    let mut outputs =
        Outputs { words: vec![0; size * group_count as usize * OUTPUT_WORDS as usize], counter: 0 };
    for workgroup in 0..group_count {
        let mut run = Workgroup {
            program,
            lanes: lanes as usize,
            workgroup,
            input,
            outputs: &mut outputs,
            elements: vec![[0; ARRAY_WORDS as usize]; size],
        };
        let mut frame = Frame::new(size);
        run.block(&program.body, &vec![true; size], &mut frame, &mut Vec::new());
    }
    outputs
}

/// A function's variables, and the lanes that have returned from it.
struct Frame {
    variables: Vec<[u32; VARIABLES as usize]>,
    returned: Vec<bool>,
    results: Vec<u32>,
}

impl Frame {
    fn new(size: usize) -> Frame {
        Frame {
            variables: vec![[0; VARIABLES as usize]; size],
            returned: vec![false; size],
            results: vec![0; size],
        }
    }
}

/// The lanes that have left the body of a loop around the current statement.
struct Loop {
    broken: Vec<bool>,
    continued: Vec<bool>,
}

struct Workgroup<'p> {
    program: &'p Program,
    lanes: usize,
    workgroup: u32,
    input: &'p [u32],
    outputs: &'p mut Outputs,
    elements: Vec<[u32; ARRAY_WORDS as usize]>,
}

impl Workgroup<'_> {
    /// Runs statements for the lanes of `mask` that are still there at each of them.
    fn block(&mut self, statements: &[Statement], mask: &[bool], frame: &mut Frame, loops: &mut Vec<Loop>) {
        for statement in statements {
            let active: Vec<bool> = (0..mask.len())
                .map(|lane| {
                    mask[lane]
                        && !frame.returned[lane]
                        && loops.iter().all(|around| !around.broken[lane] && !around.continued[lane])
                })
                .collect();
            if active.contains(&true) {
                self.statement(statement, &active, frame, loops);
            }
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    fn statement(
        &mut self,
        statement: &Statement,
        active: &[bool],
        frame: &mut Frame,
        loops: &mut Vec<Loop>,
    ) {
        let (each, size) = (|| (0..active.len()).filter(|&lane| active[lane]), active.len());
        match statement {
            Statement::Set(variable, value) => {
                for lane in each() {
                    frame.variables[lane][*variable as usize] = self.value(value, lane, frame);
                }
            }
            Statement::SetElement(index, value) => {
                for lane in each() {
                    let index = self.value(index, lane, frame) % ARRAY_WORDS;
                    self.elements[lane][index as usize] = self.value(value, lane, frame);
                }
            }
            Statement::Output(word, value) => {
                for lane in each() {
                    let at = (self.workgroup as usize * size + lane) * OUTPUT_WORDS as usize + *word as usize;
                    self.outputs.words[at] = self.value(value, lane, frame);
                }
            }
            Statement::AtomicAdd(value) => {
                for lane in each() {
                    self.outputs.counter = self.outputs.counter.wrapping_add(self.value(value, lane, frame));
                }
            }
            Statement::If(condition, then, otherwise) => {
                let chosen: Vec<bool> =
                    (0..size).map(|lane| active[lane] && self.holds(condition, lane, frame)).collect();
                let rest: Vec<bool> = (0..size).map(|lane| active[lane] && !chosen[lane]).collect();
                self.block(then, &chosen, frame, loops);
                self.block(otherwise, &rest, frame, loops);
            }
            Statement::Loop(count, body) => {
                let counts: Vec<u32> = (0..size)
                    .map(|lane| if active[lane] { self.value(count, lane, frame) } else { 0 })
                    .collect();
                loops.push(Loop { broken: vec![false; size], continued: vec![false; size] });
                for round in 0..counts.iter().copied().max().unwrap_or(0) {
                    let going: Vec<bool> =
                        (0..size).map(|lane| active[lane] && round < counts[lane]).collect();
                    self.block(body, &going, frame, loops);
                    if let Some(innermost) = loops.last_mut() {
                        innermost.continued.fill(false);
                    }
                }
                loops.pop();
            }
            Statement::Break(condition) | Statement::Continue(condition) => {
                for lane in each() {
                    if self.holds(condition, lane, frame)
                        && let Some(innermost) = loops.last_mut()
                    {
                        let leaves = matches!(statement, Statement::Break(_));
                        let left = if leaves { &mut innermost.broken } else { &mut innermost.continued };
                        left[lane] = true;
                    }
                }
            }
            Statement::Switch(selector, cases, default) => {
                let count = cases.len() as u32 + 1;
                let selected: Vec<u32> = (0..size)
                    .map(|lane| if active[lane] { self.value(selector, lane, frame) % count } else { 0 })
                    .collect();
                let mut falling = vec![false; size];
                for (number, case) in (0u32..).zip(cases) {
                    let arriving: Vec<bool> = (0..size)
                        .map(|lane| active[lane] && (selected[lane] == number || falling[lane]))
                        .collect();
                    self.block(&case.body, &arriving, frame, loops);
                    falling =
                        if case.falls_through && number + 2 < count { arriving } else { vec![false; size] };
                }
                let rest: Vec<bool> =
                    (0..size).map(|lane| active[lane] && selected[lane] == count - 1).collect();
                self.block(default, &rest, frame, loops);
            }
            Statement::Return(condition, value) => {
                for lane in each() {
                    if self.holds(condition, lane, frame) {
                        frame.results[lane] = self.value(value, lane, frame);
                        frame.returned[lane] = true;
                    }
                }
            }
            Statement::Call(variable, function, first, second) => {
                let function = &self.program.functions[*function];
                let mut inner = Frame::new(size);
                for lane in each() {
                    inner.variables[lane][0] = self.value(first, lane, frame);
                    inner.variables[lane][1] = self.value(second, lane, frame);
                }
                self.block(&function.body, active, &mut inner, &mut Vec::new());
                for lane in each() {
                    let result = if inner.returned[lane] {
                        inner.results[lane]
                    } else {
                        self.value(&function.result, lane, &inner)
                    };
                    frame.variables[lane][*variable as usize] = result;
                }
            }
            Statement::Group(variable, group, value) => {
                for first in (0..size).step_by(self.lanes) {
                    let members: Vec<usize> =
                        (first..(first + self.lanes).min(size)).filter(|&lane| active[lane]).collect();
                    let values: Vec<u32> =
                        members.iter().map(|&lane| self.value(value, lane, frame)).collect();
                    for (position, &lane) in members.iter().enumerate() {
                        frame.variables[lane][*variable as usize] =
                            group_result(*group, position, &values, |member| members[member] - first);
                    }
                }
            }
            Statement::TypedGroup(variable, ty, combine, extent, value) => {
                let values: Vec<u32> = (0..size)
                    .map(|lane| if active[lane] { self.value(value, lane, frame) } else { 0 })
                    .collect();
                for lane in each() {
                    let first = lane / self.lanes * self.lanes;
                    let last = (first + self.lanes).min(size);
                    let range = match *extent {
                        Extent::Reduce => first..last,
                        Extent::InclusiveScan => first..lane + 1,
                        Extent::ExclusiveScan => first..lane,
                        Extent::Clustered(count) => {
                            // A cluster is no larger than the subgroup.
                            let count = (count as usize).min(self.lanes);
                            let start = first + (lane - first) / count * count;
                            start..(start + count).min(size)
                        }
                    };
                    let words = range.filter(|&lane| active[lane]).map(|lane| values[lane]);
                    let bits = typed::combined(*ty, *combine, words);
                    frame.variables[lane][*variable as usize] = typed::to_word(bits);
                }
            }
            Statement::Lane(variable, ty, source, value) => {
                let values: Vec<u32> = (0..size)
                    .map(|lane| if active[lane] { self.value(value, lane, frame) } else { 0 })
                    .collect();
                for lane in each() {
                    let first = lane / self.lanes * self.lanes;
                    let source = source.lane((lane - first) as u32, self.lanes as u32, values[lane]);
                    let source = source.map(|source| first + source as usize);
                    let found = source.filter(|&source| source < size && active[source]);
                    let word =
                        found.map_or(0, |source| typed::to_word(typed::from_word(*ty, values[source])));
                    frame.variables[lane][*variable as usize] = word;
                }
            }
            Statement::Partitioned(variable, key, value) => {
                let pairs: Vec<(u32, u32)> = (0..size)
                    .map(|lane| match active[lane] {
                        true => (self.value(key, lane, frame) & 3, self.value(value, lane, frame)),
                        false => (0, 0),
                    })
                    .collect();
                for lane in each() {
                    let first = lane / self.lanes * self.lanes;
                    let equal = (first..(first + self.lanes).min(size))
                        .filter(|&other| active[other] && pairs[other].0 == pairs[lane].0);
                    let sum = equal.fold(0u32, |sum, other| sum.wrapping_add(pairs[other].1));
                    frame.variables[lane][*variable as usize] = sum;
                }
            }
            Statement::Bug(_) => {}
            Statement::Exchange(variable, distance, value) => {
                let shared: Vec<u32> = (0..size).map(|lane| self.value(value, lane, frame)).collect();
                for lane in each() {
                    frame.variables[lane][*variable as usize] = shared[(lane + *distance as usize) % size];
                }
            }
        }
    }

    fn value(&self, expression: &Expression, lane: usize, frame: &Frame) -> u32 {
        let value = |inner: &Expression| self.value(inner, lane, frame);
        match expression {
            Expression::Constant(bits) => *bits,
            Expression::Variable(variable) => frame.variables[lane][*variable as usize],
            Expression::GlobalId => self.workgroup * self.program.workgroup_size + lane as u32,
            Expression::LocalIndex => lane as u32,
            Expression::LaneId => (lane % self.lanes) as u32,
            Expression::WorkgroupId => self.workgroup,
            Expression::Input(index) => self.input[(value(index) % INPUT_WORDS) as usize],
            Expression::Element(index) => self.elements[lane][(value(index) % ARRAY_WORDS) as usize],
            Expression::Unary(operation, operand) => {
                let x = value(operand);
                match operation {
                    Unary::Not => !x,
                    Unary::SNegate => x.wrapping_neg(),
                    Unary::BitCount => x.count_ones(),
                    Unary::BitReverse => x.reverse_bits(),
                    Unary::FindUMsb => x.checked_ilog2().unwrap_or(u32::MAX),
                    Unary::FindILsb => {
                        if x == 0 {
                            u32::MAX
                        } else {
                            x.trailing_zeros()
                        }
                    }
                }
            }
            Expression::Binary(operation, first, second) => binary(*operation, value(first), value(second)),
            Expression::Typed(ty, operation, first, second) => {
                typed::to_word(typed::binary(*ty, *operation, value(first), value(second)))
            }
            Expression::Select(condition, then, otherwise) => {
                value(if self.holds(condition, lane, frame) { then } else { otherwise })
            }
        }
    }

    fn holds(&self, condition: &Condition, lane: usize, frame: &Frame) -> bool {
        match condition {
            Condition::Compare(compare, first, second) => {
                let (a, b) = (self.value(first, lane, frame), self.value(second, lane, frame));
                match compare {
                    Compare::IEqual => a == b,
                    Compare::INotEqual => a != b,
                    Compare::ULessThan => a < b,
                    Compare::SGreaterThanEqual => a as i32 >= b as i32,
                }
            }
            Condition::And(first, second) => {
                self.holds(first, lane, frame) && self.holds(second, lane, frame)
            }
            Condition::Or(first, second) => self.holds(first, lane, frame) || self.holds(second, lane, frame),
            Condition::Not(inner) => !self.holds(inner, lane, frame),
        }
    }
}

/// The product of four bytes, of the first and of the second word signed or not.
fn dot(a: u32, b: u32, is_signed: [bool; 2]) -> i32 {
    let number = |byte: u8, is_signed: bool| if is_signed { i32::from(byte as i8) } else { i32::from(byte) };
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.map(|(a, b)| number(a, is_signed[0]) * number(b, is_signed[1])).sum()
}

fn binary(operation: Binary, a: u32, b: u32) -> u32 {
    let (small, positive) = (a as i32 >> 8, (b & 0xff) as i32 + 1);
    match operation {
        Binary::IAdd => a.wrapping_add(b),
        Binary::ISub => a.wrapping_sub(b),
        Binary::IMul => a.wrapping_mul(b),
        Binary::UDiv => a / (b | 1),
        Binary::UMod => a % (b | 1),
        Binary::SDiv => (small / positive) as u32,
        Binary::SMod => small.rem_euclid(positive) as u32,
        Binary::ShiftLeftLogical => a << (b & 31),
        Binary::ShiftRightLogical => a >> (b & 31),
        Binary::ShiftRightArithmetic => (a as i32 >> (b & 31)) as u32,
        Binary::BitwiseAnd => a & b,
        Binary::BitwiseOr => a | b,
        Binary::BitwiseXor => a ^ b,
        Binary::UMin => a.min(b),
        Binary::SMax => (a as i32).max(b as i32) as u32,
        Binary::FAdd => (a & 0xffff) + (b & 0xffff),
        Binary::FMul => (a & 0x7ff) * (b & 0x7ff),
        Binary::UMulHigh => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Binary::SDot => dot(a, b, [true; 2]) as u32,
        Binary::UDot => dot(a, b, [false; 2]) as u32,
        Binary::SUDot => dot(a, b, [true, false]) as u32,
        Binary::SDotAccSat => (a as i32).saturating_add(dot(a, b, [true; 2])) as u32,
        Binary::UDotAccSat => a.saturating_add(dot(a, b, [false; 2]) as u32),
        Binary::SUDotAccSat => (a as i32).saturating_add(dot(a, b, [true, false])) as u32,
    }
}

/// The result in the member at `position` of the active lanes whose operands are `values`; `lane` gives a
/// member's number within the subgroup.
fn group_result(group: Group, position: usize, values: &[u32], lane: impl Fn(usize) -> usize) -> u32 {
    let odd = |value: &u32| value & 1 != 0;
    let before = &values[..position];
    let through = &values[..=position];
    match group {
        Group::Elect => (position == 0).into(),
        Group::All => values.iter().all(odd).into(),
        Group::Any => values.iter().any(odd).into(),
        Group::AllEqual => values.iter().all(|&value| value == values[0]).into(),
        Group::BroadcastFirst => values[0],
        Group::BallotBitCount => values.iter().filter(|value| odd(value)).count() as u32,
        Group::Ballot => (0..values.len())
            .filter(|&member| odd(&values[member]) && lane(member) < 32)
            .map(|member| 1 << lane(member))
            .sum(),
        Group::IAddReduce => values.iter().fold(0, |sum, &value| sum.wrapping_add(value)),
        Group::IAddInclusiveScan => through.iter().fold(0, |sum, &value| sum.wrapping_add(value)),
        Group::IAddExclusiveScan => before.iter().fold(0, |sum, &value| sum.wrapping_add(value)),
        Group::UMinReduce => values.iter().copied().min().unwrap_or(u32::MAX),
        Group::SMaxInclusiveScan => {
            through.iter().map(|&value| value as i32).max().unwrap_or(i32::MIN) as u32
        }
        Group::BitwiseXorReduce => values.iter().fold(0, |sum, &value| sum ^ value),
        Group::IMulExclusiveScan => before.iter().fold(1, |product, &value| product.wrapping_mul(value)),
    }
}
