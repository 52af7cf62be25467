//! What is undefined, in SPIR-V ([`crate::inject`]).

use super::Writer;
use crate::inject::{Bug, LINE, OTHER_LINE};
use crate::program::{ARRAY_WORDS, Expression, INPUT_WORDS, OUTPUT_WORDS};

/// The id of the file that lines are in.
pub(super) const FILE: &str = "%bug_file";

impl Writer<'_> {
    fn at_line(&mut self, line: u32) {
        self.line(&format!("OpLine {FILE} {line} 0"));
    }

    /// The invocation's number modulo a power of two, and a number: nothing that a compiler knows.
    fn unknown(&mut self, modulus: u32, more: u32) -> String {
        let local = self.value(&Expression::LocalIndex, "x");
        let (mask, more) = (self.constant(modulus - 1), self.constant(more));
        let masked = self.let_(&format!("OpBitwiseAnd %uint {local} {mask}"));
        self.let_(&format!("OpIAdd %uint {masked} {more}"))
    }

    /// A word that is the invocation's own.
    fn own_word(&mut self) -> String {
        let id = self.value(&Expression::GlobalId, "x");
        let (stride, zero) = (self.constant(OUTPUT_WORDS), self.constant(0));
        let row = self.let_(&format!("OpIMul %uint {id} {stride}"));
        self.let_(&format!("OpAccessChain %word_pointer %output {zero} {row}"))
    }

    /// Writes what is undefined; its lines end with it.
    pub(super) fn bug(&mut self, bug: Bug) {
        let one = self.constant(1);
        let value = self.unknown(4, 5);
        match bug {
            Bug::RaceWorkgroup => {
                let size = self.constant(self.program.workgroup_size);
                let local = self.value(&Expression::LocalIndex, "x");
                let own = self.let_(&format!("OpAccessChain %shared_pointer %shared {local}"));
                self.at_line(OTHER_LINE);
                self.line(&format!("OpStore {own} {value}"));
                let next = self.let_(&format!("OpIAdd %uint {local} {one}"));
                let next = self.let_(&format!("OpUMod %uint {next} {size}"));
                let theirs = self.let_(&format!("OpAccessChain %shared_pointer %shared {next}"));
                self.at_line(LINE);
                self.let_(&format!("OpLoad %uint {theirs} Volatile"));
            }
            Bug::RaceBuffer => {
                let zero = self.constant(0);
                let pointer = self.let_(&format!("OpAccessChain %word_pointer %output {zero} {zero}"));
                self.at_line(LINE);
                self.line(&format!("OpStore {pointer} {value}"));
            }
            Bug::BoundsPrivate => {
                let index = self.unknown(2, ARRAY_WORDS);
                let pointer = self.let_(&format!("OpAccessChain %local_pointer %elements {index}"));
                self.at_line(LINE);
                self.let_(&format!("OpLoad %uint {pointer}"));
            }
            Bug::BoundsBuffer => {
                let (index, zero) = (self.unknown(8, INPUT_WORDS), self.constant(0));
                let pointer = self.let_(&format!("OpAccessChain %word_pointer %input {zero} {index}"));
                self.at_line(LINE);
                self.let_(&format!("OpLoad %uint {pointer}"));
            }
            Bug::Uninitialized => {
                let variable = self.variable("unwritten");
                let pointer = self.own_word();
                let read = self.let_(&format!("OpLoad %uint {variable}"));
                let sum = self.let_(&format!("OpIAdd %uint {read} {value}"));
                self.at_line(LINE);
                self.line(&format!("OpStore {pointer} {sum}"));
            }
            Bug::Divide => {
                let zero = self.unknown(1, 0);
                self.at_line(LINE);
                self.let_(&format!("OpUDiv %uint {value} {zero}"));
            }
            Bug::Shift => {
                let amount = self.unknown(8, 32);
                self.at_line(LINE);
                self.let_(&format!("OpShiftLeftLogical %uint {value} {amount}"));
            }
            Bug::BitField => {
                let (offset, count) = (self.unknown(2, 30), self.unknown(2, 3));
                self.at_line(LINE);
                self.let_(&format!("OpBitFieldUExtract %uint {value} {offset} {count}"));
            }
            Bug::Convert => {
                let float = self.let_(&format!("OpConvertUToF %float {value}"));
                let negative = self.let_(&format!("OpFNegate %float {float}"));
                self.at_line(LINE);
                self.let_(&format!("OpConvertFToU %uint {negative}"));
            }
        }
        self.line("OpNoLine");
    }
}
