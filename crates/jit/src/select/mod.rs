//! Instruction selection: functions in mask form to machine code over virtual registers, for AVX-512.
//!
//! Problem: one operation of the IR on 4 to 64 lanes of 8 to 64 bits becomes some instructions on registers
//! of 128 to 512 bits; several operations may be one instruction, and an access may be a plain move or a
//! gather.
//!
//! Approach: one pass in block order, one file for each family of operations, by hand-written matching. What
//! an operation's user computes itself (*folded* values) is found first, so that it is not computed twice.
//! Code for AVX2 is the same code, rewritten by [`crate::legalize`]: selection asks for AVX-512 in every
//! case, and only leaves out what legalization could not rewrite well.
//!
//! Invariants:
//!
//! * A uniform integer is a general register, zero-extended from its width (truth values are 0 or 1); a
//!   uniform float the low element of a vector register.
//! * A varying value is as many vector registers as its lanes fill, or one register shorter than 512 bits;
//!   see [`RegisterTiling`]. A varying truth value is one mask register. Lanes past the subgroup hold
//!   anything.
//! * Constants have no registers of their own: they are memory operands, immediates, or made where they are
//!   used (but for [`pinned_constants`]).
//! * Registers made in one block are not used in another, except those of IR values.
//!
//! Must not know: Vulkan, descriptors, what an address belongs to.
//!
//! # Which file decides
//!
//! Operations, first match wins:
//!
//! | pattern | file |
//! | --- | --- |
//! | comparison used only by its branch or selection; load used only as a broadcast operand | [`fold`] |
//! | three-input bitwise functions, rotations by a constant, fractions of integers | [`combine`] |
//! | products of bytes and halves that are added to a sum | [`dot`] |
//! | words of 64-bit lanes, byte shuffles, `(x & y) \| z` | [`subword`] |
//! | everything else on all lanes | [`arithmetic`], [`bits`], [`convert`], [`lanes`] |
//! | everything on one value for all lanes | [`uniform`] |
//!
//! Loads and stores. [`linear`] splits an offset into uniform terms and a number for each lane, [`address`]
//! names the pattern of these numbers. Then, first match wins:
//!
//! | lanes' addresses | becomes | file |
//! | --- | --- | --- |
//! | neighbouring words of a lane, in several accesses | whole registers, shuffled | [`interleave`] |
//! | four words of a lane that goes anywhere | a load for each lane, unpacked | [`lane_quads`] |
//! | stores whose lanes are columns of other registers | transposed rows | [`transpose`] |
//! | the same in all lanes | broadcast | [`memory`] |
//! | consecutive | masked vector moves, plain ones of the first lanes | [`memory`], [`first_lanes`] |
//! | consecutive within blocks of four or of a register | a move or broadcast for each block | [`memory`] |
//! | in rows of 8 or 16 bytes, 8 and 16 bits | a move for each row | [`byte_rows`] |
//! | in pairs, by the access's flag | masked moves of two lanes | [`paired_access`] |
//! | any, 64-bit elements, all lanes active | scalar loads put together | [`scalarized_loads`] |
//! | up to eight bytes apart | masked moves of whole registers | [`strided`] |
//! | known, words of all or of the first lanes | a move for each lane | [`known_places`] |
//! | limited or divided sums, loads of words | two masked moves or a gather | [`runs`] |
//! | 8 and 16 bits, any other load | gathers of the words around them | [`subword_gather`] |
//! | any other | gather or scatter, or a loop over lanes (8- and 16-bit stores, atomics) | [`memory`] |
//!
//! Masked moves and gathers of application memory are preceded by prefetches ([`prefetch`]); masks of several
//! registers are split again without going through one register ([`mask_concat`]).

mod accumulators;
mod address;
mod arithmetic;
mod bits;
mod byte_rows;
mod combine;
mod control;
mod convert;
mod dot;
mod first_lanes;
mod fold;
mod half_words;
mod interleave;
mod interleave_avx2;
mod known_lanes;
mod known_places;
mod lane_loops;
mod lane_quads;
mod lanes;
mod linear;
mod mask_concat;
mod memory;
mod neon;
mod paired_access;
mod pending_atomics;
mod pinned_constants;
mod prefetch;
mod reciprocals;
mod repeats;
mod runs;
mod scalarized_loads;
mod shared_windows;
mod srgb;
mod strided;
mod subword;
mod subword_gather;
mod transpose;
mod uniform;
pub(crate) mod vector;
mod windows;
mod word_part;

