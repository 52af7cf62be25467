//! The texels that an operation through a sampler reads.
//!
//! # Approach
//! A shader tells the operands that it gives to the image function ([`sampling`]); this computes as that
//! function does (`pyro_image`'s `access`), operation by operation, so that level and texels are the same
//! ones.
//!
//! # Invariants
//! * What does not count for the result is not a read: texels with a weight of nothing, the border.
//! * Where it is not certain which texels are read, none is told: NaN, conversions of Y'CbCr, records that no
//!   view has.
//! * Texels may lie outside of the image where a fetch does.
//! * Of a cube's filter at an edge, only the texels of the face count.

use crate::report::Record;
use pyro_abi::Memory;
use pyro_abi::image::{image_offset as field, level_extent, processing};
use pyro_abi::report::{declaration, sampling};
use pyro_image::{AddressMode, Filter, SamplerKey};

/// `maxSamplerLodBias`, as image functions have it.
const LOD_BIAS_MAX: f32 = 16.0;
/// `maxSamplerAnisotropy`.
const ANISOTROPY_MAX: f32 = 16.0;
/// Beyond this many texels from zero all coordinates are alike.
const FAR: f32 = 4_000_000.0;

/// A texel: x, y, z, layer, level.
pub(crate) type Texel = [u32; 5];

/// An image as its record says.
struct Image {
    memory: Memory,
    record: u64,
    /// [`declaration`] of its view.
    declared: u32,
}

impl Image {
    fn word(&self, byte: u32) -> u32 {
        self.memory.load(self.record + u64::from(byte))
    }

    fn float(&self, byte: u32) -> f32 {
        f32::from_bits(self.word(byte))
    }

    fn is_cube(&self) -> bool {
        self.declared & declaration::DIMENSIONS == declaration::CUBE
    }

    /// Texel coordinates of a layer; none where it has no texels to sample.
    fn dimensions(&self) -> Option<usize> {
        match self.declared & declaration::DIMENSIONS {
            declaration::D1 => Some(1),
            declaration::D2 | declaration::CUBE => Some(2),
            declaration::D3 => Some(3),
            _ => None,
        }
    }

    fn extent(&self, dimension: usize, level: u32) -> u32 {
        let first = self.word([field::WIDTH, field::HEIGHT, field::DEPTH][dimension]);
        level_extent(first, level, self.is_corner_sampled())
    }

    fn is_corner_sampled(&self) -> bool {
        self.word(field::WEIGHTS) >> processing::CORNER_SAMPLED & 1 != 0
    }

    /// What normalized coordinates are fractions of: texels, or the cells of a corner-sampled image.
    fn scale(&self, dimension: usize, level: u32) -> f32 {
        let texels = self.extent(dimension, level);
        (texels - u32::from(self.is_corner_sampled())) as f32
    }

    fn levels(&self) -> u32 {
        self.word(field::LEVELS).max(1)
    }
}

/// What an operation is given.
struct Operands {
    bits: u32,
    coordinates: [f32; 4],
    level: f32,
    changes: [[f32; 3]; 2],
    offsets: [i32; 3],
    least_lod: f32,
}

impl Operands {
    /// Those of a lane: the last columns of a report.
    fn read(record: &Record, lane: u32, bits: u32) -> Operands {
        let end =
            record.sites.id_columns() + record.site().values.iter().map(|value| value.columns()).sum::<u32>();
        let start = end - sampling::COLUMNS.min(end);
        let word = |column: u32| record.word(start + column, lane);
        let float = |column: u32| f32::from_bits(word(column));
        let three = |first: u32| std::array::from_fn(|index| float(first + index as u32));
        Operands {
            bits,
            coordinates: std::array::from_fn(|index| float(sampling::COORDINATE + index as u32)),
            level: float(sampling::LEVEL),
            changes: [three(sampling::DX), three(sampling::DY)],
            offsets: std::array::from_fn(|index| word(sampling::TEXEL_OFFSET + index as u32) as i32),
            least_lod: float(sampling::LEAST_LOD),
        }
    }

    fn has(&self, bit: u32) -> bool {
        self.bits & bit != 0
    }
}

/// What is known of a sampler.
struct Sampler {
    memory: Memory,
    record: u64,
    key: SamplerKey,
}

