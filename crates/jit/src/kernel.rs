//! Compilation from IR to a callable [`Compiled`]: the list of steps, their options, and the result.

use crate::cpu::{Features, Level};
use crate::legalize;
use crate::machine::regalloc_regions::REGION_SIZE;
use crate::machine::{EmitError, Helper, Listing, allocate, emit, fold_reloads, regalloc_regions};
use crate::neon;
use crate::select::{self, Unsupported};
use crate::sse;
use iced_x86::{Decoder, DecoderOptions, Formatter, NasmFormatter};
use pyro_abi::{DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_codemem::fault::Fault;
use pyro_codemem::{Code, CodeError};
use pyro_ir::Function;
use pyro_ir::verify::{VerifierErrors, verify_executable};
use pyro_util::budget::{self, Spent};
use pyro_util::codec::{ByteCodec, Reader, write_bytes};
use pyro_util::steps;
use regalloc2::Algorithm;
use std::fmt::Write;

/// Why there is no machine code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JitError {
    /// The function is not well formed: a mistake of the compiler's earlier steps.
    #[error(transparent)]
    Malformed(#[from] VerifierErrors),
    /// Something in it has no machine code, or is too large for it: the interpreter can run it.
    #[error("{0}")]
    Unsupported(String),
    /// A check of what was made failed ([`CompileOptions::verify`]): a mistake of this crate.
    #[error("wrong machine code: {0}")]
    Miscompiled(String),
    /// It takes longer than the thread's budget allows.
    #[error("{0}")]
    Budget(Spent),
    /// The system gives no executable memory.
    #[error(transparent)]
    Memory(#[from] CodeError),
}

/// Called with a step's name and, where the step leaves one, the machine code after it.
pub type Observer<'o> = &'o mut dyn FnMut(&'static str, Option<Listing<'_>>);

/// Figures about compiled code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Bytes of instructions.
    pub code_bytes: usize,
    /// How many of them lie behind the function, for accesses that only some lanes take part in and sums that
    /// need care (NEON, SSE4.1).
    pub some_lanes_bytes: usize,
    /// Bytes of constants.
    pub constant_bytes: usize,
    /// Bytes of stack.
    pub frame_bytes: u32,
    /// Instructions before register allocation.
    pub instructions: usize,
    /// Moves between registers that allocation added.
    pub moves: usize,
    /// Moves to and from the stack that allocation added, also those that became part of an instruction.
    pub spills: usize,
    /// Those of vectors.
    pub vector_spills: usize,
}

pyro_util::codec_struct!(Statistics {
    code_bytes,
    some_lanes_bytes,
    constant_bytes,
    frame_bytes,
    instructions,
    moves,
    spills,
    vector_spills,
});

/// Machine code of one function.
#[derive(Debug)]
pub struct Compiled {
    code: Code,
    info: KernelInfo,
    statistics: Statistics,
    name: String,
    /// Offsets of the addresses of helpers, which are all that depends on the process.
    helpers: Vec<(u32, Helper)>,
    /// From an offset on, the number of a place in the source ([`pyro_abi::kernel::Source::places`]).
    lines: Vec<(u32, u32)>,
    /// What the code is for.
    level: Level,
    /// Titles and texts: see [`CompileOptions::listings`].
    listings: Vec<(String, String)>,
}

/// Compiles a function in mask form without suspend points.
///
/// # Errors
/// See [`JitError`].
pub fn compile(function: &Function, info: KernelInfo, features: Features) -> Result<Compiled, JitError> {
    compile_with(function, info, features, &CompileOptions::default(), &mut |_, _| {})
}

/// The same with [`CompileOptions::verify`], whatever the build profile.
///
/// # Errors
/// See [`JitError`].
pub fn compile_checked(
    function: &Function,
    info: KernelInfo,
    features: Features,
) -> Result<Compiled, JitError> {
    let options = CompileOptions { verify: true, ..CompileOptions::default() };
    compile_with(function, info, features, &options, &mut |_, _| {})
}

/// Which of `regalloc2`'s allocators assigns registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// Splits and evicts live ranges by what they cost: what [`compile`] uses.
    #[default]
    Backtracking,
    /// One pass over the code, from its end: for comparison.
    SinglePass,
}

