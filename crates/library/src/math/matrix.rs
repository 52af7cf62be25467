//! Square matrices of 2, 3 or 4 columns. Any float; `f16` is computed in `f32` and rounded once at the end.
//! Slices are column-major: element `(row, column)` is at `column * n + row`.
//!
//! Minors of two rows are not fused, so that equal or proportional columns give exactly zero there.

use crate::ops::{Ops, widen_half};
use pyro_ir::{Builder, Value};

/// `x0 * y1 - y0 * x1`.
fn minor(b: &mut Builder, x: [Value; 2], y: [Value; 2]) -> Value {
    let left = b.fmul(x[0], y[1]);
    let right = b.fmul(y[0], x[1]);
    b.fsub(left, right)
}

/// `x0 * y0 - x1 * y1 + x2 * y2 - ...`, fused.
fn alternating_sum(b: &mut Builder, x: &[Value], y: &[Value]) -> Value {
    let mut sum = b.fmul(x[0], y[0]);
    for (index, (&x, &y)) in x.iter().zip(y).enumerate().skip(1) {
        sum = if index % 2 == 1 { b.fnma(x, y, sum) } else { b.fma(x, y, sum) };
    }
    sum
}

/// The minors of two columns of four elements, for the row pairs 01, 02, 03, 12, 13, 23.
fn pair_minors(b: &mut Builder, x: &[Value], y: &[Value]) -> [Value; 6] {
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| minor(b, [x[i], x[j]], [y[i], y[j]]))
}

/// The determinant of four columns from the minors of the first two and the last two (Laplace).
fn determinant_4(b: &mut Builder, s: &[Value; 6], c: &[Value; 6]) -> Value {
    let sum = b.fmul(s[0], c[5]);
    let sum = b.fnma(s[1], c[4], sum);
    let sum = b.fma(s[2], c[3], sum);
    let sum = b.fma(s[3], c[2], sum);
    let sum = b.fnma(s[4], c[1], sum);
    b.fma(s[5], c[0], sum)
}

/// `Determinant` of an `n` by `n` matrix.
///
/// # Panics
/// When `n` is not 2, 3 or 4, or the slice has not `n * n` elements.
pub fn determinant(b: &mut Builder, n: usize, matrix: &[Value]) -> Value {
    assert!((2..=4).contains(&n) && matrix.len() == n * n, "square matrix");
    let (scalar, matrix) = widen_half(b, matrix);
    let determinant = wide_determinant(b, n, &matrix);
    b.to_float(determinant, scalar)
}

fn wide_determinant(b: &mut Builder, n: usize, matrix: &[Value]) -> Value {
    match n {
        2 => minor(b, [matrix[0], matrix[1]], [matrix[2], matrix[3]]),
        3 => {
            let (first, second, third) = (&matrix[0..3], &matrix[3..6], &matrix[6..9]);
            let minors =
                [(1, 2), (0, 2), (0, 1)].map(|(i, j)| minor(b, [second[i], second[j]], [third[i], third[j]]));
            alternating_sum(b, first, &minors)
        }
        _ => {
            let s = pair_minors(b, &matrix[0..4], &matrix[4..8]);
            let c = pair_minors(b, &matrix[8..12], &matrix[12..16]);
            determinant_4(b, &s, &c)
        }
    }
}

/// `MatrixInverse` of an `n` by `n` matrix: the adjugate times the reciprocal of the determinant. A singular
/// matrix gives infinities and NaN.
///
/// # Panics
/// When `n` is not 2, 3 or 4, or the slice has not `n * n` elements.
pub fn matrix_inverse(b: &mut Builder, n: usize, matrix: &[Value]) -> Vec<Value> {
    assert!((2..=4).contains(&n) && matrix.len() == n * n, "square matrix");
    let (scalar, matrix) = widen_half(b, matrix);
    let inverse = wide_inverse(b, n, &matrix);
    inverse.into_iter().map(|element| b.to_float(element, scalar)).collect()
}

fn wide_inverse(b: &mut Builder, n: usize, matrix: &[Value]) -> Vec<Value> {
    let scalar = b.scalar(matrix[0]);
    let one = b.float(scalar, 1.0);
    match n {
        2 => {
            let determinant = wide_determinant(b, 2, matrix);
            let scale = b.fdiv(one, determinant);
            let minus = b.fneg(scale);
            [(3, scale), (1, minus), (2, minus), (0, scale)]
                .map(|(index, scale)| b.fmul(matrix[index], scale))
                .to_vec()
        }
        3 => {
            // The inverse's rows are the cross products of pairs of columns over the determinant.
            let columns = [&matrix[0..3], &matrix[3..6], &matrix[6..9]];
            let rows = [(1, 2), (2, 0), (0, 1)].map(|(i, j)| super::cross(b, columns[i], columns[j]));
            let determinant = super::dot(b, columns[0], &rows[0]);
            let scale = b.fdiv(one, determinant);
            (0..9).map(|index| b.fmul(rows[index % 3][index / 3], scale)).collect()
        }
        _ => {
            let m = |row: usize, column: usize| matrix[column * 4 + row];
            let s = pair_minors(b, &matrix[0..4], &matrix[4..8]);
            let c = pair_minors(b, &matrix[8..12], &matrix[12..16]);
            let determinant = determinant_4(b, &s, &c);
            let scale = b.fdiv(one, determinant);
            let minus = b.fneg(scale);
            // Cofactors by Laplace along pairs of columns: row `r` of the inverse belongs to column `r`. For
            // the first two columns they come from the other of these two and the minors of the last two;
            // for the last two likewise with the minors of the first two.
            let mut inverse = vec![matrix[0]; 16];
            for row in 0..4 {
                let partner = row ^ 1;
                let minors = if row < 2 { &c } else { &s };
                for column in 0..4 {
                    // The three rows that remain, ascending, and the minors of the other two of them.
                    let rest: Vec<usize> = (0..4).filter(|&other| other != column).collect();
                    let elements: Vec<Value> = rest.iter().map(|&other| m(other, partner)).collect();
                    let pairs: Vec<Value> = rest
                        .iter()
                        .map(|&left_out| {
                            let mut pair = rest.iter().copied().filter(|&other| other != left_out);
                            let (i, j) = (pair.next().expect("two"), pair.next().expect("two"));
                            minors[pair_index(i, j)]
                        })
                        .collect();
                    let sum = alternating_sum(b, &elements, &pairs);
                    let scale = if (row + column) % 2 == 0 { scale } else { minus };
                    inverse[column * 4 + row] = b.fmul(sum, scale);
                }
            }
            inverse
        }
    }
}

/// Where [`pair_minors`] puts the row pair `i < j`.
fn pair_index(i: usize, j: usize) -> usize {
    match (i, j) {
        (0, _) => j - 1,
        (1, _) => j + 1,
        _ => 5,
    }
}
