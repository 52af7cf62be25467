//! Coverage reduction (Vulkan, "Fragment Operations", "Coverage Reduction"): which samples of a colour
//! attachment with fewer samples than are rasterized a fragment covers, and what the number of its covered
//! samples multiplies colours by.

use crate::fragment::{Fragment, Sample, load_extra};
use crate::state::{CoverageModulation, CoverageReduction};
use pyro_abi::graphics::graphics_offset as at;
use pyro_ir::{Builder, MemoryOp, Opcode, Scalar, Space, Value};
use pyro_library::Ops;

/// A sample of a colour attachment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorSample {
    /// Its place in the attachment. Its bit is that of the first associated rasterization sample.
    pub(crate) sample: Sample,
    /// Rasterization samples from that one on that are associated with it.
    associated: u32,
    /// It exists only where this holds (`i1`).
    exists: Option<Value>,
}

impl Fragment<'_> {
    /// The samples of the colour attachment at a location that the code deals with one after another.
    pub(crate) fn color_samples(&self, b: &mut Builder, location: usize) -> Vec<ColorSample> {
        let count = self.key.color_samples(location);
        let ratio = self.key.samples.max(1) / count.max(1);
        let merges = self.key.coverage_reduction == CoverageReduction::Merge;
        let samples = self.samples(b);
        if ratio <= 1 {
            return samples
                .into_iter()
                .map(|sample| ColorSample { sample, associated: 1, exists: None })
                .collect();
        }
        if !self.key.sample_shading {
            let samples = samples.into_iter().step_by(if merges { ratio as usize } else { 1 });
            return (0..count)
                .zip(samples)
                .map(|(number, sample)| ColorSample {
                    sample: Sample { index: b.i32(number), count, ..sample },
                    associated: if merges { ratio } else { 1 },
                    exists: None,
                })
                .collect();
        }
        // An invocation is one sample's.
        let own = |b: &mut Builder, sample: Sample| {
            if merges {
                let shift = b.i32(ratio.trailing_zeros());
                let index = b.lshr(sample.index, shift);
                let sample = Sample { index, count, ..sample };
                return ColorSample { sample, associated: 1, exists: None };
            }
            let (end, most) = (b.i32(count), b.i32(count - 1));
            let exists = Some(b.op(Opcode::ULt, &[sample.index, end]));
            let sample = Sample { index: b.and(sample.index, most), count, ..sample };
            ColorSample { sample, associated: 1, exists }
        };
        samples.into_iter().map(|sample| own(b, sample)).collect()
    }

    /// Whether `coverage` (of rasterization samples) covers a sample of a colour attachment, `i1`.
    pub(crate) fn covers_color(&self, b: &mut Builder, coverage: Value, color: ColorSample) -> Value {
        let mut covered = self.covers(b, coverage, color.sample);
        for number in 1..color.associated {
            let shift = b.i32(number);
            let sample = Sample { bit: b.shl(color.sample.bit, shift), ..color.sample };
            let also = self.covers(b, coverage, sample);
            covered = b.or(covered, also);
        }
        color.exists.map_or(covered, |exists| b.and(covered, exists))
    }

    /// The modulation factor of a sample of a colour attachment (`VK_NV_framebuffer_mixed_samples`), `f32`.
    /// Meaningful where the sample is covered.
    pub(crate) fn modulation_factor(
        &self,
        b: &mut Builder,
        modulation: CoverageModulation,
        coverage: Value,
        location: usize,
        color: ColorSample,
    ) -> Value {
        let bits = (1..color.associated).fold(color.sample.bit, |bits, number| {
            let shift = b.i32(number);
            let bit = b.shl(color.sample.bit, shift);
            b.or(bits, bit)
        });
        let covered = b.and(coverage, bits);
        let count = b.emit_op(Opcode::PopCount, &[covered]);
        if !modulation.table {
            let ratio = self.key.samples.max(1) / self.key.color_samples(location).max(1);
            let count = b.convert(Opcode::SToF, count, Scalar::F32);
            let share = b.f32(1.0 / ratio.max(1) as f32);
            return b.fmul(count, share);
        }
        // The entry of no sample is anything's: nothing is written there.
        let (one, two, most) = (b.i32(1), b.i32(2), b.i32(u32::from(u16::MAX) >> 12));
        let number = b.isub(count, one);
        let number = b.and(number, most);
        let offset = b.shl(number, two);
        let extra = load_extra(b, self.context);
        let memory = MemoryOp::new(Space::Context).speculatable().at(at::COVERAGE_MODULATION as i32);
        b.load(Scalar::F32, memory, extra, offset, self.always)
    }
}

impl CoverageModulation {
    /// A colour times `factor`, in the components that are modulated.
    pub(crate) fn modulate(self, b: &mut Builder, color: [Value; 4], factor: Value) -> [Value; 4] {
        let mut modulated = color;
        for (index, value) in modulated.iter_mut().enumerate() {
            if if index == 3 { self.alpha } else { self.rgb } {
                *value = b.fmul(*value, factor);
            }
        }
        modulated
    }
}
