//! Decompression of memory (`VK_EXT_memory_decompression`, `VK_NV_memory_decompression`): streams of the
//! encoder beside come out as they were.

mod encoder;

use encoder::{BlockKind, encode};
use pyro_driver::registry_supplement::DecompressMemoryInfoEXT;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::CStr;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    ExtMemoryDecompressionExtensionDeviceCommands as _, NvMemoryDecompressionExtensionDeviceCommands as _,
};

const EXT: &CStr = c"VK_EXT_memory_decompression";
const NV: &CStr = c"VK_NV_memory_decompression";
/// The same as 64 bits.
const METHOD: u64 = 1;
const GDEFLATE: vk::MemoryDecompressionMethodFlagsEXT = vk::MemoryDecompressionMethodFlagsEXT::GDEFLATE_1_0;

fn context(extension: &'static CStr) -> Compute {
    let mut decompression =
        vk::PhysicalDeviceMemoryDecompressionFeaturesEXT::builder().memory_decompression(true);
    let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
    features.next = (&raw mut decompression).cast();
    Compute::new(vk::make_version(1, 3, 0), &[extension], (&raw mut features).cast())
}

/// A buffer with bytes, in whole words, and its address.
fn buffer(context: &Compute, bytes: &[u8]) -> (Buffer, u64) {
    let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS | vk::BufferUsageFlags::INDIRECT_BUFFER;
    let buffer = context.buffer_with(bytes.len().div_ceil(4).max(1), usage);
    for (index, word) in bytes.chunks(4).enumerate() {
        let mut whole = [0; 4];
        whole[..word.len()].copy_from_slice(word);
        buffer.put(index, u32::from_le_bytes(whole));
    }
    let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
    let address = unsafe { context.device.get_buffer_device_address(&info) };
    (buffer, address)
}

fn bytes(buffer: &Buffer) -> Vec<u8> {
    buffer.words().into_iter().flat_map(u32::to_le_bytes).collect()
}

/// Records decompressions. The bindings' structure has a mask of 32 bits where there is one of 64.
fn decompress(
    context: &Compute,
    commands: vk::CommandBuffer,
    method: u64,
    regions: &[vk::DecompressMemoryRegionEXT],
) {
    let info = DecompressMemoryInfoEXT {
        decompression_method: method,
        region_count: regions.len() as u32,
        regions: regions.as_ptr(),
        ..Default::default()
    };
    let info = (&raw const info).cast::<vk::DecompressMemoryInfoEXT>();
    unsafe { (context.device.commands().cmd_decompress_memory_ext)(commands, info) };
}

/// Whether a command buffer with these commands can be made.
fn records(context: &Compute, record: impl FnOnce(vk::CommandBuffer)) -> bool {
    let commands = context.command_buffer();
    unsafe {
        let info = vk::CommandBufferBeginInfo::default();
        context.device.begin_command_buffer(commands, &info).expect("begins");
        record(commands);
        context.device.end_command_buffer(commands).is_ok()
    }
}

/// Numbers that look random.
fn numbers(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 33
    })
}

/// Data as programs have it: words that repeat, bytes by chance, runs of zeros, and all again from far back.
fn data(length: usize) -> Vec<u8> {
    let mut numbers = numbers(length as u64);
    let mut next = |below: u64| numbers.next().expect("endless") % below;
    let words: Vec<Vec<u8>> =
        (0..200).map(|_| (0..2 + next(9)).map(|_| b'a' + next(26) as u8).collect()).collect();
    let mut data = Vec::new();
    while data.len() < length {
        match next(40) {
            0 => data.extend(std::iter::repeat_n(0, 1 + next(900) as usize)),
            1 => data.extend((0..next(200)).map(|_| next(256) as u8)),
            2 if data.len() > 100 => data.extend(data[..data.len().min(700)].to_vec()),
            _ => data.extend(&words[next(200) as usize]),
        }
    }
    data.truncate(length);
    data
}

/// Data and how it is cut into blocks.
type Stream = (Vec<u8>, Vec<(BlockKind, usize)>);

