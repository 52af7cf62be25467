//! Division by what all lanes share: the reciprocal is computed once, where the divisor is spread to the
//! lanes.
//!
//! Mostly that is in front of loops: divisors are sizes of arrays, from which rows and columns are computed.
//! A division of eight doubles takes as long as ten multiplications.
//!
//! The reciprocal is a little more than it should be, by a factor of `1 + 2^-51`. Its rounding and that of
//! the product change less than that together, so no product is below the quotient of the two integers, and
//! it is above it by less than `2^-50` of it. Quotients of 32-bit integers that are not whole are at least `1
//! / d` below the next whole number, and that part of the quotient is less than `2^-18 / d`. So the integer
//! part is right. Infinity (divisors of zero) times zero is no number, as zero by zero is.

use super::Selector;
use crate::asm::Len;
use crate::asm::op::{VCVTDQ2PD, VCVTUDQ2PD, VDIVPD, VPBROADCASTQ};
use pyro_ir::{Opcode, Scalar, Value};
use regalloc2::VReg;
use rustc_hash::{FxHashMap, FxHashSet};

/// `1 + 2^-51`.
const SLIGHTLY_MORE_THAN_ONE: u64 = 0x3ff0_0000_0000_0002;

/// Of divisors that all lanes share, and whether they are signed.
#[derive(Default)]
pub(super) struct Reciprocals {
    wanted: FxHashSet<(Value, bool)>,
    /// In every lane of a register.
    made: FxHashMap<(Value, bool), VReg>,
}

impl Selector<'_> {
    /// Finds the divisors.
    pub(super) fn find_divisors(&mut self) {
        for data in self.function.insts.values() {
            let signed = match data.op {
                Opcode::UDiv | Opcode::URem => false,
                Opcode::SDiv | Opcode::SRem => true,
                _ => continue,
            };
            let is_used = data.result.expand().is_some_and(|result| self.uses[result] > 0);
            if is_used && self.is_shared_divisor(data.args[1]) {
                self.reciprocals.wanted.insert((data.args[1], signed));
            }
        }
    }

    fn is_shared_divisor(&self, value: Value) -> bool {
        self.ty(value).scalar == Scalar::I32
            && self.def(value).is_some_and(|data| data.op == Opcode::Splat)
            && self.constant(value).is_none()
    }

    /// Computes the reciprocals of a value that has been spread to the lanes.
    pub(super) fn note_divisor(&mut self, value: Value) {
        for signed in [false, true] {
            if self.reciprocals.wanted.contains(&(value, signed)) {
                let made = self.new_reciprocal(value, signed);
                self.reciprocals.made.insert((value, signed), made);
            }
        }
    }

    /// A register that has the reciprocal of a divisor in every lane, if all lanes share it.
    pub(super) fn reciprocal(&mut self, divisor: Value, signed: bool) -> Option<VReg> {
        if !self.is_shared_divisor(divisor) {
            return None;
        }
        match self.reciprocals.made.get(&(divisor, signed)) {
            Some(&made) => Some(made),
            // It is spread where it is used.
            None => Some(self.new_reciprocal(divisor, signed)),
        }
    }

    fn new_reciprocal(&mut self, divisor: Value, signed: bool) -> VReg {
        let divisor = self.used(divisor)[0];
        let low = self.extract(divisor, 0, 16);
        let double = self.v1(if signed { VCVTDQ2PD } else { VCVTUDQ2PD }, Len::X, low);
        let one = self.splat_constant(Scalar::F64, SLIGHTLY_MORE_THAN_ONE);
        let reciprocal = self.v2(VDIVPD, Len::X, one, double);
        let len = self.tiling(Scalar::F64).len;
        self.v1(VPBROADCASTQ, len, reciprocal)
    }
}
