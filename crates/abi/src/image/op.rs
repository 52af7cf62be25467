//! Image operations and their codes.

use super::ROW_ENTRIES;

/// Where a sampling operation's level of detail comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LodMode {
    /// `ImplicitLod`: from the quad's derivatives.
    Implicit = 0,
    /// `ImplicitLod` with the operand `Bias`.
    Bias = 1,
    /// `ExplicitLod` with the operand `Lod`.
    Explicit = 2,
    /// `ExplicitLod` with the operand `Grad`.
    Grad = 3,
}

/// What a gather gathers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum GatherSource {
    /// `OpImageGather` of component 0.
    Component0 = 0,
    /// `OpImageGather` of component 1.
    Component1 = 1,
    /// `OpImageGather` of component 2.
    Component2 = 2,
    /// `OpImageGather` of component 3.
    Component3 = 3,
    /// `OpImageDrefGather`.
    Dref = 4,
}

/// The operation of an image atomic. Increment, decrement, load, store and subtraction are made of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum AtomicOp {
    /// Wrapping sum.
    IAdd = 0,
    /// Signed minimum.
    SMin = 1,
    /// Signed maximum.
    SMax = 2,
    /// Unsigned minimum.
    UMin = 3,
    /// Unsigned maximum.
    UMax = 4,
    /// Bitwise and.
    And = 5,
    /// Bitwise or.
    Or = 6,
    /// Bitwise exclusive or.
    Xor = 7,
    /// Replaces the value.
    Exchange = 8,
    /// Replaces the value where it equals the comparator.
    CompareExchange = 9,
    /// Float sum.
    FAdd = 10,
    /// Float minimum.
    FMin = 11,
    /// Float maximum.
    FMax = 12,
}

/// An operation on an image, as far as it decides which function runs. Coordinates, and everything else that
/// is in the call record, do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageOp {
    /// `OpImageSample*`. Projection is done by the caller.
    Sample {
        /// Where the level of detail comes from.
        lod: LodMode,
        /// Compares with the depth reference.
        dref: bool,
        /// Has the operand `ConstOffset` or `Offset`.
        offset: bool,
        /// Has the operand `MinLod`.
        min_lod: bool,
    },
    /// `OpImageGather`, `OpImageDrefGather`. `ConstOffsets` are four gathers, of which each gives one texel.
    Gather {
        /// What of each texel.
        source: GatherSource,
        /// Has the operand `ConstOffset` or `Offset`.
        offset: bool,
        /// Where the level comes from (`VK_AMD_texture_gather_bias_lod`), but for `Grad`; none: the first.
        lod: Option<LodMode>,
    },
    /// A component of the texel of the first level that a nearest filter meets, at an offset
    /// (`OpImageGatherQCOM`: four of them).
    Pick {
        /// Not [`GatherSource::Dref`].
        component: GatherSource,
    },
    /// `OpImageFetch`, from images and texel buffers.
    Fetch {
        /// Has the operand `ConstOffset` or `Offset`.
        offset: bool,
    },
    /// `OpImageRead`.
    Read,
    /// `OpImageWrite`.
    Write {
        /// Has the operand `Lod` (`VK_AMD_shader_image_load_store_lod`).
        level: bool,
    },
    /// An atomic at what `OpImageTexelPointer` points at.
    Atomic(AtomicOp),
    /// `OpImageQueryLod`.
    QueryLod,
    /// `OpImageSampleFootprintNV` ([`super::record::footprint`]).
    Footprint {
        /// Where the level of detail comes from.
        lod: LodMode,
        /// Has the operand `MinLod`.
        min_lod: bool,
    },
}

const SAMPLE: u32 = 0;
const GATHER: u32 = 32;
const FETCH: u32 = 42;
const READ: u32 = 44;
const WRITE: u32 = 45;
const QUERY_LOD: u32 = 46;
const ATOMIC: u32 = 47;

const LOD_MODES: [LodMode; 4] = [LodMode::Implicit, LodMode::Bias, LodMode::Explicit, LodMode::Grad];
const GATHER_SOURCES: [GatherSource; 5] = [
    GatherSource::Component0,
    GatherSource::Component1,
    GatherSource::Component2,
    GatherSource::Component3,
    GatherSource::Dref,
];
const ATOMIC_OPS: [AtomicOp; 13] = [
    AtomicOp::IAdd,
    AtomicOp::SMin,
    AtomicOp::SMax,
    AtomicOp::UMin,
    AtomicOp::UMax,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
    AtomicOp::CompareExchange,
    AtomicOp::FAdd,
    AtomicOp::FMin,
    AtomicOp::FMax,
];

