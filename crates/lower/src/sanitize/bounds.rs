//! Accesses outside of their object: indices of access chains against the types that they index, and bytes
//! against the end of the memory; `non-uniform-index` of descriptors.
//!
//! # What is asked when
//! An index is compared where memory is accessed, not where the access chain is: a chain that nothing uses is
//! no access. Chains are followed from the accessed pointer back to its variable, as far as they are in one
//! function; the bytes are compared for every pointer into a bounded range, however it came about.

use super::tracking;
use crate::context::Lowerer;
use crate::error::Result;
use crate::memory::{Access, Leaf};
use crate::pointer::{Index, Pointer, PointerBase, Range, Size};
use crate::report::Reported;
use crate::types::{element_count, element_type};
use pyro_abi::context::offset;
use pyro_abi::report::ValueType;
use pyro_ir::{Opcode, Scalar, Space, Value};
use pyro_library::group;
use pyro_spirv::facts::facts;
use pyro_spirv::spirv::{BuiltIn, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

/// Access chains behind one another that are followed.
const CHAIN_DEPTH_MAX: usize = 16;

/// Scalars and vectors of one access that are compared with the end of the memory.
const LEAVES_MAX: usize = 64;

/// An index of a chain.
struct ChainIndex {
    id: Id,
    kind: Kind,
    /// Elements of what it indexes; none where the type does not say.
    count: Option<u64>,
    /// It chooses a descriptor.
    is_descriptor: bool,
}

/// A pointer as the access chains that it comes from.
pub(super) struct Chain {
    indices: Vec<ChainIndex>,
    /// Where it starts.
    pub(super) base: Id,
    non_uniform: bool,
    /// All of its indices are those of arrays whose length the types say.
    is_whole: bool,
}

impl<'m> Lowerer<'m, '_> {
    /// What an instruction accesses through pointers.
    pub(super) fn sanitize_access(&mut self, inst: Instruction<'m>) -> Result {
        let facts = facts(inst.op());
        let is_length = matches!(inst.op(), Op::ArrayLength | Op::UntypedArrayLengthKHR);
        if is_length || !facts.reads.iter().chain(facts.writes).any(|&at| self.is_pointer(inst, at)) {
            return Ok(());
        }
        let mut places: Vec<usize> = facts.reads.iter().chain(facts.writes).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if !self.is_pointer(inst, place) {
                continue;
            }
            let id = inst.id(place);
            let chain = self.chain_of(id);
            let index_failed = self.sanitize_chain(inst, &chain)?;
            self.sanitize_input(inst, (id, chain.base))?;
            if let Some(ty) = self.accessed_type(inst, place, id) {
                let pointer = self.pointer(id)?;
                self.sanitize_range(inst, (id, &pointer), ty, &chain, index_failed)?;
                let (reads, writes) = (facts.reads.contains(&place), facts.writes.contains(&place));
                let semantics = inst.get_id(2).and_then(|id| self.constants.unsigned(id));
                let is_message = inst.op() == Op::AtomicStore && self.follows_release(inst);
                let access = tracking::access_of(inst.op(), (reads, writes), semantics, is_message);
                self.track_access(inst, (&pointer, ty), &chain, access)?;
                self.tell_memory_access(inst, (&pointer, ty), (&chain, index_failed), access)?;
            } else if facts.writes.contains(&place) {
                self.tell_unknown_write(inst)?;
            }
        }
        Ok(())
    }

    fn is_pointer(&self, inst: Instruction<'m>, place: usize) -> bool {
        let ty = inst.get_id(place).and_then(|id| self.module.type_of(id));
        ty.is_some_and(|ty| matches!(self.module.ty(ty), Type::Pointer { .. } | Type::UntypedPointer { .. }))
    }

    /// The type of what is read or written.
    pub(super) fn accessed_type(&self, inst: Instruction<'m>, place: usize, pointer: Id) -> Option<Id> {
        let of_pointer = || self.module.pointer(self.module.type_of(pointer)?).map(|(_, ty)| ty);
        match inst.op() {
            Op::Load | Op::AtomicLoad => inst.result_type(),
            Op::Store => self.module.type_of(inst.get_id(1)?),
            Op::AtomicStore => self.module.type_of(inst.get_id(3)?),
            Op::CopyMemory => of_pointer(),
            Op::CopyMemorySized => None,
            _ if place == 0 => inst.result_type().or_else(of_pointer),
            _ => None,
        }
    }

    /// The access chains behind a pointer.
    pub(super) fn chain_of(&self, pointer: Id) -> Chain {
        let mut chain = Chain { indices: Vec::new(), base: pointer, non_uniform: false, is_whole: true };
        for _ in 0..CHAIN_DEPTH_MAX {
            let Some(inst) = self.module.definition(chain.base) else { break };
            chain.non_uniform |= self.is_non_uniform(Some(chain.base));
            if !matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain) {
                break;
            }
            let base = inst.id(0);
            let mut indices = Vec::new();
            if !self.chain_indices(inst, base, &mut indices) {
                chain.is_whole = false;
            }
            chain.is_whole &= indices.iter().all(|index| index.count.is_some());
            indices.append(&mut chain.indices);
            chain.indices = indices;
            chain.base = base;
        }
        chain.is_whole &= self.module.global(chain.base).is_some();
        chain
    }

    /// The indices of one access chain; false where its types cannot be followed.
    fn chain_indices(&self, inst: Instruction<'m>, base: Id, indices: &mut Vec<ChainIndex>) -> bool {
        let Some((class, mut ty)) = self.module.type_of(base).and_then(|ty| self.module.pointer(ty)) else {
            return false;
        };
        let is_buffer = matches!(class, StorageClass::Uniform | StorageClass::StorageBuffer);
        // Behind a block, arrays are the block's.
        let is_opaque = matches!(class, StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM);
        let mut in_block = !is_buffer && !is_opaque;
        if is_buffer && self.module.global(base).is_none() {
            in_block = !matches!(self.module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. })
                || self.module.definition(base).is_none_or(|inst| !self.is_descriptor_chain(inst));
        }
        for id in inst.ids_from(1).iter() {
            let is_descriptor = !in_block;
            let (kind, count, next) = match self.module.ty(ty) {
                Type::Struct { members } => {
                    in_block = true;
                    let member = self.constants.integer(id).and_then(|index| usize::try_from(index).ok());
                    match member.and_then(|member| members.get(member)) {
                        Some(member) => ty = member,
                        None => return false,
                    }
                    continue;
                }
                Type::Vector { component, .. } => {
                    (Kind::BoundsVector, element_count(&self.constants, ty).ok(), component)
                }
                Type::Matrix { column, .. } => {
                    (Kind::BoundsVector, element_count(&self.constants, ty).ok(), column)
                }
                Type::Array { .. } | Type::RuntimeArray { .. } => {
                    let kind = match class {
                        _ if is_descriptor => Kind::BoundsDescriptor,
                        StorageClass::Function | StorageClass::Private => Kind::BoundsPrivate,
                        StorageClass::Workgroup => Kind::BoundsWorkgroup,
                        _ if is_buffer => Kind::BoundsArray,
                        StorageClass::PushConstant | StorageClass::PhysicalStorageBuffer => Kind::BoundsArray,
                        _ => Kind::BoundsInterface,
                    };
                    let Ok(element) = element_type(self.module, ty) else { return false };
                    let mut count = element_count(&self.constants, ty).ok();
                    if is_descriptor && count.is_none() {
                        count = self.layout_count(base);
                    }
                    (kind, count, element)
                }
                _ => return false,
            };
            indices.push(ChainIndex { id, kind, count, is_descriptor });
            ty = next;
        }
        true
    }

    /// Whether an access chain ends at a descriptor array's element that is itself an array of descriptors.
    fn is_descriptor_chain(&self, inst: Instruction<'m>) -> bool {
        let is_array = |variable: Id| {
            let pointer = self.module.type_of(variable).and_then(|ty| self.module.pointer(ty));
            pointer.is_some_and(|(_, ty)| {
                matches!(self.module.ty(ty), Type::Array { .. } | Type::RuntimeArray { .. })
            })
        };
        matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain)
            && self.module.global(inst.id(0)).is_some()
            && is_array(inst.id(0))
            && inst.ids_from(1).len() == 1
    }

    /// How many descriptors the layout has for a variable whose type does not say; none where each set says
    /// itself.
    fn layout_count(&self, variable: Id) -> Option<u64> {
        let variable = self.module.global(variable)?;
        if self.mappings().is_some() {
            return None;
        }
        let (set, binding) = self.resource_binding(variable).ok()?;
        let layout = self.layout.binding(set, binding)?;
        (!layout.variable_count).then_some(layout.count.into())
    }

    /// Compares the indices of a chain. Gives whether one of them is outside, where that may be.
    fn sanitize_chain(&mut self, inst: Instruction<'m>, chain: &Chain) -> Result<Option<Value>> {
        let mut failed = None;
        for index in &chain.indices {
            let value = match self.index(index.id)? {
                Index::Dynamic(value) => {
                    self.sanitize_defined_index(inst, value)?;
                    value
                }
                Index::Constant(value) => {
                    let is_inside = index.count.is_none_or(|count| (value as u64) < count);
                    if is_inside {
                        continue;
                    }
                    self.b.i64(value as u64)
                }
            };
            let base = self.id_text(chain.base);
            if let Some(count) = index.count
                && self.sanitizer.is_on(index.kind)
            {
                let is_outside = self.at_least(value, count);
                let values = self.reported_ids(&[("index", index.id)])?;
                let what = match index.kind {
                    Kind::BoundsVector => "components or columns",
                    Kind::BoundsDescriptor => "descriptors",
                    _ => "elements",
                };
                let text = format!("an index is past the {count} {what} of {base}");
                self.find(inst, index.kind, is_outside, text, values)?;
                failed = Some(match failed {
                    None => is_outside,
                    Some(before) => self.b.op(Opcode::Or, &[before, is_outside]),
                });
            }
            if index.is_descriptor {
                self.sanitize_uniform_index(inst, chain, index.id, value)?;
            }
        }
        Ok(failed)
    }

    /// A descriptor index that differs within a subgroup differs within a workgroup, draw or launch of rays,
    /// all of which must have the same one. Of several draws in one command, subgroups may hold two.
    fn sanitize_uniform_index(
        &mut self,
        inst: Instruction<'m>,
        chain: &Chain,
        id: Id,
        index: Value,
    ) -> Result {
        let is_decorated =
            chain.non_uniform || self.is_non_uniform(Some(id)) || self.is_non_uniform(inst.result());
        if is_decorated || !self.sanitizer.is_on(Kind::NonUniformIndex) || self.knows_draw_index() {
            return Ok(());
        }
        let same = group::all_equal(&mut self.b, &[index]);
        let differs = self.not(same);
        let values = self.reported_ids(&[("index", id)])?;
        let base = self.id_text(chain.base);
        let text =
            format!("an index of the descriptors {base} differs between invocations without NonUniform");
        self.find(inst, Kind::NonUniformIndex, differs, text, values)
    }

    /// `uninitialized-push-constant`: compares the words that are read with those that commands have set.
    fn sanitize_push_constant(
        &mut self,
        inst: Instruction<'m>,
        (pointer, range): (&Pointer, &Range),
        (leaves, inside): (&[Leaf], Value),
        chain: &Chain,
    ) -> Result {
        if !self.sanitizer.is_on(Kind::UninitializedPushConstant) {
            return Ok(());
        }
        let mut words = 0u64;
        for leaf in leaves {
            let (first, end) = (leaf.offset / 4, (leaf.offset + leaf.extent()).div_ceil(4));
            (first..end.min(64)).for_each(|word| words |= 1 << word);
        }
        let dispatch = self.b.arg(0);
        let unset = self.load_context(dispatch, offset::PUSH_UNSET, Scalar::I64);
        let start = self.b.i32(offset::PUSH_CONSTANTS);
        let at = self.range_offset_saturated(pointer, range);
        let at = self.b.op(Opcode::ISub, &[at, start]);
        let two = self.b.i32(2);
        let word = self.b.op(Opcode::LShr, &[at, two]);
        let word = self.b.convert(Opcode::ZeroExtend, word, Scalar::I64);
        let shifted = self.b.op(Opcode::LShr, &[unset, word]);
        let words = self.b.i64(words);
        let read = self.b.op(Opcode::And, &[shifted, words]);
        let zero = self.b.i64(0);
        let is_unset = self.b.op(Opcode::INe, &[read, zero]);
        let is_unset = self.b.op(Opcode::And, &[is_unset, inside]);
        let base = self.id_text(chain.base);
        let text = format!("push constants of {base} are read that no command has set");
        let values = vec![Reported::new("byte offset", ValueType::Unsigned, at)];
        self.find(inst, Kind::UninitializedPushConstant, is_unset, text, values)
    }

    /// Whether the shader knows which draw of a command it is of.
    fn knows_draw_index(&self) -> bool {
        let is_it = |id: Id| self.module.built_in(id) == Some(BuiltIn::DrawIndex);
        !self.has_workgroups() && self.module.globals().any(|variable| is_it(variable.id))
    }

    /// Compares the bytes of an access with the end of the range. `index_failed`: an index has been found
    /// outside already.
    fn sanitize_range(
        &mut self,
        inst: Instruction<'m>,
        (id, pointer): (Id, &Pointer),
        ty: Id,
        chain: &Chain,
        index_failed: Option<Value>,
    ) -> Result {
        let PointerBase::Range(range) = pointer.base else { return Ok(()) };
        let class = self.module.type_of(id).map(|ty| self.module.ty(ty));
        let class = match class {
            Some(Type::Pointer { class, .. } | Type::UntypedPointer { class }) => class,
            _ => return Ok(()),
        };
        let kind = match class {
            StorageClass::Workgroup => Kind::BoundsWorkgroup,
            StorageClass::PushConstant => Kind::BoundsPushConstant,
            StorageClass::Uniform | StorageClass::StorageBuffer | StorageClass::ShaderRecordBufferKHR => {
                Kind::BoundsBuffer
            }
            _ => Kind::BoundsInterface,
        };
        // What types say has been compared.
        let is_known = kind == Kind::BoundsWorkgroup && chain.is_whole;
        let is_pushed = kind == Kind::BoundsPushConstant && range.space == Space::Context;
        let is_on =
            self.sanitizer.is_on(kind) || is_pushed && self.sanitizer.is_on(Kind::UninitializedPushConstant);
        if is_known || !is_on || pointer.layout.soa.is_some() {
            return Ok(());
        }
        let leaves = self.leaves(ty, pointer.layout)?;
        let shown = leaves.len().min(LEAVES_MAX);
        let last = leaves.iter().skip(shown).next_back();
        let mut inside: Option<Value> = None;
        for leaf in leaves[..shown].iter().chain(last) {
            let at = self.range_address(pointer, &range, leaf.offset, leaf.extent(), Access::default());
            inside = Some(match inside {
                None => at.predicate,
                Some(before) => self.b.op(Opcode::And, &[before, at.predicate]),
            });
        }
        if let Some(inside) = inside.filter(|_| is_pushed) {
            self.sanitize_push_constant(inst, (pointer, &range), (&leaves, inside), chain)?;
        }
        if !self.sanitizer.is_on(kind) {
            return Ok(());
        }
        let Some(inside) = inside.filter(|&it| self.b.function.const_bits(it) != Some(1)) else {
            return Ok(());
        };
        let mut unless = index_failed;
        if kind == Kind::BoundsBuffer && !matches!(range.size, Size::Known(_)) {
            // What null descriptors give is defined.
            let null = self.b.i64(0);
            let is_null = self.b.op(Opcode::IEq, &[range.base, null]);
            unless = Some(match unless {
                None => is_null,
                Some(failed) => self.b.op(Opcode::Or, &[failed, is_null]),
            });
        }
        let (mut at, mut size) = (self.range_offset_saturated(pointer, &range), self.size_value(range.size));
        if range.space == Space::Context {
            // They lie behind other fields.
            let start = self.b.i32(offset::PUSH_CONSTANTS);
            [at, size] = [at, size].map(|value| self.b.op(Opcode::ISub, &[value, start]));
        }
        let number = |cx: &Self, name: &str, value: Value| {
            let is_wide = cx.scalar_type(value) == Scalar::I64;
            Reported::new(name, if is_wide { ValueType::Unsigned64 } else { ValueType::Unsigned }, value)
        };
        let values = vec![number(self, "byte offset", at), number(self, "range", size)];
        let bytes = leaves.iter().map(|leaf| leaf.offset + leaf.extent()).max().unwrap_or(0);
        let base = self.id_text(chain.base);
        let text = format!("an access of {bytes} bytes ends past the range of {base}");
        self.find_unless(inst, kind, (inside, unless), text, values)
    }
}
