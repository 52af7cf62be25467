//! Source locations: `OpLine`, and lines and sources of NonSemantic.Shader.DebugInfo.100.

use crate::ext::ExtInstSet;
use crate::grammar::is_ext_inst;
use crate::id::{FunctionIndex, Id, Inst};
use crate::instruction::Instruction;
use crate::module::Module;
use spirv::{NonsemanticShaderDebuginfo100Op as DebugOp, Op};
use std::borrow::Cow;

/// A place in the source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// An `OpString` (from `OpLine`) or a `DebugSource`; see [`Module::source_file`] and
    /// [`Module::source_text`].
    pub source: Id,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; zero when not known.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Last column; zero when not known.
    pub end_column: u32,
}

/// Calls in one another that are looked at.
const INLINED_DEPTH_MAX: usize = 16;
/// Blocks in one another that are looked at.
const SCOPE_DEPTH_MAX: usize = 64;

/// A call that a front end has put the callee's body in the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedCall {
    /// The source of the call, as of [`SourceLocation::source`].
    pub source: Option<Id>,
    /// The line of the call.
    pub line: u32,
    /// The name of the function that calls; empty where it has none.
    pub caller: String,
}

impl Module {
    /// The inlined calls that an instruction stands in (`DebugInlinedAt`), from the inside out.
    pub fn inlined_calls(&self, inst: Inst) -> Vec<InlinedCall> {
        let calls = self.inlined_at(inst).unwrap_or_default();
        calls.into_iter().filter_map(|call| self.inlined_call(call)).collect()
    }

    /// What a `DebugInlinedAt` says.
    pub fn inlined_call(&self, call: Id) -> Option<InlinedCall> {
        let call = self.debug_inst(call, DebugOp::DebugInlinedAt)?;
        let line = call.get_id(2).and_then(|id| self.literal_of(id)).unwrap_or(0);
        let caller = call.get_id(3).and_then(|scope| self.debug_function_of(scope));
        let name = caller.and_then(|caller| self.debug_string(caller.get_id(2)?)).map(Cow::into_owned);
        let source = caller.and_then(|caller| caller.get_id(4));
        Some(InlinedCall { source, line, caller: name.unwrap_or_default() })
    }

    /// The name of the function of the source that an instruction is of: the innermost, where calls are
    /// inlined.
    pub fn debug_function_name(&self, inst: Inst) -> Option<String> {
        let function = self.debug_function_of(self.scope_mark(inst)?.get_id(2)?)?;
        self.debug_string(function.get_id(2)?).map(Cow::into_owned)
    }

