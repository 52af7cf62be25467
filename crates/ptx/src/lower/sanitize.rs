//! The sanitizer's checks of kernels: `bounds-address` of accesses of global memory, `bounds-workgroup` of
//! shared memory, `divide-by-zero`; and accesses of memory as the runtime follows them from command to
//! command. They report as those of shaders do ([`pyro_abi::report`]).
//!
//! # Invariants
//! * With no kind switched on, nothing is emitted.
//! * Checks only read, and are made where the guard of their instruction holds.
//! * Generic addresses are not compared: they may be of shared and local memory and of parameters. Those of
//!   the block's memory are not told.

use super::{Fixed, Lowerer};
use crate::error::Result;
use crate::module::Special;
use pyro_abi::context::offset;
use pyro_abi::report::{
    AccessKind, MemoryClass, Site, SiteKind, SitePlace, SiteTable, SiteValue, Sites, TOLD_COUNT, ValueType,
};
use pyro_ir::{Inst, MemoryOp, Opcode, Scalar, SourceLoc, Space, Type, Value};
use pyro_library::Ops;
use pyro_util::sanitize::Kind;

/// Sites that a kernel has at most; what comes behind them reports nothing.
const SITE_COUNT_MAX: usize = 1 << 16;

/// The sites of the kernel that is being lowered.
#[derive(Default)]
pub(super) struct Reports {
    sites: Vec<Site>,
    /// The constants that hold the table's number, once it is known.
    numbers: Vec<Inst>,
}

impl Lowerer<'_, '_> {
    pub(super) fn looks_for(&self, kind: Kind) -> bool {
        self.launch.sanitize.contains(kind)
    }

    /// Looks whether a buffer is bound at an address of global memory that is accessed.
    pub(super) fn sanitize_address(&mut self, address: Value, bytes: u32, access: AccessKind) -> Result {
        if !self.looks_for(Kind::BoundsAddress) {
            return Ok(());
        }
        let never = self.b.bool(false);
        let kind = SiteKind::AddressAccess { access, bytes };
        let made = self.predicate();
        self.report_unless(kind, "", (never, made), &[("address", ValueType::Address, address)])
    }

    /// Whether the runtime follows what commands access.
    pub(super) fn follows_commands(&self) -> bool {
        self.launch.sanitize.needs_accesses()
    }

    /// Tells the runtime of an access, where it is made, until it has been told of enough by the site.
    pub(super) fn tell_access(
        &mut self,
        address: Value,
        (access, bytes): (AccessKind, u32),
        made: Value,
    ) -> Result {
        let dispatch = self.b.arg(0);
        let told = self.context(dispatch, offset::TOLD, Scalar::I64);
        let serial = self.context(dispatch, offset::SERIAL, Scalar::I32);
        let (zero, nowhere) = (self.b.i32(0), self.b.i64(0));
        let is_there = self.b.op(Opcode::INe, &[told, nowhere]);
        let word = 4 * (self.reports.sites.len() as u32 % TOLD_COUNT);
        // It changes while loops go on.
        let memory = MemoryOp::new(Space::Global).at(word as i32).speculatable();
        let memory = MemoryOp { volatile: true, ..memory };
        let closed = self.b.load(Scalar::I32, memory, told, zero, is_there);
        let is_closed = self.b.op(Opcode::IEq, &[closed, serial]);
        let class = MemoryClass::Storage;
        let kind = SiteKind::MemoryAccess { access, class, bytes, may_be_unwritten: false };
        let values = [("serial", ValueType::Unsigned, serial), ("address", ValueType::Address, address)];
        self.report_unless(kind, "memory", (is_closed, made), &values)
    }

    /// Compares an access of the block's memory with its end.
    pub(super) fn sanitize_window(&mut self, address: Value, inside: Value) -> Result {
        if !self.looks_for(Kind::BoundsWorkgroup) {
            return Ok(());
        }
        let text = "shared or local memory is accessed past its end";
        let kind = SiteKind::Finding(Kind::BoundsWorkgroup);
        let made = self.predicate();
        self.report_unless(kind, text, (inside, made), &[("byte offset", ValueType::Unsigned, address)])
    }

