//! Reports of shaders ([`pyro_abi::report`]): the sites of an entry point, and the code by which they report.
//!
//! # Problem
//! Prints and findings are rare, and the code around them must stay fast and mean the same.
//!
//! # Approach
//! A site writes the invocation's ids and the site's values into a call record and calls the reporter. All
//! that is known while compiling goes to the site's row in the table. What always reports does so where it
//! stands. What reports where something does not hold is a single instruction (`report`), which passes see
//! through, and lower when the rest of the shader is done with (`pyro_passes::report_lowering`); ids and
//! values that nothing else uses are computed only where it fails.
//!
//! # Invariants
//! * What is lowered without sites is as if this module did not exist.
//! * Invocations that may not write memory (helpers) report nothing.
//! * The number of the table is its digest, known when all sites are: until then the constants that hold it
//!   are zero ([`Lowerer::finish_reports`]).
//!
//! Must not know: what is reported ([`crate::debug_printf`], [`crate::sanitize`]).

use crate::context::Lowerer;
use crate::error::Result;
pub(crate) use crate::report_state::Reported;
use crate::report_state::Reports;
use crate::stage_name::stage_name;
use crate::value::Scalars;
use pyro_abi::KernelInfo;
use pyro_abi::context::offset;
use pyro_abi::report::{Site, SiteKind, SitePlace, SiteTable, SiteValue, Sites, ValueType, record};
use pyro_abi::shadow::Tracked;
use pyro_ir::{Opcode, Scalar, SourceLoc, Value};
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, Op};
use pyro_spirv::{Id, Instruction, Type};

/// Sites that an entry point has at most; what comes behind them reports nothing.
const SITE_COUNT_MAX: usize = 1 << 16;

/// Values of [`pyro_abi::report::ACCESS_VALUES`] that passes add: the mark and the cells.
const ADDED_VALUES: usize = 5;

/// What is reported, apart from its place.
pub(crate) struct Message {
    pub(crate) kind: SiteKind,
    pub(crate) text: String,
    pub(crate) values: Vec<Reported>,
}

/// The built-ins that say which invocation of a stage it is: name, built-in, type, components.
pub(crate) fn identifying_built_ins(
    model: ExecutionModel,
    is_traced: bool,
) -> &'static [(&'static str, BuiltIn, ValueType, usize)] {
    use ExecutionModel as M;
    use ValueType::{Float, Unsigned};
    match model {
        M::Vertex => &[
            ("vertex", BuiltIn::VertexIndex, Unsigned, 1),
            ("instance", BuiltIn::InstanceIndex, Unsigned, 1),
        ],
        M::TessellationControl => &[
            ("patch", BuiltIn::PrimitiveId, Unsigned, 1),
            ("invocation", BuiltIn::InvocationId, Unsigned, 1),
        ],
        M::TessellationEvaluation => {
            &[("patch", BuiltIn::PrimitiveId, Unsigned, 1), ("coordinate", BuiltIn::TessCoord, Float, 3)]
        }
        M::Geometry => &[
            ("primitive", BuiltIn::PrimitiveId, Unsigned, 1),
            ("invocation", BuiltIn::InvocationId, Unsigned, 1),
        ],
        // Debuggers ask for a layer and a sample, too.
        M::Fragment if is_traced => &[
            ("pixel", BuiltIn::FragCoord, Unsigned, 2),
            ("primitive", BuiltIn::PrimitiveId, Unsigned, 1),
            ("layer", BuiltIn::Layer, Unsigned, 1),
            ("samples", BuiltIn::SampleMask, Unsigned, 1),
        ],
        M::Fragment => {
            &[("pixel", BuiltIn::FragCoord, Unsigned, 2), ("primitive", BuiltIn::PrimitiveId, Unsigned, 1)]
        }
        M::RayGenerationKHR
        | M::IntersectionKHR
        | M::AnyHitKHR
        | M::ClosestHitKHR
        | M::MissKHR
        | M::CallableKHR => &[("ray", BuiltIn::LaunchIdKHR, Unsigned, 3)],
        _ => &[
            ("workgroup", BuiltIn::WorkgroupId, Unsigned, 3),
            ("local", BuiltIn::LocalInvocationId, Unsigned, 3),
        ],
    }
}

