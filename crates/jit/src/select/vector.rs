//! Construction of vector and mask instructions: operands, broadcasts, masks and constants.

use super::{RegisterTiling, Registers, Selector};
use crate::asm::op::{
    KANDNQ, KANDQ, KMOVQ, KMOVQ_FROM, KMOVQ_TO, KNOTQ, KORQ, KSHIFTRQ, KUNPCKBW, KUNPCKDQ, KUNPCKWD, KXNORQ,
    KXORQ, VEXTRACTF32X4, VEXTRACTF64X4, VINSERTF32X4, VINSERTF64X4, VMOVAPS, VMOVAPS_STORE, VMOVD_TO,
    VMOVUPS, VOp, VPBROADCASTB, VPBROADCASTD, VPBROADCASTQ, VPBROADCASTW, VPSRLDQ_IMM, VPTERNLOGD,
    VPUNPCKLQDQ, VPXORD,
};
use crate::asm::{Constant, Len, Rounding};
use crate::cpu::Level;
use crate::machine::inst::{GENERAL, MASK, RmSlot, VECTOR};
use crate::machine::{Address, AddressBase, Kind, NONE, Operands, Vector};
use pyro_ir::{Scalar, Value};
use regalloc2::{Operand, OperandConstraint, OperandKind, OperandPos, RegClass, VReg};

/// An operand that may be memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// A register.
    Reg(VReg),
    /// One element of the pool, broadcast.
    Broadcast(Constant),
    /// One element of memory, broadcast.
    BroadcastMemory(Memory),
    /// Memory.
    Memory(Memory),
}

impl From<VReg> for Source {
    fn from(register: VReg) -> Source {
        Source::Reg(register)
    }
}

/// A memory operand over virtual registers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Memory {
    pub base: Base,
    /// A general or vector register.
    pub index: Option<VReg>,
    pub shift: u8,
    pub displacement: i32,
}

/// What a memory operand counts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Base {
    Register(VReg),
    Pool(Constant),
    Frame,
}

impl Memory {
    pub(crate) fn frame(offset: i32) -> Memory {
        Memory { base: Base::Frame, index: None, shift: 0, displacement: offset }
    }

    pub(crate) fn pool(constant: Constant) -> Memory {
        Memory { base: Base::Pool(constant), index: None, shift: 0, displacement: 0 }
    }

    /// The same, `bytes` further.
    pub(crate) fn plus(self, bytes: i32) -> Memory {
        Memory { displacement: self.displacement.wrapping_add(bytes), ..self }
    }
}

/// Where an instruction's result goes in its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// ModRM.reg; the sources are vvvv and ModRM.rm.
    Reg,
    /// ModRM.rm; the source is ModRM.reg.
    Rm,
    /// vvvv; ModRM.reg is part of the opcode.
    Extension(u8),
}

/// A vector instruction to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spec {
    op: VOp,
    len: Len,
    class: RegClass,
    form: Form,
    /// Old content of the result: merging masks, fused multiply-add.
    tied: Option<VReg>,
    a: Option<VReg>,
    b: Source,
    mask: Option<VReg>,
    zero: bool,
    rounding: Rounding,
    imm: Option<u8>,
    fourth: Option<VReg>,
}

impl Spec {
    /// `to = op(b)`.
    pub(crate) fn unary(op: VOp, len: Len, b: impl Into<Source>) -> Spec {
        Spec {
            op,
            len,
            class: VECTOR,
            form: Form::Reg,
            tied: None,
            a: None,
            b: b.into(),
            mask: None,
            zero: false,
            rounding: Rounding::Default,
            imm: None,
            fourth: None,
        }
    }

    /// `to = op(a, b)`.
    pub(crate) fn binary(op: VOp, len: Len, a: VReg, b: impl Into<Source>) -> Spec {
        Spec { a: Some(a), ..Spec::unary(op, len, b) }
    }

    /// The source is in ModRM.reg, the result in ModRM.rm.
    pub(crate) fn reversed(self) -> Spec {
        Spec { form: Form::Rm, ..self }
    }

    /// An opcode extension in ModRM.reg, the result in vvvv.
    pub(crate) fn extension(self, extension: u8) -> Spec {
        Spec { form: Form::Extension(extension), ..self }
    }

    /// The result's register class.
    pub(crate) fn class(self, class: RegClass) -> Spec {
        Spec { class, ..self }
    }