/// How machine code is made. All of them give the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// The register allocator.
    pub allocator: Allocator,
    /// Functions of more instructions than this get their registers region by region, each of about this
    /// size.
    pub region_size: usize,
    /// The function, the register allocation and the emitted bytes are checked, each by something that shares
    /// no code with what made it: the IR's verifier, `regalloc2`'s checker, and a decoder.
    pub verify: bool,
    /// [`Kernel::representations`] also lists the code over virtual registers and after register allocation.
    pub listings: bool,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            allocator: Allocator::default(),
            region_size: REGION_SIZE,
            verify: cfg!(debug_assertions) || pyro_util::config::get().verify,
            listings: false,
        }
    }
}

/// Compiles like [`compile`]; `observe` is called after each step with its name and, where there is one, the
/// machine code at that point, whose text is only made if it is asked for.
///
/// # Errors
/// See [`JitError`].
pub fn compile_with(
    function: &Function,
    info: KernelInfo,
    features: Features,
    &CompileOptions { allocator, region_size, verify, listings }: &CompileOptions,
    observe: Observer<'_>,
) -> Result<Compiled, JitError> {
    if verify {
        verify_executable(function)?;
    }
    let unsupported = |error: Unsupported| JitError::Unsupported(error.to_string());
    let mut listed = Vec::new();
    let mut observe = |name: &'static str, listing: Option<Listing<'_>>| {
        if let Some(listing) = listing.filter(|_| listings) {
            listed.push((format!("machine instructions after {name}"), listing.to_string()));
        }
        observe(name, listing);
    };
    budget::check().map_err(JitError::Budget)?;
    steps::begin("instruction selection");
    let mut selected = select::run(function, features).map_err(unsupported)?;
    observe("select", Some(Listing::virtual_registers(&selected.code)));
    if features.level == Level::Avx2 {
        steps::begin("legalization");
        selected.code = legalize::run(&selected.code, function.lanes, features, &mut selected.asm)
            .map_err(unsupported)?;
        observe("legalize", Some(Listing::virtual_registers(&selected.code)));
    }
    if features.level == Level::Sse41 {
        steps::begin("legalization");
        selected.code = sse::run(&selected.code, &mut selected.asm).map_err(unsupported)?;
        observe("legalize", Some(Listing::virtual_registers(&selected.code)));
        sse::strips::run(&mut selected.code, selected.strips);
        observe("strips", Some(Listing::virtual_registers(&selected.code)));
    }
    steps::begin("register allocation");
    let algorithm = match allocator {
        Allocator::Backtracking => Algorithm::Ion,
        Allocator::SinglePass => Algorithm::Fastalloc,
    };
    let mut regions = regalloc_regions::run(selected.code, region_size).map_err(emit_error)?;
    observe("split", None);
    let allocated = regions.iter().map(|code| {
        budget::check().map_err(JitError::Budget)?;
        allocate::run(code, algorithm)
            .map_err(|error| JitError::Unsupported(format!("register allocation: {error}")))
    });
    let mut outputs = allocated.collect::<Result<Vec<_>, _>>()?;
    let folded = regions.iter_mut().zip(&mut outputs).map(|(code, output)| fold_reloads::run(code, output));
    let folded: usize = folded.sum();
    observe("allocate", None);
    if verify {
        for (code, output) in regions.iter().zip(&outputs) {
            allocate::check(code, output).map_err(JitError::Miscompiled)?;
        }
        selected.asm.record();
    }
    steps::begin("emission");
    let (code, output) = regalloc_regions::join(regions, outputs);
    observe("register allocation", Some(Listing::allocated(&code, &output)));
    let emitted = match features.level {
        Level::Neon => neon::emit(&code, &output, selected.asm.into_pool()),
        Level::Sse41 | Level::Avx2 | Level::Avx512 => emit::run(&code, &output, selected.asm),
    };
    let emitted = emitted.map_err(emit_error)?;
    observe("emit", None);
    steps::end();
    let statistics = Statistics {
        code_bytes: emitted.code_len,
        some_lanes_bytes: emitted.some_lanes_len,
        constant_bytes: emitted.bytes.len() - emitted.code_len,
        frame_bytes: emitted.frame_bytes,
        instructions: code.insts.len(),
        moves: emitted.moves,
        spills: emitted.spills + folded,
        vector_spills: emitted.vector_spills + folded,
    };
    let info = KernelInfo { stack_bytes: emitted.frame_bytes, ..info };
    let compiled = Compiled::load(emitted.bytes, emitted.helpers, &function.name, info, statistics)?;
    let compiled = Compiled { lines: emitted.lines, listings: listed, level: features.level, ..compiled };
    Ok(compiled.told())
}