fn streams() -> Vec<Stream> {
    use BlockKind::{Dynamic, Fixed, Stored};
    let mut streams = Vec::new();
    for length in [1, 3, 31, 32, 33, 64, 1000, 20_000, 65_535] {
        for kind in [Stored, Fixed, Dynamic] {
            streams.push((data(length), vec![(kind, length)]));
        }
    }
    let kinds = [Dynamic, Stored, Fixed, Fixed, Dynamic, Stored, Dynamic];
    let blocks = (0..32).map(|index| (kinds[index % kinds.len()], 2048 * (index + 1)));
    streams.push((data(65_536), blocks.collect()));
    // A match of more than 258 bytes, and one of all that there may be, from the first byte on.
    streams.push((vec![7; 5000], vec![(Fixed, 5000)]));
    streams.push((vec![0; 65_536], vec![(Dynamic, 65_536)]));
    // Empty blocks.
    streams.push((data(10), vec![(Stored, 0), (Fixed, 0), (Dynamic, 10), (Fixed, 10)]));
    // From the far end.
    let far = data(65_536 - 64);
    let far = [&far[..], &far[..64]].concat();
    streams.push((far, vec![(Dynamic, 65_536)]));
    streams
}

/// All streams in one command; what is behind them stays.
#[test]
fn streams_come_out_as_they_were() {
    let context = context(EXT);
    let all: Vec<_> = streams()
        .into_iter()
        .map(|(data, blocks)| {
            let compressed = buffer(&context, &encode(&data, &blocks));
            let target = buffer(&context, &vec![0xa5; data.len() + 8]);
            (data, compressed, target)
        })
        .collect();
    let regions: Vec<_> = all
        .iter()
        .map(|(data, (compressed, from), (_, to))| vk::DecompressMemoryRegionEXT {
            src_address: *from,
            dst_address: *to,
            compressed_size: 4 * compressed.words().len() as u64,
            decompressed_size: data.len() as u64,
        })
        .collect();
    context.run(|commands| decompress(&context, commands, METHOD, &regions));
    for (data, _, (target, _)) in &all {
        let found = bytes(target);
        assert!(found[..data.len()] == data[..], "{} bytes", data.len());
        assert!(found[data.len()..data.len() + 8].iter().all(|&byte| byte == 0xa5), "{} bytes", data.len());
    }
}

