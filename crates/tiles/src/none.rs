//! Where there are no tiles.

use crate::Sums;

pub(crate) fn has_tiles() -> bool {
    false
}

pub(crate) fn ask() -> bool {
    false
}

pub(crate) struct Configured;

impl Configured {
    pub(crate) fn new() -> Configured {
        unreachable!("nobody has leave to use tiles")
    }

    pub(crate) fn add_products(&self, _: [&[i8]; 2], _: [&[i8]; 2], _: usize, _: &mut Sums) {}
}
