//! A kernel to the intermediate representation.
//!
//! One file for each family of instructions, named for it; [`Lowerer::instruction`] is the list of all.

mod atomic;
mod bits;
mod compare;
mod control;
mod convert;
mod float;
mod group;
mod half;
mod integer;
mod memory;
mod operand;
mod rounding;
mod sanitize;
mod shadow;
mod special;
mod trace;
mod window;
mod words;

use crate::error::{PtxError, Result, invalid, limit, unsupported};
use crate::flow::Flow;
use crate::limits::{BLOCK_COUNT_MAX, BLOCK_THREAD_COUNT_MAX, INST_COUNT_MAX};
use crate::module::{Function, Instruction, Module};
use crate::{IMAGE_OFFSET, PARAMETERS_OFFSET, WARP_LANES};
use control::{Frame, Units};
use pyro_abi::KernelInfo;
use pyro_abi::context::offset;
use pyro_ir::{Builder, Form, MemoryOp, Opcode, Scalar, SourceLoc, Space, Value};
use pyro_util::sanitize::KindSet;
use std::collections::HashMap;
use std::rc::Rc;
use window::Window;
use words::Words;

/// How a kernel is launched, as far as its code depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Bytes of the shared memory without a size (`.extern .shared`).
    pub dynamic_shared_bytes: u32,
    /// What the sanitizer looks for.
    pub sanitize: KindSet,
    /// Threads tell a debugger what they do ([`pyro_abi::trace`]).
    pub trace: bool,
}

/// A lowered kernel.
#[derive(Debug)]
pub struct Lowered {
    /// In lane form, its constructs in structured order. Source locations are lines of the text.
    pub function: pyro_ir::Function,
    /// Facts for the engine. Scratch and frame sizes are the passes' to find and 0 here. Its workgroup memory
    /// is that of [`shared_bytes`] and the threads' local memory.
    pub info: KernelInfo,
}

/// Lowers a kernel for blocks of one size.
///
/// # Errors
/// See [`PtxError`]: when there is no such kernel, when it cannot be launched with such blocks, and what is
/// wrong with its instructions.
pub fn lower(module: &Module, kernel: &str, launch: &Launch) -> Result<Lowered, PtxError> {
    let index = entry_index(module, kernel)?;
    let entry = &module.functions[index];
    check_block(entry, launch)?;
    let mut function = pyro_ir::Function::new(kernel, Form::Lane, WARP_LANES);
    let mut lowerer = Lowerer::new(module, index, launch, &mut function)?;
    if launch.trace {
        lowerer.trace = Some(trace::Trace::new());
    }
    lowerer.kernel(index)?;
    let has_barriers = lowerer.has_barriers;
    let shared_bytes = lowerer.window.bytes();
    let sites = lowerer.finish_reports();
    let info = KernelInfo {
        subgroup_size: WARP_LANES,
        workgroup_size: launch.block,
        shared_bytes,
        has_barriers,
        writes_memory: true,
        sites,
        ..KernelInfo::default()
    };
    Ok(Lowered { function, info })
}

/// Bytes of shared memory that a block of such a launch has, static and dynamic.
///
/// # Errors
/// When there is no such kernel, or too much.
pub fn shared_bytes(module: &Module, kernel: &str, launch: &Launch) -> Result<u32, PtxError> {
    Ok(Window::new(module, entry_index(module, kernel)?, launch)?.shared_bytes())
}

fn entry_index(module: &Module, kernel: &str) -> Result<usize> {
    match module.functions.iter().position(|function| function.is_entry && function.name == kernel) {
        Some(index) => Ok(index),
        None => invalid(
            1,
            "Kernel and Function Directives: .entry",
            format!("there is not a kernel \"{kernel}\""),
        ),
    }
}

/// Whether a kernel may be launched with such blocks.
fn check_block(entry: &Function, launch: &Launch) -> Result {
    const RULE: &str = "Performance-Tuning Directives";
    let [x, y, z] = launch.block;
    let threads = launch.block.iter().fold(1u64, |product, &size| product.saturating_mul(size.into()));
    if threads == 0 || threads > BLOCK_THREAD_COUNT_MAX.into() {
        return limit(entry.line, RULE, format!("a block of {x} x {y} x {z} threads"));
    }
    if entry.required_block.is_some_and(|required| required != launch.block) {
        let message = format!("a block of {x} x {y} x {z} threads is not what .reqntid says");
        return invalid(entry.line, RULE, message);
    }
    if entry.maximal_threads.is_some_and(|most| threads > most) {
        return invalid(entry.line, RULE, format!("a block of {threads} threads is more than .maxntid says"));
    }
    Ok(())
}