use crate::asm::{Assembler, Constant, Len, Size};
use crate::cpu::{Features, Level};
use crate::machine::inst::{GENERAL, MASK, VECTOR};
use crate::machine::{Address, AddressBase, Code, Helper, Kind, NONE, PendingAtomics};
use pyro_ir::{
    Effect, Function, Inst, InstData, MemoryOp, Opcode, Scalar, Shape, Signature, SourceLoc, Type, Value,
};
use pyro_util::SecondaryMap;
use regalloc2::{Operand, PReg, RegClass, VReg};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The registers of one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registers {
    all: [VReg; 8],
    len: u8,
}

impl Default for Registers {
    fn default() -> Registers {
        Registers { all: [VReg::invalid(); 8], len: 0 }
    }
}

impl std::ops::Deref for Registers {
    type Target = [VReg];

    fn deref(&self) -> &[VReg] {
        &self.all[..usize::from(self.len)]
    }
}

impl FromIterator<VReg> for Registers {
    fn from_iter<I: IntoIterator<Item = VReg>>(registers: I) -> Registers {
        let mut result = Registers::default();
        for register in registers {
            result.all[usize::from(result.len)] = register;
            result.len += 1;
        }
        result
    }
}

/// How the lanes of a varying value of some width fill vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterTiling {
    /// Registers.
    pub count: u32,
    /// Their length.
    pub len: Len,
    /// Lanes in each.
    pub lanes: u32,
}

impl RegisterTiling {
    /// For `lanes` lanes of `bytes` bytes.
    pub(crate) fn new(lanes: u32, bytes: u32) -> RegisterTiling {
        let count = (lanes * bytes).div_ceil(64).max(1);
        RegisterTiling { count, len: Len::holding(lanes * bytes / count), lanes: lanes / count }
    }

    /// The same where registers have 128 bits.
    pub(crate) fn of_128_bits(lanes: u32, bytes: u32) -> RegisterTiling {
        let count = (lanes * bytes).div_ceil(16).max(1);
        RegisterTiling { count, len: Len::X, lanes: lanes / count }
    }
}

/// Code over virtual registers, with the assembler that already holds its constants.
pub(crate) struct Selected {
    pub code: Code,
    pub asm: Assembler,
    /// For SSE4.1, which part of the lanes registers have.
    pub strips: Vec<u8>,
}

/// Why there is no machine code for a function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no machine code for {0}")]
pub(crate) struct Unsupported(pub String);

/// The mask that it is made of, if any, and its lanes; and its register.
type LaneMask = ((Option<VReg>, u64), VReg);

/// State of the selection of one function.
pub(crate) struct Selector<'f> {
    function: &'f Function,
    code: Code,
    asm: Assembler,
    features: Features,
    lanes: u32,
    values: SecondaryMap<Value, Option<Registers>>,
    uses: SecondaryMap<Value, u32>,
    /// Sums of loops: see [`accumulators`].
    accumulators: SecondaryMap<Value, bool>,
    /// For what several operations are one instruction.
    places: Option<combine::Places>,
    /// Instructions that their only user does on its own.
    folded: SecondaryMap<Value, bool>,
    /// Values of `splat` whose loads happen there or later.
    broadcasts: HashMap<Value, fold::Broadcast>,
    /// Accesses that happen together, and which belong to one.
    groups: Vec<interleave::Group>,
    roles: HashMap<Inst, interleave::Role>,
    /// Masks of some lanes of a register, of all or of another mask, as far as the block at hand has them.
    lane_masks: SmallVec<[LaneMask; 4]>,
    /// Registers of words whose bytes are sRGB codes, with the codes' values, by block.
    srgb_values: Vec<(VReg, srgb::ValueBytes)>,
    /// Loads that several others are put together from.
    shared_windows: shared_windows::SharedWindows,
    /// What has been taken apart; see [`linear`].
    linears: RefCell<HashMap<Value, Option<Rc<linear::Linear>>>>,
    /// Offsets of lanes already computed in this block, as an index and a constant; see [`address`].
    offsets: HashMap<(Value, u32), (Option<VReg>, i32)>,
    /// Products of uniform values already computed in this block.
    products: HashMap<(Value, Value), VReg>,
    /// Addresses of uniform loads already chosen in this block, by base, offset, predicate and displacement.
    guarded_places: HashMap<(Value, Value, Value, i32), VReg>,
    prefetched: prefetch::PrefetchedLines,
    repeating: repeats::Repeats,
    arguments: [VReg; 2],
    /// Where the function's constants lie, once something has asked for them.
    constants: Option<Constant>,
    /// Where values of several registers are made: what has been made for the instruction at hand. Registers
    /// of one value are often the same (rows of a workgroup, say), and then are those of what is computed
    /// from them.
    made: SmallVec<[(vector::Spec, VReg); 8]>,
    repeats: bool,
    pinned_constants: pinned_constants::PinnedConstants,
    reciprocals: reciprocals::Reciprocals,
    mask_concats: mask_concat::MaskConcats,
    /// Where deferrable atomic operations go.
    pending_atomics: Option<PendingAtomics>,
    /// What only code for NEON needs.
    neon: neon::State,
    /// Where the next temporary in the frame goes.
    frame_top: u32,
    loc: SourceLoc,
}

