//! Expressions of watches and conditions: what GLSL, HLSL, Slang and WGSL have in common. Names, members and
//! swizzles, indices, numbers, operators, and a few functions.

use crate::view::{Context, Shown, half_to_f32};
use pyro_spirv::Type;

/// How deep expressions nest.
const DEPTH_MAX: u32 = 64;

/// A value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluated {
    /// What a name stands for, or a part of it.
    Shown(Shown),
    /// A number or truth value.
    Number(Number),
    /// Components of a swizzle.
    Vector(Vec<Number>),
}

/// A number or truth value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Integer(i128),
    /// A float; whether it is of single precision.
    Float(f64, bool),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Number::Bool(value) => write!(f, "{value}"),
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(value, true) => write!(f, "{:?}", value as f32),
            Number::Float(value, false) => write!(f, "{value:?}"),
        }
    }
}

impl Number {
    /// Whether it stands for true.
    pub fn is_true(self) -> bool {
        match self {
            Number::Bool(value) => value,
            Number::Integer(value) => value != 0,
            Number::Float(value, _) => value != 0.0,
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Bool(value) => f64::from(u8::from(value)),
            Number::Integer(value) => value as f64,
            Number::Float(value, _) => value,
        }
    }

    fn is_double(self) -> bool {
        matches!(self, Number::Float(_, false))
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(Number),
    Symbol(&'static str),
}

const SYMBOLS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "<", ">", "+", "-", "*", "/", "%", "!", "~", "&", "|",
    "^", "(", ")", "[", "]",
];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        // An id, or a register of a kernel.
        let is_id = first == '%'
            && rest[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !ends_operand(out.last());
        if first.is_alphabetic() || first == '_' || first == '$' || is_id {
            let end =
                rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(rest.len(), |end| end + 1);
            out.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if first.is_ascii_digit() {
            let (number, end) = number(rest)?;
            out.push(Token::Number(number));
            rest = &rest[end..];
        } else if let Some(symbol) =
            SYMBOLS.iter().chain(&[".", ",", "?", ":"]).find(|&&one| rest.starts_with(one))
        {
            out.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
        } else {
            return Err(format!("\"{first}\" is not part of an expression"));
        }
        rest = rest.trim_start();
    }
    Ok(out)
}

fn ends_operand(token: Option<&Token>) -> bool {
    matches!(token, Some(Token::Name(_) | Token::Number(_) | Token::Symbol(")" | "]")))
}

fn number(text: &str) -> Result<(Number, usize), String> {
    let wrong = |text: &str| format!("\"{text}\" is not a number");
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let value = i128::from_str_radix(&digits[..end], 16).map_err(|_| wrong(text))?;
        let suffix = usize::from(digits[end..].starts_with(['u', 'U']));
        return Ok((Number::Integer(value), 2 + end + suffix));
    }
    let bytes = text.as_bytes();
    let (mut end, mut is_float) = (0, false);
    while end < bytes.len() {
        match bytes[end] {
            b'0'..=b'9' => {}
            b'.' => is_float = true,
            b'e' | b'E' => {
                is_float = true;
                end += usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            }
            _ => break,
        }
        end += 1;
    }
    let digits = &text[..end];
    let suffix = usize::from(text[end..].starts_with(['u', 'U', 'f', 'F', 'h', 'i']));
    is_float |= text[end..].starts_with(['f', 'F', 'h']);
    let value = if is_float {
        Number::Float(digits.parse().map_err(|_| wrong(digits))?, true)
    } else {
        Number::Integer(digits.parse().map_err(|_| wrong(digits))?)
    };
    Ok((value, end + suffix))
}

/// The value of an expression.
///
/// # Errors
/// What is wrong with it, for people.
pub fn evaluate(context: &Context<'_>, text: &str) -> Result<Evaluated, String> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err("the expression is empty".to_owned());
    }
    let mut parser = Parser { context, tokens: &tokens, at: 0, depth: 0 };
    let value = parser.ternary()?;
    match parser.peek() {
        None => Ok(value),
        Some(token) => Err(format!("the expression goes on with {token:?} where it should end")),
    }
}

/// Whether a condition is true.
///
/// # Errors
/// As of [`evaluate`].
pub fn is_true(context: &Context<'_>, text: &str) -> Result<bool, String> {
    let value = evaluate(context, text)?;
    Ok(number_of(context, &value)?.is_true())
}

/// A value's text.
pub fn text(context: &Context<'_>, value: &Evaluated) -> String {
    match value {
        Evaluated::Shown(shown) => context.text(shown),
        Evaluated::Number(number) => number.to_string(),
        Evaluated::Vector(numbers) => {
            let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            format!("({})", texts.join(", "))
        }
    }
}

