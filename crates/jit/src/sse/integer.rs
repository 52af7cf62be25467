//! Integers: bits, arithmetic, comparisons, shifts, and rearrangements of lanes.

use super::Rewriter;
use crate::asm::VOp;
use crate::asm::op::*;
use crate::machine::inst::VECTOR;
use crate::neon::{Encoded, op};
use regalloc2::VReg;

/// The one for elements of 8, 16, 32 or 64 bits.
pub(super) fn by(bits: u32, ops: [VOp; 4]) -> VOp {
    ops[bits.trailing_zeros() as usize - 3]
}

/// Extensions of shifts by an immediate.
pub(super) const RIGHT: u8 = 2;
pub(super) const RIGHT_SIGNED: u8 = 4;
pub(super) const LEFT: u8 = 6;

const EQUAL: [VOp; 4] = [VPCMPEQB, VPCMPEQW, VPCMPEQD, VPCMPEQQ];
const SUM: [VOp; 4] = [VPADDB, VPADDW, VPADDD, VPADDQ];
const DIFFERENCE: [VOp; 4] = [VPSUBB, VPSUBW, VPSUBD, VPSUBQ];
const SHIFT: [VOp; 4] = [VPSHIFT_W_IMM, VPSHIFT_W_IMM, VPSHIFT_D_IMM, VPSHIFT_Q_IMM];

/// `vpshufd`'s immediate for the high half in the low one.
pub(super) const HIGH_HALF: u8 = 0xee;

