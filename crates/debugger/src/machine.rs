//! The state of an invocation at a position: values, variables and memory, by following what it did.
//!
//! Results of instructions are what was recorded; what is not recorded follows from the module: where access
//! chains lead, what stores and copies write. Memory of buffers is what it was when the invocation first
//! named the buffer, with the invocation's own writes, and what it has read since.

use crate::program::Program;
use crate::texels::{self, Texels};
use crate::timeline::Timeline;
use pyro_abi::trace::StepKind;
use pyro_spirv::constant::Value as Constant;
use pyro_spirv::layout::MatrixLayout;
use pyro_spirv::spirv::{Op, StorageClass};
use pyro_spirv::{Id, Inst, Instruction, Module, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Scalars of a value; none where it is not known.
pub type Scalars = Vec<Option<u64>>;

/// What an id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A value.
    Data(Scalars),
    /// A pointer.
    Pointer(Pointer),
}

/// Where a pointer points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Into a variable: the frame that it is of, none for module scope, its id and a scalar.
    Variable {
        /// The frame.
        frame: Option<usize>,
        /// The variable.
        id: Id,
        /// The first scalar.
        first: usize,
    },
    /// Into memory.
    Memory(Address),
}

/// A place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Address.
    pub address: u64,
    /// The end of the range that may be accessed, where it is known.
    pub end: Option<u64>,
    /// Of matrices, from the member that holds them.
    pub matrix: Option<MatrixLayout>,
    /// Of a column of a row-major matrix: bytes between components.
    pub component_stride: Option<u32>,
}

/// A function that is being run.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The number of the instruction that called it; none of the entry point.
    pub call: Option<u32>,
    /// The function's id.
    pub function: u32,
    /// What its ids stand for.
    pub values: FxHashMap<u32, Content>,
    /// What its variables hold.
    pub variables: FxHashMap<u32, Scalars>,
    /// When recorded instructions ran last, by their numbers: after so many steps.
    passed: FxHashMap<u32, u32>,
}

impl Frame {
    /// After how many steps an instruction that is not recorded ran last, as far as those in its block say;
    /// none where it has not run. `next` is the instruction that runs next in this frame.
    pub fn passed(&self, program: &Program, inst: u32, next: u32) -> Option<u32> {
        let module = program.module();
        let block = module.block(module.block_with(Inst::from_u32(inst))?);
        let (first, last) = (block.label_inst.as_u32(), block.terminator.as_u32());
        let step = |inst: u32| self.passed.get(&inst).copied();
        if let Some(behind) = (inst + 1..=last).find_map(step) {
            return Some(behind);
        }
        // Where the block runs again, what is behind the next instruction is from the time before.
        let first = if (first..=inst).contains(&next) { next } else { first };
        (first..inst).rev().find_map(step)
    }
}

/// The state of an invocation.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The entry point's frame first.
    pub frames: Vec<Frame>,
    /// What variables of module scope hold.
    pub globals: FxHashMap<u32, Scalars>,
    /// Where buffers are.
    pub buffers: FxHashMap<u32, Address>,
    /// The addresses of what describes images.
    pub images: FxHashMap<u32, u64>,
    /// Texels that the invocation has written, by the address of what describes the image.
    texels: BTreeMap<(u64, texels::Place), Vec<u64>>,
    /// Bytes that differ from the snapshots.
    memory: BTreeMap<u64, u8>,
}

/// A store that a step makes: for data breakpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub pointer: Pointer,
    /// Scalars, or bytes of memory.
    pub count: usize,
}

/// States of one invocation: follows it forwards, and keeps some states to go back to.
pub struct Machine {
    invocation: usize,
    position: u32,
    state: State,
    kept: BTreeMap<u32, State>,
    changes: Vec<VariableChange>,
}

/// A variable that has another value from a position on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableChange {
    /// From here on.
    pub position: u32,
    /// The variable.
    pub variable: Id,
    /// The first scalar that changes.
    pub first: usize,
    /// The bits of that and the following ones.
    pub bits: Vec<u64>,
}

