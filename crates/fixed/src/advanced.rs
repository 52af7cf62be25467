//! Advanced blend operations (`VK_EXT_blend_operation_advanced`; Vulkan, "Advanced Blend Operations").

mod term;

use crate::state::{AdvancedBlend, AdvancedOp, BlendOverlap};
use pyro_ir::{Builder, Value};
use term::{Term, constant, value};

type Rgb = [Term; 3];

/// A choice between two terms.
fn pick(condition: (Term, Term), yes: Term, no: Term) -> Term {
    Term::if_less(condition.0, condition.1, yes, no)
}

/// `yes` where `x <= y`.
fn pick_le(x: Term, y: Term, yes: Term, no: Term) -> Term {
    pick((y, x), no, yes)
}

fn zip(x: &Rgb, y: &Rgb, f: impl Fn(Term, Term) -> Term) -> Rgb {
    [0, 1, 2].map(|at| f(x[at].clone(), y[at].clone()))
}

fn map(x: &Rgb, f: impl Fn(Term) -> Term) -> Rgb {
    x.clone().map(f)
}

fn least([r, g, b]: Rgb) -> Term {
    r.min(g).min(b)
}

fn greatest([r, g, b]: Rgb) -> Term {
    r.max(g).max(b)
}

fn luminosity([r, g, b]: Rgb) -> Term {
    r * constant(0.30) + g * constant(0.59) + b * constant(0.11)
}

/// A colour with the luminosity of another, brought into [0, 1] by moving it towards grey.
fn with_luminosity(color: &Rgb, other: &Rgb) -> Rgb {
    let (zero, one) = (constant(0.0), constant(1.0));
    let change = luminosity(other.clone()) - luminosity(color.clone());
    let moved = map(color, |x| x + change.clone());
    // The range is that of the moved colour, for both sides.
    let grey = luminosity(moved.clone());
    let (low, high) = (least(moved.clone()), greatest(moved.clone()));
    let raised = map(&moved, |x| {
        let nearer = grey.clone() + (x.clone() - grey.clone()) * grey.clone() / (grey.clone() - low.clone());
        pick((low.clone(), zero.clone()), nearer, x)
    });
    map(&raised, |x| {
        let room = one.clone() - grey.clone();
        let nearer = grey.clone() + (x.clone() - grey.clone()) * room / (high.clone() - grey.clone());
        pick((one.clone(), high.clone()), nearer, x)
    })
}

/// A colour with the saturation of one and the luminosity of another.
fn with_saturation(color: &Rgb, saturation: &Rgb, other: &Rgb) -> Rgb {
    let low = least(color.clone());
    let own = greatest(color.clone()) - low.clone();
    let wanted = greatest(saturation.clone()) - least(saturation.clone());
    let color = map(color, |x| {
        let scaled = (x - low.clone()) * wanted.clone() / own.clone();
        pick((constant(0.0), own.clone()), scaled, constant(0.0))
    });
    with_luminosity(&color, other)
}