/// Behind the atomics.
const WRITE_LEVEL: u32 = ATOMIC + ATOMIC_OPS.len() as u32;
const GATHER_LEVEL: u32 = WRITE_LEVEL + 1;
/// Gathers at levels of one mode.
const GATHERS: u32 = 2 * GATHER_SOURCES.len() as u32;
/// All codes.
const COUNT: u32 = FOOTPRINT + 8;
const FOOTPRINT: u32 = PICK + 4;
const PICK: u32 = GATHER_LEVEL + 3 * GATHERS;

const _: () = assert!(COUNT as usize <= ROW_ENTRIES && FETCH - GATHER == GATHERS);

impl ImageOp {
    /// The operation's index in a row of a function table.
    pub const fn code(self) -> u32 {
        match self {
            ImageOp::Sample { lod, dref, offset, min_lod } => {
                SAMPLE + (lod as u32) + 4 * (dref as u32) + 8 * (offset as u32) + 16 * (min_lod as u32)
            }
            ImageOp::Gather { source, offset, lod } => {
                let first = match lod {
                    None => GATHER,
                    Some(mode) => GATHER_LEVEL + GATHERS * mode as u32,
                };
                first + source as u32 + 5 * offset as u32
            }
            ImageOp::Pick { component } => PICK + component as u32,
            ImageOp::Fetch { offset } => FETCH + offset as u32,
            ImageOp::Read => READ,
            ImageOp::Write { level: false } => WRITE,
            ImageOp::Write { level: true } => WRITE_LEVEL,
            ImageOp::QueryLod => QUERY_LOD,
            ImageOp::Footprint { lod, min_lod } => FOOTPRINT + lod as u32 + 4 * min_lod as u32,
            ImageOp::Atomic(op) => ATOMIC + op as u32,
        }
    }

    /// The operation with this code.
    pub fn from_code(code: u32) -> Option<ImageOp> {
        let gather = |number: u32, lod| ImageOp::Gather {
            source: GATHER_SOURCES[(number % 5) as usize],
            offset: number >= 5,
            lod,
        };
        Some(match code {
            SAMPLE..GATHER => ImageOp::Sample {
                lod: LOD_MODES[(code & 3) as usize],
                dref: code & 4 != 0,
                offset: code & 8 != 0,
                min_lod: code & 16 != 0,
            },
            GATHER..FETCH => gather(code - GATHER, None),
            FETCH..READ => ImageOp::Fetch { offset: code != FETCH },
            READ => ImageOp::Read,
            WRITE | WRITE_LEVEL => ImageOp::Write { level: code != WRITE },
            QUERY_LOD => ImageOp::QueryLod,
            FOOTPRINT..COUNT => ImageOp::Footprint {
                lod: LOD_MODES[((code - FOOTPRINT) & 3) as usize],
                min_lod: code - FOOTPRINT >= 4,
            },
            PICK..FOOTPRINT => ImageOp::Pick { component: GATHER_SOURCES[(code - PICK) as usize] },
            GATHER_LEVEL..PICK => {
                let number = code - GATHER_LEVEL;
                gather(number % GATHERS, Some(LOD_MODES[(number / GATHERS) as usize]))
            }
            _ => ImageOp::Atomic(*ATOMIC_OPS.get((code - ATOMIC) as usize)?),
        })
    }

    /// Whether the operation writes the image.
    pub const fn writes(self) -> bool {
        matches!(self, ImageOp::Write { .. } | ImageOp::Atomic(_))
    }

    /// Whether the operation looks at the sampler.
    pub const fn uses_sampler(self) -> bool {
        matches!(
            self,
            ImageOp::Sample { .. }
                | ImageOp::Gather { .. }
                | ImageOp::Pick { .. }
                | ImageOp::QueryLod
                | ImageOp::Footprint { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let ops: Vec<ImageOp> = (0..ROW_ENTRIES as u32).map_while(ImageOp::from_code).collect();
        assert_eq!(ops.len(), COUNT as usize);
        for (code, op) in ops.iter().enumerate() {
            assert_eq!(op.code(), code as u32);
        }
        assert_eq!(ImageOp::from_code(COUNT), None);
    }
}
