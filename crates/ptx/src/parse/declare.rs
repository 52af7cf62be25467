//! Declarations: variables with their values, registers, parameters.

use super::{Global, Parser};
use crate::error::{Result, invalid, limit, unsupported};
use crate::lex::Token;
use crate::limits::{ARGUMENT_BYTES_MAX, PARAMETER_COUNT_MAX, REGISTER_COUNT_MAX, VARIABLE_BYTES_MAX};
use crate::module::{Parameter, Register, Relocation, Variable};
use crate::types::{Space, Type};

/// What stands before the names of a declaration.
struct Declared {
    ty: Type,
    /// Elements of a vector, else 1.
    vector: u64,
    align: Option<u64>,
}

impl Declared {
    fn element_bytes(&self) -> u64 {
        u64::from(self.ty.bytes()) * self.vector
    }

    fn align(&self) -> u64 {
        self.align.unwrap_or(self.element_bytes())
    }
}

/// A name with the sizes of its dimensions; none for one that is left open.
struct Declarator<'a> {
    name: &'a str,
    dimensions: Vec<Option<u64>>,
}

impl<'a> Parser<'a> {
    /// `.align 8 .v4 .f32`, in any order; with `.ptr .global .align 4` behind for a pointer.
    fn declared(&mut self) -> Result<Declared> {
        const RULE: &str = "Variables";
        let start = self.line();
        let (mut ty, mut vector, mut align) = (None, 1, None);
        let mut is_pointer = false;
        while let Some(Token::Dot(word)) = self.peek() {
            let line = self.line();
            self.at += 1;
            match word {
                "align" => {
                    let value = self.integer()?;
                    if !value.is_power_of_two() || value > 4096 {
                        return invalid(line, RULE, format!("an alignment of {value}"));
                    }
                    // That of a pointer is of what it points to.
                    if !is_pointer {
                        align = Some(value);
                    }
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                "ptr" => is_pointer = true,
                "attribute" => {
                    return unsupported(line, "Variables: Variable and Function Attributes", ".attribute");
                }
                "texref" | "samplerref" | "surfref" => {
                    return unsupported(line, "Texture Sampler and Surface Types", format!(".{word}"));
                }
                _ if is_pointer && Space::from_name(word).is_some() => {}
                _ => match Type::from_name(word) {
                    Some(found) if ty.is_none() => ty = Some(found),
                    Some(_) => return invalid(line, RULE, "a declaration with two types"),
                    None if word == "b128" => return unsupported(line, "Types", ".b128"),
                    None => return invalid(line, RULE, format!(".{word} is not a type")),
                },
            }
        }
        match ty {
            Some(ty) => Ok(Declared { ty, vector, align }),
            None => invalid(start, RULE, "a declaration without a type"),
        }
    }

    fn declarator(&mut self) -> Result<Declarator<'a>> {
        let name = self.name()?;
        let mut dimensions = Vec::new();
        while self.accept('[') {
            if self.accept(']') {
                dimensions.push(None);
                continue;
            }
            let line = self.line();
            match self.expression()? {
                size if size >= 0 => dimensions.push(Some(size as u64)),
                size => return invalid(line, "Variables: Array Declarations", format!("{size} elements")),
            }
            self.expect(']')?;
        }
        Ok(Declarator { name, dimensions })
    }