    /// Looks at the divisor of integers.
    pub(super) fn sanitize_divisor(&mut self, divisor: Value) -> Result {
        if !self.looks_for(Kind::DivideByZero) {
            return Ok(());
        }
        let zero = self.b.constant(self.b.function.ty(divisor).scalar, 0);
        let is_other = self.b.op(Opcode::INe, &[divisor, zero]);
        let kind = SiteKind::Finding(Kind::DivideByZero);
        let made = self.predicate();
        self.report_unless(kind, "an integer is divided by zero", (is_other, made), &[])
    }

    /// Reports from the instruction at hand where something does not hold, and it is made.
    fn report_unless(
        &mut self,
        kind: SiteKind,
        text: &str,
        (holds, made): (Value, Value),
        values: &[(&str, ValueType, Value)],
    ) -> Result {
        if self.reports.sites.len() >= SITE_COUNT_MAX {
            return Ok(());
        }
        let site = self.reports.sites.len() as u32;
        let of_site = values.iter().map(|&(name, ty, _)| SiteValue { name: name.to_owned(), ty, count: 1 });
        let place = SitePlace {
            line: self.line,
            function: self.b.function.name.clone(),
            instruction: self.opcode.to_owned(),
            ..SitePlace::default()
        };
        self.reports.sites.push(Site { kind, text: text.to_owned(), place, values: of_site.collect() });
        let dispatch = self.b.arg(0);
        let reporter = self.context(dispatch, offset::REPORTER, Scalar::I64);
        let nowhere = self.b.i64(0);
        let mut args = vec![reporter, nowhere, self.table_number()];
        for index in 0..3 {
            args.push(self.special(Special::BlockId(index))?);
        }
        args.extend((0..3).map(|index| self.fixed(Fixed::ThreadId(index))));
        for &(_, ty, value) in values {
            self.push_columns(ty, value, &mut args);
        }
        let unless = self.b.op(Opcode::Not, &[made]);
        let always = self.b.bool(true);
        args.extend([unless, holds, always]);
        self.b.emit(Opcode::Report, &args, site.into(), Scalar::I1);
        Ok(())
    }

    fn push_columns(&mut self, ty: ValueType, value: Value, columns: &mut Vec<Value>) {
        if ty.columns() == 1 {
            columns.push(self.b.resize_u(value, Scalar::I32));
            return;
        }
        let shift = self.b.i64(32);
        let high = self.b.lshr(value, shift);
        columns.extend([value, high].map(|half| self.b.resize_u(half, Scalar::I32)));
    }

    /// Gives a site its number.
    pub(super) fn add_site(&mut self, site: Site) -> u32 {
        self.reports.sites.push(site);
        self.reports.sites.len() as u32 - 1
    }

    /// The number of the table, which is known in the end.
    pub(super) fn table_number(&mut self) -> Value {
        // Not `Builder::constant`: a number that changes must be nobody else's.
        let ty = Type::varying(Scalar::I64);
        let number = self.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), SourceLoc::default());
        let block = self.b.block();
        self.b.function.blocks[block].insts.push(number);
        self.reports.numbers.push(number);
        self.b.function.insts[number].expect_result()
    }

    /// The table of all sites, whose number the code gets; none when there are none.
    pub(super) fn finish_reports(&mut self) -> Option<Sites> {
        let Reports { sites, numbers } = std::mem::take(&mut self.reports);
        let trace = self.finish_trace();
        if sites.is_empty() {
            return None;
        }
        let id = |name: &str| SiteValue { name: name.to_owned(), ty: ValueType::Unsigned, count: 3 };
        let table = SiteTable {
            shader: self.b.function.name.clone(),
            stage: "compute".to_owned(),
            workgroup_size: self.launch.block,
            ids: vec![id("workgroup"), id("local")],
            sites,
            trace,
            ..SiteTable::default()
        };
        let sites = Sites::new(table);
        // A digest of all sites.
        let number = sites.number();
        for inst in numbers {
            self.b.function.insts[inst].imm = number;
        }
        Some(sites)
    }
}
