//! Programs made from a seed: shaders of any size, and their results by plain Rust.
//!
//! A program mixes what moderate compute shaders hold: integer and float arithmetic on local variables,
//! loads from a buffer at computed places, branches, short loops, values passed through workgroup
//! memory. For fragment shaders the invocations are the pixels of a square and nothing passes between them.
//! Every value is exact whether or not the driver fuses: floats are whole numbers below 2^16.

use std::fmt::Write;

use super::Random;

/// Invocations of the one workgroup that a program is made for.
pub(super) const WORKGROUP_SIZE: usize = 64;

/// Local integer variables.
const INTEGERS: u32 = 6;
/// Local float variables.
const FLOATS: u32 = 4;
/// Every float stays below this.
const FLOAT_LIMIT: f32 = 4096.0;

/// WGSL as SPIR-V, its entry point named `main`.
pub(super) fn spirv_of(source: &str) -> Vec<u32> {
    use naga::back::spv;
    let module = naga::front::wgsl::parse_str(source).expect("the generator writes WGSL");
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    let info = validator.validate(&module).expect("the generator writes valid WGSL");
    // As GLSL compilers write it: no added checks, so that every driver compiles the same work.
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..Default::default()
    };
    spv::write_vec(&module, &info, &options, None).expect("WGSL of this kind has a SPIR-V form")
}

/// One statement; `a`, `b` and `c` are indices of variables.
enum Statement {
    Integer {
        a: usize,
        b: usize,
        c: usize,
        operation: Operation,
        constant: u32,
    },
    Float {
        a: usize,
        b: usize,
        c: usize,
        factor: u32,
    },
    ToFloat {
        a: usize,
        b: usize,
    },
    ToInteger {
        a: usize,
        b: usize,
    },
    Load {
        a: usize,
        b: usize,
    },
    Branch {
        b: usize,
        c: usize,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Loop {
        trips: u32,
        body: Vec<Statement>,
    },
    /// Passes a value to another invocation; at the top only, where all invocations meet.
    Exchange {
        a: usize,
        b: usize,
        distance: usize,
    },
}

#[derive(Clone, Copy)]
enum Operation {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    ShiftLeft,
    ShiftRight,
    Minimum,
    Select,
}

/// A generated shader.
pub(super) struct Program {
    statements: Vec<Statement>,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Compute,
    Fragment,
}

#[derive(Clone, Copy)]
struct Locals {
    integers: [u32; INTEGERS as usize],
    floats: [f32; FLOATS as usize],
}

impl Program {
    /// A program whose SPIR-V has about this many instructions.
    pub(super) fn with_instructions(seed: u64, wanted: usize) -> Self {
        Self::of_stage(Stage::Compute, seed, wanted)
    }

    /// The same for fragment shaders.
    pub(super) fn for_fragments(seed: u64, wanted: usize) -> Self {
        Self::of_stage(Stage::Fragment, seed, wanted)
    }

    fn of_stage(stage: Stage, seed: u64, wanted: usize) -> Self {
        // The number of instructions is close to linear in that of statements: one correction does.
        let mut statements = (wanted / 8).max(4);
        let first = Self::with_statements(stage, seed, statements);
        let measured = instruction_count(&first.spirv());
        statements = (statements * wanted / measured).max(1);
        Self::with_statements(stage, seed, statements)
    }

    fn with_statements(stage: Stage, seed: u64, count: usize) -> Self {
        let mut random = Random::new(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) ^ 0xbe9c);
        let mut left = count;
        let mut statements = Vec::new();
        while left > 0 {
            let made = statement(&mut random, &mut left, 0);
            if stage == Stage::Compute || !matches!(made, Statement::Exchange { .. }) {
                statements.push(made);
            }
        }
        Self { statements, stage }
    }

    /// The shader as SPIR-V, its entry point named `main`.
    pub(super) fn spirv(&self) -> Vec<u32> {
        spirv_of(&self.wgsl())
    }

    /// What one workgroup leaves in the output.
    pub(super) fn evaluate(&self, input: &[u32]) -> Vec<u32> {
        let mut lanes: Vec<Locals> = (0..WORKGROUP_SIZE).map(|lane| Locals::new(lane as u32)).collect();
        for statement in &self.statements {
            if let Statement::Exchange { a, b, distance } = *statement {
                let sent: Vec<u32> = lanes.iter().map(|locals| locals.integers[b]).collect();
                for (lane, locals) in lanes.iter_mut().enumerate() {
                    let received = sent[(lane + distance) % WORKGROUP_SIZE];
                    locals.integers[a] = locals.integers[a].wrapping_add(received);
                }
            } else {
                lanes.iter_mut().for_each(|locals| locals.step(statement, input));
            }
        }
        lanes.iter().map(Locals::result).collect()
    }