impl Sampler {
    fn float(&self, byte: u32) -> f32 {
        f32::from_bits(self.memory.load(self.record + u64::from(byte)))
    }
}

/// Visits the texels that a lane's operation reads, with the records and operands that it has. False where it
/// is not known which they are.
pub(crate) fn visit(
    record: &Record,
    lane: u32,
    ((image, declared), (sampler, key)): ((u64, u32), (u64, SamplerKey)),
    bits: u32,
    each: &mut dyn FnMut(Texel),
) -> bool {
    let memory = record.memory();
    let image = Image { memory, record: image, declared };
    let key = effective(&image, key);
    let sampler = Sampler { memory, record: sampler, key };
    let operands = Operands::read(record, lane, bits);
    if operands.has(sampling::FETCH) {
        let [x, y, z, layer] = operands.coordinates.map(f32::to_bits);
        each([x, y, z, layer, operands.level.to_bits()]);
        return true;
    }
    sampled(&image, &sampler, &operands, each).is_some()
}

/// The sampler's state as it holds for a view.
fn effective(image: &Image, mut key: SamplerKey) -> SamplerKey {
    if image.declared & declaration::ANY_CLASS != declaration::FLOAT {
        // Integers have no linear filter.
        (key.mag, key.min, key.mip) = (Filter::Nearest, Filter::Nearest, Filter::Nearest);
        key.anisotropic = false;
    }
    if image.is_corner_sampled() {
        key.address = [AddressMode::ClampToEdge; 3];
    }
    if key.unnormalized {
        (key.mip, key.anisotropic) = (Filter::Nearest, false);
        for mode in &mut key.address {
            if *mode != AddressMode::ClampToBorder {
                *mode = AddressMode::ClampToEdge;
            }
        }
    }
    key
}

fn sampled(image: &Image, sampler: &Sampler, operands: &Operands, each: &mut dyn FnMut(Texel)) -> Option<()> {
    let dimensions = image.dimensions()?;
    let key = &sampler.key;
    let count = if image.is_cube() { 3 } else { dimensions };
    let coordinates = &operands.coordinates[..count];
    if coordinates.iter().any(|coordinate| coordinate.is_nan()) {
        return None;
    }
    let layer = layer(image, operands, count)?;
    let at = |place: &[f32]| project(image, place, layer);
    let mut filtered = |at: &Projected, level: u32, filter: Filter| {
        let filter = if filter == Filter::Cubic && image.is_cube() { Filter::Linear } else { filter };
        taps(image, key, at, level, filter, operands, each)
    };
    if operands.has(sampling::GATHER) {
        let level = match operands.bits & sampling::LOD {
            sampling::FIRST => 0,
            _ if image.levels() == 1 || key.unnormalized => 0,
            _ => {
                let lod = footprint(image, sampler, operands, coordinates)?.lod;
                levels(image, lod, Filter::Nearest).0
            }
        };
        if image.float(field::LOD_MIN) > 0.0 {
            // The view may rule the level out.
            return None;
        }
        return filtered(&at(coordinates), level, Filter::Linear);
    }
    let plain = !key.anisotropic && key.mag == key.min && image.levels() == 1;
    if plain || key.unnormalized {
        return filtered(&at(coordinates), 0, key.mag);
    }
    let Footprint { lod, anisotropy } = footprint(image, sampler, operands, coordinates)?;
    let mut on_levels = |at: &Projected| {
        if key.mag != key.min && lod <= 0.0 {
            return filtered(at, 0, key.mag);
        }
        if image.levels() == 1 {
            return filtered(at, 0, key.min);
        }
        let (level, share) = levels(image, lod, key.mip);
        filtered(at, level, key.min)?;
        if share > 0.0 { filtered(at, (level + 1).min(image.levels() - 1), key.min) } else { Some(()) }
    };
    let Some((number, axis)) = anisotropy.filter(|&(number, _)| number > 1.0) else {
        return on_levels(&at(coordinates));
    };
    let step = 1.0 / (number + 1.0);
    let mut sample = 1.0;
    while sample <= number {
        let along = sample * step - 0.5;
        let moved: Vec<f32> =
            coordinates.iter().zip(axis).map(|(&coordinate, axis)| axis.mul_add(along, coordinate)).collect();
        if moved.iter().any(|coordinate| coordinate.is_nan()) {
            return None;
        }
        on_levels(&at(&moved))?;
        sample += 1.0;
    }
    Some(())
}

