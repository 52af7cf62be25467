//! A shader as a debugger sees it: the module with its constants, and where in the source instructions are.

use crate::inlining::{InlinedCall, Inlining};
use pyro_abi::report::Sites;
use pyro_abi::trace::TraceTable;
use pyro_sanitizer::trace::module_digest;
use pyro_spirv::spirv::Op;
use pyro_spirv::{
    ConstantValues, ExtInstSet, FunctionIndex, Id, Inst, Instruction, Module, Specialization,
    SpecializedModule,
};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What naga says that it is, in the low half of the word.
const NAGA: u32 = 28;
/// Lines of a disassembly before the first instruction.
const DISASSEMBLY_HEADER_LINES: u32 = 5;

/// A text that instructions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file's name as the module has it; of disassemblies a name of our own.
    pub name: String,
    /// The text, with the lines by which instructions name them; none where the module does not carry it.
    pub text: Option<String>,
}

/// A place in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index in [`Program::sources`].
    pub source: usize,
    /// From 1.
    pub line: u32,
    /// From 1; zero where it is not known.
    pub column: u32,
}

/// A module, with its sources.
pub struct Program {
    /// Its digest ([`module_digest`]).
    pub digest: u64,
    specialized: SpecializedModule,
    /// Its sources; the last is its disassembly.
    pub sources: Vec<Source>,
    /// By instruction: where it comes from; empty where the module has no lines.
    places: Vec<Option<Place>>,
    counts: std::cell::RefCell<rustc_hash::FxHashMap<Id, Option<usize>>>,
    local_names: OnceCell<BTreeMap<u32, Vec<LocalName>>>,
    inlining: Inlining,
}

/// A variable of the source ([`Program::local_names`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalName {
    /// Its name.
    pub name: String,
    /// From this instruction on.
    pub inst: u32,
    /// The variable that holds it, or the value that it has from here on.
    pub id: Id,
    /// It is a variable (`DebugDeclare`), not a value (`DebugValue`).
    pub is_variable: bool,
    /// The inlined calls that it is in, from the inside out.
    pub calls: Vec<Id>,
}

/// The text with each line at its number.
fn numbered(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let mut next = 1usize;
    for line in text.lines() {
        let directive = line.trim_start().strip_prefix("#line");
        if let Some(number) = directive.and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok())
        {
            // What came before was of the compiler's making.
            next = number.clamp(1, 1 << 20);
            continue;
        }
        if lines.len() < next {
            lines.resize(next, "");
        }
        lines[next - 1] = line;
        next += 1;
    }
    let mut out = lines.join("\n");
    out.push('\n');
    out
}

impl Program {
    /// Of a module's words, and specialization constants by their bytes.
    ///
    /// # Errors
    /// When the words are not a module.
    pub fn new(words: &[u32], specialization: &[(u32, Vec<u8>)]) -> Result<Program, String> {
        let digest = module_digest(words);
        let module = Module::decode(words).map_err(|error| format!("a shader module: {error}"))?;
        let module = Arc::new(module);
        let mut given = Specialization::new();
        specialization.iter().for_each(|(id, bytes)| given.set_bytes(*id, bytes));
        let specialized = SpecializedModule::new(Arc::clone(&module), given)
            .map_err(|error| format!("a shader module: {error}"))?;
        let mut program = Program {
            digest,
            specialized,
            sources: Vec::new(),
            places: Vec::new(),
            counts: Default::default(),
            local_names: OnceCell::new(),
            inlining: Inlining::default(),
        };
        let known = program.find_places(&module);
        program.inlining = program.find_inlined(&module, &known);
        program.sources.push(Source {
            name: format!("shader-{digest:016x}.spvasm"),
            text: Some(pyro_spirv::disassemble(&module)),
        });
        Ok(program)
    }

    /// Of a kernel's table.
    ///
    /// # Errors
    /// As of [`Program::new`].
    pub fn of_table(table: &TraceTable) -> Result<Program, String> {
        Program::new(&table.words, &table.specialization)
    }

