//! Intervals of integers of up to 32 bits: unsigned and signed bounds, and how many lowest bits are zero.
//!
//! Both bounds are kept, since neither follows from the other where an interval crosses the sign or wraps:
//! `-r..r` plus an index is only bounded as a signed number, the bits of a mask only as an unsigned one.

use pyro_ir::{Opcode, Scalar};

/// What an integer can be; signed bounds are those of the sign-extended bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least as an unsigned number.
    pub low: u32,
    /// The greatest as an unsigned number.
    pub high: u32,
    /// The least as a signed number.
    pub least: i32,
    /// The greatest as a signed number.
    pub greatest: i32,
    /// Lowest bits that are zero.
    pub zeros: u8,
}

/// Integers of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(u32);

impl Width {
    /// Of a scalar type of at most 32 bits.
    pub fn of(scalar: Scalar) -> Option<Width> {
        ((scalar.is_int() || scalar == Scalar::I1) && scalar.bits() <= 32).then(|| Width(scalar.bits()))
    }

    fn mask(self) -> u32 {
        u32::MAX >> (32 - self.0)
    }

    /// Bits as a signed number.
    fn signed(self, bits: u32) -> i32 {
        ((bits << (32 - self.0)) as i32) >> (32 - self.0)
    }

    /// Any number.
    pub fn full(self) -> Interval {
        let top = self.mask() >> 1;
        Interval { low: 0, high: self.mask(), least: !(top as i32), greatest: top as i32, zeros: 0 }
    }

    /// One number.
    pub fn constant(self, bits: u64) -> Interval {
        let bits = bits as u32 & self.mask();
        let signed = self.signed(bits);
        let zeros = bits.trailing_zeros().min(31) as u8;
        Interval { low: bits, high: bits, least: signed, greatest: signed, zeros }
    }

    /// Unsigned bounds alone.
    pub fn unsigned(self, low: u32, high: u32) -> Interval {
        self.settle(Interval { low, high, ..self.full() }).unwrap_or(self.full())
    }

    /// What each of the bounds says of the others; none if nothing is within all of them.
    pub fn settle(self, mut of: Interval) -> Option<Interval> {
        let top = self.mask() >> 1;
        let bits = |signed: i32| signed as u32 & self.mask();
        for _ in 0..2 {
            let unit = (1u32 << of.zeros.min(31)) - 1;
            of.low = of.low.checked_add(unit)? & !unit;
            of.high &= !unit;
            of.least = of.least.checked_add(unit as i32)? & !(unit as i32);
            of.greatest &= !(unit as i32);
            if of.high <= top {
                of.least = of.least.max(of.low as i32);
                of.greatest = of.greatest.min(of.high as i32);
            } else if of.low > top {
                of.least = of.least.max(self.signed(of.low));
                of.greatest = of.greatest.min(self.signed(of.high));
            }
            if of.least >= 0 || of.greatest < 0 {
                of.low = of.low.max(bits(of.least));
                of.high = of.high.min(bits(of.greatest));
            }
            if of.low > of.high || of.least > of.greatest {
                return None;
            }
        }
        Some(of)
    }

    /// What is in both; none if nothing is.
    pub fn meet(self, a: Interval, b: Interval) -> Option<Interval> {
        self.settle(Interval {
            low: a.low.max(b.low),
            high: a.high.min(b.high),
            least: a.least.max(b.least),
            greatest: a.greatest.min(b.greatest),
            zeros: a.zeros.max(b.zeros),
        })
    }

    /// Of an unsigned result without wrapping, a signed one without overflow.
    fn result(self, unsigned: [Option<u64>; 2], signed: Option<[i64; 2]>, zeros: u32) -> Interval {
        let full = self.full();
        let mut of = Interval { zeros: zeros.min(31) as u8, ..full };
        if let [Some(low), Some(high)] = unsigned
            && high <= self.mask().into()
        {
            (of.low, of.high) = (low as u32, high as u32);
        }
        if let Some([least, greatest]) = signed
            && least >= full.least.into()
            && greatest <= full.greatest.into()
        {
            (of.least, of.greatest) = (least as i32, greatest as i32);
        }
        self.settle(of).unwrap_or(full)
    }