/// The array layer, of cubes that of the first face; zero for images without layers.
fn layer(image: &Image, operands: &Operands, count: usize) -> Option<u32> {
    if image.declared & declaration::ARRAYED == 0 {
        return Some(0);
    }
    let layer = operands.coordinates[count.min(3)];
    if layer.is_nan() {
        return None;
    }
    let faces = if image.is_cube() { 6 } else { 1 };
    let last = (image.word(field::LAYERS) / faces).max(1) - 1;
    Some((layer.round_ties_even() as i32).clamp(0, last as i32) as u32 * faces)
}

/// A place on a layer.
struct Projected {
    coordinates: [f32; 3],
    layer: u32,
}

/// How a direction is projected onto a cube: the major axis, whether it is negative, and the quotients.
struct Projection {
    major: usize,
    is_negative: bool,
    quotients: [f32; 3],
}

impl Projection {
    fn of([x, y, z]: [f32; 3]) -> Projection {
        let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
        // Of equal ones z goes before y, and y before x.
        let major = if ax.max(ay) <= az { 2 } else { usize::from(ax <= ay) };
        let mut projection = Projection { major, is_negative: [x, y, z][major] < 0.0, quotients: [0.0; 3] };
        let [sc, tc, ma] = projection.transform([x, y, z]);
        projection.quotients = [sc / ma, tc / ma, 1.0 / ma];
        projection
    }

    fn transform(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        match (self.major, self.is_negative) {
            (2, false) => [x, -y, z],
            (2, true) => [-x, -y, -z],
            (1, false) => [x, z, y],
            (1, true) => [x, -z, -y],
            (_, false) => [-z, -y, x],
            (_, true) => [z, -y, -x],
        }
    }
}

fn project(image: &Image, coordinates: &[f32], layer: u32) -> Projected {
    if let (true, &[x, y, z]) = (image.is_cube(), coordinates) {
        let projection = Projection::of([x, y, z]);
        let [s, t, _] = projection.quotients.map(|quotient| quotient.mul_add(0.5, 0.5));
        let face = 2 * projection.major as u32 + u32::from(projection.is_negative);
        return Projected { coordinates: [s, t, 0.0], layer: layer + face };
    }
    let at = |index: usize| coordinates.get(index).copied().unwrap_or(0.0);
    Projected { coordinates: [at(0), at(1), at(2)], layer }
}

/// The level of detail, and how many samples are taken along which axis.
struct Footprint {
    lod: f32,
    anisotropy: Option<(f32, [f32; 3])>,
}

fn footprint(
    image: &Image,
    sampler: &Sampler,
    operands: &Operands,
    coordinates: &[f32],
) -> Option<Footprint> {
    let key = &sampler.key;
    let mut anisotropy = None;
    let mut bias = sampler.float(field::SAMPLER_LOD_BIAS);
    if operands.bits & sampling::LOD == sampling::BIASED {
        bias += operands.level;
    }
    let bias = bias.clamp_to(-LOD_BIAS_MAX, LOD_BIAS_MAX);
    let unclamped = if operands.bits & sampling::LOD == sampling::EXPLICIT {
        operands.level + bias
    } else {
        let square = extent(image, sampler, operands, coordinates, &mut anisotropy);
        half_log2(square, bias)
    };
    if unclamped.is_nan() || anisotropy.is_some_and(|(number, _): (f32, _)| number.is_nan()) {
        return None;
    }
    let mut least = sampler.float(field::SAMPLER_MIN_LOD).max(image.float(field::LOD_MIN));
    if operands.has(sampling::LEAST) {
        if operands.least_lod.is_nan() {
            return None;
        }
        least = least.max(operands.least_lod);
    }
    let mut most = sampler.float(field::SAMPLER_MAX_LOD);
    if key.mag == key.min && !operands.has(sampling::LEAST) {
        most = clamp_to_view(image, most);
        least = least.clamp_to(0.0, most);
    }
    Some(Footprint { lod: unclamped.max(least).min(most), anisotropy })
}

/// As image functions clamp, whatever the order of the bounds.
trait ClampTo {
    fn clamp_to(self, low: f32, high: f32) -> f32;
}

