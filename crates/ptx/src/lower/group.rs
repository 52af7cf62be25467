//! What threads of a warp do together, and barriers.

use super::words::Words;
use super::{Fixed, Lowerer};
use crate::WARP_LANES;
use crate::error::Result;
use crate::module::{Instruction, Operand};
use crate::types::Type;
use pyro_abi::Exit;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::group::{self, Arithmetic, Operation};
use pyro_library::{Ops, float};

const RULE: &str = "Parallel Synchronization and Communication Instructions";

impl<'m> Lowerer<'m, '_> {
    pub(super) fn group(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        words.take("sync");
        match inst.name() {
            "shfl" => self.shuffle(inst, words),
            "vote" => self.vote(inst, words),
            "match" => self.matching(inst, words),
            "activemask" => {
                words.ty()?;
                let mask = group::active_mask(&mut self.b)[0];
                self.set_result(inst, Type::B32, mask)
            }
            "redux" => self.reduce(inst, words),
            _ => {
                let mask = self.value(inst.operand(1)?, Type::B32)?;
                let active = group::active_mask(&mut self.b)[0];
                let members = self.b.and(active, mask);
                let leader = self.b.ctz(members);
                let lane = self.b.lane_id();
                let is_leader = self.b.ieq(lane, leader);
                self.set_pair(inst, Type::B32, leader, is_leader)
            }
        }
    }

    /// Gives `d|p` a value and a truth; `d` alone the value.
    fn set_pair(&mut self, inst: &'m Instruction, ty: Type, value: Value, truth: Value) -> Result {
        match inst.operand(0)? {
            Operand::Pair(both) => {
                self.set(&both.0, ty, value)?;
                self.set(&both.1, Type::Pred, truth)
            }
            one => self.set(one, ty, value),
        }
    }

    fn shuffle(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let modes = ["up", "down", "bfly", "idx"].map(|mode| (mode, mode));
        let Some(mode) = words.one_of(&modes) else { return self.invalid(RULE, "shfl without a mode") };
        words.ty()?;
        let x = self.value(inst.operand(1)?, Type::B32)?;
        let (amount, limits) =
            (self.value(inst.operand(2)?, Type::B32)?, self.value(inst.operand(3)?, Type::B32)?);
        let (low, eight) = (self.b.i32(WARP_LANES - 1), self.b.i32(8));
        let lane = self.b.lane_id();
        let amount = self.b.and(amount, low);
        let clamp = self.b.and(limits, low);
        let segment = self.b.lshr(limits, eight);
        let segment = self.b.and(segment, low);
        let first = self.b.and(lane, segment);
        let inside = self.b.andnot(clamp, segment);
        let last = self.b.or(first, inside);
        let from = match mode {
            "up" => self.b.isub(lane, amount),
            "down" => self.b.iadd(lane, amount),
            "bfly" => self.b.xor(lane, amount),
            _ => {
                let inside = self.b.andnot(amount, segment);
                self.b.or(first, inside)
            }
        };
        let in_range = if mode == "up" { self.b.sle(last, from) } else { self.b.sle(from, last) };
        let from = self.b.select(in_range, from, lane);
        let value = group::shuffle(&mut self.b, x, from);
        self.set_pair(inst, Type::B32, value, in_range)
    }

    fn vote(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let modes = ["all", "any", "uni", "ballot"].map(|mode| (mode, mode));
        let Some(mode) = words.one_of(&modes) else { return self.invalid(RULE, "vote without a mode") };
        words.ty()?;
        let condition = self.value(inst.operand(1)?, Type::Pred)?;
        let b = &mut self.b;
        if mode == "ballot" {
            let mut bits = group::ballot(b, condition)[0];
            if let Some(mask) = inst.operands.get(2) {
                let mask = self.value(mask, Type::B32)?;
                bits = self.b.and(bits, mask);
            }
            return self.set_result(inst, Type::B32, bits);
        }
        let value = match mode {
            "all" => group::all(b, condition),
            "any" => group::any(b, condition),
            _ => group::all_equal(b, &[condition]),
        };
        self.set_result(inst, Type::Pred, value)
    }

    fn matching(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let Some(all) = words.one_of(&[("all", true), ("any", false)]) else {
            return self.invalid(RULE, "match without .any or .all");
        };
        let ty = words.ty()?;
        if !matches!(ty, Type::B32 | Type::B64) {
            return self.invalid(RULE, format!("match of .{}", ty.name()));
        }
        let x = self.value(inst.operand(1)?, ty)?;
        let members = self.value(inst.operand(2)?, Type::B32)?;
        if !all {
            let same = group::partition(&mut self.b, &[x])[0];
            let value = self.b.and(same, members);
            return self.set_result(inst, Type::B32, value);
        }
        let same = group::all_equal(&mut self.b, &[x]);
        let active = group::active_mask(&mut self.b)[0];
        let active = self.b.and(active, members);
        let none = self.b.i32(0);
        let value = self.b.select(same, active, none);
        self.set_pair(inst, Type::B32, value, same)
    }

    fn reduce(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let names = ["add", "min", "max", "and", "or", "xor"].map(|name| (name, name));
        let Some(name) = words.one_of(&names) else {
            return self.invalid(RULE, "redux without an operation");
        };
        let (magnitude, keeps_nan) = (words.take("abs"), words.take("NaN"));
        let ty = words.ty()?;
        let x = self.value(inst.operand(1)?, ty)?;
        if ty == Type::F32 {
            let x = if magnitude { self.b.fabs(x) } else { x };
            let kind = match name {
                "min" => Arithmetic::FMin,
                "max" => Arithmetic::FMax,
                _ => return self.invalid(RULE, inst.opcode.as_ref()),
            };
            let is_nan = float::is_nan(&mut self.b, x);
            let all_nan = group::all(&mut self.b, is_nan);
            let some_nan = group::any(&mut self.b, is_nan);
            let value = group::arithmetic(&mut self.b, kind, Operation::Reduce, x);
            let nan = self.b.f32(f32::NAN);
            let value = self.b.select(if keeps_nan { some_nan } else { all_nan }, nan, value);
            return self.set_result(inst, ty, value);
        }
        if ty.bits() != 32 || !ty.is_integer() || magnitude || keeps_nan {
            return self.invalid(RULE, inst.opcode.as_ref());
        }
        let kind = match (name, ty.is_signed()) {
            ("add", _) => Arithmetic::IAdd,
            ("min", true) => Arithmetic::SMin,
            ("min", false) => Arithmetic::UMin,
            ("max", true) => Arithmetic::SMax,
            ("max", false) => Arithmetic::UMax,
            ("and", _) => Arithmetic::And,
            ("or", _) => Arithmetic::Or,
            _ => Arithmetic::Xor,
        };
        let value = group::arithmetic(&mut self.b, kind, Operation::Reduce, x);
        self.set_result(inst, ty, value)
    }

    /// All threads of the block wait for one another.
    fn wait(&mut self) {
        self.b.effect(Opcode::Fence, 0);
        // The lanes of a single warp are together already.
        if self.thread_count() > WARP_LANES {
            self.b.effect(Opcode::Suspend, Exit::Barrier as u64);
            self.has_barriers = true;
        }
    }

    /// `bar`, `barrier`
    pub(super) fn barrier(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        words.take("aligned");
        words.take("cta");
        if words.take("cluster") {
            return self.unsupported(RULE, "clusters");
        }
        if words.take("warp") {
            words.take("sync");
            self.b.effect(Opcode::Fence, 0);
            return Ok(());
        }
        if words.take("arrive") {
            return self
                .unsupported(RULE, "bar.arrive, with which threads pass a barrier that others wait at");
        }
        if words.take("red") {
            return self.barrier_with_result(inst, words);
        }
        if !words.take("sync") {
            return self.invalid(RULE, format!("{} does what", inst.opcode));
        }
        self.check_count(inst.operands.get(1))?;
        self.wait();
        Ok(())
    }

    /// That all threads of the block take part, whatever the barrier's number.
    fn check_count(&self, count: Option<&Operand>) -> Result {
        let threads = self.thread_count().next_multiple_of(WARP_LANES);
        match count {
            None => Ok(()),
            Some(&Operand::Integer(count))
                if count == i64::from(threads) || count == i64::from(self.thread_count()) =>
            {
                Ok(())
            }
            Some(_) => self.unsupported(RULE, "a barrier for some of the block's warps"),
        }
    }

    /// `bar.red`: how many of the block's threads have a predicate, or whether all or some have.
    fn barrier_with_result(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        let modes = ["popc", "and", "or"].map(|mode| (mode, mode));
        let Some(mode) = words.one_of(&modes) else {
            return self.invalid(RULE, "bar.red without an operation");
        };
        words.ty()?;
        let last = inst.operands.len().saturating_sub(1);
        if last == 3 {
            self.check_count(inst.operands.get(2))?;
        }
        if !matches!(last, 2 | 3) {
            return self.invalid(RULE, "bar.red without a predicate");
        }
        let condition = self.value(inst.operand(last)?, Type::Pred)?;
        let wanted = if mode == "and" { self.b.not(condition) } else { condition };
        // All write zero, then each warp adds; nobody writes the next zero before all have read.
        let memory = MemoryOp::new(if self.window.is_flat { Space::Global } else { Space::Shared });
        let place = self.window.counter();
        let (base, offset) = (self.fixed(Fixed::Window), self.b.i32(place));
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        self.b.store(memory, base, offset, zero, always);
        self.wait();
        let bits = group::ballot(&mut self.b, wanted)[0];
        let count = self.b.popcnt(bits);
        let elected = group::elect(&mut self.b);
        let args = [base, offset, count, elected];
        self.b.emit(Opcode::AtomicAdd, &args, memory.to_imm(), Scalar::I32);
        self.wait();
        let volatile = MemoryOp { volatile: true, ..memory };
        let total = self.b.load(Scalar::I32, volatile, base, offset, always);
        self.wait();
        match mode {
            "popc" => self.set_result(inst, Type::U32, total),
            _ => {
                let none = self.b.ieq(total, zero);
                let value = if mode == "and" { none } else { self.b.not(none) };
                self.set_result(inst, Type::Pred, value)
            }
        }
    }
}
