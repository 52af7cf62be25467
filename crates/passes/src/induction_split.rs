//! Induction variables that differ between lanes become what each lane began with and a counter for all.
//!
//! Problem: a loop such as `for (i = localId; i < n; i += 64)` counts in every lane by itself. So every
//! address that is computed from `i` differs between lanes in a way that nobody can see, and accesses are
//! gathers.
//!
//! ```text
//! header(i): ...                  header(k): i = x + splat(k << 6)
//!            i2 = i + splat(64)              ...
//!            header(i2)                      header(k + 1)
//! ```
//!
//! Approach: a varying integer parameter of a loop header, to which every back edge adds the same for all
//! lanes, is replaced by a uniform one that begins with zero. `gvn` brings the sums into the form of
//! something varying and something uniform, from which selection takes addresses apart.
//!
//! Invariants: exact for every lane, whether it is active or not, since mask form steps the variables of all
//! lanes and integers wrap. Loops with two ways in stay as they are.

use crate::analysis::{Cfg, LoopForest};
use crate::branch_fold::replace_all;
use crate::simplify::{BITS_DEPTH, possible_bits};
use pyro_ir::{Block, Form, Function, Opcode, Terminator, Type, Value};
use pyro_util::{PackedOption, SecondaryMap};

/// Runs the pass, in mask form. Returns whether anything changed.
pub fn run(function: &mut Function) -> bool {
    debug_assert_eq!(function.form, Form::Mask);
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let mut splits = Vec::new();
    for (_, data) in forest.iter() {
        let Some(edges) = Edges::find(&cfg, data.header) else { continue };
        for number in 0..function.blocks[data.header].params.len() {
            splits.extend(edges.split(function, number));
        }
    }
    if splits.is_empty() {
        return false;
    }
    let mut alias =
        SecondaryMap::with_capacity(PackedOption::default(), function.values.len() + 4 * splits.len());
    for split in &splits {
        let sum = split.apply(function);
        alias[split.variable] = sum.into();
    }
    replace_all(function, &mut alias);
    true
}

/// The edges to a loop's header.
struct Edges {
    header: Block,
    /// From outside.
    front: (Block, usize),
    back: Vec<(Block, usize)>,
}

impl Edges {
    fn find(cfg: &Cfg, header: Block) -> Option<Edges> {
        let (mut fronts, mut back) = (Vec::new(), Vec::new());
        for edge in cfg.preds(header) {
            let list = if cfg.position(edge.from) < cfg.position(header) { &mut fronts } else { &mut back };
            list.push((edge.from, edge.ordinal as usize));
        }
        match fronts[..] {
            [front] if !back.is_empty() => Some(Edges { header, front, back }),
            _ => None,
        }
    }

    /// How the header's parameter with this number is split, if it is an induction variable.
    fn split(&self, function: &Function, number: usize) -> Option<Split> {
        let variable = function.blocks[self.header].params[number];
        let ty = function.ty(variable);
        if ty.is_uniform() || !ty.scalar.is_int() {
            return None;
        }
        let steps: Option<Vec<_>> = self
            .back
            .iter()
            .map(|&edge| step(function, variable, argument(function, edge, number)?))
            .collect();
        let steps = steps?;
        let back = self.back.iter().copied().zip(steps).collect();
        Some(Split { header: self.header, number, variable, front: self.front, back })
    }
}

/// What a jump passes to a parameter.
fn argument(function: &Function, (from, ordinal): (Block, usize), number: usize) -> Option<Value> {
    let target = function.blocks[from].terminator.targets().nth(ordinal)?;
    target.args.get(number).copied()
}

/// The uniform value that is added to a variable.
fn step(function: &Function, variable: Value, next: Value) -> Option<Value> {
    let data = function.def_inst(next).filter(|data| data.op == Opcode::IAdd)?;
    let by = match (data.args[0], data.args[1]) {
        (a, b) if a == variable => b,
        (a, b) if b == variable => a,
        _ => return None,
    };
    let splat = function.def_inst(by).filter(|data| data.op == Opcode::Splat)?;
    Some(splat.args[0])
}

/// An induction variable.
struct Split {
    header: Block,
    number: usize,
    variable: Value,
    front: (Block, usize),
    /// With what each adds.
    back: Vec<((Block, usize), Value)>,
}

impl Split {
    /// Makes the counter, and gives the sum that is the variable.
    fn apply(&self, function: &mut Function) -> Value {
        let scalar = function.ty(self.variable).scalar;
        let (uniform, varying) = (Type::uniform(scalar), Type::varying(scalar));
        let counter = function.replace_param(self.header, self.number, uniform);
        let loc = function.blocks[self.header].insts.first().map(|&inst| function.insts[inst].loc);
        let loc = loc.unwrap_or_default();
        let began =
            argument(function, self.front, self.number).expect("an edge to a header has its arguments");

        let zero = function.make_inst(Opcode::Const, &[], 0, Some(uniform), loc);
        function.blocks[self.front.0].insts.push(zero);
        let zero = function.insts[zero].expect_result();
        self.pass(function, self.front, zero);

        let known = self.back.iter().fold(0, |bits, &(_, by)| bits | possible_bits(function, by, BITS_DEPTH));
        let unit = u64::from(known.trailing_zeros().min(scalar.bits() - 1));
        let mut shift = |block: Block, at: Option<usize>, op: Opcode, value: Value| {
            if unit == 0 {
                return value;
            }
            let count = function.make_inst(Opcode::Const, &[], unit, Some(uniform), loc);
            let args = [value, function.insts[count].expect_result()];
            let shifted = function.make_inst(op, &args, 0, Some(uniform), loc);
            let insts = &mut function.blocks[block].insts;
            let at = at.unwrap_or(insts.len());
            insts.splice(at..at, [count, shifted]);
            function.insts[shifted].expect_result()
        };
        let added = shift(self.header, Some(0), Opcode::Shl, counter);
        let steps: Vec<Value> =
            self.back.iter().map(|&((from, _), by)| shift(from, None, Opcode::LShr, by)).collect();

        let splat = function.make_inst(Opcode::Splat, &[added], 0, Some(varying), loc);
        let all = function.insts[splat].expect_result();
        let sum = function.make_inst(Opcode::IAdd, &[began, all], 0, Some(varying), loc);
        let at = if unit == 0 { 0 } else { 2 };
        function.blocks[self.header].insts.splice(at..at, [splat, sum]);

        for (&(edge, _), by) in self.back.iter().zip(steps) {
            let next = function.make_inst(Opcode::IAdd, &[counter, by], 0, Some(uniform), loc);
            function.blocks[edge.0].insts.push(next);
            let next = function.insts[next].expect_result();
            self.pass(function, edge, next);
        }
        function.insts[sum].expect_result()
    }

    fn pass(&self, function: &mut Function, (from, ordinal): (Block, usize), value: Value) {
        let terminator: &mut Terminator = &mut function.blocks[from].terminator;
        if let Some(target) = terminator.targets_mut().nth(ordinal) {
            target.args[self.number] = value;
        }
    }
}
