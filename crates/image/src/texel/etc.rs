//! ETC2 and EAC blocks in plain Rust (Khronos Data Format Specification, "ETC2 Compressed Texture Image
//! Formats"). Blocks are numbers with their first byte highest, and texels are numbered column by column.

/// What is added to a sub-block's colour in the individual and differential modes, by table: the smaller and
/// the greater distance.
pub(crate) const MODIFIERS: [[u8; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];
/// Distances of the T and H modes.
pub(crate) const DISTANCES: [u8; 8] = [3, 6, 11, 16, 23, 32, 41, 64];
/// What is added to an EAC block's base, by table: the four magnitudes below zero. Those above are one less.
pub(crate) const EAC_MODIFIERS: [[u8; 4]; 16] = [
    [3, 6, 9, 15],
    [3, 7, 10, 13],
    [2, 5, 8, 13],
    [2, 4, 6, 13],
    [3, 6, 8, 12],
    [3, 7, 9, 11],
    [4, 7, 8, 11],
    [3, 5, 8, 11],
    [2, 6, 8, 10],
    [2, 5, 8, 10],
    [2, 4, 8, 10],
    [2, 5, 7, 10],
    [3, 4, 7, 10],
    [1, 2, 3, 10],
    [4, 6, 8, 9],
    [3, 5, 7, 9],
];

/// A field of `count` bits that begins at bit `first`.
fn field(block: u64, first: u32, count: u32) -> i32 {
    (block >> first) as i32 & ((1 << count) - 1)
}

/// Four, five, six or seven bits to eight: the high ones again below.
fn extend(value: i32, bits: u32) -> i32 {
    value << (8 - bits) | value >> (2 * bits - 8)
}

/// A texel's red, green and blue of 8 bits each; none where `punchthrough` makes it transparent.
pub(super) fn color(block: u64, [x, y]: [u32; 2], punchthrough: bool) -> Option<[i32; 3]> {
    let number = 4 * x + y;
    let code = field(block, 16 + number, 1) << 1 | field(block, number, 1);
    let flag = field(block, 33, 1) != 0;
    let opaque = flag || !punchthrough;
    let components = [59, 51, 43];
    let bases = components.map(|first| field(block, first, 5));
    let offsets = components.map(|first| field(block, first - 3, 3) << 29 >> 29);
    let sums = [0, 1, 2].map(|at| bases[at] + offsets[at]);
    let overflow = sums.iter().position(|sum| !(0..32).contains(sum));
    let clamp = |color: [i32; 3], offset: i32| color.map(|value| (value + offset).clamp(0, 255));
    if punchthrough || flag {
        match overflow {
            Some(2) => return Some(planar(block, [x as i32, y as i32])),
            _ if !opaque && code == 2 => return None,
            Some(0) => {
                let first = [
                    field(block, 59, 2) << 2 | field(block, 56, 2),
                    field(block, 52, 4),
                    field(block, 48, 4),
                ];
                let second = [44, 40, 36].map(|first| field(block, first, 4));
                let [first, second] = [first, second].map(|color| color.map(|value| extend(value, 4)));
                let distance = DISTANCES[(field(block, 34, 2) << 1 | field(block, 32, 1)) as usize].into();
                return Some(match code {
                    0 => first,
                    1 => clamp(second, distance),
                    2 => second,
                    _ => clamp(second, -distance),
                });
            }
            Some(_) => {
                let first = [
                    field(block, 59, 4),
                    field(block, 56, 3) << 1 | field(block, 52, 1),
                    field(block, 51, 1) << 3 | field(block, 47, 3),
                ];
                let second = [43, 39, 35].map(|first| field(block, first, 4));
                let order = i32::from(first >= second);
                let distance = field(block, 34, 1) << 2 | field(block, 32, 1) << 1 | order;
                let distance = i32::from(DISTANCES[distance as usize]);
                let color = if code < 2 { first } else { second }.map(|value| extend(value, 4));
                return Some(clamp(color, if code & 1 == 0 { distance } else { -distance }));
            }
            None => {}
        }
    }
    let flipped = field(block, 32, 1) != 0;
    let second = if flipped { y } else { x } >= 2;
    let color = if punchthrough || flag {
        if second { sums } else { bases }.map(|value| extend(value, 5))
    } else {
        let first = if second { [56, 48, 40] } else { [60, 52, 44] };
        first.map(|first| extend(field(block, first, 4), 4))
    };
    let table = field(block, if second { 34 } else { 37 }, 3);
    let size = i32::from(MODIFIERS[table as usize][(code & 1) as usize]);
    let size = if code & 1 == 0 && !opaque { 0 } else { size };
    Some(clamp(color, if code < 2 { size } else { -size }))
}

/// Three colours of a plane.
fn planar(block: u64, [x, y]: [i32; 2]) -> [i32; 3] {
    let origin = [
        extend(field(block, 57, 6), 6),
        extend(field(block, 56, 1) << 6 | field(block, 49, 6), 7),
        extend(field(block, 48, 1) << 5 | field(block, 43, 2) << 3 | field(block, 39, 3), 6),
    ];
    let right = [
        extend(field(block, 34, 5) << 1 | field(block, 32, 1), 6),
        extend(field(block, 25, 7), 7),
        extend(field(block, 19, 6), 6),
    ];
    let below =
        [extend(field(block, 13, 6), 6), extend(field(block, 6, 7), 7), extend(field(block, 0, 6), 6)];
    std::array::from_fn(|at| {
        let sum = x * (right[at] - origin[at]) + y * (below[at] - origin[at]) + 4 * origin[at] + 2;
        (sum >> 2).clamp(0, 255)
    })
}

/// The modifier of an EAC block's texel and what it is multiplied by.
fn eac(block: u64, [x, y]: [u32; 2]) -> (i32, i32) {
    let code = field(block, 45 - 3 * (4 * x + y), 3);
    let size = i32::from(EAC_MODIFIERS[field(block, 48, 4) as usize][(code & 3) as usize]);
    (if code < 4 { -size } else { size - 1 }, field(block, 52, 4))
}

/// A texel's alpha of 8 bits.
pub(super) fn alpha(block: u64, at: [u32; 2]) -> i32 {
    let (modifier, factor) = eac(block, at);
    (field(block, 56, 8) + modifier * factor).clamp(0, 255)
}

/// A texel's channel of eleven bits: from 0 to 2047, or from -1023 to 1023.
pub(super) fn channel(block: u64, at: [u32; 2], signed: bool) -> i32 {
    let (modifier, factor) = eac(block, at);
    let part = if factor == 0 { modifier } else { 8 * modifier * factor };
    let base = field(block, 56, 8);
    if signed {
        (8 * i32::from(base as i8).max(-127) + part).clamp(-1023, 1023)
    } else {
        (8 * base + 4 + part).clamp(0, 2047)
    }
}
