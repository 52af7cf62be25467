//! Shadow memory of what invocations share: what generated code and the runtime agree on.
//!
//! # Cells
//! A *cell* has 32 bits and stands for one, two or four bytes of memory. It holds the *mark* of the last
//! access, zero where there was none. There are tables of cells, one behind the other ([`Tables`]).
//!
//! # Marks
//! From the lowest bit: the site (from 1), how often the invocation has released in this interval
//! (saturated), the invocation's number in the workgroup, the interval. An *interval* is what lies between
//! two barriers that order the memory; the first is 1. The greatest number of an invocation stands for
//! *many*: several have accessed the cell in the interval.
//!
//! [`buffer`] says what cells of buffers hold.
//!
//! Must not know: what is reported.

use crate::report::AccessKind;
use pyro_util::codec::{ByteCodec, Reader};

/// Bits of a mark that count releases.
pub const RELEASE_BITS: u32 = 2;
/// The greatest count of releases, which stands for more.
pub const RELEASES_MAX: u32 = (1 << RELEASE_BITS) - 1;

/// The tables of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// Plain writes.
    Writes = 0,
    /// Plain reads.
    Reads = 1,
    /// Atomic operations.
    Atomics = 2,
    /// Atomic stores that order nothing.
    RelaxedStores = 3,
}

impl Tables {
    /// All of them, in order.
    pub const ALL: [Tables; 4] = [Tables::Writes, Tables::Reads, Tables::Atomics, Tables::RelaxedStores];
}

/// Where the invocation's number is in a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MarkLayout {
    /// Its lowest bit.
    pub low: u32,
    /// The bit behind it, where the interval begins.
    pub high: u32,
}

pyro_util::codec_struct!(MarkLayout { low, high });

impl MarkLayout {
    /// For so many sites and invocations.
    pub fn new(sites: u32, invocations: u32) -> MarkLayout {
        let bits = |count: u32| u32::BITS - count.leading_zeros();
        let low = bits(sites) + RELEASE_BITS;
        MarkLayout { low, high: low + bits(invocations) }
    }

    /// Whether intervals have enough bits.
    pub fn fits(self) -> bool {
        self.high <= 24
    }

    /// The bits of the number that stands for many.
    pub const fn many(self) -> u32 {
        (1 << self.high) - (1 << self.low)
    }

    /// The same with the greatest count of releases, which tells nothing of many.
    pub const fn many_and_releases(self) -> u32 {
        self.many() | RELEASES_MAX << self.releases_low()
    }

    /// The lowest bit that counts releases.
    pub const fn releases_low(self) -> u32 {
        self.low - RELEASE_BITS
    }

    /// The number of the invocation; none of many.
    pub fn invocation(self, mark: u32) -> Option<u32> {
        let number = (mark & self.many()) >> self.low;
        (number != self.many() >> self.low).then_some(number)
    }

    /// The site, from 1.
    pub fn site(self, mark: u32) -> u32 {
        mark & ((1 << self.releases_low()) - 1)
    }

    /// The releases before.
    pub fn releases(self, mark: u32) -> u32 {
        mark >> self.releases_low() & RELEASES_MAX
    }

    /// The interval.
    pub fn interval(self, mark: u32) -> u32 {
        mark >> self.high
    }

    /// Whether marks are of one interval and of different invocations.
    pub fn conflict(self, one: u32, other: u32) -> bool {
        let differs = one ^ other;
        (1 << self.low..1 << self.high).contains(&differs)
    }
}

/// The immediate of a `track` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tracked {
    /// What the access does.
    pub access: AccessKind,
    /// Cells, 1 to 255.
    pub cells: u32,
    /// The site that reports, of 16 bits.
    pub site: u32,
    /// The number that cells have for the site, of 16 bits, from 1.
    pub number: u32,
    /// The memory is a buffer's ([`buffer`]).
    pub is_buffer: bool,
    /// Marks of the memory.
    pub layout: MarkLayout,
    /// There are tables for atomic operations.
    pub has_atomics: bool,
    /// What it reads should have been written.
    pub checks_unwritten: bool,
}

