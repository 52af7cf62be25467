//! AVX-512 code over virtual registers to code for AVX2: the same selection serves both levels.
//!
//! * A vector register of 512 bits becomes two of 256, its *parts*; shorter ones stay one, and what would be
//!   their second part is zero.
//! * A mask register becomes vectors of eight 32-bit lanes, all ones or all zeros, as many as the subgroup
//!   fills: comparisons give them and selections take them. Masks of wider and narrower elements are made
//!   from these where they are needed.
//! * An instruction that AVX2 lacks becomes a sequence of the same results, in all lanes that may be looked
//!   at.
//! * What no one needs after all (second parts of short vectors, lanes past the subgroup) is removed at the
//!   end.
//!
//! Results are made as new registers, and what the old code calls them is replaced at the end: so a copy, a
//! mask shifted by whole vectors, or the upper half of a register costs nothing.

mod convert;
mod finish;
mod integer;
mod mask;
mod memory;
mod rearrange;

use crate::asm::op::*;
use crate::asm::op::{Prefix, Tuple};
use crate::asm::{Assembler, Constant, Len, Rounding, VOp};
use crate::cpu::{Features, Level};
use crate::machine::inst::{GENERAL, MASK, RmSlot, Slot, VECTOR};
use crate::machine::{Address, AddressBase, Code, Inst, Kind, NONE, Operands, Vector};
use crate::select::Unsupported;
use crate::select::vector::{Base, Memory, Source, Spec};
use pyro_ir::SourceLoc;
use regalloc2::{Operand, OperandKind, VReg};
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};

/// Bytes of the frame that copies of registers may take before they are given up.
const SPILLED_BYTES_MAX: u32 = 8 << 10;

/// Parts of one operand.
type Parts = SmallVec<[VReg; 8]>;

/// The code of AVX2 that does what `old`, made for AVX-512, does on subgroups of `lanes` lanes.
///
/// # Errors
/// An instruction that there is no sequence for.
pub(crate) fn run(
    old: &Code,
    lanes: u32,
    features: Features,
    asm: &mut Assembler,
) -> Result<Code, Unsupported> {
    let new = Code {
        blocks: old.blocks.clone(),
        vreg_count: old.vreg_count,
        frame_bytes: old.frame_bytes,
        level: Level::Avx2,
        ..Code::default()
    };
    let mut legalizer = Legalizer {
        old,
        new,
        asm,
        mask_parts: mask_lanes(old, lanes).div_ceil(8) as usize,
        lanes,
        splits_moves: features.microcoded_moves,
        names: vec![None; old.vreg_count],
        replaced: Vec::new(),
        immediates: HashMap::new(),
        indices: HashMap::new(),
        scalar_masks: HashSet::new(),
        complements: HashMap::new(),
        whole: HashSet::new(),
        full: HashSet::new(),
        masks: HashMap::new(),
        spilled: HashMap::new(),
        bits: HashMap::new(),
        frame_top: 0,
        broadcast: None,
        loc: SourceLoc::default(),
    };
    for index in 0..old.blocks.len() {
        legalizer.block(index)?;
    }
    Ok(legalizer.finish())
}

/// Lanes that masks have: those of the subgroup, or more where a mask of several registers is taken apart.
fn mask_lanes(code: &Code, lanes: u32) -> u32 {
    let shifted = code.insts.iter().filter_map(|inst| match &inst.kind {
        Kind::Vector(vector) if vector.op == KSHIFTRQ => vector.imm,
        _ => None,
    });
    // What is left has at most the 16 lanes of a register of words.
    let most = shifted.max().map_or(0, |count| u32::from(count) + 16);
    lanes.max(most.min(64))
}

