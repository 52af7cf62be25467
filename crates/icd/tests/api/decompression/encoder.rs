//! A GDeflate encoder, as the decoder's order of reading asks for: bits are put lane by lane, and the words
//! of lanes are laid down where a decoder that holds at least 32 bits a lane takes them.

const LANES: usize = 32;
const LENGTH_ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// What a block's codes say.
#[derive(Clone, Copy)]
enum Token {
    Literal(u8),
    /// Length and distance.
    Match(usize, usize),
}

/// How a block is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Stored,
    Fixed,
    Dynamic,
}

#[derive(Default)]
struct Writer {
    lanes: [Vec<bool>; LANES],
    /// Lane and bits of each read.
    reads: Vec<(usize, usize)>,
}

impl Writer {
    /// A number, its lowest bit first.
    fn put(&mut self, lane: usize, number: usize, bits: usize) {
        self.lanes[lane].extend((0..bits).map(|bit| number >> bit & 1 != 0));
        self.reads.push((lane, bits));
    }

    /// A code, its highest bit first.
    fn code(&mut self, lane: usize, (code, bits): (usize, usize)) {
        assert!(bits > 0, "a symbol without a code");
        self.lanes[lane].extend((0..bits).rev().map(|bit| code >> bit & 1 != 0));
        self.reads.push((lane, bits));
    }

    fn finish(self) -> Vec<u8> {
        let mut taken = [0; LANES];
        let mut bytes = Vec::new();
        let mut take = |lane: usize, to: &mut Vec<u8>| {
            let bits = (0..32)
                .filter(|bit| self.lanes[lane].get(32 * taken[lane] + bit).is_some_and(|&is_set| is_set));
            let word: u32 = bits.map(|bit| 1 << bit).sum();
            taken[lane] += 1;
            to.extend(word.to_le_bytes());
        };
        (0..LANES).for_each(|lane| take(lane, &mut bytes));
        let mut held = [32; LANES];
        for &(lane, bits) in &self.reads {
            held[lane] -= bits;
            if held[lane] < 32 {
                take(lane, &mut bytes);
                held[lane] += 32;
            }
        }
        bytes
    }
}

/// Code and length of each symbol, of lengths.
fn codes(lengths: &[usize]) -> Vec<(usize, usize)> {
    let mut codes = vec![(0, 0); lengths.len()];
    let mut code = 0;
    for length in 1..16 {
        for (symbol, _) in lengths.iter().enumerate().filter(|(_, known)| **known == length) {
            codes[symbol] = (code, length);
            code += 1;
        }
        code <<= 1;
    }
    codes
}

/// Lengths of a Huffman code by how often symbols stand.
fn lengths(counts: &[usize]) -> Vec<usize> {
    let mut lengths = vec![0; counts.len()];
    let mut trees: Vec<(usize, Vec<usize>)> =
        (0..counts.len()).filter(|&symbol| counts[symbol] > 0).map(|one| (counts[one], vec![one])).collect();
    if let [(_, only)] = &trees[..] {
        lengths[only[0]] = 1;
    }
    while trees.len() > 1 {
        trees.sort_by_key(|tree| std::cmp::Reverse(tree.0));
        let [Some(first), Some(second)] = [trees.pop(), trees.pop()] else { panic!("two trees") };
        let symbols = [first.1, second.1].concat();
        symbols.iter().for_each(|&symbol| lengths[symbol] += 1);
        trees.push((first.0 + second.0, symbols));
    }
    assert!(lengths.iter().all(|&length| length <= 15));
    lengths
}

/// Symbol, and value and bits of what is added to it, of a match's length.
fn length_symbol(length: usize) -> (usize, usize, usize) {
    if length > 257 {
        return (285, length - 3, 16);
    }
    let (mut symbol, mut least, mut bits) = (257, 3, 0);
    loop {
        if length < least + (1 << bits) {
            return (symbol, length - least, bits);
        }
        least += 1 << bits;
        symbol += 1;
        bits = if symbol < 265 { 0 } else { (symbol - 261) / 4 };
    }
}

/// The same of a distance.
fn distance_symbol(distance: usize) -> (usize, usize, usize) {
    let (mut symbol, mut least, mut bits) = (0, 1, 0);
    loop {
        if distance < least + (1 << bits) {
            return (symbol, distance - least, bits);
        }
        least += 1 << bits;
        symbol += 1;
        bits = usize::max(symbol / 2, 1) - 1;
    }
}

/// Finds repetitions: the first place with the same four bytes, taken as far as it goes.
fn tokens(data: &[u8], block: std::ops::Range<usize>) -> Vec<Token> {
    let mut known = std::collections::HashMap::new();
    let mut tokens = Vec::new();
    let mut next = block.start;
    let key = |at: usize| data.get(at..at + 4).map(<[u8]>::to_vec);
    for at in 0..block.start {
        key(at).map(|key| known.insert(key, at));
    }
    while next < block.end {
        let found = key(next).and_then(|key| known.get(&key).copied());
        let length = found.map_or(0, |from| {
            (0..block.end - next).take_while(|&index| data[from + index] == data[next + index]).count()
        });
        let step = match found {
            Some(from) if length >= 3 => {
                tokens.push(Token::Match(length, next - from));
                length
            }
            _ => {
                tokens.push(Token::Literal(data[next]));
                1
            }
        };
        for at in next..next + step {
            key(at).map(|key| known.insert(key, at));
        }
        next += step;
    }
    tokens
}

