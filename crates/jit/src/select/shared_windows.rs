//! Windows that several loads of a block are put together from: lanes that read words of 64 bytes, each load
//! others of them. What invocations have just left for each other in workgroup memory is read like that, and
//! the parts of a block of weights.
//!
//! One load of what all of them read takes the place of one for each. It is as wide as the store before it
//! was, too, where lanes stored what they read now: a processor passes nothing on to a load that goes beyond
//! the store.

use super::Selector;
use super::address::Use;
use super::linear::{Linear, Term};
use super::windows::{BYTES, Windows};
use super::{Registers, vector::Memory};
use crate::cpu::Level;
use pyro_ir::{Block, Inst, InstData, MemoryOp, Opcode, Scalar, Space, Type, Value};
use regalloc2::VReg;
use smallvec::SmallVec;

/// How many instructions are looked at for loads from the same window.
const AHEAD: usize = 128;
const WORD: i64 = 4;

/// The windows of the block at hand.
#[derive(Default)]
pub(super) struct SharedWindows {
    /// The block, and the place behind the instruction at hand.
    pub(super) next: Option<(Block, usize)>,
    loaded: SmallVec<[Loaded; 2]>,
}

struct Loaded {
    base: Value,
    terms: SmallVec<[Term; 2]>,
    space: Space,
    /// Where it begins, beside the terms.
    start: i64,
    register: VReg,
}

impl SharedWindows {
    pub(super) fn start_block(&mut self, block: Block) {
        self.next = Some((block, 0));
        self.loaded.clear();
    }

    /// Forgets what an instruction may change, and goes on behind it.
    pub(super) fn pass(&mut self, data: &InstData) {
        self.loaded.retain(|window| !data.orders(window.space));
        if let Some((_, next)) = &mut self.next {
            *next += 1;
        }
    }
}

/// What words lie between, beside the terms of an access.
#[derive(Clone, Copy)]
struct Span {
    start: i64,
    end: i64,
}

impl Selector<'_> {
    /// Words for all lanes from a window that other loads of the block read, too.
    pub(super) fn load_from_shared_window(
        &mut self,
        scalar: Scalar,
        base: Value,
        offset: Value,
        op: MemoryOp,
    ) -> Option<Registers> {
        if self.features.level != Level::Avx512 || scalar.bits() != 32 || op.volatile {
            return None;
        }
        let (linear, own) = self.window_span(base, offset, op)?;
        let is_loaded = |window: &&Loaded| {
            window.base == base
                && window.space == op.space
                && window.terms == linear.terms
                && window.start <= own.start
                && own.end <= window.start + i64::from(BYTES)
                && (own.start - window.start) % WORD == 0
        };
        let loaded = self.shared_windows.loaded.iter().find(is_loaded);
        let (start, register) = match loaded.map(|window| (window.start, window.register)) {
            Some(known) => known,
            None => {
                let all = self.union_ahead(base, &linear, own, op.space)?;
                let first = self.anchored(base, offset, op, &linear);
                let memory = first.plus((all.start - own.start) as i32);
                let window = Windows::one((all.end - all.start) as u32);
                let register = self.load_all_windows(memory, &window)[0];
                let (terms, space, start) = (linear.terms.clone(), op.space, all.start);
                self.shared_windows.loaded.push(Loaded { base, terms, space, start, register });
                (start, register)
            }
        };
        let places = (0..self.lanes).map(|lane| {
            let place = i64::from(linear.constant.at(lane) as i32) + i64::from(op.displacement);
            (place - start) as u32
        });
        let places: SmallVec<[u32; 16]> = places.collect();
        Some(std::iter::once(self.words_of_window(register, &places)).collect())
    }

    /// The place of the first byte of all lanes.
    fn anchored(&mut self, base: Value, offset: Value, op: MemoryOp, linear: &Linear) -> Memory {
        let anchor = self.anchor(linear);
        let least = self.offset_of_lane(offset, linear, anchor);
        self.operand(base, least, op.displacement)
    }

    /// What an access's lanes read of a window, if it is one of words in one register.
    fn window_span(&self, base: Value, offset: Value, op: MemoryOp) -> Option<(std::rc::Rc<Linear>, Span)> {
        let fits = self.ty(base).is_uniform()
            && self.ty(offset) == Type::varying(Scalar::I32)
            && self.tiling(Scalar::I32).count == 1;
        let linear = self.linear(offset).filter(|_| fits)?;
        let distance = |lane: u32| linear.distance(lane, 0);
        if !self.is_table(&linear, Scalar::I32, Use::LoadAll) || !self.fits_one_window(Scalar::I32, distance)
        {
            return None;
        }
        let place = |lane: u32| i64::from(linear.constant.at(lane) as i32) + i64::from(op.displacement);
        let start = (0..self.lanes).map(place).min()?;
        let end = (0..self.lanes).map(place).max()? + WORD;
        Some((linear.clone(), Span { start, end }))
    }

    /// What this and later loads of the block read of one window, where there are later ones.
    fn union_ahead(&self, base: Value, linear: &Linear, own: Span, space: Space) -> Option<Span> {
        let (block, next) = self.shared_windows.next?;
        let insts = self.function.blocks[block].insts.get(next..)?;
        let mut all = own;
        let mut is_shared = false;
        for &inst in insts.iter().take(AHEAD) {
            let data = &self.function.insts[inst];
            if data.orders(space) {
                break;
            }
            if let Some(other) = self.load_beside(inst, base, linear, space) {
                let union = Span { start: all.start.min(other.start), end: all.end.max(other.end) };
                let fits = union.end - union.start <= i64::from(BYTES);
                if fits && (other.start - own.start) % WORD == 0 {
                    (all, is_shared) = (union, true);
                }
            }
        }
        is_shared.then_some(all)
    }

    fn load_beside(&self, inst: Inst, base: Value, linear: &Linear, space: Space) -> Option<Span> {
        let data = &self.function.insts[inst];
        if data.op != Opcode::Load || data.args[0] != base || self.constant(data.args[2]) != Some(1) {
            return None;
        }
        let ty = self.ty(data.expect_result());
        let op = MemoryOp::from_imm(data.imm);
        let fits = ty.is_varying() && ty.scalar.bits() == 32 && op.space == space && !op.volatile;
        let (other, span) = self.window_span(base, data.args[1], op).filter(|_| fits)?;
        (other.terms == linear.terms).then_some(span)
    }
}