    /// Finds where instructions are; gives the numbers of sources by their ids.
    fn find_places(&mut self, module: &Module) -> BTreeMap<u32, usize> {
        let mut known: BTreeMap<u32, usize> = BTreeMap::new();
        let mut places = vec![None; module.inst_count()];
        let mut has_lines = false;
        for function in module.functions() {
            let data = module.function(function);
            for index in data.inst.as_u32()..data.end.as_u32() {
                let Some(location) = module.location(Inst::from_u32(index)) else { continue };
                if location.line == 0 {
                    continue;
                }
                let source = *known.entry(location.source.as_u32()).or_insert_with(|| {
                    let name = module.source_file(location.source).unwrap_or_default().into_owned();
                    let name = if name.is_empty() { format!("shader-{:016x}", self.digest) } else { name };
                    let text = module.source_text(location.source).map(|text| numbered(&text));
                    // `OpString` and `DebugSource` may name one file.
                    match self.sources.iter().position(|known| known.name == name) {
                        Some(known) => {
                            let known_text = &mut self.sources[known].text;
                            *known_text = known_text.take().or(text);
                            known
                        }
                        None => {
                            self.sources.push(Source { name, text });
                            self.sources.len() - 1
                        }
                    }
                });
                has_lines = true;
                places[index as usize] = Some(Place { source, line: location.line, column: location.column });
            }
        }
        if has_lines {
            self.places = places;
        }
        if module.header().generator == NAGA {
            self.mend_lines_of_naga(module);
        }
        known
    }

    fn find_inlined(&self, module: &Module, known: &BTreeMap<u32, usize>) -> Inlining {
        let place_of = |source: Id, line: u32| {
            let by_name = || {
                let name = module.source_file(source)?;
                self.sources.iter().position(|known| known.name == name)
            };
            let source = known.get(&source.as_u32()).copied().or_else(by_name)?;
            Some(Place { source, line, column: 0 })
        };
        Inlining::new(module, place_of)
    }

    /// Its inlined calls.
    pub fn inlining(&self) -> &Inlining {
        &self.inlining
    }

    /// The name of the function of the source that an instruction is of.
    pub fn source_function_name(&self, inst: u32) -> Option<String> {
        self.module().debug_function_name(Inst::from_u32(inst)).filter(|name| !name.is_empty())
    }

    /// naga gives instructions that it adds to an expression, such as loads, the first line and column of the
    /// file. They are part of what follows.
    fn mend_lines_of_naga(&mut self, module: &Module) {
        let mut behind = None;
        for (index, place) in self.places.iter_mut().enumerate().rev() {
            let block = module.block_with(Inst::from_u32(index as u32));
            match place {
                Some(Place { line: 1, column: 1, .. }) => {
                    *place = behind.filter(|(of, _)| *of == block).map(|(_, place)| place);
                }
                Some(place) => behind = Some((block, *place)),
                None => {}
            }
        }
    }

    /// The module.
    pub fn module(&self) -> &Module {
        self.specialized.module()
    }

