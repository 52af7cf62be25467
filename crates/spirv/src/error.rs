//! Why words are not a module.

use crate::grammar::GrammarError;
use crate::id::Id;
use spirv::Op;

/// Why words are not a module, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {word_offset}{}: {kind}", .op.map(|op| format!(" (Op{op:?})")).unwrap_or_default())]
pub struct DecodeError {
    /// Words from the start of the module to the instruction, or header word, at fault.
    pub word_offset: usize,
    /// The instruction at fault, once its opcode is known.
    pub op: Option<Op>,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// What is wrong with the words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeErrorKind {
    /// The count of bytes is not a multiple of four.
    #[error("{0} bytes are not a whole number of words")]
    ByteCount(usize),
    /// Fewer words than a header has.
    #[error("the header of five words is cut off")]
    TruncatedHeader,
    /// The first word is not the magic number in either byte order.
    #[error("the magic number is {0:#010x}, not 0x07230203")]
    Magic(u32),
    /// A version that does not exist.
    #[error("version {0}.{1} of SPIR-V is not known")]
    Version(u8, u8),
    /// The bound is zero or too large.
    #[error("the bound on ids is {0}; it must be from 1 to {max}", max = crate::limits::ID_BOUND_MAX)]
    Bound(u32),
    /// The module has more words than the limit; how many it has.
    #[error("{0} words are more than the limit of {max}", max = crate::limits::MODULE_WORD_COUNT_MAX)]
    TooLarge(usize),
    /// An instruction of no words.
    #[error("the word count of the instruction is zero")]
    ZeroWordCount,
    /// The instruction is longer than the words that are left: its length, and how many are left.
    #[error("the instruction has {0} words, but {1} are left")]
    TruncatedInstruction(usize, usize),
    /// A number that no instruction has.
    #[error("opcode {0} is not known")]
    UnknownOpcode(u16),
    /// The operands do not follow the grammar.
    #[error("{0}")]
    Grammar(#[from] GrammarError),
    /// An id that is zero or not below the bound.
    #[error("id {0} is not from 1 to below the bound, {1}")]
    IdOutOfBound(u32, u32),
    /// Two instructions define the same id.
    #[error("{0} is defined twice")]
    DuplicateResult(Id),
    /// A literal's width is not known, because its type is not a number's.
    #[error("the type of the literal, {0}, is not an integer or float declared before")]
    LiteralType(Id),
    /// The literal is longer or shorter than its type.
    #[error("the literal has {0} words, its type {1}")]
    LiteralWidth(usize, usize),
    /// A type names an id that is not declared before it.
    #[error("{0} is not declared before this type, which would contain it")]
    TypeOrder(Id),
    /// Types nest deeper than the limit.
    #[error("types nest deeper than {max}", max = crate::limits::TYPE_NESTING_DEPTH_MAX)]
    TypeDepth,
    /// A structure has too many members.
    #[error("{0} members are more than the limit of {max}", max = crate::limits::STRUCT_MEMBER_COUNT_MAX)]
    MemberCount(usize),
    /// Decoration groups multiply to too many decorations.
    #[error("decoration groups expand to too many decorations")]
    GroupDecorations,
    /// The target of `OpGroupDecorate` or `OpGroupMemberDecorate` is not an `OpDecorationGroup`.
    #[error("{0} is not an OpDecorationGroup declared before")]
    NoGroup(Id),
    /// An instruction where it may not be.
    #[error("{0}")]
    Layout(&'static str),
    /// More than one memory model.
    #[error("there is more than one OpMemoryModel")]
    SecondMemoryModel,
}
