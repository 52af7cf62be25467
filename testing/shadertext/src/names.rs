//! Standard names of types, pointers and constants, and their declarations.
//!
//! - `%void`, `%fn` (a function without parameters or result), `%bool`
//! - integers `%uint`, `%int` (32 bits), `%u8`, `%i8`, `%u16`, `%i16`, `%u64`, `%i64`; floats `%half`,
//!   `%float`, `%double`
//! - vectors: a type with the number of components, `%uint3`, `%float4`, `%bool2`, `%u16x2`
//! - pointers: `%in_T`, `%out_T`, `%buffer_T` (`StorageBuffer`), `%uniform_T`, `%push_T`, `%shared_T`
//!   (`Workgroup`), `%private_T`, `%local_T` (`Function`), `%image_T`, `%handle_T` (`UniformConstant`)
//! - constants: a number's type and its value, `%uint_7`, `%int_m1` (-1), `%float_0p5` (0.5); `%bool_true`,
//!   `%bool_false`

use std::collections::{BTreeMap, BTreeSet};

/// Prefixes of pointers, and their storage classes.
const CLASSES: [(&str, &str); 10] = [
    ("in", "Input"),
    ("out", "Output"),
    ("buffer", "StorageBuffer"),
    ("uniform", "Uniform"),
    ("push", "PushConstant"),
    ("shared", "Workgroup"),
    ("private", "Private"),
    ("local", "Function"),
    ("image", "Image"),
    ("handle", "UniformConstant"),
];

/// Numbers, and their declarations.
const NUMBERS: [(&str, &str); 11] = [
    ("uint", "OpTypeInt 32 0"),
    ("int", "OpTypeInt 32 1"),
    ("u8", "OpTypeInt 8 0"),
    ("i8", "OpTypeInt 8 1"),
    ("u16", "OpTypeInt 16 0"),
    ("i16", "OpTypeInt 16 1"),
    ("u64", "OpTypeInt 64 0"),
    ("i64", "OpTypeInt 64 1"),
    ("half", "OpTypeFloat 16"),
    ("float", "OpTypeFloat 32"),
    ("double", "OpTypeFloat 64"),
];

/// The name of the pointer to a type in a storage class.
pub(crate) fn pointer(class: &str, ty: &str) -> String {
    let known = CLASSES.iter().find(|(_, name)| *name == class);
    format!("%{}_{ty}", known.map_or(class, |(prefix, _)| prefix))
}

/// The declaration of a standard name, without its `%`; none of other names.
fn declaration(name: &str) -> Option<String> {
    let number = |name: &str| NUMBERS.iter().find(|(number, _)| *number == name).map(|(_, line)| *line);
    let line = match name {
        "void" => "OpTypeVoid".to_owned(),
        "fn" => "OpTypeFunction %void".to_owned(),
        "bool" => "OpTypeBool".to_owned(),
        "bool_true" => "OpConstantTrue %bool".to_owned(),
        "bool_false" => "OpConstantFalse %bool".to_owned(),
        _ => {
            if let Some(line) = number(name) {
                line.to_owned()
            } else if let Some((ty, value)) = name.split_once('_') {
                if number(ty).is_some() {
                    format!("OpConstant %{ty} {}", value_of(value)?)
                } else {
                    let (_, class) = CLASSES.iter().find(|(prefix, _)| *prefix == ty)?;
                    format!("OpTypePointer {class} %{value}")
                }
            } else {
                let (ty, count) = name.split_at_checked(name.len().checked_sub(1)?)?;
                let ty = ty.strip_suffix('x').unwrap_or(ty);
                let is_vector = (number(ty).is_some() || ty == "bool") && ["2", "3", "4"].contains(&count);
                is_vector.then(|| format!("OpTypeVector %{ty} {count}"))?
            }
        }
    };
    Some(line)
}

/// The number in a constant's name: `m` for the sign, `p` for the point.
fn value_of(name: &str) -> Option<String> {
    let digits = name.strip_prefix('m').unwrap_or(name);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit());
    is_number.then(|| format!("{}{}", if digits == name { "" } else { "-" }, digits.replacen('p', ".", 1)))
}

