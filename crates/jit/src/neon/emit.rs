//! Emission for 64-bit ARM: instructions with their registers become words.
//!
//! Frame, from `sp` up: temporary memory of instructions, spill slots, then the registers that the function
//! preserves, in pairs, and at `x29` the caller's `x29` and `x30`.
//!
//! Must not know: the IR beyond the operations of atomics. Kinds that are not NEON's are those of x86-64,
//! with its two-address forms; what they mean does not depend on the processor.

use super::asm::{Assembler, Label};
use super::lane_access::{self, SomeLanes};
use super::op::{self, Op};
use super::{CALLEE_SAVED, CALLEE_SAVED_VECTORS, SCRATCH_VECTOR, lane_loop};
use crate::asm::{Alu, Condition, Shift, Size};
use crate::machine::emit::{EmitError, Emitted, targets};
use crate::machine::inst::{Address, AddressBase, Code, GENERAL, Inst, Kind, NONE, VECTOR};
use crate::machine::{Helper, LaneLoop};
use crate::pool::{Constant, Pool};
use pyro_abi::KERNEL_STACK_BYTES_MAX;
use regalloc2::{Allocation, Edit, InstOrEdit, Output, RegClass};

/// The stack pointer, where it is not the register of zeros.
pub(super) const SP: u8 = 31;
/// The frame pointer and the link register.
const FP: u8 = 29;
const LR: u8 = 30;

/// State of the emission of one function.
pub(super) struct Emitter<'a> {
    pub(super) asm: Assembler,
    code: &'a Code,
    output: &'a Output,
    labels: Vec<Label>,
    targets: Vec<u32>,
    /// The block that is emitted next.
    next: u32,
    saved: Vec<u8>,
    saved_vectors: Vec<u8>,
    frame_bytes: u32,
    moves: usize,
    spills: usize,
    vector_spills: usize,
    helpers: Vec<(Constant, Helper)>,
    lines: Vec<(u32, u32)>,
    /// Code for some lanes.
    behind: Vec<SomeLanes>,
}

/// Encodes `code` with the registers of `output`; `pool` holds the constants that it refers to.
///
/// # Errors
/// See [`EmitError`].
pub(crate) fn emit(code: &Code, output: &Output, pool: Pool) -> Result<Emitted, EmitError> {
    let mut asm = Assembler::new(pool);
    let labels = code.blocks.iter().map(|_| asm.label()).collect();
    let temporary = code.frame_bytes.next_multiple_of(64);
    let frame_bytes = (temporary + output.num_spillslots as u32 * 8).next_multiple_of(64);
    if frame_bytes > KERNEL_STACK_BYTES_MAX {
        return Err(EmitError::FrameTooLarge(frame_bytes));
    }
    let used = used(output);
    let saved_of = |class, range: std::ops::Range<u8>| {
        let mut saved: Vec<u8> = range.filter(|&register| used(class, register)).collect();
        // They are saved in pairs.
        if saved.len() % 2 == 1 {
            saved.push(SP);
        }
        saved
    };
    let mut saved_vectors = saved_of(VECTOR, CALLEE_SAVED_VECTORS);
    if let Some(last) = saved_vectors.last_mut() {
        *last = if *last == SP { SCRATCH_VECTOR } else { *last };
    }
    let mut emitter = Emitter {
        asm,
        code,
        output,
        labels,
        targets: targets(code, output),
        next: 0,
        saved: saved_of(GENERAL, CALLEE_SAVED),
        saved_vectors,
        frame_bytes,
        moves: 0,
        spills: 0,
        vector_spills: 0,
        helpers: Vec::new(),
        lines: Vec::new(),
        behind: Vec::new(),
    };
    emitter.prologue();
    let emitted: Vec<usize> =
        (0..code.blocks.len()).filter(|&block| emitter.targets[block] == block as u32).collect();
    for (index, &block) in emitted.iter().enumerate() {
        emitter.next = emitted.get(index + 1).map_or(u32::MAX, |&next| next as u32);
        emitter.block(block);
    }
    let some_lanes = emitter.asm.offset();
    for some in std::mem::take(&mut emitter.behind) {
        some.emit(&mut emitter.asm);
    }
    let (moves, spills, vector_spills) = (emitter.moves, emitter.spills, emitter.vector_spills);
    let helpers = emitter.helpers.iter();
    let helpers = helpers.map(|&(place, helper)| (emitter.asm.pool_offset(place), helper)).collect();
    let lines = emitter.lines;
    let (bytes, code_len) = emitter.asm.finish().map_err(EmitError::CodeTooLarge)?;
    let some_lanes_len = code_len - some_lanes as usize;
    Ok(Emitted { bytes, code_len, some_lanes_len, helpers, lines, frame_bytes, moves, spills, vector_spills })
}

