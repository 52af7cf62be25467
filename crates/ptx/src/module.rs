//! What a PTX text says, with every name resolved.

use crate::error::{Result, invalid};
use crate::types::{Space, Type};
use smallvec::SmallVec;

/// A PTX text that has been read.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The version of the PTX ISA that it is written in: major and minor.
    pub version: (u32, u32),
    /// The architecture that it is for: 75 for `sm_75`.
    pub target: u32,
    /// Kernels and functions.
    pub functions: Vec<Function>,
    /// Variables of the module and of its functions, but for parameters.
    pub variables: Vec<Variable>,
    /// The text, which debuggers show.
    pub text: String,
}

/// A kernel (`.entry`) or a function (`.func`).
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub line: u32,
    /// A kernel.
    pub is_entry: bool,
    /// What it returns.
    pub results: Vec<Parameter>,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// Threads of a block that it must be launched with (`.reqntid`).
    pub required_block: Option<[u32; 3]>,
    /// The most threads of a block (`.maxntid`).
    pub maximal_threads: Option<u64>,
    /// What it does; a declaration has none.
    pub body: Option<Body>,
}

/// A parameter of a kernel or function, or a result.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its element.
    pub ty: Type,
    /// Bytes.
    pub bytes: u64,
    /// Alignment, a power of two.
    pub align: u64,
    /// A register instead of a place in parameter space.
    pub register: Option<Register>,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub line: u32,
    /// Where it lies: global, constant, shared or local.
    pub space: Space,
    /// Bytes; none for an array without a size (`.extern .shared .b8 name[]`), which is as large as the
    /// launch says.
    pub bytes: Option<u64>,
    /// Alignment, a power of two.
    pub align: u64,
    /// It is defined elsewhere.
    pub is_external: bool,
    /// The bytes that it starts with, zeros behind them.
    pub initial: Vec<u8>,
    /// Addresses among these.
    pub relocations: Vec<Relocation>,
}

/// An address in a variable's initial value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The byte where it lies; 8 bytes.
    pub at: u64,
    /// Index of the variable whose address it is.
    pub variable: usize,
    /// Bytes added.
    pub addend: i64,
}

/// What a function does.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Places in parameter space for calls (`.param` in a body).
    pub arguments: Vec<Parameter>,
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// The labels.
    pub labels: Vec<Label>,
    /// The names of its registers, but for those that are parameters.
    pub registers: Vec<RegisterNames>,
}

/// A declaration of registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegisterNames {
    /// The name, or what is before the number in it.
    pub name: String,
    /// The number of the first.
    pub first: u32,
    /// How many there are whose names end with a number: of `%r<10>` ten.
    pub count: Option<u32>,
}

/// A label.
#[derive(Clone, Debug, Default)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Index of the instruction that it stands before; one past the last at the end.
    pub place: Option<usize>,
    /// Where `brx.idx` with this label goes (`.branchtargets`).
    pub targets: Vec<usize>,
    /// The line where it was seen first.
    pub line: u32,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Where it stands.
    pub line: u32,
    /// Under which condition it is executed.
    pub guard: Option<Guard>,
    /// The operation and what modifies it, with dots between: `ld.global.u32`.
    pub opcode: Box<str>,
    /// Operands in order.
    pub operands: SmallVec<[Operand; 4]>,
}

impl Instruction {
    /// The operation alone: `ld`.
    pub fn name(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// Operand `index`.
    pub(crate) fn operand(&self, index: usize) -> Result<&Operand> {
        match self.operands.get(index) {
            Some(operand) => Ok(operand),
            None => invalid(
                self.line,
                "Instruction Operands",
                format!("{} lacks operand {}", self.opcode, index + 1),
            ),
        }
    }
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// Executed where it does not hold.
    pub negated: bool,
}

/// A register of a function, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its number in the function.
    pub number: u32,
    /// Its type.
    pub ty: Type,
}

/// What an address begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A register's value.
    Register(Register),
    /// A variable or parameter.
    Symbol(Symbol),
    /// Nothing.
    Zero,
}

/// A name with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// [`Module::variables`].
    Variable(usize),
    /// [`Function::parameters`] of the function at hand.
    Parameter(usize),
    /// [`Function::results`] of the function at hand.
    Result(usize),
    /// [`Body::arguments`] of the function at hand.
    Argument(usize),
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// The negation of a predicate.
    Negated(Register),
    /// An integer.
    Integer(i64),
    /// Bits of a binary32 number.
    Single(u32),
    /// Bits of a binary64 number.
    Double(u64),
    /// A special register.
    Special(Special),
    /// The address of a variable or parameter, with bytes added.
    Address(Symbol, i64),
    /// What is at an address: `[base+bytes]`.
    Memory(Base, i64),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `a|b`
    Pair(Box<(Operand, Operand)>),
    /// Index of one of [`Body::labels`].
    Label(usize),
    /// Index of one of [`Module::functions`].
    Function(usize),
    /// `_`
    Sink,
}