/// Selects machine instructions for a function in mask form that the verifier has accepted.
///
/// # Errors
/// [`Unsupported`].
pub(crate) fn run(function: &Function, features: Features) -> Result<Selected, Unsupported> {
    let mut code = Code::default();
    if matches!(features.level, Level::Neon | Level::Sse41) {
        code.level = features.level;
    }
    let arguments = [code.vreg(GENERAL), code.vreg(GENERAL)];
    let mut selector = Selector {
        function,
        code,
        asm: Assembler::new(),
        features,
        lanes: function.lanes,
        values: SecondaryMap::with_capacity(None, function.values.len()),
        uses: SecondaryMap::with_capacity(0, function.values.len()),
        accumulators: SecondaryMap::with_default(false),
        places: None,
        folded: SecondaryMap::with_capacity(false, function.values.len()),
        broadcasts: HashMap::new(),
        groups: Vec::new(),
        roles: HashMap::new(),
        lane_masks: SmallVec::new(),
        srgb_values: Vec::new(),
        shared_windows: shared_windows::SharedWindows::default(),
        linears: RefCell::default(),
        offsets: HashMap::new(),
        products: HashMap::new(),
        guarded_places: HashMap::new(),
        prefetched: prefetch::PrefetchedLines::new(),
        repeating: None,
        arguments,
        constants: None,
        made: SmallVec::new(),
        repeats: function.lanes > 16,
        pinned_constants: pinned_constants::PinnedConstants::default(),
        reciprocals: reciprocals::Reciprocals::default(),
        mask_concats: mask_concat::MaskConcats::default(),
        pending_atomics: None,
        neon: neon::State::default(),
        frame_top: 0,
        loc: SourceLoc::default(),
    };
    selector.find_places();
    selector.count_uses();
    selector.find_accumulators();
    if !selector.has_short_vectors() {
        selector.find_pending_atomics();
        selector.find_divisors();
    }
    selector.blocks()?;
    let mut code = selector.code;
    selector.mask_concats.finish(&mut code);
    let strips = match features.level {
        Level::Sse41 => selector.neon.strips(code.vreg_count),
        _ => Vec::new(),
    };
    Ok(Selected { code, asm: selector.asm, strips })
}