    fn wgsl(&self) -> String {
        let mut text = match self.stage {
            Stage::Compute => format!(
                "@group(0) @binding(0) var<storage, read_write> output: array<u32>;\n\
                 @group(0) @binding(1) var<storage, read_write> source: array<u32>;\n\
                 var<workgroup> mail: array<u32, {WORKGROUP_SIZE}>;\n\
                 @compute @workgroup_size({WORKGROUP_SIZE})\n\
                 fn main(@builtin(local_invocation_index) lane: u32) {{\n"
            ),
            // Lanes are the pixels of an 8 x 8 square at a multiple of its size.
            Stage::Fragment => "@group(0) @binding(0) var<storage, read> source: array<u32>;\n\
                 @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {\n\
                 let lane = (u32(at.x) & 7u) + 8u * (u32(at.y) & 7u);\n"
                .to_owned(),
        };
        for i in 0..INTEGERS {
            writeln!(text, "var u{i} = lane * {}u + {i}u;", 2 * i + 1).expect("a string takes all");
        }
        for i in 0..FLOATS {
            writeln!(text, "var f{i} = f32(lane + {i}u);").expect("a string takes all");
        }
        for statement in &self.statements {
            statement.write(&mut text, 0);
        }
        let integers = (0..INTEGERS).map(|i| format!("u{i}")).collect::<Vec<_>>().join(" ^ ");
        let floats = (0..FLOATS).map(|i| format!("u32(f{i})")).collect::<Vec<_>>().join(" + ");
        writeln!(text, "let result = ({integers}) + ({floats});").expect("a string takes all");
        text.push_str(match self.stage {
            Stage::Compute => "output[lane] = result;\n}\n",
            Stage::Fragment => "return vec4<f32>(unpack4x8unorm(result).xyz, 1.0);\n}\n",
        });
        text
    }
}

fn statement(random: &mut Random, left: &mut usize, depth: usize) -> Statement {
    *left -= 1;
    let integer = |random: &mut Random| random.below(INTEGERS) as usize;
    let float = |random: &mut Random| random.below(FLOATS) as usize;
    let block = |random: &mut Random, left: &mut usize| {
        let wanted = 1 + random.below(4) as usize;
        let mut statements = Vec::new();
        while *left > 0 && statements.len() < wanted {
            statements.push(statement(random, left, depth + 1));
        }
        statements
    };
    // Branches and loops only two deep, exchanges only at the top.
    match random.below(if depth < 2 { 20 } else { 16 }) {
        0..8 => Statement::Integer {
            a: integer(random),
            b: integer(random),
            c: integer(random),
            operation: OPERATIONS[random.below(OPERATIONS.len() as u32) as usize],
            constant: random.word(),
        },
        8..12 => Statement::Float {
            a: float(random),
            b: float(random),
            c: float(random),
            factor: 2 + random.below(6),
        },
        12 => Statement::ToFloat { a: float(random), b: integer(random) },
        13 => Statement::ToInteger { a: integer(random), b: float(random) },
        14..16 => Statement::Load { a: integer(random), b: integer(random) },
        16 | 17 => Statement::Branch {
            b: integer(random),
            c: integer(random),
            then: block(random, left),
            otherwise: block(random, left),
        },
        18 => Statement::Loop { trips: 2 + random.below(4), body: block(random, left) },
        _ if depth == 0 => Statement::Exchange {
            a: integer(random),
            b: integer(random),
            distance: 1 + random.below(WORKGROUP_SIZE as u32 - 1) as usize,
        },
        _ => Statement::Load { a: integer(random), b: integer(random) },
    }
}

const OPERATIONS: [Operation; 9] = [
    Operation::Add,
    Operation::Subtract,
    Operation::Multiply,
    Operation::And,
    Operation::Or,
    Operation::ShiftLeft,
    Operation::ShiftRight,
    Operation::Minimum,
    Operation::Select,
];

impl Operation {
    /// Of two values and a constant: the constant is added last, so that no chain dies out in zeros.
    fn apply(self, b: u32, c: u32, constant: u32) -> u32 {
        let value = match self {
            Self::Add => b.wrapping_add(c),
            Self::Subtract => b.wrapping_sub(c),
            Self::Multiply => b.wrapping_mul(c),
            Self::And => b & c,
            Self::Or => b | c,
            Self::ShiftLeft => b << (c & 31),
            Self::ShiftRight => b >> (c & 31),
            Self::Minimum => b.min(c),
            Self::Select => {
                if b & 1 != 0 {
                    b
                } else {
                    c
                }
            }
        };
        value ^ constant
    }

    fn wgsl(self, b: usize, c: usize) -> String {
        match self {
            Self::Add => format!("u{b} + u{c}"),
            Self::Subtract => format!("u{b} - u{c}"),
            Self::Multiply => format!("u{b} * u{c}"),
            Self::And => format!("u{b} & u{c}"),
            Self::Or => format!("u{b} | u{c}"),
            Self::ShiftLeft => format!("u{b} << (u{c} & 31u)"),
            Self::ShiftRight => format!("u{b} >> (u{c} & 31u)"),
            Self::Minimum => format!("min(u{b}, u{c})"),
            Self::Select => format!("select(u{c}, u{b}, (u{b} & 1u) != 0u)"),
        }
    }
}

