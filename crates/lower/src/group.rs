//! Group operations: those of `GroupNonUniform*`, and the older forms of ballots and votes.

use crate::context::{Lowerer, invalid_operands};
use crate::error::{Result, invalid, unsupported};
use crate::value::{Operand, Scalars};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::group::{self, Arithmetic, Operation, QuadDirection};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{GroupOperation, Op, Scope};
use pyro_spirv::{Id, Instruction};

/// What a reduction or scan combines with.
fn arithmetic_of(op: Op) -> Option<Arithmetic> {
    Some(match op {
        Op::GroupNonUniformIAdd | Op::GroupIAddNonUniformAMD | Op::GroupIAdd => Arithmetic::IAdd,
        Op::GroupNonUniformFAdd | Op::GroupFAddNonUniformAMD | Op::GroupFAdd => Arithmetic::FAdd,
        Op::GroupNonUniformIMul | Op::GroupIMulKHR => Arithmetic::IMul,
        Op::GroupNonUniformFMul | Op::GroupFMulKHR => Arithmetic::FMul,
        Op::GroupNonUniformSMin | Op::GroupSMinNonUniformAMD | Op::GroupSMin => Arithmetic::SMin,
        Op::GroupNonUniformUMin | Op::GroupUMinNonUniformAMD | Op::GroupUMin => Arithmetic::UMin,
        Op::GroupNonUniformFMin | Op::GroupFMinNonUniformAMD | Op::GroupFMin => Arithmetic::FMin,
        Op::GroupNonUniformSMax | Op::GroupSMaxNonUniformAMD | Op::GroupSMax => Arithmetic::SMax,
        Op::GroupNonUniformUMax | Op::GroupUMaxNonUniformAMD | Op::GroupUMax => Arithmetic::UMax,
        Op::GroupNonUniformFMax | Op::GroupFMaxNonUniformAMD | Op::GroupFMax => Arithmetic::FMax,
        Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformLogicalAnd
        | Op::GroupBitwiseAndKHR
        | Op::GroupLogicalAndKHR => Arithmetic::And,
        Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformLogicalOr
        | Op::GroupBitwiseOrKHR
        | Op::GroupLogicalOrKHR => Arithmetic::Or,
        Op::GroupNonUniformBitwiseXor
        | Op::GroupNonUniformLogicalXor
        | Op::GroupBitwiseXorKHR
        | Op::GroupLogicalXorKHR => Arithmetic::Xor,
        _ => return None,
    })
}

