//! Quads on their way into fragment subgroups.
//!
//! A few subgroups wait at a time, and run in the order of their numbers. Two quads of the same place are
//! never in one subgroup, and the later one has the higher number: so each pixel sees its fragments in order,
//! and quads of neighbours, which often meet in one place, still fill subgroups.

use crate::graphics::raster::tiles::TILE_PIXELS;
use crate::graphics::simd::multiversion::{Vectorized, vectorize};
use crate::graphics::state::shading_rate::BlockShading;
use pyro_abi::FragmentSubgroup;
use pyro_abi::graphics::{COLUMN_LANES, QuadSubgroup};

/// Subgroups that wait at most.
pub(crate) const WAITING: u32 = 8;
/// Quads of a tile in x and y.
pub(crate) const TILE_QUADS: usize = TILE_PIXELS as usize / 2;
/// Quads of the largest subgroup.
const QUADS_MAX: usize = COLUMN_LANES / 4;

/// A subgroup that is filled.
#[derive(Default)]
pub(crate) struct Group {
    /// Its coverage is there, all else comes with [`Group::finish`].
    pub(crate) record: FragmentSubgroup,
    /// The quads' upper left pixels, x in the lower half.
    corners: [u32; QUADS_MAX],
    primitives: [u32; QUADS_MAX],
    /// Quads that it has.
    filled: usize,
}

/// How a group's quads belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitives {
    /// All are of the primitive with this setup offset.
    One(u32),
    Several,
}

/// A group whose record is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finished {
    /// Lanes that have a fragment.
    pub(crate) lanes: usize,
    /// Lanes with coverage.
    pub(crate) covered: u32,
    pub(crate) primitives: Primitives,
}

/// Completes the record of a subgroup of so many lanes. Functions load whole columns: those are to be stored
/// as such, since a load of several stores waits until they have all left for memory.
struct Finish<'a>(&'a mut Group, usize);

impl Vectorized for Finish<'_> {
    type Output = Finished;

    #[inline(always)]
    fn run<const WIDE: bool>(self) -> Finished {
        let Finish(Group { record, corners, primitives, filled }, lanes) = self;
        let filled = std::mem::take(filled).min(lanes / 4);
        let first = primitives[0];
        if filled < lanes / 4 {
            // Inactive lanes have no coverage and a primitive that is there.
            primitives[filled..lanes / 4].fill(first);
            record.coverage[4 * filled..lanes].fill(0);
        }
        // The upper bit of one of them is set unless it is zero.
        let is_covered = |&coverage: &u32| (coverage | coverage.wrapping_neg()) >> 31;
        let covered = |coverage: &[u32]| coverage.iter().map(is_covered).sum();
        let covered = if lanes == 16 {
            expand::<16>(record, corners, primitives);
            covered(&record.coverage[..16])
        } else {
            expand::<COLUMN_LANES>(record, corners, primitives);
            covered(&record.coverage[..lanes])
        };
        let several = primitives[..lanes / 4].iter().fold(0, |several, other| several | (other ^ first));
        let primitives = if several == 0 { Primitives::One(first) } else { Primitives::Several };
        Finished { lanes: 4 * filled, covered, primitives }
    }
}

impl Group {
    /// Completes the record of a subgroup of `lanes` lanes.
    #[inline]
    pub(crate) fn finish(&mut self, lanes: usize) -> Finished {
        vectorize(Finish(self, lanes))
    }
}

impl Group {
    /// Makes fragments of its lanes that are of several pixels, once its record is complete.
    pub(crate) fn spread(&mut self, shading: BlockShading, lanes: usize) {
        self.record.shading_rate = shading.bits();
        let rate = shading.rate;
        for lane in 0..lanes {
            let corner = self.corners[lane / 4];
            self.record.x[lane] = (corner & 0xffff) + ((lane as u32 & 1) << rate.x);
            self.record.y[lane] = (corner >> 16) + ((lane as u32 >> 1 & 1) << rate.y);
        }
    }

    /// What a group of 16 lanes holds, once its record is complete.
    pub(crate) fn quads(&self) -> QuadSubgroup {
        let mut quads = QuadSubgroup::default();
        quads.coverage.copy_from_slice(&self.record.coverage[..16]);
        quads.corners.copy_from_slice(&self.corners[..4]);
        quads.primitives.copy_from_slice(&self.primitives[..4]);
        quads
    }
}

/// Fills columns of so many lanes from what there is of each quad.
#[inline(always)]
fn expand<const LANES: usize>(
    record: &mut FragmentSubgroup,
    corners: &[u32; QUADS_MAX],
    primitives: &[u32; QUADS_MAX],
) {
    for lane in 0..LANES {
        let corner = corners[lane / 4];
        record.x[lane] = (corner & 0xffff) + (lane as u32 & 1);
        record.y[lane] = (corner >> 16) + (lane as u32 >> 1 & 1);
        record.primitives[lane] = primitives[lane / 4];
    }
}

