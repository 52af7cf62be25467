//! Accesses, barriers and ends of invocations, as the runtime follows them: `race-workgroup`, `race-buffer`,
//! `uninitialized-workgroup`, `barrier-divergence`.
//!
//! # Approach
//! The runtime keeps shadow memory; shaders tell it each access of workgroup memory and of storage buffers,
//! with how many barriers the invocation has passed. Two accesses of invocations that have passed the same
//! number are not ordered by a barrier. Barriers are counted by what they order: workgroup memory, buffers,
//! the memory of a subgroup.
//!
//! # Invariants
//! * A barrier orders what its semantics name, or what any memory barrier of the module orders: that barriers
//!   and memory barriers stand apart is common, and a missing finding is better than a false one.
//! * Where instructions that are not told access workgroup memory (cooperative vectors, cooperative matrices
//!   by tensor layouts), no access is.

use super::bounds::Chain;
use super::state::Found;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::{Access, Leaf};
use crate::pointer::{Pointer, PointerBase};
use crate::report::{Message, Reported};
use pyro_abi::context::offset;
use pyro_abi::report::{AccessKind, Reach, SiteKind, ValueType, WORKGROUP_VALUES};
use pyro_ir::{Opcode, Scalar, Slot, Space, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::grammar::OperandKind;
use pyro_spirv::spirv::{
    BuiltIn, Decoration, ExecutionModel, ImageOperands, MemoryAccess, MemorySemantics, Op, Scope,
    StorageClass,
};
use pyro_spirv::{Id, Inst as SpirvInst, Instruction, Terminator, Type};
use pyro_util::sanitize::Kind;

/// Runs of bytes that one access is told as.
const RUNS_MAX: usize = 64;

/// Instructions between a memory barrier and the atomic store that it belongs to.
const FENCE_DISTANCE_MAX: usize = 64;

/// What orders buffers and images: one counter stands for both.
const OF_BUFFERS: MemorySemantics = MemorySemantics::UNIFORM_MEMORY.union(MemorySemantics::IMAGE_MEMORY);

/// What is counted of the barriers that an invocation passes.
#[derive(Clone, Copy)]
enum Counter {
    All = 0,
    Workgroup = 1,
    Buffer = 2,
    Subgroup = 3,
}

/// What an instruction does to memory. `semantics`: of an atomic operation, where they are known.
/// `follows_release`: a memory barrier before it releases what it tells of.
pub(super) fn access_of(
    op: Op,
    (reads, writes): (bool, bool),
    semantics: Option<u32>,
    follows_release: bool,
) -> AccessKind {
    let is_relaxed = || semantics.is_some_and(|bits| !orders(semantics_of(bits)));
    match facts(op).family {
        Family::Atomic if op == Op::AtomicStore && !follows_release && is_relaxed() => {
            AccessKind::RelaxedStore
        }
        Family::Atomic if op == Op::AtomicStore => AccessKind::AtomicStore,
        Family::Atomic => AccessKind::Atomic,
        _ if writes && !reads => AccessKind::Write,
        _ => AccessKind::Read,
    }
}

/// The invocations of a scope; all where it is not known.
pub(super) fn reach_of_scope(scope: Option<Scope>) -> Reach {
    match scope {
        Some(Scope::Invocation) => Reach::Invocation,
        Some(Scope::Subgroup) => Reach::Subgroup,
        Some(Scope::Workgroup) => Reach::Workgroup,
        _ => Reach::Device,
    }
}

pub(super) fn semantics_of(bits: u32) -> MemorySemantics {
    MemorySemantics::from_bits_retain(bits)
}

pub(super) fn orders(semantics: MemorySemantics) -> bool {
    semantics.intersects(
        MemorySemantics::ACQUIRE
            | MemorySemantics::RELEASE
            | MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::SEQUENTIALLY_CONSISTENT,
    )
}

impl<'m> Lowerer<'m, '_> {
    /// Whether the stage runs in workgroups.
    pub(super) fn has_workgroups(&self) -> bool {
        use ExecutionModel as M;
        let stage = self.stage;
        matches!(
            stage.model(),
            Some(M::GLCompute | M::ClusterCullingHUAWEI | M::TaskEXT | M::TaskNV | M::MeshEXT | M::MeshNV)
        )
    }

    /// Whether a memory barrier stands before an instruction, with no barrier of the workgroup between: an
    /// atomic store behind it is a message.
    pub(super) fn follows_release(&self, inst: Instruction<'m>) -> bool {
        let before = (0..inst.index().as_u32()).rev().take(FENCE_DISTANCE_MAX);
        let mut insts = before.map(|index| self.module.inst(SpirvInst::from_u32(index)));
        let fence = insts.find(|inst| {
            matches!(
                inst.op(),
                Op::MemoryBarrier
                    | Op::ControlBarrier
                    | Op::ControlBarrierWaitINTEL
                    | Op::Function
                    | Op::FunctionCall
            )
        });
        fence.filter(|fence| fence.op() == Op::MemoryBarrier).is_some_and(|fence| {
            let semantics = fence.get_id(1).and_then(|id| self.constants.unsigned(id));
            orders(semantics_of(semantics.unwrap_or(0)))
        })
    }

    pub(super) fn found(&mut self) -> Found {
        if let Some(found) = self.sanitizer.tracking.found {
            return found;
        }
        let mut found = Found::default();
        let mut is_told = true;
        let visible = MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE;
        let is_workgroup =
            |variable: pyro_spirv::GlobalVariable<'_>| variable.class == StorageClass::Workgroup;
        for inst in self.module.insts() {
            let semantics = |place: usize| {
                let bits = inst.get_id(place).and_then(|id| self.constants.unsigned(id));
                semantics_of(bits.unwrap_or(0))
            };
            match inst.op() {
                Op::ControlBarrier | Op::ControlBarrierWaitINTEL => found.barriers = true,
                Op::MemoryBarrier => {
                    let semantics = semantics(1);
                    found.makes_visible |= semantics.intersects(visible);
                    found.workgroup_fences |= semantics.contains(MemorySemantics::WORKGROUP_MEMORY);
                    found.buffer_fences |= semantics.intersects(OF_BUFFERS);
                }
                op => {
                    if facts(op).family == Family::Atomic {
                        found.makes_visible |= semantics(2).intersects(visible);
                    }
                    is_told &= !self.hides_workgroup_access(inst);
                }
            }
        }
        found.workgroup_memory = is_told && self.module.globals().any(is_workgroup);
        *self.sanitizer.tracking.found.insert(found)
    }

    /// Whether an instruction accesses workgroup memory in a way that is not followed.
    fn hides_workgroup_access(&self, inst: Instruction<'m>) -> bool {
        let is_followed = matches!(
            inst.op(),
            Op::CooperativeMatrixLoadKHR
                | Op::CooperativeMatrixLoadNV
                | Op::CooperativeMatrixStoreKHR
                | Op::CooperativeMatrixStoreNV
        );
        facts(inst.op()).family == Family::Cooperative
            && !is_followed
            && !self.accessed_types(inst, &[StorageClass::Workgroup]).is_empty()
    }

    /// Whether workgroups are followed at all.
    fn follows_workgroups(&mut self) -> bool {
        let on = |kind| self.sanitizer.is_on(kind);
        let memory = on(Kind::RaceWorkgroup) || on(Kind::RaceAtomic) || on(Kind::UninitializedWorkgroup);
        let (barriers, buffers) = (on(Kind::BarrierDivergence), on(Kind::RaceBuffer));
        if !(memory || barriers || buffers) || !self.has_workgroups() {
            return false;
        }
        let found = self.found();
        memory && found.workgroup_memory || barriers && found.barriers
    }

    /// Whether barriers are followed that some do not come to.
    fn follows_ways(&mut self) -> bool {
        self.sanitizer.is_on(Kind::BarrierDivergence) && self.has_workgroups() && self.found().barriers
    }

    fn counters(&mut self) -> Result<[Slot; 4]> {
        if let Some(counters) = self.sanitizer.tracking.counters {
            return Ok(counters);
        }
        let counters = std::array::from_fn(|_| self.b.function.add_slot(4));
        self.in_prologue(|cx| {
            let zero = cx.b.i32(0);
            counters.iter().for_each(|&slot| cx.b.slot_store(slot, zero, zero));
            Ok(())
        })?;
        Ok(*self.sanitizer.tracking.counters.insert(counters))
    }

    fn count(&mut self, counter: Counter) -> Result {
        let slot = self.counters()?[counter as usize];
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        let count = self.b.slot_load(Scalar::I32, slot, zero);
        let count = self.b.op(Opcode::IAdd, &[count, one]);
        self.b.slot_store(slot, zero, count);
        Ok(())
    }

    /// [`WORKGROUP_VALUES`].
    pub(super) fn workgroup_values(&mut self) -> Result<Vec<Reported>> {
        let base = match self.found().workgroup_memory {
            true => self.shared_base()?,
            false => self.b.i64(0),
        };
        let dispatch = self.b.arg(0);
        let serial = self.load_context(dispatch, offset::SERIAL, Scalar::I32);
        let zero = self.b.i32(0);
        let mut values = vec![base, serial];
        for slot in self.counters()? {
            values.push(self.b.slot_load(Scalar::I32, slot, zero));
        }
        let stage = self.stage;
        values.extend(stage.built_in(self, Id::from_u32(0), BuiltIn::SubgroupId)?);
        values.push(self.shadow_interval()?);
        let named = WORKGROUP_VALUES.iter().zip(values);
        Ok(named.map(|(&(name, ty), value)| Reported::new(name, ty, value)).collect())
    }

    /// Tells the runtime what an access does.
    pub(super) fn track_access(
        &mut self,
        inst: Instruction<'m>,
        (pointer, ty): (&Pointer, Id),
        chain: &Chain,
        access: AccessKind,
    ) -> Result {
        if let PointerBase::Physical { .. } = pointer.base {
            return self.track_address(inst, (pointer, ty), access);
        }
        let PointerBase::Range(range) = pointer.base else { return Ok(()) };
        if pointer.layout.soa.is_some() || !self.has_workgroups() {
            return Ok(());
        }
        let is_shared = range.space == Space::Shared;
        let is_on = match range.space {
            Space::Shared => {
                self.follows_shared()
                    && self.module.global(chain.base).is_none_or(|it| it.class == StorageClass::Workgroup)
            }
            Space::Global => {
                self.sanitizer.is_on(Kind::RaceBuffer)
                    && !self.has_decoration(Some(chain.base), Decoration::NonWritable)
            }
            _ => false,
        };
        if !is_on {
            return Ok(());
        }
        let runs = runs_of(&self.leaves(ty, pointer.layout)?);
        if runs.len() > RUNS_MAX {
            return Ok(());
        }
        let variable = self.module.global(chain.base);
        let may_be_unwritten = self.needs_no_content(inst, ty)
            || variable.is_none_or(|it| it.initializer.is_some())
            || self.workgroup.is_zeroed;
        for (start, bytes) in runs {
            let text = self.id_text(chain.base);
            if is_shared {
                self.track_shared(inst, pointer, (start, bytes), (access, may_be_unwritten), text)?;
                continue;
            }
            if self.follows_buffers_by_word() {
                self.track_buffer(inst, (pointer, chain), (start, bytes), access)?;
                continue;
            }
            let at = self.range_address(pointer, &range, start, bytes, Access::default());
            let mut values = self.workgroup_values()?;
            let displacement = at.memory.displacement as i64 as u64;
            let address = self.byte_address(at.base, at.offset, displacement);
            values.push(Reported::new("address", ValueType::Address, address));
            let reach = self.reach_of(inst, chain);
            let kind = SiteKind::BufferAccess { access, bytes: bytes as u32, reach };
            self.report(inst, Some(at.predicate), Message { kind, text, values })?;
        }
        Ok(())
    }

    /// The invocations that an access of a buffer is coherent with.
    fn reach_of(&mut self, inst: Instruction<'m>, chain: &Chain) -> Reach {
        if facts(inst.op()).family == Family::Atomic {
            return reach_of_scope(self.scope(inst.id(1)).ok());
        }
        if self.is_coherent(inst, chain.base) { Reach::Device } else { Reach::Workgroup }
    }

    /// Whether a load or store, or the variable that it is of, is declared to make memory available or
    /// visible. Barriers that do so do it for all accesses.
    pub(super) fn is_coherent(&mut self, inst: Instruction<'m>, variable: Id) -> bool {
        let operands = match inst.op() {
            Op::Load => Some(4),
            Op::Store => Some(3),
            _ => None,
        };
        let bits = operands.and_then(|first| inst.words().get(first).copied()).unwrap_or(0);
        let access = MemoryAccess::from_bits_retain(bits);
        let coherent = MemoryAccess::VOLATILE
            | MemoryAccess::MAKE_POINTER_AVAILABLE
            | MemoryAccess::MAKE_POINTER_VISIBLE;
        let is_declared = [Decoration::Coherent, Decoration::Volatile].iter().any(|&decoration| {
            self.has_decoration(Some(variable), decoration) || self.has_member(variable, decoration)
        });
        access.intersects(coherent) || is_declared || self.found().makes_visible
    }

    /// The same of an image instruction.
    pub(super) fn is_coherent_texel(&mut self, inst: Instruction<'m>, variable: Option<Id>) -> bool {
        let mut operands = inst.operands();
        let operands = operands.find(|operand| operand.kind == OperandKind::ImageOperands);
        let bits = operands.and_then(|operand| operand.words.first().copied()).unwrap_or(0);
        let coherent = ImageOperands::MAKE_TEXEL_AVAILABLE
            | ImageOperands::MAKE_TEXEL_VISIBLE
            | ImageOperands::VOLATILE_TEXEL;
        [Decoration::Coherent, Decoration::Volatile].iter().any(|&it| self.has_decoration(variable, it))
            || ImageOperands::from_bits_retain(bits).intersects(coherent)
            || self.found().makes_visible
    }

    /// Whether a member of the block behind a variable has a decoration.
    fn has_member(&self, variable: Id, decoration: Decoration) -> bool {
        let ty = self.module.global(variable).and_then(|variable| variable.value_type);
        let Some(block) = ty.map(|ty| self.module.strip_arrays(ty)) else { return false };
        let Type::Struct { members } = self.module.ty(block) else { return false };
        (0..members.len() as u32)
            .any(|member| self.module.member_decoration(block, member, decoration).is_some())
    }

    /// Tells the runtime at which device address an access is.
    fn track_address(
        &mut self,
        inst: Instruction<'m>,
        (pointer, ty): (&Pointer, Id),
        access: AccessKind,
    ) -> Result {
        // What a cooperative matrix's elements are decoded from is a pointer that no shader has made.
        let is_decoding = self.calls.frames.iter().any(|frame| frame.is_element);
        if is_decoding || !self.sanitizer.is_on(Kind::BoundsAddress) {
            return Ok(());
        }
        let runs = runs_of(&self.leaves(ty, pointer.layout)?);
        if runs.len() > RUNS_MAX {
            return Ok(());
        }
        for (start, bytes) in runs {
            let at = Pointer { offset: pointer.offset.wrapping_add(start), ..pointer.clone() };
            let address = self.physical_address(&at);
            let values = vec![Reported::new("address", ValueType::Address, address)];
            let kind = SiteKind::AddressAccess { access, bytes: bytes as u32 };
            self.report(inst, None, Message { kind, text: String::new(), values })?;
        }
        Ok(())
    }

    pub(crate) fn byte_address(&mut self, base: Value, offset: Value, displacement: u64) -> Value {
        let offset = match self.scalar_type(offset) {
            Scalar::I64 => offset,
            _ => self.b.convert(Opcode::ZeroExtend, offset, Scalar::I64),
        };
        let displacement = self.b.i64(displacement);
        let at = self.b.op(Opcode::IAdd, &[base, offset]);
        self.b.op(Opcode::IAdd, &[at, displacement])
    }

    /// Barriers, memory barriers and atomic operations that order other accesses.
    pub(super) fn sanitize_synchronization(&mut self, inst: Instruction<'m>) -> Result {
        let in_dispatch = self.sanitizer.kinds.has_any(&[Kind::RaceBuffer, Kind::RaceImage]);
        let follows_buffers = in_dispatch && self.has_workgroups();
        if in_dispatch && !self.has_workgroups() {
            return self.note_order(inst);
        }
        if !(self.follows_workgroups() || follows_buffers) {
            return Ok(());
        }
        match inst.op() {
            Op::ControlBarrier | Op::ControlBarrierWaitINTEL => self.track_barrier(inst),
            Op::MemoryBarrier => {
                let semantics = semantics_of(self.constant_operand(inst.id(1))?);
                self.track_order(inst, semantics)
            }
            op if facts(op).family == Family::Atomic => {
                // Of a compare and exchange, those of equality.
                let semantics = inst.get_id(2).and_then(|id| self.constants.unsigned(id));
                self.track_order(inst, semantics_of(semantics.unwrap_or(0)))
            }
            _ => Ok(()),
        }
    }

    /// In a stage without workgroups: a site that never reports says that something orders invocations.
    fn note_order(&mut self, inst: Instruction<'m>) -> Result {
        let place = match inst.op() {
            Op::MemoryBarrier => 1,
            op if facts(op).family == Family::Atomic => 2,
            _ => return Ok(()),
        };
        let semantics = inst.get_id(place).and_then(|id| self.constants.unsigned(id));
        if !orders(semantics_of(semantics.unwrap_or(0))) {
            return Ok(());
        }
        let kind = SiteKind::Synchronize { releases: true, acquires: true, within_subgroup: false };
        self.note_site(inst, &Message { kind, text: String::new(), values: Vec::new() });
        Ok(())
    }

    fn track_order(&mut self, inst: Instruction<'m>, semantics: MemorySemantics) -> Result {
        if !orders(semantics) {
            return Ok(());
        }
        let both = MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        self.synchronize(inst, {
            let releases = semantics.intersects(both | MemorySemantics::RELEASE);
            let acquires = semantics.intersects(both | MemorySemantics::ACQUIRE);
            SiteKind::Synchronize { releases, acquires, within_subgroup: false }
        })
    }

    fn synchronize(&mut self, inst: Instruction<'m>, kind: SiteKind) -> Result {
        let values = self.workgroup_values()?;
        self.report(inst, None, Message { kind, text: String::new(), values })?;
        match kind {
            SiteKind::Synchronize { releases: true, .. } => self.count_release(),
            _ => Ok(()),
        }
    }

    fn track_barrier(&mut self, inst: Instruction<'m>) -> Result {
        let semantics = semantics_of(self.constant_operand(inst.id(2))?);
        match self.scope(inst.id(0))? {
            Scope::Workgroup => {
                let found = self.found();
                if self.sanitizer.is_on(Kind::BarrierDivergence) {
                    self.go_by(inst)?;
                }
                self.count(Counter::All)?;
                let has = |storage: MemorySemantics| orders(semantics) && semantics.contains(storage);
                if has(MemorySemantics::WORKGROUP_MEMORY) || found.workgroup_fences {
                    self.count(Counter::Workgroup)?;
                    self.next_interval()?;
                }
                if orders(semantics) && semantics.intersects(OF_BUFFERS) || found.buffer_fences {
                    self.count(Counter::Buffer)?;
                }
                Ok(())
            }
            Scope::Subgroup => {
                if self.follows_shared() {
                    let (releases, acquires) = (true, true);
                    self.synchronize(
                        inst,
                        SiteKind::Synchronize { releases, acquires, within_subgroup: true },
                    )?;
                }
                self.count(Counter::Subgroup)
            }
            _ => Ok(()),
        }
    }

    /// What ends a block: `OpUnreachable`, and the end of the invocation.
    pub(crate) fn sanitize_terminator(
        &mut self,
        inst: Instruction<'m>,
        terminator: &Terminator<'m>,
    ) -> Result {
        if self.sanitizer.is_off() {
            return Ok(());
        }
        self.sanitize_defined_branch(inst, terminator)?;
        self.sanitize_parting(inst, terminator)?;
        match terminator {
            Terminator::Unreachable => self.sanitize_unreachable(inst),
            Terminator::Return | Terminator::EmitMeshTasks { .. } => {
                let is_entry_point = self.calls.frames.len() == 1;
                let ends = is_entry_point || matches!(terminator, Terminator::EmitMeshTasks { .. });
                if !ends || !self.follows_ways() {
                    return Ok(());
                }
                let slot = self.counters()?[Counter::All as usize];
                let zero = self.b.i32(0);
                let count = self.b.slot_load(Scalar::I32, slot, zero);
                self.end_way(inst, count)
            }
            _ => Ok(()),
        }
    }
}

/// The runs of bytes that the leaves of a type lie in: offset and length.
pub(super) fn runs_of(leaves: &[Leaf]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for leaf in leaves {
        // Components that lie apart are runs of their own.
        let bytes = u64::from(crate::types::memory_bytes(leaf.scalar));
        let is_dense = leaf.count <= 1 || leaf.stride == bytes;
        let parts = if is_dense { 1 } else { u64::from(leaf.count) };
        let length = if is_dense { leaf.extent() } else { bytes };
        for part in 0..parts {
            let start = leaf.offset + part * leaf.stride;
            match runs.last_mut() {
                Some((first, len)) if *first + *len == start => *len += length,
                _ => runs.push((start, length)),
            }
        }
    }
    runs
}
