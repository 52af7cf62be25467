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
    let create = |info: &vk::PipelineBinaryCreateInfoKHR| unsafe {
        let mut binary = vk::PipelineBinaryKHR::null();
        let mut out = vk::PipelineBinaryHandlesInfoKHR {
            pipeline_binary_count: 1,
            pipeline_binaries: &raw mut binary,
            ..Default::default()
        };
        device.create_pipeline_binaries_khr(info, None, &mut out).map(|_| binary)
    };
    let binary = create(&info).expect("a binary");
    let info = vk::PipelineBinaryDataInfoKHR { pipeline_binary: binary, ..Default::default() };
    let mut key = vk::PipelineBinaryKeyKHR::default();
    let whole = unsafe { device.get_pipeline_binary_data_khr(&info, &mut key) }.expect("data");
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
        let pair = vk::PipelineBinaryDataKHR { data_size: data.len(), data: data.as_ptr().cast_mut().cast() };
        let pairs = vk::PipelineBinaryKeysAndDataKHR {
            binary_count: 1,
            pipeline_binary_keys: &raw const key,
            pipeline_binary_data: &raw const pair,
        };
        let info =
            vk::PipelineBinaryCreateInfoKHR { keys_and_data_info: &raw const pairs, ..Default::default() };
        let Ok(changed) = create(&info) else { continue };
        let flags = vk::PipelineCreateFlags2::empty();
        let made = vulkan.try_pipeline_from(false, no_cache, flags, Source::Binaries(&[changed]));
        // Its shader may be another, as words of modules are not secret: it is not run, since it may not end.
        if let Ok((pipeline, ..)) = made {
            unsafe { device.destroy_pipeline(pipeline, None) };
        }
        unsafe { device.destroy_pipeline_binary_khr(changed, None) };
    }
    unsafe {
        device.destroy_pipeline_binary_khr(binary, None);
        device.destroy_pipeline(pipeline, None);
    }
}