fn emit_error(error: EmitError) -> JitError {
    match error {
        EmitError::FrameTooLarge(_) | EmitError::CodeTooLarge(_) => JitError::Unsupported(error.to_string()),
        EmitError::Encoding(error) => JitError::Miscompiled(error),
    }
}

impl Compiled {
    /// Fills in the helpers' addresses and makes the code executable.
    fn load(
        mut bytes: Vec<u8>,
        helpers: Vec<(u32, Helper)>,
        name: &str,
        info: KernelInfo,
        statistics: Statistics,
    ) -> Result<Compiled, CodeError> {
        for &(offset, helper) in &helpers {
            bytes[offset as usize..][..8].copy_from_slice(&helper.address().to_le_bytes());
        }
        let code = Code::new(&bytes, name)?;
        let name = name.to_owned();
        let level = if cfg!(target_arch = "aarch64") { Level::Neon } else { Level::default() };
        Ok(Compiled { code, info, statistics, name, helpers, lines: Vec::new(), level, listings: Vec::new() })
    }

    /// Tells the profiler of the code, if there is one.
    fn told(self) -> Compiled {
        if pyro_codemem::sample::is_on() {
            let function = pyro_profiler::code::Function {
                name: self.name.clone(),
                map: self.info.map.clone(),
                code_bytes: self.statistics.code_bytes as u64,
                spills: self.statistics.spills as u64,
            };
            pyro_profiler::code::register(self.code.bytes(), function, &self.lines);
        }
        self
    }

    /// Appends all that [`Compiled::from_portable`] needs.
    pub fn write_portable(&self, out: &mut Vec<u8>) {
        let mut bytes = self.code.bytes().to_vec();
        for &(offset, _) in &self.helpers {
            bytes[offset as usize..][..8].fill(0);
        }
        self.name.write(out);
        self.info.write(out);
        self.statistics.write(out);
        self.helpers.write(out);
        self.lines.write(out);
        write_bytes(&bytes, out);
    }

    /// Makes code that [`Compiled::write_portable`] wrote callable again, in this process or another.
    ///
    /// `None` when the bytes are not well formed, or the system gives no memory. That they are code, and of
    /// this build of this crate, is for the caller to see to (by a checksum and a key): the code is not
    /// looked at.
    pub fn from_portable(reader: &mut Reader<'_>) -> Option<Compiled> {
        let name: String = reader.value()?;
        let info = reader.value()?;
        let statistics: Statistics = reader.value()?;
        let helpers: Vec<(u32, Helper)> = reader.value()?;
        let lines = reader.value()?;
        let bytes = reader.byte_slice()?;
        let inside = |offset: u32| bytes.len().checked_sub(offset as usize).is_some_and(|left| left >= 8);
        if statistics.code_bytes > bytes.len() || !helpers.iter().all(|&(offset, _)| inside(offset)) {
            return None;
        }
        let compiled = Compiled::load(bytes.to_vec(), helpers, &name, info, statistics).ok()?;
        Some(Compiled { lines, ..compiled }.told())
    }

