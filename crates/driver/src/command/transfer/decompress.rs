//! Decompression from memory to memory (`VK_EXT_memory_decompression`, `VK_NV_memory_decompression`).
//!
//! Addresses are taken at their word, as those of other commands are.

use super::gdeflate;
use crate::error::{Error, Result};
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::memory::words::wide;
use pyro_engine::Engine;
use std::ops;
use std::sync::atomic::{AtomicUsize, Ordering};
use vulkanalia_sys as vk;

/// `VK_MEMORY_DECOMPRESSION_METHOD_GDEFLATE_1_0_BIT_EXT`, a mask of 64 bits.
const GDEFLATE: u64 = 1;
/// Bytes that a region has at most when it is decompressed.
const PIECE_BYTES: u64 = 1 << 16;
/// Bytes of compressed data that are looked at: more than any sound region has.
const SOURCE_BYTES_MAX: u64 = 1 << 20;
/// Bytes of `VkDecompressMemoryRegionEXT`, which `VkDecompressMemoryRegionNV` begins with, too.
const REGION_BYTES: u64 = size_of::<vk::DecompressMemoryRegionEXT>() as u64;
/// Bytes of `VkDecompressMemoryRegionNV`, which ends with its method.
const REGION_BYTES_NV: u64 = size_of::<vk::DecompressMemoryRegionNV>() as u64;

/// A region that is decompressed.
#[derive(Clone, Copy, Debug)]
pub struct CompressedRegion {
    source: u64,
    target: u64,
    source_size: u64,
    target_size: u64,
}

/// Regions that memory says.
#[derive(Clone, Copy, Debug)]
pub struct IndirectRegions {
    first: u64,
    stride: u32,
    count: u64,
    count_max: u32,
    /// Regions name their method.
    name_methods: bool,
}

/// Decompressions.
pub enum Decompression {
    /// Of these regions.
    Regions(Box<[CompressedRegion]>),
    /// Of those in memory.
    Indirect(IndirectRegions),
}

/// Checks a method.
fn check(method: u64, rules: &str) -> Result<()> {
    match method == GDEFLATE {
        true => Ok(()),
        false => Err(Error::misuse(format!("the method of decompression is not GDEFLATE_1_0 ({rules})"))),
    }
}

impl CompressedRegion {
    /// `VkDecompressMemoryRegionEXT`.
    ///
    /// # Errors
    /// When addresses are not aligned, sizes zero, or too large for the method.
    pub fn new(region: &vk::DecompressMemoryRegionEXT) -> Result<CompressedRegion> {
        let &vk::DecompressMemoryRegionEXT { src_address, dst_address, compressed_size, decompressed_size } =
            region;
        if !src_address.is_multiple_of(4) || !dst_address.is_multiple_of(4) {
            return Err(Error::misuse(
                "compressed or decompressed data does not lie at a multiple of four bytes (VUID-VkDecompressMemoryRegionEXT-srcAddress-07685, VUID-VkDecompressMemoryRegionEXT-dstAddress-07687)",
            ));
        }
        if compressed_size == 0 || decompressed_size == 0 {
            return Err(Error::misuse(
                "compressed or decompressed data has no bytes (VUID-VkDecompressMemoryRegionEXT-compressedSize-11795, VUID-VkDecompressMemoryRegionEXT-decompressedSize-11796)",
            ));
        }
        if decompressed_size > PIECE_BYTES {
            return Err(Error::misuse(
                "more than 65536 bytes are decompressed (VUID-VkDecompressMemoryInfoEXT-decompressionMethod-11762, VUID-VkDecompressMemoryRegionNV-decompressionMethod-09395)",
            ));
        }
        Ok(CompressedRegion {
            source: src_address,
            target: dst_address,
            source_size: compressed_size,
            target_size: decompressed_size,
        })
    }

    /// The same of `VkDecompressMemoryRegionNV`.
    ///
    /// # Errors
    /// As of [`CompressedRegion::new`], and when the method is unknown.
    pub fn with_method(region: &vk::DecompressMemoryRegionNV) -> Result<CompressedRegion> {
        check(
            region.decompression_method.bits().into(),
            "VUID-VkDecompressMemoryRegionNV-decompressionMethod-07690",
        )?;
        CompressedRegion::new(&vk::DecompressMemoryRegionEXT {
            src_address: region.src_address,
            dst_address: region.dst_address,
            compressed_size: region.compressed_size,
            decompressed_size: region.decompressed_size,
        })
    }

    /// Decompresses it; false where the data is not sound, or is more than there is room for.
    fn run(self, memory: DeviceAddresses) -> bool {
        let mut source = vec![0; self.source_size.min(SOURCE_BYTES_MAX) as usize];
        memory.range(self.source, source.len() as u64).read(0, &mut source);
        let mut target = vec![0; self.target_size as usize];
        let done = gdeflate::decompress(&source, &mut target);
        memory.range(self.target, self.target_size).write(0, &target[..done.unwrap_or(0)]);
        done.is_some()
    }

    /// The addresses that it reads, and those that it writes.
    pub(crate) fn ranges(&self) -> [ops::Range<u64>; 2] {
        [self.source..self.source + self.source_size, self.target..self.target + self.target_size]
    }
}

