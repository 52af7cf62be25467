//! A shader's mappings to heaps and its embedded samplers as words: binaries of shader objects hold them,
//! since who makes a shader of a binary gives none.

use crate::objects::image::{Border, SamplerInfo, Window};
use pyro_abi::heap::{EmbeddedSampler, HeapAddressing, HeapIndex, Mapping, MappingSource};
use vulkanalia_sys as vk;

/// Words of a mapping.
const MAPPING: usize = 22;
/// Words of a sampler.
const SAMPLER: usize = 20;

/// The words of these.
pub(crate) fn write(mappings: &[Mapping], samplers: &[SamplerInfo]) -> Vec<u32> {
    let mut words = vec![mappings.len() as u32];
    words.extend(mappings.iter().flat_map(mapping_words));
    words.extend(samplers.iter().flat_map(sampler_words));
    words
}

/// What [`write()`] wrote; none where that cannot be.
pub(crate) fn read(words: &[u32]) -> Option<(Vec<Mapping>, Vec<SamplerInfo>)> {
    let (&count, rest) = words.split_first()?;
    let (mappings, samplers) = rest.split_at_checked((count as usize).checked_mul(MAPPING)?)?;
    let mappings = mappings.as_chunks().0.iter().map(mapping_of).collect::<Option<_>>()?;
    let (samplers, rest) = samplers.as_chunks();
    rest.is_empty().then(|| (mappings, samplers.iter().map(sampler_of).collect()))
}

fn index_words(index: HeapIndex) -> [u32; 3] {
    match index {
        HeapIndex::None => [0; 3],
        HeapIndex::Push(push) => [1, push, 0],
        HeapIndex::Indirect { push, offset } => [2, push, offset],
        HeapIndex::IndirectArray { push, offset } => [3, push, offset],
        HeapIndex::ShaderRecord(at) => [4, at, 0],
    }
}

fn index_of([kind, push, offset]: [u32; 3]) -> Option<HeapIndex> {
    Some(match kind {
        0 => HeapIndex::None,
        1 => HeapIndex::Push(push),
        2 => HeapIndex::Indirect { push, offset },
        3 => HeapIndex::IndirectArray { push, offset },
        4 => HeapIndex::ShaderRecord(push),
        _ => return None,
    })
}

fn place_words(place: &HeapAddressing) -> [u32; 6] {
    let [kind, push, offset] = index_words(place.index);
    [place.offset, place.array_stride, kind, push, offset, place.index_stride]
}

fn place_of(words: [u32; 6]) -> Option<HeapAddressing> {
    let [offset, array_stride, kind, push, from, index_stride] = words;
    Some(HeapAddressing { offset, array_stride, index: index_of([kind, push, from])?, index_stride })
}

fn mapping_words(mapping: &Mapping) -> [u32; MAPPING] {
    let mut words = [0; MAPPING];
    words[..4].copy_from_slice(&[
        mapping.set,
        mapping.first_binding,
        mapping.binding_count,
        mapping.resource_mask,
    ]);
    let (kind, data) = match &mapping.source {
        MappingSource::Descriptors { resource, sampler, combined_index } => {
            words[7..13].copy_from_slice(&place_words(resource));
            words[13..19].copy_from_slice(&place_words(sampler));
            (0, [u32::from(*combined_index), 0])
        }
        &MappingSource::HeapData { offset, push } => (1, [offset, push]),
        &MappingSource::PushData(at) => (2, [at, 0]),
        &MappingSource::PushAddress(at) => (3, [at, 0]),
        &MappingSource::IndirectAddress { push, offset } => (4, [push, offset]),
        &MappingSource::ShaderRecordData(at) => (5, [at, 0]),
        &MappingSource::ShaderRecordAddress(at) => (6, [at, 0]),
    };
    words[4] = kind;
    words[5..7].copy_from_slice(&data);
    if let Some(embedded) = mapping.embedded_sampler {
        words[19..].copy_from_slice(&[1, embedded.stage, embedded.index]);
    }
    words
}

fn mapping_of(words: &[u32; MAPPING]) -> Option<Mapping> {
    let &[set, first_binding, binding_count, resource_mask, kind, first, second, ..] = words;
    let place = |from: usize| place_of(words[from..from + 6].try_into().ok()?);
    let source = match kind {
        0 => MappingSource::Descriptors {
            resource: place(7)?,
            sampler: place(13)?,
            combined_index: first != 0,
        },
        1 => MappingSource::HeapData { offset: first, push: second },
        2 => MappingSource::PushData(first),
        3 => MappingSource::PushAddress(first),
        4 => MappingSource::IndirectAddress { push: first, offset: second },
        5 => MappingSource::ShaderRecordData(first),
        6 => MappingSource::ShaderRecordAddress(first),
        _ => return None,
    };
    let embedded = EmbeddedSampler { stage: words[20], index: words[21] };
    let embedded_sampler = (words[19] != 0).then_some(embedded);
    Some(Mapping { set, first_binding, binding_count, resource_mask, source, embedded_sampler })
}

