//! The table of source locations.

use pyro_ir::SourceLoc;
use pyro_spirv::SourceLocation;
use rustc_hash::FxHashMap;

/// Source locations, each once; number 0 is none.
#[derive(Debug)]
pub(crate) struct Locations {
    table: Vec<Option<SourceLocation>>,
    known: FxHashMap<(u32, u32, u32), SourceLoc>,
}

impl Locations {
    pub(crate) fn new() -> Locations {
        Locations { table: vec![None], known: FxHashMap::default() }
    }

    /// The number of a location.
    pub(crate) fn intern(&mut self, location: Option<SourceLocation>) -> SourceLoc {
        let Some(location) = location else { return SourceLoc::default() };
        let key = (location.source.as_u32(), location.line, location.column);
        *self.known.entry(key).or_insert_with(|| {
            self.table.push(Some(location));
            SourceLoc(self.table.len() as u32 - 1)
        })
    }

    pub(crate) fn into_table(self) -> Vec<Option<SourceLocation>> {
        self.table
    }
}