fn number_of(context: &Context<'_>, value: &Evaluated) -> Result<Number, String> {
    match value {
        Evaluated::Number(number) => Ok(*number),
        Evaluated::Vector(_) => Err("a vector stands where a number should".to_owned()),
        Evaluated::Shown(shown) => {
            let scalars = context.scalars(shown);
            let Some([bits]) = scalars.as_deref() else {
                return Err(format!("\"{}\" is not a scalar", shown.name));
            };
            let bits = bits.ok_or_else(|| format!("the value of \"{}\" is not known", shown.name))?;
            Ok(match context.program.module().ty(shown.ty) {
                Type::Bool => Number::Bool(bits != 0),
                Type::Int { width, signed: true } => {
                    Number::Integer((((bits << (64 - width)) as i64) >> (64 - width)).into())
                }
                Type::Float { width: 64, encoding: None } => Number::Float(f64::from_bits(bits), false),
                Type::Float { width: 32, encoding: None } => {
                    Number::Float(f32::from_bits(bits as u32).into(), true)
                }
                Type::Float { width: 16, encoding: None } => {
                    Number::Float(half_to_f32(bits as u16).into(), true)
                }
                _ => Number::Integer(bits.into()),
            })
        }
    }
}

struct Parser<'a, 'c> {
    context: &'a Context<'c>,
    tokens: &'a [Token],
    at: usize,
    depth: u32,
}

