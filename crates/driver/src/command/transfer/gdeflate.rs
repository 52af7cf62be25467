//! GDeflate 1.0: DEFLATE (RFC 1951) whose bits are dealt out to 32 lanes, so that as many decoders can work
//! side by side.
//!
//! A lane holds at least 32 bits ahead; when it has fewer, it takes the next word of the data, so the order
//! in which lanes take bits is the order of words. Headers are lane 0's. Codes, and bytes of stored blocks,
//! go to the lanes one after another, in rounds. A match's distance is read by the lane of its length in the
//! next round, in which that lane gets no code of its own. As in DEFLATE64, the last length has 16 extra
//! bits, and distances reach 64 KiB.
//!
//! Data that is not sound ends the decoding where that shows.

use std::sync::LazyLock;

/// Decoders side by side.
const LANES: usize = 32;
/// Bits of the longest code.
const CODE_BITS: usize = 15;
/// Codes up to so many bits are looked up at once.
const FAST_BITS: usize = 10;
/// Codes for literals and lengths.
const LITERALS: usize = 288;
/// Codes for distances.
const DISTANCES: usize = 32;
/// The code that ends a block.
const END: u16 = 256;
/// Where the lengths of code lengths' codes stand.
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// The least length of a code behind [`END`], and the bits that are added.
const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (3, 16),
];

/// The bits of all lanes.
struct Lanes<'s> {
    source: &'s [u8],
    /// Words that lanes have taken.
    taken: usize,
    bits: [u64; LANES],
    counts: [u32; LANES],
}

impl<'s> Lanes<'s> {
    fn new(source: &'s [u8]) -> Lanes<'s> {
        let mut lanes = Lanes { source, taken: 0, bits: [0; LANES], counts: [32; LANES] };
        for lane in 0..LANES {
            lanes.bits[lane] = lanes.next();
        }
        lanes
    }

    /// The next word; zeros behind the end, where sound data may still ask for some.
    fn next(&mut self) -> u64 {
        let rest = self.source.get(4 * self.taken..).unwrap_or(&[]);
        self.taken += 1;
        match rest.first_chunk::<4>() {
            Some(&word) => u32::from_le_bytes(word).into(),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        }
    }

    /// Whether lanes have taken more than there can be, so that nothing that follows is sound.
    fn is_over(&self) -> bool {
        self.taken > self.source.len().div_ceil(4) + 2 * LANES
    }

    /// Drops bits of a lane, at most 32.
    #[inline]
    fn drop(&mut self, lane: usize, count: u32) {
        self.bits[lane] >>= count;
        self.counts[lane] -= count;
        if self.counts[lane] < 32 {
            self.bits[lane] |= self.next() << self.counts[lane];
            self.counts[lane] += 32;
        }
    }

    /// Takes bits of a lane, at most 16.
    #[inline]
    fn take(&mut self, lane: usize, count: u32) -> usize {
        let bits = self.bits[lane] & ((1 << count) - 1);
        self.drop(lane, count);
        bits as usize
    }

    /// Takes a code of a lane; none where there is no such code.
    #[inline]
    fn code(&mut self, lane: usize, table: &Table) -> Option<u16> {
        let (symbol, bits) = table.find(self.bits[lane] as u32)?;
        self.drop(lane, bits);
        Some(symbol)
    }
}

/// The codes of an alphabet.
struct Table {
    /// Symbol and bits of the code that a number begins with; no bits where it is longer or none.
    fast: Box<[(u16, u8); 1 << FAST_BITS]>,
    /// By length: the first code, its place among all symbols, and how many there are.
    ranges: [(u32, u16, u16); CODE_BITS + 1],
    /// The symbols in the order of their codes.
    symbols: [u16; LITERALS],
}

impl Table {
    /// That of code lengths; none where there are more codes than bits tell apart.
    fn new(lengths: &[u8]) -> Option<Table> {
        let mut ranges = [(0, 0, 0); CODE_BITS + 1];
        lengths.iter().filter(|&&length| length > 0).for_each(|&length| ranges[usize::from(length)].2 += 1);
        let (mut code, mut place) = (0u32, 0u16);
        for (length, range) in ranges.iter_mut().enumerate().skip(1) {
            code <<= 1;
            (range.0, range.1) = (code, place);
            code += u32::from(range.2);
            place += range.2;
            if code > 1 << length {
                return None;
            }
        }
        let mut table = Table { fast: Box::new([(0, 0); 1 << FAST_BITS]), ranges, symbols: [0; LITERALS] };
        let mut seen = [0u16; CODE_BITS + 1];
        for (symbol, &length) in (0u16..).zip(lengths).filter(|(_, length)| **length > 0) {
            let length = usize::from(length);
            let (first, place, _) = ranges[length];
            let number = seen[length];
            seen[length] += 1;
            table.symbols[usize::from(place + number)] = symbol;
            if length <= FAST_BITS {
                // Codes begin with their highest bit.
                let code = (first + u32::from(number)).reverse_bits() >> (32 - length);
                for entry in table.fast[code as usize..].iter_mut().step_by(1 << length) {
                    *entry = (symbol, length as u8);
                }
            }
        }
        Some(table)
    }

    #[inline]
    fn find(&self, bits: u32) -> Option<(u16, u32)> {
        match self.fast[bits as usize % (1 << FAST_BITS)] {
            (_, 0) => self.find_long(bits),
            (symbol, length) => Some((symbol, length.into())),
        }
    }

