//! Shadow memory of workgroup memory ([`pyro_abi::shadow`]): its place, the marks of invocations, and the
//! accesses that are followed.
//!
//! # Approach
//! The tables of cells lie behind the workgroup's own memory, whose size is known when the shader has been
//! lowered: until then the constants that hold their places are zero. Each invocation has its mark in a slot,
//! which becomes a value; a barrier goes on to the next interval.
//!
//! # Invariant
//! Cells are as small as the smallest scalar that the module accesses there, so that neighbours do not share
//! one.

use super::state::Shadow;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase};
use crate::report::{Message, Reported};
use pyro_abi::context::offset;
use pyro_abi::report::{ACCESS_VALUES, AccessKind, SiteKind, ValueType};
use pyro_abi::shadow::{MarkLayout, RELEASES_MAX, Tables, Tracked};
use pyro_ir::{Opcode, Scalar, SourceLoc, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{BuiltIn, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

impl<'m> Lowerer<'m, '_> {
    /// Whether workgroup memory is followed.
    pub(super) fn follows_shared(&mut self) -> bool {
        let on = |kind| self.sanitizer.is_on(kind);
        let is_on = on(Kind::RaceWorkgroup) || on(Kind::RaceAtomic) || on(Kind::UninitializedWorkgroup);
        is_on && self.has_workgroups() && self.found().workgroup_memory && self.shadow_layout().is_some()
    }

    /// What an instruction accesses of memory of some classes: the types.
    pub(super) fn accessed_types(&self, inst: Instruction<'m>, classes: &[StorageClass]) -> Vec<Option<Id>> {
        let facts = facts(inst.op());
        let places = facts.reads.iter().chain(facts.writes);
        places
            .filter_map(|&place| {
                let id = inst.get_id(place)?;
                let ty = self.module.type_of(id)?;
                let (Type::Pointer { class, .. } | Type::UntypedPointer { class }) = self.module.ty(ty)
                else {
                    return None;
                };
                classes.contains(&class).then(|| self.accessed_type(inst, place, id))
            })
            .collect()
    }

    /// The bytes of an element of the cooperative matrix that an instruction loads or stores; four of others.
    fn smallest_element(&self, inst: Instruction<'m>) -> u32 {
        let stored = || inst.get_id(1).and_then(|id| self.module.type_of(id));
        let matrix = match inst.op() {
            Op::CooperativeMatrixLoadKHR | Op::CooperativeMatrixLoadNV => inst.result_type(),
            Op::CooperativeMatrixStoreKHR | Op::CooperativeMatrixStoreNV => stored(),
            _ => None,
        };
        match matrix.map(|ty| self.module.ty(ty)) {
            Some(
                Type::CooperativeMatrixKhr { component, .. } | Type::CooperativeMatrixNv { component, .. },
            ) => self.smallest_scalar(component),
            _ => 4,
        }
    }

    /// The bytes of the smallest scalar of a type.
    pub(super) fn smallest_scalar(&self, ty: Id) -> u32 {
        match self.module.ty(ty) {
            Type::Int { width, .. } | Type::Float { width, .. } => (width / 8).clamp(1, 4),
            Type::Vector { component, .. } => self.smallest_scalar(component),
            Type::Matrix { column, .. } => self.smallest_scalar(column),
            Type::Struct { members } => {
                members.iter().map(|member| self.smallest_scalar(member)).min().unwrap_or(4)
            }
            Type::Array { .. } | Type::RuntimeArray { .. } => {
                crate::types::element_type(self.module, ty).map_or(1, |ty| self.smallest_scalar(ty))
            }
            _ => 4,
        }
    }

    /// How marks are laid out, and the bytes of a cell; none where a module has too many sites.
    fn shadow_layout(&mut self) -> Option<(MarkLayout, u32, bool)> {
        if let Some(layout) = self.sanitizer.shadow_layout {
            return layout;
        }
        let (mut sites, mut granule, mut has_atomics) = (0, 4, false);
        for inst in self.module.insts() {
            for ty in self.accessed_types(inst, &[StorageClass::Workgroup]) {
                sites += 1;
                granule = granule.min(ty.map_or(1, |ty| self.smallest_scalar(ty)));
                granule = granule.min(self.smallest_element(inst));
                has_atomics |= facts(inst.op()).family == Family::Atomic;
            }
        }
        let size = self.constants.workgroup_size().unwrap_or([1; 3]);
        let layout = MarkLayout::new(sites, size.iter().product());
        let layout = layout.fits().then_some((layout, granule, has_atomics));
        self.sanitizer.shadow_layout = Some(layout);
        layout
    }

    /// The shadow's tables and the invocation's mark, made when first needed.
    fn shadow(&mut self) -> Result<Shadow> {
        if let Some(shadow) = &self.sanitizer.shadow {
            return Ok(shadow.clone());
        }
        let (layout, granule, has_atomics) =
            self.shadow_layout().unwrap_or((MarkLayout::new(1, 1), 4, false));
        let mark = self.b.function.add_slot(4);
        let base = self.shared_base()?;
        let stage = self.stage;
        let (tables, places) = self.in_prologue(|cx| {
            let mut places = Vec::new();
            let tables = Tables::ALL.map(|_| {
                // Not `Builder::constant`: it changes.
                let ty = pyro_ir::Type::varying(Scalar::I64);
                let place = cx.b.function.make_inst(Opcode::Const, &[], 0, Some(ty), SourceLoc::default());
                let block = cx.b.block();
                cx.b.function.blocks[block].insts.push(place);
                places.push(place);
                let place = cx.b.function.insts[place].expect_result();
                cx.b.op(Opcode::IAdd, &[base, place])
            });
            let index = stage.built_in(cx, Id::from_u32(0), BuiltIn::LocalInvocationIndex)?[0];
            let low = cx.b.i32(layout.low);
            let own = cx.b.op(Opcode::Shl, &[index, low]);
            let first = cx.b.i32(1 << layout.high);
            let first = cx.b.op(Opcode::Or, &[own, first]);
            let zero = cx.b.i32(0);
            cx.b.slot_store(mark, zero, first);
            Ok((tables, places))
        })?;
        let shadow = Shadow { tables, places, mark, layout, granule, has_atomics };
        Ok(self.sanitizer.shadow.insert(shadow).clone())
    }

    /// Gives all tables their places behind workgroup memory.
    pub(crate) fn finish_shadow(&mut self) {
        let data = self.workgroup.bytes;
        self.finish_marks();
        self.finish_workgroup_definedness(data);
        self.finish_mesh_definedness();
    }

    fn finish_marks(&mut self) {
        let Some(shadow) = self.sanitizer.shadow.take() else { return };
        let start = u64::from(self.workgroup.bytes).next_multiple_of(64);
        let bytes = (start * 4 / u64::from(shadow.granule)).next_multiple_of(64);
        let count = if shadow.has_atomics { shadow.places.len() } else { 2 };
        for (index, &place) in (0..).zip(&shadow.places) {
            let table = if index < count as u64 { index } else { 0 };
            self.b.function.insts[place].imm = start + table * bytes;
        }
        let end = start + count as u64 * bytes;
        self.workgroup.exchange_bytes += (end - u64::from(self.workgroup.bytes)) as u32;
        self.workgroup.bytes = end as u32;
        self.workgroup.shadow_bytes = (end - start) as u32;
    }

    /// The interval that the invocation is in, where workgroup memory is followed.
    pub(super) fn shadow_interval(&mut self) -> Result<Value> {
        if !self.follows_shared() {
            return Ok(self.b.i32(0));
        }
        let shadow = self.shadow()?;
        let zero = self.b.i32(0);
        let mark = self.b.slot_load(Scalar::I32, shadow.mark, zero);
        let high = self.b.i32(shadow.layout.high);
        Ok(self.b.op(Opcode::LShr, &[mark, high]))
    }

    /// Behind a barrier that orders workgroup memory.
    pub(super) fn next_interval(&mut self) -> Result {
        if !self.follows_shared() {
            return Ok(());
        }
        let shadow = self.shadow()?;
        let zero = self.b.i32(0);
        let mark = self.b.slot_load(Scalar::I32, shadow.mark, zero);
        let kept = self.b.i32(!(RELEASES_MAX << shadow.layout.releases_low()));
        let mark = self.b.op(Opcode::And, &[mark, kept]);
        let one = self.b.i32(1 << shadow.layout.high);
        let mark = self.b.op(Opcode::IAdd, &[mark, one]);
        self.b.slot_store(shadow.mark, zero, mark);
        Ok(())
    }

    /// Behind a release.
    pub(super) fn count_release(&mut self) -> Result {
        if !self.follows_shared() {
            return Ok(());
        }
        let shadow = self.shadow()?;
        let zero = self.b.i32(0);
        let mark = self.b.slot_load(Scalar::I32, shadow.mark, zero);
        let low = shadow.layout.releases_low();
        let most = self.b.i32(RELEASES_MAX << low);
        let count = self.b.op(Opcode::And, &[mark, most]);
        let is_most = self.b.op(Opcode::IEq, &[count, most]);
        let one = self.b.i32(1 << low);
        let more = self.b.op(Opcode::IAdd, &[mark, one]);
        let mark = self.b.select(is_most, mark, more);
        self.b.slot_store(shadow.mark, zero, mark);
        Ok(())
    }

    /// Follows an access of a run of bytes, `start` bytes behind what the pointer points to.
    pub(super) fn track_shared(
        &mut self,
        inst: Instruction<'m>,
        pointer: &Pointer,
        (start, bytes): (u64, u64),
        how: (AccessKind, bool),
        text: String,
    ) -> Result {
        self.track_shared_where(inst, pointer, (start, bytes), how, (text, None))
    }

    /// The same, of an access that is made where `made` holds.
    pub(super) fn track_shared_where(
        &mut self,
        inst: Instruction<'m>,
        pointer: &Pointer,
        (start, bytes): (u64, u64),
        (access, may_be_unwritten): (AccessKind, bool),
        (text, made): (String, Option<Value>),
    ) -> Result {
        let PointerBase::Range(range) = pointer.base else { return Ok(()) };
        let shadow = self.shadow()?;
        let at = self.range_address(pointer, &range, start, bytes, Access::default());
        let displacement = self.b.i32(at.memory.displacement as u32);
        let byte = self.b.op(Opcode::IAdd, &[at.offset, displacement]);
        // Cells have four bytes.
        let (cell, cells) = match shadow.granule {
            4 => (byte, bytes.div_ceil(4)),
            granule => {
                let scaled = self.scale(byte, u64::from(4 / granule));
                (scaled, bytes.div_ceil(u64::from(granule)))
            }
        };
        if cells > 255 {
            return Ok(());
        }
        let aligned = self.b.i32(!3);
        let cell = self.b.op(Opcode::And, &[cell, aligned]);
        let dispatch = self.b.arg(0);
        let serial = self.load_context(dispatch, offset::SERIAL, Scalar::I32);
        let number = self.site_number(inst);
        let tracked = Tracked {
            access,
            cells: cells as u32,
            site: 0,
            number,
            is_buffer: false,
            layout: shadow.layout,
            has_atomics: shadow.has_atomics,
            checks_unwritten: access.reads()
                && !may_be_unwritten
                && self.sanitizer.is_on(Kind::UninitializedWorkgroup),
        };
        let zero = self.b.i32(0);
        let mark = self.b.slot_load(Scalar::I32, shadow.mark, zero);
        let base = self.shared_base()?;
        let known = [base, serial, byte];
        let values = ACCESS_VALUES
            .iter()
            .enumerate()
            .map(|(index, &(name, ty))| Reported::new(name, ty, known.get(index).copied().unwrap_or(zero)));
        debug_assert!(ACCESS_VALUES[3..].iter().all(|&(_, ty)| ty == ValueType::Unsigned));
        let message = Message { kind: SiteKind::WorkgroupAccess { tracked }, text, values: values.collect() };
        let made = match made {
            Some(made) => self.b.op(Opcode::And, &[at.predicate, made]),
            None => at.predicate,
        };
        self.emit_track(inst, &message, (shadow.tables, mark, cell, made), tracked)
    }

    /// The number that marks have for an instruction, from 1.
    fn site_number(&mut self, inst: Instruction<'m>) -> u32 {
        let next = self.sanitizer.shadow_sites.len() as u32 + 1;
        *self.sanitizer.shadow_sites.entry(inst.index()).or_insert(next)
    }
}
