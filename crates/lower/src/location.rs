//! The table of source locations.

use pyro_ir::SourceLoc;
use pyro_spirv::{Inst, SourceLocation};
use rustc_hash::FxHashMap;

/// Source locations, each once; number 0 is none.
#[derive(Debug)]
pub(crate) struct Locations {
    table: LocationTable,
    known: FxHashMap<(u32, u32, u32, u32, u32), SourceLoc>,
    /// Instructions of one line have locations of their own, and each call of a function has.
    by_instruction: bool,
    /// The calls that what is lowered is in, by their numbers.
    stack: Vec<u32>,
}

/// What [`pyro_ir::SourceLoc`] indexes; number 0 stands for none.
#[derive(Debug, Default)]
pub struct LocationTable {
    /// Source locations.
    pub sources: Vec<Option<SourceLocation>>,
    /// The instructions, and the numbers of the calls that they are in, where they are told apart; else
    /// empty.
    pub insts: Vec<(Inst, u32)>,
    /// Calls: the number of the call that each is in, and its instruction; number 0 stands for none.
    pub calls: Vec<(u32, Inst)>,
}

impl LocationTable {
    /// Where in the source a location is.
    pub fn source(&self, loc: SourceLoc) -> Option<SourceLocation> {
        *self.sources.get(loc.0 as usize)?
    }
}

impl Locations {
    pub(crate) fn new(by_instruction: bool) -> Locations {
        let mut table = LocationTable { sources: vec![None], ..LocationTable::default() };
        if by_instruction {
            table.insts.push((Inst::from_u32(0), 0));
            table.calls.push((0, Inst::from_u32(0)));
        }
        Locations { table, known: FxHashMap::default(), by_instruction, stack: Vec::new() }
    }

    /// Whether instructions are told apart.
    pub(crate) fn by_instruction(&self) -> bool {
        self.by_instruction
    }

    /// What is lowered from here on is in a call.
    pub(crate) fn enter(&mut self, call: Inst) {
        if self.by_instruction {
            self.table.calls.push((self.call(), call));
            self.stack.push(self.table.calls.len() as u32 - 1);
        }
    }

    /// Ends the last [`Locations::enter`].
    pub(crate) fn leave(&mut self) {
        self.stack.pop();
    }

    fn call(&self) -> u32 {
        self.stack.last().copied().unwrap_or(0)
    }

    /// The number of the location of an instruction.
    pub(crate) fn intern(&mut self, location: Option<SourceLocation>, inst: Inst) -> SourceLoc {
        if location.is_none() && !self.by_instruction {
            return SourceLoc::default();
        }
        let place = location.map_or((0, 0, 0), |at| (at.source.as_u32(), at.line, at.column));
        let number = if self.by_instruction { inst.as_u32() } else { 0 };
        let call = self.call();
        *self.known.entry((place.0, place.1, place.2, number, call)).or_insert_with(|| {
            self.table.sources.push(location);
            if self.by_instruction {
                self.table.insts.push((inst, call));
            }
            SourceLoc(self.table.sources.len() as u32 - 1)
        })
    }

    pub(crate) fn into_table(self) -> LocationTable {
        self.table
    }
}