    /// The `DebugScope` that holds at an instruction.
    fn scope_mark(&self, inst: Inst) -> Option<Instruction<'_>> {
        let after = self.scope_marks.partition_point(|mark| *mark <= inst);
        let mark = self.inst(*self.scope_marks[..after].last()?);
        let is_scope = mark.word(1) == DebugOp::DebugScope as u32;
        (is_scope && self.block_with(mark.index()) == self.block_with(inst)).then_some(mark)
    }

    /// The `DebugInlinedAt` of the calls that an instruction stands in, from the inside out; none where no
    /// scope is said.
    pub fn inlined_at(&self, inst: Inst) -> Option<Vec<Id>> {
        let mut calls = Vec::new();
        let mut next = self.scope_mark(inst)?.get_id(3);
        while let Some(id) = next
            && let Some(call) = self.debug_inst(id, DebugOp::DebugInlinedAt)
            && calls.len() < INLINED_DEPTH_MAX
        {
            calls.push(id);
            next = call.get_id(4);
        }
        Some(calls)
    }

    /// What indices lead to in a variable of a type of the debug information, as the source has it:
    /// `.weight`, `[2]`, `.x`; none where they lead nowhere.
    pub fn debug_path(&self, mut ty: Id, indices: &[Id]) -> Option<String> {
        let mut path = String::new();
        for &index in indices {
            let index = self.literal_of(index)?;
            if let Some(composite) = self.debug_inst(ty, DebugOp::DebugTypeComposite) {
                let members = (11..).map_while(|place| composite.get_id(place));
                let members = members.filter_map(|one| self.debug_inst(one, DebugOp::DebugTypeMember));
                let member = members.into_iter().nth(index as usize)?;
                path += &format!(".{}", self.debug_string(member.get_id(2)?)?);
                ty = member.get_id(3)?;
            } else if let Some(vector) = self.debug_inst(ty, DebugOp::DebugTypeVector) {
                path += match index {
                    0 => ".x",
                    1 => ".y",
                    2 => ".z",
                    3 => ".w",
                    _ => return None,
                };
                ty = vector.get_id(2)?;
            } else {
                let array = self.debug_inst(ty, DebugOp::DebugTypeArray);
                let array = array.or_else(|| self.debug_inst(ty, DebugOp::DebugTypeMatrix))?;
                path += &format!("[{index}]");
                // Of the further dimensions, the type of the element is the same.
                if array.get_id(4).is_none() || array.word(1) == DebugOp::DebugTypeMatrix as u32 {
                    ty = array.get_id(2)?;
                }
            }
        }
        Some(path)
    }

    /// The `DebugFunction` that a scope is in.
    fn debug_function_of(&self, mut scope: Id) -> Option<Instruction<'_>> {
        for _ in 0..SCOPE_DEPTH_MAX {
            if let Some(function) = self.debug_inst(scope, DebugOp::DebugFunction) {
                return Some(function);
            }
            scope = self.debug_inst(scope, DebugOp::DebugLexicalBlock)?.get_id(5)?;
        }
        None
    }

    /// The debug instruction that an id is the result of, when it is this one.
    fn debug_inst(&self, id: Id, op: DebugOp) -> Option<Instruction<'_>> {
        let inst = self.definition(id)?;
        let is = inst.ext_inst() == Some((ExtInstSet::NonSemanticShaderDebugInfo100, op as u32));
        is.then_some(inst)
    }

    /// Where in the source an instruction comes from.
    ///
    /// A line holds from where it is set to where another is set or ended, or to the end of the block.
    pub fn location(&self, inst: Inst) -> Option<SourceLocation> {
        let after = self.line_marks.partition_point(|mark| *mark <= inst);
        let mark = self.inst(self.line_marks[..after].last().copied()?);
        if self.block_with(mark.index()) != self.block_with(inst) {
            return None;
        }
        match mark.op() {
            Op::Line => Some(SourceLocation {
                source: mark.id(0),
                line: mark.word(1),
                column: mark.word(2),
                end_line: mark.word(1),
                end_column: 0,
            }),
            op if is_ext_inst(op) && mark.word(1) == DebugOp::DebugLine as u32 => {
                let number = |position| self.literal_of(mark.get_id(position)?);
                Some(SourceLocation {
                    source: mark.get_id(2)?,
                    line: number(3)?,
                    end_line: number(4)?,
                    column: number(5).unwrap_or(0),
                    end_column: number(6).unwrap_or(0),
                })
            }
            _ => None,
        }
    }

    /// The name of the file of a [`SourceLocation::source`].
    pub fn source_file(&self, source: Id) -> Option<Cow<'_, str>> {
        match self.debug_source(source) {
            Some(inst) => self.debug_string(inst.get_id(2)?),
            None => self.debug_string(source),
        }
    }

    /// The text of a [`SourceLocation::source`], when the module carries it.
    pub fn source_text(&self, source: Id) -> Option<String> {
        match self.debug_source(source) {
            Some(inst) => self.debug_source_text(inst),
            None => self.op_source_text(source),
        }
    }

    /// A line of a source's text, by the numbers that instructions use: `#line` directives count.
    pub fn source_line(&self, source: Id, line: u32) -> Option<String> {
        let text = self.source_text(source)?;
        let mut numbered = numbered_lines(&text);
        numbered.find(|(number, _)| *number == line).map(|(_, text)| text.to_owned())
    }

    /// Where the source declares a module-scope variable, as well as can be told: the first place in the
    /// source's text, comments and directives left out, that has its name, or else what its
    /// `DebugGlobalVariable` says.
    pub fn declaration_location(&self, variable: Id) -> Option<SourceLocation> {
        let by_name = self.name(variable).filter(|name| !name.is_empty()).and_then(|name| {
            let mut sources = self.global_insts().filter_map(|inst| match inst.op() {
                Op::Source => inst.get_id(2).filter(|_| inst.get_word(3).is_some()),
                op if is_ext_inst(op) => inst.result().filter(|&id| self.debug_source(id).is_some()),
                _ => None,
            });
            sources.find_map(|source| {
                let text = self.source_text(source)?;
                let (line, column) = find_word(&text, &name)?;
                Some(SourceLocation { source, line, column, end_line: line, end_column: 0 })
            })
        });
        by_name.or_else(|| {
            let op = DebugOp::DebugGlobalVariable as u32;
            let is_of = |inst: &Instruction<'_>| {
                inst.ext_inst() == Some((ExtInstSet::NonSemanticShaderDebugInfo100, op))
                    && inst.get_id(9) == Some(variable)
            };
            let inst = self.global_insts().find(is_of)?;
            let line = self.literal_of(inst.get_id(5)?)?;
            let column = inst.get_id(6).and_then(|id| self.literal_of(id)).unwrap_or(0);
            Some(SourceLocation { source: inst.get_id(4)?, line, column, end_line: line, end_column: 0 })
        })
    }

    /// Where the source declares a function, by its debug information or the line before it.
    pub fn function_location(&self, function: FunctionIndex) -> Option<SourceLocation> {
        let data = self.function(function);
        let at = |source, line| SourceLocation { source, line, column: 0, end_line: line, end_column: 0 };
        let is_definition = |inst: &Instruction<'_>| {
            let number = DebugOp::DebugFunctionDefinition as u32;
            inst.ext_inst() == Some((ExtInstSet::NonSemanticShaderDebugInfo100, number))
        };
        let insts = data.entry().into_iter().flat_map(|block| self.body(block));
        let declared = insts.into_iter().find(is_definition).and_then(|inst| {
            let function = self.definition(inst.get_id(2)?)?;
            Some(at(function.get_id(4)?, self.literal_of(function.get_id(5)?)?))
        });
        declared.or_else(|| {
            let line = self.inst(Inst::from_u32(data.inst.as_u32().checked_sub(1)?));
            (line.op() == Op::Line).then(|| at(line.id(0), line.word(1)))
        })
    }

    fn debug_source(&self, source: Id) -> Option<Instruction<'_>> {
        self.debug_inst(source, DebugOp::DebugSource)
    }

    /// `DebugSource`'s text with the `DebugSourceContinued` that follow it.
    fn debug_source_text(&self, inst: Instruction<'_>) -> Option<String> {
        let mut text = self.debug_string(inst.get_id(3)?)?.into_owned();
        for index in inst.index().as_u32() + 1..self.function_section {
            let next = self.inst(Inst::from_u32(index));
            let is_continued = next.ext_inst()
                == Some((ExtInstSet::NonSemanticShaderDebugInfo100, DebugOp::DebugSourceContinued as u32));
            if !is_continued {
                break;
            }
            text.push_str(&next.get_id(2).and_then(|id| self.debug_string(id))?);
        }
        Some(text)
    }

    /// The text of the `OpSource` whose file is this `OpString`, with the `OpSourceContinued` that follow
    /// it.
    fn op_source_text(&self, file: Id) -> Option<String> {
        let mut insts = self.global_insts().skip_while(|inst| {
            inst.op() != Op::Source || inst.get_id(2) != Some(file) || inst.get_word(3).is_none()
        });
        let mut text = insts.next()?.string(3).into_owned();
        for inst in insts.take_while(|inst| inst.op() == Op::SourceContinued) {
            text.push_str(&inst.string(0));
        }
        Some(text)
    }

    /// The number of an `OpConstant` of 32 bits.
    fn literal_of(&self, id: Id) -> Option<u32> {
        let inst = self.definition(id)?;
        (inst.op() == Op::Constant).then(|| inst.word(0))
    }
}

