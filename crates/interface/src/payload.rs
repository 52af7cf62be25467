//! Whether types of two modules are the same: what is passed between shaders without locations, and in
//! blocks.

use pyro_spirv::{ConstantValues, Id, Type};

/// Pairs of types that are looked at; structures may name their members' types so often that looking at each
/// would never end.
const PAIR_VISIT_COUNT_MAX: u32 = 1 << 14;

/// Whether two types of two modules hold the same: equal scalars, sizes and members in the same order. Names
/// and layouts do not matter.
pub fn same_type(one: (&ConstantValues<'_>, Id), other: (&ConstantValues<'_>, Id)) -> bool {
    Comparison { constants: (one.0, other.0), is_shape: false, visits_left: PAIR_VISIT_COUNT_MAX }
        .is_same(one.1, other.1)
}

/// Whether two types of two modules are made alike of arrays, matrices and structures, whatever the scalars
/// and vectors in these.
pub(crate) fn same_shape(one: (&ConstantValues<'_>, Id), other: (&ConstantValues<'_>, Id)) -> bool {
    Comparison { constants: (one.0, other.0), is_shape: true, visits_left: PAIR_VISIT_COUNT_MAX }
        .is_same(one.1, other.1)
}

/// A type with its members, as GLSL would write it, near enough.
pub(crate) fn describe(constants: &ConstantValues<'_>, ty: Id) -> String {
    const MEMBER_COUNT_MAX: usize = 8;
    let name = constants.type_name(ty);
    // Structures without a name are shown by their members anyway.
    let Type::Struct { members } = constants.module().ty(ty) else { return name };
    if name.contains('{') {
        return name;
    }
    let shown = members.iter().take(MEMBER_COUNT_MAX).map(|member| constants.type_name(member));
    let mut shown: Vec<String> = shown.collect();
    shown.extend((members.len() > MEMBER_COUNT_MAX).then(|| "…".to_owned()));
    format!("{name} {{ {} }}", shown.join("; "))
}

struct Comparison<'a, 'm> {
    constants: (&'a ConstantValues<'m>, &'a ConstantValues<'m>),
    /// Scalars and vectors are taken as equal.
    is_shape: bool,
    visits_left: u32,
}

impl Comparison<'_, '_> {
    fn is_same(&mut self, one: Id, other: Id) -> bool {
        // Types too large to compare are taken as equal: a finding must be sure.
        let Some(left) = self.visits_left.checked_sub(1) else { return true };
        self.visits_left = left;
        let constants = self.constants;
        let types = (constants.0.module().ty(one), constants.1.module().ty(other));
        let is_leaf =
            |ty: Type<'_>| matches!(ty, Type::Int { .. } | Type::Float { .. } | Type::Vector { .. });
        if self.is_shape && is_leaf(types.0) && is_leaf(types.1) {
            return true;
        }
        let mut inner = |one, other| self.is_same(one, other);
        match types {
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
}
