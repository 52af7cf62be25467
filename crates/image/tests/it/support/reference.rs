//! A plain sampler in `f64`, after the formulas of the Vulkan specification, one texel at a time.

use super::image::TestImage;
use pyro_image::{
    AddressMode, Aspect, CompareOp, CubicWeights, Filter, Format, Reduction, SamplerKey, ViewKey, ViewType,
};

/// How near to a decision (a texel's edge, a level's) a coordinate may be before `f32` may decide otherwise.
const MARGIN: f64 = 2e-3;

/// A sampler with its data.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    pub key: SamplerKey,
    pub border: [f32; 4],
    pub bias: f32,
    pub min_lod: f32,
    pub max_lod: f32,
}

/// One sample: `None` when it is too near to a decision.
pub struct Reference<'a> {
    pub image: &'a TestImage,
    pub view: ViewKey,
    pub sampler: Sampler,
    pub dref: Option<f32>,
    pub offset: [i32; 3],
}

type Texel = [f64; 4];

impl Reference<'_> {
    /// The value at coordinates (direction for cubes), layer and level of detail before bias and clamps.
    pub fn sample(&self, at: [f64; 3], layer: f64, lod: f64) -> Option<Texel> {
        let sampler = &self.sampler;
        let lod = lod + f64::from(sampler.bias);
        let lod = lod.max(sampler.min_lod.into()).min(sampler.max_lod.into());
        if sampler.key.unnormalized {
            return self.level(at, layer, 0, sampler.key.mag);
        }
        if sampler.key.mag != sampler.key.min && lod.abs() < MARGIN {
            return None;
        }
        if lod <= 0.0 {
            return self.level(at, layer, 0, sampler.key.mag);
        }
        let last = self.image.layout.shape.levels - 1;
        let lod = lod.min(last.into());
        match sampler.key.mip {
            Filter::Nearest | Filter::Cubic => {
                if (lod - lod.floor() - 0.5).abs() < MARGIN {
                    return None;
                }
                self.level(at, layer, (lod + 0.5).ceil() as u32 - 1, sampler.key.min)
            }
            Filter::Linear => {
                let high = lod.floor() as u32;
                let share = lod - lod.floor();
                let near = self.level(at, layer, high, sampler.key.min)?;
                if share == 0.0 {
                    return Some(near);
                }
                let far = self.level(at, layer, (high + 1).min(last), sampler.key.min)?;
                Some(self.mix(near, far, share))
            }
        }
    }

    fn mix(&self, x: Texel, y: Texel, share: f64) -> Texel {
        std::array::from_fn(|index| match self.sampler.key.reduction {
            _ if share == 0.0 => x[index],
            Reduction::WeightedAverage | Reduction::RangeClamp => x[index] * (1.0 - share) + y[index] * share,
            Reduction::Min => x[index].min(y[index]),
            Reduction::Max => x[index].max(y[index]),
        })
    }

    /// The filtered value of one level.
    pub fn level(&self, at: [f64; 3], layer: f64, level: u32, filter: Filter) -> Option<Texel> {
        let layers = self.image.layout.shape.layers;
        if self.view.view_type.is_cube() {
            let cube = layer.round_ties_even().clamp(0.0, f64::from(layers / 6 - 1)) as u32;
            return self.cube_level(at, cube, level, filter);
        }
        let layer = layer.round_ties_even().clamp(0.0, f64::from(layers - 1)) as u32;
        let extent = self.image.layout.levels[level as usize].extent.map(i64::from);
        let dimensions = self.view.view_type.dimensions();
        let mut low = [0i64; 3];
        let mut share = [0.0; 3];
        for dimension in 0..dimensions {
            let corner = if self.view.corner_sampled { 1.0 } else { 0.0 };
            let size = if self.sampler.key.unnormalized { 1.0 } else { extent[dimension] as f64 - corner };
            let scaled = at[dimension] * size;
            let edge = if filter == Filter::Nearest { scaled } else { scaled - 0.5 } + 0.5 * corner;
            if (edge - edge.round()).abs() < MARGIN {
                // Which side does not matter for an average; for all else it does.
                let is_plain = self.sampler.key.reduction == Reduction::WeightedAverage;
                if filter == Filter::Nearest || !is_plain {
                    return None;
                }
            }
            low[dimension] = edge.floor() as i64 + i64::from(self.offset[dimension]);
            share[dimension] = edge - edge.floor();
            if filter == Filter::Linear && self.has_byte_shares() {
                let fraction = 256.0 * share[dimension];
                if (fraction - fraction.round()).abs() < 0.03 {
                    return None;
                }
                share[dimension] = fraction.floor() / 255.0;
            }
        }
        let texel = |index: [i64; 3]| self.wrapped(index, extent, dimensions, level, layer);
        if filter == Filter::Nearest {
            return Some(texel(low));
        }
        if filter == Filter::Cubic {
            return Some(self.cubic(low, share, dimensions, texel));
        }
        let mut texels: Vec<Texel> = (0..1 << dimensions)
            .map(|tap: i64| {
                texel(std::array::from_fn(|d| low[d] + if d < dimensions { tap >> d & 1 } else { 0 }))
            })
            .collect();
        for &share in &share[..dimensions] {
            texels = texels.chunks(2).map(|pair| self.mix(pair[0], pair[1], share)).collect();
        }
        Some(texels[0])
    }

    /// Weights of cubic filters, by the usual functions of the distance to a texel (cubic convolution for the
    /// cardinal splines, and Mitchell and Netravali's family for the others).
    fn cubic_weight(&self, distance: f64) -> f64 {
        let x = distance.abs();
        let cardinal = |tension: f64| match x {
            x if x < 1.0 => (2.0 - tension) * x.powi(3) + (tension - 3.0) * x * x + 1.0,
            x if x < 2.0 => tension * (-x.powi(3) + 5.0 * x * x - 8.0 * x + 4.0),
            _ => 0.0,
        };
        let family = |b: f64, c: f64| match x {
            x if x < 1.0 => {
                ((12.0 - 9.0 * b - 6.0 * c) * x.powi(3) + (12.0 * b + 6.0 * c - 18.0) * x * x + 6.0 - 2.0 * b)
                    / 6.0
            }
            x if x < 2.0 => {
                let line = (-12.0 * b - 48.0 * c) * x + 8.0 * b + 24.0 * c;
                ((-b - 6.0 * c) * x.powi(3) + (6.0 * b + 30.0 * c) * x * x + line) / 6.0
            }
            _ => 0.0,
        };
        match self.sampler.key.cubic_weights {
            CubicWeights::CatmullRom => cardinal(0.5),
            CubicWeights::ZeroTangentCardinal => cardinal(1.0),
            CubicWeights::BSpline => family(1.0, 0.0),
            CubicWeights::MitchellNetravali => family(1.0 / 3.0, 1.0 / 3.0),
        }
    }

    /// Four texels in each dimension, the second of which is at `low`.
    fn cubic(
        &self,
        low: [i64; 3],
        fraction: [f64; 3],
        dimensions: usize,
        texel: impl Fn([i64; 3]) -> Texel,
    ) -> Texel {
        let mut sum = [0.0; 4];
        let (mut least, mut most) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for tap in 0..4_i64.pow(dimensions as u32) {
            let place = |d: usize| if d < dimensions { (tap >> (2 * d) & 3) - 1 } else { 0 };
            let value = texel(std::array::from_fn(|d| low[d] + place(d)));
            let weight: f64 =
                (0..dimensions).map(|d| self.cubic_weight(place(d) as f64 - fraction[d])).product();
            for component in 0..4 {
                sum[component] += weight * value[component];
                least[component] = least[component].min(value[component]);
                most[component] = most[component].max(value[component]);
            }
        }
        match self.sampler.key.reduction {
            Reduction::WeightedAverage => sum,
            Reduction::Min => least,
            Reduction::Max => most,
            Reduction::RangeClamp => std::array::from_fn(|i| sum[i].clamp(least[i], most[i])),
        }
    }

    /// Whether shares in linear filters have eight bits, as the filter in integers has them.
    fn has_byte_shares(&self) -> bool {
        let key = &self.sampler.key;
        self.view.format == Format::R8G8B8A8_UNORM
            && matches!(self.view.view_type, ViewType::D2 | ViewType::D2Array)
            && [key.mag, key.min] == [Filter::Linear; 2]
            && key.reduction == Reduction::WeightedAverage
            && self.dref.is_none()
            && !key.unnormalized
            && !key.address[..2].contains(&AddressMode::ClampToBorder)
    }

    fn wrapped(&self, index: [i64; 3], extent: [i64; 3], dimensions: usize, level: u32, layer: u32) -> Texel {
        let mut inside = [0u32; 3];
        for dimension in 0..dimensions {
            let (i, size) = (index[dimension], extent[dimension]);
            let mirror = |n: i64| if n >= 0 { n } else { -(1 + n) };
            let wrapped = match self.sampler.key.address[dimension] {
                AddressMode::Repeat => i.rem_euclid(size),
                AddressMode::MirroredRepeat => (size - 1) - mirror(i.rem_euclid(2 * size) - size),
                AddressMode::ClampToEdge => i.clamp(0, size - 1),
                AddressMode::MirrorClampToEdge => mirror(i).clamp(0, size - 1),
                AddressMode::ClampToBorder if (0..size).contains(&i) => i,
                AddressMode::ClampToBorder => return self.compared(self.border()),
            };
            inside[dimension] = wrapped as u32;
        }
        self.fetch(level, layer, inside)
    }

    fn border(&self) -> Texel {
        let mut border = self.sampler.border.map(f64::from);
        if self.view.aspect == Aspect::Depth || self.view.format == Format::R32_SFLOAT {
            border = [border[0], 0.0, 0.0, 1.0];
        }
        border
    }

    fn fetch(&self, level: u32, layer: u32, at: [u32; 3]) -> Texel {
        let texel = self.image.texel(self.view.aspect, level, layer, 0, at);
        self.compared(texel.map(|bits| f64::from(f32::from_bits(bits as u32))))
    }

    fn compared(&self, texel: Texel) -> Texel {
        let (Some(dref), Some(op)) = (self.dref, self.sampler.key.compare) else { return texel };
        let dref = if self.view.format.is_fixed_point_depth() { dref.clamp(0.0, 1.0) } else { dref };
        let (dref, value) = (f64::from(dref), texel[0]);
        let passes = match op {
            CompareOp::Never => false,
            CompareOp::Less => dref < value,
            CompareOp::Equal => dref == value,
            CompareOp::LessOrEqual => dref <= value,
            CompareOp::Greater => dref > value,
            CompareOp::NotEqual => dref != value,
            CompareOp::GreaterOrEqual => dref >= value,
            CompareOp::Always => true,
        };
        [if passes { 1.0 } else { 0.0 }, 0.0, 0.0, 0.0]
    }

    fn cube_level(&self, direction: [f64; 3], cube: u32, level: u32, filter: Filter) -> Option<Texel> {
        let (face, s, t, gap) = face_of(direction);
        if gap < 1e-4 {
            return None;
        }
        let size = f64::from(self.image.layout.levels[level as usize].extent[0]);
        let (u, v) = (s * size, t * size);
        if filter == Filter::Nearest {
            if (u - u.round()).abs() < MARGIN || (v - v.round()).abs() < MARGIN {
                return None;
            }
            return Some(self.fetch(level, cube * 6 + face, [u as u32, v as u32, 0]));
        }
        let (i, j) = ((u - 0.5).floor(), (v - 0.5).floor());
        let taps: Vec<Option<Texel>> = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
            .into_iter()
            .map(|(x, y)| self.cube_texel(cube, face, i + x, j + y, size, level))
            .collect();
        let known: Vec<Texel> = taps.iter().flatten().copied().collect();
        let average: Texel = std::array::from_fn(|index| {
            known.iter().map(|texel| texel[index]).sum::<f64>() / known.len() as f64
        });
        let taps: Vec<Texel> = taps.into_iter().map(|tap| tap.unwrap_or(average)).collect();
        let (a, b) = (u - 0.5 - i, v - 0.5 - j);
        Some(self.mix(self.mix(taps[0], taps[1], a), self.mix(taps[2], taps[3], a), b))
    }

    /// A texel of a face or beyond one edge of it; none beyond two.
    fn cube_texel(&self, cube: u32, face: u32, i: f64, j: f64, size: f64, level: u32) -> Option<Texel> {
        let out = |index: f64| index < 0.0 || index >= size;
        if out(i) && out(j) {
            return None;
        }
        // The texel's centre in space, projected anew: on the neighbour it lies within the texel at the edge.
        let (sc, tc) = (2.0 * (i + 0.5) / size - 1.0, 2.0 * (j + 0.5) / size - 1.0);
        let direction = match face {
            0 => [1.0, -tc, -sc],
            1 => [-1.0, -tc, sc],
            2 => [sc, 1.0, tc],
            3 => [sc, -1.0, -tc],
            4 => [sc, -tc, 1.0],
            _ => [-sc, -tc, -1.0],
        };
        let (face, s, t, _) = face_of(direction);
        let index = |x: f64| (x * size).floor().clamp(0.0, size - 1.0) as u32;
        Some(self.fetch(level, cube * 6 + face, [index(s), index(t), 0]))
    }
}

/// Face, coordinates, and how far the direction is from having two major axes.
pub fn face_of([x, y, z]: [f64; 3]) -> (u32, f64, f64, f64) {
    let [ax, ay, az] = [x, y, z].map(f64::abs);
    let (face, sc, tc, ma) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    let mut sizes = [ax, ay, az];
    sizes.sort_by(f64::total_cmp);
    (face, 0.5 * sc / ma + 0.5, 0.5 * tc / ma + 0.5, (sizes[2] - sizes[1]) / sizes[2])
}
