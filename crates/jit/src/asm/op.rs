//! The table of instructions with VEX and EVEX encodings: opcode bytes and how displacements are compressed.
//!
//! Facts from Intel's Software Developer's Manual, volume 2.

/// How an 8-bit displacement is scaled under EVEX (SDM 2.7.5), as a fraction of the vector length or a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tuple {
    /// Full vector, 32- or 64-bit elements that may be broadcast from memory.
    Full,
    /// Full vector without broadcast.
    FullMem,
    /// Half a vector, 32-bit elements that may be broadcast.
    Half,
    /// Half a vector without broadcast.
    HalfMem,
    /// A quarter of a vector.
    QuarterMem,
    /// An eighth of a vector.
    EighthMem,
    /// One element of this many bytes.
    Scalar(u8),
}

/// Which prefix an instruction takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// EVEX only.
    Evex,
    /// VEX where registers, masks and length allow it, else EVEX.
    Any,
    /// VEX with this L bit: mask registers and general registers.
    Vex(u8),
    /// VEX only, of 128 or 256 bits: what AVX-512 does otherwise.
    VexOnly,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VOp {
    /// The opcode byte.
    pub opcode: u8,
    /// 1: 0F, 2: 0F38, 3: 0F3A; under EVEX also 5 and 6, which only half precision uses.
    pub map: u8,
    /// 0: none, 1: 66, 2: F3, 3: F2.
    pub pp: u8,
    /// The W bit under EVEX.
    pub w: u8,
    /// The W bit under VEX, where it differs.
    pub vex_w: u8,
    /// Displacement compression.
    pub tuple: Tuple,
    /// Which prefix.
    pub prefix: Prefix,
    /// For [`Prefix::Any`]: the opcode under VEX, where it differs.
    pub vex_opcode: u8,
}

impl VOp {
    /// Whether ModRM.reg is part of the opcode: shifts and rotations by an immediate.
    pub const fn has_extension(self) -> bool {
        self.map == 1 && matches!(self.opcode, 0x71..=0x73)
    }

    /// Whether the instruction has a form without VEX that processors with SSE4.1 know: with the same opcode
    /// byte, and with the result in the first source's register.
    pub const fn is_sse41(self) -> bool {
        matches!(self.prefix, Prefix::Any | Prefix::VexOnly)
            && match self.map {
                1 => true,
                2 => {
                    matches!(self.opcode, 0x00 | 0x04 | 0x1e | 0x20..=0x25 | 0x28..=0x2b | 0x30..=0x35)
                        || matches!(self.opcode, 0x38..=0x40)
                }
                _ => matches!(self.opcode, 0x08..=0x0b | 0x0e | 0x14..=0x16 | 0x20 | 0x22),
            }
    }

    /// Bytes of one broadcast element.
    pub const fn element(self) -> u32 {
        if self.w == 1 { 8 } else { 4 }
    }

    const fn evex(map: u8, pp: u8, w: u8, opcode: u8, tuple: Tuple) -> VOp {
        VOp { opcode, map, pp, w, vex_w: w, tuple, prefix: Prefix::Evex, vex_opcode: opcode }
    }

    const fn any(map: u8, pp: u8, w: u8, opcode: u8, tuple: Tuple) -> VOp {
        VOp { prefix: Prefix::Any, vex_w: 0, ..VOp::evex(map, pp, w, opcode, tuple) }
    }

    /// The same with a significant W bit under VEX too.
    const fn vex_w(self, vex_w: u8) -> VOp {
        VOp { vex_w, ..self }
    }

    const fn avx(map: u8, pp: u8, w: u8, opcode: u8) -> VOp {
        VOp { prefix: Prefix::VexOnly, ..VOp::evex(map, pp, w, opcode, Tuple::FullMem) }
    }

    const fn vex(map: u8, pp: u8, w: u8, l: u8, opcode: u8) -> VOp {
        VOp { prefix: Prefix::Vex(l), ..VOp::evex(map, pp, w, opcode, Tuple::FullMem) }
    }
}

macro_rules! table {
    ($($name:ident = $kind:ident($map:literal, $pp:literal, $w:literal, $($rest:tt)*) $(.$method:ident($arg:literal))?;)+) => {
        $(
            #[doc = stringify!($name)]
            pub const $name: VOp = VOp::$kind($map, $pp, $w, $($rest)*)$(.$method($arg))?;
        )+
        /// Every row with its name.
        pub(super) const TABLE: &[(&str, VOp)] = &[$((stringify!($name), $name)),+];
    };
}

/// A row's name in the table.
pub fn name(op: VOp) -> Option<&'static str> {
    TABLE.iter().find(|(_, row)| *row == op).map(|&(name, _)| name)
}

use Tuple::{EighthMem, Full, FullMem, Half, HalfMem, QuarterMem, Scalar};