/// Weights of what source and destination share, and of what each has alone; what their shared part becomes.
///
/// A target was rounded by up to `rounding` when it was stored, which may not decide on which side of a step
/// it is.
fn shared(op: AdvancedOp, rounding: f32, source: &Rgb, target: &Rgb) -> ([f32; 3], Rgb) {
    use AdvancedOp as A;
    let (zero, half, one, two) = (|| constant(0.0), || constant(0.5), || constant(1.0), || constant(2.0));
    let all = [1.0; 3];
    let both = |weights: [f32; 3], f: fn(Term, Term) -> Term| (weights, zip(source, target, f));
    match op {
        A::Zero => both([0.0; 3], |_, _| constant(0.0)),
        A::Src => both([1.0, 1.0, 0.0], |s, _| s),
        A::Dst => both([1.0, 0.0, 1.0], |_, d| d),
        A::SrcOver => both(all, |s, _| s),
        A::DstOver => both(all, |_, d| d),
        A::SrcIn => both([1.0, 0.0, 0.0], |s, _| s),
        A::DstIn => both([1.0, 0.0, 0.0], |_, d| d),
        A::SrcOut => both([0.0, 1.0, 0.0], |_, _| constant(0.0)),
        A::DstOut => both([0.0, 0.0, 1.0], |_, _| constant(0.0)),
        A::SrcAtop => both([1.0, 0.0, 1.0], |s, _| s),
        A::DstAtop => both([1.0, 1.0, 0.0], |_, d| d),
        A::Xor => both([0.0, 1.0, 1.0], |_, _| constant(0.0)),
        A::Multiply => both(all, |s, d| s * d),
        A::Screen => both(all, |s, d| s.clone() + d.clone() - s * d),
        A::Overlay => both(all, |s, d| hard_light(d, s)),
        A::Darken => both(all, Term::min),
        A::Lighten => both(all, Term::max),
        A::ColorDodge => (
            all,
            zip(source, target, |s, d| {
                let dodged = pick((s.clone(), one()), one().min(d.clone() / (one() - s)), one());
                pick((zero(), d), dodged, zero())
            }),
        ),
        A::ColorBurn => (
            all,
            zip(source, target, |s, d| {
                let burnt = pick((zero(), s.clone()), one() - one().min((one() - d.clone()) / s), zero());
                pick((d, one()), burnt, one())
            }),
        ),
        A::HardLight => both(all, hard_light),
        A::SoftLight => (
            all,
            zip(source, target, |s, d| {
                let tilt = two() * s.clone() - one();
                let dark = d.clone() + tilt.clone() * d.clone() * (one() - d.clone());
                let cubic =
                    ((constant(16.0) * d.clone() - constant(12.0)) * d.clone() + constant(3.0)) * d.clone();
                let bright = pick_le(d.clone(), constant(0.25), cubic, d.clone().sqrt() - d.clone());
                pick_le(s, half(), dark, d + tilt * bright)
            }),
        ),
        A::Difference => both(all, |s, d| (d - s).abs()),
        A::Exclusion => both(all, |s, d| s.clone() + d.clone() - constant(2.0) * s * d),
        A::Invert => both([1.0, 0.0, 1.0], |_, d| constant(1.0) - d),
        A::InvertRgb => both([1.0, 0.0, 1.0], |s, d| s * (constant(1.0) - d)),
        A::LinearDodge => both(all, |s, d| (s + d).min(constant(1.0))),
        A::LinearBurn => both(all, |s, d| (s + d - constant(1.0)).max(constant(0.0))),
        A::VividLight => (
            all,
            zip(source, target, |s, d| {
                let burnt = one() - one().min((one() - d.clone()) / (two() * s.clone()));
                let dodged = one().min(d / (two() * (one() - s.clone())));
                let dark = pick_le(s.clone(), zero(), zero(), burnt);
                let bright = pick((s.clone(), one()), dodged, one());
                pick((s, half()), dark, bright)
            }),
        ),
        A::LinearLight => {
            both(all, |s, d| (constant(2.0) * s + d - constant(1.0)).max(constant(0.0)).min(constant(1.0)))
        }
        A::PinLight => (
            all,
            zip(source, target, |s, d| {
                let tilt = two() * s.clone() - one();
                let above = pick((s.clone(), half()), zero(), tilt.clone());
                let below = pick((s.clone(), half() * d.clone()), two() * s, d.clone());
                pick((d, tilt), above, below)
            }),
        ),
        A::HardMix => {
            (all, zip(source, target, |s, d| pick((s + d, constant(1.0 - rounding)), zero(), one())))
        }
        A::HslHue => (all, with_saturation(source, target, target)),
        A::HslSaturation => (all, with_saturation(target, source, target)),
        A::HslColor => (all, with_luminosity(source, target)),
        A::HslLuminosity => (all, with_luminosity(target, source)),
        // The rest is not made of shared parts.
        _ => both(all, |s, _| s),
    }
}

fn hard_light(s: Term, d: Term) -> Term {
    let one = || constant(1.0);
    let dark = constant(2.0) * s.clone() * d.clone();
    let bright = one() - constant(2.0) * (one() - s.clone()) * (one() - d);
    pick_le(s, constant(0.5), dark, bright)
}