    /// Figures.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The function itself, of entry arguments 0 and 1; it may be called only as long as `self` lives.
    ///
    /// Calling it asks for what the function's IR asks for: that the memory it accesses is there.
    #[allow(unsafe_code)]
    pub fn entry(&self) -> pyro_codemem::Function {
        // SAFETY: generated code starts with such a function.
        unsafe { self.code.function(0) }
    }

    /// What to say of a signal that this code raised, or a function that it called.
    #[cold]
    fn describe(&self, fault: &Fault) -> String {
        let source = self.info.source.as_deref();
        let shader = source.map_or(&*self.name, |source| &source.shader);
        let (signal, address) = (fault.signal_name(), fault.address);
        let mut text = format!("shader \"{shader}\" raised {signal} at address {address:#x}");
        let offset = fault.instruction.wrapping_sub(self.code.address(0) as u64) as usize;
        if let Some(code) = self.machine_code().get(offset..) {
            let line = self.lines[..self.lines.partition_point(|line| line.0 as usize <= offset)].last();
            let place = line.zip(source).and_then(|(line, source)| source.places.get(line.1 as usize));
            if let Some(place) = place.filter(|place| !place.is_empty()) {
                let _ = write!(text, ", {place}");
            }
            let first = disassemble(code.get(..16).unwrap_or(code), self.level);
            let first = first.lines().next().and_then(|line| line.trim().split_once("  "));
            let _ = write!(text, " (machine code at {offset:#x}: {})", first.map_or("", |(_, text)| text));
        } else if let Some(function) = fault.function() {
            let _ = write!(text, " in \"{function}\"");
        }
        text
    }

    /// The instructions, without the constants behind them.
    pub fn machine_code(&self) -> &[u8] {
        &self.code.bytes()[..self.statistics.code_bytes]
    }
}

impl Kernel for Compiled {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    #[allow(unsafe_code)]
    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit {
        let address = (&raw const *dispatch).expose_provenance() as u64;
        let subgroup = (&raw mut *subgroup).expose_provenance() as u64;
        // SAFETY: the code starts with a function of two addresses that does what the IR says, and the caller
        // vouches for the memory that the IR accesses. All generated code has the frames that unwinding
        // expects, and writes its result by a move to `eax`, which clears the upper half of `rax`.
        match unsafe { self.code.call(0, address, subgroup) } {
            Ok(code) => Exit::from_code(code).unwrap_or(Exit::Aborted),
            Err(fault) => {
                pyro_abi::fault::record(dispatch.abort, self.describe(&fault));
                Exit::Aborted
            }
        }
    }

    fn portable(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write_portable(&mut bytes);
        Some(bytes)
    }

    fn representations(&self) -> Vec<(String, String)> {
        let assembly = ("assembly".to_owned(), disassemble(self.machine_code(), self.level));
        self.listings.iter().cloned().chain([assembly]).collect()
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        let all = self.statistics;
        vec![
            ("code bytes", all.code_bytes as u64),
            ("code bytes for some lanes", all.some_lanes_bytes as u64),
            ("constant bytes", all.constant_bytes as u64),
            ("stack bytes", all.frame_bytes.into()),
            ("instructions before register allocation", all.instructions as u64),
            ("register moves", all.moves as u64),
            ("spills and reloads", all.spills as u64),
            ("spills and reloads of vectors", all.vector_spills as u64),
        ]
    }
}

/// Machine code as text, one instruction a line behind its offset.
pub fn disassemble(code: &[u8], level: Level) -> String {
    if level == Level::Neon {
        return neon::disassemble(code);
    }
    let mut text = String::new();
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let mut formatter = NasmFormatter::new();
    for instruction in &mut decoder {
        // Writing to a string does not fail.
        let _ = write!(text, "{:6x}  ", instruction.ip());
        formatter.format(&instruction, &mut text);
        text.push('\n');
    }
    text
}
