//! Image operations as part of a shader, whose operands are values instead of columns of a call record.
//!
//! A shader is compiled so when it is known of which static facts the image and the sampler are that it will
//! run with. The code is that of the functions, and gives the same bits.

use super::{Access, BuildError, Stage};
use crate::key::{SamplerKey, ViewKey};
use pyro_abi::image::ImageOp;
use pyro_ir::{Builder, Value};

/// What an operation gave: columns of the call record and their values.
pub type Results = Vec<(u32, Value)>;

/// The operands of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Operands<'a> {
    /// Address of the image record, the same in all lanes.
    pub image: Value,
    /// Address of the sampler record, the same in all lanes.
    pub sampler: Value,
    /// Columns of the call record and their values, of 32 bits. Columns that are not here are zero.
    pub columns: &'a [(u32, Value)],
    /// Lanes are a block of eight by two pixels in the order of quads, whose texels mostly lie close
    /// together.
    pub are_block: bool,
}

/// What is in place of a call record.
pub(super) struct Columns<'a> {
    operands: Operands<'a>,
    results: Results,
}

impl Columns<'_> {
    pub(super) fn operand(&self, column: u32) -> Option<Value> {
        self.operands.columns.iter().rev().find(|&&(number, _)| number == column).map(|&(_, value)| value)
    }

    pub(super) fn set_result(&mut self, column: u32, value: Value) {
        self.results.push((column, value));
    }

    pub(super) fn are_block(&self) -> bool {
        self.operands.are_block
    }

    pub(super) fn sampler(&self) -> Value {
        self.operands.sampler
    }
}

/// Whether an operation is worth its code in a shader, and can be there. Block compressed texels are decoded
/// with tables that only functions have, and take so long that a call does not count; so do conversions of
/// Y'CbCr. Residency codes are told in call records.
pub fn is_inlined(view: &ViewKey, sampler: Option<&SamplerKey>, op: ImageOp) -> bool {
    let is_short = !view.format.is_compressed()
        && !view.sparse
        && view.conversion.is_none()
        && !matches!(op, ImageOp::Atomic(_));
    is_short && (!op.uses_sampler() || sampler.is_some())
}

/// Writes an operation's code at the builder's place, which may be in another block afterwards.
///
/// # Errors
/// See [`BuildError`]; nothing was written then that has an effect.
pub fn operate(
    b: &mut Builder,
    view: &ViewKey,
    sampler: Option<&SamplerKey>,
    op: ImageOp,
    operands: Operands<'_>,
) -> Result<Results, BuildError> {
    let columns = Columns { operands, results: Results::new() };
    let mut access = Access { b, view, image: operands.image, inline: Some(columns), stage: Stage::Decoded };
    access.operate(sampler, op)?;
    Ok(access.inline.map(|columns| columns.results).unwrap_or_default())
}