    /// The result's register holds `tied` before.
    pub(crate) fn tied(self, tied: VReg) -> Spec {
        Spec { tied: Some(tied), ..self }
    }

    /// Lanes outside `mask` become zero.
    pub(crate) fn zeroing(self, mask: VReg) -> Spec {
        Spec { mask: Some(mask), zero: true, ..self }
    }

    /// Only lanes in `mask` change (or are selected, or compared).
    pub(crate) fn masked(self, mask: VReg) -> Spec {
        Spec { mask: Some(mask), ..self }
    }

    /// An immediate.
    pub(crate) fn imm(self, imm: u8) -> Spec {
        Spec { imm: Some(imm), ..self }
    }

    /// The result's register class.
    pub(crate) fn result_class(&self) -> RegClass {
        self.class
    }

    /// A fourth operand, beside the immediate.
    pub(crate) fn fourth(self, fourth: VReg) -> Spec {
        Spec { fourth: Some(fourth), ..self }
    }

    /// Static rounding.
    pub(crate) fn rounding(self, rounding: Rounding) -> Spec {
        Spec { rounding, ..self }
    }

    /// The instruction with this result.
    pub(crate) fn instruction(self, to: VReg) -> (Vector, Operands) {
        let spec = self;
        let mut operands = Operands::new();
        match spec.tied {
            Some(tied) => {
                operands.push(Operand::reg_reuse_def(to, 1));
                operands.push(Operand::reg_use(tied));
            }
            None => operands.push(Operand::reg_def(to)),
        }
        let mut vvvv = NONE;
        if let Some(a) = spec.a {
            operands.push(Operand::reg_use(a));
            vvvv = operands.len() as u8 - 1;
        }
        let mut broadcast = false;
        let source = match spec.b {
            Source::Reg(register) => {
                operands.push(Operand::reg_use(register));
                RmSlot::Reg(operands.len() as u8 - 1)
            }
            Source::Broadcast(constant) => {
                broadcast = true;
                RmSlot::Mem(address_operands(Memory::pool(constant), &mut operands, false))
            }
            Source::BroadcastMemory(memory) => {
                broadcast = true;
                RmSlot::Mem(address_operands(memory, &mut operands, false))
            }
            Source::Memory(memory) => RmSlot::Mem(address_operands(memory, &mut operands, false)),
        };
        let mask = spec.mask.map_or(NONE, |mask| {
            operands.push(Operand::reg_use(mask));
            operands.len() as u8 - 1
        });
        let fourth = spec.fourth.map_or(NONE, |fourth| {
            operands.push(Operand::reg_use(fourth));
            operands.len() as u8 - 1
        });
        let (reg, extension, vvvv, rm) = match spec.form {
            Form::Reg => (0, 0, vvvv, source),
            Form::Rm => {
                let RmSlot::Reg(from) = source else { unreachable!("the source is a register") };
                (from, 0, NONE, RmSlot::Reg(0))
            }
            Form::Extension(extension) => (NONE, extension, 0, source),
        };
        let inst = Vector {
            extension,
            mask,
            zero: spec.zero,
            broadcast,
            rounding: spec.rounding,
            imm: spec.imm,
            fourth,
            ..Vector::new(spec.op, spec.len, reg, vvvv, rm)
        };
        (inst, operands)
    }
}

/// A use that shares no register with a result that is written early.
pub(crate) fn late_use(register: VReg) -> Operand {
    Operand::new(register, OperandConstraint::Reg, OperandKind::Use, OperandPos::Late)
}

/// Adds a memory operand's registers to a list.
pub(crate) fn address_operands(memory: Memory, operands: &mut Operands, late: bool) -> Address {
    let mut add = |register: VReg| {
        operands.push(if late { late_use(register) } else { Operand::reg_use(register) });
        operands.len() as u8 - 1
    };
    let base = match memory.base {
        Base::Register(register) => AddressBase::Operand(add(register)),
        Base::Pool(constant) => AddressBase::Pool(constant),
        Base::Frame => AddressBase::Frame,
    };
    let index = memory.index.map_or(NONE, add);
    Address { base, index, shift: memory.shift, displacement: memory.displacement }
}

