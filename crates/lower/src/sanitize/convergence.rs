//! `derivative-divergence`, `subgroup-lane`, `subgroup-uniform`: operations on values of other invocations,
//! where these are not there or do not agree.
//!
//! Shuffles are not looked at: what they give from an inactive invocation is undefined, but scans take such
//! values and drop them.

use crate::context::Lowerer;
use crate::error::Result;
use pyro_ir::{Opcode, Scalar, Value};
use pyro_library::group;
use pyro_spirv::Instruction;
use pyro_spirv::spirv::{ExecutionModel, Op};
use pyro_util::sanitize::Kind;

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
            _ => Ok(()),
        }
    }

    fn find_missing_quad(&mut self, inst: Instruction<'m>, what: &str) -> Result {
        let stage = self.stage;
        if stage.model() != Some(ExecutionModel::Fragment)
            || !self.sanitizer.is_on(Kind::DerivativeDivergence)
        {
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

    /// Broadcasts.
    pub(super) fn sanitize_group(&mut self, inst: Instruction<'m>) -> Result {
        let position = match inst.op() {
            Op::GroupNonUniformBroadcast => 2,
            Op::SubgroupReadInvocationKHR => 1,
            _ => return Ok(()),
        };
        let index = self.scalar(inst.id(position))?;
        self.expect_int(inst, &[index])?;
        if self.sanitizer.is_on(Kind::SubgroupUniform) {
            let same = group::all_equal(&mut self.b, &[index]);
            let differs = self.not(same);
            let values = self.reported_ids(&[("invocation", inst.id(position))])?;
            let text = "the invocation that a broadcast reads is not the same in all invocations";
            self.find(inst, Kind::SubgroupUniform, differs, text, values)?;
        }
        if self.sanitizer.is_on(Kind::SubgroupLane) {
            let is_missing = self.is_inactive(index)?;
            let values = self.reported_ids(&[("invocation", inst.id(position))])?;
            let text = "a broadcast reads an invocation that is not active";
            self.find(inst, Kind::SubgroupLane, is_missing, text, values)?;
        }
        Ok(())
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