impl ClampTo for f32 {
    fn clamp_to(self, low: f32, high: f32) -> f32 {
        self.max(low).min(high)
    }
}

/// The square of the extent in texels, and the samples of an anisotropic filter.
fn extent(
    image: &Image,
    sampler: &Sampler,
    operands: &Operands,
    coordinates: &[f32],
    anisotropy: &mut Option<(f32, [f32; 3])>,
) -> f32 {
    let squares = operands.changes.map(|change| {
        let on_image: Vec<f32> = match (image.is_cube(), coordinates) {
            (true, &[x, y, z]) => {
                let projection = Projection::of([x, y, z]);
                let [dsc, dtc, dma] = projection.transform(change);
                let [s, t, inverse] = projection.quotients;
                [(dsc, s), (dtc, t)].map(|(d, q)| (-q).mul_add(dma, d) * (0.5 * inverse)).to_vec()
            }
            _ => change[..coordinates.len().min(3)].to_vec(),
        };
        let texels =
            on_image.iter().enumerate().map(|(dimension, change)| change * image.scale(dimension, 0));
        texels.fold(None, |sum: Option<f32>, texels| {
            Some(sum.map_or_else(|| texels * texels, |sum| texels.mul_add(texels, sum)))
        })
    });
    let [x, y] = squares.map(|square| square.unwrap_or(0.0));
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let greatest = x.max(y);
    if !sampler.key.anisotropic {
        return greatest;
    }
    let least = x.min(y);
    let most = sampler.float(field::SAMPLER_MAX_ANISOTROPY).min(ANISOTROPY_MAX);
    let ratio = if least < greatest { (greatest / least).sqrt().min(most) } else { 1.0 };
    let ratio = ratio.max(1.0);
    let number = (ratio - 1.0 / 128.0).ceil().max(1.0);
    *anisotropy = Some((number, if y < x { operands.changes[0] } else { operands.changes[1] }));
    greatest / (ratio * ratio)
}

/// The binary logarithm of the square root of a number, plus a bias, as image functions approximate it.
fn half_log2(square: f32, bias: f32) -> f32 {
    if square.is_nan() || bias.is_nan() {
        return f32::NAN;
    }
    let bits = square.max(0.0).to_bits();
    let line = (bits as i32 as f32).mul_add(0.5 / (1 << 23) as f32, bias + -0.5 * 127.0);
    let t = f32::from_bits(bits & 0x7f_ffff | 0x3f80_0000) - 1.0;
    let square = t * t;
    let product = t - square;
    let [cubic, quadratic, linear, constant] =
        [-0.045_148_924, 0.148_426_46, -0.267_179_3, 0.441_917_03].map(|value: f32| 0.5 * value);
    let high = t.mul_add(cubic, quadratic);
    let low = t.mul_add(linear, constant);
    product.mul_add(high.mul_add(square, low), line)
}

fn clamp_to_view(image: &Image, lod: f32) -> f32 {
    lod.clamp_to(0.0, (image.levels() - 1) as f32)
}

/// The level that a level of detail takes, and the share of the next.
fn levels(image: &Image, lod: f32, mip: Filter) -> (u32, f32) {
    let lod = clamp_to_view(image, lod);
    match mip {
        Filter::Nearest | Filter::Cubic => (((lod + 0.5).ceil() - 1.0).max(0.0) as u32, 0.0),
        Filter::Linear => (lod.floor() as u32, lod - lod.floor()),
    }
}

/// The texels of a level that a filter takes.
fn taps(
    image: &Image,
    key: &SamplerKey,
    at: &Projected,
    level: u32,
    filter: Filter,
    operands: &Operands,
    each: &mut dyn FnMut(Texel),
) -> Option<()> {
    let gathers = operands.has(sampling::GATHER);
    let seamless = image.is_cube() && !key.non_seamless_cube;
    let mut axes = [vec![0], vec![0], vec![0]];
    for (dimension, axis) in axes.iter_mut().enumerate().take(image.dimensions()?) {
        let mode = match (seamless, filter) {
            // Texels beyond the face are the neighbour's.
            (true, Filter::Linear) => AddressMode::ClampToBorder,
            (true, _) => AddressMode::ClampToEdge,
            _ => key.address[dimension],
        };
        let has_offset = operands.has(sampling::OFFSET) && !image.is_cube();
        let offset = if has_offset { operands.offsets[dimension] } else { 0 };
        let is_one = operands.has(sampling::ONE);
        let scale = image.scale(dimension, level);
        let (unnormalized, at_corners) = (key.unnormalized, image.is_corner_sampled());
        let rule = Rule { mode, filter, unnormalized, scale, at_corners, gathers, is_one, offset };
        *axis = rule.indices(at.coordinates[dimension], image.extent(dimension, level), key);
    }
    let [xs, ys, zs] = &axes;
    for &z in zs {
        for &y in ys {
            for &x in xs {
                each([x, y, z, at.layer, level]);
            }
        }
    }
    Some(())
}

