//! SSA form for variables of a function whose control flow graph is complete.
//!
//! Problem: a pass has *variables* (slots, reloaded values) that are written and read in several blocks, and
//! wants each read to be the SSA value that it sees.
//!
//! Approach: Cytron et al., "Efficiently Computing Static Single Assignment Form and the Control Dependence
//! Graph" (1991). The pass enters what happens to variables, block by block, in the order in which it
//! happens. A variable that some block reads before it writes it may need parameters at the iterated
//! dominance frontier of its writes; others need none. A walk over the dominator tree then has the variables'
//! values at hand in one small array, gives each read its value, and notes the values that go along the edges
//! to possible parameters. Only parameters that reads depend on are made. So time is linear in the events,
//! the edges and the possible parameters, and memory is gone through in order.
//!
//! Invariants: a read is a *placeholder*: a value that no instruction defines, with the variable's type;
//! behind [`Renamer::finish`] nothing uses it. A source never is a placeholder, since what a block writes is
//! resolved when the walk meets the write, and the walk meets definitions before their uses.
//!
//! A variable that is read where no write comes before it is zero.

use crate::analysis::{Cfg, Dominators};
use crate::ssa_builder::{Variable, Zeros};
use pyro_ir::{Block, Function, Type, Value, ValueData, ValueDef};
use pyro_util::SecondaryMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Rounds in which parameters with one source are looked for: such a parameter costs nothing but a look by
/// later passes.
const SIMPLIFY_ROUNDS: u32 = 4;

/// Something that happens to a variable.
#[derive(Clone, Copy)]
struct Event {
    variable: u32,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The placeholder stands for the variable's value here.
    Read(Value),
    /// The variable gets a value.
    Write(Value),
    /// The variable gets a parameter of this block, which stays even where it is not needed. Before any other
    /// event of the block.
    Param,
}

/// A value that a variable may have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Source(u32);

impl Source {
    /// No write came before.
    const ZERO: Source = Source(u32::MAX);
    /// Not known.
    const NONE: Source = Source(u32::MAX - 1);
    const PHI: u32 = 1 << 31;

    fn value(value: Value) -> Source {
        debug_assert!(value.as_u32() < Source::PHI);
        Source(value.as_u32())
    }

    fn phi(phi: u32) -> Source {
        Source(phi | Source::PHI)
    }

    /// The index of a possible parameter.
    fn as_phi(self) -> Option<usize> {
        (self.0 < Source::NONE.0 && self.0 & Source::PHI != 0).then_some((self.0 & !Source::PHI) as usize)
    }
}

/// A possible parameter.
#[derive(Clone, Copy)]
struct Phi {
    variable: u32,
    block: Block,
    /// Where its sources start, one for each edge to the block.
    sources: u32,
    /// It stays even where it is not needed.
    forced: bool,
    /// Something depends on it.
    live: bool,
}

/// See the module's documentation.
pub(crate) struct Renamer {
    types: Vec<Type>,
    events: Vec<Event>,
    /// Blocks with events, and where these start.
    blocks: Vec<(Block, u32)>,
}

impl Renamer {
    /// No variables.
    pub(crate) fn new() -> Renamer {
        Renamer { types: Vec::new(), events: Vec::new(), blocks: Vec::new() }
    }

    /// A new variable.
    pub(crate) fn declare(&mut self, ty: Type) -> Variable {
        self.types.push(ty);
        Variable(self.types.len() as u32 - 1)
    }

    /// How many variables there are.
    pub(crate) fn count(&self) -> usize {
        self.types.len()
    }

    /// What is entered now happens in this block. Each block comes once.
    pub(crate) fn enter_block(&mut self, block: Block) {
        self.blocks.push((block, self.events.len() as u32));
    }

    /// The variable's value here, as a placeholder that may be used at once.
    pub(crate) fn read(&mut self, function: &mut Function, variable: Variable) -> Value {
        let ty = self.types[variable.0 as usize];
        let value = function.values.push(ValueData { ty, def: ValueDef::Param(Block::RESERVED, u32::MAX) });
        self.read_as(variable, value);
        value
    }

    /// The variable's value here takes the place of `value`, whose definition the pass removes.
    pub(crate) fn read_as(&mut self, variable: Variable, value: Value) {
        self.events.push(Event { variable: variable.0, kind: Kind::Read(value) });
    }

