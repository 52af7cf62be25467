//! `derivative-divergence`, `subgroup-lane`, `subgroup-uniform`: operations on values of other invocations,
//! where these are not there or do not agree.
//!
//! What a shuffle or a broadcast gives from an inactive invocation is undefined, but scans take such values
//! and drop them: so it is followed as values of variables are ([`super::definedness`]), and found where it
//! decides.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::group;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{ExecutionMode, ExecutionModel, ImageOperands, Op};
use pyro_util::sanitize::Kind;

/// Whether a footprint's level of detail is an operand.
fn has_explicit_level(inst: Instruction<'_>) -> bool {
    let operands = ImageOperands::from_bits_retain(inst.get_word(4).unwrap_or(0));
    operands.intersects(ImageOperands::LOD | ImageOperands::GRAD)
}

/// Whether an operation gives each invocation the value of another, which may not be active.
pub(super) fn takes_from_lanes(op: Op) -> bool {
    matches!(
        op,
        Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::GroupNonUniformQuadBroadcast
            | Op::GroupNonUniformQuadSwap
            | Op::GroupNonUniformBroadcast
            | Op::SubgroupReadInvocationKHR
    )
}

impl<'m> Lowerer<'m, '_> {
    /// Derivatives.
    pub(super) fn sanitize_derivative(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::DPdx
            | Op::DPdy
            | Op::Fwidth
            | Op::DPdxFine
            | Op::DPdyFine
            | Op::FwidthFine
            | Op::DPdxCoarse
            | Op::DPdyCoarse
            | Op::FwidthCoarse => self.find_missing_quad(inst, "a derivative is taken"),
            _ => Ok(()),
        }
    }

    /// Samples whose level of detail comes from derivatives.
    pub(super) fn sanitize_implicit_level(&mut self, inst: Instruction<'m>) -> Result {
        match inst.op() {
            Op::ImageSampleImplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageQueryLod => {
                self.find_missing_quad(inst, "an image is sampled with an implicit level of detail")
            }
            Op::ImageSampleFootprintNV if !has_explicit_level(inst) => {
                self.find_missing_quad(inst, "a footprint is asked for with an implicit level of detail")
            }
            Op::ImageGather | Op::ImageDrefGather if self.gathers_at_quad_level() => {
                self.find_missing_quad(inst, "an image is gathered with an implicit level of detail")
            }
            _ => Ok(()),
        }
    }

    fn find_missing_quad(&mut self, inst: Instruction<'m>, what: &str) -> Result {
        if !self.sanitizer.is_on(Kind::DerivativeDivergence) {
            return Ok(());
        }
        let grouped = [ExecutionMode::DerivativeGroupQuadsKHR, ExecutionMode::DerivativeGroupLinearKHR];
        if self.stage.model() != Some(ExecutionModel::Fragment) && !self.declares(&grouped) {
            return Ok(());
        }
        let active = self.b.op(Opcode::Active, &[]);
        let bits = self.b.op(Opcode::Ballot, &[active]);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let mask = self.b.i32(!3);
        let first = self.b.op(Opcode::And, &[lane, mask]);
        let first = self.b.convert(Opcode::ZeroExtend, first, Scalar::I64);
        let quad = self.b.op(Opcode::LShr, &[bits, first]);
        let all = self.b.i64(15);
        let quad = self.b.op(Opcode::And, &[quad, all]);
        let is_missing = self.b.op(Opcode::INe, &[quad, all]);
        let text = format!("{what} where invocations of the quad are missing");
        self.find(inst, Kind::DerivativeDivergence, is_missing, text, Vec::new())
    }

    /// Group operations.
    pub(super) fn sanitize_group(&mut self, inst: Instruction<'m>) -> Result {
        let (position, what) = match inst.op() {
            Op::GroupNonUniformBroadcast | Op::GroupBroadcast => (2, "the invocation that a broadcast reads"),
            Op::SubgroupReadInvocationKHR => (1, "the invocation that a broadcast reads"),
            Op::GroupNonUniformQuadBroadcast => (2, "the invocation of the quad that a broadcast reads"),
            Op::GroupNonUniformRotateKHR => (2, "the number of invocations by which values are rotated"),
            _ => return Ok(()),
        };
        let index = self.scalar(inst.id(position))?;
        self.expect_int(inst, &[index])?;
        if self.sanitizer.is_on(Kind::SubgroupUniform) {
            let same = match inst.op() {
                Op::GroupNonUniformQuadBroadcast => self.is_same_in_quad(index)?,
                _ => group::all_equal(&mut self.b, &[index]),
            };
            let differs = self.not(same);
            let values = self.reported_ids(&[("invocation", inst.id(position))])?;
            let text = format!("{what} is not the same in all invocations");
            self.find(inst, Kind::SubgroupUniform, differs, text, values)?;
        }
        if self.sanitizer.is_on(Kind::SubgroupLane) && inst.op() == Op::GroupBroadcast {
            let is_missing = self.is_inactive(index)?;
            let values = self.reported_ids(&[("invocation", inst.id(position))])?;
            let text = "a broadcast reads an invocation that is not active";
            self.find(inst, Kind::SubgroupLane, is_missing, text, values)?;
        }
        Ok(())
    }

    /// Whether an integer is the same in all active invocations of the quad.
    fn is_same_in_quad(&mut self, value: Value) -> Result<Value> {
        let value = self.integer_of_width(value, Scalar::I32, false)?;
        let mut same = self.b.bool(true);
        for distance in 1..4 {
            let distance = self.b.i32(distance);
            let other = group::shuffle_xor(&mut self.b, value, distance);
            let equal = self.b.op(Opcode::IEq, &[value, other]);
            let lane = self.b.op(Opcode::LaneId, &[]);
            let place = self.b.op(Opcode::Xor, &[lane, distance]);
            let is_off = self.is_inactive(place)?;
            let holds = self.b.op(Opcode::Or, &[equal, is_off]);
            same = self.b.op(Opcode::And, &[same, holds]);
        }
        Ok(same)
    }

    /// Whether (`i1`) a shuffle takes the invocation's value from one that is not active; none where that
    /// cannot be.
    pub(super) fn takes_from_inactive(&mut self, inst: Instruction<'m>) -> Result<Option<Value>> {
        let lane = self.b.op(Opcode::LaneId, &[]);
        let of_quad = matches!(inst.op(), Op::GroupNonUniformQuadBroadcast | Op::GroupNonUniformQuadSwap);
        let operand = match inst.op() {
            Op::SubgroupReadInvocationKHR => {
                let operand = self.scalar(inst.id(1))?;
                self.integer_of_width(operand, Scalar::I32, false)?
            }
            Op::GroupNonUniformQuadSwap => self.b.i32(1 + self.constant_operand(inst.id(2))?),
            _ => {
                let operand = self.scalar(inst.id(2))?;
                self.integer_of_width(operand, Scalar::I32, false)?
            }
        };
        let place = match inst.op() {
            Op::GroupNonUniformShuffle | Op::GroupNonUniformBroadcast | Op::SubgroupReadInvocationKHR => {
                operand
            }
            Op::GroupNonUniformShuffleXor | Op::GroupNonUniformQuadSwap => {
                self.b.op(Opcode::Xor, &[lane, operand])
            }
            Op::GroupNonUniformShuffleUp => self.b.op(Opcode::ISub, &[lane, operand]),
            Op::GroupNonUniformShuffleDown => self.b.op(Opcode::IAdd, &[lane, operand]),
            Op::GroupNonUniformQuadBroadcast => {
                let mask = self.b.i32(!3);
                let first = self.b.op(Opcode::And, &[lane, mask]);
                self.b.op(Opcode::IAdd, &[first, operand])
            }
            _ => return Ok(None),
        };
        let inactive = self.is_inactive(place)?;
        if of_quad && inst.op() == Op::GroupNonUniformQuadBroadcast {
            let is_past = self.at_least(operand, 4);
            return Ok(Some(self.b.op(Opcode::Or, &[inactive, is_past])));
        }
        Ok(Some(inactive))
    }

    /// A flag of another invocation, as a shuffle takes values.
    pub(super) fn shuffled(&mut self, inst: Instruction<'m>, flag: Value) -> Result<Value> {
        let flag = self.b.convert(Opcode::ZeroExtend, flag, Scalar::I32);
        let index = |cx: &mut Self| cx.scalar(inst.id(2));
        let taken = match inst.op() {
            Op::GroupNonUniformShuffle | Op::GroupNonUniformBroadcast => {
                let index = index(self)?;
                group::shuffle(&mut self.b, flag, index)
            }
            Op::SubgroupReadInvocationKHR => {
                let index = self.scalar(inst.id(1))?;
                group::shuffle(&mut self.b, flag, index)
            }
            Op::GroupNonUniformShuffleXor => {
                let index = index(self)?;
                group::shuffle_xor(&mut self.b, flag, index)
            }
            Op::GroupNonUniformShuffleUp => {
                let index = index(self)?;
                group::shuffle_up(&mut self.b, flag, index)
            }
            Op::GroupNonUniformShuffleDown => {
                let index = index(self)?;
                group::shuffle_down(&mut self.b, flag, index)
            }
            Op::GroupNonUniformQuadBroadcast => {
                let index = index(self)?;
                group::quad_broadcast(&mut self.b, flag, index)
            }
            _ => {
                let distance = self.b.i32(1 + self.constant_operand(inst.id(2))?);
                group::shuffle_xor(&mut self.b, flag, distance)
            }
        };
        let zero = self.b.i32(0);
        Ok(self.b.op(Opcode::INe, &[taken, zero]))
    }

    /// Whether no invocation of the subgroup with this number is here.
    fn is_inactive(&mut self, index: Value) -> Result<Value> {
        let lanes = u64::from(self.b.function.lanes);
        let is_outside = self.at_least(index, lanes);
        let active = self.b.op(Opcode::Active, &[]);
        let bits = self.b.op(Opcode::Ballot, &[active]);
        let index = self.integer_of_width(index, Scalar::I64, false)?;
        let bit = self.b.op(Opcode::LShr, &[bits, index]);
        let one = self.b.i64(1);
        let bit = self.b.op(Opcode::And, &[bit, one]);
        let is_off = self.equals(bit, 0);
        Ok(self.b.op(Opcode::Or, &[is_outside, is_off]))
    }
}
