//! SPIR-V assembly to words, in the syntax of the SPIR-V tools.
//!
//! ```text
//! ; Version: 1.5
//!           OpCapability Shader
//!           OpMemoryModel Logical GLSL450
//!           OpEntryPoint GLCompute %main "main"
//! %void   = OpTypeVoid
//! %fn     = OpTypeFunction %void
//! %main   = OpFunction %void None %fn
//! %entry  = OpLabel
//!           OpReturn
//!           OpFunctionEnd
//! ```
//!
//! - `%12` is id 12; named ids get the lowest numbers that no numeric id takes, in the order of their
//!   first use.
//! - Literals of `OpConstant` and `OpSwitch` are of their type; other integers are 32 bits.
//! - Masks are written `A|B`, or `None`.
//! - `!0x1234` gives an operand's word as it is.
//! - Comments run from `;` to the end of the line. The comments `; Version: 1.5`, `; Generator: 8` and
//!   `; Bound: 20` (as the disassembler writes them) set the header's fields; the version is 1.6 without
//!   one, and the bound never lower than needed.
//!
//! Nothing is checked beyond the grammar: tests need invalid modules too.

mod lex;

use crate::ext::ExtInstSet;
use crate::grammar::{self, Kinds, OpInfo, OperandKind, is_id_kind};
use crate::limits::ID_BOUND_MAX;
use crate::number::{parse_integer, parse_number};
use crate::spirv::FPEncoding;
use crate::string::string_words;
use crate::types::Type;
use lex::{Token, TokenKind};
use spirv::Op;
use std::collections::{HashMap, HashSet};

/// Why text is not SPIR-V assembly, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct AsmError {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// Where an instruction stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstPosition {
    /// The instruction's first word, from the start of the module.
    pub word_offset: usize,
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
}

/// Assembles a module to its words.
///
/// # Errors
/// When the text does not follow the grammar.
pub fn assemble(text: &str) -> Result<Vec<u32>, AsmError> {
    Ok(assemble_with_positions(text)?.0)
}

/// Assembles a module to its words, and says where in the text its instructions are, in the order of the
/// words.
///
/// # Errors
/// When the text does not follow the grammar.
pub fn assemble_with_positions(text: &str) -> Result<(Vec<u32>, Vec<InstPosition>), AsmError> {
    let (tokens, comments) = lex::tokens(text)?;
    let mut assembler = Assembler::new(&tokens)?;
    let (mut version, mut generator, mut bound) = ((1, 6), 0, 0);
    for comment in comments {
        let Some((key, value)) = comment.split_once(':') else { continue };
        match (key.trim(), value.trim()) {
            ("Version", value) => {
                let numbers = value.split_once('.');
                if let Some((Ok(major), Ok(minor))) = numbers.map(|(a, b)| (a.parse::<u8>(), b.parse::<u8>()))
                {
                    version = (major, minor);
                }
            }
            ("Generator", value) => generator = value.parse::<u32>().unwrap_or(0),
            ("Bound", value) => bound = value.parse::<u32>().unwrap_or(0).min(ID_BOUND_MAX),
            _ => {}
        }
    }
    let version = u32::from_le_bytes([0, version.1, version.0, 0]);
    assembler.words.extend([0x0723_0203, version, generator, 0, 0]);
    let mut positions = Vec::new();
    while let Some(&Token { line, column, .. }) = tokens.get(assembler.place) {
        positions.push(InstPosition { word_offset: assembler.words.len(), line, column });
        assembler.instruction()?;
    }
    assembler.words[3] = assembler.bound().max(bound);
    Ok((assembler.words, positions))
}

struct Assembler<'s> {
    tokens: &'s [Token<'s>],
    place: usize,
    words: Vec<u32>,
    names: HashMap<&'s str, u32>,
    numeric: HashSet<u32>,
    next_id: u32,
    id_max: u32,
    numbers: HashMap<u32, Type<'static>>,
    value_types: HashMap<u32, u32>,
    ext_sets: HashMap<u32, ExtInstSet>,
}