    /// The variable has this value from here on.
    pub(crate) fn write(&mut self, variable: Variable, value: Value) {
        self.events.push(Event { variable: variable.0, kind: Kind::Write(value) });
    }

    /// The variable has a parameter of this block from here on. Before any other event of the block.
    pub(crate) fn param(&mut self, variable: Variable) {
        self.events.push(Event { variable: variable.0, kind: Kind::Param });
    }

    /// Puts values in the places of placeholders, with the parameters and arguments that they need.
    pub(crate) fn finish(self, function: &mut Function) {
        let cfg = Cfg::new(function);
        let dominators = Dominators::new(function, &cfg);
        let mut ranges = vec![0..0; function.block_order.len()];
        for (index, &(block, start)) in self.blocks.iter().enumerate() {
            let end = self.blocks.get(index + 1).map_or(self.events.len(), |next| next.1 as usize);
            ranges[cfg.position(block) as usize] = start as usize..end;
        }
        let mut params = Params::new(&self, function, &cfg, &dominators, &ranges);
        let mut found = params.walk(&self, function, &cfg, &dominators, &ranges);
        let reads = || {
            self.events.iter().filter_map(|event| match event.kind {
                Kind::Read(value) => Some(value),
                Kind::Write(_) | Kind::Param => None,
            })
        };
        params.mark_live(reads().map(|value| found[value]));
        params.simplify();
        let mut zeros = Zeros::default();
        let values = params.enter(&self.types, function, &cfg, &mut zeros);
        for value in reads() {
            let ty = function.ty(value);
            found[value] = Source::value(match params.resolve(found[value]) {
                // In blocks that are never reached nothing is found.
                Source::ZERO | Source::NONE => zeros.get(function, ty),
                source => source.as_phi().map_or(Value::from_u32(source.0), |phi| values[phi]),
            });
        }
        zeros.enter(function);
        let replace = |value: &mut Value| {
            if found[*value] != Source::NONE {
                *value = Value::from_u32(found[*value].0);
            }
        };
        for &block in &function.block_order {
            let data = &mut function.blocks[block];
            for &inst in &data.insts {
                function.insts[inst].args.iter_mut().for_each(replace);
            }
            data.terminator.for_each_value_mut(replace);
        }
    }
}

/// The possible parameters of all blocks.
struct Params {
    /// In block order, and for a block in the order of variables.
    phis: Vec<Phi>,
    /// Where those of each position start; one more at the end.
    starts: Vec<u32>,
    /// What comes along each edge to the block of each.
    sources: Vec<Source>,
    /// What each stands for: itself, where it has several sources.
    stands_for: Vec<Source>,
}

