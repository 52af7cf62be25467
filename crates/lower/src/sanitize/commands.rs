//! Accesses of memory, as the runtime follows them from command to command: `race-command-buffer`,
//! `race-command-image`, `uninitialized-buffer`, `uninitialized-image`, `image-layout`; of texels, from
//! invocation to invocation: `race-image`.
//!
//! # Approach
//! A shader tells each access with the number of its dispatch or draw: of buffers the address, of texels the
//! image's record and the coordinates, of sampled images the record. The runtime knows what lies there.
//!
//! # Invariants
//! * What is out of range, and so not accessed, is not told.

use super::bounds::Chain;
use super::tracking::runs_of;
use crate::context::Lowerer;
use crate::error::Result;
use crate::image::{TexelAccess, texel_access};
use crate::memory::Access;
use crate::pointer::{Pointer, PointerBase, Size, Texel};
use crate::report::{Message, Reported};
use pyro_abi::context::offset;
use pyro_abi::image::image_offset as field;
use pyro_abi::report::{AccessKind, MemoryClass, SiteKind, TOLD_COUNT, ValueType, declaration};
use pyro_ir::{MemoryOp, Opcode, Scalar, Space, Value};
use pyro_spirv::spirv::{Decoration, Dim, ExecutionMode, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use pyro_util::sanitize::Kind;

/// Runs of bytes that one access is told as.
const RUNS_MAX: usize = 16;

impl<'m> Lowerer<'m, '_> {
    pub(super) fn follows_commands(&self) -> bool {
        let within = [Kind::RaceBuffer, Kind::RaceImage];
        self.sanitizer.kinds.needs_accesses()
            || self.sanitizer.kinds.has_any(&within) && !self.has_workgroups()
    }

    /// The number of the dispatch or draw.
    fn serial(&mut self) -> Reported {
        let dispatch = self.b.arg(0);
        let serial = self.load_context(dispatch, offset::SERIAL, Scalar::I32);
        Reported::new("serial", ValueType::Unsigned, serial)
    }

    /// Tells the runtime of an access, until it has been told of enough by the site.
    pub(super) fn tell(&mut self, inst: Instruction<'m>, made: Option<Value>, message: Message) -> Result {
        let told = self.in_prologue(|cx| {
            let dispatch = cx.b.arg(0);
            Ok(cx.load_context(dispatch, offset::TOLD, Scalar::I64))
        })?;
        let serial = self.serial().scalars[0];
        let (zero, nowhere) = (self.b.i32(0), self.b.i64(0));
        let is_there = self.b.op(Opcode::INe, &[told, nowhere]);
        let word = 4 * (self.reports.sites.len() as u32 % TOLD_COUNT);
        // It changes while loops go on.
        let memory = MemoryOp::new(Space::Global).at(word as i32).speculatable();
        let memory = MemoryOp { volatile: true, ..memory };
        let closed = self.b.load(Scalar::I32, memory, told, zero, is_there);
        let is_closed = self.b.op(Opcode::IEq, &[closed, serial]);
        let unless = made.map(|made| self.not(made));
        self.report_unless_holds(inst, is_closed, unless, &message)
    }

    /// Tells the runtime what an access through a pointer does.
    pub(super) fn tell_memory_access(
        &mut self,
        inst: Instruction<'m>,
        (pointer, ty): (&Pointer, Id),
        (chain, index_failed): (&Chain, Option<Value>),
        access: AccessKind,
    ) -> Result {
        match &pointer.base {
            PointerBase::Texel(texel) => self.tell_atomic_texel(inst, texel, access),
            PointerBase::Range(_) if pointer.layout.soa.is_none() => {
                self.tell_buffer_access(inst, (pointer, ty), (chain, index_failed), access)
            }
            PointerBase::Physical { .. } if self.follows_commands() => {
                let runs = self.told_runs(ty, pointer)?;
                if runs.is_empty() && access != AccessKind::Read {
                    return self.tell_unknown_write(inst);
                }
                for (start, bytes) in runs {
                    let at = Pointer { offset: pointer.offset.wrapping_add(start), ..pointer.clone() };
                    let address = self.physical_address(&at);
                    let kind = SiteKind::MemoryAccess {
                        access,
                        class: in_device_scope(self.storage_class(), self.is_coherent(inst, chain.base)),
                        bytes,
                        may_be_unwritten: self.needs_no_content(inst, ty),
                    };
                    let values = vec![self.serial(), Reported::new("address", ValueType::Address, address)];
                    self.tell(inst, None, Message { kind, text: String::new(), values })?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The runs of bytes of an access; none where there are too many.
    fn told_runs(&mut self, ty: Id, pointer: &Pointer) -> Result<Vec<(u64, u32)>> {
        let runs = runs_of(&self.leaves(ty, pointer.layout)?);
        if runs.len() > RUNS_MAX {
            return Ok(Vec::new());
        }
        Ok(runs.into_iter().map(|(start, bytes)| (start, bytes as u32)).collect())
    }

    /// Whether a value of a type may be moved without a look at all of it.
    pub(super) fn is_copied(&self, ty: Id) -> bool {
        !matches!(
            self.module.ty(ty),
            Type::Bool | Type::Int { .. } | Type::Float { .. } | Type::Vector { .. }
        )
    }

    /// Whether an instruction may read a value of a type that nobody has written: it moves a structure or an
    /// array, or puts another value in its place.
    pub(super) fn needs_no_content(&self, inst: Instruction<'_>, ty: Id) -> bool {
        self.is_copied(ty) || inst.op() == Op::AtomicExchange
    }

    /// What memory a range is of; none unless it is the buffer of a descriptor.
    fn buffer_class(&self, space: Space, chain: &Chain) -> Option<MemoryClass> {
        let class = self.module.global(chain.base).map(|variable| variable.class);
        match (space, class) {
            (_, Some(StorageClass::ShaderRecordBufferKHR)) => None,
            (Space::Global, _) => Some(self.storage_class()),
            (Space::Constant, _) => Some(MemoryClass::Uniform),
            _ => None,
        }
    }

    /// What storage is accessed as.
    fn storage_class(&self) -> MemoryClass {
        use ExecutionMode as M;
        let is_mode = |word: &u32| {
            let modes = [
                M::PixelInterlockOrderedEXT,
                M::PixelInterlockUnorderedEXT,
                M::SampleInterlockOrderedEXT,
                M::SampleInterlockUnorderedEXT,
            ];
            modes.iter().any(|&mode| *word == mode as u32)
        };
        let interlocked = self.sanitizer.interlocked.get_or_init(|| {
            let mut modes = self.module.global_insts().filter(|inst| inst.op() == Op::ExecutionMode);
            modes.any(|inst| inst.words().get(2).is_some_and(is_mode))
        });
        if *interlocked { MemoryClass::Interlocked } else { MemoryClass::Storage }
    }

    /// Tells that rays go through an acceleration structure.
    pub(crate) fn tell_structure(&mut self, structure: Value) -> Result {
        let Some(current) = self.sanitizer.definedness.current else { return Ok(()) };
        if !self.sanitizer.is_on(Kind::RaceCommandBuffer) {
            return Ok(());
        }
        let inst = self.module.inst(current);
        let values = vec![self.serial(), Reported::new("address", ValueType::Address, structure)];
        let kind = SiteKind::MemoryAccess {
            access: AccessKind::Read,
            class: MemoryClass::Structure,
            bytes: 1,
            may_be_unwritten: true,
        };
        self.tell(inst, None, Message { kind, text: String::new(), values })
    }

    /// Tells that elements of a tensor are accessed, `bytes` from an address on, where `made` holds.
    pub(crate) fn tell_tensor(
        &mut self,
        inst: Instruction<'m>,
        (address, bytes): (Value, u32),
        access: AccessKind,
        made: Value,
    ) -> Result {
        if !self.follows_commands() {
            return Ok(());
        }
        let values = vec![self.serial(), Reported::new("address", ValueType::Address, address)];
        let class = MemoryClass::Tensor;
        let kind = SiteKind::MemoryAccess { access, class, bytes, may_be_unwritten: true };
        self.tell(inst, Some(made), Message { kind, text: String::new(), values })
    }

    /// Tells that memory is written of which it is not told what.
    pub(crate) fn tell_unknown_write(&mut self, inst: Instruction<'m>) -> Result {
        if !self.follows_commands() {
            return Ok(());
        }
        let nowhere = self.b.i64(0);
        let values = vec![self.serial(), Reported::new("address", ValueType::Address, nowhere)];
        let kind = SiteKind::MemoryAccess {
            access: AccessKind::Write,
            class: MemoryClass::Storage,
            bytes: 0,
            may_be_unwritten: true,
        };
        self.tell(inst, None, Message { kind, text: String::new(), values })
    }

    fn tell_buffer_access(
        &mut self,
        inst: Instruction<'m>,
        (pointer, ty): (&Pointer, Id),
        (chain, index_failed): (&Chain, Option<Value>),
        access: AccessKind,
    ) -> Result {
        let PointerBase::Range(range) = pointer.base else { return Ok(()) };
        let Some(class) = self.buffer_class(range.space, chain) else { return Ok(()) };
        let class = in_device_scope(class, self.is_coherent(inst, chain.base));
        if matches!(range.size, Size::Known(_)) || !self.follows_commands() {
            // Inline uniform blocks lie in the set.
            return Ok(());
        }
        let text = self.id_text(chain.base);
        if self.sanitizer.is_on(Kind::DescriptorUnwritten) {
            let null = self.b.i64(0);
            let mut is_null = self.b.op(Opcode::IEq, &[range.base, null]);
            if let Some(failed) = index_failed {
                // There is no such descriptor.
                is_null = self.b.op(Opcode::AndNot, &[is_null, failed]);
            }
            let message = format!("the descriptor of {text} is used, which nobody has written");
            self.find(inst, Kind::DescriptorUnwritten, is_null, message, Vec::new())?;
        }
        let runs = self.told_runs(ty, pointer)?;
        if runs.is_empty() && access != AccessKind::Read {
            return self.tell_unknown_write(inst);
        }
        for (start, bytes) in runs {
            let at = self.range_address(pointer, &range, start, bytes.into(), Access::default());
            let displacement = at.memory.displacement as i64 as u64;
            let address = self.byte_address(at.base, at.offset, displacement);
            let values = vec![self.serial(), Reported::new("address", ValueType::Address, address)];
            let kind = SiteKind::MemoryAccess {
                access,
                class,
                bytes,
                may_be_unwritten: self.needs_no_content(inst, ty),
            };
            self.tell(inst, Some(at.predicate), Message { kind, text: text.clone(), values })?;
        }
        Ok(())
    }

    fn tell_atomic_texel(&mut self, inst: Instruction<'m>, texel: &Texel, access: AccessKind) -> Result {
        let pointer = self.module.definition(inst.id(0));
        let variable = pointer.filter(|pointer| pointer.op() == Op::ImageTexelPointer).map(|it| it.id(0));
        let pointee = variable.and_then(|id| self.module.pointer(self.module.type_of(id)?)).map(|(_, ty)| ty);
        let Some(Type::Image(image)) = pointee.map(|ty| self.module.ty(ty)) else { return Ok(()) };
        let told = TexelAccess {
            image: texel.image,
            dim: image.dim,
            coordinate: texel.coordinate.iter().copied().collect(),
            level: None,
            sample: texel.sample,
        };
        self.tell_texel(inst, (&told, variable), access, self.storage_class())?;
        if texel.non_uniform { Ok(()) } else { self.track_texel(inst, (&told, variable), access) }
    }

    /// Image instructions.
    pub(super) fn tell_image_access(&mut self, inst: Instruction<'m>) -> Result {
        let access = match inst.op() {
            Op::ImageWrite => AccessKind::Write,
            Op::ImageFetch | Op::ImageRead => AccessKind::Read,
            _ => return Ok(()),
        };
        let Some(ty) = self.module.type_of(inst.id(0)) else { return Ok(()) };
        let image = match self.module.ty(ty) {
            Type::SampledImage { image } => self.module.ty(image),
            other => other,
        };
        let Type::Image(image) = image else { return Ok(()) };
        let variable = self.image_variable(inst.id(0));
        let class = match (image.dim, image.sampled) {
            (Dim::DimTileImageDataEXT, _) => return Ok(()),
            (Dim::DimSubpassData, _) => MemoryClass::InputAttachment,
            // Draws may read what they write, as through input attachments.
            _ if access == AccessKind::Read && self.is_tile_attachment(variable) => {
                MemoryClass::InputAttachment
            }
            (_, 2) => self.storage_class(),
            _ => MemoryClass::Sampled,
        };
        let Some(texel) = texel_access(self, inst)? else { return self.tell_view(inst, class, variable) };
        let class = in_device_scope(class, self.is_coherent_texel(inst, variable));
        self.tell_texel(inst, (&texel, variable), access, class)?;
        self.track_texel(inst, (&texel, variable), access)
    }

    /// The variable that an image comes from.
    pub(super) fn image_variable(&self, image: Id) -> Option<Id> {
        let mut id = image;
        for _ in 0..8 {
            if self.module.global(id).is_some() {
                return Some(id);
            }
            let inst = self.module.definition(id)?;
            let is_passed = matches!(
                inst.op(),
                Op::Load
                    | Op::SampledImage
                    | Op::Image
                    | Op::AccessChain
                    | Op::InBoundsAccessChain
                    | Op::CopyObject
            );
            id = is_passed.then(|| inst.get_id(0))??;
        }
        None
    }

    /// What the shader says of an instruction's image ([`declaration`]), where it says it.
    fn declared(&mut self, inst: Instruction<'m>) -> Reported {
        let texel = self.module.definition(inst.id(0)).filter(|inst| inst.op() == Op::ImageTexelPointer);
        let ty = match texel {
            Some(texel) => {
                self.module.pointer(self.module.type_of(texel.id(0)).unwrap_or(texel.id(0))).map(|(_, ty)| ty)
            }
            None => self.module.type_of(inst.id(0)),
        };
        let ty = ty.map(|ty| match self.module.ty(ty) {
            Type::SampledImage { image } => self.module.ty(image),
            other => other,
        });
        let bits = match ty {
            Some(Type::Image(image)) => {
                let dim = match image.dim {
                    Dim::Dim1D => declaration::D1,
                    Dim::Dim2D | Dim::DimRect => declaration::D2,
                    Dim::Dim3D => declaration::D3,
                    Dim::DimCube => declaration::CUBE,
                    Dim::DimBuffer => declaration::BUFFER,
                    _ => declaration::ANY,
                };
                let class = match self.module.ty(image.sampled_type) {
                    Type::Float { .. } => declaration::FLOAT,
                    Type::Int { signed: true, .. } => declaration::SIGNED,
                    Type::Int { .. } => declaration::UNSIGNED,
                    _ => declaration::ANY_CLASS,
                };
                let flag = |is: bool, bit: u32| if is { bit } else { 0 };
                let format = if image.sampled == 2 { image.format as u32 } else { 0 };
                dim | class
                    | format << declaration::FORMAT_SHIFT
                    | flag(image.arrayed, declaration::ARRAYED)
                    | flag(image.multisampled, declaration::MULTISAMPLED)
            }
            _ => declaration::ANY | declaration::ANY_CLASS,
        };
        let bits = self.b.i32(bits);
        Reported::new("declared", ValueType::Unsigned, bits)
    }

    pub(super) fn variable_text(&self, variable: Option<Id>) -> String {
        variable.map_or_else(|| "an image".to_owned(), |id| self.id_text(id))
    }

    fn tell_view(&mut self, inst: Instruction<'m>, class: MemoryClass, variable: Option<Id>) -> Result {
        if !self.follows_commands() {
            return Ok(());
        }
        let scalars = self.scalars(inst.id(0))?;
        let Some(&image) = scalars.first() else { return Ok(()) };
        let sampler = scalars.get(1).copied();
        let values = self.view_values(inst, image, sampler, variable);
        let text = self.variable_text(variable);
        self.tell(inst, None, Message { kind: SiteKind::ViewAccess { class }, text, values })
    }

    /// The values of [`SiteKind::ViewAccess`].
    pub(super) fn view_values(
        &mut self,
        inst: Instruction<'m>,
        image: Value,
        sampler: Option<Value>,
        variable: Option<Id>,
    ) -> Vec<Reported> {
        let sampler = sampler.unwrap_or_else(|| self.b.i64(0));
        let declared = self.declared(inst);
        let input = self.input_number(variable);
        let input = self.b.i32(input);
        vec![
            self.serial(),
            Reported::new("image", ValueType::Address, image),
            declared,
            Reported::new("sampler", ValueType::Address, sampler),
            Reported::new("input", ValueType::Unsigned, input),
        ]
    }

    /// Whether a variable is a tile attachment (`SPV_QCOM_tile_shading`).
    pub(super) fn is_tile_attachment(&self, variable: Option<Id>) -> bool {
        let variable = variable.and_then(|variable| self.module.global(variable));
        variable.is_some_and(|variable| variable.class == StorageClass::TileAttachmentQCOM)
    }

    /// One more than the index of the input attachment that a variable is; zero where it is none, or one of
    /// an array.
    fn input_number(&self, variable: Option<Id>) -> u32 {
        let index = variable.and_then(|variable| {
            let ty = self.module.global(variable)?.value_type?;
            let is_one = matches!(self.module.ty(ty), Type::Image(_));
            let index = self.module.decoration_literal(variable, Decoration::InputAttachmentIndex)?;
            is_one.then_some(index)
        });
        index.map_or(0, |index| index.saturating_add(1))
    }

    fn tell_texel(
        &mut self,
        inst: Instruction<'m>,
        (texel, variable): (&TexelAccess, Option<Id>),
        access: AccessKind,
        class: MemoryClass,
    ) -> Result {
        if !self.follows_commands() {
            return Ok(());
        }
        let zero = self.b.i32(0);
        let [x, y, z, layer] = place(texel, zero);
        let scalars = [x, y, z, layer].into_iter().collect();
        let level = texel.level.unwrap_or(zero);
        let sample = texel.sample.unwrap_or(zero);
        let declared = self.declared(inst);
        let values = vec![
            self.serial(),
            Reported::new("image", ValueType::Address, texel.image),
            declared,
            Reported { name: "texel".to_owned(), ty: ValueType::Unsigned, scalars },
            Reported::new("level", ValueType::Unsigned, level),
            Reported::new("sample", ValueType::Unsigned, sample),
        ];
        let text = self.variable_text(variable);
        self.tell(inst, None, Message { kind: SiteKind::TexelAccess { access, class }, text, values })
    }

    /// Tells which texel an invocation of a dispatch accesses, for `race-image`. A texel stands for one byte,
    /// as the module need not say how many it has.
    fn track_texel(
        &mut self,
        inst: Instruction<'m>,
        (texel, variable): (&TexelAccess, Option<Id>),
        access: AccessKind,
    ) -> Result {
        if inst.op() == Op::ImageFetch {
            return self.track_fetch(inst, texel, variable);
        }
        let is_storage = variable.is_some_and(|id| !self.has_decoration(Some(id), Decoration::NonWritable));
        let is_on = self.sanitizer.is_on(Kind::RaceImage) && self.has_workgroups() && is_storage;
        if !is_on || texel.level.is_some() || texel.dim == Dim::DimBuffer {
            return Ok(());
        }
        let zero = self.b.i32(0);
        let [x, y, z, layer] = place(texel, zero);
        let sample = texel.sample.unwrap_or(zero);
        let mut address = self.image_word(texel.image, field::ADDRESS, Scalar::I64);
        let mut is_inside = {
            let null = self.b.i64(0);
            self.b.op(Opcode::INe, &[address, null])
        };
        for (number, pitch, count) in [
            (x, None, field::WIDTH),
            (y, Some(field::ROW_PITCH), field::HEIGHT),
            (z, Some(field::SLICE_PITCH), field::DEPTH),
            (layer, Some(field::LAYER_PITCH), field::LAYERS),
            (sample, Some(field::SAMPLE_PITCH), field::SAMPLES),
        ] {
            if number == zero {
                continue;
            }
            let count = self.image_word(texel.image, count, Scalar::I32);
            let inside = self.b.op(Opcode::ULt, &[number, count]);
            is_inside = self.b.op(Opcode::And, &[is_inside, inside]);
            let mut offset = self.b.convert(Opcode::ZeroExtend, number, Scalar::I64);
            if let Some(pitch) = pitch {
                let pitch = self.image_word(texel.image, pitch, Scalar::I32);
                let pitch = self.b.convert(Opcode::ZeroExtend, pitch, Scalar::I64);
                offset = self.b.op(Opcode::IMul, &[offset, pitch]);
            }
            address = self.b.op(Opcode::IAdd, &[address, offset]);
        }
        let mut values = self.workgroup_values()?;
        values.push(Reported::new("address", ValueType::Address, address));
        let text = self.variable_text(variable);
        let kind = SiteKind::ImageAccess { access, bytes: 1 };
        self.report(inst, Some(is_inside), Message { kind, text, values })
    }
}

/// x, y, z and the layer.
pub(super) fn place(texel: &TexelAccess, zero: Value) -> [Value; 4] {
    let at = |index: usize| texel.coordinate.get(index).copied().unwrap_or(zero);
    match texel.dim {
        Dim::Dim1D | Dim::DimBuffer => [at(0), zero, zero, at(1)],
        Dim::Dim3D => [at(0), at(1), at(2), zero],
        _ => [at(0), at(1), zero, at(2)],
    }
}

/// What memory an access is of that is coherent, or is not.
fn in_device_scope(class: MemoryClass, is_coherent: bool) -> MemoryClass {
    if is_coherent && class == MemoryClass::Storage { MemoryClass::DeviceScope } else { class }
}