/// Whether a register is used anywhere.
fn used(output: &Output) -> impl Fn(RegClass, u8) -> bool + use<> {
    let mut sets = [0u64; 2];
    let mut note = |allocation: Allocation| {
        if let Some(register) = allocation.as_reg() {
            sets[usize::from(register.class() == VECTOR)] |= 1 << register.hw_enc();
        }
    };
    output.allocs.iter().copied().for_each(&mut note);
    for (_, Edit::Move { from, to }) in &output.edits {
        note(*from);
        note(*to);
    }
    move |class, register| sets[usize::from(class == VECTOR)] >> register & 1 != 0
}

/// How instructions write a condition. After a comparison of floats "parity" is that one is NaN.
pub(super) const fn condition_bits(condition: Condition) -> u32 {
    match condition {
        Condition::Equal => 0,
        Condition::NotEqual => 1,
        Condition::AboveEqual => 2,
        Condition::Below => 3,
        Condition::Parity => 6,
        Condition::NoParity => 7,
        Condition::Above => 8,
        Condition::BelowEqual => 9,
        Condition::GreaterEqual => 10,
        Condition::Less => 11,
        Condition::Greater => 12,
        Condition::LessEqual => 13,
    }
}

pub(super) const fn bits(size: Size) -> u32 {
    match size {
        Size::S32 => 32,
        Size::S64 => 64,
    }
}