/// Positions from one kept state to the next.
const KEPT_EVERY: u32 = 2048;

impl Machine {
    /// At an invocation's beginning, with what was changed in it.
    pub fn new(timeline: &Timeline, invocation: usize, changes: Vec<VariableChange>) -> Machine {
        let program = &timeline.invocations[invocation].program;
        let table = timeline.trace.tables[timeline.invocations[invocation].table].trace.as_deref();
        let mut state = State::default();
        let function = table.map_or(0, |table| table.entry_point);
        state.frames.push(Frame { function, ..Frame::default() });
        let mut used = std::collections::BTreeSet::new();
        program.module().each_in_call_tree(Id::from_u32(function), |inst| {
            used.extend(inst.used_ids().map(Id::as_u32));
        });
        for variable in program.module().globals().filter(|one| used.contains(&one.id.as_u32())) {
            let Some(ty) = variable.value_type else { continue };
            let is_own = matches!(
                variable.class,
                StorageClass::Private
                    | StorageClass::Input
                    | StorageClass::Output
                    | StorageClass::Workgroup
                    | StorageClass::RayPayloadKHR
                    | StorageClass::IncomingRayPayloadKHR
                    | StorageClass::CallableDataKHR
                    | StorageClass::IncomingCallableDataKHR
                    | StorageClass::HitAttributeKHR
                    | StorageClass::TaskPayloadWorkgroupEXT
            );
            let Some(count) = program.scalar_count(ty).filter(|_| is_own) else { continue };
            let initial = variable.initializer.and_then(|id| constant(program, id));
            state.globals.insert(variable.id.as_u32(), initial.unwrap_or_else(|| vec![None; count]));
        }
        let kept = BTreeMap::from([(0, state.clone())]);
        Machine { invocation, position: 0, state, kept, changes }
    }

    /// The invocation that it follows.
    pub fn invocation(&self) -> usize {
        self.invocation
    }

    /// The state at a position.
    pub fn at(&mut self, timeline: &Timeline, position: u32) -> &State {
        if position < self.position {
            let (&kept, state) = self.kept.range(..=position).next_back().expect("the beginning is kept");
            (self.position, self.state) = (kept, state.clone());
        }
        let program = timeline.invocations[self.invocation].program.clone();
        while self.position < position {
            self.change_at(self.position, &program, timeline);
            self.state.step(timeline, self.invocation, &program, self.position);
            self.position += 1;
            if self.position.is_multiple_of(KEPT_EVERY) {
                self.kept.entry(self.position).or_insert_with(|| self.state.clone());
            }
        }
        // A call is entered when its first step is about to run.
        self.state.enter(&program, timeline.calls(self.invocation, position));
        self.change_at(position, &program, timeline);
        &self.state
    }

    /// Gives variables the values that they have from a position on.
    fn change_at(&mut self, position: u32, program: &Program, timeline: &Timeline) {
        for change in self.changes.iter().filter(|change| change.position == position) {
            self.state.enter(program, timeline.calls(self.invocation, position));
            let Some(Content::Pointer(Pointer::Variable { frame, id, .. })) =
                self.state.content(program, change.variable)
            else {
                continue;
            };
            if let Some(variable) = self.state.variable_mut(frame, id) {
                for (place, &bits) in variable.iter_mut().skip(change.first).zip(&change.bits) {
                    *place = Some(bits);
                }
            }
        }
    }

