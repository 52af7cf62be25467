//! Images in memory, and calls of image functions on them.

use super::{Random, Runnable};
use pyro_abi::image::{ImageOp, record};
use pyro_abi::{ImageRecord, SamplerRecord};
use pyro_image::access::build;
use pyro_image::layout::{ImageLayout, ImageShape};
use pyro_image::texel::host;
use pyro_image::{Aspect, Format, SamplerKey, ViewKey};
use std::collections::BTreeMap;

/// Lanes of all functions here.
pub const LANES: usize = 16;

/// An image with memory of its own.
pub struct TestImage {
    pub layout: ImageLayout,
    pub memory: Vec<u64>,
}

impl TestImage {
    /// Filled with zeros.
    pub fn new(shape: ImageShape) -> TestImage {
        let layout = ImageLayout::new(shape).expect("a possible shape");
        let memory = vec![0; layout.size.div_ceil(8) as usize];
        TestImage { layout, memory }
    }

    /// Filled with what makes texels within [0, 1], or any integers.
    pub fn random(shape: ImageShape, random: &mut Random) -> TestImage {
        let mut image = TestImage::new(shape);
        if shape.format.is_compressed() {
            image.memory.fill_with(|| random.bits());
            return image;
        }
        image.for_each_texel(|format, bytes| {
            for aspect in [Aspect::Color, Aspect::Depth, Aspect::Stencil] {
                if format.has_aspect(aspect) {
                    let values = [(); 4].map(|()| match format.numeric_class(aspect) {
                        pyro_image::NumericClass::Float => u64::from(random.float(0.0, 1.0).to_bits()),
                        _ => random.bits() as u32 as u64,
                    });
                    host::encode(format, aspect, values, bytes);
                }
            }
        });
        image
    }

    /// Calls `f` with each texel's bytes.
    pub fn for_each_texel(&mut self, mut f: impl FnMut(Format, &mut [u8])) {
        let shape = self.layout.shape;
        let size = shape.format.block_bytes() as usize;
        for layer in 0..shape.layers {
            for level in 0..shape.levels {
                let extent = self.layout.levels[level as usize].extent;
                for sample in 0..shape.samples {
                    for at in positions(extent) {
                        let start = self.layout.offset(level, layer, sample, at) as usize;
                        let mut bytes = self.bytes(start, size);
                        f(shape.format, &mut bytes);
                        self.set_bytes(start, &bytes);
                    }
                }
            }
        }
    }

    pub fn bytes(&self, start: usize, count: usize) -> Vec<u8> {
        (start..start + count).map(|at| (self.memory[at / 8] >> (at % 8 * 8)) as u8).collect()
    }

    pub fn set_bytes(&mut self, start: usize, bytes: &[u8]) {
        for (at, &byte) in (start..).zip(bytes) {
            self.memory[at / 8] &= !(0xff << (at % 8 * 8));
            self.memory[at / 8] |= u64::from(byte) << (at % 8 * 8);
        }
    }

    /// A decoded texel.
    pub fn texel(&self, aspect: Aspect, level: u32, layer: u32, sample: u32, at: [u32; 3]) -> [u64; 4] {
        let format = self.layout.shape.format;
        let start = self.layout.offset(level, layer, sample, at) as usize;
        host::decode(format, aspect, &self.bytes(start, format.block_bytes() as usize))
    }

    /// The record of a view of everything.
    pub fn record(&mut self) -> ImageRecord {
        let shape = self.layout.shape;
        let address = self.memory.as_mut_ptr().expose_provenance() as u64;
        self.layout.view(address, (0, shape.levels), (0, shape.layers), false, shape.format)
    }
}

/// All texels of an extent.
pub fn positions([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// Compiled functions.
#[derive(Default)]
pub struct Functions(BTreeMap<String, Runnable>);

impl Functions {
    /// The function for these keys.
    pub fn get(&mut self, view: &ViewKey, sampler: Option<&SamplerKey>, op: ImageOp) -> &Runnable {
        self.0.entry(format!("{view:?} {sampler:?} {op:?}")).or_insert_with(|| {
            let function = build(Some(view), sampler, op, LANES as u32);
            Runnable::new(function.unwrap_or_else(|error| panic!("{error}: {view:?} {sampler:?} {op:?}")))
        })
    }
}

/// One call's record, by columns of 16 lanes.
#[derive(Clone)]
#[repr(C, align(64))]
pub struct CallRecord {
    header: [u64; 8],
    pub columns: [[u32; LANES]; record::COLUMNS as usize],
}

impl Default for CallRecord {
    fn default() -> CallRecord {
        let mut header = [0; 8];
        header[record::ACTIVE_LANES as usize / 8] = 0xffff;
        CallRecord { header, columns: [[0; LANES]; record::COLUMNS as usize] }
    }
}

impl CallRecord {
    /// Sets a column of floats.
    pub fn floats(&mut self, column: u32, values: impl IntoIterator<Item = f32>) {
        for (to, value) in self.columns[column as usize].iter_mut().zip(values) {
            *to = value.to_bits();
        }
    }

    /// Sets a column of integers.
    pub fn ints(&mut self, column: u32, values: impl IntoIterator<Item = u32>) {
        for (to, value) in self.columns[column as usize].iter_mut().zip(values) {
            *to = value;
        }
    }

    /// The active lanes.
    pub fn activate(&mut self, lanes: u64) {
        self.header[record::ACTIVE_LANES as usize / 8] = lanes;
    }

    /// Runs a function.
    pub fn run(&mut self, function: &Runnable, image: &mut ImageRecord, sampler: &mut SamplerRecord) {
        assert_eq!(size_of::<CallRecord>(), (record::bytes(LANES as u32) as usize).next_multiple_of(64));
        self.header[record::IMAGE as usize / 8] = (&raw mut *image).expose_provenance() as u64;
        self.header[record::SAMPLER as usize / 8] = (&raw mut *sampler).expose_provenance() as u64;
        let before = self.clone();
        function.call((&raw mut *self).expose_provenance() as u64);
        if function.writes() {
            return;
        }
        // All executors give the same bits, but for NaN's.
        for level in function.levels() {
            let mut other = before.clone();
            function.call_machine_code(level, (&raw mut other).expose_provenance() as u64);
            for (column, (x, y)) in self.columns.iter().zip(&other.columns).enumerate() {
                for (lane, (&x, &y)) in x.iter().zip(y).enumerate() {
                    let both_nan = f32::from_bits(x).is_nan() && f32::from_bits(y).is_nan();
                    assert!(x == y || both_nan, "{level}: column {column}, lane {lane}: {y:#x}, not {x:#x}");
                }
            }
        }
    }

    /// A lane's four results.
    pub fn result(&self, lane: usize) -> [u32; 4] {
        [0, 1, 2, 3].map(|index| self.columns[record::TEXEL as usize + index][lane])
    }

    /// A lane's four results as floats.
    pub fn result_floats(&self, lane: usize) -> [f32; 4] {
        self.result(lane).map(f32::from_bits)
    }
}

/// A sampler record without clamps.
pub fn sampler_record(border: [u32; 4]) -> SamplerRecord {
    SamplerRecord { max_lod: 1000.0, max_anisotropy: 1.0, border, ..SamplerRecord::default() }
}