/// Values that are read once, in the function's first block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fixed {
    Parameters,
    Image,
    Window,
    /// `%tid` by dimension.
    ThreadId(u8),
    /// The thread's number in its block.
    ThreadIndex,
    WarpId,
}

/// What is known while a kernel is lowered.
struct Lowerer<'m, 'f> {
    module: &'m Module,
    b: Builder<'f>,
    launch: Launch,
    window: Window,
    /// Where the module's variables lie.
    image: crate::module::Image,
    /// Bytes of each of the kernel's parameters.
    parameter_offsets: Vec<u32>,
    fixed: HashMap<Fixed, Value>,
    /// The functions that are being inlined in one another, the kernel first.
    frames: Vec<Frame<'m>>,
    flows: HashMap<usize, Rc<Flow>>,
    units: HashMap<usize, Rc<Units>>,
    /// Under which condition the instruction at hand is executed.
    guard: Option<Value>,
    /// The instruction at hand.
    line: u32,
    /// `CC.CF`: the carry of the last instruction that gave one.
    carry: Option<pyro_ir::Slot>,
    has_barriers: bool,
    /// The name of the instruction at hand.
    opcode: &'m str,
    reports: sanitize::Reports,
    trace: Option<trace::Trace>,
}

impl<'m, 'f> Lowerer<'m, 'f> {
    fn new(
        module: &'m Module,
        entry: usize,
        launch: &Launch,
        function: &'f mut pyro_ir::Function,
    ) -> Result<Lowerer<'m, 'f>> {
        Ok(Lowerer {
            module,
            b: Builder::new(function),
            launch: *launch,
            window: Window::new(module, entry, launch)?,
            image: module.image(),
            parameter_offsets: module.functions[entry].parameter_layout().0,
            fixed: HashMap::new(),
            frames: Vec::new(),
            flows: HashMap::new(),
            units: HashMap::new(),
            guard: None,
            line: 1,
            carry: None,
            has_barriers: false,
            opcode: "",
            reports: sanitize::Reports::default(),
            trace: None,
        })
    }

    /// One of the values that are the same wherever they are needed.
    fn fixed(&self, fixed: Fixed) -> Value {
        self.fixed[&fixed]
    }

    /// Makes the values of [`Fixed`]; those that nobody needs are removed by the passes.
    fn prologue(&mut self) {
        let (dispatch, subgroup) = (self.b.arg(0), self.b.arg(1));
        let pushed = offset::PUSH_CONSTANTS;
        let parameters = self.context(dispatch, pushed + PARAMETERS_OFFSET, Scalar::I64);
        let image = self.context(dispatch, pushed + IMAGE_OFFSET, Scalar::I64);
        let window = self.context(subgroup, offset::SHARED, Scalar::I64);
        let id = self.context(subgroup, offset::SUBGROUP_ID, Scalar::I32);
        let count = self.thread_count().div_ceil(WARP_LANES);
        // The limit is stated, so that bounds checks of what is indexed by it fold.
        let last = self.b.i32(count - 1);
        let warp = self.b.op(if count.is_power_of_two() { Opcode::And } else { Opcode::UMin }, &[id, last]);
        let lane = self.b.op(Opcode::LaneId, &[]);
        let warp = if count == 1 { self.b.i32(0) } else { warp };
        let place = pyro_library::workgroup::place(&mut self.b, self.launch.block, WARP_LANES, warp, lane);
        let first = pyro_library::workgroup::scale(&mut self.b, warp, WARP_LANES);
        let index = pyro_library::workgroup::add(&mut self.b, first, lane);
        for (dimension, value) in place.into_iter().enumerate() {
            self.fixed.insert(Fixed::ThreadId(dimension as u8), value);
        }
        self.fixed.extend([
            (Fixed::Parameters, parameters),
            (Fixed::Image, image),
            (Fixed::Window, window),
            (Fixed::ThreadIndex, index),
            (Fixed::WarpId, warp),
        ]);
    }

    /// Threads of a block.
    fn thread_count(&self) -> u32 {
        self.launch.block.iter().product()
    }

    /// Reads one of the records that kernels are called with.
    fn context(&mut self, record: Value, byte: u32, scalar: Scalar) -> Value {
        let (zero, always) = (self.b.i32(0), self.b.bool(true));
        let memory = MemoryOp::new(Space::Context).at(byte as i32).speculatable();
        self.b.load(scalar, memory, record, zero, always)
    }

    fn invalid<T>(&self, rule: &'static str, message: impl Into<String>) -> Result<T> {
        invalid(self.line, rule, message)
    }

    fn unsupported<T>(&self, rule: &'static str, message: impl Into<String>) -> Result<T> {
        unsupported(self.line, rule, message)
    }

