//! Traces ([`pyro_abi::trace`]): what the threads of a kernel do, for debuggers. The program that they are
//! shown is a [`Shadow`] of the text.
//!
//! As of shaders: instructions that run one behind the other are a segment, which is reported at its end
//! where the warp is one that is traced. An instruction's values are those of the registers that it wrote.
//!
//! # Invariants
//! * Without [`super::Launch::trace`], nothing is emitted.
//! * Records only read.

use super::shadow::Shadow;
use super::{Fixed, Lowerer};
use crate::error::Result;
use crate::module::{Register, Special};
use crate::types::Type;
use pyro_abi::Callable;
use pyro_abi::context::offset;
use pyro_abi::report::{Site, SiteKind, SitePlace, record};
use pyro_abi::trace::{Segment, Step, StepKind, TraceTable, target};
use pyro_ir::{InstData, MemoryOp, Opcode, Scalar, Slot, Space, Value};
use pyro_library::Ops;
use std::collections::HashMap;

/// Columns from which on a segment ends.
const SEGMENT_COLUMNS: usize = 128;
/// Steps from which on a segment ends.
const SEGMENT_STEPS: usize = 64;
/// Segments of a kernel, at most; what comes behind them is not recorded.
const SEGMENT_COUNT_MAX: usize = 1 << 16;

/// The trace of the kernel that is being lowered.
pub(super) struct Trace {
    shadow: Shadow,
    /// Whether the warp reports.
    traced: Option<Value>,
    /// The variables of the shadow, by function and register.
    variables: HashMap<(usize, u32), u32>,
    /// Registers that the instruction at hand has written, each with how many functions are inlined there.
    written: Vec<(usize, Register)>,
    steps: Vec<Step>,
    columns: Vec<Value>,
    segments: Vec<Segment>,
    slot: Option<Slot>,
}

impl Trace {
    pub(super) fn new() -> Trace {
        Trace {
            shadow: Shadow::new(),
            traced: None,
            variables: HashMap::new(),
            written: Vec::new(),
            steps: Vec::new(),
            columns: Vec::new(),
            segments: Vec::new(),
            slot: None,
        }
    }

    fn push(&mut self, inst: u32, kind: StepKind, columns: &[Value]) {
        let column = self.columns.len() as u32;
        self.steps.push(Step { inst, kind, column, columns: columns.len() as u32 });
        self.columns.extend(columns);
    }
}

