//! Values for people: what a name stands for, its text, and the parts that it has.

use crate::machine::{Address, Content, Frame, Pointer, Scalars, State, constant, pointee};
use crate::program::{LocalName, Program};
use crate::texels::Texels;
use crate::timeline::Timeline;
use pyro_spirv::spirv::{BuiltIn, Op, StorageClass};
use pyro_spirv::{Id, Inst, Type};

/// Parts of a value that are shown at most.
const PARTS_MAX: u64 = 4096;
/// Members of a structure's text.
const MEMBERS_SHOWN: u64 = 8;
/// Scalars of a value's text.
const TEXT_SCALARS_MAX: usize = 16;

/// A value with its type, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// Its name, or index.
    pub name: String,
    /// Its type.
    pub ty: Id,
    /// Where it is.
    pub place: Where,
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Where {
    /// Nowhere: these scalars.
    Scalars(Scalars),
    /// In a variable, or in memory.
    Pointer(Pointer),
    /// An image, or a part of it.
    Image(ImagePart),
}

/// An image, or what indices lead to in it ([`crate::texels`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImagePart {
    /// The address of what describes the image.
    pub address: u64,
    /// The indices.
    pub path: Vec<u64>,
}

/// What values are read with: an invocation's state at a record.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The invocation's program.
    pub program: &'a Program,
    /// Its state.
    pub state: &'a State,
    /// The trace.
    pub timeline: &'a Timeline,
    /// The record at hand.
    pub record: usize,
    /// The frame in which names are looked up.
    pub frame: usize,
    /// The instruction that is about to run there.
    pub inst: u32,
    /// The inlined calls that the frame is in, from the inside out (`DebugInlinedAt`).
    pub inlined: &'a [Id],
}

/// The groups of variables that a frame shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Variables of the source, and parameters.
    Locals,
    /// Inputs and built-ins.
    Inputs,
    /// Outputs.
    Outputs,
    /// Variables of module scope.
    Globals,
    /// Workgroup memory and payloads.
    Shared,
    /// Storage and uniform buffers, push constants.
    Buffers,
    /// Sampled and storage images, input attachments, texel buffers.
    Images,
    /// The results of instructions.
    Ids,
}

impl Scope {
    /// All, in the order in which they are shown.
    pub const ALL: [Scope; 8] = [
        Scope::Locals,
        Scope::Inputs,
        Scope::Outputs,
        Scope::Globals,
        Scope::Shared,
        Scope::Buffers,
        Scope::Images,
        Scope::Ids,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Locals => "Locals",
            Scope::Inputs => "Inputs",
            Scope::Outputs => "Outputs",
            Scope::Globals => "Globals",
            Scope::Shared => "Shared",
            Scope::Buffers => "Buffers",
            Scope::Images => "Images",
            Scope::Ids => "Ids",
        }
    }

    fn of(class: StorageClass) -> Scope {
        match class {
            StorageClass::Input => Scope::Inputs,
            StorageClass::Output => Scope::Outputs,
            StorageClass::Private => Scope::Globals,
            StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant => {
                Scope::Buffers
            }
            StorageClass::UniformConstant => Scope::Images,
            _ => Scope::Shared,
        }
    }
}

/// A scalar's text.
pub fn scalar_text(program: &Program, ty: Id, bits: Option<u64>) -> String {
    let Some(bits) = bits else { return "?".to_owned() };
    match program.module().ty(ty) {
        Type::Bool => (bits != 0).to_string(),
        Type::Int { width, signed: true } => (((bits << (64 - width)) as i64) >> (64 - width)).to_string(),
        Type::Int { .. } => bits.to_string(),
        Type::Float { width: 64, encoding: None } => format!("{:?}", f64::from_bits(bits)),
        Type::Float { width: 32, encoding: None } => format!("{:?}", f32::from_bits(bits as u32)),
        Type::Float { width: 16, encoding: None } => format!("{:?}", half_to_f32(bits as u16)),
        _ => format!("{bits:#x}"),
    }
}

