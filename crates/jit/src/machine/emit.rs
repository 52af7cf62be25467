//! Emission: instructions with their registers become bytes.
//!
//! Blocks come out in their order; a block that only jumps is left out, and jumps to it go to its target. The
//! stack frame, from `rsp` up: temporary memory of instructions, then spill slots. `rbp` holds the caller's
//! stack pointer.
//!
//! Must not know: the IR. Whatever one instruction of [`Kind`] becomes is decided here, so a kind may be
//! several machine instructions (compare and set, masked and streaming stores, loops over lanes).

use super::allocate::CALLEE_SAVED;
use super::fused::{self, Careful, FusedCheck};
use super::inst::{
    Address, AddressBase, Code, GENERAL, Inst, Kind, MASK, NONE, RmSlot, Slot, VECTOR, Vector,
};
use super::lane_access::{self, SomeLanes};
use super::{Helper, lane_loop, masked_move, pending_atomics, run_gather, split_gather};
use crate::asm::op::{
    KMOVQ, KMOVQ_STORE, KORTESTB, KORTESTW, VMOVAPS, VMOVAPS_STORE, VMOVDQU64_STORE, VMOVNTPS_STORE,
    VMOVQ_FROM, VMOVQ_TO,
};
use crate::asm::{
    Alu, Assembler, Condition, Constant, Evex, Gpr, Label, Len, Mem, RAX, RBP, RDX, RSP, Rm, Size, Unary,
};
use crate::cpu::Level;
use pyro_abi::KERNEL_STACK_BYTES_MAX;
use pyro_abi::context::offset;
use regalloc2::{Allocation, Edit, InstOrEdit, Output};

/// Why code was not emitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// The function needs so many bytes of stack.
    #[error("{0} bytes of stack")]
    FrameTooLarge(u32),
    /// Jumps do not reach over the code, or constants are out of reach.
    #[error("{0} bytes of code")]
    CodeTooLarge(u32),
    /// The bytes are not the instructions that were asked for: see [`Assembler::finish_checked`].
    #[error("{0}")]
    Encoding(String),
}

/// Emitted code.
#[derive(Debug)]
pub struct Emitted {
    /// Code, then constants.
    pub bytes: Vec<u8>,
    /// How much of it is code.
    pub code_len: usize,
    /// How much of that lies behind the function, for accesses that only some lanes take part in and sums
    /// that need care.
    pub some_lanes_len: usize,
    /// Offsets of the 8 bytes that are to hold a helper's address.
    pub helpers: Vec<(u32, Helper)>,
    /// The source location of the code from an offset on up to the next one; in order.
    pub lines: Vec<(u32, u32)>,
    /// Bytes of stack.
    pub frame_bytes: u32,
    /// Moves between registers that allocation added.
    pub moves: usize,
    /// Moves to and from the stack that allocation added.
    pub spills: usize,
    /// Those of vectors.
    pub vector_spills: usize,
}

/// State of the emission of one function.
pub(super) struct Emitter<'a> {
    pub(super) asm: Assembler,
    code: &'a Code,
    output: &'a Output,
    labels: Vec<Label>,
    /// Where a jump to each block ends up: blocks that only jump on are passed over.
    targets: Vec<u32>,
    /// The block that is emitted next.
    next: u32,
    saved: Vec<Gpr>,
    /// There are streaming stores.
    streams: bool,
    frame_bytes: u32,
    moves: usize,
    spills: usize,
    vector_spills: usize,
    helpers: Vec<(Constant, Helper)>,
    lines: Vec<(u32, u32)>,
    /// To be emitted behind the function.
    behind: Vec<Behind>,
}

/// Code that seldom runs.
enum Behind {
    SomeLanes(SomeLanes),
    Careful(Careful),
}

