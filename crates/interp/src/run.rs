//! Runs decoded steps.

use crate::code::{Access, Code, Edge, End, LaneOperand, Register, Step};
use pyro_abi::{Exit, memory};
use pyro_ir::{Opcode, Scalar, eval};
use std::cell::RefCell;
use std::sync::OnceLock;
use std::time::Instant;

/// The most lanes of a subgroup.
const LANES_MAX: usize = 64;

thread_local! {
    /// The register file, kept for the next call. Values are written before they are read, so it is not
    /// cleared.
    static REGISTERS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Nanoseconds since the first call.
fn clock() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

struct Machine<'r> {
    registers: &'r mut [u64],
    lanes: usize,
    /// The bits of all lanes.
    all: u64,
    args: [u64; 2],
}

/// Runs `code` until it returns, or for `step_limit` steps.
///
/// # Safety
/// The contract of [`pyro_abi::Kernel::run`] for the records at the two addresses.
#[allow(unsafe_code)]
pub(crate) unsafe fn run(code: &Code, dispatch: u64, subgroup: u64, step_limit: u64) -> Exit {
    REGISTERS.with_borrow_mut(|registers| {
        if registers.len() < code.register_count {
            registers.resize(code.register_count, 0);
        }
        let mut machine = Machine {
            registers,
            lanes: code.lanes as usize,
            all: u64::MAX >> (64 - code.lanes),
            args: [dispatch, subgroup],
        };
        let mut block = &code.blocks[0];
        let mut left = step_limit;
        loop {
            left = match left.checked_sub(block.steps.len() as u64 + 1) {
                Some(left) => left,
                None => return Exit::Aborted,
            };
            for step in &block.steps {
                // SAFETY: the caller's contract; addresses come from the IR, whose accesses are in bounds or
                // the application's promise.
                unsafe { machine.step(step) };
            }
            let edge = match &block.end {
                End::Jump(edge) => edge,
                End::Branch { condition, then, otherwise } => {
                    if machine.word(*condition) != 0 {
                        then
                    } else {
                        otherwise
                    }
                }
                End::Switch { selector, cases, default } => {
                    let selector = machine.word(*selector);
                    cases.iter().find(|(literal, _)| *literal == selector).map_or(default, |(_, edge)| edge)
                }
                End::Return(code) => return Exit::from_code(*code).unwrap_or(Exit::Aborted),
                End::Unreachable => return Exit::Aborted,
            };
            machine.take(edge);
            block = &code.blocks[edge.block as usize];
        }
    })
}