impl<'m> Lowerer<'m, '_> {
    /// Finds whether the warp is traced, and records the kernel's parameters.
    pub(super) fn begin_trace(&mut self, entry: usize) -> Result {
        if self.trace.is_none() {
            return Ok(());
        }
        let traced = self.find_traced()?;
        let Some(trace) = &mut self.trace else { return Ok(()) };
        trace.traced = Some(traced);
        trace.push(0, StepKind::Begin, &[]);
        let function = &self.module.functions[entry];
        let base = self.fixed(Fixed::Parameters);
        for (index, parameter) in function.parameters.iter().enumerate() {
            // Structures are bytes, of which nothing more is known.
            if parameter.bytes != u64::from(parameter.ty.bytes()) || parameter.ty == Type::Pred {
                continue;
            }
            let at = self.parameter_offsets[index];
            let value = self.context(base, at, parameter.ty.scalar().to_int());
            let columns = self.rows_of(value);
            let Some(trace) = &mut self.trace else { return Ok(()) };
            let variable = trace.shadow.variable(&parameter.name, parameter.ty);
            trace.record(function.line, parameter.ty, variable, &columns);
        }
        self.flush_trace()
    }

    /// Whether the warp is one that reports, `i1`: one of its threads is in the target.
    fn find_traced(&mut self) -> Result<Value> {
        let (dispatch, nobody, zero) = (self.b.arg(0), self.b.i64(0), self.b.i32(0));
        let reporter = self.context(dispatch, offset::REPORTER, Scalar::I64);
        let is_heard = self.b.op(Opcode::INe, &[reporter, nobody]);
        let context = std::mem::offset_of!(Callable, context) as i32;
        let memory = MemoryOp::new(Space::Context);
        let table = self.b.load(Scalar::I64, memory.at(context), reporter, zero, is_heard);
        let has_table = self.b.op(Opcode::INe, &[table, nobody]);
        let mut inside = has_table;
        let start = target::offset("compute").unwrap_or(0);
        let serial = self.context(dispatch, offset::SERIAL, Scalar::I32);
        let mut numbers = vec![(serial, target::SERIAL, target::SERIAL + 1)];
        for (index, id) in self.thread_ids()?.into_iter().enumerate() {
            numbers.push((id, target::LOW + index, target::HIGH + index));
        }
        for (number, low, high) in numbers {
            let [low, high] = [low, high].map(|word| {
                let at = memory.at((start as usize + 4 * word) as i32);
                self.b.load(Scalar::I32, at, table, zero, has_table)
            });
            for (least, greatest) in [(low, number), (number, high)] {
                let fits = self.b.op(Opcode::ULe, &[least, greatest]);
                inside = self.b.op(Opcode::And, &[inside, fits]);
            }
        }
        Ok(pyro_library::group::any(&mut self.b, inside))
    }

    /// What identifies a thread: its block, and its place there.
    fn thread_ids(&mut self) -> Result<Vec<Value>> {
        let mut ids = Vec::new();
        for index in 0..3 {
            ids.push(self.special(Special::BlockId(index))?);
        }
        ids.extend((0..3).map(|index| self.fixed(Fixed::ThreadId(index))));
        Ok(ids)
    }

    /// A register was written.
    pub(super) fn note_write(&mut self, register: Register) {
        let depth = self.frames.len();
        if let Some(trace) = &mut self.trace {
            trace.written.push((depth, register));
        }
    }

    /// An instruction begins; what the one around it has written so far.
    pub(super) fn begin_step(&mut self, looks_around: bool) -> Result<Vec<(usize, Register)>> {
        if looks_around {
            // What comes before it is told before it waits, or goes elsewhere.
            self.flush_trace()?;
        }
        Ok(self.trace.as_mut().map(|trace| std::mem::take(&mut trace.written)).unwrap_or_default())
    }

    /// An instruction ends: records what it wrote.
    pub(super) fn end_step(&mut self, line: u32, outer: Vec<(usize, Register)>) -> Result {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        let depth = self.frames.len();
        let mut written: Vec<Register> = Vec::new();
        for (of, register) in std::mem::replace(&mut trace.written, outer) {
            if of == depth && written.iter().all(|one| one.number != register.number) {
                written.push(register);
            }
        }
        if written.is_empty() {
            let (inst, _) = trace.shadow.value(line, Type::U32);
            trace.push(inst, StepKind::Nothing, &[]);
        }
        for register in written {
            let value = self.read_register(register);
            let columns = self.rows_of(value);
            let frame = self.frames.last().map_or(0, |frame| frame.index());
            let name = self.register_name(frame, register);
            let Some(trace) = &mut self.trace else { return Ok(()) };
            let variable = match trace.variables.get(&(frame, register.number)) {
                Some(&variable) => variable,
                None => {
                    let variable = trace.shadow.variable(&name, register.ty);
                    trace.variables.insert((frame, register.number), variable);
                    variable
                }
            };
            trace.record(line, register.ty, variable, &columns);
        }
        let is_full =
            |trace: &Trace| trace.columns.len() >= SEGMENT_COLUMNS || trace.steps.len() >= SEGMENT_STEPS;
        if self.trace.as_ref().is_some_and(is_full) { self.flush_trace() } else { Ok(()) }
    }

    fn register_name(&self, function: usize, register: Register) -> String {
        let body = self.module.functions[function].body.as_ref();
        let named = body.and_then(|body| {
            body.registers.iter().find(|one| {
                (one.first..one.first.saturating_add(one.count.unwrap_or(1))).contains(&register.number)
            })
        });
        match named {
            Some(named) if named.count.is_some() => {
                format!("{}{}", named.name, register.number - named.first)
            }
            Some(named) => named.name.clone(),
            None => format!("%{}", register.number),
        }
    }

    /// An instruction that ends a block, before it does.
    pub(super) fn trace_end_of_block(&mut self, line: Option<u32>) -> Result {
        if let (Some(trace), Some(line)) = (&mut self.trace, line) {
            let (inst, _) = trace.shadow.value(line, Type::U32);
            trace.push(inst, StepKind::Nothing, &[]);
        }
        self.flush_trace()
    }

    /// The kernel ends.
    pub(super) fn trace_end(&mut self) -> Result {
        if let Some(trace) = &mut self.trace {
            trace.push(0, StepKind::End, &[]);
        }
        self.flush_trace()
    }

    /// A value as columns.
    fn rows_of(&mut self, value: Value) -> Vec<Value> {
        let scalar = self.b.scalar(value);
        let bits = if scalar.is_float() {
            let to = scalar.to_int();
            self.b.emit(Opcode::Bitcast, &[value], InstData::RECORDS, to).expect("it gives a result")
        } else {
            value
        };
        match self.b.scalar(bits) {
            Scalar::I32 => vec![bits],
            Scalar::I64 => {
                let shift = self.b.i64(32);
                let high = self.b.op(Opcode::LShr, &[bits, shift]);
                [bits, high].map(|half| self.b.convert(Opcode::Truncate, half, Scalar::I32)).to_vec()
            }
            _ => vec![self.b.convert(Opcode::ZeroExtend, bits, Scalar::I32)],
        }
    }

    /// Reports the segment; ends the block where there is one.
    pub(super) fn flush_trace(&mut self) -> Result {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        let (steps, columns) = (std::mem::take(&mut trace.steps), std::mem::take(&mut trace.columns));
        let Some(traced) = trace.traced.filter(|_| trace.segments.len() < SEGMENT_COUNT_MAX) else {
            return Ok(());
        };
        if steps.is_empty() {
            return Ok(());
        }
        let number = trace.segments.len() as u32;
        trace.segments.push(Segment { calls: Vec::new(), steps, columns: columns.len() as u32 });
        let (body, behind) = (self.b.function.make_block(), self.b.function.make_block());
        self.branch(traced, body, behind);
        self.start(body);
        let dispatch = self.b.arg(0);
        let mut values = self.thread_ids()?;
        values.push(self.context(dispatch, offset::SERIAL, Scalar::I32));
        values.extend(columns);
        let site = self.add_site(Site {
            kind: SiteKind::Trace(number),
            text: String::new(),
            place: SitePlace::default(),
            values: Vec::new(),
        });
        let reporter = self.context(dispatch, offset::REPORTER, Scalar::I64);
        let lanes = self.b.function.lanes;
        let bytes = record::slot_bytes(values.len() as u32, lanes);
        let slot = match self.trace.as_ref().and_then(|trace| trace.slot) {
            Some(slot) => slot,
            None => self.b.function.add_slot(bytes),
        };
        let data = &mut self.b.function.slots[slot];
        data.bytes = data.bytes.max(bytes);
        if let Some(trace) = &mut self.trace {
            trace.slot = Some(slot);
        }
        for (column, &value) in (0..).zip(&values) {
            let at = self.b.i32(record::column_offset(column, lanes) / lanes);
            self.b.slot_store(slot, at, value);
        }
        let table = self.table_number();
        let site = self.b.i64(u64::from(site) | u64::from(lanes) << 32);
        self.b.report_call(slot, reporter, table, site);
        self.b.jump(behind, &[]);
        self.start(behind);
        Ok(())
    }

    /// The table of the segments.
    pub(super) fn finish_trace(&mut self) -> Option<Box<TraceTable>> {
        let mut trace = self.trace.take()?;
        let first_kernel = self.module.functions.iter().find(|function| function.is_entry)?;
        let file = format!("{}.ptx", first_kernel.name);
        let module = trace.shadow.finish(&self.b.function.name, &file, &self.module.text);
        for step in trace.segments.iter_mut().flat_map(|segment| &mut segment.steps) {
            if !matches!(step.kind, StepKind::Begin | StepKind::End) {
                step.inst += module.body;
            }
        }
        // All variables are there from the beginning.
        let variable = |inst| Step { inst, kind: StepKind::Nothing, column: 0, columns: 0 };
        trace.segments.first_mut()?.steps.splice(1..1, module.variables.map(variable));
        Some(Box::new(TraceTable {
            words: module.words,
            specialization: Vec::new(),
            entry_point: module.function,
            says_helper: false,
            segments: trace.segments,
        }))
    }
}

impl Trace {
    /// A value is made and stored to a variable.
    fn record(&mut self, line: u32, ty: Type, variable: u32, columns: &[Value]) {
        let (inst, value) = self.shadow.value(line, ty);
        self.push(inst, StepKind::Value, columns);
        let store = self.shadow.store(variable, value);
        self.push(store, StepKind::Nothing, &[]);
    }
}
