//! Whether types of two modules are the same: what is passed between shaders without locations.

use pyro_spirv::{ConstantValues, Id, Type};

/// Pairs of types that are looked at; structures may name their members' types so often that looking at each would
/// never end.
const PAIR_VISIT_COUNT_MAX: u32 = 1 << 14;

/// Whether two types of two modules hold the same: equal scalars, sizes and members in the same order. Names and
/// layouts do not matter.
pub fn same_type(one: (&ConstantValues<'_>, Id), other: (&ConstantValues<'_>, Id)) -> bool {
    let mut visits_left = PAIR_VISIT_COUNT_MAX;
    same((one.0, other.0), one.1, other.1, &mut visits_left)
}

fn same(
    constants: (&ConstantValues<'_>, &ConstantValues<'_>),
    one: Id,
    other: Id,
    visits_left: &mut u32,
) -> bool {
    // Types too large to compare are taken as equal: a finding must be sure.
    let Some(left) = visits_left.checked_sub(1) else { return true };
    *visits_left = left;
    let mut inner = |one, other| same(constants, one, other, visits_left);
    match (constants.0.module().ty(one), constants.1.module().ty(other)) {
        (Type::Vector { component: a, count: m }, Type::Vector { component: b, count: n })
        | (Type::Matrix { column: a, count: m }, Type::Matrix { column: b, count: n }) => {
            m == n && inner(a, b)
        }
        (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => {
            constants.0.array_len(one) == constants.1.array_len(other) && inner(a, b)
        }
        (Type::RuntimeArray { element: a }, Type::RuntimeArray { element: b }) => inner(a, b),
        (Type::Struct { members: a }, Type::Struct { members: b }) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| inner(a, b))
        }
        // Addresses: what they point to may be recursive.
        (Type::Pointer { class: a, .. }, Type::Pointer { class: b, .. }) => a == b,
        (a, b) => a == b,
    }
}