impl Machine<'_> {
    fn word(&self, register: Register) -> u64 {
        self.registers[register as usize]
    }

    fn words(&self, register: Register, count: usize) -> &[u64] {
        &self.registers[register as usize..][..count]
    }

    fn set(&mut self, register: Register, word: u64) {
        self.registers[register as usize] = word;
    }

    fn set_words(&mut self, register: Register, words: &[u64]) {
        self.registers[register as usize..][..words.len()].copy_from_slice(words);
    }

    /// Copies the values of an edge to the target's parameters, as if all at once.
    fn take(&mut self, edge: &Edge) {
        if !edge.overlaps {
            for &(to, from, count) in &edge.moves {
                self.registers.copy_within(from as usize..(from + count) as usize, to as usize);
            }
            return;
        }
        let mut held = Vec::new();
        for &(_, from, count) in &edge.moves {
            held.extend_from_slice(self.words(from, count as usize));
        }
        let mut rest = &held[..];
        for &(to, _, count) in &edge.moves {
            let (words, others) = rest.split_at(count as usize);
            self.set_words(to, words);
            rest = others;
        }
    }

    fn operand(&self, operand: LaneOperand, lane: usize) -> u64 {
        self.registers[operand.register as usize + operand.stride as usize * lane]
    }

    fn address(&self, access: &Access, lane: usize) -> u64 {
        self.operand(access.base, lane)
            .wrapping_add(self.operand(access.offset, lane))
            .wrapping_add(access.displacement)
    }

    /// # Safety
    /// The addresses of the lanes whose predicate holds must be valid for the access.
    #[allow(unsafe_code)]
    unsafe fn step(&mut self, step: &Step) {
        let mut out = [0u64; LANES_MAX];
        match step {
            Step::Pure { function, dst, args, count } => {
                let count = *count as usize;
                let [a, b, c] = args.map(|arg| self.words(arg, count));
                function(&mut out[..count], a, b, c);
                self.set_words(*dst, &out[..count]);
            }
            Step::Reference { op, from, to, imm, dst, args, count } => {
                for (lane, word) in out[..*count as usize].iter_mut().enumerate() {
                    let mut bits = [0u64; 3];
                    for (bits, &arg) in bits.iter_mut().zip(args) {
                        *bits = self.registers[arg as usize + lane];
                    }
                    *word = eval::pure(*op, *from, *to, &bits[..args.len()], *imm).unwrap_or(0);
                }
                // A comparison that has no function of its own still gives a mask.
                if *to == Scalar::I1 && *count > 1 {
                    let mask = (0..*count as usize).fold(0, |mask, lane| mask | (out[lane] & 1) << lane);
                    self.set(*dst, mask);
                } else {
                    self.set_words(*dst, &out[..*count as usize]);
                }
            }
            Step::Compare { function, dst, args, count } => {
                let count = *count as usize;
                let [a, b] = args.map(|arg| self.words(arg, count));
                function(&mut out[..count], a, b, b);
                let mask = out[..count].iter().rev().fold(0, |mask, bit| mask << 1 | bit);
                self.set(*dst, mask);
            }
            Step::Select { mask, then, otherwise, dst, count } => {
                let count = *count as usize;
                let mask = self.word(*mask);
                let pairs = self.words(*then, count).iter().zip(self.words(*otherwise, count));
                for (lane, (word, (&then, &otherwise))) in out.iter_mut().zip(pairs).enumerate() {
                    *word = if mask >> lane & 1 != 0 { then } else { otherwise };
                }
                self.set_words(*dst, &out[..count]);
            }
            Step::Expand { mask, word, dst } => {
                let mask = self.word(*mask);
                for (lane, out) in out[..self.lanes].iter_mut().enumerate() {
                    *out = if mask >> lane & 1 != 0 { *word } else { 0 };
                }
                self.set_words(*dst, &out[..self.lanes]);
            }
            Step::Mask { op, dst, a, b } => {
                let (a, b) = (self.word(*a), self.word(*b));
                let bits = match op {
                    Opcode::And => a & b,
                    Opcode::Or => a | b,
                    Opcode::Xor | Opcode::INe => a ^ b,
                    Opcode::AndNot => a & !b,
                    Opcode::Not => !a,
                    Opcode::IEq => !(a ^ b),
                    // False is less than true, and -1 (true, signed) less than 0.
                    Opcode::ULt => !a & b,
                    Opcode::ULe => !a | b,
                    Opcode::SLt => a & !b,
                    Opcode::SLe => a | !b,
                    _ => 0,
                };
                self.set(*dst, bits & self.all);
            }
            Step::Constant { dst, bits } => self.set(*dst, *bits),
            Step::Arg { dst, index } => self.set(*dst, self.args[*index as usize]),
            Step::LaneId { dst } => {
                for (lane, word) in out.iter_mut().enumerate() {
                    *word = lane as u64;
                }
                self.set_words(*dst, &out[..self.lanes]);
            }
            Step::Clock { dst } => self.set(*dst, clock()),
            Step::Splat { dst, src } => {
                let word = self.word(*src);
                self.registers[*dst as usize..][..self.lanes].fill(word);
            }
            Step::SplatMask { dst, src } => {
                let bits = if self.word(*src) & 1 != 0 { self.all } else { 0 };
                self.set(*dst, bits);
            }
            Step::Any { dst, mask } => self.set(*dst, (self.word(*mask) != 0).into()),
            Step::Bits { dst, src } => self.set(*dst, self.word(*src) & self.all),
            Step::LaneRead { dst, src, index } => {
                let lane = self.word(*index) as usize % self.lanes;
                self.set(*dst, self.registers[*src as usize + lane]);
            }
            Step::LaneReadMask { dst, src, index } => {
                let lane = self.word(*index) as usize % self.lanes;
                self.set(*dst, self.word(*src) >> lane & 1);
            }
            Step::Shuffle { dst, src, index } => {
                let source = self.words(*src, self.lanes);
                for (word, &index) in out.iter_mut().zip(self.words(*index, self.lanes)) {
                    *word = source[index as usize % self.lanes];
                }
                self.set_words(*dst, &out[..self.lanes]);
            }
            Step::ShuffleMask { dst, src, index } => {
                let source = self.word(*src);
                let indices = self.words(*index, self.lanes).iter().enumerate();
                let mask = indices.fold(0, |mask, (lane, &index)| {
                    mask | (source >> (index as usize % self.lanes) & 1) << lane
                });
                self.set(*dst, mask);
            }
            Step::Load { access, dst } => {
                let mask = self.word(access.predicate);
                let count = access.lane_count as usize;
                for (lane, word) in out[..count].iter_mut().enumerate() {
                    if mask >> lane & 1 != 0 {
                        // SAFETY: the caller's contract.
                        *word = unsafe { memory::load(self.address(access, lane), access.bytes) };
                    }
                }
                self.set_words(*dst, &out[..count]);
            }
            Step::Store { access, value } => {
                let mask = self.word(access.predicate);
                for lane in 0..access.lane_count as usize {
                    if mask >> lane & 1 != 0 {
                        let word = self.registers[*value as usize + lane];
                        // SAFETY: the caller's contract.
                        unsafe { memory::store(self.address(access, lane), access.bytes, word) };
                    }
                }
            }
            Step::Atomic { op, scalar, access, comparator, value, dst } => {
                let mask = self.word(access.predicate);
                let count = access.lane_count as usize;
                for (lane, word) in out[..count].iter_mut().enumerate() {
                    if mask >> lane & 1 != 0 {
                        let operand = self.registers[*value as usize + lane];
                        let comparator = self.registers[*comparator as usize + lane];
                        let new = |old| updated(*op, *scalar, old, comparator, operand);
                        // SAFETY: the caller's contract.
                        *word = unsafe { memory::update(self.address(access, lane), access.bytes, new) };
                    }
                }
                self.set_words(*dst, &out[..count]);
            }
            Step::Fence => std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst),
        }
    }
}

/// What memory holds after an atomic operation.
fn updated(op: Opcode, scalar: Scalar, old: u64, comparator: u64, value: u64) -> u64 {
    match op {
        Opcode::AtomicCompareExchange if old == comparator => value,
        Opcode::AtomicCompareExchange => old,
        _ => eval::atomic(op, scalar, old, value).unwrap_or(old),
    }
}
