//! Loops over the active lanes of an access: atomics, and gathers and scatters of 8 and 16 bits.

use super::Selector;
use super::address::{Pattern, Use};
use super::memory::Predicate;
use super::vector::late_use;
use crate::asm::{RAX, Size};
use crate::machine::inst::{GENERAL, VECTOR};
use crate::machine::{Kind, LaneLoop, LaneOp, Operands};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Value};
use regalloc2::{Operand, PReg};

impl Selector<'_> {
    /// Room in the frame for all lanes of a value, zeros.
    pub(super) fn zeroed_lanes(&mut self, scalar: Scalar) -> i32 {
        let zero = self.zero();
        self.spill_lanes(std::iter::repeat_n(zero, self.tiling(scalar).count as usize).collect(), scalar)
    }

    pub(super) fn lane_loop(
        &mut self,
        op: LaneOp,
        scalar: Scalar,
        results: i32,
        values: i32,
        comparators: i32,
    ) -> LaneLoop {
        LaneLoop {
            op,
            bits: scalar.bits(),
            locked: true,
            offsets: None,
            values,
            same: None,
            comparators,
            results,
            displacement: 0,
            consecutive: None,
            lanes: self.lanes,
            unused: false,
            in_registers: None,
            pending: None,
        }
    }

    /// Runs a loop over the lanes of an access.
    pub(super) fn run_lane_loop(
        &mut self,
        mut this: LaneLoop,
        pattern: Pattern,
        base: Value,
        offset: Value,
        op: MemoryOp,
        predicate: Predicate,
    ) {
        let all = u64::MAX >> (64 - self.lanes);
        let bits = match predicate.mask() {
            None => self.imm(all),
            Some(mask) => self.mask_bits(mask),
        };
        // Lanes that go to one place are one operation anyway, and those with a stride hardly meet.
        let pending = this.pending.take();
        let register = match pattern {
            Pattern::Uniform(memory) => {
                self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement)
            }
            Pattern::Strided(memory, stride) => {
                // Offsets are non-negative multiples for positive strides; negative ones wrap at 64 bits, so
                // they are widened.
                let index = self.multiples(stride);
                let wide = self.tiling(Scalar::I64);
                let offsets = self.each(wide, |this, piece| {
                    let part = this.index_piece(&index, piece as u32, wide.lanes);
                    this.v1(crate::asm::op::VPMOVSXDQ, wide.len, part)
                });
                this.offsets = Some((self.spill_lanes(offsets, Scalar::I64), true));
                self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement)
            }
            Pattern::Blocks(_)
            | Pattern::Halves(_)
            | Pattern::Quarters(_)
            | Pattern::ByteRows(..)
            | Pattern::Few(_)
            | Pattern::Table(..) => unreachable!("not for loops over lanes"),
            Pattern::Offsets(memory, offset) => {
                this.pending = pending;
                let offsets = self.used(offset);
                this.offsets = Some((self.spill_lanes(offsets, Scalar::I32), false));
                self.lea(Size::S64, memory.base, memory.index, memory.shift, memory.displacement)
            }
            Pattern::Addresses => {
                this.pending = pending;
                let addresses = self.addresses(base, offset);
                this.offsets = Some((self.spill_lanes(addresses, Scalar::I64), true));
                this.displacement = op.displacement;
                self.imm(0)
            }
        };
        let rax = self.general();
        let mut operands = Operands::new();
        operands.push(late_use(bits));
        operands.push(late_use(register));
        operands.push(Operand::reg_fixed_def_at_start(rax, PReg::new(RAX.into(), GENERAL)));
        for class in [GENERAL, GENERAL, GENERAL, GENERAL, VECTOR, VECTOR] {
            let temporary = self.code.vreg(class);
            operands.push(Operand::reg_temp(temporary));
        }
        self.push(Kind::LaneLoop(this), &operands);
    }

    pub(super) fn atomic(&mut self, data: &InstData, op: MemoryOp) {
        let (base, offset) = (data.args[0], data.args[1]);
        let predicate = self.predicate(data.args[data.args.len() - 1]);
        let result = data.expect_result();
        let scalar = self.ty(result).scalar;
        let pattern = self.pattern(base, offset, op, scalar, Use::Lanes);
        let how = LaneOp::Atomic(data.op);
        let unused = self.uses[result] == 0 && LaneLoop::combines(how, scalar.bits()).is_some();
        let results = if unused { 0 } else { self.zeroed_lanes(scalar) };
        let (value, comparator) = match data.op {
            Opcode::AtomicCompareExchange => (data.args[3], Some(data.args[2])),
            _ => (data.args[2], None),
        };
        let is_sum = unused && data.op == Opcode::AtomicAdd && matches!(pattern, Pattern::Uniform(_));
        let same = self.constant(value).filter(|_| is_sum);
        let same = same.and_then(|bits| i32::try_from(pyro_ir::eval::sign_extend(scalar, bits)).ok());
        let values = match same {
            Some(_) => 0,
            None => {
                let values = self.used(value);
                self.spill_lanes(values, scalar)
            }
        };
        let comparators = comparator.map_or(0, |comparator| {
            let registers = self.used(comparator);
            self.spill_lanes(registers, scalar)
        });
        let mut this = self.lane_loop(how, scalar, results, values, comparators);
        (this.unused, this.same) = (unused, same);
        let is_deferred = op.deferrable && unused && scalar.bits() == 32;
        this.pending = self
            .pending_atomics
            .filter(|table| is_deferred && LaneLoop::combines(how, scalar.bits()) == Some(table.op));
        this.locked = LaneLoop::is_locked(op.space);
        self.run_lane_loop(this, pattern, base, offset, op, predicate);
        if self.uses[result] > 0 {
            let registers = self.load_lanes(results, scalar);
            self.define(result, registers.iter().copied());
        }
    }
}