    /// What an operation with two operands of this width, and a result of it, gives.
    pub fn binary(self, op: Opcode, a: Interval, b: Interval) -> Interval {
        use Opcode as O;
        let wide = |n: u32| u64::from(n);
        let long = |n: i32| i64::from(n);
        let both = a.zeros.min(b.zeros).into();
        match op {
            O::IAdd => self.result(
                [Some(wide(a.low) + wide(b.low)), Some(wide(a.high) + wide(b.high))],
                Some([long(a.least) + long(b.least), long(a.greatest) + long(b.greatest)]),
                both,
            ),
            O::ISub => self.result(
                [wide(a.low).checked_sub(wide(b.high)), wide(a.high).checked_sub(wide(b.low))],
                Some([long(a.least) - long(b.greatest), long(a.greatest) - long(b.least)]),
                both,
            ),
            O::IMul => {
                let ends = [a.least, a.greatest].map(|x| [b.least, b.greatest].map(|y| long(x) * long(y)));
                let ends = ends.as_flattened();
                let least = ends.iter().copied().min().unwrap_or(i64::MIN);
                let greatest = ends.iter().copied().max().unwrap_or(i64::MAX);
                self.result(
                    [Some(wide(a.low) * wide(b.low)), Some(wide(a.high) * wide(b.high))],
                    Some([least, greatest]),
                    u32::from(a.zeros) + u32::from(b.zeros),
                )
            }
            O::UMulHigh => {
                let high = |x: u32, y: u32| ((wide(x) * wide(y)) >> self.0) as u32;
                self.unsigned(high(a.low, b.low), high(a.high, b.high))
            }
            O::SMulHigh if a.least >= 0 && b.least >= 0 => self.binary(O::UMulHigh, a, b),
            O::UMin => self.unsigned(a.low.min(b.low), a.high.min(b.high)),
            O::UMax => self.unsigned(a.low.max(b.low), a.high.max(b.high)),
            O::SMin => self.signed_bounds(a.least.min(b.least), a.greatest.min(b.greatest)),
            O::SMax => self.signed_bounds(a.least.max(b.least), a.greatest.max(b.greatest)),
            O::And => {
                let of = Interval { zeros: a.zeros.max(b.zeros), ..self.unsigned(0, a.high.min(b.high)) };
                self.settle(of).unwrap_or(self.full())
            }
            O::Or | O::Xor => {
                let ones = u32::MAX.checked_shr((a.high | b.high).leading_zeros()).unwrap_or(0);
                let low = if op == O::Or { a.low.max(b.low) } else { 0 };
                let of = Interval { zeros: both as u8, ..self.unsigned(low, ones) };
                self.settle(of).unwrap_or(self.full())
            }
            O::AndNot => self.unsigned(0, a.high),
            O::Shl | O::LShr | O::AShr => self.shift(op, a, b),
            O::UDiv | O::SDiv | O::URem | O::SRem => self.division(op, a, b),
            _ => self.full(),
        }
    }

    fn signed_bounds(self, least: i32, greatest: i32) -> Interval {
        self.settle(Interval { least, greatest, ..self.full() }).unwrap_or(self.full())
    }

    fn shift(self, op: Opcode, a: Interval, b: Interval) -> Interval {
        // Counts are taken modulo the width.
        if b.high >= self.0 {
            return match op {
                Opcode::LShr => self.unsigned(0, a.high),
                _ => self.full(),
            };
        }
        let (few, many) = (b.low, b.high);
        match op {
            Opcode::LShr => self.unsigned(a.low >> many, a.high >> few),
            Opcode::AShr => self.signed_bounds(
                (a.least >> few).min(a.least >> many),
                (a.greatest >> few).max(a.greatest >> many),
            ),
            _ => self.result(
                [Some(u64::from(a.low) << few), Some(u64::from(a.high) << many)],
                Some([
                    (i64::from(a.least) << few).min(i64::from(a.least) << many),
                    (i64::from(a.greatest) << few).max(i64::from(a.greatest) << many),
                ]),
                u32::from(a.zeros) + few,
            ),
        }
    }

    fn division(self, op: Opcode, a: Interval, b: Interval) -> Interval {
        let is_signed = matches!(op, Opcode::SDiv | Opcode::SRem);
        if b.low == 0 || is_signed && (a.least < 0 || b.least <= 0) {
            return self.full();
        }
        match op {
            Opcode::UDiv | Opcode::SDiv => self.unsigned(a.low / b.high, a.high / b.low),
            _ => self.unsigned(0, a.high.min(b.high - 1)),
        }
    }

