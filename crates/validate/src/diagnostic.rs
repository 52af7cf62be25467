//! What is found.

use crate::describe::ids_of;
use pyro_spirv::spirv::Op;
use pyro_spirv::{Id, Inst, Module, instruction_text};
use std::borrow::Cow;
use std::fmt::Write as _;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: {message}{}", .place.as_ref().map(|place| format!(" (word {}: {})", place.word_offset, place.text)).unwrap_or_default())]
pub struct Diagnostic {
    /// The rule: a VUID, or the name of an instruction or section of the SPIR-V specification that says
    /// it.
    pub rule: Cow<'static, str>,
    /// What is wrong, in plain words.
    pub message: String,
    /// The instruction at fault; none when it is the module as a whole.
    pub place: Option<Place>,
}

/// How much a broken rule matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The module is not valid.
    Error,
    /// The module is not valid by the letter, but compilers in wide use make such modules, their authors can
    /// do nothing about it, and no implementation minds; or it is invalid only if all its paths can be taken.
    /// A module with nothing else counts as checked.
    Warning,
}

/// Rules whose breaking is a [`Severity::Warning`].
const WARNINGS: &[&str] = &[
    // Sources have no way to declare these capabilities, and compilers leave them out.
    "VUID-StandaloneSpirv-UniformBufferArrayDynamicIndexing-10127",
    "VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128",
    "VUID-StandaloneSpirv-StorageBufferArrayDynamicIndexing-10129",
    "VUID-StandaloneSpirv-StorageImageArrayDynamicIndexing-10130",
    "VUID-StandaloneSpirv-InputAttachmentArrayDynamicIndexing-10131",
    "VUID-StandaloneSpirv-UniformTexelBufferArrayDynamicIndexing-10132",
    "VUID-StandaloneSpirv-StorageTexelBufferArrayDynamicIndexing-10133",
    // Blocks and payloads with arrays sized by specialization constants.
    "VUID-StandaloneSpirv-Function-04681",
    // Which paths are taken shows at run time.
    "VUID-VkPipelineShaderStageCreateInfo-stage-06685",
    "VUID-VkPipelineShaderStageCreateInfo-stage-06686",
    "VUID-RuntimeSpirv-maintenance5-09190",
    "VUID-RuntimeSpirv-maintenance5-10934",
    // The later of the two has no effect.
    "Interpolation Decorations",
    // Shaders mean the same without what they print.
    crate::debug_printf::RULE,
    // Look-up tables for each view are what shaders have the built-in for.
    "VUID-StandaloneSpirv-MeshEXT-07111",
];

/// How much it matters that a rule is broken.
pub fn severity(rule: &str) -> Severity {
    if WARNINGS.contains(&rule) { Severity::Warning } else { Severity::Error }
}

/// An instruction, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The instruction.
    pub inst: Inst,
    /// Words from the start of the module.
    pub word_offset: usize,
    /// The instruction as assembly.
    pub text: String,
    /// The ids in it, each with what it is: its name, its type, its value; at most eight.
    pub ids: Vec<(Id, String)>,
    /// The line of the shader's source that it comes from, when the module has debug information.
    pub source: Option<SourceLine>,
}

/// A line of a shader's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's name; empty when the module does not say.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; zero when not known.
    pub column: u32,
    /// The line itself, when the module carries its source.
    pub text: Option<String>,
}

/// Where an id is defined; none for ids that nothing defines.
pub fn place_of(module: &Module, id: Id) -> Option<Place> {
    module.definition_index(id).map(|inst| Place::of(module, inst))
}

impl Place {
    pub(crate) fn of(module: &Module, inst: Inst) -> Place {
        let mut text = instruction_text(module.inst(inst));
        // Some instructions carry whole source texts.
        shorten(&mut text);
        let ids = ids_of(module, module.inst(inst));
        Place { inst, word_offset: module.word_offset(inst), text, ids, source: source_line(module, inst) }
    }
}

/// Cuts what is too long for a message.
fn shorten(text: &mut String) {
    const TEXT_LEN_MAX: usize = 200;
    if text.len() > TEXT_LEN_MAX {
        let end = (0..=TEXT_LEN_MAX).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
}

fn source_line(module: &Module, inst: Inst) -> Option<SourceLine> {
    let declared = || {
        let inst = module.inst(inst);
        let id = inst.result().filter(|&id| module.global(id).is_some())?;
        module.declaration_location(id)
    };
    // Of an entry point, where its function begins.
    let of_function = || {
        let entry = module.inst(inst);
        let function = matches!(entry.op(), Op::EntryPoint).then(|| entry.id(1))?;
        module.location(module.definition_index(function)?)
    };
    let location = module.location(inst).or_else(declared).or_else(of_function)?;
    let file = module.source_file(location.source).map(|file| file.into_owned()).unwrap_or_default();
    let text = module.source_line(location.source, location.line).map(|mut line| {
        shorten(&mut line);
        line
    });
    Some(SourceLine { file, line: location.line, column: location.column, text })
}

impl Diagnostic {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        severity(&self.rule)
    }

    /// The finding over several lines: rule and message, where it is, and the line of source with a caret
    /// under the column.
    pub fn render(&self) -> String {
        let mut out = format!("{}: {}\n", self.rule, self.message);
        let Some(place) = &self.place else { return out };
        if let Some(source) = &place.source {
            let _ = write!(out, "  --> {}:{}", source.file, source.line);
            if source.column != 0 {
                let _ = write!(out, ":{}", source.column);
            }
            out.push('\n');
            if let Some(text) = &source.text {
                let number = source.line.to_string();
                let gutter = " ".repeat(number.len());
                let _ = writeln!(out, "{gutter} |\n{number} | {text}");
                if source.column != 0 {
                    // Tabs stay tabs, so that the caret is under its character.
                    let before = text.chars().take(source.column as usize - 1);
                    let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
                    let _ = writeln!(out, "{gutter} | {indent}^");
                }
            }
        }
        let _ = writeln!(out, "  at word {}: {}", place.word_offset, place.text);
        for (id, what) in &place.ids {
            let _ = writeln!(out, "  where {id} is {what}");
        }
        out
    }
}