    /// What the step at a position writes.
    pub fn write_at(&mut self, timeline: &Timeline, position: u32) -> Option<Write> {
        let step = timeline.step(self.invocation, position)?;
        let program = timeline.invocations[self.invocation].program.clone();
        let inst = program.inst(step.inst)?;
        let (Op::Store | Op::CopyMemory) = inst.op() else {
            let facts = pyro_spirv::facts::facts(inst.op());
            let is_atomic = facts.family == pyro_spirv::facts::Family::Atomic && !facts.writes.is_empty();
            if !is_atomic {
                return None;
            }
            let state = self.at(timeline, position);
            let Some(Content::Pointer(pointer)) = state.content(&program, inst.id(0)) else { return None };
            let ty = pointee(program.module(), inst.id(0))?;
            let count = program.width(&pointer, ty)?;
            return Some(Write { pointer, count });
        };
        let state = self.at(timeline, position);
        let Some(Content::Pointer(pointer)) = state.content(&program, inst.id(0)) else { return None };
        let ty = pointee(program.module(), inst.id(0))?;
        let count = program.width(&pointer, ty)?;
        Some(Write { pointer, count })
    }
}

impl Write {
    /// Whether it writes some of a place.
    pub fn touches(&self, other: &Write) -> bool {
        match (&self.pointer, &other.pointer) {
            (Pointer::Variable { frame, id, first }, Pointer::Variable { frame: f, id: i, first: at }) => {
                frame == f && id == i && *first < at + other.count && *at < first + self.count
            }
            (Pointer::Memory(one), Pointer::Memory(two)) => {
                one.address < two.address + other.count as u64
                    && two.address < one.address + self.count as u64
            }
            _ => false,
        }
    }
}

/// What a pointer id points to.
pub fn pointee(module: &Module, id: Id) -> Option<Id> {
    module.pointer(module.type_of(id)?).map(|(_, pointee)| pointee)
}

/// The scalars of a constant.
pub fn constant(program: &Program, id: Id) -> Option<Scalars> {
    let value = program.constants().get(id)?;
    let ty = program.module().type_of(id)?;
    let mut out = Vec::new();
    flatten(program, value, ty, &mut out)?;
    Some(out)
}

fn flatten(program: &Program, value: Constant, ty: Id, out: &mut Scalars) -> Option<()> {
    let constants = program.constants();
    if let Constant::Undef(_) = value {
        out.extend(std::iter::repeat_n(None, program.scalar_count(ty)?));
        return Some(());
    }
    if program.module().ty(ty).is_scalar() {
        out.push(constants.scalar_of(value));
        return Some(());
    }
    if let Constant::Null(_) = value {
        out.extend(std::iter::repeat_n(Some(0), program.scalar_count(ty)?));
        return Some(());
    }
    for index in 0..constants.element_count(ty)? {
        flatten(program, constants.element(value, index)?, constants.element_type(ty, index)?, out)?;
    }
    Some(())
}

impl Program {
    /// Bits of a scalar type.
    pub fn bits(&self, ty: Id) -> u32 {
        match self.module().ty(ty) {
            Type::Int { width, .. } | Type::Float { width, .. } => width,
            Type::Pointer { .. }
            | Type::Image(_)
            | Type::Sampler
            | Type::SampledImage { .. }
            | Type::AccelerationStructure => 64,
            _ => 32,
        }
    }

    /// The scalar types of a type, in order.
    pub fn scalar_types(&self, ty: Id, out: &mut Vec<Id>) {
        let constants = self.constants();
        match self.module().ty(ty) {
            Type::Struct { members } => members.iter().for_each(|member| self.scalar_types(member, out)),
            Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::CooperativeVector { .. } => {
                let Some(element) = constants.element_type(ty, 0) else { return };
                let start = out.len();
                self.scalar_types(element, out);
                let one: Vec<Id> = out[start..].to_vec();
                for _ in 1..constants.element_count(ty).unwrap_or(1) {
                    out.extend_from_slice(&one);
                }
            }
            _ => out.push(ty),
        }
    }

    /// Scalars, or bytes of memory, of what a pointer points to.
    pub fn width(&self, pointer: &Pointer, ty: Id) -> Option<usize> {
        match pointer {
            Pointer::Variable { .. } => self.scalar_count(ty),
            Pointer::Memory(address) => {
                let mut last = 0;
                self.memory_scalars(ty, *address, &mut |address, bytes, _| {
                    last = last.max(address + u64::from(bytes));
                });
                Some(last.saturating_sub(address.address) as usize)
            }
        }
    }