impl IndirectRegions {
    /// `vkCmdDecompressMemoryIndirectCountEXT`.
    ///
    /// # Errors
    /// When the method is unknown, addresses are not aligned, or the stride is less than a region.
    pub fn new(
        method: u64,
        [first, count]: [u64; 2],
        count_max: u32,
        stride: u32,
    ) -> Result<IndirectRegions> {
        check(
            method,
            "VUID-vkCmdDecompressMemoryIndirectCountEXT-decompressionMethod-07690, VUID-vkCmdDecompressMemoryIndirectCountEXT-decompressionMethod-11810",
        )?;
        IndirectRegions { first, stride, count, count_max, name_methods: false }.checked()
    }

    /// `vkCmdDecompressMemoryIndirectCountNV`.
    ///
    /// # Errors
    /// When addresses are not aligned, or the stride is less than a region.
    pub fn with_methods([first, count]: [u64; 2], stride: u32) -> Result<IndirectRegions> {
        IndirectRegions { first, stride, count, count_max: u32::MAX, name_methods: true }.checked()
    }

    fn checked(self) -> Result<IndirectRegions> {
        if !self.first.is_multiple_of(4) || !self.count.is_multiple_of(4) {
            return Err(Error::misuse(
                "regions or their count do not lie at a multiple of four bytes (VUID-vkCmdDecompressMemoryIndirectCountEXT-indirectCommandsAddress-07695, VUID-vkCmdDecompressMemoryIndirectCountEXT-indirectCommandsCountAddress-07698)",
            ));
        }
        let least = if self.name_methods { REGION_BYTES_NV } else { REGION_BYTES };
        if !self.stride.is_multiple_of(4) || u64::from(self.stride) < least {
            return Err(Error::misuse(
                "the stride of regions is less than one of them (VUID-vkCmdDecompressMemoryIndirectCountEXT-stride-11767, VUID-vkCmdDecompressMemoryIndirectCountNV-stride-11770)",
            ));
        }
        Ok(self)
    }

    /// How many there are.
    fn count(&self, memory: DeviceAddresses) -> u64 {
        memory.range(self.count, 4).word_at(0).min(self.count_max).into()
    }

    /// One that memory says; none where it is misuse.
    fn region(&self, memory: DeviceAddresses, index: u64) -> Option<CompressedRegion> {
        let mut bytes = [0; REGION_BYTES_NV as usize];
        let length = if self.name_methods { REGION_BYTES_NV } else { REGION_BYTES } as usize;
        let place = self.first + index * u64::from(self.stride);
        memory.range(place, length as u64).read(0, &mut bytes[..length]);
        if self.name_methods && wide(&bytes, REGION_BYTES as usize) != GDEFLATE {
            return None;
        }
        let [src_address, dst_address, compressed_size, decompressed_size] =
            [0, 8, 16, 24].map(|offset| wide(&bytes, offset));
        let region =
            vk::DecompressMemoryRegionEXT { src_address, dst_address, compressed_size, decompressed_size };
        CompressedRegion::new(&region).ok()
    }

    /// The addresses of the count, and those of the regions, those between them included.
    pub(crate) fn addresses(&self, memory: DeviceAddresses) -> [ops::Range<u64>; 2] {
        let end = self.first + self.count(memory) * u64::from(self.stride);
        [self.count..self.count + 4, self.first..end]
    }
}

impl Decompression {
    /// `vkCmdDecompressMemoryEXT`.
    ///
    /// # Errors
    /// When the method is unknown, or as of [`CompressedRegion::new`].
    pub fn new(
        method: u64,
        regions: impl Iterator<Item = vk::DecompressMemoryRegionEXT>,
    ) -> Result<Decompression> {
        check(
            method,
            "VUID-VkDecompressMemoryInfoEXT-decompressionMethod-07690, VUID-VkDecompressMemoryInfoEXT-decompressionMethod-11763",
        )?;
        let regions = regions.map(|region| CompressedRegion::new(&region));
        Ok(Decompression::Regions(regions.collect::<Result<_>>()?))
    }

    /// Decompresses each region on one of all threads. How many could not be.
    pub(crate) fn run(&self, engine: &Engine, memory: DeviceAddresses) -> usize {
        let failed = AtomicUsize::new(0);
        let run = |region: Option<CompressedRegion>| {
            if !region.is_some_and(|region| region.run(memory)) {
                failed.fetch_add(1, Ordering::Relaxed);
            }
        };
        match self {
            Decompression::Regions(regions) => {
                engine.for_each_part(regions.len() as u64, &|index| run(Some(regions[index as usize])));
            }
            Decompression::Indirect(regions) => {
                engine.for_each_part(regions.count(memory), &|index| run(regions.region(memory, index)));
            }
        }
        failed.into_inner()
    }

    /// The regions as memory says them now.
    pub(crate) fn regions(&self, memory: DeviceAddresses) -> Vec<CompressedRegion> {
        match self {
            Decompression::Regions(regions) => regions.to_vec(),
            Decompression::Indirect(regions) => {
                (0..regions.count(memory)).filter_map(|index| regions.region(memory, index)).collect()
            }
        }
    }

    /// Bytes that it writes at most, where that is known when it is recorded.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self {
            Decompression::Regions(regions) => Some(regions.iter().map(|region| region.target_size).sum()),
            Decompression::Indirect(_) => None,
        }
    }
}
