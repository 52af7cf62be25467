//! A part of a block that is there twice, behind a branch: what two passes share.

use crate::analysis::UseCounts;
use pyro_ir::{
    Block, BlockCall, Effect, Function, Inst, Opcode, SourceLoc, Terminator, Type, Value, ValueDef,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The most operations that are moved in front of a branch.
const HOISTED_MAX: usize = 128;

/// Operands of an instruction.
pub(super) type Args = SmallVec<[Value; 4]>;

/// Whether a region ends here. A fence is there once in each version.
pub(super) fn is_barrier(function: &Function, inst: Inst) -> bool {
    let op = function.insts[inst].op;
    op.effect() == Effect::Barrier && op != Opcode::Fence
}

/// Collects what a value needs of a block's instructions from `start` on. Returns whether all of it can be
/// moved there.
pub(super) fn hoist(
    function: &Function,
    places: &FxHashMap<Inst, usize>,
    start: usize,
    value: Value,
    hoisted: &mut FxHashSet<Inst>,
) -> bool {
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        let ValueDef::Inst(inst) = function.values[value].def else { continue };
        if places.get(&inst).is_none_or(|&place| place < start) || !hoisted.insert(inst) {
            continue;
        }
        let data = &function.insts[inst];
        if data.op.effect() != Effect::Pure || hoisted.len() > HOISTED_MAX {
            return false;
        }
        stack.extend(&data.args);
    }
    true
}

/// The instructions of a block that are there twice, by position.
pub(super) struct Region<'a> {
    pub block: Block,
    pub start: usize,
    pub end: usize,
    /// Those that are computed in front of the branch instead.
    pub hoisted: &'a FxHashSet<Inst>,
}

impl Region<'_> {
    /// Makes the block end with a branch to the region as it is, where what `front` gives holds, and else to
    /// a fast copy; what is behind the region is a block of its own. Returns the blocks behind the branch.
    ///
    /// `fast` may change the operands of each instruction of the fast copy, given by the original one and
    /// what stands for the values of those before it; or say what stands for its result.
    pub(super) fn split(
        &self,
        function: &mut Function,
        uses: &UseCounts,
        front: impl FnOnce(&mut New<'_>) -> Value,
        mut fast: impl FnMut(&mut New<'_>, Inst, &mut Args, &FxHashMap<Value, Value>) -> Option<Value>,
    ) -> [Block; 3] {
        let sums = self.escaping_sums(function, uses);
        let insts = std::mem::take(&mut function.blocks[self.block].insts);
        let terminator = std::mem::take(&mut function.blocks[self.block].terminator);
        let [slow_block, fast_block, join] = [(); 3].map(|()| function.make_block());
        let (hoisted, inside): (Vec<Inst>, Vec<Inst>) = insts[self.start..self.end]
            .iter()
            .partition(|inst| self.hoisted.contains(inst) || sums.contains(inst));
        let mut head = insts[..self.start].to_vec();
        head.extend(hoisted);
        let loc = function.insts[insts[self.start]].loc;
        let mut new = New { function, insts: head, loc };
        let condition = front(&mut new);
        function.blocks[self.block].insts = new.insts;
        function.blocks[self.block].terminator = Terminator::Branch {
            condition,
            then: BlockCall::new(slow_block, &[]),
            otherwise: BlockCall::new(fast_block, &[]),
        };

        let mut used: FxHashMap<Value, u32> = FxHashMap::default();
        for &arg in inside.iter().flat_map(|&inst| &function.insts[inst].args) {
            *used.entry(arg).or_default() += 1;
        }
        let results = inside.iter().filter_map(|&inst| function.insts[inst].result.expand());
        let escaping: Vec<Value> =
            results.filter(|result| uses.count(*result) > used.get(result).copied().unwrap_or(0)).collect();
        let slow_results = copy(function, slow_block, &inside, &escaping, |_, _, _, _| None);
        let fast_results = copy(function, fast_block, &inside, &escaping, &mut fast);
        for (from, results) in [(slow_block, slow_results), (fast_block, fast_results)] {
            function.blocks[from].terminator = Terminator::Jump(BlockCall::new(join, &results));
        }
        for (position, &value) in escaping.iter().enumerate() {
            function.blocks[join].params.push(value);
            function.values[value].def = ValueDef::Param(join, position as u32);
        }
        function.blocks[join].insts = insts[self.end..].to_vec();
        function.blocks[join].terminator = terminator;
        [slow_block, fast_block, join]
    }
}

impl Region<'_> {
    /// What computes sums that are read behind the region, as offsets of accesses there. These are computed
    /// in front: behind, where the two versions meet, nobody could tell what they are sums of.
    fn escaping_sums(&self, function: &Function, uses: &UseCounts) -> FxHashSet<Inst> {
        let insts = &function.blocks[self.block].insts[self.start..self.end];
        let mut used: FxHashMap<Value, u32> = FxHashMap::default();
        for &arg in insts.iter().flat_map(|&inst| &function.insts[inst].args) {
            *used.entry(arg).or_default() += 1;
        }
        let is_sum = |inst: Inst| {
            use Opcode as O;
            let op = function.insts[inst].op;
            matches!(op, O::IAdd | O::ISub | O::IMul | O::Shl | O::Splat | O::Const | O::LaneId)
        };
        // In the order of the block: what a sum is made of comes before it.
        let mut own: FxHashMap<Value, bool> = FxHashMap::default();
        let mut sums = FxHashSet::default();
        for &inst in insts {
            let data = &function.insts[inst];
            let Some(result) = data.result.expand() else { continue };
            let known = |value: &Value| own.get(value).copied().unwrap_or(true);
            let is_one = self.hoisted.contains(&inst) || is_sum(inst) && data.args.iter().all(known);
            own.insert(result, is_one);
            if is_one && uses.count(result) > used.get(&result).copied().unwrap_or(0) {
                let mut left = vec![result];
                while let Some(value) = left.pop() {
                    let ValueDef::Inst(inst) = function.values[value].def else { continue };
                    if own.contains_key(&value) && sums.insert(inst) {
                        left.extend(&function.insts[inst].args);
                    }
                }
            }
        }
        sums
    }
}

