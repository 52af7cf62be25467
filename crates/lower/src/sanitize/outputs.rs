//! `uninitialized-output`, `uninitialized-input`: what goes from stage to stage and to attachments.
//!
//! # Approach
//! Second slots of output variables ([`super::definedness`]) also have which store left an undefined value.
//! Where a stage ends, or emits a vertex, they are looked at for what the next stage or an attachment reads:
//! a finding is at that store, or at the stage's end where there was none. An input that the stage before
//! does not declare is found where it is loaded.
//!
//! # Invariant
//! An output that nobody reads, or a component that a write mask drops, is no finding.

use super::state::{STORE_SHIFT, Source, UNWRITTEN};
use crate::context::Lowerer;
use crate::error::Result;
use crate::pointer::{Index, PointerBase};
use crate::value::Scalars;
use crate::varyings::words;
use pyro_interface::{Interface, Variable};
use pyro_ir::{Opcode, Scalar, Value};
use pyro_spirv::facts::is_access_chain;
use pyro_spirv::spirv::ExecutionModel;
use pyro_spirv::{Id, Inst as SpirvInst, Instruction};
use pyro_util::sanitize::Kind;

/// Who reads an output.
#[derive(Clone, Copy)]
pub(crate) enum Reader<'t> {
    /// The next stage; what it is called.
    Stage(&'t str),
    /// Rasterization: what is not written at all is no finding.
    Rasterization,
    /// A color attachment.
    Attachment(u32),
}

impl Reader<'_> {
    fn text(self) -> String {
        match self {
            Reader::Stage(what) => what.to_owned(),
            Reader::Rasterization => "rasterization".to_owned(),
            Reader::Attachment(location) => format!("color attachment {location}"),
        }
    }
}

