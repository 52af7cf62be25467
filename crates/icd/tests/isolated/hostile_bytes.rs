//! Pipeline caches and pipeline binaries of random bytes: they are refused, ignored, or
//! as good as unchanged ones.
//!
//! `PYRO_MUTATIONS` sets how many are tried (300), `PYRO_SEED` where to start.

use pyro_random::Random;
use pyro_test_environment::{in_child, number};
use pyro_test_kit::pipelines::{Context, Source};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrPipelineBinaryExtensionDeviceCommands as _;

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let place = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[place] ^= 1 << random.below(8),
            1 => bytes[place] = random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => bytes.truncate(place),
            3 => bytes.extend((0..random.below(64)).map(|_| random.word() as u8)),
            4 => bytes[place..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
            _ => {
                let other = random.below(bytes.len());
                let piece = bytes[other..].iter().copied().take(16).collect::<Vec<_>>();
                bytes.splice(place..place, piece);
            }
        }
    }
}

fn rounds() -> impl Iterator<Item = Random> {
    let (seed, count) = (number("PYRO_SEED", 1_u64), number("PYRO_MUTATIONS", 300_u64).min(20_000));
    (0..count).map(move |round| Random::new((seed + round).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

#[test]
fn random_pipeline_caches_are_ignored_or_right() {
    if !in_child(module_path!(), "random_pipeline_caches_are_ignored_or_right", &[]) {
        return;
    }
    let vulkan = Context::new();
    let cache = vulkan.cache(&[]);
    let plain = vk::PipelineCreateFlags::empty();
    for graphics in [false, true] {
        let (pipeline, ..) = vulkan.pipeline(graphics, cache, plain);
        unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
    }
    let whole = unsafe { vulkan.device.get_pipeline_cache_data(cache) }.expect("data");
    for mut random in rounds() {
        let mut data = whole.clone();
        mutate(&mut data, &mut random);
        let changed = vulkan.cache(&data);
        for graphics in [false, true] {
            let (pipeline, ..) = vulkan.pipeline(graphics, changed, plain);
            if !graphics {
                assert_eq!(vulkan.run(pipeline), 43);
            }
            unsafe { vulkan.device.destroy_pipeline(pipeline, None) };
        }
        unsafe {
            vulkan.device.merge_pipeline_caches(cache, &[changed]).expect("merged");
            vulkan.device.destroy_pipeline_cache(changed, None);
        }
    }
    unsafe { vulkan.device.destroy_pipeline_cache(cache, None) };
}

#[test]
fn random_pipeline_binaries_are_refused_or_right() {
    if !in_child(module_path!(), "random_pipeline_binaries_are_refused_or_right", &[]) {
        return;
    }
    let vulkan = Context::new();
    let device = &vulkan.device;
    let capture = vk::PipelineCreateFlags2::CAPTURE_DATA_KHR;
    let no_cache = vk::PipelineCache::null();
    let (pipeline, ..) = vulkan.pipeline_from(false, no_cache, capture, Source::Modules);
    let info = vk::PipelineBinaryCreateInfoKHR { pipeline, ..Default::default() };
    let (made, binaries) = vulkan.create_binaries(&info, 1);
    made.expect("a binary");
    let (key, whole) = vulkan.key_and_data(binaries[0]);
    for mut random in rounds() {
        let mut data = whole.clone();
        mutate(&mut data, &mut random);
        // The key is a digest of the data, which a forger can compute.
        let mut key = key;
        if random.chance(80) {
            let digest = pyro_compile::cache::Digest::of(&data[..]).to_bytes();
            let mut bytes = *key.key;
            bytes[..digest.len()].copy_from_slice(&digest);
            key.key = bytes.into();
        }
        let (Ok(_), changed) = vulkan.create_binary_from(&key, &data) else { continue };
        let flags = vk::PipelineCreateFlags2::empty();
        let made = vulkan.try_pipeline_from(false, no_cache, flags, Source::Binaries(&changed));
        // Its shader may be another, as words of modules are not secret: it is not run, since it may not end.
        if let Ok((pipeline, ..)) = made {
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        unsafe { device.destroy_pipeline_binary_khr(changed[0], None) };
    }
    unsafe {
        device.destroy_pipeline_binary_khr(binaries[0], None);
        device.destroy_pipeline(pipeline, None);
    }
}
