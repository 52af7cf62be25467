//! What modifies an instruction: the words behind its name.

use crate::error::{Result, invalid, unsupported};
use crate::module::Instruction;
use crate::types::{Space, Type};
use smallvec::SmallVec;

/// How a result that no float of the type is equal to is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To the nearest, of two to the even one.
    Nearest,
    /// Towards zero.
    Zero,
    /// Down.
    Down,
    /// Up.
    Up,
}

/// The words behind an instruction's name that have not been understood yet.
pub(super) struct Words<'i> {
    inst: &'i Instruction,
    rest: SmallVec<[&'i str; 8]>,
}

impl<'i> Words<'i> {
    pub(super) fn new(inst: &'i Instruction) -> Words<'i> {
        Words { inst, rest: inst.opcode.split('.').skip(1).collect() }
    }

    /// Whether the instruction looks at other threads or goes elsewhere, so that a predicate means to jump
    /// over it.
    pub(super) fn looks_around(&self) -> bool {
        match self.inst.name() {
            "bar" | "barrier" | "shfl" | "vote" | "match" | "activemask" | "redux" | "elect" | "call"
            | "membar" | "fence" => true,
            // Some are loops.
            "atom" | "red" => true,
            _ => false,
        }
    }

    /// Goes over a word, if it is there.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        match self.rest.iter().position(|&word| word == wanted) {
            Some(place) => {
                self.rest.remove(place);
                true
            }
            None => false,
        }
    }

    /// Goes over the first of some words that is there.
    pub(super) fn one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Option<T> {
        let place = self.rest.iter().position(|word| words.iter().any(|(known, _)| known == word))?;
        let word = self.rest.remove(place);
        words.iter().find(|&&(known, _)| known == word).map(|&(_, value)| value)
    }

    /// The first type among the words, if there is one.
    pub(super) fn type_if_any(&mut self) -> Option<Type> {
        let place = self.rest.iter().position(|word| Type::from_name(word).is_some())?;
        Type::from_name(self.rest.remove(place))
    }

    /// The first type among the words.
    pub(super) fn ty(&mut self) -> Result<Type> {
        match self.type_if_any() {
            Some(ty) => Ok(ty),
            None => {
                for (name, rule) in [("b128", "Types"), ("tf32", "Alternate Floating-Point Data Formats")] {
                    if self.rest.contains(&name) {
                        return unsupported(self.inst.line, rule, format!(".{name}"));
                    }
                }
                invalid(self.inst.line, "Types", format!("{} lacks a type", self.inst.opcode))
            }
        }
    }

    /// The state space among the words, if there is one.
    pub(super) fn space(&mut self) -> Option<Space> {
        let place = self.rest.iter().position(|word| Space::from_name(word).is_some())?;
        Space::from_name(self.rest.remove(place))
    }

    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        self.one_of(&[
            ("rn", Rounding::Nearest),
            ("rz", Rounding::Zero),
            ("rm", Rounding::Down),
            ("rp", Rounding::Up),
        ])
    }

    /// Goes over all words that only say how memory is likely to be used.
    pub(super) fn ignore_hints(&mut self) {
        const HINTS: [&str; 8] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak"];
        self.rest.retain(|word| {
            let is_prefetch = word.starts_with("L2::") && word.ends_with('B');
            let is_priority =
                (word.starts_with("L1::") || word.starts_with("L2::")) && *word != "L2::cache_hint";
            !(HINTS.contains(word) || is_prefetch || is_priority)
        });
    }

    /// Goes over the words that say how far away others see an access: all do here.
    pub(super) fn ignore_scope(&mut self) {
        const SCOPES: [&str; 4] = ["cta", "cluster", "gpu", "sys"];
        self.rest.retain(|word| !SCOPES.contains(word));
    }

    pub(super) fn ignore_rest(&mut self) {
        self.rest.clear();
    }

    /// That everything was understood.
    pub(super) fn done(&self) -> Result {
        match self.rest.first() {
            None => Ok(()),
            Some(word) => {
                let message = format!(".{word} in {}", self.inst.opcode);
                unsupported(self.inst.line, "Instruction Set", message)
            }
        }
    }
}
