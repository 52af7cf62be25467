//! The optional operands of image instructions.

use crate::error::{LowerError, Result, unsupported};
use pyro_spirv::spirv::ImageOperands;
use pyro_spirv::{Id, Instruction};

/// The ids of an image instruction's optional operands. What concerns memory order only is left out: image
/// accesses stay in order, and are seen by all at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ImageOperandIds {
    pub(super) bias: Option<Id>,
    pub(super) lod: Option<Id>,
    pub(super) grad: Option<(Id, Id)>,
    /// `ConstOffset` or `Offset`.
    pub(super) offset: Option<Id>,
    /// `ConstOffsets` or `Offsets`.
    pub(super) offsets: Option<Id>,
    pub(super) sample: Option<Id>,
    pub(super) min_lod: Option<Id>,
}

impl ImageOperandIds {
    /// Those behind the mask at `position`, if the instruction has one.
    pub(super) fn of(inst: Instruction<'_>, position: usize) -> Result<ImageOperandIds> {
        use ImageOperands as I;
        let mask = I::from_bits_retain(inst.get_word(position).unwrap_or(0));
        let mut next = position;
        let mut take = |flag: I| -> Result<Option<Id>> {
            if !mask.contains(flag) {
                return Ok(None);
            }
            next += 1;
            match inst.get_id(next) {
                Some(id) => Ok(Some(id)),
                None => Err(LowerError::invalid(format!("{inst:?} lacks an image operand"))),
            }
        };
        let mut found = ImageOperandIds { bias: take(I::BIAS)?, lod: take(I::LOD)?, ..Default::default() };
        found.grad = take(I::GRAD)?.zip(take(I::GRAD)?);
        found.offset = take(I::CONST_OFFSET)?;
        let offset = take(I::OFFSET)?;
        found.offset = found.offset.or(offset);
        found.offsets = take(I::CONST_OFFSETS)?;
        found.sample = take(I::SAMPLE)?;
        found.min_lod = take(I::MIN_LOD)?;
        // Scopes.
        take(I::MAKE_TEXEL_AVAILABLE)?;
        take(I::MAKE_TEXEL_VISIBLE)?;
        let offsets = take(I::OFFSETS)?;
        found.offsets = found.offsets.or(offsets);
        let known = I::BIAS
            | I::LOD
            | I::GRAD
            | I::CONST_OFFSET
            | I::OFFSET
            | I::CONST_OFFSETS
            | I::SAMPLE
            | I::MIN_LOD
            | I::MAKE_TEXEL_AVAILABLE
            | I::MAKE_TEXEL_VISIBLE
            | I::NON_PRIVATE_TEXEL
            | I::VOLATILE_TEXEL
            | I::SIGN_EXTEND
            | I::ZERO_EXTEND
            | I::NONTEMPORAL
            | I::OFFSETS;
        if !known.contains(mask) {
            return unsupported(format!("image operands {:?}", mask.difference(known)));
        }
        Ok(found)
    }
}