/// A special register (PTX ISA: Special Registers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `%tid`: the thread in its block, by dimension (3: the `.w` that is always zero).
    ThreadId(u8),
    /// `%ntid`: threads of a block.
    ThreadCount(u8),
    /// `%ctaid`: the block in the grid.
    BlockId(u8),
    /// `%nctaid`: blocks of the grid.
    BlockCount(u8),
    /// `%laneid`
    LaneId,
    /// `%warpid`
    WarpId,
    /// `%nwarpid`
    WarpCount,
    /// `%smid`
    CoreId,
    /// `%nsmid`
    CoreCount,
    /// `%gridid`
    GridId,
    /// `%lanemask_eq`
    LaneMaskEqual,
    /// `%lanemask_le`
    LaneMaskLessEqual,
    /// `%lanemask_lt`
    LaneMaskLess,
    /// `%lanemask_ge`
    LaneMaskGreaterEqual,
    /// `%lanemask_gt`
    LaneMaskGreater,
    /// `%clock`
    Clock,
    /// `%clock_hi`
    ClockHigh,
    /// `%clock64`
    Clock64,
    /// `%globaltimer`
    Timer,
    /// `%globaltimer_lo`
    TimerLow,
    /// `%globaltimer_hi`
    TimerHigh,
    /// `%dynamic_smem_size`
    DynamicSharedBytes,
    /// `%total_smem_size`
    SharedBytes,
    /// `%envreg<32>`: zero.
    Environment,
}

impl Special {
    /// The special register of this name, such as `%tid`; those of more than one dimension as their first.
    pub fn from_name(name: &str) -> Option<Special> {
        Some(match name {
            "%tid" => Special::ThreadId(0),
            "%ntid" => Special::ThreadCount(0),
            "%ctaid" => Special::BlockId(0),
            "%nctaid" => Special::BlockCount(0),
            "%laneid" => Special::LaneId,
            "%warpid" => Special::WarpId,
            "%nwarpid" => Special::WarpCount,
            "%smid" => Special::CoreId,
            "%nsmid" => Special::CoreCount,
            "%gridid" => Special::GridId,
            "%lanemask_eq" => Special::LaneMaskEqual,
            "%lanemask_le" => Special::LaneMaskLessEqual,
            "%lanemask_lt" => Special::LaneMaskLess,
            "%lanemask_ge" => Special::LaneMaskGreaterEqual,
            "%lanemask_gt" => Special::LaneMaskGreater,
            "%clock" => Special::Clock,
            "%clock_hi" => Special::ClockHigh,
            "%clock64" => Special::Clock64,
            "%globaltimer" => Special::Timer,
            "%globaltimer_lo" => Special::TimerLow,
            "%globaltimer_hi" => Special::TimerHigh,
            "%dynamic_smem_size" => Special::DynamicSharedBytes,
            "%total_smem_size" => Special::SharedBytes,
            _ => {
                let number: u32 = name.strip_prefix("%envreg")?.parse().ok()?;
                return (number < 32).then_some(Special::Environment);
            }
        })
    }

    /// One dimension of it; none where it has but one value.
    pub fn dimension(self, index: u8) -> Option<Special> {
        Some(match self {
            Special::ThreadId(_) => Special::ThreadId(index),
            Special::ThreadCount(_) => Special::ThreadCount(index),
            Special::BlockId(_) => Special::BlockId(index),
            Special::BlockCount(_) => Special::BlockCount(index),
            _ => return None,
        })
    }
}

impl Module {
    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.is_entry && function.name == name)
    }

    /// Where the variables of global and constant space lie in one range of memory.
    pub fn image(&self) -> Image {
        let mut offsets = vec![None; self.variables.len()];
        let mut bytes = 0u64;
        for (variable, offset) in self.variables.iter().zip(&mut offsets) {
            if matches!(variable.space, Space::Global | Space::Const) {
                bytes = bytes.next_multiple_of(variable.align.max(Image::ALIGNMENT_MIN));
                *offset = Some(bytes);
                bytes += variable.bytes.unwrap_or(0);
            }
        }
        Image { offsets, bytes }
    }

    /// What that memory starts with, where it lies at `address`.
    pub fn initial_image(&self, image: &Image, address: u64) -> Vec<u8> {
        let mut memory = vec![0u8; image.bytes as usize];
        for (variable, offset) in self.variables.iter().zip(&image.offsets) {
            let Some(start) = *offset else { continue };
            let place = &mut memory[start as usize..];
            place[..variable.initial.len()].copy_from_slice(&variable.initial);
            for relocation in &variable.relocations {
                let to = image.offsets.get(relocation.variable).copied().flatten().unwrap_or(0);
                let value = address.wrapping_add(to).wrapping_add(relocation.addend as u64);
                place[relocation.at as usize..][..8].copy_from_slice(&value.to_le_bytes());
            }
        }
        memory
    }
}

/// Where the variables of global and constant space lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// For each of [`Module::variables`] its first byte, if it is there.
    pub offsets: Vec<Option<u64>>,
    /// Bytes of all.
    pub bytes: u64,
}

impl Image {
    /// What every variable's place is a multiple of, so that narrow ones do not share a word.
    const ALIGNMENT_MIN: u64 = 16;
}

impl Function {
    /// For each parameter of a kernel its first byte; and the bytes of all.
    pub fn parameter_layout(&self) -> (Vec<u32>, u32) {
        let mut end = 0u32;
        let offsets = self.parameters.iter().map(|parameter| {
            let start = end.next_multiple_of(parameter.align as u32);
            end = start + parameter.bytes as u32;
            start
        });
        (offsets.collect(), end)
    }
}
