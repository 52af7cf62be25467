//! Barriers that the order of subgroups makes needless are left out. Lane form.
//!
//! Problem: each step of a scan has a barrier between its loads and its stores, as otherwise an invocation
//! might load what another one has stored already. Between two barriers is a round over all subgroups, and
//! what a step has loaded waits for the next round in memory.
//!
//! ```text
//! suspend                                        suspend
//! v = id >= 4 ? a[id - 4] : 0                    v = id >= 4 ? a[id - 4] : 0
//! suspend                                        a[id] += v       (the last subgroup comes first)
//! a[id] += v                                     suspend
//! suspend
//! ```
//!
//! Approach: the subgroups of a round run one after the other, and which comes first is free. With a suspend
//! point left out, a subgroup does what lies behind it before the subgroups that come later do what lies in
//! front. That changes nothing where none of these accesses meet. Which places an access touches is computed
//! for every invocation, where nothing but its number decides ([`Invocations`]). So of each word of workgroup
//! memory is known which subgroups load and store it in front of the suspend point and which behind. Both
//! orders are tried, first subgroup first and last subgroup first, and the one that more suspend points can
//! go for is chosen. Fences stay. Where words are loaded that were stored in front, by the same subgroup as
//! well, the suspend point stays: loads of what has just been stored wait for it, unless they fit the
//! stores, so that trees and exchanges took longer.
//!
//! Invariants: only suspend points go that every invocation comes to once: they lie in no loop, and no way
//! leads around them. What is not known of an access counts as all places of its space. Shaders with atomics
//! keep the order of subgroups: what they return would show it.

use crate::analysis::invocations::Numbers;
use crate::analysis::{Cfg, Invocations, LoopForest};
use pyro_ir::{Block, Effect, Form, Function, Inst, MemoryOp, Opcode, Space, Terminator, Value};
use rustc_hash::FxHashMap;

/// The most invocations of a workgroup.
const INVOCATIONS_MAX: usize = 2048;
/// The most words that are looked at, of all accesses of all invocations.
const WORDS_MAX: usize = 1 << 18;

/// What the pass has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Suspend points have gone.
    pub changed: bool,
    /// The last subgroup of a round has to come first.
    pub last_first: bool,
}

/// Runs the pass on a shader whose workgroups are so many subgroups.
pub fn run(function: &mut Function, subgroup_count: u32) -> Outcome {
    debug_assert_eq!(function.form, Form::Lane);
    let is_small = function.lanes as usize * subgroup_count as usize <= INVOCATIONS_MAX;
    if subgroup_count < 2 || !is_small || !crate::coroutine_split::suspends(function) {
        return Outcome::default();
    }
    let Some(pieces) = Pieces::find(function, subgroup_count) else { return Outcome::default() };
    let upwards = pieces.needless(false);
    let downwards = if pieces.has_atomics { Vec::new() } else { pieces.needless(true) };
    let last_first = downwards.len() > upwards.len();
    let needless = if last_first { downwards } else { upwards };
    let mut goes = needless.iter().peekable();
    for block in pieces.blocks {
        function.blocks[block].insts.retain(|inst| goes.next_if(|&next| next == inst).is_none());
    }
    Outcome { changed: !needless.is_empty(), last_first }
}

/// The subgroups that access a word.
#[derive(Clone, Copy)]
struct Subgroups {
    least: u32,
    greatest: u32,
}

impl Subgroups {
    const NONE: Subgroups = Subgroups { least: u32::MAX, greatest: 0 };

    fn add(&mut self, other: Subgroups) {
        (self.least, self.greatest) = (self.least.min(other.least), self.greatest.max(other.greatest));
    }

    fn is_none(self) -> bool {
        self.least > self.greatest
    }

    /// Whether none of these comes later than one of the others.
    fn is_before(self, others: Subgroups, last_first: bool) -> bool {
        self.is_none()
            || others.is_none()
            || if last_first { self.least >= others.greatest } else { self.greatest <= others.least }
    }
}

/// The subgroups that load and store a word.
#[derive(Clone, Copy)]
struct Word {
    loads: Subgroups,
    stores: Subgroups,
}

/// What happens between two suspend points.
#[derive(Clone, Default)]
struct Piece {
    words: FxHashMap<u32, Word>,
    /// Of each space whether it is accessed, and stored to, at places that are not known.
    anywhere: [[bool; 2]; Space::ALL.len()],
    has_words: bool,
    has_stores: bool,
}

impl Piece {
    /// Whether the suspend point between this and what follows may go.
    fn is_apart(&self, next: &Piece, last_first: bool) -> bool {
        let shared = Space::Shared as usize;
        for space in 0..Space::ALL.len() {
            let ([a, a_stores], [b, b_stores]) = (self.anywhere[space], next.anywhere[space]);
            if a && b_stores || a_stores && b {
                return false;
            }
        }
        let meets = |of: &Piece, [any, stores]: [bool; 2]| any && of.has_stores || stores && of.has_words;
        if meets(self, next.anywhere[shared]) || meets(next, self.anywhere[shared]) {
            return false;
        }
        let (fewer, more) = if self.words.len() < next.words.len() { (self, next) } else { (next, self) };
        fewer.words.keys().filter(|word| more.words.contains_key(*word)).all(|word| {
            let (front, behind) = (self.words[word], next.words[word]);
            front.loads.is_before(behind.stores, last_first)
                && front.stores.is_before(behind.stores, last_first)
                && (front.stores.is_none() || behind.loads.is_none())
        })
    }