/// Regions are read when the command runs: as many as counted, but no more than was said.
#[test]
fn indirect_regions_are_read_at_execution() {
    for (extension, stride, count, count_max) in [(EXT, 48, 3, 2), (EXT, 32, 1, 9), (NV, 40, 3, 3)] {
        let context = context(extension);
        let plain = data(3000);
        let compressed = encode(&plain, &[(BlockKind::Dynamic, 3000)]);
        let (_source, from) = buffer(&context, &compressed);
        let targets: Vec<_> = (0..4).map(|_| buffer(&context, &[0; 3000])).collect();
        let mut regions = vec![0; stride * 4];
        for (index, (_, to)) in targets.iter().enumerate() {
            // The second names an unknown method, where regions name methods.
            let method = if index == 1 { 2 } else { 1 };
            let words = [from, *to, compressed.len() as u64, 3000, method];
            for (word, place) in words.into_iter().zip((index * stride..(index + 1) * stride).step_by(8)) {
                regions[place..place + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
        let (_regions, address) = buffer(&context, &regions);
        let (counter, count_address) = buffer(&context, &[0; 4]);
        context.run(|commands| unsafe {
            context.device.cmd_fill_buffer(commands, counter.buffer, 0, 4, count);
            if extension == NV {
                let device = &context.device;
                device.cmd_decompress_memory_indirect_count_nv(commands, address, count_address, 40);
            } else {
                context.device.cmd_decompress_memory_indirect_count_ext(
                    commands,
                    GDEFLATE,
                    address,
                    count_address,
                    count_max,
                    stride as u32,
                );
            }
        });
        let found: Vec<bool> = targets.iter().map(|(target, _)| bytes(target) == plain).collect();
        let done = count.min(count_max) as usize;
        let expected: Vec<bool> =
            (0..4).map(|index| index < done && !(extension == NV && index == 1)).collect();
        assert_eq!(found, expected, "{extension:?}, stride {stride}");
    }
}

/// Each region names its method; an unknown one is an error.
#[test]
fn the_other_dialect_does_the_same() {
    let context = context(NV);
    let plain = data(700);
    let compressed = encode(&plain, &[(BlockKind::Fixed, 700)]);
    let (_source, from) = buffer(&context, &compressed);
    let (target, to) = buffer(&context, &[0; 700]);
    let region = |method| vk::DecompressMemoryRegionNV {
        src_address: from,
        dst_address: to,
        compressed_size: compressed.len() as u64,
        decompressed_size: 700,
        decompression_method: method,
    };
    context.run(|commands| unsafe {
        context.device.cmd_decompress_memory_nv(commands, &[region(GDEFLATE)]);
    });
    assert!(bytes(&target) == plain);
    let none = unsafe { vk::MemoryDecompressionMethodFlagsEXT::from_bits_unchecked(2) };
    assert!(!records(&context, |commands| unsafe {
        context.device.cmd_decompress_memory_nv(commands, &[region(none)]);
    }));
}

#[test]
fn regions_that_break_rules_are_refused() {
    let context = context(EXT);
    let (_source, from) = buffer(&context, &[0; 64]);
    let (_target, to) = buffer(&context, &[0; 64]);
    let good = vk::DecompressMemoryRegionEXT {
        src_address: from,
        dst_address: to,
        compressed_size: 64,
        decompressed_size: 64,
    };
    let record =
        |method, region| records(&context, |commands| decompress(&context, commands, method, &[region]));
    assert!(record(METHOD, good));
    assert!(!record(0, good) && !record(METHOD | 1 << 40, good));
    for bad in [
        vk::DecompressMemoryRegionEXT { src_address: from + 2, ..good },
        vk::DecompressMemoryRegionEXT { dst_address: to + 1, ..good },
        vk::DecompressMemoryRegionEXT { compressed_size: 0, ..good },
        vk::DecompressMemoryRegionEXT { decompressed_size: 0, ..good },
        vk::DecompressMemoryRegionEXT { decompressed_size: 65_537, ..good },
    ] {
        assert!(!record(METHOD, bad), "{bad:?}");
    }
    for (address, count, stride) in
        [(from + 2, from, 32), (from, from + 1, 32), (from, from, 28), (from, from, 34)]
    {
        let records = records(&context, |commands| unsafe {
            let device = &context.device;
            device.cmd_decompress_memory_indirect_count_ext(commands, GDEFLATE, address, count, 1, stride);
        });
        assert!(!records, "{stride}");
    }
}

/// Streams that are cut, changed or made up write nothing outside of their target, and come to an end.
#[test]
fn hostile_streams_stay_inside() {
    let context = context(EXT);
    let plain = data(4000);
    let sound =
        encode(&plain, &[(BlockKind::Dynamic, 2000), (BlockKind::Fixed, 3000), (BlockKind::Stored, 4000)]);
    let mut numbers = numbers(5);
    let mut next = |below: usize| numbers.next().expect("endless") as usize % below;
    let mut hostile: Vec<Vec<u8>> = (0..300)
        .map(|_| {
            let mut stream = sound.clone();
            for _ in 0..1 + next(4) {
                let place = next(stream.len());
                stream[place] ^= 1 << next(8);
            }
            stream
        })
        .collect();
    hostile.extend((0..100).map(|_| (0..4 + next(600)).map(|_| next(256) as u8).collect()));
    hostile.extend((1..40).map(|part| sound[..part * sound.len() / 40].to_vec()));
    hostile.extend([vec![0; 4], vec![0; 4000], vec![0xff; 4000], vec![4; 300]]);
    let (target, to) = buffer(&context, &[0xa5; 4096]);
    for stream in hostile {
        let (_source, from) = buffer(&context, &stream);
        let regions = [vk::DecompressMemoryRegionEXT {
            src_address: from,
            dst_address: to,
            compressed_size: stream.len() as u64,
            decompressed_size: 3990,
        }];
        context.run(|commands| decompress(&context, commands, METHOD, &regions));
        assert!(bytes(&target)[3990..].iter().all(|&byte| byte == 0xa5));
    }
}