/// A library function of a scalar and an integer.
type Exchange = fn(&mut Builder<'_>, Value, Value) -> Value;

impl<'m> Lowerer<'m, '_> {
    /// Group instructions. All but the older forms begin with a scope.
    pub(crate) fn lower_group(&mut self, inst: Instruction<'m>) -> Result {
        if let Some(kind) = arithmetic_of(inst.op()) {
            return self.group_arithmetic(inst, kind);
        }
        if inst.op() == Op::ReadClockKHR {
            return self.read_clock(inst);
        }
        let has_scope = facts(inst.op()).execution_scope.is_some();
        if has_scope {
            self.expect_subgroup(inst)?;
        }
        let first = usize::from(has_scope);
        match inst.op() {
            Op::GroupNonUniformElect => {
                let value = group::elect(&mut self.b);
                self.define_scalar(inst, value)
            }
            Op::GroupNonUniformAll | Op::SubgroupAllKHR | Op::GroupAll => self.vote(inst, first, group::all),
            Op::GroupNonUniformAny | Op::SubgroupAnyKHR | Op::GroupAny => self.vote(inst, first, group::any),
            Op::GroupNonUniformQuadAllKHR => self.vote(inst, first, group::quad_all),
            Op::GroupNonUniformQuadAnyKHR => self.vote(inst, first, group::quad_any),
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
                let components = self.scalars(inst.id(first))?;
                let value = group::all_equal(&mut self.b, &components);
                self.define_scalar(inst, value)
            }
            Op::GroupNonUniformBroadcast | Op::SubgroupReadInvocationKHR | Op::GroupBroadcast => {
                self.exchange(inst, first, group::broadcast)
            }
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let components = self.scalars(inst.id(first))?;
                let values = components.iter().map(|&x| group::broadcast_first(&mut self.b, x)).collect();
                self.define(inst, Operand::Data(values))
            }
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let condition = self.condition(inst.id(first), inst)?;
                let words = group::ballot(&mut self.b, condition);
                self.define(inst, Operand::data(&words))
            }
            Op::GroupNonUniformInverseBallot => {
                let mask = self.lane_mask(inst.id(first), inst)?;
                let value = group::inverse_ballot(&mut self.b, mask);
                self.define_scalar(inst, value)
            }
            Op::GroupNonUniformBallotBitExtract => {
                let mask = self.lane_mask(inst.id(first), inst)?;
                let index = self.scalar(inst.id(first + 1))?;
                self.expect_int(inst, &[index])?;
                let value = group::ballot_bit_extract(&mut self.b, mask, index);
                self.define_scalar(inst, value)
            }
            Op::GroupNonUniformBallotBitCount => {
                let operation = self.group_operation(inst, first, None)?;
                let mask = self.lane_mask(inst.id(first + 1), inst)?;
                let value = group::ballot_bit_count(&mut self.b, operation, mask);
                self.define_integer(inst, value)
            }
            Op::GroupNonUniformBallotFindLSB => {
                let mask = self.lane_mask(inst.id(first), inst)?;
                let value = group::ballot_find_lsb(&mut self.b, mask);
                self.define_integer(inst, value)
            }
            Op::GroupNonUniformBallotFindMSB => {
                let mask = self.lane_mask(inst.id(first), inst)?;
                let value = group::ballot_find_msb(&mut self.b, mask);
                self.define_integer(inst, value)
            }
            Op::GroupNonUniformShuffle => self.exchange(inst, first, group::shuffle),
            Op::GroupNonUniformShuffleXor => self.exchange(inst, first, group::shuffle_xor),
            Op::GroupNonUniformShuffleUp => self.exchange(inst, first, group::shuffle_up),
            Op::GroupNonUniformShuffleDown => self.exchange(inst, first, group::shuffle_down),
            Op::GroupNonUniformQuadBroadcast => self.exchange(inst, first, group::quad_broadcast),
            Op::GroupNonUniformRotateKHR => {
                let cluster = self.cluster_size(inst.get_id(first + 2))?;
                let (components, delta) = (self.scalars(inst.id(first))?, self.scalar(inst.id(first + 1))?);
                self.expect_int(inst, &[delta])?;
                let values =
                    components.iter().map(|&x| group::rotate(&mut self.b, x, delta, cluster)).collect();
                self.define(inst, Operand::Data(values))
            }
            Op::GroupNonUniformQuadSwap => {
                let direction = match self.constant_operand(inst.id(first + 1))? {
                    0 => QuadDirection::Horizontal,
                    1 => QuadDirection::Vertical,
                    2 => QuadDirection::Diagonal,
                    other => return invalid(format!("quad direction {other}")),
                };
                let components = self.scalars(inst.id(first))?;
                let values =
                    components.iter().map(|&x| group::quad_swap(&mut self.b, x, direction)).collect();
                self.define(inst, Operand::Data(values))
            }
            Op::GroupNonUniformPartitionEXT => {
                let components = self.scalars(inst.id(first))?;
                let words = group::partition(&mut self.b, &components);
                self.define(inst, Operand::data(&words))
            }
            _ => self.unsupported(inst),
        }
    }

    fn expect_subgroup(&self, inst: Instruction<'m>) -> Result {
        match self.scope(inst.id(0))? {
            Scope::Subgroup => Ok(()),
            scope => unsupported(format!("Op{:?} of {scope:?} scope", inst.op())),
        }
    }

    fn condition(&mut self, id: Id, inst: Instruction<'m>) -> Result<Value> {
        let condition = self.scalar(id)?;
        if self.scalar_type(condition) == Scalar::I1 { Ok(condition) } else { invalid_operands(inst) }
    }

    fn lane_mask(&mut self, id: Id, inst: Instruction<'m>) -> Result<[Value; 4]> {
        let mask: [Value; 4] = self.array(id)?;
        if mask.iter().all(|&word| self.scalar_type(word) == Scalar::I32) {
            Ok(mask)
        } else {
            invalid_operands(inst)
        }
    }

    fn vote(
        &mut self,
        inst: Instruction<'m>,
        position: usize,
        f: fn(&mut Builder<'_>, Value) -> Value,
    ) -> Result {
        let condition = self.condition(inst.id(position), inst)?;
        let value = f(&mut self.b, condition);
        self.define_scalar(inst, value)
    }

    fn exchange(&mut self, inst: Instruction<'m>, position: usize, f: Exchange) -> Result {
        let (components, lane) = (self.scalars(inst.id(position))?, self.scalar(inst.id(position + 1))?);
        self.expect_int(inst, &[lane])?;
        let values: Scalars = components.iter().map(|&x| f(&mut self.b, x, lane)).collect();
        self.define(inst, Operand::Data(values))
    }

    fn define_integer(&mut self, inst: Instruction<'m>, value: Value) -> Result {
        let to = self.result_scalar(inst)?;
        let value = self.integer_of_width(value, to, false)?;
        self.define_scalar(inst, value)
    }

    fn cluster_size(&self, id: Option<Id>) -> Result<Option<u32>> {
        let Some(id) = id else { return Ok(None) };
        let size = self.constant_operand(id)?;
        if size.is_power_of_two() { Ok(Some(size)) } else { invalid(format!("a cluster of {size} lanes")) }
    }

    fn group_operation(
        &self,
        inst: Instruction<'m>,
        position: usize,
        cluster: Option<Id>,
    ) -> Result<Operation> {
        Ok(match GroupOperation::from_u32(inst.word(position)) {
            Some(GroupOperation::Reduce) => Operation::Reduce,
            Some(GroupOperation::InclusiveScan) => Operation::InclusiveScan,
            Some(GroupOperation::ExclusiveScan) => Operation::ExclusiveScan,
            Some(GroupOperation::ClusteredReduce) => match self.cluster_size(cluster)? {
                Some(size) => Operation::ClusteredReduce(size),
                None => return invalid("a clustered reduction without a cluster size"),
            },
            _ => return unsupported(format!("group operation {}", inst.word(position))),
        })
    }

    fn group_arithmetic(&mut self, inst: Instruction<'m>, kind: Arithmetic) -> Result {
        self.expect_subgroup(inst)?;
        let components = self.scalars(inst.id(2))?;
        let fits = components.iter().all(|&x| match kind {
            Arithmetic::FAdd | Arithmetic::FMul | Arithmetic::FMin | Arithmetic::FMax => {
                self.scalar_type(x).is_float()
            }
            Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => !self.scalar_type(x).is_float(),
            _ => self.scalar_type(x).is_int(),
        });
        if !fits {
            return invalid_operands(inst);
        }
        let partitioned = match GroupOperation::from_u32(inst.word(1)) {
            Some(GroupOperation::PartitionedReduceEXT) => Some(Operation::Reduce),
            Some(GroupOperation::PartitionedInclusiveScanEXT) => Some(Operation::InclusiveScan),
            Some(GroupOperation::PartitionedExclusiveScanEXT) => Some(Operation::ExclusiveScan),
            _ => None,
        };
        let values: Scalars = if let Some(operation) = partitioned {
            let Some(mask) = inst.get_id(3) else { return invalid_operands(inst) };
            let mask = self.lane_mask(mask, inst)?;
            components.iter().map(|&x| group::partitioned(&mut self.b, kind, operation, x, mask)).collect()
        } else {
            let operation = self.group_operation(inst, 1, inst.get_id(3))?;
            components.iter().map(|&x| group::arithmetic(&mut self.b, kind, operation, x)).collect()
        };
        self.define(inst, Operand::Data(values))
    }

    /// Subgroup and device scope read the same clock.
    fn read_clock(&mut self, inst: Instruction<'m>) -> Result {
        match self.scope(inst.id(0))? {
            Scope::Subgroup | Scope::Device => {}
            scope => return unsupported(format!("OpReadClockKHR of {scope:?} scope")),
        }
        let clock = self.b.op(Opcode::Clock, &[]);
        let to = self.result_scalars(inst)?;
        if to[..] == [Scalar::I64] {
            return self.define_scalar(inst, clock);
        }
        let low = self.convert(Opcode::Truncate, clock, Scalar::I32)?;
        let shift = self.b.i64(32);
        let high = self.op(Opcode::LShr, &[clock, shift])?;
        let high = self.convert(Opcode::Truncate, high, Scalar::I32)?;
        self.define(inst, Operand::data(&[low, high]))
    }
}