    /// What a comparison of numbers of this width gives, where that is always the same.
    pub fn compare(self, op: Opcode, a: Interval, b: Interval) -> Option<bool> {
        use Opcode as O;
        let decided = |always: bool, never: bool| match (always, never) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        match op {
            O::ULt => decided(a.high < b.low, a.low >= b.high),
            O::ULe => decided(a.high <= b.low, a.low > b.high),
            O::SLt if self.0 > 1 => decided(a.greatest < b.least, a.least >= b.greatest),
            O::SLe if self.0 > 1 => decided(a.greatest <= b.least, a.least > b.greatest),
            O::IEq | O::INe => {
                let same = a.low == a.high && a.low == b.low && a.high == b.high;
                let apart = self.meet(a, b).is_none();
                decided(same, apart).map(|equal| equal == (op == O::IEq))
            }
            _ => None,
        }
    }
}

impl Interval {
    /// What is in either.
    pub fn join(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            zeros: self.zeros.min(other.zeros),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Width};
    use pyro_ir::{Opcode, Scalar, eval};

    const OPS: [Opcode; 20] = {
        use Opcode as O;
        [
            O::IAdd,
            O::ISub,
            O::IMul,
            O::UMulHigh,
            O::UDiv,
            O::SDiv,
            O::URem,
            O::SRem,
            O::UMin,
            O::UMax,
            O::SMin,
            O::SMax,
            O::Shl,
            O::LShr,
            O::AShr,
            O::And,
            O::Or,
            O::Xor,
            O::AndNot,
            O::SMulHigh,
        ]
    };
    const COMPARISONS: [Opcode; 6] =
        [Opcode::IEq, Opcode::INe, Opcode::ULt, Opcode::ULe, Opcode::SLt, Opcode::SLe];

    fn is_in(width: Width, of: Interval, bits: u64) -> bool {
        let one = width.constant(bits);
        width.meet(of, one) == Some(one) && (bits == 0 || bits.trailing_zeros() >= of.zeros.into())
    }

    /// Intervals of bytes that every bound, sign and alignment occurs in.
    fn intervals(width: Width) -> Vec<Interval> {
        let ends = [0u8, 1, 2, 7, 8, 31, 100, 126, 127, 128, 129, 200, 254, 255];
        let mut all = vec![width.full()];
        for (index, &a) in ends.iter().enumerate() {
            for &b in &ends[index..] {
                let unsigned = width.unsigned(a.into(), b.into());
                all.push(unsigned);
                all.extend(width.settle(Interval { zeros: 2, ..unsigned }));
                let (a, b) = (a.wrapping_add(128) as i8, b.wrapping_add(128) as i8);
                all.push(width.signed_bounds(a.min(b).into(), a.max(b).into()));
            }
        }
        all
    }

    #[test]
    fn results_lie_within() {
        let width = Width::of(Scalar::I8).expect("eight bits");
        let all = intervals(width);
        for (count, &a) in all.iter().enumerate() {
            for &b in all.iter().skip(count % 41).step_by(41) {
                let within = |of: Interval| (0..256u64).filter(move |&bits| is_in(width, of, bits));
                let gives = OPS.map(|op| width.binary(op, a, b));
                let decides = COMPARISONS.map(|op| width.compare(op, a, b));
                for x in within(a).step_by(3) {
                    for y in within(b) {
                        for (&op, &of) in OPS.iter().zip(&gives) {
                            let bits = eval::pure(op, Scalar::I8, Scalar::I8, &[x, y], 0).expect("a number");
                            assert!(is_in(width, of, bits), "{op:?} {x} {y}: {bits} of {a:?} {b:?}: {of:?}");
                        }
                        for (&op, &of) in COMPARISONS.iter().zip(&decides) {
                            let bits = eval::pure(op, Scalar::I8, Scalar::I1, &[x, y], 0).expect("a number");
                            assert!(of.is_none_or(|of| u64::from(of) == bits), "{op:?} {x} {y} {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_tell_of_each_other() {
        let width = Width::of(Scalar::I32).expect("32 bits");
        // A counter from -16 to 16, an index to 63, and 16.
        let counter = width.signed_bounds(-16, 16);
        let index = width.binary(Opcode::IAdd, width.unsigned(0, 63), width.constant(16));
        let sum = width.binary(Opcode::IAdd, index, counter);
        assert_eq!((sum.low, sum.high), (0, 95));
        // Multiples of four below 16.
        let of = width.settle(Interval { zeros: 2, ..width.unsigned(0, 15) }).expect("some");
        assert_eq!(of.high, 12);
        assert_eq!(width.compare(Opcode::ULt, of, width.constant(13)), Some(true));
        assert_eq!(width.meet(width.constant(3), width.constant(4)), None);
    }
}
