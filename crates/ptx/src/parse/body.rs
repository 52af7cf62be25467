//! What a function does: scopes, statements, operands.

use super::{Global, Parser};
use crate::error::{Result, invalid, unsupported};
use crate::lex::Token;
use crate::module::{
    Base, Body, Guard, Instruction, Label, Operand, Parameter, Register, RegisterNames, Special, Symbol,
};
use crate::types::Type;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What a name in a function stands for.
#[derive(Clone, Copy, Debug)]
enum Named {
    Register(Register),
    Symbol(Symbol),
}

/// Digits of a register's number, at most.
const NUMBER_DIGITS: usize = 10;

/// The names between two braces.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, Named>,
    /// `%r<10>`: the first of the registers whose names are `%r` with a number behind, and how many there
    /// are.
    ranges: HashMap<String, (Register, u32)>,
}

impl Scope {
    pub(super) fn declare_parameter(&mut self, parameter: &Parameter, index: usize, is_result: bool) {
        let named = match parameter.register {
            Some(register) => Named::Register(register),
            None if is_result => Named::Symbol(Symbol::Result(index)),
            None => Named::Symbol(Symbol::Parameter(index)),
        };
        self.names.insert(parameter.name.clone(), named);
    }

    fn find(&self, name: &str) -> Option<Named> {
        if let Some(&named) = self.names.get(name) {
            return Some(named);
        }
        let prefix = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
        // `%r07` is no register of `%r<10>`; a prefix may itself end with digits.
        for split in prefix.len().max(name.len().saturating_sub(NUMBER_DIGITS))..name.len() {
            let (prefix, digits) = name.split_at(split);
            if let Some(&(first, count)) = self.ranges.get(prefix)
                && (digits.len() == 1 || !digits.starts_with('0'))
                && let Ok(number) = digits.parse::<u32>()
                && number < count
            {
                return Some(Named::Register(Register { number: first.number + number, ty: first.ty }));
            }
        }
        None
    }
}

/// A function's body as it grows.
struct Growing {
    scopes: Vec<Scope>,
    registers: u32,
    labels: HashMap<String, usize>,
    body: Body,
}

impl Growing {
    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("there is always the outermost scope")
    }

    fn find(&self, name: &str) -> Option<Named> {
        self.scopes.iter().rev().find_map(|scope| scope.find(name))
    }

    fn label(&mut self, name: &str, line: u32) -> usize {
        if let Some(&label) = self.labels.get(name) {
            return label;
        }
        let label = self.body.labels.len();
        self.body.labels.push(Label { name: name.to_owned(), line, ..Label::default() });
        self.labels.insert(name.to_owned(), label);
        label
    }
}

impl<'a> Parser<'a> {
    /// A body with its braces.
    pub(super) fn body(&mut self, scope: Scope, registers: u32) -> Result<Body> {
        let mut growing = Growing {
            scopes: vec![scope, Scope::default()],
            registers,
            labels: HashMap::new(),
            body: Body::default(),
        };
        self.expect('{')?;
        self.statements(&mut growing)?;
        for label in &growing.body.labels {
            if label.place.is_none() {
                let message = format!("\"{}\" is not declared", label.name);
                return invalid(label.line, "Identifiers", message);
            }
        }
        Ok(growing.body)
    }

    /// Up to the closing brace.
    fn statements(&mut self, growing: &mut Growing) -> Result {
        while !self.accept('}') {
            let line = self.line();
            match self.peek() {
                None => return self.unexpected("the end of the function"),
                Some(Token::Punctuation('{')) => {
                    self.at += 1;
                    growing.scopes.push(Scope::default());
                    self.nested(|parser| parser.statements(growing))?;
                    growing.scopes.pop();
                }
                Some(Token::Punctuation(';')) => self.at += 1,
                Some(Token::Dot(word)) => self.declaration(growing, word)?,
                Some(Token::Name(name)) if self.peek_at(1) == Some(Token::Punctuation(':')) => {
                    self.at += 2;
                    self.labelled(growing, name, line)?;
                }
                Some(Token::Name(_) | Token::Punctuation('@')) => self.instruction(growing)?,
                Some(_) => return self.unexpected("an instruction"),
            }
        }
        Ok(())
    }