impl<'s> Assembler<'s> {
    fn new(tokens: &'s [Token<'s>]) -> Result<Self, AsmError> {
        let mut numeric = HashSet::new();
        for token in tokens {
            if let TokenKind::Id(name) = token.kind
                && name.bytes().all(|byte| byte.is_ascii_digit())
            {
                let id = name.parse::<u32>().ok().filter(|id| (1..ID_BOUND_MAX).contains(id));
                let Some(id) = id else {
                    let message = format!("%{name} is not from 1 to below {ID_BOUND_MAX}");
                    return Err(AsmError { line: token.line, column: token.column, message });
                };
                numeric.insert(id);
            }
        }
        Ok(Assembler {
            tokens,
            place: 0,
            words: Vec::new(),
            names: HashMap::new(),
            next_id: 1,
            id_max: numeric.iter().copied().max().unwrap_or(0),
            numeric,
            numbers: HashMap::new(),
            value_types: HashMap::new(),
            ext_sets: HashMap::new(),
        })
    }

    fn bound(&self) -> u32 {
        self.id_max + 1
    }

    fn fail<T>(&self, place: usize, message: impl Into<String>) -> Result<T, AsmError> {
        let token = self.tokens.get(place).or(self.tokens.last());
        let (line, column) = token.map_or((1, 1), |token| (token.line, token.column));
        Err(AsmError { line, column, message: message.into() })
    }

    fn id(&mut self, name: &'s str) -> u32 {
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            return name.parse().expect("numeric ids are checked first");
        }
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        while self.numeric.contains(&self.next_id) {
            self.next_id += 1;
        }
        let id = self.next_id;
        self.next_id += 1;
        self.id_max = self.id_max.max(id);
        self.names.insert(name, id);
        id
    }

    /// Whether no operand is at `place`: the text ends or another instruction begins.
    fn is_at_end(&self) -> bool {
        match self.tokens.get(self.place).map(|token| &token.kind) {
            None => true,
            Some(TokenKind::Word(word)) => is_op_name(word),
            Some(TokenKind::Id(_)) => {
                matches!(self.tokens.get(self.place + 1).map(|token| &token.kind), Some(TokenKind::Equals))
            }
            _ => false,
        }
    }

    fn instruction(&mut self) -> Result<(), AsmError> {
        let mut result = None;
        let start_place = self.place;
        if let TokenKind::Id(name) = self.tokens[self.place].kind {
            match self.tokens.get(self.place + 1).map(|token| &token.kind) {
                Some(TokenKind::Equals) => result = Some(self.id(name)),
                _ => return self.fail(self.place, "an id where an instruction should begin"),
            }
            self.place += 2;
        }
        let op_place = self.place;
        let info = match self.tokens.get(self.place).map(|token| &token.kind) {
            Some(TokenKind::Word(word)) if is_op_name(word) => grammar::info_from_name(word),
            _ => return self.fail(self.place, "an instruction's name should be here"),
        };
        let Some(info) = info else {
            return self.fail(self.place, "an instruction that is not known");
        };
        self.place += 1;
        let start = self.words.len();
        self.words.push(0);
        match (info.has_result, result) {
            (true, None) => return self.fail(start_place, format!("Op{} needs a result id", info.name)),
            (false, Some(_)) => {
                return self.fail(start_place, format!("Op{} has no result", info.name));
            }
            _ => {}
        }
        if info.has_result_type {
            let ty = self.operand_id()?;
            self.words.push(ty);
            if let Some(result) = result {
                self.value_types.insert(result, ty);
            }
        }
        self.words.extend(result);
        self.operands(info, start)?;
        self.note(info, start, result);
        let len = self.words.len() - start;
        match u16::try_from(len) {
            Ok(len) => self.words[start] = u32::from(len) << 16 | u32::from(info.opcode),
            Err(_) => return self.fail(op_place, "an instruction of more than 65535 words"),
        }
        Ok(())
    }

    fn operands(&mut self, info: &'static OpInfo, start: usize) -> Result<(), AsmError> {
        let mut kinds = Kinds::new(info, None);
        while let Some(kind) = kinds.next(self.is_at_end()) {
            if self.is_at_end() {
                return self.fail(self.place, format!("Op{}: an operand is missing: {kind:?}", info.name));
            }
            let place = self.place;
            let first = self.words.len();
            self.operand(info, start, kind)?;
            let is_enumerated =
                !matches!(kind, OperandKind::LiteralString | OperandKind::LiteralContextDependentNumber);
            if is_enumerated {
                if let OperandKind::LiteralExtInstInteger = kind {
                    let set = self.ext_sets.get(&self.words[first - 1]);
                    let set = set.copied().filter(|set| set.has_literal_operands());
                    let operands = set.and_then(|set| set.instruction_operands(self.words[first]));
                    if operands.is_some() {
                        kinds = Kinds::new(info, operands);
                        // Past the set and the number.
                        kinds.next(false);
                        kinds.next(false);
                    }
                }
                if let Err(error) = kinds.accept(kind, self.words[first]) {
                    // Raw words may be anything.
                    if !matches!(self.tokens[place].kind, TokenKind::Raw(_)) {
                        return self.fail(place, error.to_string());
                    }
                }
            }
        }
        if !self.is_at_end() {
            return self.fail(self.place, format!("Op{} has no more operands", info.name));
        }
        Ok(())
    }

    fn operand_id(&mut self) -> Result<u32, AsmError> {
        match self.tokens.get(self.place).map(|token| &token.kind) {
            Some(TokenKind::Id(name)) if !self.is_at_end() => {
                self.place += 1;
                Ok(self.id(name))
            }
            Some(TokenKind::Raw(word)) => {
                self.place += 1;
                Ok(*word)
            }
            _ => self.fail(self.place, "an id should be here"),
        }
    }

    fn operand(&mut self, info: &OpInfo, start: usize, kind: OperandKind) -> Result<(), AsmError> {
        if is_id_kind(kind) {
            let id = self.operand_id()?;
            self.words.push(id);
            return Ok(());
        }
        let place = self.place;
        let word = match &self.tokens[place].kind {
            TokenKind::Raw(word) => {
                self.words.push(*word);
                self.place += 1;
                // The second half of a wide number is raw too.
                let second = self.tokens.get(self.place).map(|token| &token.kind);
                if let (OperandKind::LiteralContextDependentNumber, Some(TokenKind::Raw(high))) =
                    (kind, second)
                {
                    self.words.push(*high);
                    self.place += 1;
                }
                return Ok(());
            }
            TokenKind::String(string) => {
                if kind != OperandKind::LiteralString {
                    return self.fail(place, format!("a string where a {kind:?} should be"));
                }
                self.words.extend(string_words(string));
                self.place += 1;
                return Ok(());
            }
            TokenKind::Word(word) => *word,
            _ => return self.fail(place, format!("an id where a {kind:?} should be")),
        };
        self.place += 1;
        match kind {
            OperandKind::LiteralString => return self.fail(place, "a string should be here"),
            OperandKind::LiteralContextDependentNumber => {
                let ty = match info.op {
                    Op::Switch => self.value_types.get(&self.words[start + 1]).copied(),
                    _ => Some(self.words[start + 1]),
                };
                let Some(&ty) = ty.and_then(|ty| self.numbers.get(&ty)) else {
                    return self.fail(place, "the number's type is not an integer or float declared before");
                };
                let bits = parse_number(word, ty).or_else(|message| self.fail(place, message))?;
                self.words.push(bits as u32);
                if ty.width() > Some(32) {
                    self.words.push((bits >> 32) as u32);
                }
            }
            OperandKind::LiteralExtInstInteger => {
                let set = self.ext_sets.get(&self.words[start + 3]);
                let named = set.and_then(|set| set.instruction_number(word));
                match named.or_else(|| word.parse().ok()) {
                    Some(number) => self.words.push(number),
                    None => return self.fail(place, format!("the set has no instruction '{word}'")),
                }
            }
            OperandKind::LiteralSpecConstantOpInteger => match grammar::op_from_name(word) {
                Some(op) => self.words.push(op as u32),
                None => return self.fail(place, format!("'{word}' is not an operation")),
            },
            OperandKind::LiteralFloat => {
                let ty = Type::Float { width: 32, encoding: None };
                let bits = parse_number(word, ty).or_else(|message| self.fail(place, message))?;
                self.words.push(bits as u32);
            }
            OperandKind::LiteralInteger => {
                let signed = word.starts_with('-');
                let bits = parse_integer(word, 32, signed).or_else(|message| self.fail(place, message))?;
                self.words.push(bits as u32);
            }
            _ => {
                let mut value = 0;
                let is_mask = grammar::is_mask(kind);
                for name in word.split('|') {
                    match grammar::enumerant_value(kind, name).or_else(|| name.parse().ok()) {
                        Some(bits) if is_mask || name.len() == word.len() => value |= bits,
                        _ => return self.fail(place, format!("'{name}' is not a {kind:?}")),
                    }
                }
                self.words.push(value);
            }
        }
        Ok(())
    }

    /// Remembers what later instructions' operands depend on.
    fn note(&mut self, info: &OpInfo, start: usize, result: Option<u32>) {
        let Some(result) = result else { return };
        let operands = &self.words[start + info.operands_start()..];
        match (info.op, operands) {
            (Op::TypeInt, &[width, signed]) => {
                self.numbers.insert(result, Type::Int { width, signed: signed != 0 });
            }
            (Op::TypeFloat, &[width, ref encoding @ ..]) => {
                let encoding = encoding.first().and_then(|&encoding| FPEncoding::from_u32(encoding));
                self.numbers.insert(result, Type::Float { width, encoding });
            }
            (Op::ExtInstImport, name) => {
                let set = ExtInstSet::from_name(&crate::string::literal_string(name));
                self.ext_sets.insert(result, set);
            }
            _ => {}
        }
    }
}

/// `Op` and a capital letter; no enumerant's name is like that.
fn is_op_name(word: &str) -> bool {
    word.strip_prefix("Op").and_then(|rest| rest.chars().next()).is_some_and(|c| c.is_ascii_uppercase())
}
