//! Cubic filters (Vulkan, "Texel Cubic Filtering"): four texels in each dimension, weighted by polynomials of
//! the fraction.

use super::filter::{Taps, texels};
use super::sample::Sampling;
use super::{Access, BuildError, compressed};
use crate::key::Reduction;
use pyro_ir::Value;
use pyro_library::Ops;

/// What is made of the texels: the average, or what the reduction mode asks for.
fn reductions(reduction: Reduction) -> &'static [Reduction] {
    match reduction {
        Reduction::WeightedAverage => &[Reduction::WeightedAverage],
        Reduction::Min => &[Reduction::Min],
        Reduction::Max => &[Reduction::Max],
        Reduction::RangeClamp => &[Reduction::WeightedAverage, Reduction::Min, Reduction::Max],
    }
}

/// The filtered value: as many components as texels have.
pub(super) fn filtered(
    access: &mut Access,
    sampling: &Sampling,
    taps: &Taps,
) -> Result<Vec<Value>, BuildError> {
    let weights: Vec<[Value; 4]> =
        taps.weights.iter().map(|&fraction| weights(access, sampling, fraction)).collect();
    let Some((&in_x, others)) = weights.split_first() else {
        return Err(BuildError::Invalid("a cubic filter without dimensions"));
    };
    // Rows one by one, so that few texels are there at a time; but those whose decoding is long share its
    // code.
    let is_long = compressed::is_long(access.view.format.info().compression);
    let at_once = if is_long { taps.places.len() } else { 4 };
    let mut rows = Vec::new();
    for (places, borders) in taps.places.chunks(at_once).zip(taps.borders.chunks(at_once)) {
        let some = Taps {
            places: places.to_vec(),
            borders: borders.to_vec(),
            weights: Vec::new(),
            adjacent: None,
            corners: None,
        };
        rows.extend(texels(access, sampling, &some)?.chunks(4).map(<[_]>::to_vec).collect::<Vec<_>>());
    }
    let results: Vec<Vec<Value>> = reductions(sampling.key.reduction)
        .iter()
        .map(|&reduction| {
            let mut values: Vec<Vec<Value>> =
                rows.iter().map(|row| reduced(access, row, &in_x, reduction)).collect();
            for weights in others {
                values = values.chunks(4).map(|four| reduced(access, four, weights, reduction)).collect();
            }
            values.concat()
        })
        .collect();
    let [average, low, high] = &results[..] else { return Ok(results.concat()) };
    let b = &mut *access.b;
    let clamped = average.iter().zip(low).zip(high).map(|((&average, &low), &high)| {
        let value = b.fmax(average, low);
        b.fmin(value, high)
    });
    Ok(clamped.collect())
}

/// The weights of four texels.
fn weights(access: &mut Access, sampling: &Sampling, fraction: Value) -> [Value; 4] {
    let b = &mut *access.b;
    sampling.key.cubic_weights.polynomials().map(|[constant, linear, quadratic, cubic]| {
        let (constant, linear, quadratic) = (b.f32(constant), b.f32(linear), b.f32(quadratic));
        let cubic = b.f32(cubic);
        let sum = b.mad(fraction, cubic, quadratic);
        let sum = b.mad(fraction, sum, linear);
        b.mad(fraction, sum, constant)
    })
}

/// Four values as one: their weighted sum, or the least or greatest of those that have a weight.
fn reduced(
    access: &mut Access,
    four: &[Vec<Value>],
    weights: &[Value; 4],
    reduction: Reduction,
) -> Vec<Value> {
    let b = &mut *access.b;
    let zero = b.f32(0.0);
    let none = b.f32(if reduction == Reduction::Min { f32::INFINITY } else { f32::NEG_INFINITY });
    (0..four[0].len())
        .map(|component| {
            let mut sum = None;
            for (value, &weight) in four.iter().map(|values| values[component]).zip(weights) {
                if matches!(reduction, Reduction::WeightedAverage | Reduction::RangeClamp) {
                    sum = Some(match sum {
                        Some(sum) => b.mad(value, weight, sum),
                        None => b.fmul(value, weight),
                    });
                    continue;
                }
                let counts_not = b.feq(weight, zero);
                let value = b.select(counts_not, none, value);
                sum = Some(match sum {
                    Some(sum) if reduction == Reduction::Min => b.fmin(sum, value),
                    Some(sum) => b.fmax(sum, value),
                    None => value,
                });
            }
            sum.unwrap_or(zero)
        })
        .collect()
}
