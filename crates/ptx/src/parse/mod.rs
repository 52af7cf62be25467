//! Reads a text.

mod body;
mod declare;
mod expression;

use crate::error::{Result, invalid, limit, unsupported};
use crate::lex::{Token, tokens};
use crate::limits::{NESTING_MAX, PARAMETER_BYTES_MAX, TEXT_BYTES_MAX};
use crate::module::{Function, Module};
use crate::{TARGET_MAX, TARGET_MIN, VERSION_MAX};
use std::collections::HashMap;

/// A name outside of functions.
#[derive(Clone, Copy, Debug)]
enum Global {
    Variable(usize),
    Function(usize),
}

/// How a name is seen by other modules.
#[derive(Clone, Copy, Debug, Default)]
struct Linkage {
    is_external: bool,
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, u32)>,
    at: usize,
    nesting: u32,
    module: Module,
    globals: HashMap<&'a str, Global>,
    variable_bytes: u64,
}

impl Module {
    /// Reads a text, which may end with zeros.
    ///
    /// # Errors
    /// See [`crate::PtxError`].
    pub fn parse(text: &[u8]) -> Result<Module> {
        let length = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if length > TEXT_BYTES_MAX {
            return limit(1, "Source Format", format!("a text of {length} bytes"));
        }
        let Ok(text) = std::str::from_utf8(&text[..length]) else {
            return invalid(1, "Source Format", "the text is not ASCII");
        };
        let parser = Parser {
            tokens: tokens(text)?,
            at: 0,
            nesting: 0,
            module: Module { text: text.to_owned(), ..Module::default() },
            globals: HashMap::new(),
            variable_bytes: 0,
        };
        parser.module()
    }
}

