//! The table of AArch64 instructions: bits, operands and text of each, in one place.
//!
//! An instruction is a word of 32 bits whose registers lie in four fields. A row holds the word with all
//! fields zero; [`Op::of`] and its kin fill in sizes and immediates and give an [`Encoded`], which lacks only
//! the registers. The text of a row is for tests, which compare every row with two disassemblers, and for
//! listings.

/// Which registers an instruction has, in the order of its operands, and whether one is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::upper_case_acronyms, reason = "the letters are those of operands in ARM's manual")]
pub(crate) enum Form {
    /// None.
    None,
    /// The result.
    D,
    /// A source in the result's field.
    S,
    /// Result and source.
    DN,
    /// Result and source, which is in the field of bit 16.
    DM,
    /// Two sources.
    NM,
    /// Source in the result's field, and an address.
    SN,
    /// One source.
    N,
    /// Result and two sources.
    DNM,
    /// Source in the result's field, an address and an index.
    SNM,
    /// Result and three sources.
    DNMA,
    /// Result that holds something before, and a source.
    TN,
    /// Result that holds something before, and two sources.
    TNM,
    /// Two results (the second in the field of bit 10), and an address.
    DAN,
    /// Two sources (the second in the field of bit 10), and an address.
    SAN,
    /// A status in the field of bit 16, a source in the result's field, and an address.
    MSN,
}

impl Form {
    /// Where the registers go, in the order of the operands. What is read and written is there once.
    pub(crate) const fn fields(self) -> &'static [u32] {
        match self {
            Form::None => &[],
            Form::D | Form::S => &[0],
            Form::N => &[5],
            Form::NM => &[5, 16],
            Form::DN | Form::SN | Form::TN => &[0, 5],
            Form::DM => &[0, 16],
            Form::DNM | Form::SNM | Form::TNM => &[0, 5, 16],
            Form::DNMA => &[0, 5, 16, 10],
            Form::DAN | Form::SAN => &[0, 10, 5],
            Form::MSN => &[16, 0, 5],
        }
    }

    /// Whether the result holds something before, as the operand behind it.
    pub(crate) const fn is_tied(self) -> bool {
        matches!(self, Form::TN | Form::TNM)
    }
}

/// Which variants a row has, and where the word says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variants {
    /// One.
    One,
    /// Vectors of integers of 8 to 64 bits: bits 22 and 23.
    Ints,
    /// The same up to 32 bits.
    Words,
    /// Vectors of floats of 32 and 64 bits: bit 22.
    Floats,
    /// General registers of 32 and 64 bits: bit 31.
    General,
    /// The same; the 64-bit form also has bit 22 (bit fields).
    Fields,
    /// Left shifts of integers: the width plus the count from bit 16 on.
    Left,
    /// Right shifts of integers: twice the width minus the count from bit 16 on.
    Right,
    /// An element of a register: its width and number from bit 16 on.
    Lane,
    /// Memory access by width: bits 30 and 31.
    Memory,
    /// One element to memory or from there: its number and width are spread over bits 10 to 12, 14, 15, 30.
    MemoryLane,
    /// Elements by width: bits 10 and 11.
    Structure,
}

/// An immediate by position, bits, and logarithm of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Imm {
    pub(crate) at: u32,
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) word: u32,
    pub(crate) form: Form,
    pub(crate) variants: Variants,
    pub(crate) imm: Option<Imm>,
    pub(crate) text: &'static str,
}

/// An instruction that lacks its registers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Encoded {
    pub(crate) word: u32,
    pub(crate) row: Op,
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.row.text.split(' ').next().unwrap_or(self.row.text))
    }
}

impl Encoded {
    /// The word with these registers.
    pub(crate) fn with(self, registers: &[u8]) -> u32 {
        debug_assert_eq!(registers.len(), self.row.form.fields().len(), "{self:?}");
        let fields = self.row.form.fields().iter().zip(registers);
        fields.fold(self.word, |word, (&at, &register)| word | u32::from(register) << at)
    }

