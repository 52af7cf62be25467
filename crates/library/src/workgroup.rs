//! Where the invocations of a workgroup are.

use crate::ops::Ops;
use pyro_ir::{Builder, Opcode, Value};

/// `x + y`
pub fn add(b: &mut Builder, x: Value, y: Value) -> Value {
    // Zeros come from dimensions of size one.
    if b.function.const_bits(x) == Some(0) {
        return y;
    }
    if b.function.const_bits(y) == Some(0) {
        return x;
    }
    b.iadd(x, y)
}

/// `value * factor`
pub fn scale(b: &mut Builder, value: Value, factor: u32) -> Value {
    if factor == 1 {
        return value;
    }
    if factor.is_power_of_two() {
        let amount = b.i32(factor.trailing_zeros());
        return b.shl(value, amount);
    }
    let factor = b.i32(factor);
    b.imul(value, factor)
}

/// `x / divisor` and `x % divisor` of an `x` below `limit`.
pub fn divide(b: &mut Builder, x: Value, divisor: u32, limit: u32) -> (Value, Value) {
    if divisor >= limit {
        return (b.i32(0), x);
    }
    if divisor.is_power_of_two() {
        let (amount, mask) = (b.i32(divisor.trailing_zeros()), b.i32(divisor - 1));
        return (b.op(Opcode::LShr, &[x, amount]), b.op(Opcode::And, &[x, mask]));
    }
    // x / d = x * m >> k with m = 2^k / d + 1, exact while x * (m * d - 2^k) < 2^k; m * d - 2^k <= d <= limit
    // and x < limit, so 2^k >= limit^2 is enough. As d is 3 at least, x * m < limit * (2^k / 3 + 1) fits 32
    // bits for limits up to 2048.
    let bits = 2 * limit.next_power_of_two().trailing_zeros();
    let quotient = if limit <= 2048 {
        let factor = b.i32((1 << bits) / divisor + 1);
        let product = b.op(Opcode::IMul, &[x, factor]);
        let amount = b.i32(bits);
        b.op(Opcode::LShr, &[product, amount])
    } else {
        let divisor = b.i32(divisor);
        b.op(Opcode::UDiv, &[x, divisor])
    };
    let start = scale(b, quotient, divisor);
    (quotient, b.op(Opcode::ISub, &[x, start]))
}

/// The place in a box of `size` of what has the number `subgroup * step + position`, where `position`, below
/// `step`, comes from the lane's number. All are `i32`.
///
/// It is written so that later passes see what is uniform and what grows by one from lane to lane: where a
/// row is a multiple of the subgroup, only x varies; where the subgroup is a multiple of a row of a power of
/// two, x and the row within the subgroup are bits of the lane number.
pub fn place(b: &mut Builder, size: [u32; 3], step: u32, subgroup: Value, position: Value) -> [Value; 3] {
    let [width, height, depth] = size;
    let count = width * height * depth;
    let zero = b.i32(0);
    let limit = count.next_multiple_of(step);
    if height == 1 && depth == 1 {
        let first = scale(b, subgroup, step);
        return [add(b, first, position), zero, zero];
    }
    if width.is_multiple_of(step) {
        // A subgroup lies in one row.
        let first = scale(b, subgroup, step);
        let (row, start) = divide(b, first, width, limit);
        let x = add(b, start, position);
        let (z, y) = divide(b, row, height, limit / width);
        return [x, y, z];
    }
    if step.is_multiple_of(width) {
        // A subgroup is some whole rows.
        let rows = step / width;
        let (row, x) = divide(b, position, width, step);
        let first_row = scale(b, subgroup, rows);
        let limit = limit / width;
        if depth == 1 {
            return [x, add(b, first_row, row), zero];
        }
        if height.is_multiple_of(rows) {
            // In one plane.
            let (z, start) = divide(b, first_row, height, limit);
            return [x, add(b, start, row), z];
        }
        if rows.is_multiple_of(height) {
            // Some whole planes.
            let (plane, y) = divide(b, row, height, rows);
            let first_plane = scale(b, subgroup, rows / height);
            return [x, y, add(b, first_plane, plane)];
        }
        let row = add(b, first_row, row);
        let (z, y) = divide(b, row, height, limit);
        return [x, y, z];
    }
    let first = scale(b, subgroup, step);
    let index = add(b, first, position);
    let (row, x) = divide(b, index, width, limit);
    let (z, y) = divide(b, row, height, limit.div_ceil(width));
    [x, y, z]
}
