//! The table of operations: mnemonic, signature, effect and meaning of each, in one place.
//!
//! The verifier, printer, parser, builder, constant folding, value numbering and both executors take their
//! facts from here.

/// Which types an operation takes and gives. `T` is one scalar type throughout; `int` is `i8` to `i64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// `() -> T`, any scalar; the bits are in the immediate.
    Const,
    /// `() -> i64`, uniform; the immediate says which entry argument.
    Arg,
    /// `() -> i32`, varying.
    LaneId,
    /// `() -> i1`, varying.
    Active,
    /// `() -> i64`, uniform.
    Clock,
    /// `(T) -> T`, `T` int.
    IntUnary,
    /// `(T) -> T`, `T` int or `i1`.
    BitUnary,
    /// `(T, T) -> T`, `T` int.
    IntBinary,
    /// `(T, T) -> T`, `T` int or `i1`.
    BitBinary,
    /// `(T) -> T`, `T` float.
    FloatUnary,
    /// `(T, T) -> T`, `T` float.
    FloatBinary,
    /// `(T, T, T) -> T`, `T` float.
    FloatTernary,
    /// `(T, T) -> i1`, `T` int or `i1`.
    IntCompare,
    /// `(T, T) -> i1`, `T` float.
    FloatCompare,
    /// `(i1, T, T) -> T`, any scalar.
    Select,
    /// `(int) -> narrower int`.
    Truncate,
    /// `(int or i1) -> wider int`.
    Extend,
    /// `(float) -> other float`; immediate 0 rounds to nearest even, 1 towards zero.
    FloatToFloat,
    /// `(float) -> int`.
    FloatToInt,
    /// `(int) -> float`.
    IntToFloat,
    /// `(T) -> U` of the same width, neither of them `i1`.
    Bitcast,
    /// `(i16) -> f32`.
    FromBfloat,
    /// `(f32) -> i16`.
    ToBfloat,
    /// `(i32) -> f32`.
    FromSrgb,
    /// `(f32) -> i32`.
    ToSrgb,
    /// `(uniform T) -> varying T`.
    Splat,
    /// `(varying i1) -> uniform i1`.
    MaskReduce,
    /// `(varying i1) -> uniform i64`.
    MaskToBits,
    /// `(uniform i64) -> varying i1`.
    MaskFromBits,
    /// `(varying T, uniform i32) -> uniform T`.
    LaneRead,
    /// `(varying T, varying i32) -> varying T`.
    Shuffle,
    /// `(base i64, offset i32|i64, predicate i1) -> T`.
    Load,
    /// `(base, offset, value T, predicate)`.
    Store,
    /// `(base, offset, value T, predicate) -> T`, the old value.
    Atomic,
    /// `(base, offset, comparator T, value T, predicate) -> T`, the old value.
    AtomicCompare,
    /// `(offset i32) -> T`; the immediate names the slot. Lane form only.
    SlotLoad,
    /// `(offset i32, value T)`; the immediate names the slot. Lane form only.
    SlotStore,
    /// `()`.
    Effect,
    /// `(function uniform i64, argument uniform i64)`.
    Call,
    /// `(function i64, image i64, sampler i64)`, the same in all lanes that come here; the immediate names
    /// the slot of the call record. Lane form only.
    SlotCall,
    /// `(function i64, record i64, table i64, rows i32…, unless i1, holds i1, here i1)`: any number of
    /// rows; function, record and table are the same in all lanes. The immediate is the site. Passes lower
    /// it.
    Report,
    /// `(tables i64 x 4, function i64, record i64, table i64, rows i32…, mark i32, offset i32|i64, here
    /// i1)`: any number of rows. The immediate is a `pyro_abi::shadow::Tracked`. Passes lower it.
    Track,
}

/// What an operation does besides giving a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: may be moved, merged, removed.
    Pure,
    /// Depends on which lanes have come here: may be removed, but neither moved to another block nor merged
    /// with one in another block.
    Convergent,
    /// Reads memory: ordered against writes to the same space, may be removed.
    Read,
    /// Writes memory, or reads and writes it: kept, ordered.
    Write,
    /// Kept, ordered against every memory operation, and not moved.
    Barrier,
}

