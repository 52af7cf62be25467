//! Calls of image functions.
//!
//! The function is found where records and operation say (`pyro_abi::image`). All lanes of a call use the
//! same records. Where they may differ (`NonUniform`), a loop calls for one pair of records after the other:
//! each round takes those of the first lane that is left, and the lanes that have the same leave.

use super::Records;
use crate::context::Lowerer;
use crate::error::Result;
use pyro_abi::context::offset;
use pyro_abi::image::{ImageOp, LANE_COUNTS, image_offset, lanes_index, record, table_index};
use pyro_ir::{BlockCall, MemoryOp, Merge, Opcode, Scalar, Slot, Space, Value};

const _: () = assert!(LANE_COUNTS == 5);

impl Lowerer<'_, '_> {
    /// The slot that all calls use one after the other.
    fn record_slot(&mut self) -> Slot {
        let lanes = self.b.function.lanes;
        let function = &mut *self.b.function;
        *self.call_record.get_or_insert_with(|| function.add_slot(record::slot_bytes(lanes)))
    }

    /// Gives a column of the operation at hand a value of 32 bits.
    pub(super) fn store_column(&mut self, column: u32, value: Value) {
        self.image.set_operand(column, value);
    }

    /// Stores operands into the call record, as far as they are not there.
    fn store_operands(&mut self) {
        let slot = self.record_slot();
        for (column, value) in self.image.take_unstored() {
            let at = self.b.i32(record::column_slot_offset(column, self.b.function.lanes));
            let value = self.b.bitcast(value, Scalar::I32);
            self.b.slot_store(slot, at, value);
        }
    }

    /// Reads a column that the operation wrote.
    pub(super) fn load_column(&mut self, column: u32, scalar: Scalar) -> Value {
        match self.image.result(column) {
            Some(Some(value)) => return self.b.bitcast(value, scalar),
            Some(None) => return self.b.constant(scalar, 0),
            None => {}
        }
        let slot = self.record_slot();
        let at = self.b.i32(record::column_slot_offset(column, self.b.function.lanes));
        let value = self.b.slot_load(Scalar::I32, slot, at);
        self.b.bitcast(value, scalar)
    }

    /// Calls the function for an operation, whose operands have been given. Writes and atomics happen only
    /// where the stage lets invocations write.
    pub(super) fn image_call(&mut self, records: Records, op: ImageOp) -> Result {
        let stage = self.stage;
        let may_write = if op.writes() { stage.may_write(self) } else { None };
        let Some(may_write) = may_write else { return self.call_records(records, op) };
        let (body, behind) = (self.make_block()?, self.make_block()?);
        self.start_selection(may_write, body, behind, behind)?;
        self.b.start(body);
        self.call_records(records, op)?;
        self.b.jump(behind, &[]);
        self.b.start(behind);
        Ok(())
    }

    /// Ends the block with a selection.
    pub(crate) fn start_selection(
        &mut self,
        condition: Value,
        then: pyro_ir::Block,
        otherwise: pyro_ir::Block,
        merge: pyro_ir::Block,
    ) -> Result {
        if self.b.function.blocks[self.b.block()].merge.is_some() {
            let block = self.make_block()?;
            self.b.jump(block, &[]);
            self.b.start(block);
        }
        let block = self.b.block();
        self.b.function.blocks[block].merge = Some(Merge::Selection { merge });
        self.b.branch(condition, BlockCall::new(then, &[]), BlockCall::new(otherwise, &[]));
        Ok(())
    }

    fn call_records(&mut self, records: Records, op: ImageOp) -> Result {
        if self.inline_operation(records, op) {
            return Ok(());
        }
        self.store_operands();
        let sampler = match records.sampler {
            Some(sampler) if op.uses_sampler() => sampler,
            _ => {
                let dispatch = self.b.arg(0);
                self.load_context(dispatch, offset::NULL_SAMPLER, Scalar::I64)
            }
        };
        if !records.non_uniform {
            let (image, sampler) = (self.of_first_lane(records.image), self.of_first_lane(sampler));
            self.call_function(image, sampler, op);
            return Ok(());
        }
        let header = self.make_block()?;
        let (body, latch, behind) = (self.make_block()?, self.make_block()?, self.make_block()?);
        self.b.jump(header, &[]);
        self.b.start(header);
        self.b.function.blocks[header].merge = Some(Merge::Loop { merge: behind, continue_target: latch });
        let lane = self.first_lane();
        let first_image = self.b.op(Opcode::LaneRead, &[records.image, lane]);
        let first_sampler = self.b.op(Opcode::LaneRead, &[sampler, lane]);
        let same_image = self.b.op(Opcode::IEq, &[records.image, first_image]);
        let same_sampler = self.b.op(Opcode::IEq, &[sampler, first_sampler]);
        let same = self.b.op(Opcode::And, &[same_image, same_sampler]);
        self.b.branch(same, BlockCall::new(body, &[]), BlockCall::new(latch, &[]));
        self.b.start(body);
        self.call_function(first_image, first_sampler, op);
        self.b.jump(behind, &[]);
        self.b.start(latch);
        self.b.jump(header, &[]);
        self.b.start(behind);
        Ok(())
    }

    /// The number of the first lane that is here.
    fn first_lane(&mut self) -> Value {
        let active = self.b.op(Opcode::Active, &[]);
        let lanes = self.b.op(Opcode::Ballot, &[active]);
        let first = self.b.op(Opcode::CountTrailingZeros, &[lanes]);
        self.b.convert(Opcode::Truncate, first, Scalar::I32)
    }

    /// A value that is the same in all lanes, in a way that shows it: known as it is when it comes from the
    /// prologue.
    fn of_first_lane(&mut self, value: Value) -> Value {
        if self.descriptors.records.values().any(|&(image, sampler)| image == value || sampler == value) {
            return value;
        }
        let lane = self.first_lane();
        self.b.op(Opcode::LaneRead, &[value, lane])
    }

    /// The call itself, with records that are the same in all lanes.
    fn call_function(&mut self, image: Value, sampler: Value, op: ImageOp) {
        let lanes = self.b.function.lanes;
        debug_assert!(lanes_index(lanes) < LANE_COUNTS);
        // Nothing writes what these read, but records are there only where a lane uses them.
        let memory = MemoryOp::new(Space::Context);
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let table_memory = memory.at(image_offset::FUNCTIONS as i32);
        let table = self.b.load(Scalar::I64, table_memory, image, zero, always);
        let rows = memory.at(8 * table_index(lanes, 0) as i32);
        let at = if op.uses_sampler() {
            let row_memory = memory.at(image_offset::SAMPLER_ROW as i32);
            let row = self.b.load(Scalar::I32, row_memory, sampler, zero, always);
            self.scale(row, 8)
        } else {
            zero
        };
        let row = self.b.load(Scalar::I64, rows, table, at, always);
        let function = self.b.load(Scalar::I64, memory.at(8 * op.code() as i32), row, zero, always);
        let slot = self.record_slot();
        self.b.slot_call(slot, function, image, sampler, op.writes());
    }
}