    fn declaration(&mut self, growing: &mut Growing, word: &'a str) -> Result {
        let line = self.line();
        let twice = |name: &str| invalid(line, "Identifiers", format!("\"{name}\" is declared twice"));
        if self.accept_debugging()? {
            return Ok(());
        }
        match word {
            "reg" => {
                self.at += 1;
                let mut registers = growing.registers;
                let mut double = None;
                let mut names = std::mem::take(&mut growing.body.registers);
                let scope = growing.scope();
                self.registers(&mut registers, |name, register, count| {
                    names.push(RegisterNames { name: name.to_owned(), first: register.number, count });
                    let known = match count {
                        Some(count) => scope.ranges.insert(name.to_owned(), (register, count)).is_some(),
                        None => scope.names.insert(name.to_owned(), Named::Register(register)).is_some(),
                    };
                    if known {
                        double = Some(name);
                    }
                })?;
                growing.registers = registers;
                growing.body.registers = names;
                double.map_or(Ok(()), twice)
            }
            "param" => {
                self.at += 1;
                for (name, argument) in self.arguments()? {
                    let index = growing.body.arguments.len();
                    growing.body.arguments.push(argument);
                    let named = Named::Symbol(Symbol::Argument(index));
                    if growing.scope().names.insert(name.to_owned(), named).is_some() {
                        return twice(name);
                    }
                }
                Ok(())
            }
            "shared" | "local" | "global" | "const" => {
                for (name, variable) in self.variables(false)? {
                    let named = Named::Symbol(Symbol::Variable(variable));
                    if growing.scope().names.insert(name.to_owned(), named).is_some() {
                        return twice(name);
                    }
                }
                Ok(())
            }
            _ => invalid(line, "Directives", format!(".{word} is not a directive of a function body")),
        }
    }

