//! Memory of the replay: what the program wrote is written again, what the device wrote is compared.

use crate::driver::Driver;
use pyro_capture::record::{Digest, digest};
use std::collections::HashMap;
use std::ptr::with_exposed_provenance_mut;
use vulkanalia_sys as vk;

/// Bytes that are written down or not as a whole.
const PAGE_BYTES: usize = 4096;
/// Bytes of contents in a record at most.
const RECORD_BYTES: usize = 4 << 20;

/// A `VkDeviceMemory`.
pub(crate) struct Memory {
    pub(crate) instance: u64,
    pub(crate) device: u64,
    pub(crate) handle: u64,
    pub(crate) size: u64,
    /// Where it is mapped, whole.
    address: Option<u64>,
}

/// All memory, by captured handle.
#[derive(Default)]
pub(crate) struct Memories(HashMap<u64, Memory>);

impl Memories {
    pub(crate) fn add(&mut self, captured: u64, instance: u64, device: u64, handle: u64, size: u64) {
        self.0.insert(captured, Memory { instance, device, handle, size, address: None });
    }

    /// Memory is about to be freed.
    pub(crate) fn remove(&mut self, captured: u64) {
        self.0.remove(&captured);
    }

    /// The address of a range, in mapped memory.
    fn range(
        &mut self,
        driver: &mut Driver,
        captured: u64,
        offset: u64,
        size: u64,
    ) -> Result<*mut u8, String> {
        let memory = self.0.get_mut(&captured).ok_or_else(|| format!("there is no memory {captured:#x}"))?;
        if offset.checked_add(size).is_none_or(|end| end > memory.size) {
            return Err(format!("{size} bytes at {offset} are not inside memory of {} bytes", memory.size));
        }
        if memory.address.is_none() {
            let mut address = 0_u64;
            let out = (&raw mut address).expose_provenance() as u64;
            let slots = [memory.device, memory.handle, 0, vk::WHOLE_SIZE, 0, out];
            // SAFETY: device and memory are alive, and the output is this function's.
            let result = unsafe { driver.call_by_name(memory.instance, "vkMapMemory", &slots) };
            if result != Some(0) || address == 0 {
                return Err("the memory cannot be mapped".to_owned());
            }
            memory.address = Some(address);
        }
        Ok(with_exposed_provenance_mut((memory.address.unwrap_or(0) + offset) as usize))
    }

    /// Writes contents.
    ///
    /// # Errors
    /// When there is no such memory or range, or it cannot be mapped.
    pub(crate) fn write(
        &mut self,
        driver: &mut Driver,
        captured: u64,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), String> {
        let place = self.range(driver, captured, offset, bytes.len() as u64)?;
        // SAFETY: so many bytes are mapped there.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    /// Writes contents at an address of this process, which is that of the program's device.
    ///
    /// # Errors
    /// When no memory is there, or it cannot be mapped.
    pub(crate) fn write_at(&mut self, driver: &mut Driver, address: u64, bytes: &[u8]) -> Result<(), String> {
        let handles: Vec<(u64, u64)> = self.0.iter().map(|(handle, memory)| (*handle, memory.size)).collect();
        for (handle, size) in handles {
            // Some memory is not mapped, and none of it is there.
            let Ok(start) = self.range(driver, handle, 0, size) else { continue };
            let Some(offset) = address.checked_sub(start.addr() as u64) else { continue };
            if offset.checked_add(bytes.len() as u64).is_some_and(|end| end <= size) {
                return self.write(driver, handle, offset, bytes);
            }
        }
        Err(format!("there is no memory of the program at {address:#x}"))
    }

    /// The digest of contents.
    ///
    /// # Errors
    /// As of [`Memories::write`].
    pub(crate) fn digest(
        &mut self,
        driver: &mut Driver,
        captured: u64,
        offset: u64,
        size: u64,
    ) -> Result<Digest, String> {
        let place = self.range(driver, captured, offset, size)?;
        // SAFETY: so many bytes are mapped there, and the device is idle.
        Ok(digest(unsafe { std::slice::from_raw_parts(place, size as usize) }))
    }

    /// All contents but for pages of zeros, by captured handle and offset.
    ///
    /// # Errors
    /// As of [`Memories::write`].
    pub(crate) fn contents(&mut self, driver: &mut Driver) -> Result<Vec<(u64, u64, Vec<u8>)>, String> {
        let mut all: Vec<(u64, u64, Vec<u8>)> = Vec::new();
        let mut handles: Vec<(u64, u64)> =
            self.0.iter().map(|(handle, memory)| (*handle, memory.size)).collect();
        handles.sort_unstable();
        for (handle, size) in handles {
            if size == 0 {
                continue;
            }
            let place = self.range(driver, handle, 0, size)?;
            // SAFETY: so many bytes are mapped there, and the device is idle.
            let bytes = unsafe { std::slice::from_raw_parts(place, size as usize) };
            for (page, bytes) in bytes.chunks(PAGE_BYTES).enumerate() {
                if bytes.iter().all(|byte| *byte == 0) {
                    continue;
                }
                let offset = (page * PAGE_BYTES) as u64;
                match all.last_mut() {
                    Some((last, start, known))
                        if *last == handle
                            && *start + known.len() as u64 == offset
                            && known.len() < RECORD_BYTES =>
                    {
                        known.extend(bytes);
                    }
                    _ => all.push((handle, offset, bytes.to_vec())),
                }
            }
        }
        Ok(all)
    }
}
