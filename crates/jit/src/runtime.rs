//! Functions that generated code calls for what it has no instructions for.
//!
//! They work on arrays in the caller's stack frame, one element per lane (or one for a uniform value), each
//! of the type's own width.
// Generated code passes addresses of its own stack frame; the contract is on each function.
#![allow(unsafe_code)]

use crate::machine::Helper;
use pyro_ir::{Opcode, Scalar, eval};
use std::sync::OnceLock;
use std::time::Instant;

/// What [`evaluate`] computes, packed into a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// A pure operation.
    pub op: Opcode,
    /// The operands' type.
    pub from: Scalar,
    /// The result's type.
    pub to: Scalar,
    /// The immediate.
    pub imm: u8,
    /// Elements.
    pub count: u8,
}

impl Operation {
    /// As a number.
    pub(crate) fn pack(self) -> u64 {
        let bytes = [self.op as u8, self.from as u8, self.to as u8, self.imm, self.count, 0, 0, 0];
        u64::from_le_bytes(bytes)
    }

    fn unpack(bits: u64) -> Option<Operation> {
        let [op, from, to, imm, count, ..] = bits.to_le_bytes();
        Some(Operation {
            op: *Opcode::ALL.get(usize::from(op))?,
            from: *Scalar::ALL.get(usize::from(from))?,
            to: *Scalar::ALL.get(usize::from(to))?,
            imm,
            count,
        })
    }
}

/// # Safety
/// `array` holds at least `index + 1` elements of `bytes` bytes.
unsafe fn read(array: *const u8, index: usize, bytes: u32) -> u64 {
    let mut word = [0; 8];
    // SAFETY: the caller's contract; any alignment will do.
    unsafe { array.add(index * bytes as usize).copy_to_nonoverlapping(word.as_mut_ptr(), bytes as usize) };
    u64::from_le_bytes(word)
}

/// # Safety
/// `array` has room for at least `index + 1` elements of `bytes` bytes.
unsafe fn write(array: *mut u8, index: usize, bytes: u32, value: u64) {
    let word = value.to_le_bytes();
    // SAFETY: the caller's contract; any alignment will do.
    unsafe { array.add(index * bytes as usize).copy_from_nonoverlapping(word.as_ptr(), bytes as usize) };
}

pyro_abi::code_abi! {
    /// Computes a pure operation lane by lane as [`eval::pure`] says.
    ///
    /// # Safety
    /// `operation` is a packed [`Operation`]; `result` has room for its elements, and as many of `operands`
    /// as it has operands hold them.
    pub(crate) unsafe fn evaluate(
        operation: u64,
        result: *mut u8,
        a: *const u8,
        b: *const u8,
        c: *const u8,
    ) {
        let Some(operation) = Operation::unpack(operation) else { return };
        let operands = [a, b, c];
        let arg_count = operation.op.arg_count().min(3);
        for index in 0..usize::from(operation.count) {
            let mut bits = [0; 3];
            for (bits, &operand) in bits.iter_mut().zip(&operands[..arg_count]) {
                // SAFETY: the caller's contract.
                *bits = unsafe { read(operand, index, operation.from.bytes()) };
            }
            let args = &bits[..arg_count];
            let value =
                eval::pure(operation.op, operation.from, operation.to, args, operation.imm.into()).unwrap_or(0);
            // SAFETY: the caller's contract.
            unsafe { write(result, index, operation.to.bytes(), value) };
        }
    }

    /// `result[i] = values[index[i] % lanes]`; elements of `bytes` bytes.
    ///
    /// # Safety
    /// All arrays hold `lanes` elements; `index` 32-bit ones.
    pub(crate) unsafe fn shuffle(
        bytes: u64,
        lanes: u64,
        result: *mut u8,
        values: *const u8,
        index: *const u8,
    ) {
        for lane in 0..lanes as usize {
            // SAFETY: the caller's contract.
            unsafe {
                let from = read(index, lane, 4) as usize % lanes as usize;
                let value = read(values, from, bytes as u32);
                write(result, lane, bytes as u32, value);
            }
        }
    }

    /// Stores the nanoseconds of a monotonic clock.
    ///
    /// # Safety
    /// `result` has room for 8 bytes.
    pub(crate) unsafe fn clock(result: *mut u8) {
        static START: OnceLock<Instant> = OnceLock::new();
        let now = START.get_or_init(Instant::now).elapsed().as_nanos() as u64;
        // SAFETY: the caller's contract.
        unsafe { write(result, 0, 8, now) };
    }
}

impl Helper {
    /// Where it is.
    pub fn address(self) -> u64 {
        let pointer = match self {
            Helper::Evaluate => evaluate as *const (),
            Helper::Shuffle => shuffle as *const (),
            Helper::Clock => clock as *const (),
        };
        pointer.expose_provenance() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_survive_packing() {
        for &op in Opcode::ALL {
            let operation = Operation { op, from: Scalar::F16, to: Scalar::I64, imm: 1, count: 64 };
            assert_eq!(Operation::unpack(operation.pack()), Some(operation));
        }
    }
}