impl Params {
    /// Finds where variables that are read before they are written in some block may need parameters.
    fn new(
        renamer: &Renamer,
        function: &Function,
        cfg: &Cfg,
        dominators: &Dominators,
        ranges: &[Range<usize>],
    ) -> Params {
        let count = ranges.len();
        let variable_count = renamer.types.len();
        // The blocks that write each variable, and whether the variable passes between blocks.
        let mut writes: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); variable_count];
        let mut passes = vec![false; variable_count];
        let mut forced: Vec<(u32, u32)> = Vec::new();
        for (position, range) in ranges.iter().enumerate() {
            let position = position as u32;
            for event in &renamer.events[range.clone()] {
                let variable = event.variable as usize;
                let written = writes[variable].last() == Some(&position);
                match event.kind {
                    Kind::Read(_) => passes[variable] |= !written,
                    Kind::Write(_) if written => {}
                    Kind::Write(_) => writes[variable].push(position),
                    Kind::Param => {
                        debug_assert!(!written, "parameters come first");
                        writes[variable].push(position);
                        forced.push((event.variable, position));
                    }
                }
            }
        }
        forced.sort_unstable();
        let frontiers = frontiers(function, cfg, dominators);
        let mut found: Vec<(u32, u32, bool)> = Vec::new();
        let mut stamp = vec![u32::MAX; count];
        let mut forced = forced.into_iter().peekable();
        for (variable, mut work) in (0u32..).zip(writes) {
            while let Some((_, position)) = forced.next_if(|of| of.0 == variable) {
                stamp[position as usize] = variable;
                found.push((variable, position, true));
                passes[variable as usize] = true;
            }
            if !passes[variable as usize] {
                continue;
            }
            while let Some(at) = work.pop() {
                for &join in &frontiers[at as usize] {
                    if std::mem::replace(&mut stamp[join as usize], variable) != variable {
                        found.push((variable, join, false));
                        work.push(join);
                    }
                }
            }
        }
        // By block, and then by variable, in which order they are.
        let mut starts = vec![0u32; count + 1];
        for &(_, position, _) in &found {
            starts[position as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let none = Phi { variable: 0, block: Block::RESERVED, sources: 0, forced: false, live: false };
        let mut phis = vec![none; found.len()];
        for (variable, position, forced) in found {
            let slot = &mut next[position as usize];
            let block = function.block_order[position as usize];
            phis[*slot as usize] = Phi { variable, block, sources: 0, forced, live: forced };
            *slot += 1;
        }
        let mut len = 0;
        for phi in &mut phis {
            phi.sources = len;
            len += cfg.preds(phi.block).len() as u32;
        }
        let stands_for = (0..phis.len() as u32).map(Source::phi).collect();
        Params { phis, starts, sources: vec![Source::ZERO; len as usize], stands_for }
    }

    /// Walks over the dominator tree: notes the sources, and gives what each placeholder stands for.
    fn walk(
        &mut self,
        renamer: &Renamer,
        function: &Function,
        cfg: &Cfg,
        dominators: &Dominators,
        ranges: &[Range<usize>],
    ) -> SecondaryMap<Value, Source> {
        let edges = EdgeIndices::new(function, cfg);
        let mut found = SecondaryMap::with_capacity(Source::NONE, function.values.len());
        let mut current = vec![Source::ZERO; renamer.types.len()];
        // What variables had before, and the blocks from the entry to here with the part of it that is older.
        let mut before: Vec<(u32, Source)> = Vec::new();
        let mut way: Vec<(u32, usize)> = Vec::new();
        for &position in dominators.preorder() {
            let above = dominators.idom_position(position);
            while let Some(&(last, len)) = way.last()
                && Some(last) != above
            {
                for (variable, source) in before.drain(len..).rev() {
                    current[variable as usize] = source;
                }
                way.pop();
            }
            way.push((position, before.len()));
            let at = position as usize;
            let mut set = |current: &mut [Source], variable: u32, source| {
                before.push((variable, std::mem::replace(&mut current[variable as usize], source)));
            };
            for phi in self.starts[at]..self.starts[at + 1] {
                set(&mut current, self.phis[phi as usize].variable, Source::phi(phi));
            }
            for event in &renamer.events[ranges[at].clone()] {
                match event.kind {
                    Kind::Read(value) => found[value] = current[event.variable as usize],
                    Kind::Write(value) => {
                        let source = found[value];
                        let source = if source == Source::NONE { Source::value(value) } else { source };
                        set(&mut current, event.variable, source);
                    }
                    Kind::Param => {}
                }
            }
            let terminator = &function.blocks[function.block_order[at]].terminator;
            for (target, edge) in terminator.targets().zip(edges.of(at)) {
                let to = cfg.position(target.block) as usize;
                for phi in &self.phis[self.starts[to] as usize..self.starts[to + 1] as usize] {
                    self.sources[(phi.sources + edge) as usize] = current[phi.variable as usize];
                }
            }
        }
        found
    }

    /// The sources of a possible parameter.
    fn sources(&self, phi: usize) -> Range<usize> {
        let end = self.phis.get(phi + 1).map_or(self.sources.len(), |next| next.sources as usize);
        self.phis[phi].sources as usize..end
    }

    /// Marks the parameters that reads and forced parameters depend on.
    fn mark_live(&mut self, reads: impl Iterator<Item = Source>) {
        let mut work: Vec<usize> = (0..self.phis.len()).filter(|&phi| self.phis[phi].forced).collect();
        for phi in reads.filter_map(Source::as_phi) {
            if !std::mem::replace(&mut self.phis[phi].live, true) {
                work.push(phi);
            }
        }
        while let Some(phi) = work.pop() {
            for source in self.sources(phi) {
                if let Some(phi) = self.sources[source].as_phi()
                    && !std::mem::replace(&mut self.phis[phi].live, true)
                {
                    work.push(phi);
                }
            }
        }
    }

    /// Finds the parameters with one source: what is written may be what was there before.
    fn simplify(&mut self) {
        for _ in 0..SIMPLIFY_ROUNDS {
            let mut changed = false;
            for phi in 0..self.phis.len() {
                let this = Source::phi(phi as u32);
                if !self.phis[phi].live || self.phis[phi].forced || self.stands_for[phi] != this {
                    continue;
                }
                let mut only = None;
                let mut several = false;
                for source in self.sources(phi) {
                    let source = self.resolve(self.sources[source]);
                    if source != this && only != Some(source) {
                        several |= only.is_some();
                        only = Some(source);
                    }
                }
                if let (Some(only), false) = (only, several) {
                    self.stands_for[phi] = only;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// What a source stands for.
    fn resolve(&mut self, source: Source) -> Source {
        let mut end = source;
        while let Some(phi) = end.as_phi()
            && self.stands_for[phi] != end
        {
            end = self.stands_for[phi];
        }
        let mut at = source;
        while let Some(phi) = at.as_phi()
            && at != end
        {
            at = std::mem::replace(&mut self.stands_for[phi], end);
        }
        end
    }

    /// Enters the parameters that stay, and the arguments on their edges. Gives the parameters' values.
    fn enter(&mut self, types: &[Type], function: &mut Function, cfg: &Cfg, zeros: &mut Zeros) -> Vec<Value> {
        let mut values = vec![Value::RESERVED; self.phis.len()];
        let stay: Vec<usize> = (0..self.phis.len())
            .filter(|&phi| self.phis[phi].live && self.stands_for[phi] == Source::phi(phi as u32))
            .collect();
        for &phi in &stay {
            let Phi { variable, block, .. } = self.phis[phi];
            values[phi] = function.add_param(block, types[variable as usize]);
        }
        for &phi in &stay {
            let Phi { variable, block, .. } = self.phis[phi];
            for (edge, source) in cfg.preds(block).iter().zip(self.sources(phi)) {
                let arg = match self.resolve(self.sources[source]) {
                    Source::ZERO => zeros.get(function, types[variable as usize]),
                    source => source.as_phi().map_or(Value::from_u32(source.0), |phi| values[phi]),
                };
                let call = function.blocks[edge.from].terminator.target_mut(edge.ordinal);
                call.expect("the edge exists").args.push(arg);
            }
        }
        values
    }
}

/// Which of its target's edges each edge is, by the block that it leaves.
struct EdgeIndices {
    starts: Vec<u32>,
    indices: Vec<u32>,
}

impl EdgeIndices {
    fn new(function: &Function, cfg: &Cfg) -> EdgeIndices {
        let mut next = vec![0; function.block_order.len()];
        let mut edges = EdgeIndices { starts: Vec::with_capacity(next.len() + 1), indices: Vec::new() };
        edges.starts.push(0);
        // `Cfg::preds` are in the same order.
        for &block in &function.block_order {
            for target in function.blocks[block].terminator.targets() {
                let next = &mut next[cfg.position(target.block) as usize];
                edges.indices.push(*next);
                *next += 1;
            }
            edges.starts.push(edges.indices.len() as u32);
        }
        edges
    }

    fn of(&self, position: usize) -> impl Iterator<Item = u32> {
        self.indices[self.starts[position] as usize..self.starts[position + 1] as usize].iter().copied()
    }
}

/// The dominance frontier of each position, as positions.
fn frontiers(function: &Function, cfg: &Cfg, dominators: &Dominators) -> Vec<SmallVec<[u32; 4]>> {
    let mut frontiers = vec![SmallVec::new(); function.block_order.len()];
    for (position, &block) in (0u32..).zip(&function.block_order) {
        let preds = cfg.preds(block);
        if preds.len() < 2 || !cfg.is_reachable(block) {
            continue;
        }
        let idom = dominators.idom_position(position);
        for edge in preds.iter().filter(|edge| cfg.is_reachable(edge.from)) {
            let mut runner = Some(cfg.position(edge.from));
            while let Some(at) = runner
                && runner != idom
                && frontiers[at as usize].last() != Some(&position)
            {
                frontiers[at as usize].push(position);
                runner = dominators.idom_position(at);
            }
        }
    }
    frontiers
}