macro_rules! opcodes {
    ($( $(#[doc = $doc:literal])+ $name:ident $text:literal $signature:ident $effect:ident; )+) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode { $( $(#[doc = $doc])+ $name, )+ }

        impl Opcode {
            /// All operations in table order.
            pub const ALL: &'static [Opcode] = &[ $( Opcode::$name, )+ ];

            /// The mnemonic in text.
            pub const fn name(self) -> &'static str {
                match self { $( Opcode::$name => $text, )+ }
            }

            /// Types in and out.
            #[inline]
            pub const fn signature(self) -> Signature {
                match self { $( Opcode::$name => Signature::$signature, )+ }
            }

            /// Side effects.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $( Opcode::$name => Effect::$effect, )+ }
            }

            /// One line on what it means, for tools.
            pub const fn doc(self) -> &'static str {
                match self { $( Opcode::$name => concat!($($doc),+), )+ }
            }
        }
    };
}

opcodes! {
    /// A constant: the immediate's low bits, as many as the type has. Uniform in mask form.
    Const "const" Const Pure;
    /// Entry argument: 0 the dispatch context's address, 1 the subgroup context's, 2 the address of
    /// `Function::constants`, which whoever runs the function provides.
    Arg "arg" Arg Pure;
    /// The lane's number within the subgroup, from 0.
    LaneId "lane_id" LaneId Pure;
    /// Whether this lane has come here. Lane form only: `linearize` puts the execution mask in its place.
    Active "active" Active Convergent;
    /// A monotonic counter of nanoseconds.
    Clock "clock" Clock Barrier;

    /// Sum, wrapping.
    IAdd "iadd" IntBinary Pure;
    /// Difference, wrapping.
    ISub "isub" IntBinary Pure;
    /// Product, low half.
    IMul "imul" IntBinary Pure;
    /// High half of the unsigned product.
    UMulHigh "umulh" IntBinary Pure;
    /// High half of the signed product.
    SMulHigh "smulh" IntBinary Pure;
    /// Unsigned quotient; all ones when divided by zero.
    UDiv "udiv" IntBinary Pure;
    /// Signed quotient towards zero; -1 when divided by zero; the least value over -1 is the least value.
    SDiv "sdiv" IntBinary Pure;
    /// Unsigned remainder; the dividend when divided by zero.
    URem "urem" IntBinary Pure;
    /// Signed remainder with the dividend's sign; the dividend when divided by zero; 0 when divided by -1.
    SRem "srem" IntBinary Pure;
    /// Smaller, unsigned.
    UMin "umin" IntBinary Pure;
    /// Larger, unsigned.
    UMax "umax" IntBinary Pure;
    /// Smaller, signed.
    SMin "smin" IntBinary Pure;
    /// Larger, signed.
    SMax "smax" IntBinary Pure;
    /// Left shift; the amount is taken modulo the width.
    Shl "shl" IntBinary Pure;
    /// Right shift filling with zeros; the amount is taken modulo the width.
    LShr "lshr" IntBinary Pure;
    /// Right shift filling with the sign; the amount is taken modulo the width.
    AShr "ashr" IntBinary Pure;
    /// Bitwise and.
    And "and" BitBinary Pure;
    /// Bitwise or.
    Or "or" BitBinary Pure;
    /// Bitwise exclusive or.
    Xor "xor" BitBinary Pure;
    /// Bitwise and of the first with the complement of the second.
    AndNot "andnot" BitBinary Pure;
    /// Bitwise complement.
    Not "not" BitUnary Pure;
    /// Number of one bits.
    PopCount "popcnt" IntUnary Pure;
    /// Number of zero bits above the highest one; the width for zero.
    CountLeadingZeros "clz" IntUnary Pure;
    /// Number of zero bits below the lowest one; the width for zero.
    CountTrailingZeros "ctz" IntUnary Pure;
    /// Bits in reverse order.
    BitReverse "bitrev" IntUnary Pure;
    /// Of bytes, two by two from the lowest: the first's unsigned times the second's signed ones, added, as a
    /// signed number of 16 bits, saturated. Narrower types count as zero-extended, and keep the low bits.
    DotBytes "dot_bytes" IntBinary Pure;
    /// Of bytes, four by four from the lowest: the first's unsigned times the second's signed ones, added, as
    /// a signed number of 32 bits. Narrower types count as zero-extended, and keep the low bits.
    DotFourBytes "dot_four_bytes" IntBinary Pure;
    /// Of signed numbers of 16 bits, two by two from the lowest: the products, added, as a number of 32 bits,
    /// wrapping. Narrower types count as zero-extended, and keep the low bits.
    DotHalves "dot_halves" IntBinary Pure;
    /// Byte `i` is that byte of the first whose number, modulo the type's bytes, is byte `i` of the second;
    /// zero where that has its highest bit set.
    ShuffleBytes "shuffle_bytes" IntBinary Pure;

    /// Equal.
    IEq "ieq" IntCompare Pure;
    /// Not equal.
    INe "ine" IntCompare Pure;
    /// Less, unsigned.
    ULt "ult" IntCompare Pure;
    /// Less or equal, unsigned.
    ULe "ule" IntCompare Pure;
    /// Less, signed.
    SLt "slt" IntCompare Pure;
    /// Less or equal, signed.
    SLe "sle" IntCompare Pure;

    /// Sum, rounded to nearest even. The immediate 1 forbids to fuse it with a product (`NoContraction`).
    FAdd "fadd" FloatBinary Pure;
    /// Difference, rounded to nearest even. The immediate 1 forbids to fuse it with a product.
    FSub "fsub" FloatBinary Pure;
    /// Product, rounded to nearest even. The immediate 1 forbids to fuse it with a sum (`NoContraction`).
    FMul "fmul" FloatBinary Pure;
    /// Quotient, rounded to nearest even.
    FDiv "fdiv" FloatBinary Pure;
    /// `a < b ? a : b`: the second when either is NaN or both are zero.
    FMin "fmin" FloatBinary Pure;
    /// `a > b ? a : b`: the second when either is NaN or both are zero.
    FMax "fmax" FloatBinary Pure;
    /// `a * b + c`, rounded once; the immediate may have [`crate::InstData::INTERPOLATES`] and
    /// [`crate::InstData::MAY_ROUND_TWICE`].
    FFma "fma" FloatTernary Pure;
    /// Flips the sign bit.
    FNeg "fneg" FloatUnary Pure;
    /// Clears the sign bit.
    FAbs "fabs" FloatUnary Pure;
    /// Square root, correctly rounded; NaN below zero, -0 for -0.
    FSqrt "fsqrt" FloatUnary Pure;
    /// Rounds to an integral value, down.
    FFloor "ffloor" FloatUnary Pure;
    /// Rounds to an integral value, up.
    FCeil "fceil" FloatUnary Pure;
    /// Rounds to an integral value, towards zero.
    FTrunc "ftrunc" FloatUnary Pure;
    /// Rounds to an integral value, to nearest even.
    FRound "fround" FloatUnary Pure;
    /// Equal; false when either is NaN.
    FEq "feq" FloatCompare Pure;
    /// Not equal; true when either is NaN.
    FNe "fne" FloatCompare Pure;
    /// Less; false when either is NaN.
    FLt "flt" FloatCompare Pure;
    /// Less or equal; false when either is NaN.
    FLe "fle" FloatCompare Pure;

    /// The second operand where the first is true, else the third.
    Select "select" Select Pure;

    /// Keeps the low bits.
    Truncate "trunc" Truncate Pure;
    /// Fills with zeros.
    ZeroExtend "zext" Extend Pure;
    /// Fills with the sign; true becomes all ones.
    SignExtend "sext" Extend Pure;
    /// Between float widths. NaN stays NaN (quiet, the payload's high bits kept, as x86-64 does).
    FConvert "fconvert" FloatToFloat Pure;
    /// Towards zero, saturating at the signed type's limits; NaN gives 0.
    FToS "ftos" FloatToInt Pure;
    /// Towards zero, saturating at the unsigned type's limits; NaN gives 0.
    FToU "ftou" FloatToInt Pure;
    /// From signed, rounded to nearest even.
    SToF "stof" IntToFloat Pure;
    /// From unsigned, rounded to nearest even.
    UToF "utof" IntToFloat Pure;
    /// The same bits as another type.
    Bitcast "bitcast" Bitcast Pure;
    /// From bfloat16 bits, exactly.
    FromBfloat "from_bf16" FromBfloat Pure;
    /// To bfloat16 bits, rounded to nearest even; NaN stays NaN.
    ToBfloat "to_bf16" ToBfloat Pure;
    /// From the sRGB code in the low byte ([`crate::eval::srgb`]), a value within [0, 1].
    FromSrgb "from_srgb" FromSrgb Pure;
    /// To the sRGB code of the value clamped to [0, 1] ([`crate::eval::srgb`]); NaN gives 0.
    ToSrgb "to_srgb" ToSrgb Pure;

    /// One scalar to all lanes.
    Splat "splat" Splat Pure;
    /// Whether the mask has any lane.
    Any "any" MaskReduce Pure;
    /// Bit `i` is lane `i` of the mask; bits past the subgroup are zero. In lane form the mask holds what
    /// *every* lane computed, so front ends combine it with `active` first.
    Ballot "ballot" MaskToBits Convergent;
    /// Lane `i` is bit `i`.
    MaskFromBits "mask_from_bits" MaskFromBits Pure;
    /// The value of the lane whose number is given, modulo the subgroup size; active or not.
    LaneRead "lane_read" LaneRead Convergent;
    /// Lane `i` gets the value of lane `index[i]` modulo the subgroup size; active or not.
    Shuffle "shuffle" Shuffle Convergent;

    /// Reads memory; zero where the predicate is false.
    Load "load" Load Read;
    /// Writes memory where the predicate is true.
    Store "store" Store Write;
    /// Old value; memory becomes the sum, wrapping. With a uniform value it is done once for the subgroup.
    AtomicAdd "atomic_add" Atomic Write;
    /// Old value; memory becomes the bitwise and.
    AtomicAnd "atomic_and" Atomic Write;
    /// Old value; memory becomes the bitwise or.
    AtomicOr "atomic_or" Atomic Write;
    /// Old value; memory becomes the exclusive or.
    AtomicXor "atomic_xor" Atomic Write;
    /// Old value; memory becomes the smaller, unsigned.
    AtomicUMin "atomic_umin" Atomic Write;
    /// Old value; memory becomes the larger, unsigned.
    AtomicUMax "atomic_umax" Atomic Write;
    /// Old value; memory becomes the smaller, signed.
    AtomicSMin "atomic_smin" Atomic Write;
    /// Old value; memory becomes the larger, signed.
    AtomicSMax "atomic_smax" Atomic Write;
    /// Old value; memory becomes the value (integer or float type: bits).
    AtomicExchange "atomic_xchg" Atomic Write;
    /// Old value; memory becomes the float sum.
    AtomicFAdd "atomic_fadd" Atomic Write;
    /// Old value; memory becomes the smaller float (the other when one is NaN).
    AtomicFMin "atomic_fmin" Atomic Write;
    /// Old value; memory becomes the larger float (the other when one is NaN).
    AtomicFMax "atomic_fmax" Atomic Write;
    /// Old value; memory becomes the value where it equals the comparator.
    AtomicCompareExchange "atomic_cmpxchg" AtomicCompare Write;

    /// Reads a slot at a byte offset. Lane form only.
    SlotLoad "slot_load" SlotLoad Read;
    /// Writes a slot at a byte offset. Lane form only.
    SlotStore "slot_store" SlotStore Write;

    /// Orders memory operations before it against those after it: all, or those on workgroup memory, as the
    /// immediate says ([`crate::InstData::ORDERS_SHARED`]).
    Fence "fence" Effect Barrier;
    /// Leaves the shader with the exit code in the immediate and goes on behind it when called again. The
    /// `suspend` pass turns it into an exit and a resume point.
    Suspend "suspend" Effect Barrier;
    /// Calls the function object (`pyro_abi::Callable`) at the first address with the second. It may read and
    /// write any memory that is not read-only, unless the immediate says that it writes its record only
    /// ([`crate::InstData::CALL_READS_ONLY`]). Never run without lanes: `linearize` guards it.
    Call "call" Call Barrier;
    /// Calls an image function with the call record (`pyro_abi::image::record`) in a slot, for the lanes that
    /// have come here. The rows are accessed as the slot's words; the header is filled in here. Lane form
    /// only: the `slots` pass turns it into stores and a `call`.
    SlotCall "slot_call" SlotCall Barrier;
    /// Reports (`pyro_abi::report`) from the lanes that are here, where what should hold does not, unless
    /// there is a reason. It changes nothing that the shader sees. `lower_slots` says where its record is,
    /// and the `report_lowering` pass makes a branch and a call of it.
    Report "report" Report Write;
    /// Tells shadow memory (`pyro_abi::shadow`) of an access by the lanes that are here. The `track_lowering`
    /// pass makes accesses of shadow memory of it, and a `report`.
    Track "track" Track Write;
}

