//! Where a shader's code comes from, for profilers ([`pyro_abi::shader_map`]).

use crate::Shader;
use crate::location::LocationTable;
use crate::stage_name::stage_name;
use pyro_abi::shader_map::{NO_FILE, ShaderMap, ShaderPlace, SourceFile};
use pyro_spirv::spirv::{ExecutionModel, Op};
use pyro_spirv::{FunctionIndex, Id, Inst, Module, instruction_text as spirv_text};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// A digest of a module's words.
pub(crate) fn digest(module: &Module) -> u64 {
    let mut hasher = FxHasher::default();
    module.words().hash(&mut hasher);
    hasher.finish()
}

/// The files of a module's source, each once.
pub(crate) struct Files<'m> {
    module: &'m Module,
    numbers: FxHashMap<Id, u32>,
    pub(crate) all: Vec<SourceFile>,
}

impl<'m> Files<'m> {
    pub(crate) fn new(module: &'m Module) -> Files<'m> {
        Files { module, numbers: FxHashMap::default(), all: Vec::new() }
    }

    /// The file and line of an instruction; [`NO_FILE`] and zero where they are not known.
    pub(crate) fn place_of(&mut self, inst: Inst) -> (u32, u32) {
        self.module.location(inst).map_or((NO_FILE, 0), |at| (self.of(at.source), at.line))
    }

    /// The number of the file of a location's source.
    pub(crate) fn of(&mut self, source: Id) -> u32 {
        let (module, all) = (self.module, &mut self.all);
        *self.numbers.entry(source).or_insert_with(|| {
            let name = module.source_file(source).unwrap_or_default().into_owned();
            let text = numbered_from_one(module.source_text(source).unwrap_or_default());
            // A file may have an `OpString` and several `DebugSource`s.
            let same = all.iter().position(|file: &SourceFile| file.name == name && !name.is_empty());
            let number = same.unwrap_or_else(|| {
                all.push(SourceFile { name, text: String::new() });
                all.len() - 1
            });
            if all[number].text.is_empty() {
                all[number].text = text;
            }
            number as u32
        })
    }
}

/// A source's text without what compilers put before it: comments, up to the directive that begins the first
/// line (glslang).
fn numbered_from_one(text: String) -> String {
    match text.split_once("#line 1\n") {
        Some((before, rest)) if before.lines().all(|line| line.starts_with("//")) => rest.to_owned(),
        _ => text,
    }
}

/// The name of a function: the entry point's, or the one that debug information gives, without what
/// compilers add to it.
pub(crate) fn function_name(module: &Module, function: FunctionIndex) -> String {
    let id = module.function(function).id;
    let entry = module.entry_points().find(|entry| entry.function == id).map(|entry| entry.name());
    let name = module.name(id).filter(|name| !name.is_empty()).or(entry);
    let name = name.map_or_else(|| id.to_string(), |name| name.into_owned());
    // glslang puts the types of parameters behind the name.
    match name.split_once('(') {
        Some((name, _)) if !name.is_empty() => name.to_owned(),
        _ => name,
    }
}

/// The functions of a module, each once.
struct Functions<'m> {
    module: &'m Module,
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// Those that an instruction is in by its function and the `DebugInlinedAt` around it.
    known: FxHashMap<(FunctionIndex, Vec<Id>, String), Vec<u32>>,
}

