//! The partitions of BC6H's and BC7's blocks (Khronos Data Format Specification, "BPTC partition tables").

/// The first word of the partitions into two subsets: bit `i` is the subset of texel `i`, the bits above 16 are
/// the second subset's anchor.
pub(super) const PARTITION_2: u32 = 0;
/// The first word of the partitions into three: bits `2 i` and `2 i + 1` are the subset of texel `i`.
pub(super) const PARTITION_3: u32 = 64;
/// The first word of their anchors: the second subset's, and above 8 bits the third one's.
pub(super) const ANCHORS_3: u32 = 128;

/// Address of the tables: what image functions expect in the `context` of their `pyro_abi::Callable`.
pub fn address() -> u64 {
    (&raw const TABLES).expose_provenance() as u64
}

/// The word of a partition into two.
pub(crate) fn partition_2(partition: u32) -> u32 {
    TABLES[(PARTITION_2 + partition) as usize]
}

/// The word of a partition into three.
pub(crate) fn partition_3(partition: u32) -> u32 {
    TABLES[(PARTITION_3 + partition) as usize]
}

/// The anchors of a partition into three.
pub(crate) fn anchors_3(partition: u32) -> u32 {
    TABLES[(ANCHORS_3 + partition) as usize]
}

/// 64 partitions each.
#[rustfmt::skip]
static TABLES: [u32; 192] = [
    0x0fcccc, 0x0f8888, 0x0feeee, 0x0fecc8, 0x0fc880, 0x0ffeec,
    0x0ffec8, 0x0fec80, 0x0fc800, 0x0fffec, 0x0ffe80, 0x0fe800,
    0x0fffe8, 0x0fff00, 0x0ffff0, 0x0ff000, 0x0ff710, 0x02008e,
    0x087100, 0x0208ce, 0x02008c, 0x087310, 0x083100, 0x0f8cce,
    0x02088c, 0x083110, 0x026666, 0x02366c, 0x0817e8, 0x080ff0,
    0x02718e, 0x02399c, 0x0faaaa, 0x0ff0f0, 0x065a5a, 0x0833cc,
    0x023c3c, 0x0855aa, 0x0f9696, 0x0fa55a, 0x0273ce, 0x0813c8,
    0x02324c, 0x023bdc, 0x026996, 0x0fc33c, 0x0f9966, 0x060660,
    0x060272, 0x0204e4, 0x064e40, 0x082720, 0x0fc936, 0x0f936c,
    0x0239c6, 0x02639c, 0x0f9336, 0x0f9cc6, 0x0f817e, 0x0fe718,
    0x0fccf0, 0x020fcc, 0x027744, 0x0fee22,
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050,
    0x5555a0a0, 0x5a5a5050, 0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090,
    0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
    0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414,
    0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
    0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444,
    0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
    0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000,
    0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
    0x0f03, 0x0803, 0x080f, 0x030f, 0x0f08, 0x0f03,
    0x030f, 0x080f, 0x0f08, 0x0f08, 0x0f06, 0x0f06,
    0x0f06, 0x0f05, 0x0f03, 0x0803, 0x0f03, 0x0803,
    0x0f08, 0x030f, 0x0f03, 0x0803, 0x0f06, 0x080a,
    0x0305, 0x0f08, 0x0608, 0x0a06, 0x0f08, 0x0f05,
    0x0a0f, 0x080f, 0x0f08, 0x030f, 0x0f03, 0x0a05,
    0x0a06, 0x080a, 0x0908, 0x0a0f, 0x060f, 0x0f03,
    0x080f, 0x0f05, 0x030f, 0x060f, 0x060f, 0x080f,
    0x0f03, 0x030f, 0x0f05, 0x0f05, 0x0f05, 0x0f08,
    0x0f05, 0x0f0a, 0x0f05, 0x0f0a, 0x0f08, 0x0f0d,
    0x030f, 0x0f0c, 0x0f03, 0x0803,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_lie_in_their_subsets() {
        for partition in 0..64 {
            let two = TABLES[PARTITION_2 as usize + partition];
            assert_eq!((two & 1, two >> (two >> 16) & 1), (0, 1));
            let three = TABLES[PARTITION_3 as usize + partition];
            let anchors = TABLES[ANCHORS_3 as usize + partition];
            let subset = |texel: u32| three >> (2 * texel) & 3;
            assert_eq!([subset(0), subset(anchors & 15), subset(anchors >> 8)], [0, 1, 2]);
            assert!((0..16).all(|texel| subset(texel) < 3));
        }
    }
}