/// State of the legalization of one function.
struct Legalizer<'a> {
    old: &'a Code,
    new: Code,
    asm: &'a mut Assembler,
    lanes: u32,
    /// Masked loads and gathers are slow: see [`Features::microcoded_moves`].
    splits_moves: bool,
    /// Vectors that a mask takes.
    mask_parts: usize,
    /// The first of the new registers that stand for an old one: a mask's parts, a vector's second part.
    names: Vec<Option<VReg>>,
    /// By new register: which one it is.
    replaced: Vec<Option<VReg>>,
    /// General registers that hold constants.
    immediates: HashMap<VReg, u64>,
    /// Vector registers of the old code that were loaded from the pool.
    indices: HashMap<VReg, (Constant, Len)>,
    /// Masks of one comparison of low elements.
    scalar_masks: HashSet<VReg>,
    /// Parts of masks that are complements, and of what.
    complements: HashMap<VReg, VReg>,
    /// Vectors of 32-bit lanes that are all ones or all zeros.
    whole: HashSet<VReg>,
    /// Those that are all ones.
    full: HashSet<VReg>,
    /// Masks of other element widths made in this block: by the mask, bytes of an element and part.
    masks: HashMap<(VReg, u32, usize), VReg>,
    /// Registers that lie in the frame, in this block.
    spilled: HashMap<(VReg, Len), i32>,
    /// The bits of masks, in this block.
    bits: HashMap<Parts, VReg>,
    /// Where the next temporary in the frame goes.
    frame_top: u32,
    /// The memory operand of the current instruction, in all lanes.
    broadcast: Option<VReg>,
    loc: SourceLoc,
}

/// A vector instruction of the old code with its registers.
struct Old<'a> {
    inst: &'a Vector,
    operands: &'a [Operand],
}

impl Old<'_> {
    fn register(&self, slot: Slot) -> VReg {
        self.operands[usize::from(slot)].vreg()
    }

    /// The result, if there is one.
    fn result(&self) -> Option<VReg> {
        self.operands
            .first()
            .filter(|operand| operand.kind() == OperandKind::Def)
            .map(|operand| operand.vreg())
    }

    /// What the result's register holds before.
    fn tied(&self) -> Option<VReg> {
        let reuses = self
            .operands
            .first()
            .is_some_and(|operand| matches!(operand.constraint(), regalloc2::OperandConstraint::Reuse(1)));
        reuses.then(|| self.register(1))
    }

    fn mask(&self) -> Option<VReg> {
        (self.inst.mask != NONE).then(|| self.register(self.inst.mask))
    }

    /// The register in vvvv.
    fn first(&self) -> VReg {
        self.register(self.inst.vvvv)
    }

    /// The register in ModRM.rm.
    fn rm_register(&self) -> Option<VReg> {
        match self.inst.rm {
            RmSlot::Reg(slot) => Some(self.register(slot)),
            RmSlot::Mem(_) => None,
        }
    }

    fn memory_address(&self) -> Option<Memory> {
        match self.inst.rm {
            RmSlot::Mem(address) => Some(self.memory(address)),
            RmSlot::Reg(_) => None,
        }
    }

    fn memory(&self, address: Address) -> Memory {
        let base = match address.base {
            AddressBase::Operand(slot) => Base::Register(self.register(slot)),
            AddressBase::Pool(constant) => Base::Pool(constant),
            AddressBase::Frame => Base::Frame,
        };
        let index = (address.index != NONE).then(|| self.register(address.index));
        Memory { base, index, shift: address.shift, displacement: address.displacement }
    }

    /// The one operand is the result's register, whatever it holds.
    fn is_from_nothing(&self) -> bool {
        self.operands.len() == 1 && self.inst.rm == RmSlot::Reg(0) && self.inst.vvvv == 0
    }

    /// How many registers a vector takes, and how long they are.
    fn parts(&self) -> (usize, Len) {
        parts(self.inst.len)
    }
}

/// Registers of a vector, and how long they are.
fn parts(len: Len) -> (usize, Len) {
    if len == Len::Z { (2, Len::Y) } else { (1, len) }
}

/// The place `bytes` bytes further, also in the pool.
fn further(memory: Memory, bytes: u32) -> Memory {
    match memory.base {
        Base::Pool(constant) => Memory { base: Base::Pool(constant.plus(bytes)), ..memory },
        _ => memory.plus(bytes as i32),
    }
}