impl Tracked {
    /// As an immediate.
    pub fn to_bits(self) -> u64 {
        u64::from(self.site as u16)
            | u64::from(self.number as u16) << 16
            | (self.access as u64) << 32
            | u64::from(self.cells & 0xff) << 36
            | u64::from(self.layout.low) << 44
            | u64::from(self.layout.high) << 50
            | u64::from(self.has_atomics) << 56
            | u64::from(self.checks_unwritten) << 57
            | u64::from(self.is_buffer) << 58
    }

    /// From an immediate.
    pub fn from_bits(bits: u64) -> Tracked {
        let field = |at: u32, count: u32| (bits >> at) as u32 & ((1 << count) - 1);
        Tracked {
            access: AccessKind::ALL[field(32, 4) as usize % AccessKind::ALL.len()],
            cells: field(36, 8),
            site: field(0, 16),
            number: field(16, 16),
            is_buffer: field(58, 1) != 0,
            layout: MarkLayout { low: field(44, 6).min(30), high: field(50, 6).min(31) },
            has_atomics: field(56, 1) != 0,
            checks_unwritten: field(57, 1) != 0,
        }
    }
}

impl ByteCodec for Tracked {
    fn write(&self, out: &mut Vec<u8>) {
        self.to_bits().write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Tracked> {
        Some(Tracked::from_bits(reader.value()?))
    }
}

/// Shadow memory of buffers, for shaders in which nothing orders accesses of different invocations.
///
/// A word of a buffer has a cell in two tables: its *owner* and a *detail*. Owners are numbers: those of the
/// invocations of a dispatch follow one another, and the one behind them stands for several; what is outside
/// of that range is of another dispatch, and counts as nothing. Details have the site of the last read, the
/// last write and the last atomic operation, zero where there was none.
///
/// Tables are as large as address space that memory may have: an address modulo [`buffer::REGION_BYTES`] is
/// a place in the table of owners, and the details are two such regions behind.
pub mod buffer {
    /// Bytes of addresses that have places of their own.
    pub const REGION_BYTES: u64 = 1 << 40;
    /// Bytes of both tables, and of what may lie behind each.
    pub const TABLES_BYTES: u64 = 4 * REGION_BYTES;
    /// Bits of a site in a detail.
    pub const SITE_BITS: u32 = 10;
    /// Numbers that sites have at most.
    pub const SITES_MAX: u32 = (1 << SITE_BITS) - 1;
    /// Where details have the site of a read, a write and an atomic operation.
    pub const READ: u32 = 0;
    /// See [`READ`].
    pub const WRITE: u32 = SITE_BITS;
    /// See [`READ`].
    pub const ATOMIC: u32 = 2 * SITE_BITS;

    /// The site that a detail has at a place; zero for none.
    pub const fn site(detail: u32, place: u32) -> u32 {
        detail >> place & SITES_MAX
    }

    /// The bits of a site in a detail.
    pub const fn field(place: u32) -> u32 {
        SITES_MAX << place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immediates_come_back() {
        let tracked = Tracked {
            access: AccessKind::RelaxedStore,
            cells: 255,
            site: 65535,
            number: 1,
            is_buffer: false,
            layout: MarkLayout::new(300, 1024),
            has_atomics: true,
            checks_unwritten: true,
        };
        assert_eq!(Tracked::from_bits(tracked.to_bits()), tracked);
    }

    #[test]
    fn marks_conflict_in_one_interval_only() {
        let layout = MarkLayout::new(5, 64);
        let mark = |interval: u32, invocation: u32, site: u32| {
            interval << layout.high | invocation << layout.low | site
        };
        assert!(layout.conflict(mark(3, 1, 1), mark(3, 2, 1)));
        assert!(!layout.conflict(mark(3, 1, 1), mark(3, 1, 4)));
        assert!(!layout.conflict(mark(3, 1, 1), mark(4, 2, 1)));
        assert!(!layout.conflict(0, mark(1, 0, 1)));
        assert_eq!(layout.invocation(mark(1, 63, 2)), Some(63));
        assert_eq!(layout.invocation(mark(1, 63, 2) | layout.many()), None);
    }
}