impl<'a> Parser<'a> {
    /// The line of the next word.
    fn line(&self) -> u32 {
        let next = self.tokens.get(self.at).or(self.tokens.last());
        next.map_or(1, |&(_, line)| line)
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.tokens.get(self.at).map(|&(token, _)| token)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).map(|&(token, _)| token)
    }

    fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Goes over this character, if it is next.
    fn accept(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(Token::Punctuation(wanted));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Result {
        if self.accept(wanted) { Ok(()) } else { self.unexpected(&format!("'{wanted}'")) }
    }

    /// That something else than this was expected.
    fn unexpected<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.peek() {
            None => "the text ends".to_owned(),
            Some(Token::Name(name)) => format!("found \"{name}\""),
            Some(Token::Dot(name)) => format!("found \".{name}\""),
            Some(Token::Integer(value)) => format!("found {value}"),
            Some(Token::Single(_) | Token::Double(_)) => "found a number".to_owned(),
            Some(Token::Text(_)) => "found a text in quotes".to_owned(),
            Some(Token::Punctuation(other)) => format!("found '{other}'"),
        };
        invalid(self.line(), "Syntax", format!("expected {wanted}, {found}"))
    }

    /// Goes over this word behind a dot, if it is next.
    fn accept_dot(&mut self, wanted: &str) -> bool {
        let found = self.peek() == Some(Token::Dot(wanted));
        self.at += usize::from(found);
        found
    }

    fn name(&mut self) -> Result<&'a str> {
        match self.peek() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn integer(&mut self) -> Result<u64> {
        match self.peek() {
            Some(Token::Integer(value)) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.unexpected("an integer"),
        }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting == NESTING_MAX {
            return limit(self.line(), "Syntax", format!("more than {NESTING_MAX} levels of braces"));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn module(mut self) -> Result<Module> {
        self.header()?;
        while self.peek().is_some() {
            self.module_item()?;
        }
        for variable in &self.module.variables {
            if variable.is_external && variable.bytes.is_some() {
                let message = format!("\"{}\" is defined in another module", variable.name);
                return unsupported(variable.line, "Linking Directives: .extern", message);
            }
        }
        Ok(self.module)
    }

    /// `.version`, `.target`, `.address_size`
    fn header(&mut self) -> Result {
        const RULE: &str = "PTX Module Directives";
        if !self.accept_dot("version") {
            return invalid(self.line(), RULE, "the text does not begin with .version");
        }
        let line = self.line();
        let version = match self.next() {
            Some(Token::Double(bits)) => {
                let value = f64::from_bits(bits);
                (value.trunc() as u32, ((value - value.trunc()) * 10.0).round() as u32)
            }
            _ => return invalid(line, RULE, ".version has no number such as 7.5"),
        };
        if version > VERSION_MAX || version.0 < 1 {
            let (major, minor) = version;
            return unsupported(line, RULE, format!("version {major}.{minor} of PTX"));
        }
        self.module.version = version;
        if !self.accept_dot("target") {
            return invalid(self.line(), RULE, "behind .version there is no .target");
        }
        loop {
            let line = self.line();
            let name = self.name()?;
            if let Some(number) = name.strip_prefix("sm_") {
                let digits = number.trim_end_matches(['a', 'f']);
                match digits.parse::<u32>() {
                    Ok(target) if (TARGET_MIN..=TARGET_MAX).contains(&target) => self.module.target = target,
                    Ok(_) => return unsupported(line, RULE, format!("the architecture {name}")),
                    Err(_) => return invalid(line, RULE, format!("{name} is not an architecture")),
                }
            } else if !matches!(name, "debug" | "texmode_unified" | "texmode_independent" | "map_f64_to_f32")
            {
                return invalid(line, RULE, format!("{name} is not a target"));
            } else if name == "map_f64_to_f32" {
                return unsupported(line, RULE, "map_f64_to_f32");
            }
            if !self.accept(',') {
                break;
            }
        }
        if self.module.target == 0 {
            return invalid(line, RULE, ".target names no architecture");
        }
        if self.accept_dot("address_size") {
            let line = self.line();
            if self.integer()? != 64 {
                return unsupported(line, RULE, "addresses of 32 bits");
            }
            return Ok(());
        }
        unsupported(
            self.line(),
            RULE,
            "addresses of 32 bits, which is what there is without .address_size 64",
        )
    }

    fn module_item(&mut self) -> Result {
        let line = self.line();
        let mut linkage = Linkage::default();
        loop {
            let Some(Token::Dot(word)) = self.peek() else { return self.unexpected("a directive") };
            if self.accept_debugging()? {
                return Ok(());
            }
            match word {
                "visible" | "weak" => self.at += 1,
                "extern" => {
                    self.at += 1;
                    linkage.is_external = true;
                }
                "common" => return unsupported(line, "Linking Directives: .common", ".common"),
                "alias" => return unsupported(line, "Kernel and Function Directives: .alias", ".alias"),
                "entry" | "func" => {
                    self.at += 1;
                    return self.function(word == "entry", linkage);
                }
                "global" | "const" | "shared" | "local" => {
                    for (name, variable) in self.variables(linkage.is_external)? {
                        if self.globals.insert(name, Global::Variable(variable)).is_some() {
                            return invalid(line, "Identifiers", format!("\"{name}\" is declared twice"));
                        }
                    }
                    return Ok(());
                }
                "tex" => return unsupported(line, "State Spaces: Texture State Space", ".tex"),
                _ => {
                    return invalid(line, "Directives", format!(".{word} is not a module directive"));
                }
            }
        }
    }

    /// Goes over what is for debuggers and the assembler, if that is next.
    fn accept_debugging(&mut self) -> Result<bool> {
        match self.peek() {
            Some(Token::Dot("file")) => {
                self.at += 1;
                self.integer()?;
                let Some(Token::Text(_)) = self.next() else { return self.unexpected("a file's name") };
                while self.accept(',') {
                    self.integer()?;
                }
            }
            Some(Token::Dot("loc")) => {
                self.at += 1;
                let place = |parser: &mut Self| (0..3).try_for_each(|_| parser.integer().map(drop));
                place(self)?;
                while self.accept(',') {
                    match self.name()? {
                        "function_name" => {
                            self.name()?;
                            if self.accept('+') {
                                self.integer()?;
                            }
                        }
                        "inlined_at" => place(self)?,
                        _ => return self.unexpected("function_name or inlined_at"),
                    }
                }
            }
            Some(Token::Dot("section")) => {
                self.at += 1;
                self.next();
                self.expect('{')?;
                let mut open = 1;
                while open > 0 {
                    match self.next() {
                        Some(Token::Punctuation('{')) => open += 1,
                        Some(Token::Punctuation('}')) => open -= 1,
                        Some(_) => {}
                        None => return self.unexpected("the section's end"),
                    }
                }
            }
            Some(Token::Dot("pragma")) => {
                self.at += 1;
                while let Some(Token::Text(_)) = self.peek() {
                    self.at += 1;
                    self.accept(',');
                }
                self.expect(';')?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A kernel or function, behind `.entry` or `.func`.
    fn function(&mut self, is_entry: bool, linkage: Linkage) -> Result {
        let line = self.line();
        let mut scope = body::Scope::default();
        let mut function = Function { line, is_entry, ..Function::default() };
        let mut registers = 0;
        self.accept_dot("noreturn");
        if self.accept('(') {
            if is_entry {
                return invalid(line, "Kernel and Function Directives: .entry", "a kernel returns nothing");
            }
            function.results = self.parameters(&mut registers)?;
        }
        let name = self.name()?;
        function.name = name.to_owned();
        if self.accept('(') {
            function.parameters = self.parameters(&mut registers)?;
        }
        if is_entry {
            let bytes =
                function.parameters.iter().map(|parameter| parameter.bytes + parameter.align).sum::<u64>();
            if bytes > PARAMETER_BYTES_MAX.into() {
                let rule = "State Spaces: Kernel Function Parameters";
                return limit(line, rule, format!("parameters of \"{name}\" of {bytes} bytes"));
            }
            if function.parameters.iter().any(|parameter| parameter.register.is_some()) {
                return invalid(
                    line,
                    "State Spaces: Kernel Function Parameters",
                    "a kernel's parameter is a register",
                );
            }
        }
        self.performance_directives(&mut function)?;
        for (index, parameter) in function.parameters.iter().enumerate() {
            scope.declare_parameter(parameter, index, false);
        }
        for (index, result) in function.results.iter().enumerate() {
            scope.declare_parameter(result, index, true);
        }
        // A function may call one that is declared before and defined behind.
        let index = match self.globals.get(name) {
            None => {
                let index = self.module.functions.len();
                self.module.functions.push(Function::default());
                self.globals.insert(name, Global::Function(index));
                index
            }
            Some(&Global::Function(index)) if self.module.functions[index].body.is_none() => index,
            Some(_) => return invalid(line, "Identifiers", format!("\"{name}\" is declared twice")),
        };
        self.module.functions[index] = function;
        if self.accept(';') {
            return Ok(());
        }
        if linkage.is_external {
            return invalid(
                line,
                "Linking Directives: .extern",
                format!("\"{name}\" is external and has a body"),
            );
        }
        let body = self.body(scope, registers)?;
        self.module.functions[index].body = Some(body);
        Ok(())
    }

    fn performance_directives(&mut self, function: &mut Function) -> Result {
        const RULE: &str = "Performance-Tuning Directives";
        while let Some(Token::Dot(word)) = self.peek() {
            if self.accept_debugging()? {
                continue;
            }
            let line = self.line();
            self.at += 1;
            let sizes = |parser: &mut Self| -> Result<[u32; 3]> {
                let mut sizes = [1; 3];
                for size in &mut sizes {
                    let line = parser.line();
                    match u32::try_from(parser.integer()?) {
                        Ok(value) if value > 0 => *size = value,
                        _ => return invalid(line, RULE, format!(".{word} with a size that no block has")),
                    }
                    if !parser.accept(',') {
                        break;
                    }
                }
                Ok(sizes)
            };
            match word {
                "maxntid" => {
                    let sizes = sizes(self)?;
                    let threads =
                        sizes.iter().fold(1u64, |product, &size| product.saturating_mul(size.into()));
                    function.maximal_threads = Some(threads);
                }
                "reqntid" => function.required_block = Some(sizes(self)?),
                "maxnreg" | "minnctapersm" | "maxnctapersm" | "maxclusterrank" => drop(self.integer()?),
                "noreturn" | "unified" | "abi_preserve" => {}
                "reqnctapercluster" | "explicitcluster" | "blocksareclusters" => {
                    return unsupported(line, "Cluster Dimension Directives", format!(".{word}"));
                }
                _ => return invalid(line, "Directives", format!(".{word} is not a directive of a function")),
            }
        }
        Ok(())
    }
}