impl<'m> Lowerer<'m, '_> {
    /// Keeps which inputs the stage before does not write: of all of their words.
    pub(crate) fn sanitize_inputs(&mut self, interface: &Interface, missing: &[u32]) {
        if missing.is_empty() || !self.sanitizer.is_on(Kind::UninitializedInput) {
            return;
        }
        let is_missing = |input: &&Variable| {
            let mut own = words(input).peekable();
            own.peek().is_some() && own.all(|word| missing.contains(&word))
        };
        let inputs = interface.inputs.iter().filter(is_missing);
        let places = inputs.map(|it| (it.variable, it.member, it.is_arrayed));
        self.sanitizer.definedness.missing_inputs = places.collect();
    }

    /// A load through a pointer into an input that nobody writes.
    pub(super) fn sanitize_input(&mut self, inst: Instruction<'m>, (pointer, base): (Id, Id)) -> Result {
        let definedness = &self.sanitizer.definedness;
        let Some(&(_, member, is_arrayed)) = definedness.missing_inputs.iter().find(|it| it.0 == base) else {
            return Ok(());
        };
        if member.is_some() {
            let named = self.member_named(pointer, base, usize::from(is_arrayed));
            let is_it = |it: &&(Id, Option<u32>, bool)| it.0 == base && it.1 == named;
            if named.is_none() || !self.sanitizer.definedness.missing_inputs.iter().any(|it| is_it(&it)) {
                return Ok(());
            }
        }
        let always = self.b.bool(true);
        let name = self.id_text(base);
        let before = match self.stage.model() {
            Some(ExecutionModel::Vertex) => "no vertex attribute gives",
            _ => "the stage before does not write",
        };
        let text = format!("the input {name} is read, which {before}");
        self.find(inst, Kind::UninitializedInput, always, text, Vec::new())
    }

    /// The member of a block that access chains lead to.
    fn member_named(&self, pointer: Id, base: Id, position: usize) -> Option<u32> {
        let mut id = pointer;
        loop {
            let inst = self.module.definition(id)?;
            if !is_access_chain(inst.op()) {
                return None;
            }
            if inst.get_id(0) == Some(base) {
                let index = inst.get_id(1 + position)?;
                return u32::try_from(self.constants.integer(index)?).ok();
            }
            id = inst.get_id(0)?;
        }
    }

    /// The last instruction of a function that has a line, for what has no other place; else its end.
    pub(super) fn end_of(&self, function: Id) -> Option<Instruction<'m>> {
        let function = self.module.function(self.module.function_of(function)?);
        let (first, end) = (function.inst.as_u32(), function.end.as_u32().checked_sub(1)?);
        let mut indices = (first..=end).rev().map(SpirvInst::from_u32);
        let located = indices.find(|&index| self.module.location(index).is_some());
        Some(self.module.inst(located.unwrap_or(SpirvInst::from_u32(end))))
    }

    /// Where outputs are read: looks at those scalars of an output variable, or of its member, that `reads`
    /// names by their place.
    pub(crate) fn sanitize_output(
        &mut self,
        function: Id,
        (variable, member): (Id, Option<u32>),
        reader: Reader<'_>,
        reads: impl Fn(usize) -> bool,
    ) -> Result {
        if self.sanitizer.definedness.stores.is_empty() {
            return Ok(());
        }
        let Some(global) = self.module.global(variable) else { return Ok(()) };
        let mut pointer = self.global_variable(global)?;
        let PointerBase::Slot { slot, .. } = pointer.base else { return Ok(()) };
        if let Some(member) = member {
            self.step(&mut pointer, Index::Constant(member.into()))?;
        }
        let Some(ty) = pointer.pointee else { return Ok(()) };
        let leaves = self.leaves(ty, pointer.layout)?;
        let Some(bytes) = self.written_bytes(&pointer, &leaves)? else { return Ok(()) };
        let bytes: Scalars =
            bytes.iter().enumerate().filter(|&(index, _)| reads(index)).map(|(_, &byte)| byte).collect();
        let name = self.id_text(variable);
        let is_emitted = self.stage.model() == Some(ExecutionModel::Geometry);
        let emits = self.sanitizer.definedness.current.filter(|_| is_emitted);
        let Some(end) = emits.map(|inst| self.module.inst(inst)).or_else(|| self.end_of(function)) else {
            return Ok(());
        };
        if !matches!(reader, Reader::Rasterization) && self.sanitizer.is_on(Kind::UninitializedOutput) {
            let unwritten: Scalars = bytes.iter().map(|&byte| self.equals(byte, UNWRITTEN)).collect();
            let any = self.any_of(unwritten);
            let text = format!("the output {name} has not been written, and {} reads it", reader.text());
            self.find(end, Kind::UninitializedOutput, any, text, Vec::new())?;
        }
        let definedness = &self.sanitizer.definedness;
        let origin = definedness.origins.get(&slot).copied();
        let stores = definedness.stores.get(&slot).cloned().unwrap_or_default();
        for (number, store) in (1..).zip(stores) {
            for source in Source::ALL {
                let wanted = source.bit() | number << STORE_SHIFT;
                let mut of_store = Scalars::new();
                for &byte in &bytes {
                    of_store.push(self.has_all_bits(byte, wanted));
                }
                let any = self.any_of(of_store);
                let what = format!("what {} reads", reader.text());
                let inst = self.module.inst(store);
                self.find_source(inst, (source, origin), any, &what)?;
            }
        }
        Ok(())
    }

    fn has_all_bits(&mut self, byte: Value, bits: u64) -> Value {
        let mask = self.b.constant(Scalar::I8, bits | 0xff << STORE_SHIFT & 0xff);
        let masked = self.b.op(Opcode::And, &[byte, mask]);
        self.equals(masked, bits)
    }

    /// Where a shader ends that has no output for an attachment that would take one.
    pub(crate) fn sanitize_missing_output(&mut self, function: Id, location: u32) -> Result {
        if !self.sanitizer.is_on(Kind::UninitializedOutput) {
            return Ok(());
        }
        let Some(end) = self.end_of(function) else { return Ok(()) };
        let always = self.b.bool(true);
        let text = format!("color attachment {location} has a write mask, and the shader no output for it");
        self.find(end, Kind::UninitializedOutput, always, text, Vec::new())
    }
}
