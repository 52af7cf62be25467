//! Reads the text that [`crate::print`] writes: `parse(&f.to_string())` gives a function that prints the
//! same.
//!
//! ```text
//! function   = "shader" STRING ("lane" | "mask") "lanes=" N "scratch=" N "frame=" N "{" slot* block* "}"
//! slot       = SLOT ":" BYTES
//! block      = BLOCK [ "(" VALUE ":" type, ... ")" ] ":" [ merge ] inst* [ terminator ]
//! merge      = "selection" "merge=" BLOCK | "loop" "merge=" BLOCK "continue=" BLOCK
//! type       = SCALAR | "<" SCALAR ">"          in mask form uniform and varying; in lane form no brackets
//! inst       = [ VALUE ":" type "=" ] OPCODE [ "." SPACE | ".rtz" | ".nocontract" ] operands suffix*
//! operands   = NUMBER (const, arg, fence, suspend) | [ SLOT "," ] VALUE, ...
//! suffix     = ("+" | "-") BYTES | "volatile" | "speculatable" | "pairs" | "whole_pairs" | "streaming"
//!            | "deferrable" | "apart" | "imm=" NUMBER | "@" LOCATION
//! terminator = "jump" call | "branch" VALUE "," call "," call | "return" CODE | "unreachable"
//!            | "switch" VALUE ("," LITERAL ":" call)* "," "default" call
//! call       = BLOCK [ "(" VALUE, ... ")" ]
//! ```
//!
//! Numbers are decimal, `0x` hexadecimal, or negative decimal (as many bits as the type has). Comments run
//! from `;` to the line's end; other white space only separates. The parser checks the form of the text and
//! that names exist; what a well-formed function is, the verifier says.

use crate::function::{
    Block, BlockCall, BlockData, Form, Function, InstData, MemoryOp, Merge, SourceLoc, Space, Terminator,
    Value, ValueData, ValueDef,
};
use crate::opcode::{Opcode, Signature};
use crate::types::{Scalar, Shape, Type};
use pyro_util::{EntityRef, PackedOption};
use smallvec::SmallVec;

/// The greatest block, value or slot number in text; keeps short texts from asking for much memory.
const NUMBER_MAX: u32 = 1 << 22;

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// Reads one function.
///
/// # Errors
/// When the text has not the form above, with the place where that shows.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    let mut parser = Parser::new(text)?;
    let function = parser.function()?;
    match parser.peek() {
        Token::End => Ok(function),
        _ => Err(parser.error("nothing may follow the function")),
    }
}

impl std::str::FromStr for Function {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Function, ParseError> {
        parse(text)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(u64),
    Text(String),
    Sign(char),
    End,
}

/// A token with its line and column.
type Placed = (Token, u32, u32);

fn tokens(text: &str) -> Result<Vec<Placed>, ParseError> {
    let mut found = Vec::new();
    let (mut line, mut column) = (1, 1);
    let mut rest = text.chars().peekable();
    while let Some(&first) = rest.peek() {
        let place = (line, column);
        let error =
            |message: &str| ParseError { line: place.0, column: place.1, message: message.to_owned() };
        let mut take = |rest: &mut std::iter::Peekable<std::str::Chars<'_>>| {
            let taken = rest.next();
            if taken == Some('\n') {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
            taken
        };
        let token = match first {
            ';' => {
                while rest.peek().is_some_and(|&next| next != '\n') {
                    take(&mut rest);
                }
                continue;
            }
            _ if first.is_whitespace() => {
                take(&mut rest);
                continue;
            }
            '"' => {
                take(&mut rest);
                let mut value = String::new();
                loop {
                    match take(&mut rest) {
                        None | Some('\n') => return Err(error("the string does not end on its line")),
                        Some('"') => break,
                        Some('\\') => match take(&mut rest) {
                            Some(escaped @ ('"' | '\\')) => value.push(escaped),
                            Some('u') => {
                                let mut digits = String::new();
                                while let Some(digit) = take(&mut rest) {
                                    digits.push(digit);
                                    if digit == '}' || digits.len() > 8 {
                                        break;
                                    }
                                }
                                let code = digits
                                    .strip_prefix('{')
                                    .and_then(|digits| digits.strip_suffix('}'))
                                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                                    .and_then(char::from_u32);
                                value.push(code.ok_or_else(|| error("bad \\u{} escape in the string"))?);
                            }
                            _ => return Err(error("unknown escape in the string")),
                        },
                        Some(other) => value.push(other),
                    }
                }
                Token::Text(value)
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let mut word = String::new();
                while rest.peek().is_some_and(|&next| next.is_ascii_alphanumeric() || "_.".contains(next)) {
                    word.extend(take(&mut rest));
                }
                Token::Word(word)
            }
            '0'..='9' => {
                let mut digits = String::new();
                while rest.peek().is_some_and(|&next| next.is_ascii_alphanumeric()) {
                    digits.extend(take(&mut rest));
                }
                let number = match digits.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(digits, 16),
                    None => digits.parse(),
                };
                Token::Number(number.map_err(|_| error("not a 64-bit number"))?)
            }
            '(' | ')' | '{' | '}' | ':' | ',' | '=' | '<' | '>' | '@' | '+' | '-' => {
                take(&mut rest);
                Token::Sign(first)
            }
            other => return Err(error(&format!("unexpected character {other:?}"))),
        };
        found.push((token, place.0, place.1));
    }
    found.push((Token::End, line, column));
    Ok(found)
}