impl Emitter<'_> {
    fn prologue(&mut self) {
        self.asm.put(op::STP_PUSH.one(), &[FP, LR, SP]);
        self.asm.put(op::ADD_IMM.of(64), &[FP, SP]);
        for pair in self.saved.chunks(2) {
            self.asm.put(op::STP_PUSH.one(), &[pair[0], pair[1], SP]);
        }
        for pair in self.saved_vectors.chunks(2) {
            self.asm.put(op::STP_PUSH_VECTORS.one(), &[pair[0], pair[1], SP]);
        }
        if self.frame_bytes > 0 {
            self.asm.add_imm(SP, SP, -i64::from(self.frame_bytes));
        }
    }

    fn epilogue(&mut self) {
        if self.frame_bytes > 0 {
            self.asm.add_imm(SP, SP, self.frame_bytes.into());
        }
        for pair in self.saved_vectors.chunks(2).rev() {
            self.asm.put(op::LDP_POP_VECTORS.one(), &[pair[0], pair[1], SP]);
        }
        for pair in self.saved.chunks(2).rev() {
            self.asm.put(op::LDP_POP.one(), &[pair[0], pair[1], SP]);
        }
        self.asm.put(op::LDP_POP.one(), &[FP, LR, SP]);
        self.asm.put(op::RET.one(), &[]);
    }

    fn block(&mut self, index: usize) {
        self.asm.bind(self.labels[index]);
        let (code, output) = (self.code, self.output);
        for step in output.block_insts_and_edits(code, regalloc2::Block::new(index)) {
            match step {
                InstOrEdit::Edit(Edit::Move { from, to }) => self.move_value(*from, *to),
                InstOrEdit::Inst(inst) => {
                    let Inst { kind, loc, .. } = &code.insts[inst.index()];
                    if self.lines.last().map_or(0, |line| line.1) != loc.0 {
                        self.lines.push((self.asm.offset(), loc.0));
                    }
                    let registers: smallvec::SmallVec<[u8; 8]> =
                        output.inst_allocs(inst).iter().map(|&place| number(place)).collect();
                    self.inst(kind, &registers);
                }
            }
        }
    }

    /// Where a spill slot lies, from `sp`.
    fn stack(&self, allocation: Allocation) -> Option<i32> {
        let slot = allocation.as_stack()?;
        let temporary = self.code.frame_bytes.next_multiple_of(64);
        Some((temporary + slot.index() as u32 * 8) as i32)
    }

    /// A move that register allocation asks for.
    fn move_value(&mut self, from: Allocation, to: Allocation) {
        let is_vector = |place: Allocation| place.as_reg().is_some_and(|reg| reg.class() == VECTOR);
        let place = self.stack(from).or(self.stack(to));
        let Some(at) = place else {
            self.moves += 1;
            let (from, to, is_vector) = (number(from), number(to), is_vector(to));
            match is_vector {
                true => self.asm.put(op::ORR.one(), &[to, from, from]),
                false => self.asm.put(op::MOV_GENERAL.of(64), &[to, from]),
            }
            return;
        };
        self.spills += 1;
        let is_store = to.as_reg().is_none();
        let register = number(if is_store { from } else { to });
        if is_vector(from) || is_vector(to) {
            self.vector_spills += 1;
            lane_access::move_bytes(&mut self.asm, is_store, 16, register, SP, at);
        } else {
            self.move_general(is_store, 64, register, (SP, Offset::Bytes(at)));
        }
    }

    /// The base and what is added to it; `x16` and `x17` may be changed.
    fn place(&mut self, address: Address, registers: &[u8]) -> (u8, Offset) {
        let displacement = address.displacement;
        let base = match address.base {
            AddressBase::Operand(slot) => registers[usize::from(slot)],
            AddressBase::Frame => SP,
            AddressBase::Pool(constant) => {
                self.asm.address_of(16, constant);
                16
            }
        };
        if address.index == NONE {
            return (base, Offset::Bytes(displacement));
        }
        let index = registers[usize::from(address.index)];
        if address.shift == 0 && displacement == 0 {
            return (base, Offset::Register(index));
        }
        self.add_index(16, base, index, address.shift);
        (16, Offset::Bytes(displacement))
    }

    /// `to = base + index * 2^shift`.
    fn add_index(&mut self, to: u8, base: u8, index: u8, shift: u8) {
        let base = if base == SP {
            self.asm.put(op::ADD_IMM.of(64), &[16, SP]);
            16
        } else {
            base
        };
        self.asm.put(op::ADD_SHIFTED.of(64).bits(10, shift.into()), &[to, base, index]);
    }

    /// `to = address`.
    fn lea(&mut self, size: Size, to: u8, address: Address, registers: &[u8]) {
        let narrow = size == Size::S32;
        let base = match address.base {
            AddressBase::Operand(slot) => registers[usize::from(slot)],
            AddressBase::Frame => SP,
            AddressBase::Pool(constant) => {
                let at = if address.index == NONE { to } else { 16 };
                self.asm.address_of(at, constant);
                at
            }
        };
        if narrow {
            // Never of the frame or the pool.
            let mut from = base;
            if address.index != NONE {
                let index = registers[usize::from(address.index)];
                self.asm.put(op::ADD_SHIFTED.of(32).bits(10, address.shift.into()), &[to, from, index]);
                from = to;
            }
            let displacement = address.displacement;
            if op::ADD_IMM.imm.is_some_and(|imm| imm.holds(displacement.saturating_abs())) {
                let op = if displacement < 0 { op::SUB_IMM } else { op::ADD_IMM };
                if displacement != 0 || from != to {
                    self.asm.put(op.imm(32, displacement.saturating_abs()), &[to, from]);
                }
            } else {
                self.asm.mov_imm(17, displacement as u32 as u64);
                self.asm.put(op::ADD_GENERAL.of(32), &[to, from, 17]);
            }
            return;
        }
        let mut from = base;
        if address.index != NONE {
            self.add_index(to, base, registers[usize::from(address.index)], address.shift);
            from = to;
        }
        self.asm.add_imm(to, from, address.displacement.into());
    }

    /// 8 to 64 bits between a general register and memory, zero-extended.
    pub(super) fn move_general(
        &mut self,
        is_store: bool,
        bits: u32,
        register: u8,
        (base, offset): (u8, Offset),
    ) {
        let (scaled, unscaled, index) = match is_store {
            false => (op::LDR, op::LDUR, op::LDR_INDEX),
            true => (op::STR, op::STUR, op::STR_INDEX),
        };
        let bytes = bits as i32 / 8;
        match offset {
            Offset::Register(number) => self.asm.put(index.of(bits), &[register, base, number]),
            Offset::Bytes(at) if at >= 0 && at % bytes == 0 && at / bytes < 4096 => {
                self.asm.put(scaled.imm(bits, at / bytes), &[register, base]);
            }
            Offset::Bytes(at) if (-256..256).contains(&at) => {
                self.asm.put(unscaled.imm(bits, at), &[register, base]);
            }
            Offset::Bytes(at) => {
                self.asm.mov_imm(17, i64::from(at) as u64);
                self.asm.put(index.of(bits), &[register, base, 17]);
            }
        }
    }

    fn move_vector(&mut self, is_store: bool, bytes: u32, register: u8, (base, offset): (u8, Offset)) {
        match offset {
            Offset::Bytes(at) => {
                lane_access::move_bytes(&mut self.asm, is_store, bytes, register, base, at);
            }
            Offset::Register(number) => {
                let (op, bits) = match (is_store, bytes) {
                    (false, 16) => (op::LDR_QUAD_INDEX, 8),
                    (true, 16) => (op::STR_QUAD_INDEX, 8),
                    (false, _) => (op::LDR_VECTOR_INDEX, bytes * 8),
                    (true, _) => (op::STR_VECTOR_INDEX, bytes * 8),
                };
                self.asm.put(op.of(bits), &[register, base, number]);
            }
        }
    }

    /// Goes to a block unless it comes next anyway.
    fn go(&mut self, to: u32) {
        let to = self.targets[to as usize];
        if to != self.next {
            self.asm.jump(self.labels[to as usize]);
        }
    }

    fn branch(&mut self, condition: Condition, then: u32, otherwise: u32) {
        let [then, otherwise] = [then, otherwise].map(|block| self.targets[block as usize]);
        if then == self.next {
            self.asm.jump_if(condition_bits(condition.not()), self.labels[otherwise as usize]);
        } else {
            self.asm.jump_if(condition_bits(condition), self.labels[then as usize]);
            self.go(otherwise);
        }
    }

    /// Goes to the first block where the register is (or is not) zero.
    fn branch_zero(&mut self, is_zero: bool, bits: u32, register: u8, then: u32, otherwise: u32) {
        let [then, otherwise] = [then, otherwise].map(|block| self.targets[block as usize]);
        let (is_zero, to) = if then == self.next { (!is_zero, otherwise) } else { (is_zero, then) };
        let label = self.labels[to as usize];
        match is_zero {
            true => self.asm.jump_if_zero(bits, register, label),
            false => self.asm.jump_if_not_zero(bits, register, label),
        }
        if to == then {
            self.go(otherwise);
        }
    }

    /// A number as an operand of the size, in `x17`.
    fn immediate(&mut self, size: Size, value: i32) -> u8 {
        let value = if size == Size::S32 { u64::from(value as u32) } else { i64::from(value) as u64 };
        self.asm.mov_imm(17, value);
        17
    }

    fn compare_imm(&mut self, size: Size, register: u8, value: i32) {
        match value {
            0..4096 => self.asm.put(op::CMP_IMM.imm(bits(size), value), &[register]),
            -4095..0 => self.asm.put(op::CMN_IMM.imm(bits(size), -value), &[register]),
            _ => {
                let other = self.immediate(size, value);
                self.asm.put(op::CMP_GENERAL.of(bits(size)), &[register, other]);
            }
        }
    }

    fn alu_imm(&mut self, alu: Alu, size: Size, to: u8, from: u8, value: i32) {
        let width = bits(size);
        match (alu, value) {
            (Alu::Cmp, _) => return self.compare_imm(size, from, value),
            (Alu::Add, 0..4096) => return self.asm.put(op::ADD_IMM.imm(width, value), &[to, from]),
            (Alu::Sub, 0..4096) => return self.asm.put(op::SUB_IMM.imm(width, value), &[to, from]),
            (Alu::Add, -4095..0) => return self.asm.put(op::SUB_IMM.imm(width, -value), &[to, from]),
            (Alu::Sub, -4095..0) => return self.asm.put(op::ADD_IMM.imm(width, -value), &[to, from]),
            // Low bits.
            (Alu::And, 1..) if (value + 1).count_ones() == 1 || value == i32::MAX => {
                return self.bit_field(op::UBFM, width, to, from, 0, value.count_ones() - 1);
            }
            _ => {}
        }
        let other = self.immediate(size, value);
        self.asm.put(alu_op(alu).of(width), &[to, from, other]);
    }

    fn bit_field(&mut self, op: Op, width: u32, to: u8, from: u8, rotate: u32, last: u32) {
        self.asm.put(op.of(width).bits(16, rotate).bits(10, last), &[to, from]);
    }

    pub(super) fn select(&mut self, size: Size, condition: u32, to: u8, then: u8, otherwise: u8) {
        self.asm.put(op::CSEL.of(bits(size)).bits(12, condition), &[to, then, otherwise]);
    }

    /// The register becomes 1 where the condition holds, else 0.
    fn set(&mut self, condition: Condition, to: u8) {
        self.asm.put(op::CSET.of(32).bits(12, condition_bits(condition.not())), &[to]);
    }

    #[allow(clippy::too_many_lines)]
    fn inst(&mut self, kind: &Kind, registers: &[u8]) {
        let r = |slot: usize| registers[slot];
        match *kind {
            Kind::Neon(encoded) => {
                if encoded.row.form.is_tied() {
                    let mut own: smallvec::SmallVec<[u8; 4]> = registers.into();
                    own.remove(1);
                    self.asm.put(encoded, &own);
                } else {
                    self.asm.put(encoded, registers);
                }
            }
            Kind::VectorLoad(bytes, address) => {
                let place = self.place(address, registers);
                self.move_vector(false, bytes, r(0), place);
            }
            Kind::VectorStore(bytes, address) => {
                let place = self.place(address, registers);
                self.move_vector(true, bytes, r(0), place);
            }
            Kind::VectorConstant(constant) => self.asm.load_vector_constant(r(0), constant),
            Kind::LaneAccess(access) => {
                self.behind.extend(lane_access::emit(&mut self.asm, access, registers.to_vec()));
            }
            Kind::Fence => self.asm.put(op::DMB.one(), &[]),
            Kind::Imm(value) => self.asm.mov_imm(r(0), value),
            Kind::Move => self.asm.put(op::MOV_GENERAL.of(64), &[r(0), r(1)]),
            Kind::Alu(alu, size) => self.asm.put(alu_op(alu).of(bits(size)), &[r(0), r(1), r(2)]),
            Kind::AluImm(alu, size, value) => self.alu_imm(alu, size, r(0), r(1), value),
            Kind::Neg(size) => self.asm.put(op::NEG_GENERAL.of(bits(size)), &[r(0), r(1)]),
            Kind::Not(size) => self.asm.put(op::MVN_GENERAL.of(bits(size)), &[r(0), r(1)]),
            Kind::ShiftImm(shift, size, count) => {
                let (width, count) = (bits(size), u32::from(count));
                let (op, rotate, last) = match shift {
                    Shift::Shl => (op::UBFM, (width - count) % width, width - 1 - count),
                    Shift::Shr => (op::UBFM, count, width - 1),
                    Shift::Sar => (op::SBFM, count, width - 1),
                };
                self.bit_field(op, width, r(0), r(1), rotate, last);
            }
            Kind::Imul(size) => self.asm.put(op::MUL_GENERAL.of(bits(size)), &[r(0), r(1), r(2)]),
            Kind::ImulImm(size, value) => {
                let other = self.immediate(size, value);
                self.asm.put(op::MUL_GENERAL.of(bits(size)), &[r(0), r(1), other]);
            }
            Kind::Lea(size, address) => self.lea(size, r(0), address, registers),
            Kind::Load(bits, address) => {
                let place = self.place(address, registers);
                self.move_general(false, bits, r(0), place);
            }
            Kind::Store(bits, address) => {
                let place = self.place(address, registers);
                self.move_general(true, bits, r(0), place);
            }
            Kind::ZeroExtend(32) => self.asm.put(op::MOV_GENERAL.of(32), &[r(0), r(1)]),
            Kind::ZeroExtend(from) => self.bit_field(op::UBFM, 32, r(0), r(1), 0, from - 1),
            Kind::SignExtend(from, size) => self.bit_field(op::SBFM, bits(size), r(0), r(1), 0, from - 1),
            Kind::Compare(condition, size) => {
                self.asm.put(op::CMP_GENERAL.of(bits(size)), &[r(1), r(2)]);
                self.set(condition, r(0));
            }
            Kind::CompareImm(condition, size, value) => {
                self.compare_imm(size, r(1), value);
                self.set(condition, r(0));
            }
            Kind::Select(size) => {
                self.compare_imm(Size::S32, r(3), 0);
                self.select(size, condition_bits(Condition::NotEqual), r(0), r(2), r(1));
            }
            Kind::SelectCompare(condition, size) => {
                self.asm.put(op::CMP_GENERAL.of(bits(size)), &[r(3), r(4)]);
                self.select(Size::S64, condition_bits(condition), r(0), r(2), r(1));
            }
            Kind::SelectCompareImm(condition, size, value) => {
                self.compare_imm(size, r(3), value);
                self.select(Size::S64, condition_bits(condition), r(0), r(2), r(1));
            }
            Kind::PopCount(size) => {
                let to_vector = match size {
                    Size::S32 => op::FMOV_FROM_GENERAL,
                    Size::S64 => op::FMOV_FROM_GENERAL_QUAD,
                };
                self.asm.put(to_vector.one(), &[SCRATCH_VECTOR, r(1)]);
                self.asm.put(op::CNT.one(), &[SCRATCH_VECTOR, SCRATCH_VECTOR]);
                // The rest of the register is zero.
                for width in [8, 16, 32] {
                    self.asm.put(op::UADDLP.of(width), &[SCRATCH_VECTOR, SCRATCH_VECTOR]);
                }
                self.asm.put(op::FMOV_TO_GENERAL.one(), &[r(0), SCRATCH_VECTOR]);
            }
            Kind::LeadingZeros(size) => self.asm.put(op::CLZ_GENERAL.of(bits(size)), &[r(0), r(1)]),
            Kind::TrailingZeros(size) => {
                self.asm.put(op::RBIT_GENERAL.of(bits(size)), &[r(0), r(1)]);
                self.asm.put(op::CLZ_GENERAL.of(bits(size)), &[r(0), r(0)]);
            }
            Kind::ByteSwap(Size::S32) => self.asm.put(op::REV_WORD.one(), &[r(0), r(1)]),
            Kind::ByteSwap(Size::S64) => self.asm.put(op::REV_QUAD.one(), &[r(0), r(1)]),
            Kind::Args => {}
            Kind::Return(code) => {
                self.asm.mov_imm(0, code.into());
                self.epilogue();
            }
            Kind::Jump(to) => self.go(to),
            Kind::Branch(then, otherwise) => self.branch_zero(false, 32, r(0), then, otherwise),
            Kind::BranchCompare(condition, size, then, otherwise) => {
                self.asm.put(op::CMP_GENERAL.of(bits(size)), &[r(0), r(1)]);
                self.branch(condition, then, otherwise);
            }
            Kind::BranchCompareImm(condition, size, 0, then, otherwise)
                if matches!(condition, Condition::Equal | Condition::NotEqual) =>
            {
                self.branch_zero(condition == Condition::Equal, bits(size), r(0), then, otherwise);
            }
            Kind::BranchCompareImm(condition, size, value, then, otherwise) => {
                self.compare_imm(size, r(0), value);
                self.branch(condition, then, otherwise);
            }
            Kind::Trap => self.asm.put(op::BRK.one(), &[]),
            Kind::CallHelper(helper) => self.call_helper(helper),
            Kind::Call => {
                self.move_general(false, 64, 16, (r(0), Offset::Bytes(0)));
                self.asm.put(op::BLR.one(), &[16]);
            }
            Kind::LaneLoop(ref this) => self.lane_loop(this, registers),
            Kind::Prefetch(_) => {}
            Kind::MulHigh { .. }
            | Kind::Divide { .. }
            | Kind::Vector(_)
            | Kind::CallKeeping
            | Kind::ShiftByCl(..)
            | Kind::RunGather(_)
            | Kind::SplitGather(_)
            | Kind::StreamingStore { .. }
            | Kind::MaskedStore { .. }
            | Kind::MaskedLoad { .. }
            | Kind::ClearPending
            | Kind::FetchAdd { .. }
            | Kind::Fused(_)
            | Kind::FusedCheck(_)
            | Kind::FlushPending(_) => unreachable!("of another processor"),
        }
    }

    fn lane_loop(&mut self, this: &LaneLoop, registers: &[u8]) {
        lane_loop::emit(self, this, registers);
    }

    /// The helper's address is a constant, filled in when the code is loaded: the only bytes that depend on
    /// the process.
    fn call_helper(&mut self, helper: Helper) {
        let known = self.helpers.iter().find(|known| known.1 == helper);
        let address = match known {
            Some(&(address, _)) => address,
            None => {
                let address = self.asm.pool.data(&[0; 8], 8);
                self.helpers.push((address, helper));
                address
            }
        };
        self.asm.load_constant(16, address);
        self.asm.put(op::BLR.one(), &[16]);
    }
}

/// What is added to a base.
#[derive(Clone, Copy, Debug)]
pub(super) enum Offset {
    Bytes(i32),
    Register(u8),
}

/// The number of a register that an operand has.
fn number(place: Allocation) -> u8 {
    place.as_reg().expect("all operands are in registers").hw_enc() as u8
}

pub(super) fn alu_op(alu: Alu) -> Op {
    match alu {
        Alu::Add => op::ADD_GENERAL,
        Alu::Or => op::ORR_GENERAL,
        Alu::And => op::AND_GENERAL,
        Alu::Sub => op::SUB_GENERAL,
        Alu::Xor => op::EOR_GENERAL,
        Alu::Cmp => op::CMP_GENERAL,
    }
}