impl Statement {
    fn write(&self, text: &mut String, depth: usize) {
        let block = |text: &mut String, statements: &[Self]| {
            statements.iter().for_each(|statement| statement.write(text, depth + 1));
        };
        let put = |text: &mut String, line: std::fmt::Arguments<'_>| {
            text.write_fmt(line).expect("a string takes all");
        };
        match self {
            Self::Integer { a, b, c, operation, constant } => {
                put(text, format_args!("u{a} = ({}) ^ {constant}u;\n", operation.wgsl(*b, *c)));
            }
            Self::Float { a, b, c, factor } => {
                put(text, format_args!("f{a} = min(f{b} * {factor}.0 + f{c}, {FLOAT_LIMIT:.1});\n"));
            }
            Self::ToFloat { a, b } => put(text, format_args!("f{a} = f32(u{b} & 1023u);\n")),
            Self::ToInteger { a, b } => put(text, format_args!("u{a} = u{a} + u32(f{b});\n")),
            Self::Load { a, b } => put(text, format_args!("u{a} = u{a} ^ source[u{b} & 1023u];\n")),
            Self::Branch { b, c, then, otherwise } => {
                put(text, format_args!("if u{b} < u{c} {{\n"));
                block(text, then);
                put(text, format_args!("}} else {{\n"));
                block(text, otherwise);
                put(text, format_args!("}}\n"));
            }
            Self::Loop { trips, body } => {
                put(text, format_args!("for (var i{depth} = 0u; i{depth} < {trips}u; i{depth}++) {{\n"));
                block(text, body);
                put(text, format_args!("}}\n"));
            }
            Self::Exchange { a, b, distance } => put(
                text,
                format_args!(
                    "mail[lane] = u{b};\nworkgroupBarrier();\n\
                     u{a} = u{a} + mail[(lane + {distance}u) & 63u];\nworkgroupBarrier();\n"
                ),
            ),
        }
    }
}

impl Locals {
    fn new(lane: u32) -> Self {
        Self {
            integers: std::array::from_fn(|i| lane * (2 * i as u32 + 1) + i as u32),
            floats: std::array::from_fn(|i| (lane + i as u32) as f32),
        }
    }

    fn step(&mut self, statement: &Statement, input: &[u32]) {
        let Self { integers: u, floats: f } = self;
        match *statement {
            Statement::Integer { a, b, c, operation, constant } => {
                u[a] = operation.apply(u[b], u[c], constant);
            }
            Statement::Float { a, b, c, factor } => {
                f[a] = (f[b] * factor as f32 + f[c]).min(FLOAT_LIMIT);
            }
            Statement::ToFloat { a, b } => f[a] = (u[b] & 1023) as f32,
            Statement::ToInteger { a, b } => u[a] = u[a].wrapping_add(f[b] as u32),
            Statement::Load { a, b } => u[a] ^= input[(u[b] & 1023) as usize],
            Statement::Branch { b, c, ref then, ref otherwise } => {
                let taken = if u[b] < u[c] { then } else { otherwise };
                taken.iter().for_each(|statement| self.step(statement, input));
            }
            Statement::Loop { trips, ref body } => {
                for _ in 0..trips {
                    body.iter().for_each(|statement| self.step(statement, input));
                }
            }
            Statement::Exchange { .. } => unreachable!("exchanges are at the top only"),
        }
    }

    fn result(&self) -> u32 {
        let integers = self.integers.iter().fold(0, |sum, u| sum ^ u);
        let floats = self.floats.iter().fold(0u32, |sum, f| sum.wrapping_add(*f as u32));
        integers.wrapping_add(floats)
    }
}

/// Instructions in a module, by its words' own lengths (SPIR-V specification, section 2.3).
fn instruction_count(words: &[u32]) -> usize {
    let mut at = 5;
    let mut count = 0;
    while at < words.len() {
        at += (words[at] >> 16).max(1) as usize;
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_near_what_is_asked() {
        for wanted in [300, 1_000, 4_000, 16_000] {
            let got = instruction_count(&Program::with_instructions(1000, wanted).spirv());
            assert!(got.abs_diff(wanted) * 5 <= wanted, "{got} instructions, wanted {wanted}");
        }
    }

    #[test]
    fn seeds_give_distinct_programs_that_use_every_lane() {
        let input: Vec<u32> = (0..1024).map(|i| i * 7).collect();
        let results: Vec<_> =
            (0..60).map(|seed| Program::with_instructions(seed, 400).evaluate(&input)).collect();
        for (i, result) in results.iter().enumerate() {
            assert!(result.iter().any(|word| word != &result[0]), "program {i} ignores the lane");
            assert!(!results[..i].contains(result), "program {i} repeats an earlier one");
        }
    }
}