/// Lays out a copy of instructions. Returns what stands for the escaping values.
fn copy(
    function: &mut Function,
    block: Block,
    insts: &[Inst],
    escaping: &[Value],
    mut change: impl FnMut(&mut New<'_>, Inst, &mut Args, &FxHashMap<Value, Value>) -> Option<Value>,
) -> Vec<Value> {
    let mut copies: FxHashMap<Value, Value> = FxHashMap::default();
    let mut new = New { function, insts: Vec::new(), loc: SourceLoc::default() };
    for &inst in insts {
        let data = new.function.insts[inst].clone();
        new.loc = data.loc;
        let mut args: Args = data.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
        let result = data.result.expand();
        let instead = change(&mut new, inst, &mut args, &copies);
        if let (Some(result), Some(instead)) = (result, instead) {
            copies.insert(result, instead);
            continue;
        }
        let ty = result.map(|result| new.function.ty(result));
        let made = new.function.make_inst(data.op, &args, data.imm, ty, data.loc);
        new.insts.push(made);
        if let (Some(result), Some(copy)) = (result, new.function.insts[made].result.expand()) {
            copies.insert(result, copy);
        }
    }
    function.blocks[block].insts = new.insts;
    escaping.iter().map(|value| copies[value]).collect()
}

/// Instructions that are made.
pub(super) struct New<'f> {
    pub function: &'f mut Function,
    pub insts: Vec<Inst>,
    pub loc: SourceLoc,
}

impl New<'_> {
    pub(super) fn op(&mut self, op: Opcode, args: &[Value], imm: u64, ty: Type) -> Value {
        let inst = self.function.make_inst(op, args, imm, Some(ty), self.loc);
        self.insts.push(inst);
        self.function.insts[inst].expect_result()
    }
}