/// A half-precision number in single precision.
pub fn half_to_f32(bits: u16) -> f32 {
    let (sign, exponent, mantissa) =
        (u32::from(bits >> 15), u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        0 => {
            let magnitude = mantissa as f32 / (1 << 24) as f32;
            if sign == 1 { -magnitude } else { magnitude }
        }
        31 => f32::from_bits(sign << 31 | 0xff << 23 | mantissa << 13),
        _ => f32::from_bits(sign << 31 | (exponent + 112) << 23 | mantissa << 13),
    }
}

impl Context<'_> {
    /// The scalars of a value.
    pub fn scalars(&self, shown: &Shown) -> Option<Scalars> {
        match &shown.place {
            Where::Scalars(scalars) => Some(scalars.clone()),
            Where::Pointer(pointer) => {
                self.state.read(self.timeline, self.record, self.program, pointer, shown.ty)
            }
            Where::Image(part) => {
                let written = |place| self.state.written_texel(part.address, place);
                let texel = self.texels(part)?.texel(&part.path, written)?;
                Some(texel.map(Some).to_vec())
            }
        }
    }

    /// The image of a part.
    pub(crate) fn texels(&self, part: &ImagePart) -> Option<Texels<'_>> {
        self.timeline.image(part.address, self.record).map(Texels::new)
    }

    /// The texel that a value is; none where it is none.
    pub fn is_texel(&self, shown: &Shown) -> bool {
        match &shown.place {
            Where::Image(part) => self.texels(part).is_some_and(|texels| texels.is_texel(&part.path)),
            _ => false,
        }
    }

    /// The type of a component of an image's texels.
    pub(crate) fn texel_component(&self, ty: Id) -> Option<Id> {
        let module = self.program.module();
        match module.ty(ty) {
            Type::Image(image) => Some(image.sampled_type),
            Type::SampledImage { image } => self.texel_component(image),
            _ => None,
        }
    }

    /// A value's type, as the source would name it.
    pub fn type_name(&self, shown: &Shown) -> String {
        let constants = self.program.constants();
        match &shown.place {
            Where::Image(part) if !part.path.is_empty() => {
                let component = self.texel_component(shown.ty).map(|ty| constants.type_name(ty));
                let component = component.unwrap_or_default();
                match self.is_texel(shown) {
                    true => format!("vec4<{component}>"),
                    false => format!("vec4<{component}>[{}]", self.count(shown)),
                }
            }
            _ => constants.type_name(shown.ty),
        }
    }

    /// A value's text.
    pub fn text(&self, shown: &Shown) -> String {
        let program = self.program;
        if let Where::Image(part) = &shown.place {
            return self.image_text(shown, part);
        }
        match program.module().ty(shown.ty) {
            Type::RuntimeArray { .. } => {
                format!("{}[{}]", self.element_type_name(shown), self.count(shown))
            }
            Type::Struct { .. } => self.members_text(shown),
            _ => match self.scalars(shown) {
                Some(scalars) => self.scalars_text(shown.ty, &scalars),
                None => "?".to_owned(),
            },
        }
    }

    /// The text of an image, or of a part of it.
    fn image_text(&self, shown: &Shown, part: &ImagePart) -> String {
        let Some(texels) = self.texels(part) else { return "?".to_owned() };
        if !texels.is_texel(&part.path) {
            return texels.description(&part.path);
        }
        let Some((scalars, ty)) = self.scalars(shown).zip(self.texel_component(shown.ty)) else {
            return "?".to_owned();
        };
        let texts: Vec<String> = scalars.iter().map(|&bits| scalar_text(self.program, ty, bits)).collect();
        format!("({})", texts.join(", "))
    }

    /// A structure's members, as far as they are short.
    fn members_text(&self, shown: &Shown) -> String {
        let module = self.program.module();
        let text = |part: Shown| match module.ty(part.ty) {
            Type::Struct { .. } | Type::Array { .. } => format!("{} = {{…}}", part.name),
            _ => format!("{} = {}", part.name, self.text(&part)),
        };
        let texts: Vec<String> = self.parts(shown, 0, Some(MEMBERS_SHOWN)).into_iter().map(text).collect();
        let more = if self.count(shown) > MEMBERS_SHOWN { ", …" } else { "" };
        format!("{{{}{more}}}", texts.join(", "))
    }

    fn element_type_name(&self, shown: &Shown) -> String {
        match self.program.module().ty(shown.ty) {
            Type::RuntimeArray { element } | Type::Array { element, .. } => {
                self.program.constants().type_name(element)
            }
            _ => String::new(),
        }
    }

    fn scalars_text(&self, ty: Id, scalars: &[Option<u64>]) -> String {
        let mut types = Vec::new();
        self.program.scalar_types(ty, &mut types);
        let one = |(&bits, &ty): (&Option<u64>, &Id)| scalar_text(self.program, ty, bits);
        match (scalars, &types[..]) {
            ([bits], [ty]) => scalar_text(self.program, *ty, *bits),
            _ => {
                let texts: Vec<String> = scalars.iter().zip(&types).take(TEXT_SCALARS_MAX).map(one).collect();
                let more = if scalars.len() > TEXT_SCALARS_MAX { ", …" } else { "" };
                format!("({}{more})", texts.join(", "))
            }
        }
    }

    fn address(shown: &Shown) -> Option<Address> {
        match &shown.place {
            Where::Pointer(Pointer::Memory(at)) => Some(*at),
            _ => None,
        }
    }

    /// How many parts a value has.
    pub fn count(&self, shown: &Shown) -> u64 {
        if let Where::Image(part) = &shown.place {
            return self.texels(part).map_or(0, |texels| texels.count(&part.path));
        }
        match self.program.module().ty(shown.ty) {
            Type::Struct { .. }
            | Type::Array { .. }
            | Type::RuntimeArray { .. }
            | Type::Matrix { .. }
            | Type::Vector { .. } => self.program.element_count(shown.ty, Self::address(shown)),
            _ => 0,
        }
    }

    /// A part of a value.
    pub fn part(&self, shown: &Shown, index: u64) -> Option<Shown> {
        if let Where::Image(part) = &shown.place {
            return self.image_part(shown, part, index);
        }
        let (program, module) = (self.program, self.program.module());
        let name = match module.ty(shown.ty) {
            Type::Struct { .. } => {
                let name = module.member_name(shown.ty, index as u32).map(|name| name.into_owned());
                let built_in =
                    || module.member_built_in(shown.ty, index as u32).map(|one| format!("{one:?}"));
                name.filter(|name| !name.is_empty())
                    .or_else(built_in)
                    .unwrap_or_else(|| format!("member{index}"))
            }
            Type::Vector { .. } if index < 4 => ["x", "y", "z", "w"][index as usize].to_owned(),
            _ => format!("[{index}]"),
        };
        if index >= self.count(shown) {
            return None;
        }
        if let Where::Pointer(Pointer::Memory(at)) = shown.place {
            let (ty, at) = program.memory_element(shown.ty, at, index)?;
            return Some(Shown { name, ty, place: Where::Pointer(Pointer::Memory(at)) });
        }
        let constants = program.constants();
        let ty = constants.element_type(shown.ty, index)?;
        let before = match module.ty(shown.ty) {
            Type::Struct { members } => members
                .iter()
                .take(index as usize)
                .map(|one| program.scalar_count(one))
                .sum::<Option<usize>>()?,
            _ => program.scalar_count(ty)? * index as usize,
        };
        let place = match &shown.place {
            Where::Scalars(scalars) => {
                Where::Scalars(scalars.get(before..before + program.scalar_count(ty)?)?.to_vec())
            }
            Where::Pointer(Pointer::Variable { frame, id, first }) => {
                Where::Pointer(Pointer::Variable { frame: *frame, id: *id, first: first + before })
            }
            Where::Pointer(Pointer::Memory(_)) | Where::Image(_) => return None,
        };
        Some(Shown { name, ty, place })
    }

    /// A part of an image, or a component of a texel.
    fn image_part(&self, shown: &Shown, part: &ImagePart, index: u64) -> Option<Shown> {
        if index >= self.count(shown) {
            return None;
        }
        if self.is_texel(shown) {
            let bits = self.scalars(shown).and_then(|scalars| scalars.get(index as usize).copied().flatten());
            let name = ["x", "y", "z", "w"][index as usize].to_owned();
            let ty = self.texel_component(shown.ty)?;
            return Some(Shown { name, ty, place: Where::Scalars(vec![bits]) });
        }
        let mut path = part.path.clone();
        path.push(index);
        let place = Where::Image(ImagePart { address: part.address, path });
        Some(Shown { name: format!("[{index}]"), ty: shown.ty, place })
    }

    /// The parts of a value, from one on.
    pub fn parts(&self, shown: &Shown, start: u64, count: Option<u64>) -> Vec<Shown> {
        let all = self.count(shown);
        let end = start.saturating_add(count.unwrap_or(PARTS_MAX).min(PARTS_MAX)).min(all);
        (start..end).filter_map(|index| self.part(shown, index)).collect()
    }

    fn is_image(&self, ty: Id) -> bool {
        matches!(self.program.module().ty(ty), Type::Image(_) | Type::SampledImage { .. })
    }

    /// What an id stands for, by a name.
    fn shown_id(&self, name: String, id: Id) -> Option<Shown> {
        let module = self.program.module();
        if let Some(&address) = self.state.images.get(&id.as_u32()) {
            let place = Where::Image(ImagePart { address, path: Vec::new() });
            return Some(Shown { name, ty: pointee(module, id)?, place });
        }
        match self.state.content_in(self.program, self.frame, id)? {
            Content::Data(scalars) if module.type_of(id).is_some_and(|ty| self.is_image(ty)) => {
                let address = scalars.first().copied().flatten()?;
                let place = Where::Image(ImagePart { address, path: Vec::new() });
                Some(Shown { name, ty: module.type_of(id)?, place })
            }
            Content::Data(scalars) => {
                Some(Shown { name, ty: module.type_of(id)?, place: Where::Scalars(scalars) })
            }
            Content::Pointer(pointer) => {
                Some(Shown { name, ty: pointee(module, id)?, place: Where::Pointer(pointer) })
            }
        }
    }

    /// The variables of a scope.
    pub fn scope(&self, scope: Scope) -> Vec<Shown> {
        match scope {
            Scope::Locals => self.locals(),
            Scope::Ids => self.ids(),
            _ => self.globals(scope),
        }
    }

    fn locals(&self) -> Vec<Shown> {
        let (program, module) = (self.program, self.program.module());
        let Some(frame) = self.state.frames.get(self.frame) else { return Vec::new() };
        let Some(function) = module.function_of(Id::from_u32(frame.function)) else { return Vec::new() };
        let mut shown: Vec<Shown> = Vec::new();
        let mut add = |one: Shown| match shown.iter_mut().find(|known| known.name == one.name) {
            Some(known) => *known = one,
            None => shown.push(one),
        };
        // What the debug information says.
        let names = program.local_names(function);
        let described: std::collections::BTreeSet<u32> = names.iter().map(|name| name.id.as_u32()).collect();
        for name in self.names_in_order(frame, names) {
            self.shown_id(name.name.clone(), name.id).into_iter().for_each(&mut add);
        }
        // Without it what has a name; with it that would be what compilers add, but for parameters.
        let has_names = !described.is_empty();
        let data = module.function(function);
        for index in data.inst.as_u32()..data.end.as_u32() {
            let Some(id) = program.inst(index).and_then(|inst| inst.result()) else { continue };
            if described.contains(&id.as_u32()) {
                continue;
            }
            let is_parameter = program.inst(index).is_some_and(|inst| inst.op() == Op::FunctionParameter);
            if has_names && !is_parameter {
                continue;
            }
            let name = pyro_spirv::short_name(module, id).filter(|_| module.block_of(id).is_none());
            if let Some(one) = name.and_then(|name| self.shown_id(name, id)) {
                add(one);
            }
        }
        shown
    }

    /// The names that there are here, those behind others that are in their place: values in the order in
    /// which they became what a name stands for.
    fn names_in_order<'n>(&self, frame: &Frame, names: &'n [LocalName]) -> Vec<&'n LocalName> {
        let mut found = Vec::new();
        for name in names.iter().filter(|name| name.calls == self.inlined) {
            let is_before = name.inst < self.inst;
            // What an inlined call has not come to yet is of the call before.
            if !is_before && !name.calls.is_empty() && self.is_in_this_block(name.inst) {
                continue;
            }
            let when = match name.is_variable {
                true => Some(0),
                false if is_before && self.is_in_this_block(name.inst) => Some(u32::MAX),
                // Where nothing around it is recorded, as it stands in the text.
                false => frame.passed(self.program, name.inst, self.inst).or(is_before.then_some(0)),
            };
            found.extend(when.map(|when| (when, name)));
        }
        found.sort_by_key(|(when, _)| *when);
        found.into_iter().map(|(_, name)| name).collect()
    }

    fn is_in_this_block(&self, inst: u32) -> bool {
        let block = |inst: u32| self.program.module().block_with(Inst::from_u32(inst));
        block(inst).is_some() && block(inst) == block(self.inst)
    }

    fn ids(&self) -> Vec<Shown> {
        let Some(frame) = self.state.frames.get(self.frame) else { return Vec::new() };
        let mut ids: Vec<u32> = frame.values.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().filter_map(|id| self.shown_id(format!("%{id}"), Id::from_u32(id))).collect()
    }

    fn globals(&self, scope: Scope) -> Vec<Shown> {
        let module = self.program.module();
        let mut shown = Vec::new();
        for variable in module.globals().filter(|variable| Scope::of(variable.class) == scope) {
            let Some(one) = self.shown_id(self.global_name(variable.id), variable.id) else { continue };
            // Members of blocks without a name are known by their own; a block around one thing without a
            // name is of the compiler's making.
            let is_wrapper = module.member_name(one.ty, 0).is_none_or(|name| name.is_empty());
            if one.name.is_empty() {
                shown.extend(self.parts(&one, 0, None));
            } else if scope == Scope::Buffers && self.count(&one) == 1 && is_wrapper {
                shown.extend(self.part(&one, 0).map(|part| Shown { name: one.name, ..part }));
            } else {
                shown.push(one);
            }
        }
        shown
    }

    /// The name of a variable of module scope; empty for a block without an instance name.
    fn global_name(&self, id: Id) -> String {
        let module = self.program.module();
        let name = module.name(id).map(|name| name.into_owned());
        if let Some(built_in) = module.built_in(id).filter(|_| name.as_ref().is_none_or(String::is_empty)) {
            return built_in_name(built_in);
        }
        let is_block = pointee(module, id).is_some_and(|ty| matches!(module.ty(ty), Type::Struct { .. }));
        match name {
            Some(name) if !name.is_empty() => name,
            _ if is_block => String::new(),
            _ => format!("%{}", id.as_u32()),
        }
    }

    /// What a name of the source, or an id such as `%12`, stands for.
    pub fn named(&self, name: &str) -> Option<Shown> {
        if let Some(id) = name.strip_prefix('%').and_then(|id| id.parse().ok()) {
            return self.shown_id(name.to_owned(), Id::from_u32(id));
        }
        let scopes = Scope::ALL.into_iter().filter(|&scope| scope != Scope::Ids);
        let found = scopes.flat_map(|scope| self.scope(scope)).find(|shown| shown.name == name);
        found.or_else(|| self.built_in(name)).or_else(|| self.named_constant(name))
    }

    /// A built-in input, by the specification's name.
    fn built_in(&self, name: &str) -> Option<Shown> {
        let module = self.program.module();
        let is = |id: Id| {
            module.built_in(id).is_some_and(|one| {
                format!("{one:?}") == name || format!("gl_{one:?}").eq_ignore_ascii_case(name)
            })
        };
        let variable = module.globals().find(|variable| is(variable.id))?;
        self.shown_id(name.to_owned(), variable.id)
    }

    fn named_constant(&self, name: &str) -> Option<Shown> {
        let module = self.program.module();
        let is = |id: Id| module.name(id).is_some_and(|known| known == name);
        let mut results = module.global_insts().filter_map(|inst| inst.result());
        let id = results.find(|&id| is(id) && self.program.constants().get(id).is_some())?;
        let scalars = constant(self.program, id)?;
        Some(Shown { name: name.to_owned(), ty: module.type_of(id)?, place: Where::Scalars(scalars) })
    }
}

/// A built-in's name in GLSL, near enough.
fn built_in_name(built_in: BuiltIn) -> String {
    format!("gl_{built_in:?}")
}