    /// The same with an immediate in a field that starts at this bit.
    pub(crate) const fn bits(self, at: u32, value: u32) -> Encoded {
        Encoded { word: self.word | value << at, ..self }
    }

    /// Bits of an element, and the number of a shift or of an element: what [`Op::of`], [`Op::shift`] and
    /// [`Op::lane`] were asked for, where the row has variants.
    pub(crate) fn variant(self) -> (u32, u32) {
        let set = self.word & !self.row.word;
        let floor = |value: u32| 1 << (31 - value.leading_zeros());
        match self.row.variants {
            Variants::Ints | Variants::Words => (8 << (set >> 22 & 3), 0),
            Variants::Floats => (32 << (set >> 22 & 1), 0),
            Variants::General | Variants::Fields => (32 << (set >> 31), 0),
            Variants::Left => (floor(set >> 16 & 0x7f), (set >> 16 & 0x7f) - floor(set >> 16 & 0x7f)),
            Variants::Right => (floor(set >> 16 & 0x7f), 2 * floor(set >> 16 & 0x7f) - (set >> 16 & 0x7f)),
            Variants::Lane => {
                let bytes = 1 << (set >> 16 & 0x1f).trailing_zeros();
                (8 * bytes, (set >> 16 & 0x1f) / (2 * bytes))
            }
            Variants::Structure => (8 << (set >> 10 & 3), 0),
            Variants::One | Variants::Memory | Variants::MemoryLane => (0, 0),
        }
    }
}

impl Op {
    const fn encoded(&self, bits: u32) -> Encoded {
        Encoded { word: self.word | bits, row: *self }
    }

    /// The only variant.
    pub(crate) const fn one(&self) -> Encoded {
        self.encoded(0)
    }

    /// The variant for elements, registers or accesses of so many bits.
    pub(crate) fn of(&self, bits: u32) -> Encoded {
        let log = bits.trailing_zeros().wrapping_sub(3);
        self.encoded(match self.variants {
            Variants::One => 0,
            Variants::Ints => log << 22,
            Variants::Words => {
                debug_assert!(log < 3);
                log << 22
            }
            Variants::Floats => {
                debug_assert!(log == 2 || log == 3);
                (log - 2) << 22
            }
            Variants::General => u32::from(bits == 64) << 31,
            Variants::Fields => u32::from(bits == 64) << 31 | u32::from(bits == 64) << 22,
            Variants::Memory => log << 30,
            Variants::Structure => log << 10,
            Variants::Left | Variants::Right | Variants::Lane | Variants::MemoryLane => {
                unreachable!("needs a number, too")
            }
        })
    }

    /// A shift of elements of so many bits.
    pub(crate) fn shift(&self, bits: u32, count: u32) -> Encoded {
        match self.variants {
            Variants::Left => {
                debug_assert!(count < bits);
                self.encoded((bits + count) << 16)
            }
            _ => {
                debug_assert!((1..=bits).contains(&count));
                self.encoded((2 * bits - count) << 16)
            }
        }
    }

    /// The element of this number.
    pub(crate) fn lane(&self, bits: u32, lane: u32) -> Encoded {
        debug_assert!(lane < 128 / bits);
        let bytes = bits / 8;
        self.encoded(match self.variants {
            Variants::MemoryLane => {
                let byte = lane * bytes;
                let opcode = match bits {
                    8 => 0,
                    16 => 2,
                    _ => 4,
                };
                let size = if bits == 64 { 1 } else { byte & 3 };
                (byte >> 3) << 30
                    | opcode << 13
                    | ((byte >> 2 & 1) * u32::from(bits != 64)) << 12
                    | size << 10
            }
            _ => ((lane * 2 * bytes) | bytes) << 16,
        })
    }