    /// Ends what grows without end.
    fn check_size(&self) -> Result {
        let (insts, blocks) = (self.b.function.insts.len(), self.b.function.blocks.len());
        if insts > INST_COUNT_MAX || self.b.function.slots.len() > INST_COUNT_MAX || blocks > BLOCK_COUNT_MAX
        {
            return limit(self.line, "Instruction Set", format!("{insts} operations in {blocks} blocks"));
        }
        Ok(())
    }

    /// One instruction that does not end a block.
    fn instruction(&mut self, inst: &'m Instruction) -> Result {
        self.check_size()?;
        (self.line, self.b.loc) = (inst.line, SourceLoc(inst.line));
        self.opcode = &inst.opcode;
        let words = Words::new(inst);
        let outer = self.begin_step(words.looks_around())?;
        self.instruction_itself(inst, words)?;
        self.end_step(inst.line, outer)
    }

    fn instruction_itself(&mut self, inst: &'m Instruction, mut words: Words<'m>) -> Result {
        if words.looks_around() && inst.guard.is_some() {
            return self.guarded(inst, |lowerer| lowerer.dispatch(inst, &mut words));
        }
        self.guard = inst.guard.map(|guard| self.guard_value(guard));
        let result = self.dispatch(inst, &mut words);
        self.guard = None;
        result
    }

    fn dispatch(&mut self, inst: &'m Instruction, words: &mut Words<'m>) -> Result {
        match inst.name() {
            "add" | "sub" | "mul" | "mad" | "fma" | "div" | "min" | "max" | "abs" | "neg" => {
                self.arithmetic(inst, words)
            }
            "mul24" | "mad24" | "sad" | "rem" | "addc" | "subc" | "madc" | "dp4a" | "dp2a" => {
                self.integer(inst, words)
            }
            "popc" | "clz" | "bfind" | "brev" | "bfe" | "bfi" | "bmsk" | "szext" | "prmt" | "lop3"
            | "shf" | "shl" | "shr" | "and" | "or" | "xor" | "not" | "cnot" => self.bits(inst, words),
            "sqrt" | "rcp" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" | "copysign" | "testp" => {
                self.float_function(inst, words)
            }
            "setp" | "set" | "selp" | "slct" => self.compare(inst, words),
            "cvt" => self.convert(inst, words),
            "mov" => self.mov(inst, words),
            "ld" | "ldu" => self.load(inst, words),
            "st" => self.store(inst, words),
            "cvta" => self.convert_address(inst, words),
            "isspacep" => self.is_space(inst, words),
            "mapa" | "getctarank" => {
                self.unsupported("Data Movement and Conversion Instructions", inst.name())
            }
            "prefetch" | "prefetchu" | "applypriority" | "discard" => self.prefetch(inst, words),
            "cp" => self.copy_async(inst, words),
            "atom" | "red" => self.atomic(inst, words),
            "membar" | "fence" => {
                words.ignore_rest();
                self.b.effect(Opcode::Fence, 0);
                Ok(())
            }
            "bar" | "barrier" => self.barrier(inst, words),
            "shfl" | "vote" | "match" | "activemask" | "redux" | "elect" => self.group(inst, words),
            "call" => self.call(inst, words),
            "nanosleep" | "pmevent" => {
                words.ignore_rest();
                Ok(())
            }
            "fns"
            | "sust"
            | "suld"
            | "tex"
            | "tld4"
            | "txq"
            | "suq"
            | "sured"
            | "istypep"
            | "wmma"
            | "mma"
            | "ldmatrix"
            | "stmatrix"
            | "movmatrix"
            | "mbarrier"
            | "wgmma"
            | "setmaxnreg"
            | "griddepcontrol"
            | "createpolicy"
            | "multimem"
            | "brkpt"
            | "alloca"
            | "stacksave"
            | "stackrestore"
            | "tensormap"
            | "vadd"
            | "vsub"
            | "vabsdiff"
            | "vmin"
            | "vmax"
            | "vshl"
            | "vshr"
            | "vmad"
            | "vset"
            | "vadd2"
            | "vsub2"
            | "vavrg2"
            | "vabsdiff2"
            | "vmin2"
            | "vmax2"
            | "vset2"
            | "vadd4"
            | "vsub4"
            | "vavrg4"
            | "vabsdiff4"
            | "vmin4"
            | "vmax4"
            | "vset4"
            | "clusterlaunchcontrol" => self.unsupported("Instruction Set", inst.opcode.as_ref()),
            _ => self.invalid("Instruction Set", format!("{} is not an instruction", inst.opcode)),
        }?;
        words.done()
    }
}