    /// Where an element or member of what is in memory is.
    pub fn memory_element(&self, ty: Id, at: Address, index: u64) -> Option<(Id, Address)> {
        let module = self.module();
        let go = |bytes: u64| at.address.wrapping_add(bytes);
        match module.ty(ty) {
            Type::Struct { members } => {
                let member = members.get(index as usize)?;
                let layout = module.member_layout(ty, index as u32)?;
                let address = go(layout.offset.into());
                Some((member, Address { address, matrix: layout.matrix, component_stride: None, ..at }))
            }
            Type::Array { element, .. } | Type::RuntimeArray { element } => {
                let stride = module.array_stride(ty).map_or_else(|| self.packed_bytes(element), u64::from);
                Some((element, Address { address: go(index.wrapping_mul(stride)), ..at }))
            }
            Type::Matrix { column, .. } => {
                let component = module.component(column)?;
                let size = u64::from(self.bits(component.id)) / 8;
                let (bytes, component_stride) = match at.matrix {
                    Some(matrix) if matrix.row_major => (size, Some(matrix.stride)),
                    Some(matrix) => (matrix.stride.into(), None),
                    None => (self.packed_bytes(column), None),
                };
                let address = go(index.wrapping_mul(bytes));
                Some((column, Address { address, matrix: None, component_stride, ..at }))
            }
            Type::Vector { component, .. } => {
                let size = at.component_stride.map_or(u64::from(self.bits(component)) / 8, u64::from);
                let address = go(index.wrapping_mul(size));
                Some((component, Address { address, component_stride: None, ..at }))
            }
            _ => None,
        }
    }

    fn packed_bytes(&self, ty: Id) -> u64 {
        let mut scalars = Vec::new();
        self.scalar_types(ty, &mut scalars);
        scalars.iter().map(|&scalar| u64::from(self.bits(scalar)) / 8).sum()
    }

    /// Elements of a composite; of a runtime array in memory as many as there is room for.
    pub fn element_count(&self, ty: Id, at: Option<Address>) -> u64 {
        match (self.module().ty(ty), at) {
            (Type::RuntimeArray { element }, Some(at)) => {
                let stride =
                    self.module().array_stride(ty).map_or_else(|| self.packed_bytes(element), u64::from);
                at.end.map_or(0, |end| end.saturating_sub(at.address) / stride.max(1))
            }
            _ => self.constants().element_count(ty).unwrap_or(0),
        }
    }

    /// Visits the scalars of what is in memory: address, bytes, type.
    pub fn memory_scalars(&self, ty: Id, at: Address, visit: &mut dyn FnMut(u64, u32, Id)) {
        let count = match self.module().ty(ty) {
            Type::RuntimeArray { .. } => return,
            Type::Struct { .. } | Type::Array { .. } | Type::Matrix { .. } | Type::Vector { .. } => {
                self.element_count(ty, None)
            }
            _ => return visit(at.address, self.bits(ty) / 8, ty),
        };
        for index in 0..count {
            if let Some((element, at)) = self.memory_element(ty, at, index) {
                self.memory_scalars(element, at, visit);
            }
        }
    }
}

/// Words of a step as the scalars of a type.
fn scalars_of_words(program: &Program, ty: Id, words: &[u32]) -> Scalars {
    let mut types = Vec::new();
    program.scalar_types(ty, &mut types);
    let mut words = words.iter().copied();
    let mut next = || words.next().map(u64::from);
    let scalar = |&ty: &Id| {
        let low = next()?;
        Some(if program.bits(ty) == 64 { low | next()? << 32 } else { low })
    };
    types.iter().map(scalar).collect()
}

