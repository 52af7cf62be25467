//! Level of detail (Vulkan, "Scale Factor Operation", "Level-of-Detail Operation", "Image Level(s)
//! Selection").

use super::sample::Sampling;
use super::{Access, Level, cube, small_integer};
use crate::key::Filter;
use pyro_abi::image::{LodMode, image_offset as field, record};
use pyro_ir::{Builder, Opcode, Scalar, Value};
use pyro_library::{Ops, derivative};

/// `maxSamplerLodBias`: biases are clamped to this in both directions.
pub const SAMPLER_LOD_BIAS_MAX: f32 = 16.0;
/// `maxSamplerAnisotropy`.
pub const ANISOTROPY_MAX: f32 = 16.0;

/// What a sampling operation knows of its footprint.
pub(super) struct Footprint {
    /// The level of detail before it is clamped.
    pub(super) unclamped: Value,
    /// And after.
    pub(super) lod: Value,
    /// Whether it has been clamped to the view's levels too.
    pub(super) is_clamped: bool,
    /// Samples along the major axis.
    pub(super) anisotropy: Option<Anisotropy>,
}

/// Several samples along a line.
pub(super) struct Anisotropy {
    /// How many, an integral `f32` of at least 1.
    pub(super) count: Value,
    /// The line, in the coordinates' own units.
    pub(super) axis: Vec<Value>,
}

/// What a level of detail is computed from.
enum Base {
    /// Itself, before the bias.
    Level(Value),
    /// The square of the footprint's extent in texels.
    Square(Value),
}

/// Computes the footprint of a sample at `coordinates` (without the layer).
pub(super) fn footprint(
    access: &mut Access,
    sampling: &Sampling,
    coordinates: &[Value],
    mode: LodMode,
    with_min_lod: bool,
) -> Footprint {
    let mut anisotropy = None;
    let base = match mode {
        LodMode::Explicit => Base::Level(access.column(record::LOD, Scalar::F32)),
        LodMode::Implicit | LodMode::Bias
            if !sampling.key.anisotropic && !access.view.view_type.is_cube() =>
        {
            Base::Square(greatest_square(access, coordinates))
        }
        LodMode::Implicit | LodMode::Bias => {
            let dx: Vec<Value> =
                coordinates.iter().map(|&value| derivative::dpdx_coarse(access.b, value)).collect();
            let dy: Vec<Value> =
                coordinates.iter().map(|&value| derivative::dpdy_coarse(access.b, value)).collect();
            Base::Square(from_derivatives(access, sampling, coordinates, [dx, dy], &mut anisotropy))
        }
        LodMode::Grad => {
            let [dx, dy] = [record::DDX, record::DDY].map(|column| {
                (0..coordinates.len() as u32)
                    .map(|index| access.column(column + index, Scalar::F32))
                    .collect()
            });
            Base::Square(from_derivatives(access, sampling, coordinates, [dx, dy], &mut anisotropy))
        }
    };
    let mut bias = sampling.field(access, Scalar::F32, field::SAMPLER_LOD_BIAS);
    if mode == LodMode::Bias {
        let operand = access.column(record::LOD, Scalar::F32);
        bias = access.b.fadd(bias, operand);
    }
    let (low, high) = (access.b.f32(-SAMPLER_LOD_BIAS_MAX), access.b.f32(SAMPLER_LOD_BIAS_MAX));
    let bias = access.b.fmax(bias, low);
    let bias = access.b.fmin(bias, high);
    let unclamped = match base {
        Base::Level(level) => access.b.fadd(level, bias),
        Base::Square(square) => half_log2(access.b, square, bias),
    };
    let mut least = sampling.field(access, Scalar::F32, field::SAMPLER_MIN_LOD);
    let of_view = access.field(Scalar::F32, field::LOD_MIN);
    least = access.b.fmax(least, of_view);
    if with_min_lod {
        let operand = access.column(record::LOD_MIN, Scalar::F32);
        least = access.b.fmax(operand, least);
    }
    let mut most = sampling.field(access, Scalar::F32, field::SAMPLER_MAX_LOD);
    // Where only the level depends on it, one pair of bounds does, which is the same in all lanes.
    let is_clamped = sampling.key.mag == sampling.key.min && !with_min_lod;
    if is_clamped {
        most = clamp_to_view(access, most);
        let zero = access.b.f32(0.0);
        least = access.b.fmax(least, zero);
        least = access.b.fmin(least, most);
    }
    let lod = access.b.fmax(unclamped, least);
    let lod = access.b.fmin(lod, most);
    Footprint { unclamped, lod, is_clamped, anisotropy }
}

