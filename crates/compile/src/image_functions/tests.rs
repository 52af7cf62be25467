#![allow(unsafe_code)] // Calls image functions as generated code does.

use super::*;
use pyro_abi::Memory;
use pyro_abi::image::{AtomicOp, record, table_index};
use pyro_image::layout::texel_buffer_view;
use pyro_image::{Aspect, Filter, Format, ViewType};
use pyro_util::sync::Mutex;

fn cache() -> (ImageFunctionCache, Arc<Mutex<Vec<String>>>) {
    cache_for(Backend::Interpreter)
}

fn cache_for(backend: Backend) -> (ImageFunctionCache, Arc<Mutex<Vec<String>>>) {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = messages.clone();
    let report = move |message: &str| sink.lock().push(message.to_owned());
    (ImageFunctionCache::new(backend, Box::new(report)), messages)
}

fn exposed<T>(item: *mut T) -> u64 {
    item.expose_provenance() as u64
}

/// Calls an operation as generated code does, with x coordinates, and gives the first result column.
fn call(image: u64, sampler: u64, op: ImageOp, lanes: u32, x: &[u32], value: u32) -> Vec<u32> {
    // SAFETY: the tests' records are valid, and functions access them and the record below only.
    let memory = unsafe { Memory::new() };
    let mut words = vec![0u64; (record::bytes(lanes) / 8 + 8) as usize];
    let call = exposed(words.as_mut_ptr()).next_multiple_of(64);
    memory.store(call + u64::from(record::IMAGE), image);
    memory.store(call + u64::from(record::SAMPLER), sampler);
    memory.store(call + u64::from(record::ACTIVE_LANES), u64::MAX >> (64 - lanes));
    let column =
        |column: u32, lane: usize| call + u64::from(record::column_offset(column, lanes)) + 4 * lane as u64;
    for (lane, &x) in x.iter().enumerate() {
        memory.store(column(record::COORDINATE, lane), x);
        memory.store(column(record::TEXEL, lane), value);
        memory.store(column(record::TEXEL + 1, lane), 77u32);
    }
    let functions: u64 = memory.load(image + 8);
    let sampler_row: u32 = memory.load(sampler);
    let row_address: u64 = memory.load(functions + 8 * table_index(lanes, sampler_row) as u64);
    let callable: u64 = memory.load(row_address + 8 * u64::from(op.code()));
    memory.call(callable, call);
    (0..x.len()).map(|lane| memory.load(column(record::TEXEL, lane))).collect()
}

fn buffer(format: Format) -> ViewKey {
    ViewKey::new(format, Aspect::Color, ViewType::Buffer, 1)
}

#[test]
fn functions_are_compiled_once() {
    for (_, backend) in Backend::all() {
        fetches_writes_and_atomics(backend);
    }
}

fn fetches_writes_and_atomics(backend: Backend) {
    let (cache, messages) = cache_for(backend);
    let mut texels: Vec<u32> = (100..200).collect();
    let functions = cache.view(&buffer(Format::R32_UINT));
    let mut record = texel_buffer_view(exposed(texels.as_mut_ptr()), 90);
    functions.fill(&mut record);
    let image = exposed(&raw mut record);
    let fetch = ImageOp::Fetch { offset: false };
    let null = cache.null_sampler();
    for _ in 0..3 {
        assert_eq!(call(image, null, fetch, 16, &[0, 5, 89, 90, u32::MAX], 0), [100, 105, 189, 0, 0]);
    }
    assert_eq!(cache.compiled_count(), 1);
    assert_eq!(call(image, null, fetch, 4, &[7], 0), [107]);
    assert_eq!(cache.compiled_count(), 2);
    assert_eq!(call(image, null, ImageOp::Atomic(AtomicOp::IAdd), 8, &[3, 3, 95], 2), [103, 105, 0]);
    call(image, null, ImageOp::Write { level: false }, 8, &[4], 9);
    assert_eq!(texels[3..5], [107, 9]);
    assert_eq!(texels[95], 195);
    assert!(messages.lock().is_empty());
}

