//! Accesses of storage buffers, where nothing in the module orders those of different invocations: shadow
//! memory ([`pyro_abi::shadow::buffer`]) then needs no more than who accessed a word, and how.
//!
//! # Approach
//! A variable that the module only reads is followed only where its range overlaps one that is written, which
//! is asked once.
//!
//! Modules whose barriers, fences or atomic operations order buffers, or that access parts of words, tell
//! the runtime each access ([`super::tracking`]).

use super::bounds::Chain;
use super::state::BufferShadow;
use super::tracking::{orders, reach_of_scope, semantics_of};
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase, Size};
use crate::report::{Message, Reported};
use pyro_abi::context::offset;
use pyro_abi::report::{AccessKind, BUFFER_VALUES, Reach, SiteKind};
use pyro_abi::shadow::buffer::{REGION_BYTES, SITES_MAX};
use pyro_abi::shadow::{MarkLayout, Tracked};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::facts::{Family, facts};
use pyro_spirv::spirv::{BuiltIn, ExecutionModel, MemorySemantics, Op, Scope, StorageClass};
use pyro_spirv::{Id, Instruction, Type};

/// Written variables with which one that is read is compared.
const WRITTEN_MAX: usize = 16;

impl<'m> Lowerer<'m, '_> {
    /// Whether buffers are followed by shadow memory alone.
    pub(super) fn follows_buffers_by_word(&mut self) -> bool {
        if let Some(known) = self.sanitizer.buffer_words {
            return known;
        }
        let mut sites = 0;
        let mut by_word = self.stage.model() == Some(ExecutionModel::GLCompute);
        for inst in self.module.insts() {
            by_word &= match inst.op() {
                Op::MemoryBarrier => false,
                Op::ControlBarrier | Op::ControlBarrierWaitINTEL => {
                    let semantics = inst.get_id(2).and_then(|id| self.constants.unsigned(id));
                    let semantics = semantics_of(semantics.unwrap_or(u32::MAX));
                    let is_workgroup = self.scope(inst.id(0)).ok() == Some(Scope::Workgroup);
                    is_workgroup
                        && !(semantics.contains(MemorySemantics::UNIFORM_MEMORY) && orders(semantics))
                }
                op if facts(op).family == Family::Atomic => {
                    let semantics = inst.get_id(2).and_then(|id| self.constants.unsigned(id));
                    let class = self.module.type_of(inst.id(0)).and_then(|ty| self.module.pointer(ty));
                    let is_buffer = !matches!(class, Some((StorageClass::Workgroup, _)));
                    let reaches_all = reach_of_scope(self.scope(inst.id(1)).ok()) == Reach::Device;
                    semantics.is_some_and(|bits| !orders(semantics_of(bits))) && (reaches_all || !is_buffer)
                }
                op => facts(op).family != Family::Cooperative,
            };
            for ty in self.accessed_types(inst, &[StorageClass::StorageBuffer, StorageClass::Uniform]) {
                sites += 1;
                by_word &= ty.is_some_and(|ty| self.smallest_scalar(ty) == 4);
            }
        }
        by_word &= sites < SITES_MAX;
        *self.sanitizer.buffer_words.insert(by_word)
    }

    /// The buffer variables that the module writes; none where it cannot be said.
    fn written_buffers(&mut self) -> Option<Vec<Id>> {
        if let Some(known) = &self.sanitizer.written_buffers {
            return known.clone();
        }
        let mut written = Vec::new();
        let mut is_known = true;
        for inst in self.module.insts() {
            for &place in facts(inst.op()).writes {
                let Some(pointer) = inst.get_id(place) else { continue };
                let class = self.module.type_of(pointer).map(|ty| self.module.ty(ty));
                match class {
                    Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) => match class {
                        StorageClass::StorageBuffer | StorageClass::Uniform => {
                            let base = self.chain_of(pointer).base;
                            is_known &= self.module.global(base).is_some();
                            written.push(base);
                        }
                        StorageClass::PhysicalStorageBuffer => is_known = false,
                        _ => {}
                    },
                    _ => continue,
                }
            }
        }
        written.sort_unstable();
        written.dedup();
        let known = (is_known && written.len() <= WRITTEN_MAX).then_some(written);
        self.sanitizer.written_buffers.insert(known).clone()
    }

    /// Whether (`i64`, 0 or 1) accesses of a range need be followed.
    fn may_meet_writes(&mut self, pointer: &Pointer, chain: &Chain) -> Result<Value> {
        let always = self.b.i64(1);
        let PointerBase::Range(range) = pointer.base.clone() else { return Ok(always) };
        let Some(written) = self.written_buffers() else { return Ok(always) };
        if written.contains(&chain.base) || !range.hoisted || self.module.global(chain.base).is_none() {
            return Ok(always);
        }
        let Size::Value(size) = range.size else { return Ok(always) };
        if let Some(&known) = self.sanitizer.overlaps.get(&range.base) {
            return Ok(known);
        }
        let mut others = Vec::new();
        for id in written {
            let PointerBase::Range(other) = self.pointer(id)?.base.clone() else { return Ok(always) };
            match other.size {
                Size::Value(size) if other.hoisted => others.push((other.base, size)),
                _ => return Ok(always),
            }
        }
        let overlaps = self.in_prologue(|cx| {
            let wide = |cx: &mut Self, value: Value| match cx.scalar_type(value) {
                Scalar::I64 => value,
                _ => cx.b.convert(Opcode::ZeroExtend, value, Scalar::I64),
            };
            let size = wide(cx, size);
            let end = cx.b.op(Opcode::IAdd, &[range.base, size]);
            let mut any = cx.b.bool(false);
            for (other, size) in others {
                let size = wide(cx, size);
                let other_end = cx.b.op(Opcode::IAdd, &[other, size]);
                let begins = cx.b.op(Opcode::ULt, &[range.base, other_end]);
                let ends = cx.b.op(Opcode::ULt, &[other, end]);
                let both = cx.b.op(Opcode::And, &[begins, ends]);
                any = cx.b.op(Opcode::Or, &[any, both]);
            }
            Ok(cx.b.convert(Opcode::ZeroExtend, any, Scalar::I64))
        })?;
        self.sanitizer.overlaps.insert(range.base, overlaps);
        Ok(overlaps)
    }

    /// The shadow's tables and the invocation's number, made when first needed.
    fn buffer_shadow(&mut self) -> Result<BufferShadow> {
        if let Some(shadow) = self.sanitizer.buffer_shadow {
            return Ok(shadow);
        }
        let stage = self.stage;
        let shadow = self.in_prologue(|cx| {
            let dispatch = cx.b.arg(0);
            let tables = cx.load_context(dispatch, offset::SHADOW, Scalar::I64);
            let first = cx.load_context(dispatch, offset::SHADOW_FIRST, Scalar::I32);
            let count = cx.load_context(dispatch, offset::SHADOW_COUNT, Scalar::I32);
            let id = stage.built_in(cx, Id::from_u32(0), BuiltIn::WorkgroupId)?;
            let base =
                [0, 4, 8].map(|at| cx.load_context(dispatch, offset::BASE_WORKGROUP + at, Scalar::I32));
            let counts = [0, 4].map(|at| cx.load_context(dispatch, offset::NUM_WORKGROUPS + at, Scalar::I32));
            let [x, y, z] = [0, 1, 2].map(|axis| cx.b.op(Opcode::ISub, &[id[axis], base[axis]]));
            let plane = cx.b.op(Opcode::IMul, &[z, counts[1]]);
            let row = cx.b.op(Opcode::IAdd, &[plane, y]);
            let row = cx.b.op(Opcode::IMul, &[row, counts[0]]);
            let group = cx.b.op(Opcode::IAdd, &[row, x]);
            let size = cx.constants.workgroup_size().unwrap_or([1; 3]).iter().product::<u32>();
            let start = cx.scale(group, size.into());
            let local = stage.built_in(cx, Id::from_u32(0), BuiltIn::LocalInvocationIndex)?[0];
            let number = cx.b.op(Opcode::IAdd, &[start, local]);
            let number = cx.b.op(Opcode::IAdd, &[number, first]);
            let first64 = cx.b.convert(Opcode::ZeroExtend, first, Scalar::I64);
            let count64 = cx.b.convert(Opcode::ZeroExtend, count, Scalar::I64);
            let shift = cx.b.i64(32);
            let high = cx.b.op(Opcode::Shl, &[count64, shift]);
            let range = cx.b.op(Opcode::Or, &[high, first64]);
            let zero = cx.b.i64(0);
            let is_there = cx.b.op(Opcode::INe, &[tables, zero]);
            Ok(BufferShadow { tables, first, counts, number, range, is_there })
        })?;
        Ok(*self.sanitizer.buffer_shadow.insert(shadow))
    }

    /// Follows an access of a run of bytes, `start` bytes behind what the pointer points to.
    pub(super) fn track_buffer(
        &mut self,
        inst: Instruction<'m>,
        (pointer, chain): (&Pointer, &Chain),
        (start, bytes): (u64, u64),
        access: AccessKind,
    ) -> Result {
        let PointerBase::Range(range) = pointer.base.clone() else { return Ok(()) };
        let shadow = self.buffer_shadow()?;
        let guard = self.may_meet_writes(pointer, chain)?;
        let at = self.range_address(pointer, &range, start, bytes, Access::default());
        let mut offset = at.offset;
        if at.memory.displacement != 0 {
            let displacement =
                self.b.constant(self.scalar_type(offset), at.memory.displacement as i64 as u64);
            offset = self.b.op(Opcode::IAdd, &[offset, displacement]);
        }
        let place = |cx: &mut Self| {
            let mask = cx.b.i64(REGION_BYTES - 1);
            let within = cx.b.op(Opcode::And, &[range.base, mask]);
            let owners = cx.b.op(Opcode::IAdd, &[shadow.tables, within]);
            let region = cx.b.i64(2 * REGION_BYTES);
            [owners, cx.b.op(Opcode::IAdd, &[owners, region])]
        };
        let [owners, details] = match range.hoisted {
            true => self.in_prologue(|cx| Ok(place(cx)))?,
            false => place(self),
        };
        let made = self.b.op(Opcode::And, &[at.predicate, shadow.is_there]);
        let number = self.buffer_site_number(inst);
        let tracked = Tracked {
            access,
            cells: bytes.div_ceil(4).min(255) as u32,
            site: 0,
            number,
            layout: MarkLayout { low: 0, high: 0 },
            has_atomics: false,
            checks_unwritten: false,
            is_buffer: true,
        };
        let zero = self.b.i32(0);
        let known = [shadow.first, shadow.counts[0], shadow.counts[1]];
        let values = BUFFER_VALUES
            .iter()
            .enumerate()
            .map(|(index, &(name, ty))| Reported::new(name, ty, known.get(index).copied().unwrap_or(zero)));
        let text = self.id_text(chain.base);
        let message = Message { kind: SiteKind::BufferWord { tracked }, text, values: values.collect() };
        let tables = [owners, details, shadow.range, guard];
        self.emit_track(inst, &message, (tables, shadow.number, offset, made), tracked)
    }

    /// The number that details have for an instruction, from 1.
    fn buffer_site_number(&mut self, inst: Instruction<'m>) -> u32 {
        let next = self.sanitizer.buffer_sites.len() as u32 + 1;
        *self.sanitizer.buffer_sites.entry(inst.index()).or_insert(next)
    }
}