/// How a dimension's coordinates become indices.
struct Rule {
    mode: AddressMode,
    filter: Filter,
    unnormalized: bool,
    /// What normalized coordinates are fractions of.
    scale: f32,
    /// Centres have integral coordinates.
    at_corners: bool,
    gathers: bool,
    /// Only the lower texel counts.
    is_one: bool,
    offset: i32,
}

impl Rule {
    /// The texels of a dimension that count.
    fn indices(&self, coordinate: f32, extent: u32, key: &SamplerKey) -> Vec<u32> {
        let scaled = self.scaled(coordinate);
        let extent = i64::from(extent);
        if self.filter == Filter::Nearest {
            let low = (scaled.floor() as i64).saturating_add(self.offset.into());
            let low =
                if self.mode == AddressMode::Repeat && self.offset == 0 { low.min(extent - 1) } else { low };
            return self.wrapped(low, extent).into_iter().collect();
        }
        let centred = scaled - 0.5;
        let low = centred.floor();
        let weight = centred - low;
        let low = (low as i64).saturating_add(self.offset.into());
        let counts = |tap: usize| match self.filter {
            _ if self.gathers => tap == 0 || !self.is_one,
            Filter::Cubic => weight != 0.0 || key.cubic_weights.polynomials()[tap][0] != 0.0,
            _ => weight != 0.0 || tap == 0,
        };
        let (first, count) = if self.filter == Filter::Cubic { (low - 1, 4) } else { (low, 2) };
        let taps = (0..count).filter(|&tap| counts(tap));
        let mut indices: Vec<u32> = taps.filter_map(|tap| self.wrapped(first + tap as i64, extent)).collect();
        indices.dedup();
        indices
    }

    fn scaled(&self, coordinate: f32) -> f32 {
        let size = self.scale;
        if self.at_corners {
            let scaled = if self.unnormalized { coordinate + 0.5 } else { coordinate.mul_add(size, 0.5) };
            return scaled.clamp_to(-FAR, FAR);
        }
        if self.unnormalized {
            return coordinate.clamp_to(-FAR, FAR);
        }
        match self.mode {
            AddressMode::Repeat => (coordinate - coordinate.floor()).max(0.0) * size,
            AddressMode::MirroredRepeat => {
                let periods = coordinate * 0.5;
                let fraction = (periods - periods.floor()).max(0.0);
                (fraction + fraction) * size
            }
            _ => (coordinate * size).clamp_to(-FAR, FAR),
        }
    }