    fn add(&mut self, next: &Piece) {
        for (&word, &of_next) in &next.words {
            let of_word = self.words.entry(word).or_insert(of_next);
            of_word.loads.add(of_next.loads);
            of_word.stores.add(of_next.stores);
        }
        for (space, of_next) in self.anywhere.iter_mut().zip(next.anywhere) {
            (space[0], space[1]) = (space[0] | of_next[0], space[1] | of_next[1]);
        }
        self.has_words |= next.has_words;
        self.has_stores |= next.has_stores;
    }
}

/// The pieces that the suspend points which every invocation comes to once cut a shader into.
struct Pieces {
    pieces: Vec<Piece>,
    /// The suspend point behind each piece but the last.
    points: Vec<Inst>,
    /// The blocks that every invocation comes to once.
    blocks: Vec<Block>,
    has_atomics: bool,
}

impl Pieces {
    /// None where no suspend point may go.
    fn find(function: &Function, subgroup_count: u32) -> Option<Pieces> {
        let cfg = Cfg::new(function);
        let forest = LoopForest::new(function, &cfg);
        let mut invocations = Invocations::new(function, subgroup_count, None);
        let come = invocations.come(&cfg);
        let mut pieces = Pieces {
            pieces: vec![Piece::default()],
            points: Vec::new(),
            blocks: Vec::new(),
            has_atomics: false,
        };
        let written = crate::barrier_elim::written(function);
        let mut base = None;
        let mut left = WORDS_MAX;
        let mut reach = 0;
        for (position, &block) in function.block_order.iter().enumerate() {
            let is_passed = reach <= position as u32 && forest.innermost(position as u32).is_none();
            if is_passed {
                pieces.blocks.push(block);
            }
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                match data.op {
                    Opcode::Suspend if is_passed => {
                        pieces.points.push(inst);
                        pieces.pieces.push(Piece::default());
                    }
                    Opcode::Call | Opcode::SlotCall | Opcode::Report | Opcode::Track => return None,
                    op if op.is_memory() => {
                        let memory = MemoryOp::from_imm(data.imm);
                        let is_own = matches!(memory.space, Space::Scratch | Space::Frame);
                        if is_own || !written[memory.space as usize] {
                            continue;
                        }
                        let is_plain = matches!(op, Opcode::Load | Opcode::Store) && !memory.volatile;
                        pieces.has_atomics |= !is_plain;
                        let is_known = is_plain
                            && memory.space == Space::Shared
                            && *base.get_or_insert(data.args[0]) == data.args[0];
                        let is_store = op.effect() == Effect::Write;
                        let places = Places::of(function, &mut invocations, inst);
                        let piece = pieces.pieces.last_mut()?;
                        match places.filter(|places| is_known && places.count() <= left) {
                            Some(places) => {
                                left -= places.count();
                                places.add(piece, come[position].as_deref(), is_store, function.lanes);
                            }
                            None => {
                                let [any, stores] = &mut piece.anywhere[memory.space as usize];
                                (*any, *stores) = (true, *stores | is_store);
                            }
                        }
                    }
                    _ => {}
                }
            }
            let terminator = &function.blocks[block].terminator;
            if !matches!(terminator, Terminator::Return(_)) {
                let furthest = terminator.targets().map(|target| cfg.position(target.block)).max();
                reach = reach.max(furthest.unwrap_or(0));
            }
        }
        (!pieces.points.is_empty()).then_some(pieces)
    }

    /// The suspend points that may go with this order of the subgroups.
    fn needless(&self, last_first: bool) -> Vec<Inst> {
        let mut found = Vec::new();
        let mut since = self.pieces[0].clone();
        for (&point, next) in self.points.iter().zip(&self.pieces[1..]) {
            if since.is_apart(next, last_first) {
                found.push(point);
                since.add(next);
            } else {
                since = next.clone();
            }
        }
        found
    }
}

/// The places that an access touches.
struct Places {
    offsets: Numbers,
    predicate: Option<Numbers>,
    displacement: u32,
    bytes: u32,
}

impl Places {
    fn of(function: &Function, invocations: &mut Invocations<'_>, inst: Inst) -> Option<Places> {
        let data = &function.insts[inst];
        let &predicate = data.args.last()?;
        let value: Value = data.result.expand().or_else(|| data.args.get(2).copied())?;
        Some(Places {
            offsets: invocations.of(data.args[1])?,
            predicate: invocations.of(predicate),
            displacement: MemoryOp::from_imm(data.imm).displacement as u32,
            bytes: function.ty(value).scalar.bytes(),
        })
    }

    fn count(&self) -> usize {
        self.offsets.len() * self.bytes.div_ceil(4) as usize
    }

    /// Adds them for the invocations that come there.
    fn add(&self, piece: &mut Piece, come: Option<&[bool]>, is_store: bool, lanes: u32) {
        for (index, &offset) in self.offsets.iter().enumerate() {
            let takes_part = come.is_none_or(|come| come[index])
                && self.predicate.as_ref().is_none_or(|holds| holds[index] & 1 == 1);
            if !takes_part {
                continue;
            }
            let subgroup = index as u32 / lanes;
            let own = Subgroups { least: subgroup, greatest: subgroup };
            // Places that are one are equal in 32 bits.
            let first = (offset as u32).wrapping_add(self.displacement);
            for word in first >> 2..=(first.saturating_add(self.bytes - 1)) >> 2 {
                let none = Word { loads: Subgroups::NONE, stores: Subgroups::NONE };
                let word = piece.words.entry(word).or_insert(none);
                if is_store { &mut word.stores } else { &mut word.loads }.add(own);
            }
        }
        piece.has_words = true;
        piece.has_stores |= is_store;
    }
}
