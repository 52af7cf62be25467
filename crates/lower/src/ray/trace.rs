//! Instructions that trace rays, call shaders and report intersections: suspend points.

use super::{Columns, RayStage, from_words, load_column, store_column, to_words};
use crate::context::Lowerer;
use crate::error::{Result, invalid};
use crate::memory::Access;
use crate::pointer::Pointer;
use crate::value::Operand;
use pyro_abi::Exit;
use pyro_abi::raytrace::{HIT_ATTRIBUTE_WORDS, answer, ray_offset as at, request};
use pyro_ir::{BlockCall, Merge, Opcode, Scalar, Value};
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{Decoration, Op, StorageClass};
use pyro_spirv::{Id, Instruction};

impl Lowerer<'_, '_> {
    /// Ends the invocation where the condition holds, and goes on in a new block where it does not.
    fn end_where(&mut self, condition: Value) -> Result {
        let Some(end) = self.end else {
            return invalid("an invocation ends in a stage without an end");
        };
        let (leave, next) = (self.make_block()?, self.make_block()?);
        let mut current = self.b.block();
        // The header of a loop stays one.
        if self.b.function.blocks[current].merge.is_some() {
            current = self.make_block()?;
            self.b.jump(current, &[]);
            self.b.start(current);
        }
        self.b.function.blocks[current].merge = Some(Merge::Selection { merge: next });
        self.b.branch(condition, BlockCall::new(leave, &[]), BlockCall::new(next, &[]));
        self.b.start(leave);
        self.b.jump(end, &[]);
        self.b.start(next);
        Ok(())
    }
}