impl<'m> Functions<'m> {
    fn new(module: &'m Module) -> Functions<'m> {
        Functions { module, names: Vec::new(), numbers: FxHashMap::default(), known: FxHashMap::default() }
    }

    fn number(&mut self, name: String) -> u32 {
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            names.len() as u32 - 1
        })
    }

    /// The functions of the source that an instruction is in: its function, and those whose calls are inlined
    /// there, from the outside in. None outside all blocks.
    fn of(&mut self, inst: Inst) -> Vec<u32> {
        let module = self.module;
        let Some(block) = module.block_with(inst) else { return Vec::new() };
        let function = module.block(block).function;
        let calls = module.inlined_at(inst).unwrap_or_default();
        let innermost = match calls.is_empty() {
            true => String::new(),
            false => module.debug_function_name(inst).unwrap_or_default(),
        };
        let key = (function, calls, innermost);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut all = vec![self.number(function_name(module, function))];
        // Each call is made in the function that the one around it calls.
        let callers =
            key.1.iter().rev().skip(1).map(|call| module.inlined_call(*call).map(|call| call.caller));
        let named = callers.map(Option::unwrap_or_default).chain((!key.1.is_empty()).then(|| key.2.clone()));
        for name in named {
            let name = if name.is_empty() { "a function".to_owned() } else { name };
            all.push(self.number(name));
        }
        self.known.insert(key, all.clone());
        all
    }
}

/// What a shader's code is attributed to.
pub(crate) fn of(shader: &Shader<'_>, model: ExecutionModel, locations: &LocationTable) -> ShaderMap {
    let module = shader.checked.module();
    let mut files = Files::new(module);
    // The file of the entry point is the first, whatever is inlined before it.
    let first = locations.sources.iter().flatten().next();
    first.iter().for_each(|location| _ = files.of(location.source));
    let mut functions = Functions::new(module);
    // Of each call: the functions that called one another, up to the one that calls.
    let mut callers: Vec<Vec<u32>> = Vec::new();
    for (number, &(outer, call)) in locations.calls.iter().enumerate() {
        let mut stack = if number == 0 { Vec::new() } else { callers[outer as usize].clone() };
        stack.extend(if number == 0 { Vec::new() } else { functions.of(call) });
        callers.push(stack);
    }
    let mut stacks = FxHashMap::<Vec<u32>, u32>::from_iter([(Vec::new(), 0)]);
    let mut instructions = Vec::new();
    let places = locations.sources.iter().zip(&locations.insts).enumerate().map(
        |(number, (source, &(inst, call)))| {
            if number == 0 {
                return None;
            }
            let mut stack = callers.get(call as usize).cloned().unwrap_or_default();
            stack.extend(functions.of(inst));
            let function = stack.pop().unwrap_or(NO_FILE);
            let next = stacks.len() as u32;
            let callers = *stacks.entry(stack).or_insert(next);
            instructions.push(instruction_text(module, inst));
            Some(ShaderPlace {
                file: source.map_or(NO_FILE, |source| files.of(source.source)),
                line: source.map_or(0, |source| source.line),
                column: source.map_or(0, |source| source.column),
                function,
                callers,
                instruction: instructions.len() as u32 - 1,
            })
        },
    );
    let places = places.collect();
    let mut lists = vec![Vec::new(); stacks.len()];
    stacks.into_iter().for_each(|(stack, number)| lists[number as usize] = stack);
    ShaderMap {
        module: digest(module),
        stage: stage_name(model).to_owned(),
        entry_point: shader.entry_point.to_owned(),
        files: files.all,
        functions: functions.names,
        callers: lists,
        instructions,
        places,
    }
}

/// An instruction as assembly. What begins a block, and debug information, is what surrounds it.
fn instruction_text(module: &Module, inst: Inst) -> String {
    let inst = module.inst(inst);
    match inst.op() {
        Op::Label => "(start of a block)".to_owned(),
        Op::Line | Op::NoLine => "(between instructions)".to_owned(),
        _ => spirv_text(inst),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_compilers_put_before_a_text_is_no_line_of_it() {
        let of = |text: &str| numbered_from_one(text.to_owned());
        assert_eq!(of("// OpModuleProcessed client vulkan100\n#line 1\nfirst\n"), "first\n");
        assert_eq!(of("first\n#line 1\nsecond\n"), "first\n#line 1\nsecond\n");
        assert_eq!(of("// a comment\nfirst\n"), "// a comment\nfirst\n");
    }
}