impl Opcode {
    /// The operation with this mnemonic.
    pub fn from_name(name: &str) -> Option<Opcode> {
        Opcode::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Number of operands; the least number where it varies.
    #[inline]
    pub const fn arg_count(self) -> usize {
        use Signature as S;
        match self.signature() {
            S::Const | S::Arg | S::LaneId | S::Active | S::Clock | S::Effect => 0,
            S::IntUnary
            | S::BitUnary
            | S::FloatUnary
            | S::Truncate
            | S::Extend
            | S::FloatToFloat
            | S::FloatToInt
            | S::IntToFloat
            | S::Bitcast
            | S::FromBfloat
            | S::ToBfloat
            | S::FromSrgb
            | S::ToSrgb
            | S::Splat
            | S::MaskReduce
            | S::MaskToBits
            | S::MaskFromBits
            | S::SlotLoad => 1,
            S::IntBinary
            | S::BitBinary
            | S::FloatBinary
            | S::IntCompare
            | S::FloatCompare
            | S::LaneRead
            | S::Shuffle
            | S::SlotStore
            | S::Call => 2,
            S::FloatTernary | S::Select | S::Load | S::SlotCall => 3,
            S::Store | S::Atomic => 4,
            S::AtomicCompare => 5,
            S::Report => 6,
            S::Track => 10,
        }
    }

    /// Whether it may have more operands than [`Opcode::arg_count`].
    #[inline]
    pub const fn is_variadic(self) -> bool {
        matches!(self.signature(), Signature::Report | Signature::Track)
    }

    /// Whether it may have this number of operands.
    #[inline]
    pub const fn takes(self, operands: usize) -> bool {
        if self.is_variadic() { operands >= self.arg_count() } else { operands == self.arg_count() }
    }

    /// Whether it gives a result.
    #[inline]
    pub const fn has_result(self) -> bool {
        use Signature as S;
        !matches!(
            self.signature(),
            S::Store | S::SlotStore | S::Effect | S::Call | S::SlotCall | S::Report | S::Track
        )
    }

    /// Whether the last operand is a predicate that `linearize` combines with the execution mask.
    #[inline]
    pub const fn has_predicate(self) -> bool {
        matches!(
            self.signature(),
            Signature::Load | Signature::Store | Signature::Atomic | Signature::AtomicCompare
        )
    }

    /// Whether the immediate is a [`crate::MemoryOp`].
    #[inline]
    pub const fn is_memory(self) -> bool {
        self.has_predicate()
    }

    /// Whether the immediate 1 forbids to fuse the operation with another (`NoContraction`).
    #[inline]
    pub const fn takes_no_contraction(self) -> bool {
        matches!(self, Opcode::FAdd | Opcode::FSub | Opcode::FMul)
    }

    /// Whether swapping the two operands changes nothing.
    #[inline]
    pub const fn is_commutative(self) -> bool {
        use Opcode as O;
        matches!(
            self,
            O::IAdd
                | O::IMul
                | O::UMulHigh
                | O::SMulHigh
                | O::UMin
                | O::UMax
                | O::SMin
                | O::SMax
                | O::And
                | O::Or
                | O::Xor
                | O::IEq
                | O::INe
                | O::FEq
                | O::FNe
        )
    }
}