    /// An index in range; none on the border.
    fn wrapped(&self, index: i64, extent: i64) -> Option<u32> {
        let last = extent - 1;
        let index = match self.mode {
            AddressMode::Repeat => index.rem_euclid(extent),
            AddressMode::MirroredRepeat => {
                let index = index.rem_euclid(2 * extent);
                index.min(2 * extent - 1 - index)
            }
            AddressMode::ClampToEdge => index.clamp(0, last),
            AddressMode::ClampToBorder => return (0..extent).contains(&index).then_some(index as u32),
            AddressMode::MirrorClampToEdge => (if index < 0 { !index } else { index }).min(last),
        };
        Some(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        mode: AddressMode::ClampToEdge,
        filter: Filter::Linear,
        unnormalized: false,
        scale: 8.0,
        at_corners: false,
        gathers: false,
        is_one: false,
        offset: 0,
    };

    fn indices(mode: AddressMode, filter: Filter, coordinate: f32, offset: i32, gathers: bool) -> Vec<u32> {
        let rule = Rule { mode, filter, gathers, offset, ..RULE };
        rule.indices(coordinate, 8, &SamplerKey::default())
    }

    /// Of eight texels at the corners of seven cells.
    #[test]
    fn texels_at_corners() {
        let indices = |filter, unnormalized, coordinate: f32| {
            let rule = Rule { filter, unnormalized, scale: 7.0, at_corners: true, ..RULE };
            rule.indices(coordinate, 8, &SamplerKey::default())
        };
        assert_eq!(indices(Filter::Linear, false, 3.0 / 7.0), [3], "a weight of nothing");
        assert_eq!(indices(Filter::Linear, false, 3.5 / 7.0), [3, 4]);
        assert_eq!(indices(Filter::Linear, false, 9.0), [7]);
        assert_eq!(indices(Filter::Nearest, false, 3.6 / 7.0), [4]);
        assert_eq!(indices(Filter::Nearest, true, 3.4), [3]);
    }

    #[test]
    fn texels_of_a_dimension() {
        use AddressMode as A;
        use Filter::{Cubic, Linear, Nearest};
        assert_eq!(indices(A::Repeat, Nearest, 0.99, 0, false), [7]);
        assert_eq!(indices(A::Repeat, Nearest, 1.01, 0, false), [0]);
        assert_eq!(indices(A::Repeat, Nearest, -0.01, 2, false), [1]);
        assert_eq!(indices(A::Repeat, Linear, 0.0, 0, false), [7, 0]);
        assert_eq!(indices(A::ClampToEdge, Linear, 0.0, 0, false), [0]);
        assert_eq!(indices(A::ClampToEdge, Linear, 0.5, 0, false), [3, 4]);
        assert_eq!(indices(A::ClampToEdge, Linear, 3.5 / 8.0, 0, false), [3], "a weight of nothing");
        assert_eq!(indices(A::ClampToEdge, Linear, 3.5 / 8.0, 0, true), [3, 4], "a gather takes both");
        assert_eq!(indices(A::ClampToBorder, Linear, 0.0, 0, false), [0], "the border is no texel");
        assert_eq!(indices(A::ClampToBorder, Nearest, 1.5, 0, false), []);
        assert_eq!(indices(A::MirroredRepeat, Nearest, 1.01, 0, false), [7]);
        assert_eq!(indices(A::MirrorClampToEdge, Nearest, -0.01, 0, false), [0]);
        assert_eq!(indices(A::ClampToEdge, Cubic, 0.5, 0, false), [2, 3, 4, 5]);
        assert_eq!(indices(A::ClampToEdge, Cubic, 3.5 / 8.0, 0, false), [3]);
        for far in [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::NAN] {
            for mode in [A::Repeat, A::MirroredRepeat, A::ClampToEdge, A::MirrorClampToEdge] {
                let found = indices(mode, Linear, far, i32::MAX, true);
                assert!(found.iter().all(|&index| index < 8), "{far}, {mode:?}: {found:?}");
            }
        }
    }

    #[test]
    fn levels_of_extents_in_texels() {
        for (texels, level) in [(1.0, 0.0), (2.0, 1.0), (4.0, 2.0), (16.0, 4.0)] {
            assert_eq!(half_log2(texels * texels, 0.0), level, "{texels}");
        }
        assert!((half_log2(9.0, 0.0) - 3f32.log2()).abs() < 1e-4);
        assert!(half_log2(0.0, 0.0) < -60.0 && half_log2(f32::NAN, 0.0).is_nan());
    }

    #[test]
    fn directions_lead_to_faces() {
        for (direction, face, at) in [
            ([2.0, 0.0, 0.0], 0, [0.5, 0.5]),
            ([-2.0, 0.0, 1.0], 1, [0.75, 0.5]),
            ([0.0, 4.0, 0.0], 2, [0.5, 0.5]),
            ([1.0, -4.0, 0.0], 3, [0.625, 0.5]),
            ([1.0, 1.0, 1.0], 4, [1.0, 0.0]),
            ([0.0, 0.0, -1.0], 5, [0.5, 0.5]),
        ] {
            let projection = Projection::of(direction);
            assert_eq!(2 * projection.major + usize::from(projection.is_negative), face, "{direction:?}");
            let [s, t, _] = projection.quotients;
            assert_eq!([s.mul_add(0.5, 0.5), t.mul_add(0.5, 0.5)], at, "{direction:?}");
        }
    }
}
