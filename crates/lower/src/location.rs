//! The table of source locations.

use pyro_ir::SourceLoc;
use pyro_spirv::{Inst, SourceLocation};
use rustc_hash::FxHashMap;

/// Source locations, each once; number 0 is none.
#[derive(Debug)]
pub(crate) struct Locations {
    table: LocationTable,
    known: FxHashMap<(u32, u32, u32, u32), SourceLoc>,
    /// Instructions of one line have locations of their own.
    by_instruction: bool,
}

/// What [`pyro_ir::SourceLoc`] indexes; number 0 stands for none.
#[derive(Debug, Default)]
pub struct LocationTable {
    /// Source locations.
    pub sources: Vec<Option<SourceLocation>>,
    /// The instructions, where they are told apart; else empty.
    pub insts: Vec<Inst>,
}

impl LocationTable {
    /// Where in the source a location is.
    pub fn source(&self, loc: SourceLoc) -> Option<SourceLocation> {
        *self.sources.get(loc.0 as usize)?
    }
}

impl Locations {
    pub(crate) fn new(by_instruction: bool) -> Locations {
        let mut table = LocationTable { sources: vec![None], insts: Vec::new() };
        if by_instruction {
            table.insts.push(Inst::from_u32(0));
        }
        Locations { table, known: FxHashMap::default(), by_instruction }
    }

    /// Whether instructions are told apart.
    pub(crate) fn by_instruction(&self) -> bool {
        self.by_instruction
    }

    /// The number of the location of an instruction.
    pub(crate) fn intern(&mut self, location: Option<SourceLocation>, inst: Inst) -> SourceLoc {
        if location.is_none() && !self.by_instruction {
            return SourceLoc::default();
        }
        let place = location.map_or((0, 0, 0), |at| (at.source.as_u32(), at.line, at.column));
        let number = if self.by_instruction { inst.as_u32() } else { 0 };
        *self.known.entry((place.0, place.1, place.2, number)).or_insert_with(|| {
            self.table.sources.push(location);
            if self.by_instruction {
                self.table.insts.push(inst);
            }
            SourceLoc(self.table.sources.len() as u32 - 1)
        })
    }

    pub(crate) fn into_table(self) -> LocationTable {
        self.table
    }
}
