//! A kernel as debuggers see it: a SPIR-V module that has, in the order in which the kernel was lowered, an
//! instruction for each of the text, which "makes" the value that the kernel's own was recorded to have, and
//! stores of it to variables named as the registers. So debuggers know one kind of program only.
//!
//! It is no module to be compiled: what its instructions compute is never looked at, and branches are left
//! out. Its source is the text, named after the module's first kernel, with `.ptx` behind.

use crate::types::{Kind, Type};
use std::collections::HashMap;
use std::ops::Range;

/// SPIR-V 1.6.
const VERSION: u32 = 0x0001_0600;
const MAGIC: u32 = 0x0723_0203;
/// Words of a string in one instruction, at most: an instruction has less than 2^16 words.
const STRING_WORDS_MAX: usize = 0x8000;
const CLASS_FUNCTION: u32 = 7;

/// Numbers of instructions.
mod op {
    pub(super) const UNDEF: u32 = 1;
    pub(super) const SOURCE_CONTINUED: u32 = 2;
    pub(super) const SOURCE: u32 = 3;
    pub(super) const NAME: u32 = 5;
    pub(super) const STRING: u32 = 7;
    pub(super) const LINE: u32 = 8;
    pub(super) const MEMORY_MODEL: u32 = 14;
    pub(super) const ENTRY_POINT: u32 = 15;
    pub(super) const EXECUTION_MODE: u32 = 16;
    pub(super) const CAPABILITY: u32 = 17;
    pub(super) const TYPE_VOID: u32 = 19;
    pub(super) const TYPE_BOOL: u32 = 20;
    pub(super) const TYPE_INT: u32 = 21;
    pub(super) const TYPE_FLOAT: u32 = 22;
    pub(super) const TYPE_POINTER: u32 = 32;
    pub(super) const TYPE_FUNCTION: u32 = 33;
    pub(super) const FUNCTION: u32 = 54;
    pub(super) const FUNCTION_END: u32 = 56;
    pub(super) const VARIABLE: u32 = 59;
    pub(super) const STORE: u32 = 62;
    pub(super) const COPY_OBJECT: u32 = 83;
    pub(super) const LABEL: u32 = 248;
    pub(super) const RETURN: u32 = 253;
}

/// The module as it grows.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// Ids so far.
    ids: u32,
    file: u32,
    /// Of each type: its id, that of a pointer to it, and that of a value that is none.
    types: HashMap<Type, [u32; 3]>,
    type_insts: Vec<Vec<u32>>,
    names: Vec<Vec<u32>>,
    variables: Vec<Vec<u32>>,
    body: Vec<Vec<u32>>,
    /// The line that the last instruction is of.
    line: u32,
}

/// The module that a kernel is shown by.
pub(super) struct Finished {
    pub(super) words: Vec<u32>,
    /// The numbers of the instructions that are variables.
    pub(super) variables: Range<u32>,
    /// The number of the first instruction behind them.
    pub(super) body: u32,
    /// The id of the function.
    pub(super) function: u32,
}

/// An instruction's words, without a string.
fn inst(op: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![(operands.len() as u32 + 1) << 16 | op];
    words.extend(operands);
    words
}

/// An instruction with a string behind its operands.
fn inst_with_string(op: u32, operands: &[u32], text: &[u8]) -> Vec<u32> {
    let mut words = inst(op, operands);
    let chunks = text.chunks(4).map(|chunk| {
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(bytes)
    });
    words.extend(chunks);
    if text.len().is_multiple_of(4) {
        words.push(0);
    }
    words[0] = (words.len() as u32) << 16 | op;
    words
}

impl Shadow {
    pub(super) fn new() -> Shadow {
        let mut shadow = Shadow::default();
        shadow.file = shadow.id();
        shadow
    }

    fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    fn ty(&mut self, ty: Type) -> [u32; 3] {
        if let Some(&known) = self.types.get(&ty) {
            return known;
        }
        let ids = [self.id(), self.id(), self.id()];
        let bits = ty.bits();
        self.type_insts.push(match ty.kind() {
            Kind::Predicate => inst(op::TYPE_BOOL, &[ids[0]]),
            Kind::Float => inst(op::TYPE_FLOAT, &[ids[0], bits]),
            Kind::Signed => inst(op::TYPE_INT, &[ids[0], bits, 1]),
            _ => inst(op::TYPE_INT, &[ids[0], bits, 0]),
        });
        self.type_insts.push(inst(op::TYPE_POINTER, &[ids[1], CLASS_FUNCTION, ids[0]]));
        self.type_insts.push(inst(op::UNDEF, &[ids[0], ids[2]]));
        self.types.insert(ty, ids);
        ids
    }

    /// A variable of this name.
    pub(super) fn variable(&mut self, name: &str, ty: Type) -> u32 {
        let (id, [_, pointer, _]) = (self.id(), self.ty(ty));
        self.names.push(inst_with_string(op::NAME, &[id], name.as_bytes()));
        self.variables.push(inst(op::VARIABLE, &[pointer, id, CLASS_FUNCTION]));
        id
    }

    /// An instruction of a line, which makes a value of a type; its number in the body, and the value.
    pub(super) fn value(&mut self, line: u32, ty: Type) -> (u32, u32) {
        if self.line != line {
            self.line = line;
            self.body.push(inst(op::LINE, &[self.file, line, 0]));
        }
        let ([ty, _, none], id) = (self.ty(ty), self.id());
        self.body.push(inst(op::COPY_OBJECT, &[ty, id, none]));
        (self.body.len() as u32 - 1, id)
    }

    /// Stores a value to a variable; the instruction's number.
    pub(super) fn store(&mut self, variable: u32, value: u32) -> u32 {
        self.body.push(inst(op::STORE, &[variable, value]));
        self.body.len() as u32 - 1
    }

    /// The module.
    pub(super) fn finish(mut self, kernel: &str, file: &str, text: &str) -> Finished {
        let [main, void, function_type, label] = [(); 4].map(|()| self.id());
        let mut all = vec![
            // `Shader`
            inst(op::CAPABILITY, &[1]),
            // `Logical`, `GLSL450`
            inst(op::MEMORY_MODEL, &[0, 1]),
            // `GLCompute`
            inst_with_string(op::ENTRY_POINT, &[5, main], kernel.as_bytes()),
            // `LocalSize`
            inst(op::EXECUTION_MODE, &[main, 17, 1, 1, 1]),
            inst_with_string(op::STRING, &[self.file], file.as_bytes()),
        ];
        let mut pieces = text.as_bytes().chunks(4 * STRING_WORDS_MAX);
        let first = pieces.next().unwrap_or_default();
        all.push(inst_with_string(op::SOURCE, &[0, 0, self.file], first));
        all.extend(pieces.map(|piece| inst_with_string(op::SOURCE_CONTINUED, &[], piece)));
        all.push(inst_with_string(op::NAME, &[main], kernel.as_bytes()));
        all.append(&mut self.names);
        all.push(inst(op::TYPE_VOID, &[void]));
        all.push(inst(op::TYPE_FUNCTION, &[function_type, void]));
        all.append(&mut self.type_insts);
        all.push(inst(op::FUNCTION, &[void, main, 0, function_type]));
        all.push(inst(op::LABEL, &[label]));
        let variables = all.len() as u32;
        all.append(&mut self.variables);
        let body = all.len() as u32;
        all.append(&mut self.body);
        all.push(inst(op::RETURN, &[]));
        all.push(inst(op::FUNCTION_END, &[]));
        let mut words = vec![MAGIC, VERSION, 0, self.ids + 1, 0];
        words.extend(all.into_iter().flatten());
        Finished { words, variables: variables..body, body, function: main }
    }
}
