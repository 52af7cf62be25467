//! Loops around loops whose counts follow from the outer one's counter, such as
//! `for (j = i + 1; j < n; ++j)`.
//!
//! Such an inner loop runs a constant number of times only once the outer one is unrolled, so these nests are
//! unrolled from the outside in. Whether a nest is small is found out before, by counting its iterations.

use super::{
    ITERATION_LIMIT, LOOP_BUDGET, LOOP_SIZE_MAX, SIMULATION_LIMIT, Simulation, Span, cost, counters,
};
use crate::analysis::{Cfg, LoopForest, LoopId};
use pyro_ir::{Block, Function, Value};
use rustc_hash::FxHashMap;

/// The most iterations of all nests that are counted.
const COUNTED_MAX: u32 = 4096;

/// The outermost loops of small nests that hold a loop which `is_planned` does not know how to unroll.
pub(super) fn find(
    function: &Function,
    cfg: &Cfg,
    forest: &LoopForest,
    is_planned: &dyn Fn(u32) -> bool,
) -> Vec<LoopId> {
    let open: Vec<u32> =
        forest.leaves().map(|(_, data)| data.start).filter(|&start| !is_planned(start)).collect();
    let sizes = sums(function.block_order.iter().map(|&block| function.blocks[block].insts.len() + 1));
    let mut found: Vec<LoopId> = Vec::new();
    let mut counted = 0;
    for (id, data) in forest.iter() {
        // The first leaf from here on that has no plan; it may be this loop.
        let first = open.partition_point(|&start| start < data.start);
        let holds_open = open.get(first).is_some_and(|&start| data.start < start && start < data.end);
        let is_known = found.last().is_some_and(|&outer| forest.contains(outer, data.start));
        let size = sizes[data.end as usize] - sizes[data.start as usize];
        if is_known || !holds_open || size > LOOP_SIZE_MAX {
            continue;
        }
        let mut nest = Nest { function, cfg, forest, counted, size: 0, costs: FxHashMap::default() };
        let is_small = nest.count(id, &FxHashMap::default()).is_some();
        counted = nest.counted;
        if is_small {
            found.push(id);
        }
    }
    found
}

/// The sums of the first so many numbers, from none to all.
fn sums(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0;
    let rest = numbers.map(|number| {
        sum += number;
        sum
    });
    [0].into_iter().chain(rest).collect()
}

/// What is known of values.
type Known = FxHashMap<Value, Option<u64>>;

/// The count of one nest's instructions.
struct Nest<'f> {
    function: &'f Function,
    cfg: &'f Cfg,
    forest: &'f LoopForest,
    counted: u32,
    /// Instructions so far that are not constant.
    size: usize,
    /// Those of an iteration of each loop without the loops inside.
    costs: FxHashMap<LoopId, usize>,
}

impl Nest<'_> {
    /// Counts what one run of a loop comes to; none where that is too much or not known.
    fn count(&mut self, id: LoopId, known: &Known) -> Option<()> {
        let (start, end) = (self.forest.get(id).start, self.forest.get(id).end);
        let (function, cfg) = (self.function, self.cfg);
        let blocks = &function.block_order[start as usize..end as usize];
        let span = Span { function, cfg, start, end };
        let (entry, back, latch) = span.edges()?;
        let params = &function.blocks[blocks[0]].params;
        let mut simulation = Simulation::new(function, pairs(known), SIMULATION_LIMIT);
        let first: Vec<Option<u64>> = entry.args.iter().map(|&arg| simulation.value(arg)).collect();
        for decider in span.exits(blocks[0], latch) {
            let Some(places) = counters(function, blocks[0], &back.args, decider.condition) else { continue };
            let mut state = first.clone();
            for iteration in 0.. {
                let mut now = known.clone();
                now.extend(places.iter().map(|&place| (params[place], state[place])));
                let mut simulation = Simulation::new(function, pairs(&now), SIMULATION_LIMIT);
                let Some(condition) = simulation.value(decider.condition) else { break };
                let stays = (condition != 0) == decider.stays;
                if !stays && decider.partial.is_some() {
                    return Some(());
                }
                self.counted += 1;
                if iteration >= ITERATION_LIMIT || self.counted > COUNTED_MAX {
                    return None;
                }
                let next: Vec<Option<u64>> =
                    places.iter().map(|&place| simulation.value(back.args[place])).collect();
                self.iteration(id, &now)?;
                if !stays {
                    return Some(());
                }
                places.iter().zip(next).for_each(|(&place, value)| state[place] = value);
            }
        }
        None
    }

    /// Counts one iteration.
    fn iteration(&mut self, id: LoopId, known: &Known) -> Option<()> {
        let data = *self.forest.get(id);
        let (function, forest) = (self.function, self.forest);
        let own = *self.costs.entry(id).or_insert_with(|| {
            let positions = (data.start..data.end).filter(|&at| forest.innermost(at) == Some(id));
            let blocks: Vec<Block> =
                positions.map(|position| function.block_order[position as usize]).collect();
            cost(function, &blocks, pairs(known))
        });
        self.size += own;
        if self.size > LOOP_BUDGET {
            return None;
        }
        let inside = forest.iter().skip(id.0 as usize + 1).take_while(|(_, inner)| inner.start < data.end);
        for (inner, _) in inside.filter(|(_, inner)| inner.parent == Some(id)) {
            self.count(inner, known)?;
        }
        Some(())
    }
}

fn pairs(known: &Known) -> impl Iterator<Item = (Value, Option<u64>)> {
    known.iter().map(|(&value, &bits)| (value, bits))
}
