//! Distances of `f32` results from true results, in units in the last place.
#![forbid(unsafe_code)]

/// The distance in units in the last place of the true result (the spacing of `f32` at its magnitude).
#[must_use]
pub fn distance(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if rounded == got {
        return if rounded.is_infinite() { 0.0 } else { (f64::from(got) - want).abs() / spacing(want) };
    }
    // An infinity stands for 2^128 where the true result is still finite, and the other way round.
    let finite = |x: f64| if x.is_infinite() { x.signum() * 2f64.powi(128) } else { x };
    (finite(got.into()) - finite(want)).abs() / spacing(finite(want))
}

fn spacing(x: f64) -> f64 {
    let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
    f64::from_bits(((exponent.clamp(-126, 127) - 23 + 1023) as u64) << 52)
}