/// The subgroups that wait.
pub(crate) struct Waiting {
    /// Subgroup `n` is in place `n % WAITING`.
    groups: Box<[Group; WAITING as usize]>,
    /// The first subgroup that waits.
    first: u32,
    /// All before it are full.
    open: u32,
    /// For each quad of the tile, the subgroup behind the last one that has it.
    after: Box<[u32; TILE_QUADS * TILE_QUADS]>,
    /// Quads of a subgroup.
    quads: usize,
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting {
            groups: Box::default(),
            first: 0,
            open: 0,
            after: Box::new([0; TILE_QUADS * TILE_QUADS]),
            quads: 0,
        }
    }
}

/// The number of a quad in its tile, by its upper left pixel.
#[inline(always)]
pub(crate) fn place(x: i32, y: i32) -> usize {
    (y as usize / 2 % TILE_QUADS) * TILE_QUADS + x as usize / 2 % TILE_QUADS
}

impl Waiting {
    /// Begins with subgroups of so many lanes; `prepare` is called with all their records. Nothing may wait.
    pub(crate) fn start(&mut self, lanes: usize, mut prepare: impl FnMut(&mut FragmentSubgroup)) {
        self.quads = lanes / 4;
        for group in self.groups.iter_mut() {
            debug_assert_eq!(group.filled, 0, "quads of another draw");
            group.filled = 0;
            prepare(&mut group.record);
        }
        self.open = self.first;
        if self.first > u32::MAX / 2 {
            (self.first, self.open) = (0, 0);
            self.after.fill(0);
        }
    }

    /// The subgroup that a quad at this place goes to; none while the first has to run before.
    #[inline(always)]
    pub(crate) fn group(&self, place: usize) -> Option<u32> {
        let mut number = self.after[place % (TILE_QUADS * TILE_QUADS)].max(self.open);
        loop {
            if number == self.first + WAITING {
                return None;
            }
            if self.groups[(number % WAITING) as usize].filled != self.quads {
                return Some(number);
            }
            number += 1;
        }
    }

    /// Adds a quad to a subgroup that [`Waiting::group`] has given. `corner`: its upper left pixel, x in the
    /// lower half.
    #[inline(always)]
    pub(crate) fn add(&mut self, number: u32, place: usize, corner: u32, coverage: [u32; 4], primitive: u32) {
        self.after[place % (TILE_QUADS * TILE_QUADS)] = number + 1;
        let group = &mut self.groups[(number % WAITING) as usize];
        let at = group.filled % QUADS_MAX;
        group.corners[at] = corner;
        group.primitives[at] = primitive;
        group.record.coverage.as_chunks_mut().0[at] = coverage;
        group.filled = at + 1;
        if number == self.open && at + 1 == self.quads {
            self.open += 1;
        }
    }

    /// Takes the first subgroup, which is to run now; none when it is empty.
    #[inline(always)]
    pub(crate) fn take_first(&mut self) -> Option<&mut Group> {
        let group = &mut self.groups[(self.first % WAITING) as usize];
        if group.filled == 0 {
            self.open = self.first;
            return None;
        }
        self.first += 1;
        self.open = self.open.max(self.first);
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quads_of_one_place_follow_each_other() {
        let mut waiting = Waiting::default();
        waiting.start(16, |_| {});
        let mut add = |x: i32, y: i32, primitive| {
            let number = waiting.group(place(x, y)).expect("room");
            waiting.add(number, place(x, y), x as u32 | (y as u32) << 16, [1, 0, 0, 1], primitive);
            number
        };
        assert_eq!([add(64, 2, 7), add(66, 2, 7), add(64, 2, 8), add(66, 4, 8)], [0, 0, 1, 0]);
        assert_eq!([add(68, 2, 8), add(70, 2, 8), add(66, 2, 9)], [0, 1, 1]);
        let group = waiting.take_first().expect("a full subgroup");
        assert_eq!(group.finish(16), Finished { lanes: 16, covered: 8, primitives: Primitives::Several });
        assert_eq!(group.record.x[..8], [64, 65, 64, 65, 66, 67, 66, 67]);
        assert_eq!(group.record.y[4..12], [2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(group.record.primitives[..12], [7, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8]);
        let group = waiting.take_first().expect("the other");
        assert_eq!(group.finish(16), Finished { lanes: 12, covered: 6, primitives: Primitives::Several });
        assert_eq!(group.record.coverage[8..16], [1, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(group.record.primitives[12..16], [8; 4]);
        assert!(waiting.take_first().is_none());
    }

    #[test]
    fn a_place_that_is_in_all_subgroups_waits() {
        let mut waiting = Waiting::default();
        waiting.start(8, |_| {});
        for number in 0..WAITING {
            assert_eq!(waiting.group(5), Some(number));
            waiting.add(number, 5, 10, [1; 4], 0);
        }
        assert_eq!(waiting.group(5), None);
        assert_eq!(waiting.group(6), Some(0));
        let finished = waiting.take_first().map(|group| group.finish(8));
        assert_eq!(finished, Some(Finished { lanes: 4, covered: 4, primitives: Primitives::One(0) }));
        assert_eq!(waiting.group(5), Some(WAITING));
    }
}
