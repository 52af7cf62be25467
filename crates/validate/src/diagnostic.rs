//! What is found.

use std::borrow::Cow;

use pyro_spirv::{Inst, Module, instruction_text};

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

/// An instruction, for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The instruction.
    pub inst: Inst,
    /// Words from the start of the module.
    pub word_offset: usize,
    /// The instruction as assembly.
    pub text: String,
}

impl Place {
    pub(crate) fn of(module: &Module, inst: Inst) -> Place {
        let mut text = instruction_text(module.inst(inst));
        // Some instructions carry whole source texts.
        const TEXT_LEN_MAX: usize = 200;
        if text.len() > TEXT_LEN_MAX {
            let end = (0..=TEXT_LEN_MAX).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            text.truncate(end);
            text.push('…');
        }
        Place { inst, word_offset: module.word_offset(inst), text }
    }
}