    fn find_long(&self, bits: u32) -> Option<(u16, u32)> {
        let codes = bits.reverse_bits();
        (FAST_BITS + 1..=CODE_BITS).find_map(|length| {
            let (first, place, count) = self.ranges[length];
            let number = (codes >> (32 - length)).checked_sub(first)?;
            let is_one = number < u32::from(count);
            is_one.then(|| (self.symbols[usize::from(place) + number as usize], length as u32))
        })
    }
}

/// Both alphabets of a block.
struct Codes {
    literals: Table,
    distances: Table,
}

/// The codes of blocks that bring none.
static FIXED: LazyLock<Option<Codes>> = LazyLock::new(|| {
    let mut lengths = [8; LITERALS];
    lengths[144..256].fill(9);
    lengths[256..280].fill(7);
    Some(Codes { literals: Table::new(&lengths)?, distances: Table::new(&[5; DISTANCES])? })
});

impl Codes {
    /// Those that a block begins with.
    fn read(lanes: &mut Lanes<'_>) -> Option<Codes> {
        let [literals, distances, count] = [(5, 257), (5, 1), (4, 4)].map(|(bits, least)| {
            let more = lanes.take(0, bits);
            more + least
        });
        let mut lengths = [0; LENGTH_ORDER.len()];
        for (lane, &place) in LENGTH_ORDER.iter().take(count).enumerate() {
            lengths[place] = lanes.take(lane, 3) as u8;
        }
        let table = Table::new(&lengths)?;
        let (mut lengths, mut known) = ([0; LITERALS + DISTANCES], 0);
        let all = lengths.get_mut(..literals + distances)?;
        for lane in (0..LANES).cycle() {
            if known == all.len() {
                break;
            }
            let (length, count) = match lanes.code(lane, &table)? {
                16 => (*all.get(known.checked_sub(1)?)?, 3 + lanes.take(lane, 2)),
                17 => (0, 3 + lanes.take(lane, 3)),
                18 => (0, 11 + lanes.take(lane, 7)),
                length => (length as u8, 1),
            };
            all.get_mut(known..known + count)?.fill(length);
            known += count;
        }
        let (literals, distances) = all.split_at(literals);
        Some(Codes { literals: Table::new(literals)?, distances: Table::new(distances)? })
    }
}

/// What has been written of the target.
struct Output<'t> {
    target: &'t mut [u8],
    /// Bytes that have their place.
    length: usize,
}

impl Output<'_> {
    fn push(&mut self, byte: u8) -> Option<()> {
        *self.target.get_mut(self.length)? = byte;
        self.length += 1;
        Some(())
    }

    /// Fills bytes with those so far before them. Those of an overlap repeat.
    fn copy(&mut self, place: usize, length: usize, distance: usize) -> Option<()> {
        let (from, end) = (place.checked_sub(distance)?, (place + length).min(self.target.len()));
        if distance >= length {
            self.target.copy_within(from..from + (end - place), place);
        } else {
            (place..end).for_each(|at| self.target[at] = self.target[at - distance]);
        }
        (place + length == end).then_some(())
    }
}

/// Decodes a block with codes.
fn coded(lanes: &mut Lanes<'_>, codes: &Codes, output: &mut Output<'_>) -> Option<()> {
    /// Reads the distance of a match and fills it in.
    fn finish(
        lanes: &mut Lanes<'_>,
        codes: &Codes,
        output: &mut Output<'_>,
        lane: usize,
        (place, length): (usize, usize),
    ) -> Option<()> {
        let code = usize::from(lanes.code(lane, &codes.distances)?);
        let bits = (code / 2).saturating_sub(1);
        let least = if code < 2 { code + 1 } else { ((2 + code % 2) << bits) + 1 };
        let distance = least + lanes.take(lane, bits as u32);
        output.copy(place, length, distance)
    }
    // Matches whose distance the next round reads.
    let mut matches = [None; LANES];
    let mut has_ended = false;
    while !has_ended {
        if lanes.is_over() {
            return None;
        }
        for (lane, open) in matches.iter_mut().enumerate() {
            if let Some(found) = open.take() {
                finish(lanes, codes, output, lane, found)?;
            } else if !has_ended {
                match lanes.code(lane, &codes.literals)? {
                    END => has_ended = true,
                    byte if byte < END => output.push(byte as u8)?,
                    code => {
                        let &(least, bits) = LENGTHS.get(usize::from(code - END - 1))?;
                        let length = usize::from(least) + lanes.take(lane, bits.into());
                        *open = Some((output.length, length));
                        output.length = output.length.checked_add(length)?;
                    }
                }
            }
        }
    }
    let left = matches.into_iter().enumerate();
    left.filter_map(|(lane, found)| Some((lane, found?)))
        .try_for_each(|(lane, found)| finish(lanes, codes, output, lane, found))
}

/// Copies a block without codes.
fn stored(lanes: &mut Lanes<'_>, output: &mut Output<'_>) -> Option<()> {
    let count = lanes.take(0, 16);
    (0..count).try_for_each(|index| {
        let byte = lanes.take(index % LANES, 8);
        output.push(byte as u8)
    })
}

/// Decodes data to the target; how many bytes there are. None where the data is not sound, or does not fit:
/// then the target has what came before.
pub(super) fn decompress(source: &[u8], target: &mut [u8]) -> Option<usize> {
    let (mut lanes, mut output) = (Lanes::new(source), Output { target, length: 0 });
    loop {
        let is_last = lanes.take(0, 1) != 0;
        match lanes.take(0, 2) {
            0 => stored(&mut lanes, &mut output)?,
            1 => coded(&mut lanes, FIXED.as_ref()?, &mut output)?,
            2 => {
                let codes = Codes::read(&mut lanes)?;
                coded(&mut lanes, &codes, &mut output)?;
            }
            _ => return None,
        }
        if is_last {
            return Some(output.length);
        }
        if lanes.is_over() {
            return None;
        }
    }
}