    /// What is behind `name:`.
    fn labelled(&mut self, growing: &mut Growing, name: &str, line: u32) -> Result {
        let label = growing.label(name, line);
        let place = growing.body.instructions.len();
        if growing.body.labels[label].place.replace(place).is_some() {
            return invalid(line, "Labels", format!("\"{name}\" is declared twice"));
        }
        match self.peek() {
            Some(Token::Dot("branchtargets")) => {
                self.at += 1;
                loop {
                    let line = self.line();
                    let name = self.name()?;
                    let target = growing.label(name, line);
                    growing.body.labels[label].targets.push(target);
                    if !self.accept(',') {
                        break;
                    }
                }
                self.expect(';')
            }
            // For calls by address, which are refused where they stand.
            Some(Token::Dot("callprototype" | "calltargets")) => {
                while !self.accept(';') {
                    if self.next().is_none() {
                        return self.unexpected("';'");
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn instruction(&mut self, growing: &mut Growing) -> Result {
        let mut guard = None;
        if self.accept('@') {
            let negated = self.accept('!');
            let line = self.line();
            let name = self.name()?;
            match growing.find(name) {
                Some(Named::Register(register)) if register.ty == Type::Pred => {
                    guard = Some(Guard { register, negated });
                }
                _ => return invalid(line, "Predicated Execution", format!("{name} is not a predicate")),
            }
        }
        let line = self.line();
        let mut opcode = self.name()?.to_owned();
        while let Some(Token::Dot(word)) = self.peek() {
            self.at += 1;
            opcode.push('.');
            opcode.push_str(word);
        }
        let mut operands = SmallVec::new();
        if !self.accept(';') {
            loop {
                operands.push(self.operand(growing)?);
                if !self.accept(',') {
                    break;
                }
            }
            self.expect(';')?;
        }
        growing.body.instructions.push(Instruction { line, guard, opcode: opcode.into(), operands });
        Ok(())
    }

    fn operand(&mut self, growing: &mut Growing) -> Result<Operand> {
        let first = self.simple_operand(growing)?;
        if self.accept('|') {
            let second = self.simple_operand(growing)?;
            return Ok(Operand::Pair(Box::new((first, second))));
        }
        Ok(first)
    }

    fn list(&mut self, growing: &mut Growing, end: char) -> Result<Vec<Operand>> {
        let mut all = Vec::new();
        if self.accept(end) {
            return Ok(all);
        }
        loop {
            all.push(self.nested(|parser| parser.operand(growing))?);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(end)?;
        Ok(all)
    }

    fn simple_operand(&mut self, growing: &mut Growing) -> Result<Operand> {
        let line = self.line();
        match self.peek() {
            Some(Token::Punctuation('(')) => {
                self.at += 1;
                Ok(Operand::List(self.list(growing, ')')?))
            }
            Some(Token::Punctuation('{')) => {
                self.at += 1;
                Ok(Operand::Vector(self.list(growing, '}')?))
            }
            Some(Token::Punctuation('[')) => {
                self.at += 1;
                self.address(growing)
            }
            Some(Token::Punctuation('!')) if matches!(self.peek_at(1), Some(Token::Name(_))) => {
                self.at += 1;
                let name = self.name()?;
                match growing.find(name) {
                    Some(Named::Register(register)) if register.ty == Type::Pred => {
                        Ok(Operand::Negated(register))
                    }
                    _ => invalid(line, "Instruction Operands", format!("{name} is not a predicate")),
                }
            }
            Some(Token::Punctuation('-'))
                if matches!(self.peek_at(1), Some(Token::Single(_) | Token::Double(_))) =>
            {
                self.at += 1;
                Ok(match self.next() {
                    Some(Token::Single(bits)) => Operand::Single(bits ^ 1 << 31),
                    Some(Token::Double(bits)) => Operand::Double(bits ^ 1 << 63),
                    _ => return self.unexpected("a number"),
                })
            }
            Some(Token::Single(bits)) => {
                self.at += 1;
                Ok(Operand::Single(bits))
            }
            Some(Token::Double(bits)) => {
                self.at += 1;
                Ok(Operand::Double(bits))
            }
            Some(Token::Name("_")) => {
                self.at += 1;
                Ok(Operand::Sink)
            }
            Some(Token::Name(name)) if name != "WARP_SZ" => {
                self.at += 1;
                self.named(growing, name, line)
            }
            // Without `|`, which joins two operands.
            _ => Ok(Operand::Integer(self.operand_integer()?)),
        }
    }

    fn operand_integer(&mut self) -> Result<i64> {
        match self.peek() {
            Some(Token::Punctuation('-')) => {
                self.at += 1;
                Ok(self.nested(Self::operand_integer)?.wrapping_neg())
            }
            Some(Token::Punctuation('~')) => {
                self.at += 1;
                Ok(!self.nested(Self::operand_integer)?)
            }
            Some(Token::Name("WARP_SZ")) => {
                self.at += 1;
                Ok(crate::WARP_LANES.into())
            }
            Some(Token::Integer(value)) => {
                self.at += 1;
                Ok(value as i64)
            }
            _ => self.unexpected("an operand"),
        }
    }

    fn symbol(&self, growing: &Growing, name: &str) -> Option<Named> {
        growing.find(name).or_else(|| match self.globals.get(name) {
            Some(&Global::Variable(index)) => Some(Named::Symbol(Symbol::Variable(index))),
            _ => None,
        })
    }

    /// Bytes behind an address: `+4`, `-4`, `+-4`; zero if there are none.
    fn displacement(&mut self) -> Result<i64> {
        match self.peek() {
            Some(Token::Punctuation('+')) => {
                self.at += 1;
                self.operand_integer()
            }
            Some(Token::Punctuation('-')) => self.operand_integer(),
            _ => Ok(0),
        }
    }

    fn named(&mut self, growing: &mut Growing, name: &'a str, line: u32) -> Result<Operand> {
        const RULE: &str = "Instruction Operands";
        if let Some(special) = Special::from_name(name)
            && growing.find(name).is_none()
        {
            let Some(Token::Dot(word @ ("x" | "y" | "z" | "w"))) = self.peek() else {
                return match special.dimension(0) {
                    None => Ok(Operand::Special(special)),
                    // The dimensions of old versions of PTX, all in one.
                    Some(_) => unsupported(line, "Special Registers", format!("{name} without a dimension")),
                };
            };
            self.at += 1;
            let index = b"xyzw".iter().position(|&letter| word.as_bytes() == [letter]).unwrap_or(0);
            return match special.dimension(index as u8) {
                Some(special) => Ok(Operand::Special(special)),
                None => invalid(line, "Special Registers", format!("{name} has no dimensions")),
            };
        }
        if let Some(Token::Dot(_)) = self.peek() {
            return unsupported(line, "Variables: Vectors", format!("elements of \"{name}\""));
        }
        match self.symbol(growing, name) {
            Some(Named::Register(register)) => Ok(Operand::Register(register)),
            Some(Named::Symbol(symbol)) => Ok(Operand::Address(symbol, self.displacement()?)),
            None => match self.globals.get(name) {
                Some(&Global::Function(index)) => Ok(Operand::Function(index)),
                _ if name.starts_with('%') => {
                    let known =
                        ["%pm", "%cluster", "%nclusterid", "%is_explicit", "%reserved", "%aggr", "%current"];
                    match known.iter().any(|prefix| name.starts_with(prefix)) {
                        true => unsupported(line, "Special Registers", name),
                        false => invalid(line, RULE, format!("{name} is not declared")),
                    }
                }
                _ => Ok(Operand::Label(growing.label(name, line))),
            },
        }
    }

    /// An address, behind its bracket.
    fn address(&mut self, growing: &mut Growing) -> Result<Operand> {
        const RULE: &str = "Instruction Operands: Addresses as Operands";
        let line = self.line();
        let (base, displacement) = match self.peek() {
            Some(Token::Name(name)) if name != "WARP_SZ" => {
                self.at += 1;
                let base = match self.symbol(growing, name) {
                    Some(Named::Register(register)) => Base::Register(register),
                    Some(Named::Symbol(symbol)) => Base::Symbol(symbol),
                    None => return invalid(line, RULE, format!("\"{name}\" is not declared")),
                };
                (base, self.displacement()?)
            }
            _ => (Base::Zero, self.operand_integer()?),
        };
        if matches!(self.peek(), Some(Token::Punctuation(','))) {
            return unsupported(line, RULE, "coordinates of textures and tensors");
        }
        self.expect(']')?;
        Ok(Operand::Memory(base, displacement))
    }
}