impl State {
    /// The frames that calls say.
    fn enter(&mut self, program: &Program, calls: &[u32]) {
        let known =
            self.frames.iter().skip(1).zip(calls).take_while(|(frame, call)| frame.call == Some(**call));
        let known = known.count() + 1;
        self.frames.truncate(known);
        for &call in calls.get(known - 1..).unwrap_or(&[]) {
            let Some(inst) = program.inst(call) else { return };
            let module = program.module();
            let mut frame = Frame { call: Some(call), function: inst.id(0).as_u32(), ..Frame::default() };
            if let Some(function) = module.function_of(inst.id(0)) {
                for (parameter, argument) in module.parameters(function).zip(inst.ids_from(1).iter()) {
                    let (Some(id), Some(content)) = (parameter.result(), self.content(program, argument))
                    else {
                        continue;
                    };
                    frame.values.insert(id.as_u32(), content);
                }
            }
            self.frames.push(frame);
        }
    }

    /// What an id stands for in the innermost frame.
    pub fn content(&self, program: &Program, id: Id) -> Option<Content> {
        self.content_in(program, self.frames.len().saturating_sub(1), id)
    }

    /// What an id stands for in a frame.
    pub fn content_in(&self, program: &Program, frame: usize, id: Id) -> Option<Content> {
        if let Some(known) = self.frames.get(frame).and_then(|frame| frame.values.get(&id.as_u32())) {
            return Some(known.clone());
        }
        let module = program.module();
        if module.global(id).is_some() {
            if let Some(&address) = self.buffers.get(&id.as_u32()) {
                return Some(Content::Pointer(Pointer::Memory(address)));
            }
            let is_known = self.globals.contains_key(&id.as_u32());
            return is_known.then_some(Content::Pointer(Pointer::Variable { frame: None, id, first: 0 }));
        }
        constant(program, id).map(Content::Data)
    }

    /// Reads what a pointer points to.
    pub fn read(
        &self,
        timeline: &Timeline,
        record: usize,
        program: &Program,
        pointer: &Pointer,
        ty: Id,
    ) -> Option<Scalars> {
        match pointer {
            Pointer::Variable { frame, id, first } => {
                let count = program.scalar_count(ty)?;
                self.variable(*frame, *id)?.get(*first..first.checked_add(count)?).map(<[_]>::to_vec)
            }
            Pointer::Memory(at) => {
                let mut scalars = Vec::new();
                program.memory_scalars(ty, *at, &mut |address, bytes, _| {
                    scalars.push(self.load(timeline, record, address, bytes));
                });
                Some(scalars)
            }
        }
    }

    fn variable(&self, frame: Option<usize>, id: Id) -> Option<&Scalars> {
        match frame {
            Some(frame) => self.frames.get(frame)?.variables.get(&id.as_u32()),
            None => self.globals.get(&id.as_u32()),
        }
    }

    fn variable_mut(&mut self, frame: Option<usize>, id: Id) -> Option<&mut Scalars> {
        match frame {
            Some(frame) => self.frames.get_mut(frame)?.variables.get_mut(&id.as_u32()),
            None => self.globals.get_mut(&id.as_u32()),
        }
    }

    /// A scalar of memory; none where it was not recorded.
    fn load(&self, timeline: &Timeline, record: usize, address: u64, bytes: u32) -> Option<u64> {
        let mut value = 0;
        for index in 0..u64::from(bytes) {
            let at = address.checked_add(index)?;
            let byte = match self.memory.get(&at) {
                Some(&byte) => byte,
                None => snapshot_byte(timeline, record, at)?,
            };
            value |= u64::from(byte) << (8 * index);
        }
        Some(value)
    }

    fn write(&mut self, program: &Program, pointer: &Pointer, ty: Id, value: &[Option<u64>]) {
        match pointer {
            Pointer::Variable { frame, id, first } => {
                let variable = self.variable_mut(*frame, *id);
                let Some(variable) = variable else { return };
                for (place, scalar) in variable.iter_mut().skip(*first).zip(value) {
                    *place = *scalar;
                }
            }
            Pointer::Memory(at) => {
                let mut scalars = value.iter();
                let memory = &mut self.memory;
                program.memory_scalars(ty, *at, &mut |address, bytes, _| {
                    let Some(Some(scalar)) = scalars.next() else { return };
                    for index in 0..u64::from(bytes) {
                        memory.insert(address.wrapping_add(index), (scalar >> (8 * index)) as u8);
                    }
                });
            }
        }
    }