const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Parser<'_, '_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn peek_at(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is = matches!(self.peek(), Some(Token::Symbol(found)) if *found == symbol);
        self.at += usize::from(is);
        is
    }

    fn expect(&mut self, symbol: &str) -> Result<(), String> {
        if self.eat(symbol) { Ok(()) } else { Err(format!("\"{symbol}\" is missing")) }
    }

    fn number(&self, value: &Evaluated) -> Result<Number, String> {
        number_of(self.context, value)
    }

    fn ternary(&mut self) -> Result<Evaluated, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("the expression nests too deeply".to_owned());
        }
        let condition = self.binary(0)?;
        let value = if self.eat("?") {
            let then = self.ternary()?;
            self.expect(":")?;
            let otherwise = self.ternary()?;
            if self.number(&condition)?.is_true() { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<Evaluated, String> {
        let Some(symbols) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(Token::Symbol(symbol)) = self.peek()
            && symbols.contains(symbol)
        {
            let symbol = *symbol;
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Evaluated::Number(operate(symbol, self.number(&left)?, self.number(&right)?)?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Evaluated, String> {
        for symbol in ["-", "!", "~", "+"] {
            if self.eat(symbol) {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err("the expression nests too deeply".to_owned());
                }
                let value = self.unary()?;
                self.depth -= 1;
                let value = self.number(&value)?;
                return Ok(Evaluated::Number(match (symbol, value) {
                    ("-", Number::Float(value, single)) => Number::Float(-value, single),
                    ("-", Number::Integer(value)) => Number::Integer(-value),
                    ("~", Number::Integer(value)) => Number::Integer(!value),
                    ("!", value) => Number::Bool(!value.is_true()),
                    ("+", value) => value,
                    _ => return Err(format!("\"{symbol}\" of a value that has none")),
                }));
            }
        }
        self.postfix()
    }

    fn postfix(&mut self) -> Result<Evaluated, String> {
        let mut value = self.primary()?;
        loop {
            if self.eat(".") {
                let Some(Token::Name(name)) = self.peek().cloned() else {
                    return Err("a member's name is missing behind \".\"".to_owned());
                };
                self.at += 1;
                value = self.member(&value, &name)?;
            } else if self.eat("[") {
                let index = self.ternary()?;
                self.expect("]")?;
                let Number::Integer(index) = self.number(&index)? else {
                    return Err("an index is not an integer".to_owned());
                };
                let Evaluated::Shown(shown) = &value else { return Err("an index of a number".to_owned()) };
                let part = u64::try_from(index).ok().and_then(|index| self.context.part(shown, index));
                let count = self.context.count(shown);
                let outside =
                    || format!("\"{}\" has {count} elements, and none with index {index}", shown.name);
                let mut part = part.ok_or_else(outside)?;
                part.name = format!("{}[{index}]", shown.name);
                value = Evaluated::Shown(part);
            } else {
                return Ok(value);
            }
        }
    }

    fn member(&self, value: &Evaluated, name: &str) -> Result<Evaluated, String> {
        let Evaluated::Shown(shown) = value else { return Err(format!("a number has no member \"{name}\"")) };
        let context = self.context;
        let is_vector = matches!(context.program.module().ty(shown.ty), Type::Vector { .. });
        if is_vector || context.is_texel(shown) {
            let letter = |c: char| ["xyzw", "rgba", "stpq"].iter().find_map(|set| set.find(c));
            let indices: Option<Vec<usize>> = name.chars().map(letter).collect();
            let parts: Option<Vec<Shown>> = indices.and_then(|indices| {
                indices.into_iter().map(|index| context.part(shown, index as u64)).collect()
            });
            return match parts.as_deref() {
                Some([one]) => Ok(Evaluated::Shown(one.clone())),
                Some(several) => {
                    let numbers: Result<Vec<Number>, String> = several
                        .iter()
                        .map(|part| number_of(context, &Evaluated::Shown(part.clone())))
                        .collect();
                    numbers.map(Evaluated::Vector)
                }
                None => Err(format!("\"{}\" has no components \"{name}\"", shown.name)),
            };
        }
        let mut parts = context.parts(shown, 0, None).into_iter();
        match parts.find(|part| part.name == name) {
            Some(mut part) => {
                part.name = format!("{}.{name}", shown.name);
                Ok(Evaluated::Shown(part))
            }
            None => Err(format!("\"{}\" has no member \"{name}\"", shown.name)),
        }
    }

    fn primary(&mut self) -> Result<Evaluated, String> {
        if self.eat("(") {
            let value = self.ternary()?;
            self.expect(")")?;
            return Ok(value);
        }
        let token = self.peek().cloned().ok_or("the expression ends too early")?;
        self.at += 1;
        match token {
            Token::Number(number) => Ok(Evaluated::Number(number)),
            Token::Symbol(symbol) => Err(format!("\"{symbol}\" stands where a value should")),
            Token::Name(name) => match name.as_str() {
                "true" => Ok(Evaluated::Number(Number::Bool(true))),
                "false" => Ok(Evaluated::Number(Number::Bool(false))),
                _ if self.eat("(") => self.call(&name),
                _ => match self.context.named(&name).or_else(|| self.split_variable(&name)) {
                    Some(shown) => Ok(Evaluated::Shown(shown)),
                    None => Err(format!("nothing here is named \"{name}\"")),
                },
            },
        }
    }

    /// The part of a variable of which only parts are known by name (`item.weight`, `all[2]`), as compilers
    /// leave them of variables that are in no memory; what follows the name is taken as far as it is part of
    /// one.
    fn split_variable(&mut self, name: &str) -> Option<Shown> {
        let start = self.at;
        let (mut name, mut found) = (name.to_owned(), None);
        loop {
            match (self.peek_at(0), self.peek_at(1), self.peek_at(2)) {
                (Some(Token::Symbol(".")), Some(Token::Name(member)), _) => {
                    name += &format!(".{member}");
                    self.at += 2;
                }
                (
                    Some(Token::Symbol("[")),
                    Some(Token::Number(Number::Integer(index))),
                    Some(Token::Symbol("]")),
                ) => {
                    name += &format!("[{index}]");
                    self.at += 3;
                }
                _ => break,
            }
            if let Some(shown) = self.context.named(&name) {
                found = Some((shown, self.at));
            }
        }
        self.at = found.as_ref().map_or(start, |(_, at)| *at);
        found.map(|(shown, _)| shown)
    }

    fn call(&mut self, name: &str) -> Result<Evaluated, String> {
        let mut arguments = Vec::new();
        while !self.eat(")") {
            let value = self.ternary()?;
            arguments.push(self.number(&value)?);
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        let value = match (name, &arguments[..]) {
            ("abs", [Number::Integer(value)]) => Number::Integer(value.abs()),
            ("int" | "uint" | "i32" | "u32", [value]) => Number::Integer(match value {
                Number::Integer(value) => *value,
                value => value.float() as i128,
            }),
            ("float" | "f32", [value]) => Number::Float(f64::from(value.float() as f32), true),
            ("min" | "max", [a, b]) => {
                let is_less = a.float() < b.float();
                if is_less == (name == "min") { *a } else { *b }
            }
            ("isnan", [value]) => Number::Bool(value.float().is_nan()),
            ("isinf", [value]) => Number::Bool(value.float().is_infinite()),
            (_, [value]) => {
                let x = value.float();
                let result = match name {
                    "abs" => x.abs(),
                    "sqrt" => x.sqrt(),
                    "floor" => x.floor(),
                    "ceil" => x.ceil(),
                    "fract" => x - x.floor(),
                    "sin" => x.sin(),
                    "cos" => x.cos(),
                    _ => return Err(format!("expressions have no function \"{name}\"")),
                };
                Number::Float(result, !value.is_double())
            }
            _ => {
                return Err(format!(
                    "expressions have no function \"{name}\" of {} arguments",
                    arguments.len()
                ));
            }
        };
        Ok(Evaluated::Number(value))
    }
}

fn operate(symbol: &str, left: Number, right: Number) -> Result<Number, String> {
    match symbol {
        "&&" => return Ok(Number::Bool(left.is_true() && right.is_true())),
        "||" => return Ok(Number::Bool(left.is_true() || right.is_true())),
        _ => {}
    }
    if let (Number::Bool(a), Number::Bool(b)) = (left, right)
        && matches!(symbol, "==" | "!=")
    {
        return Ok(Number::Bool((a == b) == (symbol == "==")));
    }
    if let (Number::Integer(a), Number::Integer(b)) = (left, right) {
        let shift = || u32::try_from(b).ok().filter(|&b| b < 64).ok_or("a shift by 64 or more".to_owned());
        let zero = || "a division by zero".to_owned();
        let integer = match symbol {
            "+" => a.wrapping_add(b),
            "-" => a.wrapping_sub(b),
            "*" => a.wrapping_mul(b),
            "/" => a.checked_div(b).ok_or_else(zero)?,
            "%" => a.checked_rem(b).ok_or_else(zero)?,
            "&" => a & b,
            "|" => a | b,
            "^" => a ^ b,
            "<<" => a << shift()?,
            ">>" => a >> shift()?,
            _ => return compare(symbol, a.partial_cmp(&b)),
        };
        return Ok(Number::Integer(integer));
    }
    let (a, b) = (left.float(), right.float());
    let value = match symbol {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "%" => a % b,
        _ => return compare(symbol, a.partial_cmp(&b)),
    };
    let single = !left.is_double() && !right.is_double();
    Ok(Number::Float(if single { f64::from(value as f32) } else { value }, single))
}

fn compare(symbol: &str, order: Option<std::cmp::Ordering>) -> Result<Number, String> {
    use std::cmp::Ordering as O;
    Ok(Number::Bool(match symbol {
        "==" => order == Some(O::Equal),
        "!=" => order != Some(O::Equal),
        "<" => order == Some(O::Less),
        ">" => order == Some(O::Greater),
        "<=" => matches!(order, Some(O::Less | O::Equal)),
        ">=" => matches!(order, Some(O::Greater | O::Equal)),
        _ => return Err(format!("\"{symbol}\" of floats")),
    }))
}

/// The scalars that a text stands for, for a value of a type: numbers with commas between them, parentheses
/// and a type's name in front allowed.
///
/// # Errors
/// What is wrong with it, for people.
pub fn scalars_of_text(context: &Context<'_>, ty: pyro_spirv::Id, text: &str) -> Result<Vec<u64>, String> {
    let mut types = Vec::new();
    context.program.scalar_types(ty, &mut types);
    scalars_of_types(context, &types, text)
}

/// The same for scalars of these types.
///
/// # Errors
/// What is wrong with it, for people.
pub fn scalars_of_types(
    context: &Context<'_>,
    types: &[pyro_spirv::Id],
    text: &str,
) -> Result<Vec<u64>, String> {
    let inner = match (text.find('('), text.trim_end().strip_suffix(')')) {
        (Some(open), Some(front)) if types.len() > 1 => &front[open + 1..],
        _ => text,
    };
    let parts: Vec<&str> = inner.split(',').collect();
    if parts.len() != types.len() {
        return Err(format!("a value of {} numbers is wanted, not of {}", types.len(), parts.len()));
    }
    let scalar = |(part, &ty): (&&str, &pyro_spirv::Id)| {
        let value = evaluate(context, part)?;
        let number = number_of(context, &value)?;
        Ok(match context.program.module().ty(ty) {
            Type::Bool => u64::from(number.is_true()),
            Type::Float { width: 64, encoding: None } => number.float().to_bits(),
            Type::Float { width: 32, encoding: None } => u64::from((number.float() as f32).to_bits()),
            Type::Int { width, .. } => {
                let Number::Integer(value) = number else {
                    return Err(format!("\"{part}\" is not an integer"));
                };
                value as u64 & (u64::MAX >> (64 - width))
            }
            _ => return Err("values of this type cannot be changed".to_owned()),
        })
    };
    parts.iter().zip(types).map(scalar).collect()
}