impl<'m> Lowerer<'m, '_> {
    /// The type of a scalar for reports, by a scalar or vector type.
    pub(crate) fn reported_type(&self, ty: Id) -> Option<ValueType> {
        let component = self.module.component(ty).map_or(ty, |component| component.id);
        Some(match self.module.ty(component) {
            Type::Bool => ValueType::Bool,
            Type::Int { width: 64, signed: true } => ValueType::Signed64,
            Type::Int { width: 64, signed: false } => ValueType::Unsigned64,
            Type::Int { signed: true, .. } => ValueType::Signed,
            Type::Int { signed: false, .. } => ValueType::Unsigned,
            Type::Float { width: 64, encoding: None } => ValueType::Float64,
            Type::Float { encoding: None, .. } => ValueType::Float,
            Type::Float { .. } if self.is_bfloat(component) => ValueType::Float,
            Type::Float { .. } => ValueType::Unsigned,
            Type::Pointer { .. } | Type::UntypedPointer { .. } => ValueType::Address,
            _ => return None,
        })
    }

    /// An id for messages: its name, or its number.
    pub(crate) fn id_text(&self, id: Id) -> String {
        match self.module.name(id) {
            Some(name) if !name.is_empty() => name.into_owned(),
            _ => id.to_string(),
        }
    }

    /// A value of the module for a report; none for what cannot be shown.
    pub(crate) fn reported(&mut self, name: &str, id: Id) -> Result<Option<Reported>> {
        let Some(ty) = self.module.type_of(id).and_then(|ty| self.reported_type(ty)) else { return Ok(None) };
        if ty == ValueType::Address {
            let is_physical = matches!(
                self.pointer(id).map(|pointer| pointer.base),
                Ok(crate::pointer::PointerBase::Physical { .. })
            );
            if !is_physical {
                return Ok(None);
            }
        }
        let mut scalars = self.scalars(id)?;
        if self.module.type_of(id).is_some_and(|ty| self.is_bfloat(ty)) {
            scalars.iter_mut().for_each(|value| *value = self.widened(*value));
        }
        Ok(Some(Reported { name: name.to_owned(), ty, scalars }))
    }

    /// Where an instruction is, for reports.
    fn site_place(&self, inst: Instruction<'m>) -> SitePlace {
        let location = self.module.location(inst.index());
        let function = self.calls.frames.last().map(|frame| self.module.function(frame.function).id);
        let file = location.and_then(|location| self.module.source_file(location.source));
        SitePlace {
            file: file.unwrap_or_default().into_owned(),
            line: location.map_or(0, |location| location.line),
            column: location.map_or(0, |location| location.column),
            text: location.and_then(|location| self.module.source_line(location.source, location.line)),
            function: function.map_or_else(String::new, |function| self.id_text(function)),
            word: inst.word_offset() as u32,
            instruction: inst.info().full_name().to_owned(),
        }
    }

    /// Reports from an instruction where something (`i1`) does not hold, unless another condition does.
    pub(crate) fn report_unless_holds(
        &mut self,
        inst: Instruction<'m>,
        holds: Value,
        unless: Option<Value>,
        message: &Message,
    ) -> Result {
        if self.b.function.const_bits(holds) == Some(1) || self.reports.sites.len() >= SITE_COUNT_MAX {
            return Ok(());
        }
        let site = self.add_site(inst, message);
        let stage = self.stage;
        let mut unless = unless.unwrap_or_else(|| self.b.bool(false));
        if let Some(may_report) = stage.may_write(self) {
            let may_not = self.b.op(Opcode::Not, &[may_report]);
            unless = self.b.op(Opcode::Or, &[unless, may_not]);
        }
        let columns = self.columns(&message.values)?;
        let head = self.report_head()?;
        let always = self.b.bool(true);
        let args: Vec<Value> = head.into_iter().chain(columns).chain([unless, holds, always]).collect();
        self.b.emit(Opcode::Report, &args, site.into(), Scalar::I1);
        Ok(())
    }

    /// Tells shadow memory of an access: addresses of its tables, the mark, the offset of the first cell, and
    /// whether it is made.
    pub(crate) fn emit_track(
        &mut self,
        inst: Instruction<'m>,
        message: &Message,
        (tables, mark, cell, made): ([Value; 4], Value, Value, Value),
        tracked: Tracked,
    ) -> Result {
        if self.reports.sites.len() >= SITE_COUNT_MAX {
            return Ok(());
        }
        let site = self.add_site(inst, message);
        // The last values come from the cells.
        let mut columns = self.columns(&message.values)?;
        columns.truncate(columns.len() - ADDED_VALUES);
        let head = self.report_head()?;
        let args: Vec<Value> =
            tables.into_iter().chain(head).chain(columns).chain([mark, cell, made]).collect();
        let imm = Tracked { site, ..tracked }.to_bits();
        self.b.emit(Opcode::Track, &args, imm, Scalar::I1);
        Ok(())
    }

    /// The reporter, the place of the call record, which passes say, and the number of the table.
    fn report_head(&mut self) -> Result<[Value; 3]> {
        let reporter = self.in_prologue(|cx| {
            let dispatch = cx.b.arg(0);
            Ok(cx.load_context(dispatch, offset::REPORTER, Scalar::I64))
        })?;
        let number = self.table_number();
        let nowhere = self.b.i64(0);
        Ok([reporter, nowhere, number])
    }

    /// Reports from an instruction: always, or where a condition (`i1`) is true. Ends the block in the latter
    /// case.
    pub(crate) fn report(
        &mut self,
        inst: Instruction<'m>,
        condition: Option<Value>,
        message: Message,
    ) -> Result {
        let Some((site, condition)) = self.make_site(inst, condition, &message) else { return Ok(()) };
        self.report_if(condition, site, &message.values)
    }

    /// Reports from an instruction always, however many sites there are.
    pub(crate) fn report_always(&mut self, inst: Instruction<'m>, message: &Message) -> Result {
        let site = self.add_site(inst, message);
        let stage = self.stage;
        let condition = stage.may_write(self);
        self.report_if(condition, site, &message.values)
    }

    /// Reports from a site: always, or where a condition (`i1`) is true. Ends the block in the latter case.
    fn report_if(&mut self, condition: Option<Value>, site: u32, values: &[Reported]) -> Result {
        let Some(condition) = condition else { return self.report_here(site, values) };
        let (body, behind) = (self.make_block()?, self.make_block()?);
        self.start_selection(condition, body, behind, behind)?;
        self.b.start(body);
        self.report_here(site, values)?;
        self.b.jump(behind, &[]);
        self.b.start(behind);
        Ok(())
    }

    /// The site of a message, and the condition under which it is reported; none where it never is.
    fn make_site(
        &mut self,
        inst: Instruction<'m>,
        condition: Option<Value>,
        message: &Message,
    ) -> Option<(u32, Option<Value>)> {
        let never = condition.is_some_and(|condition| self.b.function.const_bits(condition) == Some(0));
        if never || self.reports.sites.len() >= SITE_COUNT_MAX {
            return None;
        }
        let stage = self.stage;
        let may_report = stage.may_write(self);
        let condition = match (condition, may_report) {
            (Some(condition), Some(may)) => Some(self.b.op(Opcode::And, &[condition, may])),
            (condition, may) => condition.or(may),
        };
        Some((self.add_site(inst, message), condition))
    }

    /// A place that others name, and that reports nothing itself.
    pub(crate) fn note_site(&mut self, inst: Instruction<'m>, message: &Message) {
        if self.reports.sites.len() < SITE_COUNT_MAX {
            self.add_site(inst, message);
        }
    }

    /// Gives a message its row in the table.
    fn add_site(&mut self, inst: Instruction<'m>, message: &Message) -> u32 {
        let index = self.reports.sites.len() as u32;
        let Message { kind, text, values } = message;
        let described = values.iter().map(|value| SiteValue {
            name: value.name.clone(),
            ty: value.ty,
            count: value.scalars.len() as u32,
        });
        let values_of_site = described.collect();
        let place = self.site_place(inst);
        let mut text = text.clone();
        if let SiteKind::Finding(_) = kind {
            for call in self.module.inlined_calls(inst.index()) {
                let caller = if call.caller.is_empty() { "a function" } else { &call.caller };
                text += &format!(", inlined at line {} of {caller}", call.line);
            }
        }
        self.reports.sites.push(Site { kind: *kind, text, place, values: values_of_site });
        index
    }

    /// Calls the reporter, if there is one.
    fn report_here(&mut self, site: u32, values: &[Reported]) -> Result {
        let dispatch = self.b.arg(0);
        let reporter = self.load_context(dispatch, offset::REPORTER, Scalar::I64);
        let nobody = self.b.i64(0);
        let is_heard = self.b.op(Opcode::INe, &[reporter, nobody]);
        let (call, silent) = (self.make_block()?, self.make_block()?);
        self.start_selection(is_heard, call, silent, silent)?;
        self.b.start(call);
        self.call_reporter(reporter, site, values)?;
        self.b.jump(silent, &[]);
        self.b.start(silent);
        Ok(())
    }

    /// Writes the record and calls.
    fn call_reporter(&mut self, reporter: Value, site: u32, values: &[Reported]) -> Result {
        let columns = self.columns(values)?;
        self.call_reporter_with_columns(reporter, site, &columns)
    }

    /// The same with columns that are there already, those of the ids among them.
    pub(crate) fn call_reporter_with_columns(
        &mut self,
        reporter: Value,
        site: u32,
        columns: &[Value],
    ) -> Result {
        let lanes = self.b.function.lanes;
        let bytes = record::slot_bytes(columns.len() as u32, lanes);
        let slot = match self.reports.slot {
            Some(slot) => slot,
            None => *self.reports.slot.insert(self.b.function.add_slot(bytes)),
        };
        let data = &mut self.b.function.slots[slot];
        data.bytes = data.bytes.max(bytes);
        for (column, &value) in (0..).zip(columns) {
            let at = self.b.i32(record::column_offset(column, lanes) / lanes);
            self.b.slot_store(slot, at, value);
        }
        let number = self.table_number();
        let site = self.b.i64(u64::from(site) | u64::from(lanes) << 32);
        self.b.report_call(slot, reporter, number, site);
        Ok(())
    }

    /// The number of the table, which is known in the end.
    fn table_number(&mut self) -> Value {
        // Not `Builder::constant`: a number that changes must be nobody else's.
        let ty = pyro_ir::Type::varying(Scalar::I64);
        let number = self.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), SourceLoc::default());
        let block = self.b.block();
        self.b.function.blocks[block].insts.push(number);
        self.reports.numbers.push(number);
        self.b.function.insts[number].expect_result()
    }

    /// The columns of a report: the invocation's ids, and values.
    fn columns(&mut self, values: &[Reported]) -> Result<Scalars> {
        let mut columns = self.invocation_columns()?;
        for value in values {
            for &scalar in &value.scalars {
                self.push_columns(scalar, value.ty, &mut columns);
            }
        }
        Ok(columns)
    }

    /// The columns of the invocation's ids, which are the first of each report.
    pub(crate) fn invocation_columns(&mut self) -> Result<Scalars> {
        let mut columns = Scalars::new();
        self.push_invocation(&mut columns)?;
        Ok(columns)
    }

    /// The ids of the invocation; says in the table what they are, the first time.
    fn push_invocation(&mut self, columns: &mut Scalars) -> Result {
        let stage = self.stage;
        let model = stage.model().unwrap_or(ExecutionModel::GLCompute);
        let mut ids = Vec::new();
        for &(name, built_in, ty, count) in identifying_built_ins(model, !self.trace.is_off()) {
            for value in self.identifying_scalars(built_in, count)? {
                self.push_columns(value, ty, columns);
            }
            ids.push(SiteValue { name: name.to_owned(), ty, count: count as u32 });
        }
        self.reports.ids.get_or_insert(ids);
        Ok(())
    }

    /// The scalars of a built-in that identifies invocations.
    pub(crate) fn identifying_scalars(&mut self, built_in: BuiltIn, count: usize) -> Result<Scalars> {
        let stage = self.stage;
        // The id is that of a variable whose decorations may matter to other built-ins.
        let mut scalars = stage.built_in(self, Id::from_u32(0), built_in)?;
        scalars.truncate(count);
        match built_in {
            BuiltIn::FragCoord => {
                for value in &mut scalars {
                    if self.scalar_type(*value) == Scalar::F32 {
                        *value = self.b.convert(Opcode::FToS, *value, Scalar::I32);
                    }
                }
            }
            // With several views the layer that is drawn to is the view's.
            BuiltIn::Layer => {
                let view = stage.built_in(self, Id::from_u32(0), BuiltIn::ViewIndex)?;
                if let ([layer], [view]) = (&mut scalars[..], &view[..]) {
                    *layer = self.b.op(Opcode::Or, &[*layer, *view]);
                }
            }
            _ => {}
        }
        Ok(scalars)
    }

    /// A scalar as columns.
    fn push_columns(&mut self, value: Value, ty: ValueType, columns: &mut Scalars) {
        let scalar = self.scalar_type(value);
        if ty.columns() == 2 {
            let bits = self.b.bitcast(value, scalar.to_int());
            let bits = match scalar.bits() {
                64 => bits,
                _ => self.b.convert(Opcode::ZeroExtend, bits, Scalar::I64),
            };
            let shift = self.b.i64(32);
            let high = self.b.op(Opcode::LShr, &[bits, shift]);
            for half in [bits, high] {
                columns.push(self.b.convert(Opcode::Truncate, half, Scalar::I32));
            }
            return;
        }
        columns.push(match scalar {
            Scalar::F16 => {
                let wide = self.b.convert(Opcode::FConvert, value, Scalar::F32);
                self.b.bitcast(wide, Scalar::I32)
            }
            Scalar::F32 | Scalar::I32 => self.b.bitcast(value, Scalar::I32),
            Scalar::I64 | Scalar::F64 => {
                let bits = self.b.bitcast(value, Scalar::I64);
                self.b.convert(Opcode::Truncate, bits, Scalar::I32)
            }
            _ if ty == ValueType::Signed => self.b.convert(Opcode::SignExtend, value, Scalar::I32),
            _ => self.b.convert(Opcode::ZeroExtend, value, Scalar::I32),
        });
    }

    /// Facts of a function that has been lowered, of a stage whose invocations share no workgroup.
    pub(crate) fn subgroup_info(&mut self, lanes: u32) -> KernelInfo {
        let (sites, images) = (self.finish_reports([0; 3]), self.image.used());
        let workgroup_size = [lanes, 1, 1];
        KernelInfo { subgroup_size: lanes, workgroup_size, images, sites, ..KernelInfo::default() }
    }

    /// The table of all sites, whose number the code gets; none when there are none.
    pub(crate) fn finish_reports(&mut self, workgroup_size: [u32; 3]) -> Option<Sites> {
        let Reports { sites, ids, strings, aborts, numbers, .. } = std::mem::take(&mut self.reports);
        let trace = self.finish_trace();
        if sites.is_empty() {
            return None;
        }
        let stage = self.stage;
        let model = stage.model().unwrap_or(ExecutionModel::GLCompute);
        let is_workgroup =
            identifying_built_ins(model, false).iter().any(|id| id.1 == BuiltIn::LocalInvocationId);
        let table = SiteTable {
            shader: self.b.function.name.clone(),
            module: self.module_name(),
            stage: stage_name(model).to_owned(),
            workgroup_size: if is_workgroup { workgroup_size } else { [0; 3] },
            ids: ids.unwrap_or_default(),
            strings,
            sites,
            aborts,
            trace,
        };
        let sites = Sites::new(table);
        // A digest of all sites.
        let number = sites.number();
        for inst in numbers {
            self.b.function.insts[inst].imm = number;
        }
        Some(sites)
    }

    /// The file of the module's `OpSource`, if it names one.
    fn module_name(&self) -> String {
        let mut sources = self.module.global_insts().filter(|inst| inst.op() == Op::Source);
        let file = sources.find_map(|inst| self.module.debug_string(inst.get_id(2)?));
        file.unwrap_or_default().into_owned()
    }
}