    /// With an immediate, in units of its field.
    pub(crate) fn imm(&self, bits: u32, value: i32) -> Encoded {
        let imm = self.imm.expect("the row has an immediate");
        debug_assert!(imm.holds(value), "{} {value}", self.text);
        self.of(bits).bits(imm.at, value as u32 & ((1 << imm.bits) - 1))
    }
}

impl Imm {
    /// Whether the field can hold a value.
    pub(crate) const fn holds(self, value: i32) -> bool {
        let end = 1i64 << (self.bits - self.signed as u32);
        let value = value as i64;
        value < end && value >= if self.signed { -end } else { 0 }
    }
}

macro_rules! rows {
    ($(
        $name:ident $word:literal $form:ident $variants:ident
        $(imm($at:literal, $bits:literal, $signed:literal))? $text:literal;
    )+) => {
        $(
            pub(crate) const $name: Op = Op {
                word: $word,
                form: Form::$form,
                variants: Variants::$variants,
                imm: rows!(@imm $($at, $bits, $signed)?),
                text: $text,
            };
        )+
        /// All rows.
        #[cfg(test)]
        pub(crate) const TABLE: &[(&str, Op)] = &[$((stringify!($name), $name)),+];
    };
    (@imm) => { None };
    (@imm $at:literal, $bits:literal, $signed:literal) => {
        Some(Imm { at: $at, bits: $bits, signed: $signed })
    };
}

