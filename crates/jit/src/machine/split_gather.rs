//! Gathers as loads of single lanes, where gathers are microcode: see [`SplitGather`].

use super::inst::{AddressBase, NONE, Slot, SplitGather};
use crate::asm::op::{
    VEXTRACTI128, VINSERTI128, VMOVAPS, VMOVHPS, VMOVMSKPD, VMOVMSKPS, VMOVQ_FROM, VMOVSD, VMOVSS, VPEXTRQ,
    VPGATHERDD_AVX, VPGATHERDQ_AVX, VPGATHERQD_AVX, VPGATHERQQ_AVX, VPINSRD,
};
use crate::asm::{Alu, Assembler, Condition, Evex, Gpr, Len, Mem, RSP, Rm, Shift, Size, VOp};

/// What single lanes are moved with.
struct Lanes<'a> {
    asm: &'a mut Assembler,
    /// The address of the element with the number in a register.
    at: &'a dyn Fn(Gpr) -> Mem,
    quads: bool,
    wide_index: bool,
    general: [Gpr; 3],
}

/// Emits it, with the number of the register at each position.
pub(super) fn emit(asm: &mut Assembler, this: &SplitGather, number: &dyn Fn(Slot) -> u8) {
    let [to, spent, a, b, c] = [0, 2, 3, 4, 5].map(number);
    let index = number(this.address.index);
    let base = match this.address.base {
        AddressBase::Operand(base) => number(base),
        AddressBase::Frame => RSP,
        AddressBase::Pool(_) => unreachable!("gathers count from registers"),
    };
    let at = |index: u8| Mem::Base {
        base,
        index: Some(index),
        shift: this.address.shift,
        displacement: this.address.displacement,
    };
    let (some, end) = (asm.label(), asm.label());
    let lanes = this.lanes();
    if this.mask != NONE {
        let mask = number(this.mask);
        let bytes = if this.quads { 8 } else { 4 };
        let signs = if this.quads { VMOVMSKPD } else { VMOVMSKPS };
        asm.vector(&Evex::new(signs, Len::holding(lanes * bytes), a, 0, Rm::Reg(mask)));
        asm.alu_imm(Alu::Cmp, Size::S32, Rm::Reg(a), (1 << lanes) - 1);
        asm.jump_if(Condition::NotEqual, some);
    }
    let mut single =
        Lanes { asm, at: &at, quads: this.quads, wide_index: this.wide_index, general: [a, b, c] };
    single.all(to, index, spent, lanes);
    if this.mask != NONE {
        asm.jump(end);
        asm.bind(some);
        let mask = number(this.mask);
        let op = match (this.wide_index, this.quads) {
            (false, false) => VPGATHERDD_AVX,
            (false, true) => VPGATHERDQ_AVX,
            (true, false) => VPGATHERQD_AVX,
            (true, true) => VPGATHERQQ_AVX,
        };
        asm.vector(&Evex::new(VMOVAPS, Len::Y, spent, 0, Rm::Reg(mask)));
        asm.vector(&Evex::new(op, this.len, to, spent, Rm::Mem(at(index))));
        asm.bind(end);
    }
}

impl Lanes<'_> {
    /// All lanes of a register; `upper` is a temporary.
    fn all(&mut self, to: u8, index: u8, upper: u8, lanes: u32) {
        let in_half = if self.quads { 2 } else { 4 };
        if self.wide_index && !self.quads {
            // Numbers of four lanes are two registers' worth.
            self.numbers(index);
            self.pair(to, true);
            if lanes > 2 {
                self.extract(upper, index);
                self.numbers(upper);
                self.pair(to, false);
            }
            return;
        }
        self.half(to, index, lanes.min(in_half));
        if lanes > in_half {
            if self.wide_index || !self.quads {
                self.extract(upper, index);
                self.half(upper, upper, in_half);
            } else {
                // Both numbers of the upper half are those of a quarter of the index.
                let [a, b, c] = self.general;
                self.general = [b, a, c];
                self.element(VPEXTRQ, index, b);
                self.quad_pair(upper);
                self.general = [a, b, c];
            }
            let halves = Evex { imm: Some(1), ..Evex::new(VINSERTI128, Len::Y, to, to, Rm::Reg(upper)) };
            self.asm.vector(&halves);
        }
    }

    /// The lanes of 128 bits.
    fn half(&mut self, to: u8, index: u8, lanes: u32) {
        let [a, b, _] = self.general;
        if self.quads && !self.wide_index {
            self.element(VMOVQ_FROM, index, a);
            return self.quad_pair(to);
        }
        self.numbers(index);
        if self.quads {
            self.load(VMOVSD, to, a);
            return self.load_upper(to, b);
        }
        self.single_pair(to, a, 0);
        if lanes > 2 {
            self.single_pair(to, b, 2);
        }
    }

    /// The first two quads of 128 bits of an index.
    fn numbers(&mut self, index: u8) {
        let [a, b, _] = self.general;
        self.element(VMOVQ_FROM, index, a);
        self.element(VPEXTRQ, index, b);
    }

    fn element(&mut self, op: VOp, from: u8, to: Gpr) {
        let imm = (op == VPEXTRQ).then_some(1);
        self.asm.vector(&Evex { imm, ..Evex::new(op, Len::X, from, 0, Rm::Reg(to)) });
    }

    fn extract(&mut self, to: u8, from: u8) {
        self.asm.vector(&Evex { imm: Some(1), ..Evex::new(VEXTRACTI128, Len::Y, from, 0, Rm::Reg(to)) });
    }

    fn load(&mut self, op: VOp, to: u8, number: Gpr) {
        self.asm.vector(&Evex::new(op, Len::X, to, 0, Rm::Mem((self.at)(number))));
    }

    fn load_upper(&mut self, to: u8, number: Gpr) {
        self.asm.vector(&Evex::new(VMOVHPS, Len::X, to, to, Rm::Mem((self.at)(number))));
    }

    fn insert(&mut self, to: u8, number: Gpr, lane: u8) {
        let rm = Rm::Mem((self.at)(number));
        self.asm.vector(&Evex { imm: Some(lane), ..Evex::new(VPINSRD, Len::X, to, to, rm) });
    }

    /// The lower number of two as `c`, the upper one as the register itself, both with 64 bits.
    fn apart(&mut self, both: Gpr) {
        let [_, _, c] = self.general;
        self.asm.movsx(32, Size::S64, c, Rm::Reg(both));
        self.asm.shift_imm(Shift::Sar, Size::S64, both, 32);
    }

    /// Two singles with the two numbers of a register.
    fn single_pair(&mut self, to: u8, both: Gpr, lane: u8) {
        let [_, _, c] = self.general;
        self.apart(both);
        match lane {
            0 => self.load(VMOVSS, to, c),
            lane => self.insert(to, c, lane),
        }
        self.insert(to, both, lane + 1);
    }

    /// Two quads with the two numbers of the first general register.
    fn quad_pair(&mut self, to: u8) {
        let [a, _, c] = self.general;
        self.apart(a);
        self.load(VMOVSD, to, c);
        self.load_upper(to, a);
    }

    /// Two singles with two wide numbers.
    fn pair(&mut self, to: u8, is_first: bool) {
        let [a, b, _] = self.general;
        if is_first {
            self.load(VMOVSS, to, a);
            self.insert(to, b, 1);
        } else {
            self.insert(to, a, 2);
            self.insert(to, b, 3);
        }
    }
}