impl Rewriter<'_> {
    /// All ones.
    fn ones(&mut self) -> crate::asm::Constant {
        self.pool([0xff; 16])
    }

    /// Operations on bits.
    pub(super) fn bitwise(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> bool {
        match encoded.row {
            op::ORR if uses[0] == uses[1] => match self.source(uses[0]) {
                super::Source::Register(from) => self.one(to, VMOVAPS, from),
                super::Source::Constant(from) => self.one(to, VMOVAPS, from),
            },
            op::AND => self.commutative(to, VPANDD, uses[0], uses[1]),
            op::ORR => self.commutative(to, VPORD, uses[0], uses[1]),
            op::EOR => self.commutative(to, VPXORD, uses[0], uses[1]),
            op::BIC => self.two(to, VPANDND, uses[1], uses[0]),
            op::ORN => {
                let ones = self.ones();
                let not = self.two_new(VPXORD, uses[1], ones);
                self.two(to, VPORD, not, uses[0]);
            }
            op::NOT => {
                let ones = self.ones();
                self.two(to, VPXORD, uses[0], ones);
            }
            op::BSL => self.choose(to, uses[0], uses[1], uses[2]),
            _ => return false,
        }
        true
    }

    /// `to = op(a, b)` where the order does not matter: a constant comes second.
    fn commutative(&mut self, to: VReg, op: VOp, a: VReg, b: VReg) {
        let (a, b) = if self.constants.contains_key(&a) { (b, a) } else { (a, b) };
        self.two(to, op, a, b);
    }

    /// `to = mask ? then : otherwise`, bit by bit.
    fn choose(&mut self, to: VReg, mask: VReg, then: VReg, otherwise: VReg) {
        let zero = self.pool([0; 16]);
        let is_zero = |this: &Self, value: VReg| this.constants.get(&value) == Some(&zero);
        match () {
            () if is_zero(self, otherwise) => self.commutative(to, VPANDD, mask, then),
            () if is_zero(self, then) => self.two(to, VPANDND, mask, otherwise),
            () => {
                let differ = self.two_new(VPXORD, then, otherwise);
                let changed = self.two_new(VPANDD, differ, mask);
                self.two(to, VPXORD, changed, otherwise);
            }
        }
    }

    pub(super) fn arithmetic(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> bool {
        let (bits, count) = encoded.variant();
        let sized = |ops| by(bits, ops);
        match encoded.row {
            op::ADD => self.commutative(to, sized(SUM), uses[0], uses[1]),
            op::SUB => self.two(to, sized(DIFFERENCE), uses[0], uses[1]),
            op::NEG => {
                let zero = self.pool([0; 16]);
                let zero = self.one_new(VMOVAPS, zero);
                self.two(to, sized(DIFFERENCE), zero, uses[0]);
            }
            op::MUL if bits == 8 => self.product_of_bytes(to, uses[0], uses[1]),
            op::MUL => self.commutative(to, if bits == 16 { VPMULLW } else { VPMULLD }, uses[0], uses[1]),
            op::SMAX => self.two(to, sized([VPMAXSB, VPMAXSW, VPMAXSD, VPMAXSQ]), uses[0], uses[1]),
            op::UMAX => self.two(to, sized([VPMAXUB, VPMAXUW, VPMAXUD, VPMAXUQ]), uses[0], uses[1]),
            op::SMIN => self.two(to, sized([VPMINSB, VPMINSW, VPMINSD, VPMINSQ]), uses[0], uses[1]),
            op::UMIN => self.two(to, sized([VPMINUB, VPMINUW, VPMINUD, VPMINUQ]), uses[0], uses[1]),
            op::CMEQ => self.commutative(to, sized(EQUAL), uses[0], uses[1]),
            op::CMEQ_ZERO => {
                let zero = self.pool([0; 16]);
                self.two(to, sized(EQUAL), uses[0], zero);
            }
            op::CMTST => {
                let both = self.two_new(VPANDD, uses[0], uses[1]);
                let zero = self.pool([0; 16]);
                let none = self.two_new(sized(EQUAL), both, zero);
                let ones = self.ones();
                self.two(to, VPXORD, none, ones);
            }
            op::CMGT => self.greater(to, bits, uses[0], uses[1]),
            op::CMGE | op::CMHS | op::CMHI => self.compare(encoded, to, bits, uses[0], uses[1]),
            op::SHL => self.shift_left(to, bits, uses[0], count),
            op::USHR => self.shift_right(to, bits, uses[0], count),
            op::SSHR => self.shift_signed(to, bits, uses[0], count),
            op::CNT => self.count_ones(to, uses[0]),
            op::UADDLP => self.sum_of_neighbours(to, bits, uses[0]),
            op::RBIT => self.reverse_bits(to, uses[0]),
            op::UMULL | op::UMULL2 | op::SMULL | op::SMULL2 => {
                let high = matches!(encoded.row, op::UMULL2 | op::SMULL2);
                let signed = matches!(encoded.row, op::SMULL | op::SMULL2);
                self.wide_product(to, bits, uses[0], uses[1], high, signed);
            }
            op::UMLAL => {
                let product = self.new.vreg(VECTOR);
                self.wide_product(product, bits, uses[1], uses[2], false, false);
                self.two(to, VPADDQ, product, uses[0]);
            }
            _ => return false,
        }
        true
    }

    fn product_of_bytes(&mut self, to: VReg, a: VReg, b: VReg) {
        let even = self.two_new(VPMULLW, a, b);
        let low = self.pool_all(16, 0xff);
        let even = self.two_new(VPANDD, even, low);
        let (a, b) = (self.shift_new(VPSHIFT_W_IMM, RIGHT, a, 8), self.shift_new(VPSHIFT_W_IMM, RIGHT, b, 8));
        let odd = self.two_new(VPMULLW, a, b);
        let odd = self.shift_new(VPSHIFT_W_IMM, LEFT, odd, 8);
        self.two(to, VPORD, even, odd);
    }

    /// Signed `a > b`.
    fn greater(&mut self, to: VReg, bits: u32, a: VReg, b: VReg) {
        if bits < 64 {
            return self.two(to, by(bits, [VPCMPGTB, VPCMPGTW, VPCMPGTD, VPCMPGTQ]), a, b);
        }
        // By halves: where the high ones are equal, the sign of the difference says it, whose high half is
        // the borrow of the low ones then.
        let equal = self.two_new(VPCMPEQD, a, b);
        let difference = self.two_new(VPSUBQ, b, a);
        let low = self.two_new(VPANDD, equal, difference);
        let high = self.two_new(VPCMPGTD, a, b);
        let both = self.two_new(VPORD, low, high);
        let sign = self.shift_new(VPSHIFT_D_IMM, RIGHT_SIGNED, both, 31);
        self.one_imm(to, VPSHUFD, sign, 0xf5);
    }

    /// The other comparisons by order.
    fn compare(&mut self, encoded: Encoded, to: VReg, bits: u32, a: VReg, b: VReg) {
        let not = |this: &mut Self, mask: VReg| {
            let ones = this.ones();
            this.two(to, VPXORD, mask, ones);
        };
        if bits == 64 {
            let (mut a, mut b) = (a, b);
            if encoded.row != op::CMGE {
                let sign = self.pool_all(64, 1 << 63);
                (a, b) = (self.two_new(VPXORD, a, sign), self.two_new(VPXORD, b, sign));
            }
            if encoded.row == op::CMHI {
                return self.greater(to, 64, a, b);
            }
            let less = self.new.vreg(VECTOR);
            self.greater(less, 64, b, a);
            return not(self, less);
        }
        let largest = match encoded.row {
            op::CMGE => [VPMAXSB, VPMAXSW, VPMAXSD, VPMAXSQ],
            _ => [VPMAXUB, VPMAXUW, VPMAXUD, VPMAXUQ],
        };
        let equal = by(bits, EQUAL);
        // `a >= b` where `a` is the greater one.
        let (first, other) = if encoded.row == op::CMHI { (b, a) } else { (a, b) };
        let most = self.two_new(by(bits, largest), other, first);
        if encoded.row == op::CMHI {
            let at_most = self.two_new(equal, most, first);
            return not(self, at_most);
        }
        self.two(to, equal, most, first);
    }

    fn shift_left(&mut self, to: VReg, bits: u32, a: VReg, count: u32) {
        if bits > 8 {
            return self.shift(to, by(bits, SHIFT), LEFT, a, count);
        }
        let shifted = self.shift_new(VPSHIFT_W_IMM, LEFT, a, count);
        let kept = self.pool_all(8, 0xff << count & 0xff);
        self.two(to, VPANDD, shifted, kept);
    }

    fn shift_right(&mut self, to: VReg, bits: u32, a: VReg, count: u32) {
        if bits > 8 {
            return self.shift(to, by(bits, SHIFT), RIGHT, a, count);
        }
        let shifted = self.shift_new(VPSHIFT_W_IMM, RIGHT, a, count);
        let kept = self.pool_all(8, 0xff >> count);
        self.two(to, VPANDD, shifted, kept);
    }

    fn shift_signed(&mut self, to: VReg, bits: u32, a: VReg, count: u32) {
        match bits {
            16 | 32 => self.shift(to, by(bits, SHIFT), RIGHT_SIGNED, a, count),
            8 => {
                let [low, high] = [VPUNPCKLBW, VPUNPCKHBW].map(|op| {
                    let twice = self.two_new(op, a, a);
                    self.shift_new(VPSHIFT_W_IMM, RIGHT_SIGNED, twice, 8 + count)
                });
                self.two(to, VPACKSSWB, low, high);
            }
            _ => {
                let sign = self.shift_new(VPSHIFT_D_IMM, RIGHT_SIGNED, a, 31);
                if count >= 63 {
                    return self.one_imm(to, VPSHUFD, sign, 0xf5);
                }
                let sign = self.one_imm_new(VPSHUFD, sign, 0xf5);
                let sign = self.shift_new(VPSHIFT_Q_IMM, LEFT, sign, 64 - count);
                let shifted = self.shift_new(VPSHIFT_Q_IMM, RIGHT, a, count);
                self.two(to, VPORD, shifted, sign);
            }
        }
    }

    /// The nibbles of each byte by two tables, joined.
    fn by_nibbles(&mut self, to: VReg, a: VReg, tables: [[u8; 16]; 2], join: VOp) {
        let nibble = self.pool_all(8, 0x0f);
        let low = self.two_new(VPANDD, a, nibble);
        let high = self.shift_new(VPSHIFT_W_IMM, RIGHT, a, 4);
        let high = self.two_new(VPANDD, high, nibble);
        let [low, high] = [(low, tables[0]), (high, tables[1])].map(|(index, table)| {
            let table = self.pool(table);
            let table = self.one_new(VMOVAPS, table);
            self.two_new(VPSHUFB, table, index)
        });
        self.two(to, join, low, high);
    }

    fn count_ones(&mut self, to: VReg, a: VReg) {
        let counts = std::array::from_fn(|nibble| nibble.count_ones() as u8);
        self.by_nibbles(to, a, [counts, counts], VPADDB);
    }

    /// The bits of each byte in reverse order.
    fn reverse_bits(&mut self, to: VReg, a: VReg) {
        let high = std::array::from_fn(|nibble| (nibble as u8).reverse_bits());
        let low = std::array::from_fn(|nibble| (nibble as u8).reverse_bits() >> 4);
        self.by_nibbles(to, a, [high, low], VPORD);
    }

    /// Sums of two unsigned neighbours, in elements of twice the bits.
    fn sum_of_neighbours(&mut self, to: VReg, bits: u32, a: VReg) {
        if bits == 8 {
            let ones = self.pool([1; 16]);
            return self.two(to, VPMADDUBSW, a, ones);
        }
        let low = self.pool_all(2 * bits, (1 << bits) - 1);
        let low = self.two_new(VPANDD, a, low);
        let high = self.shift_new(by(2 * bits, SHIFT), RIGHT, a, bits);
        self.two(to, by(2 * bits, SUM), low, high);
    }

    /// Products of the low or high halves' elements, in elements of twice the bits.
    fn wide_product(&mut self, to: VReg, bits: u32, a: VReg, b: VReg, high: bool, signed: bool) {
        if bits == 32 {
            let order = if high { 0xfa } else { 0x50 };
            let [a, b] = [a, b].map(|value| self.one_imm_new(VPSHUFD, value, order));
            return self.two(to, if signed { VPMULDQ } else { VPMULUDQ }, a, b);
        }
        let [a, b] = [a, b].map(|value| {
            let to = self.new.vreg(VECTOR);
            self.widen(to, bits, value, high, signed);
            to
        });
        self.two(to, if bits == 8 { VPMULLW } else { VPMULLD }, a, b);
    }

    /// The low or high half's elements with twice the bits.
    fn widen(&mut self, to: VReg, bits: u32, a: VReg, high: bool, signed: bool) {
        let ops = if signed { [VPMOVSXBW, VPMOVSXWD, VPMOVSXDQ] } else { [VPMOVZXBW, VPMOVZXWD, VPMOVZXDQ] };
        let a = if high { self.one_imm_new(VPSHUFD, a, HIGH_HALF) } else { self.register(a) };
        self.one(to, ops[bits.trailing_zeros() as usize - 3], a);
    }

    /// Moves of elements, and other widths.
    pub(super) fn rearrange(&mut self, encoded: Encoded, to: VReg, uses: &[VReg]) -> bool {
        let (bits, number) = encoded.variant();
        match encoded.row {
            op::UZP1 => self.every_other(to, bits, uses[0], uses[1], false),
            op::UZP2 => self.every_other(to, bits, uses[0], uses[1], true),
            op::TBL => self.two(to, VPSHUFB, uses[0], uses[1]),
            op::DUP => self.broadcast(to, bits, uses[0], number),
            op::REV64 if bits == 32 => self.one_imm(to, VPSHUFD, uses[0], 0xb1),
            op::REV64 if bits == 8 => self.reverse_bytes(to, uses[0], 8),
            op::REV32_BYTES => self.reverse_bytes(to, uses[0], 4),
            op::REV16_BYTES => self.reverse_bytes(to, uses[0], 2),
            op::SSHLL if number == 0 => self.widen(to, bits, uses[0], false, true),
            op::SSHLL2 if number == 0 => self.widen(to, bits, uses[0], true, true),
            op::USHLL if number == 0 => self.widen(to, bits, uses[0], false, false),
            op::USHLL2 if number == 0 => self.widen(to, bits, uses[0], true, false),
            op::XTN if bits == 32 => self.one_imm(to, VPSHUFD, uses[0], 0x08),
            op::SQXTN | op::UQXTN if bits < 32 => self.pack(to, bits, uses[0], encoded.row == op::SQXTN),
            op::SQXTN2 | op::UQXTN2 if bits < 32 => {
                let high = self.new.vreg(VECTOR);
                self.pack(high, bits, uses[1], encoded.row == op::SQXTN2);
                self.two(to, VPUNPCKLQDQ, uses[0], high);
            }
            _ => return false,
        }
        true
    }

    /// Elements that saturate to so many bits, twice.
    fn pack(&mut self, to: VReg, bits: u32, a: VReg, signed: bool) {
        if signed {
            let op = if bits == 8 { VPACKSSWB } else { VPACKSSDW };
            return self.two(to, op, a, a);
        }
        let most = self.pool_all(2 * bits, (1 << bits) - 1);
        let least = self.two_new(if bits == 8 { VPMINUW } else { VPMINUD }, a, most);
        self.two(to, if bits == 8 { VPACKUSWB } else { VPACKUSDW }, least, least);
    }

    /// The even or odd elements of both.
    fn every_other(&mut self, to: VReg, bits: u32, a: VReg, b: VReg, odd: bool) {
        match bits {
            64 => self.two(to, if odd { VPUNPCKHQDQ } else { VPUNPCKLQDQ }, a, b),
            32 => self.two_imm(to, VSHUFPS, a, b, if odd { 0xdd } else { 0x88 }),
            _ => {
                let halves = |this: &mut Self, value: VReg| match odd {
                    true => this.shift_new(by(2 * bits, SHIFT), RIGHT, value, bits),
                    false => {
                        let low = this.pool_all(2 * bits, (1 << bits) - 1);
                        this.two_new(VPANDD, value, low)
                    }
                };
                let first = halves(self, a);
                let second = if a == b { first } else { halves(self, b) };
                self.two(to, if bits == 8 { VPACKUSWB } else { VPACKUSDW }, first, second);
            }
        }
    }

    /// One element in all.
    pub(super) fn broadcast(&mut self, to: VReg, bits: u32, a: VReg, lane: u32) {
        let lane = lane as u8;
        match bits {
            64 => self.one_imm(to, VPSHUFD, a, if lane == 0 { 0x44 } else { 0xee }),
            32 => self.one_imm(to, VPSHUFD, a, lane * 0x55),
            _ => {
                let bytes = bits as u8 / 8;
                let order = self.pool(std::array::from_fn(|byte| lane * bytes + byte as u8 % bytes));
                self.two(to, VPSHUFB, a, order);
            }
        }
    }

    /// The bytes of each element of so many bytes in reverse order.
    fn reverse_bytes(&mut self, to: VReg, a: VReg, bytes: u8) {
        let order = self.pool(std::array::from_fn(|byte| byte as u8 ^ (bytes - 1)));
        self.two(to, VPSHUFB, a, order);
    }
}