impl RayStage {
    /// Lowers an instruction of ray tracing pipelines.
    pub(super) fn lower<'m>(&self, cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        if !facts(inst.op()).may_run_in(self.model) {
            return invalid(format!("Op{:?} in a {:?} shader, which cannot run it", inst.op(), self.model));
        }
        match inst.op() {
            Op::TraceRayKHR => self.trace(cx, inst, None, inst.id(10)),
            Op::TraceRayMotionNV => self.trace(cx, inst, Some(inst.id(10)), inst.id(11)),
            Op::TraceNV => {
                let payload = self.at_location(cx, inst.id(10), StorageClass::RayPayloadKHR)?;
                self.trace(cx, inst, None, payload)
            }
            Op::TraceMotionNV => {
                let payload = self.at_location(cx, inst.id(11), StorageClass::RayPayloadKHR)?;
                self.trace(cx, inst, Some(inst.id(10)), payload)
            }
            Op::ExecuteCallableKHR => self.call(cx, inst.id(0), inst.id(1)),
            Op::ExecuteCallableNV => {
                let data = self.at_location(cx, inst.id(1), StorageClass::CallableDataKHR)?;
                self.call(cx, inst.id(0), data)
            }
            Op::ReportIntersectionKHR => self.report(cx, inst),
            Op::IgnoreIntersectionNV => {
                self.answer(cx, answer::IGNORED)?;
                let always = cx.b.bool(true);
                cx.end_where(always)
            }
            Op::TerminateRayNV => {
                self.answer(cx, answer::ENDED)?;
                let always = cx.b.bool(true);
                cx.end_where(always)
            }
            _ => self.hit_object(cx, inst),
        }
    }

    /// Leaves the function until the engine has done what the columns say.
    pub(super) fn suspend(&self, cx: &mut Lowerer<'_, '_>, kind: u32) {
        let kind = cx.b.i32(kind);
        store_column(cx, at::KIND, kind);
        cx.b.effect(Opcode::Suspend, Exit::Call as u64);
    }

    /// Writes words of 32 bits to consecutive columns.
    pub(super) fn store_words(&self, cx: &mut Lowerer<'_, '_>, field: u32, id: Id, count: usize) -> Result {
        let value = cx.scalars(id)?;
        if value.len() != count || value.iter().any(|&value| cx.scalar_type(value).bits() != 32) {
            return invalid(format!("{id} is not {count} words"));
        }
        for (column, value) in (0..).zip(value) {
            store_column(cx, field + 64 * column, value);
        }
        Ok(())
    }

    /// The variable of a storage class, or of its incoming counterpart, with the location that a constant
    /// says.
    fn at_location(&self, cx: &Lowerer<'_, '_>, location: Id, class: StorageClass) -> Result<Id> {
        let location = cx.constant_operand(location)?;
        let incoming = match class {
            StorageClass::RayPayloadKHR => StorageClass::IncomingRayPayloadKHR,
            _ => StorageClass::IncomingCallableDataKHR,
        };
        let mut found = cx.module.globals().filter(|variable| {
            [class, incoming].contains(&variable.class)
                && cx.module.decoration_literal(variable.id, Decoration::Location) == Some(location)
        });
        match found.next() {
            Some(variable) => Ok(variable.id),
            None => invalid(format!("no variable of {class:?} storage has location {location}")),
        }
    }

    /// The variable that is passed, with its type.
    pub(super) fn passed(&self, cx: &mut Lowerer<'_, '_>, id: Id) -> Result<(Pointer, Id)> {
        let pointer = cx.pointer(id)?;
        match pointer.pointee {
            Some(ty) => Ok((pointer, ty)),
            None => invalid(format!("{id} has no type")),
        }
    }

    /// Passes a variable along while the engine does what is asked for.
    pub(super) fn pass(&self, cx: &mut Lowerer<'_, '_>, id: Id, kind: u32) -> Result {
        let (pointer, ty) = self.passed(cx, id)?;
        // Also of variables that are no payload, which only strict mode refuses.
        self.count_payload(cx, ty)?;
        let value = cx.load(&pointer, ty, Access::default())?;
        let value = cx.operand_scalars(value)?;
        let columns = Columns::outgoing(cx);
        columns.store(cx, &value)?;
        self.suspend(cx, kind);
        cx.sanitize_stack()?;
        let value = columns.load(cx, ty)?;
        cx.store(&pointer, ty, &value, Access::default())
    }

    /// Writes to the columns which ray is to be traced; `first`: which operand is the structure, before all
    /// others of the ray.
    pub(super) fn ask_ray(
        &self,
        cx: &mut Lowerer<'_, '_>,
        inst: Instruction<'_>,
        first: usize,
        time: Option<Id>,
    ) -> Result {
        let structure = cx.scalar(inst.id(first))?;
        if cx.scalar_type(structure) != Scalar::I64 {
            return invalid("a ray is traced in something that is not an acceleration structure");
        }
        cx.tell_structure(structure)?;
        store_column(cx, at::STRUCTURE, structure);
        let fields = [
            (at::FLAGS, 1),
            (at::CULL_MASK, 1),
            (at::SBT_OFFSET, 1),
            (at::SBT_STRIDE, 1),
            (at::MISS_INDEX, 1),
            (at::ORIGIN, 3),
            (at::T_MIN, 1),
            (at::DIRECTION, 3),
            (at::T_MAX, 1),
        ];
        for (operand, (field, count)) in (first + 1..).zip(fields) {
            self.store_words(cx, field, inst.id(operand), count)?;
        }
        match time {
            Some(time) => self.store_words(cx, at::TIME, time, 1)?,
            None => {
                let start = cx.b.i32(0);
                store_column(cx, at::TIME, start);
            }
        }
        Ok(())
    }

    fn trace<'m>(
        &self,
        cx: &mut Lowerer<'m, '_>,
        inst: Instruction<'m>,
        time: Option<Id>,
        payload: Id,
    ) -> Result {
        cx.sanitize_recursion(inst)?;
        self.ask_ray(cx, inst, 0, time)?;
        self.pass(cx, payload, request::TRACE)
    }

    fn call(&self, cx: &mut Lowerer<'_, '_>, index: Id, data: Id) -> Result {
        self.store_words(cx, at::FLAGS, index, 1)?;
        self.pass(cx, data, request::CALL)
    }

    /// `OpReportIntersectionKHR`
    fn report<'m>(&self, cx: &mut Lowerer<'m, '_>, inst: Instruction<'m>) -> Result {
        self.store_words(cx, at::T_MIN, inst.id(0), 1)?;
        self.store_words(cx, at::FLAGS, inst.id(1), 1)?;
        let attribute = cx.module.globals().find(|variable| variable.class == StorageClass::HitAttributeKHR);
        if let Some(variable) = attribute {
            let (pointer, ty) = self.passed(cx, variable.id)?;
            let value = cx.load(&pointer, ty, Access::default())?;
            let value = cx.operand_scalars(value)?;
            cx.sanitize_reported_hit(inst, &value)?;
            if let Some(unwritten) = cx.unwritten_hit_attributes(&pointer, ty, &value)? {
                store_column(cx, at::UNWRITTEN, unwritten);
            }
            for (column, word) in (0..HIT_ATTRIBUTE_WORDS as u32).zip(to_words(cx, &value)?) {
                store_column(cx, at::ATTRIBUTES + 64 * column, word);
            }
        } else if cx.follows_definedness() {
            let all = cx.b.i32(u32::MAX);
            store_column(cx, at::UNWRITTEN, all);
        }
        self.suspend(cx, request::REPORT);
        if let Some((pointer, ty)) = self.t_max.borrow().clone() {
            // What the ray's end is now, the engine leaves where the distance was.
            let value = from_words(cx, ty, &mut |cx| load_column(cx, at::T_MAX, Scalar::I32))?;
            cx.store(&pointer, ty, &value, Access::default())?;
        }
        let answer = load_column(cx, at::ANSWER, Scalar::I32);
        let (ignored, ended) = (cx.b.i32(answer::IGNORED), cx.b.i32(answer::ENDED));
        let accepted = cx.b.op(Opcode::INe, &[answer, ignored]);
        let ended = cx.b.op(Opcode::IEq, &[answer, ended]);
        cx.define(inst, Operand::scalar(accepted))?;
        cx.end_where(ended)
    }
}