impl Legalizer<'_> {
    fn block(&mut self, index: usize) -> Result<(), Unsupported> {
        let old = self.old;
        let data = &old.blocks[index];
        let params = self.expand(&data.params);
        let arguments = data.arguments.iter().map(|arguments| self.expand(arguments)).collect();
        self.masks.clear();
        self.spilled.clear();
        self.bits.clear();
        self.frame_top = old.frame_bytes.next_multiple_of(64);
        let start = self.new.insts.len() as u32;
        for inst in &old.insts[data.start as usize..data.end as usize] {
            self.inst(inst)?;
        }
        let end = self.new.insts.len() as u32;
        let new = &mut self.new.blocks[index];
        (new.params, new.arguments, new.start, new.end) = (params, arguments, start, end);
        Ok(())
    }

    /// All new registers for each old one.
    fn expand(&mut self, registers: &[VReg]) -> Vec<VReg> {
        let mut all = Vec::with_capacity(registers.len() * 2);
        for &register in registers {
            match register.class() {
                GENERAL => all.push(register),
                VECTOR => all.extend([register, self.part(register, 1)]),
                MASK => all.extend(self.mask_vectors(register)),
            }
        }
        all
    }

    fn inst(&mut self, inst: &Inst) -> Result<(), Unsupported> {
        self.loc = inst.loc;
        self.broadcast = None;
        let base = self.old.frame_bytes.next_multiple_of(64);
        if self.frame_top > base + SPILLED_BYTES_MAX {
            self.spilled.clear();
            self.frame_top = base;
        }
        let operands = &self.old.operands[inst.start as usize..inst.end as usize];
        match &inst.kind {
            // Half a line at a time would not pass by the caches any faster.
            Kind::Vector(vector) | Kind::StreamingStore { store: vector, .. } => {
                self.vector_inst(&Old { inst: vector, operands })?;
            }
            kind => {
                if let Kind::Imm(value) = *kind {
                    self.immediates.insert(operands[0].vreg(), value);
                }
                debug_assert!(operands.iter().all(|operand| operand.class() != MASK), "{kind:?}");
                self.new.push(kind.clone(), operands, self.loc);
            }
        }
        Ok(())
    }

    /// New registers that stand for an old one beside itself.
    fn names(&mut self, register: VReg, count: usize) -> VReg {
        if let Some(first) = self.names[register.vreg()] {
            return first;
        }
        let first = self.new.vreg(VECTOR);
        for _ in 1..count {
            self.new.vreg(VECTOR);
        }
        self.names[register.vreg()] = Some(first);
        first
    }

    /// One part of an old vector register.
    fn part(&mut self, register: VReg, part: usize) -> VReg {
        debug_assert_eq!(register.class(), VECTOR);
        let name = if part == 0 { register } else { self.names(register, 1) };
        self.known(name)
    }

    /// What a register is, if that is said already.
    fn known(&self, mut register: VReg) -> VReg {
        while let Some(&Some(by)) = self.replaced.get(register.vreg()) {
            register = by;
        }
        register
    }

    /// Says which new registers an old vector register is.
    fn define(&mut self, old: VReg, parts: &[VReg]) {
        debug_assert_eq!(old.class(), VECTOR);
        let upper = match parts.get(1) {
            Some(&upper) => upper,
            None => self.zero(),
        };
        let name = self.names(old, 1);
        self.replace(old, parts[0]);
        self.replace(name, upper);
    }

    fn replace(&mut self, name: VReg, by: VReg) {
        if self.replaced.len() <= name.vreg() {
            self.replaced.resize(name.vreg() + 1, None);
        }
        self.replaced[name.vreg()] = Some(by);
    }

    /// Makes a vector instruction.
    fn emit(&mut self, spec: Spec) -> VReg {
        let to = self.new.vreg(spec.result_class());
        let (inst, operands) = spec.instruction(to);
        self.new.push(Kind::Vector(inst), &operands, self.loc);
        to
    }

    fn v1(&mut self, op: VOp, len: Len, a: impl Into<Source>) -> VReg {
        self.emit(Spec::unary(op, len, a))
    }

    fn v1_imm(&mut self, op: VOp, len: Len, a: impl Into<Source>, imm: u8) -> VReg {
        self.emit(Spec::unary(op, len, a).imm(imm))
    }

    fn v2(&mut self, op: VOp, len: Len, a: VReg, b: impl Into<Source>) -> VReg {
        self.emit(Spec::binary(op, len, a, b))
    }

    fn v2_imm(&mut self, op: VOp, len: Len, a: VReg, b: impl Into<Source>, imm: u8) -> VReg {
        self.emit(Spec::binary(op, len, a, b).imm(imm))
    }

    /// A shift by a constant: 2 right with zeros, 4 right with the sign, 6 left.
    fn shift(&mut self, op: VOp, extension: u8, len: Len, a: VReg, count: u8) -> VReg {
        self.emit(Spec::unary(op, len, a).extension(extension).imm(count))
    }

    /// An operation of a register with itself, whatever it holds.
    fn made_from_nothing(&mut self, op: VOp, len: Len) -> VReg {
        let to = self.new.vreg(VECTOR);
        let inst = Vector::new(op, len, 0, 0, RmSlot::Reg(0));
        self.new.push(Kind::Vector(inst), &[Operand::reg_def(to)], self.loc);
        to
    }

    fn zero(&mut self) -> VReg {
        self.made_from_nothing(VPXORD, Len::X)
    }

    fn ones(&mut self) -> VReg {
        let ones = self.made_from_nothing(VPCMPEQD, Len::Y);
        self.full.insert(ones);
        ones
    }

    /// A constant of 32 bytes: these over and over.
    fn pool(&mut self, bytes: &[u8]) -> Source {
        let all: Vec<u8> = bytes.iter().copied().cycle().take(32).collect();
        Source::Memory(Memory::pool(self.asm.constant(&all)))
    }

    fn pool32(&mut self, value: u32) -> Source {
        self.pool(&value.to_le_bytes())
    }

    fn pool64(&mut self, value: u64) -> Source {
        self.pool(&value.to_le_bytes())
    }

    /// Eight 32-bit numbers.
    fn pool_words(&mut self, f: impl Fn(u32) -> u32) -> Source {
        let bytes: Vec<u8> = (0..8).flat_map(|lane| f(lane).to_le_bytes()).collect();
        self.pool(&bytes)
    }

    /// A source in a register.
    fn in_register(&mut self, source: Source, len: Len) -> VReg {
        match source {
            Source::Reg(register) => register,
            source => self.v1(VMOVUPS, len, source),
        }
    }

    /// The lower half of 256 bits, or the upper one.
    fn half(&mut self, register: VReg, upper: bool) -> VReg {
        if !upper {
            return register;
        }
        self.emit(Spec::unary(VEXTRACTI128, Len::Y, register).reversed().imm(1))
    }

    /// Two halves of 128 bits.
    fn halves(&mut self, low: VReg, high: VReg) -> VReg {
        self.v2_imm(VINSERTI128, Len::Y, low, high, 1)
    }

    /// `mask ? then : otherwise`, elements of `bytes` bytes; the mask is of that width.
    fn blend(&mut self, bytes: u32, len: Len, otherwise: VReg, then: impl Into<Source>, mask: VReg) -> VReg {
        let op = match bytes {
            8 => VBLENDVPD,
            4 => VBLENDVPS,
            _ => VPBLENDVB,
        };
        if let Some(&original) = self.complements.get(&mask) {
            let then = self.in_register(then.into(), len);
            return self.emit(Spec::binary(op, len, then, otherwise).fourth(original));
        }
        self.emit(Spec::binary(op, len, otherwise, then).fourth(mask))
    }

    /// `value` where the mask is set, else zero.
    fn keep(&mut self, len: Len, value: VReg, mask: VReg) -> VReg {
        match self.complements.get(&mask) {
            Some(&original) => self.v2(VPANDND, len, original, value),
            None => self.v2(VPANDD, len, mask, value),
        }
    }

    /// One part of the operand in ModRM.rm, of an operation that works on elements of one width.
    fn rm(&mut self, old: &Old<'_>, part: usize, len: Len) -> Source {
        let address = match old.inst.rm {
            RmSlot::Reg(slot) => return Source::Reg(self.part(old.register(slot), part)),
            RmSlot::Mem(address) => address,
        };
        let memory = old.memory(address);
        if !old.inst.broadcast {
            return Source::Memory(further(memory, part as u32 * 32));
        }
        let bytes = old.inst.op.element();
        if let Base::Pool(constant) = memory.base {
            let element = self.asm.constant_bytes(constant, bytes as usize).to_vec();
            return self.pool(&element);
        }
        if let Some(register) = self.broadcast {
            return Source::Reg(register);
        }
        let op = if bytes == 8 { VPBROADCASTQ } else { VBROADCASTSS };
        let register = self.v1(op, len, Source::Memory(memory));
        self.broadcast = Some(register);
        Source::Reg(register)
    }

    /// One part of a register operand.
    fn rm_part(&mut self, old: &Old<'_>, part: usize, len: Len) -> VReg {
        let source = self.rm(old, part, len);
        self.in_register(source, len)
    }

    /// Applies the write mask of an operation on elements of `bytes` bytes to its results.
    fn under_mask(&mut self, old: &Old<'_>, bytes: u32, results: &mut [VReg], len: Len) {
        let Some(mask) = old.mask() else { return };
        for (index, result) in results.iter_mut().enumerate() {
            let mask = self.mask_of_width(mask, bytes, index, len);
            *result = match old.tied() {
                Some(tied) if !old.inst.zero => {
                    let tied = self.part(tied, index);
                    self.blend(bytes, len, tied, *result, mask)
                }
                _ => self.keep(len, *result, mask),
            };
        }
    }

    /// For each part: `f(part, length)`, under the mask; defines the result.
    fn each(&mut self, old: &Old<'_>, bytes: u32, mut f: impl FnMut(&mut Self, usize, Len) -> VReg) {
        let (count, len) = old.parts();
        let mut results: Parts = (0..count).map(|part| f(self, part, len)).collect();
        self.under_mask(old, bytes, &mut results, len);
        self.define(old.result().expect("has a result"), &results);
    }

    /// `f(a, b)` for each part of the two operands.
    fn each_pair(
        &mut self,
        old: &Old<'_>,
        bytes: u32,
        mut f: impl FnMut(&mut Self, Len, VReg, VReg) -> VReg,
    ) {
        self.each(old, bytes, |this, part, len| {
            let a = this.part(old.first(), part);
            let b = this.rm_part(old, part, len);
            f(this, len, a, b)
        });
    }

    /// `f(a)` for each part of the operand.
    fn each_one(&mut self, old: &Old<'_>, bytes: u32, mut f: impl FnMut(&mut Self, Len, VReg) -> VReg) {
        self.each(old, bytes, |this, part, len| {
            let a = this.rm_part(old, part, len);
            f(this, len, a)
        });
    }

    /// The instruction as it is, or on both parts.
    fn elementwise(&mut self, old: &Old<'_>, op: VOp) {
        let bytes = op.element();
        let inst = old.inst;
        if old.is_from_nothing() {
            let (_, len) = old.parts();
            let register = self.made_from_nothing(op, len);
            return self.define(old.operands[0].vreg(), &[register, register]);
        }
        self.each(old, bytes, |this, part, len| {
            let source = this.rm(old, part, len);
            let mut spec = Spec::unary(op, len, source);
            if inst.reg == NONE {
                spec = spec.extension(inst.extension);
            } else if inst.vvvv != NONE {
                let a = this.part(old.first(), part);
                spec = Spec::binary(op, len, a, source);
            }
            if let Some(imm) = inst.imm {
                spec = spec.imm(imm);
            }
            if let Some(tied) = old.tied()
                && is_accumulating(op)
            {
                spec = spec.tied(this.part(tied, part));
            }
            this.emit(spec)
        });
    }

    /// The instruction with other registers and without parts: general registers take part.
    fn unchanged(&mut self, old: &Old<'_>) {
        let operands: Operands = old.operands.iter().copied().collect();
        if let Some(result) = old.result()
            && result.class() == VECTOR
        {
            let to = self.new.vreg(VECTOR);
            let mut operands = operands;
            let first = operands[0];
            operands[0] = Operand::new(to, first.constraint(), first.kind(), first.pos());
            self.new.push(Kind::Vector(*old.inst), &operands, self.loc);
            return self.define(result, &[to]);
        }
        self.new.push(Kind::Vector(*old.inst), &operands, self.loc);
    }
}