fn sampler_words(info: &SamplerInfo) -> [u32; SAMPLER] {
    let window = info.processing.unwrap_or_default();
    let flags = [
        info.border.is_integer,
        info.border.is_custom,
        info.unnormalized,
        info.has_conversion,
        info.non_seamless_cube,
        info.processing.is_some(),
        window.wants_max,
        info.max_anisotropy.is_some(),
        info.compare.is_some(),
    ];
    let flags = flags.into_iter().rev().fold(0, |bits, flag| bits << 1 | u32::from(flag));
    let mut words = [0; SAMPLER];
    let all = [
        flags,
        info.mag_filter.as_raw() as u32,
        info.min_filter.as_raw() as u32,
        info.mipmap_mode.as_raw() as u32,
        info.reduction.as_raw() as u32,
        info.cubic_weights.as_raw() as u32,
        info.compare.unwrap_or_default().as_raw() as u32,
        info.lod_bias.to_bits(),
        info.max_anisotropy.unwrap_or(0.0).to_bits(),
        info.min_lod.to_bits(),
        info.max_lod.to_bits(),
        window.extent[0],
        window.extent[1],
    ];
    words[..13].copy_from_slice(&all);
    words[13..17].copy_from_slice(&info.border.color);
    words[17..20].copy_from_slice(&info.address_modes.map(|mode| mode.as_raw() as u32));
    words
}

fn sampler_of(words: &[u32; SAMPLER]) -> SamplerInfo {
    let flag = |place: u32| words[0] >> place & 1 != 0;
    let number = |place: usize| words[place] as i32;
    let float = |place: usize| f32::from_bits(words[place]);
    let window = Window { extent: [words[11], words[12]], wants_max: flag(6) };
    SamplerInfo {
        mag_filter: vk::Filter::from_raw(number(1)),
        min_filter: vk::Filter::from_raw(number(2)),
        mipmap_mode: vk::SamplerMipmapMode::from_raw(number(3)),
        address_modes: [17, 18, 19].map(|place| vk::SamplerAddressMode::from_raw(number(place))),
        lod_bias: float(7),
        max_anisotropy: flag(7).then(|| float(8)),
        compare: flag(8).then(|| vk::CompareOp::from_raw(number(6))),
        min_lod: float(9),
        max_lod: float(10),
        border: Border {
            color: [words[13], words[14], words[15], words[16]],
            is_integer: flag(0),
            is_custom: flag(1),
        },
        unnormalized: flag(2),
        has_conversion: flag(3),
        reduction: vk::SamplerReductionMode::from_raw(number(4)),
        cubic_weights: vk::CubicFilterWeightsQCOM::from_raw(number(5)),
        non_seamless_cube: flag(4),
        processing: flag(5).then_some(window),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heap_words_round_trip() {
        let place = |offset, index| HeapAddressing { offset, array_stride: 32, index, index_stride: 16 };
        let sources = [
            MappingSource::Descriptors {
                resource: place(48, HeapIndex::IndirectArray { push: 8, offset: 4 }),
                sampler: place(64, HeapIndex::Push(12)),
                combined_index: true,
            },
            MappingSource::HeapData { offset: 3, push: 4 },
            MappingSource::PushData(8),
            MappingSource::PushAddress(16),
            MappingSource::IndirectAddress { push: 24, offset: 8 },
        ];
        let mappings: Vec<_> = (0..)
            .zip(sources)
            .map(|(number, source)| Mapping {
                set: number,
                first_binding: 7,
                binding_count: 2,
                resource_mask: 0x7fff_ffff,
                source,
                embedded_sampler: (number == 0).then_some(EmbeddedSampler { stage: 4, index: 2 }),
            })
            .collect();
        let info = SamplerInfo {
            mag_filter: vk::Filter::LINEAR,
            min_filter: vk::Filter::CUBIC_EXT,
            mipmap_mode: vk::SamplerMipmapMode::LINEAR,
            address_modes: [0, 2, 3].map(vk::SamplerAddressMode::from_raw),
            lod_bias: 0.5,
            max_anisotropy: Some(4.0),
            compare: Some(vk::CompareOp::GREATER),
            min_lod: 1.0,
            max_lod: 9.0,
            border: Border { color: [1, 2, 3, 4], is_integer: true, is_custom: true },
            unnormalized: true,
            has_conversion: false,
            reduction: vk::SamplerReductionMode::MAX,
            cubic_weights: vk::CubicFilterWeightsQCOM::B_SPLINE,
            non_seamless_cube: true,
            processing: Some(Window { extent: [5, 6], wants_max: true }),
        };
        let words = write(&mappings, &[info]);
        let (found, samplers) = read(&words).expect("it can be read");
        assert_eq!(found, mappings);
        assert_eq!(format!("{samplers:?}"), format!("{:?}", [info]));
        for len in [0, 1, 5, words.len() - 1] {
            assert!(read(&words[..len]).is_none(), "{len}");
        }
    }
}
