//! BC7: eight modes of one to three pairs of colours.

use super::tables::{ANCHORS_3, PARTITION_2, PARTITION_3};
use super::{Words, as_int, field, interpolate, lookup, variable_field, weight, wide_field};
use crate::access::{Access, BuildError, switch};
use crate::texel::bc7_modes::{MODES, Mode};
use pyro_ir::Value;
use pyro_library::{Ops, texel};

pub(super) fn decode(access: &mut Access, words: &Words, within: Value) -> Result<[Value; 4], BuildError> {
    // The mode is the number of zeros below the first one; eight of them are no mode: all zeros.
    let b = &mut *access.b;
    let mode = b.ctz(words[0]);
    let results = switch(
        access,
        mode,
        MODES.len(),
        |access, number| Ok(mode_values(access, &MODES[number], number as u32, words, within)),
        |access| Ok(vec![access.b.i32(0); 11]),
    )?;
    let b = &mut *access.b;
    let [color_weight, alpha_weight, rotation] = [results[8], results[9], results[10]];
    let mut values: Vec<Value> = (0..4)
        .map(|channel| {
            let weight = if channel < 3 { color_weight } else { alpha_weight };
            interpolate(b, results[2 * channel], results[2 * channel + 1], weight)
        })
        .collect();
    // Rotation `n` swaps alpha with channel `n - 1`.
    let alpha = values[3];
    for channel in 0..3 {
        let number = b.i32(channel as u32 + 1);
        let swapped = b.ieq(rotation, number);
        values[3] = b.select(swapped, values[channel], values[3]);
        values[channel] = b.select(swapped, alpha, values[channel]);
    }
    Ok([0, 1, 2, 3].map(|channel| texel::unorm_to_float(b, values[channel], 8)))
}

/// The texel's end points (red, green, blue, alpha: two each, of 8 bits), weights for colour and alpha, and
/// the rotation.
fn mode_values(access: &mut Access, mode: &Mode, number: u32, words: &Words, within: Value) -> Vec<Value> {
    let mut at = number + 1;
    let mut take = |access: &mut Access, bits: u32| {
        let value = if bits == 0 { access.b.i32(0) } else { field(access.b, words, at, bits) };
        at += bits;
        value
    };
    let partition = take(access, mode.partition_bits);
    let rotation = take(access, mode.rotation_bits);
    let selection = take(access, mode.selection_bits);
    let (subset, anchors) = subset(access, mode.subsets, partition, within);
    // Of each subset's values, the texel's.
    let choose = |access: &mut Access, values: &[Value]| {
        let b = &mut *access.b;
        let mut chosen = values[0];
        for (number, &value) in (0..).zip(values).skip(1) {
            let number = b.i32(number);
            let this = b.ieq(subset, number);
            chosen = b.select(this, value, chosen);
        }
        chosen
    };
    let mut ends = Vec::new();
    for channel in 0..4 {
        let bits = if channel < 3 { mode.color_bits } else { mode.alpha_bits };
        if bits == 0 {
            let full = access.b.i32(255);
            ends.extend([(full, 8), (full, 8)]);
            continue;
        }
        let all: Vec<Value> = (0..2 * mode.subsets).map(|_| take(access, bits)).collect();
        for end in 0..2 {
            let of_subsets: Vec<Value> = all.iter().copied().skip(end).step_by(2).collect();
            ends.push((choose(access, &of_subsets), bits));
        }
    }
    let low_bits = if mode.own_low_bits {
        let all: Vec<Value> = (0..2 * mode.subsets).map(|_| take(access, 1)).collect();
        let chosen = [0, 1].map(|end| {
            let of_subsets: Vec<Value> = all.iter().copied().skip(end).step_by(2).collect();
            choose(access, &of_subsets)
        });
        Some(chosen)
    } else if mode.shared_low_bits {
        let all: Vec<Value> = (0..mode.subsets).map(|_| take(access, 1)).collect();
        let chosen = choose(access, &all);
        Some([chosen, chosen])
    } else {
        None
    };
    let mut values: Vec<Value> = ends
        .into_iter()
        .enumerate()
        .map(|(index, (value, bits))| {
            let b = &mut *access.b;
            let (value, bits) = match low_bits {
                Some(low) if bits < 8 => {
                    let one = b.i32(1);
                    let value = b.shl(value, one);
                    (b.or(value, low[index % 2]), bits + 1)
                }
                _ => (value, bits),
            };
            if bits == 8 {
                return value;
            }
            // To 8 bits, the high ones again below.
            let (up, down) = (b.i32(8 - bits), b.i32(2 * bits - 8));
            let (high, low) = (b.shl(value, up), b.lshr(value, down));
            b.or(high, low)
        })
        .collect();
    let first = index_weight(access, words, at, mode.index_bits, within, &anchors);
    at += 16 * mode.index_bits - mode.subsets;
    if mode.second_index_bits == 0 {
        values.extend([first, first, rotation]);
        return values;
    }
    let second = index_weight(access, words, at, mode.second_index_bits, within, &anchors);
    let b = &mut *access.b;
    let zero = b.i32(0);
    let swapped = b.ine(selection, zero);
    let (color, alpha) = (b.select(swapped, second, first), b.select(swapped, first, second));
    values.extend([color, alpha, rotation]);
    values
}

/// The texel's subset, and the anchors: texels whose index has one bit less.
fn subset(access: &mut Access, subsets: u32, partition: Value, within: Value) -> (Value, Vec<Value>) {
    let zero = access.b.i32(0);
    match subsets {
        1 => (zero, vec![zero]),
        2 => {
            let (subset, anchor) = two_subsets(access, partition, within);
            (subset, vec![zero, anchor])
        }
        _ => {
            let map = lookup(access, PARTITION_3, partition);
            let anchors = lookup(access, ANCHORS_3, partition);
            let b = &mut *access.b;
            let (one, three, eight, mask) = (b.i32(1), b.i32(3), b.i32(8), b.i32(15));
            let by = b.shl(within, one);
            let subset = b.lshr(map, by);
            let second = b.and(anchors, mask);
            let third = b.lshr(anchors, eight);
            (b.and(subset, three), vec![zero, second, third])
        }
    }
}

/// Subset and second anchor of a partition into two.
pub(super) fn two_subsets(access: &mut Access, partition: Value, within: Value) -> (Value, Value) {
    let map = lookup(access, PARTITION_2, partition);
    let b = &mut *access.b;
    let (one, sixteen) = (b.i32(1), b.i32(16));
    let subset = b.lshr(map, within);
    (b.and(subset, one), b.lshr(map, sixteen))
}

/// The weight of the texel's index: `bits` bits for each texel from `at` on, but one less for anchors.
pub(super) fn index_weight(
    access: &mut Access,
    words: &Words,
    at: u32,
    bits: u32,
    within: Value,
    anchors: &[Value],
) -> Value {
    let b = &mut *access.b;
    let wide = wide_field(b, words, at);
    let count = b.i32(bits);
    let mut by = b.imul(within, count);
    let mut shorter = None;
    for &anchor in anchors {
        let behind = b.ult(anchor, within);
        let behind = as_int(b, behind);
        by = b.isub(by, behind);
        let this = b.ieq(anchor, within);
        shorter = Some(match shorter {
            None => this,
            Some(other) => b.or(other, this),
        });
    }
    let (full, short) = (b.i32((1 << bits) - 1), b.i32((1 << (bits - 1)) - 1));
    let mask = match shorter {
        Some(shorter) => b.select(shorter, short, full),
        None => full,
    };
    let index = variable_field(b, wide, by, mask);
    weight(b, index, bits)
}