/// Encodes `code` with the registers of `output`; `asm` holds the constants it refers to.
///
/// # Errors
/// See [`EmitError`].
pub fn run(code: &Code, output: &Output, mut asm: Assembler) -> Result<Emitted, EmitError> {
    if code.level == Level::Sse41 {
        asm.without_vex();
    }
    let labels = code.blocks.iter().map(|_| asm.label()).collect();
    let temporary = code.frame_bytes.next_multiple_of(64);
    let frame_bytes = (temporary + output.num_spillslots as u32 * 8).next_multiple_of(64);
    if frame_bytes > KERNEL_STACK_BYTES_MAX {
        return Err(EmitError::FrameTooLarge(frame_bytes));
    }
    let saved = CALLEE_SAVED.into_iter().filter(|&register| uses(output, register)).collect();
    let mut emitter = Emitter {
        asm,
        code,
        output,
        labels,
        targets: targets(code, output),
        next: 0,
        saved,
        streams: code.insts.iter().any(|inst| matches!(inst.kind, Kind::StreamingStore { .. })),
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
    for behind in std::mem::take(&mut emitter.behind) {
        match behind {
            Behind::SomeLanes(some) => some.emit(&mut emitter.asm),
            Behind::Careful(careful) => careful.emit(&mut emitter.asm),
        }
    }
    let (moves, spills, vector_spills) = (emitter.moves, emitter.spills, emitter.vector_spills);
    let helpers = emitter.helpers.iter();
    let helpers = helpers.map(|&(place, helper)| (emitter.asm.pool_offset(place), helper)).collect();
    let lines = emitter.lines;
    let (bytes, code_len) = emitter.asm.finish_checked().map_err(EmitError::Encoding)?;
    Ok(Emitted {
        bytes,
        code_len,
        some_lanes_len: code_len - some_lanes as usize,
        helpers,
        lines,
        frame_bytes,
        moves,
        spills,
        vector_spills,
    })
}

/// Where jumps to each block end up. A block that does nothing but jump is passed over, unless it is the
/// entry.
pub(crate) fn targets(code: &Code, output: &Output) -> Vec<u32> {
    let passes_on = |block: usize| {
        let data = &code.blocks[block];
        let Kind::Jump(to) = code.insts[data.start as usize].kind else { return None };
        let mut steps = output.block_insts_and_edits(code, regalloc2::Block::new(block));
        let only = steps.next().is_some_and(|step| matches!(step, InstOrEdit::Inst(_)));
        (block != 0 && only && to as usize != block).then_some(to)
    };
    let target = |block: u32| {
        let mut to = block;
        // A ring of such blocks is an empty loop, and stays as it is.
        for _ in 0..code.blocks.len().min(8) {
            match passes_on(to as usize) {
                Some(next) => to = next,
                None => return to,
            }
        }
        block
    };
    (0..code.blocks.len() as u32).map(target).collect()
}

/// Whether a general register is used anywhere.
fn uses(output: &Output, register: Gpr) -> bool {
    let is = |allocation: Allocation| {
        allocation.as_reg().is_some_and(|reg| reg.class() == GENERAL && reg.hw_enc() == usize::from(register))
    };
    output.allocs.iter().copied().any(is)
        || output.edits.iter().any(|(_, Edit::Move { from, to })| is(*from) || is(*to))
}

impl Emitter<'_> {
    /// What signal handlers decode to unwind the frame: see `pyro_codemem::fault`.
    fn prologue(&mut self) {
        self.asm.push(RBP);
        self.asm.mov(Size::S64, RBP, RSP);
        for &register in &self.saved {
            self.asm.push(register);
        }
        if self.frame_bytes > 0 {
            if cfg!(windows) {
                self.touch_frame();
            }
            self.asm.alu_imm(Alu::Sub, Size::S64, Rm::Reg(RSP), self.frame_bytes as i32);
            self.asm.alu_imm(Alu::And, Size::S64, Rm::Reg(RSP), -64);
        } else if self.saved.len() % 2 == 1 {
            // Functions that are called expect a stack of 16-byte units.
            self.asm.alu_imm(Alu::Sub, Size::S64, Rm::Reg(RSP), 8);
        }
    }

    /// Accesses each page of the frame, from above: Windows gives a thread the next page of its stack when
    /// the last one that it has is touched, and no other. Alignment takes another 63 bytes.
    fn touch_frame(&mut self) {
        const PAGE_BYTES: i32 = 4096;
        for page in 1..=(self.frame_bytes as i32 + 63) / PAGE_BYTES {
            self.asm.alu_imm(Alu::Cmp, Size::S32, Rm::Mem(Mem::base(RSP, -page * PAGE_BYTES)), 0);
        }
    }

    fn epilogue(&mut self) {
        self.asm.vzeroupper();
        if self.frame_bytes > 0 || self.saved.len() % 2 == 1 {
            let pushed = self.saved.len() as i32 * 8;
            self.asm.lea(Size::S64, RSP, Mem::base(RBP, -pushed));
        }
        for &register in self.saved.iter().rev() {
            self.asm.pop(register);
        }
        self.asm.pop(RBP);
        self.asm.ret();
    }

    fn block(&mut self, index: usize) {
        let data = &self.code.blocks[index];
        if data.is_loop {
            self.asm.align(32, 24);
        }
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
                    let registers = Registers(output.inst_allocs(inst));
                    self.inst(kind, registers);
                }
            }
        }
    }

    /// Where a spill slot lies.
    fn stack(&self, allocation: Allocation) -> Option<Mem> {
        let slot = allocation.as_stack()?;
        let temporary = self.code.frame_bytes.next_multiple_of(64);
        Some(Mem::base(RSP, (temporary + slot.index() as u32 * 8) as i32))
    }

    /// An operand in a register or on the stack.
    fn anywhere(&self, registers: Registers<'_>, slot: Slot) -> Rm {
        match self.stack(registers.0[usize::from(slot)]) {
            Some(mem) => Rm::Mem(mem),
            None => Rm::Reg(registers.number(slot)),
        }
    }

    /// A move that register allocation asks for.
    fn move_value(&mut self, from: Allocation, to: Allocation) {
        if self.stack(from).or(self.stack(to)).is_some() {
            self.spills += 1;
            let is_vector = |place: Allocation| place.as_reg().is_some_and(|reg| reg.class() == VECTOR);
            self.vector_spills += usize::from(is_vector(from) || is_vector(to));
        } else {
            self.moves += 1;
        }
        let len = self.code.vector_len();
        let vector = |op, reg, rm| Evex::new(op, len, reg, 0, rm);
        match (from.as_reg(), to.as_reg()) {
            (Some(from), Some(to)) => {
                let (source, target) = (from.hw_enc() as u8, to.hw_enc() as u8);
                match to.class() {
                    GENERAL => self.asm.mov(Size::S64, target, source),
                    VECTOR => self.asm.vector(&vector(VMOVAPS, target, Rm::Reg(source))),
                    MASK => self.asm.vector(&vector(KMOVQ, target, Rm::Reg(source))),
                }
            }
            (None, Some(to)) => {
                let mem = self.stack(from).expect("a register or a stack slot");
                let target = to.hw_enc() as u8;
                match to.class() {
                    GENERAL => self.asm.load(Size::S64, target, mem),
                    VECTOR => self.asm.vector(&vector(VMOVAPS, target, Rm::Mem(mem))),
                    MASK => self.asm.vector(&vector(KMOVQ, target, Rm::Mem(mem))),
                }
            }
            (Some(from), None) => {
                let mem = self.stack(to).expect("a register or a stack slot");
                let source = from.hw_enc() as u8;
                match from.class() {
                    GENERAL => self.asm.store(64, mem, source),
                    VECTOR => self.asm.vector(&vector(VMOVAPS_STORE, source, Rm::Mem(mem))),
                    MASK => self.asm.vector(&vector(KMOVQ_STORE, source, Rm::Mem(mem))),
                }
            }
            (None, None) => unreachable!("regalloc2 gives no moves from stack to stack"),
        }
    }

    /// A memory operand.
    fn mem(&self, address: Address, registers: Registers<'_>) -> Mem {
        let index = (address.index != NONE).then(|| registers.number(address.index));
        let displacement = address.displacement;
        let base = match address.base {
            AddressBase::Operand(slot) => registers.number(slot),
            AddressBase::Frame => RSP,
            AddressBase::Pool(constant) => return Mem::Pool(constant),
        };
        Mem::Base { base, index, shift: address.shift, displacement }
    }

    fn vector(&mut self, inst: &Vector, registers: Registers<'_>) {
        let number = |slot: Slot| if slot == NONE { 0 } else { registers.number(slot) };
        let rm = match inst.rm {
            RmSlot::Reg(slot) => self.anywhere(registers, slot),
            RmSlot::Mem(address) => Rm::Mem(self.mem(address, registers)),
        };
        let inst = Evex {
            op: inst.op,
            len: inst.len,
            reg: if inst.reg == NONE { inst.extension } else { registers.number(inst.reg) },
            vvvv: number(inst.vvvv),
            rm,
            mask: number(inst.mask),
            zero: inst.zero,
            broadcast: inst.broadcast,
            rounding: inst.rounding,
            imm: inst.imm,
            fourth: (inst.fourth != NONE).then(|| registers.number(inst.fourth)),
        };
        debug_assert!(
            match self.code.level {
                Level::Avx512 => true,
                Level::Sse41 => inst.is_sse41(),
                _ => inst.is_avx2(),
            },
            "{inst:?}"
        );
        self.asm.vector(&inst);
    }

    /// Jumps to a block unless it comes next anyway.
    fn go(&mut self, to: u32) {
        let to = self.targets[to as usize];
        if to != self.next {
            self.asm.jump(self.labels[to as usize]);
        }
    }

    /// Jumps after a comparison.
    fn branch(&mut self, condition: Condition, then: u32, otherwise: u32) {
        let [then, otherwise] = [then, otherwise].map(|block| self.targets[block as usize]);
        if then == self.next {
            self.asm.jump_if(condition.not(), self.labels[otherwise as usize]);
        } else {
            self.asm.jump_if(condition, self.labels[then as usize]);
            self.go(otherwise);
        }
    }

    #[allow(clippy::too_many_lines)]
    fn inst(&mut self, kind: &Kind, registers: Registers<'_>) {
        let r = |slot: Slot| registers.number(slot);
        match *kind {
            Kind::Vector(ref inst) => self.vector(inst, registers),
            Kind::Imm(value) => self.asm.mov_imm(r(0), value),
            Kind::Move => self.asm.mov(Size::S64, r(0), r(1)),
            Kind::Alu(op, size) => self.asm.alu(op, size, r(0), Rm::Reg(r(2))),
            Kind::AluImm(op, size, value) => self.asm.alu_imm(op, size, Rm::Reg(r(0)), value),
            Kind::Neg(size) => self.asm.unary(Unary::Neg, size, r(0)),
            Kind::Not(size) => self.asm.unary(Unary::Not, size, r(0)),
            Kind::ShiftImm(op, size, count) => self.asm.shift_imm(op, size, r(0), count),
            Kind::Imul(size) => self.asm.imul(size, r(0), Rm::Reg(r(2))),
            Kind::ImulImm(size, value) => self.asm.imul_imm(size, r(0), Rm::Reg(r(1)), value),
            Kind::Lea(size, address) => self.asm.lea(size, r(0), self.mem(address, registers)),
            Kind::Load(bits, address) => {
                let mem = self.mem(address, registers);
                match bits {
                    64 => self.asm.load(Size::S64, r(0), mem),
                    32 => self.asm.load(Size::S32, r(0), mem),
                    _ => self.asm.movzx(bits, r(0), Rm::Mem(mem)),
                }
            }
            Kind::Store(bits, address) => self.asm.store(bits, self.mem(address, registers), r(0)),
            Kind::FetchAdd { bits, locked, address } => {
                self.asm.xadd(bits, locked, self.mem(address, registers), r(0));
                if bits < 32 {
                    self.asm.movzx(bits, r(0), Rm::Reg(r(0)));
                }
            }
            Kind::ZeroExtend(bits) => self.asm.movzx(bits, r(0), Rm::Reg(r(1))),
            Kind::SignExtend(bits, size) => self.asm.movsx(bits, size, r(0), Rm::Reg(r(1))),
            Kind::Compare(condition, size) => {
                self.asm.alu(Alu::Cmp, size, r(1), Rm::Reg(r(2)));
                self.set(condition, r(0));
            }
            Kind::CompareImm(condition, size, value) => {
                self.compare_imm(size, r(1), value, condition);
                self.set(condition, r(0));
            }
            Kind::Select(size) => {
                self.asm.test(Size::S32, r(3), r(3));
                self.asm.cmov(Condition::NotEqual, size, r(0), Rm::Reg(r(2)));
            }
            Kind::SelectCompare(condition, size) => {
                self.asm.alu(Alu::Cmp, size, r(3), Rm::Reg(r(4)));
                self.asm.cmov(condition, Size::S64, r(0), Rm::Reg(r(2)));
            }
            Kind::SelectCompareImm(condition, size, value) => {
                self.compare_imm(size, r(3), value, condition);
                self.asm.cmov(condition, Size::S64, r(0), Rm::Reg(r(2)));
            }
            Kind::PopCount(size) => self.asm.popcnt(size, r(0), Rm::Reg(r(1))),
            Kind::LeadingZeros(size) | Kind::TrailingZeros(size) if self.is_legacy() => {
                self.scan_bits(matches!(kind, Kind::LeadingZeros(_)), size, r(0), r(1));
            }
            Kind::LeadingZeros(size) => self.asm.lzcnt(size, r(0), Rm::Reg(r(1))),
            Kind::TrailingZeros(size) => self.asm.tzcnt(size, r(0), Rm::Reg(r(1))),
            Kind::ShiftByCl(op, size) => self.asm.shift_cl(op, size, r(0)),
            Kind::ByteSwap(size) => self.asm.bswap(size, r(0)),
            Kind::MulHigh { signed, size } => {
                let op = if signed { Unary::IMul } else { Unary::Mul };
                self.asm.unary(op, size, r(3));
            }
            Kind::Divide { signed, size } => {
                if signed {
                    self.asm.sign_to_rdx(size);
                    self.asm.unary(Unary::IDiv, size, r(3));
                } else {
                    self.asm.alu(Alu::Xor, Size::S32, RDX, Rm::Reg(RDX));
                    self.asm.unary(Unary::Div, size, r(3));
                }
            }
            Kind::Args => {}
            Kind::Return(code) => {
                if self.streams {
                    self.asm.sfence();
                }
                self.asm.mov_imm(RAX, code.into());
                self.epilogue();
            }
            Kind::Jump(to) => self.go(to),
            Kind::Branch(then, otherwise) => {
                self.asm.test(Size::S32, r(0), r(0));
                self.branch(Condition::NotEqual, then, otherwise);
            }
            Kind::BranchCompare(condition, size, then, otherwise) => {
                self.asm.alu(Alu::Cmp, size, r(0), Rm::Reg(r(1)));
                self.branch(condition, then, otherwise);
            }
            Kind::BranchCompareImm(condition, size, value, then, otherwise) => {
                self.compare_imm(size, r(0), value, condition);
                self.branch(condition, then, otherwise);
            }
            Kind::Trap => self.asm.trap(),
            Kind::CallHelper(helper) => self.call_helper(helper),
            Kind::Call => {
                self.asm.vzeroupper();
                self.asm.call(Rm::Mem(Mem::base(r(0), 0)));
            }
            Kind::CallKeeping => self.asm.call(Rm::Mem(Mem::base(r(0), 0))),
            Kind::StreamingStore { ref store, dispatch, temporary } => {
                self.streaming_store(store, r(dispatch), r(temporary), registers);
            }
            Kind::Prefetch(address) => self.asm.prefetch(self.mem(address, registers)),
            Kind::MaskedStore { quads, len, address } => {
                let mem = self.mem(address, registers);
                masked_move::store(&mut self.asm, quads, len, mem, [r(0), r(1), r(2)]);
            }
            Kind::MaskedLoad { quads, len, address } => {
                let mem = self.mem(address, registers);
                masked_move::load(&mut self.asm, quads, len, mem, [r(0), r(1), r(2)]);
            }
            Kind::LaneLoop(ref lane_loop) => lane_loop::emit(self, lane_loop, registers),
            Kind::RunGather(ref gather) => run_gather::emit(self, gather, registers),
            Kind::SplitGather(ref gather) => split_gather::emit(&mut self.asm, gather, &r),
            Kind::LaneAccess(access) => {
                let numbers = (0..registers.0.len() as Slot).map(|slot| registers.number(slot)).collect();
                let some = lane_access::emit(&mut self.asm, access, numbers);
                self.behind.extend(some.map(Behind::SomeLanes));
            }
            Kind::FusedCheck(ref check) => self.fused_check(check, registers),
            Kind::ClearPending => pending_atomics::clear(self, r(0), registers.number(1)),
            Kind::Fence => {}
            Kind::Fused(_)
            | Kind::Neon(_)
            | Kind::VectorLoad(..)
            | Kind::VectorStore(..)
            | Kind::VectorConstant(_) => {
                unreachable!("of another processor")
            }
            Kind::FlushPending(table) => pending_atomics::flush(self, table, [r(0), r(1), r(2), r(3)]),
        }
    }

    fn fused_check(&mut self, check: &FusedCheck, registers: Registers<'_>) {
        let count = check.signs.len() as Slot;
        let mut slot = 2 * count + 1;
        let mut operand = |constant: Option<Constant>| match constant {
            Some(constant) => Rm::Mem(Mem::Pool(constant)),
            None => {
                slot += 1;
                self.anywhere(registers, slot - 1)
            }
        };
        let sums = (0..count).zip(check.constants.chunks(3)).map(|(number, constants)| fused::Sum {
            result: registers.number(number),
            operands: [0, 1, 2].map(|row| operand(constants[row])),
        });
        let sums = sums.collect();
        let (suspects, general) = (registers.number(2 * count), registers.number(slot));
        let careful = fused::emit(&mut self.asm, check, sums, suspects, general);
        self.behind.push(Behind::Careful(careful));
    }

    fn streaming_store(&mut self, store: &Vector, dispatch: Gpr, temporary: Gpr, registers: Registers<'_>) {
        let RmSlot::Mem(address) = store.rm else { unreachable!("a store is to memory") };
        let mem = self.mem(address, registers);
        let (value, line) = (registers.number(store.reg), store.len.bytes() as i32);
        let (ordinary, end) = (self.asm.label(), self.asm.label());
        let flag = Mem::base(dispatch, offset::STREAMING as i32);
        self.asm.alu_imm(Alu::Cmp, Size::S32, Rm::Mem(flag), 0);
        self.asm.jump_if(Condition::Equal, ordinary);
        if store.mask != NONE {
            let mask = registers.number(store.mask);
            let test = if store.op == VMOVDQU64_STORE { KORTESTB } else { KORTESTW };
            self.asm.vector(&Evex::new(test, Len::X, mask, 0, Rm::Reg(mask)));
            self.asm.jump_if(Condition::AboveEqual, ordinary);
        }
        self.asm.lea(Size::S64, temporary, mem);
        self.asm.alu_imm(Alu::And, Size::S32, Rm::Reg(temporary), line - 1);
        self.asm.jump_if(Condition::NotEqual, ordinary);
        self.asm.vector(&Evex::new(VMOVNTPS_STORE, store.len, value, 0, Rm::Mem(mem)));
        self.asm.jump(end);
        self.asm.bind(ordinary);
        self.vector(store, registers);
        self.asm.bind(end);
    }

    /// Whether there are neither VEX prefixes nor the instructions on bits that came with them.
    pub(super) fn is_legacy(&self) -> bool {
        self.code.level == Level::Sse41
    }

    /// Zero bits above the highest one bit, or below the lowest.
    fn scan_bits(&mut self, above: bool, size: Size, to: Gpr, from: Gpr) {
        let bits = size.bits() as i32;
        let found = self.asm.label();
        if above {
            self.asm.bsr(size, to, from);
        } else {
            self.asm.bsf(size, to, from);
        }
        self.asm.jump_if(Condition::NotEqual, found);
        self.asm.mov_imm(to, if above { 2 * bits - 1 } else { bits } as u64);
        self.asm.bind(found);
        if above {
            self.asm.alu_imm(Alu::Xor, Size::S32, Rm::Reg(to), bits - 1);
        }
    }

    /// `to` = the number of the lowest one bit, of which there is one.
    pub(super) fn lowest_bit(&mut self, to: Gpr, from: Gpr) {
        match self.is_legacy() {
            true => self.asm.bsf(Size::S64, to, from),
            false => self.asm.tzcnt(Size::S64, to, Rm::Reg(from)),
        }
    }

    /// Clears the lowest one bit; the zero flag says whether none is left. May change `temporary`.
    pub(super) fn clear_lowest_bit(&mut self, register: Gpr, temporary: Gpr) {
        if !self.is_legacy() {
            return self.asm.blsr(Size::S64, register, register);
        }
        self.asm.lea(Size::S64, temporary, Mem::base(register, -1));
        self.asm.alu(Alu::And, Size::S64, register, Rm::Reg(temporary));
    }

    fn compare_imm(&mut self, size: Size, register: Gpr, value: i32, condition: Condition) {
        if value == 0 && matches!(condition, Condition::Equal | Condition::NotEqual) {
            self.asm.test(size, register, register);
        } else {
            self.asm.alu_imm(Alu::Cmp, size, Rm::Reg(register), value);
        }
    }

    /// The register becomes 1 where the condition holds, else 0.
    fn set(&mut self, condition: Condition, to: Gpr) {
        self.asm.setcc(condition, to);
        self.asm.movzx(8, to, Rm::Reg(to));
    }

    /// The helper's address is a constant, filled in when the code is loaded: the only bytes that depend on
    /// the process.
    fn call_helper(&mut self, helper: Helper) {
        let known = self.helpers.iter().find(|known| known.1 == helper);
        let address = match known {
            Some(&(address, _)) => address,
            None => {
                let address = self.asm.data(&[0; 8], 8);
                self.helpers.push((address, helper));
                address
            }
        };
        self.asm.vzeroupper();
        self.asm.call(Rm::Mem(Mem::Pool(address)));
    }

    /// Between a general register and the low element of a vector register.
    pub(super) fn load_low(&mut self, vector: u8, general: Gpr) {
        self.asm.vector(&Evex::new(VMOVQ_TO, Len::X, vector, 0, Rm::Reg(general)));
    }

    /// The other way.
    pub(super) fn store_low(&mut self, general: Gpr, vector: u8) {
        self.asm.vector(&Evex::new(VMOVQ_FROM, Len::X, vector, 0, Rm::Reg(general)));
    }
}

/// The registers of one instruction's operands.
#[derive(Clone, Copy)]
pub(super) struct Registers<'a>(&'a [Allocation]);

impl Registers<'_> {
    /// The number of the register at a position.
    pub(super) fn number(self, slot: Slot) -> u8 {
        self.0[usize::from(slot)].as_reg().expect("all operands are in registers").hw_enc() as u8
    }
}
