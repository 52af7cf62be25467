//! Which tiles have something of which chunks of a batch.

use super::chunk_work::Made;
use super::{Output, SizedOutput};
use crate::graphics::state::Statistics;

/// The outputs of a batch's chunks, in order.
#[derive(Default)]
pub(super) struct Outputs {
    pub(super) chunks: Vec<Output>,
    /// About the bytes that each of them holds.
    pub(super) bytes: Vec<usize>,
    /// For each chunk, which thread's list has its tiles, and where.
    places: Vec<(u32, [u32; 2])>,
    /// By thread: tiles, perhaps several times, and how much chunks have there.
    touched: Vec<Vec<(u32, u32)>>,
    pub(super) statistics: Statistics,
    /// Pixels of all primitives' bounds.
    pub(super) pixels: u64,
}

impl Outputs {
    /// Puts together what threads have made of so many chunks.
    pub(super) fn new(count: usize, made: Vec<Made>) -> Outputs {
        let mut outputs = Outputs { places: vec![(0, [0; 2]); count], ..Outputs::default() };
        let mut chunks: Vec<Option<SizedOutput>> = Vec::new();
        chunks.resize_with(count, || None);
        for (thread, made) in (0..).zip(made) {
            let mut first = 0;
            for (number, end, output) in made.outputs {
                outputs.places[number as usize] = (thread, [first, end]);
                chunks[number as usize] = Some(output);
                first = end;
            }
            outputs.touched.push(made.touched);
            outputs.statistics += made.statistics;
            outputs.pixels += made.pixels;
        }
        // All are there where nothing has failed.
        (outputs.bytes, outputs.chunks) = chunks.into_iter().flatten().unzip();
        outputs
    }

    /// By chunk, tiles that it has something in, and how much.
    fn touched(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.places
            .iter()
            .map(|&(thread, [first, end])| &self.touched[thread as usize][first as usize..end as usize])
    }
}

/// What a tile costs beside its primitives, in primitives.
const TILE_WEIGHT: u64 = 16;

/// Which tiles have something of which chunks.
#[derive(Default)]
pub(super) struct TileLists {
    pub(super) tiles: Vec<u32>,
    /// For each of them, where its chunks begin in `chunks`; one more at the end.
    first: Vec<u32>,
    /// Numbers of chunks, in order for each tile.
    chunks: Vec<u32>,
    /// For each of the tiles, about how much work it is.
    pub(super) weights: Vec<u64>,
    /// For each of the tiles, whether no batch had it before.
    pub(super) is_first: Vec<bool>,
}

/// A tile of a batch.
#[derive(Clone, Copy)]
pub(super) struct Tile<'a> {
    pub(super) number: u32,
    pub(super) chunks: &'a [u32],
    pub(super) is_first: bool,
}

impl TileLists {
    /// `wanted`: tiles that are listed even if they have no chunk; it is told whether an earlier batch had
    /// the tile. `touched_tiles`: tiles that earlier batches had; these are added.
    pub(super) fn new(
        outputs: &Outputs,
        touched_tiles: &mut [bool],
        wanted: impl Fn(u32, bool) -> bool,
    ) -> TileLists {
        #[derive(Clone, Copy, Default)]
        struct Seen {
            /// Its last chunk's number plus one.
            last: u32,
            /// How many chunks it has; later where its next one goes.
            chunks: u32,
            primitives: u64,
        }
        let mut seen = vec![Seen::default(); touched_tiles.len()];
        let mut pairs = Vec::new();
        for (number, touched) in (0..).zip(outputs.touched()) {
            for &(tile, count) in touched {
                let Seen { last, chunks, primitives } = &mut seen[tile as usize];
                *primitives += u64::from(count);
                if std::mem::replace(last, number + 1) != number + 1 {
                    *chunks += 1;
                    pairs.push((tile, number));
                }
            }
        }
        let (mut lists, mut end) = (TileLists::default(), 0);
        for (tile, seen) in (0..).zip(&mut seen) {
            let is_first = !touched_tiles[tile as usize];
            if seen.chunks == 0 && !wanted(tile, !is_first) {
                continue;
            }
            touched_tiles[tile as usize] = true;
            lists.tiles.push(tile);
            lists.first.push(end);
            lists.weights.push(TILE_WEIGHT + seen.primitives);
            lists.is_first.push(is_first);
            (seen.chunks, end) = (end, end + seen.chunks);
        }
        lists.first.push(end);
        lists.chunks.resize(pairs.len(), 0);
        for (tile, number) in pairs {
            let next = &mut seen[tile as usize].chunks;
            lists.chunks[*next as usize] = number;
            *next += 1;
        }
        lists
    }

    pub(super) fn get(&self, index: u32) -> Tile<'_> {
        let index = index as usize;
        Tile {
            number: self.tiles[index],
            chunks: &self.chunks[self.first[index] as usize..self.first[index + 1] as usize],
            is_first: self.is_first[index],
        }
    }
}