/// The square of the footprint's extent in texels, and how many samples it takes.
fn from_derivatives(
    access: &mut Access,
    sampling: &Sampling,
    coordinates: &[Value],
    derivatives: [Vec<Value>; 2],
    anisotropy: &mut Option<Anisotropy>,
) -> Value {
    let on_image: [Vec<Value>; 2] = if access.view.view_type.is_cube() {
        let direction = [coordinates[0], coordinates[1], coordinates[2]];
        let projection = cube::project(access, direction);
        let [dx, dy] = &derivatives;
        [dx, dy].map(|change| {
            cube::project_derivative(access, &projection, [change[0], change[1], change[2]]).to_vec()
        })
    } else {
        derivatives.clone()
    };
    // Squares of the footprint's extents in texels.
    let squares = on_image.map(|changes| {
        let mut sum = None;
        for (dimension, change) in changes.into_iter().enumerate() {
            let extent = access.scale_extent(dimension, Level::First);
            let b = &mut *access.b;
            let texels = b.fmul(change, extent);
            sum = Some(match sum {
                None => b.fmul(texels, texels),
                Some(sum) => b.mad(texels, texels, sum),
            });
        }
        sum.unwrap_or(coordinates[0])
    });
    let b = &mut *access.b;
    let greatest = b.fmax(squares[0], squares[1]);
    let mut footprint = greatest;
    if sampling.key.anisotropic {
        let most = sampling.field(access, Scalar::F32, field::SAMPLER_MAX_ANISOTROPY);
        let b = &mut *access.b;
        let least = b.fmin(squares[0], squares[1]);
        let (one, limit) = (b.f32(1.0), b.f32(ANISOTROPY_MAX));
        let ratio = b.fdiv(greatest, least);
        let ratio = b.fsqrt(ratio);
        let most = b.fmin(most, limit);
        let ratio = b.fmin(ratio, most);
        // Round footprints, empty ones and NaN take one sample.
        let long = b.flt(least, greatest);
        let ratio = b.select(long, ratio, one);
        let ratio = b.fmax(ratio, one);
        let square = b.fmul(ratio, ratio);
        footprint = b.fdiv(greatest, square);
        // A ratio that is an integer but for rounding does not take one sample more.
        let slack = b.f32(1.0 / 128.0);
        let count = b.fsub(ratio, slack);
        let count = b.fceil(count);
        let count = b.fmax(count, one);
        let in_x = b.flt(squares[1], squares[0]);
        let [dx, dy] = derivatives;
        let axis = dx.into_iter().zip(dy).map(|(dx, dy)| b.select(in_x, dx, dy)).collect();
        *anisotropy = Some(Anisotropy { count, axis });
    }
    footprint
}

/// The square of the larger extent in texels of a quad's footprint, from coarse derivatives: of its lanes,
/// the even ones compute what changes with y and the odd ones what changes with x.
fn greatest_square(access: &mut Access, coordinates: &[Value]) -> Value {
    let b = &mut *access.b;
    let lane = b.lane_id();
    let [one, two, quad] = [1, 2, !3].map(|value| b.i32(value));
    let first = b.and(lane, quad);
    let odd = b.and(lane, one);
    let neighbour = b.isub(two, odd);
    let neighbour = b.or(first, neighbour);
    let other = b.xor(lane, one);
    let mut sum = None;
    for (dimension, &coordinate) in coordinates.iter().enumerate() {
        let extent = access.scale_extent(dimension, Level::First);
        let b = &mut *access.b;
        let (far, near) = (b.shuffle(coordinate, neighbour), b.shuffle(coordinate, first));
        let change = b.fsub(far, near);
        let texels = b.fmul(change, extent);
        sum = Some(match sum {
            None => b.fmul(texels, texels),
            Some(sum) => b.mad(texels, texels, sum),
        });
    }
    let b = &mut *access.b;
    let square = sum.unwrap_or(coordinates[0]);
    let across = b.shuffle(square, other);
    b.fmax(square, across)
}

