//! BC6H's modes (Khronos Data Format Specification, "BC6H").

/// A mode.
pub(crate) struct Mode {
    /// Bits of an end point.
    pub(crate) bits: u32,
    /// Bits of the other end points, in red, green, blue: differences to the first, or like it.
    pub(crate) others: [u32; 3],
    pub(crate) differences: bool,
    /// What lies behind the mode's bits, in order: colour, end point (w, x, y, z), bits, the highest first
    /// unless they ascend.
    fields: &'static str,
}

#[rustfmt::skip]
pub(crate) const MODES: [Mode; 14] = [
    Mode { bits: 10, others: [5, 5, 5], differences: true, fields:
        "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 7, others: [6, 6, 6], differences: true, fields:
        "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 \
         ry5:0 rz5:0" },
    Mode { bits: 11, others: [5, 4, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 11, others: [4, 5, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3" },
    Mode { bits: 11, others: [4, 4, 5], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3" },
    Mode { bits: 9, others: [5, 5, 5], differences: true, fields:
        "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 8, others: [6, 5, 5], differences: true, fields:
        "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0" },
    Mode { bits: 8, others: [5, 6, 5], differences: true, fields:
        "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 8, others: [5, 5, 6], differences: true, fields:
        "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Mode { bits: 6, others: [6, 6, 6], differences: false, fields:
        "rw5:0 gz4 bz1:0 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 \
         ry5:0 rz5:0" },
    Mode { bits: 10, others: [10, 10, 10], differences: false, fields:
        "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0" },
    Mode { bits: 11, others: [9, 9, 9], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10" },
    Mode { bits: 12, others: [8, 8, 8], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11" },
    Mode { bits: 16, others: [4, 4, 4], differences: true, fields:
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15" },
];

/// The first mode with one pair of colours only.
pub(crate) const FIRST_WHOLE: usize = 10;
/// Where the partition lies.
pub(crate) const PARTITION: (u32, u32) = (77, 5);

/// Some bits of an end point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// Red, green, blue.
    pub(crate) color: usize,
    /// w, x, y, z: the first pair's end points, then the second one's.
    pub(crate) point: usize,
    /// The end point's bit that the field's highest bit in the block is, or its lowest if the bits ascend.
    pub(crate) first: u32,
    /// The other end; above `first` if the bits ascend.
    pub(crate) last: u32,
}

impl Mode {
    /// The fields in the block's order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field> {
        self.fields.split_whitespace().filter_map(parse)
    }
}

fn parse(name: &str) -> Option<Field> {
    let color = "rgb".find(name.get(..1)?)?;
    let point = "wxyz".find(name.get(1..2)?)?;
    let bits = name.get(2..)?;
    let (first, last) = bits.split_once(':').unwrap_or((bits, bits));
    Some(Field { color, point, first: first.parse().ok()?, last: last.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_fill_the_block() {
        for (number, mode) in MODES.iter().enumerate() {
            assert_eq!(mode.fields().count(), mode.fields.split_whitespace().count());
            let bits: u32 = mode.fields().map(|field| field.first.abs_diff(field.last) + 1).sum();
            let start = if number < 2 { 2 } else { 5 };
            assert_eq!(start + bits, if number < FIRST_WHOLE { PARTITION.0 } else { 65 });
        }
    }
}
