//! End points of ASTC blocks of high dynamic range in plain Rust (Khronos Data Format Specification, "HDR
//! Endpoint Decoding"): twelve bits a component, of which the upper ones are an exponent.

use super::astc_numbers::high_range::{
    DIRECT_LOW_BITS, DIRECT_MOVES, DIRECT_NUMBERS, DIRECT_SIGNED_BITS, DIRECT_SOURCES, MOST, Moved, OPAQUE,
    SCALE_LOW_BITS, SCALE_MOVES, SCALE_SHIFTS, SCALE_SOURCES,
};
use half::f16;

/// The two end points of a mode by its values; none for modes of low dynamic range. Of mode 14, alpha is of
/// low dynamic range.
pub(super) fn end_points(mode: u32, v: &[i32]) -> Option<[[i32; 4]; 2]> {
    let alpha = OPAQUE as i32;
    let gray = |levels: [i32; 2]| levels.map(|level| [level, level, level, alpha]);
    Some(match mode {
        2 => gray(if v[1] >= v[0] { [v[0] << 4, v[1] << 4] } else { [(v[1] << 4) + 8, (v[0] << 4) - 8] }),
        3 => {
            let (high, low, shift) = if v[0] & 0x80 != 0 { (0xe0, 0x1f, 2) } else { (0xf0, 0x0f, 1) };
            let base = (v[1] & high) << 4 | (v[0] & 0x7f) << shift;
            gray([base, (base + ((v[1] & low) << shift)).min(MOST as i32)])
        }
        7 => scaled(v).map(|[red, green, blue]| [red, green, blue, alpha]),
        11 | 14 | 15 => {
            let colors = direct(v);
            let alphas = match mode {
                11 => [alpha; 2],
                14 => [v[6], v[7]],
                _ => alphas(v[6], v[7]),
            };
            [0, 1].map(|end| {
                let [red, green, blue] = colors[end];
                [red, green, blue, alphas[end]]
            })
        }
        _ => return None,
    })
}

/// Sets the bits of numbers that the way of storing gives them.
fn move_bits(numbers: &mut [i32], moves: &[Moved], sources: &[(usize, u32)], v: &[i32], way: i32) {
    for moved in moves.iter().filter(|moved| moved.ways >> way & 1 != 0) {
        let (value, bit) = sources[moved.from];
        numbers[moved.to] |= (v[value] >> bit & 1) << moved.bit;
    }
}

fn clamped(color: [i32; 3]) -> [i32; 3] {
    color.map(|component| component.clamp(0, MOST as i32))
}

/// Mode 7: a colour, and the same less a scale.
fn scaled(v: &[i32]) -> [[i32; 3]; 2] {
    let kind = v[0] >> 6 & 3 | v[1] >> 5 & 4 | v[2] >> 4 & 8;
    let (major, way) = match kind {
        15 => (0, 5),
        12..=14 => (kind & 3, 4),
        _ => (kind >> 2, kind & 3),
    };
    let mut numbers = [0, 1, 2, 3].map(|number: usize| v[number] & ((1 << SCALE_LOW_BITS[number]) - 1));
    move_bits(&mut numbers, &SCALE_MOVES, &SCALE_SOURCES, v, way);
    let [red, mut green, mut blue, scale] = numbers.map(|number| number << SCALE_SHIFTS[way as usize]);
    if way != 5 {
        (green, blue) = (red - green, red - blue);
    }
    let mut color = [red, green, blue];
    color.swap(0, major as usize);
    [clamped(color.map(|component| component - scale)), clamped(color)]
}

/// Mode 11: two colours, of which the first is relative to the second.
fn direct(v: &[i32]) -> [[i32; 3]; 2] {
    let major = (v[4] >> 7 & 1 | v[5] >> 6 & 2) as usize;
    if major == 3 {
        return [[v[0] << 4, v[2] << 4, (v[4] & 0x7f) << 5], [v[1] << 4, v[3] << 4, (v[5] & 0x7f) << 5]];
    }
    let way = v[1] >> 7 & 1 | v[2] >> 6 & 2 | v[3] >> 5 & 4;
    let mut numbers: [i32; DIRECT_NUMBERS] =
        DIRECT_LOW_BITS.map(|(value, bits)| v[value] & ((1 << bits) - 1));
    numbers[0] |= (v[1] >> 6 & 1) << 8;
    move_bits(&mut numbers, &DIRECT_MOVES, &DIRECT_SOURCES, v, way);
    let by = 32 - DIRECT_SIGNED_BITS[way as usize];
    for number in &mut numbers[4..] {
        *number = *number << by >> by;
    }
    let [most, green, blue, all, more_green, more_blue] = numbers.map(|number| number << ((way >> 1) ^ 3));
    let second = [most, most - green, most - blue];
    let first = [second[0] - all, second[1] - all - more_green, second[2] - all - more_blue];
    [first, second].map(|color| {
        let mut color = clamped(color);
        color.swap(0, major);
        color
    })
}

/// Mode 15: the alphas of two end points.
fn alphas(first: i32, second: i32) -> [i32; 2] {
    let way = first >> 7 & 1 | second >> 6 & 2;
    let (first, second) = (first & 0x7f, second & 0x7f);
    if way == 3 {
        return [first << 5, second << 5];
    }
    let base = (first | second << (way + 1) & 0x780) << (4 - way);
    let sign = 0x20 >> way;
    let offset = ((second & (0x3f >> way)) ^ sign) - sign;
    [base, (base + (offset << (4 - way))).clamp(0, MOST as i32)]
}

/// What 16 bits between end points of high dynamic range stand for: an exponent of five bits, and a fraction
/// in three straight pieces.
pub(super) fn value(bits: u32) -> f32 {
    let (exponent, fraction) = (bits >> 11, bits & 0x7ff);
    let fraction = match fraction {
        0..512 => 3 * fraction,
        512..1536 => 4 * fraction - 512,
        _ => 5 * fraction - 2048,
    };
    f16::from_bits((exponent << 10 | fraction >> 3).min(0x7bff) as u16).to_f32()
}