/// Writes the codes of a dynamic block.
fn write_lengths(writer: &mut Writer, literals: &[usize], distances: &[usize]) {
    writer.put(0, literals.len() - 257, 5);
    writer.put(0, distances.len() - 1, 5);
    writer.put(0, 15, 4);
    // Thirteen of four bits and six of five: a whole code.
    let of_lengths: Vec<usize> = (0..19).map(|symbol| if symbol < 13 { 4 } else { 5 }).collect();
    for (lane, &place) in LENGTH_ORDER.iter().enumerate() {
        writer.put(lane, of_lengths[place], 3);
    }
    let of_lengths = codes(&of_lengths);
    let all = [literals, distances].concat();
    let (mut place, mut lane) = (0, 0);
    while place < all.len() {
        let run = all[place..].iter().take_while(|&&length| length == all[place]).count();
        let is_repeated = place > 0 && all[place - 1] == all[place];
        let (symbol, more, count) = match all[place] {
            0 if run >= 11 => (18, (run.min(138) - 11, 7), run.min(138)),
            0 if run >= 3 => (17, (run.min(10) - 3, 3), run.min(10)),
            length if length > 0 && is_repeated && run >= 3 => (16, (run.min(6) - 3, 2), run.min(6)),
            length => (length, (0, 0), 1),
        };
        writer.code(lane, of_lengths[symbol]);
        writer.put(lane, more.0, more.1);
        place += count;
        lane = (lane + 1) % LANES;
    }
}

/// Writes a block with codes.
fn write_coded(writer: &mut Writer, tokens: &[Token], kind: BlockKind) {
    let (literals, distances) = if kind == BlockKind::Fixed {
        let of_literals = (0..288).map(|symbol| match symbol {
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        });
        (of_literals.collect(), vec![5; 32])
    } else {
        let (mut of_literals, mut of_distances) = (vec![0; 286], vec![0; 32]);
        of_literals[256] = 1;
        for token in tokens {
            match *token {
                Token::Literal(byte) => of_literals[usize::from(byte)] += 1,
                Token::Match(length, distance) => {
                    of_literals[length_symbol(length).0] += 1;
                    of_distances[distance_symbol(distance).0] += 1;
                }
            }
        }
        let (literals, distances) = (lengths(&of_literals), lengths(&of_distances));
        write_lengths(writer, &literals, &distances);
        (literals, distances)
    };
    let [literals, distances]: [Vec<_>; 2] = [codes(&literals), codes(&distances)];
    let distance = |writer: &mut Writer, lane: usize, distance: usize| {
        let (symbol, more, bits) = distance_symbol(distance);
        writer.code(lane, distances[symbol]);
        writer.put(lane, more, bits);
    };
    let mut waiting = [None; LANES];
    let mut tokens = tokens.iter();
    let mut has_ended = false;
    while !has_ended {
        for (lane, open) in waiting.iter_mut().enumerate() {
            if let Some(far) = open.take() {
                distance(writer, lane, far);
            } else if !has_ended {
                match tokens.next() {
                    None => {
                        writer.code(lane, literals[256]);
                        has_ended = true;
                    }
                    Some(&Token::Literal(byte)) => writer.code(lane, literals[usize::from(byte)]),
                    Some(&Token::Match(length, far)) => {
                        let (symbol, more, bits) = length_symbol(length);
                        writer.code(lane, literals[symbol]);
                        writer.put(lane, more, bits);
                        *open = Some(far);
                    }
                }
            }
        }
    }
    for (lane, far) in waiting.into_iter().enumerate() {
        far.into_iter().for_each(|far| distance(writer, lane, far));
    }
}

/// Encodes data in blocks: how each is encoded, and where it ends.
pub(super) fn encode(data: &[u8], blocks: &[(BlockKind, usize)]) -> Vec<u8> {
    let mut writer = Writer::default();
    let mut start = 0;
    for (index, &(kind, end)) in blocks.iter().enumerate() {
        writer.put(0, usize::from(index + 1 == blocks.len()), 1);
        writer.put(0, kind as usize, 2);
        match kind {
            BlockKind::Stored => {
                writer.put(0, end - start, 16);
                for (place, &byte) in data[start..end].iter().enumerate() {
                    writer.put(place % LANES, byte.into(), 8);
                }
            }
            BlockKind::Fixed | BlockKind::Dynamic => {
                write_coded(&mut writer, &tokens(data, start..end), kind);
            }
        }
        start = end;
    }
    writer.finish()
}