impl Selector<'_> {
    /// Counts how often each value is used by what has to be computed: from terminators and effects
    /// backwards. Offsets whose pattern is known count as uses of the uniform values they are made of.
    fn count_uses(&mut self) {
        let function = self.function;
        let mut work: Vec<Value> = Vec::new();
        for &block in &function.block_order {
            let data = &function.blocks[block];
            for &inst in &data.insts {
                let data = &function.insts[inst];
                let kept = match data.op.effect() {
                    Effect::Pure | Effect::Convergent => false,
                    Effect::Read => MemoryOp::from_imm(data.imm).volatile,
                    Effect::Write | Effect::Barrier => true,
                };
                if kept {
                    self.operands_used(data, &mut work);
                }
            }
            data.terminator.for_each_value(|value| work.push(value));
        }
        while let Some(value) = work.pop() {
            self.uses[value] += 1;
            if self.uses[value] == 1
                && let Some(data) = function.def_inst(value)
            {
                // What has effects has pushed its operands already.
                let volatile = data.op.is_memory() && MemoryOp::from_imm(data.imm).volatile;
                if matches!(data.op.effect(), Effect::Pure | Effect::Convergent | Effect::Read) && !volatile {
                    self.operands_used(data, &mut work);
                }
            }
        }
    }

    /// The values that an instruction needs.
    fn operands_used(&self, data: &InstData, work: &mut Vec<Value>) {
        if self.known_of_lanes(data).is_some() {
            return;
        }
        if let Some(combined) = self.combined(data) {
            work.extend(combined.operands());
            return;
        }
        if let Some(part) = self.word_part(data) {
            work.push(part.word);
            return;
        }
        if let Some((word, _)) = self.half_of_words(data) {
            work.push(word);
            return;
        }
        if let Some((word, _)) = self.code_of_words(data) {
            work.push(word);
            return;
        }
        for (index, &arg) in data.args.iter().enumerate() {
            if index == 0
                && data.op.is_memory()
                && let Some(splat) = self.def(arg).filter(|base| base.op == Opcode::Splat)
            {
                // The uniform base serves, but for 64-bit offsets.
                work.push(splat.args[0]);
                if self.ty(data.args[1]).scalar == Scalar::I64 {
                    work.push(arg);
                }
            } else if index == 1
                && data.op.is_memory()
                && self.ty(arg) == Type::varying(Scalar::I32)
                && let Some(terms) = self.access_terms(data)
            {
                work.extend(terms);
            } else if index == 1
                && matches!(data.op, Opcode::Load | Opcode::Store)
                && self.ty(arg) == Type::varying(Scalar::I32)
                && (self.has_rows(arg, address::ROW_OF_FOURS) || self.has_rows(arg, address::ROW_OF_PAIRS))
            {
                // By its terms, where neighbouring words are moved with it.
                work.push(arg);
                work.extend(self.row_terms(arg));
            } else if let Some(negated) = self.negated_by_fma(data, arg) {
                work.push(negated);
            } else if let Some(single) = self.rounded_to_half(data) {
                work.push(single);
            } else if index == 1 && self.shuffles_in_quads(data).is_some() {
                // The order is part of the instruction.
            } else {
                work.push(arg);
            }
        }
    }

    /// The uniform values that replace the offset of a memory access, if its pattern is known.
    fn access_terms(&self, data: &InstData) -> Option<SmallVec<[Value; 3]>> {
        let scalar = |value: Value| self.ty(value).scalar;
        let (scalar, how) = match data.op.signature() {
            Signature::Load if self.constant(data.args[2]) == Some(1) => {
                (scalar(data.result.expand()?), address::Use::LoadAll)
            }
            Signature::Load => (scalar(data.result.expand()?), address::Use::Load),
            Signature::Store => (scalar(data.args[2]), address::Use::Store),
            _ => (scalar(data.result.expand()?), address::Use::Lanes),
        };
        self.linear_terms(data.args[0], data.args[1], scalar, how)
    }

    fn ty(&self, value: Value) -> Type {
        self.function.ty(value)
    }

    fn tiling(&self, scalar: Scalar) -> RegisterTiling {
        if self.has_short_vectors() {
            return RegisterTiling::of_128_bits(self.lanes, scalar.bytes());
        }
        RegisterTiling::new(self.lanes, scalar.bytes())
    }

    /// The instruction that defines a value.
    fn def(&self, value: Value) -> Option<&InstData> {
        self.function.def_inst(value)
    }

    /// How many registers of which class a type takes.
    fn layout(&self, ty: Type) -> (RegClass, u32) {
        match (ty.shape, ty.scalar) {
            (Shape::Uniform, scalar) if scalar.is_float() => (VECTOR, 1),
            (Shape::Uniform, _) => (GENERAL, 1),
            (Shape::Varying, Scalar::I1) if self.has_short_vectors() => {
                (VECTOR, self.tiling(Scalar::I32).count)
            }
            (Shape::Varying, Scalar::I1) => (MASK, 1),
            (Shape::Varying, scalar) => (VECTOR, self.tiling(scalar).count),
        }
    }

    /// The value that holds the same registers: bitcasts within a register class cost nothing.
    fn root(&self, mut value: Value) -> Value {
        while let Some(data) = self.def(value)
            && data.op == Opcode::Bitcast
            && self.layout(self.ty(value)) == self.layout(self.ty(data.args[0]))
        {
            value = data.args[0];
        }
        value
    }

    /// The registers that a value's definition fills.
    fn registers(&mut self, value: Value) -> Registers {
        let value = self.root(value);
        if let Some(registers) = self.values[value] {
            return registers;
        }
        let (class, count) = self.layout(self.ty(value));
        let registers = (0..count).map(|_| self.code.vreg(class)).collect();
        self.values[value] = Some(registers);
        registers
    }

    /// The bits of a constant, also through bitcasts.
    fn constant(&self, value: Value) -> Option<u64> {
        let data = self.def(value)?;
        match data.op {
            Opcode::Const => Some(data.imm),
            Opcode::Splat | Opcode::Bitcast => self.constant(data.args[0]),
            _ => None,
        }
    }

    /// The registers of a value that is used: constants are made here.
    fn used(&mut self, value: Value) -> Registers {
        if let Some(&fold::Broadcast::AtUser(load)) = self.broadcasts.get(&value) {
            return self.broadcast_load(load);
        }
        let Some(bits) = self.constant(value) else { return self.registers(value) };
        let ty = self.ty(value);
        match ty.shape {
            Shape::Uniform => std::iter::once(self.uniform_constant(ty.scalar, bits)).collect(),
            Shape::Varying if ty.scalar == Scalar::I1 => {
                std::iter::once(self.mask_constant(bits & 1 != 0)).collect()
            }
            Shape::Varying => {
                let register = self.splat_constant(ty.scalar, bits);
                std::iter::repeat_n(register, self.tiling(ty.scalar).count as usize).collect()
            }
        }
    }

    /// The one register of a uniform value or a mask.
    fn one(&mut self, value: Value) -> VReg {
        self.used(value)[0]
    }

    /// A new register.
    fn general(&mut self) -> VReg {
        self.code.vreg(GENERAL)
    }

    fn push(&mut self, kind: Kind, operands: &[Operand]) {
        self.code.push(kind, operands, self.loc);
    }

    /// Room for `bytes` bytes in the frame until the instruction's end, 64-byte aligned.
    fn frame(&mut self, bytes: u32) -> i32 {
        let start = self.frame_top.max(self.pending_atomics.map_or(0, |_| PendingAtomics::BYTES));
        self.frame_top = (start + bytes).next_multiple_of(64);
        self.code.frame_bytes = self.code.frame_bytes.max(self.frame_top);
        start as i32
    }

    /// Makes the registers of a result be `from`.
    fn define(&mut self, value: Value, from: impl IntoIterator<Item = VReg>) {
        let from: Registers = from.into_iter().collect();
        let value = self.root(value);
        match self.values[value] {
            // Somebody has used it already (in a block that comes earlier in the order).
            Some(registers) => {
                for (&to, &from) in registers.iter().zip(from.iter()) {
                    self.copy(to, from);
                }
            }
            None => self.values[value] = Some(from),
        }
    }

    /// Calls a function of the runtime; the general registers hold its arguments.
    fn call_helper(&mut self, helper: Helper, arguments: &[VReg]) {
        const ORDER: [usize; 6] = [7, 6, 2, 1, 8, 9];
        const ORDER_OF_ARM: [usize; 6] = [0, 1, 2, 3, 4, 5];
        let order = if self.is_arm() { ORDER_OF_ARM } else { ORDER };
        let operands: SmallVec<[Operand; 6]> = arguments
            .iter()
            .zip(order)
            .map(|(&argument, register)| Operand::reg_fixed_use(argument, PReg::new(register, GENERAL)))
            .collect();
        self.push(Kind::CallHelper(helper), &operands);
        self.neon.forget_constants();
    }

    /// One instruction of the IR.
    fn inst(&mut self, inst: Inst) -> Result<(), Unsupported> {
        let data = &self.function.insts[inst];
        self.loc = data.loc;
        if data.op == Opcode::Splat && data.loc == SourceLoc::default() {
            // Its load may happen here.
            self.loc = self.def(data.args[0]).map_or(data.loc, |load| load.loc);
        }
        self.frame_top = 0;
        self.made.clear();
        self.neon.start_instruction();
        match self.roles.get(&inst) {
            Some(&interleave::Role::Here(group)) => {
                self.interleaved(group);
                return Ok(());
            }
            Some(interleave::Role::Elsewhere) => return Ok(()),
            None => {}
        }
        let result = data.result.expand();
        if let Some(result) = result
            && (self.folded[result]
                || (self.uses[result] == 0 && matches!(data.op.effect(), Effect::Pure | Effect::Convergent)))
        {
            return Ok(());
        }
        match data.op.signature() {
            Signature::Const => return Ok(()),
            Signature::Splat
                if matches!(
                    result.and_then(|value| self.broadcasts.get(&value)),
                    Some(fold::Broadcast::AtUser(_))
                ) =>
            {
                return Ok(());
            }
            Signature::Load | Signature::Store | Signature::Atomic | Signature::AtomicCompare => {
                return if self.has_short_vectors() { self.neon_memory(data) } else { self.memory(data) };
            }
            Signature::Effect => {
                return match data.op {
                    // Loads and stores keep their order on x86-64, and selection keeps the program's.
                    Opcode::Fence if !self.is_arm() => Ok(()),
                    Opcode::Fence => {
                        self.push(Kind::Fence, &[]);
                        Ok(())
                    }
                    _ => Err(Unsupported(data.op.name().to_owned())),
                };
            }
            _ => {}
        }
        let Some(result) = result else {
            return self.effect(data);
        };
        let Type { scalar, shape } = self.ty(result);
        match data.op.signature() {
            Signature::Arg => {
                let register = match self.arguments.get(data.imm as usize) {
                    Some(&argument) => argument,
                    None => self.constants_address(),
                };
                self.define(result, [register]);
            }
            Signature::Clock => self.clock(result),
            Signature::LaneId
            | Signature::Splat
            | Signature::MaskReduce
            | Signature::MaskToBits
            | Signature::MaskFromBits
            | Signature::LaneRead
            | Signature::Shuffle => match self.has_short_vectors() {
                true => self.neon_lane_operation(data, result),
                false => self.lane_operation(data, result)?,
            },
            _ if let Some(known) = self.known_of_lanes(data) => self.define_known(result, known),
            _ if let Some((word, is_upper)) = self.half_of_words(data) => {
                let halves = self.halves_of_words(word, is_upper);
                self.define(result, halves.iter().copied());
            }
            _ if let Some((word, byte)) = self.code_of_words(data) => {
                let values = self.values_of_codes(word, byte);
                self.define(result, values.iter().copied());
            }
            // The operand's registers are the result's.
            Signature::Bitcast if self.root(result) != result => {}
            _ if shape == Shape::Varying && self.has_short_vectors() => {
                self.neon_varying(data, result, scalar)?
            }
            _ if shape == Shape::Uniform => self.uniform(data, result, scalar)?,
            _ => self.varying(data, result, scalar)?,
        }
        Ok(())
    }

    /// Operations without result that are neither memory accesses nor fences.
    fn effect(&mut self, data: &InstData) -> Result<(), Unsupported> {
        if data.op != Opcode::Call {
            return Err(Unsupported(data.op.name().to_owned()));
        }
        let (function, argument) = (self.one(data.args[0]), self.one(data.args[1]));
        let [first, second] = self.argument_registers();
        let operands = [Operand::reg_fixed_use(function, first), Operand::reg_fixed_use(argument, second)];
        self.neon.forget_constants();
        let keeps_registers = data.imm & InstData::CALL_KEEPS_REGISTERS != 0 && !self.has_short_vectors();
        self.push(if keeps_registers { Kind::CallKeeping } else { Kind::Call }, &operands);
        Ok(())
    }

    /// Where functions have their first two arguments.
    fn argument_registers(&self) -> [PReg; 2] {
        let numbers = if self.is_arm() { [0, 1] } else { [7, 6] };
        numbers.map(|number| PReg::new(number, GENERAL))
    }

    /// Whether vectors have 128 bits: what varying values become is in [`neon`], then.
    fn has_short_vectors(&self) -> bool {
        matches!(self.features.level, Level::Neon | Level::Sse41)
    }

    /// Whether general registers are those of 64-bit ARM.
    fn is_arm(&self) -> bool {
        self.features.level == Level::Neon
    }

    /// The address of the function's constants, which lie behind the code.
    fn constants_address(&mut self) -> VReg {
        let words = self.function.constants.iter().flat_map(|words| words.iter());
        let bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
        let place = match self.constants {
            Some(place) => place,
            None => *self.constants.insert(self.asm.data(&bytes, 64)),
        };
        let register = self.code.vreg(GENERAL);
        let address = Address { base: AddressBase::Pool(place), index: NONE, shift: 0, displacement: 0 };
        self.push(Kind::Lea(Size::S64, address), &[Operand::reg_def(register)]);
        register
    }

    fn clock(&mut self, result: Value) {
        let place = self.frame(8);
        let address = self.frame_address(place);
        self.call_helper(Helper::Clock, &[address]);
        let register = self.load_frame_general(64, place);
        self.define(result, [register]);
    }
}
