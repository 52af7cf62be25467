//! Filtering, resolves, coverage, sRGB and blending of a Vulkan device beside exact fractions.
//!
//! Problem: results of fixed functions that look right may be off by a little everywhere. Approach: random
//! cases whose true results are fractions of 128-bit integers (for sRGB, `f64` of the definition, which is
//! 2^28 times finer); one pixel is one case. *Must not know*: our driver's library.

pub mod device;
pub mod fraction;
pub mod page;

use crate::results::{files, folder};
use ash::vk;
use device::{Draw, Gpu, LEVELS, PIXELS, SIZE, Source, TEXTURE_SIZE, WHOLE};
use fraction::Fraction;
use pyro_random::Random;
use std::fmt::Write;
use std::path::Path;

/// The largest error of a kind of case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// One of [`page::ROWS`].
    pub name: String,
    /// Cases.
    pub count: u64,
    /// In the row's unit.
    pub error: f64,
}

/// What was found on a device.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// The device.
    pub device: String,
    /// Kinds of cases that the device has.
    pub rows: Vec<Row>,
}

impl Results {
    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("device\t{}\n", self.device);
        for row in &self.rows {
            let _ = writeln!(text, "row\t{}\t{}\t{:e}", row.name, row.count, row.error);
        }
        text
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Results, String> {
        let mut results = Results::default();
        for line in text.lines() {
            let wrong = || format!("not a result: {line}");
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[..] {
                ["device", name] => results.device = name.to_owned(),
                ["row", name, count, error] => results.rows.push(Row {
                    name: name.to_owned(),
                    count: count.parse().map_err(|_| wrong())?,
                    error: error.parse().map_err(|_| wrong())?,
                }),
                _ => return Err(wrong()),
            }
        }
        Ok(results)
    }

    /// Those that the repository keeps: our driver's first.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn kept() -> Result<Vec<Results>, String> {
        let own = folder().join("exact/pyroclast.txt");
        let others = files("exact")?.into_iter().filter(|file| *file != own);
        std::iter::once(own.clone()).chain(others).map(|file| Results::read(&file)).collect()
    }

    fn read(path: &Path) -> Result<Results, String> {
        let named = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| named(error.to_string()))?;
        Results::parse(&text).map_err(named)
    }

    /// The error of a kind.
    #[must_use]
    pub fn error(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }
}

/// A fraction of 2^24 between these numbers of steps.
fn random_fraction(random: &mut Random, low: i32, high: i32) -> f32 {
    random.int(low, high) as f32 / (1 << 24) as f32
}

/// So many values in all pixels.
fn values(random: &mut Random, count: usize, mut of: impl FnMut(&mut Random) -> f32) -> Vec<[f32; 4]> {
    (0..count).map(|_| std::array::from_fn(|_| of(random))).collect()
}

/// Numbers of a format's channels, of all pixels.
fn channels(bytes: &[u8], format: vk::Format) -> Vec<[f32; 4]> {
    let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    (0..PIXELS)
        .map(|pixel| {
            std::array::from_fn(|channel| match format {
                vk::Format::R32G32B32A32_SFLOAT => {
                    let at = pixel * 16 + channel * 4;
                    f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
                }
                vk::Format::R16G16B16A16_UNORM => f32::from(word(pixel * 8 + channel * 2)),
                _ => f32::from(bytes[pixel * 4 + channel]),
            })
        })
        .collect()
}

/// How far a float is from the truth, in its units in the last place.
fn float_error(got: f32, want: Fraction) -> f64 {
    if !got.is_finite() {
        return f64::INFINITY;
    }
    let difference = (Fraction::of(got) - want).abs().to_f64();
    let unit = 2f64.powi(want.to_f64().abs().log2().floor().max(-126.0) as i32 - 23);
    if difference == 0.0 { 0.0 } else { difference / unit }
}

