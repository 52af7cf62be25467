//! Square matrices of 2, 3 or 4 columns. Any float. Slices are column-major: element `(row, column)` is at
//! `column * n + row`.

use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `Determinant` of an `n` by `n` matrix.
pub fn determinant(b: &mut Builder, n: usize, matrix: &[Value]) -> Value {
    let _ = (n, matrix, b.i32(0));
    todo!()
}

/// `MatrixInverse` of an `n` by `n` matrix: the adjugate over the determinant. A singular matrix gives
/// infinities and NaN.
pub fn matrix_inverse(b: &mut Builder, n: usize, matrix: &[Value]) -> Vec<Value> {
    let _ = (n, matrix, b.lane_id());
    todo!()
}