struct Parser {
    tokens: Vec<Placed>,
    position: usize,
    function: Function,
    /// By value number: defined yet?
    defined: Vec<bool>,
    /// By block number: in the text yet?
    placed: Vec<bool>,
    /// Where each value and block that is not defined yet is used first.
    used: Vec<(Name, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Name {
    Value(Value),
    Block(Block),
}

impl Parser {
    fn new(text: &str) -> Result<Parser, ParseError> {
        Ok(Parser {
            tokens: tokens(text)?,
            position: 0,
            function: Function::new("", Form::Mask, 0),
            defined: Vec::new(),
            placed: Vec::new(),
            used: Vec::new(),
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.position].0
    }

    fn peek_second(&self) -> &Token {
        &self.tokens[(self.position + 1).min(self.tokens.len() - 1)].0
    }

    fn advance(&mut self) {
        self.position = (self.position + 1).min(self.tokens.len() - 1);
    }

    fn error_at(&self, position: usize, message: impl Into<String>) -> ParseError {
        let (_, line, column) = self.tokens[position];
        ParseError { line, column, message: message.into() }
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.position, message)
    }

    fn is_sign(&self, sign: char) -> bool {
        *self.peek() == Token::Sign(sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn eat_sign(&mut self, sign: char) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn sign(&mut self, sign: char) -> Result<(), ParseError> {
        if self.eat_sign(sign) { Ok(()) } else { Err(self.error(format!("expected '{sign}'"))) }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn word(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word) { Ok(()) } else { Err(self.error(format!("expected \"{word}\""))) }
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        let negative = self.eat_sign('-');
        let Token::Number(number) = *self.peek() else { return Err(self.error("expected a number")) };
        self.advance();
        Ok(if negative { number.wrapping_neg() } else { number })
    }

    fn u32(&mut self) -> Result<u32, ParseError> {
        let position = self.position;
        self.number()?.try_into().map_err(|_| self.error_at(position, "the number does not fit 32 bits"))
    }

    fn setting(&mut self, name: &str) -> Result<u32, ParseError> {
        self.word(name)?;
        self.sign('=')?;
        self.u32()
    }

    /// The number of an entity named with this prefix, if the next token is one.
    fn peek_entity(&self, prefix: &str) -> Option<u32> {
        let Token::Word(word) = self.peek() else { return None };
        let digits = word.strip_prefix(prefix)?;
        let plain = digits == "0" || !digits.starts_with(['0', '+']);
        (plain && digits.bytes().all(|digit| digit.is_ascii_digit())).then(|| digits.parse().ok()).flatten()
    }

    fn entity(&mut self, prefix: &str, what: &str) -> Result<u32, ParseError> {
        match self.peek_entity(prefix) {
            Some(number) if number < NUMBER_MAX => {
                self.advance();
                Ok(number)
            }
            Some(_) => Err(self.error(format!("the number of this {what} is too large"))),
            None => Err(self.error(format!("expected a {what}"))),
        }
    }

    fn use_value(&mut self) -> Result<Value, ParseError> {
        let position = self.position;
        let value = Value::from_u32(self.entity("v", "value")?);
        if !self.defined.get(value.index()).copied().unwrap_or(false) {
            self.used.push((Name::Value(value), position));
        }
        Ok(value)
    }

    fn use_block(&mut self) -> Result<Block, ParseError> {
        let position = self.position;
        let block = Block::from_u32(self.entity("block", "block")?);
        if !self.placed.get(block.index()).copied().unwrap_or(false) {
            self.used.push((Name::Block(block), position));
        }
        Ok(block)
    }

    /// Reads a value's definition, `v1: f32`, whose origin the caller sets.
    fn define_value(&mut self) -> Result<Value, ParseError> {
        let position = self.position;
        let value = Value::from_u32(self.entity("v", "value")?);
        self.sign(':')?;
        let ty = self.ty()?;
        if self.defined.len() <= value.index() {
            self.defined.resize(value.index() + 1, false);
        }
        if std::mem::replace(&mut self.defined[value.index()], true) {
            return Err(self.error_at(position, format!("{value} is defined twice")));
        }
        while self.function.values.len() <= value.index() {
            // Numbers that the text leaves out become values of no block.
            let unused = Type::varying(Scalar::I1);
            self.function.values.push(ValueData { ty: unused, def: ValueDef::Param(Block::RESERVED, 0) });
        }
        self.function.values[value].ty = ty;
        Ok(value)
    }

    fn ty(&mut self) -> Result<Type, ParseError> {
        let position = self.position;
        let brackets = self.eat_sign('<');
        let Token::Word(word) = self.peek() else { return Err(self.error("expected a type")) };
        let scalar = Scalar::from_name(word).ok_or_else(|| self.error("unknown type"))?;
        self.advance();
        if brackets {
            self.sign('>')?;
        }
        let shape = match (self.function.form, brackets) {
            (Form::Lane, true) => return Err(self.error_at(position, "lane form has no '<>' types")),
            (Form::Lane, false) | (Form::Mask, true) => Shape::Varying,
            (Form::Mask, false) => Shape::Uniform,
        };
        Ok(Type { scalar, shape })
    }

    fn function(&mut self) -> Result<Function, ParseError> {
        self.word("shader")?;
        let Token::Text(name) = self.peek().clone() else {
            return Err(self.error("expected the name in quotes"));
        };
        self.advance();
        let form = match () {
            () if self.eat_word("lane") => Form::Lane,
            () if self.eat_word("mask") => Form::Mask,
            () => return Err(self.error("expected \"lane\" or \"mask\"")),
        };
        let lanes = self.setting("lanes")?;
        self.function = Function::new(name, form, lanes);
        self.function.scratch_bytes = self.setting("scratch")?;
        self.function.frame_bytes = self.setting("frame")?;
        self.sign('{')?;
        while self.peek_entity("slot").is_some() {
            let position = self.position;
            let number = self.entity("slot", "slot")?;
            self.sign(':')?;
            let bytes = self.u32()?;
            let slot = match self.eat_word("keeps") {
                true => self.function.add_kept_slot(bytes),
                false => self.function.add_slot(bytes),
            };
            if slot.as_u32() != number {
                return Err(self.error_at(position, "slots are numbered in order"));
            }
        }
        while !self.is_sign('}') {
            self.block_body()?;
        }
        self.sign('}')?;
        for (name, position) in std::mem::take(&mut self.used) {
            match name {
                Name::Value(value) if !self.defined.get(value.index()).copied().unwrap_or(false) => {
                    return Err(self.error_at(position, format!("{value} is not defined")));
                }
                Name::Block(block) if !self.function.blocks.is_valid(block) => {
                    self.grow_blocks(block);
                }
                _ => {}
            }
        }
        self.fill_unused();
        Ok(std::mem::replace(&mut self.function, Function::new("", Form::Mask, 0)))
    }

    /// Numbers that the text leaves out become results of instructions in no block.
    fn fill_unused(&mut self) {
        let unused: Vec<Value> = self
            .function
            .values
            .iter()
            .filter(|(_, data)| data.def == ValueDef::Param(Block::RESERVED, 0))
            .map(|(value, _)| value)
            .collect();
        for value in unused {
            let inst = self.function.insts.push(InstData {
                op: Opcode::Const,
                args: SmallVec::new(),
                imm: 0,
                result: value.into(),
                loc: SourceLoc::default(),
            });
            self.function.values[value].def = ValueDef::Inst(inst);
        }
    }

    fn grow_blocks(&mut self, block: Block) {
        while !self.function.blocks.is_valid(block) {
            self.function.blocks.push(BlockData::default());
        }
    }

    fn block_body(&mut self) -> Result<(), ParseError> {
        let position = self.position;
        let block = Block::from_u32(self.entity("block", "block or '}'")?);
        self.grow_blocks(block);
        if self.placed.len() <= block.index() {
            self.placed.resize(block.index() + 1, false);
        }
        if std::mem::replace(&mut self.placed[block.index()], true) {
            return Err(self.error_at(position, format!("{block} appears twice")));
        }
        self.function.block_order.push(block);
        if self.eat_sign('(') {
            while !self.eat_sign(')') {
                if !self.function.blocks[block].params.is_empty() {
                    self.sign(',')?;
                }
                let value = self.define_value()?;
                let index = self.function.blocks[block].params.len() as u32;
                self.function.values[value].def = ValueDef::Param(block, index);
                self.function.blocks[block].params.push(value);
            }
        }
        self.sign(':')?;
        self.function.blocks[block].merge = self.merge()?;
        loop {
            if self.is_sign('}') || (self.peek_entity("block").is_some()) {
                return Ok(());
            }
            if let Some(terminator) = self.terminator()? {
                self.function.blocks[block].terminator = terminator;
                return Ok(());
            }
            self.inst(block)?;
        }
    }

    fn merge(&mut self) -> Result<Option<Merge>, ParseError> {
        let is_loop = match () {
            () if self.eat_word("selection") => false,
            () if self.eat_word("loop") => true,
            () => return Ok(None),
        };
        self.word("merge")?;
        self.sign('=')?;
        let merge = self.use_block()?;
        if !is_loop {
            return Ok(Some(Merge::Selection { merge }));
        }
        self.word("continue")?;
        self.sign('=')?;
        let continue_target = self.use_block()?;
        Ok(Some(Merge::Loop { merge, continue_target }))
    }

    fn call(&mut self) -> Result<BlockCall, ParseError> {
        let block = self.use_block()?;
        let mut args = SmallVec::new();
        if self.eat_sign('(') {
            while !self.eat_sign(')') {
                if !args.is_empty() {
                    self.sign(',')?;
                }
                args.push(self.use_value()?);
            }
        }
        Ok(BlockCall { block, args })
    }

    fn terminator(&mut self) -> Result<Option<Terminator>, ParseError> {
        Ok(Some(match () {
            () if self.eat_word("jump") => Terminator::Jump(self.call()?),
            () if self.eat_word("branch") => {
                let condition = self.use_value()?;
                self.sign(',')?;
                let then = self.call()?;
                self.sign(',')?;
                Terminator::Branch { condition, then, otherwise: self.call()? }
            }
            () if self.eat_word("switch") => {
                let selector = self.use_value()?;
                let mut cases = Vec::new();
                self.sign(',')?;
                while !self.eat_word("default") {
                    let literal = self.number()?;
                    self.sign(':')?;
                    cases.push((literal, self.call()?));
                    self.sign(',')?;
                }
                Terminator::Switch { selector, cases, default: self.call()? }
            }
            () if self.eat_word("return") => Terminator::Return(self.u32()?),
            () if self.eat_word("unreachable") => Terminator::Unreachable,
            () => return Ok(None),
        }))
    }

    fn inst(&mut self, block: Block) -> Result<(), ParseError> {
        let result = match self.peek_entity("v") {
            Some(_) => {
                let value = self.define_value()?;
                self.sign('=')?;
                Some(value)
            }
            None => None,
        };
        let start = self.position;
        let Token::Word(word) = self.peek().clone() else {
            return Err(self.error("expected an instruction"));
        };
        let (name, modifier) = match word.split_once('.') {
            Some((name, modifier)) => (name, Some(modifier)),
            None => (word.as_str(), None),
        };
        let Some(op) = Opcode::from_name(name) else {
            return Err(self.error(format!("unknown instruction \"{name}\"")));
        };
        if op.has_result() != result.is_some() {
            let message =
                if result.is_some() { "gives no result" } else { "gives a result, which needs a name" };
            return Err(self.error(format!("{name} {message}")));
        }
        let (mut memory, mut imm) = self.modifier(op, modifier)?;
        self.advance();
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        match op.signature() {
            Signature::Const => {
                imm = self.number()?;
                let scalar = result.map_or(Scalar::I64, |value| self.function.ty(value).scalar);
                let negative = imm as i64 >> (scalar.bits() - 1) == -1;
                if imm & !scalar.mask() != 0 && !negative {
                    return Err(
                        self.error_at(start + 1, format!("the constant does not fit {}", scalar.name()))
                    );
                }
                imm &= scalar.mask();
            }
            Signature::Arg | Signature::Effect => imm = self.number()?,
            Signature::SlotLoad | Signature::SlotStore | Signature::SlotCall => {
                imm = self.entity("slot", "slot")?.into();
                if op.arg_count() > 0 {
                    self.sign(',')?;
                }
            }
            _ => {}
        }
        for index in 0..op.arg_count() {
            if index > 0 {
                self.sign(',')?;
            }
            args.push(self.use_value()?);
        }
        while op.is_variadic() && self.eat_sign(',') {
            args.push(self.use_value()?);
        }
        if self.is_sign(',') {
            return Err(self.error(format!("{name} takes {} operands", op.arg_count())));
        }
        let Suffixes { loc, imm: raw } = self.suffixes(memory.as_mut())?;
        let imm = raw.or(memory.map(MemoryOp::to_imm)).unwrap_or(imm);
        let result: PackedOption<Value> = result.into();
        let inst = self.function.insts.push(InstData { op, args, imm, result, loc });
        if let Some(value) = result.expand() {
            self.function.values[value].def = ValueDef::Inst(inst);
        }
        self.function.blocks[block].insts.push(inst);
        Ok(())
    }

    /// What the part of an instruction's name behind a dot means: the access of a memory operation, or an
    /// immediate.
    fn modifier(&self, op: Opcode, modifier: Option<&str>) -> Result<(Option<MemoryOp>, u64), ParseError> {
        let name = op.name();
        match modifier {
            Some(modifier) if op.is_memory() => {
                let space = Space::ALL.into_iter().find(|space| space.name() == modifier);
                let space = space.ok_or_else(|| self.error("unknown memory space"))?;
                Ok((Some(MemoryOp::new(space)), 0))
            }
            None if op.is_memory() => {
                Err(self.error(format!("{name} needs a memory space, as in {name}.global")))
            }
            Some("rtz") if op.signature() == Signature::FloatToFloat => Ok((None, 1)),
            Some("nocontract") if op.takes_no_contraction() => Ok((None, 1)),
            Some(_) => Err(self.error(format!("{name} takes no such modifier"))),
            None => Ok((None, 0)),
        }
    }

    /// What may follow an instruction's operands: displacement and flags of an access, an immediate as a
    /// number, a source location.
    fn suffixes(&mut self, mut memory: Option<&mut MemoryOp>) -> Result<Suffixes, ParseError> {
        let mut found = Suffixes { loc: SourceLoc::default(), imm: None };
        loop {
            match (&mut memory, self.peek().clone()) {
                (Some(memory), Token::Sign(sign @ ('+' | '-'))) => {
                    let position = self.position;
                    self.advance();
                    let bytes = i64::from(self.u32()?);
                    let displacement = if sign == '-' { -bytes } else { bytes };
                    memory.displacement = displacement
                        .try_into()
                        .map_err(|_| self.error_at(position, "the displacement does not fit 32 bits"))?;
                }
                (_, Token::Word(word)) if word == "imm" && *self.peek_second() == Token::Sign('=') => {
                    self.advance();
                    self.advance();
                    found.imm = Some(self.number()?);
                }
                (Some(memory), Token::Word(word)) => {
                    let flag = match word.as_str() {
                        "volatile" => &mut memory.volatile,
                        "speculatable" => &mut memory.speculatable,
                        "pairs" => &mut memory.pairs,
                        "whole_pairs" => &mut memory.whole_pairs,
                        "streaming" => &mut memory.streaming,
                        "deferrable" => &mut memory.deferrable,
                        "apart" => &mut memory.apart,
                        _ => return Ok(found),
                    };
                    *flag = true;
                    self.advance();
                }
                (_, Token::Sign('@')) => {
                    self.advance();
                    found.loc = SourceLoc(self.u32()?);
                }
                _ => return Ok(found),
            }
        }
    }
}

/// What follows an instruction's operands, beside flags of its access.
struct Suffixes {
    loc: SourceLoc,
    /// `imm=`.
    imm: Option<u64>,
}

#[cfg(test)]
mod tests;
