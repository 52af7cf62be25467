//! `barrier-divergence`: which barriers the invocations of a workgroup come to.
//!
//! # Approach
//! Each invocation keeps a digest of the barriers that it has come to, its *way*. The first that ends leaves
//! its way in a few words behind workgroup memory; each that ends later compares its own. Where they differ,
//! a report has what both know: how many barriers, and the last.

use super::state::Ways;
use crate::context::Lowerer;
use crate::error::Result;
use crate::report::{Message, Reported};
use pyro_abi::report::{END_VALUES, SiteKind};
use pyro_ir::{MemoryOp, Opcode, Scalar, SourceLoc, Space, Value};
use pyro_spirv::spirv::BuiltIn;
use pyro_spirv::{Id, Instruction};

/// Bytes of what the first invocation that ends leaves.
const HEADER_BYTES: u32 = 64;
/// The words: the way, then as [`END_VALUES`] has them.
const WORDS: i32 = 5;

impl<'m> Lowerer<'m, '_> {
    fn ways(&mut self) -> Result<&mut Ways> {
        if self.sanitizer.ways.is_none() {
            let slots = std::array::from_fn(|_| self.b.function.add_slot(4));
            let base = self.shared_base()?;
            let stage = self.stage;
            let ways = self.in_prologue(|cx| {
                let zero = cx.b.i32(0);
                for slot in slots {
                    cx.b.slot_store(slot, zero, zero);
                }
                // Not `Builder::constant`: it changes.
                let ty = pyro_ir::Type::varying(Scalar::I64);
                let place = cx.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), SourceLoc::default());
                let block = cx.b.block();
                cx.b.function.blocks[block].insts.push(place);
                let start = cx.b.function.insts[place].expect_result();
                let header = cx.b.op(Opcode::IAdd, &[base, start]);
                let invocation = stage.built_in(cx, Id::from_u32(0), BuiltIn::LocalInvocationIndex)?[0];
                Ok(Ways { slots, header, place, invocation, numbers: Default::default() })
            })?;
            self.sanitizer.ways = Some(ways);
        }
        Ok(self.sanitizer.ways.as_mut().expect("it has been made"))
    }

    /// Gives the header its place behind workgroup memory.
    pub(crate) fn finish_ways(&mut self) {
        let Some(ways) = self.sanitizer.ways.take() else { return };
        let start = self.workgroup.bytes.next_multiple_of(64);
        self.b.function.insts[ways.place].imm = start.into();
        let end = start + HEADER_BYTES;
        self.workgroup.exchange_bytes += end - self.workgroup.bytes;
        // What lies before it is the sanitizer's, too, or is not zeroed.
        self.workgroup.shadow_bytes += match self.workgroup.shadow_bytes {
            0 => HEADER_BYTES,
            _ => end - self.workgroup.bytes,
        };
        self.workgroup.bytes = end;
    }

    fn way_number(&mut self, inst: Instruction<'m>) -> Result<u32> {
        let ways = self.ways()?;
        let next = ways.numbers.len() as u32 + 1;
        Ok(*ways.numbers.entry(inst.index()).or_insert(next))
    }

    /// An invocation comes to a barrier.
    pub(super) fn go_by(&mut self, inst: Instruction<'m>) -> Result {
        let number = self.way_number(inst)?;
        let [way, last] = self.ways()?.slots;
        let message = Message { kind: SiteKind::Barrier { number }, text: String::new(), values: Vec::new() };
        self.note_site(inst, &message);
        // The lowest bit of a way stays zero, as ends set it.
        let (zero, number, even) = (self.b.i32(0), self.b.i32(number), self.b.i32(2 * number));
        let before = self.b.slot_load(Scalar::I32, way, zero);
        let factor = self.b.i32(0x9e37_79b1);
        let mixed = self.b.op(Opcode::IMul, &[before, factor]);
        let mixed = self.b.op(Opcode::IAdd, &[mixed, even]);
        self.b.slot_store(way, zero, mixed);
        self.b.slot_store(last, zero, number);
        Ok(())
    }

    /// An invocation ends, after so many barriers.
    pub(super) fn end_way(&mut self, inst: Instruction<'m>, count: Value) -> Result {
        let number = self.way_number(inst)?;
        let ways = self.ways()?.clone();
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let [way, last] = ways.slots.map(|slot| self.b.slot_load(Scalar::I32, slot, zero));
        // Zero stands for nobody.
        let one = self.b.i32(1);
        let way = self.b.op(Opcode::Or, &[way, one]);
        let header = |index: i32| MemoryOp { volatile: true, ..MemoryOp::new(Space::Global).at(4 * index) };
        let first = self.b.load(Scalar::I32, header(0), ways.header, zero, always);
        let is_first = self.b.op(Opcode::IEq, &[first, zero]);
        let end = self.b.i32(number);
        for (index, value) in (0..).zip([way, count, last, ways.invocation, end]) {
            self.b.store(header(index), ways.header, zero, value, is_first);
        }
        let [first, rest @ ..] = std::array::from_fn::<Value, { WORDS as usize }, _>(|index| {
            self.b.load(Scalar::I32, header(index as i32), ways.header, zero, always)
        });
        let same = self.b.op(Opcode::IEq, &[way, first]);
        let values = END_VALUES.iter().zip([count, last].into_iter().chain(rest));
        let values = values.map(|(&(name, ty), value)| Reported::new(name, ty, value)).collect();
        let message = Message { kind: SiteKind::End { number }, text: String::new(), values };
        self.report_unless_holds(inst, same, None, &message)
    }
}