/// The operations on premultiplied colours; none for those that are made of shared parts.
fn additional(op: AdvancedOp, source: &Rgb, target: &Rgb, alphas: (&Term, &Term)) -> Option<(Rgb, Term)> {
    use AdvancedOp as A;
    let (s, d) = (source, target);
    let (sa, da) = (|| alphas.0.clone(), || alphas.1.clone());
    let (zero, one, half) = (|| constant(0.0), || constant(1.0), || constant(0.5));
    let all = || (sa() + da()).min(one());
    Some(match op {
        A::Plus => (zip(s, d, |s, d| s + d), sa() + da()),
        A::PlusClamped => (zip(s, d, |s, d| (s + d).min(one())), all()),
        A::PlusClampedAlpha => (zip(s, d, |s, d| (s + d).min(all())), all()),
        A::PlusDarker => (zip(s, d, |s, d| (all() - ((sa() - s) + (da() - d))).max(zero())), all()),
        A::Minus => (zip(s, d, |s, d| d - s), da() - sa()),
        A::MinusClamped => (zip(s, d, |s, d| (d - s).max(zero())), (da() - sa()).max(zero())),
        A::Contrast => {
            let middle = || da() * half();
            (zip(s, d, |s, d| middle() + constant(2.0) * (d - middle()) * (s - sa() * half())), da())
        }
        A::InvertOvg => {
            (map(d, |d| sa() * (one() - d.clone()) + (one() - sa()) * d), sa() + da() - sa() * da())
        }
        A::Red => ([s[0].clone(), d[1].clone(), d[2].clone()], da()),
        A::Green => ([d[0].clone(), s[1].clone(), d[2].clone()], da()),
        A::Blue => ([d[0].clone(), d[1].clone(), s[2].clone()], da()),
        _ => return None,
    })
}

/// The blended colour, of `f32`. The target was stored with an error of at most `rounding`.
pub(crate) fn blend(
    b: &mut Builder,
    state: &AdvancedBlend,
    rounding: f32,
    source: [Value; 4],
    target: [Value; 4],
) -> [Value; 4] {
    let (zero, one) = (|| constant(0.0), || constant(1.0));
    let split = |color: [Value; 4]| -> (Rgb, Term) {
        ([value(color[0]), value(color[1]), value(color[2])], value(color[3]))
    };
    let ((source, sa), (target, da)) = (split(source), split(target));
    let times = |color: &Rgb, alpha: &Term, is_done: bool| {
        if is_done { color.clone() } else { map(color, |x| x * alpha.clone()) }
    };
    let over = |color: &Rgb, alpha: &Term, is_premultiplied: bool| {
        let divide = |x: Term| pick_le(alpha.clone(), zero(), zero(), x / alpha.clone());
        if is_premultiplied { map(color, divide) } else { color.clone() }
    };
    let multiplied =
        (times(&source, &sa, state.src_premultiplied), times(&target, &da, state.dst_premultiplied));
    let (rgb, alpha) = match additional(state.op, &multiplied.0, &multiplied.1, (&sa, &da)) {
        Some(result) => result,
        None => {
            let source = over(&source, &sa, state.src_premultiplied);
            let target = over(&target, &da, state.dst_premultiplied);
            let (s, d) = (|| sa.clone(), || da.clone());
            let parts = match state.overlap {
                BlendOverlap::Uncorrelated => [s() * d(), s() * (one() - d()), d() * (one() - s())],
                BlendOverlap::Conjoint => [s().min(d()), (s() - d()).max(zero()), (d() - s()).max(zero())],
                BlendOverlap::Disjoint => {
                    [(s() + d() - one()).max(zero()), s().min(one() - d()), d().min(one() - s())]
                }
            };
            let (weights, both) = shared(state.op, rounding, &source, &target);
            // A weight of zero leaves its part out.
            let sum = |terms: [Term; 3]| {
                let used = weights.iter().zip(terms).filter(|(weight, _)| **weight != 0.0);
                used.map(|(_, term)| term).reduce(|sum, term| sum + term).unwrap_or_else(zero)
            };
            let rgb = [0, 1, 2].map(|at| {
                let colors = [both[at].clone(), source[at].clone(), target[at].clone()];
                let mut pairs = colors.into_iter().zip(parts.clone());
                sum([(); 3].map(|()| pairs.next().map_or_else(zero, |(color, part)| color * part)))
            });
            (rgb, sum(parts))
        }
    };
    // The result is premultiplied; what is stored need not be.
    let rgb = if state.dst_premultiplied {
        rgb
    } else {
        map(&rgb, |x| pick_le(alpha.clone(), zero(), zero(), x / alpha.clone()))
    };
    let [red, green, blue] = rgb;
    [red, green, blue, alpha].map(|term| term.emit(b))
}
