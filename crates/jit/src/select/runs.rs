//! Gathers of words whose lanes mostly lie side by side, but for one place where a row ends and another
//! begins.
//!
//! Problem: invocations that fill a tile with a border, or go over a picture whose width is no multiple of
//! the lanes, read parts of rows: where one ends is a quotient that only the shader's run tells. A gather
//! takes as long as dozens of vector instructions.
//!
//! Approach: of sixteen lanes the first ones are expected to lie behind lane 0 and all others in front of the
//! last lane ([`RunGather`]); then two masked loads give what the gather would. Whether it is so is asked
//! when the shader runs, of all lanes, active or not. What is worth the question is an offset of lane numbers
//! and uniform values alone that is limited or divided somewhere: what a shader looks up in memory, or
//! scrambles, may be anything.

use super::Selector;
use super::memory::Predicate;
use super::vector::{Memory, late_use};
use crate::asm::Len;
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, MASK, VECTOR};
use crate::machine::{Kind, NONE, Operands, RunGather};
use pyro_ir::{Opcode, Scalar, Space, Value};
use regalloc2::{Operand, VReg};

/// How deep an offset is looked into.
const DEPTH: u32 = 12;
/// Larger constant factors scramble numbers.
const FACTOR_END: u64 = 1 << 16;

/// What an offset is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Parts {
    has_lanes: bool,
    is_limited: bool,
}

impl Parts {
    fn and(self, other: Parts) -> Parts {
        Parts {
            has_lanes: self.has_lanes || other.has_lanes,
            is_limited: self.is_limited || other.is_limited,
        }
    }
}

impl Selector<'_> {
    /// Whether offsets are expected to lie in runs.
    pub(super) fn expects_runs(&self, scalar: Scalar, offset: Value) -> bool {
        self.features.level == Level::Avx512
            && scalar.bits() == 32
            && self.tiling(scalar).len == Len::Z
            && self.parts(offset, DEPTH).is_some_and(|parts| parts.has_lanes && parts.is_limited)
    }

    fn parts(&self, value: Value, depth: u32) -> Option<Parts> {
        use Opcode as O;
        if self.ty(value).is_uniform() || self.constant(value).is_some() {
            return Some(Parts::default());
        }
        let data = self.def(value).filter(|_| depth > 0 && self.ty(value).scalar == Scalar::I32)?;
        let of = |index: usize| self.parts(data.args[index], depth - 1);
        let is_same = |index: usize| of(index) == Some(Parts::default());
        match data.op {
            O::LaneId => Some(Parts { has_lanes: true, is_limited: false }),
            O::Splat => Some(Parts::default()),
            O::IAdd | O::ISub => Some(of(0)?.and(of(1)?)),
            O::Shl if is_same(1) => of(0),
            O::IMul => {
                let is_factor = |index: usize| {
                    is_same(index) && self.constant(data.args[index]).is_none_or(|factor| factor < FACTOR_END)
                };
                match (is_factor(1), is_factor(0)) {
                    (true, _) => of(0),
                    (false, true) => of(1),
                    (false, false) => None,
                }
            }
            O::SMin | O::SMax | O::UMin | O::UMax => Some(Parts { is_limited: true, ..of(0)?.and(of(1)?) }),
            O::Select => Some(Parts { is_limited: true, ..of(1)?.and(of(2)?) }),
            O::UDiv
            | O::SDiv
            | O::URem
            | O::SRem
            | O::UMulHigh
            | O::SMulHigh
            | O::LShr
            | O::AShr
            | O::And
                if is_same(1) =>
            {
                Some(Parts { is_limited: true, ..of(0)? })
            }
            _ => None,
        }
    }

    /// A gather of sixteen words.
    pub(super) fn gather_runs(
        &mut self,
        memory: Memory,
        index: VReg,
        predicate: Predicate,
        piece: u32,
        space: Space,
    ) -> VReg {
        let to = self.code.vreg(VECTOR);
        let mask = predicate.mask().map(|mask| self.mask_piece(mask, piece, 16));
        let numbers: Vec<u8> = (0..16_u32).flat_map(|lane| (4 * lane).to_le_bytes()).collect();
        let lanes = self.asm.constant(&numbers);
        let mut operands = Operands::new();
        operands.push(Operand::reg_def(to));
        for class in [VECTOR, MASK, MASK, GENERAL, GENERAL] {
            operands.push(Operand::reg_temp(self.code.vreg(class)));
        }
        let address = Self::address_operands(Memory { index: Some(index), ..memory }, &mut operands, true);
        let mask = mask.map_or(NONE, |mask| {
            operands.push(late_use(mask));
            operands.len() as u8 - 1
        });
        let prefetches = matches!(space, Space::Global | Space::Input);
        self.push(Kind::RunGather(RunGather { address, mask, lanes, prefetches }), &operands);
        to
    }
}