impl Selector<'_> {
    /// Adds a memory operand's registers to a list.
    pub(super) fn address_operands(memory: Memory, operands: &mut Operands, late: bool) -> Address {
        address_operands(memory, operands, late)
    }

    /// Makes a vector instruction; gives its result.
    pub(super) fn vector(&mut self, spec: Spec) -> VReg {
        if let Some(&(_, to)) = self.made.iter().find(|(made, _)| *made == spec) {
            return to;
        }
        let to = self.code.vreg(spec.class);
        let (inst, operands) = spec.instruction(to);
        self.push(Kind::Vector(inst), &operands);
        if self.repeats && !matches!(spec.b, Source::Memory(_) | Source::BroadcastMemory(_)) {
            self.made.push((spec, to));
        }
        to
    }

    /// Stores a vector register.
    pub(super) fn store_vector(&mut self, op: VOp, len: Len, from: VReg, to: Memory, mask: Option<VReg>) {
        let mut operands = Operands::new();
        operands.push(Operand::reg_use(from));
        let address = Self::address_operands(to, &mut operands, false);
        let mask = mask.map_or(NONE, |mask| {
            operands.push(Operand::reg_use(mask));
            operands.len() as u8 - 1
        });
        let inst = Vector { mask, ..Vector::new(op, len, 0, NONE, RmSlot::Mem(address)) };
        self.push(Kind::Vector(inst), &operands);
    }

    /// Copies a register to another of its class.
    pub(super) fn copy(&mut self, to: VReg, from: VReg) {
        let operands = [Operand::reg_def(to), Operand::reg_use(from)];
        let op = match to.class() {
            GENERAL => return self.push(Kind::Move, &operands),
            VECTOR if self.has_short_vectors() => return self.copy_lanes(to, from),
            VECTOR => VMOVAPS,
            MASK => KMOVQ,
        };
        self.push(Kind::Vector(Vector::new(op, Len::Z, 0, NONE, RmSlot::Reg(1))), &operands);
    }

    /// `to = op(a)`.
    pub(super) fn v1(&mut self, op: VOp, len: Len, a: impl Into<Source>) -> VReg {
        self.vector(Spec::unary(op, len, a))
    }

    /// `to = op(a, b)`.
    pub(super) fn v2(&mut self, op: VOp, len: Len, a: VReg, b: impl Into<Source>) -> VReg {
        self.vector(Spec::binary(op, len, a, b))
    }

    /// A shift of a vector by a constant: 2 right with zeros, 4 right with the sign, 6 left.
    pub(super) fn shift_imm(&mut self, op: VOp, extension: u8, len: Len, a: VReg, count: u8) -> VReg {
        self.vector(Spec::unary(op, len, a).extension(extension).imm(count))
    }

    /// A comparison to a mask.
    pub(super) fn compare(&mut self, op: VOp, len: Len, a: VReg, b: Source, predicate: u8) -> VReg {
        self.vector(Spec::binary(op, len, a, b).class(MASK).imm(predicate))
    }

    /// An operation of a new register with itself whose result does not depend on what it held.
    fn made_from_nothing(&mut self, class: RegClass, op: VOp, len: Len, imm: Option<u8>) -> VReg {
        let to = self.code.vreg(class);
        let inst = Vector { imm, ..Vector::new(op, len, 0, 0, RmSlot::Reg(0)) };
        self.push(Kind::Vector(inst), &[Operand::reg_def(to)]);
        to
    }

    /// All bits zero, of the whole register.
    pub(super) fn zero(&mut self) -> VReg {
        self.made_from_nothing(VECTOR, VPXORD, Len::X, None)
    }

    /// A constant in all lanes of one register.
    pub(super) fn splat_constant(&mut self, scalar: Scalar, bits: u64) -> VReg {
        let len = self.tiling(scalar).len;
        if bits == 0 {
            return self.zero();
        }
        if bits == scalar.mask() {
            return self.made_from_nothing(VECTOR, VPTERNLOGD, len, Some(0xff));
        }
        match self.pinned_constant(scalar, bits) {
            Some(register) => register,
            None => self.new_splat(scalar, bits),
        }
    }

    /// The same in a register of its own.
    pub(super) fn new_splat(&mut self, scalar: Scalar, bits: u64) -> VReg {
        let len = self.tiling(scalar).len;
        let source = Source::Memory(Memory::pool(self.element(scalar, bits)));
        self.v1(broadcast_op(scalar), len, source)
    }

    /// One element in the pool.
    pub(super) fn element(&mut self, scalar: Scalar, bits: u64) -> Constant {
        self.asm.constant(&bits.to_le_bytes()[..scalar.bytes() as usize])
    }

    /// A constant of 16 or 64 bytes by elements, as a memory operand.
    pub(super) fn pool_vector(&mut self, bytes: &[u8]) -> Source {
        Source::Memory(Memory::pool(self.asm.constant(bytes)))
    }

    /// One piece of an operand that may be memory: constants of 32 and 64 bits are broadcast, narrower ones
    /// are whole vectors in the pool (`op` tells which it can take).
    pub(super) fn source(&mut self, value: Value, piece: usize, op: VOp) -> Source {
        if let Some(bits) = self.constant(value) {
            return self.constant_source(self.ty(value).scalar, bits, op);
        }
        if let Some(&super::fold::Broadcast::AtUser(load)) = self.broadcasts.get(&value) {
            return Source::BroadcastMemory(self.loaded_from(load));
        }
        Source::Reg(self.registers(value)[piece])
    }

    /// A constant as an operand of `op`.
    pub(super) fn constant_source(&mut self, scalar: Scalar, bits: u64, op: VOp) -> Source {
        use crate::asm::op::Tuple;
        if bits == 0 {
            return Source::Reg(self.zero());
        }
        if let Some(register) = self.pinned_constant(scalar, bits) {
            return Source::Reg(register);
        }
        if matches!(op.tuple, Tuple::Full | Tuple::Half) {
            // The element's width is the operation's, which bit operations on narrower types exceed.
            let mut wide = bits;
            let mut width = scalar.bits();
            while width < op.element() * 8 {
                wide |= wide << width;
                width *= 2;
            }
            return Source::Broadcast(self.asm.constant(&wide.to_le_bytes()[..op.element() as usize]));
        }
        let bytes = bits.to_le_bytes();
        let vector: Vec<u8> = bytes[..scalar.bytes() as usize].iter().copied().cycle().take(64).collect();
        self.pool_vector(&vector)
    }

    /// All or no lanes.
    pub(super) fn mask_constant(&mut self, all: bool) -> VReg {
        self.made_from_nothing(MASK, if all { KXNORQ } else { KXORQ }, Len::X, None)
    }

    /// `a op b` on masks.
    pub(super) fn mask2(&mut self, op: VOp, a: VReg, b: VReg) -> VReg {
        self.vector(Spec::binary(op, Len::X, a, b).class(MASK))
    }

    pub(super) fn mask_and(&mut self, a: VReg, b: VReg) -> VReg {
        self.mask2(KANDQ, a, b)
    }

    /// `!a & b`.
    pub(super) fn mask_not_and(&mut self, a: VReg, b: VReg) -> VReg {
        self.mask2(KANDNQ, a, b)
    }

    pub(super) fn mask_or(&mut self, a: VReg, b: VReg) -> VReg {
        self.mask2(KORQ, a, b)
    }

    pub(super) fn mask_not(&mut self, a: VReg) -> VReg {
        self.vector(Spec::unary(KNOTQ, Len::X, a).class(MASK))
    }

    /// A mask of 64 bits from a general register.
    pub(super) fn mask_from_bits(&mut self, bits: VReg) -> VReg {
        self.vector(Spec::unary(KMOVQ_TO, Len::X, bits).class(MASK))
    }

    /// All 64 bits of a mask, also those past the subgroup.
    pub(super) fn raw_mask_bits(&mut self, mask: VReg) -> VReg {
        self.vector(Spec::unary(KMOVQ_FROM, Len::X, mask).class(GENERAL))
    }

    /// The mask for one piece of a value.
    pub(super) fn mask_piece(&mut self, mask: VReg, piece: u32, lanes: u32) -> VReg {
        if let Some(part) = self.mask_concats.part(mask, piece, lanes) {
            return part;
        }
        if piece == 0 {
            return mask;
        }
        self.vector(Spec::unary(KSHIFTRQ, Len::X, mask).class(MASK).imm((piece * lanes) as u8))
    }

    /// One mask from those of the pieces, each of `lanes` lanes.
    pub(super) fn concat_masks(&mut self, pieces: &[VReg], lanes: u32) -> VReg {
        let mask = self.concat_mask_tree(pieces, lanes);
        // Masks that are vectors cost nothing to join.
        if self.features.level == Level::Avx512 {
            self.mask_concats.note(mask, pieces, lanes);
        }
        mask
    }

    fn concat_mask_tree(&mut self, pieces: &[VReg], mut lanes: u32) -> VReg {
        let mut masks: Vec<VReg> = pieces.to_vec();
        while masks.len() > 1 {
            let op = match lanes {
                8 => KUNPCKBW,
                16 => KUNPCKWD,
                _ => KUNPCKDQ,
            };
            masks = masks.chunks(2).map(|pair| self.mask2(op, pair[1], pair[0])).collect();
            lanes *= 2;
        }
        masks[0]
    }

    /// Does something for each piece of a value.
    pub(super) fn each(
        &mut self,
        pieces: RegisterTiling,
        mut f: impl FnMut(&mut Self, usize) -> VReg,
    ) -> Registers {
        (0..pieces.count as usize).map(|piece| f(self, piece)).collect()
    }

    /// `bytes` bytes (8, 16, 32) of a register, from `offset` on, as the low part of a register.
    pub(super) fn extract(&mut self, from: VReg, offset: u32, bytes: u32) -> VReg {
        if offset == 0 {
            return from;
        }
        if bytes == 32 {
            return self.vector(Spec::unary(VEXTRACTF64X4, Len::Z, from).reversed().imm(1));
        }
        let quarter = match offset / 16 {
            0 => from,
            index => self.vector(Spec::unary(VEXTRACTF32X4, Len::Z, from).reversed().imm(index as u8)),
        };
        match offset % 16 {
            0 => quarter,
            rest => self.shift_imm(VPSRLDQ_IMM, 3, Len::X, quarter, rest as u8),
        }
    }

    /// The low `bytes` bytes of each register, one behind the other: as many as fill 64 bytes.
    pub(super) fn join(&mut self, parts: &[VReg], mut bytes: u32) -> VReg {
        let mut parts = parts.to_vec();
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match bytes {
                    32 => self.vector(Spec::binary(VINSERTF64X4, Len::Z, pair[0], pair[1]).imm(1)),
                    16 => self.vector(Spec::binary(VINSERTF32X4, Len::Y, pair[0], pair[1]).imm(1)),
                    _ => self.v2(VPUNPCKLQDQ, Len::X, pair[0], pair[1]),
                })
                .collect();
            bytes *= 2;
        }
        parts[0]
    }

    /// Stores all lanes of a value to the frame; gives the offset.
    pub(super) fn spill_lanes(&mut self, registers: Registers, scalar: Scalar) -> i32 {
        let pieces = self.tiling(scalar);
        let place = self.frame(pieces.count * 64);
        for (piece, &register) in registers.iter().enumerate() {
            let to = place + piece as i32 * 64;
            if pieces.len == Len::Z && self.features.level == Level::Avx512 {
                // Loads of single lanes follow. On some processors one from the upper half of a store of
                // 64 bytes waits until that has reached the cache: more than twice as long.
                self.store_vector(VMOVAPS_STORE, Len::Y, register, Memory::frame(to), None);
                self.store_upper_half(register, Memory::frame(to + 32));
            } else {
                self.store_vector(VMOVAPS_STORE, pieces.len, register, Memory::frame(to), None);
            }
        }
        place
    }

    /// The upper 32 bytes of a register to memory.
    fn store_upper_half(&mut self, from: VReg, to: Memory) {
        let mut operands = Operands::new();
        operands.push(Operand::reg_use(from));
        let address = RmSlot::Mem(Self::address_operands(to, &mut operands, false));
        let inst = Vector { imm: Some(1), ..Vector::new(VEXTRACTF64X4, Len::Z, 0, NONE, address) };
        self.push(Kind::Vector(inst), &operands);
    }

    /// Loads all lanes of a value from the frame.
    pub(super) fn load_lanes(&mut self, place: i32, scalar: Scalar) -> Registers {
        let pieces = self.tiling(scalar);
        self.each(pieces, |this, piece| {
            let from = Source::Memory(Memory::frame(place + piece as i32 * 64));
            this.v1(VMOVUPS, pieces.len, from)
        })
    }

    /// The low element of a vector register from a general register.
    pub(super) fn low_element(&mut self, general: VReg, bits: u32) -> VReg {
        if self.has_short_vectors() {
            return self.neon_from_general(general, bits);
        }
        let op = if bits == 64 { crate::asm::op::VMOVQ_TO } else { VMOVD_TO };
        self.v1(op, Len::X, general)
    }
}

/// The broadcast of an element in a register or memory.
pub(super) fn broadcast_op(scalar: Scalar) -> VOp {
    match scalar.bits() {
        8 => VPBROADCASTB,
        16 => VPBROADCASTW,
        64 => VPBROADCASTQ,
        _ => VPBROADCASTD,
    }
}