/// `VK_NV_shader_atomic_float16_vector`: lanes at one texel add one after the other, to each component.
#[test]
fn vectors_of_16_bit_floats_are_atomic_by_component() {
    for (_, backend) in Backend::all() {
        let (cache, messages) = cache_for(backend);
        // Texels of components 1.0 and 2.0.
        let mut texels: Vec<u32> = vec![0x4000_3c00; 10];
        let functions = cache.view(&buffer(Format::R16G16_SFLOAT));
        let mut record = texel_buffer_view(exposed(texels.as_mut_ptr()), 9);
        functions.fill(&mut record);
        let image = exposed(&raw mut record);
        let (null, half) = (cache.null_sampler(), 0.5f32.to_bits());
        let [one, three_halves] = [1.0f32, 1.5].map(f32::to_bits);
        // The operand's second component is zero.
        let old = call(image, null, ImageOp::Atomic(AtomicOp::FAdd), 16, &[3, 3, 9], half);
        assert_eq!(old, [one, three_halves, 0]);
        assert_eq!(texels[3], 0x4000_4000);
        assert_eq!(call(image, null, ImageOp::Atomic(AtomicOp::FMax), 16, &[4], half), [one]);
        assert_eq!(texels[4], 0x4000_3c00);
        assert_eq!(call(image, null, ImageOp::Atomic(AtomicOp::FMin), 16, &[5], half), [one]);
        assert_eq!(texels[5], 0x0000_3800);
        assert_eq!(call(image, null, ImageOp::Atomic(AtomicOp::Exchange), 16, &[6, 6], half), [one, half]);
        assert_eq!([texels[6], texels[9]], [0x0000_3800, 0x4000_3c00]);
        assert!(messages.lock().is_empty());
    }
}

#[test]
fn uncompilable_image_function_reads_zeros() {
    let (cache, messages) = cache();
    let mut texels = [0x3f80_0000u32; 4];
    let functions = cache.view(&buffer(Format::R32_SFLOAT));
    let mut record = texel_buffer_view(exposed(texels.as_mut_ptr()), 4);
    functions.fill(&mut record);
    let image = exposed(&raw mut record);
    for _ in 0..2 {
        assert_eq!(call(image, cache.null_sampler(), ImageOp::Atomic(AtomicOp::And), 16, &[1], 5), [0]);
    }
    assert_eq!(texels[1], 0x3f80_0000);
    assert_eq!(messages.lock().len(), 1);
}

#[test]
fn null_descriptors_read_zeros() {
    let (cache, _) = cache();
    let (image, sampler) = (cache.null_image(), cache.null_sampler());
    for op in (0..61).filter_map(ImageOp::from_code) {
        assert_eq!(call(image, sampler, op, 16, &[1, 2], 5), [0, 0], "{op:?}");
    }
}

#[test]
fn rows_and_tables_are_used_again() {
    let (cache, _) = cache();
    let key = |index: usize| SamplerKey {
        mag: [Filter::Nearest, Filter::Linear][index & 1],
        compare: None,
        address: [0, 1, 2].map(|axis| MODES[index / 2 / 5usize.pow(axis) % 5]),
        anisotropic: !(index / 250).is_multiple_of(2),
        unnormalized: !(index / 500).is_multiple_of(2),
        non_seamless_cube: !(index / 1000).is_multiple_of(2),
        ..SamplerKey::default()
    };
    use pyro_image::AddressMode::*;
    const MODES: [pyro_image::AddressMode; 5] =
        [Repeat, MirroredRepeat, ClampToEdge, ClampToBorder, MirrorClampToEdge];
    let held: Vec<_> = (0..SAMPLER_STATES_MAX - 1).map(|index| cache.sampler(&key(index))).collect();
    assert!(held.iter().all(Result::is_ok));
    assert!(cache.sampler(&key(1500)).is_err());
    let again = cache.sampler(&key(3)).expect("held already");
    assert_eq!(again.row(), held[3].as_ref().expect("held").row());
    let freed = held[7].as_ref().expect("held").row();
    drop(held);
    drop(again);
    assert!((1..SAMPLER_STATES_MAX as u32).contains(&freed));
    assert!(cache.sampler(&key(1500)).is_ok());
    // Many different views, one after the other, and one that stays.
    let kept = cache.view(&buffer(Format::R32_UINT));
    for &format in Format::ALL {
        drop(cache.view(&buffer(format)));
        drop(cache.view(&ViewKey::new(format, Aspect::Color, ViewType::D2, 3)));
    }
    let mut texels = [5u32; 4];
    let mut record = texel_buffer_view(exposed(texels.as_mut_ptr()), 4);
    kept.fill(&mut record);
    let fetch = ImageOp::Fetch { offset: false };
    assert_eq!(call(exposed(&raw mut record), cache.null_sampler(), fetch, 16, &[1], 0), [5]);
}

#[test]
fn threads_may_race_for_a_function() {
    let (cache, _) = cache();
    let mut texels: Vec<u32> = (0..64).collect();
    let functions = cache.view(&buffer(Format::R32_UINT));
    let mut record = texel_buffer_view(exposed(texels.as_mut_ptr()), 64);
    functions.fill(&mut record);
    let (image, sampler) = (exposed(&raw mut record), cache.null_sampler());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let fetch = ImageOp::Fetch { offset: false };
                assert_eq!(call(image, sampler, fetch, 32, &[9, 63], 0), [9, 63]);
            });
        }
    });
    assert_eq!(cache.compiled_count(), 1);
}