    /// `.global ... ;`: variables with their names. The space is next.
    pub(super) fn variables(&mut self, is_external: bool) -> Result<Vec<(&'a str, usize)>> {
        let mut all = Vec::new();
        let Some(Token::Dot(word)) = self.next() else { return self.unexpected("a state space") };
        let Some(space) = Space::from_name(word) else { return self.unexpected("a state space") };
        if let Some(Token::Punctuation('[')) = self.peek() {
            return unsupported(
                self.line(),
                "State Spaces: Banked Constant State Space",
                "banks of constants",
            );
        }
        let declared = self.declared()?;
        if declared.ty == Type::Pred {
            return invalid(self.line(), "Variables", "a predicate in memory");
        }
        loop {
            let line = self.line();
            let Declarator { name, mut dimensions } = self.declarator()?;
            let element = declared.element_bytes();
            let mut initial = Initial { element, ty: declared.ty, ..Initial::default() };
            let has_value = self.accept('=');
            if has_value {
                if !matches!(space, Space::Global | Space::Const) {
                    return invalid(
                        line,
                        "Variables: Initializers",
                        format!("\"{name}\" cannot start with a value"),
                    );
                }
                let open = dimensions.first() == Some(&None);
                let inner: Option<Vec<u64>> = dimensions.iter().skip(usize::from(open)).copied().collect();
                let Some(inner) = inner else {
                    return invalid(
                        line,
                        "Variables: Array Declarations",
                        "an inner dimension without a size",
                    );
                };
                let sizes: Vec<u64> =
                    if open { [u64::MAX].into_iter().chain(inner).collect() } else { inner };
                let mut sizes = sizes;
                if declared.vector > 1 {
                    sizes.push(declared.vector);
                }
                initial.element = declared.ty.bytes().into();
                let count = self.initial(&mut initial, &sizes, 0)?;
                if open {
                    dimensions[0] = Some(count);
                }
            }
            let count = dimensions
                .iter()
                .try_fold(element, |bytes, size| size.map(|size| bytes.saturating_mul(size)));
            if count.is_none() && !(is_external && space == Space::Shared && dimensions.len() == 1) {
                return invalid(line, "Variables: Array Declarations", format!("\"{name}\" has no size"));
            }
            self.variable_bytes =
                self.variable_bytes.saturating_add(count.unwrap_or(0).saturating_add(declared.align()));
            if self.variable_bytes > VARIABLE_BYTES_MAX {
                return limit(
                    line,
                    "Variables",
                    format!("variables of more than {VARIABLE_BYTES_MAX} bytes"),
                );
            }
            let variable = Variable {
                name: name.to_owned(),
                line,
                space,
                bytes: count,
                align: declared.align(),
                is_external,
                initial: initial.bytes,
                relocations: initial.relocations,
            };
            if variable.initial.len() as u64 > count.unwrap_or(0) {
                return invalid(line, "Variables: Initializers", format!("too many values for \"{name}\""));
            }
            all.push((name, self.module.variables.len()));
            self.module.variables.push(variable);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(all)
    }

    /// A value, or values in braces, for elements of these dimensions from byte `at` on. Gives how many
    /// elements of the first dimension there were.
    fn initial(&mut self, initial: &mut Initial, sizes: &[u64], at: u64) -> Result<u64> {
        let Some((&size, inner)) = sizes.split_first() else {
            self.initial_value(initial, at)?;
            return Ok(1);
        };
        let step = inner.iter().fold(initial.element, |bytes, &size| bytes.saturating_mul(size));
        let line = self.line();
        self.expect('{')?;
        let mut count = 0;
        while !self.accept('}') {
            if count == size {
                return invalid(line, "Variables: Initializers", "more values than elements");
            }
            let place = at.saturating_add(step.saturating_mul(count));
            if place > VARIABLE_BYTES_MAX {
                return limit(line, "Variables: Initializers", "a value beyond the largest variable");
            }
            self.nested(|parser| parser.initial(initial, inner, place))?;
            count += 1;
            if !self.accept(',') {
                self.expect('}')?;
                break;
            }
        }
        Ok(count)
    }

    fn initial_value(&mut self, initial: &mut Initial, at: u64) -> Result {
        const RULE: &str = "Variables: Initializers";
        let line = self.line();
        let ty = initial.ty;
        let negative = matches!(self.peek(), Some(Token::Punctuation('-')))
            && matches!(self.peek_at(1), Some(Token::Single(_) | Token::Double(_)));
        self.at += usize::from(negative);
        let bits = match self.peek() {
            Some(Token::Single(bits)) if ty.bits() == 32 => {
                self.at += 1;
                u64::from(bits ^ u32::from(negative) << 31)
            }
            Some(Token::Double(bits)) if matches!(ty, Type::F32 | Type::F64 | Type::B64) => {
                self.at += 1;
                let bits = bits ^ u64::from(negative) << 63;
                if ty == Type::F32 { (f64::from_bits(bits) as f32).to_bits().into() } else { bits }
            }
            Some(Token::Single(_) | Token::Double(_)) => {
                return invalid(line, RULE, format!("a float of another type than .{}", ty.name()));
            }
            Some(Token::Name("mask")) => return unsupported(line, RULE, "mask()"),
            Some(Token::Name(name)) if name != "WARP_SZ" => {
                let generic = name == "generic" && self.peek_at(1) == Some(Token::Punctuation('('));
                self.at += if generic { 2 } else { 0 };
                let name = self.name()?;
                if generic {
                    self.expect(')')?;
                }
                let addend = match self.peek() {
                    Some(Token::Punctuation('+' | '-')) => self.expression()?,
                    _ => 0,
                };
                let Some(&Global::Variable(variable)) = self.globals.get(name) else {
                    return unsupported(line, RULE, format!("\"{name}\" is not a variable declared before"));
                };
                let space = self.module.variables[variable].space;
                if !matches!(space, Space::Global | Space::Const) || ty.bits() != 64 || !ty.is_integer() {
                    return invalid(line, RULE, format!("the address of \"{name}\" as .{}", ty.name()));
                }
                initial.relocations.push(Relocation { at, variable, addend });
                0
            }
            _ if ty.is_float() => return self.unexpected("a float"),
            _ => self.expression()? as u64,
        };
        let bytes = &bits.to_le_bytes()[..ty.bytes() as usize];
        let end = at as usize + bytes.len();
        if initial.bytes.len() < end {
            initial.bytes.resize(end, 0);
        }
        initial.bytes[at as usize..end].copy_from_slice(bytes);
        Ok(())
    }

    /// Parameters in parentheses, behind the opening one. `registers`: how many registers the function has so
    /// far.
    pub(super) fn parameters(&mut self, registers: &mut u32) -> Result<Vec<Parameter>> {
        const RULE: &str = "State Spaces: Parameter State Space";
        let mut all: Vec<Parameter> = Vec::new();
        if self.accept(')') {
            return Ok(all);
        }
        loop {
            let line = self.line();
            let is_register = self.accept_dot("reg");
            if !is_register && !self.accept_dot("param") {
                return self.unexpected(".param");
            }
            let parameter = self.parameter(is_register, registers)?;
            if all.iter().any(|other| other.name == parameter.name && parameter.name != "_") {
                return invalid(line, RULE, format!("\"{}\" is declared twice", parameter.name));
            }
            all.push(parameter);
            if all.len() > PARAMETER_COUNT_MAX {
                return limit(line, RULE, format!("more than {PARAMETER_COUNT_MAX} parameters"));
            }
            if !self.accept(',') {
                break;
            }
        }
        self.expect(')')?;
        Ok(all)
    }

    fn parameter(&mut self, is_register: bool, registers: &mut u32) -> Result<Parameter> {
        const RULE: &str = "State Spaces: Parameter State Space";
        let declared = self.declared()?;
        let line = self.line();
        let Declarator { name, dimensions } = self.declarator()?;
        let bytes = dimensions
            .iter()
            .try_fold(declared.element_bytes(), |bytes, size| size.map(|size| bytes.saturating_mul(size)));
        let Some(bytes) = bytes else {
            return unsupported(line, RULE, "a parameter without a size (variable arguments)");
        };
        if bytes > ARGUMENT_BYTES_MAX {
            return limit(line, RULE, format!("\"{name}\" of {bytes} bytes"));
        }
        if declared.ty == Type::Pred && !is_register {
            return invalid(line, RULE, format!("\"{name}\" is a predicate in memory"));
        }
        let register = match is_register {
            true if dimensions.is_empty() && declared.vector == 1 => {
                let register = Register { number: *registers, ty: declared.ty };
                *registers += 1;
                Some(register)
            }
            true => return unsupported(line, "Variables: Vectors", "vectors in registers"),
            false => None,
        };
        Ok(Parameter { name: name.to_owned(), ty: declared.ty, bytes, align: declared.align(), register })
    }

    /// `.param ... ;` in a body, behind `.param`.
    pub(super) fn arguments(&mut self) -> Result<Vec<(&'a str, Parameter)>> {
        let start = self.at;
        let mut all = Vec::new();
        let parameter = self.parameter(false, &mut 0)?;
        let name = self.tokens[start..self.at].iter().find_map(|&(token, _)| match token {
            Token::Name(name) => Some(name),
            _ => None,
        });
        all.push((name.unwrap_or_default(), parameter));
        if matches!(self.peek(), Some(Token::Punctuation(','))) {
            return unsupported(self.line(), "Variables", "several .param in one declaration");
        }
        self.expect(';')?;
        Ok(all)
    }

    /// `.reg ... ;`, behind `.reg`: calls `declare` with each name, the first number and, for `%r<10>`, the
    /// count.
    pub(super) fn registers(
        &mut self,
        registers: &mut u32,
        mut declare: impl FnMut(&'a str, Register, Option<u32>),
    ) -> Result {
        let declared = self.declared()?;
        if declared.vector != 1 {
            return unsupported(self.line(), "Variables: Vectors", "vectors in registers");
        }
        loop {
            let line = self.line();
            let name = self.name()?;
            let count = match self.accept('<') {
                true => {
                    let count = self.integer()?;
                    self.expect('>')?;
                    Some(u32::try_from(count).unwrap_or(u32::MAX))
                }
                false => None,
            };
            let register = Register { number: *registers, ty: declared.ty };
            *registers = registers.saturating_add(count.unwrap_or(1));
            if *registers > REGISTER_COUNT_MAX {
                return limit(line, "State Spaces: Register State Space", "too many registers");
            }
            declare(name, register, count);
            if !self.accept(',') {
                break;
            }
        }
        self.expect(';')
    }
}

/// A variable's first value, as it grows.
struct Initial {
    ty: Type,
    element: u64,
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl Default for Initial {
    fn default() -> Initial {
        Initial { ty: Type::B8, element: 1, bytes: Vec::new(), relocations: Vec::new() }
    }
}
