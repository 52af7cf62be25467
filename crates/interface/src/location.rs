//! Locations and components that variables take (Vulkan, "Location and Component Assignment").
//!
//! A location is four words of 32 bits. Scalars and vectors of 16- and 32-bit components take one, as do
//! 64-bit scalars and vectors of two; longer 64-bit vectors take two. Arrays and matrices take their
//! elements' one after the other, structures their members'.

use pyro_spirv::spirv::StorageClass;
use pyro_spirv::{ConstantValues, Id, Type};

/// A scalar or vector at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// First location.
    pub location: u32,
    /// First component: a word of the location.
    pub component: u32,
    /// The type of a component: a numeric scalar.
    pub scalar: Id,
    /// Components.
    pub count: u32,
    /// Bits of a component.
    pub width: u32,
}

impl Leaf {
    /// The words that it takes, from the first of its location: 64-bit components take two, others one.
    pub fn words(&self) -> std::ops::Range<u32> {
        let words = self.count * if self.width == 64 { 2 } else { 1 };
        self.component..self.component + words
    }
}

/// No stage of any device has more locations.
pub(crate) const LOCATION_COUNT_MAX: u64 = 4096;

/// Types that are looked at for one variable; structures may name their members' types so often that looking
/// at each would never end.
const TYPE_VISIT_COUNT_MAX: u32 = 1 << 16;

/// Locations that a variable of a type takes, the array level of arrayed interfaces already removed; none for
/// types that have no locations, or that take more than any device has.
pub fn location_count(constants: &ConstantValues<'_>, ty: Id) -> Option<u64> {
    let mut found = Vec::new();
    leaves(constants, ty, 0, 0, &mut found).map(u64::from)
}

/// The scalars and vectors of a type at a location; the next free location. None when the type has no
/// locations or takes more than the limit.
pub(crate) fn leaves(
    constants: &ConstantValues<'_>,
    ty: Id,
    location: u32,
    component: u32,
    into: &mut Vec<Leaf>,
) -> Option<u32> {
    Walk { constants, component, into, visits_left: TYPE_VISIT_COUNT_MAX }.walk(ty, location)
}

struct Walk<'a, 'm> {
    constants: &'a ConstantValues<'m>,
    component: u32,
    into: &'a mut Vec<Leaf>,
    visits_left: u32,
}

impl Walk<'_, '_> {
    /// Adds the leaves of a type at a location; the next free location.
    fn walk(&mut self, ty: Id, location: u32) -> Option<u32> {
        self.visits_left = self.visits_left.checked_sub(1)?;
        let module = self.constants.module();
        match module.ty(ty) {
            Type::Int { .. } | Type::Float { .. } => self.leaf(ty, 1, location),
            Type::Vector { component, count } => self.leaf(component, count, location),
            Type::Matrix { column, count } => {
                (0..count).try_fold(location, |location, _| self.walk(column, location))
            }
            Type::Array { element, .. } => {
                let len = self.constants.array_len(ty).filter(|&len| len <= LOCATION_COUNT_MAX)?;
                (0..len).try_fold(location, |location, _| self.walk(element, location))
            }
            Type::Struct { members } => {
                members.iter().try_fold(location, |location, member| self.walk(member, location))
            }
            // Pointers to physical storage are 64-bit scalars.
            Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. } => self.leaf(ty, 1, location),
            _ => None,
        }
    }

    fn leaf(&mut self, scalar: Id, count: u32, location: u32) -> Option<u32> {
        let width = self.constants.module().ty(scalar).width().unwrap_or(64);
        let next = location.checked_add(if width == 64 && count > 2 { 2 } else { 1 })?;
        self.into.push(Leaf { location, component: self.component, scalar, count, width });
        (self.into.len() as u64 <= LOCATION_COUNT_MAX).then_some(next)
    }
}
