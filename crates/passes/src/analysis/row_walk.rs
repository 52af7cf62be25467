//! Whether lanes walk through rows of their own: `a[row * n + k]` with a row for each lane and a loop's `k`.
//!
//! Each lane then comes back to the same cache line in the next iterations, so as many lines are in use as
//! there are lanes. Where rows are a power of two apart, few of a cache's sets hold all of these lines: with
//! 64 lanes they displace each other before they are read again.

use super::linear_offset::Terms;
use super::{Cfg, LinearOffsets, LoopForest, Steps};
use pyro_ir::{Function, InstData, MemoryOp, Opcode, Scalar, Space, Value};

/// The least distance between rows that counts: nearer ones spread over the cache's sets.
const ROW_BYTES_MIN: u32 = 512;
/// The most bytes from one iteration to the next that stay in a line for some iterations.
const STEP_BYTES_MAX: u32 = 32;

/// Whether a loop without inner loops has such loads. Mask form.
pub fn walks_rows(function: &Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let mut offsets = LinearOffsets::new(function);
    let mut steps = Steps::default();
    forest.leaves().any(|(id, data)| {
        let latches =
            || cfg.preds(data.header).iter().filter(|edge| forest.contains(id, cfg.position(edge.from)));
        // What the header's parameters rise by in each iteration, where that is the same from all latches.
        let rises: Vec<(Value, u32)> = (0..)
            .zip(&function.blocks[data.header].params)
            .filter(|&(_, &param)| {
                function.ty(param).is_uniform() && function.ty(param).scalar == Scalar::I32
            })
            .filter_map(|(position, &param): (usize, _)| {
                let mut next = latches().filter_map(|edge| {
                    let call = function.blocks[edge.from].terminator.target(edge.ordinal)?;
                    let sum = function.def_inst(*call.args.get(position)?)?;
                    let is_own = sum.op == Opcode::IAdd && sum.args[0] == param;
                    let step = sum.args.get(1).filter(|_| is_own);
                    step.and_then(|&step| function.const_bits(step)).map(|step| step as u32)
                });
                let first = next.next()?;
                next.all(|other| other == first).then_some((param, first))
            })
            .collect();
        let blocks = &function.block_order[data.start as usize..data.end as usize];
        !rises.is_empty()
            && blocks.iter().flat_map(|&block| &function.blocks[block].insts).any(|&inst| {
                let data = &function.insts[inst];
                is_outer_load(function, data) && {
                    let terms = offsets.of(data.args[1]).terms;
                    stays_in_line(&terms, &rises)
                        && is_row_for_lane(function, &terms, &mut offsets, &mut steps)
                }
            })
    })
}

/// Whether a loop without inner loops loads from a row of its own for each lane, wherever in the row. Mask
/// form.
pub fn reads_rows(function: &Function) -> bool {
    let cfg = Cfg::new(function);
    let forest = LoopForest::new(function, &cfg);
    let mut offsets = LinearOffsets::new(function);
    let mut steps = Steps::default();
    let blocks = forest.leaves().flat_map(|(_, data)| data.start..data.end);
    let mut insts =
        blocks.flat_map(|position| &function.blocks[function.block_order[position as usize]].insts);
    insts.any(|&inst| {
        let data = &function.insts[inst];
        is_outer_load(function, data) && {
            let terms = offsets.of(data.args[1]).terms;
            is_row_for_lane(function, &terms, &mut offsets, &mut steps)
        }
    })
}

/// Whether an instruction loads from what is in memory outside of the shader, each lane its own.
fn is_outer_load(function: &Function, data: &InstData) -> bool {
    data.op == Opcode::Load
        && matches!(MemoryOp::from_imm(data.imm).space, Space::Global | Space::Input)
        && function.ty(data.args[1]).is_varying()
}

/// Whether an offset rises by little in an iteration.
fn stays_in_line(terms: &Terms, rises: &[(Value, u32)]) -> bool {
    let parts = terms.iter().filter_map(|&(value, coefficient)| {
        let &(_, rise) = rises.iter().find(|&&(param, _)| param == value)?;
        Some(rise.wrapping_mul(coefficient))
    });
    parts.reduce(u32::wrapping_add).is_some_and(|rise| (1..=STEP_BYTES_MAX).contains(&rise))
}

/// Whether neighbouring lanes are a row apart: by a constant, or by a factor that the shader's run tells.
fn is_row_for_lane(
    function: &Function,
    terms: &Terms,
    offsets: &mut LinearOffsets<'_>,
    steps: &mut Steps,
) -> bool {
    if let Some(step) = steps.of(function, terms) {
        return step.unsigned_abs() >= ROW_BYTES_MIN;
    }
    terms.iter().any(|&(value, _)| {
        let Some(product) = function.def_inst(value).filter(|data| data.op == Opcode::IMul) else {
            return false;
        };
        let is_splat = |value: Value| function.def_inst(value).is_some_and(|data| data.op == Opcode::Splat);
        let number = match (is_splat(product.args[0]), is_splat(product.args[1])) {
            (false, true) => product.args[0],
            (true, false) => product.args[1],
            _ => return false,
        };
        steps.of(function, &offsets.of(number).terms).is_some_and(|step| step != 0)
    })
}