    /// The values of its constants.
    pub fn constants(&self) -> ConstantValues<'_> {
        self.specialized.constants()
    }

    /// Whether it has lines of a source.
    pub fn has_lines(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether it stands for a CUDA kernel, whose source is PTX: its variables are registers.
    pub fn is_kernel(&self) -> bool {
        self.sources.first().is_some_and(|source| source.name.ends_with(".ptx"))
    }

    /// The index of the disassembly among the sources.
    pub fn disassembly(&self) -> usize {
        self.sources.len() - 1
    }

    /// Where in the source an instruction is; without lines, where in the disassembly.
    pub fn place(&self, inst: u32) -> Option<Place> {
        if self.has_lines() {
            return self.places.get(inst as usize).copied().flatten();
        }
        Some(self.disassembly_place(inst))
    }

    /// Where in the disassembly an instruction is.
    pub fn disassembly_place(&self, inst: u32) -> Place {
        Place { source: self.disassembly(), line: DISASSEMBLY_HEADER_LINES + inst + 1, column: 0 }
    }

    /// The instructions of a source's line, or of functions whose calls there are inlined; of the first line
    /// behind it that has some where it has none.
    pub fn insts_of_line(&self, source: usize, line: u32) -> Option<(u32, Vec<u32>)> {
        if source == self.disassembly() {
            let module = self.module();
            let first = line.saturating_sub(DISASSEMBLY_HEADER_LINES + 1);
            let is_code = |inst: &u32| {
                let inst = module.inst(Inst::from_u32(*inst));
                module.block_with(inst.index()).is_some() && !is_hidden(inst)
            };
            let inst = (first..module.inst_count() as u32).find(is_code)?;
            return Some((inst + DISASSEMBLY_HEADER_LINES + 1, vec![inst]));
        }
        let of_source =
            |place: &Option<Place>| place.filter(|place| place.source == source && place.line >= line);
        let is_code = |index: usize| !is_hidden(self.module().inst(Inst::from_u32(index as u32)));
        let code = self.places.iter().enumerate().filter(|(index, _)| is_code(*index));
        let found = code.clone().filter_map(|(_, place)| of_source(place)).map(|place| place.line).min();
        let call_line =
            |call: &InlinedCall| Some((of_source(&call.place)?.line, self.first_code(call.first)?));
        let calls = self.inlining.calls().filter_map(call_line);
        let of_call = calls.clone().map(|(line, _)| line).min();
        if let Some(line) = of_call.filter(|line| found.is_none_or(|found| *line < found)) {
            return Some((line, calls.filter(|(at, _)| *at == line).map(|(_, inst)| inst).collect()));
        }
        let found = found?;
        let insts = code.filter(|(_, place)| of_source(place).is_some_and(|place| place.line == found));
        Some((found, insts.map(|(index, _)| index as u32).collect()))
    }

    /// The first instruction from one on, in its block, at which one can stop.
    pub fn first_code(&self, inst: u32) -> Option<u32> {
        let module = self.module();
        let last = module.block(module.block_with(Inst::from_u32(inst))?).terminator.as_u32();
        (inst..=last).find(|inst| !is_hidden(module.inst(Inst::from_u32(*inst))))
    }

    /// All lines of a source that have code.
    pub fn code_lines(&self, source: usize) -> Vec<u32> {
        let places = self.places.iter().flatten().filter(|place| place.source == source);
        let mut lines: Vec<u32> = places.map(|place| place.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The instruction with a number.
    pub fn inst(&self, inst: u32) -> Option<Instruction<'_>> {
        ((inst as usize) < self.module().inst_count()).then(|| self.module().inst(Inst::from_u32(inst)))
    }

    /// The function that an instruction is in.
    pub fn function_with(&self, inst: u32) -> Option<FunctionIndex> {
        let module = self.module();
        module.functions().find(|&function| {
            let data = module.function(function);
            (data.inst.as_u32()..=data.end.as_u32()).contains(&inst)
        })
    }

    /// A function's name.
    pub fn function_name(&self, function: Id) -> String {
        let module = self.module();
        let name = module.name(function).filter(|name| !name.is_empty()).map(|name| name.into_owned());
        // GLSL's have their parameters' types behind a parenthesis.
        let name = name.map(|name| name.split('(').next().unwrap_or_default().to_owned());
        let entry = || {
            let mut entries = module.entry_points();
            entries.find(|entry| entry.function == function).map(|entry| entry.name().into_owned())
        };
        name.or_else(entry).unwrap_or_else(|| function.to_string())
    }

    /// Scalars of a value of a type; none for types of no known size.
    pub fn scalar_count(&self, ty: Id) -> Option<usize> {
        if let Some(&known) = self.counts.borrow().get(&ty) {
            return known;
        }
        let count = self.find_scalar_count(ty);
        self.counts.borrow_mut().insert(ty, count);
        count
    }

    fn find_scalar_count(&self, ty: Id) -> Option<usize> {
        use pyro_spirv::Type;
        let constants = self.constants();
        match self.module().ty(ty) {
            Type::Bool | Type::Int { .. } | Type::Float { .. } => Some(1),
            Type::Struct { members } => members.iter().map(|member| self.scalar_count(member)).sum(),
            Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::CooperativeVector { .. } => {
                let count = constants.element_count(ty)?;
                let element = constants.element_type(ty, 0)?;
                usize::try_from(count)
                    .ok()?
                    .checked_mul(self.scalar_count(element)?)
                    .filter(|&all| all <= 1 << 22)
            }
            Type::Pointer { class: pyro_spirv::spirv::StorageClass::PhysicalStorageBuffer, .. } => Some(1),
            // Images and other handles are one word that is not shown.
            Type::Image(_) | Type::Sampler | Type::SampledImage { .. } | Type::AccelerationStructure => {
                Some(1)
            }
            _ => None,
        }
    }

    /// The variables of the source that a function has, by NonSemantic.Shader.DebugInfo, in order.
    pub fn local_names(&self, function: FunctionIndex) -> &[LocalName] {
        let all = self.local_names.get_or_init(|| {
            let module = self.module();
            let mut all: BTreeMap<u32, Vec<LocalName>> = BTreeMap::new();
            for function in module.functions() {
                let data = module.function(function);
                let insts = data.inst.as_u32()..data.end.as_u32();
                let names = insts.filter_map(|index| debug_name(module, module.inst(Inst::from_u32(index))));
                all.insert(function.as_u32(), names.collect());
            }
            all
        });
        all.get(&function.as_u32()).map_or(&[], |names| names)
    }
}

/// Whether an instruction is one at which nothing stops.
pub fn is_hidden(inst: Instruction<'_>) -> bool {
    let op = inst.op();
    let is_debug = inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
    is_debug
        || matches!(
            op,
            Op::Line
                | Op::NoLine
                | Op::Label
                | Op::Function
                | Op::FunctionParameter
                | Op::FunctionEnd
                | Op::SelectionMerge
                | Op::LoopMerge
                | Op::Variable
                | Op::Nop
        )
}

/// Numbers of instructions of the debug information.
const DEBUG_LOCAL_VARIABLE: u32 = 26;
const DEBUG_DECLARE: u32 = 28;
const DEBUG_VALUE: u32 = 29;

/// What a `DebugDeclare` or `DebugValue` says.
fn debug_name(module: &Module, inst: Instruction<'_>) -> Option<LocalName> {
    let (set, number) = inst.ext_inst()?;
    if set != ExtInstSet::NonSemanticShaderDebugInfo100 || !matches!(number, DEBUG_DECLARE | DEBUG_VALUE) {
        return None;
    }
    let variable = module.definition(inst.get_id(2)?)?;
    let (_, DEBUG_LOCAL_VARIABLE) = variable.ext_inst()? else { return None };
    let mut name = module.debug_string(variable.get_id(2)?)?.into_owned();
    // A part of a variable that is in no memory has indices.
    let indices: Vec<Id> = (5..).map_while(|place| inst.get_id(place)).collect();
    if !indices.is_empty() {
        name += &module.debug_path(variable.get_id(3)?, &indices)?;
    }
    Some(LocalName {
        name,
        inst: inst.index().as_u32(),
        id: inst.get_id(3)?,
        is_variable: number == DEBUG_DECLARE,
        calls: module.inlined_at(inst.index()).unwrap_or_default(),
    })
}

/// The programs of tables, each made once.
#[derive(Default)]
pub struct Programs {
    all: Vec<std::rc::Rc<Program>>,
}

impl Programs {
    /// The program of a table.
    ///
    /// # Errors
    /// As of [`Program::new`].
    pub fn of(&mut self, sites: &Sites) -> Result<std::rc::Rc<Program>, String> {
        let table = sites.trace.as_deref().ok_or("a kernel is not traced")?;
        let digest = module_digest(&table.words);
        let is_known = |program: &&std::rc::Rc<Program>| {
            program.digest == digest
                && program.specialized.specialization().to_bytes() == table.specialization
        };
        if let Some(known) = self.all.iter().find(is_known) {
            return Ok(known.clone());
        }
        let program = std::rc::Rc::new(Program::of_table(table)?);
        self.all.push(program.clone());
        Ok(program)
    }
}
