//! Resolves: several samples become one.

use super::copy::{rows, runs};
use super::rows::Codec;
use super::surface::{Region, Surface};
use super::texel::Value;
use pyro_engine::graphics::Shift;
use pyro_image::{Aspect, NumericClass};
use std::ops;
use vulkanalia_sys as vk;

/// A resolve of one aspect.
pub struct Resolve {
    /// The multisampled texels, and the first of them.
    source: Surface,
    source_first: [u32; 3],
    /// Where to, and what of it.
    target: Surface,
    pub(super) target_region: Region,
    /// How.
    aspect: Aspect,
    mode: vk::ResolveModeFlags,
    source_codec: Codec,
    target_codec: Codec,
}

/// Makes a row of one value each of a row for each sample, in the place of the first.
fn combine(mode: vk::ResolveModeFlags, class: NumericClass, samples: &mut [Vec<Value>]) {
    let count = samples.len() as f32;
    let Some((first, rest)) = samples.split_first_mut() else { return };
    // One loop for each operation, which becomes vectors.
    fn fold(first: &mut [Value], rest: &[Vec<Value>], combine: impl Fn(u32, u32) -> u32) {
        for row in rest {
            for (all, one) in first.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
                *all = combine(*all, *one);
            }
        }
    }
    let float = |combine: fn(f32, f32) -> f32| {
        move |a: u32, b: u32| combine(f32::from_bits(a), f32::from_bits(b)).to_bits()
    };
    match (mode, class) {
        (vk::ResolveModeFlags::AVERAGE, NumericClass::Float) => {
            fold(first, rest, |a, b| (f32::from_bits(a) + f32::from_bits(b)).to_bits());
            for word in first.as_flattened_mut() {
                *word = (f32::from_bits(*word) / count).to_bits();
            }
        }
        (vk::ResolveModeFlags::MIN, NumericClass::Float) => fold(first, rest, float(f32::min)),
        (vk::ResolveModeFlags::MAX, NumericClass::Float) => fold(first, rest, float(f32::max)),
        (vk::ResolveModeFlags::MIN, NumericClass::UInt) => fold(first, rest, u32::min),
        (vk::ResolveModeFlags::MAX, NumericClass::UInt) => fold(first, rest, u32::max),
        (vk::ResolveModeFlags::MIN, NumericClass::SInt) => {
            fold(first, rest, |a, b| (a as i32).min(b as i32) as u32);
        }
        (vk::ResolveModeFlags::MAX, NumericClass::SInt) => {
            fold(first, rest, |a, b| (a as i32).max(b as i32) as u32);
        }
        // The first sample; what integers do, whatever they are asked.
        _ => {}
    }
}

impl Resolve {
    /// A resolve of one aspect into a region of the target; what is outside it is left out.
    pub fn new(
        source: Surface,
        source_first: [u32; 3],
        target: Surface,
        target_region: Region,
        aspect: Aspect,
        mode: vk::ResolveModeFlags,
    ) -> Resolve {
        let (source_codec, target_codec) =
            (Codec::new(source.format, aspect), Codec::new(target.format, aspect));
        let target_region = target_region.clip(&target);
        Resolve { source, source_first, target, target_region, aspect, mode, source_codec, target_codec }
    }

    /// The first texel of the source.
    pub(super) fn source_first(&self) -> [u32; 3] {
        self.source_first
    }

    /// Where to.
    pub(super) fn target(&self) -> &Surface {
        &self.target
    }

    /// The multisampled texels.
    pub(super) fn source(&self) -> &Surface {
        &self.source
    }

    /// Resolves some rows of a region inside the resolve's. The multisampled texels are shifted so far.
    pub(super) fn run(&self, region: Region, numbers: ops::Range<u64>, shift: Shift) {
        if region.is_empty() {
            return;
        }
        let (source, target) = (&self.source, &self.target);
        let source_place = |to: [u32; 3]| {
            let at = |axis: usize| self.source_first[axis] + (to[axis] - self.target_region.first[axis]);
            [at(0).wrapping_add_signed(shift[0]), at(1).wrapping_add_signed(shift[1]), at(2)]
        };
        let averages = self.mode == vk::ResolveModeFlags::AVERAGE && source.format == target.format;
        let has_rows = source.has_rows() && target.has_rows();
        if averages && has_rows && self.source_codec.is_unorm_bytes() {
            let mut done = true;
            for (to, count) in runs(region, numbers.clone()) {
                let rows = target.rows(to, 0, region.count[0], count);
                done &= target.memory().average_rows(
                    rows,
                    source.memory(),
                    source.at(source_place(to), 0),
                    source.row_pitch(),
                    source.samples,
                    source.sample_pitch(),
                );
            }
            if done {
                return;
            }
        }
        let class = source.format.numeric_class(self.aspect);
        let width = region.count[0] as usize;
        let (from_bytes, to_bytes) = (source.texel_bytes(), target.texel_bytes());
        let mut planes = vec![vec![0; width * from_bytes]; source.samples as usize];
        let mut out = vec![0; width * to_bytes];
        let mut values = vec![Vec::new(); planes.len()];
        for (to, _, _) in rows(region, numbers) {
            let from = source_place(to);
            for (sample, bytes) in (0..).zip(&mut planes) {
                source.read(from, sample, bytes);
            }
            if averages && self.source_codec.average(&planes, &mut out) {
                target.write(to, 0, &out);
                continue;
            }
            for (values, bytes) in values.iter_mut().zip(&planes) {
                values.clear();
                self.source_codec.decode_row(bytes, values);
            }
            combine(self.mode, class, &mut values);
            if self.target_codec.keeps_bits() {
                target.read(to, 0, &mut out);
                for (value, texel) in values[0].iter().zip(out.chunks_exact_mut(to_bytes)) {
                    self.target_codec.encode(*value, texel);
                }
            } else {
                self.target_codec.encode_row(&values[0], &mut out);
            }
            target.write(to, 0, &out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        let floats = [1.0_f32, -3.0].map(|x| vec![[x.to_bits(); 4]]);
        let combined = |mode, class, samples: &[Vec<Value>]| {
            let mut samples = samples.to_vec();
            combine(mode, class, &mut samples);
            samples[0][0][2]
        };
        let float = |mode| f32::from_bits(combined(mode, NumericClass::Float, &floats));
        assert_eq!(float(vk::ResolveModeFlags::AVERAGE), -1.0);
        assert_eq!(float(vk::ResolveModeFlags::MIN), -3.0);
        assert_eq!(float(vk::ResolveModeFlags::MAX), 1.0);
        assert_eq!(float(vk::ResolveModeFlags::SAMPLE_ZERO), 1.0);
        let ints = [1, u32::MAX].map(|x| vec![[x; 4]]);
        assert_eq!(combined(vk::ResolveModeFlags::MIN, NumericClass::SInt, &ints), u32::MAX);
        assert_eq!(combined(vk::ResolveModeFlags::MIN, NumericClass::UInt, &ints), 1);
        assert_eq!(combined(vk::ResolveModeFlags::AVERAGE, NumericClass::UInt, &ints), 1);
    }
}
