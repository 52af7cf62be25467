//! What each pure operation computes for one lane: the reference for constant folding and tests.

use crate::opcode::Opcode;
use crate::types::Scalar;

/// The result's bits of a pure operation. `from` is the operands' scalar type (of the last operand where
/// they differ), `to` the result's; `args` are bits, zero-extended. `None` for operations that are not
/// functions of one lane's operands (constants, lane operations, memory).
pub fn pure(op: Opcode, from: Scalar, to: Scalar, args: &[u64], imm: u64) -> Option<u64> {
    let _ = (op, from, to, args, imm);
    None
}
