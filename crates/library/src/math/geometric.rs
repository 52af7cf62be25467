//! Vectors. Any float; slices hold one value per component (one component is a scalar operand). `f16` vectors
//! are computed in `f32` and rounded once at the end.

use super::exponential::inverse_sqrt;
use crate::ops::{Ops, widen_half};
use pyro_ir::{Builder, Scalar, Value};

/// Results back to the operands' type.
fn narrow(b: &mut Builder, values: &[Value], scalar: Scalar) -> Vec<Value> {
    values.iter().map(|&value| b.to_float(value, scalar)).collect()
}

/// `OpDot`: the sum of products, the first component's product rounded, the others fused in order.
pub fn dot(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let (scalar, x) = widen_half(b, x);
    let (_, y) = widen_half(b, y);
    let sum = wide_dot(b, &x, &y);
    b.to_float(sum, scalar)
}

fn wide_dot(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let mut sum = b.fmul(x[0], y[0]);
    for (&x, &y) in x.iter().zip(y).skip(1) {
        sum = b.mad(x, y, sum);
    }
    sum
}

/// `Length`: `sqrt(dot(x, x))`; of a scalar, the absolute value.
pub fn length(b: &mut Builder, x: &[Value]) -> Value {
    if let &[x] = x {
        return b.fabs(x);
    }
    let (scalar, x) = widen_half(b, x);
    let square = wide_dot(b, &x, &x);
    let root = b.fsqrt(square);
    b.to_float(root, scalar)
}

/// `Distance`: `length(x - y)`.
pub fn distance(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let (scalar, x) = widen_half(b, x);
    let (_, y) = widen_half(b, y);
    let difference: Vec<Value> = x.iter().zip(&y).map(|(&x, &y)| b.fsub(x, y)).collect();
    let length = length(b, &difference);
    b.to_float(length, scalar)
}

/// `Cross`: the cross product of three-component vectors.
pub fn cross(b: &mut Builder, x: &[Value], y: &[Value]) -> [Value; 3] {
    let (scalar, x) = widen_half(b, x);
    let (_, y) = widen_half(b, y);
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| {
        let right = b.fmul(x[j], y[i]);
        let left = b.fmul(x[i], y[j]);
        // Not fused, so that the cross product of a vector with itself is exactly zero.
        let difference = b.fsub(left, right);
        b.to_float(difference, scalar)
    })
}

/// `Normalize`: `x * inversesqrt(dot(x, x))`; of a scalar, its sign. The zero vector gives NaN.
pub fn normalize(b: &mut Builder, x: &[Value]) -> Vec<Value> {
    if let &[x] = x {
        return vec![super::f_sign(b, x)];
    }
    let (scalar, x) = widen_half(b, x);
    let square = wide_dot(b, &x, &x);
    let scale = inverse_sqrt(b, square);
    let unit: Vec<Value> = x.iter().map(|&x| b.fmul(x, scale)).collect();
    narrow(b, &unit, scalar)
}

/// `FaceForward`: `n` where `dot(reference, incident) < 0`, else `-n`.
pub fn face_forward(b: &mut Builder, n: &[Value], incident: &[Value], reference: &[Value]) -> Vec<Value> {
    let (_, incident) = widen_half(b, incident);
    let (_, reference) = widen_half(b, reference);
    let cosine = wide_dot(b, &reference, &incident);
    let scalar = b.scalar(cosine);
    let zero = b.float(scalar, 0.0);
    let facing = b.flt(cosine, zero);
    n.iter()
        .map(|&n| {
            let away = b.fneg(n);
            b.select(facing, n, away)
        })
        .collect()
}

/// `Reflect`: `incident - 2 * dot(n, incident) * n`.
pub fn reflect(b: &mut Builder, incident: &[Value], n: &[Value]) -> Vec<Value> {
    let (scalar, incident) = widen_half(b, incident);
    let (_, n) = widen_half(b, n);
    let cosine = wide_dot(b, &n, &incident);
    let wide = b.scalar(cosine);
    let minus_two = b.float(wide, -2.0);
    let scale = b.fmul(cosine, minus_two);
    let reflected: Vec<Value> =
        incident.iter().zip(&n).map(|(&incident, &n)| b.mad(scale, n, incident)).collect();
    narrow(b, &reflected, scalar)
}

/// `Refract`: with `k = 1 - eta^2 * (1 - dot(n, incident)^2)`, zero where `k < 0`, else
/// `eta * incident - (eta * dot(n, incident) + sqrt(k)) * n`. `eta` may be of another float type.
pub fn refract(b: &mut Builder, incident: &[Value], n: &[Value], eta: Value) -> Vec<Value> {
    let (scalar, incident) = widen_half(b, incident);
    let (_, n) = widen_half(b, n);
    let cosine = wide_dot(b, &n, &incident);
    let wide = b.scalar(cosine);
    let eta = b.to_float(eta, wide);
    let (zero, one) = (b.float(wide, 0.0), b.float(wide, 1.0));
    let sine_square = b.nmad(cosine, cosine, one);
    let eta_square = b.fmul(eta, eta);
    let k = b.nmad(eta_square, sine_square, one);
    let total = b.flt(k, zero);
    let root = b.fsqrt(k);
    let scale = b.mad(eta, cosine, root);
    let refracted: Vec<Value> = incident
        .iter()
        .zip(&n)
        .map(|(&incident, &n)| {
            let along = b.fmul(eta, incident);
            let refracted = b.nmad(scale, n, along);
            b.select(total, zero, refracted)
        })
        .collect();
    narrow(b, &refracted, scalar)
}
