//! Election and votes.

use super::{broadcast_first, first_active};
use crate::ops::Ops;
use pyro_ir::{Builder, Value};

/// `OpGroupNonUniformElect`: true in the lowest active lane.
pub fn elect(b: &mut Builder) -> Value {
    let first = first_active(b);
    let lane = b.lane_id();
    b.ieq(lane, first)
}

/// `OpGroupNonUniformAll`, `OpSubgroupAllKHR`: whether no active lane has false. Uniform.
pub fn all(b: &mut Builder, condition: Value) -> Value {
    let active = b.active();
    let against = b.andnot(active, condition);
    let any = b.any(against);
    b.not(any)
}

/// `OpGroupNonUniformAny`, `OpSubgroupAnyKHR`: whether an active lane has true. Uniform.
pub fn any(b: &mut Builder, condition: Value) -> Value {
    let active = b.active();
    let pro = b.and(active, condition);
    b.any(pro)
}

/// `OpGroupNonUniformAllEqual`, `OpSubgroupAllEqualKHR`: whether all active lanes have the same value in
/// every component. Floats compare as floats: 0 equals -0, NaN nothing. Uniform.
pub fn all_equal(b: &mut Builder, components: &[Value]) -> Value {
    let mut equal = b.bool(true);
    for &component in components {
        let first = broadcast_first(b, component);
        let same = equals(b, component, first);
        equal = b.and(equal, same);
    }
    all(b, equal)
}

/// Equality of two values of one type: as floats, or as integers and truth values.
pub(super) fn equals(b: &mut Builder, x: Value, y: Value) -> Value {
    if b.scalar(x).is_float() { b.feq(x, y) } else { b.ieq(x, y) }
}