/// The names in a line, without their `%`.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|part: char| part.is_whitespace() || part == '(' || part == ')');
    words.filter_map(|word| word.strip_prefix('%'))
}

/// The instructions of a text: a new one begins at `%name =` or at an `Op…` that no such stands before.
fn instructions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut words =
        text.lines().flat_map(|line| line.split(';').next().unwrap_or("").split_whitespace()).peekable();
    let mut is_defined = false;
    while let Some(word) = words.next() {
        let defines = word.starts_with('%') && words.peek() == Some(&"=");
        if defines || word.starts_with("Op") && !is_defined {
            found.push(String::new());
        }
        is_defined = defines || is_defined && word == "=";
        if let Some(last) = found.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    found
}

/// The name that an instruction defines.
fn defined_name(line: &str) -> Option<&str> {
    line.split_once(" = ")?.0.strip_prefix('%')
}

/// Declarations in an order in which each stands behind those that it uses: the lines given, and the standard
/// names that they, annotations and functions (`code`) use and nothing defines.
pub(crate) fn declared(lines: &str, code: &str) -> String {
    let given = instructions(lines);
    let defined: BTreeMap<&str, &str> =
        given.iter().filter_map(|line| Some((defined_name(line)?, line.as_str()))).collect();
    let code = instructions(code);
    // What functions define are their own names, even where they look like standard ones.
    let own: BTreeSet<&str> = code.iter().filter_map(|line| defined_name(line)).collect();
    let mut order = Order { defined, done: BTreeSet::new(), out: String::new() };
    for name in code.iter().flat_map(|line| names(line)) {
        if !order.defined.contains_key(name) && !own.contains(name) {
            order.require(name);
        }
    }
    for line in &given {
        match defined_name(line) {
            Some(name) => order.require(name),
            None => order.push(line),
        }
    }
    order.out
}

struct Order<'t> {
    defined: BTreeMap<&'t str, &'t str>,
    done: BTreeSet<String>,
    out: String,
}

impl Order<'_> {
    /// Declares a name if that is not done, after those that its declaration uses.
    fn require(&mut self, name: &str) {
        if !self.done.insert(name.to_owned()) {
            return;
        }
        let line = match self.defined.get(name) {
            Some(line) => (*line).to_owned(),
            None => match declaration(name) {
                Some(line) => format!("%{name} = {line}"),
                None => return,
            },
        };
        self.push(&line);
    }

    fn push(&mut self, line: &str) {
        names(line).for_each(|used| self.require(used));
        self.out += line;
        self.out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_are() {
        let line = |name| declaration(name).unwrap_or_default();
        assert_eq!(line("uint3"), "OpTypeVector %uint 3");
        assert_eq!(line("u16x2"), "OpTypeVector %u16 2");
        assert_eq!(line("int_m1"), "OpConstant %int -1");
        assert_eq!(line("float_0p5"), "OpConstant %float 0.5");
        assert_eq!(line("buffer_float4"), "OpTypePointer StorageBuffer %float4");
        assert_eq!(line("shared_tile"), "OpTypePointer Workgroup %tile");
        for unknown in ["position", "uint5", "x_1", "uint_x", "i", "", "ä"] {
            assert_eq!(declaration(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn declarations_follow_those_they_use() {
        let text = declared(
            "%b = OpVariable %buffer_pair StorageBuffer\n%pair = OpTypeStruct %uint\n   %array",
            "%x = OpLoad %uint %b %array = OpTypeArray %float2 %uint_2",
        );
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["%uint = OpTypeInt 32 0", "%float = OpTypeFloat 32"]);
        assert!(text.find("%pair =").expect("pair") < text.find("%buffer_pair =").expect("pointer"));
        assert!(text.find("%buffer_pair =").expect("pointer") < text.find("%b =").expect("variable"));
        let own = declared("", "%in_place = OpIAdd %uint %uint_1 %uint_1 OpStore %in_place %uint_1");
        assert_eq!(own, "%uint = OpTypeInt 32 0\n%uint_1 = OpConstant %uint 1\n");
    }
}