// In texts: d, n, m, a are registers by field; T the arrangement, N the narrower and L the wider one of half
// as many or twice as many bits; E the element's letter; R the letter of general registers; i an immediate.
rows! {
    // Vectors: integers.
    ADD 0x4e208400 DNM Ints "add v{d}.{T}, v{n}.{T}, v{m}.{T}";
    SUB 0x6e208400 DNM Ints "sub v{d}.{T}, v{n}.{T}, v{m}.{T}";
    MUL 0x4e209c00 DNM Words "mul v{d}.{T}, v{n}.{T}, v{m}.{T}";
    SMAX 0x4e206400 DNM Words "smax v{d}.{T}, v{n}.{T}, v{m}.{T}";
    UMAX 0x6e206400 DNM Words "umax v{d}.{T}, v{n}.{T}, v{m}.{T}";
    SMIN 0x4e206c00 DNM Words "smin v{d}.{T}, v{n}.{T}, v{m}.{T}";
    UMIN 0x6e206c00 DNM Words "umin v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMGT 0x4e203400 DNM Ints "cmgt v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMHI 0x6e203400 DNM Ints "cmhi v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMGE 0x4e203c00 DNM Ints "cmge v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMHS 0x6e203c00 DNM Ints "cmhs v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMEQ 0x6e208c00 DNM Ints "cmeq v{d}.{T}, v{n}.{T}, v{m}.{T}";
    CMTST 0x4e208c00 DNM Ints "cmtst v{d}.{T}, v{n}.{T}, v{m}.{T}";
    SSHL 0x4e204400 DNM Ints "sshl v{d}.{T}, v{n}.{T}, v{m}.{T}";
    USHL 0x6e204400 DNM Ints "ushl v{d}.{T}, v{n}.{T}, v{m}.{T}";
    ADDP 0x4e20bc00 DNM Ints "addp v{d}.{T}, v{n}.{T}, v{m}.{T}";
    AND 0x4e201c00 DNM One "and v{d}.16b, v{n}.16b, v{m}.16b";
    BIC 0x4e601c00 DNM One "bic v{d}.16b, v{n}.16b, v{m}.16b";
    ORR 0x4ea01c00 DNM One "orr v{d}.16b, v{n}.16b, v{m}.16b";
    ORN 0x4ee01c00 DNM One "orn v{d}.16b, v{n}.16b, v{m}.16b";
    EOR 0x6e201c00 DNM One "eor v{d}.16b, v{n}.16b, v{m}.16b";
    BSL 0x6e601c00 TNM One "bsl v{d}.16b, v{n}.16b, v{m}.16b";
    CMEQ_ZERO 0x4e209800 DN Ints "cmeq v{d}.{T}, v{n}.{T}, #0";
    NEG 0x6e20b800 DN Ints "neg v{d}.{T}, v{n}.{T}";
    REV64 0x4e200800 DN Words "rev64 v{d}.{T}, v{n}.{T}";
    REV32_BYTES 0x6e200800 DN One "rev32 v{d}.16b, v{n}.16b";
    REV16_BYTES 0x4e201800 DN One "rev16 v{d}.16b, v{n}.16b";
    CLZ 0x6e204800 DN Words "clz v{d}.{T}, v{n}.{T}";
    CNT 0x4e205800 DN One "cnt v{d}.16b, v{n}.16b";
    NOT 0x6e205800 DN One "mvn v{d}.16b, v{n}.16b";
    RBIT 0x6e605800 DN One "rbit v{d}.16b, v{n}.16b";
    UADDLP 0x6e202800 DN Words "uaddlp v{d}.{L}, v{n}.{T}";
    XTN 0x0e212800 DN Words "xtn v{d}.{H}, v{n}.{L}";
    SQXTN 0x0e214800 DN Words "sqxtn v{d}.{H}, v{n}.{L}";
    UQXTN 0x2e214800 DN Words "uqxtn v{d}.{H}, v{n}.{L}";
    SQXTN2 0x4e214800 TN Words "sqxtn2 v{d}.{T}, v{n}.{L}";
    UQXTN2 0x6e214800 TN Words "uqxtn2 v{d}.{T}, v{n}.{L}";
    UMULL 0x2e20c000 DNM Words "umull v{d}.{L}, v{n}.{H}, v{m}.{H}";
    UMULL2 0x6e20c000 DNM Words "umull2 v{d}.{L}, v{n}.{T}, v{m}.{T}";
    SMULL 0x0e20c000 DNM Words "smull v{d}.{L}, v{n}.{H}, v{m}.{H}";
    SMULL2 0x4e20c000 DNM Words "smull2 v{d}.{L}, v{n}.{T}, v{m}.{T}";
    UMLAL 0x2e208000 TNM Words "umlal v{d}.{L}, v{n}.{H}, v{m}.{H}";
    UMAXV 0x6eb0a800 DN One "umaxv s{d}, v{n}.4s";
    UMINV 0x6eb1a800 DN One "uminv s{d}, v{n}.4s";
    UZP1 0x4e001800 DNM Ints "uzp1 v{d}.{T}, v{n}.{T}, v{m}.{T}";
    UZP2 0x4e005800 DNM Ints "uzp2 v{d}.{T}, v{n}.{T}, v{m}.{T}";
    TBL 0x4e000000 DNM One "tbl v{d}.16b, {v{n}.16b}, v{m}.16b";
    SHL 0x4f005400 DN Left "shl v{d}.{T}, v{n}.{T}, #{i}";
    SSHR 0x4f000400 DN Right "sshr v{d}.{T}, v{n}.{T}, #{i}";
    USHR 0x6f000400 DN Right "ushr v{d}.{T}, v{n}.{T}, #{i}";
    DUP 0x4e000400 DN Lane "dup v{d}.{T}, v{n}.{E}[{i}]";
    DUP_GENERAL 0x4e000c00 DN Lane "dup v{d}.{T}, {G}{n}";
    INS_GENERAL 0x4e001c00 TN Lane "mov v{d}.{E}[{i}], {G}{n}";
    UMOV 0x0e003c00 DN Lane "umov w{d}, v{n}.{E}[{i}]";
    UMOV_QUAD 0x4e083c00 DN One "mov x{d}, v{n}.d[0]";
    UMOV_QUAD_HIGH 0x4e183c00 DN One "mov x{d}, v{n}.d[1]";
    MOVI 0x4f000400 D One "movi v{d}.4s, #0x0";
    SSHLL 0x0f00a400 DN Left "sshll v{d}.{L}, v{n}.{H}, #{i}";
    SSHLL2 0x4f00a400 DN Left "sshll2 v{d}.{L}, v{n}.{T}, #{i}";
    USHLL 0x2f00a400 DN Left "ushll v{d}.{L}, v{n}.{H}, #{i}";
    USHLL2 0x6f00a400 DN Left "ushll2 v{d}.{L}, v{n}.{T}, #{i}";
    // Vectors: floats.
    FADD 0x4e20d400 DNM Floats "fadd v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FSUB 0x4ea0d400 DNM Floats "fsub v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FMUL 0x6e20dc00 DNM Floats "fmul v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FDIV 0x6e20fc00 DNM Floats "fdiv v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FMLA 0x4e20cc00 TNM Floats "fmla v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FMLS 0x4ea0cc00 TNM Floats "fmls v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FCMEQ 0x4e20e400 DNM Floats "fcmeq v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FCMGE 0x6e20e400 DNM Floats "fcmge v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FCMGT 0x6ea0e400 DNM Floats "fcmgt v{d}.{T}, v{n}.{T}, v{m}.{T}";
    FABS 0x4ea0f800 DN Floats "fabs v{d}.{T}, v{n}.{T}";
    FNEG 0x6ea0f800 DN Floats "fneg v{d}.{T}, v{n}.{T}";
    FSQRT 0x6ea1f800 DN Floats "fsqrt v{d}.{T}, v{n}.{T}";
    FRINTN 0x4e218800 DN Floats "frintn v{d}.{T}, v{n}.{T}";
    FRINTM 0x4e219800 DN Floats "frintm v{d}.{T}, v{n}.{T}";
    FRINTP 0x4ea18800 DN Floats "frintp v{d}.{T}, v{n}.{T}";
    FRINTZ 0x4ea19800 DN Floats "frintz v{d}.{T}, v{n}.{T}";
    FCVTZS 0x4ea1b800 DN Floats "fcvtzs v{d}.{T}, v{n}.{T}";
    FCVTZU 0x6ea1b800 DN Floats "fcvtzu v{d}.{T}, v{n}.{T}";
    SCVTF 0x4e21d800 DN Floats "scvtf v{d}.{T}, v{n}.{T}";
    UCVTF 0x6e21d800 DN Floats "ucvtf v{d}.{T}, v{n}.{T}";
    FCVTN_HALF 0x0e216800 DN One "fcvtn v{d}.4h, v{n}.4s";
    FCVTN2_HALF 0x4e216800 TN One "fcvtn2 v{d}.8h, v{n}.4s";
    FCVTN_SINGLE 0x0e616800 DN One "fcvtn v{d}.2s, v{n}.2d";
    FCVTN2_SINGLE 0x4e616800 TN One "fcvtn2 v{d}.4s, v{n}.2d";
    FCVTXN 0x2e616800 DN One "fcvtxn v{d}.2s, v{n}.2d";
    FCVTXN2 0x6e616800 TN One "fcvtxn2 v{d}.4s, v{n}.2d";
    FCVTL_HALF 0x0e217800 DN One "fcvtl v{d}.4s, v{n}.4h";
    FCVTL2_HALF 0x4e217800 DN One "fcvtl2 v{d}.4s, v{n}.8h";
    FCVTL_SINGLE 0x0e617800 DN One "fcvtl v{d}.2d, v{n}.2s";
    FCVTL2_SINGLE 0x4e617800 DN One "fcvtl2 v{d}.2d, v{n}.4s";
    // Vectors: floats of 16 bits (FEAT_FP16).
    FADD_HALF 0x4e401400 DNM One "fadd v{d}.8h, v{n}.8h, v{m}.8h";
    FSUB_HALF 0x4ec01400 DNM One "fsub v{d}.8h, v{n}.8h, v{m}.8h";
    FMUL_HALF 0x6e401c00 DNM One "fmul v{d}.8h, v{n}.8h, v{m}.8h";
    FDIV_HALF 0x6e403c00 DNM One "fdiv v{d}.8h, v{n}.8h, v{m}.8h";
    FMLA_HALF 0x4e400c00 TNM One "fmla v{d}.8h, v{n}.8h, v{m}.8h";
    FCMEQ_HALF 0x4e402400 DNM One "fcmeq v{d}.8h, v{n}.8h, v{m}.8h";
    FCMGE_HALF 0x6e402400 DNM One "fcmge v{d}.8h, v{n}.8h, v{m}.8h";
    FCMGT_HALF 0x6ec02400 DNM One "fcmgt v{d}.8h, v{n}.8h, v{m}.8h";
    FSQRT_HALF 0x6ef9f800 DN One "fsqrt v{d}.8h, v{n}.8h";
    FRINTN_HALF 0x4e798800 DN One "frintn v{d}.8h, v{n}.8h";
    FRINTM_HALF 0x4e799800 DN One "frintm v{d}.8h, v{n}.8h";
    FRINTP_HALF 0x4ef98800 DN One "frintp v{d}.8h, v{n}.8h";
    FRINTZ_HALF 0x4ef99800 DN One "frintz v{d}.8h, v{n}.8h";
    // Between vector and general registers.
    SCVTF_SINGLE_QUAD 0x9e220000 DN One "scvtf s{d}, x{n}";
    UCVTF_SINGLE_QUAD 0x9e230000 DN One "ucvtf s{d}, x{n}";
    FMOV_TO_GENERAL 0x1e260000 DN One "fmov w{d}, s{n}";
    FMOV_TO_GENERAL_QUAD 0x9e660000 DN One "fmov x{d}, d{n}";
    FMOV_FROM_GENERAL 0x1e270000 DN One "fmov s{d}, w{n}";
    FMOV_FROM_GENERAL_QUAD 0x9e670000 DN One "fmov d{d}, x{n}";
    // Scalars, for atomic operations.
    FADD_SCALAR 0x1e202800 DNM One "fadd s{d}, s{n}, s{m}";
    FADD_SCALAR_DOUBLE 0x1e602800 DNM One "fadd d{d}, d{n}, d{m}";
    FCMP 0x1e202000 NM One "fcmp s{n}, s{m}";
    FCMP_DOUBLE 0x1e602000 NM One "fcmp d{n}, d{m}";
    FCVT_FROM_HALF 0x1ee24000 DN One "fcvt s{d}, h{n}";
    FCVT_TO_HALF 0x1e23c000 DN One "fcvt h{d}, s{n}";
    // General registers.
    ADD_GENERAL 0x0b000000 DNM General "add {R}{d}, {R}{n}, {R}{m}";
    SUB_GENERAL 0x4b000000 DNM General "sub {R}{d}, {R}{n}, {R}{m}";
    CMP_GENERAL 0x6b00001f NM General "cmp {R}{n}, {R}{m}";
    AND_GENERAL 0x0a000000 DNM General "and {R}{d}, {R}{n}, {R}{m}";
    BIC_GENERAL 0x0a200000 DNM General "bic {R}{d}, {R}{n}, {R}{m}";
    ORR_GENERAL 0x2a000000 DNM General "orr {R}{d}, {R}{n}, {R}{m}";
    EOR_GENERAL 0x4a000000 DNM General "eor {R}{d}, {R}{n}, {R}{m}";
    MOV_GENERAL 0x2a0003e0 DM General "mov {R}{d}, {R}{m}";
    MVN_GENERAL 0x2a2003e0 DM General "mvn {R}{d}, {R}{m}";
    NEG_GENERAL 0x4b0003e0 DM General "neg {R}{d}, {R}{m}";
    ADD_IMM 0x11000000 DN General imm(10, 12, false) "add {R}{d}, {R}{n}, #{i}";
    ADD_IMM_HIGH 0x11400000 DN General imm(10, 12, false) "add {R}{d}, {R}{n}, #{i}, lsl #12";
    SUB_IMM 0x51000000 DN General imm(10, 12, false) "sub {R}{d}, {R}{n}, #{i}";
    SUB_IMM_HIGH 0x51400000 DN General imm(10, 12, false) "sub {R}{d}, {R}{n}, #{i}, lsl #12";
    CMP_IMM 0x7100001f N General imm(10, 12, false) "cmp {R}{n}, #{i}";
    CMN_IMM 0x3100001f N General imm(10, 12, false) "cmn {R}{n}, #{i}";
    ADD_SHIFTED 0x0b000000 DNM General imm(10, 5, false) "add {R}{d}, {R}{n}, {R}{m}, lsl #{i}";
    ADD_EXTENDED 0x8b204000 DNM One "add x{d}, x{n}, w{m}, uxtw";
    ADD_SIGNED 0x8b20c000 DNM One "add x{d}, x{n}, w{m}, sxtw";
    ADD_HIGH 0x8b408000 DNM One "add x{d}, x{n}, x{m}, lsr #32";
    MSUB 0x1b008000 DNMA General "msub {R}{d}, {R}{n}, {R}{m}, {R}{a}";
    MUL_GENERAL 0x1b007c00 DNM General "mul {R}{d}, {R}{n}, {R}{m}";
    SMULH 0x9b407c00 DNM One "smulh x{d}, x{n}, x{m}";
    UMULH 0x9bc07c00 DNM One "umulh x{d}, x{n}, x{m}";
    UDIV 0x1ac00800 DNM General "udiv {R}{d}, {R}{n}, {R}{m}";
    SDIV 0x1ac00c00 DNM General "sdiv {R}{d}, {R}{n}, {R}{m}";
    LSL_GENERAL 0x1ac02000 DNM General "lsl {R}{d}, {R}{n}, {R}{m}";
    LSR_GENERAL 0x1ac02400 DNM General "lsr {R}{d}, {R}{n}, {R}{m}";
    ASR_GENERAL 0x1ac02800 DNM General "asr {R}{d}, {R}{n}, {R}{m}";
    CLZ_GENERAL 0x5ac01000 DN General "clz {R}{d}, {R}{n}";
    RBIT_GENERAL 0x5ac00000 DN General "rbit {R}{d}, {R}{n}";
    REV_WORD 0x5ac00800 DN One "rev w{d}, w{n}";
    REV_QUAD 0xdac00c00 DN One "rev x{d}, x{n}";
    SBFM 0x13000000 DN Fields "asr {R}{d}, {R}{n}, #{i}";
    UBFM 0x53000000 DN Fields "lsr {R}{d}, {R}{n}, #{i}";
    CSEL 0x1a800000 DNM General imm(12, 4, false) "csel {R}{d}, {R}{n}, {R}{m}, {C}";
    CSET 0x1a9f07e0 D General imm(12, 4, false) "cset {R}{d}, {!C}";
    MOVZ 0x52800000 D General imm(5, 16, false) "mov {R}{d}, #{i}";
    MOVN 0x12800000 D General imm(5, 16, false) "movn";
    MOVK 0x72800000 D General imm(5, 16, false) "movk {R}{d}, #{i}";
    ADR 0x10000000 D One "adr x{d}, .";
    LDR_LITERAL 0x58000000 D One "ldr x{d}, .";
    LDR_LITERAL_VECTOR 0x9c000000 D One "ldr q{d}, .";
    // Memory.
    LDR 0x39400000 DN Memory imm(10, 12, false) "ldr{w} {M}{d}, [x{n}, #{i}]";
    STR 0x39000000 SN Memory imm(10, 12, false) "str{w} {M}{d}, [x{n}, #{i}]";
    LDUR 0x38400000 DN Memory imm(12, 9, true) "ldur{w} {M}{d}, [x{n}, #{i}]";
    STUR 0x38000000 SN Memory imm(12, 9, true) "stur{w} {M}{d}, [x{n}, #{i}]";
    LDR_INDEX 0x38606800 DNM Memory "ldr{w} {M}{d}, [x{n}, x{m}]";
    STR_INDEX 0x38206800 SNM Memory "str{w} {M}{d}, [x{n}, x{m}]";
    LDR_VECTOR 0x3d400000 DN Memory imm(10, 12, false) "ldr {V}{d}, [x{n}, #{i}]";
    STR_VECTOR 0x3d000000 SN Memory imm(10, 12, false) "str {V}{d}, [x{n}, #{i}]";
    LDUR_VECTOR 0x3c400000 DN Memory imm(12, 9, true) "ldur {V}{d}, [x{n}, #{i}]";
    STUR_VECTOR 0x3c000000 SN Memory imm(12, 9, true) "stur {V}{d}, [x{n}, #{i}]";
    LDR_VECTOR_INDEX 0x3c606800 DNM Memory "ldr {V}{d}, [x{n}, x{m}]";
    STR_VECTOR_INDEX 0x3c206800 SNM Memory "str {V}{d}, [x{n}, x{m}]";
    LDR_QUAD 0x3dc00000 DN One imm(10, 12, false) "ldr q{d}, [x{n}, #{i}]";
    STR_QUAD 0x3d800000 SN One imm(10, 12, false) "str q{d}, [x{n}, #{i}]";
    LDUR_QUAD 0x3cc00000 DN One imm(12, 9, true) "ldur q{d}, [x{n}, #{i}]";
    STUR_QUAD 0x3c800000 SN One imm(12, 9, true) "stur q{d}, [x{n}, #{i}]";
    LDR_QUAD_INDEX 0x3ce06800 DNM One "ldr q{d}, [x{n}, x{m}]";
    STR_QUAD_INDEX 0x3ca06800 SNM One "str q{d}, [x{n}, x{m}]";
    LDP_QUADS 0xad400000 DAN One imm(15, 7, true) "ldp q{d}, q{a}, [x{n}, #{i}]";
    STP_QUADS 0xad000000 SAN One imm(15, 7, true) "stp q{d}, q{a}, [x{n}, #{i}]";
    LD1R 0x4d40c000 DN Structure "ld1r {v{d}.{T}}, [x{n}]";
    LD1_LANE 0x0d400000 TN MemoryLane "ld1 {v{d}.{E}}[{i}], [x{n}]";
    ST1_LANE 0x0d000000 SN MemoryLane "st1 {v{d}.{E}}[{i}], [x{n}]";
    STP_PUSH 0xa9bf0000 SAN One "stp x{d}, x{a}, [x{n}, #-16]!";
    LDP_POP 0xa8c10000 DAN One "ldp x{d}, x{a}, [x{n}], #16";
    STP_PUSH_VECTORS 0x6dbf0000 SAN One "stp d{d}, d{a}, [x{n}, #-16]!";
    LDP_POP_VECTORS 0x6cc10000 DAN One "ldp d{d}, d{a}, [x{n}], #16";
    LDAXR 0x085ffc00 DN Memory "ldaxr{w} {M}{d}, [x{n}]";
    STLXR 0x0800fc00 MSN Memory "stlxr{w} w{m}, {M}{d}, [x{n}]";
    // Control.
    B 0x14000000 None One "b .";
    B_IF 0x54000000 None One imm(0, 4, false) "b.{C} .";
    CBZ 0x34000000 S General "cbz {R}{d}, .";
    CBNZ 0x35000000 S General "cbnz {R}{d}, .";
    BLR 0xd63f0000 N One "blr x{n}";
    RET 0xd65f03c0 None One "ret";
    BRK 0xd4200000 None One "brk #0x0";
    DMB 0xd5033bbf None One "dmb ish";
}
