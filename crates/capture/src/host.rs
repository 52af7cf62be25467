//! What commands read of the program's memory that no parameter has a length for: the payloads of
//! `vkCmdDispatchGraphAMDX`, the arguments of `vkCmdCudaLaunchKernelNV`, and the constants of
//! `vkCreateDataGraphPipelinesARM`.

/// Payloads that a dispatch of an execution graph gives to a node; or an argument of a kernel; or the
/// elements of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payloads<'a> {
    /// The node's index, or the argument's; or the constant's number.
    pub node: u32,
    /// How many there are.
    pub count: u32,
    /// All of them, one behind the other, each of the same size.
    pub bytes: &'a [u8],
}

impl Payloads<'_> {
    /// Bytes of each.
    pub fn size(&self) -> usize {
        self.bytes.len() / (self.count as usize).max(1)
    }
}

/// Appends payloads to bytes.
pub fn append(payloads: &Payloads<'_>, bytes: &mut Vec<u8>) {
    bytes.extend(payloads.node.to_le_bytes());
    bytes.extend(payloads.count.to_le_bytes());
    bytes.extend((payloads.bytes.len() as u64).to_le_bytes());
    bytes.extend(payloads.bytes);
}

/// The payloads that [`append`] appended; none where the bytes are not such.
pub fn read(bytes: &[u8]) -> Option<Vec<Payloads<'_>>> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (node, behind) = rest.split_first_chunk()?;
        let (count, behind) = behind.split_first_chunk()?;
        let (length, behind) = behind.split_first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (own, behind) = behind.split_at_checked(length)?;
        let (node, count) = (u32::from_le_bytes(*node), u32::from_le_bytes(*count));
        if !length.is_multiple_of((count as usize).max(1)) {
            return None;
        }
        all.push(Payloads { node, count, bytes: own });
        rest = behind;
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_come_back() {
        let all = [
            Payloads { node: 3, count: 2, bytes: &[1, 2, 3, 4, 5, 6] },
            Payloads { node: 0, count: 7, bytes: &[] },
        ];
        let mut bytes = Vec::new();
        all.iter().for_each(|one| append(one, &mut bytes));
        assert_eq!(read(&bytes), Some(all.to_vec()));
        assert_eq!(all.map(|one| one.size()), [3, 0]);
        assert!((1..bytes.len()).filter(|&end| read(&bytes[..end]).is_some()).eq([22]));
        // Of two payloads one is longer.
        bytes[4] = 4;
        assert_eq!(read(&bytes), None);
    }
}