/// The binary logarithm of the square root of a number that is not negative, plus a bias: to 2^-15, exact for
/// powers of four without bias; finite for 0 and infinity. Sampling waits for it, so its parts do not wait
/// for each other.
fn half_log2(b: &mut Builder, square: Value, bias: Value) -> Value {
    // The sign of a NaN is unspecified.
    let nothing = b.f32(0.0);
    let square = b.fmax(square, nothing);
    // The bits as a number are exponent and mantissa, a straight line between powers of two.
    let bits = b.bitcast(square, Scalar::I32);
    let line = b.convert(Opcode::SToF, bits, Scalar::F32);
    let (unit, zero) = (b.f32(0.5 / (1 << 23) as f32), b.f32(-0.5 * 127.0));
    let start = b.fadd(bias, zero);
    let line = b.mad(line, unit, start);
    let (fraction, one_bits, one) = (b.i32(0x7f_ffff), b.i32(0x3f80_0000), b.f32(1.0));
    let mantissa = b.and(bits, fraction);
    let mantissa = b.or(mantissa, one_bits);
    let mantissa = b.bitcast(mantissa, Scalar::F32);
    // log2(1 + t) = t + t (1 - t) q(t), with q fitted to the rest; here half of it.
    let t = b.fsub(mantissa, one);
    let square = b.fmul(t, t);
    let product = b.fsub(t, square);
    let [cubic, quadratic, linear, constant] =
        [-0.045_148_924, 0.148_426_46, -0.267_179_3, 0.441_917_03].map(|value: f32| b.f32(0.5 * value));
    let high = b.mad(t, cubic, quadratic);
    let low = b.mad(t, linear, constant);
    let q = b.mad(high, square, low);
    b.mad(product, q, line)
}

/// The levels that a level of detail takes: the first one and, for linear mip filtering, the share of the
/// next one, an `f32` within [0, 1) that is 0 at the last level.
pub(super) fn levels(
    access: &mut Access,
    lod: Value,
    mip: Filter,
    is_clamped: bool,
) -> (Value, Option<Value>) {
    let clamped = if is_clamped { lod } else { clamp_to_view(access, lod) };
    let b = &mut *access.b;
    match mip {
        Filter::Nearest | Filter::Cubic => {
            let level = nearest(access, clamped);
            (small_integer(access.b, level), None)
        }
        Filter::Linear => {
            let whole = b.ffloor(clamped);
            let share = b.fsub(clamped, whole);
            (small_integer(b, whole), Some(share))
        }
    }
}

/// The level that a level of detail takes, as `OpImageQueryLod` reports it.
pub(super) fn queried_level(access: &mut Access, lod: Value, mip: Filter) -> Value {
    let clamped = clamp_to_view(access, lod);
    match mip {
        Filter::Nearest | Filter::Cubic => nearest(access, clamped),
        Filter::Linear => clamped,
    }
}

/// Clamped to the view's levels; NaN to the first one.
fn clamp_to_view(access: &mut Access, lod: Value) -> Value {
    let levels = access.field(Scalar::I32, field::LEVELS);
    let b = &mut *access.b;
    let one = b.i32(1);
    let last = b.isub(levels, one);
    let most = b.convert(Opcode::SToF, last, Scalar::F32);
    let zero = b.f32(0.0);
    let clamped = b.fmax(lod, zero);
    b.fmin(clamped, most)
}

/// `ceil(lod + 0.5) - 1`, at least 0.
fn nearest(access: &mut Access, lod: Value) -> Value {
    let b = &mut *access.b;
    let (half, one, zero) = (b.f32(0.5), b.f32(1.0), b.f32(0.0));
    let sum = b.fadd(lod, half);
    let up = b.fceil(sum);
    let level = b.fsub(up, one);
    b.fmax(level, zero)
}
