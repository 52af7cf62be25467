//! Shader binding tables.
//!
//! Tables lie in the application's memory, which may hold anything: a handle counts only if it is one of the
//! bound pipeline's, and a record only if it lies within what the command says of the table. In place of
//! others no shader runs. Shaders access a record's data up to the end of its table.

use super::{RayGroup, RayProgram};
use pyro_abi::Memory;

/// Bytes of a handle (`shaderGroupHandleSize`).
pub const HANDLE_BYTES: usize = 32;

/// What stands for a shader group in a table.
pub type Handle = [u8; HANDLE_BYTES];

/// A region of records (`VkStridedDeviceAddressRegionKHR`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Where the first record lies.
    pub address: u64,
    /// Bytes from one record to the next.
    pub stride: u64,
    /// Bytes of all.
    pub size: u64,
}

impl Table {
    /// The address of a record's handle and the data behind it, where the record is one of the table's.
    fn record(&self, index: u64) -> Option<(u64, RecordData)> {
        let offset = self.stride.checked_mul(index)?;
        let end = offset.checked_add(HANDLE_BYTES as u64)?;
        let left = self.size.checked_sub(end).filter(|_| self.address != 0)?;
        let address = self.address.wrapping_add(offset);
        let data = RecordData {
            address: address.wrapping_add(HANDLE_BYTES as u64),
            bytes: u32::try_from(left).unwrap_or(u32::MAX),
        };
        Some((address, data))
    }
}

/// What follows the handle in a record: the memory that `ShaderRecordBufferKHR` variables see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordData {
    /// The first byte's address.
    pub(super) address: u64,
    /// Bytes up to the table's end.
    pub(super) bytes: u32,
}

/// A record's group and data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) group: RayGroup,
    pub(super) data: RecordData,
}

/// Records that were looked at lately.
const KNOWN: usize = 64;

/// What the records of one launch are, as far as they have been looked at: tables do not change meanwhile.
pub(super) struct Records {
    known: [(u64, Option<u32>); KNOWN],
}

impl Default for Records {
    fn default() -> Records {
        Records { known: [(0, None); KNOWN] }
    }
}

impl Records {
    /// Forgets all, for another launch.
    pub(super) fn clear(&mut self) {
        *self = Records::default();
    }

    /// The record of this number, where there is one whose handle the program knows.
    pub(super) fn find(
        &mut self,
        memory: Memory,
        program: &RayProgram,
        table: &Table,
        index: u64,
    ) -> Option<Record> {
        let (address, data) = table.record(index)?;
        let place = (address >> 5 ^ address >> 11) as usize % KNOWN;
        if self.known[place].0 != address {
            let mut handle = [0; HANDLE_BYTES];
            for (word, bytes) in (0..).zip(handle.as_chunks_mut::<8>().0) {
                *bytes = memory.load::<u64>(address + 8 * word).to_le_bytes();
            }
            self.known[place] = (address, program.by_handle.get(&handle).copied());
        }
        let group = program.groups[self.known[place].1? as usize];
        Some(Record { group, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_lie_within_their_table() {
        let table = Table { address: 4096, stride: 64, size: 100 };
        let record = |address, bytes| Some((address, RecordData { address: address + 32, bytes }));
        assert_eq!(table.record(0), record(4096, 68));
        assert_eq!(table.record(1), record(4160, 4));
        assert_eq!(table.record(2), None);
        assert_eq!(table.record(u64::MAX), None);
        assert_eq!(Table { stride: 0, ..table }.record(u64::MAX), record(4096, 68));
        assert_eq!(Table { size: u64::MAX, ..table }.record(0), record(4096, u32::MAX));
        assert_eq!(Table::default().record(0), None);
    }
}