table! {
    // Moves.
    VMOVUPS = any(1, 0, 0, 0x10, FullMem);
    VMOVUPS_STORE = any(1, 0, 0, 0x11, FullMem);
    VMOVNTPS_STORE = any(1, 0, 0, 0x2b, FullMem);
    VMOVAPS = any(1, 0, 0, 0x28, FullMem);
    VMOVAPS_STORE = any(1, 0, 0, 0x29, FullMem);
    VMOVDQU8 = evex(1, 3, 0, 0x6f, FullMem);
    VMOVDQU8_STORE = evex(1, 3, 0, 0x7f, FullMem);
    VMOVDQU16 = evex(1, 3, 1, 0x6f, FullMem);
    VMOVDQU16_STORE = evex(1, 3, 1, 0x7f, FullMem);
    VMOVDQU32 = evex(1, 2, 0, 0x6f, FullMem);
    VMOVDQU32_STORE = evex(1, 2, 0, 0x7f, FullMem);
    VMOVDQU64 = evex(1, 2, 1, 0x6f, FullMem);
    VMOVDQU64_STORE = evex(1, 2, 1, 0x7f, FullMem);
    VMOVD_TO = any(1, 1, 0, 0x6e, Scalar(4)).vex_w(0);
    VMOVD_FROM = any(1, 1, 0, 0x7e, Scalar(4)).vex_w(0);
    VMOVQ_TO = any(1, 1, 1, 0x6e, Scalar(8)).vex_w(1);
    VMOVQ_FROM = any(1, 1, 1, 0x7e, Scalar(8)).vex_w(1);
    VMOVSS = any(1, 2, 0, 0x10, Scalar(4));
    VMOVSS_STORE = any(1, 2, 0, 0x11, Scalar(4));
    VMOVSD = any(1, 3, 1, 0x10, Scalar(8));
    VMOVSD_STORE = any(1, 3, 1, 0x11, Scalar(8));
    VMOVHPS = any(1, 0, 0, 0x16, Scalar(8));
    VMOVHPS_STORE = any(1, 0, 0, 0x17, Scalar(8));
    VPBROADCASTB_GPR = evex(2, 1, 0, 0x7a, Scalar(1));
    VPBROADCASTW_GPR = evex(2, 1, 0, 0x7b, Scalar(2));
    VPBROADCASTD_GPR = evex(2, 1, 0, 0x7c, Scalar(4));
    VPBROADCASTQ_GPR = evex(2, 1, 1, 0x7c, Scalar(8));
    VPBROADCASTB = any(2, 1, 0, 0x78, Scalar(1));
    VPBROADCASTW = any(2, 1, 0, 0x79, Scalar(2));
    VPBROADCASTD = any(2, 1, 0, 0x58, Scalar(4));
    VPBROADCASTQ = any(2, 1, 1, 0x59, Scalar(8));
    VBROADCASTSS = any(2, 1, 0, 0x18, Scalar(4));
    VBROADCASTSD = evex(2, 1, 1, 0x19, Scalar(8));
    VPMOVM2B = evex(2, 2, 0, 0x28, FullMem);
    VPMOVM2W = evex(2, 2, 1, 0x28, FullMem);
    VPMOVM2D = evex(2, 2, 0, 0x38, FullMem);
    VPMOVM2Q = evex(2, 2, 1, 0x38, FullMem);
    VPMOVB2M = evex(2, 2, 0, 0x29, FullMem);
    VPMOVW2M = evex(2, 2, 1, 0x29, FullMem);
    VPMOVD2M = evex(2, 2, 0, 0x39, FullMem);
    VPMOVQ2M = evex(2, 2, 1, 0x39, FullMem);

    // Integer arithmetic.
    VPADDB = any(1, 1, 0, 0xfc, FullMem);
    VPADDW = any(1, 1, 0, 0xfd, FullMem);
    VPADDD = any(1, 1, 0, 0xfe, Full);
    VPADDQ = any(1, 1, 1, 0xd4, Full);
    VPSUBB = any(1, 1, 0, 0xf8, FullMem);
    VPSUBW = any(1, 1, 0, 0xf9, FullMem);
    VPSUBD = any(1, 1, 0, 0xfa, Full);
    VPSUBQ = any(1, 1, 1, 0xfb, Full);
    VPMULLW = any(1, 1, 0, 0xd5, FullMem);
    VPMULLD = any(2, 1, 0, 0x40, Full);
    VPMULLQ = evex(2, 1, 1, 0x40, Full);
    VPMULHUW = any(1, 1, 0, 0xe4, FullMem);
    VPMULHW = any(1, 1, 0, 0xe5, FullMem);
    VPMULUDQ = any(1, 1, 1, 0xf4, Full);
    VPMULDQ = any(2, 1, 1, 0x28, Full);
    VPMINUB = any(1, 1, 0, 0xda, FullMem);
    VPMINUW = any(2, 1, 0, 0x3a, FullMem);
    VPMINUD = any(2, 1, 0, 0x3b, Full);
    VPMINUQ = evex(2, 1, 1, 0x3b, Full);
    VPMINSB = any(2, 1, 0, 0x38, FullMem);
    VPMINSW = any(1, 1, 0, 0xea, FullMem);
    VPMINSD = any(2, 1, 0, 0x39, Full);
    VPMINSQ = evex(2, 1, 1, 0x39, Full);
    VPMAXUB = any(1, 1, 0, 0xde, FullMem);
    VPMAXUW = any(2, 1, 0, 0x3e, FullMem);
    VPMAXUD = any(2, 1, 0, 0x3f, Full);
    VPMAXUQ = evex(2, 1, 1, 0x3f, Full);
    VPMAXSB = any(2, 1, 0, 0x3c, FullMem);
    VPMAXSW = any(1, 1, 0, 0xee, FullMem);
    VPMAXSD = any(2, 1, 0, 0x3d, Full);
    VPMAXSQ = evex(2, 1, 1, 0x3d, Full);
    VPABSD = any(2, 1, 0, 0x1e, Full);
    VPANDD = any(1, 1, 0, 0xdb, Full);
    VPANDQ = any(1, 1, 1, 0xdb, Full);
    VPANDND = any(1, 1, 0, 0xdf, Full);
    VPANDNQ = any(1, 1, 1, 0xdf, Full);
    VPORD = any(1, 1, 0, 0xeb, Full);
    VPORQ = any(1, 1, 1, 0xeb, Full);
    VPXORD = any(1, 1, 0, 0xef, Full);
    VPXORQ = any(1, 1, 1, 0xef, Full);
    VPTERNLOGD = evex(3, 1, 0, 0x25, Full);
    VPTERNLOGQ = evex(3, 1, 1, 0x25, Full);
    VPSLLVW = evex(2, 1, 1, 0x12, FullMem);
    VPSLLVD = any(2, 1, 0, 0x47, Full);
    VPSLLVQ = any(2, 1, 1, 0x47, Full).vex_w(1);
    VPSRLVW = evex(2, 1, 1, 0x10, FullMem);
    VPSRLVD = any(2, 1, 0, 0x45, Full);
    VPSRLVQ = any(2, 1, 1, 0x45, Full).vex_w(1);
    VPSRAVW = evex(2, 1, 1, 0x11, FullMem);
    VPSRAVD = any(2, 1, 0, 0x46, Full);
    VPSRAVQ = evex(2, 1, 1, 0x46, Full);
    // Shifts of all elements by the low quadword of a register.
    VPSLLD_COUNT = any(1, 1, 0, 0xf2, Scalar(16));
    VPSRLD_COUNT = any(1, 1, 0, 0xd2, Scalar(16));
    VPSRAD_COUNT = any(1, 1, 0, 0xe2, Scalar(16));
    VPSLLQ_COUNT = any(1, 1, 1, 0xf3, Scalar(16));
    VPSRLQ_COUNT = any(1, 1, 1, 0xd3, Scalar(16));
    // Shifts by an immediate: the ModRM register field is part of the opcode, the result is in vvvv.
    VPSHIFT_W_IMM = any(1, 1, 0, 0x71, FullMem);
    VPSHIFT_D_IMM = any(1, 1, 0, 0x72, Full);
    VPSHIFT_Q_IMM = any(1, 1, 1, 0x73, Full);
    // Under EVEX only: the arithmetic right shift (4) and the rotation (1) of quadwords.
    VPSRA_VPROL_Q_IMM = evex(1, 1, 1, 0x72, Full);
    // The rotation of doublewords, which has no VEX form at any length.
    VPROL_D_IMM = evex(1, 1, 0, 0x72, Full);
    VPROLVD = evex(2, 1, 0, 0x15, Full);
    VPROLVQ = evex(2, 1, 1, 0x15, Full);
    VPLZCNTD = evex(2, 1, 0, 0x44, Full);
    VPLZCNTQ = evex(2, 1, 1, 0x44, Full);
    VPOPCNTB = evex(2, 1, 0, 0x54, FullMem);
    VPOPCNTW = evex(2, 1, 1, 0x54, FullMem);
    VPOPCNTD = evex(2, 1, 0, 0x55, Full);
    VPOPCNTQ = evex(2, 1, 1, 0x55, Full);
    VGF2P8AFFINEQB = any(3, 1, 1, 0xce, Full).vex_w(1);
    VPMADDUBSW = any(2, 1, 0, 0x04, FullMem);
    VPMADDWD = any(1, 1, 0, 0xf5, FullMem);
    VPDPBUSD = evex(2, 1, 0, 0x50, Full);
    VPDPBUSDS = evex(2, 1, 0, 0x51, Full);
    VPDPWSSD = evex(2, 1, 0, 0x52, Full);
    VPDPWSSDS = evex(2, 1, 0, 0x53, Full);
    VPSADBW = any(1, 1, 0, 0xf6, FullMem);
    VPSHUFB = any(2, 1, 0, 0x00, FullMem);

    // Comparisons to masks; the immediate says which.
    VPCMPB = evex(3, 1, 0, 0x3f, FullMem);
    VPCMPUB = evex(3, 1, 0, 0x3e, FullMem);
    VPCMPW = evex(3, 1, 1, 0x3f, FullMem);
    VPCMPUW = evex(3, 1, 1, 0x3e, FullMem);
    VPCMPD = evex(3, 1, 0, 0x1f, Full);
    VPCMPUD = evex(3, 1, 0, 0x1e, Full);
    VPCMPQ = evex(3, 1, 1, 0x1f, Full);
    VPCMPUQ = evex(3, 1, 1, 0x1e, Full);
    VPTESTMD = evex(2, 1, 0, 0x27, Full);
    VCMPPS = evex(1, 0, 0, 0xc2, Full);
    VCMPPD = evex(1, 1, 1, 0xc2, Full);
    VCMPSS = evex(1, 2, 0, 0xc2, Scalar(4));
    VCMPSD = evex(1, 3, 1, 0xc2, Scalar(8));

    // Float arithmetic.
    VADDPS = any(1, 0, 0, 0x58, Full);
    VADDPD = any(1, 1, 1, 0x58, Full);
    VADDSS = any(1, 2, 0, 0x58, Scalar(4));
    VADDSD = any(1, 3, 1, 0x58, Scalar(8));
    VSUBPS = any(1, 0, 0, 0x5c, Full);
    VSUBPD = any(1, 1, 1, 0x5c, Full);
    VSUBSS = any(1, 2, 0, 0x5c, Scalar(4));
    VSUBSD = any(1, 3, 1, 0x5c, Scalar(8));
    VMULPS = any(1, 0, 0, 0x59, Full);
    VMULPD = any(1, 1, 1, 0x59, Full);
    VMULSS = any(1, 2, 0, 0x59, Scalar(4));
    VMULSD = any(1, 3, 1, 0x59, Scalar(8));
    VDIVPS = any(1, 0, 0, 0x5e, Full);
    VDIVPD = any(1, 1, 1, 0x5e, Full);
    VDIVSS = any(1, 2, 0, 0x5e, Scalar(4));
    VDIVSD = any(1, 3, 1, 0x5e, Scalar(8));
    VMINPS = any(1, 0, 0, 0x5d, Full);
    VMINPD = any(1, 1, 1, 0x5d, Full);
    VMINSS = any(1, 2, 0, 0x5d, Scalar(4));
    VMINSD = any(1, 3, 1, 0x5d, Scalar(8));
    VMAXPS = any(1, 0, 0, 0x5f, Full);
    VMAXPD = any(1, 1, 1, 0x5f, Full);
    VMAXSS = any(1, 2, 0, 0x5f, Scalar(4));
    VMAXSD = any(1, 3, 1, 0x5f, Scalar(8));
    VSQRTPS = any(1, 0, 0, 0x51, Full);
    VSQRTPD = any(1, 1, 1, 0x51, Full);
    VSQRTSS = any(1, 2, 0, 0x51, Scalar(4));
    VSQRTSD = any(1, 3, 1, 0x51, Scalar(8));
    VRNDSCALEPS = evex(3, 1, 0, 0x08, Full);
    VRNDSCALEPD = evex(3, 1, 1, 0x09, Full);
    VFIXUPIMMPS = evex(3, 1, 0, 0x54, Full);
    VRNDSCALESS = evex(3, 1, 0, 0x0a, Scalar(4));
    VRNDSCALESD = evex(3, 1, 1, 0x0b, Scalar(8));
    VFMADD132PS = any(2, 1, 0, 0x98, Full).vex_w(0);
    VFMADD132PD = any(2, 1, 1, 0x98, Full).vex_w(1);
    VFMADD132SS = any(2, 1, 0, 0x99, Scalar(4)).vex_w(0);
    VFMADD132SD = any(2, 1, 1, 0x99, Scalar(8)).vex_w(1);
    VFMADD213PS = any(2, 1, 0, 0xa8, Full).vex_w(0);
    VFMADD213PD = any(2, 1, 1, 0xa8, Full).vex_w(1);
    VFMADD213SS = any(2, 1, 0, 0xa9, Scalar(4)).vex_w(0);
    VFMADD213SD = any(2, 1, 1, 0xa9, Scalar(8)).vex_w(1);
    VFMADD231PS = any(2, 1, 0, 0xb8, Full).vex_w(0);
    VFMADD231PD = any(2, 1, 1, 0xb8, Full).vex_w(1);
    VFMADD231SS = any(2, 1, 0, 0xb9, Scalar(4)).vex_w(0);
    VFMADD231SD = any(2, 1, 1, 0xb9, Scalar(8)).vex_w(1);
    VFMSUB213PS = any(2, 1, 0, 0xaa, Full).vex_w(0);
    VFMSUB213PD = any(2, 1, 1, 0xaa, Full).vex_w(1);
    VFMSUB231PS = any(2, 1, 0, 0xba, Full).vex_w(0);
    VFMSUB231PD = any(2, 1, 1, 0xba, Full).vex_w(1);
    VFNMADD213PS = any(2, 1, 0, 0xac, Full).vex_w(0);
    VFNMADD213PD = any(2, 1, 1, 0xac, Full).vex_w(1);
    VFNMADD231PS = any(2, 1, 0, 0xbc, Full).vex_w(0);
    VFNMADD231PD = any(2, 1, 1, 0xbc, Full).vex_w(1);
    VFNMSUB213PS = any(2, 1, 0, 0xae, Full).vex_w(0);
    VFNMSUB213PD = any(2, 1, 1, 0xae, Full).vex_w(1);
    VFNMSUB231PS = any(2, 1, 0, 0xbe, Full).vex_w(0);
    VFNMSUB231PD = any(2, 1, 1, 0xbe, Full).vex_w(1);

    // Half precision (AVX512-FP16). Elements of 16 bits could be broadcast from memory too, but not for free.
    VADDPH = evex(5, 0, 0, 0x58, FullMem);
    VADDSH = evex(5, 2, 0, 0x58, Scalar(2));
    VSUBPH = evex(5, 0, 0, 0x5c, FullMem);
    VSUBSH = evex(5, 2, 0, 0x5c, Scalar(2));
    VMULPH = evex(5, 0, 0, 0x59, FullMem);
    VMULSH = evex(5, 2, 0, 0x59, Scalar(2));
    VDIVPH = evex(5, 0, 0, 0x5e, FullMem);
    VDIVSH = evex(5, 2, 0, 0x5e, Scalar(2));
    VMINPH = evex(5, 0, 0, 0x5d, FullMem);
    VMINSH = evex(5, 2, 0, 0x5d, Scalar(2));
    VMAXPH = evex(5, 0, 0, 0x5f, FullMem);
    VMAXSH = evex(5, 2, 0, 0x5f, Scalar(2));
    VSQRTPH = evex(5, 0, 0, 0x51, FullMem);
    VSQRTSH = evex(5, 2, 0, 0x51, Scalar(2));
    VRNDSCALEPH = evex(3, 0, 0, 0x08, FullMem);
    VRNDSCALESH = evex(3, 0, 0, 0x0a, Scalar(2));
    VCMPPH = evex(3, 0, 0, 0xc2, FullMem);
    VCMPSH = evex(3, 2, 0, 0xc2, Scalar(2));
    VFMADD213PH = evex(6, 1, 0, 0xa8, FullMem);
    VFMADD213SH = evex(6, 1, 0, 0xa9, Scalar(2));
    VFMADD231PH = evex(6, 1, 0, 0xb8, FullMem);
    VFMADD231SH = evex(6, 1, 0, 0xb9, Scalar(2));
    VFMSUB213PH = evex(6, 1, 0, 0xaa, FullMem);
    VFMSUB231PH = evex(6, 1, 0, 0xba, FullMem);
    VFNMADD213PH = evex(6, 1, 0, 0xac, FullMem);
    VFNMADD231PH = evex(6, 1, 0, 0xbc, FullMem);
    VFNMSUB213PH = evex(6, 1, 0, 0xae, FullMem);
    VFNMSUB231PH = evex(6, 1, 0, 0xbe, FullMem);
    VCVTPH2PD = evex(5, 0, 0, 0x5a, QuarterMem);
    VCVTPD2PH = evex(5, 1, 1, 0x5a, Full);
    VCVTW2PH = evex(5, 2, 0, 0x7d, FullMem);
    VCVTUW2PH = evex(5, 3, 0, 0x7d, FullMem);
    VCVTDQ2PH = evex(5, 0, 0, 0x5b, Full);
    VCVTUDQ2PH = evex(5, 3, 0, 0x7a, Full);
    VCVTQQ2PH = evex(5, 0, 1, 0x5b, Full);
    VCVTUQQ2PH = evex(5, 3, 1, 0x7a, Full);
    VCVTTPH2W = evex(5, 1, 0, 0x7c, FullMem);
    VCVTTPH2UW = evex(5, 0, 0, 0x7c, FullMem);
    VCVTTPH2DQ = evex(5, 2, 0, 0x5b, HalfMem);
    VCVTTPH2UDQ = evex(5, 0, 0, 0x78, HalfMem);
    VCVTTPH2QQ = evex(5, 1, 0, 0x7a, QuarterMem);
    VCVTTPH2UQQ = evex(5, 1, 0, 0x78, QuarterMem);

    // Conversions.
    VCVTDQ2PS = any(1, 0, 0, 0x5b, Full);
    VCVTUDQ2PS = evex(1, 3, 0, 0x7a, Full);
    VCVTQQ2PS = evex(1, 0, 1, 0x5b, Full);
    VCVTUQQ2PS = evex(1, 3, 1, 0x7a, Full);
    VCVTDQ2PD = any(1, 2, 0, 0xe6, Half);
    VCVTUDQ2PD = evex(1, 2, 0, 0x7a, Half);
    VCVTQQ2PD = evex(1, 2, 1, 0xe6, Full);
    VCVTUQQ2PD = evex(1, 2, 1, 0x7a, Full);
    VCVTTPS2DQ = any(1, 2, 0, 0x5b, Full);
    VCVTTPS2UDQ = evex(1, 0, 0, 0x78, Full);
    VCVTTPD2DQ = any(1, 1, 1, 0xe6, Full);
    VCVTTPD2UDQ = evex(1, 0, 1, 0x78, Full);
    VCVTTPS2QQ = evex(1, 1, 0, 0x7a, Half);
    VCVTTPS2UQQ = evex(1, 1, 0, 0x78, Half);
    VCVTTPD2QQ = evex(1, 1, 1, 0x7a, Full);
    VCVTTPD2UQQ = evex(1, 1, 1, 0x78, Full);
    VCVTPD2PS = any(1, 1, 1, 0x5a, Full);
    VCVTPS2PD = any(1, 0, 0, 0x5a, Half);
    VCVTPH2PS = any(2, 1, 0, 0x13, HalfMem);
    VCVTPS2PH = any(3, 1, 0, 0x1d, HalfMem);
    VPMOVZXBW = any(2, 1, 0, 0x30, HalfMem);
    VPMOVZXBD = any(2, 1, 0, 0x31, QuarterMem);
    VPMOVZXBQ = any(2, 1, 0, 0x32, EighthMem);
    VPMOVZXWD = any(2, 1, 0, 0x33, HalfMem);
    VPMOVZXWQ = any(2, 1, 0, 0x34, QuarterMem);
    VPMOVZXDQ = any(2, 1, 0, 0x35, HalfMem);
    VPMOVSXBW = any(2, 1, 0, 0x20, HalfMem);
    VPMOVSXBD = any(2, 1, 0, 0x21, QuarterMem);
    VPMOVSXBQ = any(2, 1, 0, 0x22, EighthMem);
    VPMOVSXWD = any(2, 1, 0, 0x23, HalfMem);
    VPMOVSXWQ = any(2, 1, 0, 0x24, QuarterMem);
    VPMOVSXDQ = any(2, 1, 0, 0x25, HalfMem);
    VPMOVWB = evex(2, 2, 0, 0x30, HalfMem);
    VPMOVDB = evex(2, 2, 0, 0x31, QuarterMem);
    VPMOVQB = evex(2, 2, 0, 0x32, EighthMem);
    VPMOVDW = evex(2, 2, 0, 0x33, HalfMem);
    VPMOVQW = evex(2, 2, 0, 0x34, QuarterMem);
    VPMOVQD = evex(2, 2, 0, 0x35, HalfMem);
    VPMOVSWB = evex(2, 2, 0, 0x20, HalfMem);
    VPMOVUSWB = evex(2, 2, 0, 0x10, HalfMem);
    VPMOVSDB = evex(2, 2, 0, 0x21, QuarterMem);
    VPMOVSQB = evex(2, 2, 0, 0x22, EighthMem);
    VPMOVSDW = evex(2, 2, 0, 0x23, HalfMem);
    VPMOVSQW = evex(2, 2, 0, 0x24, QuarterMem);
    VPMOVSQD = evex(2, 2, 0, 0x25, HalfMem);
    VPMOVUSDB = evex(2, 2, 0, 0x11, QuarterMem);
    VPMOVUSQB = evex(2, 2, 0, 0x12, EighthMem);
    VPMOVUSDW = evex(2, 2, 0, 0x13, HalfMem);
    VPMOVUSQW = evex(2, 2, 0, 0x14, QuarterMem);
    VPMOVUSQD = evex(2, 2, 0, 0x15, HalfMem);

    // Rearrangement.
    VPBLENDMB = evex(2, 1, 0, 0x66, FullMem);
    VPBLENDMW = evex(2, 1, 1, 0x66, FullMem);
    VPBLENDMD = evex(2, 1, 0, 0x64, Full);
    VPBLENDMQ = evex(2, 1, 1, 0x64, Full);
    VEXTRACTF32X4 = evex(3, 1, 0, 0x19, Scalar(16));
    VEXTRACTF64X4 = evex(3, 1, 1, 0x1b, Scalar(32));
    VBROADCASTF32X4 = evex(2, 1, 0, 0x1a, Scalar(16));
    VINSERTF32X4 = evex(3, 1, 0, 0x18, Scalar(16));
    VINSERTF64X4 = evex(3, 1, 1, 0x1a, Scalar(32));
    VPSRLDQ_IMM = any(1, 1, 0, 0x73, FullMem);
    VPUNPCKLBW = any(1, 1, 0, 0x60, FullMem);
    VPUNPCKHBW = any(1, 1, 0, 0x68, FullMem);
    VPUNPCKLQDQ = any(1, 1, 1, 0x6c, Full);
    VPUNPCKHQDQ = any(1, 1, 1, 0x6d, Full);
    VPUNPCKHDQ = any(1, 1, 0, 0x6a, Full);
    VPUNPCKLDQ = any(1, 1, 0, 0x62, Full);
    VPERMB = evex(2, 1, 0, 0x8d, FullMem);
    VPERMW = evex(2, 1, 1, 0x8d, FullMem);
    VPERMD = any(2, 1, 0, 0x36, Full);
    VPERMQ = evex(2, 1, 1, 0x36, Full);
    VPERMI2B = evex(2, 1, 0, 0x75, FullMem);
    VPERMI2W = evex(2, 1, 1, 0x75, FullMem);
    VSHUFF64X2 = evex(3, 1, 1, 0x23, Full);
    VPERMI2D = evex(2, 1, 0, 0x76, Full);
    VPERMI2Q = evex(2, 1, 1, 0x76, Full);
    VPERMT2D = evex(2, 1, 0, 0x7e, Full);
    VPERMT2Q = evex(2, 1, 1, 0x7e, Full);
    VALIGND = evex(3, 1, 0, 0x03, Full);
    VALIGNQ = evex(3, 1, 1, 0x03, Full);
    VPERMILPS_VAR = any(2, 1, 0, 0x0c, Full);
    VPSHUFD = any(1, 1, 0, 0x70, Full);
    VPERMILPS = any(3, 1, 0, 0x04, Full);
    VPEXTRW = any(1, 1, 0, 0xc5, Scalar(2)).vex_w(0);
    VPEXTRB = any(3, 1, 0, 0x14, Scalar(1)).vex_w(0);
    VPEXTRW_STORE = any(3, 1, 0, 0x15, Scalar(2)).vex_w(0);
    VPEXTRD = any(3, 1, 0, 0x16, Scalar(4)).vex_w(0);
    VPEXTRQ = any(3, 1, 1, 0x16, Scalar(8)).vex_w(1);
    VPINSRB = any(3, 1, 0, 0x20, Scalar(1)).vex_w(0);
    VPINSRW = any(1, 1, 0, 0xc4, Scalar(2)).vex_w(0);
    VPINSRD = any(3, 1, 0, 0x22, Scalar(4)).vex_w(0);
    VPINSRQ = any(3, 1, 1, 0x22, Scalar(8)).vex_w(1);

    // Gathers and scatters. The displacement counts in elements.
    VPGATHERDD = evex(2, 1, 0, 0x90, Scalar(4));
    VPGATHERDQ = evex(2, 1, 1, 0x90, Scalar(8));
    VPGATHERQD = evex(2, 1, 0, 0x91, Scalar(4));
    VPGATHERQQ = evex(2, 1, 1, 0x91, Scalar(8));
    VPSCATTERDD = evex(2, 1, 0, 0xa0, Scalar(4));
    VPSCATTERDQ = evex(2, 1, 1, 0xa0, Scalar(8));
    VPSCATTERQD = evex(2, 1, 0, 0xa1, Scalar(4));
    VPSCATTERQQ = evex(2, 1, 1, 0xa1, Scalar(8));

    // Mask registers.
    KMOVQ = vex(1, 0, 1, 0, 0x90);
    KMOVQ_STORE = vex(1, 0, 1, 0, 0x91);
    KMOVQ_TO = vex(1, 3, 1, 0, 0x92);
    KMOVQ_FROM = vex(1, 3, 1, 0, 0x93);
    KMOVD_TO = vex(1, 3, 0, 0, 0x92);
    KMOVD_FROM = vex(1, 3, 0, 0, 0x93);
    KMOVW_FROM = vex(1, 0, 0, 0, 0x93);
    KMOVB_FROM = vex(1, 1, 0, 0, 0x93);
    KANDQ = vex(1, 0, 1, 1, 0x41);
    KANDNQ = vex(1, 0, 1, 1, 0x42);
    KNOTQ = vex(1, 0, 1, 0, 0x44);
    KORQ = vex(1, 0, 1, 1, 0x45);
    KXNORQ = vex(1, 0, 1, 1, 0x46);
    KXORQ = vex(1, 0, 1, 1, 0x47);
    KORTESTB = vex(1, 1, 0, 0, 0x98);
    KORTESTW = vex(1, 0, 0, 0, 0x98);
    KORTESTQ = vex(1, 0, 1, 0, 0x98);
    KUNPCKBW = vex(1, 1, 0, 1, 0x4b);
    KUNPCKWD = vex(1, 0, 0, 1, 0x4b);
    KUNPCKDQ = vex(1, 0, 1, 1, 0x4b);
    KSHIFTRQ = vex(3, 1, 1, 0, 0x31);
    KSHIFTLQ = vex(3, 1, 1, 0, 0x33);

    // General registers.
    SHLX32 = vex(2, 1, 0, 0, 0xf7);
    SHLX64 = vex(2, 1, 1, 0, 0xf7);
    SHRX32 = vex(2, 3, 0, 0, 0xf7);
    SHRX64 = vex(2, 3, 1, 0, 0xf7);
    SARX32 = vex(2, 2, 0, 0, 0xf7);
    SARX64 = vex(2, 2, 1, 0, 0xf7);
    PDEP64 = vex(2, 3, 1, 0, 0xf5);
    ANDN32 = vex(2, 0, 0, 0, 0xf2);
    ANDN64 = vex(2, 0, 1, 0, 0xf2);

    // AVX and AVX2: comparisons to vectors, masks as vectors, and what else has no EVEX form of the same
    // meaning.
    VUCOMISS = any(1, 0, 0, 0x2e, Scalar(4));
    VUCOMISD = any(1, 1, 1, 0x2e, Scalar(8));
    VPCMPEQB = avx(1, 1, 0, 0x74);
    VPCMPEQW = avx(1, 1, 0, 0x75);
    VPCMPEQD = avx(1, 1, 0, 0x76);
    VPCMPEQQ = avx(2, 1, 0, 0x29);
    VPCMPGTB = avx(1, 1, 0, 0x64);
    VPCMPGTW = avx(1, 1, 0, 0x65);
    VPCMPGTD = avx(1, 1, 0, 0x66);
    VPCMPGTQ = avx(2, 1, 0, 0x37);
    // AVX-VNNI, which processors of AVX512-VNNI may lack.
    VPDPBUSD_AVX = avx(2, 1, 0, 0x50);
    VPDPBUSDS_AVX = avx(2, 1, 0, 0x51);
    VPDPWSSD_AVX = avx(2, 1, 0, 0x52);
    VPDPWSSDS_AVX = avx(2, 1, 0, 0x53);
    VCMPPS_AVX = avx(1, 0, 0, 0xc2);
    VCMPPD_AVX = avx(1, 1, 0, 0xc2);
    VCMPSS_AVX = avx(1, 2, 0, 0xc2);
    VCMPSD_AVX = avx(1, 3, 0, 0xc2);
    VROUNDPS = avx(3, 1, 0, 0x08);
    VROUNDPD = avx(3, 1, 0, 0x09);
    VROUNDSS = avx(3, 1, 0, 0x0a);
    VROUNDSD = avx(3, 1, 0, 0x0b);
    VBLENDVPS = avx(3, 1, 0, 0x4a);
    VBLENDVPD = avx(3, 1, 0, 0x4b);
    VPBLENDVB = avx(3, 1, 0, 0x4c);
    VPBLENDW = avx(3, 1, 0, 0x0e);
    VPBLENDD = avx(3, 1, 0, 0x02);
    VMOVMSKPS = avx(1, 0, 0, 0x50);
    VMOVMSKPD = avx(1, 1, 0, 0x50);
    VPMOVMSKB = avx(1, 1, 0, 0xd7);
    VPMASKMOVD = avx(2, 1, 0, 0x8c);
    VPMASKMOVQ = avx(2, 1, 1, 0x8c);
    VPMASKMOVD_STORE = avx(2, 1, 0, 0x8e);
    VPMASKMOVQ_STORE = avx(2, 1, 1, 0x8e);
    VPGATHERDD_AVX = avx(2, 1, 0, 0x90);
    VPGATHERDQ_AVX = avx(2, 1, 1, 0x90);
    VPGATHERQD_AVX = avx(2, 1, 0, 0x91);
    VPGATHERQQ_AVX = avx(2, 1, 1, 0x91);
    VPACKSSDW = avx(1, 1, 0, 0x6b);
    VPACKSSWB = avx(1, 1, 0, 0x63);
    VPACKUSDW = avx(2, 1, 0, 0x2b);
    VPACKUSWB = avx(1, 1, 0, 0x67);
    VEXTRACTI128 = avx(3, 1, 0, 0x39);
    VINSERTI128 = avx(3, 1, 0, 0x38);
    VPERM2I128 = avx(3, 1, 0, 0x46);
    VPERMQ_IMM = avx(3, 1, 1, 0x00);
    VSHUFPS = any(1, 0, 0, 0xc6, Full);
}