    fn step(&mut self, timeline: &Timeline, invocation: usize, program: &Program, position: u32) {
        self.enter(program, timeline.calls(invocation, position));
        let Some((step, words)) = timeline.step_words(invocation, position) else { return };
        if matches!(step.kind, StepKind::Begin | StepKind::End) {
            return;
        }
        let record = timeline.time(invocation, position).record;
        let Some(inst) = program.inst(step.inst) else { return };
        if let Some(frame) = self.frames.last_mut() {
            frame.passed.insert(step.inst, position);
        }
        let wide = |at: usize| {
            let word = |at: usize| u64::from(words.get(at).copied().unwrap_or(0));
            word(at) | word(at + 1) << 32
        };
        let recorded = match step.kind {
            StepKind::Value => {
                let ty = match inst.op() {
                    Op::Variable => inst.result().and_then(|id| pointee(program.module(), id)),
                    _ => inst.result_type(),
                };
                ty.map(|ty| Content::Data(scalars_of_words(program, ty, words)))
            }
            StepKind::Range => {
                let base = wide(0);
                let (size, offset) = match words.len() {
                    0..=4 => {
                        (words.get(2).copied().unwrap_or(0).into(), words.get(3).copied().unwrap_or(0).into())
                    }
                    _ => (wide(2), wide(4)),
                };
                let at = Address {
                    address: base.wrapping_add(offset),
                    end: Some(base.wrapping_add(size)),
                    matrix: None,
                    component_stride: None,
                };
                Some(Content::Pointer(Pointer::Memory(at)))
            }
            StepKind::Address => {
                let at = Address { address: wide(0), end: None, matrix: None, component_stride: None };
                Some(Content::Pointer(Pointer::Memory(at)))
            }
            _ => None,
        };
        if step.kind == StepKind::Image {
            let Some(result) = inst.result() else { return };
            match inst.op() {
                Op::Variable => {
                    self.images.insert(result.as_u32(), wide(0));
                }
                _ => {
                    let frame = self.frames.len() - 1;
                    let content = Content::Data(vec![Some(wide(0))]);
                    self.frames[frame].values.insert(result.as_u32(), content);
                }
            }
            return;
        }
        if inst.op() == Op::ImageWrite {
            self.write_texel(timeline, record, program, inst);
        }
        self.apply(timeline, record, program, inst, recorded);
    }

    /// Remembers the texel that an invocation writes.
    fn write_texel(&mut self, timeline: &Timeline, record: usize, program: &Program, inst: Instruction<'_>) {
        let known = |id: Id| match self.content(program, id)? {
            Content::Data(scalars) => scalars.into_iter().collect::<Option<Vec<u64>>>(),
            Content::Pointer(_) => None,
        };
        let (Some(image), Some(coordinates), Some(texel)) =
            (known(inst.id(0)), known(inst.id(1)), known(inst.id(2)))
        else {
            return;
        };
        // Of the image operands the sample is the last but for flags, which have no operand.
        let is_multisampled = match inst.get_id(0).and_then(|id| program.module().type_of(id)) {
            Some(ty) => matches!(program.module().ty(ty), Type::Image(image) if image.multisampled),
            None => false,
        };
        let sample = inst.ids_from(4).iter().next().filter(|_| is_multisampled).and_then(known);
        let sample = sample.and_then(|sample| sample.first().copied()).unwrap_or(0);
        let Some(snapshot) = timeline.image(image[0], record) else { return };
        let place = Texels::new(snapshot).place_of_coordinates(&coordinates, sample);
        self.texels.insert((image[0], place), texel);
    }