impl Legalizer<'_> {
    fn vector_inst(&mut self, old: &Old<'_>) -> Result<(), Unsupported> {
        let inst = old.inst;
        let op = inst.op;
        match op {
            KMOVQ | KMOVQ_TO | KMOVQ_FROM | KMOVD_FROM | KMOVW_FROM | KMOVB_FROM | KANDQ | KANDNQ | KNOTQ
            | KORQ | KXNORQ | KXORQ | KUNPCKBW | KUNPCKWD | KUNPCKDQ | KSHIFTRQ => {
                return self.mask_inst(old);
            }
            VMOVUPS | VMOVAPS | VMOVDQU8 | VMOVDQU16 | VMOVDQU32 | VMOVDQU64 => {
                let bytes = match op {
                    VMOVDQU8 => 1,
                    VMOVDQU16 => 2,
                    VMOVDQU64 => 8,
                    _ => 4,
                };
                if inst.mask != NONE && old.rm_register().is_none() {
                    return self.masked_load(old, bytes);
                }
                self.note_index(old);
                self.move_inst(old, bytes);
                return Ok(());
            }
            VMOVUPS_STORE | VMOVAPS_STORE | VMOVDQU32_STORE => return self.store(old, 4),
            VMOVDQU8_STORE => return self.store(old, 1),
            VMOVDQU16_STORE => return self.store(old, 2),
            VMOVDQU64_STORE => return self.store(old, 8),
            VPMOVM2B | VPMOVM2W | VPMOVM2D | VPMOVM2Q => {
                let bytes = match op {
                    VPMOVM2B => 1,
                    VPMOVM2W => 2,
                    VPMOVM2D => 4,
                    _ => 8,
                };
                self.mask_to_vector(old, bytes);
                return Ok(());
            }
            VPMOVD2M => {
                self.vector_to_mask(old);
                return Ok(());
            }
            VPBLENDMB | VPBLENDMW | VPBLENDMD | VPBLENDMQ => {
                let bytes = match op {
                    VPBLENDMB => 1,
                    VPBLENDMW => 2,
                    VPBLENDMD => 4,
                    _ => 8,
                };
                self.blend_inst(old, bytes);
                return Ok(());
            }
            VPCMPB | VPCMPUB | VPCMPW | VPCMPUW | VPCMPD | VPCMPUD | VPCMPQ | VPCMPUQ | VCMPPS | VCMPPD
            | VCMPSS | VCMPSD | VPTESTMD => return self.comparison(old),
            VPGATHERDD | VPGATHERDQ | VPGATHERQD | VPGATHERQQ => return self.gather(old),
            VPSCATTERDD | VPSCATTERDQ | VPSCATTERQD | VPSCATTERQQ => return self.scatter(old),
            _ => {}
        }
        if self.convert(old)? || self.integer(old)? || self.rearrange(old)? {
            return Ok(());
        }
        if inst.rounding != Rounding::Default || op.prefix == Prefix::Evex {
            return Err(self.unsupported(old));
        }
        // What takes or gives one element, or works on general registers.
        let scalar = matches!(op.tuple, Tuple::Scalar(_)) || matches!(op.prefix, Prefix::Vex(_));
        let arithmetic = matches!(op.tuple, Tuple::Full | Tuple::FullMem);
        match (scalar, arithmetic) {
            (true, _) if inst.mask == NONE => self.unchanged(old),
            // Widths below 32 bits do not show in the table.
            (_, true) if inst.mask == NONE || op.tuple == Tuple::Full => self.elementwise(old, op),
            _ => return Err(self.unsupported(old)),
        }
        Ok(())
    }
}

/// Whether its result's register is an operand: a fused multiply-add, with any signs, or a product of VNNI.
fn is_accumulating(op: VOp) -> bool {
    let is_fused = op.map == 2 && matches!(op.opcode >> 4, 0x9..=0xb) && op.opcode & 0xf >= 6;
    is_fused || matches!(op, VPDPBUSD_AVX | VPDPBUSDS_AVX | VPDPWSSD_AVX | VPDPWSSDS_AVX)
}