/// The lines of a text with their numbers, which `#line` directives set.
fn numbered_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut next = 1u32;
    text.lines().map(move |line| {
        let number = next;
        let directive = line.trim_start().strip_prefix("#line");
        let set = directive.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        next = set.unwrap_or_else(|| number.saturating_add(1));
        (number, line)
    })
}

/// The line and column, from 1, where a word first stands outside of comments and directives.
fn find_word(text: &str, word: &str) -> Option<(u32, u32)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for (number, line) in numbered_lines(text) {
        let code = line.split("//").next().unwrap_or(line);
        if code.trim_start().starts_with('#') {
            continue;
        }
        let mut from = 0;
        while let Some(at) = code[from..].find(word) {
            let (start, end) = (from + at, from + at + word.len());
            let is_whole = !code[..start].ends_with(is_part) && !code[end..].starts_with(is_part);
            if is_whole {
                return Some((number, code[..start].chars().count() as u32 + 1));
            }
            from = end;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_by_directives() {
        let text = "// a\n#line 1\nfirst\n  second; // third\n";
        let numbered: Vec<_> = numbered_lines(text).skip(2).collect();
        assert_eq!(numbered, [(1, "first"), (2, "  second; // third")]);
        assert_eq!(find_word(text, "second"), Some((2, 3)));
        assert_eq!(find_word(text, "third"), None);
        assert_eq!(find_word(text, "firs"), None);
        assert_eq!(find_word(text, "line"), None);
    }
}