/// The encoding of sRGB.
fn encoded(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// The decoding of sRGB.
fn decoded(value: f64) -> f64 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The measurement of a device.
struct Bench {
    gpu: Gpu,
    texels: Vec<[u8; 4]>,
    random: Random,
    rows: Vec<Row>,
    rounds: usize,
}

/// Measures a device, with about so many cases of each kind.
///
/// # Errors
/// Why the device does not run them.
pub fn measure(entry: ash::Entry, cases: usize) -> Result<Results, String> {
    let mut random = Random::new(24);
    let count: u32 = (0..LEVELS).map(|level| (TEXTURE_SIZE >> level).pow(2)).sum();
    let texels: Vec<[u8; 4]> = (0..count).map(|_| std::array::from_fn(|_| random.word() as u8)).collect();
    let all: Vec<[u8; 4]> = (0..=255).map(|value| [value; 4]).collect();
    let gpu = Gpu::open(entry, &texels, &all)?;
    let mut bench = Bench { gpu, texels, random, rows: Vec::new(), rounds: cases.div_ceil(PIXELS).max(1) };
    bench.filtering()?;
    bench.srgb()?;
    bench.conversions()?;
    bench.blending()?;
    for samples in [2, 4, 8, 16] {
        bench.resolves(samples)?;
    }
    for samples in [1, 2, 4, 8, 16] {
        bench.coverage(samples)?;
    }
    Ok(Results { device: bench.gpu.name().to_owned(), rows: bench.rows })
}

impl Bench {
    /// Random cases of a kind: the first ones are the same for any count.
    fn begin(&mut self, name: &str) {
        self.random = Random::new(
            name.bytes().fold(24, |seed, byte| u64::wrapping_add(u64::wrapping_mul(seed, 31), byte.into())),
        );
    }

    fn note(&mut self, name: &str, count: usize, error: f64) {
        let index = self.rows.iter().position(|row| row.name == name).unwrap_or(self.rows.len());
        if index == self.rows.len() {
            self.rows.push(Row { name: name.to_owned(), ..Row::default() });
        }
        self.rows[index].count += count as u64;
        self.rows[index].error = self.rows[index].error.max(error);
    }

    /// A texel of a level, in 255ths.
    fn texel(&self, level: u32, x: i128, y: i128, channel: usize) -> Fraction {
        let first: u32 = (0..level).map(|level| (TEXTURE_SIZE >> level).pow(2)).sum();
        let size = i128::from(TEXTURE_SIZE >> level);
        let index = first as usize + (y.clamp(0, size - 1) * size + x.clamp(0, size - 1)) as usize;
        Fraction::new(self.texels[index][channel].into(), 255)
    }

    /// The bilinear mean of four texels ("Texel Filtering").
    fn bilinear(&self, level: u32, at: [f32; 2], channel: usize) -> Fraction {
        let size = Fraction::new(i128::from(TEXTURE_SIZE >> level), 1);
        let [u, v] = at.map(|at| Fraction::of(at) * size - Fraction::new(1, 2));
        let (x, y) = (u.floor(), v.floor());
        let (a, b) = (u - Fraction::new(x, 1), v - Fraction::new(y, 1));
        let texel = |right: i128, below: i128| self.texel(level, x + right, y + below, channel);
        let row = |below: i128| (Fraction::ONE - a) * texel(0, below) + a * texel(1, below);
        (Fraction::ONE - b) * row(0) + b * row(1)
    }

    fn filtering(&mut self) -> Result<(), String> {
        let format = vk::Format::R32G32B32A32_SFLOAT;
        for (name, has_levels) in [("linear filter", false), ("linear filter between levels", true)] {
            self.begin(name);
            for _ in 0..self.rounds {
                let coordinate =
                    |random: &mut Random| random.int(-1 << 14, 5 << 14) as f32 / (1 << 16) as f32;
                let mut points = values(&mut self.random, PIXELS, coordinate);
                for point in &mut points {
                    let steps = self.random.int(0, (LEVELS as i32 - 1) * 256 + 1);
                    point[2] = if has_levels { steps as f32 / 256.0 } else { (steps / 256) as f32 };
                }
                self.gpu.set_values(0, &points);
                let drawn = self.gpu.draw(format, 1, &[Draw { source: Source::Filtered, ..WHOLE }])?;
                let mut worst = 0_f64;
                for (point, got) in points.iter().zip(channels(&drawn, format)) {
                    let level = point[2] as u32;
                    let part = Fraction::of(point[2]) - Fraction::new(level.into(), 1);
                    for (channel, &got) in got.iter().enumerate() {
                        let at = [point[0], point[1]];
                        let mut want = self.bilinear(level, at, channel);
                        if part != Fraction::ZERO {
                            let other = self.bilinear(level + 1, at, channel);
                            want = (Fraction::ONE - part) * want + part * other;
                        }
                        worst = worst.max((Fraction::of(got) - want).abs().to_f64());
                    }
                }
                self.note(name, 4 * PIXELS, worst);
            }
        }
        Ok(())
    }

    fn srgb(&mut self) -> Result<(), String> {
        let size = TEXTURE_SIZE as f32;
        let points: Vec<[f32; 4]> = (0..PIXELS)
            .map(|pixel| {
                let (x, y) = (pixel as u32 % TEXTURE_SIZE, pixel as u32 / TEXTURE_SIZE % TEXTURE_SIZE);
                [(x as f32 + 0.5) / size, (y as f32 + 0.5) / size, 0.0, 0.0]
            })
            .collect();
        self.gpu.set_values(0, &points);
        let format = vk::Format::R32G32B32A32_SFLOAT;
        let drawn = self.gpu.draw(format, 1, &[Draw { source: Source::Decoded, ..WHOLE }])?;
        for (pixel, got) in channels(&drawn, format).into_iter().enumerate().take(256) {
            let want = decoded(pixel as f64 / 255.0);
            let error = got[..3].iter().map(|&got| pyro_ulp::distance(got, want)).fold(0.0, f64::max);
            self.note("from sRGB", 1, error);
        }
        self.begin("to sRGB of 8 bits");
        for _ in 0..self.rounds {
            let linear =
                values(&mut self.random, PIXELS, |random| random_fraction(random, -1 << 20, 9 << 21));
            self.gpu.set_values(0, &linear);
            let format = vk::Format::R8G8B8A8_SRGB;
            let drawn = self.gpu.draw(format, 1, &[WHOLE])?;
            let mut worst = 0_f64;
            for (linear, got) in linear.iter().zip(channels(&drawn, format)) {
                for channel in 0..3 {
                    let want = encoded(f64::from(linear[channel]).clamp(0.0, 1.0)) * 255.0;
                    worst = worst.max((f64::from(got[channel]) - want).abs());
                }
            }
            self.note("to sRGB of 8 bits", 3 * PIXELS, worst);
        }
        Ok(())
    }

    fn conversions(&mut self) -> Result<(), String> {
        let formats = [
            ("to normalized 8 bits", vk::Format::R8G8B8A8_UNORM, 255),
            ("to normalized 16 bits", vk::Format::R16G16B16A16_UNORM, 65535),
        ];
        for (name, format, scale) in formats {
            self.begin(name);
            for _ in 0..self.rounds {
                let numbers =
                    values(&mut self.random, PIXELS, |random| random_fraction(random, -1 << 20, 9 << 21));
                self.gpu.set_values(0, &numbers);
                let Ok(drawn) = self.gpu.draw(format, 1, &[WHOLE]) else { break };
                let mut worst = 0_f64;
                for (numbers, got) in numbers.iter().zip(channels(&drawn, format)) {
                    for (&number, got) in numbers.iter().zip(got) {
                        let want = Fraction::of(number).clamped() * Fraction::new(scale, 1);
                        worst = worst.max((Fraction::of(got) - want).abs().to_f64());
                    }
                }
                self.note(name, 4 * PIXELS, worst);
            }
        }
        Ok(())
    }

    fn blending(&mut self) -> Result<(), String> {
        let kinds = [
            ("blending of 8 bits", vk::Format::R8G8B8A8_UNORM),
            ("blending of floats", vk::Format::R32G32B32A32_SFLOAT),
        ];
        for (name, format) in kinds {
            let is_float = format == vk::Format::R32G32B32A32_SFLOAT;
            self.begin(name);
            for _ in 0..self.rounds {
                let steps: Vec<[u32; 4]> =
                    (0..PIXELS).map(|_| std::array::from_fn(|_| self.random.below(256_u32))).collect();
                let below: Vec<[f32; 4]> = match is_float {
                    true => values(&mut self.random, PIXELS, |random| random_fraction(random, 0, 1 << 24)),
                    false => steps.iter().map(|steps| steps.map(|step| step as f32 / 255.0)).collect(),
                };
                let above = values(&mut self.random, PIXELS, |random| random_fraction(random, 0, 1 << 24));
                self.gpu.set_values(0, &below);
                self.gpu.set_values(PIXELS, &above);
                let blended = Draw { first_value: PIXELS as u32, blends: true, ..WHOLE };
                let drawn = self.gpu.draw(format, 1, &[WHOLE, blended])?;
                let mut worst = 0_f64;
                for (pixel, got) in channels(&drawn, format).into_iter().enumerate() {
                    let factor = Fraction::of(above[pixel][3]);
                    for channel in 0..4 {
                        let under = match is_float {
                            true => Fraction::of(below[pixel][channel]),
                            false => Fraction::new(steps[pixel][channel].into(), 255),
                        };
                        let over = Fraction::of(above[pixel][channel]);
                        let want = over * factor + under * (Fraction::ONE - factor);
                        worst = worst.max(match is_float {
                            true => float_error(got[channel], want),
                            false => {
                                (Fraction::of(got[channel]) - want * Fraction::new(255, 1)).abs().to_f64()
                            }
                        });
                    }
                }
                self.note(name, 4 * PIXELS, worst);
            }
        }
        Ok(())
    }

    /// Each sample has a value of its own.
    fn resolves(&mut self, samples: u32) -> Result<(), String> {
        let kinds = [
            ("8 bits", vk::Format::R8G8B8A8_UNORM, 255_i32),
            ("floats", vk::Format::R32G32B32A32_SFLOAT, 1 << 24),
        ];
        for (kind, format, scale) in kinds {
            let name = format!("resolve of {samples} samples of {kind}");
            // The buffer has values of eight samples; others have them again, shifted by some pixels.
            let parts = samples.min(8) as usize;
            self.begin(&name);
            for _ in 0..self.rounds {
                let steps: Vec<[i32; 4]> = (0..parts * PIXELS)
                    .map(|_| std::array::from_fn(|_| self.random.int(0, scale + i32::from(scale == 255))))
                    .collect();
                let numbers: Vec<[f32; 4]> =
                    steps.iter().map(|steps| steps.map(|step| step as f32 / scale as f32)).collect();
                self.gpu.set_values(0, &numbers);
                let first = |sample: u32| (sample % 8) * PIXELS as u32;
                let draws: Vec<Draw> = (0..samples)
                    .map(|sample| Draw { first_value: first(sample), sample_mask: 1 << sample, ..WHOLE })
                    .collect();
                let Ok(drawn) = self.gpu.draw(format, samples, &draws) else { break };
                let mut worst = 0_f64;
                for (pixel, got) in channels(&drawn, format).into_iter().enumerate() {
                    for (channel, &got) in got.iter().enumerate() {
                        let sum: i128 = (0..samples)
                            .map(|sample| i128::from(steps[first(sample) as usize + pixel][channel]))
                            .sum();
                        worst = worst.max(match scale {
                            255 => (Fraction::of(got) - Fraction::new(sum, samples.into())).abs().to_f64(),
                            _ => {
                                let count = i128::from(samples) * i128::from(scale);
                                float_error(got, Fraction::new(sum, count))
                            }
                        });
                    }
                }
                self.note(&name, 4 * PIXELS, worst);
            }
        }
        Ok(())
    }

    /// Triangles of one colour: how many samples of each pixel have it. Samples on an edge may or may not.
    fn coverage(&mut self, samples: u32) -> Result<(), String> {
        let name = format!("coverage of {samples} samples");
        let tiles = SIZE / TILE;
        self.begin(&name);
        self.gpu.set_values(0, &vec![[1.0; 4]; PIXELS]);
        for _ in 0..self.rounds {
            // Corners in 256ths of a pixel, of a tile and around it.
            let range = |random: &mut Random| random.int(-4 * 256, (TILE as i32 + 4) * 256);
            let triangles: Vec<[[i32; 2]; 3]> = (0..tiles * tiles)
                .map(|_| std::array::from_fn(|_| [range(&mut self.random), range(&mut self.random)]))
                .collect();
            let corners: Vec<[f32; 2]> = triangles
                .iter()
                .flatten()
                .map(|corner| corner.map(|place| place as f32 / (128.0 * TILE as f32) - 1.0))
                .collect();
            self.gpu.set_corners(3, &corners);
            let draws: Vec<Draw> = (0..tiles * tiles)
                .map(|tile| Draw {
                    first_corner: 3 + 3 * tile,
                    area: [tile % tiles * TILE, tile / tiles * TILE, TILE],
                    ..WHOLE
                })
                .collect();
            let format = vk::Format::R32G32B32A32_SFLOAT;
            let Ok(drawn) = self.gpu.draw(format, samples, &draws) else { break };
            let mut wrong = 0;
            for (pixel, got) in channels(&drawn, format).into_iter().enumerate() {
                let (x, y) = (pixel as u32 % SIZE, pixel as u32 / SIZE);
                let triangle = &triangles[(y / TILE * tiles + x / TILE) as usize];
                let (inside, on_edge) = covered(triangle, [x % TILE, y % TILE], samples);
                let count = (got[0] * samples as f32).round() as u32;
                wrong += inside.saturating_sub(count) + count.saturating_sub(inside + on_edge);
            }
            let before = self.rows.iter().find(|row| row.name == name).map_or(0.0, |row| row.error);
            self.note(&name, PIXELS * samples as usize, before + f64::from(wrong));
        }
        Ok(())
    }
}

/// Pixels of the side of a square that has a triangle.
const TILE: u32 = 16;

/// The standard sample locations in 16ths of a pixel ("Multisampling").
fn locations(samples: u32) -> &'static [[i32; 2]] {
    match samples {
        1 => &[[8, 8]],
        2 => &[[12, 12], [4, 4]],
        4 => &[[6, 2], [14, 6], [2, 10], [10, 14]],
        8 => &[[9, 5], [7, 11], [13, 9], [5, 3], [3, 13], [1, 7], [11, 15], [15, 1]],
        _ => &[
            [9, 9],
            [7, 5],
            [5, 10],
            [12, 7],
            [3, 6],
            [10, 13],
            [13, 11],
            [11, 3],
            [6, 14],
            [8, 1],
            [4, 2],
            [2, 12],
            [0, 8],
            [15, 4],
            [14, 15],
            [1, 0],
        ],
    }
}

/// How many samples of a pixel lie inside a triangle, and how many on an edge of it.
fn covered(triangle: &[[i32; 2]; 3], pixel: [u32; 2], samples: u32) -> (u32, u32) {
    let at =
        |location: &[i32; 2]| [0, 1].map(|axis| i64::from(pixel[axis] as i32 * 256 + location[axis] * 16));
    let side = |from: [i32; 2], to: [i32; 2], [x, y]: [i64; 2]| {
        let [from_x, from_y] = from.map(i64::from);
        let [to_x, to_y] = to.map(i64::from);
        ((to_x - from_x) * (y - from_y) - (to_y - from_y) * (x - from_x)).signum()
    };
    let [a, b, c] = *triangle;
    let area = side(a, b, c.map(i64::from));
    let (mut inside, mut on_edge) = (0, 0);
    for location in locations(samples) {
        let at = at(location);
        let sides = [side(a, b, at) * area, side(b, c, at) * area, side(c, a, at) * area];
        match sides.iter().min() {
            Some(1) => inside += 1,
            Some(0) if area != 0 => on_edge += 1,
            _ => {}
        }
    }
    (inside, on_edge)
}