    /// The texel that the invocation has written at a place of an image.
    pub fn written_texel(&self, image: u64, place: texels::Place) -> Option<Vec<u64>> {
        self.texels.get(&(image, place)).cloned()
    }

    fn apply(
        &mut self,
        timeline: &Timeline,
        record: usize,
        program: &Program,
        inst: Instruction<'_>,
        recorded: Option<Content>,
    ) {
        let module = program.module();
        let frame = self.frames.len() - 1;
        let result = inst.result();
        let define = |state: &mut State, content: Content| {
            if let Some(result) = result {
                state.frames[frame].values.insert(result.as_u32(), content);
            }
        };
        let pointer_of = |state: &State, id: Id| match state.content(program, id) {
            Some(Content::Pointer(pointer)) => Some(pointer),
            _ => None,
        };
        match inst.op() {
            Op::Variable => {
                let Some(id) = result else { return };
                match (module.global(id).is_some(), recorded) {
                    (true, Some(Content::Data(scalars))) => {
                        self.globals.insert(id.as_u32(), scalars);
                    }
                    (true, Some(Content::Pointer(Pointer::Memory(at)))) => {
                        self.buffers.insert(id.as_u32(), at);
                    }
                    _ => {
                        let count = pointee(module, id).and_then(|ty| program.scalar_count(ty));
                        let initial = inst.get_id(1).and_then(|id| constant(program, id));
                        let scalars = initial.or(count.map(|count| vec![None; count]));
                        self.frames[frame].variables.insert(id.as_u32(), scalars.unwrap_or_default());
                        let pointer = Pointer::Variable { frame: Some(frame), id, first: 0 };
                        define(self, Content::Pointer(pointer));
                    }
                }
            }
            Op::Load => {
                let (Some(content), Some(ty)) = (recorded, inst.result_type()) else { return };
                if let (Content::Data(scalars), Some(pointer)) = (&content, pointer_of(self, inst.id(0))) {
                    self.write(program, &pointer, ty, scalars);
                }
                define(self, content);
            }
            Op::Store => {
                let (Some(pointer), Some(ty)) = (pointer_of(self, inst.id(0)), module.type_of(inst.id(1)))
                else {
                    return;
                };
                if let Some(Content::Data(scalars)) = self.content(program, inst.id(1)) {
                    self.write(program, &pointer, ty, &scalars);
                }
            }
            Op::CopyMemory => {
                let ends = (pointer_of(self, inst.id(0)), pointer_of(self, inst.id(1)));
                let ((Some(to), Some(from)), Some(ty)) = (ends, pointee(module, inst.id(0))) else { return };
                if let Some(scalars) = self.read(timeline, record, program, &from, ty) {
                    self.write(program, &to, ty, &scalars);
                }
            }
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let found = self.chain(program, inst, recorded);
                if let Some(pointer) = found {
                    define(self, Content::Pointer(pointer));
                }
            }
            Op::CopyObject if recorded.is_none() => {
                if let Some(content) = self.content(program, inst.id(0)) {
                    define(self, content);
                }
            }
            op if pyro_spirv::facts::facts(op).family == pyro_spirv::facts::Family::Atomic => {
                self.atomic(timeline, record, program, inst, recorded.as_ref());
                if let Some(content) = recorded {
                    define(self, content);
                }
            }
            _ => {
                if let Some(content) = recorded {
                    define(self, content);
                }
            }
        }
    }

    /// Where an access chain leads.
    fn chain(&self, program: &Program, inst: Instruction<'_>, recorded: Option<Content>) -> Option<Pointer> {
        let module = program.module();
        let Some(Content::Pointer(base)) = self.content(program, inst.id(0)) else {
            let Some(Content::Pointer(pointer)) = recorded else { return None };
            return Some(pointer);
        };
        let mut ty = pointee(module, inst.id(0))?;
        let is_element = matches!(inst.op(), Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        let indices = inst.ids_from(if is_element { 2 } else { 1 });
        let index_of = |id: Id| match self.content(program, id) {
            Some(Content::Data(scalars)) => scalars.first().copied().flatten(),
            _ => None,
        };
        let constants = program.constants();
        match base {
            Pointer::Variable { frame, id, mut first } => {
                for index in indices.iter() {
                    let index = index_of(index)?;
                    // An index out of range is somebody else's: nothing is known of what it does.
                    let element = constants.element_type(ty, index)?;
                    first += match module.ty(ty) {
                        Type::Struct { members } => members
                            .iter()
                            .take(index as usize)
                            .map(|one| program.scalar_count(one))
                            .sum::<Option<usize>>()?,
                        _ => program.scalar_count(element)?.checked_mul(index as usize)?,
                    };
                    ty = element;
                }
                Some(Pointer::Variable { frame, id, first })
            }
            Pointer::Memory(mut at) => {
                for index in indices.iter() {
                    let (element, place) = program.memory_element(ty, at, index_of(index)?)?;
                    (ty, at) = (element, place);
                }
                // The layout follows from the chain; where it leads was recorded.
                if let Some(Content::Pointer(Pointer::Memory(known))) = recorded {
                    at = Address { address: known.address, end: known.end.or(at.end), ..at };
                }
                Some(Pointer::Memory(at))
            }
        }
    }

    /// What an atomic operation leaves in memory.
    fn atomic(
        &mut self,
        timeline: &Timeline,
        record: usize,
        program: &Program,
        inst: Instruction<'_>,
        old: Option<&Content>,
    ) {
        let Some(Content::Pointer(pointer)) = self.content(program, inst.id(0)) else { return };
        let Some(ty) = pointee(program.module(), inst.id(0)) else { return };
        let operand = |position: usize| match self.content(program, inst.get_id(position)?) {
            Some(Content::Data(scalars)) => scalars.first().copied().flatten(),
            _ => None,
        };
        let old = match old {
            Some(Content::Data(scalars)) => scalars.first().copied().flatten(),
            _ => self
                .read(timeline, record, program, &pointer, ty)
                .and_then(|scalars| scalars.first().copied().flatten()),
        };
        let bits = program.bits(ty);
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        let with = |f: &dyn Fn(u64, u64) -> u64| Some(f(old?, operand(3)?) & mask);
        let new = match inst.op() {
            Op::AtomicLoad => old,
            Op::AtomicStore | Op::AtomicExchange => operand(3),
            Op::AtomicIAdd => with(&u64::wrapping_add),
            Op::AtomicISub => with(&u64::wrapping_sub),
            Op::AtomicIIncrement => old.map(|old| old.wrapping_add(1) & mask),
            Op::AtomicIDecrement => old.map(|old| old.wrapping_sub(1) & mask),
            Op::AtomicAnd => with(&|a, b| a & b),
            Op::AtomicOr => with(&|a, b| a | b),
            Op::AtomicXor => with(&|a, b| a ^ b),
            Op::AtomicUMin => with(&u64::min),
            Op::AtomicUMax => with(&u64::max),
            Op::AtomicSMin => with(&|a, b| if signed(a) < signed(b) { a } else { b }),
            Op::AtomicSMax => with(&|a, b| if signed(a) > signed(b) { a } else { b }),
            Op::AtomicCompareExchange => {
                let comparator = operand(5);
                if old.is_some() && old == comparator { operand(4) } else { old }
            }
            _ => None,
        };
        self.write(program, &pointer, ty, &[new]);
    }
}

/// A byte of the last snapshot before a record that has it.
fn snapshot_byte(timeline: &Timeline, record: usize, address: u64) -> Option<u8> {
    let snapshots = timeline.trace.snapshots.iter().rev();
    let mut of_time = snapshots.filter(|snapshot| snapshot.record <= record + 1);
    of_time.find_map(|snapshot| {
        let at = address.checked_sub(snapshot.base)?;
        snapshot.bytes.get(usize::try_from(at).ok()?).copied()
    })
}
