//! Payloads of task shaders and of nodes: what no invocation has written is undefined for whoever reads it,
//! in the same workgroup and in the next stage or node.
//!
//! # Approach
//! A table has a byte for each byte of a payload, all bits set where it has been written. That of a task
//! shader's payload lies behind it; before the table the task shader leaves how large its payload is: a mesh
//! shader whose payload has another size, or that was started without one, follows nothing. Where those of
//! nodes lie the workgroup's record says ([`pyro_abi::node::NodeWorkgroup`]); what commands give nodes is
//! not followed.
//!
//! # Invariants
//! * The engine's memory of payloads is zero before task shaders and nodes run.
//! * Undefined values are found where they are stored ([`super::definedness`]), and count as written.

use super::state::PayloadTable;
use super::workgroup_definedness::flag_leaves;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::{Access, Leaf};
use crate::pointer::{Pointer, PointerBase, Range, Size};
use crate::value::Scalars;
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};

/// Bytes before the table, of which the first word is the payload's size.
const HEAD_BYTES: u32 = 64;

impl<'m> Lowerer<'m, '_> {
    /// Follows the payload of so many bytes at an address from the prologue; gives the bytes that it takes
    /// with its table.
    pub(crate) fn sanitize_payload(&mut self, payload: Value, bytes: u32, is_task: bool) -> Result<u32> {
        if !self.follows_definedness() {
            return Ok(bytes);
        }
        let start = bytes.next_multiple_of(64);
        if !self.sanitizer.definedness.payloads.contains_key(&payload) {
            let table = self.in_prologue(|cx| {
                let head = MemoryOp::new(Space::Shared).at(start as i32);
                let (size, zero, always) = (cx.b.i32(bytes), cx.b.i32(0), cx.b.bool(true));
                let is_followed = match is_task {
                    true => {
                        cx.b.store(head, payload, zero, size, always);
                        None
                    }
                    false => {
                        let known = cx.b.load(Scalar::I32, head, payload, zero, always);
                        Some(cx.b.op(Opcode::IEq, &[known, size]))
                    }
                };
                let behind = cx.b.i64(u64::from(start + HEAD_BYTES));
                let address = cx.b.op(Opcode::IAdd, &[payload, behind]);
                Ok(PayloadTable { address, bytes: None, is_followed })
            })?;
            self.sanitizer.definedness.payloads.insert(payload, table);
        }
        Ok(start + HEAD_BYTES + bytes)
    }

    /// Follows payloads of a node at an address, of which a table at another one says what has been written;
    /// not where `is_followed` does not hold.
    pub(crate) fn sanitize_node_payload(
        &mut self,
        (payload, bytes): (Value, Value),
        (address, is_followed): (Value, Value),
    ) {
        let none = self.b.i32(0);
        let bytes = Some(self.b.select(is_followed, bytes, none));
        let table = PayloadTable { address, bytes, is_followed: Some(is_followed) };
        self.sanitizer.definedness.payloads.insert(payload, table);
    }

    /// Where the table says whether what a pointer points to has been written; none of other memory.
    fn payload_flags(&self, pointer: &Pointer) -> Option<(Pointer, PayloadTable)> {
        let PointerBase::Range(range) = pointer.base else { return None };
        let table = *self.sanitizer.definedness.payloads.get(&range.base)?;
        let size = table.bytes.map_or(range.size, Size::Value);
        let base = PointerBase::Range(Range { base: table.address, size, ..range });
        Some((Pointer { base, ..pointer.clone() }, table))
    }

    /// After scalars have been read from a range: those of a payload that nobody has written are undefined.
    pub(crate) fn sanitize_payload_load(
        &mut self,
        pointer: &Pointer,
        leaves: &[Leaf],
        scalars: &Scalars,
    ) -> Result {
        let Some((flags, table)) = self.payload_flags(pointer) else { return Ok(()) };
        let leaves = flag_leaves(leaves);
        let mut words = Scalars::new();
        self.range_load(&flags, &leaves, Access::default(), &mut words)?;
        for (&scalar, word) in scalars.iter().zip(words) {
            if self.b.function.const_bits(scalar).is_some() {
                continue;
            }
            let of = self.scalar_type(word);
            let written = self.b.constant(of, of.mask());
            let mut flag = self.b.op(Opcode::INe, &[word, written]);
            if let Some(is_followed) = table.is_followed {
                flag = self.b.op(Opcode::And, &[flag, is_followed]);
            }
            self.set_undefined_variable(scalar, flag);
        }
        Ok(())
    }

    /// After scalars have been written to a range, or by an atomic operation.
    pub(crate) fn sanitize_payload_store(&mut self, pointer: &Pointer, leaves: &[Leaf]) -> Result {
        let Some((flags, _)) = self.payload_flags(pointer) else { return Ok(()) };
        let leaves = flag_leaves(leaves);
        let mut ones = Vec::new();
        for leaf in &leaves {
            let written = self.b.constant(leaf.scalar, leaf.scalar.mask());
            ones.extend(std::iter::repeat_n(written, leaf.count as usize));
        }
        self.range_store(&flags, &leaves, &ones, Access::default())
    }
}
